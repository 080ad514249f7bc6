/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the personalities of ibverbs-utils share. */
#pragma once

#include <stdio.h>

#include "cmd/compat/compat.h"
#include "host/verbs_devices.h"

/* The list of libibverbs, or NULL: then standard error says why in the tools' words. */
struct verbs_devices *ibv_open_list(const struct personality_call *call);

/*
 * A device as ibv_devinfo prints it, without what is before hca_id and behind the last port.
 * `ib_port` 0 means all; `verbose` is -v. Returns 0, or what the tool adds to its exit status.
 */
struct ibv_view {
	enum compat_release release;
	bool verbose;
	unsigned int ib_port;
};

int ibv_print_device(const struct ibv_view *view, const struct verbs_device_name *name,
		     const struct verbs_facts *facts);

/* `indent` tabs, "label:", and tabs up to the column of the value: 40 with one, 48 with three. */
void ibv_print_label(unsigned int indent, unsigned int column, const char *label);
/* All limits and capabilities of -v. */
void ibv_print_caps(const struct ibv_view *view, const struct caps *caps);
