/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A progress line on standard error, if that is a terminal; erased at the end. */
#pragma once

#include "cli/command.h"

struct progress {
	bool shown;   /* standard error is a terminal, without --quiet */
	size_t width; /* of the text on the screen */
};

void progress_begin(struct progress *progress, const struct ctx *ctx);
/* Replaces the text of the line. */
void progress_show(struct progress *progress, const char *text);
/* Must be called before anything else is printed. */
void progress_erase(struct progress *progress);
