/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What connections and multicast groups of librdmacm have in common; for agent_cm.c and
 * agent_group.c. Errors are noted for the reply, as those of agent.h.
 */
#pragma once

#include "selftest/agent/agent.h"

#define RESOLVE_MSEC 2000

/* What of an event outlives its acknowledgement. */
struct cm_news {
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;
	uint32_t cookie;
	struct ibv_ah_attr group;
	uint32_t group_qkey, group_number;
};

/* Opens the event channel, once. */
int agent_cm_open(struct agent *agent);
/* Notes errno of a call of librdmacm and returns -errno. */
int agent_cm_fail(struct agent *agent, const char *what);
/* The address as librdmacm takes it; returns its length. */
socklen_t agent_cm_address(const struct agent *agent, const struct ip_address *ip, uint32_t port,
			   struct sockaddr_storage *storage);
/*
 * Waits for an event of one of two kinds (`other` may be the same), until CLOCK_MONOTONIC
 * `end_nsec`. Any other one is the failure that the reply tells, but for those of ids that are on
 * their way out, and of strangers, whose requests are rejected.
 */
int agent_cm_await(struct agent *agent, struct rdma_cm_id *id, enum rdma_cm_event_type type,
		   enum rdma_cm_event_type other, uint64_t end_nsec, struct cm_news *news);
/* -EXDEV: librdmacm took another device for the address than the agent's. */
int agent_cm_check_device(struct agent *agent, const struct rdma_cm_id *id);
