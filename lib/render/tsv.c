/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/format.h"

/* Values hold no control bytes (they were cleaned), so tabs and newlines need no escape here. */
static void put_row(FILE *out, const struct columns *columns, const void *row)
{
	struct value value;

	for (size_t i = 0; i < columns->count; i++) {
		_cleanup_(text_release) struct text text;

		field_get(columns->fields[i], row, &value);
		format_value(&value, ",", &text);
		if (i)
			putc('\t', out);
		if (text.string)
			fputs(text.string, out);
	}
	putc('\n', out);
}

int render_tsv(FILE *out, const struct render_options *options, const struct document *document)
{
	const struct columns *columns = document->columns;

	for (size_t i = 0; options->headings && i < columns->count; i++)
		fprintf(out, "%s%c", columns->fields[i]->key, i + 1 < columns->count ? '\t' : '\n');
	for (size_t i = 0; i < document->row_count; i++)
		put_row(out, columns, document->rows[i]);
	return 0;
}
