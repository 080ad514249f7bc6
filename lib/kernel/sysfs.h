/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading sysfs, of the live system or of a saved tree (--root). Every path is relative to one root
 * descriptor. Functions return 0, a length or -errno. In a saved tree an attribute whose read
 * failed is kept as a symbolic link to `!ERRNAME`, and reading it fails with that errno again; so
 * does all that would be below a directory that is kept so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "schema/value.h"

struct root {
	int fd;	    /* of the root directory */
	bool live;  /* not a saved tree: netlink and verbs speak of the same system */
	bool below; /* a directory of the live system: paths begin there */
};

/* A saved tree, or the live system with `directory` NULL. -ENOTDIR, -ENOENT ... as from open(2). */
int root_open(const char *directory, struct root *ret_root);
void root_close(struct root *root);
/*
 * A directory below the root, for reading several of its files: the way to it, which leads through
 * links, is looked up once.
 */
int root_open_below(const struct root *root, struct root *ret_root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

enum {
	SYSFS_TEXT_SIZE = 4096
}; /* an attribute is at most a page, Documentation/filesystems/sysfs.rst */

/*
 * Reads a whole attribute, without the white space at its end, NUL terminated; the length is
 * returned. -EISDIR for a directory, -EFBIG for what cannot be an attribute.
 */
ssize_t sysfs_read(const struct root *root, char text[static SYSFS_TEXT_SIZE], const char *format,
		   ...) __attribute__((format(printf, 3, 4)));
/*
 * Reads a file that may be longer, as those of proc and of control groups: up to 64 KiB, what comes
 * behind is left off. NUL terminated; the caller frees it.
 */
int sysfs_read_long(const struct root *root, char **ret_text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The target of a symbolic link, as it is; the caller frees it. -EINVAL if it is no link. */
int sysfs_link(const struct root *root, char **ret_target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Its last component, cleaned; the caller frees it. */
int sysfs_link_name(const struct root *root, char **ret_name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The names in a directory in natural order, without those that begin with a dot. */
int sysfs_list(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* All names but . and .., in no order. */
int sysfs_list_all(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The names without those that begin with a dot, counted only. */
int sysfs_count(const struct root *root, size_t *ret_count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* 0 if the directory is there and may be looked into, else -errno. */
int sysfs_open_directory(const struct root *root, const char *path);
bool sysfs_has_directory(const struct root *root, const char *path);
/*
 * The last PCI function in a class link's target, which the device may be a part of: of
 * ../../devices/pci0000:64/0000:64:00.0/0000:65:00.0/mlx5_core.sf.4/infiniband/mlx5_2 it is
 * 0000:65:00.0. Returns how much of the target names that function; 0: none.
 */
size_t sysfs_find_pci(const char *target, char **ret_address);
/* A decimal number. */
int sysfs_read_number(const struct root *root, struct number *ret_number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
