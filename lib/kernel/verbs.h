/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs, loaded at run time, so that commands which need no verbs pay nothing for it and a
 * host without the library gets an answer instead of a loader error. All functions return 0 or
 * -errno; -ELIBACC means that the library is not there.
 */
#pragma once

#include <stddef.h>

#include "host/caps/caps.h"
#include "host/device.h"

struct ibv_context;
struct verbs;
struct verbs_device;

/*
 * Loads libibverbs and lists the devices. -ENOSYS: the kernel has no uverbs. What libibverbs prints
 * meanwhile does not reach standard error (but in case of failure): see verbs_warnings().
 */
int verbs_open(struct verbs **ret_verbs);
void verbs_free(struct verbs *verbs); /* the devices must be closed before */
/* What libibverbs had to say while it looked for providers and devices: a message an item, clean.
 */
const struct strings *verbs_warnings(const struct verbs *verbs);

/* A device as libibverbs lists it. */
struct verbs_listed {
	const char *name; /* the kernel's; as long as the list */
	uint64_t node_guid;
	int transport; /* enum ibv_transport_type */
};

/* The devices in the order of libibverbs, by number from 0. False: there are no more. */
bool verbs_listed(const struct verbs *verbs, size_t number, struct verbs_listed *ret_listed);

/*
 * Opens the device of that name. -ENODEV: libibverbs does not list it (no provider library, no
 * uverbs node); -EACCES: the uverbs node may not be opened.
 */
int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device);
void verbs_close_device(struct verbs_device *device);
/* For lib/selftest, which calls libibverbs itself; it lives as long as the device. */
struct ibv_context *verbs_device_context(const struct verbs_device *device);

/* MTUs and table lengths of port->port. */
int verbs_get_port(struct verbs_device *device, struct port *port);
/*
 * The GID tables of all ports in one call (ibv_query_gid_table): fills device->ports[].gids with
 * the entries that are not empty, by port and index, with netdev_index. -EOPNOTSUPP: rdma-core
 * older than 32 or a kernel that cannot.
 */
int verbs_get_gids(struct verbs_device *verbs_device, struct device *device);
/*
 * Every limit and capability, the ports' included; only board_id is not verbs' to know. A port that
 * does not answer has its `error` set, the rest is there all the same.
 */
int verbs_get_caps(struct verbs_device *device, struct caps *caps);

/* Version of the library in use, for `rdmactl version`: words, or NULL. The caller frees it. */
char *verbs_library_version(void);
