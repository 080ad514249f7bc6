/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Latency and bandwidth: one row for each operation and size. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "selftest/tests/tests_measure.h"

/* A server's run also needs time to begin and to end. */
#define NEAR_GRACE_MSEC 60000u

enum { NEAR_PATTERN = 1, FAR_PATTERN = 2 };

static int connect_qps(struct trial *trial, struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const struct qp_shape shape = {
		.kind = plan->transport,
		.send_depth = plan_sends(plan),
		.receive_depth = plan->receives,
		.inline_bytes = run->inline_bytes,
		.entries = plan_entries(plan),
		.queues = plan->queues,
		.unsignaled = true,
		.channel = plan->way.events,
		.max_rd_atomic = at_most(trial->near.can.max_rd_atomic,
					 trial->far.can.max_rd_atomic),
	};
	_cleanup_(freep) struct qp_numbers *numbers = mem_alloc_zero(run->qps, sizeof(*numbers));
	int rc = trial_connect_all(trial, run->qps, &shape, numbers);

	if (rc || plan->transport != SELFTEST_BY_UD)
		return rc;
	side_batch_begin(&trial->far);
	for (uint32_t slot = 0; slot < run->qps && !rc; slot++)
		rc = ways_aim(trial, slot, &numbers[slot]);
	return trial_explain(&trial->far, side_batch_end(&trial->far)) || rc;
}

static int post_receives(struct side *side, const struct plan *plan, uint32_t count)
{
	const struct message_run *run = &plan->order.run;
	const struct run_layout *layout = &plan->layout;
	int rc = 0;

	side_batch_begin(side);
	for (uint32_t slot = 0; slot < run->qps && !rc; slot++) {
		const struct message_receive receive = {
			.slot = slot,
			.count = count,
			.id = run_receive_id(slot),
			.span = trial_span(layout->receive - layout->header + slot * layout->stride,
					   layout->header + run_receive_bytes(run->bytes)),
		};

		rc = trial_receive(side, &receive);
	}
	return trial_explain(side, side_batch_end(side)) || rc;
}

int measure_post_receives(struct trial *trial, const struct plan *plan, uint32_t count)
{
	if (plan->order.run.operation != RUN_SEND || !count)
		return 0;
	return (plan->out && post_receives(&trial->far, plan, count)) ||
	       ((plan->in || plan->latency) && post_receives(&trial->near, plan, count));
}

/* The data that all queue pairs send or, at the offset of the receive area, receive. */
static struct span data_span(const struct plan *plan, uint64_t offset)
{
	const struct message_run *run = &plan->order.run;
	uint64_t bytes = run->bytes;

	/* The last byte of a ping is its stamp, not data. */
	if (run->mode == RUN_LATENCY && run->operation == RUN_WRITE)
		bytes--;
	return (struct span){.buffer = TRIAL_DATA,
			     .blocks = run->qps,
			     .offset = offset,
			     .block_bytes = bytes,
			     .stride = plan->layout.stride};
}

/*
 * The last fetch-and-add of each queue pair returned the number of those before it. If the far side
 * did the adding, the sums are in the near side's memory. Together they must equal the number of
 * operations in the run, warm-up included.
 */
static int check_sums(struct trial *trial, const struct plan *plan, bool out)
{
	const struct message_run *run = &plan->order.run;
	const uint8_t *bytes = trial->near.agent->buffers[TRIAL_DATA].bytes +
			       (out ? plan->layout.receive : 0);
	uint64_t expected = run->warmup + plan_ran(plan, out)->iterations, got = 0, last;

	for (uint32_t i = 0; i < run->qps; i++) {
		memcpy(&last, bytes + i * plan->layout.stride, sizeof(last));
		got += last + out;
	}
	if (got == expected)
		return 0;
	return trial_fail(
		trial, "check the firmware versions of both devices: rdmactl devices shows them",
		"%llu fetch-and-adds were done, but the last of them returned as if it were %llu",
		(unsigned long long)expected, (unsigned long long)got);
}

