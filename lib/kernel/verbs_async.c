/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs_async.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/verbs_library.h"

/*
 * Reads the kernel's bytes directly, without ibv_get_async_event(): that counts events of queue
 * pairs and other objects, whose destruction waits until each event is acknowledged. A context
 * without such objects has nothing to wait for.
 */
struct verbs_async {
	int fd; /* of the context */
	struct verbs_functions call;
	struct verbs_device device; /* its context is NULL in tests */
	char *node;
};

struct verbs_async *verbs_async_from_fd(int fd)
{
	struct verbs_async *async = mem_alloc_zero(1, sizeof(*async));
	int flags = fcntl(fd, F_GETFL);

	async->fd = fd;
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	return async;
}

int verbs_async_open(struct verbs *verbs, const char *name, struct verbs_async **ret_async)
{
	struct verbs_device *device;
	int error = verbs_open_device(verbs, name, &device);

	if (error)
		return error;
	*ret_async = verbs_async_from_fd(device->context->async_fd);
	(*ret_async)->call = *device->call;
	(*ret_async)->device = (struct verbs_device){&(*ret_async)->call, device->context};
	(*ret_async)->node = mem_string(device->context->device->dev_name);
	/* Its contents were copied, so that `verbs` may be freed. */
	free(device);
	return 0;
}

void verbs_async_close(struct verbs_async *async)
{
	if (!async)
		return;
	if (async->device.context)
		async->call.ibv_close_device(async->device.context);
	else
		close(async->fd);
	free(async->node);
	free(async);
}

int verbs_async_fd(const struct verbs_async *async)
{
	return async->fd;
}

struct verbs_device *verbs_async_device(struct verbs_async *async)
{
	return async->device.context ? &async->device : NULL;
}

const char *verbs_async_node(const struct verbs_async *async)
{
	return async->node;
}

bool verbs_async_abandoned(const struct verbs_async *async)
{
	struct stat node;

	return async->device.context && !fstat(async->device.context->cmd_fd, &node) &&
	       !node.st_nlink;
}

int verbs_event_parse(const void *bytes, size_t length, struct verbs_event *event)
{
	struct ib_uverbs_async_event_desc written;

	if (length < sizeof(written))
		return -EBADMSG;
	memcpy(&written, bytes, sizeof(written));
	event->type = written.event_type;
	event->port = 0;
	switch (event->type) {
	case VERBS_EVENT_PORT_ACTIVE:
	case VERBS_EVENT_PORT_ERR:
	case VERBS_EVENT_LID_CHANGE:
	case VERBS_EVENT_PKEY_CHANGE:
	case VERBS_EVENT_SM_CHANGE:
	case VERBS_EVENT_CLIENT_REREGISTER:
	case VERBS_EVENT_GID_CHANGE:
	case VERBS_EVENT_DEVICE_SPEED_CHANGE:
		/* Elsewhere it is the handle of an object (ib_uverbs_event_handler()). */
		event->port = (unsigned int)written.element;
	}
	return 0;
}

int verbs_async_read(struct verbs_async *async, verbs_event_handler *handle, void *context)
{
	uint8_t bytes[sizeof(struct ib_uverbs_async_event_desc)];
	struct verbs_event event;

	/* The kernel returns one event for each read. */
	for (;;) {
		ssize_t length = read(async->fd, bytes, sizeof(bytes));

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		/* EIO: disassociated (ib_uverbs_event_read(), uverbs_main.c). */
		if (length < 0 && errno != EIO)
			return -errno;
		if (length <= 0)
			return -ENODEV;
		if (verbs_event_parse(bytes, (size_t)length, &event))
			return -EBADMSG;
		handle(context, &event);
	}
}
