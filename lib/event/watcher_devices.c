/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Follows devices that exist, come, go and are renamed, and their verbs contexts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/watcher.h"
#include "host/need.h"
#include "host/device.h"
#include "kernel/sysfs.h"

/* How many times the devices are listed again at once if uevents keep arriving. */
enum { LISTS_AGAIN = 8 };

/* Objects may have the displayed name or the kernel's: host/object.c accepts both. */
static bool is_wanted(const struct watcher *watcher, const char *name, const char *kernel_name,
		      int port)
{
	const struct objects *objects = watcher->options.objects;

	for_each (object, objects) {
		if ((!strcmp(object->device, name) || !strcmp(object->device, kernel_name)) &&
		    (port < 0 || object->port < 0 || object->port == port))
			return true;
	}
	return !objects->count;
}

static struct watched *find(const struct watcher *watcher, const char *kernel_name)
{
	for (size_t i = 0; i < watcher->device_count; i++)
		if (!strcmp(watcher->devices[i].tracked->kernel_name, kernel_name))
			return &watcher->devices[i];
	return NULL;
}

static struct watched *add(struct watcher *watcher, const char *kernel_name,
			   const struct event_cause *cause)
{
	_cleanup_(freep) char *name = text_clean(kernel_name, strlen(kernel_name));
	struct watched *watched = mem_append(&watcher->devices, &watcher->device_count,
					     sizeof(*watcher->devices));

	watched->tracked = event_state_add_device(&watcher->state, name, kernel_name, cause);
	watcher->generation++;
	return watched;
}

void watched_clear(struct watched *watched)
{
	free(watched->protocol);
	verbs_async_close(watched->async);
}

static void drop(struct watcher *watcher, struct watched *watched, const struct event_cause *cause)
{
	struct tracked_device *tracked = watched->tracked;
	const size_t at = (size_t)(watched - watcher->devices);

	watched_clear(watched);
	event_state_remove_device(&watcher->state, tracked, cause);
	watcher->device_count--;
	memmove(watched, watched + 1, (watcher->device_count - at) * sizeof(*watched));
	watcher->generation++;
}

static void rename_device(struct watcher *watcher, struct watched *watched, const char *kernel_name,
			  const struct event_cause *cause)
{
	_cleanup_(freep) char *name = text_clean(kernel_name, strlen(kernel_name));

	event_state_rename_device(watched->tracked, name, kernel_name, cause);
	watcher->generation++;
}

/* The protocol gives the link layer of a port that does not report one. */
static bool is_ethernet(struct watcher *watcher, const struct watched *watched, struct port *port)
{
	struct number layer;

	port_read_sysfs(&watcher->root, port, NEED_LINK_LAYER, NULL);
	layer = port->link_layer.known ? port->link_layer
				       : device_protocol_layer(watched->protocol);
	return number_is(&layer, LINK_LAYER_ETHERNET);
}

/* The device is in the list: adds its ports and marks everything to be read. */
static void fill(struct watcher *watcher, struct watched *watched, struct device *device,
		 enum event_source source)
{
	struct tracked_device *tracked = watched->tracked;

	watched->listed = true;
	watched->index = device->index;
	watched->protocol = mem_string_or_null(device->protocol);
	if (!device->port_count)
		device_list_ports_sysfs(&watcher->root, device, NULL);
	for_each_in (port, device->ports, device->port_count) {
		struct tracked_port *added;

		if (!is_wanted(watcher, tracked->name, tracked->kernel_name, (int)port->port.value))
			continue;
		added = tracked_device_add_port(tracked, (unsigned int)port->port.value);
		added->ethernet = is_ethernet(watcher, watched, port);
		watcher_mark_port(added, STALE_ALL, source);
	}
}

static bool is_same(const struct watched *watched, const struct device *device)
{
	if (watched->index.known && device->index.known)
		return watched->index.value == device->index.value;
	return !strcmp(watched->tracked->kernel_name, device->kernel_name);
}

static void compare_device(struct watcher *watcher, struct device *device,
			   const struct event_cause *cause)
{
	struct watched *watched = NULL;

	for (size_t i = 0; i < watcher->device_count && !watched; i++)
		if (is_same(&watcher->devices[i], device))
			watched = &watcher->devices[i];
	if (watched && strcmp(watched->tracked->kernel_name, device->kernel_name))
		rename_device(watcher, watched, device->kernel_name, cause);
	if (!watched && is_wanted(watcher, device->name, device->kernel_name, -1))
		watched = add(watcher, device->kernel_name, cause);
	if (watched && !watched->listed)
		fill(watcher, watched, device, cause->source);
}

