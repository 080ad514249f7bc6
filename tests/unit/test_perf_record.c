/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of perf from the bytes of attributes, and rates from two such rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mad/perf/perf_record.h"
#include "schema/bits.h"

enum {
	ALL_CAPS = PERF_CAP_EXTENDED_WIDTH | PERF_CAP_XMIT_WAIT | PERF_CAP_QP1_DROPPED,
};

/* The data of all parts of a listing. */
struct bytes {
	unsigned char part[PERF_PARTS_MOST][MAD_DATA_MOST];
};

struct rows {
	struct perf_record *items;
	size_t count;
};

static struct rows rows_of(enum perf_listing listing, const struct perf_reading *reading)
{
	struct rows rows = {.items = NULL};

	perf_rows(listing, reading, &rows.items, &rows.count);
	return rows;
}

static void drop(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		perf_record_clear(&rows->items[i]);
	free(rows->items);
}

static void assert_counter(struct perf_counter counter, uint64_t value, bool saturated)
{
	assert_true(counter.known);
	assert_int_equal(counter.value, value);
	assert_int_equal(counter.saturated, saturated);
}

/* Distinct numbers at each place of PortCounters (16.1.3.5) and the extended ones. */
static void fill(struct bytes *bytes)
{
	unsigned char *narrow = bytes->part[0], *wide = bytes->part[1];

	*bytes = (struct bytes){.part = {{0}}};
	bits_set(narrow, 4 * 8, 16, 1001);
	bits_set(narrow, 6 * 8, 8, 102);
	bits_set(narrow, 19 * 8, 4, 15);
	bits_set(narrow, 19 * 8 + 4, 4, 3);
	bits_set(narrow, 20 * 8, 16, 1004);
	bits_set(narrow, 24 * 8, 32, UINT32_MAX);
	bits_set(narrow, 28 * 8, 32, 10);
	bits_set(narrow, 32 * 8, 32, 11);
	bits_set(narrow, 40 * 8, 32, 12);
	bits_set(wide, 8 * 8, 64, UINT64_C(1) << 40);
	bits_set(wide, 16 * 8, 64, UINT64_MAX);
	bits_set(wide, 24 * 8, 64, 21);
	bits_set(wide, 40 * 8, 64, 22);
	bits_set(wide, 72 * 8, 64, 70001);
	bits_set(wide, 144 * 8, 64, 70002);
	bits_set(wide, 168 * 8, 64, 70003);
}

static void narrow_counters(void **state)
{
	struct bytes bytes;
	struct perf_reading reading = {
		.caps = {.mask = PERF_CAP_XMIT_WAIT},
		.parts = {bytes.part[0]},
	};
	struct rows rows;

	(void)state;
	fill(&bytes);
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_int_equal(rows.count, 1);
	assert_int_equal(rows.items->width_bits.value, 32);
	assert_counter(rows.items->symbol_errors, 1001, false);
	assert_counter(rows.items->link_error_recoveries, 102, false);
	assert_counter(rows.items->local_link_integrity_errors, 15, true);
	assert_counter(rows.items->excessive_buffer_overruns, 3, false);
	assert_counter(rows.items->xmit_data_bytes, 17179869180u, true);
	assert_counter(rows.items->rcv_data_bytes, 40, false);
	assert_counter(rows.items->xmit_packets, 11, false);
	assert_counter(rows.items->xmit_wait_ticks, 12, false);
	assert_false(rows.items->qp1_dropped.known);
	assert_false(rows.items->unicast_xmit_packets.known);
	assert_int_equal(rows.items->saturated.count, 2);
	assert_true(strings_contain(&rows.items->saturated, "xmit_data_bytes"));
	assert_true(strings_contain(&rows.items->saturated, "local_link_integrity_errors"));
	drop(&rows);
}

