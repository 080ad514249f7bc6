/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "host/device.h"
#include "mad/format/codes.h"
#include "selftest/diagnosis/diagnosis.h"
#include "selftest/agent/agent.h"

int agent_access(uint32_t access)
{
	int flags = 0;

	if (access & ACCESS_LOCAL)
		flags |= IBV_ACCESS_LOCAL_WRITE;
	if (access & ACCESS_WRITE)
		flags |= IBV_ACCESS_REMOTE_WRITE;
	if (access & ACCESS_READ)
		flags |= IBV_ACCESS_REMOTE_READ;
	if (access & ACCESS_ATOMIC)
		flags |= IBV_ACCESS_REMOTE_ATOMIC;
	return flags;
}

void agent_queue_destroy(struct agent *agent, struct agent_queue *queue)
{
	if (queue->cq) {
		agent->api.ibv_ack_cq_events(queue->cq, queue->unacknowledged);
		agent->api.ibv_destroy_cq(queue->cq);
	}
	if (queue->channel)
		agent->api.ibv_destroy_comp_channel(queue->channel);
	*queue = (struct agent_queue){0};
}

static bool is_in_use(const struct agent *agent, const struct agent_queue *queue)
{
	for (size_t i = 0; i < LIMIT_PAIRS; i++)
		if (queue->cq && agent->pairs[i].qp && agent->pairs[i].qp->send_cq == queue->cq)
			return true;
	return false;
}

int agent_queue(struct agent *agent, const struct message_queue *order)
{
	struct agent_queue *queue = &agent->queues[order->slot];

	if (is_in_use(agent, queue))
		return agent_refuse(agent, REFUSAL_ORDER, "completion queue %u is in use",
				    order->slot);
	agent_queue_destroy(agent, queue);
	if (!order->entries)
		return 0;
	if (order->entries > (uint32_t)agent->limits.max_cqe)
		return agent_refuse(agent, REFUSAL_LIMIT,
				    "a completion queue of %u entries, the device's limit is %d",
				    order->entries, agent->limits.max_cqe);
	if (order->channel) {
		queue->channel = agent->api.ibv_create_comp_channel(agent->context);
		if (!queue->channel)
			return agent_fail(agent, STAGE_QUEUES, errno, "ibv_create_comp_channel");
		fcntl(queue->channel->fd, F_SETFL, O_NONBLOCK);
	}
	queue->cq = agent->api.ibv_create_cq(agent->context, (int)order->entries, NULL,
					     queue->channel, 0);
	if (queue->cq)
		return 0;
	agent_fail(agent, STAGE_QUEUES, errno, "ibv_create_cq");
	agent_queue_destroy(agent, queue);
	return -(int)agent->refused.error;
}

void agent_pair_destroy(struct agent *agent, struct agent_pair *pair)
{
	if (pair->group)
		agent_leave(agent,
			    &(struct message_leave){.slot = (uint32_t)(pair - agent->pairs)});
	if (pair->ah)
		agent->api.ibv_destroy_ah(pair->ah);
	/* The queue pair before the id: iWARP closes the connection with it. */
	if (pair->qp)
		agent->api.ibv_destroy_qp(pair->qp);
	if (pair->cm_id)
		agent->api.rdma_destroy_id(pair->cm_id);
	*pair = (struct agent_pair){0};
}

static int make_shared(struct agent *agent, const struct message_pair *order)
{
	struct ibv_srq_init_attr attr = {
		.attr = {.max_wr = order->receive_depth, .max_sge = order->sges},
	};

	if (agent->shared)
		return 0;
	agent->shared = agent->api.ibv_create_srq(agent->domains[0], &attr);
	if (!agent->shared)
		return agent_fail(agent, STAGE_QUEUES, errno, "ibv_create_srq");
	return 0;
}

/* A PSN is 24 bits that nobody shall guess; xorshift is enough of that. */
static uint32_t new_packet(struct agent *agent)
{
	uint32_t state = agent->random ? agent->random : 1;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	agent->random = state;
	return state & 0xffffff;
}

static const enum ibv_qp_type qp_types[] = {
	[PAIR_RC] = IBV_QPT_RC,
	[PAIR_UC] = IBV_QPT_UC,
	[PAIR_UD] = IBV_QPT_UD,
};

