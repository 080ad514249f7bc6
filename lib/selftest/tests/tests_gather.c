/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layouts that are not contiguous: the data that the device gathers and scatters is checked byte by
 * byte, gaps included, and the transfer is timed against one that the CPU packs and unpacks. The
 * timed loops run within the agents (MESSAGE_GATHER), so the figures include no orders.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "selftest/trial/trial.h"

#define MOST_READS 16u /* outstanding; servers grant this many on any device */

#define DEFAULT_SPREAD 4u /* the stride, in blocks */

/* The result is the least mean of this many rounds: the least disturbed one. */
#define ROUNDS		       3u
#define ROUND_NSEC	       8000000u
#define MEASURE_MSEC	       60 /* no round begins later */
#define ROUND_LEAST_ITERATIONS 4u
#define ROUND_MOST_ITERATIONS  1000u

struct layout {
	uint64_t block_bytes, blocks, stride;
};

/* A layout under test. A buffer holds blocks to send, blocks that arrive, and two pieces. */
struct gather {
	struct trial *trial;
	uint32_t operation; /* POST_SEND, POST_WRITE or POST_READ */
	struct layout layout;
	uint64_t bytes; /* of all blocks */
	uint64_t all;	/* of a buffer */
	struct span from, to, piece, other_piece;
	uint32_t sges;	    /* blocks that one work request takes */
	uint32_t iteration; /* for the pattern */
};

/* How many of `iterations` transfers are timed; the others warm up. */
static uint64_t timed(uint64_t iterations)
{
	return iterations - iterations / 8;
}

/* No byte of the pattern is 0, so stray data in a gap show. */
#define GAP_BYTE 0u
/* How long a round may last on the other side, on top of the limit for any order. */
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

static void set_layout(struct gather *gather, const struct layout *layout)
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

/* Fills both buffers: only the source holds the pattern, a new one each time. */
static int gather_prepare(struct gather *gather)
{
	struct trial *trial = gather->trial;
	const struct span all = trial_span(0, gather->all);

	gather->iteration++;
	if (trial_fill_constant(&trial->near, all, GAP_BYTE) ||
	    trial_fill_constant(&trial->far, all, GAP_BYTE))
		return -EIO;
	return gather->operation == POST_READ
		       ? trial_fill(&trial->far, gather->piece, gather->iteration)
		       : trial_fill(&trial->near, gather->from, gather->iteration);
}

static int check_blocks(struct gather *gather, struct side *side)
{
	const struct span before = trial_span(0, gather->to.offset);
	struct span gaps = gather->to;
	bool source = side == &gather->trial->near && gather->operation == POST_SEND;

	gaps.offset += gaps.block_bytes;
	gaps.block_bytes = gaps.stride - gaps.block_bytes;
	if (!gaps.block_bytes)
		gaps.blocks = 0;
	return trial_check(side, gather->to, gather->iteration) ||
	       trial_check_constant(side, gaps, GAP_BYTE) ||
	       (!source && trial_check_constant(side, before, GAP_BYTE));
}

/* Checks each byte that arrived, and that no other byte was changed. */
static int gather_check(struct gather *gather)
{
	const struct span before = trial_span(0, gather->piece.offset);
	struct trial *trial = gather->trial;
	struct side *far = &trial->far;

	if (gather->operation == POST_WRITE)
		return trial_check(far, gather->piece, gather->iteration) ||
		       trial_check_constant(far, before, GAP_BYTE) ||
		       trial_check_constant(far, gather->other_piece, GAP_BYTE);
	return (gather->operation == POST_SEND && check_blocks(gather, far)) ||
	       check_blocks(gather, &trial->near);
}

