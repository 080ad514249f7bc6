/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The runner that tests the data path, as rdmactl selftest does: its server in a child of the
 * agent, on a free TCP port, and its client in the child of each order. Clients name the RDMA port
 * of the server's host, so the exchange may use any network that the hosts share.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/socket.h"
#include "counter/counter.h"
#include "host/inventory/inventory.h"
#include "mesh/agent/runner.h"
#include "resource/resources.h"
#include "selftest/selftest.h"

/*
 * As many again may not have noticed that they were given up; one IPv6 network may have three
 * quarters.
 */
#define MOST_CLIENTS (2 * MESH_MOST_SENDERS)
#define PEER_BYTES   (UINT64_C(64) << 20)
/* A pair whose client is silent for this long without measuring is lost. */
#define IDLE_MSEC 60000u

/* enum ib_qp_type and enum ib_qp_state, rdma/ib_verbs.h of the kernel. */
enum { TYPE_UD = 4, STATE_RTS = 3 };

struct tested {
	char *token;
	pid_t server;
};

/* ---- The host ---- */

/*
 * Counts connected queue pairs of programs that send; datagram ones do not count, because
 * management programs such as ibacm keep some. Unknown if the kernel does not list them.
 */
static struct number count_others(const struct inventory *inventory)
{
	static const struct objects all;
	struct resource_loader *loader = NULL;
	_cleanup_(problems_free) struct problems problems = {0}, notes = {0};
	struct resource_list list = {0};
	uint64_t count = 0;
	bool more = true;

	if (resource_loader_open(inventory, &all, NULL, &loader))
		return (struct number){0};
	for (resource_loader_begin(loader, RESOURCE_QP); more;) {
		more = resource_loader_next(loader, &list, &problems, &notes);
		for (size_t i = 0; i < list.count; i++) {
			const struct resource *qp = &list.items[i];

			count += qp->kernel == TRISTATE_NO && qp->type.known &&
				 qp->type.value >= 2 && qp->type.value != TYPE_UD &&
				 qp->state.known && qp->state.value == STATE_RTS;
		}
		resource_list_clear(&list);
	}
	resource_loader_free(loader);
	return problems.count ? (struct number){0} : number_of(count);
}

static int describe_host(struct mesh_host *host, char **ret_reason, char **ret_hint)
{
	static const struct objects all;
	const struct inventory_request request = {
		.needs = MESH_RAIL_NEEDS,
		.objects = &all,
		.uses_verbs = true,
	};
	_cleanup_(inventory_free) struct inventory inventory = {0};
	_cleanup_(problems_free) struct problems problems = {0};
	int rc = inventory_load(&inventory, &request, &problems, NULL);

	if (rc)
		*ret_reason = problems.count ? problem_line(&problems.items[0])
					     : mem_string("the RDMA devices cannot be listed");
	else
		rc = mesh_rails_find(&inventory, host, ret_reason, ret_hint);
	if (!rc)
		host->others_qps = count_others(&inventory);
	return rc;
}

/* ---- The server ---- */

/*
 * Closes everything else that the agent has open: its connection must end with the agent, and
 * readers of its output must see end of file. close_range() is newer than some kernels (5.9), and
 * refuses an empty range.
 */
static void keep_only(int fd)
{
	if (!syscall(SYS_close_range, (unsigned int)fd + 1, ~0u, 0) &&
	    !syscall(SYS_close_range, 3u, (unsigned int)fd - 1, 0))
		return;
	for (int i = 3; i < sysconf(_SC_OPEN_MAX) && i < 65536; i++)
		if (i != fd)
			close(i);
}

