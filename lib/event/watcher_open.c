/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Starts and ends watching, and reports the initial state. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/watcher_private.h"
#include "host/rtnl.h"
#include "mad/format/codes.h"

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
	watcher->time.monotonic_nsec = clock_nsec();
	watcher->next_poll_msec = clock_msec() + WATCHER_POLL_MSEC;
	watcher->state.flap_count = options->flap_count;
	watcher->state.flap_window_nsec = options->flap_window_msec * 1000000;
	rc = root_open(NULL, &watcher->root);
	if (rc) {
		free(watcher);
		return rc;
	}
	open_monitors(watcher);
	rc = watcher_read_netdevs(watcher, EVENT_SOURCE_START);
	if (rc)
		problem_add(warnings, NULL, "netdevs", "rtnetlink", rc, NULL);
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

/* Reports the current state as events. */
struct state_report {
	uint64_t words;
	struct event_list *events;
	const struct event_time *time;
	const struct event_state *state;
	const struct tracked_device *device;
};

/* Returns NULL if the word was not requested. */
static struct event *add_state(const struct state_report *report, enum event_word word,
			       const struct tracked_port *port, const char *netdev)
{
	struct event *event;

	if (!(report->words & UINT64_C(1) << word))
		return NULL;
	event = event_list_add(report->events, word, report->time, EVENT_SOURCE_START);
	event->device = mem_string(report->device->name);
	if (port)
		event->port = number_of(port->number);
	if (netdev)
		event->netdev = mem_string(netdev);
	return event;
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
	event->object = mem_string(link->name);
	event->netdev_before.operstate = event->netdev_after.operstate = link->operstate;
	event->netdev_before.enabled = event->netdev_after.enabled = link->enabled;
	event->netdev_before.running = event->netdev_after.running = link->running;
	event->netdev_before.mtu_bytes = event->netdev_after.mtu_bytes = link->mtu_bytes;
}

static void report_port(const struct state_report *report, const struct tracked_port *port)
{
	const struct number *state = &port->now.state;
	struct event *event = NULL;

	if (state->known && state->value == PORT_STATE_ACTIVE)
		event = add_state(report, EVENT_PORT_ACTIVE, port, port->netdev);
	else if (state->known && state->value == PORT_STATE_DOWN)
		event = add_state(report, EVENT_PORT_DOWN, port, port->netdev);
	if (event) {
		event->object = mem_format("%s/%u", report->device->name, port->number);
		event->port_before = event->port_after = port->now;
	}
	event = port->netdev ? add_state(report, EVENT_NETDEV_ATTACHED, port, port->netdev) : NULL;
	if (event) {
		event->object = mem_format("%s/%u", report->device->name, port->number);
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
		.events = events,
		.time = time,
		.state = &watcher->state,
	};
	size_t first = events->count;

	for (size_t i = 0; i < watcher->device_count; i++) {
		const struct tracked_device *device = watcher->devices[i].tracked;
		struct event *event;

		report.device = device;
		event = add_state(&report, EVENT_DEVICE_ADDED, NULL, NULL);
		if (event)
			event->object = mem_string(device->name);
		for (size_t j = 0; j < device->port_count; j++)
			report_port(&report, &device->ports[j]);
	}
	for (size_t i = first; i < events->count; i++)
		event_describe(&events->items[i]);
}
