/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* How often the thread checks for progress. */
#define PROGRESS_CHECK_MSEC 250

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

static void note_event(struct watch *watch, const struct ibv_async_event *event)
{
	const bool ours = event->element.port_num == (int)watch->port;

	if (event->event_type == IBV_EVENT_CQ_ERR)
		watch->queue_error = EOVERFLOW;
	if (event->event_type == IBV_EVENT_SRQ_ERR)
		watch->queue_error = ENOTRECOVERABLE;
	if (event->event_type == IBV_EVENT_DEVICE_FATAL)
		watch->device_gone = true;
	if (event->event_type == IBV_EVENT_PORT_ERR && ours)
		watch->port_down = watch->stays_down = true;
	if (event->event_type == IBV_EVENT_PORT_ACTIVE && ours)
		watch->stays_down = false;
}

/* Reads all events; unread ones would keep their objects from being destroyed. */
static void read_events(struct watch *watch)
{
	struct ibv_async_event event;

	while (!watch->api->ibv_get_async_event(watch->context, &event)) {
		note_event(watch, &event);
		watch->api->ibv_ack_async_event(&event);
	}
}

/*
 * Detects a device that is being removed although its driver cannot take it away from a program
 * that uses it (rxe and siw have no disassociate_ucontext). The removal waits for the program, and
 * there is no event; but the device node has lost its name.
 */
static bool has_no_node(const struct watch *watch)
{
	struct stat node;

	return watch->context && !fstat(watch->context->cmd_fd, &node) && !node.st_nlink;
}

enum slot { SLOT_SIGNALS, SLOT_CHANNEL, SLOT_EVENTS, SLOT_OTHER, SLOTS };

static void prepare(const struct watch *watch, int other, short wanted,
		    struct pollfd polls[static SLOTS])
{
	bool events = watch->context && !watch->device_gone;

	polls[SLOT_SIGNALS] = (struct pollfd){.fd = watch->signals, .events = POLLIN};
	polls[SLOT_CHANNEL] = (struct pollfd){.fd = watch->channel, .events = POLLRDHUP};
	polls[SLOT_EVENTS].fd = events ? watch->context->async_fd : -1;
	polls[SLOT_EVENTS].events = POLLIN;
	polls[SLOT_OTHER] = (struct pollfd){.fd = other, .events = wanted};
	/* The near side reads the other's reply when it has finished its own part. */
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

static enum stop wait_for(struct watch *watch, int fd, short events, int msec)
{
	struct pollfd polls[SLOTS] = {{0}};
	enum stop stop;
	int ready;

	prepare(watch, fd, events, polls);
	ready = poll(polls, SLOTS, msec);
	if (ready < 0)
		return STOP_NONE; /* EINTR */
	stop = judge(watch, polls);
	return stop || ready ? stop : STOP_TIMED_OUT;
}

enum stop watch_wait(struct watch *watch, int fd, int msec)
{
	return wait_for(watch, fd, POLLIN, msec);
}

enum stop watch_look(struct watch *watch)
{
	enum stop stop = watch_wait(watch, -1, 0);

	return stop == STOP_TIMED_OUT ? STOP_NONE : stop;
}

/*
 * A step of the clock that is longer than the wait counts only as the wait: while this process was
 * stopped (Ctrl-Z, a paused guest), its loop could not progress.
 */
static uint64_t awake_msec(uint64_t since_msec, uint64_t now_msec)
{
	const uint64_t step = now_msec - since_msec;

	return step < PROGRESS_CHECK_MSEC ? step : PROGRESS_CHECK_MSEC;
}

static void *follow(void *context)
{
	struct watch *watch = context;
	uint64_t last = atomic_load(&watch->progress), looked = clock_msec(), still = 0;
	uint64_t ended;

	while (read(watch->wake, &ended, sizeof(ended)) < 0) {
		const uint64_t now = clock_msec(), progress = atomic_load(&watch->progress);
		enum stop stop;
		bool late;

		still = progress == last ? still + awake_msec(looked, now) : 0;
		last = progress;
		looked = now;
		/* Events that end nothing must not put off the end. */
		late = (watch->most_msec && now >= watch->end_msec) || still >= watch->still_msec;
		stop = late ? STOP_TIMED_OUT : watch_wait(watch, watch->wake, PROGRESS_CHECK_MSEC);
		if (stop == STOP_NONE || (stop == STOP_TIMED_OUT && !late))
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
	watch->end_msec = clock_msec() + watch->most_msec;
	watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->wake < 0)
		return -errno;
	rc = pthread_create(&watch->thread, NULL, follow, watch);
	if (!rc)
		return 0;
	close(watch->wake);
	watch->wake = -1;
	return -rc;
}

enum stop watch_end(struct watch *watch)
{
	const uint64_t one = 1;

