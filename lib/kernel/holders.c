/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/holders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/procfs.h"

/* PROC_PID_INIT_INO, include/linux/proc_ns.h: the inode of the first PID namespace. */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

/* Classes whose devices have the attributes `dev` and `ibdev`: uverbs_main.c, user_mad.c. */
static const char *const classes[] = {"sys/class/infiniband_verbs", "sys/class/infiniband_mad"};

static void read_node(const struct root *root, const char *class, const char *name,
		      const char *device, struct device_nodes *nodes)
{
	char text[SYSFS_TEXT_SIZE];
	unsigned int major, minor;

	if (sysfs_read(root, text, "%s/%s/ibdev", class, name) < 0 || strcmp(text, device))
		return;
	if (sysfs_read(root, text, "%s/%s/dev", class, name) < 0 ||
	    sscanf(text, "%u:%u", &major, &minor) != 2)
		return;
	MEM_ADD(nodes->items, nodes->count) = (struct device_node){text_clean(name, strlen(name)),
								   major, minor};
}

int device_nodes_read(const struct root *root, const char *kernel_name, struct device_nodes *nodes)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		struct strings names = {.known = false};
		int rc = sysfs_list(root, &names, "%s", classes[i]);

		/* ib_uverbs or ib_umad is not loaded. */
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		for (size_t j = 0; j < names.count; j++)
			read_node(root, classes[i], names.items[j], kernel_name, nodes);
		strings_free(&names);
	}
	return 0;
}

void device_nodes_clear(struct device_nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		free(nodes->items[i].name);
	free(nodes->items);
	*nodes = (struct device_nodes){.count = 0};
}

/*
 * Reads the number of the character device behind a descriptor. This must not block on a file
 * server that is gone: AT_STATX_DONT_SYNC keeps NFS and FUSE from asking theirs.
 */
static bool read_number(int directory, const char *name, int flags, unsigned int *ret_major,
			unsigned int *ret_minor)
{
#ifdef STATX_TYPE
	struct statx file;

	if (statx(directory, name, flags | AT_STATX_DONT_SYNC, STATX_TYPE, &file) ||
	    !S_ISCHR(file.stx_mode))
		return false;
	*ret_major = file.stx_rdev_major;
	*ret_minor = file.stx_rdev_minor;
#else
	struct stat file;

	if (fstatat(directory, name, &file, flags) || !S_ISCHR(file.st_mode))
		return false;
	*ret_major = major(file.st_rdev);
	*ret_minor = minor(file.st_rdev);
#endif
	return true;
}

static const struct device_node *find_node(const struct device_nodes *nodes, int directory,
					   const char *name, int flags)
{
	unsigned int major = 0, minor = 0;

	if (!read_number(directory, name, flags, &major, &minor))
		return NULL;
	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->items[i].major == major && nodes->items[i].minor == minor)
			return &nodes->items[i];
	return NULL;
}

static void add_holder(const struct root *root, uint64_t process, const char *node,
		       struct holders *holders)
{
	struct holder *holder = holders->count ? &holders->items[holders->count - 1] : NULL;
	struct procfs_task task = {.name = NULL};

	if (!holder || holder->process != process) {
		holder = mem_append(&holders->items, &holders->count, sizeof(*holders->items));
		holder->process = process;
		if (!procfs_read_task(root, process, &task))
			holder->command = task.name;
	}
	if (!strings_contain(&holder->nodes, node))
		strings_add(&holder->nodes, node);
}

/* Returns 0 or -errno; the caller closes the folder. */
static int open_folder(const struct root *root, const char *path, DIR **ret_folder)
{
	int fd = root_open_path(root, path, O_DIRECTORY), rc;

	if (fd < 0)
		return fd;
	*ret_folder = fdopendir(fd);
	if (*ret_folder)
		return 0;
	rc = -errno;
	close(fd);
	return rc;
}

static void read_process(const struct root *root, const struct device_nodes *nodes,
			 uint64_t process, struct holders *holders)
{
	/* The links of a saved tree do not lead to the files that a process had open. */
	const int flags = root->live || root->below ? 0 : AT_SYMLINK_NOFOLLOW;
	_cleanup_(freep) char *path = mem_format("proc/%" PRIu64 "/fd", process);
	_cleanup_(closedirp) DIR *directory = NULL;
	const struct dirent *entry;
	int rc = open_folder(root, path, &directory);

	if (rc == -EACCES || rc == -EPERM)
		holders->hidden++;
	while (directory && (entry = readdir(directory))) {
		const struct device_node *node = entry->d_name[0] == '.'
							 ? NULL
							 : find_node(nodes, dirfd(directory),
								     entry->d_name, flags);

		if (node)
			add_holder(root, process, node->name, holders);
	}
}

static int compare_holders(const void *a, const void *b)
{
	const struct holder *left = a, *right = b;

	return COMPARE(left->process, right->process);
}

int holders_find(const struct root *root, const struct device_nodes *nodes, struct holders *holders)
{
	const uint64_t own = root->live ? (uint64_t)getpid() : 0;
	_cleanup_(closedirp) DIR *directory = NULL;
	const struct dirent *entry;
	uint64_t process;
	int rc = nodes->count ? open_folder(root, "proc", &directory) : 0;

	while (directory && (entry = readdir(directory)))
		if (!text_parse_u64(entry->d_name, 10, UINT32_MAX, &process) && process != own)
			read_process(root, nodes, process, holders);
	MEM_SORT(holders->items, holders->count, compare_holders);
	return rc;
}

void holders_clear(struct holders *holders)
{
	for (size_t i = 0; i < holders->count; i++) {
		free(holders->items[i].command);
		strings_free(&holders->items[i].nodes);
	}
	free(holders->items);
	*holders = (struct holders){.count = 0};
}

void holders_close_own(const struct device_nodes *nodes)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t fd;

	while (directory && (entry = readdir(directory)))
		if (!text_parse_u64(entry->d_name, 10, INT32_MAX, &fd) &&
		    find_node(nodes, dirfd(directory), entry->d_name, 0))
			close((int)fd);
}

bool holders_are_confined(const struct root *root)
{
	char target[PATH_MAX];

	return root->live && root_read_link(root, "proc/self/ns/pid", target) >= 0 &&
	       strcmp(target, FIRST_PID_NAMESPACE);
}
