/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layouts that are not contiguous: what the device gathers and scatters is checked byte by byte,
 * gaps included, and timed beside the same transfer packed and unpacked by the CPU. The timed loops
 * run within the agents (MESSAGE_GATHER), so no order between the sides is in the figures.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "selftest/tests/tests_gather.h"

#define MOST_READS 16u /* outstanding; what servers of any device grant */

#define DEFAULT_BLOCK_BYTES 256u
#define DEFAULT_BLOCKS	    16u
#define DEFAULT_SPREAD	    4u /* the stride, in blocks */

/* Of the means of so many rounds the smallest one counts: the least disturbed. */
#define ROUNDS		 3u
#define ROUND_NSEC	 8000000u
#define MOST_MSEC	 60 /* no further round begins later */
#define LEAST_ITERATIONS 4u
#define MOST_ITERATIONS	 1000u

/* Small blocks to large ones; the last layout has more of them than a work request takes. */
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
	int rc = gather_prepare(gather);

	if (!rc)
		rc = gather_transfer(gather, packed, 1, &usec);
	return rc ? rc : gather_check(gather);
}

static uint64_t iterations_for(double usec)
{
	double wanted = ROUND_NSEC / 1000.0 / (usec > 0.001 ? usec : 0.001);

	if (wanted < LEAST_ITERATIONS)
		return LEAST_ITERATIONS;
	return wanted < MOST_ITERATIONS ? (uint64_t)wanted : MOST_ITERATIONS;
}

static void keep_least(struct real *least, double usec)
{
	if (!least->known || usec < least->value)
		*least = (struct real){.value = usec, .known = true};
}

