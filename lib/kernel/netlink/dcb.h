/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data center bridging of a netdev (IEEE 802.1Q: priority flow control, traffic classes, the APP
 * table), read from and set in its driver by rtnetlink: net/dcb/dcbnl.c. Any user may read; changes
 * take CAP_NET_ADMIN in the first user namespace (netlink_capable() in dcb_doit()). Drivers omit
 * what they do not know; it stays unknown here. Also the names of DSCP code points.
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
	DCB_SELECTORS = 8, /* more than there are */
};

/* Sources from which a port takes the priority of a packet, if its driver reports them. */
enum dcb_trust { DCB_TRUST_PCP = 1 << 0, DCB_TRUST_DSCP = 1 << 1 };

/* The kernel's structures as received, because a change has to write all of a structure. */
struct dcb {
	bool ets_known, pfc_known, rates_known, buffers_known;
	struct ieee_ets ets;	   /* classes: willing, bandwidth, algorithm, class of a priority */
	struct ieee_pfc pfc;	   /* paused priorities (mask), most classes, delay, counts */
	struct ieee_maxrate rates; /* kilobits per second of each class; 0: no limit */
	struct dcbnl_buffer buffers; /* buffer of each priority, sizes in bytes */
	/* Bits DCB_CAP_DCBX_x: who negotiates with the switch; neither HOST nor LLD: firmware. */
	struct number dcbx;
	struct number trusted; /* mask of enum dcb_trust */
	/* The trusted selectors, most important first. */
	uint8_t trust_order[DCB_SELECTORS];
	unsigned int trust_count;
	/* APP table: for each DSCP, a mask of the priorities that it maps to. */
	uint8_t dscp_priorities[DCB_DSCPS];
	unsigned int dscp_count; /* entries for a DSCP; other selectors are not counted */
};

/*
 * Names that are missing in the oldest kernel headers the project builds with:
 * DCB_ATTR_DCB_APP_TRUST_TABLE and DCB_ATTR_DCB_APP of include/uapi/linux/dcbnl.h.
 */
enum { DCB_ATTR_TRUST_TABLE = 11, DCB_ATTR_PCP_APP = 2 };
enum { DCB_SELECTOR_PCP = 255 }; /* DCB_APP_SEL_PCP, missing in older kernel headers */
/* Selectors of the APP table and of trust; transmission selection algorithms of a class. */
extern const struct enum_name dcb_selector_names[];
extern const struct enum_name dcb_algorithm_names[];

/*
 * Queries a netdev by its kernel name. Returns 0; -EOPNOTSUPP: the driver has no data center
 * bridging; -ENODEV: no such netdev; another -errno.
 */
int dcb_get(struct netlink *rtnl, const char *netdev, struct dcb *ret_dcb);

/*
 * Pure function: parses the reply's payload, aligned to 4 bytes, into an empty struct dcb.
 * -EBADMSG: it is damaged, and the record may be partly filled.
 */
int dcb_parse(void *record, const void *payload, size_t length);

/*
 * Settings requested of a driver; NULL and 0: leave it. The kernel sets the parts in this order,
 * and stops at the first failure.
 */
struct dcb_wish {
	const struct ieee_ets *ets;
	const struct ieee_maxrate *rates;
	const struct ieee_pfc *pfc;
	const struct dcbnl_buffer *buffers;
	const struct dcb_app *apps; /* entries to add: -EEXIST if one is there already */
	size_t app_count;
	const uint8_t *trust; /* selectors, most important first */
	size_t trust_count;
};

/*
 * Returns the driver's errno, which the kernel hides in a successful reply; -EPERM, -ENODEV,
 * -EOPNOTSUPP: no data center bridging. 0 proves nothing: a part for which the driver has no
 * function is silently skipped, and Linux before 6.2 ignores the trust. Read it back.
 */
int dcb_set(struct netlink *rtnl, const char *netdev, const struct dcb_wish *wish);
/* Deletes entries of the APP table; -ENOENT if one does not exist. Otherwise as dcb_set(). */
int dcb_delete_apps(struct netlink *rtnl, const char *netdev, const struct dcb_app *apps,
		    size_t count);
/* -EREMOTEIO: the driver refuses, without a reason; -EOPNOTSUPP: it cannot set the mode. */
int dcb_set_dcbx(struct netlink *rtnl, const char *netdev, uint8_t mode);
/*
 * Returns the result in a reply to one of these: `attribute` is DCB_ATTR_IEEE or DCB_ATTR_DCBX.
 * -EBADMSG: the reply is damaged.
 */
int dcb_parse_result(const void *payload, size_t length, unsigned int attribute);

/*
 * Returns the name of a differentiated services code point: AF31 for 26. Names are from RFC 2474
 * (CS0 to CS7), 2597 (AF11 to AF43), 3246 (EF), 5865 (VOICE-ADMIT), 8622 (LE); NULL: none.
 */
const char *dscp_name(unsigned int dscp);
/* Parses a name in any case, or a number from 0 to 63. Returns 0 or -EINVAL. */
int dscp_parse(const char *text, unsigned int *ret_dscp);
