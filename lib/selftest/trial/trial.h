/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests are written with: both sides of a connection, the row that the running test fills,
 * and steps that mark the row and return non-zero when they do not go well, so that a test reads
 *
 *	if (trial_connect(trial, 0, &shape) || trial_fill(...) || trial_post(...))
 *		return;
 *
 * A row that nobody marked is a pass. Everything that a test makes (queues, pairs, buffers) is
 * released after it on both sides. Buffers keep to slots: TRIAL_DATA for what is moved.
 */
#pragma once

#include "selftest/diagnosis/diagnosis.h"
#include "selftest/selftest_result.h"
#include "selftest/selftest.h"
#include "selftest/trial/side.h"

enum trial_need {
	NEED_RDMA_ATOMICS = 1 << 0,
	NEED_SHARED_RECEIVE = 1 << 1,
	NEED_UC = 1 << 2, /* not on iWARP, nor where the device refuses such a queue pair */
	NEED_UD = 1 << 3,
	NEED_MULTICAST = 1 << 4,
	NEED_IMMEDIATE = 1 << 5,   /* not on iWARP before RFC 7306, which has no immediate data */
	NEED_OWN_CONNECT = 1 << 6, /* the queue pair is connected by its attributes: not on iWARP */
};

struct trial;

/* A test as a row of a table. */
struct trial_test {
	const char *id; /* rc-write */
	enum selftest_group group;
	const char *summary; /* what it shows, lower case, no full stop */
	unsigned int needs;  /* enum trial_need: a device without it skips the test */
	void (*run)(struct trial *trial);
	uint64_t value; /* for run(): a size, or what the family of tests varies */
};

struct trial {
	struct side near, far;
	struct message_opened near_can, far_can; /* `far` holds the side's own endpoint */
	struct message_welcome granted;		 /* what the far side lets the tests have */
	const struct selftest_request *request;
	struct selftest_results *results;
	const struct trial_test *test;
	struct selftest_result *result; /* of the running test */
	uint64_t row_begin_nsec;
	uint32_t number;	       /* of the running test, for the seeds of patterns */
	struct counter_list before[2]; /* of near and far, read before the first test */
	uint32_t cookie;	       /* of the last connection by librdmacm */
	bool by_cm;		       /* queue pairs are connected by librdmacm */
	bool marked;		       /* the row has its verdict */
	const char *blocked;	       /* the test that showed that no packet gets through */
	enum stop stop;		       /* nothing more can be tested */
};

/* Slots that the helpers use on both sides. */
#define TRIAL_DATA  0u /* buffer */
#define TRIAL_QUEUE 0u

/* How to make a pair; zero is a default that suits most tests. */
struct pair_shape {
	uint32_t kind;		/* enum pair_kind */
	uint32_t send_depth;	/* 0: 16 */
	uint32_t receive_depth; /* 0: 16 */
	uint32_t sges;		/* 0: 1 */
	uint32_t inline_bytes;
	uint32_t entries; /* of the completion queue; 0: both depths */
	bool unsignaled;  /* only posts with POST_SIGNALED complete; else all do */
	bool shared;	  /* receives of the far side from a shared receive queue */
	bool channel;	  /* completion queues with a channel */
	bool keep_queue;  /* the completion queue is there already: a further pair on it */
	bool near_domain; /* the near queue pair in the second protection domain; buffers are not */
	bool far_domain;
	/*
	 * Take the next three as they are; else 67 ms and 6 retries, but 7 for messages of many
	 * packets: the row's size_bytes is to be known before the pair is made.
	 */
	bool exact_retries;
	uint32_t retries, rnr_retries;
	uint32_t timeout;    /* 4.096 us * 2^timeout */
	uint32_t far_access; /* enum buffer_access of the far pair; 0: all that are safe */
	uint32_t reads;	     /* outstanding reads and atomics; 0: 1 */
	uint32_t mtu_bytes;  /* 0: the smaller of both ports' active MTUs, or the request's */
};

/*
 * Makes slot `slot` (and the completion queue TRIAL_QUEUE for slot 0) on both sides and brings both
 * queue pairs to RTS, by the exchange or by librdmacm as the trial does; UD pairs know each other's
 * address and have Q_Key TRIAL_QKEY. *numbers, if not NULL, gets both QPNs.
 */
#define TRIAL_QKEY 0x11111111u
struct pair_numbers {
	uint32_t near, far;
	uint32_t near_packet, far_packet;
};
int trial_connect(struct trial *trial, uint32_t slot, const struct pair_shape *shape,
		  struct pair_numbers *numbers);
/* The steps that it consists of, for tests that stop in between: both pairs, in RESET. */
int trial_make_pairs(struct trial *trial, uint32_t slot, const struct pair_shape *shape,
		     struct pair_numbers *numbers);
/* Brings one side's queue pair to a state; `to` and `other` are the other side's. */
int trial_modify(struct trial *trial, struct side *side, uint32_t slot, uint32_t state,
		 const struct pair_shape *shape, const struct pair_numbers *numbers);
