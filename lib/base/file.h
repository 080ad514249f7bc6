/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files: read into memory, and replaced so that a reader always finds a complete one. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * Raises the soft limit of open files, usually 1024, to the hard limit, because many devices or
 * connections need more descriptors. Returns the old limit, for file_set_limit(); 0 if it stays as
 * it was.
 */
rlim_t file_raise_limit(void);
/* Restores the limit for a command that is started, as it may use select(). 0: does nothing. */
void file_set_limit(rlim_t limit);

/*
 * Reads a file of at most `most` bytes; "-" is standard input. A NUL follows the text, which the
 * caller frees. Returns 0 or -errno: -EFBIG if it is larger, -EISDIR for a directory.
 */
int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length);
/* The rest of an open file, in the same way. */
int file_read_fd(int fd, size_t most, char **ret_text, size_t *ret_length);
/* The same, but no more than `most` bytes, which is no error. */
int file_read_some(int fd, size_t most, char **ret_text, size_t *ret_length);
/* How many links the kernel follows, MAXSYMLINKS of include/linux/namei.h. */
enum { FILE_MOST_LINKS = 40 };

/* Returns whether the path is "-" or leads to the file that is standard output, as /dev/stdout. */
bool file_is_output(const char *path);
/*
 * Writes to standard output if file_is_output(). Otherwise calls `write` to write a temporary file
 * next to `path`, and renames it to `path` when all of it is on the disk: a reader sees the old
 * file or the new one. Links of this user and of root are followed: the file that they lead to is
 * replaced. Returns 0 or -errno, including that of `write`: -EEXIST if `path` leads to something
 * that is not a regular file, -EPERM if it is somebody else's link.
 */
int file_replace(const char *path, int (*write)(void *context, FILE *file), void *context);
/* The same, but the new file has this mode from the beginning, whatever the old one and umask. */
int file_replace_as(const char *path, mode_t mode, int (*write)(void *context, FILE *file),
		    void *context);

/*
 * Returns 0, or -errno of an earlier write to the stream, of which only the error flag is left. If
 * it was the last one, its errno is still set, unless something else has failed since with another
 * one: then -EIO.
 */
int file_error(FILE *file);
/* Flushes. Returns -errno if any output was lost, now or earlier. */
int file_flush(FILE *file);

/* Returns the meaning of an error of file_replace(), to be printed after "cannot write PATH: ". */
static inline const char *file_replace_error(int rc)
{
	return rc == -EEXIST ? "it is not a regular file" : strerror(-rc);
}
/* Returns the next step after an error of file_replace(), or NULL if none is known. */
const char *file_replace_hint(const char *path, int rc);
