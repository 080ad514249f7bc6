/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory of sysfs that stays open while several of its files are read: the way to it, through
 * links and a dozen folders, is looked up once. What is a link in a saved tree (kernel/sysfs.h) is
 * read by its whole path.
 */
#pragma once

#include "kernel/sysfs.h"

struct sysfs_folder {
	const struct root *root;
	char *path; /* below the root */
	int fd;	    /* -errno: it cannot be opened */
};

#define SYSFS_FOLDER_NONE     \
	(struct sysfs_folder) \
	{                     \
		.fd = -1      \
	}

/*
 * Opens a path, which the folder owns from then on. -errno is also what its readers return, but for
 * -EACCES: what is in a folder that may only be passed through is still read.
 */
int sysfs_folder_open(const struct root *root, char *path, struct sysfs_folder *ret_folder);
/* The same of a folder within another one. */
int sysfs_folder_open_in(const struct sysfs_folder *above, const char *name,
			 struct sysfs_folder *ret_folder);
void sysfs_folder_close(struct sysfs_folder *folder);
/*
 * sysfs_read_size() of a file; `name` may be a path that begins here, and `ret_size` may be NULL.
 */
ssize_t sysfs_folder_read(const struct sysfs_folder *folder, char text[static SYSFS_TEXT_SIZE],
			  size_t *ret_size, const char *name);
/* sysfs_list() of the folder, once. */
int sysfs_folder_list(const struct sysfs_folder *folder, struct strings *ret_names);

/* For these readers: what sysfs_read_size() and sysfs_list_all() do, of an open file or folder. */
ssize_t sysfs_read_open(int fd, char text[static SYSFS_TEXT_SIZE], size_t *ret_size);
int sysfs_list_open(int fd, struct strings *ret_names, bool hidden);
void sysfs_sort_names(struct strings *names);