/* The state that ibv_query_qp tells must be this one. */
int trial_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state);

/* A buffer of that size on one side, zeroed; *ret may be NULL. access 0: all that are safe. */
int trial_buffer(struct trial *trial, struct side *side, uint32_t slot, uint64_t bytes,
		 uint32_t access, struct message_buffered *ret);
/* One of `bytes` in slot TRIAL_DATA on both sides; the far one's key and address in *ret. */
int trial_buffers(struct trial *trial, uint64_t bytes, struct message_buffered *ret);
/* Contiguous bytes of slot TRIAL_DATA. */
struct span trial_span(uint64_t offset, uint64_t bytes);
/* The pattern of this test and `iteration` into the span, or its check, which fails the row. */
int trial_fill(struct trial *trial, struct side *side, const struct span *span, uint32_t iteration);
int trial_check(struct trial *trial, struct side *side, const struct span *span,
		uint32_t iteration);
/* The same with one constant byte: the part that a transfer must leave alone. */
int trial_fill_constant(struct trial *trial, struct side *side, const struct span *span,
			uint8_t byte);
int trial_check_constant(struct trial *trial, struct side *side, const struct span *span,
			 uint8_t byte);
int trial_post(struct trial *trial, struct side *side, const struct message_post *post);
int trial_receive(struct trial *trial, struct side *side, const struct message_receive *receive);
/*
 * Waits for `count` completions of TRIAL_QUEUE, whatever their status; fewer within the time fail
 * the row, with what ended the wait. Ordinary waits last up to 5 s, and a second more for each
 * 64 kB of the row's size; `msec` 0 means that.
 */
int trial_wait(struct trial *trial, struct side *side, uint32_t count, uint32_t msec,
	       struct message_waited *ret);
/* The same by the completion channel. */
int trial_wait_event(struct trial *trial, struct side *side, uint32_t count, bool solicited,
		     struct message_waited *ret);
/* For one completion that must be a success with this id; *ret (may be NULL) gets it. */
int trial_expect(struct trial *trial, struct side *side, uint64_t id, struct work_completion *ret);
/* A completion that must have this status (enum ibv_wc_status), else the row fails. */
int trial_expect_status(struct trial *trial, struct side *side, uint64_t id, uint32_t status);
/* No completion within `msec`: one that comes fails the row. */
int trial_expect_none(struct trial *trial, struct side *side, uint32_t msec);
/*
 * Tells the row what went wrong with the reply of a side_call() that returned `rc`: diagnosed, with
 * the counters' evidence where it was the network. Returns rc.
 */
int trial_explain(struct trial *trial, struct side *side, int rc, const struct message *reply);
/* side_call(), explained if it fails. */
int trial_call(struct trial *trial, struct side *side, const struct message *order,
	       struct message *reply);
/* A completion that is no success, as above: always returns -EIO. */
int trial_explain_status(struct trial *trial, struct side *side,
			 const struct work_completion *item);

/* The verdict of the row, if it has none yet; text is the sentence, `hint` may be NULL. */
void trial_fail(struct trial *trial, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trial_skip(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a pass has to say for itself. */
void trial_remark(struct trial *trial, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Row of a further case of the same test: finishes the running row and begins another. */
void trial_next_row(struct trial *trial, const char *id, const char *summary);

/*
 * Runs the tests of the table that the request asks for, a row each; those that the devices cannot
 * do are skipped with the capability named. Stops early when trial->stop is set.
 */
void trial_run_table(struct trial *trial, const struct trial_test *tests);
/* A row without a test of a table, filled with who talks to whom. */
struct selftest_result *trial_add_row(struct trial *trial, enum selftest_group group,
				      const char *id, const char *summary);
/* Writes the peer's port and GID, as soon as they are known, into a row that has none yet. */
void trial_name_peer(const struct trial *trial, struct selftest_result *row);
/* What the near and the far side count now; a side that cannot tell leaves its list empty. */
void trial_read_counters(struct trial *trial, struct counter_list ret_lists[static 2]);
/* Fails the row because a wait of that side ended before its time; STOP_TIMED_OUT: at it. */
void trial_explain_end(struct trial *trial, struct side *side, enum stop stop,
		       unsigned int waited_msec);
/* What both counted since trial->before, and the facts that a diagnosis starts from. */
void trial_facts(struct trial *trial, struct diagnosis_facts *facts);

/* False: the far side does not grant that, and the row is skipped with the reason. */
bool trial_is_granted(struct trial *trial, uint32_t pairs, uint64_t bytes);
/* The path MTU that pairs are made with. */
uint32_t trial_mtu(const struct trial *trial);
bool trial_is_iwarp(const struct trial *trial);

/* Tables of tests, each ends with an entry whose id is NULL. */
extern const struct trial_test setup_tests[];
extern const struct trial_test rc_tests[];
extern const struct trial_test gather_tests[];
extern const struct trial_test datagram_tests[]; /* UC, UD, multicast */
extern const struct trial_test fault_tests[];
extern const struct trial_test measure_tests[]; /* latency, bandwidth */
