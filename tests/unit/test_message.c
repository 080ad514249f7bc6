/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The exchange protocol's codec: what it transports, and that it rejects everything else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/mem.h"
#include "selftest/wire/message.h"

enum { MOST_LEAVES = 512 };
enum fill { FILL_LEAST, FILL_MOST, FILL_MIXED, FILLS };

/* A field without parts, and its place on the wire. */
struct leaf {
	const struct wire_field *field;
	size_t at; /* in the body */
};

struct leaves {
	struct leaf items[MOST_LEAVES];
	size_t count;
	size_t bytes;
};

/* Adds all fields of a body with the largest possible number of items. */
static void add_leaves(struct leaves *leaves, const struct wire_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];
		size_t parts = field->kind == WIRE_ITEMS ? field->most : 1;

		if (field->kind == WIRE_RECORD || field->kind == WIRE_ITEMS) {
			while (parts--)
				add_leaves(leaves, field->layout);
			continue;
		}
		assert_true(leaves->count < MOST_LEAVES);
		leaves->items[leaves->count++] = (struct leaf){field, leaves->bytes};
		leaves->bytes += field->size;
	}
}

static uint64_t greatest(const struct wire_field *field)
{
	uint64_t of_size = field->size == 4 ? UINT32_MAX : UINT64_MAX;

	return field->most < of_size ? field->most : of_size;
}

/* Returns numbers that do not repeat within a message. */
static uint64_t next_mixed(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return *state >> 11 ^ *state << 40;
}

static void fill_number(const struct wire_field *field, void *member, enum fill fill,
			uint64_t *state)
{
	uint64_t most = greatest(field), number = fill == FILL_LEAST ? field->least : most;
	uint32_t small;

	if (fill == FILL_MIXED && most - field->least < UINT64_MAX)
		number = field->least + next_mixed(state) % (most - field->least + 1);
	else if (fill == FILL_MIXED)
		number = next_mixed(state);
	small = (uint32_t)number;
	if (field->size == 4)
		memcpy(member, &small, 4);
	else
		memcpy(member, &number, 8);
}

static void fill_record(const struct wire_layout *layout, void *record, enum fill fill,
			uint64_t *state);

static void fill_field(const struct wire_field *field, void *record, enum fill fill,
		       uint64_t *state)
{
	static const uint8_t families[FILLS] = {0, AF_INET6, AF_INET};
	uint8_t *member = (uint8_t *)record + field->offset;
	uint32_t items;

	switch (field->kind) {
	case WIRE_NUMBER:
		fill_number(field, member, fill, state);
		break;
	case WIRE_TEXT:
		memset(member, fill == FILL_MOST ? 0xff : 'a',
		       fill == FILL_LEAST ? 0 : field->size - (fill == FILL_MOST ? 1 : 3));
		break;
	case WIRE_BYTES:
	case WIRE_IP:
		for (size_t i = 0; i < field->size; i++)
			member[i] = fill == FILL_LEAST ? 0 : (uint8_t)next_mixed(state);
		if (field->kind == WIRE_IP)
			member[0] = families[fill];
		break;
	case WIRE_RECORD:
		fill_record(field->layout, member, fill, state);
		break;
	case WIRE_ITEMS:
		memcpy(&items, (uint8_t *)record + field[-1].offset, sizeof(items));
		for (uint32_t i = 0; i < items; i++)
			fill_record(field->layout, member + i * field->layout->record_size, fill,
				    state);
		break;
	}
}

static void fill_record(const struct wire_layout *layout, void *record, enum fill fill,
			uint64_t *state)
{
	for (size_t i = 0; i < layout->count; i++)
		fill_field(&layout->fields[i], record, fill, state);
}

/* A message of this type; bits that belong to no field are clear. */
static struct message *make(uint32_t type, enum fill fill)
{
	struct message *message = mem_alloc_zero(1, sizeof(*message));
	uint64_t state = type * 100 + (uint64_t)fill;

	message->type = type;
	fill_record(message_rows[type].layout, &message->body, fill, &state);
	return message;
}

/* The body in memory of its exact size, so that the sanitizer sees every read past its end. */
static int decode(uint32_t type, const uint8_t *body, size_t length, struct message *message,
		  const char **ret_field)
{
	uint8_t *copy = malloc(length ? length : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, body, length);
	rc = message_decode_body(type, copy, length, message, ret_field);
	free(copy);
	return rc;
}