/* Posts the receives for the first message: as many as the sender needs work requests for it. */
static int post_receives(struct gather *gather, struct side *side, bool packed)
{
	const struct layout *layout = &gather->layout;
	uint32_t left = (uint32_t)(layout->blocks % gather->sges);
	struct message_receive full = {.span = gather->to}, rest = {.span = gather->to};
	const struct message_receive piece = {.span = gather->other_piece};

	if (packed)
		return trial_receive(side, &piece);
	full.count = (uint32_t)(layout->blocks / gather->sges);
	full.span.blocks = gather->sges;
	full.step = gather->sges * layout->stride;
	rest.span.offset += full.count * full.step;
	rest.span.blocks = left;
	return (full.count && trial_receive(side, &full)) || (left && trial_receive(side, &rest));
}

static struct message order_of(const struct gather *gather, bool packed, uint64_t iterations)
{
	return (struct message){
		.type = MESSAGE_GATHER,
		.gather = {.cq = TRIAL_CQ,
			   .operation = gather->operation,
			   .active = 1,
			   .packed = packed,
			   .iterations = iterations,
			   .warmup = iterations - timed(iterations),
			   .from = gather->from,
			   .to = gather->to,
			   .piece = gather->piece.offset,
			   .remote_address = gather->trial->far.memory.address +
					     gather->piece.offset,
			   .rkey = gather->trial->far.memory.rkey},
	};
}

static int check_ran(struct side *side, const struct message_ran *ran)
{
	if (ran->status)
		return trial_explain_ran(side, ran);
	if (!ran->stop)
		return 0;
	return trial_explain_end(side, (enum stop)ran->stop, ROUND_MSEC);
}

/* Runs both sides at once. An error on one side explains more than a timeout on the other. */
static int run_both(struct trial *trial, const struct message *order,
		    const struct message *far_order, struct message_ran *ran)
{
	struct side *near = &trial->near, *far = &trial->far;
	struct message held;
	int rc = trial_order(far, start, far_order, &held), far_rc;

	if (rc)
		return rc;
	rc = side_gather(near, &order->gather, ran);
	if (rc || ran->status || ran->stop)
		far_rc = trial_abandon(trial, far_order, ROUND_MSEC, &held);
	else
		far_rc = side_finish(far, far_order, ROUND_MSEC, &held);
	if (rc)
		return trial_explain(near, rc);
	if (ran->status)
		return check_ran(near, ran);
	if (far_rc)
		return trial_explain(far, far_rc);
	if (held.ran.status)
		return check_ran(far, &held.ran);
	return check_ran(near, ran) || check_ran(far, &held.ran);
}

static int ping_pong(struct gather *gather, const struct message *order, struct message_ran *ran)
{
	struct trial *trial = gather->trial;
	struct message far_order = *order;

	if (post_receives(gather, &trial->far, order->gather.packed) ||
	    post_receives(gather, &trial->near, order->gather.packed))
		return -EIO;
	far_order.gather.active = 0;
	/* The far side sends back what it received. */
	far_order.gather.from = far_order.gather.to;
	return run_both(trial, order, &far_order, ran);
}

/* Runs `iterations` transfers, the first of them untimed; *ret_usec is the time of one. */
static int gather_transfer(struct gather *gather, bool packed, uint64_t iterations,
			   double *ret_usec)
{
	const struct message order = order_of(gather, packed, iterations);
	const bool sends = gather->operation == POST_SEND;
	struct side *near = &gather->trial->near;
	struct message_ran ran;

	if (sends ? ping_pong(gather, &order, &ran)
		  : trial_order(near, gather, &order.gather, &ran) || check_ran(near, &ran))
		return -EIO;
	*ret_usec = (double)ran.elapsed_nsec / (double)ran.iterations / (sends ? 2000 : 1000);
	return 0;
}

/* From small blocks to large ones; the last layout has more blocks than fit one work request. */
static const struct layout usual_layouts[] = {
	{64, 16, 256},
	{256, 16, 1024},
	{2048, 16, 8192},
	{512, 64, 2048},
};

static uint64_t chain_of(const struct layout *layout, uint32_t sges)
{
	return (layout->blocks + sges - 1) / sges;
}

static int check_once(struct gather *gather, bool packed)
{
	double usec;

	return gather_prepare(gather) || gather_transfer(gather, packed, 1, &usec) ||
	       gather_check(gather);
}

