/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests_fault.h"

#define SAFE (ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ)

/* What the far side refuses: class C, the requester is told by a NAK, both queue pairs fail. */
#define REFUSED(name_, operation_, bytes_)                                                      \
	.name = name_, .operation = operation_, .bytes = bytes_, .near = IBV_WC_REM_ACCESS_ERR, \
	.far = IBV_WC_WR_FLUSH_ERR

/*
 * What the requester finds out before it sends anything: only its own queue pair fails. Drivers
 * known to report it in another way: Soft-RoCE as an error of the queue pair (rxe_req.c: only
 * -EFAULT of copy_data() is a protection error, an unknown key is -EINVAL), in Linux 6.12 as
 * flushed (rxe_qp_error() comes before rxe_completer() looks at the request), and siw as an error
 * of the queue pair (siw_qp_tx.c, siw_qp_sq_process()).
 */
#define OWN(name_, operation_)                                                               \
	.name = name_, .operation = operation_, .bytes = 64, .near = IBV_WC_LOC_PROT_ERR,    \
	.near_also = FAULT_STATUS(IBV_WC_LOC_QP_OP_ERR) | FAULT_STATUS(IBV_WC_WR_FLUSH_ERR), \
	.far = FAULT_UNNOTICED

static const struct fault bad_rkey[] = {
	{REFUSED("RDMA write with a bad remote key", POST_WRITE, 64), .flags = FAULT_BAD_RKEY},
	{REFUSED("RDMA read with a bad remote key", POST_READ, 64), .flags = FAULT_BAD_RKEY},
	{REFUSED("fetch-and-add with a bad remote key", POST_FETCH_ADD, 8),
	 .flags = FAULT_BAD_RKEY | FAULT_NEEDS_ATOMICS},
	{REFUSED("RDMA write with the key of memory that is not registered any more", POST_WRITE,
		 64),
	 .flags = FAULT_OLD_RKEY},
	{0},
};

static const struct fault out_of_bounds[] = {
	{REFUSED("RDMA write across the end of the memory", POST_WRITE, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET - 63},
	{REFUSED("RDMA read across the end of the memory", POST_READ, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET - 63},
	{REFUSED("RDMA write before the begin of the memory", POST_WRITE, 64),
	 .shift = -FAULT_OFFSET - 1},
	{REFUSED("RDMA write behind the end of the memory", POST_WRITE, 64),
	 .shift = FAULT_BYTES - FAULT_OFFSET},
	{0},
};

static const struct fault no_permission[] = {
	{REFUSED("RDMA write to memory that may only be read", POST_WRITE, 64),
	 .access = ACCESS_LOCAL | ACCESS_READ},
	{REFUSED("RDMA read of memory that may only be written", POST_READ, 64),
	 .access = ACCESS_LOCAL | ACCESS_WRITE},
	{REFUSED("fetch-and-add to memory without the right to it", POST_FETCH_ADD, 8),
	 .access = SAFE, .flags = FAULT_NEEDS_ATOMICS},
	{0},
};

/*
 * Class C. Soft-RoCE takes it for an error of its own, class A, if it finds out by the bytes left
 * (rxe_mr.c, copy_data(), -EINVAL), and gives the receive the requester's status if it finds out by
 * the elements left (rxe_resp.c, RESPST_ERR_LENGTH).
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

static const struct fault no_receive[] = {
	{.name = "message without a receive",
	 .operation = POST_SEND,
	 .flags = FAULT_NO_RECEIVE,
	 .bytes = 64,
	 .near = IBV_WC_RNR_RETRY_EXC_ERR,
	 .far = FAULT_UNNOTICED},
	{0},
};

static const struct fault vanished[] = {
	{.name = "message to a queue pair that is gone",
	 .operation = POST_SEND,
	 .flags = FAULT_GONE,
	 .bytes = 64,
	 .near = IBV_WC_RETRY_EXC_ERR,
	 .far = FAULT_UNNOTICED},
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
	 * Class A. Soft-RoCE has an error of the queue pair (rxe_resp.c,
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

static const struct fault bad_key[] = {
	{OWN("send with a bad local key", POST_SEND), .flags = FAULT_BAD_KEY},
	{OWN("RDMA write with a bad local key", POST_WRITE), .flags = FAULT_BAD_KEY},
	/* Found out when the answer comes; by then the far side may have what was sent behind it.
	 */
	{OWN("RDMA read with a bad local key", POST_READ), .flags = FAULT_BAD_KEY | FAULT_ALONE},
	{0},
};

static void run_bad_rkey(struct trial *trial)
{
	fault_run(trial, bad_rkey);
}

static void run_out_of_bounds(struct trial *trial)
{
	fault_run(trial, out_of_bounds);
}

static void run_no_permission(struct trial *trial)
{
	fault_run(trial, no_permission);
}

static void run_short_receive(struct trial *trial)
{
	fault_run(trial, short_receive);
}

static void run_rnr(struct trial *trial)
{
	if (trial_is_iwarp(trial))
		trial_skip(trial, "iWARP has no RNR NAK: a message without a receive ends the "
				  "connection (RFC 5041, 7.1)");
	else
		fault_run(trial, no_receive);
}

static void run_peer_vanished(struct trial *trial)
{
	fault_run(trial, vanished);
}

static void run_wrong_domain(struct trial *trial)
{
	fault_run(trial, wrong_domain);
}

static void run_bad_key(struct trial *trial)
{
	fault_run(trial, bad_key);
}

const struct trial_test fault_tests[] = {
	{"fault-bad-rkey", SELFTEST_FAULT, "a remote key of no memory is refused", 0, run_bad_rkey,
	 0},
	{"fault-out-of-bounds", SELFTEST_FAULT, "addresses outside of the memory are refused", 0,
	 run_out_of_bounds, 0},
	{"fault-no-permission", SELFTEST_FAULT, "access without the right to it is refused", 0,
	 run_no_permission, 0},
	{"fault-short-receive", SELFTEST_FAULT, "a message longer than its receive is refused", 0,
	 run_short_receive, 0},
	{"fault-rnr", SELFTEST_FAULT, "a message that nobody receives is given up", 0, run_rnr, 0},
	{"fault-peer-vanished", SELFTEST_FAULT, "a peer that does not answer is given up", 0,
	 run_peer_vanished, 0},
	{"fault-wrong-domain", SELFTEST_FAULT, "memory of another protection domain is refused", 0,
	 run_wrong_domain, 0},
	{"fault-bad-key", SELFTEST_FAULT, "a local key of no memory is refused", 0, run_bad_key, 0},
	{0},
};
