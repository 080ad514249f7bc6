/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent's answers must not wait for a test that hangs, nor for one that outlives the agent. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "loopback.h"
#include "mesh/agent/agent.h"
#include "mesh/agent/runner.h"
#include "mesh/wire/mesh_message.h"

static const char TOKEN[] = "what both know";

#define PATIENCE_MSEC 20000u
#define TRIES	      5

enum { QUICK_RAIL, HANGING_RAIL, APART_RAIL, RAILS };

/* What the agent leaves in memory shared by all processes. */
static struct traces {
	volatile pid_t children[RAILS]; /* the process of the latest order on each rail */
	char end[256];			/* why the agent ended, and the next step */
	char said[256];			/* the latest line for the user */
	volatile bool immortal;		/* no process can be killed */
	char peer[MESH_NAME_BYTES];	/* of the latest order */
} * traces;

/* A process that hangs in the kernel does not end. */
int kill(pid_t pid, int signal)
{
	if (traces->immortal && signal == SIGKILL)
		return 0;
	return (int)syscall(SYS_kill, pid, signal);
}

static unsigned int gaps_of_host = 1;

static int open_fake(const struct mesh_runner_setup *setup, struct mesh_local *ret_local,
		     void **ret_state, char **ret_reason, char **ret_hint)
{
	(void)setup;
	(void)ret_reason;
	(void)ret_hint;
	ret_local->host.name = mem_string("n1");
	ret_local->host.rails = mem_alloc_zero(RAILS, sizeof(*ret_local->host.rails));
	ret_local->host.rail_count = RAILS;
	for (uint32_t i = 0; i < RAILS; i++) {
		snprintf(ret_local->host.rails[i].device, 64, "mlx5_%u", i);
		ret_local->host.rails[i].port = 1;
	}
	for (unsigned int i = 0; i < gaps_of_host; i++)
		MEM_ADD(ret_local->host.gaps, ret_local->host.gap_count) = (struct mesh_gap){
			1 + i, "mlx5_9", 2, .reason = mem_string("it is down")};
	for (unsigned int i = 0; i < RAILS + gaps_of_host; i++)
		strings_add(&ret_local->host.slots, "pci0000:00/01.0 port 1");
	*ret_state = NULL;
	return 0;
}

static void run_fake(void *state, const struct mesh_order *order, const struct endpoint *near,
		     struct mesh_result *result)
{
	(void)near;
	(void)state;
	traces->children[order->rail] = getpid();
	snprintf(traces->peer, sizeof(traces->peer), "%s", order->peer);
	while (order->rail == HANGING_RAIL)
		pause();
	result->outcome = order->rail == APART_RAIL ? MESH_APART : MESH_PASS;
}

static void close_fake(void *state)
{
	(void)state;
}

static const struct mesh_runner fake = {.open = open_fake, .run = run_fake, .close = close_fake};

static const struct mesh_message bye = {.type = MESH_MESSAGE_BYE};

struct bed {
	pid_t agent;
	rlim_t files; /* limit of the agent; 0: the same as for this test */
	uint32_t silence_msec;
	uint32_t protocol;	 /* of an older coordinator; 0: the newest */
	struct mesh_message gap; /* the first that the agent sent; type 0: none */
	unsigned int gaps, slots;
	struct mesh_channel channel;
};

static void note(const char *line)
{
	snprintf(traces->said, sizeof(traces->said), "%s", line);
}

static void run_agent(uint16_t port)
{
	char *address[] = {mem_string("127.0.0.1")};
	const struct strings addresses = {.items = address, .count = 1, .known = true};
	struct mesh_agent_setup setup = {.addresses = &addresses,
					 .port = port,
					 .token = TOKEN,
					 .runner = &fake,
					 .say = note};
	char *reason = NULL, *hint = NULL;
	sigset_t set;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setup.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	rc = mesh_agent_run(&setup, &reason, &hint);
	snprintf(traces->end, sizeof(traces->end), "%s | %s", reason ?: "", hint ?: "");
	free(address[0]);
	free(reason);
	free(hint);
	_exit(rc == -EINTR ? 1 : rc ? 2 : 0);
}

