/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/processes.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/procfs.h"
#include "schema/rows.h"

#define LIMIT(key, member, heading, flags, needs, what) \
	NUMBER_AS(key, member.value, heading, flags, needs, what ", if there is one")

#define RECORD struct cgroup_device
static const struct field cgroup_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(handles, "HANDLES", SHOWN, 0, "contexts that the group's processes have open"),
	LIMIT("handles_max", most_handles, "MAX", SHOWN, 0, "its limit"),
	YES_NO_AS("handles_unlimited", most_handles.unlimited, "UNLIMITED", 0, 0,
		  "whether it is unlimited"),
	NUMBER(objects, "OBJECTS", SHOWN, 0,
	       "objects that they have made: queue pairs, memory regions and so on"),
	LIMIT("objects_max", most_objects, "MAX", SHOWN, 0, "its limit"),
	YES_NO_AS("objects_unlimited", most_objects.unlimited, "UNLIMITED", 0, 0,
		  "whether it is unlimited"),
};

static const struct schema cgroup_schema = SCHEMA("cgroup_devices", struct cgroup_device,
						  cgroup_fields, "a device in a control group");

static void get_cgroup_devices(const void *record, struct value *value)
{
	const struct process_usage *usage = record;

	if (!usage->cgroup)
		return;
	value_set_records(value, usage->cgroup_devices.items, usage->cgroup_devices.count);
}

#undef RECORD
#define RECORD struct process_usage
static const struct field usage_fields[] = {
	NUMBER(pid, "PID", SHOWN, USAGE_NEED_TASK, "the process, in this PID namespace"),
	TEXT(command, "COMMAND", SHOWN, USAGE_NEED_TASK,
	     "name of the process, or of the kernel's part in brackets"),
	YES_NO(kernel, "KERNEL", 0, 0, "whether it is a part of the kernel"),
	LIST(devices, "DEVICES", 0, 0, "devices on which it has objects"),
	RESOURCE_COUNT_FIELDS("contexts: devices that it has opened"),
	NUMBER(registered_bytes, "REGISTERED", SHOWN, 0,
	       "length of all memory regions; memory that is registered twice counts twice"),
	NUMBER(pinned_bytes, "PINNED", SHOWN, USAGE_NEED_TASK,
	       "memory that is pinned for devices: VmPin"),
	NUMBER(locked_bytes, "LOCKED", 0, USAGE_NEED_TASK,
	       "memory that is locked by mlock(2) and the like: VmLck"),
	LIMIT("memlock_soft_bytes", memlock_soft, "MEMLOCK", SHOWN, USAGE_NEED_MEMLOCK,
	      "the RLIMIT_MEMLOCK in effect"),
	YES_NO_AS("memlock_unlimited", memlock_soft.unlimited, "UNLIMITED", SHOWN,
		  USAGE_NEED_MEMLOCK, "whether RLIMIT_MEMLOCK is unlimited"),
	LIMIT("memlock_hard_bytes", memlock_hard, "MEMLOCK HARD", 0, USAGE_NEED_MEMLOCK,
	      "the highest RLIMIT_MEMLOCK that it may set"),
	YES_NO_AS("memlock_hard_unlimited", memlock_hard.unlimited, "HARD UNLIMITED", 0,
		  USAGE_NEED_MEMLOCK, "whether it may set any RLIMIT_MEMLOCK"),
	TEXT(cgroup, "CGROUP", 0, USAGE_NEED_CGROUP,
	     "control group whose rdma controller counts it"),
	LIST(cgroup_usage, "CGROUP USE", SHOWN, USAGE_NEED_CGROUP,
	     "rdma.current and rdma.max of the group: DEV:handles=N/MAX:objects=N/MAX"),
	RECORDS_FIELD(get_cgroup_devices, &cgroup_schema, "", "cgroup_devices", USAGE_NEED_CGROUP,
		      "those uses and limits, device by device"),
};

const struct schema process_usage_schema = SCHEMA(
	"processes", struct process_usage, usage_fields,
	"the objects of a process on all devices (--by process)");

