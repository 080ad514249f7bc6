/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs each order in a child, so that what it does to memory and devices ends with it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/agent/agent_run.h"

/* The coordinator reads answers at once; if it does not, the connection is as good as lost. */
#define CHILD_ANSWER_MSEC 5000u
/* Similar rails finish together, so that their answers are one packet for the coordinator. */
#define ANSWERS_MSEC 50u
/* Time for the kernel to end a killed process, and how often to check for that. */
#define CHILD_END_MSEC 2000u
#define END_POLL_MSEC  2u
#define WAIT_USEC      1000

/* Queues the answer, to wait for those of the other rails: see mesh_agent_send_answers(). */
static void answer(struct mesh_agent *agent, uint64_t id, const struct mesh_result *told)
{
	struct mesh_result result = *told;
	struct mesh_message message;

	/* An older coordinator only knows that the pair was not tried. */
	if (result.outcome == MESH_APART && agent->protocol < MESH_PROTOCOL_APART)
		result.outcome = MESH_UNTRIED;
	/* These figures are known only if the coordinator asked for them. */
	if (result.both_gbps[MESH_END_A].known || result.both_gbps[MESH_END_B].known)
		mesh_both_answer_make(id, &result, &message);
	else
		mesh_answer_make(id, &result, &message);
	mesh_channel_put(&agent->channel, &message);
	if (!agent->answers_end_msec)
		agent->answers_end_msec = clock_msec() + ANSWERS_MSEC;
}

__attribute__((format(printf, 3, 4))) static void
answer_untried(struct mesh_agent *agent, uint64_t id, const char *format, ...)
{
	struct mesh_result result = {.outcome = MESH_UNTRIED};
	va_list values;

	va_start(values, format);
	vsnprintf(result.reason, sizeof(result.reason), format, values);
	va_end(values);
	answer(agent, id, &result);
}

/* Runs in the child, which keeps nothing of the agent except the runner's state. */
static void run_child(struct mesh_agent *agent, const struct mesh_order *order, int pipe,
		      pid_t parent)
{
	struct mesh_result result = {.outcome = MESH_UNTRIED};
	sigset_t none;

	/* The child must end with the agent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	close(agent->channel.fd);
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (agent->children[i].pid && agent->children[i].pipe >= 0)
			close(agent->children[i].pipe);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	agent->setup->runner->run(agent->state, order, &agent->local.host.rails[order->rail],
				  &result);
	result.reason[sizeof(result.reason) - 1] = '\0';
	/* The pipe takes these few bytes in one write. */
	if (write(pipe, &result, sizeof(result)) != (ssize_t)sizeof(result))
		_exit(1);
	_exit(0);
}

static bool any_in(const struct mesh_agent *agent, enum mesh_child_state state)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (agent->children[i].pid && agent->children[i].state == state)
			return true;
	return false;
}

