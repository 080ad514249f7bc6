/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/mem.h"
#include "host/device.h"
#include "mad/format/codes.h"
#include "mad/format/mad.h"
#include "selftest/agent/agent.h"

#define CQE_BYTES 64u

int agent_access(uint32_t access)
{
	_Static_assert((int)ACCESS_LOCAL == (int)IBV_ACCESS_LOCAL_WRITE &&
			       (int)ACCESS_WRITE == (int)IBV_ACCESS_REMOTE_WRITE &&
			       (int)ACCESS_READ == (int)IBV_ACCESS_REMOTE_READ &&
			       (int)ACCESS_ATOMIC == (int)IBV_ACCESS_REMOTE_ATOMIC,
		       "the exchange has the numbers of libibverbs");
	return (int)access;
}

/*
 * Upper bound for the memory of a queue. rxe rounds the number of entries, and the size of each, up
 * to a power of two (rxe_queue_init()); mlx5 and others have smaller entries.
 */
static uint64_t queue_bytes(uint64_t entries, uint64_t entry_bytes)
{
	uint64_t count = 1, size = 1;

	while (count < entries + 1)
		count *= 2;
	while (size < entry_bytes)
		size *= 2;
	return OBJECT_BYTES + count * size;
}

/* Entry sizes of struct rxe_send_wqe and rxe_recv_wqe (include/uapi/rdma/rdma_user_rxe.h). */
static uint64_t send_bytes(const struct message_qp *order)
{
	const uint64_t sges = order->sges * sizeof(struct ibv_sge);

	return queue_bytes(order->send_depth,
			   208 + (sges > order->inline_bytes ? sges : order->inline_bytes));
}

static uint64_t receive_bytes(const struct message_qp *order)
{
	return queue_bytes(order->receive_depth, 40 + order->sges * sizeof(struct ibv_sge));
}

/* XRC uses one queue pair to send, another to receive, and a third object as the receive queue. */
static uint64_t pair_bytes(const struct message_qp *order)
{
	return send_bytes(order) + (order->srq ? 0 : receive_bytes(order)) +
	       (order->kind == QP_XRC ? OBJECT_BYTES : 0);
}

void agent_cq_destroy(struct agent *agent, struct agent_cq *cq)
{
	if (cq->cq) {
		agent->api.ibv_ack_cq_events(cq->cq, cq->unacknowledged);
		agent->api.ibv_destroy_cq(cq->cq);
	}
	if (cq->channel)
		agent->api.ibv_destroy_comp_channel(cq->channel);
	agent_unreserve(agent, &cq->reserved);
	*cq = (struct agent_cq){0};
}

static bool is_in_use(const struct agent *agent, const struct agent_cq *cq)
{
	const struct agent_many *many = &agent->many;

	for (size_t i = 0; i < agent->qp_end; i++)
		if (cq->cq && agent->qps[i].qp && agent->qps[i].qp->send_cq == cq->cq)
			return true;
	for (size_t i = 0; i < many->count; i++)
		if (cq->cq && many->items[i].qp && many->items[i].qp->send_cq == cq->cq)
			return true;
	return false;
}

int agent_vector(struct agent *agent, const struct message_vector *order)
{
	agent->vector = order->vector;
	return 0;
}

static int vector_of(const struct agent *agent)
{
	const int vectors = agent->context ? agent->context->num_comp_vectors : 0;

	return vectors > 0 ? (int)(agent->vector % (uint32_t)vectors) : 0;
}

int agent_cq(struct agent *agent, const struct message_cq *order)
{
	struct agent_cq *cq = &agent->cqs[order->slot];
	int rc;

	if (is_in_use(agent, cq))
		return agent_refuse(agent, REFUSAL_ORDER, "completion queue %u is in use",
				    order->slot);
	agent_cq_destroy(agent, cq);
	if (!order->entries)
		return 0;
	if (order->entries > (uint32_t)agent->limits.max_cqe)
		return agent_refuse(agent, REFUSAL_LIMIT,
				    "a completion queue of %u entries, the device's limit is %d",
				    order->entries, agent->limits.max_cqe);
	rc = agent_reserve(agent, queue_bytes(order->entries, CQE_BYTES), &cq->reserved);
	if (rc)
		return rc;
	if (order->channel) {
		cq->channel = agent->api.ibv_create_comp_channel(agent->context);
		if (!cq->channel) {
			rc = agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_comp_channel");
			agent_cq_destroy(agent, cq);
			return rc;
		}
		fcntl(cq->channel->fd, F_SETFL, O_NONBLOCK);
	}
	cq->cq = agent->api.ibv_create_cq(agent->context, (int)order->entries, NULL, cq->channel,
					  vector_of(agent));
	if (cq->cq)
		return 0;
	rc = agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_cq");
	agent_cq_destroy(agent, cq);
	return rc;
}

