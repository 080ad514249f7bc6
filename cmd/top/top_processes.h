/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes that hold queue pairs and memory regions, read again from time to time. {0} has not
 * been read.
 */
#pragma once

#include "cmd/listing.h"
#include "counter/counter_rounds.h"
#include "resource/processes.h"

struct top_processes {
	struct process_usage_list usages;
	uint64_t next_msec; /* when they are due; 0: now */
};

/*
 * Reads them if they are due. The kernel queries the hardware for each queue pair, so reading is
 * limited to a small part of the time, however many there are. A saved tree has none; a snapshot
 * may.
 */
void top_processes_refresh(struct top_processes *processes, const struct listing *listing,
			   struct counter_rounds *rounds);
void top_processes_clear(struct top_processes *processes);
