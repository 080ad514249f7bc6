/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl dev: the settings of RDMA devices; dev set changes them. */

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/device/device.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "host/need.h"

static bool begin(struct change *change, void *context)
{
	(void)context;
	device_begin_change(change);
	return true;
}

static bool plan_set(struct change_plan *plan, const void *args, char **words)
{
	const uint64_t needs = NEED_NETLINK | NEED_DRIVER | NEED_PCI_ADDRESS | NEED_NODE_GUID |
			       NEED_TRANSPORT | NEED_NETDEV;
	const struct device *device;

	(void)args;
	if (!change_plan_words(plan, device_setting_table, words + 1, words[0], begin, NULL))
		return false;
	device = change_plan_device(plan, words[0], needs);
	if (!device)
		return false;
	for (size_t i = 0; i < plan->changes.count; i++)
		device_fill_change(&plan->changes.items[i], device);
	device_follow_names(&plan->changes);
	return true;
}

static const struct keyword *keyword(size_t number)
{
	return setting_keyword(device_setting_table, number);
}

static const struct command set_command = {
	.name = "set",
	.group = GROUP_CHANGE,
	.summary = "change settings of an RDMA device",
	.objects = "DEV SETTING VALUE...",
	.object_completion = COMPLETE_DEVICE,
	.least_objects = 1,
	.most_objects = -1,
	.keyword = keyword,
	CHANGING_COMMAND(plan_set),
};

/* The words after the name of a new sub-device. */
static const struct keyword add_keywords[] = {
	{"type", "smi", "type of the sub-device", sub_device_types},
	{"parent", "DEV", "device that it belongs to", NULL, COMPLETE_DEVICE},
};

static const struct keyword *add_keyword(size_t number)
{
	return number < ARRAY_SIZE(add_keywords) ? &add_keywords[number] : NULL;
}

static bool add_wanted(struct change_plan *plan, const char *name, const char *type,
		       const char *parent)
{
	_cleanup_(freep) char *value = type ? sub_device_value(type, parent)
					    : mem_string(CHANGE_ABSENT);
	struct change *change = changes_add(&plan->changes, &plan->host, &sub_device_setting, name,
					    value);

	if (type ? !sub_device_check(change, name, type, parent)
		 : !device_check_name(change, name, DEVICE_NAME_SIZE - 1))
		return listing_fail(&plan->listing, STATUS_USAGE, change->reason,
				    change->next_step);
	return change_has_core(&plan->listing);
}

static bool plan_add(struct change_plan *plan, const void *args, char **words)
{
	const char *values[ARRAY_SIZE(add_keywords)] = {NULL};

	(void)args;
	/* The command requires exactly two pairs of words, so none is missing. */
	return change_take_values(plan, add_keywords, ARRAY_SIZE(add_keywords), words + 1,
				  values) &&
	       add_wanted(plan, words[0], values[0], values[1]);
}

static bool plan_del(struct change_plan *plan, const void *args, char **words)
{
	(void)args;
	return add_wanted(plan, words[0], NULL, NULL);
}

static const struct command add_command = {
	.name = "add",
	.group = GROUP_CHANGE,
	.summary = "add a sub-device (Linux 6.11)",
	.objects = "NAME type smi parent DEV",
	.least_objects = 5,
	.most_objects = 5,
	.keyword = add_keyword,
	CHANGING_COMMAND(plan_add),
};

static const struct command del_command = {
	.name = "del",
	.group = GROUP_CHANGE,
	.summary = "delete a sub-device",
	.objects = "NAME",
	.object_completion = COMPLETE_DEVICE,
	.least_objects = 1,
	.most_objects = 1,
	CHANGING_COMMAND(plan_del),
};

static int run(const struct ctx *ctx, const void *args, char **words)
{
	_cleanup_(freep) struct device_settings *settings = NULL;
	struct listing listing;
	size_t count = 0;
	int status;

	(void)args;
	if (listing_begin(&listing, ctx, words, false) &&
	    listing_load_inventory(&listing, NEED_NETLINK | NEED_DESCRIPTION)) {
		count = listing.inventory.devices.count;
		settings = device_settings_list(&listing.inventory, &listing.problems);
		listing_miss_answers(&listing, NEED_NETLINK);
	}
	for (size_t i = 0; i < count; i++)
		listing_add(&listing, &settings[i]);
	status = listing_end(&listing);
	for (size_t i = 0; i < count; i++)
		device_settings_clear(&settings[i]);
	return status;
}

static const struct command *const children[] = {&add_command, &del_command, &set_command, NULL};

const struct command dev_command = {
	.name = "dev",
	.group = GROUP_CHANGE,
	.summary = "show or change settings of RDMA devices",
	.objects = "[DEV... | COMMAND ...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.schema = &device_settings_schema,
	.children = children,
	.child_word = "COMMAND",
	.run = run,
};
