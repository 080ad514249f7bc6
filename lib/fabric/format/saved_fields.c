/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keys of a saved scan that a graph is built from: a part of those in view_graph.c. */
#include "base/mem.h"
#include "fabric/format/saved.h"

static const struct field node_fields[] = {
	UNSIGNED_FIELD(struct saved_node, index, "node_index", "NODE INDEX", 0, 0,
		       "its place in the scan"),
	GUID_FIELD(struct saved_node, guid, "node_guid", "NODE GUID", 0, 0, "GUID of the node"),
	UNSIGNED_FIELD(struct saved_node, parent_index, "parent_index", "PARENT INDEX", 0, 0,
		       "place of the node that it was found through"),
	UNSIGNED_FIELD(struct saved_node, parent_port, "parent_port", "PARENT PORT", 0, 0,
		       "port of that node that leads to it"),
	BOOL_FIELD(struct saved_node, duplicate_guid, "duplicate_guid", "DUPLICATE GUID", 0, 0,
		   "whether another node has the same GUID"),
	STRING_FIELD(struct saved_node, info, "node_info", "NODE INFO", 0, 0, "NodeInfo"),
	STRING_FIELD(struct saved_node, description, "node_description", "NODE DESCRIPTION", 0, 0,
		     "NodeDescription"),
	STRING_FIELD(struct saved_node, switch_info, "switch_info", "SWITCH INFO", 0, 0,
		     "SwitchInfo"),
	STRING_FIELD(struct saved_node, port_0_info, "port_0_info", "PORT 0 INFO", 0, 0,
		     "PortInfo of a switch's port 0"),
};

static const struct schema saved_node_schema = SCHEMA("fabric_nodes", struct saved_node,
						      node_fields, "a node of a saved scan");

static const struct field port_fields[] = {
	UNSIGNED_FIELD(struct saved_port, number, "port", "PORT", 0, 0, "number of the port"),
	BOOL_FIELD(struct saved_port, unanswered, "unanswered", "UNANSWERED", 0, 0,
		   "whether the node at the other end did not answer"),
	GUID_FIELD(struct saved_port, node_guid, "node_guid", "NODE GUID", 0, 0,
		   "GUID of the node"),
	UNSIGNED_FIELD(struct saved_port, node_index, "node_index", "NODE INDEX", 0, 0,
		       "the node's place in the scan"),
	GUID_FIELD(struct saved_port, peer_guid, "peer_guid", "PEER GUID", 0, 0,
		   "GUID of the node at the other end"),
	UNSIGNED_FIELD(struct saved_port, peer_port, "peer_port", "PEER PORT", 0, 0,
		       "number of the port at the other end"),
	UNSIGNED_FIELD(struct saved_port, peer_index, "peer_index", "PEER INDEX", 0, 0,
		       "place of the node at the other end"),
	GUID_FIELD(struct saved_port, port_guid, "port_guid", "PORT GUID", 0, 0,
		   "GUID of the port"),
	STRING_FIELD(struct saved_port, info, "port_info", "PORT INFO", 0, 0, "PortInfo"),
	UNSIGNED_FIELD(struct saved_port, vendor_speed, "vendor_speed_code", "VENDOR SPEED CODE", 0,
		       0, "LinkSpeedActive of the vendor's ExtendedPortInfo"),
};

static const struct schema saved_port_schema = SCHEMA("fabric_ports", struct saved_port,
						      port_fields, "a port of a saved scan");

static const struct field link_fields[] = {
	UNSIGNED_FIELD(struct saved_link, port, "port", "PORT", 0, 0,
		       "number of the port at one end"),
	UNSIGNED_FIELD(struct saved_link, node_index, "node_index", "NODE INDEX", 0, 0,
		       "place of the node there"),
	UNSIGNED_FIELD(struct saved_link, peer_port, "peer_port", "PEER PORT", 0, 0,
		       "number of the port at the other end"),
	UNSIGNED_FIELD(struct saved_link, peer_index, "peer_index", "PEER INDEX", 0, 0,
		       "place of the node there"),
};

static const struct schema saved_link_schema = SCHEMA("fabric_links", struct saved_link,
						      link_fields, "a cable of a saved scan");

