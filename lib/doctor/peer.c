/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests the data path to another host: a few selftest tests with the server on the peer. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "host/endpoint/endpoint.h"
#include "host/endpoint/gid_choice.h"
#include "host/netdev.h"
#include "selftest/selftest.h"

/*
 * Chooses the local end by the route. 0, or -errno with a reason and perhaps a next step;
 * *ret_routed: there is a route, but not through an RDMA port.
 */
static int find_path(struct doctor_context *run, struct inventory *inventory,
		     struct selftest_request *request, struct endpoint *ret_endpoint,
		     bool *ret_routed, char **ret_reason, char **ret_hint)
{
	const struct inventory_request inventory_request = {
		.needs = ENDPOINT_NEEDS,
		.objects = run->facts->request->objects,
		.uses_verbs = true,
	};
	const struct endpoint_wish wish = {.named = run->facts->request->objects->count};
	struct route route = {.local = false};
	int rc = inventory_load(inventory, &inventory_request, run->facts->problems, NULL);

	if (rc) {
		*ret_reason = mem_string("the devices cannot be listed");
		return rc;
	}
	rc = peer_find(request->peer, inventory, &request->peer_ip, &route, NULL, ret_reason,
		       ret_hint);
	if (rc)
		return rc;
	*ret_routed = true;
	request->scope = address_zone(request->peer);
	return endpoint_by_route(inventory, request->peer, &request->peer_ip, &route, &wish,
				 ret_endpoint, ret_reason, ret_hint);
}

struct judged doctor_judge_peer(struct doctor_context *run, const char *peer,
				const struct selftest_results *results)
{
	size_t passed = 0, failed = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct selftest_result *row = results->items[i];

		if (row->verdict.value == SELFTEST_PASS)
			passed++;
		if (row->verdict.value != SELFTEST_FAIL)
			continue;
		failed++;
		doctor_object(run, "%s", peer);
		doctor_evidence(run, "rdmactl selftest", "%s/%u: %s: %s", row->device,
				(unsigned int)row->port.value, row->test, row->reason);
		if (row->next_step)
			doctor_next_step(run, "%s", row->next_step);
		doctor_error(run, "a test of the data path to the peer fails");
	}
	if (failed)
		return doctor_judged(run);
	doctor_object(run, "%s", peer);
	doctor_evidence(run, "rdmactl selftest", "%zu test%s passed", passed,
			text_plural_s(passed));
	if (passed)
		return doctor_ok(run, "data reaches the peer and comes back");
	return doctor_not_checked(run, 0, "no test of the data path could be run");
}

struct judged check_peer_data(struct doctor_context *run)
{
	static const char *const tests[] = {"connect", "rc-write", "rc-read", "rc-1m", "ud-send"};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	_cleanup_(freep) char *peer = text_clean(run->facts->request->peer,
						 strlen(run->facts->request->peer));
	struct selftest_request request = {
		.peer = run->facts->request->peer,
		.tests = tests,
		.test_count = ARRAY_SIZE(tests),
		.signals = -1,
	};
	struct selftest_results results = {.items = NULL};
	struct inventory inventory = {.root = NULL};
	struct endpoint endpoint;
	bool routed = false;

	if (find_path(run, &inventory, &request, &endpoint, &routed, &reason, &hint)) {
		doctor_object(run, "%s", peer);
		doctor_evidence(run, routed ? "rtnetlink" : NULL, "%s",
				reason ? reason : "no path");
		if (hint)
			doctor_next_step(run, "%s", hint);
		doctor_error(run, routed ? "no RDMA port leads to the peer"
					 : "no path to the peer is known");
	} else {
		selftest_run(&request, &endpoint, &results);
		doctor_judge_peer(run, peer, &results);
	}
	selftest_results_free(&results);
	inventory_free(&inventory);
	return doctor_judged(run);
}
