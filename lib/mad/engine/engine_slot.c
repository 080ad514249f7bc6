/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of a request: sent, answered, sent again, given up. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mad/engine/engine_private.h"
#include "mad/format/header.h"

#define MOST_REDIRECTS 3u
#define REDIRECT_BYTES 40u /* of ClassPortInfo, up to RedirectQ_Key */
/* Each wait is twice the one before; together some 25 seconds. */
#define MOST_BUSY     8u
#define BUSY_FIRST    (100 * ENGINE_MSEC)
#define FIRST_LEAST   (20 * ENGINE_MSEC)
#define FIRST_MOST    (500 * ENGINE_MSEC)
#define FIRST_UNKNOWN (200 * ENGINE_MSEC)
#define PATIENCE_MOST (4000 * ENGINE_MSEC)
#define HELD_UP	      (50 * ENGINE_MSEC)
/* The SA has to search, and sends tables in many segments: wait longer. */
#define SA_FIRST (1000 * ENGINE_MSEC)

static uint32_t transaction_of(const struct mad_engine *engine, const struct slot *slot)
{
	return slot->generation << (ENGINE_SLOT_BITS + ENGINE_TRY_BITS) |
	       (slot->tries - 1) << ENGINE_SLOT_BITS | (uint32_t)(slot - engine->slots);
}

static void measured(struct mad_engine *engine, uint64_t nsec)
{
	uint64_t difference = nsec > engine->smoothed ? nsec - engine->smoothed
						      : engine->smoothed - nsec;

	if (!engine->smoothed) {
		engine->smoothed = nsec;
		engine->variation = nsec / 2;
		return;
	}
	engine->variation = (3 * engine->variation + difference) / 4;
	engine->smoothed = (7 * engine->smoothed + nsec) / 8;
}

static uint64_t first_patience(const struct mad_engine *engine, const struct slot *slot)
{
	uint64_t first = engine->smoothed + 4 * engine->variation;

	if (engine->options.timeout_msec)
		return engine->options.timeout_msec * ENGINE_MSEC;
	if (slot->request.mgmt_class == UMAD_CLASS_SUBN_ADM)
		return SA_FIRST;
	if (!engine->smoothed)
		return FIRST_UNKNOWN;
	return first < FIRST_LEAST ? FIRST_LEAST : first > FIRST_MOST ? FIRST_MOST : first;
}

static uint64_t patience_of(const struct mad_engine *engine, const struct slot *slot)
{
	uint64_t first = first_patience(engine, slot);
	uint64_t patience = first << (slot->tries - 1);

	return patience > PATIENCE_MOST ? (first > PATIENCE_MOST ? first : PATIENCE_MOST)
					: patience;
}

/* Ends the request: `reply` has the MAD, or the error. */
static void finish(struct mad_engine *engine, struct slot *slot, struct mad_reply *reply)
{
	struct mad_request request = slot->request;

	reply->request = &request;
	reply->tries = slot->tries;
	slot->state = SLOT_FREE;
	engine->last_freed = (size_t)(slot - engine->slots);
	engine->under_way--;
	if (reply->error == -ETIMEDOUT) {
		engine->counts.timed_out++;
		engine->counts.timed_out_gmp += !mad_class_is_smp(request.mgmt_class);
	} else if (!reply->error) {
		engine->counts.answered++;
	}
	engine->work->done(engine->work->context, reply);
}

void engine_fail(struct mad_engine *engine, struct slot *slot, int error)
{
	struct mad_reply reply = {.error = error};

	finish(engine, slot, &reply);
}

/*
 * A send() on Ethernet may block for a second on a neighbour that does not answer, and meanwhile
 * the kernel holds back received MADs (drivers/infiniband/core/user_mad.c, ib_umad_write: the
 * file's mutex). The other requests must not time out because of that, and their round trips are
 * unknown.
 */
static void hold_up_others(struct mad_engine *engine, const struct slot *slot, uint64_t nsec)
{
	for_each_in (other, engine->slots, engine->options.window) {
		if (other == slot || other->state != SLOT_WAITS)
			continue;
		other->deadline += nsec;
		other->held_up = true;
	}
}

void engine_send_slot(struct mad_engine *engine, struct slot *slot)
{
	unsigned char *mad = slot->buffer + engine->transport.headroom;
	uint64_t patience, begin = clock_nsec(), end;
	int rc;

	slot->tries++;
	patience = patience_of(engine, slot);
	if (slot->tries == 1)
		mad_request_write(&slot->request, transaction_of(engine, slot), mad);
	else
		mad_set_transaction(mad, transaction_of(engine, slot));
	/*
	 * The kernel drops replies after its own timeout, so give it twice ours: a reply to a try
	 * that was given up still counts. A reply that is not a response reaches the agent through
	 * its methods, so the kernel has nothing to wait for.
	 */
	rc = engine->transport.send(engine->transport.context, slot->agent, &slot->request.to,
				    slot->buffer, MAD_BYTES,
				    mad_reply_is_response(&slot->request)
					    ? (unsigned int)(2 * patience / ENGINE_MSEC)
					    : 0);
	end = clock_nsec();
	if (end - begin > HELD_UP)
		hold_up_others(engine, slot, end - begin);
	if (rc) {
		/* A try that was not sent does not count: without any, nothing can have changed. */
		slot->tries--;
		engine_fail(engine, slot, rc);
		return;
	}
	engine->counts.sent++;
	engine->counts.again += slot->tries > 1 || slot->busy || slot->redirects;
	slot->state = SLOT_WAITS;
	slot->held_up = false;
	/* The reply may arrive before send() returns; the timeout starts after it. */
	slot->sent_nsec[slot->tries - 1] = begin;
	slot->deadline = end + patience;
}

