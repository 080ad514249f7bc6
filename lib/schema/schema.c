/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schema/packed.h"

enum { WORDS_MOST = 24 }; /* most words of a field in a hint */

static void set_list(struct value *value, const char *const *items, size_t count)
{
	value->kind = VALUE_LIST;
	value->list.items = items;
	value->list.count = count;
}

static void get_flags(const struct enum_name *names, uint64_t flags, struct value *value)
{
	size_t count = 0, most = ARRAY_SIZE(value->words) - 1;

	for (; names->word; names++) {
		if (!(flags & names->value))
			continue;
		flags &= ~names->value;
		if (count < most)
			value->words[count++] = names->word;
	}
	if (flags) {
		/* Bits that are newer than the table are shown as a number. */
		snprintf(value->scratch, sizeof(value->scratch), "0x%" PRIx64, flags);
		value->words[count++] = value->scratch;
	}
	set_list(value, value->words, count);
}

static void get_enum(const struct enum_name *names, uint64_t code, struct value *value)
{
	value_set_word(value, names, code);
	if (value->kind != VALUE_NONE)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "unknown-%" PRIu64, code);
	value_set_string(value, value->scratch);
}

/* The text that follows the NUL of this one: FIELD_TEXT(). */
static const char *text_after(const char *text)
{
	return text + strlen(text) + 1;
}

char *field_make_text(const char *key, const char *heading, const char *help)
{
	return mem_format("%s%c%s%c%s", key, '\0', heading, '\0', help);
}

const char *field_heading(const struct field *field)
{
	return text_after(field->key);
}

const char *field_help(const struct field *field)
{
	return text_after(field_heading(field));
}

const struct enum_name *field_names(const struct field *field)
{
	return field->kind == FIELD_RECORDS ? NULL : field->names;
}

const char *field_records_columns(const struct field *field)
{
	const char *columns = text_after(field_help(field));

	return *columns ? columns : NULL;
}

void field_get_number(const struct field *field, const struct number *number, struct value *value)
{
	if (!number->known)
		return;
	switch (field->kind) {
	case FIELD_SIGNED:
		value->kind = VALUE_SIGNED;
		value->integer = (int64_t)number->value;
		break;
	case FIELD_HEX:
		snprintf(value->scratch, sizeof(value->scratch), "0x%0*" PRIx64, (int)field->digits,
			 number->value);
		value_set_string(value, value->scratch);
		break;
	case FIELD_GUID:
		guid_format(number->value, value->scratch);
		value_set_string(value, value->scratch);
		break;
	case FIELD_ENUM:
		get_enum(field->names, number->value, value);
		break;
	case FIELD_FLAGS:
		get_flags(field->names, number->value, value);
		break;
	default:
		value_set_unsigned(value, number->value);
	}
}

void field_get_address(const struct field *field, const void *member, struct value *value)
{
	const struct known_gid *gid = member;
	const struct known_ip *ip = member;

	if (field->kind == FIELD_GID && gid->known) {
		gid_format(&gid->gid, value->scratch);
		value_set_string(value, value->scratch);
	} else if (field->kind == FIELD_IP && ip->known) {
		ip_format(&ip->address, value->scratch);
		value_set_string(value, value->scratch);
	}
}

void field_get(const struct field *field, const void *record, struct value *value)
{
	const void *member = (const char *)record + field->offset;
	const struct records *records = member;
	const struct strings *strings = member;
	const enum tristate *state = member;
	const struct real *real = member;

	value->kind = VALUE_NONE;
	value->tone = TONE_PLAIN;
	if (field->get) {
		field->get(record, value);
		return;
	}
	if (field->width) {
		packed_get(field, record, value);
		return;
	}
	switch (field->kind) {
	case FIELD_STRING:
		value_set_string(value, *(char *const *)member);
		break;
	case FIELD_REAL:
		if (real->known)
			value_set_real(value, real->value);
		break;
	case FIELD_BOOL:
		if (*state != TRISTATE_UNKNOWN)
			value_set_bool(value, *state == TRISTATE_YES);
		break;
	case FIELD_GID:
	case FIELD_IP:
		field_get_address(field, member, value);
		break;
	case FIELD_LIST:
		if (strings->known)
			set_list(value, (const char *const *)strings->items, strings->count);
		break;
	case FIELD_RECORDS:
		if (records->known)
			value_set_records(value, records->rows, records->count);
		break;
	default:
		field_get_number(field, member, value);
	}
}

char *field_text(const struct field *field, const void *record)
{
	struct value value;

	field_get(field, record, &value);
	switch (value.kind) {
	case VALUE_STRING:
		return mem_string(value.string);
	case VALUE_UNSIGNED:
		return mem_format("%" PRIu64, value.number);
	case VALUE_SIGNED:
		return mem_format("%" PRId64, value.integer);
	case VALUE_REAL:
		return mem_format("%.10g", value.real);
	case VALUE_BOOL:
		return mem_string(value.boolean ? "yes" : "no");
	case VALUE_LIST:
		return value_join(&value, ",");
	default:
		return NULL;
	}
}

char *field_text_or_dash(const struct field *field, const void *record)
{
	char *text = field_text(field, record);

	return text ? text : mem_string("-");
}

char *field_explain(const struct field *field)
{
	char *hint = mem_string(field_help(field));
	const struct enum_name *name = field_names(field);

	for (size_t i = 0; name && name->word && i < WORDS_MOST; i++, name++)
		mem_extend(&hint, "%s%s", i ? ", " : ": ", name->word);
	return hint;
}

void records_clear(const struct schema *schema, struct records *records)
{
	for (size_t i = 0; i < records->count; i++)
		record_clear(schema, (char *)records->rows + i * schema->record_size);
	free(records->rows);
	*records = (struct records){.rows = NULL};
}

void record_clear(const struct schema *schema, void *record)
{
	for_each_in (field, schema->fields, schema->field_count) {
		void *member = (char *)record + field->offset;

		if (field->get || field->width)
			continue;
		if (field->kind == FIELD_RECORDS)
			records_clear(field->records, member);
		if (field->kind == FIELD_LIST)
			strings_free(member);
		if (field->kind != FIELD_STRING)
			continue;
		free(*(char **)member);
		*(char **)member = NULL;
	}
}

const struct field *schema_find(const struct schema *schema, const char *key)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (!strcmp(schema->fields[i].key, key))
			return &schema->fields[i];
	return NULL;
}

const char *schema_view(const struct schema *schema, const char *when)
{
	for (const struct column_view *view = schema->views; view && view->when; view++)
		if (!strcmp(view->when, when))
			return view->columns;
	return NULL;
}
