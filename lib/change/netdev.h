/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What changes of netdevs share: names, who would be disturbed, up and down. */
#pragma once

#include "change/change.h"

/* Whether a netdev may have that name: dev_valid_name(), net/core/dev.c, and only printable. */
bool netdev_name_valid(const char *name);
/*
 * Notes what is on a netdev that will stop, or that goes away: its addresses, and the netdevs above
 * it. The session that comes over it stands in the way. For the guard of a setting.
 */
void netdev_note_users(struct change *change, unsigned int index, bool goes);
/* Notes that a list of netdevs or addresses was not read, or that some may be missing in it. */
void netdev_note_unseen(struct change *change, const char *what, int rc, bool missing);
/* IFF_UP of the netdev with that index. 0 or -errno; -ENODEV: it has gone away. */
int netdev_read_up(struct change *change, unsigned int index, bool *ret_up);
int netdev_write_up(struct change *change, unsigned int index, bool up);
