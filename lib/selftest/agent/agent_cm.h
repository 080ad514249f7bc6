/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of librdmacm that the files of an agent share: events, and the steps of a connection.
 * agent_qp() and agent_qp_make() create the queue pairs, not rdma_create_qp(), so that they are the
 * same whatever connects them: librdmacm gets their number, and rdma_init_qp_attr(3) returns the
 * attributes. Functions return 0 or -errno with the reason in the agent.
 */
#pragma once

#include "selftest/agent/agent.h"

#define CM_BACKLOG	LIMIT_AT_ONCE /* pending connect requests */
#define CM_RESOLVE_MSEC 2000

/* Loads librdmacm and creates the agent's event channel, unless that was done before. */
int agent_cm_open(struct agent *agent);
/* Records that a call failed with errno; `what` names it. */
int agent_cm_fail(struct agent *agent, const char *what);
/* Records that an unexpected event arrived. */
int agent_cm_fail_event(struct agent *agent, const struct cm_news *news);
/* Takes the next event of any id and acknowledges it. Waits until CLOCK_MONOTONIC `end_nsec`. */
int agent_cm_next(struct agent *agent, uint64_t end_nsec, struct cm_news *news);
/* Rejects a connect request that nobody here waits for, and destroys its id. */
void agent_cm_turn_away(struct agent *agent, struct rdma_cm_id *id);
/*
 * Fills the socket address. A link-local address of either side is taken to be on the endpoint's
 * own netdev.
 */
void agent_cm_address(const struct agent *agent, const struct ip_address *ip, uint32_t port,
		      struct sockaddr_storage *storage);
/*
 * Returns -EXDEV if librdmacm chose another device than the agent's. It goes by the address, which
 * two devices may share (rxe and siw on one netdev), and the queue pair of the wrong one fails
 * obscurely.
 */
int agent_cm_check_device(struct agent *agent, const struct rdma_cm_id *id);
/* Listens on an address and a port, 0: any, in place of those before. `ip` may be of no family. */
int agent_cm_listen(struct agent *agent, const struct ip_address *ip, uint32_t port, int backlog);
/*
 * Sets the path's traffic class for a connection. If it is 0 and nobody chose that, the kernel's
 * default_roce_tos applies: cma_resolve_iboe_route(), drivers/infiniband/core/cma.c. The accepting
 * side takes it over. Returns 0, or -1 and sets errno.
 */
int agent_cm_set_tos(struct agent *agent, struct rdma_cm_id *id);
/* Creates the queue pair's id, whose context is `qp`, and begins to resolve the address. */
int agent_cm_resolve(struct agent *agent, struct agent_qp *qp, const struct ip_address *ip,
		     uint32_t port);
/* Begins to resolve the route, once the address is resolved. */
int agent_cm_resolve_route(struct agent *agent, struct agent_qp *qp);
/* Moves the queue pair to a state with the attributes that librdmacm supplies for it. */
int agent_cm_modify(struct agent *agent, struct agent_qp *qp, enum ibv_qp_state state,
		    uint32_t max_rd_atomic);
/* Moves from INIT to RTS, except on iWARP, where the connection itself does that. */
int agent_cm_modify_to_rts(struct agent *agent, struct agent_qp *qp, uint32_t max_rd_atomic);
/*
 * Joins the multicast group qp->group_address, an IP address or an AF_IB one, as a member of that
 * kind (enum rdma_cm_mc_join_flags); fills in qp->group, its path and its P_Key index. Destroying
 * the queue pair leaves the group.
 */
int agent_cm_join(struct agent *agent, struct agent_qp *qp, uint32_t flags, uint32_t timeout_msec,
		  struct cm_news *news);
