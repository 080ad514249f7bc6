/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests.h"

#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"

enum {
	BATCH_DEPTH = 8, /* of the send queue, as requested; each batch fills it */
	BATCH_BLOCK = 260,
	BATCHES = 4,
	SHARED_QPS = 3,
	MESSAGES = 4, /* per queue pair */
	ALL = SHARED_QPS * MESSAGES,
	RECEIVE_ROOM = 512, /* of each receive */
	NOTHING_MSEC = 2,
};

/* ---- Batches in which only the last request completes ---- */

/* Each block has its own place and data. */
static int post_writes(const struct rc_path *path, uint64_t id)
{
	int rc = 0;

	for (uint32_t i = 0; i < BATCH_DEPTH && !rc; i++) {
		const uint64_t offset = (uint64_t)i * BATCH_BLOCK;
		struct message_post post = trial_move(POST_WRITE, id + i,
						      rc_data(offset, BATCH_BLOCK), path->to,
						      RC_GUARD_BYTES + offset);

		post.flags = i == BATCH_DEPTH - 1 ? POST_SIGNALED : 0;
		rc = trial_post(path->from, &post);
	}
	return rc;
}

/* Expects a completion of the last request of the batch, and of no other. */
static int expect_last(const struct rc_path *path, uint64_t id)
{
	return trial_expect(path->from, id + BATCH_DEPTH - 1, NULL) ||
	       trial_expect_none(path->from, NOTHING_MSEC);
}

static int write_batch(const struct rc_path *path, uint32_t number)
{
	const struct span all = rc_data(0, (uint64_t)BATCH_DEPTH * BATCH_BLOCK);
	const uint64_t id = (uint64_t)number << 8;
	const int rc = trial_fill(path->from, all, number) || post_writes(path, id) ||
		       expect_last(path, id) || rc_post_empty(path, id + BATCH_DEPTH) ||
		       rc_expect_empty(path, id + BATCH_DEPTH) ||
		       trial_check(path->to, all, number);

	return rc_name_failure(path->from->trial, rc, "batch %" PRIu32 " of %d RDMA writes", number,
			       BATCH_DEPTH);
}

/* Receives always complete, even those of unsignaled sends. */
static int expect_receives(struct side *side, uint64_t id, uint32_t number)
{
	struct message_waited waited;

	if (trial_expect_successes(side, BATCH_DEPTH, &waited))
		return -EIO;
	for (uint32_t i = 0; i < BATCH_DEPTH; i++) {
		if (waited.items[i].id != id + i)
			return trial_fail(side->trial, rc_firmware_hint,
					  "receive %" PRIu32 " of the batch completed as 0x%" PRIx64
					  ", 0x%" PRIx64 " expected",
					  i, waited.items[i].id, id + i);
		if (trial_check(side, rc_data((uint64_t)i * BATCH_BLOCK, BATCH_BLOCK), number))
			return -EIO;
	}
	return 0;
}

/* Sends the same message to each of a batch of receives. */
static int send_batch(const struct rc_path *path, uint32_t number)
{
	const uint64_t id = (uint64_t)number << 8;
	const struct message_receive receive = {
		.count = BATCH_DEPTH,
		.id = id,
		.span = rc_data(0, BATCH_BLOCK),
		.step = BATCH_BLOCK,
	};
	const struct span all = rc_data(0, (uint64_t)BATCH_DEPTH * BATCH_BLOCK);
	struct message_post post = trial_send(id, receive.span);
	int rc;

	post.count = BATCH_DEPTH;
	rc = trial_fill_constant(path->to, all, 0) || trial_fill(path->from, post.span, number) ||
	     trial_receive(path->to, &receive) || trial_post(path->from, &post) ||
	     expect_last(path, id) || expect_receives(path->to, id, number);
	return rc_name_failure(path->from->trial, rc, "batch %" PRIu32 " of %d sends", number,
			       BATCH_DEPTH);
}

