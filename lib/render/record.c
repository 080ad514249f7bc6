/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/format.h"

enum { INDENT = 2 };

static int key_width(const struct columns *columns)
{
	size_t widest = 0;

	for (size_t i = 0; i < columns->count; i++)
		if (columns->fields[i]->kind != FIELD_RECORDS &&
		    strlen(columns->fields[i]->key) > widest)
			widest = strlen(columns->fields[i]->key);
	return (int)widest;
}

static void put_record(FILE *out, const struct columns *columns, const void *record, int indent);

/* Puts the inner records after their record, each below a line that names it. */
static void put_inner(FILE *out, const struct field *field, const struct value *value, int indent)
{
	_cleanup_(columns_free) struct columns columns = {0};

	if (columns_of_records(&columns, field))
		return;
	for (size_t i = 0; i < value->records.count; i++) {
		fprintf(out, "%*s%s[%zu]\n", indent, "", field->key, i);
		put_record(out, &columns,
			   (const char *)value->records.rows + i * field->records->record_size,
			   indent + INDENT);
	}
}

static void put_record(FILE *out, const struct columns *columns, const void *record, int indent)
{
	int width = key_width(columns);
	struct value value;

	for (size_t i = 0; i < columns->count; i++) {
		const struct field *field = columns->fields[i];
		_cleanup_(text_release) struct text text = {.owned = NULL};

		field_get(field, record, &value);
		if (value.kind == VALUE_RECORDS) {
			put_inner(out, field, &value, indent);
			continue;
		}
		format_field(field, &value, " ", &text);
		fprintf(out, "%*s%-*s  %s\n", indent, "", width, field->key,
			text.string && *text.string ? text.string : "-");
	}
}

int render_record(FILE *out, const struct document *document)
{
	for (size_t i = 0; i < document->row_count; i++) {
		if (i)
			putc('\n', out);
		put_record(out, document->columns, document->rows[i], 0);
	}
	return 0;
}
