/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/sm_port_info.h"

#include "base/mem.h"
#include "schema/bits.h"

enum {
	/* PortInfo:LinkSpeedExtEnabled: no extended speed, and all supported ones */
	SPEED_EXT_DISABLED = 30,
	SPEED_EXT_ALL = 31,
};

bool port_info_has_link(const unsigned char *info)
{
	return port_info_physical_state(info) == PHYSICAL_LINK_UP;
}

/*
 * The capability mask belongs to an end port: a switch has it at port 0 only, and its other ports
 * report 0. There, the fields themselves show what is in use, because before the bits were defined
 * the fields were reserved, so 0.
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
static enum lane_speed active_speed(const unsigned char *info)
{
	uint64_t code;

	if (!port_info_has_link(info))
		return SPEED_UNKNOWN;
	if (port_info_has_speeds_ext2(info) && (code = port_info_speed_ext2_active(info)))
		return speed_of_bit(SPEED_XDR, 1, code);
	if (port_info_has_speeds_ext(info) && (code = port_info_speed_ext_active(info)))
		return speed_of_bit(SPEED_FDR, 4, code);
	return speed_of_bit(SPEED_SDR, 3, port_info_speed_active(info));
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
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	SM_PORT_INFO_ROWS(0, info),
};

const struct schema sm_port_info_schema = MAD_SCHEMA("smp_portinfo", port_info_fields,
						     "the state and the settings of a port");

#define FEC_ROW(byte_, key_, heading_, help_) \
	MAD_FLAGS(MAD_AT(byte_, 0), 16, fec_mode_names, key_, heading_, 0, help_)

/* PortInfoExtended, 14.2.5.19: rdma-core libibmad and opensm */
static const struct field port_info_extended_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_ENUM(MAD_AT(4, 0), 16, fec_active_names, "fec_active", "FEC", FIELD_DEFAULT,
		 "forward error correction that is active"),
	MAD_HEX(MAD_AT(0, 0), 32, "cap_mask", "CAP MASK", 0, "capability mask"),
	MAD_FLAGS(MAD_AT(0, 0), 32, port_ext_cap_names, "capabilities", "CAPABILITIES",
		  FIELD_DEFAULT, "capability mask in words"),
	FEC_ROW(6, "fec_fdr_supported", "FDR SUPPORTED", "modes that the port can have at FDR"),
	FEC_ROW(8, "fec_fdr_enabled", "FDR ENABLED", "modes that are enabled for FDR"),
	FEC_ROW(10, "fec_edr_supported", "EDR SUPPORTED", "modes that the port can have at EDR"),
	FEC_ROW(12, "fec_edr_enabled", "EDR ENABLED", "modes that are enabled for EDR"),
	FEC_ROW(14, "fec_hdr_supported", "HDR SUPPORTED", "modes that the port can have at HDR"),
	FEC_ROW(16, "fec_hdr_enabled", "HDR ENABLED", "modes that are enabled for HDR"),
	FEC_ROW(18, "fec_ndr_supported", "NDR SUPPORTED", "modes that the port can have at NDR"),
	FEC_ROW(20, "fec_ndr_enabled", "NDR ENABLED", "modes that are enabled for NDR"),
};

const struct schema sm_port_info_extended_schema = MAD_SCHEMA(
	"smp_portinfoext", port_info_extended_fields, "the error correction of a port");

/* Mellanox's ExtendedPortInfo: rdma-core libibmad and opensm */
static const struct field mellanox_port_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_HEX(MAD_AT(3, 0), 8, "state_change_enable", "STATE CHANGE", FIELD_DEFAULT,
		"what may change the state of the link"),
	MAD_FLAGS(MAD_AT(7, 0), 8, mellanox_speed_names, "speed_supported", "SUPPORTED",
		  FIELD_DEFAULT, "speeds of the vendor's that the port can have"),
	MAD_FLAGS(MAD_AT(11, 0), 8, mellanox_speed_names, "speed_enabled", "ENABLED", FIELD_DEFAULT,
		  "speeds of the vendor's that are enabled"),
	MAD_FLAGS(MAD_AT(15, 0), 8, mellanox_speed_names, "speed_active", "ACTIVE", FIELD_DEFAULT,
		  "speed of the vendor's that is active"),
};

const struct schema sm_mellanox_port_info_schema = MAD_SCHEMA(
	"smp_mepi", mellanox_port_info_fields, "the speeds of a port that are Mellanox's own");
