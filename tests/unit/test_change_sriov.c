/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The number of virtual functions and whether drivers are bound to them, on a directory that looks
 * like that of a PCI function, with a pipe instead of the file that is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "setting_reads.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "change/sriov/sriov.h"
#include "saved_tree.h"

#define FUNCTION "0000:01:00.0"

struct bed {
	struct saved_tree tree;
	struct change_host host;
	struct changes changes;
	char pipe_path[PATH_MAX + 16];
	int pipe;
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	tree_open(&bed->tree);
	tree_write(&bed->tree, FUNCTION "/sriov_totalvfs", "8");
	tree_write(&bed->tree, FUNCTION "/sriov_numvfs", "0");
	tree_write(&bed->tree, FUNCTION "/sriov_drivers_autoprobe", "1");
	snprintf(bed->pipe_path, sizeof(bed->pipe_path), "%s/pipe", bed->tree.path);
	assert_int_equal(mkfifo(bed->pipe_path, 0600), 0);
	bed->pipe = open(bed->pipe_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(bed->pipe >= 0);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	close(bed->pipe);
	changes_clear(&bed->changes);
	change_host_close(&bed->host);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* The paths of a function are below the root directory of the live system. */
static struct change *want(struct bed *bed, size_t which)
{
	struct change *change = changes_add(&bed->changes, &bed->host, sriov_setting_table[which],
					    "mlx5_0", NULL);

	change->data = mem_format("%s/" FUNCTION, bed->tree.path + 1);
	change->path = mem_string(bed->pipe_path);
	return change;
}

/* Everything that was written since the last call. */
static void assert_written(struct bed *bed, const char *wanted)
{
	char text[32] = "";

	(void)!read(bed->pipe, text, sizeof(text) - 1);
	assert_string_equal(text, wanted);
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		const char *reason; /* NULL: it is accepted */
	} cases[] = {
		{"0", NULL},
		{"8", NULL},
		{"9", "the function has at most 8 VFs"},
		{"65535", "the function has at most 8 VFs"},
		{"65536", "'65536' is not a number of VFs: it takes 0 to 65535"},
		{"-1", "'-1' is not a number of VFs: it takes 0 to 65535"},
		{"", "'' is not a number of VFs: it takes 0 to 65535"},
		{"two", "'two' is not a number of VFs: it takes 0 to 65535"},
	};
	struct bed *bed = *state;
	struct change *change;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int rc;

		change = want(bed, 0);
		rc = change_parse(change, cases[i].text, &change->wanted);
		assert_int_equal(rc, cases[i].reason ? -EINVAL : 0);
		if (cases[i].reason)
			assert_string_equal(change->reason, cases[i].reason);
		else
			assert_string_equal(change->wanted, cases[i].text);
	}
	/* Without the file there is no limit but the kernel's. */
	tree_delete(&bed->tree, FUNCTION "/sriov_totalvfs");
	change = want(bed, 0);
	assert_int_equal(change_parse(change, "65535", &change->wanted), 0);
}

/* Changing one nonzero number to another needs 0 in between: sriov_numvfs_store() says EBUSY. */
static void written(void **state)
{
	static const struct {
		const char *before, *wanted, *written;
	} cases[] = {
		{"0", "4", "4"},
		{"4", "0", "0"},
	};
	struct bed *bed = *state;
	struct change *change;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		change = want(bed, 0);
		tree_write(&bed->tree, FUNCTION "/sriov_numvfs", cases[i].before);
		assert_reads(change, cases[i].before);
		assert_int_equal(change->setting->write(change, cases[i].wanted), 0);
		assert_written(bed, cases[i].written);
	}
	change = want(bed, 0);
	free(change->path);
	change->path = mem_format("%s/" FUNCTION "/sriov_numvfs", bed->tree.path);
	assert_int_equal(change->setting->write(change, "2"), 0);
	assert_reads(change, "2");
}

/* A driver that accepts 0 and keeps the VFs: nobody else made them, and no more are requested. */
static void kept(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, 0);

	tree_write(&bed->tree, FUNCTION "/sriov_numvfs", "4");
	change->written = true;
	assert_int_equal(change->setting->write(change, "2"), -EBUSY);
	assert_written(bed, "0");
	assert_string_equal(change->reason,
			    "the driver accepted the removal of the VFs, but kept them: its netdev "
			    "may be down, or virtual machines may be using some of them");
	assert_true(change->written);
}

