/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the interop tests: the agent that owns queue pair and memory, the row of the current
 * run, its samples, and the reasons of failures; and the messages of the pingpongs and rping as
 * bytes, found out by watching the programs of rdma-core 44.
 *
 * Functions that may fail the row return 0 or -errno; the row has its verdict then.
 */
#pragma once

#include "selftest/measure/measure.h"
#include "selftest/memory/pattern.h"
#include "selftest/diagnosis/diagnosis_rows.h"
#include "selftest/selftest.h"

/*
 * ibv_rc_pingpong, ibv_uc_pingpong and ibv_ud_pingpong, over TCP: the client sends its address, the
 * server answers with its own one, the client sends PINGPONG_DONE and closes. An address is LID,
 * QPN, PSN and GID as hexadecimal digits, 4:6:6:32, and a NUL. ibv_srq_pingpong sends
 * PINGPONG_LINES of them, zeros after those of its queue pairs.
 */
#define PINGPONG_LINE_BYTES 52
#define PINGPONG_LINES	    256u
#define PINGPONG_DONE	    "done" /* with its NUL */

struct pingpong_address {
	uint32_t lid;	/* 16 bits */
	uint32_t qpn;	/* 24 bits */
	uint32_t psn;	/* 24 bits */
	struct gid gid; /* zero: without -g */
};

/*
 * Takes so many digits, lowercase or not, as printf() and scanf() have them, and the character
 * after them. False: there is another one.
 */
bool interop_take_hex(const char **text, size_t count, char end, uint64_t *ret);
void pingpong_format(const struct pingpong_address *address, char line[static PINGPONG_LINE_BYTES]);
/* 0 or -EPROTO: it is not exactly such a line, or names no queue pair that may be connected. */
int pingpong_parse(const char line[static PINGPONG_LINE_BYTES], struct pingpong_address *ret);
/* `count` lines and the zeros after them, PINGPONG_LINES in all. */
void pingpong_format_list(const struct pingpong_address *addresses, size_t count, char *lines);
/*
 * 0; -EPROTO: they are no such lines, or not all of one port; -E2BIG: more than `most` queue pairs.
 */
int pingpong_parse_list(const char *lines, size_t most, struct pingpong_address *ret,
			size_t *ret_count);

/*
 * rping, over the queue pair: a message of the client says where the server may read from or write
 * to. The server's messages have the same length, their contents are ignored.
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
 * The text of rping's client in round `number`: "rdma-ping-N: ", then the characters from 'A' to
 * 'z' in turn, starting with another one in each round, and a NUL. The server writes back
 * everything up to and including the first NUL.
 */
void rping_text_fill(uint8_t *text, size_t bytes, uint64_t number);
/* Whether it begins like that text of any round. */
bool rping_text_is_usual(const uint8_t *text, size_t bytes);

struct interop;

/*
 * The command to run on the other host, and how to find the options that are not known here. The
 * caller frees it.
 */
char *pingpong_command(const struct interop *session);
char *rping_command(const struct interop *session);
char *perftest_command(const struct interop *session);
char *ucmatose_command(const struct interop *session);
char *mckey_command(const struct interop *session);

/* A program, seen from one side. */
struct interop_role {
	const char *test;    /* pingpong */
	const char *program; /* of the other side */
	const char *client_summary, *server_summary;
	enum selftest_connection connection;
	uint32_t kind;	    /* enum qp_kind */
	uint32_t qps;	    /* 0: one, and the program has no option for it */
	uint32_t depth;	    /* of a queue; 0: enough for a ping-pong */
	bool srq;	    /* receives are those of all queue pairs */
	bool with_mtu;	    /* the program has an option for it */
	bool by_active_mtu; /* it takes the port's, unless it is told */
	uint32_t port;
	uint64_t bytes, least_bytes, most_bytes;
	uint64_t iterations, least_iterations; /* the program refuses less: 0 has no such limit */
	unsigned int client_transfers, server_transfers; /* of `bytes`, in the time of a sample */
	char *(*command)(const struct interop *session);
};

struct interop {
	const struct interop_request *request;
	const struct endpoint *local;
	struct selftest_results *results;
	const struct interop_role *role;
	bool server;
	struct agent *agent;
	char *peer;		/* clean; NULL: no client yet */
	char *command;		/* to run on the other host */
	struct endpoint remote; /* what is known of it; no device name */
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
	uint64_t bulk_nsec; /* of messages together, where single ones are not timed, or overlap */
	uint64_t bulk_messages;	  /* in that time */
	uint8_t *sent, *received; /* data of a message to send, and of the first that arrives */
	uint32_t header;	  /* of what arrives, before its data */
	struct ibv_sge receive_part, send_part;
	struct ibv_recv_wr receive; /* the one receive that is outstanding */
	struct ibv_send_wr send;    /* a message */
	unsigned int seen;	    /* completions that were not waited for yet */
};

/* The wr_id of requests, by what they do. */
enum { INTEROP_SENT = 1, INTEROP_RECEIVED = 2, INTEROP_MOVED = 4 };

