/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/attributes.h"
#include "host/need.h"
#include "host/netdev.h"
#include "kernel/netlink/nldev.h"
#include "kernel/sysfs.h"
#include "mad/format/codes.h"
#include "mad/format/mad.h"
#include "schema/rows.h"

/* enum rdma_link_layer, include/rdma/ib_verbs.h; words from link_layer_show(), core/sysfs.c */
const struct enum_name link_layer_names[] = {
	{LINK_LAYER_UNSPECIFIED, "unspecified"},
	{LINK_LAYER_INFINIBAND, "infiniband"},
	{LINK_LAYER_ETHERNET, "ethernet"},
	{0, NULL},
};

/* "4X EDR", the usual notation; JSON has separate keys for width and speed. */
static void get_width_speed(const void *record, struct value *value)
{
	const struct port *port = record;

	if (!port->width_lanes.known || !port->speed)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "%uX %s",
		 (unsigned int)port->width_lanes.value, port->speed);
	value_set_string(value, value->scratch);
}

#define RECORD struct port
static const struct field port_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	NUMBER(port, "PORT", SHOWN, 0, "number of the port"),
	WORD(link_layer, link_layer_names, "LINK LAYER", SHOWN, NEED_LINK_LAYER, "link layer"),
	WORD(state, port_state_names, "STATE", SHOWN, NEED_STATE, "logical state"),
	WORD(physical_state, physical_state_names, "PHYSICAL", SHOWN, NEED_PHYSICAL_STATE,
	     "physical state"),
	REAL(rate_gbps, "RATE Gb/s", SHOWN, NEED_RATE, "rate of the link, gigabits a second"),
	COMPUTED_FIELD(FIELD_STRING, get_width_speed, "width_speed", "WIDTH SPEED", FIELD_DEFAULT,
		       NEED_RATE, "link width and speed name"),
	NUMBER(width_lanes, "LANES", 0, NEED_RATE, "link width"),
	TEXT(speed, "SPEED", 0, NEED_RATE, "speed name of a lane"),
	NUMBER(active_mtu_bytes, "MTU", SHOWN, NEED_MTU, "active RDMA MTU"),
	NUMBER(max_mtu_bytes, "MAX MTU", SHOWN, NEED_MTU, "maximum RDMA MTU"),
	NUMBER(lid, "LID", SHOWN, NEED_BASE_LID | NEED_LINK_LAYER,
	       "base LID (InfiniBand link layer); 0 or 65535: none is assigned"),
	NUMBER(lmc, "LMC", SHOWN, NEED_LMC | NEED_LINK_LAYER,
	       "LID mask control (InfiniBand link layer)"),
	NUMBER(sm_lid, "SM LID", SHOWN, NEED_SM_LID | NEED_LINK_LAYER, "LID of the subnet manager"),
	TEXT(netdev, "NETDEV", SHOWN, NEED_NETDEV, "netdev of this network namespace"),
	NUMBER(sm_sl, "SM SL", 0, NEED_SM_SL | NEED_LINK_LAYER,
	       "service level of the subnet manager"),
	GUID(subnet_prefix, "SUBNET PREFIX", 0, NEED_PORT_GUID | NEED_LINK_LAYER,
	     "subnet prefix (InfiniBand link layer)"),
	HEX(cap_mask, 8, "CAP MASK", 0, NEED_CAP_MASK, "capability mask"),
	FLAGS_AS("capabilities", cap_mask, port_cap_names, "CAPABILITIES", 0, NEED_CAP_MASK,
		 "capability mask in words"),
	GUID(port_guid, "PORT GUID", 0, NEED_PORT_GUID, "port GUID: low half of GID 0"),
	NUMBER(gid_table_length, "GIDS", 0, NEED_GID_COUNT, "slots of the GID table"),
	NUMBER(pkey_table_length, "PKEYS", 0, NEED_PKEY_COUNT, "slots of the P_Key table"),
	WORD(netdev_operstate, operstate_names, "OPERSTATE", 0,
	     NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_STATE, "operational state of the netdev"),
	NUMBER(carrier_changes, "CARRIER CHANGES", 0,
	       NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_CHANGES,
	       "how often the netdev's carrier changed"),
	NUMBER(netdev_mtu_bytes, "NETDEV MTU", 0, NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_MTU,
	       "MTU of the netdev"),
	LIST(driver_status, "DRIVER STATUS", 0, NEED_DRIVER_STATUS,
	     "status in the driver's words (ib_qib)"),
	LIST(sl_to_vl, "SL TO VL", 0, NEED_SL_TO_VL,
	     "virtual lanes of the service levels from 0 on (ib_qib, hfi1)"),
	TEXT(module_technology, "MODULE TECHNOLOGY", 0, NEED_MODULE,
	     "length and kind of the cable (the vendor's ib_qib)"),
	TEXT(module_vendor, "MODULE VENDOR", 0, NEED_MODULE, "vendor of the cable (likewise)"),
	TEXT(module_part_number, "MODULE PART", 0, NEED_MODULE,
	     "part number of the cable (likewise)"),
	TEXT(module_serial, "MODULE SERIAL", 0, NEED_MODULE,
	     "serial number of the cable (likewise)"),
};

