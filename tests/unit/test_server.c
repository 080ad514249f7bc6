/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long the self-test's server serves a client, by a server with little patience. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "selftest/selftest.h"

/* Writes the log to a pipe. */
static void say(void *context, const char *line)
{
	dprintf(*(int *)context, "%s\n", line);
}

static uint32_t free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static pid_t start_server(uint32_t port, uint64_t life_msec, int log)
{
	const struct selftest_service service = {
		.bind = {.family = AF_INET, .raw = {127, 0, 0, 1}},
		.tcp_port = port,
		.life_msec = life_msec,
		.signals = -1,
		.say = say,
		.say_context = &log,
	};
	struct selftest_results results = {0};
	char *reason = NULL, *hint = NULL;
	pid_t pid = fork();

	if (!pid)
		_exit(selftest_serve(&service, &results, &reason, &hint) ? 1 : 0);
	return pid;
}

static int greet(uint32_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					    .sin_port = htons((uint16_t)port)};
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {.lowest = 1, .highest = 1}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const char *complaint;
	struct message reply;

	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(exchange_send(fd, &hello, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_WELCOME);
	return fd;
}

/* Waits for the words in the log. */
static void await(FILE *log, const char *words)
{
	char line[400];

	do
		assert_non_null(fgets(line, sizeof(line), log));
	while (!strstr(line, words));
}

static void end_server(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/*
 * A client may be served for so long and no longer. Without a signalfd SIGTERM ends the process by
 * itself; one that does not heed it is killed by the server.
 */
static void life_of_a_client(void **state)
{
	const uint32_t port = free_port();
	uint64_t begin;
	char byte;
	int ends[2], fd;
	FILE *log;
	pid_t pid;

	for (int heeds = 1; heeds >= 0; heeds--) {
		assert_int_equal(pipe(ends), 0);
		log = fdopen(ends[0], "r");
		if (!heeds)
			signal(SIGTERM, SIG_IGN);
		pid = start_server(port, 300, ends[1]);
		signal(SIGTERM, SIG_DFL);
		close(ends[1]);
		await(log, "listening on");
		begin = clock_msec();
		fd = greet(port);
		assert_int_equal(recv(fd, &byte, 1, 0), 0);
		assert_in_range(clock_msec() - begin, heeds ? 250 : 2250, heeds ? 20000 : 30000);
		await(log, heeds ? "killed by signal 15" : "for as long as a client may be");
		close(fd);
		end_server(pid);
		fclose(log);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