static bool is_listed(const struct watched *watched, const struct device_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_same(watched, &list->items[i]))
			return true;
	return false;
}

/* RDMA netlink loads ib_core, so it is opened only if that is already loaded. */
static void open_nldev(struct watcher *watcher)
{
	int rc;

	if (watcher->nldev || !watcher->root.live || device_find_core(&watcher->root))
		return;
	rc = nldev_open(NULL, &watcher->nldev);
	if (rc)
		problem_add(watcher->notes, NULL, "devices", "nldev", rc, "sysfs is used instead");
	rc = rc ? rc : nldev_listen(&watcher->nldev_monitor);
	if (rc)
		problem_add(watcher->notes, NULL, "notifications", "nldev", rc,
			    "uevents report devices that come and go");
}

static int list_devices(struct watcher *watcher, struct device_list *list)
{
	int rc = -ENODEV;

	open_nldev(watcher);
	if (watcher->nldev)
		rc = nldev_list_devices(watcher->nldev, &watcher->root, list);
	if (!rc)
		return 0;
	device_list_clear(list);
	rc = device_list_sysfs(&watcher->root, list);
	return rc == -ENOENT ? 0 : rc;
}

/*
 * A uevent is trusted without checking, so that a device that came and went at once is also
 * reported. An event older than the list of devices is ignored.
 */
static void take(struct watcher *watcher, const struct device_news *news)
{
	const struct event_cause cause = watcher_cause(watcher, EVENT_SOURCE_UEVENT);
	const char *old_name = news->old_kernel_name ? news->old_kernel_name : "";
	struct watched *watched = find(watcher, news->kernel_name);
	struct watched *old = find(watcher, old_name);
	_cleanup_(freep) char *name = text_clean(news->kernel_name, strlen(news->kernel_name));
	const bool wanted = is_wanted(watcher, name, news->kernel_name, -1);

	switch (news->action) {
	case UEVENT_ADD:
		if (!watched && wanted)
			add(watcher, news->kernel_name, &cause);
		break;
	case UEVENT_REMOVE:
		if (watched)
			drop(watcher, watched, &cause);
		break;
	case UEVENT_RENAME:
		if (old && !watched) {
			rename_device(watcher, old, news->kernel_name, &cause);
		} else if (!watched && wanted) {
			/* The device was not watched under its old name. */
			const struct event_cause silence = {.time = cause.time};

			watched = add(watcher, old_name, &silence);
			rename_device(watcher, watched, news->kernel_name, &cause);
		}
		break;
	}
}

static void take_news(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->news_count; i++) {
		take(watcher, &watcher->news[i]);
		free(watcher->news[i].kernel_name);
		free(watcher->news[i].old_kernel_name);
	}
	free(watcher->news);
	watcher->news = NULL;
	watcher->news_count = 0;
}

/*
 * A uevent that arrives while the devices are being listed may report what the list already shows:
 * a device that udev renames as soon as it appears is listed under a name that no uevent has
 * reported yet. The devices are then listed again.
 */
static int list_after_news(struct watcher *watcher, struct device_list *list)
{
	for (int left = LISTS_AGAIN;; left--) {
		int rc;

		take_news(watcher);
		device_list_clear(list);
		rc = list_devices(watcher, list);
		if (left)
			watcher_read_uevents(watcher);
		if (!watcher->news_count)
			return rc;
	}
}

int watcher_read_devices(struct watcher *watcher, enum event_source source)
{
	const struct event_cause cause = watcher_cause(watcher, source);
	_cleanup_(device_list_clear) struct device_list list = {.items = NULL};
	int rc = list_after_news(watcher, &list);

	watcher->devices_stale = false;
	if (rc)
		return rc;
	device_list_sort(&list);
	for (size_t i = watcher->device_count; i-- > 0;)
		if (!is_listed(&watcher->devices[i], &list))
			drop(watcher, &watcher->devices[i], &cause);
	for (size_t i = 0; i < list.count; i++)
		compare_device(watcher, &list.items[i], &cause);
	return 0;
}

