/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/caps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/device.h"
#include "mad/format/codes.h"
#include "schema/rows.h"

/* Fields of struct caps and struct port_caps. One query reads them all, so no field has needs. */

/* The time that a 5-bit code means: 4.096 us * 2^n (IBA volume 1, PortInfo:SubnetTimeOut). */
static void get_code_time(const struct number *code, struct value *value)
{
	if (!code->known || code->value > 31)
		return;
	value_set_real(value, 4.096 * (double)(UINT64_C(1) << code->value));
}

static void get_ack_delay(const void *record, struct value *value)
{
	get_code_time(&((const struct caps *)record)->local_ca_ack_delay, value);
}

static void get_subnet_timeout(const void *record, struct value *value)
{
	get_code_time(&((const struct port_caps *)record)->subnet_timeout, value);
}

static void get_min_page_size(const void *record, struct value *value)
{
	const struct number *sizes = &((const struct caps *)record)->page_size_cap;

	if (!sizes->known || !sizes->value)
		return;
	value_set_unsigned(value, sizes->value & -sizes->value);
}

/* Most drivers repeat device_cap_flags in the lower half of the extended flags; drop them here. */
static void get_extended_flags(const void *record, struct value *value)
{
	static const struct field words = {.kind = FIELD_FLAGS, .names = device_cap_names};
	const struct caps *caps = record;
	struct number flags = caps->device_cap_flags_ex;

	flags.value &= ~caps->device_cap_flags.value;
	field_get(&words, &flags, value);
}

/* Rates that the names in enum ib_port_speed imply: IB_SPEED_FDR is 14.0625, IB_SPEED_EDR is 25. */
static void get_lane_speed(const void *record, struct value *value)
{
	const struct number *code = &((const struct port_caps *)record)->speed;
	enum lane_speed speed = lane_speed_of_verbs((unsigned int)code->value);
	const struct lane_rate *rate = &lane_rates[speed];

	if (code->known && speed != SPEED_UNKNOWN)
		value_set_real(value, speed <= SPEED_FDR ? rate->signal_gbps : rate->data_gbps);
}

static void get_ports(const void *record, struct value *value)
{
	const struct caps *caps = record;

	value_set_records(value, caps->ports, caps->port_caps_count);
}

#define RECORD struct port_caps
static const struct field port_caps_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	WORD(link_layer, link_layer_names, "LINK LAYER", SHOWN, 0, "link layer"),
	WORD(state, port_state_names, "STATE", SHOWN, 0, "logical state"),
	WORD(physical_state, physical_state_names, "PHYSICAL", SHOWN, 0, "physical state"),
	NUMBER(active_mtu_bytes, "MTU", SHOWN, 0, "active RDMA MTU"),
	NUMBER(max_mtu_bytes, "MAX MTU", SHOWN, 0, "maximum RDMA MTU"),
	NUMBER(max_msg_size_bytes, "MAX MESSAGE", SHOWN, 0, "longest message"),
	NUMBER(width_lanes, "LANES", SHOWN, 0, "link width"),
	WORD(speed, port_speed_names, "SPEED", SHOWN, 0, "speed name of a lane"),
	COMPUTED_FIELD(FIELD_REAL, get_lane_speed, "lane_speed_gbps", "LANE Gb/s",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "speed of a lane, gigabits a second"),
	NUMBER(lid, "LID", SHOWN, 0, "base LID"),
	NUMBER(lmc, "LMC", SHOWN, 0, "LID mask control"),
	NUMBER(sm_lid, "SM LID", SHOWN, 0, "LID of the subnet manager"),
	NUMBER(sm_sl, "SM SL", SHOWN, 0, "service level of the subnet manager"),
	HEX(cap_mask, 8, "CAP MASK", SHOWN, 0, "capability mask"),
	FLAGS_AS("capabilities", capabilities, port_cap_names, "CAPABILITIES", SHOWN, 0,
		 "capability mask in words"),
	HEX(cap_mask2, 4, "CAP MASK 2", SHOWN, 0, "second capability mask"),
	FLAGS_AS("capabilities2", cap_mask2, port_cap2_names, "CAPABILITIES 2", SHOWN, 0,
		 "second capability mask in words"),
	YES_NO(ip_based_gids, "IP GIDS", SHOWN, 0, "GIDs are made from IP addresses"),
	YES_NO(grh_required, "GRH", SHOWN, 0, "every packet needs a global route header"),
	NUMBER(max_vls, "MAX VLS", SHOWN, 0, "data virtual lanes"),
	NUMBER(bad_pkey_count, "BAD PKEYS", SHOWN, 0, "P_Key violations"),
	NUMBER(bad_qkey_count, "BAD QKEYS", SHOWN, 0, "Q_Key violations"),
	NUMBER(gid_table_length, "GIDS", SHOWN, 0, "slots of the GID table"),
	NUMBER(pkey_table_length, "PKEYS", SHOWN, 0, "slots of the P_Key table"),
	NUMBER(subnet_timeout, "SUBNET TIMEOUT", SHOWN, 0, "code of the subnet timeout"),
	COMPUTED_FIELD(FIELD_REAL, get_subnet_timeout, "subnet_timeout_us", "SUBNET TIMEOUT us",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "subnet timeout, microseconds"),
	NUMBER(init_type_reply, "INIT REPLY", SHOWN, 0,
	       "type of initialisation done by the subnet manager"),
};

