/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of hosts: folding, expanding and hostile input; and how Slurm's scontrol and ClusterShell's
 * nodeset, if installed, read the same lists.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

static void expect_hostlist(const char *expected, size_t most, const char *const *names,
			    size_t count)
{
	char *list = hostlist_format(names, count, most);

	assert_string_equal(list, expected);
	free(list);
}

#define EXPECT_HOSTLIST(expected_, most_, ...)                                 \
	do {                                                                   \
		static const char *const names_[] = {__VA_ARGS__};             \
		expect_hostlist(expected_, most_, names_, ARRAY_SIZE(names_)); \
	} while (0)

static void test_hostlist(void **state)
{
	(void)state;
	expect_hostlist("", 0, NULL, 0);
	EXPECT_HOSTLIST("a", 0, "a");
	EXPECT_HOSTLIST("a1", 0, "a1");
	EXPECT_HOSTLIST("a[1-3]", 0, "a3", "a1", "a2");
	EXPECT_HOSTLIST("a[1-2]", 0, "a1", "a2", "a1", "a2");
	EXPECT_HOSTLIST("a[1-2,4,7-8]", 0, "a8", "a7", "a4", "a2", "a1");
	EXPECT_HOSTLIST("a[8-11]", 0, "a8", "a9", "a10", "a11");
	EXPECT_HOSTLIST("a[08-11]", 0, "a08", "a09", "a10", "a11");
	EXPECT_HOSTLIST("a,a[1-2],b1,b1-2", 0, "a", "a1", "b1", "a2", "b1-2");
	EXPECT_HOSTLIST("a1b[1-2],a2b1", 0, "a1b1", "a1b2", "a2b1");
	EXPECT_HOSTLIST("[1-3]", 0, "1", "2", "3");
	/* 099 and 100 have one width; 99 and 100 are counted without leading zeros. */
	EXPECT_HOSTLIST("a[099-100]", 0, "a099", "a100");
	EXPECT_HOSTLIST("a[99-100]", 0, "a99", "a100");
	EXPECT_HOSTLIST("a[0-1]", 0, "a0", "a1");
	/* A number that is too long to count with stays part of the name. */
	EXPECT_HOSTLIST("a12345678901,a12345678902", 0, "a12345678901", "a12345678902");
	EXPECT_HOSTLIST("a[1,3,...]", 6, "a1", "a3", "a5", "a7");
	EXPECT_HOSTLIST("one,...", 6, "one", "two", "three");
}

/* 01 and 1 are different names: no reader may turn one into the other. */
static void test_hostlist_zeros(void **state)
{
	(void)state;
	static const char *const names[] = {"a1", "a01", "a2", "a02", "a10", "a010"};
	char *list = hostlist_format(names, ARRAY_SIZE(names), 0);

	assert_null(strstr(list, "1-02"));
	assert_null(strstr(list, "01-2"));
	assert_non_null(strstr(list, "010"));
	free(list);
}

/* The names separated by blanks, or the message. */
static char *parsed(const char *text, size_t most)
{
	struct text_buffer all = {0};
	char **names = NULL, *message = NULL;
	size_t count = 0;
	int rc = hostlist_parse(text, most, &names, &count, &message);

	if (rc) {
		assert_int_equal(rc, -EINVAL);
		assert_null(names);
		assert_non_null(message);
		return message;
	}
	for (size_t i = 0; i < count; i++) {
		text_buffer_add(&all, "%s%s", i ? " " : "", names[i]);
		free(names[i]);
	}
	free(names);
	return text_buffer_take(&all);
}

static void expect_parsed(const char *text, const char *expected)
{
	_cleanup_(freep) char *got = parsed(text, 200);

	assert_string_equal(got, expected);
}

