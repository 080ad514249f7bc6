/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts culprits into words, with the figures that they were found by. */
#include "mesh/judge/judge_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"

/* The culprit with its partners of the first pass only; the second is reported separately. */
static struct culprit first_pass_of(const struct judge *judge, const struct culprit *culprit)
{
	const struct port *port = &judge->ports[culprit->number];
	struct culprit first = *culprit;

	first.judged -= port->judged_again < first.judged ? port->judged_again : first.judged;
	first.bad -= port->bad_again < first.bad ? port->bad_again : first.bad;
	return first;
}

/* If this many hosts are bad on one rail, they are likely to share the cause. */
enum { LEAST_ALIKE = 4 };

/* Whether something besides both directions at once is wrong with the rail. */
static bool is_bad_by_itself(const struct judge *judge, const struct culprit *culprit)
{
	return culprit->kind == CULPRIT_PORT &&
	       (judge->ports[culprit->number].alone_bad || culprit->by_mean);
}

/* Adds what the first pass says of a port that only the second pass found to be bad. */
static void add_first_pass(struct judge_finding *finding, const struct judge *judge,
			   uint32_t number)
{
	const struct port *port = &judge->ports[number];
	const uint32_t partners = port->judged - port->judged_again;
	uint32_t bad = 0;

	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		bad += edge->faults && !edge->again && !edge->duplicate &&
		       (edge_port(edge, MESH_END_A) == number ||
			edge_port(edge, MESH_END_B) == number);
	}
	if (partners > bad)
		finding_say(finding, "good with %" PRIu32 " partner%s at first", partners - bad,
			    text_plural_s(partners - bad));
	else if (partners == 1)
		finding_say(finding, "its only partner is bad itself");
	else
		finding_say(finding, "its %" PRIu32 " partners are bad themselves", partners);
}

static void conclude_port(struct conclusion *conclusion, const struct culprit *whole,
			  const struct tally *tally)
{
	const struct judge *judge = conclusion->judge;
	const struct culprit first = first_pass_of(judge, whole), *const culprit = &first;
	const enum judge_finding_id id = is_bad_by_itself(judge, culprit)
						 ? JUDGE_RAIL
						 : words_id(tally, JUDGE_RAIL);
	struct judge_finding *finding = finding_add_port(conclusion, id, culprit->number, NULL);

	if (culprit->judged) {
		finding->bad = number_of(culprit->bad);
		finding->judged = number_of(culprit->judged);
	}
	if (judge->ports[culprit->number].alone_bad)
		words_add_loopback(finding, judge, culprit->number, "");
	if (culprit->by_mean)
		words_add_mean(finding, judge, culprit->number);
	words_add_figures(finding, judge, tally, culprit->judged, "partners");
	if (!finding->finding.evidence)
		add_first_pass(finding, judge, culprit->number);
	words_add_rest(finding, judge, tally, id, judge->ports[culprit->number].alone_bad);
	words_add_port_facts(finding, judge, culprit->number);
	if (conclusion->bad_ports[port_rail(culprit->number)] >= LEAST_ALIKE)
		finding_say(finding,
			    "; %" PRIu32 " hosts are bad on this rail: look for a switch that "
			    "they share",
			    conclusion->bad_ports[port_rail(culprit->number)]);
	strings_add(&finding->hosts, finding->host_name);
}

/* What a host is blamed for, judged by all of its rails. */
static enum judge_finding_id id_of_host(const struct judge *judge, size_t number,
					const struct tally *tally)
{
	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].merged == number + 1 &&
		    is_bad_by_itself(judge, &judge->culprits[i]))
			return JUDGE_HOST;
	return words_id(tally, JUDGE_HOST);
}

/* Adds the first rail that is bad alone, if any: it may have no pairs that show what is wrong. */
static bool add_first_alone(struct judge_finding *finding, const struct judge *judge, uint32_t host)
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
		const uint32_t port = port_number(host, rail);
		_cleanup_(freep) char *before = NULL;

		if (!judge->ports[port].alone_bad)
			continue;
		before = mem_format("; rail %u ", rail);
		words_add_loopback(finding, judge, port, before);
		return true;
	}
	return false;
}

