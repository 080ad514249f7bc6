/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The language of the tests: both sides of a connection, the row that the running test fills, and
 * steps that mark the row and return non-zero when they fail, so that a test reads
 *
 *	if (trial_connect(trial, 0, &shape, NULL) || trial_fill(...) || trial_post(...))
 *		return;
 *
 * A row that nobody marked is a pass. Everything that a test creates (queues, queue pairs, buffers)
 * is released after it on both sides. TRIAL_DATA is the slot of the buffer that transfers use.
 */
#pragma once

#include "selftest/diagnosis/diagnosis.h"
#include "selftest/record/record.h"
#include "selftest/trial/side.h"

enum trial_needs {
	TEST_NEEDS_ATOMICS = 1 << 0,
	TEST_NEEDS_SRQ = 1 << 1,
	TEST_NEEDS_UC = 1 << 2, /* not on iWARP, nor where the device refuses such a queue pair */
	TEST_NEEDS_UD = 1 << 3,
	TEST_NEEDS_MULTICAST = 1 << 4,
	TEST_NEEDS_IMMEDIATE = 1 << 5,	 /* not on iWARP before RFC 7306 */
	TEST_NEEDS_OWN_CONNECT = 1 << 6, /* connected by its attributes, not by librdmacm */
	TEST_NEEDS_PROCESSOR = 1 << 12,	 /* it reaches the memory while data flow */
};

struct trial;
struct fault;

/* A test as a row of a table. */
struct trial_test {
	const char *id; /* rc-write */
	enum selftest_group group;
	const char *summary; /* what it shows, lower case, no full stop */
	unsigned int needs;  /* enum trial_needs: a device that lacks one skips the test */
	void (*run)(struct trial *trial);
	uint64_t value;		    /* for run(): a size, or the variant of a family of tests */
	const struct fault *faults; /* of a fault test: tests.h */
};

struct trial {
	struct side near, far;
	struct message_opened near_can, far_can;	/* `far` holds the side's own endpoint */
	struct message_limited near_limits, far_limits; /* trial_ask_limits(); else 0: unknown */
	struct message_welcome granted;			/* what the far side lets the tests use */
	uint64_t granted_msec;				/* its longest run; 0: any */
	const struct selftest_request *request;
	struct selftest_results *results;
	const struct trial_test *test;
	struct selftest_result *result; /* of the running test; freed once it is printed */
	const char *id;			/* of that row */
	uint64_t row_begin_nsec;
	uint32_t number;	       /* of the running test, for the seeds of patterns */
	struct counter_list before[2]; /* of near and far, read before the first test */
	uint32_t cookie;	       /* of the last connection by librdmacm */
	struct message_pinned near_pinned, far_pinned;
	const struct ip_address *group; /* that a side is joining, or NULL */
	bool by_cm;			/* queue pairs are connected by librdmacm */
	bool hidden;			/* memory that a processor reaches by copies only */
	bool marked;			/* the row has its verdict */
	const char *blocked;		/* the test that found that no packet gets through */
	enum stop stop;			/* nothing more can be tested */
};

/* Slots that the helpers use on both sides. */
#define TRIAL_DATA 0u /* buffer */
#define TRIAL_CQ   0u

/* How to create a queue pair; zero is a default that suits most tests. */
struct qp_shape {
	uint32_t kind;		/* enum qp_kind */
	uint32_t send_depth;	/* 0: 16 */
	uint32_t receive_depth; /* 0: 16 */
	uint32_t sges;		/* 0: 1 */
	uint32_t inline_bytes;
	uint32_t entries; /* of each completion queue; 0: both depths */
	uint32_t queues;  /* completion queues, which the slots have in turn; 0: one */
	bool unsignaled;  /* only posts with POST_SIGNALED complete; else all do */
	bool srq;	  /* receives of the far side from a shared receive queue */
	bool channel;	  /* completion queues with a channel */
	bool keep_cq;	  /* the completion queues exist: a further queue pair on them */
	uint32_t cq;	  /* slot of the first completion queue; 0 is TRIAL_CQ */
	bool near_domain; /* the near queue pair in the second protection domain; buffers are not */
	bool far_domain;
	/*
	 * Use the next three as they are; else 67 ms and 6 retries, but 7 for messages of many
	 * packets: the row's size_bytes must be set before the queue pair is created.
	 */
	bool exact_retries;
	uint32_t retries, rnr_retries;
	uint32_t timeout;	/* 4.096 us * 2^timeout */
	uint32_t far_access;	/* enum buffer_access of the far queue pair; 0: trial_access() */
	uint32_t max_rd_atomic; /* 0: 1 */
};

#define TRIAL_QKEY 0x11111111u
struct qp_numbers {
	uint32_t near, far; /* QPNs */
	uint32_t near_psn, far_psn;
};
/*
 * Makes slot `slot` (and the completion queues for slot 0) on both sides and brings both
 * queue pairs to RTS, by the exchange or by librdmacm as the trial does; UD queue pairs get each
 * other's address and Q_Key TRIAL_QKEY. `shape` may be NULL, if it is the usual one, and
 * `numbers`: after a failure they mean nothing, and with XRC they are of the queue pairs that
 * receive.
 */
