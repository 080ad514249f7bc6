/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One side's part in the tests of perftest, with one queue pair. */
#include <errno.h>

#include "base/clock.h"
#include "selftest/interop/perftest.h"

/* Outstanding messages of ib_*_bw, unless -t says otherwise. */
#define WINDOW 128u

/* Waits for all completions in `wanted`, and clears them. */
static int await(struct perftest *run, unsigned int wanted)
{
	struct interop *session = run->session;
	struct ibv_wc wc;

	while ((session->seen & wanted) != wanted) {
		int rc = interop_next_success(session, &wc);

		if (rc)
			return rc;
		session->seen |= (unsigned int)wc.wr_id;
	}
	session->seen &= ~wanted;
	return 0;
}

/* The number of receives outstanding; each one that completes is posted again. */
static uint64_t receives(const struct perftest *run)
{
	const uint64_t most = run->kind->latency ? 1 : run->session->depth;

	return run->session->iterations < most ? run->session->iterations : most;
}

int perftest_post_receives(struct perftest *run)
{
	if (run->kind->operation != SELFTEST_SEND || (!run->session->server && !run->kind->latency))
		return 0;
	for (uint64_t i = 0; i < receives(run); i++)
		if (interop_post_receive(run->session))
			return -EIO;
	return 0;
}

static int bandwidth(struct perftest *run)
{
	struct interop *session = run->session;
	const uint64_t begin = clock_raw_nsec();
	uint64_t posted = 0;
	struct ibv_wc wc;

	while (session->done < session->iterations) {
		int rc;

		for (; posted < session->iterations && posted < session->done + WINDOW; posted++)
			if (interop_post_send(session, INTEROP_QP, &run->request))
				return -EIO;
		rc = interop_next_success(session, &wc);
		if (rc)
			return rc;
		session->done++;
	}
	session->bulk_nsec = clock_raw_nsec() - begin;
	session->bulk_messages = session->done;
	return 0;
}

/*
 * Timed from the arrival of the first message, which does not count: it cannot be known when the
 * client began to send it.
 */
static int receive_all(struct perftest *run)
{
	struct interop *session = run->session;
	uint64_t posted = receives(run), begin = 0;
	struct ibv_wc wc;

	while (session->done < session->iterations) {
		int rc = interop_next_success(session, &wc);

		if (rc)
			return rc;
		if (!begin)
			begin = clock_raw_nsec();
		if (interop_check_length(session, wc.byte_len))
			return -EIO;
		session->done++;
		if (posted < session->iterations && interop_post_receive(session))
			return -EIO;
		posted++;
	}
	session->bulk_nsec = clock_raw_nsec() - begin;
	session->bulk_messages = session->done - 1;
	return 0;
}

static int read_rounds(struct perftest *run)
{
	struct interop *session = run->session;

	while (session->done < session->iterations) {
		const uint64_t begin = clock_raw_nsec();
		const int rc = interop_post_send(session, INTEROP_QP, &run->request)
				       ?: await(run, INTEROP_SENT);

		if (rc)
			return rc;
		sampler_add(&session->sampler, clock_raw_nsec() - begin);
		session->done++;
	}
	return 0;
}

/* Posts the receive for the next message before this one is answered. */
static int take_message(struct perftest *run, uint64_t number)
{
	struct interop *session = run->session;
	int rc = await(run, INTEROP_RECEIVED);

	return rc || number >= session->iterations ? rc : interop_post_receive(session);
}

/* The last byte of message N is N; the bytes of a message arrive in order, or not at all. */
static int await_byte(struct perftest *run, uint64_t number)
{
	struct interop *session = run->session;
	const volatile uint8_t *last = session->received + session->bytes - 1;
	unsigned int spins = 0;
	int rc = 0;

	while (*last != (uint8_t)number && !rc)
		rc = interop_spin(session, &spins);
	return rc;
}

/* A side that does not begin knows the time of a message only from its second one on. */
static int latency_round(struct perftest *run, uint64_t number, uint64_t *begin)
{
	const bool writes = run->kind->operation == SELFTEST_WRITE;
	int (*const take)(struct perftest *, uint64_t) = writes ? await_byte : take_message;
	struct interop *session = run->session;
	/* In the test of writes the server begins. */
	const bool begins = session->server == writes;
	int rc = begins ? 0 : take(run, number);

	if (!rc && !begins && number > 1)
		sampler_add(&session->sampler, (clock_raw_nsec() - *begin) / 2);
	session->sent[session->bytes - 1] = (uint8_t)number;
	*begin = clock_raw_nsec();
	if (!rc)
		rc = interop_post_send(session, INTEROP_QP, &run->request);
	/* The reply to a write brings no completion, so nothing else would show that it failed. */
	if (!rc && writes)
		rc = await(run, INTEROP_SENT);
	if (!rc && begins) {
		rc = take(run, number);
		if (!rc)
			sampler_add(&session->sampler, (clock_raw_nsec() - *begin) / 2);
	}
	return rc || writes ? rc : await(run, INTEROP_SENT);
}

static int latency_rounds(struct perftest *run)
{
	struct interop *session = run->session;
	uint64_t begin = 0;

	while (session->done < session->iterations) {
		int rc = latency_round(run, session->done + 1, &begin);

		if (rc)
			return rc;
		session->done++;
	}
	return 0;
}

int perftest_run(struct perftest *run)
{
	struct interop *session = run->session;
	int rc;

	if (session->server && !run->kind->server_moves)
		return 0;
	if (interop_run_begin(session, -1))
		return -EIO;
	if (!run->kind->latency)
		rc = session->server ? receive_all(run) : bandwidth(run);
	else
		rc = run->kind->operation == SELFTEST_READ ? read_rounds(run) : latency_rounds(run);
	return interop_run_end(session, rc) ? -EIO : 0;
}
