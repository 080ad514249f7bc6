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
	const struct problems *problems; /* part of JSON; the caller also reports them elsewhere */
	/*
	 * One more record, or NULL. Its members come first in the JSON object; other formats omit
	 * it.
	 */
	const struct columns *head_columns;
	const void *head;
	/*
	 * JSON for a file that json_read() reads: unknown members are omitted, and each record of a
	 * list has a line.
	 */
	bool sparse;
};

int render(FILE *out, const struct render_options *options, const struct document *document);
/* Renders into memory. The caller frees the text. */
int render_to_text(const struct render_options *options, const struct document *document,
		   char **ret_text);

/*
 * The same in pieces, for more rows than should be kept in memory. Columns of a table are as wide
 * as the widest cell so far, so later pieces may be wider than earlier ones. Not for vertical
 * records.
 */
struct render_stream {
	FILE *out;
	struct render_options options;
	const struct columns *columns;
	int *widths; /* of a table; the caller may set wider ones at the start */
	size_t row_count;
	bool begun; /* something has been printed */
};

void render_stream_init(struct render_stream *stream, FILE *out,
			const struct render_options *options, const struct columns *columns);
int render_stream_rows(struct render_stream *stream, const void *const *rows, size_t row_count);
/* Writes what follows the last row: the problems in JSON, headings if there was no row. */
int render_stream_end(struct render_stream *stream, const struct problems *problems);
void render_stream_free(struct render_stream *stream);

/*
 * A finding for people, in three lines: what is wrong with which object, the evidence, the next
 * step. Several pieces of evidence have a line each.
 */
struct finding_block {
	const struct enum_name *verdict; /* its word and tone */
	const char *check;		 /* id of the check */
	const char *object;		 /* NULL: the subject as a whole */
	const char *summary;
	const struct strings *evidence;
	const char *next_step; /* or NULL */
	int verdict_width;     /* width of the widest verdict, so that blocks are aligned */
};

int render_finding(FILE *out, const struct render_options *options,
		   const struct finding_block *block);

/* Text that is not a record. */
int render_text(FILE *out, const char *text);
/*
 * Lets the program end when jansson runs out of memory. jansson itself would omit parts of the
 * document that it writes, and would call the one that it reads malformed.
 */
void render_json_check_memory(void);
/* The JSON Schema (draft 2020-12) of a command's JSON document. */
int render_json_schema(FILE *out, const struct columns *columns);
/* Flushes, so that a reader of a stream sees the rows so far. */
int render_flush(FILE *out);

/*
 * Versions of jansson: of the header at build time, and of the library (NULL if it does not say).
 */
const char *render_json_built_version(void);
const char *render_json_running_version(void);
