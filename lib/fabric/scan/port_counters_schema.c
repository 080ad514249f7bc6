/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of counters and their growth, and of counters in a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/graph/view_columns.h"
#include "fabric/scan/port_counters.h"

/* The counters have the keys and values of rdmactl perf. */
static void show_counter(const void *record, const char *key, struct value *value)
{
	const struct port_errors_row *row = record;
	const struct field *field = schema_find(&perf_schema, key);

	if (row->at.view)
		field_get(field, &row->counters, value);
}

#define EACH_COUNTER(ROW)                                                                         \
	ROW(symbol_errors, "SYMBOL ERRORS", 0,                                                    \
	    "minor link errors: bad symbols on one lane or more")                                 \
	ROW(link_error_recoveries, "RECOVERIES", 0,                                               \
	    "times that the link was retrained successfully")                                     \
	ROW(link_downed, "LINK DOWNED", 0, "times that retraining failed and the link went down") \
	ROW(rcv_errors, "RCV ERRORS", 0, "packets received with an error")                        \
	ROW(rcv_remote_physical_errors, "RCV REMOTE ERRORS", 0,                                   \
	    "packets received that another port had marked as bad")                               \
	ROW(rcv_switch_relay_errors, "RELAY ERRORS", 0,                                           \
	    "packets received that the switch could not forward")                                 \
	ROW(xmit_discards, "XMIT DISCARDS", 0,                                                    \
	    "packets not sent because the port was down or congested for too long")               \
	ROW(xmit_constraint_errors, "XMIT CONSTRAINTS", 0,                                        \
	    "packets not sent because of the partition or raw packet filter")                     \
	ROW(rcv_constraint_errors, "RCV CONSTRAINTS", 0,                                          \
	    "packets discarded because of the partition or raw packet filter")                    \
	ROW(local_link_integrity_errors, "LINK INTEGRITY", 0,                                     \
	    "times that local physical errors passed their threshold")                            \
	ROW(excessive_buffer_overruns, "BUFFER OVERRUNS", 0,                                      \
	    "times that consecutive buffer overruns passed their threshold")                      \
	ROW(qp1_dropped, "QP1 DROPPED", 0,                                                        \
	    "management datagrams to queue pair 1 dropped for lack of buffers")                   \
	ROW(vl15_dropped, "VL15 DROPPED", 0,                                                      \
	    "subnet management packets dropped for lack of buffers")                              \
	ROW(xmit_wait_ticks, "XMIT WAIT TICKS", FIELD_DEFAULT,                                    \
	    "ticks with data to send, but without credits or arbitration: congestion")            \
	ROW(xmit_data_bytes, "XMIT BYTES", 0, "bytes sent, without link packets")                 \
	ROW(rcv_data_bytes, "RCV BYTES", 0, "bytes received, without link packets")               \
	ROW(xmit_packets, "XMIT PACKETS", 0, "packets sent, without link packets")                \
	ROW(rcv_packets, "RCV PACKETS", 0, "packets received, without link packets")              \
	ROW(unicast_xmit_packets, "UNICAST XMIT", 0, "unicast packets sent, errors included")     \
	ROW(unicast_rcv_packets, "UNICAST RCV", 0, "unicast packets received, errors included")   \
	ROW(multicast_xmit_packets, "MULTICAST XMIT", 0,                                          \
	    "multicast packets sent, errors included")                                            \
	ROW(multicast_rcv_packets, "MULTICAST RCV", 0,                                            \
	    "multicast packets received, errors included")

