/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Work request ids, which the completions must show. */
enum { ID_POST = 0x7000, ID_FOLLOWER, ID_RECEIVE };

/* All bytes differ, so that a wrong byte order shows. */
#define IMMEDIATE 0x12345678u

const char rc_firmware_hint[] =
	"the device, its firmware or its driver is at fault: rdmactl devices shows the versions; "
	"look for newer ones, and check the kernel log (dmesg)";

struct operation {
	const char *name;
	uint32_t sent;	   /* enum ibv_wc_opcode of its completion */
	uint32_t received; /* that of the receive at the other side, if with_receive */
	bool with_receive; /* consumes a receive there */
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
	paths[0] = (struct rc_path){.from = &trial->near, .to = &trial->far};
	paths[1] = (struct rc_path){.from = &trial->far, .to = &trial->near};
	return trial_buffers(trial, 2 * RC_GUARD_BYTES + bytes);
}

int rc_connect(struct trial *trial, const struct qp_shape *shape, uint64_t bytes,
	       struct rc_path paths[static 2])
{
	return trial_connect(trial, shape, NULL) || rc_buffers(trial, bytes, paths);
}

int rc_name_failure(struct trial *trial, int rc, const char *format, ...)
{
	_cleanup_(freep) char *what = NULL, *cause = NULL;
	char **reason = &trial->result->reason;
	va_list values;

	if (!rc || !*reason || trial->stop || trial->result->verdict.value != SELFTEST_FAIL)
		return rc;
	va_start(values, format);
	what = mem_format_list(format, values);
	va_end(values);
	cause = *reason;
	*reason = mem_format("%s: %s", what, cause);
	return rc;
}

/* Room for a receive without data, in the guard: not every provider takes an empty receive. */
static struct span no_data(void)
{
	return trial_span(0, 64);
}

int rc_post_empty(const struct rc_path *path, uint64_t id)
{
	const struct message_receive receive = {.id = id, .span = no_data()};
	const struct message_post post = trial_send(id, trial_span(0, 0));

	return trial_receive(path->to, &receive) || trial_post(path->from, &post);
}

int rc_expect_empty(const struct rc_path *path, uint64_t id)
{
	return trial_expect(path->from, id, NULL) || trial_expect(path->to, id, NULL);
}

int rc_explain_stop(struct side *side, const struct message_waited *waited, uint32_t msec)
{
	if (waited->count || !waited->stop || waited->stop == STOP_TIMED_OUT)
		return 0;
	return trial_explain_end(side, (enum stop)waited->stop, msec);
}

/* Both guards, before and after data of any size, as one span. */
static struct span guards(uint64_t bytes)
{
	return (struct span){
		.buffer = TRIAL_DATA,
		.blocks = 2,
		.block_bytes = RC_GUARD_BYTES,
		.stride = RC_GUARD_BYTES + bytes,
	};
}

/* Posts a receive for the message, or for the one that follows it. */
static int post_receive(const struct rc_path *path, const struct rc_transfer *transfer)
{
	const struct operation *operation = &operations[transfer->operation];
	struct message_receive receive = {
		.slot = path->slot,
		.id = ID_RECEIVE,
		.span = no_data(),
	};

	if (operation->received == IBV_WC_RECV && transfer->bytes)
		receive.span = rc_data(0, transfer->bytes);
	return trial_receive(path->to, &receive);
}

static int post(const struct rc_path *path, const struct rc_transfer *transfer)
{
	struct message_post order = {
		.slot = path->slot,
		.operation = transfer->operation,
		.flags = POST_SIGNALED | (transfer->inlined ? POST_INLINE : 0),
		.id = ID_POST,
		.remote_address = path->to->memory.address + RC_GUARD_BYTES,
		.rkey = path->to->memory.rkey,
		.immediate = IMMEDIATE,
		.bad_lkey = transfer->inlined,
	};

	/* An iWARP read names the memory it reads into, even if it reads nothing: RFC 5040, 4.4. */
	if (transfer->bytes ||
	    (transfer->operation == POST_READ && trial_is_iwarp(path->from->trial)))
		order.span = rc_data(0, transfer->bytes);
	return trial_post(path->from, &order);
}

int rc_expect_sent(const struct rc_path *path, uint64_t id, uint32_t operation)
{
	struct work_completion item;

	if (trial_expect(path->from, id, &item))
		return -EIO;
	if (item.operation == operations[operation].sent)
		return 0;
	return trial_fail(path->from->trial, rc_firmware_hint,
			  "the completion is for operation %" PRIu32 ", %" PRIu32 " expected",
			  item.operation, operations[operation].sent);
}

