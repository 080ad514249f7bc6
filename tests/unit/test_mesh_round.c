/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds of a coordinator, and who is waited for before them. The agents' answers are in their
 * sockets before they are asked, so little takes time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "paired_agents.h"

#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64 SYS_clock_gettime
#endif

/* For how long the coordinator has been stopped so far. */
static time_t stopped_seconds;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int rc = (int)syscall(SYS_clock_gettime64, clock, now);

	if (clock == CLOCK_MONOTONIC)
		now->tv_sec += stopped_seconds;
	return rc;
}

#define ROUND_ID(number) (UINT64_C(1) << 32 | (number))

static char results[1024];

/* One line per result: the pair, its outcome and the reason. */
static void take(void *context, const struct mesh_result *result)
{
	static const char *const outcomes[] = {"pass", "FAIL", "untried", "apart"};
	const size_t length = strlen(results);

	(void)context;
	assert_int_equal(result->stage, 3);
	assert_int_equal(result->round, 4);
	assert_true(result->again);
	snprintf(results + length, sizeof(results) - length, "%u.%u-%u.%u %s: %s\n", result->pair.a,
		 result->pair.rail_a, result->pair.b, result->pair.rail_b,
		 outcomes[result->outcome], result->reason);
}

static int run(struct paired *bed, const struct mesh_pair *pairs, size_t count, uint32_t tests)
{
	const struct coordinator_round round = {
		.pairs = pairs,
		.count = count,
		.tests = tests,
		.stage = 3,
		.number = 4,
		.again = true,
		.latency_msec = 11,
		.bandwidth_msec = 12,
		.timeout_msec = 13000,
		.take = take,
		.context = bed,
	};

	*results = '\0';
	return coordinator_round(bed->coordinator, &round);
}

static void answer(struct paired *bed, size_t agent, uint64_t id, enum mesh_outcome outcome,
		   const char *reason)
{
	struct mesh_result result = {.outcome = outcome};
	struct mesh_message message;

	snprintf(result.reason, sizeof(result.reason), "%s", reason);
	mesh_answer_make(id, &result, &message);
	paired_send(bed, agent, &message);
}

static void answer_both(struct paired *bed, size_t agent, uint64_t id)
{
	const struct mesh_result result = {.both_gbps = {{90, true}, {80, true}}};
	struct mesh_message message;

	mesh_both_answer_make(id, &result, &message);
	paired_send(bed, agent, &message);
}

static void pong(struct paired *bed, size_t agent, uint64_t number)
{
	const struct mesh_message message = {.type = MESH_MESSAGE_PONG, .pong = {.number = number}};

	paired_send(bed, agent, &message);
}

/* Returns what an agent received, one line per message. */
static const char *orders_of(struct paired *bed, size_t agent)
{
	static char text[1024];
	struct mesh_message message;
	size_t length = 0;

	*text = '\0';
	while (paired_next(bed, agent, &message)) {
		const struct mesh_order *order = &message.order;

		if (message.type == MESH_MESSAGE_CANCEL)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "cancel %llx\n",
						   (unsigned long long)message.cancel.id);
		if (message.type == MESH_MESSAGE_PING)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "ping %llu\n",
						   (unsigned long long)message.ping.number);
		if (message.type != MESH_MESSAGE_ORDER)
			continue;
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%llx %u to %s %u %s%s %u:%u tests %u, %u %u %u\n",
					   (unsigned long long)order->id, order->rail, order->peer,
					   order->peer_rail, order->far.device,
					   order->loopback ? " loopback" : "",
					   order->peer_ip.raw[3], order->peer_port, order->tests,
					   order->latency_msec, order->bandwidth_msec,
					   order->timeout_msec);
	}
	return text;
}

static void open_pair(struct paired *bed)
{
	paired_open(bed, (struct coordinator_setup){.silence_msec = 5000});
	paired_member(bed, "n1", 2);
	paired_member(bed, "n2", 2);
	bed->coordinator->hosts[0].server_port = 71;
	bed->coordinator->hosts[1].server_port = 72;
}

