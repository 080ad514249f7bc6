/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/netlink_counters.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/netlink.h"

/* Calls `each` for every counter in a reply; a port without counters has no table of them. */
static int walk(struct nlattr *const *table, int (*each)(void *context, const struct nlattr *entry),
		void *context)
{
	const struct nlattr *nest = table[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS];

	return nest ? netlink_each(nest, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY, each, context) : 0;
}

struct taking {
	nldev_counter_taken *taken;
	void *context;
};

static int take_counter(void *context, const struct nlattr *nest)
{
	const struct taking *taking = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	const struct nlattr *text;
	struct number value = {0};
	char name[4 * NAME_MAX + 1]; /* it is also a file's: four characters for each byte */

	if (nldev_parse_nest(nest, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE], &value))
		return -EBADMSG;
	text = table[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME];
	if (!text || !value.known)
		return -EBADMSG;
	text_clean_into(name, sizeof(name), nla_data(text), (size_t)nla_len(text));
	taking->taken(taking->context, name, value.value);
	return 0;
}

int nldev_each_counter(struct nlattr *const *table, nldev_counter_taken *taken, void *context)
{
	struct taking taking = {taken, context};

	return walk(table, take_counter, &taking);
}

static void add_counter(void *list, const char *name, uint64_t value)
{
	counter_list_add(list, name, value);
}

int nldev_take_counters(struct nlattr *const *table, struct counter_list *list)
{
	int rc = nldev_each_counter(table, add_counter, list);

	if (rc)
		counter_list_clear(list);
	return rc;
}

/* The members of struct rtnl_link_stats64 in order; kernels append to it. */
static const char *const stat_names[] = {
	"rx_packets",	       "tx_packets",	    "rx_bytes",		"tx_bytes",
	"rx_errors",	       "tx_errors",	    "rx_dropped",	"tx_dropped",
	"multicast",	       "collisions",	    "rx_length_errors", "rx_over_errors",
	"rx_crc_errors",       "rx_frame_errors",   "rx_fifo_errors",	"rx_missed_errors",
	"tx_aborted_errors",   "tx_carrier_errors", "tx_fifo_errors",	"tx_heartbeat_errors",
	"tx_window_errors",    "rx_compressed",	    "tx_compressed",	"rx_nohandler",
	"rx_otherhost_dropped"};

int rtnl_parse_stats(const void *payload, size_t length, struct number *ret_link_index,
		     struct counter_list *list)
{
	static const struct nla_policy policy[IFLA_STATS_LINK_64 + 1];
	struct nlattr *table[ARRAY_SIZE(policy)];
	const struct if_stats_msg *header = payload;
	uint64_t values[ARRAY_SIZE(stat_names)];
	size_t count;

	if (netlink_parse(payload, length, sizeof(*header), table, ARRAY_SIZE(table), policy) ||
	    !table[IFLA_STATS_LINK_64] ||
	    (size_t)nla_len(table[IFLA_STATS_LINK_64]) % sizeof(values[0]))
		return -EBADMSG;
	number_set(ret_link_index, header->ifindex);
	count = (size_t)nla_memcpy(values, table[IFLA_STATS_LINK_64], sizeof(values)) /
		sizeof(values[0]);
	for (size_t i = 0; i < count; i++)
		counter_list_add(list, stat_names[i], values[i]);
	return 0;
}

struct netdev_reader {
	const uint32_t *link_indexes;
	rtnl_stats_taken *taken;
	void *context;
};

static void put_link(void *context, size_t which, struct netlink_request *request)
{
	const struct netdev_reader *reader = context;
	const struct if_stats_msg header = {
		.ifindex = reader->link_indexes[which],
		.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};

	netlink_add(request, RTM_GETSTATS, 0, &header, sizeof(header));
}

static void take_link(void *context, size_t which, const struct netlink_answer *answer)
{
	const struct netdev_reader *reader = context;
	struct counter_list list = {0};
	struct number link_index = {0};
	int error = answer->error;

	if (!error)
		error = answer->payload ? rtnl_parse_stats(answer->payload, answer->length,
							   &link_index, &list)
					: -EBADMSG;
	if (!error && link_index.value != reader->link_indexes[which])
		error = -EBADMSG;
	if (error)
		counter_list_clear(&list);
	reader->taken(reader->context, which, error, &list);
	counter_list_clear(&list);
}

