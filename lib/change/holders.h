/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * This finds who uses an RDMA device: processes that have its character devices open or own objects
 * of it, parts of the kernel, NFS mounts and NVMe controllers over RDMA, and IPoIB interfaces; and
 * daemons by their names. For the guards of settings.
 */
#pragma once

#include "change/change.h"
#include "kernel/root.h"
#include "resource/resource.h"

/*
 * Adds each user of the device that the change's object names (DEV or DEV/PORT) by
 * change_disturbs(), and what could not be looked at by change_note(). Loads no module.
 */
void change_guard_device(struct change *change);
/*
 * The numbers of the processes with that name: "7, 12". NULL: none. They are looked for once in a
 * call, because there may be many; the text is the host's.
 */
const char *change_find_processes(struct change *change, const char *name);

/* The same in parts, for tests. */

struct device_user {
	bool kernel;
	uint64_t process;
	char *command; /* of the process, or the part of the kernel; NULL if unknown */
	uint64_t counts[RESOURCE_KINDS];
	struct strings nodes; /* character devices that it has open */
};

struct device_users {
	struct device_user *items;
	size_t count;
	struct ip_address *peers; /* of connections that the kernel has */
	size_t peer_count;
	bool peers_unknown; /* not all connections of the kernel could be seen */
};

/* Counts an object of the device for its owner; what each device has by itself is left out. */
void device_users_take(struct device_users *users, enum resource_kind kind,
		       const struct resource *resource);
/* Everything that files say: open descriptors, IPoIB interfaces, mounts and controllers. */
void device_users_look(struct device_users *users, const struct root *root, const char *kernel_name,
		       struct change *change);
/* Adds a sentence for each user to the change. */
void device_users_tell(struct device_users *users, struct change *change);
void device_users_clear(struct device_users *users);
