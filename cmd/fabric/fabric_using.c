/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric using: the hosts whose packets go over a cable. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"

struct using
{
	struct fabric_run run;
	struct forwarding forwarding;
	enum route_direction direction;
	bool pairs; /* a row for each source */
	struct using_row *rows;
	size_t row_count;
};

static void add(void *context, uint32_t source, uint32_t destination, uint16_t lid)
{
	struct using *using = context;
	struct using_row *last = using->row_count ? &using->rows[using->row_count - 1] : NULL;

	/* The users of one LID are reported together. */
	if (!using->pairs && last && last->lid.value == lid &&
	    last->direction.value == using->direction) {
		last->sources.value++;
		return;
	}
	last = mem_append(&using->rows, &using->row_count, sizeof(*last));
	*last = (struct using_row){
		.at = {.view = &using->run.view, .place = destination},
		.source = using->pairs ? source : FABRIC_NONE,
		.direction = number_of(using->direction),
		.lid = number_of(lid),
	};
	if (!using->pairs)
		last->sources = number_of(1);
}

/* For a switch, the port has to be named; for an adapter it is the port that was found. */
static bool find_cable(struct using *using, const char *word, uint32_t *ret_port)
{
	struct fabric_run *run = &using->run;
	const struct fabric *fabric = &run->fabric;
	_cleanup_(freep) char *node = NULL, *name = NULL, *message = NULL;
	const char *hint = "rdmactl fabric links lists the cables";
	int status = STATUS_NOTHING;
	struct fabric_place place;
	unsigned int number = 0;
	const bool named = fabric_run_split(run, word, &node, &number);

	if (!fabric_run_find_port(run, named ? node : word, &place))
		return false;
	name = fabric_node_name(&run->view, place.node);
	if (named && number && number <= fabric->nodes[place.node].port_count)
		place.port = fabric_port_at(fabric, place.node, number);
	else if (named)
		message = fabric_run_ports_text(run, place.node);
	if (!named && !fabric->ports[place.port].number) {
		message = mem_format("%s is a switch: which of its cables?", name);
		hint = "give the port as NAME/PORT: rdmactl fabric links lists the cables";
		status = STATUS_USAGE;
	}
	if (!message && fabric->ports[place.port].peer == FABRIC_NONE)
		message = mem_format("%s/%u has no cable in the scan", name,
				     fabric->ports[place.port].number);
	if (message)
		listing_fail(&run->mad.listing, status, message, hint);
	*ret_port = place.port;
	return !message;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	struct using using = {.pairs = args->pairs};
	uint32_t port;
	int status;

	if (fabric_run_begin(&using.run, ctx, args, &fabric_using_schema) &&
	    find_cable(&using, objects[0], &port) &&
	    fabric_forwarding_read(&using.run, NULL, 0, FORWARDING_LINEAR, &using.forwarding)) {
		const struct fabric *fabric = &using.run.fabric;
		bool partial;

		fabric_forwarding_note_empty(&using.run, &using.forwarding);
		cable_users(fabric, &using.forwarding, port, add, &using);
		using.direction = ROUTE_BACK;
		cable_users(fabric, &using.forwarding, fabric->ports[port].peer, add, &using);
		partial = fabric_forwarding_note_limit(&using.run) ||
			  using.forwarding.failure_count || !fabric_is_complete(fabric);
		for (size_t i = 0; i < using.row_count; i++) {
			/* Switches whose tables are unknown may send over the cable, too. */
			using.rows[i].sources.known &= !partial;
			listing_add(&using.run.mad.listing, &using.rows[i]);
		}
		if (args->pairs)
			listing_show_view(&using.run.mad.listing, "--pairs");
	}
	status = fabric_run_end(&using.run);
	forwarding_clear(&using.forwarding);
	free(using.rows);
	return status;
}

static const struct option_row options[] = {
	FLAG_OPTION(struct fabric_args, pairs, 0, "pairs",
		    "a row for each source and destination, instead of one for each destination"),
	{.name = NULL},
};

const struct command fabric_using_command = {
	.name = "using",
	.summary = "list hosts whose packets cross a cable",
	.options = {options, fabric_scan_options, fabric_load_options, mad_options},
	.rules = fabric_load_rules,
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_using_schema,
	.objects = "NODE/PORT",
	.least_objects = 1,
	.most_objects = 1,
	.run = run,
};
