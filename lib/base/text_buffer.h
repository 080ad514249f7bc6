/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A text that grows at its end. */
#pragma once

#include <stddef.h>

struct text_buffer {
	char *text; /* ends with a NUL as soon as something was added */
	size_t length;
	size_t size;
};

void text_buffer_add(struct text_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The text, for the caller to free; the buffer is empty then. */
char *text_buffer_take(struct text_buffer *buffer);
