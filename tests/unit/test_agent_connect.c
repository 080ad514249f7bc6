/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The orders for connections and groups of librdmacm: what an agent refuses, what it answers, and
 * what happens to the queue pair. librdmacm is in memory.
 */
#include "perfect_cm.h"

#include <net/if.h>
#include <stdio.h>

/* As the trial orders them; slot 1 is a datagram queue pair. */
static void make_qps(struct side *side)
{
	const struct message_cq cq = {.entries = 16};
	struct message_qp qp = {.send_depth = 1, .receive_depth = 1, .sges = 1};
	struct message_qp_created created;

	assert_int_equal(side_cq(side, &cq), 0);
	for (; qp.slot < 2; qp.slot++) {
		qp.kind = qp.slot ? QP_UD : QP_RC;
		assert_int_equal(side_qp(side, &qp, &created), 0);
	}
}

static void expect_refusal(const struct agent *agent, int rc, enum refusal refusal,
			   const char *text)
{
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(agent->refused.refusal, refusal);
	assert_string_equal(agent->refused.text, text);
}

static void expect_failure(const struct agent *agent, int rc, int error, const char *text)
{
	assert_int_equal(rc, -error);
	assert_int_equal(agent->refused.refusal, REFUSAL_FAILED);
	assert_int_equal(agent->refused.stage, STAGE_CM);
	assert_int_equal(agent->refused.error, error);
	assert_string_equal(agent->refused.text, text);
}

/* librdmacm is only called if everything that a connection needs is there. */
static void orders_refused(void **state)
{
	struct message_connect connect = {.slot = 2, .port = 7, .timeout_msec = 20};
	struct message_accept accept = {.slot = 2, .timeout_msec = 20};
	struct message_disconnect disconnect = {.timeout_msec = 20};
	struct message_connected connected;
	struct soft_trial bed;
	struct agent *agent;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	make_qps(&bed.trial.near);
	connect.ip = soft.ports[1].endpoint.ip;
	expect_refusal(agent, agent_connect(agent, &connect, &connected), REFUSAL_ORDER,
		       "no queue pair 2 to connect");
	expect_refusal(agent, agent_accept(agent, &accept, &connected), REFUSAL_ORDER,
		       "no queue pair 2 to connect");
	connect.slot = accept.slot = 1;
	expect_refusal(agent, agent_connect(agent, &connect, &connected), REFUSAL_ORDER,
		       "no queue pair 1 to connect");
	expect_refusal(agent, agent_accept(agent, &accept, &connected), REFUSAL_ORDER,
		       "no queue pair 1 to connect");
	connect.slot = accept.slot = 0;
	expect_refusal(agent, agent_accept(agent, &accept, &connected), REFUSAL_ORDER,
		       "nothing listens");
	expect_refusal(agent, agent_disconnect(agent, &disconnect), REFUSAL_ORDER,
		       "queue pair 0 is not connected");
	agent->guard.strict = true;
	expect_refusal(agent, agent_connect(agent, &connect, &connected), REFUSAL_ORDER,
		       "this server sends only to its client's port");
	agent->guard.strict = false;
	assert_int_equal(ip_parse("fe80::1", &connect.ip), 0);
	expect_failure(agent, agent_connect(agent, &connect, &connected), EAFNOSUPPORT,
		       "no address of the peer's family");
	assert_int_equal(soft_cm.count, 0);
	soft_cm_end(&bed);
}