static void process_usage_add(struct process_usage *usage, enum resource_kind kind,
			      const struct resource *resource)
{
	uint64_t length = resource->length_bytes.value;

	if (!strings_contain(&usage->devices, resource->device))
		strings_add(&usage->devices, resource->device);
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

/* Describes the devices of the control group that the process uses, or that have a limit. */
static void process_usage_describe_cgroup(struct process_usage *usage)
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

/*
 * By registered memory, largest first, then by PID and name: a holder without a PID or a name comes
 * before those that have one.
 */
static int compare_usages(const void *a, const void *b)
{
	const struct process_usage *one = a, *two = b;

	return COMPARE(two->registered_bytes.value, one->registered_bytes.value)
		       ?: COMPARE(one->pid.value, two->pid.value)
		       ?: strcmp(one->command ?: "", two->command ?: "");
}

void process_usage_list_clear(struct process_usage_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		record_clear(&process_usage_schema, &list->items[i]);
		cgroup_device_list_clear(&list->items[i].cgroup_devices);
	}
	free(list->items);
	*list = (struct process_usage_list){0};
}

struct processes {
	struct root root;
	void *by_thread;	     /* a tree of tsearch(3): struct process */
	struct strings kernel_names; /* [name] */
	struct process_usage_list usages;
};

int processes_open(const char *root_directory, struct processes **ret_processes)
{
	struct root root;
	int rc = root_open(root_directory, &root);

	if (rc)
		return rc;
	*ret_processes = mem_alloc_zero(1, sizeof(**ret_processes));
	(*ret_processes)->root = root;
	return 0;
}

static void free_process(void *item)
{
	struct process *process = item;

	free(process->command);
	free(process);
}

void processes_free(struct processes *processes)
{
	if (!processes)
		return;
	tdestroy(processes->by_thread, free_process);
	strings_free(&processes->kernel_names);
	process_usage_list_clear(&processes->usages);
	root_close(&processes->root);
	free(processes);
}

/* Uses the process's name, since a thread may have changed its own. */
static char *find_command(const struct root *root, uint64_t thread, struct procfs_task *task)
{
	struct procfs_task leader;
	char *command = task->name;

	task->name = NULL;
	if (!task->process.known || task->process.value == thread)
		return command;
	if (procfs_read_task(root, task->process.value, &leader))
		return command;
	if (leader.name) {
		free(command);
		command = leader.name;
	}
	return command;
}

static struct process *look_up(const struct root *root, uint64_t thread)
{
	struct process *process = mem_alloc_zero(1, sizeof(*process));
	struct procfs_task task;

	process->thread = thread;
	process->pid = number_of(thread);
	if (procfs_read_task(root, thread, &task))
		return process;
	process->command = find_command(root, thread, &task);
	if (task.process.known)
		process->pid = task.process;
	/* The threads share their memory. */
	process->locked_bytes = task.locked_bytes;
	process->pinned_bytes = task.pinned_bytes;
	procfs_task_clear(&task);
	return process;
}

/* Both begin with the number of the thread. */
static int compare_threads(const void *a, const void *b)
{
	return COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}

struct process *processes_find(struct processes *processes, uint64_t thread)
{
	struct process *const *found = tfind(&thread, &processes->by_thread, compare_threads);
	struct process *process;

	if (found)
		return *found;
	process = look_up(&processes->root, thread);
	mem_check(tsearch(process, &processes->by_thread, compare_threads));
	return process;
}

static char *find_kernel_name(struct processes *processes, const char *name)
{
	struct strings *names = &processes->kernel_names;
	_cleanup_(freep) char *text = mem_format("[%s]", name);

	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], text))
			return names->items[i];
	strings_add(names, text);
	return names->items[names->count - 1];
}

void processes_name(struct processes *processes, struct resource *resource)
{
	const struct process *process;

	if (resource->kernel_name) {
		resource->command = find_kernel_name(processes, resource->kernel_name);
	} else if (resource->thread.known) {
		process = processes_find(processes, resource->thread.value);
		resource->pid = process->pid;
		resource->command = process->command;
	}
}

