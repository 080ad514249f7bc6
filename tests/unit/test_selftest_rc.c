/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of reliable connections on a device in memory: a perfect one passes all of them, and
 * each check detects the kind of faulty device that it is there for.
 */
#include "perfect_trial.h"

/* What the row of a passed test shows; 0: not shown. */
static const struct {
	const char *id;
	uint64_t bytes, iterations, queue_pairs, depth, retries;
} passes[] = {
	{"rc-send", 5001, 0, 0, 0, 6},
	{"rc-send-immediate", 5001, 0, 0, 0, 6},
	{"rc-write", 5001, 0, 0, 0, 6},
	{"rc-write-immediate", 5001, 0, 0, 0, 6},
	{"rc-read", 5001, 0, 0, 0, 6},
	/* Seven steps, and five, in both directions. */
	{"rc-fetch-add", 8, 14, 0, 0, 6},
	{"rc-compare-swap", 8, 10, 0, 0, 6},
	{"rc-atomic-contended", 8, 30, 3, 0, 6},
	{"rc-inline", 28, 0, 0, 0, 6},
	{"rc-one-byte", 1, 0, 0, 0, 6},
	{"rc-mtu-minus-1", 1023, 0, 0, 0, 6},
	{"rc-mtu", 1024, 0, 0, 0, 6},
	{"rc-mtu-plus-1", 1025, 0, 0, 0, 6},
	/* A message of many packets is sent once more. */
	{"rc-1m", 1 << 20, 0, 0, 0, 7},
	{"rc-unsignaled", 260, 64, 0, 8, 6},
	{"rc-shared-receive", 0, 12, 3, 0, 6},
	{"rc-event", 0, 0, 0, 0, 6},
	{"rc-solicited", 0, 0, 0, 0, 6},
	{"rc-states", 0, 0, 0, 0, 6},
};

static void expect_number(const char *id, const char *what, const struct number *number,
			  uint64_t expected)
{
	if (number->value != expected || number->known != !!expected)
		fail_msg("%s: %s is %u instead of %u", id, what, (unsigned int)number->value,
			 (unsigned int)expected);
}

static void perfect(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		const char *id = passes[i].id;
		const struct selftest_result *row = soft_run(&bed, rc_tests, id);

		assert_string_equal(row->test, id);
		if (row->verdict.value != SELFTEST_PASS || row->reason)
			fail_msg("%s: %s", id, row->reason ? row->reason : "no reason");
		expect_number(id, "size", &row->size_bytes, passes[i].bytes);
		expect_number(id, "iterations", &row->iterations, passes[i].iterations);
		expect_number(id, "queue pairs", &row->queue_pairs, passes[i].queue_pairs);
		expect_number(id, "depth", &row->depth, passes[i].depth);
		expect_number(id, "retries", &row->link.retries, passes[i].retries);
		expect_number(id, "MTU", &row->link.path_mtu_bytes, 1024);
		expect_number(id, "timeout", &row->link.ack_timeout, 14);
		assert_true(row->link.traffic_class.known && !row->link.traffic_class.value);
		assert_true(row->link.sl.known && !row->link.sl.value);
		expect_number(id, "P_Key", &row->link.pkey, 0xffff);
		assert_true(row->link.rnr_retries.known);
		assert_true(row->link.qpn.value > 0x100 &&
			    row->link.peer_qpn.value > row->link.qpn.value);
		assert_true(row->link.psn.known && row->link.peer_psn.known &&
			    row->duration_msec.known);
	}
	/* A size of zero is known, too. */
	assert_true(soft_run(&bed, rc_tests, "rc-zero-length")->size_bytes.known);
	assert_int_equal(bed.results.items[ARRAY_SIZE(passes)]->verdict.value, SELFTEST_PASS);
	soft_end(&bed);
}

/* Omni-Path ports have MTUs of 8192 and 10240 bytes, their queue pairs at most 4096. */
static void larger_mtu(void **state)
{
	static const struct {
		const char *id;
		uint64_t bytes;
	} rows[] = {
		{"rc-mtu-minus-1", 4095},
		{"rc-mtu", 4096},
		{"rc-mtu-plus-1", 4097},
		{"rc-states", 0},
	};
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	bed.trial.near.can.far.mtu_bytes = 10240;
	bed.trial.far.can.far.mtu_bytes = 8192;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row = soft_run(&bed, rc_tests, rows[i].id);

		if (row->verdict.value != SELFTEST_PASS || row->reason)
			fail_msg("%s: %s", rows[i].id, row->reason ? row->reason : "no reason");
		expect_number(rows[i].id, "size", &row->size_bytes, rows[i].bytes);
		expect_number(rows[i].id, "MTU", &row->link.path_mtu_bytes, 4096);
	}
	soft_end(&bed);
}

