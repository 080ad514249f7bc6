/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads further counters that explain the errors of ports (IBA 1, 16.1.4), and clears the counters
 * that were read.
 */
#pragma once

#include "fabric/scan/port_counters.h"

/* A nonzero counter of a port. */
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