static void conclude_host(struct conclusion *conclusion, size_t number)
{
	const struct judge *judge = conclusion->judge;
	const struct culprit *culprit = &judge->culprits[number];
	const struct tally *tally = &conclusion->tallies[number];
	const char *between = "";
	uint32_t rails = 0; /* bits */
	bool alone_bad;
	const enum judge_finding_id id = id_of_host(judge, number, tally);
	struct judge_finding *finding = finding_add(
		conclusion->findings, id, mem_string(words_host(judge, culprit->number)), NULL);

	finding_set_host(finding, judge, culprit->number);
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	finding_say(finding, "%" PRIu32 " of %" PRIu32 " rails are bad (", culprit->bad,
		    culprit->judged);
	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].merged == number + 1)
			rails |= UINT32_C(1) << port_rail(judge->culprits[i].number);
	/* Culprits are in the order in which they were found. */
	for (unsigned int rail = 0; rail < MESH_MOST_RAILS; rail++)
		if (rails >> rail & 1) {
			finding_say(finding, "%s%u", between, rail);
			between = ", ";
		}
	finding_say(finding, ")");
	alone_bad = add_first_alone(finding, judge, culprit->number);
	words_add_figures(finding, judge, tally, 0, "pairs");
	words_add_rest(finding, judge, tally, id, alone_bad);
	strings_add(&finding->hosts, words_host(judge, culprit->number));
}

/* Finding for a single pair: flaky, unclear if an end was good with nobody, else bad together. */
static enum judge_finding_id id_of_pair(const struct conclusion *conclusion,
					const struct edge *edge, const struct tally *tally)
{
	const struct judge *judge = conclusion->judge;

	if (tally->again && !tally->again_bad)
		return JUDGE_FLAKY;
	/* A pair that was not tried again is assumed to be like those that were. */
	if (!tally->again && !edge->again &&
	    conclusion->pairs_again >= judge->limits.least_results && !conclusion->pairs_bad_again)
		return JUDGE_FLAKY;
	for (int end = 0; end < MESH_ENDS; end++) {
		const struct port *port = &judge->ports[edge_port(edge, end)];

		if (port->judged == port->bad)
			return JUDGE_UNCLEAR;
	}
	return words_id(tally, JUDGE_PAIR);
}

/* A pair that was not tried again may have been bad by chance. */
static enum severity severity_of_pair(enum judge_finding_id id, const struct tally *tally)
{
	if (id == JUDGE_FLAKY && !tally->failed)
		return SEVERITY_NOTICE;
	return !tally->again && id != JUDGE_UNCLEAR ? SEVERITY_WARNING : judge_kinds[id].severity;
}

static void conclude_pair(struct conclusion *conclusion, const struct culprit *culprit,
			  const struct tally *tally)
{
	const struct judge *judge = conclusion->judge;
	const struct edge *edge = &judge->edges[culprit->number];
	const enum judge_finding_id id = id_of_pair(conclusion, edge, tally);
	const enum severity severity = severity_of_pair(id, tally);
	struct judge_finding *finding;

	if (!conclusion_lists(conclusion, id, severity))
		return;
	finding = finding_add(conclusion->findings, id, mesh_pair_text(judge->hosts, &edge->pair),
			      NULL);
	finding_set_port(finding, judge, edge_port(edge, MESH_END_A));
	finding->peer = number_of(edge->pair.b);
	finding->peer_name = mem_string(words_host(judge, edge->pair.b));
	words_add_figures(finding, judge, tally, 0, "pair");
	if (!tally->sends != !tally->receives && !tally->failed)
		finding_say(finding, "; only what %s sends is slow",
			    tally->sends ? finding->host_name : finding->peer_name);
	words_add_both(finding, judge, tally, words_id(tally, id));
	words_add_others(finding, judge, edge_port(edge, MESH_END_A));
	words_add_others(finding, judge, edge_port(edge, MESH_END_B));
	if (!tally->again && id == JUDGE_FLAKY)
		finding_say(finding,
			    "; not tried again alone; the %" PRIu32 " pairs that were are good",
			    conclusion->pairs_again);
	else if (!tally->again)
		finding_say(finding, "; %s",
			    edge->again ? "bad when tested alone, in the second pass"
					: words_not_again(tally));
	else
		finding_say(finding, "; tried again alone: %s",
			    tally->again_bad ? "bad again" : "good");
	if (id == JUDGE_BOTH)
		finding_set_next_step(finding,
				      "look at what lies between them and carries both directions");
	finding->finding.severity = number_of(severity);
}

