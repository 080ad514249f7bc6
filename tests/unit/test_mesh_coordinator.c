/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The coordinator of a mesh against agents that are good, hostile, slow or gone, over real sockets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/coordinator/coordinator.h"
#include "mesh/wire/mesh_message.h"

#define TOKEN "the token of this test"
/* Only a fault takes this long; a busy machine may take part of it. */
#define AGENT_MSEC   60000
#define WAIT_MSEC    60000
#define SILENCE_MSEC 20000
#define ORDER_MSEC   30000
/* For tests that wait until the silence has ended. */
#define SHORT_SILENCE_MSEC 3000

/* ---- Agents: each script runs in a child of its own ---- */

struct agent {
	struct mesh_channel channel;
	uint16_t port;
	bool lies; /* it is cut off for that, perhaps before it has said everything */
};

/*
 * For agents that come last, after the others have their answers: end of file is read once all
 * agents started before have ended. -1: nobody to wait for.
 */
static int others[2] = {-1, -1};

static void wait_for_the_others(void)
{
	char byte;

	close(others[1]);
	if (read(others[0], &byte, 1))
		_exit(105);
}

static void open_channel(struct agent *agent)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(agent->port)};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		_exit(90);
	mesh_channel_open(&agent->channel, fd);
}

static void say(struct agent *agent, const struct mesh_message *message)
{
	if (mesh_channel_put(&agent->channel, message) || mesh_channel_flush(&agent->channel))
		_exit(agent->lies ? 0 : 91);
}

/* Returns the next message except pings, which it answers. False if the connection has ended. */
static bool hear(struct agent *agent, struct mesh_message *message)
{
	const uint64_t end = clock_msec() + AGENT_MSEC;
	struct mesh_message pong = {.type = MESH_MESSAGE_PONG};

	while (clock_msec() < end) {
		struct pollfd input = {.fd = agent->channel.fd, .events = POLLIN};
		const int rc = mesh_channel_next(&agent->channel, message);

		if (rc > 0 && message->type != MESH_MESSAGE_PING)
			return true;
		if (rc > 0) {
			pong.pong.number = message->ping.number;
			say(agent, &pong);
			continue;
		}
		poll(&input, 1, 100);
		if (mesh_channel_receive(&agent->channel) == -ECONNRESET)
			return false;
	}
	_exit(92);
}

static void expect(struct agent *agent, uint32_t type, struct mesh_message *message)
{
	if (!hear(agent, message) || message->type != type)
		_exit(93);
}

/* Goes up to the first answer. False: too slow for the coordinator, as a starved process may be. */
static bool is_answered(struct agent *agent, bool tokenless, uint32_t highest,
			struct mesh_message *message)
{
	open_channel(agent);
	mesh_shake_hello("agent", tokenless, message);
	message->hello.highest = highest;
	if (!mesh_channel_put(&agent->channel, message) && !mesh_channel_flush(&agent->channel) &&
	    hear(agent, message))
		return true;
	mesh_channel_close(&agent->channel);
	return false;
}

/* Goes up to the proof of the token, as an agent that speaks versions up to `highest`. */
static void shake_as(struct agent *agent, const char *token, uint32_t highest,
		     struct mesh_message *message)
{
	struct mesh_shake state;
	bool answered;

	/* Like real agents, it tries again. */
	do {
		while (!is_answered(agent, false, highest, message))
			;
		if (message->type != MESH_MESSAGE_CHALLENGE)
			_exit(93);
		if (mesh_shake_respond(&state, token, &message->challenge, message))
			_exit(94);
		answered = !mesh_channel_put(&agent->channel, message) &&
			   !mesh_channel_flush(&agent->channel) && hear(agent, message);
		if (!answered)
			mesh_channel_close(&agent->channel);
	} while (!answered);
	if (message->type == MESH_MESSAGE_ADMITTED &&
	    mesh_shake_check(&state, TOKEN, &message->admitted))
		_exit(96);
}

static void shake(struct agent *agent, const char *token, struct mesh_message *message)
{
	shake_as(agent, token, MESH_PROTOCOL, message);
}