static void wide_traffic(void **state)
{
	struct bytes bytes;
	struct perf_reading reading = {
		.caps = {.mask = PERF_CAP_EXTENDED_WIDTH | PERF_CAP_QP1_DROPPED},
		.parts = {bytes.part[0], bytes.part[1]},
	};
	struct rows rows;

	(void)state;
	fill(&bytes);
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_int_equal(rows.items->width_bits.value, 64);
	assert_counter(rows.items->xmit_data_bytes, UINT64_C(1) << 42, false);
	/* Four times the maximum would not fit: the counter stays at the maximum. */
	assert_counter(rows.items->rcv_data_bytes, UINT64_MAX, true);
	bits_set(bytes.part[1], 16 * 8, 64, (UINT64_C(1) << 62) - 1);
	drop(&rows);
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_counter(rows.items->rcv_data_bytes, UINT64_MAX - 3, false);
	bits_set(bytes.part[1], 16 * 8, 64, UINT64_C(1) << 62);
	drop(&rows);
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_counter(rows.items->rcv_data_bytes, UINT64_MAX, true);
	assert_true(strings_contain(&rows.items->saturated, "rcv_data_bytes"));
	assert_counter(rows.items->unicast_xmit_packets, 22, false);
	/* Without the capability of the second mask, error counters keep their narrow width. */
	assert_counter(rows.items->symbol_errors, 1001, false);
	assert_counter(rows.items->qp1_dropped, 1004, false);
	assert_false(rows.items->xmit_wait_ticks.known);
	drop(&rows);
	reading.caps.mask = PERF_CAP_EXTENDED_WIDTH_NOIETF;
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_counter(rows.items->xmit_packets, 21, false);
	assert_false(rows.items->unicast_xmit_packets.known);
	drop(&rows);
}

static void wide_errors(void **state)
{
	struct bytes bytes;
	struct perf_reading reading = {
		.caps = {.mask = ALL_CAPS, .mask2 = PERF_CAP2_EXTENDED_ERRORS},
		.parts = {bytes.part[0], bytes.part[1]},
	};
	struct rows rows;

	(void)state;
	fill(&bytes);
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_counter(rows.items->symbol_errors, 70001, false);
	assert_counter(rows.items->local_link_integrity_errors, 70002, false);
	assert_counter(rows.items->xmit_wait_ticks, 70003, false);
	drop(&rows);
	/* The extended attribute was not answered: the others' values are shown. */
	reading.parts[1] = NULL;
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_int_equal(rows.items->width_bits.value, 32);
	assert_counter(rows.items->symbol_errors, 1001, false);
	drop(&rows);
	reading.parts[0] = NULL;
	rows = rows_of(PERF_OF_PORT, &reading);
	assert_int_equal(rows.count, 0);
	drop(&rows);
}

/* Every counter of both attributes has its column, and the same group. */
static void has_all_keys(void **state)
{
	const struct schema *const sources[] = {
		&perf_counters_schema,
		&perf_extended_counters_schema,
	};
	size_t counters = 0, known = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		for (size_t j = 0; j < sources[i]->field_count; j++) {
			const struct field *source = &sources[i]->fields[j];
			const struct field *field = schema_find(&perf_schema, source->key);

			if (!source->tag)
				continue;
			if (!field || field->tag != source->tag)
				fail_msg("%s is not in perf, or of another group", source->key);
			counters += !i;
		}
	}
	for (size_t i = 0; i < perf_schema.field_count; i++)
		known += perf_schema.fields[i].tag != 0;
	/* Four packet counters are in the extended attribute only. */
	assert_int_equal(known, counters + 4);
}

static void text_of(const struct perf_record *record, const char *key, struct value *value)
{
	field_get(schema_find(&perf_schema, key), record, value);
}

static void marks_saturation(void **state)
{
	struct perf_record record = {
		.symbol_errors = {.value = 65535, .known = true, .saturated = true},
		.link_downed = {.value = 7, .known = true},
	};
	struct value value;

	(void)state;
	text_of(&record, "symbol_errors", &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_int_equal(value.number, 65535);
	record.mark = true;
	text_of(&record, "symbol_errors", &value);
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, ">=65535");
	text_of(&record, "link_downed", &value);
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	text_of(&record, "rcv_errors", &value);
	assert_int_equal(value.kind, VALUE_NONE);
}

