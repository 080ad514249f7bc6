/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/layout.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "host/endpoint/endpoint.h"
#include "selftest/wire/layout_rows.h"

FIELDS(endpoint)
TEXT(endpoint, device, )
TEXT(endpoint, netdev, )
FIELD(endpoint, uint32_t, port, 1, 255)
FIELD(endpoint, uint32_t, gid_index, 0, 65535)
GID(endpoint, gid)
FIELD(endpoint, uint32_t, gid_type, 0, 2)
FIELD(endpoint, uint32_t, link_layer, 0, 2)
FIELD(endpoint, uint32_t, transport, 0, 6)
FIELD(endpoint, uint32_t, state, 0, 5)
FIELD(endpoint, uint32_t, operstate, 0, 6)
FIELD(endpoint, uint32_t, mtu_bytes, 0, LIMIT_MTU)
FIELD(endpoint, uint32_t, lid, 0, 65535)
FIELD(endpoint, uint64_t, rate_mbps, 0, 100000000)
IP(endpoint, ip)
}
;
LAYOUT(, endpoint, "endpoint")

void wire_put(uint8_t *bytes, uint64_t number, size_t size)
{
	for (; size; number >>= 8)
		bytes[--size] = (uint8_t)number;
}

uint64_t wire_take(const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[i];
	return number;
}

uint64_t wire_number(const void *member, size_t size)
{
	uint32_t small;
	uint64_t large;

	if (size == sizeof(small)) {
		memcpy(&small, member, sizeof(small));
		return small;
	}
	memcpy(&large, member, sizeof(large));
	return large;
}

static void set_member(void *member, size_t size, uint64_t number)
{
	const uint32_t small = (uint32_t)number;

	memcpy(member, size == sizeof(small) ? (const void *)&small : &number, size);
}

/* The number of records in a field that has a layout. The field before items holds theirs. */
static size_t item_count(const struct wire_field *field, const void *record)
{
	const struct wire_field *count;
	uint64_t number;

	if (field->kind == WIRE_RECORD)
		return 1;
	count = field - 1;
	number = wire_number((const uint8_t *)record + count->offset, count->size);
	return number < field->most ? (size_t)number : (size_t)field->most;
}

/* Length on the wire, without any items or with the maximum number of them. */
static size_t wire_bytes(const struct wire_layout *layout, bool most)
{
	size_t bytes = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];

		if (field->kind == WIRE_RECORD)
			bytes += wire_bytes(field->layout, most);
		else if (field->kind == WIRE_ITEMS)
			bytes += most ? (size_t)field->most * wire_bytes(field->layout, most) : 0;
		else
			bytes += field->size;
	}
	return bytes;
}

static void encode_field(const struct wire_field *field, const uint8_t *member, uint8_t *at)
{
	if (field->kind == WIRE_NUMBER) {
		wire_put(at, wire_number(member, field->size), field->size);
	} else if (field->kind == WIRE_TEXT) {
		memset(at, 0, field->size);
		memcpy(at, member, strnlen((const char *)member, field->size - 1));
	} else {
		memcpy(at, member, field->size);
	}
}

static size_t encode_record(const struct wire_layout *layout, const void *record, uint8_t *bytes)
{
	uint8_t *at = bytes;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];
		const uint8_t *member = (const uint8_t *)record + field->offset;
		const size_t items = field->layout ? item_count(field, record) : 0;

		for (size_t j = 0; j < items; j++)
			at += encode_record(field->layout, member + j * field->layout->record_size,
					    at);
		if (field->layout)
			continue;
		encode_field(field, member, at);
		at += field->size;
	}
	return (size_t)(at - bytes);
}

struct wire_input {
	const uint8_t *at;
	size_t left;
	const char *field; /* the current one */
};

static int decode_record(const struct wire_layout *layout, struct wire_input *input, void *record);

