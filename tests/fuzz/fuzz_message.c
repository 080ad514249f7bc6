/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exchange protocol: the input is both a message as it comes from a socket, and a type (its
 * first byte) with a body. An accepted message has every number in range and every text terminated,
 * and is encoded to the same bytes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "selftest/wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_record(const struct wire_layout *layout, const void *record);

static void check_field(const struct wire_field *field, const void *record)
{
	const uint8_t *member = (const uint8_t *)record + field->offset;
	uint64_t number = 0;
	uint32_t small = 0;

	memcpy(&small, member, field->size < sizeof(small) ? field->size : sizeof(small));
	if (field->size == sizeof(number))
		memcpy(&number, member, sizeof(number));
	else
		number = small;
	if (field->kind == WIRE_NUMBER && (number < field->least || number > field->most))
		abort();
	if (field->kind == WIRE_TEXT && !memchr(member, '\0', field->size))
		abort();
	if (field->kind == WIRE_RECORD)
		check_record(field->layout, member);
	if (field->kind == WIRE_ITEMS) {
		memcpy(&small, (const uint8_t *)record + field[-1].offset, sizeof(small));
		if (small > field->most)
			abort();
		while (small--)
			check_record(field->layout, member + small * field->layout->record_size);
	}
}

static void check_record(const struct wire_layout *layout, const void *record)
{
	for (size_t i = 0; i < layout->count; i++)
		check_field(&layout->fields[i], record);
}

static void try_body(uint32_t type, const uint8_t *body, size_t length)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	uint8_t *copy = malloc(length ? length : 1);
	struct message message;
	uint8_t bytes[MESSAGE_MOST_BYTES];
	const char *field = NULL;
	int rc;

	if (!copy)
		abort();
	memcpy(copy, body, length);
	rc = message_decode_body(type, copy, length, &message, &field);
	free(copy);
	if (rc) {
		if (rc != -EPROTO && (!field || (rc != -EMSGSIZE && rc != -ERANGE)))
			abort();
		return;
	}
	check_record(message_rows[type].layout, &message.body);
	if (message.type != type ||
	    message_encode(&message, bytes) != MESSAGE_HEADER_BYTES + length ||
	    memcmp(bytes + MESSAGE_HEADER_BYTES, body, length))
		abort();
}

static void try_message(const uint8_t *data, size_t size)
{
	uint32_t type;
	size_t length;

	if (size < MESSAGE_HEADER_BYTES || message_decode_header(data, &type, &length))
		return;
	if (!message_rows[type].name || length > MESSAGE_MOST_BYTES - MESSAGE_HEADER_BYTES)
		abort();
	size -= MESSAGE_HEADER_BYTES;
	try_body(type, data + MESSAGE_HEADER_BYTES, size < length ? size : length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];

	try_message(size ? data : nothing, size);
	if (size)
		try_body(data[0], data + 1, size - 1);
	return 0;
}
