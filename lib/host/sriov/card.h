/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A card: the physical function that an RDMA device or a netdev belongs to, as a directory below
 * sys/devices. Paths are relative to the root, as sysfs_read() and the like take them.
 */
#pragma once

#include "host/device.h"
#include "kernel/sysfs.h"

/*
 * The directory of what `word` names: an RDMA device, a netdev, a PCI address or a subfunction
 * (mlx5_core.sf.4). Of a software device, it is that of the netdev of its first port (of `devices`,
 * loaded with NEED_NETDEV).
 * -ENODEV: there is no such thing. The caller frees the path.
 */
int card_find(const struct root *root, const struct device_list *devices, const char *word,
	      char **ret_path);
/*
 * The nearest directory at or above `path` that has such a file; the caller frees it. -ENOENT: none
 * has.
 */
int card_find_file(const struct root *root, const char *path, const char *file, char **ret_path);
/* The netdevs of the directory; those on top of another one, such as P_Key children, are left out.
 */
void card_list_netdevs(const struct root *root, const char *path, struct strings *ret_names);
/*
 * The netdev of the function itself, and not of a representor, whose names may come before it
 * (BlueField: en3f0pf0sf0, p0): that of the first port of its RDMA device, or of one on its
 * netdevs, or the first of these. NULL: there is none. The caller frees it.
 */
char *card_own_netdev(const struct root *root, const char *path, const struct device_list *devices);
/* The RDMA devices of the directory, and the software devices on its netdevs. */
void card_list_devices(const struct root *root, const char *path, const struct device_list *devices,
		       struct strings *ret_names);
