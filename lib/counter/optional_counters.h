/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The optional counters of the ports of an inventory of the live system: reading and switching. */
#pragma once

#include "host/inventory.h"
#include "counter/optional_counter.h"

struct netlink;

/* 0 or -errno: RDMA netlink cannot be had. Released by optional_counters_close(). */
int optional_counters_open(struct netlink **ret_nldev);
void optional_counters_close(struct netlink *nldev);
/*
 * Appends all that the ports have, port by port. What a port answers instead is a problem, but
 * that it has no such counters (or its kernel does not know of any) is only noted.
 */
void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes);
/*
 * Makes the counters of one port what `enabled` of them says: `counters` are all that the port
 * has. 0 or -errno, with the kernel's words, if it has any, in *ret_text, freed by the caller.
 */
int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text);
