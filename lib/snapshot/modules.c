/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "render/json_read.h"
#include "schema/rows.h"
#include "snapshot/collect.h"

#define RECORD struct loaded_module
static const struct field fields[] = {
	TEXT_AS("module", name, "MODULE", SHOWN, 0, "its name"),
	TEXT(version, "VERSION", SHOWN, 0, "its version; null if it has none"),
	TEXT_AS("srcversion", source_version, "SRCVERSION", SHOWN, 0, "a hash of its source"),
	LIST(parameters, "PARAMETERS", SHOWN, 0, "what it is set to"),
};

const struct schema modules_schema = SCHEMA("modules", RECORD, fields, "a loaded kernel module");

/* What may only be written, such as `add` of rdma_rxe in Linux 5.10, no snapshot holds either. */
static void read_parameters(const struct root *root, const char *name, struct strings *parameters)
{
	_cleanup_(strings_free) struct strings names = {0};

	parameters->known = true;
	if (sysfs_list(root, &names, "sys/module/%s/parameters", name))
		return;
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *line = NULL, *clean = NULL;
		char value[SYSFS_TEXT_SIZE];

		if (sysfs_read(root, value, "sys/module/%s/parameters/%s", name, names.items[i]) <
		    0)
			continue;
		line = mem_format("%s=%s", names.items[i], value);
		clean = text_clean(line, strlen(line));
		strings_add(parameters, clean);
	}
}

/* The kernel also has folders for built-in parts: these have no state. */
static void add_module(const struct root *root, const char *name, struct loaded_modules *modules)
{
	_cleanup_(freep) char *state = sysfs_text(root, "sys/module/%s/initstate", name);
	struct loaded_module *module;

	if (!state)
		return;
	module = mem_append(&modules->items, &modules->count, sizeof(*modules->items));
	module->name = text_clean(name, strlen(name));
	module->version = sysfs_text(root, "sys/module/%s/version", name);
	module->source_version = sysfs_text(root, "sys/module/%s/srcversion", name);
	read_parameters(root, name, &module->parameters);
}

int loaded_modules_read(const char *directory, struct loaded_modules *modules)
{
	_cleanup_(strings_free) struct strings names = {0};
	struct root root;
	int rc = root_open(directory, &root);

	if (rc)
		return rc;
	rc = sysfs_list(&root, &names, "sys/module");
	for (size_t i = 0; !rc && i < names.count; i++)
		if (collect_matches(SNAPSHOT_MODULES, names.items[i]))
			add_module(&root, names.items[i], modules);
	root_close(&root);
	return rc;
}

void loaded_modules_clear(struct loaded_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		record_clear(&modules_schema, &modules->items[i]);
	free(modules->items);
	*modules = (struct loaded_modules){.count = 0};
}

static const struct schema no_head = {.name = "none"};

static int read_document(const struct root *root, struct component_list *list)
{
	const struct root folder = {.fd = root->snapshot};
	_cleanup_(freep) char *text = NULL, *message = NULL;
	void *records = NULL;
	size_t count = 0;
	int rc = sysfs_read_file(&folder, &text, "versions.json")
			 ?: json_read(text, strlen(text), &no_head, NULL, &component_schema,
				      &records, &count, &message);

	if (rc)
		return rc;
	*list = (struct component_list){.items = records, .count = count};
	for (size_t i = 0; i < count; i++)
		if (!list->items[i].name)
			list->items[i].name = mem_string("-");
	return 0;
}

int snapshot_versions(const char *directory, struct component_list *list)
{
	struct root root;
	int rc = root_open(directory, &root);

	if (rc)
		return rc;
	rc = root.recorded ? read_document(&root, list) : -ENOENT;
	if (rc) {
		_cleanup_(freep) char *release = sysfs_text(&root, "proc/sys/kernel/osrelease");

		if (release)
			component_add(list, "kernel", NULL, release, NULL);
		rc = release ? 0 : -ENOENT;
	}
	root_close(&root);
	return rc;
}
