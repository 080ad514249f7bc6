/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/selftest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "selftest/trial/trial.h"

/* Run in this order; the fault tests come after the row that reports error counters. */
static const struct trial_test *const tables[] = {
	setup_tests,	rc_tests,      memory_tests,  gather_tests,
	datagram_tests, measure_tests, connect_tests, fault_tests,
};

static void test_gid(struct trial *trial)
{
	const uint64_t bytes = 4096;
	const struct span span = trial_span(0, bytes);
	const struct message_receive receive = {.id = 2, .span = span};
	const struct message_post post = trial_send(1, span);

	if (trial_connect(trial, NULL, NULL) || trial_buffers(trial, bytes) ||
	    trial_fill(&trial->near, span, 1) || trial_receive(&trial->far, &receive) ||
	    trial_post(&trial->near, &post) || trial_expect(&trial->near, 1, NULL) ||
	    trial_expect(&trial->far, 2, NULL))
		return;
	trial_check(&trial->far, span, 1);
}

static bool is_chosen(const struct selftest_path *path)
{
	return path->traffic_class.known || path->flow_label.known || path->hop_limit.known ||
	       path->sl.known || path->pkey.known || path->pkey_index.known;
}

/* Names the side whose port lacks the requested P_Key. */
static int explain_path(struct side *side, int rc)
{
	struct trial *trial = side->trial;
	const struct message_refused *refused = &side->refused;
	const char *peer = side == &trial->far ? trial->request->peer : NULL;
	_cleanup_(freep) char *text = NULL, *where = NULL, *hint = NULL;

	if (rc != -EREMOTEIO || refused->refusal != REFUSAL_NO_PORT)
		return trial_explain(side, rc);
	text = text_clean(refused->text, strnlen(refused->text, sizeof(refused->text)));
	where = peer ? mem_format("on %s: ", peer) : mem_string("");
	hint = mem_format("%srdmactl pkeys lists them; on InfiniBand the subnet manager assigns "
			  "them to a port",
			  where);
	trial_fail(trial, hint, "%s%s", where, text);
	return rc;
}

static int set_path(struct trial *trial)
{
	const struct selftest_path *path = &trial->request->path;
	const struct message_path order = {
		.traffic_class = (uint32_t)path->traffic_class.value,
		.flow_label = (uint32_t)path->flow_label.value,
		.hop_limit = (uint32_t)path->hop_limit.value,
		.sl = (uint32_t)path->sl.value,
		.with_pkey = path->pkey.known,
		.pkey = (uint32_t)path->pkey.value,
		.pkey_index = (uint32_t)path->pkey_index.value,
	};
	int rc;

	if (!is_chosen(path))
		return 0;
	/* ib_resolve_unicast_gid_dmac(), drivers/infiniband/core/verbs.c */
	if (path->hop_limit.known && trial->near.can.far.transport == TRANSPORT_ROCE)
		return trial_fail(
			trial, "set it with ip route change ... hoplimit N, and omit --hop-limit",
			"the kernel takes the hop limit of RoCE packets from the route");
	if (path->by_port && trial->near.can.far.gid_type != GID_TYPE_ROCE_V2)
		return trial_fail(trial, "omit --source-port, or name a RoCE v2 entry: --gid-index",
				  "only packets of RoCE v2 have a UDP source port");
	/* The order does not carry this: a server never starts a connection itself. */
	trial->near.agent->has_class = path->traffic_class.known;
	rc = explain_path(&trial->near, side_path(&trial->near, &order));
	return rc ?: explain_path(&trial->far, side_path(&trial->far, &order));
}

/* Binds both sides to processors near their devices, before they allocate memory. */
static int pin(struct trial *trial)
{
	const struct selftest_request *request = trial->request;
	const struct message_pin near = {.share = request->share, .shares = request->shares};
	const struct message_pin far = {
		.share = request->peer_share,
		.shares = request->peer_shares,
	};

	return trial_order(&trial->near, pin, &near, &trial->near.pinned) ||
	       trial_order(&trial->far, pin, &far, &trial->far.pinned);
}

/* Exchanges the ports and capabilities of both sides; fails the row if they do not match. */
static int introduce(struct trial *trial, const struct endpoint *local)
{
	const struct selftest_request *request = trial->request;
	struct message_open open = {
		.near = *local,
		.with_gid_index = request->peer_gid_index.known,
		.gid_index = (uint32_t)request->peer_gid_index.value & 0xffff,
		.port = request->peer_port,
	};
	struct diagnosis_facts facts;
	struct diagnosis diagnosis = {0};
	struct message_opened opened;

	if (request->peer_device)
		snprintf(open.device, sizeof(open.device), "%s", request->peer_device);
	if (trial_order(&trial->far, open, &open, &opened))
		return -EIO;
	trial->far.can = opened;
	trial_name_peer(trial, trial->result);
	trial_facts(trial, &facts);
	facts.stage = STAGE_HANDSHAKE;
	if (diagnose_mismatch(&facts, &diagnosis)) {
		trial_fail_as(trial, &diagnosis);
		return -EPROTOTYPE;
	}
	if (trial_agree_on_header(trial) || set_path(trial) || (request->pins && pin(trial)))
		return -EIO;
	if (request->peer)
		trial_prove(trial);
	return trial->blocked ? 0 : trial_set_memory(trial);
}

