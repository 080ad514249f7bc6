/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_change.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/need.h"

const struct enum_name counter_change_names[] = {
	{CHANGE_COUNTED, "counted", TONE_PLAIN, "counting normally: growth is known"},
	{CHANGE_GAUGE, "gauge", TONE_PLAIN, "goes up and down: it has a value but no rate"},
	{CHANGE_SATURATED, "saturated", TONE_WARNING, "at its maximum: it has stopped counting"},
	{CHANGE_CLEARED, "cleared", TONE_WARNING,
	 "its value decreased: it was reset or wrapped around"},
	{CHANGE_REPLACED, "replaced", TONE_WARNING,
	 "another device has its name, or the device was added again"},
	{CHANGE_RESTARTED, "restarted", TONE_WARNING,
	 "the host was restarted, which resets all counters"},
	{CHANGE_NEW, "new", TONE_PLAIN, "it had no value before"},
	{CHANGE_GONE, "gone", TONE_WARNING, "it no longer exists under this name"},
	{CHANGE_UNREADABLE, "unreadable", TONE_WARNING, "it has no value now"},
	{0, NULL},
};

static bool differ(const struct number *a, const struct number *b)
{
	return a->known && b->known && a->value != b->value;
}

/* The kernel never reuses a device index: a device that was removed and added has a new one. */
bool counter_device_is_replaced(const struct device *before, const struct device *after)
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
	if (counter_reading_name(after)->kind == COUNTER_GAUGE)
		return CHANGE_GAUGE;
	if (interval->restarted)
		return CHANGE_RESTARTED;
	if (before && counter_device_is_replaced(before->device, after->device))
		return CHANGE_REPLACED;
	if (!before || !before->value.known)
		return CHANGE_NEW;
	if (after->value.value < before->value.value)
		return CHANGE_CLEARED;
	return after->saturated ? CHANGE_SATURATED : CHANGE_COUNTED;
}

/*
 * Bits per unit on the wire: 1 for bits, 8 for bytes, 0 for counters that are not an amount of
 * data.
 */
