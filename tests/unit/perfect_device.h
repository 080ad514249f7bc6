/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the self-test: a device in memory whose queue pairs do what the InfiniBand
 * Architecture Specification, volume 1, says (transitions: 10.3.1; faults: 9.9.2, 9.9.3; work
 * requests: 10.8, 11.4). Two agents have a port of it each. A test lets it misbehave by `spoil`,
 * `damage` and `lenient`. Included by one test each; nothing is lost or late.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/device.h"
#include "mad/format/codes.h"
#include "selftest/agent/agent.h"

#define SOFT_KEYS 64
#define SOFT_QPS  64
#define SOFT_SGES 32

/* Not an assertion of cmocka, which would leave the lock held or jump out of another thread. */
static inline void soft_must(bool condition)
{
	if (!condition)
		abort();
}

/* A memory region, or a memory window (lkey 0). */
struct soft_key {
	union {
		struct ibv_mr mr;
		struct ibv_mw mw;
	};
	uint32_t lkey, rkey;
	uintptr_t begin;
	size_t length;
	int access;
	struct ibv_pd *pd;
	struct ibv_qp *only; /* of a window of type 2 */
	bool used;
};

struct soft_receive {
	uint64_t id;
	struct ibv_sge elements[SOFT_SGES];
	int count;
};

struct soft_queue {
	struct soft_receive *items;
	size_t count, head, room;
};

struct soft_srq {
	struct ibv_srq srq;
	struct soft_queue receives;
};

struct soft_cq {
	struct ibv_cq cq;
	struct ibv_wc *items;
	size_t count, head, room;
	bool armed, solicited_only;
	bool deaf; /* its completions wake nobody */
};

struct soft_qp {
	struct ibv_qp qp; /* first, as in the other structures */
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;
	struct soft_queue receives;
	struct ibv_send_wr held[8]; /* posted in SQD */
	struct ibv_sge held_elements[8];
	size_t held_count;
	union ibv_gid group; /* multicast group that it has joined */
	bool member;
	bool used;
};

struct soft_ah {
	struct ibv_ah ah;
	struct ibv_ah_attr attr;
};

/* One of the two ports: the agent's context and its domains. */
struct soft_port {
	struct ibv_context context;
	struct ibv_pd domains[2];
	struct endpoint endpoint;
};

/* Errors of the device: things that it allows although it must not. */
enum lenient {
	LENIENT_RKEY = 1 << 0,	 /* an unknown rkey: the data go nowhere */
	LENIENT_BOUNDS = 1 << 1, /* likewise past the ends of a region */
	LENIENT_RIGHTS = 1 << 2,
	LENIENT_DOMAIN = 1 << 3,
	LENIENT_LENGTH = 1 << 4, /* a message is truncated to its receive */
	LENIENT_LKEY = 1 << 5,
	LENIENT_QKEY = 1 << 6,
	LENIENT_SQD = 1 << 7,	  /* a queue pair in SQD sends */
	LENIENT_FLUSH = 1 << 8,	  /* requests in ERR complete as successes */
	LENIENT_STATE = 1 << 9,	  /* a query says RTS in ERR */
	LENIENT_MTU = 1 << 10,	  /* datagrams of any length */
	NO_QUERY = 1 << 11,	  /* of queue pairs */
	LENIENT_AWAKE = 1 << 12,  /* each completion wakes those who wait for solicited ones only */
	LENIENT_WINDOW = 1 << 13, /* closed windows stay open */
	LENIENT_SIGNAL = 1 << 14, /* all requests complete */
	LENIENT_TWICE = 1 << 15,  /* all requests complete twice */
	LENIENT_ANYWAY = 1 << 18, /* it writes even if it refuses for want of a right */
	LOSE_FIRST = 1 << 19,	  /* the first message is not acknowledged */
	LOSE_ALL = 1 << 20,	  /* no message is acknowledged */
	REFUSE_SQD = 1 << 16,
	REFUSE_IN_ERROR = 1 << 17, /* posts in ERR */
	NO_SOLICITED = 1 << 21,	   /* queues are armed for all completions only */
	LENIENT_FREED = 1 << 22,   /* the last freed region: the data go nowhere */
};

