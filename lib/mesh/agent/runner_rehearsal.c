/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A runner that makes up its answers from a file, and touches no RDMA. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/port.h"
#include "mesh/agent/runner.h"
#include "mesh/plan/plan.h"

#define MOST_REHEARSAL_BYTES (1u << 20)
#define DEFAULT_RATE	     100 /* Gb/s */
#define MTU_BYTES	     4096
#define MBPS_OF_GBPS	     1000
#define SHOWN_PORT	     18777 /* nobody listens there */
#define PORT_IS_ACTIVE	     4

struct rehearsed {
	struct rehearsal rehearsal;
	char *name;
};

static struct number number_for(const struct rehearsed *rehearsed, const char *key)
{
	const char *value = rehearsal_host_value(&rehearsed->rehearsal, rehearsed->name, key);

	return value ? number_of((uint64_t)strtod(value, NULL)) : (struct number){.known = false};
}

static char *text_for(const struct rehearsed *rehearsed, const char *key)
{
	return mem_string_or_null(
		rehearsal_host_value(&rehearsed->rehearsal, rehearsed->name, key));
}

/* The host of the file that this agent plays: that of its name, of its rank, or the next one. */
static char *choose_name(const struct rehearsal *rehearsal, const struct mesh_runner_setup *setup)
{
	const struct strings *hosts = &rehearsal->hosts;
	const uint64_t number = setup->rank.known ? setup->rank.value : setup->seat;
	char own[MESH_NAME_BYTES];

	if (setup->name)
		return mem_string(setup->name);
	if (number < hosts->count)
		return mem_string(hosts->items[number]);
	if (gethostname(own, sizeof(own)))
		own[0] = '\0';
	own[sizeof(own) - 1] = '\0';
	return mem_format("%s-%" PRIu64, own, number);
}

/* Those after an adapter that is gone have the names that a start of the host without it gives. */
static void fill_rails(const struct rehearsed *rehearsed, struct mesh_host *host)
{
	const struct number wanted = number_for(rehearsed, "rails");
	const struct number rate = number_for(rehearsed, "rate");
	const uint32_t count = !wanted.known			? 1
			       : wanted.value < MESH_MOST_RAILS ? (uint32_t)wanted.value
								: MESH_MOST_RAILS;

	host->rails = mem_alloc_zero(count + 1, sizeof(*host->rails));
	for (uint16_t i = 0; i < count; i++) {
		const char *reason = rehearsal_rail_value(&rehearsed->rehearsal, host->name, i,
							  "down");
		struct endpoint *rail = &host->rails[host->rail_count];
		_cleanup_(freep) char *slot = mem_format("pci0000:00/%02x.0", i);
		const uint32_t own = (uint32_t)host->slots.count;

		if (rehearsal_rail_value(&rehearsed->rehearsal, host->name, i, "gone"))
			continue;
		strings_add(&host->slots, slot);
		if (reason) {
			struct mesh_gap gap = {
				.place = own, .port = 1, .reason = mem_string(reason)};

			snprintf(gap.device, sizeof(gap.device), "mlx5_%u", own);
			MEM_ADD(host->gaps, host->gap_count) = gap;
			continue;
		}
		host->rail_count++;
		snprintf(rail->device, sizeof(rail->device), "mlx5_%u", own);
		rail->port = 1;
		rail->link_layer = LINK_LAYER_INFINIBAND;
		rail->state = PORT_IS_ACTIVE;
		rail->mtu_bytes = MTU_BYTES;
		rail->lid = i + 1;
		rail->rate_mbps = (rate.known ? rate.value : DEFAULT_RATE) * MBPS_OF_GBPS;
	}
}

static void fill_local(const struct rehearsed *rehearsed, struct mesh_local *local)
{
	struct mesh_host *host = &local->host;

	*local = (struct mesh_local){.server = 0};
	host->name = mem_string(rehearsed->name);
	host->release = text_for(rehearsed, "release");
	host->kernel = text_for(rehearsed, "kernel");
	host->firmware = text_for(rehearsed, "firmware");
	host->rehearsed = true;
	host->server_port = SHOWN_PORT;
	host->others_qps = number_for(rehearsed, "others");
	host->memlock_bytes = number_for(rehearsed, "memlock");
	fill_rails(rehearsed, host);
}

static void close_rehearsal(void *state)
{
	struct rehearsed *rehearsed = state;

	rehearsal_clear(&rehearsed->rehearsal);
	free(rehearsed->name);
	free(rehearsed);
}

