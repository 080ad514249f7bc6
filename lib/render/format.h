/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The back ends of render(), and what they share. */
#pragma once

#include <stdlib.h>

#include "base/text.h"
#include "render/render.h"

/* Writes a table or a piece of one; `widths` of its columns grow as needed. */
int render_table(FILE *out, const struct render_options *options, const struct document *document,
		 int *widths);
/* The parts of a JSON document, in this order; `first` is the number of rows written before. */
void render_json_begin(FILE *out, const struct document *document);
void render_json_rows(FILE *out, const struct document *document, size_t first);
void render_json_end(FILE *out, const struct problems *problems);
void render_jsonl(FILE *out, const struct document *document);

enum { TEXT_SCRATCH = TEXT_REAL_SIZE };

/* A value as a piece of text for people; valid as long as it and the value stay where they are. */
struct text {
	const char *string; /* NULL for NONE */
	char *owned;
	char scratch[TEXT_SCRATCH];
};

/* The escape sequence of a colour, to be ended by FORMAT_PLAIN; NULL for plain text. */
const char *format_tone(enum tone tone);
#define FORMAT_PLAIN "\033[0m"

/* Returns the digits, which are within `scratch`. */
const char *format_unsigned(uint64_t number, char scratch[static TEXT_SCRATCH]);
/* Formats a value as text; lists are joined with `separator`. */
void format_value(const struct value *value, const char *separator, struct text *text);
/* The same on one line: line breaks of FIELD_LINES are shown as other control bytes are. */
void format_field(const struct field *field, const struct value *value, const char *separator,
		  struct text *text);
/* Inline, because it runs for each cell, and rarely has anything to release. */
static inline void text_release(struct text *text)
{
	if (text->owned)
		free(text->owned);
}
