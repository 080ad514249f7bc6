/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where --watch shows its rounds: a terminal's screen, redrawn in place, when the output is a table
 * on a terminal; and the signals that end it, or that change the screen.
 */
#pragma once

#include "base/signals.h"
#include "cmd/counters/counters_run.h"
#include "counter/counter_change.h"
#include "render/screen.h"

struct counters_screen {
	struct screen screen;
	bool on;
	struct signals signals;
	char *text; /* the table drawn last, whole */
	uint64_t interval_msec;
	bool stopped;
};

void counters_screen_begin(struct counters_screen *screen, struct counters_run *run,
			   uint64_t interval_msec);
static inline bool counters_screen_is_on(const struct counters_screen *screen)
{
	return screen->on;
}
/* Shows as many of the changes as there is room for. 0 or -errno. */
int counters_screen_draw(struct counters_screen *screen, struct counters_run *run,
			 const struct counter_changes *changes);
/* Waits until then. False: a signal asks for the end. */
bool counters_screen_wait(struct counters_screen *screen, uint64_t msec);
/* Restores the terminal, with the last round below what was there. 0 or -errno. */
int counters_screen_end(struct counters_screen *screen);
