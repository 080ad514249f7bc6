/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watches RDMA devices, their ports and netdevs: opens the sources that report changes (verbs,
 * uevents, RDMA netlink, rtnetlink), reads everything once, and after each report only the objects
 * that it names. Devices that come and go are picked up and dropped. Without changes it does not
 * wake up, unless a source is missing or a port could not be read: then it polls once a second.
 *
 * The watcher borrows the objects. Poll for the descriptors of watcher_poll(), for at most
 * watcher_timeout(); then watcher_step() returns the events.
 */
#pragma once

#include <poll.h>

#include "event/event_state.h"
#include "host/nldev_devices.h"
#include "host/object.h"
#include "host/rtnl.h"
#include "kernel/netlink/nldev.h"
#include "kernel/netlink/uevent.h"
#include "kernel/verbs/verbs.h"
#include "schema/problem.h"

struct watcher;

struct watcher_options {
	/*
	 * A saved tree, or NULL. Nothing reports its changes: it is polled, and has no netdevs,
	 * addresses, GIDs or asynchronous events.
	 */
	const char *root;
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
/*
 * Returns the milliseconds until watcher_step() has something to do even without a report; -1 for
 * never.
 */
int watcher_timeout(const struct watcher *watcher);
/*
 * Processes the reports received so far (`time` is when poll returned) and appends the events.
 * Returns 0, or -errno if no source is left to watch.
 */
int watcher_step(struct watcher *watcher, const struct event_time *time, struct event_list *events);

const struct event_state *watcher_state(const struct watcher *watcher);
/* Returns a number that increases whenever a device comes, goes or is renamed. */
unsigned int watcher_generation(const struct watcher *watcher);
/*
 * Appends the current states that are among the words (bits 1 << enum event_word): device-added,
 * port-active, port-down, netdev-attached, netdev-up, netdev-down.
 */
void watcher_report_states(const struct watcher *watcher, uint64_t words,
			   const struct event_time *time, struct event_list *events);

/* Internals that the files of the watcher share; nothing outside lib/event/watcher*.c uses them. */

struct watched {
	struct tracked_device *tracked;
	struct number index;	   /* RDMA netlink's index */
	char *protocol;		   /* RDMA netlink's word, or NULL */
	bool listed;		   /* found in the list of devices, and its ports are known */
	struct verbs_async *async; /* NULL if it cannot be opened, or was removed */
};

/* A uevent of a device, kept until all sources are read. */
struct device_news {
	enum uevent_action action;
	char *kernel_name, *old_kernel_name;
};

struct watcher {
	struct watcher_options options;
	struct event_state state;
	struct watched *devices;
	size_t device_count;
	struct root root;
	struct netlink *nldev; /* NULL before RDMA is loaded, or without netlink: sysfs is used */
	struct netlink *uevents;
	struct netlink *nldev_monitor;
	struct netlink *rtnl_monitor;
	struct device_news *news;
	size_t news_count;
	bool devices_stale; /* the list of devices has to be read */
	enum event_source devices_source;
	bool netdevs_stale; /* netdevs could not be read: polled until they can */
	bool nodes_stale;   /* a verbs node came: devices that could not be opened may open now */
	unsigned int lost;  /* bits 1 << enum event_source: sources that lost messages */
	uint64_t next_poll_msec;
	unsigned int generation;
	struct event_time time;		   /* of this step */
	struct event_list *events;	   /* of this step; NULL if events are not wanted */
	struct problems *warnings, *notes; /* only while opening; else NULL */
};

struct event_cause watcher_cause(const struct watcher *watcher, enum event_source source);
void watcher_mark_port(struct tracked_port *port, unsigned int stale, enum event_source source);
/*
 * Takes the complete lists of netdevs and addresses. Returns 0, or -EAGAIN, with nothing taken, if
 * some may be missing because they changed while being read: anything not in the lists would count
 * as gone.
 */
int watcher_take_netdevs(struct watcher *watcher, const struct link_list *links,
			 const struct link_address_list *addresses, enum event_source source);
/* Takes the changes of netdevs and addresses that the kernel has reported so far. */
void watcher_read_notices(struct watcher *watcher);

/* Keeps the uevents that the kernel has sent so far. */
void watcher_read_uevents(struct watcher *watcher);

/*
 * watcher_devices.c: updates the known devices from the uevents and the kernel's list; returns 0 or
 * -errno.
 */
int watcher_read_devices(struct watcher *watcher, enum event_source source);
/* Opens the verbs context of each device that has none. */
void watcher_open_contexts(struct watcher *watcher);
void watcher_close_node(struct watcher *watcher, const char *node);
void watcher_close_abandoned(struct watcher *watcher);
void watcher_read_async(struct watcher *watcher, struct watched *watched);
void watched_clear(struct watched *watched);

/* watcher_read.c: reads what is stale and compares it. */
void watcher_refresh(struct watcher *watcher);
