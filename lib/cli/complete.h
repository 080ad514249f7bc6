/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shell completion. The stubs of bash, zsh and fish pass the words of the command line; the
 * candidates are printed one a line, as `word<TAB>help`. A line `:file` asks the shell to complete
 * file names.
 */
#pragma once

#include "cli/command.h"

/* Lists the names of a completion class on this system or in the saved tree `root`. */
typedef void (*complete_list)(enum completion completion, const char *root,
			      struct strings *ret_names);

/* `words`: those after `rdmactl` up to the one that is being completed, then NULL. */
void complete(const struct ctx *ctx, char *const *words, complete_list list);
