/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of a scan: its own JSON, ibnetdiscover's text, libibnetdisc's cache. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/clock.h"
#include "fabric/format/saved.h"
#include "fabric/format/topology.h"
#include "cmd/fabric/fabric_run.h"
#include "host/host.h"
#include "render/json_read.h"
#include "render/render.h"

/* A port takes about a kilobyte: this is half a million of them. */
#define MOST_BYTES ((size_t)512 * 1024 * 1024)

static const char save_hint[] = "save one: rdmactl fabric scan --save FILE";

static void fail(struct listing *listing, const char *path, const char *what, const char *why,
		 const char *hint)
{
	_cleanup_(freep) char *message = mem_format("cannot %s %s: %s", what, path, why);

	listing_fail(listing, STATUS_FAILED, message, hint);
}

static int read_saved(const char *text, size_t length, struct fabric *fabric, char **ret_message)
{
	const struct schema none = {.name = "none"};
	struct saved_graph *graphs = NULL;
	void *records = NULL;
	size_t count = 0;
	int rc = json_read(text, length, &none, NULL, &saved_graph_schema, &records, &count,
			   ret_message);

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
		record_clear(&saved_graph_schema, &graphs[i]);
	free(graphs);
	return rc;
}

static char first_character(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return *text;
}

/* The beginning of a file tells its format. */
static int read_any(const char *text, size_t length, struct fabric *fabric, char **ret_message)
{
	const void *bytes = text;

	if (fabric_is_cache(bytes, length))
		return fabric_read_cache(bytes, length, fabric, ret_message);
	if (first_character(text) == '{')
		return read_saved(text, length, fabric, ret_message);
	return fabric_read_topology(text, length, fabric, ret_message);
}

bool fabric_file_read(struct listing *listing, const char *path, struct fabric *fabric)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	size_t length;
	int rc = file_read(path, MOST_BYTES, &text, &length);

	if (rc) {
		fail(listing, path, "read", strerror(-rc), rc == -ENOENT ? save_hint : NULL);
		return false;
	}
	rc = read_any(text, length, fabric, &message);
	if (rc)
		fail(listing, path, "use",
		     message ? message
			     : "it is not a scan of rdmactl fabric --save or "
			       "ibnetdiscover",
		     save_hint);
	return !rc;
}

bool fabric_file_load(struct fabric_run *run, const char *path)
{
	return fabric_file_read(&run->mad.listing, path, &run->fabric);
}

void fabric_file_sign(struct fabric_run *run)
{
	const struct mad_port *port = &run->mad.session.port;
	const struct fabric_args *args = run->args;
	const char *from = args->from ? args->from : args->part;
	struct fabric_origin *origin = &run->fabric.origin;

	origin->time = utc_now();
	origin->host = host_name();
	origin->device = port->device ? mem_string(port->device) : NULL;
	origin->port = number_of(port->port);
	if (port->lid)
		origin->lid = number_of(port->lid);
	if (from)
		origin->from = text_clean(from, strlen(from));
	if (run->scan.most_hops)
		origin->most_hops = number_of(run->scan.most_hops);
}

static int write_graph(void *context, FILE *file)
{
	const struct render_options options = {.format = FORMAT_JSON};
	const struct fabric_run *run = context;
	struct fabric_graph graph;
	const void *row = &graph;
	struct document document = {
		.rows = &row,
		.row_count = 1,
		.problems = &run->mad.listing.problems,
		.sparse = true,
	};
	struct columns columns;
	char *bad = NULL;
	int rc = columns_select(&columns, &fabric_saved_schema, COLUMNS_ALL, NULL, &bad);

	if (rc)
		return rc;
	document.columns = &columns;
	fabric_graph_fill(&run->view, &graph);
	rc = render(file, &options, &document);
	fabric_graph_clear(&graph);
	columns_free(&columns);
	return rc;
}

bool fabric_file_save(struct fabric_run *run, const char *path)
{
	int rc = file_replace(path, write_graph, run);

	if (rc)
		fail(&run->mad.listing, path, "write",
		     rc == -EEXIST ? "it is not a regular file" : strerror(-rc), NULL);
	return !rc;
}
