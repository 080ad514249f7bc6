/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For comparisons: the loaded kernel modules of RDMA and their parameters, and the versions that a
 * snapshot or a saved tree holds.
 */
#pragma once

#include "host/host.h"
#include "schema/schema.h"

struct loaded_module {
	char *name;
	char *version;		   /* NULL: the module has none, like those in the kernel tree */
	char *source_version;	   /* srcversion: a hash of the source */
	struct strings parameters; /* NAME=VALUE */
};

struct loaded_modules {
	struct loaded_module *items;
	size_t count;
};

extern const struct schema modules_schema;

/* `root` is as in struct inventory_request. Returns 0 or -errno; -ENOENT: no sys/module in it. */
int loaded_modules_read(const char *root, struct loaded_modules *modules);
void loaded_modules_clear(struct loaded_modules *modules);

/*
 * versions.json of a snapshot; a saved tree has at most the kernel's release. The caller clears the
 * list. Returns 0 or -errno, -ENOENT if there is none.
 */
int snapshot_versions(const char *root, struct component_list *list);
