/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --root FILE, the same for every command. */
#pragma once

#include "cli/command.h"
#include "snapshot/open.h"

/*
 * Unpacks a regular file; *ret_root is then the folder with its contents, else the path itself,
 * until snapshot_close(). Returns 0, or -errno with a message and perhaps a next step, for the
 * caller to free.
 */
int root_file_unpack(const char *path, struct snapshot *ret_snapshot, const char **ret_root,
		     char **ret_message, char **ret_hint);

/*
 * If globals.root is a regular file, unpacks it, lets globals.root point to the tree in it until
 * snapshot_close(), and sets ctx->archive. False: it cannot be unpacked; the reason has been
 * reported, and the command must not run.
 */
bool root_file_open(struct ctx *ctx, struct snapshot *ret_snapshot);
