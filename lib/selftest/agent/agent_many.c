/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many simultaneous connections, with the time of each step: either by rdma_cm, several in progress
 * at once, or by queue pair numbers that the exchange carries. They carry no data.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"

/* Nothing is sent, so queues of one entry suffice. */
static const struct message_qp small_qp = {
	.kind = QP_RC,
	.send_depth = 1,
	.receive_depth = 1,
	.sges = 1,
};

/* An order to connect or accept that is being carried out. */
struct many_run {
	struct agent *agent;
	const struct message_connect_many *order;
	uint32_t cookie; /* in network byte order */
	uint32_t disconnecting;
	uint64_t begin_nsec, established_nsec;
};

void agent_many_release(struct agent *agent)
{
	struct agent_many *many = &agent->many;

	for (uint32_t i = 0; i < many->count; i++)
		agent_qp_destroy(agent, &many->items[i].qp);
	free(many->items);
	many->items = NULL;
	many->count = many->begun = many->established = many->closed = 0;
	agent_unreserve(agent, &many->reserved);
}

void agent_many_free(struct agent *agent)
{
	agent_many_release(agent);
	for (int i = 0; i < STEPS; i++) {
		free(agent->many.nsec[i]);
		agent->many.nsec[i] = NULL;
		agent->many.samples[i] = 0;
	}
}

static int prepare(struct agent *agent, uint32_t count)
{
	const uint64_t bytes = count * (sizeof(struct agent_connection) + STEPS * sizeof(uint64_t));
	struct agent_many *many = &agent->many;
	int rc;

	agent_many_free(agent);
	rc = agent_reserve(agent, bytes, &many->reserved);
	if (rc)
		return rc;
	many->items = mem_alloc_zero(count, sizeof(*many->items));
	many->count = count;
	for (int i = 0; i < STEPS; i++)
		many->nsec[i] = mem_alloc_zero(count, sizeof(*many->nsec[i]));
	return 0;
}

void agent_many_sample(struct agent_many *many, enum connection_step step, uint64_t nsec)
{
	if (many->samples[step] < many->count)
		many->nsec[step][many->samples[step]++] = nsec;
}

static int make_qp(struct agent *agent, uint32_t cq, struct agent_connection *connection)
{
	struct message_qp order = small_qp;

	order.cq = cq;
	return agent_qp_make(agent, &order, &connection->qp);
}

/* ---- By rdma_cm ---- */

/* Records the end of a step of the connection. */
static void end_step(struct many_run *run, struct agent_connection *connection,
		     enum connection_step step)
{
	const uint64_t now = clock_nsec();

	agent_many_sample(&run->agent->many, step, now - connection->step_nsec);
	connection->step_nsec = now;
}

static int begin_connection(struct many_run *run)
{
	struct agent_many *many = &run->agent->many;
	struct agent_connection *connection = &many->items[many->begun++];

	connection->begin_nsec = connection->step_nsec = clock_nsec();
	return agent_cm_resolve(run->agent, &connection->qp, connection, &run->order->ip,
				run->order->port);
}

/* Creates the queue pair and sends the connect request, once the route is known. */
static int request(struct many_run *run, struct agent_connection *connection)
{
	struct agent *agent = run->agent;
	struct agent_qp *qp = &connection->qp;
	int rc = make_qp(agent, run->order->cq, connection);

	if (!rc)
		rc = agent_cm_modify(agent, qp, IBV_QPS_INIT, 1);
	if (rc)
		return rc;
	end_step(run, connection, STEP_QP);
	return agent_cm_request(agent, qp, &run->cookie, 1, run->order->retries,
				run->order->rnr_retries);
}

static int establish(struct many_run *run, struct agent_connection *connection, bool responded)
{
	struct agent *agent = run->agent;
	struct agent_qp *qp = &connection->qp;
	int rc = responded ? agent_cm_establish(agent, qp, 1) : 0;

	if (rc)
		return rc;
	end_step(run, connection, STEP_CONNECT);
	agent_many_sample(&agent->many, STEP_ALL, connection->step_nsec - connection->begin_nsec);
	qp->connected = true;
	agent->many.established++;
	run->established_nsec = connection->step_nsec;
	return 0;
}

