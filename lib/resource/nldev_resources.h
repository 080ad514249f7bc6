/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects that the kernel tracks, by RDMA netlink (RES_*_GET, drivers/infiniband/core/nldev.c). The
 * kernel lists one kind of one device at a time, in messages of up to 32 KiB, and has no lock over
 * the whole of it: an object that comes or goes meanwhile may be missed or told twice. For queue
 * pairs it asks the hardware, one by one. Records are the caller's; their `device` and `command`
 * are left for it to fill in. Functions return 0 or -errno.
 */
#pragma once

#include "resource/resource.h"
#include "host/nldev.h"

struct nldev_resources;

int nldev_resources_open(struct nldev_resources **ret_resources);
/* For tests: over any socket that keeps datagrams apart. Takes the descriptor over. */
struct nldev_resources *nldev_resources_from_fd(int fd);
void nldev_resources_free(struct nldev_resources *resources);

/* Begins with the table of a device, given by its index; another that is under way is left. */
int nldev_resources_begin(struct nldev_resources *resources, enum resource_kind kind,
			  uint32_t device_index);
/*
 * Appends the next objects, perhaps none: up to 128 KiB of messages. *ret_done: that was all.
 * Errors end the table: -ENODEV: the device is gone; -EOPNOTSUPP: this kernel has no such table;
 * -EMSGSIZE: the kernel sends empty messages for ever, for the next object fits none; -ETIMEDOUT:
 * no answer; -EBADMSG: a message was damaged, the table came to its end all the same; any other: of
 * a driver that failed to tell of an object, and the rest of the table is missing.
 */
int nldev_resources_read(struct nldev_resources *resources, struct resource_list *list,
			 bool *ret_done);

/* Appends the numbers of objects of all devices. */
int nldev_get_resource_summary(struct nldev *nldev, struct resource_summary_list *list);

/*
 * The pure part, for tests and fuzzing: a message's attributes, at a multiple of 4, into records.
 * Unknown attributes are skipped, objects without any are left out. -EBADMSG: damaged; what came
 * before is there.
 */
int nldev_parse_resources(enum resource_kind kind, const void *attributes, size_t length,
			  struct resource_list *list);
int nldev_parse_resource_summary(const void *attributes, size_t length,
				 struct resource_summary *summary);
