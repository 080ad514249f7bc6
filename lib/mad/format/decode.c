/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/decode.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "schema/rows.h"

enum {
	/* from SM_Key to ComponentMask, which RMPP includes in the payload length: 15.2.1.1 */
	SA_HEADER_BYTES = MAD_SA_DATA_AT - offsetof(struct umad_sa_packet, sm_key),
	RMPP_SEGMENT_AT = offsetof(struct umad_rmpp_packet, rmpp_hdr.seg_num),
};

#define RECORD struct mad_pair
static const struct field pair_fields[] = {
	NUMBER(entry, "ENTRY", SHOWN, 0, "index in the table or list; null if there is only one"),
	TEXT(key, "FIELD", SHOWN, 0, "name of the field, as in the columns of smp, perf and sa"),
	TEXT(value, "VALUE", SHOWN, 0, "its value as text"),
};
#undef RECORD

static const struct schema mad_pair_schema = SCHEMA("mad_fields", struct mad_pair, pair_fields,
						    "a field of a management datagram");

static void get_header(const void *record, struct value *value)
{
	const struct mad_decoded *decoded = record;

	value_set_records(value, decoded->header, decoded->header_count);
}

static void get_fields(const void *record, struct value *value)
{
	const struct mad_decoded *decoded = record;

	value_set_records(value, decoded->fields, decoded->field_count);
}

#define RECORD struct mad_decoded
static const struct field mads_fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0, "queried node, or file that has the datagram"),
	NUMBER(index, "INDEX", SHOWN, 0, "position in the file"),
	NUMBER(bytes, "BYTES", 0, 0, "length"),
	NUMBER(missing_bytes, "MISSING", 0, 0, "bytes missing of the 256 of a datagram"),
	WORD_AS("class", class_code, mad_class_names, "CLASS", SHOWN, 0, "management class"),
	HEX(class_code, 2, "CLASS CODE", 0, 0, "management class as a number"),
	NUMBER(class_version, "VERSION", 0, 0, "version of the management class"),
	TEXT(method, "METHOD", SHOWN, 0, "method of the request or reply"),
	HEX(method_code, 2, "METHOD CODE", 0, 0, "method as a number"),
	TEXT(status, "STATUS", SHOWN, 0, "status in words"),
	HEX(status_code, 4, "STATUS CODE", 0, 0, "status as a number"),
	HEX(transaction_id, 16, "TID", 0, 0, "transaction ID"),
	TEXT(attribute, "ATTRIBUTE", SHOWN, 0, "name of the attribute, if known"),
	HEX(attribute_id, 4, "ID", 0, 0, "attribute as a number"),
	HEX(attribute_modifier, 8, "MODIFIER", SHOWN, 0, "attribute modifier"),
	NUMBER(tries, "TRIES", 0, 0, "for a reply: number of requests sent"),
	REAL(round_trip_usec, "RTT us", 0, 0, "time to the answer"),
	RECORDS_FIELD(get_header, &mad_pair_schema, "key,value", "header", 0,
		      "additional header fields of the class"),
	RECORDS_FIELD(get_fields, &mad_pair_schema, "", "fields", 0,
		      "the fields of the attribute, if known"),
	TEXT(data, "DATA", 0, 0, "bytes after the header, in hexadecimal"),
};

const struct schema mads_schema = SCHEMA("mads", struct mad_decoded, mads_fields,
					 "a management datagram of any class");

/* The data that fields are read from, and how much of it was received. */
struct window {
	const struct mad_record *record;
	size_t bytes;  /* bytes of record->data that were received */
	bool complete; /* all the bytes that the fields describe were received */
	struct number entry;
};

static bool is_there(const struct field *field, const struct window *window)
{
	if (field->width)
		return (size_t)field->bit + field->width <= window->bytes * 8;
	return window->complete;
}

/*
 * Only the index is in the datagram; the other members identify the queried node.
 */
static bool is_content(const struct field *field, const struct window *window)
{
	return field->width || field->get ||
	       (window->record->index.known && field->offset == offsetof(struct mad_record, index));
}

static void add_pair(const struct field *field, const struct window *window,
		     struct mad_pair **pairs, size_t *count)
{
	struct mad_pair *pair = mem_append(pairs, count, sizeof(*pair));

