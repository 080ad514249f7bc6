/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric port: both ends of a link; and what ibportstate changes, with its words. */
#include <stddef.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/change/ports_distant.h"
#include "cmd/fabric/fabric_run.h"

struct port_args {
	struct fabric_args fabric;
	struct change_args change;
};

/* Finds the port that the word names; FABRIC_NONE, with the reason in the listing, if none. */
static uint32_t find(struct fabric_run *run, const char *word)
{
	_cleanup_(freep) char *node = NULL, *name = NULL;
	const struct fabric_node *at;
	struct fabric_place place;
	unsigned int port = 0;

	if (!fabric_run_split(run, word, &node, &port)) {
		listing_fail_format(
			&run->mad.listing, STATUS_USAGE,
			"give NODE/PORT, where NODE is a name, LID, GUID or directed route",
			"'%s' names no port", word);
		return FABRIC_NONE;
	}
	if (!fabric_run_find_port(run, node, &place))
		return FABRIC_NONE;
	at = &run->fabric.nodes[place.node];
	if (port <= at->port_count && (port || at->type == NODE_TYPE_SWITCH))
		return fabric_port_at(&run->fabric, place.node, port);
	name = fabric_node_name(&run->view, place.node);
	listing_fail_format(&run->mad.listing, STATUS_NOTHING, NULL,
			    "no such port: %s has ports %u to %u", name,
			    at->type != NODE_TYPE_SWITCH, at->port_count);
	return FABRIC_NONE;
}

/* The rows must live until the listing ends. */
static int show(const struct ctx *ctx, const struct fabric_args *args, const char *word)
{
	struct fabric_row ends[2] = {{.view = NULL}};
	struct fabric_run run = {.live = false};
	uint32_t port;

	if (fabric_run_begin(&run, ctx, args, &fabric_port_schema)) {
		port = find(&run, word);
		/* The local port is visible without a link. */
		run.mad.goes_beyond = port == FABRIC_NONE;
		for (size_t i = 0; i < ARRAY_SIZE(ends) && port != FABRIC_NONE; i++) {
			ends[i] = (struct fabric_row){.view = &run.view, .place = port};
			listing_add(&run.mad.listing, &ends[i]);
			port = run.fabric.ports[port].peer;
		}
	}
	return fabric_run_end(&run);
}

static bool plan(struct change_plan *plan, const void *change_args, char **words)
{
	const struct port_args *args =
		(const struct port_args *)(const void *)((const char *)change_args -
							 offsetof(struct port_args, change));
	return ports_plan_words(plan, &args->fabric.mad, words[0], words + 1);
}

static int run(const struct ctx *ctx, const void *port_args, char **objects)
{
	const struct port_args *args = port_args;

	if (!objects[1])
		return show(ctx, &args->fabric, objects[0]);
	return change_run(ctx, &args->change, objects);
}

static const struct option_row options[] = {
	FLAG_OPTION(struct port_args, change.dry_run, 'n', "dry-run",
		    "print what would change, without changing it"),
	FLAG_OPTION(struct port_args, change.yes, 'y', "yes", "do not ask before changing it"),
	FLAG_OPTION(struct port_args, change.force, 'f', "force",
		    "change it even if that cuts the path to the node"),
	{.name = NULL},
};

static const struct schema *const more_schemas[] = {&change_schema, NULL};

const struct command fabric_port_command = {
	.name = "port",
	.summary = "show both ends of a link; enable, disable or reset one",
	.options = {options, mad_options},
	.args_size = sizeof(struct port_args),
	.schema = &fabric_port_schema,
	.objects = "NODE/PORT [WORD [VALUE]...]",
	.least_objects = 1,
	.most_objects = -1,
	.more_schemas = more_schemas,
	.data = &(const struct changer){.plan = plan},
	.run = run,
};
