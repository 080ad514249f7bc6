/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests_rc.h"

#include <errno.h>

#include "base/mem.h"

/* Several packets of most MTUs, and padded: no multiple of 4. */
#define USUAL_BYTES 5001u
#define MEGABYTE    (1u << 20)

/* Little enough for any device that takes inline data at all. */
#define INLINE_BYTES 28u

/* In both directions on one connection. */
static int run_both_ways(struct trial *trial, const struct rc_path paths[static 2],
			 struct rc_transfer transfer)
{
	int rc = rc_transfer(trial, &paths[0], &transfer);

	transfer.iteration++;
	return rc ? rc : rc_transfer(trial, &paths[1], &transfer);
}

static void run_operation(struct trial *trial)
{
	const struct qp_shape shape = {0};
	const struct rc_transfer transfer = {
		.operation = (uint32_t)trial->test->value,
		.bytes = USUAL_BYTES,
	};
	struct rc_path paths[2];

	number_set(&trial->result->size_bytes, USUAL_BYTES);
	if (!rc_connect(trial, &shape, USUAL_BYTES, paths))
		run_both_ways(trial, paths, transfer);
}

enum size { SIZE_NONE, SIZE_BYTE, SIZE_BELOW_MTU, SIZE_MTU, SIZE_ABOVE_MTU, SIZE_MEGABYTE };

static uint64_t bytes_of(const struct trial *trial)
{
	switch ((enum size)trial->test->value) {
	case SIZE_NONE:
		return 0;
	case SIZE_BYTE:
		return 1;
	case SIZE_BELOW_MTU:
		return trial_mtu(trial) - 1;
	case SIZE_MTU:
		return trial_mtu(trial);
	case SIZE_ABOVE_MTU:
		return trial_mtu(trial) + 1;
	default:
		return MEGABYTE;
	}
}

/* A message of each kind, because they are segmented into packets differently. */
static void run_size(struct trial *trial)
{
	static const uint32_t kinds[] = {POST_SEND, POST_WRITE, POST_READ};
	const uint64_t bytes = bytes_of(trial);
	const struct qp_shape shape = {0};
	struct rc_path paths[2];
	int rc;

	number_set(&trial->result->size_bytes, bytes);
	rc = rc_connect(trial, &shape, bytes, paths);
	for (uint32_t i = 0; i < ARRAY_SIZE(kinds) && !rc; i++) {
		const struct rc_transfer transfer = {
			.operation = kinds[i],
			.bytes = bytes,
			.iteration = 2 * i,
		};

		rc = run_both_ways(trial, paths, transfer);
	}
}

/* Whether a side makes queue pairs with inline data; if it does not, the row is skipped. */
static int probe_inline(struct trial *trial, struct side *side)
{
	struct message_qp request = {
		.slot = 1,
		.kind = QP_RC,
		.cq = TRIAL_CQ,
		.send_depth = 1,
		.receive_depth = 1,
		.sges = 1,
		.inline_bytes = INLINE_BYTES,
	};
	const struct message_refused *refused = &side->refused;
	struct message_qp_created created;
	int rc = side_qp(side, &request, &created);

	if (rc == -EREMOTEIO && refused->refusal == REFUSAL_FAILED &&
	    (refused->error == EINVAL || refused->error == EOPNOTSUPP)) {
		trial_skip(trial,
			   "%s creates no queue pair with %u bytes of inline data "
			   "(max_inline_data)",
			   side == &trial->near ? "the device" : "the other side's device",
			   INLINE_BYTES);
		return -EOPNOTSUPP;
	}
	if (trial_explain(trial, side, rc))
		return rc;
	request.destroy = 1;
	return trial_explain(trial, side, side_qp(side, &request, &created));
}

/* A queue pair that takes inline data; the row says so if a device lacks them. */
static int connect_inline(struct trial *trial, struct rc_path paths[static 2])
{
	struct qp_shape shape = {0};
	struct qp_numbers numbers;
	int rc = trial_make_qps(trial, 0, &shape, &numbers);

	if (!rc)
		rc = probe_inline(trial, &trial->near) || probe_inline(trial, &trial->far);
	shape.inline_bytes = INLINE_BYTES;
	shape.keep_cq = true;
	return rc ? rc : rc_connect(trial, &shape, INLINE_BYTES, paths);
}

