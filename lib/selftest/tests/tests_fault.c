/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests.h"

#define SAFE (ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ)

/* Requests that the far side refuses (class C): the requester gets a NAK, both queue pairs fail. */
#define REFUSED(name_, operation_, bytes_)                                                      \
	.name = name_, .operation = operation_, .bytes = bytes_, .near = IBV_WC_REM_ACCESS_ERR, \
	.far = IBV_WC_WR_FLUSH_ERR

/*
 * Faults that the requester detects before it sends anything: only its own queue pair fails.
 * Drivers known to report them differently: Soft-RoCE as an error of the queue pair (rxe_req.c:
 * only -EFAULT of copy_data() is a protection error, an unknown key is -EINVAL), in Linux 6.12 as
 * flushed (rxe_qp_error() runs before rxe_completer() looks at the request); siw as an error of the
 * queue pair (siw_qp_tx.c, siw_qp_sq_process()).
 */
#define OWN(name_, operation_)                                                               \
	.name = name_, .operation = operation_, .bytes = 64, .near = IBV_WC_LOC_PROT_ERR,    \
	.near_also = FAULT_STATUS(IBV_WC_LOC_QP_OP_ERR) | FAULT_STATUS(IBV_WC_WR_FLUSH_ERR), \
	.far = FAULT_UNNOTICED

static const struct fault bad_rkey[] = {
	{REFUSED("RDMA write with an invalid rkey", POST_WRITE, 64), .flags = FAULT_BAD_RKEY},
	{REFUSED("RDMA read with an invalid rkey", POST_READ, 64), .flags = FAULT_BAD_RKEY},
	{REFUSED("fetch-and-add with an invalid rkey", POST_FETCH_ADD, 8),
	 .flags = FAULT_BAD_RKEY | FAULT_NEEDS_ATOMICS},
	{REFUSED("RDMA write with the rkey of memory that is no longer registered", POST_WRITE, 64),
	 .flags = FAULT_OLD_RKEY},
	{0},
};

