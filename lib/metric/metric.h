/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a monitoring system scrapes: the state and the counters of all ports, as metrics. Names,
 * units and explanations come from the catalogue of counters. What cannot be read has no sample,
 * and a sample of rdma_scrape_problem says so; it is never 0.
 */
#pragma once

#include "host/object.h"
#include "render/metrics.h"
#include "schema/problem.h"

struct metrics_request {
	const char *root;	       /* a saved tree, or NULL */
	const struct objects *objects; /* which devices and ports, and which not */
	struct number groups;	       /* bits 1 << enum counter_group; unknown: all */
	unsigned int top;	       /* so many commands that hold most; 0: none */
	bool checks;		       /* the verdicts of the doctor */
	bool node_exporter;	       /* its names in place of ours */
	const char *version;	       /* of this program */
};

/*
 * Reads everything once and adds it to an empty list. Opens no device through verbs. 0 even if
 * there are problems; -ENODEV if there is no RDMA device, or none of those that were asked for: the
 * list then says that there are 0. Another -errno: the root cannot be opened.
 */
int metrics_collect(const struct metrics_request *request, struct metrics *metrics,
		    struct problems *problems);
