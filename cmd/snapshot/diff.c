/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl diff: what differs between two snapshots, or between one and the live host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "change/system.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "cmd/root_file.h"
#include "host/host.h"
#include "host/inventory/inventory.h"
#include "host/need.h"
#include "host/netdev.h"
#include "host/sriov/function.h"
#include "roce/table/roce.h"
#include "snapshot/diff/diff.h"
#include "snapshot/modules.h"
#include "snapshot/open.h"

/* The kinds of records, in the order in which they are compared and printed. */
enum side_kind {
	SIDE_DEVICES,
	SIDE_PORTS,
	SIDE_NETDEVS,
	SIDE_GIDS,
	SIDE_PKEYS,
	SIDE_CAPS,
	SIDE_FUNCTIONS,
	SIDE_SETTINGS,
	SIDE_ROCE,
	SIDE_SYSTEM,
	SIDE_MODULES,
	SIDE_VERSIONS,
	SIDE_KINDS,
};

struct side_list {
	const void **rows;
	size_t count;
	bool known; /* it could be read: without rows there are none */
};

/* One side: all records of a snapshot, a saved tree or the live host. */
struct side {
	const char *name; /* as the user named it */
	const char *root; /* NULL: the live host */
	struct snapshot snapshot;
	struct problems problems;
	struct inventory inventory;
	struct netdev_list netdevs;
	struct function_list functions;
	struct device_settings *settings;
	struct system_settings system;
	struct roce_list roce;
	struct loaded_modules modules;
	struct component_list components;
	struct side_list lists[SIDE_KINDS];
};

/*
 * What changes without anyone's doing, or repeats what another row says, is not compared:
 * - index, uverbs, umads, issms: the order in which devices appeared
 * - irq_count, user_contexts, free_user_contexts, carrier_changes: what is running now
 * - sources, source: where this program has read a value
 * - state and netdevs of devices, netdev_* of ports: ports and netdevs have them
 * - selected, why, reason, next_step, built_with, note: words of this program
 */
