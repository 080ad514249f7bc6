/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The attributes of subnet management: IBA 1, 14.2.5. */
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/format/rows.h"
#include "schema/bits.h"

bool port_info_has_link(const unsigned char *info)
{
	return port_info_physical_state(info) == PHYSICAL_LINK_UP;
}

/*
 * The capability mask belongs to an end port: a switch has it at port 0 only, and its other ports
 * report 0. There, the fields themselves show what is in use: before the bits were defined, the
 * fields were reserved and therefore 0.
 */
static bool has(const unsigned char *info, uint64_t capability)
{
	uint64_t mask = port_info_cap_mask(info);

	return !mask || mask & capability;
}

bool port_info_has_speeds_ext(const unsigned char *info)
{
	return has(info, PORT_CAP_SPEEDS_EXT);
}

bool port_info_has_cap_mask2(const unsigned char *info)
{
	return has(info, PORT_CAP_CAP_MASK2);
}

bool port_info_has_speeds_ext2(const unsigned char *info)
{
	return !port_info_cap_mask(info) ||
	       (port_info_has_cap_mask2(info) && port_info_cap_mask2(info) & PORT_CAP2_SPEEDS_EXT2);
}

/* The speed of the field whose bit 0 is `first`, or none for an undefined code. */
static enum lane_speed speed_of_bit(enum lane_speed first, unsigned int count, uint64_t code)
{
	for (unsigned int i = 0; i < count; i++)
		if (code == 1u << i)
			return (enum lane_speed)(first + i);
	return SPEED_UNKNOWN;
}

/* The newest nonzero field has the speed: 14.2.5.6, LinkSpeedExtActive. */
enum lane_speed port_info_speed(const unsigned char *info)
{
	uint64_t code;

	if (port_info_has_speeds_ext2(info) && (code = port_info_speed_ext2_active(info)))
		return speed_of_bit(SPEED_XDR, 1, code);
	if (port_info_has_speeds_ext(info) && (code = port_info_speed_ext_active(info)))
		return speed_of_bit(SPEED_FDR, 4, code);
	return speed_of_bit(SPEED_SDR, 3, port_info_speed_active(info));
}

static enum lane_speed active_speed(const unsigned char *info)
{
	return port_info_has_link(info) ? port_info_speed(info) : SPEED_UNKNOWN;
}

void port_info_get_speed(const unsigned char *info, struct value *value)
{
	value_set_string(value, enum_word(lane_speed_names, active_speed(info), NULL));
}

void port_info_get_speed_gbps(const unsigned char *info, struct value *value)
{
	enum lane_speed speed = active_speed(info);

	if (speed != SPEED_UNKNOWN)
		value_set_real(value, lane_rates[speed].signal_gbps);
}

void port_info_get_rate(const unsigned char *info, struct value *value)
{
	enum lane_speed speed = active_speed(info);
	unsigned int lanes = width_lanes(port_info_width_active(info));

	if (speed != SPEED_UNKNOWN && lanes)
		value_set_real(value, lane_rates[speed].data_gbps * lanes);
}

void port_info_get_speed_ext_enabled(const unsigned char *info, struct value *value)
{
	static const struct field flags = {
		.kind = FIELD_FLAGS,
		.names = link_speed_ext_bit_names,
	};
	struct number mask = number_of(port_info_speed_ext_enabled(info));

	if (!port_info_has_speeds_ext(info))
		return;
	if (mask.value == SPEED_EXT_DISABLED)
		mask.value = 0;
	else if (mask.value == SPEED_EXT_ALL)
		mask.value = port_info_speed_ext_supported(info);
	field_get_number(&flags, &mask, value);
}

SM_PORT_INFO_GETTERS(info, 0)

static const struct field port_info_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	SM_PORT_INFO_ROWS(0, info),
};

#define FEC_ROW(byte_, key_, heading_, help_) \
	FLAGS(byte_, 0, 16, fec_mode_names, key_, heading_, 0, help_)

