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

#define API_VERBS(MUST)                \
	MUST(ibv_query_device)         \
	MUST(ibv_query_port)           \
	MUST(ibv_alloc_pd)             \
	MUST(ibv_dealloc_pd)           \
	MUST(ibv_reg_mr)               \
	MUST(ibv_dereg_mr)             \
	MUST(ibv_create_comp_channel)  \
	MUST(ibv_destroy_comp_channel) \
	MUST(ibv_create_cq)            \
	MUST(ibv_destroy_cq)           \
	MUST(ibv_get_cq_event)         \
	MUST(ibv_ack_cq_events)        \
	MUST(ibv_create_srq)           \
	MUST(ibv_destroy_srq)          \
	MUST(ibv_create_qp)            \
	MUST(ibv_modify_qp)            \
	MUST(ibv_query_qp)             \
	MUST(ibv_destroy_qp)           \
	MUST(ibv_create_ah)            \
	MUST(ibv_destroy_ah)           \
	MUST(ibv_attach_mcast)         \
	MUST(ibv_detach_mcast)         \
	MUST(ibv_get_async_event)      \
	MUST(ibv_ack_async_event)

#define API_CM(MUST)                     \
	MUST(rdma_create_event_channel)  \
	MUST(rdma_destroy_event_channel) \
	MUST(rdma_create_id)             \
	MUST(rdma_destroy_id)            \
	MUST(rdma_bind_addr)             \
	MUST(rdma_resolve_addr)          \
	MUST(rdma_resolve_route)         \
	MUST(rdma_listen)                \
	MUST(rdma_get_src_port)          \
	MUST(rdma_connect)               \
	MUST(rdma_accept)                \
	MUST(rdma_reject)                \
	MUST(rdma_establish)             \
	MUST(rdma_disconnect)            \
	MUST(rdma_init_qp_attr)          \
	MUST(rdma_get_cm_event)          \
	MUST(rdma_ack_cm_event)          \
	MUST(rdma_join_multicast)        \
	MUST(rdma_leave_multicast)

struct api {
	API_VERBS(LIBRARY_MEMBER)
	API_CM(LIBRARY_MEMBER)
};

/* Loads libibverbs. 0, -ELIBACC or -ELIBBAD as library_open(). */
int api_open_verbs(struct api *api);
/* Loads librdmacm, which only rdma_cm and multicast need. 0 also if it is there already. */
int api_open_cm(struct api *api);
