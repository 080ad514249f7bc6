/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The back ends of render(), and what they share. */
#pragma once

#include <stdlib.h>

#include "render/render.h"

int render_table(const struct render_options *options, const struct document *document);
/* The same for text beyond ASCII; render_table() calls it. */
int render_wide_table(const struct render_options *options, const struct document *document);
/* A piece of a table, widths growing; of text beyond ASCII it counts characters. */
int render_table_piece(const struct render_options *options, const struct document *document,
		       int *widths);
int render_record(const struct render_options *options, const struct document *document);
int render_tsv(const struct render_options *options, const struct document *document);
int render_json(const struct document *document);
/* Its parts, in this order; `first`: the number of rows that are out already. */
void render_json_begin(const struct schema *schema);
int render_json_rows(const struct document *document, size_t first);
int render_json_end(const struct problems *problems);
int render_jsonl(const struct document *document);

enum { TEXT_SCRATCH = 32 };

/* A value as one piece of text for people; valid as long as it and the value stay where they are.
 */
struct text {
	const char *string; /* NULL for NONE */
	char *owned;
	char scratch[TEXT_SCRATCH];
};

/* Lists are joined with `separator`. */
void format_value(const struct value *value, const char *separator, struct text *text);
/* Of each cell, and hardly any has something to release: no call for the others. */
static inline void text_release(struct text *text)
{
	if (text->owned)
		free(text->owned);
}

/* What both kinds of tables have in common: a cell's text, `-` for nothing, and a tone's colour. */
void table_get_cell(const struct field *field, const void *row, struct value *value,
		    struct text *text);
const char *table_tone_color(enum tone tone);
