/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/tests/tests.h"

enum {
	SMALL_BYTES = 64 << 10,
	RIGHTS_BYTES = 4096, /* small: several are locked at once */
	LARGE_BYTES = 4 << 20,
	QUEUE_ENTRIES = 1024,
};

typedef int (*side_step)(struct side *side);

/* Runs the step on both sides; its diagnosis names the device. */
static void on_both(struct trial *trial, side_step step)
{
	if (!step(&trial->near))
		step(&trial->far);
}

/*
 * Without open devices and protection domains, no test would run. What remains is whether the ports
 * are active and match; if not, all later tests fail, and this row says why.
 */
static void run_device(struct trial *trial)
{
	_cleanup_(diagnosis_clear) struct diagnosis diagnosis = {0};
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	if (diagnose_port_state(&facts, &diagnosis))
		trial_fail(trial, diagnosis.hint, "%s", diagnosis.sentence);
	else if (diagnose_mtu(&facts, &diagnosis))
		trial_remark(trial, "%s", diagnosis.sentence);
}

/*
 * Checks that new memory is zero, then writes and reads all of it, without the device. One side
 * after the other: in loopback one process locks the memory of both, under one limit.
 */
static int lock_memory(struct side *side)
{
	const uint64_t bytes = side->trial->test->value;
	const struct span all = trial_span(0, bytes);

	return trial_buffer(side, TRIAL_DATA, bytes, ACCESS_LOCAL) ||
	       trial_check_constant(side, all, 0) || trial_fill(side, all, 0) ||
	       trial_check(side, all, 0) || trial_buffer(side, TRIAL_DATA, 0, 0);
}

static void run_memory(struct trial *trial)
{
	number_set(&trial->result->size_bytes, trial->test->value);
	on_both(trial, lock_memory);
}

static const struct {
	uint32_t access; /* enum buffer_access */
	const char *name;
} rights[] = {
	{ACCESS_WRITE, "IBV_ACCESS_REMOTE_WRITE"},
	{ACCESS_READ, "IBV_ACCESS_REMOTE_READ"},
	{ACCESS_ATOMIC, "IBV_ACCESS_REMOTE_ATOMIC"},
};

/* Some devices, EFA among them, have messages but no RDMA: they refuse this right. */
static int register_right(struct side *side, uint32_t slot, struct message_buffered *ret)
{
	const struct message_buffer request = {
		.slot = slot,
		.access = ACCESS_LOCAL | rights[slot].access,
		.bytes = RIGHTS_BYTES,
	};
	int rc = side_buffer(side, &request, ret);

	if (tests_lacks(side, rc)) {
		trial_skip(side->trial, "%s supports no such memory: it refuses %s",
			   trial_device_word(side), rights[slot].name);
		return rc;
	}
	return trial_explain(side, rc);
}

/* Registers each right alone; the keys of regions that exist at the same time must differ. */
static int register_rights(struct side *side)
{
	const uint32_t count = ARRAY_SIZE(rights) - !side->can.atomics;
	struct message_buffered buffers[ARRAY_SIZE(rights)];

	for (uint32_t i = 0; i < count; i++) {
		if (register_right(side, i, &buffers[i]))
			return -EIO;
		for (uint32_t k = 0; k < i; k++)
			if (buffers[i].rkey == buffers[k].rkey)
				return trial_fail(side->trial, rc_firmware_hint,
						  "%s gave the same rkey 0x%08" PRIx32
						  " to two regions",
						  trial_device_word(side), buffers[i].rkey);
	}
	return 0;
}

static void run_rights(struct trial *trial)
{
	number_set(&trial->result->size_bytes, RIGHTS_BYTES);
	on_both(trial, register_rights);
}

/* Creates a small queue, a deep one, and one with a channel to sleep on. */
static int make_cqs(struct side *side)
{
	static const struct message_cq requests[] = {
		{.slot = 0, .entries = 1},
		{.slot = 1, .entries = QUEUE_ENTRIES},
		{.slot = 2, .entries = 16, .channel = 1},
	};
	const struct message_wait wait = {.cq = 2, .count = 1, .timeout_msec = 1, .by_event = 1};
	struct message_waited waited;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (trial_order(side, cq, &requests[i]))
			return -EIO;
	rc = trial_order(side, wait, &wait, &waited);
	if (rc || !waited.count)
		return rc;
	return trial_fail(side->trial, rc_firmware_hint,
			  "a new completion queue is not empty: it holds request 0x%" PRIx64,
			  waited.items[0].id);
}

static void run_queue(struct trial *trial)
{
	on_both(trial, make_cqs);
}

static int expect_new(struct side *side, uint32_t slot, uint32_t qpn)
{
	struct trial *trial = side->trial;

	if (qpn < 2 && !trial_is_iwarp(trial))
		return trial_fail(trial, rc_firmware_hint,
				  "a new queue pair has number %" PRIu32
				  ", which is reserved for management datagrams",
				  qpn);
	return rc_expect_state(side, slot, IBV_QPS_RESET);
}

/* Creates two at once, on one completion queue. */
static void run_qp(struct trial *trial)
{
	struct qp_shape shape = {.entries = 64};
	struct qp_numbers numbers[2];
	int rc = trial_make_qps(trial, 0, &shape, &numbers[0]);

	shape.keep_cq = true;
	rc = rc ?: trial_make_qps(trial, 1, &shape, &numbers[1]);
	for (uint32_t i = 0; i < 2 && !rc; i++)
		rc = expect_new(&trial->near, i, numbers[i].near) ||
		     expect_new(&trial->far, i, numbers[i].far);
	if (!rc && (numbers[0].near == numbers[1].near || numbers[0].far == numbers[1].far))
		trial_fail(trial, rc_firmware_hint, "two queue pairs have the same number");
	number_set(&trial->result->queue_pairs, 2);
}

static int expect_connected(struct side *side)
{
	struct trial *trial = side->trial;
	const uint32_t mtu = trial_mtu(trial);
	struct message_queried queried;

	if (rc_expect_state(side, 0, IBV_QPS_RTS) || rc_query(side, 0, &queried))
		return -EIO;
	/* rdma_cm uses the MTU of the route; the MTU of iWARP is TCP's. */
	if (trial->by_cm || queried.state == RC_STATE_UNKNOWN || queried.mtu_bytes == mtu)
		return 0;
	return trial_fail(trial, rc_firmware_hint,
			  "the queue pair has a path MTU of %" PRIu32 " bytes, %" PRIu32
			  " were requested",
			  queried.mtu_bytes, mtu);
}

static void run_connect(struct trial *trial)
{
	if (!trial_connect(trial, NULL, NULL))
		on_both(trial, expect_connected);
}

const struct trial_test setup_tests[] = {
	{"setup-device", SELFTEST_SETUP,
	 "devices and protection domains exist, the ports are active", 0, run_device},
	{"setup-memory", SELFTEST_SETUP, "registration of 64 KiB of memory", 0, run_memory,
	 SMALL_BYTES},
	{"setup-memory-4m", SELFTEST_SETUP, "registration of 4 MiB of memory", 0, run_memory,
	 LARGE_BYTES},
	{"setup-rights", SELFTEST_SETUP, "memory for remote writes, reads and atomics", 0,
	 run_rights},
	{"setup-queue", SELFTEST_SETUP, "completion queues, with and without a channel", 0,
	 run_queue},
	{"setup-pair", SELFTEST_SETUP, "reliable queue pairs", 0, run_qp},
	{"setup-connect", SELFTEST_SETUP, "a connection, ready to send on both sides", 0,
	 run_connect},
	{0},
};
