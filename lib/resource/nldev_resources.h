/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects that the kernel tracks, by RDMA netlink (RES_*_GET, drivers/infiniband/core/nldev.c). The
 * kernel lists one kind of one device at a time, in messages of up to 32 KiB, without a lock over
 * the list: an object that comes or goes meanwhile may be missed or listed twice. For queue pairs
 * it queries the hardware, one by one. Records are the caller's, which also fills in `device` and
 * `command`. Functions return 0 or -errno.
 */
#pragma once

#include "kernel/nldev.h"
#include "resource/resource.h"

struct nldev_resources;

int nldev_resources_open(struct nldev_resources **ret_resources);
/* For tests: any socket that preserves datagrams. Takes ownership of the descriptor. */
struct nldev_resources *nldev_resources_from_fd(int fd);
void nldev_resources_free(struct nldev_resources *resources);

/* Begins with the table of a device, given by its index; abandons one that is under way. */
int nldev_resources_begin(struct nldev_resources *resources, enum resource_kind kind,
			  uint32_t device_index);
/*
 * Appends the next objects, perhaps none: up to 128 KiB of messages. *ret_done: the table is
 * complete. Errors end the table: -ENODEV: the device is gone; -EOPNOTSUPP: this kernel has no such
 * table; -EMSGSIZE: the kernel sends empty messages for ever, because the next object fits none;
 * -ETIMEDOUT: no answer; -EBADMSG: a message was damaged, but the table was read to its end; any
 * other: a driver failed to describe an object, and the rest of the table is missing.
 */
int nldev_resources_read(struct nldev_resources *resources, struct resource_list *list,
			 bool *ret_done);

/* Appends the numbers of objects of all devices. */
int nldev_get_resource_summary(struct netlink *nldev, struct resource_summary_list *list);

/*
 * The pure part: a message's attributes, at a multiple of 4, into records. Unknown attributes are
 * skipped, objects without any are left out. -EBADMSG: damaged; the records before are there.
 */
int nldev_parse_resources(enum resource_kind kind, const void *attributes, size_t length,
			  struct resource_list *list);
int nldev_parse_resource_summary(const void *attributes, size_t length,
				 struct resource_summary *summary);
