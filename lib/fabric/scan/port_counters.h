/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The performance management counters (chapter 16.1) of all ports of a subnet, read in parallel,
 * and their records: values, growth between two readings, and the form saved in files; the further
 * counters that explain errors; and clearing those that were read. The bytes
 * are kept as received, and decoded by lib/mad/perf/perf_record.h when needed. Only nodes with a
 * LID can be queried, adapters only through a port with a link. A row owns its strings and lists,
 * and borrows the view.
 */
#pragma once

#include "base/cleanup.h"
#include "counter/counter_change.h"
#include "fabric/graph/graph.h"
#include "fabric/graph/view.h"
#include "mad/engine/engine.h"
#include "mad/perf/perf_record.h"

/*
 * The value from which each counter of a port counts as an error: the same for all, or from a file
 * of thresholds as read by ibqueryerrors(8). Counters have the keys of `rdmactl perf`, and the
 * names of the specification (16.1.3.5), which ibqueryerrors uses.
 */

/* Limit of the fields of perf_schema, and of perf_counters_schema. */
enum { ERROR_LIMITS_MOST = 64 };

#define ERROR_LIMIT_NEVER UINT64_MAX

/* The smallest value that counts, by field index; ERROR_LIMIT_NEVER if none does. */
struct error_limits {
	uint64_t by_counter[ERROR_LIMITS_MOST]; /* of perf_schema */
	uint64_t by_part[ERROR_LIMITS_MOST];	/* of perf_counters_schema */
};

/* Makes error counters count from `least` on or at their maximum, and no other counter count. */
void error_limits_init(struct error_limits *limits, uint64_t least);
/*
 * Makes the counters of a comma-separated list never count. Returns -ENOENT if *ret_wrong, to be
 * freed, is not a counter.
 */
int error_limits_ignore(struct error_limits *limits, const char *list, char **ret_wrong);
/*
 * Parses a file of thresholds: COUNTER=N, where a counter above N counts; `#` begins a comment.
 * Returns -EINVAL if line *ret_line is malformed.
 */
int error_limits_parse(struct error_limits *limits, const char *text, unsigned int *ret_line);
/* Whether the counter counts; at its maximum it does, unless it never counts. */
static inline bool error_limit_is_passed(uint64_t least, uint64_t value, bool saturated)
{
	return least != ERROR_LIMIT_NEVER && (value >= least || saturated);
}

enum {
	PORT_COUNTERS_BYTES = 44,	    /* 16.1.3.5 */
	EXTENDED_PORT_COUNTERS_BYTES = 184, /* 16.1.4.11 */
};

struct port_counters {
	uint32_t port; /* index in the graph; the first member: fabric_compare_ports() */
	struct perf_caps caps;
	bool read, extended; /* whether `counters` and `extended_counters` were read */
	uint8_t select[2];   /* PortSelect; the second byte is the number of the port */
	uint8_t counters[PORT_COUNTERS_BYTES];
	uint8_t extended_counters[EXTENDED_PORT_COUNTERS_BYTES];
};

struct port_errors {
	struct port_counters *items; /* in the order of ports */
	size_t count;
	/* One failure for each node or port that did not answer, with its first attribute. */
	struct fabric_failure *failures;
	size_t failure_count;
	size_t unreachable; /* ports that could not be queried: without a LID, or not active */
	uint32_t first_unreachable;
	uint64_t nsec; /* clock_nsec() in the middle of the reading */
};

struct port_errors_options {
	struct mad_address address; /* without the LID */
	/*
	 * Read all counters of all ports. Otherwise only ports with an error counter at `least` or
	 * more, or at its maximum, are found and read; the others are omitted.
	 */
	bool all;
	bool without_link; /* also ports of switches that have no link now */
	uint64_t least;
	const struct error_limits *limits; /* replaces `least`; or NULL */
	const uint8_t *service_levels;	   /* SL by LID (16 bits), overrides `address`; or NULL */
	const bool *wanted;		   /* by port of the graph; NULL: all */
};

/* Fills an empty list. Returns 0 even without answers, -ECANCELED if stopped, or -errno. */
int port_errors_read(struct mad_engine *engine, const struct fabric *fabric,
		     const struct port_errors_options *options, struct port_errors *errors);
/* Makes a request without data to the node of a port. */
void port_errors_request(const struct fabric *fabric, const struct port_errors_options *options,
			 uint32_t port, uint8_t method, uint16_t attribute,
			 struct mad_request *request);
DEFINE_CLEAR(struct port_errors, port_errors_clear, free(object->items), free(object->failures))
/* Returns the counters of a port, or NULL if they were not read. */
const struct port_counters *port_errors_find(const struct port_errors *errors, uint32_t port);
/* Decodes the counters; the caller frees the record by perf_record_clear(). */
void port_counters_decode(const struct port_counters *counters, struct perf_record *record);

