/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/device.h"
#include "host/endpoint/endpoint.h"
#include "host/endpoint/gid_choice.h"
#include "roce/cma.h"
#include "selftest/selftest.h"
#include "cmd/selftest/selftest_run.h"

static void name_port(struct selftest_result *row, const struct device *device,
		      const struct port *port)
{
	row->device = text_clean(device->name, strlen(device->name));
	row->port = port->port;
}

void selftest_default_path(const struct endpoint *endpoint, struct selftest_path *path)
{
	if (path->is_default)
		path->traffic_class = (struct number){.known = false};
	path->is_default = false;
	if (path->traffic_class.known || endpoint->transport != TRANSPORT_ROCE)
		return;
	path->traffic_class = cma_default_tos(endpoint->device, endpoint->port);
	path->is_default = path->traffic_class.known;
}

static int test_endpoint(struct selftest_run *run, const struct endpoint *endpoint)
{
	int rc;

	run->output.device = endpoint->device;
	run->output.port = endpoint->port;
	if (run->plan.protocol != PROTOCOL_RDMACTL) {
		rc = interop_run(run->plan.protocol, &run->plan.request, endpoint,
				 &run->output.results);
	} else {
		selftest_default_path(endpoint, &run->plan.request.path);
		rc = selftest_run(&run->plan.request, endpoint, &run->output.results);
	}
	run->output.device = NULL;
	return rc;
}

/* Tests each GID, including unusable ones, with a row each. */
static int test_gids(struct selftest_run *run, const struct device *device, const struct port *port,
		     char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) struct endpoint *endpoints = NULL;
	size_t count;
	int rc = endpoint_list_gids(&run->listing.inventory, device, port, &endpoints, &count,
				    ret_reason, ret_hint);

	for (size_t i = 0; !rc && i < count; i++) {
		struct selftest_result *row;

		if (endpoints[i].gid_index <= LIMIT_GID_INDEX) {
			rc = test_endpoint(run, &endpoints[i]);
			continue;
		}
		row = selftest_output_add(&run->output, SELFTEST_SKIP,
					  "verbs can only use the first 256 GIDs", NULL);
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

	if (args->request.gid_only) {
		rc = test_gids(run, device, port, &reason, &hint);
	} else {
		rc = endpoint_of_port(&run->listing.inventory, device, port, &wish, &endpoint,
				      &reason, &hint);
		if (!rc)
			return test_endpoint(run, &endpoint);
	}
	if (!rc || rc == -EINTR)
		return rc;
	/* A port that the user did not name may be down. */
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
	int rc = 0;

	for_each_port (device, port, &run->listing.inventory.devices)
		if (!rc)
			rc = test_port(run, device, port);
	if (!rc && !is_anything_but_skipped(&run->output.results))
		listing_fail(&run->listing, STATUS_NOTHING, "no port is active",
			     "rdmactl ports shows their states");
	return rc;
}

bool selftest_port_of(const struct inventory *inventory, const struct endpoint *endpoint,
		      const struct device **ret_device, const struct port **ret_port)
{
	const struct device *device = device_list_find_kernel_name(&inventory->devices,
								   endpoint->device);
	const struct port *port = device ? device_port(device, endpoint->port) : NULL;

	if (!port)
		return false;
	*ret_device = device;
	*ret_port = port;
	return true;
}

static void note_no_path(struct selftest_run *run, const char *reason, const char *hint)
{
	const char *peer = run->plan.args->request.peer;
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
	int rc = endpoint_by_route(inventory, args->request.peer, ip, route, &wish, &endpoint,
				   &reason, &hint);

	if (!rc)
		selftest_port_of(inventory, &endpoint, &device, &port);
	/* The user named the port, so the exchange should also use it, if it reaches the peer. */
	if (port && run->named && !args->peer_device &&
	    peer_is_reached_from(inventory, port, &endpoint.ip, ip))
		run->plan.request.source = endpoint.ip;
	if (!rc && !args->request.gid_only)
		return test_endpoint(run, &endpoint);
	if (device)
		rc = test_gids(run, device, port, &reason, &hint);
	if (rc && rc != -EINTR) {
		note_no_path(run, reason, hint);
		rc = 0;
	}
	return rc;
}

static int test_peer(struct selftest_run *run)
{
	struct selftest_request *request = &run->plan.request;
	const char *peer = run->plan.args->request.peer;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct route route = {0};
	int rc = peer_find(peer, &run->listing.inventory, &request->peer_ip, &route, NULL, &reason,
			   &hint);

	if (rc == -EINVAL) {
		listing_fail(&run->listing, STATUS_USAGE, reason, hint);
		return 0;
	}
	if (rc) {
		note_no_path(run, reason, hint);
		return 0;
	}
	request->scope = address_zone(peer);
	if (run->plan.args->all_ports)
		return selftest_test_rails(run);
	return test_to(run, &request->peer_ip, &route);
}

static int test_all(struct selftest_run *run)
{
	struct endpoint endpoint;

	if (run->plan.args->request.peer)
		return test_peer(run);
	if (run->plan.protocol == PROTOCOL_RDMACTL)
		return test_ports(run);
	/* mckey has a group instead of a peer. */
	return selftest_choose_port(run, &endpoint) ? 0 : test_endpoint(run, &endpoint);
}

