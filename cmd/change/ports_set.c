/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ports set: changes a port of this host or of the subnet. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/port.h"
#include "cmd/change/ports_distant.h"
#include "cmd/host/ports_set.h"
#include "cmd/mad/mad_listing.h"
#include "host/need.h"
#include "mad/names/ibdiag_conf.h"

struct ports_args {
	struct change_args change;
	struct mad_args mad;
};

static const struct option_row agent_options[] = {
	STRING_OPTION(struct ports_args, mad.via, 0, "via", "DEV/PORT", COMPLETE_PORT,
		      "reach a remote port through this one (default: first active one)"),
	FLAG_OPTION(struct ports_args, mad.lid, 'L', "lid", "the port is given by LID"),
	FLAG_OPTION(struct ports_args, mad.guid, 'G', "guid", "the port is given by port GUID"),
	FLAG_OPTION(struct ports_args, mad.direct, 'D', "direct",
		    "the port is given by a directed route: 0,1,3"),
	FLAG_OPTION(struct ports_args, mad.node, 0, "node",
		    "the port is given by the name of its node"),
	STRING_OPTION(struct ports_args, mad.names, 0, "names", "FILE", COMPLETE_FILE,
		      "names of nodes by GUID (default: " IBDIAG_NODE_NAMES_PATH ")"),
	STRING_OPTION(struct ports_args, mad.mkey, 0, "mkey", "KEY", COMPLETE_NOTHING,
		      "M_Key of the node"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("lid guid direct node", NULL),
	{.options = NULL},
};

/* How to reach the nodes of the subnet. */
struct way {
	const struct mad_args *args;
	struct mad_session_options options;
	char *via; /* the port to send through; NULL: the first active one */
};

static struct way find_way(struct change_plan *plan, const struct mad_args *args)
{
	struct way way = {.args = args};

	way.options = mad_listing_options(&plan->listing, args, &way.via);
	return way;
}

static void way_clear(struct way *way)
{
	free(way->via);
}

/* Loads the device that `word` names, or all if NULL. False: it does not exist. */
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

/*
 * Returns the options that another command needs to reach the same node, except the M_Key; the
 * caller frees them.
 */
static char *repeat_options(const struct mad_args *args)
{
	const struct {
		const char *option, *value;
	} rows[] = {{"via", args->via}, {"names", args->names}};
	char *text = mem_string(args->lid      ? " --lid"
				: args->guid   ? " --guid"
				: args->direct ? " --direct"
				: args->node   ? " --node"
					       : "");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *quoted = rows[i].value ? text_quote(rows[i].value) : NULL;

		if (quoted)
			mem_extend(&text, " --%s %s", rows[i].option, quoted);
	}
	return text;
}

