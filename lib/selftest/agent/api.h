/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of libibverbs and librdmacm that move data, loaded at run time. Calls that the
 * headers make inline (ibv_post_send(), ibv_poll_cq() ...) need no pointer. Where a header makes a
 * macro of a name, call (api->name)(...).
 */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "base/library.h"

#define RNR_TIMER_CODE 12u /* 0.64 ms, IBTA 1 table 45 */

#define API_VERBS(MUST)                               \
	MUST(ibv_query_device, "IBVERBS_1.1")         \
	MUST(ibv_query_port, "IBVERBS_1.1")           \
	MUST(ibv_alloc_pd, "IBVERBS_1.1")             \
	MUST(ibv_dealloc_pd, "IBVERBS_1.1")           \
	MUST(ibv_reg_mr, "IBVERBS_1.1")               \
	MUST(ibv_dereg_mr, "IBVERBS_1.1")             \
	MUST(ibv_create_comp_channel, "IBVERBS_1.0")  \
	MUST(ibv_destroy_comp_channel, "IBVERBS_1.0") \
	MUST(ibv_create_cq, "IBVERBS_1.1")            \
	MUST(ibv_destroy_cq, "IBVERBS_1.1")           \
	MUST(ibv_get_cq_event, "IBVERBS_1.1")         \
	MUST(ibv_ack_cq_events, "IBVERBS_1.1")        \
	MUST(ibv_create_srq, "IBVERBS_1.1")           \
	MUST(ibv_destroy_srq, "IBVERBS_1.1")          \
	MUST(ibv_create_qp, "IBVERBS_1.1")            \
	MUST(ibv_modify_qp, "IBVERBS_1.1")            \
	MUST(ibv_query_qp, "IBVERBS_1.1")             \
	MUST(ibv_destroy_qp, "IBVERBS_1.1")           \
	MUST(ibv_create_ah, "IBVERBS_1.1")            \
	MUST(ibv_destroy_ah, "IBVERBS_1.1")           \
	MUST(ibv_attach_mcast, "IBVERBS_1.1")         \
	MUST(ibv_detach_mcast, "IBVERBS_1.1")         \
	MUST(ibv_get_async_event, "IBVERBS_1.1")      \
	MUST(ibv_ack_async_event, "IBVERBS_1.1")

#define API_CM(MUST)                                   \
	MUST(rdma_create_event_channel, "RDMACM_1.0")  \
	MUST(rdma_destroy_event_channel, "RDMACM_1.0") \
	MUST(rdma_create_id, "RDMACM_1.0")             \
	MUST(rdma_destroy_id, "RDMACM_1.0")            \
	MUST(rdma_bind_addr, "RDMACM_1.0")             \
	MUST(rdma_resolve_addr, "RDMACM_1.0")          \
	MUST(rdma_resolve_route, "RDMACM_1.0")         \
	MUST(rdma_listen, "RDMACM_1.0")                \
	MUST(rdma_get_src_port, "RDMACM_1.0")          \
	MUST(rdma_connect, "RDMACM_1.0")               \
	MUST(rdma_accept, "RDMACM_1.0")                \
	MUST(rdma_reject, "RDMACM_1.0")                \
	MUST(rdma_establish, "RDMACM_1.2")             \
	MUST(rdma_disconnect, "RDMACM_1.0")            \
	MUST(rdma_init_qp_attr, "RDMACM_1.2")          \
	MUST(rdma_get_cm_event, "RDMACM_1.0")          \
	MUST(rdma_ack_cm_event, "RDMACM_1.0")          \
	MUST(rdma_join_multicast, "RDMACM_1.0")        \
	MUST(rdma_leave_multicast, "RDMACM_1.0")

struct api {
	API_VERBS(LIBRARY_MEMBER)
	API_CM(LIBRARY_MEMBER)
};

/* Loads libibverbs. 0, -ELIBACC or -ELIBBAD as library_open(). */
int api_open_verbs(struct api *api);
/* Loads librdmacm, which only rdma_cm and multicast need. Returns 0 if it is loaded already. */
int api_open_cm(struct api *api);
