/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/nldev_stat.h"

#include <errno.h>
#include <stdlib.h>

#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink.h"
#include "kernel/nldev.h"

/* Calls `each` for every counter in a reply; a port without counters has no table of them. */
static int walk(struct nlattr *const *table, int (*each)(void *context, const struct nlattr *entry),
		void *context)
{
	const struct nlattr *nest = table[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS];

	return nest ? netlink_each(nest, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY, each, context) : 0;
}

static int add_counter(void *context, const struct nlattr *nest)
{
	struct nlattr *entry[NLDEV_ATTR_KNOWN];
	_cleanup_(freep) char *name = NULL;
	struct number value = {0};

	if (nldev_parse_nest(nest, entry))
		return -EBADMSG;
	netlink_get_text(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME], &name);
	if (netlink_get_number(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE], &value) ||
	    !name || !value.known)
		return -EBADMSG;
	counter_list_take(context, name, value.value);
	name = NULL;
	return 0;
}

static int add_state(void *context, const struct nlattr *nest)
{
	struct nlattr *entry[NLDEV_ATTR_KNOWN];
	struct nldev_counter_states *states = context;
	struct nldev_counter_state *state;
	struct number index = {0}, active = {0};

	if (nldev_parse_nest(nest, entry) ||
	    netlink_get_number(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX], &index) ||
	    netlink_get_number(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC], &active) ||
	    !entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME] || !index.known ||
	    index.value > UINT32_MAX)
		return -EBADMSG;
	state = mem_append(&states->items, &states->count, sizeof(*states->items));
	netlink_get_text(entry[RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME], &state->name);
	state->index = index;
	if (active.known)
		state->active = active.value ? TRISTATE_YES : TRISTATE_NO;
	return 0;
}

static int fill_counters(struct nlattr *const *table, struct counter_list *list)
{
	int rc = walk(table, add_counter, list);

	if (rc)
		counter_list_clear(list);
	return rc;
}

static int fill_states(struct nlattr *const *table, struct nldev_counter_states *states)
{
	int rc = walk(table, add_state, states);

	if (rc)
		nldev_counter_states_clear(states);
	return rc;
}

int nldev_parse_counters(const void *attributes, size_t length, struct counter_list *list)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table))
		return -EBADMSG;
	return fill_counters(table, list);
}

int nldev_parse_counter_states(const void *attributes, size_t length,
			       struct nldev_counter_states *states)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	if (nldev_parse(attributes, length, table))
		return -EBADMSG;
	return fill_states(table, states);
}

void nldev_counter_states_clear(struct nldev_counter_states *states)
{
	for (size_t i = 0; i < states->count; i++)
		free(states->items[i].name);
	free(states->items);
	*states = (struct nldev_counter_states){0};
}

/* The handlers of the replies. */
struct reader {
	nldev_counters_taken *counters;
	nldev_states_taken *states;
	nldev_port_failed *failed;
	void *context;
};

static int take_counters(void *context, struct port *port, struct nlattr *const *table)
{
	const struct reader *reader = context;
	struct counter_list list = {0};
	int rc = fill_counters(table, &list);

	if (rc)
		return rc;
	reader->counters(reader->context, port, &list);
	counter_list_clear(&list);
	return 0;
}

static int take_states(void *context, struct port *port, struct nlattr *const *table)
{
	const struct reader *reader = context;
	struct nldev_counter_states states = {0};
	int rc = fill_states(table, &states);

	if (rc)
		return rc;
	reader->states(reader->context, port, &states);
	nldev_counter_states_clear(&states);
	return 0;
}

static void hand_failure_on(void *context, const struct port *port, int error, const char *text)
{
	const struct reader *reader = context;

	reader->failed(reader->context, port, error, text);
}

void nldev_get_counters(struct netlink *nldev, const struct device_list *list,
			nldev_counters_taken *taken, nldev_port_failed *failed, void *context)
{
	struct reader reader = {.counters = taken, .failed = failed, .context = context};

	nldev_ask_ports(nldev, list, RDMA_NLDEV_CMD_STAT_GET, take_counters, hand_failure_on,
			&reader);
}

void nldev_get_counter_states(struct netlink *nldev, const struct device_list *list,
			      nldev_states_taken *taken, nldev_port_failed *failed, void *context)
{
	struct reader reader = {.states = taken, .failed = failed, .context = context};

	nldev_ask_ports(nldev, list, RDMA_NLDEV_CMD_STAT_GET_STATUS, take_states, hand_failure_on,
			&reader);
}

int nldev_set_counters(struct netlink *nldev, const struct device *device, const struct port *port,
		       const uint32_t *indexes, size_t count, char **ret_text)
{
	struct netlink_request request = {.count = 0};

	*ret_text = NULL;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_STAT_SET), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)device->index.value);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port->port.value);
	netlink_put_list(&request, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS,
			 RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, indexes, count);
	return netlink_ask_plain(nldev, &request, ret_text);
}
