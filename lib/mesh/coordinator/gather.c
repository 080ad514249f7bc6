/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for the hosts, and orders them afterwards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/coordinator/connection.h"

struct count {
	size_t come; /* even if they are refused or lost */
	size_t on_the_way;
};

static struct count count_hosts(const struct coordinator *coordinator)
{
	struct count count = {0};

	for (size_t i = 0; i < coordinator->host_count; i++)
		count.come += coordinator->hosts[i].presence != MESH_ABSENT;
	for (size_t i = 0; i < coordinator->connection_count; i++) {
		const enum connection_state state = coordinator->connections[i].state;

		count.on_the_way += state == CONNECTION_ADMITTED || state == CONNECTION_ENTERING;
	}
	return count;
}

/* No other host is expected: as many as were asked for came, or none came for some time. */
static bool is_complete(const struct coordinator *coordinator, const struct count *count)
{
	const uint32_t wanted = coordinator->setup.host_count;

	if (wanted)
		return count->come >= wanted;
	return !count->on_the_way && !coordinator->guests && count->come &&
	       clock_msec() >= coordinator->arrival_msec + coordinator->setup.settle_msec;
}

struct place {
	struct mesh_host host;
	uint32_t connection;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return COMPARE(a->host.rank.value, b->host.rank.value)
		       ?: text_compare_natural(a->host.name, b->host.name);
}

/* Sorts by rank if all hosts have one, else by name. */
static void sort_hosts(struct coordinator *coordinator)
{
	const size_t count = coordinator->host_count;
	_cleanup_(freep) struct place *places = mem_alloc_zero(count + 1, sizeof(*places));
	bool ranked = true;

	for (size_t i = 0; i < count; i++) {
		places[i].host = coordinator->hosts[i];
		places[i].connection = coordinator->host_connections[i];
		ranked &= coordinator->hosts[i].rank.known;
	}
	/* The order must be total, so ranks count only if all hosts have one. */
	for (size_t i = 0; i < count && !ranked; i++)
		places[i].host.rank = (struct number){.known = false};
	qsort(places, count, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < count; i++) {
		coordinator->hosts[i] = places[i].host;
		coordinator->host_connections[i] = places[i].connection;
		if (places[i].connection != NO_CONNECTION)
			coordinator->connections[places[i].connection].host = i;
	}
	names_rebuild(coordinator);
}

static const char wait_hint[] = "wait longer for it with --wait";

/* Its host has not come, but not because no agent connected. */
static void note_late(struct coordinator *coordinator, const struct connection *connection)
{
	struct mesh_host *host;

	if (connection->host == NO_CONNECTION)
		return;
	host = &coordinator->hosts[connection->host];
	free(host->reason);
	free(host->hint);
	host->reason = mem_string("its agent connected, but was not ready in time");
	host->hint = mem_string(wait_hint);
}

/* Refuses agents that have not finished entering. */
static void close_door(struct coordinator *coordinator)
{
	coordinator->begun = true;
	for (size_t i = 0; i < coordinator->connection_count; i++) {
		struct connection *connection = &coordinator->connections[i];

		if (connection->state != CONNECTION_ADMITTED &&
		    connection->state != CONNECTION_ENTERING)
			continue;
		note_late(coordinator, connection);
		connection_refuse(coordinator, connection, MESH_REFUSAL_FULL,
				  "the mesh has begun without it", wait_hint);
	}
}

/* The GIDs of all rails; to be freed. NULL if one is unknown, as in a rehearsal. */
static char *gids_of(const struct mesh_host *host)
{
	char *text = NULL;

	for (uint32_t i = 0; i < host->rail_count; i++) {
		char gid[GID_TEXT_SIZE];

		if (gid_is_zero(&host->rails[i].gid)) {
			free(text);
			return NULL;
		}
		gid_format(&host->rails[i].gid, gid);
		mem_extend(&text, "%s%s", i ? ", " : "", gid);
	}
	return text;
}

/* Two agents on one host would disturb each other, and each would make the other look bad. */
static void refuse_twin(struct coordinator *coordinator, const struct mesh_host *first,
			const struct mesh_host *twin, const char *gids)
{
	static const char hint[] = "name each host once, and let the launcher start one agent on "
				   "it; if they are two hosts, give them different addresses";
	const uint32_t number = (uint32_t)(twin - coordinator->hosts);
	struct connection *connection = connection_of(coordinator, number);
	_cleanup_(freep) char *why = mem_format(
		"its ports have the same GIDs as those of %s (%.*s%s): it seems to be the same "
		"host under another name",
		first->name, (int)strcspn(gids, ","), gids, strchr(gids, ',') ? " ..." : "");

	coordinator->hosts[number].twin = true;
	host_refuse(coordinator, &coordinator->hosts[number], why, hint);
	if (connection)
		connection_refuse(coordinator, connection, MESH_REFUSAL_TWICE, why, hint);
}

static void refuse_twins(struct coordinator *coordinator)
{
	_cleanup_(host_groups_clear) struct host_groups groups;

	host_groups_find(coordinator->hosts, coordinator->host_count, gids_of, &groups);
	for (const struct host_group *at = groups.items; at < groups.items + groups.count; at++)
		for (size_t i = 1; i < at->count; i++)
			refuse_twin(coordinator, at->first->host, at->first[i].host,
				    at->first->text);
}

/*
 * An agent on the coordinator's host may have connected by a loopback address. Other hosts reach it
 * by the address by which they reached the coordinator.
 */
static void replace_loopback(struct coordinator *coordinator)
{
	struct ip_address ours = {.family = 0};

	for (uint32_t i = 0; i < coordinator->host_count && !ours.family; i++) {
		const struct connection *connection = connection_of(coordinator, i);

		if (connection && !ip_is_loopback(&connection->address))
			ours = connection->local;
	}
	for (uint32_t i = 0; i < coordinator->host_count && ours.family; i++)
		if (ip_is_loopback(&coordinator->hosts[i].address))
			coordinator->hosts[i].address = ours;
}

int coordinator_gather(struct coordinator *coordinator)
{
	uint64_t end = clock_msec() + coordinator->setup.wait_msec;
	struct count count = count_hosts(coordinator);

	coordinator->arrival_msec = clock_msec();
	while (!coordinator->interrupted && !is_complete(coordinator, &count)) {
		const uint64_t launched = coordinator->launcher_end_msec;
		const uint64_t arrival = coordinator->arrival_msec;
		/* Wait for agents on the way as if the launcher were running. */
		const uint64_t last = launched && launched < end && !count.on_the_way ? launched
										      : end;
		uint64_t stopped;

		if (clock_msec() >= last)
			break;
		stopped = coordinator_turn(coordinator, last);
		/* Agents that came while this process was stopped may still be waiting. */
		end += stopped;
		if (launched && launched == coordinator->launcher_end_msec)
			coordinator->launcher_end_msec += stopped;
		if (arrival == coordinator->arrival_msec)
			coordinator->arrival_msec += stopped;
		count = count_hosts(coordinator);
	}
	close_door(coordinator);
	refuse_twins(coordinator);
	replace_loopback(coordinator);
	if (!coordinator->setup.names)
		sort_hosts(coordinator);
	rails_number(coordinator->hosts, coordinator->host_count);
	if (coordinator->interrupted)
		return -EINTR;
	return is_complete(coordinator, &count) ? 0 : -ETIMEDOUT;
}