	if (watch->wake < 0)
		return (enum stop)atomic_load(&watch->stop);
	while (write(watch->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(watch->thread, NULL);
	close(watch->wake);
	watch->wake = -1;
	return (enum stop)atomic_load(&watch->stop);
}

/* How often a server that waits for clients checks that its device still exists. */
#define ACCEPT_CHECK_MSEC 1000

int watch_error(enum stop stop)
{
	static const int errors[] = {
		[STOP_TIMED_OUT] = ETIMEDOUT,  [STOP_INTERRUPTED] = EINTR,
		[STOP_PEER_GONE] = ECONNRESET, [STOP_PEER_SPOKE] = ECANCELED,
		[STOP_DEVICE_GONE] = ENODEV,
	};

	return -errors[stop];
}

/* Waits for events of a socket, which may not have come although this returns 0. */
static int wait_until(struct watch *watch, int fd, short events, uint64_t end_msec)
{
	const int left = clock_msec_until(end_msec);

	return left ? watch_error(wait_for(watch, fd, events, left)) : -ETIMEDOUT;
}

static socklen_t address_length(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
					     : sizeof(struct sockaddr_in6);
}

int tcp_connect(struct watch *watch, const struct sockaddr_storage *address,
		const struct sockaddr_storage *source, unsigned int msec, int *ret_fd)
{
	_cleanup_(closep) int fd = socket(address->ss_family,
					  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const uint64_t end_msec = clock_msec() + msec;

	if (fd < 0)
		return -errno;
	if (source && bind(fd, (const struct sockaddr *)source, address_length(source)))
		return -errno;
	/* Called again, it tells whether the connection has been made. */
	while (connect(fd, (const struct sockaddr *)address, address_length(address)) &&
	       errno != EISCONN) {
		int rc = errno == EINPROGRESS || errno == EALREADY
				 ? wait_until(watch, fd, POLLOUT, end_msec)
				 : -errno;

		if (rc)
			return rc;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int tcp_accept(struct watch *watch, int listener, int *ret_fd, struct sockaddr_storage *ret_address)
{
	for (;;) {
		struct sockaddr_storage address = {0};
		socklen_t length = sizeof(address);
		int fd = accept4(listener, (struct sockaddr *)&address, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		int rc;

		if (fd >= 0) {
			socket_keep_alive(fd);
			*ret_fd = fd;
			*ret_address = address;
			return 0;
		}
		/* Other errors belong to the new connection, accept(2). */
		if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EOPNOTSUPP)
			return -errno;
		/* A client that cannot be accepted yet would end each wait at once. */
		rc = watch_error(watch_wait(watch, socket_is_exhausted(errno) ? -1 : listener,
					    ACCEPT_CHECK_MSEC));
		if (rc && rc != -ETIMEDOUT)
			return rc;
	}
}

/* Transfers exactly `length` bytes into `in` or, if that is NULL, out of `out`. */
static int transfer(struct watch *watch, int fd, char *in, const char *out, size_t length,
		    unsigned int msec)
{
	uint64_t end = clock_msec() + msec;
	size_t done = 0;

	while (done < length) {
		const size_t left = length - done;
		ssize_t moved = in ? recv(fd, in + done, left, MSG_DONTWAIT)
				   : send(fd, out + done, left, MSG_DONTWAIT | MSG_NOSIGNAL);
		int rc;

		if (moved == 0 && in)
			return -ECONNRESET;
		if (moved >= 0) {
			done += (size_t)moved;
			continue;
		}
		if (socket_is_given_up(errno))
			return -EHOSTDOWN;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		rc = wait_until(watch, fd, in ? POLLIN : POLLOUT, end);
		if (rc)
			return rc;
	}
	return 0;
}

int tcp_read(struct watch *watch, int fd, void *bytes, size_t length, unsigned int msec)
{
	return transfer(watch, fd, bytes, NULL, length, msec);
}

int tcp_write(struct watch *watch, int fd, const void *bytes, size_t length, unsigned int msec)
{
	return transfer(watch, fd, NULL, bytes, length, msec);
}
