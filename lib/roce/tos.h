/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a traffic class to a lossless queue: the traffic class (type of service) that a connection
 * sets is in every RoCE v2 packet. Its upper six bits are the DSCP, which the port maps to a
 * priority if it trusts the DSCP, and PFC pauses some priorities instead of dropping their packets.
 * Pure functions.
 */
#pragma once

#include "kernel/netlink/dcb.h"

enum tos_end {
	TOS_LOSSLESS,
	TOS_NO_PFC,	 /* no priority is lossless */
	TOS_NOT_TRUSTED, /* the port uses the VLAN tag, not the DSCP */
	TOS_LOSSY,	 /* the priority is not lossless */
	TOS_NOT_MAPPED,	 /* the driver reports no entry for the DSCP, so the firmware chooses */
	TOS_AMBIGUOUS,	 /* several entries for the DSCP, some of them not lossless */
	TOS_UNKNOWN,	 /* PFC, or what the port trusts, is unknown */
};

struct tos_chain {
	unsigned int tos, dscp;
	struct number priority;	     /* unknown if the chain ends before it */
	struct number traffic_class; /* the hardware's, of that priority */
	enum tos_end end;
};

/*
 * Whether a port trusts the DSCP. If its driver does not report it: drivers with entries for a DSCP
 * act on them, and mlx5 trusts the VLAN priority while it has none (en_dcbnl.c).
 */
enum tristate tos_trusts_dscp(const struct dcb *dcb, const char *driver);
struct tos_chain tos_follow(unsigned int tos, const struct dcb *dcb, enum tristate trusts_dscp);
/* Returns "traffic class 106: DSCP 26, priority 3, which is lossless"; the caller frees it. */
char *tos_describe(const struct tos_chain *chain);
/*
 * Returns the TOS of a DSCP, with ECN: switches that can mark its packets instead of dropping them.
 */
unsigned int tos_of_dscp(unsigned int dscp);
/* Returns the lowest traffic class that leads to a lossless priority, with ECN; 0: none. */
unsigned int tos_find_lossless(const struct dcb *dcb);

/* Parses a traffic class, 0 to 255, in decimal, octal or hexadecimal. 0 or -EINVAL. */
int tos_parse(const char *text, unsigned int *ret_tos);
#define TOS_DSCP_HINT                                                                             \
	"a DSCP is a number from 0 to 63, or a name: CS0 to CS7, AF11 to AF43, EF, VOICE-ADMIT, " \
	"LE"
/*
 * Parses a DSCP, by name (AF31, EF) or number, 0 to 63, into its TOS: tos_of_dscp(). 0 or -EINVAL.
 */
int tos_parse_dscp(const char *text, unsigned int *ret_tos);
