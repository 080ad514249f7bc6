/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/names.h"
#include "kernel/attribute.h"

/* Seconds without any answer after which a request is given up. */
#define TIMEOUT_SECONDS 2

/*
 * The kernel puts each answer, and in a dump of RDMA devices each device (ib_enum_all_devs(),
 * drivers/infiniband/core/device.c), into a datagram of its own: so take many with one system
 * call. More slots would save calls but cost a page fault each, which is no better.
 */
#define MOST_SLOTS   16
#define BUFFER_BYTES (128 * 1024)

/*
 * A table entry too large for the kernel's buffer makes it send the same empty table for ever
 * (res_get_common_dumpit(), drivers/infiniband/core/nldev.c).
 */
#define MOST_EMPTY 8

struct netlink {
	int fd;
	uint32_t sequence; /* of the last message sent */
	size_t largest;
	unsigned int slot_count;
	uint8_t *slots; /* slot_count times largest */
};

void netlink_offer(struct netlink *netlink, size_t largest, unsigned int count)
{
	free(netlink->slots);
	netlink->largest = largest;
	netlink->slot_count = count < MOST_SLOTS ? count : MOST_SLOTS;
	netlink->slots = mem_alloc_zero(netlink->slot_count, largest);
}

struct netlink *netlink_from_fd(int fd, size_t largest)
{
	const struct timeval patience = {.tv_sec = TIMEOUT_SECONDS};
	struct netlink *netlink = mem_alloc_zero(1, sizeof(*netlink));
	const int on = 1;

	netlink->fd = fd;
	netlink_offer(netlink, largest, BUFFER_BYTES / (unsigned int)largest);
	/* Niceties: without them (an old kernel) errors come without words, and nothing else. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return netlink;
}

int netlink_open(int protocol, size_t largest, struct netlink **ret_netlink)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	*ret_netlink = netlink_from_fd(fd, largest);
	return 0;
}

void netlink_free(struct netlink *netlink)
{
	if (!netlink)
		return;
	close(netlink->fd);
	free(netlink->slots);
	free(netlink);
}

/* Returns `length` zeroed bytes at the end of the buffer, or NULL where there is no room. */
static void *reserve(struct netlink_request *request, size_t length)
{
	size_t aligned = NLMSG_ALIGN(length);
	void *place = request->buffer + request->length;

	if (request->overflow || aligned > sizeof(request->buffer) - request->length) {
		request->overflow = true;
		return NULL;
	}
	memset(place, 0, aligned);
	request->length += aligned;
	return place;
}

void netlink_add(struct netlink_request *request, uint16_t type, uint16_t flags, const void *header,
		 size_t header_length)
{
	struct nlmsghdr *message;

	request->start = request->length;
	message = reserve(request, NLMSG_HDRLEN + header_length);
	if (!message)
		return;
	message->nlmsg_type = type;
	message->nlmsg_flags = NLM_F_REQUEST | flags;
	message->nlmsg_len = request->length - request->start;
	if (header_length)
		memcpy(message + 1, header, header_length);
	request->count++;
}

void netlink_put(struct netlink_request *request, uint16_t type, const void *data, size_t length)
{
	struct nlattr *attribute = reserve(request, NLA_HDRLEN + length);
	struct nlmsghdr *message = (struct nlmsghdr *)(request->buffer + request->start);

	if (!attribute)
		return;
	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + length;
	memcpy(attribute + 1, data, length);
	message->nlmsg_len = request->length - request->start;
}

void netlink_put_u32(struct netlink_request *request, uint16_t type, uint32_t value)
{
	netlink_put(request, type, &value, sizeof(value));
}

/* Numbers the messages and sends them: one system call, whatever their count. */
static int send_request(struct netlink *netlink, struct netlink_request *request,
			struct netlink_exchange *exchange)
{
	size_t at = 0;

