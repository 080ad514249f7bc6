/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A scan as stored in a file (fabric --save: the one row of fabric_saved_schema), and the graph
 * built from it. The schemas here have only those keys of fabric_graph_schema and its lists that
 * the graph needs; the others follow from them. Every value of the file is checked.
 */
#pragma once

#include "fabric/graph/view.h"
#include "schema/problem.h"
#include "schema/schema.h"

/* Strings and lists are owned: see record_clear(). */
struct saved_graph {
	struct fabric_origin origin;
	enum tristate complete, interrupted;
	struct records nodes;	   /* struct saved_node */
	struct records ports;	   /* struct saved_port: all except ports 0 */
	struct records links;	   /* struct saved_link */
	struct records unanswered; /* struct saved_failure */
	struct records details;	   /* struct saved_detail */
	struct records faults;	   /* struct saved_fault */
	struct number source;	   /* enum fabric_source; unknown: FABRIC_SCAN */
};

/*
 * The records in these lists: kind, member and key of each value. Bytes are in hexadecimal: as
 * received or, with the prefix made_, made from a text.
 */
#define SAVED_NODE(VALUE, RECORD)                                 \
	VALUE(RECORD, NUMBER, index, "node_index")                \
	VALUE(RECORD, GUID, guid, "node_guid")                    \
	VALUE(RECORD, NUMBER, parent_index, "parent_index")       \
	VALUE(RECORD, NUMBER, parent_port, "parent_port")         \
	VALUE(RECORD, YES_NO, duplicate_guid, "duplicate_guid")   \
	VALUE(RECORD, TEXT, info, "node_info")                    \
	VALUE(RECORD, TEXT, description, "node_description")      \
	VALUE(RECORD, TEXT, switch_info, "switch_info")           \
	VALUE(RECORD, TEXT, port_0_info, "port_0_info")           \
	VALUE(RECORD, TEXT, made_info, "made_node_info")          \
	VALUE(RECORD, TEXT, made_switch_info, "made_switch_info") \
	VALUE(RECORD, TEXT, made_port_0_info, "made_port_0_info")
#define SAVED_PORT(VALUE, RECORD)                                \
	VALUE(RECORD, NUMBER, number, "port")                    \
	VALUE(RECORD, YES_NO, unanswered, "unanswered")          \
	VALUE(RECORD, GUID, node_guid, "node_guid")              \
	VALUE(RECORD, NUMBER, node_index, "node_index")          \
	VALUE(RECORD, GUID, peer_guid, "peer_guid")              \
	VALUE(RECORD, NUMBER, peer_port, "peer_port")            \
	VALUE(RECORD, NUMBER, peer_index, "peer_index")          \
	VALUE(RECORD, GUID, port_guid, "port_guid")              \
	VALUE(RECORD, TEXT, info, "port_info")                   \
	VALUE(RECORD, TEXT, made_info, "made_port_info")         \
	VALUE(RECORD, NUMBER, vendor_speed, "vendor_speed_code") \
	VALUE(RECORD, NUMBER, vendor_speeds, "vendor_speed_supported_code")
#define SAVED_LINK(VALUE, RECORD)                       \
	VALUE(RECORD, NUMBER, port, "port")             \
	VALUE(RECORD, NUMBER, node_index, "node_index") \
	VALUE(RECORD, NUMBER, peer_port, "peer_port")   \
	VALUE(RECORD, NUMBER, peer_index, "peer_index")
#define SAVED_FAILURE(VALUE, RECORD)                    \
	VALUE(RECORD, NUMBER, port, "port")             \
	VALUE(RECORD, YES_NO, at_peer, "behind")        \
	VALUE(RECORD, NUMBER, tries, "tries")           \
	VALUE(RECORD, NUMBER, node_index, "node_index") \
	VALUE(RECORD, HEX, attribute, "attribute_id")   \
	VALUE(RECORD, NUMBER, error, "errno")           \
	VALUE(RECORD, HEX, status, "status")
#define SAVED_DETAIL(VALUE, RECORD)                     \
	VALUE(RECORD, NUMBER, port, "port")             \
	VALUE(RECORD, NUMBER, node_index, "node_index") \
	VALUE(RECORD, HEX, attribute, "attribute_id")   \
	VALUE(RECORD, HEX, modifier, "modifier")        \
	VALUE(RECORD, TEXT, data, "data")
#define SAVED_FAULT(VALUE, RECORD) \
	VALUE(RECORD, NUMBER, line, "line") VALUE(RECORD, TEXT, reason, "reason")

#define SAVED_AS_NUMBER				    struct number
#define SAVED_AS_GUID				    struct number
#define SAVED_AS_HEX				    struct number
#define SAVED_AS_YES_NO				    enum tristate
#define SAVED_AS_TEXT				    char *
#define SAVED_MEMBER(record_, kind_, member_, key_) SAVED_AS_##kind_ member_;
#define SAVED_RECORD(record_, LIST_)		    record_{LIST_(SAVED_MEMBER, record_)};
SAVED_RECORD(struct saved_node, SAVED_NODE)
SAVED_RECORD(struct saved_port, SAVED_PORT)
SAVED_RECORD(struct saved_link, SAVED_LINK)
SAVED_RECORD(struct saved_failure, SAVED_FAILURE)
SAVED_RECORD(struct saved_detail, SAVED_DETAIL)
SAVED_RECORD(struct saved_fault, SAVED_FAULT)

extern const struct schema saved_graph_schema;

/*
 * Fills an empty fabric; the strings of the origin are moved to it. Returns 0, or -EINVAL with
 * *ret_message, one line that says what is wrong and where; to be freed.
 */
int saved_graph_make(struct saved_graph *saved, struct fabric *fabric, char **ret_message);

/*
 * Does the same from the text of a file; returns -ENOMSG for another document, also with a message.
 * The details are most of a scan with forwarding tables: without `details` they are skipped.
 */
int fabric_read_saved(const char *text, size_t length, bool details, struct fabric *fabric,
		      char **ret_message);

/*
 * Fills an empty fabric from a file: a saved scan, or a text, net file or cache of topology.h.
 * Returns 0, or -errno with *ret_message, a line that names the file; to be freed.
 */
int fabric_file_read(const char *path, bool details, struct fabric *fabric, char **ret_message);
/* Replaces a file by the scan and its problems. Returns as file_replace() does. */
int fabric_file_save(const char *path, const struct fabric_view *view,
		     const struct problems *problems);
