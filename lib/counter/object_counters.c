/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/object_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/netlink_counters.h"
#include "resource/resource.h"
#include "schema/rows.h"

/* Number of datagrams of the largest size that the kernel may fill at once. */
#define DATAGRAMS_AT_ONCE 2

/* RDMA_COUNTER_MODE_*, include/uapi/rdma/rdma_netlink.h */
static const struct enum_name qp_counting_modes[] = {
	{RDMA_COUNTER_MODE_NONE, "none", TONE_PLAIN, "no queue pair is counted"},
	{RDMA_COUNTER_MODE_AUTO, "auto", TONE_GOOD,
	 "the kernel binds queue pairs as they are created"},
	{RDMA_COUNTER_MODE_MANUAL, "manual", TONE_GOOD, "queue pairs were bound by hand"},
	{0, NULL},
};

const struct enum_name qp_counting_masks[] = {
	{RDMA_COUNTER_MASK_QP_TYPE, "type", TONE_PLAIN, "a counter for each type of queue pair"},
	{RDMA_COUNTER_MASK_PID, "pid", TONE_PLAIN, "a counter for each process"},
	{0, NULL},
};

/* Attributes of a kind: its table, an entry and the entry's number: fill_entries[], nldev.c */
static const struct {
	uint32_t resource;
	uint16_t table, entry, id;
} kinds[] = {
	[OBJECT_COUNTER_QP] = {RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_STAT_COUNTER,
			       RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, RDMA_NLDEV_ATTR_STAT_COUNTER_ID},
	[OBJECT_COUNTER_MR] = {RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR,
			       RDMA_NLDEV_ATTR_RES_MR_ENTRY, RDMA_NLDEV_ATTR_RES_MRN},
};

static void clear(struct object_counter *counter)
{
	free(counter->command);
	free(counter->kernel_name);
	strings_free(&counter->qpns);
	counter_list_clear(&counter->counters);
}

void object_counters_clear(struct object_counters *list)
{
	for (size_t i = 0; i < list->count; i++)
		clear(&list->items[i]);
	free(list->items);
	*list = (struct object_counters){0};
}

/* fill_stat_counter_qp_entry(), nldev.c */
static int take_qpn(void *context, const struct nlattr *entry)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	_cleanup_(freep) char *text = NULL;
	struct number qpn = {0};

	if (nldev_parse_nest(entry, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_RES_LQPN], &qpn) || !qpn.known)
		return -EBADMSG;
	text = mem_format("%" PRIu64, qpn.value);
	strings_add(context, text);
	return 0;
}

static int fill(enum object_counter_kind kind, struct nlattr *const *table,
		struct object_counter *counter)
{
	const struct nlattr *qps = table[RDMA_NLDEV_ATTR_RES_QP];
	int rc = 0;

	if (netlink_get_number(table[RDMA_NLDEV_ATTR_PORT_INDEX], &counter->port) ||
	    netlink_get_number(table[kinds[kind].id], &counter->id) || !counter->id.known ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_STAT_MODE], &counter->mode) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_RES_TYPE], &counter->type) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_RES_PID], &counter->thread))
		return -EBADMSG;
	netlink_get_text(table[RDMA_NLDEV_ATTR_RES_KERN_NAME], &counter->kernel_name);
	counter->qpns.known = kind == OBJECT_COUNTER_QP;
	if (qps)
		rc = netlink_each(qps, RDMA_NLDEV_ATTR_RES_QP_ENTRY, take_qpn, &counter->qpns);
	return rc ? rc : nldev_take_counters(table, &counter->counters);
}

struct taking {
	enum object_counter_kind kind;
	struct object_counters *list;
	uint32_t device_index;
};

static int take_entry(void *context, const struct nlattr *entry)
{
	const struct taking *taking = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct object_counter *counter;
	int rc;

	if (nldev_parse_nest(entry, table))
		return -EBADMSG;
	/* Only memory regions with on-demand paging count: fill_stat_mr_entry(), hw/mlx5. */
	if (taking->kind == OBJECT_COUNTER_MR && !table[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS])
		return 0;
	counter = mem_append(&taking->list->items, &taking->list->count, sizeof(*counter));
	rc = fill(taking->kind, table, counter);
	if (rc) {
		clear(counter);
		taking->list->count--;
	}
	return rc;
}

static int take_table(struct nlattr *const *table, struct taking *taking)
{
	const struct nlattr *nest = table[kinds[taking->kind].table];

	return nest ? netlink_each(nest, kinds[taking->kind].entry, take_entry, taking) : 0;
}

int object_counters_parse(enum object_counter_kind kind, const void *attributes, size_t length,
			  struct object_counters *list)
{
	struct taking taking = {.kind = kind, .list = list};
	struct nlattr *table[NLDEV_ATTR_KNOWN];

	return nldev_parse(attributes, length, table) ? -EBADMSG : take_table(table, &taking);
}

