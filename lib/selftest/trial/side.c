/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/side.h"

#include <errno.h>

#include "selftest/wire/exchange.h"

static int judge(struct side *side, int rc, enum stop stop)
{
	side->stop = stop ? stop : rc == -ETIMEDOUT ? STOP_TIMED_OUT : STOP_PEER_GONE;
	return rc;
}

/* The type of the reply that an order gets when it is carried out. */
static uint32_t reply_type(uint32_t order)
{
	switch (order) {
	case MESSAGE_OPEN:
		return MESSAGE_OPENED;
	case MESSAGE_BUFFER:
		return MESSAGE_BUFFERED;
	case MESSAGE_CHECK:
		return MESSAGE_CHECKED;
	case MESSAGE_PAIR:
		return MESSAGE_PAIRED;
	case MESSAGE_QUERY:
		return MESSAGE_QUERIED;
	case MESSAGE_WAIT:
		return MESSAGE_WAITED;
	case MESSAGE_LISTEN:
		return MESSAGE_LISTENING;
	case MESSAGE_ACCEPT:
	case MESSAGE_CONNECT:
		return MESSAGE_CONNECTED;
	case MESSAGE_JOIN:
		return MESSAGE_JOINED;
	case MESSAGE_RUN:
	case MESSAGE_GATHER:
		return MESSAGE_RAN;
	case MESSAGE_COUNTERS:
		return MESSAGE_COUNTED;
	case MESSAGE_HELLO:
		return MESSAGE_WELCOME;
	default:
		return MESSAGE_DONE;
	}
}

static int check_reply(struct side *side, const struct message *order, const struct message *reply)
{
	if (reply->type == MESSAGE_REFUSED)
		return -EREMOTEIO;
	if (reply->type == reply_type(order->type))
		return 0;
	side->complaint = "an answer that does not belong to the order";
	return judge(side, -EPROTO, STOP_PEER_GONE);
}

int side_start(struct side *side, const struct message *order, struct message *held)
{
	int rc;

	if (side->agent) {
		agent_execute(side->agent, order, held);
		return 0;
	}
	if (side->stop)
		return -ECONNRESET;
	rc = exchange_send(side->channel, order, SIDE_PATIENCE_MSEC);
	return rc ? judge(side, rc, STOP_NONE) : 0;
}

int side_finish(struct side *side, const struct message *order, unsigned int msec,
		struct message *held)
{
	enum stop stop;
	int rc;

	if (!side->agent) {
		rc = exchange_receive(side->channel, side->watch, msec + SIDE_PATIENCE_MSEC, held,
				      &stop, &side->complaint);
		if (rc)
			return judge(side, rc, stop);
	}
	return check_reply(side, order, held);
}

/* What an order itself may take. */
static unsigned int order_msec(const struct message *order)
{
	switch (order->type) {
	case MESSAGE_WAIT:
		return order->wait.timeout_msec;
	case MESSAGE_ACCEPT:
		return order->accept.timeout_msec;
	case MESSAGE_CONNECT:
		return order->connect.timeout_msec;
	case MESSAGE_DISCONNECT:
		return order->disconnect.timeout_msec;
	case MESSAGE_JOIN:
		return order->join.timeout_msec;
	default:
		return 0;
	}
}

int side_call(struct side *side, const struct message *order, struct message *reply)
{
	int rc = side_start(side, order, reply);

	return rc ? rc : side_finish(side, order, order_msec(order), reply);
}
