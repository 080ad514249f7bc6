/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One process per rail, so that each keeps to the processors and the memory near its adapter and
 * none waits for another. They wait until all are connected, and begin together.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "selftest/rails/rails.h"
#include "selftest/selftest.h"

/* Time besides the measurement: to connect, to prove the port, and to end. */
#define BESIDE_MSEC 90000u

/* Time for the kernel to end a process after SIGKILL. */
#define LEAVE_BEHIND_MSEC 2000u

/* Messages between the two; the report at the end is longer. */
enum word { WORD_READY = 'r', WORD_GO = 'g' };

struct worker {
	pid_t pid; /* 0: it has ended */
	int line;
	bool ready;
};

struct crew {
	const struct selftest_request *request;
	struct worker *workers;
	struct rail_report *reports;
	size_t count;
	bool going;
};

/* ---- In the process ---- */

/* Waits until all other processes are ready to measure. */
static void meet(void *context)
{
	const int line = *(const int *)context;
	char word = WORD_READY;

	if (send(line, &word, sizeof(word), MSG_NOSIGNAL) != sizeof(word) ||
	    recv(line, &word, sizeof(word), 0) != sizeof(word))
		_exit(1);
}

static void copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

/* The first failure is the cause of the later ones. */
static void take_rows(const struct selftest_results *results, struct rail_report *report)
{
	for (size_t i = 0; i < results->count; i++) {
		const struct selftest_result *row = results->items[i];

		if (row->group.value == SELFTEST_BANDWIDTH && row->bandwidth_gbps.known &&
		    row->verdict.value == SELFTEST_PASS) {
			report->done = true;
			report->gbps = row->bandwidth_gbps.value;
		}
		copy(report->cpus, sizeof(report->cpus), row->cpus);
		copy(report->far_cpus, sizeof(report->far_cpus), row->peer_cpus);
		if (row->verdict.value == SELFTEST_PASS || report->reason[0] || !row->reason)
			continue;
		snprintf(report->reason, sizeof(report->reason), "%s: %s", row->test, row->reason);
		copy(report->next_step, sizeof(report->next_step), row->next_step);
		report->skipped = row->group.value == SELFTEST_BANDWIDTH &&
				  row->verdict.value == SELFTEST_SKIP;
	}
}

static void work(const struct selftest_request *request, const struct rail *rail, int line,
		 pid_t parent)
{
	struct rail_report report = {0};
	struct selftest_request own = *request;
	struct selftest_results results = {0};

	/* Dies with its parent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	own.peer_device = rail->far.device;
	own.peer_port = rail->far.port;
	own.path = rail->path;
	own.pins = true;
	own.share = rail->share;
	own.shares = rail->shares;
	own.peer_share = rail->far_share;
	own.peer_shares = rail->far_shares;
	own.gate = meet;
	own.gate_context = &line;
	own.progress = NULL;
	own.expect_gbps = 0; /* the parent compares the bandwidth together */
	selftest_run(&own, &rail->near, &results);
	take_rows(&results, &report);
	_exit(send(line, &report, sizeof(report), MSG_NOSIGNAL) != (ssize_t)sizeof(report));
}

/* ---- In the parent ---- */

/* Ends a worker. A process that waits for a hanging device cannot be killed: it is left behind. */
static void end_worker(struct worker *worker)
{
	const uint64_t end_msec = clock_msec() + LEAVE_BEHIND_MSEC;

	if (!worker->pid)
		return;
	kill(worker->pid, SIGKILL);
	while (!waitpid(worker->pid, NULL, WNOHANG) && clock_msec_until(end_msec))
		usleep(1000);
	close(worker->line);
	*worker = (struct worker){.line = -1};
}

static int start_worker(struct crew *crew, size_t index, const struct rail *rail)
{
	struct worker *worker = &crew->workers[index];
	const pid_t parent = getpid();
	int ends[2], rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	fflush(NULL); /* or the child might write it again */
	worker->pid = fork();
	rc = -errno;
	if (!worker->pid) {
		close(ends[0]);
		/* Keeps no copies of the other lines: they must end with the parent. */
		for (size_t i = 0; i < index; i++)
			if (crew->workers[i].pid)
				close(crew->workers[i].line);
		work(crew->request, rail, ends[1], parent);
	}
	close(ends[1]);
	worker->line = ends[0];
	if (worker->pid > 0)
		return 0;
	close(worker->line);
	*worker = (struct worker){.line = -1};
	return rc;
}

