/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capabilities from verbs, in the terms and numbers of the model. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/verbs.h>

#include "base/mem.h"
#include "host/caps.h"
#include "host/device.h"
#include "host/verbs.h"

#define assert_number(number, expected)                     \
	do {                                                \
		assert_true((number).known);                \
		assert_int_equal((number).value, expected); \
	} while (0)
#define assert_unknown(number) assert_false((number).known)

static void test_mtu(void **state)
{
	(void)state;
	assert_unknown(number_unless_zero(mtu_bytes(0)));
	assert_number(number_unless_zero(mtu_bytes(IBV_MTU_256)), 256);
	assert_number(number_unless_zero(mtu_bytes(IBV_MTU_512)), 512);
	assert_number(number_unless_zero(mtu_bytes(IBV_MTU_1024)), 1024);
	assert_number(number_unless_zero(mtu_bytes(IBV_MTU_2048)), 2048);
	assert_number(number_unless_zero(mtu_bytes(IBV_MTU_4096)), 4096);
	assert_unknown(number_unless_zero(mtu_bytes(6)));
	assert_unknown(number_unless_zero(mtu_bytes(200)));
}

static struct ibv_device_attr_ex made_up_device(void)
{
	struct ibv_device_attr_ex attr = {
		.orig_attr =
			{
				.fw_ver = "16.35.2000",
				.node_guid = htobe64(0x0011223344556677),
				.sys_image_guid = htobe64(0x8899aabbccddeeff),
				.max_mr_size = UINT64_MAX,
				.page_size_cap = 0xfffff000,
				.vendor_id = 0x2c9,
				.vendor_part_id = 4119,
				.max_qp = -1, /* 0xffffffff of the kernel */
				.device_cap_flags = IBV_DEVICE_XRC | 1u << 28,
				.atomic_cap = IBV_ATOMIC_GLOB,
				.local_ca_ack_delay = 16,
				.phys_port_cnt = 2,
			},
		.device_cap_flags_ex = IBV_DEVICE_XRC | IBV_DEVICE_RAW_SCATTER_FCS | 1ull << 60,
		.completion_timestamp_mask = 0x7fffffffffffffff,
		.tso_caps = {.max_tso = 262144, .supported_qpts = 1 << IBV_QPT_RAW_PACKET},
		.rss_caps = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			     .rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER},
		.packet_pacing_caps = {.qp_rate_limit_min = 1, .qp_rate_limit_max = 100000000},
		.tm_caps = {.max_num_tags = 127, .flags = IBV_TM_CAP_RC},
		.odp_caps = {.general_caps = IBV_ODP_SUPPORT,
			     .per_transport_caps = {.rc_odp_caps = IBV_ODP_SUPPORT_SEND |
								   IBV_ODP_SUPPORT_SRQ_RECV}},
		.pci_atomic_caps = {.swap = IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP},
	};

	return attr;
}

/* The text of the field with that key, with commas between the items of a list. */
static const char *text_of(const struct schema *schema, const void *record, const char *key,
			   char text[256])
{
	const struct field *field = schema_find(schema, key);
	struct value value;
	size_t used = 0;

	assert_non_null(field);
	field_get(field, record, &value);
	text[0] = '\0';
	if (value.kind == VALUE_NONE)
		return "none";
	if (value.kind == VALUE_STRING)
		snprintf(text, 256, "%s", value.string);
	if (value.kind == VALUE_UNSIGNED)
		snprintf(text, 256, "%llu", (unsigned long long)value.number);
	if (value.kind == VALUE_REAL)
		snprintf(text, 256, "%.3f", value.real);
	if (value.kind == VALUE_BOOL)
		snprintf(text, 256, "%s", value.boolean ? "true" : "false");
	for (size_t i = 0; value.kind == VALUE_LIST && i < value.list.count; i++)
		used += (size_t)snprintf(text + used, 256 - used, "%s%s", i ? "," : "",
					 value.list.items[i]);
	return text;
}

