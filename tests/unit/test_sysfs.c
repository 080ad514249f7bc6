/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading attributes, links and directories, valid and hostile. */
#include "saved_tree.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/mem.h"

static struct saved_tree *tree_of(void **state)
{
	return *state;
}

static void check_text(const struct saved_tree *tree, const char *path, const char *expected)
{
	char text[SYSFS_TEXT_SIZE];

	memset(text, 0xa5, sizeof(text));
	assert_int_equal(sysfs_read(&tree->root, text, "%s", path), strlen(expected));
	assert_string_equal(text, expected);
}

static void check_error(const struct saved_tree *tree, const char *path, int error)
{
	char text[SYSFS_TEXT_SIZE];

	assert_int_equal(sysfs_read(&tree->root, text, "%s", path), error);
}

static void root(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct root root = {.fd = 77};
	char path[2 * PATH_MAX];

	tree_write(tree, "file", "x");
	snprintf(path, sizeof(path), "%s/file", tree->path);
	assert_int_equal(root_open(path, &root), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/nothing", tree->path);
	assert_int_equal(root_open(path, &root), -ENOENT);
	assert_int_equal(root_open("", &root), -ENOENT);
	assert_int_equal(root.fd, 77);
	assert_int_equal(root_open(tree->path, &root), 0);
	assert_false(root.live);
	root_close(&root);
	assert_int_equal(root.fd, -1);
	root_close(&root);
	assert_int_equal(root_open(NULL, &root), 0);
	assert_true(root.live);
	root_close(&root);
}

static void read_good(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	char text[SYSFS_TEXT_SIZE];

	tree_write(tree, "a/b/plain", "4: ACTIVE");
	tree_write(tree, "blanks", "  a b \t \r\n\n");
	tree_write_bytes(tree, "empty", "", 0);
	tree_write_bytes(tree, "newline", "\n", 1);
	tree_write_bytes(tree, "no-newline", "abc", 3);
	tree_write(tree, "lines", "one\ntwo");
	check_text(tree, "a/b/plain", "4: ACTIVE");
	check_text(tree, "blanks", "  a b");
	check_text(tree, "empty", "");
	check_text(tree, "newline", "");
	check_text(tree, "no-newline", "abc");
	check_text(tree, "lines", "one\ntwo");
	assert_int_equal(sysfs_read(&tree->root, text, "%s/%c/%s", "a", 'b', "plain"), 9);
}

/* sysfs attributes are at most a page long; a longer file is not an attribute. */
static void read_long(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	_cleanup_(freep) char *bytes = mem_alloc_zero(1 << 20, 1);
	char text[SYSFS_TEXT_SIZE];

	memset(bytes, 'x', 1 << 20);
	tree_write_bytes(tree, "fits", bytes, SYSFS_TEXT_SIZE - 1);
	tree_write_bytes(tree, "too-long", bytes, SYSFS_TEXT_SIZE);
	tree_write_bytes(tree, "megabyte", bytes, 1 << 20);
	assert_int_equal(sysfs_read(&tree->root, text, "fits"), SYSFS_TEXT_SIZE - 1);
	assert_int_equal(strlen(text), SYSFS_TEXT_SIZE - 1);
	check_error(tree, "too-long", -EFBIG);
	check_error(tree, "megabyte", -EFBIG);
}

static void read_binary(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	char text[SYSFS_TEXT_SIZE];

	tree_write_bytes(tree, "binary", "\xff\x00\x01\x80 \n", 6);
	assert_int_equal(sysfs_read(&tree->root, text, "binary"), 4);
	assert_memory_equal(text, "\xff\x00\x01\x80\x00", 5);
	tree_write_bytes(tree, "nuls", "\0\0\0", 3);
	assert_int_equal(sysfs_read(&tree->root, text, "nuls"), 3);
	assert_string_equal(text, "");
}

static void read_what_is_no_file(void **state)
{
	const struct saved_tree *tree = tree_of(state);

	tree_directory(tree, "directory");
	tree_write(tree, "file", "x");
	tree_link(tree, "loop1", "loop2");
	tree_link(tree, "loop2", "loop1");
	tree_link(tree, "self", "self/x");
	tree_link(tree, "dangling", "nothing/here");
	tree_link(tree, "link", "directory/../file");
	check_error(tree, "nothing", -ENOENT);
	check_error(tree, "nothing/at/all", -ENOENT);
	check_error(tree, "directory", -EISDIR);
	check_error(tree, "file/x", -ENOTDIR);
	check_error(tree, "loop1", -ELOOP);
	check_error(tree, "self", -ELOOP);
	check_error(tree, "dangling", -ENOENT);
	check_text(tree, "link", "x");
}

/* Opening a FIFO would wait for a writer, opening a device may act: neither is opened. */
static void read_special_files(void **state)
{
	const struct saved_tree *tree = tree_of(state);

	assert_int_equal(mkfifoat(tree->root.fd, "fifo", 0600), 0);
	tree_link(tree, "link", "fifo");
	alarm(100);
	check_error(tree, "fifo", -ENXIO);
	check_error(tree, "link", -ENXIO);
	assert_false(sysfs_has_directory(&tree->root, "fifo"));
	alarm(0);
	if (mknodat(tree->root.fd, "zero", S_IFCHR | 0600, makedev(1, 5)))
		return; /* only root makes devices */
	check_error(tree, "zero", -ENXIO);
}

/* Checks that `path` leads to the tree's own files, not to those at the same path outside. */
static void expect_inside(const struct saved_tree *tree, const char *path)
{
	_cleanup_(freep) char *long_text = NULL, *target = NULL;
	struct strings names = {0};

	check_text(tree, path, "inside");
	assert_int_equal(sysfs_read_long(&tree->root, &long_text, "%s", path), 0);
	assert_string_equal(long_text, "inside\n");
	assert_int_equal(sysfs_link(&tree->root, &target, "%s-link", path), 0);
	assert_string_equal(target, "target-inside");
	assert_int_equal(sysfs_list(&tree->root, &names, "%s-folder", path), 0);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "entry-inside");
	strings_free(&names);
}

