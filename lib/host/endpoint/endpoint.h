/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a data path test: its device, port and GID, and their attributes as far as known. The
 * record is flat, without pointers, so that it can be copied and sent to the peer unchanged. Names
 * are the kernel's and may have any byte: clean them before showing them.
 */
#pragma once

#include <stdint.h>

#include "base/gid.h"

struct endpoint {
	char device[64];
	char netdev[16]; /* of the GID; empty if there is none or it is unknown */
	uint32_t port;	 /* 1 .. 255 */
	uint32_t gid_index;
	struct gid gid;
	uint32_t gid_type;    /* enum gid_type */
	uint32_t link_layer;  /* enum link_layer */
	uint32_t transport;   /* enum transport */
	uint32_t state;	      /* enum ib_port_state; 0: unknown */
	uint32_t operstate;   /* IF_OPER_* of the port's netdev; 0: unknown */
	uint32_t mtu_bytes;   /* the active one; 0: unknown */
	uint32_t lid;	      /* 0 except on InfiniBand */
	uint64_t rate_mbps;   /* the active rate, megabits a second; 0: unknown */
	struct ip_address ip; /* for librdmacm; family 0: none */
};
