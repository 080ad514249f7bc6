/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of the exchange protocol: they cover every record completely, and fit in a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selftest/wire/message.h"

struct aligned {
	char byte;
	uint64_t number; /* at 4 on i386 */
};

static size_t alignment_of(const struct wire_field *field)
{
	size_t most = 1;

	if (field->kind == WIRE_NUMBER)
		return field->size == 8 ? offsetof(struct aligned, number) : field->size;
	for (size_t i = 0; field->layout && i < field->layout->count; i++) {
		size_t alignment = alignment_of(&field->layout->fields[i]);

		most = alignment > most ? alignment : most;
	}
	return most;
}

static size_t round_up(size_t number, size_t to)
{
	return (number + to - 1) / to * to;
}

static void check_field(const struct wire_field *field)
{
	assert_non_null(field->name);
	if (field->kind == WIRE_NUMBER) {
		assert_true(field->size == 4 || field->size == 8);
		assert_true(field->least <= field->most &&
			    field->least <= (field->size == 4 ? UINT32_MAX : UINT64_MAX));
	} else if (field->kind == WIRE_IP) {
		assert_int_equal(field->size, sizeof(struct ip_address));
	} else if (field->kind == WIRE_RECORD) {
		assert_int_equal(field->size, field->layout->record_size);
	} else if (field->kind == WIRE_ITEMS) {
		assert_int_equal(field->size, field->most * field->layout->record_size);
		assert_int_equal(field[-1].kind, WIRE_NUMBER);
		assert_string_equal(field[-1].name, "count");
		assert_int_equal(field[-1].most, field->most);
	}
}

/* Every member of the record is on the wire once; between two members is only padding. */
static void check_layout(const struct wire_layout *layout)
{
	size_t end = 0, widest = 1;

	for (size_t done = 0; done < layout->count; done++) {
		const struct wire_field *next = NULL;

		for (size_t i = 0; i < layout->count; i++) {
			const struct wire_field *field = &layout->fields[i];

			if (field->offset >= end && (!next || field->offset < next->offset))
				next = field;
		}
		if (!next)
			fail_msg("%s: a field overlaps another", layout->name);
		check_field(next);
		if (next->layout)
			check_layout(next->layout);
		if (next->offset != round_up(end, alignment_of(next)))
			fail_msg("%s: a member before %s is not on the wire", layout->name,
				 next->name);
		end = next->offset + next->size;
		widest = alignment_of(next) > widest ? alignment_of(next) : widest;
	}
	if (layout->count)
		assert_int_equal(round_up(end, widest), layout->record_size);
}

/* A body with as many items as possible. */
static size_t most_bytes(const struct wire_layout *layout)
{
	size_t bytes = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];

		if (field->layout)
			bytes += most_bytes(field->layout) *
				 (field->kind == WIRE_ITEMS ? (size_t)field->most : 1);
		else
			bytes += field->size;
	}
	return bytes;
}

static void layouts(void **state)
{
	(void)state;
	for (uint32_t type = MESSAGE_HELLO; type < MESSAGE_TYPES; type++) {
		if (!message_rows[type].name) {
			assert_string_equal(message_name(type), "unknown");
			continue;
		}
		assert_string_equal(message_name(type), message_rows[type].name);
		check_layout(message_rows[type].layout);
		assert_true(message_rows[type].layout->record_size <= sizeof(struct message));
		assert_in_range(most_bytes(message_rows[type].layout), 0,
				MESSAGE_MOST_BYTES - MESSAGE_HEADER_BYTES);
	}
	assert_string_equal(message_name(0), "unknown");
	assert_string_equal(message_name(MESSAGE_TYPES), "unknown");
	assert_string_equal(message_name(UINT32_MAX), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(layouts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
