/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracks devices, netdevs and addresses; event_state_port.c tracks the ports. */
#include "event/event_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static void free_device(struct tracked_device *device)
{
	for_each_in (port, device->ports, device->port_count) {
		free(port->netdev);
		tracked_gids_clear(&port->gids);
		free(port->flaps);
		free(port->reports.words);
	}
	free(device->ports);
	free(device->name);
	free(device->kernel_name);
	free(device);
}

void event_state_clear(struct event_state *state)
{
	for (size_t i = 0; i < state->device_count; i++)
		free_device(state->devices[i]);
	free(state->devices);
	link_list_clear(&state->links);
	link_address_list_clear(&state->addresses);
	*state = (struct event_state){.devices = NULL};
}

struct event *event_state_add_event(const struct event_cause *cause, enum event_word word,
				    const struct tracked_device *device,
				    const struct tracked_port *port, const char *netdev)
{
	struct event *event;

	if (!cause->events)
		return NULL;
	event = event_list_add(cause->events, word, &cause->time, cause->source);
	event->device = mem_string(device->name);
	event->object = netdev ? mem_string(netdev)
			: port ? mem_format("%s/%u", device->name, port->number)
			       : mem_string(device->name);
	if (port) {
		event->port = number_of(port->number);
		event->netdev = mem_string_or_null(netdev ? netdev : port->netdev);
	}
	return event;
}

struct tracked_device *event_state_add_device(struct event_state *state, const char *name,
					      const char *kernel_name,
					      const struct event_cause *cause)
{
	struct tracked_device *device = mem_alloc_zero(1, sizeof(*device));

	device->name = mem_string(name);
	device->kernel_name = mem_string(kernel_name);
	MEM_ADD(state->devices, state->device_count) = device;
	event_state_add_event(cause, EVENT_DEVICE_ADDED, device, NULL, NULL);
	return device;
}

struct tracked_port *tracked_device_add_port(struct tracked_device *device, unsigned int number)
{
	struct tracked_port *port = mem_append(&device->ports, &device->port_count,
					       sizeof(*device->ports));

	port->number = number;
	return port;
}

void event_state_remove_device(struct event_state *state, struct tracked_device *device,
			       const struct event_cause *cause)
{
	size_t kept = 0;

	for (size_t i = 0; i < device->port_count; i++)
		event_state_lose_port(state, device, &device->ports[i], cause);
	event_state_add_event(cause, EVENT_DEVICE_REMOVED, device, NULL, NULL);
	for (size_t i = 0; i < state->device_count; i++)
		if (state->devices[i] != device)
			state->devices[kept++] = state->devices[i];
	state->device_count = kept;
	free_device(device);
}

void event_state_rename_device(struct tracked_device *device, const char *name,
			       const char *kernel_name, const struct event_cause *cause)
{
	_cleanup_(freep) char *old_name = device->name;
	struct event *event;

	device->name = mem_string(name);
	free(device->kernel_name);
	device->kernel_name = mem_string(kernel_name);
	event = event_state_add_event(cause, EVENT_DEVICE_RENAMED, device, NULL, NULL);
	if (event)
		event->name_before = mem_string(old_name);
}

/* One change of one netdev, and its port, if it has one. */
struct change {
	struct event_state *state;
	const struct tracked_device *device;
	const struct tracked_port *port;
	const struct event_cause *cause;
};

static bool is_index(const struct number *a, const struct number *b)
{
	return b->known && number_is(a, b->value);
}

/* VLANs and P_Key children of IPoIB have a lower netdev; for a veth, IFLA_LINK is the other end. */
static bool is_child(const struct link *link)
{
	return !link->lower_elsewhere && link->kind &&
	       (!strcmp(link->kind, "vlan") || !strcmp(link->kind, "ipoib"));
}

/* Returns whether the index is that of the port's netdev, or of the bond that this belongs to. */
static bool is_own(const struct event_state *state, const struct tracked_port *port,
		   const struct number *index)
{
	const struct link *own = link_by_index(&state->links, &port->netdev_index);

	return is_index(&port->netdev_index, index) || (own && is_index(&own->master_index, index));
}

