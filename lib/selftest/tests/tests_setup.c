/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "base/mem.h"
#include "selftest/diagnosis/diagnosis_path.h"
#include "selftest/tests/tests_rc.h"

enum {
	SMALL_BYTES = 64 << 10,
	RIGHTS_BYTES = 4096, /* little: several are locked at once */
	LARGE_BYTES = 4 << 20,
	QUEUE_ENTRIES = 1024,
};

typedef int (*side_step)(struct trial *trial, struct side *side);

/* The step on both sides; whose device it was is in the sentence of the diagnosis. */
static int on_both(struct trial *trial, side_step step)
{
	int rc = step(trial, &trial->near);

	return rc ? rc : step(trial, &trial->far);
}

/*
 * Both devices are open, and have their protection domains, or there were no tests. What is left is
 * whether their ports work, and work together; if not, all that follows fails, and here is why.
 */
static void run_device(struct trial *trial)
{
	struct diagnosis_words words = {0};
	struct diagnosis diagnosis = {0};
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	diagnosis_words_make(&words, &facts);
	if (diagnose_port_state(&facts, &words, &diagnosis))
		trial_fail(trial, diagnosis.hint, "%s", diagnosis.sentence);
	else if (diagnose_mtu(&facts, &diagnosis))
		trial_remark(trial, "%s", diagnosis.sentence);
	diagnosis_words_clear(&words);
	diagnosis_clear(&diagnosis);
}

/* Written and read, all of it: the CPU's view of it is right. */
static int use_memory(struct trial *trial, struct side *side)
{
	const uint64_t bytes = trial->test->value;
	const struct span all = trial_span(0, bytes);
	int rc = trial_buffer(trial, side, TRIAL_DATA, bytes, ACCESS_LOCAL, NULL);

	if (!rc)
		rc = trial_check_constant(trial, side, &all, 0);
	if (!rc)
		rc = trial_fill(trial, side, &all, 0);
	return rc ? rc : trial_check(trial, side, &all, 0);
}

/* One side after the other: in loopback both are of one process, with one limit of locked memory.
 */
static int lock_memory(struct trial *trial, struct side *side)
{
	int rc = use_memory(trial, side);

	return rc ? rc : trial_buffer(trial, side, TRIAL_DATA, 0, 0, NULL);
}

static void run_memory(struct trial *trial)
{
	number_set(&trial->result->size_bytes, trial->test->value);
	on_both(trial, lock_memory);
}

struct right {
	uint32_t access; /* enum buffer_access */
	const char *name;
};

static const struct right rights[] = {
	{ACCESS_WRITE, "IBV_ACCESS_REMOTE_WRITE"},
	{ACCESS_READ, "IBV_ACCESS_REMOTE_READ"},
	{ACCESS_ATOMIC, "IBV_ACCESS_REMOTE_ATOMIC"},
};

/* Some devices, EFA among them, have messages but no RDMA: they say so here. */
static int register_right(struct trial *trial, struct side *side, uint32_t slot,
			  struct message_buffered *ret)
{
	const struct message order = {
		.type = MESSAGE_BUFFER,
		.buffer = {.slot = slot,
			   .access = ACCESS_LOCAL | rights[slot].access,
			   .bytes = RIGHTS_BYTES},
	};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc == -EREMOTEIO && reply.refused.refusal == REFUSAL_FAILED &&
	    reply.refused.error == EOPNOTSUPP) {
		trial_skip(trial, "%s has no memory for that: it refuses %s",
			   side == &trial->near ? "the device" : "the other side's device",
			   rights[slot].name);
		return rc;
	}
	if (rc)
		return trial_explain(trial, side, rc, &reply);
	*ret = reply.buffered;
	return 0;
}

/* Each right alone; the keys of regions that are there at once must differ. */
static int register_rights(struct trial *trial, struct side *side)
{
	const bool near = side == &trial->near;
	const bool atomics = near ? trial->near_can.atomics : trial->far_can.atomics;
	const uint32_t count = ARRAY_SIZE(rights) - !atomics;
	struct message_buffered buffers[ARRAY_SIZE(rights)];

	for (uint32_t i = 0; i < count; i++) {
		int rc = register_right(trial, side, i, &buffers[i]);

		if (rc)
			return rc;
		for (uint32_t k = 0; k < i; k++) {
			if (buffers[i].remote_key != buffers[k].remote_key)
				continue;
			trial_fail(trial, rc_firmware_hint,
				   "%s gave the same remote key 0x%08" PRIx32 " to two regions",
				   near ? "the device" : "the other side's device",
				   buffers[i].remote_key);
			return -EIO;
		}
	}
	return 0;
}

static void run_rights(struct trial *trial)
{
	number_set(&trial->result->size_bytes, RIGHTS_BYTES);
	on_both(trial, register_rights);
}

