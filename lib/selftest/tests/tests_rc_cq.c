/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"
#include "selftest/tests/tests_rc.h"

enum {
	DEPTH = 8, /* of the send queue: each batch fills what was asked for */
	BLOCK = 260,
	BATCHES = 4,
	SHARED_QPS = 3,
	MESSAGES = 4, /* on each pair */
	ALL = SHARED_QPS * MESSAGES,
	ROOM = 512, /* of each receive */
	NOTHING_MSEC = 2,
};

/* ---- Batches in which only the last request completes ---- */

/* Each block has its own place and data. */
static int post_writes(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	int rc = 0;

	for (uint32_t i = 0; i < DEPTH && !rc; i++) {
		const uint64_t offset = (uint64_t)i * BLOCK;
		const struct message_post post = {
			.operation = POST_WRITE,
			.flags = i == DEPTH - 1 ? POST_SIGNALED : 0,
			.id = id + i,
			.span = rc_data(offset, BLOCK),
			.remote_address = path->there.address + RC_GUARD_BYTES + offset,
			.rkey = path->there.rkey,
		};

		rc = trial_post(trial, path->from, &post);
	}
	return rc;
}

/* Only the last request of the batch completes. */
static int expect_last(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	return trial_expect(trial, path->from, id + DEPTH - 1, NULL) ||
	       trial_expect_none(trial, path->from, NOTHING_MSEC);
}

/* On every transport the arrival of a later send proves that the writes before it arrived. */
static int follow(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	const struct message_receive receive = {.id = id, .span = rc_no_data()};
	const struct message_post post = trial_send(id, trial_span(0, 0));

	return trial_receive(trial, path->to, &receive) || trial_post(trial, path->from, &post) ||
	       trial_expect(trial, path->from, id, NULL) || trial_expect(trial, path->to, id, NULL);
}

static int write_batch(struct trial *trial, const struct rc_path *path, uint32_t number)
{
	const struct span all = rc_data(0, (uint64_t)DEPTH * BLOCK);
	const uint64_t id = (uint64_t)number << 8;
	int rc = trial_fill(trial, path->from, &all, number);

	if (!rc)
		rc = post_writes(trial, path, id) || expect_last(trial, path, id) ||
		     follow(trial, path, id + DEPTH) || trial_check(trial, path->to, &all, number);
	return rc_name_failure(trial, rc, "batch %" PRIu32 " of %d RDMA writes", number, DEPTH);
}

/* Receives always complete, all of them. */
static int expect_receives(struct trial *trial, struct side *side, uint64_t id, uint32_t number)
{
	struct message_waited waited;
	int rc = trial_expect_successes(trial, side, DEPTH, &waited);

	for (uint32_t i = 0; i < DEPTH && !rc; i++) {
		const struct span block = rc_data((uint64_t)i * BLOCK, BLOCK);

		if (waited.items[i].id == id + i) {
			rc = trial_check(trial, side, &block, number);
			continue;
		}
		trial_fail(trial, rc_firmware_hint,
			   "receive %" PRIu32 " of the batch completed as 0x%" PRIx64 ", 0x%" PRIx64
			   " expected",
			   i, waited.items[i].id, id + i);
		rc = -EBADMSG;
	}
	return rc;
}

/* The same message so many times, each to another receive. */
static int send_batch(struct trial *trial, const struct rc_path *path, uint32_t number)
{
	const struct span all = rc_data(0, (uint64_t)DEPTH * BLOCK);
	const uint64_t id = (uint64_t)number << 8;
	const struct message_receive receive = {
		.count = DEPTH,
		.id = id,
		.span = rc_data(0, BLOCK),
		.step = BLOCK,
	};
	const struct message_post post = {
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.count = DEPTH,
		.id = id,
		.span = rc_data(0, BLOCK),
	};
	int rc = trial_fill_constant(trial, path->to, &all, 0);

	if (!rc)
		rc = trial_fill(trial, path->from, &post.span, number) ||
		     trial_receive(trial, path->to, &receive) ||
		     trial_post(trial, path->from, &post) || expect_last(trial, path, id) ||
		     expect_receives(trial, path->to, id, number);
	return rc_name_failure(trial, rc, "batch %" PRIu32 " of %d sends", number, DEPTH);
}

void rc_run_unsignaled(struct trial *trial)
{
	const struct qp_shape shape = {
		.unsignaled = true,
		.send_depth = DEPTH,
		.receive_depth = DEPTH,
	};
	struct rc_path paths[2];
	int rc = rc_connect(trial, &shape, (uint64_t)DEPTH * BLOCK, paths);
	uint32_t number = 0;

	number_set(&trial->result->size_bytes, BLOCK);
	number_set(&trial->result->depth, DEPTH);
	for (uint32_t i = 0; i < BATCHES && !rc; i++) {
		const struct rc_path *path = &paths[i % 2];

		rc = write_batch(trial, path, ++number);
		if (!rc)
			rc = send_batch(trial, path, ++number);
	}
	number_set(&trial->result->iterations, (uint64_t)number * DEPTH);
}

