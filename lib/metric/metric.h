/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics for a monitoring system to scrape: the state and the counters of all ports. Names, units
 * and explanations come from the catalogue of counters. A value that cannot be read has no sample,
 * rather than 0, and a sample of rdma_scrape_problem reports it.
 */
#pragma once

#include "host/object.h"
#include "render/metrics.h"
#include "schema/problem.h"
#include "schema/schema.h"

struct metrics_request {
	const char *root;	       /* a saved tree, or NULL */
	const struct objects *objects; /* devices and ports to include or exclude */
	struct number groups;	       /* bits 1 << enum counter_group; unknown: all */
	unsigned int top;	       /* number of commands that hold most; 0: none */
	bool checks;		       /* the verdicts of the doctor */
	bool node_exporter;	       /* its names instead of ours */
	const char *version;	       /* of this program */
};

/*
 * Reads everything once and adds it to an empty list. Opens no device through verbs. Returns 0 even
 * if there are problems; -ENODEV if there is no RDMA device, or none of the requested ones, and the
 * list then says that there are 0; another -errno if the root cannot be opened.
 */
int metrics_collect(const struct metrics_request *request, struct metrics *metrics,
		    struct problems *problems);

/* A sample as a record, for JSON and tables. Rows borrow from the list of metrics. */
struct metric_row {
	char *metric; /* with _total or _info; owned */
	char *labels, *unit, *help;
	struct number type; /* enum metric_type */
	struct number number;
	struct real real;
};

extern const struct schema metric_row_schema;

/* Makes a row for each sample; returns their number. */
size_t metric_rows_make(const struct metrics *metrics, struct metric_row **ret_rows);
void metric_rows_free(struct metric_row *rows, size_t count);
