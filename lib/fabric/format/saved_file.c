/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of scans: the keys from which a graph is built, and reading of all formats. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "fabric/format/saved.h"
#include "fabric/format/topology.h"
#include "render/json_read.h"
#include "render/render.h"

/* A port takes about a kilobyte, so this is half a million ports. */
#define MOST_SAVED_BYTES ((size_t)512 * 1024 * 1024)

/*
 * These are only read: view_graph.c and view_columns.c have the same keys with headings and help.
 */
static const struct field node_fields[] = {
	UNSIGNED_FIELD(struct saved_node, index, "node_index", "", 0, 0, ""),
	GUID_FIELD(struct saved_node, guid, "node_guid", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_node, parent_index, "parent_index", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_node, parent_port, "parent_port", "", 0, 0, ""),
	BOOL_FIELD(struct saved_node, duplicate_guid, "duplicate_guid", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, info, "node_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, description, "node_description", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, switch_info, "switch_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, port_0_info, "port_0_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, made_info, "made_node_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, made_switch_info, "made_switch_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_node, made_port_0_info, "made_port_0_info", "", 0, 0, ""),
};

static const struct schema saved_node_schema = SCHEMA("fabric_nodes", struct saved_node,
						      node_fields, "a node of a saved scan");

static const struct field port_fields[] = {
	UNSIGNED_FIELD(struct saved_port, number, "port", "", 0, 0, ""),
	BOOL_FIELD(struct saved_port, unanswered, "unanswered", "", 0, 0, ""),
	GUID_FIELD(struct saved_port, node_guid, "node_guid", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_port, node_index, "node_index", "", 0, 0, ""),
	GUID_FIELD(struct saved_port, peer_guid, "peer_guid", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_port, peer_port, "peer_port", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_port, peer_index, "peer_index", "", 0, 0, ""),
	GUID_FIELD(struct saved_port, port_guid, "port_guid", "", 0, 0, ""),
	STRING_FIELD(struct saved_port, info, "port_info", "", 0, 0, ""),
	STRING_FIELD(struct saved_port, made_info, "made_port_info", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_port, vendor_speed, "vendor_speed_code", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_port, vendor_speeds, "vendor_speed_supported_code", "", 0, 0,
		       ""),
};

static const struct schema saved_port_schema = SCHEMA("fabric_ports", struct saved_port,
						      port_fields, "a port of a saved scan");

static const struct field link_fields[] = {
	UNSIGNED_FIELD(struct saved_link, port, "port", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_link, node_index, "node_index", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_link, peer_port, "peer_port", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_link, peer_index, "peer_index", "", 0, 0, ""),
};

static const struct schema saved_link_schema = SCHEMA("fabric_links", struct saved_link,
						      link_fields, "a cable of a saved scan");

static const struct field failure_fields[] = {
	UNSIGNED_FIELD(struct saved_failure, port, "port", "", 0, 0, ""),
	BOOL_FIELD(struct saved_failure, at_peer, "behind", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_failure, tries, "tries", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_failure, node_index, "node_index", "", 0, 0, ""),
	HEX_FIELD(struct saved_failure, attribute, 4, "attribute_id", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_failure, error, "errno", "", 0, 0, ""),
	HEX_FIELD(struct saved_failure, status, 4, "status", "", 0, 0, ""),
};

static const struct schema saved_failure_schema = SCHEMA("fabric_unanswered", struct saved_failure,
							 failure_fields,
							 "an unanswered query of a saved scan");

static const struct field detail_fields[] = {
	UNSIGNED_FIELD(struct saved_detail, port, "port", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_detail, node_index, "node_index", "", 0, 0, ""),
	HEX_FIELD(struct saved_detail, attribute, 4, "attribute_id", "", 0, 0, ""),
	HEX_FIELD(struct saved_detail, modifier, 8, "modifier", "", 0, 0, ""),
	STRING_FIELD(struct saved_detail, data, "data", "", 0, 0, ""),
};

static const struct schema saved_detail_schema = SCHEMA(
	"fabric_details", struct saved_detail, detail_fields, "a block of a table of a saved scan");

static const struct field fault_fields[] = {
	UNSIGNED_FIELD(struct saved_fault, line, "line", "", 0, 0, ""),
	STRING_FIELD(struct saved_fault, reason, "reason", "", 0, 0, ""),
};

static const struct schema saved_fault_schema = SCHEMA("fabric_faults", struct saved_fault,
						       fault_fields, "a fault of a loaded text");

static const struct field graph_fields[] = {
	STRING_FIELD(struct saved_graph, origin.time, "time", "", 0, 0, ""),
	STRING_FIELD(struct saved_graph, origin.host, "host", "", 0, 0, ""),
	STRING_FIELD(struct saved_graph, origin.device, "device", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_graph, origin.port, "port", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_graph, origin.lid, "lid", "", 0, 0, ""),
	STRING_FIELD(struct saved_graph, origin.from, "from", "", 0, 0, ""),
	UNSIGNED_FIELD(struct saved_graph, origin.most_hops, "most_hops", "", 0, 0, ""),
	BOOL_FIELD(struct saved_graph, complete, "complete", "", 0, 0, ""),
	BOOL_FIELD(struct saved_graph, interrupted, "interrupted", "", 0, 0, ""),
	HELD_RECORDS_FIELD(struct saved_graph, nodes, &saved_node_schema, "nodes", 0, ""),
	HELD_RECORDS_FIELD(struct saved_graph, ports, &saved_port_schema, "ports", 0, ""),
	HELD_RECORDS_FIELD(struct saved_graph, links, &saved_link_schema, "links", 0, ""),
	HELD_RECORDS_FIELD(struct saved_graph, unanswered, &saved_failure_schema, "unanswered", 0,
			   ""),
	HELD_RECORDS_FIELD(struct saved_graph, faults, &saved_fault_schema, "faults", 0, ""),
	ENUM_FIELD(struct saved_graph, source, fabric_source_names, "source", "", 0, 0, ""),
	/* The last one, which fabric_read_saved() may skip. */
	HELD_RECORDS_FIELD(struct saved_graph, details, &saved_detail_schema, "details", 0, ""),
};

const struct schema saved_graph_schema = SCHEMA("fabric", struct saved_graph, graph_fields,
						"a saved scan");

int fabric_read_saved(const char *text, size_t length, bool details, struct fabric *fabric,
		      char **ret_message)
{
	const struct schema none = {.name = "none"};
	struct schema schema = saved_graph_schema;
	_cleanup_(freep) struct saved_graph *graphs = NULL;
	void *records = NULL;
	size_t count = 0;
	int rc;

	/* Keys that the schema lacks are skipped. */
	if (!details)
		schema.field_count--;
	rc = json_read(text, length, &none, NULL, &schema, &records, &count, ret_message);

	if (rc == -ENOMSG)
		*ret_message = mem_format("its schema is not rdmactl/%s/%u",
					  saved_graph_schema.name, saved_graph_schema.version);
	if (rc)
		return rc;
	graphs = records;
	if (count == 1) {
		rc = saved_graph_make(&graphs[0], fabric, ret_message);
	} else {
		*ret_message = mem_format("it holds %zu scans", count);
		rc = -EINVAL;
	}
	for (size_t i = 0; i < count; i++)
		record_clear(&schema, &graphs[i]);
	return rc;
}

/* The beginning of a file tells its format. */
static int read_any(const char *text, size_t length, bool details, struct fabric *fabric,
		    char **ret_message)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark, which some editors write */
	const void *bytes = text;

	if (length >= strlen(mark) && !memcmp(text, mark, strlen(mark))) {
		text += strlen(mark);
		length -= strlen(mark);
	}
	if (fabric_is_cache(bytes, length))
		return fabric_read_cache(bytes, length, fabric, ret_message);
	if (text[strspn(text, " \t\n\v\f\r")] == '{')
		return fabric_read_saved(text, length, details, fabric, ret_message);
	return fabric_read_topology(text, length, fabric, ret_message);
}