static uint64_t iterations_for(double usec)
{
	double wanted = ROUND_NSEC / 1000.0 / (usec > 0.001 ? usec : 0.001);

	if (wanted < ROUND_LEAST_ITERATIONS)
		return ROUND_LEAST_ITERATIONS;
	return wanted < ROUND_MOST_ITERATIONS ? (uint64_t)wanted : ROUND_MOST_ITERATIONS;
}

/* Alternates gathered and packed rounds, so that disturbances affect both. */
static int measure_both(struct gather *gather, uint64_t iterations, struct real least[static 2])
{
	for (int packed = 0; packed < 2; packed++) {
		double usec;

		if (gather_transfer(gather, packed, iterations, &usec))
			return -EIO;
		if (!least[packed].known || usec < least[packed].value)
			least[packed] = real_of(usec);
	}
	return 0;
}

static void keep_figures(struct gather *gather, const struct real least[static 2],
			 uint64_t iterations)
{
	struct selftest_result *row = gather->trial->result;

	row->transfer_usec = least[0];
	row->packed_usec = least[1];
	number_set(&row->iterations, iterations);
}

/*
 * The first few transfers determine how many make a round. If they are slow already (a software
 * device that waits for TCP's delayed acknowledgements), they are all there is.
 */
static int measure(struct gather *gather)
{
	struct real first[2] = {{0}}, least[2] = {{0}};
	uint64_t begin = clock_nsec();
	uint32_t rounds = 0;
	uint64_t iterations;

	if (gather_prepare(gather) || measure_both(gather, ROUND_LEAST_ITERATIONS, first))
		return -EIO;
	iterations = iterations_for((first[0].value + first[1].value) / 2);
	for (; rounds < ROUNDS && clock_nsec() < begin + MEASURE_MSEC * 1000000ull; rounds++)
		if (measure_both(gather, iterations, least))
			return -EIO;
	if (gather_check(gather))
		return -EIO;
	if (rounds)
		keep_figures(gather, least, rounds * timed(iterations));
	else
		keep_figures(gather, first, ROUND_LEAST_ITERATIONS);
	return 0;
}

static int run_layout(struct gather *gather)
{
	struct trial *trial = gather->trial;
	uint64_t chain = chain_of(&gather->layout, gather->sges);
	int rc = trial_buffers(trial, gather->all);

	number_set(&trial->result->size_bytes, gather->bytes);
	if (rc || check_once(gather, false) || check_once(gather, true) || measure(gather))
		return -EIO;
	if (chain > 1 && gather->sges > 1)
		trial_remark(trial, "as %llu work requests of up to %u blocks",
			     (unsigned long long)chain, gather->sges);
	else if (chain > 1)
		trial_remark(trial, "as %llu work requests: the device takes one block in each",
			     (unsigned long long)chain);
	return 0;
}

/* The layouts that the user asked for: every size with every count. Returns 0 if there are none. */
static size_t asked_layouts(const struct selftest_request *request, struct layout *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < request->block_bytes_count; i++)
		for (size_t j = 0; j < request->block_count_count; j++)
			ret[count++] = (struct layout){
				.block_bytes = request->block_bytes[i],
				.blocks = request->block_count[j],
				.stride = request->stride
						  ? request->stride
						  : DEFAULT_SPREAD * request->block_bytes[i],
			};
	return count;
}

/* Returns false after skipping the row, with the reason. */
static bool is_possible(struct trial *trial, const struct layout *layout, uint32_t sges)
{
	const uint32_t depth = trial_most_depth(trial);

	if (layout->stride < layout->block_bytes) {
		trial_skip(trial, "blocks of %llu bytes every %llu overlap",
			   (unsigned long long)layout->block_bytes,
			   (unsigned long long)layout->stride);
		return false;
	}
	/* Sizes and counts are at most 2^28, the default stride 2^30, so nothing overflows. */
	if (!trial_is_granted(trial, 1,
			      2 * layout->blocks * (layout->stride + layout->block_bytes)))
		return false;
	if (chain_of(layout, sges) > depth) {
		trial_skip(trial,
			   "%llu blocks need %llu work requests, the devices take %u (max_qp_wr)",
			   (unsigned long long)layout->blocks,
			   (unsigned long long)chain_of(layout, sges), depth);
		return false;
	}
	return true;
}

