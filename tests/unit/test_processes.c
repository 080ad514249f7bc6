/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The processes that hold RDMA objects, from a saved /proc and saved control groups. */
#include "saved_tree.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "resource/processes.h"
#include "kernel/procfs.h"

static int setup(void **state)
{
	struct saved_tree *tree = mem_alloc_zero(1, sizeof(*tree));

	tree_open(tree);
	*state = tree;
	return 0;
}

static int teardown(void **state)
{
	tree_close(*state);
	free(*state);
	return 0;
}

static void write_task(const struct saved_tree *tree, unsigned int task, unsigned int process,
		       const char *name)
{
	_cleanup_(freep) char *path = mem_format("proc/%u/status", task);
	_cleanup_(freep) char *text = mem_format("Name:\t%s\nUmask:\t0022\nState:\tS (sleeping)\n"
						 "Tgid:\t%u\nPid:\t%u\nVmPeak:\t  3060 kB\n"
						 "VmLck:\t       4 kB\nVmPin:\t      12 kB",
						 name, process, task);

	tree_write(tree, path, text);
}

static const char limits[] =
	"Limit                     Soft Limit           Hard Limit           Units     \n"
	"Max cpu time              unlimited            unlimited            seconds   \n"
	"Max locked memory         8388608              unlimited            bytes     \n"
	"Max address space         unlimited            unlimited            bytes     ";

static void status(void **state)
{
	struct procfs_task task = {0}, none = {0};

	(void)state;
	procfs_parse_status("Name:\ta\\nb\\\\c \x1b\nTgid:\t12\nVmLck:\t 3 kB\nVmPin:\tx kB\n",
			    &task);
	assert_string_equal(task.name, "a\\x0ab\\c \\x1b");
	assert_int_equal(task.process.value, 12);
	assert_int_equal(task.locked_bytes.value, 3072);
	assert_false(task.pinned_bytes.known);
	procfs_task_clear(&task);
	/* A kernel thread has no memory, and a truncated file has even less. */
	procfs_parse_status("Tgid:", &none);
	assert_false(none.process.known || none.locked_bytes.known);
	procfs_parse_status("VmLck:\t99999999999999999999999 kB\nVmPin:\t18446744073709551615 kB",
			    &none);
	assert_false(none.locked_bytes.known || none.pinned_bytes.known);
	assert_null(none.name);
}

static void memlock(void **state)
{
	struct limit soft = {{0}}, hard = {{0}}, unknown = {{0}};

	(void)state;
	procfs_parse_memlock(limits, &soft, &hard);
	assert_int_equal(soft.value.value, 8388608);
	assert_int_equal(soft.unlimited, TRISTATE_NO);
	assert_false(hard.value.known);
	assert_int_equal(hard.unlimited, TRISTATE_YES);
	procfs_parse_memlock("Max locked memory", &unknown, &unknown);
	procfs_parse_memlock("", &unknown, &unknown);
	assert_int_equal(unknown.unlimited, TRISTATE_UNKNOWN);
	assert_false(unknown.value.known);
}

static void expect_cgroups(const char *text, const char *mount, const char *root, bool v1)
{
	struct procfs_cgroups cgroups = {0};

	procfs_parse_mountinfo(text, &cgroups);
	if (mount) {
		assert_string_equal(cgroups.mount, mount);
		assert_string_equal(cgroups.root, root);
		assert_int_equal(cgroups.v1, v1);
	} else {
		assert_null(cgroups.mount);
	}
	procfs_cgroups_clear(&cgroups);
}

#define V2  "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1  "41 32 0:37 /box /sys/fs/cgroup/r\\040d rw shared:9 master:2 - cgroup cgroup rw,rdma\n"
#define CPU "40 32 0:36 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"

static void mounts(void **state)
{
	(void)state;
	expect_cgroups(CPU V2, "sys/fs/cgroup", "/", false);
	/* The controller is in a separate hierarchy, wherever that is mounted. */
	expect_cgroups(CPU V2 V1, "sys/fs/cgroup/r d", "/box", true);
	expect_cgroups(V1 V2, "sys/fs/cgroup/r d", "/box", true);
	expect_cgroups(CPU, NULL, NULL, false);
	expect_cgroups("", NULL, NULL, false);
	expect_cgroups("30 23 0:26 / - cgroup2 cgroup2 rw\n30 23\n - \n- cgroup2", NULL, NULL,
		       false);
}

