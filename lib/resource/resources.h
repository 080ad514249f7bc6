/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the objects that the kernel tracks on the devices of an inventory, in blocks, so that any
 * number of them needs little memory. An object or a device that disappears meanwhile is not a
 * problem; a table that the kernel does not complete is one, and the other devices are still
 * listed.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "resource/processes.h"

struct resource_loader;

/*
 * Both must outlive the loader; `processes` names the holders and may be NULL if names are not
 * needed. Returns 0, or -errno if this kernel has no RDMA netlink or does not permit access.
 */
int resource_loader_open(const struct inventory *inventory, const struct objects *objects,
			 struct processes *processes, struct resource_loader **ret_loader);
void resource_loader_free(struct resource_loader *loader);
/* Starts with the objects of one kind on all devices. */
void resource_loader_begin(struct resource_loader *loader, enum resource_kind kind);
/*
 * Appends the next block, perhaps empty. Returns false after the last one. Failures go to
 * `problems`, harmless ones to `notes`.
 */
bool resource_loader_next(struct resource_loader *loader, struct resource_list *list,
			  struct problems *problems, struct problems *notes);
/*
 * Counts all objects of the kinds (bits 1 << enum resource_kind) for their holders in `processes`;
 * `passes`, which may be NULL, selects. Returns the kinds that this kernel lists. A dump of queue
 * pairs queries the hardware, so only the kinds that are needed should be asked for.
 */
unsigned int
resource_loader_count(struct resource_loader *loader, struct processes *processes,
		      unsigned int kinds,
		      bool (*passes)(const void *context, const struct resource *resource),
		      const void *context, struct problems *problems, struct problems *notes);
/*
 * Counts the queue pairs and memory regions of each process, which is what a process that moves
 * data holds. The caller clears the list.
 */
void resources_of_processes(const struct inventory *inventory, const struct objects *objects,
			    struct process_usage_list *ret_usages, struct problems *problems);
/* Returns whether the kernel knows the kind that reading began with. */
bool resource_loader_knows(const struct resource_loader *loader);

/*
 * Gets the number of objects of each kind on the devices of the inventory, in its order. Returns 0
 * or -errno.
 */
int resource_summaries_load(const struct inventory *inventory, struct resource_summary_list *list);
