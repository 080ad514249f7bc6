/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The field tables of all attributes: the first two bytes choose a table, the next 64 choose a
 * field and hold a text for it, as in `--set FIELD=VALUE`; the rest are the attribute's data. The
 * text that a field shows is accepted and gives the same bits; a refused text changes nothing, and
 * an accepted one changes no other field.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/attribute.h"
#include "render/format.h"
#include "schema/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICE_BYTES = 2, TEXT_BYTES = 64 };

static const struct mad_attribute *choose(uint8_t table, uint8_t number)
{
	static const struct mad_attribute *const tables[] = {sm_attributes, sa_attributes,
							     pm_attributes};
	const struct mad_attribute *attributes = tables[table % ARRAY_SIZE(tables)];
	size_t count = 0;

	while (attributes[count].schema)
		count++;
	return &attributes[number % count];
}

/*
 * Excluded are fields that show more than their bits, text that is shown cleaned, a code's number
 * with the word for unknown codes, and more four-byte words than 64 bits can count in bytes.
 */
static bool is_exact(const struct field *field, const struct mad_record *record, const char *text)
{
	if (field->factor > 1 && packed_number(field, record) > UINT64_MAX / field->factor)
		return false;
	return !field->get && field->kind != FIELD_STRING && strncmp(text, "unknown-", 8) && *text;
}

static void take_back(const struct field *field, const struct mad_record *record)
{
	struct mad_record copy = {.object = NULL};
	struct value value;
	struct text text;

	field_get(field, record, &value);
	if (value.kind == VALUE_NONE)
		return;
	format_value(&value, ",", &text);
	if (is_exact(field, record, text.string)) {
		if (packed_parse(field, &copy, text.string))
			abort();
		for (size_t bit = field->bit; bit < (size_t)field->bit + field->width; bit++)
			if (bits_get(copy.data, bit, 1) != bits_get(record->data, bit, 1))
				abort();
	}
	text_release(&text);
}

static void take_text(const struct field *field, const struct mad_record *record, const char *text)
{
	struct mad_record copy = *record;
	int rc = packed_parse(field, &copy, text);

	for (size_t bit = 0; bit < sizeof(copy.data) * 8; bit++)
		if ((rc || bit < field->bit || bit >= (size_t)field->bit + field->width) &&
		    bits_get(copy.data, bit, 1) != bits_get(record->data, bit, 1))
			abort();
	if (!rc)
		take_back(field, &copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mad_record record = {.index = number_of(70), .port = number_of(1)};
	const struct schema *schema;
	char text[TEXT_BYTES] = "";
	const struct field *field;
	size_t length;

	if (size < CHOICE_BYTES + TEXT_BYTES)
		return 0;
	schema = choose(data[0], data[1])->schema;
	memcpy(text, data + CHOICE_BYTES + 1, TEXT_BYTES - 1);
	text[TEXT_BYTES - 1] = '\0';
	length = size - CHOICE_BYTES - TEXT_BYTES;
	memcpy(record.data, data + CHOICE_BYTES + TEXT_BYTES,
	       length < sizeof(record.data) ? length : sizeof(record.data));
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].width)
			take_back(&schema->fields[i], &record);
	field = &schema->fields[data[CHOICE_BYTES] % schema->field_count];
	if (field->width)
		take_text(field, &record, text);
	return 0;
}