const struct schema port_caps_schema = SCHEMA("port_caps", struct port_caps, port_caps_fields,
					      "limits and capabilities of a port");

#undef RECORD
#define RECORD struct caps

/* Turns the limits of host/caps.h into rows. */
#define LIMIT(member, heading, help)		   NUMBER(member, heading, SHOWN, 0, help),
#define OFFLOAD_COUNT(member, path, heading, help) NUMBER(member, heading, SHOWN, 0, help),
#define FLAG_WORDS(member, path, names, heading, help) \
	FLAGS_AS(#member, member, names, heading, SHOWN, 0, help),
#define OFFLOAD_MASK(member, path, digits, heading, help) \
	HEX(member, digits, heading, SHOWN, 0, help),
#define OFFLOAD_ALSO_MASK(member, key, heading, help) \
	HEX_AS(key, member, 1, heading, SHOWN, 0, help),

static const struct field caps_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	WORD(transport, transport_names, "TRANSPORT", SHOWN, 0, "transport"),
	TEXT(firmware, "FIRMWARE", SHOWN, 0, "firmware version"),
	GUID(node_guid, "NODE GUID", SHOWN, 0, "node GUID"),
	GUID(system_image_guid, "SYSTEM IMAGE GUID", SHOWN, 0, "system image GUID"),
	HEX(vendor_id, 4, "VENDOR", SHOWN, 0, "vendor's OUI"),
	NUMBER(vendor_part_id, "PART", SHOWN, 0, "vendor's part id"),
	HEX(hw_ver, 1, "HW VERSION", SHOWN, 0, "hardware version"),
	TEXT(board_id, "BOARD", SHOWN, 0, "board id (PSID)"),
	NUMBER(port_count, "PORTS", SHOWN, 0, "number of ports"),

	NUMBER(max_mr_size_bytes, "MAX MR SIZE", SHOWN, 0, "largest memory region"),
	HEX(page_size_cap, 1, "PAGE SIZES", SHOWN, 0, "page sizes: bit n is 2^n bytes"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_min_page_size, "min_page_size_bytes", "MIN PAGE SIZE",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "smallest page size"),
	CAPS_QP_LIMITS(LIMIT) HEX_AS("device_cap_mask", device_cap_flags, 8, "DEVICE CAP MASK",
				     SHOWN, 0, "device capability flags"),
	FLAGS_AS("device_cap_flags", device_cap_flags, device_cap_names, "DEVICE CAP FLAGS", SHOWN,
		 0, "device capability flags in words"),
	HEX_AS("device_cap_mask_ex", device_cap_flags_ex, 16, "DEVICE CAP MASK EX", SHOWN, 0,
	       "extended device capability flags"),
	COMPUTED_FIELD(FIELD_FLAGS, get_extended_flags, "device_cap_flags_ex",
		       "DEVICE CAP FLAGS EX", FIELD_DEFAULT, 0,
		       "extended flags in words, without those of device_cap_flags"),
	CAPS_QUEUE_LIMITS(LIMIT)
		WORD(atomic, atomic_names, "ATOMIC", SHOWN, 0, "scope of atomic operations"),
	CAPS_PCI_ATOMICS(FLAG_WORDS) CAPS_OBJECT_LIMITS(LIMIT)
		COMPUTED_FIELD(FIELD_REAL, get_ack_delay, "local_ca_ack_delay_us", "ACK DELAY us",
			       FIELD_DEFAULT | FIELD_RIGHT, 0, "local CA ack delay, microseconds"),

	CAPS_OFFLOADS(OFFLOAD_COUNT, FLAG_WORDS, OFFLOAD_MASK, OFFLOAD_ALSO_MASK)
		NUMBER(num_comp_vectors, "COMP VECTORS", SHOWN, 0, "completion vectors"),
	RECORDS_FIELD(get_ports, &port_caps_schema, "", "ports", 0, "limits of the ports"),
};

