/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An Ethernet port: up and down through its netdev. */
#include "change/port.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/holders.h"
#include "change/netdev.h"

static const struct enum_name states[] = {
	{0, "down", TONE_BAD, "disabled"},
	{1, "up", TONE_GOOD, "enabled"},
	{0, "disable", TONE_BAD, "the same as down"},
	{1, "enable", TONE_GOOD, "the same as up"},
	{0},
};

static int parse_state(struct change *change, const char *text, char **ret_value)
{
	const struct enum_name *name = enum_find_word(states, text);

	if (!name)
		return change_fail(
			change, -EINVAL, "arm, active and reset are for InfiniBand ports",
			"'%s' is not a state that an Ethernet port can be set to: it takes "
			"up, down",
			text);
	*ret_value = mem_string(enum_word(states, name->value, NULL));
	return 0;
}

static int read_state(struct change *change, char **ret_value)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	int rc = netdev_read_link(change, &list);

	if (!rc)
		*ret_value = mem_string(list.items[0].enabled == TRISTATE_YES ? "up" : "down");
	return rc;
}

static int write_state(struct change *change, const char *value)
{
	return netdev_write_up(change, (unsigned int)change->netdev_index.value,
			       !strcmp(value, "up"));
}

static void guard_state(struct change *change)
{
	if (strcmp(change->wanted, "down"))
		return;
	change_guard_device(change, change->object);
	netdev_note_users(change, (unsigned int)change->netdev_index.value, false);
}

static const struct setting state = {
	.keyword = {"state", "up|down", "whether the port is enabled", states},
	.interface = "rtnetlink NEWLINK",
	.right = RIGHT_NET_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC,
	.parse = parse_state,
	.read = read_state,
	.write = write_state,
	.guard = guard_state,
	.command = "ports set",
};

const struct setting *const port_netdev_setting_table[] = {&state, NULL};