/* PortInfoExtended, 14.2.5.19: rdma-core libibmad and opensm */
static const struct field port_info_extended_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	WORD(4, 0, 16, fec_active_names, "fec_active", "FEC", SHOW,
	     "forward error correction that is active"),
	HEX(0, 0, 32, "cap_mask", "CAP MASK", 0, "capability mask"),
	FLAGS(0, 0, 32, port_ext_cap_names, "capabilities", "CAPABILITIES", SHOW,
	      "capability mask in words"),
	FEC_ROW(6, "fec_fdr_supported", "FDR SUPPORTED", "modes that the port supports at FDR"),
	FEC_ROW(8, "fec_fdr_enabled", "FDR ENABLED", "modes that are enabled for FDR"),
	FEC_ROW(10, "fec_edr_supported", "EDR SUPPORTED", "modes that the port supports at EDR"),
	FEC_ROW(12, "fec_edr_enabled", "EDR ENABLED", "modes that are enabled for EDR"),
	FEC_ROW(14, "fec_hdr_supported", "HDR SUPPORTED", "modes that the port supports at HDR"),
	FEC_ROW(16, "fec_hdr_enabled", "HDR ENABLED", "modes that are enabled for HDR"),
	FEC_ROW(18, "fec_ndr_supported", "NDR SUPPORTED", "modes that the port supports at NDR"),
	FEC_ROW(20, "fec_ndr_enabled", "NDR ENABLED", "modes that are enabled for NDR"),
};

/* No source names the bits, and the codes of the active mode differ from the specification's. */
#define MELLANOX_FEC_ROWS(byte_, key_, name_)                                                 \
	HEX(byte_, 0, 16, "fec_" key_ "_enabled_mask", name_ " ENABLED", 0,                   \
	    "mask of the error correction that is enabled for " name_),                       \
		HEX((byte_) + 2, 0, 16, "fec_" key_ "_supported_mask", name_ " SUPPORTED", 0, \
		    "mask of the error correction that the port supports at " name_)

/*
 * Mellanox's ExtendedPortInfo. The speeds are in rdma-core's libibmad and in opensm, the rest in
 * SMP_MlnxExtPortInfo of ibutils2's ibis, packets_layouts.h.
 */
static const struct field mellanox_port_info_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	HEX(3, 0, 8, "state_change_enable", "STATE CHANGE", SHOW,
	    "what may change the state of the link"),
	FLAGS(7, 0, 8, mellanox_speed_names, "speed_supported", "SUPPORTED", SHOW,
	      "vendor-specific speeds that the port supports"),
	FLAGS(11, 0, 8, mellanox_speed_names, "speed_enabled", "ENABLED", SHOW,
	      "vendor-specific speeds that are enabled"),
	FLAGS(15, 0, 8, mellanox_speed_names, "speed_active", "ACTIVE", SHOW,
	      "vendor-specific speed that is active"),
	WORD(17, 0, 4, mellanox_fec_names, "fec_active", "FEC", 0,
	     "active error correction; also none if the firmware does not report it"),
	MELLANOX_FEC_ROWS(20, "fdr10", "FDR10"),
	MELLANOX_FEC_ROWS(24, "fdr", "FDR"),
	MELLANOX_FEC_ROWS(28, "edr20", "EDR20"),
	MELLANOX_FEC_ROWS(32, "edr", "EDR"),
	MELLANOX_FEC_ROWS(48, "hdr", "HDR"),
	MELLANOX_FEC_ROWS(56, "ndr", "NDR"),
	MELLANOX_FEC_ROWS(60, "xdr", "XDR"),
};

void mad_get_hex(const unsigned char *bytes, size_t length, struct value *value)
{
	text_write_hex(value->scratch, bytes, length);
	value_set_string(value, value->scratch);
}

/* Only generic notices have trap numbers from the specification: 13.4.8.2. */
void sm_get_trap(const void *record, struct value *value)
{
	const unsigned char *notice = mad_data(record);

	if (bits_get(notice, MAD_AT(0, 0), 1))
		value_set_string(value,
				 enum_word(trap_names, bits_get(notice, MAD_AT(4, 0), 16), NULL));
}

