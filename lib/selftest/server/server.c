/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "base/text.h"
#include "selftest/agent/watch.h"
#include "selftest/server/server_client.h"

#define DEFAULT_CLIENTS 16u
#define SERVER_BACKLOG	64
/* Accepts between two checks for signals and children, so that a flood of connects hides neither.
 */
#define MOST_ACCEPTS 64
/* How long no client is accepted after file descriptors or processes ran out. */
#define PAUSE_MSEC 500
/* Time for a process to end after its client. */
#define LEAVE_MSEC 200
/* Time to clean up after SIGTERM, and for the kernel to end a process after SIGKILL. */
#define END_MSEC  5000
#define KILL_MSEC 2000

struct served_client {
	pid_t pid;
	int report; /* the pipe's end that is read */
	struct ip_address address;
	uint64_t since_msec;
};

struct server {
	const struct selftest_service *service;
	struct selftest_results *results;
	int listener; /* -1: none any more */
	int children; /* a signalfd of SIGCHLD */
	struct served_client *clients;
	size_t client_count, most_clients, most_of_address;
	uint64_t pause_end_msec; /* of accepting; 0: none */
	bool ended;		 /* the one client was served */
	bool well;		 /* to its end */
	bool stopping;		 /* by a signal */
	sigset_t old_mask;
	struct sigaction old_action;
};

/* Logs a line about a client; frees the text. */
static void say(const struct server *server, const struct ip_address *address, char *text)
{
	_cleanup_(freep) char *raw = text;
	_cleanup_(freep) char *clean = text_clean(raw, strlen(raw));
	_cleanup_(freep) char *line = NULL;
	char name[IP_TEXT_SIZE];

	if (!server->service->say)
		return;
	ip_format(address, name);
	line = mem_format("%s: %s", name, clean);
	server->service->say(server->service->say_context, line);
}

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
		*ret_hint = mem_format("another server uses that port; choose a free one, here and "
				       "for the client: --port %u",
				       port_of(service) + 1);
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
	mem_extend(&line, service->token ? ", for those who know the token"
					 : ", for anyone who reaches it: --token asks for a token");
	service->say(service->say_context, line);
}

/* SIGCHLD is blocked and read, to wait for children. */
static int watch_children(struct server *server)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	server->children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server->children < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, &server->old_mask);
	/* If it were ignored, the kernel would keep no child to wait for. */
	sigaction(SIGCHLD, &standard, &server->old_action);
	return 0;
}

static void stop_listening(struct server *server)
{
	if (server->listener >= 0)
		close(server->listener);
	server->listener = -1;
}

static void server_close(struct server *server)
{
	stop_listening(server);
	if (server->children >= 0) {
		close(server->children);
		sigaction(SIGCHLD, &server->old_action, NULL);
		sigprocmask(SIG_SETMASK, &server->old_mask, NULL);
	}
	for (size_t i = 0; i < server->client_count; i++)
		close(server->clients[i].report);
	free(server->clients);
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
		*ret_reason = mem_string(HMAC_MISSING);
		*ret_hint = mem_string(HMAC_MISSING_HINT);
		return rc;
	}
	rc = tcp_listen(&service->bind, service->scope, port_of(service), &server->listener);
	if (!rc && listen(server->listener, SERVER_BACKLOG))
		rc = -errno;
	if (rc)
		return explain_listen(service, rc, ret_reason, ret_hint);
	rc = watch_children(server);
	if (rc)
		*ret_reason = mem_format("cannot wait for processes: %s", strerror(-rc));
	return rc;
}

static void add_row(struct server *server, const struct served_client *client,
		    const struct serve_report *report)
{
	if (server->results->count >= SERVICE_MOST_ROWS)
		selftest_results_drop_first(server->results);
	serve_report_fill_row(report, &client->address, clock_msec() - client->since_msec,
			      selftest_results_add(server->results));
}

/* Logs the end of a client whose process ended with that status. */
static void take_report(struct server *server, const struct served_client *client, int status)
{
	struct serve_report report;

	if (read(client->report, &report, sizeof(report)) == (ssize_t)sizeof(report))
		serve_report_check(&report);
	else
		serve_report_set_crash(&report, status, server->stopping);
	close(client->report);
	say(server, &client->address,
	    serve_report_line(&report, clock_msec() - client->since_msec));
	if (!report.welcomed)
		return;
	add_row(server, client, &report);
	server->ended = server->service->once;
	server->well = report.well;
}

static void reap(struct server *server)
{
	struct signalfd_siginfo info;

	while (read(server->children, &info, sizeof(info)) > 0)
		;
	for (size_t i = 0; i < server->client_count;) {
		const struct served_client client = server->clients[i];
		int status;

		if (waitpid(client.pid, &status, WNOHANG) <= 0) {
			i++;
			continue;
		}
		server->clients[i] = server->clients[--server->client_count];
		take_report(server, &client, status);
	}
}

/* In the child: closes everything of the server, so that nothing of it survives here. */
static void leave_server(struct server *server)
{
	stop_listening(server);
	close(server->children);
	sigaction(SIGCHLD, &server->old_action, NULL);
	for (size_t i = 0; i < server->client_count; i++)
		close(server->clients[i].report);
}

