/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON documents as trees, and expectation files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/doctor.h"
#include "doctor/expect/expectation.h"
#include "render/json_tree.h"

static void values(void **state)
{
	static const char text[] = "{\"a\": [1, -2.5, \"x\\u001b\", true, null, {}, []],\n"
				   "  \"big\": 18446744073709551615, \"b\": false}";
	_cleanup_(freep) char *message = NULL, *place = NULL;
	const struct json_node *list, *big;
	struct json_tree tree;

	(void)state;
	assert_int_equal(json_tree_read(text, strlen(text), &tree, &message), 0);
	assert_int_equal(tree.root.kind, JSON_NODE_OBJECT);
	assert_int_equal(tree.root.count, 3);
	list = json_node_find(&tree.root, "a");
	assert_int_equal(list->kind, JSON_NODE_LIST);
	assert_int_equal(list->count, 7);
	assert_true(list->items[0].real > 0.9 && list->items[0].real < 1.1);
	assert_true(list->items[1].real < -2.4 && list->items[1].real > -2.6);
	assert_string_equal(list->items[2].string, "x\\x1b");
	assert_int_equal(list->items[3].kind, JSON_NODE_BOOL);
	assert_int_equal(list->items[4].kind, JSON_NODE_NULL);
	assert_int_equal(list->items[5].kind, JSON_NODE_OBJECT);
	assert_int_equal(list->items[6].count, 0);
	big = json_node_find(&tree.root, "big");
	assert_true(big->kind == JSON_NODE_NUMBER && big->real >= (double)UINT64_MAX);
	place = json_tree_place(&tree, big->key_at);
	assert_string_equal(place, "line 2, column 3");
	assert_null(json_node_find(&tree.root, "c"));
	json_tree_clear(&tree);
}

static void expect_refused(const char *text, size_t length, const char *expected)
{
	_cleanup_(freep) char *message = NULL;
	struct json_tree tree;

	assert_int_equal(json_tree_read(text, length, &tree, &message), -EINVAL);
	assert_string_equal(message, expected);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "line 1, column 1: unexpected token near end of file"},
		{"{\"a\":1,\n\"a\":2}", "line 2, column 1: duplicate key 'a'"},
		{"[1, 2", "line 1, column 6: ']' is missing"},
		{"{\"a\" 1}", "line 1, column 6: ':' is missing"},
		{"[1] []", "line 1, column 5: unexpected data after the JSON document"},
		{"[,]", "line 1, column 2: unexpected token near ','"},
		{"[18446744073709551616]", "line 1, column 2: the number is too large"},
		{"[1e999]", "line 1, column 6: real number overflow near '1e999'"},
		{"[\"\x80\"]", "line 1, column 2: unable to decode byte 0x80 near '\"'"},
	};
	char deep[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
	expect_refused("[1]\0", 4, "line 1, column 4: unexpected data after the JSON document");
	memset(deep, '[', sizeof(deep));
	expect_refused(deep, sizeof(deep), "line 1, column 33: values nested more than 32 deep");
}

#define FILE_OF(members) "{\"schema\": \"rdmactl/expect/1\"" members "}"

static void load(const char *text, struct expectation *expectation)
{
	char *message = NULL;
	int rc = expectation_parse(text, strlen(text), expectation, &message);

	if (rc)
		fprintf(stderr, "%s\n", message);
	free(message);
	assert_int_equal(rc, 0);
}

static void expect_text(const struct wanted *wanted, const char *expected)
{
	_cleanup_(freep) char *text = wanted_text(wanted);

	assert_string_equal(text, expected);
}