#define assert_field(schema, record, key, expected)                                 \
	do {                                                                        \
		char text_[256];                                                    \
		assert_string_equal(text_of(schema, record, key, text_), expected); \
	} while (0)

static void test_device(void **state)
{
	const struct ibv_device_attr_ex attr = made_up_device();
	struct caps caps = {0};

	(void)state;
	verbs_caps_set_device(&caps, &attr, true);
	assert_field(&caps_schema, &caps, "device", "none");
	assert_field(&caps_schema, &caps, "firmware", "16.35.2000");
	assert_field(&caps_schema, &caps, "node_guid", "0011:2233:4455:6677");
	assert_field(&caps_schema, &caps, "system_image_guid", "8899:aabb:ccdd:eeff");
	assert_field(&caps_schema, &caps, "vendor_id", "0x02c9");
	assert_field(&caps_schema, &caps, "vendor_part_id", "4119");
	assert_field(&caps_schema, &caps, "port_count", "2");
	assert_field(&caps_schema, &caps, "max_mr_size_bytes", "18446744073709551615");
	assert_field(&caps_schema, &caps, "page_size_cap", "0xfffff000");
	assert_field(&caps_schema, &caps, "min_page_size_bytes", "4096");
	assert_field(&caps_schema, &caps, "max_qp", "4294967295");
	assert_field(&caps_schema, &caps, "max_qp_wr", "0");
	assert_field(&caps_schema, &caps, "atomic", "global");
	assert_field(&caps_schema, &caps, "local_ca_ack_delay_us", "268435.456");
	caps_clear(&caps);
	assert_null(caps.firmware);
}

static void test_device_flags(void **state)
{
	const struct ibv_device_attr_ex attr = made_up_device();
	struct caps caps = {0};

	(void)state;
	verbs_caps_set_device(&caps, &attr, true);
	assert_field(&caps_schema, &caps, "device_cap_mask", "0x10100000");
	assert_field(&caps_schema, &caps, "device_cap_flags", "xrc,0x10000000");
	assert_field(&caps_schema, &caps, "device_cap_mask_ex", "0x1000000400100000");
	assert_field(&caps_schema, &caps, "device_cap_flags_ex",
		     "raw-scatter-fcs,0x1000000000000000");
	assert_field(&caps_schema, &caps, "odp_general_caps", "on-demand-paging");
	assert_field(&caps_schema, &caps, "rc_odp_caps", "send,srq-receive");
	assert_field(&caps_schema, &caps, "ud_odp_caps", "");
	assert_field(&caps_schema, &caps, "completion_timestamp_mask", "0x7fffffffffffffff");
	assert_field(&caps_schema, &caps, "hca_core_clock_khz", "none");
	assert_field(&caps_schema, &caps, "tso_max_size_bytes", "262144");
	assert_field(&caps_schema, &caps, "tso_qp_types", "raw-packet");
	assert_field(&caps_schema, &caps, "rss_hash_functions", "toeplitz");
	assert_field(&caps_schema, &caps, "rss_hash_fields", "source-ipv4,inner");
	assert_field(&caps_schema, &caps, "packet_pacing_rate_limit_min_kbps", "1");
	assert_field(&caps_schema, &caps, "packet_pacing_rate_limit_max_kbps", "100000000");
	assert_field(&caps_schema, &caps, "tag_matching_max_tags", "127");
	assert_field(&caps_schema, &caps, "tag_matching_caps", "rc");
	assert_field(&caps_schema, &caps, "pci_atomic_swap", "8-byte");
	assert_field(&caps_schema, &caps, "pci_atomic_fetch_add", "");
	caps_clear(&caps);
}

/* A kernel without the extended query: the values that it does not report stay unknown. */
static void test_device_not_extended(void **state)
{
	const struct ibv_device_attr_ex attr = {.orig_attr = {.max_pd = 7}};
	struct caps caps = {0};

	(void)state;
	verbs_caps_set_device(&caps, &attr, false);
	assert_number(caps.max_pd, 7);
	assert_null(caps.firmware);
	assert_unknown(caps.device_cap_flags_ex);
	assert_unknown(caps.tso_qp_types);
	assert_unknown(caps.max_device_memory_bytes);
	assert_field(&caps_schema, &caps, "device_cap_flags_ex", "none");
	assert_field(&caps_schema, &caps, "rc_odp_caps", "none");
	assert_field(&caps_schema, &caps, "min_page_size_bytes", "none");
	caps_clear(&caps);
}

