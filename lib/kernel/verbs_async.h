/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asynchronous events of an RDMA device and its ports. They only come to those who hold a verbs
 * context of the device open, and only from then on; it needs access to the uverbs node, and
 * nothing else. The kernel loses none, but those that are close together come in any order
 * (ib_dispatch_event() queues each as work of its own, which several processors do at once): the
 * last one does not tell the state. Software RoCE says "active" twice, for the netdev that is
 * enabled and for its carrier. Functions return 0 or -errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/verbs.h"

struct verbs_async;

/*
 * enum ibv_event_type of libibverbs, which is enum ib_event_type of the kernel. Those that are not
 * here are of queue pairs and other objects: a context without any has none.
 */
enum verbs_event_type {
	VERBS_EVENT_DEVICE_FATAL = 8,
	VERBS_EVENT_PORT_ACTIVE = 9,
	VERBS_EVENT_PORT_ERR = 10,
	VERBS_EVENT_LID_CHANGE = 11,
	VERBS_EVENT_PKEY_CHANGE = 12,
	VERBS_EVENT_SM_CHANGE = 13,
	VERBS_EVENT_CLIENT_REREGISTER = 17,
	VERBS_EVENT_GID_CHANGE = 18,
	VERBS_EVENT_DEVICE_SPEED_CHANGE = 20,
};

struct verbs_event {
	unsigned int type; /* enum verbs_event_type, or one that is younger */
	unsigned int port; /* 0: of the device, or of an object of it */
};

/*
 * Opens a context of the device. `verbs` lists the devices that were there when it was opened, so
 * take a new one for a device that came later; it may be freed before this is closed. Errors are
 * those of verbs_open_device(): -ENODEV (no provider library, no uverbs node, gone), -EACCES.
 */
int verbs_async_open(struct verbs *verbs, const char *name, struct verbs_async **ret_async);
/* For tests: a descriptor that gives 16 bytes an event, as a pipe does. Takes it over. */
struct verbs_async *verbs_async_from_fd(int fd);
/* Does not wait for anything, whether the device is there or not. */
void verbs_async_close(struct verbs_async *async);
int verbs_async_fd(const struct verbs_async *async); /* for poll(): POLLIN; POLLERR: gone */
/* For queries; it lives as long as this. NULL of _from_fd(). */
struct verbs_device *verbs_async_device(struct verbs_async *async);
/* The name of the uverbs node ("uverbs0"), by which its uevent is known; NULL of _from_fd(). */
const char *verbs_async_node(const struct verbs_async *async);
/*
 * True when the uverbs node has lost its name: the device is about to go. Where the driver cannot
 * take it away from its users (rxe, siw), no event tells that, and its removal hangs until this is
 * closed: do that at once, the uevent of the node being the sign.
 */
bool verbs_async_abandoned(const struct verbs_async *async);

typedef void verbs_event_handler(void *context, const struct verbs_event *event);

/*
 * Hands on what is there, without waiting. -ENODEV: the device is gone, close it; there will be no
 * more events.
 */
int verbs_async_read(struct verbs_async *async, verbs_event_handler *handle, void *context);

/* The pure part: one event as the kernel writes it (16 bytes). -EBADMSG: it is shorter. */
int verbs_event_parse(const void *bytes, size_t length, struct verbs_event *event);
