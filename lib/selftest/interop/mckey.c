/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mckey of rdma-core, as its receiver (the server here) and its sender: both join a multicast group
 * through librdmacm; the sender sends a number of datagrams, each once, and leaves.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/ib.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/agent/agent_cm.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop_cm.h"

/* Time that mckey gives the switches to learn who is in the group. */
#define SWITCHES_MSEC 3000

/* How often a receiver looks for the first datagram. */
#define FIRST_LOOK_MSEC 20

/* Over IPv4, RoCE v2 has its IPv4 header in the last 20 bytes: IBTA annex A17, A17.4.5.2. */
#define GRH_IPV4_SOURCE 32
#define GRH_SOURCE	8

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

static int join(struct interop *session, struct cm_news *ret_joined)
{
	struct agent *agent = session->agent;
	struct agent_qp *qp = &agent->qps[INTEROP_QP];
	const uint32_t flags = session->request->group.send_only
				       ? RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER
				       : RDMA_MC_JOIN_FLAG_FULLMEMBER;

	if (!session->local->ip.family)
		return interop_fail(session, LIST_INTEROP_NO_IP, 0);
	group_address(session, &qp->group_address);
	return agent_cm_join(agent, qp, flags, session->timeout_msec, ret_joined)
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
		return interop_fail(session, LIST_INTEROP_LOOPBACK, errno);
	agent->api.ibv_destroy_qp(old);
	agent->qps[INTEROP_QP].qp = qp;
	return 0;
}

/* Moves the queue pair to RTS; a receiver also attaches it to the group. */
static int start(struct interop *session, const struct cm_news *joined)
{
	struct agent *agent = session->agent;
	struct agent_qp *qp = &agent->qps[INTEROP_QP];
	struct message_modify order = {
		.slot = INTEROP_QP,
		.state = IBV_QPS_INIT,
		.qkey = joined->group_qkey,
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
		if (rc)
			agent_fail(agent, STAGE_CM, rc, "ibv_attach_mcast");
		return rc ? interop_fail_agent(session) : 0;
	}
	qp->ah = agent->api.ibv_create_ah(qp->qp->pd, &qp->group_path);
	if (!qp->ah)
		return interop_fail_at(session, STAGE_CONNECT_QP, errno);
	session->send.wr.ud.ah = qp->ah;
	session->send.wr.ud.remote_qpn = joined->group_qpn;
	session->send.wr.ud.remote_qkey = joined->group_qkey;
	return 0;
}

/* Makes the queue pair and the buffers, joins the group, and readies the queue pair for it. */
static int prepare(struct interop *session)
{
	const bool infiniband = session->local->link_layer == LINK_LAYER_INFINIBAND;
	const struct interop_group *group = &session->request->group;
	const uint64_t bytes = session->iterations * interop_place_bytes(session);
	struct cm_news joined;

	/* RoCE derives the GIDs of groups from IP addresses. */
	if (!group->ip.family && !infiniband)
		return interop_fail(session, LIST_INTEROP_UNMAPPED, 0);
	if (interop_make_qp(session, INTEROP_QP) ||
	    interop_make_buffers(session, bytes, ACCESS_LOCAL))
		return -EIO;
	pattern_fill(session->sent, 0, session->bytes, 0);
	session->send.opcode = IBV_WR_SEND_WITH_IMM;
	if ((group->no_loopback && block_loopback(session)) || join(session, &joined) ||
	    start(session, &joined))
		return -EIO;
	return 0;
}

/* ---- The datagrams ---- */

/* An event that does not concern the port does not end the pause. */
int mckey_pause(struct interop *session, unsigned int msec)
{
	struct watch *watch = &session->agent->watch;
	const uint64_t end = clock_msec() + msec;
	enum stop stop = STOP_NONE;

	while (!stop && !watch->port_down)
		stop = watch_wait(watch, -1, clock_msec_until(end));
	return stop == STOP_TIMED_OUT ? 0 : interop_fail_stop(session, stop);
}

static int send_all(struct interop *session)
{
	struct ibv_wc wc;

	session->send.imm_data = htonl(session->agent->qps[INTEROP_QP].qp->qp_num);
	for (uint64_t i = 0; i < session->iterations; i++)
		if (interop_post_send(session, INTEROP_QP, &session->send))
			return -EIO;
	while (session->done < session->iterations) {
		const int rc = interop_next_success(session, &wc);

		if (rc)
			return rc;
		session->done++;
	}
	return 0;
}