static void orders(void **state)
{
	static const struct mesh_pair pairs[] = {
		{0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}, {9, 0, 0, 0},
		{0, 9, 0, 0}, {0, 1, 2, 0}, {0, 1, 0, 2}, {2, 0, 0, 0}, {0, 1, 1, 1},
	};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	/* This host is absent. */
	names_add(bed.coordinator, "n3");
	answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(2), MESH_UNTRIED, "busy");
	answer(&bed, 0, ROUND_ID(3), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(9), MESH_PASS, "");
	answer(&bed, 1, ROUND_ID(1), MESH_PASS, "");
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_TESTS), 0);
	assert_string_equal(results, "9.0-0.0 untried: there is no such host\n"
				     "0.0-9.0 untried: ? does not take part\n"
				     "0.2-1.0 untried: a host has no such rail\n"
				     "0.0-1.2 untried: a host has no such rail\n"
				     "2.0-0.0 untried: n3 does not take part\n"
				     "0.0-1.1 pass: \n"
				     "0.1-1.0 untried: busy\n"
				     "0.0-0.1 pass: \n"
				     "0.1-1.1 pass: \n"
				     "1.1-0.0 pass: \n");
	assert_string_equal(orders_of(&bed, 0),
			    "100000000 0 to n2 1 mlx5_1 2:72 tests 7, 11 12 13000\n"
			    "100000002 1 to n2 0 mlx5_0 2:72 tests 7, 11 12 13000\n"
			    "100000003 0 to n1 1 mlx5_1 loopback 1:71 tests 7, 11 12 13000\n"
			    "100000009 1 to n2 1 mlx5_1 2:72 tests 7, 11 12 13000\n");
	assert_string_equal(orders_of(&bed, 1),
			    "100000001 1 to n1 0 mlx5_0 1:71 tests 7, 11 12 13000\n");
	assert_null(bed.coordinator->round);
	assert_int_equal(bed.coordinator->slot_count, 0);
	assert_int_equal(bed.coordinator->open_slots, 0);
	assert_string_equal(bed.changed, "");
	paired_close(&bed);
}

/* An agent counts only the rails that it can use. */
static void gaps(void **state)
{
	static const struct mesh_pair pairs[] = {
		{0, 1, 2, 2}, {1, 0, 0, 2}, {0, 1, 1, 1}, {1, 0, 2, 1}, {0, 0, 3, 2}};
	struct paired bed;

	(void)state;
	paired_open(&bed, (struct coordinator_setup){.silence_msec = 5000});
	paired_member(&bed, "n1", 4);
	paired_member(&bed, "n2", 3);
	bed.coordinator->hosts[0].missing_rails = 1 << 1;
	bed.coordinator->hosts[1].missing_rails = 1 << 0 | 1 << 1;
	answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(4), MESH_PASS, "");
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_TESTS), 0);
	assert_string_equal(results, "0.1-1.1 untried: a host has no such rail\n"
				     "1.0-0.2 untried: a host has no such rail\n"
				     "1.2-0.1 untried: a host has no such rail\n"
				     "0.2-1.2 pass: \n"
				     "0.3-0.2 pass: \n");
	assert_string_equal(orders_of(&bed, 0),
			    "100000000 1 to n2 0 mlx5_2 2:0 tests 7, 11 12 13000\n"
			    "100000004 2 to n1 1 mlx5_2 loopback 1:0 tests 7, 11 12 13000\n");
	assert_string_equal(orders_of(&bed, 1), "");
	paired_close(&bed);
}

