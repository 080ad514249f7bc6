/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes and removes Soft-RoCE devices (rxe). 0 or -errno; both need CAP_NET_ADMIN. */
#pragma once

/*
 * A device on the netdev, by the first name of rxe0, rxe1 ... that is free; the caller frees it.
 * -EPROTONOSUPPORT: the kernel has no RDMA netlink.
 */
int software_device_add(const char *netdev, char **ret_device);
/*
 * Removes the rxe device of that name, or that of the netdev of that name; *ret_device tells which,
 * if there is one. -ENODEV: there is none.
 */
int software_device_remove(const char *name, char **ret_device);