/* Slots of the agent, and of its buffers. */
enum { INTEROP_CQ, INTEROP_QP = 0 };
enum { INTEROP_SENT_BUFFER, INTEROP_RECEIVED_BUFFER };

/* Where several receives are outstanding, the wr_id has the place of each in these bits. */
#define INTEROP_PLACE_SHIFT 8

/* QPNs 0 and 1 belong to the management interfaces (SMI, GSI). */
#define INTEROP_FIRST_QPN 2u

/* How long a queue pair answers retransmissions after the last message. */
#define INTEROP_LINGER_MSEC 150

#define INTEROP_DISCONNECT_MSEC 2000u

/* Some programs have all messages of a side outstanding at once: the most of them. */
#define INTEROP_MOST_MESSAGES 4096u

/*
 * Takes the request and opens the device. If it returns an error, a row says why. interop_end() has
 * to follow in any case.
 */
int interop_begin(struct interop *session, const struct interop_role *role,
		  const struct interop_request *request, const struct endpoint *local,
		  struct selftest_results *results);
/* Frees all but the rows; returns the value for the caller of the run. */
int interop_end(struct interop *session);
void interop_say(const struct interop *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Begins a row for a run, with a first reading of the port's counters. */
void interop_row_begin(struct interop *session);
/* The user ended it, or the device is gone: no further client. */
bool interop_is_over(const struct interop *session);
/* A server: a client came; begins a row for it. */
void interop_client_came(struct interop *session, const struct sockaddr_storage *address);
/*
 * Ends the row with all figures. It is a pass if nobody marked it; a server logs it and forgets the
 * client.
 */
void interop_row_end(struct interop *session);

/*
 * Fails the row with that row of the diagnosis, if it has no verdict yet; begins one if there is
 * none. `detail` is its {detail}, and freed; NULL: it has none. Always -EIO.
 */
int interop_fail(struct interop *session, enum diagnosis_list list, int code, char *detail);
/* The same by the facts; those of the session are added. */
int interop_diagnose(struct interop *session, struct diagnosis_facts facts);
/* Because a call returned this errno, positive. */
int interop_fail_at(struct interop *session, enum stage stage, int error);
/* Because the agent refused or failed. */
int interop_fail_agent(struct interop *session);
/* Because a wait during the transfer was stopped. */
int interop_fail_stop(struct interop *session, enum stop stop);
/* Because of a completion that is no success. */
int interop_fail_status(struct interop *session, const struct ibv_wc *wc);
int interop_fail_mismatch(struct interop *session, const struct pattern_mismatch *mismatch);
void interop_remark(struct interop *session, const char *text);
/* Frees the text. */
void interop_remark_owned(struct interop *session, char *text);

/*
 * A queue pair for a few outstanding requests, which all complete; the first one also makes the
 * completion queue of all.
 */
int interop_make_qp(struct interop *session, uint32_t slot, struct message_qp_created *created);
/* A zeroed buffer of the agent. */
struct agent_buffer *interop_make_buffer(struct interop *session, uint32_t slot, uint64_t bytes,
					 uint32_t access);
/* Makes session->sent and session->received, this with so many bytes, and what is posted of them.
 */
int interop_make_buffers(struct interop *session, uint64_t room, uint32_t access);
struct ibv_sge interop_part(const struct agent_buffer *buffer, size_t offset, uint32_t length);
/* What the session receives into, and sends. */
void interop_set_parts(struct interop *session, struct ibv_sge receive, struct ibv_sge send);
int interop_post_receive(struct interop *session);
int interop_post_send(struct interop *session, struct ibv_send_wr *request);
int interop_post_send_on(struct interop *session, uint32_t slot, struct ibv_send_wr *request);
/* Destroys queue pairs, CQ and buffers. */
void interop_release(struct interop *session);

/*
 * The TCP connection of programs that exchange their addresses that way (interop_tcp.c).
 */
int interop_refuse_iwarp(struct interop *session, int error);
/* The peer's port as it was told; fails the row if no queue pair can be connected to it. */
int interop_set_remote(struct interop *session, uint32_t lid, const struct gid *gid);
/* The GID that is told to the peer: on InfiniBand none, as a side that gets one uses it. */
struct gid interop_own_gid(const struct interop *session);
int interop_connect_tcp(struct interop *session, int *ret_fd);
/* A client's or a server's step of the exchange failed with -errno. */
int interop_fail_exchange(struct interop *session, int rc, unsigned int msec);
/* Listens, and lets `serve` treat each client, until it is over; a row each. 0 or -errno. */
int interop_serve_tcp(struct interop *session, void (*serve)(struct interop *session, int fd));

/* Starts watching a run, with `channel` (-1: none) as in watch.h. */
int interop_run_begin(struct interop *session, int channel);
/* Returns `rc`, how the run went. With -ECANCELED the row fails by what stopped it. */
int interop_run_end(struct interop *session, int rc);
/* Polls for one completion, without a system call. 0, or -ECANCELED: the watch stopped it. */
int interop_next_completion(struct interop *session, struct ibv_wc *wc);
/* Notes the duration of an iteration. */
void interop_sample(struct interop *session, uint64_t nsec);
