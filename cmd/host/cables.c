/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl cables: what is plugged into the ports, and why a link is down. */
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "plug/cable.h"

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct port_cables cables = {.items = NULL};
	struct listing listing;
	int status;

	(void)args;
	if (!listing_begin(&listing, ctx, objects, true))
		return listing_end(&listing);
	if (listing_load_inventory(&listing, port_cables_needs))
		port_cables_read(&listing.inventory, &cables, &listing.problems);
	for (size_t i = 0; i < cables.count; i++)
		listing_add(&listing, &cables.items[i]);
	status = listing_end(&listing);
	port_cables_clear(&cables);
	return status;
}

const struct command cables_command = {
	.name = "cables",
	.group = GROUP_LIVE,
	.summary = "show cables and optics: what is plugged in, light, alarms, FEC",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &cable_schema,
	.run = run,
};
