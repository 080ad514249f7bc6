/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracks the state, netdev and GID table of a port. */
#include "event/event_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/codes.h"

/*
 * The longest delay between a reading and the report of the same change, or between the reports of
 * two changes, on a slow machine.
 */
#define CREDIT_NSEC UINT64_C(5000000000)

/* One update of one port. */
struct update {
	const struct event_state *state;
	const struct tracked_device *device;
	struct tracked_port *port;
	const struct event_cause *cause;
	uint64_t happened;  /* bits 1 << enum event_word: the events made */
	bool reported_down; /* the port was reported to have gone down */
};

static bool same_number(const struct number *a, const struct number *b)
{
	return a->known == b->known && (!a->known || a->value == b->value);
}

/* Returns NULL if events are not wanted. */
static struct event *add(struct update *update, enum event_word word)
{
	update->happened |= UINT64_C(1) << word;
	return event_state_add_event(update->cause, word, update->device, update->port, NULL);
}

static struct event *add_port_event(struct update *update, enum event_word word,
				    const struct event_port *before, const struct event_port *after)
{
	struct event *event = add(update, word);

	if (event) {
		event->port_before = *before;
		event->port_after = *after;
	}
	return event;
}

static void drop_old_flaps(const struct event_state *state, struct tracked_port *port, uint64_t now)
{
	size_t old = 0;

	while (old < port->flap_count && now - port->flaps[old].back_nsec > state->flap_window_nsec)
		old++;
	if (!old)
		return;
	port->flap_count -= old;
	memmove(port->flaps, port->flaps + old, port->flap_count * sizeof(*port->flaps));
}

/* Counts a flap when the port comes back. A flap that was reported does not count again. */
static void count_flap(struct update *update, uint64_t down_nsec)
{
	const struct event_state *state = update->state;
	const uint64_t now = update->cause->time.monotonic_nsec;
	struct tracked_port *port = update->port;
	struct event *event;
	uint64_t sum = 0;

	if (!state->flap_count)
		return;
	drop_old_flaps(state, port, now);
	MEM_ADD(port->flaps, port->flap_count) = (struct tracked_flap){now, down_nsec};
	if (port->flap_count < state->flap_count)
		return;
	for (size_t i = 0; i < port->flap_count; i++)
		sum += port->flaps[i].down_nsec;
	event = add_port_event(update, EVENT_PORT_FLAPPING, &port->now, &port->now);
	if (event) {
		event->flaps = number_of(port->flap_count);
		event->flap_window_msec = number_of(state->flap_window_nsec / 1000000);
		event->down_msec = number_of(sum / 1000000);
	}
	port->flap_count = 0;
}

/* Reports the changes of a port that was active before and still is. */
static void compare_active(struct update *update, const struct event_port *before,
			   const struct event_port *now)
{
	if (before->rate_gbps.known && now->rate_gbps.known &&
	    before->rate_gbps.value != now->rate_gbps.value)
		add_port_event(update, EVENT_RATE_CHANGE, before, now);
	if (before->active_mtu_bytes.known && now->active_mtu_bytes.known &&
	    before->active_mtu_bytes.value != now->active_mtu_bytes.value)
		add_port_event(update, EVENT_MTU_CHANGE, before, now);
}

static void become_active(struct update *update, const struct event_port *before)
{
	struct tracked_port *port = update->port;
	const uint64_t now = update->cause->time.monotonic_nsec;
	const uint64_t since = port->down_since_nsec;
	struct event *event = add_port_event(update, EVENT_PORT_ACTIVE, before, &port->now);

	port->down_since_nsec = 0;
	if (!since)
		return;
	if (event)
		event->down_msec = number_of((now - since) / 1000000);
	count_flap(update, now - since);
}

/*
 * ActiveDefer (5) carries no data until the link is back (InfiniBand Architecture Specification
 * volume 1, 7.2.7), so it counts as down.
 */
