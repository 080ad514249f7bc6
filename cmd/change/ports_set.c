/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ports set: a port of this host, or of the subnet. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/port.h"
#include "cmd/change/change_run.h"
#include "cmd/host/ports_set.h"
#include "host/need.h"

struct ports_args {
	struct change_args change;
	const char *via, *mkey;
	bool lid, guid, direct;
};

static const struct option_row agent_options[] = {
	STRING_OPTION(struct ports_args, via, 0, "via", "DEV/PORT", COMPLETE_PORT,
		      "ask a distant port by this one (default: the first active one)"),
	FLAG_OPTION(struct ports_args, lid, 'L', "lid", "the port is that of a LID"),
	FLAG_OPTION(struct ports_args, guid, 'G', "guid", "the port is that of a port GUID"),
	FLAG_OPTION(struct ports_args, direct, 'D', "direct",
		    "the port is at the end of a directed route: 0,1,3"),
	STRING_OPTION(struct ports_args, mkey, 0, "mkey", "KEY", COMPLETE_NOTHING,
		      "M_Key of the node"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("lid guid direct", NULL),
	{.options = NULL},
};

static bool usage(struct change_plan *plan, const char *hint, char *message)
{
	listing_fail(&plan->listing, STATUS_USAGE, message, hint);
	free(message);
	return false;
}

/* Loads the device that `word` names, or all if NULL. False: there is none. */
static bool load(struct change_plan *plan, const char *word, uint64_t needs,
		 struct problems *problems, char **ret_message)
{
	_cleanup_(objects_free) struct objects objects = {.count = 0};
	_cleanup_(freep) char *copy = mem_string_or_null(word);
	char *words[] = {copy, NULL};
	const struct inventory_request request = {.needs = needs, .objects = &objects};

	inventory_free(&plan->listing.inventory);
	plan->listing.inventory = (struct inventory){.answers = false};
	if (objects_parse(&objects, words, true, ret_message))
		return false;
	return !inventory_load(&plan->listing.inventory, &request, problems, NULL);
}

static void take_problems(struct change_plan *plan, const struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		problem_add_text(&plan->listing.problems, problems->items[i].object, NULL, NULL,
				 problems->items[i].error, problems->items[i].hint);
}

/* Opens the session, and finds the one node. `word` is its destination. */
static bool open_agent(struct change_plan *plan, const struct ports_args *args, char *word,
		       unsigned int port, bool local)
{
	struct port_agent *agent = mem_alloc_zero(1, sizeof(*agent));
	const struct mad_session_options options = {
		.mkey = args->mkey,
		.kind = local || args->direct ? TARGET_DIRECT
			: args->lid	      ? TARGET_LID
			: args->guid	      ? TARGET_GUID
					      : TARGET_ANY,
		.input = stdin,
	};
	char *words[] = {word, NULL};
	int rc;

	agent->port = port;
	agent->local = local;
	agent->session = (struct mad_session){.signals = SIGNALS_NONE};
	plan->host.agent = agent;
	plan->host.free_agent = port_agent_free;
	rc = mad_session_begin(&agent->session, &options, &agent->problems);
	if (!rc)
		rc = mad_session_choose_port(&agent->session, &plan->listing.inventory);
	if (!rc)
		rc = mad_session_open(&agent->session);
	if (!rc)
		rc = mad_session_find(&agent->session, words);
	if (!rc && agent->session.destination_count != 1)
		return usage(plan, NULL, mem_string("name one port"));
	if (!rc)
		return true;
	take_problems(plan, &agent->problems);
	plan->listing.status = rc == -EINVAL		       ? STATUS_USAGE
			       : rc == -EACCES || rc == -EPERM ? STATUS_FAILED
							       : STATUS_NOTHING;
	return false;
}

struct port_place {
	struct number port, netdev_index;
};

static bool fill(struct change *change, void *context)
{
	const struct port_place *place = context;

	change->port = place->port;
	change->netdev_index = place->netdev_index;
	return true;
}

/* A port of this host: InfiniBand is asked as a distant one would be, by the route that ends here.
 */
static bool plan_local(struct change_plan *plan, const struct ports_args *args, char **words)
{
	const struct device *device = &plan->listing.inventory.devices.items[0];
	const struct port *port = device->port_count ? &device->ports[0] : NULL;
	_cleanup_(freep) char *object = NULL;
	const struct link *link;
	struct port_place place;

	if (device->port_count != 1)
		return usage(plan, "rdmactl ports lists them",
			     mem_format("%s has several ports, or none: name one, as %s/1",
					device->name, device->name));
	object = port_object(port);
	plan->host.inventory = &plan->listing.inventory;
	if (port->link_layer.known ? port->link_layer.value == LINK_LAYER_INFINIBAND
				   : !port->netdev) {
		char route[] = "0";

		return open_agent(plan, args, route, (unsigned int)port->port.value, true) &&
		       change_plan_words(plan, port_agent_setting_table, words + 1, object, NULL,
					 NULL);
	}
	link = link_by_name(&plan->listing.inventory.links, port->netdev);
	if (!link) {
		_cleanup_(freep) char *message = mem_format(
			"%s has no netdev in this network namespace", object);

		listing_fail(&plan->listing, STATUS_FAILED, message,
			     "run it in the namespace of the netdev: ip netns exec");
		return false;
	}
	place = (struct port_place){.port = port->port, .netdev_index = link->index};
	return change_plan_words(plan, port_netdev_setting_table, words + 1, object, fill, &place);
}

/* DEST/PORT, where DEST is a LID, a GUID or a directed route. */
static bool plan_distant(struct change_plan *plan, const struct ports_args *args, char **words)
{
	_cleanup_(freep) char *word = mem_string(words[0]), *clean = NULL, *message = NULL;
	_cleanup_(problems_free) struct problems problems = {.count = 0};
	char *slash = strrchr(word, '/');
	uint64_t port;

	clean = text_clean(word, strlen(word));
	if (!slash || text_parse_u64(slash + 1, 10, 255, &port))
		return usage(plan, "rdmactl ports set 4/1 state down",
			     mem_format("'%s' names no port: it is DEV/PORT of this host, or "
					"LID/PORT, GUID/PORT or ROUTE/PORT of a distant node",
					clean));
	*slash = '\0';
	if (!load(plan, args->via, MAD_PORT_NEEDS, &problems, &message)) {
		if (message)
			return usage(plan, "rdmactl devices lists the names", mem_string(message));
		take_problems(plan, &problems);
		plan->listing.status = STATUS_NOTHING;
		return false;
	}
	return open_agent(plan, args, word, (unsigned int)port, false) &&
	       change_plan_words(plan, port_agent_setting_table, words + 1, clean, NULL, NULL);
}

static bool plan_set(struct change_plan *plan, const void *context, char **words)
{
	_cleanup_(problems_free) struct problems problems = {.count = 0};
	const struct ports_args *args = context;
	_cleanup_(freep) char *message = NULL;

	if (args->lid || args->guid || args->direct)
		return plan_distant(plan, args, words);
	if (load(plan, words[0], MAD_PORT_NEEDS | NEED_NETDEV | NEED_LINK_LIST, &problems,
		 &message))
		return plan_local(plan, args, words);
	if (isdigit((unsigned char)words[0][0]) || strchr(words[0], ':'))
		return plan_distant(plan, args, words);
	if (message)
		return usage(plan, "rdmactl ports lists those of this host", mem_string(message));
	take_problems(plan, &problems);
	plan->listing.status = STATUS_NOTHING;
	return false;
}

static const struct keyword *keyword(size_t number)
{
	return setting_keyword(port_agent_setting_table, number);
}

static const struct changer set_changer = {.plan = plan_set};

const struct command ports_set_command = {
	.name = "set",
	.group = GROUP_CHANGE,
	.summary = "enable, disable or reset a port, of this host or of the subnet",
	.objects = "PORT SETTING VALUE...",
	.object_completion = COMPLETE_PORT,
	.least_objects = 1,
	.most_objects = -1,
	.options = {change_options, agent_options},
	.rules = rules,
	.args_size = sizeof(struct ports_args),
	.schema = &change_schema,
	.keyword = keyword,
	.data = &set_changer,
	.run = change_run,
};
