/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric route: from one port to another and back, hop by hop. */
#include "fabric/route/multicast.h"
#include "fabric/route/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/fabric/fabric_run.h"

/* Both directions, by enum route_direction. */
struct routes {
	struct fabric_run run;
	struct fabric_place ends[2]; /* FROM, TO */
	struct fabric_route routes[2];
	struct route_path paths[2];
	struct forwarding saved; /* tables of a file */
	struct route_row *rows;
	size_t row_count;
	uint32_t failed_port; /* port 0 of the last switch with a noted failure, which the way back
				 queries, too */
};

static const char *const direction_words[] = {"there", "back"};

/* Looks up a saved table. A gap is noted only if the route comes to that switch. */
static unsigned int look_up_saved(struct routes *routes, uint32_t node, uint16_t lid)
{
	const struct forwarding *saved = &routes->saved;
	const unsigned int port = forwarding_port(saved, forwarding_of(saved, node), lid);
	const uint32_t place = fabric_port_at(&routes->run.fabric, node, 0);

	if (port != FORWARDING_UNKNOWN || routes->failed_port == place)
		return port;
	for (size_t i = 0; i < saved->failure_count; i++)
		if (saved->failures[i].port == place)
			fabric_run_note(&routes->run, &saved->failures[i], 1);
	routes->failed_port = place;
	return port;
}

static unsigned int look_up(void *context, uint32_t node, uint16_t lid)
{
	struct routes *routes = context;
	struct fabric_run *run = &routes->run;
	struct fabric_failure failure;
	unsigned int port;

	if (run->args->load)
		return look_up_saved(routes, node, lid);
	if (!forwarding_read_entry(run->mad.session.engine, &run->scan, &run->fabric, node, lid,
				   &port, &failure))
		return port;
	if (failure.port != routes->failed_port)
		fabric_run_note(run, &failure, 1);
	routes->failed_port = failure.port;
	return FORWARDING_UNKNOWN;
}

const char fabric_route_planes_hint[] = "give a port with another LID";

char *fabric_route_planes_text(const struct fabric_view *view, uint32_t from,
			       const struct fabric_place *to)
{
	_cleanup_(freep) char *name = fabric_port_name(view, from);
	_cleanup_(freep) char *other = fabric_port_name(view, to->port);

	return mem_format("%s and %s are planes of one port, which share LID %u, so no route leads "
			  "from one to the other",
			  name, other, to->lid);
}

/* A route leads to a LID, and the planes of a port have one LID. */
static bool are_apart(struct routes *routes)
{
	const struct fabric_place *from = &routes->ends[0], *to = &routes->ends[1];
	struct listing *listing = &routes->run.mad.listing;
	_cleanup_(freep) char *name = NULL, *message = NULL;

	if (!fabric_are_planes(&routes->run.fabric, from->port, to->port))
		return true;
	name = fabric_port_name(&routes->run.view, from->port);
	if (from->port == to->port)
		return listing_fail_format(
			listing, STATUS_USAGE,
			"give another port of the node as NAME/PORT, or by its LID",
			"both ends are %s", name);
	message = fabric_route_planes_text(&routes->run.view, from->port, to);
	return listing_fail(listing, STATUS_USAGE, message, fabric_route_planes_hint);
}

static bool find_ends(struct routes *routes, char **words)
{
	struct listing *listing = &routes->run.mad.listing;
	_cleanup_(freep) char *name = NULL;

	for (size_t i = 0; i < 2; i++) {
		const struct fabric_port *port;

		if (!fabric_run_find_port(&routes->run, words[i], &routes->ends[i]))
			return false;
		if (routes->ends[i].lid)
			continue;
		name = fabric_port_name(&routes->run.view, routes->ends[i].port);
		port = &routes->run.fabric.ports[routes->ends[i].port];
		/* No subnet manager helps a port without a cable, as the second of an adapter. */
		if (port->number && port->peer == FABRIC_NONE && !fabric_is_up(port))
			return listing_fail_format(listing, STATUS_FAILED,
						   "rdmactl fabric links lists the cables",
						   "%s has no cable in the scan", name);
		return listing_fail_format(
			listing, STATUS_FAILED,
			"a subnet manager assigns LIDs: rdmactl smp sminfo shows whether "
			"there is one",
			"%s has no LID", name);
	}
	return are_apart(routes);
}

