/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of setup, of faults that a device must refuse, and of memory windows, on a device in
 * memory: a perfect one passes, and one that lets a fault through is detected.
 */
#include "perfect_trial.h"

static void perfect(void **state)
{
	static const char *const setup[] = {"setup-device", "setup-memory", "setup-memory-4m",
					    "setup-rights", "setup-queue",  "setup-pair",
					    "setup-connect"};
	static const char *const faults[] = {
		"fault-bad-rkey",      "fault-out-of-bounds", "fault-no-permission",
		"fault-short-receive", "fault-rnr",	      "fault-peer-vanished",
		"fault-wrong-domain",  "fault-bad-key",
	};
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(setup); i++)
		soft_pass(&bed, setup_tests, setup[i], NULL);
	assert_int_equal(bed.results.items[1]->size_bytes.value, 65536);
	assert_int_equal(bed.results.items[2]->size_bytes.value, 4194304);
	assert_int_equal(bed.results.items[3]->size_bytes.value, 4096);
	assert_int_equal(bed.results.items[5]->queue_pairs.value, 2);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		soft_pass(&bed, fault_tests, faults[i], NULL);
	soft_pass(&bed, memory_tests, "rc-window-1", NULL);
	soft_pass(&bed, memory_tests, "rc-window-2", NULL);
	assert_int_equal(bed.trial.result->size_bytes.value, 512);
	soft_pass(&bed, memory_tests, "rc-fence", NULL);
	assert_int_equal(bed.trial.result->size_bytes.value, 131072);
	assert_int_equal(bed.trial.result->iterations.value, 8);
	soft_pass(&bed, memory_tests, "rc-vectors", "5 of the device's 5 completion vectors");
	assert_int_equal(bed.trial.result->completion_vectors.value, 5);
	soft_end(&bed);
}

/* A status other than that of the fault. */
static void operation_error(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->status && wc->status != IBV_WC_WR_FLUSH_ERR)
		wc->status = IBV_WC_REM_ABORT_ERR;
}

static void receive_aborted(struct ibv_wc *wc, bool receive)
{
	if (receive && wc->status && wc->status != IBV_WC_WR_FLUSH_ERR)
		wc->status = IBV_WC_REM_ABORT_ERR;
}

/* The request after the fault, with id 0xf001, is carried out. */
static void next_carried_out(struct ibv_wc *wc, bool receive)
{
	(void)receive;
	if (wc->wr_id == 0xf001)
		wc->status = IBV_WC_SUCCESS;
}

static void later_carried_out(struct ibv_wc *wc, bool receive)
{
	(void)receive;
	if (wc->wr_id == 0xf002)
		wc->status = IBV_WC_SUCCESS;
}

/* The receive is carried out, too. */
static void receive_carried_out(struct ibv_wc *wc, bool receive)
{
	if (receive && wc->wr_id == 0xf003)
		wc->status = IBV_WC_SUCCESS;
}

