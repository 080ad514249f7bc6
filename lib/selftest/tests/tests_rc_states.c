/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "selftest/tests/tests_rc.h"

enum {
	BYTES = 200,
	RECEIVES = 2, /* that the error state has to flush */
	DRAINED_MSEC = 20,
	ID_HELD = 0x100,
	ID_PUSH,
	ID_FLUSHED = 0x200,
};

/* What a device answers that does not know a state, or a way there. */
static bool is_unsupported(const struct message *reply)
{
	const struct message_refused *refused = &reply->refused;

	return refused->refusal == REFUSAL_FAILED &&
	       (refused->error == EINVAL || refused->error == EOPNOTSUPP ||
		refused->error == ENOSYS);
}

/* Both queue pairs to a state, which a query must show. */
static int walk(struct trial *trial, uint32_t state, const struct pair_shape *shape,
		const struct pair_numbers *numbers)
{
	struct side *const sides[] = {&trial->near, &trial->far};
	int rc = 0;

	for (uint32_t i = 0; i < 2 && !rc; i++) {
		rc = trial_modify(trial, sides[i], 0, state, shape, numbers);
		if (!rc)
			rc = rc_expect_state(trial, sides[i], 0, state);
	}
	return rc;
}

static int walk_up(struct trial *trial, const struct pair_shape *shape,
		   const struct pair_numbers *numbers)
{
	int rc = walk(trial, IBV_QPS_INIT, shape, numbers);

	if (!rc)
		rc = walk(trial, IBV_QPS_RTR, shape, numbers);
	return rc ? rc : walk(trial, IBV_QPS_RTS, shape, numbers);
}

static int transfer(struct trial *trial, const struct rc_path paths[static 2], uint32_t iteration,
		    const char *when)
{
	int rc = 0;

	for (uint32_t i = 0; i < 2 && !rc; i++) {
		const struct rc_transfer order = {
			.operation = POST_SEND,
			.bytes = BYTES,
			.iteration = iteration + i,
		};

		rc = rc_transfer(trial, &paths[i], &order);
	}
	return rc_name_failure(trial, rc, "%s", when);
}

/* 1: drained; 0: the device has no such state, which the row says; else the row has failed. */
static int enter_drained(struct trial *trial, struct side *side, const char **ret_refusal)
{
	const struct message order = {
		.type = MESSAGE_MODIFY,
		/* The address is not looked at, but has to be one. */
		.modify = {.slot = 0,
			   .state = IBV_QPS_SQD,
			   .to = trial->near_can.far,
			   .mtu_bytes = trial_mtu(trial)},
	};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc == -EREMOTEIO && is_unsupported(&reply)) {
		*ret_refusal = strerror((int)reply.refused.error);
		return 0;
	}
	if (rc)
		return trial_explain(trial, side, rc, &reply);
	rc = rc_expect_state(trial, side, 0, IBV_QPS_SQD);
	return rc ? rc : 1;
}

/*
 * Soft-RoCE looks at its send queue again when something is posted, not when it comes back to RTS:
 * rxe_qp_from_attr(), drivers/infiniband/sw/rxe/rxe_qp.c, starts no task then.
 */
static int push(struct trial *trial, const struct rc_path *path)
{
	const struct message_receive receive = {.count = 1, .id = ID_PUSH, .span = rc_no_data()};
	const struct message_post post = {
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.count = 1,
		.id = ID_PUSH,
	};
	int rc;

	if (rc_vendor(trial, path->from) != RC_VENDOR_RXE)
		return 0;
	rc = trial_receive(trial, path->to, &receive);
	return rc ? rc : trial_post(trial, path->from, &post);
}

static int expect_pushed(struct trial *trial, const struct rc_path *path)
{
	int rc;

	if (rc_vendor(trial, path->from) != RC_VENDOR_RXE)
		return 0;
	rc = trial_expect(trial, path->to, ID_PUSH, NULL);
	return rc ? rc : trial_expect(trial, path->from, ID_PUSH, NULL);
}