/* ---- Devices that do something wrong ---- */

static void other_operation(struct ibv_wc *wc, bool receive)
{
	if (receive)
		wc->opcode = wc->opcode == IBV_WC_RECV ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
}

static void other_sent(struct ibv_wc *wc, bool receive)
{
	if (!receive)
		wc->opcode = IBV_WC_LOCAL_INV;
}

static void other_follower(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->opcode == IBV_WC_SEND)
		wc->opcode = IBV_WC_LOCAL_INV;
}

static void byte_less(struct ibv_wc *wc, bool receive)
{
	wc->byte_len -= receive;
}

static void byte_more(struct ibv_wc *wc, bool receive)
{
	wc->byte_len += receive;
}

static void other_flag(struct ibv_wc *wc, bool receive)
{
	wc->wc_flags ^= receive ? IBV_WC_WITH_IMM : 0;
}

static void other_immediate(struct ibv_wc *wc, bool receive)
{
	wc->imm_data ^= receive ? htonl(1) : 0;
}

static void next_sent(struct ibv_wc *wc, bool receive)
{
	wc->wr_id += !receive;
}

static void next_received(struct ibv_wc *wc, bool receive)
{
	wc->wr_id += receive;
}

static void swapped_receives(struct ibv_wc *wc, bool receive)
{
	wc->wr_id ^= receive && wc->wr_id >= 0x200;
}

static void same_receive(struct ibv_wc *wc, bool receive)
{
	wc->wr_id = receive ? 0 : wc->wr_id;
}

static void far_receive(struct ibv_wc *wc, bool receive)
{
	wc->wr_id += receive ? 12 : 0;
}

static void other_queue_pair(struct ibv_wc *wc, bool receive)
{
	wc->qp_num = receive ? 5 : wc->qp_num;
}

static void wrong_byte(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (bytes > 17)
		to[17] = 0;
}

static void wrong_second(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (++soft.calls == 2 && bytes)
		to[bytes - 1] = 0;
}

static void second_of_batch(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)from;
	if (opcode == IBV_WR_SEND && bytes == 260 && ++soft.calls == 2)
		to[17] = 0;
}

static void byte_before(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (bytes > 64)
		to[-1] = 0;
}

static void byte_after(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (bytes > 64)
		to[bytes] = 0;
}

static void source_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)to;
	if (bytes)
		from[0] = 0;
}

static void word_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[7]++;
}

static void answer_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)to, (void)bytes;
	from[2]++;
}

/* Swaps as if the comparison had been true. */
static void always_swaps(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (++soft.calls == 3)
		memset(to, 0x22, bytes);
}

static void one_lost(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	if (++soft.calls == 5)
		to[0]--;
}

static void word_guard(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	to[bytes] = 0;
}

#define SEND	"send of 5001 bytes: "
#define WRITE	"RDMA write of 5001 bytes: "
#define READ	"RDMA read of 5001 bytes: "
#define ADD	"fetch-and-add of 0x2222222222222222 to 0x1010101010101010 (step 1): "
#define SWAP	"compare-and-swap of 0x1111111111111111 to 0x1111111111111111 "
#define CHANGED "bytes outside of the transfer were changed: the "

