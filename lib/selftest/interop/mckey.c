/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preparations for the datagrams of mckey: the group, and a queue pair in it. */
#include <errno.h>
#include <infiniband/ib.h>
#include <net/if.h>
#include <string.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/memory/pattern.h"
#include "selftest/agent/agent_cm.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop_cm.h"
#include "selftest/interop/mckey.h"

/* Time that mckey gives the switches to learn who is in the group. */
#define SWITCHES_MSEC 3000

/* ---- The group ---- */

static void group_address(const struct interop *session, struct sockaddr_storage *storage)
{
	const struct interop_group *group = &session->request->group;
	struct sockaddr_ib *address = (struct sockaddr_ib *)storage;

	memset(storage, 0, sizeof(*storage));
	if (group->ip.family) {
		socket_address(&group->ip, if_nametoindex(session->local->netdev), 0, storage);
		return;
	}
	address->sib_family = AF_IB;
	memcpy(&address->sib_addr, group->gid.raw, sizeof(group->gid.raw));
}

static int join(struct mckey *run)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;
	struct agent_qp *qp = &agent->qps[INTEROP_QP];
	const uint32_t flags = session->request->group.send_only
				       ? RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER
				       : RDMA_MC_JOIN_FLAG_FULLMEMBER;

	if (!session->local->ip.family)
		return interop_fail(session, LIST_INTEROP_NO_IP, 0, NULL);
	group_address(session, &qp->group_address);
	return agent_cm_join(agent, qp, flags, session->timeout_msec, &run->joined)
		       ? interop_fail_agent(session)
		       : 0;
}

/* ---- The queue pair ---- */

/* mckey -l, which not all devices support. Replaces the agent's queue pair. */
static int block_loopback(struct interop *session)
{
	struct agent *agent = session->agent;
	struct ibv_qp *old = agent->qps[INTEROP_QP].qp, *qp;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UD,
		.send_cq = old->send_cq,
		.recv_cq = old->recv_cq,
		.sq_sig_all = 1,
		.cap = {.max_send_wr = session->depth,
			.max_recv_wr = session->depth,
			.max_send_sge = 1,
			.max_recv_sge = 1},
		.comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_PD,
		.pd = old->pd,
		.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB,
	};

	qp = agent_create_qp(agent, &attr);
	if (!qp)
		return interop_fail(session, LIST_INTEROP_LOOPBACK, errno, NULL);
	agent->api.ibv_destroy_qp(old);
	agent->qps[INTEROP_QP].qp = qp;
	return 0;
}

static int make(struct mckey *run)
{
	struct interop *session = run->session;
	struct message_qp_created created;

	if (interop_make_qp(session, INTEROP_QP, &created) ||
	    interop_make_buffers(session, session->iterations * interop_place_bytes(session),
				 ACCESS_LOCAL))
		return -EIO;
	pattern_fill(session->sent, 0, session->bytes, 0);
	session->send.opcode = IBV_WR_SEND_WITH_IMM;
	return session->request->group.no_loopback ? block_loopback(session) : 0;
}

/* Moves the queue pair to RTS; a receiver also attaches it to the group. */
static int start(struct mckey *run)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;
	struct agent_qp *qp = &agent->qps[INTEROP_QP];
	struct message_modify order = {
		.slot = INTEROP_QP,
		.state = IBV_QPS_INIT,
		.qkey = run->joined.group_qkey,
	};
	const union ibv_gid *gid = &qp->group_path.grh.dgid;
	int rc;

	memcpy(session->remote.gid.raw, gid->raw, sizeof(gid->raw));
	for (; order.state <= IBV_QPS_RTS; order.state++) {
		if (agent_modify(agent, &order))
			return interop_fail_agent(session);
		if (order.state == IBV_QPS_INIT && session->server &&
		    interop_post_receives(session, session->iterations))
			return -EIO;
	}
	qp->connected = true;
	if (session->server) {
		rc = agent->api.ibv_attach_mcast(qp->qp, gid, qp->group_path.dlid);
		errno = rc;
		return rc ? interop_fail_cm(session, "ibv_attach_mcast") : 0;
	}
	qp->ah = agent->api.ibv_create_ah(qp->qp->pd, &qp->group_path);
	if (!qp->ah)
		return interop_fail_at(session, STAGE_CONNECT_QP, errno);
	session->send.wr.ud.ah = qp->ah;
	session->send.wr.ud.remote_qpn = run->joined.group_qpn;
	session->send.wr.ud.remote_qkey = run->joined.group_qkey;
	return 0;
}

/* Only InfiniBand has groups without an IP address: RoCE derives group GIDs from IP addresses. */
static int check_group(struct interop *session)
{
	const bool infiniband = session->local->link_layer == LINK_LAYER_INFINIBAND;

	return session->request->group.ip.family || infiniband
		       ? 0
		       : interop_fail(session, LIST_INTEROP_UNMAPPED, 0, NULL);
}

static int prepare(struct mckey *run)
{
	int rc = check_group(run->session);

	if (!rc)
		rc = make(run);
	if (!rc)
		rc = join(run);
	return rc ? rc : start(run);
}

static void run_client(struct interop *session)
{
	struct mckey run = {.session = session};

	if (prepare(&run) || mckey_pause(&run, SWITCHES_MSEC) || mckey_send(&run))
		return;
	interop_remark(session, "sent; only the receiver knows what arrived: mckey there ends when "
				"it has received all");
	watch_wait(&session->agent->watch, -1, INTEROP_LINGER_MSEC);
}

/* Serves one sender; the group is joined again for each. */
static int serve(struct interop *session)
{
	struct mckey run = {.session = session};
	int rc = prepare(&run);

	if (rc)
		return rc;
	interop_say(session, "waiting for datagrams of mckey; on the other host: %s",
		    session->command);
	mckey_receive(&run);
	interop_release(session);
	agent_cm_release(session->agent);
	if (session->row)
		interop_row_end(session);
	return 0;
}

static void run(struct interop *session)
{
	int rc = 0;

	if (!session->server)
		run_client(session);
	while (session->server && !rc && !interop_is_over(session)) {
		rc = serve(session);
		if (session->request->once)
			break;
	}
}

const struct interop_role mckey_role = {
	.test = "mckey",
	.program = "mckey",
	.client_summary = "datagrams to a multicast group, where mckey receives",
	.server_summary = "datagrams that mckey sends to a multicast group",
	.connection = CONNECTION_CM,
	.kind = QP_UD,
	.all_at_once = true,
	.bytes = 100,
	.most_bytes = 256,
	.iterations = 10,
	.command = mckey_command,
	.run = run,
};
