/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet from the text that ibnetdiscover(8) prints, grouped by chassis or not: a block for each
 * node with its cabled ports. Net files of ibsim(1) are similar, but say less: one end of a cable
 * is enough, where ibnetdiscover writes both. And from the cache that `ibnetdiscover --cache FILE`
 * writes, with NodeInfo, description and SwitchInfo of all nodes and PortInfo of their ports.
 *
 * Facts that the text lacks stay unknown. A port without a cable has no PortInfo. The PortInfo of a
 * port with a cable holds LinkUp as the physical state, width and speed, and LID and LMC where they
 * are written; its state is unknown (0). A switch has no SwitchInfo, but the bit of an enhanced
 * port 0 is in its bytes. The graph begins with the node that the text names as its start, or else
 * with the first; routes are the shortest. GUIDs that a net file leaves out are those that the
 * simulator uses: from the name, as in H-0002c90300000001, or by counting.
 */
#pragma once

#include "fabric/graph/graph.h"

/*
 * Fills an empty fabric. Returns 0; -ENOMSG if this is another kind of text; -EINVAL if a line is
 * malformed, with a message, to be freed, that says which and why.
 */
int fabric_read_topology(const char *text, size_t length, struct fabric *fabric,
			 char **ret_message);

/* Whether the first bytes are those of a cache. */
bool fabric_is_cache(const unsigned char *bytes, size_t length);
/*
 * Fills an empty fabric. Returns 0; -ENOMSG if this is not a cache; -EINVAL if it is malformed,
 * with a message, to be freed, that says where and why.
 */
int fabric_read_cache(const unsigned char *bytes, size_t length, struct fabric *fabric,
		      char **ret_message);
