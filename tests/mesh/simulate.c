/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * simulate HOSTS RAILS RUNS FACTS WIRE FAULT...: a mesh with a planted fault, and whether the fault
 * was named. FACTS: 0 if nothing is known of the fabric, 1 the switches, 2 the routes. WIRE: 1 for
 * agents that speak the protocol, all in one separate process; 2 the same, but their rails end one
 * by one, so that each answer is sent separately; 0 for results that go directly to the judge.
 * FAULT is a word of the table below, or `all`. Prints a line for each fault; the status is 1 if a
 * fault was missed or something else was blamed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "mesh/coordinator/coordinator.h"
#include "mesh/wire/mesh_message.h"
#include "tests/mesh/made_up_mesh.h"

#define TOKEN "a-token-for-the-simulator"

static const char *const fault_names[MADE_UP_FAULTS] = {
	[NO_FAULT] = "none",
	[SLOW_RAIL] = "slow-rail",
	[SLIGHTLY_SLOW] = "rail-at-89",
	[DEAF_RAIL] = "one-direction",
	[DEAD_RAIL] = "dead-rail",
	[BAD_LOOPBACK] = "loopback",
	[LATE_RAIL] = "late-rail",
	[SLOW_HOST] = "half-lanes",
	[BAD_PAIR] = "pair",
	[BAD_CABLE] = "uplink",
	[BAD_LEAF] = "leaf",
	[BAD_SPINE] = "spine",
	[FLAKY_PAIRS] = "flaky-2%",
	[SPLIT] = "split",
	[ERRORS] = "errors",
	[ABSENT_HOST] = "absent",
	[DOWN_RAIL] = "down",
	[GONE_RAIL] = "gone",
	[LOST_AGENT] = "lost-agent",
	[BOTH_SLOW] = "both-ways",
	[BOTH_PAIR] = "pair-both-ways",
	[WHOLE_RAIL] = "whole-rail",
	[LATE_WHOLE] = "late-whole-rail",
	[RATES] = "none-rates",
	[ONE_WAY] = "none-one-way",
	[FLAKY_RAIL] = "flaky-rail",
	[FLAKY_HOST] = "flaky-host",
};

/* The outcome of a run, which a child passes to its parent. */
struct outcome {
	unsigned int right, wrong;
	bool expected, failed;
	uint64_t results, rounds, messages;
	double cpu_msec, wall_msec;
	long kilobytes;
};

