/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "snapshot/archive.h"

static const struct source {
	enum source_how how;
	const char *folder, *names;
} sources[] = {
#define SOURCE(how_, folder_, names_) {SOURCE_##how_, folder_, names_},
#include "snapshot/sources.def"
#undef SOURCE
};

enum {
	/* Less than the reader on another machine accepts, to leave room for later additions. */
	MOST_ITEMS = MEMBER_MOST - 1024,
	COLLECTED_MOST_BYTES = MEMBERS_MOST_BYTES - (64 << 20),
	/* 200,000 files take 3 s; a device with hanging firmware delays each of its files. */
	READ_MOST_MSEC = 120 * 1000,
	MOST_FOLDER_DEPTH = 24, /* of a folder below a device */
};

struct walk {
	struct collection *collection;
	const struct source *source;
	unsigned int links; /* links followed so far */
	unsigned int depth;
	uint64_t end_msec;
	bool full;
	struct strings hidden; /* paths that cannot be reached or listed, by several sources */
};

enum entry { ENTRY_NONE, ENTRY_FILE, ENTRY_FOLDER, ENTRY_LINK };

/* Returns false once nothing more may be taken, which is reported once. */
static bool has_room(struct walk *walk)
{
	const struct contents *contents = walk->collection->contents;
	const char *why = NULL;

	if (walk->full)
		return false;
	if (contents->count >= MOST_ITEMS)
		why = "the rest was left out: a snapshot has at most 1048576 files";
	else if (contents->bytes >= COLLECTED_MOST_BYTES)
		why = "the rest was left out: a snapshot has at most 512 MiB";
	else if (clock_msec() > walk->end_msec)
		why = "the rest was left out: reading took longer than 2 minutes";
	if (why)
		collect_note(walk->collection, walk->source->folder, why);
	walk->full = why;
	return !why;
}

/* Keeps why it cannot be reached or listed, which hides whatever is there: once for each path. */
static void keep_hidden(struct walk *walk, const char *path, int error)
{
	if (error == -ENOENT || error == -ENOTDIR || strings_contain(&walk->hidden, path))
		return;
	strings_add(&walk->hidden, path);
	collect_error(walk->collection, path, error);
	if (error != -EACCES && error != -EPERM)
		collect_note(walk->collection, path, strerror(-error));
}

/*
 * The entry at the path itself or, with `follow`, at the end of its links; opens no file.
 * ENTRY_NONE also if it cannot be reached.
 */
static enum entry look(struct walk *walk, const char *path, bool follow,
		       char target[static PATH_MAX])
{
	const struct root *root = walk->collection->root;
	_cleanup_(closep) int fd = -1;
	struct stat status;
	ssize_t length = root_read_link(root, path, target);
	int error = length < 0 && length != -EINVAL ? (int)length : 0;

	if (length >= 0 && (!follow || member_is_error(target)))
		return ENTRY_LINK;
	if (!error && root->live &&
	    fstatat(root->fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW))
		error = -errno;
	if (error) {
		keep_hidden(walk, path, error);
		return ENTRY_NONE;
	}
	if (root->live) {
		if (S_ISDIR(status.st_mode))
			return ENTRY_FOLDER;
		/* An attribute without these bits can only be written. */
		return S_ISREG(status.st_mode) && status.st_mode & 0444 ? ENTRY_FILE : ENTRY_NONE;
	}
	fd = root_open_path(root, path, O_DIRECTORY);
	return fd >= 0 || fd == -EACCES ? ENTRY_FOLDER : ENTRY_FILE;
}

bool collect_matches(const char *patterns, const char *name)
{
	for_each_word (pattern, patterns, " ")
		if (*pattern && !fnmatch(pattern, name, 0))
			return true;
	return false;
}

static char *join(const char *folder, const char *name)
{
	return *folder ? mem_format("%s/%s", folder, name) : mem_string(name);
}

static void keep_link(struct walk *walk, const char *path, const char *target)
{
	collect_take(walk->collection, CONTENT_LINK, path, mem_string(target), strlen(target));
}

static bool list(struct walk *walk, const char *path, struct strings *names)
{
	const int rc = sysfs_list_all(walk->collection->root, names, "%s", *path ? path : ".");

	if (rc)
		keep_hidden(walk, path, rc);
	/* Absent is not the same as empty: an empty folder is also kept. */
	if (!rc && *path)
		collect_take(walk->collection, CONTENT_FOLDER, path, mem_string(""), 0);
	return !rc;
}

