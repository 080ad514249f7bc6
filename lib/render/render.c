/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "render/format.h"

const char *format_unsigned(uint64_t number, char scratch[static TEXT_SCRATCH])
{
	char *digit = scratch + TEXT_SCRATCH - 1;

	*digit = '\0';
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	return digit;
}

const char *format_tone(enum tone tone)
{
	switch (tone) {
	case TONE_GOOD:
		return "\033[32m";
	case TONE_WARNING:
		return "\033[33m";
	case TONE_BAD:
		return "\033[31m";
	default:
		return NULL;
	}
}

void format_value(const struct value *value, const char *separator, struct text *text)
{
	text->owned = NULL;
	text->string = text->scratch;
	switch (value->kind) {
	case VALUE_STRING:
		text->string = value->string;
		break;
	case VALUE_UNSIGNED:
		text->string = format_unsigned(value->number, text->scratch);
		break;
	case VALUE_SIGNED:
		snprintf(text->scratch, sizeof(text->scratch), "%" PRId64, value->integer);
		break;
	case VALUE_REAL:
		text_format_real(value->real, text->scratch);
		break;
	case VALUE_BOOL:
		text->string = value->boolean ? "yes" : "no";
		break;
	case VALUE_LIST:
		/* Most lists in tables have one item. */
		if (value->list.count == 1)
			text->string = value->list.items[0];
		else
			text->string = text->owned = value_join(value, separator);
		break;
	case VALUE_RECORDS:
		text->string = format_unsigned(value->records.count, text->scratch);
		break;
	default:
		text->string = NULL;
	}
}

void format_field(const struct field *field, const struct value *value, const char *separator,
		  struct text *text)
{
	format_value(value, separator, text);
	if (field->flags & FIELD_LINES && value->kind == VALUE_STRING)
		text->string = text->owned = text_clean(text->string, strlen(text->string));
}

/* Values are clean of control bytes, or become so, so tabs and newlines need no escape here. */
static void put_tsv_row(FILE *out, const struct columns *columns, const void *row)
{
	struct value value;

	for (size_t i = 0; i < columns->count; i++) {
		_cleanup_(text_release) struct text text;

		field_get(columns->fields[i], row, &value);
		format_field(columns->fields[i], &value, ",", &text);
		if (i)
			putc('\t', out);
		if (text.string)
			fputs(text.string, out);
	}
	putc('\n', out);
}

static void render_tsv(FILE *out, const struct render_options *options,
		       const struct document *document)
{
	const struct columns *columns = document->columns;

	for (size_t i = 0; options->headings && i < columns->count; i++)
		fprintf(out, "%s%c", columns->fields[i]->key, i + 1 < columns->count ? '\t' : '\n');
	for (size_t i = 0; i < document->row_count; i++)
		put_tsv_row(out, columns, document->rows[i]);
}

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

static void put_fields(FILE *out, const struct columns *columns, const void *record, int indent);

/* Puts the inner records after their record, each below a line that names it. */
static void put_inner(FILE *out, const struct field *field, const struct value *value, int indent)
{
	_cleanup_(columns_free) struct columns columns = columns_of_records(field);

	for (size_t i = 0; i < value->records.count; i++) {
		fprintf(out, "%*s%s[%zu]\n", indent, "", field->key, i);
		put_fields(out, &columns,
			   (const char *)value->records.rows + i * field->records->record_size,
			   indent + INDENT);
	}
}

static void put_fields(FILE *out, const struct columns *columns, const void *record, int indent)
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

static void render_record(FILE *out, const struct document *document)
{
	for (size_t i = 0; i < document->row_count; i++) {
		if (i)
			putc('\n', out);
		put_fields(out, document->columns, document->rows[i], 0);
	}
}

int render(FILE *out, const struct render_options *options, const struct document *document)
{
	_cleanup_(freep) int *widths = NULL;

	switch (options->format) {
	case FORMAT_JSON:
		render_json_begin(out, document);
		render_json_rows(out, document, 0);
		render_json_end(out, document->problems);
		return 0;
	case FORMAT_JSONL:
		render_jsonl(out, document);
		return 0;
	case FORMAT_TSV:
		render_tsv(out, options, document);
		return 0;
	case FORMAT_RECORD:
		render_record(out, document);
		return 0;
	default:
		widths = mem_alloc_zero(document->columns->count, sizeof(*widths));
		return render_table(out, options, document, widths);
	}
}

struct rendering {
	const struct render_options *options;
	const struct document *document;
};

static int write_rendering(void *context, FILE *file)
{
	const struct rendering *rendering = context;

	return render(file, rendering->options, rendering->document);
}

int render_to_text(const struct render_options *options, const struct document *document,
		   char **ret_text)
{
	struct rendering rendering = {options, document};
	size_t length;

	return mem_write(write_rendering, &rendering, ret_text, &length);
}

void render_stream_init(struct render_stream *stream, FILE *out,
			const struct render_options *options, const struct columns *columns)
{
	*stream = (struct render_stream){
		.out = out,
		.options = *options,
		.columns = columns,
		.widths = mem_alloc_zero(columns->count, sizeof(*stream->widths)),
	};
}

int render_stream_rows(struct render_stream *stream, const void *const *rows, size_t row_count)
{
	const struct document document = {
		.columns = stream->columns, .rows = rows, .row_count = row_count};
	struct render_options options = stream->options;
	const bool json = options.format == FORMAT_JSON;

	if (!row_count)
		return 0;
	options.headings = options.headings && !stream->begun;
	if (json && !stream->begun)
		render_json_begin(stream->out, &document);
	if (json)
		render_json_rows(stream->out, &document, stream->row_count);
	stream->begun = true;
	stream->row_count += row_count;
	if (json)
		return 0;
	if (options.format == FORMAT_TABLE)
		return render_table(stream->out, &options, &document, stream->widths);
	return render(stream->out, &options, &document);
}

int render_stream_end(struct render_stream *stream, const struct problems *problems)
{
	const struct document nothing = {.columns = stream->columns, .problems = problems};

	if (!stream->begun)
		return render(stream->out, &stream->options, &nothing);
	if (stream->options.format == FORMAT_JSON)
		render_json_end(stream->out, problems);
	return 0;
}

void render_stream_free(struct render_stream *stream)
{
	free(stream->widths);
	stream->widths = NULL;
}

int render_finding(FILE *out, const struct render_options *options,
		   const struct finding_block *block)
{
	const char *color = options->color ? format_tone(block->verdict->tone) : NULL;
	const int indent = block->verdict_width + 2;

	fprintf(out, "%s%-*s%s  ", color ? color : "", block->verdict_width, block->verdict->word,
		color ? FORMAT_PLAIN : "");
	if (block->object)
		fprintf(out, "%s: ", block->object);
	fprintf(out, "%s [%s]\n", block->summary, block->check);
	for (size_t i = 0; block->evidence && i < block->evidence->count; i++)
		fprintf(out, "%*s%s\n", indent, "", block->evidence->items[i]);
	if (block->next_step)
		fprintf(out, "%*s-> %s\n", indent, "", block->next_step);
	return file_error(out);
}

int render_text(FILE *out, const char *text)
{
	return fputs(text, out) < 0 ? -errno : 0;
}

int render_flush(FILE *out)
{
	return fflush(out) ? -errno : 0;
}
