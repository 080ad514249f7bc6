/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/table/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/rtnl.h"
#include "roce/netdevs.h"

/* Adds a link unless it is in the list already. */
static void add_link(const struct link ***list, size_t *count, const struct link *link)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i] == link)
			return;
	MEM_ADD(*list, *count) = link;
}

static void add_members(const struct inventory *inventory, struct roce_target *target,
			const struct link *link)
{
	const struct link *member = NULL;

	if (link)
		add_link(&target->netdevs, &target->netdev_count, link);
	while (link && (member = roce_next_member(inventory, link, member)) != NULL)
		add_link(&target->members, &target->member_count, member);
}

/* Takes the device's port with that number; 0: all ports. */
static int take_device(const struct inventory *inventory, const struct device *device,
		       unsigned long number, struct roce_target *target)
{
	bool found = false;

	for_each_in (port, device->ports, device->port_count) {
		if (number && port->port.value != number)
			continue;
		found = true;
		if (!roce_is_roce(device, port))
			continue;
		MEM_ADD(target->ports, target->port_count) = port;
		add_members(inventory, target, roce_port_link(inventory, port));
	}
	if (!found)
		return -ENODEV;
	return target->port_count ? 0 : -EOPNOTSUPP;
}

/* Takes the ports of a netdev: its own, or those of its bond. */
static void take_netdev(const struct inventory *inventory, const struct link *link,
			struct roce_target *target)
{
	add_members(inventory, target, link);
	for_each_port (device, port, &inventory->devices) {
		const struct link *own = roce_port_link(inventory, port);

		if (own && roce_is_roce(device, port) &&
		    (own == link || (link_is_bond(own) &&
				     link_by_index(&inventory->links, &link->master_index) == own)))
			MEM_ADD(target->ports, target->port_count) = port;
	}
}

int roce_target_find(const struct inventory *inventory, const char *word,
		     struct roce_target *ret_target)
{
	const struct device *device = device_list_find(&inventory->devices, word);
	const struct link *link = link_by_name(&inventory->links, word);
	const char *slash = strrchr(word, '/');
	_cleanup_(freep) char *name = NULL;
	uint64_t number;

	*ret_target = (struct roce_target){.ports = NULL};
	if (device)
		return take_device(inventory, device, 0, ret_target);
	if (link) {
		take_netdev(inventory, link, ret_target);
		return 0;
	}
	if (!slash || text_parse_u64(slash + 1, 10, UINT32_MAX, &number) || !number)
		return -ENODEV;
	name = mem_string(word);
	name[slash - word] = '\0';
	device = device_list_find(&inventory->devices, name);
	return device ? take_device(inventory, device, number, ret_target) : -ENODEV;
}

int roce_target_load_links(struct inventory *inventory)
{
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	int rc = inventory->links.count ? 0 : inventory_open_rtnl(inventory, &rtnl);

	return rc || inventory->links.count ? rc : rtnl_get_links(rtnl, &inventory->links);
}

void roce_target_clear(struct roce_target *target)
{
	free(target->ports);
	free(target->members);
	free(target->netdevs);
	*target = (struct roce_target){.ports = NULL};
}