static int expect_received(const struct rc_path *path, uint32_t operation, uint64_t bytes)
{
	struct trial *trial = path->from->trial;
	const struct operation *expected = &operations[operation];
	struct work_completion item;

	if (trial_expect(path->to, ID_RECEIVE, &item))
		return -EIO;
	if (item.operation != expected->received)
		return trial_fail(trial, rc_firmware_hint,
				  "the receive completed as operation %" PRIu32 ", %" PRIu32
				  " expected",
				  item.operation, expected->received);
	if (item.bytes != bytes)
		return trial_fail(trial, rc_firmware_hint,
				  "the receive completed with %" PRIu32 " bytes, %" PRIu64
				  " were sent",
				  item.bytes, bytes);
	if (!item.with_immediate != !expected->immediate)
		return trial_fail(trial, rc_firmware_hint,
				  "the receive completed %s immediate data",
				  item.with_immediate ? "with" : "without");
	if (expected->immediate && item.immediate != IMMEDIATE)
		return trial_fail(trial, rc_firmware_hint,
				  "the immediate data is 0x%08" PRIx32 ", 0x%08x was sent",
				  item.immediate, IMMEDIATE);
	return 0;
}

/*
 * The completion of an RDMA write does not say that the data is in the other side's memory (iWARP:
 * RFC 5040, 5.5, not even that it left this side); the receipt of a later message does, on every
 * transport. So a send without data follows.
 */
static int run_transfer(const struct rc_path *path, const struct rc_transfer *transfer)
{
	struct trial *trial = path->from->trial;
	const uint32_t operation = transfer->operation;
	const bool reads = operation == POST_READ;
	const bool followed = !reads && !operations[operation].with_receive;
	struct side *source = reads ? path->to : path->from;
	struct side *target = reads ? path->from : path->to;
	struct message_post follower = trial_send(ID_FOLLOWER, trial_span(0, 0));
	const struct span data = rc_data(0, transfer->bytes), around = guards(transfer->bytes);

	follower.slot = path->slot;
	/*
	 * The target is 0 where data will arrive, a value that no byte of a pattern has. The guards
	 * are not 0: the padding of a packet, which must not be written, usually is.
	 */
	return trial_fill_constant(target, around, RC_GUARD_BYTE) ||
	       trial_fill_constant(target, data, 0) ||
	       trial_fill(source, data, transfer->iteration) ||
	       (!reads && post_receive(path, transfer)) || post(path, transfer) ||
	       (followed && trial_post(path->from, &follower)) ||
	       rc_expect_sent(path, ID_POST, operation) ||
	       (followed && rc_expect_sent(path, ID_FOLLOWER, POST_SEND)) ||
	       (!reads && expect_received(path, followed ? (uint32_t)POST_SEND : operation,
					  followed ? 0 : transfer->bytes)) ||
	       trial_check(target, data, transfer->iteration) ||
	       rc_name_failure(trial, trial_check_constant(target, around, RC_GUARD_BYTE),
			       "around the data") ||
	       rc_name_failure(trial, trial_check(source, data, transfer->iteration),
			       "the memory that was read from has changed");
}

int rc_transfer(const struct rc_path *path, const struct rc_transfer *transfer)
{
	struct trial *trial = path->from->trial;

	return rc_name_failure(trial, run_transfer(path, transfer), "%s of %" PRIu64 " bytes%s",
			       operations[transfer->operation].name, transfer->bytes,
			       path->from == &trial->far && trial->request->peer ? " by the peer"
										 : "");
}

/* Several packets with most MTUs, and no multiple of 4, so that the last is padded. */
#define USUAL_BYTES 5001u
#define MEGABYTE    (1u << 20)

/* Small enough for any device that takes inline data at all. */
#define INLINE_BYTES 28u

int rc_both_ways(const struct rc_path paths[static 2], struct rc_transfer transfer)
{
	int rc = rc_transfer(&paths[0], &transfer);

	transfer.iteration++;
	return rc ? rc : rc_transfer(&paths[1], &transfer);
}

/* Transfers both ways by each kind of operation, on one connection. */
static void run_kinds(struct trial *trial, const uint32_t *kinds, uint32_t count, uint64_t bytes)
{
	struct rc_path paths[2];
	int rc;

	number_set(&trial->result->size_bytes, bytes);
	rc = rc_connect(trial, NULL, bytes, paths);
	for (uint32_t i = 0; i < count && !rc; i++)
		rc = rc_both_ways(paths, (struct rc_transfer){
						 .operation = kinds[i],
						 .bytes = bytes,
						 .iteration = 2 * i,
					 });
}

static void run_operation(struct trial *trial)
{
	run_kinds(trial, &(uint32_t){(uint32_t)trial->test->value}, 1, USUAL_BYTES);
}

/* Each kind of message, because they are segmented into packets differently. */
static const uint32_t all_kinds[] = {POST_SEND, POST_WRITE, POST_READ};

