/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/option_use.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"

static bool has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (; *words; words += strspn(words, ", ")) {
		const size_t here = strcspn(words, ",");

		if (here == length && !strncmp(words, word, length))
			return true;
		words += here;
	}
	return false;
}

static bool given_of(const struct option_row *row, const void *values, const char *name)
{
	for (; row->name; row++)
		if (!strcmp(row->name, name))
			return option_given(row, values);
	return false;
}

bool option_is_given(const struct ctx *ctx, const void *args, const char *name)
{
	bool given = given_of(global_options, &ctx->globals, name);

	for (size_t i = 0; ctx->command->options[i] && !given; i++)
		given = given_of(ctx->command->options[i], args, name);
	return given;
}

bool option_uses_fit(const struct ctx *ctx, const void *args, const struct option_use *uses,
		     size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++) {
		const struct option_use *use = &uses[i];
		_cleanup_(freep) char *message = NULL, *hint = NULL;

		if (has_word(use->words, word) || !option_is_given(ctx, args, use->option))
			continue;
		message = mem_format("'%s' does not take --%s", word, use->option);
		hint = mem_format("it is for %s", use->words);
		command_complain(ctx, message, use->hint ? use->hint : hint);
		return false;
	}
	return true;
}