static void try_again(struct mad_engine *engine, struct slot *slot)
{
	if (slot->tries > engine->options.retries)
		engine_fail(engine, slot, -ETIMEDOUT);
	else
		engine_send_slot(engine, slot);
}

void engine_late(struct mad_engine *engine, struct slot *slot)
{
	if (slot->state == SLOT_PAUSE)
		engine_send_slot(engine, slot);
	else
		try_again(engine, slot);
}

/* Returns true if another reply will come. */
static bool pause_if_busy(struct mad_engine *engine, struct slot *slot, uint16_t status)
{
	if (!(status & UMAD_STATUS_BUSY) || slot->busy == MOST_BUSY)
		return false;
	engine->counts.busy++;
	slot->state = SLOT_PAUSE;
	slot->deadline = clock_nsec() + (BUSY_FIRST << slot->busy++);
	/* The destination is alive but busy, so these tries do not count as lost. */
	slot->tries = 0;
	slot->generation = (slot->generation + 1) & ENGINE_GENERATION_MASK;
	return true;
}

/* Uses the P_Key of the redirection if the port has it: else the request's index is the best. */
static void use_pkey(const struct mad_engine *engine, uint16_t pkey, struct mad_address *to)
{
	const struct mad_transport *transport = &engine->transport;
	const int index = pkey & 0x7fff && transport->find_pkey
				  ? transport->find_pkey(transport->context, pkey)
				  : -ENOENT;

	if (index >= 0)
		to->pkey_index = (uint16_t)index;
}

/* The ClassPortInfo in the reply names the address to use instead: IBA 1, 13.4.8.1 and 13.5.2 */
static bool follow_redirect(struct mad_engine *engine, struct slot *slot, const unsigned char *mad,
			    size_t bytes, uint16_t status)
{
	const size_t at = mad_data_offset(slot->request.mgmt_class);
	const unsigned char *info = mad + at;
	struct mad_address *to = &slot->request.to;
	uint16_t lid = class_port_info_redirect_lid(info);

	if (!(status & UMAD_STATUS_REDIRECT) || mad_class_is_smp(slot->request.mgmt_class) ||
	    slot->redirects == MOST_REDIRECTS || bytes < at + REDIRECT_BYTES)
		return false;
	/* Without a LID the target is in another subnet: the GRH leads there by the same router. */
	if (lid)
		to->lid = lid;
	memcpy(to->gid.raw, info + offsetof(struct umad_class_port_info, redirgid),
	       sizeof(to->gid.raw));
	to->has_grh = !lid;
	to->hop_limit = 64;
	to->traffic_class = class_port_info_redirect_traffic_class(info);
	to->sl = class_port_info_redirect_sl(info);
	to->flow_label = class_port_info_redirect_flow_label(info);
	to->qpn = class_port_info_redirect_qpn(info);
	to->qkey = class_port_info_redirect_qkey(info);
	use_pkey(engine, class_port_info_redirect_pkey(info), to);
	if (!to->qpn)
		to->qpn = 1;
	if (!to->qkey)
		to->qkey = UMAD_QKEY;
	engine->counts.redirected++;
	slot->redirects++;
	slot->tries = 0;
	slot->generation = (slot->generation + 1) & ENGINE_GENERATION_MASK;
	engine_send_slot(engine, slot);
	return true;
}

static void take_answer(struct mad_engine *engine, struct slot *slot, unsigned int try,
			const struct mad_arrival *arrival, size_t bytes)
{
	const unsigned char *mad = engine->arrival + engine->transport.headroom;
	struct mad_reply reply = {
		.status = mad_status(mad),
		.mad = mad,
		.bytes = bytes,
		.from = &arrival->from,
		.round_trip_nsec = slot->held_up ? 0 : clock_nsec() - slot->sent_nsec[try],
	};

	if (reply.round_trip_nsec)
		measured(engine, reply.round_trip_nsec);
	/*
	 * A code in these bits says that the request is invalid, 13.4.7. In class 0x0a the device
	 * puts its own status there: mib_status_translate() of mstflint checks it before the other
	 * bits.
	 */
	if (reply.status & UMAD_STATUS_INVALID_FIELD_MASK ||
	    (!pause_if_busy(engine, slot, reply.status) &&
	     !follow_redirect(engine, slot, mad, bytes, reply.status)))
		finish(engine, slot, &reply);
}

void engine_take(struct mad_engine *engine, const struct mad_arrival *arrival, size_t bytes)
{
	const unsigned char *mad = engine->arrival + engine->transport.headroom;
	const uint32_t transaction = mad_transaction(mad);
	struct slot *slot = &engine->slots[transaction % (1u << ENGINE_SLOT_BITS)];
	const unsigned int try = (transaction >> ENGINE_SLOT_BITS) % (1u << ENGINE_TRY_BITS);
	const bool ours = slot->state == SLOT_WAITS && try < slot->tries &&
			  slot->generation == transaction >> (ENGINE_SLOT_BITS + ENGINE_TRY_BITS);

	if (arrival->error) {
		/*
		 * The kernel returned our own request after a timeout, truncated. Only the last try
		 * counts: an earlier one has been replaced by a try with its own deadline.
		 */
		if (ours && try + 1 == slot->tries)
			try_again(engine, slot);
		return;
	}
	if (ours && mad_answers(mad, &slot->request))
		take_answer(engine, slot, try, arrival, bytes);
	else if (!(mad_method(mad) & UMAD_METHOD_RESP_MASK) && engine->work->unasked)
		engine->work->unasked(engine->work->context, arrival, mad, bytes);
	else
		engine->counts.stray++;
}
