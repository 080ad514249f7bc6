/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests_gather.h"

#include <errno.h>

/* The pattern has no 0: whatever strays into a gap shows. */
#define GAP_BYTE 0u

/* How long a round may last on the other side beyond what any order may. */
#define ROUND_MSEC 10000u

static struct span blocks_at(const struct layout *layout, uint64_t offset)
{
	return (struct span){
		.buffer = TRIAL_DATA,
		.blocks = (uint32_t)layout->blocks,
		.offset = offset,
		.block_bytes = layout->block_bytes,
		.stride = layout->stride,
	};
}

static struct span gaps_of(const struct span *span)
{
	struct span gaps = *span;

	gaps.offset += span->block_bytes;
	gaps.block_bytes = span->stride - span->block_bytes;
	if (!gaps.block_bytes)
		gaps.blocks = 0;
	return gaps;
}

void gather_set_layout(struct gather *gather, const struct layout *layout)
{
	uint64_t extent = layout->blocks * layout->stride;

	gather->layout = *layout;
	gather->bytes = layout->blocks * layout->block_bytes;
	gather->all = 2 * extent + 2 * gather->bytes;
	gather->from = blocks_at(layout, 0);
	gather->to = blocks_at(layout, extent);
	gather->piece = trial_span(2 * extent, gather->bytes);
	gather->other_piece = trial_span(2 * extent + gather->bytes, gather->bytes);
}

int gather_prepare(struct gather *gather)
{
	struct trial *trial = gather->trial;
	const struct span whole = trial_span(0, gather->all);
	int rc = trial_fill_constant(trial, &trial->near, &whole, GAP_BYTE);

	gather->iteration++;
	if (!rc)
		rc = trial_fill_constant(trial, &trial->far, &whole, GAP_BYTE);
	if (rc)
		return rc;
	return gather->operation == POST_READ
		       ? trial_fill(trial, &trial->far, &gather->piece, gather->iteration)
		       : trial_fill(trial, &trial->near, &gather->from, gather->iteration);
}

static int check_blocks(struct gather *gather, struct side *side)
{
	const struct span before = trial_span(0, gather->to.offset), gaps = gaps_of(&gather->to);
	struct trial *trial = gather->trial;
	bool source = side == &trial->near && gather->operation == POST_SEND;
	int rc = trial_check(trial, side, &gather->to, gather->iteration);

	if (!rc)
		rc = trial_check_constant(trial, side, &gaps, GAP_BYTE);
	if (!rc && !source)
		rc = trial_check_constant(trial, side, &before, GAP_BYTE);
	return rc;
}

static int check_piece(struct gather *gather)
{
	const struct span before = trial_span(0, gather->piece.offset);
	struct trial *trial = gather->trial;
	int rc = trial_check(trial, &trial->far, &gather->piece, gather->iteration);

	if (!rc)
		rc = trial_check_constant(trial, &trial->far, &before, GAP_BYTE);
	if (!rc)
		rc = trial_check_constant(trial, &trial->far, &gather->other_piece, GAP_BYTE);
	return rc;
}

int gather_check(struct gather *gather)
{
	struct trial *trial = gather->trial;
	int rc;

	if (gather->operation == POST_WRITE)
		return check_piece(gather);
	rc = gather->operation == POST_SEND ? check_blocks(gather, &trial->far) : 0;
	return rc ? rc : check_blocks(gather, &trial->near);
}

/* The receives for a first message, in as many work requests as the sender makes of it. */
static int post_receives(struct gather *gather, struct side *side, bool packed)
{
	const struct layout *layout = &gather->layout;
	uint32_t left = (uint32_t)(layout->blocks % gather->sges);
	struct message_receive full = {.span = gather->to}, rest = {.span = gather->to};
	const struct message_receive piece = {.span = gather->other_piece};
	int rc = 0;

	if (packed)
		return trial_receive(gather->trial, side, &piece);
	full.count = (uint32_t)(layout->blocks / gather->sges);
	full.span.blocks = gather->sges;
	full.step = gather->sges * layout->stride;
	rest.span.offset += full.count * full.step;
	rest.span.blocks = left;
	if (full.count)
		rc = trial_receive(gather->trial, side, &full);
	if (!rc && left)
		rc = trial_receive(gather->trial, side, &rest);
	return rc;
}

