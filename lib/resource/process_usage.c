/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/process_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define SHOWN (FIELD_DEFAULT | FIELD_RIGHT)

#define LIMIT_FIELDS(record, member, key_, heading_, flags_, needs_, what_)                \
	UNSIGNED_FIELD(record, member.value, key_, heading_, flags_ | FIELD_RIGHT, needs_, \
		       what_ ", if there is one")

static const struct field cgroup_fields[] = {
	STRING_FIELD(struct cgroup_device, device, "device", "DEVICE", FIELD_DEFAULT, 0,
		     "name of the device"),
	UNSIGNED_FIELD(struct cgroup_device, handles, "handles", "HANDLES", SHOWN, 0,
		       "contexts that the group's processes have open"),
	LIMIT_FIELDS(struct cgroup_device, most_handles, "handles_max", "MAX", FIELD_DEFAULT, 0,
		     "its limit"),
	BOOL_FIELD(struct cgroup_device, most_handles.unlimited, "handles_unlimited", "UNLIMITED",
		   0, 0, "whether it is unlimited"),
	UNSIGNED_FIELD(struct cgroup_device, objects, "objects", "OBJECTS", SHOWN, 0,
		       "objects that they have made: queue pairs, memory regions and so on"),
	LIMIT_FIELDS(struct cgroup_device, most_objects, "objects_max", "MAX", FIELD_DEFAULT, 0,
		     "its limit"),
	BOOL_FIELD(struct cgroup_device, most_objects.unlimited, "objects_unlimited", "UNLIMITED",
		   0, 0, "whether it is unlimited"),
};

static const struct schema cgroup_schema = {
	.name = "cgroup_devices",
	.version = 1,
	.summary = "a device in a control group",
	.fields = cgroup_fields,
	.field_count = ARRAY_SIZE(cgroup_fields),
	.record_size = sizeof(struct cgroup_device),
};

static void get_cgroup_devices(const void *record, struct value *value)
{
	const struct process_usage *usage = record;

	if (!usage->cgroup)
		return;
	value->kind = VALUE_RECORDS;
	value->records.rows = usage->cgroup_devices.items;
	value->records.count = usage->cgroup_devices.count;
}

#define USAGE(member, ...) UNSIGNED_FIELD(struct process_usage, member, __VA_ARGS__)

#define COUNT(kind_, key_, heading_, help_) USAGE(counts[kind_], key_, heading_, SHOWN, 0, help_)

static const struct field usage_fields[] = {
	USAGE(pid, "pid", "PID", SHOWN, USAGE_NEED_TASK, "the process, in this PID namespace"),
	STRING_FIELD(struct process_usage, command, "command", "COMMAND", FIELD_DEFAULT,
		     USAGE_NEED_TASK, "name of the process, or of the kernel's part in brackets"),
	BOOL_FIELD(struct process_usage, kernel, "kernel", "KERNEL", 0, 0,
		   "whether it is a part of the kernel"),
	LIST_FIELD(struct process_usage, devices, "devices", "DEVICES", 0, 0,
		   "devices on which it has objects"),
	COUNT(RESOURCE_QP, "qps", "QP", "queue pairs"),
	COUNT(RESOURCE_CM_ID, "cm_ids", "CM ID", "identifiers of the connection manager"),
	COUNT(RESOURCE_CQ, "cqs", "CQ", "completion queues"),
	COUNT(RESOURCE_MR, "mrs", "MR", "memory regions"),
	COUNT(RESOURCE_PD, "pds", "PD", "protection domains"),
	COUNT(RESOURCE_CTX, "ctxs", "CTX", "contexts: devices that it has opened"),
	COUNT(RESOURCE_SRQ, "srqs", "SRQ", "shared receive queues"),
	USAGE(registered_bytes, "registered_bytes", "REGISTERED", SHOWN, 0,
	      "length of all memory regions; memory that is registered twice counts twice"),
	USAGE(pinned_bytes, "pinned_bytes", "PINNED", SHOWN, USAGE_NEED_TASK,
	      "memory that is pinned for devices: VmPin"),
	USAGE(locked_bytes, "locked_bytes", "LOCKED", FIELD_RIGHT, USAGE_NEED_TASK,
	      "memory that is locked by mlock(2) and the like: VmLck"),
	LIMIT_FIELDS(struct process_usage, memlock_soft, "memlock_soft_bytes", "MEMLOCK",
		     FIELD_DEFAULT, USAGE_NEED_MEMLOCK, "the RLIMIT_MEMLOCK in effect"),
	BOOL_FIELD(struct process_usage, memlock_soft.unlimited, "memlock_unlimited", "UNLIMITED",
		   FIELD_DEFAULT, USAGE_NEED_MEMLOCK, "whether RLIMIT_MEMLOCK is unlimited"),
	LIMIT_FIELDS(struct process_usage, memlock_hard, "memlock_hard_bytes", "MEMLOCK HARD", 0,
		     USAGE_NEED_MEMLOCK, "the highest RLIMIT_MEMLOCK that it may set"),
	BOOL_FIELD(struct process_usage, memlock_hard.unlimited, "memlock_hard_unlimited",
		   "HARD UNLIMITED", 0, USAGE_NEED_MEMLOCK,
		   "whether it may set any RLIMIT_MEMLOCK"),
	STRING_FIELD(struct process_usage, cgroup, "cgroup", "CGROUP", 0, USAGE_NEED_CGROUP,
		     "control group whose rdma controller counts it"),
	LIST_FIELD(struct process_usage, cgroup_usage, "cgroup_usage", "CGROUP USE", FIELD_DEFAULT,
		   USAGE_NEED_CGROUP,
		   "rdma.current and rdma.max of the group: DEV:handles=N/MAX:objects=N/MAX"),
	RECORDS_FIELD(get_cgroup_devices, &cgroup_schema, NULL, "cgroup_devices", USAGE_NEED_CGROUP,
		      "the same, device by device"),
};

