/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric tables: the forwarding tables of switches, with names. */

#include <stdlib.h>

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"

/* Rows are printed in pieces: all tables of a large subnet have millions of rows. */
#define PIECE_ROWS 20000u

struct tables {
	struct fabric_run run;
	struct forwarding forwarding;
	uint32_t *nodes; /* switches that were named */
	size_t node_count;
	uint32_t *owners;     /* of LIDs */
	uint32_t first, last; /* the requested LIDs */
	struct linear_row *linear;
	struct multicast_row *multicast;
	size_t row_count;
	bool shown; /* some row was printed */
};

/* Prints the rows so far; false if the output is broken. */
static bool flush(struct tables *tables)
{
	struct listing *listing = &tables->run.mad.listing;
	bool done;

	for (size_t i = 0; i < tables->row_count; i++)
		listing_add(listing, tables->linear ? (const void *)&tables->linear[i]
						    : &tables->multicast[i]);
	done = listing_piece(listing);
	for (size_t i = 0; i < tables->row_count && tables->multicast; i++)
		multicast_row_clear(&tables->multicast[i]);
	tables->shown |= tables->row_count > 0;
	tables->row_count = 0;
	return done;
}

static void add_linear(struct tables *tables, const struct forwarding_table *table, uint32_t lid)
{
	const struct fabric_node *node = &tables->run.fabric.nodes[table->node];
	unsigned int port = forwarding_port(&tables->forwarding, table, lid);

	if (port >= FORWARDING_NOWHERE)
		return;
	tables->linear[tables->row_count++] = (struct linear_row){
		.at = {.view = &tables->run.view,
		       .place = node->first_port + (port <= node->port_count ? port : 0)},
		.owner = tables->owners[lid],
		.lid = number_of(lid),
		.out_port = number_of(port),
	};
}

static void show_linear(struct tables *tables, const struct forwarding_table *table)
{
	for (uint32_t lid = tables->first ? tables->first : 1;
	     lid < table->lids && lid <= tables->last; lid++) {
		add_linear(tables, table, lid);
		if (tables->row_count == PIECE_ROWS && !flush(tables))
			return;
	}
}

static void show_multicast(struct tables *tables, const struct forwarding_table *table)
{
	for (uint32_t i = 0; i < table->mlids; i++) {
		if (FORWARDING_LIDS + i < tables->first || FORWARDING_LIDS + i > tables->last)
			continue;
		if (multicast_row_make(&tables->run.view, &tables->forwarding, table,
				       FORWARDING_LIDS + i, &tables->multicast[tables->row_count]))
			tables->row_count++;
		if (tables->row_count == PIECE_ROWS && !flush(tables))
			return;
	}
}

static void show(struct tables *tables, bool multicast)
{
	if (multicast)
		tables->multicast = mem_alloc_zero(PIECE_ROWS, sizeof(*tables->multicast));
	else
		tables->linear = mem_alloc_zero(PIECE_ROWS, sizeof(*tables->linear));
	for (size_t i = 0; i < tables->forwarding.count; i++) {
		if (tables->run.mad.listing.stream_rc)
			return;
		if (multicast)
			show_multicast(tables, &tables->forwarding.tables[i]);
		else
			show_linear(tables, &tables->forwarding.tables[i]);
	}
	flush(tables);
}

/* Returns words for the switches whose tables were read, if these are not all. */
static const char *named_only(const struct fabric_run *run, const struct forwarding *forwarding)
{
	for (uint32_t i = 0; i < run->fabric.node_count; i++)
		if (run->fabric.nodes[i].type == NODE_TYPE_SWITCH &&
		    forwarding->of_node[i] == FABRIC_NONE)
			return " of the named switches";
	return "";
}

/*
 * A switch does not tell whether no subnet manager has filled its table or no group has a member. A
 * table of unknown length has no rows, but may have entries; why it is unknown has been reported.
 */
static void note_no_multicast(struct fabric_run *run, const struct forwarding *forwarding)
{
	for (size_t i = 0; i < forwarding->count; i++)
		if (!forwarding->tables[i].known)
			return;
	if (forwarding->count)
		fabric_run_problem(
			run,
			"rdmactl smp sminfo queries the subnet manager; rdmactl sa "
			"multicast lists the groups",
			"the multicast forwarding tables%s are empty: no subnet manager has "
			"filled them, or no group has a member",
			named_only(run, forwarding));
}

