/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watches RDMA devices, their ports and netdevs: opens what reports changes
 * (verbs, uevents, RDMA netlink, rtnetlink), reads everything once, and then, each time something
 * was told, only what that names. Devices that come and go are picked up and dropped. Nothing wakes
 * it when nothing happens, unless a source is missing: then it looks once a second.
 *
 * The watcher borrows the objects. Poll for what watcher_poll() lists, as long as watcher_timeout()
 * says; then watcher_step() has the events.
 */
#pragma once

#include <poll.h>

#include "host/object.h"
#include "event/event_state.h"
#include "schema/problem.h"

struct watcher;

struct watcher_options {
	const struct objects *objects;
	bool all;		 /* reports that changed nothing are events, too */
	unsigned int flap_count; /* 0: nothing is flapping */
	uint64_t flap_window_msec;
};

/*
 * 0: watching has begun, though there may be nothing to watch yet. -errno: it cannot be watched.
 * `warnings` gets what makes it worse than it should be, `notes` what was done instead of what
 * without loss.
 */
int watcher_open(const struct watcher_options *options, struct watcher **ret_watcher,
		 struct problems *warnings, struct problems *notes);
void watcher_free(struct watcher *watcher);

/* Appends what to poll for; the array is the caller's, and moves. */
void watcher_poll(const struct watcher *watcher, struct pollfd **fds, size_t *count);
/* Milliseconds until it wants to poll; -1: never. */
int watcher_timeout(const struct watcher *watcher);
/*
 * Takes in whatever was told up to now (`time`: when that was noticed) and appends the events. 0,
 * or -errno: there is nothing to watch with any more.
 */
int watcher_step(struct watcher *watcher, const struct event_time *time, struct event_list *events);

const struct event_state *watcher_state(const struct watcher *watcher);
/* Counts up whenever a device came, went or was renamed. */
unsigned int watcher_generation(const struct watcher *watcher);
/*
 * Appends what is so already, of the words (bits 1 << enum event_word) that are states:
 * device-added, port-active, port-down, netdev-attached, netdev-up, netdev-down.
 */
void watcher_tell_states(const struct watcher *watcher, uint64_t words,
			 const struct event_time *time, struct event_list *events);
