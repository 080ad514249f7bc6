/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of processors: as the kernel writes them in sysfs (0-3,8), and those that a thread keeps to.
 * They have room for the processors of any kernel, whose CONFIG_NR_CPUS is at most 8192; a
 * cpu_set_t has 1024, and a kernel with more refuses it: sched_getaffinity(2).
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define CPU_LIST_ROOM 8192u

struct cpu_list {
	cpu_set_t sets[CPU_LIST_ROOM / 8 / sizeof(cpu_set_t)];
};

/* False if it is no such list. Processors that there is no room for are left out. */
bool cpu_list_parse(const char *text, struct cpu_list *ret_list);
/* Ends with what fits; "" for an empty set. */
void cpu_list_format(const struct cpu_list *list, char *text, size_t size);
unsigned int cpu_list_count(const struct cpu_list *list);
/* Leaves out those that the other one does not have. */
void cpu_list_limit(struct cpu_list *list, const struct cpu_list *other);
/*
 * The part with number `share` of `shares` equal ones, so that each has a processor of its own; all
 * of them if there are not as many processors as shares.
 */
void cpu_list_share(struct cpu_list *list, unsigned int share, unsigned int shares);
/* Those that the calling thread may use, and the order to use these. 0 or -errno. */
int cpu_list_of_thread(struct cpu_list *ret_list);
int cpu_list_keep_to(const struct cpu_list *list);