static void test_parse(void **state)
{
	(void)state;
	expect_parsed("n1", "n1");
	expect_parsed("n[1-3,7]", "n1 n2 n3 n7");
	expect_parsed("n[001-003,010]", "n001 n002 n003 n010");
	expect_parsed("n[08-11]", "n08 n09 n10 n11");
	expect_parsed("n[99-101]", "n99 n100 n101");
	expect_parsed("n[3,1],a", "n3 n1 a");
	expect_parsed("r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02");
	expect_parsed("n[1-2][3-4]", "n13 n14 n23 n24");
	expect_parsed("n[1-2]-ib.site", "n1-ib.site n2-ib.site");
	expect_parsed(" n1 , n2\n\tn3,", "n1 n2 n3");
	expect_parsed("n1,n[1-2],n2,n1", "n1 n2");
	expect_parsed("n[01-3]", "n01 n02 n03");
	expect_parsed("10.0.0.[1-2]", "10.0.0.1 10.0.0.2");
	expect_parsed("n[0-0]", "n0");
}

static void test_hostile(void **state)
{
	_cleanup_(freep) char *many = parsed("n[1-200]", 200), *too_many = parsed("n[1-201]", 200);
	char longest[2000];

	(void)state;
	assert_int_equal(strncmp(many, "n1 n2 ", 6), 0);
	assert_string_equal(too_many, "'1-201': too many hosts");
	expect_parsed("", "the list names no hosts");
	expect_parsed(" ,, ", "the list names no hosts");
	expect_parsed("n[", "'n[': a ']' is missing");
	expect_parsed("n[1-2", "'n[1-2': a ']' is missing");
	expect_parsed("n]", "'n]': not a valid host name");
	expect_parsed("n[]", "'': one end of a range is missing");
	expect_parsed("n[1,]", "'': one end of a range is missing");
	expect_parsed("n[-1]", "'-1': one end of a range is missing");
	expect_parsed("n[1-]", "'1-': one end of a range is missing");
	expect_parsed("n[1-2-3]", "'1-2-3': not a number");
	expect_parsed("n[5-1]", "'5-1': the range runs backwards");
	expect_parsed("n[a-b]", "'a-b': not a number");
	expect_parsed("n[[1]]", "'[1': not a number");
	expect_parsed("n[ 1]", "' 1': not a number");
	expect_parsed("n[+1]", "'+1': not a number");
	expect_parsed("n[099-0101]", "'099-0101': the ends of a range are padded differently");
	expect_parsed("n[1-9999999999]", "'1-9999999999': a number has too many digits");
	expect_parsed("n[0-999999999]", "'0-999999999': too many hosts");
	expect_parsed("n[1-20][1-20]", "'1-20': too many hosts");
	expect_parsed("n[1-100],m[1-101]", "'1-101': too many hosts");
	expect_parsed("n[1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9]",
		      "'1-9': too many hosts");
	expect_parsed("a;b", "'a;b': not a valid host name");
	expect_parsed("$(id)", "'$(id)': not a valid host name");
	expect_parsed("a\033[1m", "'a\\x1b': not a valid host name");
	expect_parsed("\xc3\xa4", "'\xc3\xa4': not a valid host name");
	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	expect_parsed(
		longest,
		"'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': the name is "
		"too long");
}

/* The largest allowed number of names, and one more, in every notation. */
static void test_limits(void **state)
{
	static const struct {
		const char *text;
		size_t most;
		const char *expected;
	} samples[] = {
		{"a,b", 2, "a b"},
		{"a,b,c", 2, "'c': too many hosts"},
		{"a,n[1-2]", 3, "a n1 n2"},
		{"a,n[1-3]", 3, "'1-3': too many hosts"},
		{"n[1-3],a", 3, "'a': too many hosts"},
		{"n[1,3,5]", 3, "n1 n3 n5"},
		{"n[1,3,5,7]", 3, "'7': too many hosts"},
		{"n[1-2][1-2]", 4, "n11 n12 n21 n22"},
		{"n[1-2][1-2]", 3, "'1-2': too many hosts"},
		{"n[123456789]", 1, "n123456789"},
		{"n[1234567890]", 1, "'1234567890': a number has too many digits"},
		{"n[1-1234567890]", 1, "'1-1234567890': a number has too many digits"},
		{"n[7-7]", 1, "n7"},
		{"n[08-9]", 2, "n08 n09"},
		{"n[8-09]", 2, "'8-09': the ends of a range are padded differently"},
		{"n[8-0]", 2, "'8-0': the range runs backwards"},
	};
	char name[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *got = parsed(samples[i].text, samples[i].most);

		assert_string_equal(got, samples[i].expected);
	}
	/* RFC 1035 allows names of 255 bytes. */
	memset(name, 'n', 256);
	name[255] = '\0';
	expect_parsed(name, name);
	name[255] = 'n';
	name[256] = '\0';
	expect_parsed(name,
		      "'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': the "
		      "name is too long");
	/* The digits of a range count towards the length, too. */
	strcpy(name + 250, "[99999,100000]");
	expect_parsed(name,
		      "'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn': the "
		      "name is too long");
}

