/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/selftest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "selftest/agent/watch.h"
#include "selftest/server/server.h"

#define DEFAULT_CLIENTS 16u
#define DEFAULT_MEMORY	(UINT64_C(1) << 30)
#define SERVER_BACKLOG	64
/*
 * Limit on accepts between two checks for signals and children, so that a flood of connections
 * delays neither.
 */
#define MOST_ACCEPTS 64
/* Pause in accepting clients after file descriptors or processes ran out. */
#define PAUSE_MSEC 500
/* Time to clean up after SIGTERM, and for the kernel to end a process after SIGKILL. */
#define END_MSEC  700
#define KILL_MSEC 2000
/* Interval at which the number of omitted lines is logged. */
#define LEFT_OUT_MSEC 1000
#define OTHER_POLLS   3

static uint16_t port_of(const struct selftest_service *service)
{
	return (uint16_t)(service->tcp_port ? service->tcp_port : MESSAGE_PORT);
}

static int explain_listen(const struct selftest_service *service, int rc, char **ret_reason,
			  char **ret_hint)
{
	char name[IP_TEXT_SIZE];

	ip_format(&service->bind, name);
	*ret_reason = mem_format("cannot listen on %s%sport %u: %s",
				 service->bind.family ? name : "", service->bind.family ? " " : "",
				 port_of(service), strerror(-rc));
	if (rc == -EADDRINUSE)
		*ret_hint = mem_format("that port is in use; choose a free one for the server and "
				       "its clients: --port %u",
				       port_of(service) < UINT16_MAX ? port_of(service) + 1
								     : port_of(service) - 1);
	else if (rc == -EADDRNOTAVAIL)
		*ret_hint = mem_string("give an address of this host: ip address lists them");
	else if (rc == -EACCES)
		*ret_hint = mem_string(
			"ports below 1024 are reserved for root: choose another one with --port");
	return rc;
}

static void say_where(const struct server *server)
{
	const struct selftest_service *service = server->service;
	_cleanup_(freep) char *line = NULL;
	char name[IP_TEXT_SIZE];

	if (!service->say)
		return;
	ip_format(&service->bind, name);
	if (service->bind.family)
		line = mem_format("listening on %s port %u", name, port_of(service));
	else
		line = mem_format("listening on port %u of every address", port_of(service));
	mem_extend(&line,
		   service->token
			   ? ", for clients that know the token"
			   : ", open to any client that reaches it: --token requires a token");
	service->say(service->say_context, line);
}

/* Blocks SIGCHLD and opens a signalfd for it, to wait for children. */
static int watch_children(struct server *server)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	server->children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server->children < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, &server->old_mask);
	return 0;
}

static void server_close(struct server *server)
{
	server_stop_listening(server);
	if (server->children >= 0) {
		close(server->children);
		sigprocmask(SIG_SETMASK, &server->old_mask, NULL);
	}
	server_close_lines(server);
	crowd_close(&server->crowd);
	free(server->polls);
}

static int server_open(struct server *server, char **ret_reason, char **ret_hint)
{
	const struct selftest_service *service = server->service;
	uint8_t mac[HMAC_BYTES];
	int rc;

	if (service->token && strlen(service->token) > LIMIT_TOKEN) {
		*ret_reason = mem_string("the token is longer than 63 bytes");
		return -EINVAL;
	}
	/* Loaded here, before the processes that serve clients give up access to files. */
	rc = service->token ? hmac_sha256("", 0, "", 0, mac) : 0;
	if (rc) {
		*ret_reason = mem_string(hmac_failure(rc));
		*ret_hint = hmac_hint(rc);
		return rc;
	}
	server->listener = service->listener ? service->listener : -1;
	if (!service->listener)
		rc = tcp_listen(&service->bind, service->scope, port_of(service),
				&server->listener);
	if (!rc && listen(server->listener, SERVER_BACKLOG))
		rc = -errno;
	if (rc)
		return explain_listen(service, rc, ret_reason, ret_hint);
	rc = crowd_open(service->once		? 1
			: service->most_clients ? service->most_clients
						: DEFAULT_CLIENTS,
			service->once,
			service->memory_bytes ? service->memory_bytes : DEFAULT_MEMORY,
			&server->crowd)
		     ?: watch_children(server);
	if (rc)
		*ret_reason = mem_format("cannot wait for processes: %s", strerror(-rc));
	server->polls = mem_alloc_zero(OTHER_POLLS + server->crowd.place_count,
				       sizeof(*server->polls));
	return rc;
}

static bool is_allowed(const struct selftest_service *service, const struct ip_address *address)
{
	for (size_t i = 0; i < service->allowed_count; i++)
		if (ip_network_contains(&service->allowed[i], address))
			return true;
	return !service->allowed_count;
}

static void meet(struct server *server, int channel, const struct ip_address *address,
		 struct served *place)
{
	_cleanup_(freep) char *text = NULL;
	struct served *surplus;
	int rc;

	if (!is_allowed(server->service, address)) {
		server_say(server, &server->strangers, address,
			   mem_string("closed: not in a network of --allow"));
		return;
	}
	surplus = crowd_find_surplus(&server->crowd, address);
	if (surplus)
		server_end_child(surplus, "dropped: others from its network are waiting");
	rc = server_start_child(server, channel, address, place);
	if (!rc)
		return;
	text = mem_format("cannot start a process: %s", strerror(-rc));
	serve_refuse(channel, REFUSAL_BUSY, text);
	server_say(server, &server->strangers, address, mem_format("refused: %s", text));
	server->pause_end_msec = clock_msec() + PAUSE_MSEC;
}

