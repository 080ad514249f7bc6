/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file of fabric route --pairs-file, and which differences between scans count. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/diff/diff.h"
#include "fabric/route/route.h"

static void pairs_of_a_file(void **state)
{
	static const char text[] = "# all of it\n"
				   "a b\r\n"
				   "\n"
				   "  \"n 1\" \t \"n 2/3\"   # the last\n"
				   "c#1 #d\n";
	struct route_pairs pairs = {.items = NULL};
	unsigned int line = 0;

	(void)state;
	assert_int_equal(route_pairs_parse(&pairs, text, &line), -EINVAL);
	assert_int_equal(line, 5);
	assert_int_equal(pairs.count, 2);
	assert_string_equal(pairs.items[0].from, "a");
	assert_string_equal(pairs.items[0].to, "b");
	assert_int_equal(pairs.items[0].line, 2);
	assert_string_equal(pairs.items[1].from, "n 1");
	assert_string_equal(pairs.items[1].to, "n 2/3");
	assert_int_equal(pairs.items[1].line, 4);
	route_pairs_clear(&pairs);
	assert_int_equal(route_pairs_parse(&pairs, "c#1 d", &line), 0);
	assert_string_equal(pairs.items[0].from, "c#1");
	route_pairs_clear(&pairs);
}

static void lines_that_are_wrong(void **state)
{
	static const char *const lines[] = {
		"a", "a b c", "\"a b", "\"a\"b c", "\"\" a", "a \"b", "a \"\"", "\"a\" # b",
	};
	unsigned int line;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct route_pairs pairs = {.items = NULL};

		line = 0;
		assert_int_equal(route_pairs_parse(&pairs, lines[i], &line), -EINVAL);
		assert_int_equal(line, 1);
		assert_int_equal(pairs.count, 0);
		route_pairs_clear(&pairs);
	}
}

static void add(struct fabric_changes *changes, enum fabric_change_kind kind, unsigned int type)
{
	*(struct fabric_change *)mem_append(&changes->items, &changes->count,
					    sizeof(*changes->items)) = (struct fabric_change){
		.change = number_of(kind),
		.node_type = number_of(type),
		.node = mem_string("node"),
	};
	changes->changed = true;
}

/* Each kind of change is selected by one word; what was not seen stays. */
static void chosen_changes(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 10; bit++) {
		struct fabric_changes changes = {.incomplete = true};
		size_t kept = 0;

		for (unsigned int kind = CHANGE_NODE_GONE; kind <= CHANGE_UNANSWERED; kind++)
			add(&changes, kind, NODE_TYPE_SWITCH);
		add(&changes, CHANGE_NODE_NEW, NODE_TYPE_CA);
		add(&changes, CHANGE_NODE_GONE, NODE_TYPE_ROUTER);
		fabric_changes_choose(&changes, 1u << bit, NULL);
		assert_true(changes.changed && changes.incomplete);
		kept = changes.count - 1;
		assert_int_equal(changes.items[kept].change.value == CHANGE_UNANSWERED ||
					 1u << bit == COMPARE_HOSTS || 1u << bit == COMPARE_ROUTERS,
				 true);
		assert_int_equal(kept, 1u << bit == COMPARE_SWITCHES ? 3
				       : 1u << bit == COMPARE_CABLES ? 3
								     : 1);
		fabric_changes_choose(&changes, 0, NULL);
		assert_int_equal(changes.count, 0);
		assert_false(changes.changed);
		fabric_changes_clear(&changes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_a_file),
		cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(chosen_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
