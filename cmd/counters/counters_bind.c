/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters auto, bind and unbind: which queue pairs are counted. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/statistics.h"
#include "cmd/change/change_run.h"
#include "cmd/counters/counters.h"
#include "counter/object_counters.h"

struct binding {
	struct number qpn, counter_id;
};

static const struct keyword binding_keywords[] = {
	{"lqpn", "N", "number of the queue pair", NULL},
	{"counter-id", "ID", "number of the counter", NULL},
};

static const struct keyword *binding_keyword(size_t number)
{
	return number < ARRAY_SIZE(binding_keywords) ? &binding_keywords[number] : NULL;
}

static bool load_port(struct change_plan *plan, char *word)
{
	struct listing *listing = &plan->listing;
	char *const words[] = {word, NULL};
	_cleanup_(freep) char *message = NULL;

	if (objects_parse(&listing->objects, words, true, &message))
		return listing_fail(&plan->listing, STATUS_USAGE, message,
				    "rdmactl ports lists the names");
	if (!listing_load_inventory(listing, NEED_NETLINK | NEED_DRIVER))
		return false;
	if (listing->inventory.devices.items[0].port_count != 1)
		return listing_fail_format(&plan->listing, STATUS_USAGE,
					   "name it as DEV/PORT; rdmactl ports lists them",
					   "%s has several ports",
					   listing->inventory.devices.items[0].name);
	if (!listing->inventory.devices.items[0].index.known)
		return listing_fail(&plan->listing, STATUS_FAILED, "the kernel has no RDMA netlink",
				    COUNTERS_OLD_KERNEL);
	plan->host.inventory = &listing->inventory;
	return true;
}

static const struct device *device_of(const struct change_plan *plan)
{
	return &plan->listing.inventory.devices.items[0];
}

static char *name_port(const struct change_plan *plan)
{
	return mem_format("%s/%" PRIu64, device_of(plan)->name,
			  device_of(plan)->ports[0].port.value);
}

static bool give_port(struct change *change, void *context)
{
	const struct change_plan *plan = context;

	change->device_index = device_of(plan)->index;
	change->port = device_of(plan)->ports[0].port;
	return true;
}

static bool plan_auto(struct change_plan *plan, const void *args, char **words)
{
	_cleanup_(freep) char *object = NULL;

	(void)args;
	if (!load_port(plan, words[0]))
		return false;
	object = name_port(plan);
	return change_plan_one(plan, &qp_auto_setting, words[1], object, give_port, plan);
}

/* Parses the words after the port: lqpn N, counter-id ID. */
static bool parse_binding(struct change_plan *plan, char **words, struct binding *binding)
{
	static const char *const hints[] = {"rdmactl resources qp lists the queue pairs",
					    "rdmactl counters qp lists the counters"};
	struct number *const numbers[] = {&binding->qpn, &binding->counter_id};
	const char *values[ARRAY_SIZE(binding_keywords)] = {NULL};
	uint64_t value;

	if (!change_take_values(plan, binding_keywords, ARRAY_SIZE(binding_keywords), words,
				values))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(binding_keywords); i++) {
		if (!values[i])
			continue;
		if (text_parse_u64(values[i], 0, UINT32_MAX, &value))
			return listing_fail_format(&plan->listing, STATUS_USAGE, hints[i],
						   "%s needs a number", binding_keywords[i].word);
		number_set(numbers[i], value);
	}
	return true;
}

static void add_qp(struct change_plan *plan, uint64_t qpn, const char *wanted)
{
	_cleanup_(freep) char *port = name_port(plan);
	_cleanup_(freep) char *object = mem_format("%s lqpn %" PRIu64, port, qpn);
	struct qp_binding *data = mem_alloc_zero(1, sizeof(*data));
	struct change *change = changes_add(&plan->changes, &plan->host, &qp_counter_setting,
					    object, wanted);

	give_port(change, plan);
	data->qpn = qpn;
	change->data = data;
}

static bool plan_bind(struct change_plan *plan, const void *args, char **words)
{
	struct binding binding = {.qpn = {0}};
	_cleanup_(freep) char *wanted = NULL;

	(void)args;
	if (!parse_binding(plan, words + 1, &binding))
		return false;
	if (!binding.qpn.known)
		return listing_fail(&plan->listing, STATUS_USAGE, "which queue pair?",
				    "name it by lqpn N; rdmactl resources qp lists them");
	if (!load_port(plan, words[0]))
		return false;
	wanted = binding.counter_id.known ? mem_format("%" PRIu64, binding.counter_id.value)
					  : mem_string(NEW_COUNTER);
	add_qp(plan, binding.qpn.value, wanted);
	return true;
}