/* A damaged byte is 0. */
static const struct soft_fault faults[] = {
	/* enum ibv_wc_opcode */
	{"rc-send", SEND "the receive completed as operation 129, 128 expected", other_operation},
	{"rc-write-immediate",
	 "RDMA write with immediate of 5001 bytes: the receive completed as operation 128, 129 "
	 "expected",
	 other_operation},
	{"rc-send", SEND "the completion is for operation 6, 0 expected", other_sent},
	{"rc-write", WRITE "the completion is for operation 6, 1 expected", other_sent},
	{"rc-write", WRITE "the completion is for operation 6, 0 expected", other_follower},
	{"rc-read", READ "the completion is for operation 6, 2 expected", other_sent},
	{"rc-fetch-add", ADD "the completion is for operation 6, 4 expected", other_sent},
	{"rc-compare-swap", SWAP "(step 1): the completion is for operation 6, 3 expected",
	 other_sent},
	/* other members of a completion */
	{"rc-send", SEND "the receive completed with 5000 bytes, 5001 were sent", byte_less},
	{"rc-send", SEND "the receive completed with 5002 bytes, 5001 were sent", byte_more},
	{"rc-write", WRITE "the receive completed with 1 bytes, 0 were sent", byte_more},
	{"rc-send", SEND "the receive completed with immediate data", other_flag},
	{"rc-send-immediate",
	 "send with immediate of 5001 bytes: the receive completed without immediate data",
	 other_flag},
	{"rc-send-immediate",
	 "send with immediate of 5001 bytes: the immediate data is 0x12345679, 0x12345678 was "
	 "sent",
	 other_immediate},
	{"rc-send", SEND "the local side got a completion with id 28673, expected 28672",
	 next_sent},
	{"rc-send", SEND "the far side got a completion with id 28675, expected 28674",
	 next_received},
	/* data and the bytes around them */
	{"rc-send", SEND "wrong data: the far buffer has 0x00 at offset 17, expected 0x", NULL,
	 wrong_byte},
	{"rc-write", WRITE "wrong data: the far buffer has 0x00 at offset 17, expected 0x", NULL,
	 wrong_byte},
	{"rc-read", READ "wrong data: the local buffer has 0x00 at offset 17, expected 0x", NULL,
	 wrong_byte},
	{"rc-send", SEND "wrong data: the local buffer has 0x00 at offset 5000, expected 0x", NULL,
	 wrong_second},
	{"rc-send",
	 "send of 5001 bytes by the peer: wrong data: the local buffer has 0x00 at offset 5000, "
	 "expected 0x",
	 NULL, wrong_second, 0, "hostb"},
	{"rc-mtu-minus-1",
	 "send of 1023 bytes: wrong data: the local buffer has 0x00 at offset 1022, expected 0x",
	 NULL, wrong_second},
	{"rc-write",
	 WRITE "around the data: " CHANGED
	       "far buffer has 0x00 at offset 4092, expected 0xa5; 1 wrong byte",
	 NULL, byte_before},
	{"rc-send",
	 SEND "around the data: " CHANGED
	      "far buffer has 0x00 at offset 4093, expected 0xa5; 1 wrong byte",
	 NULL, byte_after},
	{"rc-write",
	 WRITE "the memory that was read from has changed: wrong data: the local buffer has 0x00 "
	       "at offset 0, expected 0x",
	 NULL, source_changed},
	{"rc-read",
	 READ "the memory that was read from has changed: wrong data: the far buffer has 0x00 at "
	      "offset 0, expected 0x",
	 NULL, source_changed},
	/* atomic operations */
	{"rc-fetch-add",
	 ADD "the word on the other side has 0x33 at byte 7, expected 0x32 in all 8", NULL,
	 word_changed},
	{"rc-fetch-add", ADD "the returned value has 0x11 at byte 2, expected 0x10 in all 8", NULL,
	 answer_changed},
	{"rc-fetch-add",
	 ADD CHANGED "far buffer has 0x00 at offset 64, expected 0xa5; 1 wrong byte", NULL,
	 word_guard},
	{"rc-compare-swap",
	 "compare-and-swap of 0x7777777777777776 to 0x7777777777777777 (step 3): the word on the "
	 "other side has 0x22 at byte 0, expected 0x77 in all 8",
	 NULL, always_swaps},
	{"rc-atomic-contended",
	 "the sum of all additions has 0x3d at byte 0, expected 0x3e in all 8", NULL, one_lost},
	/* batches, of which the last completes */
	{"rc-unsignaled",
	 "batch 1 of 8 RDMA writes: the local side got a completion with id 256, expected 263",
	 NULL, NULL, LENIENT_SIGNAL},
	{"rc-unsignaled",
	 "batch 1 of 8 RDMA writes: the local side got a completion ('success') where none was "
	 "expected",
	 NULL, NULL, LENIENT_TWICE},
	{"rc-unsignaled",
	 "batch 1 of 8 RDMA writes: wrong data: the far buffer has 0x00 at offset 17, expected 0x",
	 NULL, wrong_byte},
	{"rc-unsignaled",
	 "batch 2 of 8 sends: receive 0 of the batch completed as 0x201, 0x200 expected",
	 swapped_receives},
	{"rc-unsignaled", "batch 2 of 8 sends: wrong data: the far buffer has 0x00 at offset ",
	 NULL, second_of_batch},
	/* a shared receive queue */
	{"rc-shared-receive", "receive 0 has 99 bytes, 100 were sent", byte_less},
	{"rc-shared-receive", "receive 0 completed for QP 5, which had no message left",
	 other_queue_pair},
	{"rc-shared-receive", "receive 12 completed for QP ", far_receive},
	{"rc-shared-receive", "receive 0 completed for QP ", same_receive},
	{"rc-shared-receive", "wrong data: the far buffer has 0x00 at offset 17, expected 0x", NULL,
	 wrong_byte},
	{"rc-shared-receive",
	 CHANGED "far buffer has 0x00 at offset 0, expected 0xa5; 1 wrong byte", NULL, byte_after},
	/* events and states */
	{"rc-solicited",
	 "a completion that was not solicited woke the other side, which waited for solicited ones "
	 "only",
	 NULL, NULL, LENIENT_AWAKE},
	{"rc-solicited",
	 "a completion that was not solicited woke the peer, which waited for solicited ones only",
	 NULL, NULL, LENIENT_AWAKE, "hostb"},
	{"rc-states",
	 "a send posted in SQD, where it has to wait: the far side got a completion ('success') "
	 "where none was expected",
	 NULL, NULL, LENIENT_SQD},
	{"rc-states", "in the state ERR: the local side completed with 'success', expected '", NULL,
	 NULL, LENIENT_FLUSH},
	{"rc-states", "in the state ERR: the local queue pair is in state RTS, not ERR", NULL, NULL,
	 LENIENT_STATE},
	{"rc-states",
	 "in the state RTS: send of 200 bytes: the receive completed with 199 bytes, 200 were sent",
	 byte_less},
};

