/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/guard.h"

#include <inttypes.h>
#include <string.h>

#include "host/device.h"
#include "selftest/agent/agent.h"

/* Root may send with these Q_Keys, IBTA 1, 10.2.5: that of QP1 reaches the managers on any host. */
#define PRIVILEGED_QKEY 0x80000000u

/* A run of exactly the granted time also has a beginning and an end. */
#define RUN_GRACE_MSEC 2000u

/*
 * Whether packets go to the address that the TCP connection is with, which nobody else could have
 * opened. LIDs, a second network, and link-local GIDs, which another host may have on another link,
 * need a proof. The client may claim any kind of port: the packets are those of our own port.
 */
static bool is_address_of(const struct endpoint *near, const struct endpoint *peer,
			  const struct ip_address *client)
{
	const struct ip_address address = near->transport == TRANSPORT_IWARP
						  ? peer->ip
						  : gid_to_ip(&peer->gid);

	return near->link_layer != LINK_LAYER_INFINIBAND && address.family &&
	       !ip_is_link_local(&address) && ip_equal(&address, client);
}

int guard_open(struct agent *agent, const struct endpoint *peer)
{
	struct guard *guard = &agent->guard;

	if (guard->opened)
		return guard_destination(agent, peer);
	guard->opened = true;
	guard->peer = *peer;
	guard->proven = is_address_of(&agent->endpoint, peer, &guard->client);
	return 0;
}

static int refuse_stranger(struct agent *agent)
{
	return agent_refuse(agent, REFUSAL_ORDER, "this server sends only to its client's port");
}

int guard_destination(struct agent *agent, const struct endpoint *to)
{
	const struct guard *guard = &agent->guard;

	if (!guard->strict ||
	    (!memcmp(&to->gid, &guard->peer.gid, sizeof(to->gid)) && to->lid == guard->peer.lid))
		return 0;
	return refuse_stranger(agent);
}

int guard_ip(struct agent *agent, const struct ip_address *to)
{
	const struct guard *guard = &agent->guard;

	if (!guard->strict || ip_equal(to, &guard->client))
		return 0;
	return refuse_stranger(agent);
}

int guard_active(struct agent *agent)
{
	if (!agent->guard.strict)
		return 0;
	return agent_refuse(agent, REFUSAL_ORDER, "this server only accepts connections");
}

/* 239.255/16 has local scope (RFC 2365), ff1e::/16 is transient (RFC 4291): choose_group(). */
static bool is_test_group(const struct ip_address *group)
{
	const uint8_t *raw = group->raw;

	return (group->family == AF_INET && raw[0] == 239 && raw[1] == 255) ||
	       (group->family == AF_INET6 && raw[0] == 0xff && raw[1] == 0x1e);
}

/* A netdev that is in too many groups takes in all multicast packets. */
int guard_group(struct agent *agent, const struct ip_address *group)
{
	if (!agent->guard.strict)
		return 0;
	if (!is_test_group(group))
		return agent_refuse(
			agent, REFUSAL_ORDER,
			"this server joins only groups in 239.255.0.0/16 and ff1e::/16");
	for (size_t i = 0; i < agent->qp_end; i++)
		if (agent->qps[i].group)
			return agent_refuse(agent, REFUSAL_ORDER,
					    "this server joins one multicast group at a time");
	return 0;
}

static int refuse_management(struct agent *agent)
{
	return agent_refuse(agent, REFUSAL_ORDER,
			    "queue pairs 0 and 1, and Q_Keys from 0x80000000 on, are reserved for "
			    "management datagrams");
}

int guard_modify(struct agent *agent, const struct agent_qp *qp, const struct message_modify *order)
{
	if (!agent->guard.strict)
		return 0;
	if (qp->kind == QP_UD)
		return order->qkey & PRIVILEGED_QKEY ? refuse_management(agent) : 0;
	if (order->state == IBV_QPS_RTR)
		return order->qpn < 2 || (qp->kind == QP_XRC && qp->peer_qpn < 2)
			       ? refuse_management(agent)
			       : guard_destination(agent, &order->to);
	/* A port that never answers would get each packet again and again. */
	if (order->state == IBV_QPS_RTS && order->retries && !agent->guard.proven)
		return agent_refuse(agent, REFUSAL_ORDER,
				    "this server retransmits nothing to a port that is not proven "
				    "to be its client's");
	return 0;
}

