/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl fabric errors: fabric_errors.c shows counters; fabric_errors_act.c verifies and clears.
 */
#pragma once

#include "cmd/fabric/fabric_run.h"

/*
 * Queries the nodes of a graph from a file for their GUIDs. *ret_wanted, an array by port that the
 * caller frees, says whether the node still has the LID that the file gives; other nodes are
 * problems. Returns false if interrupted, which is a problem, too.
 */
bool fabric_errors_verify(struct fabric_run *run, bool **ret_wanted);
/* Returns the service level to each of all 65536 LIDs by path records, 0 if none; to be freed. */
uint8_t *fabric_errors_service_levels(struct fabric_run *run);

struct fabric_clearing {
	const struct port_errors_options *options;
	struct port_errors *readings;
	unsigned int kinds; /* enum counters_to_clear */
	bool details, yes;
	const char *save; /* file for the readings; NULL: one in the current directory */
};

/* Asks for confirmation, saves the readings, clears the counters, and says what was cleared. */
void fabric_errors_clear(struct fabric_run *run, const struct fabric_clearing *clearing);
