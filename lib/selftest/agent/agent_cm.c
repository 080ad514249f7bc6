/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"
#include "selftest/agent/watch.h"

int agent_cm_fail(struct agent *agent, const char *what)
{
	return agent_fail(agent, STAGE_CM, errno, "%s", what);
}

#define CM_FILE "/dev/infiniband/rdma_cm"

/*
 * librdmacm that may not open its device file looks for another one, and its error is that there is
 * none: open_cdev(), util/open_cdev.c of rdma-core.
 */
static int channel_error(int error)
{
	return access(CM_FILE, R_OK | W_OK) && errno == EACCES ? EACCES : error;
}

int agent_cm_open(struct agent *agent)
{
	int rc = api_open_cm(&agent->api);

	if (rc)
		return agent_fail(agent, STAGE_LIBRARY, -rc, "librdmacm");
	if (agent->cm)
		return 0;
	agent->cm = agent->api.rdma_create_event_channel();
	if (!agent->cm) {
		errno = channel_error(errno);
		return agent_cm_fail(agent, "rdma_create_event_channel");
	}
	fcntl(agent->cm->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

void agent_cm_release(struct agent *agent)
{
	if (agent->listener)
		agent->api.rdma_destroy_id(agent->listener);
	if (agent->cm)
		agent->api.rdma_destroy_event_channel(agent->cm);
	agent->listener = NULL;
	agent->cm = NULL;
}

void agent_cm_address(const struct agent *agent, const struct ip_address *ip, uint32_t port,
		      struct sockaddr_storage *storage)
{
	uint32_t scope = ip_is_link_local(ip) ? if_nametoindex(agent->endpoint.netdev) : 0;

	socket_address(ip, scope, port, storage);
}

/* Checking the watch takes two system calls, so not for each of many events. */
#define LOOK_NSEC 10000000u

/*
 * Takes the next event, of any kind; the caller acknowledges it. The watch is also checked while
 * events come, so that strangers' requests cannot delay the end of the wait.
 */
static int next_event(struct agent *agent, uint64_t end_nsec, struct rdma_cm_event **ret_event)
{
	for (;;) {
		const uint64_t now = clock_nsec();
		enum stop stop = now < end_nsec ? STOP_NONE : STOP_TIMED_OUT;

		if (!stop && now - agent->looked_nsec >= LOOK_NSEC) {
			stop = watch_look(&agent->watch);
			agent->looked_nsec = now;
		}
		if (!stop) {
			if (!agent->api.rdma_get_cm_event(agent->cm, ret_event))
				return 0;
			if (errno != EAGAIN && errno != EINTR)
				return agent_cm_fail(agent, "rdma_get_cm_event");
			stop = watch_wait(&agent->watch, agent->cm->fd,
					  (int)((end_nsec - now) / 1000000) + 1);
		}
		if (stop)
			return agent_fail(agent, STAGE_CM, -watch_error(stop), "rdma_get_cm_event");
	}
}

static void note_event(const struct rdma_cm_event *event, struct cm_news *news)
{
	*news = (struct cm_news){
		.type = event->event,
		.id = event->id,
		.listener = event->listen_id,
		.status = event->status,
	};
	if (event->event == RDMA_CM_EVENT_MULTICAST_JOIN) {
		news->group = event->param.ud.ah_attr;
		news->group_qkey = event->param.ud.qkey;
		news->group_qpn = event->param.ud.qp_num;
	} else if (event->param.conn.private_data &&
		   event->param.conn.private_data_len >= sizeof(uint32_t)) {
		memcpy(&news->cookie, event->param.conn.private_data, sizeof(uint32_t));
		news->cookie = ntohl(news->cookie);
	}
}

int agent_cm_next(struct agent *agent, uint64_t end_nsec, struct cm_news *news)
{
	struct rdma_cm_event *event;
	int rc = next_event(agent, end_nsec, &event);

	if (rc)
		return rc;
	note_event(event, news);
	agent->api.rdma_ack_cm_event(event);
	return 0;
}

void agent_cm_turn_away(struct agent *agent, struct rdma_cm_id *id)
{
	agent->api.rdma_reject(id, NULL, 0);
	agent->api.rdma_destroy_id(id);
}

int agent_cm_fail_event(struct agent *agent, const struct cm_news *news)
{
	agent_fail(agent, STAGE_CM, news->status < 0 ? -news->status : ECONNREFUSED,
		   "rdma_get_cm_event");
	agent->refused.cm_event = news->type;
	agent->refused.cm_status = (uint32_t)news->status;
	return -(int)agent->refused.error;
}

int agent_cm_await(struct agent *agent, struct rdma_cm_id *id, enum rdma_cm_event_type type,
		   uint64_t end_nsec, struct cm_news *news)
{
	for (;;) {
		int rc = agent_cm_next(agent, end_nsec, news);

		if (rc)
			return rc;
		if (news->type == RDMA_CM_EVENT_CONNECT_REQUEST)
			agent_cm_turn_away(agent, news->id);
		else if (news->id == id)
			return news->type == type ? 0 : agent_cm_fail_event(agent, news);
	}
}

int agent_cm_check_device(struct agent *agent, const struct rdma_cm_id *id)
{
	const char *name = id->verbs ? id->verbs->device->name : "";

	if (!name[0] || !strcmp(name, agent->endpoint.device))
		return 0;
	return agent_fail(agent, STAGE_CM, EXDEV, "%s", name);
}

int agent_cm_listen(struct agent *agent, const struct ip_address *ip, uint32_t port, int backlog)
{
	struct sockaddr_storage address;
	int rc = agent_cm_open(agent);

	if (rc)
		return rc;
	if (agent->listener) {
		agent->api.rdma_destroy_id(agent->listener);
		agent->listener = NULL;
	}
	if (!ip->family)
		return agent_fail(agent, STAGE_CM, EADDRNOTAVAIL, "no address to listen on");
	agent_cm_address(agent, ip, port, &address);
	if (agent->api.rdma_create_id(agent->cm, &agent->listener, NULL, RDMA_PS_TCP))
		return agent_cm_fail(agent, "rdma_create_id");
	if (agent->api.rdma_bind_addr(agent->listener, (struct sockaddr *)&address))
		return agent_cm_fail(agent, "rdma_bind_addr");
	rc = agent_cm_check_device(agent, agent->listener);
	if (!rc && agent->api.rdma_listen(agent->listener, backlog))
		rc = agent_cm_fail(agent, "rdma_listen");
	return rc;
}

int agent_listen(struct agent *agent, const struct message_none *order,
		 struct message_listening *reply)
{
	int rc = agent_cm_listen(agent, &agent->endpoint.ip, 0, CM_BACKLOG);

	(void)order;
	if (rc)
		return rc;
	reply->ip = agent->endpoint.ip;
	reply->port = ntohs(agent->api.rdma_get_src_port(agent->listener));
	return 0;
}

int agent_cm_modify(struct agent *agent, struct agent_qp *qp, enum ibv_qp_state state,
		    uint32_t max_rd_atomic)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask = 0;
	int rc;

	if (agent->api.rdma_init_qp_attr(qp->cm_id, &attr, &mask))
		return agent_cm_fail(agent, "rdma_init_qp_attr");
	if (state == IBV_QPS_INIT)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	if (state == IBV_QPS_INIT && agent->limits.atomic_cap != IBV_ATOMIC_NONE)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_ATOMIC;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		attr.max_dest_rd_atomic = (uint8_t)max_rd_atomic;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		attr.max_rd_atomic = (uint8_t)max_rd_atomic;
	if (guard_connection(agent, &attr, mask))
		return -EINVAL;
	rc = agent->api.ibv_modify_qp(qp->qp, &attr, mask);
	if (rc)
		return agent_fail(agent, STAGE_CONNECT_QP, rc, "ibv_modify_qp");
	agent_note_told(agent, qp, &attr, mask);
	return 0;
}

int agent_cm_modify_to_rts(struct agent *agent, struct agent_qp *qp, uint32_t max_rd_atomic)
{
	/* An iWARP connection moves the queue pair from IDLE to RTS. */
	if (agent->endpoint.transport == TRANSPORT_IWARP)
		return 0;
	return agent_cm_modify(agent, qp, IBV_QPS_RTR, max_rd_atomic)
		       ?: agent_cm_modify(agent, qp, IBV_QPS_RTS, max_rd_atomic);
}

int agent_cm_set_tos(struct agent *agent, struct rdma_cm_id *id)
{
	uint8_t tos = (uint8_t)agent->path.traffic_class;

	if (!tos && !agent->has_class)
		return 0;
	return agent->api.rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos,
					  sizeof(tos));
}

