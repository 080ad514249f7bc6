/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events that end a wait or a measurement early: a signal from the user, a peer that is gone or
 * sends a message, a removed device, no progress. A wait polls for all of them; a measurement reads
 * one flag, which a separate thread sets, so that its loop makes no system calls.
 */
#pragma once

#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/gid.h"
#include "base/library.h"
#include "base/socket.h"
#include "selftest/wire/message.h"

struct watch {
	const struct api *api;
	struct ibv_context *context; /* source of async events; NULL: none */
	uint32_t port;
	int channel;	  /* to the other side; -1: none */
	int signals;	  /* a signalfd; -1: none */
	bool patient;	  /* near side: a message from the peer is its reply, not a stop */
	bool port_down;	  /* an async event reported it during this test */
	bool stays_down;  /* and none that the port is active again */
	int queue_error;  /* errno if an async event reported that a queue of this test failed */
	bool interrupted; /* never reset */
	bool device_gone; /* never reset */
	atomic_int stop;  /* enum stop, for the watched loop */
	atomic_uint_fast64_t progress; /* incremented by the loop */
	unsigned int still_msec;
	uint64_t most_msec; /* limit of the watched loop; 0: none */
	uint64_t end_msec;
	int wake; /* eventfd that ends the thread */
	pthread_t thread;
};

/* Initialises a watch without a device. The descriptors are borrowed. */
void watch_init(struct watch *watch, const struct api *api, int channel, int signals);
/* Sets the device whose events are watched; NULL: none. */
void watch_device(struct watch *watch, struct ibv_context *context, uint32_t port);
/*
 * Waits at most `msec` until `fd` (-1: none) is readable or something else happens. Returns
 * STOP_NONE: `fd` may be readable; STOP_TIMED_OUT: nothing happened; or what happened.
 */
enum stop watch_wait(struct watch *watch, int fd, int msec);
/* Converts the end of a wait to -errno; 0 for STOP_NONE. */
int watch_error(enum stop stop);
/* Checks without waiting. */
enum stop watch_look(struct watch *watch);
/*
 * Watches in a thread until watch_end(), which returns the result: `stop` is set as soon as
 * something happens, or if `progress` has not changed for `still_msec`. Returns 0 or -errno. Until
 * then nobody else may wait, look, or read what was found, apart from `stop`. A second watch_end()
 * returns the same again.
 */
int watch_begin(struct watch *watch, unsigned int still_msec);
enum stop watch_end(struct watch *watch);

/* Records progress. There is no other writer, so the increment need not be atomic. */
static inline void watch_progress(struct watch *watch)
{
	atomic_store_explicit(&watch->progress,
			      atomic_load_explicit(&watch->progress, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/*
 * The functions of libibverbs and librdmacm that move data, loaded at run time. Calls that the
 * headers define inline (ibv_post_send(), ibv_poll_cq() ...) need no pointer. If a header defines a
 * name as a macro, call (api->name)(...).
 */

#define RNR_TIMER_CODE 12u /* 0.64 ms, IBTA 1 table 45 */

#define API_VERBS(MUST, MAY)                          \
	MUST(ibv_query_device, "IBVERBS_1.1")         \
	MUST(ibv_query_port, "IBVERBS_1.1")           \
	MUST(ibv_query_pkey, "IBVERBS_1.1")           \
	MUST(ibv_query_gid, "IBVERBS_1.1")            \
	MUST(ibv_alloc_pd, "IBVERBS_1.1")             \
	MUST(ibv_dealloc_pd, "IBVERBS_1.1")           \
	MUST(ibv_reg_mr, "IBVERBS_1.1")               \
	MUST(ibv_dereg_mr, "IBVERBS_1.1")             \
	MAY(ibv_reg_mr_iova2, "IBVERBS_1.8")          \
	MAY(ibv_reg_dmabuf_mr, "IBVERBS_1.12")        \
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
	MUST(rdma_set_option, "RDMACM_1.0")            \
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
	MUST(rdma_join_multicast_ex, "RDMACM_1.1")     \
	MUST(rdma_leave_multicast, "RDMACM_1.0")

struct api {
	API_VERBS(LIBRARY_MEMBER, LIBRARY_MEMBER)
	API_CM(LIBRARY_MEMBER)
};

/*
 * Loads librdmacm, which only rdma_cm and multicast need. Returns 0, also if it is already loaded;
 * -ELIBACC or -ELIBBAD as library_open().
 */
int api_open_cm(struct api *api);

/*
 * TCP with deadlines for short texts: nothing blocks longer than the given time, and the watch's
 * signals and device end every wait. The caller closes the descriptors.
 */

/*
 * Connects from `source`, NULL: any address. Returns 0 or -errno: -EINTR and -ENODEV if the watch
 * ended the wait, -ETIMEDOUT, or an error of the socket.
 */
int tcp_connect(struct watch *watch, const struct sockaddr_storage *address,
		const struct sockaddr_storage *source, unsigned int msec, int *ret_fd);
/* Waits for a client without a time limit. Its connection has socket_keep_alive(). */
int tcp_accept(struct watch *watch, int listener, int *ret_fd,
	       struct sockaddr_storage *ret_address);
/*
 * Transfer exactly `length` bytes. Return 0 or -errno: -ECONNRESET if the peer closed the
 * connection, -EHOSTDOWN if its host no longer answers.
 */
int tcp_read(struct watch *watch, int fd, void *bytes, size_t length, unsigned int msec);
int tcp_write(struct watch *watch, int fd, const void *bytes, size_t length, unsigned int msec);
