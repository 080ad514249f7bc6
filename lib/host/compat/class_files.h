/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exact files of /sys/class/infiniband, for personalities of tools that read them. Paths are
 * relative to that directory. Names and texts are the kernel's bytes, not cleaned.
 */
#pragma once

#include <stdbool.h>

#include <sys/types.h>

#include "base/cleanup.h"
#include "schema/value.h"

#define CLASS_DIRECTORY "/sys/class/infiniband"

enum { CLASS_TEXT_SIZE = 4096 };

struct class_files;

/* `root` is a saved tree, or NULL for the live system. Returns 0 or -errno. */
int class_files_open(const char *root, struct class_files **ret_files);
void class_files_close(struct class_files *files);
DEFINE_CLEANUP(struct class_files, class_files_close)

/*
 * Lists the names in a directory ("" is the class itself) in byte order, including those that begin
 * with a dot. Returns 0 or -errno.
 */
int class_files_list(const struct class_files *files, struct strings *ret_names, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));
/* Reads a file and strips trailing white space; returns its length or -errno. */
ssize_t class_files_read(const struct class_files *files, char text[static CLASS_TEXT_SIZE],
			 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Returns 0 if the directory exists, else -errno. */
int class_files_find(const struct class_files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Opens a directory to read several of its files; paths are relative to it. Resolving the path only
 * once saves most of the cost of reading such a file.
 */
int class_files_open_below(const struct class_files *files, struct class_files **ret_files,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));