int agent_cm_resolve(struct agent *agent, struct agent_qp *qp, const struct ip_address *ip,
		     uint32_t port)
{
	struct sockaddr_storage from, to;

	agent_cm_address(agent, &agent->endpoint.ip, 0, &from);
	agent_cm_address(agent, ip, port, &to);
	if (agent->api.rdma_create_id(agent->cm, &qp->cm_id, qp, RDMA_PS_TCP))
		return agent_cm_fail(agent, "rdma_create_id");
	if (agent_cm_set_tos(agent, qp->cm_id))
		return agent_cm_fail(agent, "rdma_set_option");
	if (agent->api.rdma_resolve_addr(qp->cm_id, (struct sockaddr *)&from,
					 (struct sockaddr *)&to, CM_RESOLVE_MSEC))
		return agent_cm_fail(agent, "rdma_resolve_addr");
	return 0;
}

int agent_cm_resolve_route(struct agent *agent, struct agent_qp *qp)
{
	int rc = agent_cm_check_device(agent, qp->cm_id);

	if (!rc && agent->api.rdma_resolve_route(qp->cm_id, CM_RESOLVE_MSEC))
		rc = agent_cm_fail(agent, "rdma_resolve_route");
	return rc;
}

int agent_disconnect(struct agent *agent, const struct message_disconnect *order)
{
	uint64_t end = clock_nsec() + order->timeout_msec * 1000000ull;
	struct agent_qp *qp = &agent->qps[order->slot];
	struct cm_news news;

	if (!qp->cm_id || !qp->connected)
		return agent_refuse(agent, REFUSAL_ORDER, "queue pair %u is not connected",
				    order->slot);
	qp->connected = false;
	if (order->active && agent->api.rdma_disconnect(qp->cm_id))
		return agent_cm_fail(agent, "rdma_disconnect");
	return agent_cm_await(agent, qp->cm_id, RDMA_CM_EVENT_DISCONNECTED, end, &news);
}
