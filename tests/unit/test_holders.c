/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The holders of a device: open descriptors in a made-up /proc, objects, mounts and controllers. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "change/holders.h"
#include "kernel/holders.h"

/* /dev/null and /dev/zero are open instead of uverbs0 and umad0: any user has these nodes. */
#define NULL_NUMBER "1:3"
#define ZERO_NUMBER "1:5"

static const struct setting setting = {.keyword = {.word = "link"}};

struct bed {
	struct saved_tree tree;
	struct changes changes;
	struct change_host host;
	struct change *change;
	struct device_users users;
};

static int set_up(void **state)
{
	struct bed *bed;
	int rc = tree_set_up(state, sizeof(*bed));

	bed = *state;
	/* The links below lead out of the tree, like those of a live system. */
	bed->tree.root.below = true;
	bed->change = changes_add(&bed->changes, &bed->host, &setting, "rxe0", CHANGE_ABSENT);
	tree_write(&bed->tree, "sys/class/infiniband_verbs/abi_version", "6");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs0/dev", NULL_NUMBER);
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs1/ibdev", "rxe1");
	tree_write(&bed->tree, "sys/class/infiniband_verbs/uverbs1/dev", "1:7");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad0/ibdev", "rxe0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad0/dev", ZERO_NUMBER);
	tree_write(&bed->tree, "proc/712/status", "Name:\tibv_rc_pingpong\nTgid:\t712");
	tree_link(&bed->tree, "proc/712/fd/0", "/dev/null");
	tree_link(&bed->tree, "proc/712/fd/3", "/dev/null");
	tree_link(&bed->tree, "proc/712/fd/4", "socket:[4711]");
	tree_write(&bed->tree, "proc/80/status", "Name:\topen\x1bsm\nTgid:\t80");
	tree_link(&bed->tree, "proc/80/fd/9", "/dev/zero");
	tree_write(&bed->tree, "proc/90/status", "Name:\tother\nTgid:\t90");
	tree_link(&bed->tree, "proc/90/fd/1", "/dev/full");
	tree_link(&bed->tree, "proc/self/fd/1", "/dev/null");
	return rc;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	device_users_clear(&bed->users);
	changes_clear(&bed->changes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void take(struct bed *bed, enum resource_kind kind, uint64_t pid, const char *kernel_name,
		 const char *peer)
{
	struct resource resource = {.kernel_name = mem_string_or_null(kernel_name)};
	char command[] = "ibv_rc_pingpong";

	if (pid)
		number_set(&resource.pid, pid);
	resource.command = pid ? command : NULL;
	if (peer) {
		assert_int_equal(ip_parse(peer, &resource.remote_ip.address), 0);
		resource.remote_ip.known = true;
	}
	device_users_take(&bed->users, kind, &resource);
	free(resource.kernel_name);
}

/* Returns the sentences about the holders, separated by semicolons. */
static char *list(const struct strings *strings)
{
	char *text = mem_string("");

	for (size_t i = 0; i < strings->count; i++)
		mem_extend(&text, "%s%s", i ? "; " : "", strings->items[i]);
	return text;
}

static void expect(struct bed *bed, const char *disturbs, const char *notes)
{
	char *text;

	device_users_look(&bed->users, &bed->tree.root, "rxe0", bed->change);
	device_users_tell(&bed->users, bed->change);
	text = list(&bed->change->disturbs);
	assert_string_equal(text, disturbs);
	free(text);
	text = list(&bed->change->notes);
	assert_string_equal(text, notes);
	free(text);
}

/* Compares the device nodes with a text such as "uverbs0 1:3, umad0 1:5". */
static void expect_nodes(struct bed *bed, int rc, const char *wanted)
{
	struct device_nodes nodes = {.count = 0};
	char *text = mem_string("");

	assert_int_equal(device_nodes_read(&bed->tree.root, "rxe0", &nodes), rc);
	for (size_t i = 0; i < nodes.count; i++)
		mem_extend(&text, "%s%s %u:%u", i ? ", " : "", nodes.items[i].name,
			   nodes.items[i].major, nodes.items[i].minor);
	assert_string_equal(text, wanted);
	free(text);
	device_nodes_clear(&nodes);
}

/*
 * A class is missing while its module is not loaded; the nodes of the other class are still found.
 */
static void classes(void **state)
{
	struct bed *bed = *state;

	expect_nodes(bed, 0, "uverbs0 1:3, umad0 1:5");
	tree_delete(&bed->tree, "sys/class/infiniband_mad");
	expect_nodes(bed, 0, "uverbs0 1:3");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad0/ibdev", "rxe0");
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad0/dev", ZERO_NUMBER);
	tree_write(&bed->tree, "sys/class/infiniband_mad/umad1/ibdev", "rxe0");
	tree_delete(&bed->tree, "sys/class/infiniband_verbs");
	expect_nodes(bed, 0, "umad0 1:5");
	tree_delete(&bed->tree, "sys/class/infiniband_mad");
	expect_nodes(bed, 0, "");
	tree_write(&bed->tree, "sys/class/infiniband_mad", "a file");
	expect_nodes(bed, -ENOTDIR, "");
}

static void descriptors(void **state)
{
	struct bed *bed = *state;
	struct device_nodes nodes = {.count = 0};
	struct holders holders = {.count = 0};

	/* Added neither in ascending nor in descending order, to test sorting. */
	tree_write(&bed->tree, "proc/300/status", "Name:\tlater\nTgid:\t300");
	tree_link(&bed->tree, "proc/300/fd/2", "/dev/zero");
	tree_link(&bed->tree, "proc/300/fd/3", "/dev/null");
	assert_int_equal(device_nodes_read(&bed->tree.root, "rxe0", &nodes), 0);
	assert_int_equal(nodes.count, 2);
	assert_string_equal(nodes.items[0].name, "uverbs0");
	assert_int_equal(nodes.items[0].major, 1);
	assert_int_equal(nodes.items[1].minor, 5);
	assert_int_equal(holders_find(&bed->tree.root, &nodes, &holders), 0);
	assert_int_equal(holders.count, 3);
	assert_int_equal(holders.items[0].process, 80);
	assert_string_equal(holders.items[0].command, "open\\x1bsm");
	assert_string_equal(holders.items[0].nodes.items[0], "umad0");
	assert_int_equal(holders.items[1].process, 300);
	assert_int_equal(holders.items[1].nodes.count, 2);
	assert_int_equal(holders.items[2].process, 712);
	assert_int_equal(holders.items[2].nodes.count, 1);
	assert_int_equal(holders.hidden, 0);
	holders_clear(&holders);
	/* Nothing is open in a saved tree, wherever its links lead. */
	bed->tree.root.below = false;
	assert_int_equal(holders_find(&bed->tree.root, &nodes, &holders), 0);
	assert_int_equal(holders.count, 0);
	device_nodes_clear(&nodes);
	/* Without a node there is nothing to look for, and /proc is not needed. */
	tree_delete(&bed->tree, "proc");
	assert_int_equal(holders_find(&bed->tree.root, &nodes, &holders), 0);
}

static void no_proc(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *note = mem_format("cannot tell who has the device open: %s",
						 strerror(ENOENT));

	tree_delete(&bed->tree, "proc");
	expect(bed, "", note);
}

static void hidden(void **state)
{
	struct bed *bed = *state;

	tree_directory(&bed->tree, "proc/91/fd");
	assert_int_equal(fchmodat(bed->tree.root.fd, "proc/91/fd", 0, 0), 0);
	tree_become_nobody();
	expect(bed,
	       "process 80 (open\\x1bsm): /dev/infiniband/umad0 open; "
	       "process 712 (ibv_rc_pingpong): /dev/infiniband/uverbs0 open",
	       "the open files of 1 process cannot be seen without CAP_SYS_PTRACE");
	tree_become_oneself();
}

/* One sentence covers both what a process owns and what it has open. */
static void objects(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "proc/80");
	take(bed, RESOURCE_QP, 712, NULL, NULL);
	take(bed, RESOURCE_QP, 712, NULL, NULL);
	take(bed, RESOURCE_PD, 712, NULL, NULL);
	take(bed, RESOURCE_CTX, 712, NULL, NULL);
	take(bed, RESOURCE_CM_ID, 5, NULL, NULL);
	take(bed, RESOURCE_QP, 0, "ib_core", NULL);
	take(bed, RESOURCE_PD, 0, "rdma_rxe", NULL);
	take(bed, RESOURCE_PD, 0, "ib_srpt", NULL);
	take(bed, RESOURCE_CTX, 0, NULL, NULL);
	expect(bed,
	       "processes outside this container: 1 context; process 5 (ibv_rc_pingpong): 1 CM ID; "
	       "process 712 (ibv_rc_pingpong): 2 queue pairs, /dev/infiniband/uverbs0 open; "
	       "ib_srpt in the kernel: 1 protection domain",
	       "");
}

static void many(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	for (uint64_t pid = 1; pid <= 1000; pid++)
		take(bed, RESOURCE_QP, pid, NULL, NULL);
	take(bed, RESOURCE_QP, 0, "nvme_rdma", NULL);
	device_users_tell(&bed->users, bed->change);
	assert_int_equal(bed->change->disturbs.count, 16 + 1 + 1);
	assert_string_equal(bed->change->disturbs.items[16],
			    "nvme_rdma in the kernel: 1 queue pair");
	assert_string_equal(bed->change->disturbs.items[17], "984 more processes");
}

/* Sixteen holders are named; the others are only counted. */
static void as_many_as_are_named(struct bed *bed, uint64_t count, size_t sentences,
				 const char *last)
{
	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	for (uint64_t pid = 101; pid <= 100 + count; pid++)
		take(bed, RESOURCE_QP, pid, NULL, NULL);
	device_users_tell(&bed->users, bed->change);
	assert_int_equal(bed->change->disturbs.count, sentences);
	assert_string_equal(bed->change->disturbs.items[sentences - 1], last);
}

static void sixteen(void **state)
{
	as_many_as_are_named(*state, 16, 16, "process 116 (ibv_rc_pingpong): 1 queue pair");
}

static void seventeen(void **state)
{
	as_many_as_are_named(*state, 17, 17, "1 more process");
}

static void eighteen(void **state)
{
	as_many_as_are_named(*state, 18, 17, "2 more processes");
}

static void storage(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	tree_write(&bed->tree, "proc/self/mountinfo",
		   "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
		   "90 1 0:50 / /home/big\\040data rw,relatime shared:7 - nfs4 server:/export "
		   "rw,vers=4.2,proto=rdma,port=20049,addr=10.0.0.2\n"
		   "91 1 0:51 / /tcp rw - nfs4 server:/other rw,proto=tcp,addr=10.0.0.2\n"
		   "92 1 0:52 / /far rw - nfs server:/far rw,proto=rdma,addr=10.0.0.9\n"
		   "94 1 0:53 / /six rw - nfs4 server:/six rw,proto=rdma6,addr=fd00::2\n"
		   "93 1");
	tree_write(&bed->tree, "sys/class/nvme/nvme0/transport", "pcie");
	tree_write(&bed->tree, "sys/class/nvme/nvme0/address", "0000:01:00.0");
	tree_write(&bed->tree, "sys/class/nvme/nvme1/transport", "rdma");
	tree_write(&bed->tree, "sys/class/nvme/nvme1/address", "traddr=fd00::2,trsvcid=4420");
	take(bed, RESOURCE_CM_ID, 0, "rpcrdma", "10.0.0.2");
	take(bed, RESOURCE_CM_ID, 0, "nvme_rdma", "fd00::2");
	expect(bed,
	       "NFS mount /home/big data, which reaches 10.0.0.2 through it; "
	       "NFS mount /six, which reaches fd00::2 through it; "
	       "NVMe controller nvme1, which reaches fd00::2 through it; "
	       "nvme_rdma in the kernel: 1 CM ID; rpcrdma in the kernel: 1 CM ID",
	       "");
}

/* If the kernel's connections are unknown, storage may or may not be in the way. */
static void storage_unknown(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	tree_write(&bed->tree, "proc/self/mountinfo",
		   "90 1 0:50 / /home rw - nfs4 server:/export rw,proto=rdma,addr=10.0.0.2");
	bed->users.peers_unknown = true;
	expect(bed, "", "NFS mount /home uses RDMA; it is not known whether through this device");
}

static void ipoib(void **state)
{
	struct bed *bed = *state;
	const char *const net = "sys/class/infiniband/rxe0/device/net";
	static const struct {
		const char *name, *type, *flags;
	} netdevs[] = {{"ib0", "32", "0x1043"}, {"ib1", "32", "0x1002"}, {"eth0", "1", "0x1003"}};
	char path[PATH_MAX];

	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	for (size_t i = 0; i < ARRAY_SIZE(netdevs); i++) {
		snprintf(path, sizeof(path), "%s/%s/type", net, netdevs[i].name);
		tree_write(&bed->tree, path, netdevs[i].type);
		snprintf(path, sizeof(path), "%s/%s/flags", net, netdevs[i].name);
		tree_write(&bed->tree, path, netdevs[i].flags);
	}
	expect(bed, "IPoIB interface ib0, which is up", "");
}

/* What cannot be read may be in the way. */
static void unreadable(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "proc/80");
	tree_delete(&bed->tree, "proc/712");
	tree_write(&bed->tree, "sys/class/infiniband/rxe0/device/net", "not a directory");
	tree_write(&bed->tree, "proc/self/mountinfo/part", "not a file");
	tree_write(&bed->tree, "sys/class/nvme", "not a directory");
	expect(bed, "",
	       "cannot tell whether IPoIB interfaces use the device: Not a directory; "
	       "cannot tell whether NFS mounts use the device: Is a directory; "
	       "cannot tell whether NVMe controllers use the device: Not a directory");
}

static void own_descriptors(void **state)
{
	char name[] = "null";
	struct device_node node = {name, 1, 3};
	const struct device_nodes nodes = {&node, 1};
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), other = open("/dev/zero", O_RDONLY);

	(void)state;
	assert_true(fd >= 0 && other >= 0);
	/* The test's standard input may also be /dev/null. */
	assert_int_equal(dup2(other, STDIN_FILENO), STDIN_FILENO);
	holders_close_own(&nodes);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_true(fcntl(other, F_GETFD) >= 0);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(classes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_proc, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hidden, set_up, tear_down),
		cmocka_unit_test_setup_teardown(objects, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sixteen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(seventeen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(eighteen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(storage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(storage_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ipoib, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unreadable, set_up, tear_down),
		cmocka_unit_test(own_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
