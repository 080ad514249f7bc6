/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the GID index for a peer: pure reasoning over the GID tables, the netdevs and the routing
 * table's answer. Every entry gets a reason.
 */
#pragma once

#include "host/device.h"
#include "host/inventory/inventory.h"
#include "host/netdev.h"

struct gid_question {
	struct ip_address peer;
	struct route route; /* the route to the peer */
	const struct link_list *links;
	const struct device_list *devices;
};

/*
 * Sets `selected` and `why` of all entries. Returns the one to use, or NULL with the reason, one
 * line, in *ret_reason and the next step in *ret_hint (the caller frees both).
 */
const struct gid_entry *gid_choose(const struct gid_question *question, char **ret_reason,
				   char **ret_hint);

/*
 * Adds configuration lines for the usual consumers of a chosen entry: KEY=VALUE for NCCL, UCX and
 * libfabric, comments with # for the rest. `roce` is false for an InfiniBand port, which needs no
 * index.
 */
void gid_env_lines(const struct gid_entry *entry, const char *peer, bool roce,
		   struct strings *ret_lines);

/*
 * Finds the route to a peer: its address, and the routing table's answer for it. `name` is an IPv4
 * or IPv6 address (fe80::1%netdev for a link-local one) or a host name, which resolves to its first
 * address. Returns 0, or -errno with a message for the user in *ret_error and the next step in
 * *ret_hint (may be NULL); the caller frees them. A snapshot that has no recorded answer for the
 * peer computes it from its tables: if that is a guess, `doubts` gets the reasons; if `doubts` is
 * NULL, only the kernel's answer is accepted.
 */
int peer_find(const char *name, const struct inventory *inventory, struct ip_address *ret_address,
	      struct route *ret_route, struct strings *doubts, char **ret_error, char **ret_hint);

/*
 * Returns the index of the netdev that is the zone of an address, fe80::1%netdev; 0: no zone, or no
 * such netdev. The index is for sockets, so it comes from the kernel: peer_find() uses the
 * inventory, perhaps a saved one, and --bind is parsed before there is any.
 */
uint32_t address_zone(const char *text);

/*
 * True if packets from `source`, an address of the port, to the peer leave through that port: then
 * a connection can take the same way as the data.
 */
bool peer_is_reached_from(const struct inventory *inventory, const struct port *port,
			  const struct ip_address *source, const struct ip_address *peer);