const struct schema caps_schema = SCHEMA("caps", struct caps, caps_fields,
					 "limits and capabilities of an RDMA device");

#define BIT(n) (UINT64_C(1) << (n))

/* enum ibv_atomic_cap */
const struct enum_name atomic_names[] = {
	{0, "none"},   /* IBV_ATOMIC_NONE */
	{1, "hca"},    /* IBV_ATOMIC_HCA */
	{2, "global"}, /* IBV_ATOMIC_GLOB */
	{0, NULL},
};

#define FLAG_ROW(bit, name, word) {BIT(bit), word},
const struct enum_name device_cap_names[] = {CAPS_DEVICE_FLAGS(FLAG_ROW, FLAG_ROW){0, NULL}};

/* enum ibv_odp_general_caps */
const struct enum_name odp_general_names[] = {
	{BIT(0), "on-demand-paging"}, /* IBV_ODP_SUPPORT */
	{BIT(1), "implicit"},	      /* IBV_ODP_SUPPORT_IMPLICIT */
	{0, NULL},
};

/* enum ibv_odp_transport_cap_bits */
const struct enum_name odp_transport_names[] = {
	{BIT(0), "send"},	  /* IBV_ODP_SUPPORT_SEND */
	{BIT(1), "receive"},	  /* IBV_ODP_SUPPORT_RECV */
	{BIT(2), "write"},	  /* IBV_ODP_SUPPORT_WRITE */
	{BIT(3), "read"},	  /* IBV_ODP_SUPPORT_READ */
	{BIT(4), "atomic"},	  /* IBV_ODP_SUPPORT_ATOMIC */
	{BIT(5), "srq-receive"},  /* IBV_ODP_SUPPORT_SRQ_RECV */
	{BIT(6), "flush"},	  /* IBV_ODP_SUPPORT_FLUSH, rdma-core 58 */
	{BIT(7), "atomic-write"}, /* IBV_ODP_SUPPORT_ATOMIC_WRITE, rdma-core 58 */
	{0, NULL},
};

/* enum ibv_raw_packet_caps */
const struct enum_name raw_packet_names[] = {
	{BIT(0), "cvlan-stripping"}, /* IBV_RAW_PACKET_CAP_CVLAN_STRIPPING */
	{BIT(1), "scatter-fcs"},     /* IBV_RAW_PACKET_CAP_SCATTER_FCS */
	{BIT(2), "ip-checksum"},     /* IBV_RAW_PACKET_CAP_IP_CSUM */
	{BIT(3), "delay-drop"},	     /* IBV_RAW_PACKET_CAP_DELAY_DROP */
	{0, NULL},
};

