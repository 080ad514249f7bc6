/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a data path test: its device, port and GID, and their attributes as far as known. The
 * record is flat, without pointers, so that it can be copied and sent to the peer unchanged. Names
 * are the kernel's and may contain any byte: clean them before showing them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/gid.h"
#include "host/need.h"
#include "schema/value.h"

struct device;
struct inventory;
struct port;
struct route;

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
	uint64_t rate_mbps;   /* active rate in megabits per second; 0: unknown */
	struct ip_address ip; /* for librdmacm; family 0: none */
};

/*
 * Chooses the ends of a data path test from the inventory of the host: device, port and GID. The
 * inventory must have been loaded with ENDPOINT_NEEDS; it is only marked (selected, why), never
 * changed. On failure, *ret_reason says why and *ret_hint names the next step (it may stay NULL);
 * the caller frees both. Other out-parameters are untouched then.
 */

#define ENDPOINT_NEEDS                                                                      \
	(NEED_TRANSPORT | NEED_LINK_LAYER | NEED_STATE | NEED_RATE | NEED_MTU | NEED_LID |  \
	 NEED_PORT_GUID | NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_STATE | NEED_ADDRESSES | \
	 NEED_GIDS | NEED_GID_NETDEVS)

/* Requirements on an endpoint; {0} accepts any and selects the best one. */
struct endpoint_wish {
	struct number gid_index; /* require this index */
	struct number gid_type;	 /* enum gid_type; only for RoCE, like family */
	int family;		 /* AF_INET or AF_INET6: the GID's */
	const struct endpoint
		*peer; /* the other side, which must match in kind, GID type and family */
	bool named;    /* the user named the device or port, and the inventory holds no others */
};

/*
 * Chooses the endpoint for loopback, or on the port that the user named. RoCE GIDs are preferred in
 * this order: v2 before v1, one in the peer's subnet before others, IPv4, global IPv6, link-local.
 * InfiniBand and iWARP use index 0. -EINVAL: the GID index is not usable; -ENETDOWN: the port is
 * not active; -EADDRNOTAVAIL: it has no GID, or lacks a required IP address.
 */
int endpoint_of_port(const struct inventory *inventory, const struct device *device,
		     const struct port *port, const struct endpoint_wish *wish,
		     struct endpoint *ret_endpoint, char **ret_reason, char **ret_hint);

/*
 * Chooses the client's end: the port through which packets to `peer` leave according to `route`,
 * the routing table's answer; `name` is the user's name for the peer. Of two devices on one netdev,
 * RoCE is preferred over iWARP. A port that the user named is used even if the route leaves through
 * another one: the exchange may take another path. -ENODEV: no RDMA device leads there; other
 * errors are those of endpoint_of_port().
 */
int endpoint_by_route(const struct inventory *inventory, const char *name,
		      const struct ip_address *peer, const struct route *route,
		      const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		      char **ret_reason, char **ret_hint);

/*
 * Chooses the server's end: the port that can talk to wish->peer and has the address `local`, which
 * a client connected to, or a GID in the client's subnet. -ENODEV: there is none; other errors are
 * those of endpoint_of_port().
 */
int endpoint_of_address(const struct inventory *inventory, const struct ip_address *local,
			const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
			char **ret_reason, char **ret_hint);

/*
 * Chooses the server's end when the client names it: that device, and that port or, if 0, its first
 * active one. The name comes from the client: any bytes. -ENODEV: it does not exist; other errors
 * are those of endpoint_of_port().
 */
int endpoint_of_name(const struct inventory *inventory, const char *device, uint32_t port,
		     const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		     char **ret_reason, char **ret_hint);

/*
 * Lists every nonempty GID of a port, in the order of the table; for iWARP the only one. The caller
 * frees the array. -ENETDOWN and -EADDRNOTAVAIL as above.
 */
int endpoint_list_gids(const struct inventory *inventory, const struct device *device,
		       const struct port *port, struct endpoint **ret_endpoints, size_t *ret_count,
		       char **ret_reason, char **ret_hint);

/*
 * True if the port is known to be inactive. `peer` is the host that it belongs to; NULL is this
 * host. The caller frees the reason and the next step. Names in endpoints are cleaned here.
 */
bool endpoint_is_down(const struct endpoint *endpoint, const char *peer, char **ret_reason,
		      char **ret_hint);
/*
 * True if both ends are known and cannot talk to each other because transport, GID type or family
 * differ. `near_name` and `far_name` name them for the user.
 */
bool endpoint_mismatch(const struct endpoint *near, const char *near_name,
		       const struct endpoint *far, const char *far_name, char **ret_reason,
		       char **ret_hint);
/*
 * Whether this is EFA, which has no distinct node type or link layer: efa_ib_device_add() and
 * efa_port_link_layer(), drivers/infiniband/hw/efa in Linux. No other driver in the kernel lacks a
 * node type, but some out-of-tree ones do (Gaudi's), whose link layer is Ethernet.
 */
bool endpoint_is_efa(const struct endpoint *endpoint);
/*
 * True for EFA and usNIC, with which ibv_create_qp() makes datagram queue pairs (UD) only:
 * efa_create_qp(), providers/efa/verbs.c of rdma-core; SRD needs efadv_create_qp_ex().
 */
bool endpoint_has_datagrams_only(const struct endpoint *endpoint);
/* Returns DEV/PORT, clean; the caller frees it. */
char *endpoint_port_name(const struct endpoint *endpoint);
