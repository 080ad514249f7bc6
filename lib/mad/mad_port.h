/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chooses the local port that management datagrams leave by. */
#pragma once

#include "host/inventory.h"
#include "host/need.h"

#define MAD_PORT_NEEDS                                                                    \
	(NEED_NODE_TYPE | NEED_LINK_LAYER | NEED_STATE | NEED_PHYSICAL_STATE | NEED_LID | \
	 NEED_SM_SL | NEED_CAP_MASK | NEED_PORT_GUID)

/* Strings are owned. */
struct mad_port {
	char *device;
	unsigned int port;
	char *smi_device; /* device for subnet management; NULL on Ethernet, which has none */
	unsigned int smi_port;
	bool subnet_manager; /* the port knows a subnet manager: sm_lid is set */
	uint16_t lid, sm_lid;
	uint8_t sm_sl;
	struct gid gid; /* index 0: subnet prefix and port GUID */
};

/*
 * Chooses a port of the inventory, which is loaded with MAD_PORT_NEEDS and has only the ports that
 * the user named: the first ACTIVE InfiniBand port, else the first whose link is up, else any. With
 * `ethernet` a RoCE port will do as well, for commands that need no subnet management. -EOPNOTSUPP:
 * there is no such port; *ret_reason and *ret_hint are set, and the caller frees them.
 */
int mad_port_choose(const struct inventory *inventory, bool ethernet, struct mad_port *ret_port,
		    char **ret_reason, char **ret_hint);
void mad_port_clear(struct mad_port *port);

/*
 * Explains why the umad node of the port did not open, from -errno in `error`: which node, its
 * mode, the next step. The caller frees both strings.
 */
void mad_port_explain(const struct mad_port *port, int error, char **ret_reason, char **ret_hint);
