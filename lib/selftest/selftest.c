/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/selftest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "host/device.h"
#include "selftest/wire/session.h"

_Static_assert(SELFTEST_MOST_PAIRS == LIMIT_PAIRS, "as message.h has it");
_Static_assert(SELFTEST_MOST_DEPTH == LIMIT_DEPTH, "as message.h has it");
_Static_assert(SELFTEST_MOST_BYTES == LIMIT_BYTES, "as message.h has it");
_Static_assert(SELFTEST_MOST_TOKEN + 1 == sizeof(((struct message_hello *)0)->token),
	       "as message.h has it");

/* In this order: what provokes errors comes after what counts them. */
static const struct trial_test *const tables[] = {
	setup_tests, rc_tests, gather_tests, datagram_tests, measure_tests,
};

/* Some data by the port's GID index, and back to the row that is there. */
static void test_gid(struct trial *trial)
{
	const struct pair_shape shape = {0};
	const uint64_t bytes = 4096;
	const struct span span = trial_span(0, bytes);
	const struct message_receive receive = {.id = 2, .span = span};
	const struct message_post post = {.id = 1, .flags = POST_SIGNALED, .span = span};

	if (trial_connect(trial, 0, &shape, NULL) || trial_buffers(trial, bytes, NULL) ||
	    trial_fill(trial, &trial->near, &span, 1) ||
	    trial_receive(trial, &trial->far, &receive) || trial_post(trial, &trial->near, &post) ||
	    trial_expect(trial, &trial->near, 1, NULL) || trial_expect(trial, &trial->far, 2, NULL))
		return;
	trial_check(trial, &trial->far, &span, 1);
}

/* Who both sides are and what they can do; the row is failed if they do not go together. */
static int introduce(struct trial *trial, const struct endpoint *local)
{
	const struct selftest_request *request = trial->request;
	struct message order = {
		.type = MESSAGE_OPEN,
		.open =
			{
				.near = *local,
				.with_gid_index = request->peer_gid_index.known,
				.gid_index = (uint32_t)request->peer_gid_index.value & 0xffff,
				.mtu_bytes = request->mtu_bytes,
			},
	};
	struct diagnosis_facts facts;
	struct diagnosis diagnosis = {0};
	struct message reply;
	int rc = trial_call(trial, &trial->far, &order, &reply);

	if (rc)
		return rc;
	trial->far_can = reply.opened;
	trial_name_peer(trial, trial->result);
	trial_facts(trial, &facts);
	facts.stage = STAGE_HANDSHAKE;
	if (diagnose_mismatch(&facts, &diagnosis)) {
		trial_fail(trial, diagnosis.hint, "%s", diagnosis.sentence);
		rc = -EPROTOTYPE;
	}
	diagnosis_clear(&diagnosis);
	return rc;
}

static int open_near(struct trial *trial, const struct endpoint *local)
{
	struct message order = {.type = MESSAGE_OPEN, .open = {.near = *local}};
	struct message reply;
	int rc;

	trial->near_can.far = *local;
	trial->near.agent = agent_new(-1, trial->request->signals);
	rc = agent_open(trial->near.agent, local);
	if (rc) {
		reply = (struct message){.type = MESSAGE_REFUSED,
					 .refused = trial->near.agent->refused};
		return trial_explain(trial, &trial->near, -EREMOTEIO, &reply);
	}
	rc = trial_call(trial, &trial->near, &order, &reply);
	if (!rc)
		trial->near_can = reply.opened;
	return rc;
}