const struct schema port_schema = SCHEMA("ports", struct port, port_fields,
					 "a port of an RDMA device");

void port_clear(struct port *port)
{
	gid_table_clear(port);
	for (size_t i = 0; i < port->pkey_count; i++)
		strings_free(&port->pkeys[i].netdevs);
	free(port->pkeys);
	free(port->speed);
	free(port->netdev);
	strings_free(&port->driver_status);
	strings_free(&port->sl_to_vl);
	free(port->module_technology);
	free(port->module_vendor);
	free(port->module_part_number);
	free(port->module_serial);
}

char *port_object(const struct port *port)
{
	return mem_format("%s/%u", port->device, (unsigned int)port->port.value);
}

void port_note_text(struct problems *problems, const struct port *port, const char *attribute,
		    const char *slot, ssize_t length, const char *text)
{
	_cleanup_(freep) char *object = port_object(port);
	_cleanup_(freep) char *name = slot ? mem_path(attribute, slot) : mem_string(attribute);

	sysfs_note(problems, object, name, length == -ENODATA ? 0 : length, length < 0 ? "" : text);
}

void port_note(struct problems *problems, const struct port *port, const char *attribute,
	       const char *slot, int error)
{
	port_note_text(problems, port, attribute, slot, error, "");
}

void port_note_table(const struct root *root, struct problems *problems, const struct port *port,
		     const char *table, struct problems *found)
{
	_cleanup_(freep) char *path = mem_format(PORT_DIRECTORY "/%s", port->kernel_name,
						 (unsigned int)port->port.value, table);
	const int rc = found->count ? sysfs_open_directory(root, path) : 0;

	if (rc)
		port_note(problems, port, table, NULL, rc);
	for (size_t i = 0; !rc && i < found->count; i++) {
		const struct problem *one = &found->items[i];

		problem_add_text(problems, one->object, one->attribute, one->source, one->error,
				 one->hint);
	}
	problems_free(found);
}

bool port_table_slot(const char *name, uint64_t *ret_index)
{
	return (name[0] != '0' || !name[1]) && !text_parse_u64(name, 10, UINT16_MAX, ret_index);
}

void port_note_gap(struct problems *problems, const struct port *port, const char *table,
		   const char *name, uint64_t *next)
{
	char slot[24];
	uint64_t index;

	if (!port_table_slot(name, &index))
		return;
	if (index != *next) {
		snprintf(slot, sizeof(slot), "%u", (unsigned int)*next);
		port_note(problems, port, table, slot, -ENOENT);
	}
	*next = index + 1;
}

#define ROW(member, ...) ATTRIBUTE(struct port, member, __VA_ARGS__)

