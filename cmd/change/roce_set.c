/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl roce set: settings of a RoCE port and its netdevs, individually or by a profile. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "change/roce.h"
#include "cmd/change/change_run.h"
#include "roce/table/profile.h"
#include "roce/table/target.h"
#include "roce/tos.h"

struct roce_set_args {
	struct change_args change;
	struct number profile; /* enum roce_profile */
	const char *dscp;
	struct number priority;
	struct number mtu;
};

static const struct option_row options[] = {
	CHOICE_OPTION(struct roce_set_args, profile, 'P', "profile", "NAME", roce_profile_names,
		      "apply a set of related settings"),
	STRING_OPTION(struct roce_set_args, dscp, 'd', "dscp", "NAME|N", COMPLETE_NOTHING,
		      "DSCP of RoCE for the profile (26, which is AF31)"),
	NUMBER_OPTION(COUNT, struct roce_set_args, priority, 0, "priority", "N", 0, 7,
		      "priority of RoCE for the profile (3)"),
	NUMBER_OPTION(COUNT, struct roce_set_args, mtu, 0, "mtu", "BYTES", 68, INT32_MAX,
		      "with the profile, also set the MTU of the netdev"),
	{0},
};

static const struct option_rule rules[] = {
	OPTIONS_NEED("dscp priority mtu", "profile",
		     "without a profile, name the settings: rdmactl roce set --help"),
	{0},
};

/* The tables, in the order of the help. */
static const struct setting *const *const tables[] = {cma_setting_table, dcb_setting_table,
						      ecn_setting_table};

static const struct setting *setting_at(size_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct setting *const *row = tables[i];

		for (; *row; row++)
			if (!number--)
				return *row;
	}
	return NULL;
}

static const struct keyword *keyword(size_t number)
{
	const struct setting *setting = setting_at(number);

	return setting ? &setting->keyword : NULL;
}

/* Returns all settings in one table, which ends with NULL; the caller frees it. */
static const struct setting **list_settings(void)
{
	const struct setting **list = NULL, *setting;
	size_t count = 0;

	do {
		setting = setting_at(count);
		MEM_ADD(list, count) = setting;
	} while (setting);
	return list;
}

struct cma_place {
	const struct port *port;
	struct number device_index;
};

static bool fill_port(struct change *change, void *context)
{
	const struct cma_place *place = context;

	change->device_index = place->device_index;
	change->port = place->port->port;
	change->data = mem_string(place->port->kernel_name);
	return true;
}

static bool fill_member(struct change *change, void *context)
{
	const struct link *link = context;

	change->netdev_index = link->index;
	return true;
}

static bool plan_port(struct change_plan *plan, const struct port *port,
		      const struct setting *setting, const char *text)
{
	const struct device *device = device_list_find(&plan->host.inventory->devices,
						       port->device);
	struct cma_place place = {.port = port};
	_cleanup_(freep) char *object = port_object(port);

	if (device)
		place.device_index = device->index;
	return change_plan_one(plan, setting, text, object, fill_port, &place);
}

static bool plan_member(struct change_plan *plan, const struct link *link,
			const struct setting *setting, const char *text)
{
	return change_plan_one(plan, setting, text, link->name, fill_member,
			       (void *)(uintptr_t)link);
}

static bool refuse(struct change_plan *plan, const char *word, const char *why, const char *hint)
{
	return listing_fail_format(&plan->listing, STATUS_NOTHING, hint, "'%s' %s", word, why);
}

static bool refuse_empty(struct change_plan *plan, const struct roce_target *target,
			 const char *word)
{
	if (target->netdev_count)
		return refuse(plan, word, "is a bond without members in this network namespace",
			      "ip link set NETDEV master BOND adds one");
	return refuse(plan, word, "has no netdev in this network namespace",
		      "rdmactl netdevs lists the ports and their netdevs");
}

/* Plans the setting on each member, except the MTU, which is set on the bond itself. */
static bool plan_links(struct change_plan *plan, const struct roce_target *target, const char *word,
		       const struct setting *setting, const char *text)
{
	const bool itself = setting == &link_mtu_setting;
	const struct link *const *links = itself ? target->netdevs : target->members;
	const size_t count = itself ? target->netdev_count : target->member_count;

	if (!count)
		return refuse_empty(plan, target, word);
	for (size_t i = 0; i < count; i++)
		if (!plan_member(plan, links[i], setting, text))
			return false;
	return true;
}

/* Plans one setting on everything in the target that it applies to. */
static bool plan_setting(struct change_plan *plan, const struct roce_target *target,
			 const char *word, const struct setting *setting, const char *text)
{
	const bool of_port = setting == &cma_mode_setting || setting == &cma_tos_setting;

	if (of_port && !target->port_count)
		return refuse(plan, word, "is not the netdev of a RoCE port",
			      "rdmactl netdevs lists the ports and their netdevs");
	for (size_t i = 0; of_port && i < target->port_count; i++)
		if (!plan_port(plan, target->ports[i], setting, text))
			return false;
	return of_port || plan_links(plan, target, word, setting, text);
}

/* Whether the words after the target are settings and values; checked before anything is read. */
static bool check_words(struct change_plan *plan, const struct setting *const *list, char **words)
{
	for (; words[0]; words += 2) {
		if (!strcmp(words[0], "profile") || enum_find_word(roce_profile_names, words[0]))
			return listing_fail_format(&plan->listing, STATUS_USAGE,
						   "a profile is an option: --profile lossless",
						   "unknown setting '%s'", words[0]);
		if (!change_find_pair(plan, list, words))
			return false;
	}
	return true;
}

