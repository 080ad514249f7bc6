/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that serves one client of a self-test server: each way in which a handshake and the
 * service after it can end, what the client is told, and what is reported to the server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/agent/agent.h"
#include "selftest/server/server_client.h"
#include "selftest/wire/handshake.h"

/* A client, and the server whose process serves it. */
static struct visit {
	struct selftest_service service;
	int channel; /* the client's end */
	int line;    /* the server's end */
	int report;
	pid_t pid;
	struct message got; /* the last message for the client */
} visit;

/* ---- Replacements for agent_device.c: this host has no such device ---- */

int agent_open_device(struct agent *agent, const struct endpoint *endpoint)
{
	(void)endpoint;
	return agent_fail(agent, STAGE_OPEN, ENODEV, "ibv_open_device");
}

void agent_close_device(struct agent *agent)
{
	agent->context = NULL;
}

int api_open_cm(struct api *api)
{
	(void)api;
	return -ENOSYS;
}

/* ---- A visit ---- */

static void begin(void)
{
	visit = (struct visit){.service = {.signals = -1}};
}

static void serve(int channel, int line, int report)
{
	struct serve_client client = {
		.service = &visit.service,
		.channel = channel,
		.address = {.family = AF_INET, .raw = {10, 9, 0, 1}},
		.line = line,
	};

	/* The process ends when the test does. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	serve_client(&client);
	_exit(write(report, &client.report, sizeof(client.report)) !=
	      (ssize_t)sizeof(client.report));
}

static void come(void)
{
	int channel[2], line[2], report[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, channel), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, line), 0);
	assert_int_equal(pipe(report), 0);
	fflush(stdout);
	visit.pid = fork();
	assert_true(visit.pid >= 0);
	if (!visit.pid) {
		close(channel[0]);
		close(line[0]);
		serve(channel[1], line[1], report[1]);
	}
	close(channel[1]);
	close(line[1]);
	close(report[1]);
	visit.channel = channel[0];
	visit.line = line[0];
	visit.report = report[0];
}

static void leave(void)
{
	if (visit.channel >= 0)
		close(visit.channel);
	visit.channel = -1;
}

/* Leaves, and checks that the process reports this text and nothing more. */
static struct serve_report leave_for(const char *text)
{
	struct serve_report report;
	int status;

	leave();
	assert_int_equal(read(visit.report, &report, sizeof(report)), sizeof(report));
	assert_int_equal(waitpid(visit.pid, &status, 0), visit.pid);
	assert_int_equal(status, 0);
	close(visit.line);
	close(visit.report);
	assert_string_equal(report.text, text);
	return report;
}

/* Expects the report on a client that was not welcome. */
static void expect_stranger(const char *text)
{
	const struct serve_report report = leave_for(text);

	assert_false(report.welcomed || report.well || report.orders);
}

static void say(const struct message *message)
{
	assert_int_equal(exchange_send(visit.channel, message, 5000), 0);
}

static void hear(uint32_t type)
{
	const char *complaint;

	assert_int_equal(exchange_receive(visit.channel, -1, 20000, &visit.got, &complaint), 0);
	if (visit.got.type != type)
		fail_msg("%s: %s", message_name(visit.got.type),
			 visit.got.type == MESSAGE_REFUSED ? visit.got.refused.text : "");
}

static void hear_refusal(enum refusal refusal, const char *text)
{
	hear(MESSAGE_REFUSED);
	assert_int_equal(visit.got.refused.refusal, refusal);
	assert_int_equal(visit.got.refused.lowest, PROTOCOL_VERSION);
	assert_int_equal(visit.got.refused.highest, PROTOCOL_VERSION);
	assert_string_equal(visit.got.refused.text, text);
}

static void greet(uint32_t lowest, uint32_t highest)
{
	const struct message hello = {
		.type = MESSAGE_HELLO,
		.hello = {.lowest = lowest, .highest = highest, .release = "7.8"},
	};

	say(&hello);
}

/* Sends the server's answer to the process that asks for a place. */
static void give_place(bool granted, const char *text)
{
	struct serve_answer answer = {.granted = granted};
	char byte;

	assert_int_equal(recv(visit.line, &byte, 1, 0), 1);
	snprintf(answer.text, sizeof(answer.text), "%s", text);
	assert_int_equal(send(visit.line, &answer, sizeof(answer), 0), sizeof(answer));
}

static void respond(void)
{
	const struct message response = {.type = MESSAGE_RESPONSE};

	hear(MESSAGE_CHALLENGE);
	say(&response);
}

/* Goes through the handshake, up to the first order. */
static void enter(void)
{
	come();
	greet(1, 9);
	respond();
	give_place(true, "");
	hear(MESSAGE_ADMITTED);
}

static void bid_farewell(void)
{
	const struct message bye = {.type = MESSAGE_BYE};

	say(&bye);
}

/* ---- Versions ---- */

static void versions(void **state)
{
	static const struct {
		uint32_t lowest, highest;
	} rows[] = {{1, 1}, {0, 1}, {1, 2}, {0, 99}, {0, UINT32_MAX}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char none[NONCE_BYTES];

		begin();
		visit.service.run_msec = i ? 0 : 7000;
		come();
		greet(rows[i].lowest, rows[i].highest);
		respond();
		assert_int_equal(visit.got.challenge.version, 1);
		assert_false(visit.got.challenge.token_wanted);
		assert_false(nonce_equal(visit.got.challenge.nonce, none));
		give_place(true, "");
		hear(MESSAGE_ADMITTED);
		assert_int_equal(visit.got.admitted.qps, 16384);
		assert_int_equal(visit.got.admitted.bytes, 64 << 20);
		assert_true(nonce_equal(visit.got.admitted.mac, none));
		assert_int_equal(visit.got.admitted.run_msec, i ? 60000 : 7000);
		bid_farewell();
		assert_true(leave_for("").well);
	}
}

static void other_versions(void **state)
{
	static const struct {
		uint32_t lowest, highest;
	} rows[] = {{2, 9}, {0, 0}, {2, 1}, {1, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = mem_format("versions %u to %u of the exchange protocol (release 7.8), "
					"but this server has version 1 (release %s)",
					rows[i].lowest, rows[i].highest, RDMACTL_VERSION);
		char *line = mem_format("refused: %s", text);

		begin();
		come();
		greet(rows[i].lowest, rows[i].highest);
		hear_refusal(REFUSAL_VERSION, text);
		expect_stranger(line);
		free(line);
		free(text);
	}
}

/* ---- Handshakes that end ---- */

static void strangers(void **state)
{
	const struct message bye = {.type = MESSAGE_BYE};

	(void)state;
	begin();
	come();
	expect_stranger("closed the connection before its hello");
	come();
	say(&bye);
	expect_stranger("dropped: sent 'bye' instead of hello");
	come();
	assert_int_equal(send(visit.channel, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	expect_stranger("dropped: sent no valid message (not a message of the protocol)");
	come();
	assert_int_equal(send(visit.channel, "RDMT", 4, 0), 4);
	expect_stranger("dropped: sent no valid message (an incomplete message)");
	come();
	greet(1, 5);
	hear(MESSAGE_CHALLENGE);
	expect_stranger("closed the connection before its response");
	come();
	greet(1, 5);
	hear(MESSAGE_CHALLENGE);
	greet(1, 5);
	expect_stranger("dropped: sent 'hello' instead of response");
}

static void server_ends(void **state)
{
	(void)state;
	begin();
	visit.service.signals = eventfd(1, EFD_CLOEXEC);
	come();
	expect_stranger("dropped: the server is shutting down");
	close(visit.service.signals);
	/* The server ends while the process asks for a place. */
	begin();
	come();
	greet(1, 5);
	respond();
	shutdown(visit.line, SHUT_RDWR);
	expect_stranger("dropped: the server is shutting down");
}

static void no_place(void **state)
{
	(void)state;
	begin();
	come();
	greet(1, 5);
	respond();
	give_place(false, "it already serves 16 clients");
	hear_refusal(REFUSAL_BUSY, "it already serves 16 clients");
	expect_stranger("refused: it already serves 16 clients");
	come();
	greet(1, 1);
	respond();
	give_place(false, "no");
	hear_refusal(REFUSAL_BUSY, "no");
	expect_stranger("refused: no");
}

/* ---- Tokens ---- */

/* A program built with musl cannot load the GnuTLS of a system with glibc. */
static bool has_hmac(void)
{
	const struct message_challenge challenge = {.version = 1};
	const struct message_response response = {.nonce = ""};
	char mac[NONCE_BYTES];

	return !handshake_mac("token", HANDSHAKE_SERVER, &challenge, &response, mac);
}

#define WRONG "this server has another token"
#define NONE  "this server requires a token: --token or RDMACTL_TOKEN"

static void tokens(void **state)
{
	static const struct {
		const char *token, *refusal;
	} rows[] = {{"word", NULL}, {"Word", WRONG}, {NULL, NONE}};

	(void)state;
	if (!has_hmac())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message response = {.type = MESSAGE_RESPONSE, .response.nonce = "a"};
		struct message_challenge challenge;
		char mac[NONCE_BYTES];

		begin();
		visit.service.token = "word";
		come();
		greet(1, 5);
		hear(MESSAGE_CHALLENGE);
		challenge = visit.got.challenge;
		assert_true(challenge.token_wanted);
		if (rows[i].token)
			assert_int_equal(handshake_mac(rows[i].token, HANDSHAKE_CLIENT, &challenge,
						       &response.response, response.response.mac),
					 0);
		say(&response);
		if (rows[i].refusal) {
			char *line = mem_format("refused: %s", rows[i].refusal);

			hear_refusal(REFUSAL_TOKEN, rows[i].refusal);
			expect_stranger(line);
			free(line);
			continue;
		}
		give_place(true, "");
		hear(MESSAGE_ADMITTED);
		assert_int_equal(handshake_mac("word", HANDSHAKE_SERVER, &challenge,
					       &response.response, mac),
				 0);
		assert_true(nonce_equal(visit.got.admitted.mac, mac));
		bid_farewell();
		assert_true(leave_for("").well);
	}
}

/* The signal comes during the delay before a refusal for the token: the log still has the reason.
 */
static void server_ends_in_a_refusal(void **state)
{
	int unread;

	(void)state;
	if (!has_hmac())
		skip();
	begin();
	visit.service.token = "word";
	visit.service.signals = eventfd(0, EFD_CLOEXEC);
	come();
	greet(1, 1);
	respond();
	do
		assert_int_equal(ioctl(visit.channel, SIOCOUTQ, &unread), 0);
	while (unread);
	assert_int_equal(eventfd_write(visit.service.signals, 1), 0);
	expect_stranger("refused: " NONE);
	close(visit.service.signals);
}

/* ---- The service ---- */

/* Returns the client's request as the name of the port; none for the device "none". */
int serve_find_port(const struct selftest_service *service, const struct ip_address *local,
		    const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint)
{
	(void)local, (void)ret_hint;
	if (service != &visit.service)
		abort();
	if (!strcmp(order->device, "none")) {
		*ret_reason = mem_string("there is none");
		return -ENODEV;
	}
	*ret_endpoint = (struct endpoint){.port = 7};
	snprintf(ret_endpoint->device, sizeof(ret_endpoint->device), "%.12s %u %d %.12s %u",
		 order->device[0] ? order->device : "any", order->port,
		 order->with_gid_index ? (int)order->gid_index : -1, order->near.device,
		 order->near.port);
	return 0;
}

static void ask_for(const char *device, uint32_t port, int gid_index)
{
	struct message open = {
		.type = MESSAGE_OPEN,
		.open = {.near = {.device = "mlx5_0", .port = 2}, .port = port},
	};

	snprintf(open.open.device, sizeof(open.open.device), "%s", device);
	open.open.with_gid_index = gid_index >= 0;
	open.open.gid_index = gid_index >= 0 ? (uint32_t)gid_index : 0;
	say(&open);
	/* This host has no such device. */
	hear(MESSAGE_REFUSED);
}

/* Returns what the log says about the device that could not be opened, until the next call. */
static const char *unopened(void)
{
	static char text[200];

	snprintf(text, sizeof(text), "a request was refused: cannot open the device: %s",
		 strerror((int)visit.got.refused.error));
	return text;
}

static void ports(void **state)
{
	struct serve_report report;

	(void)state;
	begin();
	enter();
	ask_for("mlx5_7", 3, 5);
	assert_int_equal(visit.got.refused.refusal, REFUSAL_FAILED);
	bid_farewell();
	report = leave_for(unopened());
	assert_true(report.welcomed && !report.well);
	assert_int_equal(report.orders, 1);
	assert_string_equal(report.local.device, "mlx5_7 3 5 mlx5_0 2");
	assert_int_equal(report.local.port, 7);
	assert_string_equal(report.remote.device, "mlx5_0");
	assert_int_equal(report.remote.port, 2);
	/* Nothing of the first order is left for the second, which is refused. */
	enter();
	ask_for("", 0, 3);
	ask_for("none", 0, -1);
	assert_int_equal(visit.got.refused.refusal, REFUSAL_NO_PORT);
	assert_string_equal(visit.got.refused.text, "there is none");
	bid_farewell();
	report = leave_for("a request was refused: there is none");
	assert_true(report.welcomed && !report.well);
	assert_int_equal(report.orders, 2);
	assert_string_equal(report.local.device, "any 0 3 mlx5_0 2");
	enter();
	ask_for("", 0, -1);
	bid_farewell();
	assert_string_equal(leave_for(unopened()).local.device, "any 0 -1 mlx5_0 2");
}

int serve_list_ports(const struct selftest_service *service, uint32_t first,
		     struct message_listed *ret_ports, char **ret_reason)
{
	if (service != &visit.service)
		abort();
	if (first == 9) {
		*ret_reason = mem_string("no such page");
		return -ENODEV;
	}
	ret_ports->total = 40 + first;
	return 0;
}

static void lists(void **state)
{
	struct message order = {.type = MESSAGE_LIST_PORTS, .list_ports.first = 2};

	(void)state;
	begin();
	visit.service.lists_ports = true;
	enter();
	say(&order);
	hear(MESSAGE_LISTED);
	assert_int_equal(visit.got.listed.total, 42);
	order.list_ports.first = 9;
	say(&order);
	hear(MESSAGE_REFUSED);
	assert_int_equal(visit.got.refused.refusal, REFUSAL_NO_PORT);
	assert_string_equal(visit.got.refused.text, "no such page");
	bid_farewell();
	leave_for("a request was refused: no such page");
	begin();
	enter();
	say(&order);
	hear(MESSAGE_REFUSED);
	assert_string_equal(visit.got.refused.text, strerror(EOPNOTSUPP));
	bid_farewell();
	leave();
	close(visit.line);
	close(visit.report);
	assert_int_equal(waitpid(visit.pid, NULL, 0), visit.pid);
}

static void expect_unwell(const char *text)
{
	const struct serve_report report = leave_for(text);

	assert_true(report.welcomed && !report.well);
	assert_int_equal(report.orders, 0);
}

static void ends(void **state)
{
	char byte;

	(void)state;
	begin();
	enter();
	expect_unwell("the connection ended without a goodbye");
	enter();
	assert_int_equal(send(visit.channel, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	expect_unwell("the client sent no valid message (not a message of the protocol)");
	enter();
	assert_int_equal(send(visit.channel, "RDMT", 4, 0), 4);
	expect_unwell("the connection ended in the middle of a message");
	enter();
	assert_int_equal(send(visit.channel, "RDMT", 4, 0), 4);
	hear(MESSAGE_LEAVING);
	assert_int_equal(visit.got.leaving.stop, STOP_TIMED_OUT);
	expect_unwell("the client did not send the rest of a message, or its host is gone");
	begin();
	visit.service.idle_msec = 1050;
	enter();
	hear(MESSAGE_LEAVING);
	expect_unwell("the client was silent for 1 s");
	begin();
	visit.service.idle_msec = 300;
	enter();
	hear(MESSAGE_LEAVING);
	expect_unwell("the client was silent for 300 ms");
	begin();
	visit.service.signals = eventfd(0, EFD_CLOEXEC);
	enter();
	assert_int_equal(eventfd_write(visit.service.signals, 1), 0);
	while (recv(visit.channel, &byte, 1, 0) > 0)
		;
	close(visit.service.signals);
	expect_unwell("the server was stopped");
}

/* The process gets a signal when its time is over, and tells it apart from others. */
static void time_is_over(void **state)
{
	sigset_t set, before;
	char byte;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &before), 0);
	begin();
	visit.service.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	visit.service.life_msec = 200;
	enter();
	while (recv(visit.channel, &byte, 1, 0) > 0)
		;
	expect_unwell("it reached the time limit for a client");
	close(visit.service.signals);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

/* --every 1s --duration 1h takes more than an hour, connection and pauses included. */
static void lives(void **state)
{
	const struct selftest_service usual = {.run_msec = 1000}, chosen = {.life_msec = 5};

	(void)state;
	assert_true(serve_life_msec(&usual) >= LIMIT_MSEC + LIMIT_MSEC / 2);
	assert_true(serve_life_msec(&chosen) == 5);
}

/* ---- Reports ---- */

/* The status of waitpid() after an exit, and after a signal. */
static void crashes(void **state)
{
	static const struct {
		int status;
		bool stopping;
		const char *ended, *text;
	} rows[] = {
		{9, false, NULL, "the process that served it was killed by signal 9"},
		{15, true, NULL, "the server was stopped"},
		{3 << 8, false, NULL, "the process that served it failed with status 3"},
		{3 << 8, true, NULL, "the process that served it failed with status 3"},
		{9, false, "dropped: too long", "dropped: too long"},
		{9, true, "dropped: too long", "dropped: too long"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct serve_report report = {.well = true, .orders = 7};

		serve_report_set_crash(&report, rows[i].status, rows[i].stopping, rows[i].ended);
		assert_string_equal(report.text, rows[i].text);
		assert_true(report.welcomed);
		assert_false(report.well);
		assert_int_equal(report.orders, 0);
	}
}

static void lines(void **state)
{
	static const struct {
		struct serve_report report;
		const char *line;
	} rows[] = {
		{{.welcomed = false, .orders = 3, .text = "refused: no"}, "refused: no"},
		{{.welcomed = true, .well = true}, "served, 0 requests in 2000.3 s"},
		{{.welcomed = true, .well = true, .orders = 1}, "served, 1 request in 2000.3 s"},
		{{.welcomed = true, .orders = 2, .text = "it broke"},
		 "served, 2 requests in 2000.3 s; it broke"},
		{{.welcomed = true,
		  .well = true,
		  .orders = 2,
		  .local = {.device = "mlx5_0", .port = 2}},
		 "served by mlx5_0/2, 2 requests in 2000.3 s"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = serve_report_line(&rows[i].report, 2000256);

		assert_string_equal(line, rows[i].line);
		free(line);
	}
}

static void rows(void **state)
{
	const struct ip_address address = {.family = AF_INET, .raw = {192, 0, 2, 1}};
	struct serve_report report = {
		.welcomed = true,
		.well = true,
		.orders = 12,
		.local = {.device = "mlx5_0", .port = 2},
		.remote = {.device = "mlx5_3", .port = 4},
		.text = "not\033this",
	};

	(void)state;
	for (int well = 1; well >= 0; well--) {
		struct selftest_results results = {0};
		const struct selftest_result *row = selftest_results_add(&results);

		report.well = well;
		serve_report_fill_row(&report, &address, 1256, results.items[0]);
		assert_string_equal(row->peer, "192.0.2.1");
		assert_int_equal(row->group.value, SELFTEST_SERVE);
		assert_string_equal(row->test, "serve");
		assert_string_equal(row->summary, "serves the requests of a client");
		assert_int_equal(row->verdict.value, well ? SELFTEST_PASS : SELFTEST_FAIL);
		if (well)
			assert_null(row->reason);
		else
			assert_string_equal(row->reason, "not\\x1bthis");
		assert_int_equal(row->iterations.value, 12);
		assert_true(row->duration_msec.known && row->duration_msec.value == 1256);
		assert_string_equal(row->device, "mlx5_0");
		assert_int_equal(row->port.value, 2);
		assert_string_equal(row->peer_device, "mlx5_3");
		assert_int_equal(row->peer_port.value, 4);
		selftest_results_free(&results);
	}
}

/* A client that gets no process: its data is read, or the refusal might be lost. */
static void refused_at_once(void **state)
{
	char byte;
	int pair[2];

	(void)state;
	begin();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	visit.channel = pair[0];
	greet(1, 5);
	serve_refuse(pair[1], REFUSAL_BUSY, "no process");
	assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), -1);
	hear_refusal(REFUSAL_BUSY, "no process");
	assert_int_equal(recv(pair[0], &byte, 1, MSG_DONTWAIT), 0);
	close(pair[1]);
	leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(other_versions),
		cmocka_unit_test(strangers),
		cmocka_unit_test(server_ends),
		cmocka_unit_test(server_ends_in_a_refusal),
		cmocka_unit_test(no_place),
		cmocka_unit_test(tokens),
		cmocka_unit_test(ports),
		cmocka_unit_test(lists),
		cmocka_unit_test(ends),
		cmocka_unit_test(time_is_over),
		cmocka_unit_test(lives),
		cmocka_unit_test(crashes),
		cmocka_unit_test(lines),
		cmocka_unit_test(rows),
		cmocka_unit_test(refused_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