static const struct attribute rows[] = {
	ROW(port, NULL, DECIMAL, NEED_NETLINK, .netlink = RDMA_NLDEV_ATTR_PORT_INDEX),
	ROW(link_layer, "link_layer", LAYER, NEED_LINK_LAYER, .due = DUE_ALWAYS),
	ROW(state, "state", CODE, NEED_STATE, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_PORT_STATE),
	ROW(physical_state, "phys_state", CODE, NEED_PHYSICAL_STATE, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_PORT_PHYS_STATE),
	ROW(lid, "lid", HEX, NEED_BASE_LID, .due = DUE_ALWAYS, .netlink = RDMA_NLDEV_ATTR_LID),
	ROW(lmc, "lid_mask_count", DECIMAL, NEED_LMC, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_LMC),
	ROW(sm_lid, "sm_lid", HEX, NEED_SM_LID, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_SM_LID),
	ROW(sm_sl, "sm_sl", DECIMAL, NEED_SM_SL, .due = DUE_ALWAYS),
	ROW(cap_mask, "cap_mask", HEX, NEED_CAP_MASK, .due = DUE_ALWAYS,
	    .netlink = RDMA_NLDEV_ATTR_CAP_FLAGS),
	ROW(subnet_prefix, NULL, GUID, NEED_PORT_GUID, .netlink = RDMA_NLDEV_ATTR_SUBNET_PREFIX),
	ROW(netdev_index, NULL, DECIMAL, NEED_NETDEV, .netlink = RDMA_NLDEV_ATTR_NDEV_INDEX),
	ROW(netdev, NULL, TEXT, NEED_NETDEV, .netlink = RDMA_NLDEV_ATTR_NDEV_NAME),
};

const struct attributes port_attributes = {rows, ARRAY_SIZE(rows), &port_schema};

/* Parses "100 Gb/sec (4X EDR)", rate_show() in drivers/infiniband/core/sysfs.c. */
static int parse_rate(const char *text, struct port *port)
{
	struct real rate = {0};
	const char *rest;
	char lanes[4], speed[16];
	int end = 0;

	if (attribute_parse_real(text, &rate, &rest) || strncmp(rest, " Gb/sec", 7))
		return -EINVAL;
	port->rate_gbps = rate;
	if (!rest[strlen(" Gb/sec")])
		return 0;
	if (sscanf(rest, " Gb/sec (%3[0-9]X %15[A-Z0-9])%n", lanes, speed, &end) != 2 || !end) {
		/* Older kernels do not name SDR. */
		memcpy(speed, "SDR", sizeof("SDR"));
		if (sscanf(rest, " Gb/sec (%3[0-9]X)%n", lanes, &end) != 1 || !end)
			return -EINVAL;
	}
	if (rest[end])
		return -EINVAL;
	number_set(&port->width_lanes, strtoul(lanes, NULL, 10));
	port->speed = mem_string(speed);
	return 0;
}

/* GID 0 of every port consists of the subnet prefix and the port GUID. */
static void take_first_gid(const struct gid *gid, struct port *port)
{
	/* An iWARP port has its MAC in the upper half, and no port GUID. */
	if (gid_interface_id(gid))
		number_set(&port->port_guid, gid_interface_id(gid));
	if (port_is_infiniband(port) && !port->subnet_prefix.known)
		number_set(&port->subnet_prefix, gid_subnet_prefix(gid));
}

static void read_rate(const struct root *root, const char *directory, const char *object,
		      struct port *port, struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, "%s/rate", directory);

	if (length < 0 || parse_rate(text, port))
		sysfs_note(problems, object, "rate_gbps", length, text);
}

/*
 * True for ports that may have no P_Keys and no directory for them. The kernel makes the directory
 * if the driver's table has entries (setup_port(), core/sysfs.c), which is true for InfiniBand,
 * RoCE and EFA, but not for iWARP and usNIC, nor in the first versions of mana_ib. A saved tree may
 * have lost the directory.
 */
