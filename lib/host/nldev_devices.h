/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices and ports from RDMA netlink (kernel/netlink/nldev.h), in a few messages and without
 * privileges. All functions return 0 or -errno, and fill only members that are still unknown.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/device.h"
#include "kernel/netlink/nldev.h"

/* Lists all devices visible in this network namespace, each with its ports (numbers only). */
int nldev_get_devices(struct netlink *nldev, struct device_list *list);
/*
 * Like nldev_get_devices(), but repeats the dump once if the class directory has a device that is
 * missing from the result: the kernel resumes by count after each device (_nldev_get_dumpit(),
 * core/nldev.c), and so skips one if an earlier one is meanwhile removed or moved to another
 * network namespace.
 */
int nldev_list_devices(struct netlink *nldev, const struct root *root, struct device_list *list);

/*
 * Called, unless NULL, for a port whose query failed, with the kernel's explanation (cleaned), or
 * NULL. -ENODEV means that the device is gone.
 */
typedef void nldev_port_failed(void *context, const struct port *port, int error, const char *text);

/*
 * Fills state, LIDs, capability mask, subnet prefix and netdev of all ports of the listed devices
 * (those with an index). A failing port does not stop the others; in the end every port is filled
 * or has failed.
 */
void nldev_get_ports(struct netlink *nldev, struct device_list *list, nldev_port_failed *failed,
		     void *context);

/*
 * Sends `command` for every port of the listed devices that have an index, in batches. `take` gets
 * the attributes of each reply, a table of NLDEV_ATTR_KNOWN, and returns 0 or -errno; `failed` is
 * called for the ports that `take` or the kernel refuses. Each port is either taken once or has
 * failed.
 */
typedef int nldev_take(void *context, struct port *port, struct nlattr *const *table);

void nldev_ask_ports(struct netlink *nldev, const struct device_list *list, unsigned int command,
		     nldev_take *take, nldev_port_failed *failed, void *context);

/*
 * Fills in the verbs side of all devices whose driver is unknown: `uverbs` (uverbs0) and
 * `driver_id`, which stay unknown without a reply. The kernel tries to load ib_uverbs for this.
 */
void nldev_get_uverbs(struct netlink *nldev, struct device_list *list);

/*
 * Adds and deletes the software devices of a netdev (rxe, siw), which requires CAP_NET_ADMIN. The
 * kernel loads the driver's module. -EINVAL: the driver or netdev does not exist, or the device to
 * delete is not a software device.
 */
int nldev_add_link(struct netlink *nldev, const char *device, const char *type, const char *netdev);
int nldev_delete_link(struct netlink *nldev, uint32_t device_index);

/*
 * Pure functions, for tests and fuzzing: parse one message's attributes (everything after the
 * netlink header) into a record. Unknown attributes are skipped; a damaged message gives -EBADMSG
 * and leaves the record unchanged or partly filled. The attributes are aligned to 4 bytes.
 */
int nldev_parse_device(const void *attributes, size_t length, struct device *device,
		       unsigned int *ret_port_count);
int nldev_parse_port(const void *attributes, size_t length, struct port *port);