static const struct fault out_of_bounds[] = {
	{REFUSED("RDMA write across the end of the memory region", POST_WRITE, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET - 63},
	{REFUSED("RDMA read across the end of the memory region", POST_READ, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET - 63},
	{REFUSED("RDMA write before the start of the memory region", POST_WRITE, 64),
	 .shift = -FAULT_OFFSET - 1},
	{REFUSED("RDMA write past the end of the memory region", POST_WRITE, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET},
	{0},
};

static const struct fault no_permission[] = {
	{REFUSED("RDMA write to memory that may only be read", POST_WRITE, 64),
	 .access = ACCESS_LOCAL | ACCESS_READ},
	{REFUSED("RDMA read of memory that may only be written", POST_READ, 64),
	 .access = ACCESS_LOCAL | ACCESS_WRITE},
	{REFUSED("fetch-and-add to memory that does not allow it", POST_FETCH_ADD, 8),
	 .access = SAFE, .flags = FAULT_NEEDS_ATOMICS},
	{0},
};

/*
 * Class C. Soft-RoCE reports a local error, class A, if the number of bytes left reveals it
 * (rxe_mr.c, copy_data(), -EINVAL), and gives the receive the requester's status if the number of
 * elements left does (rxe_resp.c, RESPST_ERR_LENGTH).
 */
#define TOO_LONG(name_, bytes_)                                                       \
	.name = name_, .operation = POST_SEND, .bytes = bytes_, .receive = 64,        \
	.near = IBV_WC_REM_INV_REQ_ERR, .near_also = FAULT_STATUS(IBV_WC_REM_OP_ERR), \
	.far = IBV_WC_LOC_LEN_ERR,                                                    \
	.far_also = FAULT_STATUS(IBV_WC_LOC_QP_OP_ERR) | FAULT_STATUS(IBV_WC_REM_INV_REQ_ERR)

static const struct fault short_receive[] = {
	{TOO_LONG("message of 65 bytes for a receive of 64", 65)},
	{TOO_LONG("message of 8192 bytes for a receive of 64", 8192)},
	{0},
};

/* Messages that the far side cannot take: the requester gives up. */
#define UNHEARD(name_, flags_, near_)                                                       \
	.name = name_, .operation = POST_SEND, .flags = flags_, .bytes = 64, .near = near_, \
	.far = FAULT_UNNOTICED

static const struct fault no_receive[] = {
	{UNHEARD("message without a receive", FAULT_NO_RECEIVE, IBV_WC_RNR_RETRY_EXC_ERR)},
	{0},
};

static const struct fault vanished[] = {
	{UNHEARD("message to a queue pair that is gone", FAULT_GONE, IBV_WC_RETRY_EXC_ERR)},
	{0},
};

static const struct fault wrong_domain[] = {
	{OWN("send from memory of another protection domain", POST_SEND),
	 .flags = FAULT_NEAR_DOMAIN},
	{REFUSED("RDMA write to memory of another protection domain", POST_WRITE, 64),
	 .flags = FAULT_FAR_DOMAIN},
	{REFUSED("RDMA read of memory of another protection domain", POST_READ, 64),
	 .flags = FAULT_FAR_DOMAIN},
	/*
	 * Class A. Soft-RoCE reports an error of the queue pair (rxe_resp.c,
	 * RESPST_ERR_MALFORMED_WQE), siw a general one (siw_qp_rx.c, siw_rdmap_complete()).
	 */
	{.name = "receive into memory of another protection domain",
	 .operation = POST_SEND,
	 .flags = FAULT_FAR_DOMAIN,
	 .bytes = 64,
	 .receive = 64,
	 .near = IBV_WC_REM_OP_ERR,
	 .far = IBV_WC_LOC_PROT_ERR,
	 .far_also = FAULT_STATUS(IBV_WC_LOC_QP_OP_ERR) | FAULT_STATUS(IBV_WC_GENERAL_ERR)},
	{0},
};

static const struct fault bad_lkey[] = {
	{OWN("send with an invalid lkey", POST_SEND), .flags = FAULT_BAD_KEY},
	{OWN("RDMA write with an invalid lkey", POST_WRITE), .flags = FAULT_BAD_KEY},
	/* Detected when the response arrives; later requests may have been carried out by then. */
	{OWN("RDMA read with an invalid lkey", POST_READ), .flags = FAULT_BAD_KEY | FAULT_ALONE},
	{0},
};

static void run(struct trial *trial)
{
	const struct fault *faults = trial->test->faults;

	if (faults == no_receive && trial_is_iwarp(trial))
		trial_skip(trial, "iWARP has no RNR NAK: a message without a receive ends the "
				  "connection (RFC 5041, 7.1)");
	else
		fault_run(trial, faults);
}

const struct trial_test fault_tests[] = {
	{"fault-bad-rkey", SELFTEST_FAULT, "an invalid rkey is refused", 0, run,
	 .faults = bad_rkey},
	{"fault-out-of-bounds", SELFTEST_FAULT,
	 "addresses outside of the memory region are refused", 0, run, .faults = out_of_bounds},
	{"fault-no-permission", SELFTEST_FAULT,
	 "access that the memory region does not allow is refused", 0, run,
	 .faults = no_permission},
	{"fault-short-receive", SELFTEST_FAULT, "a message longer than its receive is refused", 0,
	 run, .faults = short_receive},
	{"fault-rnr", SELFTEST_FAULT, "a sender gives up if no receive is posted", 0, run,
	 .faults = no_receive},
	{"fault-peer-vanished", SELFTEST_FAULT, "a sender gives up if the peer does not answer", 0,
	 run, .faults = vanished},
	{"fault-wrong-domain", SELFTEST_FAULT, "memory of another protection domain is refused", 0,
	 run, .faults = wrong_domain},
	{"fault-bad-key", SELFTEST_FAULT, "an invalid lkey is refused", 0, run, .faults = bad_lkey},
	{0},
};
