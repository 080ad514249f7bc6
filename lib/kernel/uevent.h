/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's own messages (uevents) on RDMA devices that come, go and get another name, and on
 * their verbs nodes. Any user may listen, on every kernel. The monitor owns its descriptor;
 * functions return 0 or -errno.
 */
#pragma once

#include <stddef.h>

struct uevent_monitor;

enum uevent_action {
	UEVENT_ADD,
	UEVENT_REMOVE,
	UEVENT_RENAME, /* the kernel's word is "move" */
};

enum uevent_subject {
	UEVENT_DEVICE,	   /* an RDMA device */
	UEVENT_VERBS_NODE, /* uverbs0: its removal comes first, and a device that cannot let go of
			      its users (rxe, siw) waits then until they have closed it */
};

struct uevent {
	enum uevent_action action;
	enum uevent_subject subject;
	char *kernel_name;     /* as the kernel has it, any byte but / and NUL; not empty */
	char *old_kernel_name; /* of UEVENT_RENAME; else NULL */
};

/* -EPROTONOSUPPORT: the kernel has no uevents. Other network namespaces hear of the same devices.
 */
int uevent_monitor_open(struct uevent_monitor **ret_monitor);
/* For tests: any socket that keeps datagrams apart. Takes the descriptor over. */
struct uevent_monitor *uevent_monitor_from_fd(int fd);
void uevent_monitor_free(struct uevent_monitor *monitor);
int uevent_monitor_fd(const struct uevent_monitor *monitor); /* for poll(): POLLIN */

typedef void uevent_handler(void *context, const struct uevent *uevent);

/*
 * Hands on what is there, without waiting; the record is gone when the handler returns. -ENOBUFS:
 * some were lost, the rest was handed on: look at all devices now. Other errors are for good.
 */
int uevent_monitor_read(struct uevent_monitor *monitor, uevent_handler *handle, void *context);

/*
 * The pure part: one message of the kernel into an empty record. -ENOMSG: it is of something else.
 */
int uevent_parse(const void *message, size_t length, struct uevent *uevent);
void uevent_clear(struct uevent *uevent);
