/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The log of a server, and its child processes, one per client. */
#include "selftest/server/server.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/mem.h"
#include "base/text.h"

/* Time for a process to end after its client left. */
#define LEAVE_MSEC 200
/* A handshake, with its refusal, is over by then; so is a client's process after its own time. */
#define GUEST_MSEC 15000
#define GRACE_MSEC 2000
/* Limits on the open files of a process that serves a client, and on the tasks of its user. */
#define MOST_FILES     256
#define MOST_PROCESSES 4096

static void say_left_out(const struct server *server, struct log_limit *limit)
{
	_cleanup_(freep) char *line = NULL;

	if (!limit->left_out)
		return;
	line = mem_format("%" PRIu64 " more %s omitted", limit->left_out,
			  limit->left_out == 1 ? "line was" : "lines were");
	limit->left_out = 0;
	server->service->say(server->service->say_context, line);
}

void server_say_left_out(struct server *server)
{
	say_left_out(server, &server->strangers);
	say_left_out(server, &server->clients);
}

void server_say(const struct server *server, struct log_limit *limit,
		const struct ip_address *address, char *text)
{
	_cleanup_(freep) char *raw = text;
	_cleanup_(freep) char *clean = text_clean(raw, strlen(raw));
	_cleanup_(freep) char *line = NULL;
	char name[IP_TEXT_SIZE];

	if (!server->service->say || !log_limit_take(limit, clock_msec()))
		return;
	say_left_out(server, limit);
	ip_format(address, name);
	line = mem_format("%s: %s", name, clean);
	server->service->say(server->service->say_context, line);
}

void server_stop_listening(struct server *server)
{
	if (server->listener >= 0)
		close(server->listener);
	server->listener = -1;
}

static void close_line(struct served *served)
{
	if (served->line >= 0)
		close(served->line);
	served->line = -1;
}

void server_close_lines(struct server *server)
{
	for_each_place (served, &server->crowd)
		if (served->state)
			close_line(served);
}

static void add_row(struct server *server, const struct served *served)
{
	if (server->results->count >= SERVICE_MOST_ROWS)
		selftest_results_drop_first(server->results);
	serve_report_fill_row(&served->report, &served->address, clock_msec() - served->since_msec,
			      selftest_results_add(server->results));
}

/* A process sends a request for a client's place, and its report at the end. */
void server_listen_to(struct served *served)
{
	struct serve_report report;
	ssize_t got = 0;

	while (served->line >= 0 &&
	       (got = recv(served->line, &report, sizeof(report), MSG_DONTWAIT)) > 0) {
		if (got == (ssize_t)sizeof(report)) {
			served->report = report;
			served->reported = true;
		} else {
			served->asks = true;
		}
	}
	if (!got)
		close_line(served);
}

/* Logs the end of a client whose process ended with that status. */
static void take_report(struct server *server, struct served *served, int status)
{
	const bool client = served->state == SERVED_CLIENT;
	struct serve_report *report = &served->report;

	server_listen_to(served);
	close_line(served);
	if (!served->reported)
		serve_report_set_crash(report, status, server->stopping, served->ended);
	/* Terminates the texts, whatever happened to the process that sent them. */
	report->text[sizeof(report->text) - 1] = '\0';
	report->local.device[sizeof(report->local.device) - 1] = '\0';
	report->welcomed = report->welcomed && client;
	server_say(server, client ? &server->clients : &server->strangers, &served->address,
		   serve_report_line(report, clock_msec() - served->since_msec));
	if (report->welcomed) {
		add_row(server, served);
		server->ended = server->service->once;
		server->well = report->well;
	}
}

void server_reap(struct server *server)
{
	struct signalfd_siginfo info;

	while (read(server->children, &info, sizeof(info)) > 0)
		;
	for_each_place (served, &server->crowd) {
		int status;

		if (!served->state || waitpid(served->pid, &status, WNOHANG) <= 0)
			continue;
		take_report(server, served, status);
		crowd_leave(&server->crowd, served);
	}
}

static void answer(struct server *server, struct served *guest)
{
	_cleanup_(freep) char *text = crowd_refusal(&server->crowd, guest);
	struct serve_answer answer = {.granted = !text};

	if (text) {
		snprintf(answer.text, sizeof(answer.text), "%s", text);
	} else {
		crowd_admit(&server->crowd, guest);
		guest->end_msec = clock_msec() + serve_life_msec(server->service) + GRACE_MSEC;
	}
	guest->asks = false;
	send(guest->line, &answer, sizeof(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* A server for one client gives the previous one, say a port scanner, a moment to leave. */
static void wait_for_end(struct server *server)
{
	struct pollfd children = {.fd = server->children, .events = POLLIN};

	if (server->crowd.once && crowd_is_full(&server->crowd)) {
		poll(&children, 1, LEAVE_MSEC);
		server_reap(server);
	}
}

void server_answer_guests(struct server *server)
{
	for_each_place (guest, &server->crowd) {
		if (server->ended)
			return;
		if (guest->state != SERVED_GUEST || guest->ended || !guest->asks)
			continue;
		wait_for_end(server);
		if (guest->state == SERVED_GUEST && !server->ended)
			answer(server, guest);
	}
}

/*
 * Gives up all rights that serving a client does not need, before reading its first byte: whoever
 * connects may take control of this process. A run needs a second thread.
 */
static int confine_child(const struct selftest_service *service)
{
	const struct confinement confinement = {
		.capabilities = CONFINE_IPC_LOCK,
		.most_files = MOST_FILES,
		.most_processes = MOST_PROCESSES,
		.most_cpu_seconds = 2 * serve_life_msec(service) / 1000 + 1,
		.writable_directory = "/dev/infiniband",
	};
	int rc = confine(&confinement);

	/* Set last: a change of privileges would clear it, prctl(2). */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	return rc;
}

static void run_child(struct server *server, int channel, struct served *place, int line,
		      pid_t parent)
{
	struct serve_client client = {
		.service = server->service,
		.channel = channel,
		.address = place->address,
		.line = line,
		.budget = &server->crowd.budget,
		.place = (size_t)(place - server->crowd.places),
	};

	/* Closes all descriptors of the server, so that none of them survives here. */
	server_stop_listening(server);
	close(server->children);
	server_close_lines(server);
	if (confine_child(server->service))
		_exit(1);
	/* If the server was killed, its children end. */
	if (getppid() != parent)
		_exit(1);
	serve_client(&client);
	_exit(send(line, &client.report, sizeof(client.report), MSG_NOSIGNAL) !=
	      (ssize_t)sizeof(client.report));
}

int server_start_child(struct server *server, int channel, const struct ip_address *address,
		       struct served *place)
{
	const pid_t parent = getpid();
	int ends[2];
	pid_t pid;
	int rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	*place = (struct served){.line = -1, .address = *address};
	fflush(NULL); /* or the child might write it again */
	pid = fork();
	rc = -errno;
	if (!pid) {
		close(ends[0]);
		run_child(server, channel, place, ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return rc;
	}
	place->state = SERVED_GUEST;
	place->pid = pid;
	place->line = ends[0];
	place->since_msec = clock_msec();
	place->end_msec = place->since_msec + GUEST_MSEC;
	return 0;
}

void server_end_child(struct served *served, const char *why)
{
	kill(served->pid, SIGKILL);
	served->ended = why;
}