static void test_pacing_absent(void **state)
{
	const struct ibv_device_attr_ex attr = {.phys_port_cnt_ex = 300};
	struct caps caps = {0};

	(void)state;
	verbs_caps_set_device(&caps, &attr, true);
	assert_unknown(caps.packet_pacing_rate_limit_min_kbps);
	assert_unknown(caps.packet_pacing_rate_limit_max_kbps);
	assert_number(caps.packet_pacing_qp_types, 0);
	assert_number(caps.completion_timestamp_mask, 0);
	assert_number(caps.port_count, 300);
	caps_clear(&caps);
}

static const struct ibv_port_attr infiniband_port = {
	.state = IBV_PORT_ACTIVE,
	.max_mtu = IBV_MTU_4096,
	.active_mtu = IBV_MTU_2048,
	.gid_tbl_len = 8,
	.port_cap_flags = IBV_PORT_SM | IBV_PORT_CM_SUP,
	.max_msg_sz = 0x40000000,
	.bad_pkey_cntr = 3,
	.qkey_viol_cntr = 4,
	.pkey_tbl_len = 128,
	.lid = 17,
	.sm_lid = 1,
	.lmc = 2,
	.max_vl_num = 4,
	.sm_sl = 5,
	.subnet_timeout = 18,
	.active_width = 2,
	.active_speed = 32,
	.phys_state = 5,
	.link_layer = IBV_LINK_LAYER_INFINIBAND,
	.port_cap_flags2 = IBV_PORT_LINK_SPEED_HDR_SUP | 1 << 15,
};

static void test_port_infiniband(void **state)
{
	struct port_caps port = {0};

	(void)state;
	verbs_caps_set_port(&port, &infiniband_port);
	assert_field(&port_caps_schema, &port, "link_layer", "infiniband");
	assert_field(&port_caps_schema, &port, "state", "active");
	assert_field(&port_caps_schema, &port, "physical_state", "link-up");
	assert_field(&port_caps_schema, &port, "active_mtu_bytes", "2048");
	assert_field(&port_caps_schema, &port, "max_mtu_bytes", "4096");
	assert_field(&port_caps_schema, &port, "max_msg_size_bytes", "1073741824");
	assert_field(&port_caps_schema, &port, "width_lanes", "4");
	assert_field(&port_caps_schema, &port, "speed", "EDR");
	assert_field(&port_caps_schema, &port, "lane_speed_gbps", "25.000");
	assert_field(&port_caps_schema, &port, "lid", "17");
	assert_field(&port_caps_schema, &port, "lmc", "2");
	assert_field(&port_caps_schema, &port, "sm_lid", "1");
	assert_field(&port_caps_schema, &port, "sm_sl", "5");
	assert_field(&port_caps_schema, &port, "cap_mask", "0x00010002");
	assert_field(&port_caps_schema, &port, "capabilities", "sm,communication-management");
	assert_field(&port_caps_schema, &port, "cap_mask2", "0x8020");
	assert_field(&port_caps_schema, &port, "capabilities2", "link-speed-hdr,0x8000");
	assert_field(&port_caps_schema, &port, "ip_based_gids", "false");
	assert_field(&port_caps_schema, &port, "grh_required", "false");
	assert_field(&port_caps_schema, &port, "max_vls", "8");
	assert_field(&port_caps_schema, &port, "bad_pkey_count", "3");
	assert_field(&port_caps_schema, &port, "bad_qkey_count", "4");
	assert_field(&port_caps_schema, &port, "gid_table_length", "8");
	assert_field(&port_caps_schema, &port, "pkey_table_length", "128");
	assert_field(&port_caps_schema, &port, "subnet_timeout_us", "1073741.824");
}

