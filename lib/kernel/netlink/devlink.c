/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/devlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/genl.h"

/*
 * Type of a parameter that is on or off: NLA_FLAG of the kernel's include/net/netlink.h, whose
 * numbers devlink_param_type_to_nla_type() (net/devlink/param.c) sends.
 */
#define TYPE_FLAG 6

const char *const devlink_switch_names[DEVLINK_SWITCHES] = {
	[DEVLINK_RDMA] = "enable_rdma",
	[DEVLINK_ROCE] = "enable_roce",
	[DEVLINK_IWARP] = "enable_iwarp",
};

/* One table for all messages, like devlink_nl_policy[] in the kernel. */
static const struct nla_policy policy[DEVLINK_ATTR_RELOAD_FAILED + 1] = {
	[DEVLINK_ATTR_PORT_INDEX] = {.type = NLA_U32},
	[DEVLINK_ATTR_PARAM_TYPE] = {.type = NLA_U8},
	[DEVLINK_ATTR_PARAM_VALUE_CMODE] = {.type = NLA_U8},
	[DEVLINK_ATTR_HEALTH_REPORTER_STATE] = {.type = NLA_U8},
	[DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT] = {.type = NLA_U64},
	[DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT] = {.type = NLA_U64},
	[DEVLINK_ATTR_RELOAD_FAILED] = {.type = NLA_U8},
};

static struct devlink *device_of(struct devlink_list *list, struct nlattr *const *table, bool add)
{
	_cleanup_(freep) char *bus = NULL, *name = NULL;
	struct devlink *device;

	netlink_get_text(table[DEVLINK_ATTR_BUS_NAME], &bus);
	netlink_get_text(table[DEVLINK_ATTR_DEV_NAME], &name);
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].bus, bus) && !strcmp(list->items[i].name, name))
			return &list->items[i];
	if (!add)
		return NULL;
	device = mem_append(&list->items, &list->count, sizeof(*device));
	device->bus = bus;
	device->name = name;
	bus = name = NULL;
	return device;
}

static struct devlink_version *version_of(struct devlink *device, const struct nlattr *name)
{
	_cleanup_(freep) char *text = NULL;
	struct devlink_version *version;

	netlink_get_text(name, &text);
	for (size_t i = 0; i < device->version_count; i++)
		if (!strcmp(device->versions[i].name, text))
			return &device->versions[i];
	version = mem_append(&device->versions, &device->version_count, sizeof(*version));
	version->name = text;
	text = NULL;
	return version;
}

static int take_version(struct devlink *device, const struct nlattr *nest, bool stored)
{
	struct nlattr *table[ARRAY_SIZE(policy)];
	struct devlink_version *version;

	if (netlink_parse_nest(nest, table, ARRAY_SIZE(table), policy) ||
	    !table[DEVLINK_ATTR_INFO_VERSION_NAME] || !table[DEVLINK_ATTR_INFO_VERSION_VALUE])
		return -EBADMSG;
	version = version_of(device, table[DEVLINK_ATTR_INFO_VERSION_NAME]);
	netlink_get_text(table[DEVLINK_ATTR_INFO_VERSION_VALUE],
			 stored ? &version->stored : &version->running);
	return 0;
}

/* Each version is a separate attribute, so a table indexed by type would hold only the last one. */
static int take_versions(struct devlink *device, const void *payload, size_t length)
{
	struct nlattr *head = (struct nlattr *)((uintptr_t)payload + sizeof(struct genlmsghdr));
	struct nlattr *attribute;
	int left, rc = 0;

	nla_for_each_attr(attribute, head, (int)(length - sizeof(struct genlmsghdr)), left)
	{
		const int type = nla_type(attribute);

		if (type == DEVLINK_ATTR_INFO_VERSION_RUNNING ||
		    type == DEVLINK_ATTR_INFO_VERSION_STORED)
			rc = take_version(device, attribute,
					  type == DEVLINK_ATTR_INFO_VERSION_STORED);
		if (rc)
			return rc;
	}
	return 0;
}

static int take_reporter(struct devlink *device, struct nlattr *const *message)
{
	struct nlattr *table[ARRAY_SIZE(policy)];
	struct devlink_reporter found = {.name = NULL};

	if (!message[DEVLINK_ATTR_HEALTH_REPORTER])
		return 0;
	if (netlink_parse_nest(message[DEVLINK_ATTR_HEALTH_REPORTER], table, ARRAY_SIZE(table),
			       policy) ||
	    !table[DEVLINK_ATTR_HEALTH_REPORTER_NAME] ||
	    netlink_get_number(message[DEVLINK_ATTR_PORT_INDEX], &found.port) ||
	    netlink_get_number(table[DEVLINK_ATTR_HEALTH_REPORTER_STATE], &found.state) ||
	    netlink_get_number(table[DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT], &found.errors) ||
	    netlink_get_number(table[DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT],
			       &found.recoveries))
		return -EBADMSG;
	netlink_get_text(table[DEVLINK_ATTR_HEALTH_REPORTER_NAME], &found.name);
	MEM_ADD(device->reporters, device->reporter_count) = found;
	return 0;
}