static void wanted(void **state)
{
	const struct wanted *want;
	struct expectation file;

	(void)state;
	load(FILE_OF(", \"boards\": {\"MT_1\": {\"count\": {\"min\": 2}, \"firmware\": [\"1.2\", "
		     "\"1.3\"], "
		     "\"pcie\": {\"width_lanes\": [8, 16]}, \"rate_gbps\": 0.5, \"comment\": "
		     "[1]}}, "
		     "\"pci\": {\"0000:*\": {}}, \"devices\": {\"mlx5_0\": {}}"),
	     &file);
	assert_int_equal(file.selector_count, 3);
	assert_int_equal(file.selectors[0].kind, SELECT_BOARD);
	assert_string_equal(file.selectors[0].name, "MT_1");
	assert_int_equal(file.selectors[1].kind, SELECT_PCI);
	assert_int_equal(file.selectors[2].kind, SELECT_DEVICE);
	want = file.selectors[0].wanted;
	assert_true(wanted_allows_number(&want[WANTED_COUNT], 2));
	assert_true(wanted_allows_number(&want[WANTED_COUNT], 3));
	assert_false(wanted_allows_number(&want[WANTED_COUNT], 1));
	expect_text(&want[WANTED_COUNT], "at least 2");
	assert_true(wanted_allows_word(&want[WANTED_FIRMWARE], "1.3"));
	assert_false(wanted_allows_word(&want[WANTED_FIRMWARE], "1.30"));
	expect_text(&want[WANTED_FIRMWARE], "1.2 or 1.3");
	assert_true(wanted_allows_number(&want[WANTED_PCIE_WIDTH], 16));
	assert_false(wanted_allows_number(&want[WANTED_PCIE_WIDTH], 4));
	expect_text(&want[WANTED_PCIE_WIDTH], "8 or 16");
	expect_text(&want[WANTED_RATE], "0.5");
	assert_false(want[WANTED_DRIVER].known || file.memlock.known || file.profile.known);
	expectation_clear(&file);
}

static void host_and_ignored(void **state)
{
	_cleanup_(freep) char *place = NULL;
	struct expectation file;

	(void)state;
	load(FILE_OF(", \"profile\": \"gpu\", \"memlock_bytes\": [\"unlimited\", 5],\n"
		     "\"ignore\": [{\"pci\": \"0000:65:00.1\", \"why\": \"spare\"}, "
		     "{\"check\": \"memlock\", \"port\": \"a/1\", \"device\": \"a\", \"why\": "
		     "\"x\"}]"),
	     &file);
	assert_int_equal(file.profile.value, PROFILE_GPU);
	assert_true(wanted_allows_number(&file.memlock, INFINITY));
	assert_true(wanted_allows_number(&file.memlock, 5));
	assert_false(wanted_allows_number(&file.memlock, 6));
	assert_int_equal(file.ignored_count, 2);
	assert_string_equal(file.ignored[0].pci, "0000:65:00.1");
	assert_false(file.ignored[0].check.known || file.ignored[0].matched);
	assert_int_equal(file.ignored[1].check.value, CHECK_ID_memlock);
	assert_string_equal(file.ignored[1].port, "a/1");
	place = expectation_place(&file, file.ignored[1].at);
	assert_string_equal(place, "line 2, column 53");
	expectation_clear(&file);
}

