/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"

#define MEMBER(record, member)                                      \
	.name = #member, .offset = offsetof(struct record, member), \
	.size = sizeof(((struct record *)0)->member)
#define ROW(record, member, kind_) {MEMBER(record, member), .kind = kind_},

#define RECORD(record, name_) static const struct wire_field record##_fields[] = {
#define END_RECORD(record, name_)                           \
	}                                                   \
	;                                                   \
	static const struct wire_layout record##_layout = { \
		.name = name_,                              \
		.fields = record##_fields,                  \
		.count = ARRAY_SIZE(record##_fields),       \
		.record_size = sizeof(struct record),       \
	};
#define FIELD(record, type, member, least_, most_) \
	{MEMBER(record, member), .kind = WIRE_NUMBER, .least = least_, .most = most_},
#define TEXT(record, member, size_)  ROW(record, member, WIRE_TEXT)
#define BYTES(record, member, size_) ROW(record, member, WIRE_BYTES)
#define GID(record, member)	     ROW(record, member, WIRE_BYTES)
#define IP(record, member)	     ROW(record, member, WIRE_IP)
#define NESTED(record, inner, member) \
	{MEMBER(record, member), .kind = WIRE_RECORD, .layout = &inner##_layout},
#define ITEMS(record, inner, member, most_) \
	{MEMBER(record, member), .kind = WIRE_ITEMS, .most = most_, .layout = &inner##_layout},

/* The only record that is not the protocol's own: lib/host/endpoint/endpoint.h. */
RECORD(endpoint, "endpoint")
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
END_RECORD(endpoint, "endpoint")

#include "selftest/wire/messages.def"

const struct message_row message_rows[MESSAGE_TYPES] = {
#define MESSAGE(number, constant, name, record) [number] = {#name, &record##_layout, 0},
#define HANDSHAKE(number, constant, name, record, reply, reply_record) \
	[number] = {#name, &record##_layout, MESSAGE_##reply},
#define ORDER HANDSHAKE
#include "selftest/wire/messages.def"
};

static const struct wire_layout *layout_of(uint32_t type)
{
	return type < MESSAGE_TYPES ? message_rows[type].layout : NULL;
}

const char *message_name(uint32_t type)
{
	return layout_of(type) ? message_rows[type].name : "unknown";
}

static void put(uint8_t *bytes, uint64_t number, size_t size)
{
	while (size--) {
		bytes[size] = (uint8_t)number;
		number >>= 8;
	}
}

static uint64_t take(const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[i];
	return number;
}

static uint64_t member_number(const void *member, size_t size)
{
	uint32_t small;
	uint64_t large;

	memcpy(&small, member, sizeof(small));
	if (size == sizeof(small))
		return small;
	memcpy(&large, member, sizeof(large));
	return large;
}

static void set_member(void *member, size_t size, uint64_t number)
{
	uint32_t small = (uint32_t)number;

	if (size == sizeof(small))
		memcpy(member, &small, sizeof(small));
	else
		memcpy(member, &number, sizeof(number));
}

/* The number of items is that of the count before them. */
static size_t item_count(const struct wire_field *field, const void *record)
{
	const struct wire_field *count = field - 1;
	uint64_t number = member_number((const uint8_t *)record + count->offset, count->size);

	return number < field->most ? (size_t)number : (size_t)field->most;
}

/* Bytes on the wire, without items or with as many as there can be. */
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

static size_t encode_record(const struct wire_layout *layout, const void *record, uint8_t *bytes)
{
	uint8_t *at = bytes;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wire_field *field = &layout->fields[i];
		const uint8_t *member = (const uint8_t *)record + field->offset;
		size_t items;

		switch (field->kind) {
		case WIRE_NUMBER:
			put(at, member_number(member, field->size), field->size);
			at += field->size;
			break;
		case WIRE_TEXT:
			memset(at, 0, field->size);
			memcpy(at, member, strnlen((const char *)member, field->size - 1));
			at += field->size;
			break;
		case WIRE_BYTES:
		case WIRE_IP:
			memcpy(at, member, field->size);
			at += field->size;
			break;
		case WIRE_RECORD:
			at += encode_record(field->layout, member, at);
			break;
		case WIRE_ITEMS:
			items = item_count(field, record);
			for (size_t j = 0; j < items; j++)
				at += encode_record(field->layout,
						    member + j * field->layout->record_size, at);
			break;
		}
	}
	return (size_t)(at - bytes);
}

uint32_t message_timeout_msec(const struct message *order)
{
	const struct wire_layout *layout = layout_of(order->type);

	for (size_t i = 0; layout && i < layout->count; i++)
		if (!strcmp(layout->fields[i].name, "timeout_msec"))
			return (uint32_t)member_number((const uint8_t *)&order->body +
							       layout->fields[i].offset,
						       layout->fields[i].size);
	return 0;
}

size_t message_encode(const struct message *message, uint8_t bytes[static MESSAGE_MOST_BYTES])
{
	const struct wire_layout *layout = layout_of(message->type);
	size_t length = layout ? encode_record(layout, &message->body, bytes + MESSAGE_HEADER_BYTES)
			       : 0;

	put(bytes, MESSAGE_MAGIC, 4);
	put(bytes + 4, MESSAGE_VERSION, 4);
	put(bytes + 8, message->type, 4);
	put(bytes + 12, length, 4);
	return MESSAGE_HEADER_BYTES + length;
}

int message_decode_header(const uint8_t bytes[static MESSAGE_HEADER_BYTES], uint32_t *ret_type,
			  size_t *ret_body_bytes)
{
	uint32_t version = (uint32_t)take(bytes + 4, 4);
	uint32_t type = (uint32_t)take(bytes + 8, 4);
	uint64_t length = take(bytes + 12, 4);
	const struct wire_layout *layout = layout_of(type);

	if (take(bytes, 4) != MESSAGE_MAGIC)
		return -EPROTO;
	if (version != MESSAGE_VERSION && type != MESSAGE_HELLO && type != MESSAGE_REFUSED)
		return -EPROTONOSUPPORT;
	if (!layout)
		return -EPROTO;
	if (length < wire_bytes(layout, false) || length > wire_bytes(layout, true))
		return -EMSGSIZE;
	*ret_type = type;
	*ret_body_bytes = (size_t)length;
	return 0;
}

/* A received body while its fields are read. */
struct wire_input {
	const uint8_t *at;
	size_t left;
	const char *field; /* the current one */
};

static int decode_record(const struct wire_layout *layout, struct wire_input *input, void *record);

/* The text has an end, and nothing is hidden after it. */
static bool text_is_whole(const uint8_t *text, size_t size)
{
	size_t length = strnlen((const char *)text, size);

	if (length == size)
		return false;
	while (length < size && !text[length])
		length++;
	return length == size;
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
		number = take(from, field->size);
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
		if (field->kind == WIRE_RECORD)
			rc = decode_record(field->layout, input, (uint8_t *)record + field->offset);
		else if (field->kind == WIRE_ITEMS)
			rc = decode_items(field, input, record);
		else
			rc = decode_field(field, input, record);
	}
	return rc;
}

int message_decode_body(uint32_t type, const uint8_t *body, size_t length, struct message *message,
			const char **ret_field)
{
	const struct wire_layout *layout = layout_of(type);
	struct wire_input input = {.at = body, .left = length};
	int rc;

	if (!layout)
		return -EPROTO;
	memset(message, 0, sizeof(*message));
	message->type = type;
	rc = decode_record(layout, &input, &message->body);
	if (rc)
		*ret_field = input.field;
	if (!rc && input.left) {
		*ret_field = "body";
		rc = -EMSGSIZE;
	}
	return rc;
}

/* How long the rest of a message may take after its first byte. */
#define REST_MSEC 5000

int exchange_send(int channel, const struct message *message, unsigned int msec)
{
	uint8_t bytes[MESSAGE_MOST_BYTES];
	size_t length = message_encode(message, bytes), sent = 0;
	uint64_t end = clock_msec() + msec;

	while (sent < length) {
		ssize_t got = send(channel, bytes + sent, length - sent,
				   MSG_NOSIGNAL | MSG_DONTWAIT);
		struct pollfd poll_out = {.fd = channel, .events = POLLOUT};

		if (got > 0) {
			sent += (size_t)got;
			continue;
		}
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (poll(&poll_out, 1, clock_msec_until(end)) == 0)
			return -ETIMEDOUT;
	}
	return 0;
}

/* Sleeps until the channel has something to read, or its peer has closed it. */
static int wait_readable(int channel, int signals, uint64_t end_msec)
{
	struct pollfd polls[] = {
		{.fd = channel, .events = POLLIN},
		{.fd = signals, .events = POLLIN},
	};
	int ready = poll(polls, 2, clock_msec_until(end_msec));

	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (polls[1].revents)
		return -EINTR;
	return ready ? 0 : -ETIMEDOUT;
}

static int receive_bytes(int channel, int signals, uint64_t end_msec, uint8_t *bytes, size_t length)
{
	size_t done = 0;
	int rc;

	while (done < length) {
		ssize_t got = recv(channel, bytes + done, length - done, MSG_DONTWAIT);

		if (got == 0)
			return -ECONNRESET;
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		rc = wait_readable(channel, signals, end_msec);
		if (rc)
			return rc;
	}
	return 0;
}

static const char *header_complaint(int rc)
{
	if (rc == -EPROTONOSUPPORT)
		return "another version of the protocol";
	return rc == -EMSGSIZE ? "a length that its message cannot have"
			       : "not a message of the protocol";
}

/* Everything after the first byte has to come, and soon. */
static int receive_rest(int channel, int signals, uint64_t end_msec, uint8_t *bytes, size_t length,
			const char **ret_complaint)
{
	int rc = receive_bytes(channel, signals, end_msec, bytes, length);

	if (rc == -ECONNRESET || rc == -ETIMEDOUT)
		*ret_complaint = "half a message";
	return rc;
}

int exchange_receive(int channel, int signals, unsigned int msec, struct message *message,
		     const char **ret_complaint)
{
	uint8_t bytes[MESSAGE_MOST_BYTES];
	uint64_t end = clock_msec() + msec;
	size_t length = 0;
	uint32_t type = 0;
	int rc;

	*ret_complaint = NULL;
	/* Checked first, so that a peer that sends without a pause cannot hide a signal. */
	if (wait_readable(channel, signals, 0) == -EINTR)
		return -EINTR;
	rc = receive_bytes(channel, signals, end, bytes, 1);
	if (rc)
		return rc;
	end = clock_msec() + REST_MSEC;
	rc = receive_rest(channel, signals, end, bytes + 1, MESSAGE_HEADER_BYTES - 1,
			  ret_complaint);
	if (rc)
		return rc;
	rc = message_decode_header(bytes, &type, &length);
	if (rc) {
		*ret_complaint = header_complaint(rc);
		return rc;
	}
	rc = receive_rest(channel, signals, end, bytes, length, ret_complaint);
	return rc ? rc : message_decode_body(type, bytes, length, message, ret_complaint);
}
