/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"
#include "mesh/agent/agent_run.h"

#define AGENT_CONNECT_MSEC 3000
#define AGENT_SHAKE_MSEC   8000
#define DEFAULT_TRY_MSEC   60000u
#define FIRST_TRY_MSEC	   100u
#define LONGEST_TRY_MSEC   2000u

int mesh_agent_flush(struct mesh_agent *agent, uint32_t msec)
{
	const uint64_t end_msec = clock_msec() + msec;
	int rc = mesh_channel_flush(&agent->channel);

	while (rc == -EAGAIN) {
		rc = socket_wait(agent->channel.fd, POLLOUT, agent->setup->signals, end_msec);
		if (!rc)
			rc = mesh_channel_flush(&agent->channel);
	}
	return rc;
}

int mesh_agent_send(struct mesh_agent *agent, const struct mesh_message *message, uint32_t msec)
{
	int rc = mesh_channel_put(&agent->channel, message);

	return rc ? rc : mesh_agent_flush(agent, msec);
}

void mesh_agent_refuse(struct mesh_agent *agent, enum mesh_refusal refusal, const char *text,
		       const char *hint)
{
	struct mesh_message message;

	mesh_refused_make(refusal, text, hint, &message);
	mesh_agent_send(agent, &message, AGENT_CONNECT_MSEC);
}

