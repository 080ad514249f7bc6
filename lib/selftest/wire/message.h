/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The exchange protocol between the two sides of a test, described in rdmactl-selftest(1): orders
 * of the near side to the far one, and a reply to each. A message on the wire is a header (magic,
 * version, type, length of the body, 32 bits each, big endian) and a body whose fields are laid out
 * by one table for each type. Encoding and decoding are pure; a decoded message has passed every
 * check that needs no state: type, length, range of each field. Text in it
 * is what the peer sent: clean it before it is shown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/endpoint/endpoint.h"

#define MESSAGE_MAGIC	     0x52444d54u /* "RDMT" */
#define MESSAGE_VERSION	     1u
#define MESSAGE_HEADER_BYTES 16u
#define MESSAGE_MOST_BYTES   4096u /* header and body */
#define MESSAGE_PORT	     18777u

/* What a client may ask for; a server tells in its welcome if it grants less. */
#define LIMIT_BUFFERS	 8u
#define LIMIT_QUEUES	 4u
#define LIMIT_PAIRS	 64u
#define LIMIT_DEPTH	 16384u
#define LIMIT_WORK	 65536u /* places for work requests in all queues of a side */
#define LIMIT_SGES	 16u
#define LIMIT_BYTES	 (256ull << 20) /* of all buffers of a side */
#define LIMIT_COMPLETION 32u

/* Their numbers are part of the protocol: new ones come last. */
enum message_type {
	MESSAGE_HELLO = 1,
	MESSAGE_WELCOME = 2,
	MESSAGE_REFUSED = 3, /* to an order: it was not carried out */
	MESSAGE_OPEN = 4,
	MESSAGE_OPENED = 5,
	MESSAGE_BUFFER = 6,
	MESSAGE_BUFFERED = 7,
	MESSAGE_FILL = 8,
	MESSAGE_CHECK = 9,
	MESSAGE_CHECKED = 10,
	MESSAGE_QUEUE = 11, /* a completion queue */
	MESSAGE_PAIR = 12,  /* a queue pair */
	MESSAGE_PAIRED = 13,
	MESSAGE_MODIFY = 14,
	MESSAGE_QUERY = 15,
	MESSAGE_QUERIED = 16,
	MESSAGE_ADDRESS = 17, /* an address handle */
	MESSAGE_POST = 18,
	MESSAGE_RECEIVE = 19,
	MESSAGE_WAIT = 20,
	MESSAGE_WAITED = 21,
	MESSAGE_LISTEN = 22,
	MESSAGE_LISTENING = 23,
	MESSAGE_ACCEPT = 24,
	MESSAGE_CONNECT = 25,
	MESSAGE_CONNECTED = 26,
	MESSAGE_DISCONNECT = 27,
	MESSAGE_JOIN = 28,
	MESSAGE_JOINED = 29,
	MESSAGE_LEAVE = 30,
	MESSAGE_RUN = 31,
	MESSAGE_RAN = 32,
	MESSAGE_GATHER = 33, /* answered by MESSAGE_RAN */
	MESSAGE_COUNTERS = 34,
	MESSAGE_COUNTED = 35,
	MESSAGE_RELEASE = 36, /* everything but the device */
	MESSAGE_DONE = 37,    /* carried out, nothing to tell */
	MESSAGE_BYE = 38,
	MESSAGE_TYPES,
};

/* Why a peer is not served, or an order not carried out. */
enum refusal {
	REFUSAL_FAILED, /* `error` and `stage` tell */
	REFUSAL_VERSION,
	REFUSAL_TOKEN,
	REFUSAL_BUSY,
	REFUSAL_LIMIT,
	REFUSAL_ORDER,	 /* not now, or not with these values */
	REFUSAL_NO_PORT, /* no device, port or GID that fits */
	REFUSALS,
};

struct message_hello {
	uint32_t lowest, highest; /* versions that the client speaks */
	char release[32];	  /* of rdmactl, for people */
	char token[64];
};