static void run_child(struct server *server, int channel, const struct ip_address *address,
		      int pipe_end, pid_t parent)
{
	struct serve_report report;

	/* If the server is killed, its children end. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	leave_server(server);
	serve_client(server->service, channel, address, &report);
	if (write(pipe_end, &report, sizeof(report)) != (ssize_t)sizeof(report))
		_exit(1);
	_exit(0);
}

static int start_child(struct server *server, int channel, const struct ip_address *address)
{
	const pid_t parent = getpid();
	int ends[2];
	pid_t pid;
	int rc;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(NULL); /* or the child might write it again */
	pid = fork();
	rc = -errno;
	if (!pid) {
		close(ends[0]);
		run_child(server, channel, address, ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return rc;
	}
	server->clients[server->client_count++] = (struct served_client){
		.pid = pid,
		.report = ends[0],
		.address = *address,
		.since_msec = clock_msec(),
	};
	return 0;
}

static void turn_away(const struct server *server, int channel, const struct ip_address *address,
		      const char *text)
{
	serve_refuse(channel, REFUSAL_BUSY, text);
	say(server, address, mem_format("refused: %s", text));
}

/* A server for one client gives the last one, say a port scanner, a moment to leave. */
static void wait_for_end(struct server *server)
{
	struct pollfd children = {.fd = server->children, .events = POLLIN};

	poll(&children, 1, LEAVE_MSEC);
	reap(server);
}

static void meet(struct server *server, int channel, const struct ip_address *address)
{
	_cleanup_(freep) char *text = NULL;
	size_t same = 0;
	int rc;

	if (server->service->once && server->client_count)
		wait_for_end(server);
	for (size_t i = 0; i < server->client_count; i++)
		same += ip_equal(&server->clients[i].address, address);
	if (server->client_count >= server->most_clients || server->ended)
		text = server->service->once
			       ? mem_string("it serves one client at a time")
			       : mem_format("it serves %zu clients already", server->client_count);
	else if (same >= server->most_of_address)
		text = mem_format("it serves %zu clients of this address already", same);
	if (text) {
		turn_away(server, channel, address, text);
		return;
	}
	rc = start_child(server, channel, address);
	if (rc) {
		text = mem_format("cannot start a process: %s", strerror(-rc));
		turn_away(server, channel, address, text);
		server->pause_end_msec = clock_msec() + PAUSE_MSEC;
	}
}

static void accept_clients(struct server *server)
{
	for (int i = 0; i < MOST_ACCEPTS && !server->pause_end_msec && !server->ended; i++) {
		struct sockaddr_storage storage = {0};
		socklen_t length = sizeof(storage);
		int channel = accept4(server->listener, (struct sockaddr *)&storage, &length,
				      SOCK_CLOEXEC);
		struct ip_address address;

		if (channel < 0 &&
		    (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
			server->pause_end_msec = clock_msec() + PAUSE_MSEC;
		/* Otherwise there is no client, or its connection is gone already. */
		if (channel < 0)
			return;
		address = socket_address_ip(&storage);
		meet(server, channel, &address);
		close(channel);
	}
}

/* Sleeps until there is something to do, and does it. */
static void turn(struct server *server)
{
	int pause = server->pause_end_msec ? clock_msec_until(server->pause_end_msec) : 0;
	struct pollfd polls[] = {
		{.fd = server->service->signals, .events = POLLIN},
		{.fd = server->children, .events = POLLIN},
		{.fd = pause ? -1 : server->listener, .events = POLLIN},
	};

	if (!pause)
		server->pause_end_msec = 0;
	if (poll(polls, ARRAY_SIZE(polls), pause ? pause : -1) <= 0)
		return;
	server->stopping = polls[0].revents;
	/* First clients that leave, then new ones. */
	if (polls[1].revents)
		reap(server);
	if (polls[2].revents && !server->stopping && !server->ended)
		accept_clients(server);
}

/* Ends the children that are left, and waits for them. */
static void dismiss(struct server *server, int signal, int msec)
{
	uint64_t end = clock_msec() + (uint64_t)msec;

	for (size_t i = 0; i < server->client_count; i++)
		kill(server->clients[i].pid, signal);
	while (server->client_count && clock_msec_until(end)) {
		struct pollfd children = {.fd = server->children, .events = POLLIN};

		poll(&children, 1, clock_msec_until(end));
		reap(server);
	}
}

static int serve(struct server *server)
{
	bool interrupted;

	say_where(server);
	while (!server->stopping && !server->ended)
		turn(server);
	interrupted = server->stopping;
	server->stopping = true;
	stop_listening(server);
	dismiss(server, SIGTERM, END_MSEC);
	dismiss(server, SIGKILL, KILL_MSEC);
	/* A process that waits for a hanging device cannot be killed. */
	for (size_t i = 0; i < server->client_count; i++)
		say(server, &server->clients[i].address,
		    mem_format("process %d, which served it, does not end",
			       (int)server->clients[i].pid));
	if (!server->service->once || server->well)
		return 0;
	return interrupted ? -EINTR : -EIO;
}

int selftest_serve(const struct selftest_service *service, struct selftest_results *results,
		   char **ret_reason, char **ret_hint)
{
	size_t most = service->most_clients ? service->most_clients : DEFAULT_CLIENTS;
	struct server server = {.service = service,
				.results = results,
				.listener = -1,
				.children = -1,
				.most_clients = service->once ? 1 : most};
	int rc = server_open(&server, ret_reason, ret_hint);

	if (!rc) {
		server.most_of_address = (server.most_clients + 1) / 2;
		server.clients = mem_alloc_zero(server.most_clients, sizeof(*server.clients));
		rc = serve(&server);
	}
	server_close(&server);
	return rc;
}
