/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shell completion: the stubs of bash, zsh and fish hand over the words, this prints the
 * candidates, one a line, `word<TAB>help`. The one line `:file` asks for the shell's own file
 * names.
 */
#pragma once

#include "cli/command.h"

/* Lists what is on this system (or in the saved tree `root`) of a completion class. */
typedef void (*complete_list)(enum completion completion, const char *root,
			      struct strings *ret_names);

/* `words` after `rdmactl`, up to and with the one that is being completed; ends with NULL. */
void complete(const struct ctx *ctx, char *const *words, complete_list list);
