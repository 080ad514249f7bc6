/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the interop tests: the agent that owns the queue pair and its memory, the row of the
 * current run, its samples, and the reasons for failures; also the messages of the pingpongs and
 * rping as bytes, observed from the programs of rdma-core 44.
 *
 * Functions that may fail the row return 0 or -errno; the row then has its verdict.
 */
#pragma once

#include "selftest/measure/measure.h"
#include "selftest/memory/pattern.h"
#include "selftest/diagnosis/diagnosis_rows.h"
#include "selftest/selftest.h"

/*
 * ibv_rc_pingpong, ibv_uc_pingpong and ibv_ud_pingpong, over TCP: the client sends its address, the
 * server answers with its own, then the client sends PINGPONG_DONE and closes. An address is the
 * LID, QPN, PSN and GID as 4:6:6:32 hexadecimal digits and a NUL. ibv_srq_pingpong sends
 * PINGPONG_LINES addresses: those of its queue pairs, then zeros.
 */
#define PINGPONG_LINE_BYTES 52
#define PINGPONG_LINES	    256u
#define PINGPONG_DONE	    "done" /* with its NUL */

struct pingpong_address {
	uint32_t lid;	/* 16 bits */
	uint32_t qpn;	/* 24 bits */
	uint32_t psn;	/* 24 bits */
	struct gid gid; /* zero without -g */
};

/*
 * Parses exactly `count` hexadecimal digits of either case, as printf() writes and scanf() reads
 * them, followed by the character `end`. Returns false if there is anything else.
 */
bool interop_take_hex(const char **text, size_t count, char end, uint64_t *ret);
void pingpong_format(const struct pingpong_address *address, char line[static PINGPONG_LINE_BYTES]);
/* Returns -EPROTO if the line has another format, or its queue pair may not be connected. */
int pingpong_parse(const char line[static PINGPONG_LINE_BYTES], struct pingpong_address *ret);
/* Writes `count` lines and then lines of zeros, PINGPONG_LINES in all. */
void pingpong_format_list(const struct pingpong_address *addresses, size_t count, char *lines);
/*
 * Returns 0, -EPROTO if the lines have another format or are not all of one port, or -E2BIG if
 * there are more than `most` queue pairs.
 */
int pingpong_parse_list(const char *lines, size_t most, struct pingpong_address *ret,
			size_t *ret_count);

/*
 * rping, over the queue pair: the client's messages say where the server may read from or write to.
 * The server's messages have the same length; their contents are ignored.
 */
#define RPING_INFO_BYTES 16

struct rping_info {
	uint64_t address;
	uint32_t key;
	uint32_t bytes;
};

void rping_info_encode(const struct rping_info *info, uint8_t bytes[static RPING_INFO_BYTES]);
void rping_info_decode(const uint8_t bytes[static RPING_INFO_BYTES], struct rping_info *ret);

/* The range of rping -c -S. */
#define RPING_LEAST_BYTES 23u
#define RPING_MOST_BYTES  65535u

/*
 * Fills in the text of rping's client in round `number`: "rdma-ping-N: ", then the characters from
 * 'A' to 'z' in turn, beginning with the next one in each round, and a NUL. The server writes back
 * everything up to and including the first NUL.
 */
void rping_text_fill(uint8_t *text, size_t bytes, uint64_t number);
/* Whether the text begins like that of any round. */
bool rping_text_is_usual(const uint8_t *text, size_t bytes);

struct interop;

/*
 * Returns the command to run on the other host, and how to find the options that are not known
 * here. The caller frees it.
 */
char *pingpong_command(const struct interop *session);
char *rping_command(const struct interop *session);
char *perftest_command(const struct interop *session);
char *ucmatose_command(const struct interop *session);
char *mckey_command(const struct interop *session);

/* A program on the other side. */
struct interop_role {
	const char *test;    /* pingpong */
	const char *program; /* ibv_rc_pingpong */
	const char *client_summary, *server_summary;
	enum selftest_connection connection;
	uint32_t kind;	    /* enum qp_kind */
	uint32_t depth;	    /* of a queue; 0: enough for a ping-pong */
	bool srq;	    /* several queue pairs, which share their receives; else one */
	bool by_active_mtu; /* the program uses the port's MTU by default */
	bool all_at_once;   /* all messages of a side are outstanding at once */
	bool back_too;	    /* a client's samples include the way back */
	uint32_t port;
	uint64_t bytes, least_bytes, most_bytes; /* a datagram is one packet in any case */
	uint64_t iterations, least_iterations;	 /* the program refuses fewer; 0: no limit */
	char *(*command)(const struct interop *session);
	/* Runs the client or the server; the rows have their verdicts then. */
	void (*run)(struct interop *session);
};

