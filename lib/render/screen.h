/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A terminal on standard output that shows one text at a time, in place: what does not fit its
 * width and height is cut. The terminal's other screen serves for it, so that what was there before
 * is there again at the end. Terminals that understand ECMA-48 and xterm's private modes, as all in
 * use do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct screen {
	size_t lines, columns;
	bool shown; /* the other screen is on */
};

/* False: standard output is no terminal that can do it. */
bool screen_is_there(void);
/* Lines that a text may have now: the size is asked for each time. At least 2. */
size_t screen_lines(struct screen *screen);
/* Shows the text instead of the one before. 0 or -errno. */
int screen_show(struct screen *screen, const char *text);
/* Brings the terminal back to what it was; nothing if it is that already. 0 or -errno. */
int screen_leave(struct screen *screen);
