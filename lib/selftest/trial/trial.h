/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The language of the tests: both sides of a connection, the row that the running test fills, and
 * steps that mark the row and return non-zero when they fail, so that a test reads
 *
 *	if (trial_connect(trial, &shape, NULL) || trial_fill(...) || trial_post(...))
 *		return;
 *
 * An unmarked row is a pass. Everything that a test creates (queues, queue pairs, buffers) is
 * released after it on both sides. TRIAL_DATA is the slot of the buffer that transfers use.
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
	TEST_NEEDS_IMMEDIATE = 1 << 5,	/* not on iWARP before RFC 7306 */
	TEST_NEEDS_PROCESSOR = 1 << 12, /* touches the memory while data flow */
};

struct trial;
struct fault;

/* A test as a row of a table. */
struct trial_test {
	const char *id; /* rc-write */
	enum selftest_group group;
	const char *summary; /* what it tests, lower case, no full stop */
	unsigned int needs;  /* enum trial_needs: a device that lacks one skips the test */
	void (*run)(struct trial *trial);
	uint64_t value;		    /* for run(): a size, or the variant of a family of tests */
	const struct fault *faults; /* for a fault test: tests.h */
};

struct trial {
	struct side near, far;
	/* What the far side grants the tests; qps 0: no handshake yet; run_msec 0: any. */
	struct message_admitted granted;
	const struct selftest_request *request;
	struct selftest_results *results;
	const struct trial_test *test;
	struct selftest_result *result; /* of the running test; freed once it is printed */
	const char *id;			/* of that row */
	uint64_t row_begin_nsec;
	uint32_t number;		/* of the running test, for the seeds of patterns */
	struct counter_list before[2];	/* of near and far, read before the first test */
	uint32_t cookie;		/* of the last connection by librdmacm */
	const struct ip_address *group; /* that a side is joining, or NULL */
	bool by_cm;			/* queue pairs are connected by librdmacm */
	bool hidden;			/* the processor can only reach the memory by copying */
	bool marked;			/* the row already has its verdict */
	const char *blocked; /* id of the test that found why no other can pass; see `unproven` */
	bool unproven;	/* blocked: the proof of the port failed; else: no packet gets through */
	enum stop stop; /* the reason why no more tests run */
};

/* Slots that the helpers use on both sides. */
#define TRIAL_DATA 0u /* buffer */
#define TRIAL_CQ   0u

struct trial_retries {
	uint32_t timeout; /* 4.096 us * 2^timeout */
	uint32_t retries, rnr_retries;
};

/* How to create a queue pair; zero is a default that suits most tests. */
struct qp_shape {
	uint32_t kind;		/* enum qp_kind */
	uint32_t send_depth;	/* 0: 16 */
	uint32_t receive_depth; /* 0: 16 */
	uint32_t sges;		/* 0: 1 */
	uint32_t inline_bytes;
	uint32_t entries; /* of each completion queue; 0: both depths */
	uint32_t queues;  /* completion queues, used by the slots in turn; 0: one */
	bool unsignaled;  /* only posts with POST_SIGNALED complete; else all */
	bool srq;	  /* the far side receives from a shared receive queue */
	bool channel;	  /* completion queues with a completion channel */
	bool keep_cq;	  /* the completion queues exist: adds a queue pair to them */
	uint32_t cq;	  /* slot of the first completion queue; 0 is TRIAL_CQ */
	bool near_domain; /* near queue pair in the second protection domain; buffers stay out */
	bool far_domain;
	/*
	 * NULL: 67 ms and 6 retries, but 7 for messages of many packets, so the row's size_bytes
	 * must be set before the queue pair is created.
	 */
	const struct trial_retries *retries;
	uint32_t max_rd_atomic; /* 0: 1 */
};

#define TRIAL_QKEY 0x11111111u
struct qp_numbers {
	uint32_t near, far; /* QPNs */
	uint32_t near_psn, far_psn;
};
/*
 * Creates the queue pair in slot 0 and the completion queues on both sides and moves both to RTS,
 * by the exchange or by librdmacm, as the trial does. UD queue pairs get each other's address and
 * Q_Key TRIAL_QKEY. `shape` may be NULL for the default, `numbers` if unused. After a failure the
 * numbers are invalid; with XRC they are those of the receiving queue pairs.
 */