static void assert_refused(uint32_t type, const uint8_t *body, size_t length, int error,
			   const char *field)
{
	struct message message;
	const char *named = NULL;

	assert_int_equal(decode(type, body, length, &message, &named), error);
	assert_non_null(named);
	if (field)
		assert_string_equal(named, field);
}

static void one_round_trip(uint32_t type, enum fill fill)
{
	uint8_t bytes[MESSAGE_MOST_BYTES], again[MESSAGE_MOST_BYTES];
	struct message *sent = make(type, fill);
	struct message *got = mem_alloc_zero(1, sizeof(*got));
	size_t length = message_encode(sent, bytes);
	size_t body_bytes = 0;
	uint32_t got_type = 0;
	const char *field = NULL;

	memset(got, 0xee, sizeof(*got));
	assert_int_equal(message_decode_header(bytes, &got_type, &body_bytes), 0);
	assert_int_equal(got_type, type);
	assert_int_equal(body_bytes + MESSAGE_HEADER_BYTES, length);
	if (decode(type, bytes + MESSAGE_HEADER_BYTES, body_bytes, got, &field))
		fail_msg("%s: %s", message_name(type), field);
	assert_null(field);
	assert_memory_equal(got, sent, sizeof(*sent));
	assert_int_equal(message_encode(got, again), length);
	assert_memory_equal(again, bytes, length);
	free(sent);
	free(got);
}

/* The type numbers have gaps. */
static uint32_t next_type(uint32_t type)
{
	do
		type++;
	while (type < MESSAGE_TYPES && !message_rows[type].name);
	return type;
}

static void round_trips(void **state)
{
	(void)state;
	for (uint32_t type = MESSAGE_HELLO; type < MESSAGE_TYPES; type = next_type(type))
		for (enum fill fill = FILL_LEAST; fill < FILLS; fill++)
			one_round_trip(type, fill);
}

static void other_lengths(void **state)
{
	(void)state;
	for (uint32_t type = MESSAGE_HELLO; type < MESSAGE_TYPES; type = next_type(type)) {
		uint8_t bytes[MESSAGE_MOST_BYTES + 1] = {0};
		struct message *message = make(type, FILL_MOST);
		size_t length = message_encode(message, bytes) - MESSAGE_HEADER_BYTES;
		uint8_t *body = bytes + MESSAGE_HEADER_BYTES;

		for (size_t shorter = 0; shorter < length; shorter++)
			assert_refused(type, body, shorter, -EMSGSIZE, NULL);
		assert_refused(type, body, length + 1, -EMSGSIZE, "body");
		free(message);
	}
}

static void put(uint8_t *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(number >> 8 * (size - 1 - i));
}

/* Changing `size` bytes of the field to `number` makes the body invalid, and the field is named. */
static void refuse(uint32_t type, const struct leaves *leaves, const struct leaf *leaf,
		   const uint8_t *body, size_t at, uint64_t number, size_t size)
{
	uint8_t changed[MESSAGE_MOST_BYTES];

	memcpy(changed, body, leaves->bytes);
	put(changed + leaf->at + at, number, size);
	assert_refused(type, changed, leaves->bytes, -ERANGE, leaf->field->name);
}

static unsigned int refuse_leaf(uint32_t type, const struct leaves *leaves, const struct leaf *leaf,
				const uint8_t *body)
{
	const struct wire_field *field = leaf->field;
	uint64_t of_size = field->size == 4 ? UINT32_MAX : UINT64_MAX;

	if (field->kind == WIRE_NUMBER && field->least)
		refuse(type, leaves, leaf, body, 0, field->least - 1, field->size);
	if (field->kind == WIRE_NUMBER && greatest(field) < of_size) {
		refuse(type, leaves, leaf, body, 0, field->most + 1, field->size);
		refuse(type, leaves, leaf, body, 0, of_size, field->size);
		return 1;
	}
	if (field->kind == WIRE_IP) {
		refuse(type, leaves, leaf, body, 0, 1, 1);
		refuse(type, leaves, leaf, body, 0, 0xff, 1);
	}
	/* The longest text without a NUL, or with another byte after a NUL further ahead. */
	if (field->kind == WIRE_TEXT) {
		refuse(type, leaves, leaf, body, field->size - 1, 'x', 1);
		refuse(type, leaves, leaf, body, field->size - 3, 0, 1);
	}
	return 0;
}

