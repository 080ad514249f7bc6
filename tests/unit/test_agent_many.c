/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Many connections at a time, with a made-up librdmacm that answers each call with its event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"

enum { MOST_EVENTS = 256, COOKIE = 77 };

/* The channel comes first: the agent's pointer to it is also one to this structure. */
struct cm {
	struct rdma_event_channel channel;
	struct rdma_cm_event events[MOST_EVENTS];
	unsigned int head, tail;
	struct rdma_cm_id listener;
	struct ibv_context verbs;
	struct ibv_device device;
	struct ibv_cq cq;
	uint32_t cookie; /* of connect requests */
	unsigned int ids, qps, rejected;
	unsigned int resolving, most_resolving; /* connections under way */
	unsigned int ending, most_ending;	/* connections that are being closed */
	unsigned int refuse_at; /* the connect request with this number is rejected */
	unsigned int connects, establishes, modifies;
	struct rdma_conn_param param;	      /* of the last request or accept */
	struct ibv_qp_init_attr init;	      /* of the last queue pair */
	struct ibv_qp_attr attr[IBV_QPS_ERR]; /* of the last transition to each state */
	bool drops;			      /* the far side disconnects established connections */
	enum rdma_cm_event_type response;     /* to a connect request */
};

/* The functions of librdmacm have no argument that leads here, but their ids do. */
static struct cm *cm_of(const struct rdma_cm_id *id)
{
	return (struct cm *)id->channel;
}

static void push(struct cm *cm, struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	assert_true(cm->tail < MOST_EVENTS);
	cm->events[cm->tail++] = (struct rdma_cm_event){.id = id, .event = type};
}

static int get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct cm *cm = (struct cm *)channel;

	if (cm->head == cm->tail) {
		errno = EAGAIN;
		return -1;
	}
	*event = &cm->events[cm->head++];
	cm->ending -= (*event)->event == RDMA_CM_EVENT_DISCONNECTED && cm->ending;
	return 0;
}

static int take_back(struct rdma_cm_event *event)
{
	(void)event;
	return 0;
}

static int create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		     enum rdma_port_space space)
{
	struct cm *cm = (struct cm *)channel;

	(void)space;
	*id = mem_alloc_zero(1, sizeof(**id));
	(*id)->channel = channel;
	(*id)->context = context;
	(*id)->verbs = &cm->verbs;
	cm->ids++;
	return 0;
}

static int destroy_id(struct rdma_cm_id *id)
{
	cm_of(id)->ids--;
	free(id);
	return 0;
}

static int resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int msec)
{
	struct cm *cm = cm_of(id);

	(void)from;
	(void)to;
	(void)msec;
	if (++cm->resolving > cm->most_resolving)
		cm->most_resolving = cm->resolving;
	push(cm, id, RDMA_CM_EVENT_ADDR_RESOLVED);
	return 0;
}

static int resolve_route(struct rdma_cm_id *id, int msec)
{
	(void)msec;
	push(cm_of(id), id, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return 0;
}

static int connect_id(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm *cm = cm_of(id);

	assert_int_equal(param->private_data_len, sizeof(uint32_t));
	cm->param = *param;
	if (++cm->connects == cm->refuse_at)
		push(cm, id, RDMA_CM_EVENT_REJECTED);
	else
		push(cm, id, cm->response);
	return 0;
}

static int establish(struct rdma_cm_id *id)
{
	cm_of(id)->resolving--;
	cm_of(id)->establishes++;
	if (cm_of(id)->drops)
		push(cm_of(id), id, RDMA_CM_EVENT_DISCONNECTED);
	return 0;
}

/* The side that disconnects first gets the event for the answer. */
static int disconnect(struct rdma_cm_id *id)
{
	struct cm *cm = cm_of(id);

	if (++cm->ending > cm->most_ending)
		cm->most_ending = cm->ending;
	push(cm, id, RDMA_CM_EVENT_DISCONNECTED);
	return 0;
}

static int answer_disconnect(struct rdma_cm_id *id)
{
	(void)id;
	return 0;
}

static int init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	(void)attr;
	*mask = IBV_QP_STATE;
	return 0;
}

