/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's uevents about RDMA devices that appear, disappear and are renamed, and about their
 * verbs nodes. Any user may listen, on every kernel. Functions return 0 or -errno.
 */
#pragma once

#include <stddef.h>

#include "kernel/netlink/netlink.h"

enum uevent_action {
	UEVENT_ADD,
	UEVENT_REMOVE,
	UEVENT_RENAME, /* the kernel calls this "move" */
};

enum uevent_subject {
	UEVENT_DEVICE,	   /* an RDMA device */
	UEVENT_VERBS_NODE, /* uverbs0: removed first; a device that cannot drop its users (rxe,
			      siw) then waits until they have closed it */
};

struct uevent {
	enum uevent_action action;
	enum uevent_subject subject;
	char *kernel_name;     /* exact bytes from the kernel: any but / and NUL; not empty */
	char *old_kernel_name; /* for UEVENT_RENAME; else NULL */
};

/*
 * -EPROTONOSUPPORT: the kernel has no uevents. A network namespace only gets those of devices in it
 * (kobject_uevent_net_broadcast(), lib/kobject_uevent.c; ib_class, core/device.c).
 */
int uevent_listen(struct netlink **ret_uevents);

typedef void uevent_handler(void *context, const struct uevent *uevent);

/*
 * Passes on what has arrived, without waiting; the record is gone when the handler returns.
 * -ENOBUFS: some events were lost and the rest was passed on: look at all devices now. Other errors
 * are permanent.
 */
int uevent_read(struct netlink *uevents, uevent_handler *handle, void *context);

/* Pure function: parses a message into an empty record. -ENOMSG: it is about something else. */
int uevent_parse(const void *message, size_t length, struct uevent *uevent);
void uevent_clear(struct uevent *uevent);
