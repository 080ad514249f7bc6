/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent carries out the orders of a test on one device: it owns the device context, protection
 * domains, buffers, completion queues and queue pairs, by slot numbers. The near side calls its own
 * agent; the far side's agent, in another thread, process or host, gets the same orders as messages
 * (side.h). It trusts no order: slots, lengths, rights and limits are checked here.
 *
 * Functions return 0 or -errno, and leave in `agent->refused` what a reply would say of the
 * failure. Not thread-safe: an agent belongs to one thread.
 */
#pragma once

#include "host/endpoint/endpoint.h"
#include "schema/value.h"
#include "selftest/api.h"
#include "selftest/wire/message.h"
#include "selftest/trial/watch.h"

struct verbs;
struct verbs_device;

struct agent_buffer {
	uint8_t *bytes; /* page aligned; NULL: the slot is free */
	size_t length;
	struct ibv_mr *mr;
};

struct agent_queue {
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel; /* or NULL */
	unsigned int unacknowledged;
};

struct agent_pair {
	struct ibv_qp *qp;
	uint32_t kind; /* enum pair_kind */
	uint32_t packet;
	uint32_t inline_bytes;
	uint32_t sges;
	uint32_t depth; /* of its send and receive queue together */
	bool signal_all;
	struct ibv_ah *ah;	  /* of a UD queue pair */
	struct rdma_cm_id *cm_id; /* if rdma_cm connected it */
	bool connected;
	struct rdma_cm_id *group; /* the multicast group that it joined */
	struct gid group_gid;
	uint16_t group_lid;
	struct sockaddr_storage group_address;
};

/* What a run leaves on its own side. */
struct agent_samples {
	uint64_t *nsec; /* of one operation each; for a ping-pong, half of the round trip */
	size_t count;
};

struct agent {
	struct api api;
	struct verbs *verbs;
	struct verbs_device *device;
	struct ibv_context *context; /* NULL: no device is open */
	struct ibv_device_attr limits;
	struct endpoint endpoint;
	struct ibv_pd *domains[2];
	struct ibv_srq *shared;
	struct agent_buffer buffers[LIMIT_BUFFERS];
	struct agent_queue queues[LIMIT_QUEUES];
	struct agent_pair pairs[LIMIT_PAIRS];
	struct rdma_event_channel *cm;
	struct rdma_cm_id *listener;
	bool connecting; /* near side: a word of the other side tells that it failed */
	struct agent_samples samples;
	struct watch watch;
	uint64_t most_bytes; /* of all buffers */
	uint32_t most_pairs;
	uint32_t random; /* state of the generator of PSNs */
	struct message_refused refused;
	/*
	 * Finds the port and GID for an order to open; NULL: the agent is opened by its owner and
	 * such an order is refused. Returns 0 or -errno with the reason in words.
	 */
	int (*find)(void *context, const struct message_open *open, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint);
	void *find_context;
};

/*
 * A new agent with its limits; `channel` and `signals` are watched while it works (-1: none) and
 * borrowed.
 */
struct agent *agent_new(int channel, int signals);
/* Releases everything, also after the device was removed. */
void agent_free(struct agent *agent);
/* Opens the device of the endpoint and its first protection domain. */
int agent_open(struct agent *agent, const struct endpoint *endpoint);
/* Destroys all but the device and its protection domains. */
void agent_release(struct agent *agent);

/*
 * Carries out an order (MESSAGE_OPEN ... MESSAGE_RELEASE) and makes the reply to it: the order's
 * own one, MESSAGE_DONE, or MESSAGE_REFUSED.
 */
void agent_execute(struct agent *agent, const struct message *order, struct message *reply);

/*
 * The parts of it, by the file that holds them. agent.c: device, buffers, patterns.
 */
int agent_buffer(struct agent *agent, const struct message_buffer *order,
		 struct message_buffered *reply);
int agent_fill(struct agent *agent, const struct message_fill *order);
int agent_check(struct agent *agent, const struct message_fill *order,
		struct message_checked *reply);
/* True if the span lies in a buffer that is there. */
bool agent_span_fits(const struct agent *agent, const struct span *span);
/* Where a block of a span that fits begins. */
uint8_t *agent_block(const struct agent *agent, const struct span *span, uint64_t block);

/* agent_pair.c: completion queues, queue pairs, their states. */
int agent_queue(struct agent *agent, const struct message_queue *order);
int agent_pair(struct agent *agent, const struct message_pair *order, struct message_paired *reply);
int agent_modify(struct agent *agent, const struct message_modify *order);
int agent_query(struct agent *agent, const struct message_query *order,
		struct message_queried *reply);
int agent_address(struct agent *agent, const struct message_address *order);
void agent_queue_destroy(struct agent *agent, struct agent_queue *queue);
void agent_pair_destroy(struct agent *agent, struct agent_pair *pair);
/* enum buffer_access as IBV_ACCESS_*. */
int agent_access(uint32_t access);

/* agent_transfer.c */
int agent_post(struct agent *agent, const struct message_post *order);
int agent_receive(struct agent *agent, const struct message_receive *order);
int agent_wait(struct agent *agent, const struct message_wait *order, struct message_waited *reply);

/* What ibv_post_*() return as errno: it is that, or -1 with errno set (libsiw). */
int agent_post_error(int rc);

/* agent_cm.c: librdmacm. */
int agent_listen(struct agent *agent, const struct message_listen *order,
		 struct message_listening *reply);
int agent_accept(struct agent *agent, const struct message_accept *order,
		 struct message_connected *reply);
int agent_connect(struct agent *agent, const struct message_connect *order,
		  struct message_connected *reply);
int agent_disconnect(struct agent *agent, const struct message_disconnect *order);
/* agent_group.c: multicast groups. */
int agent_join(struct agent *agent, const struct message_join *order, struct message_joined *reply);
int agent_leave(struct agent *agent, const struct message_leave *order);
void agent_cm_release(struct agent *agent);

/* measure.c: both sides of a latency or bandwidth measurement; samples stay in agent->samples. */
int agent_run(struct agent *agent, const struct message_run *order, struct message_ran *reply);

/* agent_gather.c: transfers between blocks and one piece, timed. */
int agent_gather(struct agent *agent, const struct message_gather *order,
		 struct message_ran *reply);

/*
 * Notes a failure for the reply and returns -errno: of `error` (positive) at a stage of
 * model/diagnosis.h; text by format.
 */
int agent_fail(struct agent *agent, uint32_t stage, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Notes that an order has no sense or is beyond the limits, and returns -EINVAL. */
int agent_refuse(struct agent *agent, enum refusal refusal, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