/* Adds hosts whose rails were found bad and then merged into the switch. */
static void add_merged_hosts(const struct judge *judge, size_t number, struct strings *hosts)
{
	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];

		if (culprit->merged != number + 1 || culprit->kind != CULPRIT_PORT)
			continue;
		if (!strings_contain(hosts, words_host(judge, port_host(culprit->number))))
			strings_add(hosts, words_host(judge, port_host(culprit->number)));
	}
}

/* Bytes of a list of hosts within a line. */
enum { MOST_OF_LIST = 60 };

static char *object_of_shared(const struct judge *judge, const struct culprit *culprit,
			      const struct strings *hosts)
{
	const struct judge_fabric *fabric = judge->fabric;
	_cleanup_(freep) char *list = NULL;

	if (culprit->kind == CULPRIT_CABLE)
		return fabric->name_cable(fabric->context, culprit->number);
	if (culprit->kind == CULPRIT_SWITCH)
		return fabric->name_switch(fabric->context, culprit->number);
	list = hostlist_format((const char *const *)hosts->items, hosts->count, MOST_OF_LIST);
	return mem_format("%s, rail %u", list, culprit->rail);
}

static void say_again(struct judge_finding *finding, const struct tally *tally)
{
	if (tally->again)
		finding_say(finding, "; tried again alone: %" PRIu32 " of %" PRIu32 " bad",
			    tally->again_bad, tally->again);
}

static void conclude_shared(struct conclusion *conclusion, size_t number)
{
	struct judge *judge = conclusion->judge;
	const struct culprit *culprit = &judge->culprits[number];
	const struct tally *tally = &conclusion->tallies[number];
	static const enum judge_finding_id ids[] = {
		[CULPRIT_CABLE] = JUDGE_CABLE,
		[CULPRIT_SWITCH] = JUDGE_SWITCH,
		[CULPRIT_GROUP] = JUDGE_GROUP,
	};
	struct strings hosts = {.known = true};
	struct judge_finding *finding;

	for (uint32_t i = 0; culprit->of_group && i < judge->port_count; i++)
		if (judge->ports[i].judged && chain_end(judge, i) == culprit->group)
			strings_add(&hosts, words_host(judge, port_host(i)));
	add_merged_hosts(judge, number, &hosts);
	finding = finding_add(conclusion->findings, ids[culprit->kind],
			      object_of_shared(judge, culprit, &hosts), NULL);
	finding->hosts = hosts;
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	words_add_figures(finding, judge, tally, 0, "pairs");
	if (finding->finding.evidence)
		finding_say(finding, "; ");
	if (culprit->of_group)
		finding_say(finding,
			    "no pair between these %zu hosts and the others is good, but "
			    "those among themselves are",
			    hosts.count);
	else if (culprit->kind == CULPRIT_CABLE)
		finding_say(finding,
			    "%" PRIu32 " of %" PRIu32
			    " that go through it are bad, according to the routes of the scan",
			    culprit->bad, culprit->judged);
	else
		finding_say(finding, "%" PRIu32 " of %" PRIu32 " %s are bad", culprit->bad,
			    culprit->judged,
			    hosts.count ? "rails that are cabled to it"
					: "pairs or cables that leave it");
	say_again(finding, tally);
	if (tally->again && !tally->again_bad)
		finding->finding.severity = number_of(SEVERITY_WARNING);
}

/* Adds the port that most of the pairs have in common. */
static void add_most_frequent(struct judge_finding *finding, const struct judge *judge,
			      size_t number)
{
	_cleanup_(freep) uint32_t *counts = port_numbers(judge);
	uint32_t most = 0;

	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];

		if (!edge->culprit || culprit_at(judge, edge->culprit)->merged != number + 1)
			continue;
		for (int end = 0; end < MESH_ENDS && !edge->again; end++) {
			uint32_t port = edge_port(edge, end);

			if (++counts[port] > counts[most])
				most = port;
		}
	}
	finding_say(finding,
		    "; no host explains them: %s has the most, %" PRIu32 " of its %" PRIu32,
		    words_host(judge, port_host(most)), counts[most],
		    judge->ports[most].judged - judge->ports[most].judged_again);
}

