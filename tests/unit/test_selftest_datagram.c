/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of unacknowledged transports and of gathered blocks on a device in memory: a perfect
 * one, one that loses a message, and the faults that each check must find.
 */
#include "perfect_trial.h"

static const char *const datagrams[] = {"uc-send", "uc-write", "ud-send", "ud-grh", "ud-qkey"};

static void perfect(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(datagrams); i++)
		soft_pass(&bed, datagram_tests, datagrams[i], NULL);
	/* IBTA 1 C10-93.1.1 */
	soft_pass(&bed, datagram_tests, "ud-mtu",
		  "a message of 1025 bytes is dropped without an error, as the specification says");
	assert_int_equal(bed.trial.result->size_bytes.value, 1024);
	soft_end(&bed);
}

/* A loss that this transport allows is a remark. */
static void losses(void **state)
{
	static const struct {
		const char *id, *remark;
	} rows[] = {
		{"ud-send", "1 of 7 messages were lost, which this transport allows"},
		{"ud-grh", "1 of 3 messages were lost, which this transport allows"},
		{"uc-send", "1 of 7 messages were lost, which this transport allows"},
		{"uc-write", "1 of 4 messages were lost, which this transport allows"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		soft_begin(&bed);
		soft.lenient = LOSE_FIRST;
		soft_pass(&bed, datagram_tests, rows[i].id, rows[i].remark);
		soft_end(&bed);
	}
}

static void byte_more(struct ibv_wc *wc, bool receive)
{
	wc->byte_len += receive;
}

static void other_sender(struct ibv_wc *wc, bool receive)
{
	wc->src_qp = receive ? 5 : wc->src_qp;
}

static void next_received(struct ibv_wc *wc, bool receive)
{
	wc->wr_id += receive;
}

static void no_header(struct ibv_wc *wc, bool receive)
{
	if (receive)
		wc->wc_flags = 0;
}

static void too_long_fails(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->byte_len > 1024)
		wc->status = IBV_WC_LOC_LEN_ERR;
}

static void wrong_byte(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (bytes)
		to[bytes - 1] = 0;
}

static void byte_after(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	to[bytes] = 9;
}

static void version_six(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[-20] = 0x60;
}

static void other_protocol(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[-11] = 6;
}

static void other_source(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[-5] = 99;
}

static void other_destination(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[-4] = 11;
}

static const struct soft_fault faults[] = {
	{"ud-send", "the far side received 41 bytes of a message of 40 (40 of them a header)",
	 byte_more},
	{"uc-send", "the far side received 2 bytes of a message of 1 (0 of them a header)",
	 byte_more},
	{"ud-send",
	 "the completion on the far side names queue pair 0x000005 as the sender, but it was "
	 "0x000101",
	 other_sender},
	/* The completion of a connected queue pair names no sender. */
	{"uc-send", "the far side completed receive 32770, expected 32769", next_received},
	{"ud-grh",
	 "the completion does not report a header (IBV_WC_GRH), which every RoCE message has",
	 no_header},
	{"ud-qkey", "a datagram with a wrong Q_Key arrived", NULL, NULL, LENIENT_QKEY},
	{"ud-mtu", "a datagram longer than the port's MTU arrived", NULL, NULL, LENIENT_MTU},
	{"ud-send", "wrong data: the far buffer has 0x00 at offset 0, expected 0x", NULL,
	 wrong_byte},
	{"ud-send",
	 "bytes outside of the transfer were changed: the far buffer has 0x09 at offset 0, "
	 "expected "
	 "0x00; 1 wrong byte",
	 NULL, byte_after},
	{"uc-write",
	 "bytes outside of the transfer were changed: the far buffer has 0x09 at offset 0, "
	 "expected "
	 "0x00; 1 wrong byte",
	 NULL, byte_after},
	{"ud-grh",
	 "before the message is not an IPv4 header: version 6, next header 0x11, expected 4 and "
	 "0x11",
	 NULL, version_six},
	{"ud-grh",
	 "before the message is not an IPv4 header: version 4, next header 0x06, expected 4 and "
	 "0x11",
	 NULL, other_protocol},
	{"ud-grh",
	 "the source address in the message's header is 0000:0000:0000:0000:0000:ffff:0a09:0063, "
	 "expected 0000:0000:0000:0000:0000:ffff:0a09:0001",
	 NULL, other_source},
	{"ud-grh",
	 "the destination address in the message's header is "
	 "0000:0000:0000:0000:0000:ffff:0b09:0002, expected "
	 "0000:0000:0000:0000:0000:ffff:0a09:0002",
	 NULL, other_destination},
};

