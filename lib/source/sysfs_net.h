/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /sys/class/net: the netdevs of a saved tree, and what rtnetlink does not tell of the live ones
 * (speed, dev_port, the RDMA device that a netdev stands on).
 */
#pragma once

#include "model/device.h"
#include "model/link.h"
#include "source/sysfs.h"

/* All netdevs, as far as sysfs and /proc/net/vlan know them. 0 or -errno. */
int sysfs_net_list(const struct root *root, struct link_list *list);
/* Fills speed_mbps of one link; unknown where the driver cannot tell. */
void sysfs_net_read_speed(const struct root *root, struct link *link);
/* The PCI function that a netdev stands on, freed by the caller; NULL for virtual netdevs. */
char *sysfs_net_pci_address(const struct root *root, const char *name);
