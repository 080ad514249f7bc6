/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selects the problems of netdevs that matter for the request. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/attributes.h"
#include "host/inventory/reading.h"
#include "host/need.h"

/* A netdev by its name, and whether a port shows it. */
struct shown {
	const struct link *link;
	bool shown;
};

struct shown_links {
	struct shown *items; /* sorted by name */
	size_t count;
};

static int compare_names(const void *a, const void *b)
{
	const struct shown *first = a, *second = b;

	return strcmp(first->link->name, second->link->name);
}

static struct shown *find_shown(const struct shown_links *links, const char *name)
{
	const struct link link = {.name = (char *)(uintptr_t)name};
	const struct shown wanted = {.link = &link};

	return name && links->count ? bsearch(&wanted, links->items, links->count,
					      sizeof(*links->items), compare_names)
				    : NULL;
}

static void show(const struct shown_links *links, const char *name)
{
	struct shown *found = find_shown(links, name);

	if (found)
		found->shown = true;
}

static bool is_ipoib_of_any(const struct device_list *devices, const struct link *link)
{
	for_each_port (device, port, devices)
		if (link_is_ipoib_of(link, port))
			return true;
	return false;
}

static void show_links_of_port(const struct inventory *inventory, const struct port *port,
			       const struct shown_links *links)
{
	const struct shown *own = find_shown(links, port->netdev);
	const struct link *master = own ? link_by_index(&inventory->links, &own->link->master_index)
					: NULL;

	show(links, port->netdev);
	if (master)
		show(links, master->name);
	for (size_t i = 0; i < port->gid_count; i++)
		show(links, port->gids[i].netdev);
}

/* Sorts the netdevs once: hosts with thousands of netdevs have as many problems. */
static void find_shown_links(const struct inventory *inventory, struct shown_links *links)
{
	const struct device_list *devices = &inventory->devices;

	links->items = mem_alloc_zero(inventory->links.count + 1, sizeof(*links->items));
	for (size_t i = 0; i < inventory->links.count; i++)
		if (inventory->links.items[i].name)
			links->items[links->count++].link = &inventory->links.items[i];
	qsort(links->items, links->count, sizeof(*links->items), compare_names);
	for_each_port (device, port, devices)
		show_links_of_port(inventory, port, links);
	for (size_t i = 0; i < links->count; i++)
		links->items[i].shown |= is_ipoib_of_any(devices, links->items[i].link);
}

/* Tables of GIDs and P_Keys show only which port a netdev belongs to. */
static bool is_asked(const struct reading *reading, const char *key)
{
	const struct attribute *attribute = attribute_find(&link_attributes, key);
	uint64_t needs = reading->request->needs, need = attribute ? attribute->need : 0;

	/* If the attribute is a column, the column decides. */
	if (need & ~(uint64_t)NEED_LINK_LIST)
		need &= ~(uint64_t)NEED_LINK_LIST;
	if (needs & (NEED_GIDS | NEED_PKEYS))
		needs &= ~(uint64_t)NEED_LINK_LIST;
	return need & needs;
}

static bool is_port_without_netdev(const struct inventory *inventory)
{
	for_each_port (device, port, &inventory->devices)
		if (!port->netdev)
			return true;
	return false;
}

/* True for problems of a netdev that is shown, or would be shown if it could be read. */
static bool matters(const struct reading *reading, const struct shown_links *links,
		    const struct problem *problem)
{
	const struct shown *found = find_shown(links, problem->object);
	const struct link *link = found ? found->link : NULL;

	if (!link)
		return true;
	if (!strcmp(problem->attribute, "type") || !strcmp(problem->attribute, "address"))
		if (!link->type.known || (link_is_ipoib(link) && !link->port_guid.known))
			return wants_ipoib(reading);
	/* Links between netdevs are stored in the upper one, so it is relevant to those below. */
	if ((link->lower_unknown && !strcmp(problem->attribute, "iflink")) ||
	    (link->master_unknown && !strcmp(problem->attribute, "master")))
		return reading->request->needs & (NEED_LINK_UPPERS | NEED_GID_NETDEVS) ||
		       link_is_ipoib(link) || is_port_without_netdev(reading->inventory);
	/* Either may be what connects a netdev to a port. */
	if (!strcmp(problem->attribute, "dev_port"))
		return is_port_without_netdev(reading->inventory);
	if (!strcmp(problem->attribute, "address") && is_port_without_netdev(reading->inventory))
		return true;
	return is_asked(reading, problem->attribute) && found->shown;
}

void note_links(struct reading *reading, const struct problems *problems)
{
	struct shown_links links = {.count = 0};

	if (problems->count)
		find_shown_links(reading->inventory, &links);
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *one = &problems->items[i];

		if (matters(reading, &links, one))
			problem_add_text(reading->problems, one->object, one->attribute,
					 one->source, one->error, one->hint);
	}
	free(links.items);
}
