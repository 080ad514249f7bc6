/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots as archives (tar, compressed by zstd, gzip or xz), by libarchive, which the first call
 * loads. Writing and reading are bounded: the constants are below and in archive.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/signals.h"
#include "snapshot/content.h"

/* What is missing when a call returns -ELIBACC or -ELIBBAD. */
#define ARCHIVE_MISSING "snapshots need libarchive.so.13, which cannot be loaded"

/* Returns the next step then, as library_hint(). */
char *archive_hint(int error);

enum archive_filter { ARCHIVE_PLAIN, ARCHIVE_ZSTD, ARCHIVE_GZIP, ARCHIVE_XZ };

/* Chooses by the end of the name: .tar.zst, .tar.gz, .tar.xz, .tar. Returns false for any other. */
bool archive_choose_filter(const char *path, enum archive_filter *ret_filter);
/*
 * Writes the list, which must be sorted. Members have that time, no owner and the mode 0644.
 * Returns 0 or -errno: -ENOTSUP if the library was built without that compression, -EINTR if a
 * signal came, which is not taken.
 */
int archive_write(FILE *file, enum archive_filter filter, const struct contents *contents,
		  int64_t time, const struct signals *signals);
/*
 * Reads an archive and calls `take` for each member that may be unpacked, with the path below the
 * archive's folder; the bytes are valid during the call. An -errno from `take` ends the reading and
 * is returned. Returns 0 or -errno; if the archive itself is at fault, *ret_why is the rest of a
 * sentence that begins with its name, for the caller to free: "is damaged or cut off", "has a
 * member ... that ...".
 */
int archive_read(const char *path, int (*take)(void *context, const struct content *content),
		 void *context, char **ret_why);

/*
 * Which members of an archive may be unpacked. An archive comes from someone else: it is refused as
 * soon as one member is not something that `rdmactl snapshot` writes. Nothing here reads or writes
 * a file.
 */
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
