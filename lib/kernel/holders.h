/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes that have a character device of an RDMA device open: uverbs, umad or issm. They are
 * found by the device numbers of their open files, because a container may have the node under any
 * name, or may have removed it. The caller clears the lists. Functions return 0 or -errno.
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

/* Reads a device's nodes, given the exact bytes of its kernel name. Having none is no error. */
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
 * Finds all processes except this one, sorted by number. Misses a process that has closed the node
 * after mapping it or passing the descriptor on in a message.
 */
int holders_find(const struct root *root, const struct device_nodes *nodes,
		 struct holders *holders);
void holders_clear(struct holders *holders);
/* Closes descriptors of these nodes that this process has inherited. */
void holders_close_own(const struct device_nodes *nodes);
/* Whether processes outside of a container are invisible to this one. */
bool holders_are_confined(const struct root *root);
