/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/socket.h"
#include "mesh/agent/agent_run.h"

#define AGENT_SEND_MSEC 5000u
#define TURN_MSEC	1000
/* Time for the peers' server to end; most likely it has no client any more. */
#define SERVER_END_MSEC 1000u

static int fail(struct mesh_agent *agent, int rc, const char *reason)
{
	return mesh_agent_fail(agent, rc, mem_string(reason), NULL);
}

static void fill_names(struct mesh_agent *agent)
{
	struct mesh_host *host = &agent->local.host;
	struct utsname system;

	if (uname(&system))
		return;
	host->name = host->name ?: mem_string(agent->setup->name ?: system.nodename);
	host->kernel = host->kernel ?: mem_string(system.release);
	host->release = host->release ?: mem_string(RDMACTL_VERSION);
}

static void fill_limits(struct mesh_agent *agent)
{
	struct mesh_host *host = &agent->local.host;
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	struct rlimit limit;

	if (!host->memlock_bytes.known && !getrlimit(RLIMIT_MEMLOCK, &limit))
		host->memlock_bytes = number_of(limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
										: limit.rlim_cur);
	if (!host->rank.known)
		host->rank = agent->setup->rank;
	if (!host->address.family &&
	    !getsockname(agent->channel.fd, (struct sockaddr *)&address, &length))
		host->address = socket_address_ip(&address);
}

static int open_runner(struct mesh_agent *agent)
{
	const struct mesh_agent_setup *setup = agent->setup;
	const struct mesh_runner_setup runner_setup = {
		.token = setup->token,
		.file = setup->file,
		.name = setup->name,
		.rank = setup->rank,
		.seat = agent->admitted.seat,
		.timeout_msec = agent->admitted.timeout_msec,
	};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = setup->runner->open(&runner_setup, &agent->local, &agent->state, &reason, &hint);

	if (rc) {
		struct mesh_message message;

		/* Tell the coordinator which host cannot take part. */
		fill_names(agent);
		mesh_identity_make(&agent->local.host, &message);
		message.identity.rail_count = 0;
		mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
		mesh_agent_refuse(agent, MESH_REFUSAL_NO_RAIL, reason ?: strerror(-rc), hint);
		return mesh_agent_fail(agent, rc, mem_string(reason ?: strerror(-rc)), hint);
	}
	agent->open = true;
	fill_names(agent);
	fill_limits(agent);
	return 0;
}

static void send_finding(void *context, const char *check, const struct finding *finding)
{
	struct mesh_agent *agent = context;
	struct mesh_message message;

	mesh_finding_make(check, finding, &message);
	mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
}

/* An older coordinator knows nothing of gaps. */
static int send_gaps(struct mesh_agent *agent)
{
	const struct mesh_host *host = &agent->local.host;
	int rc = 0;

	if (agent->protocol < MESH_PROTOCOL_GAPS)
		return 0;
	for (size_t i = 0; i < host->gap_count && i < MESH_MOST_GAPS && !rc; i++) {
		struct mesh_message message;

		mesh_gap_make(&host->gaps[i], &message);
		rc = mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
	}
	return rc;
}

static int send_slots(struct mesh_agent *agent)
{
	const struct strings *slots = &agent->local.host.slots;
	int rc = 0;

	/* With more ports, the coordinator does not get all gaps, so their slots say nothing. */
	if (agent->protocol < MESH_PROTOCOL_SLOTS || agent->local.host.gap_count > MESH_MOST_GAPS)
		return 0;
	for (size_t i = 0; i < slots->count && !rc; i++) {
		struct mesh_message message = {.type = MESH_MESSAGE_SLOT};

		snprintf(message.slot.slot, sizeof(message.slot.slot), "%s", slots->items[i]);
		rc = mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
	}
	return rc;
}

/* Introduces this host: its identity, rails, gaps, slots and findings, and that it is ready. */
static int introduce(struct mesh_agent *agent)
{
	const struct mesh_host *host = &agent->local.host;
	const struct mesh_message ready = {.type = MESH_MESSAGE_READY};
	struct mesh_message message;
	int rc;

	mesh_identity_make(host, &message);
	rc = mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
	for (uint32_t i = 0; i < host->rail_count && !rc; i++) {
		message = (struct mesh_message){.type = MESH_MESSAGE_RAIL};
		message.rail.endpoint = host->rails[i];
		rc = mesh_agent_send(agent, &message, AGENT_SEND_MSEC);
	}
	if (!rc)
		rc = send_gaps(agent);
	if (!rc)
		rc = send_slots(agent);
	if (!rc && agent->admitted.doctor && agent->setup->doctor)
		agent->setup->doctor(send_finding, agent);
	return rc ? rc : mesh_agent_send(agent, &ready, AGENT_SEND_MSEC);
}

/* Carries out a message. Returns 0, 1 for goodbye, or -errno. */
static int obey(struct mesh_agent *agent, const struct mesh_message *message)
{
	struct mesh_message pong = {.type = MESH_MESSAGE_PONG};

	switch (message->type) {
	case MESH_MESSAGE_ORDER:
		mesh_agent_start(agent, &message->order);
		return 0;
	case MESH_MESSAGE_CANCEL:
		mesh_agent_cancel(agent, message->cancel.id);
		return 0;
	case MESH_MESSAGE_PING:
		pong.pong.number = message->ping.number;
		pong.pong.clock_msec = clock_wall_nsec() / 1000000;
		return mesh_agent_send(agent, &pong, AGENT_SEND_MSEC);
	case MESH_MESSAGE_BYE:
		return 1;
	case MESH_MESSAGE_REFUSED:
		return mesh_agent_fail_refused(agent, &message->refused);
	default:
		return fail(agent, -EPROTO, "the coordinator sent an unexpected message");
	}
}

