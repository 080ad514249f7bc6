/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How wide and fast a link is, and what it could be: from the PortInfo of its ends (14.2.5.6).
 */
#pragma once

#include "fabric/graph/graph.h"
#include "schema/value.h"

/* In the order of their speed. */
enum fabric_speed {
	SPEED_UNKNOWN,
	SPEED_SDR,
	SPEED_DDR,
	SPEED_QDR,
	SPEED_FDR10, /* told by a vendor's attribute only */
	SPEED_FDR,
	SPEED_EDR,
	SPEED_HDR,
	SPEED_NDR,
	SPEED_XDR,
	SPEED_COUNT,
};

extern const struct enum_name fabric_speed_names[]; /* SDR, ... with the rate of a lane as help */

/* Active; 0 and SPEED_UNKNOWN: not known. */
unsigned int fabric_lanes(const struct fabric_port *port);
enum fabric_speed fabric_speed(const struct fabric_port *port);
/* The most that both ends of the cable in the port support; 0 if one of them is not known. */
unsigned int fabric_best_lanes(const struct fabric *fabric, uint32_t port);
enum fabric_speed fabric_best_speed(const struct fabric *fabric, uint32_t port);
/* Whether the link is narrower or slower than both ends support; if so, what it could be. */
bool fabric_could_be(const struct fabric *fabric, uint32_t port, unsigned int *ret_lanes,
		     enum fabric_speed *ret_speed);
bool fabric_is_slow(const struct fabric *fabric, uint32_t port);
/* Gigabits a second, as ports(1) and rate files of the kernel count it; 0: not known. */
double fabric_rate_gbps(unsigned int lanes, enum fabric_speed speed);
/* Bytes of NeighborMTU and MTUCap; 0: not known. */
unsigned int fabric_mtu(const struct fabric_port *port);
unsigned int fabric_most_mtu(const struct fabric_port *port);
/* Data VLs in use; 0: not known. */
unsigned int fabric_vls(const struct fabric_port *port);
