/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text of any origin as a string of Graphviz. Names are cleaned before, so this is about what means
 * something to Graphviz or to XML, and about characters that XML must not have.
 */
#pragma once

#include "fabric/format/text_buffer.h"

/* In quotation marks: an attribute's value or an identifier, shown as it is. */
void dot_add_string(struct text_buffer *text, const char *string);
/* Inside of an HTML-like label. */
void dot_add_html(struct text_buffer *text, const char *string);
/* The same with each part that ends with a comma in a line of its own. */
void dot_add_lines(struct text_buffer *text, const char *string);
