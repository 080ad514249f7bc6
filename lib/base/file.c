/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { PIECE = 65536 };

int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	_cleanup_(freep) char *text = NULL;
	size_t length = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	do {
		text = mem_resize(text, length + PIECE + 1, 1);
		do
			got = read(fd, text + length, PIECE);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return -errno;
		length += (size_t)got;
		if (length > most)
			return -EFBIG;
	} while (got);
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}

/* An existing file keeps its mode; a new one gets 0666 without the bits of the umask. */
static mode_t mode_of(const struct stat *there)
{
	mode_t mask;

	if (there)
		return there->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* The data reaches the disk before the rename makes it visible. */
static int finish(FILE *file)
{
	if (fflush(file) || fsync(fileno(file)))
		return -errno;
	return ferror(file) ? -EIO : 0;
}

struct writer {
	int (*write)(void *context, FILE *file);
	void *context;
};

static int write_beside(const char *path, const struct stat *there, const struct writer *writer)
{
	_cleanup_(freep) char *name = mem_format("%s.XXXXXX", path);
	_cleanup_(fclosep) FILE *file = NULL;
	int fd = mkostemp(name, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	file = fdopen(fd, "w");
	if (!file)
		rc = -errno;
	else
		rc = fchmod(fd, mode_of(there)) ? -errno : writer->write(writer->context, file);
	if (!rc)
		rc = finish(file);
	if (!rc && rename(name, path))
		rc = -errno;
	if (rc)
		unlink(name);
	if (!file)
		close(fd);
	return rc;
}

int file_replace(const char *path, int (*write)(void *context, FILE *file), void *context)
{
	const struct writer writer = {.write = write, .context = context};
	struct stat there;

	if (lstat(path, &there)) {
		if (errno != ENOENT)
			return -errno;
		return write_beside(path, NULL, &writer);
	}
	if (S_ISDIR(there.st_mode))
		return -EISDIR;
	/* Somebody else's link must not make root overwrite a file that they cannot write. */
	if (S_ISLNK(there.st_mode))
		return write_beside(path, NULL, &writer);
	if (!S_ISREG(there.st_mode))
		return -EEXIST;
	return write_beside(path, &there, &writer);
}