/*
 * Inline data are copied when they are posted, and their lkey is ignored (ibv_post_send(3)): with
 * an invalid key they still arrive.
 */
static void run_inline(struct trial *trial)
{
	static const uint32_t kinds[] = {POST_SEND, POST_WRITE};
	struct rc_path paths[2];
	int rc = connect_inline(trial, paths);

	number_set(&trial->result->size_bytes, INLINE_BYTES);
	for (uint32_t i = 0; i < ARRAY_SIZE(kinds) && !rc; i++) {
		struct rc_transfer transfer = {
			.operation = kinds[i],
			.flags = POST_INLINE,
			.bytes = INLINE_BYTES,
			.iteration = 4 * i,
			.bad_lkey = true,
		};

		rc = run_both_ways(trial, paths, transfer);
		transfer.bytes = 1;
		transfer.iteration += 2;
		if (!rc)
			rc = run_both_ways(trial, paths, transfer);
	}
}

#define TEST(id_, summary_, needs_, run_, value_)                                      \
	{                                                                              \
		.id = id_, .group = SELFTEST_RC, .summary = summary_, .needs = needs_, \
		.run = run_, .value = value_                                           \
	}

const struct trial_test rc_tests[] = {
	TEST("rc-send", "send and receive", 0, run_operation, POST_SEND),
	TEST("rc-send-immediate", "send with immediate data", TEST_NEEDS_IMMEDIATE, run_operation,
	     POST_SEND_IMMEDIATE),
	TEST("rc-write", "RDMA write", 0, run_operation, POST_WRITE),
	TEST("rc-write-immediate", "RDMA write with immediate data", TEST_NEEDS_IMMEDIATE,
	     run_operation, POST_WRITE_IMMEDIATE),
	TEST("rc-read", "RDMA read", 0, run_operation, POST_READ),
	TEST("rc-fetch-add", "atomic fetch-and-add, sums checked on both sides", TEST_NEEDS_ATOMICS,
	     rc_run_fetch_add, 0),
	TEST("rc-compare-swap", "atomic compare-and-swap that matches, and that does not",
	     TEST_NEEDS_ATOMICS, rc_run_compare_swap, 0),
	TEST("rc-atomic-contended", "atomic additions from several queue pairs to one word",
	     TEST_NEEDS_ATOMICS, rc_run_contended, 0),
	TEST("rc-inline", "inline data, without a valid lkey", 0, run_inline, 0),
	TEST("rc-zero-length", "send, RDMA write and RDMA read without data", 0, run_size,
	     SIZE_NONE),
	TEST("rc-one-byte", "send, RDMA write and RDMA read of one byte", 0, run_size, SIZE_BYTE),
	TEST("rc-mtu-minus-1", "send, RDMA write and RDMA read of the path MTU - 1", 0, run_size,
	     SIZE_BELOW_MTU),
	TEST("rc-mtu", "send, RDMA write and RDMA read of the path MTU", 0, run_size, SIZE_MTU),
	TEST("rc-mtu-plus-1", "send, RDMA write and RDMA read of the path MTU + 1", 0, run_size,
	     SIZE_ABOVE_MTU),
	TEST("rc-1m", "send, RDMA write and RDMA read of 1 MiB", 0, run_size, SIZE_MEGABYTE),
	TEST("rc-unsignaled", "batches of which only the last completes", 0, rc_run_unsignaled, 0),
	TEST("rc-shared-receive", "several queue pairs on one shared receive queue", TEST_NEEDS_SRQ,
	     rc_run_shared, 0),
	TEST("rc-event", "completions that wake a sleeper by the completion channel", 0,
	     rc_run_event, 0),
	TEST("rc-solicited", "only a solicited completion wakes a wait for solicited ones", 0,
	     rc_run_solicited, 0),
	TEST("rc-states", "the states of a queue pair, each verified by a query", 0, rc_run_states,
	     0),
	{0},
};
