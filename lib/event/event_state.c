/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracks devices; event_state_port.c tracks their ports, event_state_netdev.c the netdevs. */
#include "event/event_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/event_state_private.h"

bool event_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

char *event_copy_text(const char *text)
{
	return text ? mem_string(text) : NULL;
}

static void free_device(struct tracked_device *device)
{
	for (size_t i = 0; i < device->port_count; i++) {
		free(device->ports[i].netdev);
		event_clear_gids(&device->ports[i].gids);
		free(device->ports[i].flaps);
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

static struct event *add_device_event(const struct tracked_device *device, enum event_word word,
				      const struct event_cause *cause)
{
	struct event *event;

	if (!cause->events)
		return NULL;
	event = event_list_add(cause->events, word, &cause->time, cause->source);
	event->object = mem_string(device->name);
	event->device = mem_string(device->name);
	return event;
}

void event_state_device_event(const struct tracked_device *device, enum event_word word,
			      const struct event_cause *cause)
{
	add_device_event(device, word, cause);
}

struct tracked_device *event_state_add_device(struct event_state *state, const char *name,
					      const char *kernel_name,
					      const struct event_cause *cause)
{
	struct tracked_device *device = mem_alloc_zero(1, sizeof(*device));

	device->name = mem_string(name);
	device->kernel_name = mem_string(kernel_name);
	*(struct tracked_device **)mem_append(&state->devices, &state->device_count,
					      sizeof(*state->devices)) = device;
	add_device_event(device, EVENT_DEVICE_ADDED, cause);
	return device;
}

struct tracked_device *event_state_find_device(const struct event_state *state,
					       const char *kernel_name)
{
	for (size_t i = 0; i < state->device_count; i++)
		if (!strcmp(state->devices[i]->kernel_name, kernel_name))
			return state->devices[i];
	return NULL;
}

struct tracked_port *tracked_device_add_port(struct tracked_device *device, unsigned int number)
{
	struct tracked_port *port = mem_append(&device->ports, &device->port_count,
					       sizeof(*device->ports));

	port->number = number;
	return port;
}

struct tracked_port *tracked_device_port(const struct tracked_device *device, unsigned int number)
{
	for (size_t i = 0; i < device->port_count; i++)
		if (device->ports[i].number == number)
			return &device->ports[i];
	return NULL;
}

void event_state_remove_device(struct event_state *state, struct tracked_device *device,
			       const struct event_cause *cause)
{
	size_t kept = 0;

	for (size_t i = 0; i < device->port_count; i++)
		event_port_lose(state, device, &device->ports[i], cause);
	add_device_event(device, EVENT_DEVICE_REMOVED, cause);
	for (size_t i = 0; i < state->device_count; i++)
		if (state->devices[i] != device)
			state->devices[kept++] = state->devices[i];
	state->device_count = kept;
	free_device(device);
}

void event_state_rename_device(struct tracked_device *device, const char *name,
			       const char *kernel_name, const struct event_cause *cause)
{
	_cleanup_(freep) char *old_name = device->name, *old_kernel_name = device->kernel_name;
	struct event *event;

	device->name = mem_string(name);
	device->kernel_name = mem_string(kernel_name);
	event = add_device_event(device, EVENT_DEVICE_RENAMED, cause);
	if (event)
		event->name_before = mem_string(old_name);
}
