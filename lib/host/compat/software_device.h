/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes and removes Soft-RoCE devices (rxe). Functions return 0 or -errno; both need CAP_NET_ADMIN.
 */
#pragma once

/*
 * Makes a device on the netdev, with the first free name of rxe0, rxe1 ...; the caller frees the
 * name. -EPROTONOSUPPORT: the kernel has no RDMA netlink.
 */
int software_device_add(const char *netdev, char **ret_device);
/*
 * Removes the rxe device with that name, or the one on the netdev with that name; *ret_device is
 * its name if it exists. -ENODEV: there is no such device.
 */
int software_device_remove(const char *name, char **ret_device);