static double msec_of(struct timespec from, struct timespec to)
{
	return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

static double cpu_msec(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* Agents: one thread for all, a connection for each. */
struct sim_agent {
	struct mesh_channel channel;
	struct mesh_shake shake;
	unsigned int orders;
};

struct sim_agents {
	struct made_up_mesh *mesh;
	struct sim_agent *items;
	struct {
		struct mesh_pair *pairs;
		size_t count;
	} failed; /* flaky pairs fail once */
	int poller;
	bool one_by_one; /* how answers are sent */
};

static void introduce(struct sim_agents *agents, uint32_t number)
{
	struct sim_agent *agent = &agents->items[number];
	struct mesh_host host = agents->mesh->list[number];
	struct mesh_message message;

	host.server_port = 1;
	host.rank = number_of(number);
	host.memlock_bytes = number_of(UINT64_MAX);
	host.address = (struct ip_address){.family = AF_INET, .raw = {127, 0, 0, 1}};
	mesh_identity_make(&host, &message);
	message.identity.rail_count = mesh_host_count_rails(&host, host.rail_count);
	mesh_channel_put(&agent->channel, &message);
	for (uint32_t i = 0; i < host.rail_count; i++) {
		if (!mesh_host_has_rail(&host, i))
			continue;
		message = (struct mesh_message){.type = MESH_MESSAGE_RAIL};
		message.rail.endpoint = host.rails[i];
		mesh_channel_put(&agent->channel, &message);
	}
	/* An agent does not know of a port that is not there. */
	for (size_t i = 0; i < host.gap_count; i++) {
		mesh_gap_make(&host.gaps[i], &message);
		if (host.gaps[i].device[0])
			mesh_channel_put(&agent->channel, &message);
	}
	for (size_t i = 0; i < host.slots.count; i++) {
		message = (struct mesh_message){.type = MESH_MESSAGE_SLOT};
		snprintf(message.slot.slot, sizeof(message.slot.slot), "%s", host.slots.items[i]);
		mesh_channel_put(&agent->channel, &message);
	}
	message = (struct mesh_message){.type = MESH_MESSAGE_READY};
	mesh_channel_put(&agent->channel, &message);
}

static bool failed_before(struct sim_agents *agents, const struct mesh_pair *pair)
{
	for (size_t i = 0; i < agents->failed.count; i++)
		if (!memcmp(&agents->failed.pairs[i], pair, sizeof(*pair)))
			return true;
	*(struct mesh_pair *)mem_append(&agents->failed.pairs, &agents->failed.count,
					sizeof(*pair)) = *pair;
	return false;
}

/* The rail that an agent gives this number: it counts only those that it can use. */
static uint16_t rail_of(const struct mesh_host *host, uint32_t number)
{
	uint16_t rail = 0;

	while (rail < MESH_MOST_RAILS &&
	       (!mesh_host_has_rail(host, rail) || mesh_host_count_rails(host, rail) != number))
		rail++;
	return rail;
}

/* Returns false if the agent is lost. */
static bool answer(struct sim_agents *agents, uint32_t number, const struct mesh_order *order)
{
	struct sim_agent *agent = &agents->items[number];
	struct mesh_pair pair = {.a = number,
				 .b = (uint32_t)strtoul(order->peer + 1, NULL, 10) - 1};
	struct mesh_result result;
	struct mesh_message message;

	agent->orders++;
	if (agents->mesh->fault == LOST_AGENT && number == agents->mesh->host && agent->orders > 3)
		return false;
	if (order->loopback)
		pair.b = pair.a;
	pair.rail_a = rail_of(&agents->mesh->list[pair.a], order->rail);
	pair.rail_b = rail_of(&agents->mesh->list[pair.b], order->peer_rail);
	made_up_result(agents->mesh, &pair, false, &result);
	if (made_up_is_flaky(agents->mesh) && result.outcome == MESH_FAIL &&
	    failed_before(agents, &pair))
		made_up_result(agents->mesh, &pair, true, &result);
	if (order->tests & MESH_BOTH_WAYS)
		mesh_both_answer_make(order->id, &result, &message);
	else
		mesh_answer_make(order->id, &result, &message);
	mesh_channel_put(&agent->channel, &message);
	return true;
}

static bool obey(struct sim_agents *agents, uint32_t number, struct mesh_message *message)
{
	struct sim_agent *agent = &agents->items[number];
	struct mesh_message reply = {.type = MESH_MESSAGE_PONG};

	switch (message->type) {
	case MESH_MESSAGE_CHALLENGE:
		if (mesh_shake_respond(&agent->shake, TOKEN, &message->challenge, &reply))
			return false;
		mesh_channel_put(&agent->channel, &reply);
		return true;
	case MESH_MESSAGE_ADMITTED:
		if (mesh_shake_check(&agent->shake, TOKEN, &message->admitted))
			return false;
		introduce(agents, number);
		return true;
	case MESH_MESSAGE_ORDER:
		return answer(agents, number, &message->order);
	case MESH_MESSAGE_PING:
		reply.pong.number = message->ping.number;
		mesh_channel_put(&agent->channel, &reply);
		return true;
	case MESH_MESSAGE_CANCEL:
		return true;
	default:
		return false;
	}
}

/* The coordinator always reads, so the wait for it is short. */
static bool flush(struct sim_agent *agent)
{
	int rc;

	while ((rc = mesh_channel_flush(&agent->channel)) == -EAGAIN)
		usleep(100);
	return !rc;
}

static bool serve(struct sim_agents *agents, uint32_t number)
{
	struct sim_agent *agent = &agents->items[number];
	struct mesh_message message;
	int rc = mesh_channel_receive(&agent->channel);

	if (rc && rc != -EAGAIN)
		return false;
	while ((rc = mesh_channel_next(&agent->channel, &message)) > 0)
		if (!obey(agents, number, &message) || (agents->one_by_one && !flush(agent)))
			return false;
	return !rc && flush(agent);
}

static void connect_agent(struct sim_agents *agents, uint32_t number, uint16_t port)
{
	struct sim_agent *agent = &agents->items[number];
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
	struct mesh_message message;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror("simulate: agent");
		_exit(1);
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	mesh_channel_open(&agent->channel, fd);
	mesh_shake_hello(agents->mesh->list[number].name, false, &message);
	mesh_channel_put(&agent->channel, &message);
	mesh_channel_flush(&agent->channel);
	epoll_ctl(agents->poller, EPOLL_CTL_ADD, fd, &event);
}

static void serve_ready(struct sim_agents *agents, int msec, uint32_t *left)
{
	struct epoll_event events[256];
	int count = epoll_wait(agents->poller, events, ARRAY_SIZE(events), msec);

	for (int i = 0; i < count; i++)
		if (!serve(agents, events[i].data.u32)) {
			mesh_channel_close(&agents->items[events[i].data.u32].channel);
			--*left;
		}
}

static void run_agents(struct made_up_mesh *mesh, uint16_t port, bool one_by_one)
{
	struct sim_agents agents = {
		.mesh = mesh,
		.poller = epoll_create1(0),
		.one_by_one = one_by_one,
	};
	uint32_t left = 0;

	agents.items = mem_alloc_zero(mesh->hosts, sizeof(*agents.items));
	for (uint32_t i = 0; i < mesh->hosts; i++) {
		if (mesh->fault == ABSENT_HOST && i == mesh->host)
			continue;
		connect_agent(&agents, i, port);
		left++;
		/* Keep fewer half-open connections than the backlog of a listener. */
		if (i % 32 == 0)
			serve_ready(&agents, 0, &left);
	}
	while (left)
		serve_ready(&agents, 1000, &left);
	_exit(0);
}

static void run_wire(struct made_up_mesh *mesh, bool one_by_one, struct outcome *outcome,
		     struct judge_findings *findings)
{
	struct strings names = {.known = true};
	struct coordinator_setup setup = {
		.token = TOKEN,
		.bind = {.family = AF_INET, .raw = {127, 0, 0, 1}},
		.names = &names,
		.wait_msec = mesh->fault == ABSENT_HOST ? 3000 + mesh->hosts * 5 : 120000,
		.signals = -1};
	struct session_outcome ran = {.pairs = 0};
	struct session_setup session = {.seed = mesh->state,
					.tests = mesh->fault == ONE_WAY ? MESH_TESTS
									: MESH_ALL_TESTS,
					.latency_msec = 1,
					.bandwidth_msec = 1,
					.timeout_msec = 30000};
	struct coordinator *coordinator;
	char *reason = NULL, *hint = NULL;
	const struct mesh_host *hosts;
	struct timespec begin, end;
	struct judge *judge;
	struct plan plan;
	uint32_t count;
	double cpu;
	pid_t pid;

	for (uint32_t i = 0; i < mesh->hosts; i++)
		strings_add(&names, mesh->list[i].name);
	if (coordinator_open(&setup, &coordinator, &reason, &hint) ||
	    plan_parse(PLAN_DEFAULT, &plan, &reason, &hint)) {
		fprintf(stderr, "simulate: %s\n", reason);
		outcome->failed = true;
		return;
	}
	pid = fork();
	if (!pid)
		run_agents(mesh, coordinator_port(coordinator), one_by_one);
	coordinator_gather(coordinator);
	hosts = coordinator_hosts(coordinator, &count);
	judge = judge_new(hosts, count, &judge_default_limits,
			  mesh->know_fabric ? &mesh->fabric : NULL);
	session.coordinator = coordinator;
	session.plan = &plan;
	session.judge = judge;
	session.fabric = mesh->know_fabric ? &mesh->fabric : NULL;
	cpu = cpu_msec();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	session_run(&session, &ran);
	judge_conclude(judge, findings);
	clock_gettime(CLOCK_MONOTONIC, &end);
	outcome->cpu_msec = cpu_msec() - cpu;
	outcome->wall_msec = msec_of(begin, end);
	outcome->rounds = ran.rounds;
	outcome->results = ran.pairs;
	outcome->messages = coordinator_cost(coordinator).messages_in +
			    coordinator_cost(coordinator).messages_out;
	judge_free(judge);
	coordinator_dismiss(coordinator, 5000);
	coordinator_free(coordinator);
	waitpid(pid, NULL, 0);
	strings_free(&ran.stages_failed);
	plan_clear(&plan);
	strings_free(&names);
}

static void run_direct(struct made_up_mesh *mesh, struct outcome *outcome,
		       struct judge_findings *findings)
{
	const double cpu = cpu_msec();
	struct judge *judge = judge_new(mesh->list, mesh->hosts, &judge_default_limits,
					mesh->know_fabric ? &mesh->fabric : NULL);
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	outcome->results = made_up_run(mesh, PLAN_DEFAULT, judge);
	judge_conclude(judge, findings);
	clock_gettime(CLOCK_MONOTONIC, &end);
	outcome->wall_msec = msec_of(begin, end);
	outcome->cpu_msec = cpu_msec() - cpu;
	judge_free(judge);
}

static void say_wrong(const struct made_up_mesh *mesh, const struct judge_findings *findings)
{
	fprintf(stderr, "  %s at n%u, n%u, rail %u:\n", fault_names[mesh->fault], mesh->host + 1,
		mesh->other + 1, mesh->rail);
	for (size_t i = 0; i < findings->count && i < 8; i++)
		fprintf(stderr, "    %s %s: %s\n",
			enum_word(judge_finding_names, findings->items[i].finding.id.value, "?"),
			findings->items[i].finding.object ? findings->items[i].finding.object : "-",
			findings->items[i].finding.evidence);
}

static void run_once(struct made_up_mesh mesh, uint64_t seed, int wire, struct outcome *outcome)
{
	const bool is_pair = mesh.fault == BAD_PAIR || mesh.fault == BOTH_PAIR;
	struct judge_findings findings = {0};
	struct rusage usage;

	made_up_begin(&mesh, seed);
	/* Only the second of these learns here what was tested. */
	if (wire)
		run_wire(&mesh, wire == 2, outcome, &findings);
	else
		run_direct(&mesh, outcome, &findings);
	made_up_count(&mesh, &findings, &outcome->right, &outcome->wrong);
	outcome->expected = made_up_is_there(&mesh);
	/* The test of the pair happened in the other process, so it is not known here. */
	if (wire && is_pair)
		outcome->expected = outcome->right > 0;
	if (outcome->wrong || (outcome->right > 0) != outcome->expected)
		say_wrong(&mesh, &findings);
	getrusage(RUSAGE_SELF, &usage);
	outcome->kilobytes = usage.ru_maxrss;
	judge_findings_clear(&findings);
	made_up_end(&mesh);
}

/* Runs in a separate process, so that the peak of memory is its own. */
static struct outcome run(const struct made_up_mesh *mesh, uint64_t seed, int wire)
{
	struct outcome outcome = {.failed = true};
	int ends[2], status;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends))
		return outcome;
	pid = fork();
	if (!pid) {
		outcome.failed = false;
		run_once(*mesh, seed, wire, &outcome);
		_exit(write(ends[1], &outcome, sizeof(outcome)) != sizeof(outcome));
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], &outcome, sizeof(outcome)) != sizeof(outcome))
		outcome.failed = true;
	close(ends[0]);
	waitpid(pid, &status, 0);
	return outcome;
}

