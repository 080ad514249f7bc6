/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/agent/agent.h"
#include "selftest/trial/trial.h"

#define DEFAULT_DEPTH 16u
/*
 * 4.096 us * 2^14 = 67 ms, six times (IBTA 1 9.7.6.1.3): gives up within seconds. Not seven times,
 * because rxe then retries forever (drivers/infiniband/sw/rxe/rxe_comp.c). With 7 "receiver not
 * ready" retries every device retries forever (9.7.5.2.8).
 */
#define DEFAULT_TIMEOUT	    14u
#define DEFAULT_RETRIES	    6u
#define DEFAULT_RNR_RETRIES 7u
#define CM_CONNECT_MSEC	    8000u

/*
 * Messages of many packets get more retries: on a bad network they lose more packets, and rxe adds
 * up all losses of one message (a NAK for a sequence error does not reset the count: check_ack()).
 */
#define MANY_PACKETS_BYTES 8192u
#define MOST_RETRIES	   7u

static uint32_t chosen(const struct number *number, uint32_t fallback)
{
	return number->known ? (uint32_t)number->value : fallback;
}

struct trial_retries trial_retries(const struct trial *trial)
{
	const struct selftest_request *wish = trial->request;
	const bool many = trial->result->size_bytes.value > MANY_PACKETS_BYTES;

	return (struct trial_retries){
		.timeout = chosen(&wish->ack_timeout, DEFAULT_TIMEOUT),
		.retries = chosen(&wish->retries, many ? MOST_RETRIES : DEFAULT_RETRIES),
		.rnr_retries = chosen(&wish->rnr_retries, DEFAULT_RNR_RETRIES),
	};
}

static struct trial_retries retries_of(const struct trial *trial, const struct qp_shape *shape)
{
	return shape->retries ? *shape->retries : trial_retries(trial);
}

uint32_t trial_mtu(const struct trial *trial)
{
	uint32_t near = trial->near.can.far.mtu_bytes, far = trial->far.can.far.mtu_bytes;
	uint32_t mtu = near && near < far ? near : far;

	if (!mtu)
		mtu = near ? near : 1024;
	if (trial->request->mtu_bytes && trial->request->mtu_bytes < mtu)
		mtu = trial->request->mtu_bytes;
	return at_most(mtu, PORT_LARGEST_MTU);
}

uint32_t trial_most_depth(const struct trial *trial)
{
	return at_most(at_most(trial->near.can.max_depth, trial->far.can.max_depth), LIMIT_DEPTH);
}

uint32_t trial_access(const struct trial *trial)
{
	return ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ |
	       (trial->near.can.atomics && trial->far.can.atomics ? ACCESS_ATOMIC : 0);
}

int trial_agree_on_header(struct trial *trial)
{
	struct side *near = &trial->near, *far = &trial->far;
	struct message_header header = {0};

	if (!trial->request->peer || trial->near.can.far.link_layer != LINK_LAYER_INFINIBAND)
		return 0;
	return trial_order(near, header, &header, &header)
		       ?: trial_order(far, header, &header, &header)
		       ?: trial_order(near, header, &header, &header);
}

static int make_cqs(struct side *side, const struct qp_shape *shape)
{
	const uint32_t depths = (shape->send_depth ?: DEFAULT_DEPTH) +
				(shape->receive_depth ?: DEFAULT_DEPTH);
	const uint32_t end = shape->cq + (shape->queues ?: 1);
	struct message_cq request = {
		.slot = shape->cq,
		.entries = shape->entries ?: depths,
		.channel = shape->channel,
	};
	int rc = 0;

	for (; request.slot < end && !rc; request.slot++)
		rc = trial_order(side, cq, &request);
	return rc;
}

/*
 * A device that refuses to create a kind of queue pair does not support it. For XRC, EOPNOTSUPP or
 * ENOSYS of the first call says so; if the device has XRC, the other calls answer EINVAL to queues
 * that are too large.
 */
static bool is_missing(const struct message_refused *refused, uint32_t kind)
{
	return refused->stage == STAGE_CREATE_QP &&
	       (refused->error == EOPNOTSUPP || refused->error == ENOSYS ||
		(refused->error == EINVAL && kind != QP_XRC));
}

