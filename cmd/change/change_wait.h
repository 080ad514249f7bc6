/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signals during a change, and --revert-after: a change that may have cut its user's own session is
 * undone unless the user confirms it.
 */
#pragma once

#include "base/signals.h"

#include <stddef.h>
#include <stdint.h>

/*
 * From now on, the caller takes the signals that end a program, between two changes. Signals that
 * would stop it have no effect, because a stopped program cannot undo anything.
 */
void change_signals_catch(struct signals *signals);

/*
 * Whether a signal has asked for an end. With `survives_hangup`, SIGHUP does not: the change may
 * have cut the session.
 */
bool change_signals_ended(const struct signals *signals, bool survives_hangup);

enum change_verdict {
	CHANGE_KEPT,	  /* confirmed: Enter on the terminal, or SIGUSR1 */
	CHANGE_TIMED_OUT, /* not confirmed in time */
	CHANGE_ENDED,	  /* by a signal */
};

/* Waits that long, in the foreground. The terminal may hang up meanwhile. */
enum change_verdict change_wait(const struct signals *signals, uint64_t msec);
