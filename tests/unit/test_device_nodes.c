/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat(2) and faccessat(2) say of a device file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "doctor/stack/stack.h"

static struct stat node(unsigned int type, unsigned int minor)
{
	return (struct stat){.st_mode = type | 0666, .st_rdev = makedev(231, minor)};
}

static void device_files(void **state)
{
	const struct stat fine = node(S_IFCHR, 192), file = node(S_IFREG, 192);

	(void)state;
	assert_int_equal(doctor_judge_node(&fine, 0, 0, "231:192"), NODE_FINE);
	assert_int_equal(doctor_judge_node(&fine, 0, 0, NULL), NODE_FINE);
	assert_int_equal(doctor_judge_node(&fine, ENOENT, 0, "231:192"), NODE_MISSING);
	assert_int_equal(doctor_judge_node(&fine, ENOTDIR, 0, NULL), NODE_MISSING);
	assert_int_equal(doctor_judge_node(&fine, EACCES, 0, NULL), NODE_DENIED);
	assert_int_equal(doctor_judge_node(&fine, EIO, 0, NULL), NODE_UNREADABLE);
	assert_int_equal(doctor_judge_node(&file, 0, 0, "231:192"), NODE_NO_DEVICE);
	/* The number matters more than the mode: opening another device helps nobody. */
	assert_int_equal(doctor_judge_node(&fine, 0, EACCES, "231:193"), NODE_OTHER_NUMBER);
	assert_int_equal(doctor_judge_node(&fine, 0, EACCES, "231:192"), NODE_DENIED);
	assert_int_equal(doctor_judge_node(&fine, 0, EPERM, "231:192"), NODE_FORBIDDEN);
	assert_int_equal(doctor_judge_node(&fine, 0, EPERM, "231:193"), NODE_OTHER_NUMBER);
	assert_int_equal(doctor_judge_node(&fine, 0, EIO, "231:192"), NODE_UNREADABLE);
	/* EROFS: a read-only file system does not hinder the opening of a device. */
	assert_int_equal(doctor_judge_node(&fine, 0, EROFS, "231:192"), NODE_FINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
