/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs, loaded at run time, so that commands which need no verbs pay nothing for it, and a
 * host without the library gets an explanation instead of a loader error. All functions return 0 or
 * -errno; -ELIBACC and -ELIBBAD are those of library_open().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/value.h"

struct ibv_context;
struct root;
struct verbs;
struct verbs_device;

/*
 * Loads libibverbs and lists the devices. `root`: a snapshot answers as libibverbs did on its host,
 * or with -ENODATA; NULL is the live system. -ENOSYS: the kernel has no uverbs; -EMFILE: this
 * process may open too few files; -EOPNOTSUPP: a saved tree has no answers. Messages of libibverbs
 * reach standard error only if this fails; otherwise verbs_warnings() has them.
 */
int verbs_open(const struct root *root, struct verbs **ret_verbs);
void verbs_free(struct verbs *verbs); /* close all devices before */
/* Returns libibverbs' messages from looking for providers and devices, each of them cleaned. */
const struct strings *verbs_warnings(const struct verbs *verbs);

/* A device as libibverbs lists it. */
struct verbs_listed {
	const char *name; /* the kernel's name; lives as long as the list */
	uint64_t node_guid;
	int transport; /* enum ibv_transport_type */
};

/* Returns 0, or -ENODATA: an older snapshot lacks the list of devices, which then seems empty. */
int verbs_check_list(const struct verbs *verbs);
/* Returns a device by its number from 0, in the order of libibverbs. False: past the last one. */
bool verbs_listed(const struct verbs *verbs, size_t number, struct verbs_listed *ret_listed);

/*
 * Opens a device by name, which must live as long as *ret_device. -ENODEV: libibverbs does not list
 * it (no provider library, no uverbs node); -EACCES: no permission to open the uverbs node.
 */
int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device);
void verbs_close_device(struct verbs_device *device);
/*
 * Checks whether the kernel, the driver and the library can register the memory of a dma-buf. Tries
 * the invalid descriptor -1: returns 0 if that is why it fails (EBADF), -EOPNOTSUPP if the device
 * cannot, else the -errno of another failure.
 */
int verbs_probe_dmabuf(const struct verbs_device *device);
/* For lib/selftest, which calls libibverbs itself. The context lives as long as the device. */
struct ibv_context *verbs_device_context(const struct verbs_device *device);

/*
 * Returns the name of the provider for the devices of a kernel module: mlx5 for mlx5_ib, hfi1verbs
 * for hfi1. NULL: none exists, or none is known.
 */
const char *verbs_provider(const char *module);
/* Whether it is the name of such a provider. */
bool verbs_is_provider(const char *name);

/*
 * Asynchronous events of an RDMA device and its ports. They are sent only to an open verbs context
 * of the device, from then on; that takes access to the uverbs node, and no other privilege. The
 * kernel loses none, but events in quick succession arrive in any order (ib_dispatch_event() queues
 * each as separate work, which several processors run at once): the last one does not tell the
 * state. Software RoCE reports "active" twice, for enabling the netdev and for its carrier.
 */
struct verbs_async;

/*
 * Values of enum ibv_event_type of libibverbs, which match enum ib_event_type of the kernel. The
 * omitted ones concern queue pairs and other objects; a context without objects gets none of them.
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
	unsigned int type; /* enum verbs_event_type, or a newer one */
	unsigned int port; /* 0: the event is about the device, or one of its objects */
};

/*
 * Opens a context of the device. `verbs` lists the devices that existed when it was opened, so open
 * a new one for a later device; it may be freed before *ret_async is closed. Errors are those of
 * verbs_open_device(): -ENODEV (no provider library, no uverbs node, gone), -EACCES.
 */
int verbs_async_open(struct verbs *verbs, const char *name, struct verbs_async **ret_async);
/* For tests: reads 16 bytes per event from a descriptor, such as a pipe. Takes ownership of it. */
struct verbs_async *verbs_async_from_fd(int fd);
/* Never waits, whether or not the device still exists. */
void verbs_async_close(struct verbs_async *async);
int verbs_async_fd(const struct verbs_async *async); /* for poll(): POLLIN; POLLERR: device gone */
/* For queries; lives as long as `async`. NULL after _from_fd(). */
struct verbs_device *verbs_async_device(struct verbs_async *async);
/* Returns the uverbs node's name ("uverbs0"), as in its uevents; NULL after _from_fd(). */
const char *verbs_async_node(const struct verbs_async *async);
/*
 * True when the uverbs node has lost its name: the device is being removed. If its driver cannot
 * disconnect users (rxe, siw), no event reports that, and the removal blocks until `async` is
 * closed: close it as soon as the node's uevent arrives.
 */
bool verbs_async_abandoned(const struct verbs_async *async);

typedef void verbs_event_handler(void *context, const struct verbs_event *event);

/*
 * Passes on what has arrived, without waiting. -ENODEV: the device is gone and sends no more
 * events; close `async`.
 */
int verbs_async_read(struct verbs_async *async, verbs_event_handler *handle, void *context);

/* Pure function: parses one event of 16 bytes, as the kernel writes it. -EBADMSG: it is shorter. */
int verbs_event_parse(const void *bytes, size_t length, struct verbs_event *event);