static void test_port_ethernet(void **state)
{
	struct ibv_port_attr attr = infiniband_port;
	struct port_caps port = {0};

	(void)state;
	attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	attr.port_cap_flags |= IBV_PORT_IP_BASED_GIDS;
	attr.flags = IBV_QPF_GRH_REQUIRED;
	attr.max_vl_num = 0;
	attr.active_mtu = 0;
	attr.active_width = 3;
	attr.active_speed = 0;
	verbs_caps_set_port(&port, &attr);
	assert_unknown(port.lid);
	assert_unknown(port.lmc);
	assert_unknown(port.sm_lid);
	assert_unknown(port.sm_sl);
	assert_unknown(port.subnet_timeout);
	assert_unknown(port.max_vls);
	assert_unknown(port.active_mtu_bytes);
	assert_unknown(port.width_lanes);
	assert_field(&port_caps_schema, &port, "speed", "none");
	assert_field(&port_caps_schema, &port, "lane_speed_gbps", "none");
	assert_field(&port_caps_schema, &port, "ip_based_gids", "true");
	assert_field(&port_caps_schema, &port, "grh_required", "true");
	assert_field(&port_caps_schema, &port, "cap_mask", "0x04010002");
	assert_field(&port_caps_schema, &port, "capabilities", "sm,communication-management");
}

static void test_port_codes(void **state)
{
	static const unsigned int widths[][2] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
	static const unsigned int vls[] = {0, 1, 2, 4, 8, 15};
	struct ibv_port_attr attr = infiniband_port;
	struct port_caps port = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		attr.active_width = (uint8_t)widths[i][0];
		verbs_caps_set_port(&port, &attr);
		assert_number(port.width_lanes, widths[i][1]);
	}
	for (uint8_t i = 1; i < ARRAY_SIZE(vls); i++) {
		attr.max_vl_num = i;
		verbs_caps_set_port(&port, &attr);
		assert_number(port.max_vls, vls[i]);
	}
	attr.max_vl_num = 6;
	verbs_caps_set_port(&port, &attr);
	assert_unknown(port.max_vls);
	for (unsigned int speed = 1; speed < 128; speed <<= 1) {
		struct value value;

		attr.active_speed = (uint8_t)speed;
		verbs_caps_set_port(&port, &attr);
		field_get(schema_find(&port_caps_schema, "lane_speed_gbps"), &port, &value);
		assert_int_equal(value.kind, VALUE_REAL);
		assert_non_null(enum_find(port_speed_names, speed));
	}
}

/* The one-byte member reports XDR as NDR; the speed is then unknown. */
static void test_port_speed(void **state)
{
	struct ibv_port_attr attr = infiniband_port;
	struct port port = {.rate_gbps.known = false};
	struct port_caps caps = {0};

	(void)state;
	attr.active_speed = 64;
	verbs_set_rate(&port, &attr);
	assert_string_equal(port.speed, "HDR");
	assert_number(port.width_lanes, 4);
	assert_true(port.rate_gbps.known && port.rate_gbps.value == 200);
	port_clear(&port);
	port = (struct port){.rate_gbps.known = false};
	attr.active_speed = 128;
	verbs_set_rate(&port, &attr);
	assert_null(port.speed);
	assert_false(port.rate_gbps.known || port.width_lanes.known);
	verbs_caps_set_port(&caps, &attr);
	assert_unknown(caps.speed);
	assert_int_equal(caps.codes.speed, 128);
#ifdef HAVE_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	attr.active_speed_ex = 256;
	verbs_set_rate(&port, &attr);
	assert_string_equal(port.speed, "XDR");
	assert_true(port.rate_gbps.known && port.rate_gbps.value == 800);
	verbs_caps_set_port(&caps, &attr);
	assert_number(caps.speed, 256);
	port_clear(&port);
#endif
}