/* The client has connected by the time it is accepted, and disconnects at once. */
static int accept_id(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	cm_of(id)->param = *param;
	push(cm_of(id), id, RDMA_CM_EVENT_ESTABLISHED);
	push(cm_of(id), id, RDMA_CM_EVENT_DISCONNECTED);
	return 0;
}

static int reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	assert_null(data);
	assert_int_equal(length, 0);
	cm_of(id)->rejected++;
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp = mem_alloc_zero(1, sizeof(*qp));
	struct cm *cm = (struct cm *)((uint8_t *)attr->send_cq - offsetof(struct cm, cq));

	(void)domain;
	cm->init = *attr;
	qp->qp_num = 100 + cm->qps++;
	qp->send_cq = attr->send_cq;
	return qp;
}

static int destroy_qp(struct ibv_qp *qp)
{
	struct cm *cm = (struct cm *)((uint8_t *)qp->send_cq - offsetof(struct cm, cq));

	cm->qps--;
	free(qp);
	return 0;
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct cm *cm = (struct cm *)((uint8_t *)qp->send_cq - offsetof(struct cm, cq));

	(void)mask;
	qp->state = attr->qp_state;
	assert_true(qp->state < IBV_QPS_ERR);
	cm->attr[qp->state] = *attr;
	cm->modifies++;
	return 0;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	(void)mask;
	(void)init;
	attr->qp_state = qp->state;
	return 0;
}

/* Such a connection already exists. */
static struct rdma_event_channel *no_channel(void)
{
	fail();
	return NULL;
}

static struct agent *make_agent(struct cm *cm)
{
	struct agent *agent = agent_new(-1, -1);
	struct api *api = &agent->api;

	memset(cm, 0, sizeof(*cm));
	cm->channel.fd = eventfd(1, EFD_CLOEXEC);
	cm->response = RDMA_CM_EVENT_CONNECT_RESPONSE;
	cm->verbs.device = &cm->device;
	snprintf(cm->device.name, sizeof(cm->device.name), "rxa");
	snprintf(agent->endpoint.device, sizeof(agent->endpoint.device), "rxa");
	agent->endpoint.transport = TRANSPORT_ROCE;
	agent->endpoint.ip.family = AF_INET;
	agent->cm = &cm->channel;
	agent->cqs[0].cq = &cm->cq;
	api->rdma_create_event_channel = no_channel;
	api->rdma_get_cm_event = get_event;
	api->rdma_ack_cm_event = take_back;
	api->rdma_create_id = create_id;
	api->rdma_destroy_id = destroy_id;
	api->rdma_resolve_addr = resolve_addr;
	api->rdma_resolve_route = resolve_route;
	api->rdma_connect = connect_id;
	api->rdma_establish = establish;
	api->rdma_disconnect = disconnect;
	api->rdma_accept = accept_id;
	api->rdma_reject = reject;
	api->rdma_init_qp_attr = init_qp_attr;
	api->ibv_create_qp = create_qp;
	api->ibv_destroy_qp = destroy_qp;
	api->ibv_modify_qp = modify_qp;
	api->ibv_query_qp = query_qp;
	return agent;
}

/* Every object is destroyed before librdmacm is unloaded. */
static void free_agent(struct agent *agent, struct cm *cm)
{
	agent_many_release(agent);
	assert_int_equal(cm->ids, 0);
	assert_int_equal(cm->qps, 0);
	agent->cm = NULL;
	agent->listener = NULL;
	agent->cqs[0].cq = NULL;
	close(cm->channel.fd);
	agent_free(agent);
}

static const struct message_connect_many usual = {
	.active = 1,
	.count = 10,
	.at_once = 3,
	.cookie = COOKIE,
	.ip = {.family = AF_INET},
	.port = 7,
	.timeout_msec = 2000,
	.retries = 5,
	.rnr_retries = 4,
};

