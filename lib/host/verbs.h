/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ports, GID tables and capabilities from verbs (kernel/verbs/verbs.h). Functions that take a
 * device return 0 or -errno; the others are pure, and fill records from the structures of
 * libibverbs.
 */
#pragma once

#include "host/caps.h"
#include "host/device.h"
#include "host/port.h"

struct ibv_device_attr_ex;
struct ibv_port_attr;
struct verbs_device;

/* Fills all members for the device; `extended` means that attr has more than attr->orig_attr. */
void verbs_caps_set_device(struct caps *caps, const struct ibv_device_attr_ex *attr, bool extended);
/*
 * Sets rate, width and speed name like the kernel's rate_show() (core/sysfs.c); they stay unknown
 * for a width or speed that is not in its tables, and where NDR may mean something faster.
 */
void verbs_set_rate(struct port *port, const struct ibv_port_attr *attr);
void verbs_caps_set_port(struct port_caps *port, const struct ibv_port_attr *attr);
/* Takes an enum ibv_transport_type; the link layer of the first port identifies RoCE. */
void verbs_caps_set_transport(struct caps *caps, int type);

/* Gets the MTUs and table lengths of port->port. */
int verbs_get_port(struct verbs_device *device, struct port *port);
/*
 * Reads the GID tables of all ports in one call (ibv_query_gid_table): fills device->ports[].gids
 * with the nonempty entries, by port and index, with netdev_index. -EOPNOTSUPP: rdma-core older
 * than 32, or the kernel does not support it.
 */
int verbs_get_gids(struct verbs_device *verbs_device, struct device *device);
/*
 * Gets every limit and capability, including those of the ports; only board_id stays unknown. A
 * port that does not answer has its `error` set, and does not affect the others.
 */
int verbs_get_caps(struct verbs_device *device, struct caps *caps);
