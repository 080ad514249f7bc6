/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/measure_figures.h"

#include "selftest/trial/statistics.h"

static struct real real_of(double value)
{
	return (struct real){.value = value, .known = true};
}

static void note_latency(struct trial *trial)
{
	struct agent_samples *samples = &trial->near.agent->samples;
	struct selftest_result *row = trial->result;
	struct statistics statistics;
	struct histogram histogram;

	if (!samples->count)
		return;
	statistics_compute(samples->nsec, samples->count, &statistics);
	row->latency_min_usec = real_of(statistics.min_usec);
	row->latency_p50_usec = real_of(statistics.p50_usec);
	row->latency_p90_usec = real_of(statistics.p90_usec);
	row->latency_p99_usec = real_of(statistics.p99_usec);
	row->latency_p999_usec = real_of(statistics.p999_usec);
	row->latency_max_usec = real_of(statistics.max_usec);
	row->latency_mean_usec = real_of(statistics.mean_usec);
	row->latency_stddev_usec = real_of(statistics.stddev_usec);
	histogram_compute(samples->nsec, samples->count, &histogram);
	for (size_t i = 0; i < histogram.count; i++) {
		struct selftest_bucket *bucket = selftest_result_add_bucket(row);

		bucket->least_usec = real_of((double)histogram.items[i].least_nsec / 1e3);
		bucket->below_usec = real_of((double)histogram.items[i].below_nsec / 1e3);
		bucket->count = number_of(histogram.items[i].count);
	}
}

static void note_bandwidth(struct trial *trial, const struct message_run *run,
			   const struct message_ran *ran)
{
	uint64_t near = trial->near_can.far.rate_mbps, far = trial->far_can.far.rate_mbps;
	struct selftest_result *row = trial->result;
	double nsec = (double)ran->elapsed_nsec;

	if (near && far)
		row->rate_gbps = real_of((double)(near < far ? near : far) / 1e3);
	if (!ran->iterations || !ran->elapsed_nsec)
		return;
	/* Bits in a nanosecond are gigabits in a second. */
	row->bandwidth_gbps = real_of((double)run->bytes * 8 * (double)ran->iterations / nsec);
	row->messages_per_second = real_of((double)ran->iterations * 1e9 / nsec);
}

void figures_note(struct trial *trial, const struct message_run *run, const struct message_ran *ran)
{
	trial->result->iterations = number_of(ran->iterations);
	trial->result->duration_msec = real_of((double)ran->elapsed_nsec / 1e6);
	if (run->mode == RUN_LATENCY)
		note_latency(trial);
	else
		note_bandwidth(trial, run, ran);
}

static const char slow_hint[] =
	"look for other load on both hosts and on the way, at rate and MTU of both ports (rdmactl "
	"ports), their PCIe links (lspci -vv) and NUMA nodes; --all-sizes shows more";

void figures_compare(struct trial *trial, const struct message_run *run)
{
	const struct selftest_request *request = trial->request;
	const struct selftest_result *row = trial->result;
	double usec = row->latency_p50_usec.value, gbps = row->bandwidth_gbps.value;

	if (request->expect_usec > 0 && row->latency_p50_usec.known && usec > request->expect_usec)
		trial_fail(trial, slow_hint,
			   "the median latency is %.2f us, expected at most %.2f us", usec,
			   request->expect_usec);
	/* Of atomics it is always small. */
	if (request->expect_gbps > 0 && row->bandwidth_gbps.known && run->bytes &&
	    run->operation != RUN_ATOMIC && gbps < request->expect_gbps)
		trial_fail(trial, slow_hint,
			   "the bandwidth is %.2f Gb/s, expected at least %.2f Gb/s", gbps,
			   request->expect_gbps);
}
