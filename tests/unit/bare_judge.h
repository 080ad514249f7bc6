/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A judge whose ports and bad pairs a test fills by hand, without any results, for the parts that
 * look for culprits; and what they find, as text. Eight hosts n1 ... n8 on three leaves, 0 to 2,
 * with three, three and two hosts, and two spines, 3 and 4; cable 2 * leaf + spine - 3 is between a
 * leaf and a spine.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

enum {
	BARE_HOSTS = 8,
	BARE_LEAVES = 3,
	BARE_SWITCHES = 5,
	BARE_CABLES = 6,
	BARE_MOST_WAY = 20,
	BARE_PORTS = BARE_HOSTS * MESH_MOST_RAILS
};

struct bare_way {
	int count; /* as it is returned */
	uint32_t cables[BARE_MOST_WAY];
};

struct bare {
	struct mesh_host hosts[BARE_HOSTS];
	struct endpoint rails[BARE_HOSTS][MESH_MOST_RAILS];
	char names[BARE_HOSTS][8];
	uint32_t switches[BARE_PORTS];
	struct bare_way ways[BARE_HOSTS][BARE_HOSTS]; /* from, to */
	struct judge_fabric fabric;
	struct judge *judge;
};

static inline int bare_find_way(const void *context, uint32_t from, uint32_t to, uint32_t *cables,
				size_t most)
{
	const struct bare *bare = context;
	const struct bare_way *way = &bare->ways[port_host(from)][port_host(to)];

	for (size_t i = 0; i < most && (int)i < way->count; i++)
		cables[i] = way->cables[i];
	return way->count;
}

static inline void bare_cable_ends(const void *context, uint32_t number, uint32_t ret_switches[2])
{
	(void)context;
	assert_in_range(number, 0, BARE_CABLES - 1);
	ret_switches[0] = number / 2;
	ret_switches[1] = BARE_LEAVES + number % 2;
}

static inline int bare_set_up(void **state)
{
	struct bare *bare = mem_alloc_zero(1, sizeof(*bare));

	*state = bare;
	for (uint32_t i = 0; i < BARE_HOSTS; i++) {
		snprintf(bare->names[i], sizeof(bare->names[i]), "n%u", i + 1);
		bare->hosts[i] = (struct mesh_host){.name = bare->names[i],
						    .presence = MESH_PRESENT,
						    .rails = bare->rails[i],
						    .rail_count = MESH_MOST_RAILS};
	}
	for (uint32_t i = 0; i < BARE_PORTS; i++)
		bare->switches[i] = port_host(i) / 3;
	bare->fabric = (struct judge_fabric){.switches = bare->switches,
					     .switch_count = BARE_SWITCHES,
					     .cable_count = BARE_CABLES,
					     .find_way = bare_find_way,
					     .cable_ends = bare_cable_ends,
					     .context = bare};
	return 0;
}

static inline int bare_tear_down(void **state)
{
	struct bare *bare = *state;

	judge_free(bare->judge);
	free(bare);
	return 0;
}

/* A judge that knows nothing, with or without the fabric. */
static inline struct judge *bare_begin(struct bare *bare, const struct judge_fabric *fabric)
{
	judge_free(bare->judge);
	bare->judge = judge_new(bare->hosts, BARE_HOSTS, &judge_default_limits, fabric);
	return bare->judge;
}

/* A bad pair of rail 0, or a good one. */
static inline struct edge *bare_pair(struct bare *bare, uint32_t a, uint32_t b, uint8_t faults)
{
	struct judge *judge = bare->judge;
	struct edge *edge = mem_append(&judge->edges, &judge->edge_count, sizeof(*edge));

	*edge = (struct edge){.pair = {a, b, 0, 0},
			      .share = {-1, -1},
			      .lateness = -1,
			      .both_share = -1,
			      .both_part = {-1, -1},
			      .both_ratio = -1,
			      .faults = faults};
	return edge;
}

/* The path of a pair and the path back. */
static inline void bare_way(struct bare *bare, uint32_t a, uint32_t b, uint32_t first,
			    uint32_t last)
{
	bare->ways[a][b] = (struct bare_way){2, {first, last}};
	bare->ways[b][a] = (struct bare_way){2, {last, first}};
}

static inline char *bare_text(const struct judge *judge)
{
	static const char *const kinds[] = {"port",   "host",  "pair",	 "group",
					    "switch", "cable", "growth", "scatter"};
	char *text = mem_string("");

	for (size_t i = 0; i < judge->culprit_count; i++) {
		const struct culprit *culprit = &judge->culprits[i];

		mem_extend(&text, "%s %u: %u/%u, %u pairs", kinds[culprit->kind], culprit->number,
			   culprit->bad, culprit->judged, culprit->edges);
		if (culprit->of_group)
			mem_extend(&text, ", group %u of rail %u", culprit->group, culprit->rail);
		if (culprit->merged)
			mem_extend(&text, ", in %u", culprit->merged);
		if (culprit->by_mean)
			mem_extend(&text, ", by mean");
		if (culprit->is_weak)
			mem_extend(&text, ", weak");
		if (culprit->shares)
			mem_extend(&text, ", shares %d", culprit->shares);
		mem_extend(&text, "\n");
	}
	for (size_t i = 0; i < judge->edge_count; i++)
		mem_extend(&text, "%s%u", i ? " " : "", judge->edges[i].culprit);
	return text;
}

static inline void bare_expect(const struct bare *bare, const char *wanted)
{
	_cleanup_(freep) char *text = bare_text(bare->judge);

	assert_string_equal(text, wanted);
}

/* Forgets the culprits and what they explain; the pairs stay. */
static inline void bare_again(struct bare *bare)
{
	struct judge *judge = bare->judge;

	judge->culprit_count = 0;
	free(judge->culprits);
	judge->culprits = NULL;
	for (size_t i = 0; i < judge->edge_count; i++)
		judge->edges[i].culprit = 0;
}
