/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The field tables of performance and communication management, of attributes common to all
 * classes, and of headers: their form, and the values shown for known bytes. The expected values
 * were derived from the layouts in the specification.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/format/decode.h"
#include "mad/format/header.h"
#include "mad/format/pm_counters.h"
#include "render/format.h"
#include "schema/bits.h"

enum { CM_INFO_BYTES = 72 }; /* of AdditionalInfo, 12.6.9 */

/* Returns the schema of an attribute of performance management. */
static const struct schema *pm_schema(unsigned int id)
{
	return mad_attribute_find(UMAD_CLASS_PERF_MGMT, id)->schema;
}

static const struct schema *cm_schema(const char *name)
{
	for (const struct mad_attribute *one = cm_attributes; one->schema; one++)
		if (!strcmp(one->schema->name, name))
			return one->schema;
	fail_msg("no message %s", name);
	return NULL;
}

enum { ROUNDS = 50 };

/* Stores the bytes given as hexadecimal digits from `at` on; blanks are ignored. */
static void put(struct mad_record *record, size_t at, const char *digits)
{
	unsigned int byte;

	for (; sscanf(digits, " %2x", &byte) == 1; digits += strspn(digits, " ") + 2) {
		assert_true(at < sizeof(record->data));
		record->data[at++] = (unsigned char)byte;
	}
}

static void assert_text(const struct schema *schema, const void *record, const char *key,
			const char *expected)
{
	const struct field *field = schema_find(schema, key);
	struct value value;
	struct text text;

	if (!field)
		fail_msg("%s has no %s", schema->name, key);
	field_get(field, record, &value);
	format_value(&value, ",", &text);
	if (strcmp(text.string ? text.string : "none", expected))
		fail_msg("%s of %s is %s, not %s", key, schema->name,
			 text.string ? text.string : "none", expected);
	text_release(&text);
}

struct expected {
	const char *key, *text;
};

static void assert_texts(const struct schema *schema, const void *record,
			 const struct expected *rows)
{
	for (; rows->key; rows++)
		assert_text(schema, record, rows->key, rows->text);
}

/* The fields of the header that every decoded datagram has. */
static void assert_decoded(const struct mad_record *record, const struct expected *rows)
{
	struct mad_decoded decoded;

	assert_int_equal(mad_decode(record->data, MAD_BYTES, &decoded), 0);
	assert_texts(&mads_schema, &decoded, rows);
	mad_decoded_clear(&decoded);
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool same_bits(const struct field *a, const struct field *b)
{
	return a->bit == b->bit && a->width == b->width;
}

static bool overlap(const struct field *a, const struct field *b)
{
	return a->bit < b->bit + b->width && b->bit < a->bit + a->width;
}

/*
 * Keys are unique; fields lie within the data, and no two fields overlap partially. Only a field
 * that a table shows has a heading and a help.
 */
static void check_form(const struct schema *schema, size_t bytes, bool shown)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];

		if (schema_find(schema, field->key) != field)
			fail_msg("%s has two %s", schema->name, field->key);
		if (shown)
			assert_true(field_heading(field)[0] && field_help(field)[0]);
		if (!field->width)
			continue;
		if (field->bit + field->width > bytes * 8)
			fail_msg("%s of %s is outside", field->key, schema->name);
		for (size_t j = 0; j < i; j++) {
			const struct field *other = &schema->fields[j];

			if (other->width && overlap(field, other) && !same_bits(field, other))
				fail_msg("%s and %s of %s overlap", field->key, other->key,
					 schema->name);
		}
	}
}

/* A shown value parses to the same bits and changes no others. False if it is not shown. */
static bool reads_back(const struct schema *schema, const struct field *field,
		       const struct mad_record *record)
{
	struct mad_record copy = *record;
	struct value value;
	struct text text;
	const char *shown;

	field_get(field, record, &value);
	if (value.kind == VALUE_NONE)
		return false;
	format_value(&value, ",", &text);
	shown = text.string;
	/* A code without a name is shown as a number, and parsed as one. */
	if (field->kind == FIELD_ENUM && !strncmp(shown, "unknown-", 8))
		shown += 8;
	if (field->kind == FIELD_FLAGS && !shown[0])
		shown = "0";
	for (size_t bit = field->bit; bit < (size_t)field->bit + field->width; bit++)
		bits_set(copy.data, bit, 1, !bits_get(copy.data, bit, 1));
	if (packed_parse(field, &copy, shown))
		fail_msg("%s of %s: %s does not read back", field->key, schema->name, shown);
	if (memcmp(copy.data, record->data, sizeof(copy.data)))
		fail_msg("%s of %s: %s reads back as other bits", field->key, schema->name, shown);
	text_release(&text);
	return true;
}

static void check_round_trip(const struct schema *schema, size_t bytes)
{
	uint64_t state = 0x2545f4914f6cdd1d;

	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];
		unsigned int shown = 0;

		if (!field->width || field->present)
			continue;
		for (unsigned int round = 0; round < ROUNDS; round++) {
			struct mad_record record = {.object = NULL};

			for (size_t byte = 0; byte < bytes; byte++)
				record.data[byte] = (unsigned char)random_next(&state);
			/* 64 bits times four would overflow a number. */
			if (field->width == 64 && field->factor > 1)
				bits_set(record.data, field->bit, 3, 0);
			shown += reads_back(schema, field, &record);
		}
		if (!shown)
			fail_msg("%s of %s is never shown", field->key, schema->name);
	}
}

