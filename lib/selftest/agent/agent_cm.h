/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * librdmacm as the files of an agent share it: events, and the steps of a connection. agent_qp()
 * and agent_qp_make() make the queue pairs, not rdma_create_qp(), so that they are the same
 * whatever connects them: librdmacm gets their number, and rdma_init_qp_attr(3) returns the
 * attributes. Functions return 0 or -errno with the reason in the agent.
 */
#pragma once

#include "selftest/agent/agent.h"

#define CM_BACKLOG	LIMIT_AT_ONCE /* connect requests that were not accepted yet */
#define CM_RESOLVE_MSEC 2000
/* Time for the event that explains a message of the far side. */
#define LAST_WORD_NSEC 500000000ull

/* Loads librdmacm and makes the agent's event channel, if there is none yet. */
int agent_cm_open(struct agent *agent);
/* The call failed with errno. */
int agent_cm_fail(struct agent *agent, const char *what);
/* The event is none of those that were expected. */
int agent_cm_fail_event(struct agent *agent, const struct cm_news *news);
/* The next event of any id, already acknowledged, until CLOCK_MONOTONIC `end_nsec`. */
int agent_cm_next(struct agent *agent, uint64_t end_nsec, struct cm_news *news);
/* Rejects a connect request that nobody here waits for; its id belongs to who took the event. */
void agent_cm_turn_away(struct agent *agent, struct rdma_cm_id *id);
/* A link-local address is one on the endpoint's own netdev, on both sides. */
void agent_cm_address(const struct agent *agent, const struct ip_address *ip, uint32_t port,
		      struct sockaddr_storage *storage);
/*
 * The traffic class of the path for a connection. Without one, or with a 0 that nobody has chosen,
 * the kernel's default_roce_tos counts: cma_resolve_iboe_route(), drivers/infiniband/core/cma.c.
 * The side that accepts takes it over. 0 or -1 and errno.
 */
int agent_cm_set_tos(struct agent *agent, struct rdma_cm_id *id);
/* Makes the queue pair's id, with that context, and begins to resolve the address. */
int agent_cm_resolve(struct agent *agent, struct agent_qp *qp, void *context,
		     const struct ip_address *ip, uint32_t port);
/* The address is resolved: begins to resolve the route. */
int agent_cm_resolve_route(struct agent *agent, struct agent_qp *qp);
/* Moves the queue pair to a state with the attributes that librdmacm has for it. */
int agent_cm_modify(struct agent *agent, struct agent_qp *qp, enum ibv_qp_state state,
		    uint32_t max_rd_atomic);
/* From INIT to RTS, except on iWARP, where the connection does that. */
int agent_cm_modify_to_rts(struct agent *agent, struct agent_qp *qp, uint32_t max_rd_atomic);
/* Sends a connect request with that cookie. */
int agent_cm_request(struct agent *agent, struct agent_qp *qp, const uint32_t *cookie,
		     uint32_t max_rd_atomic, uint32_t retries, uint32_t rnr_retries);
/*
 * On InfiniBand and RoCE the answer is a CONNECT_RESPONSE, because rdma_create_qp() did not make
 * the queue pair: this side brings it to RTS and confirms. iWARP needs neither.
 */
int agent_cm_establish(struct agent *agent, struct agent_qp *qp, uint32_t max_rd_atomic);
/* Brings a queue pair, whose id is that of a connect request, as far as it can, and accepts. */
int agent_cm_accept(struct agent *agent, struct agent_qp *qp, const uint32_t *cookie,
		    uint32_t max_rd_atomic, uint32_t rnr_retries);
