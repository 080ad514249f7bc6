/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --root FILE: an archive is unpacked into a private folder in $TMPDIR (mode 0700), and commands
 * read it like a tree. The folder is removed however the program ends: a child process that ignores
 * signals waits for the end of this one, even by SIGKILL, and removes it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct snapshot {
	char *folder; /* the archive's own folder: manifest.json, root, netlink ... */
	int alive;    /* the folder exists as long as this is open */
	pid_t remover;
};

#define SNAPSHOT_NONE ((struct snapshot){.alive = -1})

/* Whether --root names a regular file, which can only be an archive. */
bool snapshot_is_file(const char *path);
/*
 * Unpacks into a new folder below `directory`, NULL or "" for /tmp. Returns 0, or -errno with a
 * message that names the archive and perhaps a next step, both for the caller to free.
 */
int snapshot_open(const char *path, const char *directory, struct snapshot *ret_snapshot,
		  char **ret_message, char **ret_hint);
/* Removes the folder and waits until it is gone. Does nothing for SNAPSHOT_NONE. */
void snapshot_close(struct snapshot *snapshot);
