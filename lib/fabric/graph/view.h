/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A scan as records: nodes, ports, cables, and failed queries. A row is an index into the graph;
 * its values are computed when it is printed, so that rows cost little.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "fabric/graph/chassis.h"
#include "fabric/graph/graph.h"
#include "mad/names/node_names.h"
#include "schema/schema.h"

/* The caller owns all of these, and they outlive the rows. */
struct fabric_view {
	const struct fabric *fabric;
	const struct node_names *names;	    /* or NULL */
	const struct chassis_list *chassis; /* NULL if not looked for */
};

/* The record type of all schemas here. */
struct fabric_row {
	const struct fabric_view *view;
	uint32_t place; /* index of the node, the port, the first port of the cable, the failure,
			   the detail or the fault */
};

struct fabric_rows {
	struct fabric_row *items;
	size_t count;
};

extern const struct schema fabric_nodes_schema;
extern const struct schema fabric_ports_schema;
extern const struct schema fabric_links_schema;
extern const struct schema fabric_port_schema; /* an end of a link */
extern const struct schema fabric_unanswered_schema;
extern const struct schema fabric_details_schema;
extern const struct enum_name fabric_source_names[];
/* The scan as one row, with all the other records in lists. */
extern const struct schema fabric_graph_schema;
/* The same in a file: only the keys from which the graph can be rebuilt. */
extern const struct schema fabric_saved_schema;

struct fabric_graph {
	struct fabric_origin origin; /* borrowed from the fabric */
	struct fabric_rows nodes, ports, links, unanswered, details, faults;
	/* Every query was answered, the scan was not interrupted, and a text has no faults. */
	enum tristate complete;
	struct number source; /* enum fabric_source; unknown: FABRIC_SCAN */
	enum tristate interrupted;
};

/* Returns a node's name, from the map of names, its description or its GUID; to be freed. */
char *fabric_node_name(const struct fabric_view *view, uint32_t node);
/* Writes the name into a buffer, and truncates long names. */
#define FABRIC_NAME_SIZE 260 /* 64 bytes, each \xNN */
void fabric_node_name_into(const struct fabric_view *view, uint32_t node,
			   char name[static FABRIC_NAME_SIZE]);
/* Returns `leaf 3/12`, for messages; only the name for port 0 of an adapter. To be freed. */
char *fabric_port_name(const struct fabric_view *view, uint32_t port);
/* Returns the object and the message of a problem about a failed query; both to be freed. */
void fabric_failure_text(const struct fabric_view *view, const struct fabric_failure *failure,
			 char **ret_object, char **ret_message);

/*
 * Finds the directed route to the node that did not answer, as fabric_path() does; it has one hop
 * more than a route can have if the node is too far away.
 */
int fabric_failure_path(const struct fabric *fabric, const struct fabric_failure *failure,
			uint8_t path[static MAD_HOPS_MOST + 2]);

/* Appends all nodes of a type (0: any) in the order of discovery. */
void fabric_list_nodes(const struct fabric_view *view, unsigned int type, struct fabric_rows *rows);
/*
 * Appends all ports except port 0 by node: switches first, then the others, in the order of
 * discovery; with `wanted`, only ports for which it returns true. Half of the ports of a large
 * subnet have no link, and rows take most of the memory besides the graph.
 */
typedef bool port_filter(const struct fabric *fabric, uint32_t port);
void fabric_list_ports(const struct fabric_view *view, port_filter *wanted,
		       struct fabric_rows *rows);
/* Appends all cables, each once, in the order of their first ports. */
void fabric_list_links(const struct fabric_view *view, struct fabric_rows *rows);
void fabric_list_details(const struct fabric_view *view, struct fabric_rows *rows);
DEFINE_CLEAR(struct fabric_rows, fabric_rows_clear, free(object->items))

void fabric_graph_fill(const struct fabric_view *view, struct fabric_graph *graph);
DEFINE_CLEAR(struct fabric_graph, fabric_graph_clear, fabric_rows_clear(&object->nodes),
	     fabric_rows_clear(&object->ports), fabric_rows_clear(&object->links),
	     fabric_rows_clear(&object->unanswered), fabric_rows_clear(&object->details),
	     fabric_rows_clear(&object->faults))

/*
 * Shared by the columns of all records of a subnet. A getter leaves the value empty if its row is
 * empty. The columns of a place are for records that begin with a struct fabric_row whose place is
 * a port; FABRIC_NONE means no port.
 */

/* NULL if the row is empty. */
static inline const struct fabric *fabric_of(const struct fabric_row *row)
{
	return row->view ? row->view->fabric : NULL;
}

/* Defines the function that returns what the row is an index of; NULL if the row is empty. */
#define ITEM_OF(name_, type_, items_)                                               \
	static const struct type_ *name_(const void *record)                        \
	{                                                                           \
		const struct fabric_row *row = record;                              \
		return fabric_of(row) ? &fabric_of(row)->items_[row->place] : NULL; \
	}

void view_set_guid(struct value *value, uint64_t guid);
void view_set_bytes(struct value *value, const uint8_t *bytes, size_t count);
void view_set_hex(struct value *value, int digits, uint32_t number);
/* For counts and codes where 0 means unknown. */
void view_set_known(struct value *value, uint64_t number);
void view_set_path(struct value *value, const uint8_t *path, int hops);

typedef void view_getter(const void *record, struct value *value);