	if (request->overflow || !request->count || request->count > NETLINK_BATCH)
		return -EMSGSIZE;
	exchange->sequence = netlink->sequence + 1;
	exchange->count = exchange->left = request->count;
	while (at < request->length) {
		struct nlmsghdr *message = (struct nlmsghdr *)(request->buffer + at);

		message->nlmsg_seq = ++netlink->sequence;
		at += NLMSG_ALIGN(message->nlmsg_len);
	}
	/* A netlink socket that is not connected sends to the kernel. */
	while (send(netlink->fd, request->buffer, request->length, MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* NLMSG_DATA() and NLMSG_PAYLOAD() for a message that may not be changed. */
static const uint8_t *message_payload(const struct nlmsghdr *message)
{
	return (const uint8_t *)message + NLMSG_HDRLEN;
}

static size_t payload_length(const struct nlmsghdr *message)
{
	return message->nlmsg_len - NLMSG_HDRLEN;
}

/*
 * The extended acknowledgement behind an error, `offset` bytes into the payload: the kernel's
 * words, freed by the caller, or NULL.
 */
static char *error_text(const struct nlmsghdr *message, size_t offset)
{
	const struct nlattr *table[NLMSGERR_ATTR_MSG + 1];
	size_t length = payload_length(message);
	char *text = NULL;

	/* Before aligning it: NLMSG_ALIGN() cuts to 32 bits. */
	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS) || offset >= length)
		return NULL;
	offset = NLMSG_ALIGN(offset);
	if (offset < length && !netlink_parse(message_payload(message) + offset, length - offset,
					      table, ARRAY_SIZE(table)))
		netlink_get_text(table[NLMSGERR_ATTR_MSG], &text);
	return text;
}

/* The error in an NLMSG_ERROR or NLMSG_DONE message, which both start with it. */
static int message_error(const struct nlmsghdr *message)
{
	int error = 0;

	if (payload_length(message) >= sizeof(error))
		memcpy(&error, message_payload(message), sizeof(error));
	else if (message->nlmsg_type == NLMSG_ERROR)
		return -EBADMSG;
	/* MAX_ERRNO, include/linux/err.h */
	return error > 0 || error < -4095 ? -EBADMSG : error;
}

/* Where the TLVs of an NLMSG_ERROR message start: after the request, which comes back in it. */
static size_t error_tlv_offset(const struct nlmsghdr *message)
{
	const struct nlmsgerr *refusal = (const void *)message_payload(message);

	if (payload_length(message) < sizeof(*refusal))
		return SIZE_MAX;
	if (message->nlmsg_flags & NLM_F_CAPPED || refusal->msg.nlmsg_len < NLMSG_HDRLEN)
		return sizeof(*refusal);
	return sizeof(*refusal) + refusal->msg.nlmsg_len - NLMSG_HDRLEN;
}

static void note_error(struct netlink_exchange *exchange, int error)
{
	if (!exchange->error)
		exchange->error = error;
}

static void end_answer(struct netlink_exchange *exchange, unsigned int index)
{
	exchange->answered[index] = true;
	exchange->left--;
}

/* Hands an answer on and keeps what the handler makes of it. */
static void hand_on(struct netlink_exchange *exchange, unsigned int index,
		    const struct netlink_answer *answer)
{
	int result = exchange->handle(exchange->context, index, answer);

	if (result < 0)
		note_error(exchange, result);
	exchange->empty = result == NETLINK_NOTHING ? exchange->empty + 1 : 0;
	if (exchange->empty > MOST_EMPTY) {
		note_error(exchange, -EMSGSIZE);
		exchange->left = 0;
	}
}

/* NLMSG_ERROR and NLMSG_DONE: the end of an answer. */
static void take_end(struct netlink_exchange *exchange, unsigned int index,
		     const struct nlmsghdr *message)
{
	_cleanup_(freep) char *text = NULL;
	struct netlink_answer answer = {.error = message_error(message)};

	end_answer(exchange, index);
	if (exchange->dump) {
		note_error(exchange, answer.error);
		exchange->refused = message->nlmsg_type == NLMSG_ERROR;
		return;
	}
	if (answer.error && message->nlmsg_type == NLMSG_ERROR)
		text = error_text(message, error_tlv_offset(message));
	answer.text = text;
	hand_on(exchange, index, &answer);
}

/* Answers are matched by sequence: the type of an answer to RDMA_NLDEV_CMD_PORT_GET is _CMD_GET. */
static void take_message(struct netlink_exchange *exchange, const struct nlmsghdr *message)
{
	uint32_t index = message->nlmsg_seq - exchange->sequence;
	struct netlink_answer answer = {.payload = message_payload(message),
					.length = payload_length(message)};

	/* Left over from an exchange that was given up, or said twice. */
	if (index >= exchange->count || exchange->answered[index])
		return;
	if (message->nlmsg_flags & NLM_F_DUMP_INTR)
		exchange->interrupted = true;
	if (message->nlmsg_type == NLMSG_ERROR || message->nlmsg_type == NLMSG_DONE) {
		take_end(exchange, index, message);
	} else if (message->nlmsg_type == NLMSG_OVERRUN) {
		note_error(exchange, -ENOBUFS);
	} else if (message->nlmsg_type >= NLMSG_MIN_TYPE) {
		if (!exchange->dump)
			end_answer(exchange, index);
		hand_on(exchange, index, &answer);
	}
}

int netlink_next(struct netlink_walk *walk, const struct nlmsghdr **ret_message)
{
	const struct nlmsghdr *message = (const struct nlmsghdr *)walk->at;
	size_t step;

	if (!walk->left)
		return 0;
	if (walk->left < NLMSG_HDRLEN || message->nlmsg_len < NLMSG_HDRLEN ||
	    message->nlmsg_len > walk->left)
		return -EBADMSG;
	step = NLMSG_ALIGN((size_t)message->nlmsg_len);
	if (step > walk->left)
		step = walk->left;
	walk->at += step;
	walk->left -= step;
	*ret_message = message;
	return 1;
}

int netlink_take(struct netlink_exchange *exchange, const void *datagram, size_t length)
{
	struct netlink_walk walk = {.at = datagram, .left = length};
	const struct nlmsghdr *message;
	int rc = 0;

	while (exchange->left && (rc = netlink_next(&walk, &message)) > 0)
		take_message(exchange, message);
	return rc < 0 ? rc : 0;
}

/* Works off what recvmmsg() brought; faults of a datagram are kept, so that the others count. */
static void take_datagrams(struct netlink *netlink, struct netlink_exchange *exchange,
			   const struct mmsghdr *headers, unsigned int count)
{
	for (unsigned int i = 0; i < count && exchange->left; i++) {
		const struct msghdr *header = &headers[i].msg_hdr;
		const struct sockaddr_nl *sender = header->msg_name;

		/* Other processes with the privilege may write to a netlink socket, too. */
		if (header->msg_namelen >= sizeof(*sender) && sender->nl_family == AF_NETLINK &&
		    sender->nl_pid)
			continue;
		if (header->msg_flags & MSG_TRUNC)
			note_error(exchange, -EMSGSIZE);
		else
			note_error(exchange,
				   netlink_take(exchange, netlink->slots + i * netlink->largest,
						headers[i].msg_len));
	}
}

/* Waits for one datagram and takes those that are there by then. Fails if none comes. */
static int receive(struct netlink *netlink, struct netlink_exchange *exchange, int flags)
{
	struct mmsghdr headers[MOST_SLOTS];
	struct sockaddr_nl senders[MOST_SLOTS];
	struct iovec parts[MOST_SLOTS];
	int count;

	memset(headers, 0, sizeof(headers));
	for (unsigned int i = 0; i < netlink->slot_count; i++) {
		parts[i].iov_base = netlink->slots + i * netlink->largest;
		parts[i].iov_len = netlink->largest;
		headers[i].msg_hdr.msg_iov = &parts[i];
		headers[i].msg_hdr.msg_iovlen = 1;
		headers[i].msg_hdr.msg_name = &senders[i];
		headers[i].msg_hdr.msg_namelen = sizeof(senders[i]);
	}
	do {
		count = recvmmsg(netlink->fd, headers, netlink->slot_count, MSG_WAITFORONE | flags,
				 NULL);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
	/* Not from the kernel, but so a closed socket pair looks. */
	if (!headers[0].msg_len)
		return -ECONNRESET;
	take_datagrams(netlink, exchange, headers, (unsigned int)count);
	return 0;
}

int netlink_ask(struct netlink *netlink, struct netlink_request *request, netlink_handler *handle,
		void *context)
{
	struct netlink_exchange exchange = {.handle = handle, .context = context};
	int error = send_request(netlink, request, &exchange);

	while (!error && exchange.left && !exchange.error)
		error = receive(netlink, &exchange, 0);
	/* Some answers were lost for want of socket memory; the others are there. */
	if (error == -ENOBUFS) {
		while (exchange.left && !receive(netlink, &exchange, MSG_DONTWAIT))
			;
	}
	return error ? error : exchange.error;
}

int netlink_dump_begin(struct netlink *netlink, struct netlink_request *request,
		       struct netlink_exchange *exchange)
{
	exchange->dump = true;
	return send_request(netlink, request, exchange);
}

int netlink_dump_step(struct netlink *netlink, struct netlink_exchange *exchange)
{
	return exchange->left ? receive(netlink, exchange, 0) : 0;
}

int netlink_dump(struct netlink *netlink, struct netlink_request *request, netlink_handler *handle,
		 void *context)
{
	struct netlink_exchange exchange = {.handle = handle, .context = context};
	int error = netlink_dump_begin(netlink, request, &exchange);

	/* To its end even if something is wrong with it: the kernel runs one dump a socket. */
	while (!error && exchange.left)
		error = netlink_dump_step(netlink, &exchange);
	if (!error)
		error = exchange.error;
	return error || !exchange.interrupted ? error : -EINTR;
}

int netlink_parse(const void *attributes, size_t length, const struct nlattr **table, size_t count)
{
	const struct nlattr *attribute = attributes;
	size_t left = length;

	memset(table, 0, count * sizeof(table[0]));
	while (attribute_fits(attribute, left)) {
		size_t type = attribute_type(attribute);

		if (type < count)
			table[type] = attribute;
		attribute = attribute_next(attribute, &left);
	}
	/* Less than an attribute's header is padding. */
	return left < sizeof(struct nlattr) ? 0 : -EBADMSG;
}

int netlink_parse_nest(const struct nlattr *nest, const struct nlattr **table, size_t count)
{
	return netlink_parse(attribute_data(nest), attribute_length(nest), table, count);
}

int netlink_get_number(const struct nlattr *attribute, struct number *number)
{
	const void *data;
	uint64_t value = 0;
	uint32_t word;
	uint16_t half;

	if (!attribute || number->known)
		return 0;
	data = attribute_data(attribute);
	switch (attribute_length(attribute)) {
	case 1:
		value = *(const uint8_t *)data;
		break;
	case 2:
		memcpy(&half, data, sizeof(half));
		value = half;
		break;
	case 4:
		memcpy(&word, data, sizeof(word));
		value = word;
		break;
	case 8:
		memcpy(&value, data, sizeof(value));
		break;
	default:
		return -EBADMSG;
	}
	number_set(number, value);
	return 0;
}

void netlink_get_text(const struct nlattr *attribute, char **text)
{
	if (attribute && !*text)
		*text = text_clean(attribute_data(attribute), attribute_length(attribute));
}