extern const struct interop_role pingpong_role, uc_pingpong_role, ud_pingpong_role,
	srq_pingpong_role, rping_role, ucmatose_role, mckey_role;
/* Returns NULL if no program of perftest does what is requested. */
const struct interop_role *perftest_role(const struct selftest_request *request);

struct interop {
	const struct selftest_request *request;
	const struct endpoint *local;
	struct selftest_results *results;
	const struct interop_role *role;
	bool server;
	struct agent *agent;
	char *peer;		/* clean; NULL: no client yet */
	char *command;		/* to run on the other host */
	struct endpoint remote; /* as far as known; no device name */
	uint32_t port, mtu_bytes, timeout_msec;
	uint32_t qps, depth;
	uint64_t bytes, iterations;
	struct selftest_result *row;
	bool marked; /* the row has its verdict */
	struct counter_list before;
	uint64_t begin_nsec;
	uint64_t done; /* iterations of the run */
	bool unseen;   /* what the other side did is not known: neither iterations nor bytes */
	struct sampler sampler;
	uint64_t bulk_nsec;	  /* of all messages, where single ones are not timed, or overlap */
	uint64_t bulk_messages;	  /* in that time */
	uint8_t *sent, *received; /* data of a message to send, and of the first to arrive */
	uint32_t header;	  /* bytes before the data that arrives */
	struct ibv_sge receive_part, send_part;
	struct ibv_recv_wr receive; /* the one receive that is outstanding */
	struct ibv_send_wr send;    /* a message */
	unsigned int seen;	    /* completions that were not awaited yet */
};

/* wr_id values, by what the requests do. */
enum { INTEROP_SENT = 1, INTEROP_RECEIVED = 2, INTEROP_MOVED = 4 };

/* Slots of the agent, and of its buffers. */
enum { INTEROP_CQ, INTEROP_QP = 0 };
enum { INTEROP_SENT_BUFFER, INTEROP_RECEIVED_BUFFER };

/* The other bits of the wr_id of a receive say at which place of the buffer it is. */
#define INTEROP_PLACE_SHIFT 8
#define INTEROP_WHAT_MASK   ((1u << INTEROP_PLACE_SHIFT) - 1)

/* QPNs 0 and 1 belong to the management interfaces (SMI, GSI). */
#define INTEROP_FIRST_QPN 2u

/* How long a queue pair still answers retransmissions after the last message. */
#define INTEROP_LINGER_MSEC 150

#define INTEROP_DISCONNECT_MSEC 2000u

