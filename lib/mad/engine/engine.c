/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "mad/engine/engine_private.h"
#include "mad/format/header.h"

#define SLICE_MSEC 100u /* interval at which the caller is asked whether to stop */
#define LOOK_MSEC  5u

static unsigned int within(unsigned int number, unsigned int fallback, unsigned int most)
{
	if (!number)
		number = fallback;
	return number < most ? number : most;
}

struct mad_engine *mad_engine_new(const struct mad_transport *transport,
				  const struct mad_engine_options *options)
{
	struct mad_engine *engine = mem_alloc_zero(1, sizeof(*engine));
	size_t size = transport->headroom + MAD_BYTES;
	uint32_t start = 0;

	engine->transport = *transport;
	engine->options = *options;
	engine->options.timeout_msec = within(options->timeout_msec, 0, ENGINE_MOST_TIMEOUT_MSEC);
	engine->options.window = within(options->window, ENGINE_WINDOW, ENGINE_MOST_WINDOW);
	engine->options.retries = options->retries_given
					  ? within(options->retries, 0, ENGINE_MOST_RETRIES)
					  : ENGINE_RETRIES;
	engine->buffers = mem_alloc_zero(engine->options.window, size);
	engine->arrival_bytes = MAD_BYTES;
	engine->arrival = mem_alloc_zero(1, size);
	/*
	 * Start at a random ID, so that replies to an earlier program's requests are not taken for
	 * ours.
	 */
	if (getrandom(&start, sizeof(start), GRND_NONBLOCK) < 0)
		start = (uint32_t)clock_nsec();
	for (size_t i = 0; i < engine->options.window; i++) {
		engine->slots[i].buffer = engine->buffers + i * size;
		engine->slots[i].generation = start & 0xffff;
	}
	return engine;
}

int mad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	     const struct mad_engine_options *options, struct mad_engine **ret_engine)
{
	struct mad_transport transport;
	int rc = umad_open(device, port, smi_device, smi_port, &transport);

	if (!rc)
		*ret_engine = mad_engine_new(&transport, options);
	return rc;
}

void mad_engine_free(struct mad_engine *engine)
{
	if (!engine)
		return;
	engine->transport.close(engine->transport.context);
	free(engine->agents);
	free(engine->buffers);
	free(engine->arrival);
	free(engine);
}

void mad_engine_counts(const struct mad_engine *engine, struct mad_engine_counts *ret)
{
	*ret = engine->counts;
}

int mad_engine_add_agent(struct mad_engine *engine, const struct mad_agent *agent)
{
	int number = engine->transport.add_agent(engine->transport.context, agent);
	struct engine_agent *slot;

	if (number < 0)
		return number;
	slot = mem_append(&engine->agents, &engine->agent_count, sizeof(*slot));
	slot->spec = *agent;
	slot->number = number;
	return number;
}

/* Classes whose replies may have several segments, which the kernel reassembles: IBA 1, 13.6 */
static bool has_long_messages(unsigned int mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == MAD_CLASS_OPENIB_SYSSTAT;
}

/* Returns the number of the agent of a class, which is made if necessary, or -errno. */
static int agent_of(struct mad_engine *engine, const struct mad_request *request)
{
	const struct mad_agent agent = {
		.mgmt_class = request->mgmt_class,
		.version = mad_version_of_class(request->mgmt_class),
		.rmpp_version = has_long_messages(request->mgmt_class),
		.oui = request->oui,
	};

	for (size_t i = 0; i < engine->agent_count; i++)
		if (engine->agents[i].spec.mgmt_class == request->mgmt_class &&
		    engine->agents[i].spec.oui == request->oui)
			return engine->agents[i].number;
	return mad_engine_add_agent(engine, &agent);
}

/* There is one, because fewer requests are under way than the window holds. */
static struct slot *free_slot(struct mad_engine *engine)
{
	struct slot *slot = &engine->slots[engine->last_freed];

	for (size_t i = 0; slot->state != SLOT_FREE; i++)
		slot = &engine->slots[i];
	return slot;
}

/* True for an SMP to another subnet: the router at that LID would answer for itself. */
static bool would_cross_router(unsigned int mgmt_class, const struct mad_address *to)
{
	return mad_class_is_smp(mgmt_class) && to->has_grh;
}

/* Returns true if there was a request, even if it could not be sent. */
static bool begin_next(struct mad_engine *engine)
{
	struct slot *slot = free_slot(engine);

	memset(&slot->request, 0, sizeof(slot->request));
	if (!engine->work->next || !engine->work->next(engine->work->context, &slot->request))
		return false;
	engine->counts.requests++;
	engine->under_way++;
	slot->generation = (slot->generation + 1) & ENGINE_GENERATION_MASK;
	slot->tries = slot->busy = slot->redirects = 0;
	slot->agent = would_cross_router(slot->request.mgmt_class, &slot->request.to)
			      ? -EXDEV
			      : agent_of(engine, &slot->request);
	if (slot->agent < 0)
		engine_fail(engine, slot, slot->agent);
	else
		engine_send_slot(engine, slot);
	return true;
}

static void fill_window(struct mad_engine *engine)
{
	while (engine->under_way < engine->options.window && begin_next(engine))
		;
}

