/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/coordinator/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"

#define SHAKE_MSEC   5000u
#define REFUSED_MSEC 1000u
/* Pings sent within the silence timeout. */
#define PINGS_A_SILENCE 4u
/* Reads per turn, so that a side that sends without a pause does not starve the others. */
#define MOST_READS_A_TURN 4

static struct ip_address own_address(int fd)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length) ||
	    (address.ss_family != AF_INET && address.ss_family != AF_INET6))
		return (struct ip_address){.family = 0};
	return socket_address_ip(&address);
}

static uint32_t new_number(struct coordinator *coordinator)
{
	size_t count = coordinator->connection_count;

	if (coordinator->free_count)
		return coordinator->free_list[--coordinator->free_count];
	mem_append(&coordinator->connections, &coordinator->connection_count,
		   sizeof(*coordinator->connections));
	/* Room for every connection, so that freeing one never allocates. */
	coordinator->free_list = mem_resize(coordinator->free_list, count + 1, sizeof(uint32_t));
	return (uint32_t)count;
}

static uint32_t number_of_connection(const struct coordinator *coordinator,
				     const struct connection *connection)
{
	return (uint32_t)(connection - coordinator->connections);
}

int connection_add(struct coordinator *coordinator, int channel, const struct ip_address *address)
{
	const uint32_t number = new_number(coordinator);
	struct connection *connection = &coordinator->connections[number];
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};

	*connection = (struct connection){
		.state = CONNECTION_STRANGER,
		.address = *address,
		.local = own_address(channel),
		.since_msec = clock_msec(),
		.host = NO_CONNECTION,
	};
	connection->end_msec = connection->since_msec + SHAKE_MSEC;
	mesh_channel_open(&connection->channel, channel);
	coordinator->guests++;
	if (epoll_ctl(coordinator->epoll, EPOLL_CTL_ADD, channel, &event)) {
		int rc = -errno;

		connection_end(coordinator, connection, NULL);
		return rc;
	}
	return 0;
}

static void lose_host(struct coordinator *coordinator, struct connection *connection,
		      const char *why)
{
	struct mesh_host *host = &coordinator->hosts[connection->host];
	const bool was_there = host->presence == MESH_PRESENT ||
			       connection->state == CONNECTION_ENTERING;

	coordinator->host_connections[connection->host] = NO_CONNECTION;
	if (!was_there || !why)
		return;
	host->presence = MESH_LOST;
	free(host->reason);
	host->reason = mem_string(why);
	coordinator->cost.lost++;
	if (coordinator->round)
		round_lose(coordinator, connection->host);
	if (coordinator->setup.changed)
		coordinator->setup.changed(coordinator->setup.context, host);
}

void connection_add_cost(const struct connection *connection, struct coordinator_cost *cost)
{
	const struct mesh_channel *channel = &connection->channel;

	cost->messages_in += channel->messages_in;
	cost->messages_out += channel->messages_out;
	cost->bytes_in += channel->bytes_in;
	cost->bytes_out += channel->bytes_out;
}

void connection_end(struct coordinator *coordinator, struct connection *connection, const char *why)
{
	const enum connection_state state = connection->state;

	if (state == CONNECTION_FREE)
		return;
	if (state == CONNECTION_STRANGER || state == CONNECTION_GUEST)
		coordinator->guests--;
	if (why && state < CONNECTION_ENTERING)
		coordinator_say(coordinator, connection, mem_string(why));
	if (connection->host != NO_CONNECTION)
		lose_host(coordinator, connection, why);
	connection_add_cost(connection, &coordinator->cost);
	/* Closing the socket also removes it from epoll. */
	mesh_channel_close(&connection->channel);
	free(connection->shake);
	free(connection->name);
	*connection = (struct connection){.host = NO_CONNECTION, .channel.fd = -1};
	coordinator->free_list[coordinator->free_count++] = number_of_connection(coordinator,
										 connection);
}

