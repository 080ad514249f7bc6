/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of buffers: its kind, contents and registration. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/agent/agent.h"
#include "selftest/memory/pattern.h"

/* One page is enough to see whether a kind of memory is available. */
#define TRIAL_BYTES 4096u

/* The iova equals the address, as without a dma-buf, so that work requests look the same. */
struct ibv_mr *agent_register(struct agent *agent, struct ibv_pd *domain,
			      const struct agent_buffer *buffer, int access)
{
	const struct memory *memory = &buffer->memory;

	if (agent->source.choice.kind == MEMORY_ODP)
		access |= IBV_ACCESS_ON_DEMAND;
	/* Every kernel that registers dma-bufs knows this flag (uverbs_std_types_mr.c). */
	if (memory->is_dmabuf && agent->way.relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	/* This call drops optional rights unknown to the kernel or driver: ibv_reg_mr(3). */
	if (!memory->is_dmabuf && agent->way.relaxed && agent->api.ibv_reg_mr_iova2)
		return agent->api.ibv_reg_mr_iova2(
			domain, buffer->bytes, buffer->length, (uintptr_t)buffer->bytes,
			(unsigned int)access | IBV_ACCESS_RELAXED_ORDERING);
	if (!memory->is_dmabuf)
		return (agent->api.ibv_reg_mr)(domain, buffer->bytes, buffer->length, access);
	if (agent->api.ibv_reg_dmabuf_mr)
		return agent->api.ibv_reg_dmabuf_mr(domain, memory->offset, buffer->length,
						    (uintptr_t)buffer->bytes, memory->dmabuf,
						    access);
	errno = ENOSYS;
	return NULL;
}

/* On-demand paging must support these operations, which most tests use. */
#define ODP_NEEDED \
	(IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ)

/* Like ibv_query_device_ex(), which is inline and calls a function that is not linked. */
static int check_odp(struct agent *agent)
{
	struct verbs_context *verbs = verbs_get_ctx_op(agent->context, query_device_ex);
	struct ibv_device_attr_ex attr = {.comp_mask = 0};
	int rc = verbs ? verbs->query_device_ex(agent->context, NULL, &attr, sizeof(attr))
		       : EOPNOTSUPP;

	if (rc)
		return agent_fail(agent, STAGE_MEMORY, rc, "ibv_query_device_ex");
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return agent_fail(agent, STAGE_MEMORY, EOPNOTSUPP,
				  "the device has no on-demand paging (odp_caps)");
	if ((attr.odp_caps.per_transport_caps.rc_odp_caps & ODP_NEEDED) != ODP_NEEDED)
		return agent_fail(agent, STAGE_MEMORY, EOPNOTSUPP,
				  "the device has on-demand paging, but not for all operations of "
				  "a reliable connection (rc_odp_caps)");
	return 0;
}

/* Creates a buffer of the kind and frees it, so that a failure shows before the first test. */
static int try_memory(struct agent *agent, struct message_memory_ready *reply)
{
	const uint32_t slot = LIMIT_BUFFERS - 1;
	struct message_buffer order = {
		.slot = slot,
		.access = ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ,
		.bytes = TRIAL_BYTES,
	};
	struct message_buffered buffered;
	int rc = agent_buffer(agent, &order, &buffered);

	if (rc)
		return rc;
	reply->hidden = memory_is_hidden(&agent->buffers[slot].memory);
	reply->page_bytes = memory_bytes(&agent->source, 1);
	order.bytes = 0;
	return agent_buffer(agent, &order, &buffered);
}

int agent_memory(struct agent *agent, const struct message_memory *order,
		 struct message_memory_ready *reply)
{
	const struct memory_source before = agent->source;
	const char *call = NULL;
	int rc = order->kind == MEMORY_ODP ? check_odp(agent) : 0;

	if (rc)
		return rc;
	rc = memory_source_open(&agent->source, order, &call);
	if (rc)
		return agent_fail(agent, STAGE_MEMORY, -rc, "%s", call);
	rc = try_memory(agent, reply);
	if (rc)
		agent->source = before;
	return rc;
}

/* Returns room for a copy of a block that is hidden, which the caller frees; else NULL. */
static uint8_t *stage(const struct agent_buffer *buffer, uint64_t bytes)
{
	return memory_is_hidden(&buffer->memory) ? mem_alloc_zero(bytes + 1, 1) : NULL;
}

static int copy(struct agent *agent, const struct agent_buffer *buffer, uint8_t *to,
		const uint8_t *from, uint64_t bytes, bool in)
{
	int rc = buffer->memory.ops->copy(&agent->source, to, from, bytes, in);

	return rc ? agent_fail(agent, STAGE_MEMORY, -rc, "a copy of the accelerator") : 0;
}

static int fill_block(struct agent *agent, const struct message_fill *order, uint64_t i)
{
	const struct agent_buffer *buffer = &agent->buffers[order->span.buffer];
	uint8_t *block = agent_block(agent, &order->span, i);
	const uint64_t bytes = order->span.block_bytes;
	_cleanup_(freep) uint8_t *staging = stage(buffer, bytes);
	uint8_t *work = staging ? staging : block;

	if (order->constant)
		memset(work, (int)(order->seed & 0xff), bytes);
	else
		pattern_fill(work, i * bytes, bytes, order->seed);
	return staging ? copy(agent, buffer, block, staging, bytes, true) : 0;
}

static int check_block(struct agent *agent, const struct message_fill *order, uint64_t i,
		       struct message_checked *reply)
{
	const struct agent_buffer *buffer = &agent->buffers[order->span.buffer];
	const uint8_t *block = agent_block(agent, &order->span, i);
	const uint64_t bytes = order->span.block_bytes, offset = i * bytes;
	_cleanup_(freep) uint8_t *staging = stage(buffer, bytes);
	const uint8_t *work = staging ? staging : block;
	int rc = staging ? copy(agent, buffer, staging, block, bytes, false) : 0;
	struct pattern_mismatch mismatch = {0};
	bool equal;

	if (rc)
		return rc;
	equal = order->constant ? pattern_check_constant(work, offset, bytes, (uint8_t)order->seed,
							 &mismatch)
				: pattern_check(work, offset, bytes, order->seed, &mismatch);
	if (!equal && reply->equal) {
		reply->equal = 0;
		reply->offset = mismatch.offset;
		reply->expected = mismatch.expected;
		reply->got = mismatch.got;
	}
	reply->different += mismatch.count;
	return 0;
}

/* Fills each block or, with a reply, checks it. */
static int each_block(struct agent *agent, const struct message_fill *order,
		      struct message_checked *reply)
{
	const struct memory *memory = &agent->buffers[order->span.buffer].memory;
	int rc = agent_check_span(agent, &order->span);

	if (rc)
		return rc;
	memory_begin(memory);
	for (uint64_t i = 0; i < order->span.blocks && !rc; i++)
		rc = reply ? check_block(agent, order, i, reply) : fill_block(agent, order, i);
	memory_end(memory);
	return rc;
}

int agent_fill(struct agent *agent, const struct message_fill *order)
{
	return each_block(agent, order, NULL);
}

int agent_check(struct agent *agent, const struct message_fill *order,
		struct message_checked *reply)
{
	*reply = (struct message_checked){.equal = 1};
	return guard_look(agent) ? -EINVAL : each_block(agent, order, reply);
}
