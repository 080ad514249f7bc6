/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric scan: switches and the nodes at their ports; the graph in JSON. */

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/diff/diff.h"
#include "fabric/format/drawing.h"

/* The table shows ports of switches with a node at the other end, known or not. */
static bool is_shown(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_port *port = &fabric->ports[place];

	if (!fabric_is_of_switch(fabric, place))
		/* Adapters cabled to each other have no switch in the table. */
		return port->peer != FABRIC_NONE && !fabric_is_of_switch(fabric, port->peer);
	return port->peer != FABRIC_NONE || port->unanswered || fabric_is_up(port);
}

static int print_graph(const struct ctx *ctx, const struct fabric_args *args)
{
	_cleanup_(fabric_graph_clear) struct fabric_graph graph = {.nodes.count = 0};
	struct fabric_run run = {.live = false};

	if (fabric_run_begin(&run, ctx, args, &fabric_graph_schema)) {
		fabric_run_find_chassis(&run);
		fabric_graph_fill(&run.view, &graph);
		listing_add(&run.mad.listing, &graph);
	}
	return fabric_run_end(&run);
}

static int print_rows(const struct ctx *ctx, const struct fabric_args *args)
{
	_cleanup_(fabric_rows_clear) struct fabric_rows rows = {.items = NULL};
	struct fabric_run run = {.live = false};

	if (fabric_run_begin(&run, ctx, args,
			     args->details ? &fabric_details_schema : &fabric_ports_schema)) {
		if (args->details)
			fabric_list_details(&run.view, &rows);
		else
			fabric_list_ports(&run.view, is_shown, &rows);
		for (size_t i = 0; i < rows.count; i++)
			listing_add(&run.mad.listing, &rows.items[i]);
	}
	return fabric_run_end(&run);
}

/* For --jsonl: the rows of a node are printed as soon as all queries about it are answered. */
struct stream {
	uint32_t next;	 /* the first node that is not printed yet */
	uint32_t *peers; /* by port: the peer that it was printed with */
	uint32_t room;	 /* number of entries in peers */
	struct fabric_row rows[FABRIC_PORT_MOST];
};

/* Whether everything that is printed about the peer of a port is known. */
static bool is_peer_settled(const struct fabric *fabric, uint32_t place)
{
	const uint32_t number = fabric->ports[place].peer;
	const struct fabric_port *peer = &fabric->ports[number];
	const struct fabric_node *other = &fabric->nodes[peer->node];

	return !other->pending ||
	       (peer->has_info && other->has_description && !fabric_may_be_fdr10(fabric, number) &&
		!chassis_peer_is_placed_by_links(fabric, place));
}

static bool is_settled(const struct fabric *fabric, uint32_t number)
{
	const struct fabric_node *node = &fabric->nodes[number];

	if (node->pending || node->ambiguous)
		return false;
	for_each_port_of (place, node)
		if (fabric->ports[place].peer != FABRIC_NONE && !is_peer_settled(fabric, place))
			return false;
	return true;
}

static void make_room(struct stream *stream, const struct fabric *fabric)
{
	if (stream->room >= fabric->port_count)
		return;
	stream->peers = mem_resize(stream->peers, fabric->port_count, sizeof(*stream->peers));
	for (; stream->room < fabric->port_count; stream->room++)
		stream->peers[stream->room] = FABRIC_NONE;
}

/* Prints the ports of a node or, if `again`, only those whose peer has changed since. */
static void put_node(struct fabric_run *run, struct stream *stream, uint32_t number, bool again)
{
	const struct fabric_node *node = &run->fabric.nodes[number];
	struct fabric_row *row = stream->rows;

	make_room(stream, &run->fabric);
	for_each_port_of (place, node) {
		const uint32_t peer = run->fabric.ports[place].peer;

		if (!is_shown(&run->fabric, place) || (again && stream->peers[place] == peer))
			continue;
		*row = (struct fabric_row){.view = &run->view, .place = place};
		listing_add(&run->mad.listing, row++);
		stream->peers[place] = peer;
	}
	/* Stop the scan if nobody reads the output. */
	if (row > stream->rows && !listing_piece(&run->mad.listing))
		run->mad.session.stopped = true;
}