/* The rails have GIDs that begin with each of `prefixes`, and end with 1, 2 ...; NULL: none. */
static void introduce_at(struct agent *agent, const char *name, uint32_t told, uint32_t sent,
			 const uint8_t *prefixes)
{
	struct mesh_message message = {.type = MESH_MESSAGE_IDENTITY};

	snprintf(message.identity.name, sizeof(message.identity.name), "%s", name);
	message.identity.rail_count = told;
	say(agent, &message);
	for (uint32_t i = 0; i < sent; i++) {
		message = (struct mesh_message){.type = MESH_MESSAGE_RAIL};
		snprintf(message.rail.endpoint.device, sizeof(message.rail.endpoint.device),
			 "mlx5_%u", i);
		message.rail.endpoint.port = 1;
		if (prefixes)
			message.rail.endpoint.gid = (struct gid){
				{prefixes[i], [15] = (uint8_t)(i + 1)}};
		say(agent, &message);
	}
	message = (struct mesh_message){.type = MESH_MESSAGE_READY};
	say(agent, &message);
}

static void introduce(struct agent *agent, const char *name, uint32_t told, uint32_t sent)
{
	introduce_at(agent, name, told, sent, NULL);
}

static void enter_at(struct agent *agent, const char *name, uint32_t rails, const uint8_t *prefixes)
{
	struct mesh_message message;

	shake(agent, TOKEN, &message);
	if (message.type != MESH_MESSAGE_ADMITTED)
		_exit(97);
	introduce_at(agent, name, rails, rails, prefixes);
}

static void enter(struct agent *agent, const char *name, uint32_t rails)
{
	enter_at(agent, name, rails, NULL);
}

static void answer(struct agent *agent, uint64_t id, enum mesh_outcome outcome)
{
	struct mesh_result result = {.outcome = outcome, .latency_usec = {1.5, true}};
	struct mesh_message message;

	mesh_answer_make(id, &result, &message);
	say(agent, &message);
}

/* Answers each order until it is told goodbye. */
static void obey(struct agent *agent, enum mesh_outcome outcome)
{
	struct mesh_message message;

	while (hear(agent, &message)) {
		if (message.type == MESH_MESSAGE_BYE)
			_exit(0);
		if (message.type == MESH_MESSAGE_ORDER)
			answer(agent, message.order.id, outcome);
	}
	_exit(98);
}

/* Expects the coordinator to end the connection, perhaps with a refusal. */
static void end_of(struct agent *agent, uint32_t refusal)
{
	struct mesh_message message = {.type = 0}; /* stays 0 if none comes */

	while (hear(agent, &message))
		if (message.type == MESH_MESSAGE_REFUSED &&
		    (message.refused.lowest != MESH_PROTOCOL_LOWEST ||
		     message.refused.highest != MESH_PROTOCOL))
			_exit(102);
	/* An agent still being admitted when the mesh is complete is refused for that reason. */
	if (message.type == MESH_MESSAGE_REFUSED)
		_exit(message.refused.refusal == refusal ||
				      (!refusal && message.refused.refusal == MESH_REFUSAL_FULL)
			      ? 0
			      : 99);
	_exit(refusal ? 100 : 0);
}

/* Answers orders, with both ways at once if asked, or `always`. */
static void obey_both(struct agent *agent, bool always)
{
	const struct mesh_result result = {.both_gbps = {{90, true}, {80, true}}};
	struct mesh_message message;

	while (hear(agent, &message)) {
		const uint64_t id = message.order.id;

		if (message.type == MESH_MESSAGE_BYE)
			_exit(0);
		if (message.type != MESH_MESSAGE_ORDER)
			continue;
		if (always || message.order.tests & MESH_BOTH_WAYS) {
			mesh_both_answer_make(id, &result, &message);
			say(agent, &message);
		} else {
			answer(agent, id, MESH_PASS);
		}
	}
	_exit(0);
}

static void both_one(struct agent *agent)
{
	enter(agent, "n1", 2);
	obey_both(agent, false);
}

