/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "top/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "counter/pma_probe.h"
#include "host/need.h"
#include "schema/rows.h"

#define BITS_PER_GBIT 1e9
enum { BITS_PER_BYTE = 8 };

/*
 * Several places may count the same thing, so adding all of them would count it twice: only the
 * counters of the best place that a port has are added, and if these cannot be read, no other place
 * is used instead. Traffic of the netdev includes more than RDMA, and serves ports without RDMA
 * counters of their own, such as those of siw.
 */
enum place { PLACE_WHOLE, PLACE_PARTS, PLACE_FALLBACK, PLACE_NETDEV, PLACES, NO_PLACE = PLACES };

struct tally {
	double per_sec;
	uint64_t growth;
	bool exists; /* the port has such a counter, though its growth may be unknown */
	bool known;
	enum counter_source source;
};

typedef struct tally tallies[TOP_SUMS][PLACES];

static bool find_traffic(const struct counter_name *name, enum top_sum *ret_sum)
{
	const bool bytes = name->unit == COUNTER_UNIT_BYTES;

	if (name->group != COUNTER_GROUP_TRAFFIC || name->part || strchr(name->canonical, '*') ||
	    (!bytes && name->unit != COUNTER_UNIT_PACKETS))
		return false;
	if (name->direction == COUNTER_TX)
		*ret_sum = bytes ? TOP_TX_BYTES : TOP_TX_PACKETS;
	else if (name->direction == COUNTER_RX)
		*ret_sum = bytes ? TOP_RX_BYTES : TOP_RX_PACKETS;
	else
		return false;
	return true;
}

static enum place place_of_traffic(enum counter_source source, const struct counter_name *name)
{
	if (source == COUNTER_SOURCE_NETDEV)
		return PLACE_NETDEV;
	if (name->fallback)
		return PLACE_FALLBACK;
	return !strcmp(name->canonical + strlen("tx_"), "bytes") ||
			       !strcmp(name->canonical + strlen("tx_"), "packets")
		       ? PLACE_WHOLE
		       : PLACE_PARTS;
}

static bool find_congestion(const struct counter_name *name, enum top_sum *ret_sum)
{
	if (name->group != COUNTER_GROUP_CONGESTION || strchr(name->canonical, '*'))
		return false;
	if (text_ends_with(name->canonical, "ecn_marked_packets"))
		*ret_sum = TOP_ECN;
	else if (strstr(name->canonical, "_cnp_"))
		*ret_sum = TOP_CNP;
	else if (!strcmp(name->canonical, "tx_wait_ticks"))
		*ret_sum = TOP_WAIT;
	else
		return false;
	return true;
}

static enum place find_place(enum counter_source source, const struct counter_name *name,
			     enum top_sum *ret_sum)
{
	if (!name || source == COUNTER_SOURCE_CM)
		return NO_PLACE;
	if (find_traffic(name, ret_sum))
		return place_of_traffic(source, name);
	if (source == COUNTER_SOURCE_NETDEV)
		return NO_PLACE;
	if (name->class == COUNTER_RETRANSMISSION)
		*ret_sum = TOP_RETRANSMISSIONS;
	else if (counter_name_counts_loss(name) && !name->part)
		*ret_sum = TOP_DROPS;
	else if (!find_congestion(name, ret_sum))
		return NO_PLACE;
	return name->fallback ? PLACE_FALLBACK : PLACE_WHOLE;
}

static bool may_be_worst(enum counter_source source, const struct counter_name *name)
{
	return name && name->severity >= COUNTER_WARNING && source != COUNTER_SOURCE_CM &&
	       source != COUNTER_SOURCE_NETDEV;
}

bool top_wants(enum counter_source source, const struct counter_name *name)
{
	enum top_sum sum;

	return find_place(source, name, &sum) != NO_PLACE || may_be_worst(source, name);
}

/* A counter of a device with only one port counts as that port's. */
static const struct port *port_of(const struct counter_reading *reading)
{
	const struct device *device = reading->device;

	if (reading->port || !device || device->port_count != 1)
		return reading->port;
	return &device->ports[0];
}

