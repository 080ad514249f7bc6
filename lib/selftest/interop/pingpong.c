/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/watch.h"

/* The attributes of ibv_rc_pingpong: 67 ms, 7 retries; 0.64 ms when it is not ready. */
enum { PINGPONG_ACK_TIMEOUT = 14, PINGPONG_RETRIES = 7 };

/* ibv_rc_pingpong -c expects a 0 at the start of each block of this size in the last message. */
#define CHECKED_BYTES 4096u

/* Fills a client's buffer until it receives something, so it is its first message. */
#define CLIENT_BYTE 0x7b

/* How long the queue pair answers retransmissions after the last message. */
#define LINGER_MSEC 150

/* Slots of the agent's buffers. */
enum { SLOT_SENT, SLOT_RECEIVED };

/* The data that the other side is expected to send. */
enum pingpong_echo {
	ECHO_UNKNOWN,
	ECHO_OURS, /* what it got from here */
	ECHO_NONE, /* other data, which cannot be compared */
};

struct pingpong {
	struct interop *session;
	uint8_t *sent, *received;
	uint64_t posted_nsec, received_nsec;
	uint32_t received_bytes;
	enum pingpong_echo echo;
};

/* ---- The rounds ---- */

/* The queue pair, in RESET, and its buffers. */
static int make(struct pingpong *run, struct message_qp_created *created)
{
	struct interop *session = run->session;
	const uint32_t bytes = (uint32_t)session->bytes;
	struct agent_buffer *sent, *received;

	if (interop_make_qp(session, created))
		return -EIO;
	sent = interop_make_buffer(session, SLOT_SENT, bytes, ACCESS_LOCAL);
	received = sent ? interop_make_buffer(session, SLOT_RECEIVED, bytes, ACCESS_LOCAL) : NULL;
	if (!received)
		return -EIO;
	run->sent = sent->bytes;
	run->received = received->bytes;
	interop_set_parts(session, interop_part(received, 0, bytes), interop_part(sent, 0, bytes));
	return 0;
}

/* Connects it to the session's remote endpoint and posts the first receive. */
static int connect_qp(struct pingpong *run, const struct pingpong_address *remote)
{
	struct interop *session = run->session;
	struct message_modify order = {
		.slot = INTEROP_QP,
		.state = IBV_QPS_INIT,
		.qpn = remote->qpn,
		.psn = remote->psn,
		.to = session->remote,
		.mtu_bytes = session->mtu_bytes,
		.max_rd_atomic = 1,
		.timeout = PINGPONG_ACK_TIMEOUT,
		.retries = PINGPONG_RETRIES,
		.rnr_retries = 7, /* without end */
		.rnr_timer = RNR_TIMER_CODE,
	};

	memset(&session->agent->refused, 0, sizeof(session->agent->refused));
	for (; order.state <= IBV_QPS_RTS; order.state++) {
		if (agent_modify(session->agent, &order))
			return interop_fail_agent(session);
		if (order.state == IBV_QPS_INIT && interop_post_receive(session))
			return -EIO;
	}
	return 0;
}

static int post_send(struct pingpong *run)
{
	run->posted_nsec = clock_raw_nsec();
	return interop_post_send(run->session, &run->session->send);
}

/* The last answer was sent, and the client may be gone before it could acknowledge it. */
static bool is_last_answer(const struct interop *session)
{
	return session->server && session->done == session->iterations;
}

/* Waits for all completions in `wanted`, and clears them. */
static int await(struct pingpong *run, unsigned int wanted)
{
	struct interop *session = run->session;
	struct ibv_wc wc;

	while ((session->seen & wanted) != wanted) {
		/* interop_run_end() returns the reason. */
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (wc.status != IBV_WC_SUCCESS && !is_last_answer(session))
			return interop_fail_status(session, &wc);
		if (wc.status != IBV_WC_SUCCESS)
			interop_remark(session, "the last answer was not acknowledged: the client "
						"may have ended with it");
		session->seen |= (unsigned int)wc.wr_id;
		if (wc.wr_id == INTEROP_RECEIVED) {
			run->received_nsec = clock_raw_nsec();
			run->received_bytes = wc.byte_len;
		}
	}
	session->seen &= ~wanted;
	return 0;
}

