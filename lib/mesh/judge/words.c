/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/judge/judge_parts.h"

#include <inttypes.h>

#include "base/cleanup.h"

const char *words_host(const struct judge *judge, uint32_t host)
{
	return judge->hosts[host].name ? judge->hosts[host].name : "?";
}

const struct endpoint *words_endpoint(const struct judge *judge, uint32_t port)
{
	const struct mesh_host *host = &judge->hosts[port_host(port)];

	return port_rail(port) < host->rail_count ? &host->rails[port_rail(port)] : NULL;
}

/* "; 6 of 6 partners" */
static void add_count(struct judge_finding *finding, uint32_t count, uint32_t judged,
		      const char *what)
{
	finding_say(finding, "%s%" PRIu32, finding->finding.evidence ? "; " : "", count);
	if (judged)
		finding_say(finding, " of %" PRIu32, judged);
	finding_say(finding, " %s ", what);
}

/* Adds "6 of 6 partners at 48 % of the median 392 Gb/s" and the like about what is bad. */
void words_add_figures(struct judge_finding *finding, const struct judge *judge,
		       const struct tally *tally, uint32_t judged, const char *what)
{
	const double share = tally->shares ? tally->share_sum / tally->shares : 0;

	if (tally->shares)
		finding->share = real_of(share);
	if (tally->failed) {
		add_count(finding, tally->failed, judged, what);
		finding_say(finding, "failed");
		if (tally->failed_alike < tally->failed)
			finding_say(finding, ", %" PRIu32 " of them", tally->failed_alike);
		finding_say(finding, ": %s", judge->reasons[tally->reason]);
	}
	if (tally->slow && tally->shares) {
		add_count(finding, tally->slow, judged, what);
		finding_say(finding, "at %.0f %% of the %s %.4g Gb/s", share * 100,
			    tally->split ? "upper quartile" : "median", tally->median);
	}
	if (tally->late) {
		add_count(finding, tally->late, judged, what);
		finding_say(finding, "with %.3g times the usual latency",
			    tally->lateness_sum / tally->late);
	}
	if (tally->both) {
		add_count(finding, tally->both, judged, what);
		finding_say(finding, "both ways at once at %.0f %% of the usual %.4g Gb/s",
			    tally->both_share_sum / tally->both * 100, tally->both_median);
	}
}

/* The sum of both ways by that of one way at a time: at one half, both share what one has alone. */
#define SHARED_LEAST 0.4
#define SHARED_MOST  0.6

enum judge_finding_id words_id(const struct tally *tally, enum judge_finding_id usual)
{
	return tally->both && !tally->failed && !tally->slow && !tally->late ? JUDGE_BOTH : usual;
}

void words_add_both(struct judge_finding *finding, const struct judge *judge,
		    const struct tally *tally, enum judge_finding_id id)
{
	const double limit = judge->limits.bandwidth_share * tally->both;
	const double ratio = tally->both_ratios ? tally->both_ratio_sum / tally->both_ratios : 0;
	const bool sends = tally->both_sent_sum < limit,
		   receives = tally->both_received_sum < limit;

	if (id != JUDGE_BOTH)
		return;
	finding->share = real_of(tally->both_share_sum / tally->both);
	finding->direction = number_of(sends == receives ? JUDGE_BOTH_WAYS
				       : sends		 ? JUDGE_SENDS
							 : JUDGE_RECEIVES);
	if (sends != receives)
		finding_say(finding, "; only what %s %s is slow then", finding->host_name ?: "it",
			    sends ? "sends" : "receives");
	finding_say(finding, "; one way at a time nothing is wrong");
	if (tally->both_ratios)
		finding_say(finding,
			    ": the two directions together reach %.0f %% of what they reach "
			    "one after the other",
			    ratio * 100);
	if (tally->both_ratios && ratio >= SHARED_LEAST && ratio <= SHARED_MOST)
		finding_say(finding,
			    ", about what one reaches alone: they may share what carries them");
}

static void add_direction(struct judge_finding *finding, const struct tally *tally)
{
	if (!tally->slow || tally->failed)
		return;
	if (tally->sends && tally->receives) {
		finding->direction = number_of(JUDGE_BOTH_WAYS);
		return;
	}
	finding->direction = number_of(tally->sends ? JUDGE_SENDS : JUDGE_RECEIVES);
	finding_say(finding, "; only what it %s is slow", tally->sends ? "sends" : "receives");
}