int trial_connect(struct trial *trial, uint32_t slot, const struct qp_shape *shape,
		  struct qp_numbers *numbers);
/* The same with the slots 0 to count - 1; `numbers` has room for all. */
int trial_connect_all(struct trial *trial, uint32_t count, const struct qp_shape *shape,
		      struct qp_numbers *numbers);
/* The first step of it, for tests that stop in between: both queue pairs, in RESET. */
int trial_make_qps(struct trial *trial, uint32_t slot, const struct qp_shape *shape,
		   struct qp_numbers *numbers);
/* Brings one side's queue pair to a state. */
int trial_modify(struct trial *trial, struct side *side, uint32_t slot, uint32_t state,
		 const struct qp_shape *shape, const struct qp_numbers *numbers);
int trial_query(struct trial *trial, struct side *side, uint32_t slot, struct message_queried *ret);
/* ibv_query_qp() must return this state. */
int trial_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state);
/*
 * Ends an order that the far side still carries out, which waits for something that does not come,
 * and finishes it.
 */
int trial_abandon(struct trial *trial, const struct message *order, unsigned int msec,
		  struct message *held);
/*
 * Finishes the far side's order to accept what the near side has begun, which returned `rc`; either
 * may have failed the row.
 */
int trial_finish_accept(struct trial *trial, const struct message *accept, unsigned int msec,
			struct message *held, int rc);

/* A buffer of that size on one side, zeroed; *ret may be NULL. access 0: all that are safe. */
int trial_buffer(struct trial *trial, struct side *side, uint32_t slot, uint64_t bytes,
		 uint32_t access, struct message_buffered *ret);
/* One of `bytes` in slot TRIAL_DATA on both sides; the far one's key and address in *ret. */
int trial_buffers(struct trial *trial, uint64_t bytes, struct message_buffered *ret);
/* Contiguous bytes of slot TRIAL_DATA. */
struct span trial_span(uint64_t offset, uint64_t bytes);
/* The pattern of this test and `iteration` into the span, or its check, which fails the row. */
int trial_fill(struct trial *trial, struct side *side, struct span span, uint32_t iteration);
int trial_check(struct trial *trial, struct side *side, struct span span, uint32_t iteration);
/* The same with one constant byte: the part that a transfer must leave alone. */
int trial_fill_constant(struct trial *trial, struct side *side, struct span span, uint8_t byte);
int trial_check_constant(struct trial *trial, struct side *side, struct span span, uint8_t byte);
/* A signaled send of the span. */
struct message_post trial_send(uint64_t id, struct span span);
int trial_post(struct trial *trial, struct side *side, const struct message_post *post);
int trial_receive(struct trial *trial, struct side *side, const struct message_receive *receive);
/*
 * Waits for `count` completions of TRIAL_CQ, whatever their status; fewer within the time fail the
 * row, with what ended the wait. It lasts up to 5 s, and a second more for each 64 kB of the row's
 * size.
 */
int trial_wait(struct trial *trial, struct side *side, uint32_t count, struct message_waited *ret);
/* The same for one completion, by the completion channel. */
int trial_wait_event(struct trial *trial, struct side *side, struct message_waited *ret);
/* Waits for one completion at most `msec`; it is no failure if none comes. */
int trial_look(struct trial *trial, struct side *side, uint32_t msec, struct message_waited *ret);
/* For `count` completions that must be successes. */
int trial_expect_successes(struct trial *trial, struct side *side, uint32_t count,
			   struct message_waited *ret);
/* For one completion that must be a success with this id; *ret (may be NULL) gets it. */
int trial_expect(struct trial *trial, struct side *side, uint64_t id, struct work_completion *ret);
/* A completion that must have this status (enum ibv_wc_status), else the row fails. */
int trial_expect_status(struct trial *trial, struct side *side, uint64_t id, uint32_t status);
/* A completion within `msec` fails the row. */
int trial_expect_none(struct trial *trial, struct side *side, uint32_t msec);
/* The row's status, if it has none yet. */
void trial_note_status(struct trial *trial, uint32_t status);
/*
 * Fails the row because a side_...() returned `rc`, with a diagnosis, and with the counters'
 * evidence if it was the network; nothing if that is 0. Returns rc.
 */
int trial_explain(struct trial *trial, struct side *side, int rc);
/* Fails the row because of a completion that is no success: always returns -EIO. */
int trial_explain_status(struct trial *trial, struct side *side,
			 const struct work_completion *item);
int trial_explain_ran(struct trial *trial, struct side *side, const struct message_ran *ran);

/*
 * The verdict of the row, if it has none yet; text is the sentence, `hint` may be NULL. Always
 * returns -EBADE: the row says why.
 */
