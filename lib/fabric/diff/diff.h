/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What differs between two scans: nodes and cables that are gone, new or elsewhere, links that are
 * wider, faster or in another state. Nodes are the same by their GUID; several of one GUID by what
 * they are called and by the way to them. What one of the scans could not see is neither gone nor
 * new: it is unanswered.
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
	CHANGE_UNANSWERED, /* in one of the scans: no change that is known of */
};

/* The record of fabric_changes_schema. Strings are owned. */
struct fabric_change {
	struct number change; /* enum fabric_change_kind */
	char *node;	      /* as the later scan calls it, if that has it */
	struct number port;
	char *before, *after; /* NULL: there was none, or it is not known */
	struct number node_guid, node_type;
	/* Of cables: the port at the other end. */
	struct number before_guid, before_port, after_guid, after_port;
};

extern const struct schema fabric_changes_schema;

struct fabric_changes {
	struct fabric_change *items; /* by node and port, in natural order */
	size_t count;
	bool changed;	 /* one of them is not CHANGE_UNANSWERED */
	bool incomplete; /* one of the scans is, or did not see what the other one did */
};

/* Fills empty changes; both views live as long as that takes. */
void fabric_compare(const struct fabric_view *before, const struct fabric_view *after,
		    struct fabric_changes *changes);
void fabric_changes_clear(struct fabric_changes *changes);
