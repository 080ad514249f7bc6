/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many connections can be made per second, and how long each step takes while others are under
 * way: by rdma_cm, or by the exchange, like programs that send queue pair numbers over TCP.
 */
#include <string.h>

#include "base/clock.h"
#include "base/statistics.h"
#include "selftest/tests/tests.h"

/* The default of cmtime. */
#define USUAL_CONNECTIONS 100u
/*
 * The more are under way, the less often a side has to sleep; but they must fit into the 512
 * receive buffers of the other side's QP1 (IB_MAD_QP_RECV_SIZE,
 * drivers/infiniband/core/mad_priv.h): a request that does not fit is only sent again seconds
 * later.
 */
#define USUAL_AT_ONCE 512u
/* No work is posted, so nothing completes. */
#define CQ_ENTRIES 4u
/* The longest time without an event, as for a single connection. */
#define MANY_STILL_MSEC 8000u

static const struct {
	const char *id, *summary;
} steps[STEPS] = {
	[STEP_ADDRESS] = {"connections-address", "rdma_cm resolves the address"},
	[STEP_ROUTE] = {"connections-route", "rdma_cm resolves the route"},
	[STEP_QP] = {"connections-qp", "a queue pair is created"},
	[STEP_CONNECT] = {"connections-connect", "from the request to a queue pair that can send"},
	[STEP_DISCONNECT] = {"connections-disconnect", "from the request to its reply"},
};

struct wanted {
	uint32_t count, at_once;
};

static struct real median(const struct agent_many *many, enum connection_step step)
{
	struct statistics statistics;

	if (!many->samples[step])
		return (struct real){.known = false};
	statistics_compute(many->nsec[step], many->samples[step], &statistics);
	return real_of(statistics.p50_usec);
}

static void note_wanted(struct trial *trial, const struct wanted *wanted)
{
	struct selftest_result *row = trial->result;

	number_set(&row->queue_pairs, wanted->count);
	number_set(&row->iterations, wanted->count);
	number_set(&row->depth, wanted->at_once);
}

/* The samples of each step come from the near agent: one per connection, or none. */
static void note_times(struct trial *trial, const struct wanted *wanted, uint64_t elapsed_nsec)
{
	const struct agent_many *many = &trial->near.agent->many;
	const struct real elapsed = real_of((double)elapsed_nsec / 1e6);
	struct selftest_result *row = trial->result;

	row->duration_msec = elapsed;
	row->connections_per_second = real_of(wanted->count * 1e3 / elapsed.value);
	row->address_usec = median(many, STEP_ADDRESS);
	row->route_usec = median(many, STEP_ROUTE);
	row->connect_usec = median(many, STEP_CONNECT);
	row->disconnect_usec = median(many, STEP_DISCONNECT);
	selftest_result_set_latency(row, many->nsec[STEP_ALL], many->samples[STEP_ALL], NULL);
	for (int step = 0; step < STEPS; step++) {
		if (!steps[step].id || !many->samples[step])
			continue;
		trial_next_row(trial, steps[step].id, steps[step].summary);
		note_wanted(trial, wanted);
		trial->result->duration_msec = elapsed;
		selftest_result_set_latency(trial->result, many->nsec[step], many->samples[step],
					    NULL);
	}
}

/* ---- By rdma_cm ---- */

static int connect_by_cm(struct trial *trial, const struct wanted *wanted, uint64_t *ret_nsec)
{
	const struct agent_many *many = &trial->near.agent->many;
	const struct trial_retries retries = trial_retries(trial);
	struct message_connect_many order = {
		.active = 1,
		.count = wanted->count,
		.at_once = wanted->at_once,
		.cq = TRIAL_CQ,
		.cookie = ++trial->cookie,
		.timeout_msec = MANY_STILL_MSEC,
		.retries = retries.retries,
		.rnr_retries = retries.rnr_retries,
	};
	struct message accept = {.type = MESSAGE_CONNECT_MANY}, held = {0};
	struct message_connected_many connected;
	struct message_listening listening;
	struct side *far = &trial->far;
	int rc = trial_order(far, listen, &(struct message_none){}, &listening);

	if (rc)
		return rc;
	order.ip = listening.ip;
	order.port = listening.port;
	accept.connect_many = order;
	accept.connect_many.active = 0;
	rc = trial_order(far, start, &accept, &held)
		     ?: trial_finish_accept(trial, &accept, MANY_STILL_MSEC, &held,
					    side_connect_many(&trial->near, &order, &connected));
	if (rc)
		return rc_name_failure(trial, rc, "after %u of %u connections", many->established,
				       wanted->count);
	*ret_nsec = connected.elapsed_nsec;
	return 0;
}