static int listen_to(struct mesh_agent *agent)
{
	struct mesh_message message;
	int rc = mesh_channel_receive(&agent->channel);

	if (rc == -EAGAIN)
		return 0;
	if (rc)
		return fail(agent, rc, "the coordinator has ended");
	while ((rc = mesh_channel_next(&agent->channel, &message)) > 0) {
		rc = obey(agent, &message);
		if (rc)
			return rc;
	}
	if (rc < 0)
		return fail(agent, rc, "the coordinator sent an invalid message");
	return 0;
}

/* The end of the process that serves the peers must not go unnoticed. */
static int look_at_server(struct mesh_agent *agent)
{
	int status;

	if (!agent->local.server || waitpid(agent->local.server, &status, WNOHANG) <= 0)
		return 0;
	agent->local.server = 0;
	mesh_agent_refuse(agent, MESH_REFUSAL_OTHER, "its test server has ended", NULL);
	return fail(agent, -ECHILD, "the test server of this agent has ended");
}

/* Waits for a message, a signal or a child's result, or until something else is due. */
static int wait_for_events(struct mesh_agent *agent,
			   struct pollfd polls[static 2 + MESH_MOST_CHILDREN])
{
	const uint32_t quarter = agent->admitted.silence_msec / 4;
	const uint64_t most = clock_msec() + (quarter < TURN_MSEC ? quarter : TURN_MSEC);
	struct mesh_child *children[MESH_MOST_CHILDREN];
	size_t count = 2;

	polls[0] = (struct pollfd){.fd = agent->channel.fd, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = agent->setup->signals, .events = POLLIN};
	/* Only pipes that exist: poll(2) refuses more entries than RLIMIT_NOFILE. */
	for (size_t i = 0; i < MESH_MOST_CHILDREN; i++) {
		struct mesh_child *child = &agent->children[i];

		if (!child->pid || child->pipe < 0)
			continue;
		children[count - 2] = child;
		polls[count++] = (struct pollfd){.fd = child->pipe, .events = POLLIN};
	}
	if (poll(polls, count, clock_msec_until(mesh_agent_next_look(agent, most))) < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	for (size_t i = 2; i < count; i++)
		if (polls[i].revents)
			mesh_agent_take(children[i - 2]);
	return 0;
}

static int turn(struct mesh_agent *agent)
{
	struct pollfd polls[2 + MESH_MOST_CHILDREN];
	const uint32_t silence = agent->admitted.silence_msec;
	int rc = wait_for_events(agent, polls);

	if (rc == -EAGAIN)
		return 0;
	if (rc)
		return mesh_agent_fail(
			agent, rc,
			mem_format("cannot wait for the coordinator and for tests: %s",
				   strerror(-rc)),
			rc == -EINVAL ? "ulimit -n is too small" : NULL);
	if (polls[1].revents)
		return fail(agent, -EINTR, "ended by a signal");
	mesh_agent_look_at_time(agent, clock_msec());
	if (polls[0].revents)
		rc = listen_to(agent);
	mesh_agent_send_answers(agent, clock_msec());
	if (!rc)
		rc = look_at_server(agent);
	/*
	 * After a stop the silence begins again: had the coordinator given this agent up, it would
	 * have closed the connection.
	 */
	if (mesh_was_stopped(agent->turn_msec, clock_msec(), silence))
		agent->channel.heard_msec = clock_msec();
	agent->turn_msec = clock_msec();
	if (!rc && clock_msec() - agent->channel.heard_msec >= silence)
		rc = mesh_agent_fail(
			agent, -ETIMEDOUT,
			mem_format("nothing was heard from the coordinator for %u.%u s",
				   silence / 1000, silence % 1000 / 100),
			NULL);
	return rc;
}

static void close_agent(struct mesh_agent *agent)
{
	int status;

	if (agent->open)
		agent->setup->runner->close(agent->state);
	if (agent->local.server > 0)
		mesh_agent_wait_for(agent->local.server, SERVER_END_MSEC, &status);
	mesh_channel_close(&agent->channel);
	mesh_host_clear(&agent->local.host);
}

int mesh_agent_run(const struct mesh_agent_setup *setup, char **ret_reason, char **ret_hint)
{
	struct mesh_agent agent = {
		.setup = setup,
		.channel.fd = -1,
		.ret_reason = ret_reason,
		.ret_hint = ret_hint,
	};
	int rc = mesh_agent_connect(&agent);

	if (!rc)
		rc = open_runner(&agent);
	if (!rc) {
		rc = introduce(&agent);
		if (rc)
			fail(&agent, rc, "the coordinator has ended");
	}
	agent.turn_msec = agent.channel.heard_msec = clock_msec();
	while (!rc)
		rc = turn(&agent);
	mesh_agent_kill_all(&agent);
	if (rc == -EINTR)
		mesh_agent_refuse(&agent, MESH_REFUSAL_OTHER, "its agent was ended by a signal",
				  NULL);
	close_agent(&agent);
	if (rc > 0) {
		free(*ret_reason);
		free(*ret_hint);
		*ret_reason = *ret_hint = NULL;
		return 0;
	}
	return rc;
}
