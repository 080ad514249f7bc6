/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which problems of netdevs matter for what was asked. */
#include <string.h>

#include "host/attributes.h"
#include "host/inventory/reading.h"
#include "host/need.h"

static bool is_link_of_port(const struct link_list *links, const struct link *link,
			    const struct port *port)
{
	const struct link *own = link_by_name(links, port->netdev);

	if (own && (own == link || link_by_index(links, &own->master_index) == link))
		return true;
	for (size_t i = 0; i < port->gid_count; i++)
		if (port->gids[i].netdev && !strcmp(port->gids[i].netdev, link->name))
			return true;
	return link_is_ipoib_of(link, port);
}

static bool is_shown(const struct inventory *inventory, const struct link *link)
{
	const struct device_list *list = &inventory->devices;

	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < list->items[i].port_count; j++)
			if (is_link_of_port(&inventory->links, link, &list->items[i].ports[j]))
				return true;
	return false;
}

/* Tables of GIDs and P_Keys show only which port a netdev belongs to. */
static bool is_asked(const struct reading *reading, const char *key)
{
	const struct attribute *attribute = attribute_find(&link_attributes, key);
	uint64_t needs = reading->request->needs, need = attribute ? attribute->need : 0;

	/* The column, if the attribute is one, decides. */
	if (need & ~(uint64_t)NEED_LINK_LIST)
		need &= ~(uint64_t)NEED_LINK_LIST;
	if (needs & (NEED_GIDS | NEED_PKEYS))
		needs &= ~(uint64_t)NEED_LINK_LIST;
	return need & needs;
}

static bool is_port_without_netdev(const struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->devices.count; i++)
		for (size_t j = 0; j < inventory->devices.items[i].port_count; j++)
			if (!inventory->devices.items[i].ports[j].netdev)
				return true;
	return false;
}

/* True for problems of a netdev that is shown, or that would be shown if it could be read. */
static bool matters(const struct reading *reading, const struct problem *problem)
{
	const struct link *link = link_by_name(&reading->inventory->links, problem->object);

	if (!link)
		return true;
	if (!strcmp(problem->attribute, "type") || !strcmp(problem->attribute, "address"))
		if (!link->type.known || (link_is_ipoib(link) && !link->port_guid.known))
			return wants_ipoib(reading);
	/* What is on top of a netdev is found from above. */
	if ((link->lower_unknown && !strcmp(problem->attribute, "iflink")) ||
	    (link->master_unknown && !strcmp(problem->attribute, "master")))
		return reading->request->needs & (NEED_LINK_UPPERS | NEED_GID_NETDEVS) ||
		       link_is_ipoib(link) || is_port_without_netdev(reading->inventory);
	/* Both may be what ties a netdev to a port. */
	if (!strcmp(problem->attribute, "dev_port"))
		return is_port_without_netdev(reading->inventory);
	if (!strcmp(problem->attribute, "address") && is_port_without_netdev(reading->inventory))
		return true;
	return is_asked(reading, problem->attribute) && is_shown(reading->inventory, link);
}

void note_links(struct reading *reading, const struct problems *problems)
{
	const struct problem *one = problems->items;

	for (const struct problem *end = one + problems->count; one < end; one++)
		if (matters(reading, one))
			problem_add_text(reading->problems, one->object, one->attribute,
					 one->source, one->error, one->hint);
}
