/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the kernel log, Documentation/ABI/testing/dev-kmsg, and those in a snapshot. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "kernel/kmsg.h"

static void expect(const char *line, unsigned int level, unsigned int facility, uint64_t usec,
		   const char *text, const char *device)
{
	/* In memory of the exact size, so that the sanitizer sees every overrun. */
	_cleanup_(freep) char *copy = mem_alloc_zero(strlen(line), 1);
	_cleanup_(freep) char *got = NULL, *got_device = NULL;
	struct kmsg_record record;

	memcpy(copy, line, strlen(line));
	assert_int_equal(kmsg_parse(copy, strlen(line), &record), 0);
	assert_int_equal(record.level, level);
	assert_int_equal(record.facility, facility);
	assert_true(record.usec == usec);
	got = mem_format("%.*s", (int)record.text_length, record.text);
	assert_string_equal(got, text);
	assert_int_equal(record.device != NULL, device != NULL);
	if (!device)
		return;
	got_device = mem_format("%.*s", (int)record.device_length, record.device);
	assert_string_equal(got_device, device);
}

static void good(void **state)
{
	(void)state;
	expect("6,339,5140900,-;NET: Registered protocol family 10", 6, 0, 5140900,
	       "NET: Registered protocol family 10", NULL);
	/* The lower three bits are the level: syslog(2). */
	expect("0,0,0,-;a", 0, 0, 0, "a", NULL);
	expect("7,0,0,-;a\n", 7, 0, 0, "a", NULL);
	expect("8,0,0,-;a", 0, 1, 0, "a", NULL);
	expect("191,1,2,-;a", 7, 23, 2, "a", NULL);
	/* The largest sequence number has 20 digits. */
	expect("1,1,18446744073709551609,-;a", 1, 0, UINT64_C(18446744073709551609), "a", NULL);
	/* Unknown additional fields, and a semicolon in the text. */
	expect("3,1,2,-,caller=T1,x=y;a;b", 3, 0, 2, "a;b", NULL);
	expect("3,1,2,;", 3, 0, 2, "", NULL);
	expect("3,1,2,-;a\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n", 3, 0, 2, "a",
	       "+pci:0000:3b:00.0");
	expect("3,1,2,-;a\n DEVICE=x", 3, 0, 2, "a", "x");
	expect("3,1,2,-;a\n DEVICE=x\n SUBSYSTEM=pci", 3, 0, 2, "a", "x");
	expect("3,1,2,-;a\n DEVICE=", 3, 0, 2, "a", NULL);
	expect("3,1,2,-;a\n DEVICE=\n", 3, 0, 2, "a", NULL);
	expect("3,1,2,-;a\n DEVIC", 3, 0, 2, "a", NULL);
	expect("3,1,2,-;a\nDEVICE=x\n XDEVICE=x\n", 3, 0, 2, "a", NULL);
	expect("3,1,2,-;a DEVICE=x", 3, 0, 2, "a DEVICE=x", NULL);
}

static void bad(void **state)
{
	static const char *const lines[] = {
		"",
		"6",
		"6,",
		"6,1",
		"6,1,",
		"6,1,2",
		"6,1,2,",
		"6,1,2,-",
		",1,2;a",
		"6,,2,-;a",
		"6,1,,-;a",
		"6,1,2;a",
		"6.1,2,-;a",
		"6,1.2,-;a",
		"a,1,2,-;a",
		"6,a,2,-;a",
		"6,1,a,-;a",
		"/,1,2,-;a",
		":,1,2,-;a",
		"6,1,18446744073709551616,-;a",
		"6,1,184467440737095516100,-;a",
	};
	struct kmsg_record record = {.level = 77};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(freep) char *copy = mem_alloc_zero(strlen(lines[i]), 1);

		memcpy(copy, lines[i], strlen(lines[i]));
		assert_int_equal(kmsg_parse(copy, strlen(lines[i]), &record), -EBADMSG);
	}
	assert_int_equal(record.level, 77);
}

static void take(void *context, const struct kmsg_record *record)
{
	char **all = context;

	mem_extend(all, "%s%.*s|%.*s", *all ? " " : "", (int)record->text_length, record->text,
		   (int)record->device_length, record->device ? record->device : "");
}

/* Lines that begin with a blank continue a record; lines from programs are omitted. */
static void recorded(void **state)
{
	struct saved_tree *tree = *state;
	struct root root = {.snapshot = tree->root.fd};
	_cleanup_(freep) char *all = NULL;

	assert_int_equal(kmsg_read(&root, take, &all), -ENODATA);
	root.recorded = true;
	assert_int_equal(kmsg_read(&root, take, &all), -ENODATA);
	tree_write(tree, "kmsg", "");
	assert_int_equal(kmsg_read(&root, take, &all), 0);
	assert_null(all);
	tree_write(tree, "kmsg",
		   "3,0,1,-;a\n SUBSYSTEM=pci\n DEVICE=x\n12,0,1,-;program\n"
		   "broken\n DEVICE=y\n3,0,1,-;b\n3,0,1,-;c\n DEVICE=z");
	assert_int_equal(kmsg_read(&root, take, &all), 0);
	assert_string_equal(all, "a|x b| c|z");
	tree_link(tree, "kmsg", "!EACCES");
	assert_int_equal(kmsg_read(&root, take, &all), -EACCES);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test_setup_teardown(recorded, tree_only_set_up, tree_only_tear_down),
	};

	return cmocka_run_group_tests_name("kmsg", tests, NULL, NULL);
}
