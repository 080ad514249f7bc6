/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which options are of use where, for commands of several words: what is of none is not ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"

struct option_use {
	const char *option;
	const char *words; /* that take it, with ", " between */
	const char *hint;  /* the next step; NULL: the words */
};

/* Whether an option of the command, or a global one, was given. `args`: of the command. */
bool option_is_given(const struct ctx *ctx, const void *args, const char *name);
/*
 * Whether the word takes every option that was given; one without an entry is for all words. The
 * complaint is made.
 */
bool option_uses_fit(const struct ctx *ctx, const void *args, const struct option_use *uses,
		     size_t count, const char *word);
