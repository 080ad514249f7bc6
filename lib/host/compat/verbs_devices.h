/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The devices as libibverbs lists them, in its order, with the facts that each reports when opened:
 * for personalities of tools built on libibverbs. Everything else uses host/inventory/inventory.h.
 * Nothing is reported as a problem, because the caller prints the tool's own messages.
 */
#pragma once

#include "base/cleanup.h"
#include "host/caps.h"
#include "host/device.h"
#include "kernel/verbs/verbs.h"

struct verbs_devices;

/*
 * -ENOSYS: the kernel has no uverbs and could not load it (unlike a listing, this makes it try, as
 * users of libibverbs expect); -ELIBACC: no libibverbs. `root` is a snapshot, which answers as
 * libibverbs did (-ENODATA: it does not hold this), or NULL for the live system; other saved trees
 * have no answers: -EOPNOTSUPP.
 */
int verbs_devices_open(const char *root, struct verbs_devices **ret_devices);
void verbs_devices_close(struct verbs_devices *devices);
DEFINE_CLEANUP(struct verbs_devices, verbs_devices_close)

/* Returns the messages that libibverbs has printed so far, one line per item. */
const struct strings *verbs_devices_messages(const struct verbs_devices *devices);

/* Gets a device by its number from 0. Returns false if there are no more. */
bool verbs_devices_at(const struct verbs_devices *devices, size_t number,
		      struct verbs_listed *ret_listed);

enum verbs_answer { VERBS_TOLD, VERBS_NOT_OPENED, VERBS_NOT_TOLD };

/* Facts about an open device; clear them whatever the return value. */
struct verbs_facts {
	char *board_id; /* bytes in sysfs; NULL without such a file */
	struct caps caps;
	struct device_list
		gids; /* the device, with the nonempty entries of its ports' GID tables */
};

/* Opens the device, queries it and closes it. Reads the GID tables only if `gids` is set. */
enum verbs_answer verbs_devices_read(struct verbs_devices *devices, const char *name, bool gids,
				     struct verbs_facts *facts);
void verbs_facts_clear(struct verbs_facts *facts);

/* Opens a device for its asynchronous events. The only failure, with any errno, is opening it. */
int verbs_devices_listen(struct verbs_devices *devices, const char *name,
			 struct verbs_async **ret_async);
/* Waits for events and passes them on; returns -errno when no more can come. */
int verbs_async_run(struct verbs_async *async, verbs_event_handler *handle, void *context);
