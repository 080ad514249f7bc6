/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A row of a selftest: what is computed from it, how it is shown, and the list of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/record/record.h"
#include "render/render.h"

static void get(const struct selftest_result *result, const char *key, struct value *value)
{
	const struct field *field = schema_find(&selftest_schema, key);

	assert_non_null(field);
	memset(value, 0xa5, sizeof(*value));
	field_get(field, result, value);
}

static void check_real(const struct selftest_result *result, const char *key, double expected)
{
	struct value value;

	get(result, key, &value);
	assert_int_equal(value.kind, VALUE_REAL);
	assert_float_equal(value.real, expected, 1e-9);
}

static void check_none(const struct selftest_result *result, const char *key)
{
	struct value value;

	get(result, key, &value);
	assert_int_equal(value.kind, VALUE_NONE);
}

static void check_figures(const struct selftest_result *result, const char *expected)
{
	struct value value;

	get(result, "figures", &value);
	assert_int_equal(value.kind, VALUE_STRING);
	assert_string_equal(value.string, expected);
}

/* Everything in an empty record is unknown. */
static void nothing_known(void **state)
{
	const struct selftest_result result = {0};

	(void)state;
	for (size_t i = 0; i < selftest_schema.field_count; i++)
		check_none(&result, selftest_schema.fields[i].key);
}

static struct real real(double value)
{
	return (struct real){value, true};
}

static void ratios(void **state)
{
	struct selftest_result result = {.bandwidth_gbps = real(8.388608)};

	(void)state;
	check_real(&result, "bandwidth_mibps", 1000);
	check_none(&result, "rate_percent");
	result.rate_gbps = real(0);
	check_none(&result, "rate_percent");
	result.rate_gbps = real(16.777216);
	check_real(&result, "rate_percent", 50);
	result.packed_usec = real(10);
	check_none(&result, "packed_ratio");
	result.transfer_usec = real(8.2);
	check_real(&result, "packed_ratio", 0.82);
	result.packed_usec = real(0);
	check_none(&result, "packed_ratio");
}

static void figures(void **state)
{
	struct selftest_result result = {.latency_p50_usec = real(4.2)};

	(void)state;
	check_figures(&result, "p50 4.20 us");
	result.latency_p99_usec = real(6.014);
	check_figures(&result, "p50 4.20 us, p99 6.01 us");
	result.latency_p50_usec = real(123.44);
	result.latency_p99_usec = real(12345.6);
	check_figures(&result, "p50 123 us, p99 12346 us");
	result = (struct selftest_result){.bandwidth_gbps = real(11.94)};
	check_figures(&result, "11.9 Gb/s");
	result.rate_gbps = real(25);
	check_figures(&result, "11.9 Gb/s, 48 % of 25 Gb/s");
	result.bandwidth_gbps = real(0.0213);
	result.rate_gbps = real(2.5);
	check_figures(&result, "0.021 Gb/s, 0.9 % of 2.5 Gb/s");
	result = (struct selftest_result){.transfer_usec = real(8.2), .packed_usec = real(10)};
	check_figures(&result, "0.82 x packed");
	/* Rounding does not add a digit. */
	result.transfer_usec = real(99.96);
	check_figures(&result, "10.0 x packed");
}

/* More than fits: figures are omitted, and none is cut. */
static void figures_too_long(void **state)
{
	const struct selftest_result result = {
		.transfer_usec = real(8.2),
		.packed_usec = real(10),
		.latency_p50_usec = real(1e9),
		.latency_p99_usec = real(1e12),
		.bandwidth_gbps = real(100),
		.rate_gbps = real(400),
	};
	const struct selftest_result endless = {.latency_p50_usec = real(1e300),
						.latency_p99_usec = real(1)};

	(void)state;
	check_figures(&result, "0.82 x packed, p50 1000000000 us, p99 1000000000000 us");
	check_figures(&endless, "p99 1.00 us");
}

static void fill(struct selftest_result *result)
{
	struct selftest_bucket *bucket;
	struct selftest_counter *counter;

	result->device = mem_string("rxe0");
	result->port = number_of(1);
	result->netdev = mem_string("eth0");
	result->gid_type = number_of(2);
	result->peer = mem_string("192.168.42.8");
	result->peer_device = mem_string("rxe1");
	result->connection = number_of(CONNECTION_CM);
	result->group = number_of(SELFTEST_LATENCY);
	result->test = mem_string("latency-send");
	result->summary = mem_string("time of a message");
	result->verdict = number_of(SELFTEST_FAIL);
	result->reason = mem_string("retries exhausted");
	result->next_step = mem_string("look at the firewall");
	result->status = mem_string("transport retry counter exceeded");
	result->size_bytes = number_of(2);
	result->latency_p50_usec = real(4.2);
	for (unsigned int i = 0; i < 3; i++) {
		bucket = mem_append(&result->histogram, &result->histogram_count, sizeof(*bucket));
		bucket->least_usec = real(i);
		bucket->below_usec = real(i + 1);
		bucket->count = number_of(i * 10);
		counter = mem_append(&result->counters, &result->counter_count, sizeof(*counter));
		counter->side = number_of(i % 2 ? SIDE_PEER : SIDE_LOCAL);
		counter->device = mem_string("rxe0");
		counter->port = number_of(1);
		counter->name = mem_string("retry_exceeded_err");
		counter->before = number_of(i * 5);
		if (i < 2)
			counter->after = number_of(3);
	}
}

