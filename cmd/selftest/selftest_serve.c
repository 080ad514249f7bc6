/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl selftest --serve: the peer of others. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/endpoint/endpoint_choice.h"
#include "selftest/agent/server.h"
#include "cmd/selftest/selftest_run.h"

/* What the system is like now, and not when the server began. */
static int find_for_client(void *context, const struct selftest_client *client,
			   struct endpoint *ret_endpoint, char **ret_reason, char **ret_hint)
{
	const struct selftest_run *run = context;
	const struct inventory_request request = {
		.needs = ENDPOINT_NEEDS,
		.objects = &run->listing.objects,
	};
	const struct endpoint_wish wish = {
		.gid_index = client->gid_index.known ? client->gid_index
						     : run->plan.args->gid_index,
		.peer = &client->endpoint,
		.named = run->named,
	};
	struct inventory inventory = {0};
	struct problems problems = {0};
	int rc = inventory_load(&inventory, &request, &problems, NULL);

	if (!rc)
		rc = endpoint_of_address(&inventory, &client->local, &wish, ret_endpoint,
					 ret_reason, ret_hint);
	else
		*ret_reason = problems.count ? problem_line(&problems.items[0])
					     : mem_string("the RDMA devices cannot be listed");
	problems_free(&problems);
	inventory_free(&inventory);
	return rc;
}

static int serve(struct selftest_run *run)
{
	const struct selftest_args *args = run->plan.args;
	const struct selftest_service service = {
		.bind = run->plan.bind,
		.scope = run->plan.bind_scope,
		.tcp_port = run->plan.request.tcp_port,
		.token = run->plan.token,
		.once = args->once,
		.most_clients = (uint32_t)args->most_clients.value,
		.signals = run->plan.request.signals,
		.find = find_for_client,
		.find_context = run,
		.say = selftest_output_say,
		.say_context = &run->output,
	};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = selftest_serve(&service, &run->output.results, &reason, &hint);

	if (reason)
		listing_fail(&run->listing, STATUS_FAILED, reason, hint);
	return rc;
}

/* The first active port of those named, or the one with the address to listen on. */
static int choose_port(const struct selftest_run *run, struct endpoint *ret_endpoint,
		       char **ret_reason, char **ret_hint)
{
	const struct inventory *inventory = &run->listing.inventory;
	const struct endpoint_wish wish = {
		.gid_index = run->plan.args->gid_index,
		.named = run->named,
	};
	int rc = -ENODEV;

	if (run->plan.bind.family && !run->named)
		return endpoint_of_address(inventory, &run->plan.bind, &wish, ret_endpoint,
					   ret_reason, ret_hint);
	for (size_t i = 0; rc && i < inventory->devices.count; i++) {
		const struct device *device = &inventory->devices.items[i];

		for (size_t j = 0; rc && j < device->port_count; j++) {
			free(*ret_reason);
			free(*ret_hint);
			*ret_reason = *ret_hint = NULL;
			rc = endpoint_of_port(inventory, device, &device->ports[j], &wish,
					      ret_endpoint, ret_reason, ret_hint);
		}
	}
	return rc;
}

static int serve_interop(struct selftest_run *run)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct endpoint endpoint;
	int rc = choose_port(run, &endpoint, &reason, &hint);

	if (rc) {
		listing_fail(&run->listing, STATUS_FAILED,
			     reason ? reason : "no RDMA device has a port", hint);
		return rc;
	}
	rc = run->plan.protocol == PROTOCOL_RPING
		     ? interop_rping_server(&run->interop, &endpoint, &run->output.results)
		     : interop_pingpong_server(&run->interop, &endpoint, &run->output.results);
	if (!rc && !run->plan.args->once)
		return -EIO; /* it could not go on, and its last row tells why */
	return rc;
}

/* A client that failed is told by its row and the log: it is no failure of the server's. */
static int end(struct selftest_run *run, int rc)
{
	if (run->plan.args->once) {
		if (rc == -EINTR)
			listing_fail(&run->listing, STATUS_PARTIAL, "interrupted", NULL);
		return selftest_output_end(&run->output, false);
	}
	/* The log has said why. */
	if (rc && rc != -EINTR)
		run->listing.status = STATUS_FAILED;
	return selftest_output_end_served(&run->output);
}

int selftest_run_server(struct selftest_run *run)
{
	bool interop = run->plan.protocol != PROTOCOL_RDMACTL;

	listing_prefer_columns(&run->listing,
			       "peer,peer_device,device,port,result,iterations,duration_msec,"
			       "reason");
	run->listing.request.needs = interop ? ENDPOINT_NEEDS : 0;
	if (!listing_load(&run->listing))
		return listing_end(&run->listing);
	/* A name that is not there: better said now than at the end. */
	if (run->named && run->listing.problems.count) {
		run->listing.status = STATUS_NOTHING;
		return listing_end(&run->listing);
	}
	return end(run, interop ? serve_interop(run) : serve(run));
}