static void say(struct bed *bed, const struct mesh_message *message)
{
	assert_int_equal(mesh_channel_put(&bed->channel, message), 0);
	assert_int_equal(mesh_channel_flush(&bed->channel), 0);
}

/* Returns the next message of that type; skips those before it, but counts gaps and slots. */
static void hear(struct bed *bed, uint32_t type, struct mesh_message *message)
{
	const uint64_t end = clock_msec() + PATIENCE_MSEC;

	do {
		struct pollfd input = {.fd = bed->channel.fd, .events = POLLIN};
		int rc;

		while ((rc = mesh_channel_next(&bed->channel, message)) == 0) {
			assert_true(clock_msec() < end);
			poll(&input, 1, 100);
			rc = mesh_channel_receive(&bed->channel);
			assert_true(rc == 0 || rc == -EAGAIN);
		}
		assert_int_equal(rc, 1);
		if (message->type == MESH_MESSAGE_GAP && !bed->gaps++)
			bed->gap = *message;
		bed->slots += message->type == MESH_MESSAGE_SLOT;
	} while (message->type != type);
}

static void admit(struct bed *bed)
{
	struct mesh_message message, out;
	struct mesh_shake shake;

	hear(bed, MESH_MESSAGE_HELLO, &message);
	if (bed->protocol)
		message.hello.highest = bed->protocol;
	assert_int_equal(mesh_shake_challenge(&shake, &message.hello, &out), 0);
	say(bed, &out);
	hear(bed, MESH_MESSAGE_RESPONSE, &message);
	out = (struct mesh_message){
		.type = MESH_MESSAGE_ADMITTED,
		.admitted = {.silence_msec = bed->silence_msec, .timeout_msec = PATIENCE_MSEC},
	};
	assert_int_equal(mesh_shake_admit(&shake, TOKEN, &message.response, &out.admitted), 0);
	say(bed, &out);
	hear(bed, MESH_MESSAGE_READY, &message);
}

static void begin(struct bed *bed, uint32_t silence_msec)
{
	uint32_t port;
	const int listener = loopback_socket(&port);

	traces = mmap(NULL, sizeof(*traces), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(traces != MAP_FAILED);
	assert_int_equal(listen(listener, 1), 0);
	fflush(NULL);
	bed->agent = fork();
	assert_true(bed->agent >= 0);
	if (!bed->agent) {
		const struct rlimit limit = {bed->files, bed->files};

		close(listener);
		if (bed->files && setrlimit(RLIMIT_NOFILE, &limit))
			_exit(3);
		run_agent((uint16_t)port);
	}
	bed->silence_msec = silence_msec;
	mesh_channel_open(&bed->channel,
			  accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	close(listener);
	admit(bed);
}

static void order_for(struct bed *bed, uint64_t id, uint16_t rail, uint32_t timeout_msec)
{
	struct mesh_message message = {.type = MESH_MESSAGE_ORDER};
	struct mesh_order wanted = {.id = id,
				    .peer = "n2\033[2J",
				    .rail = rail,
				    .peer_rail = rail,
				    .peer_port = 1,
				    .tests = MESH_CONNECT,
				    .latency_msec = 1,
				    .bandwidth_msec = 1,
				    .timeout_msec = timeout_msec};

	wanted.peer_ip = (struct ip_address){.family = AF_INET};
	snprintf(wanted.far.device, sizeof(wanted.far.device), "mlx5_0");
	wanted.far.port = 1;
	message.order = wanted;
	say(bed, &message);
}

static void order(struct bed *bed, uint64_t id, uint16_t rail)
{
	order_for(bed, id, rail, PATIENCE_MSEC);
}

static void end(struct bed *bed, int status_wanted, const char *end_wanted)
{
	int status;

	assert_int_equal(waitpid(bed->agent, &status, 0), bed->agent);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), status_wanted);
	assert_string_equal(traces->end, end_wanted);
	mesh_channel_close(&bed->channel);
	munmap(traces, sizeof(*traces));
}