static char *print(enum format format, enum column_set set, const char *list,
		   const struct selftest_results *results)
{
	static const struct problems none;
	const struct render_options options = {.format = format, .headings = true};
	struct columns columns;
	char *bad = NULL, *text;
	const struct document document = {
		.columns = &columns,
		.rows = (const void *const *)results->items,
		.row_count = results->count,
		.problems = &none,
	};

	assert_int_equal(columns_select(&columns, &selftest_schema, set, list, &bad), 0);
	assert_int_equal(render_to_text(&options, &document, &text), 0);
	columns_free(&columns);
	return text;
}

static void shown(void **state)
{
	struct selftest_results results = {0};
	_cleanup_(freep) char *table = NULL, *lines = NULL;

	(void)state;
	fill(selftest_results_add(&results));
	selftest_results_add(&results)->verdict = number_of(SELFTEST_PASS);
	table = print(FORMAT_TABLE, COLUMNS_DEFAULT, NULL, &results);
	assert_string_equal(table,
			    "DEVICE PORT TEST         RESULT SIZE FIGURES     REASON\n"
			    "rxe0      1 latency-send fail      2 p50 4.20 us retries exhausted\n"
			    "-         - -            pass      - -           -\n");
	lines = print(FORMAT_JSONL, COLUMNS_ALL, "peer,result,group,connection,histogram,counters",
		      &results);
	assert_string_equal(
		lines,
		"{\"peer\": \"192.168.42.8\", \"result\": \"fail\", \"group\": \"latency\", "
		"\"connection\": \"cm\", \"histogram\": ["
		"{\"least_usec\": 0, \"below_usec\": 1, \"count\": 0}, "
		"{\"least_usec\": 1, \"below_usec\": 2, \"count\": 10}, "
		"{\"least_usec\": 2, \"below_usec\": 3, \"count\": 20}], \"counters\": ["
		"{\"side\": \"local\", \"device\": \"rxe0\", \"port\": 1, "
		"\"name\": \"retry_exceeded_err\", \"before\": 0, \"after\": 3, \"delta\": 3}, "
		"{\"side\": \"peer\", \"device\": \"rxe0\", \"port\": 1, "
		"\"name\": \"retry_exceeded_err\", \"before\": 5, \"after\": 3, \"delta\": -2}, "
		"{\"side\": \"local\", \"device\": \"rxe0\", \"port\": 1, "
		"\"name\": \"retry_exceeded_err\", \"before\": 10, \"after\": null, "
		"\"delta\": null}]}\n"
		"{\"peer\": null, \"result\": \"pass\", \"group\": null, \"connection\": null, "
		"\"histogram\": null, \"counters\": null}\n");
	selftest_results_free(&results);
}

static void verdicts_have_tones(void **state)
{
	static const enum tone tones[] = {TONE_GOOD, TONE_BAD, TONE_WARNING};
	struct selftest_result result = {0};
	struct value value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tones); i++) {
		result.verdict = number_of(i);
		get(&result, "result", &value);
		assert_int_equal(value.tone, tones[i]);
	}
}

static void rows_stay_in_place(void **state)
{
	struct selftest_results results = {0};
	struct selftest_result *rows[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i] = selftest_results_add(&results);
		assert_null(rows[i]->device);
		fill(rows[i]);
		rows[i]->iterations = number_of(i);
	}
	assert_int_equal(results.count, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_ptr_equal(results.items[i], rows[i]);
		assert_int_equal(rows[i]->iterations.value, i);
	}
	selftest_results_drop_first(&results);
	assert_int_equal(results.count, ARRAY_SIZE(rows) - 1);
	for (size_t i = 1; i < ARRAY_SIZE(rows); i++)
		assert_ptr_equal(results.items[i - 1], rows[i]);
	selftest_results_free(&results);
	assert_null(results.items);
	assert_int_equal(results.count, 0);
	selftest_results_free(&results);
}

