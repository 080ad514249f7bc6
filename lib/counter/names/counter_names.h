/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue: what the kernel's counters mean, by the names that the kernel has for them. All
 * of it is static data. One row is one name of the kernel in one place; rows of several drivers
 * that count the same share the canonical name, and with it unit, direction, group and severity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "schema/value.h"

/* The class of a counter in a test. TRAFFIC counts packets, the others events. */
enum counter_class {
	COUNTER_OTHER, /* not known, or a part of what another one counts, or in another unit */
	COUNTER_TRAFFIC_SENT,
	COUNTER_TRAFFIC_RECEIVED,
	COUNTER_RETRANSMISSION, /* packets that were lost, came late or twice, and were sent again
				 */
	COUNTER_RNR,		/* receiver not ready */
	COUNTER_ERROR,
	COUNTER_CONGESTION,
	COUNTER_CLASSES,
};

/* Where the kernel keeps a counter. */
enum counter_source {
	COUNTER_SOURCE_PMA,    /* ports/P/counters: the port's performance management agent */
	COUNTER_SOURCE_HW,     /* ports/P/hw_counters, or RDMA netlink: the driver's of a port */
	COUNTER_SOURCE_DEVICE, /* hw_counters: the driver's of a whole device */
	COUNTER_SOURCE_CM,     /* cm_tx_msgs ...: the connection manager's of a port */
	COUNTER_SOURCE_NETDEV, /* struct rtnl_link_stats64 of the netdev of a port */
	COUNTER_SOURCES,
};

enum counter_unit {
	COUNTER_UNIT_EVENTS,
	COUNTER_UNIT_PACKETS,
	COUNTER_UNIT_BYTES,
	COUNTER_UNIT_MESSAGES,
	COUNTER_UNIT_REQUESTS,
	COUNTER_UNIT_ERRORS,
	COUNTER_UNIT_TICKS,
	COUNTER_UNIT_OBJECTS, /* of a gauge: how many there are now */
	COUNTER_UNIT_BITS,
	COUNTER_UNIT_NUMBER, /* a plain number, of a register */
};

enum counter_kind {
	COUNTER_MONOTONIC,  /* only counts up; wide enough not to come round */
	COUNTER_GAUGE,	    /* goes up and down */
	COUNTER_SATURATING, /* counts up and stops at its maximum */
};

enum counter_direction { COUNTER_NO_DIRECTION, COUNTER_TX, COUNTER_RX };

/* How bad it is that a counter grows. */
enum counter_severity { COUNTER_INFO, COUNTER_WARNING, COUNTER_SERIOUS };

enum counter_group {
	COUNTER_GROUP_OTHER, /* not in the catalogue */
	COUNTER_GROUP_TRAFFIC,
	COUNTER_GROUP_REQUESTS, /* operations that were asked for or served */
	COUNTER_GROUP_LINK,	/* faults of the wire and its transceivers */
	COUNTER_GROUP_ERRORS,
	COUNTER_GROUP_DROPS,
	COUNTER_GROUP_RETRANSMISSION,
	COUNTER_GROUP_RNR,
	COUNTER_GROUP_CONGESTION,
	COUNTER_GROUP_ROCE, /* of the RoCE engine, where no other group fits */
	COUNTER_GROUP_CM,
	COUNTER_GROUP_RESOURCES, /* objects, and commands to the device */
	COUNTER_GROUP_DRIVER,	 /* interrupts, work queues, schedulers */
};

struct counter_name {
	const char *name; /* the kernel's; a * matches digits */
	const char
		*canonical; /* snake_case, with tx_ or rx_ and the unit where there is one; * too */
	unsigned char unit, direction, group, severity, class;
	const char *meaning; /* one sentence */
	unsigned char kind;
	unsigned char width_bits; /* of what saturates; 0: 64, or 32 in the PMA of an old device */
	unsigned char factor;	  /* the kernel's number times this is in `unit`; 0: once */
	bool fallback; /* of its class: only where no other is there, which counts the same */
	bool part;     /* of what another counter counts, too */
	bool drop;     /* a packet was lost here */
};

/* The rows of one source, or of one driver in it. */
struct counter_names {
	enum counter_source source; /* HW tables serve DEVICE, too */
	const char *driver;	    /* rxe, mlx5 ...; NULL where the source has but one table */
	const struct counter_name *rows;
	size_t count;
};

/* Ends with one whose rows are NULL. */
extern const struct counter_names *const counter_catalogue[];

extern const struct enum_name counter_class_names[];
extern const struct enum_name counter_source_names[];
extern const struct enum_name counter_unit_names[];
extern const struct enum_name counter_kind_names[];
extern const struct enum_name counter_direction_names[];
extern const struct enum_name counter_severity_names[];
extern const struct enum_name counter_group_names[];

/* NULL: a name that nobody has described yet. Any source; the PMA's names go first. */
const struct counter_name *counter_name_find(const char *name);
/* The kernel's name in one place. */
const struct counter_name *counter_name_find_in(enum counter_source source, const char *name);
/* The canonical name of a kernel's name that the row is of; the caller frees it. */
char *counter_name_canonical(const struct counter_name *row, const char *name);
/* Whether a name is the pattern, with digits in the place of its *. */
bool counter_name_matches(const char *pattern, const char *name);
enum counter_class counter_class_of(const char *name);
