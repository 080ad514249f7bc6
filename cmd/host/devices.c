/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/device.h"

static int run(const struct ctx *ctx, const void *args, char **objects)
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
	.run = run,
};
