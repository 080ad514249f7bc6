/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replacing files, in directories where others have put something. */
#include "saved_tree.h"

#include <stdio_ext.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "places.h"

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

/* Fails if another user can open the file while it is written. */
static int write_private(void *context, FILE *file)
{
	struct stat status;

	if (fstat(fileno(file), &status) || (status.st_mode & 07777) != 0600)
		return -EDOM;
	return write_text(context, file);
}

/* The mode is there from the beginning, whatever the umask and the file that is replaced. */
static void given_mode(void **state)
{
	const struct saved_tree *tree = *state;
	char path[PATH_MAX + 64], text[] = "new";

	umask(022);
	snprintf(path, sizeof(path), "%s/private", tree->path);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(file_replace_as(path, 0600, write_private, text), 0);
		expect(tree, "private", "new", 0600);
		assert_int_equal(chmod(path, 0644), 0);
	}
	umask(077);
	assert_int_equal(file_replace_as(path, 0640, write_text, text), 0);
	expect(tree, "private", "new", 0640);
	umask(022);
}

/* In a directory like /tmp, a stranger has placed a world-writable file, or a link. */
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

/* /dev/stdout is such a link: neither a link to it nor the link in proc may become a file. */
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
	/* A link to an open file: the file is replaced, and the link stays. */
	umask(022);
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

static int read_tree(const struct saved_tree *tree, const char *name, size_t most, char **ret_text,
		     size_t *ret_length)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", tree->path, name);
	/* The errno of an earlier call must not matter. */
	errno = EINTR;
	return file_read(path, most, ret_text, ret_length);
}

/* Sizes around that of the pieces that are read, and around the maximum. */
static void reading(void **state)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8192, 65537, 200000};
	const struct saved_tree *tree = *state;
	char *bytes = mem_alloc_zero(200000, 1), *text = NULL;
	size_t length = 7;

	for (size_t i = 0; i < 200000; i++)
		bytes[i] = (char)('a' + i % 23);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		tree_write_bytes(tree, "file", bytes, sizes[i]);
		assert_int_equal(read_tree(tree, "file", sizes[i], &text, &length), 0);
		assert_int_equal(length, sizes[i]);
		assert_memory_equal(text, bytes, length);
		assert_int_equal(text[length], '\0');
		free(text);
		text = NULL;
		length = 7;
		if (sizes[i])
			assert_int_equal(read_tree(tree, "file", sizes[i] - 1, &text, &length),
					 -EFBIG);
	}
	assert_int_equal(read_tree(tree, "none", 9, &text, &length), -ENOENT);
	assert_int_equal(read_tree(tree, ".", 9, &text, &length), -EISDIR);
	assert_null(text);
	assert_int_equal(length, 7);
	free(bytes);
}

/* No more than the maximum, which is no error, and from where the file is. */
static void parts(void **state)
{
	static const struct {
		size_t most, begin;
		const char *wanted;
	} cases[] = {{0, 0, ""}, {3, 0, "abc"}, {6, 0, "abcdef"}, {7, 4, "ef"}, {SIZE_MAX, 6, ""}};
	const struct saved_tree *tree = *state;
	int fd;

	tree_write_bytes(tree, "file", "abcdef", 6);
	fd = openat(tree->root.fd, "file", O_RDONLY);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = NULL;
		size_t length = 7;

		assert_int_equal(lseek(fd, (off_t)cases[i].begin, SEEK_SET), cases[i].begin);
		assert_int_equal(file_read_some(fd, cases[i].most, &text, &length), 0);
		assert_string_equal(text, cases[i].wanted);
		assert_int_equal(length, strlen(cases[i].wanted));
	}
	close(fd);
}

/* The kernel follows 40 links, and so does this function. */
static void chains(void **state)
{
	const struct saved_tree *tree = *state;
	char name[16], target[16] = "end";

	umask(022);
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof(name), "link%d", i);
		tree_link(tree, name, target);
		strcpy(target, name);
	}
	assert_int_equal(replace(tree, "link40"), 0);
	expect(tree, "end", "new", 0644);
	assert_true(is_link(tree, "link1") && is_link(tree, "link40"));
	assert_int_equal(replace(tree, "link41"), -ELOOP);
}

static int fail_to_write(void *context, FILE *file)
{
	fputs(context, file);
	return -EDOM;
}