static bool run_fault(struct made_up_mesh *mesh, unsigned int runs, int wire)
{
	unsigned int named = 0, expected = 0, wrong = 0;
	double cpu = 0, wall = 0;
	uint64_t messages = 0, rounds = 0, results = 0;
	long kilobytes = 0;
	bool failed = false;

	for (unsigned int seed = 1; seed <= runs; seed++) {
		const struct outcome outcome = run(mesh, seed, wire);

		failed |= outcome.failed;
		expected += outcome.expected;
		named += outcome.expected && outcome.right;
		wrong += outcome.wrong > 0;
		cpu += outcome.cpu_msec;
		wall += outcome.wall_msec;
		messages += outcome.messages;
		rounds += outcome.rounds;
		results += outcome.results;
		if (outcome.kilobytes > kilobytes)
			kilobytes = outcome.kilobytes;
	}
	printf("%-15s %6u x %u  facts %d  %4u runs  named %4u of %4u  false alarms %2u  "
	       "%8" PRIu64 " pairs  %8.0f ms  %5ld MB",
	       fault_names[mesh->fault], mesh->hosts, mesh->rails,
	       mesh->know_ways ? 2 : mesh->know_fabric, runs, named, expected, wrong,
	       results / runs, wall / runs, kilobytes / 1024);
	if (wire && rounds)
		printf("  %4" PRIu64 " rounds  %.3f ms of CPU a round and 100 hosts  %" PRIu64
		       " messages",
		       rounds / runs, cpu / (double)rounds / mesh->hosts * 100, messages / runs);
	printf("\n");
	return !failed && named == expected && !wrong;
}

