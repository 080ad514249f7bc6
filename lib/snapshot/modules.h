/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loaded kernel modules of RDMA and what they are set to, for comparisons. */
#pragma once

#include "schema/schema.h"

struct loaded_module {
	char *name;
	char *version;	      /* NULL: the module has none, as those of the kernel's own tree */
	char *source_version; /* srcversion: a hash of the source */
	struct strings parameters; /* NAME=VALUE */
};

struct loaded_modules {
	struct loaded_module *items;
	size_t count;
};

extern const struct schema modules_schema;

/* `root`: as in struct inventory_request. 0 or -errno: -ENOENT: a saved tree has no sys/module. */
int loaded_modules_read(const char *root, struct loaded_modules *modules);
void loaded_modules_clear(struct loaded_modules *modules);
