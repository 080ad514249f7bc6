/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results as rows: written, read back, and damaged in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/form/rows.h"
#include "render/render.h"

static char name_1[] = "n1", name_2[] = "n2", name_3[] = "n3";
static struct endpoint rails[MESH_MOST_RAILS];
/* n3 is absent, and n2 cannot use its rail 2. */
static const struct mesh_host hosts[] = {
	{.name = name_3},
	{.name = name_1, .presence = MESH_PRESENT, .rails = rails, .rail_count = 8},
	{.name = name_2,
	 .presence = MESH_PRESENT,
	 .rails = rails,
	 .rail_count = 8,
	 .missing_rails = 1 << 2},
};

static int name_rails(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < MESH_MOST_RAILS; i++) {
		snprintf(rails[i].device, sizeof(rails[i].device), "mlx5_%u", i);
		rails[i].port = 1;
	}
	return 0;
}

struct taken {
	struct mesh_result *items;
	size_t count;
};

static void take(void *context, const struct mesh_result *result)
{
	struct taken *taken = context;

	*(struct mesh_result *)mem_append(&taken->items, &taken->count, sizeof(*result)) = *result;
}

static struct mesh_rows_read read_rows(const char *text, struct taken *taken)
{
	/* A copy without a NUL, so that the sanitizer sees a read past its end. */
	const size_t length = strlen(text);
	char *copy = mem_alloc_zero(length + !length, 1);
	struct mesh_rows_read read;

	memcpy(copy, text, length);
	mesh_rows_read(copy, length, hosts, ARRAY_SIZE(hosts), take, taken, &read);
	free(copy);
	return read;
}

static char *write_rows(const struct mesh_result *results, size_t count)
{
	const struct render_options options = {.format = FORMAT_JSONL};
	struct columns columns;
	char *bad = NULL, *text;
	struct mesh_row *rows = mem_alloc_zero(count, sizeof(*rows));
	const void **list = mem_alloc_zero(count, sizeof(*list));

	assert_int_equal(columns_select(&columns, &mesh_rows_schema, COLUMNS_ALL, NULL, &bad), 0);
	for (size_t i = 0; i < count; i++) {
		mesh_row_make(hosts, NULL, &results[i], &rows[i]);
		list[i] = &rows[i];
	}
	assert_int_equal(render_to_text(&options,
					&(const struct document){.columns = &columns,
								 .rows = list,
								 .row_count = count},
					&text),
			 0);
	columns_free(&columns);
	for (size_t i = 0; i < count; i++)
		mesh_row_free(&rows[i]);
	free(rows);
	free(list);
	return text;
}

static void there_and_back(void **state)
{
	static const struct mesh_result results[] = {
		{.pair = {1, 2, 3, 4},
		 .stage = 2,
		 .round = 5,
		 .again = true,
		 .latency_usec = {1.5, true},
		 .gbps = {{392.25, true}, {17, true}},
		 .both_gbps = {{201.5, true}, {16.25, true}},
		 .errors = {{7, true}, {0, true}}},
		{.pair = {0, 0, 1, 1}, .outcome = MESH_FAIL, .reason = "the \"peer\" is \\ gone"},
		{.pair = {2, 1, 0, 0}, .stage = 1, .outcome = MESH_UNTRIED},
		{.pair = {2, 0, 0, 0}, .outcome = MESH_APART, .reason = "a firewall"},
	};
	_cleanup_(freep) char *text = write_rows(results, ARRAY_SIZE(results));
	struct taken taken = {0};
	struct mesh_rows_read read = read_rows(text, &taken);

	(void)state;
	assert_int_equal(read.taken, 4);
	assert_int_equal(read.broken, 0);
	assert_int_equal(read.unused, 0);
	assert_int_equal(taken.count, 4);
	for (size_t i = 0; i < taken.count; i++) {
		const struct mesh_result *got = &taken.items[i], *want = &results[i];

		assert_memory_equal(&got->pair, &want->pair, sizeof(got->pair));
		assert_int_equal(got->stage, want->stage);
		assert_int_equal(got->round, want->round);
		assert_int_equal(got->again, want->again);
		assert_int_equal(got->outcome, want->outcome);
		assert_int_equal(got->latency_usec.known, want->latency_usec.known);
		for (int end = 0; end < MESH_ENDS; end++) {
			assert_int_equal(got->gbps[end].known, want->gbps[end].known);
			assert_float_equal(got->gbps[end].value, want->gbps[end].value, 1e-9);
			assert_int_equal(got->both_gbps[end].known, want->both_gbps[end].known);
			assert_float_equal(got->both_gbps[end].value, want->both_gbps[end].value,
					   1e-9);
			assert_int_equal(got->errors[end].known, want->errors[end].known);
			assert_int_equal(got->errors[end].value, want->errors[end].value);
		}
		assert_string_equal(got->reason, want->reason);
	}
	free(taken.items);
}

#define GOOD \
	"{\"stage\": 0, \"host\": \"n1\", \"peer\": \"n2\", \"rail\": 0, \"outcome\": \"pass\"}\n"

