/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/diagnosis/diagnosis_words.h"
#include "selftest/trial/pattern.h"
#include "selftest/trial/trial.h"

#define WAIT_MSEC 5000u
/*
 * A transfer may last longer that loses some of its packets: each costs the time-out of its queue
 * pair. Where nothing gets through, that gives up long before.
 */
#define LEAST_BYTES_PER_MSEC 64u

static const char *side_word(const struct trial *trial, const struct side *side)
{
	return side == &trial->near ? "local" : "far";
}

int trial_buffer(struct trial *trial, struct side *side, uint32_t slot, uint64_t bytes,
		 uint32_t access, struct message_buffered *ret)
{
	bool atomics = trial->near_can.atomics && trial->far_can.atomics;
	uint32_t all = ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ | (atomics ? ACCESS_ATOMIC : 0);
	const struct message order = {
		.type = MESSAGE_BUFFER,
		.buffer = {.slot = slot, .access = access ? access : all, .bytes = bytes},
	};
	struct message reply;
	int rc = trial_call(trial, side, &order, &reply);

	if (!rc && ret)
		*ret = reply.buffered;
	return rc;
}

bool trial_is_granted(struct trial *trial, uint32_t pairs, uint64_t bytes)
{
	const struct message_welcome *granted = &trial->granted;
	const char *grants = trial->request->peer ? "the peer grants" : "the limit is";
	_cleanup_(freep) char *wanted = diagnosis_bytes(bytes);
	_cleanup_(freep) char *most = diagnosis_bytes(granted->bytes);

	if (pairs > granted->pairs)
		trial_skip(trial, "it needs %u queue pairs, %s %u", pairs, grants, granted->pairs);
	else if (bytes > granted->bytes)
		trial_skip(trial, "it needs %s of memory on each side, %s %s", wanted, grants,
			   most);
	else
		return true;
	return false;
}

int trial_buffers(struct trial *trial, uint64_t bytes, struct message_buffered *ret)
{
	int rc = trial_buffer(trial, &trial->near, TRIAL_DATA, bytes, 0, NULL);

	return rc ? rc : trial_buffer(trial, &trial->far, TRIAL_DATA, bytes, 0, ret);
}

struct span trial_span(uint64_t offset, uint64_t bytes)
{
	return (struct span){
		.buffer = TRIAL_DATA,
		.blocks = bytes ? 1 : 0,
		.offset = offset,
		.block_bytes = bytes,
	};
}

static struct message fill_order(uint32_t type, const struct span *span, uint64_t seed,
				 bool constant)
{
	return (struct message){
		.type = type,
		.fill = {.span = *span, .seed = seed, .constant = constant},
	};
}

static int fill(struct trial *trial, struct side *side, const struct message *order)
{
	struct message reply;

	return order->fill.span.blocks ? trial_call(trial, side, order, &reply) : 0;
}

int trial_fill(struct trial *trial, struct side *side, const struct span *span, uint32_t iteration)
{
	const struct message order = fill_order(MESSAGE_FILL, span,
						pattern_seed(trial->number, iteration), false);

	return fill(trial, side, &order);
}

int trial_fill_constant(struct trial *trial, struct side *side, const struct span *span,
			uint8_t byte)
{
	const struct message order = fill_order(MESSAGE_FILL, span, byte, true);

	return fill(trial, side, &order);
}

static int check(struct trial *trial, struct side *side, const struct message *order,
		 const char *what)
{
	struct message reply;
	int rc;

	if (!order->fill.span.blocks)
		return 0;
	rc = trial_call(trial, side, order, &reply);
	if (rc || reply.checked.equal)
		return rc;
	trial_fail(
		trial,
		"data is damaged on its way: check memory, PCIe errors and firmware of both hosts",
		"%s: the %s buffer has 0x%02x at offset %llu, expected 0x%02x; %llu bytes differ",
		what, side_word(trial, side), reply.checked.got,
		(unsigned long long)reply.checked.offset, reply.checked.expected,
		(unsigned long long)reply.checked.different);
	return -EBADMSG;
}

int trial_check(struct trial *trial, struct side *side, const struct span *span, uint32_t iteration)
{
	const struct message order = fill_order(MESSAGE_CHECK, span,
						pattern_seed(trial->number, iteration), false);

	return check(trial, side, &order, "wrong data");
}