static void put_settled(struct fabric_run *run)
{
	struct stream *stream = run->context;

	for (; stream->next < run->fabric.node_count && is_settled(&run->fabric, stream->next);
	     stream->next++)
		put_node(run, stream, stream->next, false);
}

static int stream_ports(const struct ctx *ctx, const struct fabric_args *args)
{
	_cleanup_(freep) struct stream *stream = mem_alloc_zero(1, sizeof(*stream));
	struct fabric_run run = {.on_reply = put_settled, .context = stream};
	int status;

	if (fabric_run_begin(&run, ctx, args, &fabric_ports_schema))
		for (uint32_t i = 0; i < run.fabric.node_count; i++)
			put_node(&run, stream, i, i < stream->next);
	status = fabric_run_end(&run);
	free(stream->peers);
	return status;
}

static int print_format(const struct ctx *ctx, const struct fabric_args *args)
{
	struct fabric_run run = {.live = false};
	_cleanup_(freep) char *text = NULL;
	int rc = 0;

	if (fabric_run_begin(&run, ctx, args, &fabric_ports_schema))
		text = args->tree
			       ? fabric_tree_text(&run.view, ctx->globals.verbose)
			       : fabric_format_text(&run, (enum fabric_format)args->format.value);
	if (text && !run.mad.listing.silent)
		rc = render_text(stdout, text);
	mad_listing_tell_port(&run.mad);
	return fabric_run_end_quietly(&run, rc);
}

/* Failures of this scan are problems already; those of the earlier one only get a note. */
static void note_incomplete(struct fabric_run *run)
{
	if (run->before.failure_count || run->before.interrupted)
		fabric_run_problem(run, NULL, "the scan in %s is not complete", run->args->diff);
	else if (!run->mad.listing.problems.count)
		fabric_run_problem(run, NULL,
				   "one of the scans did not see everything that the other saw");
}

static int print_diff(const struct ctx *ctx, const struct fabric_args *args)
{
	_cleanup_(fabric_changes_clear) struct fabric_changes changes = {.items = NULL};
	struct fabric_run run = {.live = false};

	if (fabric_run_begin(&run, ctx, args, &fabric_changes_schema)) {
		const struct fabric_view before = {.fabric = &run.before, .names = run.view.names};
		const unsigned int compared = args->compare.known
						      ? (unsigned int)args->compare.value
						      : COMPARE_ALL;
		struct listing *listing = &run.mad.listing;
		const bool *down[SIDES];

		if (run.fabric.by_port != run.before.by_port)
			fabric_split_adapters(run.fabric.by_port ? &run.before : &run.fabric);
		fabric_run_find_expected(&run);
		fabric_compare(&before, &run.view, compared, &changes);
		down[BEFORE] = run.expected_before;
		down[AFTER] = run.expected;
		fabric_changes_choose(&changes, compared, run.expected ? down : NULL);
		for (size_t i = 0; i < changes.count; i++)
			listing_add(listing, &changes.items[i]);
		if (changes.incomplete)
			note_incomplete(&run);
		if (changes.changed && listing->status == STATUS_DONE)
			listing->status = STATUS_FAULT;
	}
	return fabric_run_end(&run);
}

