/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one process, or one part of the kernel, holds of all RDMA devices together, and what limits
 * it: locked memory and its control group. The record owns its strings and lists.
 */
#pragma once

#include "resource/resource.h"

/* A limit is a number, or known not to be there, or unknown. */
struct limit {
	struct number value;
	enum tristate unlimited;
};

/* Use and limits of a device in a control group: a line of rdma.current and of rdma.max. */
struct cgroup_device {
	char *device;
	struct number handles, objects; /* contexts; queue pairs, memory regions and so on */
	struct limit most_handles, most_objects;
};

struct cgroup_device_list {
	struct cgroup_device *items;
	size_t count;
};

void cgroup_device_list_clear(struct cgroup_device_list *list);

struct process_usage {
	struct number pid;
	char *command; /* of the process, or [name] of the part of the kernel */
	enum tristate kernel;
	struct strings devices;
	struct number counts[RESOURCE_KINDS];
	struct number registered_bytes;
	struct number locked_bytes, pinned_bytes; /* that RLIMIT_MEMLOCK is about */
	struct limit memlock_soft, memlock_hard;  /* bytes */
	char *cgroup;
	struct cgroup_device_list cgroup_devices;
	struct strings cgroup_usage; /* the same in words */
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
/* Words about the devices of the control group that the process uses, or that have a limit. */
void process_usage_describe_cgroup(struct process_usage *usage);
/* Most registered memory first, then by PID. */
void process_usage_list_sort(struct process_usage_list *list);
void process_usage_list_clear(struct process_usage_list *list);