static void virtual_lanes(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {
		.parts = {bytes.part[0], bytes.part[1], NULL, bytes.part[3]},
	};
	struct rows rows;

	(void)state;
	/* 16 bits a VL; 2 bits; 32-bit word counts after the operation code */
	bits_set(bytes.part[0], (4 + 2 * 3) * 8, 16, 65535);
	bits_set(bytes.part[1], 4 * 8 + 2 * 15, 2, 2);
	bytes.part[3][0] = 0x64;
	bits_set(bytes.part[3], 4 * 8, 32, 9);
	rows = rows_of(PERF_OF_VL, &reading);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.items[0].vl.value, 0);
	assert_int_equal(rows.items[0].op_code.value, 0x64);
	assert_counter(rows.items[0].op_data_bytes, 36, false);
	assert_false(rows.items[0].op_packets.known);
	assert_int_equal(rows.items[1].vl.value, 3);
	assert_counter(rows.items[1].xmit_wait_ticks, 65535, true);
	assert_true(strings_contain(&rows.items[1].saturated, "xmit_wait_ticks"));
	assert_int_equal(rows.items[2].vl.value, 15);
	assert_counter(rows.items[2].flow_control_update_errors, 2, false);
	drop(&rows);
	reading.all = true;
	rows = rows_of(PERF_OF_VL, &reading);
	assert_int_equal(rows.count, 16);
	drop(&rows);
}

static void encoding(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {.parts = {bytes.part[0]}, .lanes = 4};
	struct rows rows;

	(void)state;
	bits_set(bytes.part[0], 16 * 8, 16, 5);
	bits_set(bytes.part[0], (20 + 2 * 3) * 8, 16, 6);
	bits_set(bytes.part[0], (44 + 4 * 1) * 8, 32, 7);
	bits_set(bytes.part[0], 92 * 8, 32, 8);
	bits_set(bytes.part[0], 140 * 8, 32, 9);
	rows = rows_of(PERF_OF_FEC, &reading);
	assert_int_equal(rows.count, 5);
	assert_false(rows.items[0].lane.known);
	assert_counter(rows.items[0].sync_header_errors, 5, false);
	assert_false(rows.items[0].correctable_blocks.known);
	assert_counter(rows.items[1].uncorrectable_blocks, 8, false);
	assert_counter(rows.items[2].correctable_blocks, 7, false);
	assert_counter(rows.items[4].error_detections, 6, false);
	drop(&rows);
	/* The same bytes with RS-FEC */
	reading.caps.mask = PERF_CAP_RSFEC;
	reading.fec = number_of(2);
	rows = rows_of(PERF_OF_FEC, &reading);
	assert_counter(rows.items[0].correctable_blocks, 9, false);
	assert_counter(rows.items[2].corrected_symbols, 7, false);
	assert_false(rows.items[1].uncorrectable_blocks.known);
	assert_false(rows.items[4].error_detections.known);
	drop(&rows);
	/* If the mode is unknown, it is neither; as many lanes as possible */
	reading.fec.known = false;
	reading.lanes = 0;
	rows = rows_of(PERF_OF_FEC, &reading);
	assert_int_equal(rows.count, 13);
	assert_false(rows.items[2].correctable_blocks.known);
	assert_false(rows.items[2].corrected_symbols.known);
	drop(&rows);
}

