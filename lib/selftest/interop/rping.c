/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection with rping by librdmacm, as its client and server. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <string.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "selftest/interop/interop.h"
#include "selftest/agent/watch.h"

#define DISCONNECT_MSEC 2000u

/* How often a server that waits for clients checks that its device exists. */
#define SERVE_CHECK_MSEC 1000

static const struct interop_role rping_role = {
	.test = "rping",
	.program = "rping",
	.client_summary =
		"text that rping -s reads and writes back; the latency is that of a round",
	.server_summary = "text of rping -c read and written back; the latency is that of a read",
	.connection = CONNECTION_CM,
	.port = RPING_PORT,
	.bytes = 64,
	.most_bytes = RPING_MOST_BYTES,
	.iterations = 100,
	.client_transfers = 2,
	.server_transfers = 1,
	.command = rping_command,
};

static void queue_up(struct rping *run, struct rdma_cm_id *id)
{
	const struct api *api = &run->session->agent->api;

	if (run->waiting_count < RPING_MOST_WAITING) {
		run->waiting[run->waiting_count++] = id;
		return;
	}
	api->rdma_reject(id, NULL, 0);
	api->rdma_destroy_id(id);
}

/* The first waiting request, or that with the given id. */
static struct rdma_cm_id *take_waiting(struct rping *run, const struct rdma_cm_id *id)
{
	for (size_t i = 0; i < run->waiting_count; i++) {
		struct rdma_cm_id *found = run->waiting[i];

		if (id && found != id)
			continue;
		run->waiting_count--;
		memmove(&run->waiting[i], &run->waiting[i + 1],
			(run->waiting_count - i) * sizeof(*run->waiting));
		return found;
	}
	return NULL;
}

static void note_event(struct rping *run, struct rdma_cm_id *id, enum rdma_cm_event_type type,
		       int status)
{
	struct agent *agent = run->session->agent;

	if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		queue_up(run, id);
	} else if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		agent->watch.device_gone = true;
	} else if (id == run->id && type == RDMA_CM_EVENT_ESTABLISHED) {
		run->established = true;
	} else if (id == run->id && type != RDMA_CM_EVENT_TIMEWAIT_EXIT) {
		run->ended = true;
		run->end_event = type;
		run->end_status = status;
	} else {
		/* Any event about a waiting request means that it does not wait any more. */
		struct rdma_cm_id *gone = take_waiting(run, id);

		if (gone)
			agent->api.rdma_destroy_id(gone);
	}
}

void rping_read_events(struct rping *run)
{
	struct agent *agent = run->session->agent;
	struct rdma_cm_event *event;

	while (!agent->api.rdma_get_cm_event(agent->cm, &event)) {
		struct rdma_cm_id *id = event->id;
		enum rdma_cm_event_type type = event->event;
		int status = event->status;

		agent->api.rdma_ack_cm_event(event);
		note_event(run, id, type, status);
	}
}

enum stop rping_wait_event(struct rping *run, unsigned int msec)
{
	struct agent *agent = run->session->agent;
	uint64_t end = clock_raw_nsec() + msec * 1000000ull;
	const bool established = run->established;

	for (;;) {
		uint64_t now = clock_raw_nsec();
		enum stop stop;

		rping_read_events(run);
		if (run->ended || run->established != established)
			return STOP_NONE;
		if (now >= end)
			return STOP_TIMED_OUT;
		stop = watch_wait(&agent->watch, agent->cm->fd, (int)((end - now) / 1000000) + 1);
		if (stop == STOP_INTERRUPTED || stop == STOP_DEVICE_GONE)
			return stop;
	}
}

/* If the route uses another device, this one's queue pairs cannot be connected. */
static int check_device(struct interop *session, const struct rdma_cm_id *id)
{
	const char *found = id->verbs ? id->verbs->device->name : NULL;

	if (!found || !strcmp(found, session->local->device))
		return 0;
	return interop_fail(session, LIST_INTEROP_DEVICE, 0, text_clean(found, strlen(found)));
}

static void note_remote(struct interop *session, const struct rdma_cm_id *id)
{
	if (session->local->transport != TRANSPORT_IWARP)
		memcpy(session->remote.gid.raw, id->route.addr.addr.ibaddr.dgid.raw,
		       sizeof(session->remote.gid.raw));
}

static int client_connect(struct rping *run)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;
	const struct message_connect order = {
		.slot = INTEROP_QP,
		.ip = session->request->peer_ip,
		.port = session->port,
		.timeout_msec = session->timeout_msec,
		.max_rd_atomic = 1,
		.retries = 7,
		.rnr_retries = 7,
	};
	struct message_connected reply;
	int rc;

	memset(&agent->refused, 0, sizeof(agent->refused));
	rc = agent_connect(agent, &order, &reply);
	run->id = agent->qps[INTEROP_QP].cm_id;
	if (rc && run->id && check_device(session, run->id))
		return -EIO;
	if (rc)
		return interop_fail_agent(session);
	note_remote(session, run->id);
	return interop_post_receive(run->session);
}