char *fabric_route_explain(const struct fabric_view *view, const struct fabric_route *route,
			   uint16_t lid)
{
	const struct fabric *fabric = view->fabric;
	_cleanup_(freep) char *name = fabric_node_name(view, route->node);

	switch (route->end) {
	case ROUTE_NOWHERE:
		return mem_format("ends at %s: its table has no port for LID %u", name, lid);
	case ROUTE_NO_PORT:
		return route->out_port ? mem_format("ends at %s: LID %u goes to port %u, which "
						    "it does not have",
						    name, lid, route->out_port)
				       : mem_format("ends at %s: LID %u goes to the switch itself, "
						    "which has another LID",
						    name, lid);
	case ROUTE_NO_PEER:
		return mem_format("ends at %s/%u: %s", name, route->out_port,
				  fabric_is_up(&fabric->ports[route->ports[route->count - 1]])
					  ? "its other end is not in the scan"
					  : "it has no link");
	case ROUTE_LOOP:
		return mem_format("comes back to %s: LID %u goes in a loop", name, lid);
	case ROUTE_STRANGER:
		return mem_format("ends at %s, which does not have LID %u", name, lid);
	case ROUTE_UNKNOWN:
		return mem_format("is unknown beyond %s", name);
	case ROUTE_ARRIVED:
		break;
	}
	return NULL;
}

bool fabric_route_is_fault(const struct fabric *fabric, const struct fabric_route *route)
{
	if (route->end != ROUTE_NO_PEER)
		return route->end != ROUTE_UNKNOWN;
	return !fabric_is_up(&fabric->ports[route->ports[route->count - 1]]);
}

static void report_end(struct routes *routes, enum route_direction direction)
{
	struct fabric_run *run = &routes->run;
	const struct fabric_route *route = &routes->routes[direction];
	_cleanup_(freep) char *why = fabric_route_explain(&run->view, route,
							  routes->ends[!direction].lid);
	_cleanup_(freep) char *message = NULL;

	if (!why)
		return;
	message = mem_format("the route %s %s", direction_words[direction], why);
	if (fabric_route_is_fault(&run->fabric, route))
		listing_fail(&run->mad.listing, STATUS_FAULT, message, FORWARDING_CURE);
	else
		fabric_run_problem(run, NULL, "%s", message);
}

static void follow(struct routes *routes, enum route_direction direction)
{
	const struct fabric_place *from = &routes->ends[direction];
	const struct fabric_place *to = &routes->ends[!direction];

	route_follow(&routes->run.fabric, from->port, to->port, to->lid, look_up, routes,
		     &routes->routes[direction]);
	report_end(routes, direction);
}

static enum tristate shares_cable(const struct routes *routes, enum route_direction direction,
				  size_t hop)
{
	const struct fabric_route *other = &routes->routes[!direction];

	if (route_takes_back(&routes->run.fabric, &routes->routes[direction], hop, other))
		return TRISTATE_YES;
	/* If the other route is incomplete, this is unknown. */
	return other->end == ROUTE_ARRIVED ? TRISTATE_NO : TRISTATE_UNKNOWN;
}

static void make_rows(struct routes *routes)
{
	for (enum route_direction i = ROUTE_THERE; i <= ROUTE_BACK; i++)
		for (size_t hop = 0; hop < routes->routes[i].count; hop++) {
			struct route_row *row = mem_append(&routes->rows, &routes->row_count,
							   sizeof(*row));

			row->at.view = &routes->run.view;
			row->at.place = routes->routes[i].ports[hop];
			row->direction = number_of(i);
			row->hop = number_of(hop + 1);
			row->lid = number_of(routes->ends[!i].lid);
			row->same_cable = shares_cable(routes, i, hop);
			row->path = &routes->paths[i];
		}
}