/* What the errors of drivers mean. */
static void refused(void **state)
{
	static const struct {
		const char *path;
		int rc;
		const char *reason, *next_step;
	} cases[] = {
		{"/nonexistent/file", -ENOENT,
		 "the driver of the function does not create VFs through sysfs",
		 "load the driver of the physical function"},
		{"/", -EISDIR, NULL, NULL},
	};
	struct bed *bed = *state;
	struct change *change;
	char *value = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		change = want(bed, 0);
		free(change->path);
		change->path = mem_string(cases[i].path);
		assert_int_equal(change->setting->write(change, "4"), cases[i].rc);
		if (cases[i].reason) {
			assert_string_equal(change->reason, cases[i].reason);
			assert_string_equal(change->next_step, cases[i].next_step);
		} else {
			assert_null(change->reason);
		}
	}
	/* The directory goes with the function; then nothing is written. */
	tree_delete(&bed->tree, FUNCTION "/sriov_numvfs");
	change = want(bed, 0);
	assert_int_equal(change->setting->read(change, &value), -ENODEV);
	assert_null(value);
	assert_int_equal(change->setting->write(change, "4"), -ENODEV);
	assert_written(bed, "");
}

/*
 * The kernel says EBUSY for a number while there are VFs, and drivers say it for 0 if virtual
 * machines use some. What somebody else has made is not undone.
 */
static void busy(void **state)
{
	static const char assigned[] =
		"the driver does not remove the VFs: virtual machines may be using some of them";
	static const struct {
		int error;
		bool removes, there;
		const char *reason; /* NULL: the setting gives no reason */
		bool written;
	} cases[] = {
		{-EBUSY, false, true, "somebody else created VFs meanwhile", false},
		/* The earlier ones, which this call has removed, are still to be made again. */
		{-EBUSY, false, false, "the driver is busy, and creates no VFs", true},
		{-EPERM, false, false, "the driver refuses it", true},
		{-EINVAL, false, false, NULL, true},
		{-EBUSY, true, true, assigned, true},
		{-EPERM, true, true, assigned, true},
		{-EINVAL, true, true, assigned, true},
		{-ENOENT, true, true,
		 "the driver of the function does not create VFs through sysfs", true},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, 0);

		change->written = true;
		sriov_explain_vfs(change, cases[i].error, cases[i].removes, cases[i].there);
		assert_int_equal(change->written, cases[i].written);
		if (cases[i].reason)
			assert_string_equal(change->reason, cases[i].reason);
		else
			assert_null(change->reason);
	}
}

/* Which of the writes failed: clear_refs_write() of fs/proc/task_mmu.c only accepts 1 to 5. */
static void not_removed(void **state)
{
	static const struct {
		const char *before, *wanted;
		bool removes;
	} cases[] = {{"4", "0", true}, {"4", "2", true}, {"0", "9", false}};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, 0);

		tree_write(&bed->tree, FUNCTION "/sriov_numvfs", cases[i].before);
		free(change->path);
		change->path = mem_string("/proc/self/clear_refs");
		if (access(change->path, W_OK))
			skip();
		assert_int_equal(change->setting->write(change, cases[i].wanted), -EINVAL);
		assert_int_equal(change->reason != NULL, cases[i].removes);
	}
}

static void no_room(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, 0);

	if (!has_full_device())
		skip();
	free(change->path);
	change->path = mem_string("/dev/full");
	assert_int_equal(change->setting->write(change, "4"), -ENOSPC);
	assert_string_equal(change->reason,
			    "the driver has no interrupts, or no queues, for this many VFs");
	assert_string_equal(change->next_step,
			    "ask for fewer; dmesg | tail may say what is missing");
	sriov_explain_vfs(change, -ENOMEM, false, false);
	assert_string_equal(change->reason,
			    "the function or its PCI bus has no room for this many VFs");
	assert_non_null(strstr(change->next_step, "boot with pci=realloc"));
}

