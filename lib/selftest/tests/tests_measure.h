/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row of latency or bandwidth: its plan (tests_measure_plan.c), how both sides are set up, run
 * and checked (tests_measure.c), and the ways of version 4 of the exchange (tests_ways.c): other
 * transports and directions, events, what the run took, rows for intervals.
 */
#pragma once

#include "selftest/measure/measure.h"
#include "selftest/tests/tests.h"

/* Entries of a completion queue: the limit of the smaller devices, such as rxe (rxe_param.h). */
#define MOST_ENTRIES 32767u

struct plan {
	struct message order; /* for the near side */
	struct run_layout layout;
	uint32_t transport; /* enum selftest_transport */
	bool out, in;	    /* the near side, the far side is the active one */
	bool latency;
	bool modern;	   /* the far side speaks version 4 */
	uint32_t receives; /* that are posted on each queue pair of a side that receives */
	uint32_t queues;   /* completion queues of a side, which the queue pairs have in turn */
	struct message_way way;
	bool inline_missing; /* a side cannot send so much inline as the user wants */
	struct message_buffered near_memory, far_memory;
	struct message_ran near_ran;
	struct message far_reply;
	struct message_reported near_report, far_report;
	bool far_reported;
	int near_rc;
	uint64_t took_msec; /* the runs of both sides */
};

/* The sizes of a test's rows. */
size_t plan_sizes(const struct trial *trial, const uint64_t **ret);
void plan_make(const struct trial *trial, uint64_t bytes, struct plan *plan);
/* Entries of each completion queue, and how many messages a queue pair sends at a time. */
uint32_t plan_entries(const struct plan *plan);
uint32_t plan_sends(const struct plan *plan);
/*
 * How long a slow device takes for what a run does besides its duration: the messages of the
 * warm-up, and those that the queues hold at the end.
 */
uint64_t plan_beside_msec(const struct message_run *run);
/* Whether the messages go inline, once the sides can be asked what they can. */
void plan_inline(struct trial *trial, struct plan *plan);
/* What is known of the row before it is run. */
void plan_describe(struct trial *trial, const struct plan *plan);

/* What both sides, or one, of the exchange, or the transport cannot do fails or skips the row. */
bool ways_fit(struct trial *trial, const struct plan *plan);
/* Tells both sides how to register memory and to run. */
int ways_tell(struct trial *trial, const struct plan *plan);
/* The destinations of the datagrams of a queue pair. */
int ways_aim(struct trial *trial, uint32_t slot, const struct qp_numbers *numbers);
/* What the run took, from both sides. */
int ways_report(struct trial *trial, struct plan *plan);
void ways_note(struct trial *trial, const struct plan *plan);
/*
 * Whether the span of the side that receives has data that can be checked. An unreliable queue pair
 * may lose any message, but one that has lost them all fails the row.
 */
bool ways_arrived(struct trial *trial, const struct plan *plan, bool out, const struct span *span);
/* A row for each interval of the run, and one for all of it. */
void ways_measure_intervals(struct trial *trial, struct plan *plan);

/*
 * Runs what is set up, fills the row, checks the data, and whether the figures are as the user
 * expects. False: it did not run, or the data are wrong.
 */
bool measure_once(struct trial *trial, struct plan *plan);
/* Receives for the queue pairs of each side that takes messages. */
int measure_post_receives(struct trial *trial, const struct plan *plan, uint32_t count);
/* The row's figures; fails it if it misses what the user expects. */
void measure_compare(struct trial *trial, const struct plan *plan);

/* The run of the side that sends, of one direction: out, or in. */
static inline const struct message_ran *plan_ran(const struct plan *plan, bool out)
{
	return out ? &plan->near_ran : &plan->far_reply.ran;
}

static inline bool plan_is_reliable(const struct plan *plan)
{
	return plan->transport == SELFTEST_BY_RC || plan->transport == SELFTEST_BY_XRC;
}

/* Queue pairs of the device on each side: an extended reliable connection takes two. */
static inline uint32_t plan_pairs(const struct plan *plan)
{
	return plan->order.run.qps * (plan->transport == SELFTEST_BY_XRC ? 2 : 1);
}