static int grow(struct mad_engine *engine, size_t bytes)
{
	free(engine->arrival);
	engine->arrival = mem_alloc_zero(1, engine->transport.headroom + bytes);
	engine->arrival_bytes = bytes;
	return 0;
}

/* Takes one received MAD. Returns -EAGAIN if there is none. */
static int take_one(struct mad_engine *engine)
{
	struct mad_arrival arrival = {.agent = -1};
	size_t bytes = engine->arrival_bytes;
	int rc = engine->transport.receive(engine->transport.context, engine->arrival, &bytes,
					   &arrival);

	if (rc == -ENOSPC)
		return bytes > engine->arrival_bytes ? grow(engine, bytes) : -EIO;
	if (!rc && bytes >= MAD_HEADER_BYTES)
		engine_take(engine, &arrival, bytes);
	return rc;
}

static void end_all(struct mad_engine *engine, int error)
{
	for (size_t i = 0; i < engine->options.window; i++)
		if (engine->slots[i].state != SLOT_FREE)
			engine_fail(engine, &engine->slots[i], error);
}

/* The time to the next deadline in milliseconds, 0 if it has passed; at most SLICE_MSEC. */
static unsigned int until_deadline(const struct mad_engine *engine)
{
	uint64_t now = clock_nsec(), next = now + SLICE_MSEC * ENGINE_MSEC;

	for (size_t i = 0; i < engine->options.window; i++)
		if (engine->slots[i].state != SLOT_FREE && engine->slots[i].deadline < next)
			next = engine->slots[i].deadline;
	return next > now ? (unsigned int)((next - now + ENGINE_MSEC - 1) / ENGINE_MSEC) : 0;
}

static void expire(struct mad_engine *engine)
{
	uint64_t now = clock_nsec();

	for (size_t i = 0; i < engine->options.window; i++)
		if (engine->slots[i].state != SLOT_FREE && engine->slots[i].deadline <= now)
			engine_late(engine, &engine->slots[i]);
	fill_window(engine);
}

static bool is_stopped(const struct mad_engine *engine)
{
	return engine->options.stopped && engine->options.stopped(engine->options.context);
}

/*
 * Waits if the queue was drained, then takes up to a window's worth of MADs. A request is late only
 * once the queue is empty: if this process did not run for a while, the reply may already be in it.
 */
static int receive_some(struct mad_engine *engine, unsigned int most_msec)
{
	int rc;

	if (engine->drained) {
		unsigned int msec;

		fill_window(engine);
		msec = until_deadline(engine);
		rc = engine->transport.wait(engine->transport.context,
					    (int)(msec < most_msec ? msec : most_msec));
		if (rc == -ETIMEDOUT)
			expire(engine);
		if (rc)
			return rc == -ETIMEDOUT || rc == -EINTR ? 0 : rc;
		engine->drained = false;
	}
	for (unsigned int i = 0; i < engine->options.window; i++) {
		rc = take_one(engine);
		if (rc == -EAGAIN)
			engine->drained = true;
		if (rc)
			return rc == -EAGAIN ? 0 : rc;
		/* Reuse the slot of the answered request at once. */
		fill_window(engine);
		/* The request just sent cannot have its reply yet, so do not look for one now. */
		if (engine->under_way <= 1) {
			engine->drained = true;
			return 0;
		}
	}
	return 0;
}

/* Works until nothing is left to do, or until `end`. */
static int work_until(struct mad_engine *engine, const struct mad_work *work, bool idle,
		      uint64_t end)
{
	uint64_t now = clock_nsec(), asked = now, looked = now;
	int rc = 0;

	engine->work = work;
	fill_window(engine);
	while ((engine->under_way || idle) && !rc && now < end) {
		uint64_t left = (end - now) / ENGINE_MSEC + 1;

		rc = receive_some(engine, left < SLICE_MSEC ? (unsigned int)left : SLICE_MSEC);
		now = clock_nsec();
		/* Check deadlines even while replies keep coming. */
		if (!rc && now - looked > LOOK_MSEC * ENGINE_MSEC) {
			looked = now;
			expire(engine);
		}
		if (!rc && now - asked > SLICE_MSEC * ENGINE_MSEC) {
			asked = now;
			rc = is_stopped(engine) ? -ECANCELED : 0;
		}
	}
	end_all(engine, rc && rc != -ECANCELED ? -EIO : -ECANCELED);
	engine->work = NULL;
	return rc;
}

int mad_engine_run(struct mad_engine *engine, const struct mad_work *work)
{
	return work_until(engine, work, false, UINT64_MAX);
}

int mad_engine_serve(struct mad_engine *engine, const struct mad_work *work, int msec)
{
	uint64_t end = msec < 0 ? UINT64_MAX : clock_nsec() + (uint64_t)msec * ENGINE_MSEC;

	return work_until(engine, work, true, end);
}

int mad_engine_send(struct mad_engine *engine, int agent, const struct mad_address *to,
		    const unsigned char *mad, size_t bytes)
{
	_cleanup_(freep) unsigned char *buffer = NULL;

	if (would_cross_router(mad_class(mad), to))
		return -EXDEV;
	buffer = mem_alloc_zero(1, engine->transport.headroom + bytes);
	memcpy(buffer + engine->transport.headroom, mad, bytes);
	return engine->transport.send(engine->transport.context, agent, to, buffer, bytes, 0);
}
