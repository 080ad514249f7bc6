/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "selftest/memory/pattern.h"
#include "selftest/trial/trial.h"

#define WAIT_MSEC 5000u
/*
 * A transfer that loses packets may take longer, because each loss costs a timeout of the queue
 * pair. One that gets no acknowledgement at all gives up long before that.
 */
#define LEAST_BYTES_PER_MSEC 64u

const char *trial_side_word(const struct side *side)
{
	return side == &side->trial->near ? "local" : "far";
}

int trial_explain_ran(struct side *side, const struct message_ran *ran)
{
	return trial_explain_status(side,
				    &(struct work_completion){.status = ran->status,
							      .vendor_error = ran->vendor_error});
}

const char *trial_device_word(const struct side *side)
{
	return side == &side->trial->near ? "the device" : "the other side's device";
}

int trial_buffer(struct side *side, uint32_t slot, uint64_t bytes, uint32_t access)
{
	const struct message_buffer request = {
		.slot = slot,
		.access = access ? access : trial_access(side->trial),
		.bytes = bytes,
	};

	/* 0 bytes free the buffer: side->memory keeps the address and key that it had. */
	return trial_order(side, buffer, &request, bytes ? &side->memory : NULL);
}

/* Formats a duration as the options take it, for the next step. */
static char *duration_text(uint64_t msec)
{
	if (msec % 1000)
		return mem_format("%llums", (unsigned long long)msec);
	return msec % 60000 ? mem_format("%llus", (unsigned long long)msec / 1000)
			    : mem_format("%llum", (unsigned long long)msec / 60000);
}

/* With --every, each interval is a separate run. */
static uint64_t run_msec(const struct selftest_request *request)
{
	const uint64_t every = request->ways.every_msec, all = request->duration_msec;

	return every && every < all ? every : all;
}

/* The user asked for that duration, so a shorter run would be no answer. */
static void fail_long(struct trial *trial)
{
	_cleanup_(freep) char *wanted = duration_text(run_msec(trial->request));
	_cleanup_(freep) char *most = duration_text(trial->granted.run_msec);
	_cleanup_(freep) char *hint = mem_format(
		"run rdmactl selftest --serve --longest %s there, or use --%s %s here", wanted,
		trial->request->ways.every_msec ? "every" : "duration", most);

	trial_fail(trial, hint, "a measurement of %s is longer than the %s that the server grants",
		   wanted, most);
}

void trial_fail_longer(struct trial *trial, uint64_t iterations)
{
	_cleanup_(freep) char *most = duration_text(trial->granted.run_msec);

	trial_fail(trial,
		   "run rdmactl selftest --serve with a larger --longest there, or use fewer "
		   "--iterations here",
		   "%llu messages take longer than the %s that the server grants",
		   (unsigned long long)iterations, most);
}

bool trial_is_granted(struct trial *trial, uint32_t qps, uint64_t bytes)
{
	const struct message_admitted *granted = &trial->granted;
	const char *grants = trial->request->peer ? "the peer grants" : "the limit is";
	_cleanup_(freep) char *wanted = text_bytes(bytes);
	_cleanup_(freep) char *most = text_bytes(granted->bytes);

	if (qps > granted->qps)
		trial_skip(trial, "it needs %u queue pairs, %s %u", qps, grants, granted->qps);
	else if (bytes > granted->bytes)
		trial_skip(trial, "it needs %s of memory on each side, %s %s", wanted, grants,
			   most);
	else if (granted->run_msec && run_msec(trial->request) > granted->run_msec)
		fail_long(trial);
	else
		return true;
	return false;
}

