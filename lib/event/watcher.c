/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/watcher.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "mad/format/codes.h"

/* The polling interval for changes that no source reports. */
#define POLL_MSEC 1000

struct event_cause watcher_cause(const struct watcher *watcher, enum event_source source)
{
	return (struct event_cause){
		.time = watcher->time,
		.source = source,
		.all = watcher->options.all,
		.events = watcher->events,
	};
}

/*
 * The first source to report is named, except that verbs, the closest to the port, take precedence.
 */
void watcher_mark_port(struct tracked_port *port, unsigned int stale, enum event_source source)
{
	if (!port->stale || source == EVENT_SOURCE_VERBS)
		port->source = source;
	port->stale |= stale;
}

int watcher_take_netdevs(struct watcher *watcher, const struct link_list *links,
			 const struct link_address_list *addresses, enum event_source source)
{
	const struct event_cause cause = watcher_cause(watcher, source);

	if (links->missing || addresses->missing)
		return -EAGAIN;
	event_state_take_links(&watcher->state, links, &cause);
	event_state_take_addresses(&watcher->state, addresses, &cause);
	return 0;
}

/*
 * Reads the current netdevs and addresses once; notifications report all later changes. Returns 0
 * or -errno.
 */
static int read_netdevs(struct watcher *watcher, enum event_source source)
{
	_cleanup_(link_list_clear) struct link_list links = {.items = NULL};
	_cleanup_(link_address_list_clear) struct link_address_list addresses = {.items = NULL};
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	int rc = rtnl_open(NULL, &rtnl);

	if (!rc)
		rc = rtnl_get_links(rtnl, &links);
	if (!rc)
		rc = rtnl_get_addresses(rtnl, &addresses);
	return rc ? rc : watcher_take_netdevs(watcher, &links, &addresses, source);
}

static void take_uevent(void *context, const struct uevent *uevent)
{
	struct watcher *watcher = context;

	if (uevent->subject == UEVENT_VERBS_NODE) {
		if (uevent->action == UEVENT_REMOVE)
			watcher_close_node(watcher, uevent->kernel_name);
		else
			watcher->nodes_stale = true;
		return;
	}
	MEM_ADD(watcher->news, watcher->news_count) = (struct device_news){
		.action = uevent->action,
		.kernel_name = mem_string(uevent->kernel_name),
		.old_kernel_name = mem_string_or_null(uevent->old_kernel_name),
	};
	watcher->devices_stale = true;
	watcher->devices_source = EVENT_SOURCE_UEVENT;
}

static void take_nldev(void *context, const struct nldev_event *event)
{
	struct watcher *watcher = context;

	if (event->type.value != NLDEV_EVENT_NETDEV_ATTACH &&
	    event->type.value != NLDEV_EVENT_NETDEV_DETACH) {
		if (!watcher->devices_stale)
			watcher->devices_source = EVENT_SOURCE_NLDEV;
		watcher->devices_stale = true;
		return;
	}
	for_each_in (watched, watcher->devices, watcher->device_count) {
		if (!watched->index.known || !event->device_index.known ||
		    watched->index.value != event->device_index.value)
			continue;
		for_each_in (port, watched->tracked->ports, watched->tracked->port_count)
			if (!event->port.known || event->port.value == port->number)
				watcher_mark_port(port, STALE_ALL, EVENT_SOURCE_NLDEV);
	}
}

/*
 * The ports of the netdev may have changed now. Verbs report changes of GIDs; without verbs, it is
 * too early to read GIDs now, because the kernel makes them asynchronously.
 */
static void mark_ports(struct watcher *watcher, const struct link *link)
{
	for_each_in (watched, watcher->devices, watcher->device_count) {
		const unsigned int stale = STALE_STATE | STALE_NETDEV |
					   (watched->async ? 0 : STALE_GIDS);

		for_each_in (port, watched->tracked->ports, watched->tracked->port_count) {
			if (!tracked_port_has_link(&watcher->state, port, link))
				continue;
			watcher_mark_port(port, stale, EVENT_SOURCE_RTNL);
			port->gids_later = !watched->async;
		}
	}
}