static void congestion(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {.caps = {.mask = PERF_CAP_XMIT_WAIT}};
	struct rows rows;

	(void)state;
	for (size_t i = 0; i < PERF_PARTS_MOST; i++)
		reading.parts[i] = bytes.part[i];
	bits_set(bytes.part[0], 40 * 8, 32, 1);
	bits_set(bytes.part[2], (4 + 2 * 5) * 8, 16, 2);
	bits_set(bytes.part[3], 8 * 8, 32, 3);
	bits_set(bytes.part[4], (4 + 4 * 2) * 8, 32, 4);
	bits_set(bytes.part[5], (4 + 4 * 2) * 8, 32, 5);
	bits_set(bytes.part[6], 4 * 8, 32, 6);
	bits_set(bytes.part[7], (4 + 4 * 5) * 8, 32, 7);
	rows = rows_of(PERF_OF_CONGESTION, &reading);
	assert_int_equal(rows.count, 3);
	assert_counter(rows.items[0].xmit_wait_ticks, 1, false);
	assert_counter(rows.items[0].rcv_fecn_packets, 0, false);
	assert_counter(rows.items[0].rcv_becn_packets, 3, false);
	assert_counter(rows.items[0].xmit_time_congested_ticks, 6, false);
	assert_int_equal(rows.items[1].vl.value, 5);
	assert_false(rows.items[1].sl.known);
	assert_counter(rows.items[1].congestions, 2, false);
	assert_counter(rows.items[1].xmit_time_congested_ticks, 7, false);
	assert_int_equal(rows.items[2].sl.value, 2);
	assert_counter(rows.items[2].rcv_fecn_packets, 4, false);
	assert_counter(rows.items[2].rcv_becn_packets, 5, false);
	drop(&rows);
}

static struct perf_counter counted(uint64_t value)
{
	return (struct perf_counter){.value = value, .known = true};
}

static void rates(void **state)
{
	struct perf_record before = {
		.xmit_data_bytes = counted(1000),
		.rcv_data_bytes = counted(5000),
		.xmit_packets = counted(10),
		.rcv_packets = {.value = UINT32_MAX, .known = true, .saturated = true},
		.symbol_errors = counted(1),
		.link_downed = counted(2),
	};
	struct perf_record after = before;
	struct perf_rates now = {.time = NULL};

	(void)state;
	after.xmit_data_bytes = counted(1000 + 500000000);
	after.rcv_data_bytes = counted(4999);
	after.xmit_packets = counted(10);
	after.symbol_errors = counted(4);
	after.link_downed = counted(3);
	perf_rates_of(PERF_OF_PORT, &before, &after, 2, &now);
	assert_true(now.xmit_gbps.known && now.xmit_gbps.value == 2);
	/* Reset between the two readings; saturated; absent */
	assert_false(now.rcv_gbps.known);
	assert_false(now.rcv_packets_per_sec.known);
	assert_false(now.xmit_wait_ticks_per_sec.known);
	assert_true(now.xmit_packets_per_sec.known && now.xmit_packets_per_sec.value == 0);
	assert_true(now.errors_per_sec.known && now.errors_per_sec.value == 2);
	assert_true(now.interval_sec.known && now.interval_sec.value == 2);
	perf_rates_clear(&now);
	/* One unknown error counter makes the sum unknown. */
	now = (struct perf_rates){.time = NULL};
	after.link_downed = (struct perf_counter){255, true, true};
	perf_rates_of(PERF_OF_PORT, &before, &after, 2, &now);
	assert_false(now.errors_per_sec.known);
	perf_rates_clear(&now);
	/* The port did not answer. */
	now = (struct perf_rates){.time = NULL};
	after = (struct perf_record){.object = NULL};
	perf_rates_of(PERF_OF_PORT, &before, &after, 2, &now);
	assert_false(now.xmit_gbps.known || now.errors_per_sec.known);
	perf_rates_clear(&now);
}

