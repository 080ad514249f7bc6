/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/uevent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/netlink.h"

/* The kernel's own messages; group 2 has those of udev. */
#define GROUP_KERNEL 1

/* The kernel sends at most UEVENT_BUFFER_SIZE (2048, include/linux/kobject.h) plus the path. */
#define LARGEST_MESSAGE 8192

int uevent_listen(struct netlink **ret_uevents)
{
	const unsigned int group = GROUP_KERNEL;

	return netlink_open_groups(NETLINK_KOBJECT_UEVENT, &group, 1, LARGEST_MESSAGE, ret_uevents);
}

/* A piece of the message, without a terminating NUL. */
struct piece {
	const char *bytes;
	size_t length;
};

static bool is_word(const struct piece *piece, const char *word)
{
	return piece->length == strlen(word) && !memcmp(piece->bytes, word, piece->length);
}

/* Finds the value of KEY=value; false for another key. */
static bool take_value(const struct piece *line, const char *key, struct piece *value)
{
	size_t length = strlen(key);

	if (line->length <= length || memcmp(line->bytes, key, length) ||
	    line->bytes[length] != '=')
		return false;
	value->bytes = line->bytes + length + 1;
	value->length = line->length - length - 1;
	return true;
}

/* Returns the last part of a path if it can be a name, else NULL. */
static char *last_part(const struct piece *path)
{
	const char *slash = path->length ? memrchr(path->bytes, '/', path->length) : NULL;
	struct piece name = *path;
	char *copy;

	if (!slash)
		return NULL;
	name.bytes = slash + 1;
	name.length = path->length - (size_t)(name.bytes - path->bytes);
	if (!name.length || is_word(&name, ".") || is_word(&name, ".."))
		return NULL;
	copy = mem_alloc_zero(name.length + 1, 1);
	memcpy(copy, name.bytes, name.length);
	return copy;
}

struct lines {
	struct piece action, subsystem, path, old_path;
};

/* A line "ACTION@PATH" is followed by KEY=value lines, each terminated by a NUL. */
static void split(const char *message, size_t length, struct lines *lines)
{
	for (size_t at = 0; at < length;) {
		struct piece line = {message + at, strnlen(message + at, length - at)};

		if (!take_value(&line, "ACTION", &lines->action) &&
		    !take_value(&line, "SUBSYSTEM", &lines->subsystem) &&
		    !take_value(&line, "DEVPATH_OLD", &lines->old_path))
			take_value(&line, "DEVPATH", &lines->path);
		at += line.length + 1;
	}
}

static bool find_action(const struct piece *word, enum uevent_action *action)
{
	static const char *const words[] = {
		[UEVENT_ADD] = "add",
		[UEVENT_REMOVE] = "remove",
		[UEVENT_RENAME] = "move",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (is_word(word, words[i])) {
			*action = (enum uevent_action)i;
			return true;
		}
	}
	return false;
}

static bool find_subject(const struct piece *subsystem, enum uevent_subject *subject)
{
	if (is_word(subsystem, "infiniband"))
		*subject = UEVENT_DEVICE;
	else if (is_word(subsystem, "infiniband_verbs"))
		*subject = UEVENT_VERBS_NODE;
	else
		return false;
	return true;
}

int uevent_parse(const void *message, size_t length, struct uevent *uevent)
{
	_cleanup_(uevent_clear) struct uevent found = {0};
	struct lines lines = {0};

	split(message, length, &lines);
	if (!find_subject(&lines.subsystem, &found.subject) ||
	    !find_action(&lines.action, &found.action))
		return -ENOMSG;
	found.kernel_name = last_part(&lines.path);
	if (found.action == UEVENT_RENAME)
		found.old_kernel_name = last_part(&lines.old_path);
	if (!found.kernel_name || (found.action == UEVENT_RENAME && !found.old_kernel_name))
		return -ENOMSG;
	*uevent = found;
	found = (struct uevent){0};
	return 0;
}

void uevent_clear(struct uevent *uevent)
{
	free(uevent->kernel_name);
	free(uevent->old_kernel_name);
	*uevent = (struct uevent){0};
}

struct receiver {
	uevent_handler *handle;
	void *context;
};

static void take(void *context, const void *datagram, size_t length)
{
	_cleanup_(uevent_clear) struct uevent uevent = {0};
	const struct receiver *receiver = context;

	if (!uevent_parse(datagram, length, &uevent))
		receiver->handle(receiver->context, &uevent);
}

int uevent_read(struct netlink *uevents, uevent_handler *handle, void *context)
{
	struct receiver receiver = {.handle = handle, .context = context};

	return netlink_read(uevents, take, &receiver);
}