/* The message for each fault, and its place: that of the marked text. */
static void faults(void **state)
{
	static const struct {
		const char *text, *at, *message;
	} cases[] = {
		{"[]", "[", "the document is a list, not an object"},
		{"{}", "{", "no member \"schema\": \"rdmactl/expect/1\""},
		{"{\"schema\": \"rdmactl/expect/2\"}", "\"rdmactl/",
		 "the schema is not rdmactl/expect/1"},
		{"{\"schema\": 1}", "1}", "the schema is not rdmactl/expect/1"},
		{FILE_OF(", \"board\": {}"), "\"board\"",
		 "unknown member 'board': did you mean 'boards'?"},
		{FILE_OF(", \"profile\": \"x\""), "\"x\"", "unknown profile 'x'"},
		{FILE_OF(", \"profile\": 7"), "7", "profile is a number, not a string"},
		{FILE_OF(", \"memlock_bytes\": -8"), "-8", "memlock_bytes is negative"},
		{FILE_OF(", \"memlock_bytes\": []"), "[]",
		 "memlock_bytes is an empty list, which nothing can match"},
		{FILE_OF(", \"memlock_bytes\": \"much\""), "\"much\"",
		 "memlock_bytes is a string, not a number"},
		{FILE_OF(", \"memlock_bytes\": [5, \"much\"]"), "\"much\"",
		 "memlock_bytes is a string, not a number"},
		{FILE_OF(", \"memlock_bytes\": {\"max\": 5}"), "\"max\"", "unknown member 'max'"},
		{FILE_OF(", \"memlock_bytes\": {}"), "{}", "memlock_bytes has no member 'min'"},
		{FILE_OF(", \"memlock_bytes\": {\"min\": \"5\"}"), "\"5\"",
		 "min is a string, not a number"},
		{FILE_OF(", \"memlock_bytes\": {\"min\": -5}"), "-5", "min is negative"},
		{FILE_OF(", \"boards\": []"), "[]", "boards is a list, not an object"},
		{FILE_OF(", \"boards\": {\"a\": 1}"), "1}",
		 "the expectation is a number, not an object"},
		{FILE_OF(", \"boards\": {\"a\": {\"rates\": 1}}"), "\"rates\"",
		 "unknown member 'rates'"},
		{FILE_OF(", \"boards\": {\"a\": {\"firmware\": {\"min\": 1}}}"), "{\"min\"",
		 "firmware is text, which cannot have a minimum"},
		{FILE_OF(", \"boards\": {\"a\": {\"firmware\": 1}}"), "1}",
		 "firmware is a number, not a string"},
		{FILE_OF(", \"boards\": {\"a\": {\"count\": \"unlimited\"}}"), "\"unlimited\"",
		 "count is a string, not a number"},
		{FILE_OF(", \"boards\": {\"a\": {\"pcie\": 1}}"), "1}",
		 "pcie is a number, not an object"},
		{FILE_OF(", \"boards\": {\"a\": {\"pcie\": {\"count\": 1}}}"), "\"count\"",
		 "unknown member 'count'"},
		{FILE_OF(", \"ignore\": {}"), "{}", "ignore is an object, not a list"},
		{FILE_OF(", \"ignore\": [5]"), "5]",
		 "an entry of ignore is a number, not an object"},
		{FILE_OF(", \"ignore\": [{\"pic\": \"x\"}]"), "\"pic\"",
		 "unknown member 'pic': did you mean 'pci'?"},
		{FILE_OF(", \"ignore\": [{\"pci\": 7}]"), "7", "pci is a number, not a string"},
		{FILE_OF(", \"ignore\": [{\"port\": 1}]"), "1}",
		 "port is not DEV/PORT, such as \"mlx5_0/1\""},
		{FILE_OF(", \"ignore\": [{\"port\": \"mlx5_0\"}]"), "\"mlx5_0\"",
		 "port is not DEV/PORT, such as \"mlx5_0/1\""},
		{FILE_OF(", \"ignore\": [{\"why\": \"\"}]"), "\"\"", "why is empty"},
		{FILE_OF(", \"ignore\": [{\"check\": \"prot-state\"}]"), "\"prot-state\"",
		 "unknown check 'prot-state': did you mean 'port-state'?"},
		{FILE_OF(", \"ignore\": [{\"pci\": \"x\"}]"), "{\"pci",
		 "an entry of ignore without 'why'"},
		{FILE_OF(", \"ignore\": [{\"why\": \"x\"}]"), "{\"why",
		 "an entry of ignore names no pci, device, port or check"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *at = strstr(cases[i].text, cases[i].at);
		_cleanup_(freep) char *message = NULL, *wanted_message = NULL;
		struct expectation file;

		wanted_message = mem_format("line 1, column %zu: %s",
					    (size_t)(at - cases[i].text) + 1, cases[i].message);
		assert_int_equal(expectation_parse(cases[i].text, strlen(cases[i].text), &file,
						   &message),
				 -EINVAL);
		if (strcmp(message, wanted_message) != 0)
			fail_msg("%s: %s, not %s", cases[i].text, message, wanted_message);
	}
}

/* Every prefix of a good file is refused, without leaving anything behind. */
static void cut_anywhere(void **state)
{
	static const char text[] = FILE_OF(", \"boards\": {\"MT_1\": {\"firmware\": [\"1\", "
					   "\"2\"], \"count\": {\"min\": 2}}}, "
					   "\"memlock_bytes\": 7, \"ignore\": [{\"pci\": "
					   "\"0000:65:00.1\", \"why\": \"spare\"}]");

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		struct expectation file;
		char *message = NULL;

		assert_int_equal(expectation_parse(text, length, &file, &message), -EINVAL);
		assert_non_null(message);
		free(message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),	cmocka_unit_test(refused),
		cmocka_unit_test(wanted),	cmocka_unit_test(host_and_ignored),
		cmocka_unit_test(cut_anywhere), cmocka_unit_test(faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
