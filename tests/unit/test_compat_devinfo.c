/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_devinfo -v for devices that no test machine has: attributes as their drivers fill them in,
 * and the text that follows from the tool's format (tests/compat/golden).
 */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/verbs.h>

#include "base/mem.h"
#include "captured.h"
#include "cmd/compat/ibv.h"
#include "host/verbs.h"

struct shape {
	const char *name, *board_id;
	int transport;
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr ports[2];
	int comp_vectors;
	struct {
		unsigned int port, index, type;
		const char *text;
	} gids[4];
};

static const struct ibv_port_attr infiniband_port = {
	.state = IBV_PORT_ACTIVE,
	.max_mtu = IBV_MTU_4096,
	.active_mtu = IBV_MTU_4096,
	.gid_tbl_len = 8,
	.port_cap_flags = 0x2259e848,
	.max_msg_sz = 0x40000000,
	.pkey_tbl_len = 128,
	.lid = 17,
	.sm_lid = 1,
	.lmc = 0,
	.max_vl_num = 4,
	.subnet_timeout = 18,
	.active_width = 2,
	.active_speed = 32,
	.phys_state = 5,
	.link_layer = IBV_LINK_LAYER_INFINIBAND,
};

/* ConnectX-5 on InfiniBand: on-demand paging, tag matching, packet pacing, device memory. */
static const struct shape mlx5 = {
	.name = "mlx5_0",
	.board_id = "MT_0000000008",
	.transport = IBV_TRANSPORT_IB,
	.comp_vectors = 63,
	.attr =
		{
			.orig_attr =
				{
					.fw_ver = "16.35.3502",
					.max_mr_size = UINT64_MAX,
					.page_size_cap = 0xfffffffffffff000,
					.vendor_id = 0x02c9,
					.vendor_part_id = 4119,
					.max_qp = 262144,
					.max_qp_wr = 32768,
					.device_cap_flags = 0xed721c36,
					.max_sge = 30,
					.max_sge_rd = 30,
					.max_cq = 16777216,
					.max_cqe = 4194303,
					.max_mr = 16777216,
					.max_pd = 16777216,
					.max_qp_rd_atom = 16,
					.max_res_rd_atom = 4194304,
					.max_qp_init_rd_atom = 16,
					.atomic_cap = IBV_ATOMIC_HCA,
					.max_mw = 16777216,
					.max_mcast_grp = 2097152,
					.max_mcast_qp_attach = 240,
					.max_total_mcast_qp_attach = 503316480,
					.max_ah = INT32_MAX,
					.max_srq = 8388608,
					.max_srq_wr = 32767,
					.max_srq_sge = 31,
					.max_pkeys = 128,
					.local_ca_ack_delay = 16,
					.phys_port_cnt = 1,
				},
			.odp_caps =
				{
					.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
					.per_transport_caps =
						{
							.rc_odp_caps = 0x1f,
							.ud_odp_caps = 0x1,
						},
				},
			.xrc_odp_caps = 0x3f | 1 << 6,
			.completion_timestamp_mask = 0x7fffffffffffffff,
			.hca_core_clock = 78125,
			.device_cap_flags_ex = 0x1ced721c36 | UINT64_C(1) << 41,
			.tso_caps = {.max_tso = 262144,
				     .supported_qpts = 1 << IBV_QPT_RAW_PACKET | 1 << IBV_QPT_UD},
			.rss_caps =
				{
					.supported_qpts = 1 << IBV_QPT_RAW_PACKET,
					.max_rwq_indirection_tables = 1048576,
					.max_rwq_indirection_table_size = 2048,
					.rx_hash_fields_mask = 0x800000ff,
					.rx_hash_function = 1,
				},
			.max_wq_type_rq = 8388608,
			.packet_pacing_caps = {.qp_rate_limit_min = 1,
					       .qp_rate_limit_max = 100000000,
					       .supported_qpts = 1 << IBV_QPT_RAW_PACKET |
								 1 << IBV_QPT_RC},
			.raw_packet_caps = IBV_RAW_PACKET_CAP_CVLAN_STRIPPING |
					   IBV_RAW_PACKET_CAP_SCATTER_FCS |
					   IBV_RAW_PACKET_CAP_IP_CSUM |
					   IBV_RAW_PACKET_CAP_DELAY_DROP,
			.tm_caps =
				{
					.max_rndv_hdr_size = 64,
					.max_num_tags = 127,
					.flags = IBV_TM_CAP_RC,
					.max_ops = 32768,
					.max_sge = 1,
				},
			.cq_mod_caps = {.max_cq_count = 65535, .max_cq_period = 4095},
			.max_dm_size = 131072,
		},
	.gids = {{1, 0, 0, "\xfe\x80\0\0\0\0\0\0\xec\x0d\x9a\x03\0\x78\x1a\x2c"},
		 {1, 1, 0, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0"}},
};

/* ConnectX-3, one port InfiniBand and down, one RoCE: fast memory regions, invalid codes. */
static const struct shape mlx4 = {
	.name = "mlx4_0",
	.board_id = "MT_1090120019",
	.transport = IBV_TRANSPORT_IB,
	.comp_vectors = 16,
	.attr =
		{
			.orig_attr =
				{
					.fw_ver = "2.42.5000",
					.max_mr_size = UINT64_MAX,
					.page_size_cap = 0xfffffe00,
					.vendor_id = 0x02c9,
					.vendor_part_id = 4099,
					.hw_ver = 1,
					.max_qp = 393144,
					.max_qp_wr = 16351,
					.device_cap_flags = 0x057e9c76,
					.max_sge = 32,
					.max_sge_rd = 30,
					.max_cq = 65408,
					.max_cqe = 4194303,
					.max_mr = 524032,
					.max_pd = 32764,
					.max_qp_rd_atom = 16,
					.max_res_rd_atom = 6290304,
					.max_qp_init_rd_atom = 128,
					.atomic_cap = IBV_ATOMIC_GLOB,
					.max_mcast_grp = 8192,
					.max_mcast_qp_attach = 248,
					.max_total_mcast_qp_attach = 2031616,
					.max_ah = INT32_MAX,
					.max_fmr = 524032,
					.max_map_per_fmr = 8191,
					.max_srq = 65472,
					.max_srq_wr = 16383,
					.max_srq_sge = 31,
					.max_pkeys = 128,
					.local_ca_ack_delay = 15,
					.phys_port_cnt = 2,
				},
			.completion_timestamp_mask = 0x0000ffffffffffff,
			.hca_core_clock = 427000,
			.device_cap_flags_ex = 0x057e9c76,
		},
	.gids = {{2, 0, 1, "\xfe\x80\0\0\0\0\0\0\x26\x8a\x07\xff\xfe\x55\x44\x01"},
		 {2, 1, 2, "\xfe\x80\0\0\0\0\0\0\x26\x8a\x07\xff\xfe\x55\x44\x01"},
		 {2, 2, 2, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\x01"}},
};

/* irdma as iWARP: the GID is a MAC, which the tool mistakes for an empty one. */
static const struct shape irdma = {
	.name = "irdma0",
	.transport = IBV_TRANSPORT_IWARP,
	.comp_vectors = 8,
	.attr =
		{
			.orig_attr =
				{
					.fw_ver = "1.71",
					.max_mr_size = 0x200000000000,
					.page_size_cap = 0x40201000,
					.vendor_id = 0x8086,
					.vendor_part_id = 5522,
					.hw_ver = 2,
					.max_qp = 8186,
					.max_qp_wr = 4063,
					.device_cap_flags = 0x00228000,
					.max_sge = 13,
					.max_sge_rd = 13,
					.max_cq = 8189,
					.max_cqe = 1048574,
					.max_mr = 1048574,
					.max_pd = 262141,
					.max_qp_rd_atom = 127,
					.max_qp_init_rd_atom = 255,
					.atomic_cap = IBV_ATOMIC_NONE,
					.max_mw = 1048574,
					.max_mcast_grp = 65536,
					.max_mcast_qp_attach = 8,
					.max_total_mcast_qp_attach = 524288,
					.max_ah = 65536,
					.phys_port_cnt = 1,
				},
			.completion_timestamp_mask = 0x1ffff,
			.device_cap_flags_ex = 0x00228000,
		},
	.gids = {{1, 0, 0, "\x40\xa6\xb7\x01\x02\x03\0\0\0\0\0\0\0\0\0\0"}},
};

/* EFA: none of the old verbs, an unspecified transport and link layer, and unknown values. */
static const struct shape efa = {
	.name = "rdmap0s6",
	.transport = IBV_TRANSPORT_UNSPECIFIED,
	.comp_vectors = 0,
	.attr =
		{
			.orig_attr =
				{
					.fw_ver = "0.0.0.0",
					.max_mr_size = 0x180000000000,
					.page_size_cap = 0xfffff000,
					.vendor_id = 0x1d0f,
					.vendor_part_id = 61313,
					.hw_ver = 0xefa1,
					.max_qp = 256,
					.max_qp_wr = 4096,
					.device_cap_flags = 1u << 30,
					.max_sge = 2,
					.max_cq = 512,
					.max_cqe = 32768,
					.max_mr = 262144,
					.max_pd = 256,
					.max_ah = 2048,
					.phys_port_cnt = 1,
				},
		},
	.gids = {{1, 0, 0, "\xfe\x80\0\0\0\0\0\0\x04\x3b\x9b\xff\xfe\x11\x22\x33"}},
};

static struct shape with_ports(const struct shape *shape)
{
	struct shape copy = *shape;

	copy.attr.orig_attr.node_guid = htobe64(0xec0d9a0300781a2c);
	copy.attr.orig_attr.sys_image_guid = htobe64(0xec0d9a0300781a2c);
	copy.ports[0] = copy.ports[1] = infiniband_port;
	if (shape == &mlx5)
		return copy;
	copy.ports[0].max_vl_num = 7;
	copy.ports[0].active_speed = shape == &mlx4 ? 3 : 64;
	copy.ports[0].active_width = shape == &mlx4 ? 3 : 16;
	copy.ports[0].state = shape == &mlx4 ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
	copy.ports[0].phys_state = shape == &mlx4 ? 4 : 5;
	copy.ports[1].link_layer = IBV_LINK_LAYER_ETHERNET;
	copy.ports[1].active_mtu = 6;
	copy.ports[1].lid = 0;
	if (shape != &mlx4) {
		copy.ports[0].link_layer = shape == &irdma ? IBV_LINK_LAYER_ETHERNET
							   : IBV_LINK_LAYER_UNSPECIFIED;
		copy.ports[0].lid = shape == &irdma ? 1 : 0; /* as irdma_query_port() has it */
		copy.ports[0].port_cap_flags2 = 0x22;
		copy.ports[0].bad_pkey_cntr = 3;
	}
	return copy;
}

static void fill(const struct shape *shape, struct verbs_facts *facts)
{
	struct device *device;

	*facts = (struct verbs_facts){.board_id = NULL};
	if (shape->board_id)
		facts->board_id = mem_string(shape->board_id);
	verbs_caps_set_device(&facts->caps, &shape->attr, true);
	facts->caps.num_comp_vectors = number_of((unsigned int)shape->comp_vectors);
	device = device_list_add(&facts->gids, shape->name);
	for (unsigned int i = 1; i <= shape->attr.orig_attr.phys_port_cnt; i++) {
		verbs_caps_set_port(caps_add_port(&facts->caps, i), &shape->ports[i - 1]);
		device_add_port(device, i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shape->gids) && shape->gids[i].text; i++) {
		struct port *port = device_port(device, shape->gids[i].port);
		struct gid_entry *entry = mem_append(&port->gids, &port->gid_count,
						     sizeof(*port->gids));

		entry->index = number_of(shape->gids[i].index);
		entry->type = number_of(shape->gids[i].type);
		entry->gid.known = true;
		memcpy(entry->gid.gid.raw, shape->gids[i].text, sizeof(entry->gid.gid.raw));
	}
}

/* The output equals the file, which UPDATE=1 writes. */
static void check(const struct shape *plain, const struct ibv_view *view, const char *suffix)
{
	_cleanup_(freep) char *path = mem_format("tests/compat/golden/%s%s.txt", plain->name,
						 suffix);
	_cleanup_(freep) char *wanted = mem_alloc_zero(1, 65536);
	_cleanup_(freep) char *printed = NULL;
	_cleanup_(fclosep) FILE *file = NULL;
	const struct shape shape = with_ports(plain);
	const struct verbs_listed name = {.name = shape.name, .transport = shape.transport};
	struct verbs_facts facts;
	struct captured captured;
	int status;

	fill(&shape, &facts);
	capture_begin(&captured);
	status = ibv_print_device(view, &name, &facts);
	printed = capture_end(&captured);
	assert_int_equal(status, 0);
	if (getenv("UPDATE") && *getenv("UPDATE")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(printed, file);
	} else {
		file = fopen(path, "r");
		assert_non_null(file);
		assert_true(fread(wanted, 1, 65535, file) > 0);
		assert_string_equal(printed, wanted);
	}
	verbs_facts_clear(&facts);
}

static void test_shapes(void **state)
{
	static const struct shape *const shapes[] = {&mlx5, &mlx4, &irdma, &efa};
	const struct ibv_view old = {COMPAT_44, true, 0}, plain = {COMPAT_44, false, 0};
	const struct ibv_view newer = {COMPAT_65, true, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		check(shapes[i], &plain, "");
		check(shapes[i], &old, "-v");
		check(shapes[i], &newer, "-v.65");
	}
}

/* The exit statuses of the tool for a missing port, and for one that does not answer. */
static void test_status(void **state)
{
	const struct shape shape = with_ports(&mlx4);
	const struct verbs_listed name = {.name = shape.name, .transport = shape.transport};
	struct ibv_view view = {COMPAT_44, false, 3};
	struct verbs_facts facts;
	struct captured captured;
	char *printed;
	int status[3];

	(void)state;
	fill(&shape, &facts);
	facts.caps.ports[0].error = -5;
	capture_begin(&captured);
	status[0] = ibv_print_device(&view, &name, &facts);
	printed = capture_end(&captured);
	assert_string_equal(printed, "");
	free(printed);
	capture_begin(&captured);
	view.ib_port = 2;
	status[1] = ibv_print_device(&view, &name, &facts);
	view.ib_port = 0;
	status[2] = ibv_print_device(&view, &name, &facts);
	printed = capture_end(&captured);
	/* The second port once; nothing for the port that failed, and nothing after it. */
	assert_non_null(strstr(printed, "\t\tport:\t2\n"));
	assert_null(strstr(strstr(printed, "\t\tport:\t2\n") + 1, "\t\tport:"));
	free(printed);
	assert_int_equal(status[0], 4);
	assert_int_equal(status[1], 0);
	assert_int_equal(status[2], 5);
	verbs_facts_clear(&facts);
}

/* The older tool prints and counts with the older number of ports, which has eight bits. */
static void test_many_ports(void **state)
{
	struct shape shape = with_ports(&mlx4);
	const struct verbs_listed name = {.name = shape.name, .transport = shape.transport};
	const struct ibv_view view = {COMPAT_65, false, 0};
	struct verbs_facts facts;
	struct captured captured;
	char *printed;
	int status;

	(void)state;
	fill(&shape, &facts);
	facts.caps.port_count = number_of(300);
	for (unsigned int i = 3; i <= 300; i++)
		verbs_caps_set_port(caps_add_port(&facts.caps, i), &infiniband_port);
	capture_begin(&captured);
	status = ibv_print_device(&view, &name, &facts);
	printed = capture_end(&captured);
	assert_int_equal(status, 0);
	assert_non_null(strstr(printed, "\tphys_port_cnt:\t\t\t255\n"));
	assert_non_null(strstr(printed, "\t\tport:\t255\n"));
	assert_null(strstr(printed, "\t\tport:\t256\n"));
	free(printed);
	verbs_facts_clear(&facts);
}

/* 200 Gb/s per lane does not fit into the number that the older release prints. */
static void test_fast_lanes(void **state)
{
	static const struct {
		enum compat_release release;
		const char *line;
	} samples[] = {
		{COMPAT_44, "\t\t\tactive_speed:\t\t100.0 Gbps (128)\n"},
		{COMPAT_65, "\t\t\tactive_speed:\t\t200.0 Gbps (256)\n"},
	};
	const struct shape shape = with_ports(&mlx5);
	const struct verbs_listed name = {.name = shape.name, .transport = shape.transport};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct ibv_view view = {samples[i].release, true, 0};
		_cleanup_(freep) char *printed = NULL;
		struct verbs_facts facts;
		struct captured captured;

		fill(&shape, &facts);
		facts.caps.ports[0].codes.speed = 256;
		capture_begin(&captured);
		ibv_print_device(&view, &name, &facts);
		printed = capture_end(&captured);
		assert_non_null(strstr(printed, samples[i].line));
		verbs_facts_clear(&facts);
	}
}

/* The limits decide whether queue pair types are printed, even if there are none. */
static void test_queue_pair_types(void **state)
{
	struct shape shape = with_ports(&mlx4);
	const struct verbs_listed name = {.name = shape.name, .transport = shape.transport};
	const struct ibv_view view = {COMPAT_65, true, 0};
	struct verbs_facts facts;
	struct captured captured;
	char *printed;

	(void)state;
	shape.attr.tso_caps = (struct ibv_tso_caps){.max_tso = 65536};
	shape.attr.packet_pacing_caps = (struct ibv_packet_pacing_caps){.supported_qpts = 1 << 8};
	fill(&shape, &facts);
	capture_begin(&captured);
	ibv_print_device(&view, &name, &facts);
	printed = capture_end(&captured);
	assert_non_null(strstr(printed, "\tmax_tso:\t\t\t65536\n\t\tsupported_qp:\n\trss_caps:"));
	assert_non_null(strstr(printed, "\tqp_rate_limit_max:\t0kbps\n\ttag matching"));
	free(printed);
	verbs_facts_clear(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),		 cmocka_unit_test(test_status),
		cmocka_unit_test(test_many_ports),	 cmocka_unit_test(test_fast_lanes),
		cmocka_unit_test(test_queue_pair_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