/* A saved tree made by a stranger, next to files that he must not read. */
static void links_that_lead_out(void **state)
{
	struct saved_tree outer, tree = {.root.fd = -1};
	char path[PATH_MAX + 64], *absolute;

	(void)state;
	tree_open(&outer);
	tree_write(&outer, "secret/file", "outside");
	tree_link(&outer, "secret/file-link", "target-outside");
	tree_directory(&outer, "secret/file-folder/entry-outside");
	tree_directory(&outer, "tree");
	snprintf(tree.path, sizeof(tree.path), "%.*s/tree", PATH_MAX - 16, outer.path);
	assert_int_equal(root_open(tree.path, &tree.root), 0);
	/* Absolute links and too many .. lead to the same paths below the root of the tree. */
	absolute = outer.path + 1;
	snprintf(path, sizeof(path), "%s/secret/file", absolute);
	tree_write(&tree, path, "inside");
	tree_write(&tree, "secret/file", "inside");
	snprintf(path, sizeof(path), "%s/secret/file-link", absolute);
	tree_link(&tree, path, "target-inside");
	tree_link(&tree, "secret/file-link", "target-inside");
	snprintf(path, sizeof(path), "%s/secret/file-folder/entry-inside", absolute);
	tree_directory(&tree, path);
	tree_directory(&tree, "secret/file-folder/entry-inside");
	snprintf(path, sizeof(path), "%s/secret", outer.path);
	tree_link(&tree, "a/absolute", path);
	tree_link(&tree, "a/upwards", "../../../../../../../../secret");
	tree_link(&tree, "a/through", "absolute/../secret");
	expect_inside(&tree, "a/absolute/file");
	expect_inside(&tree, "a/upwards/file");
	expect_inside(&tree, "a/through/file");
	expect_inside(&tree, "../../secret/file");
	root_close(&tree.root);
	tree_close(&outer);
}

/* A magic link in proc leads to a file that a process has open. */
static void magic_links(void **state)
{
	const struct saved_tree *tree = tree_of(state);

	tree_link(tree, "self", "/proc/self/fd/0");
	tree_link(tree, "root", "/proc/self/root/etc/passwd");
	check_error(tree, "self", -ENOENT);
	check_error(tree, "root", -ENOENT);
}

static void deep_paths(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	char path[2 * 64 + 1] = "";

	for (size_t i = 0; i < 60; i++)
		strcat(path, "d/");
	strcat(path, "f");
	tree_write(tree, path, "x");
	check_text(tree, path, "x");
}

