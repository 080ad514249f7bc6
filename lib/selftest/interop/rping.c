/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop_cm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"

enum { SLOT_INFOS, SLOT_SOURCE, SLOT_TARGET };

int rping_make(struct interop_cm *cm)
{
	struct rping *run = (struct rping *)cm;
	struct interop *session = cm->session;
	const bool server = session->server;
	/* On iWARP the other side answers a server's read by writing into its buffer, RFC 5040. */
	const bool written = !server || session->local->transport == TRANSPORT_IWARP;

	run->sending = false;
	if (interop_make_qp(session, INTEROP_QP))
		return -EIO;
	run->infos = interop_make_buffer(session, SLOT_INFOS, 2 * RPING_INFO_BYTES, ACCESS_LOCAL);
	if (!run->infos)
		return -EIO;
	run->source = run->target = interop_make_buffer(
		session, SLOT_TARGET, server ? RPING_MOST_BYTES : session->bytes,
		written ? ACCESS_LOCAL | ACCESS_WRITE : ACCESS_LOCAL);
	if (!server && run->target)
		run->source = interop_make_buffer(session, SLOT_SOURCE, session->bytes,
						  ACCESS_LOCAL | ACCESS_READ);
	if (!run->source)
		return -EIO;
	interop_set_parts(session, interop_part(run->infos, 0, RPING_INFO_BYTES),
			  interop_part(run->infos, RPING_INFO_BYTES, RPING_INFO_BYTES));
	run->data_part = interop_part(run->target, 0, 0);
	run->data = (struct ibv_send_wr){
		.wr_id = INTEROP_MOVED,
		.sg_list = &run->data_part,
		.num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	};
	return 0;
}

/* A disconnected queue pair flushes, or gets no response, before the event arrives. */
static int fail_completion(struct rping *run, const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_WR_FLUSH_ERR || wc->status == IBV_WC_RETRY_EXC_ERR ||
	    wc->status == IBV_WC_GENERAL_ERR || wc->status == IBV_WC_FATAL_ERR)
		interop_cm_wait_event(&run->cm, EXPLAIN_MSEC);
	return run->cm.ended ? -ECONNRESET : interop_fail_status(run->cm.session, wc);
}

/* Waits for all completions in `wanted`, and clears them. */
static int await(struct rping *run, unsigned int wanted)
{
	struct interop *session = run->cm.session;
	struct ibv_wc wc;

	while ((session->seen & wanted) != wanted) {
		if (interop_next_completion(session, &wc)) {
			int rc = interop_cm_look(&run->cm);

			if (rc)
				return rc;
			continue;
		}
		if (wc.status != IBV_WC_SUCCESS)
			return fail_completion(run, &wc);
		if (wc.wr_id == INTEROP_RECEIVED && wc.byte_len != RPING_INFO_BYTES)
			return interop_fail_with(session, LIST_INTEROP_RPING_LENGTH, 0, "%" PRIu32,
						 wc.byte_len);
		session->seen |= (unsigned int)wc.wr_id;
	}
	session->seen &= ~wanted;
	return 0;
}

static int send_info(struct rping *run, const struct rping_info *info)
{
	int rc = run->sending ? await(run, INTEROP_SENT) : 0;

	if (rc)
		return rc;
	rping_info_encode(info, run->infos->bytes + RPING_INFO_BYTES);
	run->sending = true;
	return interop_post_send(run->cm.session, INTEROP_QP, &run->cm.session->send);
}

static int receive_info(struct rping *run, struct rping_info *ret)
{
	int rc = await(run, INTEROP_RECEIVED);

	if (rc)
		return rc;
	rping_info_decode(run->infos->bytes, ret);
	return interop_post_receive(run->cm.session);
}

/* Offers the server a buffer, and waits until the server has used it. */
static int offer(struct rping *run, const struct agent_buffer *buffer)
{
	const struct rping_info info = {
		.address = (uintptr_t)buffer->bytes,
		.key = buffer->mr->rkey,
		.bytes = (uint32_t)run->cm.session->bytes,
	};
	struct rping_info answer;

	return send_info(run, &info) ?: receive_info(run, &answer);
}

static int client_round(struct rping *run)
{
	struct interop *session = run->cm.session;
	uint64_t begin, end;
	int rc;

	rping_text_fill(run->source->bytes, session->bytes, session->done);
	memset(run->target->bytes, 0, session->bytes);
	begin = clock_raw_nsec();
	rc = offer(run, run->source) ?: offer(run, run->target);
	end = clock_raw_nsec();
	if (rc)
		return rc;
	if (interop_check_data(session, run->source->bytes, run->target->bytes))
		return -EIO;
	sampler_add(&session->sampler, end - begin);
	session->done++;
	return 0;
}

