/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port's own sampling: the agent counts up to 15 quantities during an interval of its clock
 * (PortSamplesControl and PortSamplesResult, 16.1.3.2 to 16.1.3.4). There is one sampler for each
 * port, which all who ask it share: the tag in the answer says whose request the result is of.
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
	enum tristate own; /* whether the result is of our request; unknown if there was none */
};

extern const struct schema perf_samples_schema;

/*
 * Parses quantities by word or number, with commas between. -EINVAL: *ret_wrong is what is neither,
 * to be freed; -E2BIG: more than a port can count.
 */
int perf_sampling_parse(const char *list, struct perf_sampling *sampling, char **ret_wrong);
/* The data of the Set that starts it, from what a Get answered. */
void perf_sampling_write(const struct perf_sampling *sampling, uint8_t port,
			 const unsigned char *control,
			 unsigned char data[static PERF_SAMPLE_CONTROL_BYTES]);
/*
 * Compares the control with what was asked for. -EBUSY: it is of another request; -ERANGE: the
 * interval has no ticks, so that nothing is counted; -EOPNOTSUPP: the port samples, but some
 * quantities are others or none.
 */
int perf_sampling_check(const struct perf_sampling *sampling, const unsigned char *control);
/* Whether the port is sampling now, by its PortSamplesControl. */
bool perf_sampling_runs(const unsigned char *control);
/* Whether the result is of the request that the control is of. */
bool perf_sampling_matches(const unsigned char *control, const unsigned char *result);
/*
 * Appends a row for each counter that the control selects; without a result of the same request
 * their values are unknown. `own` is NULL if the caller has requested nothing.
 */
void perf_sampling_rows(const unsigned char *control, const unsigned char *result,
			const struct perf_sampling *own, struct perf_sample **rows,
			size_t *row_count);
void perf_sample_clear(struct perf_sample *sample);
