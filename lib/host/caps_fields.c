/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of struct caps and struct port_caps. A single query reads them all, so no field has
 * needs.
 */
#include "host/caps.h"

#include "base/mem.h"
#include "host/caps_names.h"
#include "mad/format/codes.h"
#include "host/device.h"

/* The time of a 5-bit code: 4.096 us * 2^n (IBA volume 1, PortInfo:SubnetTimeOut). */
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

/*
 * The rates that the words of enum ib_port_speed imply: IB_SPEED_FDR is 14.0625, IB_SPEED_EDR is
 * 25.
 */
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

	value->kind = VALUE_RECORDS;
	value->records.rows = caps->ports;
	value->records.count = caps->port_caps_count;
}

#define PORT_COUNT(member, heading, help)                                                          \
	UNSIGNED_FIELD(struct port_caps, member, #member, heading, FIELD_DEFAULT | FIELD_RIGHT, 0, \
		       help)
#define PORT_HEX(member, digits, key, heading, help) \
	HEX_FIELD(struct port_caps, member, digits, key, heading, FIELD_DEFAULT, 0, help)
#define PORT_FLAGS(member, names, key, heading, help) \
	FLAGS_FIELD(struct port_caps, member, names, key, heading, FIELD_DEFAULT, 0, help)
#define PORT_ENUM(member, names, key, heading, help) \
	ENUM_FIELD(struct port_caps, member, names, key, heading, FIELD_DEFAULT, 0, help)