/* Expects the answer to this order, with this reason. */
static void expect_answer(struct bed *bed, uint64_t id, enum mesh_outcome outcome,
			  const char *reason)
{
	struct mesh_message message;

	hear(bed, MESH_MESSAGE_ANSWER, &message);
	assert_int_equal(message.answer.id, id);
	assert_int_equal(message.answer.outcome, outcome);
	assert_string_equal(message.answer.reason, reason);
}

/* The name of the peer may reach a terminal: it is in what the tests say. */
static void hostile_name(void **state)
{
	struct bed bed = {0};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	order(&bed, 1, QUICK_RAIL);
	expect_answer(&bed, 1, MESH_PASS, "");
	assert_string_equal(traces->peer, "n2\\x1b[2J");
	say(&bed, &bye);
	end(&bed, 0, " | ");
}

/* Nothing else wakes the agent. The best of a few tries counts, because the machine may be busy. */
static void beside_one_that_hangs(void **state)
{
	uint64_t least = UINT64_MAX;
	struct bed bed = {0};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	order(&bed, 100, HANGING_RAIL);
	for (uint64_t id = 1; id <= TRIES; id++) {
		const uint64_t start = clock_msec();

		order(&bed, id, QUICK_RAIL);
		expect_answer(&bed, id, MESH_PASS, "");
		if (clock_msec() - start < least)
			least = clock_msec() - start;
	}
	assert_true(least < 500);
	say(&bed, &bye);
	end(&bed, 0, " | ");
}

/* A coordinator hears of ports that cannot be used, unless it is too old to understand that. */
static void gaps(void **state)
{
	(void)state;
	for (uint32_t protocol = MESH_PROTOCOL_LOWEST; protocol <= MESH_PROTOCOL; protocol++) {
		struct bed bed = {.protocol = protocol};

		begin(&bed, PATIENCE_MSEC);
		if (protocol < MESH_PROTOCOL_GAPS) {
			assert_int_equal(bed.gap.type, 0);
		} else {
			assert_int_equal(bed.gap.type, MESH_MESSAGE_GAP);
			assert_int_equal(bed.gap.gap.place, 1);
			assert_string_equal(bed.gap.gap.device, "mlx5_9");
			assert_int_equal(bed.gap.gap.port, 2);
			assert_string_equal(bed.gap.gap.reason, "it is down");
			assert_string_equal(bed.gap.gap.hint, "");
		}
		assert_int_equal(bed.slots, protocol < MESH_PROTOCOL_SLOTS ? 0 : RAILS + 1);
		say(&bed, &bye);
		end(&bed, 0, " | ");
	}
}

/* That two agents cannot talk is only told to a coordinator which knows that outcome. */
static void apart(void **state)
{
	(void)state;
	for (uint32_t protocol = MESH_PROTOCOL_APART - 1; protocol <= MESH_PROTOCOL; protocol++) {
		struct bed bed = {.protocol = protocol};

		begin(&bed, PATIENCE_MSEC);
		order(&bed, 1, APART_RAIL);
		expect_answer(&bed, 1, protocol < MESH_PROTOCOL_APART ? MESH_UNTRIED : MESH_APART,
			      "");
		say(&bed, &bye);
		end(&bed, 0, " | ");
	}
}

/* With more ports than can be described, the place of one cannot be told by its slot. */
static void too_many_gaps(void **state)
{
	struct bed bed = {.protocol = 0};

	(void)state;
	gaps_of_host = MESH_MOST_GAPS + 1;
	begin(&bed, PATIENCE_MSEC);
	gaps_of_host = 1;
	assert_int_equal(bed.gaps, MESH_MOST_GAPS);
	assert_int_equal(bed.slots, 0);
	say(&bed, &bye);
	end(&bed, 0, " | ");
}

