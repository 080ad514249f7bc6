/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mad decode: decodes management datagrams from files, and prints them as text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mad/mad_run.h"
#include "mad/format/dump.h"
#include "render/format.h"

/* The maximum number of characters for one byte of text, with offsets and the like. */
#define CHARACTERS 8u
#define LINE_BYTES 16u

struct decode_args {
	bool raw;
};

struct decode_run {
	struct listing listing;
	struct mad_decoded *decoded;
	size_t count;
};

static void note(struct decode_run *run, const char *name, char *text, const char *hint)
{
	problem_add_text(&run->listing.problems, name, NULL, "file", text, hint);
	free(text);
}

static void note_file(struct decode_run *run, const char *name, int rc, size_t line)
{
	if (rc == -EINVAL)
		note(run, name, mem_format("line %zu is not a hexadecimal dump", line),
		     "write bytes as pairs of digits, with or without an offset before them");
	else if (rc == -ENODATA)
		note(run, name, mem_string("there are no bytes to decode"), NULL);
	else if (rc == -EFBIG)
		note(run, name, mem_format("more than %u bytes", MAD_DUMP_MOST), NULL);
	else
		note(run, name, mem_string(strerror(-rc)), NULL);
}

static void decode_piece(struct decode_run *run, const char *name, size_t index,
			 const unsigned char *mad, size_t bytes)
{
	struct mad_decoded decoded;

	if (mad_decode(mad, bytes, &decoded)) {
		note(run, name,
		     mem_format("datagram %zu is cut short: %zu bytes are less than its header",
				index, bytes),
		     NULL);
		return;
	}
	decoded.object = mem_string(name);
	decoded.index = number_of(index);
	MEM_ADD(run->decoded, run->count) = decoded;
	if (bytes < MAD_BYTES)
		note(run, name,
		     mem_format("datagram %zu is cut short: %zu of 256 bytes", index, bytes), NULL);
}

static void decode_file(struct decode_run *run, const char *path)
{
	_cleanup_(freep) char *name = !strcmp(path, "-") ? mem_string("stdin")
							 : text_clean(path, strlen(path));
	_cleanup_(freep) char *file = NULL;
	_cleanup_(mad_dump_free) struct mad_dump dump = {.bytes = NULL};
	struct mad_piece piece;
	size_t length, index = 0;
	int rc = file_read(path, MAD_DUMP_MOST * CHARACTERS, &file, &length);

	if (!rc)
		rc = mad_dump_read((const unsigned char *)file, length, &dump);
	if (rc)
		note_file(run, name, rc, dump.bad_line);
	while (!rc && mad_dump_next(&dump, &piece))
		decode_piece(run, name, index++, dump.bytes + piece.at, piece.bytes);
}

bool mad_show_wanted(const struct ctx *ctx)
{
	const struct globals *globals = &ctx->globals;

	return !globals->json && !globals->jsonl && !globals->tsv && !globals->columns;
}

/* Fields that only some datagrams have are shown if present. */
static bool is_shown(const struct field *field, const struct value *value)
{
	if (value->kind == VALUE_RECORDS || !strcmp(field->key, "data"))
		return false;
	if (!strcmp(field->key, "missing_bytes"))
		return value->number;
	return value->kind != VALUE_NONE || !strcmp(field->key, "method") ||
	       !strcmp(field->key, "attribute");
}

/* Write errors are reported at the end. */
static void put_pairs(const struct mad_pair *pairs, size_t count)
{
	int width = 0;

	for (size_t i = 0; i < count; i++)
		if ((int)strlen(pairs[i].key) > width)
			width = (int)strlen(pairs[i].key);
	for (size_t i = 0; i < count; i++) {
		const char *value = pairs[i].value;
		_cleanup_(freep) char *line = mem_format("%-*s  %s\n", width, pairs[i].key,
							 value && *value ? value : "-");

		render_text(stdout, line);
	}
}

static void put_header(const struct mad_decoded *decoded)
{
	_cleanup_(freep) struct mad_pair *pairs = NULL;
	size_t count = 0, own;

	for_each_in (field, mads_schema.fields, mads_schema.field_count) {
		_cleanup_(text_release) struct text text = {.owned = NULL};
		struct value value;

		field_get(field, decoded, &value);
		if (!is_shown(field, &value))
			continue;
		format_value(&value, " ", &text);
		MEM_ADD(pairs, count) = (struct mad_pair){.key = mem_string(field->key),
							  .value = mem_string_or_null(text.string)};
	}
	own = count;
	for (size_t i = 0; i < decoded->header_count; i++)
		MEM_ADD(pairs, count) = decoded->header[i];
	put_pairs(pairs, count);
	for (size_t i = 0; i < own; i++) {
		free(pairs[i].key);
		free(pairs[i].value);
	}
}