void connection_flush(struct coordinator *coordinator, struct connection *connection)
{
	const int rc = mesh_channel_flush(&connection->channel);
	struct epoll_event event = {
		.events = rc == -EAGAIN ? EPOLLIN | EPOLLOUT : EPOLLIN,
		.data.u64 = number_of_connection(coordinator, connection),
	};

	if (rc && rc != -EAGAIN) {
		connection_end(coordinator, connection, "its connection ended");
		return;
	}
	if (connection->wants_write != (rc == -EAGAIN)) {
		connection->wants_write = rc == -EAGAIN;
		epoll_ctl(coordinator->epoll, EPOLL_CTL_MOD, connection->channel.fd, &event);
	}
}

bool connection_put(struct coordinator *coordinator, struct connection *connection,
		    const struct mesh_message *message)
{
	if (!mesh_channel_put(&connection->channel, message))
		return true;
	connection_end(coordinator, connection, "it does not read what it is sent");
	return false;
}

void connection_send(struct coordinator *coordinator, struct connection *connection,
		     const struct mesh_message *message)
{
	if (connection_put(coordinator, connection, message))
		connection_flush(coordinator, connection);
}

void connection_refuse(struct coordinator *coordinator, struct connection *connection,
		       enum mesh_refusal refusal, const char *text, const char *hint)
{
	struct mesh_message message;

	mesh_refused_make(refusal, text, hint, &message);
	if (connection->state == CONNECTION_STRANGER || connection->state == CONNECTION_GUEST)
		coordinator->guests--;
	if (connection->host != NO_CONNECTION)
		coordinator->host_connections[connection->host] = NO_CONNECTION;
	connection->host = NO_CONNECTION;
	connection->state = CONNECTION_LEAVING;
	connection->end_msec = clock_msec() + REFUSED_MSEC;
	connection_send(coordinator, connection, &message);
}

void connection_ping(struct coordinator *coordinator, struct connection *connection)
{
	const struct mesh_message ping = {.type = MESH_MESSAGE_PING,
					  .ping.number = ++coordinator->ping_number};

	connection->pinged = ping.ping.number;
	connection->ping_msec = clock_msec();
	connection_send(coordinator, connection, &ping);
}

/*
 * Estimates the host's clock as accurately as the round trip allows: a pong that was delayed,
 * because the agent or this host was busy, is worth less than an earlier one.
 */
static void take_clock(struct mesh_host *host, uint64_t there_msec, uint64_t round_trip_msec)
{
	const uint64_t error_msec = (round_trip_msec + 1) / 2;

	/* Differences of clocks must fit into 64 bits, whatever an agent sends. */
	if (there_msec > INT64_MAX / 4 ||
	    (host->clock_error_msec.known && host->clock_error_msec.value < error_msec))
		return;
	/* Not this host's wall clock, which may be set while hosts come. */
	host->clock_msec = (int64_t)there_msec + (int64_t)round_trip_msec / 2 -
			   (int64_t)clock_msec();
	host->clock_error_msec = number_of(error_msec);
}

static void take_pong(struct coordinator *coordinator, struct connection *connection,
		      const struct mesh_ping *pong)
{
	if (pong->number > connection->pinged || pong->number <= connection->ponged)
		return;
	connection->ponged = pong->number;
	if (pong->number == connection->pinged && connection->host != NO_CONNECTION)
		take_clock(&coordinator->hosts[connection->host], pong->clock_msec,
			   clock_msec() - connection->ping_msec);
	coordinator->heard = true;
}

/* Handles a member's message. Returns false if a member must not send it. */
static bool take_of_member(struct coordinator *coordinator, struct connection *connection,
			   const struct mesh_message *message)
{
	switch (message->type) {
	case MESH_MESSAGE_ANSWER:
		round_take(coordinator, connection, &message->answer, NULL);
		return true;
	case MESH_MESSAGE_BOTH_ANSWER:
		round_take(coordinator, connection, &message->both_answer.answer,
			   &message->both_answer);
		return true;
	case MESH_MESSAGE_REFUSED: {
		_cleanup_(freep) char *why = text_clean(message->refused.text,
							sizeof(message->refused.text));

		connection_end(coordinator, connection, *why ? why : "its agent has ended");
		return true;
	}
	default:
		return false;
	}
}

