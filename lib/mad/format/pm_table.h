/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows that the attributes of performance management have in common, for the files that hold
 * their tables. IBA 1, 16.1.4: the attribute begins at byte 64 of the datagram; PortSelect is its
 * second byte, CounterSelect (which counters a Set writes) the two behind it.
 */
#pragma once

#include "mad/format/pm_counters.h"

#define PERF_COUNTER(group_, at_, width_, factor_, key_, heading_, flags_, help_) \
	MAD_COUNTER(at_, width_, factor_, key_, heading_, flags_, help_, .tag = group_)

/* Octets are counted in words of four, 16.1.3.5. */
#define PERF_DATA 4

#define PERF_PORT_SELECT                                               \
	MAD_UNSIGNED(MAD_AT(1, 0), 8, "port_select", "PORT SELECT", 0, \
		     "port that the counters are of; 255: all of them, added up")
#define PERF_COUNTER_SELECT                                              \
	MAD_HEX(MAD_AT(2, 0), 16, "counter_select", "COUNTER SELECT", 0, \
		"counters that a write concerns, a bit each")

#define PERF_FIELDS \
	MAD_OBJECT_FIELDS(FIELD_DEFAULT), MAD_PORT_FIELD(FIELD_DEFAULT), PERF_PORT_SELECT
#define PERF_FIELDS_SELECT PERF_FIELDS, PERF_COUNTER_SELECT
