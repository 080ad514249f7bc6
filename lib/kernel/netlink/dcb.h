/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data center bridging of a netdev (IEEE 802.1Q: priority flow control, traffic classes, the APP
 * table), as its driver reports it by rtnetlink: net/dcb/dcbnl.c, which every user may ask. A
 * driver leaves out what it does not know, and that stays unknown here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schema/value.h"

struct netlink;

enum { DCB_PRIORITIES = 8, DCB_DSCPS = 64 };

struct dcb {
	struct number pfc_priorities;		/* mask of the priorities that PFC pauses */
	bool classes_known;			/* ETS */
	uint8_t priority_class[DCB_PRIORITIES]; /* the traffic class of each priority */
	struct number trusted;			/* mask of enum dcb_trust */
	/* The APP table: for each DSCP, the mask of the priorities that it is mapped to. */
	uint8_t dscp_priorities[DCB_DSCPS];
	unsigned int dscp_count; /* of entries for a DSCP */
};

/* What a port takes the priority of a packet from, if its driver says so. */
enum dcb_trust { DCB_TRUST_PCP = 1 << 0, DCB_TRUST_DSCP = 1 << 1 };

/*
 * Asks about a netdev, by the kernel's name. 0; -EOPNOTSUPP: the driver has no data center
 * bridging; -ENODEV: no such netdev; another -errno.
 */
int dcb_get(struct netlink *rtnl, const char *netdev, struct dcb *ret_dcb);

/*
 * The pure part: parses the payload of the answer, at a multiple of 4, into an empty record.
 * -EBADMSG: it is damaged, and the record may be partly filled.
 */
int dcb_parse(const void *payload, size_t length, struct dcb *dcb);
