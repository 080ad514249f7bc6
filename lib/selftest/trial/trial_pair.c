/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "host/device.h"
#include "selftest/diagnosis/diagnosis.h"
#include "selftest/trial/trial.h"

#define DEFAULT_DEPTH 16u
/*
 * 4.096 us * 2^14 = 67 ms, six times (IBTA 1 9.7.6.1.3): gives up within seconds. Not seven times,
 * because rxe takes 7 for no end (drivers/infiniband/sw/rxe/rxe_comp.c). Of "receiver not ready"
 * retries 7 is without end everywhere (9.7.5.2.8).
 */
#define DEFAULT_TIMEOUT	    14u
#define DEFAULT_RETRIES	    6u
#define DEFAULT_RNR_RETRIES 7u
#define RNR_TIMER	    12u /* 0.64 ms, IBTA 1 table 45 */
#define CONNECT_MSEC	    8000u

/*
 * Not so for messages of many packets: on a bad network they lose that many, and rxe counts all
 * losses of one message together (a NAK of a sequence error does not reset them: check_ack()).
 */
#define MANY_PACKETS_BYTES 8192u
#define MOST_RETRIES	   7u

static uint32_t default_retries(const struct trial *trial)
{
	return trial->result->size_bytes.value > MANY_PACKETS_BYTES ? MOST_RETRIES
								    : DEFAULT_RETRIES;
}

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
	return value ? value : fallback;
}

static uint32_t safe_access(const struct trial *trial)
{
	return ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ |
	       (trial->near_can.atomics && trial->far_can.atomics ? ACCESS_ATOMIC : 0);
}

static int make_queue(struct trial *trial, struct side *side, const struct pair_shape *shape)
{
	uint32_t depths = or_default(shape->send_depth, DEFAULT_DEPTH) +
			  or_default(shape->receive_depth, DEFAULT_DEPTH);
	const struct message order = {
		.type = MESSAGE_QUEUE,
		.queue =
			{
				.slot = TRIAL_QUEUE,
				.entries = or_default(shape->entries, depths),
				.channel = shape->channel,
			},
	};
	struct message reply;

	return trial_call(trial, side, &order, &reply);
}

/* A kind of queue pair that a device refuses to make is one that it does not have. */
static bool is_missing(const struct message *reply)
{
	const struct message_refused *refused = &reply->refused;

	return refused->stage == STAGE_QUEUES &&
	       (refused->error == EOPNOTSUPP || refused->error == ENOSYS ||
		refused->error == EINVAL);
}

/* EFA and usNIC, whose providers answer EINVAL to whatever is not a datagram queue pair. */
static bool has_datagrams_only(const struct trial *trial, const struct side *side)
{
	const struct message_opened *can = side == &trial->near ? &trial->near_can
								: &trial->far_can;

	return can->far.transport == TRANSPORT_USNIC || can->far.transport == TRANSPORT_UNSPECIFIED;
}

static int make_pair(struct trial *trial, struct side *side, const struct message *order,
		     uint32_t *ret_number, uint32_t *ret_packet)
{
	static const char *const kinds[] = {
		[PAIR_RC] = "reliable connected (RC)",
		[PAIR_UC] = "unreliable connected (UC)",
		[PAIR_UD] = "datagram (UD)",
	};
	struct message reply;
	int rc = side_call(side, order, &reply);

	if (rc == -EREMOTEIO &&
	    (order->pair.kind != PAIR_RC || order->pair.shared ||
	     reply.refused.error == EOPNOTSUPP || has_datagrams_only(trial, side)) &&
	    is_missing(&reply)) {
		trial_skip(trial, "the %sdevice has no %s queue pairs%s: %s",
			   side == &trial->far && trial->request->peer ? "peer's " : "",
			   kinds[order->pair.kind],
			   order->pair.shared ? " with a shared receive queue" : "",
			   strerror((int)reply.refused.error));
		return rc;
	}
	if (rc)
		return trial_explain(trial, side, rc, &reply);
	*ret_number = reply.paired.number;
	*ret_packet = reply.paired.packet;
	return 0;
}

int trial_make_pairs(struct trial *trial, uint32_t slot, const struct pair_shape *shape,
		     struct pair_numbers *numbers)
{
	struct message order = {
		.type = MESSAGE_PAIR,
		.pair =
			{
				.slot = slot,
				.kind = shape->kind,
				.queue = TRIAL_QUEUE,
				.send_depth = or_default(shape->send_depth, DEFAULT_DEPTH),
				.receive_depth = or_default(shape->receive_depth, DEFAULT_DEPTH),
				.sges = or_default(shape->sges, 1),
				.inline_bytes = shape->inline_bytes,
				.signal_all = !shape->unsignaled,
				.domain = shape->near_domain,
			},
	};
	int rc = 0;

	if (!slot && !shape->keep_queue)
		rc = make_queue(trial, &trial->near, shape);
	if (!rc && !slot && !shape->keep_queue)
		rc = make_queue(trial, &trial->far, shape);
	if (!rc)
		rc = make_pair(trial, &trial->near, &order, &numbers->near, &numbers->near_packet);
	order.pair.domain = shape->far_domain;
	order.pair.shared = shape->shared;
	if (!rc)
		rc = make_pair(trial, &trial->far, &order, &numbers->far, &numbers->far_packet);
	return rc;
}