/* One read at a time, and the retries of this side; rdma_connect(3). */
static void expect_param(const struct rdma_conn_param *param, uint8_t retries, uint8_t rnr_retries)
{
	assert_int_equal(param->private_data_len, 4);
	assert_int_equal(param->responder_resources, 1);
	assert_int_equal(param->initiator_depth, 1);
	assert_int_equal(param->retry_count, retries);
	assert_int_equal(param->rnr_retry_count, rnr_retries);
	assert_in_range(param->qp_num, 100, 199);
}

/* Nothing is sent over these connections. */
static void expect_small(const struct ibv_qp_init_attr *init)
{
	assert_int_equal(init->qp_type, IBV_QPT_RC);
	assert_int_equal(init->cap.max_send_wr, 1);
	assert_int_equal(init->cap.max_recv_wr, 1);
	assert_int_equal(init->cap.max_send_sge, 1);
	assert_int_equal(init->cap.max_recv_sge, 1);
	assert_int_equal(init->cap.max_inline_data, 0);
}

static void connects_all(void **state)
{
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	assert_int_equal(agent_connect_many(agent, &usual, &reply), 0);
	assert_int_equal(reply.established, 10);
	assert_int_equal(reply.closed, 10);
	/* Durations, not points in time. */
	assert_in_range(reply.elapsed_nsec, 1, 60000000000);
	assert_int_equal(cm.most_resolving, 3);
	assert_int_equal(cm.most_ending, 3);
	assert_int_equal(cm.connects, 10);
	assert_int_equal(cm.establishes, 10);
	/* To INIT, RTR and RTS. */
	assert_int_equal(cm.modifies, 30);
	expect_param(&cm.param, 5, 4);
	expect_small(&cm.init);
	/* Connect requests are held until all have arrived. */
	assert_int_equal(cm.ids, 10);
	assert_int_equal(cm.qps, 10);
	for (int step = 0; step < STEPS; step++)
		assert_int_equal(agent->many.samples[step], 10);
	for (int i = 0; i < 10; i++)
		assert_true(agent->many.nsec[STEP_ALL][i] >= agent->many.nsec[STEP_CONNECT][i]);
	free_agent(agent, &cm);
}

/* The earlier connections were established, and the reason comes from the event. */
static void one_is_rejected(void **state)
{
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	cm.refuse_at = 7;
	assert_true(agent_connect_many(agent, &usual, &reply) < 0);
	assert_int_equal(agent->refused.stage, STAGE_CM);
	assert_int_equal(agent->refused.cm_event, RDMA_CM_EVENT_REJECTED);
	assert_true(agent->many.established >= 4 && agent->many.established < 10);
	free_agent(agent, &cm);
}

/* With iWARP the queue pair is connected once librdmacm says so: this side has nothing to do. */
static void connects_iwarp(void **state)
{
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->endpoint.transport = TRANSPORT_IWARP;
	cm.response = RDMA_CM_EVENT_ESTABLISHED;
	assert_int_equal(agent_connect_many(agent,
					    &(struct message_connect_many){.active = 1,
									   .count = 2,
									   .at_once = 2,
									   .ip = usual.ip,
									   .port = 7,
									   .timeout_msec = 50},
					    &reply),
			 0);
	assert_int_equal(reply.established, 2);
	assert_int_equal(cm.establishes, 0);
	assert_int_equal(cm.modifies, 2);
	free_agent(agent, &cm);
}

static struct rdma_cm_id *new_id(struct cm *cm, void *context)
{
	struct rdma_cm_id *id;

	assert_int_equal(create_id(&cm->channel, &id, context, RDMA_PS_TCP), 0);
	return id;
}

/*
 * The result of the order after an event that comes first, about a connection that nobody here
 * began (or, with `begun`, about the first one).
 */