void watcher_open_contexts(struct watcher *watcher)
{
	struct verbs *verbs = NULL;
	int rc = -ENOSYS;
	bool tried = false;

	watcher->nodes_stale = false;
	if (!watcher->root.live)
		return;
	for_each_in (watched, watcher->devices, watcher->device_count) {
		if (watched->async || !watched->listed)
			continue;
		/* libibverbs lists devices with netlink, which would load ib_uverbs. */
		if (!tried && sysfs_has_directory(&watcher->root, "sys/class/infiniband_verbs"))
			rc = verbs_open(NULL, &verbs);
		tried = true;
		if (verbs)
			rc = verbs_async_open(verbs, watched->tracked->kernel_name,
					      &watched->async);
		if (!watched->async)
			problem_add(watcher->warnings, watched->tracked->name,
				    "asynchronous events", "verbs", rc,
				    "its state is polled once a second; rdmactl caps shows what is "
				    "missing");
	}
	verbs_free(verbs);
}

/* An event that a device reports of a port, and what is to be read after it. */
struct port_report {
	enum verbs_event_type type;
	enum event_word word;
	unsigned int stale;
};

/* Maps the kernel's enum ib_event_type to the event of a port. */
static const struct port_report *find_word(unsigned int type)
{
	static const struct port_report words[] = {
		{VERBS_EVENT_PORT_ACTIVE, EVENT_PORT_ACTIVE, STALE_STATE},
		{VERBS_EVENT_PORT_ERR, EVENT_PORT_DOWN, STALE_STATE},
		{VERBS_EVENT_LID_CHANGE, EVENT_LID_CHANGE, STALE_STATE},
		{VERBS_EVENT_SM_CHANGE, EVENT_SM_CHANGE, STALE_STATE},
		{VERBS_EVENT_PKEY_CHANGE, EVENT_PKEY_CHANGE, STALE_STATE},
		{VERBS_EVENT_CLIENT_REREGISTER, EVENT_CLIENT_REREGISTER, STALE_STATE},
		{VERBS_EVENT_GID_CHANGE, EVENT_GID_CHANGED, STALE_STATE | STALE_GIDS},
		{VERBS_EVENT_DEVICE_SPEED_CHANGE, EVENT_SPEED_CHANGE, STALE_STATE},
	};

	for_each_in (word, words, ARRAY_SIZE(words))
		if (word->type == type)
			return word;
	return NULL;
}

struct async_context {
	struct watcher *watcher;
	struct watched *watched;
};

static void take_async(void *context, const struct verbs_event *event)
{
	const struct async_context *async = context;
	struct tracked_device *tracked = async->watched->tracked;
	const struct event_cause cause = watcher_cause(async->watcher, EVENT_SOURCE_VERBS);
	const struct port_report *found = find_word(event->type);

	if (event->type == VERBS_EVENT_DEVICE_FATAL)
		event_state_add_event(&cause, EVENT_DEVICE_FATAL, tracked, NULL, NULL);
	if (!found)
		return;
	/* A speed change may be reported for the device rather than for a port. */
	for_each_in (port, tracked->ports, tracked->port_count) {
		if (event->port && port->number != event->port)
			continue;
		watcher_mark_port(port, found->stale, EVENT_SOURCE_VERBS);
		MEM_ADD(port->reports.words, port->reports.count) = found->word;
	}
}

void watcher_read_async(struct watcher *watcher, struct watched *watched)
{
	struct async_context context = {.watcher = watcher, .watched = watched};

	if (!watched->async || !verbs_async_read(watched->async, take_async, &context))
		return;
	verbs_async_close(watched->async);
	watched->async = NULL;
	watcher->devices_stale = true;
	watcher->devices_source = EVENT_SOURCE_VERBS;
}

/* Reads the pending events first. The kernel cannot remove the device before this close. */
static void close_context(struct watcher *watcher, struct watched *watched)
{
	watcher_read_async(watcher, watched);
	verbs_async_close(watched->async);
	watched->async = NULL;
}

void watcher_close_node(struct watcher *watcher, const char *node)
{
	for_each_in (watched, watcher->devices, watcher->device_count) {
		if (watched->async && !strcmp(verbs_async_node(watched->async), node))
			close_context(watcher, watched);
	}
}

void watcher_close_abandoned(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->device_count; i++)
		if (watcher->devices[i].async && verbs_async_abandoned(watcher->devices[i].async))
			close_context(watcher, &watcher->devices[i]);
}
