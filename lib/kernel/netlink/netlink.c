/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/netlink.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/netlink_record.h"

/* Seconds without any answer before a request is abandoned. */
#define TIMEOUT_SECONDS 2

/*
 * The kernel puts each answer, and in a dump of RDMA devices each device (ib_enum_all_devs(),
 * drivers/infiniband/core/device.c), into a separate datagram, so one system call receives many.
 * More slots would save calls, but cost a page fault each.
 */
#define MOST_SLOTS   16
#define BUFFER_BYTES (128 * 1024)

/*
 * If a table entry is too large for the kernel's buffer, the kernel sends the same empty table
 * forever (res_get_common_dumpit(), drivers/infiniband/core/nldev.c).
 */
#define MOST_EMPTY 8

/*
 * Upper bound of the kernel's queue for a listening socket (the kernel doubles the figure, and
 * counts each message with its overhead, af_netlink.c); no memory is reserved. A link's message
 * takes about 4 KiB of it, so a storm of 2,000 fits while the program is busy.
 */
#define GROUP_RECEIVE_BYTES (4 * 1024 * 1024)

/* Datagrams that one call of netlink_read() takes at most. */
#define MOST_DATAGRAMS 1024

struct netlink {
	struct nl_sock *socket; /* counts sequence numbers; owns a netlink socket's descriptor */
	int fd;
	size_t largest;
	unsigned int slot_count;
	uint8_t *slots;		       /* slot_count times largest */
	struct netlink_record *record; /* or NULL */
};

void netlink_offer(struct netlink *netlink, size_t largest, unsigned int count)
{
	free(netlink->slots);
	netlink->largest = largest;
	netlink->slot_count = count < MOST_SLOTS ? count : MOST_SLOTS;
	netlink->slots = mem_alloc_zero(netlink->slot_count, largest);
}

/* libnl refuses the descriptor of a socket pair; netlink_free() closes that one. */
static struct netlink *wrap(int fd, size_t largest, unsigned int slot_count)
{
	struct netlink *netlink = mem_alloc_zero(1, sizeof(*netlink));

	netlink->socket = mem_check(nl_socket_alloc());
	if (fd >= 0)
		nl_socket_set_fd(netlink->socket, -1, fd);
	netlink->fd = fd;
	netlink_offer(netlink, largest, slot_count);
	return netlink;
}

struct netlink *netlink_from_fd(int fd, size_t largest)
{
	const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
	const int on = 1;

	/* An old kernel without these options gives errors without text; nothing else changes. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	return wrap(fd, largest, BUFFER_BYTES / (unsigned int)largest);
}

/*
 * nl_connect() is not used: it hides the error number, shrinks the receive buffer that
 * NETLINK_BATCH relies on to 64 KiB, and binds, which the kernel does anyway with the first
 * message.
 */
int netlink_open(const struct root *root, int protocol, size_t largest,
		 struct netlink **ret_netlink)
{
	struct netlink_record *record;
	int rc = netlink_record_open(root, protocol, &record), fd = -1;

	if (rc)
		return rc;
	if (!netlink_record_answers(record)) {
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
		if (fd < 0) {
			rc = -errno;
			netlink_record_free(record);
			return rc;
		}
	}
	*ret_netlink = fd < 0 ? wrap(fd, largest, 1) : netlink_from_fd(fd, largest);
	(*ret_netlink)->record = record;
	return 0;
}

int netlink_open_groups(int protocol, const unsigned int *groups, size_t group_count,
			size_t largest, struct netlink **ret_netlink)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	const int bytes = GROUP_RECEIVE_BYTES;
	_cleanup_(closep) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
					  protocol);

	if (fd < 0)
		return -errno;
	/* The first needs CAP_NET_ADMIN; the second is limited by net.core.rmem_max. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	for (size_t i = 0; i < group_count; i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i],
			       sizeof(groups[i])))
			return -errno;
	*ret_netlink = wrap(fd, largest, 1);
	fd = -1;
	return 0;
}

void netlink_free(struct netlink *netlink)
{
	if (!netlink)
		return;
	if (nl_socket_get_fd(netlink->socket) < 0)
		closep(&netlink->fd);
	nl_socket_free(netlink->socket);
	netlink_record_free(netlink->record);
	free(netlink->slots);
	free(netlink);
}

bool netlink_is_recorded(const struct netlink *netlink)
{
	return netlink->record && !netlink_record_answers(netlink->record);
}

int netlink_fd(const struct netlink *netlink)
{
	return netlink->fd;
}

/* Numbers the messages and sends all of them with one system call. */
static int send_messages(struct netlink *netlink, const struct netlink_request *request,
			 struct netlink_exchange *exchange)
{
	struct iovec parts[NETLINK_BATCH];
	struct msghdr header = {.msg_iov = parts, .msg_iovlen = request->count};