static void faulty(void **state)
{
	(void)state;
	soft_find_faults(rc_tests, faults, ARRAY_SIZE(faults));
}

/* A request that drivers may refuse is no failure, but a remark. */
static void remarks(void **state)
{
	static const struct {
		unsigned int lenient;
		uint32_t vendor;
		const char *remark;
	} rows[] = {
		{REFUSE_SQD, 0x2c9,
		 "without SQD: the driver refuses that state (ibv_modify_qp: Invalid argument)"},
		{REFUSE_IN_ERROR, 0x2c9,
		 "in ERR, the driver refuses to post requests (Invalid argument)"},
		{NO_QUERY | REFUSE_SQD, 0x2c9,
		 "the driver does not report the state of a queue pair; without SQD: the driver "
		 "refuses that state (ibv_modify_qp: Invalid argument)"},
		/* Soft-RoCE is pushed, siw is not told to flush, and has no state RESET. */
		{0, 0xffffff, NULL},
		{REFUSE_IN_ERROR, 0x626d74, "the driver does not report the state of a queue pair"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;

		soft_begin(&bed);
		bed.trial.near.can.vendor = bed.trial.far.can.vendor = rows[i].vendor;
		soft.lenient = rows[i].lenient;
		row = soft_run(&bed, rc_tests, "rc-states");
		assert_int_equal(row->verdict.value, SELFTEST_PASS);
		if (rows[i].remark)
			assert_string_equal(row->reason, rows[i].remark);
		else
			assert_null(row->reason);
		soft_end(&bed);
	}
}

/* A queue that cannot wait for solicited completions is a gap of its driver, not a failure. */
static void skipped(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.lenient = NO_SOLICITED;
	soft_skip(&bed, rc_tests, "rc-solicited",
		  "the other side's device has no solicited events (ibv_req_notify_cq)");
	soft_pass(&bed, rc_tests, "rc-event", NULL);
	soft_end(&bed);
}

/* ---- Calls that a device gets ---- */

enum { MODIFY, QUERY, SEND_WORK, RECEIVE_WORK, CALLS };

/* Calls are counted for both sides; one query of one side reports a wrong state. */
static struct {
	uint32_t calls[2][CALLS];
	unsigned int side;
	uint32_t wrong;
} counted;

static int count_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	counted.calls[soft_side(qp->context)][MODIFY]++;
	return soft_modify(qp, attr, mask);
}

static int count_query(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		       struct ibv_qp_init_attr *init)
{
	const unsigned int side = (unsigned int)soft_side(qp->context);
	const uint32_t number = ++counted.calls[side][QUERY];
	int rc = soft_query(qp, attr, mask, init);

	if (side == counted.side && number == counted.wrong)
		attr->qp_state = IBV_QPS_SQE;
	return rc;
}

static int count_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	for (const struct ibv_send_wr *each = work; each; each = each->next)
		counted.calls[soft_side(qp->context)][SEND_WORK]++;
	return soft_post_send(qp, work, bad);
}