void agent_qp_destroy(struct agent *agent, struct agent_qp *qp)
{
	if (qp->group)
		agent_leave(agent, &(struct message_leave){.slot = (uint32_t)(qp - agent->qps)});
	if (qp->ah)
		agent->api.ibv_destroy_ah(qp->ah);
	agent_windows_forget(agent, qp, NULL);
	/* The queue pair goes before the id: on iWARP, destroying it closes the connection. */
	if (qp->qp)
		agent->api.ibv_destroy_qp(qp->qp);
	agent_xrc_destroy(agent, qp);
	if (qp->cm_id)
		agent->api.rdma_destroy_id(qp->cm_id);
	agent_unreserve(agent, &qp->reserved);
	agent->work -= qp->depth;
	agent->pairs -= qp->pairs;
	if (qp == &agent->qps[0])
		agent->told = (struct agent_told){0};
	*qp = (struct agent_qp){0};
}

static int make_srq(struct agent *agent, const struct message_qp *order)
{
	struct ibv_srq_init_attr attr = {
		.attr = {.max_wr = order->receive_depth, .max_sge = order->sges},
	};
	int rc;

	if (!order->srq || agent->srq)
		return 0;
	rc = agent_reserve(agent, receive_bytes(order), &agent->srq_reserved);
	if (rc)
		return rc;
	agent->srq = agent->api.ibv_create_srq(agent->domains[0], &attr);
	if (agent->srq)
		return 0;
	rc = agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_srq");
	agent_unreserve(agent, &agent->srq_reserved);
	return rc;
}

/* A PSN has 24 bits that should not be predictable; xorshift is good enough. */
static uint32_t new_psn(struct agent *agent)
{
	uint32_t state = agent->random ? agent->random : 1;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	agent->random = state;
	return state & 0xffffff;
}

static const enum ibv_qp_type qp_types[] = {
	[QP_RC] = IBV_QPT_RC,
	[QP_UC] = IBV_QPT_UC,
	[QP_UD] = IBV_QPT_UD,
};

static int create_qp(struct agent *agent, const struct message_qp *order, struct agent_qp *qp)
{
	struct ibv_cq *cq = agent->cqs[order->cq].cq;
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = order->srq ? agent->srq : NULL,
		.qp_type = qp_types[order->kind],
		.sq_sig_all = (int)order->signal_all,
		.cap =
			{
				.max_send_wr = order->send_depth,
				.max_recv_wr = order->srq ? 0 : order->receive_depth,
				.max_send_sge = order->sges,
				.max_recv_sge = order->srq ? 0 : order->sges,
				.max_inline_data = order->inline_bytes,
			},
	};

	qp->qp = agent->api.ibv_create_qp(agent->domains[order->domain], &attr);
	if (!qp->qp)
		return agent_fail(agent, STAGE_CREATE_QP, errno, "ibv_create_qp");
	qp->inline_bytes = attr.cap.max_inline_data;
	return 0;
}

int agent_qp_make(struct agent *agent, const struct message_qp *order, struct agent_qp *qp)
{
	int rc;

	if (!agent->cqs[order->cq].cq)
		return agent_refuse(agent, REFUSAL_ORDER, "no completion queue %u", order->cq);
	rc = make_srq(agent, order) ?: agent_reserve(agent, pair_bytes(order), &qp->reserved);
	if (!rc)
		rc = order->kind == QP_XRC ? agent_xrc_make(agent, order, qp)
					   : create_qp(agent, order, qp);
	if (rc) {
		agent_unreserve(agent, &qp->reserved);
		return rc;
	}
	qp->kind = order->kind;
	qp->sges = order->sges;
	qp->depth = order->send_depth + order->receive_depth;
	agent->work += qp->depth;
	qp->send_depth = order->send_depth;
	qp->signal_all = order->signal_all;
	qp->psn = new_psn(agent);
	return 0;
}

int agent_qp(struct agent *agent, const struct message_qp *order, struct message_qp_created *reply)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	const uint32_t pairs = order->kind == QP_XRC ? 2 : 1;
	int rc;

	agent_qp_destroy(agent, qp);
	if (order->destroy)
		return 0;
	if (order->slot >= agent->most_qps || agent->pairs + pairs > agent->most_qps)
		return agent_refuse(agent, REFUSAL_LIMIT, "more than %u queue pairs",
				    agent->most_qps);
	/* Queue memory belongs to the kernel or the device: no process limit covers it. */
	if (agent->work + order->send_depth + order->receive_depth > LIMIT_WORK)
		return agent_refuse(agent, REFUSAL_LIMIT, "queues of more than %u work requests",
				    LIMIT_WORK);
	rc = agent_qp_make(agent, order, qp);
	if (rc)
		return rc;
	qp->pairs = pairs;
	agent->pairs += pairs;
	if (agent->qp_end <= order->slot)
		agent->qp_end = order->slot + 1;
	reply->qpn = qp->qp->qp_num & 0xffffff;
	reply->psn = qp->psn;
	reply->inline_bytes = qp->inline_bytes;
	return 0;
}