	for (unsigned int i = 0; i < request->count; i++) {
		struct nlmsghdr *message = nlmsg_hdr(request->messages[i]);

		message->nlmsg_seq = nl_socket_use_seq(netlink->socket);
		parts[i] = (struct iovec){message, NLMSG_ALIGN(message->nlmsg_len)};
	}
	exchange->sequence = nlmsg_hdr(request->messages[0])->nlmsg_seq;
	exchange->count = exchange->left = request->count;
	exchange->record = netlink->record;
	netlink_record_ask(netlink->record, request);
	if (netlink_record_answers(netlink->record))
		return 0;
	/* An unconnected netlink socket sends to the kernel. */
	while (sendmsg(netlink->fd, &header, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int send_request(struct netlink *netlink, struct netlink_request *request,
			struct netlink_exchange *exchange)
{
	int error = request->overflow || !request->count
			    ? -EMSGSIZE
			    : send_messages(netlink, request, exchange);

	netlink_request_clear(request);
	return error;
}

/*
 * Returns the text of the extended acknowledgement after an error, `offset` bytes into the payload,
 * for the caller to free; or NULL.
 */
static char *error_text(const struct nlmsghdr *message, size_t offset)
{
	static const struct nla_policy policy[NLMSGERR_ATTR_MSG + 1];
	struct nlattr *table[ARRAY_SIZE(policy)];
	char *text = NULL;

	if (message->nlmsg_flags & NLM_F_ACK_TLVS &&
	    !netlink_parse(nlmsg_data(message), (size_t)nlmsg_datalen(message), offset, table,
			   ARRAY_SIZE(table), policy))
		netlink_get_text(table[NLMSGERR_ATTR_MSG], &text);
	return text;
}

/* Returns the error at the start of an NLMSG_ERROR or NLMSG_DONE message. */
static int message_error(const struct nlmsghdr *message)
{
	int error = 0;

	if (nlmsg_datalen(message) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(message), sizeof(error));
	else if (message->nlmsg_type == NLMSG_ERROR)
		return -EBADMSG;
	/* MAX_ERRNO, include/linux/err.h */
	return error > 0 || error < -4095 ? -EBADMSG : error;
}

/* Returns the offset of an NLMSG_ERROR message's attributes, which follow the echoed request. */
static size_t error_tlv_offset(const struct nlmsghdr *message)
{
	const struct nlmsgerr *refusal = nlmsg_data(message);

	if (nlmsg_datalen(message) < (int)sizeof(*refusal))
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
	netlink_record_end(exchange->record, index);
}

/* Passes an answer to the handler and keeps its result. */
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
static int take_message(void *context, const struct nlmsghdr *message)
{
	struct netlink_exchange *exchange = context;
	uint32_t index = message->nlmsg_seq - exchange->sequence;
	struct netlink_answer answer = {.payload = nlmsg_data(message),
					.length = (size_t)nlmsg_datalen(message)};

	/* Left over from an abandoned exchange, or sent twice. */
	if (index >= exchange->count || exchange->answered[index])
		return 0;
	netlink_record_take(exchange->record, index, message);
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
	return !exchange->left;
}

int netlink_take(struct netlink_exchange *exchange, const void *datagram, size_t length)
{
	return exchange->left ? netlink_walk(datagram, length, take_message, exchange) : 0;
}

/* Other processes may send to a netlink socket, and to the groups of some protocols, too. */
static bool from_kernel(const struct msghdr *header)
{
	const struct sockaddr_nl *sender = header->msg_name;

	return header->msg_namelen < sizeof(*sender) || sender->nl_family != AF_NETLINK ||
	       !sender->nl_pid;
}

/* Takes the datagrams of recvmmsg(). An error in one is noted, and the others still count. */
static void take_datagrams(struct netlink *netlink, struct netlink_exchange *exchange,
			   const struct mmsghdr *headers, unsigned int count)
{
	for (unsigned int i = 0; i < count && exchange->left; i++) {
		if (!from_kernel(&headers[i].msg_hdr))
			continue;
		if (headers[i].msg_hdr.msg_flags & MSG_TRUNC)
			note_error(exchange, -EMSGSIZE);
		else
			note_error(exchange,
				   netlink_take(exchange, netlink->slots + i * netlink->largest,
						headers[i].msg_len));
	}
}

/* Waits for one datagram and takes all that have arrived by then. Fails if none comes. */
static int receive(struct netlink *netlink, struct netlink_exchange *exchange, int flags)
{
	struct mmsghdr headers[MOST_SLOTS] = {0};
	struct sockaddr_nl senders[MOST_SLOTS];
	struct iovec parts[MOST_SLOTS];
	int count;

	if (netlink_record_answers(netlink->record))
		return netlink_record_receive(netlink->record, exchange);
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
	/* The kernel sends no empty datagrams; a closed socket pair looks like one. */
	if (!headers[0].msg_len)
		return -ECONNRESET;
	take_datagrams(netlink, exchange, headers, (unsigned int)count);
	return 0;
}

int netlink_ask_batch(struct netlink *netlink, struct netlink_request *request,
		      netlink_handler *handle, void *context)
{
	struct netlink_exchange exchange = {.handle = handle, .context = context};
	int error = send_request(netlink, request, &exchange);

	while (!error && exchange.left && !exchange.error)
		error = receive(netlink, &exchange, 0);
	/* The socket's memory ran out, so some answers were lost; take the others. */
	if (error == -ENOBUFS) {
		while (exchange.left && !receive(netlink, &exchange, MSG_DONTWAIT))
			;
	}
	return error ? error : exchange.error;
}

/* For callers that take the payload of answers. */
struct taking {
	netlink_taker *take;
	void *context;
};

static int take_payload(void *context, unsigned int index, const struct netlink_answer *answer)
{
	const struct taking *taking = context;

	(void)index;
	if (answer->error || !answer->payload)
		return answer->error ? answer->error : -EBADMSG;
	return taking->take(taking->context, answer->payload, answer->length);
}

int netlink_ask(struct netlink *netlink, struct netlink_request *request, netlink_taker *take,
		void *context)
{
	struct taking taking = {take, context};

	return netlink_ask_batch(netlink, request, take_payload, &taking);
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

int netlink_dump(struct netlink *netlink, struct netlink_request *request, netlink_taker *take,
		 void *context)
{
	struct taking taking = {take, context};
	struct netlink_exchange exchange = {.handle = take_payload, .context = &taking};
	int error = netlink_dump_begin(netlink, request, &exchange);

	/* Drain even after an error: the kernel runs only one dump per socket. */
	while (!error && exchange.left)
		error = netlink_dump_step(netlink, &exchange);
	if (!error)
		error = exchange.error;
	return error || !exchange.interrupted ? error : -EINTR;
}

/* Reads one datagram. -EAGAIN: there is none; -ENOBUFS: one or more were lost. */
static int read_datagram(struct netlink *netlink, netlink_datagram_handler *handle, void *context)
{
	struct sockaddr_nl sender;
	struct iovec part = {.iov_base = netlink->slots, .iov_len = netlink->largest};
	struct msghdr header = {.msg_name = &sender,
				.msg_namelen = sizeof(sender),
				.msg_iov = &part,
				.msg_iovlen = 1};
	ssize_t length = recvmsg(netlink->fd, &header, MSG_DONTWAIT);

	if (length < 0)
		return errno == EINTR ? 0 : -errno;
	if (!from_kernel(&header))
		return 0;
	if (!length)
		return -ECONNRESET; /* as in receive() */
	if (header.msg_flags & MSG_TRUNC)
		return -ENOBUFS;
	handle(context, netlink->slots, (size_t)length);
	return 0;
}

/*
 * A socket that overran accepts nothing until it has been drained (NETLINK_S_CONGESTED,
 * af_netlink.c), and does not report that again: so then the limit does not apply.
 */
int netlink_read(struct netlink *netlink, netlink_datagram_handler *handle, void *context)
{
	bool lost = false;

	for (unsigned int count = 0; lost || count < MOST_DATAGRAMS; count++) {
		int error = read_datagram(netlink, handle, context);

		if (error == -EAGAIN || error == -EWOULDBLOCK)
			break;
		if (error && error != -ENOBUFS)
			return error;
		lost |= error == -ENOBUFS;
	}
	return lost ? -ENOBUFS : 0;
}
