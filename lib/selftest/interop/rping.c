/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The librdmacm connection with rping, as its client and server. */
#include "base/mem.h"
#include "selftest/interop/rping.h"

static const struct interop_role rping_role = {
	.test = "rping",
	.program = "rping",
	.client_summary = "text that rping -s reads and writes back; latency is per round",
	.server_summary = "text read from rping -c and written back; latency is per read",
	.connection = CONNECTION_CM,
	.port = RPING_PORT,
	.bytes = 64,
	.least_bytes = RPING_LEAST_BYTES,
	.most_bytes = RPING_MOST_BYTES,
	.iterations = 100,
	.client_transfers = 2,
	.server_transfers = 1,
	.command = rping_command,
};

static void run_client(struct rping *run)
{
	struct interop *session = run->cm.session;

	if (!rping_make(run) && !interop_cm_connect(&run->cm) && !interop_post_receive(session) &&
	    !rping_exchange(run))
		agent_disconnect(session->agent, &(struct message_disconnect){
							 .slot = INTEROP_QP,
							 .active = 1,
							 .timeout_msec = INTEROP_DISCONNECT_MSEC,
						 });
}

static int make(struct interop_cm *cm)
{
	struct rping *run = (struct rping *)cm;

	run->sending = false;
	return rping_make(run);
}

static int post(struct interop_cm *cm)
{
	return interop_post_receive(cm->session);
}

static int exchange(struct interop_cm *cm)
{
	return rping_exchange((struct rping *)cm);
}

int interop_rping(const struct interop_request *request, const struct endpoint *local,
		  struct selftest_results *results)
{
	struct interop session;
	struct rping run = {
		.cm = {.session = &session, .make = make, .post = post, .exchange = exchange},
	};
	int rc = interop_begin(&session, &rping_role, request, local, results);

	if (!rc && request->server)
		interop_cm_serve(&run.cm);
	else if (!rc)
		run_client(&run);
	return interop_end(&session);
}