int trial_buffers(struct trial *trial, uint64_t bytes)
{
	return trial_buffer(&trial->near, TRIAL_DATA, bytes, 0) ||
	       trial_buffer(&trial->far, TRIAL_DATA, bytes, 0);
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

static int fill(struct side *side, struct span span, uint64_t seed, bool constant)
{
	const struct message_fill request = {.span = span, .seed = seed, .constant = constant};

	return span.blocks ? trial_order(side, fill, &request) : 0;
}

int trial_fill(struct side *side, struct span span, uint32_t iteration)
{
	return fill(side, span, pattern_seed(side->trial->number, iteration), false);
}

int trial_fill_constant(struct side *side, struct span span, uint8_t byte)
{
	return fill(side, span, byte, true);
}

static int check(struct side *side, const struct message_fill *request, const char *what)
{
	struct message_checked checked;
	int rc;

	if (!request->span.blocks)
		return 0;
	rc = trial_order(side, check, request, &checked);
	if (rc || checked.equal)
		return rc;
	return trial_fail(
		side->trial,
		"data are damaged in transit: check memory, PCIe errors and firmware of both hosts",
		"%s: the %s buffer has 0x%02x at offset %llu, expected 0x%02x; %llu wrong byte%s",
		what, trial_side_word(side), checked.got, (unsigned long long)checked.offset,
		checked.expected, (unsigned long long)checked.different,
		text_plural_s(checked.different));
}

int trial_check(struct side *side, struct span span, uint32_t iteration)
{
	const struct message_fill request = {
		.span = span,
		.seed = pattern_seed(side->trial->number, iteration),
	};

	return check(side, &request, "wrong data");
}

int trial_check_constant(struct side *side, struct span span, uint8_t byte)
{
	const struct message_fill request = {.span = span, .seed = byte, .constant = 1};

	return check(side, &request, "bytes outside of the transfer were changed");
}

struct message_post trial_send(uint64_t id, struct span span)
{
	return (struct message_post){
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.count = 1,
		.id = id,
		.span = span,
	};
}

struct message_post trial_move(uint32_t operation, uint64_t id, struct span span,
			       const struct side *to, uint64_t offset)
{
	struct message_post post = trial_send(id, span);

	post.operation = operation;
	post.remote_address = to->memory.address + offset;
	post.rkey = to->memory.rkey;
	return post;
}

int trial_post(struct side *side, const struct message_post *post)
{
	struct message_post request = *post;

	if (!request.count)
		request.count = 1;
	return trial_order(side, post, &request);
}

int trial_receive(struct side *side, const struct message_receive *receive)
{
	struct message_receive request = *receive;

	if (!request.count)
		request.count = 1;
	return trial_order(side, receive, &request);
}

static int wait_for(struct side *side, const struct message_wait *request,
		    struct message_waited *ret)
{
	int rc = trial_order(side, wait, request, ret);

	if (rc || ret->count >= request->count)
		return rc;
	return trial_explain_end(side, (enum stop)ret->stop, request->timeout_msec);
}

int trial_wait(struct side *side, uint32_t count, struct message_waited *ret)
{
	const struct message_wait request = {
		.cq = TRIAL_CQ,
		.count = count,
		.timeout_msec = WAIT_MSEC + (uint32_t)(side->trial->result->size_bytes.value /
						       LEAST_BYTES_PER_MSEC),
	};

	return wait_for(side, &request, ret);
}

int trial_wait_event(struct side *side, struct message_waited *ret)
{
	const struct message_wait request = {
		.cq = TRIAL_CQ,
		.count = 1,
		.timeout_msec = WAIT_MSEC,
		.by_event = 1,
	};

	return wait_for(side, &request, ret);
}

int trial_look(struct side *side, uint32_t msec, struct message_waited *ret)
{
	const struct message_wait request = {.cq = TRIAL_CQ, .count = 1, .timeout_msec = msec};

	return trial_order(side, wait, &request, ret);
}

int trial_expect_successes(struct side *side, uint32_t count, struct message_waited *ret)
{
	int rc = trial_wait(side, count, ret);

	for (uint32_t i = 0; i < count && !rc; i++)
		if (ret->items[i].status)
			rc = trial_explain_status(side, &ret->items[i]);
	return rc;
}

static int expect_id(struct side *side, const struct work_completion *item, uint64_t id)
{
	if (item->id == id)
		return 0;
	return trial_fail(side->trial, NULL,
			  "the %s side got a completion with id %llu, expected %llu",
			  trial_side_word(side), (unsigned long long)item->id,
			  (unsigned long long)id);
}

int trial_expect(struct side *side, uint64_t id, struct work_completion *ret)
{
	struct message_waited waited;

	if (trial_expect_successes(side, 1, &waited))
		return -EIO;
	if (ret)
		*ret = waited.items[0];
	return expect_id(side, &waited.items[0], id);
}

void trial_note_status(struct trial *trial, const struct work_completion *item)
{
	if (trial->marked || trial->result->status)
		return;
	trial->result->status = mem_string(completion_status_name(item->status));
	if (item->status != IBV_WC_SUCCESS)
		trial->result->vendor_error = number_unless_zero(item->vendor_error);
}

int trial_expect_status(struct side *side, uint64_t id, uint32_t status)
{
	struct trial *trial = side->trial;
	struct message_waited waited;
	const struct work_completion *item = &waited.items[0];
	int rc = trial_wait(side, 1, &waited);

	if (rc)
		return rc;
	if (item->status == status)
		return expect_id(side, item, id);
	trial_note_status(trial, item);
	return trial_fail(trial, NULL, "the %s side completed with '%s', expected '%s'",
			  trial_side_word(side), completion_status_name(item->status),
			  completion_status_name(status));
}

int trial_expect_none(struct side *side, uint32_t msec)
{
	struct message_waited waited;
	int rc = trial_look(side, msec, &waited);

	if (rc || !waited.count)
		return rc;
	return trial_fail(side->trial, NULL,
			  "the %s side got a completion ('%s') where none was expected",
			  trial_side_word(side), completion_status_name(waited.items[0].status));
}