static unsigned int wire_bits(const struct counter_reading *reading)
{
	const struct counter_name *name = counter_reading_name(reading);

	if (name->group != COUNTER_GROUP_TRAFFIC)
		return 0;
	return name->unit == COUNTER_UNIT_BYTES ? 8 : name->unit == COUNTER_UNIT_BITS ? 1 : 0;
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

/* Each reading has its own time; saved readings have only a common one. */
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

static int compare_readings(const void *a, const void *b)
{
	const struct counter_reading *one = *(const struct counter_reading *const *)a;
	const struct counter_reading *other = *(const struct counter_reading *const *)b;

	return counter_reading_compare(one, other) ?: COMPARE(one, other);
}

static const struct counter_reading **sort(const struct counter_readings *readings)
{
	const struct counter_reading **sorted = mem_alloc_zero(readings->count + 1,
							       sizeof(*sorted));

	for (size_t i = 0; i < readings->count; i++)
		sorted[i] = &readings->items[i];
	qsort(sorted, readings->count, sizeof(*sorted), compare_readings);
	return sorted;
}

/*
 * Finds for each reading of `after` the one of the same counter in `before`, or before->count, and
 * marks which readings of `before` have a partner.
 */
static void find_partners(const struct counter_readings *before,
			  const struct counter_readings *after, size_t *partners, bool *taken)
{
	_cleanup_(freep) const struct counter_reading **earlier = sort(before);
	_cleanup_(freep) const struct counter_reading **later = sort(after);

	for (size_t i = 0; i < after->count; i++)
		partners[i] = before->count;
	for (size_t i = 0, j = 0; i < before->count && j < after->count;) {
		const int order = counter_reading_compare(earlier[i], later[j]);

		if (!order) {
			partners[later[j] - after->items] = (size_t)(earlier[i] - before->items);
			taken[earlier[i] - before->items] = true;
		}
		i += order <= 0;
		j += order >= 0;
	}
}

void counter_changes_make(struct counter_changes *changes, const struct counter_readings *before,
			  const struct counter_readings *after,
			  const struct counter_interval *interval)
{
	_cleanup_(freep) size_t *partners = mem_alloc_zero(after->count, sizeof(*partners));
	_cleanup_(freep) bool *taken = mem_alloc_zero(before->count, sizeof(*taken));
	size_t next = 0;

	find_partners(before, after, partners, taken);
	for (size_t i = 0; i < after->count; i++) {
		const size_t partner = partners[i];

		/* A missing counter is listed before the one that followed it. */
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

unsigned int counter_change_rank(const struct counter_change *change)
{
	switch (change->state.value) {
	case CHANGE_COUNTED:
		break;
	case CHANGE_GAUGE:
	case CHANGE_NEW:
		return 0;
	default:
		return 3;
	}
	if (!change->growth.known || !change->growth.value)
		return 0;
	/* 1 for COUNTER_INFO to 3 for COUNTER_SERIOUS. */
	return counter_reading_name(&change->reading)->severity + 1u;
}

void counter_changes_clear(struct counter_changes *changes)
{
	free(changes->items);
	*changes = (struct counter_changes){0};
}

static void get_netdev(const void *record, struct value *value)
{
	value_set_string(value, ((const struct counter_change *)record)->reading.netdev);
}

/* Growth determines the colour of bad news, whatever the total is. */
static enum tone growth_tone(const struct counter_change *change)
{
	if (!change->growth.known || !change->growth.value)
		return TONE_PLAIN;
	return enum_find(counter_severity_names, counter_reading_name(&change->reading)->severity)
		->tone;
}

static void get_growth(const void *record, struct value *value)
{
	const struct counter_change *change = record;

	if (!change->growth.known)
		return;
	value_set_unsigned(value, change->growth.value);
	value->tone = growth_tone(change);
}

static void get_rate(const void *record, struct value *value)
{
	const struct counter_change *change = record;

	if (!change->rate_per_sec.known)
		return;
	value_set_real(value, change->rate_per_sec.value);
	value->tone = growth_tone(change);
}

#define REAL_COLUMN(member_, digits_, key_, heading_, flags_, needs_, help_, ...)                  \
	REAL_FIELD(struct counter_change, member_, key_, heading_, (flags_) | FIELD_RIGHT, needs_, \
		   help_, .digits = digits_, ##__VA_ARGS__)

static const struct field fields[] = {
	STRING_FIELD(struct counter_change, time, "time", "TIME", FIELD_DEFAULT, 0,
		     "when the later reading was taken"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_object, "object", "OBJECT", FIELD_DEFAULT, 0,
		       "object of the counter: DEV/PORT, DEV or a netdev"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_device, "device", "DEVICE", 0, 0,
		       "name of the device"),
	COMPUTED_FIELD(FIELD_UNSIGNED, counter_get_port, "port", "PORT", FIELD_RIGHT, 0,
		       "port number; none for a counter of the device"),
	COMPUTED_FIELD(FIELD_STRING, get_netdev, "netdev", "NETDEV", 0, 0,
		       "network device of the port, for a counter of that device"),
	COMPUTED_ENUM_FIELD(counter_get_source, counter_source_names, "source", "SOURCE", 0,
			    "where the kernel keeps the counter"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_counter, "counter", "COUNTER", FIELD_DEFAULT, 0,
		       "name of the counter"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_kernel_name, "kernel_name", "KERNEL NAME", 0, 0,
		       "the kernel's name of the counter"),
	COMPUTED_ENUM_FIELD(counter_get_unit, counter_unit_names, "unit", "UNIT", FIELD_DEFAULT,
			    "what it counts"),
	COMPUTED_ENUM_FIELD(counter_get_direction, counter_direction_names, "direction",
			    "DIRECTION", 0, "whether it counts sent (tx) or received (rx) data"),
	COMPUTED_ENUM_FIELD(counter_get_group, counter_group_names, "group", "GROUP", 0,
			    "its subject"),
	COMPUTED_ENUM_FIELD(counter_get_severity, counter_severity_names, "severity", "SEVERITY", 0,
			    "how serious it is that it grows"),
	UNSIGNED_FIELD(struct counter_change, before, "before", "BEFORE", FIELD_RIGHT, 0,
		       "value of the earlier reading"),
	UNSIGNED_FIELD(struct counter_change, value, "value", "VALUE", FIELD_RIGHT, 0,
		       "value of the later reading"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_growth, "growth", "GROWTH", FIELD_RIGHT, 0,
		       "growth from the earlier reading to the later one"),
	REAL_COLUMN(interval_sec, 1, "interval_sec", "SECONDS", 0, 0,
		    "time between the two readings"),
	REAL_COLUMN(rate_per_sec, 1, "rate_per_sec", "PER SECOND", FIELD_DEFAULT, 0,
		    "growth per second, in the unit", .get = get_rate),
	REAL_COLUMN(gbps, 6, "throughput_gbps", "Gb/s", FIELD_DEFAULT, 0,
		    "that rate for bytes on the wire, in 10^9 bits per second"),
	REAL_COLUMN(percent_of_rate, 2, "percent_of_rate", "% OF RATE", FIELD_DEFAULT, NEED_RATE,
		    "that rate as a percentage of the active rate of the port"),
	ENUM_FIELD(struct counter_change, state, counter_change_names, "state", "STATE",
		   FIELD_DEFAULT, NEED_NETLINK | NEED_GUIDS,
		   "whether its growth is known; if not, why"),
	COMPUTED_FIELD(FIELD_STRING, counter_get_problem, "problem", "PROBLEM", 0, 0,
		       "why it has no value now"),
};

static const struct column_view views[] = {
	{"--since", "object,counter,unit,before,value,growth,state"},
	/* The time is shown above the table. */
	{"--watch on a terminal",
	 "object,counter,unit,rate_per_sec,throughput_gbps,percent_of_rate,state"},
	{NULL, NULL},
};

const struct schema counter_rates_schema = SCHEMA(
	"counter_rates", struct counter_change, fields,
	"how much and how fast a counter grew: counters --watch and --since", .views = views);