static void take_notice(void *context, const struct rtnl_notice *notice)
{
	struct watcher *watcher = context;
	const struct event_cause cause = watcher_cause(watcher, EVENT_SOURCE_RTNL);
	const struct link *link = notice->link;

	if (notice->address) {
		link = link_by_index(&watcher->state.links, &notice->address->link_index);
		event_state_take_address(&watcher->state, notice->address, notice->deleted, &cause);
		if (link)
			mark_ports(watcher, link);
		return;
	}
	mark_ports(watcher, link);
	event_state_take_link(&watcher->state, link, notice->deleted, &cause);
	if (!notice->deleted)
		mark_ports(watcher, link);
}

/* A source that fails permanently is closed and counts as missing. */
static void check(struct watcher *watcher, enum event_source source, struct netlink **monitor,
		  int rc)
{
	if (rc == -ENOBUFS) {
		watcher->lost |= 1u << source;
	} else if (rc) {
		netlink_free(*monitor);
		*monitor = NULL;
	}
}

void watcher_read_notices(struct watcher *watcher)
{
	if (watcher->rtnl_monitor)
		check(watcher, EVENT_SOURCE_RTNL, &watcher->rtnl_monitor,
		      rtnl_read_notices(watcher->rtnl_monitor, take_notice, watcher));
}

void watcher_read_uevents(struct watcher *watcher)
{
	if (watcher->uevents)
		check(watcher, EVENT_SOURCE_UEVENT, &watcher->uevents,
		      uevent_read(watcher->uevents, take_uevent, watcher));
}

static void read_sources(struct watcher *watcher)
{
	watcher_read_uevents(watcher);
	watcher_read_notices(watcher);
	if (watcher->nldev_monitor)
		check(watcher, EVENT_SOURCE_NLDEV, &watcher->nldev_monitor,
		      nldev_read_events(watcher->nldev_monitor, take_nldev, watcher));
	for (size_t i = 0; i < watcher->device_count; i++)
		watcher_read_async(watcher, &watcher->devices[i]);
}

/* Messages were lost, so the known state is uncertain: everything is read again. */
static void resync(struct watcher *watcher)
{
	for (unsigned int source = 0; source < 32; source++)
		if (watcher->lost & 1u << source && watcher->events)
			event_list_add(watcher->events, EVENT_GAP, &watcher->time, source);
	watcher->lost = 0;
	watcher_close_abandoned(watcher);
	watcher->devices_stale = true;
	watcher->devices_source = EVENT_SOURCE_RESYNC;
	watcher->netdevs_stale = read_netdevs(watcher, EVENT_SOURCE_RESYNC);
	for_each_in (watched, watcher->devices, watcher->device_count)
		for_each_in (port, watched->tracked->ports, watched->tracked->port_count)
			watcher_mark_port(port, STALE_ALL, EVENT_SOURCE_RESYNC);
}

static bool has_unread(const struct tracked_device *device)
{
	for_each_in (port, device->ports, device->port_count)
		if (port->unread)
			return true;
	return false;
}

static bool has_to_poll(const struct watcher *watcher)
{
	if (!watcher->uevents || !watcher->rtnl_monitor || watcher->netdevs_stale)
		return true;
	for (size_t i = 0; i < watcher->device_count; i++)
		if (!watcher->devices[i].async || has_unread(watcher->devices[i].tracked))
			return true;
	return false;
}

/* A RoCE GID table is long, and changes only when a netdev or an address does. */
static void poll_device(struct watcher *watcher, struct tracked_device *device)
{
	for_each_in (port, device->ports, device->port_count) {
		const bool quiet = port->ethernet && watcher->rtnl_monitor && !port->gids_later;

		port->gids_later = false;
		watcher_mark_port(port, STALE_STATE | STALE_NETDEV | (quiet ? 0 : STALE_GIDS),
				  EVENT_SOURCE_POLL);
	}
}

/* A driver may be too busy to answer just when it reports a change, and reports it only once. */
static void poll_unread(struct tracked_device *device)
{
	for_each_in (port, device->ports, device->port_count)
		if (port->unread)
			watcher_mark_port(port, STALE_ALL, EVENT_SOURCE_POLL);
}

