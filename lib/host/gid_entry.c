/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/gid_entry.h"

#include <stdlib.h>

#include "base/mem.h"
#include "host/need.h"

const struct enum_name gid_type_names[] = {
	{GID_TYPE_IB, "ib"},
	{GID_TYPE_ROCE_V1, "roce-v1"},
	{GID_TYPE_ROCE_V2, "roce-v2"},
	{0, NULL},
};

static const struct enum_name source_names[] = {
	{GID_SOURCE_VERBS, "verbs"},
	{GID_SOURCE_SYSFS, "sysfs"},
	{0, NULL},
};

#define NEED_ADDRESS_PLACE (NEED_GIDS | NEED_GID_NETDEVS | NEED_LINKS | NEED_ADDRESSES)

static const struct field gid_fields[] = {
	STRING_FIELD(struct gid_entry, device, "device", "DEVICE", FIELD_DEFAULT, NEED_GIDS,
		     "name of the device"),
	UNSIGNED_FIELD(struct gid_entry, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_GIDS, "number of the port"),
	UNSIGNED_FIELD(struct gid_entry, index, "index", "INDEX", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_GIDS, "index in the port's GID table"),
	GID_FIELD(struct gid_entry, gid, "gid", "GID", FIELD_DEFAULT, NEED_GIDS, "the GID"),
	ENUM_FIELD(struct gid_entry, type, gid_type_names, "type", "TYPE", FIELD_DEFAULT, NEED_GIDS,
		   "ib, roce-v1 or roce-v2"),
	IP_FIELD(struct gid_entry, ip, "ip", "IP", FIELD_DEFAULT, NEED_GIDS,
		 "IP address that a RoCE GID stands for"),
	STRING_FIELD(struct gid_entry, netdev, "netdev", "NETDEV", FIELD_DEFAULT,
		     NEED_GIDS | NEED_GID_NETDEVS, "netdev of the GID, if in this namespace"),
	UNSIGNED_FIELD(struct gid_entry, vlan, "vlan", "VLAN", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_GIDS | NEED_GID_NETDEVS | NEED_LINKS, "VLAN id of that netdev"),
	STRING_FIELD(struct gid_entry, address_netdev, "address_netdev", "ADDRESS ON",
		     FIELD_DEFAULT, NEED_ADDRESS_PLACE, "netdev that carries the IP address"),
	STRING_FIELD(struct gid_entry, master, "master", "MASTER", FIELD_DEFAULT,
		     NEED_GIDS | NEED_GID_NETDEVS | NEED_LINKS,
		     "bond, bridge or VRF that the netdev belongs to"),
	UNSIGNED_FIELD(struct gid_entry, prefix_length, "prefix_length", "PREFIX", FIELD_RIGHT,
		       NEED_ADDRESS_PLACE, "prefix length of the IP address"),
	ENUM_FIELD(struct gid_entry, source, source_names, "source", "SOURCE", 0, NEED_GIDS,
		   "where the entry was read"),
	BOOL_FIELD(struct gid_entry, selected, "selected", "USE", 0, NEED_GIDS,
		   "--to: the entry to use"),
	STRING_FIELD(struct gid_entry, why, "why", "WHY", 0, NEED_GIDS,
		     "--to: why it is used or passed over"),
};

const struct schema gid_schema = {
	.name = "gids",
	.version = 1,
	.summary = "an entry of a port's GID table",
	.fields = gid_fields,
	.field_count = ARRAY_SIZE(gid_fields),
	.record_size = sizeof(struct gid_entry),
};

void gid_entry_clear(struct gid_entry *entry)
{
	free(entry->netdev);
	free(entry->master);
	free(entry->address_netdev);
	free(entry->why);
}