	pair->entry = window->entry;
	pair->key = mem_string(field->key);
	if (is_there(field, window))
		pair->value = field_text(field, window->record);
}

static void add_fields(const struct schema *schema, const struct window *window,
		       struct mad_pair **pairs, size_t *count)
{
	for_each_in (field, schema->fields, schema->field_count)
		if (is_content(field, window))
			add_pair(field, window, pairs, count);
}

/*
 * Adds the fields of a record, or the header's fields that are no members of the row. `described`:
 * the bytes that the fields describe, without which a computed field is unknown.
 */
static void add_record(const struct schema *schema, const unsigned char *data, size_t bytes,
		       size_t described, struct number entry, struct mad_pair **pairs,
		       size_t *count)
{
	struct mad_record record = {.object = NULL};
	const struct window window = {
		.record = &record,
		.bytes = bytes < sizeof(record.data) ? bytes : sizeof(record.data),
		.complete = bytes >= described,
		.entry = entry,
	};

	if (window.bytes)
		memcpy(record.data, data, window.bytes);
	add_fields(schema, &window, pairs, count);
}

/* The index of the first entry of a block, from its modifier: see smp_plan.c. */
static uint32_t first_index(const struct mad_attribute *attribute, uint32_t modifier)
{
	const uint32_t part = modifier >> 16;

	switch (attribute->modifier) {
	case MODIFIER_MULTICAST:
		return MAD_MLID_FIRST + (modifier & 0x1ff) * attribute->entries; /* 14.2.5.12 */
	case MODIFIER_VLARB:
		/* Parts 1 and 2 have low priority, 3 and 4 high: 14.2.5.9. */
		return part ? (part - 1) * attribute->entries : 0;
	default:
		return (modifier & 0xffff) * attribute->entries;
	}
}

/* Adds the records of a block of a table, one for each entry. */
static void add_entries(struct mad_decoded *decoded, const struct mad_attribute *attribute,
			const unsigned char *data, size_t bytes)
{
	const uint32_t modifier = (uint32_t)decoded->attribute_modifier.value;
	const size_t size = attribute->entry_bytes;
	/*
	 * An entry of the multicast table covers 16 ports; the record holds those of all positions.
	 */
	const size_t at = attribute->modifier == MODIFIER_MULTICAST
				  ? (modifier >> MAD_MULTICAST_POSITION) * size
				  : 0;

	unsigned char whole[MAD_BYTES] = {0};
	size_t entry_bytes, count;

	memcpy(whole, data, bytes < sizeof(whole) ? bytes : sizeof(whole));
	count = mad_entry_count(attribute, whole);
	/* The entries of a congestion log of an unknown type are just bytes. */
	decoded->known = count;
	for (size_t i = 0; i < count; i++) {
		struct mad_record record = {
			.index = number_of(first_index(attribute, modifier) + i)};
		const size_t place = mad_entry_at(attribute, whole, i, &entry_bytes);
		const bool complete = place + entry_bytes <= bytes;
		const struct window window = {
			.record = &record,
			.bytes = complete ? sizeof(record.data) : 0,
			.complete = complete,
			.entry = number_of(i),
		};

		if (complete)
			mad_entry_take(attribute, whole, i, record.data + at);
		add_fields(attribute->schema, &window, &decoded->fields, &decoded->field_count);
	}
}

/* Adds the records of a table, which are concatenated: 15.4.2. */
static void add_table(struct mad_decoded *decoded, const struct mad_attribute *attribute,
		      const unsigned char *mad, size_t bytes)
{
	const size_t at = decoded->data_offset;
	const unsigned int both = MAD_RMPP_FLAG_FIRST | MAD_RMPP_FLAG_LAST;
	size_t left = bytes - at, step, payload;
	uint64_t count = 0;

	/* The header may also be truncated. */
	if (!left)
		return;
	step = mad_record_offset(mad) * 8u;
	payload = mad_rmpp_payload(mad);
	/* In a single segment, the payload length says where the records end. */
	if (bytes <= MAD_BYTES && (mad_rmpp_flags(mad) & both) == both &&
	    payload >= SA_HEADER_BYTES && payload - SA_HEADER_BYTES < left)
		left = payload - SA_HEADER_BYTES;
	for (size_t place = at; step && left >= step; place += step, left -= step)
		add_record(attribute->schema, mad + place, step, attribute->bytes,
			   number_of(count++), &decoded->fields, &decoded->field_count);
}

