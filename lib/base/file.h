/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole files: read into memory, and written so that there is always a whole one. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/*
 * Reads a file of at most `most` bytes; the text ends with a NUL besides and is freed by the
 * caller. 0 or -errno: -EFBIG if it is larger, -EISDIR for a directory.
 */
int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length);
/*
 * Writes a file beside the one at `path` by calling `write`, and puts it in its place when all of
 * it is on the disk: who reads it sees the old one or the new one. A symbolic link is replaced, not
 * followed. 0 or -errno, of `write` too: -EEXIST if something is there that is no regular file.
 */
int file_replace(const char *path, int (*write)(void *context, FILE *file), void *context);
