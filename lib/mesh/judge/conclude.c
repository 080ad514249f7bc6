/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The culprits in words, with the figures that they are found by. */
#include "mesh/judge/conclude.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/judge/judge_parts.h"
#include "mesh/judge/tally.h"

struct conclusion {
	struct judge *judge;
	struct judge_findings *findings;
	struct tally *tallies;
	uint32_t listed[JUDGE_NOT_RETRIED + 1]; /* findings by id */
};

static const char *host_name(const struct judge *judge, uint32_t host)
{
	return judge->hosts[host].name ? judge->hosts[host].name : "?";
}

static const struct endpoint *rail_of(const struct judge *judge, uint32_t port)
{
	const struct mesh_host *host = &judge->hosts[port_host(port)];

	return port_rail(port) < host->rail_count ? &host->rails[port_rail(port)] : NULL;
}

static char *device_name(const struct judge *judge, uint32_t port)
{
	const struct endpoint *rail = rail_of(judge, port);
	_cleanup_(freep) char *clean = NULL;

	if (!rail || !rail->device[0])
		return NULL;
	clean = text_clean(rail->device, sizeof(rail->device));
	return mem_format("%s/%" PRIu32, clean, rail->port);
}

/* "6 of 6 partners at 48 % of the median 392 Gb/s" and the like, of what is bad. */
static void add_figures(struct text_buffer *text, const struct judge *judge,
			const struct tally *tally, const struct culprit *culprit, const char *what)
{
	const char *of = culprit->judged ? " of " : "";
	char judged[16] = "";

	if (culprit->judged)
		snprintf(judged, sizeof(judged), "%" PRIu32, culprit->judged);
	if (tally->failed)
		text_buffer_add(text, "%s%" PRIu32 "%s%s %s failed%s%s", text->length ? "; " : "",
				tally->failed, of, judged, what,
				tally->reason == UINT32_MAX ? "" : ": ",
				tally->reason == UINT32_MAX ? "" : judge->reasons[tally->reason]);
	if (tally->slow && tally->shares)
		text_buffer_add(text, "%s%" PRIu32 "%s%s %s at %.0f %% of the median %.4g Gb/s",
				text->length ? "; " : "", tally->slow, of, judged, what,
				tally->share_sum / tally->shares * 100, tally->median);
	if (tally->late)
		text_buffer_add(text, "%s%" PRIu32 "%s%s %s with %.3g times the median latency",
				text->length ? "; " : "", tally->late, of, judged, what,
				tally->lateness_sum / tally->late);
}

static void add_direction(struct text_buffer *text, struct judge_finding *finding,
			  const struct tally *tally)
{
	if (!tally->slow || tally->failed)
		return;
	if (tally->sends && tally->receives) {
		finding->direction = number_of(JUDGE_BOTH_WAYS);
		return;
	}
	finding->direction = number_of(tally->sends ? JUDGE_SENDS : JUDGE_RECEIVES);
	text_buffer_add(text, "; only what it %s is slow", tally->sends ? "sends" : "receives");
}

static void add_second_pass(struct text_buffer *text, struct judge_finding *finding,
			    const struct tally *tally)
{
	if (!tally->again) {
		text_buffer_add(text, "; not tried again alone");
		return;
	}
	if (tally->again_bad) {
		text_buffer_add(text, "; alone with good hosts: %" PRIu32 " of %" PRIu32 " bad",
				tally->again_bad, tally->again);
		return;
	}
	text_buffer_add(text,
			"; alone with good hosts it was good (%" PRIu32 " of %" PRIu32
			"): it is bad under load only",
			tally->again, tally->again);
	finding->finding.severity = number_of(SEVERITY_WARNING);
}

static void set_host(struct judge_finding *finding, const struct judge *judge, uint32_t host)
{
	finding->host = number_of(host);
	finding->host_name = mem_string(host_name(judge, host));
}

static void add_port_facts(struct text_buffer *text, const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];

	if (port->error_results)
		text_buffer_add(text,
				"; its error counters grew by %" PRIu64 " in %" PRIu32
				" of %" PRIu32 " tests",
				port->errors, port->error_results, port->results);
	if (port->slow_rate)
		text_buffer_add(text,
				"; its port runs at %" PRIu64 " Gb/s, most others at %" PRIu64,
				rail_of(judge, number)->rate_mbps / 1000,
				judge->rates[port->rate] / 1000);
	if (judge->fabric && judge->fabric->name_partner) {
		_cleanup_(freep) char *partner = judge->fabric->name_partner(judge->fabric->context,
									     number);

		if (partner)
			text_buffer_add(text, "; its cable leads to %s", partner);
	}
}

