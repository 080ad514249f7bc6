/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The back ends of render(), and what they share. */
#pragma once

#include "render/render.h"

int render_table(const struct render_options *options, const struct document *document);
int render_record(const struct render_options *options, const struct document *document);
int render_tsv(const struct render_options *options, const struct document *document);
int render_json(const struct document *document);
int render_jsonl(const struct document *document);

/*
 * A value as one piece of text for people; lists are joined with `separator`. NULL for NONE.
 * The caller frees it.
 */
char *format_value(const struct value *value, const char *separator);