static enum event_word word_of_state(uint64_t state)
{
	switch (state) {
	case PORT_STATE_INIT:
		return EVENT_PORT_INIT;
	case PORT_STATE_ARMED:
		return EVENT_PORT_ARMED;
	case PORT_STATE_ACTIVE:
		return EVENT_PORT_ACTIVE;
	default:
		return EVENT_PORT_DOWN;
	}
}

/* A new port makes an event only if it is active. */
static void take_state(struct update *update, const struct event_port *next)
{
	struct tracked_port *port = update->port;
	const struct event_port before = port->now;

	port->now = *next;
	if (number_is(&before.state, PORT_STATE_ACTIVE) &&
	    !number_is(&next->state, PORT_STATE_ACTIVE))
		port->down_since_nsec = update->cause->time.monotonic_nsec;
	if (same_number(&before.state, &next->state)) {
		if (number_is(&next->state, PORT_STATE_ACTIVE))
			compare_active(update, &before, next);
	} else if (number_is(&next->state, PORT_STATE_ACTIVE)) {
		become_active(update, &before);
		/* Changes made while it was down are reported, too. */
		compare_active(update, &port->active, next);
	} else if (before.state.known) {
		add_port_event(update, word_of_state(next->state.value), &before, next);
	}
	if (before.lid.known && next->lid.known && !same_number(&before.lid, &next->lid))
		add_port_event(update, EVENT_LID_CHANGE, &before, next);
	if (before.sm_lid.known && next->sm_lid.known &&
	    !same_number(&before.sm_lid, &next->sm_lid))
		add_port_event(update, EVENT_SM_CHANGE, &before, next);
	if (number_is(&next->state, PORT_STATE_ACTIVE))
		port->active = *next;
}

/*
 * A value that could not be read counts as unchanged, except that a rate or an MTU may have
 * disappeared.
 */
static void compare_state(struct update *update, const struct event_port *reading)
{
	const struct event_port *now = &update->port->now;
	struct event_port next = *reading;

	if (!next.state.known || next.state.value == PORT_STATE_NOP)
		next.state = now->state;
	/* The reading came before the report of this change, which is still to come. */
	if (!update->reported_down && next.state.known &&
	    !number_is(&next.state, PORT_STATE_ACTIVE) && !same_number(&now->state, &next.state)) {
		update->port->credit++;
		update->port->credit_nsec = update->cause->time.monotonic_nsec;
	}
	if (!next.physical_state.known)
		next.physical_state = now->physical_state;
	if (!next.lid.known)
		next.lid = now->lid;
	if (!next.sm_lid.known)
		next.sm_lid = now->sm_lid;
	take_state(update, &next);
}

/* Adds an event that was reported although its state has already passed. */
static void imply(struct update *update, enum event_word word)
{
	struct event_port next = update->port->now;
	const uint64_t state = word == EVENT_PORT_ACTIVE ? PORT_STATE_ACTIVE : PORT_STATE_DOWN;

	if (number_is(&next.state, state))
		return;
	next.state = number_of(state);
	next.physical_state.known = false;
	if (state == PORT_STATE_ACTIVE) {
		next.rate_gbps = update->port->active.rate_gbps;
		next.active_mtu_bytes = update->port->active.active_mtu_bytes;
	}
	take_state(update, &next);
}

/* Subtracts reports of changes that a reading has already shown. */
static unsigned int take_credit(struct update *update, unsigned int downs)
{
	struct tracked_port *port = update->port;
	unsigned int taken;

	if (update->cause->time.monotonic_nsec - port->credit_nsec > CREDIT_NSEC)
		port->credit = 0;
	taken = downs < port->credit ? downs : port->credit;
	port->credit -= taken;
	return downs - taken;
}

/*
 * Before Linux 6.14 drivers report PORT_ERR whenever the netdev is set down, or changes without a
 * carrier, whether the port was up or not (rxe_notify(), sw/rxe/rxe_net.c; siw_netdev_event(),
 * sw/siw/siw_main.c). So a further PORT_ERR of a port that is down only counts if the port is also
 * reported to be active around that time.
 */
