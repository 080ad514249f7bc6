/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended reliable connections (IBTA 1, annex A14): one queue pair sends to another that receives
 * and puts arriving messages into the shared receive queue that each message names. Both sides have
 * both, so that data can flow either way.
 */
#include <errno.h>
#include <fcntl.h>

#include "selftest/agent/agent.h"

static int open_domain(struct agent *agent)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, /* private to this process: ibv_open_xrcd(3) */
		.oflags = O_CREAT,
	};
	int rc;

	if (agent->xrcd)
		return 0;
	rc = agent_reserve(agent, OBJECT_BYTES, &agent->xrcd_reserved);
	if (rc)
		return rc;
	agent->xrcd = ibv_open_xrcd(agent->context, &attr);
	if (agent->xrcd)
		return 0;
	rc = agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_open_xrcd");
	agent_unreserve(agent, &agent->xrcd_reserved);
	return rc;
}

/* The header's inline function calls the library, which is not linked, for other kinds. */
static struct ibv_srq *create_shared(struct agent *agent, const struct message_qp *order)
{
	struct verbs_context *verbs = verbs_get_ctx_op(agent->context, create_srq_ex);
	struct ibv_srq_init_attr_ex attr = {
		.attr = {.max_wr = order->receive_depth, .max_sge = order->sges},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = agent->domains[order->domain],
		.xrcd = agent->xrcd,
		.cq = agent->cqs[order->cq].cq,
	};

	errno = EOPNOTSUPP;
	return verbs ? verbs->create_srq_ex(agent->context, &attr) : NULL;
}

/* Avoids the inline function for the same reason. */
struct ibv_qp *agent_create_qp(struct agent *agent, struct ibv_qp_init_attr_ex *attr)
{
	struct verbs_context *verbs = verbs_get_ctx_op(agent->context, create_qp_ex);

	errno = EOPNOTSUPP;
	return verbs ? verbs->create_qp_ex(agent->context, attr) : NULL;
}

static int make(struct agent *agent, const struct message_qp *order, struct agent_qp *qp)
{
	struct ibv_cq *cq = agent->cqs[order->cq].cq;
	struct ibv_qp_init_attr_ex receives = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = agent->xrcd,
	};
	struct ibv_qp_init_attr_ex sends = {
		.send_cq = cq,
		.qp_type = IBV_QPT_XRC_SEND,
		.sq_sig_all = (int)order->signal_all,
		.cap = {.max_send_wr = order->send_depth,
			.max_send_sge = order->sges,
			.max_inline_data = order->inline_bytes},
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = agent->domains[order->domain],
	};

	qp->shared = create_shared(agent, order);
	if (!qp->shared)
		return agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_srq_ex");
	qp->target = agent_create_qp(agent, &receives);
	if (qp->target)
		qp->qp = agent_create_qp(agent, &sends);
	if (!qp->qp)
		return agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_qp_ex");
	qp->qp->send_cq = cq; /* not every provider fills it in here */
	qp->inline_bytes = sends.cap.max_inline_data;
	return 0;
}

int agent_xrc_make(struct agent *agent, const struct message_qp *order, struct agent_qp *qp)
{
	int rc;

	if (order->srq)
		return agent_refuse(agent, REFUSAL_ORDER, "such a queue pair has its own queue");
	rc = open_domain(agent) ?: make(agent, order, qp);
	if (rc)
		agent_xrc_destroy(agent, qp);
	return rc;
}

void agent_xrc_destroy(struct agent *agent, struct agent_qp *qp)
{
	if (qp->target)
		agent->api.ibv_destroy_qp(qp->target);
	if (qp->shared)
		agent->api.ibv_destroy_srq(qp->shared);
	qp->target = NULL;
	qp->shared = NULL;
}

void agent_xrc_close(struct agent *agent)
{
	if (agent->xrcd)
		ibv_close_xrcd(agent->xrcd);
	agent->xrcd = NULL;
	agent_unreserve(agent, &agent->xrcd_reserved);
}

int agent_xrc(struct agent *agent, const struct message_xrc *order, struct message_xrc_ready *reply)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	uint32_t srqn = 0;
	int rc;

	if (!qp->target)
		return agent_refuse(agent, REFUSAL_ORDER,
				    "no queue pair %u of an extended reliable connection",
				    order->slot);
	rc = ibv_get_srq_num(qp->shared, &srqn);
	if (rc)
		return agent_fail(agent, STAGE_CREATE_QP, rc, "ibv_get_srq_num");
	qp->peer_qpn = order->qpn;
	qp->peer_srqn = order->srqn;
	reply->qpn = qp->target->qp_num & 0xffffff;
	reply->srqn = srqn & 0xffffff;
	return 0;
}
