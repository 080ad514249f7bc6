/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simplest explanation of all bad pairs: first what connects many hosts, then the rails that
 * are bad with most of their partners, the worst first, each with all of its bad pairs; the pairs
 * that remain are bad by themselves.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

/* Chance brings one mean of some ten million below this many standard deviations. */
#define FAR_MEAN	      5.5
#define LEAST_FIGURES_OF_MEAN 4u
/* A rail that is bad with more than this part of its partners is bad beyond doubt. */
#define MOST (2.0 / 3)

uint32_t culprit_add(struct judge *judge, enum culprit_kind kind, uint32_t number, uint32_t bad,
		     uint32_t judged)
{
	MEM_ADD(judge->culprits, judge->culprit_count) = (struct culprit){
		.kind = kind, .number = number, .bad = bad, .judged = judged};
	return (uint32_t)judge->culprit_count;
}

/* Open bad pairs by port, and ports by the number of these. */
struct cover {
	struct covered {
		uint32_t start;	 /* where its pairs start in `edges` */
		uint32_t left;	 /* its open bad pairs */
		uint32_t judged; /* its partners, except those that others explain */
		uint32_t next;	 /* next port in the same list */
	} * ports;		 /* one more ends the pairs of the last */
	uint32_t *edges;
	uint32_t *lists; /* ports by number of open bad pairs; port + 1 */
	uint32_t most;
};

/* Whether the pair is open, and counts for the port at that end. */
static bool is_left(const struct edge *edge, int end)
{
	return edge_is_open(edge) && edge_counts_for(edge, end);
}

static void cover_begin(struct judge *judge, struct cover *cover)
{
	const size_t ports = judge->port_count;
	struct covered *covered = mem_alloc_zero(ports + 1, sizeof(*covered));

	cover->ports = covered;
	cover->edges = mem_alloc_zero(judge->edge_count * 2, sizeof(*cover->edges));
	for (uint32_t i = 0; i < ports; i++)
		covered[i].judged = judge->ports[i].judged;
	for (size_t i = 0; i < judge->edge_count; i++)
		for (int end = 0; end < MESH_ENDS; end++) {
			const struct edge *edge = &judge->edges[i];
			uint32_t port = edge_port(edge, end);

			if (is_left(edge, end))
				covered[port].left++;
			else if (edge_counts_for(edge, end) && edge->faults && edge->culprit)
				covered[port].judged -= covered[port].judged > 0;
		}
	/*
	 * Each port's `start` is first where its pairs end; filling them in from the last edge
	 * backwards lowers it to where they start.
	 */
	for (uint32_t i = 0; i < ports; i++) {
		covered[i].start = (i ? covered[i - 1].start : 0) + covered[i].left;
		covered[ports].start = covered[i].start;
		if (covered[i].left > cover->most)
			cover->most = covered[i].left;
	}
	for (uint32_t i = (uint32_t)judge->edge_count; i-- > 0;)
		for (int end = MESH_ENDS; end-- > 0;)
			if (is_left(&judge->edges[i], end))
				cover->edges[--covered[edge_port(&judge->edges[i], end)].start] = i;
	cover->lists = mem_alloc_zero((size_t)cover->most + 1, sizeof(*cover->lists));
}

/* A single bad pair does not make a rail bad. */
static void list_port(struct cover *cover, uint32_t port)
{
	uint32_t *list = &cover->lists[cover->ports[port].left];

	if (cover->ports[port].left < 2)
		return;
	cover->ports[port].next = *list;
	*list = port + 1;
}

/* Blames the rail for all of its bad pairs. */
static void blame_port(struct judge *judge, struct cover *cover, uint32_t port)
{
	const struct port *record = &judge->ports[port];
	struct covered *covered = &cover->ports[port];
	const uint32_t bad = covered->left, judged = covered->judged;
	const uint32_t number = culprit_add(judge, CULPRIT_PORT, port, bad, judged);
	struct culprit *culprit = culprit_at(judge, number);

	/* If others explain its partners of the first pass, only the second found it. */
	culprit->is_weak = judged > record->judged_again &&
			   (double)bad - record->bad_again <=
				   MOST * ((double)judged - record->judged_again);
	for (uint32_t i = covered->start; i < covered[1].start; i++) {
		struct edge *edge = &judge->edges[cover->edges[i]];
		struct covered *other;

		if (edge->culprit)
			continue;
		edge->culprit = number;
		culprit->edges++;
		if (edge->again)
			continue;
		other = &cover->ports[edge_port(
			edge, edge_port(edge, MESH_END_A) == port ? MESH_END_B : MESH_END_A)];
		other->left--;
		other->judged -= other->judged > 0;
	}
	covered->left = 0;
}