const char *words_not_again(const struct tally *tally)
{
	return tally->again_unjudged
		       ? "tried again alone, but this plan has no results to compare with"
		       : "not tried again alone";
}

static void add_second_pass(struct judge_finding *finding, const struct tally *tally,
			    bool alone_bad)
{
	if (!tally->again) {
		if (!alone_bad)
			finding_say(finding, "; %s", words_not_again(tally));
		return;
	}
	if (tally->again_bad) {
		finding_say(finding, "; alone with good hosts: %" PRIu32 " of %" PRIu32 " bad",
			    tally->again_bad, tally->again);
		return;
	}
	finding_say(finding, "; alone with good hosts it was good (%" PRIu32 " of %" PRIu32 ")",
		    tally->again, tally->again);
	if (alone_bad)
		return;
	finding_say(finding, ": it is bad only under load");
	finding->finding.severity = number_of(SEVERITY_WARNING);
}

void words_add_rest(struct judge_finding *finding, const struct judge *judge,
		    const struct tally *tally, enum judge_finding_id id, bool alone_bad)
{
	add_direction(finding, tally);
	words_add_both(finding, judge, tally, id);
	if (tally->partners)
		finding_say(finding, "; the same partners with others: %.0f %%",
			    tally->partner_share_sum / tally->partners * 100);
	add_second_pass(finding, tally, alone_bad);
}

void words_add_port_facts(struct judge_finding *finding, const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];
	const struct endpoint *rail = words_endpoint(judge, number);

	if (port->error_results)
		finding_say(finding,
			    "; its error counters grew by %" PRIu64 " in %" PRIu32 " of %" PRIu32
			    " tests",
			    port->errors, port->error_results, port->results);
	if (port->slow_rate && rail)
		finding_say(finding, "; its port runs at %.4g Gb/s, most others at %.4g",
			    (double)rail->rate_mbps / 1000,
			    (double)judge->rates[port->rate] / 1000);
	if (judge->fabric && judge->fabric->name_partner) {
		_cleanup_(freep) char *partner = judge->fabric->name_partner(judge->fabric->context,
									     number);

		if (partner)
			finding_say(finding, "; its cable leads to %s", partner);
	}
}

/*
 * From the pair of the rail with itself: "alone, in loopback, it is at 48 % ...", or, if the words
 * before it name the rail, "rail 3 alone, in loopback, is at 48 % ...".
 */
void words_add_loopback(struct judge_finding *finding, const struct judge *judge, uint32_t number,
			const char *before)
{
	for (size_t i = 0; i < judge->edge_count; i++) {
		const struct edge *edge = &judge->edges[i];
		const float share = edge->share[1] < 0 || (edge->share[0] >= 0 &&
							   edge->share[0] < edge->share[1])
					    ? edge->share[0]
					    : edge->share[1];

		if (!edge_is_loopback(edge) || edge_port(edge, MESH_END_A) != number)
			continue;
		finding_say(finding, "%salone, in loopback, %s", before, *before ? "" : "it ");
		if (edge->faults & EDGE_FAILED)
			finding_say(finding, "failed: %s", judge->reasons[edge->reason]);
		else if (edge->faults & EDGE_LATE)
			finding_say(finding, "has %.3g times the usual latency",
				    (double)edge->lateness);
		else
			finding_say(finding, "is at %.0f %% of the %s %.4g Gb/s",
				    (double)share * 100, edge->split ? "upper quartile" : "median",
				    (double)edge->median);
		return;
	}
}

/* Adds the mean of all figures of a rail that no single pair gave away. */
void words_add_mean(struct judge_finding *finding, const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];
	const double mean = port->good_share_sum / (double)port->good_figures;

	finding->share = real_of(mean);
	finding_say(finding,
		    "with all of %" PRIu32
		    " partners together at %.0f %% of the median, too far below it to be "
		    "chance, although no single pair is",
		    port->judged - port->judged_again, mean * 100);
}

void words_add_others(struct judge_finding *finding, const struct judge *judge, uint32_t number)
{
	const struct port *port = &judge->ports[number];

	finding_say(finding, "; %s with others: %" PRIu32 " of %" PRIu32 " good",
		    words_host(judge, port_host(number)), port->judged - port->bad,
		    port->judged - (port->bad > 0));
}
