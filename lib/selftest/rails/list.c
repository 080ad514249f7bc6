/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists the ports of a host in an order that is the same on similar hosts, and pairs them up. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/rails/rails.h"

static void add_ports(const struct inventory *inventory, const struct device *device,
		      const struct endpoint_wish *wish, struct listed_port **ports, size_t *count)
{
	for (size_t i = 0; i < device->port_count; i++) {
		_cleanup_(freep) char *reason = NULL, *hint = NULL;
		struct endpoint endpoint;
		struct listed_port *port;

		if (endpoint_of_port(inventory, device, &device->ports[i], wish, &endpoint, &reason,
				     &hint))
			continue;
		port = mem_append(ports, count, sizeof(*port));
		port->endpoint = endpoint;
		if (device->pci_address)
			snprintf(port->place, sizeof(port->place), "%s", device->pci_address);
		port->with_node = device->numa_node.known && device->numa_node.value <= UINT16_MAX;
		port->node = port->with_node ? (uint32_t)device->numa_node.value : 0;
	}
}

void rails_list(const struct inventory *inventory, const struct number *gid_index,
		struct listed_port **ret_ports, size_t *ret_count)
{
	const struct endpoint_wish wish = {.gid_index = *gid_index};
	_cleanup_(freep) const struct device **devices = device_list_by_place(&inventory->devices);
	struct listed_port *ports = NULL;
	size_t count = 0;

	for (size_t i = 0; i < inventory->devices.count; i++)
		add_ports(inventory, devices[i], &wish, &ports, &count);
	*ret_ports = ports;
	*ret_count = count;
}

/* Returns the only port that `index` reaches and that no other port reaches; SIZE_MAX if none. */
static size_t only_one(const struct rail_reach *reach, size_t near_count, size_t far_count,
		       size_t index)
{
	size_t found = SIZE_MAX;

	for (size_t j = 0; j < far_count; j++) {
		if (!reach[index * far_count + j].subnet)
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = j;
	}
	for (size_t i = 0; found != SIZE_MAX && i < near_count; i++)
		if (i != index && reach[i * far_count + found].subnet)
			return SIZE_MAX;
	return found;
}

/* Returns the port at the same place if that is free, else the first free one. */
static size_t choose_free(const struct rail_reach *reach, size_t far_count, const bool *taken,
			  size_t index, bool by_subnet)
{
	size_t found = SIZE_MAX;

	for (size_t j = 0; j < far_count; j++) {
		const struct rail_reach *both = &reach[index * far_count + j];

		if (taken[j] || !both->kind || (by_subnet && !both->subnet))
			continue;
		if (j == index)
			return j;
		if (found == SIZE_MAX)
			found = j;
	}
	return found;
}

void rails_match(const struct rail_reach *reach, size_t near_count, size_t far_count,
		 struct rail_choice *ret_choices)
{
	_cleanup_(freep) bool *taken = mem_alloc_zero(far_count + 1, sizeof(*taken));

	for (size_t i = 0; i < near_count; i++) {
		ret_choices[i] = (struct rail_choice){
			.far = only_one(reach, near_count, far_count, i),
			.match = RAIL_SUBNET,
		};
		if (ret_choices[i].far != SIZE_MAX)
			taken[ret_choices[i].far] = true;
	}
	/* Ports of the same subnet come first: others may be reached by routers. */
	for (int by_subnet = 1; by_subnet >= 0; by_subnet--)
		for (size_t i = 0; i < near_count; i++) {
			struct rail_choice *choice = &ret_choices[i];

			if (choice->far != SIZE_MAX)
				continue;
			choice->far = choose_free(reach, far_count, taken, i, by_subnet);
			choice->match = RAIL_ORDER;
			if (choice->far != SIZE_MAX)
				taken[choice->far] = true;
		}
}