void rc_run_unsignaled(struct trial *trial)
{
	const struct qp_shape shape = {
		.unsignaled = true,
		.send_depth = BATCH_DEPTH,
		.receive_depth = BATCH_DEPTH,
	};
	struct rc_path paths[2];
	int rc = rc_connect(trial, &shape, (uint64_t)BATCH_DEPTH * BATCH_BLOCK, paths);
	uint32_t number = 0;

	number_set(&trial->result->size_bytes, BATCH_BLOCK);
	number_set(&trial->result->depth, BATCH_DEPTH);
	for (uint32_t i = 0; i < BATCHES && !rc; i++)
		rc = write_batch(&paths[i % 2], ++number) || send_batch(&paths[i % 2], ++number);
	number_set(&trial->result->iterations, (uint64_t)number * BATCH_DEPTH);
}

/* ---- Several queue pairs on one shared receive queue ---- */

/* Message k uses queue pair k % SHARED_QPS; all lengths differ. */
static uint64_t message_bytes(uint32_t message)
{
	return 100 + 12ull * message;
}

/* The receives lie one after another in the buffer; messages are sent from the same places. */
static struct span message_span(uint32_t place, uint32_t message)
{
	return rc_data((uint64_t)place * RECEIVE_ROOM, message_bytes(message));
}

/* Messages received on each queue pair so far, and the receives that they consumed. */
struct arrivals {
	struct qp_numbers qps[SHARED_QPS];
	uint32_t of_qp[SHARED_QPS];
	bool taken[ALL];
};

/*
 * Messages are in order within a queue pair, but not between queue pairs: the QPN says which
 * message it must be, and the id where it must be.
 */
static int check_arrival(struct trial *trial, const struct work_completion *item,
			 struct arrivals *arrivals)
{
	uint32_t qp = 0, message;
	struct span span, rest;

	while (qp < SHARED_QPS && arrivals->qps[qp].far != item->qpn)
		qp++;
	if (qp == SHARED_QPS || arrivals->of_qp[qp] == MESSAGES || item->id >= ALL ||
	    arrivals->taken[item->id])
		return trial_fail(trial, rc_firmware_hint,
				  "receive %" PRIu64 " completed for QP %" PRIu32
				  ", which had no message left",
				  item->id, item->qpn);
	arrivals->taken[item->id] = true;
	message = arrivals->of_qp[qp]++ * SHARED_QPS + qp;
	if (item->bytes != message_bytes(message))
		return trial_fail(trial, rc_firmware_hint,
				  "receive %" PRIu64 " has %" PRIu32 " bytes, %" PRIu64
				  " were sent",
				  item->id, item->bytes, message_bytes(message));
	span = message_span((uint32_t)item->id, message);
	rest = rc_data(item->id * RECEIVE_ROOM + item->bytes, RECEIVE_ROOM - item->bytes);
	return trial_check(&trial->far, span, message) ||
	       trial_check_constant(&trial->far, rest, RC_GUARD_BYTE);
}

void rc_run_shared(struct trial *trial)
{
	const struct message_receive receive = {
		.srq = 1,
		.count = ALL,
		.span = rc_data(0, RECEIVE_ROOM),
		.step = RECEIVE_ROOM,
	};
	const struct qp_shape shape = {.srq = true, .entries = 2 * ALL};
	const struct span all = rc_data(0, ALL * RECEIVE_ROOM);
	struct arrivals arrivals = {0};
	struct message_waited waited;
	struct rc_path paths[2];
	int rc = trial_connect_all(trial, SHARED_QPS, &shape, arrivals.qps) ||
		 rc_buffers(trial, ALL * RECEIVE_ROOM, paths) ||
		 trial_fill_constant(&trial->far, all, RC_GUARD_BYTE) ||
		 trial_receive(&trial->far, &receive);

	for (uint32_t i = 0; i < ALL && !rc; i++) {
		struct message_post post = trial_send(i, message_span(i, i));

		post.slot = i % SHARED_QPS;
		rc = trial_fill(&trial->near, post.span, i) || trial_post(&trial->near, &post);
	}
	if (!rc)
		rc = trial_expect_successes(&trial->near, ALL, &waited) ||
		     trial_expect_successes(&trial->far, ALL, &waited);
	for (uint32_t i = 0; i < ALL && !rc; i++)
		rc = check_arrival(trial, &waited.items[i], &arrivals);
	number_set(&trial->result->queue_pairs, SHARED_QPS);
	number_set(&trial->result->iterations, ALL);
}