/* A small one, a deep one, and one with a channel to sleep on. */
static int make_queues(struct trial *trial, struct side *side)
{
	const struct message orders[] = {
		{.type = MESSAGE_QUEUE, .queue = {.slot = 0, .entries = 1}},
		{.type = MESSAGE_QUEUE, .queue = {.slot = 1, .entries = QUEUE_ENTRIES}},
		{.type = MESSAGE_QUEUE, .queue = {.slot = 2, .entries = 16, .channel = 1}},
	};
	const struct message wait = {
		.type = MESSAGE_WAIT,
		.wait = {.queue = 2, .count = 1, .timeout_msec = 1, .by_event = 1},
	};
	struct message reply;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(orders) && !rc; i++)
		rc = trial_call(trial, side, &orders[i], &reply);
	if (!rc)
		rc = trial_call(trial, side, &wait, &reply);
	if (rc || !reply.waited.count)
		return rc;
	trial_fail(trial, rc_firmware_hint,
		   "a new completion queue is not empty: it holds request 0x%" PRIx64,
		   reply.waited.items[0].id);
	return -EIO;
}

static void run_queue(struct trial *trial)
{
	on_both(trial, make_queues);
}

static int expect_new(struct trial *trial, struct side *side, uint32_t slot, uint32_t number)
{
	const struct message query = {.type = MESSAGE_QUERY, .query = {.slot = slot}};
	/* An iWARP queue pair begins in IDLE, which drivers call RESET or INIT. */
	const uint32_t last = trial_is_iwarp(trial) ? IBV_QPS_INIT : IBV_QPS_RESET;
	struct message reply;
	int rc = trial_call(trial, side, &query, &reply);

	if (rc)
		return rc;
	/* 0 and 1 are those of the subnet's management. */
	if (reply.queried.number != number || (number < 2 && !trial_is_iwarp(trial)))
		trial_fail(trial, rc_firmware_hint,
			   "a new queue pair has number %" PRIu32 ", a query says %" PRIu32, number,
			   reply.queried.number);
	else if (reply.queried.state > last)
		trial_fail(trial, rc_firmware_hint,
			   "a new queue pair is not in the state RESET but in %" PRIu32,
			   reply.queried.state);
	else
		return 0;
	return -EIO;
}

/* Two at once, on one completion queue. */
static void run_pair(struct trial *trial)
{
	struct pair_shape shape = {.entries = 64};
	struct pair_numbers numbers[2];
	int rc = trial_make_pairs(trial, 0, &shape, &numbers[0]);

	shape.keep_queue = true;
	if (!rc)
		rc = trial_make_pairs(trial, 1, &shape, &numbers[1]);
	for (uint32_t i = 0; i < 2 && !rc; i++) {
		rc = expect_new(trial, &trial->near, i, numbers[i].near);
		if (!rc)
			rc = expect_new(trial, &trial->far, i, numbers[i].far);
	}
	if (!rc && (numbers[0].near == numbers[1].near || numbers[0].far == numbers[1].far))
		trial_fail(trial, rc_firmware_hint, "two queue pairs have the same number");
	number_set(&trial->result->queue_pairs, 2);
}

static int expect_connected(struct trial *trial, struct side *side)
{
	const struct message query = {.type = MESSAGE_QUERY, .query = {.slot = 0}};
	/* No queue pair has more, whatever an Omni-Path port has. */
	const uint32_t mtu = trial_mtu(trial) < 4096 ? trial_mtu(trial) : 4096;
	struct message reply;
	int rc = rc_expect_state(trial, side, 0, IBV_QPS_RTS);

	if (!rc)
		rc = trial_call(trial, side, &query, &reply);
	/* rdma_cm finds its own MTU, that of the route; iWARP's is TCP's affair. */
	if (rc || trial->by_cm || reply.queried.mtu_bytes == mtu)
		return rc;
	trial_fail(trial, rc_firmware_hint,
		   "the queue pair has a path MTU of %" PRIu32 " bytes, %" PRIu32 " were asked for",
		   reply.queried.mtu_bytes, mtu);
	return -EIO;
}

static void run_connect(struct trial *trial)
{
	const struct pair_shape shape = {0};

	if (!trial_connect(trial, 0, &shape, NULL))
		on_both(trial, expect_connected);
}

#define TEST(id_, summary_, run_, value_)                                             \
	{                                                                             \
		.id = id_, .group = SELFTEST_SETUP, .summary = summary_, .run = run_, \
		.value = value_                                                       \
	}

const struct trial_test setup_tests[] = {
	TEST("setup-device", "devices and protection domains are there, the ports are active",
	     run_device, 0),
	TEST("setup-memory", "registration of 64 KiB of memory", run_memory, SMALL_BYTES),
	TEST("setup-memory-4m", "registration of 4 MiB of memory", run_memory, LARGE_BYTES),
	TEST("setup-rights", "memory for remote writes, reads and atomics", run_rights, 0),
	TEST("setup-queue", "completion queues, with and without a channel", run_queue, 0),
	TEST("setup-pair", "reliable queue pairs", run_pair, 0),
	TEST("setup-connect", "a connection, ready to send on both sides", run_connect, 0),
	{0},
};
