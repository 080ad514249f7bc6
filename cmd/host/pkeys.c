/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/device.h"
#include "host/need.h"

struct pkeys_args {
	bool all;
};

static const struct option_row options[] = {
	FLAG_OPTION(struct pkeys_args, all, 'a', "all", "list empty slots of the table, too"),
	{.name = NULL},
};

/* 0x7fff without the membership bit: a key of 0 is no partition, IBA volume 1, 10.9.1.2 */
static bool is_empty(const struct pkey *pkey)
{
	return !(pkey->pkey.value & 0x7fff);
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct pkeys_args *pkeys_args = args;
	struct listing listing;

	if (!listing_begin(&listing, ctx, objects, true))
		return listing_end(&listing);
	listing.request.needs = NEED_PKEYS;
	if (!listing_load(&listing))
		return listing_end(&listing);
	for (size_t i = 0; i < listing.inventory.devices.count; i++) {
		const struct device *device = &listing.inventory.devices.items[i];

		for (size_t j = 0; j < device->port_count; j++)
			for (size_t k = 0; k < device->ports[j].pkey_count; k++)
				if (pkeys_args->all || !is_empty(&device->ports[j].pkeys[k]))
					listing_add(&listing, &device->ports[j].pkeys[k]);
	}
	return listing_end(&listing);
}

const struct command pkeys_command = {
	.name = "pkeys",
	.group = GROUP_INVENTORY,
	.summary = "list partition keys and the IPoIB netdevs that use them",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct pkeys_args),
	.schema = &pkey_schema,
	.run = run,
};
