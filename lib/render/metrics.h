/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics in the two forms that Prometheus reads: its own text format, version 0.0.4, and
 * OpenMetrics 1.0. One text cannot satisfy both: a counter's family is named with _total in the
 * first and without it in the second, which also wants units and an end mark. Nothing here knows
 * what a metric means. A list owns its names, labels and values.
 */
#pragma once

#include <stdio.h>

#include "schema/value.h"

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /* written as NAME_total */
	METRIC_INFO,	/* constant 1 with facts as labels, written as NAME_info */
};

enum metrics_format { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

struct metric_sample {
	char *labels; /* device="mlx5_0",port="1"; NULL: none */
	struct number number;
	struct real real; /* used if the number is unknown */
};

struct metric_family {
	char *name; /* without _total and _info */
	enum metric_type type;
	char *unit; /* at the end of the name, without the underscore; NULL: none */
	char *help; /* a sentence */
	struct metric_sample *samples;
	size_t sample_count;
};

struct metrics {
	struct metric_family *families;
	size_t count;
	size_t last; /* index of the family found last */
};

/*
 * Finds the family of that name, or makes it; texts are copied, and only those of the first call
 * count. `unit` is omitted unless the name ends with it. Valid until the next call.
 */
struct metric_family *metrics_family(struct metrics *metrics, const char *name,
				     enum metric_type type, const char *unit, const char *help);
/* Adds a sample without labels. Valid until the next one is added to the family. */
struct metric_sample *metric_add(struct metric_family *family, uint64_t value);
struct metric_sample *metric_add_real(struct metric_family *family, double value);
/* Adds a label; ignores a value of NULL. Values may be any clean text. */
void metric_label(struct metric_sample *sample, const char *name, const char *value);
/*
 * Sorts the samples, all of which must have labels, by their labels. Samples with the same labels
 * would be one series: only the largest is kept.
 */
void metric_unite(struct metric_family *family);
/* The name of the family's samples: NAME_total for a counter. The caller frees it. */
char *metric_sample_name(const struct metric_family *family);
void metrics_clear(struct metrics *metrics);

/* Returns 0 or -errno of the stream. Families without samples are omitted. */
int render_metrics(FILE *out, const struct metrics *metrics, enum metrics_format format);
/* The Content-Type header for HTTP. */
const char *metrics_content_type(enum metrics_format format);
