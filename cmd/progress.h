/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line on standard error, if it is a terminal, that shows progress and is erased at the end. */
#pragma once

#include "cli/command.h"

struct progress {
	bool shown;   /* standard error is a terminal, without --quiet */
	size_t width; /* of the text on the screen */
};

void progress_begin(struct progress *progress, const struct ctx *ctx);
/* Replaces the text. */
void progress_show(struct progress *progress, const char *text);
/* Call this before anything else is printed. */
void progress_erase(struct progress *progress);