static void out_of_range(void **state)
{
	unsigned int bounded = 0;

	(void)state;
	for (uint32_t type = MESSAGE_HELLO; type < MESSAGE_TYPES; type = next_type(type)) {
		uint8_t bytes[MESSAGE_MOST_BYTES];
		struct message *message = make(type, FILL_MOST);
		struct leaves leaves = {.count = 0};

		add_leaves(&leaves, message_rows[type].layout);
		assert_int_equal(message_encode(message, bytes),
				 MESSAGE_HEADER_BYTES + leaves.bytes);
		for (size_t i = 0; i < leaves.count; i++)
			bounded += refuse_leaf(type, &leaves, &leaves.items[i],
					       bytes + MESSAGE_HEADER_BYTES);
		free(message);
	}
	assert_true(bounded > 200);
}

static void hostile_counts(void **state)
{
	static const uint32_t types[] = {MESSAGE_WAITED, MESSAGE_COUNTED};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct wire_layout *layout = message_rows[types[i]].layout;
		const struct wire_field *items = &layout->fields[layout->count - 1];
		struct message *message = make(types[i], FILL_MOST);
		uint8_t bytes[MESSAGE_MOST_BYTES] = {0};
		uint8_t *body = bytes + MESSAGE_HEADER_BYTES;
		struct leaves item = {.count = 0};
		size_t at = 0, length = message_encode(message, bytes) - MESSAGE_HEADER_BYTES;

		assert_int_equal(items->kind, WIRE_ITEMS);
		add_leaves(&item, items->layout);
		for (size_t j = 0; j + 2 < layout->count; j++)
			at += layout->fields[j].size;
		put(body + at, 0, 4);
		assert_refused(types[i], body, length, -EMSGSIZE, "body");
		put(body + at, items->most - 1, 4);
		assert_refused(types[i], body, length, -EMSGSIZE, "body");
		put(body + at, items->most, 4);
		assert_refused(types[i], body, length - item.bytes, -EMSGSIZE, NULL);
		put(body + at, UINT32_MAX, 4);
		assert_refused(types[i], body, length, -ERANGE, "count");
		free(message);
	}
}

static void assert_header(const uint8_t *bytes, int error)
{
	uint32_t type = 12345;
	size_t body_bytes = 54321;

	assert_int_equal(message_decode_header(bytes, &type, &body_bytes), error);
	assert_int_equal(type, 12345);
	assert_int_equal(body_bytes, 54321);
}

static void header_of(uint8_t *bytes, uint32_t magic, uint32_t version, uint32_t type,
		      uint32_t length)
{
	put(bytes, magic, 4);
	put(bytes + 4, version, 4);
	put(bytes + 8, type, 4);
	put(bytes + 12, length, 4);
}

static void headers(void **state)
{
	static const uint32_t no_types[] = {0, MESSAGE_TYPES, 0x100, UINT32_MAX};
	uint8_t bytes[MESSAGE_HEADER_BYTES];

	(void)state;
	header_of(bytes, MESSAGE_MAGIC + 1, MESSAGE_VERSION, MESSAGE_DONE, 0);
	assert_header(bytes, -EPROTO);
	header_of(bytes, 0, 0, 0, 0);
	assert_header(bytes, -EPROTO);
	header_of(bytes, MESSAGE_MAGIC, MESSAGE_VERSION + 1, MESSAGE_DONE, 0);
	assert_header(bytes, -EPROTONOSUPPORT);
	header_of(bytes, MESSAGE_MAGIC, 0, MESSAGE_TYPES, UINT32_MAX);
	assert_header(bytes, -EPROTONOSUPPORT);
	for (size_t i = 0; i < ARRAY_SIZE(no_types); i++) {
		header_of(bytes, MESSAGE_MAGIC, MESSAGE_VERSION, no_types[i], 0);
		assert_header(bytes, -EPROTO);
	}
}

