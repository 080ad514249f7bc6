/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl cables: what is plugged into the ports, and why a link is down. */
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "plug/cable.h"

struct cables_args {
	bool lanes;
};

/* Adds rows for all cables, which the caller frees after the listing. */
static struct cable_lane *add_lanes(struct listing *listing, const struct port_cables *cables)
{
	struct cable_lane *lanes = NULL;
	size_t count = 0;

	for (size_t i = 0; i < cables->count; i++)
		for (size_t j = 0; j < cables->items[i].plug.lane_count; j++)
			port_cable_lane(&cables->items[i], j,
					mem_append(&lanes, &count, sizeof(*lanes)));
	for (size_t i = 0; i < count; i++)
		listing_add(listing, &lanes[i]);
	if (!count && cables->count)
		listing_none(listing, NULL, "no module here measures lanes",
			     "rdmactl cables shows what is plugged in");
	return lanes;
}

static int run(const struct ctx *ctx, const void *cables_args, char **objects)
{
	const struct cables_args *args = cables_args;
	_cleanup_(freep) struct cable_lane *lanes = NULL;
	_cleanup_(port_cables_clear) struct port_cables cables = {.items = NULL};
	struct listing listing;

	if (!listing_begin_as(&listing, ctx, args->lanes ? &cable_lane_schema : &cable_schema,
			      false) ||
	    !listing_parse_objects(&listing, objects, true))
		return listing_end(&listing);
	if (listing_load_inventory(&listing, port_cables_needs))
		port_cables_read(&listing.inventory, &cables, &listing.problems);
	if (args->lanes)
		lanes = add_lanes(&listing, &cables);
	for (size_t i = 0; i < cables.count && !args->lanes; i++)
		listing_add(&listing, &cables.items[i]);
	return listing_end(&listing);
}

static const struct option_row options[] = {
	FLAG_OPTION(struct cables_args, lanes, 0, "lanes",
		    "a row for each lane: its light and current, and the module's thresholds"),
	{.name = NULL},
};

static const struct schema *const more_schemas[] = {&cable_lane_schema, NULL};

const struct command cables_command = {
	.name = "cables",
	.group = GROUP_LIVE,
	.summary = "show cables and optics: modules, light levels, alarms, FEC",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct cables_args),
	.schema = &cable_schema,
	.more_schemas = more_schemas,
	.run = run,
};
