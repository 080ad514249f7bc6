/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of ports as records: what they are now, how they have grown between two readings, and
 * how a file keeps them. A row owns its strings and lists, and borrows the view.
 */
#pragma once

#include "fabric/check/port_errors.h"
#include "fabric/graph/view.h"
#include "mad/perf_record_rates.h"
#include "counter/counter_change.h"

/* A port with errors. */
struct port_errors_row {
	struct fabric_row at; /* the port */
	struct perf_record counters;
	struct number error_count; /* all error counters together */
	char *errors;		   /* for people: those that are not 0, the highest first */
};

extern const struct schema fabric_errors_schema;

/* False: no error counter is `least` or more, or at its maximum; the row is cleared then. */
bool port_errors_row_make(const struct fabric_view *view, const struct port_counters *counters,
			  uint64_t least, struct port_errors_row *row);
void port_errors_row_clear(struct port_errors_row *row);

/* A counter of two readings. */
struct port_counter_growth {
	const struct field *field; /* of perf_schema; its tag is the group */
	struct number before, value, growth;
	struct real per_sec;
	struct number state; /* enum counter_change_state */
};

/* A port whose counters moved. */
struct port_growth_row {
	struct fabric_row at; /* the port */
	struct perf_rates rates;
	struct number error_count; /* growth of all, those included that began anew */
	char *errors;
	struct port_counter_growth *counters; /* all that are known, of both readings */
	size_t count;
};

extern const struct schema fabric_error_growth_schema;

/*
 * From two readings of a port, or one (`before` NULL: it was not read then), so many seconds apart
 * (0: not known). False: no error counter grew by `least` or more, or has reached its maximum
 * since; the row is there all the same.
 */
bool port_growth_row_make(const struct fabric_view *view, const struct port_counters *before,
			  const struct port_counters *after, double seconds, uint64_t least,
			  struct port_growth_row *row);
void port_growth_row_clear(struct port_growth_row *row);

/* As a file has them; strings are owned. */
struct saved_port_counters {
	struct number node_guid, port;
	struct number cap_mask, cap_mask2;
	char *counters, *extended_counters; /* in hexadecimal; NULL: not there */
};

extern const struct schema saved_port_counters_schema; /* `saved_port_counters` */

struct saved_port_counters saved_port_counters_of(const struct fabric *fabric,
						  const struct port_counters *counters);
/*
 * Fills an empty list, of those ports that are in the graph and whose node's GUID is its own.
 * Returns the number of the others, or -EINVAL if the bytes of one are none.
 */
long saved_port_counters_load(const struct fabric *fabric, const struct saved_port_counters *saved,
			      size_t count, struct port_errors *errors);