static void read_unreadable(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct strings names = {0};
	size_t count = 7;
	bool there;
	char text[SYSFS_TEXT_SIZE];
	ssize_t file, below;
	int listed, counted;

	tree_write(tree, "secret", "x");
	tree_write(tree, "closed/file", "x");
	assert_int_equal(fchmodat(tree->root.fd, "secret", 0, 0), 0);
	assert_int_equal(fchmodat(tree->root.fd, "closed", 0, 0), 0);
	tree_become_nobody();
	file = sysfs_read(&tree->root, text, "secret");
	below = sysfs_read(&tree->root, text, "closed/file");
	listed = sysfs_list(&tree->root, &names, "closed");
	counted = sysfs_count(&tree->root, &count, "closed");
	there = sysfs_has_directory(&tree->root, "closed");
	tree_become_oneself();
	assert_int_equal(fchmodat(tree->root.fd, "closed", 0755, 0), 0);
	assert_int_equal(file, -EACCES);
	assert_int_equal(below, -EACCES);
	assert_int_equal(listed, -EACCES);
	assert_int_equal(counted, -EACCES);
	assert_false(there);
	assert_null(names.items);
	assert_int_equal(count, 7);
}

/* A saved error of a directory also applies to everything below it. */
static void read_below_saved_errors(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct strings names = {0};
	char *target = NULL;
	size_t count;

	tree_link(tree, "port/gids", "!EACCES");
	check_error(tree, "port/gids/0", -EACCES);
	check_error(tree, "port/gids/deep/below/it", -EACCES);
	check_error(tree, "port/nothing/0", -ENOENT);
	assert_int_equal(sysfs_list(&tree->root, &names, "port/gids/deep"), -EACCES);
	assert_int_equal(sysfs_count(&tree->root, &count, "port/gids/deep"), -EACCES);
	assert_int_equal(sysfs_link(&tree->root, &target, "port/gids/link"), -EACCES);
	/* Another dangling link in the path is not a saved error. */
	tree_link(tree, "port/gids", "../gone");
	check_error(tree, "port/gids/0", -ENOENT);
}

static void read_saved_errors(void **state)
{
	static const struct {
		const char *target;
		int error;
	} samples[] = {
		{"!EINVAL", EINVAL},
		{"!EIO", EIO},
		{"!EACCES", EACCES},
		{"!EPERM", EPERM},
		{"!ENODEV", ENODEV},
		{"!ENXIO", ENXIO},
		{"!EOPNOTSUPP", EOPNOTSUPP},
		{"!EBUSY", EBUSY},
		{"!ETIMEDOUT", ETIMEDOUT},
		{"!EAGAIN", EAGAIN},
		{"!ENODATA", ENODATA},
		{"!ERANGE", ERANGE},
		/* Names that are not errors make ordinary dangling links. */
		{"!EFOO", ENOENT},
		{"EINVAL", ENOENT},
		{"!EINVALX", ENOENT},
		{"!", ENOENT},
		{"!EINVAL-and-much-more-than-any-name-of-an-error-has", ENOENT},
	};
	const struct saved_tree *tree = tree_of(state);
	struct root live = {tree->root.fd, true};
	struct strings names = {0};
	struct number number = {0};
	char text[SYSFS_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		tree_link(tree, "rate", samples[i].target);
		check_error(tree, "rate", -samples[i].error);
		assert_int_equal(sysfs_list(&tree->root, &names, "rate"), -samples[i].error);
		assert_int_equal(sysfs_read_number(&tree->root, &number, "rate"),
				 -samples[i].error);
	}
	assert_false(number.known);
	/* On the live system such a link has no special meaning. */
	tree_link(tree, "rate", "!EINVAL");
	assert_int_equal(sysfs_read(&live, text, "rate"), -ENOENT);
}

