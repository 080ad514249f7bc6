/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static const char nothing[] = "-";
static const char unknown_code[] = "unknown-";

/* Fields of rdma have - where those of rdmactl have _. */
static bool is_same_word(const char *word, const char *key)
{
	while (*word && (*word == *key || (*word == '-' && *key == '_')))
		word++, key++;
	return !*word && !*key;
}

static const struct field *find_field(const struct schema *schema,
				      const struct where_alias *aliases, const char *word)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].kind != FIELD_RECORDS &&
		    is_same_word(word, schema->fields[i].key))
			return &schema->fields[i];
	for (; aliases && aliases->word; aliases++)
		if (is_same_word(word, aliases->word) && schema_find(schema, aliases->key))
			return schema_find(schema, aliases->key);
	return NULL;
}

/* Returns the field that the word probably means, or all that a filter can name. */
static char *hint_field(const struct schema *schema, const char *word)
{
	_cleanup_(freep) const char **keys = mem_alloc_zero(schema->field_count, sizeof(*keys));
	_cleanup_(freep) char *list = NULL;
	size_t count = 0;

	for (size_t i = 0; i < schema->field_count; i++) {
		if (schema->fields[i].kind == FIELD_RECORDS)
			continue;
		keys[count++] = schema->fields[i].key;
		mem_extend(&list, "%s%s", list ? ", " : "the fields are ", schema->fields[i].key);
	}
	return text_suggest(word, keys, count, list);
}

/* Takes the field from a piece, which must have a value for it. */
static int take_field(const struct schema *schema, const struct where_alias *aliases,
		      const char *piece, const struct field **ret_field, char **ret_message,
		      char **ret_hint)
{
	const size_t length = strcspn(piece, "=!<>~");
	const char *sign = piece + length;
	_cleanup_(freep) char *word = mem_format("%.*s", (int)length, piece);
	_cleanup_(freep) char *clean = text_clean(piece, strlen(piece));
	const struct field *field = find_field(schema, aliases, word);

	if (sign[0] && (sign[0] != '=' || sign[1] == '=')) {
		*ret_message = mem_format("'%s' is not FIELD=VALUE", clean);
		*ret_hint = mem_string("only = compares, with a value, or with a range: 20-25");
	} else if (!length) {
		*ret_message = mem_format("'%s' has no field before the =", clean);
		*ret_hint = hint_field(schema, word);
	} else if (!sign[0]) {
		*ret_message = mem_format("'%s' is not FIELD=VALUE", clean);
		*ret_hint = field ? field_explain(field) : hint_field(schema, word);
	} else if (!field) {
		*ret_message = mem_format("unknown field '%.*s'", (int)strcspn(clean, "="), clean);
		*ret_hint = hint_field(schema, word);
	} else if (!sign[1]) {
		*ret_message = mem_format("'%s' has no value after the =", clean);
		*ret_hint = field_explain(field);
	} else {
		*ret_field = field;
		return 0;
	}
	return -EINVAL;
}

static void explain_value(const struct field *field, const char *text, char **ret_message,
			  char **ret_hint)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));

	*ret_message = mem_format("'%s' is not a value of %s", clean, field->key);
	*ret_hint = field_explain(field);
	if (!field_names(field) && strchr(text, '-'))
		mem_extend(ret_hint, "; a range is two numbers, the smaller one first: 20-25");
}

/* Decimal, or hexadecimal after 0x: zeros before a number do not make it octal. */
static bool parse_number(const char *text, uint64_t *ret_number)
{
	const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return !text_parse_u64(text, hexadecimal ? 16 : 10, UINT64_MAX, ret_number);
}

/* Parses a number, or two with - between them. */
static bool parse_range(const char *text, struct where_value *value)
{
	const char *dash = strchr(text, '-');
	_cleanup_(freep) char *first = dash ? mem_format("%.*s", (int)(dash - text), text)
					    : mem_string(text);

	if (!parse_number(first, &value->first.value))
		return false;
	value->last = value->first;
	if (dash && !parse_number(dash + 1, &value->last.value))
		return false;
	value->first.known = value->last.known = true;
	return value->first.value <= value->last.value;
}

static bool parse_code(const struct field *field, const char *text, struct where_value *value)
{
	const struct enum_name *name = enum_find_word(field->names, text);
	const size_t skipped = strncmp(text, unknown_code, sizeof(unknown_code) - 1)
				       ? 0
				       : sizeof(unknown_code) - 1;
	uint64_t code;

	if (name)
		code = name->value;
	else if (text_parse_u64(text + skipped, 10, UINT32_MAX, &code))
		return false;
	value->first = value->last = number_of(code);
	return true;
}

static bool parse_value(struct where_value *value)
{
	const struct field *field = value->field;
	const char *text = value->text;

	if (!strcmp(text, nothing))
		return true;
	switch (field->kind) {
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
	case FIELD_HEX:
	case FIELD_FLAGS:
		return parse_range(text, value);
	case FIELD_ENUM:
		return parse_code(field, text, value);
	case FIELD_BOOL:
		return !strcmp(text, "yes") || !strcmp(text, "no");
	case FIELD_IP:
	case FIELD_GID:
		return !ip_parse(text, &value->address);
	case FIELD_LIST:
		/* Items may be any text, but two numbers are a range. */
		return parse_range(text, value) || (*text && !value->first.known);
	default:
		return *text;
	}
}