/*
 * Checks that the other side received as many messages as were sent, and the sender's data at the
 * receiver; for reads, data flows the other way.
 */
static int check_flow(struct trial *trial, const struct plan *plan, bool out)
{
	const struct message_run *run = &plan->order.run;
	struct span span = data_span(plan, plan->layout.receive);
	const bool to_far = out == (run->operation != RUN_READ);
	uint64_t sent = run->warmup + plan_ran(plan, out)->iterations;
	uint64_t taken = plan->way.both ? (out ? &plan->far_report : &plan->near_report)->received
					: plan_ran(plan, !out)->iterations;

	if (run->operation == RUN_ATOMIC)
		return check_sums(trial, plan, out);
	if (run->operation == RUN_SEND && plan_is_reliable(plan) && sent != taken)
		return trial_fail(trial, NULL, "%llu messages were sent, but %llu arrived",
				  (unsigned long long)sent, (unsigned long long)taken);
	if (!span.block_bytes || (!plan->latency && !ways_arrived(trial, plan, out, &span)))
		return 0;
	/* With many queue pairs, some on an unreliable transport may have lost everything. */
	if (!plan_is_reliable(plan))
		span.blocks = 1;
	return trial_check(to_far ? &trial->far : &trial->near, span,
			   to_far ? NEAR_PATTERN : FAR_PATTERN);
}

static int check(struct trial *trial, const struct plan *plan)
{
	const struct span pongs = data_span(plan, plan->layout.receive);
	const bool ponged = plan->latency && plan->order.run.operation <= RUN_WRITE;

	return (ponged && pongs.block_bytes && trial_check(&trial->near, pongs, FAR_PATTERN)) ||
	       (plan->out && check_flow(trial, plan, true)) ||
	       (plan->in && check_flow(trial, plan, false));
}

static int set_up(struct trial *trial, struct plan *plan)
{
	const struct span data = data_span(plan, 0);
	/* Sums start at 0. */
	const bool filled = plan->order.run.operation != RUN_ATOMIC && data.block_bytes;

	return ways_tell(trial, plan) || trial_buffers(trial, plan->layout.bytes) ||
	       connect_qps(trial, plan) ||
	       (filled && (trial_fill(&trial->near, data, NEAR_PATTERN) ||
			   trial_fill(&trial->far, data, FAR_PATTERN))) ||
	       measure_post_receives(trial, plan, plan->receives);
}

static bool went_well(int rc, const struct message_ran *ran)
{
	return !rc && !ran->status && !ran->stop;
}

/* How long the far side may go on after the near side is done: no server grants more. */
static uint32_t far_msec(const struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const uint64_t msec = run->duration_msec + RUN_STILL_MSEC + plan_beside_msec(run);
	const uint32_t most = trial->request->peer ? LIMIT_MSEC : INT_MAX;

	if (!plan->in)
		return 0;
	return run->duration_msec && msec < most ? (uint32_t)msec : most;
}

/*
 * Longest time for which the near side receives from a peer, or sends; 0 if there is no limit. A
 * server ends its run after the time it grants, so a well-behaved one is never cut short.
 */
static uint64_t near_msec(const struct trial *trial, const struct plan *plan)
{
	const uint64_t run_msec = trial->granted.run_msec;
	const uint64_t granted = run_msec < LIMIT_MSEC ? run_msec : LIMIT_MSEC;

	if (plan->out && plan->order.run.iterations)
		return granted;
	if (!plan->in || !trial->request->peer)
		return 0;
	return (far_msec(trial, plan) > granted ? far_msec(trial, plan) : granted) +
	       NEAR_GRACE_MSEC;
}