bool tracked_port_has_link(const struct event_state *state, const struct tracked_port *port,
			   const struct link *link)
{
	if (is_own(state, port, &link->index))
		return true;
	if (is_child(link) && is_own(state, port, &link->lower_index))
		return true;
	for (size_t i = 0; i < port->gids.count; i++)
		if (is_index(&port->gids.items[i].netdev_index, &link->index))
			return true;
	return false;
}

/*
 * A port whose netdev this is takes precedence over one that merely has a GID of it, for example.
 */
static void find_port(struct change *change, const struct link *link)
{
	const struct event_state *state = change->state;

	for (size_t i = 0; i < state->device_count; i++) {
		for_each_in (port, state->devices[i]->ports, state->devices[i]->port_count) {
			const bool own = is_index(&port->netdev_index, &link->index);

			if (!own && (change->port || !tracked_port_has_link(state, port, link)))
				continue;
			change->device = state->devices[i];
			change->port = port;
			if (own)
				return;
		}
	}
}

static struct event *add_event(const struct change *change, enum event_word word, const char *name)
{
	return change->port ? event_state_add_event(change->cause, word, change->device,
						    change->port, name)
			    : NULL;
}

static void fill_side(const struct event_state *state, const struct link *link,
		      struct event_netdev *side)
{
	const struct link *master = link_by_index(&state->links, &link->master_index);

	side->enabled = link->enabled;
	side->running = link->running;
	side->operstate = link->operstate;
	side->mtu_bytes = link->mtu_bytes;
	side->master = mem_string_or_null(master ? master->name : NULL);
}

static struct event *add_netdev_event(const struct change *change, enum event_word word,
				      const struct link *before, const struct link *after)
{
	struct event *event = add_event(change, word, after->name);

	if (!event)
		return NULL;
	fill_side(change->state, before, &event->netdev_before);
	fill_side(change->state, after, &event->netdev_after);
	return event;
}

/* A new netdev counts as down before, and a deleted one as down afterwards. */
static void compare(const struct change *change, const struct link *before,
		    const struct link *after)
{
	const bool enabled = before->enabled == TRISTATE_YES;
	const bool running = before->running == TRISTATE_YES;
	struct event *event;

	if (before->name && after->name && strcmp(before->name, after->name)) {
		event = add_netdev_event(change, EVENT_NETDEV_RENAMED, before, after);
		if (event)
			event->name_before = mem_string(before->name);
	}
	if (before->mtu_bytes.known && after->mtu_bytes.known &&
	    before->mtu_bytes.value != after->mtu_bytes.value)
		add_netdev_event(change, EVENT_NETDEV_MTU, before, after);
	if ((before->master_index.known || after->master_index.known) &&
	    !is_index(&before->master_index, &after->master_index))
		add_netdev_event(change, EVENT_NETDEV_MASTER, before, after);
	if (enabled != (after->enabled == TRISTATE_YES))
		add_netdev_event(change, enabled ? EVENT_NETDEV_DISABLED : EVENT_NETDEV_ENABLED,
				 before, after);
	if (running != (after->running == TRISTATE_YES))
		add_netdev_event(change, running ? EVENT_NETDEV_DOWN : EVENT_NETDEV_UP, before,
				 after);
}

static void copy_link(const struct link *from, struct link *to)
{
	*to = *from;
	to->name = mem_string_or_null(from->name);
	to->kind = mem_string_or_null(from->kind);
	to->address = mem_string_or_null(from->address);
}

static void rename_stored(char **name, const struct number *index, const struct link *link)
{
	if (!is_index(index, &link->index))
		return;
	free(*name);
	*name = mem_string_or_null(link->name);
}

/* Ports and GIDs also store the netdev's name. */
static void rename_in_ports(struct event_state *state, const struct link *link)
{
	for (size_t i = 0; i < state->device_count; i++)
		for_each_in (port, state->devices[i]->ports, state->devices[i]->port_count) {
			rename_stored(&port->netdev, &port->netdev_index, link);
			for (size_t k = 0; k < port->gids.count; k++)
				rename_stored(&port->gids.items[k].netdev,
					      &port->gids.items[k].netdev_index, link);
		}
}

