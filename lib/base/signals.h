/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals as a descriptor, signalfd(2), to wait for them together with everything else. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct signals {
	int fd;		 /* readable when a signal came; -1: nothing was changed */
	sigset_t caught; /* the signals blocked for it */
};

#define SIGNALS_NONE ((struct signals){.fd = -1})

/*
 * Makes the descriptor readable when a signal of the list, which ends with a 0, has come. SIGHUP
 * stays ignored if it already was: nohup(1) asks for that, and the kernel would queue it
 * nevertheless. The others are caught even if they were ignored, because the shell of a script
 * ignores SIGINT for programs in the background. Threads that start later inherit the blocking.
 */
void signals_catch(struct signals *signals, const int *numbers);
/* Takes a pending signal off the queue and returns its number, or 0 if there is none. */
int signals_take(const struct signals *signals);
/* Waits until that time of clock_msec() or for a signal. Returns whether one may be there. */
bool signals_wait(const struct signals *signals, uint64_t end_msec);
/* Restores the earlier actions; pending signals that were not taken take effect at once. */
void signals_release(struct signals *signals);
