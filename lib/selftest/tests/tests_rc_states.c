/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "selftest/tests/tests.h"

enum {
	STATE_BYTES = 200,
	RECEIVES = 2, /* for the error state to flush */
	DRAINED_MSEC = 20,
	ID_HELD = 0x100,
	ID_PUSH,
	ID_FLUSHED = 0x200,
	ID_LATE = ID_FLUSHED + RECEIVES,
};

/* All queue pairs here have the defaults. */
static const struct qp_shape usual;

/* Whether a device refused a state or a request because it does not support it. */
static bool is_unsupported(const struct side *side)
{
	const struct message_refused *refused = &side->refused;

	return refused->refusal == REFUSAL_FAILED &&
	       (refused->error == EINVAL || refused->error == EOPNOTSUPP ||
		refused->error == ENOSYS);
}

int rc_query(struct side *side, uint32_t slot, struct message_queried *ret)
{
	int rc = side_query(side, &(struct message_query){.slot = slot}, ret);
	const bool is_siw = side->can.vendor == RC_VENDOR_SIW;

	if (tests_lacks(side, rc))
		rc = 0;
	else if (rc || !is_siw || ret->state != IBV_QPS_RESET)
		return trial_explain(side, rc);
	trial_remark(side->trial, "the driver does not report the state of a queue pair");
	*ret = (struct message_queried){.state = RC_STATE_UNKNOWN};
	return rc;
}

int rc_expect_state(struct side *side, uint32_t slot, uint32_t state)
{
	struct trial *trial = side->trial;
	const bool is_idle = trial_is_iwarp(trial) && state == IBV_QPS_RESET;
	struct message_queried queried;
	int rc = rc_query(side, slot, &queried);

	if (rc || queried.state == state || queried.state == RC_STATE_UNKNOWN ||
	    (is_idle && queried.state == IBV_QPS_INIT))
		return rc;
	return trial_fail(trial, NULL, "the %s queue pair is in state %s, not %s",
			  trial_side_word(side), agent_state_word(queried.state),
			  agent_state_word(state));
}

int rc_post_in_error(struct side *side, uint64_t id, bool *ret_posted)
{
	struct trial *trial = side->trial;
	const struct message_post request = trial_send(id, trial_span(0, 0));
	struct message_queried queried;
	int rc = side_post(side, &request), error;

	*ret_posted = !rc;
	if (rc != -EREMOTEIO || !is_unsupported(side))
		return trial_explain(side, rc);
	error = (int)side->refused.error;
	if (rc_query(side, 0, &queried))
		return -EIO;
	if (queried.state == IBV_QPS_RTS)
		return trial_fail(trial, NULL,
				  "the driver refuses a request without data in RTS (%s)",
				  strerror(error));
	trial_remark(trial, "in ERR, the driver refuses to post requests (%s)", strerror(error));
	return 0;
}

static int expect_both(struct trial *trial, uint32_t state)
{
	return rc_expect_state(&trial->near, 0, state) || rc_expect_state(&trial->far, 0, state);
}

/* Moves both queue pairs to a state, and expects queries to show it. */
static int walk(struct trial *trial, uint32_t state, const struct qp_numbers *numbers)
{
	return trial_modify(&trial->near, 0, state, &usual, numbers) ||
	       trial_modify(&trial->far, 0, state, &usual, numbers) || expect_both(trial, state);
}

static int walk_up(struct trial *trial, const struct qp_numbers *numbers)
{
	return walk(trial, IBV_QPS_INIT, numbers) || walk(trial, IBV_QPS_RTR, numbers) ||
	       walk(trial, IBV_QPS_RTS, numbers);
}

static int transfer(struct trial *trial, const struct rc_path paths[static 2], uint32_t iteration,
		    const char *when)
{
	const struct rc_transfer order = {
		.operation = POST_SEND,
		.bytes = STATE_BYTES,
		.iteration = iteration,
	};

	return rc_name_failure(trial, rc_both_ways(paths, order), "%s", when);
}

/* Returns 1 if drained, 0 if the driver refuses that state, which the row remarks, or -EIO. */
static int enter_drained(struct side *side)
{
	struct trial *trial = side->trial;
	const struct message_modify request = {
		.state = IBV_QPS_SQD,
		/* The address is not used, but must be valid. */
		.to = trial->near.can.far,
		.mtu_bytes = trial_mtu(trial),
	};
	int rc = side_modify(side, &request);

	if (rc == -EREMOTEIO && is_unsupported(side)) {
		trial_remark(trial,
			     "without SQD: the driver refuses that state (ibv_modify_qp: %s)",
			     strerror((int)side->refused.error));
		return 0;
	}
	if (trial_explain(side, rc) || rc_expect_state(side, 0, IBV_QPS_SQD))
		return -EIO;
	return 1;
}

