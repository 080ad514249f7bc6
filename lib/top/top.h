/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model of rdmactl top: a row for each port seen since the start, with rates of the last round
 * and sums since the start, and the latest events. It reads nothing itself. The model owns all of
 * its strings; {0} is an empty one.
 */
#pragma once

#include "counter/counter_change.h"
#include "event/event.h"
#include "host/inventory/inventory.h"

/* Counters that belong together; each row has their sums. */
enum top_sum {
	TOP_TX_BYTES,
	TOP_RX_BYTES,
	TOP_TX_PACKETS,
	TOP_RX_PACKETS,
	TOP_DROPS,
	TOP_RETRANSMISSIONS,
	TOP_ECN,
	TOP_CNP,
	TOP_WAIT,
	TOP_SUMS,
};

/* The most serious of the warning and error counters that move, and of several the fastest. */
struct top_worst {
	char *counter; /* NULL: none has moved since the start */
	struct number severity;
	struct real per_sec; /* unknown: it did not move in the last round */
	char *time;	     /* when it moved last, RFC 3339 */
};

struct top_port {
	char *time; /* borrowed: of the last round */
	char *object, *device;
	struct number port;
	enum tristate present; /* NO: the device or port was removed */
	char *netdev;
	struct number state; /* enum port_state */
	struct real rate_gbps;
	struct real per_sec[TOP_SUMS];	/* in the last round */
	struct number totals[TOP_SUMS]; /* since the start */
	struct real tx_gbps, rx_gbps;
	struct real tx_percent, rx_percent; /* of rate_gbps */
	struct number bytes_source;	    /* enum counter_source of the bytes */
	struct number flaps;		    /* times that it went down since the start */
	struct top_worst worst;
};

/* The number of events that are kept. */
enum { TOP_EVENTS = 64 };

struct top {
	struct top_port *ports;
	size_t port_count;
	struct event_list events; /* the latest ones, oldest first */
	char *time;		  /* of the last round */
	bool watched;		  /* top_take_events() is called: flaps are known */
};

extern const struct schema top_schema; /* `top`: struct top_port */

/* Returns whether top uses a counter, so that the others need not be read. */
bool top_wants(enum counter_source source, const struct counter_name *name);
/*
 * Returns whether all ports have counters of their own for the bytes that they send. Otherwise the
 * netdev's are wanted, too.
 */
bool top_has_bytes(const struct inventory *inventory, const struct counter_readings *readings);
/*
 * Takes a round: the ports that exist now, and the changes of their counters. Ports that are gone
 * keep their rows. `time` is copied.
 */
void top_update(struct top *top, const struct inventory *inventory,
		const struct counter_changes *changes, const char *time);
/* Moves the events out of the list, and counts the ports that went down. */
void top_take_events(struct top *top, struct event_list *events);
void top_clear(struct top *top);
