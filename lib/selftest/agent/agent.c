/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernel/privilege.h"

/*
 * The kernel and the device keep a list of a region's pages: per page of 4096 bytes, struct
 * scatterlist takes 32 bytes, a device's table 8 to 16.
 */
#define PAGE_SHARE 64

struct agent *agent_new(int channel, int signals)
{
	struct agent *agent = mem_alloc_zero(1, sizeof(*agent));

	agent->still_msec = RUN_STILL_MSEC;
	agent->most_bytes = LIMIT_BYTES;
	agent->most_qps = LIMIT_QPS;
	/* The first slot can have an id of librdmacm without a queue pair. */
	agent->qp_end = 1;
	watch_init(&agent->watch, &agent->api, channel, signals);
	if (getrandom(&agent->random, sizeof(agent->random), 0) < 0)
		agent->random = (uint32_t)getpid();
	return agent;
}

int agent_reserve(struct agent *agent, uint64_t bytes, uint64_t *reserved)
{
	if (!agent->reserve)
		return 0;
	if (agent->reserve(agent->owner, (int64_t)bytes))
		return agent_refuse(agent, REFUSAL_LIMIT,
				    "%llu MiB of memory, more than the server's --memory leaves "
				    "for this client",
				    (unsigned long long)((bytes + (1 << 20) - 1) >> 20));
	*reserved = bytes;
	return 0;
}

void agent_unreserve(struct agent *agent, uint64_t *reserved)
{
	if (*reserved)
		agent->reserve(agent->owner, -(int64_t)*reserved);
	*reserved = 0;
}

static void free_buffer(struct agent *agent, struct agent_buffer *buffer)
{
	agent_windows_forget(agent, NULL, buffer);
	if (buffer->mr)
		agent->api.ibv_dereg_mr(buffer->mr);
	if (buffer->memory.bytes)
		memory_free(&agent->source, &buffer->memory);
	agent_unreserve(agent, &buffer->reserved);
	*buffer = (struct agent_buffer){0};
}

/* Flushes all work at once: a queue pair destroyed while sending may go on until it is done. */
static void stop_sending(struct agent *agent)
{
	struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};

	for (size_t i = 0; i < agent->qp_end; i++)
		if (agent->qps[i].qp)
			agent->api.ibv_modify_qp(agent->qps[i].qp, &error, IBV_QP_STATE);
}

void agent_reset(struct agent *agent)
{
	stop_sending(agent);
	/* Unread events of queue pairs would keep them from being destroyed. */
	if (agent->context)
		watch_look(&agent->watch);
	/* A port that is up again is not to blame if a later test fails. */
	agent->watch.port_down = agent->watch.stays_down;
	agent->watch.queue_error = 0;
	agent_windows_forget(agent, NULL, NULL);
	for (size_t i = 0; i < agent->qp_end; i++)
		agent_qp_destroy(agent, &agent->qps[i]);
	agent->way = (struct message_way){0};
	agent->vector = 0;
	agent_many_release(agent);
	agent_cm_release(agent);
	if (agent->srq)
		agent->api.ibv_destroy_srq(agent->srq);
	agent->srq = NULL;
	agent_unreserve(agent, &agent->srq_reserved);
	agent_xrc_close(agent);
	for (size_t i = 0; i < LIMIT_CQS; i++)
		agent_cq_destroy(agent, &agent->cqs[i]);
	for (size_t i = 0; i < LIMIT_BUFFERS; i++)
		free_buffer(agent, &agent->buffers[i]);
}

void agent_free(struct agent *agent)
{
	if (!agent)
		return;
	agent_reset(agent);
	agent_close_device(agent);
	free(agent->samples.nsec);
	free(agent);
}

__attribute__((format(printf, 5, 0))) static int note(struct agent *agent, enum refusal refusal,
						      enum stage stage, int error,
						      const char *format, va_list values)
{
	agent->refused = (struct message_refused){
		.refusal = refusal,
		.stage = stage,
		.error = (uint32_t)error,
	};
	vsnprintf(agent->refused.text, sizeof(agent->refused.text), format, values);
	return error ? -error : -EINVAL;
}

int agent_fail(struct agent *agent, enum stage stage, int error, const char *format, ...)
{
	va_list values;
	int rc;

	va_start(values, format);
	rc = note(agent, REFUSAL_FAILED, stage, error ? error : EIO, format, values);
	va_end(values);
	return rc;
}

