/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selects the problems of netdevs that matter for the request. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/attributes.h"
#include "host/inventory/reading.h"
#include "host/need.h"

/* Marks a netdev, unless it is NULL; `shown` has an entry for each netdev of the list. */
static void show(const struct link_list *links, bool *shown, const struct link *link)
{
	if (link)
		shown[link - links->items] = true;
}

static bool is_ipoib_of_any(const struct device_list *devices, const struct link *link)
{
	for_each_port (device, port, devices)
		if (link_is_ipoib_of(link, port))
			return true;
	return false;
}

/* Marks the netdevs that a port shows. The list is sorted, so finding one by name is fast. */
static void find_shown(const struct inventory *inventory, bool *shown)
{
	const struct link_list *links = &inventory->links;

	for_each_port (device, port, &inventory->devices) {
		const struct link *own = link_by_name(links, port->netdev);

		show(links, shown, own);
		show(links, shown, own ? link_by_index(links, &own->master_index) : NULL);
		for (size_t i = 0; i < port->gid_count; i++)
			show(links, shown, link_by_name(links, port->gids[i].netdev));
	}
	for (size_t i = 0; i < links->count; i++)
		shown[i] |= is_ipoib_of_any(&inventory->devices, &links->items[i]);
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
static bool matters(const struct reading *reading, const bool *shown, const struct problem *problem)
{
	const struct link_list *links = &reading->inventory->links;
	const struct link *link = link_by_name(links, problem->object);

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
	return is_asked(reading, problem->attribute) && shown[link - links->items];
}

void note_links(struct reading *reading, const struct problems *problems)
{
	const struct inventory *inventory = reading->inventory;
	_cleanup_(freep) bool *shown = mem_alloc_zero(inventory->links.count, sizeof(*shown));

	if (problems->count)
		find_shown(inventory, shown);
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *one = &problems->items[i];

		if (matters(reading, shown, one))
			problem_add_text(reading->problems, one->object, one->attribute,
					 one->source, one->error, one->hint);
	}
}
