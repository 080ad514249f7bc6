/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/words.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns what is wrong with the characters, or NULL. */
static const char *check(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return line[i] == '\r' && i + 1 == length
				       ? "a carriage return at its end, as in Windows files"
				       : "a control character";
	return NULL;
}

/* Copies the word that begins at *at to `word`. Returns what is wrong, or NULL. */
static const char *take(const char *line, size_t length, size_t *at, char *word)
{
	char quote = '\0';
	size_t i = *at;

	for (; i < length && (quote || !is_blank(line[i])); i++) {
		const char c = line[i];

		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? '\0' : c;
		else if (c == '\\' && quote != '\'' && i + 1 < length)
			*word++ = line[++i];
		else
			*word++ = c;
	}
	*word = '\0';
	*at = i;
	return quote ? "a quotation mark that is never closed" : NULL;
}

int words_split(const char *line, size_t length, struct strings *words, char **ret_message)
{
	_cleanup_(freep) char *word = mem_alloc_zero(length + 1, 1);
	const char *wrong = check(line, length);
	size_t at = 0;

	words->known = true;
	while (!wrong) {
		while (at < length && is_blank(line[at]))
			at++;
		if (at == length || line[at] == '#')
			return 0;
		wrong = words->count == SPLIT_MOST ? "too many words"
						   : take(line, length, &at, word);
		if (!wrong)
			strings_add(words, word);
	}
	*ret_message = mem_string(wrong);
	return -EINVAL;
}