static void header_lengths(void **state)
{
	(void)state;
	for (uint32_t type = MESSAGE_HELLO; type < MESSAGE_TYPES; type = next_type(type)) {
		struct message *least = make(type, FILL_LEAST), *most = make(type, FILL_MOST);
		uint8_t bytes[MESSAGE_MOST_BYTES];
		uint32_t shortest = (uint32_t)message_encode(least, bytes) - MESSAGE_HEADER_BYTES;
		uint32_t longest = (uint32_t)message_encode(most, bytes) - MESSAGE_HEADER_BYTES;

		if (shortest) {
			put(bytes + 12, shortest - 1, 4);
			assert_header(bytes, -EMSGSIZE);
		}
		put(bytes + 12, longest + 1, 4);
		assert_header(bytes, -EMSGSIZE);
		put(bytes + 12, UINT32_MAX, 4);
		assert_header(bytes, -EMSGSIZE);
		free(least);
		free(most);
	}
}

/* The bytes that a peer of any other version must be able to read. */
static void lasting_layouts(void **state)
{
	struct message hello = {.type = MESSAGE_HELLO,
				.hello = {.lowest = 2, .highest = 0x01020304, .release = "9.8"}};
	struct message refused = {.type = MESSAGE_REFUSED,
				  .refused = {REFUSAL_VERSION, .lowest = 1, .highest = 7,
					      .limit_bytes = UINT64_MAX, .text = "no"}};
	static const char start[] = "RDMT\0\0\0\1\0\0\0\1\0\0\0\50\0\0\0\2\1\2\3\4"
				    "9.8";
	static const char tail[] = "\0\0\0\1\0\0\0\7\0\0\0\0\0\0\0\0"
				   "\377\377\377\377\377\377\377\377no";
	uint8_t bytes[MESSAGE_MOST_BYTES];
	uint32_t type;
	size_t length;

	(void)state;
	assert_int_equal(message_encode(&hello, bytes), MESSAGE_HEADER_BYTES + 40);
	assert_memory_equal(bytes, start, sizeof(start));
	put(bytes + 4, 99, 4);
	assert_int_equal(message_decode_header(bytes, &type, &length), 0);

	assert_int_equal(message_encode(&refused, bytes), MESSAGE_HEADER_BYTES + 244);
	assert_int_equal(bytes[MESSAGE_HEADER_BYTES + 3], REFUSAL_VERSION);
	assert_memory_equal(bytes + MESSAGE_HEADER_BYTES + 20, tail, sizeof(tail));
	put(bytes + 4, 0, 4);
	assert_int_equal(message_decode_header(bytes, &type, &length), 0);
}

/* A text without a terminator is cut, not read past its end. */
static void endless_text(void **state)
{
	struct message *sent = make(MESSAGE_HELLO, FILL_MOST), got;
	uint8_t bytes[MESSAGE_MOST_BYTES];
	const char *field = NULL;
	size_t length;

	(void)state;
	memset(sent->hello.release, 'r', sizeof(sent->hello.release));
	length = message_encode(sent, bytes);
	assert_int_equal(decode(MESSAGE_HELLO, bytes + MESSAGE_HEADER_BYTES,
				length - MESSAGE_HEADER_BYTES, &got, &field),
			 0);
	assert_int_equal(strlen(got.hello.release), sizeof(got.hello.release) - 1);
	free(sent);
}

static void no_type(void **state)
{
	struct message message = {.type = MESSAGE_TYPES};
	uint8_t bytes[MESSAGE_MOST_BYTES] = {0};
	const char *field = NULL;

	(void)state;
	assert_int_equal(decode(0, bytes, 0, &message, &field), -EPROTO);
	assert_int_equal(decode(MESSAGE_TYPES, bytes, 0, &message, &field), -EPROTO);
	assert_int_equal(decode(UINT32_MAX, bytes, 8, &message, &field), -EPROTO);
	message.type = MESSAGE_TYPES;
	assert_int_equal(message_encode(&message, bytes), MESSAGE_HEADER_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),	   cmocka_unit_test(other_lengths),
		cmocka_unit_test(out_of_range),	   cmocka_unit_test(hostile_counts),
		cmocka_unit_test(headers),	   cmocka_unit_test(header_lengths),
		cmocka_unit_test(lasting_layouts), cmocka_unit_test(endless_text),
		cmocka_unit_test(no_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
