/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watches RDMA devices, their ports and netdevs: opens the sources that report changes (verbs,
 * uevents, RDMA netlink, rtnetlink), reads everything once, and after each report only the objects
 * that it names. Devices that come and go are picked up and dropped. Without changes it does not
 * wake up, unless a source is missing: then it polls once a second.
 *
 * The watcher borrows the objects. Poll for the descriptors of watcher_poll(), for at most
 * watcher_timeout(); then watcher_step() returns the events.
 */
#pragma once

#include <poll.h>

#include "host/object.h"
#include "event/event_state.h"
#include "schema/problem.h"

struct watcher;

struct watcher_options {
	const struct objects *objects;
	bool all;		 /* also make events of reports that changed nothing */
	unsigned int flap_count; /* 0 disables flapping */
	uint64_t flap_window_msec;
};

/*
 * Returns 0 if watching has begun, though there may be nothing to watch yet, or -errno if it is
 * impossible. `warnings` gets the limitations, `notes` the fallbacks that lose nothing.
 */
int watcher_open(const struct watcher_options *options, struct watcher **ret_watcher,
		 struct problems *warnings, struct problems *notes);
void watcher_free(struct watcher *watcher);

/* Appends the descriptors to poll; the caller owns the array, which may move. */
void watcher_poll(const struct watcher *watcher, struct pollfd **fds, size_t *count);
/* Milliseconds until the watcher has to poll by itself; -1 for never. */
int watcher_timeout(const struct watcher *watcher);
/*
 * Processes the reports received so far (`time` is when poll returned) and appends the events.
 * Returns 0, or -errno if no source is left to watch.
 */
int watcher_step(struct watcher *watcher, const struct event_time *time, struct event_list *events);

const struct event_state *watcher_state(const struct watcher *watcher);
/* A number that increases whenever a device came, went or was renamed. */
unsigned int watcher_generation(const struct watcher *watcher);
/*
 * Appends the present states among the words (bits 1 << enum event_word): device-added,
 * port-active, port-down, netdev-attached, netdev-up, netdev-down.
 */
void watcher_report_states(const struct watcher *watcher, uint64_t words,
			   const struct event_time *time, struct event_list *events);