static void check_table(const struct mad_attribute *attributes, unsigned int mgmt_class, bool shown)
{
	size_t count = 0;

	for (const struct mad_attribute *row = attributes; row->schema; row++, count++) {
		assert_int_equal(row->schema->record_size, sizeof(struct mad_record));
		assert_string_equal(row->schema->fields[0].key, "object");
		check_form(row->schema, row->bytes, shown);
		check_round_trip(row->schema, row->bytes);
		assert_true(mad_attribute_offset(mgmt_class, row->id) + row->bytes <= MAD_BYTES);
		assert_ptr_equal(mad_attribute_find(mgmt_class, row->id), row);
		assert_ptr_equal(mad_attribute_find_word(attributes, row->word), row);
		if (row->alias)
			assert_ptr_equal(mad_attribute_find_word(attributes, row->alias), row);
		assert_string_equal(mad_attribute_name(mgmt_class, row->id), row->name);
		for (const struct mad_attribute *other = attributes; other != row; other++)
			assert_string_not_equal(other->schema->name, row->schema->name);
	}
	assert_true(count > 0);
}

static void test_tables(void **state)
{
	(void)state;
	check_table(pm_attributes, UMAD_CLASS_PERF_MGMT, false);
	check_table(cm_attributes, UMAD_CLASS_CM, false);
	check_table(class_attributes, UMAD_CLASS_BM, true);
	check_table(cc_attributes, UMAD_CLASS_CONG_MGMT, true);
	/* Its text is shown, but cannot be parsed back. */
	check_form(&vendor_general_schema, mellanox_attributes[0].bytes, true);
	check_form(&sa_class_port_info_schema, CLASS_PORT_INFO_BYTES, true);
	check_round_trip(&sa_class_port_info_schema, CLASS_PORT_INFO_BYTES);
	check_form(&perf_extended_speeds_rsfec_schema, 152, false);
	check_round_trip(&perf_extended_speeds_rsfec_schema, 152);
}

/*
 * Bytes of congestion control, each field at the place given by libibmad's fields.c and opensm's
 * ib_types.h.
 */
static void test_congestion_control(void **state)
{
	static const struct expected key[] = {
		{"cc_key_protect", "yes"},
		{"cc_key_lease_period_sec", "300"},
		{"cc_key_violations", "7"},
		{NULL, NULL},
	};
	static const struct expected setting[] = {
		{"control_map", "0x0000001f"},
		{"victim_mask_0_63", "0x0000001fffffffff"},
		{"credit_mask_0_63", "0x0000000000000002"},
		{"credit_mask_192_255", "0x4000000000000000"},
		{"threshold", "15"},
		{"packet_size_credits", "8"},
		{"cs_threshold", "3"},
		{"cs_return_delay_shift", "1"},
		{"cs_return_delay_multiplier", "5"},
		{"marking_rate", "260"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "0102030405060708 8000 012c 0007");
	assert_texts(mad_attribute_find(UMAD_CLASS_CONG_MGMT, MAD_CC_KEY_INFO)->schema, &record,
		     key);
	record = (struct mad_record){.object = NULL};
	put(&record, 0, "0000001f");
	put(&record, 4 + 24, "0000001fffffffff");
	put(&record, 36, "4000000000000000");
	put(&record, 36 + 24, "0000000000000002");
	put(&record, 68, "f0 08 3000 4005 0104");
	assert_texts(mad_attribute_find(UMAD_CLASS_CONG_MGMT, MAD_CC_SWITCH)->schema, &record,
		     setting);
}

/* Rows of tables: the head of the data, and one entry. */
static void test_congestion_tables(void **state)
{
	static const struct expected ca[] = {
		{"port_control", "by-sl"},
		{"control_map", "0x0003"},
		{"ccti_timer", "150"},
		{"ccti_increase", "1"},
		{"trigger_threshold", "2"},
		{"ccti_min", "3"},
		{NULL, NULL},
	};
	static const struct expected table[] = {
		{"ccti_limit", "63"},
		{"cct_shift", "2"},
		{"cct_multiplier", "9"},
		{NULL, NULL},
	};
	static const struct expected port[] = {
		{"valid", "yes"},	 {"control_type", "credit-starvation"},
		{"threshold", "5"},	 {"packet_size_credits", "6"},
		{"marking_rate", "513"}, {NULL, NULL},
	};
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_CONG_MGMT, MAD_CC_CA);
	struct mad_record data = {.object = NULL}, row = {.object = NULL};

	(void)state;
	put(&data, 0, "0001 0003");
	put(&data, 4 + 8 * 15, "0096 01 02 03");
	assert_int_equal(mad_entry_count(attribute, data.data), 16);
	mad_entry_take(attribute, data.data, 15, row.data);
	assert_texts(attribute->schema, &row, ca);
	attribute = mad_attribute_find(UMAD_CLASS_CONG_MGMT, MAD_CC_TABLE);
	data = row = (struct mad_record){.object = NULL};
	put(&data, 0, "003f");
	put(&data, 4 + 2 * 63, "8009");
	mad_entry_take(attribute, data.data, 63, row.data);
	assert_texts(attribute->schema, &row, table);
	attribute = mad_attribute_find(UMAD_CLASS_CONG_MGMT, MAD_CC_SWITCH_PORT);
	data = row = (struct mad_record){.object = NULL};
	put(&data, 4 * 31, "c5 06 0201");
	mad_entry_take(attribute, data.data, 31, row.data);
	assert_texts(attribute->schema, &row, port);
}

