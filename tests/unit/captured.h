/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of printed text: captures it in an unnamed file. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sys/mman.h>

struct captured {
	FILE *stream;
	int file;
	int before; /* a copy of the stream's descriptor */
};

/* Captures a stream: standard output or standard error. */
static inline void capture_stream(struct captured *captured, FILE *stream)
{
	fflush(stream);
	captured->stream = stream;
	captured->file = memfd_create("captured", MFD_CLOEXEC);
	captured->before = dup(fileno(stream));
	assert_true(captured->file >= 0 && captured->before >= 0);
	assert_int_equal(dup2(captured->file, fileno(stream)), fileno(stream));
}

static inline void capture_begin(struct captured *captured)
{
	capture_stream(captured, stdout);
}

/* Returns the text written since the capture began; the caller frees it. */
static inline char *capture_end(struct captured *captured)
{
	size_t length, got;
	char *text;

	fflush(captured->stream);
	dup2(captured->before, fileno(captured->stream));
	close(captured->before);
	length = (size_t)lseek(captured->file, 0, SEEK_END);
	text = calloc(length + 1, 1);
	assert_non_null(text);
	got = (size_t)pread(captured->file, text, length, 0);
	close(captured->file);
	assert_int_equal(got, length);
	return text;
}