/* The counter does not exist: another place counts instead. */
static bool is_absent(const struct counter_reading *reading)
{
	return reading->problem && pma_text_is_absent(reading->problem);
}

bool top_has_bytes(const struct inventory *inventory, const struct counter_readings *readings)
{
	const struct port *last = NULL;
	size_t ports = 0, with_bytes = 0;

	for (size_t i = 0; i < inventory->devices.count; i++)
		ports += inventory->devices.items[i].port_count;
	/* Readings are in the order of ports. */
	for (size_t i = 0; i < readings->count; i++) {
		const struct counter_reading *reading = &readings->items[i];
		const struct port *port = port_of(reading);
		enum top_sum sum;

		if (port && port != last && !is_absent(reading) &&
		    find_place(reading->source, reading->name, &sum) < PLACE_NETDEV &&
		    sum == TOP_TX_BYTES) {
			with_bytes++;
			last = port;
		}
	}
	return with_bytes == ports;
}

static struct top_port *find_port(const struct top *top, const char *device, uint64_t port,
				  size_t hint)
{
	for (size_t i = 0; i < top->port_count; i++) {
		struct top_port *row = &top->ports[(hint + i) % top->port_count];

		if (row->port.value == port && !strcmp(row->device, device))
			return row;
	}
	return NULL;
}

static void begin_round(struct top *top)
{
	for (size_t i = 0; i < top->port_count; i++) {
		struct top_port *row = &top->ports[i];

		row->time = top->time;
		row->present = TRISTATE_NO;
		row->state.known = row->rate_gbps.known = row->bytes_source.known = false;
		memset(row->per_sec, 0, sizeof(row->per_sec));
		row->tx_gbps.known = row->rx_gbps.known = false;
		row->tx_percent.known = row->rx_percent.known = false;
		row->worst.per_sec.known = false;
	}
}

static void take_port(struct top *top, const struct port *port, size_t hint)
{
	struct top_port *row = find_port(top, port->device, port->port.value, hint);

	if (!row) {
		row = mem_append(&top->ports, &top->port_count, sizeof(*top->ports));
		row->device = mem_string(port->device);
		row->port = port->port;
		row->object = port_object(port);
		row->time = top->time;
		row->flaps.known = top->watched;
	}
	row->present = TRISTATE_YES;
	row->state = port->state;
	row->rate_gbps = port->rate_gbps;
	free(row->netdev);
	row->netdev = mem_string_or_null(port->netdev);
}

static int compare_objects(const void *a, const void *b)
{
	const struct top_port *one = a, *other = b;

	return text_compare_natural(one->object, other->object);
}

static void take_ports(struct top *top, const struct inventory *inventory)
{
	const size_t before = top->port_count;
	size_t at = 0;

	for_each_port (device, port, &inventory->devices)
		take_port(top, port, at++);
	if (top->port_count != before)
		qsort(top->ports, top->port_count, sizeof(*top->ports), compare_objects);
}

static void tally(struct tally *tally, const struct counter_change *change)
{
	tally->exists |= change->state.value != CHANGE_GONE && !is_absent(&change->reading);
	if (!change->growth.known || !change->rate_per_sec.known)
		return;
	tally->per_sec += change->rate_per_sec.value;
	tally->growth += change->growth.value;
	tally->source = change->reading.source;
	tally->known = true;
}

static bool is_worse(const struct counter_change *change, const struct top_worst *worst)
{
	if (!worst->per_sec.known)
		return true;
	if (change->reading.name->severity != worst->severity.value)
		return change->reading.name->severity > worst->severity.value;
	return change->rate_per_sec.value > worst->per_sec.value;
}

static void judge(struct top_port *row, const struct counter_change *change)
{
	struct top_worst *worst = &row->worst;

	if (!may_be_worst(change->reading.source, change->reading.name) || !change->growth.known ||
	    !change->growth.value || !change->rate_per_sec.known || !is_worse(change, worst))
		return;
	free(worst->counter);
	free(worst->time);
	worst->counter = mem_string(change->reading.counter);
	worst->time = mem_string(row->time);
	number_set(&worst->severity, change->reading.name->severity);
	worst->per_sec = change->rate_per_sec;
}

