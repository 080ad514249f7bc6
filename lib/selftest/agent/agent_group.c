/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups: an agent joins and leaves them through librdmacm. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"

static int join(struct agent *agent, struct agent_qp *qp, const struct message_join *order,
		struct cm_news *news)
{
	uint64_t end = clock_nsec() + order->timeout_msec * 1000000ull;
	struct sockaddr_storage from;
	int rc;

	agent_cm_address(agent, &agent->endpoint.ip, 0, &from);
	agent_cm_address(agent, &order->group, 0, &qp->group_address);
	if (agent->api.rdma_create_id(agent->cm, &qp->group, NULL, RDMA_PS_UDP))
		return agent_cm_fail(agent, "rdma_create_id");
	if (agent_cm_set_tos(agent, qp->group))
		return agent_cm_fail(agent, "rdma_set_option");
	if (agent->api.rdma_bind_addr(qp->group, (struct sockaddr *)&from))
		return agent_cm_fail(agent, "rdma_bind_addr");
	rc = agent->api.rdma_resolve_addr(qp->group, (struct sockaddr *)&from,
					  (struct sockaddr *)&qp->group_address, CM_RESOLVE_MSEC)
		     ? agent_cm_fail(agent, "rdma_resolve_addr")
		     : agent_cm_await(agent, qp->group, RDMA_CM_EVENT_ADDR_RESOLVED, end, news);
	if (rc)
		return rc;
	if (agent->api.rdma_join_multicast(qp->group, (struct sockaddr *)&qp->group_address, NULL))
		return agent_cm_fail(agent, "rdma_join_multicast");
	return agent_cm_await(agent, qp->group, RDMA_CM_EVENT_MULTICAST_JOIN, end, news);
}

int agent_join(struct agent *agent, const struct message_join *order, struct message_joined *reply)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	union ibv_gid gid;
	struct cm_news news;
	int rc;

	if (!qp->qp || qp->kind != QP_UD || qp->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u cannot join", order->slot);
	if (guard_group(agent, &order->group))
		return -EINVAL;
	rc = agent_cm_open(agent);
	if (!rc && agent->endpoint.ip.family != order->group.family)
		rc = agent_fail(agent, STAGE_CM, EAFNOSUPPORT, "no address of the group's family");
	if (!rc)
		rc = join(agent, qp, order, &news);
	if (rc)
		return rc;
	memcpy(&gid, &news.group.grh.dgid, sizeof(gid));
	memcpy(qp->group_gid.raw, gid.raw, sizeof(gid.raw));
	qp->group_lid = news.group.dlid;
	rc = agent->api.ibv_attach_mcast(qp->qp, &gid, qp->group_lid);
	if (rc)
		return agent_fail(agent, STAGE_CM, rc, "ibv_attach_mcast");
	qp->connected = true;
	*reply = (struct message_joined){
		.gid = qp->group_gid,
		.lid = qp->group_lid,
		.qkey = news.group_qkey,
		.qpn = news.group_qpn & 0xffffff,
	};
	return 0;
}

int agent_leave(struct agent *agent, const struct message_leave *order)
{
	struct agent_qp *qp = &agent->qps[order->slot];
	union ibv_gid gid;

	if (!qp->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u is in no group",
				    order->slot);
	memcpy(gid.raw, qp->group_gid.raw, sizeof(gid.raw));
	if (qp->connected) {
		agent->api.ibv_detach_mcast(qp->qp, &gid, qp->group_lid);
		agent->api.rdma_leave_multicast(qp->group, (struct sockaddr *)&qp->group_address);
	}
	qp->connected = false;
	agent->api.rdma_destroy_id(qp->group);
	qp->group = NULL;
	return 0;
}