static void accept_clients(struct server *server)
{
	for (int i = 0; i < MOST_ACCEPTS && !server->pause_end_msec && !server->ended; i++) {
		struct served *place = crowd_place(&server->crowd);
		struct sockaddr_storage storage = {0};
		socklen_t length = sizeof(storage);
		struct ip_address address;
		int channel;

		if (!place)
			return;
		channel = accept4(server->listener, (struct sockaddr *)&storage, &length,
				  SOCK_CLOEXEC);
		if (channel < 0 && socket_is_exhausted(errno))
			server->pause_end_msec = clock_msec() + PAUSE_MSEC;
		/* Otherwise there is no client, or its connection is already gone. */
		if (channel < 0)
			return;
		address = socket_address_ip(&storage);
		meet(server, channel, &address, place);
		close(channel);
	}
}

static void expire(struct server *server)
{
	for_each_place (served, &server->crowd)
		if (served->state && !served->ended && !clock_msec_until(served->end_msec))
			server_end_child(served,
					 served->state == SERVED_GUEST
						 ? "dropped: its handshake took too long"
						 : "it reached the time limit for a client");
}

/* Returns the milliseconds until there is something to do without an event; -1: never. */
static int time_left(const struct server *server)
{
	uint64_t end = server->pause_end_msec;

	for_each_place (served, &server->crowd)
		if (served->state && !served->ended && (!end || served->end_msec < end))
			end = served->end_msec;
	if (server->strangers.left_out || server->clients.left_out) {
		const uint64_t soon = clock_msec() + LEFT_OUT_MSEC;

		end = end && end < soon ? end : soon;
	}
	return end ? clock_msec_until(end) : -1;
}

/* Polls only the lines of existing processes: poll(2) refuses more entries than RLIMIT_NOFILE. */
static size_t fill_lines(const struct crowd *crowd, struct pollfd *polls)
{
	size_t count = 0;

	for_each_place (served, crowd)
		if (served->state && served->line >= 0)
			polls[count++] = (struct pollfd){.fd = served->line, .events = POLLIN};
	return count;
}

/* Reads from the lines on which poll() reported something, as fill_lines() has listed them. */
static void listen_to_lines(struct crowd *crowd, const struct pollfd *polls)
{
	for_each_place (served, crowd)
		if (served->state && served->line >= 0 && (polls++)->revents)
			server_listen_to(served);
}

/* Sleeps until there is something to do, and does it. */
static void turn(struct server *server)
{
	const int pause = server->pause_end_msec ? clock_msec_until(server->pause_end_msec) : 0;
	struct crowd *crowd = &server->crowd;
	struct pollfd *polls = server->polls;
	const size_t lines = fill_lines(crowd, polls + OTHER_POLLS);
	int ready;

	polls[0] = (struct pollfd){.fd = server->service->signals, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = server->children, .events = POLLIN};
	/* Without a free place, because many killed processes still exist, new connections wait. */
	polls[2] = (struct pollfd){.fd = pause || !crowd_place(crowd) ? -1 : server->listener,
				   .events = POLLIN};
	if (!pause)
		server->pause_end_msec = 0;
	ready = poll(polls, OTHER_POLLS + lines, time_left(server));
	if (!ready)
		server_say_left_out(server);
	expire(server);
	if (ready <= 0)
		return;
	server->stopping = polls[0].revents;
	listen_to_lines(crowd, polls + OTHER_POLLS);
	/* First clients that leave, then guests that want their place, then new connections. */
	if (polls[1].revents)
		server_reap(server);
	if (!server->stopping)
		server_answer_guests(server);
	if (polls[2].revents && !server->stopping && !server->ended)
		accept_clients(server);
}

static void dismiss(struct server *server, int signal, int msec)
{
	const uint64_t end = clock_msec() + (uint64_t)msec;
	const struct crowd *crowd = &server->crowd;

	for_each_place (served, crowd)
		if (served->state)
			kill(served->pid, signal);
	while (crowd_has_processes(crowd) && clock_msec_until(end)) {
		struct pollfd children = {.fd = server->children, .events = POLLIN};

		poll(&children, 1, clock_msec_until(end));
		server_reap(server);
	}
	/* If this process did not run for a while, they may have ended unnoticed. */
	server_reap(server);
}

static int serve(struct server *server)
{
	bool interrupted;

	say_where(server);
	while (!server->stopping && !server->ended)
		turn(server);
	interrupted = server->stopping;
	server->stopping = true;
	server_stop_listening(server);
	dismiss(server, SIGTERM, END_MSEC);
	dismiss(server, SIGKILL, KILL_MSEC);
	/* A process that waits for a hanging device cannot be killed. */
	for_each_place (served, &server->crowd)
		if (served->state)
			server_say(server, &server->clients, &served->address,
				   mem_format("process %d, which served it, does not exit",
					      (int)served->pid));
	server_say_left_out(server);
	if (!server->service->once || server->well)
		return 0;
	return interrupted ? -EINTR : -EIO;
}

int selftest_serve(const struct selftest_service *service, struct selftest_results *results,
		   char **ret_reason, char **ret_hint)
{
	_cleanup_(server_close) struct server server = {
		.service = service, .results = results, .listener = -1, .children = -1};

	return server_open(&server, ret_reason, ret_hint) ?: serve(&server);
}