int mckey_send(struct interop *session)
{
	int rc = interop_run_begin(session, -1);

	return rc ? rc : interop_run_end(session, send_all(session));
}

static void sender_of(const struct interop *session, const uint8_t *grh,
		      struct sockaddr_storage *ret)
{
	const struct endpoint *local = session->local;
	struct ip_address ip = {.family = AF_INET};
	struct gid gid;

	memcpy(gid.raw, grh + GRH_SOURCE, sizeof(gid.raw));
	if (local->gid_type == GID_TYPE_ROCE_V2 && gid_is_ipv4_mapped(&local->gid))
		memcpy(ip.raw, grh + GRH_IPV4_SOURCE, sizeof(struct in_addr));
	else
		ip = gid_to_ip(&gid);
	socket_address(&ip, 0, 0, ret);
}

static int take(struct interop *session, const struct ibv_wc *wc)
{
	struct sockaddr_storage sender;

	if (!session->row) {
		sender_of(session, session->received - DATAGRAM_HEADER_BYTES, &sender);
		interop_client_came(session, &sender);
	}
	if (wc->status != IBV_WC_SUCCESS)
		return interop_fail_status(session, wc);
	if (interop_check_length(session, wc->byte_len - DATAGRAM_HEADER_BYTES))
		return -EIO;
	session->done++;
	return 0;
}

/*
 * After RDMA_CM_EVENT_MULTICAST_ERROR the kernel has ended the membership (process_group_error() in
 * drivers/infiniband/core/multicast.c), and no more datagrams come: rdma_get_cm_event(3).
 */
static int look_at_group(struct interop *session)
{
	struct agent *agent = session->agent;
	struct cm_news news;
	int rc = agent_cm_next(agent, clock_nsec() + FIRST_LOOK_MSEC * 1000000ull, &news);

	if (!rc && news.type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		agent->watch.device_gone = true;
	if (interop_is_over(session))
		return -ECANCELED;
	if (rc)
		return rc == -ETIMEDOUT ? 0 : interop_fail_agent(session);
	return news.type == RDMA_CM_EVENT_MULTICAST_ERROR
		       ? interop_fail(session, LIST_INTEROP_MEMBERSHIP, 0)
		       : 0;
}

static int await_first(struct interop *session)
{
	struct ibv_wc wc;
	int got, rc;

	while (!(got = ibv_poll_cq(session->agent->cqs[INTEROP_CQ].cq, 1, &wc))) {
		rc = look_at_group(session);
		if (rc)
			return rc;
	}
	if (got < 0)
		wc = (struct ibv_wc){.status = IBV_WC_FATAL_ERR};
	return take(session, &wc);
}

static int receive_rest(struct interop *session)
{
	struct ibv_wc wc;
	int rc = 0;

	if (interop_run_begin(session, -1))
		return -EIO;
	while (!rc && session->done < session->iterations)
		rc = interop_next_completion(session, &wc) ? -ECANCELED : take(session, &wc);
	if (rc == -ECANCELED && atomic_load(&session->agent->watch.stop) == STOP_TIMED_OUT)
		rc = interop_fail(session, LIST_INTEROP_UNSENT, 0);
	return interop_run_end(session, rc);
}

int mckey_receive(struct interop *session)
{
	int rc = await_first(session);

	if (!rc)
		return receive_rest(session);
	if (rc == -ECANCELED && session->agent->watch.device_gone)
		return interop_fail_stop(session, STOP_NONE);
	return rc;
}

/* Serves one sender; the group is joined again for each. Returns false if that is not possible. */
static bool serve(struct interop *session)
{
	if (prepare(session))
		return false;
	interop_say(session, "waiting for datagrams of mckey; on the other host: %s",
		    session->command);
	mckey_receive(session);
	interop_release(session);
	agent_cm_release(session->agent);
	if (session->row)
		interop_row_end(session);
	return true;
}

static void run(struct interop *session)
{
	while (session->server)
		if (interop_is_over(session) || !serve(session) || session->request->once)
			return;
	if (prepare(session) || mckey_pause(session, SWITCHES_MSEC) || mckey_send(session))
		return;
	interop_remark(session, "sent; only the receiver knows what arrived: mckey there ends when "
				"it has received all");
	watch_wait(&session->agent->watch, -1, INTEROP_LINGER_MSEC);
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
