/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the interop tests have in common: the agent that owns queue pair and memory, the row of the
 * run that is going on, its samples, and words for what went wrong. For pingpong.c and rping.c.
 *
 * Functions that may fail the row return 0 or -errno; the row has its verdict then.
 */
#pragma once

#include "selftest/diagnosis/diagnosis.h"
#include "selftest/agent/agent.h"
#include "selftest/interop/interop.h"
#include "selftest/interop/interop_text.h"

/* One of the two programs, seen from one side. */
struct interop_role {
	const char *test;    /* pingpong */
	const char *program; /* of the other side */
	const char *client_summary, *server_summary;
	enum selftest_connection connection;
	uint32_t port;
	uint64_t bytes, most_bytes, iterations;
	unsigned int client_transfers, server_transfers; /* of `bytes`, in the time of a sample */
	char *(*command)(const struct interop_options *options);
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
	char *advice;		/* to do so */
	struct endpoint remote; /* what is known of it; no device name */
	uint32_t port, mtu_bytes, timeout_msec;
	uint64_t bytes, iterations;
	struct selftest_result *row;
	bool marked; /* the row has its verdict */
	struct counter_list before;
	uint64_t begin_nsec;
	uint64_t done;	   /* iterations of the run */
	uint64_t *samples; /* of every `stride`th iteration */
	size_t sample_count;
	uint64_t stride;
	uint64_t timed, sum_nsec; /* iterations with a sample, and the time of all of these */
};

/* Samples that are kept: of longer runs every second, fourth ... one. */
#define INTEROP_MOST_SAMPLES (1u << 20)

/* The wr_id of requests, by what they do. */
enum { INTEROP_SENT = 1, INTEROP_RECEIVED = 2, INTEROP_MOVED = 4 };

/* Slots of the agent. */
enum { INTEROP_QUEUE, INTEROP_PAIR = 0 };

/*
 * Takes the request, opens the device. Not 0: a row tells why not (or that the request is beyond
 * the limits). interop_end() belongs to it in any case.
 */
int interop_begin(struct interop *session, const struct interop_role *role, bool server,
		  const struct interop_request *request, const struct endpoint *local,
		  struct selftest_results *results);
/* Frees all but the rows; the return value of the whole run. */
int interop_end(struct interop *session);
void interop_say(const struct interop *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A row for the run that begins now, and its first reading of the port's counters. */
void interop_row_begin(struct interop *session);
void interop_read_counters(const struct endpoint *local, struct counter_list *list);
/* The user ended it, or the device is gone: no further client. */
bool interop_is_over(const struct interop *session);
/* A server: a client came; begins a row for it. */
void interop_client_came(struct interop *session, const struct sockaddr_storage *address);
/* Ends the row with all figures. It is a pass if nobody marked it; a server says it and forgets the
 * client. */
void interop_row_end(struct interop *session);

/* Fails the row, if it has no verdict yet; begins one if there is none. Always -EIO. */
int interop_fail(struct interop *session, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, diagnosed; what the session knows is added to the facts. */
int interop_diagnose(struct interop *session, struct diagnosis_facts facts);
/* What the agent could not do. */
int interop_fail_agent(struct interop *session);
/* Not 0, from ibv_post_send() or ibv_post_recv(). */
int interop_fail_post(struct interop *session, int rc);
/* What ended a wait during the transfer. */
int interop_fail_stop(struct interop *session, enum stop stop);
/* A completion that is no success. */
int interop_fail_status(struct interop *session, const struct ibv_wc *wc);
int interop_fail_mismatch(struct interop *session, const struct pattern_mismatch *mismatch);
void interop_remark(struct interop *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A completion queue and a queue pair for a few outstanding requests; all complete. */
int interop_make_pair(struct interop *session, struct message_paired *paired);
/* A zeroed buffer of the agent. */
struct agent_buffer *interop_make_buffer(struct interop *session, uint32_t slot, uint64_t bytes,
					 uint32_t access);
/* Destroys pair, queue and buffers. */
void interop_release(struct interop *session);

/* The run begins: from now on it is watched, with `channel` (-1: none) as in watch.h. */
int interop_run_begin(struct interop *session, int channel);
enum stop interop_run_end(struct interop *session);
/* Polls for one completion, without a system call. 0, or -ECANCELED: the watch stopped it. */
int interop_next_completion(struct interop *session, struct ibv_wc *wc);
/* An iteration took so long, by clock_raw_nsec(). */
void interop_sample(struct interop *session, uint64_t nsec);
