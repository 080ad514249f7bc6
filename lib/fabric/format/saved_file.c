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

/* These are only read: view_graph.c and view_columns.c have the same keys with help. */
#define NUMBER(...)			   UNSIGNED_FIELD(__VA_ARGS__, "", 0, 0, "")
#define GUID(...)			   GUID_FIELD(__VA_ARGS__, "", 0, 0, "")
#define YES_NO(...)			   BOOL_FIELD(__VA_ARGS__, "", 0, 0, "")
#define TEXT(...)			   STRING_FIELD(__VA_ARGS__, "", 0, 0, "")
#define HEX(record_, member_, key_)	   HEX_FIELD(record_, member_, 0, key_, "", 0, 0, "")
#define ROW(record_, kind_, member_, key_) kind_(record_, member_, key_),
#define SAVED_SCHEMA(name_, LIST_, schema_name_, summary_)                               \
	static const struct field name_##_fields[] = {LIST_(ROW, struct saved_##name_)}; \
	static const struct schema saved_##name_##_schema = SCHEMA(                      \
		schema_name_, struct saved_##name_, name_##_fields, summary_);
SAVED_SCHEMA(node, SAVED_NODE, "fabric_nodes", "a node of a saved scan")
SAVED_SCHEMA(port, SAVED_PORT, "fabric_ports", "a port of a saved scan")
SAVED_SCHEMA(link, SAVED_LINK, "fabric_links", "a cable of a saved scan")
SAVED_SCHEMA(failure, SAVED_FAILURE, "fabric_unanswered", "an unanswered query of a saved scan")
SAVED_SCHEMA(detail, SAVED_DETAIL, "fabric_details", "a block of a table of a saved scan")
SAVED_SCHEMA(fault, SAVED_FAULT, "fabric_faults", "a fault of a loaded text")

#define LIST(member_, schema_) HELD_RECORDS_FIELD(RECORD, member_, schema_, #member_, 0, "")
#define RECORD		       struct saved_graph
static const struct field graph_fields[] = {
	TEXT(RECORD, origin.time, "time"),
	TEXT(RECORD, origin.host, "host"),
	TEXT(RECORD, origin.device, "device"),
	NUMBER(RECORD, origin.port, "port"),
	NUMBER(RECORD, origin.lid, "lid"),
	TEXT(RECORD, origin.from, "from"),
	NUMBER(RECORD, origin.most_hops, "most_hops"),
	YES_NO(RECORD, complete, "complete"),
	YES_NO(RECORD, interrupted, "interrupted"),
	LIST(nodes, &saved_node_schema),
	LIST(ports, &saved_port_schema),
	LIST(links, &saved_link_schema),
	LIST(unanswered, &saved_failure_schema),
	LIST(faults, &saved_fault_schema),
	ENUM_FIELD(RECORD, source, fabric_source_names, "source", "", 0, 0, ""),
	/* The last one, which fabric_read_saved() may skip. */
	LIST(details, &saved_detail_schema),
};
#undef RECORD

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
		     const struct problems *problems)
{
	struct content content = {view, problems};

	return file_replace(path, write_content, &content);
}
