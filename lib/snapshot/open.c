/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/archive.h"
#include "snapshot/remove.h"

bool snapshot_is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The state of unpacking. */
struct unpacking {
	int fd; /* of the private folder */
	struct contents links;
};

static int write_file(int folder, const struct content *content)
{
	_cleanup_(closep) int fd = openat(
		folder, content->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < content->length) {
		ssize_t written = write(fd, content->bytes + done, content->length - done);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0)
			done += (size_t)written;
	}
	return 0;
}

static int make_folder(int folder, const char *path)
{
	struct stat status;

	if (!mkdirat(folder, path, 0700))
		return 0;
	if (errno != EEXIST)
		return -errno;
	/* An archive may list a folder after the members in it. */
	if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return S_ISDIR(status.st_mode) ? 0 : -EEXIST;
}

static int make_parents(int folder, const char *path)
{
	_cleanup_(freep) char *copy = mem_string(path);

	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		*slash = '\0';
		rc = make_folder(folder, copy);
		*slash = '/';
		if (rc)
			return rc;
	}
	return 0;
}

static int make(int folder, const struct content *content)
{
	if (content->kind == CONTENT_FOLDER)
		return make_folder(folder, content->path);
	if (content->kind == CONTENT_FILE)
		return write_file(folder, content);
	return symlinkat(content->bytes, folder, content->path) ? -errno : 0;
}

/* Makes the parent folders only if they are missing, which is rare. */
static int make_with_parents(int folder, const struct content *content)
{
	int rc = make(folder, content);

	if (rc != -ENOENT)
		return rc;
	return make_parents(folder, content->path) ?: make(folder, content);
}

/*
 * Links come last: as long as there are none, no member can be written through one. A duplicate
 * path is detected by the file system, which refuses to make it.
 */
static int unpack(void *context, const struct content *content)
{
	struct unpacking *unpacking = context;

	if (content->kind != CONTENT_LINK)
		return make_with_parents(unpacking->fd, content);
	contents_add(&unpacking->links, CONTENT_LINK, content->path, content->bytes,
		     content->length);
	return unpacking->links.bytes > MEMBERS_MOST_BYTES ? -EFBIG : 0;
}

static int unpack_links(struct unpacking *unpacking, char **ret_why)
{
	for_each (link, &unpacking->links) {
		int rc = make_with_parents(unpacking->fd, link);

		if (rc == -EEXIST || rc == -ENOTDIR) {
			_cleanup_(freep) char *clean = text_clean(link->path, strlen(link->path));

			*ret_why = mem_format("is refused: its member '" SNAPSHOT_FOLDER
					      "/%.100s' appears twice, is both a link and a "
					      "folder, or is below a link",
					      clean);
			return -EBADMSG;
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int unpack_archive(const char *path, const struct snapshot *snapshot, char **ret_why)
{
	struct unpacking unpacking = {
		.fd = open(snapshot->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
	struct stat status;
	int rc;

	if (unpacking.fd < 0)
		return -errno;
	rc = archive_read(path, unpack, &unpacking, ret_why) ?: unpack_links(&unpacking, ret_why);
	if (!rc && fstatat(unpacking.fd, SNAPSHOT_ROOT, &status, AT_SYMLINK_NOFOLLOW)) {
		*ret_why = mem_string("is not a snapshot: it has no folder " SNAPSHOT_FOLDER
				      "/" SNAPSHOT_ROOT);
		rc = -EBADMSG;
	}
	contents_clear(&unpacking.links);
	close(unpacking.fd);
	return rc;
}

static void explain(const char *path, int rc, const char *why, char **ret_message, char **ret_hint)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	if (why) {
		*ret_message = mem_format("%s %s", clean, why);
		*ret_hint = mem_string("--root takes a directory, or an archive that `rdmactl "
				       "snapshot` wrote");
	} else if (rc == -ELIBACC || rc == -ELIBBAD) {
		*ret_message = mem_string(ARCHIVE_MISSING);
		*ret_hint = archive_hint(rc);
	} else {
		*ret_message = mem_format("cannot unpack %s: %s", clean, strerror(-rc));
		if (rc == -ENOSPC || rc == -EROFS || rc == -EDQUOT)
			*ret_hint = mem_string(
				"TMPDIR=DIRECTORY chooses another place to unpack it");
	}
}

int snapshot_open(const char *path, const char *directory, struct snapshot *ret_snapshot,
		  char **ret_message, char **ret_hint)
{
	struct snapshot snapshot = SNAPSHOT_NONE;
	_cleanup_(freep) char *why = NULL;
	int rc = remove_at_end(directory && *directory ? directory : "/tmp", &snapshot.folder,
			       &snapshot.alive, &snapshot.remover);

	if (rc) {
		*ret_message = mem_format("cannot make a folder to unpack %s: %s", path,
					  strerror(-rc));
		*ret_hint = mem_string("TMPDIR=DIRECTORY chooses another place");
		return rc;
	}
	rc = unpack_archive(path, &snapshot, &why);
	if (rc) {
		explain(path, rc, why, ret_message, ret_hint);
		snapshot_close(&snapshot);
		return rc;
	}
	*ret_snapshot = snapshot;
	return 0;
}

void snapshot_close(struct snapshot *snapshot)
{
	if (snapshot->alive >= 0) {
		close(snapshot->alive);
		while (waitpid(snapshot->remover, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(snapshot->folder);
	*snapshot = SNAPSHOT_NONE;
}