#define FIGURE(name, value)                                                                       \
	"{\"stage\": 0, \"host\": \"n1\", \"peer\": \"n2\", \"rail\": 0, \"outcome\": \"pass\", " \
	"\"" name "\": " value "}\n"

static void broken_lines(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"x\n", "line 1: line 1, column 1: a record is not an object"},
		{"[]\n", "line 1: line 1, column 1: a record is not an object"},
		{"{}\n", "line 1: it does not name two hosts"},
		{"{} {}\n", "line 1: line 1, column 4: unexpected data after the record"},
		{"{\"host\": 7}\n", "line 1: line 1, column 10: host cannot be 7"},
		{"{\"host\": \"n1\", \"host\": \"n2\"}\n", NULL},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": 16}\n",
		 "line 1: it has no valid rail"},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": -1}\n", NULL},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": 1, \"peer_rail\": 99, \"stage\": "
		 "0}\n",
		 "line 1: it has no valid rail"},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": 1}\n",
		 "line 1: it has no valid stage"},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": 1, \"stage\": 0}\n",
		 "line 1: it has no valid outcome"},
		{"{\"host\": \"n1\", \"peer\": \"n2\", \"rail\": 1, \"stage\": 0, \"outcome\": "
		 "\"?\"}\n",
		 "line 1: it has no valid outcome"},
		{FIGURE("gbps", "1e300"), "line 1: it has an impossible figure"},
		{FIGURE("peer_gbps", "-5"), "line 1: it has an impossible figure"},
		{FIGURE("both_gbps", "1000001"), "line 1: it has an impossible figure"},
		{FIGURE("both_peer_gbps", "-0.1"), "line 1: it has an impossible figure"},
		{FIGURE("latency_usec", "3.7e9"), "line 1: it has an impossible figure"},
		{"\n\n\x01\xff\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = mem_format("%s%s", cases[i].text, GOOD);
		struct taken taken = {0};
		struct mesh_rows_read read = read_rows(text, &taken);

		assert_int_equal(read.broken, 1);
		assert_int_equal(read.taken, 1);
		if (cases[i].reason)
			assert_string_equal(read.reason, cases[i].reason);
		free(read.reason);
		free(taken.items);
	}
}

/* A reason that is too long ends with a whole character. */
static void long_reasons(void **state)
{
	_cleanup_(freep) char *reason = mem_string("");
	_cleanup_(freep) char *text = NULL;
	struct taken taken = {0};
	struct mesh_rows_read read;

	(void)state;
	for (size_t i = 0; i < sizeof(taken.items->reason); i++)
		mem_extend(&reason, "\xc3\xa9");
	text = mem_format("{\"stage\": 0, \"host\": \"n1\", \"peer\": \"n2\", \"rail\": 0, "
			  "\"outcome\": \"fail\", \"reason\": \"%s\"}\n",
			  reason);
	read = read_rows(text, &taken);
	assert_int_equal(read.taken, 1);
	reason[(sizeof(taken.items->reason) - 1) / 2 * 2] = '\0';
	assert_string_equal(taken.items[0].reason, reason);
	free(taken.items);
}

static void ends(void **state)
{
	struct taken taken = {0};
	struct mesh_rows_read read = read_rows("", &taken);

	(void)state;
	assert_int_equal(read.taken + read.broken, 0);
	/* Truncated while it was written. */
	read = read_rows(GOOD "{\"stage\": 0, \"ho", &taken);
	assert_int_equal(read.taken, 1);
	assert_int_equal(read.broken, 0);
	read = read_rows("{\"stage\": 0, \"host\": \"n1\", \"peer\": \"n9\", \"rail\": 0, "
			 "\"outcome\": \"pass\"}\n",
			 &taken);
	assert_int_equal(read.unused, 1);
	assert_string_equal(read.cause, "n9, for example, is not in this run; if it should be, "
					"name the hosts as the file does");
	assert_int_equal(read.taken, 0);
	free(read.cause);
	free(taken.items);
}

#define DEVICES(one, other) ", \"device\": \"" one "\", \"peer_device\": \"" other "\""

