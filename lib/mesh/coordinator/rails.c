/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which rails of different hosts correspond. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/coordinator/connection.h"

/* Hosts with equally many ports. */
struct likes {
	const uint32_t *ports_of; /* each host; 0 if it does not take part */
	uint32_t ports;
	size_t hosts, gaps;
	uint32_t users[MESH_MOST_PORTS];   /* of each place: hosts whose port works there */
	uint32_t numbers[MESH_MOST_PORTS]; /* of the rail there */
	uint32_t rails;
};

static bool is_gap(const struct mesh_host *host, size_t gap, uint32_t place)
{
	return gap < host->gap_count && host->gaps[gap].place == place;
}

static void count_users(struct likes *likes, const struct mesh_host *hosts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t gap = 0;

		if (likes->ports_of[i] != likes->ports)
			continue;
		likes->hosts++;
		for (uint32_t place = 0; place < likes->ports; place++)
			if (is_gap(&hosts[i], gap, place))
				gap++;
			else
				likes->users[place]++;
		likes->gaps += gap;
	}
	for (uint32_t place = 0; place < likes->ports; place++) {
		likes->numbers[place] = likes->rails;
		likes->rails += likes->users[place] > 0;
	}
}

/* If most hosts cannot use it either, it is hardly meant to be used. */
static bool is_expected(const struct likes *likes, uint32_t place)
{
	return likes->users[place] * 2 >= likes->hosts;
}

static void number_host(const struct likes *likes, struct mesh_host *host)
{
	struct endpoint *rails = mem_alloc_zero(likes->rails + 1, sizeof(*rails));
	size_t gap_number = 0, own = 0;

	for (uint32_t place = 0; place < likes->ports; place++) {
		const uint32_t number = likes->numbers[place];
		struct mesh_gap *gap = &host->gaps[gap_number];

		if (!is_gap(host, gap_number, place)) {
			rails[number] = host->rails[own++];
			continue;
		}
		gap_number++;
		if (!likes->users[place])
			continue;
		memcpy(rails[number].device, gap->device, sizeof(gap->device));
		rails[number].port = gap->port;
		host->missing_rails |= (uint16_t)(1u << number);
		if (is_expected(likes, place))
			gap->rail = number_of(number);
	}
	free(host->rails);
	host->rails = rails;
	host->rail_count = likes->rails;
}

void rails_number(struct mesh_host *hosts, size_t count)
{
	_cleanup_(freep) uint32_t *ports_of = mem_alloc_zero(count + 1, sizeof(*ports_of));

	slots_compare(hosts, count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].presence == MESH_PRESENT)
			ports_of[i] = hosts[i].rail_count + (uint32_t)hosts[i].gap_count;
	for (uint32_t ports = 1; ports <= MESH_MOST_PORTS; ports++) {
		struct likes likes = {.ports_of = ports_of, .ports = ports};

		count_users(&likes, hosts, count);
		for (size_t i = 0; i < count && likes.gaps && likes.rails <= MESH_MOST_RAILS; i++)
			if (ports_of[i] == ports)
				number_host(&likes, &hosts[i]);
	}
}
