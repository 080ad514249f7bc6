/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Help and the generated parts of the man pages, made from the tables. */
#pragma once

#include <stdio.h>

#include "cli/command.h"

/* The commands by group, and the global options. */
void help_overview(const struct ctx *ctx, FILE *stream);
/* `parent`: of a subcommand, or NULL. */
void help_of_command(const struct command *parent, const struct command *command, const char *word,
		     FILE *stream);
/* Prints the mdoc(7) blocks between .\" BEGIN and .\" END lines; NULL: those of rdmactl(1). */
void help_man_blocks(const struct ctx *ctx, const struct command *command);