/* Opens the session and finds the one node. `word` is its destination. */
static bool open_agent(struct change_plan *plan, const struct way *way, char *word,
		       unsigned int port, bool local)
{
	struct port_agent *agent = mem_alloc_zero(1, sizeof(*agent));
	char *words[] = {word, NULL};
	int rc;

	agent->port = port;
	agent->local = local;
	agent->options = local ? NULL : repeat_options(way->args);
	plan->host.options = agent->options;
	plan->host.agent = agent;
	plan->host.free_agent = port_agent_free;
	rc = mad_session_begin(&agent->session, &way->options, &agent->problems);
	if (!rc && !local &&
	    !mad_listing_read_names(&plan->listing, way->args->names, &agent->session.names))
		return false;
	if (!rc)
		rc = mad_session_choose_port(&agent->session, &plan->listing.inventory);
	if (!rc)
		rc = mad_session_open(&agent->session);
	if (!rc)
		rc = mad_session_find(&agent->session, words);
	if (!rc &&
	    (agent->session.destination_count != 1 || agent->session.destinations[0].word_count))
		return listing_fail(&plan->listing, STATUS_USAGE, "name one port", NULL);
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

/*
 * Plans changes of a port of this host. InfiniBand ports are handled like remote ones, by the route
 * that ends at this host.
 */
static bool plan_local(struct change_plan *plan, const struct ports_args *args, char **words)
{
	const struct device *device = &plan->listing.inventory.devices.items[0];
	const struct port *port = device->port_count ? &device->ports[0] : NULL;
	_cleanup_(freep) char *object = NULL;
	const struct link *link;
	struct port_place place;

	if (device->port_count != 1)
		return listing_fail_format(&plan->listing, STATUS_USAGE, "rdmactl ports lists them",
					   "%s has several ports, or none: name one, such as %s/1",
					   device->name, device->name);
	object = port_object(port);
	plan->host.inventory = &plan->listing.inventory;
	if (port->link_layer.known ? port->link_layer.value == LINK_LAYER_INFINIBAND
				   : !port->netdev) {
		_cleanup_(way_clear) struct way way = find_way(plan, &args->mad);
		char route[] = "0";

		way.options.kind = TARGET_DIRECT;
		return open_agent(plan, &way, route, (unsigned int)port->port.value, true) &&
		       change_plan_words(plan, port_agent_setting_table, words + 1, object, NULL,
					 NULL);
	}
	link = link_by_name(&plan->listing.inventory.links, port->netdev);
	if (!link)
		return listing_fail_format(&plan->listing, STATUS_FAILED,
					   "run it in the namespace of the netdev: ip netns exec",
					   "%s has no netdev in this network namespace", object);
	place = (struct port_place){.port = port->port, .netdev_index = link->index};
	return change_plan_words(plan, port_netdev_setting_table, words + 1, object, fill, &place);
}

/* Opens the agent of DEST/PORT. *ret_object describes the port; the caller frees it. */
static bool open_distant(struct change_plan *plan, const struct way *way, const char *place,
			 char **ret_object)
{
	_cleanup_(freep) char *word = NULL, *message = NULL;
	_cleanup_(problems_free) struct problems problems = {.count = 0};
	unsigned int port;

	*ret_object = text_clean(place, strlen(place));
	if (!mad_target_split(place, &word, &port))
		return listing_fail_format(
			&plan->listing, STATUS_USAGE, "rdmactl ports set 4/1 state down",
			"'%s' is not a port: it takes DEV/PORT of this host, or LID/PORT, "
			"GUID/PORT, ROUTE/PORT or NAME/PORT of a remote node",
			*ret_object);
	if (!load(plan, way->via, MAD_PORT_NEEDS, &problems, &message)) {
		if (message)
			return listing_fail(&plan->listing, STATUS_USAGE, message,
					    "rdmactl devices lists the names");
		take_problems(plan, &problems);
		plan->listing.status = STATUS_NOTHING;
		return false;
	}
	return open_agent(plan, way, word, port, false);
}

/* Returns the speeds of a list that are extended, or not; NULL: none are. The caller frees it. */
static char *speeds_of(const char *list, bool extended)
{
	char *found = NULL;

	for_each_word (word, list, ",")
		if ((!strcmp(word, "sdr") || !strcmp(word, "ddr") || !strcmp(word, "qdr")) !=
		    extended)
			mem_extend(&found, "%s%s", found ? "," : "", word);
	return found;
}

static void add_pair(struct strings *pairs, const char *setting, const char *value)
{
	if (!value)
		return;
	strings_add(pairs, setting);
	strings_add(pairs, value);
}

/* Whether a list consists of speeds only, of either kind. */
static bool are_speeds(struct change_plan *plan, const char *list)
{
	const struct schema *schema =
		mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PORT_INFO)->schema;
	const struct enum_name *base = schema_find(schema, "speed_enabled")->names;
	const struct enum_name *extended = schema_find(schema, "speed_ext_enabled")->names;
	_cleanup_(freep) char *base_words = change_list_words(base);
	_cleanup_(freep) char *extended_words = change_list_words(extended);

	for_each_word (word, list, ",")
		if (!enum_find_word(base, word) && !enum_find_word(extended, word))
			return listing_fail_format(&plan->listing, STATUS_USAGE,
						   "speed hdr, speed sdr,qdr",
						   "'%s' is not a speed: it takes a list of %s, %s",
						   word, base_words, extended_words);
	return true;
}

/*
 * Adds the settings for a list of speeds. If it has no extended speed, these are switched off, or
 * the link would keep using them. If it has only those, slower ones stay on, as a port must have
 * some.
 */
static void add_speeds(const struct change_plan *plan, const char *list, struct strings *pairs)
{
	_cleanup_(freep) char *base = speeds_of(list, false), *extended = speeds_of(list, true);

	add_pair(pairs, "speed", base);
	if (!extended && port_agent_has_speeds_ext(plan->host.agent))
		add_pair(pairs, "speed-ext", "none");
	add_pair(pairs, "speed-ext", extended);
}