int fabric_file_read(const char *path, bool details, struct fabric *fabric, char **ret_message)
{
	char *text = NULL, *why = NULL;
	size_t length;
	int rc = file_read(path, MOST_SAVED_BYTES, &text, &length);

	if (rc) {
		*ret_message = mem_format("cannot read %s: %s", path, strerror(-rc));
		return rc;
	}
	rc = read_any(text, length, details, fabric, &why);
	if (rc)
		*ret_message = mem_format(
			"cannot use %s: %s", path,
			why ? why : "it is not a scan from rdmactl fabric --save or ibnetdiscover");
	free(text);
	free(why);
	return rc;
}

struct content {
	const struct fabric_view *view;
	const struct problems *problems;
};

static int write_content(void *context, FILE *file)
{
	const struct render_options options = {.format = FORMAT_JSON};
	const struct content *content = context;
	_cleanup_(columns_free) struct columns columns = columns_of(&fabric_saved_schema,
								    COLUMNS_ALL);
	_cleanup_(fabric_graph_clear) struct fabric_graph graph = {.nodes.count = 0};
	const void *row = &graph;

	fabric_graph_fill(content->view, &graph);
	return render(file, &options,
		      &(struct document){
			      .columns = &columns,
			      .rows = &row,
			      .row_count = 1,
			      .problems = content->problems,
			      .sparse = true,
		      });
}

int fabric_file_save(const char *path, const struct fabric_view *view,
		     const struct problems *problems, char **ret_message)
{
	struct content content = {view, problems};
	int rc = file_replace(path, write_content, &content);

	if (rc)
		*ret_message = mem_format("cannot write %s: %s", path, file_replace_error(rc));
	return rc;
}
