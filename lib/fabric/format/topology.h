/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet out of the text that ibnetdiscover(8) prints, grouped by chassis or not: blocks of a
 * node and its cabled ports. Net files of ibsim(1) are of the same kind, and say less: one end of a
 * cable will do, where ibnetdiscover tells of both.
 *
 * What the text does not tell stays unknown. A port without a cable has no PortInfo. The PortInfo
 * of one with a cable holds LinkUp as the physical state, the width and the speed, and where they
 * are written LID and LMC; its state is not known (0). A switch has no SwitchInfo, but the bit of
 * an enhanced port 0 is in its bytes. A node begins the graph that the text names as its beginning,
 * or else the first one; routes are the shortest. GUIDs that a net file leaves out are as the
 * simulator makes them up: of the name, as H-0002c90300000001, or by counting.
 */
#pragma once

#include "fabric/graph/graph.h"

/*
 * Fills an empty fabric. Returns 0; -ENOMSG: it is no such text; -EINVAL: a line of it is broken,
 * and the message, to be freed, says which and why.
 */
int fabric_read_topology(const char *text, size_t length, struct fabric *fabric,
			 char **ret_message);

/*
 * A subnet out of the cache that libibnetdisc writes: `ibnetdiscover --cache FILE`. It holds the
 * NodeInfo, description and SwitchInfo of all nodes and the PortInfo of their ports.
 */
/* By its first bytes. */
bool fabric_is_cache(const unsigned char *bytes, size_t length);
/*
 * Fills an empty fabric. Returns 0; -ENOMSG: it is no cache; -EINVAL: it is broken, and the
 * message, to be freed, says where and why.
 */
int fabric_read_cache(const unsigned char *bytes, size_t length, struct fabric *fabric,
		      char **ret_message);