/* While running and at its end, the agent does not wait for that process, nor hide it. */
static void beside_one_that_cannot_be_killed(void **state)
{
	char wanted[256];
	struct bed bed = {0};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	traces->immortal = true;
	order_for(&bed, 100, HANGING_RAIL, 100);
	expect_answer(&bed, 100, MESH_FAIL,
		      "the test did not end within 0.1 s; its process hangs in the kernel");
	snprintf(wanted, sizeof(wanted),
		 "process %d of a test does not end, although it was killed: it hangs in the "
		 "kernel, most likely in the driver of the adapter",
		 (int)traces->children[HANGING_RAIL]);
	assert_string_equal(traces->said, wanted);
	order(&bed, 1, QUICK_RAIL);
	expect_answer(&bed, 1, MESH_PASS, "");
	say(&bed, &bye);
	end(&bed, 0, " | ");
}

/* poll(2) rejects more descriptors than may be open, used or not. */
static void with_few_descriptors(void **state)
{
	struct bed bed = {.files = 30};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	/* Descriptors that an order has opened are closed with it. */
	for (uint64_t id = 1; id <= bed.files; id++) {
		order(&bed, id, QUICK_RAIL);
		expect_answer(&bed, id, MESH_PASS, "");
	}
	say(&bed, &bye);
	end(&bed, 0, " | ");
}

/* When it is ended, the agent has taken the answer, but most likely not sent it. */
static void before_the_end(void **state)
{
	const uint64_t patience = clock_msec() + PATIENCE_MSEC;
	struct mesh_message message;
	struct bed bed = {0};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	order(&bed, 100, HANGING_RAIL);
	order(&bed, 1, QUICK_RAIL);
	while (!traces->children[QUICK_RAIL] || !kill(traces->children[QUICK_RAIL], 0))
		assert_true(clock_msec() < patience);
	assert_int_equal(kill(bed.agent, SIGTERM), 0);
	hear(&bed, MESH_MESSAGE_ANSWER, &message);
	assert_int_equal(message.answer.id, 1);
	assert_int_equal(message.answer.outcome, MESH_PASS);
	hear(&bed, MESH_MESSAGE_REFUSED, &message);
	end(&bed, 1, "ended by a signal | ");
}

/* Until the process has looked at the time and sleeps again, or has ended. */
static void wait_until_asleep(pid_t process)
{
	char state = 0, path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	do {
		usleep(1000);
		file = fopen(path, "re");
		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
	} while (!strchr("SZ", state));
}

/* Whether an agent that was stopped for longer than the silence answers a ping before it ends. */
static bool answers_after_a_stop(uint32_t silence_msec)
{
	const uint64_t patience = clock_msec() + PATIENCE_MSEC + 2 * silence_msec;
	struct mesh_message message = {.type = MESH_MESSAGE_PING};
	struct bed bed = {0};
	char reason[80];
	bool heard = false;
	int rc;

	begin(&bed, silence_msec);
	wait_until_asleep(bed.agent);
	assert_int_equal(kill(bed.agent, SIGSTOP), 0);
	usleep((silence_msec + 100) * 1000);
	assert_int_equal(kill(bed.agent, SIGCONT), 0);
	wait_until_asleep(bed.agent);
	mesh_channel_put(&bed.channel, &message);
	mesh_channel_flush(&bed.channel);
	do {
		struct pollfd input = {.fd = bed.channel.fd, .events = POLLIN};

		assert_true(clock_msec() < patience);
		poll(&input, 1, 100);
		rc = mesh_channel_receive(&bed.channel);
		while (!rc && mesh_channel_next(&bed.channel, &message) > 0)
			heard |= message.type == MESH_MESSAGE_PONG;
	} while (!rc || rc == -EAGAIN);
	snprintf(reason, sizeof(reason), "nothing was heard from the coordinator for %u.0 s | ",
		 silence_msec / 1000);
	end(&bed, 2, reason);
	return heard;
}

/*
 * A stopped agent could not listen to the coordinator, which may still be there. A coordinator that
 * is silent afterwards is given up: on a busy machine, this test may be.
 */
static void stopped_itself(void **state)
{
	(void)state;
	assert_true(answers_after_a_stop(1000) || answers_after_a_stop(10000));
}

