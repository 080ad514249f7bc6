/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/agent/runner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/inventory/inventory.h"
#include "host/pci/pci.h"
#include "kernel/root.h"
#include "kernel/sysfs.h"
#include "mesh/wire/mesh_message.h"

/*
 * The way to the adapter from the root of PCI, `pci0000:17/02.0/00.0`: host bridges by name, but
 * functions without their bus, whose number depends on what is plugged in before it. Empty if it is
 * unknown.
 */
static char *slot_of(const struct root *root, const struct device *device)
{
	_cleanup_(freep) char *target = NULL;
	struct text_buffer text = {0};
	char *rest;

	if (!device->pci_address || sysfs_link(root, &target, PCI_FUNCTION, device->pci_address))
		return mem_string("");
	rest = target;
	for (char *word; (word = strsep(&rest, "/"));) {
		const char *colon = strrchr(word, ':');

		if (colon && (text.length || !strncmp(word, "pci", strlen("pci"))))
			text_buffer_add(&text, "%s%s", text.length ? "/" : "",
					strncmp(word, "pci", strlen("pci")) ? colon + 1 : word);
	}
	return text_buffer_take(&text);
}

static void add_rails(const struct inventory *inventory, const struct device *device,
		      const char *slot, struct mesh_host *host)
{
	static const struct endpoint_wish any;

	for (size_t i = 0; i < device->port_count && host->rail_count < MESH_MOST_RAILS; i++) {
		struct mesh_gap gap = {
			.place = host->rail_count + (uint32_t)host->gap_count,
			.port = (uint32_t)device->ports[i].port.value,
		};
		_cleanup_(freep) char *port = mem_format("%s port %u", slot, gap.port);

		strings_add(&host->slots, *slot && strlen(port) < MESH_SLOT_BYTES ? port : "");
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
	struct root root;
	const bool open = !root_open(inventory->root, &root);

	host->rails = mem_alloc_zero(MESH_MOST_RAILS, sizeof(*host->rails));
	for (size_t i = 0; i < inventory->devices.count; i++) {
		_cleanup_(freep) char *slot = open ? slot_of(&root, devices[i]) : mem_string("");

		add_rails(inventory, devices[i], slot, host);
	}
	if (open)
		root_close(&root);
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
