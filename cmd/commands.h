/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands listed in commands.def. */
#pragma once

#include "cli/command.h"

#define COMMAND(name) extern const struct command name##_command;
#include "cmd/commands.def"
#undef COMMAND

/*
 * Gets the output of `rdmactl version`, which a snapshot also contains; the caller clears the list.
 * `root` is that of --root, or NULL. Returns 0, or -errno of opening it.
 */
struct component_list;
int version_components(struct component_list *list, const char *root);
/* Returns `status`, or complains and returns STATUS_FAILED if some of the output was lost. */
int finish_output(const struct ctx *ctx, int rc, int status);