static void ask_path(const struct routes *routes, enum route_direction direction,
		     unsigned char *record, struct mad_request *request)
{
	path_record_set_slid(record, routes->ends[direction].lid);
	path_record_set_dlid(record, routes->ends[!direction].lid);
	*request = mad_path_request(&routes->run.mad.session.port.route,
				    PATH_HAS_DLID | PATH_HAS_SLID, record);
}

static void take_path(const struct mad_item *item, struct route_path *path)
{
	const struct schema *schema =
		mad_attribute_find(UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_PATH_REC)->schema;
	struct mad_record record = {.object = NULL};
	struct value value;

	memcpy(record.data, item->data, sizeof(record.data));
	field_get(schema_find(schema, "rate_gbps"), &record, &value);
	if (value.kind == VALUE_REAL)
		path->rate_gbps = real_of(value.real);
	field_get(schema_find(schema, "mtu_bytes"), &record, &value);
	if (value.kind == VALUE_UNSIGNED)
		number_set(&path->mtu_bytes, value.number);
	field_get(schema_find(schema, "sl"), &record, &value);
	if (value.kind == VALUE_UNSIGNED)
		number_set(&path->sl, value.number);
}

/* Packets need no path record: its absence is a problem only if its columns were asked for. */
static void ask_sa(struct routes *routes)
{
	struct mad_listing *mad = &routes->run.mad;
	const struct globals *globals = &mad->listing.ctx->globals;
	bool wanted = globals->columns || globals->json || globals->jsonl;
	unsigned char records[2][PATH_RECORD_BYTES] = {{0}};
	struct mad_item items[2] = {{.error = 0}};

	if (!(columns_needs(&mad->listing.columns) & ROUTE_NEEDS_SA))
		return;
	if (!mad->session.engine || !mad->session.port.route.subnet_manager) {
		if (wanted)
			problem_add_text(&mad->listing.problems, NULL, "path record", "sa",
					 mad->session.engine ? "the port knows no subnet manager"
							     : "a saved scan has no path records",
					 mad->session.engine
						 ? "rdmactl fabric check shows whether there is one"
						 : NULL);
		return;
	}
	for (enum route_direction i = ROUTE_THERE; i <= ROUTE_BACK; i++)
		ask_path(routes, i, records[i], &items[i].request);
	mad_gather(mad->session.engine, items, 2);
	for (enum route_direction i = ROUTE_THERE; i <= ROUTE_BACK; i++) {
		_cleanup_(freep) char *name = mem_format("path record of the route %s",
							 direction_words[i]);
		const struct mad_destination sa = {.name = name};

		if (!items[i].error && !items[i].status)
			take_path(&items[i], &routes->paths[i]);
		else if (wanted)
			mad_session_check(&mad->session, &sa, NULL, &items[i],
					  items[i].error ? MAD_SA_HINT : NULL);
	}
}

static struct number count_errors(const struct routes *routes, const struct port_errors *errors,
				  uint32_t port)
{
	const struct port_counters *counters = port_errors_find(errors, port);
	struct number count = {.known = false};
	struct error_limits limits;
	struct port_errors_row row;

	error_limits_init(&limits, 0);
	if (counters && port_errors_row_make(&routes->run.view, counters, &limits, &row)) {
		count = row.error_count;
		port_errors_row_clear(&row);
	}
	return count;
}