/* A table has a row for each entry; all of them have the same fields. */
static void put_entries(const struct ctx *ctx, const struct mad_decoded *decoded)
{
	const struct render_options options = {.headings = !ctx->globals.no_headings};
	_cleanup_(freep) struct field *fields = NULL;
	_cleanup_(freep) const struct field **columns = NULL;
	_cleanup_(freep) const void **rows = NULL;
	size_t column_count = 0, row_count = 0;

	for (size_t i = 0; i < decoded->field_count && !decoded->fields[i].entry.value; i++)
		MEM_ADD(fields, column_count) = (struct field){
			.key = field_make_text(decoded->fields[i].key, decoded->fields[i].key, ""),
			.offset = i * sizeof(struct mad_pair) + offsetof(struct mad_pair, value),
		};
	columns = mem_alloc_zero(column_count, sizeof(*columns));
	for (size_t i = 0; i < column_count; i++)
		columns[i] = &fields[i];
	for (size_t i = 0; i < decoded->field_count; i += column_count)
		MEM_ADD(rows, row_count) = &decoded->fields[i];
	render(stdout, &options,
	       &(const struct document){
		       .columns = &(const struct columns){.fields = columns, .count = column_count},
		       .rows = rows,
		       .row_count = row_count,
	       });
	for (size_t i = 0; i < column_count; i++)
		free((void *)(uintptr_t)fields[i].key);
}

/* Offsets count from the beginning of the datagram. */
static void put_bytes(const struct mad_decoded *decoded)
{
	const size_t count = strlen(decoded->data) / 2;

	for (size_t at = 0; at < count; at += LINE_BYTES) {
		const size_t bytes = count - at < LINE_BYTES ? count - at : LINE_BYTES;
		char hex[3 * LINE_BYTES + 1] = "", text[LINE_BYTES + 1] = "";
		_cleanup_(freep) char *line = NULL;

		for (size_t i = 0; i < bytes; i++) {
			const char *digits = decoded->data + 2 * (at + i);
			int byte = text_hex_digit(digits[0]) << 4 | text_hex_digit(digits[1]);

			snprintf(hex + 3 * i, 4, " %.2s", digits);
			text[i] = byte >= ' ' && byte < 0x7f ? (char)byte : '.';
		}
		line = mem_format("%04zx: %-*s  |%s|\n", decoded->data_offset + at,
				  (int)(3 * LINE_BYTES), hex, text);
		render_text(stdout, line);
	}
}

void mad_show(const struct ctx *ctx, const struct mad_decoded *decoded, bool raw, bool first)
{
	if (!first)
		render_text(stdout, "\n");
	put_header(decoded);
	if (decoded->field_count)
		render_text(stdout, "\n");
	if (decoded->field_count && decoded->fields[0].entry.known)
		put_entries(ctx, decoded);
	else
		put_pairs(decoded->fields, decoded->field_count);
	if (*decoded->data && (raw || !decoded->known)) {
		render_text(stdout, "\n");
		put_bytes(decoded);
	}
}

static int run_decode(const struct ctx *ctx, const void *args, char **words)
{
	const bool raw = ((const struct decode_args *)args)->raw;
	struct decode_run run = {.decoded = NULL};
	int status;

	if (listing_begin_as(&run.listing, ctx, &mads_schema, false)) {
		for (; *words; words++)
			decode_file(&run, *words);
		if (!run.count && run.listing.status == STATUS_DONE)
			run.listing.status = STATUS_FAILED;
	}
	if (mad_show_wanted(ctx)) {
		for (size_t i = 0; i < run.count; i++)
			mad_show(ctx, &run.decoded[i], raw, !i);
		status = listing_end_quietly(&run.listing, 0);
	} else {
		for (size_t i = 0; i < run.count; i++)
			listing_add(&run.listing, &run.decoded[i]);
		status = listing_end(&run.listing);
	}
	for (size_t i = 0; i < run.count; i++)
		mad_decoded_clear(&run.decoded[i]);
	free(run.decoded);
	return status;
}

static const struct option_row options[] = {
	FLAG_OPTION(struct decode_args, raw, 0, "raw", "print the bytes as well"),
	{.name = NULL},
};

const struct command mad_decode_command = {
	.name = "decode",
	.summary = "show datagrams from files, hexadecimal or binary; - is standard input",
	.objects = "FILE...",
	.object_completion = COMPLETE_FILE,
	.least_objects = 1,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct decode_args),
	.schema = &mads_schema,
	.run = run_decode,
};