/* "loopback at 48 % ...", from the pair of the rail with itself. */
static void add_loopback(struct text_buffer *text, const struct judge *judge, uint32_t number)
{
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];
		const float share = edge->share[0] >= 0 ? edge->share[0] : edge->share[1];

		if (!edge_is_loopback(edge) || edge_port(edge, MESH_END_A) != number)
			continue;
		if (edge->faults & EDGE_FAILED)
			text_buffer_add(text, "alone, in loopback, it failed: %s",
					judge->reasons[edge->reason]);
		else if (edge->faults & EDGE_LATE)
			text_buffer_add(text,
					"alone, in loopback, it has %.3g times the median latency",
					(double)edge->lateness);
		else
			text_buffer_add(text,
					"alone, in loopback, it is at %.0f %% of the median %.4g "
					"Gb/s",
					(double)share * 100, (double)edge->median);
		return;
	}
}

/* The mean of all figures of a rail that no single pair gave away. */
static void add_mean(struct text_buffer *text, struct judge_finding *finding,
		     const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];
	const double mean = port->good_share_sum / (double)port->good_figures;

	finding->share = real_of(mean);
	text_buffer_add(text,
			"with all of %" PRIu32 " partners together at %.0f %% of the median, too "
			"far below for chance, although no single pair is",
			port->judged, mean * 100);
}

static void conclude_port(struct conclusion *conclusion, const struct culprit *culprit,
			  const struct tally *tally)
{
	const struct judge *judge = conclusion->judge;
	const uint32_t host = port_host(culprit->number);
	struct text_buffer text = {0};
	struct judge_finding *finding = finding_add(
		conclusion->findings, JUDGE_RAIL,
		mem_format("%s rail %u", host_name(judge, host), port_rail(culprit->number)), NULL);

	set_host(finding, judge, host);
	finding->rail = number_of(port_rail(culprit->number));
	finding->device = device_name(judge, culprit->number);
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	if (judge->ports[culprit->number].alone_bad)
		add_loopback(&text, judge, culprit->number);
	if (culprit->by_mean)
		add_mean(&text, finding, judge, culprit->number);
	add_figures(&text, judge, tally, culprit, "partners");
	if (tally->shares)
		finding->share = real_of(tally->share_sum / tally->shares);
	add_direction(&text, finding, tally);
	if (tally->partners)
		text_buffer_add(&text, "; the same partners with others: %.0f %%",
				tally->partner_share_sum / tally->partners * 100);
	if (!judge->ports[culprit->number].alone_bad && !culprit->by_mean)
		add_second_pass(&text, finding, tally);
	add_port_facts(&text, judge, culprit->number);
	strings_add(&finding->hosts, host_name(judge, host));
	finding->finding.evidence = text_buffer_take(&text);
}

static void conclude_host(struct conclusion *conclusion, size_t number)
{
	const struct judge *judge = conclusion->judge;
	const struct culprit *culprit = &judge->culprits[number];
	const struct tally *tally = &conclusion->tallies[number];
	const struct culprit pairs = {0};
	struct text_buffer text = {0};
	const char *between = "";
	struct judge_finding *finding = finding_add(conclusion->findings, JUDGE_HOST,
						    mem_string(host_name(judge, culprit->number)),
						    NULL);

	set_host(finding, judge, culprit->number);
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	text_buffer_add(&text, "%" PRIu32 " of %" PRIu32 " rails are bad (", culprit->bad,
			culprit->judged);
	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].merged == number + 1) {
			text_buffer_add(&text, "%s%u", between,
					port_rail(judge->culprits[i].number));
			between = ", ";
		}
	text_buffer_add(&text, ")");
	add_figures(&text, judge, tally, &pairs, "pairs");
	if (tally->shares)
		finding->share = real_of(tally->share_sum / tally->shares);
	add_direction(&text, finding, tally);
	if (tally->partners)
		text_buffer_add(&text, "; the same partners with others: %.0f %%",
				tally->partner_share_sum / tally->partners * 100);
	if (tally->pairs)
		add_second_pass(&text, finding, tally);
	strings_add(&finding->hosts, host_name(judge, culprit->number));
	finding->finding.evidence = text_buffer_take(&text);
}

/* A pair whose ends are both good with others, or of which that is not known. */
static enum judge_finding_id id_of_pair(const struct judge *judge, const struct edge *edge,
					const struct tally *tally)
{
	if (tally->again && !tally->again_bad)
		return JUDGE_FLAKY;
	for (int end = 0; end < MESH_ENDS; end++) {
		const struct port *port = &judge->ports[edge_port(edge, (enum mesh_end)end)];

		if (port->judged == port->bad)
			return JUDGE_UNCLEAR;
	}
	return JUDGE_PAIR;
}

static bool is_listed(struct conclusion *conclusion, enum judge_finding_id id)
{
	return conclusion->listed[id]++ < conclusion->judge->limits.most_single_rows;
}

