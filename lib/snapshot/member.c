/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/archive.h"

#include <string.h>

#include "base/text.h"

/* The folders of / that commands read. */
static const char tops[] = "sys proc dev etc var run usr lib lib64 opt .singularity.d";
/* What is next to the tree: files, and folders of files. */
static const char files[] = "manifest.json versions.json kmsg", folders[] = "netlink verbs";
/* The only file in / that commands look for: Docker containers have it. */
#define TOP_FILE ".dockerenv"

bool member_is_error(const char *target)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const size_t length = strlen(target);

	return length > 2 && length < 32 && target[0] == '!' && target[1] == 'E' &&
	       strspn(target + 1, letters) == length - 1;
}

/* Checks each name, and that the path neither goes up nor begins at /. */
static const char *refuse_path(const char *path)
{
	size_t depth = 0;

	if (!path || !*path)
		return "has no name";
	if (strlen(path) > MEMBER_MOST_PATH)
		return "has a path of more than 1024 bytes";
	if (*path == '/')
		return "has an absolute path";
	while (*path) {
		const size_t length = strcspn(path, "/");

		if (length > MEMBER_MOST_NAME)
			return "has a name of more than 255 bytes";
		if (length == 2 && !memcmp(path, "..", 2))
			return "climbs out of its folder";
		if (!length || (length == 1 && *path == '.'))
			return "has an empty name, or a dot as a name, in its path";
		if (++depth > MEMBER_MOST_DEPTH)
			return "is more than 48 folders deep";
		path += length + (path[length] == '/');
	}
	return NULL;
}

const char *member_inner_path(const char *path)
{
	path += strlen(SNAPSHOT_FOLDER);
	return path + (*path == '/');
}

static size_t trimmed_length(const char *path)
{
	const size_t length = strlen(path);

	return length && path[length - 1] == '/' ? length - 1 : length;
}

/* Whether a snapshot has such a place. */
static const char *refuse_place(enum content_kind kind, const char *path)
{
	static const char unknown[] = "is in a place that no snapshot has";
	const size_t folder = strcspn(path, "/");
	const char *inner, *below;
	size_t first, length;

	if (folder != strlen(SNAPSHOT_FOLDER) || memcmp(path, SNAPSHOT_FOLDER, folder))
		return "is not in the folder " SNAPSHOT_FOLDER;
	inner = member_inner_path(path);
	length = trimmed_length(inner);
	if (!length)
		return kind == CONTENT_FOLDER ? NULL : unknown;
	first = strcspn(inner, "/");
	if (first == length) {
		if (text_has_word(files, " ", inner, length))
			return kind == CONTENT_FILE ? NULL : unknown;
		if (kind != CONTENT_FOLDER)
			return unknown;
	}
	if (text_has_word(folders, " ", inner, first))
		return kind == CONTENT_LINK ? unknown : NULL;
	if (first != strlen(SNAPSHOT_ROOT) || memcmp(inner, SNAPSHOT_ROOT, first))
		return unknown;
	if (first == length)
		return NULL;
	below = inner + first + 1;
	if (!strcmp(below, TOP_FILE))
		return kind == CONTENT_FILE ? NULL : unknown;
	if (!text_has_word(tops, " ", below, strcspn(below, "/")))
		return unknown;
	return strcspn(below, "/") == trimmed_length(below) && kind != CONTENT_FOLDER ? unknown
										      : NULL;
}

/*
 * Follows the names in a target, but not the links that they may lead through: those are limited
 * when they are used, by lib/kernel/root.h.
 */
static const char *refuse_target(const char *path, const char *target)
{
	size_t depth = 0;

	/* How many folders below the tree's root the link is. */
	for (path = strchr(member_inner_path(path), '/'); path; path = strchr(path + 1, '/'))
		depth++;
	depth--;
	if (!target || !*target)
		return "is a link to nothing";
	if (strlen(target) > MEMBER_MOST_PATH)
		return "is a link to a path of more than 1024 bytes";
	if (*target == '/')
		return "is a link to an absolute path";
	while (*target) {
		const size_t length = strcspn(target, "/");

		if (length > MEMBER_MOST_NAME)
			return "is a link to a name of more than 255 bytes";
		if (length == 2 && !memcmp(target, "..", 2)) {
			if (!depth--)
				return "is a link that leads out of the tree";
		} else if (length && !(length == 1 && *target == '.')) {
			depth++;
		}
		target += length + (target[length] == '/');
	}
	return NULL;
}

static const char *refuse_kind(enum content_kind kind, const char *path, const char *target)
{
	switch (kind) {
	case CONTENT_LINK:
		return refuse_target(path, target);
	case CONTENT_HARD_LINK:
		return "is a hard link";
	case CONTENT_OTHER:
		return "is neither file, folder nor symbolic link";
	default:
		return NULL;
	}
}

const char *member_refuse(struct member_sum *sum, enum content_kind kind, const char *path,
			  const char *target, uint64_t bytes)
{
	const char *why = refuse_path(path);

	if (!why)
		why = refuse_place(kind, path);
	if (!why)
		why = refuse_kind(kind, path, target);
	if (why)
		return why;
	if (sum->count >= MEMBER_MOST)
		return "is one too many: a snapshot has at most 1048576 members";
	if (bytes > MEMBER_MOST_BYTES)
		return "is larger than 64 MiB";
	if (sum->bytes + bytes > MEMBERS_MOST_BYTES)
		return "makes the total larger than 512 MiB";
	sum->count++;
	sum->bytes += bytes;
	return NULL;
}
