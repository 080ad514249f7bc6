/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/event.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/netdev.h"
#include "host/port.h"
#include "mad/format/codes.h"
#include "schema/rows.h"

/* The severity of a word determines its colour. */
#define TONE_OF_INFO	TONE_PLAIN
#define TONE_OF_NOTICE	TONE_PLAIN
#define TONE_OF_WARNING TONE_WARNING
#define TONE_OF_ERROR	TONE_BAD

#define NAME_ROW(code, word, severity, help) {EVENT_##code, word, TONE_OF_##severity, help},
const struct enum_name event_names[] = {EVENT_WORDS(NAME_ROW){0, NULL}};

#define BIT_ROW(code, word, severity, help) \
	{UINT64_C(1) << EVENT_##code, word, TONE_OF_##severity, help},
const struct enum_name event_bits[] = {EVENT_WORDS(BIT_ROW){0, NULL}};

const struct enum_name event_source_names[] = {
	{EVENT_SOURCE_VERBS, "verbs", TONE_PLAIN, "an asynchronous event of the device"},
	{EVENT_SOURCE_UEVENT, "uevent", TONE_PLAIN, "a uevent of the kernel"},
	{EVENT_SOURCE_NLDEV, "nldev", TONE_PLAIN, "a notification of RDMA netlink"},
	{EVENT_SOURCE_RTNL, "rtnl", TONE_PLAIN, "a notification of rtnetlink"},
	{EVENT_SOURCE_COUNTERS, "counters", TONE_PLAIN, "two readings of a counter"},
	{EVENT_SOURCE_POLL, "poll", TONE_PLAIN, "polled once a second"},
	{EVENT_SOURCE_RESYNC, "resync", TONE_PLAIN, "compared after a gap"},
	{EVENT_SOURCE_START, "start", TONE_PLAIN, "the state when watching began"},
	{0, NULL},
};

static const enum severity severities[] = {
#define WORD_SEVERITY(code, word, severity, help) [EVENT_##code] = SEVERITY_##severity,
	EVENT_WORDS(WORD_SEVERITY)
#undef WORD_SEVERITY
};

struct event *event_list_add(struct event_list *list, enum event_word word,
			     const struct event_time *time, enum event_source source)
{
	struct event *event = mem_append(&list->items, &list->count, sizeof(*list->items));

	event->time = *time;
	event->word = number_of(word);
	event->severity = number_of(severities[word]);
	event->source = number_of(source);
	return event;
}

void event_clear(struct event *event)
{
	free(event->object);
	free(event->device);
	free(event->netdev);
	free(event->change);
	free(event->netdev_before.master);
	free(event->netdev_after.master);
	free(event->gid_before.netdev);
	free(event->gid_after.netdev);
	free(event->attached_before);
	free(event->attached);
	free(event->name_before);
	free(event->counter);
	*event = (struct event){.object = NULL};
}

void event_list_clear(struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		event_clear(&list->items[i]);
	free(list->items);
	*list = (struct event_list){.items = NULL};
}

static void get_time(const void *record, struct value *value)
{
	const struct event *event = record;

	if (!event->time.wall_nsec)
		return;
	utc_format(event->time.wall_nsec, value->scratch);
	value_set_string(value, value->scratch);
}

#define RECORD struct event
#define WAS    " before"
/* The values before and after of a member of struct event_port or event_netdev. */
#define NUMBER_PAIR(kind, side, member, key, heading, help)                                       \
	kind##_FIELD(RECORD, side##_before.member, key "_before", heading " BEFORE", FIELD_RIGHT, \
		     0, help WAS),                                                                \
		kind##_FIELD(RECORD, side##_after.member, key, heading, FIELD_RIGHT, 0, help)