/* With librdmacm, the other side of the connection chooses its GID itself. */
int guard_connection(struct agent *agent, struct ibv_qp_attr *attr, int mask)
{
	const struct guard *guard = &agent->guard;
	const struct ibv_ah_attr *to = &attr->ah_attr;
	struct gid gid;
	struct ip_address ip;

	if (!guard->strict)
		return 0;
	if (mask & IBV_QP_RETRY_CNT && !guard->proven)
		attr->retry_cnt = 0;
	if (!(mask & IBV_QP_AV) || (!to->is_global && to->dlid == guard->peer.lid))
		return 0;
	memcpy(gid.raw, to->grh.dgid.raw, sizeof(gid.raw));
	ip = gid_to_ip(&gid);
	if (to->is_global && (!memcmp(&gid, &guard->peer.gid, sizeof(gid)) ||
			      (ip.family && ip_equal(&ip, &guard->client))))
		return 0;
	return refuse_stranger(agent);
}

int guard_look(struct agent *agent)
{
	if (!agent->guard.strict || agent->guard.proven)
		return 0;
	return agent_refuse(
		agent, REFUSAL_ORDER,
		"this server reports what has arrived only to a client whose port is proven");
}

/* An unproven port only gets a few single packets. */
static int guard_packets(struct agent *agent, uint64_t count, uint64_t bytes)
{
	struct guard *guard = &agent->guard;
	const uint32_t mtu = agent->endpoint.mtu_bytes, most = mtu ? mtu : 256;

	if (guard->proven)
		return 0;
	if (count <= GUARD_MOST_UNPROVEN - guard->unproven && bytes <= most) {
		guard->unproven += (uint32_t)count;
		return 0;
	}
	return agent_refuse(agent, REFUSAL_ORDER,
			    "this server sends no more than %u packets to a port that is not "
			    "proven to be its client's",
			    GUARD_MOST_UNPROVEN);
}

int guard_post(struct agent *agent, const struct agent_qp *qp, const struct message_post *order)
{
	const bool asks = order->operation >= POST_READ; /* the bytes come from the other side */
	const uint64_t bytes = asks ? 0 : order->span.blocks * order->span.block_bytes;

	if (!agent->guard.strict)
		return 0;
	if (qp->kind == QP_UD && guard_target(agent, order->qpn, order->qkey))
		return -EINVAL;
	if (guard_unacknowledged(agent, qp, bytes))
		return -EINVAL;
	return guard_packets(agent, order->count, bytes);
}

int guard_target(struct agent *agent, uint32_t qpn, uint32_t qkey)
{
	return agent->guard.strict && (qpn < 2 || qkey & PRIVILEGED_QKEY) ? refuse_management(agent)
									  : 0;
}

int guard_unacknowledged(struct agent *agent, const struct agent_qp *qp, uint64_t bytes)
{
	if (!agent->guard.strict || agent_is_reliable(qp->kind) ||
	    bytes * qp->send_depth <= GUARD_MOST_UNACKNOWLEDGED)
		return 0;
	return agent_refuse(agent, REFUSAL_LIMIT,
			    "a queue of %" PRIu32 " messages of %" PRIu64
			    " bytes without acknowledgements",
			    qp->send_depth, bytes);
}

int guard_run(struct agent *agent, uint64_t msec)
{
	struct guard *guard = &agent->guard;

	if (!guard->strict)
		return 0;
	if (msec > guard->most_msec)
		return agent_refuse(agent, REFUSAL_LIMIT,
				    "a run of %" PRIu64 " ms, but this server grants %" PRIu64
				    " ms",
				    msec, guard->most_msec);
	agent->watch.most_msec = guard->most_msec + RUN_GRACE_MSEC;
	return guard_packets(agent, UINT32_MAX, 0);
}