static void long_paths(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	_cleanup_(freep) char *name = mem_alloc_zero(PATH_MAX + 1, 1);
	char text[SYSFS_TEXT_SIZE], *link = NULL;
	struct strings names = {0};
	size_t count;

	memset(name, 'x', PATH_MAX);
	assert_int_equal(sysfs_read(&tree->root, text, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sysfs_link_name(&tree->root, &link, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sysfs_list(&tree->root, &names, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sysfs_count(&tree->root, &count, "%s", name), -ENAMETOOLONG);
	assert_int_equal(sysfs_read(&tree->root, text, "%.300s", name), -ENAMETOOLONG);
}

/* A link and the path after it: as long as a path may be, and one byte longer. */
static void long_links(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	char target[PATH_MAX] = "", path[256] = "far/", text[SYSFS_TEXT_SIZE];
	int rc;

	for (size_t i = 0; i < 2000; i++)
		memcpy(target + i * 2, "./", 2);
	for (size_t i = 0; i < 45; i++)
		memcpy(path + 4 + i * 2, "./", 2);
	tree_link(tree, "far", target);
	/* 4000 bytes, a slash, 94 bytes and the NUL are PATH_MAX. */
	strcpy(path + 4 + 90, "none");
	check_error(tree, path, -ENOENT);
	strcpy(path + 4 + 90, "nones");
	/* openat2() does not have this limit. */
	rc = (int)sysfs_read(&tree->root, text, "%s", path);
	assert_true(rc == -ENAMETOOLONG || rc == -ENOENT);
}

static void read_number(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} samples[] = {
		{"0", 0, 0},	    {"4096", 0, 4096},	   {"18446744073709551615", 0, UINT64_MAX},
		{"-1", -EINVAL, 0}, {"0x10", -EINVAL, 0},  {"18446744073709551616", -EINVAL, 0},
		{"", -EINVAL, 0},   {"12 34", -EINVAL, 0}, {"abc", -EINVAL, 0},
	};
	const struct saved_tree *tree = tree_of(state);

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct number number = {0};

		tree_write(tree, "number", samples[i].text);
		assert_int_equal(sysfs_read_number(&tree->root, &number, "%s", "number"),
				 samples[i].rc);
		assert_int_equal(number.known, !samples[i].rc);
		assert_true(number.value == samples[i].value);
	}
}

static void link_names(void **state)
{
	static const struct {
		const char *target, *name;
	} samples[] = {
		{"../../../0000:3b:00.0", "0000:3b:00.0"},
		{"mlx5_core", "mlx5_core"},
		{"/absolute/place", "place"},
		{"../evil\033[31m", "evil\\x1b[31m"},
		{"ends/", ""},
	};
	const struct saved_tree *tree = tree_of(state);
	char *name = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *found = NULL, *target = NULL;

		tree_link(tree, "link", samples[i].target);
		assert_int_equal(sysfs_link_name(&tree->root, &found, "%s", "link"), 0);
		assert_string_equal(found, samples[i].name);
		assert_int_equal(sysfs_link(&tree->root, &target, "%s", "link"), 0);
		assert_string_equal(target, samples[i].target);
	}
	tree_link(tree, "unreadable", "!EACCES");
	assert_int_equal(sysfs_link(&tree->root, &name, "unreadable"), -EACCES);
	assert_int_equal(sysfs_link_name(&tree->root, &name, "unreadable"), -EACCES);
	tree_write(tree, "file", "x");
	assert_int_equal(sysfs_link_name(&tree->root, &name, "file"), -EINVAL);
	assert_int_equal(sysfs_link_name(&tree->root, &name, "nothing"), -ENOENT);
	assert_int_equal(sysfs_link(&tree->root, &name, "nothing"), -ENOENT);
	assert_null(name);
}

static void listings(void **state)
{
	static const char *const sorted[] = {"evil\033", "mlx5_0", "mlx5_2", "mlx5_10", "rxe0"};
	const struct saved_tree *tree = tree_of(state);
	struct strings names = {0};
	size_t count = 0;

	tree_directory(tree, "class/mlx5_10");
	tree_directory(tree, "class/mlx5_2");
	tree_link(tree, "class/rxe0", "../nowhere");
	tree_write(tree, "class/mlx5_0", "");
	tree_directory(tree, "class/evil\033");
	tree_directory(tree, "class/.hidden");
	tree_directory(tree, "empty");
	assert_int_equal(sysfs_list(&tree->root, &names, "%s", "class"), 0);
	assert_int_equal(names.count, ARRAY_SIZE(sorted));
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_string_equal(names.items[i], sorted[i]);
	strings_free(&names);
	assert_int_equal(sysfs_count(&tree->root, &count, "class"), 0);
	assert_int_equal(count, ARRAY_SIZE(sorted));
	assert_int_equal(sysfs_list(&tree->root, &names, "empty"), 0);
	assert_true(names.known);
	assert_int_equal(names.count, 0);
	assert_int_equal(sysfs_count(&tree->root, &count, "empty"), 0);
	assert_int_equal(count, 0);
}

