/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sub-devices of an RDMA device, such as the planes of an mlx5 adapter for subnet management: their
 * value is "smi mlx5_0", or "absent". Linux 6.11 and later.
 */
#pragma once

#include "change/change.h"

/* The types of sub-devices. */
extern const struct enum_name sub_device_types[];
/* The object is the name. */
extern const struct setting sub_device_setting;

/* Returns the value of a sub-device of that type and parent, for the caller to free. */
char *sub_device_value(const char *type, const char *parent);
/*
 * Checks type and name of a new one, as the kernel truncates names; false: the change has the
 * reason.
 */
bool sub_device_check(struct change *change, const char *name, const char *type,
		      const char *parent);
