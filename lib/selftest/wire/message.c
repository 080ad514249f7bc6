/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/wire/message.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/socket.h"
#include "selftest/wire/layout_rows.h"

#include "selftest/wire/messages.def"

const struct message_row message_rows[MESSAGE_TYPES] = {
#define MESSAGE(number, constant, name, record) [number] = {#name, &record##_layout, 0},
#define HANDSHAKE(number, constant, name, record, reply, reply_record) \
	[number] = {#name, &record##_layout, MESSAGE_##reply},
#define ORDER HANDSHAKE
#include "selftest/wire/messages.def"
};

static const struct wire_protocol protocol = {
	.magic = MESSAGE_MAGIC,
	.version = MESSAGE_VERSION,
	.rows = message_rows,
	.types = MESSAGE_TYPES,
	.hello = MESSAGE_HELLO,
	.refused = MESSAGE_REFUSED,
};

const char *message_name(uint32_t type)
{
	return wire_layout_of(&protocol, type) ? message_rows[type].name : "unknown";
}

uint32_t message_timeout_msec(const struct message *order)
{
	const struct wire_layout *layout = wire_layout_of(&protocol, order->type);

	for (size_t i = 0; layout && i < layout->count; i++)
		if (!strcmp(layout->fields[i].name, "timeout_msec"))
			return (uint32_t)wire_number((const uint8_t *)&order->body +
							     layout->fields[i].offset,
						     layout->fields[i].size);
	return 0;
}

size_t message_encode(const struct message *message, uint8_t bytes[static MESSAGE_MOST_BYTES])
{
	return wire_encode(&protocol, message->type, &message->body, bytes);
}

int message_decode_header(const uint8_t bytes[static MESSAGE_HEADER_BYTES], uint32_t *ret_type,
			  size_t *ret_body_bytes)
{
	return wire_decode_header(&protocol, bytes, ret_type, ret_body_bytes);
}

int message_decode_body(uint32_t type, const uint8_t *body, size_t length, struct message *message,
			const char **ret_field)
{
	const struct wire_layout *layout = wire_layout_of(&protocol, type);

	if (!layout)
		return -EPROTO;
	memset(message, 0, sizeof(*message));
	message->type = type;
	return wire_decode(layout, body, length, &message->body, ret_field);
}

/* Unread bytes discarded at the end, in messages of the largest size. */
#define MOST_UNREAD 4

int exchange_send(int channel, const struct message *message, unsigned int msec)
{
	uint8_t bytes[MESSAGE_MOST_BYTES];
	size_t length = message_encode(message, bytes), sent = 0;
	uint64_t end = clock_msec() + msec;

	while (sent < length) {
		ssize_t got = send(channel, bytes + sent, length - sent,
				   MSG_NOSIGNAL | MSG_DONTWAIT);

		if (got > 0) {
			sent += (size_t)got;
			continue;
		}
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (socket_wait(channel, POLLOUT, -1, end) == -ETIMEDOUT)
			return -ETIMEDOUT;
	}
	return 0;
}

void exchange_end(int channel)
{
	uint8_t unread[MESSAGE_MOST_BYTES];

	shutdown(channel, SHUT_WR);
	/* Bounded, because a peer might never stop sending. */
	for (int i = 0; i < MOST_UNREAD; i++)
		if (recv(channel, unread, sizeof(unread), MSG_DONTWAIT) <= 0)
			break;
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
		rc = socket_wait(channel, POLLIN, signals, end_msec);
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

/* The rest of a message must follow its first byte soon. */
static int receive_rest(int channel, int signals, uint64_t end_msec, uint8_t *bytes, size_t length,
			const char **ret_complaint)
{
	int rc = receive_bytes(channel, signals, end_msec, bytes, length);

	if (rc == -ECONNRESET || rc == -ETIMEDOUT)
		*ret_complaint = "an incomplete message";
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
	if (socket_wait(channel, POLLIN, signals, 0) == -EINTR)
		return -EINTR;
	rc = receive_bytes(channel, signals, end, bytes, 1);
	if (rc)
		return rc;
	end = clock_msec() + EXCHANGE_REST_MSEC;
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