/* Both directions at once are requested only if the agents of both hosts support it. */
static void both_ways(void **state)
{
	static const struct mesh_pair pairs[] = {
		{0, 1, 0, 0}, {0, 2, 0, 0}, {2, 0, 0, 0}, {0, 0, 0, 0}, {2, 2, 0, 0}, {0, 2, 0, 0},
	};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	paired_member(&bed, "old", 1);
	bed.coordinator->hosts[2].protocol = MESH_PROTOCOL_BOTH_WAYS - 1;
	answer_both(&bed, 0, ROUND_ID(0));
	answer(&bed, 0, ROUND_ID(1), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(3), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(5), MESH_UNTRIED, "busy");
	answer(&bed, 2, ROUND_ID(2), MESH_PASS, "");
	answer(&bed, 2, ROUND_ID(4), MESH_PASS, "");
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_ALL_TESTS), 0);
	assert_string_equal(results,
			    "0.0-1.0 pass: \n"
			    "0.0-2.0 pass: both ways at once: the rdmactl of old is older, and "
			    "does not have it\n"
			    "0.0-0.0 pass: \n"
			    "0.0-2.0 untried: busy\n"
			    "2.0-0.0 pass: both ways at once: the rdmactl of old is older, and "
			    "does not have it\n"
			    "2.0-2.0 pass: \n");
	assert_string_equal(orders_of(&bed, 0),
			    "100000000 0 to n2 0 mlx5_0 2:72 tests 15, 11 12 13000\n"
			    "100000001 0 to old 0 mlx5_0 3:0 tests 7, 11 12 13000\n"
			    "100000003 0 to n1 0 mlx5_0 loopback 1:71 tests 7, 11 12 13000\n"
			    "100000005 0 to old 0 mlx5_0 3:0 tests 7, 11 12 13000\n");
	/* An answer that was not requested does not count. */
	answer_both(&bed, 0, UINT64_C(2) << 32);
	assert_int_equal(run(&bed, pairs, 1, MESH_TESTS), 0);
	assert_string_equal(results, "0.0-1.0 untried: n1 was lost\n");
	assert_string_equal(bed.changed,
			    "n1: its agent answered something that it was not asked\n");
	paired_close(&bed);
}

/* Orders that the agent does not have, and answers that come too late. */
static void answers_of_others(void **state)
{
	static const struct mesh_pair pairs[] = {{0, 0, 0, 0}, {1, 1, 0, 0}};
	static const struct {
		uint64_t id;
		bool wrong;
	} samples[] = {
		{ROUND_ID(0), true},	      {ROUND_ID(2), true},
		{ROUND_ID(UINT32_MAX), true}, {UINT64_C(0) << 32, false},
		{UINT64_C(2) << 32, false},   {ROUND_ID(1), false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct paired bed;

		open_pair(&bed);
		answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
		answer(&bed, 1, samples[i].id, MESH_PASS, "");
		answer(&bed, 1, ROUND_ID(1), MESH_PASS, "");
		/* The second answer to an order does not count. */
		answer(&bed, 1, ROUND_ID(1), MESH_FAIL, "no");
		assert_int_equal(run(&bed, pairs, 2, MESH_TESTS), 0);
		assert_string_equal(results, samples[i].wrong ? "0.0-0.0 pass: \n"
								"1.0-1.0 untried: n2 was lost\n"
							      : "0.0-0.0 pass: \n1.0-1.0 pass: \n");
		assert_string_equal(
			bed.changed,
			samples[i].wrong ? "n2: its agent answered an order that it was not given\n"
					 : "");
		/* The same after the round. */
		if (!samples[i].wrong) {
			answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
			connection_ready(bed.coordinator, bed.coordinator->connections);
			assert_string_equal(bed.changed, "");
		}
		paired_close(&bed);
	}
}

/* A failure counts once both agents have answered a ping since. */
static void failures(void **state)
{
	static const struct mesh_pair pairs[] = {{0, 1, 0, 0}, {0, 1, 1, 1}, {0, 0, 0, 0}};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	answer(&bed, 0, ROUND_ID(0), MESH_FAIL, "first");
	answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(1), MESH_FAIL, "second");
	answer(&bed, 0, ROUND_ID(2), MESH_PASS, "");
	/* n1 gets pings 1 and 3, n2 gets 2 and 4. */
	pong(&bed, 0, 3);
	pong(&bed, 1, 4);
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_TESTS), 0);
	assert_string_equal(results, "0.0-0.0 pass: \n0.1-1.1 FAIL: second\n0.0-1.0 FAIL: first\n");
	assert_null(bed.coordinator->doubts);
	assert_false(bed.coordinator->heard);
	assert_string_equal(orders_of(&bed, 1), "ping 2\nping 4\n");
	paired_close(&bed);
}

