/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric balance: how the routes are spread over the cables between switches. */

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/drawing.h"
#include "cmd/fabric/fabric_run.h"

struct balances {
	struct fabric_run run;
	struct forwarding forwarding;
	struct balance balance;
	struct drawing drawing; /* levels, and the order of names */
	bool is_part;		/* the scan did not cover the whole subnet */
	struct balance_row *rows;
	size_t row_count;
};

static bool joins_switches(const struct fabric *fabric, uint32_t port)
{
	uint32_t peer = fabric->ports[port].peer;

	return peer != FABRIC_NONE && fabric->ports[port].number &&
	       fabric_is_of_switch(fabric, port) && fabric_is_of_switch(fabric, peer);
}

static unsigned int peer_level(const struct balances *balances, uint32_t port)
{
	const struct fabric *fabric = &balances->run.fabric;

	return balances->drawing.levels.level[fabric->ports[fabric->ports[port].peer].node];
}

/* Only ports to the same level are comparable: up and down carry different loads. */
static void compare_with_mean(struct balances *balances, struct balance_row *row)
{
	const struct fabric *fabric = &balances->run.fabric;
	const struct fabric_node *node = fabric_node_of(fabric, row->at.place);
	double sum = 0, count = 0;

	for_each_port_of (i, node)
		if (joins_switches(fabric, i) &&
		    peer_level(balances, i) == peer_level(balances, row->at.place)) {
			sum += balances->balance.routes[i];
			count++;
		}
	row->mean = real_of(sum / count);
	if (sum > 0)
		row->load_percent = real_of(100.0 * (double)row->routes.value * count / sum);
}

/* Adds the row of a port, without values if the table of its switch is unknown. */
static void add_row(struct balances *balances, uint32_t port)
{
	const struct forwarding_table *table = forwarding_of(&balances->forwarding,
							     balances->run.fabric.ports[port].node);
	struct balance_row *row = mem_append(&balances->rows, &balances->row_count, sizeof(*row));

	row->at.view = &balances->run.view;
	row->at.place = port;
	row->order = balances->row_count;
	if (!table->known || table->gaps[0])
		return;
	row->routes = number_of(balances->balance.routes[port]);
	compare_with_mean(balances, row);
	/* Pairs depend on the tables of all switches on the way. */
	if (!balances->forwarding.failure_count && !balances->is_part &&
	    fabric_is_complete(&balances->run.fabric))
		row->pairs = number_of(balances->balance.pairs[port]);
}

/* The most loaded first; equal rows in the order of names. */
DEFINE_ORDER(by_load, struct balance_row,
	     COMPARE(b->load_percent.value, a->load_percent.value)
		     ?: COMPARE(b->routes.value, a->routes.value),
	     COMPARE(a->order, b->order))

/* Reports lost packets only in a complete scan, because a node outside it may receive them. */
static void report_losses(struct balances *balances)
{
	struct fabric_run *run = &balances->run;
	_cleanup_(freep) char *name = NULL;

	if (!balances->balance.lost_pairs || balances->forwarding.failure_count ||
	    !fabric_is_complete(&run->fabric) || run->fabric.origin.most_hops.known)
		return;
	name = fabric_node_name(&run->view, balances->balance.lost_node);
	listing_fail_format(
		&run->mad.listing, STATUS_FAULT,
		"rdmactl fabric route traces the route between two nodes",
		"packets of %llu pair%s do not arrive: the route to LID %u, for one, ends at %s",
		(unsigned long long)balances->balance.lost_pairs,
		text_plural_s(balances->balance.lost_pairs), balances->balance.lost_lid, name);
}

static void show(struct balances *balances)
{
	struct fabric_run *run = &balances->run;

	for (uint32_t i = 0; i < run->fabric.node_count; i++) {
		const struct fabric_node *node = &run->fabric.nodes[balances->drawing.sorted[i]];

		for_each_port_of (port, node)
			if (joins_switches(&run->fabric, port))
				add_row(balances, port);
	}
	if (run->args->top.known)
		MEM_SORT(balances->rows, balances->row_count, by_load);
	fabric_run_list(run, balances->rows, balances->row_count, sizeof(*balances->rows));
	report_losses(balances);
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	struct balances balances = {.row_count = 0};
	int status;

	(void)objects;
	if (fabric_run_begin(&balances.run, ctx, args, &fabric_balance_schema) &&
	    fabric_forwarding_read(&balances.run, NULL, 0, FORWARDING_LINEAR,
				   &balances.forwarding)) {
		fabric_forwarding_note_empty(&balances.run, &balances.forwarding);
		balances.is_part = fabric_forwarding_note_limit(&balances.run);
		balance_count(&balances.run.fabric, &balances.forwarding, &balances.balance);
		drawing_begin(&balances.run.view, &balances.drawing);
		show(&balances);
		drawing_end(&balances.drawing); /* before its graph is cleared */
	}
	status = fabric_run_end(&balances.run);
	forwarding_clear(&balances.forwarding);
	balance_clear(&balances.balance);
	free(balances.rows);
	return status;
}

static const struct option_row options[] = {
	NUMBER_OPTION(COUNT, struct fabric_args, top, 0, "top", "N", 1, 0,
		      "at most this many ports, the most loaded first"),
	{.name = NULL},
};

const struct command fabric_balance_command = {
	.name = "balance",
	.summary = "show how many routes each cable carries",
	.options = {options, fabric_load_options, fabric_scan_options, mad_options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_balance_schema,
	.rules = fabric_start_rules,
	.run = run,
};