static void both_two(struct agent *agent)
{
	enter(agent, "n2", 2);
	obey_both(agent, false);
}

/* An older rdmactl, which does not know tests of both ways at once. */
static void older_two(struct agent *agent)
{
	struct mesh_message message;

	shake_as(agent, TOKEN, MESH_PROTOCOL_LOWEST, &message);
	introduce(agent, "n2", 2, 2);
	obey(agent, MESH_PASS);
}

static void talker(struct agent *agent)
{
	enter(agent, "n1", 2);
	obey_both(agent, true);
}

static void good_one(struct agent *agent)
{
	enter(agent, "n1", 2);
	obey(agent, MESH_PASS);
}

static void good_two(struct agent *agent)
{
	enter(agent, "n2", 2);
	obey(agent, MESH_PASS);
}

static void good_four(struct agent *agent)
{
	enter(agent, "n4", 2);
	obey(agent, MESH_PASS);
}

static void last_one(struct agent *agent)
{
	wait_for_the_others();
	good_one(agent);
}

static void last_two(struct agent *agent)
{
	wait_for_the_others();
	good_two(agent);
}

/* The second agent reads from this pipe once the first one has entered. */
static int entered[2];

static void first_of_a_host(struct agent *agent)
{
	/* The last agent need not wait for this one. */
	close(others[1]);
	enter(agent, "n1", 2);
	if (write(entered[1], "", 1) != 1)
		_exit(105);
	obey(agent, MESH_PASS);
}

static void second_of_a_host(struct agent *agent)
{
	char byte;

	if (read(entered[0], &byte, 1) != 1)
		_exit(106);
	enter(agent, "n1.cluster", 2);
	end_of(agent, MESH_REFUSAL_TWICE);
}

static const uint8_t both_alike[] = {0x20, 0x20};

static void first_name(struct agent *agent)
{
	enter_at(agent, "n1", 2, both_alike);
	obey(agent, MESH_PASS);
}

static void second_name(struct agent *agent)
{
	enter_at(agent, "n1-ib", 2, both_alike);
	end_of(agent, MESH_REFUSAL_TWICE);
}

static void second_rail_differs(struct agent *agent)
{
	enter_at(agent, "n3", 2, (const uint8_t[]){0x20, 0x21});
	obey(agent, MESH_PASS);
}

static void end_refused(const struct mesh_message *message)
{
	_exit(message->type == MESH_MESSAGE_REFUSED &&
			      message->refused.refusal == MESH_REFUSAL_TOKEN &&
			      message->refused.lowest == MESH_PROTOCOL_LOWEST &&
			      message->refused.highest == MESH_PROTOCOL
		      ? 0
		      : 101);
}

static void wrong_token(struct agent *agent)
{
	struct mesh_message message;

	shake(agent, "another token", &message);
	end_refused(&message);
}

static void no_token(struct agent *agent)
{
	struct mesh_message message;

	while (!is_answered(agent, true, MESH_PROTOCOL, &message))
		;
	end_refused(&message);
}

static void garbage(struct agent *agent)
{
	static const char text[] = "GET / HTTP/1.0\r\nHost: example\r\n\r\n";

	open_channel(agent);
	if (send(agent->channel.fd, text, sizeof(text), MSG_NOSIGNAL) < 0)
		_exit(102);
	end_of(agent, 0);
}

/* Introduces itself without having proven anything: its first message may end the connection. */
static void intruder(struct agent *agent)
{
	open_channel(agent);
	agent->lies = true;
	introduce(agent, "n1", 1, 1);
	end_of(agent, 0);
}

static void fewer_rails(struct agent *agent)
{
	struct mesh_message message;

	shake(agent, TOKEN, &message);
	agent->lies = true;
	introduce(agent, "liar", 8, 1);
	end_of(agent, 0);
}

static void more_rails(struct agent *agent)
{
	struct mesh_message message;

	shake(agent, TOKEN, &message);
	agent->lies = true;
	introduce(agent, "liar2", 1, 3);
	end_of(agent, 0);
}

