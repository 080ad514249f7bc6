/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "host/host.h"

int version_components(struct component_list *list, const char *root)
{
	component_add(list, "rdmactl", RDMACTL_VERSION, RDMACTL_VERSION, NULL);
	component_add(list, "jansson", render_json_built_version(), render_json_running_version(),
		      "JSON files and schemas");
	return components_load(list, root);
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	_cleanup_(component_list_clear) struct component_list list = {0};
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, objects, false))
		listing_has_loaded(&listing, version_components(&list, ctx->globals.root));
	for (size_t i = 0; i < list.count; i++)
		listing_add(&listing, &list.items[i]);
	return listing_end(&listing);
}

const struct command version_command = {
	.name = "version",
	.group = GROUP_SHELL,
	.summary = "show versions of the program, its libraries and the kernel",
	.schema = &component_schema,
	.run = run,
};
