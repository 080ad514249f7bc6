/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of details: what is in use of a block of a table. */
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "base/mem.h"
#include "fabric/graph/details.h"
#include "fabric/graph/place_columns.h"
#include "schema/bits.h"

enum {
	GUID_TABLE = 0x14,
	PKEY_TABLE = 0x16,
	SL2VL_TABLE = 0x17,
};

#define ARBITRATION_HIGH 3u /* part of the table, in the high half of the modifier: 14.2.5.9 */

enum table_word { GUIDS, PKEYS, SL2VL, VLARB_LOW, VLARB_HIGH };

static const struct enum_name table_names[] = {
	{GUIDS, "guids", .help = "GUIDs of the port"},
	{PKEYS, "pkeys", .help = "partition keys"},
	{SL2VL, "sl2vl", .help = "virtual lane of each service level, from SL 0 to 15"},
	{VLARB_LOW, "vlarb-low", .help = "virtual lanes of low priority with their weights"},
	{VLARB_HIGH, "vlarb-high", .help = "virtual lanes of high priority with their weights"},
	{0, NULL},
};

/* NULL: the row is empty. */
static const struct fabric_detail *detail_of(const void *record)
{
	const struct fabric_row *row = record;

	return fabric_of(row) ? &fabric_of(row)->details[row->place] : NULL;
}

static enum table_word word_of(const struct fabric_detail *detail)
{
	switch (detail->attribute) {
	case GUID_TABLE:
		return GUIDS;
	case PKEY_TABLE:
		return PKEYS;
	case SL2VL_TABLE:
		return SL2VL;
	default:
		return detail->modifier >> 16 < ARBITRATION_HIGH ? VLARB_LOW : VLARB_HIGH;
	}
}

/* What a getter of a port's row tells of the port of the detail. */
#define OF_PORT(name_, get_)                                                          \
	static void name_(const void *record, struct value *value)                    \
	{                                                                             \
		const struct fabric_row *row = record;                                \
		const struct fabric_row port = {                                      \
			.view = row->view,                                            \
			.place = detail_of(row) ? detail_of(row)->port : FABRIC_NONE, \
		};                                                                    \
		get_(&port, value);                                                   \
	}
OF_PORT(get_node, place_get_node)
OF_PORT(get_guid, place_get_guid)
OF_PORT(get_index, place_get_index)
OF_PORT(get_port, place_get_port)

static void get_table(const void *record, struct value *value)
{
	if (detail_of(record))
		value_set_word(value, table_names, word_of(detail_of(record)));
}

/* Of a switch, SL to VL is of packets from a port. */
static void get_in_port(const void *record, struct value *value)
{
	const struct fabric_detail *detail = detail_of(record);

	if (detail && detail->attribute == SL2VL_TABLE &&
	    fabric_node_of(fabric_of(record), detail->port)->type == NODE_TYPE_SWITCH)
		value_set_unsigned(value, detail->modifier >> 8 & 0xff);
}

/* Number of the block's first entry in its table. */
static void get_first(const void *record, struct value *value)
{
	const struct fabric_detail *detail = detail_of(record);

	if (!detail)
		return;
	switch (word_of(detail)) {
	case GUIDS:
		value_set_unsigned(value, (uint64_t)detail->modifier * 8);
		break;
	case PKEYS:
		value_set_unsigned(value, (uint64_t)(detail->modifier & 0xffff) * 32);
		break;
	case SL2VL:
		value_set_unsigned(value, 0);
		break;
	default:
		value_set_unsigned(value, ((detail->modifier >> 16) - 1) % 2 * 32);
	}
}

