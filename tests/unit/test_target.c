/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations of management datagrams as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/engine/request.h"

struct row {
	const char *text;
	enum target_kind asked;
	int rc;
	enum target_kind kind;
	const char *shown; /* by mad_target_text() */
};

#define GID_TEXT "fe80:0000:0000:0000:0002:c903:0000:1234"

static const struct row rows[] = {
	/* LIDs: unicast ones only */
	{"1", TARGET_ANY, 0, TARGET_LID, "1"},
	{"49151", TARGET_ANY, 0, TARGET_LID, "49151"},
	{"0xbfff", TARGET_ANY, 0, TARGET_LID, "49151"},
	{"49152", TARGET_ANY, -ERANGE, 0, NULL},
	{"49152", TARGET_LID, -ERANGE, 0, NULL},
	{"0xc000", TARGET_LID, -ERANGE, 0, NULL},
	{"65535", TARGET_ANY, -ERANGE, 0, NULL},
	{"0xc000", TARGET_ANY, -ERANGE, 0, NULL},
	{"0xffff", TARGET_ANY, -ERANGE, 0, NULL},
	{"0x10000", TARGET_ANY, 0, TARGET_GUID, "0000:0000:0001:0000"},
	{"0xc000", TARGET_GUID, 0, TARGET_GUID, "0000:0000:0000:c000"},
	{"0", TARGET_LID, -ERANGE, 0, NULL},
	{"99999999999999999999999", TARGET_LID, -ERANGE, 0, NULL},
	{"-1", TARGET_ANY, -EINVAL, 0, NULL},
	{"+1", TARGET_LID, -EINVAL, 0, NULL},
	{"", TARGET_ANY, -EINVAL, 0, NULL},
	{"", TARGET_LID, -EINVAL, 0, NULL},
	{"x", TARGET_ANY, -EINVAL, 0, NULL},
	{"1,2", TARGET_ANY, -EINVAL, 0, NULL},
	{" 1", TARGET_ANY, -EINVAL, 0, NULL},
	/* Directed routes */
	{"0", TARGET_ANY, 0, TARGET_DIRECT, "0"},
	{"0,1,3", TARGET_ANY, 0, TARGET_DIRECT, "0,1,3"},
	{"0,1,255", TARGET_DIRECT, 0, TARGET_DIRECT, "0,1,255"},
	{"0,256", TARGET_ANY, -ERANGE, 0, NULL},
	{"0,1,", TARGET_ANY, -EINVAL, 0, NULL},
	{"0,,1", TARGET_ANY, -EINVAL, 0, NULL},
	{"1,2", TARGET_DIRECT, -EINVAL, 0, NULL},
	{"0,-1", TARGET_DIRECT, -EINVAL, 0, NULL},
	{"", TARGET_DIRECT, -EINVAL, 0, NULL},
	/* GUIDs */
	{"0x0002c90300001234", TARGET_ANY, 0, TARGET_GUID, "0002:c903:0000:1234"},
	{"0002:c903:0000:1234", TARGET_ANY, 0, TARGET_GUID, "0002:c903:0000:1234"},
	{"0x100001", TARGET_ANY, 0, TARGET_GUID, "0000:0000:0010:0001"},
	{"0x1", TARGET_GUID, 0, TARGET_GUID, "0000:0000:0000:0001"},
	{"0x10002c90300001234", TARGET_ANY, -ERANGE, 0, NULL},
	{"0x", TARGET_GUID, -EINVAL, 0, NULL},
	{"0xzz", TARGET_ANY, -EINVAL, 0, NULL},
	/* GIDs */
	{"fe80::2:c903:0:1234", TARGET_ANY, 0, TARGET_GID, GID_TEXT},
	{GID_TEXT, TARGET_ANY, 0, TARGET_GID, GID_TEXT},
	{GID_TEXT, TARGET_GID, 0, TARGET_GID, GID_TEXT},
	{"fe80::2::3", TARGET_ANY, -EINVAL, 0, NULL},
	{"fe80:", TARGET_ANY, -EINVAL, 0, NULL},
	{"5", TARGET_GID, -EINVAL, 0, NULL},
};

static void parsing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_target target = {.lid = 0x5555, .hops = 77}, before = target;
		_cleanup_(freep) char *text = NULL;
		int rc = mad_target_parse(rows[i].text, rows[i].asked, &target);

		if (rc != rows[i].rc)
			fail_msg("'%s': %d", rows[i].text, rc);
		if (rc) {
			assert_memory_equal(&target, &before, sizeof(target));
			continue;
		}
		assert_int_equal(target.kind, rows[i].kind);
		text = mad_target_text(&target);
		assert_string_equal(text, rows[i].shown);
	}
}

/* A route has at most 63 hops; each target reads back as it is shown. */
static void longest_route(void **state)
{
	char text[4 * 66] = "0";
	struct mad_target target, again;
	_cleanup_(freep) char *shown = NULL;

	(void)state;
	for (unsigned int i = 0; i < MAD_HOPS_MOST; i++)
		strcat(text, ",255");
	assert_int_equal(mad_target_parse(text, TARGET_ANY, &target), 0);
	assert_int_equal(target.hops, 63);
	assert_int_equal(target.path[63], 255);
	shown = mad_target_text(&target);
	assert_string_equal(shown, text);
	assert_int_equal(mad_target_parse(shown, TARGET_ANY, &again), 0);
	assert_memory_equal(&again, &target, sizeof(target));
	strcat(text, ",1");
	assert_int_equal(mad_target_parse(text, TARGET_ANY, &target), -ERANGE);
	assert_int_equal(mad_target_parse(text, TARGET_DIRECT, &target), -ERANGE);
}

static void splitting(void **state)
{
	static const struct {
		const char *word, *node; /* without a node, there is no port */
		unsigned int port;
	} cases[] = {
		{"leaf A/5", "leaf A", 5},
		{"a/b/254", "a/b", 254},
		{"0,1,3/0", "0,1,3", 0},
		{"/7", "", 7},
		{"4/255", NULL, 0},
		{"4/", NULL, 0},
		{"4/x", NULL, 0},
		{"4/-1", NULL, 0},
		{"4/1/x", NULL, 0},
		{"4", NULL, 0},
		{"", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *node = NULL;
		unsigned int port = 1000;

		assert_int_equal(mad_target_split(cases[i].word, &node, &port), !!cases[i].node);
		assert_int_equal(port, cases[i].node ? cases[i].port : 1000);
		if (cases[i].node)
			assert_string_equal(node, cases[i].node);
		else
			assert_null(node);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing),
		cmocka_unit_test(longest_route),
		cmocka_unit_test(splitting),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
