/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /sys/class/net: the netdevs of a saved tree, and what rtnetlink does not tell of the live ones
 * (speed, dev_port, the RDMA device that a netdev stands on).
 */
#pragma once

#include "host/device.h"
#include "host/link.h"
#include "schema/problem.h"
#include "kernel/sysfs.h"

/*
 * All netdevs, as far as sysfs and /proc/net/vlan know them. 0 or -errno. What cannot be read of
 * one is a problem of that netdev, whose name is the object; which of these matter is the caller's
 * to say. A netdev that cannot be looked into is a problem, too, and not in the list.
 */
int sysfs_net_list(const struct root *root, struct link_list *list, struct problems *problems);
/* Fills speed_mbps of one link; unknown where the driver cannot tell, which is no problem. */
void sysfs_net_read_speed(const struct root *root, struct link *link, struct problems *problems);
/* The PCI function that a netdev stands on, freed by the caller; NULL for virtual netdevs. */
char *sysfs_net_pci_address(const struct root *root, const char *name);
/*
 * True if a netdev and an RDMA device (the kernel's name) stand on the very same device: those of a
 * subfunction do not stand on its PCI function itself.
 */
bool sysfs_net_is_beside(const struct root *root, const char *name, const char *rdma_device);
