/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagrams in words: fields that are present are shown, missing ones are unknown, and tables are
 * shown by entry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mad/format/decode.h"
#include "schema/bits.h"

static void make(unsigned char *mad, unsigned int mgmt_class, unsigned int method, unsigned int id,
		 uint32_t modifier)
{
	memset(mad, 0, MAD_BYTES);
	mad[0] = 1;
	mad[1] = (unsigned char)mgmt_class;
	mad[2] = 1;
	mad[3] = (unsigned char)method;
	bits_set(mad, 16 * 8, 16, id);
	bits_set(mad, 20 * 8, 32, modifier);
}

/* The value of a field; for a table, of one entry. */
static const char *value_of(const struct mad_pair *pairs, size_t count, const char *key,
			    uint64_t entry)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(pairs[i].key, key) &&
		    (!pairs[i].entry.known || pairs[i].entry.value == entry))
			return pairs[i].value;
	fail_msg("there is no %s", key);
	return NULL;
}

static const char *field_of(const struct mad_decoded *decoded, const char *key, uint64_t entry)
{
	return value_of(decoded->fields, decoded->field_count, key, entry);
}

/*
 * Every attribute of every class, with varying bytes, cut at any length: a known field has the same
 * value as in the complete datagram, and a longer one never has fewer known fields.
 */
static void cut(const unsigned char *mad, const struct mad_attribute *attribute)
{
	struct mad_decoded whole;
	size_t last = 0;

	assert_int_equal(mad_decode(mad, MAD_BYTES, &whole), 0);
	assert_true(whole.known);
	assert_string_equal(whole.attribute, attribute->name);
	for (size_t bytes = MAD_HEADER_BYTES; bytes < MAD_BYTES; bytes += 3) {
		struct mad_decoded part;
		size_t known = 0;

		assert_int_equal(mad_decode(mad, bytes, &part), 0);
		assert_int_equal(part.missing_bytes.value, MAD_BYTES - bytes);
		assert_int_equal(part.field_count, whole.field_count);
		for (size_t i = 0; i < part.field_count; i++) {
			if (!part.fields[i].value)
				continue;
			known++;
			/* Some fields are shown only if later ones say so. */
			if (whole.fields[i].value)
				assert_string_equal(part.fields[i].value, whole.fields[i].value);
		}
		assert_true(known + 2 >= last);
		last = known;
		mad_decoded_clear(&part);
	}
	mad_decoded_clear(&whole);
}

static void every_attribute(void **state)
{
	static const struct mad_attribute *const tables[] = {
		sm_attributes, pm_attributes, cm_attributes, class_attributes, sa_attributes,
	};
	static const unsigned int classes[] = {UMAD_CLASS_SUBN_DIRECTED_ROUTE, UMAD_CLASS_PERF_MGMT,
					       UMAD_CLASS_CM, UMAD_CLASS_BM, UMAD_CLASS_SUBN_ADM};
	uint64_t random = 7;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct mad_attribute *one = tables[i]; one->schema; one++, count++) {
			unsigned char mad[MAD_BYTES];

			make(mad, classes[i], 0x81, one->id, 0);
			for (size_t at = mad_data_offset(classes[i]); at < MAD_BYTES; at++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				mad[at] = (unsigned char)(random >> 40);
			}
			cut(mad, one);
		}
	assert_true(count > 60);
}

static void less_than_a_header(void **state)
{
	unsigned char mad[MAD_BYTES];
	struct mad_decoded decoded;

	(void)state;
	make(mad, UMAD_CLASS_PERF_MGMT, 1, 0x12, 0);
	for (size_t bytes = 0; bytes < MAD_HEADER_BYTES; bytes++)
		assert_int_equal(mad_decode(mad, bytes, &decoded), -EMSGSIZE);
	assert_int_equal(mad_decode(mad, MAD_HEADER_BYTES, &decoded), 0);
	assert_string_equal(decoded.data, "");
	assert_int_equal(decoded.data_offset, MAD_HEADER_BYTES);
	mad_decoded_clear(&decoded);
}

