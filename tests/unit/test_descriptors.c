/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How files and sockets are opened: no started program inherits them, reading none of them blocks,
 * and a root confines lookups. Also the privileges of this process, as the kernel reports them.
 */
#include "saved_tree.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "kernel/netlink/netlink.h"
#include "kernel/privilege.h"

/* Flags that F_GETFL returns. */
#define TOLD (O_PATH | O_DIRECTORY | O_NONBLOCK | O_NOFOLLOW | O_ACCMODE)

static void expect_flags(int fd, int flags)
{
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & TOLD, flags);
}

static void roots(void **state)
{
	const struct saved_tree *tree = *state;
	struct root root, below;

	assert_int_equal(root_open(tree->path, &root), 0);
	expect_flags(root.fd, O_PATH | O_DIRECTORY);
	assert_false(root.live || root.below || root.recorded);
	root_close(&root);
	assert_int_equal(root_open(NULL, &root), 0);
	expect_flags(root.fd, O_PATH | O_DIRECTORY);
	assert_true(root.live && !root.below);
	assert_int_equal(root_open_below(&root, &below, "%s/%d", "proc", (int)getpid()), 0);
	expect_flags(below.fd, O_DIRECTORY | O_NONBLOCK);
	assert_true(below.live && below.below);
	root_close(&below);
	root_close(&root);
}

/* The tree of a snapshot is below root/, next to its manifest; neither may be a link. */
static void snapshots(void **state)
{
	const struct saved_tree *tree = *state;
	struct root root;

	tree_write(tree, "manifest.json", "{}");
	tree_directory(tree, "root/sys");
	assert_int_equal(root_open(tree->path, &root), 0);
	expect_flags(root.fd, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	assert_int_equal(faccessat(root.fd, "sys", F_OK, 0), 0);
	assert_false(root.recorded);
	root_close(&root);
	tree_write(tree, "verbs/answers", "x");
	assert_int_equal(root_open(tree->path, &root), 0);
	assert_true(root.recorded);
	expect_flags(root.snapshot, O_PATH | O_DIRECTORY);
	assert_int_equal(faccessat(root.snapshot, "manifest.json", F_OK, 0), 0);
	assert_false(root.live);
	root_close(&root);
	assert_false(root.recorded);
	tree_delete(tree, "manifest.json");
	tree_write(tree, "other.json", "{}");
	tree_link(tree, "manifest.json", "other.json");
	assert_int_equal(root_open(tree->path, &root), 0);
	assert_false(root.recorded);
	assert_int_equal(faccessat(root.fd, "root", F_OK, 0), 0);
	root_close(&root);
	unlinkat(tree->root.fd, "manifest.json", 0);
	tree_write(tree, "manifest.json", "{}");
	tree_delete(tree, "root");
	tree_directory(tree, "elsewhere");
	tree_link(tree, "root", "elsewhere");
	assert_int_equal(root_open(tree->path, &root), 0);
	assert_false(root.recorded);
	assert_int_equal(faccessat(root.fd, "manifest.json", F_OK, 0), 0);
	root_close(&root);
	unlinkat(tree->root.fd, "root", 0);
	tree_write(tree, "root", "a file");
	assert_int_equal(root_open(tree->path, &root), 0);
	assert_false(root.recorded);
	root_close(&root);
}

/* Everything that is opened: in a tree, in a directory of it, and on the live system. */
static void files(void **state)
{
	const struct saved_tree *tree = *state;
	struct root root, live;
	int directory, fd;

	tree_write(tree, "d/file", "x");
	assert_int_equal(root_open(tree->path, &root), 0);
	fd = root_open_path(&root, "d/file", 0);
	expect_flags(fd, O_NONBLOCK);
	close(fd);
	directory = root_open_path(&root, "d", O_DIRECTORY);
	expect_flags(directory, O_DIRECTORY | O_NONBLOCK);
	fd = root_open_in(&root, directory, "file", 0);
	expect_flags(fd, O_NONBLOCK);
	close(fd);
	close(directory);
	fd = root_open_in(&root, root.fd, "d", O_DIRECTORY);
	expect_flags(fd, O_DIRECTORY | O_NONBLOCK);
	close(fd);
	assert_int_equal(root_open_in(&root, root.fd, "d", 0), -EISDIR);
	assert_int_equal(root_open_in(&root, root.fd, "d/file", O_DIRECTORY), -ENOTDIR);
	root_close(&root);
	assert_int_equal(root_open(NULL, &live), 0);
	fd = root_open_path(&live, "proc/self/status", 0);
	expect_flags(fd, O_NONBLOCK);
	close(fd);
	directory = root_open_path(&live, "proc/self", O_DIRECTORY);
	expect_flags(directory, O_DIRECTORY | O_NONBLOCK);
	fd = root_open_in(&live, directory, "status", 0);
	expect_flags(fd, O_NONBLOCK);
	close(fd);
	fd = root_open_in(&live, directory, "fd", O_DIRECTORY);
	expect_flags(fd, O_DIRECTORY | O_NONBLOCK);
	close(fd);
	assert_int_equal(root_open_in(&live, directory, "nothing", 0), -ENOENT);
	assert_int_equal(root_open_path(&live, "nothing/at/all", 0), -ENOENT);
	close(directory);
	root_close(&live);
}

/* A link is followed by full path, but not from an open directory. */
static void links(void **state)
{
	const struct saved_tree *tree = *state;
	char target[PATH_MAX];
	int fd;

	tree_write(tree, "d/file", "x");
	tree_link(tree, "d/link", "file");
	tree_link(tree, "folder", "d");
	fd = root_open_path(&tree->root, "folder/link", 0);
	expect_flags(fd, O_NONBLOCK);
	close(fd);
	fd = root_open_path(&tree->root, "folder", O_DIRECTORY);
	expect_flags(fd, O_DIRECTORY | O_NONBLOCK);
	assert_int_equal(root_open_in(&tree->root, fd, "link", 0), -ELOOP);
	assert_int_equal(root_open_in(&tree->root, fd, "../d/file", 0), -EXDEV);
	close(fd);
	assert_int_equal(root_open_in(&tree->root, tree->root.fd, "folder", O_DIRECTORY), -ELOOP);
	assert_int_equal(root_read_link(&tree->root, "folder/link", target), 4);
	assert_string_equal(target, "file");
	assert_int_equal(root_read_link(&tree->root, "folder", target), 1);
	assert_int_equal(root_read_link(&tree->root, "d", target), -EINVAL);
	assert_int_equal(root_read_link(&tree->root, "d/file", target), -EINVAL);
	assert_int_equal(root_read_link(&tree->root, "none", target), -ENOENT);
}

static int option(int fd, int name)
{
	socklen_t size = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, SOL_SOCKET, name, &value, &size), 0);
	return value;
}

