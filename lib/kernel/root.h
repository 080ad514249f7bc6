/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The root that sysfs and proc are read below: the live system, or a saved tree (--root). A folder
 * that holds manifest.json and root/ is a snapshot: its tree is below root/, and recordings of what
 * netlink and verbs said are beside it (kernel/recording.h). A saved tree comes from someone else.
 * No path of it leads out of the tree, whatever its links say, and nothing but its regular files
 * and directories is opened: not a device file, whose opening alone may do something (/dev/watchdog
 * restarts the host), not a FIFO, not a socket.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct root {
	int fd;	       /* of the root directory */
	bool live;     /* not a saved tree: netlink and verbs describe the same system */
	bool below;    /* a directory of the live system, where paths begin */
	bool recorded; /* a snapshot: recordings answer for netlink and verbs */
	int snapshot;  /* of its folder, if so */
};

/* A saved tree, or the live system with `directory` NULL. -ENOTDIR, -ENOENT ... as from open(2). */
int root_open(const char *directory, struct root *ret_root);
void root_close(struct root *root);
/* Whether netlink and verbs describe the same system: it is live, or recordings answer for it. */
static inline bool root_answers(const struct root *root)
{
	return root->live || root->recorded;
}
/*
 * A directory below the root, for reading several of its files: the path to it, which leads through
 * links, is looked up once.
 */
int root_open_below(const struct root *root, struct root *ret_root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Opens a file for reading, or with O_DIRECTORY in `flags` a directory; the caller closes it.
 * -errno as from open(2); in a saved tree -EISDIR for a directory without O_DIRECTORY, and -ENXIO
 * for what is neither directory nor regular file.
 */
int root_open_path(const struct root *root, const char *path, int flags);
/*
 * The same of a file in a directory of the root that is open: a short way. In a saved tree no link
 * is followed, -ELOOP or -ENOTDIR, and a kernel without openat2() says -ENOSYS or -EPERM, where
 * root_open_path() goes on; nothing is there if it is -ENOENT.
 */
int root_open_in(const struct root *root, int directory, const char *name, int flags);
/* The length of the target of the link at `path`, NUL terminated, or -errno; -EINVAL: no link. */
ssize_t root_read_link(const struct root *root, const char *path, char target[static PATH_MAX]);
