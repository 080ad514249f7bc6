/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is reported before a device is renamed: the files and variables that contain the old name,
 * looked for below a root made by the test; and the rule that makes the new one permanent.
 */
#include "rooted.h"
#include "saved_tree.h"

#include <sched.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "change/device/device.h"
#include "host/inventory/inventory.h"

/* In a process whose root is the tree: the notes, one per line. */
static void look(const struct saved_tree *tree, int fd)
{
	struct change change = {.before = mem_string("mlx5_0")};

	/* Without root privileges this needs a user namespace. */
	if ((geteuid() && unshare(CLONE_NEWUSER)) || chroot(tree->path) || chdir("/"))
		_exit(77);
	device_name_setting.guard(&change);
	for (size_t i = 0; i < change.notes.count; i++)
		dprintf(fd, "%s\n", change.notes.items[i]);
	_exit(change.disturbs.count != 0);
}

static void expect(const struct saved_tree *tree, const char *wanted)
{
	char text[4096];
	size_t length = 0;
	ssize_t got;
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		look(tree, ends[1]);
	close(ends[1]);
	while ((got = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_string_equal(text, wanted);
}

/* mlx5_1 is not in mlx5_10. */
static void words(void **state)
{
	static const struct {
		const char *text;
		bool found;
	} cases[] = {
		{"mlx5_0", true},
		{"=mlx5_0", true},
		{"^mlx5_0:1", true},
		{"mlx5_1,mlx5_0", true},
		{"a mlx5_00 mlx5_0 b", true},
		{"/mlx5_0/", true},
		{"\"mlx5_0\"", true},
		{"mlx5_00", false},
		{"mlx5_0a", false},
		{"mlx5_0z", false},
		{"mlx5_0A", false},
		{"mlx5_0Z", false},
		{"mlx5_09", false},
		{"mlx5_0_", false},
		{"mlx5_0.", false},
		{"mlx5_0-", false},
		{"amlx5_0", false},
		{"9mlx5_0", false},
		{"_mlx5_0", false},
		{"mlx5_", false},
		{"MLX5_0", false},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted =
			cases[i].found
				? mem_format("/etc/nccl.conf:1 names mlx5_0: %s\n", cases[i].text)
				: mem_string("");

		tree_write(tree, "etc/nccl.conf", cases[i].text);
		expect(tree, wanted);
	}
}

static void places(void **state)
{
	const struct saved_tree *tree = *state;
	char line[200];

	/* A directory where a file is expected names nothing, nor do the files in it. */
	tree_directory(tree, "etc/nccl.conf");
	tree_write(tree, "etc/udev/rules.d/sub/file", "mlx5_0");
	tree_directory(tree, "etc/ucx");
	expect(tree, "");
	tree_link(tree, "etc/environment", "environment");
	/* One note for each file, with the number of the first line. */
	tree_write(tree, "etc/udev/rules.d/60-x.rules", "# names\n\nNAME=\"mlx5_0\"\nmlx5_0");
	tree_write(tree, "etc/ucx/ucx.conf", "UCX_TLS=rc\nUCX_NET_DEVICES=mlx5_0:1");
	tree_write(tree, "etc/libfabric.conf", "FI_PROVIDER=verbs\nFI_VERBS_DEVICE_NAME=mlx5_0\n");
	tree_write(tree, "etc/systemd/system/x.service", "Exec=x -d mlx5_0");
	tree_write(tree, "etc/opensm/opensm.conf", "\033 mlx5_0");
	/* Only this much of a line is shown. */
	snprintf(line, sizeof(line), "mlx5_0 %0120d", 7);
	tree_write(tree, "etc/modprobe.d/x.conf", line);
	/* And nothing about other places. */
	tree_write(tree, "etc/other", "mlx5_0");
	snprintf(line, sizeof(line), "mlx5_0 %093d", 0);
	{
		_cleanup_(freep) char *wanted = mem_format(
			"/etc/environment could not be searched for mlx5_0: %s\n"
			"/etc/ucx/ucx.conf:2 names mlx5_0: UCX_NET_DEVICES=mlx5_0:1\n"
			"/etc/libfabric.conf:2 names mlx5_0: FI_VERBS_DEVICE_NAME=mlx5_0\n"
			"/etc/udev/rules.d/60-x.rules:3 names mlx5_0: NAME=\"mlx5_0\"\n"
			"/etc/modprobe.d/x.conf:1 names mlx5_0: %s\n"
			"/etc/systemd/system/x.service:1 names mlx5_0: Exec=x -d mlx5_0\n"
			"/etc/opensm/opensm.conf:1 names mlx5_0: \\x1b mlx5_0\n",
			strerror(ELOOP), line);

		expect(tree, wanted);
	}
}

static void environment(void **state)
{
	static const char variables[] = "A=x\0NCCL_IB_HCA=mlx5_1,mlx5_0\0mlx5_0=7\0mlx5_0\0"
					"UCX_NET_DEVICES=mlx5_0:1";
	const struct saved_tree *tree = *state;

	tree_write_bytes(tree, "proc/self/environ", variables, sizeof(variables));
	tree_directory(tree, "sys/kernel/config/rdma_cm/mlx5_1");
	expect(tree, "the environment names mlx5_0: NCCL_IB_HCA=mlx5_1,mlx5_0\n"
		     "the environment names mlx5_0: UCX_NET_DEVICES=mlx5_0:1\n");
	tree_delete(tree, "proc");
	tree_directory(tree, "sys/kernel/config/rdma_cm/mlx5_0");
	expect(tree, "the settings in /sys/kernel/config/rdma_cm/mlx5_0 return ENODEV afterwards: "
		     "rmdir it, and mkdir it with the new name\n");
}

static struct device *add_device(struct inventory *inventory, const char *name, uint64_t guid,
				 const char *address)
{
	struct device *device = device_list_add(&inventory->devices, name);

	device->index = number_of(3);
	device->node_guid = (struct number){.value = guid, .known = guid != 1};
	device->pci_address = mem_string_or_null(address);
	return device;
}

struct lasting {
	const char *name;
	uint64_t guid; /* 1: not known */
	const char *address, *match;
};

/* The inventory has only the device that was named. */
static void persist(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct lasting *lasting = context;
	struct inventory inventory = {.answers = true};
	struct change_host host = {.inventory = &inventory};
	struct change change = {
		.host = &host, .device_index = {3, true}, .wanted = mem_string("rdma0")};

	(void)tree;
	add_device(&inventory, lasting->name, lasting->guid, lasting->address);
	device_name_setting.persist(&change);
	fprintf(out, "%s\n%s\n", change.persist_file ? change.persist_file : "no file",
		change.persist_text ? change.persist_text : "no text");
}

static void add_to_class(const struct saved_tree *tree, const char *name, const char *place,
			 const char *guid)
{
	_cleanup_(freep) char *target = mem_format("../../devices/%s/infiniband/%s", place, name);
	_cleanup_(freep) char *link = mem_format("sys/class/infiniband/%s", name);
	_cleanup_(freep) char *file = mem_format("sys/devices/%s/infiniband/%s/node_guid", place,
						 name);

	tree_link(tree, link, target);
	tree_write(tree, file, guid);
}

#define FUNCTION "pci0000:00/0000:3b:00.0"

/*
 * By its GUID, if no other device has it; otherwise by its PCI function, unless it is only a part
 * of that.
 */
static void lasting(void **state)
{
	static const char function[] = "DEVPATH==\"*/0000:3b:00.0/infiniband/*\"";
	static const struct lasting cases[] = {
		{"mlx5_0", 0x1122334455667788, "0000:3b:00.0",
		 "ATTR{node_guid}==\"1122:3344:5566:7788\""},
		{"mlx5_0", 0x1122334455667788, NULL, "ATTR{node_guid}==\"1122:3344:5566:7788\""},
		{"mlx5_1", 7, "0000:3b:00.0", function},
		{"mlx5_1", 0, "0000:3b:00.0", function},
		{"mlx5_1", 1, "0000:3b:00.0", function},
		{"mlx5_1", 7, NULL, NULL},
		/* A subfunction, whose device has the PCI address of its function. */
		{"mlx5_2", 0, "0000:3b:00.0", NULL},
		{"none", 0, "0000:3b:00.0", NULL},
	};

	if (!rooted_is_possible())
		skip();
	add_to_class(*state, "mlx5_0", "pci0000:00/0000:01:00.0", "1122:3344:5566:7788");
	add_to_class(*state, "mlx5_1", FUNCTION, "0000:0000:0000:0007");
	add_to_class(*state, "smi1", FUNCTION, "0000:0000:0000:0007");
	add_to_class(*state, "mlx5_2", FUNCTION "/mlx5_core.sf.2", "0000:0000:0000:0000");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lasting one = cases[i];
		_cleanup_(freep) char *wanted =
			one.match ? mem_format("/etc/udev/rules.d/59-rdma-names.rules\n"
					       "ACTION==\"add\", SUBSYSTEM==\"infiniband\", %s, "
					       "PROGRAM=\"rdma_rename %%k NAME_FIXED rdma0\"\n",
					       one.match)
				  : mem_string("no file\nno text\n");

		rooted_expect(*state, persist, &one, wanted);
	}
}

/* A device that is created with its name needs no rule, and neither does a missing one. */
static void not_lasting(void **state)
{
	struct inventory inventory = {.answers = true};
	struct change_host host = {.inventory = &inventory};
	struct change change = {
		.host = &host, .device_index = {3, true}, .wanted = mem_string("rdma0")};

	(void)state;
	device_name_setting.persist(&change);
	assert_null(change.persist_text);
	add_device(&inventory, "rxe0", 5, NULL)->software = true;
	device_name_setting.persist(&change);
	assert_null(change.persist_file);
	assert_int_equal(change.notes.count, 0);
	assert_string_equal(
		change.persist_text,
		"a software device gets its name when it is created: rdmactl link add rdma0 ...");
	free(change.persist_text);
	free(change.wanted);
	inventory_free(&inventory);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words),
		TEST(places),
		TEST(environment),
		TEST(lasting),
		cmocka_unit_test(not_lasting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