static int parse_piece(struct where *where, const struct schema *schema,
		       const struct where_alias *aliases, const char *piece, char **ret_message,
		       char **ret_hint)
{
	const char *equals = strchr(piece, '='), *text = equals ? equals + 1 : piece;
	const struct field *field = where->count ? where->values[where->count - 1].field : NULL;
	struct where_value *value;

	if ((equals || !field) && take_field(schema, aliases, piece, &field, ret_message, ret_hint))
		return -EINVAL;
	value = mem_append(&where->values, &where->count, sizeof(*where->values));
	*value = (struct where_value){
		.field = field, .first_of_field = equals, .text = mem_string(text)};
	if (parse_value(value))
		return 0;
	explain_value(field, text, ret_message, ret_hint);
	return -EINVAL;
}

int where_parse(struct where *where, const struct schema *schema, const struct where_alias *aliases,
		const char *text, char **ret_message, char **ret_hint)
{
	_cleanup_(freep) char *copy = mem_string_or_null(text);
	char *rest = copy, *piece;
	int rc = 0;

	*where = (struct where){0};
	while (!rc && (piece = strsep(&rest, ","))) {
		if (*piece) {
			rc = parse_piece(where, schema, aliases, piece, ret_message, ret_hint);
			continue;
		}
		*ret_message = mem_string(*text ? "a comma has nothing before it or after it"
						: "the filter is empty");
		*ret_hint = mem_string("FIELD=VALUE, or several with commas between");
		rc = -EINVAL;
	}
	if (rc)
		where_clear(where);
	return rc;
}

static bool has_number(const struct where_value *value, const struct number *number)
{
	return number->known && value->first.known && number->value >= value->first.value &&
	       number->value <= value->last.value;
}

static bool has_address(const struct where_value *value, const void *member)
{
	const struct known_gid *gid = member;
	const struct known_ip *ip = member;
	struct gid wanted;

	if (value->field->kind == FIELD_IP)
		return ip->known && ip_equal(&ip->address, &value->address);
	wanted = ip_to_gid(&value->address);
	return gid->known && !memcmp(gid->gid.raw, wanted.raw, sizeof(wanted.raw));
}

/* Whether an item is the text, or a number or range (20-25) that overlaps that of the value. */
static bool is_item(const struct where_value *value, const char *item)
{
	struct where_value range = {.field = value->field};

	if (!strcmp(item, value->text))
		return true;
	return value->first.known && parse_range(item, &range) &&
	       range.first.value <= value->last.value && range.last.value >= value->first.value;
}

/* Names of parts of the kernel are in brackets, which may be omitted. */
static bool is_text(const struct where_value *value, const char *text)
{
	const size_t length = strlen(value->text);

	return !strcmp(text, value->text) ||
	       (text[0] == '[' && !strncmp(text + 1, value->text, length) &&
		!strcmp(text + 1 + length, "]"));
}

static bool has_shown(const struct where_value *value, const struct value *shown)
{
	switch (shown->kind) {
	case VALUE_STRING:
		return is_text(value, shown->string);
	case VALUE_UNSIGNED:
		return has_number(value, &(struct number){shown->number, true});
	case VALUE_BOOL:
		return !strcmp(value->text, shown->boolean ? "yes" : "no");
	case VALUE_LIST:
		for (size_t i = 0; i < shown->list.count; i++)
			if (is_item(value, shown->list.items[i]))
				return true;
		return false;
	default:
		return false;
	}
}

/* Whether a table shows it as -: an unknown value, or an empty text or list. */
static bool is_nothing(const struct value *shown)
{
	switch (shown->kind) {
	case VALUE_NONE:
		return true;
	case VALUE_STRING:
		return !*shown->string;
	case VALUE_LIST:
		return !shown->list.count;
	default:
		return false;
	}
}

static bool has(const struct where_value *value, const void *record)
{
	const struct field *field = value->field;
	const void *member = (const char *)record + field->offset;
	struct value shown;

	if (!strcmp(value->text, nothing)) {
		field_get(field, record, &shown);
		return is_nothing(&shown);
	}
	switch (field->get || field->width ? FIELD_STRING : field->kind) {
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
	case FIELD_HEX:
	case FIELD_ENUM:
	case FIELD_FLAGS:
		return has_number(value, member);
	case FIELD_IP:
	case FIELD_GID:
		return has_address(value, member);
	default:
		field_get(field, record, &shown);
		return has_shown(value, &shown);
	}
}

bool where_passes(const struct where *where, const void *record)
{
	size_t i = 0;

	while (i < where->count) {
		bool passes = false;

		do
			passes |= has(&where->values[i++], record);
		while (i < where->count && !where->values[i].first_of_field);
		if (!passes)
			return false;
	}
	return true;
}

uint64_t where_needs(const struct where *where)
{
	uint64_t needs = 0;

	for (size_t i = 0; i < where->count; i++)
		needs |= where->values[i].field->needs;
	return needs;
}

void where_clear(struct where *where)
{
	for (size_t i = 0; i < where->count; i++)
		free(where->values[i].text);
	free(where->values);
	*where = (struct where){0};
}
