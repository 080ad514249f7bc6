/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes and removes the software devices of a netdev (rxe, siw): CAP_NET_ADMIN. The kernel loads
 * the driver's module if it is not. 0 or -errno: -EINVAL also where there is no such driver or
 * netdev.
 */
#pragma once

#include <stdint.h>

#include "host/nldev.h"

int nldev_add_link(struct nldev *nldev, const char *device, const char *type, const char *netdev);
/* -EINVAL: it is no device of software. */
int nldev_delete_link(struct nldev *nldev, uint32_t device_index);
