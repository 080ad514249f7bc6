/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric route --mlid: the tree of a multicast group, and what is wrong with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/route/multicast.h"

struct group {
	struct fabric_run run;
	struct forwarding forwarding;
	struct multicast_members members;
	struct multicast_tree tree;
	struct multicast_hop_row *rows;
	uint16_t mlid;
	struct multicast_answer answer; /* of the subnet administrator */
};

static bool parse_mlid(const struct ctx *ctx, const char *text, uint16_t *ret_mlid)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text)), *message = NULL;
	uint64_t mlid;

	if (!text_parse_u64(text, 0, FORWARDING_MOST_MLID, &mlid) && mlid >= FORWARDING_LIDS) {
		*ret_mlid = (uint16_t)mlid;
		return true;
	}
	message = mem_format("'%s' is not a multicast LID", clean);
	command_complain(ctx, message, "0xc000 to 0xfffe: rdmactl sa multicast lists the groups");
	return false;
}

static void note_problem(struct group *group, const char *message, const char *hint)
{
	problem_add_text(&group->run.mad.listing.problems, NULL, "members", "sa", message, hint);
}

static void note_answer(struct group *group)
{
	const struct multicast_answer *answer = &group->answer;

	if (answer->error == -ECANCELED)
		fabric_run_note_interrupted(&group->run);
	else if (answer->error == -ENODATA)
		note_problem(group, mad_sa_error(answer->error),
			     "start a subnet manager; rdmactl fabric check shows what else is "
			     "missing");
	else if (answer->error)
		note_problem(group, mad_sa_error(answer->error), MAD_SA_HINT);
	else if (answer->status)
		note_problem(group, "the subnet administrator refused the query",
			     "rdmactl sa multicast shows the status");
	else if (answer->cut)
		note_problem(group, "the subnet administrator's answer was truncated", NULL);
	else if (answer->is_group && !group->members.known)
		problem_add_text(&group->run.mad.listing.notes, NULL, NULL, NULL,
				 "the subnet administrator does not list the members: they are "
				 "taken from the tables",
				 "give the SM_Key with --mkey: it is 1 unless opensm is configured "
				 "otherwise");
}

/*
 * The administrator lists members only for those who know the SM_Key; otherwise they are taken from
 * the tables. opensm does not answer a query with a wrong key (osm_sa_mad_ctrl.c), which is then
 * repeated without it.
 */
static void ask_members(struct group *group)
{
	struct mad_listing *mad = &group->run.mad;
	struct mad_route route = mad->session.port.route;
	struct multicast_answer *answer = &group->answer;

	if (group->run.args->mad.mkey)
		route.sm_key = mad->session.key;
	multicast_ask_members(mad->session.engine, &route, group->mlid, &group->members, answer);
	if (answer->error == -ETIMEDOUT && route.sm_key != mad->session.port.route.sm_key) {
		multicast_ask_members(mad->session.engine, &mad->session.port.route, group->mlid,
				      &group->members, answer);
		if (!answer->error)
			problem_add_text(&mad->listing.problems, NULL, "members", "sa",
					 "the subnet administrator answers only without the key of "
					 "--mkey, which may not be its SM_Key",
					 "the SM_Key is 1 unless opensm is configured otherwise");
	}
	note_answer(group);
	multicast_find_members(&group->run.fabric, &group->members);
}

/* Notes why some ports without packets, or with unwanted ones, are not faults. */
static void note_members(struct group *group)
{
	struct problems *notes = &group->run.mad.listing.notes;

	if (group->tree.one_member)
		problem_add_text(notes, NULL, NULL, NULL,
				 "the group has only one member: nothing needs to be sent", NULL);
	else if (group->tree.lost_member)
		problem_add_text(notes, NULL, NULL, NULL,
				 "some members, such as virtual functions, are not at a port of "
				 "the scan: ports that are not members are not reported",
				 NULL);
}

static void report_faults(struct group *group)
{
	struct listing *listing = &group->run.mad.listing;

	for (unsigned int i = 0; i < MULTICAST_FAULTS; i++) {
		const enum multicast_fault fault = (enum multicast_fault)(1u << i);
		const struct multicast_hop *first = NULL;
		const size_t count = multicast_count_faults(&group->tree, fault, &first);
		_cleanup_(freep) char *message = NULL;

		if (!count)
			continue;
		message = multicast_fault_text(&group->run.view, &group->tree, fault, count, first);
		listing_fail(listing, STATUS_FAULT, message,
			     "make the subnet manager recompute its routes: send SIGHUP to opensm");
	}
}

static void show(struct group *group)
{
	struct multicast_tree *tree = &group->tree;
	struct listing *listing = &group->run.mad.listing;

	multicast_tree_fill(&group->run.fabric, &group->forwarding, group->mlid, &group->members,
			    tree);
	group->rows = mem_alloc_zero(tree->count, sizeof(*group->rows));
	for (size_t i = 0; i < tree->count; i++) {
		multicast_hop_row_make(&group->run.view, tree, i, &group->rows[i]);
		listing_add(listing, &group->rows[i]);
	}
	if (tree->unknown)
		fabric_run_problem(
			&group->run, NULL,
			"parts of the tree are unknown: some faults are not checked for");
	note_members(group);
	report_faults(group);
	if (tree->count || tree->unknown)
		return;
	/* Without an answer, its problem has the next step. */
	listing_fail_format(listing, STATUS_NOTHING,
			    group->answer.is_group ? "the group has no member: rdmactl sa multicast"
			    : group->answer.error  ? NULL
						   : "rdmactl sa multicast lists the groups",
			    "no switch sends packets to 0x%04x", group->mlid);
}

int fabric_route_group(const struct ctx *ctx, const struct route_args *args)
{
	struct group group = {.mlid = 0};
	int status;

	if (!parse_mlid(ctx, args->mlid, &group.mlid))
		return STATUS_USAGE;
	if (fabric_run_begin(&group.run, ctx, &args->fabric, &fabric_tree_schema) &&
	    fabric_forwarding_read(&group.run, NULL, 0, FORWARDING_MULTICAST, &group.forwarding)) {
		if (!args->fabric.load)
			ask_members(&group);
		show(&group);
	}
	status = fabric_run_end(&group.run);
	multicast_tree_clear(&group.tree);
	forwarding_clear(&group.forwarding);
	free(group.members.items);
	free(group.rows);
	return status;
}