static void test_transport(void **state)
{
	struct caps caps = {0};

	(void)state;
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_UNKNOWN);
	assert_unknown(caps.transport);
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_IB);
	assert_number(caps.transport, TRANSPORT_INFINIBAND);
	caps_add_port(&caps, 1)->link_layer = number_of(LINK_LAYER_ETHERNET);
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_IB);
	assert_number(caps.transport, TRANSPORT_ROCE);
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_IWARP);
	assert_number(caps.transport, TRANSPORT_IWARP);
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_USNIC_UDP);
	assert_number(caps.transport, TRANSPORT_USNIC);
	verbs_caps_set_transport(&caps, IBV_TRANSPORT_UNSPECIFIED);
	assert_number(caps.transport, TRANSPORT_UNSPECIFIED);
	caps_clear(&caps);
}

/* The model's tables have the numbers of verbs.h, which the model may not include. */
static void test_names(void **state)
{
	static const struct {
		const struct enum_name *names;
		uint64_t value;
		const char *word;
	} rows[] = {
		{atomic_names, IBV_ATOMIC_HCA, "hca"},
		{device_cap_names, IBV_DEVICE_BAD_PKEY_CNTR, "bad-pkey-counter"},
		{device_cap_names, IBV_DEVICE_N_NOTIFY_CQ, "notify-n-cqes"},
		{device_cap_names, IBV_DEVICE_MEM_WINDOW, "memory-window"},
		{device_cap_names, IBV_DEVICE_MEM_WINDOW_TYPE_2B, "memory-window-type-2b"},
		{device_cap_names, IBV_DEVICE_MANAGED_FLOW_STEERING, "managed-flow-steering"},
		{device_cap_names, IBV_DEVICE_PCI_WRITE_END_PADDING, "pci-write-end-padding"},
		{odp_general_names, IBV_ODP_SUPPORT_IMPLICIT, "implicit"},
		{odp_transport_names, IBV_ODP_SUPPORT_ATOMIC, "atomic"},
		{raw_packet_names, IBV_RAW_PACKET_CAP_DELAY_DROP, "delay-drop"},
		{qp_type_flag_names, 1 << IBV_QPT_RC, "rc"},
		{qp_type_flag_names, 1 << IBV_QPT_UD, "ud"},
		{qp_type_flag_names, 1 << IBV_QPT_XRC_RECV, "xrc-receive"},
		{rss_hash_field_names, IBV_RX_HASH_DST_PORT_UDP, "destination-port-udp"},
		{rss_hash_field_names, IBV_RX_HASH_IPSEC_SPI, "ipsec-spi"},
		{pci_atomic_names, IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP, "16-byte"},
		{port_cap2_names, IBV_PORT_INFO_EXT_SUP, "extended-port-info"},
		{port_cap2_names, IBV_PORT_LINK_SPEED_NDR_SUP, "link-speed-ndr"},
		{link_layer_names, IBV_LINK_LAYER_ETHERNET, "ethernet"},
		{gid_type_names, IBV_GID_TYPE_ROCE_V2, "roce-v2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(enum_word(rows[i].names, rows[i].value, "?"), rows[i].word);
}

static void check_schema(const struct schema *schema)
{
	assert_string_equal(schema->fields[0].key, "device");
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];

		assert_ptr_equal(schema_find(schema, field->key), field); /* no key appears twice */
		assert_non_null(field_help(field));
		if (field->kind == FIELD_RECORDS)
			continue;
		assert_true(field->flags & FIELD_DEFAULT);
		assert_true(field_heading(field)[0] != '\0');
	}
}

static void test_schemas(void **state)
{
	(void)state;
	check_schema(&caps_schema);
	check_schema(&port_caps_schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mtu),	      cmocka_unit_test(test_device),
		cmocka_unit_test(test_device_flags),  cmocka_unit_test(test_device_not_extended),
		cmocka_unit_test(test_pacing_absent), cmocka_unit_test(test_port_infiniband),
		cmocka_unit_test(test_port_ethernet), cmocka_unit_test(test_port_codes),
		cmocka_unit_test(test_port_speed),    cmocka_unit_test(test_transport),
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_schemas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
