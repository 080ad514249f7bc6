/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat(2) and faccessat(2) report for a device file. */
#include "rooted.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "doctor/stack/stack.h"

#ifndef SYS_access
#define SYS_access SYS_faccessat
#endif

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
	/* The device number matters more than the mode: opening a different device helps nobody. */
	assert_int_equal(doctor_judge_node(&fine, 0, EACCES, "231:193"), NODE_OTHER_NUMBER);
	assert_int_equal(doctor_judge_node(&fine, 0, EACCES, "231:192"), NODE_DENIED);
	assert_int_equal(doctor_judge_node(&fine, 0, EPERM, "231:192"), NODE_FORBIDDEN);
	assert_int_equal(doctor_judge_node(&fine, 0, EPERM, "231:193"), NODE_OTHER_NUMBER);
	assert_int_equal(doctor_judge_node(&fine, 0, EIO, "231:192"), NODE_UNREADABLE);
	/* EROFS: a read-only file system does not hinder the opening of a device. */
	assert_int_equal(doctor_judge_node(&fine, 0, EROFS, "231:192"), NODE_FINE);
}

#define REFUSE(number)                                     \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* With every system call for access rights refused, or only the newest. */
static void read_filtered(const struct saved_tree *tree, FILE *out, void *context)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_faccessat2),
		REFUSE(SYS_faccessat),
		REFUSE(SYS_access),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog all = {.len = ARRAY_SIZE(filter), .filter = filter};
	struct doctor_facts facts = {.growth = NULL};
	struct device_node node;

	(void)tree;
	if (!*(const bool *)context)
		filter[3] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 3);
	if (root_open(NULL, &facts.root) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
		_exit(ROOTED_REFUSED);
	node = doctor_read_node(&facts, "infiniband_verbs", "uverbs0");
	root_close(&facts.root);
	fprintf(out, "%d %d", node.fault, node.rc);
}

/* Not without root privileges, nor in an emulator. */
static bool can_be_filtered(const struct saved_tree *tree)
{
	_cleanup_(freep) char *file = mem_format("%s/dev/infiniband/uverbs0", tree->path);

	return !mknod(file, S_IFCHR | 0666, makedev(1, 3)) &&
	       prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/* A filter of system calls also says EPERM, and is not a control group. */
static void filters(void **state)
{
	struct saved_tree *tree = *state;
	char wanted[32];
	bool all = true;

	tree_directory(tree, "dev/infiniband");
	if (!can_be_filtered(tree))
		skip();
	snprintf(wanted, sizeof(wanted), "%d %d", NODE_UNREADABLE, -EPERM);
	rooted_expect(tree, read_filtered, &all, wanted);
	all = false;
	snprintf(wanted, sizeof(wanted), "%d 0", NODE_FINE);
	rooted_expect(tree, read_filtered, &all, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_files),
		cmocka_unit_test_setup_teardown(filters, tree_only_set_up, tree_only_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
