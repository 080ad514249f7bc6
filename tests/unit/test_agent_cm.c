/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent waits for events of a made-up librdmacm, which lets in strangers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "selftest/agent/agent.h"

/* More requests than a wait of this length may see, one a millisecond. */
#define FLOOD	   1000u
#define SHORT_MSEC 30u

/*
 * librdmacm as the agent sees it: first `events`, each once, then `flood` connect requests of
 * strangers. The context of each id points here.
 */
struct cm {
	struct rdma_event_channel channel;
	struct rdma_cm_id listener, own, stranger;
	struct rdma_cm_event events[4], request;
	size_t event_count, given;
	unsigned int flood;
	unsigned int acknowledged, rejected, destroyed;
	bool early; /* an id was destroyed before its event was acknowledged */
};

static int give_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct cm *cm = (struct cm *)channel;

	if (cm->given < cm->event_count) {
		*event = &cm->events[cm->given++];
		return 0;
	}
	if (cm->flood) {
		cm->flood--;
		nanosleep(&pause, NULL);
		cm->given++;
		*event = &cm->request;
		return 0;
	}
	errno = EAGAIN;
	return -1;
}

static int take_back(struct rdma_cm_event *event)
{
	struct cm *cm = event->id->context;

	cm->acknowledged++;
	return 0;
}

static int reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	struct cm *cm = id->context;

	assert_null(data);
	assert_int_equal(length, 0);
	assert_ptr_equal(id, &cm->stranger);
	cm->rejected++;
	return 0;
}

static int destroy(struct rdma_cm_id *id)
{
	struct cm *cm = id->context;

	assert_ptr_equal(id, &cm->stranger);
	cm->early = cm->early || cm->acknowledged != cm->given;
	cm->destroyed++;
	return 0;
}

/* The connecting side waits for the address of an id that needs no memory. */
static int create_none(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		       enum rdma_port_space space)
{
	(void)channel, (void)id, (void)context, (void)space;
	return 0;
}

static int resolve_never(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
			 int msec)
{
	(void)id, (void)from, (void)to, (void)msec;
	return 0;
}

/* It exists, so librdmacm is already loaded. */
static struct rdma_event_channel *no_channel(void)
{
	fail();
	return NULL;
}

static struct agent *make_cm(struct cm *cm)
{
	struct agent *agent = agent_new(-1, -1);

	*cm = (struct cm){.channel.fd = eventfd(1, EFD_CLOEXEC)};
	cm->listener.context = cm->own.context = cm->stranger.context = cm;
	cm->request = (struct rdma_cm_event){
		.id = &cm->stranger,
		.listen_id = &cm->listener,
		.event = RDMA_CM_EVENT_CONNECT_REQUEST,
	};
	agent->api.rdma_get_cm_event = give_event;
	agent->api.rdma_ack_cm_event = take_back;
	agent->api.rdma_reject = reject;
	agent->api.rdma_destroy_id = destroy;
	agent->cm = &cm->channel;
	agent->listener = &cm->listener;
	return agent;
}

static void free_cm(struct agent *agent, const struct cm *cm)
{
	agent->cm = NULL;
	agent->listener = NULL;
	close(cm->channel.fd);
	agent_free(agent);
}

/* A stranger's connect request during a connection is rejected, and the connection succeeds. */
static void stranger_meanwhile(void **state)
{
	struct cm_news news;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_cm(&cm);
	cm.events[0] = cm.events[1] = cm.request;
	cm.events[2] = (struct rdma_cm_event){.id = &cm.own, .event = RDMA_CM_EVENT_ESTABLISHED};
	cm.event_count = 3;
	assert_int_equal(agent_cm_await(agent, &cm.own, RDMA_CM_EVENT_ESTABLISHED,
					clock_nsec() + 1000000000, &news),
			 0);
	assert_ptr_equal(news.id, &cm.own);
	assert_int_equal(cm.acknowledged, 3);
	assert_int_equal(cm.rejected, 2);
	assert_int_equal(cm.destroyed, 2);
	assert_false(cm.early);
	free_cm(agent, &cm);
}