/*
 * In SQD, posted requests wait; back in RTS they are sent (InfiniBand specification, 10.3.1.5).
 * Soft-RoCE resumes its send queue when something is posted, not when it returns to RTS:
 * rxe_qp_from_attr(), drivers/infiniband/sw/rxe/rxe_qp.c, starts no task then.
 */
static int hold_and_release(const struct rc_path *path, const struct qp_numbers *numbers)
{
	struct trial *trial = path->from->trial;
	const struct span data = rc_data(0, STATE_BYTES);
	const struct message_receive receive = {.id = ID_HELD, .span = data};
	const struct message_post post = trial_send(ID_HELD, data);
	const bool pushes = path->from->can.vendor == RC_VENDOR_RXE;

	return trial_fill(path->from, data, ID_HELD) || trial_fill_constant(path->to, data, 0) ||
	       trial_receive(path->to, &receive) || trial_post(path->from, &post) ||
	       rc_name_failure(trial, trial_expect_none(path->to, DRAINED_MSEC),
			       "a send posted in SQD, where it has to wait") ||
	       trial_modify(path->from, 0, IBV_QPS_RTS, &usual, numbers) ||
	       rc_expect_state(path->from, 0, IBV_QPS_RTS) ||
	       (pushes && rc_post_empty(path, ID_PUSH)) ||
	       rc_name_failure(trial, trial_expect(path->to, ID_HELD, NULL),
			       "a send posted in SQD, back in RTS") ||
	       trial_expect(path->from, ID_HELD, NULL) ||
	       (pushes && rc_expect_empty(path, ID_PUSH)) || trial_check(path->to, data, ID_HELD);
}

static int walk_drained(const struct rc_path paths[static 2], const struct qp_numbers *numbers)
{
	for (uint32_t i = 0; i < 2; i++) {
		const int rc = enter_drained(paths[i].from);

		if (rc <= 0)
			return rc;
		if (hold_and_release(&paths[i], numbers))
			return -EIO;
	}
	return 0;
}

/* In ERR, all requests complete as flushed, whether posted before or after the transition. */
static int flush(struct side *side, const struct qp_numbers *numbers)
{
	const struct message_receive receive = {
		.count = RECEIVES,
		.id = ID_FLUSHED,
		.span = rc_data(0, STATE_BYTES),
	};
	int rc = trial_receive(side, &receive) ||
		 trial_modify(side, 0, IBV_QPS_ERR, &usual, numbers) ||
		 rc_expect_state(side, 0, IBV_QPS_ERR);
	bool posted = false;

	for (uint32_t i = 0; i < RECEIVES && !rc; i++)
		rc = trial_expect_status(side, ID_FLUSHED + i, IBV_WC_WR_FLUSH_ERR);
	/* siw drops requests posted in ERROR: siw_sq_flush_wr() finds no work request then. */
	if (!rc && side->can.vendor != RC_VENDOR_SIW)
		rc = rc_post_in_error(side, ID_LATE, &posted);
	if (!rc && posted)
		rc = trial_expect_status(side, ID_LATE, IBV_WC_WR_FLUSH_ERR);
	return rc_name_failure(side->trial, rc, "in the state ERR");
}

static void walk_all(struct trial *trial)
{
	struct qp_numbers numbers;
	struct rc_path paths[2];

	if (trial_make_qps(trial, 0, &usual, &numbers) || rc_buffers(trial, STATE_BYTES, paths) ||
	    expect_both(trial, IBV_QPS_RESET) || walk_up(trial, &numbers) ||
	    transfer(trial, paths, 0, "in the state RTS") || walk_drained(paths, &numbers) ||
	    flush(&trial->near, &numbers) || flush(&trial->far, &numbers))
		return;
	/* Go down, and up again with the same queue pairs. */
	if (!walk(trial, IBV_QPS_RESET, &numbers) && !walk_up(trial, &numbers))
		transfer(trial, paths, 2, "after RESET");
}

/*
 * iWARP has the states IDLE, RTS, CLOSING, TERMINATE and ERROR; the connection manager brings a
 * queue pair to RTS.
 */
static void walk_iwarp(struct trial *trial)
{
	const struct qp_shape again = {.keep_cq = true};
	struct qp_numbers numbers;
	struct rc_path paths[2];

	if (!trial_make_qps(trial, 0, &usual, &numbers) && !expect_both(trial, IBV_QPS_RESET) &&
	    !trial_connect(trial, &again, &numbers) && !rc_buffers(trial, STATE_BYTES, paths) &&
	    !expect_both(trial, IBV_QPS_RTS) && !transfer(trial, paths, 0, "in the state RTS"))
		flush(&trial->near, &numbers);
	trial_remark(trial,
		     "iWARP has no RTR and no SQD: rdma_cm brings a queue pair from IDLE to RTS");
}

void rc_run_states(struct trial *trial)
{
	if (trial_is_iwarp(trial))
		walk_iwarp(trial);
	else
		walk_all(trial);
}
