/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows: parts of a region that a queue pair opens to the other side, and closes again. */
#include <errno.h>

#include "selftest/agent/agent.h"

/* Frees a window. Its region must go last. */
static void window_free(struct agent *agent, struct agent_window *window)
{
	if (window->mw)
		ibv_dealloc_mw(window->mw);
	if (window->region)
		agent->api.ibv_dereg_mr(window->region);
	*window = (struct agent_window){0};
}

void agent_windows_forget(struct agent *agent, const struct agent_qp *qp,
			  const struct agent_buffer *buffer)
{
	for (size_t i = 0; i < LIMIT_WINDOWS; i++) {
		struct agent_window *window = &agent->windows[i];

		if ((!qp && !buffer) || (qp && window->qp == qp) ||
		    (buffer && window->buffer == buffer))
			window_free(agent, window);
	}
}

static int make(struct agent *agent, const struct message_window *order,
		struct agent_window *window)
{
	const unsigned int second = IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	const unsigned int needed = order->type == 1 ? (unsigned int)IBV_DEVICE_MEM_WINDOW : second;

	window_free(agent, window);
	if (!((unsigned int)agent->limits.device_cap_flags & needed))
		return agent_fail(agent, STAGE_MEMORY, EOPNOTSUPP,
				  "no memory windows of type %u (device_cap_flags)", order->type);
	window->mw = ibv_alloc_mw(agent->domains[0],
				  order->type == 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	if (!window->mw)
		return agent_fail(agent, STAGE_MEMORY, errno, "ibv_alloc_mw");
	window->rkey = window->mw->rkey;
	return 0;
}

static int make_region(struct agent *agent, const struct agent_buffer *buffer,
		       struct agent_window *window)
{
	const uint32_t atomic = agent->limits.atomic_cap != IBV_ATOMIC_NONE ? ACCESS_ATOMIC : 0;
	const int access = agent_access(ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ | atomic);

	if (window->buffer == buffer)
		return 0;
	if (window->region)
		return agent_refuse(agent, REFUSAL_ORDER, "a window has one buffer");
	window->region = agent_register(agent, agent->domains[0], buffer,
					access | IBV_ACCESS_MW_BIND);
	if (!window->region)
		return agent_fail_memory(agent, buffer->length, buffer->memory.is_dmabuf);
	window->buffer = buffer;
	return 0;
}

static int post(struct agent *agent, struct ibv_qp *qp, struct ibv_send_wr *work, const char *call)
{
	struct ibv_send_wr *bad;
	int rc;

	work->send_flags = IBV_SEND_SIGNALED;
	rc = ibv_post_send(qp, work, &bad);
	return rc ? agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc), "%s", call) : 0;
}

/* Type 1 is bound by a call of its own, type 2 by a work request: ibv_bind_mw(3). */
static int bind_window(struct agent *agent, const struct message_window *order, struct ibv_qp *qp,
		       struct agent_window *window)
{
	const uint32_t rkey = ibv_inc_rkey(window->rkey);
	const struct ibv_mw_bind_info info = {
		.mr = window->region, /* even for a window of no memory: librxe reads it */
		.addr = order->bytes ? (uintptr_t)window->buffer->bytes + order->offset : 0,
		.length = order->bytes,
		.mw_access_flags = (unsigned int)agent_access(order->access & ~ACCESS_LOCAL),
	};
	struct ibv_mw_bind bind = {
		.wr_id = order->id,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = info,
	};
	struct ibv_send_wr work = {.wr_id = order->id, .opcode = IBV_WR_BIND_MW};
	int rc;

	if (window->mw->type == IBV_MW_TYPE_1) {
		rc = ibv_bind_mw(qp, window->mw, &bind);
		if (rc)
			return agent_fail(agent, STAGE_TRANSFER, agent_post_error(rc),
					  "ibv_bind_mw");
		window->rkey = window->mw->rkey;
		return 0;
	}
	work.bind_mw.mw = window->mw;
	work.bind_mw.rkey = rkey;
	work.bind_mw.bind_info = info;
	rc = post(agent, qp, &work, "ibv_post_send of IBV_WR_BIND_MW");
	if (!rc)
		window->rkey = window->mw->rkey = rkey;
	return rc;
}

static int invalidate(struct agent *agent, const struct message_window *order, struct ibv_qp *qp,
		      const struct agent_window *window)
{
	struct ibv_send_wr work = {
		.wr_id = order->id,
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = window->rkey,
	};

	return post(agent, qp, &work, "ibv_post_send of IBV_WR_LOCAL_INV");
}

static int use(struct agent *agent, const struct message_window *order, struct agent_window *window)
{
	const struct agent_buffer *buffer = &agent->buffers[order->buffer];
	const struct agent_qp *qp = &agent->qps[order->qp];
	const struct span span = {
		.buffer = order->buffer,
		.blocks = 1,
		.offset = order->offset,
		.block_bytes = order->bytes,
	};
	int rc;

	if (!window->mw || !qp->qp || qp->kind != QP_RC)
		return agent_refuse(agent, REFUSAL_ORDER, "no window, or no queue pair for it");
	if (order->action == WINDOW_INVALIDATE)
		return invalidate(agent, order, qp->qp, window);
	rc = agent_check_span(agent, &span) ?: make_region(agent, buffer, window)
		     ?: bind_window(agent, order, qp->qp, window);
	if (!rc)
		window->qp = qp;
	return rc;
}

int agent_window(struct agent *agent, const struct message_window *order,
		 struct message_windowed *reply)
{
	struct agent_window *window = &agent->windows[order->slot];
	int rc = 0;

	if (order->action == WINDOW_FREE)
		window_free(agent, window);
	else if (order->action == WINDOW_MAKE)
		rc = make(agent, order, window);
	else
		rc = use(agent, order, window);
	if (!rc)
		reply->rkey = window->rkey;
	return rc;
}
