/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line on the terminal of standard error that says how far it is, and leaves nothing behind. */
#pragma once

#include "cli/command.h"

struct progress {
	bool shown;   /* standard error is a terminal, and nobody wants quiet */
	size_t width; /* of what stands there */
};

void progress_begin(struct progress *progress, const struct ctx *ctx);
/* Shows the text instead of the one before, if any is shown. */
void progress_show(struct progress *progress, const char *text);
/* To be called before anything else is printed. */
void progress_erase(struct progress *progress);
