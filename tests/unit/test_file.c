/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that are replaced, in folders where others have put something. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/file.h"

#define STRANGER 65533

static int write_text(void *context, FILE *file)
{
	return fputs(context, file) < 0 ? -EIO : 0;
}

static int replace(const struct saved_tree *tree, const char *name)
{
	char path[PATH_MAX + 64], text[] = "new";

	snprintf(path, sizeof(path), "%s/%s", tree->path, name);
	return file_replace(path, write_text, text);
}

static void expect(const struct saved_tree *tree, const char *name, const char *text, mode_t mode)
{
	_cleanup_(freep) char *found = NULL;
	char path[PATH_MAX + 64];
	struct stat status;
	size_t length;

	snprintf(path, sizeof(path), "%s/%s", tree->path, name);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_mode & 07777, mode);
	assert_int_equal(file_read(path, 100, &found, &length), 0);
	assert_string_equal(found, text);
}

static bool is_link(const struct saved_tree *tree, const char *name)
{
	struct stat status;

	return !fstatat(tree->root.fd, name, &status, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(status.st_mode);
}

static void modes(void **state)
{
	const struct saved_tree *tree = *state;

	umask(022);
	assert_int_equal(replace(tree, "new"), 0);
	expect(tree, "new", "new", 0644);
	tree_write(tree, "own", "old");
	assert_int_equal(fchmodat(tree->root.fd, "own", 0600, 0), 0);
	assert_int_equal(replace(tree, "own"), 0);
	expect(tree, "own", "new", 0600);
}

/* In a folder like /tmp, a stranger waits with a file that all may write, or with a link. */
static void of_strangers(void **state)
{
	const struct saved_tree *tree = *state;

	if (geteuid())
		skip();
	umask(022);
	tree_write(tree, "theirs", "old");
	assert_int_equal(fchmodat(tree->root.fd, "theirs", 0666, 0), 0);
	assert_int_equal(fchownat(tree->root.fd, "theirs", STRANGER, STRANGER, 0), 0);
	assert_int_equal(replace(tree, "theirs"), 0);
	expect(tree, "theirs", "new", 0644);
	tree_write(tree, "secret", "old");
	tree_link(tree, "trap", "secret");
	assert_int_equal(fchownat(tree->root.fd, "trap", STRANGER, STRANGER, AT_SYMLINK_NOFOLLOW),
			 0);
	tree_link(tree, "to-trap", "trap");
	assert_int_equal(replace(tree, "trap"), -EPERM);
	assert_int_equal(replace(tree, "to-trap"), -EPERM);
	expect(tree, "secret", "old\n", 0644);
}

static void links(void **state)
{
	const struct saved_tree *tree = *state;

	tree_write(tree, "file", "old");
	tree_link(tree, "latest", "file");
	tree_directory(tree, "folder");
	tree_link(tree, "folder/upwards", "../latest");
	assert_int_equal(replace(tree, "folder/upwards"), 0);
	expect(tree, "file", "new", 0644);
	assert_true(is_link(tree, "latest") && is_link(tree, "folder/upwards"));
	tree_link(tree, "dangling", "folder/made");
	assert_int_equal(replace(tree, "dangling"), 0);
	expect(tree, "folder/made", "new", 0644);
	tree_link(tree, "loop", "loop");
	assert_int_equal(replace(tree, "loop"), -ELOOP);
	tree_link(tree, "to-folder", "folder");
	assert_int_equal(replace(tree, "to-folder"), -EISDIR);
}

/* /dev/stdout is a link of this kind: a link to it must not become a file, nor the link in proc. */
static void what_is_no_file(void **state)
{
	const struct saved_tree *tree = *state;
	char link[64];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", ends[1]);
	tree_link(tree, "stdout", link);
	assert_int_equal(replace(tree, "stdout"), -EEXIST);
	assert_true(is_link(tree, "stdout"));
	assert_int_equal(mkfifoat(tree->root.fd, "fifo", 0600), 0);
	assert_int_equal(replace(tree, "fifo"), -EEXIST);
	assert_int_equal(replace(tree, "missing/file"), -ENOENT);
	close(ends[0]);
	close(ends[1]);
	/* To a file that was opened: the file is replaced, and the link stays. */
	tree_write(tree, "output", "old");
	ends[0] = openat(tree->root.fd, "output", O_WRONLY);
	assert_true(ends[0] >= 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", ends[0]);
	tree_link(tree, "redirected", link);
	assert_int_equal(replace(tree, "redirected"), 0);
	assert_true(is_link(tree, "redirected"));
	expect(tree, "output", "new", 0644);
	close(ends[0]);
}

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct saved_tree));
}

static int teardown(void **state)
{
	tree_close(*state);
	free(*state);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(modes),
		TEST(of_strangers),
		TEST(links),
		TEST(what_is_no_file),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
