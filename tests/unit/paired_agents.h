/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A coordinator whose agents are the other ends of socket pairs: the test plays their part. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/coordinator/connection.h"

#define MOST_PAIRED 8

struct paired {
	struct coordinator *coordinator;
	struct mesh_channel agents[MOST_PAIRED]; /* the agents' ends, as the connections */
	size_t count;
	char said[1024];   /* each line, with its newline */
	char changed[256]; /* each host that was reported on */
};

static inline void paired_say(void *context, const char *line)
{
	struct paired *bed = context;
	const size_t length = strlen(bed->said);

	snprintf(bed->said + length, sizeof(bed->said) - length, "%s\n", line);
}

static inline void paired_changed(void *context, const struct mesh_host *host)
{
	struct paired *bed = context;
	const size_t length = strlen(bed->changed);

	snprintf(bed->changed + length, sizeof(bed->changed) - length, "%s: %s\n", host->name,
		 host->reason ?: "");
}

static inline void paired_open(struct paired *bed, struct coordinator_setup setup)
{
	char *reason = NULL, *hint = NULL;

	*bed = (struct paired){.count = 0};
	setup.token = "token";
	setup.bind = (struct ip_address){.family = AF_INET, .raw = {127, 0, 0, 1}};
	setup.say = paired_say;
	setup.changed = paired_changed;
	setup.context = bed;
	if (!setup.signals)
		setup.signals = -1;
	assert_int_equal(coordinator_open(&setup, &bed->coordinator, &reason, &hint), 0);
	bed->coordinator->tick_msec = clock_msec();
}

static inline void paired_close(struct paired *bed)
{
	coordinator_free(bed->coordinator);
	for (size_t i = 0; i < bed->count; i++)
		mesh_channel_close(&bed->agents[i]);
}

/* A connection in that state, from 10.0.0.`its number + 1`. */
static inline struct connection *paired_add(struct paired *bed, enum connection_state state)
{
	const struct ip_address address = {.family = AF_INET,
					   .raw = {10, 0, 0, (uint8_t)(bed->count + 1)}};
	struct connection *connection;
	int ends[2];

	assert_true(bed->count < MOST_PAIRED);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(connection_add(bed->coordinator, ends[0], &address), 0);
	mesh_channel_open(&bed->agents[bed->count], ends[1]);
	connection = &bed->coordinator->connections[bed->count++];
	assert_int_equal(connection->state, CONNECTION_STRANGER);
	connection->state = state;
	if (state > CONNECTION_GUEST)
		bed->coordinator->guests--;
	connection->ping_msec = connection->since_msec;
	return connection;
}

/* The agent of a participating host with that many rails: mlx5_0 and so on. */
static inline struct connection *paired_member(struct paired *bed, const char *name, uint32_t rails)
{
	struct connection *connection = paired_add(bed, CONNECTION_MEMBER);
	const uint32_t number = names_add(bed->coordinator, name);
	struct mesh_host *host = &bed->coordinator->hosts[number];

	connection->host = number;
	bed->coordinator->host_connections[number] = (uint32_t)bed->count - 1;
	host->presence = MESH_PRESENT;
	host->protocol = MESH_PROTOCOL;
	host->address = connection->address;
	host->rails = mem_alloc_zero(rails + 1, sizeof(*host->rails));
	host->rail_count = rails;
	for (uint32_t i = 0; i < rails; i++) {
		snprintf(host->rails[i].device, sizeof(host->rails[i].device), "mlx5_%u", i);
		host->rails[i].port = 1;
	}
	return connection;
}

static inline void paired_send(struct paired *bed, size_t agent, const struct mesh_message *message)
{
	assert_int_equal(mesh_channel_put(&bed->agents[agent], message), 0);
	assert_int_equal(mesh_channel_flush(&bed->agents[agent]), 0);
}

/* Returns what has arrived for an agent. False: nothing more for now. */
static inline bool paired_next(struct paired *bed, size_t agent, struct mesh_message *message)
{
	int rc = mesh_channel_next(&bed->agents[agent], message);

	while (!rc && !mesh_channel_receive(&bed->agents[agent]))
		rc = mesh_channel_next(&bed->agents[agent], message);
	assert_true(rc >= 0);
	return rc > 0;
}
