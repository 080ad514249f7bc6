/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMA netlink (drivers/infiniband/core/nldev.c): devices and ports in a few messages, for any
 * user. Opening the socket makes the kernel load ib_core: look for the class directory first. All
 * functions return 0 or -errno; records are filled where they are still unknown.
 */
#pragma once

#include <stddef.h>

#include "host/device.h"

struct nldev;

/* -EPROTONOSUPPORT: this kernel has no RDMA netlink. */
int nldev_open(struct nldev **ret_nldev);
/* For tests: over any socket that keeps datagrams apart. Takes the descriptor over. */
struct nldev *nldev_from_fd(int fd);
void nldev_free(struct nldev *nldev);

/* Appends all devices visible in this network namespace, each with its ports (numbers only). */
int nldev_get_devices(struct nldev *nldev, struct device_list *list);

/*
 * Fills state, LIDs, capability mask, subnet prefix and netdev of all ports of the listed devices
 * (those with an index). A port that fails does not stop the others: `failed` is called for it,
 * with the kernel's words if it had any (cleaned; NULL if not); -ENODEV means that the device is
 * gone. Afterwards every port is filled or failed.
 */
typedef void nldev_port_failed(void *context, const struct port *port, int error, const char *text);

void nldev_get_ports(struct nldev *nldev, struct device_list *list, nldev_port_failed *failed,
		     void *context);

/*
 * The verbs side of all devices that have no driver yet: `uverbs` (uverbs0) and `driver_id`. What
 * does not answer stays unknown. The kernel loads ib_uverbs for this if it can.
 */
void nldev_get_uverbs(struct nldev *nldev, struct device_list *list);

/*
 * The pure part, for tests and fuzzing: one message's attributes (all that follows the netlink
 * header) into a record. Unknown attributes are skipped; a damaged message gives -EBADMSG and
 * leaves the record as it was or filled in part. The attributes start at a multiple of 4.
 */
int nldev_parse_device(const void *attributes, size_t length, struct device *device,
		       unsigned int *ret_port_count);
int nldev_parse_port(const void *attributes, size_t length, struct port *port);
