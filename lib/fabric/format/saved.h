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

struct saved_node {
	struct number index, guid;
	struct number parent_index, parent_port;
	enum tristate duplicate_guid;
	char *info, *description, *switch_info, *port_0_info;  /* in hexadecimal */
	char *made_info, *made_switch_info, *made_port_0_info; /* likewise, made from a text */
};

struct saved_port {
	struct number node_index, node_guid, number;
	struct number port_guid;
	struct number peer_index, peer_guid, peer_port;
	struct number vendor_speed, vendor_speeds;
	enum tristate unanswered;
	char *info, *made_info; /* in hexadecimal: received, or made from a text */
};

struct saved_link {
	struct number node_index, port, peer_index, peer_port;
};

struct saved_failure {
	struct number node_index, port;
	struct number attribute, error, status, tries;
	enum tristate at_peer;
};

struct saved_detail {
	struct number node_index, port;
	struct number attribute, modifier;
	char *data; /* in hexadecimal */
};

struct saved_fault {
	struct number line;
	char *reason;
};

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
/* Replaces a file by the scan and its problems. Returns as fabric_file_read() does. */
int fabric_file_save(const char *path, const struct fabric_view *view,
		     const struct problems *problems, char **ret_message);