static void set_gbps(const struct top_port *row, const struct real *bytes, struct real *gbps,
		     struct real *percent)
{
	if (!bytes->known)
		return;
	*gbps = real_of(bytes->value * BITS_PER_BYTE / BITS_PER_GBIT);
	if (row->rate_gbps.known && row->rate_gbps.value > 0)
		*percent = real_of(gbps->value / row->rate_gbps.value * 100);
}

static void finish_row(struct top_port *row, tallies sums)
{
	for (size_t sum = 0; sum < TOP_SUMS; sum++) {
		const struct tally *best = sums[sum];

		while (best < sums[sum] + PLACES - 1 && !best->exists)
			best++;
		if (!best->known)
			continue;
		row->per_sec[sum] = real_of(best->per_sec);
		number_set(&row->totals[sum], row->totals[sum].value + best->growth);
		if (sum == TOP_TX_BYTES || sum == TOP_RX_BYTES)
			number_set(&row->bytes_source, best->source);
	}
	set_gbps(row, &row->per_sec[TOP_TX_BYTES], &row->tx_gbps, &row->tx_percent);
	set_gbps(row, &row->per_sec[TOP_RX_BYTES], &row->rx_gbps, &row->rx_percent);
}

static void take_changes(struct top *top, const struct counter_changes *changes)
{
	tallies *sums = mem_alloc_zero(top->port_count + 1, sizeof(*sums));
	size_t hint = 0;

	for (size_t i = 0; i < changes->count; i++) {
		const struct counter_change *change = &changes->items[i];
		const struct port *port = port_of(&change->reading);
		enum top_sum sum;
		enum place place;
		struct top_port *row;

		if (!port)
			continue;
		row = find_port(top, port->device, port->port.value, hint);
		if (!row || row->present != TRISTATE_YES)
			continue;
		hint = (size_t)(row - top->ports);
		place = find_place(change->reading.source, change->reading.name, &sum);
		if (place != NO_PLACE)
			tally(&sums[hint][sum][place], change);
		judge(row, change);
	}
	for (size_t i = 0; i < top->port_count; i++)
		finish_row(&top->ports[i], sums[i]);
	free(sums);
}

void top_update(struct top *top, const struct inventory *inventory,
		const struct counter_changes *changes, const char *time)
{
	free(top->time);
	top->time = mem_string(time);
	begin_round(top);
	take_ports(top, inventory);
	take_changes(top, changes);
}

static void count_flap(struct top *top, const struct event *event)
{
	struct top_port *row;

	if (event->word.value != EVENT_PORT_DOWN || !event->device)
		return;
	row = find_port(top, event->device, event->port.value, 0);
	if (row)
		number_set(&row->flaps, row->flaps.value + 1);
}

void top_take_events(struct top *top, struct event_list *events)
{
	struct event_list *kept = &top->events;

	for (size_t i = 0; i < events->count; i++) {
		count_flap(top, &events->items[i]);
		if (kept->count == TOP_EVENTS) {
			event_clear(&kept->items[0]);
			kept->count--;
			memmove(kept->items, kept->items + 1, kept->count * sizeof(*kept->items));
		}
		MEM_ADD(kept->items, kept->count) = events->items[i];
	}
	free(events->items);
	*events = (struct event_list){0};
}

void top_clear(struct top *top)
{
	for (size_t i = 0; i < top->port_count; i++) {
		struct top_port *row = &top->ports[i];

		free(row->object);
		free(row->device);
		free(row->netdev);
		free(row->worst.counter);
		free(row->worst.time);
	}
	free(top->ports);
	event_list_clear(&top->events);
	free(top->time);
	*top = (struct top){0};
}

#define RECORD struct top_port
#define RATE(sum, key, heading, flags, help) \
	REAL_FIELD(RECORD, per_sec[sum], key, heading, (flags) | FIELD_RIGHT, 0, help)