int agent_refuse(struct agent *agent, enum refusal refusal, const char *format, ...)
{
	va_list values;
	int rc;

	va_start(values, format);
	rc = note(agent, refusal, STAGE_HANDSHAKE, 0, format, values);
	va_end(values);
	return rc;
}

static uint64_t bytes_in_use(const struct agent *agent)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < LIMIT_BUFFERS; i++)
		sum += agent->buffers[i].length;
	return sum;
}

/*
 * Returns RLIMIT_MEMLOCK, or UINT64_MAX if it does not apply to this process. The capability only
 * counts in the initial user namespace: Linux, drivers/infiniband/core/umem.c, ib_umem_get().
 */
static uint64_t memlock_limit(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY ||
	    (privilege_held(PRIVILEGE_IPC_LOCK) && privilege_is_first_namespace()))
		return UINT64_MAX;
	return limit.rlim_cur;
}

int agent_fail_memory(struct agent *agent, uint64_t bytes, bool is_dmabuf)
{
	int rc = agent_fail(agent, STAGE_MEMORY, errno, "%s",
			    is_dmabuf ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr");

	agent->refused.wanted_bytes = bytes;
	agent->refused.limit_bytes = memlock_limit();
	return rc;
}

static int register_buffer(struct agent *agent, const struct message_buffer *order,
			   struct agent_buffer *buffer)
{
	struct ibv_pd *domain = agent->domains[order->domain];
	const int access = agent_access(order->access);
	int rc;

	buffer->mr = agent_register(agent, domain, buffer, access);
	if (buffer->mr)
		return 0;
	rc = agent_fail_memory(agent, order->bytes, buffer->memory.is_dmabuf);
	free_buffer(agent, buffer);
	return rc;
}

int agent_buffer(struct agent *agent, const struct message_buffer *order,
		 struct message_buffered *reply)
{
	struct agent_buffer *buffer = &agent->buffers[order->slot];
	const uint64_t taken = memory_bytes(&agent->source, order->bytes);
	const char *call = NULL;
	int rc;

	free_buffer(agent, buffer);
	if (!order->bytes)
		return 0;
	if (order->bytes > agent->most_bytes ||
	    bytes_in_use(agent) > agent->most_bytes - order->bytes)
		return agent_refuse(agent, REFUSAL_LIMIT, "buffers of more than %llu bytes",
				    (unsigned long long)agent->most_bytes);
	rc = agent_reserve(agent, taken + taken / PAGE_SHARE, &buffer->reserved);
	if (rc)
		return rc;
	rc = memory_take(&agent->source, order->bytes, &buffer->memory, &call);
	if (rc) {
		agent_fail(agent, STAGE_MEMORY, -rc, "%s", call);
		free_buffer(agent, buffer);
		return rc;
	}
	buffer->bytes = buffer->memory.bytes;
	buffer->length = order->bytes;
	rc = register_buffer(agent, order, buffer);
	if (rc)
		return rc;
	reply->address = (uintptr_t)buffer->bytes;
	reply->lkey = buffer->mr->lkey;
	reply->rkey = buffer->mr->rkey;
	return 0;
}

bool agent_span_fits(const struct agent *agent, const struct span *span)
{
	const struct agent_buffer *buffer = &agent->buffers[span->buffer];
	uint64_t end;

	/* Each factor is below 2^29, so nothing overflows. */
	if (!span->blocks)
		return true;
	end = span->offset + (span->blocks - 1) * span->stride + span->block_bytes;
	/* Blocks may overlap, but their sum is no longer than the largest possible buffer. */
	return buffer->bytes && span->offset <= LIMIT_BYTES && span->stride <= LIMIT_BYTES &&
	       span->block_bytes <= LIMIT_BYTES && end <= buffer->length &&
	       span->blocks * span->block_bytes <= LIMIT_BYTES;
}

int agent_check_span(struct agent *agent, const struct span *span)
{
	if (agent_span_fits(agent, span))
		return 0;
	return agent_refuse(agent, REFUSAL_ORDER, "bytes outside of buffer %u", span->buffer);
}

void agent_fill_elements(const struct agent *agent, const struct span *span,
			 struct ibv_sge *ret_elements)
{
	for (uint32_t i = 0; i < span->blocks; i++)
		ret_elements[i] = (struct ibv_sge){
			.addr = (uintptr_t)agent_block(agent, span, i),
			.length = (uint32_t)span->block_bytes,
			.lkey = agent->buffers[span->buffer].mr->lkey,
		};
}

uint8_t *agent_block(const struct agent *agent, const struct span *span, uint64_t block)
{
	return agent->buffers[span->buffer].bytes + span->offset + block * span->stride;
}
