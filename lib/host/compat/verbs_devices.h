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
#include "kernel/root.h"
#include "kernel/verbs/verbs.h"

struct verbs_devices {
	struct root root;
	struct verbs *verbs;
};

/*
 * -ENOSYS: the kernel has no uverbs and could not load it (unlike a listing, this makes it try, as
 * users of libibverbs expect); -ELIBACC: no libibverbs. `root` is a snapshot, which answers as
 * libibverbs did (-ENODATA: it does not hold this), or NULL for the live system; other saved trees
 * have no answers: -EOPNOTSUPP.
 */
int verbs_devices_open(const char *root, struct verbs_devices **ret_devices);
void verbs_devices_close(struct verbs_devices *devices);
DEFINE_CLEANUP(struct verbs_devices, verbs_devices_close)

/* A failure is the bit that ibv_devinfo adds to its exit status. */
enum verbs_answer { VERBS_TOLD, VERBS_NOT_OPENED = 1, VERBS_NOT_TOLD = 2 };

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

/* Waits for events and passes them on, until no more can come. */
void verbs_async_run(struct verbs_async *async, verbs_event_handler *handle, void *context);
