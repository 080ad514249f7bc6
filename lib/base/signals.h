/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals as a descriptor, signalfd(2), so that a program can wait for them with everything else.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct signals {
	int fd;		 /* readable when one came; -1: nothing was changed */
	sigset_t caught; /* the signals blocked for it */
};

#define SIGNALS_NONE ((struct signals){.fd = -1})

/*
 * From now on the signals of the list, which ends with a 0, make the descriptor readable. SIGHUP
 * stays ignored if it was at the start: nohup(1) asks for that, and the kernel would queue it
 * nevertheless. The others are caught even if they were ignored, because the shell of a script
 * ignores SIGINT for programs in the background. Threads that start later inherit the blocking.
 */
void signals_catch(struct signals *signals, const int *numbers);
/* Takes a signal that came off the queue and returns its number, or 0. */
int signals_take(const struct signals *signals);
/* Waits until that time of clock_msec() or for a signal. Returns whether one may be there. */
bool signals_wait(const struct signals *signals, uint64_t end_msec);
/* Restores the earlier actions; pending signals that were not taken take effect at once. */
void signals_release(struct signals *signals);
