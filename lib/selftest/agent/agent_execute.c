/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Orders as messages: the handler of each, and an agent that takes orders from a socket. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/socket.h"
#include "counter/counter.h"
#include "selftest/agent/agent.h"
#include "selftest/wire/message.h"

/* Time limit for the client to read a reply. */
#define SEND_MSEC 5000
/* Interval of the checks that the device still exists while the client is silent. */
#define DEVICE_CHECK_MSEC 500u

/* Maximum of the 8-bit attributes of a queue pair. */
#define FIELD_READS 255

/*
 * Returns how many reads and atomics at a time a queue pair can both answer and request:
 * ibv_query_device(3). A driver that does not fill in the limit for requests leaves 0 there.
 */
static uint32_t most_reads(const struct ibv_device_attr *limits)
{
	const int asks = limits->max_qp_init_rd_atom, answers = limits->max_qp_rd_atom;
	const int both = asks > 0 && asks < answers ? asks : answers;

	return both < FIELD_READS ? (uint32_t)(both > 0 ? both : 0) : FIELD_READS;
}

int agent_open(struct agent *agent, const struct message_open *order, struct message_opened *reply)
{
	const struct ibv_device_attr *limits = &agent->limits;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct endpoint endpoint;
	int rc = 0;

	if (!agent->context && !agent->find)
		return agent_refuse(agent, REFUSAL_ORDER, "no device may be opened");
	if (!agent->context) {
		rc = agent->find(agent->owner, order, &endpoint, &reason, &hint);
		if (rc)
			return agent_refuse(agent, REFUSAL_NO_PORT, "%s",
					    reason ? reason : strerror(-rc));
		rc = agent_open_device(agent, &endpoint);
	}
	rc = rc ?: guard_open(agent, &order->near);
	if (rc)
		return rc;
	*reply = (struct message_opened){
		.far = agent->endpoint,
		.max_sges = limits->max_sge > 0 ? (uint32_t)limits->max_sge : 1,
		.max_depth = limits->max_qp_wr > 0 ? (uint32_t)limits->max_qp_wr : 1,
		.max_rd_atomic = most_reads(limits),
		.atomics = limits->atomic_cap != IBV_ATOMIC_NONE,
		.srq = limits->max_srq > 0,
		.multicast = limits->max_mcast_grp > 0,
		.vendor = limits->vendor_id,
	};
	if (limits->max_srq > 0 && limits->max_srq_wr > 0)
		reply->max_srq_depth = (uint32_t)limits->max_srq_wr;
	return 0;
}

/* Packets to a port need the header as much as those from it. */
int agent_header(struct agent *agent, const struct message_header *order,
		 struct message_header *reply)
{
	agent->needs_header = agent->needs_header || order->needed;
	reply->needed = agent->needs_header;
	return 0;
}

int agent_gid_look(struct agent *agent, const struct message_none *order,
		   struct message_gid_seen *reply)
{
	const struct endpoint *endpoint = &agent->endpoint;
	union ibv_gid now;

	(void)order;
	if (agent->api.ibv_query_gid(agent->context, (uint8_t)endpoint->port,
				     (int)endpoint->gid_index, &now))
		return agent_fail(agent, STAGE_OPEN, errno, "ibv_query_gid");
	reply->gone = memcmp(now.raw, endpoint->gid.raw, sizeof(now.raw)) != 0;
	return 0;
}

int agent_release(struct agent *agent, const struct message_none *order)
{
	(void)order;
	agent_reset(agent);
	return 0;
}

/*
 * Adds the counters that are useful for a diagnosis, or the others, while there is room. Some
 * devices have hundreds, so the useful ones go first.
 */
static void add_readings(const struct counter_list *list, bool useful,
			 struct message_counted *reply)
{
	for (size_t i = 0; i < list->count && reply->count < LIMIT_COUNTERS; i++) {
		struct counter_reading *reading = &reply->items[reply->count];

		if ((counter_class_of(list->items[i].name) != COUNTER_OTHER) != useful)
			continue;
		snprintf(reading->name, sizeof(reading->name), "%s", list->items[i].name);
		reading->value = list->items[i].value;
		reply->count++;
	}
}

int agent_read_counters(const struct endpoint *endpoint, struct counter_list *list)
{
	struct root root;
	int rc = root_open(NULL, &root);

	if (rc)
		return rc;
	rc = sysfs_counters_read(&root, endpoint->device, endpoint->port, list);
	root_close(&root);
	return rc;
}

int agent_counters(struct agent *agent, const struct message_none *order,
		   struct message_counted *reply)
{
	_cleanup_(counter_list_clear) struct counter_list list = {0};
	int rc = agent_read_counters(&agent->endpoint, &list);

	(void)order;
	add_readings(&list, true, reply);
	add_readings(&list, false, reply);
	return rc ? agent_fail(agent, STAGE_NONE, -rc, "the counters") : 0;
}

#define ORDER(number, constant, name, record, reply, reply_record)                  \
	static int call_##name(struct agent *agent, const struct message *order,    \
			       struct message *ret_reply)                           \
	{                                                                           \
		return agent_##name(agent, &order->name, (void *)&ret_reply->body); \
	}
#define COMMAND(number, constant, name, record)                                  \
	static int call_##name(struct agent *agent, const struct message *order, \
			       struct message *ret_reply)                        \
	{                                                                        \
		(void)ret_reply;                                                 \
		return agent_##name(agent, &order->name);                        \
	}
#include "selftest/wire/messages.def"

