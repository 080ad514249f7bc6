/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differences between two scans: nodes and cables that are gone, new or moved, and links with
 * another width, speed or state. Nodes are matched by GUID, and nodes that share a GUID by
 * description and path. What one of the scans could not see is neither gone nor new, but
 * unanswered.
 */
#pragma once

#include "fabric/graph/view.h"

enum fabric_change_kind {
	CHANGE_NODE_GONE,
	CHANGE_NODE_NEW,
	CHANGE_DESCRIPTION,
	CHANGE_CABLE_GONE,
	CHANGE_CABLE_NEW,
	CHANGE_CABLE_MOVED,
	CHANGE_WIDTH,
	CHANGE_SPEED,
	CHANGE_STATE,
	CHANGE_MTU,
	CHANGE_LID,
	CHANGE_UNANSWERED, /* one of the scans did not see it: no known change */
};

/* The record of fabric_changes_schema. Strings are owned. */
struct fabric_change {
	struct number change; /* enum fabric_change_kind */
	char *node;	      /* its name in the later scan, if it is there */
	struct number port;
	char *before, *after; /* NULL: none, or unknown */
	struct number node_guid, node_type;
	/* For a cable, the port at the other end. */
	struct number before_guid, before_port, after_guid, after_port;
};

extern const struct schema fabric_changes_schema;

struct fabric_changes {
	struct fabric_change *items; /* by node and port, in natural order */
	size_t count;
	bool changed;	 /* one of them is not CHANGE_UNANSWERED */
	bool incomplete; /* one of the scans is incomplete, or did not see what the other saw */
};

/* Fills empty changes. */
void fabric_compare(const struct fabric_view *before, const struct fabric_view *after,
		    struct fabric_changes *changes);
void fabric_changes_clear(struct fabric_changes *changes);
