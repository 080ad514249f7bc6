/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/root_file.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/listing.h"

/* A command that prints records tells it in its document, too. */
static void fail(const struct ctx *ctx, const char *message, const char *hint)
{
	struct listing listing;

	if (!ctx->command || !ctx->command->schema || !ctx->globals.json) {
		command_complain(ctx, message, hint);
		return;
	}
	listing_begin_as(&listing, ctx, ctx->command->schema, true);
	listing_fail(&listing, STATUS_FAILED, message, hint);
	listing_end(&listing);
}

bool root_file_open(struct ctx *ctx, struct snapshot *ret_snapshot)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const char *root = ctx->globals.root;

	if (!root || !snapshot_is_file(root))
		return true;
	if (snapshot_open(root, getenv("TMPDIR"), ret_snapshot, &message, &hint)) {
		fail(ctx, message, hint);
		return false;
	}
	/* With manifest.json in it, so that what netlink and verbs said is found: kernel/root.h. */
	ctx->globals.root = ret_snapshot->folder;
	return true;
}