static int handle_table(void *context, const void *payload, size_t length)
{
	struct taking *taking = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number device_index = {0};

	if (nldev_parse(payload, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &device_index) ||
	    !device_index.known || device_index.value != taking->device_index)
		return -EBADMSG;
	/* A message without an entry is one that the kernel could not fill and sends for ever. */
	if (!table[kinds[taking->kind].table] || !nla_len(table[kinds[taking->kind].table]))
		return NETLINK_NOTHING;
	return take_table(table, taking);
}

int object_counters_read(struct netlink *nldev, enum object_counter_kind kind,
			 uint32_t device_index, struct object_counters *list)
{
	struct taking taking = {kind, list, device_index};
	struct netlink_request request = {.count = 0};
	int rc;

	netlink_offer(nldev, NETLINK_LARGEST_MESSAGE, DATAGRAMS_AT_ONCE);
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_STAT_GET), NLM_F_DUMP, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_RES, kinds[kind].resource);
	rc = nldev_explain(nldev, device_index,
			   netlink_dump(nldev, &request, handle_table, &taking));
	return rc == -EINVAL ? -EOPNOTSUPP : rc == -EINTR ? 0 : rc;
}

const struct object_counter *object_counters_find(const struct object_counters *list, uint64_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].id.value == id)
			return &list->items[i];
	return NULL;
}

static bool is_same_number(const struct number *a, const struct number *b)
{
	return a->known == b->known && a->value == b->value;
}

/* The kernel stops naming a thread that has ended: fill_res_name_pid(), nldev.c. */
static bool may_be_same_thread(const struct number *a, const struct number *b)
{
	return !a->known || !b->known || a->value == b->value;
}

const struct object_counter *object_counters_find_earlier(const struct object_counters *list,
							  const struct object_counter *counter)
{
	const struct object_counter *found = object_counters_find(list, counter->id.value);

	return found && is_same_number(&found->port, &counter->port) &&
			       is_same_number(&found->mode, &counter->mode) &&
			       is_same_number(&found->type, &counter->type) &&
			       may_be_same_thread(&found->thread, &counter->thread)
		       ? found
		       : NULL;
}

const struct object_counter *object_counters_of_qp(const struct object_counters *list, uint64_t qpn)
{
	_cleanup_(freep) char *text = mem_format("%" PRIu64, qpn);

	for (size_t i = 0; i < list->count; i++)
		if (strings_contain(&list->items[i].qpns, text))
			return &list->items[i];
	return NULL;
}

static int take_counting(void *context, const void *payload, size_t length)
{
	struct qp_counting *counting = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number optional = {0};

	if (nldev_parse(payload, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_STAT_MODE], &counting->mode) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK], &counting->mask) ||
	    netlink_get_number(table[NLDEV_ATTR_STAT_OPCOUNTER], &optional) ||
	    !counting->mode.known)
		return -EBADMSG;
	if (optional.known)
		counting->optional = optional.value ? TRISTATE_YES : TRISTATE_NO;
	return 0;
}

int qp_counting_read(struct netlink *nldev, uint32_t device_index, uint32_t port,
		     struct qp_counting *ret_counting)
{
	struct netlink_request request = {.count = 0};
	struct qp_counting counting = {.mode = {0}};
	int rc;

	/*
	 * stat_get_doit_qp(), nldev.c: given any mode at all, the kernel returns the current one.
	 */
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_STAT_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_MODE, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	rc = nldev_explain(nldev, device_index,
			   netlink_ask(nldev, &request, take_counting, &counting));
	if (rc)
		return rc == -EINVAL ? -EOPNOTSUPP : rc;
	ret_counting->mode = counting.mode;
	ret_counting->mask = counting.mask;
	ret_counting->optional = counting.optional;
	return 0;
}

char *qp_counting_word(const struct qp_counting *counting)
{
	uint64_t mask = counting->mask.value;
	char *word = NULL;

	if (counting->mode.value != RDMA_COUNTER_MODE_AUTO)
		return mem_string("off");
	for (const struct enum_name *name = qp_counting_masks; name->word; name++) {
		if (mask & name->value)
			mem_extend(&word, "%s%s", word ? "," : "", name->word);
		mask &= ~name->value;
	}
	if (mask || !word)
		mem_extend(&word, "%s0x%" PRIx64, word ? "," : "", mask);
	if (counting->optional == TRISTATE_YES)
		mem_extend(&word, "," QP_COUNTING_OPTIONAL);
	return word;
}

void object_counter_readings(const struct object_counter *object, const struct device *device,
			     const struct port *port, uint64_t taken_nsec,
			     struct counter_readings *readings)
{
	for_each (counter, &object->counters) {
		struct counter_reading *reading = mem_append(&readings->items, &readings->count,
							     sizeof(*readings->items));

		*reading = (struct counter_reading){
			.device = device,
			.port = port,
			.source = COUNTER_SOURCE_HW,
			.netlink = true,
			.kernel_name = counter->name,
			.name = counter_name_find_in(COUNTER_SOURCE_HW, counter->name),
			.taken_nsec = taken_nsec,
		};
		reading->counter = reading->name ? reading->name->canonical : counter->name;
		counter_reading_set(reading, counter->value);
	}
}

