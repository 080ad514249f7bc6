/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/agent_serve.h"

#include <errno.h>
#include <stdio.h>

#include "selftest/wire/exchange.h"

/* How long the client may take to read an answer. */
#define SEND_MSEC 5000

/* How often to look whether the device is still there while the client is silent. */
#define LOOK_MSEC 500u

/* Until the client speaks or ends, or until something else does not let it go on. */
static enum stop await_order(struct agent *agent, unsigned int idle_msec)
{
	enum stop stop = STOP_NONE;

	for (unsigned int waited = 0; waited < idle_msec && stop <= STOP_TIMED_OUT;) {
		unsigned int step = idle_msec - waited < LOOK_MSEC ? idle_msec - waited : LOOK_MSEC;

		stop = watch_wait(&agent->watch, -1, (int)step);
		waited += stop == STOP_TIMED_OUT ? step : 0;
	}
	return stop;
}

void agent_serve(struct agent *agent, int channel, unsigned int idle_msec,
		 struct agent_served *ret_served)
{
	struct agent_served served = {0};
	struct message order, reply;
	int rc;

	for (;;) {
		served.stop = await_order(agent, idle_msec);
		if (served.stop == STOP_DEVICE_GONE || served.stop == STOP_INTERRUPTED ||
		    served.stop == STOP_TIMED_OUT) {
			rc = -ECANCELED;
			break;
		}
		rc = exchange_receive(channel, &agent->watch, idle_msec, &order, &served.stop,
				      &served.complaint);
		if (rc || order.type == MESSAGE_BYE)
			break;
		agent_execute(agent, &order, &reply);
		served.orders++;
		if (reply.type == MESSAGE_REFUSED && reply.refused.refusal != REFUSAL_FAILED)
			snprintf(served.refused, sizeof(served.refused), "%s", reply.refused.text);
		rc = exchange_send(channel, &reply, SEND_MSEC);
		if (rc)
			break;
	}
	if (rc && !served.stop)
		served.stop = rc == -ETIMEDOUT ? STOP_TIMED_OUT : STOP_PEER_GONE;
	*ret_served = served;
}