int trial_check_constant(struct trial *trial, struct side *side, const struct span *span,
			 uint8_t byte)
{
	const struct message order = fill_order(MESSAGE_CHECK, span, byte, true);

	return check(trial, side, &order, "bytes that must stay as they are were changed");
}

int trial_post(struct trial *trial, struct side *side, const struct message_post *post)
{
	struct message order = {.type = MESSAGE_POST, .post = *post};
	struct message reply;

	if (!order.post.count)
		order.post.count = 1;
	return trial_call(trial, side, &order, &reply);
}

int trial_receive(struct trial *trial, struct side *side, const struct message_receive *receive)
{
	struct message order = {.type = MESSAGE_RECEIVE, .receive = *receive};
	struct message reply;

	if (!order.receive.count)
		order.receive.count = 1;
	return trial_call(trial, side, &order, &reply);
}

static int wait_for(struct trial *trial, struct side *side, const struct message *order,
		    struct message_waited *ret)
{
	struct message reply;
	int rc = trial_call(trial, side, order, &reply);

	if (rc)
		return rc;
	*ret = reply.waited;
	if (ret->count >= order->wait.count)
		return 0;
	trial_explain_end(trial, side, (enum stop)ret->stop, order->wait.timeout_msec);
	return -ETIMEDOUT;
}

static uint32_t usual_wait(const struct trial *trial)
{
	return WAIT_MSEC + (uint32_t)(trial->result->size_bytes.value / LEAST_BYTES_PER_MSEC);
}

int trial_wait(struct trial *trial, struct side *side, uint32_t count, uint32_t msec,
	       struct message_waited *ret)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait =
			{
				.queue = TRIAL_QUEUE,
				.count = count,
				.timeout_msec = msec ? msec : usual_wait(trial),
			},
	};

	return wait_for(trial, side, &order, ret);
}

int trial_wait_event(struct trial *trial, struct side *side, uint32_t count, bool solicited,
		     struct message_waited *ret)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait =
			{
				.queue = TRIAL_QUEUE,
				.count = count,
				.timeout_msec = WAIT_MSEC,
				.by_event = 1,
				.solicited = solicited,
			},
	};

	return wait_for(trial, side, &order, ret);
}

static int expect_id(struct trial *trial, struct side *side, const struct work_completion *item,
		     uint64_t id)
{
	if (item->id == id)
		return 0;
	trial_fail(trial, NULL, "the %s side got a completion with id %llu, expected %llu",
		   side_word(trial, side), (unsigned long long)item->id, (unsigned long long)id);
	return -EBADE;
}

int trial_expect(struct trial *trial, struct side *side, uint64_t id, struct work_completion *ret)
{
	struct message_waited waited;
	int rc = trial_wait(trial, side, 1, 0, &waited);

	if (rc)
		return rc;
	if (waited.items[0].status)
		return trial_explain_status(trial, side, &waited.items[0]);
	if (ret)
		*ret = waited.items[0];
	return expect_id(trial, side, &waited.items[0], id);
}

int trial_expect_status(struct trial *trial, struct side *side, uint64_t id, uint32_t status)
{
	struct message_waited waited;
	int rc = trial_wait(trial, side, 1, 0, &waited);

	if (rc)
		return rc;
	if (waited.items[0].status == status)
		return expect_id(trial, side, &waited.items[0], id);
	if (!trial->marked && !trial->result->status)
		trial->result->status = mem_string(completion_status_name(waited.items[0].status));
	trial_fail(trial, NULL, "the %s side completed with '%s', expected '%s'",
		   side_word(trial, side), completion_status_name(waited.items[0].status),
		   completion_status_name(status));
	return -EBADE;
}

int trial_expect_none(struct trial *trial, struct side *side, uint32_t msec)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait = {.queue = TRIAL_QUEUE, .count = 1, .timeout_msec = msec},
	};
	struct message reply;
	int rc = trial_call(trial, side, &order, &reply);

	if (rc || !reply.waited.count)
		return rc;
	trial_fail(trial, NULL, "the %s side got a completion ('%s') where none may come",
		   side_word(trial, side), completion_status_name(reply.waited.items[0].status));
	return -EBADE;
}