static const struct {
	uint32_t active;
	enum rdma_cm_event_type type;
	bool begun, fails;
} events[] = {
	{1, RDMA_CM_EVENT_DISCONNECTED, false, false},
	{1, RDMA_CM_EVENT_TIMEWAIT_EXIT, false, false},
	{1, RDMA_CM_EVENT_TIMEWAIT_EXIT, true, false},
	{1, RDMA_CM_EVENT_ADDR_CHANGE, false, false},
	{1, RDMA_CM_EVENT_ADDR_CHANGE, true, true},
	{1, RDMA_CM_EVENT_DISCONNECTED, true, true},
	{1, RDMA_CM_EVENT_DEVICE_REMOVAL, false, true},
	{0, RDMA_CM_EVENT_TIMEWAIT_EXIT, false, false},
	{0, RDMA_CM_EVENT_TIMEWAIT_EXIT, true, false},
	{0, RDMA_CM_EVENT_ADDR_CHANGE, false, false},
	{0, RDMA_CM_EVENT_ADDR_CHANGE, true, true},
	{0, RDMA_CM_EVENT_UNREACHABLE, true, true},
	{0, RDMA_CM_EVENT_DEVICE_REMOVAL, false, true},
};

static void request_comes(struct cm *cm, uint32_t *cookie);

static void other_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		uint32_t cookie = htonl(COOKIE);
		struct message_connect_many order = usual;
		struct message_connected_many reply;
		/* The context of a connection's id. */
		struct agent_qp connection = {.begin_nsec = 0};
		struct rdma_cm_id *id;
		struct agent *agent;
		struct cm cm;
		int rc;

		agent = make_agent(&cm);
		agent->listener = &cm.listener;
		order.active = events[i].active;
		order.count = 2;
		if (!order.active)
			agent->api.rdma_disconnect = answer_disconnect;
		id = new_id(&cm, events[i].begun ? &connection : NULL);
		push(&cm, id, events[i].type);
		cm.events[0].status = -EIO;
		for (int j = 0; j < 2 && !order.active; j++)
			request_comes(&cm, &cookie);
		rc = agent_connect_many(agent, &order, &reply);
		assert_int_equal(rc, events[i].fails ? -EIO : 0);
		if (events[i].fails)
			assert_int_equal(agent->refused.cm_event, events[i].type);
		else
			assert_int_equal(reply.closed, 2);
		destroy_id(id);
		/* A failure leaves requests that nobody has accepted. */
		while (cm.head < cm.tail && events[i].fails && !order.active)
			destroy_id(cm.events[cm.head++].id);
		free_agent(agent, &cm);
	}
}

/* Before this side has ended any connection: the far side gave up, as its event says. */
static void ended_early(void **state)
{
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	cm.drops = true;
	assert_int_equal(agent_connect_many(agent, &usual, &reply), -ECONNREFUSED);
	assert_int_equal(agent->refused.cm_event, RDMA_CM_EVENT_DISCONNECTED);
	free_agent(agent, &cm);
}

/* Requests to another listener of the channel do not belong to the order. */
static void other_listener(void **state)
{
	struct message_connect_many order = usual;
	struct message_connected_many reply;
	uint32_t cookie = htonl(COOKIE);
	struct rdma_cm_id other;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->listener = &cm.listener;
	agent->api.rdma_disconnect = answer_disconnect;
	order.active = 0;
	order.count = 1;
	request_comes(&cm, &cookie);
	cm.events[0].listen_id = &other;
	request_comes(&cm, &cookie);
	assert_int_equal(agent_connect_many(agent, &order, &reply), 0);
	assert_int_equal(reply.established, 1);
	assert_int_equal(cm.rejected, 1);
	/* The connecting side sets the retries of the connections. */
	expect_param(&cm.param, 6, 4);
	expect_small(&cm.init);
	free_agent(agent, &cm);
}

static void nothing_comes(void **state)
{
	struct message_connect_many order = usual;
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	order.active = 0;
	assert_int_equal(agent_connect_many(agent, &order, &reply), -EINVAL);
	agent->listener = &cm.listener;
	assert_int_equal(agent_connect_many(agent, &order, &reply), -ETIMEDOUT);
	free_agent(agent, &cm);
}

static int connect_nobody(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)id;
	(void)param;
	return 0;
}