/* So does that they could not talk to each other: a lost host would be the reason. */
static void apart(void **state)
{
	static const struct mesh_pair pair = {0, 1, 0, 0};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	answer(&bed, 0, ROUND_ID(0), MESH_APART, "a firewall");
	pong(&bed, 0, 1);
	pong(&bed, 1, 2);
	assert_int_equal(run(&bed, &pair, 1, MESH_TESTS), 0);
	assert_string_equal(results, "0.0-1.0 apart: a firewall\n");
	assert_string_equal(orders_of(&bed, 1), "ping 2\n");
	paired_close(&bed);
}

static struct coordinator *to_interrupt;

static void interrupt(void *context)
{
	(void)context;
	to_interrupt->interrupted = true;
}

/* Without answers to the pings after the second failure, only the first failure counts. */
static void interruptions(void **state)
{
	static const struct mesh_pair pairs[] = {
		{0, 1, 0, 0}, {0, 1, 1, 1}, {0, 1, 0, 1}, {1, 0, 0, 0}};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	answer(&bed, 0, ROUND_ID(0), MESH_FAIL, "first");
	answer(&bed, 0, ROUND_ID(1), MESH_FAIL, "second");
	pong(&bed, 0, 3);
	pong(&bed, 1, 2);
	to_interrupt = bed.coordinator;
	bed.coordinator->setup.tick = interrupt;
	bed.coordinator->tick_msec -= 200;
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_TESTS), -EINTR);
	assert_string_equal(results, "0.0-1.0 FAIL: first\n"
				     "0.0-1.1 untried: interrupted\n"
				     "1.0-0.0 untried: interrupted\n"
				     "0.1-1.1 untried: interrupted\n");
	assert_null(bed.coordinator->doubts);
	assert_string_equal(orders_of(&bed, 0),
			    "100000000 0 to n2 0 mlx5_0 2:72 tests 7, 11 12 13000\n"
			    "100000001 1 to n2 1 mlx5_1 2:72 tests 7, 11 12 13000\n"
			    "100000002 0 to n2 1 mlx5_1 2:72 tests 7, 11 12 13000\n"
			    "ping 1\nping 3\ncancel 100000002\n");
	assert_string_equal(orders_of(&bed, 1),
			    "100000003 0 to n1 0 mlx5_0 1:71 tests 7, 11 12 13000\n"
			    "ping 2\nping 4\ncancel 100000003\n");
	paired_close(&bed);
}

/* Exactly the orders that need a lost host are over. */
static void losses(void **state)
{
	static const struct mesh_pair pairs[] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0},
						 {0, 1, 1, 1}, {0, 0, 1, 1}, {1, 1, 0, 0}};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	shutdown(bed.agents[1].fd, SHUT_WR);
	answer(&bed, 0, ROUND_ID(4), MESH_PASS, "");
	answer(&bed, 0, ROUND_ID(0), MESH_PASS, "");
	assert_int_equal(run(&bed, pairs, ARRAY_SIZE(pairs), MESH_TESTS), 0);
	assert_non_null(strstr(results, "0.0-1.0 untried: n2 was lost\n"
					"1.0-0.0 untried: n2 was lost\n"
					"0.1-1.1 untried: n2 was lost\n"
					"1.0-1.0 untried: n2 was lost\n"));
	assert_non_null(strstr(results, "0.1-0.1 pass: \n0.0-0.0 pass: \n"));
	assert_non_null(strstr(orders_of(&bed, 0), "cancel 100000001\ncancel 100000003\n"));
	assert_string_equal(bed.changed, "n2: its agent ended, or was killed\n");
	/* From then on, the host takes no part. */
	assert_int_equal(run(&bed, &pairs[1], 2, MESH_TESTS), 0);
	assert_string_equal(results, "0.0-1.0 untried: n2 does not take part\n"
				     "1.0-0.0 untried: n2 does not take part\n");
	paired_close(&bed);
}

