/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes that have a character device of an RDMA device open: uverbs, umad or issm. They are
 * found by the device numbers of what they have open, because a container may have the node under
 * any name, or none any more. The caller clears the lists. Functions return 0 or -errno.
 */
#pragma once

#include "kernel/root.h"
#include "schema/value.h"

struct device_node {
	char *name; /* uverbs0 */
	unsigned int major, minor;
};

struct device_nodes {
	struct device_node *items;
	size_t count;
};

/* Reads the nodes of a device, given by the kernel's bytes of its name. None is no error. */
int device_nodes_read(const struct root *root, const char *kernel_name, struct device_nodes *nodes);
void device_nodes_clear(struct device_nodes *nodes);

struct holder {
	uint64_t process;
	char *command;	      /* NULL if unknown */
	struct strings nodes; /* names, each once */
};

struct holders {
	struct holder *items;
	size_t count;
	size_t hidden; /* processes whose descriptors this user may not see */
};

/*
 * All processes but this one, by number. Whoever maps a node or has passed it on in a message,
 * and has closed it, is not found.
 */
int holders_find(const struct root *root, const struct device_nodes *nodes,
		 struct holders *holders);
void holders_clear(struct holders *holders);
/* Closes what this process has inherited of them. */
void holders_close_own(const struct device_nodes *nodes);
/* Whether processes outside of a container are invisible to this one. */
bool holders_are_confined(const struct root *root);
