/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates: how much the counters of a row grew between two readings, and their schemas. */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/perf/perf_listings.h"
#include "mad/perf/perf_record.h"
#include "mad/perf/perf_sample.h"

#define BITS_PER_GIGABIT 1e9

#define RECORD struct perf_rates

#define COMMON_FIELDS \
	TEXT(time, "TIME", SHOWN, 0, "when the counters were read"), PERF_PORT_FIELDS("rates")
#define SECONDS_FIELD REAL(interval_sec, "SECONDS", 0, 0, "time between the two readings")
#define SATURATED_FIELD                    \
	LIST(saturated, "SATURATED", 0, 0, \
	     "counters that stopped at their maximum: they have no rate")

static const struct field port_fields[] = {
	COMMON_FIELDS,
	SECONDS_FIELD,
	REAL(xmit_gbps, "XMIT Gb/s", SHOWN, 0, "gigabits sent per second"),
	REAL(rcv_gbps, "RCV Gb/s", SHOWN, 0, "gigabits received per second"),
	REAL(xmit_packets_per_sec, "XMIT PACKETS/s", SHOWN, 0, "packets sent per second"),
	REAL(rcv_packets_per_sec, "RCV PACKETS/s", SHOWN, 0, "packets received per second"),
	REAL(errors_per_sec, "ERRORS/s", SHOWN, 0, "growth of all error counters per second"),
	REAL(xmit_wait_ticks_per_sec, "WAIT TICKS/s", SHOWN, 0,
	     "ticks per second with data to send, but without credits or arbitration"),
	SATURATED_FIELD,
};

/* The index of a counter's rate in the array: that of the counter in struct perf_record. */
#define PLACE_AT(offset_) \
	(((offset_)-offsetof(struct perf_record, symbol_errors)) / sizeof(struct perf_counter))
#define LISTED_RATE(group_, member_, heading_, key_, rate_, help_)                                 \
	REAL_FIELD(RECORD, counters[PLACE_AT(offsetof(struct perf_record, member_))], key_, rate_, \
		   FIELD_DEFAULT | FIELD_RIGHT, 0, help_ ", per second"),

#define LANE_FIELD NUMBER(lane, "LANE", SHOWN, 0, "lane of the link; none: all lanes together")

static const struct field vl_fields[] = {COMMON_FIELDS, PERF_VL_FIELD("rates"), SECONDS_FIELD,
					 PERF_VL_COUNTERS(LISTED_RATE) SATURATED_FIELD};
static const struct field sl_fields[] = {COMMON_FIELDS, PERF_SL_FIELD("rates"), SECONDS_FIELD,
					 PERF_SL_COUNTERS(LISTED_RATE) SATURATED_FIELD};
static const struct field details_fields[] = {COMMON_FIELDS, SECONDS_FIELD,
					      PERF_DETAIL_COUNTERS(LISTED_RATE) SATURATED_FIELD};
static const struct field flow_fields[] = {COMMON_FIELDS, SECONDS_FIELD,
					   PERF_FLOW_COUNTERS(LISTED_RATE) SATURATED_FIELD};
static const struct field fec_fields[] = {COMMON_FIELDS, LANE_FIELD, SECONDS_FIELD,
					  PERF_FEC_COUNTERS(LISTED_RATE) SATURATED_FIELD};
static const struct field congestion_fields[] = {COMMON_FIELDS, PERF_VL_FIELD("rates"),
						 PERF_SL_FIELD("rates"), SECONDS_FIELD,
						 PERF_CONGESTION_COUNTERS(LISTED_RATE)
							 SATURATED_FIELD};

static const struct schema schemas[] = {
	[PERF_OF_PORT] = SCHEMA("perf_rates", RECORD, port_fields,
				"the rates of the counters of a port: --watch"),
	[PERF_OF_VL] = SCHEMA("perf_vl_rates", RECORD, vl_fields,
			      "the rates of the counters of a virtual lane: --watch --vl"),
	[PERF_OF_FEC] = SCHEMA("perf_fec_rates", RECORD, fec_fields,
			       "the rates of a link's encoding errors: --watch --fec"),
	[PERF_OF_CONGESTION] = SCHEMA("perf_congestion_rates", RECORD, congestion_fields,
				      "how fast congestion grows: --watch --congestion"),
	[PERF_OF_SL] = SCHEMA("perf_sl_rates", RECORD, sl_fields,
			      "the data rates of a service level: --watch --by-sl"),
	[PERF_OF_DETAILS] = SCHEMA("perf_details_rates", RECORD, details_fields,
				   "how fast discards and bad packets grow: "
				   "--watch --details"),
	[PERF_OF_FLOW] = SCHEMA("perf_flow_rates", RECORD, flow_fields,
				"the rates of flow control packets: --watch --flow"),
};

