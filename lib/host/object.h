/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects named on the command line: DEV or DEV/PORT, as in iproute2. */
#pragma once

#include "host/device.h"
#include "kernel/root.h"
#include "schema/problem.h"

/* The problem with a named device that does not exist. */
#define OBJECT_NO_DEVICE "no such RDMA device"

struct object {
	char *device;
	int port; /* -1 for all ports */
};

struct objects {
	struct object *items;
	size_t count;		 /* 0 for all */
	bool ports;		 /* DEV/PORT is allowed */
	struct strings excluded; /* devices to skip, before any of their files is read */
};

/*
 * Parses the words; `ports` says whether DEV/PORT is allowed. Returns -EINVAL for the first word
 * that is not an object, with a message in *ret_message (the caller frees it).
 */
int objects_parse(struct objects *objects, char *const *words, bool ports, char **ret_message);
void objects_free(struct objects *objects);
/* Whether it is this device: people type the name that they see, scripts may have the kernel's. */
bool object_names(const struct object *object, const struct device *device);
/*
 * Returns the next step after a word that is none of these names, for the caller to free: what
 * else the word is below `root` (or NULL), such as a netdev or the GUID of a device; the name that
 * was probably meant; all names; or `otherwise`, if they are too many.
 */
char *object_suggest(const struct root *root, const char *word, const char *const *names,
		     size_t count, const char *otherwise);
/*
 * Keeps only devices that the objects name, and reports missing ones as problems. `root`, or NULL,
 * is where to check whether a word is a netdev rather than a device.
 */
void objects_filter_devices(const struct objects *objects, struct device_list *list,
			    const struct root *root, struct problems *problems);
/*
 * Does the same for the ports of the remaining devices. Returns false if nothing is left; a device
 * whose ports are unknown may have the requested ones, so it counts as left.
 */
bool objects_filter_ports(const struct objects *objects, struct device_list *list,
			  struct problems *problems);