static const struct field silence_fields[] = {
	UNSIGNED_FIELD(struct saved_silence, port, "port", "PORT", 0, 0, "number of the port"),
	BOOL_FIELD(struct saved_silence, behind, "behind", "BEHIND", 0, 0,
		   "whether the node at the other end is the silent one"),
	UNSIGNED_FIELD(struct saved_silence, tries, "tries", "TRIES", 0, 0,
		       "how many times the query was sent"),
	UNSIGNED_FIELD(struct saved_silence, node_index, "node_index", "NODE INDEX", 0, 0,
		       "the node's place in the scan"),
	HEX_FIELD(struct saved_silence, attribute, 4, "attribute_id", "ATTRIBUTE ID", 0, 0,
		  "number of the attribute"),
	UNSIGNED_FIELD(struct saved_silence, error, "errno", "ERRNO", 0, 0,
		       "error number, if no answer came"),
	HEX_FIELD(struct saved_silence, status, 4, "status", "STATUS", 0, 0,
		  "status of the answer, if the query was refused"),
};

static const struct schema saved_silence_schema = SCHEMA("fabric_unanswered", struct saved_silence,
							 silence_fields,
							 "an unanswered query of a saved scan");

static const struct field detail_fields[] = {
	UNSIGNED_FIELD(struct saved_detail, port, "port", "PORT", 0, 0, "number of the port"),
	UNSIGNED_FIELD(struct saved_detail, node_index, "node_index", "NODE INDEX", 0, 0,
		       "the node's place in the scan"),
	HEX_FIELD(struct saved_detail, attribute, 4, "attribute_id", "ATTRIBUTE ID", 0, 0,
		  "number of the attribute"),
	HEX_FIELD(struct saved_detail, modifier, 8, "modifier", "MODIFIER", 0, 0,
		  "attribute modifier"),
	STRING_FIELD(struct saved_detail, data, "data", "DATA", 0, 0, "the block as received"),
};

static const struct schema saved_detail_schema = SCHEMA(
	"fabric_details", struct saved_detail, detail_fields, "a block of a table of a saved scan");

static const struct field graph_fields[] = {
	STRING_FIELD(struct saved_graph, origin.time, "time", "TIME", 0, 0, "time of the scan"),
	STRING_FIELD(struct saved_graph, origin.host, "host", "HOST", 0, 0, "host that ran it"),
	STRING_FIELD(struct saved_graph, origin.device, "device", "DEVICE", 0, 0,
		     "device that it was run from"),
	UNSIGNED_FIELD(struct saved_graph, origin.port, "port", "PORT", 0, 0, "port of the device"),
	UNSIGNED_FIELD(struct saved_graph, origin.lid, "lid", "LID", 0, 0, "LID of the port"),
	STRING_FIELD(struct saved_graph, origin.from, "from", "FROM", 0, 0,
		     "where it began, as the user named it"),
	UNSIGNED_FIELD(struct saved_graph, origin.most_hops, "most_hops", "MOST HOPS", 0, 0,
		       "limit of hops from there"),
	BOOL_FIELD(struct saved_graph, complete, "complete", "COMPLETE", 0, 0,
		   "whether every query was answered"),
	BOOL_FIELD(struct saved_graph, interrupted, "interrupted", "INTERRUPTED", 0, 0,
		   "whether the scan was interrupted"),
	HELD_RECORDS_FIELD(struct saved_graph, nodes, &saved_node_schema, "nodes", 0, "all nodes"),
	HELD_RECORDS_FIELD(struct saved_graph, ports, &saved_port_schema, "ports", 0,
			   "all their ports but ports 0"),
	HELD_RECORDS_FIELD(struct saved_graph, links, &saved_link_schema, "links", 0, "all cables"),
	HELD_RECORDS_FIELD(struct saved_graph, unanswered, &saved_silence_schema, "unanswered", 0,
			   "queries without a usable answer"),
	HELD_RECORDS_FIELD(struct saved_graph, details, &saved_detail_schema, "details", 0,
			   "tables of ports"),
};

const struct schema saved_graph_schema = SCHEMA("fabric", struct saved_graph, graph_fields,
						"a saved scan");
