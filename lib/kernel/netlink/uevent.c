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
#include "schema/value.h"

/* The kernel's own messages; group 2 has those of udev. */
#define GROUP_KERNEL 1

/* The kernel sends at most UEVENT_BUFFER_SIZE (2048, include/linux/kobject.h) plus the path. */
#define LARGEST_MESSAGE 8192

int uevent_listen(struct netlink **ret_uevents)
{
	const unsigned int group = GROUP_KERNEL;

	return netlink_open_groups(NETLINK_KOBJECT_UEVENT, &group, 1, LARGEST_MESSAGE, ret_uevents);
}

/* Values of the message; NULL: it lacks the key. */
struct lines {
	const char *action, *subsystem, *path, *old_path;
};

/* Takes the value of KEY=value; false for another key. */
static bool take_value(const char *line, const char *key, const char **value)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) || line[length] != '=')
		return false;
	*value = line + length + 1;
	return true;
}

/* A line "ACTION@PATH" is followed by KEY=value lines, each terminated by a NUL. */
static void split(const char *message, size_t length, struct lines *lines)
{
	for (const char *line = message; line < message + length; line += strlen(line) + 1)
		if (!take_value(line, "ACTION", &lines->action) &&
		    !take_value(line, "SUBSYSTEM", &lines->subsystem) &&
		    !take_value(line, "DEVPATH_OLD", &lines->old_path))
			take_value(line, "DEVPATH", &lines->path);
}

/* Returns the last part of a path if it can be a name, else NULL; the caller frees it. */
static char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] && strcmp(slash, "/.") && strcmp(slash, "/..")
		       ? mem_string(slash + 1)
		       : NULL;
}

static const struct enum_name actions[] = {
	{UEVENT_ADD, "add"},
	{UEVENT_REMOVE, "remove"},
	{UEVENT_RENAME, "move"},
	{0, NULL},
};

static const struct enum_name subjects[] = {
	{UEVENT_DEVICE, "infiniband"},
	{UEVENT_VERBS_NODE, "infiniband_verbs"},
	{0, NULL},
};

int uevent_parse(const void *message, size_t length, struct uevent *uevent)
{
	/* A NUL ends the last line, too. */
	_cleanup_(freep) char *copy = mem_alloc_zero(length + 1, 1);
	_cleanup_(uevent_clear) struct uevent found = {0};
	const struct enum_name *subject, *action;
	struct lines lines = {0};

	if (length)
		memcpy(copy, message, length);
	split(copy, length, &lines);
	subject = lines.subsystem ? enum_find_word(subjects, lines.subsystem) : NULL;
	action = lines.action ? enum_find_word(actions, lines.action) : NULL;
	if (!subject || !action)
		return -ENOMSG;
	found.subject = (enum uevent_subject)subject->value;
	found.action = (enum uevent_action)action->value;
	found.kernel_name = last_part(lines.path);
	if (found.action == UEVENT_RENAME)
		found.old_kernel_name = last_part(lines.old_path);
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
