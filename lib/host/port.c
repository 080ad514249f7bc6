/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/port.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "host/link.h"
#include "mad/format/codes.h"
#include "host/need.h"

/* enum rdma_link_layer, include/rdma/ib_verbs.h; words of link_layer_show(), core/sysfs.c */
const struct enum_name link_layer_names[] = {
	{LINK_LAYER_UNSPECIFIED, "unspecified"},
	{LINK_LAYER_INFINIBAND, "infiniband"},
	{LINK_LAYER_ETHERNET, "ethernet"},
	{0, NULL},
};

/* "4X EDR", as people say it; in JSON the parts have keys of their own. */
static void get_width_speed(const void *record, struct value *value)
{
	const struct port *port = record;

	if (!port->width_lanes.known || !port->speed)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "%uX %s",
		 (unsigned int)port->width_lanes.value, port->speed);
	value_set_string(value, value->scratch);
}

static const struct field port_fields[] = {
	STRING_FIELD(struct port, device, "device", "DEVICE", FIELD_DEFAULT, 0,
		     "name of the device"),
	UNSIGNED_FIELD(struct port, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "number of the port"),
	ENUM_FIELD(struct port, link_layer, link_layer_names, "link_layer", "LINK LAYER",
		   FIELD_DEFAULT, NEED_LINK_LAYER, "link layer"),
	ENUM_FIELD(struct port, state, port_state_names, "state", "STATE", FIELD_DEFAULT,
		   NEED_STATE, "logical state"),
	ENUM_FIELD(struct port, physical_state, physical_state_names, "physical_state", "PHYSICAL",
		   FIELD_DEFAULT, NEED_PHYSICAL_STATE, "physical state"),
	REAL_FIELD(struct port, rate_gbps, "rate_gbps", "RATE Gb/s", FIELD_DEFAULT | FIELD_RIGHT,
		   NEED_RATE, "rate of the link, gigabits a second"),
	COMPUTED_FIELD(FIELD_STRING, get_width_speed, "width_speed", "WIDTH SPEED", FIELD_DEFAULT,
		       NEED_RATE, "link width and speed name"),
	UNSIGNED_FIELD(struct port, width_lanes, "width_lanes", "LANES", FIELD_RIGHT, NEED_RATE,
		       "link width"),
	STRING_FIELD(struct port, speed, "speed", "SPEED", 0, NEED_RATE, "speed name of a lane"),
	UNSIGNED_FIELD(struct port, active_mtu_bytes, "active_mtu_bytes", "MTU",
		       FIELD_DEFAULT | FIELD_RIGHT, NEED_MTU, "active RDMA MTU"),
	UNSIGNED_FIELD(struct port, max_mtu_bytes, "max_mtu_bytes", "MAX MTU",
		       FIELD_DEFAULT | FIELD_RIGHT, NEED_MTU, "maximum RDMA MTU"),
	UNSIGNED_FIELD(struct port, lid, "lid", "LID", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_LID | NEED_LINK_LAYER, "base LID (InfiniBand link layer)"),
	UNSIGNED_FIELD(struct port, lmc, "lmc", "LMC", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_LID | NEED_LINK_LAYER, "LID mask control (InfiniBand link layer)"),
	UNSIGNED_FIELD(struct port, sm_lid, "sm_lid", "SM LID", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_LID | NEED_LINK_LAYER, "LID of the subnet manager"),
	STRING_FIELD(struct port, netdev, "netdev", "NETDEV", FIELD_DEFAULT, NEED_NETDEV,
		     "netdev of this network namespace"),
	UNSIGNED_FIELD(struct port, sm_sl, "sm_sl", "SM SL", FIELD_RIGHT,
		       NEED_SM_SL | NEED_LINK_LAYER, "service level of the subnet manager"),
	GUID_FIELD(struct port, subnet_prefix, "subnet_prefix", "SUBNET PREFIX", 0,
		   NEED_PORT_GUID | NEED_LINK_LAYER, "subnet prefix (InfiniBand link layer)"),
	HEX_FIELD(struct port, cap_mask, 8, "cap_mask", "CAP MASK", 0, NEED_CAP_MASK,
		  "capability mask"),
	FLAGS_FIELD(struct port, cap_mask, port_cap_names, "capabilities", "CAPABILITIES", 0,
		    NEED_CAP_MASK, "capability mask in words"),
	GUID_FIELD(struct port, port_guid, "port_guid", "PORT GUID", 0, NEED_PORT_GUID,
		   "port GUID: low half of GID 0"),
	UNSIGNED_FIELD(struct port, gid_table_length, "gid_table_length", "GIDS", FIELD_RIGHT,
		       NEED_TABLE_SIZES, "slots of the GID table"),
	UNSIGNED_FIELD(struct port, pkey_table_length, "pkey_table_length", "PKEYS", FIELD_RIGHT,
		       NEED_TABLE_SIZES, "slots of the P_Key table"),
	ENUM_FIELD(struct port, netdev_operstate, operstate_names, "netdev_operstate", "OPERSTATE",
		   0, NEED_NETDEV | NEED_LINKS, "operational state of the netdev"),
	UNSIGNED_FIELD(struct port, carrier_changes, "carrier_changes", "CARRIER CHANGES",
		       FIELD_RIGHT, NEED_NETDEV | NEED_LINKS,
		       "how often the netdev's carrier changed"),
	UNSIGNED_FIELD(struct port, netdev_mtu_bytes, "netdev_mtu_bytes", "NETDEV MTU", FIELD_RIGHT,
		       NEED_NETDEV | NEED_LINKS, "MTU of the netdev"),
};

const struct schema port_schema = {
	.name = "ports",
	.version = 1,
	.summary = "a port of an RDMA device",
	.fields = port_fields,
	.field_count = ARRAY_SIZE(port_fields),
	.record_size = sizeof(struct port),
};

void port_clear(struct port *port)
{
	for (size_t i = 0; i < port->gid_count; i++)
		gid_entry_clear(&port->gids[i]);
	for (size_t i = 0; i < port->pkey_count; i++)
		pkey_clear(&port->pkeys[i]);
	free(port->gids);
	free(port->pkeys);
	free(port->speed);
	free(port->netdev);
}
