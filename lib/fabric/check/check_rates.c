/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks of link rates by comparison: of the two ends of a link and, if it is unknown what its
 * ports support (as in a text of another tool), of the link and those beside it.
 */
#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/check.h"

/* This many siblings are needed to tell what is usual, and 3 of 4 of them must agree. */
enum { SIBLINGS_LEAST = 3, SIBLINGS_PART = 4 };

struct rate {
	unsigned int lanes;
	enum lane_speed speed;
};

/* FDR10 reads as QDR unless the vendor's own attribute was read, so the two are equal here. */
static enum lane_speed comparable(enum lane_speed speed)
{
	return speed == SPEED_FDR10 ? SPEED_QDR : speed;
}

/* The rate that the port reports, else the one that its peer reports. */
static struct rate rate_of(const struct fabric *fabric, uint32_t place)
{
	const struct cable_kind kind = cable_kind_of(fabric, place);

	return (struct rate){.lanes = kind.lanes, .speed = kind.speed};
}

static bool is_known(const struct rate *rate)
{
	return rate->lanes && rate->speed != SPEED_UNKNOWN;
}

static double gbps(const struct rate *rate)
{
	return fabric_rate_gbps(rate->lanes, rate->speed);
}

void check_rate_mismatch(struct check_run *run)
{
	struct rate here = {fabric_lanes(run->port), fabric_speed(run->port)}, there;
	_cleanup_(freep) char *one = NULL, *other = NULL;

	if (!run->peer)
		return;
	there = (struct rate){fabric_lanes(run->peer), fabric_speed(run->peer)};
	if (!is_known(&here) || !is_known(&there) ||
	    (here.lanes == there.lanes && comparable(here.speed) == comparable(there.speed)))
		return;
	one = check_rate_text(here.lanes, here.speed);
	other = check_rate_text(there.lanes, there.speed);
	check_report(run, run->place, "%s here, %s at the other end", one, other);
}

/* Whether link-below-best cannot judge the link. */
static bool is_best_unknown(const struct check_run *run)
{
	return !fabric_best_lanes(run->fabric, run->place) ||
	       fabric_best_speed(run->fabric, run->place) == SPEED_UNKNOWN;
}

/* A port with a faster cable between the same nodes, or FABRIC_NONE. */
static uint32_t find_faster(const struct check_run *run)
{
	const struct fabric *fabric = run->fabric;
	const struct rate mine = rate_of(fabric, run->place);
	const struct fabric_node *node = fabric_node_of(fabric, run->place);

	if (!run->peer || !is_best_unknown(run) || !is_known(&mine))
		return FABRIC_NONE;
	for_each_port_of (i, node) {
		const uint32_t peer = fabric->ports[i].peer;
		struct rate rate;

		if (peer == FABRIC_NONE || fabric->ports[peer].node != run->peer->node)
			continue;
		rate = rate_of(fabric, i);
		if (is_known(&rate) && gbps(&rate) > gbps(&mine))
			return i;
	}
	return FABRIC_NONE;
}

void check_link_below_parallel(struct check_run *run)
{
	const uint32_t faster = find_faster(run);
	_cleanup_(freep) char *one = NULL, *other = NULL;
	struct rate mine, rate;

	if (faster == FABRIC_NONE)
		return;
	mine = rate_of(run->fabric, run->place);
	rate = rate_of(run->fabric, faster);
	one = check_rate_text(mine.lanes, mine.speed);
	other = check_rate_text(rate.lanes, rate.speed);
	check_report(run, run->place,
		     "the link runs at %s; the one of port %u between the same nodes runs at %s",
		     one, run->fabric->ports[faster].number, other);
}

/* Links of a switch to nodes of the same type, except the link under test. */
struct siblings {
	unsigned int count, wider, faster;
};

static bool is_usual(const struct siblings *siblings, unsigned int count)
{
	return siblings->count >= SIBLINGS_LEAST &&
	       count * SIBLINGS_PART >= siblings->count * (SIBLINGS_PART - 1);
}

static struct siblings count_siblings(const struct fabric *fabric, uint32_t place)
{
	const struct fabric_node *node = fabric_node_of(fabric, place);
	const uint8_t type = fabric_node_of(fabric, fabric->ports[place].peer)->type;
	const struct rate mine = rate_of(fabric, place);
	struct siblings siblings = {.count = 0};

	if (node->type != NODE_TYPE_SWITCH)
		return siblings;
	for_each_port_of (i, node) {
		const uint32_t peer = fabric->ports[i].peer;
		struct rate rate;

		if (i == place || peer == FABRIC_NONE || fabric_node_of(fabric, peer)->type != type)
			continue;
		rate = rate_of(fabric, i);
		if (!is_known(&rate))
			continue;
		siblings.count++;
		siblings.wider += rate.lanes > mine.lanes;
		siblings.faster += gbps(&rate) > gbps(&mine);
	}
	return siblings;
}

/* Hosts of two generations on one switch are common, so only a lower width is a warning. */
void check_link_below_siblings(struct check_run *run)
{
	const struct rate mine = rate_of(run->fabric, run->place);
	_cleanup_(freep) char *rate = NULL;
	struct siblings siblings;
	bool wider;

	if (!run->peer || !is_best_unknown(run) || !is_known(&mine) ||
	    find_faster(run) != FABRIC_NONE)
		return;
	siblings = count_siblings(run->fabric, run->place);
	if (!is_usual(&siblings, siblings.faster))
		siblings = count_siblings(run->fabric, run->port->peer);
	wider = is_usual(&siblings, siblings.wider);
	if (!wider && !is_usual(&siblings, siblings.faster))
		return;
	rate = check_rate_text(mine.lanes, mine.speed);
	check_report(run, run->place,
		     "the link runs at %s; %u of %u such links of the switch are %s. "
		     "This is a guess: what its ports support is unknown",
		     rate, wider ? siblings.wider : siblings.faster, siblings.count,
		     wider ? "wider" : "faster")
		->finding.severity = number_of(wider ? SEVERITY_WARNING : SEVERITY_NOTICE);
}

/* Names the facts that the ports of a text lack, and the checks that need them. */
void check_report_unknown(struct check_run *run)
{
	static const struct {
		const char *checks, *fact;
		unsigned int (*value_of)(const struct fabric_port *port);
	} facts[] = {
		{"port-init, link-not-active", "the state", fabric_port_state},
		{"rate-mismatch, link-below-parallel, link-below-siblings", "the width",
		 fabric_lanes},
		{"mtu-mismatch, mtu-low", "the MTU", fabric_mtu},
		{"vl-mismatch", "the number of virtual lanes", fabric_vls},
		{"link-below-best", "the best rate", NULL},
	};
	unsigned int unknown[ARRAY_SIZE(facts)] = {0}, ports = 0;

	if (!fabric_is_made(run->fabric))
		return;
	for (run->place = 0; run->place < run->fabric->port_count; run->place++) {
		const struct fabric_port *port = &run->fabric->ports[run->place];

		if (!port->number || !fabric_is_up(port))
			continue;
		ports++;
		for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
			unknown[i] += facts[i].value_of ? !facts[i].value_of(port)
							: is_best_unknown(run);
	}
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (unknown[i])
			check_report(run, FABRIC_NONE,
				     "%s: %s of %u of %u ports with a cable is unknown",
				     facts[i].checks, facts[i].fact, unknown[i], ports);
	if (!run->manager_lid)
		check_report(run, FABRIC_NONE,
			     "no-sm, sm-lid-mismatch, no-lid: no port reports the LID of its "
			     "subnet manager");
}