/* Translates the words. False: a word is unknown, or its value is missing. */
static bool translate(struct change_plan *plan, char **words, struct strings *pairs)
{
	static const struct enum_name states[] = {{0, "enable"}, {0, "disable"}, {0, "reset"},
						  {0, "arm"},	 {0, "active"},	 {0, NULL}};
	/* A list may become two settings, so the words themselves are checked for repetition. */
	_cleanup_(strings_free) struct strings seen = {.count = 0};

	for (; *words; words++) {
		const char *kind = *words;
		const bool is_state = enum_find_word(states, kind);

		if (is_state)
			kind = "state";
		else if (strcmp(kind, "speed") && strcmp(kind, "width"))
			return listing_fail_format(
				&plan->listing, STATUS_USAGE,
				"enable, disable, reset, arm, active, speed, width",
				"unknown word '%s'", *words);
		if (strings_contain(&seen, kind))
			return listing_fail_format(&plan->listing, STATUS_USAGE,
						   "use a separate command for each",
						   "'%s' is set twice", *words);
		strings_add(&seen, kind);
		if (is_state) {
			add_pair(pairs, kind, *words);
			continue;
		}
		if (!words[1])
			return listing_fail_format(&plan->listing, STATUS_USAGE,
						   "speed hdr, speed sdr,qdr, width 4x",
						   "'%s' needs a value", *words);
		words++;
		if (!strcmp(words[-1], "width"))
			add_pair(pairs, "width", *words);
		else if (are_speeds(plan, *words))
			add_speeds(plan, *words, pairs);
		else
			return false;
	}
	return true;
}

bool ports_plan_words(struct change_plan *plan, const struct mad_args *args, const char *place,
		      char **words)
{
	_cleanup_(freep) char *object = NULL;
	_cleanup_(way_clear) struct way way = find_way(plan, args);
	_cleanup_(strings_free) struct strings pairs = {.count = 0};
	const bool done = open_distant(plan, &way, place, &object) &&
			  translate(plan, words, &pairs);

	/* change_plan_words() reads up to NULL. */
	MEM_ADD(pairs.items, pairs.count) = NULL;
	pairs.count--;
	return done &&
	       change_plan_words(plan, port_agent_setting_table, pairs.items, object, NULL, NULL);
}

/* Whether the host has an InfiniBand port through which to reach other nodes. */
static bool reaches_nodes(struct change_plan *plan, const char *via)
{
	_cleanup_(freep) char *message = NULL, *reason = NULL, *hint = NULL;
	_cleanup_(mad_port_clear) struct mad_port port = {0};

	return load(plan, via, MAD_PORT_NEEDS, NULL, &message) &&
	       !mad_port_choose(&plan->listing.inventory, false, &port, &reason, &hint);
}

static bool plan_set(struct change_plan *plan, const void *context, char **words)
{
	_cleanup_(problems_free) struct problems problems = {.count = 0};
	const struct ports_args *args = context;
	_cleanup_(way_clear) struct way way = {.via = NULL};
	_cleanup_(freep) char *message = NULL, *object = NULL;

	if (mad_forced_kind(&args->mad) == TARGET_ANY &&
	    load(plan, words[0], MAD_PORT_NEEDS | NEED_NETDEV | NEED_LINK_LIST, &problems,
		 &message))
		return plan_local(plan, args, words);
	way = find_way(plan, &args->mad);
	/* What is not a device of this host may be the name of a node. */
	if (way.options.kind != TARGET_ANY || isdigit((unsigned char)words[0][0]) ||
	    strchr(words[0], ':') || (strchr(words[0], '/') && reaches_nodes(plan, way.via)))
		return open_distant(plan, &way, words[0], &object) &&
		       change_plan_words(plan, port_agent_setting_table, words + 1, object, NULL,
					 NULL);
	if (message)
		return listing_fail(&plan->listing, STATUS_USAGE, message,
				    "rdmactl ports lists those of this host");
	take_problems(plan, &problems);
	plan->listing.status = STATUS_NOTHING;
	return false;
}

static const struct keyword *keyword(size_t number)
{
	return setting_keyword(port_agent_setting_table, number);
}

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
	.data = &(const struct changer){.plan = plan_set},
	.run = change_run,
};