/* Answers orders that others have, and orders that do not exist. */
static void impostor(struct agent *agent)
{
	struct mesh_message message;

	enter(agent, "n2", 2);
	expect(agent, MESH_MESSAGE_ORDER, &message);
	answer(agent, message.order.id ^ 1, MESH_FAIL);
	end_of(agent, 0);
}

/* Answers the order after the round's last one. */
static void inventor(struct agent *agent)
{
	struct mesh_message message;

	enter(agent, "n2", 2);
	expect(agent, MESH_MESSAGE_ORDER, &message);
	answer(agent, message.order.id + 1, MESH_FAIL);
	end_of(agent, 0);
}

static void late_answers(struct agent *agent)
{
	struct mesh_message message;

	enter(agent, "n2", 2);
	expect(agent, MESH_MESSAGE_ORDER, &message);
	/* A nonexistent or finished round has no fault and no result. */
	answer(agent, message.order.id + (UINT64_C(5) << 32), MESH_FAIL);
	answer(agent, message.order.id, MESH_PASS);
	answer(agent, message.order.id, MESH_FAIL);
	obey(agent, MESH_PASS);
}

static void failing(struct agent *agent)
{
	enter(agent, "n1", 2);
	obey(agent, MESH_FAIL);
}

/* Leaves when it has an order. */
static void deserter(struct agent *agent)
{
	struct mesh_message message;

	enter(agent, "n2", 2);
	expect(agent, MESH_MESSAGE_ORDER, &message);
	_exit(0);
}

/* Stops reading until it is given up. */
static void sleeper(struct agent *agent)
{
	struct pollfd gone = {.events = POLLRDHUP};

	enter(agent, "n2", 2);
	gone.fd = agent->channel.fd;
	_exit(poll(&gone, 1, AGENT_MSEC) == 1 ? 0 : 107);
}

/* Opens many connections that send nothing or half of a message, until they are given up. */
static void flood(struct agent *agent)
{
	struct pollfd gone = {.events = POLLRDHUP};

	for (int i = 0; i < 700; i++) {
		open_channel(agent);
		if (i % 2 && send(agent->channel.fd, "RDMM", 4, MSG_NOSIGNAL) < 0)
			_exit(103);
	}
	if (write(entered[1], "", 1) != 1)
		_exit(105);
	gone.fd = agent->channel.fd;
	_exit(poll(&gone, 1, AGENT_MSEC) == 1 ? 0 : 107);
}

static void good_after_flood(struct agent *agent)
{
	char byte;

	if (read(entered[0], &byte, 1) != 1)
		_exit(106);
	good_one(agent);
}

struct bed {
	struct coordinator *coordinator;
	struct coordinator_setup setup;
	pid_t agents[8];
	size_t agent_count;
	bool killed;
	struct mesh_result results[64];
	size_t result_count;
};

static void bed_open_for(struct bed *bed, uint32_t hosts, uint32_t wait_msec, uint32_t silence_msec)
{
	char *reason = NULL, *hint = NULL;

	*bed = (struct bed){
		.setup = {.token = TOKEN,
			  .bind = {.family = AF_INET, .raw = {127, 0, 0, 1}},
			  .host_count = hosts,
			  .wait_msec = wait_msec,
			  .silence_msec = silence_msec,
			  .signals = -1},
	};
	assert_int_equal(coordinator_open(&bed->setup, &bed->coordinator, &reason, &hint), 0);
	assert_int_equal(pipe(others), 0);
}

static void bed_open(struct bed *bed, uint32_t hosts)
{
	bed_open_for(bed, hosts, WAIT_MSEC, SILENCE_MSEC);
}

static void bed_start(struct bed *bed, void (*script)(struct agent *agent))
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct agent agent = {.port = coordinator_port(bed->coordinator)};

		alarm(3 * AGENT_MSEC / 1000);
		script(&agent);
		_exit(104);
	}
	bed->agents[bed->agent_count++] = pid;
}

/* From here on, only the agents are waited for. */
static int gather(struct bed *bed)
{
	close(others[0]);
	close(others[1]);
	return coordinator_gather(bed->coordinator);
}