/* Returns NULL if the record has no port. */
const struct fabric_port *place_port(const void *record);

view_getter place_get_node, place_get_port, place_get_guid, place_get_type, place_get_index;
view_getter place_get_lid, place_get_state, place_get_lanes, place_get_speed, place_get_rate;
view_getter place_get_could_be, place_get_mtu, place_get_vls;
/* These do the same for the port at the other end. */
view_getter place_get_peer, place_get_peer_port, place_get_peer_guid, place_get_peer_type;
view_getter place_get_peer_lid;

/* Defines a getter that does `set_` with the `row`, its `at_` and the `value`, if `when_` is true.
 */
#define VIEW_GETTER(linkage_, name_, type_, at_, find_, when_, set_)           \
	linkage_ void name_(const void *record, struct value *value)           \
	{                                                                      \
		const struct type_ *at_ = find_(record);                       \
		const struct fabric_row *row __attribute__((unused)) = record; \
		if (at_ && (when_))                                            \
			set_;                                                  \
	}

/* Defines a getter that applies `get_` to the row that `row_of_` makes from the record. */
#define GETTER_OF(linkage_, name_, row_of_, get_)                    \
	linkage_ void name_(const void *record, struct value *value) \
	{                                                            \
		const struct fabric_row other = row_of_(record);     \
		get_(&other, value);                                 \
	}

/* Defines the function that makes the row of another port, a member of the record. */
#define ROW_OF(name_, record_, port_)                                                  \
	static struct fabric_row name_(const void *record)                             \
	{                                                                              \
		const record_ *row = record;                                           \
		return (struct fabric_row){.view = row->at.view, .place = row->port_}; \
	}

#define VIEW_COLUMN(kind_, get_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_, key_, heading_, flags_, 0, help_)
/* The same for each kind, like the rows of schema/rows.h; numbers are right-aligned. */
#define VIEW_TEXT(...)	 VIEW_COLUMN(FIELD_STRING, __VA_ARGS__)
#define VIEW_WORD(...)	 VIEW_COLUMN(FIELD_ENUM, __VA_ARGS__)
#define VIEW_GUID(...)	 VIEW_COLUMN(FIELD_GUID, __VA_ARGS__)
#define VIEW_YES_NO(...) VIEW_COLUMN(FIELD_BOOL, __VA_ARGS__)
#define VIEW_NUMBER(get_, key_, heading_, flags_, help_) \
	VIEW_COLUMN(FIELD_UNSIGNED, get_, key_, heading_, (flags_) | FIELD_RIGHT, help_)

/* Tags columns of a switch's port that need what fabric_scan_options.no_end_ports skips. */
enum { VIEW_NEEDS_END_PORTS = 1 };
#define VIEW_END_COLUMN(kind_, get_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(kind_, get_, key_, heading_, flags_, VIEW_NEEDS_END_PORTS, help_)

/* The two ends of a cable: the first columns of most tables of ports. */
#define PORT_COLUMNS(get_port_)                                                       \
	VIEW_TEXT(place_get_node, "node", "NODE", FIELD_DEFAULT, "name of the node"), \
		VIEW_NUMBER(get_port_, "port", "PORT", FIELD_DEFAULT, "number of the port")
#define PEER_COLUMNS                                                                      \
	VIEW_TEXT(place_get_peer, "peer", "PEER", FIELD_DEFAULT,                          \
		  "name of the node at the other end"),                                   \
		VIEW_NUMBER(place_get_peer_port, "peer_port", "PEER PORT", FIELD_DEFAULT, \
			    "number of the port at the other end")
#define NODE_GUID_COLUMN VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the node")
#define PEER_GUID_COLUMN                                            \
	VIEW_GUID(place_get_peer_guid, "peer_guid", "PEER GUID", 0, \
		  "GUID of the node at the other end")
#define NODE_INDEX_COLUMN(get_) \
	VIEW_NUMBER(get_, "node_index", "NODE INDEX", 0, "number of the node in the scan")
#define LID_COLUMN                                                                \
	VIEW_END_COLUMN(FIELD_UNSIGNED, place_get_lid, "lid", "LID", FIELD_RIGHT, \
			"LID of the port; all ports of a switch share one")
#define PEER_LID_COLUMN                                                                          \
	VIEW_END_COLUMN(FIELD_UNSIGNED, place_get_peer_lid, "peer_lid", "PEER LID", FIELD_RIGHT, \
			"LID of the port at the other end")
#define WIDTH_COLUMN                                                        \
	VIEW_NUMBER(place_get_lanes, "width_lanes", "LANES", FIELD_DEFAULT, \
		    "active width of the link")
#define SPEED_COLUMN \
	VIEW_WORD(place_get_speed, "speed", "SPEED", FIELD_DEFAULT, "active speed of the link")
#define RATE_COLUMN(flags_)                                                                       \
	VIEW_COLUMN(FIELD_REAL, place_get_rate, "rate_gbps", "RATE Gb/s", (flags_) | FIELD_RIGHT, \
		    "rate of the link in gigabits per second")
#define COULD_BE_COLUMN(flags_)                                       \
	VIEW_TEXT(place_get_could_be, "could_be", "COULD BE", flags_, \
		  "best width and speed that both ends support, if the link runs at less")

#define PLACE_COLUMNS(get_port_) \
	PORT_COLUMNS(get_port_), PEER_COLUMNS, NODE_GUID_COLUMN, LID_COLUMN, PEER_GUID_COLUMN
