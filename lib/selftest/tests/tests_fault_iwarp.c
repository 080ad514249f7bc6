/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <time.h>

#include "selftest/tests/tests_fault.h"

/* For what comes at once or, with some drivers, never. */
#define LOOK_MSEC 50

/*
 * iWARP: what the far side refuses ends the stream by a Terminate message (RFC 5040, 7; RFC 5041,
 * 7), which names no work request. A write or a send may have completed long before, as soon as its
 * bytes were handed over (RFC 5040, 5.5); otherwise drivers make of it what they can.
 */
static bool is_iwarp_status(const struct fault *fault, uint32_t status)
{
	static const uint32_t terminated = FAULT_STATUS(IBV_WC_WR_FLUSH_ERR) |
					   FAULT_STATUS(IBV_WC_REM_ACCESS_ERR) |
					   FAULT_STATUS(IBV_WC_REM_INV_REQ_ERR) |
					   FAULT_STATUS(IBV_WC_REM_OP_ERR) |
					   FAULT_STATUS(IBV_WC_REM_ABORT_ERR) |
					   FAULT_STATUS(IBV_WC_FATAL_ERR) |
					   FAULT_STATUS(IBV_WC_GENERAL_ERR);

	if (status == IBV_WC_SUCCESS)
		return fault->operation == POST_WRITE || fault->operation == POST_SEND;
	return status < 32 && terminated & FAULT_STATUS(status);
}

static int expect_iwarp_request(struct committed *it)
{
	const struct work_completion *item;
	int rc = fault_await(it, &it->trial->near, FAULT_ID, &item);

	if (rc || is_iwarp_status(it->fault, item->status))
		return rc;
	/* siw: the stream ended while it was sending (siw_qp_tx.c, siw_qp_sq_process()). */
	if (item->status == IBV_WC_LOC_QP_OP_ERR)
		return 0;
	return fault_fail_status(it, "the request", item->status, it->fault->near);
}

/*
 * The queue pair leaves RTS: for the error state, or by way of others (terminate, idle). siw keeps
 * it there where siw_qp_cm_drop() has forgotten it, and that of Linux 6.1 tells no state at all
 * (siw_query_qp()).
 */
static int expect_ended(struct committed *it, struct side *side)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint32_t state = IBV_QPS_RTS;
	int rc = 0;

	if (it->states_unknown) {
		fault_remark(it, "the device does not tell the state of a queue pair");
		return 0;
	}
	for (int i = 0; i < LOOK_MSEC && !rc && state == IBV_QPS_RTS; i++) {
		rc = fault_query_state(it->trial, side, &state);
		if (!rc && state == IBV_QPS_RTS)
			nanosleep(&pause, NULL);
	}
	if (!rc && state == IBV_QPS_RTS)
		fault_remark(it, "a queue pair stays in RTS when its connection ends");
	return rc;
}

/* What is there within a moment; *ret_count 0: nothing. */
static int look(struct committed *it, struct side *side, struct message_waited *ret)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait = {.queue = TRIAL_QUEUE, .count = 1, .timeout_msec = LOOK_MSEC},
	};
	struct message reply;
	int rc = trial_call(it->trial, side, &order, &reply);

	if (!rc)
		*ret = reply.waited;
	return rc;
}

/*
 * The stream has ended at this side, and so has the queue pair. siw flushes receives only if the
 * stream was ended by the other side (siw_qp_cm_drop() forgets the queue pair).
 */
static int expect_end(struct committed *it, struct side *side, const char *where,
		      const char *receive, uint32_t status)
{
	const struct message order = {
		.type = MESSAGE_DISCONNECT,
		.disconnect = {.timeout_msec = FAULT_STATE_MSEC},
	};
	const uint32_t flushed = FAULT_STATUS(IBV_WC_WR_FLUSH_ERR);
	int which = side == &it->trial->far;
	struct message_waited waited = {0};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc == -EREMOTEIO)
		trial_fail(it->trial, FAULT_HINT, "the connection does not end at %s side", where);
	if (rc)
		return rc == -EREMOTEIO ? rc : trial_explain(it->trial, side, rc, &reply);
	if (!fault_seen(it, side, FAULT_ID_RECEIVE))
		rc = look(it, side, &waited);
	if (!rc && waited.count)
		it->seen[which][it->seen_count[which]++] = waited.items[0];
	if (!rc && fault_seen(it, side, FAULT_ID_RECEIVE))
		rc = fault_expect(it, side, FAULT_ID_RECEIVE, receive, status,
				  it->fault->far_also | flushed);
	else if (!rc)
		fault_remark(it, "a receive is not flushed when the connection ends");
	return rc ? rc : expect_ended(it, side);
}

/* A request after the end of the stream: flushed, or not even taken. */
static int try_later(struct committed *it)
{
	const struct message order = {
		.type = MESSAGE_POST,
		.post = {.operation = POST_SEND, .id = FAULT_ID_LATER, .count = 1},
	};
	struct side *near = &it->trial->near;
	struct message_waited waited;
	struct message reply;
	int rc = side_call(near, &order, &reply);

	if (rc == -EREMOTEIO && reply.refused.stage == STAGE_TRANSFER)
		return 0;
	rc = rc ? trial_explain(it->trial, near, rc, &reply) : look(it, near, &waited);
	if (rc)
		return rc;
	/* siw flushes what the kernel posts, but not what a program does (siw_sq_flush_wr()). */
	if (!waited.count) {
		fault_remark(it, "a request posted after the end neither completes nor is refused");
		return 0;
	}
	if (waited.items[0].id == FAULT_ID_LATER && waited.items[0].status == IBV_WC_WR_FLUSH_ERR)
		return 0;
	return fault_fail_status(it, "a later request", waited.items[0].status,
				 IBV_WC_WR_FLUSH_ERR);
}

int fault_run_iwarp(struct committed *it)
{
	const struct fault *fault = it->fault;
	struct trial *trial = it->trial;
	bool gone = fault->flags & FAULT_GONE;
	int rc = gone ? 0 : fault_commit(it);

	if (!rc && fault->near == IBV_WC_LOC_PROT_ERR)
		rc = fault_expect(it, &trial->near, FAULT_ID, "the request", fault->near,
				  fault->near_also);
	else if (!rc && !gone)
		rc = expect_iwarp_request(it);
	if (!rc)
		rc = expect_end(it, &trial->near, "this", "the own receive", IBV_WC_WR_FLUSH_ERR);
	if (!rc)
		rc = try_later(it);
	if (rc || gone)
		return rc;
	return expect_end(it, &trial->far, "the far", "the far receive",
			  fault->far == FAULT_UNNOTICED ? IBV_WC_WR_FLUSH_ERR : fault->far);
}