static void take_tree(struct walk *walk, const char *folder);

/* Nobody needs the power management and the events of a device, and some have effects. */
static bool is_skipped(const char *folder, const char *name)
{
	/* In a copy that followed the links, only the uevent in `device` identifies the device. */
	return !strcmp(name, "power") || !strcmp(name, "modalias") ||
	       (!strcmp(name, "uevent") && !text_ends_with(folder, "/device"));
}

/*
 * Returns -errno if its mode (EACCES) or a control group (EPERM) keeps this process from a device
 * file, which access(2) tells without opening it: for the real user ID, whereas doctor asks for the
 * effective one first. A filter of system calls may refuse access(2) itself.
 */
static int device_file_error(const struct root *root, const char *path)
{
	static const char folder[] = "dev/infiniband";
	int error;

	if (!root->live || strncmp(path, folder, strlen(folder)) ||
	    !faccessat(root->fd, path, R_OK | W_OK, 0))
		return 0;
	error = -errno;
	return faccessat(root->fd, folder, F_OK, 0) ? 0 : error;
}

static int take(struct walk *walk, const char *path)
{
	const enum source_how how = walk->source->how;
	const bool follow = how != SOURCE_FILES && how != SOURCE_TREE && how != SOURCE_CONFIG &&
			    how != SOURCE_VPD;
	char target[PATH_MAX];
	enum entry entry;

	if (!has_room(walk))
		return 0;
	if (how == SOURCE_LINKS) {
		if (root_read_link(walk->collection->root, path, target) >= 0)
			keep_link(walk, path, target);
		return 0;
	}
	/* A device file is not opened, and the link of a library may be broken. */
	if (how == SOURCE_NAMES) {
		const ssize_t length = root_read_link(walk->collection->root, path, target);
		const int error = device_file_error(walk->collection->root, path);

		if (length >= 0 && member_is_error(target))
			keep_link(walk, path, target);
		else if (error == -EACCES || error == -EPERM)
			keep_link(walk, path, sysfs_saved_error(error));
		else if (length != -ENOENT)
			return collect_file(walk->collection, path, how);
		return 0;
	}
	entry = look(walk, path, follow, target);
	if (entry == ENTRY_FILE)
		return collect_file(walk->collection, path, how);
	if (entry == ENTRY_LINK)
		keep_link(walk, path, target);
	else if (entry == ENTRY_FOLDER && how == SOURCE_TREE)
		take_tree(walk, path);
	return 0;
}

/*
 * Each read of a counter that a function may not read adds a line to the kernel's log: after the
 * first failure the other counters in the folder are not read (lib/counter/pma_probe.h).
 */
static bool floods(const struct walk *walk, const char *folder, int error)
{
	const char *slash = strrchr(folder, '/');

	return error && walk->collection->root->live && slash && !strcmp(slash, "/counters") &&
	       error != -ENOENT;
}

static void take_names(struct walk *walk, const char *folder, const char *names)
{
	_cleanup_(strings_free) struct strings found = {.known = false};
	int error = 0;

	if (!list(walk, folder, &found))
		return;
	for (size_t i = 0; i < found.count; i++) {
		_cleanup_(freep) char *path = join(folder, found.items[i]);

		if (!collect_matches(names, found.items[i]) ||
		    (walk->source->how == SOURCE_TREE && is_skipped(folder, found.items[i])))
			continue;
		if (error) {
			collect_error(walk->collection, path, error);
			continue;
		}
		error = take(walk, path);
		if (!floods(walk, folder, error))
			error = 0;
	}
}

static void take_tree(struct walk *walk, const char *folder)
{
	if (walk->depth >= MOST_FOLDER_DEPTH) {
		_cleanup_(freep) char *why = mem_format("left out: it is %u folders deep",
							(unsigned int)MOST_FOLDER_DEPTH);

		collect_note(walk->collection, folder, why);
		return;
	}
	walk->depth++;
	take_names(walk, folder, "*");
	walk->depth--;
}

/* FOLDER/../../a as a path from the root, without looking at links; NULL if it leads out. */
static char *resolve(const char *link, const char *target)
{
	char *path = mem_string(*target == '/' ? "" : link);
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
	for_each_word (name, target, "/") {
		if (!*name || !strcmp(name, "."))
			continue;
		if (strcmp(name, "..")) {
			mem_extend(&path, "%s%s", *path ? "/" : "", name);
			continue;
		}
		if (!*path) {
			free(path);
			return NULL;
		}
		slash = strrchr(path, '/');
		*(slash ? slash : path) = '\0';
	}
	return path;
}

