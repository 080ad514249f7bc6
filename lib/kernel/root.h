/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The root below which sysfs and proc are read: the live system, or a saved tree (--root). A folder
 * with manifest.json and root/ is a snapshot: its tree is root/, next to recordings of the answers
 * of netlink and verbs (kernel/recording.h). A saved tree comes from someone else. No path leads
 * out of the tree, whatever its links say, and only its regular files and directories are opened:
 * never a device file, because merely opening one may do something (/dev/watchdog restarts the
 * host), nor a FIFO or a socket.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct root {
	int fd;	       /* of the root directory */
	bool live;     /* not a saved tree: netlink and verbs describe the same system */
	bool below;    /* a directory of the live system; paths are relative to it */
	bool recorded; /* a snapshot: recordings answer for netlink and verbs */
	int snapshot;  /* of the snapshot's folder, if `recorded` */
};

/* Opens a saved tree, or the live system if NULL. -ENOTDIR, -ENOENT ... as from open(2). */
int root_open(const char *directory, struct root *ret_root);
/*
 * Returns the message for that error, which the caller frees, and the next step; NULL: none is
 * known.
 */
char *root_failure_text(const char *directory, int error, const char **ret_hint);
void root_close(struct root *root);
/* Whether netlink and verbs describe the same system: it is live, or recordings answer for it. */
static inline bool root_answers(const struct root *root)
{
	return root->live || root->recorded;
}
/*
 * Opens a directory below the root, to read several of its files: the path to it, which leads
 * through links, is resolved once.
 */
int root_open_below(const struct root *root, struct root *ret_root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Opens a file for reading, or a directory with O_DIRECTORY in `flags`; the caller closes it.
 * -errno as from open(2); in a saved tree -EISDIR for a directory without O_DIRECTORY, and -ENXIO
 * for anything else that is not a regular file.
 */
int root_open_path(const struct root *root, const char *path, int flags);
/*
 * A shortcut for a file in an open directory of the root. In a saved tree it follows no links
 * (-ELOOP or -ENOTDIR), and returns -ENOSYS or -EPERM on a kernel without openat2(): then
 * root_open_path() may still succeed. -ENOENT always means that the file does not exist.
 */
int root_open_in(const struct root *root, int directory, const char *name, int flags);
/* Returns the length of the link's target, NUL terminated, or -errno; -EINVAL: not a link. */
ssize_t root_read_link(const struct root *root, const char *path, char target[static PATH_MAX]);
