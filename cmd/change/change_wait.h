/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signals while a host is changed, and --revert-after: a change that may have cut the way by which
 * its user is logged in is undone unless he confirms it.
 */
#pragma once

#include "base/signals.h"

#include <stddef.h>
#include <stdint.h>

/*
 * From now on the signals that end a program are taken by the caller, between two changes, and
 * those that would stop it have no effect, because a stopped program undoes nothing. With
 * `survives_hangup` SIGHUP is not one of them: the change may have cut the session.
 */
void change_signals_catch(struct signals *signals);

/* Whether a signal has come that asks for an end. */
bool change_signals_ended(const struct signals *signals, bool survives_hangup);

enum change_verdict {
	CHANGE_KEPT,	  /* confirmed: Enter on the terminal, or SIGUSR1 */
	CHANGE_TIMED_OUT, /* not confirmed in time */
	CHANGE_ENDED,	  /* by a signal */
};

/* Waits so long, in the foreground. The terminal may hang up meanwhile. */
enum change_verdict change_wait(const struct signals *signals, uint64_t msec);
