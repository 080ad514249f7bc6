/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "base/mem.h"
#include "selftest/tests/tests.h"

/* XORed into an rkey to make it invalid: drivers number their keys from small values up. */
#define KEY_BITS    0x5a5a5a00u
#define TARGET_BYTE 0xa5
#define SOURCE_BYTE 0x3c
#define OLD_BUFFER  1u /* slot */

/*
 * Few and short: a vanished peer is given up after 3 * 4.096 us * 2^12 to four times that (IBTA 1,
 * 9.7.6.1.3). librdmacm has a timeout of its own, of seconds, so no retry is needed there.
 */
#define FAULT_TIMEOUT	  12
#define FAULT_RETRIES	  2
#define FAULT_RNR_RETRIES 1

enum { FAULT_ID = 0xf000, FAULT_ID_NEXT, FAULT_ID_LATER, FAULT_ID_RECEIVE };

/* How long a queue pair or a connection may take to change its state. */
#define FAULT_STATE_MSEC 2000
#define FAULT_HINT \
	"do not connect this device to untrusted peers; update its firmware and its driver"

struct injection {
	struct trial *trial;
	const struct fault *fault;
	struct work_completion seen[2][8]; /* of the near and of the far side */
	size_t seen_count[2];
	uint8_t near_byte, far_byte; /* contents of the buffers, which a fault must not change */
	bool followed;		     /* by another request, posted at once */
};

static int fail_status(struct injection *it, const char *where, const struct work_completion *got,
		       uint32_t expected)
{
	trial_note_status(it->trial, got);
	return trial_fail(it->trial, got->status ? NULL : FAULT_HINT,
			  "%s completed with '%s', not with '%s'", where,
			  completion_status_name(got->status), completion_status_name(expected));
}

static const struct work_completion *find_seen(const struct injection *it, const struct side *side,
					       uint64_t id)
{
	int which = side == &it->trial->far;

	for (size_t i = 0; i < it->seen_count[which]; i++)
		if (it->seen[which][i].id == id)
			return &it->seen[which][i];
	return NULL;
}

/* Waits for the completion with this id, and keeps others that come first. */
static int await_completion(struct injection *it, struct side *side, uint64_t id,
			    const struct work_completion **ret)
{
	int which = side == &it->trial->far;
	struct message_waited waited;

	while (!(*ret = find_seen(it, side, id))) {
		int rc;

		if (it->seen_count[which] == ARRAY_SIZE(it->seen[which]))
			return trial_fail(it->trial, NULL, "more completions than work requests");
		rc = trial_wait(side, 1, &waited);
		if (rc)
			return rc;
		it->seen[which][it->seen_count[which]++] = waited.items[0];
	}
	return 0;
}

static int expect_completion(struct injection *it, struct side *side, uint64_t id,
			     const char *where, uint32_t status, uint32_t also)
{
	const struct work_completion *item;
	int rc = await_completion(it, side, id, &item);

	if (rc || item->status == status)
		return rc;
	if (item->status >= 32 || !(also & FAULT_STATUS(item->status)))
		return fail_status(it, where, item, status);
	trial_remark(it->trial, "reported as '%s', the specification says '%s'",
		     completion_status_name(item->status), completion_status_name(status));
	return 0;
}

static int prepare(struct injection *it)
{
	const struct span all = trial_span(0, FAULT_BYTES);
	struct trial *trial = it->trial;

	return trial_buffer(&trial->near, TRIAL_DATA, FAULT_BYTES, 0) ||
	       trial_buffer(&trial->far, TRIAL_DATA, FAULT_BYTES, it->fault->access) ||
	       trial_fill_constant(&trial->near, all, it->near_byte) ||
	       trial_fill_constant(&trial->far, all, it->far_byte);
}

/* Connects both sides, each with a receive that is flushed when its queue pair fails. */
static int connect_qps(struct injection *it)
{
	const struct fault *fault = it->fault;
	struct trial *trial = it->trial;
	const struct trial_retries retries = {
		.timeout = FAULT_TIMEOUT,
		.retries = trial->by_cm && fault->flags & FAULT_GONE ? 0 : FAULT_RETRIES,
		.rnr_retries = FAULT_RNR_RETRIES,
	};
	const struct qp_shape shape = {
		.near_domain = fault->flags & FAULT_NEAR_DOMAIN,
		.far_domain = fault->flags & FAULT_FAR_DOMAIN,
		.retries = &retries,
	};
	/* No message arrives for it, but siw takes no receive without memory. */
	struct message_receive receive = {.id = FAULT_ID_RECEIVE, .span = trial_span(0, 1)};
	const struct message_qp destroy = {.destroy = 1};
	struct message_qp_created created;
	struct side *far = &trial->far;

	if (trial_connect(trial, &shape, NULL) || trial_receive(&trial->near, &receive))
		return -EIO;
	if (fault->receive)
		receive.span = trial_span(FAULT_OFFSET, fault->receive);
	if (!(fault->flags & FAULT_NO_RECEIVE) && trial_receive(far, &receive))
		return -EIO;
	/* The rkey and the address are those of memory that is no longer registered. */
	if (fault->flags & FAULT_OLD_RKEY &&
	    (trial_buffer(far, OLD_BUFFER, FAULT_BYTES, 0) || trial_buffer(far, OLD_BUFFER, 0, 0)))
		return -EIO;
	return fault->flags & FAULT_GONE ? trial_order(far, qp, &destroy, &created) : 0;
}

