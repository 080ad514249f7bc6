/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Proves that the port in the order to open is the client's, if its address does not show that: a
 * nonce goes to the port as one packet, and the client returns it over TCP.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "host/device.h"
#include "selftest/agent/agent.h"
#include "selftest/wire/handshake.h"

/* Time limit until the packet is acknowledged, or its acknowledgement has timed out. */
#define SENT_MSEC 3000

int agent_proven(struct agent *agent, const struct message_none *order,
		 struct message_is_proven *reply)
{
	(void)order;
	reply->proven = !agent->guard.strict || agent->guard.proven;
	return 0;
}

/*
 * The queue pair must lead to the port that the order to open names. Its attributes were checked
 * unless librdmacm connected it. Datagrams prove little, because any queue pair of that port may
 * receive them, even one that another server created for the same client.
 */
static int check_qp(struct agent *agent, const struct agent_qp *qp)
{
	const bool iwarp = agent->endpoint.transport == TRANSPORT_IWARP;
	struct ip_address to;

	if (!qp->qp || (qp->kind == QP_UD && !qp->ah))
		return agent_refuse(agent, REFUSAL_ORDER, "no connected queue pair for the proof");
	if (qp->kind == QP_XRC ||
	    (qp->kind == QP_UD && !endpoint_has_datagrams_only(&agent->endpoint)))
		return agent_refuse(agent, REFUSAL_ORDER,
				    "the proof requires a connected queue pair");
	if (!qp->cm_id)
		return 0;
	to = socket_address_ip((const struct sockaddr_storage *)rdma_get_peer_addr(qp->cm_id));
	if (iwarp && ip_equal(&to, &agent->guard.peer.ip))
		return 0;
	return agent_refuse(
		agent, REFUSAL_ORDER,
		"the proof requires a queue pair that leads to the port of the open request");
}

/*
 * Returns true once the queue pair is done with the work request, whether the packet arrived or
 * not.
 */
static bool await_sent(struct agent *agent, struct ibv_cq *cq, uint64_t id)
{
	const uint64_t end = clock_msec() + SENT_MSEC;
	enum stop stop = STOP_TIMED_OUT;
	struct ibv_wc wc;

	/* An event that ends nothing is no reason to give up. */
	while (stop <= STOP_TIMED_OUT && clock_msec() < end) {
		while (ibv_poll_cq(cq, 1, &wc) > 0)
			if (wc.wr_id == id)
				return true;
		stop = watch_wait(&agent->watch, -1, 1);
	}
	return false;
}

static int send_memory(struct agent *agent, struct agent_qp *qp, const struct message_post *post,
		       const void *bytes, uint32_t lkey)
{
	struct ibv_sge element = {
		.addr = (uintptr_t)bytes,
		.length = NONCE_BYTES,
		.lkey = lkey,
	};
	struct ibv_send_wr work = {
		.wr_id = (uintptr_t)bytes,
		.sg_list = &element,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;
	int rc;

	agent_fill_remote(qp, post, &work);
	rc = ibv_post_send(qp->qp, &work, &bad);
	if (rc)
		return agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc), "ibv_post_send");
	/* The memory must outlive the work request. */
	if (!await_sent(agent, qp->qp->send_cq, work.wr_id))
		agent_qp_destroy(agent, qp);
	return 0;
}

/* Sends the nonce from memory that no order can read, and whose keys nobody knows. */
static int send_nonce(struct agent *agent, struct agent_qp *qp, const struct message_post *post)
{
	void *bytes = mmap(NULL, NONCE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	struct ibv_mr *mr;
	int rc;

	if (bytes == MAP_FAILED)
		return agent_fail(agent, STAGE_MEMORY, errno, "mmap");
	memcpy(bytes, agent->guard.nonce, NONCE_BYTES);
	mr = (agent->api.ibv_reg_mr)(qp->qp->pd, bytes, NONCE_BYTES, 0);
	rc = mr ? send_memory(agent, qp, post, bytes, mr->lkey)
		: agent_fail_memory(agent, NONCE_BYTES, false);
	if (mr)
		agent->api.ibv_dereg_mr(mr);
	munmap(bytes, NONCE_BYTES);
	return rc;
}

/* The client finds out by itself whether the packet has arrived. */
int agent_prove(struct agent *agent, const struct message_prove *order)
{
	const struct message_post post = {
		.operation = POST_SEND,
		.count = 1,
		.span = {.blocks = 1, .block_bytes = NONCE_BYTES},
		.qpn = order->qpn,
		.qkey = order->qkey,
	};
	struct agent_qp *qp = &agent->qps[order->slot];
	struct guard *guard = &agent->guard;
	int rc = check_qp(agent, qp) ?: guard_post(agent, qp, &post);

	guard->asked = false;
	if (rc)
		return rc;
	rc = nonce_make(guard->nonce);
	if (rc)
		return agent_fail(agent, STAGE_NONE, -rc, "getrandom");
	rc = send_nonce(agent, qp, &post);
	guard->asked = !rc;
	return rc;
}

/* Each nonce is valid for one answer. */
int agent_proof(struct agent *agent, const struct message_proof *order)
{
	struct guard *guard = &agent->guard;
	const bool right = guard->asked && nonce_equal(guard->nonce, order->nonce);

	guard->asked = false;
	guard->proven = guard->proven || right;
	return right ? 0 : agent_refuse(agent, REFUSAL_ORDER, "not what was sent to that port");
}