struct message_welcome {
	uint32_t version;
	uint32_t pairs;		    /* most that the server grants */
	uint64_t bytes;		    /* of all buffers; a client does not ask for more */
	char release[32], host[64]; /* for people who look at the wire */
};

struct message_refused {
	uint32_t refusal;
	uint32_t stage; /* enum diagnosis_stage */
	uint32_t error; /* errno, or 0 */
	uint32_t cm_event;
	uint32_t cm_status;
	uint32_t lowest, highest;
	uint64_t wanted_bytes; /* memory that could not be registered */
	uint64_t limit_bytes;  /* RLIMIT_MEMLOCK then; UINT64_MAX: none */
	char text[200];
};

/* Whom the client is, so that the server finds a port and GID that can talk to it. */
struct message_open {
	struct endpoint near;
	uint32_t with_gid_index; /* the client names the server's GID index */
	uint32_t gid_index;
	uint32_t mtu_bytes; /* that the client wishes for; 0: what both ports have */
};

struct message_opened {
	struct endpoint far;
	uint32_t max_sges;
	uint32_t max_depth;
	uint32_t max_pairs;
	uint32_t max_reads; /* outstanding RDMA reads and atomics that it answers */
	uint32_t atomics;
	uint32_t shared_receive;
	uint32_t multicast;
	uint32_t vendor; /* vendor_id of the device: tells a driver with its own ways */
};

enum buffer_access { ACCESS_LOCAL = 1, ACCESS_WRITE = 2, ACCESS_READ = 4, ACCESS_ATOMIC = 8 };

struct message_buffer {
	uint32_t slot;
	uint32_t domain; /* 0 or 1: a second one for the tests that must fail */
	uint32_t access; /* enum buffer_access */
	uint64_t bytes;	 /* 0 frees it */
};

struct message_buffered {
	uint64_t address;
	uint32_t local_key, remote_key;
};

/*
 * Part of a buffer: `blocks` of `block_bytes`, each `stride` after the one before. The pattern runs
 * through the blocks as if they were one piece.
 */
struct span {
	uint32_t buffer;
	uint32_t blocks;
	uint64_t offset;
	uint64_t block_bytes;
	uint64_t stride;
};

struct message_fill {
	struct span span;
	uint64_t seed;
	uint32_t constant; /* 1: every byte is the low byte of the seed, no pattern */
};

struct message_checked {
	uint32_t equal;
	uint64_t offset; /* of the first difference, in the pattern */
	uint32_t expected, got;
	uint64_t different; /* bytes that differ */
};

struct message_queue {
	uint32_t slot;
	uint32_t entries; /* 0 destroys it */
	uint32_t channel; /* with a completion channel */
};

enum pair_kind { PAIR_RC, PAIR_UC, PAIR_UD };

struct message_pair {
	uint32_t slot;
	uint32_t destroy;
	uint32_t kind; /* enum pair_kind */
	uint32_t queue;
	uint32_t shared; /* its receives come from the shared receive queue */
	uint32_t send_depth, receive_depth;
	uint32_t sges;
	uint32_t inline_bytes;
	uint32_t signal_all;
	uint32_t domain;
};

struct message_paired {
	uint32_t number; /* QPN */
	uint32_t packet; /* the PSN that its sends begin with */
	uint32_t inline_bytes;
};

/* One step of the state walk. What a step does not need is ignored. */
struct message_modify {
	uint32_t slot;
	uint32_t state;		 /* enum ibv_qp_state */
	uint32_t access;	 /* enum buffer_access */
	uint32_t number, packet; /* of the other side */
	struct endpoint to;
	uint32_t mtu_bytes;
	uint32_t reads;	  /* outstanding reads and atomics, both ways */
	uint32_t timeout; /* 4.096 us * 2^timeout */
	uint32_t retries, rnr_retries;
	uint32_t rnr_timer; /* code of the table in the InfiniBand specification, 9.7.5.2.8 */
	uint32_t qkey;
	uint32_t service_level;
};

struct message_query {
	uint32_t slot;
};

struct message_queried {
	uint32_t state;
	uint32_t number;
	uint32_t mtu_bytes;
	uint32_t inline_bytes;
	uint32_t access;
};

