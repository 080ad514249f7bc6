/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A pingpong of rdma-core: exchanges addresses over TCP, as client or server, then messages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop.h"

/* How long a client that has connected may take to send its address. */
#define LINE_MSEC 3000u

/* Fills a client's buffer until it receives something, and so its first message. */
#define CLIENT_BYTE 0x7b

/* ibv_*_pingpong -c expects a 0 at the start of each such block of the last message. */
#define CHECKED_BYTES 4096u

/* Creates the queue pairs, in RESET, and the buffers. */
static int make(struct interop *session, struct pingpong_address *ret)
{
	/* A client may send again before its previous message has been looked at. */
	const uint64_t places = session->role->srq ? 2 * session->qps : 1;

	for (uint32_t i = 0; i < session->qps; i++) {
		const struct agent_qp *qp = &session->agent->qps[i];

		if (interop_make_qp(session, i))
			return -EIO;
		ret[i] = (struct pingpong_address){
			.lid = session->local->lid,
			.qpn = qp->qp->qp_num,
			.psn = qp->psn,
			.gid = interop_own_gid(session),
		};
	}
	if (interop_make_buffers(session, places * interop_place_bytes(session), ACCESS_LOCAL))
		return -EIO;
	return session->role->srq ? interop_post_receives(session, places) : 0;
}

static int connect_qp(struct pingpong *run, uint32_t slot, const struct pingpong_address *remote)
{
	struct interop *session = run->session;
	struct message_modify order = {
		.slot = slot,
		.state = IBV_QPS_INIT,
		.qpn = remote->qpn,
		.psn = remote->psn,
		.max_rd_atomic = 1,
		.qkey = PINGPONG_QKEY,
	};

	for (; order.state <= IBV_QPS_RTS; order.state++) {
		if (interop_modify(session, &order))
			return -EIO;
		if (order.state == IBV_QPS_INIT && !session->role->srq &&
		    interop_post_receive(session))
			return -EIO;
	}
	return 0;
}

static int connect_all(struct pingpong *run, const struct pingpong_address *remotes)
{
	struct interop *session = run->session;
	const struct message_address order = {.slot = INTEROP_QP, .to = session->remote};

	for (uint32_t i = 0; i < session->qps; i++)
		if (connect_qp(run, i, &remotes[i]))
			return -EIO;
	if (session->role->kind != QP_UD)
		return 0;
	/* Each datagram names its own destination. */
	if (agent_address(session->agent, &order))
		return interop_fail_agent(session);
	session->send.wr.ud.ah = session->agent->qps[INTEROP_QP].ah;
	session->send.wr.ud.remote_qpn = run->remote_qpn = remotes->qpn;
	session->send.wr.ud.remote_qkey = PINGPONG_QKEY;
	return 0;
}

/* ---- Messages ---- */

static int post_send(struct pingpong *run)
{
	run->posted_nsec = clock_raw_nsec();
	return interop_post_send(run->session, INTEROP_QP, &run->session->send);
}

/* Anybody who knows the queue pair can send it datagrams. */
static bool is_foreign(const struct pingpong *run, const struct ibv_wc *wc)
{
	return run->session->role->kind == QP_UD && wc->status == IBV_WC_SUCCESS &&
	       (wc->src_qp != run->remote_qpn || wc->byte_len < run->session->header);
}

/* Waits for all completions in `wanted`, and clears them. */
static int await(struct pingpong *run, unsigned int wanted)
{
	struct interop *session = run->session;
	/* The client may be gone before acknowledging the last answer. */
	const bool is_last = session->server && session->done == session->iterations;
	struct ibv_wc wc;

	while ((session->seen & wanted) != wanted) {
		/* interop_run_end() finds the reason. */
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (wc.status != IBV_WC_SUCCESS && !is_last)
			return interop_fail_status(session, &wc);
		if (wc.status != IBV_WC_SUCCESS)
			interop_remark(session, "the last reply was not acknowledged: the client "
						"may have ended after receiving it");
		if (wc.wr_id == INTEROP_RECEIVED && is_foreign(run, &wc)) {
			if (interop_post_receive(session))
				return -EIO;
			continue;
		}
		session->seen |= (unsigned int)wc.wr_id;
		if (wc.wr_id == INTEROP_RECEIVED) {
			run->received_nsec = clock_raw_nsec();
			run->received_bytes = wc.byte_len - session->header;
		}
	}
	session->seen &= ~wanted;
	return 0;
}

static bool is_constant(const uint8_t *bytes, size_t length)
{
	return length > 1 && !memcmp(bytes, bytes + 1, length - 1);
}

