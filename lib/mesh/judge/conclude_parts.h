/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of the conclusion share. */
#pragma once

#include "mesh/judge/conclude.h"
#include "mesh/judge/tally.h"

struct conclusion {
	struct judge *judge;
	struct judge_findings *findings;
	struct tally *tallies;
	uint32_t listed[JUDGE_NOT_RETRIED + 1]; /* findings by id */
	uint32_t bad_ports[MESH_MOST_RAILS];	/* that have a finding each, by rail */
	uint32_t pairs_again, pairs_bad_again;	/* pairs that the second pass tried */
};

/* Whether one more finding of the id has a line of its own. */
bool conclusion_lists(struct conclusion *conclusion, enum judge_finding_id id);
void finding_set_host(struct judge_finding *finding, const struct judge *judge, uint32_t host);
/* The host, and the rail of it. */
void finding_set_port(struct judge_finding *finding, const struct judge *judge, uint32_t port);
/* Distances whose median is far below that of the shortest one. */
void conclude_distances(struct conclusion *conclusion);
/* Rails on which both directions at once are slow with everybody. */
void conclude_directions(struct conclusion *conclusion);
/* Ports of an unusual rate; hosts that are not there; what was left out. */
void conclude_rates(struct conclusion *conclusion);
void conclude_presence(struct conclusion *conclusion);
void conclude_rest(struct conclusion *conclusion);
