/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of /sys/class/infiniband as they are, for those who show them as they are: the
 * personalities of tools that read them. Paths are relative to that directory. Nothing is cleaned:
 * names and texts are the kernel's bytes.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "schema/value.h"

#define CLASS_DIRECTORY "/sys/class/infiniband"

enum { CLASS_TEXT_SIZE = 4096 };

struct class_files;

/* Of a saved tree, or of the live system with NULL. 0 or -errno. */
int class_files_open(const char *root, struct class_files **ret_files);
void class_files_close(struct class_files *files);
DEFINE_CLEANUP(struct class_files, class_files_close)

/*
 * The names in a directory ("" is the class itself) in the order of their bytes, those that begin
 * with a dot, too. 0 or -errno.
 */
int class_files_list(const struct class_files *files, struct strings *ret_names, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));
/* A whole file without the white space at its end; its length or -errno. */
ssize_t class_files_read(const struct class_files *files, char text[static CLASS_TEXT_SIZE],
			 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* 0 if there is such a directory, else -errno. */
int class_files_find(const struct class_files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * A directory, for reading several of its files; paths are relative to it. The way to it is looked
 * up once, which is most of what reading such a file costs.
 */
int class_files_open_below(const struct class_files *files, struct class_files **ret_files,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));