/* An event about an id that is being closed is not a request: the id is destroyed elsewhere. */
static void old_id_meanwhile(void **state)
{
	struct cm_news news;
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_cm(&cm);
	cm.events[0] = (struct rdma_cm_event){.id = &cm.stranger,
					      .event = RDMA_CM_EVENT_DISCONNECTED};
	cm.events[1] = (struct rdma_cm_event){.id = &cm.own, .event = RDMA_CM_EVENT_ESTABLISHED};
	cm.event_count = 2;
	assert_int_equal(agent_cm_await(agent, &cm.own, RDMA_CM_EVENT_ESTABLISHED,
					clock_nsec() + 1000000000, &news),
			 0);
	assert_int_equal(cm.rejected + cm.destroyed, 0);
	free_cm(agent, &cm);
}

/* Endless requests with a cookie that is not the test's. */
static int accept_flooded(struct agent *agent, struct cm *cm, uint32_t msec)
{
	const struct message_accept order = {.cookie = 7, .timeout_msec = msec};
	struct message_connected reply;
	struct ibv_qp qp = {0};
	int rc;

	cm->flood = FLOOD;
	agent->qps[0].qp = &qp;
	rc = agent_accept(agent, &order, &reply);
	agent->qps[0].qp = NULL;
	assert_int_not_equal(cm->flood, 0);
	assert_int_equal(cm->rejected, FLOOD - cm->flood);
	assert_int_equal(cm->destroyed, FLOOD - cm->flood);
	return rc;
}

static void flood_until_deadline(void **state)
{
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_cm(&cm);
	assert_int_equal(accept_flooded(agent, &cm, SHORT_MSEC), -ETIMEDOUT);
	assert_int_not_equal(cm.flood, FLOOD);
	free_cm(agent, &cm);
}

/* The same while many connections are accepted, or made: strangers begin no other wait. */
static void flood_of_many(void **state)
{
	for (uint32_t active = 0; active < 2; active++) {
		const struct message_connect_many order = {.active = active,
							   .count = 1,
							   .at_once = 1,
							   .cookie = 7,
							   .timeout_msec = SHORT_MSEC};
		struct message_connected_many reply;
		struct agent *agent;
		struct cm cm;

		(void)state;
		agent = make_cm(&cm);
		agent->api.rdma_create_event_channel = no_channel;
		agent->api.rdma_create_id = create_none;
		agent->api.rdma_resolve_addr = resolve_never;
		cm.flood = FLOOD;
		assert_int_equal(agent_connect_many(agent, &order, &reply), -ETIMEDOUT);
		assert_in_range(cm.flood, 1, FLOOD - 1);
		assert_int_equal(cm.destroyed, FLOOD - cm.flood);
		free_cm(agent, &cm);
	}
}

static void flood_and_signal(void **state)
{
	int signals = eventfd(1, EFD_CLOEXEC);
	struct agent *agent;
	struct cm cm;

	(void)state;
	agent = make_cm(&cm);
	agent->watch.signals = signals;
	assert_int_equal(accept_flooded(agent, &cm, 3600000), -EINTR);
	free_cm(agent, &cm);
	close(signals);
}

static void flood_and_no_peer(void **state)
{
	struct agent *agent;
	struct cm cm;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[1]);
	agent = make_cm(&cm);
	agent->watch.channel = pair[0];
	assert_int_equal(accept_flooded(agent, &cm, 3600000), -ECONNRESET);
	free_cm(agent, &cm);
	close(pair[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stranger_meanwhile),	cmocka_unit_test(old_id_meanwhile),
		cmocka_unit_test(flood_until_deadline), cmocka_unit_test(flood_and_signal),
		cmocka_unit_test(flood_and_no_peer),	cmocka_unit_test(flood_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
