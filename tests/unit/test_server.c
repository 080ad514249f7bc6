/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The self-test's server: how long a server with little patience serves a client; and clients of
 * older versions of the protocol, with the bytes that they sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "loopback.h"
#include "selftest/rails/rails.h"
#include "selftest/server/server_client.h"

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
	dprintf(*(int *)service->say_context, "wanted %s port %u GID %d from %s\n",
		order->device[0] ? order->device : "any", order->port,
		order->with_gid_index ? (int)order->gid_index : -1, order->near.device);
	*ret_reason = mem_string("there is none");
	return -ENODEV;
}

/* Number of ports of the server; it sends at most 70 of them. */
static uint32_t total_ports;

int serve_list_ports(const struct selftest_service *service, uint32_t first,
		     struct message_listed *ret_ports, char **ret_reason)
{
	(void)service, (void)ret_reason;
	*ret_ports = (struct message_listed){.total = total_ports};
	for (uint32_t i = first; i < total_ports && i < 70 && i < first + LIMIT_PORTS; i++) {
		struct listed_port *port = &ret_ports->items[ret_ports->count++];

		snprintf(port->endpoint.device, sizeof(port->endpoint.device), "rx%u", i);
		port->endpoint.port = 1;
	}
	return 0;
}

/* How often the server has read from its lines to clients' processes; it shares this memory. */
static atomic_uint *reads;

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
	if (reads && size == sizeof(struct serve_report))
		atomic_fetch_add(reads, 1);
	return recvfrom(fd, bytes, size, flags, NULL, NULL);
}

static pid_t start_server(uint32_t port, uint64_t life_msec, int log)
{
	const struct selftest_service service = {
		.bind = {.family = AF_INET, .raw = {127, 0, 0, 1}},
		.tcp_port = port,
		.life_msec = life_msec,
		.signals = -1,
		.lists_ports = true,
		.say = say,
		.say_context = &log,
	};
	struct selftest_results results = {0};
	char *reason = NULL, *hint = NULL;
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
	if (!pid)
		_exit(selftest_serve(&service, &results, &reason, &hint) ? 1 : 0);
	return pid;
}