static bool may_lack_pkeys(const struct root *root, const struct port *port)
{
	_cleanup_(freep) char *directory = mem_format(PORT_DIRECTORY, port->kernel_name,
						      (unsigned int)port->port.value);
	char text[SYSFS_TEXT_SIZE];

	if (root_answers(root))
		return sysfs_has_directory(root, directory);
	/* RNIC, usNIC, usNIC UDP: enum rdma_node_type */
	return sysfs_read(root, text, "sys/class/infiniband/%s/node_type", port->kernel_name) > 0 &&
	       text[0] >= '4' && text[0] <= '6' && text[1] == ':';
}

/* Counts the slots, which are numbered from 0; the size of a table with a gap is unknown. */
static int count_slots(const struct root *root, const char *directory, size_t *ret_count)
{
	_cleanup_(strings_free) struct strings slots = {0};
	uint64_t last = 0;
	size_t count = 0;
	int rc = sysfs_list(root, &slots, "%s", directory);

	if (rc)
		return rc;
	for (size_t i = 0; i < slots.count; i++)
		count += port_table_slot(slots.items[i], &last);
	if (count && last + 1 != count)
		return -ENOENT;
	*ret_count = count;
	return 0;
}

static void read_table_sizes(const struct root *root, const char *directory, const char *object,
			     uint64_t needs, struct port *port, struct problems *problems)
{
	_cleanup_(freep) char *gids = mem_format("%s/gids", directory);
	_cleanup_(freep) char *pkeys = mem_format("%s/pkeys", directory);
	size_t count;
	int rc;

	if (needs & NEED_GID_COUNT && !port->gid_table_length.known) {
		rc = count_slots(root, gids, &count);
		if (!rc)
			rc = gid_table_check(root, port, count);
		if (rc)
			problem_add(problems, object, "gid_table_length", "sysfs", rc, NULL);
		else
			number_set(&port->gid_table_length, count);
	}
	if (!(needs & NEED_PKEY_COUNT) || port->pkey_table_length.known)
		return;
	rc = count_slots(root, pkeys, &count);
	if (!rc && !count && !may_lack_pkeys(root, port))
		rc = -ENOENT;
	if (rc == -ENOENT && may_lack_pkeys(root, port))
		number_set(&port->pkey_table_length, 0);
	else if (rc)
		problem_add(problems, object, "pkey_table_length", "sysfs", rc, NULL);
	else
		number_set(&port->pkey_table_length, count);
}

/* An empty table has no port GUID, unless it has lost its slots. */
static void read_port_guid(const struct root *root, const char *directory, const char *object,
			   struct port *port, struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	struct gid gid;
	ssize_t length;
	size_t count;

	if (!sysfs_count(root, &count, "%s/gids", directory) && !count &&
	    !gid_table_check(root, port, 0))
		return;
	length = sysfs_read(root, text, "%s/gids/0", directory);
	if (length < 0 || gid_parse(text, &gid))
		sysfs_note(problems, object, "port_guid", length, text);
	else
		take_first_gid(&gid, port);
}

static void read_port(const struct root *root, struct port *port, uint64_t needs,
		      struct problems *problems)
{
	unsigned int number = (unsigned int)port->port.value;
	_cleanup_(freep) char *directory = mem_format(PORT_DIRECTORY, port->kernel_name, number);
	_cleanup_(freep) char *object = port_object(port);
	const struct gid_entry *first = gid_entry_at(port, 0);

	attributes_read(&port_attributes, root, directory, object, needs, port, problems);
	if (needs & NEED_RATE)
		read_rate(root, directory, object, port, problems);
	if (needs & NEED_PORT_GUID && !port->port_guid.known && first && first->gid.known)
		take_first_gid(&first->gid.gid, port);
	else if (needs & NEED_PORT_GUID && !port->port_guid.known)
		read_port_guid(root, directory, object, port, problems);
	if (needs & NEED_TABLE_SIZES)
		read_table_sizes(root, directory, object, needs, port, problems);
}

