/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop_cm.h"

/* How often a server that waits for clients checks that its device exists. */
#define SERVE_CHECK_MSEC 1000

/* Takes the first waiting request, or the one with the given id. */
static struct rdma_cm_id *take_waiting(struct interop_cm *cm, const struct rdma_cm_id *id)
{
	for (size_t i = 0; i < cm->waiting_count; i++) {
		struct rdma_cm_id *found = cm->waiting[i];

		if (id && found != id)
			continue;
		cm->waiting_count--;
		memmove(&cm->waiting[i], &cm->waiting[i + 1],
			(cm->waiting_count - i) * sizeof(*cm->waiting));
		return found;
	}
	return NULL;
}

static void note_event(struct interop_cm *cm, struct rdma_cm_id *id, enum rdma_cm_event_type type,
		       int status)
{
	struct agent *agent = cm->session->agent;

	if (type == RDMA_CM_EVENT_CONNECT_REQUEST && cm->waiting_count < CM_MOST_WAITING) {
		cm->waiting[cm->waiting_count++] = id;
	} else if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		agent_cm_turn_away(agent, id);
	} else if (type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
		agent->watch.device_gone = true;
	} else if (id == cm->id && type == RDMA_CM_EVENT_ESTABLISHED) {
		cm->established = true;
	} else if (id == cm->id && type != RDMA_CM_EVENT_TIMEWAIT_EXIT) {
		cm->ended = true;
		cm->end_event = type;
		cm->end_status = status;
	} else {
		/* Any event on a waiting request means that it has stopped waiting. */
		struct rdma_cm_id *gone = take_waiting(cm, id);

		if (gone)
			agent->api.rdma_destroy_id(gone);
	}
}

static void read_events(struct interop_cm *cm)
{
	struct agent *agent = cm->session->agent;
	struct rdma_cm_event *event;

	while (!agent->api.rdma_get_cm_event(agent->cm, &event)) {
		struct rdma_cm_id *id = event->id;
		enum rdma_cm_event_type type = event->event;
		int status = event->status;

		agent->api.rdma_ack_cm_event(event);
		note_event(cm, id, type, status);
	}
}

enum stop interop_cm_wait_event(struct interop_cm *cm, unsigned int msec)
{
	struct agent *agent = cm->session->agent;
	uint64_t end = clock_raw_nsec() + msec * 1000000ull;
	const bool established = cm->established;

	/* The thread of a run would wait for the same. */
	watch_end(&agent->watch);
	for (;;) {
		uint64_t now = clock_raw_nsec();
		enum stop stop;

		read_events(cm);
		if (cm->ended || cm->established != established)
			return STOP_NONE;
		if (now >= end)
			return STOP_TIMED_OUT;
		stop = watch_wait(&agent->watch, agent->cm->fd, (int)((end - now) / 1000000) + 1);
		if (stop == STOP_INTERRUPTED || stop == STOP_DEVICE_GONE)
			return stop;
	}
}

int interop_cm_look(struct interop_cm *cm)
{
	struct watch *watch = &cm->session->agent->watch;

	if (atomic_load(&watch->stop) != STOP_PEER_SPOKE)
		return -ECANCELED;
	read_events(cm);
	if (cm->ended)
		return -ECONNRESET;
	interop_run_end(cm->session, 0);
	return interop_run_begin(cm->session, cm->session->agent->cm->fd);
}

/* The address may be one that the user chose, so it is not called the port's. */
static int fail_agent(struct interop *session)
{
	const struct message_refused *refused = &session->agent->refused;

	return refused->error == EXDEV
		       ? interop_fail_with(session, LIST_INTEROP_DEVICE, 0, "%s", refused->text)
		       : interop_fail_agent(session);
}

static void note_remote(struct interop *session, const struct rdma_cm_id *id)
{
	if (session->local->transport != TRANSPORT_IWARP)
		memcpy(session->remote.gid.raw, id->route.addr.addr.ibaddr.dgid.raw,
		       sizeof(session->remote.gid.raw));
}

static int connect_qp(struct interop_cm *cm)
{
	struct interop *session = cm->session;
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
	int rc = agent_connect(agent, &order, &reply);

	cm->id = agent->qps[INTEROP_QP].cm_id;
	if (rc)
		return fail_agent(session);
	note_remote(session, cm->id);
	return 0;
}

