/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The holders of RDMA objects: processes by the numbers of their threads, each looked up once in
 * /proc, and the sums over what each of them holds. A process that has ended, or that /proc hides,
 * has no name. What is handed out lives as long as the struct.
 */
#pragma once

#include "resource/process_usage.h"
#include "schema/problem.h"

struct process {
	uint64_t thread;   /* that it was found by */
	struct number pid; /* of the process; the thread's own number if that is unknown */
	char *command;	   /* NULL: not known */
	struct number locked_bytes, pinned_bytes;
	size_t usage; /* for processes_count(): where its sums are, and 1; 0: nowhere yet */
};

struct processes;

/* `root`: a saved tree in place of the live system, or NULL. 0 or -errno: it cannot be opened. */
int processes_open(const char *root, struct processes **ret_processes);
void processes_free(struct processes *processes);
const struct process *processes_find(struct processes *processes, uint64_t thread);
/* Fills in pid and command. */
void processes_name(struct processes *processes, struct resource *resource);

/* Adds an object, which has been named, to the sums of who holds it. */
void processes_count(struct processes *processes, enum resource_kind kind,
		     const struct resource *resource);
/*
 * The sums, sorted, with the limits of the processes, as far as enum process_usage_need asks.
 * `kinds` are the kinds that were counted, as bits: of the others nothing is known. The caller
 * clears the list; there are none left to be summed then.
 */
void processes_sum_up(struct processes *processes, unsigned int kinds, unsigned int needs,
		      struct process_usage_list *ret_list, struct problems *problems);
