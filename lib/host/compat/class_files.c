/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/compat/class_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"

struct class_files {
	struct root root;
	bool below; /* `root` is a directory of the class, not of the system */
};

/* Formats a path relative to the root. */
__attribute__((format(printf, 3, 0))) static int format_path(char path[static PATH_MAX],
							     const struct class_files *files,
							     const char *format, va_list arguments)
{
	static const char class[] = "sys/class/infiniband/";
	const size_t start = files->below ? 0 : sizeof(class) - 1;
	const size_t room = PATH_MAX - start;
	int length;

	memcpy(path, class, sizeof(class));
	length = vsnprintf(path + start, room, format, arguments);
	return length < 0 || (size_t)length >= room ? -ENAMETOOLONG : 0;
}

/* Formats the path of a variadic function; `rc` is nonzero if it does not fit. */
#define FORMAT_PATH(rc, path, files, format)                        \
	do {                                                        \
		va_list arguments;                                  \
                                                                    \
		va_start(arguments, format);                        \
		(rc) = format_path(path, files, format, arguments); \
		va_end(arguments);                                  \
	} while (0)

int class_files_open(const char *directory, struct class_files **ret_files)
{
	struct root root;
	int rc = root_open(directory, &root);

	if (rc)
		return rc;
	*ret_files = mem_alloc_zero(1, sizeof(**ret_files));
	(*ret_files)->root = root;
	return 0;
}

void class_files_close(struct class_files *files)
{
	if (!files)
		return;
	root_close(&files->root);
	free(files);
}

static int compare_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int class_files_list(const struct class_files *files, struct strings *ret_names, const char *format,
		     ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, files, format);
	if (!rc)
		rc = sysfs_list_all(&files->root, ret_names, "%s", path[0] ? path : ".");
	if (!rc && ret_names->count)
		qsort(ret_names->items, ret_names->count, sizeof(*ret_names->items), compare_bytes);
	return rc;
}

ssize_t class_files_read(const struct class_files *files, char text[static CLASS_TEXT_SIZE],
			 const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, files, format);
	return rc ? rc : sysfs_read(&files->root, text, "%s", path);
}

int class_files_find(const struct class_files *files, const char *format, ...)
{
	char path[PATH_MAX];
	int rc;

	FORMAT_PATH(rc, path, files, format);
	return rc ? rc : sysfs_open_directory(&files->root, path);
}

int class_files_open_below(const struct class_files *files, struct class_files **ret_files,
			   const char *format, ...)
{
	char path[PATH_MAX];
	struct root root;
	int rc;

	FORMAT_PATH(rc, path, files, format);
	if (!rc)
		rc = root_open_below(&files->root, &root, "%s", path);
	if (rc)
		return rc;
	*ret_files = mem_alloc_zero(1, sizeof(**ret_files));
	(*ret_files)->root = root;
	(*ret_files)->below = true;
	return 0;
}
