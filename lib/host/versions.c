/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/versions.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "kernel/sysfs.h"
#include "kernel/verbs.h"

static const struct field fields[] = {
	STRING_FIELD(struct component, name, "component", "COMPONENT", FIELD_DEFAULT, 0,
		     "the program, a library or the kernel"),
	STRING_FIELD(struct component, built, "built_with", "BUILT WITH", FIELD_DEFAULT, 0,
		     "version that it was compiled with"),
	STRING_FIELD(struct component, running, "running", "RUNNING", FIELD_DEFAULT, 0,
		     "version in use; null if missing or unknown"),
	STRING_FIELD(struct component, note, "note", "NOTE", FIELD_DEFAULT, 0,
		     "its purpose, or what is missing"),
};

const struct schema component_schema = {
	.name = "version",
	.version = 1,
	.summary = "a part of the program, or a component it depends on",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct component),
};

static char *copy(const char *string)
{
	return string ? mem_string(string) : NULL;
}

void component_add(struct component_list *list, const char *name, const char *built,
		   const char *running, const char *note)
{
	struct component *component = mem_append(&list->items, &list->count, sizeof(*list->items));

	component->name = mem_string(name);
	component->built = copy(built);
	component->running = copy(running);
	component->note = copy(note);
}

/* The saved tree may have the release of the kernel that it comes from. */
static void add_kernel(struct component_list *list, const char *root_directory)
{
	struct root root = {.fd = -1};
	_cleanup_(freep) char *release = NULL;
	char text[SYSFS_TEXT_SIZE];
	bool present = false;

	if (!root_open(root_directory, &root)) {
		ssize_t length = sysfs_read(&root, text, "proc/sys/kernel/osrelease");

		release = length > 0 ? text_clean(text, (size_t)length) : NULL;
		present = !device_find_core(&root);
	}
	root_close(&root);
	component_add(list, "kernel", NULL, release,
		      present ? "RDMA core loaded" : "no RDMA core loaded");
}

void components_load(struct component_list *list, const char *root_directory)
{
	_cleanup_(freep) char *verbs = verbs_library_version();

	component_add(list, "libibverbs", LIBIBVERBS_BUILT_VERSION, verbs,
		      verbs ? "MTU, GID tables, capabilities"
			    : "not found: no MTU, no capabilities; GIDs come from sysfs");
	add_kernel(list, root_directory);
}

void component_list_clear(struct component_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].built);
		free(list->items[i].running);
		free(list->items[i].note);
	}
	free(list->items);
	*list = (struct component_list){0};
}
