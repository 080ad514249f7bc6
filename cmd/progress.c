/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *progress, const struct ctx *ctx)
{
	*progress = (struct progress){.shown = !ctx->globals.quiet && isatty(STDERR_FILENO)};
}

/* Overwrites with blanks, because not all terminals have a sequence to erase a line. */
void progress_erase(struct progress *progress)
{
	if (progress->width)
		fprintf(stderr, "\r%*s\r", (int)progress->width, "");
	progress->width = 0;
}

void progress_show(struct progress *progress, const char *text)
{
	int width;

	if (!progress->shown)
		return;
	progress_erase(progress);
	width = fprintf(stderr, "%s", text);
	progress->width = width > 0 ? (size_t)width : 0;
	fflush(stderr);
}
