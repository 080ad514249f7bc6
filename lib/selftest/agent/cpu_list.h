/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of processors: as the kernel writes them in sysfs (0-3,8), and the affinity of a thread.
 * They have room for the processors of any kernel: CONFIG_NR_CPUS is at most 8192, while a
 * cpu_set_t has room for 1024, and a kernel with more processors rejects it: sched_getaffinity(2).
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#define CPU_LIST_ROOM 8192u

struct cpu_list {
	cpu_set_t sets[CPU_LIST_ROOM / 8 / sizeof(cpu_set_t)];
};

/* Parses a list. Returns false if the text is not one. Ignores processors beyond the room. */
bool cpu_list_parse(const char *text, struct cpu_list *ret_list);
/* Writes the list, cut short to fit into `size`; "" for an empty set. */
void cpu_list_format(const struct cpu_list *list, char *text, size_t size);
unsigned int cpu_list_count(const struct cpu_list *list);
/* Removes the processors that are not in `other`. */
void cpu_list_limit(struct cpu_list *list, const struct cpu_list *other);
/*
 * Reduces the list to part number `share` of `shares` equal ones, so that each has a processor of
 * its own; keeps all if there are fewer processors than shares.
 */
void cpu_list_share(struct cpu_list *list, unsigned int share, unsigned int shares);
/* Read and set the affinity of the calling thread. Return 0 or -errno. */
int cpu_list_of_thread(struct cpu_list *ret_list);
int cpu_list_keep_to(const struct cpu_list *list);
