/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds who uses an RDMA device: processes that have its character devices open or own objects of
 * it, parts of the kernel, NFS mounts and NVMe controllers over RDMA, and IPoIB interfaces; and
 * finds daemons by their names. For the guards of settings.
 */
#pragma once

#include "change/change.h"
#include "kernel/root.h"
#include "resource/resource.h"

/*
 * Reports each user of the device that the object names (DEV or DEV/PORT) with change_disturbs(),
 * and what could not be examined with change_note(). Loads no module.
 */
void change_guard_device(struct change *change, const char *object);
/*
 * Returns the numbers of the processes with that name: "7, 12". NULL: none. They are searched for
 * once per call, because there may be many; the host owns the text.
 */
const char *change_find_processes(struct change *change, const char *name);

/* The parts, for tests. */

struct device_user {
	bool kernel;
	uint64_t process;
	char *command; /* process name or part of the kernel; NULL if unknown */
	uint64_t counts[RESOURCE_KINDS];
	struct strings nodes; /* character devices that it has open */
};

struct device_users {
	struct device_user *items;
	size_t count;
	struct ip_address *peers; /* of the kernel's connections */
	size_t peer_count;
	bool peers_unknown; /* not all kernel connections could be seen */
};

/* Counts an object of the device for its owner, unless every device has it by itself. */
void device_users_take(struct device_users *users, enum resource_kind kind,
		       const struct resource *resource);
/* Collects what files show: open descriptors, IPoIB interfaces, mounts and controllers. */
void device_users_look(struct device_users *users, const struct root *root, const char *kernel_name,
		       struct change *change);
/* Adds a sentence for each user to the change. */
void device_users_tell(struct device_users *users, struct change *change);
void device_users_clear(struct device_users *users);