int trial_connect(struct trial *trial, const struct qp_shape *shape, struct qp_numbers *numbers);
/* Like trial_connect(), for the slots 0 to count - 1; `numbers` has room for all. */
int trial_connect_all(struct trial *trial, uint32_t count, const struct qp_shape *shape,
		      struct qp_numbers *numbers);
/* The first step of trial_connect(), for tests that stop there: both queue pairs, in RESET. */
int trial_make_qps(struct trial *trial, uint32_t slot, const struct qp_shape *shape,
		   struct qp_numbers *numbers);
/* Records packet attributes and retries of this side's first queue pair, once connected. */
void trial_note_told(struct trial *trial);
/* Moves one side's queue pair to a state. */
int trial_modify(struct side *side, uint32_t slot, uint32_t state, const struct qp_shape *shape,
		 const struct qp_numbers *numbers);
/*
 * Ends an order that the far side is still carrying out, waiting for something that does not come,
 * and finishes it.
 */
int trial_abandon(struct trial *trial, const struct message *order, unsigned int msec,
		  struct message *held);
/*
 * Finishes the far side's order to accept. The near side's part of the connection returned `rc`;
 * either may fail the row.
 */
int trial_finish_accept(struct trial *trial, const struct message *accept, unsigned int msec,
			struct message *held, int rc);

/*
 * Creates a buffer of that size, zeroed, which becomes side->memory, or frees that of the slot:
 * with 0 bytes, side->memory stays what it was. access 0: all safe rights.
 */
int trial_buffer(struct side *side, uint32_t slot, uint64_t bytes, uint32_t access);
/* Creates buffers of `bytes` in slot TRIAL_DATA on both sides. */
int trial_buffers(struct trial *trial, uint64_t bytes);
/* Returns a span of contiguous bytes of slot TRIAL_DATA. */
struct span trial_span(uint64_t offset, uint64_t bytes);
/* Fill the span with the pattern of this test and `iteration`, or check it and fail the row. */
int trial_fill(struct side *side, struct span span, uint32_t iteration);
int trial_check(struct side *side, struct span span, uint32_t iteration);
/* The same with one constant byte, for the part that a transfer must not touch. */
int trial_fill_constant(struct side *side, struct span span, uint8_t byte);
int trial_check_constant(struct side *side, struct span span, uint8_t byte);
/* Return a signaled send of the span, or an RDMA operation to or from `offset` of to->memory. */
struct message_post trial_send(uint64_t id, struct span span);
struct message_post trial_move(uint32_t operation, uint64_t id, struct span span,
			       const struct side *to, uint64_t offset);
int trial_post(struct side *side, const struct message_post *post);
int trial_receive(struct side *side, const struct message_receive *receive);
/*
 * Waits for `count` completions of TRIAL_CQ with any status; fewer within the time fail the row,
 * with what ended the wait. The time is 5 s, plus a second per 64 kB of the row's size.
 */
int trial_wait(struct side *side, uint32_t count, struct message_waited *ret);
/* Like trial_wait() for one completion, using the completion channel. */
int trial_wait_event(struct side *side, struct message_waited *ret);
/* Waits at most `msec` for one completion; none is not a failure. */
int trial_look(struct side *side, uint32_t msec, struct message_waited *ret);
/* Waits for `count` completions, which must all be successes. */
int trial_expect_successes(struct side *side, uint32_t count, struct message_waited *ret);
/* Waits for one completion, which must be a success with this id. *ret gets it; ret may be NULL. */
int trial_expect(struct side *side, uint64_t id, struct work_completion *ret);
/* Waits for a completion, which must have this id and status (enum ibv_wc_status). */
int trial_expect_status(struct side *side, uint64_t id, uint32_t status);
/* A completion within `msec` fails the row. */
int trial_expect_none(struct side *side, uint32_t msec);
/* Sets the row's status and vendor error, unless it has a status. */
void trial_note_status(struct trial *trial, const struct work_completion *item);
/*
 * Fails the row if `rc` of a side_...() is not 0, with a diagnosis, and with the counters' evidence
 * if it was the network. Returns rc.
 */
int trial_explain(struct side *side, int rc);
/* An order to the side: trial_order(side, cq, &cq) calls side_cq(), explains its failure. */
#define trial_order(side, name, ...) trial_explain(side, side_##name(side, __VA_ARGS__))
/* Fails the row because of an unsuccessful completion. Always returns -EIO. */
int trial_explain_status(struct side *side, const struct work_completion *item);
int trial_explain_ran(struct side *side, const struct message_ran *ran);