void sm_get_notice_details(const void *record, struct value *value)
{
	mad_get_hex(mad_data(record) + 10, 54, value);
}

static void get_cable_data(const void *record, struct value *value)
{
	mad_get_hex(mad_data(record), 64, value);
}

/* 14.2.5.2 */
static const struct field node_description_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	TEXT(0, 64, "node_description", "DESCRIPTION", SHOW, "description set by the node's owner"),
};

static const struct field node_info_fields[] = {MAD_OBJECT_FIELDS(SHOW), SM_NODE_INFO_ROWS(0)};

static const struct field switch_info_fields[] = {MAD_OBJECT_FIELDS(SHOW), SM_SWITCH_INFO_ROWS(0)};

static const struct field info_fields[] = {MAD_OBJECT_FIELDS(SHOW), SM_INFO_ROWS(0)};

static const struct field notice_fields[] = {MAD_OBJECT_FIELDS(SHOW), SM_NOTICE_ROWS};

/* 14.2.5.16 */
static const struct field led_info_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	BOOL(0, 0, "led_on", "LED", SHOW, "whether the port's LED is on"),
};

/* Only the bytes are shown: the modifier determines which part of the cable's memory they are. */
static const struct field cable_info_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	COMPUTED_FIELD(FIELD_STRING, get_cable_data, "data", "DATA", SHOW, 0,
		       "the 64 bytes, in hexadecimal"),
};

enum {
	VL_ARBITRATION_HIGH = 64, /* low priority entries come first: 14.2.5.9 */
	MULTICAST_POSITIONS = 16,
};

static void get_membership(const void *record, struct value *value)
{
	uint64_t pkey = bits_get(mad_data(record), 0, 16);

	if (pkey & ~(uint64_t)PKEY_FULL_MEMBER)
		value_set_string(value, pkey & PKEY_FULL_MEMBER ? "full" : "limited");
}

static void get_priority(const void *record, struct value *value)
{
	const struct number *index = &((const struct mad_record *)record)->index;

	if (index->known)
		value_set_string(value, index->value < VL_ARBITRATION_HIGH ? "low" : "high");
}

static void get_entry(const void *record, struct value *value)
{
	const struct number *index = &((const struct mad_record *)record)->index;

	if (!index->known)
		return;
	value_set_unsigned(value, index->value % VL_ARBITRATION_HIGH);
}

/* Positions are adjacent, 16 ports each; within one the lowest bit is the first port. */
static bool has_port(const unsigned char *masks, unsigned int port)
{
	unsigned int position = port / MAD_MULTICAST_PORTS;

	return bits_get(masks, position * MAD_MULTICAST_PORTS, MAD_MULTICAST_PORTS) >>
		       port % MAD_MULTICAST_PORTS &
	       1;
}

static void get_multicast_mask(const void *record, struct value *value)
{
	const unsigned char *masks = mad_data(record);
	unsigned int position = MULTICAST_POSITIONS - 1;
	char *out = value->scratch, *end = out + sizeof(value->scratch);

	while (position && !bits_get(masks, position * MAD_MULTICAST_PORTS, MAD_MULTICAST_PORTS))
		position--;
	out += snprintf(out, (size_t)(end - out), "0x");
	do
		out += snprintf(out, (size_t)(end - out), "%04x",
				(unsigned int)bits_get(masks, position * MAD_MULTICAST_PORTS,
						       MAD_MULTICAST_PORTS));
	while (position--);
	value_set_string(value, value->scratch);
}

/* A run of ports is one word: a value has room for 64 of them, each of up to 7 characters. */
static void get_multicast_ports(const void *record, struct value *value)
{
	const unsigned char *masks = mad_data(record);
	char *out = value->scratch, *end = out + sizeof(value->scratch);
	size_t count = 0;

	for (unsigned int port = 0; port < MAD_MULTICAST_PORTS * MULTICAST_POSITIONS; port++) {
		unsigned int first = port;

		if (!has_port(masks, port))
			continue;
		while (port + 1 < MAD_MULTICAST_PORTS * MULTICAST_POSITIONS &&
		       has_port(masks, port + 1))
			port++;
		value->words[count++] = out;
		if (end - out < 12 || count == ARRAY_SIZE(value->words)) {
			value->words[count - 1] = "more";
			break;
		}
		out += first == port ? snprintf(out, (size_t)(end - out), "%u", port)
				     : snprintf(out, (size_t)(end - out), "%u-%u", first, port);
		out++;
	}
	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = count;
}

