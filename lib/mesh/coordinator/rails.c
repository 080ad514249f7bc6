/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which rails of different hosts correspond. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/coordinator/connection.h"

/*
 * Ports that a host lacks: those of an adapter that has fallen off the bus, say. They are found by
 * the places where the other hosts have their adapters, because names and PCI addresses of those
 * that remain may have moved up.
 */

/* Only the most frequent layouts are what others are compared with. */
#define MOST_REFERENCES 32u

/* Whether it is known where each port is, and no two are in the same place, as subfunctions are. */
static bool is_clear(const struct strings *slots)
{
	for (size_t i = 0; i < slots->count; i++) {
		const struct strings before = {.items = slots->items, .count = i};

		if (!*slots->items[i] || strings_contain(&before, slots->items[i]))
			return false;
	}
	return true;
}

/* Whether a host with these slots has all of its ports where the others have theirs, but fewer. */
static bool lacks_some(const struct strings *own, const struct strings *others)
{
	size_t same = 0;

	for (size_t i = 0; i < others->count && same < own->count; i++)
		same += !strcmp(own->items[same], others->items[i]);
	return same == own->count && own->count < others->count;
}

static char *port_at(const struct mesh_host *host, uint32_t place)
{
	uint32_t gaps = 0;

	for (; gaps < host->gap_count && host->gaps[gaps].place <= place; gaps++)
		if (host->gaps[gaps].place == place)
			return mem_format("%s/%u", host->gaps[gaps].device, host->gaps[gaps].port);
	return mesh_host_device(host, place - gaps);
}

static struct mesh_gap missing_port(const struct host_group *usual, uint32_t place)
{
	const struct mesh_host *other = usual->first->host;
	_cleanup_(freep) char *port = port_at(other, place);
	_cleanup_(freep) char *more = usual->count > 1
					      ? mem_format(" and %zu more", usual->count - 1)
					      : NULL;

	/* The device of that name may be another one here. */
	return (struct mesh_gap){
		.place = place,
		.port = 1,
		.reason = mem_format("there is no port where %s%s ha%s %s (%s)", other->name,
				     more ?: "", more ? "ve" : "s", port ?: "one",
				     other->slots.items[place]),
		.hint = mem_string("see whether lspci still shows the adapter, and whether a "
				   "container has its RDMA device; rdmactl doctor"),
	};
}

/* Adds the ports that the host lacks as gaps, so that it has as many as the others. */
static void add_missing(struct mesh_host *host, const struct host_group *usual)
{
	const struct strings *slots = &usual->first->host->slots;
	struct mesh_gap *gaps = NULL;
	size_t count = 0, own = 0, gap = 0;

	for (uint32_t place = 0; place < slots->count; place++) {
		if (own == host->slots.count ||
		    strcmp(host->slots.items[own], slots->items[place])) {
			MEM_ADD(gaps, count) = missing_port(usual, place);
			continue;
		}
		if (gap < host->gap_count && host->gaps[gap].place == own) {
			host->gaps[gap].place = place;
			MEM_ADD(gaps, count) = host->gaps[gap++];
		}
		own++;
	}
	free(host->gaps);
	host->gaps = gaps;
	host->gap_count = count;
}

/*
 * Whether hosts of a layout have lost what those of another one have. Too many hosts for that are a
 * kind of their own, such as one with half of the adapters.
 */
static bool is_incomplete(const struct host_group *layout, const struct host_group *other)
{
	const struct strings *own = &layout->first->host->slots;
	const struct strings *others = &other->first->host->slots;

	return (layout->count == 1 || layout->count * 4 <= other->count) &&
	       lacks_some(own, others) && is_clear(own) && is_clear(others);
}

/* The most frequent layout that this one is a part of, the largest of equally many; or NULL. */
static const struct host_group *find_usual(const struct host_groups *layouts,
					   const struct host_group *layout)
{
	const size_t count = layouts->count < MOST_REFERENCES ? layouts->count : MOST_REFERENCES;
	const struct host_group *usual = NULL;

	for (const struct host_group *at = layouts->items; at < layouts->items + count; at++)
		if (is_incomplete(layout, at) &&
		    (!usual || (at->count == usual->count &&
				at->first->host->slots.count > usual->first->host->slots.count)))
			usual = at;
	return usual;
}

/* The places of all ports; to be freed. NULL if they are not known. */
static char *slots_of(const struct mesh_host *host)
{
	return host->slots.count && host->slots.count == host->rail_count + host->gap_count
		       ? strings_join(&host->slots, "\n")
		       : NULL;
}

void slots_compare(struct mesh_host *hosts, size_t count)
{
	_cleanup_(host_groups_clear) struct host_groups layouts;

	host_groups_find(hosts, count, slots_of, &layouts);
	for (size_t i = 0; i < layouts.count; i++) {
		const struct host_group *layout = &layouts.items[i];
		const struct host_group *usual = find_usual(&layouts, layout);

		for (size_t j = 0; usual && j < layout->count; j++)
			add_missing(&hosts[layout->first[j].host - hosts], usual);
	}
}

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
		/* If most hosts cannot use it either, it is hardly meant to be used. */
		if (likes->users[place] * 2 >= likes->hosts)
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