/* Runs in the child, which ends with the agent, however that ends, and its own children with it. */
static void serve(const struct mesh_runner_setup *setup, int listener, pid_t parent)
{
	static const struct objects all;
	struct selftest_service service = {
		.listener = listener,
		.token = setup->token,
		.most_clients = MOST_CLIENTS,
		.memory_bytes = MOST_CLIENTS * PEER_BYTES,
		.run_msec = setup->timeout_msec,
		.idle_msec = IDLE_MSEC,
		.objects = &all,
	};
	struct selftest_results results = {0};
	char *reason = NULL, *hint = NULL;
	sigset_t set;

	keep_only(listener);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	/* Terminal signals are for the agent. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &set, NULL);
	service.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (service.signals < 0 || getppid() != parent)
		_exit(1);
	_exit(selftest_serve(&service, &results, &reason, &hint) ? 1 : 0);
}

static int start_server(const struct mesh_runner_setup *setup, struct mesh_local *local,
			char **ret_reason)
{
	static const struct ip_address every;
	struct sockaddr_storage storage = {0};
	socklen_t length = sizeof(storage);
	_cleanup_(closep) int listener = -1;
	const pid_t parent = getpid();
	int rc = tcp_listen(&every, 0, 0, &listener);

	if (!rc && getsockname(listener, (struct sockaddr *)&storage, &length))
		rc = -errno;
	if (!rc) {
		fflush(NULL); /* so that the child does not write it again */
		local->server = fork();
		rc = local->server < 0 ? -errno : 0;
	}
	if (rc) {
		*ret_reason = mem_format("cannot serve the other hosts: %s", strerror(-rc));
		return rc;
	}
	if (!local->server)
		serve(setup, listener, parent);
	local->host.server_port = socket_address_port(&storage);
	return 0;
}

static int open_selftest(const struct mesh_runner_setup *setup, struct mesh_local *ret_local,
			 void **ret_state, char **ret_reason, char **ret_hint)
{
	struct mesh_local local = {.server = 0};
	struct tested *tested;
	int rc = describe_host(&local.host, ret_reason, ret_hint);

	if (!rc)
		rc = start_server(setup, &local, ret_reason);
	if (rc) {
		mesh_host_clear(&local.host);
		return rc;
	}
	tested = mem_alloc_zero(1, sizeof(*tested));
	tested->token = mem_string_or_null(setup->token);
	tested->server = local.server;
	*ret_local = local;
	*ret_state = tested;
	return 0;
}

static void close_selftest(void *state)
{
	struct tested *tested = state;

	/* The agent waits for the server to end. */
	if (tested->server > 0)
		kill(tested->server, SIGTERM);
	free(tested->token);
	free(tested);
}

/* ---- Orders ---- */

static void set_reason(struct mesh_result *result, enum mesh_outcome outcome,
		       const struct selftest_result *row, const char *what)
{
	result->outcome = outcome;
	snprintf(result->reason, sizeof(result->reason), "%s: %s", what,
		 row->reason ? row->reason : "failed");
}

static void take_counters(const struct selftest_result *row, struct mesh_result *result)
{
	for (size_t i = 0; i < row->counter_count; i++) {
		const struct selftest_counter *counter = &row->counters[i];
		const bool local = counter->side.value == SIDE_LOCAL;
		struct number *errors = &result->errors[local ? MESH_END_A : MESH_END_B];

		errors->known = true;
		if (counter_class_of(counter->name) == COUNTER_ERROR &&
		    counter->after.value > counter->before.value)
			errors->value += counter->after.value - counter->before.value;
	}
}

static bool is_test(const struct selftest_result *row, const char *name)
{
	return row->test && !strcmp(row->test, name);
}

static const char LATENCY_TEST[] = "latency-send";
static const char BOTH_WAYS[] = "both ways at once";
/* Writes carry data from a, reads from b; a device that has only datagrams sends from both. */
static const struct means {
	enum selftest_transport transport;
	const char *data, *to_b, *to_a;
} connected = {SELFTEST_BY_RC, "rc-write", "bandwidth-write", "bandwidth-read"},
  datagrams = {SELFTEST_BY_UD, "ud-send", "bandwidth-send", NULL};

/* Records a row. */
static void take_row(const struct selftest_result *row, const struct means *means,
		     struct mesh_result *result)
{
	/* A device that cannot run this test has shown nothing. */
	if (row->verdict.value == SELFTEST_SKIP && is_test(row, means->data) &&
	    result->outcome != MESH_FAIL)
		set_reason(result, MESH_UNTRIED, row, row->test ?: "test");
	if (is_test(row, LATENCY_TEST))
		result->latency_usec = row->latency_p50_usec;
	else if (is_test(row, means->to_b))
		result->gbps[MESH_END_A] = row->bandwidth_gbps;
	else if (means->to_a && is_test(row, means->to_a))
		result->gbps[MESH_END_B] = row->bandwidth_gbps;
}

