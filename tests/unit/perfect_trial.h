/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the self-test: how the device of perfect_device.h carries out work requests, and
 * a trial between its two ports. The far side is an agent in a thread, as in loopback.
 */
#pragma once

#include "perfect_device.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "selftest/trial/trial.h"

/* ---- Work requests ---- */

static const enum ibv_wc_opcode soft_opcodes[] = {
	[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
	[IBV_WR_SEND] = IBV_WC_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
	[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
};

static inline uint64_t soft_length(const struct ibv_sge *elements, int count)
{
	uint64_t length = 0;

	for (int i = 0; i < count; i++)
		length += elements[i].length;
	return length;
}

/* Copies between elements of a work request and contiguous bytes; false: no such memory. */
static inline bool soft_copy(const struct soft_qp *qp, const struct ibv_sge *elements, int count,
			     uint8_t *bytes, uint64_t length, bool in, bool inlined)
{
	for (int i = 0; i < count; i++) {
		const uint64_t part = elements[i].length < length ? elements[i].length : length;
		uint8_t *local = inlined ? (uint8_t *)(uintptr_t)elements[i].addr
					 : soft_local(qp, &elements[i],
						      in ? IBV_ACCESS_LOCAL_WRITE : 0);

		if (!local)
			return false;
		if (part)
			memcpy(in ? local : bytes, in ? bytes : local, part);
		bytes += part;
		length -= part;
	}
	return true;
}

/*
 * IPv4 header in the last 20 of the 40 bytes before a datagram: union rdma_network_hdr, ib_verbs.h.
 */
static inline void soft_header(const struct soft_qp *from, const struct ibv_ah_attr *to,
			       uint8_t header[static 40])
{
	memset(header, 0xee, 40);
	header[20] = 0x45;
	header[29] = IPPROTO_UDP;
	memcpy(header + 32, soft.ports[soft_side(from->qp.context)].endpoint.gid.raw + 12, 4);
	memcpy(header + 36, to->grh.dgid.raw + 12, 4);
}

/*
 * Returns the receive for a message. Nothing is lost: a message waits for a receive, on a reliable
 * connection only if its queue pair retries without limit (7 retries).
 */
static inline struct soft_receive *soft_await_receive(const struct soft_qp *qp,
						      struct soft_qp *peer)
{
	const bool waits = qp->init.qp_type != IBV_QPT_RC || qp->attr.rnr_retry == 7;
	struct soft_receive *receive = soft_take_receive(peer);

	for (int i = 0; !receive && waits && i < 20000 && soft_hears(peer); i++) {
		pthread_mutex_unlock(&soft.lock);
		usleep(100);
		pthread_mutex_lock(&soft.lock);
		receive = peer->used ? soft_take_receive(peer) : NULL;
	}
	return receive;
}

/* Delivers a message to the other side's receive; returns the status of the send. */
static inline enum ibv_wc_status soft_deliver(struct soft_qp *qp, struct soft_qp *peer,
					      const struct ibv_send_wr *work, uint8_t *bytes,
					      uint64_t length, bool message)
{
	struct soft_receive *receive = soft_await_receive(qp, peer);
	const bool datagram = qp->init.qp_type == IBV_QPT_UD;
	struct ibv_wc wc = {
		.opcode = message ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM,
		.byte_len = (uint32_t)length,
		.qp_num = peer->qp.qp_num,
		.src_qp = qp->qp.qp_num,
	};

	if (!receive)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	wc.wr_id = receive->id;
	if (work->opcode == IBV_WR_SEND_WITH_IMM || work->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		wc.imm_data = work->imm_data;
	}
	if (datagram)
		wc.wc_flags |= IBV_WC_GRH;
	if (message && length > soft_length(receive->elements, receive->count) &&
	    !(soft.lenient & LENIENT_LENGTH))
		wc.status = IBV_WC_LOC_LEN_ERR;
	else if (message &&
		 !soft_copy(peer, receive->elements, receive->count, bytes, length, true, false))
		wc.status = IBV_WC_LOC_PROT_ERR;
	else if (message && soft.damage && receive->count)
		soft.damage(work->opcode,
			    (uint8_t *)(uintptr_t)receive->elements[0].addr + (datagram ? 40 : 0),
			    (uint8_t *)(uintptr_t)work->sg_list[0].addr,
			    length - (datagram ? 40 : 0));
	soft_complete(peer->init.recv_cq, wc, true, work->send_flags & IBV_SEND_SOLICITED);
	if (!wc.status)
		return IBV_WC_SUCCESS;
	soft_break(peer);
	return wc.status == IBV_WC_LOC_LEN_ERR ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

static inline enum ibv_wc_status soft_atomic(struct soft_qp *qp, const struct soft_qp *peer,
					     const struct ibv_send_wr *work)
{
	uint64_t *word = (uint64_t *)(void *)soft_remote(peer, work->wr.atomic.remote_addr, 8,
							 work->wr.atomic.rkey,
							 IBV_ACCESS_REMOTE_ATOMIC);
	uint64_t before;

	if (!word || work->wr.atomic.remote_addr % 8)
		return word ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_ACCESS_ERR;
	before = *word;
	if (work->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		*word += work->wr.atomic.compare_add;
	else if (*word == work->wr.atomic.compare_add)
		*word = work->wr.atomic.swap;
	if (soft.damage)
		soft.damage(work->opcode, (uint8_t *)word, (uint8_t *)&before, 8);
	return soft_copy(qp, work->sg_list, work->num_sge, (uint8_t *)&before, 8, true, false)
		       ? IBV_WC_SUCCESS
		       : IBV_WC_LOC_PROT_ERR;
}

static inline enum ibv_wc_status soft_move(struct soft_qp *qp, struct soft_qp *peer,
					   const struct ibv_send_wr *work)
{
	const uint64_t length = soft_length(work->sg_list, work->num_sge);
	const bool read = work->opcode == IBV_WR_RDMA_READ;
	uint8_t *there = soft_nowhere, *here;

	if (length)
		there = soft_remote(peer, work->wr.rdma.remote_addr, length, work->wr.rdma.rkey,
				    read ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE);
	if (!there)
		return IBV_WC_REM_ACCESS_ERR;
	if (!soft_copy(qp, work->sg_list, work->num_sge, there, length, read,
		       work->send_flags & IBV_SEND_INLINE))
		return IBV_WC_LOC_PROT_ERR;
	here = (uint8_t *)(uintptr_t)work->sg_list[0].addr;
	if (soft.damage && work->num_sge)
		soft.damage(work->opcode, read ? here : there, read ? there : here, length);
	return IBV_WC_SUCCESS;
}

/* One send for each side, which may have to wait for a receive. */
static __thread uint8_t soft_packet[(1 << 20) + 64];

static inline enum ibv_wc_status soft_send_connected(struct soft_qp *qp,
						     const struct ibv_send_wr *work)
{
	struct soft_qp *peer = soft_peer(qp);
	const uint64_t length = soft_length(work->sg_list, work->num_sge);
	const bool inlined = work->send_flags & IBV_SEND_INLINE;
	enum ibv_wc_status status;

	/* Errors that the requester detects itself come first. */
	if (work->opcode <= IBV_WR_SEND_WITH_IMM &&
	    !soft_copy(qp, work->sg_list, work->num_sge, soft_packet, length, false, inlined))
		return IBV_WC_LOC_PROT_ERR;
	if (!peer)
		return IBV_WC_RETRY_EXC_ERR;
	if (work->opcode == IBV_WR_SEND || work->opcode == IBV_WR_SEND_WITH_IMM)
		return soft_deliver(qp, peer, work, soft_packet, length, true);
	if (work->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    work->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		status = soft_atomic(qp, peer, work);
	else
		status = soft_move(qp, peer, work);
	if (status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_INV_REQ_ERR)
		soft_break(peer);
	if (status || work->opcode != IBV_WR_RDMA_WRITE_WITH_IMM)
		return status;
	return soft_deliver(qp, peer, work, NULL, length, false);
}

/* The queue pair with that number, or a member of a group on the other side (IBTA 1, 10.5). */
static inline struct soft_qp *soft_hearer(const struct soft_qp *from, uint32_t number)
{
	const int side = soft_side(from->qp.context);

	if (number != 0xffffff)
		return soft_find_qp(number);
	soft_must(from->attr.pkey_index == soft.group_pkey_index);
	for (size_t i = 0; i < SOFT_QPS; i++) {
		struct soft_qp *qp = &soft.qps[i];

		if (!qp->member || soft_side(qp->qp.context) == side)
			continue;
		soft_must(qp->attr.pkey_index == soft.group_pkey_index);
		return qp;
	}
	return NULL;
}

/* A datagram that cannot be delivered is lost without an error. */
static inline enum ibv_wc_status soft_send_datagram(struct soft_qp *qp,
						    const struct ibv_send_wr *work)
{
	const struct ibv_ah_attr *to = &((const struct soft_ah *)work->wr.ud.ah)->attr;
	const uint64_t length = soft_length(work->sg_list, work->num_sge);
	struct soft_qp *peer = soft_hearer(qp, work->wr.ud.remote_qpn);
	const bool fits = length <= soft.ports[0].endpoint.mtu_bytes || soft.lenient & LENIENT_MTU;

	if (!soft_copy(qp, work->sg_list, work->num_sge, soft_packet + 40, length, false,
		       work->send_flags & IBV_SEND_INLINE))
		return IBV_WC_LOC_PROT_ERR;
	soft_header(qp, to, soft_packet);
	if (peer && soft_hears(peer) && soft_leads_to(to, peer) && fits &&
	    (peer->attr.qkey == work->wr.ud.remote_qkey || soft.lenient & LENIENT_QKEY))
		soft_deliver(qp, peer, work, soft_packet, length + 40, true);
	return IBV_WC_SUCCESS;
}

/* Work requests bind and invalidate windows of type 2. */
static inline void soft_window_work(struct soft_qp *qp, const struct ibv_send_wr *work)
{
	if (work->opcode == IBV_WR_BIND_MW)
		soft_bind((struct soft_key *)work->bind_mw.mw, &work->bind_mw.bind_info,
			  work->bind_mw.rkey, &qp->qp);
	else
		for (size_t i = 0; i < SOFT_KEYS; i++)
			if (soft.keys[i].used && soft.keys[i].rkey == work->invalidate_rkey &&
			    !(soft.lenient & LENIENT_WINDOW))
				soft.keys[i].length = 0;
}

static inline void soft_execute(struct soft_qp *qp, const struct ibv_send_wr *work)
{
	struct ibv_wc wc = {
		.wr_id = work->wr_id,
		.opcode = soft_opcodes[work->opcode],
		.qp_num = qp->qp.qp_num,
		.byte_len = (uint32_t)soft_length(work->sg_list, work->num_sge),
	};
	const enum ibv_qp_type type = qp->init.qp_type;

	if (qp->attr.qp_state == IBV_QPS_ERR)
		wc.status = soft.lenient & LENIENT_FLUSH ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR;
	else if (work->opcode == IBV_WR_BIND_MW || work->opcode == IBV_WR_LOCAL_INV)
		soft_window_work(qp, work);
	else if (type == IBV_QPT_RC ||
		 (!(soft.lenient & LOSE_ALL) && (!(soft.lenient & LOSE_FIRST) || soft.calls++)))
		wc.status = type == IBV_QPT_UD ? soft_send_datagram(qp, work)
					       : soft_send_connected(qp, work);
	/* An unreliable connection has no acknowledgements. */
	if (type == IBV_QPT_UC && wc.status != IBV_WC_LOC_PROT_ERR &&
	    qp->attr.qp_state != IBV_QPS_ERR)
		wc.status = IBV_WC_SUCCESS;
	if (wc.status || qp->init.sq_sig_all || work->send_flags & IBV_SEND_SIGNALED ||
	    soft.lenient & LENIENT_SIGNAL)
		soft_complete(qp->init.send_cq, wc, false, false);
	if (wc.status)
		soft_break(qp);
}

static inline int soft_post_one(struct soft_qp *qp, const struct ibv_send_wr *work)
{
	const bool holds = qp->attr.qp_state == IBV_QPS_SQD && !(soft.lenient & LENIENT_SQD);

	if (qp->attr.qp_state < IBV_QPS_RTS ||
	    (qp->attr.qp_state == IBV_QPS_ERR && soft.lenient & REFUSE_IN_ERROR) ||
	    (uint32_t)work->num_sge > qp->init.cap.max_send_sge ||
	    (work->send_flags & IBV_SEND_INLINE &&
	     soft_length(work->sg_list, work->num_sge) > qp->init.cap.max_inline_data))
		return EINVAL;
	if (!holds) {
		soft_execute(qp, work);
		return 0;
	}
	soft_must(qp->held_count < 8 && work->num_sge <= 1);
	qp->held[qp->held_count] = *work;
	qp->held[qp->held_count].sg_list = &qp->held_elements[qp->held_count];
	if (work->num_sge)
		qp->held_elements[qp->held_count] = work->sg_list[0];
	qp->held_count++;
	return 0;
}

static inline int soft_post_send(struct ibv_qp *to, struct ibv_send_wr *work,
				 struct ibv_send_wr **bad)
{
	int rc = 0;

	pthread_mutex_lock(&soft.lock);
	for (; work && !rc; work = work->next) {
		*bad = work;
		rc = soft_post_one((struct soft_qp *)to, work);
	}
	pthread_mutex_unlock(&soft.lock);
	return rc;
}

static inline int soft_post_receive(struct ibv_qp *to, struct ibv_recv_wr *work,
				    struct ibv_recv_wr **bad)
{
	struct soft_qp *qp = (struct soft_qp *)to;
	struct soft_queue *queue = &qp->receives;
	int rc = 0;

	pthread_mutex_lock(&soft.lock);
	for (; work && !rc; work = work->next) {
		*bad = work;
		if (qp->attr.qp_state == IBV_QPS_RESET)
			rc = EINVAL;
		else if (queue->count - queue->head == queue->room)
			rc = ENOMEM;
		else
			soft_queue_put(queue, work);
	}
	if (!rc && qp->attr.qp_state == IBV_QPS_ERR)
		soft_flush(qp);
	pthread_mutex_unlock(&soft.lock);
	return rc;
}

static inline int soft_post_shared(struct ibv_srq *to, struct ibv_recv_wr *work,
				   struct ibv_recv_wr **bad)
{
	(void)bad;
	pthread_mutex_lock(&soft.lock);
	soft_queue_put(&((struct soft_srq *)to)->receives, work);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_modify(struct ibv_qp *which, struct ibv_qp_attr *attr, int mask)
{
	struct soft_qp *qp = (struct soft_qp *)which;
	const enum ibv_qp_state from = qp->attr.qp_state;
	int rc = 0;

	pthread_mutex_lock(&soft.lock);
	if (mask != soft_needed(qp, attr->qp_state))
		rc = EINVAL;
	if (!rc && mask & IBV_QP_PORT)
		rc = attr->port_num == 1 && (!attr->pkey_index ||
					     attr->pkey_index == soft.group_pkey_index)
			     ? 0
			     : EINVAL;
	if (!rc) {
		soft_take(&qp->attr, attr, mask);
		qp->attr.qp_state = attr->qp_state;
	}
	if (!rc && attr->qp_state == IBV_QPS_ERR)
		soft_flush(qp);
	if (!rc && attr->qp_state == IBV_QPS_RESET)
		qp->receives.head = qp->receives.count;
	for (size_t i = 0; !rc && from == IBV_QPS_SQD && i < qp->held_count; i++)
		soft_execute(qp, &qp->held[i]);
	if (from == IBV_QPS_SQD)
		qp->held_count = 0;
	pthread_mutex_unlock(&soft.lock);
	return rc;
}

static inline int soft_query(struct ibv_qp *which, struct ibv_qp_attr *attr, int mask,
			     struct ibv_qp_init_attr *init)
{
	const struct soft_qp *qp = (const struct soft_qp *)which;

	(void)mask;
	if (soft.lenient & NO_QUERY)
		return EOPNOTSUPP;
	pthread_mutex_lock(&soft.lock);
	*attr = qp->attr;
	*init = qp->init;
	if (attr->qp_state == IBV_QPS_ERR && soft.lenient & LENIENT_STATE)
		attr->qp_state = IBV_QPS_RTS;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/* ---- Objects ---- */

static inline struct ibv_comp_channel *soft_channel(struct ibv_context *context)
{
	struct ibv_comp_channel *channel = mem_alloc_zero(1, sizeof(*channel));

	*channel = (struct ibv_comp_channel){
		.context = context,
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE),
	};
	return channel;
}

static inline int soft_channel_free(struct ibv_comp_channel *channel)
{
	close(channel->fd);
	free(channel);
	return 0;
}

static inline struct ibv_cq *soft_cq(struct ibv_context *context, int entries, void *of,
				     struct ibv_comp_channel *channel, int vector)
{
	struct soft_cq *cq = mem_alloc_zero(1, sizeof(*cq));

	(void)of;
	soft_must(vector >= 0 && vector < context->num_comp_vectors);
	cq->cq = (struct ibv_cq){.context = context, .channel = channel, .cqe = entries};
	cq->deaf = vector && vector == soft.deaf_vector && soft_side(context);
	cq->room = (size_t)entries;
	cq->items = mem_alloc_zero(cq->room, sizeof(*cq->items));
	return &cq->cq;
}

static inline int soft_cq_free(struct ibv_cq *cq)
{
	free(((struct soft_cq *)cq)->items);
	free(cq);
	return 0;
}

static inline void soft_acknowledge(struct ibv_cq *cq, unsigned int count)
{
	(void)cq, (void)count;
}

static inline void soft_make_room(struct soft_queue *queue, uint32_t room)
{
	queue->room = room;
	queue->items = mem_alloc_zero(room + 1, sizeof(*queue->items));
}

static inline struct ibv_srq *soft_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct soft_srq *srq = mem_alloc_zero(1, sizeof(*srq));

	srq->srq = (struct ibv_srq){.context = pd->context, .pd = pd};
	soft_make_room(&srq->receives, attr->attr.max_wr);
	return &srq->srq;
}

static inline int soft_srq_free(struct ibv_srq *srq)
{
	free(((struct soft_srq *)srq)->receives.items);
	free(srq);
	return 0;
}

static inline struct ibv_qp *soft_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct soft_qp *qp = soft.qps;

	pthread_mutex_lock(&soft.lock);
	while (qp->used)
		qp++;
	soft_must(qp < soft.qps + SOFT_QPS);
	*qp = (struct soft_qp){
		.qp = {.context = pd->context,
		       .pd = pd,
		       .qp_num = 0x100 + ++soft.next_qpn,
		       .send_cq = attr->send_cq,
		       .recv_cq = attr->recv_cq,
		       .srq = attr->srq},
		.init = *attr,
		.used = true,
	};
	soft_make_room(&qp->receives, attr->cap.max_recv_wr);
	pthread_mutex_unlock(&soft.lock);
	return &qp->qp;
}

static inline int soft_qp_free(struct ibv_qp *qp)
{
	pthread_mutex_lock(&soft.lock);
	free(((struct soft_qp *)qp)->receives.items);
	*(struct soft_qp *)qp = (struct soft_qp){0};
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline struct ibv_ah *soft_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct soft_ah *ah = mem_alloc_zero(1, sizeof(*ah));

	*ah = (struct soft_ah){.ah = {.context = pd->context, .pd = pd}, .attr = *attr};
	return &ah->ah;
}

static inline int soft_ah_free(struct ibv_ah *ah)
{
	free(ah);
	return 0;
}

static inline int soft_bind_window(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct soft_qp *on = (struct soft_qp *)qp;
	struct ibv_wc wc = {.wr_id = bind->wr_id, .opcode = IBV_WC_BIND_MW, .qp_num = qp->qp_num};

	pthread_mutex_lock(&soft.lock);
	mw->rkey = ibv_inc_rkey(mw->rkey);
	soft_bind((struct soft_key *)mw, &bind->bind_info, mw->rkey, NULL);
	soft_complete(on->init.send_cq, wc, false, false);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_attach_group(struct ibv_qp *which, const union ibv_gid *gid, uint16_t lid)
{
	struct soft_qp *qp = (struct soft_qp *)which;

	soft_must(!qp->member && lid);
	pthread_mutex_lock(&soft.lock);
	qp->group = *gid;
	qp->member = true;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_detach_group(struct ibv_qp *which, const union ibv_gid *gid, uint16_t lid)
{
	struct soft_qp *qp = (struct soft_qp *)which;

	soft_must(qp->member && lid && !memcmp(gid, &qp->group, sizeof(*gid)));
	qp->member = false;
	return 0;
}

static inline int soft_domain_free(struct ibv_pd *pd)
{
	(void)pd;
	return 0;
}

static inline int soft_no_event(struct ibv_context *context, struct ibv_async_event *event)
{
	(void)context, (void)event;
	return -1;
}

static inline int soft_query_gid(struct ibv_context *context, uint8_t port, int index,
				 union ibv_gid *gid)
{
	(void)port, (void)index;
	memcpy(gid->raw, soft.ports[soft_side(context)].endpoint.gid.raw, sizeof(gid->raw));
	return 0;
}

/* Full member of the default partition, most significant byte first: ibv_query_pkey(3). */
static inline int soft_query_pkey(struct ibv_context *context, uint8_t port, int index,
				  uint16_t *pkey)
{
	(void)context, (void)port;
	*pkey = htons(0xffff);
	return index ? EINVAL : 0;
}

static inline void soft_fill_api(struct api *api)
{
	api->ibv_create_comp_channel = soft_channel;
	api->ibv_destroy_comp_channel = soft_channel_free;
	api->ibv_get_cq_event = soft_get_event;
	api->ibv_create_cq = soft_cq;
	api->ibv_destroy_cq = soft_cq_free;
	api->ibv_ack_cq_events = soft_acknowledge;
	api->ibv_create_srq = soft_srq;
	api->ibv_destroy_srq = soft_srq_free;
	api->ibv_create_qp = soft_qp;
	api->ibv_modify_qp = soft_modify;
	api->ibv_query_qp = soft_query;
	api->ibv_destroy_qp = soft_qp_free;
	api->ibv_create_ah = soft_ah;
	api->ibv_destroy_ah = soft_ah_free;
	api->ibv_attach_mcast = soft_attach_group;
	api->ibv_detach_mcast = soft_detach_group;
	(api->ibv_reg_mr) = soft_register;
	api->ibv_dereg_mr = soft_deregister;
	api->ibv_dealloc_pd = soft_domain_free;
	api->ibv_get_async_event = soft_no_event;
	api->ibv_query_gid = soft_query_gid;
	api->ibv_query_pkey = soft_query_pkey;
}

static inline void soft_make_port(unsigned int side)
{
	struct soft_port *port = &soft.ports[side];
	struct ibv_context_ops *ops = &port->context.ops;

	port->context = (struct ibv_context){.async_fd = -1, .cmd_fd = -1, .num_comp_vectors = 5};
	ops->poll_cq = soft_poll;
	ops->req_notify_cq = soft_arm;
	ops->post_send = soft_post_send;
	ops->post_recv = soft_post_receive;
	ops->post_srq_recv = soft_post_shared;
	ops->alloc_mw = soft_window;
	ops->dealloc_mw = soft_window_free;
	ops->bind_mw = soft_bind_window;
	port->endpoint = (struct endpoint){
		.device = "none0",
		.port = 1,
		.transport = TRANSPORT_ROCE,
		.link_layer = LINK_LAYER_ETHERNET,
		.gid_type = GID_TYPE_ROCE_V2,
		.state = PORT_STATE_ACTIVE,
		.mtu_bytes = 1024,
		.rate_mbps = 100000,
	};
	assert_int_equal(ip_parse(side ? "10.9.0.2" : "10.9.0.1", &port->endpoint.ip), 0);
	port->endpoint.gid = ip_to_gid(&port->endpoint.ip);
	for (size_t i = 0; i < 2; i++)
		port->domains[i].context = &port->context;
}

/* Does what agent_open_device() would do. */
static inline void soft_open(struct agent *agent, unsigned int side)
{
	struct soft_port *port = &soft.ports[side];

	soft_fill_api(&agent->api);
	agent->context = &port->context;
	agent->endpoint = port->endpoint;
	for (size_t i = 0; i < 2; i++)
		agent->domains[i] = &port->domains[i];
	agent->limits = (struct ibv_device_attr){
		.max_cqe = 1 << 20,
		.max_qp_wr = 16384,
		.max_sge = SOFT_SGES,
		.max_qp_rd_atom = 16,
		.max_srq = 8,
		.max_mcast_grp = 8,
		.atomic_cap = IBV_ATOMIC_HCA,
		.device_cap_flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B,
		.vendor_id = 0x2c9,
	};
	watch_device(&agent->watch, agent->context, 1);
}

/* Makes the agent ready for orders, with its port reset. */
static inline void soft_attach(struct agent *agent, unsigned int side)
{
	soft_make_port(side);
	soft_open(agent, side);
}

/* ---- A trial ---- */

struct soft_trial {
	struct trial trial;
	struct selftest_request request;
	struct selftest_results results;
	struct agent *far;
	int channel;
	pthread_t thread;
};

static inline void *soft_serve(void *context)
{
	struct soft_trial *bed = context;
	struct agent_served served;

	agent_serve(bed->far, bed->channel, 60000, &served);
	return NULL;
}

static inline void soft_begin(struct soft_trial *bed)
{
	struct trial *trial = &bed->trial;
	struct message_opened *can[] = {&trial->near.can, &trial->far.can};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	/* A failed test cleans up nothing, and the next one must not inherit its faults. */
	soft.next_qpn = 0;
	soft.group_pkey_index = 0;
	soft.calls = 0;
	soft.lenient = 0;
	soft.deaf_vector = 0;
	soft.spoil = NULL;
	soft.damage = NULL;
	soft.objects = 0;
	*bed = (struct soft_trial){.request.signals = -1, .channel = pair[1]};
	trial->request = &bed->request;
	trial->results = &bed->results;
	trial->near.agent = agent_new(pair[0], -1);
	trial->near.agent->watch.patient = true;
	bed->far = agent_new(pair[1], -1);
	soft_attach(trial->near.agent, 0);
	soft_attach(bed->far, 1);
	trial->near.trial = trial;
	trial->far = (struct side){
		.trial = trial, .channel = pair[0], .watch = &trial->near.agent->watch};
	trial->granted = (struct message_admitted){.qps = LIMIT_QPS, .bytes = LIMIT_BYTES};
	assert_int_equal(pthread_create(&bed->thread, NULL, soft_serve, bed), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(side_open(i ? &trial->far : &trial->near,
					   &(struct message_open){.near = soft.ports[!i].endpoint},
					   can[i]),
				 0);
}

static inline void soft_end(struct soft_trial *bed)
{
	const struct message bye = {.type = MESSAGE_BYE};

	if (!bed->trial.far.stop)
		assert_int_equal(exchange_send(bed->trial.far.channel, &bye, 1000), 0);
	close(bed->trial.far.channel);
	pthread_join(bed->thread, NULL);
	close(bed->channel);
	agent_free(bed->far);
	agent_free(bed->trial.near.agent);
	selftest_results_free(&bed->results);
	/* Every region and window was released. */
	assert_int_equal(soft.objects, 0);
}

/* The row of one test in the table; the last one if it has several. */
static inline const struct selftest_result *soft_run(struct soft_trial *bed,
						     const struct trial_test *table, const char *id)
{
	bed->request.tests = &id;
	bed->request.test_count = 1;
	trial_run_table(&bed->trial, table);
	bed->request.test_count = 0;
	assert_true(bed->results.count > 0);
	return bed->results.items[bed->results.count - 1];
}

static inline void soft_expect(struct soft_trial *bed, const struct trial_test *table,
			       const char *id, enum selftest_verdict verdict, const char *reason)
{
	const struct selftest_result *row = soft_run(bed, table, id);

	if (row->verdict.value != verdict || !row->reason != !reason ||
	    (reason && strcmp(row->reason, reason)))
		fail_msg("%s: '%s' instead of '%s'", id, row->reason ? row->reason : "a pass",
			 reason ? reason : "a pass");
}

/* Expects a pass; `remark` may be NULL. */
static inline void soft_pass(struct soft_trial *bed, const struct trial_test *table, const char *id,
			     const char *remark)
{
	soft_expect(bed, table, id, SELFTEST_PASS, remark);
}

static inline void soft_skip(struct soft_trial *bed, const struct trial_test *table, const char *id,
			     const char *reason)
{
	soft_expect(bed, table, id, SELFTEST_SKIP, reason);
}

/* A device fault that a test must detect, and the beginning of the row's reason. */
struct soft_fault {
	const char *id, *reason;
	void (*spoil)(struct ibv_wc *wc, bool receive);
	void (*damage)(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes);
	unsigned int lenient;
	const char *peer;
};

/*
 * On a busy machine the side that sleeps may wake so late that it finds all completions, which
 * hides that the first one woke it (LENIENT_AWAKE): such a pass does not count.
 */
enum { SOFT_TRIES = 5 };

static inline void soft_find_fault(const struct trial_test *table, const struct soft_fault *fault,
				   bool last_try, bool *ret_found)
{
	const struct selftest_result *row;
	struct soft_trial bed;

	soft_begin(&bed);
	bed.request.peer = fault->peer;
	soft.spoil = fault->spoil;
	soft.damage = fault->damage;
	soft.lenient = fault->lenient;
	row = soft_run(&bed, table, fault->id);
	*ret_found = row->verdict.value == SELFTEST_FAIL;
	if (*ret_found ? strncmp(row->reason, fault->reason, strlen(fault->reason)) : last_try)
		fail_msg("%s: '%s' instead of '%s'", fault->id,
			 row->reason ? row->reason : "a pass", fault->reason);
	soft_end(&bed);
}

static inline void soft_find_faults(const struct trial_test *table, const struct soft_fault *faults,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const int tries = faults[i].lenient & LENIENT_AWAKE ? SOFT_TRIES : 1;
		bool found = false;

		for (int j = 1; !found && j <= tries; j++)
			soft_find_fault(table, &faults[i], j == tries, &found);
	}
}
