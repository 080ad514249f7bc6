/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/caps.h"
#include "host/need.h"

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct listing listing;

	(void)args;
	if (!listing_begin(&listing, ctx, objects, false))
		return listing_end(&listing);
	if (listing_refuses_root(&listing, "a saved tree holds no capabilities"))
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
	.run = run,
};