static void add_others(struct text_buffer *text, const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];

	text_buffer_add(text, "; %s with others: %" PRIu32 " of %" PRIu32 " good",
			host_name(judge, port_host(number)), port->judged - port->bad,
			port->judged - (port->bad > 0));
}

static void conclude_pair(struct conclusion *conclusion, const struct culprit *culprit,
			  const struct tally *tally)
{
	const struct judge *judge = conclusion->judge;
	const struct edge *edge = &judge->edges[culprit->number];
	const enum judge_finding_id id = id_of_pair(judge, edge, tally);
	const struct culprit one = {0};
	struct text_buffer text = {0};
	struct judge_finding *finding;

	if (!is_listed(conclusion, id))
		return;
	finding = finding_add(conclusion->findings, id,
			      mem_format("%s and %s, rail %u", host_name(judge, edge->pair.a),
					 host_name(judge, edge->pair.b), edge->pair.rail_a),
			      NULL);
	set_host(finding, judge, edge->pair.a);
	finding->rail = number_of(edge->pair.rail_a);
	finding->device = device_name(judge, edge_port(edge, MESH_END_A));
	finding->peer = number_of(edge->pair.b);
	finding->peer_name = mem_string(host_name(judge, edge->pair.b));
	add_figures(&text, judge, tally, &one, "pair");
	if (tally->shares)
		finding->share = real_of(tally->share_sum / tally->shares);
	if (tally->sends && !tally->receives && !tally->failed)
		text_buffer_add(&text, "; only what %s sends is slow", finding->host_name);
	if (tally->receives && !tally->sends && !tally->failed)
		text_buffer_add(&text, "; only what %s sends is slow", finding->peer_name);
	add_others(&text, judge, edge_port(edge, MESH_END_A));
	add_others(&text, judge, edge_port(edge, MESH_END_B));
	if (!tally->again)
		text_buffer_add(&text, "; not tried again alone");
	else
		text_buffer_add(&text, "; tried again alone: %s",
				tally->again_bad ? "bad again" : "good");
	if (id == JUDGE_FLAKY && !tally->failed)
		finding->finding.severity = number_of(SEVERITY_NOTICE);
	else if (!tally->again && id != JUDGE_UNCLEAR)
		finding->finding.severity = number_of(SEVERITY_WARNING);
	finding->finding.evidence = text_buffer_take(&text);
}

static void add_group_hosts(struct judge *judge, uint32_t group, struct strings *hosts)
{
	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].judged && chain_end(judge, i) == group)
			strings_add(hosts, host_name(judge, port_host(i)));
}

/* Hosts whose rails were found bad, and are now a part of the switch. */
static void add_merged_hosts(const struct judge *judge, size_t number, struct strings *hosts)
{
	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];

		if (culprit->merged != number + 1 || culprit->kind != CULPRIT_PORT)
			continue;
		if (!strings_contain(hosts, host_name(judge, port_host(culprit->number))))
			strings_add(hosts, host_name(judge, port_host(culprit->number)));
	}
}

static char *object_of_shared(const struct judge *judge, const struct culprit *culprit,
			      const struct strings *hosts)
{
	const struct judge_fabric *fabric = judge->fabric;

	if (culprit->kind == CULPRIT_CABLE)
		return fabric->name_cable(fabric->context, culprit->number);
	if (culprit->kind == CULPRIT_SWITCH)
		return fabric->name_switch(fabric->context, culprit->number);
	return mem_format("%s and %zu others, rail %u", hosts->count ? hosts->items[0] : "?",
			  hosts->count ? hosts->count - 1 : 0, culprit->rail);
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
	const struct culprit all = {0};
	struct text_buffer text = {0};
	struct strings hosts = {.known = true};
	struct judge_finding *finding;

	if (culprit->of_group)
		add_group_hosts(judge, culprit->group, &hosts);
	add_merged_hosts(judge, number, &hosts);
	finding = finding_add(conclusion->findings, ids[culprit->kind],
			      object_of_shared(judge, culprit, &hosts), NULL);
	finding->hosts = hosts;
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	add_figures(&text, judge, tally, &all, "pairs");
	if (tally->shares)
		finding->share = real_of(tally->share_sum / tally->shares);
	if (culprit->of_group)
		text_buffer_add(&text,
				"%sno pair of these %zu hosts with the others is good, and among "
				"themselves they are",
				text.length ? "; " : "", hosts.count);
	else if (culprit->kind == CULPRIT_CABLE)
		text_buffer_add(&text,
				"%s%" PRIu32 " of %" PRIu32 " that go through it are bad, by the "
				"routes of the scan",
				text.length ? "; " : "", culprit->bad, culprit->judged);
	else
		text_buffer_add(&text, "%s%" PRIu32 " of %" PRIu32 " %s are bad",
				text.length ? "; " : "", culprit->bad, culprit->judged,
				hosts.count ? "rails that are cabled to it"
					    : "pairs or cables that leave it");
	if (tally->again)
		text_buffer_add(&text, "; tried again alone: %" PRIu32 " of %" PRIu32 " bad",
				tally->again_bad, tally->again);
	if (tally->again && !tally->again_bad)
		finding->finding.severity = number_of(SEVERITY_WARNING);
	finding->finding.evidence = text_buffer_take(&text);
}