/* Plans to unbind all queue pairs of the counter, or the one that was named. */
static bool plan_counter(struct change_plan *plan, const struct binding *binding,
			 const struct object_counters *list)
{
	const struct object_counter *counter = object_counters_find(list,
								    binding->counter_id.value);
	_cleanup_(freep) char *port = name_port(plan);
	_cleanup_(freep) char *text = mem_format("%" PRIu64, binding->qpn.value);

	if (!counter || counter->port.value != device_of(plan)->ports[0].port.value)
		return listing_fail_format(&plan->listing, STATUS_NOTHING,
					   "rdmactl counters qp lists the counters",
					   "%s has no counter %" PRIu64, port,
					   binding->counter_id.value);
	if (binding->qpn.known && !strings_contain(&counter->qpns, text))
		return listing_fail_format(
			&plan->listing, STATUS_NOTHING,
			"rdmactl counters qp lists the queue pairs of each counter",
			"queue pair %s is not bound to counter %" PRIu64, text,
			binding->counter_id.value);
	for (size_t i = 0; i < counter->qpns.count; i++) {
		uint64_t qpn;

		if (!text_parse_u64(counter->qpns.items[i], 10, UINT32_MAX, &qpn) &&
		    (!binding->qpn.known || binding->qpn.value == qpn))
			add_qp(plan, qpn, CHANGE_ABSENT);
	}
	return true;
}

static bool plan_unbind(struct change_plan *plan, const void *args, char **words)
{
	_cleanup_(object_counters_clear) struct object_counters list = {0};
	struct binding binding = {.qpn = {0}};
	struct netlink *nldev;
	int rc;

	(void)args;
	if (!parse_binding(plan, words + 1, &binding))
		return false;
	if (!binding.qpn.known && !binding.counter_id.known)
		return listing_fail(
			&plan->listing, STATUS_USAGE, "which counter, or which queue pair?",
			"name it by counter-id ID or lqpn N; rdmactl counters qp lists both");
	if (!load_port(plan, words[0]))
		return false;
	if (!binding.counter_id.known) {
		add_qp(plan, binding.qpn.value, CHANGE_ABSENT);
		return true;
	}
	rc = change_host_nldev(&plan->host, &nldev);
	if (!rc)
		rc = object_counters_read(nldev, OBJECT_COUNTER_QP,
					  (uint32_t)device_of(plan)->index.value, &list);
	if (rc)
		return listing_fail_format(&plan->listing, STATUS_FAILED,
					   rc == -EOPNOTSUPP ? COUNTERS_OLD_KERNEL : NULL,
					   "cannot read the counters of queue pairs: %s",
					   strerror(-rc));
	return plan_counter(plan, &binding, &list);
}

const struct command counters_bind_command = {
	.name = "bind",
	.group = GROUP_LIVE,
	.summary = "count a queue pair (root)",
	.objects = "DEV/PORT lqpn N [counter-id ID]",
	.object_completion = COMPLETE_PORT,
	.least_objects = 1,
	.most_objects = -1,
	.keyword = binding_keyword,
	CHANGING_COMMAND(plan_bind),
};

const struct command counters_unbind_command = {
	.name = "unbind",
	.group = GROUP_LIVE,
	.summary = "stop counting queue pairs (root)",
	.objects = "DEV/PORT [counter-id ID] [lqpn N]",
	.object_completion = COMPLETE_PORT,
	.least_objects = 1,
	.most_objects = -1,
	.keyword = binding_keyword,
	CHANGING_COMMAND(plan_unbind),
};

/* For completion. */
static const struct enum_name auto_words[] = {
	{0, "off"}, {0, "type"}, {0, "pid"}, {0, "type,pid"}, {0, NULL},
};

const struct command counters_auto_command = {
	.name = "auto",
	.group = GROUP_LIVE,
	.summary = "count new queue pairs automatically, by type or process (root)",
	.objects = "DEV/PORT off|type|pid|type,pid[,optional]",
	.object_completion = COMPLETE_PORT,
	.object_choices = auto_words,
	.least_objects = 2,
	.most_objects = 2,
	CHANGING_COMMAND(plan_auto),
};
