/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/optional_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/nldev_stat.h"

struct reader {
	const struct inventory *inventory;
	struct optional_counters *list;
	struct problems *problems, *notes;
};

int optional_counters_open(struct netlink **ret_nldev)
{
	return nldev_open(ret_nldev);
}

void optional_counters_close(struct netlink *nldev)
{
	netlink_free(nldev);
}

static void take(void *context, const struct port *port, struct nldev_counter_states *states)
{
	const struct reader *reader = context;
	const struct device *device = device_list_find(&reader->inventory->devices, port->device);

	for (size_t i = 0; device && i < states->count; i++) {
		struct nldev_counter_state *state = &states->items[i];
		struct optional_counter *counter;

		if (state->active == TRISTATE_UNKNOWN)
			continue;
		counter = mem_append(&reader->list->items, &reader->list->count,
				     sizeof(*reader->list->items));
		counter->device = device;
		counter->port = port;
		counter->kernel_name = state->name;
		counter->name = counter_name_find_in(COUNTER_SOURCE_HW, state->name);
		counter->index = state->index;
		counter->enabled = state->active;
		state->name = NULL;
	}
}

static void fail(void *context, const struct port *port, int error, const char *text)
{
	const struct reader *reader = context;
	_cleanup_(freep) char *object = mem_format("%s/%u", port->device,
						   (unsigned int)port->port.value);
	/* A driver without counters, and a kernel before 5.16, say one of these. */
	const bool none = error == -EINVAL || error == -EOPNOTSUPP;

	problem_add_text(none ? reader->notes : reader->problems, object, "optional counters",
			 "nldev", text ? text : strerror(-error), NULL);
}

void optional_counters_read(struct netlink *nldev, const struct inventory *inventory,
			    struct optional_counters *list, struct problems *problems,
			    struct problems *notes)
{
	struct reader reader = {
		.inventory = inventory, .list = list, .problems = problems, .notes = notes};

	nldev_get_counter_states(nldev, &inventory->devices, take, fail, &reader);
}

int optional_counters_switch(struct netlink *nldev, const struct optional_counter *counters,
			     size_t count, char **ret_text)
{
	_cleanup_(freep) uint32_t *indexes = mem_alloc_zero(count, sizeof(*indexes));
	size_t enabled = 0;

	for (size_t i = 0; i < count; i++)
		if (counters[i].enabled == TRISTATE_YES)
			indexes[enabled++] = (uint32_t)counters[i].index.value;
	return nldev_set_counters(nldev, counters[0].device, counters[0].port, indexes, enabled,
				  ret_text);
}
