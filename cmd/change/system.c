/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl system: the settings of the RDMA subsystem; system set changes them. */
#include "change/system.h"

#include "cmd/change/change_run.h"
#include "cmd/commands.h"

static bool plan_set(struct change_plan *plan, const void *args, char **words)
{
	(void)args;
	return change_plan_words(plan, system_setting_table, words, NULL, NULL, NULL) &&
	       change_has_core(&plan->listing);
}

static const struct keyword *keyword(size_t number)
{
	return setting_keyword(system_setting_table, number);
}

static const struct command set_command = {
	.name = "set",
	.group = GROUP_CHANGE,
	.summary = "change settings of the RDMA subsystem",
	.objects = "SETTING VALUE...",
	.most_objects = -1,
	.keyword = keyword,
	CHANGING_COMMAND(plan_set),
};

static int run(const struct ctx *ctx, const void *args, char **words)
{
	struct system_settings record = {.netns_mode = {0}};
	struct listing listing;
	int rc;

	(void)args;
	if (!listing_begin(&listing, ctx, words, false) ||
	    listing_refuses_tree(&listing, "a saved tree does not have these settings") ||
	    !change_has_core(&listing))
		return listing_end(&listing);
	rc = system_settings_read(ctx->globals.root, &record);
	if (rc)
		problem_add(&listing.problems, NULL, "settings", "nldev", rc, NULL);
	listing_add(&listing, &record);
	return listing_end(&listing);
}

static const struct command *const children[] = {&set_command, NULL};

const struct command system_command = {
	.name = "system",
	.group = GROUP_CHANGE,
	.summary = "show or change settings of the RDMA subsystem",
	.objects = "[COMMAND ...]",
	.schema = &system_schema,
	.all_columns = true,
	.children = children,
	.child_word = "COMMAND",
	.run = run,
};
