/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connections of a coordinator: time limits, how they end, and who waits for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "paired_agents.h"

static const struct coordinator_setup usual = {.silence_msec = 5250};

static void defaults(void **state)
{
	static char *none[1];
	const struct strings empty = {.items = none, .count = 0};
	static const struct {
		uint32_t given, taken;
	} silences[] = {{0, 20000}, {499, 500}, {500, 500}, {501, 501}};
	struct paired bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(silences); i++) {
		paired_open(&bed, (struct coordinator_setup){.silence_msec = silences[i].given,
							     .names = &empty});
		assert_int_equal(bed.coordinator->setup.silence_msec, silences[i].taken);
		assert_int_equal(bed.coordinator->setup.wait_msec, 60000);
		assert_int_equal(bed.coordinator->setup.settle_msec, 5000);
		assert_int_equal(bed.coordinator->setup.host_count, 0);
		assert_null(bed.coordinator->setup.names);
		paired_close(&bed);
	}
	paired_open(&bed, (struct coordinator_setup){.wait_msec = 1, .settle_msec = 2});
	assert_int_equal(bed.coordinator->setup.wait_msec, 1);
	assert_int_equal(bed.coordinator->setup.settle_msec, 2);
	paired_close(&bed);
}

static void names(void **state)
{
	static char texts[][4] = {"b.x", "A", "B", "b.y", "a.y", "c"};
	char *items[] = {texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]};
	const struct strings given = {.items = items, .count = ARRAY_SIZE(items)};
	static const struct {
		const char *name;
		uint32_t host;
	} samples[] = {{"B.X", 0},	     {"b.y", 2},	   {"a", 1},
		       {"a.z", 1},	     {"c.x", 3},	   {"b.z", NO_CONNECTION},
		       {"d", NO_CONNECTION}, {"bb", NO_CONNECTION}};
	struct paired bed;

	(void)state;
	paired_open(&bed, (struct coordinator_setup){.names = &given});
	assert_int_equal(bed.coordinator->setup.host_count, 4);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(names_find(bed.coordinator, samples[i].name), samples[i].host);
	paired_close(&bed);
}

static void not_opened(void **state)
{
	struct coordinator_setup setup = {.token = "token", .signals = -1};
	struct coordinator *second = NULL;
	char *reason = NULL, *hint = NULL, *expected;
	struct paired bed;

	(void)state;
	paired_open(&bed, usual);
	setup.bind = (struct ip_address){.family = AF_INET, .raw = {127, 0, 0, 1}};
	setup.port = coordinator_port(bed.coordinator);
	assert_int_equal(coordinator_open(&setup, &second, &reason, &hint), -EADDRINUSE);
	expected = mem_format("cannot listen on port %u: %s", setup.port, strerror(EADDRINUSE));
	assert_string_equal(reason, expected);
	assert_string_equal(hint, "another program uses that port: choose a free one with --port");
	free(expected);
	free(reason);
	free(hint);
	reason = hint = NULL;
	/* The descriptor for signals is not open. */
	setup.port = 0;
	setup.signals = 1000000;
	assert_int_equal(coordinator_open(&setup, &second, &reason, &hint), -EBADF);
	expected = mem_format("cannot listen: %s", strerror(EBADF));
	assert_string_equal(reason, expected);
	assert_null(hint);
	assert_null(second);
	free(expected);
	free(reason);
	free(hint);
	reason = hint = NULL;
	/* An address for documentation, of RFC 5737: no host has it. */
	setup.signals = -1;
	setup.bind = (struct ip_address){.family = AF_INET, .raw = {192, 0, 2, 1}};
	assert_int_equal(coordinator_open(&setup, &second, &reason, &hint), -EADDRNOTAVAIL);
	assert_string_equal(hint, "this host does not have the address of --address: ip address "
				  "shows its own");
	free(reason);
	free(hint);
	paired_close(&bed);
}

