/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static void out_of_memory(void)
{
	fputs("rdmactl: out of memory\n", stderr);
	exit(1);
}

void *mem_check(void *pointer)
{
	if (!pointer)
		out_of_memory();
	return pointer;
}

void *mem_alloc_zero(size_t count, size_t size)
{
	return mem_check(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *pointer, size_t count, size_t size)
{
	return mem_check(reallocarray(pointer, count ? count : 1, size ? size : 1));
}

char *mem_string(const char *string)
{
	return mem_check(strdup(string));
}

char *mem_string_or_null(const char *string)
{
	return string ? mem_string(string) : NULL;
}

char *mem_path(const char *directory, const char *name)
{
	const size_t length = strlen(directory), size = strlen(name) + 1;
	char *path = mem_check(malloc(length + 1 + size));

	memcpy(path, directory, length);
	path[length] = '/';
	memcpy(path + length + 1, name, size);
	return path;
}

char *mem_format_list(const char *format, va_list arguments)
{
	char *string = NULL;

	if (vasprintf(&string, format, arguments) < 0)
		out_of_memory();
	return string;
}

char *mem_format(const char *format, ...)
{
	va_list arguments;
	char *string;

	va_start(arguments, format);
	string = mem_format_list(format, arguments);
	va_end(arguments);
	return string;
}

void mem_extend(char **string, const char *format, ...)
{
	char *addition, *before = *string;
	va_list arguments;

	va_start(arguments, format);
	addition = mem_format_list(format, arguments);
	va_end(arguments);
	*string = before ? mem_format("%s%s", before, addition) : mem_string(addition);
	free(before);
	free(addition);
}

void *mem_append(void *array_pointer, size_t *count, size_t size)
{
	void **array = array_pointer;
	char *element;

	/* Grow at powers of two, so that n appends cost O(n) and no capacity has to be kept. */
	if ((*count & (*count - 1)) == 0)
		*array = mem_resize(*array, *count ? *count * 2 : 1, size);
	element = (char *)*array + *count * size;
	memset(element, 0, size);
	++*count;
	return element;
}

int mem_write(int (*write)(void *context, FILE *file), void *context, char **ret_text,
	      size_t *ret_length)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	int rc;

	if (!file)
		return -errno;
	rc = write(context, file);
	if (fclose(file) && !rc)
		rc = -errno;
	if (rc)
		return rc;
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}
