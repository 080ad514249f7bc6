/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "selftest/interop/interop_session.h"

/* As many as any of the tests has outstanding, with room. */
#define DEPTH	16u
#define ENTRIES (4 * DEPTH)

/*
 * After so many looks that found nothing (milliseconds: nothing that is fast takes so long) leave
 * the processor to others: a software device needs it for the very message that is waited for.
 */
#define SPINS_MOST 20000u

int interop_make_pair(struct interop *session, struct message_paired *paired)
{
	struct agent *agent = session->agent;
	const struct message_queue queue = {.slot = INTEROP_QUEUE, .entries = ENTRIES};
	const struct message_pair pair = {
		.slot = INTEROP_PAIR,
		.kind = PAIR_RC,
		.queue = INTEROP_QUEUE,
		.send_depth = DEPTH,
		.receive_depth = DEPTH,
		.sges = 1,
		.signal_all = 1,
	};

	memset(&agent->refused, 0, sizeof(agent->refused));
	if (agent_queue(agent, &queue) || agent_pair(agent, &pair, paired))
		return interop_fail_agent(session);
	return 0;
}

struct agent_buffer *interop_make_buffer(struct interop *session, uint32_t slot, uint64_t bytes,
					 uint32_t access)
{
	struct agent *agent = session->agent;
	const struct message_buffer order = {.slot = slot, .bytes = bytes, .access = access};
	struct message_buffered reply;

	memset(&agent->refused, 0, sizeof(agent->refused));
	if (!agent_buffer(agent, &order, &reply))
		return &agent->buffers[slot];
	interop_fail_agent(session);
	return NULL;
}

void interop_release(struct interop *session)
{
	struct agent *agent = session->agent;

	/* Events of the queue pair that are left unread would keep it from being destroyed. */
	if (agent->context)
		watch_look(&agent->watch);
	agent_pair_destroy(agent, &agent->pairs[INTEROP_PAIR]);
	agent_queue(agent, &(struct message_queue){.slot = INTEROP_QUEUE});
	for (uint32_t slot = 0; slot < LIMIT_BUFFERS; slot++)
		agent_buffer(agent, &(struct message_buffer){.slot = slot},
			     &(struct message_buffered){0});
}

int interop_run_begin(struct interop *session, int channel)
{
	struct watch *watch = &session->agent->watch;
	int rc;

	watch->channel = channel;
	rc = watch_begin(watch, session->timeout_msec);
	if (!rc)
		return 0;
	watch->channel = -1;
	return interop_fail(session, NULL, "cannot start a thread: %s", strerror(-rc));
}

enum stop interop_run_end(struct interop *session)
{
	enum stop stop = watch_end(&session->agent->watch);

	session->agent->watch.channel = -1;
	return stop;
}

int interop_next_completion(struct interop *session, struct ibv_wc *wc)
{
	struct watch *watch = &session->agent->watch;
	struct ibv_cq *cq = session->agent->queues[INTEROP_QUEUE].cq;
	unsigned int spins = 0;
	int got;

	while (!(got = ibv_poll_cq(cq, 1, wc))) {
		if (atomic_load_explicit(&watch->stop, memory_order_relaxed))
			return -ECANCELED;
		if (++spins > SPINS_MOST)
			sched_yield();
	}
	if (got < 0) {
		/* Only a broken device does that: IBV_WC_FATAL_ERR is what it comes to. */
		*wc = (struct ibv_wc){.status = IBV_WC_FATAL_ERR};
		return 0;
	}
	/* The only writer: an increment that is not atomic does, and costs nothing. */
	atomic_store_explicit(&watch->progress,
			      atomic_load_explicit(&watch->progress, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	return 0;
}

static void thin_out(struct interop *session)
{
	session->sample_count /= 2;
	session->stride *= 2;
	for (size_t i = 0; i < session->sample_count; i++)
		session->samples[i] = session->samples[2 * i];
}

void interop_sample(struct interop *session, uint64_t nsec)
{
	uint64_t number = session->timed++;

	session->sum_nsec += nsec;
	if (session->sample_count == INTEROP_MOST_SAMPLES)
		thin_out(session);
	if (number % session->stride == 0)
		session->samples[session->sample_count++] = nsec;
}