/* Returns NULL if the options fit the format. */
static const char *misfit(const struct fabric_args *args)
{
	const bool draws = args->format.value == FABRIC_FORMAT_DOT ||
			   args->format.value == FABRIC_FORMAT_SVG;

	if (args->scheme.known && !draws)
		return "--scheme is for --format dot and svg";
	if (args->grouping && !draws && args->format.value != FABRIC_FORMAT_IBNETDISCOVER)
		return "--grouping is for --format ibnetdiscover, dot and svg";
	if (args->scheme.value == DRAWING_ERRORS && args->load)
		return "--scheme errors reads counters: it cannot be used with --load";
	return NULL;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;

	(void)objects;
	if (misfit(args))
		return command_complain(ctx, misfit(args), NULL);
	if (args->diff)
		return print_diff(ctx, args);
	if (args->format.known || args->tree)
		return print_format(ctx, args);
	if (ctx->globals.json)
		return print_graph(ctx, args);
	return ctx->globals.jsonl && !args->details ? stream_ports(ctx, args)
						    : print_rows(ctx, args);
}

static const struct enum_name format_names[] = {
	{FABRIC_FORMAT_IBNETDISCOVER, "ibnetdiscover", .help = "as ibnetdiscover prints it"},
	{FABRIC_FORMAT_IBLINKINFO, "iblinkinfo", .help = "as iblinkinfo prints it"},
	{FABRIC_FORMAT_SLURM, "slurm", .help = "topology.conf of Slurm"},
	{FABRIC_FORMAT_DOT, "dot", .help = "a graph for Graphviz"},
	{FABRIC_FORMAT_SVG, "svg", .help = "a picture, drawn by Graphviz's dot"},
	{0, NULL},
};

static const struct enum_name scheme_names[] = {
	{DRAWING_STATE, "state", .help = "cables by width and speed, faults in colours"},
	{DRAWING_SPEED, "speed", .help = "cables by speed"},
	{DRAWING_WIDTH, "width", .help = "cables by width"},
	{DRAWING_ERRORS, "errors", .help = "cables by the errors that their ports have counted"},
	{DRAWING_LEVEL, "level", .help = "switches by their level in the tree"},
	{DRAWING_TYPE, "type", .help = "nodes by type"},
	{DRAWING_DEVICE, "device", .help = "nodes by vendor and device ID"},
	{DRAWING_CHASSIS, "chassis", .help = "nodes by the chassis that they are in"},
	{0, NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct fabric_args, tree, 0, "tree", "print the subnet as a tree"),
	STRING_OPTION(struct fabric_args, diff, 0, "diff", "FILE", COMPLETE_FILE,
		      "print the differences from the scan in a file"),
	CHOICES_OPTION(struct fabric_args, compare, 0, "compare", "LIST", fabric_compared_names,
		       "--diff compares only these (default all)"),
	FABRIC_EXPECTED_OPTION,
	CHOICE_OPTION(struct fabric_args, format, 0, "format", "FORMAT", format_names,
		      "print the scan in the format of another tool"),
	CHOICE_OPTION(struct fabric_args, scheme, 0, "scheme", "SCHEME", scheme_names,
		      "what the colours of dot and svg show (default state)"),
	FLAG_OPTION(struct fabric_args, grouping, 0, "grouping",
		    "group nodes by chassis in formats ibnetdiscover, dot and svg"),
	FLAG_OPTION(struct fabric_args, details, 0, "details",
		    "also read P_Keys, GUIDs and VL tables"),
	FLAG_OPTION(struct fabric_args, routes, 0, "routes",
		    "also read forwarding tables, for --save and --details"),
	{.name = NULL},
};

static const struct option_rule scan_rules[] = {
	FABRIC_LOAD_RULE,
	OPTIONS_NEED("lid guid gid direct node", "from switch", NULL),
	OPTIONS_NEED("compare expected-down", "diff", NULL),
	OPTIONS_NEED("scheme grouping", "format", NULL),
	{.options = NULL},
};

static const struct schema *const more_schemas[] = {
	&fabric_graph_schema,
	&fabric_unanswered_schema,
	&fabric_details_schema,
	&fabric_changes_schema,
	NULL,
};

const struct command fabric_scan_command = {
	.name = "scan",
	.summary = "show switches and what is attached to their ports",
	.options = {options, fabric_load_options, fabric_scan_options, mad_options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_ports_schema,
	.more_schemas = more_schemas,
	.rules = scan_rules,
	.run = run,
};
