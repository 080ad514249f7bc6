/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric nodes, switches, hosts, routers, links, ports: lists, filtered. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"

static bool port_fits(const struct fabric_run *run, uint32_t place)
{
	const struct fabric_port *port = &run->fabric.ports[place];
	const struct fabric_args *args = run->args;

	if (!fabric_run_is_named(run, place))
		return false;
	if (args->state.known && fabric_port_state(port) != args->state.value)
		return false;
	if (args->down && fabric_is_up(port))
		return false;
	if (run->expected && run->expected[place] && !fabric_is_up(port))
		return false;
	return !args->speed_below.known ||
	       (fabric_is_up(port) && fabric_speed(port) != SPEED_UNKNOWN &&
		fabric_speed(port) < args->speed_below.value);
}

static bool filters_ports(const struct fabric_args *args)
{
	return args->state.known || args->down || args->speed_below.known;
}

/* A node matches if one of its ports does. */
static bool node_fits(const struct fabric_run *run, uint32_t place)
{
	const struct fabric_node *node = &run->fabric.nodes[place];

	if (run->named && !run->named[place])
		return false;
	if (!filters_ports(run->args))
		return true;
	for_each_port_of (port, node)
		if (run->fabric.ports[port].has_info && port_fits(run, port))
			return true;
	return false;
}

/* Whether --switches-only hides the cable. */
static bool is_passed_over(const struct fabric_run *run, uint32_t place)
{
	const struct fabric *fabric = &run->fabric;

	return run->args->switches_only &&
	       (!fabric_is_of_switch(fabric, place) ||
		!fabric_is_of_switch(fabric, fabric->ports[place].peer));
}

/* A cable matches by either end. */
static bool link_fits(const struct fabric_run *run, uint32_t place)
{
	return !is_passed_over(run, place) &&
	       (port_fits(run, place) || port_fits(run, run->fabric.ports[place].peer));
}

/* Adapter ports that the scan did not reach are unknown: they belong to another subnet. */
static bool known_port_fits(const struct fabric_run *run, uint32_t place)
{
	return run->fabric.ports[place].has_info && port_fits(run, place);
}

struct list {
	const struct schema *schema;
	unsigned int type; /* of nodes; 0: all */
	bool (*fits)(const struct fabric_run *run, uint32_t place);
};

/* Whether a text omits the port: ibnetdiscover writes lines only for ports with a cable. */
static bool is_left_out(const struct fabric_run *run, uint32_t place)
{
	const struct fabric *fabric = &run->fabric;

	return run->args->load && !fabric->ports[place].has_info && !fabric->failure_count &&
	       !fabric->interrupted && !fabric->origin.most_hops.known &&
	       fabric_is_of_switch(fabric, place);
}

/* Whether it is unknown if the port matches a filter. */
static bool is_open(const struct fabric_run *run, uint32_t place)
{
	const struct fabric_port *port = &run->fabric.ports[place];
	const struct fabric_args *args = run->args;

	if (!port->has_info)
		return (args->state.known || args->down) && is_left_out(run, place);
	return (args->state.known && !fabric_port_state(port)) ||
	       (args->speed_below.known && fabric_is_up(port) &&
		fabric_speed(port) == SPEED_UNKNOWN);
}

/* Unknown ports match no filter; a problem gives their number. */
static void note_unknown(struct fabric_run *run, const struct list *list, bool cabled_only)
{
	const struct fabric *fabric = &run->fabric;
	uint32_t count = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++)
		count += fabric->ports[i].number && is_open(run, i) &&
			 (!list->type || fabric_node_of(fabric, i)->type == list->type) &&
			 (!cabled_only ||
			  (fabric->ports[i].peer != FABRIC_NONE && !is_passed_over(run, i))) &&
			 (fabric_run_is_named(run, i) ||
			  (cabled_only && fabric_run_is_named(run, fabric->ports[i].peer)));
	if (count)
		fabric_run_problem(
			run, run->args->load ? "rdmactl fabric scan --save FILE saves it" : NULL,
			"the %s of %u port%s is unknown%s",
			run->args->speed_below.known && !run->args->state.known ? "speed" : "state",
			count, text_plural_s(count), run->args->load ? ": the file lacks it" : "");
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	const struct list *list = ctx->command->data;
	_cleanup_(fabric_rows_clear) struct fabric_rows rows = {.items = NULL};
	struct fabric_run run = {.live = false};

	(void)objects;
	if (fabric_run_begin(&run, ctx, args, list->schema) && fabric_run_match(&run)) {
		fabric_run_find_expected(&run);
		if (list->schema == &fabric_nodes_schema) {
			fabric_run_find_chassis(&run);
			fabric_list_nodes(&run.view, list->type, &rows);
		} else if (list->schema == &fabric_links_schema) {
			fabric_list_links(&run.view, &rows);
		} else {
			fabric_list_ports(&run.view, NULL, &rows);
		}
		for (size_t i = 0; i < rows.count; i++)
			if (list->fits(&run, rows.items[i].place))
				listing_add(&run.mad.listing, &rows.items[i]);
		if (filters_ports(args))
			note_unknown(&run, list, list->schema == &fabric_links_schema);
	}
	return fabric_run_end(&run);
}

static const struct option_row options[] = {
	CHOICE_OPTION(struct fabric_args, state, 0, "state", "STATE", port_state_names,
		      "only with a port in this state"),
	CHOICE_OPTION(struct fabric_args, speed_below, 0, "speed-below", "SPEED", lane_speed_names,
		      "only with a link that is slower than this"),
	STRING_OPTION(struct fabric_args, name, 0, "name", "PATTERN", COMPLETE_NOTHING,
		      "only nodes of this name (* and ? as in the shell) or GUID"),
	{.name = NULL},
};

static const struct option_row down_options[] = {
	FLAG_OPTION(struct fabric_args, down, 0, "down", "only with a port without a link"),
	{.name = NULL},
};

static const struct option_row port_options[] = {
	FLAG_OPTION(struct fabric_args, down, 0, "down", "only with a port without a link"),
	FABRIC_EXPECTED_OPTION,
	{.name = NULL},
};

static const struct option_row link_options[] = {
	FLAG_OPTION(struct fabric_args, switches_only, 0, "switches-only",
		    "only cables between switches"),
	{.name = NULL},
};

#define LIST(name_, summary_, schema_, type_, fits_, ...)                                   \
	{                                                                                   \
		.name = name_, .summary = summary_,                                         \
		.options = {options, fabric_load_options, fabric_scan_options, mad_options, \
			    __VA_ARGS__},                                                   \
		.rules = fabric_start_rules, .args_size = sizeof(struct fabric_args),       \
		.schema = &(schema_), .run = run,                                           \
		.data = &(const struct list){&(schema_), type_, fits_},                     \
	}

const struct command fabric_list_commands[6] = {
	LIST("nodes", "list all nodes", fabric_nodes_schema, 0, node_fits, down_options),
	LIST("switches", "list switches", fabric_nodes_schema, NODE_TYPE_SWITCH, node_fits,
	     down_options),
	LIST("hosts", "list channel adapters", fabric_nodes_schema, NODE_TYPE_CA, node_fits,
	     down_options),
	LIST("routers", "list routers", fabric_nodes_schema, NODE_TYPE_ROUTER, node_fits,
	     down_options),
	LIST("links", "list cables, each once", fabric_links_schema, 0, link_fits, link_options),
	LIST("ports", "list all ports", fabric_ports_schema, 0, known_port_fits, port_options),
};