/* The most that both devices, and the exchange, accept. */
static uint32_t most_sges(const struct trial *trial)
{
	return at_most(at_most(trial->near.can.max_sges, trial->far.can.max_sges), LIMIT_SGES);
}

static void name_row(struct trial *trial, const struct layout *layout, size_t index)
{
	_cleanup_(freep) char *summary = mem_format("%s: %llu of %llu bytes every %llu",
						    trial->test->summary,
						    (unsigned long long)layout->blocks,
						    (unsigned long long)layout->block_bytes,
						    (unsigned long long)layout->stride);

	if (index) {
		trial_next_row(trial, trial->test->id, summary);
	} else {
		free(trial->result->summary);
		trial->result->summary = mem_string(summary);
	}
	number_set(&trial->result->block_bytes, layout->block_bytes);
	number_set(&trial->result->block_count, layout->blocks);
}

static int connect_pair(struct gather *gather, const struct layout *layouts, size_t count)
{
	const struct message_opened *near = &gather->trial->near.can;
	const struct message_opened *far = &gather->trial->far.can;
	struct qp_shape shape = {
		.sges = most_sges(gather->trial),
		.unsignaled = true,
		/* A device without scattered reads needs a chain of reads: let them overlap. */
		.max_rd_atomic = at_most(at_most(near->max_rd_atomic, far->max_rd_atomic),
					 MOST_READS),
	};
	uint64_t most = 1;

	for (size_t i = 0; i < count; i++)
		if (chain_of(&layouts[i], gather->sges) > most)
			most = chain_of(&layouts[i], gather->sges);
	/* Layouts that need a longer chain are skipped. */
	shape.send_depth = shape.receive_depth = at_most((uint32_t)most,
							 trial_most_depth(gather->trial));
	return trial_connect(gather->trial, &shape, NULL);
}

static void gather(struct trial *trial)
{
	struct gather gather = {
		.trial = trial,
		.operation = (uint32_t)trial->test->value,
		.sges = most_sges(trial),
	};
	const int most_read = trial->near.agent->limits.max_sge_rd;
	struct layout asked[SELFTEST_MOST_BLOCKS * SELFTEST_MOST_BLOCKS];
	size_t count = asked_layouts(trial->request, asked);
	const struct layout *layouts = count ? asked : usual_layouts;
	bool connected = false;
	int rc = 0;

	if (gather.operation == POST_READ && most_read > 0)
		gather.sges = at_most(gather.sges, (uint32_t)most_read);
	if (!count)
		count = ARRAY_SIZE(usual_layouts);
	for (size_t i = 0; i < count && !rc; i++) {
		uint64_t begin = clock_nsec();

		name_row(trial, &layouts[i], i);
		if (!is_possible(trial, &layouts[i], gather.sges))
			continue;
		set_layout(&gather, &layouts[i]);
		rc = (!connected && connect_pair(&gather, layouts, count)) || run_layout(&gather);
		connected = true;
		trial->result->duration_msec = real_of((double)(clock_nsec() - begin) / 1e6);
	}
}

const struct trial_test gather_tests[] = {
	{"gather-write", SELFTEST_GATHER, "blocks gathered and written to one range",
	 TEST_NEEDS_PROCESSOR, gather, POST_WRITE},
	{"gather-read", SELFTEST_GATHER, "one range read and scattered to blocks",
	 TEST_NEEDS_PROCESSOR, gather, POST_READ},
	{"gather-send", SELFTEST_GATHER, "blocks gathered, sent and scattered to blocks",
	 TEST_NEEDS_PROCESSOR, gather, POST_SEND},
	{0},
};