struct message_address {
	uint32_t slot; /* of the UD queue pair it is for */
	struct endpoint to;
	uint32_t service_level;
};

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
enum post_flag { POST_SIGNALED = 1, POST_SOLICITED = 2, POST_INLINE = 4, POST_FENCE = 8 };

struct message_post {
	uint32_t slot;
	uint32_t operation; /* enum post_operation */
	uint32_t flags;	    /* enum post_flag */
	uint32_t count;	    /* so many times the same; POST_SIGNALED: only the last is */
	uint64_t id;	    /* of the first; each has one more */
	struct span span;   /* each block is a scatter/gather element; blocks 0: no data */
	uint64_t remote_address;
	uint32_t remote_key;
	uint32_t immediate;
	uint64_t operand; /* what is added, or compared with */
	uint64_t swap;
	uint32_t number, qkey; /* UD: the other side's QPN and Q_Key */
	uint32_t bad_key;      /* 1: with a local key that belongs to nobody */
};

struct message_receive {
	uint32_t slot;
	uint32_t shared; /* to the shared receive queue, the slot is ignored */
	uint32_t count;
	uint64_t id;
	struct span span;
	uint64_t step; /* each receive's data begins so many bytes after the one before */
};

struct message_wait {
	uint32_t queue;
	uint32_t count;	       /* completions to wait for, at most LIMIT_COMPLETION */
	uint32_t timeout_msec; /* then it answers with those that are there */
	uint32_t by_event;     /* sleeps on the completion channel; else polls */
	uint32_t solicited;    /* by_event: only for solicited ones */
};

struct work_completion {
	uint64_t id;
	uint32_t status;    /* enum ibv_wc_status */
	uint32_t operation; /* enum ibv_wc_opcode; only with success */
	uint32_t bytes;
	uint32_t with_immediate;
	uint32_t immediate;
	uint32_t with_grh;
	uint32_t number; /* QPN of this side's queue pair */
	uint32_t source; /* UD: QPN of the sender */
	uint32_t vendor_error;
};

struct message_waited {
	uint32_t count;
	uint32_t events; /* wake-ups by the channel */
	uint32_t stop;	 /* enum stop: why it ended before */
	struct work_completion items[LIMIT_COMPLETION];
};

struct message_listen {
	uint32_t family; /* of the address to listen at: the endpoint's ip */
};

struct message_listening {
	struct ip_address ip;
	uint32_t port;
};

struct message_accept {
	uint32_t slot;
	uint32_t cookie; /* in the private data of the connect request */
	uint32_t timeout_msec;
	uint32_t reads;
	uint32_t rnr_retries;
};

struct message_connect {
	uint32_t slot;
	uint32_t cookie;
	struct ip_address ip;
	uint32_t port;
	uint32_t timeout_msec;
	uint32_t reads;
	uint32_t retries, rnr_retries;
};

struct message_connected {
	uint32_t cookie; /* what the other side's private data holds */
	uint64_t address_nsec, route_nsec, connect_nsec; /* how long each step took */
};

struct message_disconnect {
	uint32_t slot;
	uint32_t active; /* 1: starts it; 0: waits for the other side's */
	uint32_t timeout_msec;
};

struct message_join {
	uint32_t slot; /* of a UD queue pair */
	struct ip_address group;
	uint32_t timeout_msec;
};

struct message_joined {
	struct gid gid;
	uint32_t lid;
	uint32_t qkey;
	uint32_t number;
};

struct message_leave {
	uint32_t slot;
};

enum run_mode { RUN_LATENCY, RUN_BANDWIDTH };
enum run_operation { RUN_SEND, RUN_WRITE, RUN_READ, RUN_ATOMIC, RUN_OPERATIONS };

