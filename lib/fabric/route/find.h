/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which node of a graph a user means: by LID, GUID, GID, directed route or name. */
#pragma once

#include "fabric/graph/view.h"
#include "mad/engine/target.h"

struct fabric_place {
	uint32_t node;
	uint32_t port; /* port 0 of a switch; else the port that was named, or the first with a LID
			*/
	uint16_t lid;  /* the LID that was named, else that of the port; 0: it has none */
};

/*
 * Returns how many nodes the target may mean, and the first in *ret_place. A GUID is that of a
 * node, a port or a system, in this order; a directed route begins where the scan began.
 */
size_t fabric_find_target(const struct fabric *fabric, const struct mad_target *target,
			  struct fabric_place *ret_place);
/* The same by name, or NAME/PORT as messages write it. */
size_t fabric_find_name(const struct fabric_view *view, const char *word,
			struct fabric_place *ret_place);
/* By node, whether its name matches a shell pattern, to be freed; NULL if none does. */
bool *fabric_match_names(const struct fabric_view *view, const char *pattern);