static bool is_constant(const uint8_t *bytes, size_t length)
{
	return length > 1 && !memcmp(bytes, bytes + 1, length - 1);
}

/* Compares the received message with the sent one, if the other side echoes. */
static int check_received(struct pingpong *run)
{
	struct interop *session = run->session;
	struct pattern_mismatch mismatch;

	if (run->received_bytes != session->bytes)
		return interop_fail(session, LIST_INTEROP_LENGTH, 0,
				    mem_format("%" PRIu32, run->received_bytes));
	if (run->echo == ECHO_NONE)
		return 0;
	if (pattern_compare(run->sent, run->received, session->bytes, &mismatch)) {
		run->echo = ECHO_OURS;
		return 0;
	}
	if (run->echo == ECHO_OURS || !is_constant(run->received, session->bytes))
		return interop_fail_mismatch(session, &mismatch);
	run->echo = ECHO_NONE;
	interop_remark(session,
		       "the data were not checked: the peer does not send back what it gets");
	return 0;
}

/* With a 0 where ibv_rc_pingpong -c checks, so that it does not complain. */
static void fill_message(struct pingpong *run)
{
	struct interop *session = run->session;

	pattern_fill(run->sent, 0, session->bytes, session->done);
	for (uint64_t i = 0; i < session->bytes; i += CHECKED_BYTES)
		run->sent[i] = 0;
}

static int client_rounds(struct pingpong *run)
{
	struct interop *session = run->session;

	while (session->done < session->iterations) {
		fill_message(run);
		if (session->done && interop_post_receive(session))
			return -EIO;
		if (post_send(run))
			return -EIO;
		if (await(run, INTEROP_SENT | INTEROP_RECEIVED))
			return session->marked ? -EIO : -ECANCELED;
		if (check_received(run))
			return -EIO;
		interop_sample(session, (run->received_nsec - run->posted_nsec) / 2);
		session->done++;
	}
	return 0;
}

/* The contents of an untouched buffer of a client; with -c its blocks begin with 0. */
static bool is_first_message(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != CLIENT_BYTE && (bytes[i] || i % CHECKED_BYTES))
			return false;
	return true;
}

/* A client with another first message checks the answers, so it gets its own data back. */
static void judge_first(struct pingpong *run)
{
	struct interop *session = run->session;

	if (is_first_message(run->received, session->bytes)) {
		run->echo = ECHO_UNKNOWN;
		return;
	}
	run->echo = ECHO_NONE;
	interop_remark(session, "the client sends other data: they were sent back unchecked");
}

static int server_round(struct pingpong *run)
{
	struct interop *session = run->session;

	if (await(run, session->done ? INTEROP_SENT | INTEROP_RECEIVED : INTEROP_RECEIVED))
		return session->marked ? -EIO : -ECANCELED;
	if (!session->done)
		judge_first(run);
	if (session->done)
		interop_sample(session, (run->received_nsec - run->posted_nsec) / 2);
	if (session->done || run->received_bytes != session->bytes)
		if (check_received(run))
			return -EIO;
	if (run->echo == ECHO_NONE)
		memcpy(run->sent, run->received, session->bytes);
	else
		pattern_fill(run->sent, 0, session->bytes, session->done);
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
	if (rc)
		return rc;
	if (!await(run, INTEROP_SENT))
		return 0;
	return session->marked ? -EIO : -ECANCELED;
}

static void exchange(struct pingpong *run)
{
	struct interop *session = run->session;
	enum stop stop;
	int rc;

	if (interop_run_begin(session, -1))
		return;
	rc = session->server ? server_rounds(run) : client_rounds(run);
	stop = interop_run_end(session);
	if (rc == -ECANCELED)
		interop_fail_stop(session, stop);
	else if (!rc)
		watch_wait(&session->agent->watch, -1, LINGER_MSEC);
}

