/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"
#include "selftest/tests/tests_rc.h"

enum {
	DEPTH = 8, /* of the send queue: each batch fills what was asked for */
	BLOCK = 260,
	BATCHES = 4,
	PAIRS = 3,
	MESSAGES = 4, /* on each pair */
	ALL = PAIRS * MESSAGES,
	ROOM = 512, /* of each receive */
	NOTHING_MSEC = 2,
};

/* ---- batches: all but the last do not complete ---- */

/* Each block has a place and data of its own. */
static int post_writes(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	int rc = 0;

	for (uint32_t i = 0; i < DEPTH && !rc; i++) {
		const uint64_t offset = (uint64_t)i * BLOCK;
		const struct message_post post = {
			.operation = POST_WRITE,
			.flags = i == DEPTH - 1 ? POST_SIGNALED : 0,
			.count = 1,
			.id = id + i,
			.span = rc_data(offset, BLOCK),
			.remote_address = path->there.address + RC_GUARD_BYTES + offset,
			.remote_key = path->there.remote_key,
		};

		rc = trial_post(trial, path->from, &post);
	}
	return rc;
}

/* The only completion of the batch is its last one's. */
static int expect_last(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	int rc = trial_expect(trial, path->from, id + DEPTH - 1, NULL);

	return rc ? rc : trial_expect_none(trial, path->from, NOTHING_MSEC);
}

/* A send without data tells, on every transport, that the writes before it are there. */
static int follow(struct trial *trial, const struct rc_path *path, uint64_t id)
{
	const struct message_receive receive = {.count = 1, .id = id, .span = rc_no_data()};
	const struct message_post post = {
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.count = 1,
		.id = id,
	};
	int rc = trial_receive(trial, path->to, &receive);

	if (!rc)
		rc = trial_post(trial, path->from, &post);
	if (!rc)
		rc = trial_expect(trial, path->from, id, NULL);
	return rc ? rc : trial_expect(trial, path->to, id, NULL);
}

static int write_batch(struct trial *trial, const struct rc_path *path, uint32_t number)
{
	const struct span all = rc_data(0, (uint64_t)DEPTH * BLOCK);
	const uint64_t id = (uint64_t)number << 8;
	int rc = trial_fill(trial, path->from, &all, number);

	if (!rc)
		rc = post_writes(trial, path, id);
	if (!rc)
		rc = expect_last(trial, path, id);
	if (!rc)
		rc = follow(trial, path, id + DEPTH);
	if (!rc)
		rc = trial_check(trial, path->to, &all, number);
	return rc_name_failure(trial, rc, "batch %" PRIu32 " of %d RDMA writes", number, DEPTH);
}

/* Receives always complete, all of them. */
static int expect_receives(struct trial *trial, struct side *side, uint64_t id, uint32_t number)
{
	struct message_waited waited;
	int rc = trial_wait(trial, side, DEPTH, 0, &waited);

	for (uint32_t i = 0; i < DEPTH && !rc; i++) {
		const struct span block = rc_data((uint64_t)i * BLOCK, BLOCK);

		if (waited.items[i].status != IBV_WC_SUCCESS)
			return trial_explain_status(trial, side, &waited.items[i]);
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

/* The same message so many times, each to a receive of its own. */
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
		rc = trial_fill(trial, path->from, &post.span, number);
	if (!rc)
		rc = trial_receive(trial, path->to, &receive);
	if (!rc)
		rc = trial_post(trial, path->from, &post);
	if (!rc)
		rc = expect_last(trial, path, id);
	if (!rc)
		rc = expect_receives(trial, path->to, id, number);
	return rc_name_failure(trial, rc, "batch %" PRIu32 " of %d sends", number, DEPTH);
}

void rc_run_unsignaled(struct trial *trial)
{
	const struct pair_shape shape = {
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

/* ---- several queue pairs that take their receives from one queue ---- */

/* Message k goes by pair k % PAIRS; no two are of one length. */
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
			.slot = i % PAIRS,
			.operation = POST_SEND,
			.flags = POST_SIGNALED,
			.count = 1,
			.id = i,
			.span = message_span(i, i),
		};

		rc = trial_fill(trial, &trial->near, &post.span, i);
		if (!rc)
			rc = trial_post(trial, &trial->near, &post);
	}
	return rc;
}