static void run_size(struct trial *trial)
{
	run_kinds(trial, all_kinds, ARRAY_SIZE(all_kinds), trial->test->value);
}

/* The test's value is added to the MTU, and may be negative. */
static void run_near_mtu(struct trial *trial)
{
	run_kinds(trial, all_kinds, ARRAY_SIZE(all_kinds), trial_mtu(trial) + trial->test->value);
}

/* Connects queue pairs that take inline data; skips the row if a device has none. */
static int connect_inline(struct trial *trial, struct rc_path paths[static 2])
{
	const struct qp_shape shape = {.inline_bytes = INLINE_BYTES};
	struct side *const sides[] = {&trial->near, &trial->far};

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		const int error = tests_try_inline(sides[i], QP_RC, INLINE_BYTES);

		if (error && error != EINVAL && error != EOPNOTSUPP)
			return trial_explain(sides[i], -EREMOTEIO);
		if (!error)
			continue;
		trial_skip(
			trial,
			"%s creates no queue pair with %u bytes of inline data (max_inline_data)",
			trial_device_word(sides[i]), INLINE_BYTES);
		return -EOPNOTSUPP;
	}
	return rc_connect(trial, &shape, INLINE_BYTES, paths);
}

/*
 * Inline data are copied when posted, and their lkey is ignored (ibv_post_send(3)): even with an
 * invalid key they must arrive.
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
			.inlined = true,
			.bytes = INLINE_BYTES,
			.iteration = 4 * i,
		};

		rc = rc_both_ways(paths, transfer);
		transfer.bytes = 1;
		transfer.iteration += 2;
		rc = rc ?: rc_both_ways(paths, transfer);
	}
}

const struct trial_test rc_tests[] = {
	{"rc-send", SELFTEST_RC, "send and receive", 0, run_operation, POST_SEND},
	{"rc-send-immediate", SELFTEST_RC, "send with immediate data", TEST_NEEDS_IMMEDIATE,
	 run_operation, POST_SEND_IMMEDIATE},
	{"rc-write", SELFTEST_RC, "RDMA write", 0, run_operation, POST_WRITE},
	{"rc-write-immediate", SELFTEST_RC, "RDMA write with immediate data", TEST_NEEDS_IMMEDIATE,
	 run_operation, POST_WRITE_IMMEDIATE},
	{"rc-read", SELFTEST_RC, "RDMA read", 0, run_operation, POST_READ},
	{"rc-fetch-add", SELFTEST_RC, "atomic fetch-and-add, sums checked on both sides",
	 TEST_NEEDS_ATOMICS, rc_run_fetch_add},
	{"rc-compare-swap", SELFTEST_RC, "atomic compare-and-swap, with and without a match",
	 TEST_NEEDS_ATOMICS, rc_run_compare_swap},
	{"rc-atomic-contended", SELFTEST_RC,
	 "atomic additions from several queue pairs to one word", TEST_NEEDS_ATOMICS,
	 rc_run_contended},
	{"rc-inline", SELFTEST_RC, "inline data, without a valid lkey", TEST_NEEDS_PROCESSOR,
	 run_inline},
	{"rc-zero-length", SELFTEST_RC, "send, RDMA write and RDMA read without data", 0, run_size,
	 0},
	{"rc-one-byte", SELFTEST_RC, "send, RDMA write and RDMA read of one byte", 0, run_size, 1},
	{"rc-mtu-minus-1", SELFTEST_RC, "send, RDMA write and RDMA read of the path MTU - 1", 0,
	 run_near_mtu, (uint64_t)-1},
	{"rc-mtu", SELFTEST_RC, "send, RDMA write and RDMA read of the path MTU", 0, run_near_mtu,
	 0},
	{"rc-mtu-plus-1", SELFTEST_RC, "send, RDMA write and RDMA read of the path MTU + 1", 0,
	 run_near_mtu, 1},
	{"rc-1m", SELFTEST_RC, "send, RDMA write and RDMA read of 1 MiB", 0, run_size, MEGABYTE},
	{"rc-unsignaled", SELFTEST_RC,
	 "batches in which only the last operation reports completion", 0, rc_run_unsignaled},
	{"rc-shared-receive", SELFTEST_RC, "several queue pairs on one shared receive queue",
	 TEST_NEEDS_SRQ, rc_run_shared},
	{"rc-event", SELFTEST_RC, "completions that wake a sleeper through the completion channel",
	 0, rc_run_event},
	{"rc-solicited", SELFTEST_RC, "only a solicited completion wakes a wait for solicited ones",
	 0, rc_run_solicited},
	{"rc-states", SELFTEST_RC, "the states of a queue pair, each verified by a query", 0,
	 rc_run_states},
	{0},
};
