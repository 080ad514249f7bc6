/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads sysfs of the live system or of a saved tree (--root). Every path is relative to one root
 * descriptor. Functions return 0, a length or -errno. A saved tree keeps an attribute whose read
 * failed as a symbolic link to `!ERRNAME`, and reading it fails with that errno again, as does any
 * path below a directory saved this way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernel/root.h"
#include "schema/value.h"

#define SYSFS_RDMA_CLASS "sys/class/infiniband"

struct problems;

/* An attribute has at most a page: Documentation/filesystems/sysfs.rst. */
enum { SYSFS_TEXT_SIZE = 4096 };

/* Returns the link target that represents -errno in a saved tree: !EINVAL; !EIO for rare errors. */
const char *sysfs_saved_error(int error);
/*
 * Opens a binary file, or a directory with O_DIRECTORY in `flags`. Returns a descriptor, which the
 * caller closes, or -errno.
 */
int sysfs_open(const struct root *root, const char *path, int flags);
/*
 * Reads an attribute without trailing white space, NUL terminated, and returns its length. -EISDIR
 * for a directory, -EFBIG for a file too large to be an attribute.
 */
ssize_t sysfs_read(const struct root *root, char text[static SYSFS_TEXT_SIZE], const char *format,
		   ...) __attribute__((format(printf, 3, 4)));
ssize_t sysfs_read_path(const struct root *root, char text[static SYSFS_TEXT_SIZE],
			const char *path);
/*
 * Like sysfs_read(), but returns cleaned text for the caller to free; NULL if empty or on errors.
 */
char *sysfs_text(const struct root *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads up to `most` bytes of a binary file, such as a config space, and returns how many. */
ssize_t sysfs_read_bytes(const struct root *root, void *bytes, size_t most, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Reads at most 64 KiB of a file that is not limited to a page, such as those of proc and of
 * control groups. NUL terminated; the caller frees it.
 */
int sysfs_read_long(const struct root *root, char **ret_text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Like sysfs_read_long(), for a file of the distribution or a long table of proc: at most 8 MiB.
 * What reads it must stay fast if somebody made the file: a saved tree may come from anyone.
 */
int sysfs_read_file(const struct root *root, char **ret_text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Reads the exact target of a symbolic link; the caller frees it. -EINVAL if `path` is no link. */
int sysfs_link(const struct root *root, char **ret_target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int sysfs_link_path(const struct root *root, char **ret_target, const char *path);
/* Returns the last component of the target, cleaned; the caller frees it. */
int sysfs_link_name(const struct root *root, char **ret_name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Lists a directory in natural order, without names that begin with a dot. */
int sysfs_list(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Lists all names except . and .. in byte order, for personalities of tools that list them so. */
int sysfs_list_by_bytes(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Lists all names except . and .., unsorted. */
int sysfs_list_all(const struct root *root, struct strings *ret_names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Counts the names that do not begin with a dot. */
int sysfs_count(const struct root *root, size_t *ret_count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns 0 if the directory exists and may be opened, else -errno. */
int sysfs_open_directory(const struct root *root, const char *path);
bool sysfs_has_directory(const struct root *root, const char *path);
/* Accepts 0000:3b:00.0, or a longer domain as in 10000:3b:00.0: Intel's VMD counts from 0x10000. */
bool sysfs_is_pci_address(const char *name, size_t length);
/*
 * Returns the driver of a class device's `device`, from its link or its uevent file: mlx5_core.
 * NULL if unknown; the caller frees it.
 */
char *sysfs_driver(const struct root *root, const char *directory);
/* Whether this RDMA device is rxe or siw, even before Linux 5.11, which first made them virtual. */
bool sysfs_is_software(const struct root *root, const char *directory);
/* Returns a device's PCI address from its uevent file, or NULL; the caller frees it. */
char *sysfs_pci_slot(const struct root *root, const char *directory);
/*
 * Finds the last PCI function in a class link's target, possibly an ancestor of the device:
 * 0000:65:00.0 in
 * ../../devices/pci0000:64/0000:64:00.0/0000:65:00.0/mlx5_core.sf.4/infiniband/mlx5_2. Returns the
 * length of the target up to the end of that function, or 0 if there is none.
 */
size_t sysfs_find_pci(const char *target, char **ret_address);
/* Reads a decimal number. */
int sysfs_read_number(const struct root *root, struct number *ret_number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Writes an attribute of the live system with one write(2), for the commands that change it. An
 * empty text is written as a NUL, because an empty write does not reach the driver. Returns 0 or
 * -errno.
 */
int sysfs_write(const char *path, const char *text);
/*
 * Notes that `object`'s `attribute` cannot be read, if `length` is the -errno of that, or that its
 * text is malformed: sysfs_note_text().
 */
void sysfs_note(struct problems *problems, const char *object, const char *attribute,
		ssize_t length, const char *text);
/*
 * Notes that the text of `object`'s `attribute` is malformed. The note shows the text, cleaned and
 * cut after 60 bytes, because the operator may recognize it. All strings are copied.
 */
void sysfs_note_text(struct problems *problems, const char *object, const char *attribute,
		     const char *text);
/*
 * For lists of ranges, as the kernel writes processors and nodes: 0-3,8. Takes the next range;
 * false: *list is at its end, or at something else.
 */
bool sysfs_take_range(const char **list, unsigned long *ret_first, unsigned long *ret_last);
/* Returns whether two such lists overlap. */
bool sysfs_ranges_overlap(const char *a, const char *b);
/* Returns how many numbers such a list has, each named once; 0 if it is malformed. */
unsigned long sysfs_ranges_count(const char *list);

/*
 * A directory of sysfs that stays open while several of its files are read: its path, through links
 * and a dozen folders, is resolved once. In a saved tree links are read by their full path.
 */
struct sysfs_folder {
	const struct root *root;
	char *path; /* below the root */
	/* -errno if it cannot be opened; with -EACCES, files are read by their full path. */
	int fd;
};

#define SYSFS_FOLDER_NONE     \
	(struct sysfs_folder) \
	{                     \
		.fd = -1      \
	}

/*
 * Opens a path, which the folder owns from then on. Its readers return the same -errno, except for
 * -EACCES: a folder without read permission may still be searchable, so they try each file by its
 * full path.
 */
int sysfs_folder_open(const struct root *root, char *path, struct sysfs_folder *ret_folder);
/* Opens a folder within another one. */
int sysfs_folder_open_in(const struct sysfs_folder *above, const char *name,
			 struct sysfs_folder *ret_folder);
void sysfs_folder_close(struct sysfs_folder *folder);
/*
 * Like sysfs_read(), for a path relative to the folder. *ret_size, unless NULL, is the length with
 * the trailing white space: the kernel ends even an empty text with a newline.
 */
ssize_t sysfs_folder_read(const struct sysfs_folder *folder, char text[static SYSFS_TEXT_SIZE],
			  size_t *ret_size, const char *name);
/* Like sysfs_list(), for the folder; works only once. */
int sysfs_folder_list(const struct sysfs_folder *folder, struct strings *ret_names);

/* sysfs_folder_read() and sysfs_list_all() on an open file or folder, for these readers. */
ssize_t sysfs_read_open(int fd, char text[static SYSFS_TEXT_SIZE], size_t *ret_size);
int sysfs_list_open(int fd, struct strings *ret_names, bool hidden);
void sysfs_sort_names(struct strings *names);