/* GUIDInfo, 14.2.5.5 */
static const struct field guid_info_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(0),
	MAD_INDEX_FIELD("index", "INDEX", SHOW, "index in the port's GUID table"),
	GUID(0, "guid", "GUID", SHOW, "GUID, 0 for a free slot"),
};

/* P_KeyTable, 14.2.5.7 */
static const struct field pkey_table_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	MAD_INDEX_FIELD("index", "INDEX", SHOW, "index in the port's P_Key table"),
	HEX(0, 0, 16, "pkey", "P_KEY", SHOW, "partition key, with the membership bit"),
	COMPUTED_FIELD(FIELD_STRING, get_membership, "membership", "MEMBERSHIP", SHOW, 0,
		       "full or limited"),
};

#define SL2VL(sl_) SM_SL2VL_ROW(0, sl_)

static const struct field sl2vl_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_INDEX_FIELD("input_port", "IN", SHOW, "port that packets come in through"),
	UNSIGNED_FIELD(struct mad_record, port, "output_port", "OUT", SHOW | FIELD_RIGHT, 0,
		       "port that packets go out through"),
	SIXTEEN(SL2VL),
};

static const struct field vl_arbitration_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_PORT_FIELD(SHOW),
	MAD_INDEX_FIELD("index", "INDEX", 0, "index in both tables: 64 of low priority, then high"),
	COMPUTED_FIELD(FIELD_STRING, get_priority, "priority", "PRIORITY", SHOW, 0,
		       "priority of the table, low or high"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_entry, "entry", "ENTRY", SHOW | FIELD_RIGHT, 0,
		       "index in the table of the priority"),
	NUM(0, 4, 4, "vl", "VL", SHOW, "VL that may send"),
	NUM(1, 0, 8, "weight", "WEIGHT", SHOW, "how much it may send, in units of 64 bytes"),
};

/* 14.2.5.10 */
static const struct field linear_forwarding_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	MAD_INDEX_FIELD("lid", "LID", SHOW, "LID that packets go to"),
	NUM(0, 0, 8, "port", "PORT", SHOW, "port that they go out through, 255 for none"),
	STRING_FIELD(struct mad_record, destination, "destination", "DESTINATION", SHOW,
		     MAD_NEED_DESTINATION,
		     "name of the node with the LID, from the subnet administrator"),
};

/* 14.2.5.12 */
static const struct field multicast_forwarding_fields[] = {
	MAD_OBJECT_FIELDS(SHOW),
	HEX_FIELD(struct mad_record, index, 4, "mlid", "MLID", SHOW, 0,
		  "multicast LID that packets go to"),
	COMPUTED_FIELD(FIELD_STRING, get_multicast_mask, "port_mask", "PORT MASK", 0, 0,
		       "ports that they go out through, as bits from port 0 on"),
	COMPUTED_FIELD(FIELD_LIST, get_multicast_ports, "ports", "PORTS", SHOW, 0,
		       "ports that they go out through, with runs of ports as 3-7"),
};

