/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a self-test server logs, keeps as rows and returns: several clients at a time, those that it
 * does not serve, its end, and the reasons not to start.
 */
#include "own_side.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "loopback.h"
#include "selftest/server/server_client.h"

/* ---- The server ---- */

static struct bed {
	struct selftest_service service;
	uint32_t port;
	pid_t pid;
	FILE *log;
	int signals;
} bed;

/* Writes the log to a pipe. */
static void say(void *context, const char *line)
{
	dprintf(*(int *)context, "%s\n", line);
}

/* Finds no port; the log shows what the client asked for. */
int serve_find_port(const struct selftest_service *service, const struct ip_address *local,
		    const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint)
{
	(void)local, (void)ret_endpoint, (void)ret_hint;
	dprintf(*(int *)service->say_context, "wanted GID %d from %s\n",
		order->with_gid_index ? (int)order->gid_index : -1, order->near.device);
	*ret_reason = mem_string("there is none");
	return -ENODEV;
}

int serve_list_ports(const struct selftest_service *service, uint32_t first,
		     struct message_listed *ret_ports, char **ret_reason)
{
	(void)service, (void)first, (void)ret_ports, (void)ret_reason;
	return -EOPNOTSUPP;
}

static void begin(void)
{
	bed = (struct bed){.signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	bed.port = loopback_free_port();
	bed.service = (struct selftest_service){
		.bind = {.family = AF_INET, .raw = {127, 0, 0, 1}},
		.tcp_port = bed.port,
		.signals = bed.signals,
		.say = say,
	};
}

/* Runs in the process of the server, whose rows become the last lines of the log. */
static void serve(int log)
{
	struct selftest_results results = {0};
	char *reason = NULL, *hint = NULL;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
	bed.service.say_context = &log;
	rc = selftest_serve(&bed.service, &results, &reason, &hint);
	for (size_t i = 0; i < results.count; i++)
		dprintf(log, "row %s %s %u orders\n", results.items[i]->peer,
			results.items[i]->verdict.value == SELFTEST_PASS ? "well" : "failed",
			(unsigned int)results.items[i]->iterations.value);
	_exit(-rc);
}

/* Expects a line of the log, without its seconds. */
static void expect(const char *wanted)
{
	char line[400], *at, *end;

	assert_non_null(fgets(line, sizeof(line), bed.log));
	line[strcspn(line, "\n")] = '\0';
	at = strstr(line, " in ");
	end = at ? strstr(at, " s") : NULL;
	if (end)
		memmove(at, end + 2, strlen(end + 2) + 1);
	assert_string_equal(line, wanted);
}

static void start(void)
{
	char *line = mem_format("listening on 127.0.0.1 port %u, open to any client that reaches "
				"it: --token requires a token",
				bed.port);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	bed.pid = fork();
	if (!bed.pid)
		serve(ends[1]);
	close(ends[1]);
	bed.log = fdopen(ends[0], "r");
	expect(line);
	free(line);
}

/* Checks the result of the server, once all lines have been read. */
static void finish(int error)
{
	char line[400];
	int status;

	if (fgets(line, sizeof(line), bed.log))
		fail_msg("one line more: %s", line);
	assert_int_equal(waitpid(bed.pid, &status, 0), bed.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), error);
	fclose(bed.log);
	close(bed.signals);
}

static void interrupt(void)
{
	assert_int_equal(eventfd_write(bed.signals, 1), 0);
}

static int come_silently(void)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					    .sin_port = htons((uint16_t)bed.port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int come(void)
{
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {.lowest = 1, .highest = 1}};
	int fd = come_silently();

	exchange_send(fd, &hello, 5000);
	return fd;
}

static struct message hear(int fd, uint32_t type)
{
	const char *complaint;
	struct message reply;

	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, type);
	return reply;
}

/* Asks for a place. */
static int ask(void)
{
	const struct message response = {.type = MESSAGE_RESPONSE};
	int fd = come();

	hear(fd, MESSAGE_CHALLENGE);
	assert_int_equal(exchange_send(fd, &response, 5000), 0);
	return fd;
}

static int enter(void)
{
	int fd = ask();

	hear(fd, MESSAGE_ADMITTED);
	return fd;
}

static void leave(int fd)
{
	const struct message bye = {.type = MESSAGE_BYE};

	assert_int_equal(exchange_send(fd, &bye, 5000), 0);
	close(fd);
}

/* The first to come need not be the first to leave. */
static void several(void **state)
{
	int clients[3];

	(void)state;
	begin();
	start();
	for (size_t i = 0; i < 3; i++)
		clients[i] = enter();
	leave(clients[1]);
	expect("127.0.0.1: served, 0 requests");
	close(clients[2]);
	expect("127.0.0.1: served, 0 requests; the connection ended without a goodbye");
	/* One place is free again, and the first client still has its own. */
	clients[1] = enter();
	leave(clients[1]);
	expect("127.0.0.1: served, 0 requests");
	leave(clients[0]);
	expect("127.0.0.1: served, 0 requests");
	clients[0] = enter();
	interrupt();
	expect("127.0.0.1: served, 0 requests; the server was stopped");
	close(clients[0]);
	expect("row 127.0.0.1 well 0 orders");
	expect("row 127.0.0.1 failed 0 orders");
	expect("row 127.0.0.1 well 0 orders");
	expect("row 127.0.0.1 well 0 orders");
	expect("row 127.0.0.1 failed 0 orders");
	finish(0);
}

