/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* An entry of the buffer that getdents64(2) fills. */
struct entry {
	uint64_t inode;
	int64_t next;
	unsigned short size; /* bytes of this entry */
	unsigned char type;
	char name[];
};

enum { ENTRIES_SIZE = 8192 };

/* readdir() would take three more system calls, and 32 KiB of memory. */
int sysfs_list_open(int fd, struct strings *ret_names, bool hidden)
{
	union {
		struct entry first;
		char bytes[ENTRIES_SIZE];
	} buffer;
	struct strings names = {.known = true};
	long length;

	while ((length = syscall(SYS_getdents64, fd, &buffer, sizeof(buffer))) > 0)
		for (const char *at = buffer.bytes; at < buffer.bytes + length;) {
			const struct entry *entry = (const void *)at;
			const char *name = entry->name;

			if (name[0] != '.' || (hidden && strcmp(name, ".") && strcmp(name, "..")))
				strings_add(&names, name);
			at += entry->size;
		}
	if (length < 0) {
		const int error = errno;

		strings_free(&names);
		return -error;
	}
	*ret_names = names;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return text_compare_natural(*(char *const *)a, *(char *const *)b);
}

void sysfs_sort_names(struct strings *names)
{
	MEM_SORT(names->items, names->count, compare_names);
}

int sysfs_folder_open(const struct root *root, char *path, struct sysfs_folder *ret_folder)
{
	*ret_folder = (struct sysfs_folder){
		.root = root,
		.path = path,
		.fd = sysfs_open(root, path, O_DIRECTORY),
	};
	return ret_folder->fd < 0 ? ret_folder->fd : 0;
}

/* Without permission to list the folder, its files may still be readable by their full path. */
static bool is_closed(const struct sysfs_folder *folder)
{
	return folder->fd == -EACCES;
}

/* Whether the result is final, so that the full path need not be tried. */
static bool is_certain(const struct sysfs_folder *folder, int fd)
{
	return fd >= 0 || fd == -ENOENT || folder->root->live;
}

int sysfs_folder_open_in(const struct sysfs_folder *above, const char *name,
			 struct sysfs_folder *ret_folder)
{
	int fd = above->fd < 0 ? above->fd
			       : root_open_in(above->root, above->fd, name, O_DIRECTORY);
	char *path = mem_path(above->path, name);

	if (is_closed(above) || (above->fd >= 0 && !is_certain(above, fd)))
		return sysfs_folder_open(above->root, path, ret_folder);
	*ret_folder = (struct sysfs_folder){.root = above->root, .path = path, .fd = fd};
	return fd < 0 ? fd : 0;
}

void sysfs_folder_close(struct sysfs_folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->path);
	*folder = SYSFS_FOLDER_NONE;
}

ssize_t sysfs_folder_read(const struct sysfs_folder *folder, char text[static SYSFS_TEXT_SIZE],
			  size_t *ret_size, const char *name)
{
	_cleanup_(freep) char *path = NULL;
	_cleanup_(closep) int fd = -1;

	if (folder->fd < 0 && !is_closed(folder))
		return folder->fd;
	if (!is_closed(folder))
		fd = root_open_in(folder->root, folder->fd, name, 0);
	if (is_closed(folder) || !is_certain(folder, fd)) {
		path = mem_path(folder->path, name);
		fd = sysfs_open(folder->root, path, 0);
	}
	return fd < 0 ? fd : sysfs_read_open(fd, text, ret_size);
}

int sysfs_folder_list(const struct sysfs_folder *folder, struct strings *ret_names)
{
	int rc = folder->fd < 0 ? folder->fd : sysfs_list_open(folder->fd, ret_names, false);

	if (!rc)
		sysfs_sort_names(ret_names);
	return rc;
}