static const struct diff_kind side_kinds[SIDE_KINDS] = {
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

/* Adds records of a kind, which are side by side. */
static void add(struct side *side, enum side_kind kind, const void *records, size_t count)
{
	struct side_list *list = &side->lists[kind];

	list->known = true;
	for (size_t i = 0; i < count; i++)
		MEM_ADD(list->rows, list->count) = (const char *)records +
						   i * side_kinds[kind].schema->record_size;
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
	add(side, SIDE_PORTS, device->ports, device->port_count);
	for_each_in (port, device->ports, device->port_count) {
		add(side, SIDE_GIDS, port->gids, port->gid_count);
		add(side, SIDE_PKEYS, port->pkeys, port->pkey_count);
	}
}

static void list_devices(struct side *side)
{
	const struct inventory *inventory = &side->inventory;
	const struct device_list *devices = &inventory->devices;

	add(side, SIDE_DEVICES, devices->items, devices->count);
	for (size_t i = 0; i < devices->count; i++)
		add_ports(side, &devices->items[i]);
	netdev_list_make(&side->netdevs, devices, &inventory->links);
	add(side, SIDE_NETDEVS, side->netdevs.items, side->netdevs.count);
	for (size_t i = SIDE_DEVICES; i <= SIDE_PKEYS; i++)
		side->lists[i].known = true;
	if (inventory->answers)
		add(side, SIDE_CAPS, inventory->caps, inventory->caps_count);
}

static void list_settings(struct side *side)
{
	function_list_read(&side->functions, &side->inventory, side->root, &side->problems);
	add(side, SIDE_FUNCTIONS, side->functions.items, side->functions.count);
	side->settings = device_settings_list(&side->inventory, &side->problems);
	if (side->inventory.answers)
		add(side, SIDE_SETTINGS, side->settings, side->inventory.devices.count);
	if (!roce_list_load(&side->roce, &side->inventory, side->root,
			    &(struct number){.known = false}, &side->problems))
		add(side, SIDE_ROCE, side->roce.items, side->roce.count);
}

static void list_host(struct side *side)
{
	struct problems none = {.items = NULL};

	/* Opening an RDMA netlink socket would load the RDMA core. */
	if (!inventory_find_core(side->root, &none) && side->inventory.answers &&
	    !system_settings_read(side->root, &side->system))
		add(side, SIDE_SYSTEM, &side->system, 1);
	problems_free(&none);
	if (!loaded_modules_read(side->root, &side->modules))
		add(side, SIDE_MODULES, side->modules.items, side->modules.count);
	if (!side->root)
		version_components(&side->components, NULL);
	if (!side->root || !snapshot_versions(side->root, &side->components))
		add(side, SIDE_VERSIONS, side->components.items, side->components.count);
}

/* Without RDMA there are no devices: a fact to compare, not a problem. */
static int load(struct side *side)
{
	const struct objects everything = {.count = 0};
	const struct inventory_request request = {
		.root = side->root, .needs = needs_of_kinds(), .objects = &everything};
	int rc = inventory_load(&side->inventory, &request, &side->problems, NULL);

	if (rc == -ENODEV)
		problems_free(&side->problems);
	else if (rc)
		return rc;
	list_devices(side);
	list_settings(side);
	list_host(side);
	return 0;
}

static void side_close(struct side *side)
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

static struct diff_rows rows_of(const struct side *side, enum side_kind kind)
{
	return (struct diff_rows){
		.rows = side->lists[kind].rows,
		.count = side->lists[kind].count,
		.problems = &side->problems,
		.answers = side->inventory.answers,
	};
}

static void compare(struct listing *listing, const struct side sides[DIFF_SIDES], struct diff *diff)
{
	const char *const names[DIFF_SIDES] = {sides[DIFF_BEFORE].name, sides[DIFF_AFTER].name};

	for (size_t i = 0; i < SIDE_KINDS; i++) {
		const bool before = sides[DIFF_BEFORE].lists[i].known;
		const bool after = sides[DIFF_AFTER].lists[i].known;
		const struct diff_rows rows[DIFF_SIDES] = {rows_of(&sides[DIFF_BEFORE], i),
							   rows_of(&sides[DIFF_AFTER], i)};

		if (before && after) {
			diff_compare(diff, &side_kinds[i], &rows[DIFF_BEFORE], &rows[DIFF_AFTER]);
		} else if (before != after) {
			/* A list that only one side has cannot be compared. */
			const char *side = names[before ? DIFF_AFTER : DIFF_BEFORE];
			_cleanup_(freep) char *name = text_clean(side, strlen(side));
			_cleanup_(freep) char *text = mem_format(
				"%s is not known there: not compared", side_kinds[i].name);

			problem_add_text(&listing->problems, name, NULL, NULL, text, NULL);
		}
	}
	diff_note_unknowns(diff, names, &listing->problems);
}

/*
 * `path` NULL is the live host. Release in the opposite order of opening: see snapshot/open.h.
 */
static bool open_side(struct listing *listing, struct side *side, const char *path)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	int rc;

	*side = (struct side){.name = path ? path : "this host", .snapshot = SNAPSHOT_NONE};
	rc = root_file_unpack(path, &side->snapshot, &side->root, &message, &hint);
	if (rc)
		return listing_fail(listing, STATUS_FAILED, message, hint);
	rc = load(side);
	return !rc || listing_fail_format(listing, STATUS_FAILED, NULL, "cannot read %s: %s",
					  side->name, strerror(-rc));
}

static bool has_root(struct listing *listing)
{
	if (listing->ctx->globals.root)
		listing_fail(listing, STATUS_USAGE,
			     "it takes snapshots as arguments, not from --root or RDMACTL_ROOT",
			     "without --root and RDMACTL_ROOT, rdmactl diff BEFORE AFTER compares "
			     "two of them");
	return listing->ctx->globals.root;
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	struct side sides[DIFF_SIDES] = {{.snapshot = SNAPSHOT_NONE}, {.snapshot = SNAPSHOT_NONE}};
	struct diff diff = {.count = 0};
	struct listing listing;
	int status;

	(void)args;
	if (listing_begin_as(&listing, ctx, &differences_schema, false) && !has_root(&listing) &&
	    open_side(&listing, &sides[DIFF_BEFORE], words[0]) &&
	    open_side(&listing, &sides[DIFF_AFTER], words[1]))
		compare(&listing, sides, &diff);
	for (size_t i = 0; i < diff.count; i++)
		listing_add(&listing, &diff.items[i]);
	if (diff.count && listing.status == STATUS_DONE)
		listing.status = STATUS_FAULT;
	status = listing_end(&listing);
	diff_clear(&diff);
	side_close(&sides[DIFF_AFTER]);
	side_close(&sides[DIFF_BEFORE]);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.group = GROUP_LIVE,
	.summary = "compare two snapshots, or a snapshot with this host",
	.objects = "BEFORE [AFTER]",
	.object_completion = COMPLETE_FILE,
	.least_objects = 1,
	.most_objects = 2,
	.schema = &differences_schema,
	.run = run,
};
