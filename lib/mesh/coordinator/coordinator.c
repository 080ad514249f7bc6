/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/coordinator/coordinator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hmac.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"
#include "mesh/coordinator/connection.h"

#define DEFAULT_WAIT_MSEC    60000u
#define DEFAULT_SETTLE_MSEC  5000u
#define DEFAULT_SILENCE_MSEC 20000u
#define AGENT_BACKLOG	     4096 /* the kernel caps it at net.core.somaxconn */
#define MOST_EVENTS	     256
/* Accepts per turn, so that a flood of connects does not starve the others. */
#define MOST_ACCEPTS_A_TURN 64
/* Pause in accepting connections after descriptors ran out. */
#define EXHAUSTED_MSEC 500
#define TICK_MSEC      200
/* A turn takes longer only if this process was stopped. */
#define MOST_TURN_MSEC 3000u

/* epoll data of everything except connections, whose numbers are below these. */
#define EVENT_LISTENER	UINT64_C(0x100000000)
#define EVENT_SIGNALS	UINT64_C(0x100000001)
#define EVENT_OF_CALLER UINT64_C(0x100000010) /* plus the number of the watch */

static int add_to_epoll(struct coordinator *coordinator, int fd, uint64_t data)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};

	return epoll_ctl(coordinator->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static void name_hosts(struct coordinator *coordinator)
{
	const struct strings *names = coordinator->setup.names;

	coordinator->host_connections = mem_resize(NULL, MESH_MOST_HOSTS, sizeof(uint32_t));
	coordinator->name_next = mem_resize(NULL, MESH_MOST_HOSTS, sizeof(uint32_t));
	coordinator->name_heads = mem_resize(NULL, NAME_HEADS, sizeof(uint32_t));
	memset(coordinator->host_connections, 0xff, MESH_MOST_HOSTS * sizeof(uint32_t));
	names_rebuild(coordinator);
	for (size_t i = 0; names && i < names->count; i++) {
		_cleanup_(freep) char *name = text_clean(names->items[i], strlen(names->items[i]));

		if (names_find(coordinator, name) == NO_CONNECTION)
			names_add(coordinator, name);
	}
	if (names)
		coordinator->setup.host_count = (uint32_t)coordinator->host_count;
}

static void set_defaults(struct coordinator_setup *setup)
{
	setup->wait_msec = setup->wait_msec ?: DEFAULT_WAIT_MSEC;
	setup->settle_msec = setup->settle_msec ?: DEFAULT_SETTLE_MSEC;
	setup->silence_msec = setup->silence_msec ?: DEFAULT_SILENCE_MSEC;
	setup->timeout_msec = setup->timeout_msec ?: LIMIT_MSEC;
	if (setup->silence_msec < MESH_LEAST_SILENCE_MSEC)
		setup->silence_msec = MESH_LEAST_SILENCE_MSEC;
	if (setup->names && !setup->names->count)
		setup->names = NULL;
}

static int start_listening(struct coordinator *coordinator)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int rc = tcp_listen(&coordinator->setup.bind, 0, coordinator->setup.port,
			    &coordinator->listener);

	if (!rc && listen(coordinator->listener, AGENT_BACKLOG))
		rc = -errno;
	if (!rc && getsockname(coordinator->listener, (struct sockaddr *)&address, &length))
		rc = -errno;
	if (rc)
		return rc;
	coordinator->port = socket_address_port(&address);
	return add_to_epoll(coordinator, coordinator->listener, EVENT_LISTENER);
}

int coordinator_open(const struct coordinator_setup *setup, struct coordinator **ret_coordinator,
		     char **ret_reason, char **ret_hint)
{
	_cleanup_(coordinator_freep) struct coordinator *coordinator = mem_alloc_zero(
		1, sizeof(*coordinator));
	uint8_t mac[HMAC_BYTES];
	int rc;

	coordinator->setup = *setup;
	coordinator->listener = -1;
	for (size_t i = 0; i < MOST_WATCHES; i++)
		coordinator->watches[i].fd = -1;
	set_defaults(&coordinator->setup);
	name_hosts(coordinator);
	/* Each connection needs a descriptor. */
	file_raise_limit();
	coordinator->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (coordinator->epoll < 0) {
		rc = -errno;
		*ret_reason = mem_format("cannot wait for agents: %s", strerror(-rc));
		return rc;
	}
	rc = hmac_sha256("", 0, "", 0, mac);
	if (rc) {
		*ret_reason = mem_string(hmac_failure(rc));
		*ret_hint = hmac_hint(rc);
		return rc;
	}
	rc = start_listening(coordinator);
	if (!rc && setup->signals >= 0)
		rc = add_to_epoll(coordinator, setup->signals, EVENT_SIGNALS);
	if (rc) {
		*ret_reason = setup->port ? mem_format("cannot listen on port %u: %s", setup->port,
						       strerror(-rc))
					  : mem_format("cannot listen: %s", strerror(-rc));
		if (rc == -EADDRNOTAVAIL)
			*ret_hint = mem_string("this host does not have the address of --address: "
					       "ip address shows its own");
		if (rc == -EADDRINUSE)
			*ret_hint = mem_string("another program uses that port: choose a free "
					       "one with --port");
		return rc;
	}
	*ret_coordinator = coordinator;
	coordinator = NULL;
	return 0;
}