static unsigned int doubt_downs(struct update *update, unsigned int downs, bool told_active)
{
	struct tracked_port *port = update->port;
	const uint64_t now = update->cause->time.monotonic_nsec;
	const unsigned int sure = !port->now.state.known ||
				  number_is(&port->now.state, PORT_STATE_ACTIVE);

	if (told_active) {
		port->told_active = true;
		port->told_nsec = now;
	}
	if (now - port->doubt_nsec > CREDIT_NSEC)
		port->doubts = 0;
	if (port->told_active && now - port->told_nsec <= CREDIT_NSEC) {
		downs += port->doubts;
		port->doubts = 0;
	} else if (downs > sure) {
		port->doubts += downs - sure;
		port->doubt_nsec = now;
		downs = sure;
	}
	return downs;
}

/*
 * The kernel hands events to several workers, so events in quick succession arrive out of order
 * (ib_dispatch_event(), core/cache.c), but none is lost: the number of PORT_ERRs says how often a
 * port went down, whatever comes between them, and the reading shows its state now.
 *
 * On InfiniBand, mlx5_ib also reports PORT_ERR when a link that was down gets as far as Init:
 * there, only a port that was active goes down.
 */
static void count_reported_downs(struct update *update, const struct port_reading *reading,
				 const struct event_reports *reports)
{
	const struct event_port *now = &update->port->now;
	const bool reads_down = reading->has_state && reading->state.state.known &&
				!number_is(&reading->state.state, PORT_STATE_ACTIVE);
	bool told_active = false;
	unsigned int downs = 0;

	for (size_t i = 0; i < reports->count; i++) {
		downs += reports->words[i] == EVENT_PORT_DOWN;
		told_active |= reports->words[i] == EVENT_PORT_ACTIVE;
	}
	if (!update->port->ethernet)
		downs = downs && number_is(&now->state, PORT_STATE_ACTIVE);
	else
		downs = doubt_downs(update, take_credit(update, downs), told_active);
	update->reported_down = downs;
	while (downs--) {
		if (now->state.known)
			imply(update, EVENT_PORT_ACTIVE);
		/* The reading shows the last change, with more details. */
		if (downs || !reads_down)
			imply(update, EVENT_PORT_DOWN);
	}
}

static void compare_netdev(struct update *update, struct port_reading *reading)
{
	struct tracked_port *port = update->port;
	char *before = port->netdev;
	struct event *event;

	if (same_number(&port->netdev_index, &reading->netdev_index)) {
		/* A new name of the same netdev is an event of the netdev. */
		if (reading->netdev) {
			port->netdev = reading->netdev;
			reading->netdev = before;
		}
		return;
	}
	if (port->netdev_index.known) {
		event = add(update, EVENT_NETDEV_DETACHED);
		if (event)
			event->attached_before = mem_string_or_null(before);
	}
	port->netdev_index = reading->netdev_index;
	port->netdev = reading->netdev;
	reading->netdev = before;
	if (port->netdev_index.known) {
		event = add(update, EVENT_NETDEV_ATTACHED);
		if (event)
			event->attached = mem_string_or_null(port->netdev);
	}
}

static void fill_gid(const struct tracked_gid *gid, struct event_gid *side)
{
	if (!gid)
		return;
	side->gid = (struct known_gid){.gid = gid->gid, .known = true};
	side->type = gid->type;
	side->netdev = mem_string_or_null(gid->netdev);
}

static void add_gid_event(struct update *update, enum event_word word,
			  const struct tracked_gid *before, const struct tracked_gid *after)
{
	struct event *event = add(update, word);

	if (!event)
		return;
	event->gid_index = number_of(before ? before->index : after->index);
	fill_gid(before, &event->gid_before);
	fill_gid(after, &event->gid_after);
}

static bool same_gid(const struct tracked_gid *a, const struct tracked_gid *b)
{
	return !memcmp(&a->gid, &b->gid, sizeof(a->gid)) && same_number(&a->type, &b->type) &&
	       same_number(&a->netdev_index, &b->netdev_index);
}

