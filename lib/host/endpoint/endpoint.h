/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a data path test: which device, port and GID it uses, and what is known of them. A
 * flat record without pointers: it is copied, and sent to the peer as it is. Names are the
 * kernel's, with any byte in them: clean them before they are shown.
 */
#pragma once

#include <stdint.h>

#include "base/gid.h"

struct endpoint {
	char device[64];
	char netdev[16]; /* that carries the GID; empty: none, or not known */
	uint32_t port;	 /* 1 .. 255 */
	uint32_t gid_index;
	struct gid gid;
	uint32_t gid_type;    /* enum gid_type */
	uint32_t link_layer;  /* enum link_layer */
	uint32_t transport;   /* enum transport */
	uint32_t state;	      /* enum ib_port_state; 0: unknown */
	uint32_t operstate;   /* IF_OPER_* of the port's netdev; 0: unknown */
	uint32_t mtu_bytes;   /* the active one; 0: unknown */
	uint32_t lid;	      /* 0 but on InfiniBand */
	uint64_t rate_mbps;   /* the active rate, megabits a second; 0: unknown */
	struct ip_address ip; /* for librdmacm; family 0: none */
};