static void faulty(void **state)
{
	(void)state;
	soft_find_faults(datagram_tests, faults, ARRAY_SIZE(faults));
}

/* A device that reports a datagram which is too long serves its users better. */
static void too_long(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.spoil = too_long_fails;
	soft_pass(&bed, datagram_tests, "ud-mtu",
		  "a message of 1025 bytes is completed with an error");
	soft.spoil = NULL;
	bed.trial.far.can.far.mtu_bytes = 0;
	soft_skip(&bed, datagram_tests, "ud-mtu", "the active MTU of a port is not known");
	bed.trial.far.can.far.mtu_bytes = 4096;
	soft_pass(&bed, datagram_tests, "ud-mtu",
		  "a message of 1025 bytes is dropped without an error, as the specification says");
	soft_end(&bed);
}

/* The MTUs of Omni-Path and EFA can be larger than the largest that libibverbs reports. */
static void unknown_mtu(void **state)
{
	static const enum transport transports[] = {TRANSPORT_OPA, TRANSPORT_UNSPECIFIED};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(transports); i++) {
		struct soft_trial bed;
		struct endpoint *near = &bed.trial.near.can.far, *far = &bed.trial.far.can.far;

		soft_begin(&bed);
		soft.lenient = LENIENT_MTU;
		near->transport = transports[i];
		near->link_layer = i ? LINK_LAYER_UNSPECIFIED : LINK_LAYER_INFINIBAND;
		near->mtu_bytes = far->mtu_bytes = 4096;
		soft_pass(&bed, datagram_tests, "ud-mtu",
			  "no message longer than that was sent: the port's MTU may be larger than "
			  "libibverbs can report");
		near->mtu_bytes = far->mtu_bytes = 2048;
		soft_expect(&bed, datagram_tests, "ud-mtu", SELFTEST_FAIL,
			    "a datagram longer than the port's MTU arrived");
		soft_end(&bed);
	}
}

/* Within an InfiniBand subnet there is no global header, and iWARP has none of these features. */
static void not_possible(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	bed.trial.near.can.far.link_layer = LINK_LAYER_INFINIBAND;
	soft.spoil = no_header;
	soft_skip(&bed, datagram_tests, "ud-grh",
		  "within an InfiniBand subnet messages need no global header");
	bed.trial.near.can.far.link_layer = LINK_LAYER_UNSPECIFIED;
	bed.trial.near.can.far.transport = TRANSPORT_UNSPECIFIED;
	soft_skip(&bed, datagram_tests, "ud-grh", "EFA reports no header of a message");
	bed.trial.near.can.far.transport = TRANSPORT_ROCE;
	bed.trial.near.can.multicast = 0;
	soft_skip(&bed, datagram_tests, "multicast",
		  "the device has no multicast groups (max_mcast_grp)");
	bed.trial.near.can.multicast = 1;
	bed.trial.far.can.multicast = 0;
	soft_skip(&bed, datagram_tests, "multicast",
		  "the peer's device has no multicast groups (max_mcast_grp)");
	bed.trial.far.can.multicast = 1;
	bed.trial.far.can.far.ip.family = AF_INET6;
	soft_skip(&bed, datagram_tests, "multicast",
		  "the addresses of both sides are of different families");
	bed.trial.near.can.far.ip.family = 0;
	soft_skip(&bed, datagram_tests, "multicast",
		  "librdmacm joins by an IP address, and the port has none");
	bed.trial.near.can.far.transport = TRANSPORT_IWARP;
	soft_skip(&bed, datagram_tests, "uc-send", "iWARP has no unreliable connections (UC)");
	soft_skip(&bed, datagram_tests, "ud-send", "iWARP has no datagrams (UD)");
	soft_skip(&bed, rc_tests, "rc-send-immediate", "iWARP has no immediate data");
	bed.trial.near.can.far.transport = TRANSPORT_ROCE;
	bed.trial.near.can.atomics = 0;
	soft_skip(&bed, rc_tests, "rc-fetch-add",
		  "the device has no atomic operations (atomic_cap)");
	bed.trial.near.can.atomics = 1;
	bed.trial.far.can.atomics = 0;
	soft_skip(&bed, rc_tests, "rc-fetch-add",
		  "the peer's device has no atomic operations (atomic_cap)");
	bed.trial.far.can.srq = 0;
	soft_skip(&bed, rc_tests, "rc-shared-receive",
		  "the peer's device has no shared receive queues (max_srq)");
	bed.trial.near.can.srq = 0;
	soft_skip(&bed, rc_tests, "rc-shared-receive",
		  "the device has no shared receive queues (max_srq)");
	bed.trial.hidden = true;
	soft_skip(&bed, rc_tests, "rc-inline",
		  "the processor must access the memory during the test, but cannot");
	bed.trial.blocked = "rc-send";
	soft_skip(&bed, rc_tests, "rc-write", "nothing gets through: see rc-send");
	soft_end(&bed);
}