/* ---- Atomic operations ---- */

/*
 * Memory is filled and checked with one byte value, so each number in it is eight equal bytes. The
 * operands between them are not all like that: additions carry through all bytes, and an operation
 * in the wrong byte order gives another result.
 */

enum {
	WORD_BYTES = 8,
	WORD_GUARD = 64,
	WORD_ROOM = WORD_GUARD + WORD_BYTES + WORD_GUARD,
	ADDING_QPS = 3,
	/* On each queue pair; one wait can return all of them. */
	ADDITIONS = 10,
};

static uint64_t each(uint8_t byte)
{
	return UINT64_C(0x0101010101010101) * byte;
}

/* One atomic operation, and what it must leave in both memories. */
struct step {
	uint32_t operation;
	uint8_t before; /* of the word at the other side; also the value returned */
	uint8_t after;
	uint64_t operand; /* what is added, or compared */
	uint64_t swap;
};

/* Fills the word, and the guards around it, on one side. */
static int fill_word(struct side *side, uint8_t byte)
{
	const struct span all = trial_span(0, WORD_ROOM), word = trial_span(WORD_GUARD, WORD_BYTES);

	return trial_fill_constant(side, all, RC_GUARD_BYTE) ||
	       trial_fill_constant(side, word, byte);
}

static int check_word(struct side *side, uint8_t byte, const char *what)
{
	const struct span around = {
		.buffer = TRIAL_DATA,
		.blocks = 2,
		.block_bytes = WORD_GUARD,
		.stride = WORD_GUARD + WORD_BYTES,
	};
	const struct message_fill request = {
		.span = trial_span(WORD_GUARD, WORD_BYTES),
		.seed = byte,
		.constant = 1,
	};
	struct message_checked checked;

	if (trial_order(side, check, &request, &checked))
		return -EIO;
	if (checked.equal)
		return trial_check_constant(side, around, RC_GUARD_BYTE);
	return trial_fail(side->trial, rc_firmware_hint,
			  "%s has 0x%02" PRIx32 " at byte %" PRIu64 ", expected 0x%02x in all 8",
			  what, checked.got, checked.offset, byte);
}

static int post_step(const struct rc_path *path, const struct step *step, uint64_t id)
{
	struct message_post post = trial_move(
		step->operation, id, trial_span(WORD_GUARD, WORD_BYTES), path->to, WORD_GUARD);

	post.slot = path->slot;
	post.operand = step->operand;
	post.swap = step->swap;
	return trial_post(path->from, &post);
}

static int run_step(const struct rc_path *path, const struct step *step, uint32_t number)
{
	/* A value that no step expects. */
	const int rc = fill_word(path->from, 0x99) || post_step(path, step, number) ||
		       rc_expect_sent(path, number, step->operation) ||
		       check_word(path->from, step->before, "the returned value") ||
		       check_word(path->to, step->after, "the word on the other side");

	return rc_name_failure(path->from->trial, rc,
			       "%s of 0x%016" PRIx64 " to 0x%016" PRIx64 " (step %" PRIu32 ")",
			       rc_operation_name(step->operation), step->operand,
			       each(step->before), number);
}