#define WORD_PAIR(side, member, names, key, heading, help)                                      \
	WORD_AS(key "_before", side##_before.member, names, heading " BEFORE", 0, 0, help WAS), \
		WORD_AS(key, side##_after.member, names, heading, 0, 0, help)

static const struct field event_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_time, "time", "TIME", SHOWN, 0,
		       "when it was reported, RFC 3339 in UTC"),
	TEXT(object, "OBJECT", SHOWN, 0, "affected device, port (DEV/PORT) or netdev"),
	WORD_AS("event", word, event_names, "EVENT", SHOWN, 0, "what happened"),
	TEXT(change, "CHANGE", SHOWN, 0, "what changed, before and after, as text"),
	WORD(severity, severity_names, "SEVERITY", 0, 0, "info, notice, warning or error"),
	WORD(source, event_source_names, "SOURCE", 0, 0,
	     "source: verbs, uevent, nldev, rtnl, counters, poll, resync or start"),
	TEXT(device, "DEVICE", 0, 0, "the RDMA device, or the one that the netdev belongs to"),
	NUMBER(port, "PORT", 0, 0, "its port"),
	TEXT(netdev, "NETDEV", 0, 0, "the netdev, or the netdev of the port"),
	WORD_PAIR(port, state, port_state_names, "state", "STATE", "state of the port"),
	WORD_PAIR(port, physical_state, physical_state_names, "physical_state", "PHYSICAL STATE",
		  "physical state"),
	NUMBER_PAIR(REAL, port, rate_gbps, "rate_gbps", "RATE Gb/s", "rate, gigabits a second"),
	NUMBER_PAIR(UNSIGNED, port, active_mtu_bytes, "active_mtu_bytes", "MTU",
		    "active MTU of the port"),
	NUMBER_PAIR(UNSIGNED, port, lid, "lid", "LID", "LID of the port"),
	NUMBER_PAIR(UNSIGNED, port, sm_lid, "sm_lid", "SM LID", "LID of the subnet manager"),
	TEXT_AS("port_netdev_before", attached_before, "PORT NETDEV BEFORE", 0, 0,
		"netdev-attached, netdev-detached: the port's netdev before"),
	TEXT_AS("port_netdev", attached, "PORT NETDEV", 0, 0,
		"netdev-attached, netdev-detached: the port's netdev"),
	NUMBER(gid_index, "GID INDEX", 0, 0, "index in the port's GID table"),
	GID_FIELD(RECORD, gid_before.gid, "gid_before", "GID BEFORE", 0, 0, "the GID" WAS),
	GID_FIELD(RECORD, gid_after.gid, "gid", "GID", 0, 0, "the GID"),
	WORD_AS("gid_type_before", gid_before.type, gid_type_names, "GID TYPE BEFORE", 0, 0,
		"its type" WAS),
	WORD_AS("gid_type", gid_after.type, gid_type_names, "GID TYPE", 0, 0,
		"its type: ib, roce-v1 or roce-v2"),
	TEXT_AS("gid_netdev_before", gid_before.netdev, "GID NETDEV BEFORE", 0, 0,
		"its netdev" WAS),
	TEXT_AS("gid_netdev", gid_after.netdev, "GID NETDEV", 0, 0, "its netdev"),
	YES_NO_AS("netdev_enabled_before", netdev_before.enabled, "ENABLED BEFORE", 0, 0,
		  "whether the netdev was set up" WAS),
	YES_NO_AS("netdev_enabled", netdev_after.enabled, "ENABLED", 0, 0,
		  "whether the netdev is set up (IFF_UP)"),
	YES_NO_AS("netdev_running_before", netdev_before.running, "RUNNING BEFORE", 0, 0,
		  "whether it carried packets" WAS),
	YES_NO_AS("netdev_running", netdev_after.running, "RUNNING", 0, 0,
		  "whether it carries packets (IFF_RUNNING)"),
	WORD_PAIR(netdev, operstate, operstate_names, "operstate", "OPERSTATE",
		  "operational state of the netdev"),
	NUMBER_PAIR(UNSIGNED, netdev, mtu_bytes, "netdev_mtu_bytes", "NETDEV MTU",
		    "MTU of the netdev"),
	TEXT_AS("netdev_master_before", netdev_before.master, "MASTER BEFORE", 0, 0,
		"the bond, bridge or VRF that it belonged to" WAS),
	TEXT_AS("netdev_master", netdev_after.master, "MASTER", 0, 0,
		"the bond, bridge or VRF that it belongs to"),
	IP(address, "ADDRESS", 0, 0, "address-added, address-removed: the IP address"),
	NUMBER(prefix_length, "PREFIX", 0, 0, "its prefix length"),
	TEXT(name_before, "NAME BEFORE", 0, 0, "device-renamed, netdev-renamed: the old name"),
	TEXT(counter, "COUNTER", 0, 0, "counter: its name"),
	REAL_FIELD(RECORD, threshold, "threshold_per_sec", "THRESHOLD /s", FIELD_RIGHT, 0,
		   "counter: the limit of its growth"),
	REAL(rate_per_sec, "RATE /s", 0, 0, "counter: how fast it grew"),
	NUMBER(value, "VALUE", 0, 0, "counter: its present value"),
	NUMBER(down_msec, "DOWN ms", 0, 0,
	       "port-active: how long it was down; port-flapping: the total"),
	NUMBER(flaps, "FLAPS", 0, 0, "port-flapping: how often it was down"),
	NUMBER(flap_window_msec, "WINDOW ms", 0, 0,
	       "port-flapping: the period in which it was down"),
};

const struct schema event_schema = SCHEMA(
	"events", struct event, event_fields,
	"something that happened to a device, a port or a netdev");

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
	return field_text_or_dash(schema_find(&event_schema, key), event);
}

/* Appends to a comma-separated list; takes ownership of `part`. */
static void append(char **text, char *part)
{
	mem_extend(text, "%s%s", *text ? ", " : "", part);
	free(part);
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

/* Formats a duration with its unit, and no more digits than a reader needs. */
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

static char *counter_text(const struct event *event)
{
	char rate[TEXT_REAL_SIZE], limit[TEXT_REAL_SIZE];

	text_format_real(event->rate_per_sec.value, rate);
	text_format_real(event->threshold.value, limit);
	return mem_format("%s grows by %s/s, more than %s/s, to %" PRIu64, event->counter, rate,
			  limit, event->value.value);
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
		append(&text, counter_text(event));
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