/* Hop limit of RoCE v2 packets, the default of rdma_cm. */
#define HOP_LIMIT 64

/*
 * RoCE has no LIDs. InfiniBand needs a global header only if the subnets differ, or if the port
 * always does; other programs may tell no GID.
 */
static bool goes_by_lid(const struct agent *agent, const struct gid *to)
{
	return gid_is_zero(to) ||
	       (!agent->needs_header &&
		gid_subnet_prefix(to) == gid_subnet_prefix(&agent->endpoint.gid));
}

static void fill_address(const struct agent *agent, const struct endpoint *to, uint32_t sl,
			 struct ibv_ah_attr *attr)
{
	*attr = (struct ibv_ah_attr){
		.dlid = (uint16_t)to->lid,
		.sl = (uint8_t)(sl ? sl : agent->path.sl),
		.port_num = (uint8_t)agent->endpoint.port,
	};
	if (agent->endpoint.link_layer == LINK_LAYER_INFINIBAND && goes_by_lid(agent, &to->gid))
		return;
	attr->is_global = 1;
	memcpy(attr->grh.dgid.raw, to->gid.raw, sizeof(attr->grh.dgid.raw));
	attr->grh.sgid_index = (uint8_t)agent->endpoint.gid_index;
	attr->grh.hop_limit = (uint8_t)(agent->path.hop_limit ? agent->path.hop_limit : HOP_LIMIT);
	attr->grh.traffic_class = (uint8_t)agent->path.traffic_class;
	attr->grh.flow_label = agent->path.flow_label;
}