/* What came on each pair so far, and which receives were taken. */
struct arrivals {
	const uint32_t *numbers; /* the far queue pairs' QPNs */
	uint32_t of_pair[PAIRS];
	bool taken[ALL];
};

/*
 * The order among pairs is open, within each pair it is not: so its QPN tells which message it must
 * be, and its id where it must lie.
 */
static int check_arrival(struct trial *trial, const struct work_completion *item,
			 struct arrivals *arrivals)
{
	uint32_t pair = 0, message;
	struct span span, rest;
	int rc;

	while (pair < PAIRS && arrivals->numbers[pair] != item->number)
		pair++;
	if (pair == PAIRS || arrivals->of_pair[pair] == MESSAGES || item->id >= ALL ||
	    arrivals->taken[item->id]) {
		trial_fail(trial, rc_firmware_hint,
			   "receive %" PRIu64 " completed for QP %" PRIu32
			   ": no message was left for that",
			   item->id, item->number);
		return -EBADMSG;
	}
	arrivals->taken[item->id] = true;
	message = arrivals->of_pair[pair]++ * PAIRS + pair;
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

static int check_arrivals(struct trial *trial, const uint32_t numbers[static PAIRS])
{
	struct arrivals arrivals = {.numbers = numbers};
	struct message_waited waited;
	int rc = trial_wait(trial, &trial->far, ALL, 0, &waited);

	for (uint32_t i = 0; !rc && i < waited.count; i++)
		rc = waited.items[i].status == IBV_WC_SUCCESS
			     ? check_arrival(trial, &waited.items[i], &arrivals)
			     : trial_explain_status(trial, &trial->far, &waited.items[i]);
	return rc;
}

static int check_sends(struct trial *trial)
{
	struct message_waited waited;
	int rc = trial_wait(trial, &trial->near, ALL, 0, &waited);

	for (uint32_t i = 0; !rc && i < waited.count; i++)
		if (waited.items[i].status != IBV_WC_SUCCESS)
			rc = trial_explain_status(trial, &trial->near, &waited.items[i]);
	return rc;
}

static int connect_shared(struct trial *trial, uint32_t numbers[static PAIRS])
{
	struct pair_shape shape = {.shared = true, .entries = 2 * ALL};
	int rc = 0;

	for (uint32_t i = 0; i < PAIRS && !rc; i++) {
		struct pair_numbers pair;

		rc = trial_connect(trial, i, &shape, &pair);
		if (!rc)
			numbers[i] = pair.far;
		shape.keep_queue = true;
	}
	return rc;
}

void rc_run_shared(struct trial *trial)
{
	const struct message_receive receive = {
		.shared = 1,
		.count = ALL,
		.span = rc_data(0, ROOM),
		.step = ROOM,
	};
	const struct span all = rc_data(0, ALL * ROOM);
	uint32_t numbers[PAIRS];
	struct rc_path paths[2];
	int rc = connect_shared(trial, numbers);

	if (!rc)
		rc = rc_buffers(trial, ALL * ROOM, paths);
	if (!rc)
		rc = trial_fill_constant(trial, &trial->far, &all, RC_GUARD_BYTE);
	if (!rc)
		rc = trial_receive(trial, &trial->far, &receive);
	if (!rc)
		rc = post_messages(trial);
	if (!rc)
		rc = check_sends(trial);
	if (!rc)
		check_arrivals(trial, numbers);
	number_set(&trial->result->queue_pairs, PAIRS);
	number_set(&trial->result->iterations, ALL);
}
