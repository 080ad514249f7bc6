/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words of a line, as a shell would split it, but nothing is ever expanded: blanks separate
 * words, '...' and "..." keep them together, \ takes the next character literally, and # at the
 * beginning of a word starts a comment. text_quote() makes words for it.
 */
#pragma once

#include "schema/value.h"

enum { SPLIT_MOST = 256 };

/*
 * Appends the words of a line of `length` bytes to an empty list; an empty line has none. Returns
 * 0, or -EINVAL for a quote without its end, a control character, or more than SPLIT_MOST words,
 * with a message for the caller to free.
 */
int words_split(const char *line, size_t length, struct strings *words, char **ret_message);
