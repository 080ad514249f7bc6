/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/resources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"
#include "resource/nldev_resources.h"

/* The first kernel release that lists the kind. */
static const char *const since[] = {
	[RESOURCE_QP] = "4.16",	 [RESOURCE_CM_ID] = "4.17", [RESOURCE_CQ] = "4.17",
	[RESOURCE_MR] = "4.17",	 [RESOURCE_PD] = "4.17",    [RESOURCE_CTX] = "5.13",
	[RESOURCE_SRQ] = "5.13",
};

struct resource_loader {
	const struct inventory *inventory;
	const struct objects *objects;
	struct processes *processes;
	struct nldev_resources *source;
	enum resource_kind kind;
	size_t device; /* in the inventory */
	bool reading;  /* reading of its table has begun */
	bool unknown;  /* the kernel does not have this kind */
	bool polls_otherwise;
};

/*
 * Linux 5.8 reordered the codes; poll_context_names has the new order. Distributors have backported
 * that to earlier releases, whose codes are therefore ambiguous.
 */
static bool polls_otherwise(const char *directory)
{
	_cleanup_(freep) char *release = NULL;
	unsigned int major, minor;
	struct root root;

	if (root_open(directory, &root))
		return false;
	release = sysfs_text(&root, "proc/sys/kernel/osrelease");
	root_close(&root);
	return release && sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 8));
}

int resource_loader_open(const struct inventory *inventory, const struct objects *objects,
			 struct processes *processes, struct resource_loader **ret_loader)
{
	struct nldev_resources *source;
	int rc = nldev_resources_open(inventory->root, &source);

	if (rc)
		return rc;
	*ret_loader = mem_alloc_zero(1, sizeof(**ret_loader));
	**ret_loader = (struct resource_loader){
		.inventory = inventory,
		.objects = objects,
		.processes = processes,
		.source = source,
		.polls_otherwise = polls_otherwise(inventory->root),
	};
	return 0;
}

void resource_loader_free(struct resource_loader *loader)
{
	if (!loader)
		return;
	nldev_resources_free(loader->source);
	free(loader);
}

void resource_loader_begin(struct resource_loader *loader, enum resource_kind kind)
{
	loader->kind = kind;
	loader->device = 0;
	loader->reading = false;
	loader->unknown = false;
}

bool resource_loader_knows(const struct resource_loader *loader)
{
	return !loader->unknown;
}

/* Reports why a table ended early. */
static void note_error(struct resource_loader *loader, int error, struct problems *problems,
		       struct problems *notes)
{
	const struct device *device = &loader->inventory->devices.items[loader->device];
	const char *what = enum_find(resource_kind_names, loader->kind)->help;
	_cleanup_(freep) char *text = NULL, *hint = NULL;

	switch (error) {
	case -ENODEV:
	case -ENOENT:
		problem_add(notes, device->name, what, "nldev", error, "it was removed meanwhile");
		return;
	case -EOPNOTSUPP:
		text = mem_format("this kernel does not list %s", what);
		hint = mem_format("this needs Linux %s or later", since[loader->kind]);
		problem_add_text(problems, NULL, NULL, "nldev", text, hint);
		loader->unknown = true;
		return;
	case -EMSGSIZE:
		text = mem_format("the kernel's list of %s stops at an object too large for a "
				  "message: the list is incomplete",
				  what);
		break;
	case -ETIMEDOUT:
		text = mem_format("the kernel does not answer: the list of %s is incomplete", what);
		break;
	default:
		problem_add(problems, device->name, what, "nldev", error,
			    "the rest of its list is missing");
		return;
	}
	problem_add_text(problems, device->name, NULL, "nldev", text, NULL);
}

/* True if the objects name the device, or the port. */
static bool is_wanted(const struct resource_loader *loader, const struct device *device,
		      const struct resource *resource)
{
	const struct objects *objects = loader->objects;

	for (size_t i = 0; i < objects->count; i++) {
		const struct object *object = &objects->items[i];

		if (object_names(object, device) &&
		    (object->port < 0 ||
		     (resource->port.known && resource->port.value == (uint64_t)object->port)))
			return true;
	}
	return !objects->count;
}

