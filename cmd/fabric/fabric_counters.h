/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of all ports for the commands that show them: read by the session's engine, once or
 * twice, or once and compared with a file of `fabric errors --save`.
 */
#pragma once

#include "fabric/scan/port_counters.h"
#include "cmd/fabric/fabric_run.h"

/* Reads into an empty one; what did not answer is in it, and is the caller's to tell. */
void fabric_counters_read(struct fabric_run *run, bool all, uint64_t least, const bool *wanted,
			  struct port_errors *errors);
/* Two readings of all counters. */
struct fabric_counters {
	struct port_errors before, after;
	double seconds; /* between them; 0: not known */
};

/*
 * By --interval or --since. False: there are none, and the listing says why; clear them all the
 * same.
 */
bool fabric_counters_take(struct fabric_run *run, const bool *wanted,
			  struct fabric_counters *counters);
void fabric_counters_clear(struct fabric_counters *counters);
/* False: the listing says why not. */
bool fabric_counters_save(struct fabric_run *run, const char *path,
			  const struct port_errors *errors);