/* A command's output with newlines turned into blanks; NULL if it fails or is not installed. */
static char *output_of(const char *command, const char *argument)
{
	_cleanup_(freep) char *quoted = text_quote(argument);
	_cleanup_(freep) char *line = mem_format("%s %s 2>/dev/null", command, quoted);
	struct text_buffer text = {0};
	char part[4096];
	FILE *out = popen(line, "r");
	size_t length;

	assert_non_null(out);
	while ((length = fread(part, 1, sizeof(part) - 1, out))) {
		part[length] = '\0';
		for (char *c = part; (c = strchr(c, '\n'));)
			*c = ' ';
		text_buffer_add(&text, "%s", part);
	}
	if (pclose(out) || !text.length) {
		free(text.text);
		return NULL;
	}
	if (text.text[text.length - 1] == ' ')
		text.text[text.length - 1] = '\0';
	return text_buffer_take(&text);
}

static bool is_there(const char *expand)
{
	_cleanup_(freep) char *there = output_of(expand, "n1");

	return there != NULL;
}

/* Names after folding and expanding, by this program and by another. */
static void compare_with(const char *expand, const char *const *lists, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *ours = parsed(lists[i], 1000);
		_cleanup_(freep) char *theirs = output_of(expand, lists[i]), *message = NULL;
		_cleanup_(freep) char *folded = NULL, *back = NULL;
		char **names;
		size_t name_count;

		assert_non_null(theirs);
		assert_string_equal(ours, theirs);
		assert_int_equal(hostlist_parse(lists[i], 1000, &names, &name_count, &message), 0);
		folded = hostlist_format((const char *const *)names, name_count, 0);
		/* Most lists are folded already, and have been read. */
		back = strcmp(folded, lists[i]) ? output_of(expand, folded) : mem_string(theirs);
		assert_non_null(back);
		assert_string_equal(back, theirs);
		for (size_t j = 0; j < name_count; j++)
			free(names[j]);
		free(names);
	}
}

/* Lists in an order that both folding and nodeset keep. */
static const char *const common_lists[] = {
	"n[1-3,7]",	"n[001-128]", "n[8-11]",       "n[098-101]",	     "a,b,c",
	"r[1-2]n[1-3]", "n1,n2,n10",  "login1,n[1-2]", "rack-1-n[01-16,20]", "n[1-300]",
};

static void test_slurm(void **state)
{
	static const char *const more[] = {"n[3,1]", "n[01-3]", "n[1-2][3-4]", "n1-3"};
	char path[] = "/tmp/rdmactl.slurm.XXXXXX";
	int fd = mkstemp(path);
	static const char text[] = "ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\n"
				   "PartitionName=p Nodes=n1\n";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	setenv("SLURM_CONF", path, 1);
	if (!is_there("scontrol show hostnames")) {
		unlink(path);
		print_message("scontrol is not installed here\n");
		skip();
	}
	compare_with("scontrol show hostnames", common_lists, ARRAY_SIZE(common_lists));
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		_cleanup_(freep) char *ours = parsed(more[i], 100);
		_cleanup_(freep) char *theirs = output_of("scontrol show hostnames", more[i]);

		assert_string_equal(ours, theirs);
	}
	unlink(path);
}

static void test_clustershell(void **state)
{
	(void)state;
	if (!is_there("nodeset -e")) {
		print_message("nodeset is not installed here\n");
		skip();
	}
	compare_with("nodeset -e", common_lists, ARRAY_SIZE(common_lists));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostlist),     cmocka_unit_test(test_hostlist_zeros),
		cmocka_unit_test(test_parse),	     cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_limits),	     cmocka_unit_test(test_slurm),
		cmocka_unit_test(test_clustershell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
