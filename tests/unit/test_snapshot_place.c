/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a snapshot is unpacked, that nothing is left there at the end, and which versions it
 * reports.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "host/host.h"
#include "saved_tree.h"
#include "snapshot/modules.h"
#include "snapshot/open.h"
#include "snapshot/remove.h"

/* ---- The folder ---- */

static bool is_there(const struct saved_tree *tree, const char *path)
{
	struct stat status;

	return !fstatat(tree->root.fd, path, &status, AT_SYMLINK_NOFOLLOW);
}

static void fill(const char *folder)
{
	const struct saved_tree inside = {.root.fd = open(folder, O_RDONLY | O_DIRECTORY)};

	assert_true(inside.root.fd >= 0);
	tree_write(&inside, "a/b/c/file", "x");
	tree_write(&inside, "a/.hidden", "x");
	tree_directory(&inside, "a/b/empty");
	tree_directory(&inside, "...");
	/* The target of a link does not belong to the snapshot. */
	tree_link(&inside, "a/link", "../../kept");
	tree_link(&inside, "link", "../kept");
	close(inside.root.fd);
}

static void removed(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *given = mem_format("%s/./x/../place", tree->path);
	_cleanup_(freep) char *place = mem_format("%s/place/", tree->path), *folder = NULL;
	struct stat status;
	pid_t remover = 0;
	int alive = -1, ended;

	tree_directory(tree, "x");
	tree_write(tree, "place/kept/file", "x");
	assert_int_equal(remove_at_end(given, &folder, &alive, &remover), 0);
	/* Nobody else may look into the folder. */
	assert_int_equal(strncmp(folder, place, strlen(place)), 0);
	assert_int_equal(strncmp(folder + strlen(place), "rdmactl-", strlen("rdmactl-")), 0);
	assert_int_equal(lstat(folder, &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_true(remover > 1);
	/* Signals of the terminal do not reach the remover, and it ignores others. */
	assert_int_equal(getsid(remover), remover);
	assert_int_equal(kill(remover, SIGTERM) || kill(remover, SIGHUP), 0);
	fill(folder);
	usleep(10000);
	assert_int_equal(lstat(folder, &status), 0);
	close(alive);
	assert_int_equal(waitpid(remover, &ended, 0), remover);
	assert_true(WIFEXITED(ended) && !WEXITSTATUS(ended));
	assert_int_equal(lstat(folder, &status), -1);
	assert_int_equal(errno, ENOENT);
	assert_true(is_there(tree, "place/kept/file"));
}

static bool send_fails;

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	if (!send_fails)
		return sendto(fd, bytes, length, flags, NULL, 0);
	errno = ENOBUFS;
	return -1;
}

/* Neither process waits for the other if the folder's name cannot be sent. */
static void unsent(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(strings_free) struct strings names = {0};
	char *folder = NULL;
	pid_t remover = 0;
	int alive = -1;

	send_fails = true;
	alarm(60);
	assert_int_equal(remove_at_end(tree->path, &folder, &alive, &remover), -EIO);
	alarm(0);
	send_fails = false;
	assert_int_equal(sysfs_list_all(&tree->root, &names, "."), 0);
	assert_int_equal(names.count, 0);
}

/* Signals that were not blocked before are not blocked afterwards. */
static void mask(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *folder = NULL;
	pid_t remover = 0;
	sigset_t set;
	int alive = -1;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	assert_int_equal(remove_at_end(tree->path, &folder, &alive, &remover), 0);
	sigprocmask(SIG_SETMASK, NULL, &set);
	assert_true(sigismember(&set, SIGUSR1));
	assert_false(sigismember(&set, SIGTERM));
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	close(alive);
	waitpid(remover, NULL, 0);
}

static void no_place(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *missing = mem_format("%s/none", tree->path);
	_cleanup_(freep) char *file = mem_format("%s/file", tree->path), *folder = NULL;
	int alive = -1;
	pid_t remover = 0;

	assert_int_equal(remove_at_end(missing, &folder, &alive, &remover), -ENOENT);
	tree_write(tree, "file", "x");
	assert_int_equal(remove_at_end(file, &folder, &alive, &remover), -ENOTDIR);
	/* Not even root can make a folder there. */
	assert_int_equal(remove_at_end("/proc", &folder, &alive, &remover), -ENOENT);
	assert_null(folder);
	assert_int_equal(alive, -1);
	assert_int_equal(remover, 0);
	/* No process is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* ---- The versions ---- */

static void expect_kernel(const struct saved_tree *tree, const char *folder, int rc,
			  const char *release)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", tree->path, folder);
	struct component_list list = {.items = NULL};

	assert_int_equal(snapshot_versions(path, &list), rc);
	assert_int_equal(list.count, !rc);
	if (!rc) {
		assert_string_equal(list.items[0].name, "kernel");
		assert_string_equal(list.items[0].running, release);
		assert_null(list.items[0].built);
	}
	component_list_clear(&list);
}

static void versions(void **state)
{
	static const char good[] =
		"{\"schema\": \"rdmactl/version/1\", \"version\": [{\"component\": null, "
		"\"built_with\": null, \"running\": \"6.1\", \"note\": \"x\"}, "
		"{\"component\": \"libibverbs\", \"built_with\": \"1.14\", \"running\": "
		"\"1.15\", \"note\": null}], \"problems\": []}";
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/snapshot", tree->path);
	struct component_list list = {.items = NULL};

	expect_kernel(tree, "none", -ENOENT, NULL);
	tree_directory(tree, "tree/sys");
	expect_kernel(tree, "tree", -ENOENT, NULL);
	tree_write(tree, "tree/proc/sys/kernel/osrelease", "");
	expect_kernel(tree, "tree", -ENOENT, NULL);
	tree_write(tree, "tree/proc/sys/kernel/osrelease", "6.1\033[1m");
	expect_kernel(tree, "tree", 0, "6.1\\x1b[1m");
	tree_write(tree, "snapshot/manifest.json", "{}");
	tree_write(tree, "snapshot/root/proc/sys/kernel/osrelease", "6.12.3");
	tree_write(tree, "snapshot/verbs/answers", "");
	/* Without a document, and with an invalid one. */
	expect_kernel(tree, "snapshot", 0, "6.12.3");
	tree_write(tree, "snapshot/versions.json", "{\"schema\": ");
	expect_kernel(tree, "snapshot", 0, "6.12.3");
	tree_write(tree, "snapshot/versions.json", good);
	assert_int_equal(snapshot_versions(path, &list), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1].name, "libibverbs");
	assert_string_equal(list.items[1].built, "1.14");
	assert_string_equal(list.items[1].running, "1.15");
	assert_null(list.items[1].note);
	/* The record is printed as a table row, which needs a name. */
	assert_string_equal(list.items[0].name, "-");
	assert_string_equal(list.items[0].note, "x");
	component_list_clear(&list);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(removed), TEST(unsent), TEST(mask), TEST(no_place), TEST(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
