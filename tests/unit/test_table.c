/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of many rows, whose cells are not all kept between the two passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/render.h"
#include "sample.h"

enum { ROWS = 30000, NAME = 200 };

/* The widest cells come last: the first rows are out of line until all have been measured. */
static size_t name_length(size_t row, size_t row_count)
{
	return row + 2 < row_count ? 1 + row % 40 : NAME - 1 - row % 2;
}

static struct sample *make_rows(size_t row_count, const void **pointers)
{
	struct sample *rows = mem_alloc_zero(row_count, sizeof(*rows));

	for (size_t i = 0; i < row_count; i++) {
		size_t length = name_length(i, row_count);

		rows[i].name = mem_alloc_zero(NAME, 1);
		memset(rows[i].name, 'a' + (int)(i % 26), length);
		rows[i].count = number_of(i * i);
		rows[i].state = number_of(i % 3 ? 4 : 1);
		pointers[i] = &rows[i];
	}
	return rows;
}

static char *print(const void **pointers, size_t row_count, bool piece)
{
	const struct render_options options = {.format = FORMAT_TABLE};
	_cleanup_(columns_free) struct columns columns;
	struct document document = {.columns = &columns, .rows = pointers, .row_count = row_count};
	struct render_stream stream;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	char *bad = NULL;

	assert_int_equal(columns_select(&columns, &sample_schema, COLUMNS_DEFAULT,
					"name,count,state", &bad),
			 0);
	render_stream_init(&stream, out, &options, &columns);
	assert_int_equal(piece ? render_stream_rows(&stream, pointers, row_count)
			       : render(out, &options, &document),
			 0);
	render_stream_free(&stream);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *expect(const struct sample *rows, size_t row_count)
{
	char *text = mem_alloc_zero(row_count, NAME + 64), *end = text;
	int digits = snprintf(NULL, 0, "%zu", (row_count - 1) * (row_count - 1));

	for (size_t i = 0; i < row_count; i++)
		end += sprintf(end, "%-*s %*zu %s\n", NAME - 1, rows[i].name, digits, i * i,
			       i % 3 ? "active" : "down");
	return text;
}

static void check(size_t row_count)
{
	_cleanup_(freep) const void **pointers = mem_alloc_zero(row_count, sizeof(*pointers));
	struct sample *rows = make_rows(row_count, pointers);
	_cleanup_(freep) char *whole = print(pointers, row_count, false);
	_cleanup_(freep) char *piece = print(pointers, row_count, true);
	_cleanup_(freep) char *expected = expect(rows, row_count);

	assert_true(!strcmp(whole, expected));
	assert_true(!strcmp(piece, expected));
	for (size_t i = 0; i < row_count; i++)
		free(rows[i].name);
	free(rows);
}

static void few_rows(void **state)
{
	(void)state;
	check(2);
	check(50);
}

static void many_rows(void **state)
{
	(void)state;
	check(5000);
	check(ROWS);
}

/* Characters are counted, not bytes, in rows that are kept and in others. */
static void foreign_text_in_a_piece(void **state)
{
	_cleanup_(freep) const void **pointers = mem_alloc_zero(ROWS, sizeof(*pointers));
	_cleanup_(freep) struct sample *rows = mem_alloc_zero(ROWS, sizeof(*rows));
	_cleanup_(freep) char *text = NULL;
	size_t line = strlen("x\xc3\xbc  0 -\n");
	char name[] = "x\xc3\xbc";

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		rows[i].name = name;
		rows[i].count = number_of(i % 2 ? 10 : 0);
		pointers[i] = &rows[i];
	}
	text = print(pointers, ROWS, true);
	assert_int_equal(strlen(text), ROWS * line);
	for (size_t i = 0; i < ROWS; i++)
		assert_memory_equal(text + i * line,
				    i % 2 ? "x\xc3\xbc 10 -\n" : "x\xc3\xbc  0 -\n", line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rows),
		cmocka_unit_test(many_rows),
		cmocka_unit_test(foreign_text_in_a_piece),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