struct switch_place {
	struct devlink *device;
	size_t which;
};

/*
 * Takes one configuration mode of a switch; the first one counts. A flag has no data: it is present
 * or absent.
 */
static int take_value(void *context, const struct nlattr *nest)
{
	struct nlattr *table[ARRAY_SIZE(policy)];
	const struct switch_place *place = context;
	enum tristate *value = &place->device->switches[place->which];
	struct number mode = {.known = false};

	if (netlink_parse_nest(nest, table, ARRAY_SIZE(table), policy) ||
	    netlink_get_number(table[DEVLINK_ATTR_PARAM_VALUE_CMODE], &mode) || !mode.known)
		return -EBADMSG;
	if (*value != TRISTATE_UNKNOWN)
		return 0;
	*value = table[DEVLINK_ATTR_PARAM_VALUE_DATA] ? TRISTATE_YES : TRISTATE_NO;
	place->device->switch_modes[place->which] = (uint8_t)mode.value;
	return 0;
}

static int take_switch(struct devlink *device, const struct nlattr *nest)
{
	struct nlattr *table[ARRAY_SIZE(policy)];
	struct number type = {.known = false};

	if (!nest)
		return 0;
	if (netlink_parse_nest(nest, table, ARRAY_SIZE(table), policy) ||
	    !table[DEVLINK_ATTR_PARAM_NAME] || !table[DEVLINK_ATTR_PARAM_VALUES_LIST] ||
	    netlink_get_number(table[DEVLINK_ATTR_PARAM_TYPE], &type))
		return -EBADMSG;
	for (size_t i = 0; i < DEVLINK_SWITCHES && type.known && type.value == TYPE_FLAG; i++)
		if (netlink_is_text(table[DEVLINK_ATTR_PARAM_NAME], devlink_switch_names[i]))
			return netlink_each(table[DEVLINK_ATTR_PARAM_VALUES_LIST],
					    DEVLINK_ATTR_PARAM_VALUE, take_value,
					    &(struct switch_place){device, i});
	return 0;
}

int devlink_take(const void *payload, size_t length, struct devlink_list *list, bool add)
{
	struct nlattr *table[ARRAY_SIZE(policy)];
	struct number failed = {.known = false};
	struct devlink *device;

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), policy) ||
	    !table[DEVLINK_ATTR_BUS_NAME] || !table[DEVLINK_ATTR_DEV_NAME] ||
	    netlink_get_number(table[DEVLINK_ATTR_RELOAD_FAILED], &failed))
		return -EBADMSG;
	device = device_of(list, table, add);
	/* The device was added after the devices were listed. */
	if (!device)
		return 0;
	if (failed.known)
		device->reload_failed = failed.value ? TRISTATE_YES : TRISTATE_NO;
	if (take_versions(device, payload, length) || take_reporter(device, table) ||
	    take_switch(device, table[DEVLINK_ATTR_PARAM]))
		return -EBADMSG;
	return 0;
}

static int take_listed(void *context, const void *payload, size_t length)
{
	return devlink_take(payload, length, context, true);
}

int devlink_read_list(struct netlink *generic, uint16_t family, struct devlink_list *list)
{
	return genl_dump(generic, family, DEVLINK_CMD_GET, take_listed, NULL, list);
}

static int take_reported(void *context, const void *payload, size_t length)
{
	return devlink_take(payload, length, context, false);
}

static void reporters_clear(struct devlink *device)
{
	for (size_t i = 0; i < device->reporter_count; i++)
		free(device->reporters[i].name);
	free(device->reporters);
	device->reporters = NULL;
	device->reporter_count = 0;
}

static void all_reporters_clear(void *context)
{
	struct devlink_list *list = context;

	for (size_t i = 0; i < list->count; i++)
		reporters_clear(&list->items[i]);
}

int devlink_read_reporters(struct netlink *generic, uint16_t family, struct devlink_list *list)
{
	return genl_dump(generic, family, DEVLINK_CMD_HEALTH_REPORTER_GET, take_reported,
			 all_reporters_clear, list);
}

/*
 * Queries about single devices. No dumps: one failing driver ends the dump for all devices
 * (devlink_nl_cmd_info_get_dumpit(), net/devlink/leftover.c of 6.1), and a dump of the parameters
 * makes drivers look up every one of theirs.
 */
struct questions {
	uint16_t family;
	struct devlink_list *list;
	size_t *devices; /* for information: indexes in the list of the devices to query */
};