static int (*const handlers[MESSAGE_TYPES])(struct agent *agent, const struct message *order,
					    struct message *ret_reply) = {
#define MESSAGE(number, constant, name, record)
#define ORDER(number, constant, name, record, reply, reply_record) [number] = call_##name,
#include "selftest/wire/messages.def"
};

static bool awaits_completions(uint32_t type)
{
	return type == MESSAGE_WAIT || type == MESSAGE_RUN || type == MESSAGE_GATHER;
}

static int carry_out(struct agent *agent, const struct message *order, struct message *reply)
{
	const bool needs_device = order->type != MESSAGE_OPEN &&
				  order->type != MESSAGE_LIST_PORTS &&
				  order->type != MESSAGE_RELEASE;
	int rc;

	if (order->type >= MESSAGE_TYPES || !handlers[order->type])
		return agent_refuse(agent, REFUSAL_ORDER, "'%s' is not a request",
				    message_name(order->type));
	if (needs_device && !agent->context)
		return agent_refuse(agent, REFUSAL_ORDER, "no device is open");
	reply->type = message_rows[order->type].reply;
	rc = handlers[order->type](agent, order, reply);
	if (rc || !agent->watch.queue_error || !awaits_completions(order->type))
		return rc;
	return agent_fail(agent, STAGE_TRANSFER, agent->watch.queue_error, "a queue");
}

void agent_execute(struct agent *agent, const struct message *order, struct message *reply)
{
	memset(reply, 0, sizeof(*reply));
	memset(&agent->refused, 0, sizeof(agent->refused));
	if (!carry_out(agent, order, reply))
		return;
	memset(reply, 0, sizeof(*reply));
	reply->type = MESSAGE_REFUSED;
	reply->refused = agent->refused;
}

/* Waits until the client sends something, or until something ends the service. */
static enum stop await_order(struct agent *agent, uint64_t idle_msec)
{
	enum stop stop = STOP_NONE;

	for (uint64_t waited = 0; waited < idle_msec && stop <= STOP_TIMED_OUT;) {
		const uint64_t left = idle_msec - waited;
		const uint64_t step = left < DEVICE_CHECK_MSEC ? left : DEVICE_CHECK_MSEC;

		stop = watch_wait(&agent->watch, -1, (int)step);
		waited += stop == STOP_TIMED_OUT ? step : 0;
	}
	return stop;
}

/* A client only sees that the connection ends: tells it why. */
static void say_why(int channel, enum stop stop)
{
	const struct message leaving = {.type = MESSAGE_LEAVING, .leaving = {.stop = stop}};

	if (stop != STOP_PEER_GONE && !exchange_send(channel, &leaving, 0))
		exchange_end(channel);
}

/*
 * How long the client may measure while a passive side notices nothing. A run that counts its
 * messages has no duration, but no run may exceed the granted time.
 */
static uint64_t measuring_msec(const struct agent *agent, const struct message_run *run)
{
	return run->iterations ? agent->guard.most_msec : run->duration_msec;
}

/*
 * A call that fails is the client's test result, unless it keeps the client from testing at all:
 * then this host is at fault, and its user should hear of it.
 */
static void note_refusal(const struct message *order, const struct message_refused *refused,
			 struct agent_served *served)
{
	if (refused->refusal != REFUSAL_FAILED)
		snprintf(served->refused, sizeof(served->refused), "%s", refused->text);
	else if (order->type == MESSAGE_OPEN)
		snprintf(served->refused, sizeof(served->refused), "cannot open the device: %s",
			 strerror((int)refused->error));
}

void agent_serve(struct agent *agent, int channel, unsigned int idle_msec,
		 struct agent_served *ret_served)
{
	struct agent_served served = {0};
	struct message order, reply;
	uint64_t silence_msec = idle_msec;
	int rc;

	for (;;) {
		served.stop = await_order(agent, silence_msec);
		if (served.stop == STOP_DEVICE_GONE || served.stop == STOP_INTERRUPTED ||
		    served.stop == STOP_TIMED_OUT) {
			rc = -ECANCELED;
			break;
		}
		rc = exchange_receive(channel, agent->watch.signals, idle_msec, &order,
				      &served.complaint);
		served.cut_short = exchange_was_cut_short(rc, served.complaint);
		served.stop = STOP_NONE;
		/* The socket was readable, so this is its own error. */
		if (socket_is_given_up(-rc) && !served.complaint)
			served.lost = "TCP gave up the connection: the client's host acknowledged "
				      "nothing";
		if (rc || order.type == MESSAGE_BYE)
			break;
		agent_execute(agent, &order, &reply);
		silence_msec = idle_msec;
		if (order.type == MESSAGE_RUN && reply.type == MESSAGE_RAN)
			silence_msec += measuring_msec(agent, &order.run);
		served.orders++;
		if (reply.type == MESSAGE_REFUSED)
			note_refusal(&order, &reply.refused, &served);
		rc = exchange_send(channel, &reply, SEND_MSEC);
		/* No room in the socket until the time limit, or an error of the socket. */
		if (rc == -ETIMEDOUT)
			served.lost = "the client did not read a reply, or its host is gone";
		if (rc)
			break;
	}
	if (rc && !served.stop)
		served.stop = rc == -EINTR	 ? STOP_INTERRUPTED
			      : rc == -ETIMEDOUT ? STOP_TIMED_OUT
						 : STOP_PEER_GONE;
	if (served.stop)
		say_why(channel, served.stop);
	*ret_served = served;
}