static int create_pair(struct agent *agent, const struct message_pair *order,
		       struct agent_pair *pair)
{
	struct ibv_cq *cq = agent->queues[order->queue].cq;
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = order->shared ? agent->shared : NULL,
		.qp_type = qp_types[order->kind],
		.sq_sig_all = (int)order->signal_all,
		.cap =
			{
				.max_send_wr = order->send_depth,
				.max_recv_wr = order->shared ? 0 : order->receive_depth,
				.max_send_sge = order->sges,
				.max_recv_sge = order->shared ? 0 : order->sges,
				.max_inline_data = order->inline_bytes,
			},
	};

	pair->qp = agent->api.ibv_create_qp(agent->domains[order->domain], &attr);
	if (!pair->qp)
		return agent_fail(agent, STAGE_QUEUES, errno, "ibv_create_qp");
	pair->inline_bytes = attr.cap.max_inline_data;
	return 0;
}

/* Memory of queues is the kernel's or the device's: no limit of the process holds for it. */
static uint32_t work_in_use(const struct agent *agent)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < LIMIT_PAIRS; i++)
		sum += agent->pairs[i].depth;
	return sum;
}

int agent_pair(struct agent *agent, const struct message_pair *order, struct message_paired *reply)
{
	struct agent_pair *pair = &agent->pairs[order->slot];
	int rc;

	agent_pair_destroy(agent, pair);
	if (order->destroy)
		return 0;
	if (order->slot >= agent->most_pairs)
		return agent_refuse(agent, REFUSAL_LIMIT, "more than %u queue pairs",
				    agent->most_pairs);
	if (!agent->queues[order->queue].cq)
		return agent_refuse(agent, REFUSAL_ORDER, "no completion queue %u", order->queue);
	if (work_in_use(agent) + order->send_depth + order->receive_depth > LIMIT_WORK)
		return agent_refuse(agent, REFUSAL_LIMIT, "queues of more than %u work requests",
				    LIMIT_WORK);
	rc = order->shared ? make_shared(agent, order) : 0;
	if (!rc)
		rc = create_pair(agent, order, pair);
	if (rc)
		return rc;
	pair->kind = order->kind;
	pair->sges = order->sges;
	pair->depth = order->send_depth + order->receive_depth;
	pair->signal_all = order->signal_all;
	pair->packet = new_packet(agent);
	reply->number = pair->qp->qp_num & 0xffffff;
	reply->packet = pair->packet;
	reply->inline_bytes = pair->inline_bytes;
	return 0;
}

/* Hops that a RoCE v2 packet may take, as rdma_cm has it by default. */
#define HOP_LIMIT 64

static void fill_address(const struct agent *agent, const struct endpoint *to,
			 uint32_t service_level, struct ibv_ah_attr *attr)
{
	*attr = (struct ibv_ah_attr){
		.dlid = (uint16_t)to->lid,
		.sl = (uint8_t)service_level,
		.port_num = (uint8_t)agent->endpoint.port,
	};
	/* RoCE has no LIDs; on InfiniBand a global header only where the subnets differ. */
	if (agent->endpoint.link_layer == LINK_LAYER_INFINIBAND &&
	    gid_subnet_prefix(&to->gid) == gid_subnet_prefix(&agent->endpoint.gid))
		return;
	attr->is_global = 1;
	memcpy(attr->grh.dgid.raw, to->gid.raw, sizeof(attr->grh.dgid.raw));
	attr->grh.sgid_index = (uint8_t)agent->endpoint.gid_index;
	attr->grh.hop_limit = HOP_LIMIT;
}