void coordinator_free(struct coordinator *coordinator)
{
	if (!coordinator)
		return;
	for (size_t i = 0; i < coordinator->connection_count; i++)
		if (coordinator->connections[i].state != CONNECTION_FREE)
			connection_end(coordinator, &coordinator->connections[i], NULL);
	if (coordinator->listener >= 0)
		close(coordinator->listener);
	if (coordinator->epoll >= 0)
		close(coordinator->epoll);
	for (size_t i = 0; i < coordinator->host_count; i++)
		mesh_host_clear(&coordinator->hosts[i]);
	free(coordinator->hosts);
	free(coordinator->host_connections);
	free(coordinator->name_heads);
	free(coordinator->name_next);
	free(coordinator->connections);
	free(coordinator->free_list);
	free(coordinator->slots);
	free(coordinator);
}

uint16_t coordinator_port(const struct coordinator *coordinator)
{
	return coordinator->port;
}

struct coordinator_cost coordinator_cost(const struct coordinator *coordinator)
{
	struct coordinator_cost cost = coordinator->cost;

	for (size_t i = 0; i < coordinator->connection_count; i++)
		connection_add_cost(&coordinator->connections[i], &cost);
	return cost;
}

const struct mesh_host *coordinator_hosts(const struct coordinator *coordinator,
					  uint32_t *ret_count)
{
	*ret_count = (uint32_t)coordinator->host_count;
	return coordinator->hosts;
}

int coordinator_watch(struct coordinator *coordinator, int fd, void (*ready)(void *context, int fd),
		      void *context)
{
	for (size_t i = 0; i < MOST_WATCHES; i++) {
		struct watch_of_caller *watch = &coordinator->watches[i];

		if (!ready && watch->fd == fd) {
			epoll_ctl(coordinator->epoll, EPOLL_CTL_DEL, fd, NULL);
			watch->fd = -1;
			return 0;
		}
		if (ready && watch->fd < 0) {
			*watch = (struct watch_of_caller){fd, ready, context};
			return add_to_epoll(coordinator, fd, EVENT_OF_CALLER + i);
		}
	}
	return -ENOSPC;
}

void coordinator_launcher_ended(struct coordinator *coordinator, uint32_t grace_msec)
{
	coordinator->launcher_end_msec = clock_msec() + grace_msec;
}

/* Drops the stranger that has been silent longest, to make room for another connection. */
static void make_room(struct coordinator *coordinator)
{
	struct connection *oldest = NULL;

	for (size_t i = 0; i < coordinator->connection_count; i++) {
		struct connection *connection = &coordinator->connections[i];

		if (connection->state == CONNECTION_STRANGER &&
		    (!oldest || connection->since_msec < oldest->since_msec))
			oldest = connection;
	}
	if (oldest && oldest->since_msec + TICK_MSEC < clock_msec())
		connection_end(coordinator, oldest, "dropped: others are waiting");
}

/* Such agents look absent, and nobody would know why. */
static void say_exhausted(struct coordinator *coordinator, int error)
{
	_cleanup_(freep) char *line = NULL;

	if (coordinator->exhausted || !coordinator->setup.say)
		return;
	coordinator->exhausted = true;
	line = mem_format("agents cannot connect: %s%s", strerror(error),
			  error == EMFILE ? ": ulimit -Hn is too small for this many hosts" : "");
	coordinator->setup.say(coordinator->setup.context, line);
}

