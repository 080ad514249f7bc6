/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the ports of nodes by name: by the node name map, else by the descriptions in the
 * NodeRecords of the subnet administrator (15.2.5.2). Many names are looked up at once.
 */
#pragma once

#include "mad/engine/gather.h"
#include "mad/names/node_names.h"

/* A port of a node, from its NodeRecord. Owns the name: that of the map, else the description. */
struct found_node {
	uint64_t node_guid, port_guid;
	uint16_t lid;
	uint8_t type; /* enum node_type */
	uint8_t port; /* 0 of a switch */
	uint8_t port_count;
	char *name;
};

struct node_search {
	const char *text; /* NAME or NAME/PORT */

	/* The result */
	struct found_node *nodes; /* all ports of all nodes of that name */
	size_t count;
	struct number port; /* the PORT of NAME/PORT, if NAME is what was found */
	bool cut;	    /* the answer was truncated and has lost nodes */
	/* 0; -ENODATA: no subnet manager to ask; or the error of a request. */
	int error;
	uint16_t status; /* of the reply, if the SA refused the query */
};

/*
 * Fills the results. The complete text is tried as a name before NAME/PORT. If no node has that
 * name, a node whose description begins with it, followed by a blank, will do: adapters are often
 * described as `host device`.
 */
void node_search(struct mad_engine *engine, const struct mad_route *route,
		 const struct node_names *names, struct node_search *searches, size_t count);
void node_search_clear(struct node_search *search);

/* The name of the node that a NodeRecord describes; the caller frees it. */
char *node_record_name(const unsigned char *record, const struct node_names *names);

/* The owners of LIDs, for tables that name destinations. */
struct lid_owners {
	bool wanted[UINT16_MAX + 1]; /* whose name is wanted */
	char *names[UINT16_MAX + 1]; /* owned; NULL: unknown, or not wanted */
};

/*
 * Names the owners of LIDs by their NodeRecords: one query for all, then one for each LID that is
 * still missing. 0; -ENODATA: no subnet manager to ask; -EPROTO: the subnet administrator refused;
 * or the error of the first request.
 */
int lid_owners_name(struct mad_engine *engine, const struct mad_route *route,
		    const struct node_names *names, struct lid_owners *owners);
void lid_owners_free(struct lid_owners *owners);