/* In SQD, what is posted waits; back in RTS it is sent (InfiniBand specification, 10.3.1.5). */
static int hold_and_release(struct trial *trial, const struct rc_path *path,
			    const struct pair_shape *shape, const struct pair_numbers *numbers)
{
	const struct span data = rc_data(0, BYTES);
	const struct message_receive receive = {.count = 1, .id = ID_HELD, .span = data};
	const struct message_post post = {
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.count = 1,
		.id = ID_HELD,
		.span = data,
	};
	int rc = trial_fill(trial, path->from, &data, ID_HELD);

	if (!rc)
		rc = trial_fill_constant(trial, path->to, &data, 0);
	if (!rc)
		rc = trial_receive(trial, path->to, &receive);
	if (!rc)
		rc = trial_post(trial, path->from, &post);
	if (!rc)
		rc = rc_name_failure(trial, trial_expect_none(trial, path->to, DRAINED_MSEC),
				     "a send that was posted in SQD, where it has to wait");
	if (!rc)
		rc = trial_modify(trial, path->from, 0, IBV_QPS_RTS, shape, numbers);
	if (!rc)
		rc = rc_expect_state(trial, path->from, 0, IBV_QPS_RTS);
	if (!rc)
		rc = push(trial, path);
	if (!rc)
		rc = rc_name_failure(trial, trial_expect(trial, path->to, ID_HELD, NULL),
				     "a send that was posted in SQD, back in RTS");
	if (!rc)
		rc = trial_expect(trial, path->from, ID_HELD, NULL);
	if (!rc)
		rc = expect_pushed(trial, path);
	return rc ? rc : trial_check(trial, path->to, &data, ID_HELD);
}

static int walk_drained(struct trial *trial, const struct rc_path paths[static 2],
			const struct pair_shape *shape, const struct pair_numbers *numbers)
{
	const char *refusal = NULL;
	int rc = 1;

	for (uint32_t i = 0; i < 2 && rc > 0; i++) {
		rc = enter_drained(trial, paths[i].from, &refusal);
		if (rc > 0)
			rc = hold_and_release(trial, &paths[i], shape, numbers) ? -EIO : 1;
	}
	if (rc == 0)
		trial_remark(trial,
			     "without SQD: the driver refuses that state (ibv_modify_qp: %s)",
			     refusal ? refusal : "unknown error");
	return rc < 0 ? rc : 0;
}

/* Some drivers look at the state themselves and refuse what is posted in ERR: as good as flushed.
 */
static int flush_late(struct trial *trial, struct side *side)
{
	const struct message order = {
		.type = MESSAGE_POST,
		.post = {.operation = POST_SEND,
			 .flags = POST_SIGNALED,
			 .count = 1,
			 .id = ID_FLUSHED + RECEIVES,
			 .span = rc_data(0, BYTES)},
	};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc == -EREMOTEIO && is_unsupported(&reply)) {
		trial_remark(trial, "in ERR, the driver refuses what is posted (%s)",
			     strerror((int)reply.refused.error));
		return 0;
	}
	if (rc)
		return trial_explain(trial, side, rc, &reply);
	return trial_expect_status(trial, side, order.post.id, IBV_WC_WR_FLUSH_ERR);
}

/* In ERR all that was posted, and all that is posted then, completes as flushed. */
static int flush(struct trial *trial, struct side *side, const struct pair_shape *shape,
		 const struct pair_numbers *numbers)
{
	const struct message_receive receive = {
		.count = RECEIVES,
		.id = ID_FLUSHED,
		.span = rc_data(0, BYTES),
	};
	int rc = trial_receive(trial, side, &receive);

	if (!rc)
		rc = trial_modify(trial, side, 0, IBV_QPS_ERR, shape, numbers);
	if (!rc)
		rc = rc_expect_state(trial, side, 0, IBV_QPS_ERR);
	for (uint32_t i = 0; i < RECEIVES && !rc; i++)
		rc = trial_expect_status(trial, side, ID_FLUSHED + i, IBV_WC_WR_FLUSH_ERR);
	/* siw forgets what a program posts in ERROR: siw_sq_flush_wr() gets no work request then.
	 */
	if (!rc && rc_vendor(trial, side) != RC_VENDOR_SIW)
		rc = flush_late(trial, side);
	return rc_name_failure(trial, rc, "in the state ERR");
}