static bool find_switches(struct tables *tables, char **words)
{
	struct fabric_run *run = &tables->run;

	for (; *words; words++) {
		_cleanup_(freep) char *name = NULL;
		struct fabric_place place;

		if (!fabric_run_find_port(run, *words, &place))
			return false;
		if (run->fabric.nodes[place.node].type != NODE_TYPE_SWITCH) {
			name = fabric_node_name(&run->view, place.node);
			return listing_fail_format(
				&run->mad.listing, STATUS_USAGE,
				"rdmactl fabric switches lists them",
				"%s is not a switch, and has no forwarding table", name);
		}
		MEM_ADD(tables->nodes, tables->node_count) = place.node;
	}
	return true;
}

/* Complains about LIDs of the other kind of table; NULL if this kind may have some of the range. */
static const char *other_table(const struct tables *tables, bool multicast)
{
	if (multicast && tables->last < FORWARDING_LIDS)
		return "--lids: multicast LIDs begin at 0xc000: omit --multicast";
	if (!multicast && tables->first >= FORWARDING_LIDS)
		return "--lids: LIDs from 0xc000 on are multicast LIDs: add --multicast";
	return NULL;
}

/* Takes the LIDs or MLIDs of --lids, else all. */
static bool choose_lids(const struct ctx *ctx, const struct fabric_args *args,
			struct tables *tables)
{
	_cleanup_(freep) char *clean = NULL, *message = NULL;
	const char *lids = args->lids;

	tables->last = UINT16_MAX;
	if (!lids)
		return true;
	if (mad_parse_range(lids, 0, UINT16_MAX, &tables->first, &tables->last)) {
		const char *complaint = other_table(tables, args->multicast);

		if (complaint)
			command_complain(ctx, complaint, NULL);
		return !complaint;
	}
	clean = text_clean(lids, strlen(lids));
	message = mem_format("--lids: '%s' is not a LID or a range of LIDs", clean);
	command_complain(ctx, message, "for example 17, 1-99 or, with --multicast, 0xc000-0xc00f");
	return false;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	const struct schema *schema = args->multicast ? &fabric_multicast_schema
						      : &fabric_tables_schema;
	struct tables tables = {.row_count = 0};
	_cleanup_(freep) char *complaint = args->from || args->part || objects[0]
						   ? NULL
						   : mad_kind_complaint(
							     mad_forced_kind(&args->mad));
	int status;

	if (complaint)
		return command_complain(ctx, complaint, "give a switch, or use --from or --switch");
	if (!choose_lids(ctx, args, &tables))
		return STATUS_USAGE;
	if (fabric_run_begin(&tables.run, ctx, args, schema) && find_switches(&tables, objects) &&
	    fabric_forwarding_read(&tables.run, tables.nodes, tables.node_count,
				   args->multicast ? FORWARDING_MULTICAST : FORWARDING_LINEAR,
				   &tables.forwarding)) {
		if (!args->multicast)
			fabric_forwarding_note_empty(&tables.run, &tables.forwarding);
		tables.owners = forwarding_owners(&tables.run.fabric, NULL);
		show(&tables, args->multicast);
		if (args->multicast && !args->lids && !tables.shown)
			note_no_multicast(&tables.run, &tables.forwarding);
	}
	status = fabric_run_end(&tables.run);
	forwarding_clear(&tables.forwarding);
	free(tables.nodes);
	free(tables.owners);
	free(tables.linear);
	free(tables.multicast);
	return status;
}

static const struct option_row options[] = {
	FLAG_OPTION(struct fabric_args, multicast, 0, "multicast",
		    "the multicast forwarding tables"),
	STRING_OPTION(struct fabric_args, lids, 0, "lids", "RANGE", COMPLETE_NOTHING,
		      "only these LIDs: 17, 1-99"),
	{.name = NULL},
};

static const struct schema *const more_schemas[] = {&fabric_multicast_schema, NULL};

const struct command fabric_tables_command = {
	.name = "tables",
	.summary = "show forwarding tables of switches",
	.options = {options, fabric_load_options, fabric_scan_options, mad_options},
	.rules = fabric_load_rules,
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_tables_schema,
	.objects = "[SWITCH...]",
	.most_objects = -1,
	.more_schemas = more_schemas,
	.run = run,
};