static void accept_agents(struct coordinator *coordinator)
{
	int rc = 0;

	for (int i = 0; i < MOST_ACCEPTS_A_TURN; i++) {
		struct sockaddr_storage address;
		socklen_t length = sizeof(address);
		struct ip_address ip;
		int fd;

		if (coordinator->guests >= MOST_GUESTS)
			make_room(coordinator);
		/* Connections stay in the backlog until a guest has passed or left. */
		if (coordinator->guests >= MOST_GUESTS)
			break;
		fd = accept4(coordinator->listener, (struct sockaddr *)&address, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == ECONNABORTED || errno == EINTR))
			continue;
		if (fd < 0 && errno == EAGAIN)
			return;
		rc = fd < 0 ? errno : 0;
		if (rc)
			break;
		ip = socket_address_ip(&address);
		connection_add(coordinator, fd, &ip);
	}
	if (coordinator->guests >= MOST_GUESTS || socket_is_exhausted(rc)) {
		struct epoll_event event = {.data.u64 = EVENT_LISTENER};

		if (rc)
			say_exhausted(coordinator, rc);
		coordinator->pause_end_msec = clock_msec() + (coordinator->guests >= MOST_GUESTS
								      ? TICK_MSEC
								      : EXHAUSTED_MSEC);
		epoll_ctl(coordinator->epoll, EPOLL_CTL_MOD, coordinator->listener, &event);
	}
}

static void serve_event(struct coordinator *coordinator, const struct epoll_event *event)
{
	const uint64_t data = event->data.u64;

	if (data == EVENT_LISTENER) {
		accept_agents(coordinator);
	} else if (data == EVENT_SIGNALS) {
		coordinator->interrupted = true;
		/* It stays readable, and epoll would no longer sleep while goodbyes are sent. */
		epoll_ctl(coordinator->epoll, EPOLL_CTL_DEL, coordinator->setup.signals, NULL);
	} else if (data >= EVENT_OF_CALLER) {
		const struct watch_of_caller *watch = &coordinator->watches[data - EVENT_OF_CALLER];

		if (watch->fd >= 0)
			watch->ready(watch->context, watch->fd);
	} else {
		struct connection *connection = &coordinator->connections[data];

		/* An earlier event of the same turn may have ended it. */
		if (connection->state != CONNECTION_FREE && event->events & EPOLLOUT)
			connection_flush(coordinator, connection);
		if (connection->state != CONNECTION_FREE &&
		    event->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			connection_ready(coordinator, connection);
	}
}

static void run_turn(struct coordinator *coordinator, uint64_t end_msec)
{
	struct epoll_event events[MOST_EVENTS];
	const uint64_t next = coordinator->tick_msec + TICK_MSEC;
	int count = epoll_wait(coordinator->epoll, events, MOST_EVENTS,
			       clock_msec_until(end_msec < next ? end_msec : next));
	uint64_t now;

	for (int i = 0; i < count; i++)
		serve_event(coordinator, &events[i]);
	if (coordinator->heard)
		round_heard(coordinator);
	coordinator->heard = false;
	now = clock_msec();
	if (now < next)
		return;
	if (coordinator->pause_end_msec && now >= coordinator->pause_end_msec) {
		coordinator->pause_end_msec = 0;
		epoll_ctl(coordinator->epoll, EPOLL_CTL_MOD, coordinator->listener,
			  &(struct epoll_event){.events = EPOLLIN, .data.u64 = EVENT_LISTENER});
	}
	connections_tick(coordinator, now);
	if (coordinator->setup.tick)
		coordinator->setup.tick(coordinator->setup.context);
}

uint64_t coordinator_turn(struct coordinator *coordinator, uint64_t end_msec)
{
	const uint64_t begin = clock_msec();
	uint64_t took;

	run_turn(coordinator, end_msec);
	took = clock_msec() - begin;
	return took > MOST_TURN_MSEC ? took : 0;
}

void coordinator_dismiss(struct coordinator *coordinator, uint32_t msec)
{
	const struct mesh_message bye = {.type = MESH_MESSAGE_BYE};
	const uint64_t end = clock_msec() + msec;
	size_t left = 1;

	for (size_t i = 0; i < coordinator->connection_count; i++) {
		struct connection *connection = &coordinator->connections[i];

		if (connection->state == CONNECTION_FREE || connection->state == CONNECTION_LEAVING)
			continue;
		if (connection->state < CONNECTION_ADMITTED) {
			connection_end(coordinator, connection, NULL);
			continue;
		}
		if (!connection_put(coordinator, connection, &bye))
			continue;
		connection->state = CONNECTION_LEAVING;
		connection->end_msec = end;
		connection_flush(coordinator, connection);
	}
	coordinator->begun = true;
	while (left && clock_msec() < end) {
		left = 0;
		for (size_t i = 0; i < coordinator->connection_count; i++)
			left += coordinator->connections[i].state == CONNECTION_LEAVING;
		if (left)
			coordinator_turn(coordinator, end);
	}
}
