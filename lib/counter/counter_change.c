/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_change.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

const struct enum_name counter_change_names[] = {
	{CHANGE_COUNTED, "counted", TONE_PLAIN, "it counted on: growth is what it grew by"},
	{CHANGE_GAUGE, "gauge", TONE_PLAIN, "goes up and down: it has a value, and no rate"},
	{CHANGE_SATURATED, "saturated", TONE_WARNING,
	 "at the most that its bits hold: it has stopped counting"},
	{CHANGE_CLEARED, "cleared", TONE_WARNING, "it went back: it was reset, or came round"},
	{CHANGE_REPLACED, "replaced", TONE_WARNING,
	 "another device has the name now, or the same one is there anew"},
	{CHANGE_RESTARTED, "restarted", TONE_WARNING, "the host was: all counters began anew"},
	{CHANGE_NEW, "new", TONE_PLAIN, "it had no value before"},
	{CHANGE_GONE, "gone", TONE_WARNING, "it is not there any more"},
	{CHANGE_UNREADABLE, "unreadable", TONE_WARNING, "it has no value now"},
	{0, NULL},
};

static bool differ(const struct number *a, const struct number *b)
{
	return a->known && b->known && a->value != b->value;
}

/* The kernel counts the index of devices on: one that was removed and added has another. */
static bool is_replaced(const struct device *before, const struct device *after)
{
	return differ(&before->index, &after->index) ||
	       differ(&before->node_guid, &after->node_guid);
}

static enum counter_change_state judge(const struct counter_reading *before,
				       const struct counter_reading *after,
				       const struct counter_interval *interval)
{
	if (!after->value.known)
		return CHANGE_UNREADABLE;
	if (counter_reading_kind(after) == COUNTER_GAUGE)
		return CHANGE_GAUGE;
	if (interval->restarted)
		return CHANGE_RESTARTED;
	if (before && is_replaced(before->device, after->device))
		return CHANGE_REPLACED;
	if (!before || !before->value.known)
		return CHANGE_NEW;
	if (after->value.value < before->value.value)
		return CHANGE_CLEARED;
	return after->saturated ? CHANGE_SATURATED : CHANGE_COUNTED;
}

/* 1 for bits, 8 for bytes, 0 for what is no amount of data on the wire. */
static unsigned int wire_bits(const struct counter_reading *reading)
{
	if (counter_reading_group(reading) != COUNTER_GROUP_TRAFFIC)
		return 0;
	switch (counter_reading_unit(reading)) {
	case COUNTER_UNIT_BYTES:
		return 8;
	case COUNTER_UNIT_BITS:
		return 1;
	default:
		return 0;
	}
}

static void set_rates(struct counter_change *change, double seconds)
{
	const struct port *port = change->reading.port;
	const unsigned int bits = wire_bits(&change->reading);

	change->interval_sec = real_of(seconds);
	if (!change->growth.known)
		return;
	change->rate_per_sec = real_of((double)change->growth.value / seconds);
	if (!bits)
		return;
	change->gbps = real_of(change->rate_per_sec.value * bits / 1e9);
	if (port && port->rate_gbps.known && port->rate_gbps.value > 0)
		change->percent_of_rate = real_of(change->gbps.value / port->rate_gbps.value * 100);
}

static struct counter_change *add(struct counter_changes *changes,
				  const struct counter_reading *reading,
				  const struct counter_interval *interval)
{
	struct counter_change *change = mem_append(&changes->items, &changes->count,
						   sizeof(*changes->items));

	change->reading = *reading;
	change->time = interval->time;
	return change;
}

/* Each reading has its own moment; of one that was saved only that of them all is known. */
static double seconds_of(const struct counter_reading *before, const struct counter_reading *after,
			 const struct counter_interval *interval)
{
	if (before && before->taken_nsec && after->taken_nsec > before->taken_nsec)
		return (double)(after->taken_nsec - before->taken_nsec) / 1e9;
	return interval->seconds;
}

static void add_change(struct counter_changes *changes, const struct counter_reading *before,
		       const struct counter_reading *after, const struct counter_interval *interval)
{
	struct counter_change *change = add(changes, after, interval);

	number_set(&change->state, judge(before, after, interval));
	change->value = after->value;
	if (before)
		change->before = before->value;
	if (change->state.value == CHANGE_COUNTED)
		change->growth = counter_reading_growth(before, after);
	if (seconds_of(before, after, interval) > 0)
		set_rates(change, seconds_of(before, after, interval));
}

static void add_gone(struct counter_changes *changes, const struct counter_reading *before,
		     const struct counter_interval *interval)
{
	struct counter_change *change = add(changes, before, interval);

	number_set(&change->state, CHANGE_GONE);
	change->before = before->value;
}

/* Both lists have the same order, but for what came or went: look where one stood last. */
static size_t find(const struct counter_readings *before, const bool *taken, size_t from,
		   const struct counter_reading *wanted)
{
	for (size_t i = 0; i < before->count; i++) {
		size_t at = (from + i) % before->count;

		if (!taken[at] && counter_reading_same(&before->items[at], wanted))
			return at;
	}
	return before->count;
}

void counter_changes_make(struct counter_changes *changes, const struct counter_readings *before,
			  const struct counter_readings *after,
			  const struct counter_interval *interval)
{
	_cleanup_(freep) size_t *partners = mem_alloc_zero(after->count, sizeof(*partners));
	_cleanup_(freep) bool *taken = mem_alloc_zero(before->count, sizeof(*taken));
	size_t next = 0;

	for (size_t i = 0; i < after->count; i++) {
		partners[i] = find(before, taken, next, &after->items[i]);
		if (partners[i] == before->count)
			continue;
		taken[partners[i]] = true;
		next = partners[i] + 1;
	}
	next = 0;
	for (size_t i = 0; i < after->count; i++) {
		const size_t partner = partners[i];

		/* What is gone is told before what follows it. */
		for (; partner < before->count && next < partner; next++)
			if (!taken[next])
				add_gone(changes, &before->items[next], interval);
		add_change(changes, partner < before->count ? &before->items[partner] : NULL,
			   &after->items[i], interval);
	}
	for (; next < before->count; next++)
		if (!taken[next])
			add_gone(changes, &before->items[next], interval);
}

void counter_changes_clear(struct counter_changes *changes)
{
	free(changes->items);
	*changes = (struct counter_changes){0};
}