static int inject(struct injection *it)
{
	const struct fault *fault = it->fault;
	const struct message_post order = {
		.operation = fault->operation,
		.id = FAULT_ID,
		.span = trial_span(FAULT_OFFSET, fault->bytes),
		.remote_address = it->trial->far.memory.address + FAULT_OFFSET +
				  (uint64_t)fault->shift,
		.rkey = it->trial->far.memory.rkey ^ (fault->flags & FAULT_BAD_RKEY ? KEY_BITS : 0),
		.operand = 1,
		.bad_lkey = !!(fault->flags & FAULT_BAD_KEY),
	};

	return trial_post(&it->trial->near, &order);
}

/*
 * Queries the state every millisecond until it is ERR, or unknown, or, unless error_only, anything
 * but RTS.
 */
static int await_end_of_rts(struct side *side, int msec, bool error_only, uint32_t *ret_state)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct message_queried queried;

	for (int i = 0; i < msec; i++) {
		if (rc_query(side, 0, &queried))
			return -EIO;
		*ret_state = queried.state;
		if (queried.state == IBV_QPS_ERR || queried.state == RC_STATE_UNKNOWN ||
		    (!error_only && queried.state != IBV_QPS_RTS))
			break;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* The completion may come before the state changes, so the state is given some time. */
static int expect_error_state(struct side *side)
{
	uint32_t state;
	int rc = await_end_of_rts(side, FAULT_STATE_MSEC, true, &state);

	return rc ? rc : rc_expect_state(side, 0, IBV_QPS_ERR);
}

static int check_memory(struct injection *it)
{
	/* The buffer of a failed receive may hold anything. */
	const uint32_t after = FAULT_OFFSET + it->fault->receive;
	const struct span all = trial_span(0, FAULT_BYTES), before = trial_span(0, FAULT_OFFSET);
	const struct span rest = trial_span(after, FAULT_BYTES - after);
	struct trial *trial = it->trial;

	return trial_check_constant(&trial->near, all, it->near_byte) ||
	       trial_check_constant(&trial->far, before, it->far_byte) ||
	       trial_check_constant(&trial->far, rest, it->far_byte);
}

static int check_far(struct injection *it)
{
	const struct fault *fault = it->fault;
	struct side *far = &it->trial->far;

	if (fault->flags & FAULT_GONE)
		return 0;
	if (fault->far == FAULT_UNNOTICED)
		return trial_expect_none(far, 0) || rc_expect_state(far, 0, IBV_QPS_RTS);
	return expect_completion(it, far, FAULT_ID_RECEIVE, "the far receive", fault->far,
				 fault->far_also) ||
	       expect_error_state(far);
}

/*
 * Checks the near side: the request, and the one posted after it, which must not be carried out;
 * then, in the error state, another request, and the receive.
 */
static int check_near(struct injection *it)
{
	struct side *near = &it->trial->near;
	bool posted;

	return expect_completion(it, near, FAULT_ID, "the request", it->fault->near,
				 it->fault->near_also) ||
	       (it->followed && expect_completion(it, near, FAULT_ID_NEXT, "the request after it",
						  IBV_WC_WR_FLUSH_ERR, 0)) ||
	       expect_error_state(near) || rc_post_in_error(near, FAULT_ID_LATER, &posted) ||
	       (posted && expect_completion(it, near, FAULT_ID_LATER, "a later request",
					    IBV_WC_WR_FLUSH_ERR, 0)) ||
	       expect_completion(it, near, FAULT_ID_RECEIVE, "the local receive",
				 IBV_WC_WR_FLUSH_ERR, 0) ||
	       trial_expect_none(near, 0);
}

/* ---- iWARP ---- */

/* How long to wait for completions that come at once or, with some drivers, never. */
#define IWARP_END_MSEC 50

/*
 * On iWARP, a request that the far side refuses ends the stream with a Terminate message (RFC 5040,
 * 7; RFC 5041, 7), which names no work request. A write or a send may have completed long before,
 * as soon as its bytes were handed over (RFC 5040, 5.5); the status of other requests is up to the
 * driver.
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

static int expect_iwarp_request(struct injection *it)
{
	const struct work_completion *item;
	int rc = await_completion(it, &it->trial->near, FAULT_ID, &item);

	/* siw: the stream ended during the send (siw_qp_tx.c, siw_qp_sq_process()). */
	if (rc || is_iwarp_status(it->fault, item->status) || item->status == IBV_WC_LOC_QP_OP_ERR)
		return rc;
	return fail_status(it, "the request", item, it->fault->near);
}

/*
 * Expects the stream, and with it the queue pair, to have ended at this side. siw flushes receives
 * only if the other side ended the stream (siw_qp_cm_drop() forgets the queue pair).
 */
