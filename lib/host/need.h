/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The facts that a field needs. Field tables have these bits, commands combine them over the
 * columns they show, and inventory_load() reads nothing else. The name of a device and the numbers
 * of its ports are always read.
 */
#pragma once

enum need {
	NEED_NODE_TYPE = 1 << 0,
	NEED_TRANSPORT = 1 << 1,
	NEED_FIRMWARE = 1 << 2,
	NEED_GUIDS = 1 << 3,   /* node and system image GUID */
	NEED_NETLINK = 1 << 4, /* facts in RDMA netlink only: index, protocol, parent, type */
	NEED_BOARD = 1 << 5,   /* board id, HCA type, hardware revision, node description */
	NEED_DRIVER = 1 << 6,
	NEED_PCI_ADDRESS = 1 << 7,
	NEED_NUMA = 1 << 8,
	NEED_PCI_ID = 1 << 9,
	NEED_PCI_LINK = 1 << 10, /* speed and width, current and maximum */
	NEED_IRQS = 1 << 11,
	NEED_CHARDEVS = 1 << 12, /* uverbs, umad and issm nodes */
	NEED_STATE = 1 << 13,	 /* logical state of the ports */
	NEED_LINK_LAYER = 1 << 14,
	NEED_RATE = 1 << 15,
	NEED_LID = 1 << 16, /* LID, LMC, SM LID */
	NEED_SM_SL = 1 << 17,
	NEED_CAP_MASK = 1 << 18,
	NEED_PORT_GUID = 1 << 19,   /* also the subnet prefix: GID 0 */
	NEED_MTU = 1 << 20,	    /* opens the device through verbs */
	NEED_TABLE_SIZES = 1 << 21, /* lengths of the GID and P_Key tables */
	NEED_NETDEV = 1 << 22,	    /* name of the netdev of a port */
	NEED_LINKS = 1 << 23,	    /* netdev attributes from rtnetlink */
	NEED_ADDRESSES = 1 << 24,   /* IP addresses of the netdevs */
	NEED_GIDS = 1 << 25,
	NEED_PKEYS = 1 << 26,
	NEED_GID_NETDEVS = 1 << 27, /* netdev of each GID */
	NEED_CAPS = 1 << 29,	    /* limits and capabilities; also opens the device */
	NEED_PHYSICAL_STATE = 1 << 30,
	NEED_NETDEV_SPEED = 1 << 28, /* from sysfs, netdev by netdev */
};