static const struct soft_fault faults[] = {
	{"fault-bad-rkey",
	 "RDMA write with an invalid rkey: the request completed with 'success', not with 'remote "
	 "access error'",
	 NULL, NULL, LENIENT_RKEY},
	{"fault-bad-rkey",
	 "RDMA write with the rkey of memory that is no longer registered: the request completed "
	 "with 'success', not with 'remote access error'",
	 NULL, NULL, LENIENT_FREED},
	{"fault-out-of-bounds",
	 "RDMA write across the end of the memory region: the request completed with 'success', "
	 "not with 'remote access error'",
	 NULL, NULL, LENIENT_BOUNDS},
	{"fault-no-permission",
	 "RDMA write to memory that may only be read: the request completed with 'success', not "
	 "with 'remote access error'",
	 NULL, NULL, LENIENT_RIGHTS},
	{"fault-no-permission",
	 "RDMA write to memory that may only be read: bytes outside of the transfer were changed: "
	 "the far buffer has 0x00 at offset 0, expected 0xa5; 64 wrong bytes",
	 NULL, NULL, LENIENT_ANYWAY},
	{"fault-short-receive",
	 "message of 65 bytes for a receive of 64: the request completed with 'success', not with "
	 "'remote invalid request error'",
	 NULL, NULL, LENIENT_LENGTH},
	{"fault-wrong-domain",
	 "send from memory of another protection domain: the request completed with 'remote "
	 "invalid request error', not with 'local protection error'",
	 NULL, NULL, LENIENT_DOMAIN},
	{"fault-bad-key",
	 "send with an invalid lkey: the request completed with 'remote invalid request error', "
	 "not with 'local protection error'",
	 NULL, NULL, LENIENT_LKEY},
	/* reports other than those of the specification */
	{"fault-bad-rkey",
	 "RDMA write with an invalid rkey: the request completed with 'aborted error', not "
	 "with 'remote access error'",
	 operation_error},
	{"fault-rnr",
	 "message without a receive: the request completed with 'aborted error', not with "
	 "'RNR retry counter exceeded'",
	 operation_error},
	{"fault-peer-vanished",
	 "message to a queue pair that is gone: the request completed with 'aborted error', "
	 "not with 'transport retry counter exceeded'",
	 operation_error},
	{"fault-short-receive",
	 "message of 65 bytes for a receive of 64: the far receive completed with 'aborted "
	 "error', not with 'local length error'",
	 receive_aborted},
	{"fault-bad-rkey",
	 "RDMA write with an invalid rkey: the request after it completed with 'success', not with "
	 "'Work Request Flushed Error'",
	 next_carried_out},
	{"fault-bad-rkey",
	 "RDMA write with an invalid rkey: a later request completed with 'success', not with "
	 "'Work Request Flushed Error'",
	 later_carried_out},
	{"fault-bad-rkey",
	 "RDMA write with an invalid rkey: the local receive completed with 'success', not with "
	 "'Work Request Flushed Error'",
	 receive_carried_out},
};

static void lenient(void **state)
{
	(void)state;
	soft_find_faults(fault_tests, faults, ARRAY_SIZE(faults));
}

static void vendor_says_more(struct ibv_wc *wc, bool receive)
{
	operation_error(wc, receive);
	wc->vendor_err = 0x8a;
}

/* The row shows the status, and a device that lets a fault pass gets a next step. */
static void status_and_next_step(void **state)
{
	const struct selftest_result *row;
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.lenient = LENIENT_RKEY;
	row = soft_run(&bed, fault_tests, "fault-bad-rkey");
	assert_string_equal(row->status, "success");
	assert_false(row->vendor_error.known);
	assert_string_equal(row->next_step, "do not connect this device to untrusted peers; update "
					    "its firmware and its driver");
	soft.lenient = 0;
	soft.spoil = vendor_says_more;
	row = soft_run(&bed, fault_tests, "fault-bad-rkey");
	assert_string_equal(row->status, "aborted error");
	assert_true(row->vendor_error.known);
	assert_int_equal(row->vendor_error.value, 0x8a);
	assert_null(row->next_step);
	soft_end(&bed);
}

/* What drivers are known to report instead. */
static void queue_pair_error(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->status == IBV_WC_LOC_PROT_ERR)
		wc->status = IBV_WC_LOC_QP_OP_ERR;
}

static void known_deviations(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.spoil = queue_pair_error;
	soft_pass(
		&bed, fault_tests, "fault-bad-key",
		"reported as 'local QP operation error', the specification says 'local protection "
		"error'");
	bed.trial.near.can.atomics = 0;
	soft_pass(&bed, fault_tests, "fault-bad-rkey", NULL);
	soft.spoil = NULL;
	soft.lenient = NO_QUERY | REFUSE_IN_ERROR;
	soft_pass(
		&bed, fault_tests, "fault-bad-rkey",
		"the driver does not report the state of a queue pair; in ERR, the driver refuses "
		"to post requests (Invalid argument)");
	soft.lenient = NO_QUERY;
	soft_pass(&bed, setup_tests, "setup-pair",
		  "the driver does not report the state of a queue pair");
	soft_pass(&bed, setup_tests, "setup-connect",
		  "the driver does not report the state of a queue pair");
	soft_end(&bed);
}