/* The events of the log depend on its type, and begin earlier in the datagram. */
static void test_congestion_logs(void **state)
{
	static const struct expected switch_event[] = {
		{"log_type", "switch"},
		{"events", "258"},
		{"log_time", "16909060"},
		{"slid", "17"},
		{"dlid", "18"},
		{"sl", "4"},
		{"timestamp", "305419896"},
		{"local_qp", "none"},
		{"event_map", "none"},
		{NULL, NULL},
	};
	static const struct expected ca_event[] = {
		{"log_type", "ca"},	{"event_map", "0x8001"}, {"log_time", "9"},
		{"local_qp", "66051"},	{"remote_qp", "263430"}, {"qp_sl", "3"},
		{"service_type", "ud"}, {"remote_lid", "19"},	 {"qp_timestamp", "20"},
		{"slid", "none"},	{"port_map", "none"},	 {NULL, NULL},
	};
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_CONG_MGMT,
								   MAD_CC_LOG);
	struct mad_record data = {.object = NULL}, row = {.object = NULL};

	(void)state;
	assert_int_equal(mad_attribute_offset(UMAD_CLASS_CONG_MGMT, MAD_CC_LOG), 32);
	assert_int_equal(mad_attribute_offset(UMAD_CLASS_CONG_MGMT, MAD_CC_CA), 64);
	put(&data, 0, "01 01 0102 01020304");
	put(&data, 40 + 12 * 14, "0011 0012 40000000 12345678");
	assert_int_equal(mad_entry_count(attribute, data.data), 15);
	mad_entry_take(attribute, data.data, 14, row.data);
	assert_texts(attribute->schema, &row, switch_event);
	data = row = (struct mad_record){.object = NULL};
	put(&data, 0, "02 00 0001 8001 0000 00000009");
	put(&data, 12 + 16 * 12, "00 010203 040506 33 0013 0000 00000014");
	assert_int_equal(mad_entry_count(attribute, data.data), 13);
	mad_entry_take(attribute, data.data, 12, row.data);
	assert_texts(attribute->schema, &row, ca_event);
	/* A log of neither type has no events. */
	data.data[0] = 3;
	assert_int_equal(mad_entry_count(attribute, data.data), 0);
}