static void conclude_growth(struct conclusion *conclusion, const struct culprit *culprit)
{
	const struct judge *judge = conclusion->judge;
	const uint32_t host = port_host(culprit->number);
	struct text_buffer text = {0};
	struct judge_finding *finding;

	if (!is_listed(conclusion, JUDGE_GROWTH))
		return;
	finding = finding_add(
		conclusion->findings, JUDGE_GROWTH,
		mem_format("%s rail %u", host_name(judge, host), port_rail(culprit->number)), NULL);
	set_host(finding, judge, host);
	finding->rail = number_of(port_rail(culprit->number));
	finding->device = device_name(judge, culprit->number);
	finding->bad = number_of(culprit->bad);
	finding->judged = number_of(culprit->judged);
	text_buffer_add(&text, "%" PRIu32 " of %" PRIu32 " partners were bad",
			judge->ports[culprit->number].bad, judge->ports[culprit->number].judged);
	add_port_facts(&text, judge, culprit->number);
	finding->finding.evidence = text_buffer_take(&text);
}

static void conclude_rates(struct conclusion *conclusion)
{
	const struct judge *judge = conclusion->judge;
	_cleanup_(freep) bool *known = mem_alloc_zero((size_t)judge->port_count + 1,
						      sizeof(*known));

	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].kind == CULPRIT_PORT)
			known[judge->culprits[i].number] = true;
	for (uint32_t i = 0; i < judge->port_count; i++) {
		struct judge_finding *finding;

		if (!judge->ports[i].slow_rate || known[i] || !is_listed(conclusion, JUDGE_RATE))
			continue;
		finding = finding_add(
			conclusion->findings, JUDGE_RATE,
			mem_format("%s rail %u", host_name(judge, port_host(i)), port_rail(i)),
			mem_format("the port runs at %" PRIu64 " Gb/s, most others at %" PRIu64,
				   rail_of(judge, i)->rate_mbps / 1000,
				   judge->rates[judge->ports[i].rate] / 1000));
		set_host(finding, judge, port_host(i));
		finding->rail = number_of(port_rail(i));
		finding->device = device_name(judge, i);
	}
}

static void conclude_presence(struct conclusion *conclusion)
{
	static const enum judge_finding_id ids[] = {
		[MESH_ABSENT] = JUDGE_ABSENT,
		[MESH_REFUSED] = JUDGE_REFUSED,
		[MESH_LOST] = JUDGE_LOST,
	};
	const struct judge *judge = conclusion->judge;

	for (uint32_t i = 0; i < judge->host_count; i++) {
		const struct mesh_host *host = &judge->hosts[i];
		struct judge_finding *finding;

		if (host->presence == MESH_PRESENT)
			continue;
		finding = finding_add(
			conclusion->findings, ids[host->presence], mem_string(host_name(judge, i)),
			mem_string(host->reason ? host->reason : "no agent connected"));
		set_host(finding, judge, i);
		strings_add(&finding->hosts, host_name(judge, i));
	}
}

/* How many findings of an id were left out of the list. */
static void conclude_rest(struct conclusion *conclusion)
{
	const struct judge *judge = conclusion->judge;

	for (unsigned int id = 0; id < ARRAY_SIZE(conclusion->listed); id++) {
		uint32_t count = conclusion->listed[id];

		if (count <= judge->limits.most_single_rows)
			continue;
		finding_add(conclusion->findings, (enum judge_finding_id)id, NULL,
			    mem_format("%" PRIu32 " more, which are not listed",
				       count - judge->limits.most_single_rows));
	}
	if (judge->row_count)
		finding_add(conclusion->findings, JUDGE_NOT_JUDGED, NULL,
			    mem_format("%zu results are of a rail and distance with fewer than "
				       "%" PRIu32 " figures",
				       judge->row_count, judge->limits.least_results));
	if (judge->retests_left_out)
		finding_add(conclusion->findings, JUDGE_NOT_RETRIED, NULL,
			    mem_format("%zu suspects were not tried again alone",
				       judge->retests_left_out));
}

void judge_conclude(struct judge *judge, struct judge_findings *findings)
{
	struct conclusion conclusion = {.judge = judge, .findings = findings};

	explain(judge);
	conclusion.tallies = tallies_of(judge);
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
		}
	}
	conclude_rates(&conclusion);
	conclude_presence(&conclusion);
	conclude_rest(&conclusion);
	findings_sort(findings);
	free(conclusion.tallies);
}