static int open_rehearsal(const struct mesh_runner_setup *setup, struct mesh_local *ret_local,
			  void **ret_state, char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) char *text = NULL, *wrong = NULL;
	struct rehearsal rehearsal;
	struct rehearsed *rehearsed;
	const char *refusal;
	size_t length;
	int rc = file_read(setup->file, MOST_REHEARSAL_BYTES, &text, &length);

	if (rc) {
		*ret_reason = mem_format("cannot read the rehearsal %s: %s", setup->file,
					 strerror(-rc));
		*ret_hint = mem_string("put the file where all hosts see it under the same path");
		return rc;
	}
	/* Text after a NUL must not be ignored silently. */
	if (strlen(text) < length) {
		rc = -EINVAL;
		wrong = mem_string("it is not a text file");
	} else {
		rc = rehearsal_parse(text, &rehearsal, &wrong);
	}
	if (rc) {
		*ret_reason = mem_format("%s: %s", setup->file, wrong);
		return rc;
	}
	rehearsed = mem_alloc_zero(1, sizeof(*rehearsed));
	rehearsed->rehearsal = rehearsal;
	rehearsed->name = choose_name(&rehearsed->rehearsal, setup);
	refusal = rehearsal_host_value(&rehearsed->rehearsal, rehearsed->name, "refuse");
	if (refusal) {
		*ret_reason = mem_string(refusal);
		ret_local->host.name = mem_string(rehearsed->name);
		close_rehearsal(rehearsed);
		return -ENODEV;
	}
	fill_local(rehearsed, ret_local);
	*ret_state = rehearsed;
	return 0;
}

/* The value with its noise, which is always the same for one figure of one order. */
static struct real figure(const struct rehearsal_act *act, double value, uint64_t id,
			  unsigned int number)
{
	uint64_t state = (id - 1) * UINT64_C(0x9e3779b97f4a7c15) +
			 number * UINT64_C(0xbf58476d1ce4e5b9) + 1;
	/* From -1 to 1. */
	const double wobble = (double)(random_next(&state) >> 11) / (double)(UINT64_C(1) << 52) - 1;

	return real_of(value * (1 + wobble * act->noise_percent / 100));
}

static void act_out(const struct rehearsal_act *act, const struct mesh_order *order,
		    struct mesh_result *result)
{
	/* usleep() has 32 bits, which wrap after an hour and eleven minutes. */
	nanosleep(&(struct timespec){.tv_sec = (time_t)(act->msec / 1000),
				     .tv_nsec = (long)(act->msec % 1000) * 1000000},
		  NULL);
	while (act->hang)
		pause();
	if (act->crash)
		abort();
	/* In loopback there is no other agent. */
	if (act->apart && !order->loopback) {
		result->outcome = MESH_APART;
		snprintf(result->reason, sizeof(result->reason), "%s", act->apart);
		return;
	}
	if (act->fail) {
		result->outcome = MESH_FAIL;
		snprintf(result->reason, sizeof(result->reason), "%s", act->fail);
		return;
	}
	result->outcome = MESH_PASS;
	if (order->tests & MESH_LATENCY)
		result->latency_usec = figure(act, act->latency_usec, order->id, MESH_ENDS);
	for (unsigned int end = 0; end < MESH_ENDS; end++) {
		result->errors[end] = number_of(act->errors[end]);
		if (order->tests & MESH_BANDWIDTH)
			result->gbps[end] = figure(act, act->gbps[end], order->id, end);
		if (order->tests & MESH_BOTH_WAYS)
			result->both_gbps[end] = figure(act,
							act->both_gbps[end].known
								? act->both_gbps[end].value
								: act->gbps[end],
							order->id, MESH_ENDS + 1 + end);
	}
}

/* The rail's number in the file: an order counts only those that the host can use. */
static uint16_t place_of(const struct rehearsal *rehearsal, const char *host, uint32_t rail)
{
	uint16_t place = 0;

	for (uint32_t left = rail; place < MESH_MOST_RAILS; place++)
		if (!rehearsal_rail_value(rehearsal, host, place, "down") &&
		    !rehearsal_rail_value(rehearsal, host, place, "gone") && !left--)
			break;
	return place;
}

static void run_rehearsal(void *state, const struct mesh_order *order, const struct endpoint *near,
			  struct mesh_result *result)
{
	const struct rehearsed *rehearsed = state;
	const struct rehearsal *rehearsal = &rehearsed->rehearsal;
	const char *const names[MESH_ENDS] = {rehearsed->name, order->peer};
	const uint16_t rails[MESH_ENDS] = {place_of(rehearsal, names[0], order->rail),
					   place_of(rehearsal, names[1], order->peer_rail)};
	struct rehearsal_act act;

	(void)near;
	rehearsal_act(rehearsal, names, rails, &act);
	act_out(&act, order, result);
}

const struct mesh_runner mesh_runner_rehearsal = {
	.open = open_rehearsal,
	.run = run_rehearsal,
	.close = close_rehearsal,
};