static void conclude_scatter(struct conclusion *conclusion, size_t number)
{
	const struct judge *judge = conclusion->judge;
	const struct culprit *culprit = &judge->culprits[number];
	const struct tally *tally = &conclusion->tallies[number];
	const bool good_alone = tally->again && !tally->again_bad;
	struct judge_finding *finding = finding_add(
		conclusion->findings, JUDGE_UNCLEAR,
		mem_format("%s%" PRIu32 " pairs of rail %" PRIu32, culprit->judged ? "all " : "",
			   culprit->bad, culprit->number),
		NULL);

	finding->judged = number_unless_zero(culprit->judged);
	finding->rail = number_of(culprit->number);
	finding->bad = number_of(culprit->bad);
	words_add_figures(finding, judge, tally, 0, "pairs");
	if (!culprit->judged)
		add_most_frequent(finding, judge, number);
	say_again(finding, tally);
	if (!tally->again && culprit->judged)
		finding_say(finding, "; %s", words_not_again(tally));
	if (good_alone) {
		finding_say(finding, ": they are bad only under load, or were for a while");
		finding->finding.severity = number_of(SEVERITY_WARNING);
	}
	finding_say(finding, culprit->judged ? "; no host stands out"
					     : "; a cable or a switch between them may be bad");
	finding_set_next_step(
		finding,
		good_alone ? judge_kinds[JUDGE_FLAKY].next_step
		: culprit->judged
			? "look for what all of them share: a firewall, the switches of the rail, "
			  "a VLAN, a P_Key; rdmactl selftest between two hosts shows more"
		: judge->cables ? "test more pairs of this rail; look at the switches of the rail"
				: "--fabric with a scan that has the routes shows what they share");
}

static void conclude_growth(struct conclusion *conclusion, const struct culprit *culprit)
{
	const struct judge *judge = conclusion->judge;
	struct judge_finding *finding;

	if (!conclusion_lists(conclusion, JUDGE_GROWTH, judge_kinds[JUDGE_GROWTH].severity))
		return;
	finding = finding_add_port(conclusion, JUDGE_GROWTH, culprit->number, NULL);
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	finding_say(finding, "%" PRIu32 " of %" PRIu32 " partners were bad",
		    judge->ports[culprit->number].bad, judge->ports[culprit->number].judged);
	words_add_port_facts(finding, judge, culprit->number);
}

void judge_conclude(struct judge *judge, struct judge_findings *findings)
{
	struct conclusion conclusion = {.judge = judge, .findings = findings};

	explain(judge);
	merge_pairs(judge);
	count_pairs_again(judge, ALL_RAILS, &conclusion.pairs_again, &conclusion.pairs_bad_again);
	conclusion.tallies = tallies_of(judge);
	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].kind == CULPRIT_PORT && !judge->culprits[i].merged)
			conclusion.bad_ports[port_rail(judge->culprits[i].number)]++;
	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];
		const struct tally *tally = &conclusion.tallies[i];

		if (culprit->merged)
			continue;
		switch (culprit->kind) {
		case CULPRIT_PORT:
			conclude_port(&conclusion, culprit, tally);
			break;
		case CULPRIT_HOST:
			conclude_host(&conclusion, i);
			break;
		case CULPRIT_PAIR:
			conclude_pair(&conclusion, culprit, tally);
			break;
		case CULPRIT_GROUP:
		case CULPRIT_SWITCH:
		case CULPRIT_CABLE:
			conclude_shared(&conclusion, i);
			break;
		case CULPRIT_GROWTH:
			conclude_growth(&conclusion, culprit);
			break;
		case CULPRIT_SCATTER:
			conclude_scatter(&conclusion, i);
			break;
		}
	}
	conclude_distances(&conclusion);
	conclude_rails(&conclusion);
	conclude_directions(&conclusion);
	conclude_rates(&conclusion);
	conclude_gaps(&conclusion);
	conclude_presence(&conclusion);
	conclude_rest(&conclusion);
	findings_sort(findings);
	free(conclusion.tallies);
}