/* Handles an event of a connection that this side began. */
static int go_on(struct many_run *run, const struct cm_news *news)
{
	struct agent_connection *connection = news->id->context;

	switch ((int)news->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		end_step(run, connection, STEP_ADDRESS);
		return agent_cm_resolve_route(run->agent, &connection->qp);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		end_step(run, connection, STEP_ROUTE);
		return request(run, connection);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		return establish(run, connection, true);
	case RDMA_CM_EVENT_ESTABLISHED:
		return establish(run, connection, false);
	case RDMA_CM_EVENT_DISCONNECTED:
		if (!run->disconnecting || !connection->qp.connected)
			break;
		end_step(run, connection, STEP_DISCONNECT);
		connection->qp.connected = false;
		run->agent->many.closed++;
		return 0;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	}
	return agent_cm_fail_event(run->agent, news);
}

/* If the far side has failed, the event that explains why comes soon. */
static uint64_t deadline(const struct many_run *run)
{
	const struct agent *agent = run->agent;

	if (agent->connecting && agent->watch.patient)
		return clock_nsec() + LAST_WORD_NSEC;
	return clock_nsec() + run->order->timeout_msec * 1000000ull;
}

/* Handles the next event if it is about one of these connections; otherwise it is skipped. */
static int handle_next(struct many_run *run,
		       int (*handle)(struct many_run *run, const struct cm_news *news))
{
	struct cm_news news;
	int rc = agent_cm_next(run->agent, deadline(run), &news);

	if (rc)
		return rc;
	if (news.type == RDMA_CM_EVENT_CONNECT_REQUEST && news.listener != run->agent->listener) {
		agent_cm_turn_away(run->agent, news.id);
		return 0;
	}
	if (news.type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return agent_cm_fail_event(run->agent, &news);
	return news.id->context || news.type == RDMA_CM_EVENT_CONNECT_REQUEST ? handle(run, &news)
									      : 0;
}

static int connect_all(struct many_run *run)
{
	const struct message_connect_many *order = run->order;
	struct agent_many *many = &run->agent->many;
	struct watch *watch = &run->agent->watch;
	int rc = 0;

	/* The other side replies when all are closed: an earlier message means that it failed. */
	run->agent->connecting = watch->patient;
	watch->patient = false;
	while (!rc && many->established < order->count) {
		if (many->begun < order->count && many->begun - many->established < order->at_once)
			rc = begin_connection(run);
		else
			rc = handle_next(run, go_on);
	}
	watch->patient = run->agent->connecting || watch->patient;
	run->agent->connecting = false;
	return rc;
}

static int disconnect_all(struct many_run *run)
{
	const struct message_connect_many *order = run->order;
	struct agent *agent = run->agent;
	struct agent_many *many = &agent->many;
	int rc = 0;

	while (!rc && many->closed < order->count) {
		struct agent_connection *connection = &many->items[run->disconnecting];

		if (run->disconnecting == order->count ||
		    run->disconnecting - many->closed >= order->at_once) {
			rc = handle_next(run, go_on);
			continue;
		}
		run->disconnecting++;
		connection->step_nsec = clock_nsec();
		if (agent->api.rdma_disconnect(connection->qp.cm_id))
			rc = agent_cm_fail(agent, "rdma_disconnect");
	}
	return rc;
}

static int connect_many(struct many_run *run)
{
	struct agent *agent = run->agent;

	if (guard_ip(agent, &run->order->ip) || guard_active(agent))
		return -EINVAL;
	if (agent->endpoint.ip.family != run->order->ip.family)
		return agent_fail(agent, STAGE_CM, EAFNOSUPPORT, "no address of the peer's family");
	run->begin_nsec = clock_nsec();
	return connect_all(run);
}

/* ---- The accepting side ---- */

static int accept_one(struct many_run *run, const struct cm_news *news)
{
	struct agent *agent = run->agent;
	struct agent_many *many = &agent->many;
	struct agent_connection *connection = &many->items[many->begun];
	int rc;

	if (news->cookie != run->order->cookie || many->begun == run->order->count) {
		agent_cm_turn_away(agent, news->id);
		return 0;
	}
	many->begun++;
	connection->qp.cm_id = news->id;
	news->id->context = connection;
	rc = make_qp(agent, run->order->cq, connection);
	return rc ? rc
		  : agent_cm_accept(agent, &connection->qp, &run->cookie, 1,
				    run->order->rnr_retries);
}

static int serve_event(struct many_run *run, const struct cm_news *news)
{
	struct agent_many *many = &run->agent->many;

	switch ((int)news->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept_one(run, news);
	case RDMA_CM_EVENT_ESTABLISHED:
		many->established++;
		run->established_nsec = clock_nsec();
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		/* Answers, because the other side would otherwise wait until it times out. */
		run->agent->api.rdma_disconnect(news->id);
		many->closed++;
		return 0;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	}
	return agent_cm_fail_event(run->agent, news);
}

static int accept_many(struct many_run *run)
{
	struct agent *agent = run->agent;
	int rc = 0;

	if (!agent->listener)
		return agent_refuse(agent, REFUSAL_ORDER, "nothing listens");
	run->begin_nsec = clock_nsec();
	while (!rc && agent->many.closed < run->order->count)
		rc = handle_next(run, serve_event);
	return rc;
}

int agent_connect_many(struct agent *agent, const struct message_connect_many *order,
		       struct message_connected_many *reply)
{
	struct many_run run = {.agent = agent, .order = order, .cookie = htonl(order->cookie)};
	int rc = agent_cm_open(agent);

	if (!rc)
		rc = prepare(agent, order->count);
	if (!rc)
		rc = order->active ? connect_many(&run) : accept_many(&run);
	if (!rc && order->active)
		rc = disconnect_all(&run);
	if (rc)
		return rc;
	*reply = (struct message_connected_many){
		.established = agent->many.established,
		.closed = agent->many.closed,
		.elapsed_nsec = run.established_nsec - run.begin_nsec,
		.closing_nsec = clock_nsec() - run.established_nsec,
	};
	return 0;
}

/* ---- By the exchange ---- */

/* Moves from RESET to RTS, as trial_modify() does step by step. */
static int bring_to_rts(struct agent *agent, const struct message_exchange_many *order, uint32_t i)
{
	struct agent_qp *qp = &agent->many.items[order->first + i].qp;
	struct message_modify modify = {
		.access = ACCESS_LOCAL,
		.qpn = order->items[i].qpn,
		.psn = order->items[i].psn,
		.to = order->to,
		.mtu_bytes = order->mtu_bytes,
		.max_rd_atomic = 1,
		.timeout = order->timeout,
		.retries = order->retries,
		.rnr_retries = order->rnr_retries,
		.rnr_timer = RNR_TIMER_CODE,
	};
	int rc = 0;

	if (!qp->qp)
		return agent_refuse(agent, REFUSAL_ORDER, "no queue pair %u", order->first + i);
	for (modify.state = IBV_QPS_INIT; !rc && modify.state <= IBV_QPS_RTS; modify.state++)
		rc = agent_qp_modify(agent, qp, &modify);
	return rc;
}

int agent_exchange_many(struct agent *agent, const struct message_exchange_many *order,
			struct message_exchanged_many *reply)
{
	struct agent_many *many = &agent->many;
	int rc = 0;

	if (agent->endpoint.transport == TRANSPORT_IWARP)
		return agent_refuse(agent, REFUSAL_ORDER, "only rdma_cm connects on iWARP");
	if (order->make && !order->first)
		rc = prepare(agent, order->total);
	if (!rc && order->first + order->count > many->count)
		rc = agent_refuse(agent, REFUSAL_ORDER, "queue pairs %u to %u, but there are %u",
				  order->first, order->first + order->count - 1, many->count);
	for (uint32_t i = 0; i < order->count && !rc; i++) {
		struct agent_connection *connection = &many->items[order->first + i];

		if (order->make)
			agent_qp_destroy(agent, &connection->qp);
		if (order->make)
			rc = make_qp(agent, order->cq, connection);
		if (!rc && connection->qp.qp)
			reply->items[i] = (struct queue_pair){
				.qpn = connection->qp.qp->qp_num & 0xffffff,
				.psn = connection->qp.psn,
			};
		if (!rc && order->connect)
			rc = bring_to_rts(agent, order, i);
	}
	reply->count = order->count;
	return rc;
}