/* A socket that sends requests blocks for the answer; one that listens does not block. */
static void sockets(void **state)
{
	const unsigned int groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR};
	struct netlink *netlink;
	struct sockaddr_nl address;
	socklen_t size = sizeof(address);

	(void)state;
	assert_int_equal(netlink_open(NULL, NETLINK_ROUTE, 4096, &netlink), 0);
	expect_flags(netlink_fd(netlink), O_RDWR);
	assert_int_equal(option(netlink_fd(netlink), SO_TYPE), SOCK_RAW);
	assert_int_equal(option(netlink_fd(netlink), SO_PROTOCOL), NETLINK_ROUTE);
	netlink_free(netlink);
	assert_int_equal(netlink_open_groups(NETLINK_ROUTE, groups, 2, 4096, &netlink), 0);
	expect_flags(netlink_fd(netlink), O_RDWR | O_NONBLOCK);
	assert_int_equal(option(netlink_fd(netlink), SO_TYPE), SOCK_RAW);
	assert_int_equal(getsockname(netlink_fd(netlink), (struct sockaddr *)&address, &size), 0);
	assert_int_equal(address.nl_groups,
			 1u << (RTNLGRP_LINK - 1) | 1u << (RTNLGRP_IPV4_IFADDR - 1));
	netlink_free(netlink);
	assert_int_equal(netlink_open(NULL, 31, 4096, &netlink), -EPROTONOSUPPORT);
	assert_int_equal(netlink_open_groups(31, groups, 2, 4096, &netlink), -EPROTONOSUPPORT);
}

/* The line of /proc/self/status; 0 if it is missing. */
static unsigned long long effective(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long mask = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "CapEff: %llx", &mask);
	if (file)
		fclose(file);
	return mask;
}

static const enum privilege privileges[] = {
	PRIVILEGE_DAC_OVERRIDE, PRIVILEGE_NET_ADMIN, PRIVILEGE_NET_RAW,
	PRIVILEGE_SYS_MODULE,	PRIVILEGE_SYS_ADMIN,
};

/* include/uapi/linux/capability.h: CAP_SYSLOG is beyond the first word. */
enum { SYSLOG = 34 };

static bool agree(unsigned long long mask)
{
	bool same = privilege_held((enum privilege)SYSLOG) == (mask >> SYSLOG & 1);

	for (size_t i = 0; i < ARRAY_SIZE(privileges); i++)
		same = same && privilege_held(privileges[i]) == (mask >> privileges[i] & 1);
	return same;
}

static void held(void **state)
{
	bool before, without;

	(void)state;
	if (access("/proc/self/status", R_OK))
		return;
	before = agree(effective());
	tree_become_nobody();
	without = agree(effective());
	tree_become_oneself();
	assert_true(before);
	assert_true(without);
}

/* In a child with a user namespace, where that is allowed. */
static void namespaces(void **state)
{
	struct stat own;
	int status;
	pid_t pid;

	(void)state;
	if (stat("/proc/self/ns/user", &own))
		return;
	assert_int_equal(privilege_is_first_namespace(), own.st_ino == 0xEFFFFFFDu);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(!unshare(CLONE_NEWUSER) && privilege_is_first_namespace());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(roots),
		TEST(snapshots),
		TEST(files),
		TEST(links),
		cmocka_unit_test(sockets),
		cmocka_unit_test(held),
		cmocka_unit_test(namespaces),
	};

	return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
