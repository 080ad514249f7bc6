/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What render() prints, elsewhere than on standard output: in memory, in a file. */
#pragma once

#include <stdio.h>

#include "render/render.h"

/* The text is freed by the caller. 0 or -errno. */
int render_to_text(const struct render_options *options, const struct document *document,
		   char **ret_text);
/* To a file that is open for writing. 0 or -errno. */
int render_to_file(FILE *file, const struct render_options *options,
		   const struct document *document);
/*
 * Writes a JSON document with members of its own in front: those of one record of `head`, which is
 * a document of its own. json_read() reads it. 0 or -errno.
 */
int render_document(FILE *file, const struct document *head, const struct document *document);