static void service_levels(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {.parts = {bytes.part[0], bytes.part[1]}};
	struct rows rows;

	(void)state;
	/* PortXmitDataSL and PortRcvDataSL: 32 bits for each level, in words of four bytes. */
	bits_set(bytes.part[0], (4 + 4 * 3) * 8, 32, 7);
	bits_set(bytes.part[1], (4 + 4 * 15) * 8, 32, UINT32_MAX);
	rows = rows_of(PERF_OF_SL, &reading);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.items[0].sl.value, 0);
	assert_counter(rows.items[0].xmit_data_bytes, 0, false);
	assert_int_equal(rows.items[1].sl.value, 3);
	assert_counter(rows.items[1].xmit_data_bytes, 28, false);
	assert_counter(rows.items[2].rcv_data_bytes, 4ull * UINT32_MAX, true);
	assert_string_equal(rows.items[2].saturated.items[0], "rcv_data_bytes");
	drop(&rows);
	/* A port without PortRcvDataSL still shows what it sent. */
	reading.parts[1] = NULL;
	reading.all = true;
	rows = rows_of(PERF_OF_SL, &reading);
	assert_int_equal(rows.count, 16);
	assert_false(rows.items[15].rcv_data_bytes.known);
	assert_counter(rows.items[15].xmit_data_bytes, 0, false);
	drop(&rows);
}

static void details(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {.parts = {bytes.part[0], bytes.part[1]}};
	struct rows rows;

	(void)state;
	for (unsigned int i = 0; i < 6; i++)
		bits_set(bytes.part[0], (4 + 2 * i) * 8, 16, 100 + i);
	for (unsigned int i = 0; i < 4; i++)
		bits_set(bytes.part[1], (4 + 2 * i) * 8, 16, 200 + i);
	rows = rows_of(PERF_OF_DETAILS, &reading);
	assert_int_equal(rows.count, 1);
	assert_counter(rows.items[0].local_physical_errors, 100, false);
	assert_counter(rows.items[0].malformed_packet_errors, 101, false);
	assert_counter(rows.items[0].buffer_overrun_errors, 102, false);
	assert_counter(rows.items[0].dlid_mapping_errors, 103, false);
	assert_counter(rows.items[0].vl_mapping_errors, 104, false);
	assert_counter(rows.items[0].looping_errors, 105, false);
	assert_counter(rows.items[0].inactive_discards, 200, false);
	assert_counter(rows.items[0].neighbor_mtu_discards, 201, false);
	assert_counter(rows.items[0].switch_lifetime_limit_discards, 202, false);
	assert_counter(rows.items[0].switch_hoq_lifetime_limit_discards, 203, false);
	drop(&rows);
	reading.parts[0] = NULL;
	rows = rows_of(PERF_OF_DETAILS, &reading);
	assert_false(rows.items[0].looping_errors.known);
	assert_counter(rows.items[0].inactive_discards, 200, false);
	drop(&rows);
	reading.parts[1] = NULL;
	rows = rows_of(PERF_OF_DETAILS, &reading);
	assert_int_equal(rows.count, 0);
}

static void flow(void **state)
{
	struct bytes bytes = {.part = {{0}}};
	struct perf_reading reading = {.parts = {bytes.part[0], bytes.part[1]}};
	struct rows rows;

	(void)state;
	bits_set(bytes.part[0], 4 * 8, 32, 1);
	bits_set(bytes.part[0], 8 * 8, 32, 2);
	bytes.part[1][0] = 0x64;
	bits_set(bytes.part[1], 4 * 8, 32, 3);
	bits_set(bytes.part[1], 8 * 8, 32, 4);
	rows = rows_of(PERF_OF_FLOW, &reading);
	assert_int_equal(rows.count, 1);
	assert_counter(rows.items[0].xmit_flow_packets, 1, false);
	assert_counter(rows.items[0].rcv_flow_packets, 2, false);
	assert_counter(rows.items[0].op_rcv_packets, 3, false);
	assert_counter(rows.items[0].op_rcv_data_bytes, 16, false);
	assert_true(rows.items[0].op_code.known && rows.items[0].op_code.value == 0x64);
	drop(&rows);
	reading.parts[1] = NULL;
	rows = rows_of(PERF_OF_FLOW, &reading);
	assert_false(rows.items[0].op_code.known || rows.items[0].op_rcv_packets.known);
	drop(&rows);
}