/* Fails or skips the row if a side could not create the queue pair. Returns rc. */
static int explain_qp(struct side *side, const struct message_qp *request, int rc)
{
	struct trial *trial = side->trial;
	static const char *const kinds[] = {
		[QP_RC] = "reliable connected (RC)",
		[QP_UC] = "unreliable connected (UC)",
		[QP_UD] = "datagram (UD)",
		[QP_XRC] = "extended reliable connected (XRC)",
	};
	const struct message_refused *refused = &side->refused;
	_cleanup_(freep) char *call = NULL;

	if (rc == -EREMOTEIO && is_missing(refused, request->kind) &&
	    (request->kind != QP_RC || request->srq || refused->error == EOPNOTSUPP ||
	     endpoint_has_datagrams_only(&side->can.far))) {
		/* XRC takes several calls: names the one that failed. */
		if (request->kind == QP_XRC)
			call = text_clean(refused->text,
					  strnlen(refused->text, sizeof(refused->text)));
		trial_skip(trial, "the %sdevice has no %s queue pairs%s: %s%s%s",
			   side == &trial->far && trial->request->peer ? "peer's " : "",
			   kinds[request->kind], request->srq ? " with a shared receive queue" : "",
			   call ? call : "", call ? ": " : "", strerror((int)refused->error));
		return rc;
	}
	return trial_explain(side, rc);
}

static void note_psns(struct selftest_result *row, const struct qp_numbers *numbers)
{
	number_set(&row->link.psn, numbers->near_psn);
	number_set(&row->link.peer_psn, numbers->far_psn);
}

/* The row shows the first queue pair of each side; rdma_cm chooses the PSNs itself. */
static void note_numbers(struct trial *trial, const struct qp_numbers *numbers)
{
	struct selftest_result *row = trial->result;

	number_set(&row->link.qpn, numbers->near);
	number_set(&row->link.peer_qpn, numbers->far);
	if (!trial->by_cm)
		note_psns(row, numbers);
}

/* Creates the slots from `first` on, at most SIDE_WINDOW: both sides work at the same time. */
static int make_qps(struct trial *trial, uint32_t first, uint32_t count,
		    const struct qp_shape *shape, struct qp_numbers *numbers)
{
	struct message_qp request = {
		.kind = shape->kind,
		.send_depth = shape->send_depth ?: DEFAULT_DEPTH,
		.receive_depth = shape->receive_depth ?: DEFAULT_DEPTH,
		.sges = shape->sges ?: 1,
		.inline_bytes = shape->inline_bytes,
		.signal_all = !shape->unsignaled,
		.domain = shape->near_domain,
	};
	struct message_qp far_request = request;
	struct message_qp_created near, far[SIDE_WINDOW];
	int rc = 0, far_rc;

	far_request.domain = shape->far_domain;
	far_request.srq = shape->srq;
	if (!first && !shape->keep_cq &&
	    (make_cqs(&trial->near, shape) || make_cqs(&trial->far, shape)))
		return -EIO;
	side_batch_begin(&trial->far);
	for (uint32_t i = 0; i < count && !rc; i++) {
		request.slot = far_request.slot = first + i;
		request.cq = far_request.cq = shape->cq + request.slot % (shape->queues ?: 1);
		rc = explain_qp(&trial->near, &request, side_qp(&trial->near, &request, &near));
		if (rc)
			break;
		numbers[i] = (struct qp_numbers){.near = near.qpn, .near_psn = near.psn};
		rc = side_qp(&trial->far, &far_request, &far[i]);
	}
	far_rc = side_batch_end(&trial->far);
	if (explain_qp(&trial->far, &far_request, far_rc) || rc)
		return -EIO;
	for (uint32_t i = 0; i < count; i++) {
		numbers[i].far = far[i].qpn;
		numbers[i].far_psn = far[i].psn;
	}
	if (!first)
		note_numbers(trial, numbers);
	return 0;
}

int trial_make_qps(struct trial *trial, uint32_t slot, const struct qp_shape *shape,
		   struct qp_numbers *numbers)
{
	return make_qps(trial, slot, 1, shape, numbers);
}

static void take(struct number *column, const struct number *told)
{
	if (told->known)
		*column = *told;
}

