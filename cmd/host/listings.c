/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands that list what the inventory holds: devices, ports, P_Keys, netdevs, caps. */
#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/host/ports_set.h"
#include "cmd/listing.h"
#include "host/caps.h"
#include "host/need.h"
#include "host/netdev.h"

static int run_devices(const struct ctx *ctx, const void *args, char **objects)
{
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, objects, false) && listing_load(&listing))
		for (size_t i = 0; i < listing.inventory.devices.count; i++)
			listing_add(&listing, &listing.inventory.devices.items[i]);
	return listing_end(&listing);
}

const struct command devices_command = {
	.name = "devices",
	.group = GROUP_INVENTORY,
	.summary = "list RDMA devices: type, driver, firmware, GUID, PCI address",
	.objects = "[DEV...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.schema = &device_schema,
	.run = run_devices,
};

/* Loads `needs` in addition to those of the columns, and adds the rows of every port. */
static int list_by_port(const struct ctx *ctx, const void *args, char **objects, uint64_t needs,
			void (*add)(struct listing *listing, const struct port *port,
				    const void *args))
{
	struct listing listing;

	if (!listing_begin(&listing, ctx, objects, true))
		return listing_end(&listing);
	listing.request.needs = needs;
	if (!listing_load(&listing))
		return listing_end(&listing);
	for_each_port (device, port, &listing.inventory.devices)
		add(&listing, port, args);
	return listing_end(&listing);
}

static void add_port(struct listing *listing, const struct port *port, const void *args)
{
	(void)args;
	listing_add(listing, port);
}

static int run_ports(const struct ctx *ctx, const void *args, char **objects)
{
	return list_by_port(ctx, args, objects, 0, add_port);
}

static const struct command *const ports_children[] = {&ports_set_command, NULL};

const struct command ports_command = {
	.name = "ports",
	.group = GROUP_INVENTORY,
	.summary = "list ports: state, rate, MTU, LIDs, netdev; enable or disable one",
	.objects = "[DEV[/PORT]... | COMMAND ...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &port_schema,
	.children = ports_children,
	.child_word = "COMMAND",
	.run = run_ports,
};

struct pkeys_args {
	bool all;
};

static const struct option_row pkeys_options[] = {
	FLAG_OPTION(struct pkeys_args, all, 'a', "all", "also list empty slots of the table"),
	{.name = NULL},
};

static void add_pkeys(struct listing *listing, const struct port *port, const void *args)
{
	const struct pkeys_args *pkeys_args = args;

	/* 0x7fff excludes the membership bit: a key of 0 is no partition, IBA volume 1, 10.9.1.2 */
	for (size_t i = 0; i < port->pkey_count; i++)
		if (pkeys_args->all || port->pkeys[i].pkey.value & 0x7fff)
			listing_add(listing, &port->pkeys[i]);
}

static int run_pkeys(const struct ctx *ctx, const void *args, char **objects)
{
	return list_by_port(ctx, args, objects, NEED_PKEYS, add_pkeys);
}

const struct command pkeys_command = {
	.name = "pkeys",
	.group = GROUP_INVENTORY,
	.summary = "list partition keys and the IPoIB netdevs that use them",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {pkeys_options},
	.args_size = sizeof(struct pkeys_args),
	.schema = &pkey_schema,
	.run = run_pkeys,
};

static int run_netdevs(const struct ctx *ctx, const void *args, char **objects)
{
	_cleanup_(netdev_list_clear) struct netdev_list netdevs = {0};
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, objects, true)) {
		if (listing_load(&listing))
			netdev_list_make(&netdevs, &listing.inventory.devices,
					 &listing.inventory.links);
	}
	for (size_t i = 0; i < netdevs.count; i++)
		listing_add(&listing, &netdevs.items[i]);
	return listing_end(&listing);
}

const struct command netdevs_command = {
	.name = "netdevs",
	.group = GROUP_INVENTORY,
	.summary = "map RDMA devices to netdevs, bonds, VLANs and IPoIB",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &netdev_schema,
	.run = run_netdevs,
};

static int run_caps(const struct ctx *ctx, const void *args, char **objects)
{
	struct listing listing;

	(void)args;
	if (!listing_begin(&listing, ctx, objects, false))
		return listing_end(&listing);
	if (listing_refuses_tree(&listing, "a saved tree holds no capabilities"))
		return listing_end(&listing);
	listing.request.needs = NEED_CAPS;
	if (listing_load(&listing)) {
		for (size_t i = 0; i < listing.inventory.caps_count; i++)
			listing_add(&listing, &listing.inventory.caps[i]);
		if (!listing.inventory.caps_count)
			listing.status = STATUS_FAILED;
	}
	return listing_end(&listing);
}

const struct command caps_command = {
	.name = "caps",
	.group = GROUP_INVENTORY,
	.summary = "show every limit and capability of a device and its ports",
	.objects = "[DEV...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.schema = &caps_schema,
	.all_columns = true,
	.run = run_caps,
};