/* Rails that cannot be used now, or that were another port, as in an older file they may be. */
static void other_ports(void **state)
{
	static const char moved[] = "may have been another port then",
			  gone[] = "cannot be used now";
	static const struct {
		const char *host, *peer;
		int rail;
		const char *devices; /* of both rails */
		int of;		     /* the host whose rail it is */
		const char *why;     /* NULL: the result is taken */
	} samples[] = {
		{"n1", "n3", 4, "", 0, NULL},
		{"n1", "n2", 1, "", 0, NULL},
		{"n1", "n2", 2, "", 2, gone},
		{"n2", "n1", 3, "", 2, moved},
		{"n1", "n2", 8, "", 1, gone},
		{"n2", "n1", 3, DEVICES("mlx5_3/1", "mlx5_3/1"), 0, NULL},
		{"n1", "n2", 2, DEVICES("mlx5_2/1", "mlx5_2/1"), 2, gone},
		{"n1", "n2", 3, DEVICES("mlx5_4/1", "mlx5_3/1"), 1, moved},
		{"n1", "n2", 3, DEVICES("mlx5_3/1", "mlx5_3/2"), 2, moved},
		{"n3", "n1", 9, DEVICES("mlx5_9/1", "mlx5_9/1"), 1, gone},
		{"n3", "n1", 3, DEVICES("mlx5_0/1", "mlx5_3/1"), 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = mem_format(
			"{\"stage\": 0, \"host\": \"%s\", \"peer\": \"%s\", \"rail\": %d, "
			"\"outcome\": \"pass\"%s}\n",
			samples[i].host, samples[i].peer, samples[i].rail, samples[i].devices);
		_cleanup_(freep) char *wanted = mem_format("rail %d of n%d, for example, %s",
							   samples[i].rail, samples[i].of,
							   samples[i].why ?: "");
		struct taken taken = {0};
		struct mesh_rows_read read = read_rows(text, &taken);

		assert_int_equal(read.taken, !samples[i].why);
		assert_int_equal(read.unused, samples[i].why != NULL);
		if (samples[i].why)
			assert_string_equal(read.cause, wanted);
		free(read.cause);
		free(taken.items);
	}
}

static void done(void **state)
{
	struct mesh_done done = {0};
	struct mesh_pair pair = {.rail_a = 3, .rail_b = 3}, turned;

	(void)state;
	assert_false(mesh_done_has(&done, 0, &pair));
	for (uint32_t a = 0; a < 100; a++)
		for (uint32_t b = 0; b <= a; b++) {
			pair.a = a;
			pair.b = b;
			mesh_done_add(&done, 1, &pair);
			mesh_done_add(&done, 1, &pair);
		}
	assert_int_equal(done.count, 100 * 101 / 2);
	for (uint32_t a = 0; a < 101; a++)
		for (uint32_t b = 0; b <= a; b++) {
			turned = (struct mesh_pair){.a = b, .b = a, .rail_a = 3, .rail_b = 3};
			assert_int_equal(mesh_done_has(&done, 1, &turned), a < 100);
			assert_false(mesh_done_has(&done, 2, &turned));
			turned.rail_a = turned.rail_b = 2;
			assert_false(mesh_done_has(&done, 1, &turned));
		}
	mesh_done_clear(&done);
	pair = (struct mesh_pair){.a = MESH_MOST_HOSTS - 1,
				  .b = MESH_MOST_HOSTS - 1,
				  .rail_a = MESH_MOST_RAILS - 1,
				  .rail_b = MESH_MOST_RAILS - 1};
	mesh_done_add(&done, 31, &pair);
	assert_true(mesh_done_has(&done, 31, &pair));
	mesh_done_clear(&done);
}

/* In an incast, a host that has sent to another one has yet to receive from it. */
static void directed(void **state)
{
	const struct mesh_pair pair = {.a = 7, .b = 3}, turned = {.a = 3, .b = 7};
	struct mesh_done done = {.directed = 1 << 2};

	(void)state;
	for (uint32_t stage = 1; stage < 65536; stage *= 2)
		mesh_done_add(&done, stage, &pair);
	for (uint32_t i = 0; i < 2000; i++)
		mesh_done_add(&done, 0, &(const struct mesh_pair){.a = i, .b = i});
	for (uint32_t stage = 1; stage < 65536; stage *= 2) {
		assert_true(mesh_done_has(&done, stage, &pair));
		assert_int_equal(mesh_done_has(&done, stage, &turned), stage != 2);
	}
	mesh_done_clear(&done);
}

/* A removed pair leaves those that share its place in the table. */
static void removed(void **state)
{
	struct mesh_done done = {0};
	struct mesh_pair pair = {.b = 1};

	(void)state;
	mesh_done_remove(&done, 0, &pair);
	for (pair.a = 0; pair.a < 1000; pair.a++)
		mesh_done_add(&done, 0, &pair);
	for (pair.a = 0; pair.a < 1000; pair.a += 2)
		mesh_done_remove(&done, 0, &pair);
	for (pair.a = 0; pair.a < 1000; pair.a++)
		assert_int_equal(mesh_done_has(&done, 0, &pair), pair.a % 2);
	for (pair.a = 1000; pair.a < 4000; pair.a++)
		mesh_done_add(&done, 0, &pair);
	for (pair.a = 0; pair.a < 1000; pair.a++)
		assert_int_equal(mesh_done_has(&done, 0, &pair), pair.a % 2);
	mesh_done_clear(&done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(broken_lines),
		cmocka_unit_test(long_reasons),	  cmocka_unit_test(ends),
		cmocka_unit_test(other_ports),	  cmocka_unit_test(done),
		cmocka_unit_test(directed),	  cmocka_unit_test(removed),
	};

	return cmocka_run_group_tests(tests, name_rails, NULL);
}