/* One address gets at most half of the places. */
static void too_many(void **state)
{
	struct message reply;
	int fd, first;

	(void)state;
	begin();
	bed.service.most_clients = 2;
	start();
	first = enter();
	fd = ask();
	reply = hear(fd, MESSAGE_REFUSED);
	assert_int_equal(reply.refused.refusal, REFUSAL_BUSY);
	assert_string_equal(reply.refused.text, "it already serves 1 client from this address");
	close(fd);
	expect("127.0.0.1: refused: it already serves 1 client from this address");
	leave(first);
	expect("127.0.0.1: served, 0 requests");
	interrupt();
	expect("row 127.0.0.1 well 0 orders");
	finish(0);
}

static void allowed(void **state)
{
	static const struct ip_network networks[] = {
		{.address = {.family = AF_INET, .raw = {10, 0, 0, 0}}, .bits = 8},
		{.address = {.family = AF_INET, .raw = {127, 0, 0, 0}}, .bits = 8},
	};
	char byte;
	int fd;

	(void)state;
	begin();
	bed.service.allowed = networks;
	bed.service.allowed_count = 1;
	start();
	fd = come();
	assert_true(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
	expect("127.0.0.1: closed: not in a network of --allow");
	interrupt();
	finish(0);
	begin();
	bed.service.allowed = networks;
	bed.service.allowed_count = 2;
	start();
	leave(enter());
	expect("127.0.0.1: served, 0 requests");
	interrupt();
	expect("row 127.0.0.1 well 0 orders");
	finish(0);
}

/* The server ends with its one client, but not with one that says nothing. */
static void once(void **state)
{
	(void)state;
	begin();
	bed.service.once = true;
	start();
	close(enter());
	expect("127.0.0.1: served, 0 requests; the connection ended without a goodbye");
	expect("row 127.0.0.1 failed 0 orders");
	finish(EIO);
	begin();
	bed.service.once = true;
	start();
	close(come_silently());
	expect("127.0.0.1: closed the connection before its hello");
	leave(enter());
	expect("127.0.0.1: served, 0 requests");
	expect("row 127.0.0.1 well 0 orders");
	finish(0);
	begin();
	bed.service.once = true;
	start();
	interrupt();
	finish(EINTR);
}

/* A full session with a client: its row has the words of the server. */
static void asked_for(void **state)
{
	const struct endpoint local = {.device = "none0", .port = 1};
	struct selftest_request request = {
		.peer = "hostb",
		.peer_ip = {.family = AF_INET, .raw = {127, 0, 0, 1}},
		.signals = -1,
	};
	/* --all-ports names the device itself. */
	static const char *const hints[] = {
		"rdmactl gids lists them there; name a port: rdmactl selftest --serve DEV/PORT",
		"rdmactl gids lists them there; choose another --peer-gid-index, or omit it",
		"rdmactl gids lists them there; choose another --peer-device or --peer-gid-index",
	};
	const struct selftest_result *row;

	(void)state;
	for (int with = 0; with < 3; with++) {
		struct selftest_results results = {0};

		begin();
		start();
		soft_make_port(0);
		request.tcp_port = bed.port;
		if (with == 1)
			number_set(&request.peer_gid_index, 7);
		request.peer_device = with ? "none9" : NULL;
		request.chose_peer_device = with == 2;
		assert_int_equal(selftest_run(&request, &local, &results), 0);
		/* It was asked, and refused. */
		assert_false(results.no_exchange);
		row = results.items[results.count - 1];
		assert_int_equal(row->verdict.value, SELFTEST_FAIL);
		assert_string_equal(row->reason,
				    "hostb refused: it has no matching active port and "
				    "GID (there is none)");
		assert_string_equal(row->next_step, hints[with]);
		selftest_results_free(&results);
		expect(with ? "wanted GID 7 from none0" : "wanted GID -1 from none0");
		expect("127.0.0.1: served, 1 request; a request was refused: there is none");
		interrupt();
		expect("row 127.0.0.1 failed 1 orders");
		finish(0);
	}
}

/* ---- Reasons not to start ---- */

static void expect_reason(int rc, const char *wanted, const char *wanted_hint)
{
	struct selftest_results results = {0};
	char *reason = NULL, *hint = NULL;

	bed.service.say = NULL;
	assert_int_equal(selftest_serve(&bed.service, &results, &reason, &hint), rc);
	assert_string_equal(reason, wanted);
	if (wanted_hint)
		assert_string_equal(hint, wanted_hint);
	else
		assert_null(hint);
	free(reason);
	free(hint);
	close(bed.signals);
}

static void cannot_listen(void **state)
{
	char token[65], *reason, *hint;
	int fd;

	(void)state;
	begin();
	fd = loopback_socket(&bed.port);
	assert_int_equal(listen(fd, 1), 0);
	bed.service.tcp_port = bed.port;
	reason = mem_format("cannot listen on 127.0.0.1 port %u: %s", bed.port,
			    strerror(EADDRINUSE));
	hint = mem_format(
		"that port is in use; choose a free one for the server and its clients: --port %u",
		bed.port + 1);
	expect_reason(-EADDRINUSE, reason, hint);
	free(reason);
	free(hint);
	close(fd);
	begin();
	/* An address for documentation, RFC 5737. */
	assert_int_equal(ip_parse("192.0.2.1", &bed.service.bind), 0);
	reason = mem_format("cannot listen on 192.0.2.1 port %u: %s", bed.port,
			    strerror(EADDRNOTAVAIL));
	expect_reason(-EADDRNOTAVAIL, reason,
		      "give an address of this host: ip address lists them");
	free(reason);
	begin();
	memset(token, 'x', sizeof(token) - 1);
	token[sizeof(token) - 1] = '\0';
	bed.service.token = token;
	expect_reason(-EINVAL, "the token is longer than 63 bytes", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several),   cmocka_unit_test(too_many),
		cmocka_unit_test(allowed),   cmocka_unit_test(once),
		cmocka_unit_test(asked_for), cmocka_unit_test(cannot_listen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