void trial_note_told(struct trial *trial)
{
	struct agent *agent = trial->near.agent;
	const struct agent_told *told = &agent->told;
	const struct number pkey = agent_told_pkey(agent);
	struct selftest_result *row = trial->result;

	take(&row->link.traffic_class, &told->traffic_class);
	take(&row->link.sl, &told->sl);
	take(&row->link.pkey, &pkey);
	take(&row->link.psn, &told->psn);
	take(&row->link.peer_psn, &told->peer_psn);
	take(&row->link.path_mtu_bytes, &told->path_mtu_bytes);
	take(&row->link.ack_timeout, &told->ack_timeout);
	take(&row->link.retries, &told->retries);
	take(&row->link.rnr_retries, &told->rnr_retries);
}

int trial_modify(struct side *side, uint32_t slot, uint32_t state, const struct qp_shape *shape,
		 const struct qp_numbers *numbers)
{
	struct trial *trial = side->trial;
	const bool near = side == &trial->near;
	const struct trial_retries retries = retries_of(trial, shape);
	const struct message_modify request = {
		.slot = slot,
		.state = state,
		.access = trial_access(trial),
		.qpn = near ? numbers->far : numbers->near,
		.psn = near ? numbers->far_psn : numbers->near_psn,
		.to = near ? trial->far.can.far : trial->near.can.far,
		.mtu_bytes = trial_mtu(trial),
		.max_rd_atomic = shape->max_rd_atomic ?: 1,
		.timeout = retries.timeout,
		.retries = retries.retries,
		.rnr_retries = retries.rnr_retries,
		.rnr_timer = RNR_TIMER_CODE,
		.qkey = TRIAL_QKEY,
	};
	int rc = side_modify(side, &request);

	if (!rc && near && !slot && state == IBV_QPS_RTS)
		trial_note_told(trial);
	return trial_explain(side, rc);
}

static int walk(struct side *side, uint32_t slot, const struct qp_shape *shape,
		const struct qp_numbers *numbers)
{
	return trial_modify(side, slot, IBV_QPS_INIT, shape, numbers) ||
	       trial_modify(side, slot, IBV_QPS_RTR, shape, numbers) ||
	       trial_modify(side, slot, IBV_QPS_RTS, shape, numbers);
}

static int make_address(struct side *side, uint32_t slot)
{
	struct trial *trial = side->trial;
	const struct message_address request = {
		.slot = slot,
		.to = side == &trial->near ? trial->far.can.far : trial->near.can.far,
	};

	return trial_order(side, address, &request);
}

int trial_abandon(struct trial *trial, const struct message *order, unsigned int msec,
		  struct message *held)
{
	const struct message release = {.type = MESSAGE_RELEASE};
	const unsigned int release_msec = trial->far.queue_pairs * SIDE_RELEASE_MSEC;
	struct message reply;
	int rc;

	if (side_start(&trial->far, &release, &reply))
		return -ECONNRESET;
	trial->far.queue_pairs = 0;
	rc = side_finish(&trial->far, order, msec, held);
	side_finish(&trial->far, &release, release_msec, &reply);
	return rc;
}

/*
 * Tells each side of an extended reliable connection about the other. *numbers holds those of the
 * sending queue pairs, and then those of the receiving ones.
 */
static int introduce(struct trial *trial, uint32_t slot, struct qp_numbers *numbers)
{
	struct message_xrc tell = {.slot = slot};
	struct message_xrc_ready near, far;

	if (trial_order(&trial->near, xrc, &tell, &near))
		return -EIO;
	tell = (struct message_xrc){.slot = slot, .qpn = numbers->near, .srqn = near.srqn};
	if (trial_order(&trial->far, xrc, &tell, &far))
		return -EIO;
	tell = (struct message_xrc){.slot = slot, .qpn = numbers->far, .srqn = far.srqn};
	numbers->near = near.qpn;
	numbers->far = far.qpn;
	return trial_order(&trial->near, xrc, &tell, &near);
}

int trial_finish_accept(struct trial *trial, const struct message *accept, unsigned int msec,
			struct message *held, int rc)
{
	struct side *near = &trial->near, *far = &trial->far;

	if (!rc)
		return trial_explain(far, side_finish(far, accept, msec, held));
	trial_abandon(trial, accept, msec, held);
	/* A far side that failed knows better than a near side that waited for it. */
	if (held->type == MESSAGE_REFUSED && held->refused.error != ECANCELED && rc == -EREMOTEIO &&
	    near->refused.error == ETIMEDOUT)
		return trial_explain(far, rc);
	return trial_explain(near, rc);
}