#define COUNTER_GETTER(member_, ...)                                       \
	static void get_##member_(const void *record, struct value *value) \
	{                                                                  \
		show_counter(record, #member_, value);                     \
	}
EACH_COUNTER(COUNTER_GETTER)

#define COUNTER_COLUMN(member_, heading_, flags_, help_)                                       \
	VIEW_COLUMN(FIELD_UNSIGNED, get_##member_, #member_, heading_, (flags_) | FIELD_RIGHT, \
		    help_),

static const struct field errors_fields[] = {
	PLACE_COLUMNS(place_get_port),
	UNSIGNED_FIELD(struct port_errors_row, error_count, "error_count", "COUNT",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "sum of all error counters"),
	EACH_COUNTER(COUNTER_COLUMN)
		UNSIGNED_FIELD(struct port_errors_row, counters.width_bits, "width_bits", "WIDTH",
			       FIELD_RIGHT, 0, "width of the counters of bytes and packets"),
	LIST_FIELD(struct port_errors_row, counters.saturated, "saturated", "SATURATED", 0, 0,
		   "counters that have stopped at their maximum"),
	STRING_FIELD(struct port_errors_row, errors, "errors", "ERRORS", FIELD_DEFAULT, 0,
		     "the error counters that are not 0, the highest first"),
};

const struct schema fabric_errors_schema = SCHEMA("fabric_errors", struct port_errors_row,
						  errors_fields, "a port with errors");

static void get_counter(const void *record, struct value *value)
{
	const struct port_counter_growth *growth = record;

	if (growth->field)
		value_set_string(value, growth->field->key);
}

static const struct field growth_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_counter, "counter", "COUNTER", 0, 0,
		       "name of the counter, with its unit"),
	UNSIGNED_FIELD(struct port_counter_growth, before, "before", "BEFORE", FIELD_RIGHT, 0,
		       "value at the first reading"),
	UNSIGNED_FIELD(struct port_counter_growth, value, "value", "VALUE", FIELD_RIGHT, 0,
		       "value at the second reading"),
	UNSIGNED_FIELD(struct port_counter_growth, growth, "growth", "GROWTH", FIELD_RIGHT, 0,
		       "growth; empty if unknown"),
	REAL_FIELD(struct port_counter_growth, per_sec, "rate_per_sec", "RATE/s", FIELD_RIGHT, 0,
		   "growth per second"),
	ENUM_FIELD(struct port_counter_growth, state, counter_change_names, "state", "STATE", 0, 0,
		   "whether the growth is known, or why not"),
};

static const struct schema growth_schema = SCHEMA("counters", struct port_counter_growth,
						  growth_fields, "a counter of two readings");

static void get_counters(const void *record, struct value *value)
{
	const struct port_growth_row *row = record;

	value->kind = VALUE_RECORDS;
	value->records.rows = row->counters;
	value->records.count = row->count;
}

#define RATE(member_, heading_, flags_, help_)                                \
	REAL_FIELD(struct port_growth_row, rates.member_, #member_, heading_, \
		   (flags_) | FIELD_RIGHT, 0, help_)

static const struct field row_fields[] = {
	PLACE_COLUMNS(place_get_port),
	UNSIGNED_FIELD(struct port_growth_row, error_count, "error_count", "COUNT",
		       FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "least number of errors since the first reading"),
	RATE(interval_sec, "SECONDS", 0, "time between the two readings"),
	RATE(errors_per_sec, "ERRORS/s", 0, "growth of all error counters per second"),
	RATE(xmit_wait_ticks_per_sec, "WAIT TICKS/s", FIELD_DEFAULT,
	     "ticks per second with data to send, but without credits or arbitration"),
	RATE(xmit_gbps, "XMIT Gb/s", 0, "gigabits sent per second"),
	RATE(rcv_gbps, "RCV Gb/s", 0, "gigabits received per second"),
	RATE(xmit_packets_per_sec, "XMIT PACKETS/s", 0, "packets sent per second"),
	RATE(rcv_packets_per_sec, "RCV PACKETS/s", 0, "packets received per second"),
	LIST_FIELD(struct port_growth_row, rates.saturated, "saturated", "SATURATED", 0, 0,
		   "counters that have stopped at their maximum, and have no rate"),
	STRING_FIELD(struct port_growth_row, errors, "errors", "ERRORS", FIELD_DEFAULT, 0,
		     "the error counters that grew, the most first"),
	RECORDS_FIELD(get_counters, &growth_schema, NULL, "counters", 0, "all counters"),
};

const struct schema fabric_error_growth_schema = SCHEMA(
	"fabric_error_growth", struct port_growth_row, row_fields,
	"a port whose error counters grew, with --interval or --since");

