/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups: an agent joins and leaves them through librdmacm. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"

/*
 * On InfiniBand a group has the P_Key of the netdev that owns the address, wherever that is in the
 * port's table: cma_join_ib_multicast(), cma_ib_init_qp_attr(), drivers/infiniband/core/cma.c.
 */
static int find_pkey(struct agent *agent, struct agent_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT};
	int mask = 0;

	qp->group_pkey_index = agent->pkey_index;
	if (agent->endpoint.link_layer != LINK_LAYER_INFINIBAND)
		return 0;
	if (agent->api.rdma_init_qp_attr(qp->group, &attr, &mask))
		return agent_cm_fail(agent, "rdma_init_qp_attr");
	qp->group_pkey_index = attr.pkey_index;
	return 0;
}

/* A queue pair that already has another P_Key only changes it on the way from RESET to RTS. */
static int take_pkey(struct agent *agent, struct agent_qp *qp, const struct cm_news *news)
{
	struct message_modify order = {.state = IBV_QPS_RESET, .qkey = news->group_qkey};
	int rc = 0;

	if (qp->group_pkey_index == agent->pkey_index)
		return 0;
	for (; order.state <= IBV_QPS_RTS && !rc; order.state++)
		rc = agent_qp_modify(agent, qp, &order);
	return rc;
}

int agent_cm_join(struct agent *agent, struct agent_qp *qp, uint32_t flags, uint32_t timeout_msec,
		  struct cm_news *news)
{
	const uint64_t end = clock_nsec() + timeout_msec * 1000000ull;
	struct sockaddr *to = (struct sockaddr *)&qp->group_address;
	struct rdma_cm_join_mc_attr_ex how = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = flags,
		.addr = to,
	};
	struct sockaddr_storage own;
	struct sockaddr *from = (struct sockaddr *)&own;
	int rc = agent_cm_open(agent);

	if (rc)
		return rc;
	agent_cm_address(agent, &agent->endpoint.ip, 0, &own);
	if (agent->api.rdma_create_id(agent->cm, &qp->group, NULL, RDMA_PS_UDP))
		return agent_cm_fail(agent, "rdma_create_id");
	if (agent_cm_set_tos(agent, qp->group))
		return agent_cm_fail(agent, "rdma_set_option");
	if (agent->api.rdma_bind_addr(qp->group, from))
		return agent_cm_fail(agent, "rdma_bind_addr");
	if (to->sa_family == AF_INET || to->sa_family == AF_INET6) {
		if (agent->api.rdma_resolve_addr(qp->group, from, to, CM_RESOLVE_MSEC))
			return agent_cm_fail(agent, "rdma_resolve_addr");
		rc = agent_cm_await(agent, qp->group, RDMA_CM_EVENT_ADDR_RESOLVED, end, news);
	}
	if (rc)
		return rc;
	if (agent->api.rdma_join_multicast_ex(qp->group, &how, NULL))
		return agent_cm_fail(agent, "rdma_join_multicast");
	rc = agent_cm_await(agent, qp->group, RDMA_CM_EVENT_MULTICAST_JOIN, end, news);
	if (rc)
		return rc;
	qp->group_path = news->group;
	return find_pkey(agent, qp);
}

int agent_join(struct agent *agent, const struct message_join *order, struct message_joined *reply)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	const struct ibv_ah_attr *path = &qp->group_path;
	struct cm_news news;
	int rc;

	if (!qp->qp || qp->kind != QP_UD || qp->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u cannot join", order->slot);
	if (guard_group(agent, &order->group))
		return -EINVAL;
	if (agent->endpoint.ip.family != order->group.family)
		return agent_fail(agent, STAGE_CM, EAFNOSUPPORT,
				  "no address of the group's family");
	agent_cm_address(agent, &order->group, 0, &qp->group_address);
	rc = agent_cm_join(agent, qp, RDMA_MC_JOIN_FLAG_FULLMEMBER, order->timeout_msec, &news)
		     ?: take_pkey(agent, qp, &news);
	if (rc)
		return rc;
	rc = agent->api.ibv_attach_mcast(qp->qp, &path->grh.dgid, path->dlid);
	if (rc)
		return agent_fail(agent, STAGE_CM, rc, "ibv_attach_mcast");
	qp->connected = true;
	*reply = (struct message_joined){
		.lid = path->dlid,
		.qkey = news.group_qkey,
		.qpn = news.group_qpn & 0xffffff,
	};
	memcpy(reply->gid.raw, path->grh.dgid.raw, sizeof(reply->gid.raw));
	return 0;
}

int agent_leave(struct agent *agent, const struct message_leave *order)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	const struct ibv_ah_attr *path = &qp->group_path;

	if (!qp->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u is in no group",
				    order->slot);
	if (qp->connected) {
		agent->api.ibv_detach_mcast(qp->qp, &path->grh.dgid, path->dlid);
		agent->api.rdma_leave_multicast(qp->group, (struct sockaddr *)&qp->group_address);
	}
	qp->connected = false;
	agent->api.rdma_destroy_id(qp->group);
	qp->group = NULL;
	return 0;
}