/* Port names from another host: cleaned, or unknown. */
static void ports(void **state)
{
	struct endpoint endpoint = {
		.device = "\033rxa", .netdev = "eth0", .port = 2, .gid_index = 3, .gid_type = 1};
	struct selftest_result *row = mem_alloc_zero(1, sizeof(*row));

	(void)state;
	endpoint.gid.raw[15] = 9;
	selftest_result_set_local(row, &endpoint);
	assert_string_equal(row->device, "\\x1brxa");
	assert_string_equal(row->netdev, "eth0");
	assert_int_equal(row->port.value, 2);
	assert_int_equal(row->gid_index.value, 3);
	assert_int_equal(row->gid_type.value, 1);
	assert_true(row->port.known && row->gid_index.known && row->gid_type.known);
	assert_true(row->gid.known);
	assert_int_equal(row->gid.gid.raw[15], 9);
	assert_null(row->peer_device);
	endpoint.device[1] = 'R';
	endpoint.port = 1;
	selftest_result_set_peer(row, &endpoint);
	assert_string_equal(row->peer_device, "\\x1bRxa");
	assert_int_equal(row->peer_port.value, 1);
	assert_true(row->peer_gid.known);
	selftest_result_free(row);
	row = mem_alloc_zero(1, sizeof(*row));
	endpoint.device[0] = '\0';
	selftest_result_set_local(row, &endpoint);
	selftest_result_set_peer(row, &endpoint);
	assert_null(row->device);
	assert_false(row->port.known || row->gid.known || row->peer_port.known ||
		     row->peer_gid.known);
	selftest_result_free(row);
}

/* In loopback, both sides are the same port. */
static void counters(void **state)
{
	struct counter before = {.name = (char[]){"out_of_sequence"}, .value = 4};
	struct counter after = {.name = (char[]){"out_of_sequence"}, .value = 7};
	struct selftest_result *row = mem_alloc_zero(1, sizeof(*row));

	(void)state;
	selftest_result_add_counter(row, SIDE_LOCAL, &before, &after);
	assert_string_equal(row->counters[0].device, "");
	row->device = mem_string("rxa");
	row->port = number_of(1);
	selftest_result_add_counter(row, SIDE_PEER, &before, &after);
	row->peer_device = mem_string("rxb");
	row->peer_port = number_of(2);
	selftest_result_add_counter(row, SIDE_LOCAL, &before, &after);
	selftest_result_add_counter(row, SIDE_PEER, &before, &after);
	assert_int_equal(row->counter_count, 4);
	for (size_t i = 1; i < 4; i++) {
		const struct selftest_counter *counter = &row->counters[i];

		assert_string_equal(counter->device, i == 3 ? "rxb" : "rxa");
		assert_int_equal(counter->port.value, i == 3 ? 2 : 1);
		assert_int_equal(counter->side.value, i == 2 ? SIDE_LOCAL : SIDE_PEER);
		assert_string_equal(counter->name, "out_of_sequence");
		assert_int_equal(counter->before.value, 4);
		assert_int_equal(counter->after.value, 7);
	}
	selftest_result_free(row);
}

static void dropped(void **state)
{
	struct selftest_results results = {0};
	struct selftest_result *rows[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		rows[i] = selftest_results_add(&results);
	selftest_results_drop_first(&results);
	assert_int_equal(results.count, 2);
	assert_ptr_equal(results.items[0], rows[1]);
	assert_ptr_equal(results.items[1], rows[2]);
	selftest_results_free(&results);
	assert_null(results.items);
	assert_int_equal(results.count, 0);
}

/* A counter that neither side has is unknown, not zero. */
static void growth(void **state)
{
	static const struct {
		struct counter_sums sums[2];
		const char *text;
		bool peer;
	} cases[] = {
		{{{.by_class[COUNTER_TRAFFIC_SENT] = {7, true}}}, NULL, false},
		{{{.by_class[COUNTER_ERROR] = {0, true}}}, "0 errors", false},
		{{{.by_class[COUNTER_RETRANSMISSION] = {2, true}},
		  {.by_class = {[COUNTER_RETRANSMISSION] = {3, true},
				[COUNTER_ERROR] = {UINT32_MAX, true}}}},
		 "5 retransmissions, 4294967295 errors (peer only)",
		 true},
		{{{.by_class = {[COUNTER_RETRANSMISSION] = {0, true}, [COUNTER_RNR] = {1, true}}},
		  {.by_class[COUNTER_ERROR] = {0, true}}},
		 "0 retransmissions (local only), 1 receiver not ready (local only), "
		 "0 errors (peer only)",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = selftest_growth_text(cases[i].sums, cases[i].peer);

		assert_string_equal(text ?: "", cases[i].text ?: "");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(ports),
		cmocka_unit_test(counters),
		cmocka_unit_test(growth),
		cmocka_unit_test(dropped),
		cmocka_unit_test(ratios),
		cmocka_unit_test(figures),
		cmocka_unit_test(figures_too_long),
		cmocka_unit_test(shown),
		cmocka_unit_test(verdicts_have_tones),
		cmocka_unit_test(rows_stay_in_place),
	};

	return cmocka_run_group_tests_name("selftest_result", tests, NULL, NULL);
}