static const struct field saved_fields[] = {
	UNSIGNED_FIELD(struct saved_port_counters, node_guid, "node_guid", "NODE GUID", FIELD_RIGHT,
		       0, "GUID of the node, as a number"),
	UNSIGNED_FIELD(struct saved_port_counters, port, "port", "PORT", FIELD_RIGHT, 0,
		       "number of the port"),
	UNSIGNED_FIELD(struct saved_port_counters, cap_mask, "cap_mask", "CAP MASK", FIELD_RIGHT, 0,
		       "CapabilityMask of the node's ClassPortInfo, as a number"),
	UNSIGNED_FIELD(struct saved_port_counters, cap_mask2, "cap_mask2", "CAP MASK 2",
		       FIELD_RIGHT, 0, "CapabilityMask2"),
	STRING_FIELD(struct saved_port_counters, counters, "port_counters", "COUNTERS", 0, 0,
		     "PortCounters as received, in hexadecimal"),
	STRING_FIELD(struct saved_port_counters, extended_counters, "port_counters_extended",
		     "EXTENDED COUNTERS", 0, 0, "PortCountersExtended as received, in hexadecimal"),
};

const struct schema saved_port_counters_schema = SCHEMA("saved_port_counters",
							struct saved_port_counters, saved_fields,
							"the saved counters of a port");

static char *to_hex(const uint8_t *bytes, size_t count)
{
	char *text = mem_alloc_zero(2 * count + 1, 1);

	for (size_t i = 0; i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool from_hex(const char *text, uint8_t *bytes, size_t count)
{
	if (strlen(text) != 2 * count)
		return false;
	for (size_t i = 0; i < count; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

struct saved_port_counters saved_port_counters_of(const struct fabric *fabric,
						  const struct port_counters *counters)
{
	return (struct saved_port_counters){
		.node_guid = number_of(fabric_node_of(fabric, counters->port)->guid),
		.port = number_of(fabric->ports[counters->port].number),
		.cap_mask = number_of(counters->caps.mask),
		.cap_mask2 = number_of(counters->caps.mask2),
		.counters = to_hex(counters->counters, PORT_COUNTERS_BYTES),
		.extended_counters = counters->extended ? to_hex(counters->extended_counters,
								 EXTENDED_PORT_COUNTERS_BYTES)
							: NULL,
	};
}

static bool parse_saved(const struct saved_port_counters *saved, struct port_counters *counters)
{
	if (!saved->node_guid.known || !saved->port.known || !saved->counters ||
	    !from_hex(saved->counters, counters->counters, PORT_COUNTERS_BYTES))
		return false;
	counters->read = true;
	counters->caps = (struct perf_caps){
		.mask = (uint32_t)saved->cap_mask.value,
		.mask2 = (uint32_t)saved->cap_mask2.value,
	};
	counters->extended = saved->extended_counters;
	return !counters->extended ||
	       from_hex(saved->extended_counters, counters->extended_counters,
			EXTENDED_PORT_COUNTERS_BYTES);
}

static int compare_ports(const void *a, const void *b)
{
	uint32_t one = ((const struct port_counters *)a)->port;
	uint32_t other = ((const struct port_counters *)b)->port;

	return (one > other) - (one < other);
}

long saved_port_counters_load(const struct fabric *fabric, const struct saved_port_counters *saved,
			      size_t count, struct port_errors *errors)
{
	long others = 0;

	for (size_t i = 0; i < count; i++) {
		struct port_counters one = {.read = false};
		uint32_t node;

		if (!parse_saved(&saved[i], &one))
			return -EINVAL;
		node = fabric_find(fabric, saved[i].node_guid.value);
		if (node == FABRIC_NONE || fabric->nodes[node].ambiguous ||
		    saved[i].port.value > fabric->nodes[node].port_count) {
			others++;
			continue;
		}
		one.port = fabric_port_at(fabric, node, (unsigned int)saved[i].port.value);
		*(struct port_counters *)mem_append(&errors->items, &errors->count,
						    sizeof(one)) = one;
	}
	if (errors->count)
		qsort(errors->items, errors->count, sizeof(*errors->items), compare_ports);
	return others;
}