/* The connection with ibv_rc_pingpong: exchanges addresses over TCP, as its client and server. */

/* How long a client that has connected may take to send its line. */
#define LINE_MSEC 3000u

static const struct interop_role pingpong_role = {
	.test = "pingpong",
	.program = "ibv_rc_pingpong",
	.client_summary = "messages to an ibv_rc_pingpong server and back",
	.server_summary = "messages of an ibv_rc_pingpong client and answers to it",
	.connection = CONNECTION_EXCHANGE,
	.port = PINGPONG_PORT,
	.bytes = 4096,
	.most_bytes = LIMIT_BYTES / 4,
	.iterations = 1000,
	.client_transfers = 1,
	.server_transfers = 1,
	.command = pingpong_command,
};

static int refuse_iwarp(struct interop *session)
{
	return session->local->transport == TRANSPORT_IWARP
		       ? interop_fail(session, LIST_INTEROP_IWARP, 0, NULL)
		       : 0;
}

/*
 * On InfiniBand no GID is sent: a side that gets one uses a global header, for which
 * ibv_rc_pingpong needs -g.
 */
static void own_address(const struct interop *session, const struct message_qp_created *created,
			struct pingpong_address *ret)
{
	const struct endpoint *local = session->local;

	*ret = (struct pingpong_address){
		.lid = local->lid,
		.qpn = created->qpn,
		.psn = created->psn,
	};
	if (local->link_layer != LINK_LAYER_INFINIBAND)
		ret->gid = local->gid;
}

static int check_address(struct interop *session, const struct pingpong_address *address)
{
	const struct endpoint *local = session->local;
	char text[GID_TEXT_SIZE];

	session->remote.lid = address->lid;
	session->remote.gid = address->gid;
	if (local->link_layer == LINK_LAYER_INFINIBAND) {
		/* Without a GID only the LID is known, as within one subnet. */
		if (gid_is_zero(&address->gid))
			session->remote.gid = local->gid;
		return 0;
	}
	if (gid_is_zero(&address->gid))
		return interop_fail(session, LIST_INTEROP_ADDRESS, -1, NULL);
	if (gid_is_ipv4_mapped(&address->gid) == gid_is_ipv4_mapped(&local->gid))
		return 0;
	gid_format(&address->gid, text);
	return interop_fail(session, LIST_INTEROP_ADDRESS, 0,
			    mem_format("%s, index %" PRIu32 " of this side is %s", text,
				       local->gid_index,
				       gid_is_ipv4_mapped(&local->gid) ? "IPv4" : "IPv6"));
}

static int connect_tcp(struct interop *session, int *ret_fd)
{
	const struct interop_request *request = session->request;
	struct sockaddr_storage address;
	int rc;

	socket_address(&request->peer_ip, request->scope, session->port, &address);
	rc = tcp_connect(&session->agent->watch, &address, NULL, session->timeout_msec, ret_fd);
	if (rc == -ECONNREFUSED && request->peer_ip.family == AF_INET6)
		return interop_fail(session, LIST_INTEROP_IPV6, 0, NULL);
	return rc ? interop_fail_at(session, STAGE_TCP, -rc) : 0;
}

/* It closes the connection when it cannot connect its queue pair. */
static int fail_handshake(struct interop *session, int rc)
{
	if (rc != -ECONNRESET && rc != -EPIPE)
		return interop_fail_at(session, STAGE_HANDSHAKE, -rc);
	return interop_fail(session, LIST_INTEROP_CLOSED, 0, NULL);
}

static int client_handshake(struct pingpong *run, int fd, const struct message_qp_created *created)
{
	struct interop *session = run->session;
	struct watch *watch = &session->agent->watch;
	struct pingpong_address own, remote;
	char line[PINGPONG_LINE_BYTES];
	int rc;

	own_address(session, created, &own);
	pingpong_format(&own, line);
	rc = tcp_write(watch, fd, line, sizeof(line), session->timeout_msec);
	if (!rc)
		rc = tcp_read(watch, fd, line, sizeof(line), session->timeout_msec);
	if (!rc)
		rc = pingpong_parse(line, &remote);
	if (rc)
		return fail_handshake(session, rc);
	if (check_address(session, &remote) || connect_qp(run, &remote))
		return -EIO;
	rc = tcp_write(watch, fd, PINGPONG_DONE, sizeof(PINGPONG_DONE), session->timeout_msec);
	return rc ? fail_handshake(session, rc) : 0;
}

