/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection with rping by librdmacm, as its client and server. */
#include "base/mem.h"
#include "selftest/interop/rping.h"

static const struct interop_role rping_role = {
	.test = "rping",
	.program = "rping",
	.client_summary =
		"text that rping -s reads and writes back; the latency is that of a round",
	.server_summary = "text of rping -c read and written back; the latency is that of a read",
	.connection = CONNECTION_CM,
	.port = RPING_PORT,
	.bytes = 64,
	.most_bytes = RPING_MOST_BYTES,
	.iterations = 100,
	.client_transfers = 2,
	.server_transfers = 1,
	.command = rping_command,
};

int interop_rping_client(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results)
{
	struct interop session;
	struct rping run = {.cm = {.session = &session}, .session = &session};
	int rc = interop_begin(&session, &rping_role, false, request, local, results);

	if (!rc && session.bytes < RPING_LEAST_BYTES)
		rc = interop_fail(&session, LIST_INTEROP_BYTES, -1,
				  mem_format("%u", RPING_LEAST_BYTES));
	if (!rc)
		rc = rping_make(&run);
	if (!rc)
		rc = interop_cm_connect(&run.cm);
	if (!rc)
		rc = interop_post_receive(&session);
	if (!rc)
		rc = rping_exchange(&run);
	if (!rc)
		agent_disconnect(session.agent, &(struct message_disconnect){
							.slot = INTEROP_QP,
							.active = 1,
							.timeout_msec = INTEROP_DISCONNECT_MSEC,
						});
	return interop_end(&session);
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

int interop_rping_server(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results)
{
	struct interop session;
	struct rping run = {
		.cm = {.session = &session, .make = make, .post = post, .exchange = exchange},
		.session = &session,
	};
	int rc = interop_begin(&session, &rping_role, true, request, local, results);

	if (!rc)
		interop_cm_serve(&run.cm);
	return interop_end(&session);
}