static void expect_group(const char *text, bool v1, const char *expected)
{
	_cleanup_(freep) char *group = procfs_parse_cgroup(text, v1);

	if (expected)
		assert_string_equal(group, expected);
	else
		assert_null(group);
}

static void groups(void **state)
{
	static const char hybrid[] = "12:cpu,cpuacct:/a\n5:rdma:/jobs/7:8\n0::/user.slice\n";

	(void)state;
	expect_group(hybrid, true, "/jobs/7:8");
	expect_group(hybrid, false, "/user.slice");
	expect_group("0::/", false, "/");
	expect_group("0::/", true, NULL);
	expect_group("", false, NULL);
	expect_group("nonsense\n0:\n", false, NULL);
}

static void rdma_files(void **state)
{
	_cleanup_(cgroup_device_list_clear) struct cgroup_device_list list = {0};

	(void)state;
	procfs_parse_rdma("mlx5_0 hca_handle=2 hca_object=17\nmlx5_1 hca_handle=0 hca_object=0\n\n"
			  "half\n",
			  false, &list);
	procfs_parse_rdma("mlx5_0 hca_handle=max hca_object=2000\nmlx5_2 hca_object=max later=5\n",
			  true, &list);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].device, "mlx5_0");
	assert_int_equal(list.items[0].handles.value, 2);
	assert_int_equal(list.items[0].objects.value, 17);
	assert_int_equal(list.items[0].most_handles.unlimited, TRISTATE_YES);
	assert_int_equal(list.items[0].most_objects.value.value, 2000);
	assert_int_equal(list.items[0].most_objects.unlimited, TRISTATE_NO);
	assert_int_equal(list.items[1].most_objects.unlimited, TRISTATE_UNKNOWN);
	assert_false(list.items[2].objects.known);
}

static void names(void **state)
{
	const struct saved_tree *tree = *state;
	struct resource user = {.thread = number_of(150), .kernel = TRISTATE_NO};
	struct resource part = {.kernel_name = (char[]){"ib_core"}, .kernel = TRISTATE_YES};
	struct resource hidden = {.kernel = TRISTATE_NO};
	struct resource gone = {.thread = number_of(999), .kernel = TRISTATE_NO};
	struct resource orphan = {.thread = number_of(401), .kernel = TRISTATE_NO};
	struct processes *processes;

	write_task(tree, 401, 400, "orphan");
	write_task(tree, 148, 148, "rping");
	write_task(tree, 150, 148, "cm_thread");
	assert_int_equal(processes_open(tree->path, &processes), 0);
	processes_name(processes, &user);
	assert_int_equal(user.pid.value, 148);
	assert_string_equal(user.command, "rping");
	processes_name(processes, &part);
	assert_string_equal(part.command, "[ib_core]");
	assert_false(part.pid.known);
	processes_name(processes, &hidden);
	assert_null(hidden.command);
	assert_false(hidden.pid.known);
	/* Only its PID is known. */
	processes_name(processes, &gone);
	assert_int_equal(gone.pid.value, 999);
	assert_null(gone.command);
	/* A thread of an unreadable process keeps its own name. */
	processes_name(processes, &orphan);
	assert_int_equal(orphan.pid.value, 400);
	assert_string_equal(orphan.command, "orphan");
	/* Names are cached: it does not matter that the process has since ended. */
	tree_delete(tree, "proc/150");
	processes_name(processes, &user);
	assert_string_equal(user.command, "rping");
	processes_free(processes);
}

static void many(void **state)
{
	const struct saved_tree *tree = *state;
	struct processes *processes;

	write_task(tree, 5000, 5000, "last");
	assert_int_equal(processes_open(tree->path, &processes), 0);
	for (unsigned int i = 0; i < 3000; i++)
		assert_int_equal(processes_find(processes, i * 7)->pid.value, i * 7);
	for (unsigned int i = 0; i < 3000; i++)
		assert_int_equal(processes_find(processes, i * 7)->thread, i * 7);
	assert_string_equal(processes_find(processes, 5000)->command, "last");
	processes_free(processes);
}