/* A switch without groups has no multicast table to save. */
static bool has_tables(const struct fabric *fabric, const struct forwarding *forwarding,
		       unsigned int kinds)
{
	const uint16_t attribute = kinds == FORWARDING_MULTICAST ? UMAD_SM_ATTR_MCAST_FT
								 : UMAD_SM_ATTR_LINEAR_FT;
	bool any = kinds != FORWARDING_MULTICAST;

	for (size_t i = 0; i < fabric->detail_count; i++)
		if (fabric->details[i].attribute == attribute)
			return true;
	/* Queries that failed have been reported. */
	for (size_t i = 0; i < fabric->failure_count; i++)
		if (fabric->failures[i].attribute == attribute)
			return true;
	for (size_t i = 0; i < forwarding->count; i++)
		any |= !forwarding->tables[i].known || forwarding->tables[i].mlids;
	return !any;
}

bool fabric_forwarding_recall(struct fabric_run *run, const uint32_t *nodes, size_t count,
			      unsigned int kinds, struct forwarding *forwarding)
{
	forwarding_recall(&run->fabric, nodes, count, kinds, forwarding);
	/* If only tables of other switches were saved, the tables here have gaps. */
	if (!forwarding->count || has_tables(&run->fabric, forwarding, kinds))
		return true;
	return listing_fail_format(&run->mad.listing, STATUS_FAILED,
				   "rdmactl fabric scan --routes --save FILE saves them",
				   "the scan in %s has no %sforwarding tables", run->args->load,
				   kinds == FORWARDING_MULTICAST ? "multicast " : "");
}

bool fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding)
{
	struct mad_listing *mad = &run->mad;
	int rc;

	if (run->args->load) {
		if (!fabric_forwarding_recall(run, nodes, count, kinds, forwarding))
			return false;
		fabric_run_note(run, forwarding->failures, forwarding->failure_count);
		return true;
	}
	rc = forwarding_read(mad->session.engine, &run->scan, &run->fabric, nodes, count, kinds,
			     forwarding);
	fabric_run_note(run, forwarding->failures, forwarding->failure_count);
	/* An interrupted scan has been reported already. */
	if (rc && rc != -ECANCELED && !run->fabric.interrupted)
		problem_add_text(&mad->listing.problems, NULL, NULL, "umad", strerror(-rc), NULL);
	else if (rc == -ECANCELED)
		fabric_run_note_interrupted(run);
	run->fabric.interrupted |= rc != 0;
	return true;
}

static bool is_empty(const struct forwarding *forwarding, const struct forwarding_table *table)
{
	for (uint32_t lid = 1; lid < table->lids; lid++)
		if (forwarding_port(forwarding, table, lid) != FORWARDING_NOWHERE)
			return false;
	return table->known;
}

bool fabric_forwarding_note_limit(struct fabric_run *run)
{
	const struct fabric *fabric = &run->fabric;
	bool beyond = false;

	for (uint32_t i = 0; i < fabric->port_count && fabric->origin.most_hops.known; i++)
		beyond |= fabric->ports[i].number && fabric->ports[i].peer == FABRIC_NONE &&
			  fabric_is_up(&fabric->ports[i]);
	if (beyond)
		fabric_run_problem(
			run, "omit --hops and --switch to scan the whole subnet",
			"the scan covers only part of the subnet: LIDs and senders beyond "
			"it are not counted");
	return beyond;
}

void fabric_forwarding_note_empty(struct fabric_run *run, const struct forwarding *forwarding)
{
	const char *of;

	for (size_t i = 0; i < forwarding->count; i++)
		if (!is_empty(forwarding, &forwarding->tables[i]))
			return;
	if (!forwarding->count)
		return;
	of = named_only(run, forwarding);
	fabric_run_problem(run,
			   of[0] ? "omit the names to read the tables of all switches; rdmactl smp "
				   "sminfo queries the subnet manager"
				 : "start a subnet manager; rdmactl fabric check shows what else "
				   "is missing",
			   "the forwarding tables%s are empty: no subnet manager has filled them",
			   of);
}
