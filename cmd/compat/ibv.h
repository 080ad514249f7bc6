/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the personalities of ibverbs-utils. */
#pragma once

#include <stdio.h>

#include "cmd/compat/compat.h"
#include "host/compat/verbs_devices.h"

/*
 * Prints a device as ibv_devinfo does, from hca_id to the last port. `ib_port` 0 means all;
 * `verbose` is -v. Returns 0, or the bits that the tool adds to its exit status.
 */
struct ibv_view {
	enum compat_release release;
	bool verbose;
	unsigned int ib_port;
};

int ibv_print_device(const struct ibv_view *view, const struct verbs_listed *name,
		     const struct verbs_facts *facts);

/* Prints a line: `indent` tabs, "label:", tabs up to the column of the value, and the value. */
void ibv_print(unsigned int indent, unsigned int column, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Prints all limits and capabilities of -v. */
void ibv_print_caps(const struct ibv_view *view, const struct caps *caps);
