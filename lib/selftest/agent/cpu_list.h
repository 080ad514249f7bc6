/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of processors as the kernel writes them in sysfs: 0-3,8. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Processors that a cpu_set_t has room for. CPU_SETSIZE is their number with glibc, bytes with
 * musl. */
#define CPU_LIST_ROOM (8 * sizeof(cpu_set_t))

/* False if it is no such list. Processors that a cpu_set_t cannot hold are left out. */
bool cpu_list_parse(const char *text, cpu_set_t *ret_set);
/* Ends with what fits; "" for an empty set. */
void cpu_list_format(const cpu_set_t *set, char *text, size_t size);
/*
 * The part with number `share` of `shares` equal ones, so that each has a processor of its own; all
 * of them if there are not as many processors as shares.
 */
void cpu_list_share(cpu_set_t *set, unsigned int share, unsigned int shares);
