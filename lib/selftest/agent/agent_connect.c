/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections: by rdma_cm, one or many of them, several in progress at once, with the time of each
 * step; or many by queue pair numbers that the exchange carries. The many carry no data.
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

/* Time to wait for the event that explains a message of the far side. */
#define LAST_WORD_NSEC 500000000ull

/* An order to connect or accept that is being carried out. */
struct cm_run {
	struct agent *agent;
	struct agent_many *many;
	struct message_connect_many order;
	uint32_t max_rd_atomic;
	uint32_t cookie; /* in network byte order */
	uint32_t answer; /* the cookie of the other side */
	uint32_t disconnecting;
	bool patient; /* near side: a message of the other side means that it failed */
	bool failing; /* and it has come */
	uint64_t begin_nsec, established_nsec, end_nsec;
};

void agent_many_release(struct agent *agent)
{
	struct agent_many *many = &agent->many;

	for (uint32_t i = 0; i < many->count; i++)
		agent_qp_destroy(agent, &many->items[i]);
	free(many->items);
	for (int i = 0; i < STEPS; i++)
		free(many->nsec[i]);
	agent_unreserve(agent, &many->reserved);
	*many = (struct agent_many){0};
}

static int prepare(struct agent *agent, uint32_t count)
{
	const uint64_t bytes = count * (sizeof(struct agent_qp) + STEPS * sizeof(uint64_t));
	struct agent_many *many = &agent->many;
	int rc;

	agent_many_release(agent);
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

static int make_qp(struct agent *agent, uint32_t cq, struct agent_qp *qp)
{
	struct message_qp order = small_qp;

	order.cq = cq;
	return agent_qp_make(agent, &order, qp);
}

/* ---- By rdma_cm ---- */

/* Whether the order is for the queue pair of a slot. */
static bool is_single(const struct cm_run *run)
{
	return run->many != &run->agent->many;
}

/*
 * Begins another wait, after an event of the many connections: those of strangers must not delay
 * the end. One connection has one time limit for all of its steps.
 */
static void extend(struct cm_run *run)
{
	if (!is_single(run) && !run->failing)
		run->end_nsec = clock_nsec() + run->order.timeout_msec * 1000000ull;
}

static void end_step(struct cm_run *run, struct agent_qp *qp, enum connection_step step)
{
	const uint64_t now = clock_nsec();

	agent_many_sample(run->many, step, now - qp->step_nsec);
	qp->step_nsec = now;
}

static int begin_connection(struct cm_run *run)
{
	struct agent_qp *qp = &run->many->items[run->many->begun++];

	qp->begin_nsec = qp->step_nsec = clock_nsec();
	return agent_cm_resolve(run->agent, qp, &run->order.ip, run->order.port);
}

/* As in trial_qp.c: with 7, rxe retries forever. */
#define ACCEPT_RETRIES 6

static struct rdma_conn_param param_of(const struct cm_run *run, const struct agent_qp *qp,
				       uint32_t retries)
{
	return (struct rdma_conn_param){
		.private_data = &run->cookie,
		.private_data_len = sizeof(run->cookie),
		.responder_resources = (uint8_t)run->max_rd_atomic,
		.initiator_depth = (uint8_t)run->max_rd_atomic,
		.retry_count = (uint8_t)retries,
		.rnr_retry_count = (uint8_t)run->order.rnr_retries,
		.qp_num = qp->qp->qp_num,
	};
}

/* Creates the queue pair, unless it exists, and moves it to INIT. */
static int prepare_qp(struct cm_run *run, struct agent_qp *qp)
{
	int rc = qp->qp ? 0 : make_qp(run->agent, run->order.cq, qp);

	return rc ? rc : agent_cm_modify(run->agent, qp, IBV_QPS_INIT, run->max_rd_atomic);
}

/* Sends the connect request, once the route is known. */
static int request(struct cm_run *run, struct agent_qp *qp)
{
	struct rdma_conn_param param;
	int rc = prepare_qp(run, qp);

	if (rc)
		return rc;
	end_step(run, qp, STEP_QP);
	param = param_of(run, qp, run->order.retries);
	return run->agent->api.rdma_connect(qp->cm_id, &param)
		       ? agent_cm_fail(run->agent, "rdma_connect")
		       : 0;
}

/*
 * Completes a connection. On InfiniBand and RoCE the answer to a request is a CONNECT_RESPONSE,
 * because rdma_create_qp() did not create the queue pair: this side moves it to RTS and confirms.
 * iWARP needs neither.
 */
static int establish(struct cm_run *run, struct agent_qp *qp, const struct cm_news *news)
{
	const bool responded = news->type == RDMA_CM_EVENT_CONNECT_RESPONSE;
	int rc = responded ? agent_cm_modify_to_rts(run->agent, qp, run->max_rd_atomic) : 0;

	if (!rc && responded && run->agent->api.rdma_establish(qp->cm_id))
		rc = agent_cm_fail(run->agent, "rdma_establish");
	if (rc)
		return rc;
	end_step(run, qp, STEP_CONNECT);
	agent_many_sample(run->many, STEP_ALL, qp->step_nsec - qp->begin_nsec);
	qp->connected = true;
	run->answer = news->cookie;
	run->many->established++;
	run->established_nsec = qp->step_nsec;
	return 0;
}

/* Handles an event of a connection that this side began. */
static int go_on(struct cm_run *run, struct agent_qp *qp, const struct cm_news *news)
{
	switch ((int)news->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		end_step(run, qp, STEP_ADDRESS);
		return agent_cm_resolve_route(run->agent, qp);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		end_step(run, qp, STEP_ROUTE);
		return request(run, qp);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
	case RDMA_CM_EVENT_ESTABLISHED:
		return establish(run, qp, news);
	case RDMA_CM_EVENT_DISCONNECTED:
		if (!run->disconnecting || !qp->connected)
			break;
		end_step(run, qp, STEP_DISCONNECT);
		qp->connected = false;
		run->many->closed++;
		return 0;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	}
	return agent_cm_fail_event(run->agent, news);
}

/* Handles an event of a connection that this side accepted. */
static int serve(struct cm_run *run, struct agent_qp *qp, const struct cm_news *news)
{
	switch ((int)news->type) {
	case RDMA_CM_EVENT_ESTABLISHED:
		qp->connected = true;
		run->many->established++;
		run->established_nsec = clock_nsec();
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		if (is_single(run))
			break;
		/* Answers, because the other side would otherwise wait until it times out. */
		run->agent->api.rdma_disconnect(news->id);
		run->many->closed++;
		return 0;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	}
	return agent_cm_fail_event(run->agent, news);
}

/* Accepts a request with the cookie of the order, and rejects those of strangers. */
static int take_request(struct cm_run *run, const struct cm_news *news)
{
	const struct message_connect_many *order = &run->order;
	struct agent *agent = run->agent;
	struct agent_qp *qp = &run->many->items[run->many->begun];
	struct rdma_conn_param param;
	int rc;

	if (order->active || news->listener != agent->listener || news->cookie != order->cookie ||
	    run->many->begun == order->count) {
		agent_cm_turn_away(agent, news->id);
		return 0;
	}
	extend(run);
	run->many->begun++;
	run->answer = news->cookie;
	qp->cm_id = news->id;
	news->id->context = qp;
	rc = prepare_qp(run, qp) ?: agent_cm_modify_to_rts(agent, qp, run->max_rd_atomic);
	if (rc)
		return rc;
	param = param_of(run, qp, ACCEPT_RETRIES);
	return agent->api.rdma_accept(qp->cm_id, &param) ? agent_cm_fail(agent, "rdma_accept") : 0;
}

/* Handles the next event if it is about one of these connections; otherwise it is skipped. */
static int handle_next(struct cm_run *run)
{
	struct cm_news news;
	struct agent_qp *qp;
	int rc = agent_cm_next(run->agent, run->end_nsec, &news);

	/* The far side has finished before the expected event came: it has failed. */
	if (rc == -ECANCELED && run->patient && !run->failing) {
		run->failing = run->agent->watch.patient = true;
		run->end_nsec = clock_nsec() + LAST_WORD_NSEC;
		return 0;
	}
	if (rc)
		return rc;
	if (news.type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return take_request(run, &news);
	if (news.type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return agent_cm_fail_event(run->agent, &news);
	qp = news.id->context;
	if (!qp || (is_single(run) && qp != run->many->items))
		return 0;
	extend(run);
	return run->order.active ? go_on(run, qp, &news) : serve(run, qp, &news);
}

/* After librdmacm was loaded, which must not count. */
static void begin(struct cm_run *run)
{
	run->cookie = htonl(run->order.cookie);
	run->begin_nsec = clock_nsec();
	run->end_nsec = run->begin_nsec + run->order.timeout_msec * 1000000ull;
}

static int connect_all(struct cm_run *run)
{
	const struct message_connect_many *order = &run->order;
	struct agent *agent = run->agent;
	struct agent_many *many = run->many;
	int rc = guard_ip(agent, &order->ip) ? -EINVAL : agent_cm_open(agent);

	if (!rc && agent->endpoint.ip.family != order->ip.family)
		rc = agent_fail(agent, STAGE_CM, EAFNOSUPPORT, "no address of the peer's family");
	begin(run);
	/* The other side replies when it is done: an earlier message means that it failed. */
	run->patient = agent->watch.patient;
	agent->watch.patient = false;
	while (!rc && many->established < order->count) {
		if (many->begun < order->count && many->begun - many->established < order->at_once)
			rc = begin_connection(run);
		else
			rc = handle_next(run);
	}
	agent->watch.patient = run->patient;
	return rc;
}

static int disconnect_all(struct cm_run *run)
{
	const struct message_connect_many *order = &run->order;
	struct agent *agent = run->agent;
	struct agent_many *many = run->many;
	int rc = 0;

	while (!rc && many->closed < order->count) {
		struct agent_qp *qp = &many->items[run->disconnecting];

		if (run->disconnecting == order->count ||
		    run->disconnecting - many->closed >= order->at_once) {
			rc = handle_next(run);
			continue;
		}
		run->disconnecting++;
		qp->step_nsec = clock_nsec();
		if (agent->api.rdma_disconnect(qp->cm_id))
			rc = agent_cm_fail(agent, "rdma_disconnect");
	}
	return rc;
}

/* Accepts until *done, a counter of run->many, has reached the number ordered. */
static int accept_all(struct cm_run *run, const uint32_t *done)
{
	int rc = 0;

	if (!run->agent->listener)
		return agent_refuse(run->agent, REFUSAL_ORDER, "nothing listens");
	begin(run);
	while (!rc && *done < run->order.count)
		rc = handle_next(run);
	return rc;
}

static int connect_slot(struct agent *agent, uint32_t slot,
			const struct message_connect_many *order, uint32_t max_rd_atomic,
			struct message_connected *reply)
{
	struct agent_qp *qp = &agent->qps[slot];
	struct agent_many one = {.items = qp, .count = 1};
	struct cm_run run = {
		.agent = agent, .many = &one, .order = *order, .max_rd_atomic = max_rd_atomic};
	uint64_t nsec[STEPS] = {0};
	int rc;

	if (!qp->qp || qp->cm_id || qp->kind != QP_RC)
		return agent_refuse(agent, REFUSAL_ORDER, "no queue pair %u to connect", slot);
	for (int i = 0; i < STEPS; i++)
		one.nsec[i] = &nsec[i];
	rc = order->active ? connect_all(&run) : accept_all(&run, &one.established);
	/* Later events are not those of a run. */
	if (qp->cm_id)
		qp->cm_id->context = NULL;
	*reply = (struct message_connected){
		.cookie = run.answer,
		.address_nsec = nsec[STEP_ADDRESS],
		.route_nsec = nsec[STEP_ROUTE],
		.connect_nsec = nsec[STEP_CONNECT],
	};
	return rc;
}

int agent_connect(struct agent *agent, const struct message_connect *order,
		  struct message_connected *reply)
{
	const struct message_connect_many one = {
		.active = 1,
		.count = 1,
		.at_once = 1,
		.cookie = order->cookie,
		.ip = order->ip,
		.port = order->port,
		.timeout_msec = order->timeout_msec,
		.retries = order->retries,
		.rnr_retries = order->rnr_retries,
	};

	return connect_slot(agent, order->slot, &one, order->max_rd_atomic, reply);
}

int agent_accept(struct agent *agent, const struct message_accept *order,
		 struct message_connected *reply)
{
	const struct message_connect_many one = {
		.count = 1,
		.cookie = order->cookie,
		.timeout_msec = order->timeout_msec,
		.rnr_retries = order->rnr_retries,
	};

	return connect_slot(agent, order->slot, &one, order->max_rd_atomic, reply);
}

int agent_connect_many(struct agent *agent, const struct message_connect_many *order,
		       struct message_connected_many *reply)
{
	struct cm_run run = {
		.agent = agent, .many = &agent->many, .order = *order, .max_rd_atomic = 1};
	int rc = (order->active ? guard_active(agent) : 0) ?: prepare(agent, order->count);

	if (rc)
		return rc;
	rc = order->active ? connect_all(&run) ?: disconnect_all(&run)
			   : accept_all(&run, &agent->many.closed);
	if (rc)
		return rc;
	*reply = (struct message_connected_many){
		.established = agent->many.established,
		.closed = agent->many.closed,
		.elapsed_nsec = run.established_nsec - run.begin_nsec,
	};
	return 0;
}

/* ---- By the exchange ---- */

/* Moves from RESET to RTS, as trial_modify() does step by step. */
static int bring_to_rts(struct agent *agent, const struct message_exchange_many *order, uint32_t i)
{
	struct agent_qp *qp = &agent->many.items[order->first + i];
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
		struct agent_qp *qp = &many->items[order->first + i];

		if (order->make)
			agent_qp_destroy(agent, qp);
		if (order->make)
			rc = make_qp(agent, order->cq, qp);
		if (!rc && qp->qp)
			reply->items[i] = (struct queue_pair){.qpn = qp->qp->qp_num & 0xffffff,
							      .psn = qp->psn};
		if (!rc && order->connect)
			rc = bring_to_rts(agent, order, i);
	}
	reply->count = order->count;
	return rc;
}