/* Describes the object and the reason of a failure to read counters; both to be freed. */
void port_errors_failure_text(const struct fabric_view *view, const struct fabric_failure *failure,
			      char **ret_object, char **ret_message);
/* A sentence about the ports that could not be queried; to be freed. */
char *port_errors_unreachable_text(const struct fabric_view *view,
				   const struct port_errors *errors);

/* A port with errors. */
struct port_errors_row {
	struct fabric_row at; /* the port */
	struct perf_record counters;
	struct number error_count; /* all error counters together */
	char *errors;		   /* the nonzero counters, highest first, as a sentence */
	/* port_details_read() fills these; they are empty unless the details were read. */
	bool knows_details; /* all mandatory details were read, so no details means none */
	struct port_detail *details;
	size_t detail_count;
	char *said_details;
};

extern const struct schema fabric_errors_schema;

/*
 * Returns false, with the row cleared, if no counter passes its limit. Counters that never count
 * are not in the row's sums.
 */
bool port_errors_row_make(const struct fabric_view *view, const struct port_counters *counters,
			  const struct error_limits *limits, struct port_errors_row *row);
DEFINE_CLEAR(struct port_errors_row, port_errors_row_clear, perf_record_clear(&object->counters),
	     free(object->errors), free(object->details), free(object->said_details))

/* For records that begin with the field of a counter. */
void port_counter_get_name(const void *record, struct value *value);

/* A counter in two readings. */
struct port_counter_growth {
	const struct field *field; /* of perf_schema; its tag is the group */
	struct number before, value, growth;
	struct real per_sec;
	struct number state; /* enum counter_change_state */
};

/* The counters of a port in two readings. */
struct port_growth_row {
	struct fabric_row at; /* the port */
	struct perf_rates rates;
	struct number error_count; /* growth of all error counters; of reset ones, their value */
	char *errors;
	struct port_counter_growth *counters; /* all counters with a value */
	size_t count;
};

extern const struct schema fabric_error_growth_schema;

/*
 * Compares two readings of a port, `seconds` apart (0: unknown); `before` is NULL if the port was
 * not in the first reading. Returns false if no counter grew by its limit or more, or reached its
 * maximum in between; the row is filled in either case.
 */
bool port_growth_row_make(const struct fabric_view *view, const struct port_counters *before,
			  const struct port_counters *after, double seconds,
			  const struct error_limits *limits, struct port_growth_row *row);
DEFINE_CLEAR(struct port_growth_row, port_growth_row_clear, perf_rates_clear(&object->rates),
	     free(object->errors), free(object->counters))

/* The counters of a port in a file; strings are owned. */
struct saved_port_counters {
	struct number node_guid, port;
	struct number cap_mask, cap_mask2;
	char *counters, *extended_counters; /* in hexadecimal; NULL if missing */
};

extern const struct schema saved_port_counters_schema; /* `saved_port_counters` */

struct saved_port_counters saved_port_counters_of(const struct fabric *fabric,
						  const struct port_counters *counters);
/*
 * Fills an empty list with the ports that are in the graph and whose node has a unique GUID.
 * Returns the number of other ports, or -EINVAL if the bytes of one are malformed.
 */
long saved_port_counters_load(const struct fabric *fabric, const struct saved_port_counters *saved,
			      size_t count, struct port_errors *errors);

/* A counter that explains errors of a port (IBA 1, 16.1.4), and is not 0. */
struct port_detail {
	const struct field *field;
	struct number value;
};

extern const struct schema port_details_schema;

/*
 * Reads the details for the rows: why packets were in error (if any were), why packets were
 * discarded (if any were), and the counters per virtual lane, which a node may lack. Fills in the
 * rows, and appends the failures of nodes that refused or did not answer. Takes the options of
 * port_errors_read(), and returns the same.
 */
int port_details_read(struct mad_engine *engine, const struct fabric *fabric,
		      const struct port_errors_options *options, struct port_errors_row *rows,
		      size_t count, struct port_errors *failures);

enum counters_to_clear { CLEAR_ERRORS = 1, CLEAR_TRAFFIC = 2, CLEAR_ALL = 3 };

/*
 * Clears the counters of all ports that were read with `all` of port_errors_options and, with
 * `details`, their detail counters. Appends failures to those of the readings, and stores in
 * *ret_ports how many ports were cleared. Returns as port_errors_read() does.
 */
int port_counters_reset(struct mad_engine *engine, const struct fabric *fabric,
			const struct port_errors_options *options, unsigned int kinds, bool details,
			struct port_errors *readings, size_t *ret_ports);
