/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void number_set(struct number *number, uint64_t value)
{
	number->value = value;
	number->known = true;
}

void strings_add(struct strings *strings, const char *item)
{
	MEM_ADD(strings->items, strings->count) = mem_string(item);
	strings->known = true;
}

void strings_add_list(struct strings *strings, const char *list)
{
	while (list && *list) {
		const size_t length = strcspn(list, ",");
		_cleanup_(freep) char *item = mem_format("%.*s", (int)length, list);

		if (length)
			strings_add(strings, item);
		list += length + (list[length] == ',');
	}
}

bool strings_contain(const struct strings *strings, const char *item)
{
	for (size_t i = 0; i < strings->count; i++)
		if (!strcmp(strings->items[i], item))
			return true;
	return false;
}

static char *join(const char *const *items, size_t count, const char *separator)
{
	size_t length = 1;
	char *text, *end;

	for (size_t i = 0; i < count; i++)
		length += strlen(items[i]) + strlen(separator);
	text = mem_alloc_zero(length, 1);
	end = text;
	for (size_t i = 0; i < count; i++) {
		if (i)
			end = stpcpy(end, separator);
		end = stpcpy(end, items[i]);
	}
	return text;
}

char *strings_join(const struct strings *strings, const char *separator)
{
	return join((const char *const *)strings->items, strings->count, separator);
}

void strings_free(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	*strings = (struct strings){0};
}

const struct enum_name *enum_find(const struct enum_name *names, uint64_t value)
{
	for (; names->word; names++)
		if (names->value == value)
			return names;
	return NULL;
}

const struct enum_name *enum_find_word(const struct enum_name *names, const char *word)
{
	for (; names->word; names++)
		if (!strcmp(names->word, word))
			return names;
	return NULL;
}

const char *enum_word(const struct enum_name *names, uint64_t value, const char *fallback)
{
	const struct enum_name *name = enum_find(names, value);

	return name ? name->word : fallback;
}

void value_set_string(struct value *value, const char *string)
{
	value->kind = string ? VALUE_STRING : VALUE_NONE;
	value->string = string;
}

void value_set_word(struct value *value, const struct enum_name *names, uint64_t code)
{
	const struct enum_name *name = enum_find(names, code);

	if (!name)
		return;
	value_set_string(value, name->word);
	value->tone = name->tone;
}

void value_set_unsigned(struct value *value, uint64_t number)
{
	value->kind = VALUE_UNSIGNED;
	value->number = number;
}

void value_set_real(struct value *value, double real)
{
	value->kind = VALUE_REAL;
	value->real = real;
}

void value_set_bool(struct value *value, bool boolean)
{
	value->kind = VALUE_BOOL;
	value->boolean = boolean;
}

char *value_join(const struct value *list, const char *separator)
{
	return join(list->list.items, list->list.count, separator);
}

void value_set_records(struct value *value, const void *rows, size_t count)
{
	value->kind = VALUE_RECORDS;
	value->records.rows = rows;
	value->records.count = count;
}