/* A coordinator's message to an agent that it had already admitted. */
static void refused(void **state)
{
	const struct mesh_message message = {
		.type = MESH_MESSAGE_REFUSED,
		.refused = {.text = "others use\x1b it", .hint = "end them\x1b first"},
	};
	struct bed bed = {0};

	(void)state;
	begin(&bed, 2 * PATIENCE_MSEC);
	say(&bed, &message);
	end(&bed, 2,
	    "the coordinator refuses this agent: others use\\x1b it | end them\\x1b first");
}

/* The errno of connect() on this host, or 0. */
static int connect_error;

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	if (!connect_error)
		return (int)syscall(SYS_connect, fd, address, length);
	errno = connect_error;
	return -1;
}

static void cannot_join(uint32_t port, const char *reason_wanted, const char *hint_wanted)
{
	char *address[] = {mem_string("127.0.0.1")};
	const struct strings addresses = {.items = address, .count = 1, .known = true};
	const struct mesh_agent_setup setup = {.addresses = &addresses,
					       .port = port,
					       .token = TOKEN,
					       .runner = &fake,
					       .signals = -1,
					       .connect_msec = 1};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	_cleanup_(freep) char *wanted = mem_format(
		"cannot reach the coordinator at 127.0.0.1 port %u: %s", port, reason_wanted);

	assert_true(mesh_agent_run(&setup, &reason, &hint) < 0);
	assert_non_null(reason);
	assert_string_equal(reason, wanted);
	assert_string_equal(hint, hint_wanted);
	free(address[0]);
}

/* Fails to connect because of this error. */
static void cannot_reach(int error, const char *reason_wanted, const char *hint_wanted)
{
	connect_error = error;
	cannot_join(7, reason_wanted, hint_wanted);
	connect_error = 0;
}

/*
 * If this host blocks outgoing connections, no coordinator has refused, so the reason is the
 * host's.
 */
static void held_back(void **state)
{
	static const char reason[] = "this host does not let its programs connect there: a "
				     "firewall, a security module or the container's profile "
				     "forbids it";
	static const char hint[] = "let its TCP port through, or choose another address with "
				   "--address";

	(void)state;
	cannot_reach(EPERM, reason, hint);
	cannot_reach(EACCES, reason, hint);
	cannot_reach(ETIMEDOUT, "Connection timed out", hint);
}

/* A port that a firewall lets through, and an address without a route, are not cured by that. */
static void nobody_there(void **state)
{
	(void)state;
	cannot_reach(ECONNREFUSED, "Connection refused",
		     "see whether the coordinator runs, and on that port; else choose another "
		     "address with --address");
	cannot_reach(ENETUNREACH, "Network is unreachable",
		     "choose an address to which this host has a route with --address");
}

/* The first words of another server. */
static void another_program(void **state)
{
	static const char greeting[] = "SSH-2.0-OpenSSH_9.6\r\n";
	uint32_t port;
	int fd = loopback_socket(&port), status;
	pid_t server;

	(void)state;
	assert_int_equal(listen(fd, 1), 0);
	server = fork();
	assert_true(server >= 0);
	if (!server) {
		int client;

		/* Nobody connects if the test fails early. */
		alarm(PATIENCE_MSEC / 1000);
		client = accept(fd, NULL, NULL);

		_exit(send(client, greeting, strlen(greeting), 0) != (ssize_t)strlen(greeting));
	}
	close(fd);
	cannot_join(port, "the program that answers there is not a coordinator",
		    "choose another port for the coordinator with --port");
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apart),
		cmocka_unit_test(gaps),
		cmocka_unit_test(too_many_gaps),
		cmocka_unit_test(hostile_name),
		cmocka_unit_test(beside_one_that_hangs),
		cmocka_unit_test(beside_one_that_cannot_be_killed),
		cmocka_unit_test(with_few_descriptors),
		cmocka_unit_test(before_the_end),
		cmocka_unit_test(stopped_itself),
		cmocka_unit_test(refused),
		cmocka_unit_test(held_back),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(another_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
