/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data center bridging of a netdev (IEEE 802.1Q: priority flow control, traffic classes, the APP
 * table), as its driver reports and takes it by rtnetlink: net/dcb/dcbnl.c. Every user may ask;
 * changing takes CAP_NET_ADMIN in the first user namespace (netlink_capable() in dcb_doit()). A
 * driver leaves out what it does not know, and that stays unknown here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <linux/dcbnl.h>

#include "schema/value.h"

struct netlink;

enum {
	DCB_PRIORITIES = IEEE_8021Q_MAX_PRIORITIES,
	DCB_CLASSES = IEEE_8021QAZ_MAX_TCS,
	DCB_BUFFERS = DCBX_MAX_BUFFERS,
	DCB_DSCPS = 64,
	DCB_SELECTORS = 8, /* more than there are kinds of them */
};

/* What a port takes the priority of a packet from, if its driver says so. */
enum dcb_trust { DCB_TRUST_PCP = 1 << 0, DCB_TRUST_DSCP = 1 << 1 };

/* The kernel's structures as they came: a change writes them whole. */
struct dcb {
	bool ets_known, pfc_known, rates_known, buffers_known;
	struct ieee_ets ets;	   /* classes: willing, bandwidth, algorithm, class of a priority */
	struct ieee_pfc pfc;	   /* mask of the paused priorities, most classes, delay, counts */
	struct ieee_maxrate rates; /* kilobits a second of each class; 0: no limit */
	struct dcbnl_buffer buffers; /* buffer of each priority, sizes in bytes */
	/* Bits DCB_CAP_DCBX_x: who negotiates with the switch; neither HOST nor LLD: firmware. */
	struct number dcbx;
	struct number trusted; /* mask of enum dcb_trust */
	/* The selectors that are trusted, the most important one first. */
	uint8_t trust_order[DCB_SELECTORS];
	unsigned int trust_count;
	/* The APP table: for each DSCP, the mask of the priorities that it is mapped to. */
	uint8_t dscp_priorities[DCB_DSCPS];
	unsigned int dscp_count; /* of entries for a DSCP; those for other selectors do not count */
};

/*
 * Names that are newer than the oldest kernel headers the project builds with:
 * DCB_ATTR_DCB_APP_TRUST_TABLE and DCB_ATTR_DCB_APP of include/uapi/linux/dcbnl.h.
 */
enum { DCB_ATTR_TRUST_TABLE = 11, DCB_ATTR_PCP_APP = 2 };
enum { DCB_SELECTOR_PCP = 255 }; /* DCB_APP_SEL_PCP, which older kernel headers do not have */
/* Selectors of the APP table and of trust; transmission selection algorithms of a class. */
extern const struct enum_name dcb_selector_names[];
extern const struct enum_name dcb_algorithm_names[];

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

/*
 * What a driver is asked to set; NULL and 0: leave it. The kernel sets the parts in this order, and
 * stops at the first that fails.
 */
struct dcb_wish {
	const struct ieee_ets *ets;
	const struct ieee_maxrate *rates;
	const struct ieee_pfc *pfc;
	const struct dcbnl_buffer *buffers;
	const struct dcb_app *apps; /* entries to add: -EEXIST if one is there already */
	size_t app_count;
	const uint8_t *trust; /* selectors in their order */
	size_t trust_count;
};

/*
 * The errno of the driver, which the kernel hides in an answer that is a success; -EPERM, -ENODEV,
 * -EOPNOTSUPP: no data center bridging. 0 proves nothing: a part that the driver has no function
 * for is skipped silently, and Linux before 6.2 ignores the trust. Read it back.
 */
int dcb_set(struct netlink *rtnl, const char *netdev, const struct dcb_wish *wish);
/* Deletes entries of the APP table; -ENOENT if one is not there. As above. */
int dcb_delete_apps(struct netlink *rtnl, const char *netdev, const struct dcb_app *apps,
		    size_t count);
/* -EREMOTEIO: the driver refuses, without a reason; -EOPNOTSUPP: it cannot be set. */
int dcb_set_dcbx(struct netlink *rtnl, const char *netdev, uint8_t mode);
/*
 * The result in the answer to one of these: `attribute` is DCB_ATTR_IEEE or DCB_ATTR_DCBX.
 * -EBADMSG: the answer is damaged.
 */
int dcb_parse_result(const void *payload, size_t length, unsigned int attribute);