static bool is_holder(const struct process_usage *usage, const struct resource *resource)
{
	if (usage->kernel != resource->kernel || usage->pid.known != resource->pid.known)
		return false;
	if (usage->pid.known)
		return usage->pid.value == resource->pid.value;
	return usage->kernel != TRISTATE_YES ||
	       (usage->command && resource->command && !strcmp(usage->command, resource->command));
}

static size_t find_usage(struct processes *processes, const struct resource *resource)
{
	struct process_usage_list *list = &processes->usages;
	struct process_usage *usage;

	for (size_t i = 0; i < list->count; i++)
		if (is_holder(&list->items[i], resource))
			return i;
	usage = mem_append(&list->items, &list->count, sizeof(*list->items));
	usage->pid = resource->pid;
	usage->kernel = resource->kernel;
	usage->command = mem_string_or_null(resource->command);
	return list->count - 1;
}

void processes_count(struct processes *processes, enum resource_kind kind,
		     const struct resource *resource)
{
	struct process *process = NULL;
	struct process_usage *usage;

	if (resource->thread.known && !resource->kernel_name)
		process = processes_find(processes, resource->thread.value);
	if (process && process->usage) {
		usage = &processes->usages.items[process->usage - 1];
	} else {
		size_t at = find_usage(processes, resource);

		usage = &processes->usages.items[at];
		if (process)
			process->usage = at + 1;
	}
	/* A thread that has ended says nothing about its process; another thread may. */
	if (process && !usage->pinned_bytes.known) {
		usage->pinned_bytes = process->pinned_bytes;
		usage->locked_bytes = process->locked_bytes;
	}
	process_usage_add(usage, kind, resource);
}

/* A process that has ended, or whose group was removed, is not a problem. */
static void note(struct problems *problems, const struct process_usage *usage, const char *what,
		 int rc)
{
	_cleanup_(freep) char *object = NULL;

	if (!rc || rc == -ENOENT || rc == -ESRCH || rc == -ENODEV)
		return;
	object = mem_format("process %" PRIu64, usage->pid.value);
	problem_add(problems, object, what, "proc", rc, NULL);
}

static void read_limits(const struct processes *processes, const struct procfs_cgroups *cgroups,
			uint64_t needs, struct process_usage *usage, struct problems *problems)
{
	const struct root *root = &processes->root;

	if (needs & USAGE_NEED_MEMLOCK)
		note(problems, usage, "limits",
		     procfs_read_memlock(root, usage->pid.value, &usage->memlock_soft,
					 &usage->memlock_hard));
	if (!(needs & USAGE_NEED_CGROUP))
		return;
	note(problems, usage, "cgroup",
	     procfs_read_rdma_cgroup(root, cgroups, usage->pid.value, &usage->cgroup,
				     &usage->cgroup_devices));
	if (usage->cgroup)
		process_usage_describe_cgroup(usage);
}

static void forget_usage(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == preorder || visit == leaf)
		(*(struct process *const *)node)->usage = 0;
}

void processes_sum_up(struct processes *processes, unsigned int kinds, uint64_t needs,
		      struct process_usage_list *ret_list, struct problems *problems)
{
	struct process_usage_list *list = &processes->usages;
	struct procfs_cgroups cgroups = {0};

	if (needs & USAGE_NEED_CGROUP)
		procfs_find_cgroups(&processes->root, &cgroups);
	for (size_t i = 0; i < list->count; i++) {
		struct process_usage *usage = &list->items[i];

		for (unsigned int kind = 0; kind < RESOURCE_KINDS; kind++)
			usage->counts[kind].known = kinds >> kind & 1;
		usage->registered_bytes.known = kinds >> RESOURCE_MR & 1;
		if (usage->pid.known)
			read_limits(processes, &cgroups, needs, usage, problems);
	}
	procfs_cgroups_clear(&cgroups);
	twalk(processes->by_thread, forget_usage);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_usages);
	*ret_list = *list;
	*list = (struct process_usage_list){0};
}
