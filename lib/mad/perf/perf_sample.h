/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port's own sampling: the agent counts up to 15 quantities during an interval of its clock
 * (PortSamplesControl and PortSamplesResult, 16.1.3.2 to 16.1.3.4). Each port has one sampler,
 * shared by everyone who uses it: the tag in the answer says whose request the result belongs to.
 */
#pragma once

#include "mad/perf/perf.h"

enum {
	PERF_SAMPLE_COUNTERS = 15,
	PERF_SAMPLE_CONTROL_BYTES = 80,
};

/* What to count. */
struct perf_sampling {
	uint16_t selects[PERF_SAMPLE_COUNTERS];
	size_t count;
	uint16_t tag;
	uint8_t op_code;
	uint32_t start_ticks, interval_ticks;
};

/* One counter of a port; strings are owned. */
struct perf_sample {
	char *object, *node;
	struct number lid, port, index, select, value;
	struct number status, tag, interval_ticks, tick;
	enum tristate own; /* whether the result is from our request; unknown without one */
};

extern const struct schema perf_samples_schema;

/*
 * Parses quantities by word or number, separated by commas. -EINVAL: *ret_wrong is the one that is
 * neither, for the caller to free; -E2BIG: more than a port can count.
 */
int perf_sampling_parse(const char *list, struct perf_sampling *sampling, char **ret_wrong);
/* Fills the data of the Set that starts sampling, from the data of a Get. */
void perf_sampling_write(const struct perf_sampling *sampling, uint8_t port,
			 const unsigned char *control,
			 unsigned char data[static PERF_SAMPLE_CONTROL_BYTES]);
/*
 * Compares the control with the request. -EBUSY: it belongs to another request; -ERANGE: the
 * interval has no ticks, so nothing is counted; -EOPNOTSUPP: the port samples, but replaced or
 * dropped some of the quantities.
 */
int perf_sampling_check(const struct perf_sampling *sampling, const unsigned char *control);
/* Whether the port is sampling now, according to its PortSamplesControl. */
bool perf_sampling_runs(const unsigned char *control);
/* Whether the result and the control belong to the same request. */
bool perf_sampling_matches(const unsigned char *control, const unsigned char *result);
/*
 * Appends a row for each counter that the control selects; the values are unknown without a result
 * of the same request. `own` is NULL if the caller has requested nothing.
 */
void perf_sampling_rows(const unsigned char *control, const unsigned char *result,
			const struct perf_sampling *own, struct perf_sample **rows,
			size_t *row_count);
