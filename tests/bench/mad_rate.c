/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many management datagrams a second: NodeInfo of the own port, by the engine or by a bare
 * send and receive loop over libibumad that does nothing but keep the window full.
 *
 *	mad_rate engine|bare WINDOW COUNT [DEVICE [PORT]]
 *
 * Prints one number. For the simulator: tests/sim/bench runs it there.
 */
#include <dlfcn.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/engine/engine.h"

#define NODE_INFO 0x11

static struct mad_request node_info(void)
{
	return (struct mad_request){
		.to = {.lid = MAD_LID_PERMISSIVE},
		.direct = true,
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.method = UMAD_METHOD_GET,
		.attribute = NODE_INFO,
	};
}

struct progress {
	unsigned long asked, answered, count;
};

static bool next(void *context, struct mad_request *request)
{
	struct progress *progress = context;

	if (progress->asked == progress->count)
		return false;
	progress->asked++;
	*request = node_info();
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct progress *progress = context;

	progress->answered += !reply->error;
}

static unsigned long run_engine(const char *device, unsigned int port, unsigned int window,
				unsigned long count)
{
	const struct mad_engine_options options = {.window = window};
	struct progress progress = {.count = count};
	const struct mad_work work = {.context = &progress, .next = next, .done = done};
	struct mad_engine *engine;

	if (mad_open(device, port, device, port, &options, &engine))
		return 0;
	mad_engine_run(engine, &work);
	mad_engine_free(engine);
	return progress.answered;
}

#define UMAD_FUNCTIONS(MUST, MAY)          \
	MUST(umad_init, "IBUMAD_1.0")      \
	MUST(umad_open_port, "IBUMAD_1.0") \
	MUST(umad_size, "IBUMAD_1.0")      \
	MUST(umad_get_mad, "IBUMAD_1.0")   \
	MUST(umad_set_addr, "IBUMAD_1.0")  \
	MUST(umad_send, "IBUMAD_1.0")      \
	MUST(umad_recv, "IBUMAD_1.0")      \
	MUST(umad_register, "IBUMAD_1.0")
struct functions {
	UMAD_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};
#define LIBRARY_RECORD struct functions
static const struct library_symbol symbols[] = {UMAD_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)};

static unsigned long run_bare(const char *device, unsigned int port, unsigned int window,
			      unsigned long count)
{
	const struct mad_request request = node_info();
	struct functions call;
	unsigned long sent = 0, answered = 0;
	unsigned char buffer[512];
	int id, agent;

	if (library_open("libibumad.so.3", symbols, ARRAY_SIZE(symbols), &call))
		return 0;
	call.umad_init();
	id = call.umad_open_port(device, (int)port);
	agent = call.umad_register(id, UMAD_CLASS_SUBN_DIRECTED_ROUTE, 1, 0, NULL);
	while (answered < count) {
		int length = MAD_BYTES;

		for (; sent < count && sent - answered < window; sent++) {
			memset(buffer, 0, sizeof(buffer));
			mad_request_write(&request, (uint32_t)sent, call.umad_get_mad(buffer));
			call.umad_set_addr(buffer, MAD_LID_PERMISSIVE, 0, 0, 0);
			if (call.umad_send(id, agent, buffer, MAD_BYTES, 1000, 0))
				return 0;
		}
		if (call.umad_recv(id, buffer, &length, 1000) < 0)
			return 0;
		answered++;
	}
	return answered;
}

int main(int argc, char **argv)
{
	const char *device = argc > 4 ? argv[4] : "ibsim0";
	unsigned int port = argc > 5 ? (unsigned int)atoi(argv[5]) : 1;
	unsigned long count, answered;
	uint64_t begin;

	if (argc < 4)
		return 2;
	count = strtoul(argv[3], NULL, 10);
	/* What the first packet costs, attaching to the simulator, is not the question. */
	run_engine(device, port, 1, 1);
	begin = clock_nsec();
	answered = (!strcmp(argv[1], "engine") ? run_engine : run_bare)(
		device, port, (unsigned int)atoi(argv[2]), count);
	printf("%.0f\n", (double)answered * 1e9 / (double)(clock_nsec() - begin));
	return answered == count ? 0 : 1;
}
