/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The MAD engine: the input says what the fabric does with each request and what else arrives:
 * answers, wrong ones, duplicates, requests that are returned, errors of the port. In any case each
 * request ends exactly once.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "mad/engine/engine.h"

#define REQUESTS   24u
#define HEADROOM   16u
#define MOST_BYTES 600u
#define KEPT	   8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fabric {
	const uint8_t *data;
	size_t left;
	unsigned char sent[KEPT][MAD_BYTES]; /* the last requests, for matching answers */
	size_t sends;
	size_t given, ended;
	unsigned int ends[REQUESTS];
	unsigned char mad[MOST_BYTES];
	size_t mad_bytes; /* of a MAD that was too large, and is received next */
	struct mad_arrival arrival;
	bool again;
};

static unsigned int draw(struct fabric *fabric)
{
	if (!fabric->left)
		return 0;
	fabric->left--;
	return *fabric->data++;
}

static int add_agent(void *context, const struct mad_agent *agent)
{
	struct fabric *fabric = context;

	(void)agent;
	return draw(fabric) == 255 ? -EPERM : 1;
}

static int send_mad(void *context, int agent, const struct mad_address *to, unsigned char *buffer,
		    size_t bytes, unsigned int timeout_msec)
{
	struct fabric *fabric = context;

	(void)to;
	if (agent != 1 || bytes != MAD_BYTES || !timeout_msec)
		abort();
	memcpy(fabric->sent[fabric->sends++ % KEPT], buffer + HEADROOM, MAD_BYTES);
	return draw(fabric) == 254 ? -EINVAL : 0;
}

/* Makes the next arrival: one of our requests with some bytes changed. */
static void make_arrival(struct fabric *fabric, unsigned int kind)
{
	const unsigned char *sent = fabric->sent[draw(fabric) % KEPT];
	unsigned int changes = draw(fabric) % 4;

	memcpy(fabric->mad, sent, MAD_BYTES);
	fabric->arrival = (struct mad_arrival){.agent = 1, .error = kind & 1 ? ETIMEDOUT : 0};
	if (kind & 2)
		fabric->mad[3] |= UMAD_METHOD_RESP_MASK;
	fabric->mad_bytes = kind & 4 ? draw(fabric) : kind & 8 ? MOST_BYTES : MAD_BYTES;
	while (changes--) {
		unsigned int at = draw(fabric) % 128;

		fabric->mad[at] = (unsigned char)draw(fabric);
	}
}

static int receive_mad(void *context, unsigned char *buffer, size_t *bytes, struct mad_arrival *ret)
{
	struct fabric *fabric = context;
	unsigned int kind;

	if (!fabric->again) {
		if (!fabric->left)
			return -ETIME;
		kind = draw(fabric);
		if (kind >= 240)
			return kind >= 254 ? -EIO : -EAGAIN;
		make_arrival(fabric, kind);
	}
	fabric->again = fabric->mad_bytes > *bytes;
	if (fabric->again) {
		*bytes = fabric->mad_bytes;
		return -ENOSPC;
	}
	memcpy(buffer + HEADROOM, fabric->mad, fabric->mad_bytes);
	*bytes = fabric->mad_bytes;
	*ret = fabric->arrival;
	return 0;
}

/* Usually there is something to receive; otherwise time passes, so that deadlines expire. */
static int wait_mad(void *context, int timeout_msec)
{
	struct fabric *fabric = context;
	const struct timespec moment = {.tv_nsec = 1000000};

	if (timeout_msec < 0)
		abort();
	if (!fabric->left && !fabric->again)
		return -EIO;
	if (draw(fabric) % 16)
		return 0;
	nanosleep(&moment, NULL);
	return -ETIMEDOUT;
}

static void close_fabric(void *context)
{
	(void)context;
}

static bool next(void *context, struct mad_request *request)
{
	static const uint8_t classes[] = {UMAD_CLASS_SUBN_LID_ROUTED,
					  UMAD_CLASS_SUBN_DIRECTED_ROUTE, UMAD_CLASS_SUBN_ADM,
					  UMAD_CLASS_PERF_MGMT, MAD_CLASS_OPENIB_PING};
	struct fabric *fabric = context;
	unsigned int kind;

	if (fabric->given == REQUESTS)
		return false;
	kind = draw(fabric);
	request->mgmt_class = classes[kind % ARRAY_SIZE(classes)];
	request->direct = request->mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	request->hops = (uint8_t)(kind % (MAD_HOPS_MOST + 1));
	request->method = kind & 1 ? UMAD_METHOD_GET : UMAD_METHOD_SET;
	request->attribute = (uint16_t)(kind & 3);
	request->to.lid = (uint16_t)(1 + (kind & 7));
	request->number = fabric->given++;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct fabric *fabric = context;

	fabric->ended++;
	if (reply->request->number >= fabric->given || fabric->ends[reply->request->number]++ ||
	    (reply->error == 0) != (reply->mad != NULL) || (!reply->error && reply->bytes < 24))
		abort();
}

static void unasked(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		    size_t bytes)
{
	(void)context;
	if (arrival->error || bytes < 24 || mad[3] & UMAD_METHOD_RESP_MASK)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric *fabric = mem_alloc_zero(1, sizeof(*fabric));
	const struct mad_transport transport = {
		.context = fabric,
		.headroom = HEADROOM,
		.add_agent = add_agent,
		.send = send_mad,
		.receive = receive_mad,
		.wait = wait_mad,
		.close = close_fabric,
	};
	const struct mad_work work = {
		.context = fabric, .next = next, .done = done, .unasked = unasked};
	struct mad_engine_options options = {.timeout_msec = 1, .retries_given = true};
	struct mad_engine_counts counts;
	struct mad_engine *engine;

	fabric->data = data;
	fabric->left = size;
	options.window = draw(fabric) % 9;
	options.retries = draw(fabric) % 9;
	engine = mad_engine_new(&transport, &options);
	mad_engine_run(engine, &work);
	mad_engine_counts(engine, &counts);
	if (fabric->ended != fabric->given || counts.requests != fabric->given ||
	    counts.answered + counts.timed_out > fabric->given)
		abort();
	mad_engine_free(engine);
	free(fabric);
	return 0;
}
