/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often the thread looks for progress. */
#define STEP_MSEC 250

void watch_init(struct watch *watch, const struct api *api, int channel, int signals)
{
	*watch = (struct watch){.api = api, .channel = channel, .signals = signals, .wake = -1};
}

void watch_device(struct watch *watch, struct ibv_context *context, uint32_t port)
{
	int flags = context ? fcntl(context->async_fd, F_GETFL) : -1;

	watch->context = context;
	watch->port = port;
	if (flags >= 0)
		fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK);
}

/* Reads all events; unread ones would keep their object from being destroyed. */
static void read_events(struct watch *watch)
{
	struct ibv_async_event event;

	while (!watch->api->ibv_get_async_event(watch->context, &event)) {
		if (event.event_type == IBV_EVENT_DEVICE_FATAL)
			watch->device_gone = true;
		if (event.event_type == IBV_EVENT_PORT_ERR &&
		    event.element.port_num == (int)watch->port)
			watch->port_down = true;
		watch->api->ibv_ack_async_event(&event);
	}
}

/*
 * If the driver cannot take a device away from a program that uses it (rxe and siw have no
 * disassociate_ucontext), its removal waits for the program, and there is no event; but the device
 * file has lost its name.
 */
static bool has_no_node(const struct watch *watch)
{
	struct stat node;

	return watch->context && !fstat(watch->context->cmd_fd, &node) && !node.st_nlink;
}

enum slot { SLOT_SIGNALS, SLOT_CHANNEL, SLOT_EVENTS, SLOT_OTHER, SLOTS };

static void prepare(const struct watch *watch, int other, struct pollfd polls[static SLOTS])
{
	bool events = watch->context && !watch->device_gone;

	polls[SLOT_SIGNALS] = (struct pollfd){.fd = watch->signals, .events = POLLIN};
	polls[SLOT_CHANNEL] = (struct pollfd){.fd = watch->channel, .events = POLLRDHUP};
	polls[SLOT_EVENTS].fd = events ? watch->context->async_fd : -1;
	polls[SLOT_EVENTS].events = POLLIN;
	polls[SLOT_OTHER] = (struct pollfd){.fd = other, .events = POLLIN};
	/* The near side reads the other's answer when it has finished its own part. */
	if (!watch->patient)
		polls[SLOT_CHANNEL].events |= POLLIN;
}

static enum stop judge(struct watch *watch, const struct pollfd polls[static SLOTS])
{
	if (polls[SLOT_EVENTS].revents & POLLIN)
		read_events(watch);
	else if (polls[SLOT_EVENTS].revents)
		watch->device_gone = true;
	if (polls[SLOT_SIGNALS].revents)
		watch->interrupted = true;
	if (watch->interrupted)
		return STOP_INTERRUPTED;
	if (!watch->device_gone)
		watch->device_gone = has_no_node(watch);
	if (watch->device_gone)
		return STOP_DEVICE_GONE;
	if (polls[SLOT_CHANNEL].revents & (POLLRDHUP | POLLHUP | POLLERR))
		return STOP_PEER_GONE;
	return polls[SLOT_CHANNEL].revents & POLLIN ? STOP_PEER_SPOKE : STOP_NONE;
}

enum stop watch_wait(struct watch *watch, int fd, int msec)
{
	struct pollfd polls[SLOTS] = {{0}};
	enum stop stop;
	int ready;

	prepare(watch, fd, polls);
	ready = poll(polls, SLOTS, msec);
	if (ready < 0)
		return STOP_NONE; /* EINTR */
	stop = judge(watch, polls);
	return stop || ready ? stop : STOP_TIMED_OUT;
}

enum stop watch_look(struct watch *watch)
{
	enum stop stop = watch_wait(watch, -1, 0);

	return stop == STOP_TIMED_OUT ? STOP_NONE : stop;
}

static void *follow(void *context)
{
	struct watch *watch = context;
	uint64_t last = atomic_load(&watch->progress);
	unsigned int still = 0;
	uint64_t ended;

	while (read(watch->wake, &ended, sizeof(ended)) < 0) {
		enum stop stop = watch_wait(watch, watch->wake, STEP_MSEC);
		uint64_t now = atomic_load(&watch->progress);

		if (stop == STOP_NONE)
			continue;
		still = now == last && stop == STOP_TIMED_OUT ? still + STEP_MSEC : 0;
		last = now;
		if (stop == STOP_TIMED_OUT && still < watch->still_msec)
			continue;
		atomic_store(&watch->stop, stop);
		break;
	}
	return NULL;
}

int watch_begin(struct watch *watch, unsigned int still_msec)
{
	int rc;

	atomic_store(&watch->stop, STOP_NONE);
	watch->still_msec = still_msec;
	watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->wake < 0)
		return -errno;
	rc = pthread_create(&watch->thread, NULL, follow, watch);
	if (!rc)
		return 0;
	close(watch->wake);
	return -rc;
}

enum stop watch_end(struct watch *watch)
{
	const uint64_t one = 1;

	while (write(watch->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(watch->thread, NULL);
	close(watch->wake);
	watch->wake = -1;
	return (enum stop)atomic_load(&watch->stop);
}