int trial_modify(struct trial *trial, struct side *side, uint32_t slot, uint32_t state,
		 const struct pair_shape *shape, const struct pair_numbers *numbers)
{
	bool near = side == &trial->near;
	uint32_t all = safe_access(trial);
	bool exact = shape->exact_retries;
	const struct message order = {
		.type = MESSAGE_MODIFY,
		.modify =
			{
				.slot = slot,
				.state = state,
				.access = near ? all : or_default(shape->far_access, all),
				.number = near ? numbers->far : numbers->near,
				.packet = near ? numbers->far_packet : numbers->near_packet,
				.to = near ? trial->far_can.far : trial->near_can.far,
				.mtu_bytes = or_default(shape->mtu_bytes, trial_mtu(trial)) > 4096
						     ? 4096
						     : or_default(shape->mtu_bytes,
								  trial_mtu(trial)),
				.reads = or_default(shape->reads, 1),
				.timeout = exact ? shape->timeout : DEFAULT_TIMEOUT,
				.retries = exact ? shape->retries : default_retries(trial),
				.rnr_retries = exact ? shape->rnr_retries : DEFAULT_RNR_RETRIES,
				.rnr_timer = RNR_TIMER,
				.qkey = TRIAL_QKEY,
			},
	};
	struct message reply;

	return trial_call(trial, side, &order, &reply);
}

int trial_expect_state(struct trial *trial, struct side *side, uint32_t slot, uint32_t state)
{
	static const char *const words[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
	const struct message order = {.type = MESSAGE_QUERY, .query = {.slot = slot}};
	struct message reply;
	int rc = trial_call(trial, side, &order, &reply);

	if (rc || reply.queried.state == state)
		return rc;
	trial_fail(trial, NULL, "the %s queue pair is in state %s, not %s",
		   side == &trial->near ? "local" : "far",
		   reply.queried.state < 7 ? words[reply.queried.state] : "unknown",
		   words[state < 7 ? state : 0]);
	return -EBADE;
}

static int walk(struct trial *trial, struct side *side, uint32_t slot,
		const struct pair_shape *shape, const struct pair_numbers *numbers)
{
	/* enum ibv_qp_state, IBTA 1 10.3.1 */
	static const uint32_t states[] = {1, 2, 3};
	int rc = 0;

	for (size_t i = 0; i < 3 && !rc; i++)
		rc = trial_modify(trial, side, slot, states[i], shape, numbers);
	return rc;
}

static int make_address(struct trial *trial, struct side *side, uint32_t slot)
{
	const struct message order = {
		.type = MESSAGE_ADDRESS,
		.address =
			{
				.slot = slot,
				.to = side == &trial->near ? trial->far_can.far
							   : trial->near_can.far,
			},
	};
	struct message reply;

	return trial_call(trial, side, &order, &reply);
}

/* Lets the far side give up waiting for a connection that does not come. */
static void abandon(struct trial *trial, const struct message *accept, struct message *held)
{
	const struct message order = {.type = MESSAGE_RELEASE};
	struct message reply;

	if (side_start(&trial->far, &order, &reply))
		return;
	side_finish(&trial->far, accept, 0, held);
	side_finish(&trial->far, &order, 0, &reply);
}

static int connect_by_cm(struct trial *trial, uint32_t slot, const struct pair_shape *shape)
{
	const struct message listen = {.type = MESSAGE_LISTEN};
	bool exact = shape->exact_retries;
	uint32_t rnr_retries = exact ? shape->rnr_retries : DEFAULT_RNR_RETRIES;
	struct message accept = {
		.type = MESSAGE_ACCEPT,
		.accept =
			{
				.slot = slot,
				.cookie = ++trial->cookie,
				.timeout_msec = CONNECT_MSEC,
				.reads = or_default(shape->reads, 1),
				.rnr_retries = rnr_retries,
			},
	};
	struct message connect = {
		.type = MESSAGE_CONNECT,
		.connect =
			{
				.slot = slot,
				.cookie = trial->cookie,
				.timeout_msec = CONNECT_MSEC,
				.reads = or_default(shape->reads, 1),
				.retries = exact ? shape->retries : default_retries(trial),
				.rnr_retries = rnr_retries,
			},
	};
	struct message reply, held = {0};
	int rc = trial_call(trial, &trial->far, &listen, &reply);

	if (rc)
		return rc;
	connect.connect.ip = reply.listening.ip;
	connect.connect.port = reply.listening.port;
	rc = side_start(&trial->far, &accept, &held);
	if (rc)
		return trial_explain(trial, &trial->far, rc, &held);
	rc = side_call(&trial->near, &connect, &reply);
	if (rc) {
		abandon(trial, &accept, &held);
		/* A far side that failed by itself knows better than one that waited for it. */
		if (held.type == MESSAGE_REFUSED && held.refused.error != ECANCELED &&
		    rc == -EREMOTEIO && reply.refused.error == ETIMEDOUT)
			return trial_explain(trial, &trial->far, rc, &held);
		return trial_explain(trial, &trial->near, rc, &reply);
	}
	rc = side_finish(&trial->far, &accept, CONNECT_MSEC, &held);
	return rc ? trial_explain(trial, &trial->far, rc, &held) : 0;
}

int trial_connect(struct trial *trial, uint32_t slot, const struct pair_shape *shape,
		  struct pair_numbers *ret_numbers)
{
	struct pair_numbers numbers = {0};
	int rc = trial_make_pairs(trial, slot, shape, &numbers);

	if (rc)
		return rc;
	if (ret_numbers)
		*ret_numbers = numbers;
	if (trial->by_cm && shape->kind == PAIR_RC)
		return connect_by_cm(trial, slot, shape);
	rc = walk(trial, &trial->far, slot, shape, &numbers);
	if (!rc)
		rc = walk(trial, &trial->near, slot, shape, &numbers);
	if (rc || shape->kind != PAIR_UD)
		return rc;
	rc = make_address(trial, &trial->near, slot);
	return rc ? rc : make_address(trial, &trial->far, slot);
}