/* What the entry says, or nothing if it is not in use. At most 20 bytes, with the NUL. */
static void write_entry(const struct fabric_detail *detail, unsigned int index, char *text)
{
	char guid[GUID_TEXT_SIZE];

	*text = '\0';
	switch (word_of(detail)) {
	case GUIDS:
		guid_format(bits_get(detail->data, (size_t)index * 64, 64), guid);
		if (bits_get(detail->data, (size_t)index * 64, 64))
			memcpy(text, guid, sizeof(guid));
		break;
	case PKEYS:
		if (bits_get(detail->data, (size_t)index * 16, 16))
			snprintf(text, GUID_TEXT_SIZE, "0x%04x",
				 (unsigned int)bits_get(detail->data, (size_t)index * 16, 16));
		break;
	case SL2VL:
		snprintf(text, GUID_TEXT_SIZE, "%u",
			 (unsigned int)bits_get(detail->data, (size_t)index * 4, 4));
		break;
	default: /* a VL of weight 0 is passed over */
		if (detail->data[2 * index + 1])
			snprintf(text, GUID_TEXT_SIZE, "%u:%u", detail->data[2 * index] & 0xfu,
				 detail->data[2 * index + 1]);
	}
}

static void get_values(const void *record, struct value *value)
{
	static const unsigned int entries[] = {
		[GUIDS] = 8, [PKEYS] = 32, [SL2VL] = 16, [VLARB_LOW] = 32, [VLARB_HIGH] = 32};
	const struct fabric_detail *detail = detail_of(record);
	char *text = value->scratch;
	size_t count = 0;

	if (!detail)
		return;
	for (unsigned int i = 0; i < entries[word_of(detail)]; i++) {
		if (text + GUID_TEXT_SIZE > value->scratch + sizeof(value->scratch))
			break;
		write_entry(detail, i, text);
		if (!*text)
			continue;
		value->words[count++] = text;
		text += strlen(text) + 1;
	}
	value->kind = VALUE_LIST;
	value->list.items = value->words;
	value->list.count = count;
}

static void get_attribute(const void *record, struct value *value)
{
	if (!detail_of(record))
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%04x", detail_of(record)->attribute);
	value_set_string(value, value->scratch);
}

static void get_modifier(const void *record, struct value *value)
{
	if (!detail_of(record))
		return;
	snprintf(value->scratch, sizeof(value->scratch), "0x%08x", detail_of(record)->modifier);
	value_set_string(value, value->scratch);
}

static void get_data(const void *record, struct value *value)
{
	if (detail_of(record))
		view_set_bytes(value, detail_of(record)->data, sizeof(detail_of(record)->data));
}

static const struct field fields[] = {
	VIEW_COLUMN(FIELD_STRING, get_node, "node", "NODE", FIELD_DEFAULT,
		    "what the node is called"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT,
		    "number of the port"),
	VIEW_COLUMN(FIELD_ENUM, get_table, "table", "TABLE", FIELD_DEFAULT,
		    "what it is: pkeys, guids, sl2vl, vlarb-low, vlarb-high"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_in_port, "in_port", "IN PORT", FIELD_DEFAULT | FIELD_RIGHT,
		    "sl2vl of a switch: port that the packets come in by"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_first, "first", "FIRST", FIELD_RIGHT,
		    "number of the first entry of the block in its table"),
	VIEW_COLUMN(FIELD_LIST, get_values, "entries", "ENTRIES", FIELD_DEFAULT,
		    "entries in use; of vlarb virtual lanes with their weights"),
	VIEW_COLUMN(FIELD_GUID, get_guid, "node_guid", "NODE GUID", 0, "GUID of the node"),
	VIEW_COLUMN(FIELD_UNSIGNED, get_index, "node_index", "NODE INDEX", FIELD_RIGHT,
		    "the node's place in the scan"),
	VIEW_COLUMN(FIELD_HEX, get_attribute, "attribute_id", "ATTRIBUTE ID", 0,
		    "number of the attribute"),
	VIEW_COLUMN(FIELD_HEX, get_modifier, "modifier", "MODIFIER", 0, "attribute modifier"),
	VIEW_COLUMN(FIELD_STRING, get_data, "data", "DATA", 0,
		    "the block as it came, in hexadecimal"),
};

const struct schema fabric_details_schema = {
	.name = "fabric_details",
	.version = 1,
	.summary = "a block of a table of a port: --details",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct fabric_row),
};