/* The far side has failed: events of an earlier step do not delay the end. */
static void far_side_fails(void **state)
{
	struct message_connect_many order = usual;
	struct message_connected_many reply;
	struct agent *agent;
	uint64_t begin_msec;
	int pair[2];
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(send(pair[0], "", 1, 0), 1);
	agent->watch.channel = pair[1];
	agent->watch.patient = true;
	agent->api.rdma_connect = connect_nobody;
	order.timeout_msec = 60000;
	begin_msec = clock_msec();
	assert_int_equal(agent_connect_many(agent, &order, &reply), -ETIMEDOUT);
	assert_true(clock_msec() - begin_msec < 50000);
	close(pair[0]);
	close(pair[1]);
	free_agent(agent, &cm);
}

static void request_comes(struct cm *cm, uint32_t *cookie)
{
	struct rdma_cm_id *id;

	create_id(&cm->channel, &id, NULL, RDMA_PS_TCP);
	push(cm, id, RDMA_CM_EVENT_CONNECT_REQUEST);
	cm->events[cm->tail - 1].listen_id = &cm->listener;
	cm->events[cm->tail - 1].param.conn.private_data = cookie;
	cm->events[cm->tail - 1].param.conn.private_data_len = sizeof(*cookie);
}

/* Strangers are rejected, and so are requests beyond the number ordered. */
static void accepts_all(void **state)
{
	uint32_t right = htonl(COOKIE), wrong = htonl(COOKIE + 1);
	struct message_connect_many order = usual;
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->api.rdma_disconnect = answer_disconnect;
	agent->listener = &cm.listener;
	order.active = 0;
	order.count = 3;
	for (int i = 0; i < 4; i++) {
		request_comes(&cm, &wrong);
		request_comes(&cm, &right);
	}
	assert_int_equal(agent_connect_many(agent, &order, &reply), 0);
	assert_int_equal(reply.established, 3);
	assert_int_equal(reply.closed, 3);
	assert_in_range(reply.elapsed_nsec, 1, 60000000000);
	assert_int_equal(cm.rejected, 5);
	assert_int_equal(cm.qps, 3);
	free_agent(agent, &cm);
}

/* A server begins no connection, whatever its client orders. */
static void server_begins_none(void **state)
{
	struct message_connected_many reply;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->guard = (struct guard){.strict = true, .client = usual.ip};
	assert_int_equal(agent_connect_many(agent, &usual, &reply), -EINVAL);
	assert_int_equal(cm.ids, 0);
	assert_non_null(strstr(agent->refused.text, "only accepts connections"));
	free_agent(agent, &cm);
}

/* The third one has what the order says about the other side. */
static void expect_attributes(const struct cm *cm, const struct agent *agent)
{
	const struct ibv_qp_attr *init = &cm->attr[IBV_QPS_INIT], *rtr = &cm->attr[IBV_QPS_RTR];
	const struct ibv_qp_attr *rts = &cm->attr[IBV_QPS_RTS];

	assert_int_equal(cm->modifies, 9);
	/* Nobody can access memory through these connections. */
	assert_int_equal(init->qp_access_flags, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(rtr->dest_qp_num, 202);
	assert_int_equal(rtr->rq_psn, 2);
	assert_int_equal(rtr->path_mtu, IBV_MTU_1024);
	assert_int_equal(rtr->ah_attr.grh.dgid.raw[15], 9);
	assert_int_equal(rtr->max_dest_rd_atomic, 1);
	/* IBTA 1, table 45: 12 is 0.64 ms. */
	assert_int_equal(rtr->min_rnr_timer, 12);
	assert_int_equal(rts->sq_psn, agent->many.items[2].psn);
	assert_int_equal(rts->max_rd_atomic, 1);
	assert_int_equal(rts->timeout, 11);
	assert_int_equal(rts->retry_cnt, 5);
	assert_int_equal(rts->rnr_retry, 3);
}

static void exchanges(void **state)
{
	struct message_exchange_many order = {
		.total = 5,
		.make = 1,
		.count = 3,
		.mtu_bytes = 1024,
		.timeout = 11,
		.retries = 5,
		.rnr_retries = 3,
		.to.gid.raw[15] = 9,
	};
	struct message_exchanged_many reply = {0};
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	for (uint32_t i = 0; i < 3; i++)
		order.items[i] = (struct queue_pair){.qpn = 200 + i, .psn = i};
	assert_int_equal(agent_exchange_many(agent, &order, &reply), 0);
	assert_int_equal(reply.count, 3);
	assert_int_equal(reply.items[2].qpn, 102);
	assert_int_equal(agent->many.items[2].qp->state, IBV_QPS_RESET);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(reply.items[i].psn, agent->many.items[i].psn);
	expect_small(&cm.init);
	order.make = 0;
	order.connect = 1;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), 0);
	assert_int_equal(agent->many.items[2].qp->state, IBV_QPS_RTS);
	expect_attributes(&cm, agent);
	/* The last two, created and connected by one order; then one too many. */
	order.make = 1;
	order.first = 3;
	order.count = 2;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), 0);
	assert_int_equal(cm.qps, 5);
	assert_int_equal(agent->many.items[4].qp->state, IBV_QPS_RTS);
	order.count = 3;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	order.first = LIMIT_CONNECTIONS - 1;
	order.count = LIMIT_BATCH;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	free_agent(agent, &cm);
}

