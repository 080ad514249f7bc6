/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory is filled and checked with one byte value, so all numbers here are eight equal bytes. The
 * operands that lead from one to the next are not: additions carry through all bytes, and an
 * operation in the wrong byte order gives another result.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"
#include "selftest/tests/tests_rc.h"

enum {
	WORD = 8,
	GUARD = 64,
	ROOM = GUARD + WORD + GUARD,
	QPS = 3,
	/* On each queue pair; one wait can return all of them. */
	ADDITIONS = 10,
};

/* As eight bytes. */
static uint64_t each(uint8_t byte)
{
	return UINT64_C(0x0101010101010101) * byte;
}

/* One atomic operation, and what it must leave in both memories. */
struct step {
	uint32_t operation;
	uint8_t before; /* the word at the other side, which is also what comes back */
	uint8_t after;
	uint64_t operand; /* what is added, or compared with */
	uint64_t swap;
};

/* The word with guards around it, on one side. */
static int fill_word(struct trial *trial, struct side *side, uint8_t byte)
{
	const struct span all = trial_span(0, ROOM), word = trial_span(GUARD, WORD);

	return trial_fill_constant(trial, side, &all, RC_GUARD_BYTE) ||
	       trial_fill_constant(trial, side, &word, byte);
}

static int check_bytes(struct trial *trial, struct side *side, uint8_t byte, const char *what)
{
	const struct message_fill request = {
		.span = trial_span(GUARD, WORD),
		.seed = byte,
		.constant = 1,
	};
	struct message_checked checked;
	int rc = trial_explain(trial, side, side_check(side, &request, &checked));

	if (rc || checked.equal)
		return rc;
	trial_fail(trial, rc_firmware_hint,
		   "%s has 0x%02" PRIx32 " at byte %" PRIu64 ", expected 0x%02x in all 8", what,
		   checked.got, checked.offset, byte);
	return -EBADMSG;
}

static int check_word(struct trial *trial, struct side *side, uint8_t byte, const char *what)
{
	const struct span around = {
		.buffer = TRIAL_DATA,
		.blocks = 2,
		.block_bytes = GUARD,
		.stride = GUARD + WORD,
	};

	return check_bytes(trial, side, byte, what) ||
	       trial_check_constant(trial, side, &around, RC_GUARD_BYTE);
}

static int open_word(struct trial *trial, const struct qp_shape *shape,
		     struct rc_path paths[static 2])
{
	number_set(&trial->result->size_bytes, WORD);
	return rc_connect(trial, shape, ROOM, paths);
}

static int post_step(struct trial *trial, const struct rc_path *path, const struct step *step,
		     uint32_t count, uint64_t id)
{
	const struct message_post post = {
		.slot = path->slot,
		.operation = step->operation,
		.flags = POST_SIGNALED,
		.count = count,
		.id = id,
		.span = trial_span(GUARD, WORD),
		.remote_address = path->there.address + GUARD,
		.rkey = path->there.rkey,
		.operand = step->operand,
		.swap = step->swap,
	};

	return trial_post(trial, path->from, &post);
}

static int expect_step(struct trial *trial, const struct rc_path *path, uint64_t id,
		       uint32_t operation)
{
	const uint32_t opcode = operation == POST_FETCH_ADD ? IBV_WC_FETCH_ADD : IBV_WC_COMP_SWAP;
	struct work_completion item;
	int rc = trial_expect(trial, path->from, id, &item);

	if (rc || item.operation == opcode)
		return rc;
	trial_fail(trial, rc_firmware_hint,
		   "the completion is of operation %" PRIu32 ", %" PRIu32 " expected",
		   item.operation, opcode);
	return -EBADMSG;
}

static int run_step(struct trial *trial, const struct rc_path *path, const struct step *step,
		    uint32_t number)
{
	/* A value that no step expects. */
	int rc = fill_word(trial, path->from, 0x99);

	if (!rc)
		rc = post_step(trial, path, step, 1, number) ||
		     expect_step(trial, path, number, step->operation) ||
		     check_word(trial, path->from, step->before, "the value that came back") ||
		     check_word(trial, path->to, step->after, "the word at the other side");
	return rc_name_failure(trial, rc,
			       "%s of 0x%016" PRIx64 " to 0x%016" PRIx64 " (step %" PRIu32 ")",
			       rc_operation_name(step->operation), step->operand,
			       each(step->before), number);
}

/* Each step begins with the result of the one before. */
static void run_steps(struct trial *trial, const struct step *steps, uint32_t count)
{
	const struct qp_shape shape = {0};
	struct rc_path paths[2];
	int rc = open_word(trial, &shape, paths);

	number_set(&trial->result->iterations, 2 * (uint64_t)count);
	for (uint32_t i = 0; i < 2 && !rc; i++) {
		rc = fill_word(trial, paths[i].to, steps[0].before);
		for (uint32_t k = 0; k < count && !rc; k++)
			rc = run_step(trial, &paths[i], &steps[k], k + 1);
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
		/* A carry out of each byte; that of the last is lost. */
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
		/* One bit makes the difference, at either end. */
		SWAP(0x77, 0x77, UINT64_C(0x7777777777777776), UINT64_C(0x2222222222222222)),
		SWAP(0x77, 0x77, UINT64_C(0xf777777777777777), UINT64_C(0x2222222222222222)),
		SWAP(0x77, 0xee, UINT64_C(0x7777777777777777), UINT64_C(0xeeeeeeeeeeeeeeee)),
	};

	run_steps(trial, steps, ARRAY_SIZE(steps));
}

/* In any order of arrival, none may be lost. */
void rc_run_contended(struct trial *trial)
{
	const struct step step = {.operation = POST_FETCH_ADD, .operand = each(1)};
	struct qp_shape shape = {.entries = QPS * 2 * 16};
	struct message_waited waited;
	struct rc_path paths[2];
	int rc = open_word(trial, &shape, paths);

	shape.keep_cq = true;
	for (uint32_t i = 1; i < QPS && !rc; i++)
		rc = trial_connect(trial, i, &shape, NULL);
	if (!rc)
		rc = fill_word(trial, &trial->near, 0x99) || fill_word(trial, &trial->far, 0x20);
	for (uint32_t i = 0; i < QPS * ADDITIONS && !rc; i++) {
		paths[0].slot = i % QPS;
		rc = post_step(trial, &paths[0], &step, 1, i);
	}
	if (!rc)
		rc = trial_expect_successes(trial, &trial->near, QPS * ADDITIONS, &waited);
	if (!rc)
		check_word(trial, &trial->far, 0x20 + QPS * ADDITIONS, "the sum of all additions");
	number_set(&trial->result->queue_pairs, QPS);
	number_set(&trial->result->iterations, QPS * ADDITIONS);
}