/* Blames rails with two or more bad partners, if these are more than `share` of all. */
static void explain_by_ports(struct judge *judge, double share)
{
	struct cover cover = {0};

	cover_begin(judge, &cover);
	for (uint32_t i = judge->port_count; i-- > 0;)
		list_port(&cover, i);
	for (uint32_t count = cover.most; count >= 2; count--)
		while (cover.lists[count]) {
			const uint32_t port = cover.lists[count] - 1;
			const struct covered *covered = &cover.ports[port];

			cover.lists[count] = covered->next;
			if (covered->left < count)
				list_port(&cover, port);
			else if ((double)covered->left > share * (double)covered->judged)
				blame_port(judge, &cover, port);
		}
	free(cover.ports);
	free(cover.edges);
	free(cover.lists);
}

/* Blames ports that are bad in loopback for their bad pairs, if they have any. */
static void explain_by_loopback(struct judge *judge)
{
	_cleanup_(freep) uint32_t *culprit_of = port_numbers(judge);

	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].alone_bad)
			culprit_of[i] = culprit_add(judge, CULPRIT_PORT, i, 0,
						    judge->ports[i].judged);
	for (size_t i = 0; i < judge->edge_count; i++) {
		struct edge *edge = &judge->edges[i];

		for (int end = 0; end < MESH_ENDS && edge->faults && !edge->culprit; end++) {
			edge->culprit = culprit_of[edge_port(edge, end)];
			if (!edge->culprit || edge_is_loopback(edge))
				continue;
			culprit_at(judge, edge->culprit)->edges++;
			culprit_at(judge, edge->culprit)->bad++;
		}
	}
}

bool *blamed_ports(const struct judge *judge)
{
	bool *blamed = mem_alloc_zero(judge->port_count, sizeof(*blamed));

	for (size_t i = 0; i < judge->culprit_count; i++)
		if (judge->culprits[i].kind == CULPRIT_PORT)
			blamed[judge->culprits[i].number] = true;
	return blamed;
}

/* Finds ports whose pairs are below the limit on average, although most single ones are not. */
static void find_means(struct judge *judge, uint32_t *culprit_of)
{
	_cleanup_(freep) bool *blamed = blamed_ports(judge);

	for (uint32_t i = 0; i < judge->port_count; i++) {
		const struct port *port = &judge->ports[i];
		const double count = (double)port->good_figures;
		const double missing = count - port->good_share_sum;

		if (blamed[i] || port->good_figures < LEAST_FIGURES_OF_MEAN ||
		    missing < (1 - judge->limits.bandwidth_share) * count ||
		    missing * missing < FAR_MEAN * FAR_MEAN * port->good_variance_sum)
			continue;
		culprit_of[i] = culprit_add(judge, CULPRIT_PORT, i, port->judged, port->judged);
		culprit_at(judge, culprit_of[i])->by_mean = true;
	}
}

/*
 * A rail at 90 %, where 93 % is the limit, is not bad in any single pair if the figures scatter
 * much, but it is in all of them together. Failures and figures far below do not count here: they
 * are not the rail's fault unless most of its pairs have them.
 */
static void explain_by_means(struct judge *judge)
{
	_cleanup_(freep) uint32_t *culprit_of = port_numbers(judge);

	find_means(judge, culprit_of);
	for (size_t i = 0; i < judge->edge_count; i++) {
		struct edge *edge = &judge->edges[i];

		for (int end = 0; end < MESH_ENDS && edge_is_open(edge); end++) {
			edge->culprit = culprit_of[edge_port(edge, end)];
			if (edge->culprit)
				culprit_at(judge, edge->culprit)->edges++;
		}
	}
}

static void explain_by_pairs(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->edge_count; i++) {
		if (!edge_is_open(&judge->edges[i]))
			continue;
		judge->edges[i].culprit = culprit_add(judge, CULPRIT_PAIR, i, 1, 1);
		culprit_at(judge, judge->edges[i].culprit)->edges = 1;
	}
}

/* Finds ports whose error counters grew although nothing else is wrong with them. */
static void find_growth(struct judge *judge)
{
	_cleanup_(freep) bool *blamed = blamed_ports(judge);

	for (uint32_t i = 0; i < judge->port_count; i++) {
		const struct port *port = &judge->ports[i];

		if (!blamed[i] && port->error_results)
			culprit_add(judge, CULPRIT_GROWTH, i, port->error_results, port->results);
	}
}

void explain(struct judge *judge)
{
	rows_settle(judge);
	free(judge->culprits);
	judge->culprits = NULL;
	judge->culprit_count = 0;
	for (size_t i = 0; i < judge->edge_count; i++)
		judge->edges[i].culprit = 0;
	explain_by_loopback(judge);
	explain_by_groups(judge);
	explain_by_ways(judge, true);
	explain_by_nothing(judge);
	explain_by_ports(judge, MOST);
	explain_by_ways(judge, false);
	explain_by_ports(judge, 0.5);
	explain_by_means(judge);
	explain_by_pairs(judge);
	merge_rails_of_ways(judge);
	merge_switches(judge);
	merge_hosts(judge);
	find_growth(judge);
}