static int open_near(struct trial *trial, const struct endpoint *local)
{
	struct side *near = &trial->near;
	const struct message_open open = {.near = *local};

	trial->near.can.far = *local;
	near->agent = agent_new(-1, trial->request->signals);
	if (agent_open_device(near->agent, local)) {
		near->refused = near->agent->refused;
		return trial_explain(near, -EREMOTEIO);
	}
	return trial_order(near, open, &open, &trial->near.can);
}

static void add_counters(struct selftest_result *row, enum selftest_side side,
			 const struct counter_list *before, const struct counter_list *after)
{
	for (size_t i = 0; i < after->count; i++) {
		const struct counter *now = &after->items[i];
		const struct counter *old = counter_list_find(before, now->name);

		if (old &&
		    (old->value != now->value || counter_class_of(now->name) != COUNTER_OTHER))
			selftest_result_add_counter(row, side, old, now);
	}
}

/* Reports what the counters of both ports counted since the first test. */
static void count(struct trial *trial)
{
	struct selftest_result *row = trial_add_row(
		trial, SELFTEST_COUNTERS, "counters",
		"counters of both ports before and after the tests");
	struct counter_list after[2] = {{0}};
	struct counter_sums sums[2] = {0};
	_cleanup_(freep) char *text = NULL;

	trial_read_counters(trial, after);
	/* In loopback both sides use one port. */
	for (int side = 0; side <= (trial->request->peer ? SIDE_PEER : SIDE_LOCAL); side++) {
		add_counters(row, side, &trial->before[side], &after[side]);
		sums[side] = counter_list_growth(&trial->before[side], &after[side]);
	}
	if (!row->counter_count)
		trial_skip(trial, "the device has no counters");
	text = selftest_growth_text(sums, trial->request->peer);
	trial_remark(trial, "%s", text ?: "no port has counters of retransmissions or errors");
	counter_list_clear(&after[0]);
	counter_list_clear(&after[1]);
}

static void run_tables(struct trial *trial)
{
	const struct selftest_request *request = trial->request;

	trial_read_counters(trial, trial->before);
	if (request->gid_only) {
		if (!trial->blocked)
			test_gid(trial);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (tables[i] == fault_tests && !trial->stop)
			count(trial);
		trial_run_table(trial, tables[i]);
	}
}

int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	struct trial trial = {
		.near.trial = &trial,
		.far.trial = &trial,
		.request = request,
		.results = results,
		.by_cm = request->by_cm || local->transport == TRANSPORT_IWARP,
	};
	struct session session = {.channel = -1};
	int rc;

	trial.near.can.far = *local;
	trial_add_row(&trial, request->gid_only ? SELFTEST_GIDS : SELFTEST_SETUP,
		      request->gid_only ? "gid" : "connect",
		      request->peer ? "the peer answers and its port matches this one"
				    : "the device opens twice");
	rc = open_near(&trial, local);
	if (!rc)
		rc = request->peer ? session_open_peer(&session, &trial)
				   : session_open_loopback(&session, &trial, local);
	if (!rc && !introduce(&trial, local))
		run_tables(&trial);
	session_close(&session, &trial);
	agent_free(trial.near.agent);
	counter_list_clear(&trial.before[0]);
	counter_list_clear(&trial.before[1]);
	return trial.stop == STOP_INTERRUPTED ? -EINTR : 0;
}

bool selftest_test(size_t index, const char **ret_id, enum selftest_group *ret_group,
		   const char **ret_summary)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct trial_test *test = tables[i]; test->id; test++) {
			if (index--)
				continue;
			*ret_id = test->id;
			*ret_group = test->group;
			*ret_summary = test->summary;
			return true;
		}
	return false;
}

void selftest_test_names(struct strings *ret_names)
{
	enum selftest_group group;
	const char *id, *summary;

	for (size_t i = 0; selftest_test(i, &id, &group, &summary); i++) {
		const char *word = enum_word(selftest_group_names, group, "");

		if (!strings_contain(ret_names, word))
			strings_add(ret_names, word);
		strings_add(ret_names, id);
	}
}