static int fork_child(struct mesh_agent *agent, struct mesh_child *child,
		      const struct mesh_order *order)
{
	const pid_t parent = getpid();
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(NULL); /* so that the child does not write it again */
	pid = fork();
	rc = -errno;
	if (!pid) {
		close(ends[0]);
		run_child(agent, order, ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return rc;
	}
	*child = (struct mesh_child){
		.pid = pid,
		.pipe = ends[0],
		.id = order->id,
		.end_msec = clock_msec() + order->timeout_msec,
		.timeout_msec = order->timeout_msec,
	};
	return 0;
}

void mesh_agent_start(struct mesh_agent *agent, const struct mesh_order *told)
{
	struct mesh_child *child = NULL;
	struct mesh_order order = *told;
	int rc;

	for (size_t i = 0; i < MESH_MOST_CHILDREN && !child; i++)
		if (!agent->children[i].pid)
			child = &agent->children[i];
	text_clean_into(order.peer, sizeof(order.peer), told->peer, sizeof(told->peer));
	if (order.rail >= agent->local.host.rail_count) {
		answer_untried(agent, order.id, "this host has no such rail");
		return;
	}
	if (!child) {
		answer_untried(agent, order.id,
			       any_in(agent, CHILD_HANGS)
				       ? "processes of earlier tests hang in the kernel"
				       : "this host has too many orders");
		return;
	}
	if (order.timeout_msec > agent->admitted.timeout_msec)
		order.timeout_msec = agent->admitted.timeout_msec;
	rc = fork_child(agent, child, &order);
	if (rc)
		answer_untried(agent, order.id, "cannot start a process for the test: %s",
			       strerror(-rc));
}

bool mesh_agent_wait_for(pid_t pid, uint32_t msec, int *ret_status)
{
	const uint64_t end = clock_msec() + msec;
	pid_t ended;

	while (!(ended = waitpid(pid, ret_status, WNOHANG)) && clock_msec() < end)
		usleep(WAIT_USEC);
	/* If waitpid() fails there is no such child, which counts as ended. */
	return ended;
}

/* Does not wait: a driver's cleanup may keep the process for long, or forever. */
static void kill_child(struct mesh_child *child)
{
	kill(child->pid, SIGKILL);
	if (child->pipe >= 0)
		close(child->pipe);
	child->pipe = -1;
	child->state = CHILD_ENDS;
	child->end_msec = clock_msec() + CHILD_END_MSEC;
}

static void take_end(struct mesh_agent *agent, struct mesh_child *child, int status)
{
	const bool answers = child->state == CHILD_ENDS && !child->cancelled;

	if (answers && child->answered)
		answer(agent, child->id, &child->result);
	else if (answers && WIFSIGNALED(status))
		answer_untried(agent, child->id, "the process of the test was killed by signal %d",
			       WTERMSIG(status));
	else if (answers)
		answer_untried(agent, child->id, "the process of the test ended without a result");
	*child = (struct mesh_child){.pipe = -1};
}

/* Its place stays taken until the kernel releases the process. */
static void give_up(struct mesh_agent *agent, struct mesh_child *child)
{
	struct mesh_result *result = &child->result;
	const size_t length = strlen(result->reason);
	_cleanup_(freep) char *line = mem_format(
		"process %d of a test does not end, although it was killed: it hangs in the "
		"kernel, most likely in the driver of the adapter",
		(int)child->pid);

	child->state = CHILD_HANGS;
	if (agent->setup->say)
		agent->setup->say(line);
	if (child->cancelled)
		return;
	if (!child->answered) {
		answer_untried(agent, child->id, "the process of the test hangs in the kernel");
		return;
	}
	if (result->outcome == MESH_FAIL)
		snprintf(result->reason + length, sizeof(result->reason) - length,
			 "; its process hangs in the kernel");
	answer(agent, child->id, result);
}

/* Reaps killed children, and gives up those that do not end in time. */
static void reap(struct mesh_agent *agent, uint64_t now_msec)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];
		int status = 0;

		if (!child->pid || child->state == CHILD_TESTS)
			continue;
		if (mesh_agent_wait_for(child->pid, 0, &status))
			take_end(agent, child, status);
		else if (child->state == CHILD_ENDS && now_msec >= child->end_msec)
			give_up(agent, child);
	}
}

void mesh_agent_cancel(struct mesh_agent *agent, uint64_t id)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];

		if (!child->pid || child->id != id)
			continue;
		child->cancelled = true;
		if (child->state == CHILD_TESTS)
			kill_child(child);
	}
}

void mesh_agent_take(struct mesh_child *child)
{
	struct mesh_result result;

	/* Kill it in any case: it has nothing left to do, and might hang in a driver's cleanup. */
	if (read(child->pipe, &result, sizeof(result)) == (ssize_t)sizeof(result)) {
		child->result = result;
		child->answered = true;
	}
	kill_child(child);
}

void mesh_agent_look_at_time(struct mesh_agent *agent, uint64_t now_msec)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];

		if (!child->pid || child->state != CHILD_TESTS || now_msec < child->end_msec)
			continue;
		child->result = (struct mesh_result){.outcome = MESH_FAIL};
		snprintf(child->result.reason, sizeof(child->result.reason),
			 "the test did not end within %u.%u s", child->timeout_msec / 1000,
			 child->timeout_msec % 1000 / 100);
		child->answered = true;
		kill_child(child);
	}
	reap(agent, now_msec);
}

uint64_t mesh_agent_next_look(const struct mesh_agent *agent, uint64_t most_msec)
{
	const uint64_t soon = clock_msec() + END_POLL_MSEC;
	uint64_t next = most_msec;

	if (agent->answers_end_msec && agent->answers_end_msec < next)
		next = agent->answers_end_msec;
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		const struct mesh_child *child = &agent->children[i];
		const uint64_t look = child->state == CHILD_ENDS ? soon : child->end_msec;

		if (child->pid && child->state != CHILD_HANGS && look < next)
			next = look;
	}
	return next;
}

void mesh_agent_kill_all(struct mesh_agent *agent)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];

		if (!child->pid || child->state != CHILD_TESTS)
			continue;
		child->cancelled = true;
		kill_child(child);
	}
	for (reap(agent, clock_msec()); any_in(agent, CHILD_ENDS); reap(agent, clock_msec()))
		usleep(WAIT_USEC);
}

void mesh_agent_send_answers(struct mesh_agent *agent, uint64_t now_msec)
{
	const bool any = any_in(agent, CHILD_TESTS) || any_in(agent, CHILD_ENDS);

	if (!agent->answers_end_msec || (any && now_msec < agent->answers_end_msec))
		return;
	agent->answers_end_msec = 0;
	mesh_agent_flush(agent, CHILD_ANSWER_MSEC);
}
