/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ports that a host lacks: those of an adapter that has fallen off the bus, say. They are found by
 * the places where the other hosts have their adapters, because names and PCI addresses of those
 * that remain may have moved up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/coordinator/connection.h"

/* Only the most frequent layouts are what others are compared with. */
#define MOST_REFERENCES 32u

struct host_layout {
	char *text; /* all slots of the host */
	struct mesh_host *host;
};

/* Hosts whose ports are in the same slots. */
struct layout {
	struct host_layout *first; /* of `hosts` in a row */
	size_t hosts;
};

static size_t count_ports(const struct mesh_host *host)
{
	return host->rail_count + host->gap_count;
}

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

static int compare_texts(const void *left, const void *right)
{
	const struct host_layout *a = left, *b = right;

	return strcmp(a->text, b->text) ?: COMPARE(a->host, b->host);
}

/* The most frequent first; of equally many, the one with more ports. */
static int compare_layouts(const void *left, const void *right)
{
	const struct layout *a = left, *b = right;
	const int order = COMPARE(b->hosts, a->hosts)
				  ?: COMPARE(count_ports(b->first->host),
					     count_ports(a->first->host));

	return order ?: strcmp(a->first->text, b->first->text);
}

static size_t find_layouts(struct host_layout *texts, size_t count, struct layout *layouts)
{
	size_t found = 0;

	qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(texts[i].text, texts[i - 1].text))
			layouts[found++] = (struct layout){.first = &texts[i]};
		layouts[found - 1].hosts++;
	}
	qsort(layouts, found, sizeof(*layouts), compare_layouts);
	return found;
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

static struct mesh_gap missing_port(const struct layout *usual, uint32_t place)
{
	const struct mesh_host *other = usual->first->host;
	_cleanup_(freep) char *port = port_at(other, place);
	_cleanup_(freep) char *more = usual->hosts > 1
					      ? mem_format(" and %zu more", usual->hosts - 1)
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
static void add_missing(struct mesh_host *host, const struct layout *usual)
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
static bool is_incomplete(const struct layout *layout, const struct layout *other)
{
	const struct strings *own = &layout->first->host->slots;
	const struct strings *others = &other->first->host->slots;

	return (layout->hosts == 1 || layout->hosts * 4 <= other->hosts) &&
	       lacks_some(own, others) && is_clear(own) && is_clear(others);
}

static void complete(const struct layout *layouts, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		size_t usual = 0;

		while (usual < i && usual < MOST_REFERENCES &&
		       !is_incomplete(&layouts[i], &layouts[usual]))
			usual++;
		for (size_t j = 0; usual < i && usual < MOST_REFERENCES && j < layouts[i].hosts;
		     j++)
			add_missing(layouts[i].first[j].host, &layouts[usual]);
	}
}

void slots_compare(struct mesh_host *hosts, size_t count)
{
	_cleanup_(freep) struct host_layout *texts = mem_alloc_zero(count + 1, sizeof(*texts));
	_cleanup_(freep) struct layout *layouts = mem_alloc_zero(count + 1, sizeof(*layouts));
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		struct text_buffer text = {0};

		if (hosts[i].presence != MESH_PRESENT || !hosts[i].slots.count ||
		    hosts[i].slots.count != count_ports(&hosts[i]))
			continue;
		for (size_t j = 0; j < hosts[i].slots.count; j++)
			text_buffer_add(&text, "%s\n", hosts[i].slots.items[j]);
		texts[known++] = (struct host_layout){text_buffer_take(&text), &hosts[i]};
	}
	complete(layouts, find_layouts(texts, known, layouts));
	for (size_t i = 0; i < known; i++)
		free(texts[i].text);
}