static void put_device(struct netlink_request *request, const struct devlink *device)
{
	netlink_put_string(request, DEVLINK_ATTR_BUS_NAME, device->bus);
	netlink_put_string(request, DEVLINK_ATTR_DEV_NAME, device->name);
}

static int take_single(const struct questions *questions, const struct netlink_answer *answer)
{
	if (answer->error)
		return answer->error;
	return answer->payload
		       ? devlink_take(answer->payload, answer->length, questions->list, false)
		       : -EBADMSG;
}

static void put_switch(void *context, size_t which, struct netlink_request *request)
{
	const struct questions *questions = context;

	genl_add(request, questions->family, DEVLINK_CMD_PARAM_GET, 0);
	put_device(request, &questions->list->items[which / DEVLINK_SWITCHES]);
	netlink_put_string(request, DEVLINK_ATTR_PARAM_NAME,
			   devlink_switch_names[which % DEVLINK_SWITCHES]);
}

/* -EINVAL: the driver has no such parameter (devlink_nl_param_get_doit(), net/devlink/param.c). */
static void take_answered_switch(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct questions *questions = context;
	struct devlink *device = &questions->list->items[which / DEVLINK_SWITCHES];
	const int rc = take_single(questions, answer);

	if (rc && rc != -EINVAL && rc != -EOPNOTSUPP)
		device->switches_rc = rc;
}

void devlink_read_switches(struct netlink *generic, uint16_t family, struct devlink_list *list)
{
	struct questions questions = {.family = family, .list = list};

	netlink_ask_all(generic, &(struct netlink_series){
					 .count = list->count * DEVLINK_SWITCHES,
					 .put = put_switch,
					 .take = take_answered_switch,
					 .context = &questions,
				 });
}

/* devlink_nl_param_set_doit() and devlink_param_value_get_from_info(), net/devlink/param.c. */
int devlink_set_switch(struct netlink *generic, uint16_t family, const struct devlink *device,
		       enum devlink_switch which, bool on, char **ret_text)
{
	const uint8_t type = TYPE_FLAG, mode = device->switch_modes[which];
	struct netlink_request request = {.count = 0};

	genl_add(&request, family, DEVLINK_CMD_PARAM_SET, NLM_F_ACK);
	put_device(&request, device);
	netlink_put_string(&request, DEVLINK_ATTR_PARAM_NAME, devlink_switch_names[which]);
	netlink_put(&request, DEVLINK_ATTR_PARAM_TYPE, &type, sizeof(type));
	netlink_put(&request, DEVLINK_ATTR_PARAM_VALUE_CMODE, &mode, sizeof(mode));
	if (on)
		netlink_put(&request, DEVLINK_ATTR_PARAM_VALUE_DATA, "", 0);
	return netlink_ask_plain(generic, &request, ret_text);
}

/* The default action is "driver reinit": devlink_nl_reload_doit(). */
int devlink_reload(struct netlink *generic, uint16_t family, const struct devlink *device,
		   char **ret_text)
{
	struct netlink_request request = {.count = 0};

	genl_add(&request, family, DEVLINK_CMD_RELOAD, NLM_F_ACK);
	put_device(&request, device);
	return netlink_ask_plain(generic, &request, ret_text);
}

static void put_info(void *context, size_t which, struct netlink_request *request)
{
	const struct questions *questions = context;

	genl_add(request, questions->family, DEVLINK_CMD_INFO_GET, 0);
	put_device(request, &questions->list->items[questions->devices[which]]);
}

static void take_info(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct questions *questions = context;

	questions->list->items[questions->devices[which]].info_rc = take_single(questions, answer);
}

void devlink_read_info(struct netlink *generic, uint16_t family, struct devlink_list *list,
		       bool (*wanted)(const struct devlink *device, void *context), void *context)
{
	struct questions questions = {.family = family, .list = list};
	struct netlink_series series = {
		.put = put_info,
		.take = take_info,
		.context = &questions,
	};

	questions.devices = mem_alloc_zero(list->count + 1, sizeof(*questions.devices));
	for (size_t i = 0; i < list->count; i++)
		if (wanted(&list->items[i], context))
			questions.devices[series.count++] = i;
	netlink_ask_all(generic, &series);
	free(questions.devices);
}

struct devlink *devlink_list_find(const struct devlink_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void devlink_list_clear(struct devlink_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct devlink *device = &list->items[i];

		for (size_t j = 0; j < device->version_count; j++) {
			free(device->versions[j].name);
			free(device->versions[j].running);
			free(device->versions[j].stored);
		}
		free(device->versions);
		reporters_clear(device);
		free(device->bus);
		free(device->name);
	}
	free(list->items);
	*list = (struct devlink_list){.count = 0};
}
