/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exchange protocol between the two sides of a test, described in rdmactl-selftest(1): the near
 * side sends orders to the far side, which replies to each. A message on the wire is a header
 * (magic, version, type, length of the body, 32 bits each, big endian) and a body, whose fields
 * messages.def lists. Encoding and decoding are pure; a decoded message has passed every check that
 * needs no state: type, length, range of each field. Text in a message is as the peer sent it:
 * clean it before showing it.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/endpoint/endpoint.h"
#include "selftest/wire/layout.h"

#define MESSAGE_MAGIC	     0x52444d54u /* "RDMT" */
#define MESSAGE_VERSION	     1u /* of the header, the same in all versions of the protocol */
#define MESSAGE_HEADER_BYTES WIRE_HEADER_BYTES
#define MESSAGE_MOST_BYTES   4096u /* header and body */
#define MESSAGE_PORT	     18777u

/* The version of the protocol: a later release may speak several, and the hello names a range. */
#define PROTOCOL_VERSION 1u

/* Limits on what a client may request; a server that grants less says so when it admits one. */
#define LIMIT_BUFFERS	  8u
#define LIMIT_CQS	  4u
#define LIMIT_QPS	  16384u
#define LIMIT_DEPTH	  16384u
#define LIMIT_WORK	  65536u /* work requests for which all queue pairs of a side have room */
#define LIMIT_SGES	  32u
#define LIMIT_INLINE	  4096u			/* bytes */
#define LIMIT_BYTES	  (UINT64_C(256) << 20) /* of all buffers of a side */
#define LIMIT_COMPLETION  32u
#define LIMIT_COUNTERS	  72u
#define LIMIT_CONNECTIONS 16384u /* at a time, in connect_many and exchange_many */
#define LIMIT_AT_ONCE	  1024u	 /* in progress; max_backlog of rdma_ucm, ucma.c */
#define LIMIT_BATCH	  128u	 /* in one message of exchange_many */
#define LIMIT_PORTS	  16u	 /* in one reply */
#define LIMIT_WINDOWS	  4u
#define LIMIT_GID_INDEX	  255u /* struct ibv_global_route has 8 bits for it */
#define LIMIT_FLOW_LABEL  0xfffffu
#define LIMIT_TOKEN	  63u /* bytes */
#define NONCE_BYTES	  32u

#define LIMIT_24_BITS 0xffffffu
#define LIMIT_MSEC    3600000u

/* The values of these enumerations are part of the protocol: append new ones. */

/* Why a peer is not served, or an order is not carried out. */
enum refusal {
	REFUSAL_FAILED, /* `error` and `stage` say what failed */
	REFUSAL_VERSION,
	REFUSAL_TOKEN,
	REFUSAL_BUSY,
	REFUSAL_LIMIT,
	REFUSAL_ORDER,	 /* not in this state, or not with these values */
	REFUSAL_NO_PORT, /* no suitable device, port or GID */
	REFUSALS,
};

/* The step that failed. */
enum stage {
	STAGE_NONE,
	STAGE_RESOLVE,	  /* name, route, device, port and GID */
	STAGE_TCP,	  /* connecting to the peer's TCP port */
	STAGE_HANDSHAKE,  /* exchanging the data that both sides need */
	STAGE_LIBRARY,	  /* loading libibverbs or librdmacm */
	STAGE_OPEN,	  /* the device */
	STAGE_MEMORY,	  /* registering memory */
	STAGE_CREATE_QP,  /* and completion queues */
	STAGE_CONNECT_QP, /* INIT, RTR, RTS; address handles */
	STAGE_CM,	  /* librdmacm: an event and its status, or the errno of a call */
	STAGE_TRANSFER,
	STAGES,
};

/* The event that ended a wait or a measurement early. */
enum stop {
	STOP_NONE,
	STOP_TIMED_OUT,
	STOP_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
	STOP_PEER_GONE,	  /* the other side closed the connection */
	STOP_PEER_SPOKE,  /* the other side sent a message before the end */
	STOP_DEVICE_GONE,
	STOP_PORT_DOWN, /* never on the wire: each side detects it by itself */
	STOPS,
};

enum buffer_access { ACCESS_LOCAL = 1, ACCESS_WRITE = 2, ACCESS_READ = 4, ACCESS_ATOMIC = 8 };
enum qp_kind { QP_RC, QP_UC, QP_UD, QP_XRC };
enum post_flag { POST_SIGNALED = 1, POST_SOLICITED = 2, POST_INLINE = 4, POST_FENCE = 8 };
enum post_operation {
	POST_SEND,
	POST_SEND_IMMEDIATE,
	POST_WRITE,
	POST_WRITE_IMMEDIATE,
	POST_READ,
	POST_FETCH_ADD,
	POST_COMPARE_SWAP,
	POST_OPERATIONS,
};
/* Where the bytes of a buffer come from. */
enum memory_kind { MEMORY_PAGES, MEMORY_HUGE, MEMORY_ODP, MEMORY_DMABUF, MEMORY_KINDS };
/* The exporter of a dma-buf: the kernel's system heap, udmabuf, or an accelerator's library. */
enum memory_exporter {
	EXPORTER_SYSTEM,
	EXPORTER_UDMABUF,
	EXPORTER_CUDA,
	EXPORTER_HIP,
	MEMORY_EXPORTERS,
};
enum window_action { WINDOW_FREE, WINDOW_MAKE, WINDOW_BIND, WINDOW_INVALIDATE, WINDOW_ACTIONS };
enum run_mode { RUN_LATENCY, RUN_BANDWIDTH };
enum run_operation { RUN_SEND, RUN_WRITE, RUN_READ, RUN_ATOMIC, RUN_OPERATIONS };

