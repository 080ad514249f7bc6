/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals that are waited for together with everything else: by a descriptor, signalfd(2). */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct signals {
	int fd;		 /* readable when one came; -1: there is none, and they do what they did */
	sigset_t caught; /* what is blocked for it */
};

#define SIGNALS_NONE ((struct signals){.fd = -1})

/*
 * From now on the signals of the list, which a 0 ends, make the descriptor readable. SIGHUP stays
 * ignored where it was from the start: nohup(1) asks for it, and the kernel would queue it all the
 * same. The others count even so: a script's shell ignores SIGINT of what runs in the background.
 * Threads that are started later leave them alone, too.
 */
void signals_catch(struct signals *signals, const int *numbers);
/* The number of one that came, which is taken off the queue, or 0. */
int signals_take(const struct signals *signals);
/* Waits until then, of clock_msec(), or until one came. True: one may be there. */
bool signals_wait(const struct signals *signals, uint64_t end_msec);
/* They do again what they did, what came meanwhile and was not taken at once. */
void signals_release(struct signals *signals);
