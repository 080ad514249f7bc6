/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row of latency or bandwidth: its plan (tests_measure_plan.c), how both sides are set up, run
 * and checked (tests_measure.c), and its ways (tests_ways.c): other transports and directions,
 * events, what the run consumed, rows for intervals.
 */
#pragma once

#include "selftest/measure/measure.h"
#include "selftest/tests/tests.h"

/* Entries of a completion queue: the limit of smaller devices such as rxe (rxe_param.h). */
#define MOST_ENTRIES 32767u

struct plan {
	struct message order; /* for the near side */
	struct run_layout layout;
	uint32_t transport; /* enum selftest_transport */
	bool out, in;	    /* the near side, and the far side, is active */
	bool latency;
	uint32_t receives; /* posted on each queue pair of a side that receives */
	uint32_t queues;   /* completion queues of a side, shared out to its queue pairs in turn */
	struct message_way way;
	bool inline_missing; /* a side cannot send as much inline as the user wants */
	struct message_ran near_ran;
	struct message far_reply;
	struct message_reported near_report, far_report;
	bool far_reported;
	int near_rc;
	uint64_t took_msec; /* of the runs on both sides */
};

/* Returns the number of sizes that a test has rows for, and the sizes in *ret. */
size_t plan_sizes(const struct trial *trial, const uint64_t **ret);
void plan_make(const struct trial *trial, uint64_t bytes, struct plan *plan);
/* Entries of each completion queue, and how many sends a queue pair may have outstanding. */
uint32_t plan_entries(const struct plan *plan);
uint32_t plan_sends(const struct plan *plan);
/*
 * How long a slow device takes for the part of a run outside its duration: the messages of the
 * warm-up, and those still in the queues at the end.
 */
uint64_t plan_beside_msec(const struct message_run *run);
/* Decides whether messages go inline; this asks both sides what they can do. */
void plan_inline(struct trial *trial, struct plan *plan);
/* Fills in what is known about the row before it is run. */
void plan_describe(struct trial *trial, const struct plan *plan);

/* Returns false after skipping the row for what the transport or the network cannot do. */
bool ways_fit(struct trial *trial, const struct plan *plan);
/* Tells both sides how to register memory and to run. */
int ways_tell(struct trial *trial, const struct plan *plan);
/* Sets the destinations of a queue pair's datagrams. */
int ways_aim(struct trial *trial, uint32_t slot, const struct qp_numbers *numbers);
/* Asks the near side, and on request the far one, what the run consumed. */
int ways_report(struct trial *trial, struct plan *plan, bool far_too);
void ways_note(struct trial *trial, const struct plan *plan);
/*
 * Whether the receiving side's span has data that can be checked. An unreliable queue pair may lose
 * any message, but losing all of them fails the row.
 */
bool ways_arrived(struct trial *trial, const struct plan *plan, bool out, const struct span *span);
/* Measures a row for each interval of the run, then one for all of it. */
void ways_measure_intervals(struct trial *trial, struct plan *plan);

/*
 * Runs what is set up, fills the row, checks the data, and compares the figures with what the user
 * expects. Returns false if it did not run or the data is wrong.
 */
bool measure_once(struct trial *trial, struct plan *plan);
/* Posts receives on the queue pairs of each side that receives messages. */
int measure_post_receives(struct trial *trial, const struct plan *plan, uint32_t count);
/* Fails the row if its figures miss what the user expects. */
void measure_compare(struct trial *trial, const struct plan *plan);

/* The sender's run in one direction, out or in. */
static inline const struct message_ran *plan_ran(const struct plan *plan, bool out)
{
	return out ? &plan->near_ran : &plan->far_reply.ran;
}

static inline bool plan_is_reliable(const struct plan *plan)
{
	return plan->transport == SELFTEST_BY_RC || plan->transport == SELFTEST_BY_XRC;
}
