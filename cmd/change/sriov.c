/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sriov: physical and virtual functions, and subfunctions; sriov set changes them. */
#include "change/sriov/sriov.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "host/need.h"
#include "host/sriov/function.h"

static const struct setting *const *const tables[] = {sriov_setting_table, sriov_vf_setting_table};

static const struct keyword vf_keyword = {"vf", "N", "the following settings apply to VF N", NULL};

/* The keywords of the function, then the word vf, then the keywords of a VF. */
static const struct keyword *keyword(size_t number)
{
	size_t count = 0;

	while (sriov_setting_table[count])
		count++;
	if (number < count)
		return setting_keyword(tables[0], number);
	return number == count ? &vf_keyword : setting_keyword(tables[1], number - count - 1);
}

/*
 * Plans the words of the function, which end at `vf N`, or those of a VF, which end at the next
 * one.
 */
static bool plan_part(struct change_plan *plan, const char *word, const char *vf, char **words)
{
	_cleanup_(sriov_target_clear) struct sriov_target target = {.path = NULL};
	_cleanup_(freep) char *reason = NULL, *object = NULL;
	const struct inventory *inventory = plan->host.inventory ?: &plan->listing.inventory;
	int rc = sriov_target_find(&target, &inventory->devices, word, vf, &reason);

	if (rc)
		return listing_fail(&plan->listing, rc == -EINVAL ? STATUS_USAGE : STATUS_NOTHING,
				    reason ? reason : strerror(-rc),
				    "rdmactl sriov lists the functions");
	object = vf ? mem_format("%s vf %llu", word, (unsigned long long)target.vf.value)
		    : mem_string(word);
	return change_plan_words(plan, tables[vf != NULL], words, object, sriov_fill, &target);
}

static bool plan_set(struct change_plan *plan, const void *args, char **words)
{
	const char *word = *words++, *vf = NULL;

	(void)args;
	change_load_host(plan, NEED_NETDEV, NULL);
	while (true) {
		char **end = words, *kept;
		bool good;

		if (words[0] && !strcmp(words[0], "vf")) {
			if (!words[1])
				return listing_fail(&plan->listing, STATUS_USAGE,
						    "'vf' needs the number of a VF",
						    "rdmactl sriov lists them");
			vf = words[1];
			words += 2;
			end = words;
		}
		while (*end && strcmp(*end, "vf"))
			end += end[1] ? 2 : 1;
		kept = *end;
		*end = NULL;
		good = plan_part(plan, word, vf, words);
		*end = kept;
		if (!good || !kept)
			return good;
		words = end;
	}
}

static const struct command set_command = {
	.name = "set",
	.group = GROUP_CHANGE,
	.summary = "change the number of VFs, their settings, and RDMA of a function",
	.objects = "DEV SETTING VALUE...",
	.object_completion = COMPLETE_DEVICE_OR_NETDEV,
	.least_objects = 1,
	.most_objects = -1,
	.keyword = keyword,
	CHANGING_COMMAND(plan_set),
};

static bool has_vf(const struct function_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind.value == FUNCTION_VF)
			return true;
	return false;
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	_cleanup_(function_list_clear) struct function_list list = {.count = 0};
	struct listing listing;

	(void)args;
	if (listing_begin(&listing, ctx, words, false) &&
	    listing_load_inventory(&listing, FUNCTION_NEEDS) &&
	    listing_has_loaded(&listing,
			       function_list_read(&list, &listing.inventory, ctx->globals.root,
						  &listing.problems))) {
		function_list_keep(&list, &listing.inventory.devices, &listing.objects);
		if (listing.status == STATUS_DONE && !list.count)
			listing_none(&listing,
				     "PCI functions,class,vendor,device,driver,physfn,infiniband,"
				     "subfunctions,parent,netdevs",
				     "no function of a PCI adapter has RDMA",
				     "rdmactl devices shows which devices have a PCI address: "
				     "software devices have none");
		if (has_vf(&list))
			listing_miss_answers(&listing, FUNCTION_NEED_VF);
		if (list.count)
			listing_miss_answers(&listing, FUNCTION_NEED_PARAMETERS);
	}
	for (size_t i = 0; i < list.count; i++)
		listing_add(&listing, &list.items[i]);
	return listing_end(&listing);
}

static const struct command *const children[] = {&set_command, NULL};

const struct command sriov_command = {
	.name = "sriov",
	.group = GROUP_CHANGE,
	.summary = "list and configure physical functions, VFs and subfunctions",
	.objects = "[DEV... | COMMAND ...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.schema = &function_schema,
	.children = children,
	.child_word = "COMMAND",
	.run = run,
};