static int connect_to(uint32_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					    .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static int greet(uint32_t port)
{
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {.lowest = 1, .highest = 1}};
	const struct message response = {.type = MESSAGE_RESPONSE};
	int fd = connect_to(port);
	const char *complaint;
	struct message reply;

	assert_int_equal(exchange_send(fd, &hello, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_CHALLENGE);
	assert_int_equal(exchange_send(fd, &response, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_ADMITTED);
	return fd;
}

/* Waits until the log has these words. */
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
 * The service of a client is limited in time. Without a signalfd, SIGTERM ends the process; one
 * that ignores it is killed by the server.
 */
static void life_of_a_client(void **state)
{
	const uint32_t port = loopback_free_port();
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
		await(log,
		      heeds ? "killed by signal 15" : "it reached the time limit for a client");
		close(fd);
		end_server(pid);
		fclose(log);
	}
	(void)state;
}

/* The server has more places than descriptors, and poll(2) refuses to wait for so many. */
static void few_descriptors(void **state)
{
	const uint32_t port = loopback_free_port();
	struct rlimit files, few;
	int ends[2];
	FILE *log;
	pid_t pid;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	few = files;
	few.rlim_cur = 64;
	assert_int_equal(pipe(ends), 0);
	log = fdopen(ends[0], "r");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	pid = start_server(port, 0, ends[1]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	close(ends[1]);
	await(log, "listening on");
	close(greet(port));
	await(log, "served");
	end_server(pid);
	fclose(log);
}

/* Each client costs its own request to the server, however many others there are. */
static void lines_with_news(void **state)
{
	enum { CLIENTS = 8 }; /* half of the default, the most from one address */
	const uint32_t port = loopback_free_port();
	int ends[2], fds[CLIENTS];
	FILE *log;
	pid_t pid;

	(void)state;
	reads = mmap(NULL, sizeof(*reads), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(reads, MAP_FAILED);
	assert_int_equal(pipe(ends), 0);
	log = fdopen(ends[0], "r");
	pid = start_server(port, 20000, ends[1]);
	close(ends[1]);
	await(log, "listening on");
	for (size_t i = 0; i < CLIENTS; i++)
		fds[i] = greet(port);
	/* The request, and that there is no more. */
	assert_int_equal(atomic_load(reads), 2 * CLIENTS);
	for (size_t i = 0; i < CLIENTS; i++)
		close(fds[i]);
	end_server(pid);
	fclose(log);
	munmap(reads, sizeof(*reads));
	reads = NULL;
}

/* Bytes that any client of version 1 sends: a hello, a response without a token, an open. */
static const uint8_t hello_bytes[16 + 40] = "RDMT\0\0\0\1\0\0\0\1\0\0\0\50\0\0\0\1\0\0\0\0010.9.0";
static const uint8_t response_bytes[16 + 64] = "RDMT\0\0\0\1\0\0\0\50\0\0\0\100";
static const uint8_t open_head[16] = "RDMT\0\0\0\1\0\0\0\4\0\0\0\351";
static const uint8_t open_tail[] = "\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\377\377\12\11\0\2"
				   "\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\6\0\0\4\0\0\0\0\0"
				   "\0\0\0\0\0\0\47\20\2\12\11\0\2\0\0\0\0\0\0\0\0\0\0\0\0"
				   "\0\0\0\1\0\0\0\7";

/* Expects the next message with the length and type that a client of version 1 knows. */
static void expect(int fd, uint32_t type, uint32_t length, uint8_t *body)
{
	uint8_t head[16];

	assert_int_equal(recv(fd, head, sizeof(head), MSG_WAITALL), sizeof(head));
	assert_memory_equal(head, "RDMT\0\0\0\1\0\0\0", 11);
	assert_int_equal(head[11], type);
	assert_int_equal(head[14] << 8 | head[15], length);
	assert_int_equal(recv(fd, body, length, MSG_WAITALL), length);
}

static void client_of_version_1(void **state)
{
	const uint32_t port = loopback_free_port();
	uint8_t body[4096], open_bytes[16 + 233] = {0};
	int ends[2], fd;
	FILE *log;
	pid_t pid;

	(void)state;
	memcpy(open_bytes, open_head, 16);
	memcpy(open_bytes + 16, "rxb", 3);
	memcpy(open_bytes + 16 + 64, "vb", 2);
	memcpy(open_bytes + 16 + 80, open_tail, sizeof(open_tail));
	assert_int_equal(pipe(ends), 0);
	log = fdopen(ends[0], "r");
	pid = start_server(port, 20000, ends[1]);
	close(ends[1]);
	await(log, "listening on");
	fd = connect_to(port);
	assert_int_equal(send(fd, hello_bytes, sizeof(hello_bytes), 0), sizeof(hello_bytes));
	expect(fd, MESSAGE_CHALLENGE, 40, body);
	assert_memory_equal(body, "\0\0\0\1\0\0\0", 8); /* version 1, no token */
	assert_int_equal(send(fd, response_bytes, sizeof(response_bytes), 0),
			 sizeof(response_bytes));
	expect(fd, MESSAGE_ADMITTED, 52, body);
	/* no proof, 16384 queue pairs, 64 MiB, runs of 60 s */
	assert_memory_equal(body + 32,
			    "\0\0\100\0"
			    "\0\0\0\0\4\0\0\0"
			    "\0\0\0\0\0\0\352\140",
			    20);
	assert_int_equal(send(fd, open_bytes, sizeof(open_bytes), 0), sizeof(open_bytes));
	expect(fd, MESSAGE_REFUSED, 244, body);
	assert_int_equal(body[3], REFUSAL_NO_PORT);
	await(log, "wanted any port 0 GID 7 from rxb");
	close(fd);
	end_server(pid);
	fclose(log);
}

/* The server looks for the port that the client names. */
static void named_port(void **state)
{
	const struct message hello = {.type = MESSAGE_HELLO, .hello = {.lowest = 1, .highest = 9}};
	const struct message response = {.type = MESSAGE_RESPONSE};
	const struct message open = {
		.type = MESSAGE_OPEN,
		.open = {.near = {.port = 1, .device = "mlx5_0"}, .device = "mlx5_7", .port = 2},
	};
	const uint32_t port = loopback_free_port();
	const char *complaint;
	struct message reply;
	int ends[2], fd;
	FILE *log;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	log = fdopen(ends[0], "r");
	pid = start_server(port, 20000, ends[1]);
	close(ends[1]);
	await(log, "listening on");
	fd = connect_to(port);
	assert_int_equal(exchange_send(fd, &hello, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_CHALLENGE);
	assert_int_equal(reply.challenge.version, PROTOCOL_VERSION);
	assert_int_equal(exchange_send(fd, &response, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_ADMITTED);
	assert_int_equal(exchange_send(fd, &open, 5000), 0);
	assert_int_equal(exchange_receive(fd, -1, 20000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_REFUSED);
	assert_string_equal(reply.refused.text, "there is none");
	await(log, "wanted mlx5_7 port 2 GID -1 from mlx5_0");
	close(fd);
	end_server(pid);
	fclose(log);
}

/* All pages are read, up to the number of ports that can be tested at once. */
static void pages_of_ports(void **state)
{
	static const struct {
		uint32_t total;
		size_t count;
	} rows[] = {{1, 1}, {16, 16}, {17, 17}, {64, 64}, {65, MOST_RAILS}, {40000, MOST_RAILS},
		    {0, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selftest_request request = {
			.peer = "hostb",
			.peer_ip = {.family = AF_INET, .raw = {127, 0, 0, 1}},
			.tcp_port = loopback_free_port(),
			.signals = -1,
		};
		struct selftest_results results = {0};
		struct listed_port *ports = NULL;
		size_t count = 0;
		int ends[2], rc;
		FILE *log;
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		log = fdopen(ends[0], "r");
		total_ports = rows[i].total;
		pid = start_server(request.tcp_port, 20000, ends[1]);
		close(ends[1]);
		await(log, "listening on");
		rc = rails_ask(&request, &results, &ports, &count);
		end_server(pid);
		fclose(log);
		assert_int_equal(rc, rows[i].count ? 0 : -ENODEV);
		assert_int_equal(count, rows[i].count);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(atoi(ports[k].endpoint.device + 2), k);
		assert_int_equal(results.count, 1);
		if (rc) {
			assert_string_equal(results.items[0]->reason, "hostb has no active port");
			assert_string_equal(results.items[0]->next_step,
					    "rdmactl ports shows their states there");
		}
		free(ports);
		selftest_results_free(&results);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_client),    cmocka_unit_test(few_descriptors),
		cmocka_unit_test(client_of_version_1), cmocka_unit_test(named_port),
		cmocka_unit_test(pages_of_ports),      cmocka_unit_test(lines_with_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