/* Each state at its last moment, and just after its time is up. */
static void limits_of_time(void **state)
{
	static const struct {
		enum connection_state state;
		const char *said;
	} samples[] = {
		{CONNECTION_STRANGER, "10.0.0.1: dropped: no handshake in time\n"},
		{CONNECTION_GUEST, "10.0.0.1: dropped: no handshake in time\n"},
		{CONNECTION_ADMITTED, "10.0.0.1: it never said that it is ready\n"},
		{CONNECTION_LEAVING, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct paired bed;
		struct connection *connection;
		uint64_t end;

		paired_open(&bed, usual);
		connection = paired_add(&bed, samples[i].state);
		end = connection->end_msec;
		assert_int_equal(end, connection->since_msec + 5000);
		bed.coordinator->tick_msec = end;
		connections_tick(bed.coordinator, end - 1);
		assert_int_equal(bed.coordinator->tick_msec, end - 1);
		assert_int_equal(connection->state, samples[i].state);
		assert_string_equal(bed.said, "");
		connections_tick(bed.coordinator, end);
		assert_int_equal(connection->state, CONNECTION_FREE);
		assert_string_equal(bed.said, samples[i].said);
		assert_int_equal(bed.coordinator->guests, 0);
		assert_int_equal(bed.coordinator->free_count, 1);
		assert_string_equal(bed.changed, "");
		paired_close(&bed);
	}
}

static void silence(void **state)
{
	struct mesh_message message;
	struct connection *first, *second;
	struct paired bed;
	uint64_t now;

	(void)state;
	paired_open(&bed, usual);
	paired_member(&bed, "n1", 1);
	second = paired_member(&bed, "n2", 1);
	first = &bed.coordinator->connections[0];
	now = clock_msec() + 100000;
	bed.coordinator->tick_msec = now - 2625;
	/*
	 * n1 has been silent just below the limit, and was pinged just under a quarter of it ago.
	 */
	first->channel.heard_msec = now - 5249;
	first->ping_msec = now - 1311;
	second->channel.heard_msec = now - 5250;
	second->ping_msec = now - 1312;
	connections_tick(bed.coordinator, now);
	assert_int_equal(first->state, CONNECTION_MEMBER);
	assert_false(paired_next(&bed, 0, &message));
	assert_int_equal(second->state, CONNECTION_FREE);
	assert_string_equal(bed.changed, "n2: nothing was heard for 5.2 s: its agent is stopped, "
					 "or cut off\n");
	assert_int_equal(bed.coordinator->hosts[1].presence, MESH_LOST);
	assert_int_equal(coordinator_cost(bed.coordinator).lost, 1);
	assert_string_equal(bed.said, "");
	/* Then it is pinged again. */
	first->ping_msec = now - 1312;
	connections_tick(bed.coordinator, now);
	assert_true(paired_next(&bed, 0, &message));
	assert_int_equal(message.type, MESH_MESSAGE_PING);
	assert_int_equal(message.ping.number, 1);
	assert_int_equal(message.ping.clock_msec, 0);
	assert_int_equal(first->pinged, 1);
	assert_true(first->ping_msec <= clock_msec());
	/* A coordinator that did not listen for half of the time cannot have heard the agent. */
	bed.coordinator->tick_msec = now - 2626;
	first->channel.heard_msec = now - 9000;
	connections_tick(bed.coordinator, now);
	assert_int_equal(first->state, CONNECTION_MEMBER);
	assert_int_equal(first->channel.heard_msec, now);
	paired_close(&bed);
}

static void take_pong(struct paired *bed, uint64_t number, uint64_t clock)
{
	const struct mesh_message pong = {.type = MESH_MESSAGE_PONG,
					  .pong = {.number = number, .clock_msec = clock}};

	bed->coordinator->heard = false;
	paired_send(bed, 0, &pong);
	connection_ready(bed->coordinator, &bed->coordinator->connections[0]);
}

static void pongs(void **state)
{
	struct connection *connection;
	struct mesh_host *host;
	struct timespec now;
	struct paired bed;
	uint64_t here, later;
	int64_t ahead;

	(void)state;
	paired_open(&bed, usual);
	connection = paired_member(&bed, "n1", 1);
	host = &bed.coordinator->hosts[0];
	connection->pinged = 3;
	connection->ponged = 1;
	clock_gettime(CLOCK_REALTIME, &now);
	here = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	/* This host's clock may jump meanwhile. */
	ahead = (int64_t)(here - clock_msec());
	/* Answers to no ping, or to one already answered, are ignored. */
	take_pong(&bed, 4, here);
	take_pong(&bed, 1, here);
	assert_false(bed.coordinator->heard);
	assert_int_equal(connection->ponged, 1);
	/* The time at which the last but one ping was sent is no longer known. */
	take_pong(&bed, 2, here);
	assert_true(bed.coordinator->heard);
	assert_int_equal(connection->ponged, 2);
	assert_int_equal(host->clock_msec, 0);
	/* The agent's clock is 100 s ahead; the round trip took 20 s, so it was read 10 s ago. */
	connection->ping_msec = clock_msec() - 20000;
	take_pong(&bed, 3, here + 90000);
	assert_true(bed.coordinator->heard);
	assert_int_equal(connection->ponged, 3);
	/* Minus the time that has passed since `here`. */
	clock_gettime(CLOCK_REALTIME, &now);
	later = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 - here;
	assert_in_range(host->clock_msec - ahead, 99000 - (later < 90000 ? later : 90000), 100500);
	assert_true(host->clock_error_msec.value >= 10000);
	/* An answer that took longer is not a better measurement. */
	host->clock_msec = 7;
	connection->pinged = 4;
	connection->ping_msec = clock_msec() - 3600000;
	take_pong(&bed, 4, here);
	assert_int_equal(connection->ponged, 4);
	assert_int_equal(host->clock_msec, 7);
	connection->pinged = 5;
	connection->ping_msec = clock_msec() - 2000;
	take_pong(&bed, 5, here);
	assert_int_not_equal(host->clock_msec, 7);
	assert_int_equal(connection->state, CONNECTION_MEMBER);
	paired_close(&bed);
}

/* Answers to pings from agents that are still being admitted. */
static void early_pongs(void **state)
{
	static const struct {
		enum connection_state state, after;
		uint64_t ponged;
	} samples[] = {
		{CONNECTION_STRANGER, CONNECTION_FREE, 0},
		{CONNECTION_GUEST, CONNECTION_FREE, 0},
		{CONNECTION_ADMITTED, CONNECTION_ADMITTED, 2},
		{CONNECTION_LEAVING, CONNECTION_LEAVING, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct connection *connection;
		struct paired bed;

		paired_open(&bed, usual);
		connection = paired_add(&bed, samples[i].state);
		connection->pinged = 2;
		take_pong(&bed, 2, 7);
		assert_int_equal(connection->state, samples[i].after);
		assert_int_equal(connection->ponged, samples[i].ponged);
		assert_string_equal(bed.said,
				    samples[i].after ? ""
						     : "10.0.0.1: it sent an unexpected message\n");
		paired_close(&bed);
	}
}

/* What a member says, and what is reported about it. */
static void words_of_members(void **state)
{
	static const struct {
		struct mesh_message message;
		const char *changed;
	} samples[] = {
		{{.type = MESH_MESSAGE_REFUSED, .refused = {.text = "no more"}}, "n1: no more\n"},
		{{.type = MESH_MESSAGE_REFUSED}, "n1: its agent has ended\n"},
		{{.type = MESH_MESSAGE_READY}, "n1: its agent sent an unexpected message\n"},
		{{.type = MESH_MESSAGE_ANSWER}, ""},
		{{.type = MESH_MESSAGE_BOTH_ANSWER}, ""},
		{{.type = MESH_MESSAGE_PONG, .pong = {.number = 1}}, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct connection *connection;
		struct paired bed;

		paired_open(&bed, usual);
		connection = paired_member(&bed, "n1", 1);
		connection->pinged = 1;
		paired_send(&bed, 0, &samples[i].message);
		connection_ready(bed.coordinator, connection);
		assert_string_equal(bed.changed, samples[i].changed);
		assert_int_equal(connection->state,
				 *samples[i].changed ? CONNECTION_FREE : CONNECTION_MEMBER);
		assert_int_equal(bed.coordinator->cost.lost, *samples[i].changed != 0);
		assert_int_equal(coordinator_cost(bed.coordinator).messages_in, 1);
		assert_string_equal(bed.said, "");
		paired_close(&bed);
	}
}

static void endings(void **state)
{
	static const struct {
		enum connection_state state;
		const char *bytes; /* 16 of them; NULL: the connection closes */
		const char *said, *changed;
	} samples[] = {
		{CONNECTION_STRANGER, NULL, "10.0.0.1: left without a word\n", ""},
		{CONNECTION_GUEST, NULL, "10.0.0.1: its agent ended, or was killed\n", ""},
		{CONNECTION_MEMBER, NULL, "", "n1: its agent ended, or was killed\n"},
		{CONNECTION_LEAVING, NULL, "", ""},
		{CONNECTION_STRANGER, "GET / HTTP/1.0\r\n",
		 "10.0.0.1: it sent something that is not a message of the protocol\n", ""},
		{CONNECTION_LEAVING, "GET / HTTP/1.0\r\n", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct connection *connection;
		struct paired bed;

		paired_open(&bed, usual);
		connection = samples[i].state == CONNECTION_MEMBER
				     ? paired_member(&bed, "n1", 1)
				     : paired_add(&bed, samples[i].state);
		if (samples[i].bytes)
			assert_int_equal(send(bed.agents[0].fd, samples[i].bytes, 16, 0), 16);
		else
			mesh_channel_close(&bed.agents[0]);
		connection_ready(bed.coordinator, connection);
		assert_int_equal(connection->state, CONNECTION_FREE);
		assert_string_equal(bed.said, samples[i].said);
		assert_string_equal(bed.changed, samples[i].changed);
		assert_int_equal(coordinator_cost(bed.coordinator).bytes_in,
				 samples[i].bytes ? 16 : 0);
		paired_close(&bed);
	}
}

static void other_version(void **state)
{
	const struct mesh_message ready = {.type = MESH_MESSAGE_READY};
	uint8_t bytes[MESH_MOST_BYTES];
	const size_t length = mesh_message_encode(&ready, bytes);
	struct paired bed;

	(void)state;
	/* The header's version follows the magic. */
	for (size_t i = 4; i < 8; i++) {
		if (bytes[i] != MESH_HEADER_VERSION)
			continue;
		bytes[i] = 99;
		break;
	}
	paired_open(&bed, usual);
	paired_add(&bed, CONNECTION_GUEST);
	assert_int_equal(send(bed.agents[0].fd, bytes, length, 0), length);
	connection_ready(bed.coordinator, bed.coordinator->connections);
	assert_string_equal(bed.said, "10.0.0.1: it speaks another version of the protocol\n");
	paired_close(&bed);
}

/* Agents that read too slowly are waited for, up to a limit. */
static void slow_readers(void **state)
{
	const struct mesh_message refused = {.type = MESH_MESSAGE_REFUSED};
	struct mesh_message message;
	struct connection *connection;
	size_t sent = 0, got = 0;
	struct paired bed;

	(void)state;
	/* No ping must come between them. */
	paired_open(&bed, (struct coordinator_setup){.silence_msec = 600000});
	connection = paired_member(&bed, "n1", 1);
	connection_flush(bed.coordinator, connection);
	assert_false(connection->wants_write);
	while (!connection->wants_write) {
		assert_true(connection_put(bed.coordinator, connection, &refused));
		sent++;
		connection_flush(bed.coordinator, connection);
	}
	/* epoll is asked only once. */
	connection_flush(bed.coordinator, connection);
	assert_true(connection->wants_write);
	while (connection->wants_write) {
		while (paired_next(&bed, 0, &message))
			got++;
		coordinator_turn(bed.coordinator, clock_msec() + 100);
	}
	while (paired_next(&bed, 0, &message))
		got++;
	assert_int_equal(got, sent);
	assert_int_equal(coordinator_cost(bed.coordinator).messages_out, sent);
	assert_int_equal(coordinator_cost(bed.coordinator).bytes_out, bed.agents[0].bytes_in);
	assert_string_equal(bed.changed, "");
	while (connection_put(bed.coordinator, connection, &refused))
		assert_true(connection->channel.out_length <= MESH_CHANNEL_MOST_UNSENT);
	assert_int_equal(connection->state, CONNECTION_FREE);
	assert_string_equal(bed.changed, "n1: it does not read what it is sent\n");
	paired_close(&bed);
}

static void written_to_the_gone(void **state)
{
	const struct mesh_message bye = {.type = MESH_MESSAGE_BYE};
	struct connection *connection;
	struct paired bed;

	(void)state;
	paired_open(&bed, usual);
	connection = paired_member(&bed, "n1", 1);
	mesh_channel_close(&bed.agents[0]);
	assert_true(connection_put(bed.coordinator, connection, &bye));
	connection_flush(bed.coordinator, connection);
	assert_int_equal(connection->state, CONNECTION_FREE);
	assert_string_equal(bed.changed, "n1: its connection ended\n");
	paired_close(&bed);
}

static void refusals(void **state)
{
	struct mesh_message message;
	struct connection *guest, *member;
	struct paired bed;
	uint64_t before = clock_msec();

	(void)state;
	paired_open(&bed, usual);
	paired_add(&bed, CONNECTION_STRANGER);
	paired_add(&bed, CONNECTION_GUEST);
	paired_member(&bed, "n1", 1);
	guest = &bed.coordinator->connections[1];
	member = &bed.coordinator->connections[2];
	assert_int_equal(bed.coordinator->guests, 2);
	connection_refuse(bed.coordinator, guest, MESH_REFUSAL_TWICE, "why", NULL);
	assert_int_equal(bed.coordinator->guests, 1);
	assert_int_equal(guest->state, CONNECTION_LEAVING);
	assert_in_range(guest->end_msec, before + 1000, clock_msec() + 1000);
	assert_true(paired_next(&bed, 1, &message));
	assert_int_equal(message.type, MESH_MESSAGE_REFUSED);
	assert_int_equal(message.refused.refusal, MESH_REFUSAL_TWICE);
	assert_int_equal(message.refused.lowest, MESH_PROTOCOL_LOWEST);
	assert_int_equal(message.refused.highest, MESH_PROTOCOL);
	assert_string_equal(message.refused.text, "why");
	assert_string_equal(message.refused.hint, "");
	connection_refuse(bed.coordinator, member, MESH_REFUSAL_BUSY, "busy", "hint");
	assert_int_equal(bed.coordinator->guests, 1);
	assert_int_equal(member->host, NO_CONNECTION);
	assert_null(connection_of(bed.coordinator, 0));
	assert_true(paired_next(&bed, 2, &message));
	assert_string_equal(message.refused.hint, "hint");
	assert_string_equal(bed.changed, "");
	/* The cost covers all connections, including those after one that has gone. */
	connection_end(bed.coordinator, bed.coordinator->connections, NULL);
	assert_int_equal(coordinator_cost(bed.coordinator).messages_out, 2);
	assert_int_equal(coordinator_cost(bed.coordinator).bytes_out,
			 bed.agents[1].bytes_in + bed.agents[2].bytes_in);
	paired_close(&bed);
}

/* The address of our end, if it is an IP address. */
static void own_addresses(void **state)
{
	const struct ip_address none = {.family = 0};
	const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	struct paired bed;

	(void)state;
	paired_open(&bed, usual);
	/* A file that epoll cannot wait for. */
	assert_int_equal(connection_add(bed.coordinator, file, &none), -EPERM);
	assert_int_equal(bed.coordinator->guests, 0);
	assert_int_equal(bed.coordinator->free_count, 1);
	assert_int_equal(bed.coordinator->cost.strangers, 0);
	/* Its slot is reused. */
	assert_int_equal(paired_add(&bed, CONNECTION_STRANGER)->local.family, 0);
	assert_int_equal(bed.coordinator->free_count, 0);
	address.sin_port = htons(coordinator_port(bed.coordinator));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_int_equal(bed.coordinator->connection_count, 2);
	assert_int_equal(bed.coordinator->guests, 2);
	assert_int_equal(bed.coordinator->connections[1].local.family, AF_INET);
	assert_memory_equal(bed.coordinator->connections[1].local.raw, "\x7f\0\0\1", 4);
	assert_memory_equal(bed.coordinator->connections[1].address.raw, "\x7f\0\0\1", 4);
	close(fd);
	paired_close(&bed);
}

static void ready(void *context, int fd)
{
	*(int *)context = fd;
}

static void watches(void **state)
{
	struct paired bed;
	int got[MOST_WATCHES], ends[MOST_WATCHES + 1][2];

	(void)state;
	paired_open(&bed, usual);
	for (size_t i = 0; i <= MOST_WATCHES; i++) {
		assert_int_equal(pipe(ends[i]), 0);
		if (i < MOST_WATCHES)
			got[i] = -1;
		assert_int_equal(coordinator_watch(bed.coordinator, ends[i][0], ready,
						   &got[i % MOST_WATCHES]),
				 i < MOST_WATCHES ? 0 : -ENOSPC);
	}
	assert_int_equal(write(ends[1][1], "x", 1), 1);
	assert_int_equal(write(ends[2][1], "x", 1), 1);
	assert_int_equal(coordinator_watch(bed.coordinator, ends[2][0], NULL, NULL), 0);
	assert_int_equal(coordinator_watch(bed.coordinator, ends[8][0], NULL, NULL), -ENOSPC);
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	for (size_t i = 0; i < MOST_WATCHES; i++)
		assert_int_equal(got[i], i == 1 ? ends[1][0] : -1);
	/* The free slot is used for another descriptor, which gets its own events. */
	assert_int_equal(coordinator_watch(bed.coordinator, ends[8][0], ready, &got[7]), 0);
	assert_int_equal(write(ends[8][1], "x", 1), 1);
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_int_equal(got[7], ends[8][0]);
	assert_int_equal(bed.coordinator->watches[2].fd, ends[8][0]);
	assert_false(bed.coordinator->interrupted);
	paired_close(&bed);
	for (size_t i = 0; i <= MOST_WATCHES; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
}

/* Connections that have long said nothing make room; others do not. */
static void crowds(void **state)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	const uint64_t now = clock_msec();
	struct paired bed;

	(void)state;
	paired_open(&bed, usual);
	for (size_t i = 0; i < 4; i++)
		paired_add(&bed, i == 3 ? CONNECTION_GUEST : CONNECTION_STRANGER);
	for (size_t i = 0; i < 4; i++)
		bed.coordinator->connections[i].since_msec = now + 5000;
	bed.coordinator->guests = MOST_GUESTS;
	address.sin_port = htons(coordinator_port(bed.coordinator));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	/* No connection is old: the new one waits. */
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_int_equal(bed.coordinator->connection_count, 4);
	assert_in_range(bed.coordinator->pause_end_msec, now + 200, clock_msec() + 200);
	assert_string_equal(bed.said, "");
	/* The oldest stranger is dropped; an older guest stays. */
	bed.coordinator->connections[0].since_msec = now - 1000;
	bed.coordinator->connections[1].since_msec = now - 2000;
	bed.coordinator->connections[3].since_msec = now - 3000;
	while (bed.coordinator->pause_end_msec)
		coordinator_turn(bed.coordinator, clock_msec() + 1000);
	bed.coordinator->guests = MOST_GUESTS;
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_memory_equal(bed.said, "10.0.0.2: dropped: others are waiting\n", 38);
	assert_int_equal(bed.coordinator->connections[1].address.raw[0], 127);
	assert_int_equal(bed.coordinator->connections[2].state, CONNECTION_STRANGER);
	assert_int_equal(bed.coordinator->connections[3].state, CONNECTION_GUEST);
	close(fd);
	paired_close(&bed);
}

/* If there is no descriptor for a new connection, it waits, too, and longer. */
static void no_descriptors(void **state)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	const uint64_t now = clock_msec();
	struct rlimit limit, low;
	struct paired bed;
	int next;

	(void)state;
	paired_open(&bed, usual);
	address.sin_port = htons(coordinator_port(bed.coordinator));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur == limit.rlim_max);
	next = dup(fd);
	close(next);
	low = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(bed.coordinator->connection_count, 0);
	assert_string_equal(bed.said, "agents cannot connect: Too many open files: ulimit -Hn is "
				      "too small for this many hosts\n");
	assert_in_range(bed.coordinator->pause_end_msec, now + 500, clock_msec() + 500);
	/* When that time is up, it is admitted. */
	bed.coordinator->pause_end_msec = now;
	bed.coordinator->tick_msec = now - 200;
	coordinator_turn(bed.coordinator, now);
	assert_int_equal(bed.coordinator->pause_end_msec, 0);
	coordinator_turn(bed.coordinator, clock_msec() + 1000);
	assert_int_equal(bed.coordinator->connection_count, 1);
	close(fd);
	paired_close(&bed);
}

/* The others are told goodbye, whatever precedes them in the list. */
static void goodbyes(void **state)
{
	struct mesh_message message;
	struct paired bed;
	uint64_t begin;

	(void)state;
	paired_open(&bed, usual);
	paired_add(&bed, CONNECTION_STRANGER);
	paired_add(&bed, CONNECTION_GUEST);
	paired_add(&bed, CONNECTION_LEAVING);
	paired_member(&bed, "n1", 1);
	paired_add(&bed, CONNECTION_STRANGER);
	paired_member(&bed, "n2", 1);
	paired_add(&bed, CONNECTION_ADMITTED);
	connection_end(bed.coordinator, &bed.coordinator->connections[4], NULL);
	bed.coordinator->connections[2].end_msec = UINT64_MAX;
	/* n1 does not read, and therefore loses its slot. */
	while (!mesh_channel_put(&bed.coordinator->connections[3].channel,
				 &(struct mesh_message){.type = MESH_MESSAGE_READY}))
		continue;
	shutdown(bed.agents[5].fd, SHUT_WR);
	begin = clock_msec();
	coordinator_dismiss(bed.coordinator, 60);
	/* One of them does not leave, and is waited for. */
	assert_true(clock_msec() - begin >= 60);
	assert_true(bed.coordinator->begun);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(bed.coordinator->connections[i].state, i == 2 ? CONNECTION_LEAVING
									: i == 6
										? CONNECTION_LEAVING
										: CONNECTION_FREE);
	assert_in_range(bed.coordinator->connections[6].end_msec, begin + 60, clock_msec() + 60);
	assert_false(paired_next(&bed, 0, &message));
	assert_false(paired_next(&bed, 2, &message));
	for (size_t i = 5; i < 7; i++) {
		assert_true(paired_next(&bed, i, &message));
		assert_int_equal(message.type, MESH_MESSAGE_BYE);
		assert_false(paired_next(&bed, i, &message));
	}
	assert_string_equal(bed.changed, "n1: it does not read what it is sent\n");
	assert_string_equal(bed.said, "");
	/* The wait ends when all have left. */
	connection_end(bed.coordinator, &bed.coordinator->connections[2], NULL);
	shutdown(bed.agents[6].fd, SHUT_WR);
	begin = clock_msec();
	coordinator_dismiss(bed.coordinator, 60000);
	assert_true(clock_msec() - begin < 60000);
	assert_int_equal(bed.coordinator->connections[6].state, CONNECTION_FREE);
	paired_close(&bed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),	  cmocka_unit_test(names),
		cmocka_unit_test(not_opened),	  cmocka_unit_test(limits_of_time),
		cmocka_unit_test(silence),	  cmocka_unit_test(pongs),
		cmocka_unit_test(early_pongs),	  cmocka_unit_test(words_of_members),
		cmocka_unit_test(endings),	  cmocka_unit_test(other_version),
		cmocka_unit_test(slow_readers),	  cmocka_unit_test(written_to_the_gone),
		cmocka_unit_test(refusals),	  cmocka_unit_test(own_addresses),
		cmocka_unit_test(watches),	  cmocka_unit_test(crowds),
		cmocka_unit_test(no_descriptors), cmocka_unit_test(goodbyes),
	};

	return cmocka_run_group_tests_name("mesh_connection", tests, NULL, NULL);
}
