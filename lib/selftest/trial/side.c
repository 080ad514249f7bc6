/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/side.h"

#include <errno.h>
#include <string.h>

#include "selftest/wire/message.h"

static int lose(struct side *side, int rc)
{
	side->stop = rc == -EINTR	? STOP_INTERRUPTED
		     : rc == -ETIMEDOUT ? STOP_TIMED_OUT
					: STOP_PEER_GONE;
	return rc;
}

static int check_reply(struct side *side, const struct message *order, const struct message *reply)
{
	if (reply->type == MESSAGE_REFUSED) {
		side->refused = reply->refused;
		return -EREMOTEIO;
	}
	if (reply->type == message_rows[order->type].reply)
		return 0;
	side->complaint = "an answer that does not belong to the order";
	return lose(side, -EPROTO);
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
	return rc ? lose(side, rc) : 0;
}

int side_finish(struct side *side, const struct message *order, unsigned int msec,
		struct message *held)
{
	int rc;

	if (!side->agent) {
		rc = exchange_receive(side->channel, side->watch->signals,
				      msec + SIDE_PATIENCE_MSEC, held, &side->complaint);
		if (rc == -EINTR)
			side->watch->interrupted = true;
		if (rc)
			return lose(side, rc);
	}
	return check_reply(side, order, held);
}

int side_call(struct side *side, uint32_t type, const void *request, void *ret_reply)
{
	struct message order = {.type = type}, reply;
	int rc;

	memcpy(&order.body, request, message_rows[type].layout->record_size);
	rc = side_start(side, &order, &reply);
	if (!rc)
		rc = side_finish(side, &order, message_timeout_msec(&order), &reply);
	if (!rc && ret_reply)
		memcpy(ret_reply, &reply.body, message_rows[reply.type].layout->record_size);
	return rc;
}