void rtnl_get_stats(struct netlink *rtnl, const uint32_t *link_indexes, size_t count,
		    rtnl_stats_taken *taken, void *context)
{
	struct netdev_reader reader = {link_indexes, taken, context};

	netlink_ask_all(rtnl, &(struct netlink_series){count, put_link, take_link, &reader});
}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", FIELD_DEFAULT, 0,
		       "port that has it: DEV/PORT"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,
		       "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "name of the counter"),
	STRING_FIELD(struct optional_counter, kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		     "the kernel's name of the counter"),
	BOOL_FIELD(struct optional_counter, enabled, "enabled", "ENABLED", FIELD_DEFAULT, 0,
		   "whether it counts now"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_meaning, "meaning", "MEANING", FIELD_DEFAULT, 0,
		       "what it counts"),
};

const struct schema optional_counters_schema = SCHEMA(
	"optional_counters", struct optional_counter, fields,
	"a counter that can be switched on and off: counters --optional");

bool optional_counter_is(const struct optional_counter *counter, const char *word)
{
	return !strcmp(counter->kernel_name, word) || !strcmp(counter->reading.counter, word);
}

void optional_counters_clear(struct optional_counters *list)
{
	records_clear(&optional_counters_schema, &(struct records){list->items, list->count});
	*list = (struct optional_counters){0};
}

static int add_optional(void *context, const struct nlattr *nest)
{
	struct nlattr *entry[NLDEV_ATTR_KNOWN];
	struct optional_counters *list = context;
	struct optional_counter *counter;
	struct counter_reading *reading;
	struct number index = {0}, active = {0};

	if (nldev_parse_nest(nest, entry) ||
	    netlink_get_number(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX], &index) ||
	    netlink_get_number(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC], &active) ||
	    !entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME] || !index.known ||
	    index.value > UINT32_MAX)
		return -EBADMSG;
	/* Without this attribute the counter is not optional. */
	if (!active.known)
		return 0;
	counter = mem_append(&list->items, &list->count, sizeof(*list->items));
	netlink_get_text(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME], &counter->kernel_name);
	reading = &counter->reading;
	reading->kernel_name = counter->kernel_name;
	reading->name = counter_name_find_in(COUNTER_SOURCE_HW, counter->kernel_name);
	reading->counter = reading->name ? reading->name->canonical : counter->kernel_name;
	counter->index = index;
	counter->enabled = active.value ? TRISTATE_YES : TRISTATE_NO;
	return 0;
}

int nldev_take_optional_counters(struct nlattr *const *table, struct optional_counters *list)
{
	const size_t first = list->count;
	int rc = walk(table, add_optional, list);

	while (rc && list->count > first)
		free(list->items[--list->count].kernel_name);
	return rc;
}

struct optional_reader {
	const struct inventory *inventory;
	struct optional_counters *list;
	struct problems *problems, *notes;
};

static int take_optional(void *context, struct port *port, struct nlattr *const *table)
{
	const struct optional_reader *reader = context;
	struct optional_counters *list = reader->list;
	size_t i = list->count;
	int rc = nldev_take_optional_counters(table, list);

	for (; i < list->count; i++) {
		list->items[i].reading.device = device_list_find(&reader->inventory->devices,
								 port->device);
		list->items[i].reading.port = port;
	}
	return rc;
}

static void fail_optional(void *context, const struct port *port, int error, const char *text)
{
	const struct optional_reader *reader = context;
	_cleanup_(freep) char *object = port_object(port);
	/* A driver without counters, or a kernel before 5.16, returns one of these. */
	const bool none = error == -EINVAL || error == -EOPNOTSUPP;

	problem_add_text(none ? reader->notes : reader->problems, object, "optional counters",
			 "nldev", text ? text : strerror(-error), NULL);
}

void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes)
{
	struct optional_reader reader = {
		.inventory = inventory, .list = list, .problems = problems, .notes = notes};

	nldev_ask_ports(nldev, &inventory->devices, RDMA_NLDEV_CMD_STAT_GET_STATUS, take_optional,
			fail_optional, &reader);
}

int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text)
{
	_cleanup_(freep) uint32_t *indexes = mem_alloc_zero(count, sizeof(*indexes));
	struct netlink_request request = {.count = 0};
	size_t enabled = 0;

	for (size_t i = 0; i < count; i++)
		if (counters[i].enabled == TRISTATE_YES)
			indexes[enabled++] = (uint32_t)counters[i].index.value;
	*ret_text = NULL;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_STAT_SET), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX,
			(uint32_t)counters[0].reading.device->index.value);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX,
			(uint32_t)counters[0].reading.port->port.value);
	netlink_put_list(&request, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS,
			 RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, indexes, enabled);
	return netlink_ask_plain(nldev, &request, ret_text);
}
