/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --root FILE, the same for every command. */
#pragma once

#include "cli/command.h"
#include "snapshot/open.h"

/*
 * If globals.root is a regular file, unpacks it, and globals.root is the tree in it until
 * snapshot_close(). False: it cannot be unpacked, and the command has said why and must not run.
 */
bool root_file_open(struct ctx *ctx, struct snapshot *ret_snapshot);