/* Mellanox's class: devices with a long version also have the software's, after it. */
static void test_vendor_general(void **state)
{
	static const struct expected old[] = {
		{"device_id", "0xb924"},
		{"firmware", "1.2.3"},
		{"firmware_date", "2026-11-23"},
		{"psid", "MT_1"},
		{"software", "4.5.6"},
		{"uptime", "258"},
		{NULL, NULL},
	};
	static const struct expected new[] = {
		{"device_id", "0xd2f0"},
		{"firmware", "27.2000.9"},
		{"software", "7.8.9"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 8, "0001 b924");
	put(&record, 36, "00000102");
	put(&record, 40, "00 01 02 03 00000004 11 23 2026");
	memcpy(record.data + 56, "MT_1", 4);
	put(&record, 76, "00 04 05 06");
	assert_texts(&vendor_general_schema, &record, old);
	put(&record, 10, "d2f0");
	put(&record, 76, "0000001b 000007d0 00000009");
	put(&record, 104, "00 07 08 09");
	assert_texts(&vendor_general_schema, &record, new);
}

static void test_header_tables(void **state)
{
	(void)state;
	for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
		const struct schema *schema = mad_header_schema(mgmt_class);

		/* A directed-route header has its paths after the data. */
		check_form(schema, mad_data_offset(mgmt_class), false);
		if (mgmt_class < 16 || enum_word(mad_class_names, mgmt_class, NULL))
			check_round_trip(schema, mad_data_offset(mgmt_class));
	}
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

static bool begins_with_any(const char *text, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(text, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

/*
 * Every counter has a group, and no other field does: `no_counters` are their keys. Octets are
 * counted in 4-byte words: only counters whose keys end in _bytes multiply.
 */
static void test_groups(void **state)
{
	static const char *const no_counters[] = {
		"base_version",	 "cap",	    "class_version", "counter",	    "node",
		"object",	 "op_code", "option_",	     "port_select", "redirect_",
		"response_time", "sample",  "tag",	     "tick",	    "trap_",
		"vendor_mask",	 NULL};
	unsigned int counters = 0;

	(void)state;
	for (const struct mad_attribute *row = pm_attributes; row->schema; row++) {
		for (size_t i = 0; i < row->schema->field_count; i++) {
			const struct field *field = &row->schema->fields[i];
			const bool counts = field->tag != PERF_GROUP_NONE;

			counters += counts;
			if (counts)
				assert_int_equal(field->factor ? field->factor : 1,
						 ends_with(field->key, "_bytes") ? 4 : 1);
			else
				assert_true(begins_with_any(field->key, no_counters));
		}
	}
	/*
	 * Sums over the current tables; nine have sixteen counters, VL 15 has no congestion time.
	 */
	assert_int_equal(counters, 18 + 22 + 6 + 4 + 38 + 2 + 2 + 9 * 16 + 15 + 2 + 1);
}

/* Counters in both attributes have the same keys, units and groups. */
static void test_same_words(void **state)
{
	const struct schema *narrow = &perf_counters_schema;
	const struct schema *wide = &perf_extended_counters_schema;

	(void)state;
	for (size_t i = 0; i < narrow->field_count; i++) {
		const struct field *field = &narrow->fields[i];
		const struct field *other = schema_find(wide, field->key);

		assert_non_null(other);
		assert_int_equal(field->factor, other->factor);
		assert_int_equal(field->tag, other->tag);
		if (field->tag)
			assert_int_equal(other->width, 64);
	}
}

static void test_port_counters(void **state)
{
	static const struct expected rows[] = {
		{"object", "none"},
		{"port_select", "1"},
		{"counter_select", "0xf00f"},
		{"symbol_errors", "258"},
		{"link_error_recoveries", "3"},
		{"link_downed", "4"},
		{"rcv_errors", "1286"},
		{"rcv_remote_physical_errors", "1800"},
		{"rcv_switch_relay_errors", "2314"},
		{"xmit_discards", "2828"},
		{"xmit_constraint_errors", "13"},
		{"rcv_constraint_errors", "255"},
		{"counter_select2", "0x02"},
		{"local_link_integrity_errors", "10"},
		{"excessive_buffer_overruns", "5"},
		{"qp1_dropped", "4113"},
		{"vl15_dropped", "4627"},
		{"xmit_data_bytes", "1024"},
		{"rcv_data_bytes", "17179869180"},
		{"xmit_packets", "65536"},
		{"rcv_packets", "2147483647"},
		{"xmit_wait_ticks", "7"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "00 01 f00f 0102 03 04 0506 0708 090a 0b0c 0d ff 02 a5 1011 1213");
	put(&record, 24, "00000100 ffffffff 00010000 7fffffff 00000007");
	assert_texts(&perf_counters_schema, &record, rows);
	assert_int_equal(packed_number(schema_find(&perf_counters_schema, "rcv_data_bytes"),
				       &record),
			 UINT32_MAX);
}

static void test_port_counters_extended(void **state)
{
	static const struct expected rows[] = {
		{"port_select", "255"},
		{"counter_select", "0x00ff"},
		{"counter_select2", "0x00003fff"},
		{"xmit_data_bytes", "4398046511108"}, /* (2^40 + 1) * 4 */
		{"rcv_data_bytes", "8"},
		{"xmit_packets", "3"},
		{"rcv_packets", "18446744073709551615"},
		{"unicast_xmit_packets", "5"},
		{"unicast_rcv_packets", "6"},
		{"multicast_xmit_packets", "7"},
		{"multicast_rcv_packets", "8"},
		{"symbol_errors", "9"},
		{"link_error_recoveries", "10"},
		{"link_downed", "11"},
		{"rcv_errors", "12"},
		{"rcv_remote_physical_errors", "13"},
		{"rcv_switch_relay_errors", "14"},
		{"xmit_discards", "15"},
		{"xmit_constraint_errors", "16"},
		{"rcv_constraint_errors", "17"},
		{"local_link_integrity_errors", "18"},
		{"excessive_buffer_overruns", "19"},
		{"vl15_dropped", "20"},
		{"xmit_wait_ticks", "72057594037927957"}, /* 2^56 + 21 */
		{"qp1_dropped", "22"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "00 ff 00ff 00003fff 0000010000000001 0000000000000002 0000000000000003");
	put(&record, 32, "ffffffffffffffff");
	/* From here on one number each: 5 at byte 40, 6 at 48 ... 22 at 176 */
	for (size_t i = 5; i <= 22; i++)
		record.data[i * 8 + 7] = (unsigned char)i;
	record.data[168] = 1;
	assert_texts(&perf_extended_counters_schema, &record, rows);
}

/* Fields of two and three bits, and codes for widths. */
static void test_small_fields(void **state)
{
	static const struct expected errors[] = {
		{"xmit_flow_control_update_errors_vl0", "3"},
		{"xmit_flow_control_update_errors_vl1", "0"},
		{"xmit_flow_control_update_errors_vl2", "1"},
		{"xmit_flow_control_update_errors_vl3", "2"},
		{"xmit_flow_control_update_errors_vl14", "0"},
		{"xmit_flow_control_update_errors_vl15", "1"},
		{NULL, NULL},
	};
	static const struct expected control[] = {
		{"tick", "2"},
		{"counter_width_bits", "32"},
		{"counter0_mask", "0x5"},
		{"counter1_mask", "0x3"},
		{"counter9_mask", "0x6"},
		{"counter10_mask", "0x4"},
		{"counter14_mask", "0x1"},
		{"sample_status", "running"},
		{"option_mask", "0x0000000000000081"},
		{"sample_interval_ticks", "1000"},
		{"tag", "0xbeef"},
		{"counter0_select", "0x0001"},
		{"counter14_select", "0x0005"},
		{"samples_only_option_mask", "0x8000000000000000"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 4, "c6 00 00 01");
	assert_texts(pm_schema(MAD_PM_VL_XMIT_FLOW_CTL_ERRORS), &record, errors);
	/* 00 101 011 0...0 110; 0 100 000 000 000 001 */
	put(&record, 0, "00 01 02 04 2b000006 4001 00 fe 0000000000000081");
	put(&record, 32, "000003e8 beef 0001");
	put(&record, 66, "0005");
	put(&record, 72, "8000000000000000");
	assert_texts(pm_schema(MAD_PM_SAMPLES_CONTROL), &record, control);
	record.data[3] = 7;
	assert_text(pm_schema(MAD_PM_SAMPLES_CONTROL), &record, "counter_width_bits", "none");
}

static void test_fec(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 8, "0000000000000001 0002 0003 0004");
	put(&record, 42, "0005 00000006");
	put(&record, 88, "00000007 00000008");
	put(&record, 136, "00000009 0000000a 0000000b 0000000c");
	assert_texts(pm_schema(MAD_PM_EXTENDED_SPEEDS), &record,
		     (const struct expected[]){{"sync_header_errors", "2"},
					       {"unknown_blocks", "3"},
					       {"error_detection_lane0", "4"},
					       {"error_detection_lane11", "5"},
					       {"fec_correctable_blocks_lane0", "6"},
					       {"fec_correctable_blocks_lane11", "7"},
					       {"fec_uncorrectable_blocks_lane0", "8"},
					       {"fec_uncorrectable_blocks_lane11", "9"},
					       {NULL, NULL}});
	assert_texts(&perf_extended_speeds_rsfec_schema, &record,
		     (const struct expected[]){{"fec_corrected_symbols_lane0", "6"},
					       {"fec_corrected_symbols_lane11", "7"},
					       {"fec_correctable_blocks", "10"},
					       {"fec_uncorrectable_blocks", "11"},
					       {"fec_corrected_symbols", "12"},
					       {NULL, NULL}});
}

static void test_class_port_info(void **state)
{
	static const struct expected rows[] = {
		{"class_version", "1"},
		{"cap_mask", "0xd701"},
		{"capabilities", "trap,all-port-select,extended-width,extended-width-noietf,"
				 "port-counters-xmit-wait,rs-fec,qp1-dropped"},
		{"cap_mask2", "0x0000002"},
		{"capabilities2", "additional-extended-counters"},
		{"response_time_usec", "1073742"}, /* 4.096 * 2^18 */
		{"redirect_gid", "fe80:0000:0000:0000:0002:c903:0000:0001"},
		{"redirect_traffic_class", "17"},
		{"redirect_sl", "2"},
		{"redirect_flow_label", "0x34567"},
		{"redirect_lid", "291"},
		{"redirect_pkey", "0xffff"},
		{"redirect_qpn", "1"},
		{"redirect_qkey", "0x80010000"},
		{"trap_lid", "18"},
		{"trap_hop_limit", "64"},
		{"trap_qpn", "74565"},
		{"trap_qkey", "0x00000009"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "01 01 d701 00000052 fe80000000000000 0002c90300000001 11234567");
	put(&record, 28, "0123 ffff 00000001 80010000");
	put(&record, 60, "0012 7fff 40012345 00000009");
	assert_texts(&perf_class_port_info_schema, &record, rows);
	assert_text(&class_port_info_schema, &record, "capabilities", "trap,0xd700");
	assert_text(&class_port_info_schema, &record, "capabilities2", "0x2");
	assert_text(&sa_class_port_info_schema, &record, "capabilities2", "qos");
	assert_ptr_equal(mad_attribute_find(UMAD_CLASS_PERF_MGMT, 1)->schema,
			 &perf_class_port_info_schema);
	assert_ptr_equal(mad_attribute_find(UMAD_CLASS_CONG_MGMT, 1)->schema,
			 &class_port_info_schema);
	assert_null(mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED, 1));
}

static void test_cm_req(void **state)
{
	static const struct expected rows[] = {
		{"local_comm_id", "0x12345678"},
		{"vendor_id", "0x0002c9"},
		{"service_id", "0x0000000001061234"},
		{"local_ca_guid", "0002:c903:0012:3456"},
		{"local_qkey", "0x11111111"},
		{"local_qpn", "4660"},
		{"responder_resources", "16"},
		{"initiator_depth", "4"},
		{"remote_response_timeout_usec", "4294967"}, /* 20: 4.096 * 2^20 */
		{"transport", "rc"},
		{"flow_control", "yes"},
		{"starting_psn", "11259375"},
		{"local_response_timeout_usec", "1073742"}, /* 18 */
		{"retry_count", "7"},
		{"pkey", "0xffff"},
		{"mtu_bytes", "4096"},
		{"rdc_exists", "no"},
		{"rnr_retry_count", "infinite"},
		{"max_cm_retries", "15"},
		{"srq", "yes"},
		{"extended_transport", "none"},
		{"primary_local_lid", "3"},
		{"primary_remote_lid", "4"},
		{"primary_local_gid", "fe80:0000:0000:0000:0000:0000:0000:0001"},
		{"primary_remote_gid", "fe80:0000:0000:0000:0000:0000:0000:0002"},
		{"primary_flow_label", "0xabcde"},
		{"primary_rate_gbps", "100"},
		{"primary_traffic_class", "106"},
		{"primary_hop_limit", "64"},
		{"primary_sl", "3"},
		{"primary_subnet_local", "yes"},
		{"primary_local_ack_timeout_usec", "67108.9"}, /* 14 */
		{"alternate_local_lid", "5"},
		{"alternate_rate_gbps", "none"},
		{"alternate_sl", "15"},
		{"alternate_subnet_local", "no"},
		{"sap_supported", "yes"},
		{"private_data", "0040abcd00000000000000000000000000000000000000ff"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "12345678 00 0002c9 0000000001061234 0002c90300123456 00000000 11111111");
	put(&record, 32, "001234 10 000000 04 000000 a1 abcdef 97 ffff 57 f8");
	put(&record, 52, "0003 0004 fe800000000000000000000000000001");
	put(&record, 72, "fe800000000000000000000000000002 abcde0 10 6a 40 38 70 0005");
	put(&record, 138, "f0 04 0040abcd");
	record.data[140 + 23] = 0xff;
	assert_texts(mad_attribute_find(UMAD_CLASS_CM, UMAD_CM_ATTR_REQ)->schema, &record, rows);
}

static void test_cm_rej(void **state)
{
	static const struct expected rows[] = {
		{"local_comm_id", "0x00000000"},
		{"remote_comm_id", "0x12345678"},
		{"message", "rep"},
		{"reject_info_length_bytes", "2"},
		{"reason", "invalid-mtu"},
		{"reason_code", "26"},
		{"additional_info", "04a0"},
		{"private_data", ""},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 4, "12345678 40 04 001a 04a0");
	assert_texts(cm_schema("cm_rej"), &record, rows);
	record.data[9] = 6; /* three bytes, including the zero */
	assert_text(cm_schema("cm_rej"), &record, "additional_info", "04a000");
	record.data[11] = 8;
	assert_text(cm_schema("cm_rej"), &record, "reason", "invalid-service-id");
	record.data[11] = 28;
	assert_text(cm_schema("cm_rej"), &record, "reason", "consumer-reject");
	record.data[11] = 99;
	assert_text(cm_schema("cm_rej"), &record, "reason", "unknown-99");
}

static void test_cm_others(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 12, "00abcd c9 00000000 01020304 10 20 35 70");
	assert_texts(cm_schema("cm_rep"), &record,
		     (const struct expected[]){{"local_qpn", "43981"},
					       {"vendor_id_high", "0xc9"},
					       {"starting_psn", "66051"},
					       {"responder_resources", "16"},
					       {"initiator_depth", "32"},
					       {"target_ack_delay_usec", "262.144"}, /* 6 */
					       {"failover", "rejected"},
					       {"flow_control", "yes"},
					       {"rnr_retry_count", "3"},
					       {"srq", "yes"},
					       {NULL, NULL}});
	memset(&record, 0, sizeof(record));
	put(&record, 0, "00000007 04 48 0102 000123 03 0000000000000001 80010000");
	assert_texts(cm_schema("cm_sidr_rep"), &record,
		     (const struct expected[]){{"request_id", "0x00000007"},
					       {"status", "redirect"},
					       {"additional_info_length_bytes", "72"},
					       {"qpn", "291"},
					       {"service_id", "0x0000000000000001"},
					       {"qkey", "0x80010000"},
					       {NULL, NULL}});
	memset(&record, 0, sizeof(record));
	put(&record, 56, "123450 67 08 10 98 a8");
	assert_texts(cm_schema("cm_lap"), &record,
		     (const struct expected[]){{"alternate_flow_label", "0x12345"},
					       {"alternate_traffic_class", "103"},
					       {"alternate_hop_limit", "8"},
					       {"alternate_rate_gbps", "100"},
					       {"alternate_sl", "9"},
					       {"alternate_subnet_local", "yes"},
					       {"alternate_local_ack_timeout_usec", "8589935"},
					       {NULL, NULL}});
}

static void assert_info_cut(const struct schema *schema, const struct mad_record *record)
{
	struct value value;

	field_get(schema_find(schema, "additional_info"), record, &value);
	assert_int_equal(strlen(value.string), 2 * CM_INFO_BYTES);
}

/* Data of 224 bytes are shown in full, or else end with a mark that says there is more. */
static void test_cm_long_data(void **state)
{
	struct mad_record record = {.object = NULL};
	const struct field *field = schema_find(cm_schema("cm_rtu"), "private_data");
	struct value value;
	size_t length;

	(void)state;
	memset(record.data, 0x5a, sizeof(record.data));
	field_get(field, &record, &value);
	length = strspn(value.string, "5a");
	/* A length beyond the field does not lead into the private data. */
	assert_text(cm_schema("cm_apr"), &record, "additional_info_length_bytes", "90");
	assert_info_cut(cm_schema("cm_apr"), &record);
	assert_info_cut(cm_schema("cm_sidr_rep"), &record);
	if (length == 2 * 224) {
		assert_string_equal(value.string + length, "");
		return;
	}
	assert_true(length >= 2 * 128 && length < 2 * 224);
	assert_string_equal(value.string + length, "...");
}

/* Expects this port at all 64 places of the path. */
static void assert_path(const struct schema *schema, const struct mad_record *record,
			const char *key, unsigned int port)
{
	char expected[UMAD_SMP_MAX_HOPS * 4 + 1] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < UMAD_SMP_MAX_HOPS; i++)
		used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s%u",
					 i ? "," : "", port);
	assert_text(schema, record, key, expected);
}

/* NodeInfo by the directed route 0,1,3,7, answered and one hop from home. */
static void test_direct_header(void **state)
{
	static const struct expected rows[] = {
		{"base_version", "1"},
		{"direction", "returning"},
		{"hop_pointer", "1"},
		{"hop_count", "3"},
		{"mkey", "0x0102030405060708"},
		{"dr_source_lid", "65535"},
		{"dr_destination_lid", "65534"},
		{"initial_path", "0,1,3,7"},
		{"return_path", "0,2,255,36"},
		{NULL, NULL},
	};
	static const struct expected common[] = {
		{"class", "sm-direct"},
		{"class_code", "0x81"},
		{"class_version", "1"},
		{"method", "get-response"},
		{"method_code", "0x81"},
		{"status", "attribute-not-supported"},
		{"status_code", "0x000c"},
		{"transaction_id", "0x0000000512345678"},
		{"attribute", "NodeInfo"},
		{"attribute_id", "0x0011"},
		{"attribute_modifier", "0x00000002"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};
	const struct schema *schema = mad_header_schema(UMAD_CLASS_SUBN_DIRECTED_ROUTE);

	(void)state;
	put(&record, 0, "01 81 01 81 800c 01 03 0000000512345678 0011 0000 00000002");
	put(&record, 24, "0102030405060708 ffff fffe");
	put(&record, 128, "00010307 09");
	put(&record, 192, "0002ff24");
	assert_texts(schema, &record, rows);
	assert_decoded(&record, common);
	record.data[7] = 0;
	assert_text(schema, &record, "initial_path", "0");
	/* A hop count beyond the table does not read past the datagram. */
	memset(record.data + 192, 200, 64);
	for (unsigned int count = 63; count < 256; count += 64) {
		record.data[7] = (unsigned char)count;
		assert_path(schema, &record, "return_path", 200);
	}
	record.data[7] = 64;
	assert_path(schema, &record, "return_path", 200);
}

static void test_sa_header(void **state)
{
	static const struct expected common[] = {
		{"class", "sa"},
		{"method", "get-table-response"},
		{"status", "no-records"},
		{NULL, NULL},
	};
	static const struct expected rows[] = {
		{"rmpp_version", "1"},
		{"rmpp_type", "data"},
		{"rmpp_response_time", "31"},
		{"rmpp_flags", "active,first,last"},
		{"rmpp_status", "normal"},
		{"rmpp_segment", "1"},
		{"rmpp_payload_bytes", "220"},
		{"rmpp_window_last", "none"},
		{"sm_key", "0x0000000000000001"},
		{"attribute_offset_bytes", "112"},
		{"component_mask", "0x8000000000000003"},
		{NULL, NULL},
	};
	struct mad_record record = {.object = NULL};
	const struct schema *schema = mad_header_schema(UMAD_CLASS_SUBN_ADM);

	(void)state;
	put(&record, 0, "01 03 02 92 0300 0000 0000000000000001 0011 0000 00000000");
	put(&record, 24, "01 01 ff 00 00000001 000000dc 0000000000000001 000e 0000");
	put(&record, 48, "8000000000000003");
	assert_texts(schema, &record, rows);
	assert_decoded(&record, common);
	record.data[25] = 2;
	assert_text(schema, &record, "rmpp_window_last", "220");
	assert_text(schema, &record, "rmpp_payload_bytes", "none");
	record.data[25] = 3;
	assert_text(schema, &record, "rmpp_segment", "none");
}

static void test_other_headers(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	put(&record, 0, "01 32 01 01 0000 1234 0000000000000001 0000 0000 00000000");
	put(&record, 36, "00 001405");
	assert_texts(mad_header_schema(MAD_CLASS_OPENIB_PING), &record,
		     (const struct expected[]){
			     {"class_specific", "0x1234"}, {"oui", "0x001405"}, {NULL, NULL}});
	assert_decoded(&record, (const struct expected[]){{"class", "openib-ping"},
							  {"method", "get"},
							  {"status", "success"},
							  {"attribute", "none"},
							  {NULL, NULL}});
	put(&record, 0, "01 21 02");
	put(&record, 16, "0016");
	put(&record, 24, "0102030405060708");
	assert_texts(mad_header_schema(UMAD_CLASS_CONG_MGMT), &record,
		     (const struct expected[]){{"cc_key", "0x0102030405060708"}, {NULL, NULL}});
	assert_decoded(&record, (const struct expected[]){{"class", "cc"},
							  {"attribute", "CACongestionSetting"},
							  {NULL, NULL}});
	record.data[1] = 0x0b;
	assert_decoded(&record, (const struct expected[]){{"class", "unknown-11"}, {NULL, NULL}});
}

static void assert_failure(int error, unsigned int status, unsigned int tries, const char *expected)
{
	_cleanup_(freep) char *text = mad_failure_text(UMAD_CLASS_SUBN_LID_ROUTED, error, status,
						       tries);

	assert_string_equal(text, expected);
}

static void test_words(void **state)
{
	static const struct {
		unsigned int mgmt_class, status;
		const char *text;
	} statuses[] = {
		{UMAD_CLASS_PERF_MGMT, 0, "success"},
		{UMAD_CLASS_PERF_MGMT, 0x0001, "busy"},
		{UMAD_CLASS_PERF_MGMT, 0x0002, "redirect"},
		{UMAD_CLASS_PERF_MGMT, 0x0004, "bad-version"},
		{UMAD_CLASS_SUBN_LID_ROUTED, 0x0008, "method-not-supported"},
		{UMAD_CLASS_SUBN_LID_ROUTED, 0x001c, "invalid-value"},
		{UMAD_CLASS_SUBN_LID_ROUTED, 0x8000, "0x8000"},
		{UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0x8000, "success"},
		{UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0x801d, "busy,invalid-value"},
		{UMAD_CLASS_SUBN_ADM, 0x0100, "no-resources"},
		{UMAD_CLASS_SUBN_ADM, 0x0200, "req-invalid"},
		{UMAD_CLASS_SUBN_ADM, 0x0300, "no-records"},
		{UMAD_CLASS_SUBN_ADM, 0x0400, "too-many-records"},
		{UMAD_CLASS_SUBN_ADM, 0x0500, "req-invalid-gid"},
		{UMAD_CLASS_SUBN_ADM, 0x0601, "busy,req-insufficient-components"},
		{UMAD_CLASS_SUBN_ADM, 0x0700, "req-denied"},
		{UMAD_CLASS_SUBN_ADM, 0x0800, "prio-suggested"},
		{UMAD_CLASS_SUBN_ADM, 0x0900, "0x0900"},
		{UMAD_CLASS_PERF_MGMT, 0x0300, "0x0300"},
		{UMAD_CLASS_PERF_MGMT, 0x0010, "0x0010"},
		{UMAD_CLASS_SUBN_ADM, 0xffff, "busy,redirect,invalid-value,0xffe0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		_cleanup_(freep) char *text = mad_status_word(statuses[i].mgmt_class,
							      statuses[i].status);

		assert_string_equal(text, statuses[i].text);
	}
	assert_failure(0, 0x001c, 1, "refused with status 0x001c: invalid-value");
	assert_failure(0, 0x0700, 1, "refused with status 0x0700");
	assert_failure(-ETIMEDOUT, 0, 1, "no answer, asked once");
	assert_failure(-ETIMEDOUT, 0, 4, "no answer, asked 4 times");
	assert_failure(-ECANCELED, 0, 1, "interrupted");
	assert_string_equal(enum_word(mad_class_names, UMAD_CLASS_SUBN_DIRECTED_ROUTE, NULL),
			    "sm-direct");
	assert_null(enum_word(mad_class_names, 0x4f, NULL));
	assert_string_equal(mad_method_word(UMAD_CLASS_SUBN_ADM, 0x92), "get-table-response");
	assert_string_equal(mad_method_word(UMAD_CLASS_PERF_MGMT, 0x02), "set");
	assert_null(mad_method_word(UMAD_CLASS_PERF_MGMT, 0x92));
	assert_string_equal(mad_attribute_name(UMAD_CLASS_CM, 0x10), "ConnectRequest");
	assert_string_equal(mad_attribute_name(UMAD_CLASS_BM, 0x21), "ReadVPD");
	assert_string_equal(mad_attribute_name(UMAD_CLASS_BM, 0x01), "ClassPortInfo");
	assert_string_equal(mad_attribute_name(UMAD_CLASS_DEVICE_MGMT, 0x02), "Notice");
	assert_null(mad_attribute_name(UMAD_CLASS_PERF_MGMT, 0x7777));
	assert_string_equal(mad_attribute_name(UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0xff60),
			    "CableInfo");
	assert_null(mad_attribute_name(UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0xff91));
	assert_null(mad_attribute_name(UMAD_CLASS_SUBN_LID_ROUTED, 0x03));
}

static void test_layouts(void **state)
{
	static const struct {
		unsigned int mgmt_class;
		size_t offset;
		bool smp, rmpp;
	} rows[] = {
		{0x01, 64, true, false},  {0x81, 64, true, false},  {0x03, 56, false, true},
		{0x04, 64, false, false}, {0x05, 64, false, false}, {0x06, 64, false, true},
		{0x07, 24, false, false}, {0x08, 64, false, false}, {0x09, 24, false, false},
		{0x0f, 24, false, false}, {0x21, 64, false, false}, {0x2f, 24, false, false},
		{0x30, 40, false, true},  {0x32, 40, false, true},  {0x4f, 40, false, true},
		{0x50, 24, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(mad_data_offset(rows[i].mgmt_class), rows[i].offset);
		assert_int_equal(mad_class_is_smp(rows[i].mgmt_class), rows[i].smp);
		assert_int_equal(mad_class_has_rmpp(rows[i].mgmt_class), rows[i].rmpp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_congestion_control),
		cmocka_unit_test(test_congestion_tables),
		cmocka_unit_test(test_congestion_logs),
		cmocka_unit_test(test_vendor_general),
		cmocka_unit_test(test_header_tables),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_same_words),
		cmocka_unit_test(test_port_counters),
		cmocka_unit_test(test_port_counters_extended),
		cmocka_unit_test(test_small_fields),
		cmocka_unit_test(test_fec),
		cmocka_unit_test(test_class_port_info),
		cmocka_unit_test(test_cm_req),
		cmocka_unit_test(test_cm_rej),
		cmocka_unit_test(test_cm_others),
		cmocka_unit_test(test_cm_long_data),
		cmocka_unit_test(test_direct_header),
		cmocka_unit_test(test_sa_header),
		cmocka_unit_test(test_other_headers),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
