/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of standard output: captures it in an unnamed file. */
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
	int file;
	int stdout_before;
};

static inline void capture_begin(struct captured *captured)
{
	fflush(stdout);
	captured->file = memfd_create("captured", MFD_CLOEXEC);
	captured->stdout_before = dup(STDOUT_FILENO);
	assert_true(captured->file >= 0 && captured->stdout_before >= 0);
	assert_int_equal(dup2(captured->file, STDOUT_FILENO), STDOUT_FILENO);
}

/* The text written since; the caller frees it. */
static inline char *capture_end(struct captured *captured)
{
	size_t length, got;
	char *text;

	fflush(stdout);
	dup2(captured->stdout_before, STDOUT_FILENO);
	close(captured->stdout_before);
	length = (size_t)lseek(captured->file, 0, SEEK_END);
	text = calloc(length + 1, 1);
	assert_non_null(text);
	got = (size_t)pread(captured->file, text, length, 0);
	close(captured->file);
	assert_int_equal(got, length);
	return text;
}
