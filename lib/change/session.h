/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way by which the user is logged in: the TCP connection of one of the processes that started
 * this one (sshd), or the UDP socket of mosh-server, and the netdevs that it goes over. A change of
 * one of those may cut it. A console has neither, and of a session that tmux or screen keeps it is
 * not known.
 */
#pragma once

#include "change/change.h"
#include "host/netdev.h"
#include "kernel/root.h"

struct session_socket {
	uint64_t process;		 /* that has it */
	struct ip_address local, remote; /* of mosh, remote is AF_UNSPEC: not known */
};

/* What undoing the change brings back of a session that it cuts. */
enum way_back {
	WAY_COMES_BACK, /* all of it */
	WAY_COMES_UP,	/* what a netdev has again that was down: only IPv4 to a neighbour */
	WAY_IS_GONE,	/* nothing: the netdev is another one, without addresses */
};

/*
 * Adds the session that comes over this netdev as a disturbance, or as a note if the change is
 * undone without a confirmation (--revert-after) and the session then goes on. What cannot be
 * looked at is a note.
 */
void change_guard_way(struct change *change, const char *netdev, enum way_back back);

/* The parts, for tests. */

/*
 * The socket of the process, or of the nearest of those that started it.
 * -ENOENT: there is none; -ENOTCONN: none was found up to tmux or screen, whose client has it, if
 * there is one; -EACCES: none was found, and not all could be looked at.
 */
int session_find_socket(const struct root *root, uint64_t process, struct session_socket *ret);
/* Whether the connection goes over `netdev`: its own netdev, or one below that. */
bool session_goes_over(const struct link_list *links, const struct number *index,
		       const char *netdev);