static void explain(struct rail_report *report, const char *reason, const char *next_step)
{
	copy(report->reason, sizeof(report->reason), reason);
	copy(report->next_step, sizeof(report->next_step), next_step);
}

static void listen_to(struct crew *crew, size_t index)
{
	struct worker *worker = &crew->workers[index];
	struct rail_report *report = &crew->reports[index], received;
	const ssize_t got = recv(worker->line, &received, sizeof(received), MSG_DONTWAIT);

	if (got == 1) {
		worker->ready = true;
		return;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got == (ssize_t)sizeof(received)) {
		*report = received;
		report->reason[sizeof(report->reason) - 1] = '\0';
		report->next_step[sizeof(report->next_step) - 1] = '\0';
	} else {
		explain(report, "the process of this rail ended without a result",
			"the kernel log (dmesg) shows whether it crashed or ran out of memory");
	}
	/* It has nothing left to do, and might hang in a driver's cleanup. */
	end_worker(worker);
}

/* Starts the measurement once all remaining workers are ready. */
static void start_together(struct crew *crew)
{
	const char word = WORD_GO;

	for (size_t i = 0; i < crew->count; i++)
		if (crew->workers[i].pid && !crew->workers[i].ready)
			return;
	if (crew->going)
		return;
	crew->going = true;
	for (size_t i = 0; i < crew->count; i++)
		if (crew->workers[i].pid)
			send(crew->workers[i].line, &word, sizeof(word), MSG_NOSIGNAL);
}

/* Returns 0, -EINTR, -ETIMEDOUT, or -errno of poll(2). */
static int wait_for_all(struct crew *crew, uint64_t end_msec)
{
	_cleanup_(freep) struct pollfd *polls = mem_alloc_zero(crew->count + 1, sizeof(*polls));

	for (;;) {
		size_t working = 0;
		int ready;

		polls[crew->count] = (struct pollfd){.fd = crew->request->signals,
						     .events = POLLIN};
		for (size_t i = 0; i < crew->count; i++) {
			const struct worker *worker = &crew->workers[i];

			working += worker->pid > 0;
			polls[i] = (struct pollfd){
				.fd = worker->pid ? worker->line : -1,
				.events = POLLIN,
			};
		}
		if (!working)
			return 0;
		ready = poll(polls, crew->count + 1, clock_msec_until(end_msec));
		if (ready < 0 && errno != EINTR)
			return -errno;
		/* What was sent in time counts, even if this process was stopped meanwhile. */
		if (ready <= 0 && !clock_msec_until(end_msec))
			return -ETIMEDOUT;
		if (polls[crew->count].revents)
			return -EINTR;
		for (size_t i = 0; i < crew->count; i++)
			if (polls[i].revents)
				listen_to(crew, i);
		start_together(crew);
	}
}

int rails_process(const struct selftest_request *request, const struct rail *const *rails,
		  size_t count, struct rail_report *ret_reports)
{
	/* The time for a number of messages is unknown. */
	const uint64_t run_msec = request->iterations ? LIMIT_MSEC : request->duration_msec;
	const uint64_t end_msec = clock_msec() + run_msec + BESIDE_MSEC;
	_cleanup_(freep) struct worker *workers = mem_alloc_zero(count + 1, sizeof(*workers));
	struct crew crew = {
		.request = request,
		.workers = workers,
		.reports = ret_reports,
		.count = count,
	};
	int rc;

	memset(ret_reports, 0, count * sizeof(*ret_reports));
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *reason = NULL;

		rc = start_worker(&crew, i, rails[i]);
		if (!rc)
			continue;
		reason = mem_format("cannot start a process for this rail: %s", strerror(-rc));
		explain(&ret_reports[i], reason,
			"raise the limits of processes and open files: ulimit -u, ulimit -n");
	}
	rc = wait_for_all(&crew, end_msec);
	for (size_t i = 0; i < count; i++) {
		if (workers[i].pid && rc != -EINTR)
			explain(&ret_reports[i], "the test did not finish",
				request->iterations
					? "give fewer --iterations, or name this port and "
					  "--peer-device to test it alone"
					: "name this port and --peer-device to test it alone");
		end_worker(&workers[i]);
	}
	return rc == -EINTR ? rc : 0;
}