/* ---- By the exchange ---- */

/* Connects one batch; each of its connections is given the time of the batch. */
static int exchange_some(struct trial *trial, struct message_exchange_many *order)
{
	struct agent_many *many = &trial->near.agent->many;
	const uint64_t begin = clock_nsec();
	struct message_exchanged_many made, theirs;
	uint64_t after_make, end;
	int rc;

	order->make = 1;
	order->connect = 0;
	rc = trial_order(&trial->near, exchange_many, order, &made);
	after_make = clock_nsec();
	if (rc)
		return rc;
	order->connect = 1;
	order->to = trial->near.can.far;
	memcpy(order->items, made.items, sizeof(order->items));
	rc = trial_order(&trial->far, exchange_many, order, &theirs);
	if (rc)
		return rc;
	/* Each side needs the numbers of all queue pairs that the other made. */
	if (theirs.count != order->count)
		return trial_fail(trial, "use the same release of rdmactl on both hosts",
				  "the peer created %u queue pairs, but %u were requested",
				  theirs.count, order->count);
	order->make = 0;
	order->to = trial->far.can.far;
	memcpy(order->items, theirs.items, sizeof(order->items));
	rc = trial_order(&trial->near, exchange_many, order, &made);
	end = clock_nsec();
	for (uint32_t i = 0; i < order->count && !rc; i++) {
		agent_many_sample(many, STEP_QP, after_make - begin);
		agent_many_sample(many, STEP_CONNECT, end - after_make);
		agent_many_sample(many, STEP_ALL, end - begin);
	}
	return rc;
}

static int connect_by_exchange(struct trial *trial, const struct wanted *wanted, uint64_t *ret_nsec)
{
	const struct trial_retries retries = trial_retries(trial);
	struct message_exchange_many order = {
		.total = wanted->count,
		.cq = TRIAL_CQ,
		.to = trial->far.can.far,
		.mtu_bytes = trial_mtu(trial),
		.timeout = retries.timeout,
		.retries = retries.retries,
		.rnr_retries = retries.rnr_retries,
	};
	const uint64_t begin = clock_nsec();
	int rc = 0;

	while (!rc && order.first < wanted->count) {
		order.count = at_most(wanted->at_once, wanted->count - order.first);
		rc = exchange_some(trial, &order);
		if (!rc)
			order.first += order.count;
	}
	*ret_nsec = clock_nsec() - begin;
	if (rc)
		return rc_name_failure(trial, rc, "after %u of %u connections", order.first,
				       wanted->count);
	return 0;
}

static void run_connections(struct trial *trial)
{
	const struct selftest_request *request = trial->request;
	struct wanted wanted = {
		.count = request->connections ? request->connections : USUAL_CONNECTIONS,
		.at_once = request->depth ? at_most(request->depth, LIMIT_AT_ONCE) : USUAL_AT_ONCE,
	};
	const struct message_cq cq = {.slot = TRIAL_CQ, .entries = CQ_ENTRIES};
	uint64_t nsec;
	int rc;

	if (!trial->by_cm)
		wanted.at_once = at_most(wanted.at_once, LIMIT_BATCH);
	note_wanted(trial, &wanted);
	if (trial_order(&trial->near, cq, &cq) || trial_order(&trial->far, cq, &cq))
		return;
	rc = trial->by_cm ? connect_by_cm(trial, &wanted, &nsec)
			  : connect_by_exchange(trial, &wanted, &nsec);
	if (!rc)
		note_times(trial, &wanted, nsec);
}

const struct trial_test connect_tests[] = {
	{"connections", SELFTEST_CONNECT, "connections a second, and the time of their steps", 0,
	 run_connections},
	{0},
};
