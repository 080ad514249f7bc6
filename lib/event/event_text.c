/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats an event as a line of text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/event.h"
#include "host/port.h"

/* Fields that come in pairs, KEY_before and KEY, and the words for them. */
static const struct pair {
	const char *key;
	const char *label;
	const char *unit;
} pairs[] = {
	{"state", "state", ""},
	{"physical_state", "physical", ""},
	{"rate_gbps", "rate", " Gb/s"},
	{"active_mtu_bytes", "MTU", ""},
	{"lid", "LID", ""},
	{"sm_lid", "SM LID", ""},
	{"port_netdev", "netdev", ""},
	{"netdev_enabled", "enabled", ""},
	{"operstate", "operstate", ""},
	{"netdev_mtu_bytes", "MTU", ""},
	{"netdev_master", "master", ""},
};

static char *text_of(const struct event *event, const char *key)
{
	struct value value;

	field_get(schema_find(&event_schema, key), event, &value);
	switch (value.kind) {
	case VALUE_STRING:
		return mem_string(value.string);
	case VALUE_UNSIGNED:
		return mem_format("%" PRIu64, value.number);
	case VALUE_REAL:
		return mem_format("%g", value.real);
	case VALUE_BOOL:
		return mem_string(value.boolean ? "yes" : "no");
	default:
		return mem_string("-");
	}
}

/* Appends to a comma-separated list; takes ownership of `part`. */
static void append(char **text, char *part)
{
	char *longer = *text ? mem_format("%s, %s", *text, part) : NULL;

	if (longer) {
		free(*text);
		free(part);
	}
	*text = longer ? longer : part;
}

static void append_pair(const struct event *event, const struct pair *pair, char **text)
{
	_cleanup_(freep) char *key_before = mem_format("%s_before", pair->key);
	_cleanup_(freep) char *before = text_of(event, key_before);
	_cleanup_(freep) char *after = text_of(event, pair->key);

	if (strcmp(before, after))
		append(text, mem_format("%s %s -> %s%s", pair->label, before, after, pair->unit));
}

static char *gid_side(const struct event_gid *side)
{
	char gid[GID_TEXT_SIZE];

	gid_format(&side->gid.gid, gid);
	return mem_format("%s%s%s%s%s", gid, side->type.known ? " " : "",
			  side->type.known ? enum_word(gid_type_names, side->type.value, "?") : "",
			  side->netdev ? " " : "", side->netdev ? side->netdev : "");
}

static char *gid_text(const struct event *event)
{
	_cleanup_(freep) char *before = event->gid_before.gid.known ? gid_side(&event->gid_before)
								    : NULL;
	_cleanup_(freep) char *after = event->gid_after.gid.known ? gid_side(&event->gid_after)
								  : NULL;

	return mem_format("index %" PRIu64 ": %s%s%s", event->gid_index.value, before ? before : "",
			  before && after ? " -> " : "", after ? after : "");
}

static char *address_text(const struct event *event)
{
	char address[IP_TEXT_SIZE];

	ip_format(&event->address.address, address);
	return mem_format("%s/%" PRIu64, address, event->prefix_length.value);
}

/* The time with its unit, and no more digits than a reader needs. */
static char *time_text(uint64_t msec)
{
	const uint64_t seconds = msec / 1000, minutes = seconds / 60;

	if (msec < 1000)
		return mem_format("%" PRIu64 " ms", msec);
	if (msec < 60000)
		return mem_format("%g s", (double)(msec / 100) / 10);
	if (minutes < 60)
		return seconds % 60
			       ? mem_format("%" PRIu64 " min %" PRIu64 " s", minutes, seconds % 60)
			       : mem_format("%" PRIu64 " min", minutes);
	return minutes % 60
		       ? mem_format("%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60)
		       : mem_format("%" PRIu64 " h", minutes / 60);
}

static char *flap_text(const struct event *event)
{
	_cleanup_(freep) char *window = time_text(event->flap_window_msec.value);
	_cleanup_(freep) char *down = time_text(event->down_msec.value);

	return mem_format("down %" PRIu64 " times within %s, %s in all", event->flaps.value, window,
			  down);
}

void event_describe(struct event *event)
{
	char *text = NULL;

	if (event->name_before)
		append(&text, mem_format("%s -> %s", event->name_before,
					 event->object ? event->object : "-"));
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		append_pair(event, &pairs[i], &text);
	if (event->gid_index.known)
		append(&text, gid_text(event));
	if (event->address.known)
		append(&text, address_text(event));
	if (event->counter)
		append(&text, mem_format("%s grows by %g/s, more than %g/s, to %" PRIu64,
					 event->counter, event->rate_per_sec.value,
					 event->threshold.value, event->value.value));
	if (event->flaps.known) {
		append(&text, flap_text(event));
	} else if (event->down_msec.known) {
		_cleanup_(freep) char *down = time_text(event->down_msec.value);

		append(&text, mem_format("was down for %s", down));
	}
	if (!text && event->source.value == EVENT_SOURCE_START)
		append(&text, mem_string("the state when watching began"));
	if (event->word.value == EVENT_GAP)
		append(&text, mem_string("reports were lost: the state is read and compared"));
	free(event->change);
	event->change = text;
}