static void add_counters(struct trial *trial, struct selftest_result *row, enum selftest_side side,
			 const struct counter_list *before, const struct counter_list *after)
{
	const struct endpoint *endpoint = side == SIDE_LOCAL ? &trial->near_can.far
							     : &trial->far_can.far;

	for (size_t i = 0; i < after->count; i++) {
		const struct counter *old = counter_list_find(before, after->items[i].name);
		struct selftest_counter *counter;

		if (!old || (old->value == after->items[i].value &&
			     counter_class_of(old->name) == COUNTER_OTHER))
			continue;
		counter = selftest_result_add_counter(row);
		number_set(&counter->side, side);
		counter->device = mem_string(row->device ? row->device : "");
		if (side == SIDE_PEER && row->peer_device) {
			free(counter->device);
			counter->device = mem_string(row->peer_device);
		}
		number_set(&counter->port, endpoint->port);
		counter->name = mem_string(old->name);
		number_set(&counter->before, old->value);
		number_set(&counter->after, after->items[i].value);
	}
}

static uint64_t sum_of(const struct counter_sums *near, const struct counter_sums *far,
		       enum counter_class class)
{
	return near->by_class[class].value + far->by_class[class].value;
}

/* What both ports counted from the first test to here. */
static void count(struct trial *trial)
{
	struct selftest_result *row = trial_add_row(trial, SELFTEST_COUNTERS, "counters",
						    "what both ports counted meanwhile");
	struct counter_list after[2] = {{0}};
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	trial_read_counters(trial, after);
	add_counters(trial, row, SIDE_LOCAL, &trial->before[0], &after[0]);
	if (trial->request->peer)
		add_counters(trial, row, SIDE_PEER, &trial->before[1], &after[1]);
	else
		facts.remote_counts = (struct counter_sums){0};
	if (!row->counter_count)
		trial_skip(trial, "the device has no counters");
	else
		trial_remark(trial, "%llu retransmissions, %llu receiver not ready, %llu errors",
			     (unsigned long long)sum_of(&facts.local_counts, &facts.remote_counts,
							COUNTER_RETRANSMISSION),
			     (unsigned long long)sum_of(&facts.local_counts, &facts.remote_counts,
							COUNTER_RNR),
			     (unsigned long long)sum_of(&facts.local_counts, &facts.remote_counts,
							COUNTER_ERROR));
	counter_list_clear(&after[0]);
	counter_list_clear(&after[1]);
}

static void run_tables(struct trial *trial)
{
	const struct selftest_request *request = trial->request;

	trial_read_counters(trial, trial->before);
	if (request->gid_only) {
		test_gid(trial);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		trial_run_table(trial, tables[i]);
	if (!trial->stop)
		count(trial);
	trial_run_table(trial, fault_tests);
}

int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	struct trial trial = {
		.request = request,
		.results = results,
		.by_cm = request->by_cm || local->transport == TRANSPORT_IWARP,
	};
	struct session session = {.channel = -1};
	int rc;

	trial.near_can.far = *local;
	trial_add_row(&trial, request->gid_only ? SELFTEST_GIDS : SELFTEST_SETUP,
		      request->gid_only ? "gid" : "connect",
		      request->peer ? "the peer answers and goes together with this port"
				    : "the device opens twice");
	rc = open_near(&trial, local);
	if (!rc)
		rc = request->peer ? session_open_peer(&session, &trial)
				   : session_open_loopback(&session, &trial, local);
	if (!rc)
		rc = introduce(&trial, local);
	if (!rc)
		run_tables(&trial);
	session_close(&session, &trial);
	agent_free(trial.near.agent);
	counter_list_clear(&trial.before[0]);
	counter_list_clear(&trial.before[1]);
	return trial.stop == STOP_INTERRUPTED ? -EINTR : 0;
}

bool selftest_test_name(size_t index, const char **ret_id, const char **ret_group,
			const char **ret_summary)
{
	for (size_t i = 0; i <= ARRAY_SIZE(tables); i++) {
		const struct trial_test *test = i < ARRAY_SIZE(tables) ? tables[i] : fault_tests;

		for (; test->id; test++) {
			if (index--)
				continue;
			*ret_id = test->id;
			*ret_group = enum_word(selftest_group_names, test->group, "");
			*ret_summary = test->summary;
			return true;
		}
	}
	return false;
}
