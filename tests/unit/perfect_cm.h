/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of the self-test: librdmacm in memory, between the two ports of perfect_device.h.
 * It behaves as its manual pages and Linux (drivers/infiniband/core/cma.c, cm.c) say. A test can
 * make calls fail and replace events.
 */
#pragma once

#include "perfect_trial.h"

#include <fcntl.h>

#include "base/clock.h"
#include "base/socket.h"
#include "selftest/agent/agent_cm.h"

/* The multicast LID and the SL of each group, and any acknowledge timeout of a path. */
enum {
	SOFT_IDS = 64,
	SOFT_GROUP_LID = 0xc001,
	SOFT_GROUP_SL = 5,
	SOFT_CM_TIMEOUT = 15,
	SOFT_CM_PSN = 0x500,
	SOFT_CM_PORT = 0x1234,
	NO_EVENT = -1,
};

struct soft_cm_event {
	struct rdma_cm_event event;
	uint32_t data[2];
	struct soft_cm_event *next;
};

struct soft_cm_channel {
	struct rdma_event_channel channel; /* first, as in the other structures */
	unsigned int side;
	struct soft_cm_event *first, **end;
};

struct soft_cm_id {
	struct rdma_cm_id id;
	struct sockaddr_storage from, to;
	struct rdma_conn_param param;
	uint32_t psn;
	uint8_t tos;
	struct soft_cm_id *peer;
	unsigned int events; /* not yet acknowledged */
	bool resolved, listens, ended, told;
};

static struct soft_cm {
	struct ibv_device devices[2]; /* one for each side */
	int backlog;		      /* of the last listener */
	struct soft_cm_id *ids[SOFT_IDS];
	unsigned int channels, count, next_psn;
	/* The call of that name fails on one side, except for the first `spared` calls. */
	const char *refused;
	unsigned int refused_side, spared;
	int error;
	/* Replaces an event by another one (NO_EVENT: by none), with this status. */
	enum rdma_cm_event_type of;
	int instead, status;
	bool changes;
	uint8_t tos[2]; /* the last one that each side requested */
	bool ends_both; /* as on iWARP, disconnecting ends both sides at once */
	unsigned int rejected, members, interrupted;
} soft_cm;

static inline struct soft_cm_channel *soft_cm_channel_of(const struct rdma_cm_id *id)
{
	return (struct soft_cm_channel *)id->channel;
}

static inline bool soft_cm_refuses(unsigned int side, const char *call)
{
	if (!soft_cm.refused || side != soft_cm.refused_side || strcmp(call, soft_cm.refused) ||
	    (soft_cm.spared && soft_cm.spared--))
		return false;
	errno = soft_cm.error;
	return true;
}

static inline bool soft_cm_fails(const struct rdma_cm_id *id, const char *call)
{
	return soft_cm_refuses(soft_cm_channel_of(id)->side, call);
}

static inline struct soft_cm_event *soft_cm_push(struct soft_cm_id *id,
						 enum rdma_cm_event_type type)
{
	struct soft_cm_channel *channel = soft_cm_channel_of(&id->id);
	struct soft_cm_event *event;
	const bool changes = soft_cm.changes && type == soft_cm.of;

	if (changes && soft_cm.instead == NO_EVENT)
		return NULL;
	event = mem_alloc_zero(1, sizeof(*event));
	event->event.id = &id->id;
	event->event.event = changes ? (enum rdma_cm_event_type)soft_cm.instead : type;
	event->event.status = changes ? soft_cm.status : 0;
	*channel->end = event;
	channel->end = &event->next;
	id->events++;
	eventfd_write(channel->channel.fd, 1);
	return event;
}

/* ---- Channels ---- */

static inline struct rdma_event_channel *soft_cm_channel(unsigned int side)
{
	struct soft_cm_channel *channel;

	if (soft_cm_refuses(side, "rdma_create_event_channel"))
		return NULL;
	channel = mem_alloc_zero(1, sizeof(*channel));
	channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	channel->side = side;
	channel->end = &channel->first;
	pthread_mutex_lock(&soft.lock);
	soft_cm.channels++;
	pthread_mutex_unlock(&soft.lock);
	return &channel->channel;
}

static inline struct rdma_event_channel *soft_cm_near_channel(void)
{
	return soft_cm_channel(0);
}

static inline struct rdma_event_channel *soft_cm_far_channel(void)
{
	return soft_cm_channel(1);
}

