/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by changes of netdevs: names, who would be disturbed, up and down. */
#pragma once

#include "change/change.h"
#include "host/netdev.h"

/*
 * Whether a netdev can have that name: dev_valid_name(), net/core/dev.c, but only printable
 * characters.
 */
bool netdev_name_valid(const char *name);
/*
 * Gets the netdevs, sorted, as they were when a change of this call first needed them: the guards
 * of many changes would read them many times. 0 or -errno.
 */
int netdev_links(struct change_host *host, const struct link_list **ret_links);
/*
 * Marks all netdevs above those that are marked, however high: a VLAN is on top of one netdev; a
 * bond, bridge or VRF has members. `marks` has an entry for each netdev of the sorted list. With
 * `keeps_lower` also those below: the members, and what is below a netdev for which it returns
 * false.
 */
void netdev_mark(const struct link_list *links, bool *marks,
		 bool (*keeps_lower)(const struct link *));
/*
 * Notes what depends on a netdev that will stop or go away: its addresses and the netdevs above it.
 * Reports the user's session over it as in the way. For the guard of a setting.
 */
void netdev_note_users(struct change *change, unsigned int index, bool goes);
/* Notes that a list of netdevs or addresses could not be read, or that it may be incomplete. */
void netdev_note_unseen(struct change *change, const char *what, int rc, bool missing);
/* Reads the change's netdev into an empty list. 0 or -errno; -ENODEV: it is gone. */
int netdev_read_link(struct change *change, struct link_list *list);
int netdev_write_up(struct change *change, unsigned int index, bool up);
