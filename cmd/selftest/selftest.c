/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/endpoint/endpoint_choice.h"
#include "host/endpoint/peer.h"
#include "selftest/interop/interop.h"
#include "cmd/selftest/selftest_run.h"

/* struct ibv_global_route has 8 bits for it. */
#define MOST_GID_INDEX UINT8_MAX

static void name_port(struct selftest_result *row, const struct device *device,
		      const struct port *port)
{
	row->device = text_clean(device->name, strlen(device->name));
	row->port = port->port;
}

static int test_endpoint(struct selftest_run *run, const struct endpoint *endpoint)
{
	int rc;

	run->output.device = endpoint->device;
	run->output.port = endpoint->port;
	if (run->plan.protocol == PROTOCOL_PINGPONG)
		rc = interop_pingpong_client(&run->interop, endpoint, &run->output.results);
	else if (run->plan.protocol == PROTOCOL_RPING)
		rc = interop_rping_client(&run->interop, endpoint, &run->output.results);
	else
		rc = selftest_run(&run->plan.request, endpoint, &run->output.results);
	run->output.device = NULL;
	return rc;
}

/* A row for each GID, also for those that cannot be used. */
static int test_gids(struct selftest_run *run, const struct device *device, const struct port *port,
		     char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) struct endpoint *endpoints = NULL;
	size_t count;
	int rc = endpoint_list_gids(&run->listing.inventory, device, port, &endpoints, &count,
				    ret_reason, ret_hint);

	for (size_t i = 0; !rc && i < count; i++) {
		struct selftest_result *row;

		if (endpoints[i].gid_index <= MOST_GID_INDEX) {
			rc = test_endpoint(run, &endpoints[i]);
			continue;
		}
		row = selftest_output_add(&run->output, SELFTEST_SKIP,
					  "verbs addresses the first 256 GIDs only", NULL);
		name_port(row, device, port);
		number_set(&row->gid_index, endpoints[i].gid_index);
	}
	return rc;
}

static int test_port(struct selftest_run *run, const struct device *device, const struct port *port)
{
	const struct selftest_args *args = run->plan.args;
	const struct endpoint_wish wish = {.gid_index = args->gid_index, .named = run->named};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct selftest_result *row;
	struct endpoint endpoint;
	bool skip;
	int rc;

	if (args->all_gids) {
		rc = test_gids(run, device, port, &reason, &hint);
	} else {
		rc = endpoint_of_port(&run->listing.inventory, device, port, &wish, &endpoint,
				      &reason, &hint);
		if (!rc)
			return test_endpoint(run, &endpoint);
	}
	if (!rc || rc == -EINTR)
		return rc;
	/* What nobody asked for is not amiss. */
	skip = rc == -ENETDOWN && !run->named;
	row = selftest_output_add(&run->output, skip ? SELFTEST_SKIP : SELFTEST_FAIL, reason, hint);
	name_port(row, device, port);
	return 0;
}

static bool is_anything_but_skipped(const struct selftest_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		if (results->items[i]->verdict.value != SELFTEST_SKIP)
			return true;
	return false;
}

static int test_ports(struct selftest_run *run)
{
	const struct device_list *devices = &run->listing.inventory.devices;
	int rc = 0;

	for (size_t i = 0; !rc && i < devices->count; i++)
		for (size_t j = 0; !rc && j < devices->items[i].port_count; j++)
			rc = test_port(run, &devices->items[i], &devices->items[i].ports[j]);
	if (!rc && !is_anything_but_skipped(&run->output.results))
		listing_fail(&run->listing, STATUS_NOTHING, "no port is active",
			     "rdmactl ports shows their states");
	return rc;
}

static void find_port(const struct inventory *inventory, const struct endpoint *endpoint,
		      const struct device **ret_device, const struct port **ret_port)
{
	for (size_t i = 0; i < inventory->devices.count; i++) {
		const struct device *device = &inventory->devices.items[i];

		for (size_t j = 0; j < device->port_count; j++) {
			if (strncmp(device->name, endpoint->device, sizeof(endpoint->device) - 1) ||
			    device->ports[j].port.value != endpoint->port)
				continue;
			*ret_device = device;
			*ret_port = &device->ports[j];
		}
	}
}

static void note_no_way(struct selftest_run *run, const char *reason, const char *hint)
{
	const char *peer = run->plan.args->peer;
	struct selftest_result *row = selftest_output_add(&run->output, SELFTEST_FAIL, reason,
							  hint);

	row->peer = text_clean(peer, strlen(peer));
}

static int test_to(struct selftest_run *run, const struct ip_address *ip, const struct route *route)
{
	const struct selftest_args *args = run->plan.args;
	const struct inventory *inventory = &run->listing.inventory;
	const struct endpoint_wish wish = {.gid_index = args->gid_index, .named = run->named};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	const struct device *device = NULL;
	const struct port *port = NULL;
	struct endpoint endpoint;
	int rc = endpoint_by_route(inventory, args->peer, ip, route, &wish, &endpoint, &reason,
				   &hint);

	if (!rc && !args->all_gids)
		return test_endpoint(run, &endpoint);
	if (!rc) {
		find_port(inventory, &endpoint, &device, &port);
		if (device)
			rc = test_gids(run, device, port, &reason, &hint);
	}
	if (rc && rc != -EINTR) {
		note_no_way(run, reason, hint);
		rc = 0;
	}
	return rc;
}

