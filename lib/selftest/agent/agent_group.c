/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "selftest/diagnosis/diagnosis.h"
#include "selftest/agent/agent_cm.h"

static int join(struct agent *agent, struct agent_pair *pair, const struct message_join *order,
		struct cm_news *news)
{
	uint64_t end = clock_nsec() + order->timeout_msec * 1000000ull;
	struct sockaddr_storage from;
	int rc;

	agent_cm_address(agent, &agent->endpoint.ip, 0, &from);
	agent_cm_address(agent, &order->group, 0, &pair->group_address);
	if (agent->api.rdma_create_id(agent->cm, &pair->group, NULL, RDMA_PS_UDP))
		return agent_cm_fail(agent, "rdma_create_id");
	if (agent->api.rdma_bind_addr(pair->group, (struct sockaddr *)&from))
		return agent_cm_fail(agent, "rdma_bind_addr");
	rc = agent->api.rdma_resolve_addr(pair->group, (struct sockaddr *)&from,
					  (struct sockaddr *)&pair->group_address, RESOLVE_MSEC)
		     ? agent_cm_fail(agent, "rdma_resolve_addr")
		     : agent_cm_await(agent, pair->group, RDMA_CM_EVENT_ADDR_RESOLVED,
				      RDMA_CM_EVENT_ADDR_RESOLVED, end, news);
	if (rc)
		return rc;
	if (agent->api.rdma_join_multicast(pair->group, (struct sockaddr *)&pair->group_address,
					   NULL))
		return agent_cm_fail(agent, "rdma_join_multicast");
	return agent_cm_await(agent, pair->group, RDMA_CM_EVENT_MULTICAST_JOIN,
			      RDMA_CM_EVENT_MULTICAST_JOIN, end, news);
}

int agent_join(struct agent *agent, const struct message_join *order, struct message_joined *reply)
{
	struct agent_pair *pair = &agent->pairs[order->slot];
	union ibv_gid gid;
	struct cm_news news;
	int rc;

	if (!pair->qp || pair->kind != PAIR_UD || pair->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u cannot join", order->slot);
	rc = agent_cm_open(agent);
	if (!rc && agent->endpoint.ip.family != order->group.family)
		rc = agent_fail(agent, STAGE_CM, EAFNOSUPPORT, "no address of the group's family");
	if (!rc)
		rc = join(agent, pair, order, &news);
	if (rc)
		return rc;
	memcpy(&gid, &news.group.grh.dgid, sizeof(gid));
	memcpy(pair->group_gid.raw, gid.raw, sizeof(gid.raw));
	pair->group_lid = news.group.dlid;
	rc = agent->api.ibv_attach_mcast(pair->qp, &gid, pair->group_lid);
	if (rc)
		return agent_fail(agent, STAGE_CM, rc, "ibv_attach_mcast");
	pair->connected = true;
	*reply = (struct message_joined){
		.gid = pair->group_gid,
		.lid = pair->group_lid,
		.qkey = news.group_qkey,
		.number = news.group_number & 0xffffff,
	};
	return 0;
}

int agent_leave(struct agent *agent, const struct message_leave *order)
{
	struct agent_pair *pair = &agent->pairs[order->slot];
	union ibv_gid gid;

	if (!pair->group)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u is in no group",
				    order->slot);
	memcpy(gid.raw, pair->group_gid.raw, sizeof(gid.raw));
	if (pair->connected) {
		agent->api.ibv_detach_mcast(pair->qp, &gid, pair->group_lid);
		agent->api.rdma_leave_multicast(pair->group,
						(struct sockaddr *)&pair->group_address);
	}
	pair->connected = false;
	agent->api.rdma_destroy_id(pair->group);
	pair->group = NULL;
	return 0;
}
