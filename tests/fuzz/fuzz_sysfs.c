/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of a saved tree, which the input changes. All commands' needs are loaded, and all text
 * that results must be clean.
 */
#include "host/inventory/inventory.h"
#include "host/endpoint/gid_choice.h"
#include "host/netdev.h"
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_device(const struct device *device)
{
	check_record(&device_schema, device);
	for (size_t i = 0; i < device->port_count; i++) {
		const struct port *port = &device->ports[i];

		check_record(&port_schema, port);
		for (size_t j = 0; j < port->gid_count; j++)
			check_record(&gid_schema, &port->gids[j]);
		for (size_t j = 0; j < port->pkey_count; j++)
			check_record(&pkey_schema, &port->pkeys[j]);
	}
}

static void check_choice(const struct inventory *inventory)
{
	const struct gid_question question = {
		.peer = {2 /* AF_INET */, {10, 9, 0, 2}},
		.route = {.link_index = {5, true}},
		.links = &inventory->links,
		.devices = &inventory->devices,
	};
	char *reason = NULL, *hint = NULL;
	const struct gid_entry *chosen = gid_choose(&question, &reason, &hint);

	expect(!chosen == !!reason);
	check_clean(reason);
	free(reason);
	free(hint);
}

static void check_inventory(const struct inventory *inventory)
{
	struct netdev_list netdevs = {0};

	netdev_list_make(&netdevs, &inventory->devices, &inventory->links);
	for (size_t i = 0; i < netdevs.count; i++)
		check_record(&netdev_schema, &netdevs.items[i]);
	netdev_list_clear(&netdevs);
	check_choice(inventory);
	for (size_t i = 0; i < inventory->devices.count; i++)
		check_device(&inventory->devices.items[i]);
}

static void load(void)
{
	static const struct objects everything;
	const struct inventory_request request = {
		.root = top,
		.needs = UINT64_MAX,
		.objects = &everything,
		.empty_gids = true,
	};
	struct inventory inventory;
	struct problems problems = {0};

	expect(!inventory_load(&inventory, &request, &problems, NULL) || problems.count);
	check_inventory(&inventory);
	check_problems(&problems);
	inventory_free(&inventory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	with_tree(data, size, load);
	return 0;
}
