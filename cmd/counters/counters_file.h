/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file that --save writes and --since reads. */
#pragma once

#include "cmd/counters/counters_run.h"
#include "counter/saved_counters.h"

struct counters_file {
	struct saved_head head;
	struct saved_counter *counters;
	size_t count;
};

/* False: it cannot be read or is none, and the listing says so. */
bool counters_file_read(struct counters_file *file, const char *path, struct listing *listing);
void counters_file_free(struct counters_file *file);
/* Writes readings that were taken at the moment of `head`. False: the listing says why not. */
bool counters_file_write(const char *path, const struct saved_head *head,
			 const struct counter_readings *readings, struct listing *listing);