static void finish_block(const struct resource_loader *loader, const struct device *device,
			 size_t first, struct resource_list *list)
{
	size_t kept = first;

	for (size_t i = first; i < list->count; i++) {
		struct resource *resource = &list->items[i];

		if (!is_wanted(loader, device, resource)) {
			resource_clear(resource);
			continue;
		}
		resource->device = device->name;
		if (loader->polls_otherwise)
			resource->poll_context.known = false;
		if (loader->processes)
			processes_name(loader->processes, resource);
		list->items[kept++] = *resource;
	}
	list->count = kept;
}

static int read_block(struct resource_loader *loader, const struct device *device,
		      struct resource_list *list, bool *ret_done)
{
	int rc = 0;

	if (!loader->reading)
		rc = nldev_resources_begin(loader->source, loader->kind,
					   (uint32_t)device->index.value);
	loader->reading = true;
	return rc ? rc : nldev_resources_read(loader->source, list, ret_done);
}

bool resource_loader_next(struct resource_loader *loader, struct resource_list *list,
			  struct problems *problems, struct problems *notes)
{
	const struct device_list *devices = &loader->inventory->devices;
	const struct device *device;
	size_t first = list->count;
	bool done = true;
	int rc;

	if (loader->device == devices->count || loader->unknown)
		return false;
	device = &devices->items[loader->device];
	rc = device->index.known ? read_block(loader, device, list, &done) : -ENODATA;
	if (rc)
		note_error(loader, rc, problems, notes);
	/* Objects read before an error are kept, too. */
	finish_block(loader, device, first, list);
	if (rc || done) {
		loader->device++;
		loader->reading = false;
	}
	return true;
}

static struct resource_summary *find_summary(const struct resource_summary_list *list,
					     const struct device *device)
{
	for (size_t i = 0; device->index.known && i < list->count; i++)
		if (number_is(&list->items[i].index, device->index.value))
			return &list->items[i];
	return NULL;
}

int resource_summaries_load(const struct inventory *inventory, struct resource_summary_list *list)
{
	_cleanup_(resource_summary_list_clear) struct resource_summary_list all = {0};
	struct netlink *nldev;
	int rc = inventory_open_nldev(inventory, &nldev);

	if (rc)
		return rc;
	rc = nldev_get_resource_summary(nldev, &all);
	netlink_free(nldev);
	for (size_t i = 0; !rc && i < inventory->devices.count; i++) {
		const struct device *device = &inventory->devices.items[i];
		struct resource_summary *found = find_summary(&all, device);

		/* The device was removed after it was listed. */
		if (!found)
			continue;
		found->device = device->name;
		MEM_ADD(list->items, list->count) = *found;
		found->others = (struct strings){0};
	}
	return rc;
}

unsigned int
resource_loader_count(struct resource_loader *loader, struct processes *processes,
		      unsigned int kinds,
		      bool (*passes)(const void *context, const struct resource *resource),
		      const void *context, struct problems *problems, struct problems *notes)
{
	struct resource_list list = {0};
	unsigned int known = 0;

	for (unsigned int kind = 0; kind < RESOURCE_KINDS; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		resource_loader_begin(loader, (enum resource_kind)kind);
		while (resource_loader_next(loader, &list, problems, notes)) {
			for (size_t i = 0; i < list.count; i++)
				if (!passes || passes(context, &list.items[i]))
					processes_count(processes, (enum resource_kind)kind,
							&list.items[i]);
			resource_list_clear(&list);
		}
		if (resource_loader_knows(loader))
			known |= 1u << kind;
	}
	return known;
}

void resources_of_processes(const struct inventory *inventory, const struct objects *objects,
			    struct process_usage_list *ret_usages, struct problems *problems)
{
	_cleanup_(processes_freep) struct processes *processes = NULL;
	struct resource_loader *loader = NULL;
	unsigned int kinds = 1 << RESOURCE_QP | 1 << RESOURCE_MR;
	int rc = processes_open(inventory->root, &processes);

	if (!rc)
		rc = resource_loader_open(inventory, objects, processes, &loader);
	if (rc) {
		problem_add(problems, NULL, "resources", "nldev", rc, NULL);
	} else {
		kinds = resource_loader_count(loader, processes, kinds, NULL, NULL, problems, NULL);
		processes_sum_up(processes, kinds, 0, ret_usages, problems);
	}
	resource_loader_free(loader);
}