static int fill_init(const struct agent *agent, const struct agent_pair *pair,
		     const struct message_modify *order, struct ibv_qp_attr *attr)
{
	attr->port_num = (uint8_t)agent->endpoint.port;
	attr->pkey_index = 0;
	attr->qp_access_flags = (unsigned int)agent_access(order->access);
	return IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (pair->kind == PAIR_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

static int fill_rtr(const struct agent *agent, const struct agent_pair *pair,
		    const struct message_modify *order, struct ibv_qp_attr *attr)
{
	int mask = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (pair->kind == PAIR_UD)
		return 0;
	attr->path_mtu = (enum ibv_mtu)mtu_code(order->mtu_bytes);
	attr->dest_qp_num = order->number;
	attr->rq_psn = order->packet;
	fill_address(agent, &order->to, order->service_level, &attr->ah_attr);
	if (pair->kind == PAIR_UC)
		return mask;
	attr->max_dest_rd_atomic = (uint8_t)order->reads;
	attr->min_rnr_timer = (uint8_t)order->rnr_timer;
	return mask | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

static int fill_rts(const struct agent_pair *pair, const struct message_modify *order,
		    struct ibv_qp_attr *attr)
{
	attr->sq_psn = pair->packet;
	if (pair->kind != PAIR_RC)
		return IBV_QP_SQ_PSN;
	attr->timeout = (uint8_t)order->timeout;
	attr->retry_cnt = (uint8_t)order->retries;
	attr->rnr_retry = (uint8_t)order->rnr_retries;
	attr->max_rd_atomic = (uint8_t)order->reads;
	return IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	       IBV_QP_MAX_QP_RD_ATOMIC;
}

static const char *const state_words[] = {
	[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
	[IBV_QPS_RTS] = "RTS",	   [IBV_QPS_SQD] = "SQD",   [IBV_QPS_SQE] = "SQE",
	[IBV_QPS_ERR] = "ERR",
};

static struct agent_pair *find_pair(struct agent *agent, uint32_t slot)
{
	struct agent_pair *pair = &agent->pairs[slot];

	if (pair->qp)
		return pair;
	agent_refuse(agent, REFUSAL_ORDER, "no queue pair %u", slot);
	return NULL;
}

int agent_modify(struct agent *agent, const struct message_modify *order)
{
	struct agent_pair *pair = find_pair(agent, order->slot);
	struct ibv_qp_attr attr = {
		.qp_state = (enum ibv_qp_state)order->state,
		.qkey = order->qkey,
	};
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr init;
	int mask = IBV_QP_STATE;
	int rc;

	if (!pair)
		return -EINVAL;
	if (order->state == IBV_QPS_INIT)
		mask |= fill_init(agent, pair, order, &attr);
	else if (order->state == IBV_QPS_RTR)
		mask |= fill_rtr(agent, pair, order, &attr);
	else if (order->state == IBV_QPS_RTS &&
		 (agent->api.ibv_query_qp(pair->qp, &now, IBV_QP_STATE, &init) ||
		  now.qp_state == IBV_QPS_RTR))
		mask |= fill_rts(pair, order, &attr);
	else if (order->state == IBV_QPS_RTS && pair->kind == PAIR_UD)
		mask |= IBV_QP_QKEY; /* in RTS already: to join a group that has another one */
	rc = agent->api.ibv_modify_qp(pair->qp, &attr, mask);
	if (rc)
		return agent_fail(agent, STAGE_CONNECT_QP, rc, "ibv_modify_qp to %s",
				  state_words[order->state]);
	return 0;
}

int agent_query(struct agent *agent, const struct message_query *order,
		struct message_queried *reply)
{
	struct agent_pair *pair = find_pair(agent, order->slot);
	struct ibv_qp_attr attr = {0};
	struct ibv_qp_init_attr init = {0};
	int rc;

	if (!pair)
		return -EINVAL;
	rc = agent->api.ibv_query_qp(pair->qp, &attr,
				     IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS, &init);
	if (rc)
		return agent_fail(agent, STAGE_QUEUES, rc, "ibv_query_qp");
	reply->state = attr.qp_state;
	reply->number = pair->qp->qp_num & 0xffffff;
	reply->mtu_bytes = mtu_bytes(attr.path_mtu);
	reply->inline_bytes = init.cap.max_inline_data;
	reply->access = (uint32_t)attr.qp_access_flags;
	return 0;
}

int agent_address(struct agent *agent, const struct message_address *order)
{
	struct agent_pair *pair = find_pair(agent, order->slot);
	struct ibv_ah_attr attr;

	if (!pair)
		return -EINVAL;
	fill_address(agent, &order->to, order->service_level, &attr);
	if (pair->ah)
		agent->api.ibv_destroy_ah(pair->ah);
	pair->ah = agent->api.ibv_create_ah(pair->qp->pd, &attr);
	if (!pair->ah)
		return agent_fail(agent, STAGE_CONNECT_QP, errno, "ibv_create_ah");
	return 0;
}
