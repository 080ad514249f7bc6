/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the current state of ports. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/watcher.h"
#include "host/need.h"
#include "host/netdev.h"
#include "host/device.h"
#include "host/verbs.h"

/* One port in the form that the sources expect: a list of one device with one port. */
struct question {
	struct device_list list;
	struct device *device;
	struct port *port;
	bool failed;
};

static void ask_about(const struct watched *watched, const struct tracked_port *port,
		      struct question *question)
{
	*question = (struct question){.failed = false};
	question->device = device_list_add(&question->list, watched->tracked->kernel_name);
	question->device->index = watched->index;
	question->port = device_add_port(question->device, port->number);
	question->port->link_layer = number_of(port->ethernet ? LINK_LAYER_ETHERNET
							      : LINK_LAYER_INFINIBAND);
}

static void port_failed(void *context, const struct port *port, int error, const char *text)
{
	struct question *question = context;

	(void)port;
	(void)error;
	(void)text;
	question->failed = true;
}

/* Reads state and netdev from RDMA netlink, rate and MTU from verbs, and the rest from sysfs. */
static void read_state(struct watcher *watcher, struct watched *watched, struct question *question)
{
	struct verbs_device *verbs = watched->async ? verbs_async_device(watched->async) : NULL;
	uint64_t needs = NEED_RATE;

	if (watcher->nldev && watched->index.known)
		nldev_get_ports(watcher->nldev, &question->list, port_failed, question);
	else
		question->failed = true;
	if (question->failed)
		needs |= NEED_STATE | NEED_PHYSICAL_STATE |
			 (question->port->link_layer.value == LINK_LAYER_INFINIBAND ? NEED_LID : 0);
	if (verbs)
		verbs_get_port(verbs, question->port);
	port_read_sysfs(&watcher->root, question->port, needs, NULL);
}

static const struct link *find_link(const struct watcher *watcher, const struct gid_entry *entry)
{
	if (entry->netdev_index.known)
		return link_by_index(&watcher->state.links, &entry->netdev_index);
	return link_by_name(&watcher->state.links, entry->netdev);
}

static bool names_unknown_netdev(const struct watcher *watcher, const struct port *port)
{
	for_each_in (entry, port->gids, port->gid_count) {
		if ((entry->netdev_index.known || entry->netdev) && !find_link(watcher, entry))
			return true;
	}
	return false;
}

/*
 * A GID slot of an InfiniBand port without an assigned GUID holds only the subnet prefix, so it
 * counts as empty. Only RoCE GIDs have a type of their own.
 */
static void take_gids(const struct watcher *watcher, const struct watched *watched,
		      const struct port *port, struct tracked_gids *gids)
{
	const bool roce = watched->protocol ? !strcmp(watched->protocol, "roce")
					    : port->link_layer.value == LINK_LAYER_ETHERNET;

	for_each_in (entry, port->gids, port->gid_count) {
		const struct link *link;
		struct tracked_gid *gid;

		if (port->link_layer.value == LINK_LAYER_INFINIBAND &&
		    !gid_interface_id(&entry->gid.gid))
			continue;
		link = find_link(watcher, entry);
		gid = tracked_gids_add(gids);
		gid->index = (unsigned int)entry->index.value;
		gid->gid = entry->gid.gid;
		gid->type = entry->type;
		if (gid->type.known && !roce)
			gid->type.value = GID_TYPE_IB;
		/* Names from another network namespace are not valid here. */
		if (link) {
			gid->netdev_index = link->index;
			gid->netdev = mem_string(link->name);
		}
	}
}

static void read_gids(struct watcher *watcher, struct watched *watched, struct question *question)
{
	struct verbs_device *verbs = watched->async ? verbs_async_device(watched->async) : NULL;

	if (!verbs || verbs_get_gids(verbs, question->device))
		gid_table_read_sysfs(&watcher->root, question->port, false, true, NULL);
}

/* A port does not know its IPoIB netdev, so that is found by their common GUID. */
static void find_ipoib(const struct watcher *watcher, const struct tracked_gids *gids,
		       struct port *port)
{
	const struct link_list *links = &watcher->state.links;

	if (port->netdev_index.known || port->link_layer.value != LINK_LAYER_INFINIBAND ||
	    !gids->count)
		return;
	port->port_guid = number_of(gid_interface_id(&gids->items[0].gid));
	for (size_t i = 0; i < links->count; i++) {
		if (!link_is_ipoib_of(&links->items[i], port) || links->items[i].lower_index.known)
			continue;
		port->netdev_index = links->items[i].index;
		port->netdev = mem_string(links->items[i].name);
		return;
	}
}

static void read_port(struct watcher *watcher, struct watched *watched,
		      const struct tracked_port *tracked, unsigned int stale,
		      struct port_reading *reading)
{
	struct question question;
	struct port *port;

	ask_about(watched, tracked, &question);
	port = question.port;
	read_state(watcher, watched, &question);
	reading->has_state = port->state.known;
	reading->state = (struct event_port){
		.state = port->state,
		.physical_state = port->physical_state,
		.rate_gbps = port->rate_gbps,
		.active_mtu_bytes = port->active_mtu_bytes,
		.lid = port->lid,
		.sm_lid = port->sm_lid,
	};
	/* A table of a saved tree is read file by file, and does not change. */
	if (stale & STALE_GIDS && watcher->root.live) {
		read_gids(watcher, watched, &question);
		/*
		 * A netdev is reported before it gets the address from which a GID is formed, but
		 * perhaps only after the notices were last read.
		 */
		if (names_unknown_netdev(watcher, port))
			watcher_read_notices(watcher);
		take_gids(watcher, watched, port, &reading->gids);
		reading->has_gids = reading->has_state;
	}
	if (stale & STALE_NETDEV && !question.failed) {
		find_ipoib(watcher, reading->has_gids ? &reading->gids : &tracked->gids, port);
		reading->has_netdev = true;
		reading->netdev_index = port->netdev_index;
		reading->netdev = mem_string_or_null(port->netdev);
	}
	device_list_clear(&question.list);
}

static void refresh_port(struct watcher *watcher, struct watched *watched,
			 struct tracked_port *port)
{
	const struct event_cause cause = watcher_cause(watcher, port->source);
	const unsigned int stale = port->stale;
	struct port_reading reading = {.netdev = NULL};

	if (!stale && !port->reports.count)
		return;
	/* Reports from here on may be newer than the reading. */
	port->stale = 0;
	read_port(watcher, watched, port, stale, &reading);
	port->unread = !reading.has_state;
	event_state_update_port(&watcher->state, watched->tracked, port, &reading, &port->reports,
				&cause);
	free(port->reports.words);
	port->reports = (struct event_reports){.words = NULL};
}

void watcher_refresh(struct watcher *watcher)
{
	for_each_in (watched, watcher->devices, watcher->device_count)
		for_each_in (port, watched->tracked->ports, watched->tracked->port_count)
			refresh_port(watcher, watched, port);
}
