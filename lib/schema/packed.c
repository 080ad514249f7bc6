/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/bits.h"

static const unsigned char *bytes_of(const struct field *field, const void *record)
{
	return (const unsigned char *)record + field->offset;
}

uint64_t packed_number(const struct field *field, const void *record)
{
	return bits_get(bytes_of(field, record), field->bit, field->width);
}

static uint64_t factor_of(const struct field *field)
{
	return field->factor ? field->factor : 1;
}

/* Gets the number that a code means. */
static void get_code(const struct field *field, uint64_t code, struct value *value)
{
	const struct enum_name *name = enum_find(field->names, code);

	if (!name)
		return;
	value->tone = name->tone;
	if (field->kind == FIELD_REAL)
		value_set_real(value, strtod(name->word, NULL));
	else
		value_set_unsigned(value, strtoull(name->word, NULL, 10));
}

void packed_get(const struct field *field, const void *record, struct value *value)
{
	const unsigned char *bytes = bytes_of(field, record) + field->bit / 8;
	struct number number;
	struct gid gid;

	if (field->present && !field->present(record))
		return;
	switch (field->kind) {
	case FIELD_STRING:
		text_clean_into(value->scratch, sizeof(value->scratch), (const char *)bytes,
				field->width / 8);
		value_set_string(value, value->scratch);
		return;
	case FIELD_GID:
		memcpy(gid.raw, bytes, sizeof(gid.raw));
		field_get_address(field, &(struct known_gid){gid, true}, value);
		return;
	case FIELD_IP:
		memcpy(gid.raw, bytes, sizeof(gid.raw));
		field_get_address(field, &(struct known_ip){gid_to_ip(&gid), true}, value);
		return;
	default:
		number = number_of(packed_number(field, record));
	}
	if (field->kind == FIELD_BOOL) {
		value_set_bool(value, number.value);
	} else if (field->names && (field->kind == FIELD_UNSIGNED || field->kind == FIELD_REAL)) {
		get_code(field, number.value, value);
	} else {
		/* A saturated counter: the value is at least this. */
		if (__builtin_mul_overflow(number.value, factor_of(field), &number.value))
			number.value = UINT64_MAX;
		field_get_number(field, &number, value);
	}
}

static uint64_t most_of(const struct field *field)
{
	return field->width >= 64 ? UINT64_MAX : (1ull << field->width) - 1;
}

static int parse_flags(const struct field *field, const char *text, uint64_t *ret_number)
{
	uint64_t flags = 0, number;

	/* An empty list is shown as an empty text. */
	for_each_word (word, *text ? text : NULL, ",") {
		const struct enum_name *name = enum_find_word(field->names, word);

		if (name)
			flags |= name->value;
		else if (!text_parse_u64(word, 0, UINT64_MAX, &number))
			flags |= number;
		else
			return -EINVAL;
	}
	*ret_number = flags;
	return 0;
}

static int parse_bool(const struct field *field, const char *text, uint64_t *ret_number)
{
	bool yes = !strcmp(text, "yes") || !strcmp(text, "true") || !strcmp(text, "1");

	if (!yes && strcmp(text, "no") && strcmp(text, "false") && strcmp(text, "0"))
		return -EINVAL;
	*ret_number = yes ? most_of(field) : 0;
	return 0;
}

/* Finds the code for a number, given exactly or as rounded in a table of output. */
static int parse_code(const struct field *field, const char *text, uint64_t *ret_number)
{
	char *end;
	double wanted = strtod(text, &end);

	if (end == text || *end)
		return -EINVAL;
	for (const struct enum_name *name = field->names; name->word; name++) {
		double number = strtod(name->word, NULL), apart = number - wanted;

		/* "nan" fails the comparison, too. */
		if ((apart < 0 ? -apart : apart) <= number * 1e-5) {
			*ret_number = name->value;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_number(const struct field *field, const char *text, uint64_t *ret_number)
{
	const struct enum_name *name = field->names ? enum_find_word(field->names, text) : NULL;
	int rc;

	if (field->kind == FIELD_BOOL)
		return parse_bool(field, text, ret_number);
	if (field->kind == FIELD_GUID)
		return guid_parse(text, ret_number);
	if (field->kind == FIELD_FLAGS)
		return parse_flags(field, text, ret_number);
	if (name) {
		*ret_number = name->value;
		return 0;
	}
	if (field->names && field->kind != FIELD_ENUM)
		return parse_code(field, text, ret_number);
	/* The form in which a code without a word is shown. */
	if (field->names && !strncmp(text, "unknown-", 8))
		text += 8;
	rc = text_parse_u64(text, 0, UINT64_MAX, ret_number);
	if (rc)
		return rc;
	if (*ret_number % factor_of(field))
		return -EINVAL;
	*ret_number /= factor_of(field);
	return 0;
}

static int parse_bytes(const struct field *field, unsigned char *bytes, const char *text)
{
	unsigned char *at = bytes + field->bit / 8;
	size_t size = field->width / 8;
	struct ip_address ip;
	struct gid gid;

	if (field->kind == FIELD_STRING) {
		if (strlen(text) > size)
			return -ERANGE;
		memset(at, 0, size);
		memcpy(at, text, strlen(text));
		return 0;
	}
	if (field->kind == FIELD_IP && !ip_parse(text, &ip))
		gid = ip_to_gid(&ip);
	else if (gid_parse(text, &gid))
		return -EINVAL;
	memcpy(at, gid.raw, sizeof(gid.raw));
	return 0;
}

int packed_parse(const struct field *field, void *record, const char *text)
{
	unsigned char *bytes = (unsigned char *)record + field->offset;
	uint64_t number;
	int rc;

	if (field->kind == FIELD_STRING || field->kind == FIELD_GID || field->kind == FIELD_IP)
		return parse_bytes(field, bytes, text);
	rc = parse_number(field, text, &number);
	if (rc)
		return rc;
	if (number > most_of(field))
		return -ERANGE;
	bits_set(bytes, field->bit, field->width, number);
	return 0;
}