#define RECORD struct object_counter_row

#define OBJECT_FIELDS(help_)                                                                   \
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", SHOWN, 0, help_), \
		COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,     \
			       "name of the device")
#define OWNER_FIELDS(help_)                                             \
	NUMBER_AS("pid", object.pid, "PID", SHOWN, 0, help_),           \
		TEXT_AS("command", object.command, "COMMAND", SHOWN, 0, \
			"name of the process, or of the kernel's part in brackets")

#define COUNTER_FIELDS                                                                             \
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", SHOWN, 0,          \
		       "its name, the same for all drivers; else the kernel's"),                   \
		NUMBER_AS("value", change.value, "VALUE", SHOWN, 0, "how much it has counted"),    \
		COMPUTED_ENUM_FIELD(counter_get_unit, counter_unit_names, "unit", "UNIT", SHOWN,   \
				    "what the value counts"),                                      \
		NUMBER_AS("growth", change.growth, "GROWTH", 0, 0,                                 \
			  "growth since the previous round; only with --watch"),                   \
		REAL_FIELD(RECORD, change.rate_per_sec, "rate_per_sec", "PER SECOND", FIELD_RIGHT, \
			   0, "growth per second; only with --watch"),                             \
		TEXT_AS("time", change.time, "TIME", 0, 0, "when it was read; only with --watch"), \
		COMPUTED_ENUM_FIELD(counter_get_severity, counter_severity_names, "severity",      \
				    "SEVERITY", 0, "how serious it is that it grows"),             \
		COMPUTED_ENUM_FIELD(counter_get_group, counter_group_names, "group", "GROUP", 0,   \
				    "its subject"),                                                \
		COMPUTED_FIELD(FIELD_STRING, counter_get_kernel_name, "kernel_name",               \
			       "KERNEL NAME", 0, 0, "the kernel's name of the counter"),           \
		COMPUTED_FIELD(FIELD_STRING, counter_get_meaning, "meaning", "MEANING", 0, 0,      \
			       "what it counts, in a sentence")

/* The columns of the counters of queue pairs and memory regions, and of how ports count. */

static const struct field qp_fields[] = {
	OBJECT_FIELDS("port of the queue pairs: DEV/PORT"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number"),
	NUMBER_AS("counter_id", object.id, "ID", SHOWN, 0, "number of the counter"),
	WORD_AS("mode", object.mode, qp_counting_modes, "MODE", 0, 0,
		"how queue pairs were bound to it"),
	WORD_AS("type", object.type, qp_type_names, "TYPE", SHOWN, 0,
		"type of queue pair that it is for; none: any type"),
	OWNER_FIELDS("process that it is for; none: any process"),
	LIST_FIELD(RECORD, object.qpns, "qpns", "QPNS", SHOWN, 0,
		   "queue pairs that are bound to it now"),
	COUNTER_FIELDS,
};

static const struct column_view qp_views[] = {
	{"--watch", "time,object,counter_id,pid,command,counter,growth,rate_per_sec"},
	{NULL, NULL},
};

const struct schema qp_counter_schema = SCHEMA("qp_counters", RECORD, qp_fields,
					       "a counter that queue pairs are bound to",
					       .views = qp_views);

static const struct field mr_fields[] = {
	OBJECT_FIELDS("device of the memory region"),
	NUMBER_AS("mrn", object.id, "MRN", SHOWN, 0, "number of the memory region"),
	OWNER_FIELDS("process that made it, in this PID namespace"),
	COUNTER_FIELDS,
};

static const struct column_view mr_views[] = {
	{"--watch", "time,object,mrn,pid,command,counter,growth,rate_per_sec"},
	{NULL, NULL},
};

const struct schema mr_counter_schema = SCHEMA("mr_counters", RECORD, mr_fields,
					       "a counter of a memory region with on-demand paging",
					       .views = mr_views);

#undef RECORD
#define RECORD struct qp_counting

static const struct field counting_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", SHOWN, 0, "the port"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,
		       "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number"),
	WORD(mode, qp_counting_modes, "MODE", SHOWN, 0, "how queue pairs are bound to counters"),
	FLAGS_AS("by", mask, qp_counting_masks, "BY", SHOWN, 0,
		 "in auto mode: what each counter is for"),
	YES_NO(optional, "OPTIONAL", 0, 0,
	       "in auto mode: whether they count what the optional counters do (Linux 6.15)"),
};
#undef RECORD

const struct schema qp_counting_schema = SCHEMA("qp_counting", struct qp_counting, counting_fields,
						"how a port counts its queue pairs");