/* The exit status of the scripts does not matter. */
static void bed_kill(struct bed *bed)
{
	for (size_t i = 0; i < bed->agent_count; i++)
		kill(bed->agents[i], SIGKILL);
	bed->killed = true;
}

/* All scripts must have ended as expected. */
static void bed_close(struct bed *bed)
{
	coordinator_dismiss(bed->coordinator, WAIT_MSEC);
	coordinator_free(bed->coordinator);
	for (size_t i = 0; i < bed->agent_count; i++) {
		int status;

		if (bed->killed) {
			waitpid(bed->agents[i], &status, 0);
			continue;
		}
		assert_int_equal(waitpid(bed->agents[i], &status, 0), bed->agents[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

static void take(void *context, const struct mesh_result *result)
{
	struct bed *bed = context;

	assert_true(bed->result_count < ARRAY_SIZE(bed->results));
	bed->results[bed->result_count++] = *result;
}

/* Runs both rails, from a to b. */
static void run_round(struct bed *bed, uint32_t a, uint32_t b)
{
	const struct mesh_pair pairs[] = {{a, b, 0, 0}, {a, b, 1, 1}};
	const struct coordinator_round round = {
		.pairs = pairs,
		.count = ARRAY_SIZE(pairs),
		.tests = MESH_TESTS,
		.timeout_msec = ORDER_MSEC,
		.take = take,
		.context = bed,
	};

	bed->result_count = 0;
	assert_int_equal(coordinator_round(bed->coordinator, &round), 0);
	assert_int_equal(bed->result_count, 2);
}

/* Like run_round(), with both ways at once if the agents support it. */
static void run_both(struct bed *bed, uint32_t a, uint32_t b)
{
	const struct mesh_pair pair = {a, b, 0, 0};
	const struct coordinator_round round = {
		.pairs = &pair,
		.count = 1,
		.tests = MESH_ALL_TESTS,
		.timeout_msec = ORDER_MSEC,
		.take = take,
		.context = bed,
	};

	bed->result_count = 0;
	assert_int_equal(coordinator_round(bed->coordinator, &round), 0);
	assert_int_equal(bed->result_count, 1);
}

static const struct mesh_host *host_at(const struct bed *bed, uint32_t number)
{
	uint32_t count;
	const struct mesh_host *hosts = coordinator_hosts(bed->coordinator, &count);

	assert_true(number < count);
	return &hosts[number];
}

static void both_ways(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, both_one);
	bed_start(&bed, both_two);
	assert_int_equal(gather(&bed), 0);
	assert_int_equal(host_at(&bed, 0)->protocol, MESH_PROTOCOL);
	run_both(&bed, 1, 0);
	assert_int_equal(bed.results[0].outcome, MESH_PASS);
	assert_float_equal(bed.results[0].both_gbps[MESH_END_B].value, 80, 1e-9);
	assert_string_equal(bed.results[0].reason, "");
	assert_false(bed.results[0].older_agent);
	/* Loopback has only one way. */
	run_both(&bed, 1, 1);
	assert_false(bed.results[0].both_gbps[MESH_END_A].known);
	assert_string_equal(bed.results[0].reason, "");
	bed_close(&bed);
}

static void both_ways_with_an_older_agent(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, both_one);
	bed_start(&bed, older_two);
	assert_int_equal(gather(&bed), 0);
	/* Neither as the client nor as the server. */
	for (uint32_t a = 0; a < 2; a++) {
		run_both(&bed, a, !a);
		assert_int_equal(bed.results[0].outcome, MESH_PASS);
		assert_false(bed.results[0].both_gbps[MESH_END_A].known);
		assert_string_equal(bed.results[0].reason,
				    "both ways at once: the rdmactl of n2 is "
				    "older, and does not have it");
		assert_true(bed.results[0].older_agent);
	}
	bed_close(&bed);
}

static void both_ways_unasked(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, talker);
	bed_start(&bed, both_two);
	assert_int_equal(gather(&bed), 0);
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	assert_int_equal(host_at(&bed, 0)->presence, MESH_LOST);
	bed_close(&bed);
}

static void good_hosts(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, good_two);
	bed_start(&bed, good_one);
	assert_int_equal(gather(&bed), 0);
	/* Sorted by name, whoever came first. */
	assert_string_equal(host_at(&bed, 0)->name, "n1");
	assert_string_equal(host_at(&bed, 1)->name, "n2");
	assert_int_equal(host_at(&bed, 1)->rail_count, 2);
	run_round(&bed, 0, 1);
	run_round(&bed, 1, 0);
	for (size_t i = 0; i < bed.result_count; i++) {
		assert_int_equal(bed.results[i].outcome, MESH_PASS);
		assert_true(bed.results[i].latency_usec.known);
		assert_false(bed.results[i].gbps[MESH_END_A].known);
	}
	bed_close(&bed);
}

