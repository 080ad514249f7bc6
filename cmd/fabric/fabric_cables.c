/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric cables: the plugs at both ends of each cable, the weakest light first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/scan/cable_info.h"

/* A plug takes at most two kilobytes, so the limit is more than a hundred thousand plugs. */
static const struct saved_kind saved_kind = {
	.schema = &saved_plug_schema,
	.command = "rdmactl fabric cables --save",
	.most_bytes = (size_t)256 * 1024 * 1024,
};

static const char other_hint[] = "CableInfo and PDDR are for NVIDIA (Mellanox) devices; on a host, "
				 "rdmactl cables asks the driver";

struct plugged_cables {
	struct fabric_run run;
	struct fabric_args args; /* without --save, which is for the plugs here */
	bool *wanted;		 /* by port; NULL: all */
	struct fabric_plugs now, before;
	struct fabric_cable_row *rows;
	size_t row_count;
};

/* Chooses ports of nodes with a matching name, and the ports at the other ends of their cables. */
static void choose_ports(struct plugged_cables *cables)
{
	const struct fabric *fabric = &cables->run.fabric;

	if (!cables->run.named)
		return;
	cables->wanted = mem_alloc_zero(fabric->port_count, sizeof(*cables->wanted));
	for (uint32_t i = 0; i < fabric->port_count; i++)
		cables->wanted[i] = fabric_run_is_named(&cables->run, i) ||
				    (fabric->ports[i].peer != FABRIC_NONE &&
				     fabric_run_is_named(&cables->run, fabric->ports[i].peer));
}

static void note_plug(struct plugged_cables *cables, const struct fabric_plug *plug)
{
	struct fabric_run *run = &cables->run;
	_cleanup_(freep) char *object = fabric_port_name(&run->view, plug->port);
	_cleanup_(freep) char *unknown = plug_unknown_text(&plug->memory);

	if (unknown)
		problem_add_text(&run->mad.listing.problems, object, "module", "smp", unknown,
				 "rdmactl fabric cables --save FILE keeps its bytes");
	if (plug->state == FABRIC_PLUG_FAILED && plug->code)
		problem_add_text(&run->mad.listing.problems, object, "module", "smp",
				 cable_info_error(plug->code), NULL);
	else if (plug->partial && plug->code)
		problem_add_text(&run->mad.listing.problems, object, "pages of the module", "smp",
				 cable_info_error(plug->code), NULL);
}

/* Whether PDDR can be asked for by LID. */
enum reach { REACHABLE = 1 << 0, UNREACHABLE = 1 << 1, EITHER = REACHABLE | UNREACHABLE };

/* Many ports have the same reason, so one sentence gives their number. */
static void note_many(struct plugged_cables *cables, enum fabric_plug_state state, enum reach reach,
		      const char *reason)
{
	_cleanup_(freep) char *message = NULL;
	size_t count = 0;

	for_each (plug, &cables->now) {
		count += plug->state == state &&
			 reach & (fabric_is_reachable(&cables->run.fabric, plug->port)
					  ? REACHABLE
					  : UNREACHABLE);
	}
	if (!count)
		return;
	message = mem_format("no module data from %zu port%s: %s", count, text_plural_s(count),
			     reason);
	problem_add_text(&cables->run.mad.listing.problems, NULL, "module", "smp", message,
			 other_hint);
}

/* An interrupted reading does not show what is unsupported. */
static void note_losses(struct plugged_cables *cables, bool complete)
{
	fabric_run_note(&cables->run, cables->now.failures, cables->now.failure_count);
	for (size_t i = 0; i < cables->now.count; i++)
		note_plug(cables, &cables->now.items[i]);
	if (!complete)
		return;
	note_many(cables, FABRIC_PLUG_UNSUPPORTED, REACHABLE,
		  "CableInfo returned nothing, and class 0x0a has no register PDDR");
	note_many(cables, FABRIC_PLUG_UNSUPPORTED, UNREACHABLE,
		  "there is no CableInfo, and the register PDDR needs a LID and an active port");
	note_many(cables, FABRIC_PLUG_OTHER_VENDOR, EITHER, "other vendors' devices");
	note_many(cables, FABRIC_PLUG_NOT_READ, EITHER, "a directed route does not reach that far");
}

/* A link that is up has a cable, even if the scan did not follow it. */
static bool has_no_cable(const struct fabric *fabric, uint32_t number)
{
	const struct fabric_port *port = &fabric->ports[number];

	return port->peer == FABRIC_NONE && port->has_info && !port->unanswered &&
	       !fabric_is_up(port);
}

/* Notes ports of the file whose cables are gone, because no row can show them. */
static void note_gone(struct plugged_cables *cables)
{
	size_t count = 0;

	for (size_t i = 0; i < cables->before.count; i++) {
		const uint32_t port = cables->before.items[i].port;

		count += (!cables->wanted || cables->wanted[port]) &&
			 has_no_cable(&cables->run.fabric, port);
	}
	if (count)
		fabric_run_problem(
			&cables->run,
			"the cable was pulled out, or its link is down: rdmactl fabric scan "
			"--diff shows what is gone",
			"the scan found no cable in %zu port%s of the file", count,
			text_plural_s(count));
}

static void read_plugs(struct plugged_cables *cables)
{
	struct fabric_run *run = &cables->run;
	const struct mad_address address = fabric_run_address(run);
	int rc = fabric_plugs_read(run->mad.session.engine, &run->scan, &run->fabric,
				   cables->wanted, &cables->now);

	if (!rc)
		rc = fabric_plugs_read_registers(run->mad.session.engine, &address, &run->fabric,
						 &cables->now);
	if (rc)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "smp",
				 rc == -ECANCELED ? "interrupted: not all modules were read"
						  : strerror(-rc),
				 NULL);
	note_losses(cables, !rc);
}

