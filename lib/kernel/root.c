/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "kernel/recording.h"

/* Opens the tree of a snapshot, a folder whose manifest is a regular file; -1: it is none. */
static int open_tree(int folder)
{
	struct stat manifest;

	if (fstatat(folder, "manifest.json", &manifest, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(manifest.st_mode))
		return -1;
	return openat(folder, "root", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A snapshot of a saved tree, or of a host without RDMA netlink, has no recordings. */
static bool has_recordings(int folder)
{
	return !faccessat(folder, RECORDING_NETLINK_FILE, F_OK, AT_SYMLINK_NOFOLLOW) ||
	       !faccessat(folder, RECORDING_VERBS_FILE, F_OK, AT_SYMLINK_NOFOLLOW);
}

int root_open(const char *directory, struct root *ret_root)
{
	int fd = open(directory ? directory : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tree = fd >= 0 && directory ? open_tree(fd) : -1;

	if (fd < 0)
		return -errno;
	*ret_root = (struct root){.fd = tree >= 0 ? tree : fd, .live = !directory};
	if (tree < 0)
		return 0;
	if (has_recordings(fd)) {
		ret_root->recorded = true;
		ret_root->snapshot = fd;
	} else {
		close(fd);
	}
	return 0;
}

char *root_failure_text(const char *directory, int error, const char **ret_hint)
{
	const char *variable = getenv("RDMACTL_ROOT");
	const bool named = directory && variable && !strcmp(directory, variable);
	const bool wrong = directory && (error == -ENOENT || error == -ENOTDIR);

	*ret_hint = named   ? "unset RDMACTL_ROOT to read the live system"
		    : wrong ? "--root takes a directory, or an archive that `rdmactl snapshot` "
			      "wrote"
			    : NULL;
	return mem_format("cannot open the root directory %s: %s", directory ? directory : "/",
			  strerror(-error));
}

void root_close(struct root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	if (root->recorded)
		close(root->snapshot);
	root->fd = -1;
	root->recorded = false;
}

/* Follows a path in a saved tree component by component. */
struct walk {
	int fds[64]; /* from the root to the current one, perhaps a file */
	size_t depth;
	unsigned int links;
	char rest[PATH_MAX]; /* still to follow */
};

static void leave(struct walk *walk, size_t depth)
{
	while (walk->depth > depth)
		close(walk->fds[--walk->depth]);
}

/* Replaces the link by its target in the rest of the path. */
static int follow_link(struct walk *walk, int link)
{
	char path[PATH_MAX];
	ssize_t length = readlinkat(link, "", path, sizeof(path));
	const size_t rest = strlen(walk->rest);

	if (length < 0)
		return -errno;
	if (++walk->links > FILE_MOST_LINKS)
		return -ELOOP;
	if ((size_t)length + 1 + rest >= sizeof(path))
		return -ENAMETOOLONG;
	if (length && path[0] == '/')
		leave(walk, 1);
	path[length] = '/';
	memcpy(path + length + 1, walk->rest, rest + 1);
	memcpy(walk->rest, path, (size_t)length + 1 + rest + 1);
	return 0;
}

/* Moves the next component of the path to `name`, which stays empty for "/". */
static int next_component(struct walk *walk, char name[static NAME_MAX + 1])
{
	const char *begin = walk->rest + strspn(walk->rest, "/");
	const size_t length = strcspn(begin, "/");
	const char *end = begin + length + strspn(begin + length, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, begin, length);
	name[length] = '\0';
	memmove(walk->rest, end, strlen(end) + 1);
	return 0;
}

static int step(struct walk *walk, const char *name, int flags)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;

	if (!strcmp(name, ".."))
		leave(walk, walk->depth > 1 ? walk->depth - 1 : 1);
	if (!*name || !strcmp(name, "..") || !strcmp(name, "."))
		return 0;
	if (walk->depth == sizeof(walk->fds) / sizeof(*walk->fds))
		return -ENAMETOOLONG;
	fd = openat(walk->fds[walk->depth - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		return -errno;
	if (S_ISLNK(status.st_mode) && (*walk->rest || !(flags & O_NOFOLLOW)))
		return follow_link(walk, fd);
	walk->fds[walk->depth++] = fd;
	fd = -1;
	return 0;
}

/*
 * Does what openat2() does with RESOLVE_IN_ROOT: each directory on the way stays open, so that ".."
 * leads back to it, even if it was moved meanwhile.
 */
static int walk_inside(const struct root *root, const char *path, int flags)
{
	char name[NAME_MAX + 1];
	struct walk walk = {.depth = 1};
	int rc = 0;

	walk.fds[0] = openat(root->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (walk.fds[0] < 0)
		return -errno;
	if (strlen(path) >= sizeof(walk.rest))
		rc = -ENAMETOOLONG;
	else
		memcpy(walk.rest, path, strlen(path) + 1);
	while (!rc && *walk.rest) {
		rc = next_component(&walk, name);
		if (!rc)
			rc = step(&walk, name, flags);
	}
	if (!rc)
		rc = walk.fds[--walk.depth];
	leave(&walk, 0);
	return rc;
}

/* Stay below a directory, and follow no link. */
#define RESOLVE_PLAIN (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)

/* openat2() came with Linux 5.6; containers may forbid it. */
static bool is_forbidden(int error)
{
	return error == -ENOSYS || error == -EPERM;
}

static int open_resolved(int directory, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {.flags = (uint64_t)(O_CLOEXEC | flags), .resolve = resolve};
	int tries = 1000;
	long fd;

	/* EAGAIN: something was renamed meanwhile, on any path, so this path may have changed. */
	do
		fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && --tries);
	return fd < 0 ? -errno : (int)fd;
}

/*
 * Returns a descriptor of `path` in a saved tree that has opened nothing yet: O_PATH. Absolute
 * links start at the root of the tree.
 */
static int find_inside(const struct root *root, const char *path, int flags)
{
	int fd = open_resolved(root->fd, path, O_PATH | flags,
			       RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);

	return is_forbidden(fd) ? walk_inside(root, path, flags) : fd;
}

static int open_directory_inside(const struct root *root, const char *path, int flags)
{
	/* With O_DIRECTORY open(2) opens nothing else, so no check is needed before. */
	int fd = open_resolved(root->fd, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	_cleanup_(closep) int found = -1;

	if (!is_forbidden(fd))
		return fd;
	found = walk_inside(root, path, 0);
	if (found < 0)
		return found;
	fd = openat(found, ".", flags);
	return fd < 0 ? -errno : fd;
}

/* Opens the file of an O_PATH descriptor. */
static int open_found(int found, int flags)
{
	struct stat status;
	char self[64];
	int fd;

	if (fstat(found, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -ENXIO;
	/* Opens the file that was checked, whatever its name leads to by now. */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
	fd = open(self, flags);
	if (fd < 0)
		return errno == ENOENT ? -EOPNOTSUPP : -errno; /* proc is not mounted */
	return fd;
}

static int open_inside(const struct root *root, const char *path, int flags)
{
	_cleanup_(closep) int found = -1;

	if (flags & O_DIRECTORY)
		return open_directory_inside(root, path, flags);
	found = find_inside(root, path, 0);
	return found < 0 ? found : open_found(found, flags);
}

/*
 * Opens the absolute path: the preload library of the InfiniBand simulator (libumad2sim) shows its
 * devices only to programs that use open(), not openat() relative to the root.
 */
static int open_live(const char *path, int flags)
{
	char absolute[PATH_MAX];
	int length = snprintf(absolute, sizeof(absolute), "/%s", path);

	if (length < 0 || (size_t)length >= sizeof(absolute)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	/* Two arguments may become __open_2(), which that library does not replace. */
	return open(absolute, flags, 0);
}

int root_open_path(const struct root *root, const char *path, int flags)
{
	int fd;

	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	if (!root->live && !root->below)
		return open_inside(root, path, flags | O_NOCTTY);
	fd = root->below ? openat(root->fd, path, flags) : open_live(path, flags);
	return fd < 0 ? -errno : fd;
}

int root_open_in(const struct root *root, int directory, const char *name, int flags)
{
	_cleanup_(closep) int found = -1;
	int fd;

	flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	if (root->live) {
		fd = openat(directory, name, flags);
		return fd < 0 ? -errno : fd;
	}
	flags |= O_NOCTTY;
	if (flags & O_DIRECTORY)
		return open_resolved(directory, name, flags, RESOLVE_PLAIN);
	found = open_resolved(directory, name, O_PATH, RESOLVE_PLAIN);
	return found < 0 ? found : open_found(found, flags);
}

int root_open_below(const struct root *root, struct root *ret_root, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	int length, fd;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	fd = root_open_path(root, path, O_DIRECTORY);
	if (fd < 0)
		return fd;
	*ret_root = (struct root){.fd = fd, .live = root->live, .below = root->live};
	return 0;
}

ssize_t root_read_link(const struct root *root, const char *path, char target[static PATH_MAX])
{
	_cleanup_(closep) int link = -1;
	ssize_t length;

	if (!root->live) {
		link = find_inside(root, path, O_NOFOLLOW);
		if (link < 0)
			return link;
	}
	length = readlinkat(root->live ? root->fd : link, root->live ? path : "", target,
			    PATH_MAX - 1);
	/* A descriptor of anything but a link makes readlinkat() fail with ENOENT: readlink(2). */
	if (length < 0)
		return link >= 0 && errno == ENOENT ? -EINVAL : -errno;
	target[length] = '\0';
	return length;
}