void port_read_sysfs(const struct root *root, struct port *port, uint64_t needs,
		     struct problems *problems)
{
	const uint64_t special = NEED_RATE | NEED_PORT_GUID | NEED_TABLE_SIZES;

	/* The link layer decides which other attributes are worth reading. */
	if (needs & NEED_LINK_LAYER && !port->link_layer.known)
		read_port(root, port, NEED_LINK_LAYER, problems);
	/*
	 * Only the InfiniBand link layer has LIDs and an SM; the kernel shows zeros elsewhere. A
	 * simulator's port has a LID but no link layer; a saved tree without one lacks more.
	 */
	if (port->link_layer.known ? !port_is_infiniband(port)
				   : !root->live && needs & NEED_LINK_LAYER)
		needs &= ~(uint64_t)(NEED_LID | NEED_SM_SL);
	needs &= ~(uint64_t)NEED_LINK_LAYER;
	if (port->rate_gbps.known)
		needs &= ~(uint64_t)NEED_RATE;
	if (needs & special || attributes_wanted(&port_attributes, needs, port))
		read_port(root, port, needs, problems);
	if (needs & NEED_DRIVER_FILES)
		port_read_driver_files(root, port, needs, problems);
}

static void get_membership(const void *record, struct value *value)
{
	const struct pkey *pkey = record;

	if (pkey->pkey.known && pkey->pkey.value & ~(uint64_t)PKEY_FULL_MEMBER)
		value_set_string(value, pkey->pkey.value & PKEY_FULL_MEMBER ? "full" : "limited");
}

#undef RECORD
#define RECORD struct pkey
static const struct field pkey_fields[] = {
	TEXT(device, "DEVICE", SHOWN, NEED_PKEYS, "name of the device"),
	NUMBER(port, "PORT", SHOWN, NEED_PKEYS, "number of the port"),
	NUMBER(index, "INDEX", SHOWN, NEED_PKEYS, "index in the port's P_Key table"),
	HEX(pkey, 4, "P_KEY", SHOWN, NEED_PKEYS, "partition key, with the membership bit"),
	COMPUTED_FIELD(FIELD_STRING, get_membership, "membership", "MEMBERSHIP", FIELD_DEFAULT,
		       NEED_PKEYS, "full or limited"),
	LIST(netdevs, "NETDEVS", SHOWN, NEED_PKEYS | NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_LAYER,
	     "IPoIB netdevs that use it"),
};

const struct schema pkey_schema = SCHEMA("pkeys", struct pkey, pkey_fields,
					 "an entry of a port's P_Key table");

static void read_pkey(const struct root *root, struct port *port, const char *slot,
		      struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t index, value;
	struct pkey *pkey;
	ssize_t length;

	if (!port_table_slot(slot, &index))
		return;
	length = sysfs_read(root, text, PORT_DIRECTORY "/pkeys/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0 || text_parse_u64(text, 16, UINT16_MAX, &value)) {
		port_note_text(problems, port, "pkeys", slot, length, text);
		return;
	}
	pkey = mem_append(&port->pkeys, &port->pkey_count, sizeof(*port->pkeys));
	pkey->device = port->device;
	pkey->port = port->port;
	number_set(&pkey->index, index);
	number_set(&pkey->pkey, value);
}

void pkey_table_read_sysfs(const struct root *root, struct port *port, struct problems *problems)
{
	_cleanup_(strings_free) struct strings slots = {0};
	struct problems found = {0};
	uint64_t next = 0;
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/pkeys", port->kernel_name,
			    (unsigned int)port->port.value);

	if (!rc && !slots.count)
		rc = -ENOENT;
	if (rc && (rc != -ENOENT || !may_lack_pkeys(root, port)))
		port_note(&found, port, "pkeys", NULL, rc);
	for (size_t i = 0; i < slots.count; i++) {
		port_note_gap(&found, port, "pkeys", slots.items[i], &next);
		read_pkey(root, port, slots.items[i], &found);
	}
	port_note_table(root, problems, port, "pkeys", &found);
}
