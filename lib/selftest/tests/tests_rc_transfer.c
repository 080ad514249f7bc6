/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/tests/tests_rc.h"

/* Work request ids: what each completion must show. */
enum { ID_POST = 0x7000, ID_FOLLOWER, ID_RECEIVE };

/* All bytes differ, so that a wrong byte order shows. */
#define IMMEDIATE 0x12345678u

const char rc_firmware_hint[] =
	"the device, its firmware or its driver is at fault: rdmactl devices shows the versions, "
	"look for newer ones, and at the kernel log (dmesg)";

struct operation {
	const char *name;
	uint32_t sent;	   /* enum ibv_wc_opcode of its completion */
	uint32_t received; /* the same at the other side, if with_receive */
	bool with_receive; /* takes a receive there */
	bool immediate;
};

static const struct operation operations[POST_OPERATIONS] = {
	[POST_SEND] = {"send", IBV_WC_SEND, IBV_WC_RECV, true, false},
	[POST_SEND_IMMEDIATE] = {"send with immediate", IBV_WC_SEND, IBV_WC_RECV, true, true},
	[POST_WRITE] = {"RDMA write", IBV_WC_RDMA_WRITE, 0, false, false},
	[POST_WRITE_IMMEDIATE] = {"RDMA write with immediate", IBV_WC_RDMA_WRITE,
				  IBV_WC_RECV_RDMA_WITH_IMM, true, true},
	[POST_READ] = {"RDMA read", IBV_WC_RDMA_READ, 0, false, false},
	[POST_FETCH_ADD] = {"fetch-and-add", IBV_WC_FETCH_ADD, 0, false, false},
	[POST_COMPARE_SWAP] = {"compare-and-swap", IBV_WC_COMP_SWAP, 0, false, false},
};

const char *rc_operation_name(uint32_t operation)
{
	return operations[operation].name;
}

struct span rc_data(uint64_t offset, uint64_t bytes)
{
	return trial_span(RC_GUARD_BYTES + offset, bytes);
}

int rc_buffers(struct trial *trial, uint64_t bytes, struct rc_path paths[static 2])
{
	const uint64_t all = 2 * RC_GUARD_BYTES + bytes;
	struct message_buffered near, far;
	int rc = trial_buffer(trial, &trial->near, TRIAL_DATA, all, 0, &near);

	if (!rc)
		rc = trial_buffer(trial, &trial->far, TRIAL_DATA, all, 0, &far);
	if (rc)
		return rc;
	paths[0] = (struct rc_path){.from = &trial->near, .to = &trial->far, .there = far};
	paths[1] = (struct rc_path){.from = &trial->far, .to = &trial->near, .there = near};
	return 0;
}

int rc_connect(struct trial *trial, const struct qp_shape *shape, uint64_t bytes,
	       struct rc_path paths[static 2])
{
	return trial_connect(trial, 0, shape, NULL) || rc_buffers(trial, bytes, paths);
}

int rc_name_failure(struct trial *trial, int rc, const char *format, ...)
{
	char **reason = &trial->result->reason;
	_cleanup_(freep) char *what = NULL;
	char *whole;
	va_list values;

	if (!rc || !*reason || trial->stop)
		return rc;
	va_start(values, format);
	if (vasprintf(&what, format, values) < 0)
		what = mem_string("");
	va_end(values);
	whole = mem_format("%s: %s", what, *reason);
	free(*reason);
	*reason = whole;
	return rc;
}

struct span rc_no_data(void)
{
	return trial_span(0, 64);
}

int rc_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state)
{
	struct message_queried queried;

	if (trial_can(trial, side)->vendor == RC_VENDOR_SIW &&
	    (trial_query(trial, side, slot, &queried) || queried.state == IBV_QPS_RESET))
		return trial->marked ? -EIO : 0;
	return trial_expect_state(trial, side, slot, state);
}

/* Both guards as one span, before and after data of any size. */
static struct span guards(uint64_t bytes)
{
	return (struct span){
		.buffer = TRIAL_DATA,
		.blocks = 2,
		.block_bytes = RC_GUARD_BYTES,
		.stride = RC_GUARD_BYTES + bytes,
	};
}

/*
 * The target is 0 where data will arrive, which no byte of a pattern is. The guards are not,
 * because the padding of a packet usually is 0, and must not be written.
 */
static int prepare(struct trial *trial, struct side *source, struct side *target,
		   const struct rc_transfer *transfer)
{
	const struct span data = rc_data(0, transfer->bytes), around = guards(transfer->bytes);
	int rc = trial_fill_constant(trial, target, &around, RC_GUARD_BYTE);

	if (rc || !transfer->bytes)
		return rc;
	rc = trial_fill_constant(trial, target, &data, 0);
	return rc ? rc : trial_fill(trial, source, &data, transfer->iteration);
}

static int check_memory(struct trial *trial, struct side *source, struct side *target,
			const struct rc_transfer *transfer)
{
	const struct span data = rc_data(0, transfer->bytes), around = guards(transfer->bytes);
	int rc = 0;

	if (transfer->bytes)
		rc = trial_check(trial, target, &data, transfer->iteration);
	if (!rc)
		rc = rc_name_failure(trial,
				     trial_check_constant(trial, target, &around, RC_GUARD_BYTE),
				     "around the data");
	if (!rc && transfer->bytes)
		rc = rc_name_failure(trial, trial_check(trial, source, &data, transfer->iteration),
				     "the memory that was read from has changed");
	return rc;
}