static int test_peer(struct selftest_run *run)
{
	struct selftest_request *request = &run->plan.request;
	const char *peer = run->plan.args->peer, *zone = strchr(peer, '%');
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct route route = {0};
	int rc = peer_find(peer, &run->listing.inventory.links, &request->peer_ip, &route, &reason,
			   &hint);

	if (rc == -EINVAL) {
		listing_fail(&run->listing, STATUS_USAGE, reason, hint);
		return 0;
	}
	if (rc) {
		note_no_way(run, reason, hint);
		return 0;
	}
	request->scope = zone ? if_nametoindex(zone + 1) : 0;
	run->interop.peer_ip = request->peer_ip;
	run->interop.scope = request->scope;
	return test_to(run, &request->peer_ip, &route);
}

static int run_client(struct selftest_run *run)
{
	const struct selftest_args *args = run->plan.args;
	int rc;

	if (args->all_gids)
		listing_prefer_columns(&run->listing,
				       "device,port,gid_index,gid_type,gid,netdev,result,reason");
	run->listing.request.needs |= ENDPOINT_NEEDS;
	if (!listing_load(&run->listing))
		return listing_end(&run->listing);
	rc = args->peer ? test_peer(run) : test_ports(run);
	if (rc == -EINTR)
		listing_fail(&run->listing, STATUS_PARTIAL, "interrupted", NULL);
	/* In a run of all tests they would hide what matters. */
	return selftest_output_end(&run->output, args->latency || args->tests || run->interop.peer);
}

static int list_tests(struct selftest_run *run)
{
	const char *id, *group, *summary;

	listing_prefer_columns(&run->listing, "test,group,summary");
	for (size_t i = 0; selftest_test_name(i, &id, &group, &summary); i++) {
		struct selftest_result *row = selftest_results_add(&run->output.results);

		number_set(&row->group, enum_find_word(selftest_group_names, group)->value);
		row->test = mem_string(id);
		row->summary = mem_string(summary);
	}
	return selftest_output_end(&run->output, false);
}

static void prepare_interop(struct selftest_run *run)
{
	const struct selftest_request *request = &run->plan.request;

	run->interop = (struct interop_request){
		.peer = run->plan.protocol == PROTOCOL_RDMACTL ? NULL : request->peer,
		.bind = run->plan.bind,
		.port = request->tcp_port,
		.bytes = request->sizes[0],
		.iterations = request->iterations,
		.mtu_bytes = request->mtu_bytes,
		.signals = request->signals,
		.once = run->plan.args->once,
		.say = selftest_output_say,
		.say_context = &run->output,
	};
}

/* Signals first: whoever ends the program while it loads wants it to end. */
static int run_live(struct selftest_run *run)
{
	struct selftest_request *request = &run->plan.request;
	int status, signals = selftest_catch_signals();

	request->signals = signals < 0 ? -1 : signals;
	request->progress = selftest_output_progress;
	request->progress_context = &run->output;
	run->named = run->listing.objects.count;
	prepare_interop(run);
	status = run->plan.args->serve ? selftest_run_server(run) : run_client(run);
	if (signals >= 0)
		close(signals);
	return status;
}

/* A peer without --peer. */
static bool takes_address(struct listing *listing, char *const *objects)
{
	struct ip_address address;

	for (; *objects; objects++) {
		_cleanup_(freep) char *clean = text_clean(*objects, strlen(*objects));
		_cleanup_(freep) char *message = NULL, *hint = NULL;

		if (ip_parse(*objects, &address))
			continue;
		message = mem_format("'%s' is an address and no device", clean);
		hint = mem_format("rdmactl selftest --peer %s", clean);
		listing_fail(listing, STATUS_USAGE, message, hint);
		return true;
	}
	return false;
}

static int run(const struct ctx *ctx, const void *words, char **objects)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const struct selftest_args *args = words;
	struct selftest_run live = {0};
	int status;

	if (!listing_begin(&live.listing, ctx, objects, true))
		return listing_end(&live.listing);
	if (takes_address(&live.listing, objects))
		return listing_end(&live.listing);
	selftest_output_begin(&live.output, &live.listing);
	if (!selftest_plan_make(&live.plan, args, &message, &hint)) {
		listing_fail(&live.listing, STATUS_USAGE, message, hint);
		return listing_end(&live.listing);
	}
	if (args->list_tests) {
		status = list_tests(&live);
	} else if (listing_refuses_root(&live.listing, "a saved tree moves no data")) {
		status = listing_end(&live.listing);
	} else {
		status = run_live(&live);
	}
	selftest_plan_free(&live.plan);
	return status;
}

const struct command selftest_command = {
	.name = "selftest",
	.group = GROUP_TEST,
	.summary = "prove that data flows, on one port or between two hosts",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {selftest_options},
	.args_size = sizeof(struct selftest_args),
	.schema = &selftest_schema,
	.run = run,
};
