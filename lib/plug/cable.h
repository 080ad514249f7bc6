/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cables in the ports of this host, as the ethtool family of generic netlink reports them for
 * netdevs: the plug, its power, why a link is down, and forward error correction. A port of a bond
 * has a record for each member. Records borrow the names of ports and netdevs, and own the rest.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "kernel/netlink/ethtool.h"
#include "plug/plug.h"

struct port_cable {
	char *device; /* borrowed, like netdev */
	struct number port;
	char *netdev; /* NULL: the port has none in this network namespace */
	struct ethtool_link_state link;
	struct ethtool_module module;
	struct ethtool_fec fec;
	struct plug plug;
};

struct port_cables {
	struct port_cable *items;
	size_t count;
};

/* A lane of a cable, with its thresholds. The names are borrowed. */
struct cable_lane {
	char *device;
	struct number port;
	char *netdev;
	struct plug_lane lane;
	struct plug_limits rx_power, tx_power, tx_bias;
};

extern const struct schema cable_schema, cable_lane_schema;

/* What port_cables_read() needs from the inventory: bits of host/need.h. */
extern const uint64_t port_cables_needs;

/*
 * Appends the cables of all ports of the inventory. Requests that the kernel refuses become
 * problems of the port or of its netdev; what a driver does not support is a problem only if it is
 * the memory of the module.
 */
void port_cables_read(const struct inventory *inventory, struct port_cables *list,
		      struct problems *problems);
void port_cables_clear(struct port_cables *list);
/* Fills lane `number`, from 0; the cable must have more lanes than that. */
void port_cable_lane(const struct port_cable *cable, size_t number, struct cable_lane *ret_lane);