/*
 * Sets the verdict of the row, unless it has one; the text is the reason, `hint` may be NULL.
 * Always returns -EBADE: the row says why.
 */
int trial_fail(struct trial *trial, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a diagnosis, which it clears. */
void trial_fail_as(struct trial *trial, struct diagnosis *diagnosis);
void trial_skip(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a remark to the row of a pass, unless it is already there. */
void trial_remark(struct trial *trial, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Finishes the row and begins another one for a further case of the same test. */
void trial_next_row(struct trial *trial, const char *id, const char *summary);

/*
 * Runs the tests of the table that the request selects, one row each. A test that the devices do
 * not support is skipped, and the row names the missing capability. Stops early when trial->stop is
 * set.
 */
void trial_run_table(struct trial *trial, const struct trial_test *tests);
/* Frees everything on both sides except the devices, and records whether a side is gone. */
void trial_release(struct trial *trial);
/* A side that cannot go on ends the trial. */
void trial_note_stop(struct trial *trial);
/*
 * Shakes hands with a server: agrees on a version, and both sides prove that they know the token.
 * Returns 0, or -errno if the row has failed.
 */
int trial_shake_hands(struct trial *trial);
/*
 * Makes both sides send with a global header if the port of either needs one. Returns 0, or -errno
 * if the row has failed.
 */
int trial_agree_on_header(struct trial *trial);
/* Makes both sides take their buffers from the requested memory, or fails the row. */
int trial_set_memory(struct trial *trial);
/*
 * Proves to a server that the port in the order to open is this one, unless the server knows. If
 * that fails, so does the row, and trial->blocked is set.
 */
void trial_prove(struct trial *trial);
/*
 * Adds a row that does not belong to a table of tests, with the ports of both sides. `id` is
 * borrowed.
 */
struct selftest_result *trial_add_row(struct trial *trial, enum selftest_group group,
				      const char *id, const char *summary);
/* Writes the peer's port and GID, if there is a peer, into a row. */
void trial_name_peer(const struct trial *trial, struct selftest_result *row);
/* Reads the counters of both sides; the list of a side without counters stays empty. */
void trial_read_counters(struct trial *trial, struct counter_list ret_lists[static 2]);
/*
 * Fails the row because a wait of that side ended early or, with STOP_TIMED_OUT, in vain. Always
 * returns -EIO.
 */
int trial_explain_end(struct side *side, enum stop stop, unsigned int waited_msec);
/* Collects the facts for a diagnosis, with what both sides counted since trial->before. */
void trial_facts(struct trial *trial, struct diagnosis_facts *facts);

/* Returns false if the far side does not grant that: then the row is marked with the reason. */
bool trial_is_granted(struct trial *trial, uint32_t qps, uint64_t bytes);
/* Fails the row because that many messages took longer than a run may, as only the run showed. */
void trial_fail_longer(struct trial *trial, uint64_t iterations);
/* Returns what was requested, or the default. */
struct trial_retries trial_retries(const struct trial *trial);
/*
 * Returns the path MTU of the queue pairs: the smaller one of both ports, or less at the user's
 * request. It never exceeds PORT_LARGEST_MTU, not even on an Omni-Path port with a larger one.
 */
uint32_t trial_mtu(const struct trial *trial);
bool trial_is_iwarp(const struct trial *trial);
/* Returns the rights (enum buffer_access) that both devices support. */
uint32_t trial_access(const struct trial *trial);
/* Returns how many work requests a queue of either device can hold. */
uint32_t trial_most_depth(const struct trial *trial);
/* "local" or "far" */
const char *trial_side_word(const struct side *side);
/* "the device" or "the other side's device" */
const char *trial_device_word(const struct side *side);
static inline uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* Tables of tests. Each ends with an entry whose id is NULL. */
extern const struct trial_test setup_tests[];
extern const struct trial_test rc_tests[];
extern const struct trial_test memory_tests[]; /* windows, the fence, completion vectors */
extern const struct trial_test gather_tests[];
extern const struct trial_test datagram_tests[]; /* UC, UD, multicast */
extern const struct trial_test fault_tests[];
extern const struct trial_test measure_tests[]; /* latency, bandwidth */
extern const struct trial_test connect_tests[]; /* connections per second, only on request */
