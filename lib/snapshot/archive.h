/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Snapshots as archives (tar, compressed by zstd, gzip or xz), by libarchive, which the first call
 * loads. Writing and reading are bounded: the constants are in member.h and in archive.c.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/signals.h"
#include "snapshot/content.h"

/* What is missing when a call returns -ELIBACC or -ELIBBAD, and the next step. */
#define ARCHIVE_MISSING "snapshots need libarchive.so.13, which cannot be loaded"
#define ARCHIVE_MISSING_HINT \
	"install libarchive13 (Debian), libarchive13t64 (Ubuntu) or libarchive (Fedora, RHEL)"

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
 * is returned. Returns 0 or -errno; with -EBADMSG, *ret_why is the rest of a sentence that begins
 * with the archive's name, for the caller to free: "is damaged or cut off", "has a member ... that
 * ...".
 */
int archive_read(const char *path, int (*take)(void *context, const struct content *content),
		 void *context, char **ret_why);
