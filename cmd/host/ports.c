/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/device.h"

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, objects, true) && listing_load(&listing))
		for (size_t i = 0; i < listing.inventory.devices.count; i++)
			for (size_t j = 0; j < listing.inventory.devices.items[i].port_count; j++)
				listing_add(&listing, &listing.inventory.devices.items[i].ports[j]);
	return listing_end(&listing);
}

const struct command ports_command = {
	.name = "ports",
	.group = GROUP_INVENTORY,
	.summary = "list ports: state, rate, MTU, LIDs, netdev",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &port_schema,
	.run = run,
};
