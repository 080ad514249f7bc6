/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a traffic class to a lossless queue: the traffic class (type of service) that a connection
 * sets is in every RoCE v2 packet; its upper six bits are the DSCP, which the port maps to a
 * priority if it trusts it, and PFC pauses some priorities instead of dropping their packets. Pure
 * functions.
 */
#pragma once

#include "kernel/netlink/dcb.h"

enum tos_end {
	TOS_LOSSLESS,
	TOS_NO_PFC,	 /* no priority is lossless */
	TOS_NOT_TRUSTED, /* the port looks at the VLAN tag, not at the DSCP */
	TOS_LOSSY,	 /* the priority is not lossless */
	TOS_NOT_MAPPED,	 /* the driver reports no entry for the DSCP, so the firmware chooses */
	TOS_AMBIGUOUS,	 /* several entries for the DSCP, not all of them lossless */
	TOS_UNKNOWN,	 /* PFC, or what the port trusts, is not known */
};

struct tos_chain {
	unsigned int tos, dscp;
	struct number priority;	     /* unknown if the chain does not come so far */
	struct number traffic_class; /* of the hardware, that the priority belongs to */
	enum tos_end end;
};

/*
 * Whether a port trusts the DSCP. If its driver does not say: those that have entries for a DSCP
 * act on them, and mlx5 trusts the VLAN priority while it has none (en_dcbnl.c).
 */
enum tristate tos_trusts_dscp(const struct dcb *dcb, const char *driver);
struct tos_chain tos_follow(unsigned int tos, const struct dcb *dcb, enum tristate trusts_dscp);
/* "traffic class 106: DSCP 26, priority 3, which is lossless"; the caller frees it. */
char *tos_describe(const struct tos_chain *chain);
/* The TOS of a DSCP, with ECN: its packets are marked instead of dropped where a switch can. */
unsigned int tos_of_dscp(unsigned int dscp);
/* The lowest traffic class that leads to a lossless priority, with ECN; 0: there is none. */
unsigned int tos_find_lossless(const struct dcb *dcb);

/* A traffic class, 0 to 255, in decimal, octal or hexadecimal. 0 or -EINVAL. */
int tos_parse(const char *text, unsigned int *ret_tos);
#define TOS_DSCP_HINT                                                                             \
	"a DSCP is a number from 0 to 63, or a name: CS0 to CS7, AF11 to AF43, EF, VOICE-ADMIT, " \
	"LE"
/* The TOS of a DSCP by name (AF31, EF) or number, 0 to 63: tos_of_dscp(). 0 or -EINVAL. */
int tos_parse_dscp(const char *text, unsigned int *ret_tos);