static struct soft_device {
	pthread_mutex_t lock;
	struct soft_port ports[2]; /* near and far */
	struct soft_key keys[SOFT_KEYS];
	struct soft_key freed; /* the last */
	struct soft_qp qps[SOFT_QPS];
	uint32_t next_key, next_qpn;
	uint16_t group_pkey_index; /* of the P_Key of all groups */
	unsigned int lenient;
	/*
	 * Change a completion, and data that have arrived; for an atomic operation, the word and
	 * the returned value.
	 */
	void (*spoil)(struct ibv_wc *wc, bool receive);
	void (*damage)(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes);
	unsigned int objects; /* number of live objects */
	unsigned int calls;   /* counter for these two functions to use */
	int deaf_vector;      /* of the far port; 0: none */
} soft = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline int soft_side(const struct ibv_context *context)
{
	return context == &soft.ports[1].context;
}

static inline void soft_queue_put(struct soft_queue *queue, const struct ibv_recv_wr *work)
{
	struct soft_receive *item = &queue->items[queue->count++ % queue->room];

	item->id = work->wr_id;
	item->count = work->num_sge;
	memcpy(item->elements, work->sg_list, (size_t)work->num_sge * sizeof(*work->sg_list));
}

static inline struct soft_receive *soft_queue_take(struct soft_queue *queue)
{
	return queue->head < queue->count ? &queue->items[queue->head++ % queue->room] : NULL;
}

/* ---- Completions ---- */

static inline void soft_complete(struct ibv_cq *to, struct ibv_wc wc, bool receive, bool solicited)
{
	struct soft_cq *cq = (struct soft_cq *)to;
	const bool wakes = !cq->solicited_only || (receive && solicited) || wc.status ||
			   soft.lenient & LENIENT_AWAKE;

	if (soft.spoil)
		soft.spoil(&wc, receive);
	for (int i = 0; i <= !!(soft.lenient & LENIENT_TWICE); i++) {
		soft_must(cq->count - cq->head < cq->room);
		cq->items[cq->count++ % cq->room] = wc;
	}
	if (cq->armed && wakes && !cq->deaf) {
		cq->armed = false;
		eventfd_write(cq->cq.channel->fd, 1);
	}
}

static inline int soft_poll(struct ibv_cq *from, int count, struct ibv_wc *wc)
{
	struct soft_cq *cq = (struct soft_cq *)from;
	int got = 0;

	pthread_mutex_lock(&soft.lock);
	while (got < count && cq->head < cq->count)
		wc[got++] = cq->items[cq->head++ % cq->room];
	pthread_mutex_unlock(&soft.lock);
	/* A side that polls in a loop leaves the lock, and a processor, to the other side. */
	if (!got)
		usleep(20);
	return got;
}

static inline int soft_arm(struct ibv_cq *which, int solicited_only)
{
	struct soft_cq *cq = (struct soft_cq *)which;

	if (solicited_only && soft.lenient & NO_SOLICITED)
		return -EOPNOTSUPP;
	pthread_mutex_lock(&soft.lock);
	cq->armed = true;
	cq->solicited_only = solicited_only;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_get_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **of)
{
	eventfd_t one;

	(void)of;
	*cq = NULL;
	return eventfd_read(channel->fd, &one);
}

/* ---- Memory ---- */

static inline struct soft_key *soft_key_new(struct ibv_pd *pd, void *bytes, size_t length,
					    int access)
{
	size_t at = 0;

	pthread_mutex_lock(&soft.lock);
	while (soft.keys[at].used)
		at++;
	soft_must(at < SOFT_KEYS);
	soft.next_key += 0x100;
	soft.keys[at] = (struct soft_key){
		.lkey = soft.next_key,
		.rkey = soft.next_key,
		.begin = (uintptr_t)bytes,
		.length = length,
		.access = access,
		.pd = pd,
		.used = true,
	};
	soft.objects++;
	pthread_mutex_unlock(&soft.lock);
	return &soft.keys[at];
}

static inline struct ibv_mr *soft_register(struct ibv_pd *pd, void *bytes, size_t length,
					   int access)
{
	struct soft_key *key = soft_key_new(pd, bytes, length, access);

	key->mr = (struct ibv_mr){.lkey = key->lkey, .rkey = key->rkey, .pd = pd};
	return &key->mr;
}

