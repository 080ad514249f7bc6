/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A card: the physical function that an RDMA device or a netdev belongs to, as a directory below
 * sys/devices. Paths are relative to the root, as in sysfs_read() and the like.
 */
#pragma once

#include "host/device.h"
#include "kernel/sysfs.h"

/*
 * Finds the directory for `word`: an RDMA device, a netdev, a PCI address or a subfunction
 * (mlx5_core.sf.4). For a software device, this is the directory of its first port's netdev (from
 * `devices`, loaded with NEED_NETDEV). -ENODEV: nothing has that name. The caller frees the path.
 */
int card_find(const struct root *root, const struct device_list *devices, const char *word,
	      char **ret_path);
/*
 * Finds the nearest directory at or above `path` that has such a file; the caller frees it.
 * -ENOENT: there is none.
 */
int card_find_file(const struct root *root, const char *path, const char *file, char **ret_path);
/* Lists the netdevs of the directory, without those on top of another, such as P_Key children. */
void card_list_netdevs(const struct root *root, const char *path, struct strings *ret_names);
/*
 * Returns the netdev of the function itself rather than of a representor, whose name may sort first
 * (BlueField: en3f0pf0sf0, p0): that of the first port of its RDMA device, or of a software device
 * on its netdevs, or the first netdev. NULL: there is none. The caller frees it.
 */
char *card_own_netdev(const struct root *root, const char *path, const struct device_list *devices);
/* Lists the RDMA devices of the directory, and the software devices on its netdevs. */
void card_list_devices(const struct root *root, const char *path, const struct device_list *devices,
		       struct strings *ret_names);
