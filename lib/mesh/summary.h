/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Summary of a mesh as a record, with which its JSON documents begin. */
#pragma once

#include "schema/schema.h"

struct mesh_summary {
	char *plan;
	struct number seed; /* of random matchings */
	struct number hosts_wanted, hosts_present, hosts_missing;
	struct number rails;	      /* of all hosts that are present */
	struct number ports_left_out; /* that most such hosts cannot use either */
	struct number pairs, rounds;
	struct number pairs_failed, pairs_untried, pairs_left_out, pairs_resumed;
	struct number pairs_one_way;
	struct real median_gbps, median_both_gbps, median_latency_usec; /* of all rails */
	struct real seconds;
	enum tristate rehearsed;   /* the results are made up */
	enum tristate interrupted; /* not all of the plan was run */
};

extern const struct schema mesh_summary_schema;
void mesh_summary_clear(struct mesh_summary *summary);
