/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the GID index to use for a peer: pure reasoning over the GID tables, the netdevs and the
 * routing table's answer. Every entry gets a reason.
 */
#pragma once

#include "host/device.h"
#include "host/link.h"

struct gid_question {
	struct ip_address peer;
	struct route route; /* the route to the peer */
	const struct link_list *links;
	const struct device_list *devices;
};

/*
 * Sets `selected` and `why` of all entries. Returns the one to use, or NULL with the reason as a
 * line in *ret_reason and the next step in *ret_hint (the caller frees both).
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
