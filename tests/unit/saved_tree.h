/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the sysfs sources: a saved tree in a temporary directory, written file by file.
 * Paths are relative to its root; parent directories are made as needed.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"
#include "places.h"

struct saved_tree {
	char path[PATH_MAX];
	struct root root;
};

static inline void tree_open(struct saved_tree *tree)
{
	place_for(tree->path, "rdmactl-unit");
	assert_non_null(mkdtemp(tree->path));
	assert_int_equal(chmod(tree->path, 0755), 0);
	assert_int_equal(root_open(tree->path, &tree->root), 0);
}

/* A cmocka set-up for a test's own struct that begins with a saved tree; free(3) it after the
 * tree. */
static inline int tree_set_up(void **state, size_t size)
{
	struct saved_tree *tree = mem_alloc_zero(1, size);

	tree_open(tree);
	*state = tree;
	return 0;
}

static inline int tree_remove_one(const char *path, const struct stat *status, int kind,
				  struct FTW *level)
{
	(void)status;
	(void)kind;
	(void)level;
	return remove(path);
}

static inline void tree_close(struct saved_tree *tree)
{
	root_close(&tree->root);
	nftw(tree->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void tree_make_directories(const struct saved_tree *tree, const char *path)
{
	char part[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		assert_true(!mkdirat(tree->root.fd, part, 0755) || errno == EEXIST);
	}
}

static inline void tree_directory(const struct saved_tree *tree, const char *path)
{
	tree_make_directories(tree, path);
	assert_true(!mkdirat(tree->root.fd, path, 0755) || errno == EEXIST);
}

static inline void tree_write_bytes(const struct saved_tree *tree, const char *path,
				    const void *bytes, size_t length)
{
	int fd;

	tree_make_directories(tree, path);
	fd = openat(tree->root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

/* Appends a newline, as the kernel does. */
static inline void tree_write(const struct saved_tree *tree, const char *path, const char *text)
{
	char line[8192];
	int length = snprintf(line, sizeof(line), "%s\n", text);

	assert_true(length > 0 && (size_t)length < sizeof(line));
	tree_write_bytes(tree, path, line, (size_t)length);
}

static inline void tree_link(const struct saved_tree *tree, const char *path, const char *target)
{
	tree_make_directories(tree, path);
	unlinkat(tree->root.fd, path, 0);
	assert_int_equal(symlinkat(target, tree->root.fd, path), 0);
}

/* Makes the PCI bus's link to a function, whose directory is at that place below sys/devices. */
static inline void tree_on_bus(const struct saved_tree *tree, const char *place)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", strrchr(place, '/') + 1);
	snprintf(target, sizeof(target), "../../../devices/%s", place);
	tree_link(tree, path, target);
}

/*
 * Makes a PCI function at that place. A NULL value is missing, and the driver "!EIO" cannot be
 * read.
 */
static inline void tree_function(const struct saved_tree *tree, const char *place,
				 const char *class, const char *vendor, const char *device,
				 const char *driver)
{
	const char *const files[][2] = {{"class", class},
					{"vendor", vendor},
					{"device", device},
					{"subsystem_vendor", device ? "0x1" : NULL},
					{"subsystem_device", device ? "0x2" : NULL}};
	char path[PATH_MAX], target[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "sys/devices/%s/%s", place, files[i][0]);
		if (files[i][1])
			tree_write(tree, path, files[i][1]);
	}
	tree_on_bus(tree, place);
	if (!driver)
		return;
	snprintf(path, sizeof(path), "sys/devices/%s/driver", place);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	tree_link(tree, path, *driver == '!' ? driver : target);
}

static inline void tree_delete(const struct saved_tree *tree, const char *path)
{
	char full[2 * PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", tree->path, path);
	nftw(full, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Root may read everything, so tests of unreadable files run as nobody. */
static inline void tree_become_nobody(void)
{
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
}

static inline void tree_become_oneself(void)
{
	if (geteuid() != getuid())
		assert_int_equal(seteuid(getuid()), 0);
}

/* For tests that need only a saved tree. */
static inline int tree_only_set_up(void **state)
{
	return tree_set_up(state, sizeof(struct saved_tree));
}

static inline int tree_only_tear_down(void **state)
{
	tree_close(*state);
	free(*state);
	return 0;
}
