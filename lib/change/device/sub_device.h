/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sub-devices of an RDMA device, such as the planes of an mlx5 adapter for subnet management: they
 * are there ("smi mlx5_0") or absent. Linux 6.11 and later.
 */
#pragma once

#include "change/change.h"

/* Added and deleted with the name as the object; data is the parent's name, for an addition. */
extern const struct setting sub_device_setting;

/* The value of a sub-device of that type and parent, for the caller to free. */
char *sub_device_value(const char *type, const char *parent);
/* The name of an added one, which the kernel cuts; false: the change has the reason. */
bool sub_device_check(struct change *change, const char *name, const char *type,
		      const char *parent);
