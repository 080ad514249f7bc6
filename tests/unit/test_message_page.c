/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The manual has every message of the exchange protocol, field by field, as in the layouts: between
 * the page's two MESSAGES comments. UPDATE=1 rewrites that part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/wire/message.h"

#define PAGE   "man/rdmactl-selftest.1"
#define MARKER ".\\\" MESSAGES\n"

enum { MOST_COLUMNS = 78 };

/* Words of a paragraph, broken into lines. */
struct paragraph {
	FILE *stream;
	size_t column;
};

static void put(struct paragraph *paragraph, const char *text)
{
	size_t length = strlen(text);

	if (paragraph->column && paragraph->column + 1 + length > MOST_COLUMNS) {
		fputc('\n', paragraph->stream);
		paragraph->column = 0;
	}
	if (paragraph->column) {
		fputc(' ', paragraph->stream);
		paragraph->column++;
	}
	fputs(text, paragraph->stream);
	paragraph->column += length;
}

static char *describe(const struct wire_field *field)
{
	uint64_t all = field->size == 4 ? UINT32_MAX : UINT64_MAX;

	switch (field->kind) {
	case WIRE_NUMBER:
		if (!field->least && field->most >= all)
			return mem_format("%zu", field->size);
		return mem_format("%zu (%" PRIu64 "\\-%" PRIu64 ")", field->size, field->least,
				  field->most < all ? field->most : all);
	case WIRE_TEXT:
		return mem_format("%zu (text)", field->size);
	case WIRE_IP:
		return mem_format("%zu (address)", field->size);
	case WIRE_RECORD:
		return mem_format("(%s)", field->layout->name);
	case WIRE_ITEMS:
		return mem_format("(as many of %s as the field before says)", field->layout->name);
	default:
		return mem_format("%zu", field->size);
	}
}

static void put_layout(FILE *stream, const struct wire_layout *layout)
{
	struct paragraph paragraph = {.stream = stream};

	if (!layout->count)
		put(&paragraph, "Nothing.");
	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];
		_cleanup_(freep) char *what = describe(field);
		_cleanup_(freep) char *text = mem_format("%s %s%s", field->name, what,
							 i + 1 < layout->count ? "," : ".");
		char *rest = text;

		for (char *word; (word = strsep(&rest, " "));)
			put(&paragraph, word);
	}
	fputc('\n', stream);
}

/* Collects the layouts nested in others, each once. */
static size_t collect(const struct wire_layout *found[static 16])
{
	size_t count = 0;

	for (uint32_t type = 1; type < MESSAGE_TYPES; type++) {
		const struct wire_layout *layout = message_rows[type].layout;

		for (size_t i = 0; layout && i < layout->count; i++) {
			const struct wire_layout *inner = layout->fields[i].layout;
			size_t at = 0;

			while (at < count && found[at] != inner)
				at++;
			if (!inner || at < count)
				continue;
			assert_true(count < 16);
			found[count++] = inner;
		}
	}
	return count;
}

static char *make_block(void)
{
	const struct wire_layout *inner[16];
	size_t count = collect(inner), size;
	char *block = NULL;
	FILE *stream = open_memstream(&block, &size);

	assert_non_null(stream);
	fputs(".Bl -tag -width Ds\n", stream);
	for (size_t i = 0; i < count; i++) {
		fprintf(stream, ".It Em %s\n", inner[i]->name);
		put_layout(stream, inner[i]);
	}
	for (uint32_t type = 1; type < MESSAGE_TYPES; type++) {
		if (!message_rows[type].name)
			continue;
		fprintf(stream, ".It %u Cm %s\n", type, message_rows[type].name);
		put_layout(stream, message_rows[type].layout);
	}
	fputs(".El\n", stream);
	assert_int_equal(fclose(stream), 0);
	return block;
}

static char *read_page(void)
{
	_cleanup_(fclosep) FILE *file = fopen(PAGE, "re");
	char *page = mem_alloc_zero(1 << 20, 1);

	assert_non_null(file);
	assert_true(fread(page, 1, (1 << 20) - 1, file) > 0);
	return page;
}

static void page_has_messages(void **state)
{
	_cleanup_(freep) char *page = read_page(), *block = make_block(), *now = NULL;
	char *begin = strstr(page, MARKER), *end;

	(void)state;
	assert_non_null(begin);
	begin += strlen(MARKER);
	end = strstr(begin, MARKER);
	assert_non_null(end);
	now = mem_format("%.*s", (int)(end - begin), begin);
	/* tests/run exports an empty UPDATE if nothing is to be rewritten. */
	if (strcmp(now, block) && getenv("UPDATE") && *getenv("UPDATE")) {
		_cleanup_(fclosep) FILE *file = fopen(PAGE, "we");

		assert_non_null(file);
		fprintf(file, "%.*s%s%s", (int)(begin - page), page, block, end);
		return;
	}
	assert_string_equal(now, block);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_has_messages),
	};

	return cmocka_run_group_tests_name("message_page", tests, NULL, NULL);
}
