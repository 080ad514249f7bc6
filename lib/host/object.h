/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects named on the command line: DEV or DEV/PORT, as in iproute2. */
#pragma once

#include "host/device.h"
#include "schema/problem.h"

struct object {
	char *device;
	int port; /* -1: all of them */
};

struct objects {
	struct object *items;
	size_t count; /* 0: everything */
};

/*
 * Parses the words; `ports` tells whether DEV/PORT is allowed. -EINVAL with a message in
 * *ret_message (the caller frees it) for the first word that is no object.
 */
int objects_parse(struct objects *objects, char *const *words, bool ports, char **ret_message);
void objects_free(struct objects *objects);
/* Leaves only the devices that the objects name, and notes as problems those that are not there. */
void objects_filter_devices(const struct objects *objects, struct device_list *list,
			    struct problems *problems);
/*
 * The same for the ports of the devices that are left. False if nothing is left at all; a device
 * whose ports are unknown may have those that are asked for, so it counts as left.
 */
bool objects_filter_ports(const struct objects *objects, struct device_list *list,
			  struct problems *problems);
