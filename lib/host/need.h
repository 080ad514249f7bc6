/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The facts that a field needs. Field tables have these bits, commands combine them over the
 * columns they show, and inventory_load() reads nothing else. The name of a device and the numbers
 * of its ports are always read. A mask of needs is 64 bits wide.
 */
#pragma once

#include <stdint.h>

/* A new fact is a line here, and a reader in inventory.c that provides it. */
#define NEED_FACTS(FACT)                                                              \
	/* of a device */                                                             \
	FACT(NODE_TYPE)                                                               \
	FACT(TRANSPORT)                                                               \
	FACT(FIRMWARE)                                                                \
	FACT(GUIDS)   /* node and system image GUID */                                \
	FACT(NETLINK) /* facts in RDMA netlink only: index, protocol, parent, type */ \
	FACT(BOARD)   /* board id, HCA type, hardware revision, node description */   \
	FACT(DRIVER)                                                                  \
	FACT(PCI_ADDRESS)                                                             \
	FACT(NUMA)                                                                    \
	FACT(PCI_ID)                                                                  \
	FACT(PCI_LINK) /* speed and width, current and maximum */                     \
	FACT(IRQS)                                                                    \
	FACT(CHARDEVS) /* uverbs, umad and issm nodes */                              \
	FACT(CAPS)     /* limits and capabilities; opens the device through verbs */  \
	/* of a port */                                                               \
	FACT(LINK_LAYER)                                                              \
	FACT(STATE)                                                                   \
	FACT(PHYSICAL_STATE)                                                          \
	FACT(RATE)                                                                    \
	FACT(LID) /* LID, LMC, SM LID */                                              \
	FACT(SM_SL)                                                                   \
	FACT(CAP_MASK)                                                                \
	FACT(PORT_GUID)	  /* also the subnet prefix: GID 0 */                         \
	FACT(MTU)	  /* opens the device through verbs */                        \
	FACT(TABLE_SIZES) /* lengths of the GID and P_Key tables */                   \
	FACT(GIDS)                                                                    \
	FACT(PKEYS)                                                                   \
	/* of the netdevs */                                                          \
	FACT(NETDEV)	   /* the name of the netdev of a port */                     \
	FACT(GID_NETDEVS)  /* the name of the netdev of each GID */                   \
	FACT(LINKS)	   /* the attributes of all netdevs */                        \
	FACT(ADDRESSES)	   /* their IP addresses */                                   \
	FACT(NETDEV_SPEED) /* from sysfs, netdev by netdev */

enum need_bit {
#define FACT(name) NEED_BIT_##name,
	NEED_FACTS(FACT)
#undef FACT
};

enum need {
#define FACT(name) NEED_##name = UINT64_C(1) << NEED_BIT_##name,
	NEED_FACTS(FACT)
#undef FACT
	/* Also makes the type of the others wide enough for every bit. */
	NEED_EVERYTHING = UINT64_MAX,
};
