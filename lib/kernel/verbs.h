/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs, loaded at run time, so that commands which need no verbs pay nothing for it and a
 * host without the library gets an answer instead of a loader error. All functions return 0 or
 * -errno; -ELIBACC means that the library is not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/value.h"

struct ibv_context;
struct verbs;
struct verbs_device;

/*
 * Loads libibverbs and lists the devices. -ENOSYS: the kernel has no uverbs. Messages of libibverbs
 * reach standard error only if this fails; otherwise verbs_warnings() has them.
 */
int verbs_open(struct verbs **ret_verbs);
void verbs_free(struct verbs *verbs); /* the devices must be closed before */
/* The messages of libibverbs while it looked for providers and devices, each cleaned. */
const struct strings *verbs_warnings(const struct verbs *verbs);

/* A device as libibverbs lists it. */
struct verbs_listed {
	const char *name; /* the kernel's name; lives as long as the list */
	uint64_t node_guid;
	int transport; /* enum ibv_transport_type */
};

/* The devices in the order of libibverbs, by number from 0. False: past the last one. */
bool verbs_listed(const struct verbs *verbs, size_t number, struct verbs_listed *ret_listed);

/*
 * Opens the device of that name. -ENODEV: libibverbs does not list it (no provider library, no
 * uverbs node); -EACCES: the uverbs node may not be opened.
 */
int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device);
void verbs_close_device(struct verbs_device *device);
/* For lib/selftest, which calls libibverbs itself. The context lives as long as the device. */
struct ibv_context *verbs_device_context(const struct verbs_device *device);

/* Version of the library in use, freed by the caller, or NULL. */
char *verbs_library_version(void);