/* Both sides get the same, but for `active`, the key and the address. */
struct message_run {
	uint32_t mode;	    /* enum run_mode */
	uint32_t operation; /* enum run_operation */
	uint32_t active;    /* the side that begins and measures */
	uint32_t pairs;	    /* slots 0 ... pairs - 1 */
	uint32_t queue;	    /* the completion queue of all of them */
	uint32_t buffer;
	uint64_t bytes;	     /* of a message */
	uint64_t iterations; /* of all pairs together, warm-up included; 0: by duration */
	uint64_t warmup;     /* the first so many do not count */
	uint64_t duration_msec;
	uint32_t depth; /* outstanding on each pair */
	uint32_t batch; /* work requests posted at once */
	uint32_t signal_every;
	uint32_t inline_bytes; /* messages up to this size are sent inline */
	uint64_t remote_address;
	uint32_t remote_key;
	uint64_t seed;
};

struct message_ran {
	uint64_t elapsed_nsec;
	uint64_t iterations; /* that counted */
	uint32_t status;     /* enum ibv_wc_status of the completion that ended it */
	uint32_t vendor_error;
	uint32_t stop; /* enum stop */
};

/*
 * A timed loop of transfers between blocks here and one piece there, or, for POST_SEND, of
 * ping-pongs from blocks to blocks: the active side begins, the other one sends back what came. The
 * receives for the first message are posted before. More blocks than the queue pair has
 * scatter/gather elements are several work requests, posted as one list.
 */
struct message_gather {
	uint32_t slot;
	uint32_t queue;
	uint32_t operation; /* POST_SEND, POST_WRITE or POST_READ */
	uint32_t active;
	uint32_t packed;     /* 1: the CPU packs and unpacks, what is transferred is one piece */
	uint64_t iterations; /* warm-up included */
	uint64_t warmup;     /* the first so many do not count */
	struct span from;    /* of a send or write */
	struct span to;	     /* of a read, or of what is received */
	uint64_t piece;	     /* packed: where in buffer `from` or `to`; a send needs two of them */
	uint64_t remote_address;
	uint32_t remote_key;
};

struct counter_reading {
	char name[40];
	uint64_t value;
};

#define LIMIT_COUNTERS 72u

struct message_counted {
	uint32_t count;
	struct counter_reading items[LIMIT_COUNTERS];
};

struct message {
	uint32_t type; /* enum message_type */
	union {
		struct message_hello hello;
		struct message_welcome welcome;
		struct message_refused refused;
		struct message_open open;
		struct message_opened opened;
		struct message_buffer buffer;
		struct message_buffered buffered;
		struct message_fill fill; /* of MESSAGE_CHECK, too */
		struct message_checked checked;
		struct message_queue queue;
		struct message_pair pair;
		struct message_paired paired;
		struct message_modify modify;
		struct message_query query;
		struct message_queried queried;
		struct message_address address;
		struct message_post post;
		struct message_receive receive;
		struct message_wait wait;
		struct message_waited waited;
		struct message_listen listen;
		struct message_listening listening;
		struct message_accept accept;
		struct message_connect connect;
		struct message_connected connected;
		struct message_disconnect disconnect;
		struct message_join join;
		struct message_joined joined;
		struct message_leave leave;
		struct message_run run;
		struct message_ran ran;
		struct message_gather gather;
		struct message_counted counted;
	};
};

/* Bytes of the message on the wire, header included: always at most MESSAGE_MOST_BYTES. */
size_t message_encode(const struct message *message, uint8_t bytes[static MESSAGE_MOST_BYTES]);
/*
 * What the header says: the type and the bytes of the body that follow it. -EPROTO: not this
 * protocol; -EPROTONOSUPPORT: another version of it (a hello and a refusal have the same layout in
 * all versions and pass); -EMSGSIZE: a length that the type cannot have.
 */
int message_decode_header(const uint8_t bytes[static MESSAGE_HEADER_BYTES], uint32_t *ret_type,
			  size_t *ret_body_bytes);
/*
 * -EMSGSIZE: the body is not as long as its fields; -ERANGE: a field has a value that it cannot
 * have, *ret_field names it. `message` may hold anything then.
 */
int message_decode_body(uint32_t type, const uint8_t *body, size_t length, struct message *message,
			const char **ret_field);
/* The type in words, for what is said about a peer. */
const char *message_name(uint32_t type);