static void count(struct processes *processes, enum resource_kind kind, uint64_t thread,
		  const char *device, uint64_t length)
{
	_cleanup_(freep) char *name = mem_string(device);
	struct resource resource = {.device = name, .kernel = TRISTATE_NO};

	if (thread)
		resource.thread = number_of(thread);
	if (length)
		resource.length_bytes = number_of(length);
	processes_name(processes, &resource);
	processes_count(processes, kind, &resource);
}

static void write_cgroups(const struct saved_tree *tree)
{
	tree_write(tree, "proc/self/mountinfo", CPU V2);
	tree_write(tree, "proc/148/cgroup", "0::/jobs/one");
	tree_write(tree, "sys/fs/cgroup/jobs/rdma.max",
		   "rxa hca_handle=7 hca_object=max\nrxc hca_handle=max hca_object=9");
	tree_write(tree, "sys/fs/cgroup/jobs/rdma.current",
		   "rxb hca_handle=0 hca_object=0\nrxa hca_handle=1 hca_object=4\n"
		   "rxc hca_handle=0 hca_object=0\nrxd hca_handle=0 hca_object=2");
	tree_directory(tree, "sys/fs/cgroup/jobs/one");
}

static void sums(void **state)
{
	const struct saved_tree *tree = *state;
	struct process_usage_list list;
	struct problems problems = {0};
	struct processes *processes;
	struct resource part = {.device = (char[]){"rxa"},
				.kernel_name = (char[]){"ib_core"},
				.kernel = TRISTATE_YES};

	write_task(tree, 148, 148, "rping");
	write_task(tree, 150, 148, "cm_thread");
	write_task(tree, 200, 200, "small");
	tree_write(tree, "proc/148/limits", limits);
	write_cgroups(tree);
	assert_int_equal(processes_open(tree->path, &processes), 0);
	count(processes, RESOURCE_MR, 200, "rxb", 50);
	count(processes, RESOURCE_MR, 148, "rxa", 4096);
	count(processes, RESOURCE_MR, 150, "rxb", 64);
	count(processes, RESOURCE_PD, 150, "rxb", 0);
	count(processes, RESOURCE_MR, 999, "rxa", UINT64_MAX);
	count(processes, RESOURCE_MR, 999, "rxa", 5);
	count(processes, RESOURCE_PD, 0, "rxa", 0);
	processes_name(processes, &part);
	processes_count(processes, RESOURCE_PD, &part);
	processes_sum_up(processes, 1u << RESOURCE_MR | 1u << RESOURCE_PD,
			 USAGE_NEED_TASK | USAGE_NEED_MEMLOCK | USAGE_NEED_CGROUP, &list,
			 &problems);
	/* A process that has ended is not a problem. */
	assert_int_equal(problems.count, 0);
	assert_int_equal(list.count, 5);

	assert_int_equal(list.items[0].pid.value, 999);
	assert_int_equal(list.items[0].registered_bytes.value, UINT64_MAX);
	assert_false(list.items[0].pinned_bytes.known || list.items[0].memlock_soft.value.known);
	assert_null(list.items[0].cgroup);

	assert_string_equal(list.items[1].command, "rping");
	assert_int_equal(list.items[1].counts[RESOURCE_MR].value, 2);
	assert_int_equal(list.items[1].counts[RESOURCE_PD].value, 1);
	assert_false(list.items[1].counts[RESOURCE_QP].known); /* never counted */
	assert_int_equal(list.items[1].registered_bytes.value, 4160);
	assert_int_equal(list.items[1].devices.count, 2);
	assert_int_equal(list.items[1].pinned_bytes.value, 12288);
	assert_int_equal(list.items[1].memlock_soft.value.value, 8388608);
	assert_string_equal(list.items[1].cgroup, "/jobs");
	/* Resources neither used nor limited are omitted. */
	assert_int_equal(list.items[1].cgroup_devices.count, 4);
	assert_int_equal(list.items[1].cgroup_usage.count, 3);
	assert_true(list.items[1].cgroup_usage.known);
	assert_false(list.items[0].cgroup_usage.known);
	assert_string_equal(list.items[1].cgroup_usage.items[0], "rxa:handles=1/7:objects=4/max");
	assert_string_equal(list.items[1].cgroup_usage.items[1], "rxc:handles=0/max:objects=0/9");
	assert_string_equal(list.items[1].cgroup_usage.items[2], "rxd:handles=0/?:objects=2/?");

	assert_string_equal(list.items[2].command, "small");
	assert_null(list.items[3].command);
	assert_string_equal(list.items[4].command, "[ib_core]");
	assert_int_equal(list.items[4].kernel, TRISTATE_YES);
	process_usage_list_clear(&list);
	processes_free(processes);
}