/* The address of the device; only the newest listener remains. */
static void listens(void **state)
{
	static const struct {
		uint32_t own;
		bool fits;
	} families[] = {
		{0, false},
		{AF_INET, true},
		{AF_INET6, true},
	};
	struct message_listening reply;
	struct soft_trial bed;
	struct agent *agent;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		int rc;

		if (families[i].own == AF_INET6)
			assert_int_equal(ip_parse("2001:db8::1", &agent->endpoint.ip), 0);
		agent->endpoint.ip.family = (uint8_t)families[i].own;
		soft.ports[0].endpoint.ip = agent->endpoint.ip;
		reply = (struct message_listening){.port = 0};
		rc = agent_listen(agent, &(struct message_none){}, &reply);
		assert_int_equal(soft_cm.count, families[i].fits);
		if (!families[i].fits) {
			expect_failure(agent, rc, EADDRNOTAVAIL, "no address to listen on");
			continue;
		}
		assert_int_equal(rc, 0);
		assert_true(ip_equal(&reply.ip, &agent->endpoint.ip));
		assert_int_equal(reply.port, SOFT_CM_PORT);
		assert_int_equal(soft_cm.backlog, LIMIT_AT_ONCE);
	}
	assert_int_equal(soft_cm.channels, 1);
	/* The device of librdmacm is a different one, or not known yet. */
	snprintf(soft_cm.devices[0].name, sizeof(soft_cm.devices[0].name), "none1");
	expect_failure(agent, agent_listen(agent, &(struct message_none){}, &reply), EXDEV,
		       "none1");
	soft_cm.devices[0].name[0] = '\0';
	assert_int_equal(agent_listen(agent, &(struct message_none){}, &reply), 0);
	soft_cm_end(&bed);
}

/* Both ends; the far one waits for the near one's request. */
static void connect_sides(struct soft_trial *bed, uint32_t max_rd_atomic)
{
	const struct message accept = {
		.type = MESSAGE_ACCEPT,
		.accept = {.cookie = 0x01020304,
			   .timeout_msec = 8000,
			   .max_rd_atomic = max_rd_atomic,
			   .rnr_retries = 5},
	};
	struct message_connect connect = {
		.cookie = 0x01020304,
		.timeout_msec = 8000,
		.max_rd_atomic = max_rd_atomic,
		.retries = 4,
		.rnr_retries = 3,
	};
	struct side *near = &bed->trial.near, *far = &bed->trial.far;
	struct message_listening listening;
	struct message_connected connected;
	struct message held = {0};

	make_qps(near);
	make_qps(far);
	assert_int_equal(side_listen(far, &(struct message_none){}, &listening), 0);
	connect.ip = listening.ip;
	connect.port = listening.port;
	assert_int_equal(side_start(far, &accept, &held), 0);
	assert_int_equal(side_connect(near, &connect, &connected), 0);
	assert_int_equal(connected.cookie, 0x01020304);
	assert_int_equal(side_finish(far, &accept, 8000, &held), 0);
	assert_int_equal(held.type, MESSAGE_CONNECTED);
	assert_int_equal(held.connected.cookie, 0x01020304);
}

/* A connection that ends before it is established, which nobody has to wait for. */
static void ends_early(void **state)
{
	const struct message accept = {.type = MESSAGE_ACCEPT, .accept = {.timeout_msec = 60000}};
	struct message_connect connect = {.timeout_msec = 60000};
	struct message_listening listening;
	struct message_connected connected;
	struct message held = {0};
	struct soft_trial bed;
	struct side *far;

	(void)state;
	soft_cm_begin(&bed);
	far = &bed.trial.far;
	make_qps(&bed.trial.near);
	make_qps(far);
	soft_cm.changes = true;
	soft_cm.of = RDMA_CM_EVENT_ESTABLISHED;
	soft_cm.instead = RDMA_CM_EVENT_DISCONNECTED;
	assert_int_equal(side_listen(far, &(struct message_none){}, &listening), 0);
	connect.ip = listening.ip;
	connect.port = listening.port;
	assert_int_equal(side_start(far, &accept, &held), 0);
	assert_int_equal(side_connect(&bed.trial.near, &connect, &connected), 0);
	assert_int_equal(side_finish(far, &accept, 0, &held), -EREMOTEIO);
	assert_int_equal(far->refused.cm_event, RDMA_CM_EVENT_DISCONNECTED);
	soft_cm_end(&bed);
}

/*
 * The attributes of both queue pairs: rights for all operations of the device, as many reads as the
 * order says, and the retries that each side requests of the other.
 */