/*
 * An agent next to the coordinator came by a loopback address, the others by one of our addresses.
 */
static void loopback_addresses(void **state)
{
	static const struct ip_address ours = {.family = AF_INET, .raw = {10, 0, 0, 100}},
				       four = {.family = AF_INET, .raw = {127, 0, 0, 1}},
				       six = {.family = AF_INET6, .raw = {[15] = 1}},
				       other = {.family = AF_INET6, .raw = {[15] = 2}},
				       far = {.family = AF_INET, .raw = {128, 0, 0, 1}};
	static const struct {
		struct ip_address host[3], after[3];
	} samples[] = {
		{{four, six, far}, {ours, ours, far}},
		{{four, other, far}, {ours, other, far}},
		{{four, six, four}, {four, six, four}},
		{{far, four, other}, {far, ours, other}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct paired bed;

		paired_open(&bed, (struct coordinator_setup){.host_count = 4});
		paired_member(&bed, "n1", 1);
		paired_member(&bed, "n2", 1);
		paired_member(&bed, "n3", 1);
		/* A refused host has no connection, and no address. */
		names_add(bed.coordinator, "n0");
		bed.coordinator->hosts[3].presence = MESH_REFUSED;
		for (size_t j = 0; j < 3; j++) {
			bed.coordinator->hosts[j].address = samples[i].host[j];
			bed.coordinator->connections[j].address = samples[i].host[j];
			bed.coordinator->connections[j].local = ours;
		}
		assert_int_equal(coordinator_gather(bed.coordinator), 0);
		assert_string_equal(bed.coordinator->hosts[0].name, "n0");
		assert_int_equal(bed.coordinator->hosts[0].address.family, 0);
		for (size_t j = 0; j < 3; j++)
			assert_memory_equal(&bed.coordinator->hosts[j + 1].address,
					    &samples[i].after[j], sizeof(struct ip_address));
		paired_close(&bed);
	}
}

/* Sorted by rank if all have one, else by name; connections follow their hosts. */
static void order_of_hosts(void **state)
{
	static const struct {
		uint32_t ranks[3]; /* ranks of n10, n9, n1; 9: none */
		const char *order[3];
	} samples[] = {
		{{9, 9, 9}, {"n1", "n9", "n10"}}, {{0, 1, 2}, {"n10", "n9", "n1"}},
		{{2, 0, 1}, {"n9", "n1", "n10"}}, {{0, 1, 1}, {"n10", "n1", "n9"}},
		{{0, 1, 9}, {"n1", "n9", "n10"}}, {{9, 1, 2}, {"n1", "n9", "n10"}},
	};
	static const char *const names[] = {"n10", "n9", "n1"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct paired bed;

		paired_open(&bed, (struct coordinator_setup){.host_count = 3});
		for (size_t j = 0; j < 3; j++) {
			paired_member(&bed, names[j], 1);
			bed.coordinator->hosts[j].rank = (struct number){samples[i].ranks[j],
									 samples[i].ranks[j] != 9};
		}
		assert_int_equal(coordinator_gather(bed.coordinator), 0);
		assert_true(bed.coordinator->begun);
		for (uint32_t j = 0; j < 3; j++) {
			const struct mesh_host *host = &bed.coordinator->hosts[j];

			assert_string_equal(host->name, samples[i].order[j]);
			assert_int_equal(names_find(bed.coordinator, host->name), j);
			assert_int_equal(connection_of(bed.coordinator, j)->host, j);
			assert_memory_equal(&connection_of(bed.coordinator, j)->address,
					    &host->address, sizeof(host->address));
		}
		paired_close(&bed);
	}
}

static void gathering(void **state)
{
	static const struct {
		uint32_t wanted;
		enum connection_state other; /* another connection besides n1; 0: none */
		bool refused;		     /* n2 is refused */
		bool alone;		     /* n1 is missing */
		int rc;
		uint32_t most_msec; /* longest time it may take; 0: no limit */
	} samples[] = {
		{1, CONNECTION_FREE, false, false, 0, 40},
		{2, CONNECTION_FREE, false, false, -ETIMEDOUT, 0},
		{2, CONNECTION_FREE, true, false, 0, 40},
		{2, CONNECTION_ADMITTED, false, false, -ETIMEDOUT, 0},
		{0, CONNECTION_FREE, false, false, 0, 40},
		{0, CONNECTION_FREE, true, true, 0, 40},
		{0, CONNECTION_FREE, false, true, -ETIMEDOUT, 0},
		{0, CONNECTION_STRANGER, false, false, -ETIMEDOUT, 0},
		{0, CONNECTION_ADMITTED, false, false, -ETIMEDOUT, 0},
		{0, CONNECTION_ENTERING, false, false, -ETIMEDOUT, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const uint64_t begin = clock_msec();
		struct mesh_message message;
		struct paired bed;
		uint64_t took;

		paired_open(&bed, (struct coordinator_setup){
					  .host_count = samples[i].wanted,
					  .wait_msec = samples[i].most_msec ? 30000 : 60,
					  .settle_msec = 5});
		/* The turns are short, so a wait for events ends soon. */
		bed.coordinator->tick_msec -= 190;
		if (!samples[i].alone)
			paired_member(&bed, "n1", 1);
		names_add(bed.coordinator, "n2");
		bed.coordinator->hosts[bed.coordinator->host_count - 1].presence =
			samples[i].refused ? MESH_REFUSED : MESH_ABSENT;
		if (samples[i].other)
			paired_add(&bed, samples[i].other);
		assert_int_equal(coordinator_gather(bed.coordinator), samples[i].rc);
		took = clock_msec() - begin;
		if (samples[i].most_msec)
			assert_true(took < 10000);
		else
			assert_in_range(took, 60, 10000);
		if (samples[i].other >= CONNECTION_ADMITTED) {
			assert_true(paired_next(&bed, 1, &message));
			assert_int_equal(message.type, MESH_MESSAGE_REFUSED);
			assert_int_equal(message.refused.refusal, MESH_REFUSAL_FULL);
			assert_string_equal(message.refused.text, "the mesh has begun without it");
			assert_string_equal(message.refused.hint, "wait longer for it with --wait");
		}
		paired_close(&bed);
	}
}

/* The agent of the host connected, but runs the doctor for too long, say. */
static void not_ready(void **state)
{
	struct mesh_message message = {.type = MESH_MESSAGE_IDENTITY, .identity.name = "n1"};
	const struct mesh_host *host;
	struct paired bed;

	(void)state;
	paired_open(&bed, (struct coordinator_setup){.host_count = 1, .wait_msec = 60});
	paired_add(&bed, CONNECTION_ADMITTED);
	entry_take(bed.coordinator, bed.coordinator->connections, &message);
	assert_int_equal(coordinator_gather(bed.coordinator), -ETIMEDOUT);
	host = &bed.coordinator->hosts[0];
	assert_int_equal(host->presence, MESH_ABSENT);
	assert_string_equal(host->reason, "its agent connected, but was not ready in time");
	assert_string_equal(host->hint, "wait longer for it with --wait");
	paired_close(&bed);
}

/* The launcher has ended, so the wait is cut short, or a signal has come. */
static void no_more_waiting(void **state)
{
	struct coordinator_setup setup = {.host_count = 2, .wait_msec = 30000};
	struct epoll_event event;
	struct paired bed;
	uint64_t begin;
	int ends[2];

	(void)state;
	paired_open(&bed, setup);
	paired_member(&bed, "n1", 1);
	begin = clock_msec();
	coordinator_launcher_ended(bed.coordinator, 50);
	assert_int_equal(coordinator_gather(bed.coordinator), -ETIMEDOUT);
	assert_in_range(clock_msec() - begin, 50, 10000);
	paired_close(&bed);
	assert_int_equal(pipe(ends), 0);
	setup.signals = ends[0];
	paired_open(&bed, setup);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(coordinator_gather(bed.coordinator), -EINTR);
	assert_true(bed.coordinator->interrupted);
	/* The remaining work sleeps as usual. */
	assert_int_equal(epoll_wait(bed.coordinator->epoll, &event, 1, 0), 0);
	paired_close(&bed);
	close(ends[0]);
	close(ends[1]);
}

static uint64_t processor_msec(void)
{
	struct timespec used;

	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
	return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* The launcher has ended while an agent is still coming: the coordinator waits without spinning. */
static void asleep_after_the_launcher(void **state)
{
	static const struct coordinator_setup setup = {.host_count = 2, .wait_msec = 2000};
	uint64_t begin, used;
	struct paired bed;

	(void)state;
	paired_open(&bed, setup);
	paired_member(&bed, "n1", 1);
	paired_add(&bed, CONNECTION_ADMITTED);
	coordinator_launcher_ended(bed.coordinator, 0);
	begin = clock_msec();
	used = processor_msec();
	assert_int_equal(coordinator_gather(bed.coordinator), -ETIMEDOUT);
	assert_true(clock_msec() - begin >= setup.wait_msec);
	assert_true(processor_msec() - used < setup.wait_msec / 10);
	paired_close(&bed);
}

/* Longer than the grace after the timeout of an order. */
#define STOPPED_SECONDS 4

static void stop_once(void *context)
{
	struct paired *bed = context;

	if (*orders_of(bed, 0)) {
		stopped_seconds += STOPPED_SECONDS;
		answer(bed, 0, ROUND_ID(0), MESH_PASS, "");
	}
}

/* An answer that came while the coordinator was stopped, beyond the end of the round, counts. */
static void stopped(void **state)
{
	static const struct mesh_pair pair = {0, 1, 0, 0};
	const struct coordinator_round round = {
		.pairs = &pair,
		.count = 1,
		.tests = MESH_TESTS,
		.stage = 3,
		.number = 4,
		.again = true,
		.latency_msec = 1,
		.bandwidth_msec = 1,
		.timeout_msec = 1,
		.take = take,
	};
	struct paired bed;

	(void)state;
	open_pair(&bed);
	bed.coordinator->setup.tick = stop_once;
	*results = '\0';
	assert_int_equal(coordinator_round(bed.coordinator, &round), 0);
	assert_string_equal(results, "0.0-1.0 pass: \n");
	paired_close(&bed);
}

/* So many ticks, of at least 200 ms each, are far more than a round of 4 s has. */
#define MOST_TICKS 40

static unsigned int ticks;

/* Both agents are there, but answer neither orders nor the latest ping. */
static void pong_only(void *context)
{
	struct paired *bed = context;

	pong(bed, 0, 0);
	pong(bed, 1, 0);
	if (++ticks == MOST_TICKS)
		bed->coordinator->interrupted = true;
}

/* Orders without an answer end after their timeout, and failures in doubt some time later. */
static void no_answer(void **state)
{
	static const struct mesh_pair pairs[] = {{0, 1, 0, 0}, {0, 1, 1, 1}};
	const struct coordinator_round round = {
		.pairs = pairs,
		.count = ARRAY_SIZE(pairs),
		.tests = MESH_TESTS,
		.stage = 3,
		.number = 4,
		.again = true,
		.latency_msec = 1,
		.bandwidth_msec = 1,
		.timeout_msec = 1,
		.take = take,
	};
	const uint64_t begin = clock_msec();
	struct paired bed;

	(void)state;
	open_pair(&bed);
	bed.coordinator->setup.silence_msec = 500;
	bed.coordinator->setup.tick = pong_only;
	ticks = 0;
	answer(&bed, 0, ROUND_ID(0), MESH_FAIL, "no");
	*results = '\0';
	assert_int_equal(coordinator_round(bed.coordinator, &round), 0);
	assert_string_equal(results, "0.1-1.1 untried: its agent did not answer in time\n"
				     "0.0-1.0 untried: interrupted\n");
	/* The timeout, its grace, and twice the silence. */
	assert_true(clock_msec() - begin >= 1 + 3000 + 2 * 500);
	assert_non_null(strstr(orders_of(&bed, 0), "cancel 100000001\n"));
	paired_close(&bed);
}

static struct sockaddr_in listener;
static int late_agent;

/* What comes while the coordinator is stopped: an agent says that it is ready, another connects. */
static void stop_gathering(void *context)
{
	struct paired *bed = context;
	const struct mesh_message ready = {.type = MESH_MESSAGE_READY};

	bed->coordinator->setup.tick = NULL;
	stopped_seconds += STOPPED_SECONDS;
	if (bed->coordinator->setup.host_count)
		paired_send(bed, 0, &ready);
	late_agent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(late_agent, (const struct sockaddr *)&listener, sizeof(listener)),
			 0);
}

/* The time during which the coordinator is stopped is no time to wait for hosts. */
static void stopped_gathering(void **state)
{
	static const struct {
		uint32_t wanted;
		bool launcher_ended; /* just before the stop */
	} samples[] = {{1, false}, {0, false}, {0, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct mesh_message message = {.type = MESH_MESSAGE_IDENTITY,
					       .identity.name = "n1"};
		struct paired bed;

		paired_open(&bed, (struct coordinator_setup){.host_count = samples[i].wanted,
							     .wait_msec = 300,
							     .settle_msec = 100});
		listener = (struct sockaddr_in){
			.sin_family = AF_INET,
			.sin_port = htons(coordinator_port(bed.coordinator)),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		if (samples[i].wanted) {
			paired_add(&bed, CONNECTION_ADMITTED);
			entry_take(bed.coordinator, bed.coordinator->connections, &message);
		} else {
			paired_member(&bed, "n1", 1);
		}
		if (samples[i].launcher_ended)
			coordinator_launcher_ended(bed.coordinator, 100);
		bed.coordinator->setup.tick = stop_gathering;
		bed.coordinator->tick_msec -= 190;
		late_agent = -1;
		/* The agent that has just connected might be one more host. */
		assert_int_equal(coordinator_gather(bed.coordinator),
				 samples[i].wanted ? 0 : -ETIMEDOUT);
		assert_int_equal(bed.coordinator->hosts[0].presence, MESH_PRESENT);
		if (!samples[i].wanted)
			assert_int_equal(bed.coordinator->guests, 1);
		assert_true(late_agent >= 0);
		close(late_agent);
		paired_close(&bed);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(gaps),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(answers_of_others),
		cmocka_unit_test(failures),
		cmocka_unit_test(apart),
		cmocka_unit_test(interruptions),
		cmocka_unit_test(losses),
		cmocka_unit_test(stopped),
		cmocka_unit_test(no_answer),
		cmocka_unit_test(stopped_gathering),
		cmocka_unit_test(loopback_addresses),
		cmocka_unit_test(order_of_hosts),
		cmocka_unit_test(gathering),
		cmocka_unit_test(not_ready),
		cmocka_unit_test(no_more_waiting),
		cmocka_unit_test(asleep_after_the_launcher),
	};

	return cmocka_run_group_tests_name("mesh_round", tests, NULL, NULL);
}