/* Runs the near side's part. If it is the passive side, a reply of the far side ends it. */
static int run_near(struct trial *trial, struct plan *plan)
{
	struct watch *watch = &trial->near.agent->watch;
	const bool patient = watch->patient;
	int rc;

	watch->patient = plan->out;
	watch->most_msec = near_msec(trial, plan);
	rc = side_run(&trial->near, &plan->order.run, &plan->near_ran);
	watch->most_msec = 0;
	watch->patient = patient;
	return rc;
}

/*
 * Runs both sides and returns how the far side's part ended. If the near side failed, the far one
 * may wait for something that never comes, and the passive side of an unreliable transport cannot
 * know the end: in both cases any further order ends its run.
 */
static int run_both(struct trial *trial, struct plan *plan)
{
	const struct message query = {.type = MESSAGE_QUERY};
	struct message far = plan->order, reply;
	const uint64_t begin_msec = clock_msec();
	bool speak;
	int rc;

	/* An earlier run of this plan says nothing about this one. */
	plan->far_reply = (struct message){0};
	plan->near_report = plan->far_report = (struct message_reported){0};
	plan->far_reported = false;
	plan->order.run.remote_address = trial->far.memory.address;
	plan->order.run.rkey = trial->far.memory.rkey;
	far.run.active = plan->in;
	far.run.remote_address = trial->near.memory.address;
	far.run.rkey = trial->near.memory.rkey;
	plan->near_rc = -ECANCELED;
	rc = side_start(&trial->far, &far, &plan->far_reply);
	if (rc)
		return rc;
	plan->near_rc = run_near(trial, plan);
	speak = !went_well(plan->near_rc, &plan->near_ran) ||
		(!plan->in && !plan_is_reliable(plan));
	if (speak)
		rc = side_start(&trial->far, &query, &reply);
	if (!rc)
		rc = side_finish(&trial->far, &far, speak ? 0 : far_msec(trial, plan),
				 &plan->far_reply);
	/* A refusal has no result. */
	if (rc)
		plan->far_reply = (struct message){0};
	if (speak && !trial->far.stop)
		side_finish(&trial->far, &query, 0, &reply);
	plan->took_msec = clock_msec() - begin_msec;
	return rc;
}

/* A flushed request or a timeout is a consequence; another status is its cause. */
static bool is_cause(const struct message_ran *ran)
{
	return ran->status && ran->status != IBV_WC_WR_FLUSH_ERR;
}

static void explain(struct trial *trial, const struct plan *plan, int far_rc)
{
	const struct message_ran *near = &plan->near_ran, *far = &plan->far_reply.ran;
	const bool near_late = !plan->near_rc && near->stop == STOP_TIMED_OUT;
	const bool late = near_late || (!far_rc && far->stop == STOP_TIMED_OUT);
	const struct message_run *run = &plan->order.run;
	const uint64_t granted_msec = run->iterations ? trial->granted.run_msec : 0;
	const uint64_t most_msec = near_msec(trial, plan);

	if (late && granted_msec && plan->took_msec >= granted_msec)
		trial_fail_longer(trial, run->iterations - run->warmup);
	else if (near_late && most_msec && plan->took_msec >= most_msec)
		trial_fail(trial, "restart the server there",
			   "the server's part of the measurement did not end in time");
	else if (plan->near_rc && plan->near_rc != -ECANCELED)
		trial_explain(&trial->near, plan->near_rc);
	else if (is_cause(near) || (near->status && !far_rc && !is_cause(far)))
		trial_explain_ran(&trial->near, near);
	else if (far_rc)
		trial_explain(&trial->far, far_rc);
	else if (far->status)
		trial_explain_ran(&trial->far, far);
	else
		trial_explain_end(near->stop ? &trial->near : &trial->far,
				  near->stop ? near->stop : far->stop, RUN_STILL_MSEC);
}

/* Whether messages may be lost on their way to a side that counts those that arrive. */
static bool loses_sends(const struct plan *plan)
{
	return !plan_is_reliable(plan) && plan->order.run.operation == RUN_SEND;
}

/*
 * The share of the messages that arrived; 1 if nobody counts them. After a run that was cut short,
 * some may have arrived whose completions were not awaited.
 */