static int run_client(struct selftest_run *run)
{
	const struct selftest_args *args = run->plan.args;
	int rc;

	if (args->request.gid_only)
		listing_show_view(&run->listing, "--all-gids");
	if (args->all_ports)
		listing_show_view(&run->listing, "--all-ports");
	run->listing.request.needs |= args->all_ports ? selftest_rails_needs() : ENDPOINT_NEEDS;
	run->listing.request.uses_verbs = true;
	if (!listing_load(&run->listing))
		return listing_end(&run->listing);
	rc = selftest_samples_begin(run);
	if (!rc)
		rc = test_all(run);
	selftest_samples_end(run);
	/* Only a signal ends what runs forever, and failed output is reported elsewhere. */
	if (rc == -EINTR && args->duration.value != SELFTEST_FOREVER && !run->listing.stream_rc)
		listing_fail(&run->listing, STATUS_PARTIAL, "interrupted", NULL);
	/* In a run of all tests, histograms would hide the results. */
	return selftest_output_end(&run->output, args->request.latency || args->tests ||
							 (args->request.peer &&
							  run->plan.protocol != PROTOCOL_RDMACTL));
}

/* ---- --serve ---- */

static int serve_rdmactl(struct selftest_run *run)
{
	const struct selftest_args *args = run->plan.args;
	const struct selftest_service service = {
		.bind = run->plan.request.bind,
		.scope = run->plan.request.scope,
		.tcp_port = run->plan.request.tcp_port,
		.token = run->plan.request.token,
		.once = args->request.once,
		.allowed = run->plan.allowed,
		.allowed_count = run->plan.allowed_count,
		.most_clients = (uint32_t)args->most_clients.value,
		.memory_bytes = run->plan.memory_bytes,
		.run_msec = (uint32_t)args->longest.value,
		.idle_msec = (uint32_t)args->idle.value,
		.signals = run->plan.request.signals,
		.objects = &run->listing.objects,
		.gid_index = args->gid_index,
		.lists_ports = true,
		.say = selftest_output_say,
		.say_context = &run->output,
	};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = selftest_serve(&service, &run->output.results, &reason, &hint);

	if (reason)
		listing_fail(&run->listing, STATUS_FAILED, reason, hint);
	return rc;
}

/* A client's failure is in its row and in the log; it does not count as the server's. */
static int end_server(struct selftest_run *run, int rc)
{
	if (run->plan.args->request.once) {
		if (rc == -EINTR)
			listing_fail(&run->listing, STATUS_PARTIAL, "interrupted", NULL);
		return selftest_output_end(&run->output, false);
	}
	/* The reason is in the log. */
	if (rc && rc != -EINTR)
		run->listing.status = STATUS_FAILED;
	return selftest_output_end_served(&run->output);
}

static int run_server(struct selftest_run *run)
{
	bool interop = run->plan.protocol != PROTOCOL_RDMACTL;

	listing_show_view(&run->listing, "--serve");
	run->listing.request.needs = interop ? ENDPOINT_NEEDS : 0;
	run->listing.request.uses_verbs = true;
	if (!listing_load(&run->listing))
		return listing_end(&run->listing);
	/* It is better to report an unknown name now than at the end. */
	if (run->named && run->listing.problems.count) {
		run->listing.status = STATUS_NOTHING;
		return listing_end(&run->listing);
	}
	return end_server(run, interop ? selftest_serve_interop(run) : serve_rdmactl(run));
}

static int list_tests(struct selftest_run *run)
{
	enum selftest_group group;
	const char *id, *summary;

	listing_show_view(&run->listing, "--list-tests");
	for (size_t i = 0; selftest_test(i, &id, &group, &summary); i++) {
		struct selftest_result *row = selftest_results_add(&run->output.results);

		number_set(&row->group, group);
		row->test = mem_string(id);
		row->summary = mem_string(summary);
	}
	return selftest_output_end(&run->output, false);
}

/* Catches signals first, so that they also end the program while it loads. */
static int run_live(struct selftest_run *run)
{
	struct selftest_request *request = &run->plan.request;
	int status, signals = selftest_catch_signals();

	request->signals = signals < 0 ? -1 : signals;
	run->output.caught = signals >= 0;
	request->progress = selftest_output_progress;
	request->say = selftest_output_say;
	request->progress_context = request->say_context = &run->output;
	run->named = run->listing.objects.count;
	status = run->plan.args->request.server ? run_server(run) : run_client(run);
	if (signals >= 0)
		close(signals);
	return status;
}

/* Complains if the user gave a peer's address without --peer. */
static bool takes_address(struct listing *listing, char *const *objects)
{
	struct ip_address address;

	for (; *objects; objects++) {
		_cleanup_(freep) char *clean = text_clean(*objects, strlen(*objects));
		_cleanup_(freep) char *message = NULL, *hint = NULL;

		if (ip_parse(*objects, &address))
			continue;
		message = mem_format("'%s' is an address, not a device", clean);
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
	live.output.svg = args->format.value == SELFTEST_SVG;
	/* A picture needs all values at once. */
	live.output.pieces = args->every.known && !live.output.svg;
	if (!selftest_plan_make(&live.plan, args, &message, &hint)) {
		listing_fail(&live.listing, STATUS_USAGE, message, hint);
		return listing_end(&live.listing);
	}
	if (args->list_tests) {
		status = list_tests(&live);
	} else if (listing_refuses_root(&live.listing, "a saved tree cannot transfer data")) {
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
	.summary = "test the data path on one port or between two hosts",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {selftest_options, selftest_measure_options, selftest_ways_options,
		    selftest_path_options},
	.rules = selftest_rules,
	.args_size = sizeof(struct selftest_args),
	.schema = &selftest_schema,
	.run = run,
};