/* The text is NUL-terminated, and nothing is hidden after the NUL. */
static bool text_is_whole(const uint8_t *text, size_t size)
{
	const size_t length = strnlen((const char *)text, size);

	/* Every byte after the first NUL equals the one before it. */
	return length < size && !memcmp(text + length, text + length + 1, size - length - 1);
}

static int decode_field(const struct wire_field *field, struct wire_input *input, void *record)
{
	uint8_t *member = (uint8_t *)record + field->offset;
	const uint8_t *from = input->at;
	uint64_t number;

	if (field->size > input->left)
		return -EMSGSIZE;
	input->at += field->size;
	input->left -= field->size;
	if (field->kind == WIRE_NUMBER) {
		number = wire_take(from, field->size);
		if (number < field->least || number > field->most)
			return -ERANGE;
		set_member(member, field->size, number);
		return 0;
	}
	if (field->kind == WIRE_IP && from[0] != 0 && from[0] != AF_INET && from[0] != AF_INET6)
		return -ERANGE;
	if (field->kind == WIRE_TEXT && !text_is_whole(from, field->size))
		return -ERANGE;
	memcpy(member, from, field->size);
	return 0;
}

static int decode_items(const struct wire_field *field, struct wire_input *input, void *record)
{
	uint8_t *member = (uint8_t *)record + field->offset;
	size_t count = item_count(field, record);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = decode_record(field->layout, input, member + i * field->layout->record_size);
	return rc;
}

static int decode_record(const struct wire_layout *layout, struct wire_input *input, void *record)
{
	int rc = 0;

	for (size_t i = 0; i < layout->count && !rc; i++) {
		const struct wire_field *field = &layout->fields[i];

		input->field = field->name;
		rc = field->layout ? decode_items(field, input, record)
				   : decode_field(field, input, record);
	}
	return rc;
}

size_t wire_encode(const struct wire_protocol *protocol, uint32_t type, const void *record,
		   uint8_t *bytes)
{
	const struct wire_layout *layout = wire_layout_of(protocol, type);
	size_t length = layout ? encode_record(layout, record, bytes + WIRE_HEADER_BYTES) : 0;

	wire_put(bytes, protocol->magic, 4);
	wire_put(bytes + 4, protocol->version, 4);
	wire_put(bytes + 8, type, 4);
	wire_put(bytes + 12, length, 4);
	return WIRE_HEADER_BYTES + length;
}

const struct wire_layout *wire_layout_of(const struct wire_protocol *protocol, uint32_t type)
{
	return type < protocol->types ? protocol->rows[type].layout : NULL;
}

int wire_decode_header(const struct wire_protocol *protocol,
		       const uint8_t bytes[static WIRE_HEADER_BYTES], uint32_t *ret_type,
		       size_t *ret_body_bytes)
{
	uint32_t version = (uint32_t)wire_take(bytes + 4, 4);
	uint32_t type = (uint32_t)wire_take(bytes + 8, 4);
	uint64_t length = wire_take(bytes + 12, 4);
	const struct wire_layout *layout = wire_layout_of(protocol, type);
	size_t least;

	if (wire_take(bytes, 4) != protocol->magic)
		return -EPROTO;
	if (version != protocol->version && type != protocol->hello && type != protocol->refused)
		return -EPROTONOSUPPORT;
	if (!layout)
		return -EPROTO;
	least = wire_bytes(layout, false);
	if (length < least || (length > least && length > wire_bytes(layout, true)))
		return -EMSGSIZE;
	*ret_type = type;
	*ret_body_bytes = (size_t)length;
	return 0;
}

int wire_decode(const struct wire_layout *layout, const uint8_t *body, size_t length, void *record,
		const char **ret_field)
{
	struct wire_input input = {.at = body, .left = length};
	int rc = decode_record(layout, &input, record);

	if (rc)
		*ret_field = input.field;
	if (!rc && input.left) {
		*ret_field = "body";
		rc = -EMSGSIZE;
	}
	return rc;
}
