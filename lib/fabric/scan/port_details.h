/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What further counters say of ports with errors (IBA 1, 16.1.4), and clearing the counters that
 * were read.
 */
#pragma once

#include "fabric/scan/port_counters.h"

/* A counter of a port that is not 0. */
struct port_detail {
	const struct field *field;
	struct number value;
};

extern const struct schema port_details_schema;

/*
 * Reads the details of the rows: why packets were in error if some were, why packets were discarded
 * if some were, and counters by virtual lane, which a node need not have. Fills the rows, and
 * appends the failures of nodes that refused or did not answer. Returns the same as
 * port_errors_read(), whose options it needs, too.
 */
int port_details_read(struct mad_engine *engine, const struct fabric *fabric,
		      const struct port_errors_options *options, struct port_errors_row *rows,
		      size_t count, struct port_errors *failures);

enum counters_to_clear { CLEAR_ERRORS = 1, CLEAR_TRAFFIC = 2, CLEAR_ALL = 3 };

/*
 * Clears counters of all ports that were read with `all` of port_errors_options; with `details`
 * those of the details as well. Appends failures to those of the readings, and returns in
 * *ret_ports how many ports were cleared. The same result as port_errors_read().
 */
int port_counters_reset(struct mad_engine *engine, const struct fabric *fabric,
			const struct port_errors_options *options, unsigned int kinds, bool details,
			struct port_errors *readings, size_t *ret_ports);