static int accept_client(struct interop_cm *cm)
{
	struct interop *session = cm->session;
	struct agent *agent = session->agent;
	struct agent_qp *qp = &agent->qps[INTEROP_QP];
	struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
		.qp_num = qp->qp->qp_num,
	};
	enum stop stop;
	int rc = agent_cm_modify(agent, qp, IBV_QPS_INIT, 1);

	if (!rc && cm->post(session))
		return -EIO;
	rc = rc ?: agent_cm_modify_to_rts(agent, qp, 1);
	if (!rc && agent->api.rdma_accept(cm->id, &param))
		rc = agent_cm_fail(agent, "rdma_accept");
	if (rc && rc != -EINVAL)
		return interop_fail_agent(session);
	/* EINVAL may mean that the client has gone: an event says so (rdma_accept(), cma.c). */
	stop = interop_cm_wait_event(cm, rc ? EXPLAIN_MSEC : session->timeout_msec);
	if (rc && !cm->ended)
		return interop_fail_agent(session);
	if (stop)
		return interop_diagnose(session, (struct diagnosis_facts){
							 .stage = STAGE_CM,
							 .stop = STOP_TIMED_OUT,
						 });
	/* If it has already ended, the rounds report that. */
	if (cm->established)
		return 0;
	return interop_diagnose(session, (struct diagnosis_facts){
						 .stage = STAGE_CM,
						 .cm_event = number_of((uint64_t)cm->end_event),
						 .cm_status = cm->end_status,
					 });
}

/* Takes ownership of `id`. */
static void serve_client(struct interop_cm *cm, struct rdma_cm_id *id)
{
	struct interop *session = cm->session;
	struct agent *agent = session->agent;
	int rc;

	cm->id = id;
	cm->established = cm->ended = false;
	interop_client_came(session, &id->route.addr.dst_storage);
	note_remote(session, id);
	rc = agent_cm_check_device(agent, id) ? fail_agent(session) : cm->make(cm);
	if (!rc) {
		agent->qps[INTEROP_QP].cm_id = id;
		rc = accept_client(cm);
	}
	if (!rc)
		cm->exchange(cm);
	cm->id = NULL;
	if (agent->qps[INTEROP_QP].cm_id != id)
		agent_cm_turn_away(agent, id);
	interop_release(session);
	interop_row_end(session);
}

static void serve(struct interop_cm *cm)
{
	struct interop *session = cm->session;
	struct agent *agent = session->agent;

	while (!interop_is_over(session)) {
		struct rdma_cm_id *id;

		read_events(cm);
		id = take_waiting(cm, NULL);
		if (id)
			serve_client(cm, id);
		else
			watch_wait(&agent->watch, agent->cm->fd, SERVE_CHECK_MSEC);
		if (id && session->request->once)
			return;
	}
	if (agent->watch.device_gone && !session->row)
		interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_CM});
}

static void run_server(struct interop_cm *cm)
{
	struct interop *session = cm->session;
	const struct ip_address *ip = session->request->bind.family ? &session->request->bind
								    : &session->local->ip;

	if (!ip->family) {
		interop_fail(session, LIST_INTEROP_NO_IP, 0);
	} else if (agent_cm_listen(session->agent, ip, session->port, CM_MOST_WAITING)) {
		fail_agent(session);
	} else {
		interop_say(session,
			    "waiting for %s on port %" PRIu32
			    " of librdmacm; on the other host: %s",
			    session->role->program, session->port, session->command);
		serve(cm);
	}
	for (size_t i = 0; i < cm->waiting_count; i++)
		session->agent->api.rdma_destroy_id(cm->waiting[i]);
}

void interop_cm_run(struct interop_cm *cm)
{
	struct interop *session = cm->session;
	const bool early = session->local->transport == TRANSPORT_IWARP;

	if (session->server) {
		run_server(cm);
		return;
	}
	/* A message without a receive ends an iWARP connection; elsewhere it is retried. */
	if (!cm->make(cm) && (!early || !cm->post(session)) && !connect_qp(cm) &&
	    (early || !cm->post(session)))
		cm->exchange(cm);
}
