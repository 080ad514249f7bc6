/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A terminal that shows one text at a time, in place, cut to its width and height. It uses the
 * terminal's alternate screen, so that the earlier contents come back at the end. The terminal must
 * understand ECMA-48 and xterm's private modes, as all in use do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct screen {
	FILE *out;
	size_t lines, columns;
	bool shown; /* the alternate screen is on */
};

/* Whether `out` is a terminal. */
bool screen_is_there(FILE *out);
/* How many lines a text may have now, at least 2; asks the terminal each time. */
size_t screen_lines(struct screen *screen);
/* Shows the text instead of the previous one. Returns 0 or -errno. */
int screen_show(struct screen *screen, const char *text);
/* Restores the terminal, if a text is shown. Returns 0 or -errno. */
int screen_leave(struct screen *screen);
