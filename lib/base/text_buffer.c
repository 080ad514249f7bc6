/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

#define FIRST_SIZE 256u

void text_buffer_add(struct text_buffer *buffer, const char *format, ...)
{
	size_t size = buffer->size ? buffer->size : FIRST_SIZE;
	va_list words;
	int length;

	va_start(words, format);
	length = vsnprintf(NULL, 0, format, words);
	va_end(words);
	if (length < 0)
		return;
	while (size < buffer->length + (size_t)length + 1)
		size *= 2;
	if (size != buffer->size)
		buffer->text = mem_resize(buffer->text, size, 1);
	buffer->size = size;
	va_start(words, format);
	vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, words);
	va_end(words);
	buffer->length += (size_t)length;
}

char *text_buffer_take(struct text_buffer *buffer)
{
	char *text = buffer->text ? buffer->text : mem_string("");

	*buffer = (struct text_buffer){.text = NULL};
	return text;
}
