/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/rails.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/inventory/inventory.h"

static void add_rails(const struct inventory *inventory, const struct device *device,
		      struct mesh_host *host)
{
	static const struct endpoint_wish any;

	for (size_t i = 0; i < device->port_count && host->rail_count < MESH_MOST_RAILS; i++) {
		struct mesh_gap gap = {
			.place = host->rail_count + (uint32_t)host->gap_count,
			.port = (uint32_t)device->ports[i].port.value,
		};

		if (endpoint_of_port(inventory, device, &device->ports[i], &any,
				     &host->rails[host->rail_count], &gap.reason, &gap.hint)) {
			snprintf(gap.device, sizeof(gap.device), "%s", device->kernel_name);
			MEM_ADD(host->gaps, host->gap_count) = gap;
			continue;
		}
		if (!host->rail_count)
			host->firmware = mem_string_or_null(device->firmware);
		host->rail_count++;
	}
}

int mesh_rails_find(const struct inventory *inventory, struct mesh_host *host, char **ret_reason,
		    char **ret_hint)
{
	_cleanup_(freep) const struct device **devices = device_list_by_place(&inventory->devices);

	host->rails = mem_alloc_zero(MESH_MOST_RAILS, sizeof(*host->rails));
	for (size_t i = 0; i < inventory->devices.count; i++)
		add_rails(inventory, devices[i], host);
	if (host->rail_count)
		return 0;
	/* If there is no rail at all, the first reason is reported. */
	if (host->gap_count) {
		*ret_reason = mem_string(host->gaps[0].reason);
		*ret_hint = mem_string_or_null(host->gaps[0].hint);
	} else {
		*ret_reason = mem_string("this host has no RDMA device");
		*ret_hint = mem_string("run rdmactl doctor there to find out why");
	}
	return -ENODEV;
}