/* struct span, struct work_completion ..., struct message_hello ... */
#define RECORD(record, name, ...) \
	struct record {           \
		__VA_ARGS__       \
	};
#define FIELD(record, type, member, least, most) type member;
#define TEXT(record, member, size)		 char member[size];
#define BYTES(record, member, size)		 char member[size];
#define GID(record, member)			 struct gid member;
#define IP(record, member)			 struct ip_address member;
#define NESTED(record, inner, member)		 struct inner member;
#define ITEMS(record, inner, member, most)	 struct inner member[most];
#include "selftest/wire/messages.def"

enum message_type {
#define MESSAGE(number, constant, name, record) MESSAGE_##constant = number,
#include "selftest/wire/messages.def"
};

/* Its size is the largest message number plus one: the numbers have gaps. */
union message_numbers {
#define MESSAGE(number, constant, name, record) char name[(number) + 1];
#include "selftest/wire/messages.def"
};
#define MESSAGE_TYPES ((uint32_t)sizeof(union message_numbers))

struct message {
	uint32_t type; /* enum message_type */
	union {
		struct message_hello body; /* at the offset of every record */
#define MESSAGE(number, constant, name, record) struct record name;
#include "selftest/wire/messages.def"
	};
};

/* Indexed by enum message_type; a type without a name does not exist. */
extern const struct message_row message_rows[MESSAGE_TYPES];

/* Returns the name of a type, "unknown" if there is none. Never NULL. */
const char *message_name(uint32_t type);
/* Returns the time limit that the order itself sets: its field timeout_msec, or 0. */
uint32_t message_timeout_msec(const struct message *order);
/* Encodes a message and returns its length, header included: at most MESSAGE_MOST_BYTES. */
size_t message_encode(const struct message *message, uint8_t bytes[static MESSAGE_MOST_BYTES]);
/*
 * Reads the message type and the length of the body from a header. Returns 0; -EPROTO: not this
 * protocol; -EPROTONOSUPPORT: another version of it (hello and refused have the same layout in all
 * versions and pass); -EMSGSIZE: a length that the type cannot have.
 */
int message_decode_header(const uint8_t bytes[static MESSAGE_HEADER_BYTES], uint32_t *ret_type,
			  size_t *ret_body_bytes);
/*
 * Decodes a body. Returns 0; -EPROTO: no such type; -EMSGSIZE: the body is not as long as its
 * fields; -ERANGE: a field is out of its range. On the last two *ret_field names the field, and
 * `message` may hold anything.
 */
int message_decode_body(uint32_t type, const uint8_t *body, size_t length, struct message *message,
			const char **ret_field);

/*
 * Messages over a stream socket, complete or not at all, within a time limit. The exchange ends if
 * the peer is slow, stops in the middle of a message or sends something else.
 */

/* How long the rest of a message may take after its first byte. */
#define EXCHANGE_REST_MSEC 5000u

/* Sends a message. Returns 0 or -errno: -EPIPE, -ECONNRESET, -ETIMEDOUT. */
int exchange_send(int channel, const struct message *message, unsigned int msec);
/*
 * Shuts down sending, and reads what the peer has sent: closing a socket with unread bytes resets
 * the connection, and the last message might be lost. The caller closes the socket.
 */
void exchange_end(int channel);
/*
 * Waits at most `msec` for the first byte of the next message, then EXCHANGE_REST_MSEC for the
 * rest. `signals` is a signalfd that ends the wait with -EINTR, or -1. Returns 0; -ECONNRESET: the
 * peer closed the connection; -ETIMEDOUT; -EPROTO, -EPROTONOSUPPORT, -EMSGSIZE, -ERANGE: not a
 * message, *ret_complaint is a constant string that says what is wrong with it.
 */
int exchange_receive(int channel, int signals, unsigned int msec, struct message *message,
		     const char **ret_complaint);
/*
 * Whether that ended in the middle of a message: the peer, or the network to it, broke down. It
 * says nothing about the program that sent the message, unless it was the first one.
 */
static inline bool exchange_was_cut_short(int rc, const char *complaint)
{
	return complaint && (rc == -ECONNRESET || rc == -ETIMEDOUT);
}