static void read_errors(struct routes *routes)
{
	const struct fabric *fabric = &routes->run.fabric;
	_cleanup_(freep) bool *wanted = mem_alloc_zero(fabric->port_count, sizeof(*wanted));
	_cleanup_(port_errors_clear) struct port_errors errors = {.items = NULL};

	if (!(columns_needs(&routes->run.mad.listing.columns) & ROUTE_NEEDS_COUNTERS))
		return;
	if (routes->run.args->load) {
		problem_add_text(&routes->run.mad.listing.problems, NULL, "errors", NULL,
				 "a saved scan has no counters", NULL);
		return;
	}
	for_each_in (row, routes->rows, routes->row_count) {
		const uint32_t peer = fabric->ports[row->at.place].peer;

		wanted[row->at.place] = true;
		if (peer != FABRIC_NONE)
			wanted[peer] = true;
	}
	fabric_counters_read(&routes->run,
			     &(const struct port_errors_options){.all = true, .wanted = wanted},
			     &errors);
	for_each_in (failure, errors.failures, errors.failure_count)
		fabric_counters_note_failure(&routes->run, failure, "", NULL);
	for_each_in (row, routes->rows, routes->row_count) {
		uint32_t peer = fabric->ports[row->at.place].peer;

		row->errors = count_errors(routes, &errors, row->at.place);
		if (peer != FABRIC_NONE)
			row->peer_errors = count_errors(routes, &errors, peer);
	}
}

static int show_pair(const struct ctx *ctx, const struct fabric_args *args, char **objects)
{
	struct routes routes = {.failed_port = FABRIC_NONE};
	int status;

	if (fabric_run_begin(&routes.run, ctx, args, &fabric_route_schema) &&
	    (!args->load ||
	     fabric_forwarding_recall(&routes.run, NULL, 0, FORWARDING_LINEAR, &routes.saved)) &&
	    find_ends(&routes, objects)) {
		follow(&routes, ROUTE_THERE);
		follow(&routes, ROUTE_BACK);
		make_rows(&routes);
		ask_sa(&routes);
		read_errors(&routes);
		for (size_t i = 0; i < routes.row_count; i++)
			listing_add(&routes.run.mad.listing, &routes.rows[i]);
	}
	status = fabric_run_end(&routes.run);
	for (enum route_direction i = ROUTE_THERE; i <= ROUTE_BACK; i++)
		route_clear(&routes.routes[i]);
	free(routes.rows);
	forwarding_clear(&routes.saved);
	return status;
}

static int run(const struct ctx *ctx, const void *route_args, char **objects)
{
	const struct route_args *args = route_args;

	const bool many = args->mlid || args->pairs;

	if (many ? objects[0] != NULL : !objects[0] || !objects[1])
		return command_complain(
			ctx,
			args->mlid    ? "a multicast group has no FROM and TO"
			: args->pairs ? "FROM and TO are in the file of --pairs-file"
				      : "the two ends of the route are missing",
			"rdmactl fabric route FROM TO, or --mlid MLID, or --pairs-file FILE");
	if (args->pairs)
		return fabric_route_pairs(ctx, args);
	return args->mlid ? fabric_route_group(ctx, args) : show_pair(ctx, &args->fabric, objects);
}

static const struct option_row options[] = {
	STRING_OPTION(struct route_args, mlid, 0, "mlid", "MLID", COMPLETE_NOTHING,
		      "the tree of a multicast group"),
	STRING_OPTION(
		struct route_args, pairs, 0, "pairs-file", "FILE", COMPLETE_FILE,
		"routes of all pairs in a file, two destinations per line (-: standard input)"),
	FLAG_OPTION(struct route_args, cables, 0, "cables",
		    "with --pairs-file: a row for each cable, with the number of pairs over it"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	FABRIC_LOAD_RULE,
	OPTIONS_ONE_OF("mlid pairs-file", NULL),
	OPTIONS_NEED("cables", "pairs-file", NULL),
	{.options = NULL},
};

static const struct schema *const more_schemas[] = {
	&fabric_tree_schema,
	&fabric_pairs_schema,
	&fabric_shared_schema,
	NULL,
};

const struct command fabric_route_command = {
	.name = "route",
	.summary = "trace the route to a port and back, or of a multicast group",
	.rules = rules,
	.options = {options, fabric_load_options, fabric_scan_options, mad_options},
	.args_size = sizeof(struct route_args),
	.schema = &fabric_route_schema,
	.more_schemas = more_schemas,
	.objects = "[FROM TO]",
	.most_objects = 2,
	.run = run,
};
