/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/root_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/listing.h"
#include "snapshot/collect.h"

/* A command that prints records also reports this in its document. */
static void fail(const struct ctx *ctx, const char *message, const char *hint)
{
	struct listing listing;

	if (!ctx->command || !ctx->command->schema || !ctx->globals.json) {
		_cleanup_(freep) char *clean = text_clean(message, strlen(message));

		command_complain(ctx, clean, hint);
		return;
	}
	listing_begin_as(&listing, ctx, ctx->command->schema, true);
	listing_fail(&listing, STATUS_FAILED, message, hint);
	listing_end(&listing);
}

int root_file_unpack(const char *path, struct snapshot *ret_snapshot, const char **ret_root,
		     char **ret_message, char **ret_hint)
{
	_cleanup_(freep) char *why = NULL;
	const char *folder = path;
	int rc = 0;

	if (path && snapshot_is_file(path)) {
		rc = snapshot_open(path, getenv("TMPDIR"), ret_snapshot, ret_message, ret_hint);
		/* This folder has manifest.json, so that recordings are found (kernel/root.h). */
		folder = ret_snapshot->folder;
	}
	if (rc)
		return rc;
	*ret_root = folder;
	rc = path ? recording_check(folder, &why) : 0;
	if (rc) {
		*ret_message = mem_format("%s: %s", path, why);
		if (rc == -ENOEXEC)
			*ret_hint = mem_string("read it on a host with the same byte order; only "
					       "i386 reads archives of i386, and it reads no "
					       "others");
		snapshot_close(ret_snapshot);
		*ret_snapshot = SNAPSHOT_NONE;
		*ret_root = NULL;
	}
	return rc;
}

bool root_file_open(struct ctx *ctx, struct snapshot *ret_snapshot)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	if (root_file_unpack(ctx->globals.root, ret_snapshot, &ctx->globals.root, &message,
			     &hint)) {
		fail(ctx, message, hint);
		return false;
	}
	ctx->archive = ret_snapshot->folder;
	return true;
}
