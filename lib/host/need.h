/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The facts that a field needs. Field tables have these bits, commands combine them over the
 * columns they show, and inventory_load() reads nothing else. Device names and port numbers are
 * always read. A mask of needs is 64 bits wide.
 */
#pragma once

#include <stdint.h>

/* The facts that device_read_sysfs() reads: a line here is all that a further one needs. */
#define NEED_DEVICE_FACTS(FACT) \
	FACT(NODE_TYPE)         \
	FACT(FIRMWARE)          \
	FACT(NODE_GUID)         \
	FACT(IMAGE_GUID)        \
	FACT(BOARD_ID)          \
	FACT(HCA_TYPE)          \
	FACT(HW_REV)            \
	FACT(DESCRIPTION)       \
	FACT(DRIVER)            \
	FACT(PCI_ADDRESS)       \
	FACT(NUMA)              \
	FACT(PCI_VENDOR)        \
	FACT(PCI_DEVICE)        \
	FACT(PCI_SPEED)         \
	FACT(PCI_WIDTH)         \
	FACT(PCI_MAX_SPEED)     \
	FACT(PCI_MAX_WIDTH)     \
	FACT(IRQS)              \
	FACT(CONTEXTS)          \
	FACT(FREE_CONTEXTS)

/* The facts that port_read_sysfs() reads, except the rate: a line here is all, too. */
#define NEED_PORT_FACTS(FACT)                                         \
	FACT(LINK_LAYER)                                              \
	FACT(STATE)                                                   \
	FACT(PHYSICAL_STATE)                                          \
	FACT(BASE_LID)                                                \
	FACT(LMC)                                                     \
	FACT(SM_LID)                                                  \
	FACT(SM_SL)                                                   \
	FACT(CAP_MASK)                                                \
	FACT(PORT_GUID) /* also the subnet prefix: GID 0 */           \
	FACT(GID_COUNT) /* length of the GID table */                 \
	FACT(PKEY_COUNT)                                              \
	FACT(DRIVER_STATUS) /* this and the next two: ib_qib, hfi1 */ \
	FACT(SL_TO_VL)                                                \
	FACT(MODULE)

/* All facts. One that is only here also needs a reader in inventory.c. */
#define NEED_FACTS(FACT)                                                              \
	NEED_DEVICE_FACTS(FACT)                                                       \
	NEED_PORT_FACTS(FACT)                                                         \
	/* of a device */                                                             \
	FACT(TRANSPORT)                                                               \
	FACT(NETLINK) /* facts only in RDMA netlink: index, protocol, parent, type */ \
	FACT(UVERBS)                                                                  \
	FACT(UMADS) /* umad and issm nodes */                                         \
	FACT(CAPS)  /* limits and capabilities; opens the device through verbs */     \
	/* of a port */                                                               \
	FACT(RATE)                                                                    \
	FACT(MTU) /* opens the device through verbs */                                \
	FACT(GIDS)                                                                    \
	FACT(PKEYS)                                                                   \
	/* of the netdevs */                                                          \
	FACT(NETDEV)	  /* name of each port's netdev */                            \
	FACT(GID_NETDEVS) /* name of each GID's netdev */                             \
	FACT(LINK_LIST)	  /* all netdevs, and how they relate */                      \
	FACT(LINK_UPPERS) /* netdevs on top of each */                                \
	FACT(LINK_MTU)                                                                \
	FACT(LINK_STATE)                                                              \
	FACT(LINK_CHANGES) /* carrier changes */                                      \
	FACT(LINK_ADDRESS)                                                            \
	FACT(LINK_KIND)                                                               \
	FACT(ADDRESSES)	   /* the netdevs' IP addresses */                            \
	FACT(NETDEV_SPEED) /* from sysfs, netdev by netdev */

enum need_bit {
#define FACT(name) NEED_BIT_##name,
	NEED_FACTS(FACT)
#undef FACT
};

#define OR_FACT(name) | NEED_##name
enum need {
#define FACT(name) NEED_##name = UINT64_C(1) << NEED_BIT_##name,
	NEED_FACTS(FACT)
#undef FACT
	/* Facts that callers need together. */
	NEED_DEVICE = 0 NEED_DEVICE_FACTS(OR_FACT),
	NEED_PORT = 0 NEED_PORT_FACTS(OR_FACT),
	NEED_GUIDS = NEED_NODE_GUID | NEED_IMAGE_GUID,
	NEED_BOARD = NEED_BOARD_ID | NEED_HCA_TYPE | NEED_HW_REV | NEED_DESCRIPTION,
	NEED_PCI_ID = NEED_PCI_VENDOR | NEED_PCI_DEVICE,
	NEED_PCI_LINK = NEED_PCI_SPEED | NEED_PCI_WIDTH | NEED_PCI_MAX_SPEED | NEED_PCI_MAX_WIDTH,
	NEED_CHARDEVS = NEED_UVERBS | NEED_UMADS,
	NEED_LID = NEED_BASE_LID | NEED_LMC | NEED_SM_LID,
	NEED_LINKS = NEED_LINK_LIST | NEED_LINK_UPPERS | NEED_LINK_MTU | NEED_LINK_STATE |
		     NEED_LINK_CHANGES | NEED_LINK_ADDRESS | NEED_LINK_KIND,
	NEED_TABLE_SIZES = NEED_GID_COUNT | NEED_PKEY_COUNT,
	NEED_DRIVER_FILES = NEED_DRIVER_STATUS | NEED_SL_TO_VL | NEED_MODULE,
	/* Also makes the enum's type wide enough for every bit. */
	NEED_EVERYTHING = UINT64_MAX,
};
#undef OR_FACT