static inline void soft_cm_channel_free(struct rdma_event_channel *channel)
{
	soft_must(!((struct soft_cm_channel *)channel)->first);
	pthread_mutex_lock(&soft.lock);
	soft_cm.channels--;
	pthread_mutex_unlock(&soft.lock);
	close(channel->fd);
	free(channel);
}

/* The descriptor must not block, so that a waiter can look at other things meanwhile. */
static inline int soft_cm_event(struct rdma_event_channel *from, struct rdma_cm_event **ret)
{
	struct soft_cm_channel *channel = (struct soft_cm_channel *)from;
	struct soft_cm_event *event;
	eventfd_t one;

	soft_must(fcntl(from->fd, F_GETFL) & O_NONBLOCK);
	if (eventfd_read(from->fd, &one) || soft_cm_refuses(channel->side, "rdma_get_cm_event"))
		return -1;
	pthread_mutex_lock(&soft.lock);
	event = channel->first;
	channel->first = event->next;
	if (!channel->first)
		channel->end = &channel->first;
	pthread_mutex_unlock(&soft.lock);
	*ret = &event->event;
	return 0;
}

static inline int soft_cm_acknowledge(struct rdma_cm_event *event)
{
	struct soft_cm_id *id = (struct soft_cm_id *)event->id;

	pthread_mutex_lock(&soft.lock);
	id->events--;
	free(event);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/* ---- Ids ---- */

static inline struct soft_cm_id *soft_cm_id_new(struct rdma_event_channel *channel, void *context)
{
	struct soft_cm_id *id = mem_alloc_zero(1, sizeof(*id));
	size_t at = 0;

	id->id = (struct rdma_cm_id){.channel = channel, .context = context};
	id->psn = SOFT_CM_PSN + soft_cm.next_psn++;
	while (at < SOFT_IDS && soft_cm.ids[at])
		at++;
	soft_must(at < SOFT_IDS);
	soft_cm.ids[at] = id;
	soft_cm.count++;
	return id;
}

static inline int soft_cm_create(struct rdma_event_channel *channel, struct rdma_cm_id **ret,
				 void *context, enum rdma_port_space space)
{
	const unsigned int side = ((struct soft_cm_channel *)channel)->side;

	if (soft_cm_refuses(side, "rdma_create_id"))
		return -1;
	pthread_mutex_lock(&soft.lock);
	*ret = &soft_cm_id_new(channel, context)->id;
	(*ret)->ps = space;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline void soft_cm_forget(struct soft_cm_id *id)
{
	soft_must(!id->events);
	for (size_t i = 0; i < SOFT_IDS; i++) {
		if (soft_cm.ids[i] == id)
			soft_cm.ids[i] = NULL;
		else if (soft_cm.ids[i] && soft_cm.ids[i]->peer == id)
			soft_cm.ids[i]->peer = NULL;
	}
	soft_cm.count--;
	free(id);
}

/*
 * As the manual says, waits until all events of the id are acknowledged. Events that nobody fetched
 * go with it, and so do unanswered connection requests.
 */
static inline int soft_cm_destroy(struct rdma_cm_id *which)
{
	struct soft_cm_channel *channel = soft_cm_channel_of(which);
	struct soft_cm_event **at = &channel->first;
	struct soft_cm_id *peer;
	eventfd_t one;

	pthread_mutex_lock(&soft.lock);
	while (*at) {
		struct soft_cm_event *event = *at;
		struct soft_cm_id *id = (struct soft_cm_id *)event->event.id;

		if (&id->id != which && event->event.listen_id != which) {
			at = &event->next;
			continue;
		}
		*at = event->next;
		free(event);
		id->events--;
		eventfd_read(channel->channel.fd, &one);
		if (&id->id != which)
			soft_cm_forget(id);
	}
	channel->end = at;
	/* The end of a connection, or the answer to one. */
	peer = ((struct soft_cm_id *)which)->peer;
	if (peer && peer->peer && peer->param.qp_num && !peer->told) {
		soft_cm_push(peer, RDMA_CM_EVENT_DISCONNECTED);
		peer->told = true;
	}
	soft_cm_forget((struct soft_cm_id *)which);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_cm_option(struct rdma_cm_id *id, int level, int option, void *value,
				 size_t length)
{
	if (soft_cm_fails(id, "rdma_set_option"))
		return -1;
	soft_must(level == RDMA_OPTION_ID && option == RDMA_OPTION_ID_TOS && length == 1);
	((struct soft_cm_id *)id)->tos = soft_cm.tos[soft_cm_channel_of(id)->side] = *(
		const uint8_t *)value;
	return 0;
}

static inline socklen_t soft_cm_length(const struct sockaddr *address)
{
	return address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					     : sizeof(struct sockaddr_in6);
}

/* The address must be that of the side's port; the other side is known by its GID. */
static inline void soft_cm_take_place(struct soft_cm_id *id, const struct sockaddr *from)
{
	const unsigned int side = soft_cm_channel_of(&id->id)->side;
	struct soft_port *port = &soft.ports[side];
	struct ip_address ip;

	memcpy(&id->from, from, soft_cm_length(from));
	ip = socket_address_ip(&id->from);
	soft_must(ip_equal(&ip, &port->endpoint.ip));
	port->context.device = &soft_cm.devices[side];
	id->id.verbs = &port->context;
	memcpy(id->id.route.addr.addr.ibaddr.dgid.raw, soft.ports[!side].endpoint.gid.raw, 16);
}

static inline int soft_cm_bind(struct rdma_cm_id *id, struct sockaddr *address)
{
	if (soft_cm_fails(id, "rdma_bind_addr"))
		return -1;
	soft_cm_take_place((struct soft_cm_id *)id, address);
	return 0;
}

static inline __be16 soft_cm_port(struct rdma_cm_id *id)
{
	return ((struct sockaddr_in *)(void *)&((struct soft_cm_id *)id)->from)->sin_port;
}

static inline int soft_cm_listen(struct rdma_cm_id *which, int backlog)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_listen"))
		return -1;
	soft_must(which->verbs && which->ps == RDMA_PS_TCP);
	soft_cm.backlog = backlog;
	id->listens = true;
	if (!soft_cm_port(which))
		((struct sockaddr_in *)(void *)&id->from)->sin_port = htons(SOFT_CM_PORT);
	return 0;
}

static inline int soft_cm_resolve(struct rdma_cm_id *which, struct sockaddr *from,
				  struct sockaddr *to, int msec)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_resolve_addr"))
		return -1;
	soft_must(msec == 2000);
	soft_cm_take_place(id, from);
	memcpy(&id->to, to, soft_cm_length(to));
	pthread_mutex_lock(&soft.lock);
	soft_cm_push(id, RDMA_CM_EVENT_ADDR_RESOLVED);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_cm_route(struct rdma_cm_id *which, int msec)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_resolve_route"))
		return -1;
	soft_must(msec == 2000);
	id->resolved = true;
	pthread_mutex_lock(&soft.lock);
	soft_cm_push(id, RDMA_CM_EVENT_ROUTE_RESOLVED);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/* ---- Connections ---- */

static inline struct soft_cm_id *soft_cm_listener(const struct soft_cm_id *id)
{
	for (size_t i = 0; i < SOFT_IDS; i++) {
		struct soft_cm_id *other = soft_cm.ids[i];

		if (other && other->listens && !memcmp(&other->from, &id->to, sizeof(id->to)))
			return other;
	}
	return NULL;
}

/* The event has the private data of its sender. */
static inline void soft_cm_tell(struct soft_cm_id *id, enum rdma_cm_event_type type,
				const struct rdma_conn_param *param, struct rdma_cm_id *listener)
{
	struct soft_cm_event *event = soft_cm_push(id, type);

	if (!event)
		return;
	soft_must(param->private_data_len <= sizeof(event->data));
	if (param->private_data_len)
		memcpy(event->data, param->private_data, param->private_data_len);
	event->event.listen_id = listener;
	event->event.param.conn = *param;
	event->event.param.conn.private_data = event->data;
}

static inline int soft_cm_connect(struct rdma_cm_id *which, struct rdma_conn_param *param)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which, *listener, *peer;

	if (soft_cm_fails(which, "rdma_connect"))
		return -1;
	soft_must(id->resolved && soft_find_qp(param->qp_num)->qp.context == which->verbs);
	pthread_mutex_lock(&soft.lock);
	id->param = *param;
	listener = soft_cm_listener(id);
	if (listener) {
		peer = soft_cm_id_new(listener->id.channel, listener->id.context);
		soft_cm_take_place(peer, (const struct sockaddr *)&listener->from);
		peer->to = peer->id.route.addr.dst_storage = id->from;
		peer->tos = id->tos;
		peer->peer = id;
		id->peer = peer;
		soft_cm_tell(peer, RDMA_CM_EVENT_CONNECT_REQUEST, param, &listener->id);
	} else {
		soft_cm_push(id, RDMA_CM_EVENT_REJECTED);
	}
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_cm_reject(struct rdma_cm_id *which, const void *data, uint8_t length)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	soft_must(!data && !length);
	pthread_mutex_lock(&soft.lock);
	soft_cm.rejected++;
	if (id->peer)
		soft_cm_push(id->peer, RDMA_CM_EVENT_REJECTED);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/*
 * The queue pair was not made by rdma_create_qp(), so the other side has to call rdma_establish().
 */
static inline int soft_cm_accept(struct rdma_cm_id *which, struct rdma_conn_param *param)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_accept"))
		return -1;
	pthread_mutex_lock(&soft.lock);
	soft_must(soft_hears(soft_find_qp(param->qp_num)));
	id->param = *param;
	if (id->peer)
		soft_cm_tell(id->peer, RDMA_CM_EVENT_CONNECT_RESPONSE, param, NULL);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_cm_establish(struct rdma_cm_id *which)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_establish"))
		return -1;
	pthread_mutex_lock(&soft.lock);
	if (id->peer)
		soft_cm_push(id->peer, RDMA_CM_EVENT_ESTABLISHED);
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/* The other side answers by calling the same function. */
static inline int soft_cm_disconnect(struct rdma_cm_id *which)
{
	struct soft_cm_id *id = (struct soft_cm_id *)which;

	if (soft_cm_fails(which, "rdma_disconnect"))
		return -1;
	pthread_mutex_lock(&soft.lock);
	if (!id->ended && id->peer)
		soft_cm_push(id->peer, RDMA_CM_EVENT_DISCONNECTED);
	if (!id->ended && soft_cm.ends_both) {
		soft_cm_push(id, RDMA_CM_EVENT_DISCONNECTED);
		id->peer->ended = true;
	}
	id->ended = true;
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

/*
 * cm_init_qp_rtr_attr() and cm_init_qp_rts_attr(): the retry count is that of the request, and the
 * RNR retry count is what the other side said.
 */
static inline int soft_cm_attributes(struct rdma_cm_id *which, struct ibv_qp_attr *attr, int *mask)
{
	const struct soft_cm_id *id = (const struct soft_cm_id *)which;
	const struct soft_cm_id *peer = id->peer;

	if (soft_cm_fails(which, "rdma_init_qp_attr"))
		return -1;
	*mask = IBV_QP_STATE;
	if (attr->qp_state == IBV_QPS_INIT) {
		*mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
		attr->port_num = 1;
		attr->pkey_index = which->ps == RDMA_PS_UDP ? soft.group_pkey_index : 0;
		attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
		return 0;
	}
	soft_must(peer && peer->param.qp_num);
	if (attr->qp_state == IBV_QPS_RTR) {
		*mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		attr->ah_attr = (struct ibv_ah_attr){.is_global = 1, .port_num = 1, .sl = 3};
		attr->ah_attr.grh.hop_limit = 64;
		attr->ah_attr.grh.traffic_class = id->tos;
		memcpy(attr->ah_attr.grh.dgid.raw,
		       soft.ports[!soft_cm_channel_of(which)->side].endpoint.gid.raw, 16);
		attr->path_mtu = IBV_MTU_512;
		attr->dest_qp_num = peer->param.qp_num;
		attr->rq_psn = peer->psn;
		return 0;
	}
	*mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		 IBV_QP_MAX_QP_RD_ATOMIC;
	attr->sq_psn = id->psn;
	attr->timeout = SOFT_CM_TIMEOUT;
	attr->retry_cnt = id->param.qp_num ? id->param.retry_count : peer->param.retry_count;
	attr->rnr_retry = peer->param.rnr_retry_count;
	return 0;
}

/* ---- Groups ---- */

static inline int soft_cm_join(struct rdma_cm_id *which, struct rdma_cm_join_mc_attr_ex *how,
			       void *context)
{
	const struct sockaddr *address = how->addr;
	struct soft_cm_id *id = (struct soft_cm_id *)which;
	struct soft_cm_event *event;
	const struct ip_address ip = socket_address_ip(&id->to);
	const struct gid gid = ip_to_gid(&ip);

	if (soft_cm_fails(which, "rdma_join_multicast"))
		return -1;
	/* Bits 1 and 2 mark both members of the struct as valid. */
	soft_must(how->comp_mask == 3);
	soft_must(!context && which->ps == RDMA_PS_UDP && which->verbs &&
		  !memcmp(address, &id->to, soft_cm_length(address)) &&
		  !socket_address_port(&id->to));
	pthread_mutex_lock(&soft.lock);
	event = soft_cm_push(id, RDMA_CM_EVENT_MULTICAST_JOIN);
	if (event) {
		struct rdma_ud_param *ud = &event->event.param.ud;

		*ud = (struct rdma_ud_param){.qkey = RDMA_UDP_QKEY, .qp_num = 0xffffff};
		ud->ah_attr = (struct ibv_ah_attr){.is_global = 1,
						   .dlid = SOFT_GROUP_LID,
						   .sl = SOFT_GROUP_SL,
						   .port_num = 1,
						   .grh.hop_limit = 1,
						   .static_rate = IBV_RATE_10_GBPS};
		soft_cm.members++;
		memcpy(ud->ah_attr.grh.dgid.raw, gid.raw, sizeof(gid.raw));
	}
	pthread_mutex_unlock(&soft.lock);
	return 0;
}

static inline int soft_cm_leave(struct rdma_cm_id *id, struct sockaddr *address)
{
	soft_must(!memcmp(address, &((struct soft_cm_id *)id)->to, soft_cm_length(address)));
	soft_must(soft_cm.members--);
	return 0;
}

static inline int soft_cm_attach(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	soft_must(lid == SOFT_GROUP_LID);
	return soft_cm_refuses((unsigned int)soft_side(qp->context), "ibv_attach_mcast")
		       ? errno
		       : soft_attach_group(qp, gid, lid);
}

static inline int soft_cm_detach(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	soft_must(lid == SOFT_GROUP_LID);
	return soft_detach_group(qp, gid, lid);
}

static inline int soft_cm_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return soft_cm_refuses((unsigned int)soft_side(qp->context), "ibv_modify_qp")
		       ? errno
		       : soft_modify(qp, attr, mask);
}

/* ---- A trial ---- */

static inline void soft_cm_fill_api(struct api *api, unsigned int side)
{
	api->rdma_create_event_channel = side ? soft_cm_far_channel : soft_cm_near_channel;
	api->rdma_destroy_event_channel = soft_cm_channel_free;
	api->rdma_get_cm_event = soft_cm_event;
	api->rdma_ack_cm_event = soft_cm_acknowledge;
	api->rdma_create_id = soft_cm_create;
	api->rdma_destroy_id = soft_cm_destroy;
	api->rdma_set_option = soft_cm_option;
	api->rdma_bind_addr = soft_cm_bind;
	api->rdma_listen = soft_cm_listen;
	api->rdma_get_src_port = soft_cm_port;
	api->rdma_resolve_addr = soft_cm_resolve;
	api->rdma_resolve_route = soft_cm_route;
	api->rdma_connect = soft_cm_connect;
	api->rdma_accept = soft_cm_accept;
	api->rdma_reject = soft_cm_reject;
	api->rdma_establish = soft_cm_establish;
	api->rdma_disconnect = soft_cm_disconnect;
	api->rdma_init_qp_attr = soft_cm_attributes;
	api->rdma_join_multicast_ex = soft_cm_join;
	api->rdma_leave_multicast = soft_cm_leave;
	api->ibv_attach_mcast = soft_cm_attach;
	api->ibv_detach_mcast = soft_cm_detach;
	api->ibv_modify_qp = soft_cm_modify;
}

/* Like soft_begin(), but with librdmacm; soft_end() ends both. */
static inline void soft_cm_begin(struct soft_trial *bed)
{
	/* A test that failed has left its objects behind. */
	soft_cm = (struct soft_cm){.devices = {{.name = "none0"}, {.name = "none0"}}};
	soft_begin(bed);
	soft_cm_fill_api(&bed->trial.near.agent->api, 0);
	soft_cm_fill_api(&bed->far->api, 1);
	bed->trial.by_cm = true;
}

/* Everything was released. */
static inline void soft_cm_end(struct soft_trial *bed)
{
	soft_end(bed);
	assert_int_equal(soft_cm.count, 0);
	assert_int_equal(soft_cm.channels, 0);
}
