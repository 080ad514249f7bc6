/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue: the meanings of the kernel's counters, by their kernel names. All of it is static
 * data. Each row is one kernel name in one place; rows of several drivers that count the same thing
 * share the canonical name, unit, direction, group and severity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "schema/value.h"

/* The class of a counter in a test. TRAFFIC counts packets, the others count events. */
enum counter_class {
	COUNTER_OTHER, /* unknown, or included in another counter, or in another unit */
	COUNTER_TRAFFIC_SENT,
	COUNTER_TRAFFIC_RECEIVED,
	COUNTER_RETRANSMISSION, /* packets that were lost, late or duplicated, and were sent again
				 */
	COUNTER_RNR,		/* receiver not ready */
	COUNTER_ERROR,
	COUNTER_CONGESTION,
	COUNTER_CLASSES,
};

/* Where the kernel keeps a counter. */
enum counter_source {
	COUNTER_SOURCE_PMA, /* ports/P/counters: the port's performance management agent */
	COUNTER_SOURCE_HW,  /* ports/P/hw_counters, or RDMA netlink: the driver's counters of a port
			     */
	COUNTER_SOURCE_DEVICE, /* hw_counters: the driver's counters of a device */
	COUNTER_SOURCE_CM,     /* cm_tx_msgs ...: the connection manager's counters of a port */
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
	COUNTER_UNIT_OBJECTS, /* of a gauge: the current number */
	COUNTER_UNIT_BITS,
	COUNTER_UNIT_NUMBER, /* a plain number, such as a register's */
};

enum counter_kind {
	COUNTER_MONOTONIC,  /* only counts up; wide enough never to wrap around */
	COUNTER_GAUGE,	    /* goes up and down */
	COUNTER_SATURATING, /* counts up and stops at its maximum */
};

enum counter_direction { COUNTER_NO_DIRECTION, COUNTER_TX, COUNTER_RX };

/* How serious it is that a counter grows. */
enum counter_severity { COUNTER_INFO, COUNTER_WARNING, COUNTER_SERIOUS };

enum counter_group {
	COUNTER_GROUP_OTHER, /* not in the catalogue */
	COUNTER_GROUP_TRAFFIC,
	COUNTER_GROUP_REQUESTS, /* operations requested or served */
	COUNTER_GROUP_LINK,	/* faults of the wire and its transceivers */
	COUNTER_GROUP_ERRORS,
	COUNTER_GROUP_DROPS,
	COUNTER_GROUP_RETRANSMISSION,
	COUNTER_GROUP_RNR,
	COUNTER_GROUP_CONGESTION,
	COUNTER_GROUP_ROCE, /* RoCE engine, where no other group fits */
	COUNTER_GROUP_CM,
	COUNTER_GROUP_RESOURCES, /* objects, and commands to the device */
	COUNTER_GROUP_DRIVER,	 /* interrupts, work queues, schedulers */
};

struct counter_name {
	const char *name;      /* the kernel's name; a * matches digits */
	const char *canonical; /* snake_case, with tx_ or rx_ and the unit; may have a * */
	unsigned char unit, direction, group, severity, class;
	const char *meaning; /* one sentence */
	unsigned char kind;
	unsigned char
		width_bits; /* of a saturating counter; 0: 64, or 32 in the PMA of an old device */
	unsigned char factor; /* multiply the kernel's number by this to get `unit`; 0 means 1 */
	bool fallback; /* use only if its class has no other counter, which would count the same */
	bool part;     /* included in another counter */
	bool lost;     /* it counts lost packets, in a group other than DROPS */
};

/* The rows of one source, or of one of its drivers. */
struct counter_names {
	enum counter_source source; /* HW tables serve DEVICE, too */
	const char *driver;	    /* rxe, mlx5 ...; NULL if the source has only one table */
	const struct counter_name *rows;
	size_t count;
};

/* The last entry has NULL rows. */
extern const struct counter_names *const counter_catalogue[];

extern const struct enum_name counter_source_names[];
extern const struct enum_name counter_unit_names[];
extern const struct enum_name counter_kind_names[];
extern const struct enum_name counter_direction_names[];
extern const struct enum_name counter_severity_names[];
extern const struct enum_name counter_group_names[];

/* Returns NULL for a name that is not in the catalogue. Searches all sources, the PMA first. */
const struct counter_name *counter_name_find(const char *name);
/* Searches for the kernel's name in one source. */
const struct counter_name *counter_name_find_in(enum counter_source source, const char *name);
/* The canonical form of a kernel name that the row describes; the caller frees it. */
char *counter_name_canonical(const struct counter_name *row, const char *name);
/* True if a name matches the pattern, whose * is any digits. */
bool counter_name_matches(const char *pattern, const char *name);
enum counter_class counter_class_of(const char *name);
/* Whether it counts lost packets. */
bool counter_name_counts_loss(const struct counter_name *row);
