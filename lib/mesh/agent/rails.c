/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/rails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/inventory.h"

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
		/* If there is no rail at all, the first reason is reported. */
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
	_cleanup_(freep) const struct device **devices = device_list_by_place(&inventory->devices);
	_cleanup_(freep) char *reason = NULL, *hint = NULL;

	host->rails = mem_alloc_zero(MESH_MOST_RAILS, sizeof(*host->rails));
	for (size_t i = 0; i < inventory->devices.count; i++)
		add_rails(inventory, devices[i], host, &reason, &hint);
	if (host->rail_count)
		return 0;
	*ret_reason = reason ? mem_string(reason) : mem_string("this host has no RDMA device");
	*ret_hint = hint     ? mem_string(hint)
		    : reason ? NULL
			     : mem_string("run rdmactl doctor there to find out why");
	return -ENODEV;
}