const struct schema process_usage_schema = {
	.name = "processes",
	.version = 1,
	.summary = "the objects of a process on all devices (--by process)",
	.fields = usage_fields,
	.field_count = ARRAY_SIZE(usage_fields),
	.record_size = sizeof(struct process_usage),
};

void process_usage_add(struct process_usage *usage, enum resource_kind kind,
		       const struct resource *resource)
{
	uint64_t length = resource->length_bytes.value;

	if (!strings_contain(&usage->devices, resource->device))
		strings_add(&usage->devices, resource->device);
	usage->devices.known = true;
	usage->counts[kind].value++;
	/* A region of the complete address space (on-demand paging) would make the sum wrap. */
	if (length > UINT64_MAX - usage->registered_bytes.value)
		usage->registered_bytes.value = UINT64_MAX;
	else
		usage->registered_bytes.value += length;
}

static void format_limit(const struct limit *limit, char text[static 24])
{
	if (limit->value.known)
		snprintf(text, 24, "%" PRIu64, limit->value.value);
	else
		snprintf(text, 24, limit->unlimited == TRISTATE_YES ? "max" : "?");
}

void process_usage_describe_cgroup(struct process_usage *usage)
{
	usage->cgroup_usage.known = true;
	for (size_t i = 0; i < usage->cgroup_devices.count; i++) {
		const struct cgroup_device *device = &usage->cgroup_devices.items[i];
		char handles[24], objects[24];
		_cleanup_(freep) char *text = NULL;

		if (!device->handles.value && !device->objects.value &&
		    !device->most_handles.value.known && !device->most_objects.value.known)
			continue;
		format_limit(&device->most_handles, handles);
		format_limit(&device->most_objects, objects);
		text = mem_format("%s:handles=%" PRIu64 "/%s:objects=%" PRIu64 "/%s",
				  device->device, device->handles.value, handles,
				  device->objects.value, objects);
		strings_add(&usage->cgroup_usage, text);
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_usages(const void *a, const void *b)
{
	const struct process_usage *one = a, *two = b;
	int order = compare_numbers(two->registered_bytes.value, one->registered_bytes.value);

	if (!order)
		order = compare_numbers(one->pid.value, two->pid.value);
	if (!order && one->command && two->command)
		order = strcmp(one->command, two->command);
	return order;
}

void process_usage_list_sort(struct process_usage_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_usages);
}

void process_usage_list_clear(struct process_usage_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct process_usage *usage = &list->items[i];

		free(usage->command);
		free(usage->cgroup);
		strings_free(&usage->devices);
		strings_free(&usage->cgroup_usage);
		cgroup_device_list_clear(&usage->cgroup_devices);
	}
	free(list->items);
	*list = (struct process_usage_list){0};
}