static struct message order_of(const struct gather *gather, bool packed, uint64_t iterations)
{
	return (struct message){
		.type = MESSAGE_GATHER,
		.gather =
			{
				.queue = TRIAL_QUEUE,
				.operation = gather->operation,
				.active = 1,
				.packed = packed,
				.iterations = iterations,
				.warmup = iterations - gather_timed(iterations),
				.from = gather->from,
				.to = gather->to,
				.piece = gather->piece.offset,
				.remote_address = gather->far.address + gather->piece.offset,
				.remote_key = gather->far.remote_key,
			},
	};
}

/* What a side's part of a round came to. */
static int judge(struct trial *trial, struct side *side, const struct message_ran *ran)
{
	const struct work_completion item = {.status = ran->status,
					     .vendor_error = ran->vendor_error};

	if (ran->status)
		return trial_explain_status(trial, side, &item);
	if (!ran->stop)
		return 0;
	trial_explain_end(trial, side, (enum stop)ran->stop, ROUND_MSEC);
	return -ETIMEDOUT;
}

/* Ends the far side's part, which waits for a message that does not come. */
static int end_far(struct trial *trial, const struct message *order, struct message *held)
{
	const struct message release = {.type = MESSAGE_RELEASE};
	struct message reply;
	int rc;

	if (side_start(&trial->far, &release, &reply))
		return -ECONNRESET;
	rc = side_finish(&trial->far, order, ROUND_MSEC, held);
	side_finish(&trial->far, &release, 0, &reply);
	return rc;
}

/* Both sides at once. The one that saw an error knows more than the one that waited for it. */
static int run_both(struct trial *trial, const struct message *order,
		    const struct message *far_order, struct message *reply)
{
	struct message held;
	int rc = side_start(&trial->far, far_order, &held), far_rc;

	if (rc)
		return trial_explain(trial, &trial->far, rc, &held);
	rc = side_call(&trial->near, order, reply);
	if (rc || reply->ran.status || reply->ran.stop)
		far_rc = end_far(trial, far_order, &held);
	else
		far_rc = side_finish(&trial->far, far_order, ROUND_MSEC, &held);
	if (rc)
		return trial_explain(trial, &trial->near, rc, reply);
	if (reply->ran.status)
		return judge(trial, &trial->near, &reply->ran);
	if (far_rc)
		return trial_explain(trial, &trial->far, far_rc, &held);
	if (held.ran.status)
		return judge(trial, &trial->far, &held.ran);
	rc = judge(trial, &trial->near, &reply->ran);
	return rc ? rc : judge(trial, &trial->far, &held.ran);
}

static int ping_pong(struct gather *gather, const struct message *order, struct message *reply)
{
	struct trial *trial = gather->trial;
	struct message far_order = *order;
	int rc = post_receives(gather, &trial->far, order->gather.packed);

	if (!rc)
		rc = post_receives(gather, &trial->near, order->gather.packed);
	if (rc)
		return rc;
	far_order.gather.active = 0;
	/* It sends back what came. */
	far_order.gather.from = far_order.gather.to;
	return run_both(trial, order, &far_order, reply);
}

int gather_transfer(struct gather *gather, bool packed, uint64_t iterations, double *ret_usec)
{
	const struct message order = order_of(gather, packed, iterations);
	struct trial *trial = gather->trial;
	struct message reply;
	int rc;

	if (gather->operation == POST_SEND) {
		rc = ping_pong(gather, &order, &reply);
	} else {
		rc = side_call(&trial->near, &order, &reply);
		rc = rc ? trial_explain(trial, &trial->near, rc, &reply)
			: judge(trial, &trial->near, &reply.ran);
	}
	if (rc)
		return rc;
	*ret_usec = (double)reply.ran.elapsed_nsec / (double)reply.ran.iterations / 1000;
	if (gather->operation == POST_SEND)
		*ret_usec /= 2;
	return 0;
}
