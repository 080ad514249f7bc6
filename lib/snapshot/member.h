/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which members of an archive may be unpacked. An archive comes from someone else: it is refused as
 * soon as one member is not something that `rdmactl snapshot` writes. Nothing here reads or writes
 * a file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/content.h"

enum {
	/* 64 devices with 1,024 GIDs each have 200,000 files in the GID tables alone. */
	MEMBER_MOST = 1 << 20,
	/* The kernel's log is at most 32 MiB: LOG_BUF_SHIFT, init/Kconfig, ends at 25. */
	MEMBER_MOST_BYTES = 64 << 20,
	MEMBERS_MOST_BYTES = 512 << 20,
	/* After the private folder, such a path fits PATH_MAX; those of sysfs have 200 bytes. */
	MEMBER_MOST_PATH = 1024,
	MEMBER_MOST_NAME = 255, /* NAME_MAX of all Linux file systems */
	/* lib/kernel/root.c follows 64 components where the kernel has no openat2(). */
	MEMBER_MOST_DEPTH = 48,
};

/* Totals of the members so far. */
struct member_sum {
	size_t count;
	uint64_t bytes;
};

/*
 * Returns NULL and adds the member to the sum, or the end of a sentence that begins with it. `path`
 * is that in the archive, NULL if it has none; `target` that of a link.
 */
const char *member_refuse(struct member_sum *sum, enum content_kind kind, const char *path,
			  const char *target, uint64_t bytes);
/* The path below the archive's folder, "" for that folder, of a member that was not refused. */
const char *member_inner_path(const char *path);
/* Whether the target of a link represents an attribute whose read failed: !EINVAL. */
bool member_is_error(const char *target);
