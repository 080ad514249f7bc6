/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory of sysfs that stays open while several of its files are read: its path, through links
 * and a dozen folders, is resolved once. In a saved tree (kernel/sysfs.h) links are read by their
 * full path.
 */
#pragma once

#include "kernel/sysfs.h"

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