static void walk_to(struct walk *walk, const char *path, const char *literal, const char *pattern);

/* The folder at `path` is a link: keeps it, and continues at its target. */
static void walk_link(struct walk *walk, const char *path, const char *target, const char *literal,
		      const char *pattern)
{
	_cleanup_(freep) char *place = NULL, *way = NULL;

	keep_link(walk, path, target);
	if (member_is_error(target) || walk->links >= FILE_MOST_LINKS)
		return;
	place = resolve(path, target);
	if (!place)
		return;
	way = *literal ? join(place, literal) : mem_string(place);
	walk->links++;
	walk_to(walk, "", way, pattern);
	walk->links--;
}

static void walk_into(struct walk *walk, const char *path, const char *literal, const char *pattern)
{
	const enum source_how how = walk->source->how;
	const bool follow = how == SOURCE_TEXTS || how == SOURCE_NAMES || how >= SOURCE_LIBRARY;
	char target[PATH_MAX];
	enum entry entry;

	entry = look(walk, path, follow, target);
	if (entry == ENTRY_LINK)
		walk_link(walk, path, target, literal, pattern);
	else if (entry == ENTRY_FOLDER)
		walk_to(walk, path, literal, pattern);
}

/* Splits the first component off; the caller frees it. */
static char *first_of(const char **path)
{
	const size_t length = strcspn(*path, "/");
	char *name = mem_format("%.*s", (int)length, *path);

	*path += length + ((*path)[length] == '/');
	return name;
}

/*
 * Goes from the folder `path`, which is not reached through links, along literal names and then
 * along patterns, and takes the source's names in each folder that it reaches.
 */
static void walk_to(struct walk *walk, const char *path, const char *literal, const char *pattern)
{
	const bool exact = *literal;
	_cleanup_(freep) char *name = NULL;
	_cleanup_(strings_free) struct strings found = {.known = false};

	if (!has_room(walk))
		return;
	if (!exact && !*pattern) {
		take_names(walk, path, walk->source->names);
		return;
	}
	name = first_of(exact ? &literal : &pattern);
	if (exact || !strpbrk(name, "*?[")) {
		_cleanup_(freep) char *next = join(path, name);

		walk_into(walk, next, literal, pattern);
		return;
	}
	if (!list(walk, path, &found))
		return;
	for (size_t i = 0; i < found.count; i++) {
		_cleanup_(freep) char *next = join(path, found.items[i]);

		if (collect_matches(name, found.items[i]))
			walk_into(walk, next, "", pattern);
	}
}

/* Whether a folder above the path is kept as a link, as an unreadable one is. */
static bool is_below_other(const struct contents *contents, const char *path)
{
	_cleanup_(freep) char *above = mem_string(path);
	char *slash;

	while ((slash = strrchr(above, '/'))) {
		const struct content *found;

		*slash = '\0';
		found = contents_find(contents, above);
		if (found && found->kind != CONTENT_FOLDER)
			return true;
	}
	return false;
}

/*
 * Drops what the strict reader would refuse: a link that leads out of the tree, or a member below a
 * link.
 */
static void prune(struct collection *collection)
{
	struct contents *contents = collection->contents;
	_cleanup_(freep) bool *refused = mem_alloc_zero(contents->count + 1, sizeof(*refused));

	for (size_t i = 0; i < contents->count; i++) {
		const struct content *item = &contents->items[i];
		_cleanup_(freep) char *path = mem_format(SNAPSHOT_FOLDER "/%s", item->path);
		struct member_sum sum = {0};

		refused[i] = member_refuse(&sum, item->kind, path, item->bytes, item->length) ||
			     is_below_other(contents, item->path);
		if (refused[i] && item->kind == CONTENT_LINK)
			collect_note(collection, item->path + strlen(SNAPSHOT_ROOT "/"),
				     "left out: the link leads out of the tree");
	}
	contents_drop(contents, refused);
}

void collect(struct collection *collection)
{
	struct walk walk = {.collection = collection, .end_msec = clock_msec() + READ_MOST_MSEC};

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		walk.source = &sources[i];
		walk_to(&walk, "", "", sources[i].folder);
	}
	strings_free(&walk.hidden);
	contents_sort(collection->contents);
	prune(collection);
}
