/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A terminal that a command draws on until a signal ends it. The screen, the cursor and the line
 * discipline are restored at every end that a program can notice: SIGINT, SIGTERM, SIGQUIT, SIGHUP,
 * SIGALRM from --timeout, and while it is stopped (^Z).
 */
#pragma once

#include <termios.h>

#include "base/signals.h"
#include "render/screen.h"

struct terminal {
	struct screen screen;
	bool on; /* there is a screen; otherwise only signals are caught */
	struct signals signals;
	char *text;	      /* the text on the screen */
	bool stopped;	      /* a signal asked to end */
	bool changed;	      /* draw again: the size changed, or the program was stopped */
	bool has_keys;	      /* standard input is the terminal, read key by key */
	struct termios saved; /* original settings */
};

/*
 * Whether escape sequences place the cursor and colour text: not on a terminal that is dumb, or
 * does not say what it is (TERM).
 */
bool terminal_takes_escapes(void);
/*
 * Begins; nothing is drawn yet. `table`: the output is for people, so use a screen if standard
 * output is a terminal that can place the cursor. `keys`: read the keyboard key by key.
 */
void terminal_begin(struct terminal *terminal, bool table, bool keys);
/* Draws a text, which the terminal then owns. Returns 0 or -errno. */
int terminal_show(struct terminal *terminal, char *text);
/*
 * Handles the signals that arrived. ^Z restores the terminal and stops the program here; SIGALRM
 * ends it here through its handler or default action.
 */
void terminal_take_signals(struct terminal *terminal);
/* Waits until that time of clock_msec(). Returns false if a signal asked to end. */
bool terminal_wait_until(struct terminal *terminal, uint64_t msec);
/* Restores everything; `keep` leaves the last text on the terminal. Returns 0 or -errno. */
int terminal_end(struct terminal *terminal, bool keep);