#define PORT_BOOL(member, heading, help) \
	BOOL_FIELD(struct port_caps, member, #member, heading, FIELD_DEFAULT, 0, help)

static const struct field port_caps_fields[] = {
	STRING_FIELD(struct port_caps, device, "device", "DEVICE", FIELD_DEFAULT, 0,
		     "name of the device"),
	PORT_COUNT(port, "PORT", "number of the port"),
	PORT_ENUM(link_layer, link_layer_names, "link_layer", "LINK LAYER", "link layer"),
	PORT_ENUM(state, port_state_names, "state", "STATE", "logical state"),
	PORT_ENUM(physical_state, physical_state_names, "physical_state", "PHYSICAL",
		  "physical state"),
	PORT_COUNT(active_mtu_bytes, "MTU", "active RDMA MTU"),
	PORT_COUNT(max_mtu_bytes, "MAX MTU", "maximum RDMA MTU"),
	PORT_COUNT(max_msg_size_bytes, "MAX MESSAGE", "longest message"),
	PORT_COUNT(width_lanes, "LANES", "link width"),
	PORT_ENUM(speed, port_speed_names, "speed", "SPEED", "speed name of a lane"),
	COMPUTED_FIELD(FIELD_REAL, get_lane_speed, "lane_speed_gbps", "LANE Gb/s",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "speed of a lane, gigabits a second"),
	PORT_COUNT(lid, "LID", "base LID"),
	PORT_COUNT(lmc, "LMC", "LID mask control"),
	PORT_COUNT(sm_lid, "SM LID", "LID of the subnet manager"),
	PORT_COUNT(sm_sl, "SM SL", "service level of the subnet manager"),
	PORT_HEX(cap_mask, 8, "cap_mask", "CAP MASK", "capability mask"),
	PORT_FLAGS(capabilities, port_cap_names, "capabilities", "CAPABILITIES",
		   "capability mask in words"),
	PORT_HEX(cap_mask2, 4, "cap_mask2", "CAP MASK 2", "second capability mask"),
	PORT_FLAGS(cap_mask2, port_cap2_names, "capabilities2", "CAPABILITIES 2",
		   "second capability mask in words"),
	PORT_BOOL(ip_based_gids, "IP GIDS", "GIDs are made from IP addresses"),
	PORT_BOOL(grh_required, "GRH", "every packet needs a global route header"),
	PORT_COUNT(max_vls, "MAX VLS", "data virtual lanes"),
	PORT_COUNT(bad_pkey_count, "BAD PKEYS", "P_Key violations"),
	PORT_COUNT(bad_qkey_count, "BAD QKEYS", "Q_Key violations"),
	PORT_COUNT(gid_table_length, "GIDS", "slots of the GID table"),
	PORT_COUNT(pkey_table_length, "PKEYS", "slots of the P_Key table"),
	PORT_COUNT(subnet_timeout, "SUBNET TIMEOUT", "code of the subnet timeout"),
	COMPUTED_FIELD(FIELD_REAL, get_subnet_timeout, "subnet_timeout_us", "SUBNET TIMEOUT us",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "subnet timeout, microseconds"),
	PORT_COUNT(init_type_reply, "INIT REPLY",
		   "type of initialisation done by the subnet manager"),
};

const struct schema port_caps_schema = {
	.name = "port_caps",
	.version = 1,
	.summary = "limits and capabilities of a port",
	.fields = port_caps_fields,
	.field_count = ARRAY_SIZE(port_caps_fields),
	.record_size = sizeof(struct port_caps),
};

#define TEXT(member, heading, help) \
	STRING_FIELD(struct caps, member, #member, heading, FIELD_DEFAULT, 0, help)
#define GUID(member, heading, help) \
	GUID_FIELD(struct caps, member, #member, heading, FIELD_DEFAULT, 0, help)
#define COUNT(member, heading, help) \
	UNSIGNED_FIELD(struct caps, member, #member, heading, FIELD_DEFAULT | FIELD_RIGHT, 0, help)
#define HEX(member, digits, key, heading, help) \
	HEX_FIELD(struct caps, member, digits, key, heading, FIELD_DEFAULT, 0, help)
#define FLAGS(member, names, key, heading, help) \
	FLAGS_FIELD(struct caps, member, names, key, heading, FIELD_DEFAULT, 0, help)
#define ENUM(member, names, key, heading, help) \
	ENUM_FIELD(struct caps, member, names, key, heading, FIELD_DEFAULT, 0, help)

/* The forms of host/limits.h. */
#define LIMIT(member, heading, help)		       COUNT(member, heading, help),
#define OFFLOAD_COUNT(member, path, heading, help)     COUNT(member, heading, help),
#define FLAG_WORDS(member, path, names, heading, help) FLAGS(member, names, #member, heading, help),
#define OFFLOAD_MASK(member, path, digits, heading, help) \
	HEX(member, digits, #member, heading, help),
#define OFFLOAD_ALSO_MASK(member, key, heading, help) HEX(member, 1, key, heading, help),

static const struct field caps_fields[] = {
	TEXT(device, "DEVICE", "name of the device"),
	ENUM(transport, transport_names, "transport", "TRANSPORT", "transport"),
	TEXT(firmware, "FIRMWARE", "firmware version"),
	GUID(node_guid, "NODE GUID", "node GUID"),
	GUID(system_image_guid, "SYSTEM IMAGE GUID", "system image GUID"),
	HEX(vendor_id, 4, "vendor_id", "VENDOR", "vendor's OUI"),
	COUNT(vendor_part_id, "PART", "vendor's part id"),
	HEX(hw_ver, 1, "hw_ver", "HW VERSION", "hardware version"),
	TEXT(board_id, "BOARD", "board id (PSID)"),
	COUNT(port_count, "PORTS", "number of ports"),

	COUNT(max_mr_size_bytes, "MAX MR SIZE", "largest memory region"),
	HEX(page_size_cap, 1, "page_size_cap", "PAGE SIZES", "page sizes: bit n is 2^n bytes"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_min_page_size, "min_page_size_bytes", "MIN PAGE SIZE",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "smallest page size"),
	CAPS_QP_LIMITS(LIMIT) HEX(device_cap_flags, 8, "device_cap_mask", "DEVICE CAP MASK",
				  "device capability flags"),
	FLAGS(device_cap_flags, device_cap_names, "device_cap_flags", "DEVICE CAP FLAGS",
	      "device capability flags in words"),
	HEX(device_cap_flags_ex, 16, "device_cap_mask_ex", "DEVICE CAP MASK EX",
	    "extended device capability flags"),
	COMPUTED_FIELD(FIELD_FLAGS, get_extended_flags, "device_cap_flags_ex",
		       "DEVICE CAP FLAGS EX", FIELD_DEFAULT, 0,
		       "extended flags in words, without those of device_cap_flags"),
	CAPS_QUEUE_LIMITS(LIMIT)
		ENUM(atomic, atomic_names, "atomic", "ATOMIC", "scope of atomic operations"),
	CAPS_PCI_ATOMICS(FLAG_WORDS) CAPS_OBJECT_LIMITS(LIMIT)
		COMPUTED_FIELD(FIELD_REAL, get_ack_delay, "local_ca_ack_delay_us", "ACK DELAY us",
			       FIELD_DEFAULT | FIELD_RIGHT, 0, "local CA ack delay, microseconds"),

	CAPS_OFFLOADS(OFFLOAD_COUNT, FLAG_WORDS, OFFLOAD_MASK, OFFLOAD_ALSO_MASK)
		COUNT(num_comp_vectors, "COMP VECTORS", "completion vectors"),
	RECORDS_FIELD(get_ports, &port_caps_schema, NULL, "ports", 0, "limits of the ports"),
};

const struct schema caps_schema = {
	.name = "caps",
	.version = 1,
	.summary = "limits and capabilities of an RDMA device",
	.fields = caps_fields,
	.field_count = ARRAY_SIZE(caps_fields),
	.record_size = sizeof(struct caps),
};