/* Each step begins with the result of the previous one. */
static void run_steps(struct trial *trial, const struct step *steps, uint32_t count)
{
	struct rc_path paths[2];
	int rc = rc_connect(trial, NULL, WORD_ROOM, paths);

	number_set(&trial->result->size_bytes, WORD_BYTES);
	number_set(&trial->result->iterations, 2 * (uint64_t)count);
	for (uint32_t i = 0; i < 2 && !rc; i++) {
		rc = fill_word(paths[i].to, steps[0].before);
		for (uint32_t k = 0; k < count && !rc; k++)
			rc = run_step(&paths[i], &steps[k], k + 1);
	}
}

#define ADD(before_, after_, operand_)                                           \
	{                                                                        \
		.operation = POST_FETCH_ADD, .before = before_, .after = after_, \
		.operand = operand_                                              \
	}

void rc_run_fetch_add(struct trial *trial)
{
	static const struct step steps[] = {
		ADD(0x10, 0x32, UINT64_C(0x2222222222222222)),
		ADD(0x32, 0xd0, UINT64_C(0x9e9e9e9e9e9e9e9e)),
		/* A carry out of each byte; the one out of the last byte is lost. */
		ADD(0xd0, 0x05, UINT64_C(0x3434343434343435)),
		/* A negative operand. */
		ADD(0x05, 0x04, UINT64_C(0xfefefefefefefeff)),
		ADD(0x04, 0xff, UINT64_C(0xfbfbfbfbfbfbfbfb)),
		ADD(0xff, 0x00, 1),
		ADD(0x00, 0x00, 0),
	};

	run_steps(trial, steps, ARRAY_SIZE(steps));
}

#define SWAP(before_, after_, compare_, swap_)                                      \
	{                                                                           \
		.operation = POST_COMPARE_SWAP, .before = before_, .after = after_, \
		.operand = compare_, .swap = swap_                                  \
	}

void rc_run_compare_swap(struct trial *trial)
{
	static const struct step steps[] = {
		SWAP(0x11, 0x77, UINT64_C(0x1111111111111111), UINT64_C(0x7777777777777777)),
		/* The comparison fails now, so the word stays. */
		SWAP(0x77, 0x77, UINT64_C(0x1111111111111111), UINT64_C(0x2222222222222222)),
		/* One bit differs, at either end of the word. */
		SWAP(0x77, 0x77, UINT64_C(0x7777777777777776), UINT64_C(0x2222222222222222)),
		SWAP(0x77, 0x77, UINT64_C(0xf777777777777777), UINT64_C(0x2222222222222222)),
		SWAP(0x77, 0xee, UINT64_C(0x7777777777777777), UINT64_C(0xeeeeeeeeeeeeeeee)),
	};

	run_steps(trial, steps, ARRAY_SIZE(steps));
}

/* The additions may arrive in any order, but none may be lost. */
void rc_run_contended(struct trial *trial)
{
	const struct step step = {.operation = POST_FETCH_ADD, .operand = each(1)};
	const struct qp_shape shape = {.entries = ADDING_QPS * 2 * 16};
	struct qp_numbers numbers[ADDING_QPS];
	struct message_waited waited;
	struct rc_path paths[2];
	int rc = trial_connect_all(trial, ADDING_QPS, &shape, numbers) ||
		 rc_buffers(trial, WORD_ROOM, paths) || fill_word(&trial->near, 0x99) ||
		 fill_word(&trial->far, 0x20);

	for (uint32_t i = 0; i < ADDING_QPS * ADDITIONS && !rc; i++) {
		paths[0].slot = i % ADDING_QPS;
		rc = post_step(&paths[0], &step, i);
	}
	if (!rc && !trial_expect_successes(&trial->near, ADDING_QPS * ADDITIONS, &waited))
		check_word(&trial->far, 0x20 + ADDING_QPS * ADDITIONS, "the sum of all additions");
	number_set(&trial->result->size_bytes, WORD_BYTES);
	number_set(&trial->result->queue_pairs, ADDING_QPS);
	number_set(&trial->result->iterations, ADDING_QPS * ADDITIONS);
}
