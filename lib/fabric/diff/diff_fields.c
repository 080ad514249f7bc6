/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of differences between two scans. */
#include "base/mem.h"
#include "fabric/diff/diff.h"
#include "mad/format/codes.h"

static const struct enum_name change_names[] = {
	{CHANGE_NODE_GONE, "node-gone", TONE_BAD, "the node is gone"},
	{CHANGE_NODE_NEW, "node-new", TONE_GOOD, "the node is new"},
	{CHANGE_DESCRIPTION, "description-changed", TONE_WARNING,
	 "the node has another description"},
	{CHANGE_CABLE_GONE, "cable-gone", TONE_BAD, "the cable is gone"},
	{CHANGE_CABLE_NEW, "cable-new", TONE_GOOD, "the cable is new"},
	{CHANGE_CABLE_MOVED, "cable-moved", TONE_WARNING, "the cable leads to another port"},
	{CHANGE_WIDTH, "width-changed", TONE_WARNING, "the link has another number of lanes"},
	{CHANGE_SPEED, "speed-changed", TONE_WARNING, "the link has another speed"},
	{CHANGE_STATE, "state-changed", TONE_WARNING, "the port is in another state"},
	{CHANGE_MTU, "mtu-changed", TONE_WARNING, "the link has another MTU"},
	{CHANGE_LID, "lid-changed", TONE_WARNING, "the port has another LID"},
	{CHANGE_UNANSWERED, "unanswered", TONE_WARNING,
	 "one of the scans did not see it: no known change"},
	{0, NULL},
};

static const struct field change_fields[] = {
	ENUM_FIELD(struct fabric_change, change, change_names, "change", "CHANGE", FIELD_DEFAULT, 0,
		   "what changed"),
	STRING_FIELD(struct fabric_change, node, "node", "NODE", FIELD_DEFAULT, 0,
		     "name of the node"),
	UNSIGNED_FIELD(struct fabric_change, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "number of its port"),
	STRING_FIELD(struct fabric_change, before, "before", "BEFORE", FIELD_DEFAULT, 0,
		     "earlier value; the peer's port for a cable, the place for a node"),
	STRING_FIELD(struct fabric_change, after, "after", "AFTER", FIELD_DEFAULT, 0,
		     "the same in the later scan"),
	ENUM_FIELD(struct fabric_change, node_type, node_type_names, "node_type", "TYPE", 0, 0,
		   "type of the node"),
	GUID_FIELD(struct fabric_change, node_guid, "node_guid", "NODE GUID", 0, 0,
		   "GUID of the node"),
	GUID_FIELD(struct fabric_change, before_guid, "before_guid", "GUID BEFORE", 0, 0,
		   "GUID of the node that was at the other end of the cable"),
	UNSIGNED_FIELD(struct fabric_change, before_port, "before_port", "PORT BEFORE", FIELD_RIGHT,
		       0, "number of its port"),
	GUID_FIELD(struct fabric_change, after_guid, "after_guid", "GUID AFTER", 0, 0,
		   "GUID of the node that is at the other end of the cable"),
	UNSIGNED_FIELD(struct fabric_change, after_port, "after_port", "PORT AFTER", FIELD_RIGHT, 0,
		       "number of its port"),
};

const struct schema fabric_changes_schema = SCHEMA("fabric_changes", struct fabric_change,
						   change_fields, "a difference between two scans");