void interop_say(const struct interop *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Begins a row for a run, and takes a first reading of the port's counters. */
void interop_row_begin(struct interop *session);
/* Whether the user interrupted the run or the device is gone, so that no client can follow. */
bool interop_is_over(const struct interop *session);
/* Begins a row for the client that has connected to this server. */
void interop_client_came(struct interop *session, const struct sockaddr_storage *address);
/*
 * Ends the row with all figures; it passes if it has no verdict yet. A server logs the row and
 * forgets its client.
 */
void interop_row_end(struct interop *session);

/*
 * Fails the row with entry `code` of a list of the diagnosis, unless it has a verdict already;
 * begins a row if there is none. The text fills {detail}. Returns -EIO.
 */
int interop_fail(struct interop *session, enum diagnosis_list list, int code);
int interop_fail_with(struct interop *session, enum diagnosis_list list, int code,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Fails the row with a diagnosis of these facts; those of the session are added. A test that the
 * user has interrupted is skipped instead.
 */
int interop_diagnose(struct interop *session, struct diagnosis_facts facts);
/* Fails the row because a call returned this errno (positive). */
int interop_fail_at(struct interop *session, enum stage stage, int error);
/* Fails the row because the agent refused or failed. */
int interop_fail_agent(struct interop *session);
/* Fails the row because a wait during the transfer was stopped. */
int interop_fail_stop(struct interop *session, enum stop stop);
/* Fails the row because of an unsuccessful completion. */
int interop_fail_status(struct interop *session, const struct ibv_wc *wc);
/* Fail the row unless a message has the session's length, or these data. */
int interop_check_length(struct interop *session, uint32_t bytes);
int interop_check_data(struct interop *session, const uint8_t *expected, const uint8_t *got);
void interop_remark(struct interop *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Creates a queue pair for a few outstanding requests, all of them signaled; the first also creates
 * the completion queue of all.
 */
int interop_make_qp(struct interop *session, uint32_t slot);
/* Registers a zeroed buffer of the agent. */
struct agent_buffer *interop_make_buffer(struct interop *session, uint32_t slot, uint64_t bytes,
					 uint32_t access);
/* Creates session->sent, session->received with `room` bytes, and the requests that use them. */
int interop_make_buffers(struct interop *session, uint64_t room, uint32_t access);
/* Returns the bytes that a message takes where it is received. */
static inline uint64_t interop_place_bytes(const struct interop *session)
{
	return session->header + session->bytes;
}
struct ibv_sge interop_part(const struct agent_buffer *buffer, size_t offset, uint32_t length);
/* Sets what the session receives into, and what it sends. */
void interop_set_parts(struct interop *session, struct ibv_sge receive, struct ibv_sge send);
int interop_post_receive(struct interop *session);
/* The same at a place of the buffer of interop_make_buffers(), or at all up to `count`. */
int interop_post_receive_at(struct interop *session, uint64_t place);
int interop_post_receives(struct interop *session, uint64_t count);
int interop_post_send(struct interop *session, uint32_t slot, struct ibv_send_wr *request);
/* Destroys all queue pairs, their queues and the buffers. */
void interop_release(struct interop *session);

/* The TCP connection of programs that exchange their addresses over TCP (interop_tcp.c). */
/* Sets the peer's port as the peer described it; fails the row if no QP can be connected to it. */
int interop_set_remote(struct interop *session, uint32_t lid, const struct gid *gid);
/* Returns the GID to tell the peer: none on InfiniBand, as a peer that is told one uses it. */
struct gid interop_own_gid(const struct interop *session);
/*
 * Moves a queue pair to a state, with the path, the timeout and the retries that the pingpongs and
 * perftest use.
 */
int interop_modify(struct interop *session, const struct message_modify *order);
int interop_connect_tcp(struct interop *session, int *ret_fd);
/* Fails the row because a step of the exchange, limited to `msec`, failed with `rc`. */
int interop_fail_exchange(struct interop *session, int rc, unsigned int msec);
/* Listens, and has `serve` handle each client, a row each, until it is over. */
void interop_serve_tcp(struct interop *session, void (*serve)(struct interop *session, int fd));

/* Starts watching a run; `channel` (or -1) is as in watch.h. */
int interop_run_begin(struct interop *session, int channel);
/* Stops watching; returns `rc`, the result of the run, but fails the row if it is -ECANCELED. */
int interop_run_end(struct interop *session, int rc);
/* A turn of a wait: returns -ECANCELED if the watch stops it. Counts the turns in `spins`. */
int interop_spin(const struct interop *session, unsigned int *spins);
/* Polls for one completion, without a system call. Returns -ECANCELED if the watch stops it. */
int interop_next_completion(struct interop *session, struct ibv_wc *wc);
/* The same, but fails the row if the completion is not a success. */
int interop_next_success(struct interop *session, struct ibv_wc *wc);

/*
 * The pingpongs of rdma-core: a message goes to the other side and back, `iterations` times. They
 * use one queue pair of RC, UC or UD, or several that share their receives (pingpong_many.c).
 */

/* The Q_Key of ibv_ud_pingpong. */
#define PINGPONG_QKEY 0x11111111u

/* The data that the other side is expected to send. */
enum pingpong_echo {
	ECHO_UNKNOWN,
	ECHO_OURS, /* what it received from here */
	ECHO_NONE, /* other data, which is not compared */
};

struct pingpong {
	struct interop *session;
	uint32_t remote_qpn;
	uint64_t posted_nsec, received_nsec;
	uint32_t received_bytes;
	enum pingpong_echo echo;
};

/* Compares a received message with the one sent, if the other side echoes. Returns 0 or -EIO. */
int pingpong_check(struct pingpong *run, const uint8_t *received);
/* Fills run->sent with the message of this round. */
void pingpong_fill(struct pingpong *run);

/* Runs the rounds; the row has its verdict then. */
void pingpong_exchange(struct pingpong *run);
/* The rounds on several queue pairs. Returns 0 or -errno. */
int pingpong_run_many(struct pingpong *run);
