/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/rails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/inventory.h"

struct placed {
	const struct device *device;
	size_t index;
};

/* Software devices, which have no address, come last; all others as they are plugged in. */
static int compare_places(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;
	const char *first = one->device->pci_address, *second = other->device->pci_address;
	int order = first && second ? strcmp(first, second) : !first - !second;

	return order ? order : (one->index > other->index) - (one->index < other->index);
}

static void add_rails(const struct inventory *inventory, const struct device *device,
		      struct mesh_host *host, char **reason, char **hint)
{
	static const struct endpoint_wish any;

	for (size_t i = 0; i < device->port_count && host->rail_count < MESH_MOST_RAILS; i++) {
		char *why = NULL, *next = NULL;

		if (!endpoint_of_port(inventory, device, &device->ports[i], &any,
				      &host->rails[host->rail_count], &why, &next)) {
			if (!host->rail_count)
				host->firmware = mem_string_or_null(device->firmware);
			host->rail_count++;
			continue;
		}
		/* If there is no rail at all, the first reason is told. */
		if (*reason) {
			free(why);
			free(next);
			continue;
		}
		*reason = why;
		*hint = next;
	}
}

int mesh_rails_find(const struct inventory *inventory, struct mesh_host *host, char **ret_reason,
		    char **ret_hint)
{
	const struct device_list *devices = &inventory->devices;
	_cleanup_(freep) struct placed *places = mem_alloc_zero(devices->count + 1,
								sizeof(*places));
	_cleanup_(freep) char *reason = NULL, *hint = NULL;

	for (size_t i = 0; i < devices->count; i++)
		places[i] = (struct placed){&devices->items[i], i};
	qsort(places, devices->count, sizeof(*places), compare_places);
	host->rails = mem_alloc_zero(MESH_MOST_RAILS, sizeof(*host->rails));
	for (size_t i = 0; i < devices->count; i++)
		add_rails(inventory, places[i].device, host, &reason, &hint);
	if (host->rail_count)
		return 0;
	*ret_reason = reason ? mem_string(reason) : mem_string("this host has no RDMA device");
	*ret_hint = hint     ? mem_string(hint)
		    : reason ? NULL
			     : mem_string("rdmactl doctor there finds out why");
	return -ENODEV;
}