int interop_pingpong_client(const struct interop_request *request, const struct endpoint *local,
			    struct selftest_results *results)
{
	struct interop session;
	struct pingpong run = {.session = &session};
	struct message_qp_created created;
	int rc = interop_begin(&session, &pingpong_role, false, request, local, results);
	int fd = -1;

	if (!rc)
		rc = refuse_iwarp(&session);
	if (!rc)
		rc = make(&run, &created);
	if (!rc)
		rc = connect_tcp(&session, &fd);
	if (!rc)
		rc = client_handshake(&run, fd, &created);
	if (fd >= 0)
		close(fd);
	if (!rc)
		exchange(&run);
	return interop_end(&session);
}

static int fail_line(struct interop *session, int rc)
{
	if (rc == -EPROTO || rc == -ETIMEDOUT || rc == -ECONNRESET || rc == -EPIPE)
		return interop_fail(session, LIST_INTEROP_LINE, -rc, mem_format("%u", LINE_MSEC));
	return interop_fail_at(session, STAGE_HANDSHAKE, -rc);
}

static int server_handshake(struct pingpong *run, int fd)
{
	struct interop *session = run->session;
	struct watch *watch = &session->agent->watch;
	struct pingpong_address own, remote;
	char line[PINGPONG_LINE_BYTES], done[sizeof(PINGPONG_DONE)];
	struct message_qp_created created;
	int rc = tcp_read(watch, fd, line, sizeof(line), LINE_MSEC);

	if (!rc)
		rc = pingpong_parse(line, &remote);
	if (rc)
		return fail_line(session, rc);
	if (check_address(session, &remote) || make(run, &created) || connect_qp(run, &remote))
		return -EIO;
	own_address(session, &created, &own);
	pingpong_format(&own, line);
	rc = tcp_write(watch, fd, line, sizeof(line), LINE_MSEC);
	if (!rc)
		rc = tcp_read(watch, fd, done, sizeof(done), LINE_MSEC);
	if (!rc && memcmp(done, PINGPONG_DONE, sizeof(done)) != 0)
		rc = -EPROTO;
	return rc ? fail_line(session, rc) : 0;
}

static int serve(struct interop *session, int listener)
{
	struct pingpong run = {.session = session};
	struct sockaddr_storage address;
	int fd, rc;

	rc = tcp_accept(&session->agent->watch, listener, &fd, &address);
	if (rc && interop_is_over(session) && !session->agent->watch.device_gone)
		return rc;
	if (rc)
		return interop_fail_at(session, STAGE_TCP, -rc);
	interop_client_came(session, &address);
	rc = server_handshake(&run, fd);
	close(fd);
	if (!rc)
		exchange(&run);
	interop_release(session);
	interop_row_end(session);
	return 0;
}

int interop_pingpong_server(const struct interop_request *request, const struct endpoint *local,
			    struct selftest_results *results)
{
	struct interop session;
	int rc = interop_begin(&session, &pingpong_role, true, request, local, results);
	int listener = -1;

	if (!rc)
		rc = refuse_iwarp(&session);
	if (!rc) {
		rc = tcp_listen(&request->bind, request->scope, session.port, &listener);
		if (rc)
			interop_fail(&session, LIST_INTEROP_LISTEN, -rc, NULL);
	}
	if (!rc)
		interop_say(&session,
			    "waiting for ibv_rc_pingpong on TCP port %" PRIu32
			    "; on the other host: %s",
			    session.port, session.command);
	while (!rc && !interop_is_over(&session)) {
		rc = serve(&session, listener);
		if (request->once)
			break;
	}
	if (listener >= 0)
		close(listener);
	return interop_end(&session);
}
