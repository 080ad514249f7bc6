/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sample as a record, for JSON and tables. Rows borrow from the list of metrics. */
#pragma once

#include "render/metrics.h"
#include "schema/schema.h"

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