int main(int argc, char **argv)
{
	struct made_up_mesh mesh = {.noise = 0.03};
	bool good = true;
	unsigned int runs;
	int facts, wire;

	if (argc < 7) {
		fprintf(stderr, "simulate HOSTS RAILS RUNS FACTS WIRE FAULT...\n");
		return 2;
	}
	mesh.hosts = (uint32_t)strtoul(argv[1], NULL, 10);
	mesh.rails = (uint16_t)strtoul(argv[2], NULL, 10);
	runs = (unsigned int)strtoul(argv[3], NULL, 10);
	facts = (int)strtol(argv[4], NULL, 10);
	wire = (int)strtol(argv[5], NULL, 10);
	mesh.know_fabric = facts > 0;
	mesh.know_ways = facts > 1;
	for (int i = 6; i < argc; i++) {
		bool known = false;

		for (int fault = 0; fault < MADE_UP_FAULTS; fault++) {
			if (strcmp(argv[i], "all") != 0 && strcmp(argv[i], fault_names[fault]) != 0)
				continue;
			known = true;
			/* Only the routes show which spine it is. */
			if ((fault == BAD_SPINE && facts < 2) || (fault == LOST_AGENT && !wire))
				continue;
			mesh.fault = (enum made_up_fault)fault;
			good &= run_fault(&mesh, runs, wire);
		}
		if (!known) {
			fprintf(stderr, "simulate: unknown fault '%s'\n", argv[i]);
			good = false;
		}
	}
	return !good;
}
