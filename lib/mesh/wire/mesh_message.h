/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The protocol between the coordinator of a mesh and its agents: messages have the format of
 * selftest's (lib/selftest/wire/layout.h); their records are in mesh_messages.def.
 *
 *	agent          coordinator
 *	hello     >
 *	          <    challenge        (or refused)
 *	response  >
 *	          <    admitted         (or refused)
 *	identity, rail ..., gap ..., slot ..., finding ..., ready  >     (or refused)
 *	          <    order ...
 *	answer ... >
 *	          <    bye
 *
 * Both sides prove the token; ping and pong may follow at any time after that.
 */
#pragma once

#include <sys/types.h>

#include "mesh/mesh.h"
#include "schema/problem.h"
#include "selftest/wire/message.h"

#define MESH_MAGIC	    0x52444d4du /* "RDMM" */
#define MESH_HEADER_VERSION 1u
/*
 * Protocol versions that hello and challenge negotiate; each includes those before it. From version
 * 2 on, an order may have MESH_BOTH_WAYS, and its answer is a both_answer; from version 3 on, an
 * agent also describes the ports that it cannot use; from version 4 on, where each port is; from
 * version 5 on, an answer may be MESH_APART.
 */
#define MESH_PROTOCOL_LOWEST	1u
#define MESH_PROTOCOL_BOTH_WAYS 2u
#define MESH_PROTOCOL_GAPS	3u
#define MESH_PROTOCOL_SLOTS	4u
#define MESH_PROTOCOL_APART	5u
#define MESH_PROTOCOL		5u
#define MESH_SLOT_BYTES		96u
#define MESH_MOST_BYTES		4096u /* header and body */
#define MESH_PORT		18778u
#define MESH_MOST_FINDINGS	64u /* of a host */
#define MESH_MOST_BPS		UINT64_C(1000000000000000)
#define MESH_MOST_PSEC		UINT64_C(3600000000000000)
/* Message units per unit of a result, which is Gb/s or microseconds. */
#define MESH_GBPS_UNIT 1e9
#define MESH_USEC_UNIT 1e6

#define MESH_LEAST_SILENCE_MSEC 500u

/* Part of the protocol: append new ones. */
enum mesh_refusal {
	MESH_REFUSAL_OTHER, /* `text` says why */
	MESH_REFUSAL_VERSION,
	MESH_REFUSAL_TOKEN,
	MESH_REFUSAL_TWICE,   /* another agent of this name came first */
	MESH_REFUSAL_FULL,    /* more agents than hosts were asked for, or too late */
	MESH_REFUSAL_BUSY,    /* others are using its rails */
	MESH_REFUSAL_NO_RAIL, /* no RDMA device, or none that is active */
	MESH_REFUSALS,
};

/* Figures of an answer that were measured. */
enum mesh_known {
	MESH_KNOWN_LATENCY = 1,
	MESH_KNOWN_BPS_A = 2,
	MESH_KNOWN_BPS_B = 4,
	MESH_KNOWN_ERRORS_A = 8,
	MESH_KNOWN_ERRORS_B = 16,
	/* in a both_answer only */
	MESH_KNOWN_BOTH_A = 1,
	MESH_KNOWN_BOTH_B = 2,
};

#define RECORD(record, name, ...) \
	struct record {           \
		__VA_ARGS__       \
	};
#define FIELD(record, type, member, least, most) type member;
#define TEXT(record, member, size)		 char member[size];
#define BYTES(record, member, size)		 char member[size];
#define IP(record, member)			 struct ip_address member;
#define NESTED(record, inner, member)		 struct inner member;
#include "mesh/wire/mesh_messages.def"

enum mesh_message_type {
#define MESSAGE(number, constant, name, record) MESH_MESSAGE_##constant = number,
#include "mesh/wire/mesh_messages.def"
	/* The numbers have no gaps. */
	MESH_MESSAGE_TYPES = 1
#define MESSAGE(number, constant, name, record) +1
#include "mesh/wire/mesh_messages.def"
};

struct mesh_message {
	uint32_t type; /* enum mesh_message_type */
	union {
		struct mesh_hello body; /* at the same address as every record */
#define MESSAGE(number, constant, name, record) struct record name;
#include "mesh/wire/mesh_messages.def"
	};
};

extern const struct wire_protocol mesh_protocol;

size_t mesh_message_encode(const struct mesh_message *message,
			   uint8_t bytes[static MESH_MOST_BYTES]);
/*
 * Decodes the first message of `length` bytes. Returns its size; 0 if it is incomplete; -EPROTO,
 * -EPROTONOSUPPORT, -EMSGSIZE or -ERANGE if it is none, and nothing after it can be trusted.
 */
ssize_t mesh_message_decode(const uint8_t *bytes, size_t length, struct mesh_message *message);

