/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "selftest/diagnosis/diagnosis.h"
#include "selftest/agent/agent.h"
#include "counter/sysfs_counters.h"

static void fill_opened(const struct agent *agent, struct message_opened *reply)
{
	const struct ibv_device_attr *limits = &agent->limits;

	*reply = (struct message_opened){
		.far = agent->endpoint,
		.max_sges = limits->max_sge > 0 ? (uint32_t)limits->max_sge : 1,
		.max_depth = limits->max_qp_wr > 0 ? (uint32_t)limits->max_qp_wr : 1,
		.max_pairs = agent->most_pairs,
		.max_reads = (uint32_t)limits->max_qp_rd_atom & 0xff,
		.atomics = limits->atomic_cap != IBV_ATOMIC_NONE,
		.shared_receive = limits->max_srq > 0,
		.multicast = limits->max_mcast_grp > 0,
		.vendor = limits->vendor_id,
	};
}

static int open_for_peer(struct agent *agent, const struct message_open *order,
			 struct message_opened *reply)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct endpoint endpoint;
	int rc = 0;

	if (agent->context) {
		fill_opened(agent, reply);
		return 0;
	}
	if (!agent->find)
		return agent_refuse(agent, REFUSAL_ORDER, "no device may be opened");
	rc = agent->find(agent->find_context, order, &endpoint, &reason, &hint);
	if (rc)
		return agent_refuse(agent, REFUSAL_NO_PORT, "%s", reason ? reason : strerror(-rc));
	rc = agent_open(agent, &endpoint);
	if (!rc)
		fill_opened(agent, reply);
	return rc;
}

static void add_reading(const struct counter *counter, struct message_counted *reply)
{
	struct counter_reading *reading;

	if (reply->count >= LIMIT_COUNTERS)
		return;
	reading = &reply->items[reply->count++];
	snprintf(reading->name, sizeof(reading->name), "%s", counter->name);
	reading->value = counter->value;
}

/* Some devices have hundreds: those that can tell what is wrong go first, others while they fit. */
static int read_counters(struct agent *agent, struct message_counted *reply)
{
	struct counter_list list = {0};
	struct root root;
	int rc = root_open(NULL, &root);

	if (!rc) {
		rc = sysfs_counters_read(&root, agent->endpoint.device, agent->endpoint.port,
					 &list);
		root_close(&root);
	}
	for (size_t i = 0; i < list.count; i++)
		if (counter_class_of(list.items[i].name) != COUNTER_OTHER)
			add_reading(&list.items[i], reply);
	for (size_t i = 0; i < list.count; i++)
		if (counter_class_of(list.items[i].name) == COUNTER_OTHER)
			add_reading(&list.items[i], reply);
	counter_list_clear(&list);
	return rc ? agent_fail(agent, STAGE_NONE, -rc, "the counters") : 0;
}

static int make_things(struct agent *agent, const struct message *order, struct message *reply)
{
	switch (order->type) {
	case MESSAGE_OPEN:
		reply->type = MESSAGE_OPENED;
		return open_for_peer(agent, &order->open, &reply->opened);
	case MESSAGE_BUFFER:
		reply->type = MESSAGE_BUFFERED;
		return agent_buffer(agent, &order->buffer, &reply->buffered);
	case MESSAGE_FILL:
		return agent_fill(agent, &order->fill);
	case MESSAGE_CHECK:
		reply->type = MESSAGE_CHECKED;
		return agent_check(agent, &order->fill, &reply->checked);
	case MESSAGE_QUEUE:
		return agent_queue(agent, &order->queue);
	case MESSAGE_PAIR:
		reply->type = MESSAGE_PAIRED;
		return agent_pair(agent, &order->pair, &reply->paired);
	case MESSAGE_MODIFY:
		return agent_modify(agent, &order->modify);
	case MESSAGE_QUERY:
		reply->type = MESSAGE_QUERIED;
		return agent_query(agent, &order->query, &reply->queried);
	case MESSAGE_ADDRESS:
		return agent_address(agent, &order->address);
	case MESSAGE_RELEASE:
		agent_release(agent);
		return 0;
	case MESSAGE_COUNTERS:
		reply->type = MESSAGE_COUNTED;
		return read_counters(agent, &reply->counted);
	default:
		return agent_refuse(agent, REFUSAL_ORDER, "'%s' is no order",
				    message_name(order->type));
	}
}

static int move_things(struct agent *agent, const struct message *order, struct message *reply)
{
	switch (order->type) {
	case MESSAGE_POST:
		return agent_post(agent, &order->post);
	case MESSAGE_RECEIVE:
		return agent_receive(agent, &order->receive);
	case MESSAGE_WAIT:
		reply->type = MESSAGE_WAITED;
		return agent_wait(agent, &order->wait, &reply->waited);
	case MESSAGE_RUN:
		reply->type = MESSAGE_RAN;
		return agent_run(agent, &order->run, &reply->ran);
	case MESSAGE_GATHER:
		reply->type = MESSAGE_RAN;
		return agent_gather(agent, &order->gather, &reply->ran);
	case MESSAGE_LISTEN:
		reply->type = MESSAGE_LISTENING;
		return agent_listen(agent, &order->listen, &reply->listening);
	case MESSAGE_ACCEPT:
		reply->type = MESSAGE_CONNECTED;
		return agent_accept(agent, &order->accept, &reply->connected);
	case MESSAGE_CONNECT:
		reply->type = MESSAGE_CONNECTED;
		return agent_connect(agent, &order->connect, &reply->connected);
	case MESSAGE_DISCONNECT:
		return agent_disconnect(agent, &order->disconnect);
	case MESSAGE_JOIN:
		reply->type = MESSAGE_JOINED;
		return agent_join(agent, &order->join, &reply->joined);
	case MESSAGE_LEAVE:
		return agent_leave(agent, &order->leave);
	default:
		return make_things(agent, order, reply);
	}
}

void agent_execute(struct agent *agent, const struct message *order, struct message *reply)
{
	bool needs_device = order->type != MESSAGE_OPEN && order->type != MESSAGE_RELEASE;
	int rc;

	memset(reply, 0, sizeof(*reply));
	memset(&agent->refused, 0, sizeof(agent->refused));
	reply->type = MESSAGE_DONE;
	if (needs_device && !agent->context)
		rc = agent_refuse(agent, REFUSAL_ORDER, "no device is open");
	else
		rc = move_things(agent, order, reply);
	if (!rc)
		return;
	memset(reply, 0, sizeof(*reply));
	reply->type = MESSAGE_REFUSED;
	reply->refused = agent->refused;
}
