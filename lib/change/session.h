/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the user is logged in: the TCP connection of one of the processes that started this one
 * (sshd), or the UDP socket of mosh-server, and the netdevs that it goes over. Changing one of
 * those may cut it. A console has neither, and for a session in tmux or screen it is unknown.
 */
#pragma once

#include "change/change.h"
#include "host/netdev.h"
#include "kernel/root.h"

struct session_socket {
	uint64_t process;		 /* its owner */
	struct ip_address local, remote; /* for mosh, remote is AF_UNSPEC: unknown */
};

/* How much of a session that the change cuts comes back when it is undone. */
enum way_back {
	WAY_COMES_BACK, /* all of it */
	WAY_COMES_UP,	/* what a netdev regains when it goes up again: only IPv4 to a neighbour */
	WAY_IS_GONE,	/* nothing: it is a new netdev, without addresses */
};

/*
 * Reports a session over this netdev as disturbed, or only notes it if the change is undone without
 * a confirmation (--revert-after) and the session then continues. Notes what cannot be examined.
 */
void change_guard_way(struct change *change, const char *netdev, enum way_back back);

/* The parts, for tests. */

/*
 * Finds the socket of the process, or of its nearest ancestor that has one.
 * -ENOENT: there is none; -ENOTCONN: none was found up to tmux or screen, whose client, if any, has
 * it; -EACCES: none was found, but not all processes could be examined.
 */
int session_find_socket(const struct root *root, uint64_t process, struct session_socket *ret);
/* Whether the connection goes over `netdev`: directly, or through a netdev on top of it. */
bool session_goes_over(const struct link_list *links, const struct number *index,
		       const char *netdev);