static void count_kernel(struct processes *processes, const char *name, const char *device)
{
	_cleanup_(freep) char *owned_name = mem_string(name), *owned_device = mem_string(device);
	struct resource resource = {
		.kernel_name = owned_name, .device = owned_device, .kernel = TRISTATE_YES};

	processes_name(processes, &resource);
	processes_count(processes, RESOURCE_CQ, &resource);
}

/* Each of several holders in turn: processes, threads of one, parts of the kernel, a hidden one. */
static void holders(void **state)
{
	static const struct {
		const char *command;
		uint64_t pid, cqs, devices;
	} wanted[] = {
		{NULL, 0, 2, 1},      {"[ib_core]", 0, 3, 2}, {"[nvme_rdma]", 0, 1, 1},
		{"[smc]", 0, 1, 1},   {"first", 100, 3, 2},   {"second", 200, 4, 2},
		{"third", 300, 2, 1},
	};
	const struct saved_tree *tree = *state;
	struct process_usage_list list;
	struct problems problems = {0};
	struct processes *processes;

	write_task(tree, 100, 100, "first");
	write_task(tree, 200, 200, "second");
	write_task(tree, 201, 200, "worker");
	write_task(tree, 300, 300, "third");
	assert_int_equal(processes_open(tree->path, &processes), 0);
	for (int again = 0; again < 2; again++) {
		count(processes, RESOURCE_CQ, 100, "rxa", 0);
		count_kernel(processes, "ib_core", "rxa");
		count(processes, RESOURCE_CQ, 200, "rxa", 0);
		count(processes, RESOURCE_CQ, 201, "rxb", 0);
		count(processes, RESOURCE_CQ, 0, "rxa", 0);
		count(processes, RESOURCE_CQ, 300, "rxb", 0);
	}
	count_kernel(processes, "nvme_rdma", "rxb");
	count_kernel(processes, "smc", "rxb");
	count_kernel(processes, "ib_core", "rxb");
	count(processes, RESOURCE_CQ, 100, "rxb", 0);
	processes_sum_up(processes, 1u << RESOURCE_CQ, 0, &list, &problems);
	assert_int_equal(list.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct process_usage *usage = &list.items[i];

		if (wanted[i].command)
			assert_string_equal(usage->command, wanted[i].command);
		else
			assert_null(usage->command);
		assert_int_equal(usage->pid.known, wanted[i].pid != 0);
		assert_int_equal(usage->pid.value, wanted[i].pid);
		assert_int_equal(usage->counts[RESOURCE_CQ].value, wanted[i].cqs);
		assert_int_equal(usage->devices.count, wanted[i].devices);
	}
	process_usage_list_clear(&list);
	processes_free(processes);
}

/* Threads in any order: each is found again. */
static void any_order(void **state)
{
	static const uint64_t threads[] = {63, 127, 191, 0, 64, 1};
	const struct saved_tree *tree = *state;
	struct processes *processes;

	assert_int_equal(processes_open(tree->path, &processes), 0);
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
			assert_int_equal(processes_find(processes, threads[i])->thread, threads[i]);
	processes_free(processes);
	processes_free(NULL);
}