int trial_fail(struct trial *trial, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a diagnosis, which it clears. */
void trial_fail_as(struct trial *trial, struct diagnosis *diagnosis);
void trial_skip(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A remark in the row of a pass, after those that it has; the same one only once. */
void trial_remark(struct trial *trial, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Finishes the row and begins another one for a further case of the same test. */
void trial_next_row(struct trial *trial, const char *id, const char *summary);

/*
 * Runs the tests of the table that the request selects, a row each; a test that the devices do not
 * support is skipped, and the row names the capability. Stops early when trial->stop is set.
 */
void trial_run_table(struct trial *trial, const struct trial_test *tests);
/* Frees everything of both sides but their devices, and notes whether one is gone. */
void trial_release(struct trial *trial);
/*
 * The handshake with a server: its version, and the token, which both sides prove to know. 0, or
 * -errno and the row has failed.
 */
int trial_shake_hands(struct trial *trial);
/* Whether the GIDs of both ports are still in their tables. A side that does not know says no. */
void trial_look_for_gids(struct trial *trial, struct diagnosis_facts *facts);
/* A peer that says why it goes knows better than this side, which sees a closed connection. */
void trial_take_farewell(struct trial *trial, struct diagnosis_facts *facts);
/* Asks both sides for their limits. 0, or -errno and the row has failed. */
int trial_ask_limits(struct trial *trial);
/* Fails the row if the server cannot be told what its memory shall be. */
int trial_check_memory(struct trial *trial);
/* Has both sides take their buffers from the memory that was asked for, or fails the row. */
int trial_set_memory(struct trial *trial);
/* Whether the server is older than version 4 of the exchange. */
bool trial_is_old(const struct trial *trial);
/* Fails, or skips, the row because the server does not speak `version`, which `what` needs. */
void trial_fail_old(struct trial *trial, const char *what, uint32_t version);
void trial_skip_old(struct trial *trial, const char *what, uint32_t version);
/*
 * Proves to a server that the port of the order to open is this one, if it does not know. If that
 * fails, so does the row, and trial->blocked is set.
 */
void trial_prove(struct trial *trial);
/* A row that is no test of a table, with the ports of both sides. `id` must stay. */
struct selftest_result *trial_add_row(struct trial *trial, enum selftest_group group,
				      const char *id, const char *summary);
/* Writes the peer's port and GID, if they are known, into a row. */
void trial_name_peer(const struct trial *trial, struct selftest_result *row);
/* The counters of both sides; the list of a side that has none stays empty. */
void trial_read_counters(struct trial *trial, struct counter_list ret_lists[static 2]);
/* Fails the row because a wait of that side ended early or, with STOP_TIMED_OUT, in vain. */
void trial_explain_end(struct trial *trial, struct side *side, enum stop stop,
		       unsigned int waited_msec);
/* The facts that a diagnosis starts from, with what both sides counted since trial->before. */
void trial_facts(struct trial *trial, struct diagnosis_facts *facts);

/* False: the far side does not grant that, and the row is skipped with the reason. */
bool trial_is_granted(struct trial *trial, uint32_t qps, uint64_t bytes);
/* So many messages took longer than a measurement may, which nobody knew before. */
void trial_fail_longer(struct trial *trial, uint64_t iterations);
/* How long to wait for an answer and how often to send again: as asked for, or by default. */
struct trial_retries {
	uint32_t timeout; /* 4.096 us * 2^timeout */
	uint32_t retries, rnr_retries;
};
struct trial_retries trial_retries(const struct trial *trial);
/*
 * The path MTU of the queue pairs: the smaller of both ports', or less at the user's request. Queue
 * pairs have no larger one than PORT_LARGEST_MTU, even on an Omni-Path port that does.
 */
uint32_t trial_mtu(const struct trial *trial);
bool trial_is_iwarp(const struct trial *trial);
/* enum buffer_access that both devices support. */
uint32_t trial_access(const struct trial *trial);
/* Work requests that a queue of either device takes. */
uint32_t trial_most_depth(const struct trial *trial);
/* The capabilities of a side's device, and its port. */
const struct message_opened *trial_can(const struct trial *trial, const struct side *side);
static inline const struct endpoint *trial_endpoint(const struct trial *trial,
						    const struct side *side)
{
	return &trial_can(trial, side)->far;
}
/* "local" or "far" */
const char *trial_side_word(const struct trial *trial, const struct side *side);
/* "the device" or "the other side's device" */
const char *trial_device_word(const struct trial *trial, const struct side *side);
static inline uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* Tables of tests, each ends with an entry whose id is NULL. */
extern const struct trial_test setup_tests[];
extern const struct trial_test rc_tests[];
extern const struct trial_test memory_tests[]; /* windows, the fence, completion vectors */
extern const struct trial_test gather_tests[];
extern const struct trial_test datagram_tests[]; /* UC, UD, multicast */
extern const struct trial_test fault_tests[];
extern const struct trial_test measure_tests[]; /* latency, bandwidth */
extern const struct trial_test connect_tests[]; /* connections a second, only if asked for */