static int expect_end(struct injection *it, struct side *side, const char *where,
		      const char *receive, uint32_t status)
{
	const struct message_disconnect request = {.timeout_msec = FAULT_STATE_MSEC};
	const uint32_t flushed = FAULT_STATUS(IBV_WC_WR_FLUSH_ERR);
	int which = side == &it->trial->far;
	struct message_waited waited = {0};
	uint32_t state;
	int rc = side_disconnect(side, &request);

	if (rc == -EREMOTEIO && side->refused.error == ETIMEDOUT)
		return trial_fail(it->trial, FAULT_HINT, "the connection does not end on %s side",
				  where);
	if (rc)
		return trial_explain(side, rc);
	if (!find_seen(it, side, FAULT_ID_RECEIVE) && trial_look(side, IWARP_END_MSEC, &waited))
		return -EIO;
	if (waited.count)
		it->seen[which][it->seen_count[which]++] = waited.items[0];
	if (!find_seen(it, side, FAULT_ID_RECEIVE))
		trial_remark(it->trial, "a receive is not flushed when the connection ends");
	else if (expect_completion(it, side, FAULT_ID_RECEIVE, receive, status,
				   it->fault->far_also | flushed))
		return -EIO;
	/*
	 * The queue pair leaves RTS for the error state, perhaps through others (terminate, idle).
	 * siw leaves it in RTS when siw_qp_cm_drop() forgets it, and in Linux 6.1 it reports no
	 * state at all (siw_query_qp()).
	 */
	rc = await_end_of_rts(side, IWARP_END_MSEC, false, &state);
	if (!rc && state == IBV_QPS_RTS)
		trial_remark(it->trial, "a queue pair stays in RTS when its connection ends");
	return rc;
}

/* Posts a request after the end of the stream: it is flushed, or refused at once. */
static int try_later(struct injection *it)
{
	const struct message_post request = {
		.operation = POST_SEND,
		.id = FAULT_ID_LATER,
		.count = 1,
	};
	struct side *near = &it->trial->near;
	struct message_waited waited;
	int rc = side_post(near, &request);

	if (rc == -EREMOTEIO && near->refused.stage == STAGE_TRANSFER)
		return 0;
	if (trial_explain(near, rc) || trial_look(near, IWARP_END_MSEC, &waited))
		return -EIO;
	/* siw flushes what the kernel posts, but not what a program posts (siw_sq_flush_wr()). */
	if (!waited.count) {
		trial_remark(it->trial,
			     "a request posted after the end neither completes nor is refused");
		return 0;
	}
	if (waited.items[0].id != FAULT_ID_LATER)
		return trial_fail(it->trial, NULL,
				  "a later request completed with the id %#" PRIx64
				  ", not with %#x",
				  waited.items[0].id, FAULT_ID_LATER);
	if (waited.items[0].status == IBV_WC_WR_FLUSH_ERR)
		return 0;
	return fail_status(it, "a later request", &waited.items[0], IBV_WC_WR_FLUSH_ERR);
}

static int run_iwarp(struct injection *it)
{
	const struct fault *fault = it->fault;
	struct trial *trial = it->trial;
	bool gone = fault->flags & FAULT_GONE;
	int rc = gone ? 0 : inject(it);

	if (!rc && fault->near == IBV_WC_LOC_PROT_ERR)
		rc = expect_completion(it, &trial->near, FAULT_ID, "the request", fault->near,
				       fault->near_also);
	else if (!rc && !gone)
		rc = expect_iwarp_request(it);
	if (!rc)
		rc = expect_end(it, &trial->near, "this", "the local receive",
				IBV_WC_WR_FLUSH_ERR) ||
		     try_later(it);
	if (rc || gone)
		return rc;
	return expect_end(it, &trial->far, "the far", "the far receive",
			  fault->far == FAULT_UNNOTICED ? IBV_WC_WR_FLUSH_ERR : fault->far);
}

static int run_infiniband(struct injection *it)
{
	/* The queue pair may be in ERR already. */
	return inject(it) ||
	       (!(it->fault->flags & FAULT_ALONE) &&
		rc_post_in_error(&it->trial->near, FAULT_ID_NEXT, &it->followed)) ||
	       check_near(it) || check_far(it) || check_memory(it);
}

void fault_run(struct trial *trial, const struct fault *faults)
{
	for (const struct fault *fault = faults; fault->name; fault++) {
		const bool reads = fault->operation == POST_READ;
		struct injection it = {
			.trial = trial,
			.fault = fault,
			.near_byte = reads ? TARGET_BYTE : SOURCE_BYTE,
			.far_byte = reads ? SOURCE_BYTE : TARGET_BYTE,
		};
		int rc;

		if (fault->flags & FAULT_NEEDS_ATOMICS &&
		    !(trial->near.can.atomics && trial->far.can.atomics))
			continue;
		/* Drop the queue pairs that the previous fault left unusable. */
		trial_release(trial);
		rc = prepare(&it) || connect_qps(&it) ||
		     (trial_is_iwarp(trial) ? run_iwarp(&it) : run_infiniband(&it));
		if (rc_name_failure(trial, rc, "%s", fault->name))
			return;
	}
}
