/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of /proc, at the limits of their numbers, and the control group that applies. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "kernel/procfs.h"

static void numbers(void **state)
{
	static const struct {
		const char *text;
		bool known;
		uint64_t value;
	} samples[] = {
		{"PPid:\t0", true, 0},
		{"Name:\tx\nPPid:  7 8\n", true, 7},
		{"PPid:\t18446744073709551615", true, UINT64_MAX},
		{"PPid:\t18446744073709551616", false, 0},
		{"PPid:\t00000000000000000009", true, 9},
		{"PPid:\t000000000000000000009", false, 0},
		{"PPid:\t", false, 0},
		{" PPid:\t7", false, 0},
		{"NSPPid:\t7", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct procfs_task task = {.name = NULL};

		procfs_parse_status(samples[i].text, &task);
		assert_int_equal(task.parent.known, samples[i].known);
		assert_true(task.parent.value == samples[i].value);
		procfs_task_clear(&task);
		assert_null(task.name);
	}
}

static void amounts(void **state)
{
	struct procfs_task task = {.name = NULL};

	(void)state;
	/* The largest number of KiB whose bytes fit in 64 bits, and one more. */
	procfs_parse_status("VmLck:\t18014398509481983 kB\nVmPin:\t18014398509481984 kB\n", &task);
	assert_true(task.locked_bytes.known);
	assert_true(task.locked_bytes.value == UINT64_C(18014398509481983) * 1024);
	assert_false(task.pinned_bytes.known);
}

static void task_names(void **state)
{
	static const struct {
		const char *line, *name;
	} samples[] = {
		{"Name:\trping\nUmask:\t1", "rping"},
		{"Name:\ta b", "a b"},
		{"Name:\t\n", ""},
		{"Name:\ta\\\\n", "a\\n"},
		{"Name:\ta\\x", "a\\x"},
		{"Name:\ta\\", "a\\"},
		{"Name:\t\\n\\n", "\\x0a\\x0a"},
		{"Name:\ta\\\nn", "a\\"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct procfs_task task = {.name = NULL};

		procfs_parse_status(samples[i].line, &task);
		assert_string_equal(task.name, samples[i].name);
		/* A name that is already known is kept. */
		procfs_parse_status("Name:\tother\n", &task);
		assert_string_equal(task.name, samples[i].name);
		procfs_task_clear(&task);
	}
}

static void reading(void **state)
{
	const struct saved_tree *tree = *state;
	struct procfs_task task = {.parent = number_of(3)};
	struct limit soft = {.unlimited = TRISTATE_UNKNOWN}, hard = soft;

	assert_int_equal(procfs_read_task(&tree->root, 7, &task), -ENOENT);
	assert_int_equal(task.parent.value, 3);
	tree_write(tree, "proc/7/status", "Name:\tx\nTgid:\t7\nUid:\t1\t2\t3\t4");
	assert_int_equal(procfs_read_task(&tree->root, 7, &task), 0);
	assert_string_equal(task.name, "x");
	assert_int_equal(task.process.value, 7);
	assert_int_equal(task.user.value, 2);
	assert_false(task.parent.known || task.capabilities.known || task.locked_bytes.known);
	procfs_task_clear(&task);
	assert_int_equal(procfs_read_memlock(&tree->root, 7, &soft, &hard), -ENOENT);
	tree_write(tree, "proc/7/limits", "Max locked memory  unlimited  unlimited  bytes");
	assert_int_equal(procfs_read_memlock(&tree->root, 7, &soft, &hard), 0);
	assert_int_equal(soft.unlimited, TRISTATE_YES);
	assert_int_equal(hard.unlimited, TRISTATE_YES);
	assert_false(soft.value.known || hard.value.known);
}

static void limits(void **state)
{
	struct limit soft = {{0}}, hard = {{0}};

	(void)state;
	procfs_parse_limit("Max processes x 5 processes", "Max processes", &soft, &hard);
	assert_int_equal(soft.unlimited, TRISTATE_UNKNOWN);
	assert_false(soft.value.known);
	assert_int_equal(hard.unlimited, TRISTATE_NO);
	assert_int_equal(hard.value.value, 5);
}

static void mount_fields(void **state)
{
	static const struct {
		const char *text, *field;
	} samples[] = {
		{"a", "a"},
		{"\\040\\011\\012\\134\\043", " \t\n\\#"},
		{"x\\040", "x "},
		{"\\377\\000x", "\377"},
		/* No byte exceeds 0377, and an escape has three digits. */
		{"\\400", "\\400"},
		{"\\080", "\\080"},
		{"\\008", "\\008"},
		{"\\04", "\\04"},
		{"\\", "\\"},
		{"\\/40", "\\/40"},
		{"\\0/0", "\\0/0"},
		{"\\00/", "\\00/"},
		{"\\077\\307\\370", "?\307\370"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *line = mem_format("%s next", samples[i].text);
		char *rest = line;

		assert_string_equal(procfs_take_mount_field(&rest), samples[i].field);
		assert_string_equal(procfs_take_mount_field(&rest), "next");
		assert_null(procfs_take_mount_field(&rest));
	}
}

/* Only the mount point itself decides; what the fields contain stays as it is written. */
static void root_mount(void **state)
{
	static const char *const others[] = {
		"",
		"27 1 254:0 / /",
		"27 1 254:0 / /home rw - ext4 / rw",
		"27 1 254:0 / \\040 rw - ext4 / rw",
	};
	static const char line[] = "27 1 254:0 /a\\040b / rw,relatime - ext4 /dev/vda rw";
	struct procfs_root_mount mount;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(procfs_parse_root_mount(others[i], &mount));
	assert_true(procfs_parse_root_mount(line, &mount));
	assert_memory_equal(line + mount.device, "254:0 /a\\040b /", 15);
	assert_memory_equal(line + mount.directory, "/a\\040b /", 9);
	assert_int_equal(mount.end - mount.directory, 7);
}

static void expect_mount(const char *text, const char *mount, const char *root, bool v1)
{
	struct procfs_cgroups cgroups = {.mount = NULL};

	procfs_parse_mountinfo(text, &cgroups);
	assert_int_equal(cgroups.mount != NULL, mount != NULL);
	if (mount) {
		assert_string_equal(cgroups.mount, mount);
		assert_string_equal(cgroups.root, root);
	}
	assert_int_equal(cgroups.v1, v1);
	procfs_cgroups_clear(&cgroups);
	assert_null(cgroups.root);
}

#define MOUNT(root, place, type, options) "1 2 0:3 " root " " place " rw - " type " x " options "\n"

static void hierarchies(void **state)
{
	static const char *const words[] = {"rdma", "rw,rdma", "rdma,rw", "a,rdma,b"};
	static const char *const others[] = {"xrdma", "rdmax", "rw,xrdma", "rdm", "r,dma", "rw"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_(freep) char *text = mem_format(MOUNT("/", "/a", "cgroup", "%s"),
							 words[i]);

		expect_mount(text, "a", "/", true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		_cleanup_(freep) char *text = mem_format(MOUNT("/", "/a", "cgroup", "%s"),
							 others[i]);

		expect_mount(text, NULL, NULL, false);
	}
	/* The first mount of each version counts; a mount elsewhere does not hide it. */
	expect_mount(MOUNT("/a", "/a", "cgroup2", "rw") MOUNT("/b", "/b", "cgroup2", "rw"), "a",
		     "/a", false);
	expect_mount(MOUNT("/a", "/a", "cgroup", "rdma") MOUNT("/b", "/b", "cgroup", "rdma"), "a",
		     "/a", true);
	expect_mount(MOUNT("/", "/a", "tmpfs", "rdma"), NULL, NULL, false);
	expect_mount(MOUNT("/", "a", "cgroup2", "rw"), NULL, NULL, false);
	expect_mount("1 2 0:3 / /a rw - cgroup2 x\n", NULL, NULL, false);
	expect_mount("1 2 0:3 /r /a rw shared:1 master:2 - cgroup2 x rw\n", "a", "/r", false);
	expect_mount("1 2 0:3 /r /a - cgroup2 x rw\n", "a", "/r", false);
}

static void group_lines(void **state)
{
	static const struct {
		const char *text;
		bool v1;
		const char *group;
	} samples[] = {
		{"5:cpu,rdma:/a", true, "/a"},
		{"5:rdma,cpu:/a\n", true, "/a"},
		{"5:xrdma:/a\n", true, NULL},
		{"5:rdmax:/a\n6:rdma:/b", true, "/b"},
		{"5:cpu:/a\n0::/b\n", false, "/b"},
		{"10::/a\n0::/b", false, "/b"},
		{"0:\n0::/b", false, "/b"},
		{"0\n0::/b", false, "/b"},
		{"0::\n", false, ""},
		{"5:rdma:/a:b\n", true, "/a:b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *group = procfs_parse_cgroup(samples[i].text, samples[i].v1);

		if (samples[i].group)
			assert_string_equal(group, samples[i].group);
		else
			assert_null(group);
	}
}

static void device_lines(void **state)
{
	_cleanup_(cgroup_device_list_clear) struct cgroup_device_list list = {0};

	(void)state;
	procfs_parse_rdma("a hca_handle=1 hca_object=2\nb hca_handles=3 hca_objec=4\n c\n", false,
			  &list);
	procfs_parse_rdma("b hca_object=max hca_handle=6\na hca_handle=x hca_object=8\n", true,
			  &list);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].device, "a");
	assert_int_equal(list.items[0].handles.value, 1);
	assert_int_equal(list.items[0].objects.value, 2);
	assert_int_equal(list.items[0].most_handles.unlimited, TRISTATE_UNKNOWN);
	assert_int_equal(list.items[0].most_objects.value.value, 8);
	assert_string_equal(list.items[1].device, "b");
	assert_false(list.items[1].handles.known || list.items[1].objects.known);
	assert_int_equal(list.items[1].most_handles.value.value, 6);
	assert_int_equal(list.items[1].most_handles.unlimited, TRISTATE_NO);
	assert_int_equal(list.items[1].most_objects.unlimited, TRISTATE_YES);
	cgroup_device_list_clear(&list);
	assert_int_equal(list.count, 0);
}

static void write_group(const struct saved_tree *tree, const char *path, const char *objects)
{
	_cleanup_(freep) char *current = mem_format("%s/rdma.current", path);
	_cleanup_(freep) char *most = mem_format("%s/rdma.max", path);
	_cleanup_(freep) char *line = mem_format("rxa hca_handle=1 hca_object=%s", objects);

	tree_write(tree, current, line);
	tree_write(tree, most, "rxa hca_handle=max hca_object=9");
}

static void expect_group_of(const struct saved_tree *tree, const char *line, int rc,
			    const char *wanted, uint64_t objects)
{
	struct procfs_cgroups cgroups;
	struct cgroup_device_list list = {.count = 0};
	char *group = NULL;

	tree_write(tree, "proc/7/cgroup", line);
	assert_int_equal(procfs_find_cgroups(&tree->root, &cgroups), 0);
	assert_int_equal(procfs_read_rdma_cgroup(&tree->root, &cgroups, 7, &group, &list), rc);
	procfs_cgroups_clear(&cgroups);
	if (rc) {
		assert_null(group);
		assert_int_equal(list.count, 0);
		return;
	}
	assert_string_equal(group, wanted);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].objects.value, objects);
	free(group);
	cgroup_device_list_clear(&list);
}

/* The closest group that has the controller; also the root group, if it has the files. */
static void group_of_a_process(void **state)
{
	const struct saved_tree *tree = *state;
	struct procfs_cgroups cgroups = {.mount = NULL};

	assert_int_equal(procfs_find_cgroups(&tree->root, &cgroups), -ENOENT);
	tree_write(tree, "proc/self/mountinfo", MOUNT("/", "/cg", "cgroup2", "rw"));
	write_group(tree, "cg/a", "4");
	write_group(tree, "cg/a/b", "5");
	tree_directory(tree, "cg/a/b/c");
	expect_group_of(tree, "0::/a/b/c", 0, "/a/b", 5);
	expect_group_of(tree, "0::/a/b", 0, "/a/b", 5);
	expect_group_of(tree, "0::/a/x/y", 0, "/a", 4);
	expect_group_of(tree, "0::/x", -ENOENT, NULL, 0);
	expect_group_of(tree, "0::/", -ENOENT, NULL, 0);
	expect_group_of(tree, "0::/../a", -ENOENT, NULL, 0);
	expect_group_of(tree, "5:rdma:/a", -ENOENT, NULL, 0);
	write_group(tree, "cg", "6");
	expect_group_of(tree, "0::/x", 0, "/", 6);
	expect_group_of(tree, "0::/", 0, "/", 6);
	tree_link(tree, "cg/a/b/rdma.max", "!EACCES");
	expect_group_of(tree, "0::/a/b/c", -EACCES, NULL, 0);
}

/* A container sees a part of the hierarchy instead of its root. */
static void group_in_a_part(void **state)
{
	const struct saved_tree *tree = *state;
	struct procfs_cgroups cgroups;
	struct cgroup_levels levels;

	tree_write(tree, "proc/self/mountinfo", MOUNT("/box", "/cg", "cgroup2", "rw"));
	write_group(tree, "cg", "4");
	write_group(tree, "cg/b", "5");
	write_group(tree, "cg/es", "6");
	expect_group_of(tree, "0::/boxes", -ENOENT, NULL, 0);
	expect_group_of(tree, "0::/box/b", 0, "/box/b", 5);
	expect_group_of(tree, "0::/box/c", 0, "/box", 4);
	expect_group_of(tree, "0::/box", 0, "/box", 4);
	expect_group_of(tree, "0::/other", -ENOENT, NULL, 0);
	assert_int_equal(procfs_find_cgroups(&tree->root, &cgroups), 0);
	tree_write(tree, "proc/7/cgroup", "0::/box/b/c");
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "7", &levels), 0);
	assert_int_equal(levels.count, 2);
	assert_string_equal(levels.items[0].group, "/box/b");
	assert_string_equal(levels.items[1].group, "/box");
	cgroup_levels_clear(&levels);
	assert_int_equal(levels.count, 0);
	tree_write(tree, "proc/7/cgroup", "0::/other");
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "7", &levels), 0);
	assert_int_equal(levels.count, 0);
	procfs_cgroups_clear(&cgroups);
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "7", &levels), -ENOENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),	cmocka_unit_test(amounts),
		cmocka_unit_test(task_names),	TEST(reading),
		cmocka_unit_test(limits),	cmocka_unit_test(mount_fields),
		cmocka_unit_test(hierarchies),	cmocka_unit_test(group_lines),
		cmocka_unit_test(device_lines), TEST(group_of_a_process),
		TEST(group_in_a_part),		cmocka_unit_test(root_mount),
	};

	return cmocka_run_group_tests_name("procfs", tests, NULL, NULL);
}