static inline int soft_forget(struct soft_key *key)
{
	pthread_mutex_lock(&soft.lock);
	soft.freed = *key;
	*key = (struct soft_key){0};
	soft.objects--;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_deregister(struct ibv_mr *mr)
{
	return soft_forget((struct soft_key *)mr);
}

static inline struct ibv_mw *soft_window(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct soft_key *key = soft_key_new(pd, NULL, 0, 0);

	key->lkey = 0;
	key->mw = (struct ibv_mw){
		.context = pd->context, .pd = pd, .rkey = key->rkey, .type = type};
	return &key->mw;
}

static inline int soft_window_free(struct ibv_mw *mw)
{
	return soft_forget((struct soft_key *)mw);
}

/* A window bound to no bytes is closed. */
static inline void soft_bind(struct soft_key *window, const struct ibv_mw_bind_info *info,
			     uint32_t rkey, struct ibv_qp *only)
{
	if (!info->length && soft.lenient & LENIENT_WINDOW)
		return;
	soft_must(((struct soft_key *)info->mr)->access & IBV_ACCESS_MW_BIND);
	window->begin = info->addr;
	window->length = info->length;
	window->access = (int)info->mw_access_flags;
	window->rkey = rkey;
	window->only = only;
}

/* The local bytes of an element if they may be used in that way, or NULL. */
static inline uint8_t *soft_local(const struct soft_qp *qp, const struct ibv_sge *element,
				  int access)
{
	if (soft.lenient & LENIENT_LKEY)
		return (uint8_t *)(uintptr_t)element->addr;
	for (size_t i = 0; i < SOFT_KEYS; i++) {
		const struct soft_key *key = &soft.keys[i];

		if (!key->used || !key->lkey || key->lkey != element->lkey)
			continue;
		if ((key->pd != qp->qp.pd && !(soft.lenient & LENIENT_DOMAIN)) ||
		    (key->access & access) != access || element->addr < key->begin ||
		    element->addr + element->length > key->begin + key->length)
			return NULL;
		return (uint8_t *)(uintptr_t)element->addr;
	}
	return NULL;
}

static uint8_t soft_nowhere[1 << 20];

/* The same for the other side's memory, by its rkey. */
static inline uint8_t *soft_remote(const struct soft_qp *qp, uint64_t address, uint64_t length,
				   uint32_t rkey, int access)
{
	const unsigned int lenient = soft.lenient;

	for (size_t i = 0; i < SOFT_KEYS; i++) {
		const struct soft_key *key = &soft.keys[i];
		const bool allowed = (key->access & (int)qp->attr.qp_access_flags & access) ==
				     access;

		if (!key->used || key->rkey != rkey)
			continue;
		if ((key->pd != qp->qp.pd || (key->only && key->only != &qp->qp)) &&
		    !(lenient & LENIENT_DOMAIN))
			return NULL;
		if (!allowed && lenient & LENIENT_ANYWAY)
			memset((void *)(uintptr_t)address, 0, length);
		if (!allowed && !(lenient & LENIENT_RIGHTS))
			return NULL;
		if (address >= key->begin && address + length <= key->begin + key->length)
			return (uint8_t *)(uintptr_t)address;
		return soft.lenient & LENIENT_BOUNDS ? soft_nowhere : NULL;
	}
	if (lenient & LENIENT_FREED && rkey == soft.freed.rkey && address >= soft.freed.begin &&
	    address + length <= soft.freed.begin + soft.freed.length)
		return soft_nowhere;
	return lenient & LENIENT_RKEY ? soft_nowhere : NULL;
}

/* ---- Queue pairs ---- */

static inline void soft_flush(struct soft_qp *qp)
{
	struct ibv_wc wc = {.status = IBV_WC_WR_FLUSH_ERR, .qp_num = qp->qp.qp_num};
	struct soft_receive *receive;

	if (soft.lenient & LENIENT_FLUSH)
		wc.status = IBV_WC_SUCCESS;
	while ((receive = soft_queue_take(&qp->receives))) {
		wc.wr_id = receive->id;
		soft_complete(qp->init.recv_cq, wc, true, false);
	}
}

static inline void soft_break(struct soft_qp *qp)
{
	qp->attr.qp_state = IBV_QPS_ERR;
	soft_flush(qp);
}

static inline struct soft_qp *soft_find_qp(uint32_t number)
{
	for (size_t i = 0; i < SOFT_QPS; i++)
		if (soft.qps[i].used && soft.qps[i].qp.qp_num == number)
			return &soft.qps[i];
	return NULL;
}

static inline bool soft_hears(const struct soft_qp *qp)
{
	return qp->attr.qp_state >= IBV_QPS_RTR && qp->attr.qp_state <= IBV_QPS_SQD;
}

static inline bool soft_leads_to(const struct ibv_ah_attr *to, const struct soft_qp *qp)
{
	const struct endpoint *endpoint = &soft.ports[soft_side(qp->qp.context)].endpoint;

	return to->is_global && to->port_num == 1 && to->grh.hop_limit &&
	       (!memcmp(to->grh.dgid.raw, endpoint->gid.raw, sizeof(endpoint->gid.raw)) ||
		(qp->member && !memcmp(&to->grh.dgid, &qp->group, sizeof(qp->group))));
}

/* The other end of a connection, if both agree on it. */
static inline struct soft_qp *soft_peer(const struct soft_qp *qp)
{
	struct soft_qp *peer = soft_find_qp(qp->attr.dest_qp_num);

	if (!peer || !soft_hears(peer) || peer->attr.dest_qp_num != qp->qp.qp_num ||
	    !soft_leads_to(&qp->attr.ah_attr, peer) || peer->attr.rq_psn != qp->attr.sq_psn ||
	    peer->attr.path_mtu != qp->attr.path_mtu)
		return NULL;
	return peer;
}

static inline struct soft_receive *soft_take_receive(struct soft_qp *qp)
{
	return soft_queue_take(qp->init.srq ? &((struct soft_srq *)qp->init.srq)->receives
					    : &qp->receives);
}

/* The bits of enum ibv_qp_attr_mask that each transition takes: qp_state_table of the kernel's
 * drivers/infiniband/core/verbs.c. */
static inline int soft_needed(const struct soft_qp *qp, enum ibv_qp_state to)
{
	const enum ibv_qp_type type = qp->init.qp_type;
	const enum ibv_qp_state from = qp->attr.qp_state;
	int mask = IBV_QP_STATE;

	if (to == IBV_QPS_SQD && soft.lenient & REFUSE_SQD)
		return 0;
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return mask;
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return mask | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	if (from == IBV_QPS_INIT && to == IBV_QPS_RTR) {
		if (type != IBV_QPT_UD)
			mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
		return mask |
		       (type == IBV_QPT_RC ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0);
	}
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		return mask | IBV_QP_SQ_PSN |
		       (type == IBV_QPT_RC ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						     IBV_QP_MAX_QP_RD_ATOMIC
					   : 0);
	if (from == IBV_QPS_RTS && to == IBV_QPS_RTS && type == IBV_QPT_UD)
		return mask | IBV_QP_QKEY;
	if ((from == IBV_QPS_RTS && to == IBV_QPS_SQD) ||
	    (from == IBV_QPS_SQD && to == IBV_QPS_RTS))
		return mask;
	return 0;
}

static inline void soft_take(struct ibv_qp_attr *now, const struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_ACCESS_FLAGS)
		now->qp_access_flags = attr->qp_access_flags;
	if (mask & IBV_QP_QKEY)
		now->qkey = attr->qkey;
	if (mask & IBV_QP_PKEY_INDEX)
		now->pkey_index = attr->pkey_index;
	if (mask & IBV_QP_AV)
		now->ah_attr = attr->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		now->path_mtu = attr->path_mtu;
	if (mask & IBV_QP_DEST_QPN)
		now->dest_qp_num = attr->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		now->rq_psn = attr->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		now->sq_psn = attr->sq_psn;
	if (mask & IBV_QP_RETRY_CNT)
		now->retry_cnt = attr->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		now->rnr_retry = attr->rnr_retry;
	if (mask & IBV_QP_TIMEOUT)
		now->timeout = attr->timeout;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		now->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		now->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		now->min_rnr_timer = attr->min_rnr_timer;
}