/* What b sends, by datagrams. */
static void take_to_a(const struct selftest_result *row, const struct means *means,
		      struct mesh_result *result)
{
	if (is_test(row, means->to_b))
		result->gbps[MESH_END_B] = row->bandwidth_gbps;
}

/* A device that cannot do it does not fail the pair. */
static void take_both_ways(const struct selftest_result *row, const struct means *means,
			   struct mesh_result *result)
{
	if (!is_test(row, means->to_b))
		return;
	if (row->verdict.value == SELFTEST_SKIP && result->outcome == MESH_PASS)
		set_reason(result, MESH_PASS, row, BOTH_WAYS);
	result->both_gbps[MESH_END_A] = row->sent_gbps;
	result->both_gbps[MESH_END_B] = row->received_gbps;
}

typedef void take_fn(const struct selftest_result *row, const struct means *means,
		     struct mesh_result *result);

/*
 * Runs the tests of the request, and takes each row. Returns false if the other side could not be
 * asked for anything.
 */
static bool run_tests(const struct selftest_request *request, const struct endpoint *near,
		      const struct means *means, take_fn *take, struct mesh_result *result)
{
	struct selftest_results results = {0};
	bool asked;

	if (selftest_run(request, near, &results)) {
		result->outcome = MESH_UNTRIED;
		snprintf(result->reason, sizeof(result->reason), "it was interrupted");
	}
	for (size_t i = 0; i < results.count; i++) {
		const struct selftest_result *row = results.items[i];

		/* Only the first failure counts, as the cause of later ones. */
		if (row->verdict.value == SELFTEST_FAIL && result->outcome != MESH_FAIL)
			set_reason(result, MESH_FAIL, row,
				   request->ways.direction == DIRECTION_BOTH ? BOTH_WAYS
									     : row->test ?: "test");
		if (is_test(row, "counters"))
			take_counters(row, result);
		take(row, means, result);
	}
	asked = !results.no_exchange;
	selftest_results_free(&results);
	return asked;
}

/* Runs one bandwidth in another direction, on a pair that is good so far. */
static void run_direction(struct selftest_request *request, const struct endpoint *near,
			  const struct means *means, enum selftest_direction direction,
			  take_fn *take, struct mesh_result *result)
{
	request->tests = &means->to_b;
	request->test_count = 1;
	request->ways.direction = direction;
	run_tests(request, near, means, take, result);
}

static void run_selftest(void *state, const struct mesh_order *order, const struct endpoint *near,
			 struct mesh_result *result)
{
	const struct tested *tested = state;
	const struct means *means = endpoint_has_datagrams_only(near) ? &datagrams : &connected;
	const char *tests[4] = {means->data};
	struct selftest_request request = {
		.peer = order->loopback ? NULL : order->peer,
		.peer_ip = order->peer_ip,
		.tcp_port = order->peer_port,
		.peer_device = order->loopback ? NULL : order->far.device,
		.peer_port = order->far.port,
		.token = tested->token,
		.tests = tests,
		.test_count = 1,
		.ways.transport = means->transport,
		.latency_msec = order->latency_msec,
		.bandwidth_msec = order->bandwidth_msec,
		.signals = -1,
	};

	if (order->tests & MESH_LATENCY)
		tests[request.test_count++] = LATENCY_TEST;
	if (order->tests & MESH_BANDWIDTH) {
		tests[request.test_count++] = means->to_b;
		if (means->to_a)
			tests[request.test_count++] = means->to_a;
	}
	result->outcome = MESH_PASS;
	/* What keeps the agents from talking, such as a firewall, says nothing of RDMA. */
	if (!run_tests(&request, near, means, take_row, result) && result->outcome == MESH_FAIL)
		result->outcome = MESH_APART;
	/* In loopback, both ends are one port, and one figure says all. */
	if (result->outcome == MESH_PASS && order->tests & MESH_BANDWIDTH && !means->to_a &&
	    !order->loopback)
		run_direction(&request, near, means, DIRECTION_IN, take_to_a, result);
	if (result->outcome == MESH_PASS && order->tests & MESH_BOTH_WAYS)
		run_direction(&request, near, means, DIRECTION_BOTH, take_both_ways, result);
}

const struct mesh_runner mesh_runner_selftest = {
	.open = open_selftest,
	.run = run_selftest,
	.close = close_selftest,
};
