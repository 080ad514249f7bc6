/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of the conclusion. */
#pragma once

#include "mesh/judge/conclude.h"
#include "mesh/judge/tally.h"

struct conclusion {
	struct judge *judge;
	struct judge_findings *findings;
	struct tally *tallies;
	uint32_t listed[JUDGE_NOT_RETRIED + 1]; /* number of findings by id */
	/* the worst of those that are not listed */
	enum severity unlisted[JUDGE_NOT_RETRIED + 1];
	uint32_t bad_ports[MESH_MOST_RAILS];   /* ports that have a finding each, by rail */
	uint32_t pairs_again, pairs_bad_again; /* pairs that the second pass tried */
};

/* Counts a finding of the id; returns whether it gets a line of its own. */
bool conclusion_lists(struct conclusion *conclusion, enum judge_finding_id id,
		      enum severity severity);
void finding_set_host(struct judge_finding *finding, const struct judge *judge, uint32_t host);
/* Sets the host, the rail and its device. */
void finding_set_port(struct judge_finding *finding, const struct judge *judge, uint32_t port);
/* Reports distances whose median is far below that of the shortest one. */
void conclude_distances(struct conclusion *conclusion);
/* Reports rails on which both directions at once are slow for everybody. */
void conclude_directions(struct conclusion *conclusion);
/* Report ports of an unusual rate, missing rails and hosts, and what is not listed. */
void conclude_rates(struct conclusion *conclusion);
void conclude_gaps(struct conclusion *conclusion);
void conclude_presence(struct conclusion *conclusion);
void conclude_rest(struct conclusion *conclusion);