static void poll_missing(struct watcher *watcher)
{
	if (!has_to_poll(watcher) || clock_msec_until(watcher->next_poll_msec))
		return;
	watcher->next_poll_msec = clock_msec() + POLL_MSEC;
	if (!watcher->uevents && !watcher->devices_stale) {
		watcher->devices_stale = true;
		watcher->devices_source = EVENT_SOURCE_POLL;
	}
	if ((!watcher->rtnl_monitor || watcher->netdevs_stale) && watcher->root.live)
		watcher->netdevs_stale = read_netdevs(watcher, EVENT_SOURCE_POLL);
	for_each_in (watched, watcher->devices, watcher->device_count) {
		if (!watched->async)
			poll_device(watcher, watched->tracked);
		else
			poll_unread(watched->tracked);
	}
}

int watcher_step(struct watcher *watcher, const struct event_time *time, struct event_list *events)
{
	size_t first = events->count;
	const unsigned int generation = watcher->generation;
	int rc = 0;

	watcher->time = *time;
	watcher->events = events;
	read_sources(watcher);
	if (watcher->lost)
		resync(watcher);
	poll_missing(watcher);
	if (watcher->devices_stale)
		rc = watcher_read_devices(watcher, watcher->devices_source);
	if (watcher->nodes_stale || watcher->generation != generation)
		watcher_open_contexts(watcher);
	watcher_refresh(watcher);
	watcher->events = NULL;
	for (size_t i = first; i < events->count; i++)
		event_describe(&events->items[i]);
	return rc;
}

static void add_fd(struct pollfd **fds, size_t *count, int fd)
{
	MEM_ADD(*fds, *count) = (struct pollfd){.fd = fd, .events = POLLIN};
}

void watcher_poll(const struct watcher *watcher, struct pollfd **fds, size_t *count)
{
	if (watcher->uevents)
		add_fd(fds, count, netlink_fd(watcher->uevents));
	if (watcher->rtnl_monitor)
		add_fd(fds, count, netlink_fd(watcher->rtnl_monitor));
	if (watcher->nldev_monitor)
		add_fd(fds, count, netlink_fd(watcher->nldev_monitor));
	for (size_t i = 0; i < watcher->device_count; i++)
		if (watcher->devices[i].async)
			add_fd(fds, count, verbs_async_fd(watcher->devices[i].async));
}

/* Notices that arrive while the ports are being read wait for the next step. */
static bool has_to_go_on(const struct watcher *watcher)
{
	if (watcher->lost)
		return true;
	for_each_in (watched, watcher->devices, watcher->device_count)
		for_each_in (port, watched->tracked->ports, watched->tracked->port_count)
			if (port->stale)
				return true;
	return false;
}

int watcher_timeout(const struct watcher *watcher)
{
	if (has_to_go_on(watcher))
		return 0;
	return has_to_poll(watcher) ? clock_msec_until(watcher->next_poll_msec) : -1;
}

const struct event_state *watcher_state(const struct watcher *watcher)
{
	return &watcher->state;
}

unsigned int watcher_generation(const struct watcher *watcher)
{
	return watcher->generation;
}

static void open_monitors(struct watcher *watcher)
{
	int rc = uevent_listen(&watcher->uevents);

	if (rc)
		problem_add(watcher->warnings, NULL, "uevents", "uevent", rc,
			    "the list of devices is polled once a second");
	rc = rtnl_listen(&watcher->rtnl_monitor);
	if (rc)
		problem_add(watcher->warnings, NULL, "notifications", "rtnetlink", rc,
			    "netdevs and addresses are polled once a second");
}

/* Opens the sources of changes before reading the state, so that nothing is missed. */
int watcher_open(const struct watcher_options *options, struct watcher **ret_watcher,
		 struct problems *warnings, struct problems *notes)
{
	struct watcher *watcher = mem_alloc_zero(1, sizeof(*watcher));
	int rc;