/* Which VFs are in use, and what else goes away with them. */
static void who_has_them(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	/*
	 * VF 0 has a netdev, 1 is a guest's, 2 a program's, 3's netdev is elsewhere, 4 has no
	 * driver.
	 */
	tree_link(&bed->tree, FUNCTION "/virtfn0/driver", "../../drivers/mlx5_core");
	tree_directory(&bed->tree, FUNCTION "/virtfn0/net/");
	tree_directory(&bed->tree, FUNCTION "/virtfn0/net/no_such_netdev");
	tree_link(&bed->tree, FUNCTION "/virtfn1/driver", "../../drivers/vfio-pci");
	tree_link(&bed->tree, FUNCTION "/virtfn2/driver", "../../drivers/pci-stub");
	tree_link(&bed->tree, FUNCTION "/virtfn3/driver", "../../drivers/mlx5_core");
	tree_directory(&bed->tree, FUNCTION "/virtfn3/net");
	tree_directory(&bed->tree, FUNCTION "/virtfn4");
	tree_link(&bed->tree, FUNCTION "/virtfn5/driver", "../../drivers/vfio-pci");
	change = want(bed, 0);
	change->before = mem_string("5");
	change->setting->guard(change);
	assert_int_equal(change->disturbs.count, 3);
	assert_string_equal(change->disturbs.items[0],
			    "VF 1, which vfio-pci holds for a virtual machine or a program");
	assert_string_equal(change->disturbs.items[1],
			    "VF 2, which pci-stub holds for a virtual machine or a program");
	assert_string_equal(change->disturbs.items[2],
			    "VF 3, whose netdev is in another network namespace");
	assert_true(strings_contain(&change->notes,
				    "the 5 existing VFs are removed first, with their settings"));
	assert_true(
		strings_contain(&change->notes, "the netdev no_such_netdev goes away with VF 0"));
	tree_link(&bed->tree, FUNCTION "/virtfn6/driver", "../../drivers/pciback");
	tree_link(&bed->tree, FUNCTION "/virtfn7/driver", "../../drivers/uio_pci_generic");
	change = want(bed, 0);
	change->before = mem_string("9");
	tree_link(&bed->tree, FUNCTION "/virtfn8/driver", "../../drivers/mlx5_core");
	tree_directory(&bed->tree, FUNCTION "/virtfn8/infiniband");
	change->setting->guard(change);
	assert_int_equal(change->disturbs.count, 7);
	assert_string_equal(change->disturbs.items[6],
			    "VF 8, whose RDMA device is in another network namespace");
	assert_string_equal(change->disturbs.items[4],
			    "VF 6, which pciback holds for a virtual machine or a program");
	assert_string_equal(change->disturbs.items[5],
			    "VF 7, which uio_pci_generic holds for a virtual machine or a program");
	change = want(bed, 0);
	change->before = mem_string("1");
	change->setting->guard(change);
	assert_true(strings_contain(&change->notes,
				    "the existing VF is removed first, with its settings"));
	change = want(bed, 0);
	change->before = mem_string("0");
	change->setting->guard(change);
	assert_int_equal(change->disturbs.count + change->notes.count, 0);
	assert_string_equal(change->object, "mlx5_0");
}

static void persisted(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, 0);

	change->wanted = mem_string("4");
	change->setting->persist(change);
	assert_string_equal(change->persist_file, "/etc/udev/rules.d/90-sriov.rules");
	assert_string_equal(change->persist_text,
			    "ACTION==\"add|bind\", SUBSYSTEM==\"pci\", KERNEL==\"" FUNCTION "\", "
			    "DRIVER==\"?*\", ATTR{sriov_numvfs}=\"4\"");
	/* Devices that are not PCI functions have no such rule. */
	change = want(bed, 0);
	free(change->data);
	change->data = mem_string("sys/devices/platform/x");
	change->wanted = mem_string("4");
	change->setting->persist(change);
	assert_null(change->persist_file);
}

static void autoprobe(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, 1);

	assert_string_equal(change->setting->keyword.word, "autoprobe");
	assert_reads(change, "on");
	assert_int_equal(change->setting->write(change, "off"), 0);
	assert_written(bed, "0");
	assert_int_equal(change->setting->write(change, "on"), 0);
	assert_written(bed, "1");
	tree_write(&bed->tree, FUNCTION "/sriov_drivers_autoprobe", "0");
	assert_reads(change, "off");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(numbers),	 TEST(written),	    TEST(refused), TEST(no_room),
		TEST(busy),	 TEST(not_removed), TEST(kept),	   TEST(who_has_them),
		TEST(persisted), TEST(autoprobe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