static void attributes(void **state)
{
	static const struct {
		enum ibv_atomic_cap cap;
		unsigned int access;
	} rows[] = {
		{IBV_ATOMIC_NONE, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE},
		{IBV_ATOMIC_HCA,
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC},
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct soft_qp *near, *far;
		struct soft_trial bed;

		soft_cm_begin(&bed);
		bed.trial.near.agent->limits.atomic_cap = bed.far->limits.atomic_cap = rows[i].cap;
		connect_sides(&bed, 5 + i);
		near = (const struct soft_qp *)bed.trial.near.agent->qps[0].qp;
		far = (const struct soft_qp *)bed.far->qps[0].qp;
		assert_int_equal(near->attr.qp_state, IBV_QPS_RTS);
		assert_int_equal(far->attr.qp_state, IBV_QPS_RTS);
		assert_int_equal(near->attr.qp_access_flags, rows[i].access);
		assert_int_equal(far->attr.qp_access_flags, rows[i].access);
		for (int side = 0; side < 2; side++) {
			const struct ibv_qp_attr *attr = side ? &far->attr : &near->attr;

			assert_int_equal(attr->max_rd_atomic, 5 + i);
			assert_int_equal(attr->max_dest_rd_atomic, 5 + i);
			/* The accepting side's values are ignored: rdma_accept(3). */
			assert_int_equal(attr->retry_cnt, 4);
			assert_int_equal(attr->rnr_retry, side ? 3 : 5);
		}
		soft_cm_end(&bed);
	}
}

/* One side disconnects and the other waits for that; a queue pair has one connection. */
static void disconnects(void **state)
{
	struct message_disconnect order = {.timeout_msec = 8000};
	struct message_connect again = {.port = 7, .timeout_msec = 20};
	struct message_connected connected;
	struct soft_trial bed;
	struct agent *agent;

	(void)state;
	soft_cm_begin(&bed);
	connect_sides(&bed, 1);
	agent = bed.trial.near.agent;
	again.ip = soft.ports[1].endpoint.ip;
	expect_refusal(agent, agent_connect(agent, &again, &connected), REFUSAL_ORDER,
		       "no queue pair 0 to connect");
	soft_cm.refused = "rdma_disconnect";
	soft_cm.error = EIO;
	/* The waiting side makes no call. */
	soft_cm.ends_both = true;
	bed.far->api.rdma_disconnect(bed.far->qps[0].cm_id);
	assert_int_equal(agent_disconnect(agent, &order), 0);
	assert_int_equal(((struct soft_cm_id *)agent->qps[0].cm_id)->events, 0);
	expect_refusal(agent, agent_disconnect(agent, &order), REFUSAL_ORDER,
		       "queue pair 0 is not connected");
	assert_int_equal(side_disconnect(&bed.trial.far, &order), 0);
	soft_cm_end(&bed);

	soft_cm_begin(&bed);
	connect_sides(&bed, 1);
	agent = bed.trial.near.agent;
	order.active = 1;
	soft_cm.refused = "rdma_disconnect";
	soft_cm.error = EIO;
	expect_failure(agent, agent_disconnect(agent, &order), EIO, "rdma_disconnect");
	soft_cm.refused = NULL;
	agent->qps[0].connected = true;
	order.timeout_msec = 20;
	order.active = 0;
	expect_failure(agent, agent_disconnect(agent, &order), ETIMEDOUT, "rdma_get_cm_event");
	soft_cm.ends_both = true;
	agent->qps[0].connected = true;
	order.timeout_msec = 8000;
	order.active = 1;
	assert_int_equal(agent_disconnect(agent, &order), 0);
	order.active = 0;
	assert_int_equal(side_disconnect(&bed.trial.far, &order), 0);
	soft_cm_end(&bed);
}

/* rdma_cm picks the device by the address; it may be a different one. */
static void other_device(void **state)
{
	struct message_connect connect = {.port = 7, .timeout_msec = 8000};
	struct message_connected connected;
	struct soft_trial bed;
	struct agent *agent;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	make_qps(&bed.trial.near);
	connect.ip = soft.ports[1].endpoint.ip;
	snprintf(soft_cm.devices[0].name, sizeof(soft_cm.devices[0].name), "none1");
	expect_failure(agent, agent_connect(agent, &connect, &connected), EXDEV, "none1");
	soft_cm_end(&bed);
}

