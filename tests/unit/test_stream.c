/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Documents written in pieces equal those written at once, except for the widths of tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "render/render.h"
#include "sample.h"

enum { ROWS = 7 };

static char *const names[ROWS] = {
	(char[]){"mlx5_0"},	   (char[]){"a"}, (char[]){"b"},	(char[]){"c"},
	(char[]){"a_longer_name"}, (char[]){"d"}, (char[]){"\xc3\xbc"},
};

static void fill(struct sample *rows, const void **pointers)
{
	for (size_t i = 0; i < ROWS; i++) {
		rows[i] = (struct sample){.name = names[i], .count = {i * 99, true}};
		pointers[i] = &rows[i];
	}
}

/* Prints the rows in pieces of that size; 0: all at once, as one document. */
static char *print(const struct render_options *options, const char *list, size_t row_count,
		   size_t piece)
{
	struct problem problem = {.error = (char[]){"broken"}};
	const struct problems problems = {&problem, 1};
	struct sample rows[ROWS];
	const void *pointers[ROWS];
	_cleanup_(columns_free) struct columns columns;
	struct render_stream stream;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	char *bad = NULL;

	fill(rows, pointers);
	assert_int_equal(columns_select(&columns, &sample_schema, COLUMNS_DEFAULT, list, &bad), 0);
	render_stream_init(&stream, out, options, &columns);
	if (piece) {
		for (size_t i = 0; i < row_count; i += piece)
			assert_int_equal(render_stream_rows(&stream, pointers + i,
							    i + piece < row_count ? piece
										  : row_count - i),
					 0);
		assert_int_equal(render_stream_end(&stream, &problems), 0);
	} else {
		const struct document document = {.columns = &columns,
						  .rows = pointers,
						  .row_count = row_count,
						  .problems = &problems};

		assert_int_equal(render(out, options, &document), 0);
	}
	render_stream_free(&stream);
	fclose(out);
	return text;
}

static void same(void **state)
{
	static const enum format formats[] = {FORMAT_JSON, FORMAT_JSONL, FORMAT_TSV};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (size_t rows = 0; rows <= ROWS; rows++) {
			for (int headings = 0; headings < 2; headings++) {
				const struct render_options options = {.format = formats[i],
								       .headings = headings};
				_cleanup_(freep) char *whole = print(&options, NULL, rows, 0);
				_cleanup_(freep) char *two = print(&options, NULL, rows, 2);
				_cleanup_(freep) char *all = print(&options, NULL, rows, ROWS);

				assert_string_equal(two, whole);
				assert_string_equal(all, whole);
			}
		}
	}
}

static void tables(void **state)
{
	const struct render_options options = {.format = FORMAT_TABLE, .headings = true};
	const struct render_options bare = {.format = FORMAT_TABLE};
	_cleanup_(freep) char *text = print(&options, "name,count", ROWS, 3);
	_cleanup_(freep) char *plain = print(&bare, "name,count", 2, 1);
	_cleanup_(freep) char *nothing = print(&options, "name,count", 0, 3);

	(void)state;
	/* Columns get wider, never narrower; a multibyte character counts as one. */
	assert_string_equal(text, "NAME   COUNT\n"
				  "mlx5_0     0\n"
				  "a         99\n"
				  "b        198\n"
				  "c               297\n"
				  "a_longer_name   396\n"
				  "d               495\n"
				  "\xc3\xbc               594\n");
	assert_string_equal(plain, "mlx5_0 0\na      99\n");
	assert_string_equal(nothing, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
