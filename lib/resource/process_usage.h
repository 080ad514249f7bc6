/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of all RDMA devices that one process, or one part of the kernel, holds, and its
 * limits: locked memory and its control group. The record owns its strings and lists.
 */
#pragma once

#include "kernel/procfs.h"
#include "resource/resource.h"

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

extern const struct schema process_usage_schema;

/* Adds one object of that kind. */
void process_usage_add(struct process_usage *usage, enum resource_kind kind,
		       const struct resource *resource);
/* Describes the devices of the control group that the process uses, or that have a limit. */
void process_usage_describe_cgroup(struct process_usage *usage);
/* Sorts by registered memory, the most first, then by PID. */
void process_usage_list_sort(struct process_usage_list *list);
void process_usage_list_clear(struct process_usage_list *list);