const struct schema *const perf_more_schemas[] = {
	&perf_schemas[PERF_OF_VL],
	&perf_schemas[PERF_OF_FEC],
	&perf_schemas[PERF_OF_CONGESTION],
	&perf_schemas[PERF_OF_SL],
	&perf_schemas[PERF_OF_DETAILS],
	&perf_schemas[PERF_OF_FLOW],
	&perf_samples_schema,
	&schemas[PERF_OF_PORT],
	&schemas[PERF_OF_VL],
	&schemas[PERF_OF_FEC],
	&schemas[PERF_OF_CONGESTION],
	&schemas[PERF_OF_SL],
	&schemas[PERF_OF_DETAILS],
	&schemas[PERF_OF_FLOW],
	NULL,
};

const struct schema *perf_rates_schema_of(enum perf_listing listing)
{
	return &schemas[listing];
}

static bool get_delta(const struct perf_counter *before, const struct perf_counter *after,
		      double *ret_delta)
{
	if (!before->known || !after->known || after->saturated || after->value < before->value)
		return false;
	*ret_delta = (double)(after->value - before->value);
	return true;
}

static void set_rate(const struct perf_counter *before, const struct perf_counter *after,
		     double factor, struct real *rate)
{
	double delta;

	if (get_delta(before, after, &delta))
		*rate = real_of(delta * factor);
}

/* Sums all error counters that the device has: one without a rate leaves the sum unknown. */
static void set_errors(const struct perf_record *before, const struct perf_record *after,
		       double factor, struct real *rate)
{
	double sum = 0, delta;
	bool any = false;

	for_each_in (field, perf_schema.fields, perf_schema.field_count) {
		if (field->tag != PERF_GROUP_ERRORS || (!perf_counter_of(field, before)->known &&
							!perf_counter_of(field, after)->known))
			continue;
		if (!get_delta(perf_counter_of(field, before), perf_counter_of(field, after),
			       &delta))
			return;
		sum += delta;
		any = true;
	}
	if (any)
		*rate = real_of(sum * factor);
}

/* The counters of a listing other than that of ports. */
static void set_listed(enum perf_listing listing, const struct perf_record *before,
		       const struct perf_record *after, double seconds, struct perf_rates *rates)
{
	const struct schema *schema = perf_listing_schema(listing);

	for_each_in (field, schema->fields, schema->field_count) {
		if (field->tag)
			set_rate(perf_counter_of(field, before), perf_counter_of(field, after),
				 text_ends_with(field->key, "_bytes")
					 ? 8 / seconds / BITS_PER_GIGABIT
					 : 1 / seconds,
				 &rates->counters[PLACE_AT(field->offset)]);
	}
}

void perf_rates_of(enum perf_listing listing, const struct perf_record *before,
		   const struct perf_record *after, double seconds, struct perf_rates *rates)
{
	rates->saturated.known = true;
	for (size_t i = 0; i < after->saturated.count; i++)
		strings_add(&rates->saturated, after->saturated.items[i]);
	if (seconds <= 0)
		return;
	rates->interval_sec = real_of(seconds);
	if (listing != PERF_OF_PORT) {
		set_listed(listing, before, after, seconds, rates);
		return;
	}
	set_rate(&before->xmit_data_bytes, &after->xmit_data_bytes, 8 / seconds / BITS_PER_GIGABIT,
		 &rates->xmit_gbps);
	set_rate(&before->rcv_data_bytes, &after->rcv_data_bytes, 8 / seconds / BITS_PER_GIGABIT,
		 &rates->rcv_gbps);
	set_rate(&before->xmit_packets, &after->xmit_packets, 1 / seconds,
		 &rates->xmit_packets_per_sec);
	set_rate(&before->rcv_packets, &after->rcv_packets, 1 / seconds,
		 &rates->rcv_packets_per_sec);
	set_rate(&before->xmit_wait_ticks, &after->xmit_wait_ticks, 1 / seconds,
		 &rates->xmit_wait_ticks_per_sec);
	set_errors(before, after, 1 / seconds, &rates->errors_per_sec);
}

void perf_rates_clear(struct perf_rates *rates)
{
	record_clear(&schemas[PERF_OF_PORT], rates);
}
