/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads sysfs, of the live system or of a saved tree (--root). Every path is relative to one root
 * descriptor. Functions return 0, a length or -errno. A saved tree keeps an attribute whose read
 * failed as a symbolic link to `!ERRNAME`, and reading it fails with that errno again; so does any
 * path below a directory that is kept this way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernel/root.h"
#include "schema/value.h"

#define SYSFS_RDMA_CLASS "sys/class/infiniband"

struct problems;

/* An attribute is at most a page, Documentation/filesystems/sysfs.rst. */
enum { SYSFS_TEXT_SIZE = 4096 };

/* The target of a link that keeps -errno in a saved tree: !EINVAL. Rare ones are kept as !EIO. */
const char *sysfs_saved_error(int error);
/*
 * A descriptor of a file that is no text, or with O_DIRECTORY in `flags` of a directory, for the
 * caller to close, or -errno.
 */
int sysfs_open(const struct root *root, const char *path, int flags);
/*
 * Reads an attribute without the white space at its end, NUL terminated, and returns its length.
 * -EISDIR for a directory, -EFBIG for a file too large to be an attribute.
 */
ssize_t sysfs_read(const struct root *root, char text[static SYSFS_TEXT_SIZE], const char *format,
		   ...) __attribute__((format(printf, 3, 4)));
/* The same, cleaned; NULL: it is empty or cannot be read. The caller frees it. */
char *sysfs_text(const struct root *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * The same as sysfs_read(); *ret_size is the length with that white space: the kernel ends even an
 * empty text with a newline.
 */
ssize_t sysfs_read_size(const struct root *root, char text[static SYSFS_TEXT_SIZE],
			size_t *ret_size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Reads up to `most` bytes of a binary file, such as a config space, and returns how many. */
ssize_t sysfs_read_bytes(const struct root *root, void *bytes, size_t most, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Reads the first 64 KiB of a file that may be longer, such as those of proc and of control groups.
 * NUL terminated; the caller frees it.
 */
int sysfs_read_long(const struct root *root, char **ret_text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of a file of the distribution, 8 MiB. */
int sysfs_read_file(const struct root *root, char **ret_text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The exact target of a symbolic link, freed by the caller. -EINVAL if it is no link. */
int sysfs_link(const struct root *root, char **ret_target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Its last component, cleaned and freed by the caller. */
int sysfs_link_name(const struct root *root, char **ret_name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The names in a directory in natural order, without those that begin with a dot. */
int sysfs_list(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* All names except . and .., unsorted. */
int sysfs_list_all(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Counts the names that do not begin with a dot. */
int sysfs_count(const struct root *root, size_t *ret_count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* 0 if the directory exists and may be opened, else -errno. */
int sysfs_open_directory(const struct root *root, const char *path);
bool sysfs_has_directory(const struct root *root, const char *path);
/* 0000:3b:00.0, or with a longer domain 10000:3b:00.0: Intel's VMD numbers them from 0x10000. */
bool sysfs_is_pci_address(const char *name, size_t length);
/*
 * The driver of a class device's `device`, from its link or its uevent file: mlx5_core. NULL if it
 * is not known; the caller frees it.
 */
char *sysfs_driver(const struct root *root, const char *directory);
/* True for an RDMA device of rxe or siw, also before Linux 5.11, when they were no virtual ones. */
bool sysfs_is_software(const struct root *root, const char *directory);
/* The PCI address of a device, from its uevent file; NULL if it has none. The caller frees it. */
char *sysfs_pci_slot(const struct root *root, const char *directory);
/*
 * The last PCI function in a class link's target, which the device may be a part of: 0000:65:00.0
 * in ../../devices/pci0000:64/0000:64:00.0/0000:65:00.0/mlx5_core.sf.4/infiniband/mlx5_2. Returns
 * the length of the target up to the end of that function, or 0 if there is none.
 */
size_t sysfs_find_pci(const char *target, char **ret_address);
/* A decimal number. */
int sysfs_read_number(const struct root *root, struct number *ret_number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Writes to an attribute of the live system by one write(2), for the commands that change it. An
 * empty text is a NUL, because a write of nothing does not get to the driver. 0 or -errno.
 */
int sysfs_write(const char *path, const char *text);
/*
 * Notes that the text of `object`'s `attribute` is not of its form. The note shows the text,
 * cleaned and cut after 60 bytes, because the operator may recognize it. All strings are copied.
 */
void sysfs_note_text(struct problems *problems, const char *object, const char *attribute,
		     const char *text);
