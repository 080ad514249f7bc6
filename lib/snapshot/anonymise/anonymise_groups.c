/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups have names of users, jobs and containers, which are replaced alike in texts of
 * /proc and in folders below /sys/fs/cgroup. Services keep their names, because limits belong to
 * services, except for the part that distinguishes their instances.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/procfs.h"
#include "snapshot/anonymise/anonymise_private.h"

static bool ends_with(const char *text, size_t length, const char *end)
{
	const size_t end_length = strlen(end);

	return length > end_length && !memcmp(text + length - end_length, end, end_length);
}

static bool stays(const char *name, size_t length)
{
	return !length || (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.'))) ||
	       ends_with(name, length, ".service");
}

char *anonymise_instance(const struct anonymiser *anonymiser, const char *name, size_t length)
{
	static const char *const ends[] = {".service", ".service.d"};
	const char *instance = memchr(name, '@', length);
	const size_t before = instance ? (size_t)(instance + 1 - name) : length;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		_cleanup_(freep) char *changed = NULL;

		/* The instance of a template is empty: sshd@.service. */
		if (!ends_with(name + before, length - before, ends[i]))
			continue;
		changed = anonymise_group(anonymiser, name + before,
					  length - before - strlen(ends[i]));
		return mem_format("%.*s%s%s", (int)before, name, changed, ends[i]);
	}
	return NULL;
}

/* Distinct groups keep distinct names: otherwise they would be one member of the archive. */
static void add_path(const struct anonymiser *anonymiser, const char *path, size_t length,
		     struct text_buffer *out)
{
	for (size_t at = 0; at <= length;) {
		const size_t name = strcspn(path + at, "/\n") < length - at
					    ? strcspn(path + at, "/\n")
					    : length - at;
		_cleanup_(freep) char *changed = NULL;

		if (stays(path + at, name))
			changed = anonymise_instance(anonymiser, path + at, name);
		else
			changed = anonymise_group(anonymiser, path + at, name);
		text_buffer_add(out, "%.*s", changed ? (int)strlen(changed) : (int)name,
				changed ? changed : path + at);
		at += name;
		if (at < length)
			text_buffer_add(out, "/");
		at++;
	}
}

/* The length of the text before the path on a line; -1 if the line has none. */
static int before_group(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);

	colon = colon ? memchr(colon + 1, ':', length - (size_t)(colon + 1 - line)) : NULL;
	return colon ? (int)(colon + 1 - line) : -1;
}

/* Only the mounts that files of a snapshot lie below: others may name a user or a container. */
static int before_mounted(const char *line, size_t length)
{
	static const char *const usual[] = {" /sys/fs/cgroup", " /sys/fs/pstore"};
	const char *at = line, *place;

	for (int i = 0; at && i < 3; i++) {
		at = memchr(at, ' ', length - (size_t)(at - line));
		at += at != NULL;
	}
	place = at ? memchr(at, ' ', length - (size_t)(at - line)) : NULL;
	for (size_t i = 0; place && i < ARRAY_SIZE(usual); i++)
		if (!strncmp(place, usual[i], strlen(usual[i])) &&
		    strchr("/ ", place[strlen(usual[i])]))
			return (int)(at - line);
	return -1;
}

/* Changes the paths in the lines. Lines without one stay only if `others` is true. */
static char *change_lines(const struct anonymiser *anonymiser, const char *text,
			  int (*before)(const char *line, size_t length), const char *ends,
			  bool others)
{
	struct text_buffer out = {.text = NULL};

	while (*text) {
		const size_t length = strcspn(text, "\n"), whole = length + (text[length] == '\n');
		const int at = before(text, length);
		const size_t path = at < 0 ? 0 : strcspn(text + at, ends);

		if (at >= 0) {
			text_buffer_add(&out, "%.*s", at, text);
			add_path(anonymiser, text + at, path, &out);
			text_buffer_add(&out, "%.*s", (int)(whole - (size_t)at - path),
					text + at + path);
		} else if (others) {
			text_buffer_add(&out, "%.*s", (int)whole, text);
		}
		text += whole;
	}
	return text_buffer_take(&out);
}

char *anonymise_cgroups(const struct anonymiser *anonymiser, const char *text)
{
	return change_lines(anonymiser, text, before_group, "\n", true);
}

/*
 * Only what doctor compares stays of the mount at /: the device, and whether two processes have the
 * same directory in it. Its source and its last options may contain names, too. Returns NULL if
 * this is another line.
 */
static char *change_root_mount(const struct anonymiser *anonymiser, const char *line)
{
	_cleanup_(freep) char *directory = NULL;
	struct procfs_root_mount mount;
	const char *path, *options;
	size_t length;

	if (!procfs_parse_root_mount(line, &mount))
		return NULL;
	path = line + mount.directory;
	options = line + mount.end + strlen(" / ");
	length = strcspn(options, " \n");
	if (mount.end > mount.directory + 1)
		directory = anonymise_group(anonymiser, path,
					    (size_t)(mount.end - mount.directory));
	return length ? mem_format("%.*s/%s / %.*s\n", mount.directory, line,
				   directory ? directory : "", (int)length, options)
		      : NULL;
}

char *anonymise_mounts(const struct anonymiser *anonymiser, const char *text)
{
	struct text_buffer out = {.text = NULL};

	while (*text) {
		const size_t length = strcspn(text, "\n"), whole = length + (text[length] == '\n');
		_cleanup_(freep) char *line = mem_format("%.*s", (int)whole, text);
		_cleanup_(freep) char *changed = change_root_mount(anonymiser, line);

		if (!changed)
			changed = change_lines(anonymiser, line, before_mounted, " \n", false);
		text_buffer_add(&out, "%s", changed);
		text += whole;
	}
	return text_buffer_take(&out);
}

/* In version 1, hierarchies are named after their controllers. */
static bool is_hierarchy(const char *name, size_t length)
{
	static const char controllers[] =
		"rdma unified systemd cpu cpuacct cpuset memory blkio pids devices freezer net_cls "
		"net_prio perf_event hugetlb misc";

	for (size_t at = 0; at < length; at++) {
		const size_t word = strcspn(name + at, ",/");

		if (!text_has_word(controllers, " ", name + at, word))
			return false;
		at += word;
	}
	return length;
}

char *anonymise_cgroup_path(const struct anonymiser *anonymiser, const char *path, bool file)
{
	const char *slash = file ? strrchr(path, '/') : NULL;
	const size_t first = strcspn(path, "/");
	const size_t length = slash ? (size_t)(slash - path) : file ? 0 : strlen(path);
	const size_t kept = is_hierarchy(path, first) && first <= length ? first : 0;
	struct text_buffer out = {.text = NULL};

	text_buffer_add(&out, "%.*s", (int)kept, path);
	if (length > kept)
		add_path(anonymiser, path + kept, length - kept, &out);
	text_buffer_add(&out, "%s", path + length);
	return text_buffer_take(&out);
}
