/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's counters of a port mean, by their names: those of the performance management
 * agent (ports/N/counters) and of the drivers (hw_counters). A name means the same with all
 * drivers that have it.
 */
#pragma once

#include <stdbool.h>

#include "schema/value.h"

/* What a counter tells of a test. TRAFFIC counts packets, the others events. */
enum counter_class {
	COUNTER_OTHER, /* not known, or a part of what another one counts, or in another unit */
	COUNTER_TRAFFIC_SENT,
	COUNTER_TRAFFIC_RECEIVED,
	COUNTER_RETRANSMISSION, /* packets that were lost, came late or twice, and were sent anew */
	COUNTER_RNR,		/* receiver not ready */
	COUNTER_ERROR,
	COUNTER_CONGESTION,
	COUNTER_CLASSES,
};

struct counter_name {
	const char *name;
	enum counter_class class;
	bool fallback; /* counts only where no other of its class is there, which counts the same */
};

extern const struct enum_name counter_class_names[];

/* NULL: a name that nobody has described yet. */
const struct counter_name *counter_name_find(const char *name);
enum counter_class counter_class_of(const char *name);