static void check_in(const struct sysfs_folder *folder, const char *name, const char *expected)
{
	char text[SYSFS_TEXT_SIZE];
	size_t size = 77;

	assert_int_equal(sysfs_folder_read(folder, text, &size, name), strlen(expected));
	assert_string_equal(text, expected);
	assert_int_equal(size, strlen(expected) + 1);
}

static void check_not_in(const struct sysfs_folder *folder, const char *name, int error)
{
	char text[SYSFS_TEXT_SIZE];

	assert_int_equal(sysfs_folder_read(folder, text, NULL, name), error);
}

/* A read in an open folder gives the same as its full path. */
static void folders(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct sysfs_folder folder, inner;
	struct strings names = {0};

	tree_write(tree, "port/state", "4: ACTIVE");
	tree_write(tree, "port/cm/req", "7");
	tree_write(tree, "other/lid", "5");
	tree_link(tree, "port/rate", "!EINVAL");
	tree_link(tree, "port/lid", "../other/lid");
	tree_link(tree, "port/absolute", "/other");
	tree_link(tree, "port/out", "../../../../etc/passwd");
	assert_int_equal(mkfifoat(tree->root.fd, "port/fifo", 0600), 0);
	tree_link(tree, "class", "port");
	assert_int_equal(sysfs_folder_open(&tree->root, mem_string("class"), &folder), 0);
	check_in(&folder, "state", "4: ACTIVE");
	check_in(&folder, "cm/req", "7");
	check_in(&folder, "lid", "5");
	check_in(&folder, "absolute/lid", "5");
	check_not_in(&folder, "rate", -EINVAL);
	check_not_in(&folder, "rate/below", -EINVAL);
	check_not_in(&folder, "out", -ENOENT);
	check_not_in(&folder, "fifo", -ENXIO);
	check_not_in(&folder, "cm", -EISDIR);
	check_not_in(&folder, "nothing", -ENOENT);
	check_not_in(&folder, "../other/lid", 1);
	assert_int_equal(sysfs_folder_open_in(&folder, "cm", &inner), 0);
	assert_int_equal(sysfs_folder_list(&inner, &names), 0);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "req");
	strings_free(&names);
	sysfs_folder_close(&inner);
	assert_int_equal(sysfs_folder_open_in(&folder, "absolute", &inner), 0);
	check_in(&inner, "lid", "5");
	sysfs_folder_close(&inner);
	assert_int_equal(sysfs_folder_open_in(&folder, "state", &inner), -ENOTDIR);
	sysfs_folder_close(&inner);
	assert_int_equal(sysfs_folder_open_in(&folder, "rate", &inner), -EINVAL);
	check_not_in(&inner, "x", -EINVAL);
	assert_int_equal(sysfs_folder_list(&inner, &names), -EINVAL);
	sysfs_folder_close(&inner);
	sysfs_folder_close(&folder);
	assert_int_equal(sysfs_folder_open(&tree->root, mem_string("none"), &folder), -ENOENT);
	assert_int_equal(sysfs_folder_open_in(&folder, "cm", &inner), -ENOENT);
	sysfs_folder_close(&inner);
	sysfs_folder_close(&folder);
}

/* An error while listing is not taken for the end of the names. */
static void folder_gone(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct sysfs_folder folder;
	struct strings names = {0};

	tree_directory(tree, "port");
	assert_int_equal(sysfs_folder_open(&tree->root, mem_string("port"), &folder), 0);
	assert_int_equal(unlinkat(tree->root.fd, "port", AT_REMOVEDIR), 0);
	assert_int_equal(sysfs_folder_list(&folder, &names), -ENOENT);
	assert_int_equal(sysfs_list_open(folder.fd, &names, true), -ENOENT);
	assert_int_equal(names.count, 0);
	sysfs_folder_close(&folder);
}

/* A folder that may be passed through, but not listed. */
static void folder_closed(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct sysfs_folder folder, inner;
	struct strings names = {0};
	int opened, listed;

	tree_write(tree, "port/state", "4: ACTIVE");
	tree_write(tree, "port/cm/req", "7");
	assert_int_equal(fchmodat(tree->root.fd, "port", 0111, 0), 0);
	tree_become_nobody();
	opened = sysfs_folder_open(&tree->root, mem_string("port"), &folder);
	listed = sysfs_folder_list(&folder, &names);
	check_in(&folder, "state", "4: ACTIVE");
	check_not_in(&folder, "none", -ENOENT);
	assert_int_equal(sysfs_folder_open_in(&folder, "cm", &inner), 0);
	check_in(&inner, "req", "7");
	tree_become_oneself();
	assert_int_equal(fchmodat(tree->root.fd, "port", 0700, 0), 0);
	sysfs_folder_close(&inner);
	sysfs_folder_close(&folder);
	assert_int_equal(opened, -EACCES);
	assert_int_equal(listed, -EACCES);
}

