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

/* Its channel comes first: the agent's pointer to that is one to this. */
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
	unsigned int refuse_at; /* the connect request with this number is rejected */
	unsigned int connects;
};

/* The functions of librdmacm have no argument that leads here, but ids do. */
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
	if (++cm->connects == cm->refuse_at)
		push(cm, id, RDMA_CM_EVENT_REJECTED);
	else
		push(cm, id, RDMA_CM_EVENT_CONNECT_RESPONSE);
	return 0;
}

static int establish(struct rdma_cm_id *id)
{
	cm_of(id)->resolving--;
	return 0;
}

/* Whoever disconnects first gets the event of the answer. */
static int disconnect(struct rdma_cm_id *id)
{
	push(cm_of(id), id, RDMA_CM_EVENT_DISCONNECTED);
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
	(void)param;
	push(cm_of(id), id, RDMA_CM_EVENT_ESTABLISHED);
	push(cm_of(id), id, RDMA_CM_EVENT_DISCONNECTED);
	return 0;
}

static int reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	(void)data;
	(void)length;
	cm_of(id)->rejected++;
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp = mem_alloc_zero(1, sizeof(*qp));
	struct cm *cm = (struct cm *)((uint8_t *)attr->send_cq - offsetof(struct cm, cq));

	(void)domain;
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
	qp->state = attr->qp_state;
	(void)mask;
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

/* There is one already. */
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

/* All that was made is gone before librdmacm is. */
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
	.timeout_msec = 50,
};

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
	/* Times, not moments. */
	assert_in_range(reply.elapsed_nsec, 1, 60000000000);
	assert_in_range(reply.closing_nsec, 1, 60000000000);
	assert_int_equal(cm.most_resolving, 3);
	/* They are held until all are there. */
	assert_int_equal(cm.ids, 10);
	assert_int_equal(cm.qps, 10);
	for (int step = 0; step < STEPS; step++)
		assert_int_equal(agent->many.samples[step], 10);
	for (int i = 0; i < 10; i++)
		assert_true(agent->many.nsec[STEP_ALL][i] >= agent->many.nsec[STEP_CONNECT][i]);
	free_agent(agent, &cm);
}

/* Those before it were established, and the reason is that of the event. */
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

/* The far side has failed: an event of a step before that does not put off the end. */
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

/* Strangers are rejected, and so is one more than was ordered. */
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
	assert_non_null(strstr(agent->refused.text, "accepts connections only"));
	free_agent(agent, &cm);
}

static void exchanges(void **state)
{
	struct message_exchange_many order = {.total = 5, .make = 1, .count = 3, .mtu_bytes = 1024};
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
	assert_int_equal(agent->many.items[2].qp.qp->state, IBV_QPS_RESET);
	order.make = 0;
	order.connect = 1;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), 0);
	assert_int_equal(agent->many.items[2].qp.qp->state, IBV_QPS_RTS);
	/* The last two, made and connected in one; then one too many. */
	order.make = 1;
	order.first = 3;
	order.count = 2;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), 0);
	assert_int_equal(cm.qps, 5);
	assert_int_equal(agent->many.items[4].qp.qp->state, IBV_QPS_RTS);
	order.count = 3;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	order.first = LIMIT_CONNECTIONS - 1;
	order.count = LIMIT_BATCH;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	free_agent(agent, &cm);
}

/* Connected before they are made, and to a port that is not the client's. */
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
	assert_non_null(strstr(agent->refused.text, "its client's port only"));
	agent->endpoint.transport = TRANSPORT_IWARP;
	assert_int_equal(agent_exchange_many(agent, &order, &reply), -EINVAL);
	free_agent(agent, &cm);
}

/* The memory of all of them is the server's to give. */
static int no_memory(void *context, int64_t bytes)
{
	(void)context;
	return bytes > 4096 ? -ENOMEM : 0;
}

static void memory_is_counted(void **state)
{
	struct message_connected_many reply;
	struct message_connect_many order = usual;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_agent(&cm);
	agent->reserve = no_memory;
	order.count = 1000;
	assert_int_equal(agent_connect_many(agent, &order, &reply), -EINVAL);
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
		cmocka_unit_test(far_side_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