/* How a wait for an event ends, as an errno. */
static void ends_of_waits(void **state)
{
	static const struct {
		enum stop stop;
		int error;
	} rows[] = {
		{STOP_TIMED_OUT, ETIMEDOUT},  {STOP_INTERRUPTED, EINTR},
		{STOP_PEER_GONE, ECONNRESET}, {STOP_PEER_SPOKE, ECANCELED},
		{STOP_DEVICE_GONE, ENODEV},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t begin = clock_nsec();
		struct cm_news news;
		struct soft_trial bed;
		struct watch *watch;
		int pair[2];

		soft_cm_begin(&bed);
		watch = &bed.trial.near.agent->watch;
		assert_int_equal(agent_cm_open(bed.trial.near.agent), 0);
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		watch->channel = pair[0];
		watch->patient = false;
		watch->interrupted = rows[i].stop == STOP_INTERRUPTED;
		watch->device_gone = rows[i].stop == STOP_DEVICE_GONE;
		if (rows[i].stop == STOP_PEER_GONE)
			shutdown(pair[1], SHUT_RDWR);
		if (rows[i].stop == STOP_PEER_SPOKE)
			assert_int_equal(send(pair[1], "", 1, 0), 1);
		bed.trial.near.agent->refused.cm_event = 9;
		bed.trial.near.agent->refused.cm_status = 9;
		expect_failure(bed.trial.near.agent,
			       agent_cm_next(bed.trial.near.agent,
					     begin + (rows[i].stop == STOP_TIMED_OUT ? 20000000
										     : 60000000000),
					     &news),
			       rows[i].error, "rdma_get_cm_event");
		if (rows[i].stop == STOP_TIMED_OUT)
			assert_true(clock_nsec() - begin >= 20000000);
		watch->interrupted = watch->device_gone = false;
		watch->channel = bed.trial.far.channel;
		close(pair[0]);
		close(pair[1]);
		soft_cm_end(&bed);
	}
}

static int interrupted_once(struct rdma_event_channel *channel, struct rdma_cm_event **ret)
{
	if (soft_cm.interrupted++)
		return soft_cm_event(channel, ret);
	errno = EINTR;
	return -1;
}

/*
 * The far side has failed if it sends a message while this one connects; the event with the reason
 * comes later, or not at all.
 */
static void last_word(void **state)
{
	struct message_connect order = {.port = 7, .timeout_msec = 60000};

	(void)state;
	for (int comes = 0; comes < 2; comes++) {
		const uint64_t begin = clock_nsec();
		struct message_connected connected;
		struct soft_trial bed;
		struct agent *agent;
		int pair[2];

		soft_cm_begin(&bed);
		agent = bed.trial.near.agent;
		make_qps(&bed.trial.near);
		order.ip = soft.ports[1].endpoint.ip;
		/* Nobody listens there. */
		soft_cm.changes = !comes;
		soft_cm.of = RDMA_CM_EVENT_REJECTED;
		soft_cm.instead = NO_EVENT;
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(send(pair[1], "", 1, 0), 1);
		agent->watch.channel = pair[0];
		agent->watch.patient = true;
		expect_failure(agent, agent_connect(agent, &order, &connected),
			       comes ? ECONNREFUSED : ETIMEDOUT, "rdma_get_cm_event");
		assert_int_equal(agent->refused.cm_event, comes ? RDMA_CM_EVENT_REJECTED : 0);
		/* Long before the time limit of the order. */
		assert_true(clock_nsec() - begin < 50000000000);
		agent->watch.channel = bed.trial.far.channel;
		close(pair[0]);
		close(pair[1]);
		soft_cm_end(&bed);
	}
}

/*
 * A signal of another kind does not end the wait; the cookie is the first four bytes, if there are
 * four.
 */
