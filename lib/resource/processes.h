/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The holders of RDMA objects: processes, found by the numbers of their threads and each looked up
 * once in /proc, and the sum over the objects of each. A process that has ended, or that /proc
 * hides, has no name. Returned pointers are valid as long as the struct.
 */
#pragma once

#include "resource/process_usage.h"
#include "schema/problem.h"

struct process {
	uint64_t thread;   /* the thread that it was found by */
	struct number pid; /* of the process; the thread's number if that is unknown */
	char *command;	   /* NULL if unknown */
	struct number locked_bytes, pinned_bytes;
	size_t usage; /* for processes_count(): index of its sums plus 1; 0 if it has none yet */
};

struct processes;

/*
 * `root` is a saved tree instead of the live system, or NULL. Returns 0, or -errno if it cannot be
 * opened.
 */
int processes_open(const char *root, struct processes **ret_processes);
void processes_free(struct processes *processes);
const struct process *processes_find(struct processes *processes, uint64_t thread);
/* Fills in pid and command. */
void processes_name(struct processes *processes, struct resource *resource);

/* Adds a named object to the sums of its holder. */
void processes_count(struct processes *processes, enum resource_kind kind,
		     const struct resource *resource);
/*
 * Gets the sums, sorted, with the limits of the processes as requested by enum process_usage_need.
 * `kinds` has the counted kinds as bits; the other kinds stay unknown. The caller clears the list;
 * the sums start from zero again.
 */
void processes_sum_up(struct processes *processes, unsigned int kinds, unsigned int needs,
		      struct process_usage_list *ret_list, struct problems *problems);