/* True if an attribute begins at the start of the data. */
static bool has_attribute(const struct mad_decoded *decoded, const unsigned char *mad, size_t bytes)
{
	if (!mad_class_has_rmpp((unsigned int)decoded->class_code.value) ||
	    bytes < RMPP_SEGMENT_AT || !(mad_rmpp_flags(mad) & UMAD_RMPP_FLAG_ACTIVE))
		return true;
	/* A simulator without RMPP leaves the type 0; no packet on a wire does. */
	return !mad_rmpp_type(mad) || (mad_rmpp_type(mad) == MAD_RMPP_DATA &&
				       bytes >= RMPP_SEGMENT_AT + 4 && mad_rmpp_segment(mad) <= 1);
}

static void add_attribute(struct mad_decoded *decoded, const unsigned char *mad, size_t bytes)
{
	const unsigned int mgmt_class = (unsigned int)decoded->class_code.value;
	const unsigned int method = (unsigned int)decoded->method_code.value;
	const struct mad_attribute *attribute = mad_attribute_find(
		mgmt_class, (unsigned int)decoded->attribute_id.value);
	const bool answers = method & UMAD_METHOD_RESP_MASK;
	const size_t at = decoded->data_offset;

	if (!attribute || !has_attribute(decoded, mad, bytes))
		return;
	if (mgmt_class == UMAD_CLASS_SUBN_ADM)
		attribute = answers ? sa_attribute_of_answer(attribute)
				    : sa_attribute_of_query(attribute);
	decoded->known = true;
	if (attribute->entries)
		add_entries(decoded, attribute, mad + at, bytes - at);
	else if (mgmt_class == UMAD_CLASS_SUBN_ADM && (method == UMAD_SA_METHOD_GET_TABLE_RESP ||
						       method == UMAD_SA_METHOD_GET_MULTI_RESP))
		add_table(decoded, attribute, mad, bytes);
	else
		add_record(attribute->schema, mad + at, bytes - at, attribute->bytes,
			   (struct number){0}, &decoded->fields, &decoded->field_count);
}

int mad_decode(const unsigned char *mad, size_t bytes, struct mad_decoded *ret_decoded)
{
	struct mad_decoded decoded = {.bytes = number_of(bytes)};
	unsigned int mgmt_class, method, id;

	if (bytes < MAD_HEADER_BYTES)
		return -EMSGSIZE;
	mgmt_class = mad_class(mad);
	method = mad_method(mad);
	id = mad_attribute(mad);
	decoded.missing_bytes = number_of(bytes < MAD_BYTES ? MAD_BYTES - bytes : 0);
	decoded.class_code = number_of(mgmt_class);
	decoded.class_version = number_of(mad_class_version(mad));
	decoded.method_code = number_of(method);
	decoded.method = mem_string_or_null(mad_method_word(mgmt_class, method));
	decoded.status_code = number_of(mad_status(mad));
	decoded.status = mad_status_word(mgmt_class, mad_status(mad));
	decoded.transaction_id = number_of(mad_transaction_id(mad));
	decoded.attribute_id = number_of(id);
	decoded.attribute = mem_string_or_null(mad_attribute_name(mgmt_class, id));
	decoded.attribute_modifier = number_of(mad_modifier(mad));
	decoded.data_offset = mad_attribute_offset(mgmt_class, id);
	if (decoded.data_offset > bytes)
		decoded.data_offset = bytes;
	decoded.data = mem_alloc_zero(bytes - decoded.data_offset + 1, 2);
	text_write_hex(decoded.data, mad + decoded.data_offset, bytes - decoded.data_offset);
	add_record(mad_header_schema(mgmt_class), mad, bytes, MAD_BYTES, (struct number){0},
		   &decoded.header, &decoded.header_count);
	add_attribute(&decoded, mad, bytes);
	*ret_decoded = decoded;
	return 0;
}

void mad_decoded_clear(struct mad_decoded *decoded)
{
	records_clear(&mad_pair_schema, &(struct records){decoded->header, decoded->header_count});
	records_clear(&mad_pair_schema, &(struct records){decoded->fields, decoded->field_count});
	record_clear(&mads_schema, decoded);
	*decoded = (struct mad_decoded){.object = NULL};
}