int interop_rping_client(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results)
{
	struct interop session;
	struct rping run = {.session = &session};
	int rc = interop_begin(&session, &rping_role, false, request, local, results);

	if (!rc && session.bytes < RPING_LEAST_BYTES)
		rc = interop_fail(&session, LIST_INTEROP_BYTES, -1,
				  mem_format("%u", RPING_LEAST_BYTES));
	if (!rc)
		rc = rping_make(&run);
	if (!rc)
		rc = client_connect(&run);
	if (!rc)
		rc = rping_exchange(&run);
	if (!rc)
		agent_disconnect(session.agent, &(struct message_disconnect){
							.slot = INTEROP_QP,
							.active = 1,
							.timeout_msec = DISCONNECT_MSEC,
						});
	return interop_end(&session);
}

static int modify(struct rping *run, enum ibv_qp_state state)
{
	struct interop *session = run->session;
	const struct api *api = &session->agent->api;
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask = 0;
	int rc;

	if (api->rdma_init_qp_attr(run->id, &attr, &mask))
		return interop_fail_at(session, STAGE_CM, errno);
	/* The iWARP driver moves the queue pair, and there is nothing to set. */
	rc = mask ? api->ibv_modify_qp(session->agent->qps[INTEROP_QP].qp, &attr, mask) : 0;
	if (!rc)
		return 0;
	return interop_fail_at(session, STAGE_CONNECT_QP, rc);
}

static int accept_client(struct rping *run)
{
	struct interop *session = run->session;
	struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
		.qp_num = session->agent->qps[INTEROP_QP].qp->qp_num,
	};
	enum stop stop;

	if (modify(run, IBV_QPS_INIT) || interop_post_receive(run->session) ||
	    modify(run, IBV_QPS_RTR) || modify(run, IBV_QPS_RTS))
		return -EIO;
	if (session->agent->api.rdma_accept(run->id, &param))
		return interop_fail_at(session, STAGE_CM, errno);
	stop = rping_wait_event(run, session->timeout_msec);
	if (stop)
		return interop_diagnose(session, (struct diagnosis_facts){
							 .stage = STAGE_CM,
							 .stop = STOP_TIMED_OUT,
						 });
	/* If it has ended already, the rounds report that. */
	if (run->established)
		return 0;
	return interop_diagnose(session, (struct diagnosis_facts){
						 .stage = STAGE_CM,
						 .cm_event = number_of((uint64_t)run->end_event),
						 .cm_status = run->end_status,
					 });
}

/* Takes ownership of the id. */
static void serve_client(struct rping *run, struct rdma_cm_id *id)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;
	int rc;

	run->id = id;
	run->established = run->ended = run->sending = false;
	interop_client_came(session, &id->route.addr.dst_storage);
	note_remote(session, id);
	rc = check_device(session, id);
	if (!rc)
		rc = rping_make(run);
	if (!rc) {
		agent->qps[INTEROP_QP].cm_id = id;
		rc = accept_client(run);
	}
	if (!rc)
		rping_exchange(run);
	run->id = NULL;
	if (agent->qps[INTEROP_QP].cm_id != id) {
		agent->api.rdma_reject(id, NULL, 0);
		agent->api.rdma_destroy_id(id);
	}
	interop_release(session);
	interop_row_end(session);
}

static int start_listening(struct interop *session)
{
	struct agent *agent = session->agent;
	const struct ip_address *ip = session->request->bind.family ? &session->request->bind
								    : &session->local->ip;
	struct sockaddr_storage address;
	int rc = api_open_cm(&agent->api);

	if (rc)
		return interop_fail_at(session, STAGE_LIBRARY, -rc);
	if (!ip->family)
		return interop_fail(session, LIST_INTEROP_NO_IP, 0, NULL);
	socket_address(ip, if_nametoindex(session->local->netdev), session->port, &address);
	agent->cm = agent->api.rdma_create_event_channel();
	if (!agent->cm)
		return interop_fail_at(session, STAGE_CM, errno);
	fcntl(agent->cm->fd, F_SETFL, O_NONBLOCK);
	if (agent->api.rdma_create_id(agent->cm, &agent->listener, NULL, RDMA_PS_TCP) ||
	    agent->api.rdma_bind_addr(agent->listener, (struct sockaddr *)&address))
		return interop_fail_at(session, STAGE_CM, errno);
	if (check_device(session, agent->listener))
		return -ENODEV;
	return agent->api.rdma_listen(agent->listener, RPING_MOST_WAITING)
		       ? interop_fail_at(session, STAGE_CM, errno)
		       : 0;
}

static void serve(struct rping *run)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;

	while (!interop_is_over(session)) {
		struct rdma_cm_id *id;

		rping_read_events(run);
		id = take_waiting(run, NULL);
		if (id)
			serve_client(run, id);
		else
			watch_wait(&agent->watch, agent->cm->fd, SERVE_CHECK_MSEC);
		if (id && session->request->once)
			return;
	}
	if (agent->watch.device_gone && !session->row)
		interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_CM});
}

int interop_rping_server(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results)
{
	struct interop session;
	struct rping run = {.session = &session};
	int rc = interop_begin(&session, &rping_role, true, request, local, results);

	if (!rc)
		rc = start_listening(&session);
	if (!rc) {
		interop_say(&session,
			    "waiting for rping on port %" PRIu32
			    " of librdmacm; on the other host: %s",
			    session.port, session.command);
		serve(&run);
	}
	for (size_t i = 0; i < run.waiting_count; i++)
		session.agent->api.rdma_destroy_id(run.waiting[i]);
	return interop_end(&session);
}