static void events_are_read(void **state)
{
	static const uint32_t bytes[] = {0x11223344, 0x55667788};
	static const struct {
		enum rdma_cm_event_type type;
		uint8_t length;
		uint32_t cookie;
	} rows[] = {
		{RDMA_CM_EVENT_CONNECT_REQUEST, 0, 0},
		{RDMA_CM_EVENT_CONNECT_REQUEST, 3, 0},
		{RDMA_CM_EVENT_CONNECT_REQUEST, 4, 0x11223344},
		{RDMA_CM_EVENT_CONNECT_RESPONSE, 8, 0x11223344},
		{RDMA_CM_EVENT_MULTICAST_JOIN, 4, 0},
	};
	struct soft_trial bed;
	struct agent *agent;
	struct rdma_cm_id *id = NULL, *other;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	assert_int_equal(agent_cm_open(agent), 0);
	agent->api.rdma_get_cm_event = interrupted_once;
	assert_int_equal(soft_cm_create(agent->cm, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(soft_cm_create(agent->cm, &other, NULL, RDMA_PS_TCP), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rdma_cm_event *event =
			&soft_cm_push((struct soft_cm_id *)id, rows[i].type)->event;
		struct cm_news news;

		event->listen_id = other;
		event->status = -7;
		for (size_t j = 0; j < ARRAY_SIZE(bytes); j++)
			((struct soft_cm_event *)event)->data[j] = htonl(bytes[j]);
		if (rows[i].type == RDMA_CM_EVENT_MULTICAST_JOIN) {
			event->param.ud.private_data = ((struct soft_cm_event *)event)->data;
			event->param.ud.private_data_len = rows[i].length;
			event->param.ud.qkey = 5;
			event->param.ud.qp_num = 6;
			event->param.ud.ah_attr.dlid = 7;
		} else {
			event->param.conn.private_data = ((struct soft_cm_event *)event)->data;
			event->param.conn.private_data_len = rows[i].length;
		}
		assert_int_equal(agent_cm_next(agent, clock_nsec() + 60000000000, &news), 0);
		assert_int_equal(news.type, rows[i].type);
		assert_ptr_equal(news.id, id);
		assert_ptr_equal(news.listener, other);
		assert_int_equal(news.status, -7);
		assert_int_equal(news.cookie, rows[i].cookie);
		if (rows[i].type == RDMA_CM_EVENT_MULTICAST_JOIN) {
			assert_int_equal(news.group_qkey, 5);
			assert_int_equal(news.group_qpn, 6);
			assert_int_equal(news.group.dlid, 7);
		}
	}
	assert_int_equal(((struct soft_cm_id *)id)->events, 0);
	soft_cm_destroy(id);
	soft_cm_destroy(other);
	soft_cm_end(&bed);
}

/* The parameters of the connect request are those ordered, and nothing else. */
static void parameters(void **state)
{
	const struct rdma_conn_param *param;
	const struct agent_qp *qp;
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	connect_sides(&bed, 11);
	qp = &bed.trial.near.agent->qps[0];
	param = &((const struct soft_cm_id *)qp->cm_id)->param;
	assert_int_equal(param->private_data_len, 4);
	assert_int_equal(param->responder_resources, 11);
	assert_int_equal(param->initiator_depth, 11);
	assert_int_equal(param->retry_count, 4);
	assert_int_equal(param->rnr_retry_count, 3);
	assert_int_equal(param->qp_num, qp->qp->qp_num);
	assert_int_equal(param->flow_control, 0);
	assert_int_equal(param->srq, 0);
	soft_cm_end(&bed);
}

/* A link-local address means nothing without its netdev. */
static void addresses(void **state)
{
	static const struct {
		const char *text;
		bool local;
	} rows[] = {{"fe80::1", true}, {"2001:db8::1", false}, {"10.9.0.1", false}};
	struct agent *agent = agent_new(-1, -1);

	(void)state;
	snprintf(agent->endpoint.netdev, sizeof(agent->endpoint.netdev), "lo");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sockaddr_storage got, expected;
		struct ip_address ip;

		assert_int_equal(ip_parse(rows[i].text, &ip), 0);
		socket_address(&ip, rows[i].local ? if_nametoindex("lo") : 0, 4711, &expected);
		agent_cm_address(agent, &ip, 4711, &got);
		assert_memory_equal(&got, &expected, sizeof(got));
	}
	agent_free(agent);
}

/* The subnet manager chooses the path of a group, and of nothing else; RoCE has none. */
static void group_paths(void **state)
{
	static const struct {
		uint32_t link_layer;
		bool group;
		uint8_t sl, rate;
	} rows[] = {
		{LINK_LAYER_INFINIBAND, true, SOFT_GROUP_SL, IBV_RATE_10_GBPS},
		{LINK_LAYER_INFINIBAND, false, 2, 0},
		{LINK_LAYER_ETHERNET, true, 2, 0},
	};
	struct message_join order = {.slot = 1, .timeout_msec = 8000};
	struct message_joined joined;
	struct soft_trial bed;
	struct agent *agent;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	make_qps(&bed.trial.near);
	agent->path.sl = 2;
	assert_int_equal(ip_parse("239.1.2.3", &order.group), 0);
	assert_int_equal(agent_join(agent, &order, &joined), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message_address address = {.slot = 1, .to = soft.ports[1].endpoint};
		const struct soft_ah *made;

		agent->endpoint.link_layer = rows[i].link_layer;
		if (rows[i].group)
			address.to.gid = joined.gid;
		assert_int_equal(agent_address(agent, &address), 0);
		made = (const struct soft_ah *)agent->qps[1].ah;
		assert_int_equal(made->attr.sl, rows[i].sl);
		assert_int_equal(made->attr.static_rate, rows[i].rate);
	}
	soft_cm_end(&bed);
}

static void joins(void **state)
{
	struct message_join order = {.timeout_msec = 8000};
	struct message_joined joined;
	struct soft_trial bed;
	struct agent *agent;
	struct gid gid;

	(void)state;
	soft_cm_begin(&bed);
	agent = bed.trial.near.agent;
	make_qps(&bed.trial.near);
	assert_int_equal(ip_parse("239.1.2.3", &order.group), 0);
	gid = ip_to_gid(&order.group);
	expect_refusal(agent, agent_join(agent, &order, &joined), REFUSAL_ORDER,
		       "queue pair 0 cannot join");
	order.slot = 2;
	expect_refusal(agent, agent_join(agent, &order, &joined), REFUSAL_ORDER,
		       "queue pair 2 cannot join");
	expect_refusal(agent, agent_leave(agent, &(struct message_leave){.slot = 1}), REFUSAL_ORDER,
		       "queue pair 1 is in no group");
	order.slot = 1;
	agent->guard.strict = true;
	expect_refusal(agent, agent_join(agent, &order, &joined), REFUSAL_ORDER,
		       "this server joins only groups in 239.255.0.0/16 and ff1e::/16");
	agent->guard.strict = false;
	agent->endpoint.ip.family = AF_INET6;
	expect_failure(agent, agent_join(agent, &order, &joined), EAFNOSUPPORT,
		       "no address of the group's family");
	agent->endpoint.ip.family = AF_INET;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(agent_join(agent, &order, &joined), 0);
		assert_memory_equal(&joined.gid, &gid, sizeof(gid));
		assert_int_equal(joined.lid, SOFT_GROUP_LID);
		assert_int_equal(joined.qkey, 0x01234567);
		assert_int_equal(joined.qpn, 0xffffff);
		expect_refusal(agent, agent_join(agent, &order, &joined), REFUSAL_ORDER,
			       "queue pair 1 cannot join");
		assert_int_equal(soft_cm.members, 1);
		assert_int_equal(agent_leave(agent, &(struct message_leave){.slot = 1}), 0);
		assert_int_equal(soft_cm.members, 0);
		assert_int_equal(soft_cm.count, 0);
	}
	/*
	 * Leaving a group without having joined fails; the queue pair can be destroyed
	 * nevertheless.
	 */
	soft_cm.refused = "rdma_join_multicast";
	soft_cm.error = EIO;
	expect_failure(agent, agent_join(agent, &order, &joined), EIO, "rdma_join_multicast");
	assert_int_equal(agent_leave(agent, &(struct message_leave){.slot = 1}), 0);
	soft_cm.refused = NULL;
	assert_int_equal(agent_join(agent, &order, &joined), 0);
	soft_cm_end(&bed);
	assert_int_equal(soft_cm.members, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_refused), cmocka_unit_test(listens),
		cmocka_unit_test(attributes),	  cmocka_unit_test(disconnects),
		cmocka_unit_test(other_device),	  cmocka_unit_test(ends_of_waits),
		cmocka_unit_test(last_word),	  cmocka_unit_test(events_are_read),
		cmocka_unit_test(parameters),	  cmocka_unit_test(addresses),
		cmocka_unit_test(joins),	  cmocka_unit_test(group_paths),
		cmocka_unit_test(ends_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
