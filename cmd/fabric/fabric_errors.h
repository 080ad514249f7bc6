/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric errors: fabric_errors.c shows them, fabric_errors_act.c has what goes beyond. */
#pragma once

#include "cmd/fabric/fabric_run.h"

/*
 * Asks the nodes of a graph from a file who they are. Tells for each port whether its node still
 * has the LID that the file says, in an array that the caller frees; the others are problems.
 * Returns false if it was interrupted, which is a problem, too.
 */
bool fabric_errors_verify(struct fabric_run *run, bool **ret_wanted);
/* The service level to each of all 65536 LIDs, from path records, 0 where there is none. */
uint8_t *fabric_errors_service_levels(struct fabric_run *run);

struct fabric_clearing {
	const struct port_errors_options *options;
	struct port_errors *readings;
	unsigned int kinds; /* enum counters_to_clear */
	bool details, yes;
	const char *save; /* the file for the readings; NULL: one in the current directory */
};

/* Saves the readings, asks, clears the counters, and says what it cleared. */
void fabric_errors_clear(struct fabric_run *run, const struct fabric_clearing *clearing);
