/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static size_t position(const struct columns *columns, const struct field *field)
{
	size_t i = 0;

	while (i < columns->count && columns->fields[i] != field)
		i++;
	return i;
}

static void append(struct columns *columns, const struct field *field)
{
	if (position(columns, field) == columns->count)
		MEM_ADD(columns->fields, columns->count) = field;
}

static void drop(struct columns *columns, const struct field *field)
{
	size_t at = position(columns, field);

	if (at == columns->count)
		return;
	columns->count--;
	memmove(columns->fields + at, columns->fields + at + 1,
		(columns->count - at) * sizeof(*columns->fields));
}

/*
 * Appends the fields of the set. A table has the default ones or, with `all`, every field but lists
 * of records, which have no place there. Keys are shown only if they are named.
 */
static void append_set(struct columns *columns, enum column_set set, bool all)
{
	for_each_in (field, columns->schema->fields, columns->schema->field_count) {
		const bool in_table = all ? field->kind != FIELD_RECORDS
					  : field->flags & FIELD_DEFAULT;

		if (!(field->flags & FIELD_SECRET) && (set == COLUMNS_ALL || in_table))
			append(columns, field);
	}
}

struct columns columns_of(const struct schema *schema, enum column_set set)
{
	struct columns columns = {.schema = schema};

	append_set(&columns, set, false);
	return columns;
}

/* Applies one word of the list. Returns -EINVAL if it names no field. */
static int apply(struct columns *columns, enum column_set set, const char *word)
{
	bool remove = word[0] == '-';
	const char *key = remove || word[0] == '+' ? word + 1 : word;
	const struct field *field = schema_find(columns->schema, key);

	if (!remove && !strcmp(key, "all")) {
		append_set(columns, set, true);
		return 0;
	}
	if (!field)
		return -EINVAL;
	if (remove)
		drop(columns, field);
	else
		append(columns, field);
	return 0;
}

int columns_select(struct columns *columns, const struct schema *schema, enum column_set set,
		   const char *list, char **ret_bad)
{
	_cleanup_(freep) char *words = mem_string_or_null(list);
	char *rest = words, *word;
	const char *bad = NULL;

	*columns = !list || list[0] == '+' || list[0] == '-' ? columns_of(schema, set)
							     : (struct columns){.schema = schema};
	while (!bad && (word = strsep(&rest, ",")))
		if (apply(columns, set, word))
			bad = word;
	if (!bad && columns->count)
		return 0;
	*ret_bad = mem_string(bad ?: list ?: "");
	columns_free(columns);
	return -EINVAL;
}

struct columns columns_of_records(const struct field *field)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;

	columns_select(&columns, field->records, COLUMNS_ALL, field_records_columns(field), &bad);
	return columns;
}

uint64_t columns_needs(const struct columns *columns)
{
	uint64_t needs = 0;

	for (size_t i = 0; i < columns->count; i++) {
		const struct field *field = columns->fields[i];
		struct columns inner;

		needs |= field->needs;
		if (field->kind != FIELD_RECORDS)
			continue;
		inner = columns_of_records(field);
		needs |= columns_needs(&inner);
		columns_free(&inner);
	}
	return needs;
}

void columns_free(struct columns *columns)
{
	free(columns->fields);
	columns->fields = NULL;
	columns->count = 0;
}