static bool take_before(struct plugged_cables *cables, const struct saved_list *saved)
{
	struct fabric_run *run = &cables->run;
	long others = saved_plugs_load(&run->fabric, saved->records, saved->count, &cables->before);

	fabric_run_note_others(run, others);
	if (others >= 0)
		return true;
	return listing_fail_format(&run->mad.listing, STATUS_FAILED,
				   "rdmactl fabric cables --save FILE writes one",
				   "cannot use %s: the memory of a module is malformed",
				   run->args->since);
}

/* Adds what changed at one end; a plug that is in only one reading has changed, too. */
static void compare_end(const struct plugged_cables *cables, uint32_t port, const struct plug *now,
			const char *prefix, char **text)
{
	static const struct plug none;
	const struct fabric_plug *before = fabric_plugs_find(&cables->before, port);
	const struct fabric_plug *after = fabric_plugs_find(&cables->now, port);
	_cleanup_(plug_clear) struct plug plug = none;

	if (before)
		plug_decode(&before->memory, &plug);
	if (before || (after && after->state == FABRIC_PLUG_READ))
		fabric_plug_add_changes(&plug, now, prefix, text);
}

static void add_row(struct plugged_cables *cables, const struct fabric_plug *plug)
{
	const uint32_t peer = cables->run.fabric.ports[plug->port].peer;
	struct fabric_cable_row row;

	/* Each cable appears once; a cable from a port to itself is its own peer. */
	if (peer < plug->port)
		return;
	fabric_cable_row_make(&cables->run.view, plug, fabric_plugs_find(&cables->now, peer), &row);
	if (cables->args.since) {
		compare_end(cables, plug->port, &row.plug, "", &row.changes);
		compare_end(cables, peer, &row.peer_plug, "peer ", &row.changes);
	}
	if (cables->args.since && !row.changes)
		fabric_cable_row_clear(&row);
	else
		MEM_ADD(cables->rows, cables->row_count) = row;
}

static void show(struct plugged_cables *cables)
{
	for_each (plug, &cables->now)
		add_row(cables, plug);
	MEM_SORT(cables->rows, cables->row_count, fabric_cable_row_compare);
	fabric_run_list(&cables->run, cables->rows, cables->row_count, sizeof(*cables->rows));
}

static void save(struct plugged_cables *cables, const char *path)
{
	struct saved_plug *saved = mem_alloc_zero(cables->now.count, sizeof(*saved));
	struct saved_list list = {.records = saved};

	for (size_t i = 0; i < cables->now.count; i++)
		if (cables->now.items[i].state == FABRIC_PLUG_READ)
			saved[list.count++] = saved_plug_of(&cables->run.fabric,
							    &cables->now.items[i]);
	fabric_run_save(&cables->run, path, &saved_kind, &list);
}

static void work(struct plugged_cables *cables, const struct fabric_args *args)
{
	struct listing *listing = &cables->run.mad.listing;
	struct saved_list saved = {.count = 0};
	_cleanup_(freep) char *message = NULL;

	choose_ports(cables);
	/* The file is read before it is saved to: --save may name the same one. */
	if (args->since && saved_list_read(&saved, args->since, &saved_kind, &message)) {
		listing_fail(listing, STATUS_FAILED, message,
			     "rdmactl fabric cables --save FILE writes one");
	} else if (!args->since || take_before(cables, &saved)) {
		read_plugs(cables);
		note_gone(cables);
		show(cables);
		if (args->save)
			save(cables, args->save);
	}
	saved_list_clear(&saved, &saved_plug_schema);
}

static int finish(struct plugged_cables *cables)
{
	int status = fabric_run_end(&cables->run);

	for (size_t i = 0; i < cables->row_count; i++)
		fabric_cable_row_clear(&cables->rows[i]);
	fabric_plugs_clear(&cables->now);
	fabric_plugs_clear(&cables->before);
	free(cables->rows);
	free(cables->wanted);
	return status;
}

static int run(const struct ctx *ctx, const void *fabric_args, char **objects)
{
	const struct fabric_args *args = fabric_args;
	struct plugged_cables cables = {.run.saves = args->save, .args = *args};

	(void)objects;
	cables.args.save = NULL;
	if (fabric_run_begin(&cables.run, ctx, &cables.args, &fabric_cables_schema)) {
		if (args->since)
			listing_show_view(&cables.run.mad.listing, "--since");
		if (fabric_run_match(&cables.run))
			work(&cables, args);
	}
	return finish(&cables);
}

static const struct option_row options[] = {
	STRING_OPTION(struct fabric_args, since, 0, "since", "FILE", COMPLETE_FILE,
		      "show only what changed since the cables were saved in this file"),
	STRING_OPTION(struct fabric_args, name, 0, "name", "PATTERN", COMPLETE_NOTHING,
		      "only cables of nodes of this name (* and ? as in the shell) or GUID"),
	NUMBER_OPTION(COUNT, struct fabric_args, top, 0, "top", "N", 1, 0,
		      "at most this many cables, the weakest light first"),
	{.name = NULL},
};

const struct command fabric_cables_command = {
	.name = "cables",
	.summary = "show the modules at both ends of each cable, weakest light first",
	.options = {options, fabric_scan_options, mad_options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_cables_schema,
	.rules = fabric_start_rules,
	.run = run,
};
