/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the objects that the kernel tracks on the devices of an inventory, block by block, so that
 * any number of them takes little memory. An object or a device that goes meanwhile is no problem;
 * a table that the kernel does not bring to its end is one, and the other devices are listed.
 */
#pragma once

#include "host/inventory.h"
#include "resource/processes.h"

struct resource_loader;

/*
 * Both must outlive the loader; `processes` names the holders, NULL: nobody asks for them. -errno:
 * this kernel has no RDMA netlink, or keeps it from us.
 */
int resource_loader_open(const struct inventory *inventory, const struct objects *objects,
			 struct processes *processes, struct resource_loader **ret_loader);
void resource_loader_free(struct resource_loader *loader);
/* Begins with the objects of one kind on all devices. */
void resource_loader_begin(struct resource_loader *loader, enum resource_kind kind);
/*
 * Appends the next block, perhaps empty. False: that was all. What is wrong goes to `problems`,
 * what is not worth one to `notes`.
 */
bool resource_loader_next(struct resource_loader *loader, struct resource_list *list,
			  struct problems *problems, struct problems *notes);
/* Whether the kernel knows the kind that was begun with. */
bool resource_loader_knows(const struct resource_loader *loader);

/* How many objects of each kind the devices of the inventory have, in its order. 0 or -errno. */
int resource_summaries_load(const struct inventory *inventory, struct resource_summary_list *list);