static const struct soft_fault windows[] = {
	{"rc-window-1",
	 "an RDMA read of a window for writes: an RDMA read of a window for writes completed with "
	 "'success', not with 'remote access error'",
	 NULL, NULL, LENIENT_RIGHTS},
	{"rc-window-2",
	 "an RDMA write across the end of the window: an RDMA write across the end of the window "
	 "completed with 'success', not with 'remote access error'",
	 NULL, NULL, LENIENT_BOUNDS},
	{"rc-window-1",
	 "an RDMA write to a window that was closed: an RDMA write to a window that was closed "
	 "completed with 'success', not with 'remote access error'",
	 NULL, NULL, LENIENT_WINDOW},
	{"rc-window-2",
	 "an RDMA write to a window that was closed: an RDMA write to a window that was closed "
	 "completed with 'success', not with 'remote access error'",
	 NULL, NULL, LENIENT_WINDOW},
	{"rc-window-1",
	 "an RDMA read of a window for writes: an RDMA read of a window for writes completed with "
	 "'aborted error', not with 'remote access error'",
	 operation_error},
};

static void lenient_windows(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_find_faults(memory_tests, windows, ARRAY_SIZE(windows));
	soft_begin(&bed);
	bed.trial.far.can.vendor = 0xffffff;
	soft.lenient = LENIENT_BOUNDS;
	soft_pass(&bed, memory_tests, "rc-window-1",
		  "Soft-RoCE enforces the limits of the memory region, not those of its window");
	soft_end(&bed);
}

static int bind_nothing(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	(void)qp, (void)mw, (void)bind;
	return EOPNOTSUPP;
}

static void skipped(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	bed.far->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW;
	soft_pass(&bed, memory_tests, "rc-window-1", NULL);
	soft_skip(&bed, memory_tests, "rc-window-2", "the device has no memory windows of type 2");
	bed.far->context->ops.bind_mw = bind_nothing;
	soft_skip(&bed, memory_tests, "rc-window-1",
		  "the device cannot bind memory windows of type 1");
	bed.far->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2A;
	soft_pass(&bed, memory_tests, "rc-window-2", NULL);
	soft_skip(&bed, memory_tests, "rc-window-1", "the device has no memory windows of type 1");
	bed.request.peer_memory.kind = MEMORY_DMABUF;
	soft_skip(&bed, memory_tests, "rc-window-2",
		  "the kernel registers no dma-buf for memory windows");
	bed.request.peer = "hostb";
	soft_skip(&bed, memory_tests, "rc-window-2",
		  "the kernel registers no dma-buf for memory windows");
	bed.request.peer_memory.kind = MEMORY_PAGES;
	bed.far->limits.device_cap_flags = 0;
	soft_skip(&bed, memory_tests, "rc-window-2",
		  "the peer's device has no memory windows of type 2");
	bed.trial.near.can.far.transport = TRANSPORT_IWARP;
	soft_skip(
		&bed, fault_tests, "fault-rnr",
		"iWARP has no RNR NAK: a message without a receive ends the connection (RFC 5041, "
		"7.1)");
	soft_end(&bed);
}

/* The device of the far side disappears while that waits for a completion. */
static struct agent *far_agent;

static int poll_nothing(struct ibv_cq *cq, int count, struct ibv_wc *items)
{
	(void)cq, (void)count, (void)items;
	far_agent->watch.device_gone = true;
	return 0;
}

static void device_removed(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	far_agent = bed.far;
	bed.request.peer = "hostb";
	bed.far->context->ops.poll_cq = poll_nothing;
	soft_expect(&bed, memory_tests, "rc-vectors", SELFTEST_FAIL,
		    "on hostb: device none0 was removed during the test");
	soft_end(&bed);
}

/* Interrupts of one vector are lost: a queue on it still has its completions when it is polled. */
static void deaf_vector(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.deaf_vector = 4;
	soft_expect(&bed, memory_tests, "rc-vectors", SELFTEST_FAIL,
		    "completion vector 4: a message arrived at the other side while it slept, and "
		    "the completion channel did not wake it");
	soft_pass(&bed, rc_tests, "rc-event", NULL);
	soft_end(&bed);
}

/* Queue pairs 0 and 1 are those of the managers. */
static void reserved_number(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	soft.next_qpn = (uint32_t)-0x100;
	soft_expect(&bed, setup_tests, "setup-pair", SELFTEST_FAIL,
		    "a new queue pair has number 1, which is reserved for management datagrams");
	soft_end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfect),
		cmocka_unit_test(lenient),
		cmocka_unit_test(status_and_next_step),
		cmocka_unit_test(known_deviations),
		cmocka_unit_test(lenient_windows),
		cmocka_unit_test(skipped),
		cmocka_unit_test(device_removed),
		cmocka_unit_test(deaf_vector),
		cmocka_unit_test(reserved_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