static int receive(struct mesh_agent *agent, struct mesh_message *message, uint64_t end_msec)
{
	int rc;

	while (!(rc = mesh_channel_next(&agent->channel, message))) {
		rc = mesh_channel_receive(&agent->channel);
		if (rc == -EAGAIN)
			rc = socket_wait(agent->channel.fd, POLLIN, agent->setup->signals,
					 end_msec);
		if (rc)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

int mesh_agent_fail(struct mesh_agent *agent, int rc, char *reason, const char *hint)
{
	free(*agent->ret_reason);
	free(*agent->ret_hint);
	*agent->ret_reason = reason;
	*agent->ret_hint = mem_string_or_null(hint);
	return rc;
}

int mesh_agent_fail_refused(struct mesh_agent *agent, const struct mesh_refused *refused)
{
	_cleanup_(freep) char *text = text_clean(refused->text, sizeof(refused->text));
	_cleanup_(freep) char *hint = text_clean(refused->hint, sizeof(refused->hint));

	return mesh_agent_fail(agent, -EPERM,
			       mem_format("the coordinator refuses this agent: %s", text),
			       *hint ? hint : NULL);
}

/* Receives a message of the given type. */
static int expect(struct mesh_agent *agent, uint32_t type, struct mesh_message *message,
		  uint64_t end_msec)
{
	int rc = receive(agent, message, end_msec);

	if (!rc && message->type == MESH_MESSAGE_REFUSED)
		return mesh_agent_fail_refused(agent, &message->refused);
	return !rc && message->type != type ? -EPROTO : rc;
}

static int shake_hands(struct mesh_agent *agent)
{
	const struct mesh_agent_setup *setup = agent->setup;
	const uint64_t end = clock_msec() + AGENT_SHAKE_MSEC;
	struct mesh_shake shake;
	struct mesh_message message;
	int rc;

	mesh_shake_hello(setup->name, !setup->token, &message);
	rc = mesh_agent_send(agent, &message, AGENT_SHAKE_MSEC);
	if (!rc)
		rc = expect(agent, MESH_MESSAGE_CHALLENGE, &message, end);
	if (rc)
		return rc;
	if (!setup->token)
		return -EPROTO;
	rc = mesh_shake_respond(&shake, setup->token, &message.challenge, &message);
	if (rc == -EPROTONOSUPPORT)
		return rc;
	if (rc) {
		_cleanup_(freep) char *hint = hmac_hint(rc);

		return mesh_agent_fail(agent, -EPERM, mem_string(hmac_failure(rc)), hint);
	}
	rc = mesh_agent_send(agent, &message, AGENT_SHAKE_MSEC);
	if (!rc)
		rc = expect(agent, MESH_MESSAGE_ADMITTED, &message, end);
	if (rc)
		return rc;
	agent->admitted = message.admitted;
	agent->protocol = shake.challenge.version;
	return mesh_shake_check(&shake, setup->token, &message.admitted);
}

static int connect_socket(struct mesh_agent *agent, const struct addrinfo *address)
{
	_cleanup_(closep) int fd = socket(address->ai_family,
					  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = connect(fd, address->ai_addr, address->ai_addrlen) ? -errno : 0;
	if (rc && rc != -EINPROGRESS)
		return rc;
	rc = socket_wait(fd, POLLOUT, agent->setup->signals, clock_msec() + AGENT_CONNECT_MSEC);
	if (!rc)
		rc = socket_error(fd);
	if (rc)
		return rc;
	mesh_channel_open(&agent->channel, fd);
	fd = -1;
	return 0;
}

/* This host forbids the connection: EPERM and EACCES are reserved for a coordinator's answers. */
#define HELD_BACK (-ECONNABORTED)

static int try_address(struct mesh_agent *agent, const struct addrinfo *address)
{
	int rc = connect_socket(agent, address);

	if (rc)
		return rc == -EPERM || rc == -EACCES ? HELD_BACK : rc;
	rc = shake_hands(agent);
	if (rc)
		mesh_channel_close(&agent->channel);
	return rc;
}

static const char other_program[] = "the program that answers there is not a coordinator";
static const char other_port[] = "choose another port for the coordinator with --port";

/* Without a reason, that of the system. */
static const struct cause {
	int rc;
	const char *reason, *hint;
} causes[] = {
	{HELD_BACK,
	 "this host does not let its programs connect there: a firewall, a security module or the "
	 "container's profile forbids it",
	 NULL},
	{-EACCES, "the program that answers there does not know the token", other_port},
	{-EPROTO, other_program, other_port},
	{-EMSGSIZE, other_program, other_port},
	{-ERANGE, other_program, other_port},
	{-EPROTONOSUPPORT, "it chose a version of the protocol that this agent did not offer",
	 "install the same rdmactl on all hosts"},
	{-ECONNREFUSED, NULL,
	 "see whether the coordinator runs, and on that port; else choose another address with "
	 "--address"},
	{-ENETUNREACH, NULL, "choose an address to which this host has a route with --address"},
};

static void fail_address(struct mesh_agent *agent, int rc, const char *name, const char *port)
{
	struct cause cause = {.rc = rc};

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		if (causes[i].rc == rc)
			cause = causes[i];
	mesh_agent_fail(agent, rc,
			mem_format("cannot reach the coordinator at %s port %s: %s", name, port,
				   cause.reason ?: strerror(-rc)),
			cause.hint
				?: "let its TCP port through, or choose another address "
				   "with --address");
}

static int try_name(struct mesh_agent *agent, const char *name)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));
	struct addrinfo *list = NULL;
	char port[8];
	int rc, resolved;

	snprintf(port, sizeof(port), "%u", agent->setup->port);
	resolved = getaddrinfo(name, port, &hints, &list);
	if (resolved)
		return mesh_agent_fail(agent, -EHOSTUNREACH,
				       mem_format("cannot resolve %s: %s", clean,
						  gai_strerror(resolved)),
				       "give an address of the coordinator instead of a name");
	rc = -EHOSTUNREACH;
	for (struct addrinfo *at = list; at && rc && rc != -EPERM && rc != -EINTR;
	     at = at->ai_next) {
		rc = try_address(agent, at);
		if (rc && rc != -EPERM)
			fail_address(agent, rc, clean, port);
	}
	freeaddrinfo(list);
	return rc;
}

int mesh_agent_connect(struct mesh_agent *agent)
{
	const struct mesh_agent_setup *setup = agent->setup;
	const uint64_t end = clock_msec() + (setup->connect_msec ?: DEFAULT_TRY_MSEC);
	uint32_t pause = FIRST_TRY_MSEC;
	int rc = -EHOSTUNREACH;

	for (;;) {
		for (size_t i = 0; i < setup->addresses->count; i++) {
			rc = try_name(agent, setup->addresses->items[i]);
			if (!rc || rc == -EPERM || rc == -EINTR)
				return rc;
		}
		if (clock_msec() + pause >= end)
			return rc;
		if (socket_wait(-1, 0, agent->setup->signals, clock_msec() + pause) == -EINTR)
			return -EINTR;
		pause = pause * 2 < LONGEST_TRY_MSEC ? pause * 2 : LONGEST_TRY_MSEC;
	}
}