/* Down to RESET, and up again with the same queue pairs. */
static int again(struct trial *trial, const struct rc_path paths[static 2],
		 const struct pair_shape *shape, const struct pair_numbers *numbers)
{
	int rc = walk(trial, IBV_QPS_RESET, shape, numbers);

	if (!rc)
		rc = walk_up(trial, shape, numbers);
	return rc ? rc : transfer(trial, paths, 2, "after RESET");
}

static void walk_all(struct trial *trial)
{
	const struct pair_shape shape = {0};
	struct pair_numbers numbers;
	struct rc_path paths[2];
	int rc = trial_make_pairs(trial, 0, &shape, &numbers);

	if (!rc)
		rc = rc_buffers(trial, BYTES, paths);
	if (!rc)
		rc = rc_expect_state(trial, &trial->near, 0, IBV_QPS_RESET);
	if (!rc)
		rc = rc_expect_state(trial, &trial->far, 0, IBV_QPS_RESET);
	if (!rc)
		rc = walk_up(trial, &shape, &numbers);
	if (!rc)
		rc = transfer(trial, paths, 0, "in the state RTS");
	if (!rc)
		rc = walk_drained(trial, paths, &shape, &numbers);
	if (!rc)
		rc = flush(trial, &trial->near, &shape, &numbers);
	if (!rc)
		rc = flush(trial, &trial->far, &shape, &numbers);
	if (!rc)
		again(trial, paths, &shape, &numbers);
}

/*
 * iWARP has the states IDLE, RTS, CLOSING, TERMINATE and ERROR. Drivers tell IDLE as RESET or INIT;
 * the connection manager brings a queue pair to RTS.
 */
static int expect_idle(struct trial *trial, struct side *side)
{
	const struct message order = {.type = MESSAGE_QUERY, .query = {.slot = 0}};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc)
		return trial_explain(trial, side, rc, &reply);
	if (reply.queried.state == IBV_QPS_RESET || reply.queried.state == IBV_QPS_INIT)
		return 0;
	trial_fail(trial, rc_firmware_hint,
		   "a new queue pair is in state %" PRIu32 ", RESET or INIT expected",
		   reply.queried.state);
	return -EIO;
}

static void walk_iwarp(struct trial *trial)
{
	struct pair_shape shape = {0};
	struct pair_numbers numbers;
	struct rc_path paths[2];
	int rc = trial_make_pairs(trial, 0, &shape, &numbers);

	if (!rc)
		rc = expect_idle(trial, &trial->near);
	if (!rc)
		rc = expect_idle(trial, &trial->far);
	shape.keep_queue = true;
	if (!rc)
		rc = trial_connect(trial, 0, &shape, &numbers);
	if (!rc)
		rc = rc_buffers(trial, BYTES, paths);
	if (!rc)
		rc = rc_expect_state(trial, &trial->near, 0, IBV_QPS_RTS);
	if (!rc)
		rc = rc_expect_state(trial, &trial->far, 0, IBV_QPS_RTS);
	if (!rc)
		rc = transfer(trial, paths, 0, "in the state RTS");
	if (!rc)
		flush(trial, &trial->near, &shape, &numbers);
	trial_remark(trial, "iWARP has the states IDLE, RTS and ERROR: no RTR, no SQD, and "
			    "rdma_cm makes the way to RTS");
}

void rc_run_states(struct trial *trial)
{
	if (trial_is_iwarp(trial))
		walk_iwarp(trial);
	else
		walk_all(trial);
}