int pingpong_check(struct pingpong *run, const uint8_t *received)
{
	struct interop *session = run->session;

	if (interop_check_length(session, run->received_bytes))
		return -EIO;
	if (run->echo == ECHO_NONE)
		return 0;
	if (run->echo == ECHO_UNKNOWN && (!memcmp(session->sent, received, session->bytes) ||
					  !is_constant(received, session->bytes)))
		run->echo = ECHO_OURS;
	if (run->echo == ECHO_OURS)
		return interop_check_data(session, session->sent, received);
	run->echo = ECHO_NONE;
	interop_remark(session,
		       "the data were not checked: the peer does not send back what it receives");
	return 0;
}

/* Puts a 0 where -c checks, so that it does not complain. */
void pingpong_fill(struct pingpong *run)
{
	struct interop *session = run->session;

	pattern_fill(session->sent, 0, session->bytes, session->done);
	for (uint64_t i = 0; i < session->bytes; i += CHECKED_BYTES)
		session->sent[i] = 0;
}

static int client_rounds(struct pingpong *run)
{
	struct interop *session = run->session;
	int rc;

	while (session->done < session->iterations) {
		pingpong_fill(run);
		if (session->done && interop_post_receive(session))
			return -EIO;
		if (post_send(run))
			return -EIO;
		rc = await(run, INTEROP_SENT | INTEROP_RECEIVED);
		if (rc)
			return rc;
		if (pingpong_check(run, session->received))
			return -EIO;
		sampler_add(&session->sampler, (run->received_nsec - run->posted_nsec) / 2);
		session->done++;
	}
	return 0;
}

/* Whether these are the contents of a client's untouched buffer; with -c, blocks begin with 0. */
static bool is_first_message(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != CLIENT_BYTE && (bytes[i] || i % CHECKED_BYTES))
			return false;
	return true;
}

/* A client with another first message may check the answers, so send its own data back. */
static void judge_first(struct pingpong *run)
{
	struct interop *session = run->session;

	if (is_first_message(session->received, session->bytes)) {
		run->echo = ECHO_UNKNOWN;
		return;
	}
	run->echo = ECHO_NONE;
	interop_remark(session, "the client sends other data, which were sent back unchecked");
}

static int server_round(struct pingpong *run)
{
	struct interop *session = run->session;
	int rc = await(run, session->done ? INTEROP_SENT | INTEROP_RECEIVED : INTEROP_RECEIVED);

	if (rc)
		return rc;
	if (!session->done)
		judge_first(run);
	else
		sampler_add(&session->sampler, (run->received_nsec - run->posted_nsec) / 2);
	if (session->done || run->received_bytes != session->bytes)
		if (pingpong_check(run, session->received))
			return -EIO;
	if (run->echo == ECHO_NONE)
		memcpy(session->sent, session->received, session->bytes);
	else
		pattern_fill(session->sent, 0, session->bytes, session->done);
	if (session->done + 1 < session->iterations && interop_post_receive(session))
		return -EIO;
	session->done++;
	return post_send(run);
}

static int server_rounds(struct pingpong *run)
{
	struct interop *session = run->session;
	int rc = 0;

	while (session->done < session->iterations && !rc)
		rc = server_round(run);
	return rc ? rc : await(run, INTEROP_SENT);
}

void pingpong_exchange(struct pingpong *run)
{
	struct interop *session = run->session;
	int rc;

	if (interop_run_begin(session, -1))
		return;
	if (session->role->srq)
		rc = pingpong_run_many(run);
	else
		rc = session->server ? server_rounds(run) : client_rounds(run);
	if (!interop_run_end(session, rc))
		watch_wait(&session->agent->watch, -1, INTEROP_LINGER_MSEC);
}

/* ---- Addresses over TCP ---- */

/* A program with one queue pair sends only the first line of a list. */
static size_t text_bytes(const struct interop *session)
{
	return (session->role->srq ? PINGPONG_LINES : 1) * PINGPONG_LINE_BYTES;
}

static int send_addresses(struct interop *session, int fd, const struct pingpong_address *own)
{
	_cleanup_(freep) char *lines = mem_alloc_zero(PINGPONG_LINES, PINGPONG_LINE_BYTES);

	pingpong_format_list(own, session->qps, lines);
	return tcp_write(&session->agent->watch, fd, lines, text_bytes(session),
			 session->timeout_msec);
}

static int read_addresses(struct interop *session, int fd, unsigned int msec,
			  struct pingpong_address *ret, size_t *ret_count)
{
	_cleanup_(freep) char *lines = mem_alloc_zero(PINGPONG_LINES, PINGPONG_LINE_BYTES);

	pingpong_format_list(NULL, 0, lines);
	return tcp_read(&session->agent->watch, fd, lines, text_bytes(session), msec)
		       ?: pingpong_parse_list(lines, PINGPONG_MOST_QPS, ret, ret_count);
}

