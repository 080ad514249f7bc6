/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/device/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/nldev.h"
#include "kernel/sysfs.h"

/* ip-netns(8) keeps a mount here for each name. */
#define NAMES "run/netns"
#define OWN   "/proc/self/ns/net"

/*
 * O_PATH has no effect on the target, which may be a device or a FIFO. Namespace files are regular
 * files on a file system whose ioctl no other file system has.
 */
static int open_path(const char *path, int *ret_fd)
{
	_cleanup_(closep) int place = open(path, O_PATH | O_CLOEXEC);
	_cleanup_(freep) char *again = NULL;
	_cleanup_(closep) int fd = -1;
	struct stat status;

	if (place < 0 || fstat(place, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	again = mem_format("/proc/self/fd/%d", place);
	fd = open(again, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return -EINVAL;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int netns_open_own(int *ret_fd)
{
	return open_path(OWN, ret_fd);
}

int netns_open(const char *text, int *ret_fd)
{
	_cleanup_(freep) char *path = NULL;
	uint64_t pid;

	if (!*text || !strcmp(text, ".") || !strcmp(text, ".."))
		return -EINVAL;
	if (strchr(text, '/'))
		path = mem_string(text);
	else if (!text_parse_u64(text, 10, INT32_MAX, &pid))
		path = mem_format("/proc/%s/ns/net", text);
	else
		path = mem_format("/" NAMES "/%s", text);
	return open_path(path, ret_fd);
}

static bool is_same(const struct root *root, const char *name, const struct stat *wanted)
{
	_cleanup_(freep) char *path = mem_format(NAMES "/%s", name);
	struct stat status;

	return !fstatat(root->fd, path, &status, 0) && status.st_dev == wanted->st_dev &&
	       status.st_ino == wanted->st_ino;
}

char *netns_word(int fd)
{
	_cleanup_(strings_free) struct strings names = {0};
	struct stat wanted;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (fstat(fd, &wanted))
		return mem_string("unknown");
	if (!root_open(NULL, &root) && !sysfs_list(&root, &names, NAMES))
		for (size_t i = 0; i < names.count; i++)
			if (is_same(&root, names.items[i], &wanted))
				return text_clean(names.items[i], strlen(names.items[i]));
	return mem_format("net:[%ju]", (uintmax_t)wanted.st_ino);
}

int netns_open_nldev(int fd, struct netlink **ret_nldev)
{
	_cleanup_(closep) int own = -1;
	struct netlink *nldev = NULL;
	int rc = netns_open_own(&own);

	if (rc)
		return rc;
	/* A socket stays in the namespace in which it was made. */
	if (setns(fd, CLONE_NEWNET))
		return -errno;
	rc = nldev_open(NULL, &nldev);
	if (setns(own, CLONE_NEWNET) && !rc) {
		rc = -errno;
		netlink_free(nldev);
	}
	if (!rc)
		*ret_nldev = nldev;
	return rc;
}
