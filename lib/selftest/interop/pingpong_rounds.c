/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/pingpong.h"

/* Fills a client's buffer until it receives something, and so its first message. */
#define CLIENT_BYTE 0x7b

/* ibv_*_pingpong -c expects a 0 at the start of each such block of the last message. */
#define CHECKED_BYTES 4096u

static int post_send(struct pingpong *run)
{
	run->posted_nsec = clock_raw_nsec();
	return interop_post_send(run->session, &run->session->send);
}

/* Whether the last answer was sent; the client may be gone before acknowledging it. */
static bool is_last_answer(const struct interop *session)
{
	return session->server && session->done == session->iterations;
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
	struct ibv_wc wc;

	while ((session->seen & wanted) != wanted) {
		/* interop_run_end() finds the reason. */
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (wc.status != IBV_WC_SUCCESS && !is_last_answer(session))
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

	while (session->done < session->iterations) {
		pingpong_fill(run);
		if (session->done && interop_post_receive(session))
			return -EIO;
		if (post_send(run))
			return -EIO;
		if (await(run, INTEROP_SENT | INTEROP_RECEIVED))
			return session->marked ? -EIO : -ECANCELED;
		if (pingpong_check(run, session->received))
			return -EIO;
		sampler_add(&session->sampler, (run->received_nsec - run->posted_nsec) / 2);
		session->done++;
	}
	return 0;
}

/*
 * Whether these are the contents of a client's untouched buffer; with -c, its blocks begin with 0.
 */
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

	if (await(run, session->done ? INTEROP_SENT | INTEROP_RECEIVED : INTEROP_RECEIVED))
		return session->marked ? -EIO : -ECANCELED;
	if (!session->done)
		judge_first(run);
	if (session->done)
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
	if (rc)
		return rc;
	if (!await(run, INTEROP_SENT))
		return 0;
	return session->marked ? -EIO : -ECANCELED;
}

void pingpong_exchange(struct pingpong *run)
{
	struct interop *session = run->session;

	if (interop_run_begin(session, -1))
		return;
	if (!interop_run_end(session, session->server ? server_rounds(run) : client_rounds(run)))
		watch_wait(&session->agent->watch, -1, INTEROP_LINGER_MSEC);
}