static bool plan_words(struct change_plan *plan, const struct roce_target *target,
		       const struct setting *const *list, char **words)
{
	for (char **word = words + 1; *word; word += 2)
		if (!plan_setting(plan, target, words[0], change_find_pair(plan, list, word),
				  word[1]))
			return false;
	return true;
}

static bool plan_members(struct change_plan *plan, const struct roce_wish *wish,
			 const struct link *link)
{
	_cleanup_(roce_parts_clear) struct roce_parts parts;

	roce_profile_of_netdev(wish, &plan->host, link->name, &parts);
	for (size_t i = 0; i < parts.count; i++)
		if (!plan_member(plan, link, parts.items[i].setting, parts.items[i].text))
			return false;
	return true;
}

static bool plan_profile(struct change_plan *plan, const struct roce_target *target,
			 const struct roce_set_args *args, const char *word)
{
	struct roce_wish wish = {
		.profile = (enum roce_profile)args->profile.value,
		.dscp = ROCE_PROFILE_DSCP,
		.priority = args->priority.known ? (unsigned int)args->priority.value
						 : ROCE_PROFILE_PRIORITY,
	};
	_cleanup_(freep) char *mtu = mem_format("%u", (unsigned int)args->mtu.value);
	_cleanup_(roce_parts_clear) struct roce_parts parts = {.items = NULL};

	if (args->dscp && dscp_parse(args->dscp, &wish.dscp))
		return listing_fail_format(&plan->listing, STATUS_USAGE, TOS_DSCP_HINT,
					   "'%s' is not a DSCP", args->dscp);
	if (!target->member_count)
		return refuse_empty(plan, target, word);
	for (size_t i = 0; i < target->member_count; i++)
		if (!plan_members(plan, &wish, target->members[i]))
			return false;
	if (args->mtu.known && !plan_links(plan, target, word, &link_mtu_setting, mtu))
		return false;
	roce_profile_of_port(&wish, &parts);
	for (size_t i = 0; i < parts.count; i++)
		for (size_t j = 0; j < target->port_count; j++)
			if (!plan_port(plan, target->ports[j], parts.items[i].setting,
				       parts.items[i].text))
				return false;
	return true;
}

/* What the target has can be set whatever else could not be read. */
static void forget_problems(struct listing *listing)
{
	problems_free(&listing->problems);
	listing->problems = (struct problems){.items = NULL};
}

/* Finds the target, which may be a netdev on a host without RDMA devices. */
static bool find(struct change_plan *plan, const char *word, struct roce_target *target)
{
	struct listing *listing = &plan->listing;
	int rc = change_load_host(plan, ROCE_TARGET_NEEDS | NEED_NETLINK, &listing->problems);

	if (rc && rc != -ENODEV) {
		listing->status = STATUS_FAILED;
		return false;
	}
	if (rc) {
		rc = roce_target_load_links(&listing->inventory);
		plan->host.inventory = &listing->inventory;
	}
	switch (roce_target_find(plan->host.inventory, word, target)) {
	case 0:
		/* They may say why it has no netdev; a bond without members is one. */
		if (target->netdev_count)
			forget_problems(listing);
		return true;
	case -EOPNOTSUPP:
		return refuse(plan, word, "does not speak RoCE",
			      "rdmactl ports lists the ports and their link layers");
	default:
		if (rc)
			problem_add(&listing->problems, NULL, "netdevs", "rtnetlink", rc, NULL);
		if (rc || plan->host.inventory->links.missing)
			return refuse(
				plan, word, "was not found, but not everything could be read",
				listing->problems.count
					? NULL
					: "try again: the netdevs may have changed meanwhile");
		return refuse(plan, word, "is neither an RDMA device or port nor a netdev",
			      "rdmactl netdevs lists them");
	}
}

static bool plan(struct change_plan *plan, const void *arguments, char **words)
{
	_cleanup_(freep) const struct setting **list = list_settings();
	const struct roce_set_args *args = arguments;
	_cleanup_(roce_target_clear) struct roce_target target = {.ports = NULL};
	bool good;

	if (!words[1] && !args->profile.known)
		return listing_fail(&plan->listing, STATUS_USAGE, "no setting is given",
				    "rdmactl roce set --help lists the settings");
	good = check_words(plan, list, words + 1) && find(plan, words[0], &target) &&
	       (!args->profile.known || plan_profile(plan, &target, args, words[0])) &&
	       plan_words(plan, &target, list, words);
	if (good)
		forget_problems(&plan->listing);
	return good;
}

const struct command roce_set_command = {
	.name = "set",
	.group = GROUP_CHANGE,
	.summary = "set what makes RoCE lossless or not, singly or by profile",
	.objects = "DEV[/PORT]|NETDEV [SETTING VALUE...]",
	.object_completion = COMPLETE_PORT_OR_NETDEV,
	.least_objects = 1,
	.most_objects = -1,
	.options = {options, change_options},
	.rules = rules,
	.args_size = sizeof(struct roce_set_args),
	.schema = &change_schema,
	.keyword = keyword,
	.data = &(const struct changer){.plan = plan},
	.run = change_run,
};
