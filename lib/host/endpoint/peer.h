/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The route to a peer: its address, and the routing table's answer for it. */
#pragma once

#include "host/inventory.h"
#include "host/link.h"

/*
 * `name` is an IPv4 or IPv6 address (fe80::1%netdev for a link-local one) or a host name, which the
 * resolver turns into its first address. Returns 0, or -errno with a message for the user in
 * *ret_error and the next step in *ret_hint (may be NULL); the caller frees them.
 */
int peer_find(const char *name, const struct link_list *links, struct ip_address *ret_address,
	      struct route *ret_route, char **ret_error, char **ret_hint);
