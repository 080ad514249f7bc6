/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "mad/format/sm_fields.h"
#include "schema/bits.h"

void sm_get_hex(const unsigned char *bytes, size_t length, struct value *value)
{
	static const char digits[] = "0123456789abcdef";
	char *out = value->scratch;

	for (size_t i = 0; i < length && i < 64; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
	value_set_string(value, value->scratch);
}

/* Only generic notices have a number of the specification: 13.4.8.2. */
void sm_get_trap(const unsigned char *notice, struct value *value)
{
	if (bits_get(notice, MAD_AT(0, 0), 1))
		value_set_string(value,
				 enum_word(trap_names, bits_get(notice, MAD_AT(4, 0), 16), NULL));
}

static void get_trap(const void *record, struct value *value)
{
	sm_get_trap(mad_data(record), value);
}

static void get_notice_details(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record) + 10, 54, value);
}

static void get_cable_data(const void *record, struct value *value)
{
	sm_get_hex(mad_data(record), 64, value);
}

/* 14.2.5.2 */
static const struct field node_description_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_TEXT(MAD_AT(0, 0), 64 * 8, "node_description", "DESCRIPTION", FIELD_DEFAULT,
		 "what the node's owner calls it"),
};

const struct schema sm_node_description_schema = MAD_SCHEMA("smp_nodedesc", node_description_fields,
							    "the description of a node");

static const struct field node_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_NODE_INFO_ROWS(0),
};

const struct schema sm_node_info_schema = MAD_SCHEMA("smp_nodeinfo", node_info_fields,
						     "what a node is");

static const struct field switch_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_SWITCH_INFO_ROWS(0),
};

const struct schema sm_switch_info_schema = MAD_SCHEMA("smp_switchinfo", switch_info_fields,
						       "what a switch is, and its settings");

static const struct field info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_INFO_ROWS(0),
};

const struct schema sm_info_schema = MAD_SCHEMA("smp_sminfo", info_fields,
						"a subnet manager, as its port tells");

static const struct field notice_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	SM_NOTICE_ROWS(get_trap, get_notice_details),
};

const struct schema sm_notice_schema = MAD_SCHEMA("smp_notice", notice_fields,
						  "a notice of something that happened");

/* 14.2.5.16 */
static const struct field led_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	MAD_BOOL(MAD_AT(0, 0), 1, "led_on", "LED", FIELD_DEFAULT, "whether the port's lamp is on"),
};

const struct schema sm_led_info_schema = MAD_SCHEMA("smp_ledinfo", led_info_fields,
						    "the lamp of a port");

/* The bytes alone: what part of the cable's memory they are is up to the modifier. */
static const struct field cable_info_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(FIELD_DEFAULT),
	COMPUTED_FIELD(FIELD_STRING, get_cable_data, "data", "DATA", FIELD_DEFAULT, 0,
		       "the 64 bytes, in hexadecimal"),
};

const struct schema sm_cable_info_schema = MAD_SCHEMA("smp_cableinfo", cable_info_fields,
						      "a part of the memory of a cable");
