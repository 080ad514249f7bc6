/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { FIRST_PIECE = 4096 };

int file_read_some(int fd, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(freep) char *text = NULL;
	size_t length = 0, size = 0;
	ssize_t got = 1;

	while (got && length < most) {
		if (length == size) {
			size = size ? size * 2 : FIRST_PIECE;
			size = size < most ? size : most;
			text = mem_resize(text, size + 1, 1);
		}
		got = read(fd, text + length, size - length);
		if (got < 0 && errno != EINTR)
			return -errno;
		length += got > 0 ? (size_t)got : 0;
	}
	/* A host may have 200,000 files of a few bytes: do not keep a page for each. */
	text = mem_resize(text, length + 1, 1);
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}

int file_read_fd(int fd, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	int rc = file_read_some(fd, most + 1, &text, &length);

	if (!rc && length > most)
		rc = -EFBIG;
	if (rc)
		return rc;
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}

int file_read(const char *path, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(closep) int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
						     : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : file_read_fd(fd, most, ret_text, ret_length);
}

/*
 * A file of this user keeps its mode. A new file, and one that replaces a file of somebody else,
 * who may have left it writable for all, gets 0666 without the bits of the umask.
 */
static mode_t mode_of(const struct stat *there)
{
	mode_t mask;

	if (there && there->st_uid == geteuid())
		return there->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

int file_error(FILE *file)
{
	static const int of_writes[] = {ENOSPC, EDQUOT, EFBIG, EPIPE, EBADF};
	const int error = errno;

	if (!ferror(file))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(of_writes); i++)
		if (error == of_writes[i])
			return -error;
	return -EIO;
}

int file_flush(FILE *file)
{
	const int earlier = file_error(file);

	return fflush(file) ? -errno : earlier;
}

static int write_beside(const char *path, mode_t mode, int (*write)(void *context, FILE *file),
			void *context)
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
		rc = fchmod(fd, mode) ? -errno : write(context, file);
	if (!rc)
		rc = file_flush(file);
	/* The data reaches the disk before the rename makes it visible. */
	if (!rc && fsync(fd))
		rc = -errno;
	if (!rc && rename(name, path))
		rc = -errno;
	if (rc)
		unlink(name);
	if (!file)
		close(fd);
	return rc;
}

/* Gets the path that the link at `path` leads to. */
static int read_link(const char *path, char **ret_target)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	target[length] = '\0';
	*ret_target = *target == '/' || !slash
			      ? mem_string(target)
			      : mem_format("%.*s/%s", (int)(slash - path), path, target);
	return 0;
}

/*
 * Replaces *path by the path that its links lead to, and gets the status of the file there. Returns
 * -EPERM for somebody else's link, which must not make root overwrite a file that its owner cannot
 * write.
 */
static int follow_links(char **path, struct stat *ret_there)
{
	for (int links = 0; links <= FILE_MOST_LINKS; links++) {
		char *target;
		int rc;

		if (lstat(*path, ret_there))
			return -errno;
		if (!S_ISLNK(ret_there->st_mode))
			return 0;
		if (ret_there->st_uid && ret_there->st_uid != geteuid())
			return -EPERM;
		rc = read_link(*path, &target);
		if (rc)
			return rc;
		free(*path);
		*path = target;
	}
	return -ELOOP;
}

bool file_is_output(const char *path)
{
	struct stat there, output;

	if (!strcmp(path, "-"))
		return true;
	return !stat(path, &there) && !fstat(STDOUT_FILENO, &output) &&
	       there.st_dev == output.st_dev && there.st_ino == output.st_ino;
}

static int write_output(int (*write)(void *context, FILE *file), void *context)
{
	_cleanup_(fclosep) FILE *file = NULL;
	int fd, rc;

	/* fdopen() fails with EINVAL here, which does not tell the user what is wrong. */
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	file = fdopen(fd, "w");
	if (!file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return write(context, file) ?: file_flush(file);
}

int file_replace_as(const char *path, mode_t mode, int (*write)(void *context, FILE *file),
		    void *context)
{
	_cleanup_(freep) char *target = mem_string(path);
	struct stat there;
	int rc;

	if (file_is_output(path))
		return write_output(write, context);
	/*
	 * The links in /proc may lead to something without a path: a pipe, a terminal, a deleted
	 * file.
	 */
	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		return S_ISDIR(there.st_mode) ? -EISDIR : -EEXIST;
	rc = follow_links(&target, &there);
	if (rc && rc != -ENOENT)
		return rc;
	return write_beside(target, mode ? mode : mode_of(rc ? NULL : &there), write, context);
}

int file_replace(const char *path, int (*write)(void *context, FILE *file), void *context)
{
	return file_replace_as(path, 0, write, context);
}

void file_set_limit(rlim_t limit)
{
	struct rlimit files;

	if (!limit || getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = limit;
	setrlimit(RLIMIT_NOFILE, &files);
}

rlim_t file_raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == files.rlim_max)
		return 0;
	file_set_limit(files.rlim_max);
	return files.rlim_cur;
}

const char *file_replace_hint(const char *path, int rc)
{
	struct rlimit limit;

	if (file_is_output(path))
		return NULL;
	switch (-rc) {
	case EFBIG:
		if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
			return "raise the limit of a file's size (ulimit -f)";
		return "name a file on another file system";
	case ENOSPC:
	case EDQUOT:
		return "name a file where there is more room";
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case EROFS:
		return "name a file in a directory that exists and is writable";
	default:
		return NULL;
	}
}
