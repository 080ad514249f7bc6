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

int root_file_unpack(const char *path, struct snapshot *ret_snapshot, const char **ret_root,
		     char **ret_message, char **ret_hint)
{
	int rc = 0;

	*ret_root = path;
	if (!path || !snapshot_is_file(path))
		return 0;
	rc = snapshot_open(path, getenv("TMPDIR"), ret_snapshot, ret_message, ret_hint);
	/* With manifest.json in it, so that what netlink and verbs said is found: kernel/root.h. */
	if (!rc)
		*ret_root = ret_snapshot->folder;
	return rc;
}

bool root_file_open(struct ctx *ctx, struct snapshot *ret_snapshot)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	if (!root_file_unpack(ctx->globals.root, ret_snapshot, &ctx->globals.root, &message, &hint))
		return true;
	fail(ctx, message, hint);
	return false;
}
