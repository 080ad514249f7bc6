/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet out of the cache that libibnetdisc writes: `ibnetdiscover --cache FILE`. It holds the
 * NodeInfo, description and SwitchInfo of all nodes and the PortInfo of their ports.
 */
#pragma once

#include "fabric/graph/graph.h"

/* By its first bytes. */
bool fabric_is_cache(const unsigned char *bytes, size_t length);
/*
 * Fills an empty fabric. Returns 0; -ENOMSG: it is no cache; -EINVAL: it is broken, and the
 * message, to be freed, says where and why.
 */
int fabric_read_cache(const unsigned char *bytes, size_t length, struct fabric *fabric,
		      char **ret_message);