static int move(struct rping *run, enum ibv_wr_opcode opcode, const struct rping_info *at,
		uint32_t bytes)
{
	run->data.opcode = opcode;
	run->data.wr.rdma.remote_addr = at->address;
	run->data.wr.rdma.rkey = at->key;
	run->data_part.length = bytes;
	return interop_post_send(run->cm.session, INTEROP_QP, &run->data)
		       ?: await(run, INTEROP_MOVED);
}

static int check_text(struct rping *run)
{
	struct interop *session = run->cm.session;
	const uint8_t *text = run->target->bytes;

	if (!session->done) {
		run->usual = rping_text_is_usual(text, session->bytes);
		if (!run->usual)
			interop_remark(
				session,
				"the client's text is not rping's, and was written back unchecked");
	}
	if (!run->usual)
		return 0;
	rping_text_fill(run->expected, session->bytes, session->done);
	return interop_check_data(session, run->expected, text);
}

static int check_info(struct rping *run, const struct rping_info *info)
{
	struct interop *session = run->cm.session;

	if (info->bytes && info->bytes <= RPING_MOST_BYTES)
		return 0;
	return interop_fail_with(session, LIST_INTEROP_RPING_MOVE, 0, "%" PRIu32, info->bytes);
}

/* Reads the client's text, then writes back as much as the client has room for. */
static int server_round(struct rping *run)
{
	static const struct rping_info go_ahead;
	struct interop *session = run->cm.session;
	struct rping_info source, target;
	uint64_t begin, nsec;
	int rc;

	run->between = true;
	rc = receive_info(run, &source);
	if (rc)
		return rc;
	run->between = false;
	if (check_info(run, &source))
		return -EIO;
	session->bytes = source.bytes;
	begin = clock_raw_nsec();
	rc = move(run, IBV_WR_RDMA_READ, &source, source.bytes);
	nsec = clock_raw_nsec() - begin;
	rc = rc ?: check_text(run);
	if (rc)
		return rc;
	rc = send_info(run, &go_ahead) ?: receive_info(run, &target) ?: check_info(run, &target)
		     ?: move(run, IBV_WR_RDMA_WRITE, &target,
			     target.bytes < source.bytes ? target.bytes : source.bytes)
		     ?: send_info(run, &go_ahead);
	if (rc)
		return rc;
	sampler_add(&session->sampler, nsec);
	session->done++;
	return 0;
}

/* The client may end at any time, unless the user specified the number of rounds. */
static int judge_end(struct rping *run)
{
	struct interop *session = run->cm.session;
	bool enough = session->done && (!session->request->iterations ||
					session->done >= session->request->iterations);

	if (session->server && run->between && enough)
		return 0;
	if (session->done)
		return interop_fail_stop(session, STOP_PEER_GONE);
	return interop_fail(session, LIST_INTEROP_NO_ROUND, !session->server);
}

int rping_exchange(struct interop_cm *cm)
{
	struct rping *run = (struct rping *)cm;
	struct interop *session = cm->session;
	int rc = 0;

	if (session->server)
		run->expected = mem_alloc_zero(1, RPING_MOST_BYTES);
	if (interop_run_begin(session, session->agent->cm->fd))
		return -EIO;
	if (session->server)
		while (!rc)
			rc = server_round(run);
	else
		while (!rc && session->done < session->iterations)
			rc = client_round(run);
	rc = interop_run_end(session, rc);
	free(run->expected);
	run->expected = NULL;
	return rc == -ECONNRESET ? judge_end(run) : rc;
}

static int exchange(struct interop_cm *cm)
{
	int rc = rping_exchange(cm);

	if (!rc && !cm->session->server)
		agent_disconnect(cm->session->agent,
				 &(struct message_disconnect){
					 .slot = INTEROP_QP,
					 .active = 1,
					 .timeout_msec = INTEROP_DISCONNECT_MSEC,
				 });
	return rc;
}

static void run(struct interop *session)
{
	struct rping run = {
		.cm = {.session = session,
		       .make = rping_make,
		       .post = interop_post_receive,
		       .exchange = exchange},
	};

	interop_cm_run(&run.cm);
}

const struct interop_role rping_role = {
	.test = "rping",
	.program = "rping",
	.client_summary = "text that rping -s reads and writes back; latency is per round",
	.server_summary = "text read from rping -c and written back; latency is per read",
	.connection = CONNECTION_CM,
	.kind = QP_RC,
	.back_too = true,
	.port = RPING_PORT,
	.bytes = 64,
	.least_bytes = RPING_LEAST_BYTES,
	.most_bytes = RPING_MOST_BYTES,
	.iterations = 100,
	.command = rping_command,
	.run = run,
};