/* Each counter of a listing has a rate in its place, with the unit from its key. */
static void rates_of_listings(void **state)
{
	(void)state;
	for (enum perf_listing listing = PERF_OF_VL; listing <= PERF_OF_FLOW; listing++) {
		const struct schema *counters = perf_listing_schema(listing);
		const struct schema *rates = perf_rates_schema_of(listing);
		struct perf_record before = {.object = NULL}, after = {.object = NULL};
		struct perf_rates now = {.time = NULL};
		uint64_t number = 0, place = 0;

		for (size_t i = 0; i < counters->field_count; i++) {
			const struct field *field = &counters->fields[i];
			struct perf_counter *counter;

			if (!field->tag)
				continue;
			counter = (struct perf_counter *)(void *)((char *)&before + field->offset);
			*counter = (struct perf_counter){.known = true};
			counter = (struct perf_counter *)(void *)((char *)&after + field->offset);
			*counter = (struct perf_counter){.value = 1000000000 * ++number,
							 .known = true};
		}
		perf_rates_of(listing, &before, &after, 2, &now);
		for (size_t i = 0; i < rates->field_count; i++) {
			const struct field *field = &rates->fields[i];
			struct value value;

			if (field->kind != FIELD_REAL || !strcmp(field->key, "interval_sec"))
				continue;
			field_get(field, &now, &value);
			assert_int_equal(value.kind, VALUE_REAL);
			place++;
			assert_true(value.real ==
				    (strstr(field->key, "gbps") ? 4 : 500000000) * (double)place);
		}
		assert_int_equal(place, number);
		perf_rates_clear(&now);
	}
}

static void sums(void **state)
{
	struct perf_record sum = {.symbol_errors = counted(1),
				  .link_downed = counted(2),
				  .xmit_data_bytes = counted(UINT64_MAX - 1),
				  .width_bits = number_of(64)};
	struct perf_record row = {.symbol_errors = counted(10),
				  .rcv_errors = counted(1),
				  .xmit_data_bytes = counted(2),
				  .width_bits = number_of(32)};

	(void)state;
	perf_record_add(&perf_schema, &sum, &row);
	assert_counter(sum.symbol_errors, 11, false);
	/* One of the rows lacks the value. */
	assert_false(sum.link_downed.known || sum.rcv_errors.known);
	assert_counter(sum.xmit_data_bytes, UINT64_MAX, true);
	assert_int_equal(sum.width_bits.value, 32);
	row.symbol_errors.saturated = true;
	perf_record_add(&perf_schema, &sum, &row);
	assert_counter(sum.symbol_errors, 21, true);
	perf_record_find_saturated(&perf_schema, &sum);
	assert_int_equal(sum.saturated.count, 2);
	perf_record_clear(&sum);
}

static void capabilities(void **state)
{
	unsigned char info[MAD_DATA_MOST] = {1, 1, 0x52, 0x00, 0x00, 0x00, 0x00, 0x52};
	struct perf_caps caps = perf_caps_of(info);

	(void)state;
	assert_int_equal(caps.mask, 0x5200);
	/* The low five bits of the last byte are the response time. */
	assert_int_equal(caps.mask2, PERF_CAP2_EXTENDED_ERRORS);
	assert_true(perf_has_extended(caps));
	caps.mask = PERF_CAP_ALL_PORT_SELECT;
	assert_false(perf_has_extended(caps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow_counters),
		cmocka_unit_test(wide_traffic),
		cmocka_unit_test(wide_errors),
		cmocka_unit_test(has_all_keys),
		cmocka_unit_test(marks_saturation),
		cmocka_unit_test(virtual_lanes),
		cmocka_unit_test(encoding),
		cmocka_unit_test(congestion),
		cmocka_unit_test(rates),
		cmocka_unit_test(service_levels),
		cmocka_unit_test(details),
		cmocka_unit_test(flow),
		cmocka_unit_test(rates_of_listings),
		cmocka_unit_test(sums),
		cmocka_unit_test(capabilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