#define TOTAL(sum, key, heading, flags, help) \
	NUMBER_AS(key, totals[sum], heading, flags, 0, help ", since the start")

/* The fields of a row, for JSON and for tables of every round. */
static const struct field fields[] = {
	TEXT(time, "TIME", SHOWN, 0, "when the round was read, UTC"),
	TEXT(object, "PORT", SHOWN, 0, "DEV/PORT"),
	TEXT(device, "DEVICE", 0, 0, "name of the device"),
	NUMBER(port, "NUMBER", 0, 0, "port number"),
	YES_NO(present, "PRESENT", 0, 0, "whether it is there now; no: it was removed"),
	TEXT(netdev, "NETDEV", 0, NEED_NETDEV, "network device of the port"),
	WORD(state, port_state_names, "STATE", SHOWN, NEED_STATE, "logical state"),
	REAL(rate_gbps, "RATE", 0, NEED_RATE, "rate of the link, Gb/s"),
	REAL(tx_gbps, "TX Gb/s", SHOWN, 0, "bytes sent, in 10^9 bits per second"),
	REAL(rx_gbps, "RX Gb/s", SHOWN, 0, "bytes received, in 10^9 bits per second"),
	REAL(tx_percent, "TX %", 0, NEED_RATE,
	     "transmit rate as a percentage of the rate of the link"),
	REAL(rx_percent, "RX %", 0, NEED_RATE,
	     "receive rate as a percentage of the rate of the link"),
	WORD(bytes_source, counter_source_names, "BYTES OF", 0, 0,
	     "source of the byte counts; netdev: all traffic of the network device"),
	RATE(TOP_TX_PACKETS, "tx_packets_per_sec", "TX PKT/S", SHOWN, "packets sent per second"),
	RATE(TOP_RX_PACKETS, "rx_packets_per_sec", "RX PKT/S", SHOWN,
	     "packets received per second"),
	RATE(TOP_DROPS, "drops_per_sec", "DROPS/S", 0, "packets lost per second"),
	TOTAL(TOP_DROPS, "drops", "DROPS", SHOWN, "packets that the adapter lost"),
	RATE(TOP_RETRANSMISSIONS, "retransmissions_per_sec", "RETR/S", 0,
	     "retransmissions and their causes per second"),
	TOTAL(TOP_RETRANSMISSIONS, "retransmissions", "RETR", SHOWN,
	      "packets sent again, and events that cause it"),
	RATE(TOP_ECN, "ecn_marked_per_sec", "ECN/S", 0,
	     "packets received with ECN marks per second"),
	TOTAL(TOP_ECN, "ecn_marked", "ECN", SHOWN, "packets received with ECN marks"),
	RATE(TOP_CNP, "cnps_per_sec", "CNP/S", 0,
	     "congestion notification packets sent, handled and ignored per second"),
	TOTAL(TOP_CNP, "cnps", "CNP", SHOWN,
	      "congestion notification packets sent, handled and ignored"),
	RATE(TOP_WAIT, "wait_ticks_per_sec", "WAIT/S", 0,
	     "ticks per second that it waited to send"),
	TOTAL(TOP_WAIT, "wait_ticks", "WAIT", SHOWN,
	      "ticks in which it had data to send and could not"),
	NUMBER(flaps, "FLAPS", SHOWN, 0, "times that the port went down since the start"),
	TEXT_AS("worst_counter", worst.counter, "WORST", SHOWN, 0,
		"the error counter that moved last; the worst if several did"),
	WORD_AS("worst_severity", worst.severity, counter_severity_names, "SEVERITY", 0, 0,
		"how serious that is"),
	REAL_FIELD(RECORD, worst.per_sec, "worst_per_sec", "WORST/S", SHOWN | FIELD_RIGHT, 0,
		   "how fast it grew in this round; unknown if it did not"),
	TEXT_AS("worst_time", worst.time, "WORST TIME", 0, 0, "when it moved last"),
};

const struct schema top_schema = SCHEMA("top", struct top_port, fields,
					"a port in a round of rdmactl top");
