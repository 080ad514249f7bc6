/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes that wait to be confirmed (--revert-after). Whoever sets the same meanwhile would see his
 * value replaced when they are undone, or would himself bring back one that nobody has confirmed,
 * because it was there before. So each is announced by a socket that has its name, which another
 * call finds, and which ends with the process. Abstract names belong to a network namespace,
 * unix(7): calls in another one are not found.
 */
#pragma once

struct change;

/* Announces the change until the caller closes the descriptor. -1: it cannot be announced. */
int waiting_announce(const struct change *change);
/* Reports with change_disturbs() a call of this user or of root that waits with this setting. */
void waiting_guard(struct change *change);
