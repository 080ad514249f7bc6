/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both sides of a loopback measurement poll without a pause, and the one was woken up by the other:
 * the scheduler likes to have such threads on one processor, and leaves them there for longer than
 * a measurement lasts. So each gets its half of the processors.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>

struct processors {
	cpu_set_t all; /* that the process may use */
	bool split;    /* false: there is one, or more than can be told */
};

/* Every other processor, from the first (half 0) or the second (1): with the usual numbering the
 * two threads of a core are in the same half. False if a half would be empty. */
bool processors_half(const cpu_set_t *all, unsigned int half, cpu_set_t *ret);
/* The calling thread keeps to the first half. */
void processors_split(struct processors *processors);
/* Another thread keeps to the other one. */
void processors_take_other(const struct processors *processors);
/* The calling thread may use all again. */
void processors_restore(const struct processors *processors);
