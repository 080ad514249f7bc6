/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes documents in any format, from records and the columns selected, to a stream that the
 * caller hands in. Nothing here knows what a record means. The functions return 0 or -errno of the
 * write.
 */
#pragma once

#include <stdio.h>

#include "schema/columns.h"
#include "schema/problem.h"

enum format { FORMAT_TABLE, FORMAT_RECORD, FORMAT_JSON, FORMAT_JSONL, FORMAT_TSV };

struct render_options {
	enum format format;
	bool headings; /* of tables and TSV */
	bool color;    /* of tables */
};

struct document {
	const struct columns *columns;
	const void *const *rows; /* pointers to records of columns->schema */
	size_t row_count;
	const struct problems *problems; /* part of JSON; the caller reports them elsewhere, too */
	/* One more record, or NULL. Its members come first in the JSON object; not in other
	 * formats. */
	const struct columns *head_columns;
	const void *head;
	/* JSON for a file that json_read() reads: unknown members are left out, and each record of
	 * a list has a line. */
	bool sparse;
};

int render(FILE *out, const struct render_options *options, const struct document *document);
/* Into memory. The caller frees the text. */
int render_to_text(const struct render_options *options, const struct document *document,
		   char **ret_text);

/*
 * The same in pieces, for more rows than should be kept. Columns of a table are as wide as the
 * widest cell so far: a later piece may be wider than an earlier one. Not for vertical records.
 */
struct render_stream {
	FILE *out;
	struct render_options options;
	const struct columns *columns;
	int *widths; /* of a table; whoever wants them wider from the start fills them in */
	size_t row_count;
	bool begun; /* something is out */
};

void render_stream_init(struct render_stream *stream, FILE *out,
			const struct render_options *options, const struct columns *columns);
int render_stream_rows(struct render_stream *stream, const void *const *rows, size_t row_count);
/* What comes behind the last row: in JSON the problems. Prints headings if there was no row. */
int render_stream_end(struct render_stream *stream, const struct problems *problems);
void render_stream_free(struct render_stream *stream);

/* Text that is no record: help, completion, generated man text. */
int render_text(FILE *out, const char *text);
/* The JSON Schema (draft 2020-12) of a command's JSON document. */
int render_json_schema(FILE *out, const struct columns *columns);
/* Pushes out what is there so far, for a stream of rows. */
int render_flush(FILE *out);
/* Pushes out what is buffered; -errno if any of it was lost. To be called once, at the end. */
int render_finish(FILE *out);

/* Versions of jansson: compiled with, and in use. */
const char *render_json_built_version(void);
const char *render_json_running_version(void);
