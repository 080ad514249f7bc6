/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One side of `rdmactl diff`: all records of a snapshot, a saved tree or the live host. */
#pragma once

#include "change/device/device.h"
#include "change/system.h"
#include "host/host.h"
#include "host/inventory/inventory.h"
#include "host/sriov/function.h"
#include "roce/table/roce.h"
#include "snapshot/diff/diff.h"
#include "snapshot/modules.h"
#include "snapshot/open.h"

/* The kinds of records, in the order in which they are compared and printed. */
enum side_kind {
	SIDE_DEVICES,
	SIDE_PORTS,
	SIDE_NETDEVS,
	SIDE_GIDS,
	SIDE_PKEYS,
	SIDE_CAPS,
	SIDE_FUNCTIONS,
	SIDE_SETTINGS,
	SIDE_ROCE,
	SIDE_SYSTEM,
	SIDE_MODULES,
	SIDE_VERSIONS,
	SIDE_KINDS,
};

extern const struct diff_kind side_kinds[SIDE_KINDS];

struct side_list {
	const void **rows;
	size_t count;
	bool known; /* it could be read; an empty list then means that there are none */
};

struct side {
	const char *name; /* as the user named it */
	const char *root; /* NULL: the live host */
	struct snapshot snapshot;
	struct problems problems;
	struct inventory inventory;
	struct netdev_list netdevs;
	struct function_list functions;
	struct device_settings *settings;
	struct system_settings system;
	struct roce_list roce;
	struct loaded_modules modules;
	struct component_list components;
	struct side_list lists[SIDE_KINDS];
};

/*
 * `path` NULL is the live host. Returns 0, or -errno with a message and perhaps a next step, both
 * for the caller to free. Release in the opposite order of opening: see snapshot/open.h.
 */
int side_open(struct side *side, const char *path, char **ret_message, char **ret_hint);
void side_close(struct side *side);