/* ---- Blocks ---- */

static void gathered(void **state)
{
	static const char *const ids[] = {"gather-write", "gather-read", "gather-send"};
	static const char *const summaries[] = {": 16 of 64 bytes every 256",
						": 16 of 256 bytes every 1024",
						": 16 of 2048 bytes every 8192",
						": 64 of 512 bytes every 2048"};
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		soft_pass(&bed, gather_tests, ids[i], "as 2 work requests of up to 32 blocks");
		assert_int_equal(bed.results.count, 4 * (i + 1));
		for (size_t k = 0; k < 4; k++) {
			const struct selftest_result *row = bed.results.items[4 * i + k];

			assert_non_null(strstr(row->summary, summaries[k]));
			assert_int_equal(row->verdict.value, SELFTEST_PASS);
			assert_int_equal(row->size_bytes.value,
					 row->block_bytes.value * row->block_count.value);
			assert_true(row->transfer_usec.known && row->packed_usec.known);
			/* At least 4 rounds, of which the first is not timed. */
			assert_true(row->iterations.value >= 4);
		}
	}
	soft_end(&bed);
}

static void gap_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from, (void)bytes;
	to[64] = 9;
}

static const struct soft_fault blocks[] = {
	{"gather-write",
	 "bytes outside of the transfer were changed: the far buffer has 0x09 at offset 0, "
	 "expected "
	 "0x00; 1 wrong byte",
	 NULL, byte_after},
	{"gather-read",
	 "bytes outside of the transfer were changed: the local buffer has 0x09 at offset 0, "
	 "expected 0x00; 1 wrong byte",
	 NULL, gap_changed},
	{"gather-send",
	 "bytes outside of the transfer were changed: the far buffer has 0x09 at offset 0, "
	 "expected "
	 "0x00; 1 wrong byte",
	 NULL, gap_changed},
	{"gather-write", "wrong data: the far buffer has 0x00 at offset 1023, expected 0x", NULL,
	 wrong_byte},
};

static void gathered_wrong(void **state)
{
	(void)state;
	soft_find_faults(gather_tests, blocks, ARRAY_SIZE(blocks));
}

/* Requested layouts: each size with each count. */
static void asked(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	bed.request.block_bytes[0] = 64;
	bed.request.block_bytes[1] = 128;
	bed.request.block_count[0] = 2;
	bed.request.block_count[1] = 3;
	bed.request.block_bytes_count = bed.request.block_count_count = 2;
	soft_pass(&bed, gather_tests, "gather-write", NULL);
	assert_int_equal(bed.results.count, 4);
	assert_non_null(strstr(bed.results.items[1]->summary, ": 3 of 64 bytes every 256"));
	assert_non_null(strstr(bed.results.items[2]->summary, ": 2 of 128 bytes every 512"));
	bed.request.stride = 127;
	soft_skip(&bed, gather_tests, "gather-read", "blocks of 128 bytes every 127 overlap");
	bed.request.stride = 128;
	soft_pass(&bed, gather_tests, "gather-read", NULL);
	/* One block in each request, and no more requests than the queue takes. */
	bed.trial.far.can.max_sges = 1;
	soft_pass(&bed, gather_tests, "gather-send",
		  "as 3 work requests: the device takes one block in each");
	bed.trial.far.can.max_depth = 3;
	soft_pass(&bed, gather_tests, "gather-send",
		  "as 3 work requests: the device takes one block in each");
	bed.trial.far.can.max_depth = 2;
	soft_skip(&bed, gather_tests, "gather-send",
		  "3 blocks need 3 work requests, the devices take 2 (max_qp_wr)");
	/* A device may take fewer blocks in a read than in a write. */
	bed.trial.far.can.max_sges = 32;
	bed.trial.near.agent->limits.max_sge_rd = 2;
	soft_pass(&bed, gather_tests, "gather-read", "as 2 work requests of up to 2 blocks");
	soft_end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfect),     cmocka_unit_test(losses),
		cmocka_unit_test(faulty),      cmocka_unit_test(too_long),
		cmocka_unit_test(unknown_mtu), cmocka_unit_test(not_possible),
		cmocka_unit_test(gathered),    cmocka_unit_test(gathered_wrong),
		cmocka_unit_test(asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
