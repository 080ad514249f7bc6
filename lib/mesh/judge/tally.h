/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The figures of the bad pairs that a culprit explains, for its evidence. */
#pragma once

#include "mesh/judge/judge_parts.h"

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