static void take(struct coordinator *coordinator, struct connection *connection,
		 const struct mesh_message *message)
{
	if (connection->state == CONNECTION_LEAVING)
		return;
	if (message->type == MESH_MESSAGE_PONG && connection->state > CONNECTION_GUEST)
		take_pong(coordinator, connection, &message->pong);
	else if (connection->state != CONNECTION_MEMBER)
		entry_take(coordinator, connection, message);
	else if (!take_of_member(coordinator, connection, message))
		connection_end(coordinator, connection, "its agent sent an unexpected message");
}

static const char *ending(const struct connection *connection, int rc)
{
	if (rc == -ECONNRESET && connection->state == CONNECTION_STRANGER)
		return "left without a word";
	if (rc == -ECONNRESET)
		return "its agent ended, or was killed";
	if (rc == -ETIMEDOUT || rc == -EHOSTUNREACH)
		return "its network no longer answers";
	if (rc == -EPROTONOSUPPORT)
		return "it speaks another version of the protocol";
	if (rc == -EPROTO || rc == -EMSGSIZE || rc == -ERANGE)
		return "it sent something that is not a message of the protocol";
	return "its connection ended";
}

void connection_ready(struct coordinator *coordinator, struct connection *connection)
{
	const uint32_t number = number_of_connection(coordinator, connection);
	struct mesh_message message;
	int rc = 0;

	for (int i = 0; i < MOST_READS_A_TURN && !rc; i++) {
		rc = mesh_channel_receive(&connection->channel);
		if (rc == -EAGAIN)
			return;
		if (rc)
			break;
		while ((rc = mesh_channel_next(&connection->channel, &message)) > 0) {
			take(coordinator, connection, &message);
			/* A message can end the connection, and even move the array. */
			connection = &coordinator->connections[number];
			if (connection->state == CONNECTION_FREE)
				return;
		}
		/* The socket is drained: more data is another event. */
		if (!rc && connection->channel.drained)
			return;
	}
	if (rc)
		connection_end(coordinator, connection,
			       connection->state == CONNECTION_LEAVING ? NULL
								       : ending(connection, rc));
}

struct connection *connection_of(struct coordinator *coordinator, uint32_t host)
{
	const uint32_t number = coordinator->host_connections[host];

	return number == NO_CONNECTION ? NULL : &coordinator->connections[number];
}

/* Members must be heard from, if only by their pongs; others must make progress. */
static void look_at(struct coordinator *coordinator, struct connection *connection,
		    uint64_t now_msec)
{
	const uint32_t silence = coordinator->setup.silence_msec;
	_cleanup_(freep) char *why = NULL;

	if (connection->state == CONNECTION_LEAVING) {
		if (now_msec >= connection->end_msec)
			connection_end(coordinator, connection, NULL);
	} else if (connection->state != CONNECTION_MEMBER) {
		if (now_msec >= connection->end_msec)
			connection_end(coordinator, connection,
				       connection->state < CONNECTION_ADMITTED
					       ? "dropped: no handshake in time"
					       : "it never said that it is ready");
	} else if (now_msec - connection->channel.heard_msec >= silence) {
		why = mem_format("nothing was heard for %u.%u s: its agent is stopped, or cut off",
				 silence / 1000, silence % 1000 / 100);
		connection_end(coordinator, connection, why);
	} else if (now_msec - connection->ping_msec >= silence / PINGS_A_SILENCE) {
		connection_ping(coordinator, connection);
	}
}

void connections_tick(struct coordinator *coordinator, uint64_t now_msec)
{
	const bool stopped = mesh_was_stopped(coordinator->tick_msec, now_msec,
					      coordinator->setup.silence_msec);

	coordinator->tick_msec = now_msec;
	for (size_t i = 0; i < coordinator->connection_count; i++) {
		struct connection *connection = &coordinator->connections[i];

		if (stopped)
			connection->channel.heard_msec = now_msec;
		if (connection->state != CONNECTION_FREE)
			look_at(coordinator, connection, now_msec);
	}
}