/* A receive for the message, or for the one that follows. */
static int post_receive(struct trial *trial, const struct rc_path *path,
			const struct rc_transfer *transfer)
{
	const struct operation *operation = &operations[transfer->operation];
	struct message_receive receive = {
		.slot = path->slot,
		.id = ID_RECEIVE,
		.span = rc_no_data(),
	};

	if (operation->received == IBV_WC_RECV && transfer->bytes)
		receive.span = rc_data(0, transfer->bytes);
	return trial_receive(trial, path->to, &receive);
}

static int post(struct trial *trial, const struct rc_path *path, const struct rc_transfer *transfer)
{
	struct message_post order = {
		.slot = path->slot,
		.operation = transfer->operation,
		.flags = transfer->flags | POST_SIGNALED,
		.id = ID_POST,
		.remote_address = path->there.address + RC_GUARD_BYTES,
		.rkey = path->there.rkey,
		.immediate = IMMEDIATE,
		.bad_lkey = transfer->bad_lkey,
	};

	/* An iWARP read names memory to read to, even if it reads nothing: RFC 5040, 4.4. */
	if (transfer->bytes || (transfer->operation == POST_READ && trial_is_iwarp(trial)))
		order.span = rc_data(0, transfer->bytes);
	return trial_post(trial, path->from, &order);
}

/*
 * The completion of an RDMA write does not say that the data is in the other side's memory (iWARP:
 * RFC 5040, 5.5, not even that it left this one); the receipt of a later message does, on every
 * transport. So a send without data follows.
 */
static int post_follower(struct trial *trial, const struct rc_path *path)
{
	const struct message_post order = {
		.slot = path->slot,
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.id = ID_FOLLOWER,
	};

	return trial_post(trial, path->from, &order);
}

static int expect_sent(struct trial *trial, const struct rc_path *path, uint64_t id,
		       uint32_t operation)
{
	struct work_completion item;
	int rc = trial_expect(trial, path->from, id, &item);

	if (rc)
		return rc;
	if (item.operation == operations[operation].sent)
		return 0;
	trial_fail(trial, rc_firmware_hint,
		   "the completion is of operation %" PRIu32 ", %" PRIu32 " expected",
		   item.operation, operations[operation].sent);
	return -EBADMSG;
}

static int expect_received(struct trial *trial, const struct rc_path *path, uint32_t operation,
			   uint64_t bytes)
{
	const struct operation *expected = &operations[operation];
	struct work_completion item;
	int rc = trial_expect(trial, path->to, ID_RECEIVE, &item);

	if (rc)
		return rc;
	if (item.operation != expected->received)
		trial_fail(trial, rc_firmware_hint,
			   "the receive completed as operation %" PRIu32 ", %" PRIu32 " expected",
			   item.operation, expected->received);
	else if (item.bytes != bytes)
		trial_fail(trial, rc_firmware_hint,
			   "the receive completed with %" PRIu32 " bytes, %" PRIu64 " were sent",
			   item.bytes, bytes);
	else if (!item.with_immediate != !expected->immediate)
		trial_fail(trial, rc_firmware_hint, "the receive completed %s immediate data",
			   item.with_immediate ? "with" : "without");
	else if (expected->immediate && item.immediate != IMMEDIATE)
		trial_fail(trial, rc_firmware_hint,
			   "the immediate data is 0x%08" PRIx32 ", 0x%08x was sent", item.immediate,
			   IMMEDIATE);
	else
		return 0;
	return -EBADMSG;
}

static int run_transfer(struct trial *trial, const struct rc_path *path,
			const struct rc_transfer *transfer)
{
	const uint32_t operation = transfer->operation;
	const bool reads = operation == POST_READ;
	const bool followed = !reads && !operations[operation].with_receive;
	struct side *source = reads ? path->to : path->from;
	struct side *target = reads ? path->from : path->to;
	int rc = prepare(trial, source, target, transfer);

	if (!rc && !reads)
		rc = post_receive(trial, path, transfer);
	if (!rc)
		rc = post(trial, path, transfer);
	if (!rc && followed)
		rc = post_follower(trial, path);
	if (!rc)
		rc = expect_sent(trial, path, ID_POST, operation);
	if (!rc && followed)
		rc = expect_sent(trial, path, ID_FOLLOWER, POST_SEND);
	if (!rc && !reads)
		rc = expect_received(trial, path, followed ? (uint32_t)POST_SEND : operation,
				     followed ? 0 : transfer->bytes);
	return rc ? rc : check_memory(trial, source, target, transfer);
}

int rc_transfer(struct trial *trial, const struct rc_path *path, const struct rc_transfer *transfer)
{
	return rc_name_failure(
		trial, run_transfer(trial, path, transfer), "%s of %" PRIu64 " bytes%s",
		operations[transfer->operation].name, transfer->bytes,
		path->from == &trial->far && trial->request->peer ? " by the peer" : "");
}