static int connect_by_cm(struct trial *trial, uint32_t slot, const struct qp_shape *shape)
{
	const struct trial_retries retries = retries_of(trial, shape);
	const struct message accept = {
		.type = MESSAGE_ACCEPT,
		.accept = {.slot = slot,
			   .cookie = ++trial->cookie,
			   .timeout_msec = CM_CONNECT_MSEC,
			   .max_rd_atomic = shape->max_rd_atomic ?: 1,
			   .rnr_retries = retries.rnr_retries},
	};
	struct message_connect connect = {
		.slot = slot,
		.cookie = trial->cookie,
		.timeout_msec = CM_CONNECT_MSEC,
		.max_rd_atomic = shape->max_rd_atomic ?: 1,
		.retries = retries.retries,
		.rnr_retries = retries.rnr_retries,
	};
	struct side *near = &trial->near, *far = &trial->far;
	struct selftest_result *row = trial->result;
	struct message_listening listening;
	struct message_connected connected;
	struct message held = {0};
	int rc = trial_order(far, listen, &(struct message_none){}, &listening)
			 ?: trial_order(far, start, &accept, &held);

	if (rc)
		return rc;
	connect.ip = listening.ip;
	connect.port = listening.port;
	rc = side_connect(near, &connect, &connected);
	if (!rc && !slot) {
		row->address_usec = real_of((double)connected.address_nsec / 1e3);
		row->route_usec = real_of((double)connected.route_nsec / 1e3);
		row->connect_usec = real_of((double)connected.connect_nsec / 1e3);
		trial_note_told(trial);
	}
	return trial_finish_accept(trial, &accept, CM_CONNECT_MSEC, &held, rc);
}

static int connect_one(struct trial *trial, uint32_t slot, const struct qp_shape *shape,
		       const struct qp_numbers *numbers)
{
	if (walk(&trial->far, slot, shape, numbers) || walk(&trial->near, slot, shape, numbers))
		return -EIO;
	if (shape->kind != QP_UD)
		return 0;
	if (make_address(&trial->far, slot) || make_address(&trial->near, slot))
		return -EIO;
	if (!slot)
		trial_note_told(trial);
	return 0;
}

/* Creates and connects the slots from `first` on, at most SIDE_WINDOW. */
static int connect_qps(struct trial *trial, uint32_t first, uint32_t count,
		       const struct qp_shape *shape, struct qp_numbers *numbers)
{
	struct side *far = &trial->far;
	int rc = make_qps(trial, first, count, shape, numbers), far_rc;

	if (rc)
		return rc;
	if (trial->by_cm && shape->kind == QP_RC) {
		for (uint32_t i = 0; i < count && !rc; i++)
			rc = connect_by_cm(trial, first + i, shape);
		return rc;
	}
	/* The other kinds never use rdma_cm. */
	if (!first) {
		number_set(&trial->result->connection, CONNECTION_EXCHANGE);
		note_psns(trial->result, numbers);
	}
	for (uint32_t i = 0; i < count && !rc && shape->kind == QP_XRC; i++)
		rc = introduce(trial, first + i, &numbers[i]);
	if (rc)
		return -EIO;
	side_batch_begin(far);
	for (uint32_t i = 0; i < count && !rc; i++)
		rc = connect_one(trial, first + i, shape, &numbers[i]);
	far_rc = trial_explain(far, side_batch_end(far));
	return rc ? rc : far_rc;
}

int trial_connect(struct trial *trial, const struct qp_shape *shape, struct qp_numbers *ret_numbers)
{
	static const struct qp_shape usual;
	struct qp_numbers numbers = {0};

	return connect_qps(trial, 0, 1, shape ? shape : &usual,
			   ret_numbers ? ret_numbers : &numbers);
}

int trial_connect_all(struct trial *trial, uint32_t count, const struct qp_shape *shape,
		      struct qp_numbers *numbers)
{
	struct qp_shape some = *shape;
	int rc = 0;

	for (uint32_t slot = 0; slot < count && !rc; slot += SIDE_WINDOW) {
		rc = connect_qps(trial, slot, at_most(count - slot, SIDE_WINDOW), &some,
				 numbers + slot);
		some.keep_cq = true;
	}
	return rc;
}
