/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The holders of RDMA objects: processes, found by the numbers of their threads and each looked up
 * once in /proc, and the sum over the objects of each. A process that has ended, or that /proc
 * hides, has no name. Returned pointers are valid as long as the struct.
 */
#pragma once

#include "base/cleanup.h"
#include "kernel/procfs.h"
#include "resource/resource.h"
#include "schema/problem.h"

/*
 * The objects of all RDMA devices that one process, or one part of the kernel, holds, and its
 * limits: locked memory and its control group. The record owns its strings and lists.
 */
struct process_usage {
	struct number pid;
	char *command; /* of the process, or [name] for a part of the kernel */
	enum tristate kernel;
	struct strings devices;
	struct number counts[RESOURCE_KINDS];
	struct number registered_bytes;
	struct number locked_bytes, pinned_bytes; /* limited by RLIMIT_MEMLOCK */
	struct limit memlock_soft, memlock_hard;  /* bytes */
	char *cgroup;
	struct cgroup_device_list cgroup_devices;
	struct strings cgroup_usage; /* the control group's usage as text */
};

struct process_usage_list {
	struct process_usage *items;
	size_t count;
};

enum process_usage_need {
	USAGE_NEED_TASK = 1 << 0, /* /proc/PID/status */
	USAGE_NEED_MEMLOCK = 1 << 1,
	USAGE_NEED_CGROUP = 1 << 2,
};

struct process {
	uint64_t thread;   /* the thread that it was found by; the key, so the first member */
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
DEFINE_CLEANUP(struct processes, processes_free)
struct process *processes_find(struct processes *processes, uint64_t thread);
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
void processes_sum_up(struct processes *processes, unsigned int kinds, uint64_t needs,
		      struct process_usage_list *ret_list, struct problems *problems);

extern const struct schema process_usage_schema;

void process_usage_list_clear(struct process_usage_list *list);
