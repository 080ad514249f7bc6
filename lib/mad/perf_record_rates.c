/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/perf_record_rates.h"

#include <stdlib.h>

#include "base/mem.h"

#define RATE(member_, heading_, flags_, help_) \
	REAL_FIELD(struct perf_rates, member_, #member_, heading_, (flags_) | FIELD_RIGHT, 0, help_)

static const struct field fields[] = {
	STRING_FIELD(struct perf_rates, time, "time", "TIME", FIELD_DEFAULT, 0,
		     "when the counters were read"),
	STRING_FIELD(struct perf_rates, object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "destination, as given"),
	STRING_FIELD(struct perf_rates, node, "node", "NODE", 0, MAD_NEED_NODE,
		     "description of the node"),
	UNSIGNED_FIELD(struct perf_rates, lid, "object_lid", "AT LID", FIELD_RIGHT, 0,
		       "LID that the request went to"),
	UNSIGNED_FIELD(struct perf_rates, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "port that the rates are of"),
	RATE(interval_sec, "SECONDS", 0, "time between the two readings"),
	RATE(xmit_gbps, "XMIT Gb/s", FIELD_DEFAULT, "bits sent, in 10^9 a second"),
	RATE(rcv_gbps, "RCV Gb/s", FIELD_DEFAULT, "bits received, in 10^9 a second"),
	RATE(xmit_packets_per_sec, "XMIT PACKETS/s", FIELD_DEFAULT, "packets sent a second"),
	RATE(rcv_packets_per_sec, "RCV PACKETS/s", FIELD_DEFAULT, "packets received a second"),
	RATE(errors_per_sec, "ERRORS/s", FIELD_DEFAULT, "growth of all error counters per second"),
	RATE(xmit_wait_ticks_per_sec, "WAIT TICKS/s", FIELD_DEFAULT,
	     "ticks a second in which there was data to send but no credit, or no turn"),
	LIST_FIELD(struct perf_rates, saturated, "saturated", "SATURATED", 0, 0,
		   "counters that stopped at their maximum: they have no rate"),
};

const struct schema perf_rates_schema = {
	.name = "perf_rates",
	.version = 1,
	.summary = "the rates of the counters of a port: --watch",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct perf_rates),
};

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
		*rate = (struct real){.value = delta * factor, .known = true};
}

static const struct perf_counter *counter_of(const struct field *field,
					     const struct perf_record *record)
{
	return (const struct perf_counter *)(const void *)((const char *)record + field->offset);
}

/* Sums all counters that the device has: one without a rate leaves the sum unknown. */
static void set_errors(const struct perf_record *before, const struct perf_record *after,
		       double factor, struct real *rate)
{
	double sum = 0, delta;
	bool any = false;

	for (size_t i = 0; i < perf_schema.field_count; i++) {
		const struct field *field = &perf_schema.fields[i];

		if (field->tag != PERF_GROUP_ERRORS ||
		    (!counter_of(field, before)->known && !counter_of(field, after)->known))
			continue;
		if (!get_delta(counter_of(field, before), counter_of(field, after), &delta))
			return;
		sum += delta;
		any = true;
	}
	if (any)
		*rate = (struct real){.value = sum * factor, .known = true};
}

void perf_rates_of(const struct perf_record *before, const struct perf_record *after,
		   double seconds, struct perf_rates *rates)
{
	rates->saturated.known = true;
	for (size_t i = 0; i < after->saturated.count; i++)
		strings_add(&rates->saturated, after->saturated.items[i]);
	if (seconds <= 0)
		return;
	rates->interval_sec = (struct real){.value = seconds, .known = true};
	set_rate(&before->xmit_data_bytes, &after->xmit_data_bytes, 8 / seconds / 1e9,
		 &rates->xmit_gbps);
	set_rate(&before->rcv_data_bytes, &after->rcv_data_bytes, 8 / seconds / 1e9,
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
	free(rates->time);
	free(rates->object);
	free(rates->node);
	strings_free(&rates->saturated);
}