static void strangers(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, wrong_token);
	bed_start(&bed, no_token);
	bed_start(&bed, garbage);
	bed_start(&bed, intruder);
	bed_start(&bed, last_one);
	bed_start(&bed, last_two);
	assert_int_equal(gather(&bed), 0);
	assert_int_equal(host_at(&bed, 0)->presence, MESH_PRESENT);
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_PASS);
	assert_int_equal(coordinator_cost(bed.coordinator).tokenless, 1);
	assert_true(coordinator_cost(bed.coordinator).strangers >= 3);
	bed_close(&bed);
}

static void two_of_a_host(void **state)
{
	struct bed bed;

	(void)state;
	assert_int_equal(pipe(entered), 0);
	bed_open(&bed, 2);
	bed_start(&bed, first_of_a_host);
	bed_start(&bed, second_of_a_host);
	bed_start(&bed, last_two);
	assert_int_equal(gather(&bed), 0);
	assert_int_equal(host_at(&bed, 0)->presence, MESH_PRESENT);
	bed_close(&bed);
	close(entered[0]);
	close(entered[1]);
}

static void two_names_of_a_host(void **state)
{
	struct bed bed;

	(void)state;
	/* Agents without GIDs are not compared. */
	bed_open(&bed, 5);
	bed_start(&bed, first_name);
	bed_start(&bed, second_name);
	bed_start(&bed, good_two);
	bed_start(&bed, second_rail_differs);
	bed_start(&bed, good_four);
	assert_int_equal(gather(&bed), 0);
	assert_string_equal(host_at(&bed, 1)->name, "n1-ib");
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(host_at(&bed, i)->presence, i == 1 ? MESH_REFUSED : MESH_PRESENT);
	assert_true(host_at(&bed, 1)->twin);
	assert_string_equal(
		host_at(&bed, 1)->reason,
		"its ports have the same GIDs as those of n1 "
		"(2000:0000:0000:0000:0000:0000:0000:0001 ...): it seems to be the same "
		"host under another name");
	assert_int_equal(coordinator_cost(bed.coordinator).refused, 1);
	run_round(&bed, 0, 2);
	assert_int_equal(bed.results[0].outcome, MESH_PASS);
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	bed_close(&bed);
}

static void liars(void **state)
{
	struct bed bed;

	(void)state;
	/* A liar came and is lost, so no host is late. */
	bed_open(&bed, 3);
	bed_start(&bed, fewer_rails);
	bed_start(&bed, more_rails);
	bed_start(&bed, good_one);
	assert_int_equal(gather(&bed), 0);
	for (uint32_t i = 0; i < 2; i++)
		if (!strncmp(host_at(&bed, i)->name, "liar", 4))
			assert_int_not_equal(host_at(&bed, i)->presence, MESH_PRESENT);
	bed_close(&bed);
}

