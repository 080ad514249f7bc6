/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The catalogue: the meanings of the kernel's counters, by their kernel names. All of it is static
 * data. Each row is one kernel name in one place; rows of several drivers that count the same thing
 * share the canonical name, unit, direction, group and severity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "schema/schema.h"

/* The class of a counter in a test. TRAFFIC counts packets, the others count events. */
enum counter_class {
	COUNTER_OTHER, /* unknown, or included in another counter, or in another unit */
	COUNTER_TRAFFIC_SENT,
	COUNTER_TRAFFIC_RECEIVED,
	COUNTER_RETRANSMISSION, /* packets lost, late or duplicated, and sent again */
	COUNTER_RNR,		/* receiver not ready */
	COUNTER_ERROR,
	COUNTER_CONGESTION,
	COUNTER_CLASSES,
};

/* The place where the kernel keeps a counter. */
enum counter_source {
	/* ports/P/counters, counters_ext: the port's performance management agent */
	COUNTER_SOURCE_PMA,
	/* ports/P/hw_counters, diag_counters, or RDMA netlink: the driver's counters of a port */
	COUNTER_SOURCE_HW,
	COUNTER_SOURCE_DEVICE, /* hw_counters, diag_counters: the driver's counters of a device */
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

/* Each group with its word and subject: for the enumeration, tables and options. */
#define COUNTER_GROUPS(GROUP)                                                                 \
	GROUP(TRAFFIC, "traffic", "packets and bytes")                                        \
	GROUP(REQUESTS, "requests", "operations requested and served")                        \
	GROUP(LINK, "link", "faults of the wire and its transceivers")                        \
	GROUP(ERRORS, "errors", "damaged packets, refused and broken requests")               \
	GROUP(DROPS, "drops", "lost packets")                                                 \
	GROUP(RETRANSMISSION, "retransmission", "packets sent again after loss or a timeout") \
	GROUP(RNR, "rnr", "receiver not ready: no receive work request")                      \
	GROUP(CONGESTION, "congestion", "waiting, marks and notifications")                   \
	GROUP(ROCE, "roce", "the RoCE engine, where no other group fits")                     \
	GROUP(CM, "cm", "messages of the connection manager")                                 \
	GROUP(RESOURCES, "resources", "objects, and commands to the device")                  \
	GROUP(DRIVER, "driver", "interrupts, waits and doorbells")                            \
	GROUP(OTHER, "other", "names that are not in the catalogue")

#define COUNTER_GROUP_CODE(code_, ...) COUNTER_GROUP_##code_,
enum counter_group { COUNTER_GROUPS(COUNTER_GROUP_CODE) };
#undef COUNTER_GROUP_CODE

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

/* Ends with NULL. */
extern const struct counter_names *const counter_catalogue[];

extern const struct enum_name counter_source_names[];
extern const struct enum_name counter_unit_names[];
extern const struct enum_name counter_kind_names[];
extern const struct enum_name counter_direction_names[];
extern const struct enum_name counter_severity_names[];
extern const struct enum_name counter_group_names[];
extern const struct enum_name counter_group_bits[]; /* the same by 1 << group, for options */

/* Returns NULL for a name that is not in the catalogue. Searches all sources, the PMA first. */
const struct counter_name *counter_name_find(const char *name);
/* Searches for the kernel's name in one source. */
const struct counter_name *counter_name_find_in(enum counter_source source, const char *name);
/* Returns the canonical form of a kernel name that the row describes; the caller frees it. */
char *counter_name_canonical(const struct counter_name *row, const char *name);
/* True if a name matches the pattern, whose * is any digits. */
bool counter_name_matches(const char *pattern, const char *name);
enum counter_class counter_class_of(const char *name);
/* Returns whether the counter counts lost packets. */
bool counter_name_counts_loss(const struct counter_name *row);