/* The paths of a directed route are shown only if the datagram is complete. */
static void paths(void **state)
{
	unsigned char mad[MAD_BYTES];
	struct mad_decoded decoded;

	(void)state;
	make(mad, UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0x81, 0x11, 0);
	mad[7] = 2;
	memcpy(mad + 128, (const unsigned char[]){0, 3, 7}, 3);
	memcpy(mad + 192, (const unsigned char[]){0, 9, 5}, 3);
	for (size_t bytes = MAD_BYTES - 1; bytes <= MAD_BYTES; bytes++) {
		const char *path, *back;

		assert_int_equal(mad_decode(mad, bytes, &decoded), 0);
		path = value_of(decoded.header, decoded.header_count, "initial_path", 0);
		back = value_of(decoded.header, decoded.header_count, "return_path", 0);
		if (bytes < MAD_BYTES) {
			assert_null(path);
			assert_null(back);
		} else {
			assert_string_equal(path, "0,3,7");
			assert_string_equal(back, "0,9,5");
		}
		mad_decoded_clear(&decoded);
	}
}

/* The index of an entry is that within the entire table. */
static void blocks(void **state)
{
	static const struct {
		unsigned int id;
		uint32_t modifier;
		const char *key, *first;
	} rows[] = {
		{0x19, 3, "lid", "192"},
		{0x1b, 0x20000001, "mlid", "0xc020"},
		{0x14, 2, "index", "16"},
		{0x16, 0x00050002, "index", "64"},
		/* Parts 1 and 2 have low priority, 3 and 4 high, with 32 entries each. */
		{0x18, 0x00010005, "priority", "low"},
		{0x18, 0x00010005, "entry", "0"},
		{0x18, 0x00020005, "priority", "low"},
		{0x18, 0x00020005, "entry", "32"},
		{0x18, 0x00030005, "priority", "high"},
		{0x18, 0x00030005, "entry", "0"},
		{0x18, 0x00040005, "entry", "32"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char mad[MAD_BYTES];
		struct mad_decoded decoded;

		make(mad, UMAD_CLASS_SUBN_LID_ROUTED, 0x81, rows[i].id, rows[i].modifier);
		assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
		assert_string_equal(field_of(&decoded, rows[i].key, 0), rows[i].first);
		mad_decoded_clear(&decoded);
	}
}

/* A congestion log of unknown type has no fields: its bytes are shown instead. */
static void logs(void **state)
{
	(void)state;
	for (unsigned char type = 0; type < 4; type++) {
		const bool known = type == 1 || type == 2;
		unsigned char mad[MAD_BYTES];
		struct mad_decoded decoded;

		make(mad, UMAD_CLASS_CONG_MGMT, 0x81, MAD_CC_LOG, 0);
		mad[MAD_CC_LOG_DATA_AT] = type;
		assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
		assert_int_equal(decoded.known, known);
		assert_int_equal(decoded.field_count > 0, known);
		mad_decoded_clear(&decoded);
	}
}

/* Bit 3 of position 2 is port 35. */
static void multicast_position(void **state)
{
	unsigned char mad[MAD_BYTES];
	struct mad_decoded decoded;

	(void)state;
	make(mad, UMAD_CLASS_SUBN_LID_ROUTED, 0x81, 0x1b, 0x20000000);
	mad[64 + 2 * 5 + 1] = 0x08;
	assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
	assert_string_equal(field_of(&decoded, "mlid", 5), "0xc005");
	assert_string_equal(field_of(&decoded, "ports", 5), "35");
	assert_string_equal(field_of(&decoded, "ports", 4), "");
	mad_decoded_clear(&decoded);
}

#define STEP   112u
#define MOST_N 1000u

/* 1000 node records, reassembled; the last one is truncated. */
static void long_table(void **state)
{
	const size_t bytes = 56 + MOST_N * STEP;
	unsigned char *table = mem_alloc_zero(1, bytes);
	struct mad_decoded decoded;
	char text[16];

	(void)state;
	make(table, UMAD_CLASS_SUBN_ADM, 0x92, 0x11, 0);
	table[45] = STEP / 8;
	for (size_t i = 0; i < MOST_N; i++)
		bits_set(table + 56 + i * STEP, 0, 16, i + 1);
	assert_int_equal(mad_decode(table, bytes, &decoded), 0);
	assert_int_equal(decoded.fields[decoded.field_count - 1].entry.value, MOST_N - 1);
	for (size_t i = 0; i < MOST_N; i += 37) {
		snprintf(text, sizeof(text), "%zu", i + 1);
		assert_string_equal(field_of(&decoded, "lid", i), text);
	}
	mad_decoded_clear(&decoded);
	assert_int_equal(mad_decode(table, bytes - 1, &decoded), 0);
	assert_int_equal(decoded.fields[decoded.field_count - 1].entry.value, MOST_N - 2);
	mad_decoded_clear(&decoded);
	free(table);
}

static void check_table(const unsigned char *mad, size_t bytes, size_t count, bool cut)
{
	const struct mad_table table = mad_table_of(mad, bytes, 1);

	assert_int_equal(table.count, count);
	assert_int_equal(table.cut, cut);
	assert_true(table.records == mad + 56);
}

/* Incomplete records, and a full datagram that is not part of a table: 15.4.2. */
static void cut_table(void **state)
{
	unsigned char mad[MAD_BYTES];

	(void)state;
	make(mad, UMAD_CLASS_SUBN_ADM, 0x92, 0x11, 0);
	mad_set_record_offset(mad, 5);
	check_table(mad, 56, 0, false);
	check_table(mad, 56 + 39, 0, true);
	check_table(mad, 56 + 1, 0, true);
	check_table(mad, 55, 0, false);
	check_table(mad, 56 + 80, 2, false);
	check_table(mad, 56 + 81, 2, true);
	check_table(mad, MAD_BYTES, 5, true);
	mad[25] = MAD_RMPP_DATA;
	check_table(mad, MAD_BYTES, 5, false);
	assert_int_equal(mad_table_of(mad, MAD_BYTES, 41).count, 0);
	mad_set_record_offset(mad, 6);
	check_table(mad, MAD_BYTES, 4, true);
	mad_set_record_offset(mad, 0);
	check_table(mad, MAD_BYTES, 0, false);
}

/* The number of records in a single segment: by the payload length, if it is the only one. */
static void one_segment(void **state)
{
	static const struct {
		unsigned int type, flags, segment, payload, offset, records;
	} rows[] = {
		{1, 7, 1, 20 + 112, 14, 1}, {1, 7, 1, 20, 14, 0},	{1, 7, 1, 0, 14, 1},
		{1, 3, 1, 9999, 14, 1},	    {1, 1, 2, 0, 14, 0},	{2, 1, 1, 0, 14, 0},
		{4, 1, 0, 0, 14, 0},	    {0, 0, 0, 0, 14, 1},	{0, 1, 0, 0, 14, 1},
		{1, 7, 1, 20 + 200, 0, 0},  {1, 7, 1, 20 + 200, 1, 25}, {1, 7, 1, 20, 0xffff, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char mad[MAD_BYTES];
		struct mad_decoded decoded;
		size_t records;

		make(mad, UMAD_CLASS_SUBN_ADM, 0x92, 0x11, 0);
		mad[24] = 1;
		mad[25] = (unsigned char)rows[i].type;
		mad[26] = (unsigned char)rows[i].flags;
		bits_set(mad, 28 * 8, 32, rows[i].segment);
		bits_set(mad, 32 * 8, 32, rows[i].payload);
		bits_set(mad, 44 * 8, 16, rows[i].offset);
		assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
		records = decoded.field_count
				  ? decoded.fields[decoded.field_count - 1].entry.value + 1
				  : 0;
		if (records != rows[i].records)
			fail_msg("row %zu: %zu records", i, records);
		mad_decoded_clear(&decoded);
	}
}

/*
 * A record that ends with the datagram, or one byte before: computed values need all of it. Reals
 * and words of PortInfo, 14.2.5.6.
 */
static void last_byte(void **state)
{
	unsigned char mad[MAD_BYTES];
	struct mad_decoded decoded;

	(void)state;
	make(mad, UMAD_CLASS_SUBN_LID_ROUTED, 0x81, 0x15, 1);
	mad[64 + 31] = 2;
	mad[64 + 33] = 0x52;
	mad[64 + 35] = 0x40;
	mad[64 + 52] = 16;
	for (size_t bytes = 64 + 63; bytes <= 64 + 65; bytes++) {
		assert_int_equal(mad_decode(mad, bytes, &decoded), 0);
		assert_string_equal(field_of(&decoded, "response_time_usec", 0), "268435.456");
		if (bytes < 64 + 64)
			assert_null(field_of(&decoded, "rate_gbps", 0));
		else
			assert_string_equal(field_of(&decoded, "rate_gbps", 0), "40");
		assert_int_equal(strlen(decoded.data), 2 * (bytes - 64));
		mad_decoded_clear(&decoded);
	}
}

/*
 * 15.2.4: a MultiPathRecord query is answered with paths, a TraceRecord is requested by a path; and
 * which methods have a table of records.
 */
static void queries_and_answers(void **state)
{
	static const struct {
		unsigned int method, id;
		const char *key;
		bool is_there, is_table;
	} rows[] = {
		{0x14, 0x3a, "sl", true, false},	 {0x14, 0x3a, "sgid_count", true, false},
		{0x94, 0x3a, "sgid_count", false, true}, {0x94, 0x3a, "dlid", true, true},
		{0x13, 0x39, "dlid", true, false},	 {0x93, 0x39, "dlid", false, false},
		{0x92, 0x35, "dlid", true, true},	 {0x81, 0x35, "dlid", true, false},
		{0x12, 0x35, "dlid", true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char mad[MAD_BYTES];
		struct mad_decoded decoded;
		bool found = false, table = false;

		make(mad, UMAD_CLASS_SUBN_ADM, rows[i].method, rows[i].id, 0);
		bits_set(mad, 44 * 8, 16, 8);
		assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
		for (size_t j = 0; j < decoded.field_count; j++) {
			found |= !strcmp(decoded.fields[j].key, rows[i].key);
			table |= decoded.fields[j].entry.known;
		}
		if (found != rows[i].is_there || table != rows[i].is_table)
			fail_msg("row %zu", i);
		mad_decoded_clear(&decoded);
	}
}

/* InformInfo, 13.4.8.3, alone and in a record: generic traps have a name, a vendor's do not. */
static void subscriptions(void **state)
{
	static const struct {
		unsigned int id, at, generic, trap;
		const char *means;
	} rows[] = {
		{0x03, 56, 1, 64, "gid-in-service"},
		{0x03, 56, 1, 0xffff, "all"},
		{0x03, 56, 0, 64, NULL},
		{0x03, 56, 1, 63, NULL},
		{0xf3, 56 + 24, 1, 65, "gid-out-of-service"},
		{0xf3, 56 + 24, 0, 65, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned char mad[MAD_BYTES];
		struct mad_decoded decoded;
		const char *means;

		make(mad, UMAD_CLASS_SUBN_ADM, 0x81, rows[i].id, 0);
		mad[rows[i].at + 22] = (unsigned char)rows[i].generic;
		bits_set(mad + rows[i].at, 26 * 8, 16, rows[i].trap);
		assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
		means = field_of(&decoded, "trap", 0);
		if (rows[i].means)
			assert_string_equal(means, rows[i].means);
		else
			assert_null(means);
		mad_decoded_clear(&decoded);
	}
}

/* The D bit of a directed route is its direction, and not part of the status. */
static void header(void **state)
{
	unsigned char mad[MAD_BYTES];
	struct mad_decoded decoded;

	(void)state;
	make(mad, UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0x81, 0x7777, 0x80000001);
	mad[4] = 0x80;
	mad[5] = 0x1c;
	mad[7] = 255;
	assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
	assert_string_equal(decoded.status, "invalid-value");
	assert_int_equal(decoded.status_code.value, 0x1c);
	assert_string_equal(value_of(decoded.header, decoded.header_count, "direction", 0),
			    "returning");
	assert_string_equal(decoded.method, "get-response");
	assert_null(decoded.attribute);
	assert_false(decoded.known);
	assert_int_equal(decoded.field_count, 0);
	assert_int_equal(decoded.attribute_modifier.value, 0x80000001);
	mad_decoded_clear(&decoded);
	/* An unknown class and an unknown method. */
	make(mad, 0xfe, 0x7f, 1, 0);
	assert_int_equal(mad_decode(mad, MAD_BYTES, &decoded), 0);
	assert_null(decoded.method);
	assert_int_equal(decoded.data_offset, 24);
	mad_decoded_clear(&decoded);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attribute),
		cmocka_unit_test(less_than_a_header),
		cmocka_unit_test(paths),
		cmocka_unit_test(blocks),
		cmocka_unit_test(logs),
		cmocka_unit_test(multicast_position),
		cmocka_unit_test(long_table),
		cmocka_unit_test(cut_table),
		cmocka_unit_test(one_segment),
		cmocka_unit_test(header),
		cmocka_unit_test(last_byte),
		cmocka_unit_test(queries_and_answers),
		cmocka_unit_test(subscriptions),
	};

	return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