/* The most memory first, then by number. */
static void order(void **state)
{
	static const uint64_t threads[] = {300, 100, 200, 400}, sorted[] = {400, 100, 200, 300};
	const struct saved_tree *tree = *state;
	struct process_usage_list list;
	struct problems problems = {0};
	struct processes *processes;

	assert_int_equal(processes_open(tree->path, &processes), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		count(processes, RESOURCE_MR, threads[i], "rxa", threads[i] == 400 ? 65 : 64);
	processes_sum_up(processes, 1u << RESOURCE_MR, 0, &list, &problems);
	assert_int_equal(list.count, ARRAY_SIZE(sorted));
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_int_equal(list.items[i].pid.value, sorted[i]);
	assert_true(list.items[0].registered_bytes.known);
	assert_false(list.items[0].counts[RESOURCE_PD].known);
	process_usage_list_clear(&list);
	/*
	 * Sums start from zero again. If memory regions were not counted, their sum is unknown, not
	 * 0.
	 */
	count(processes, RESOURCE_PD, 100, "rxa", 0);
	processes_sum_up(processes, 1u << RESOURCE_PD, 0, &list, &problems);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].counts[RESOURCE_PD].value, 1);
	assert_false(list.items[0].registered_bytes.known);
	assert_true(list.items[0].counts[RESOURCE_PD].known);
	process_usage_list_clear(&list);
	processes_free(processes);
}

/* A process that ends while its files are read is not a problem. */
static void ended_meanwhile(void **state)
{
	static const char *const errors[] = {"!ESRCH", "!ENODEV", "!ENOENT"};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct process_usage_list list;
		struct problems problems = {0};
		struct processes *processes;

		write_task(tree, 148, 148, "rping");
		tree_link(tree, "proc/148/limits", errors[i]);
		assert_int_equal(processes_open(tree->path, &processes), 0);
		count(processes, RESOURCE_MR, 148, "rxa", 1);
		processes_sum_up(processes, 1u << RESOURCE_MR, USAGE_NEED_MEMLOCK, &list,
				 &problems);
		assert_int_equal(problems.count, 0);
		process_usage_list_clear(&list);
		processes_free(processes);
	}
}

/* An unreadable file of an existing process is reported. */
static void unreadable(void **state)
{
	const struct saved_tree *tree = *state;
	struct process_usage_list list;
	struct problems problems = {0};
	struct processes *processes;

	write_task(tree, 148, 148, "rping");
	tree_link(tree, "proc/148/limits", "!EACCES");
	assert_int_equal(processes_open(tree->path, &processes), 0);
	count(processes, RESOURCE_MR, 148, "rxa", 1);
	processes_sum_up(processes, 1u << RESOURCE_MR, USAGE_NEED_MEMLOCK, &list, &problems);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].object, "process 148");
	assert_string_equal(problems.items[0].attribute, "limits");
	assert_int_equal(list.items[0].memlock_soft.unlimited, TRISTATE_UNKNOWN);
	process_usage_list_clear(&list);
	problems_free(&problems);
	processes_free(processes);
}

/* rdma.max of a hundred devices is longer than a sysfs attribute. */
static void long_files(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *text = NULL;
	char *long_text = mem_alloc_zero(70001, 1);

	memset(long_text, 'x', 70000);
	tree_write_bytes(tree, "long", long_text, 70000);
	assert_int_equal(sysfs_read_long(&tree->root, &text, "long"), 0);
	assert_int_equal(strlen(text), 65535);
	free(text);
	text = NULL;
	tree_write_bytes(tree, "short", long_text, 4095);
	assert_int_equal(sysfs_read_long(&tree->root, &text, "short"), 0);
	assert_int_equal(strlen(text), 4095);
	free(text);
	text = NULL;
	tree_write_bytes(tree, "empty", "", 0);
	assert_int_equal(sysfs_read_long(&tree->root, &text, "empty"), 0);
	assert_string_equal(text, "");
	free(text);
	text = NULL;
	assert_int_equal(sysfs_read_long(&tree->root, &text, "none"), -ENOENT);
	assert_null(text);
	free(long_text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status),
		cmocka_unit_test(memlock),
		cmocka_unit_test(mounts),
		cmocka_unit_test(groups),
		cmocka_unit_test(rdma_files),
		TEST(names),
		TEST(many),
		TEST(sums),
		TEST(holders),
		TEST(any_order),
		TEST(order),
		TEST(ended_meanwhile),
		TEST(unreadable),
		TEST(long_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
