/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /sys/class/infiniband (Documentation/ABI/stable/sysfs-class-infiniband): devices, ports, GID and
 * P_Key tables, and the PCI device behind an RDMA device. `needs` are the bits of model/need.h;
 * members that are known already are not read again. What cannot be read is noted in `problems`;
 * an attribute that a device simply does not have is no problem.
 */
#pragma once

#include "host/device.h"
#include "schema/problem.h"
#include "kernel/sysfs.h"

/* 0 if the kernel has the RDMA core: there is a class directory. -ENOENT: it has not. */
int sysfs_rdma_find_core(const struct root *root);
/* Appends the devices of the class directory, without ports. 0 or -errno. */
int sysfs_rdma_list(const struct root *root, struct device_list *list);
/* Adds the ports of a device, numbers only. */
void sysfs_rdma_list_ports(const struct root *root, struct device *device,
			   struct problems *problems);
/* Names only, for completion. */
int sysfs_rdma_names(const struct root *root, struct strings *ret_names);

void sysfs_rdma_read_device(const struct root *root, struct device *device, unsigned int needs,
			    struct problems *problems);
void sysfs_rdma_read_port(const struct root *root, struct port *port, unsigned int needs,
			  struct problems *problems);
/* uverbs, umad and issm nodes of all devices. */
void sysfs_rdma_read_chardevs(const struct root *root, struct device_list *list,
			      struct problems *problems);
/* The GID table: entries that are not empty, or all with `empty`. */
void sysfs_rdma_read_gids(const struct root *root, struct port *port, bool empty, bool netdevs,
			  struct problems *problems);
/* The port's first GID; unknown if it cannot be read. */
struct known_gid sysfs_rdma_first_gid(const struct root *root, const struct port *port);
/*
 * The netdev name of one GID, as the kernel tells it; NULL if it says that there is none. The
 * caller frees it. 0 or the -errno that it cannot be read with.
 */
int sysfs_rdma_gid_netdev(const struct root *root, const struct port *port, unsigned int index,
			  char **ret_name);
void sysfs_rdma_read_pkeys(const struct root *root, struct port *port, struct problems *problems);