static double arrived(const struct plan *plan, bool out)
{
	const struct message_reported *report = out ? &plan->far_report : &plan->near_report;
	uint64_t sent = plan->order.run.warmup + plan_ran(plan, out)->iterations;

	return loses_sends(plan) && report->received < sent
		       ? (double)report->received / (double)sent
		       : 1;
}

static void note_direction(struct trial *trial, const struct plan *plan, bool out,
			   struct real *gbps)
{
	const struct message_ran *ran = plan_ran(plan, out);
	struct selftest_result *row = trial->result;
	double nsec = (double)ran->elapsed_nsec, messages;

	if (!ran->iterations || !ran->elapsed_nsec)
		return;
	/* A run that was cut short: what was sent is known, what arrived is not. */
	if (out && loses_sends(plan) && !plan->far_reported)
		return;
	messages = (double)ran->iterations * arrived(plan, out);
	/* Bits per nanosecond are gigabits per second. */
	*gbps = real_of((double)plan->order.run.bytes * 8 * messages / nsec);
	row->bandwidth_gbps = real_of(row->bandwidth_gbps.value + gbps->value);
	row->messages_per_second = real_of(row->messages_per_second.value + messages * 1e9 / nsec);
}

/* Notes the figures of the run that both sides just finished, even if it was cut short. */
static void note_figures(struct trial *trial, const struct plan *plan)
{
	const struct selftest_ways *ways = &trial->request->ways;
	struct agent_samples *samples = &trial->near.agent->samples;
	const struct message_ran *ran = plan_ran(plan, plan->out);
	uint64_t near = trial->near.can.far.rate_mbps, far = trial->far.can.far.rate_mbps;
	struct selftest_result *row = trial->result;

	row->iterations = number_of((plan->out ? plan->near_ran.iterations : 0) +
				    (plan->in ? plan->far_reply.ran.iterations : 0));
	row->duration_msec = real_of((double)ran->elapsed_nsec / 1e6);
	ways_note(trial, plan);
	if (plan->latency && samples->count) {
		if (ways->samples)
			ways->samples(ways->samples_context, row, samples->nsec, samples->count);
		selftest_result_set_latency(row, samples->nsec, samples->count, &samples->all);
	}
	if (!plan->latency && near && far)
		row->rate_gbps = real_of((double)(near < far ? near : far) / 1e3);
	if (!plan->latency && plan->out)
		note_direction(trial, plan, true, &row->sent_gbps);
	if (plan->in)
		note_direction(trial, plan, false, &row->received_gbps);
}

static const char slow_hint[] = "look for other load on both hosts and on the path between them, "
				"then check the rate and MTU of both ports (rdmactl ports), their "
				"PCIe links (lspci -vv) and NUMA nodes; --all-sizes shows more";

void measure_compare(struct trial *trial, const struct plan *plan)
{
	const struct selftest_request *request = trial->request;
	const struct message_run *run = &plan->order.run;
	const struct selftest_result *row = trial->result;
	double usec = row->latency_p50_usec.value, gbps = row->bandwidth_gbps.value;
	double mops = row->messages_per_second.value / 1e6;

	if (request->expect_usec > 0 && row->latency_p50_usec.known && usec > request->expect_usec)
		trial_fail(trial, slow_hint,
			   "the median latency is %.2f us, expected at most %.2f us", usec,
			   request->expect_usec);
	/* Atomics always have a small bandwidth. */
	if (request->expect_gbps > 0 && row->bandwidth_gbps.known && run->bytes &&
	    run->operation != RUN_ATOMIC && gbps < request->expect_gbps)
		trial_fail(trial, slow_hint,
			   "the bandwidth is %.2f Gb/s, expected at least %.2f Gb/s", gbps,
			   request->expect_gbps);
	if (request->expect_mops > 0 && row->messages_per_second.known &&
	    mops < request->expect_mops)
		trial_fail(trial, slow_hint,
			   "%.3f million messages a second, expected at least %.3f million", mops,
			   request->expect_mops);
}

