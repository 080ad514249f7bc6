/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way of a packet from the type of service (TOS) that its application gives it to the place
 * where nothing is lost, step by step: DSCP, what the port trusts, priority, traffic class, PFC,
 * congestion control, buffer, MTU. Pure functions over facts that somebody else has read.
 */
#pragma once

#include "kernel/netlink/dcb.h"
#include "kernel/netlink/ethtool.h"
#include "roce/ecn.h"
#include "schema/schema.h"

/* Where the TOS comes from. */
enum tos_source {
	TOS_ASKED,	/* the user wants to know about this one */
	TOS_GLOBAL,	/* NVIDIA's own driver gives it to every queue pair */
	TOS_CONFIGURED, /* the default of rdma_cm */
	TOS_UNTOUCHED,	/* the default cannot be seen: what an untouched device has */
};

struct roce_facts {
	const char *object, *netdev; /* mlx5_0/1, eth0: for the sentences */
	unsigned int tos;
	enum tos_source tos_source;
	bool is_v1;	   /* rdma_cm makes RoCE v1 connections by default */
	struct dcb dcb;	   /* if dcb_rc is 0 */
	int dcb_rc;	   /* -ENODATA: a saved tree */
	const char *trust; /* what NVIDIA's own driver says in sysfs: pcp, dscp; or NULL */
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
	char *value;	       /* NULL: not known */
	struct number verdict; /* enum roce_verdict */
	char *text;	       /* in words */
};

extern const struct enum_name roce_step_names[];
extern const struct schema roce_step_schema;

struct roce_chain {
	struct records steps; /* of struct roce_step */
	struct number dscp, priority, traffic_class;
	enum tristate ecn; /* on for the priority, at both ends of a stream */
	enum tristate lossless;
	struct number breaks_at; /* enum roce_step_id; known unless it is lossless */
	char *reason;
	char *next_step;
};

/* Whether the port trusts the DSCP. */
enum tristate roce_trusts_dscp(const struct roce_facts *facts);
/* The caller frees it with roce_chain_clear(). */
void roce_chain_follow(const struct roce_facts *facts, struct roce_chain *ret_chain);
void roce_chain_clear(struct roce_chain *chain);