#define RECORD(id_, word_, alias_, name_, bytes_, modifier_, fields_, summary_, ...)           \
	ATTRIBUTE(UMAD_CLASS_SUBN_LID_ROUTED, id_, word_, alias_, name_, bytes_, "smp_" word_, \
		  fields_, summary_, .modifier = modifier_, ##__VA_ARGS__)
#define TABLE(id_, word_, alias_, name_, entries_, entry_bytes_, modifier_, fields_, summary_, \
	      ...)                                                                             \
	RECORD(id_, word_, alias_, name_, (entries_) * (entry_bytes_), modifier_, fields_,     \
	       summary_, .entries = entries_, .entry_bytes = entry_bytes_, ##__VA_ARGS__)

/*
 * Table 122 (14.2.5), and the vendor's attribute at the end; the aliases are those of smpquery(8)
 */
const struct mad_attribute sm_attributes[] = {
	RECORD(UMAD_SM_ATTR_NODE_DESC, "nodedesc", "nd", "NodeDescription", 64, MODIFIER_NONE,
	       node_description_fields, "the description of a node"),
	RECORD(UMAD_SM_ATTR_NODE_INFO, "nodeinfo", "ni", "NodeInfo", NODE_INFO_BYTES, MODIFIER_NONE,
	       node_info_fields, "the type, GUIDs and ports of a node"),
	RECORD(UMAD_SM_ATTR_SWITCH_INFO, "switchinfo", "si", "SwitchInfo", SWITCH_INFO_BYTES,
	       MODIFIER_NONE, switch_info_fields, "the capabilities and settings of a switch"),
	RECORD(UMAD_SM_ATTR_PORT_INFO, "portinfo", "pi", "PortInfo", PORT_INFO_BYTES, MODIFIER_PORT,
	       port_info_fields, "the state and the settings of a port"),
	RECORD(UMAD_SM_ATTR_PORT_INFO_EXT, "portinfoext", "pie", "PortInfoExtended", 22,
	       MODIFIER_PORT, port_info_extended_fields, "the error correction of a port"),
	RECORD(UMAD_SM_ATTR_MLNX_EXT_PORT_INFO, "mepi", NULL, "ExtendedPortInfo", 64, MODIFIER_PORT,
	       mellanox_port_info_fields,
	       "the speeds and the error correction of a port that are Mellanox's own"),
	TABLE(UMAD_SM_ATTR_GUID_INFO, "guidinfo", "gi", "GUIDInfo", 8, 8, MODIFIER_BLOCK,
	      guid_info_fields, "an entry of a port's GUID table"),
	TABLE(UMAD_SM_ATTR_PKEY_TABLE, "pkeys", NULL, "P_KeyTable", 32, 2, MODIFIER_PKEYS,
	      pkey_table_fields, "an entry of a port's P_Key table"),
	RECORD(UMAD_SM_ATTR_SLVL_TABLE, "sl2vl", NULL, "SLtoVLMappingTable", SM_SL2VL_BYTES,
	       MODIFIER_SL2VL, sl2vl_fields, "the VLs of the service levels at a port"),
	TABLE(UMAD_SM_ATTR_VL_ARB_TABLE, "vlarb", NULL, "VLArbitrationTable", 32, 2, MODIFIER_VLARB,
	      vl_arbitration_fields, "an entry of a port's VL arbitration tables"),
	/* 14.2.5.10: 0xff is not a port. */
	TABLE(UMAD_SM_ATTR_LINEAR_FT, "lft", NULL, "LinearForwardingTable", 64, 1, MODIFIER_BLOCK,
	      linear_forwarding_fields, "an entry of a linear forwarding table",
	      .empty_byte = 0xff),
	TABLE(UMAD_SM_ATTR_MCAST_FT, "mft", NULL, "MulticastForwardingTable", 32, 2,
	      MODIFIER_MULTICAST, multicast_forwarding_fields,
	      "an entry of a multicast forwarding table"),
	RECORD(UMAD_SM_ATTR_SM_INFO, "sminfo", NULL, "SMInfo", SM_INFO_BYTES, MODIFIER_NONE,
	       info_fields, "a subnet manager, as its port reports it"),
	RECORD(UMAD_ATTR_NOTICE, "notice", NULL, "Notice", 64, MODIFIER_NONE, notice_fields,
	       "a notice of something that happened"),
	RECORD(UMAD_SM_ATTR_LED_INFO, "ledinfo", NULL, "LedInfo", 1, MODIFIER_PORT, led_info_fields,
	       "the LED of a port"),
	RECORD(UMAD_SM_ATTR_CABLE_INFO, "cableinfo", NULL, "CableInfo", 64, MODIFIER_PORT,
	       cable_info_fields, "a part of the memory of a cable"),
	{.schema = NULL},
};
