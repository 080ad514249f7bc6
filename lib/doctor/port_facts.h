/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts that the checks of ports share: whether the performance counters of a port may be read, and
 * which ports have the same role.
 */
#pragma once

#include "doctor/facts.h"

enum pma_state {
	PMA_READABLE,
	PMA_ABSENT,  /* no directory of counters: iWARP, EFA, Soft-RoCE */
	PMA_NONE,    /* the files say "N/A (no PMA)" */
	PMA_REFUSED, /* reading fails */
};

/*
 * Reads one counter of the port, once for all checks and both readings of growth: a restricted
 * function answers each reading of a counter with an error and a line in the kernel log.
 * *ret_error is the -errno of PMA_REFUSED.
 */
enum pma_state doctor_pma(struct doctor_facts *facts, const struct port *port, int *ret_error);
/* Whether reading counters is out of the question for any port of the device. */
bool doctor_counters_are_restricted(struct doctor_facts *facts, const struct device *device);
void doctor_ports_free(struct doctor_ports *ports);
