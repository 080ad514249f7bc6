/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Credit loops: what lib/fabric/credit has found, in words. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/check/check.h"

/* A longer loop is not written out to its end. */
enum { MOST_LOOP_CABLES = 32 };

/*
 * Appends `leaf A/5 to spine 1/1 [VL 0: host1/1 to LID 7 of host3/1, SL 0]`: a cable, and the
 * packet that holds the place behind it.
 */
static void add_wait(const struct check_run *run, const struct credit_wait *wait,
		     enum credit_question question, const uint32_t *owners, char **text)
{
	const struct fabric_view *view = run->input->view;
	_cleanup_(freep) char *name = fabric_port_name(view, wait->held);
	_cleanup_(freep) char *peer = fabric_port_name(view, run->fabric->ports[wait->held].peer);
	_cleanup_(freep) char *source = fabric_port_name(view, wait->source);
	_cleanup_(freep) char *owner = fabric_port_name(view, owners[wait->lid]);

	mem_extend(text, "%s to %s [", name, peer);
	if (question != CREDIT_BY_PORT)
		mem_extend(text, "VL %u: ", wait->held_lane);
	mem_extend(text, "%s to LID %u of %s", source, wait->lid, owner);
	if (question != CREDIT_BY_PORT)
		mem_extend(text, ", SL %u", wait->sl);
	mem_extend(text, "]");
}

/*
 * Appends each cable with a packet that can be stuck behind it, waiting for the next cable; and
 * what else is linked with it, of which a search that was stopped knows only a part.
 */
static void add_loop(const struct check_run *run, const struct credit_loop *loop,
		     enum credit_question question, const uint32_t *owners, char **text)
{
	mem_extend(text, "%zu cables, each with a packet that waits for the next: ", loop->count);
	for (size_t i = 0; i < loop->count && i < MOST_LOOP_CABLES; i++) {
		mem_extend(text, "%s", i ? "; " : "");
		add_wait(run, &loop->waits[i], question, owners, text);
	}
	if (loop->count > MOST_LOOP_CABLES)
		mem_extend(text, "; and %zu more", loop->count - MOST_LOOP_CABLES);
	if (credit_study_stopped(run->input->credit))
		return;
	if (loop->again)
		mem_extend(text, "; the same cables are a loop on %u other VL%s", loop->again,
			   text_plural_s(loop->again));
	if (loop->ports > loop->count)
		mem_extend(text, "; further loops are linked with it, of %u channels in all",
			   loop->ports);
}

static const char one_vl[] = "one VL for all packets";

/* Says which packets are assumed to be sent. */
static char *describe_question(const struct credit_study *study)
{
	if (study->question == CREDIT_OF_PATHS)
		return mem_string("packets with the SLs of the path records");
	if (study->question == CREDIT_BY_PORT || !study->sls)
		return mem_string(one_vl);
	if (study->sls & (study->sls - 1))
		return mem_string("if packets of every SL go from each port to each other");
	return mem_format("if packets with SL %d go from each port to each other",
			  __builtin_ctz(study->sls));
}

static struct fabric_finding *report_loop(struct check_run *run, const struct credit_loop *loop,
					  enum credit_question question, const uint32_t *owners,
					  const char *who)
{
	_cleanup_(freep) char *text = NULL;

	add_loop(run, loop, question, owners, &text);
	return check_report(run, loop->waits[0].held, "%s: %s", who, text);
}

void check_credit_loop(struct check_run *run)
{
	const struct credit_study *study = run->input->credit;
	_cleanup_(freep) uint32_t *owners = NULL;
	_cleanup_(freep) char *who = NULL;

	if (!study)
		return;
	owners = forwarding_owners(run->fabric, NULL);
	who = describe_question(study);
	for (size_t i = 0; i < study->sure.count; i++)
		report_loop(run, &study->sure.items[i], CREDIT_BY_PORT, owners, one_vl);
	for (size_t i = 0; i < study->loops.count; i++) {
		struct fabric_finding *found = report_loop(run, &study->loops.items[i],
							   study->question, owners, who);

		/* That packets use these SLs is an assumption: only path records say so. */
		if (study->question == CREDIT_OF_SLS)
			check_change(found, SEVERITY_NOTICE,
				     "see whether packets use these SLs: rdmactl fabric check "
				     "--credit-loops paths asks the subnet administrator");
	}
}

static void report_unknown(struct check_run *run, uint32_t node, const char *what)
{
	_cleanup_(freep) char *name = NULL;

	if (node == FABRIC_NONE)
		return;
	name = fabric_node_name(run->input->view, node);
	check_report(run, FABRIC_NONE, "credit-loop: not all loops can be found: %s %s", what,
		     name);
}

/* Loops that the routes of all SLs form together, some of which SLs and VLs may break. */
static void report_possible(struct check_run *run)
{
	const struct credit_study *study = run->input->credit;
	_cleanup_(freep) uint32_t *owners = NULL;
	_cleanup_(freep) char *text = NULL;
	bool linked = false;

	if (!study->any.count)
		return;
	for (size_t i = 0; i < study->any.count; i++)
		linked |= study->any.items[i].ports > study->any.items[i].count;
	owners = forwarding_owners(run->fabric, NULL);
	add_loop(run, &study->any.items[0], CREDIT_BY_PORT, owners, &text);
	check_report(run, FABRIC_NONE,
		     "credit-loop: the routes of packets of all SLs together form %s%zu %sloop%s, "
		     "which VLs may break: --credit-loops all considers the VLs. The first has %s",
		     linked ? "at least " : "", study->any.count, study->sure.count ? "other " : "",
		     text_plural_s(study->any.count), text);
}

static void report_pairs(struct check_run *run, const struct credit_pairs *pairs)
{
	if (pairs->asked < pairs->wanted)
		check_report(run, FABRIC_NONE,
			     "credit-loop: path records of %zu of %" PRIu64 " pairs of ports were "
			     "asked for: packets of the others may form loops",
			     pairs->asked, pairs->wanted);
	if (pairs->failed)
		check_report(run, FABRIC_NONE,
			     "credit-loop: the subnet administrator did not answer for %zu of %zu "
			     "pairs of ports",
			     pairs->failed, pairs->asked);
	if (pairs->without)
		check_report(run, FABRIC_NONE,
			     "credit-loop: %zu of %zu pairs of ports have no path record; their "
			     "packets were left out",
			     pairs->without, pairs->asked);
}

void check_report_credit(struct check_run *run)
{
	const struct credit_study *study = run->input->credit;

	if (!study)
		return;
	report_unknown(run, study->any.unknown_node, "it is unknown where some packets go from");
	if (study->incomplete)
		check_report(run, FABRIC_NONE,
			     "credit-loop: not all loops can be found: a part of the subnet is "
			     "unknown");
	/* What follows tells how many there are: of a search that has ended. */
	if (credit_study_stopped(study))
		return;
	if (study->question == CREDIT_BY_PORT) {
		report_possible(run);
		return;
	}
	report_unknown(run, study->loops.laneless_node,
		       "it is unknown which VL some packets get at");
	report_unknown(
		run, study->loops.missing_lane_node,
		"the SL to VL tables give some packets a VL that the port does not have, at");
	report_pairs(run, &study->pairs);
}