/* enum ibv_qp_type, used as a mask like in ibv_is_qpt_supported() */
const struct enum_name qp_type_flag_names[] = {
	{BIT(2), "rc"},		  /* IBV_QPT_RC */
	{BIT(3), "uc"},		  /* IBV_QPT_UC */
	{BIT(4), "ud"},		  /* IBV_QPT_UD */
	{BIT(8), "raw-packet"},	  /* IBV_QPT_RAW_PACKET */
	{BIT(9), "xrc-send"},	  /* IBV_QPT_XRC_SEND */
	{BIT(10), "xrc-receive"}, /* IBV_QPT_XRC_RECV */
	{0, NULL},
};

/* enum ibv_rx_hash_function_flags */
const struct enum_name rss_hash_function_names[] = {
	{BIT(0), "toeplitz"}, /* IBV_RX_HASH_FUNC_TOEPLITZ */
	{0, NULL},
};

/* enum ibv_rx_hash_fields */
const struct enum_name rss_hash_field_names[] = {
	{BIT(0), "source-ipv4"},	  /* IBV_RX_HASH_SRC_IPV4 */
	{BIT(1), "destination-ipv4"},	  /* IBV_RX_HASH_DST_IPV4 */
	{BIT(2), "source-ipv6"},	  /* IBV_RX_HASH_SRC_IPV6 */
	{BIT(3), "destination-ipv6"},	  /* IBV_RX_HASH_DST_IPV6 */
	{BIT(4), "source-port-tcp"},	  /* IBV_RX_HASH_SRC_PORT_TCP */
	{BIT(5), "destination-port-tcp"}, /* IBV_RX_HASH_DST_PORT_TCP */
	{BIT(6), "source-port-udp"},	  /* IBV_RX_HASH_SRC_PORT_UDP */
	{BIT(7), "destination-port-udp"}, /* IBV_RX_HASH_DST_PORT_UDP */
	{BIT(8), "ipsec-spi"},		  /* IBV_RX_HASH_IPSEC_SPI */
	{BIT(31), "inner"},		  /* IBV_RX_HASH_INNER */
	{0, NULL},
};

/* enum ibv_tm_cap_flags */
const struct enum_name tag_cap_names[] = {
	{BIT(0), "rc"}, /* IBV_TM_CAP_RC */
	{0, NULL},
};

/* enum ibv_pci_atomic_op_size */
const struct enum_name pci_atomic_names[] = {
	{BIT(0), "4-byte"},  /* IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP */
	{BIT(1), "8-byte"},  /* IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP */
	{BIT(2), "16-byte"}, /* IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP */
	{0, NULL},
};

/* enum ib_port_speed; words from rate_show(), drivers/infiniband/core */
const struct enum_name port_speed_names[] = {
#define SPEED_BIT(name, rate, signal) {1u << (SPEED_##name - SPEED_SDR), #name},
	LANE_SPEEDS(SPEED_BIT)
#undef SPEED_BIT
		{0, NULL},
};

void caps_set_device(struct caps *caps, const char *name)
{
	char *copy = mem_string(name);

	free(caps->device);
	caps->device = copy;
	for (size_t i = 0; i < caps->port_caps_count; i++)
		caps->ports[i].device = caps->device;
}

struct port_caps *caps_add_port(struct caps *caps, unsigned int number)
{
	struct port_caps *port = mem_append(&caps->ports, &caps->port_caps_count, sizeof(*port));

	port->device = caps->device;
	port->port = number_of(number);
	return port;
}

void caps_clear(struct caps *caps)
{
	free(caps->device);
	free(caps->firmware);
	free(caps->board_id);
	free(caps->ports);
	memset(caps, 0, sizeof(*caps));
}
