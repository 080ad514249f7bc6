/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/snapshot/diff_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/root_file.h"
#include "cmd/commands.h"
#include "host/host.h"
#include "host/need.h"
#include "host/netdev.h"
#include "snapshot/versions.h"

/*
 * What changes without anyone's doing, or repeats what another row says, is not compared:
 * - index, uverbs, umads, issms: the order in which devices appeared
 * - irq_count, user_contexts, free_user_contexts, carrier_changes: what is running now
 * - sources, source: where this program has read a value
 * - state and netdevs of devices, netdev_* of ports: ports and netdevs have them
 * - selected, why, reason, next_step, built_with, note: words of this program
 */
const struct diff_kind side_kinds[SIDE_KINDS] = {
	[SIDE_DEVICES] = {"devices", &device_schema, "device", "node_guid,pci_address",
			  "index,uverbs,umads,issms,irq_count,user_contexts,free_user_contexts,"
			  "sources,state,netdevs"},
	[SIDE_PORTS] = {"ports", &port_schema, "device,port", NULL,
			"carrier_changes,netdev_operstate,netdev_mtu_bytes"},
	[SIDE_NETDEVS] = {"netdevs", &netdev_schema, "device,port", NULL, NULL},
	[SIDE_GIDS] = {"gids", &gid_schema, "device,port,index", NULL, "source,selected,why"},
	[SIDE_PKEYS] = {"pkeys", &pkey_schema, "device,port,index", NULL, NULL},
	[SIDE_CAPS] = {"caps", &caps_schema, "device", NULL, NULL},
	[SIDE_FUNCTIONS] = {"sriov", &function_schema, "function", NULL, NULL},
	[SIDE_SETTINGS] = {"dev", &device_settings_schema, "device", NULL, "index"},
	[SIDE_ROCE] = {"roce", &roce_schema, "device,port", NULL, "reason,next_step",
		       .distinct = "netdev"},
	[SIDE_SYSTEM] = {"system", &system_schema, NULL, NULL, NULL},
	[SIDE_MODULES] = {"modules", &modules_schema, "module", NULL, NULL},
	[SIDE_VERSIONS] = {"version", &component_schema, "component", NULL, "built_with,note",
			   .partial = true},
};

static void add(struct side *side, enum side_kind kind, const void *row)
{
	struct side_list *list = &side->lists[kind];

	MEM_ADD(list->rows, list->count) = row;
}

static uint64_t needs_of_kinds(void)
{
	uint64_t needs = FUNCTION_NEEDS | ROCE_NEEDS | NEED_CAPS;

	for (size_t i = SIDE_DEVICES; i <= SIDE_PKEYS; i++)
		for (size_t j = 0; j < side_kinds[i].schema->field_count; j++)
			needs |= side_kinds[i].schema->fields[j].needs;
	return needs;
}

static void add_ports(struct side *side, const struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++) {
		const struct port *port = &device->ports[i];

		add(side, SIDE_PORTS, port);
		for (size_t j = 0; j < port->gid_count; j++)
			add(side, SIDE_GIDS, &port->gids[j]);
		for (size_t j = 0; j < port->pkey_count; j++)
			add(side, SIDE_PKEYS, &port->pkeys[j]);
	}
}

static void list_devices(struct side *side)
{
	const struct device_list *devices = &side->inventory.devices;

	for (size_t i = 0; i < devices->count; i++) {
		add(side, SIDE_DEVICES, &devices->items[i]);
		add_ports(side, &devices->items[i]);
	}
	netdev_list_make(&side->netdevs, devices, &side->inventory.links);
	for (size_t i = 0; i < side->netdevs.count; i++)
		add(side, SIDE_NETDEVS, &side->netdevs.items[i]);
	for (size_t i = 0; i < side->inventory.caps_count; i++)
		add(side, SIDE_CAPS, &side->inventory.caps[i]);
	for (size_t i = SIDE_DEVICES; i <= SIDE_PKEYS; i++)
		side->lists[i].known = true;
	side->lists[SIDE_CAPS].known = side->inventory.answers;
}