/* More names than the kernel returns at once. */
static void long_listing(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct strings names = {0};
	char path[64];

	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "many/entry-of-a-long-list-%d", i);
		tree_directory(tree, path);
	}
	assert_int_equal(sysfs_list(&tree->root, &names, "many"), 0);
	assert_int_equal(names.count, 1000);
	assert_string_equal(names.items[999], "entry-of-a-long-list-999");
	strings_free(&names);
}

static void listings_of_no_directory(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	struct strings names = {0};
	size_t count = 7;

	tree_write(tree, "file", "x");
	tree_link(tree, "loop", "loop");
	tree_link(tree, "to-directory", ".");
	assert_int_equal(sysfs_list(&tree->root, &names, "nothing"), -ENOENT);
	assert_int_equal(sysfs_list(&tree->root, &names, "file"), -ENOTDIR);
	assert_int_equal(sysfs_list(&tree->root, &names, "loop"), -ELOOP);
	assert_int_equal(sysfs_count(&tree->root, &count, "file"), -ENOTDIR);
	assert_null(names.items);
	assert_int_equal(count, 7);
	assert_false(sysfs_has_directory(&tree->root, "nothing"));
	assert_false(sysfs_has_directory(&tree->root, "file"));
	assert_false(sysfs_has_directory(&tree->root, "loop"));
	assert_true(sysfs_has_directory(&tree->root, "to-directory"));
	assert_true(sysfs_has_directory(&tree->root, "."));
}

/* No descriptor stays open, whatever fails. */
static void descriptors(void **state)
{
	const struct saved_tree *tree = tree_of(state);
	char text[SYSFS_TEXT_SIZE];
	struct strings names = {0};
	size_t count;
	int before = dup(0), after;

	close(before);
	tree_directory(tree, "directory");
	tree_write(tree, "file", "x");
	tree_link(tree, "error", "!EIO");
	for (size_t i = 0; i < 3; i++) {
		static const char *const paths[] = {"directory", "file", "error"};

		sysfs_read(&tree->root, text, "%s", paths[i]);
		if (!sysfs_list(&tree->root, &names, "%s", paths[i]))
			strings_free(&names);
		sysfs_count(&tree->root, &count, "%s", paths[i]);
		sysfs_has_directory(&tree->root, paths[i]);
	}
	after = dup(0);
	close(after);
	assert_int_equal(after, before);
}

static int setup(void **state)
{
	struct saved_tree *tree = mem_alloc_zero(1, sizeof(*tree));

	tree_open(tree);
	*state = tree;
	return 0;
}

static int teardown(void **state)
{
	tree_become_oneself();
	tree_close(*state);
	free(*state);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* Imitates a container's seccomp profile from before 2020: openat2() fails with `error`. */
static bool forbid_openat2(unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = ARRAY_SIZE(filter), .filter = filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
	       syscall(SYS_openat2, -1, "", NULL, 0) < 0 && errno == (int)error;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(root),
		TEST(read_good),
		TEST(read_long),
		TEST(read_binary),
		TEST(read_what_is_no_file),
		TEST(read_special_files),
		TEST(links_that_lead_out),
		TEST(magic_links),
		TEST(deep_paths),
		TEST(read_unreadable),
		TEST(read_saved_errors),
		TEST(read_below_saved_errors),
		TEST(long_paths),
		TEST(long_links),
		TEST(read_number),
		TEST(link_names),
		TEST(listings),
		TEST(folders),
		TEST(folder_gone),
		TEST(folder_closed),
		TEST(long_listing),
		TEST(listings_of_no_directory),
		TEST(descriptors),
	};

	int failed = cmocka_run_group_tests_name("sysfs", tests, NULL, NULL);

	/* The same tests without openat2(). Among errors, the filter that is added last decides. */
	if (!forbid_openat2(ENOSYS))
		return 1;
	failed += cmocka_run_group_tests_name("sysfs-enosys", tests, NULL, NULL);
	if (!forbid_openat2(EPERM))
		return 1;
	return failed + cmocka_run_group_tests_name("sysfs-eperm", tests, NULL, NULL);
}