static int count_receive(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	for (const struct ibv_recv_wr *each = work; each; each = each->next)
		counted.calls[soft_side(qp->context)][RECEIVE_WORK]++;
	return soft_post_receive(qp, work, bad);
}

static void begin_counted(struct soft_trial *bed)
{
	soft_begin(bed);
	memset(&counted, 0, sizeof(counted));
	bed->trial.near.agent->api.ibv_modify_qp = bed->far->api.ibv_modify_qp = count_modify;
	bed->trial.near.agent->api.ibv_query_qp = bed->far->api.ibv_query_qp = count_query;
	for (size_t i = 0; i < 2; i++) {
		soft.ports[i].context.ops.post_send = count_send;
		soft.ports[i].context.ops.post_recv = count_receive;
	}
}

/* Each state is checked when it is entered, on both sides. */
static void each_state(void **state)
{
	/* NULL: an agent checks whether RTS follows RTR or SQD. */
	static const char *const names[] = {"RESET", "INIT", "RTR",   NULL,   "RTS", "SQD", NULL,
					    "RTS",   "ERR",  "RESET", "INIT", "RTR", NULL,  "RTS"};

	(void)state;
	for (uint32_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		const struct selftest_result *row;
		struct soft_trial bed;
		char *reason;

		if (!names[i / 2])
			continue;
		begin_counted(&bed);
		counted.side = i % 2;
		counted.wrong = i / 2 + 1;
		row = soft_run(&bed, rc_tests, "rc-states");
		reason = mem_format("the %s queue pair is in state SQE, not %s",
				    i % 2 ? "far" : "local", names[i / 2]);
		if (row->verdict.value != SELFTEST_FAIL || !strstr(row->reason, reason))
			fail_msg("'%s' instead of '%s'", row->reason ? row->reason : "a pass",
				 reason);
		assert_int_equal(counted.calls[i % 2][QUERY], i / 2 + 1);
		free(reason);
		soft_end(&bed);
	}
}

/* A perfect device carries out all steps: none is skipped. */
static void all_steps(void **state)
{
	static const struct {
		const char *id;
		uint32_t calls[2][CALLS];
	} rows[] = {
		{"rc-send", {{4, 1, 1, 1}, {4, 1, 1, 1}}},
		{"rc-send-immediate", {{4, 1, 1, 1}, {4, 1, 1, 1}}},
		{"rc-write", {{4, 1, 2, 1}, {4, 1, 2, 1}}},
		{"rc-write-immediate", {{4, 1, 1, 1}, {4, 1, 1, 1}}},
		{"rc-read", {{4, 1, 1, 0}, {4, 1, 1, 0}}},
		{"rc-fetch-add", {{4, 1, 7, 0}, {4, 1, 7, 0}}},
		{"rc-compare-swap", {{4, 1, 5, 0}, {4, 1, 5, 0}}},
		{"rc-atomic-contended", {{12, 3, 30, 0}, {12, 3, 0, 0}}},
		{"rc-inline", {{4, 1, 6, 4}, {4, 1, 6, 4}}},
		{"rc-zero-length", {{4, 1, 4, 2}, {4, 1, 4, 2}}},
		{"rc-one-byte", {{4, 1, 4, 2}, {4, 1, 4, 2}}},
		{"rc-mtu-plus-1", {{4, 1, 4, 2}, {4, 1, 4, 2}}},
		{"rc-unsignaled", {{4, 1, 34, 18}, {4, 1, 34, 18}}},
		{"rc-shared-receive", {{12, 3, 12, 0}, {12, 3, 0, 0}}},
		{"rc-states", {{11, 14, 4, 5}, {11, 14, 4, 5}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		begin_counted(&bed);
		soft_pass(&bed, rc_tests, rows[i].id, NULL);
		if (memcmp(counted.calls, rows[i].calls, sizeof(counted.calls)) != 0)
			fail_msg("%s: {%u, %u, %u, %u}, {%u, %u, %u, %u}", rows[i].id,
				 counted.calls[0][0], counted.calls[0][1], counted.calls[0][2],
				 counted.calls[0][3], counted.calls[1][0], counted.calls[1][1],
				 counted.calls[1][2], counted.calls[1][3]);
		soft_end(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfect),    cmocka_unit_test(faulty),
		cmocka_unit_test(remarks),    cmocka_unit_test(skipped),
		cmocka_unit_test(each_state), cmocka_unit_test(all_steps),
		cmocka_unit_test(larger_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
