/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows a packet from the type of service (TOS) set by its application to the point where nothing
 * is lost, step by step: DSCP, what the port trusts, priority, traffic class, PFC, congestion
 * control, buffer, MTU. Pure functions; the caller provides the facts.
 */
#pragma once

#include "kernel/netlink/dcb.h"
#include "kernel/netlink/ethtool.h"
#include "roce/ecn.h"
#include "schema/schema.h"

/* The source of the TOS. */
enum tos_source {
	TOS_ASKED,	/* given by the user */
	TOS_GLOBAL,	/* NVIDIA's own driver applies it to every queue pair */
	TOS_CONFIGURED, /* the default of rdma_cm */
	TOS_UNTOUCHED,	/* the default is not visible: assumes that of an untouched device */
};

struct roce_facts {
	const char *object, *netdev; /* mlx5_0/1, eth0: used in the texts */
	unsigned int tos;
	enum tos_source tos_source;
	int global_rc;	/* why it is unknown whether another TOS overrides this one; or 0 */
	bool is_v1;	/* rdma_cm uses RoCE v1 connections by default */
	struct dcb dcb; /* valid if dcb_rc is 0, except `trusted`: roce_read_trust() */
	int dcb_rc;	/* -ENODATA: a saved tree */
	const char *driver;
	struct roce_ecn ecn;
	struct ethtool_pause pause;
	struct number netdev_mtu, active_mtu; /* bytes */
};

enum roce_step_id {
	ROCE_TOS,
	ROCE_DSCP,
	ROCE_TRUST,
	ROCE_PRIORITY,
	ROCE_CLASS,
	ROCE_PFC,
	ROCE_ECN,
	ROCE_BUFFER,
	ROCE_MTU,
};

enum roce_verdict { ROCE_OK, ROCE_NOTE, ROCE_UNKNOWN, ROCE_BROKEN };

struct roce_step {
	struct number step;    /* enum roce_step_id */
	char *value;	       /* NULL: unknown */
	struct number verdict; /* enum roce_verdict */
	char *text;	       /* explanation */
};

extern const struct enum_name roce_step_names[];
extern const struct schema roce_step_schema;

struct roce_chain {
	struct records steps; /* of struct roce_step */
	struct number dscp, priority, traffic_class;
	enum tristate ecn; /* on for the priority, at both ends of a stream */
	enum tristate lossless;
	struct number breaks_at; /* enum roce_step_id; known unless the chain is lossless */
	char *reason;
	char *next_step;
};

/* Whether the port trusts the DSCP. */
enum tristate roce_trusts_dscp(const struct roce_facts *facts);
/* Follows the chain, whose steps and texts the caller frees. */
void roce_chain_follow(const struct roce_facts *facts, struct roce_chain *ret_chain);
