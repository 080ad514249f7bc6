/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/need.h"
#include "host/netdev.h"

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	struct netdev_list netdevs = {0};
	struct listing listing;
	int status;

	(void)args;
	if (listing_begin(&listing, ctx, objects, true)) {
		listing.request.needs = NEED_NETDEV | NEED_LINKS;
		if (listing_load(&listing))
			netdev_list_make(&netdevs, &listing.inventory.devices,
					 &listing.inventory.links);
	}
	for (size_t i = 0; i < netdevs.count; i++)
		listing_add(&listing, &netdevs.items[i]);
	status = listing_end(&listing);
	netdev_list_clear(&netdevs);
	return status;
}

const struct command netdevs_command = {
	.name = "netdevs",
	.group = GROUP_INVENTORY,
	.summary = "map RDMA devices to netdevs, bonds, VLANs and IPoIB",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &netdev_schema,
	.run = run,
};