/* Convert a host or a result; their texts are cleaned in both directions. */
void mesh_answer_make(uint64_t id, const struct mesh_result *result, struct mesh_message *message);
void mesh_answer_take(const struct mesh_answer *answer, struct mesh_result *result);
/* The answer to an order with MESH_BOTH_WAYS. */
void mesh_both_answer_make(uint64_t id, const struct mesh_result *result,
			   struct mesh_message *message);
void mesh_both_answer_take(const struct mesh_both_answer *answer, struct mesh_result *result);
void mesh_refused_make(enum mesh_refusal refusal, const char *text, const char *hint,
		       struct mesh_message *message);
void mesh_finding_make(const char *check, const struct finding *finding,
		       struct mesh_message *message);
void mesh_gap_make(const struct mesh_gap *gap, struct mesh_message *message);
/* Allocates the strings of the gap. */
void mesh_gap_take(const struct mesh_gap_message *message, struct mesh_gap *gap);
/* Leaves the id unset; the finding is for finding_clear(). */
void mesh_finding_take(const struct mesh_finding *message, struct finding *finding);
/* Allocates the strings of the host; its rails come in messages of their own. */
void mesh_identity_make(const struct mesh_host *host, struct mesh_message *message);
void mesh_identity_take(const struct mesh_identity *identity, struct mesh_host *host);

/*
 * Messages over a nonblocking stream socket; received and unsent bytes are in bounded buffers that
 * exist only while they hold something.
 */

/* Limit of unsent bytes: orders on all rails, twice. A side that reads so slowly is given up. */
#define MESH_CHANNEL_MOST_UNSENT (64u << 10)

struct mesh_channel {
	int fd; /* -1: closed */
	uint8_t *in, *out;
	size_t in_at, in_length;   /* received, not yet decoded: in[in_at] ... */
	size_t out_at, out_length; /* not yet sent */
	size_t out_room;	   /* allocated bytes of `out` */
	/* everything that had arrived was read: nothing is left in the socket */
	bool drained;
	uint64_t heard_msec; /* when data last arrived; at first, when it was opened */
	uint64_t messages_in, messages_out, bytes_in, bytes_out;
};

/* Takes over the socket. */
void mesh_channel_open(struct mesh_channel *channel, int fd);
void mesh_channel_close(struct mesh_channel *channel);
/* Reads once. Returns 0 if data came, -EAGAIN, -ECONNRESET if the peer has ended, or -errno. */
int mesh_channel_receive(struct mesh_channel *channel);
/*
 * Takes the next received message. Returns 1, 0 if there is none, or the -errno of
 * mesh_message_decode(), after which the channel is unusable.
 */
int mesh_channel_next(struct mesh_channel *channel, struct mesh_message *message);
/* Queues a message. Returns -ENOBUFS if too much is waiting already. */
int mesh_channel_put(struct mesh_channel *channel, const struct mesh_message *message);
/*
 * Sends what is queued. Returns 0 if all is sent, -EAGAIN if it must first become writable, or
 * -errno.
 */
int mesh_channel_flush(struct mesh_channel *channel);

/*
 * Whether a side that last looked at `looked_msec` was itself stopped, perhaps with the whole host:
 * then the peer is not silent, but nobody listened. Pings come every quarter of the silence
 * timeout, so after a gap of up to half of it the last message is at most three quarters old, and
 * nobody is given up wrongly. Both sides look more often than that.
 */
bool mesh_was_stopped(uint64_t looked_msec, uint64_t now_msec, uint32_t silence_msec);

/*
 * The handshake of a mesh: both sides prove that they know the token, as in selftest, but with
 * other texts, so that a proof of one protocol is invalid in the other. Pure except for random
 * numbers.
 */

/* What a side remembers until its peer has proven itself. */
struct mesh_shake {
	struct mesh_challenge challenge;
	struct mesh_response response;
};

/* Makes the agent's first message; without a token it only says so. */
void mesh_shake_hello(const char *name, bool tokenless, struct mesh_message *message);
/*
 * Makes the coordinator's reply to a hello. Returns 0, -EPROTONOSUPPORT if both speak no common
 * version, or -errno.
 */
int mesh_shake_challenge(struct mesh_shake *shake, const struct mesh_hello *hello,
			 struct mesh_message *message);
/*
 * Makes the agent's reply to the challenge. Returns 0, -EPROTONOSUPPORT if the coordinator chose a
 * version that this side did not offer, or an error of nonce_make() or hmac_sha256().
 */
int mesh_shake_respond(struct mesh_shake *shake, const char *token,
		       const struct mesh_challenge *challenge, struct mesh_message *message);
/*
 * Checks that the agent knows the token, and fills `mac`. Returns 0, -EACCES, or an error of
 * hmac_sha256().
 */
int mesh_shake_admit(struct mesh_shake *shake, const char *token,
		     const struct mesh_response *response, struct mesh_admitted *admitted);
/* Checks that the coordinator knows the token. Returns 0, -EACCES, or an error of hmac_sha256(). */
int mesh_shake_check(const struct mesh_shake *shake, const char *token,
		     const struct mesh_admitted *admitted);