static void lie_about_orders(void (*liar)(struct agent *agent))
{
	struct bed bed;

	bed_open(&bed, 2);
	bed_start(&bed, good_one);
	bed_start(&bed, liar);
	assert_int_equal(gather(&bed), 0);
	{
		/* n1 has the first order, n2 the second. */
		const struct mesh_pair pairs[] = {{0, 0, 0, 0}, {1, 1, 0, 0}};
		const struct coordinator_round round = {
			.pairs = pairs,
			.count = 2,
			.tests = MESH_CONNECT,
			.timeout_msec = ORDER_MSEC,
			.take = take,
			.context = &bed,
		};

		assert_int_equal(coordinator_round(bed.coordinator, &round), 0);
	}
	for (size_t i = 0; i < bed.result_count; i++)
		assert_int_equal(bed.results[i].outcome,
				 bed.results[i].pair.a ? MESH_UNTRIED : MESH_PASS);
	assert_int_equal(host_at(&bed, 1)->presence, MESH_LOST);
	bed_close(&bed);
}

static void results_of_others(void **state)
{
	(void)state;
	lie_about_orders(impostor);
	lie_about_orders(inventor);
}

static void answers_that_come_late(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, good_one);
	bed_start(&bed, late_answers);
	assert_int_equal(gather(&bed), 0);
	run_round(&bed, 1, 0);
	assert_int_equal(bed.results[0].outcome, MESH_PASS);
	assert_int_equal(bed.results[1].outcome, MESH_PASS);
	assert_int_equal(host_at(&bed, 1)->presence, MESH_PRESENT);
	bed_close(&bed);
}

static void failures(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, failing);
	bed_start(&bed, good_two);
	assert_int_equal(gather(&bed), 0);
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_FAIL);
	bed_close(&bed);
}

/*
 * A failure with a host that is gone says nothing about the pair. False: the other host left, too.
 */
static bool fail_with_the_gone(uint32_t silence_msec)
{
	struct bed bed;
	bool there;

	bed_open_for(&bed, 2, WAIT_MSEC, silence_msec);
	bed_start(&bed, failing);
	bed_start(&bed, sleeper);
	assert_int_equal(gather(&bed), 0);
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	assert_int_equal(bed.results[1].outcome, MESH_UNTRIED);
	assert_int_equal(host_at(&bed, 1)->presence, MESH_LOST);
	there = host_at(&bed, 0)->presence == MESH_PRESENT;
	if (!there)
		bed_kill(&bed);
	bed_close(&bed);
	return there;
}

static void failures_with_the_gone(void **state)
{
	(void)state;
	/* On a busy machine, the other host may be silent for that long. */
	if (!fail_with_the_gone(SHORT_SILENCE_MSEC))
		assert_true(fail_with_the_gone(SILENCE_MSEC));
}

static void lost_agents(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, 2);
	bed_start(&bed, good_one);
	bed_start(&bed, deserter);
	assert_int_equal(gather(&bed), 0);
	run_round(&bed, 1, 0);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	assert_int_equal(host_at(&bed, 1)->presence, MESH_LOST);
	/* From then on, the result is immediate. */
	run_round(&bed, 0, 1);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	/* Nonexistent pairs do no harm. */
	run_round(&bed, 0, 77);
	assert_int_equal(bed.results[0].outcome, MESH_UNTRIED);
	bed_close(&bed);
}

static void many_strangers(void **state)
{
	struct bed bed;

	(void)state;
	assert_int_equal(pipe(entered), 0);
	bed_open(&bed, 1);
	bed_start(&bed, flood);
	bed_start(&bed, good_after_flood);
	assert_int_equal(gather(&bed), 0);
	assert_int_equal(host_at(&bed, 0)->presence, MESH_PRESENT);
	bed_close(&bed);
	close(entered[0]);
	close(entered[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_hosts),
		cmocka_unit_test(strangers),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(both_ways_with_an_older_agent),
		cmocka_unit_test(both_ways_unasked),
		cmocka_unit_test(two_of_a_host),
		cmocka_unit_test(two_names_of_a_host),
		cmocka_unit_test(liars),
		cmocka_unit_test(results_of_others),
		cmocka_unit_test(answers_that_come_late),
		cmocka_unit_test(failures),
		cmocka_unit_test(failures_with_the_gone),
		cmocka_unit_test(lost_agents),
		cmocka_unit_test(many_strangers),
	};

	return cmocka_run_group_tests_name("mesh_coordinator", tests, NULL, NULL);
}
