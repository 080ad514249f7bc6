/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A terminal that a command draws on until a signal ends it. The screen, the cursor and the line
 * discipline are restored at any end that a program can notice: SIGINT, SIGTERM, SIGQUIT, SIGHUP,
 * SIGALRM, which is --timeout, and while it is stopped (^Z).
 */
#pragma once

#include <termios.h>

#include "base/signals.h"
#include "render/screen.h"

struct terminal {
	struct screen screen;
	bool on; /* there is a screen; without it only signals are caught */
	struct signals signals;
	char *text;	      /* what is shown */
	bool stopped;	      /* a signal asks to end */
	bool changed;	      /* the size has changed, or the program was stopped: draw again */
	bool has_keys;	      /* standard input is the terminal, and gives single keys */
	struct termios saved; /* how it was before */
};

/*
 * Whether escape sequences place the cursor and colour text: not on a terminal that says it is
 * dumb, or does not say what it is (TERM).
 */
bool terminal_takes_escapes(void);
/*
 * Begins; nothing is drawn yet. `table`: the output is one for people, so that there is a screen if
 * standard output is a terminal that can place the cursor. `keys`: the keyboard is read key by key.
 */
void terminal_begin(struct terminal *terminal, bool table, bool keys);
/* Draws a text, which the terminal then owns. 0 or -errno. */
int terminal_show(struct terminal *terminal, char *text);
/*
 * Reads the signals that came. On ^Z it restores the terminal and stops the program here, and on
 * SIGALRM the handler, or the default, ends it here.
 */
void terminal_take_signals(struct terminal *terminal);
/* Waits until that time of clock_msec(). Returns false if a signal asks to end. */
bool terminal_wait_until(struct terminal *terminal, uint64_t msec);
/* Restores everything; `keep` leaves the last text on the terminal. 0 or -errno. */
int terminal_end(struct terminal *terminal, bool keep);