/* Both ways in turn, so that what changes meanwhile hits both. */
static int measure_both(struct gather *gather, uint64_t iterations, struct real least[static 2])
{
	int rc = 0;

	for (int packed = 0; packed < 2 && !rc; packed++) {
		double usec = 0;

		rc = gather_transfer(gather, packed, iterations, &usec);
		if (!rc)
			keep_least(&least[packed], usec);
	}
	return rc;
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
 * A few first, that tell how many make a round. Where they are slow already (a software device that
 * waits for the delayed acknowledgement of TCP) they have to do.
 */
static int measure(struct gather *gather)
{
	struct real first[2] = {{0}}, least[2] = {{0}};
	uint64_t begin = clock_nsec();
	uint64_t iterations, counted;
	uint32_t rounds = 0;
	int rc = gather_prepare(gather);

	if (!rc)
		rc = measure_both(gather, LEAST_ITERATIONS, first);
	if (rc)
		return rc;
	iterations = iterations_for((first[0].value + first[1].value) / 2);
	counted = gather_timed(iterations);
	for (; rounds < ROUNDS && !rc && clock_nsec() < begin + MOST_MSEC * 1000000ull; rounds++)
		rc = measure_both(gather, iterations, least);
	if (!rc)
		rc = gather_check(gather);
	if (!rc && rounds)
		keep_figures(gather, least, rounds * counted);
	else if (!rc)
		keep_figures(gather, first, LEAST_ITERATIONS);
	return rc;
}

static int run_layout(struct gather *gather)
{
	struct trial *trial = gather->trial;
	uint64_t chain = chain_of(&gather->layout, gather->sges);
	int rc = trial_buffers(trial, gather->all, &gather->far);

	number_set(&trial->result->size_bytes, gather->bytes);
	if (!rc)
		rc = check_once(gather, false);
	if (!rc)
		rc = check_once(gather, true);
	if (!rc)
		rc = measure(gather);
	if (!rc && chain > 1 && gather->sges > 1)
		trial_remark(trial, "as %llu work requests of up to %u blocks",
			     (unsigned long long)chain, gather->sges);
	else if (!rc && chain > 1)
		trial_remark(trial, "as %llu work requests: the device takes one block in each",
			     (unsigned long long)chain);
	return rc;
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* The layout that the user asked for. False: none. */
static bool asked_layout(const struct selftest_request *request, struct layout *ret)
{
	if (!request->block_bytes && !request->block_count && !request->stride)
		return false;
	*ret = (struct layout){
		.block_bytes = request->block_bytes ? request->block_bytes : DEFAULT_BLOCK_BYTES,
		.blocks = request->block_count ? request->block_count : DEFAULT_BLOCKS,
		.stride = request->stride,
	};
	if (!ret->stride)
		ret->stride = DEFAULT_SPREAD * ret->block_bytes;
	return true;
}

/* False: the row is skipped, with the reason. */
static bool is_possible(struct trial *trial, const struct layout *layout, uint32_t sges)
{
	uint32_t depth = at_most(at_most(trial->near_can.max_depth, trial->far_can.max_depth),
				 LIMIT_DEPTH);

	if (layout->stride < layout->block_bytes) {
		trial_skip(trial, "blocks of %llu bytes every %llu overlap",
			   (unsigned long long)layout->block_bytes,
			   (unsigned long long)layout->stride);
		return false;
	}
	/* Sizes and counts end at 2^28, the usual stride is 2^30 then: nothing overflows. */
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

static uint32_t block_limit(const struct trial *trial, uint32_t operation)
{
	uint32_t sges = at_most(at_most(trial->near_can.max_sges, trial->far_can.max_sges),
				LIMIT_SGES);
	int read = trial->near.agent->limits.max_sge_rd;

	return operation == POST_READ && read > 0 ? at_most(sges, (uint32_t)read) : sges;
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
		return;
	}
	free(trial->result->summary);
	trial->result->summary = mem_string(summary);
}

static int connect_pair(struct gather *gather, const struct layout *layouts, size_t count)
{
	struct pair_shape shape = {.sges = at_most(at_most(gather->trial->near_can.max_sges,
							   gather->trial->far_can.max_sges),
						   LIMIT_SGES),
				   .unsignaled = true};
	uint32_t reads = at_most(gather->trial->near_can.max_reads,
				 gather->trial->far_can.max_reads);
	uint64_t most = 1;

	/* The chain of reads that a device without scattered reads needs shall not go one by one.
	 */
	shape.reads = at_most(reads, MOST_READS);
	for (size_t i = 0; i < count; i++)
		if (chain_of(&layouts[i], gather->sges) > most)
			most = chain_of(&layouts[i], gather->sges);
	shape.send_depth = shape.receive_depth = at_most((uint32_t)most, LIMIT_DEPTH);
	return trial_connect(gather->trial, 0, &shape, NULL);
}

static void gather(struct trial *trial)
{
	struct gather gather = {
		.trial = trial,
		.operation = (uint32_t)trial->test->value,
		.sges = block_limit(trial, (uint32_t)trial->test->value),
	};
	const struct layout *layouts = usual_layouts;
	size_t count = ARRAY_SIZE(usual_layouts);
	struct layout asked;
	int rc;

	if (asked_layout(trial->request, &asked)) {
		layouts = &asked;
		count = 1;
		name_row(trial, layouts, 0);
		if (!is_possible(trial, layouts, gather.sges))
			return;
	}
	rc = connect_pair(&gather, layouts, count);
	for (size_t i = 0; i < count && !rc; i++) {
		uint64_t begin = clock_nsec();

		name_row(trial, &layouts[i], i);
		gather_set_layout(&gather, &layouts[i]);
		rc = run_layout(&gather);
		trial->result->duration_msec = (struct real){(double)(clock_nsec() - begin) / 1e6,
							     true};
	}
}

const struct trial_test gather_tests[] = {
	{"gather-write", SELFTEST_GATHER, "blocks gathered and written to one range", 0, gather,
	 POST_WRITE},
	{"gather-read", SELFTEST_GATHER, "one range read and scattered to blocks", 0, gather,
	 POST_READ},
	{"gather-send", SELFTEST_GATHER, "blocks gathered, sent and scattered to blocks", 0, gather,
	 POST_SEND},
	{.id = NULL},
};