/* Connecting before they are created, and to a port that is not the client's. */
static void exchanges_refused(void **state)
{
	struct message_exchange_many order = {.total = 2, .connect = 1, .count = 1};
	struct message_exchanged_many reply = {0};
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	agent->guard = (struct guard){.strict = true, .proven = true};
	order.make = 1;
	order.items[0].qpn = 17;
	order.to.gid.raw[15] = 9;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	assert_non_null(strstr(agent->refused.text, "sends only to its client's port"));
	agent->endpoint.transport = TRANSPORT_IWARP;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	free_agent(agent, &cm);
}

/* The server decides how much memory they may all take. */
static int no_memory(void *context, int64_t bytes)
{
	int64_t *most = context;

	if (bytes > *most)
		*most = bytes;
	return bytes > 4096 ? -ENOMEM : 0;
}

/* The samples are those of the last order; there are none if it failed. */
static void orders_follow(void **state)
{
	struct message_connect_many order = usual;
	struct message_connected_many reply;
	struct agent *agent;
	int64_t most = 0;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	assert_int_equal(agent_connect_many(agent, &order, &reply), 0);
	order.count = 4;
	assert_int_equal(agent_connect_many(agent, &order, &reply), 0);
	assert_int_equal(reply.established, 4);
	assert_int_equal(reply.closed, 4);
	assert_int_equal(cm.qps, 4);
	for (int step = 0; step < STEPS; step++)
		assert_int_equal(agent->many.samples[step], 4);
	agent->reserve = no_memory;
	agent->owner = &most;
	order.count = 1000;
	assert_int_equal(agent_connect_many(agent, &order, &reply), -EINVAL);
	for (int step = 0; step < STEPS; step++)
		assert_int_equal(agent->many.samples[step], 0);
	assert_int_equal(agent->many.count, 0);
	free_agent(agent, &cm);
}

static void memory_is_counted(void **state)
{
	struct message_connected_many reply;
	struct message_connect_many order = usual;
	struct agent *agent;
	int64_t most = 0;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->reserve = no_memory;
	agent->owner = &most;
	order.count = 1000;
	assert_int_equal(agent_connect_many(agent, &order, &reply), -EINVAL);
	/* A connection, and the duration of each of its steps. */
	assert_int_equal(most, 1000 * (sizeof(struct agent_qp) + STEPS * 8));
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	assert_int_equal(cm.ids, 0);
	free_agent(agent, &cm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connects_all),	      cmocka_unit_test(one_is_rejected),
		cmocka_unit_test(nothing_comes),      cmocka_unit_test(accepts_all),
		cmocka_unit_test(server_begins_none), cmocka_unit_test(exchanges),
		cmocka_unit_test(exchanges_refused),  cmocka_unit_test(memory_is_counted),
		cmocka_unit_test(far_side_fails),     cmocka_unit_test(connects_iwarp),
		cmocka_unit_test(other_events),	      cmocka_unit_test(other_listener),
		cmocka_unit_test(ended_early),	      cmocka_unit_test(orders_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