bool measure_once(struct trial *trial, struct plan *plan)
{
	const struct selftest_request *request = trial->request;
	bool good = false;
	int rc;

	/* This may wait until other measurements are ready, too. */
	if (request->gate)
		request->gate(request->gate_context);
	rc = run_both(trial, plan);
	if (!plan->near_rc && ways_report(trial, plan, !rc))
		return false;
	if (!plan->near_rc)
		note_figures(trial, plan);
	if (!went_well(plan->near_rc, &plan->near_ran) || !went_well(rc, &plan->far_reply.ran))
		explain(trial, plan, rc);
	else /* A run that the user interrupted may not have got past its warm-up. */
		good = trial->near.agent->watch.interrupted || !check(trial, plan);
	if (good)
		measure_compare(trial, plan);
	return good;
}

static void measure_row(struct trial *trial, uint64_t bytes)
{
	/* An extended reliable connection needs two queue pairs of the device on each side. */
	const uint32_t pairs = trial->request->ways.transport == SELFTEST_BY_XRC ? 2 : 1;
	struct plan plan;

	plan_make(trial, bytes, &plan);
	plan_describe(trial, &plan);
	if (!trial_is_granted(trial, pairs * plan.order.run.qps, plan.layout.bytes) ||
	    !ways_fit(trial, &plan))
		return;
	plan_inline(trial, &plan);
	if (plan.inline_missing) {
		trial_skip(trial,
			   trial->hidden ? "the processor cannot copy %u bytes inline from memory "
					   "that it cannot reach"
					 : "a device cannot send %u bytes inline",
			   plan.order.run.inline_bytes);
		return;
	}
	plan_describe(trial, &plan);
	if (set_up(trial, &plan))
		return;
	if (trial->request->ways.every_msec)
		ways_measure_intervals(trial, &plan);
	else
		measure_once(trial, &plan);
}

static void measure_sizes(struct trial *trial)
{
	const uint64_t *sizes;
	size_t count = plan_sizes(trial, &sizes);

	for (size_t i = 0; i < count; i++) {
		if (i) {
			trial_release(trial);
			if (trial->stop)
				return;
			trial_next_row(trial, trial->test->id, trial->test->summary);
		}
		measure_row(trial, sizes[i]);
	}
}

/* The value of each test is its operation, enum run_operation. */
const struct trial_test measure_tests[] = {
	{"latency-send", SELFTEST_LATENCY, "half a round trip of send and receive", 0,
	 measure_sizes, RUN_SEND},
	{"latency-write", SELFTEST_LATENCY, "half a round trip of RDMA writes",
	 TEST_NEEDS_PROCESSOR, measure_sizes, RUN_WRITE},
	{"latency-read", SELFTEST_LATENCY, "an RDMA read", 0, measure_sizes, RUN_READ},
	{"latency-atomic", SELFTEST_LATENCY, "a fetch-and-add",
	 TEST_NEEDS_ATOMICS | TEST_NEEDS_PROCESSOR, measure_sizes, RUN_ATOMIC},
	{"bandwidth-send", SELFTEST_BANDWIDTH, "sends, as many as the queue pairs hold",
	 TEST_NEEDS_PROCESSOR, measure_sizes, RUN_SEND},
	{"bandwidth-write", SELFTEST_BANDWIDTH, "RDMA writes, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_WRITE},
	{"bandwidth-read", SELFTEST_BANDWIDTH, "RDMA reads, as many as the queue pairs hold", 0,
	 measure_sizes, RUN_READ},
	{"bandwidth-atomic", SELFTEST_BANDWIDTH, "fetch-and-adds, as many as the queue pairs hold",
	 TEST_NEEDS_ATOMICS | TEST_NEEDS_PROCESSOR, measure_sizes, RUN_ATOMIC},
	{0},
};
