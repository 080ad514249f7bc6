/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The devices as libibverbs lists them, in its order, and what each tells when it is opened: for
 * the personalities of the tools that are made of libibverbs. Everything else goes by
 * load/inventory.h. Nothing is noted as a problem: the caller has the tool's own words for it.
 */
#pragma once

#include "base/cleanup.h"
#include "host/caps.h"
#include "host/device.h"

struct verbs_devices;

/*
 * -ENOSYS: the kernel has no uverbs, and could not load it (other than a listing this makes it try:
 * as its users expect of libibverbs); -ELIBACC: no libibverbs.
 */
int verbs_devices_open(struct verbs_devices **ret_devices);
void verbs_devices_close(struct verbs_devices *devices);
DEFINE_CLEANUP(struct verbs_devices, verbs_devices_close)

/* What libibverbs has printed meanwhile, one line per item. */
const struct strings *verbs_devices_messages(const struct verbs_devices *devices);

struct verbs_device_name {
	const char *name; /* the kernel's; as long as the list */
	uint64_t node_guid;
	int transport; /* 0 InfiniBand (and RoCE), 1 iWARP, 2 usNIC, 3 usNIC UDP, 4 unspecified */
};

/* By number from 0. False: there are no more. */
bool verbs_devices_at(const struct verbs_devices *devices, size_t number,
		      struct verbs_device_name *ret_name);

enum verbs_answer { VERBS_TOLD, VERBS_NOT_OPENED, VERBS_NOT_TOLD };

/* The facts of an open device; to be cleared whatever the answer. */
struct verbs_facts {
	char *board_id; /* of sysfs, as it is; NULL: it has none */
	struct caps caps;
	struct device_list
		gids; /* the device, with the GID tables of its ports: what is not empty */
};

/* Opens the device, asks, closes it. The GID tables only with `gids`. */
enum verbs_answer verbs_devices_read(struct verbs_devices *devices, const char *name, bool gids,
				     struct verbs_facts *facts);
void verbs_facts_clear(struct verbs_facts *facts);

/*
 * A device that is open for what it tells by itself. Opening it is opening the device: whatever the
 * errno, it could not be.
 */
struct verbs_listener;

int verbs_listener_open(struct verbs_devices *devices, const char *name,
			struct verbs_listener **ret_listener);
void verbs_listener_close(struct verbs_listener *listener);
DEFINE_CLEANUP(struct verbs_listener, verbs_listener_close)

/* The descriptor that the events come by; for showing it. */
int verbs_listener_fd(const struct verbs_listener *listener);

/* `type` as of enum ibv_event_type; `port` 0 of what is not a port's. */
typedef void verbs_listener_told(void *context, unsigned int type, unsigned int port);

/* Waits for events and hands them on; returns -errno when there will be no more. */
int verbs_listener_run(struct verbs_listener *listener, verbs_listener_told *told, void *context);
