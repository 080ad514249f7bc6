/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Orders, each in a child: what it does to the program's memory and devices ends with it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/agent/agent_run.h"

/* The coordinator reads answers at once; if it does not, the connection is as good as lost. */
#define CHILD_ANSWER_MSEC 5000u
/* Rails that are alike end together, so that their answers are one packet for the coordinator. */
#define ANSWERS_MSEC 50u

/* It waits for those of the other rails: see mesh_agent_send_answers(). */
static void answer(struct mesh_agent *agent, uint64_t id, const struct mesh_result *result)
{
	struct mesh_message message;

	/* Only who asked for it gets it. */
	if (result->both_gbps[MESH_END_A].known || result->both_gbps[MESH_END_B].known)
		mesh_both_answer_make(id, result, &message);
	else
		mesh_answer_make(id, result, &message);
	mesh_channel_put(&agent->channel, &message);
	if (!agent->answers_end_msec)
		agent->answers_end_msec = clock_msec() + ANSWERS_MSEC;
}

static void answer_untried(struct mesh_agent *agent, uint64_t id, const char *reason)
{
	struct mesh_result result = {.outcome = MESH_UNTRIED};

	snprintf(result.reason, sizeof(result.reason), "%s", reason);
	answer(agent, id, &result);
}

/* In the child, which has nothing of the agent but the runner's state. */
static void run_child(struct mesh_agent *agent, const struct mesh_order *order, int pipe,
		      pid_t parent)
{
	struct mesh_result result = {.outcome = MESH_UNTRIED};
	sigset_t none;

	/* It ends with the agent, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	close(agent->channel.fd);
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (agent->children[i].pid)
			close(agent->children[i].pipe);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	agent->setup->runner->run(agent->state, order, &result);
	result.reason[sizeof(result.reason) - 1] = '\0';
	/* So few bytes fit into a pipe at once. */
	if (write(pipe, &result, sizeof(result)) != (ssize_t)sizeof(result))
		_exit(1);
	_exit(0);
}

static struct mesh_child *free_place(struct mesh_agent *agent)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (!agent->children[i].pid)
			return &agent->children[i];
	return NULL;
}

static int fork_child(struct mesh_agent *agent, struct mesh_child *child,
		      const struct mesh_order *order)
{
	const pid_t parent = getpid();
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(NULL); /* or the child might write it again */
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

void mesh_agent_start(struct mesh_agent *agent, const struct mesh_order_message *message)
{
	const struct mesh_host *host = &agent->local.host;
	struct mesh_child *child = free_place(agent);
	struct mesh_order order;
	char text[128];
	int rc;

	mesh_order_take(message, &order);
	if (order.rail >= host->rail_count) {
		answer_untried(agent, order.id, "this host has no such rail");
		return;
	}
	if (!child) {
		answer_untried(agent, order.id, "this host has too many orders");
		return;
	}
	order.near = host->rails[order.rail];
	if (order.timeout_msec > agent->admitted.timeout_msec)
		order.timeout_msec = agent->admitted.timeout_msec;
	rc = fork_child(agent, child, &order);
	if (rc) {
		snprintf(text, sizeof(text), "no process for the test: %s", strerror(-rc));
		answer_untried(agent, order.id, text);
	}
}

/* Waits for it; its status. */
static int end_child(struct mesh_child *child, int signal)
{
	int status = 0;

	if (signal)
		kill(child->pid, signal);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(child->pipe);
	*child = (struct mesh_child){.pipe = -1};
	return status;
}

void mesh_agent_cancel(struct mesh_agent *agent, uint64_t id)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (agent->children[i].pid && agent->children[i].id == id)
			end_child(&agent->children[i], SIGKILL);
}

void mesh_agent_take(struct mesh_agent *agent, struct mesh_child *child)
{
	const uint64_t id = child->id;
	struct mesh_result result;
	char text[128];
	int status;

	if (read(child->pipe, &result, sizeof(result)) == (ssize_t)sizeof(result)) {
		/* It has nothing left to do, and might hang in a driver's cleanup. */
		end_child(child, SIGKILL);
		answer(agent, id, &result);
		return;
	}
	status = end_child(child, SIGKILL);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "the process of the test was killed by signal %d",
			 WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "the process of the test ended without a result");
	answer_untried(agent, id, text);
}

void mesh_agent_look_at_time(struct mesh_agent *agent, uint64_t now_msec)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];
		struct mesh_result result = {.outcome = MESH_FAIL};
		const uint64_t id = child->id;

		if (!child->pid || now_msec < child->end_msec)
			continue;
		snprintf(result.reason, sizeof(result.reason),
			 "the test did not end within %u.%u s", child->timeout_msec / 1000,
			 child->timeout_msec % 1000 / 100);
		end_child(child, SIGKILL);
		answer(agent, id, &result);
	}
}

void mesh_agent_kill_all(struct mesh_agent *agent)
{
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		if (agent->children[i].pid)
			end_child(&agent->children[i], SIGKILL);
}

void mesh_agent_send_answers(struct mesh_agent *agent, uint64_t now_msec)
{
	bool any = false;

	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++)
		any |= agent->children[i].pid != 0;
	if (!agent->answers_end_msec || (any && now_msec < agent->answers_end_msec))
		return;
	agent->answers_end_msec = 0;
	mesh_agent_flush(agent, CHILD_ANSWER_MSEC);
}
