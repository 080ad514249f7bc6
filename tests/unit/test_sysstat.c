/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The server's answers in the system status class: which requests it answers, how long the answers
 * are, and what they omit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "mad/sysstat.h"
#include "schema/bits.h"

enum { DATA = 40, ROOM = 65536 - 64 - DATA };

static void make(unsigned char *mad, unsigned int attribute)
{
	memset(mad, 0xee, MAD_BYTES);
	mad[1] = 0x33;
	mad[3] = UMAD_METHOD_GET;
	bits_set(mad, 16 * 8, 16, attribute);
	bits_set(mad, 37 * 8, 24, 0x001405);
}

/* Each part of a request counts, such as the vendor's OUI, and so does its size. */
static void requests(void **state)
{
	static const struct {
		size_t at;
		unsigned int byte;
	} wrong[] = {
		{1, 0x32},
		{3, UMAD_METHOD_SET},
		{3, UMAD_METHOD_GET_RESP},
		{17, 0x0f},
		{17, 0x13},
		{16, 1},
		{37, 1},
		{39, 6},
	};
	unsigned char mad[MAD_BYTES], answer[SYSSTAT_MOST_MAD];
	size_t bytes;

	(void)state;
	for (unsigned int attribute = 0x10; attribute <= 0x12; attribute++) {
		make(mad, attribute);
		assert_true(sysstat_answer(mad, sizeof(mad), "h", "c\n", answer, &bytes));
		assert_int_equal(bytes, MAD_BYTES);
		assert_int_equal(answer[3], UMAD_METHOD_GET_RESP);
		assert_int_equal(bits_get(answer, 4 * 8, 16), 0);
		assert_memory_equal(answer + 8, mad + 8, 16);
		/* No RMPP in a single datagram. */
		assert_int_equal(bits_get(answer, 24 * 8, 32), 0);
		assert_int_equal(bits_get(answer, 37 * 8, 24), 0x001405);
		assert_string_equal((char *)answer + DATA, attribute == 0x11   ? "h"
							   : attribute == 0x12 ? "c\n"
									       : "");
		assert_false(sysstat_answer(mad, MAD_BYTES - 1, "h", "c\n", answer, &bytes));
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		make(mad, 0x10);
		mad[wrong[i].at] = (unsigned char)wrong[i].byte;
		if (sysstat_answer(mad, sizeof(mad), "h", "c\n", answer, &bytes))
			fail_msg("byte %zu", wrong[i].at);
	}
}

/* A text with its NUL fills one datagram, or exceeds it by one; then it is segmented, 13.6.2.1. */
static void segments(void **state)
{
	(void)state;
	for (size_t length = MAD_BYTES - DATA - 2; length <= MAD_BYTES - DATA + 1; length++) {
		_cleanup_(freep) char *text = mem_alloc_zero(length + 1, 1);
		unsigned char mad[MAD_BYTES], answer[SYSSTAT_MOST_MAD];
		bool longer = DATA + length + 1 > MAD_BYTES;
		size_t bytes;

		memset(text, 'x', length);
		text[length - 1] = '\n';
		make(mad, SYSSTAT_CPU);
		assert_true(sysstat_answer(mad, sizeof(mad), "h", text, answer, &bytes));
		assert_int_equal(bytes, longer ? DATA + length + 1 : MAD_BYTES);
		assert_string_equal((char *)answer + DATA, text);
		assert_int_equal(answer[24], longer ? 1 : 0);
		assert_int_equal(answer[25], longer ? 1 : 0);
		assert_int_equal(answer[26] & 7, longer ? 1 : 0);
	}
}

/*
 * As many complete lines as fit, with the NUL; a first line that is too long gives an empty text.
 */
static void most_lines(void **state)
{
	static const struct {
		size_t first, second, kept;
	} rows[] = {
		{100, ROOM - 101, ROOM - 1}, {100, ROOM - 100, 100},
		{ROOM - 1, 0, ROOM - 1},     {ROOM, 0, 0},
		{ROOM - 1, 1, ROOM - 1},     {ROOM - 2, 1, ROOM - 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t length = rows[i].first + rows[i].second;
		_cleanup_(freep) char *text = mem_alloc_zero(length + 1, 1);
		unsigned char mad[MAD_BYTES], answer[SYSSTAT_MOST_MAD];
		size_t bytes;

		memset(text, 'x', length);
		text[rows[i].first - 1] = text[length - 1] = '\n';
		make(mad, SYSSTAT_CPU);
		assert_true(sysstat_answer(mad, sizeof(mad), "h", text, answer, &bytes));
		if (strlen((char *)answer + DATA) != rows[i].kept)
			fail_msg("row %zu: %zu", i, strlen((char *)answer + DATA));
		assert_memory_equal(answer + DATA, text, rows[i].kept);
	}
}

/* A name that is longer than the data of a datagram is cut there. */
static void longest_name(void **state)
{
	static const size_t most = MAD_BYTES - DATA - 1;

	(void)state;
	for (size_t length = most; length <= most + 1; length++) {
		_cleanup_(freep) char *name = mem_alloc_zero(length + 1, 1);
		unsigned char mad[MAD_BYTES], answer[SYSSTAT_MOST_MAD];
		size_t bytes;

		memset(name, 'n', length);
		make(mad, SYSSTAT_HOST);
		assert_true(sysstat_answer(mad, sizeof(mad), name, "c\n", answer, &bytes));
		assert_int_equal(bytes, MAD_BYTES);
		assert_int_equal(strlen((char *)answer + DATA), most);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(segments),
		cmocka_unit_test(most_lines),
		cmocka_unit_test(longest_name),
	};

	return cmocka_run_group_tests_name("sysstat", tests, NULL, NULL);
}
