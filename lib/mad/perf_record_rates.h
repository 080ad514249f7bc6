/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rates of the counters of a port, from two readings. A counter that was reset between them, is
 * saturated, or is missing in one reading has no rate, rather than a negative one or 0.
 */
#pragma once

#include "mad/perf_record.h"

struct perf_rates {
	char *time; /* of the second reading, RFC 3339; all strings are owned */
	char *object, *node;
	struct number lid, port;
	struct real interval_sec;
	struct real xmit_gbps, rcv_gbps;
	struct real xmit_packets_per_sec, rcv_packets_per_sec;
	struct real errors_per_sec; /* all error counters together */
	struct real xmit_wait_ticks_per_sec;
	struct strings saturated;
};

extern const struct schema perf_rates_schema;

/* Fills the rates and the saturated counters. */
void perf_rates_of(const struct perf_record *before, const struct perf_record *after,
		   double seconds, struct perf_rates *rates);
void perf_rates_clear(struct perf_rates *rates);