/* The old file stays, and nothing else is left in the directory. */
static void failed_write(void **state)
{
	const struct saved_tree *tree = *state;
	struct strings names = {0};
	char path[PATH_MAX + 64], text[] = "half";

	umask(022);
	tree_write(tree, "file", "old");
	snprintf(path, sizeof(path), "%s/file", tree->path);
	assert_int_equal(file_replace(path, fail_to_write, text), -EDOM);
	expect(tree, "file", "old\n", 0644);
	assert_int_equal(sysfs_list_all(&tree->root, &names, "."), 0);
	assert_int_equal(names.count, 1);
	strings_free(&names);
}

/* Loses what has been written to a full device, so that only the error flag tells of it. */
static int write_in_vain(void *context, FILE *file)
{
	const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	dup2(full, fileno(file));
	close(full);
	for (int i = 0; i < 10000; i++)
		fputs(context, file);
	__fpurge(file);
	return 0;
}

static void lost_write(void **state)
{
	const struct saved_tree *tree = *state;
	char path[PATH_MAX + 64], text[] = "many lines\n";
	struct strings names = {0};

	if (!has_full_device())
		skip();
	snprintf(path, sizeof(path), "%s/file", tree->path);
	assert_int_equal(file_replace(path, write_in_vain, text), -ENOSPC);
	assert_int_equal(file_replace("-", write_in_vain, text), -ENOSPC);
	assert_int_equal(sysfs_list_all(&tree->root, &names, "."), 0);
	assert_int_equal(names.count, 0);
	strings_free(&names);
}

/* Standard output by its name, by a link to it, and by the file that it was redirected to. */
static void output(void **state)
{
	const struct saved_tree *tree = *state;
	char path[PATH_MAX + 64], text[] = "to the output\n";
	const int before = dup(STDOUT_FILENO);
	int there, rc[3];

	umask(022);
	tree_write(tree, "output", "");
	tree_write(tree, "other", "");
	fflush(stdout);
	there = openat(tree->root.fd, "output", O_WRONLY | O_TRUNC);
	assert_true(there >= 0);
	dup2(there, STDOUT_FILENO);
	close(there);
	rc[0] = file_replace("-", write_text, text);
	rc[1] = file_replace("/dev/stdout", write_text, text);
	snprintf(path, sizeof(path), "%s/output", tree->path);
	rc[2] = file_replace(path, write_text, text);
	there = file_is_output(path);
	snprintf(path, sizeof(path), "%s/other", tree->path);
	there |= file_is_output(path) << 1 | file_is_output("-") << 2;
	snprintf(path, sizeof(path), "%s/none", tree->path);
	there |= file_is_output(path) << 3;
	dup2(before, STDOUT_FILENO);
	close(before);
	assert_int_equal(there, 5);
	assert_int_equal(rc[0] | rc[1] | rc[2], 0);
	expect(tree, "output", "to the output\nto the output\nto the output\n", 0644);
}

/* What helps if the file cannot be written. */
static void hints(void **state)
{
	struct rlimit before, small;

	(void)state;
	assert_string_equal(file_replace_hint("x", -ENOSPC),
			    "name a file where there is more room");
	assert_string_equal(file_replace_hint("x", -EDQUOT),
			    "name a file where there is more room");
	assert_string_equal(file_replace_hint("x", -ENOENT),
			    "name a file in a directory that exists and is writable");
	assert_null(file_replace_hint("x", -EIO));
	assert_null(file_replace_hint("x", -EEXIST));
	assert_null(file_replace_hint("x", -EPERM));
	assert_null(file_replace_hint("-", -ENOSPC));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){before.rlim_max < 1 << 20 ? before.rlim_max : 1 << 20,
				before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_string_equal(file_replace_hint("x", -EFBIG),
			    "raise the limit of a file's size (ulimit -f)");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	if (before.rlim_cur == RLIM_INFINITY)
		assert_string_equal(file_replace_hint("x", -EFBIG),
				    "name a file on another file system");
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, tree_only_set_up, tree_only_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(modes),	       TEST(given_mode), TEST(of_strangers), TEST(links),
		TEST(what_is_no_file), TEST(reading),	 TEST(chains),	     TEST(failed_write),
		TEST(lost_write),      TEST(output),	 TEST(parts),	     TEST(hints),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
