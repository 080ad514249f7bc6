/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Culprits that are a part of another: rails of a switch, a cable or a host; cables of a switch. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/*
 * A bad cable that most pairs of a rail go through makes the rail look bad. Its pairs that do not
 * go through the cable show the difference.
 */
void merge_rails_of_ways(struct judge *judge)
{
	_cleanup_(freep) bool *others = mem_alloc_zero(judge->culprit_count, sizeof(*others));

	for (size_t i = 0; i < judge->culprit_count; i++) {
		if (!judge->culprits[i].shares)
			continue;
		memset(others, 0, judge->culprit_count * sizeof(*others));
		for (size_t j = 0; j < judge->edge_count; j++) {
			const struct edge *edge = &judge->edges[j];

			if (edge->faults && edge->culprit &&
			    culprit_at(judge, edge->culprit)->kind == CULPRIT_PORT)
				others[edge->culprit - 1] |= !edge_shares(judge, edge,
									  &judge->culprits[i]);
		}
		for (size_t j = 0; j < judge->culprit_count; j++) {
			struct culprit *rail = &judge->culprits[j];

			if (others[j] || !rail->edges || rail->kind != CULPRIT_PORT ||
			    rail->merged || rail->by_mean ||
			    judge->ports[rail->number].judged == judge->ports[rail->number].bad)
				continue;
			rail->merged = (uint32_t)i + 1;
			judge->culprits[i].edges += rail->edges;
			judge->culprits[i].bad += rail->edges;
		}
	}
}

struct switch_count {
	uint32_t ports, bad_ports, cables, bad_cables;
	uint32_t first_host; /* of the bad ports; + 1 */
	bool several_hosts;
	uint32_t number; /* of the culprit */
};

/* The switch of a port, or those of a cable. */
static void switches_of(const struct judge *judge, const struct culprit *culprit, uint32_t ends[2])
{
	ends[0] = ends[1] = MESH_NO_SWITCH;
	if (culprit->kind == CULPRIT_PORT)
		ends[0] = switch_of(judge, culprit->number);
	else if (culprit->kind == CULPRIT_CABLE)
		judge->fabric->cable_ends(judge->fabric->context, culprit->number, ends);
}

static void count_switches(struct judge *judge, struct switch_count *counts)
{
	const struct judge_fabric *fabric = judge->fabric;

	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].results && switch_of(judge, i) != MESH_NO_SWITCH)
			counts[switch_of(judge, i)].ports++;
	for (uint32_t i = 0; judge->cables && i < fabric->cable_count; i++) {
		uint32_t ends[2];

		fabric->cable_ends(fabric->context, i, ends);
		for (int end = 0; end < 2; end++)
			if (ends[end] < fabric->switch_count)
				counts[ends[end]].cables += judge->cables[i].all > 0;
	}
	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];
		uint32_t ends[2];

		switches_of(judge, culprit, ends);
		for (int end = 0; end < 2; end++) {
			struct switch_count *count = &counts[ends[end]];

			if (ends[end] >= fabric->switch_count)
				continue;
			count->bad_cables += culprit->kind == CULPRIT_CABLE;
			if (culprit->kind != CULPRIT_PORT)
				continue;
			count->bad_ports++;
			if (!count->first_host)
				count->first_host = port_host(culprit->number) + 1;
			count->several_hosts |= count->first_host != port_host(culprit->number) + 1;
		}
	}
}

void merge_switches(struct judge *judge)
{
	_cleanup_(freep) struct switch_count *counts = NULL;
	const size_t before = judge->culprit_count;

	if (!judge->leaves)
		return;
	counts = mem_alloc_zero(judge->fabric->switch_count, sizeof(*counts));
	count_switches(judge, counts);
	for (uint32_t i = 0; i < judge->fabric->switch_count; i++) {
		struct switch_count *count = &counts[i];

		if ((count->several_hosts && count->bad_ports * 5 >= count->ports * 4) ||
		    (count->bad_cables >= 2 && count->bad_cables * 3 >= count->cables * 2))
			count->number = culprit_add(
				judge, CULPRIT_SWITCH, i, count->bad_ports ?: count->bad_cables,
				count->bad_ports ? count->ports : count->cables);
	}
	for (size_t i = 0; i < before; i++) {
		struct culprit *culprit = &judge->culprits[i];
		uint32_t ends[2];

		switches_of(judge, culprit, ends);
		for (int end = 0; end < 2 && !culprit->merged; end++)
			if (ends[end] < judge->fabric->switch_count)
				culprit->merged = counts[ends[end]].number;
		if (culprit->merged)
			culprit_at(judge, culprit->merged)->edges += culprit->edges;
	}
}

/* Two or more bad rails of a host, if half of its tested rails, are merged into the host. */
void merge_hosts(struct judge *judge)
{
	_cleanup_(freep) uint32_t *bad = mem_alloc_zero(judge->host_count, sizeof(*bad));
	_cleanup_(freep) uint32_t *number = mem_alloc_zero(judge->host_count, sizeof(*number));
	const size_t count = judge->culprit_count;

	for (size_t i = 0; i < count; i++)
		if (judge->culprits[i].kind == CULPRIT_PORT && !judge->culprits[i].merged)
			bad[port_host(judge->culprits[i].number)]++;
	for (uint32_t i = 0; i < judge->host_count; i++) {
		uint32_t tested = 0;

		if (bad[i] < 2)
			continue;
		for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
			tested += judge->ports[port_number(i, rail)].results > 0;
		if (bad[i] * 2 < tested)
			continue;
		number[i] = culprit_add(judge, CULPRIT_HOST, i, bad[i], tested);
	}
	for (size_t i = 0; i < count; i++) {
		struct culprit *culprit = &judge->culprits[i];
		uint32_t host = culprit->kind == CULPRIT_PORT ? port_host(culprit->number) : 0;

		if (culprit->kind != CULPRIT_PORT || culprit->merged || !number[host])
			continue;
		culprit->merged = number[host];
		culprit_at(judge, number[host])->edges += culprit->edges;
	}
}
