/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl link: software RDMA devices; link add makes one, link del deletes them. */
#include "change/link/link.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/device/device.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"

static const struct keyword keywords[] = {
	{"type", "rxe|siw", "its protocol: RoCE or iWARP", link_type_names},
	{"netdev", "IF", "netdev that it uses", NULL, COMPLETE_NETDEV},
};

static const struct keyword *keyword(size_t number)
{
	return number < ARRAY_SIZE(keywords) ? &keywords[number] : NULL;
}

static bool plan_add(struct change_plan *plan, const void *args, char **words)
{
	const char *values[ARRAY_SIZE(keywords)] = {NULL};
	_cleanup_(freep) char *text = NULL;

	(void)args;
	/* The command requires exactly two pairs of words, so none is missing. */
	if (!change_take_values(plan, keywords, ARRAY_SIZE(keywords), words + 1, values))
		return false;
	if (!enum_find_word(link_type_names, values[0]))
		return listing_fail_format(&plan->listing, STATUS_USAGE,
					   "the types are rxe (RoCE) and siw (iWARP)",
					   "unknown type '%s'", values[0]);
	text = software_link_value(values[0], values[1]);
	return change_plan_one(plan, &link_setting, text, words[0], NULL, NULL);
}

/* An empty name is probably an unset variable: "no device has this name" must not be a success. */
static bool check_name(struct change_plan *plan, const char *name)
{
	if (*name && strlen(name) < DEVICE_NAME_SIZE && !strchr(name, '/'))
		return true;
	return listing_fail_format(&plan->listing, STATUS_USAGE,
				   "rdmactl link lists the software devices",
				   "'%s' cannot be the name of an RDMA device", name);
}

static bool plan_delete(struct change_plan *plan, const void *args, char **words)
{
	(void)args;
	for (; *words; words++)
		if (!check_name(plan, *words) ||
		    !change_plan_one(plan, &link_setting, CHANGE_ABSENT, *words, NULL, NULL))
			return false;
	return true;
}

static const struct command add_command = {
	.name = "add",
	.group = GROUP_CHANGE,
	.summary = "create a software RDMA device on a netdev",
	.objects = "NAME type rxe|siw netdev IF",
	.least_objects = 5,
	.most_objects = 5,
	.keyword = keyword,
	CHANGING_COMMAND(plan_add),
};

static const struct command delete_command = {
	.name = "del",
	.alias = "delete",
	.group = GROUP_CHANGE,
	.summary = "delete software RDMA devices",
	.objects = "NAME...",
	.object_completion = COMPLETE_DEVICE,
	.least_objects = 1,
	.most_objects = -1,
	CHANGING_COMMAND(plan_delete),
};

static int run(const struct ctx *ctx, const void *args, char **words)
{
	_cleanup_(software_links_clear) struct software_links links = {.count = 0};
	struct listing listing;
	int rc;

	(void)args;
	if (!listing_begin(&listing, ctx, words, false) ||
	    listing_refuses_tree(&listing, "a saved tree has no devices that could be deleted"))
		return listing_end(&listing);
	rc = software_links_read(ctx->globals.root, &links, &listing.problems);
	if (rc == -ENODEV)
		listing.status = STATUS_NOTHING;
	else if (rc)
		problem_add(&listing.problems, NULL, "devices", "nldev", rc, NULL);
	for (size_t i = 0; i < links.count; i++)
		listing_add(&listing, &links.items[i]);
	return listing_end(&listing);
}

static const struct command *const children[] = {&add_command, &delete_command, NULL};

const struct command link_command = {
	.name = "link",
	.group = GROUP_CHANGE,
	.summary = "list, create or delete software RDMA devices: rxe, siw",
	.objects = "[COMMAND]",
	.schema = &software_link_schema,
	.children = children,
	.child_word = "COMMAND",
	.run = run,
};