static void add_address_event(const struct change *change, enum event_word word, const char *name,
			      const struct link_address *address)
{
	struct event *event = add_event(change, word, name);

	if (!event)
		return;
	event->address = (struct known_ip){.address = address->ip, .known = true};
	event->prefix_length = address->prefix_length;
}

static void remove_addresses(const struct change *change, const struct link *link)
{
	struct link_address_list *list = &change->state->addresses;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_index(&list->items[i].link_index, &link->index))
			add_address_event(change, EVENT_ADDRESS_REMOVED, link->name,
					  &list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

static void remove_link(const struct change *change, size_t at)
{
	struct link_list *links = &change->state->links;
	struct link old = links->items[at];
	struct link down = {
		.index = old.index,
		.name = old.name,
		.operstate = old.operstate,
		.mtu_bytes = old.mtu_bytes,
		.master_index = old.master_index,
	};

	down.operstate.known = false;
	remove_addresses(change, &old);
	compare(change, &old, &down);
	links->count--;
	memmove(&links->items[at], &links->items[at + 1],
		(links->count - at) * sizeof(*links->items));
	link_clear(&old);
}

bool event_state_take_link(struct event_state *state, const struct link *link, bool deleted,
			   const struct event_cause *cause)
{
	struct change change = {.state = state, .cause = cause};
	const struct link *known = link_by_index(&state->links, &link->index);
	const size_t at = known ? (size_t)(known - state->links.items) : 0;
	struct link before = {.index = link->index};

	if (!known && deleted)
		return false;
	if (known) {
		before = *known;
		/* The netdev may have left the port with this change. */
		find_port(&change, &before);
	}
	if (deleted) {
		remove_link(&change, at);
		return change.port;
	}
	copy_link(link, known ? &state->links.items[at] : link_list_add(&state->links));
	if (!change.port)
		find_port(&change, link);
	rename_in_ports(state, link);
	compare(&change, &before, link);
	if (known)
		link_clear(&before);
	return change.port;
}

/* The place of the address; the number of addresses if it is not in the list. */
static size_t find_address(const struct link_address_list *list, const struct link_address *address)
{
	size_t i = 0;

	while (i < list->count &&
	       !(is_index(&list->items[i].link_index, &address->link_index) &&
		 ip_equal(&list->items[i].ip, &address->ip) &&
		 is_index(&list->items[i].prefix_length, &address->prefix_length)))
		i++;
	return i;
}

bool event_state_take_address(struct event_state *state, const struct link_address *address,
			      bool deleted, const struct event_cause *cause)
{
	struct change change = {.state = state, .cause = cause};
	struct link_address_list *list = &state->addresses;
	const struct link *link = link_by_index(&state->links, &address->link_index);
	size_t at = find_address(list, address);
	bool known = at < list->count;

	/* Ignore a netdev that is unknown or already deleted, and a report that changes nothing. */
	if (!link || known != deleted)
		return false;
	find_port(&change, link);
	add_address_event(&change, deleted ? EVENT_ADDRESS_REMOVED : EVENT_ADDRESS_ADDED,
			  link->name, address);
	if (deleted)
		list->items[at] = list->items[--list->count];
	else
		MEM_ADD(list->items, list->count) = *address;
	return change.port;
}

void event_state_take_links(struct event_state *state, const struct link_list *links,
			    const struct event_cause *cause)
{
	for (size_t i = 0; i < links->count; i++)
		event_state_take_link(state, &links->items[i], false, cause);
	for (size_t i = state->links.count; i-- > 0;) {
		const struct link *known = &state->links.items[i];

		if (!link_by_index(links, &known->index))
			event_state_take_link(state, known, true, cause);
	}
}

void event_state_take_addresses(struct event_state *state,
				const struct link_address_list *addresses,
				const struct event_cause *cause)
{
	for (size_t i = state->addresses.count; i-- > 0;) {
		const struct link_address known = state->addresses.items[i];

		if (find_address(addresses, &known) == addresses->count)
			event_state_take_address(state, &known, true, cause);
	}
	for (size_t i = 0; i < addresses->count; i++)
		event_state_take_address(state, &addresses->items[i], false, cause);
}