static int fail_addresses(struct interop *session, int rc, unsigned int msec)
{
	if (rc == -E2BIG)
		return interop_fail_with(session, LIST_INTEROP_QPS, -1, "%u", PINGPONG_MOST_QPS);
	return interop_fail_exchange(session, rc, msec);
}

static int client_handshake(struct pingpong *run, int fd, const struct pingpong_address *own)
{
	struct interop *session = run->session;
	struct pingpong_address remotes[PINGPONG_MOST_QPS];
	size_t count;
	int rc = send_addresses(session, fd, own)
			 ?: read_addresses(session, fd, session->timeout_msec, remotes, &count);

	if (rc)
		return fail_addresses(session, rc, session->timeout_msec);
	if (count != session->qps)
		return interop_fail_with(session, LIST_INTEROP_QPS, 0, "%zu", count);
	if (interop_set_remote(session, remotes[0].lid, &remotes[0].gid) ||
	    connect_all(run, remotes))
		return -EIO;
	rc = tcp_write(&session->agent->watch, fd, PINGPONG_DONE, sizeof(PINGPONG_DONE),
		       session->timeout_msec);
	/* The server has sent its address. */
	if (rc == -ECONNRESET || rc == -EPIPE)
		return interop_fail(session, LIST_INTEROP_CLOSED, 0);
	return rc ? interop_fail_exchange(session, rc, 0) : 0;
}

static void run_client(struct interop *session)
{
	struct pingpong_address own[PINGPONG_MOST_QPS];
	struct pingpong run = {.session = session};
	int fd, rc;

	if (make(session, own) || interop_connect_tcp(session, &fd))
		return;
	rc = client_handshake(&run, fd, own);
	close(fd);
	if (!rc)
		pingpong_exchange(&run);
}

static int server_handshake(struct pingpong *run, int fd)
{
	struct interop *session = run->session;
	struct pingpong_address own[PINGPONG_MOST_QPS], remotes[PINGPONG_MOST_QPS];
	char done[sizeof(PINGPONG_DONE)];
	size_t count;
	int rc = read_addresses(session, fd, LINE_MSEC, remotes, &count);

	if (rc)
		return fail_addresses(session, rc, LINE_MSEC);
	/* The client chooses how many. */
	session->qps = (uint32_t)count;
	if (interop_set_remote(session, remotes[0].lid, &remotes[0].gid) || make(session, own) ||
	    connect_all(run, remotes))
		return -EIO;
	rc = send_addresses(session, fd, own)
		     ?: tcp_read(&session->agent->watch, fd, done, sizeof(done), LINE_MSEC);
	if (!rc && memcmp(done, PINGPONG_DONE, sizeof(done)) != 0)
		rc = -EPROTO;
	return rc ? interop_fail_exchange(session, rc, LINE_MSEC) : 0;
}

static void serve(struct interop *session, int fd)
{
	struct pingpong run = {.session = session};

	if (!server_handshake(&run, fd))
		pingpong_exchange(&run);
}

static void run(struct interop *session)
{
	if (session->server)
		interop_serve_tcp(session, serve);
	else
		run_client(session);
}

/* `messages_` and `how_` complete the summaries; at most `qps_` queue pairs share the memory. */
#define PINGPONG(test_, program_, kind_, messages_, how_, bytes_, qps_)                       \
	.test = test_, .program = program_, .connection = CONNECTION_EXCHANGE, .kind = kind_, \
	.client_summary = messages_ " to an " program_ " server and back" how_,               \
	.server_summary = messages_ " from an " program_ " client and replies to it" how_,    \
	.port = PINGPONG_PORT, .bytes = bytes_, .most_bytes = LIMIT_BYTES / 4 / qps_,         \
	.iterations = 1000, .command = pingpong_command, .run = run

const struct interop_role pingpong_role = {
	PINGPONG("pingpong", "ibv_rc_pingpong", QP_RC, "messages", "", 4096, 1),
};

const struct interop_role uc_pingpong_role = {
	PINGPONG("uc-pingpong", "ibv_uc_pingpong", QP_UC, "messages", "", 4096, 1),
};

const struct interop_role ud_pingpong_role = {
	PINGPONG("ud-pingpong", "ibv_ud_pingpong", QP_UD, "datagrams", "", 1024, 1),
};

const struct interop_role srq_pingpong_role = {
	PINGPONG("srq-pingpong", "ibv_srq_pingpong", QP_RC, "messages",
		 ", on several queue pairs at once", 4096, PINGPONG_MOST_QPS),
	.srq = true,
	.depth = 4,
};