static void list_settings(struct side *side)
{
	const size_t count = side->inventory.devices.count;

	function_list_read(&side->functions, &side->inventory, side->root, &side->problems);
	for (size_t i = 0; i < side->functions.count; i++)
		add(side, SIDE_FUNCTIONS, &side->functions.items[i]);
	side->lists[SIDE_FUNCTIONS].known = true;
	side->settings = device_settings_list(&side->inventory, &side->problems);
	for (size_t i = 0; i < count; i++)
		add(side, SIDE_SETTINGS, &side->settings[i]);
	side->lists[SIDE_SETTINGS].known = side->inventory.answers;
	side->lists[SIDE_ROCE].known = !roce_list_load(&side->roce, &side->inventory, side->root,
						       &(struct number){.known = false},
						       &side->problems);
	for (size_t i = 0; i < side->roce.count; i++)
		add(side, SIDE_ROCE, &side->roce.items[i]);
}

static void list_host(struct side *side)
{
	struct problems none = {.items = NULL};

	/* Opening an RDMA netlink socket would load the RDMA core. */
	if (!inventory_find_core(side->root, &none) && side->inventory.answers)
		side->lists[SIDE_SYSTEM].known = !system_settings_read(side->root, &side->system);
	problems_free(&none);
	if (side->lists[SIDE_SYSTEM].known)
		add(side, SIDE_SYSTEM, &side->system);
	side->lists[SIDE_MODULES].known = !loaded_modules_read(side->root, &side->modules);
	for (size_t i = 0; i < side->modules.count; i++)
		add(side, SIDE_MODULES, &side->modules.items[i]);
	if (side->root)
		side->lists[SIDE_VERSIONS].known = !snapshot_versions(side->root,
								      &side->components);
	else
		version_components(&side->components, NULL);
	side->lists[SIDE_VERSIONS].known |= !side->root;
	for (size_t i = 0; i < side->components.count; i++)
		add(side, SIDE_VERSIONS, &side->components.items[i]);
}

/* Without RDMA there are no devices: a fact to compare, not a problem. */
static int load(struct side *side)
{
	const struct objects everything = {.count = 0};
	const struct inventory_request request = {
		.root = side->root, .needs = needs_of_kinds(), .objects = &everything};
	struct problems found = {.items = NULL};
	int rc = inventory_load(&side->inventory, &request, &found, NULL);

	for (size_t i = 0; rc != -ENODEV && i < found.count; i++)
		problem_add_text(&side->problems, found.items[i].object, found.items[i].attribute,
				 found.items[i].source, found.items[i].error, found.items[i].hint);
	problems_free(&found);
	if (rc && rc != -ENODEV)
		return rc;
	list_devices(side);
	list_settings(side);
	list_host(side);
	return 0;
}

int side_open(struct side *side, const char *path, char **ret_message, char **ret_hint)
{
	int rc;

	*side = (struct side){.name = path ? path : "this host", .snapshot = SNAPSHOT_NONE};
	rc = root_file_unpack(path, &side->snapshot, &side->root, ret_message, ret_hint);
	if (rc)
		return rc;
	rc = load(side);
	if (rc)
		*ret_message = mem_format("cannot read %s: %s", side->name, strerror(-rc));
	return rc;
}

void side_close(struct side *side)
{
	for (size_t i = 0; i < SIDE_KINDS; i++)
		free(side->lists[i].rows);
	for (size_t i = 0; side->settings && i < side->inventory.devices.count; i++)
		device_settings_clear(&side->settings[i]);
	free(side->settings);
	roce_list_clear(&side->roce);
	function_list_clear(&side->functions);
	netdev_list_clear(&side->netdevs);
	loaded_modules_clear(&side->modules);
	component_list_clear(&side->components);
	inventory_free(&side->inventory);
	problems_free(&side->problems);
	snapshot_close(&side->snapshot);
}
