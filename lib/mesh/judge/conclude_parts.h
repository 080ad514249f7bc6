/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of the conclusion. */
#pragma once

#include "base/text.h"
#include "mesh/judge/judge_parts.h"

/* The figures of the bad pairs that a culprit explains, for its evidence. */
struct tally {
	uint32_t pairs, failed, slow, late;
	uint32_t sends, receives; /* slow directions, seen from the rail; for a pair, from A */
	double share_sum;	  /* of the slow directions */
	uint32_t shares;
	double lateness_sum;
	uint32_t both;				 /* pairs that are slow only both ways at once */
	double both_share_sum;			 /* by the median of the sum */
	double both_sent_sum, both_received_sum; /* by half of that median, seen from the rail */
	double both_ratio_sum;			 /* the sum by that of one way at a time */
	uint32_t both_ratios;
	double both_median; /* Gb/s */
	double median;	    /* Gb/s */
	bool split;	    /* `median` is the upper quartile */
	uint32_t again, again_bad;
	/* tried again, but there is nothing to compare the figures with */
	uint32_t again_unjudged;
	double partner_share_sum; /* shares that its partners have with others */
	uint32_t partners;
	uint32_t reason; /* of the first failure; UINT32_MAX: none */
};

/* One per culprit, which also covers what it includes; to be freed. */
struct tally *tallies_of(const struct judge *judge);

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
/* Adds a finding about a port, named by its host and rail. Takes over the evidence (or NULL). */
struct judge_finding *finding_add_port(struct conclusion *conclusion, enum judge_finding_id id,
				       uint32_t port, char *evidence);
/* Reports distances whose median is far below that of the shortest one. */
void conclude_distances(struct conclusion *conclusion);
/* Reports rails on which both directions at once are slow for everybody. */
void conclude_directions(struct conclusion *conclusion);
/* Report ports of an unusual rate, missing rails and hosts, and what is not listed. */
void conclude_rates(struct conclusion *conclusion);
void conclude_gaps(struct conclusion *conclusion);
void conclude_presence(struct conclusion *conclusion);
void conclude_rest(struct conclusion *conclusion);

/* words.c: parts of the sentences that evidence consists of. */
const char *words_host(const struct judge *judge, uint32_t host);
const struct endpoint *words_endpoint(const struct judge *judge, uint32_t port);
/* Also sets the finding's share. `judged` is what they are out of; the text omits 0. */
void words_add_figures(struct text_buffer *text, struct judge_finding *finding,
		       const struct judge *judge, const struct tally *tally, uint32_t judged,
		       const char *what);
/* Adds the direction, what `id` needs, the partners' other pairs, and the second pass. */
void words_add_rest(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, const struct tally *tally, enum judge_finding_id id,
		    bool alone_bad);
/* Returns `usual`, or JUDGE_BOTH if nothing else is wrong. */
enum judge_finding_id words_id(const struct tally *tally, enum judge_finding_id usual);
/* Adds what else the figures of both ways at once show, if `id` is JUDGE_BOTH. */
void words_add_both(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, const struct tally *tally, enum judge_finding_id id);
/* Text for a culprit that has no judged result of the second pass. */
const char *words_not_again(const struct tally *tally);
void words_add_port_facts(struct text_buffer *text, const struct judge *judge, uint32_t number);
/* `before`: the beginning of the sentence. */
void words_add_loopback(struct text_buffer *text, const struct judge *judge, uint32_t number,
			const char *before);
void words_add_mean(struct text_buffer *text, struct judge_finding *finding,
		    const struct judge *judge, uint32_t number);
void words_add_others(struct text_buffer *text, const struct judge *judge, uint32_t number);
