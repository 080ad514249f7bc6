/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ipoib: IPoIB netdevs; ipoib add and ipoib del make and remove P_Key children. */
#include "change/ipoib.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/netdev.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "host/need.h"

#define LIST_NEEDS                                                                         \
	(NEED_LINK_LIST | NEED_LINK_KIND | NEED_LINK_MTU | NEED_LINK_STATE | NEED_NETDEV | \
	 NEED_PORT_GUID | NEED_PKEYS)

static const struct keyword add_keywords[] = {
	{"pkey", "P_KEY", "partition, such as 0x8001", NULL},
	{"mode", "datagram|connected", "how it sends packets (default datagram)", ipoib_mode_names},
	{"name", "NAME", "name of the child (default PARENT.PKEY)", NULL},
};

static const struct keyword *add_keyword(size_t number)
{
	return number < ARRAY_SIZE(add_keywords) ? &add_keywords[number] : NULL;
}

static bool plan_add(struct change_plan *plan, const void *args, char **words)
{
	const char *values[ARRAY_SIZE(add_keywords)] = {NULL};
	struct ipoib_words found = {.parent = words[0]};
	struct change *change;

	(void)args;
	if (!change_take_values(plan, add_keywords, ARRAY_SIZE(add_keywords), words + 1, values))
		return false;
	found.pkey = values[0];
	found.mode = values[1];
	found.name = values[2];
	change = changes_add(&plan->changes, &plan->host, &ipoib_add_setting, NULL, NULL);
	if (ipoib_parse(change, &found))
		return change_plan_fail(plan, change, STATUS_USAGE);
	change_load_host(plan, LIST_NEEDS, NULL);
	return true;
}

static bool plan_del(struct change_plan *plan, const void *args, char **words)
{
	(void)args;
	for (; *words; words++) {
		if (!netdev_name_valid(*words))
			return listing_fail_format(&plan->listing, STATUS_USAGE,
						   "rdmactl ipoib lists the children",
						   "'%s' cannot be the name of a netdev", *words);
		if (!change_plan_one(plan, &ipoib_del_setting, CHANGE_ABSENT, *words, NULL, NULL))
			return false;
	}
	return true;
}

static const struct command add_command = {
	.name = "add",
	.group = GROUP_CHANGE,
	.summary = "create a P_Key child of an IPoIB netdev",
	.objects = "PARENT pkey P_KEY [mode MODE] [name NAME]",
	.object_completion = COMPLETE_NETDEV,
	.least_objects = 1,
	.most_objects = -1,
	.keyword = add_keyword,
	CHANGING_COMMAND(plan_add),
};

static const struct command del_command = {
	.name = "del",
	.group = GROUP_CHANGE,
	.summary = "delete P_Key children",
	.objects = "NAME...",
	.object_completion = COMPLETE_NETDEV,
	.least_objects = 1,
	.most_objects = -1,
	CHANGING_COMMAND(plan_del),
};

static int run(const struct ctx *ctx, const void *args, char **words)
{
	_cleanup_(ipoib_list_clear) struct ipoib_list list = {.count = 0};
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, words, true)) {
		if (listing_load_inventory(&listing, LIST_NEEDS))
			ipoib_list_make(&list, &listing.inventory.devices,
					&listing.inventory.links);
		/* If objects are named, only the netdevs of their ports have a device. */
		for (size_t i = 0; i < list.count; i++)
			if (!listing.objects.count || list.items[i].device)
				listing_add(&listing, &list.items[i]);
		if (listing.status == STATUS_DONE && !listing.row_count)
			listing_none(&listing,
				     "netdevs,ifindex,type,address,ports,link_layer,port_guid",
				     "no IPoIB netdev",
				     "IPoIB needs an InfiniBand port and the module ib_ipoib");
	}
	return listing_end(&listing);
}

static const struct command *const children[] = {&add_command, &del_command, NULL};

const struct command ipoib_command = {
	.name = "ipoib",
	.group = GROUP_CHANGE,
	.summary = "list IPoIB netdevs, create or delete P_Key children",
	.objects = "[DEV[/PORT]... | COMMAND ...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.schema = &ipoib_schema,
	.children = children,
	.child_word = "COMMAND",
	.run = run,
};
