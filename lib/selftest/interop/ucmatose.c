/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ucmatose of rdma-core, as its client and server, on one librdmacm connection: the server sends a
 * number of messages at once, and the client as many when it has all of them; then the server
 * disconnects. A client sends from the buffer that it received into.
 */
#include <errno.h>
#include <inttypes.h>

#include "selftest/memory/pattern.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop_cm.h"

/* Limit for all messages of a side. */
#define UCMATOSE_MOST_BYTES (UINT64_C(64) << 20)

struct ucmatose {
	struct interop_cm cm; /* first, so that its functions find the rest */
	uint64_t sent_count;
	bool all_posted;
};

static int make(struct interop_cm *cm)
{
	struct ucmatose *run = (struct ucmatose *)cm;
	struct interop *session = cm->session;

	run->sent_count = 0;
	run->all_posted = false;
	if (interop_make_qp(session, INTEROP_QP) ||
	    interop_make_buffers(session, session->iterations * session->bytes, ACCESS_LOCAL))
		return -EIO;
	pattern_fill(session->sent, 0, session->bytes, 0);
	return 0;
}

static int post(struct interop *session)
{
	return interop_post_receives(session, session->iterations);
}

/* Only a client returns what it received; a server sends whatever its memory held. */
static int check_message(struct ucmatose *run, const struct ibv_wc *wc)
{
	struct interop *session = run->cm.session;
	const uint8_t *got = session->received +
			     (wc->wr_id >> INTEROP_PLACE_SHIFT) * session->bytes;

	if (interop_check_length(session, wc->byte_len) ||
	    (session->server && interop_check_data(session, session->sent, got)))
		return -EIO;
	session->done++;
	return 0;
}

static int take(struct ucmatose *run)
{
	struct interop *session = run->cm.session;
	struct ibv_wc wc;

	if (interop_next_completion(session, &wc))
		return interop_cm_look(&run->cm);
	if (wc.status != IBV_WC_SUCCESS) {
		/* A disconnected queue pair flushes before the event arrives. */
		if (wc.status == IBV_WC_WR_FLUSH_ERR && !run->cm.ended)
			interop_cm_wait_event(&run->cm, EXPLAIN_MSEC);
		return run->cm.ended ? -ECONNRESET : interop_fail_status(session, &wc);
	}
	if (wc.wr_id == INTEROP_SENT) {
		run->sent_count++;
		return 0;
	}
	return check_message(run, &wc);
}

static int send_all(struct ucmatose *run)
{
	struct interop *session = run->cm.session;

	for (uint64_t i = 0; i < session->iterations; i++)
		if (interop_post_send(session, INTEROP_QP, &session->send))
			return -EIO;
	run->all_posted = true;
	return 0;
}

static int rounds(struct ucmatose *run)
{
	struct interop *session = run->cm.session;
	int rc = session->server ? send_all(run) : 0;

	while (!rc && session->done < session->iterations)
		rc = take(run);
	if (!rc && !session->server)
		rc = send_all(run);
	while (!rc && run->sent_count < session->iterations)
		rc = take(run);
	return rc;
}

/* A server disconnects as soon as it has all messages, so the last acknowledgement may be late. */
static bool is_regular_end(struct ucmatose *run)
{
	struct interop *session = run->cm.session;
	struct ibv_wc wc;

	if (session->server || session->done < session->iterations || !run->all_posted)
		return false;
	while (ibv_poll_cq(session->agent->cqs[INTEROP_CQ].cq, 1, &wc) > 0)
		run->sent_count += wc.wr_id == INTEROP_SENT && wc.status == IBV_WC_SUCCESS;
	return true;
}

static int exchange(struct interop_cm *cm)
{
	struct ucmatose *run = (struct ucmatose *)cm;
	struct interop *session = cm->session;
	struct agent *agent = session->agent;
	int rc;

	if (interop_run_begin(session, agent->cm->fd))
		return -EIO;
	rc = interop_run_end(session, rounds(run));
	if (rc == -ECONNRESET && is_regular_end(run))
		rc = 0;
	if (rc == -ECONNRESET)
		return interop_fail_stop(session, STOP_PEER_GONE);
	if (rc)
		return rc;
	if (!session->server)
		interop_remark(session, "%s",
			       run->sent_count < session->iterations
				       ? "the last messages were not acknowledged: the server "
					 "disconnected, as it does once it has received all; the "
					 "data were not checked"
				       : "the data were not checked: a ucmatose server sends "
					 "what its memory happens to hold");
	/* The server disconnects, unless its client has already done so. */
	if (session->server && agent->api.rdma_disconnect(cm->id))
		return 0;
	if (!cm->ended)
		interop_cm_wait_event(cm, INTEROP_DISCONNECT_MSEC);
	return 0;
}

static void run(struct interop *session)
{
	struct ucmatose run = {
		.cm = {.session = session, .make = make, .post = post, .exchange = exchange},
	};

	if (session->bytes * session->iterations > UCMATOSE_MOST_BYTES)
		interop_fail_with(session, LIST_INTEROP_BYTES, 0, "%" PRIu64,
				  UCMATOSE_MOST_BYTES / session->iterations);
	else
		interop_cm_run(&run.cm);
}

const struct interop_role ucmatose_role = {
	.test = "ucmatose",
	.program = "ucmatose",
	.client_summary = "messages from a ucmatose server, and the same number to it",
	.server_summary = "messages to a ucmatose client, which sends them back",
	.connection = CONNECTION_CM,
	.kind = QP_RC,
	.all_at_once = true,
	.port = UCMATOSE_PORT,
	.bytes = 100,
	.most_bytes = UCMATOSE_MOST_BYTES,
	.iterations = 10,
	.command = ucmatose_command,
	.run = run,
};