/* Both lists are sorted by index. */
static void compare_gids(struct update *update, const struct tracked_gids *before,
			 const struct tracked_gids *after)
{
	size_t i = 0, j = 0;

	while (i < before->count || j < after->count) {
		const struct tracked_gid *old = i < before->count ? &before->items[i] : NULL;
		const struct tracked_gid *new = j < after->count ? &after->items[j] : NULL;

		if (old && (!new || old->index < new->index)) {
			add_gid_event(update, EVENT_GID_REMOVED, old, NULL);
			i++;
		} else if (!old || new->index < old->index) {
			add_gid_event(update, EVENT_GID_ADDED, NULL, new);
			j++;
		} else {
			if (!same_gid(old, new))
				add_gid_event(update, EVENT_GID_CHANGED, old, new);
			i++;
			j++;
		}
	}
}

/* Adds reports without a state and, with --all, also those that changed nothing. */
static void add_other_reports(struct update *update, const struct event_reports *reports)
{
	const uint64_t gids = UINT64_C(1) << EVENT_GID_ADDED | UINT64_C(1) << EVENT_GID_REMOVED |
			      UINT64_C(1) << EVENT_GID_CHANGED;
	const uint64_t news = UINT64_C(1) << EVENT_SM_CHANGE | UINT64_C(1) << EVENT_PKEY_CHANGE |
			      UINT64_C(1) << EVENT_CLIENT_REREGISTER |
			      UINT64_C(1) << EVENT_SPEED_CHANGE;

	for (size_t i = 0; i < reports->count; i++) {
		const enum event_word word = reports->words[i];
		const uint64_t bit = UINT64_C(1) << word;

		if (update->happened & (word == EVENT_GID_CHANGED ? gids : bit))
			continue;
		if (bit & news || update->cause->all)
			add_port_event(update, word, &update->port->now, &update->port->now);
	}
}

void event_state_update_port(struct event_state *state, const struct tracked_device *device,
			     struct tracked_port *port, struct port_reading *reading,
			     const struct event_reports *reports, const struct event_cause *cause)
{
	struct update update = {
		.state = state,
		.device = device,
		.port = port,
		.cause = cause,
	};

	/* The event of a new port includes its netdev, if it has one. */
	if (reading->has_netdev && reading->netdev_index.known)
		compare_netdev(&update, reading);
	if (reports)
		count_reported_downs(&update, reading, reports);
	if (reading->has_state)
		compare_state(&update, &reading->state);
	if (reading->has_gids) {
		const struct tracked_gids before = port->gids;

		compare_gids(&update, &before, &reading->gids);
		port->gids = reading->gids;
		reading->gids = before;
	}
	if (reading->has_netdev && !reading->netdev_index.known)
		compare_netdev(&update, reading);
	if (reports)
		add_other_reports(&update, reports);
	free(reading->netdev);
	tracked_gids_clear(&reading->gids);
	*reading = (struct port_reading){.netdev = NULL};
}

void tracked_gids_clear(struct tracked_gids *gids)
{
	for (size_t i = 0; i < gids->count; i++)
		free(gids->items[i].netdev);
	free(gids->items);
	*gids = (struct tracked_gids){.items = NULL};
}

struct tracked_gid *tracked_gids_add(struct tracked_gids *gids)
{
	return mem_append(&gids->items, &gids->count, sizeof(*gids->items));
}

/* Anyone who waits for the port to go down waits for its removal, too. */
void event_state_lose_port(struct event_state *state, const struct tracked_device *device,
			   struct tracked_port *port, const struct event_cause *cause)
{
	struct port_reading nothing = {.has_netdev = true, .has_gids = true};
	struct update update = {.state = state, .device = device, .port = port, .cause = cause};
	const struct event_port unknown = {.state = {.known = false}};

	if (number_is(&port->now.state, PORT_STATE_ACTIVE))
		add_port_event(&update, EVENT_PORT_DOWN, &port->now, &unknown);
	port->now = unknown;
	event_state_update_port(state, device, port, &nothing, NULL, cause);
}