	watcher->options = *options;
	watcher->warnings = warnings;
	watcher->notes = notes;
	watcher->time.monotonic_nsec = clock_boot_nsec();
	watcher->next_poll_msec = clock_msec() + POLL_MSEC;
	watcher->state.flap_count = options->flap_count;
	watcher->state.flap_window_nsec = options->flap_window_msec * 1000000;
	rc = root_open(options->root, &watcher->root);
	if (rc) {
		free(watcher);
		return rc;
	}
	if (watcher->root.live) {
		open_monitors(watcher);
		rc = read_netdevs(watcher, EVENT_SOURCE_START);
		watcher->netdevs_stale = rc;
		if (rc)
			problem_add(warnings, NULL, "netdevs", "rtnetlink", rc, NULL);
	}
	rc = watcher_read_devices(watcher, EVENT_SOURCE_START);
	if (rc) {
		watcher_free(watcher);
		return rc;
	}
	watcher_open_contexts(watcher);
	watcher_refresh(watcher);
	watcher->warnings = watcher->notes = NULL;
	watcher->generation = 0;
	*ret_watcher = watcher;
	return 0;
}

void watcher_free(struct watcher *watcher)
{
	if (!watcher)
		return;
	for (size_t i = 0; i < watcher->device_count; i++)
		watched_clear(&watcher->devices[i]);
	free(watcher->devices);
	event_state_clear(&watcher->state);
	netlink_free(watcher->nldev);
	netlink_free(watcher->uevents);
	netlink_free(watcher->nldev_monitor);
	netlink_free(watcher->rtnl_monitor);
	root_close(&watcher->root);
	free(watcher);
}

/* The context of reporting the current state as events. */
struct state_report {
	uint64_t words;
	struct event_cause cause;
	const struct event_state *state;
	const struct tracked_device *device;
};

/* Returns NULL if the word was not requested. */
static struct event *add_state(const struct state_report *report, enum event_word word,
			       const struct tracked_port *port, const char *netdev)
{
	return report->words & UINT64_C(1) << word
		       ? event_state_add_event(&report->cause, word, report->device, port, netdev)
		       : NULL;
}

static void report_netdev(const struct state_report *report, const struct tracked_port *port)
{
	const struct link *link = link_by_index(&report->state->links, &port->netdev_index);
	enum event_word word;
	struct event *event;

	if (!link || !link->name)
		return;
	word = link->running == TRISTATE_YES ? EVENT_NETDEV_UP : EVENT_NETDEV_DOWN;
	event = add_state(report, word, port, link->name);
	if (!event)
		return;
	event->netdev_before.operstate = event->netdev_after.operstate = link->operstate;
	event->netdev_before.enabled = event->netdev_after.enabled = link->enabled;
	event->netdev_before.running = event->netdev_after.running = link->running;
	event->netdev_before.mtu_bytes = event->netdev_after.mtu_bytes = link->mtu_bytes;
}

static void report_port(const struct state_report *report, const struct tracked_port *port)
{
	const struct number *state = &port->now.state;
	struct event *event = NULL;

	if (number_is(state, PORT_STATE_ACTIVE))
		event = add_state(report, EVENT_PORT_ACTIVE, port, NULL);
	else if (number_is(state, PORT_STATE_DOWN) || number_is(state, PORT_STATE_ACTIVE_DEFER))
		event = add_state(report, EVENT_PORT_DOWN, port, NULL);
	if (event)
		event->port_before = event->port_after = port->now;
	event = port->netdev ? add_state(report, EVENT_NETDEV_ATTACHED, port, NULL) : NULL;
	if (event) {
		event->attached_before = mem_string(port->netdev);
		event->attached = mem_string(port->netdev);
	}
	report_netdev(report, port);
}

void watcher_report_states(const struct watcher *watcher, uint64_t words,
			   const struct event_time *time, struct event_list *events)
{
	struct state_report report = {
		.words = words,
		.cause = {.time = *time, .source = EVENT_SOURCE_START, .events = events},
		.state = &watcher->state,
	};
	size_t first = events->count;

	for (size_t i = 0; i < watcher->device_count; i++) {
		report.device = watcher->devices[i].tracked;
		add_state(&report, EVENT_DEVICE_ADDED, NULL, NULL);
		for (size_t j = 0; j < report.device->port_count; j++)
			report_port(&report, &report.device->ports[j]);
	}
	for (size_t i = first; i < events->count; i++)
		event_describe(&events->items[i]);
}