/* ---- Several queue pairs on one shared receive queue ---- */

/* Message k uses queue pair k % SHARED_QPS; all lengths differ. */
static uint64_t message_bytes(uint32_t message)
{
	return 100 + 12ull * message;
}

/* All receives lie in the buffer one after another; messages are sent from the same places. */
static struct span message_span(uint32_t place, uint32_t message)
{
	return rc_data((uint64_t)place * ROOM, message_bytes(message));
}

static int post_messages(struct trial *trial)
{
	int rc = 0;

	for (uint32_t i = 0; i < ALL && !rc; i++) {
		const struct message_post post = {
			.slot = i % SHARED_QPS,
			.operation = POST_SEND,
			.flags = POST_SIGNALED,
			.id = i,
			.span = message_span(i, i),
		};

		rc = trial_fill(trial, &trial->near, &post.span, i);
		if (!rc)
			rc = trial_post(trial, &trial->near, &post);
	}
	return rc;
}

/* Messages received on each queue pair so far, and the receives that they used. */
struct arrivals {
	const uint32_t *qpns; /* the far queue pairs' QPNs */
	uint32_t of_qp[SHARED_QPS];
	bool taken[ALL];
};

/*
 * The order between queue pairs is undefined, within each it is not: so the QPN says which message
 * it must be, and the id where it must be.
 */
static int check_arrival(struct trial *trial, const struct work_completion *item,
			 struct arrivals *arrivals)
{
	uint32_t qp = 0, message;
	struct span span, rest;
	int rc;

	while (qp < SHARED_QPS && arrivals->qpns[qp] != item->qpn)
		qp++;
	if (qp == SHARED_QPS || arrivals->of_qp[qp] == MESSAGES || item->id >= ALL ||
	    arrivals->taken[item->id]) {
		trial_fail(trial, rc_firmware_hint,
			   "receive %" PRIu64 " completed for QP %" PRIu32
			   ": no message was left for that",
			   item->id, item->qpn);
		return -EBADMSG;
	}
	arrivals->taken[item->id] = true;
	message = arrivals->of_qp[qp]++ * SHARED_QPS + qp;
	if (item->bytes != message_bytes(message)) {
		trial_fail(trial, rc_firmware_hint,
			   "receive %" PRIu64 " has %" PRIu32 " bytes, %" PRIu64 " were sent",
			   item->id, item->bytes, message_bytes(message));
		return -EBADMSG;
	}
	span = message_span((uint32_t)item->id, message);
	rest = rc_data(item->id * ROOM + item->bytes, ROOM - item->bytes);
	rc = trial_check(trial, &trial->far, &span, message);
	return rc ? rc : trial_check_constant(trial, &trial->far, &rest, RC_GUARD_BYTE);
}

static int check_arrivals(struct trial *trial, const uint32_t qpns[static SHARED_QPS])
{
	struct arrivals arrivals = {.qpns = qpns};
	struct message_waited waited;
	int rc = trial_expect_successes(trial, &trial->far, ALL, &waited);

	for (uint32_t i = 0; !rc && i < ALL; i++)
		rc = check_arrival(trial, &waited.items[i], &arrivals);
	return rc;
}

static int connect_srq(struct trial *trial, uint32_t qpns[static SHARED_QPS])
{
	struct qp_shape shape = {.srq = true, .entries = 2 * ALL};
	int rc = 0;

	for (uint32_t i = 0; i < SHARED_QPS && !rc; i++) {
		struct qp_numbers qp;

		rc = trial_connect(trial, i, &shape, &qp);
		if (!rc)
			qpns[i] = qp.far;
		shape.keep_cq = true;
	}
	return rc;
}

void rc_run_shared(struct trial *trial)
{
	const struct message_receive receive = {
		.srq = 1,
		.count = ALL,
		.span = rc_data(0, ROOM),
		.step = ROOM,
	};
	const struct span all = rc_data(0, ALL * ROOM);
	struct message_waited waited;
	uint32_t qpns[SHARED_QPS];
	struct rc_path paths[2];
	int rc = connect_srq(trial, qpns);

	if (!rc)
		rc = rc_buffers(trial, ALL * ROOM, paths) ||
		     trial_fill_constant(trial, &trial->far, &all, RC_GUARD_BYTE) ||
		     trial_receive(trial, &trial->far, &receive) || post_messages(trial) ||
		     trial_expect_successes(trial, &trial->near, ALL, &waited);
	if (!rc)
		check_arrivals(trial, qpns);
	number_set(&trial->result->queue_pairs, SHARED_QPS);
	number_set(&trial->result->iterations, ALL);
}
