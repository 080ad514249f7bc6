/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects that the kernel tracks, from RDMA netlink (RES_*_GET, drivers/infiniband/core/nldev.c).
 * The kernel lists one kind of one device at a time, in messages of up to 32 KiB, without locking
 * the list: an object that comes or goes meanwhile may be missed or listed twice. For queue pairs
 * it queries the hardware, one by one. The caller owns the records and fills in `device` and
 * `command`. Functions return 0 or -errno.
 */
#pragma once

#include "kernel/netlink/nldev.h"
#include "resource/resource.h"

struct nldev_resources;

/* `root` is a snapshot, or NULL for the live system; it must outlive the resources. */
int nldev_resources_open(const char *root, struct nldev_resources **ret_resources);
/* For tests: uses any socket that preserves datagrams. Takes ownership of the descriptor. */
struct nldev_resources *nldev_resources_from_fd(int fd);
void nldev_resources_free(struct nldev_resources *resources);

/* Starts the table of a device, given by its index; abandons an unfinished one. */
int nldev_resources_begin(struct nldev_resources *resources, enum resource_kind kind,
			  uint32_t device_index);
/*
 * Appends the next objects, perhaps none: up to 128 KiB of messages. *ret_done is set when the
 * table is complete. Errors end the table: -ENODEV: the device is gone; -EOPNOTSUPP: this kernel
 * has no such table; -EMSGSIZE: the next object fits in no message, so that the kernel would send
 * empty ones forever; -ETIMEDOUT: no answer; -EBADMSG: a message was damaged, but the table was
 * read to its end; any other: a driver failed to describe an object, and the rest of the table is
 * missing.
 */
int nldev_resources_read(struct nldev_resources *resources, struct resource_list *list,
			 bool *ret_done);

/* Appends the object counts of all devices. */
int nldev_get_resource_summary(struct netlink *nldev, struct resource_summary_list *list);

/*
 * Parse a message's attributes, aligned to 4 bytes, into records. Unknown attributes, and objects
 * without any, are skipped. -EBADMSG if damaged; the records before the damage are kept.
 */
int nldev_parse_resources(enum resource_kind kind, const void *attributes, size_t length,
			  struct resource_list *list);
int nldev_parse_resource_summary(const void *attributes, size_t length,
				 struct resource_summary *summary);