static int fill_init(const struct agent *agent, const struct agent_qp *qp,
		     const struct message_modify *order, struct ibv_qp_attr *attr)
{
	attr->port_num = (uint8_t)agent->endpoint.port;
	attr->pkey_index = (uint16_t)(qp->group ? qp->group_pkey_index : agent->pkey_index);
	attr->qp_access_flags = (unsigned int)agent_access(order->access);
	return IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (qp->kind == QP_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

static int fill_rtr(const struct agent *agent, const struct agent_qp *qp,
		    const struct message_modify *order, struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (qp->kind == QP_UD)
		return 0;
	attr->path_mtu = (enum ibv_mtu)mtu_code(order->mtu_bytes);
	attr->dest_qp_num = order->qpn;
	attr->rq_psn = order->psn;
	fill_address(agent, &order->to, order->sl, &attr->ah_attr);
	attr->max_dest_rd_atomic = (uint8_t)order->max_rd_atomic;
	attr->min_rnr_timer = (uint8_t)order->rnr_timer;
	if (qp->kind != QP_RC)
		return mask;
	return mask | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

static int fill_rts(const struct agent_qp *qp, const struct message_modify *order,
		    struct ibv_qp_attr *attr)
{
	attr->sq_psn = qp->psn;
	if (!agent_is_reliable(qp->kind))
		return IBV_QP_SQ_PSN;
	attr->timeout = (uint8_t)order->timeout;
	attr->retry_cnt = (uint8_t)order->retries;
	attr->rnr_retry = (uint8_t)order->rnr_retries;
	attr->max_rd_atomic = (uint8_t)order->max_rd_atomic;
	return IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	       IBV_QP_MAX_QP_RD_ATOMIC;
}

const char *agent_state_word(uint32_t state)
{
	static const char *const words[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
		[IBV_QPS_RTS] = "RTS",	   [IBV_QPS_SQD] = "SQD",   [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return state < ARRAY_SIZE(words) ? words[state] : "unknown";
}

static struct agent_qp *find_qp(struct agent *agent, uint32_t slot)
{
	struct agent_qp *qp = &agent->qps[slot];

	if (qp->qp)
		return qp;
	agent_refuse(agent, REFUSAL_ORDER, "no queue pair %u", slot);
	return NULL;
}

/*
 * Moves the receiving queue pair of an extended reliable connection along with the sending one. The
 * attributes that each transition needs: Linux, drivers/infiniband/core/verbs.c, qp_state_table.
 */
static int modify_target(struct agent *agent, struct agent_qp *qp,
			 const struct message_modify *order)
{
	struct ibv_qp_attr attr = {
		.qp_state = (enum ibv_qp_state)order->state,
		.sq_psn = qp->psn,
		.timeout = (uint8_t)order->timeout,
	};
	int mask = IBV_QP_STATE;
	int rc;

	if (order->state == IBV_QPS_INIT) {
		mask |= fill_init(agent, qp, order, &attr);
	} else if (order->state == IBV_QPS_RTR) {
		mask |= fill_rtr(agent, qp, order, &attr) | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER;
		attr.dest_qp_num = qp->peer_qpn;
	} else if (order->state == IBV_QPS_RTS) {
		mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	}
	rc = agent->api.ibv_modify_qp(qp->target, &attr, mask);
	if (rc)
		return agent_fail(agent, STAGE_CONNECT_QP, rc,
				  "ibv_modify_qp to %s of the receiving side",
				  agent_state_word(order->state));
	return 0;
}

int agent_qp_modify(struct agent *agent, struct agent_qp *qp, const struct message_modify *order)
{
	struct ibv_qp_attr attr = {
		.qp_state = (enum ibv_qp_state)order->state,
		.qkey = order->qkey,
	};
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr init;
	int mask = IBV_QP_STATE;
	int rc;

	if (guard_modify(agent, qp, order))
		return -EINVAL;
	if (order->state == IBV_QPS_INIT)
		mask |= fill_init(agent, qp, order, &attr);
	else if (order->state == IBV_QPS_RTR)
		mask |= fill_rtr(agent, qp, order, &attr);
	else if (order->state == IBV_QPS_RTS &&
		 (agent->api.ibv_query_qp(qp->qp, &now, IBV_QP_STATE, &init) ||
		  now.qp_state == IBV_QPS_RTR))
		mask |= fill_rts(qp, order, &attr);
	else if (order->state == IBV_QPS_RTS && qp->kind == QP_UD)
		mask |= IBV_QP_QKEY; /* already in RTS: to join a group that has another Q_Key */
	rc = agent->api.ibv_modify_qp(qp->qp, &attr, mask);
	if (rc)
		return agent_fail(agent, STAGE_CONNECT_QP, rc, "ibv_modify_qp to %s",
				  agent_state_word(order->state));
	agent_note_told(agent, qp, &attr, mask);
	return qp->target ? modify_target(agent, qp, order) : 0;
}

int agent_modify(struct agent *agent, const struct message_modify *order)
{
	struct agent_qp *qp = find_qp(agent, order->slot);

	return qp ? agent_qp_modify(agent, qp, order) : -EINVAL;
}

int agent_query(struct agent *agent, const struct message_query *order,
		struct message_queried *reply)
{
	struct agent_qp *qp = find_qp(agent, order->slot);
	struct ibv_qp_attr attr = {0};
	struct ibv_qp_init_attr init = {0};
	int rc;

	if (!qp)
		return -EINVAL;
	rc = agent->api.ibv_query_qp(qp->qp, &attr,
				     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS, &init);
	if (rc)
		return agent_fail(agent, STAGE_CREATE_QP, rc, "ibv_query_qp");
	reply->state = attr.qp_state;
	reply->qpn = qp->qp->qp_num & 0xffffff;
	reply->mtu_bytes = mtu_bytes(attr.path_mtu);
	reply->inline_bytes = init.cap.max_inline_data;
	reply->access = (uint32_t)attr.qp_access_flags;
	return 0;
}

/*
 * Whether the address is the multicast group that the queue pair has joined, in a subnet whose
 * manager prescribes the SL, the rate and the rest of the path (IBTA 1, 15.2.5.17).
 */
static bool is_managed_group(const struct agent *agent, const struct agent_qp *qp,
			     const struct gid *gid)
{
	return qp->group && agent->endpoint.link_layer == LINK_LAYER_INFINIBAND &&
	       !memcmp(gid->raw, qp->group_path.grh.dgid.raw, sizeof(gid->raw));
}

int agent_address(struct agent *agent, const struct message_address *order)
{
	struct agent_qp *qp = find_qp(agent, order->slot);
	struct ibv_qp_attr attr = {0};

	if (!qp || guard_destination(agent, &order->to))
		return -EINVAL;
	if (is_managed_group(agent, qp, &order->to.gid))
		attr.ah_attr = qp->group_path;
	else
		fill_address(agent, &order->to, order->sl, &attr.ah_attr);
	if (qp->ah)
		agent->api.ibv_destroy_ah(qp->ah);
	qp->ah = agent->api.ibv_create_ah(qp->qp->pd, &attr.ah_attr);
	if (!qp->ah)
		return agent_fail(agent, STAGE_CONNECT_QP, errno, "ibv_create_ah");
	agent_note_told(agent, qp, &attr, IBV_QP_AV);
	return 0;
}
