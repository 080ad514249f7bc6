/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways of a measurement: see tests_measure.h. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "selftest/tests/tests_measure.h"

/* Why a transport cannot be measured at all. */
static const char *const missing[] = {
	[SELFTEST_BY_SRD] = "SRD is not measured: only the driver's own verbs make such queue "
			    "pairs (efadv_create_qp_ex); EFA also has --transport ud",
	[SELFTEST_BY_DC] = "DC is not measured: only the driver's own verbs make such queue pairs "
			   "(mlx5dv_create_qp); mlx5 also has rc, uc, ud and xrc",
};

/* Returns what the operation or the network lacks for the transport, or NULL. */
static const char *lacks(const struct trial *trial, const struct plan *plan)
{
	const uint32_t operation = plan->order.run.operation;

	if (plan->transport > SELFTEST_BY_XRC)
		return missing[plan->transport];
	if (plan->transport == SELFTEST_BY_UC && operation > RUN_WRITE)
		return "an unreliable connection (UC) has no RDMA reads and no atomics";
	if (plan->transport == SELFTEST_BY_UD && operation != RUN_SEND)
		return "datagrams (UD) are sends: there is no RDMA write, read or atomic";
	if (trial_is_iwarp(trial) && plan->transport == SELFTEST_BY_UC)
		return "iWARP has no unreliable connections (UC)";
	if (trial_is_iwarp(trial) && plan->transport == SELFTEST_BY_UD)
		return "iWARP has no datagrams (UD)";
	if (trial_is_iwarp(trial) && plan->transport == SELFTEST_BY_XRC)
		return "iWARP has no extended reliable connections (XRC)";
	if (trial_is_iwarp(trial) && plan->in)
		return "on iWARP the side that connects sends first (RFC 5044, 7.1.2)";
	if (plan->latency && operation == RUN_WRITE && !plan->order.run.bytes)
		return "a write without data cannot be noticed";
	if (plan->latency && operation == RUN_WRITE && plan->way.events)
		return "RDMA writes arrive without an event";
	return NULL;
}

bool ways_fit(struct trial *trial, const struct plan *plan)
{
	const char *lack = lacks(trial, plan);
	const uint32_t mtu = trial_mtu(trial);

	if (lack)
		trial_skip(trial, "%s", lack);
	else if (plan->transport == SELFTEST_BY_UD && plan->order.run.bytes > mtu)
		trial_skip(trial, "a datagram holds at most the path MTU, %u bytes", mtu);
	else
		return true;
	return false;
}

int ways_tell(struct trial *trial, const struct plan *plan)
{
	const struct message_way *way = &plan->way;

	if (!way->both && !way->events && !way->relaxed)
		return 0;
	return trial_order(&trial->near, way, way) || trial_order(&trial->far, way, way);
}

int ways_aim(struct trial *trial, uint32_t slot, const struct qp_numbers *numbers)
{
	const struct message_target aim = {.slot = slot, .qpn = numbers->far, .qkey = TRIAL_QKEY};
	const struct message_target far_aim = {
		.slot = slot, .qpn = numbers->near, .qkey = TRIAL_QKEY};

	return trial_order(&trial->near, target, &aim) ||
	       trial_order(&trial->far, target, &far_aim);
}

int ways_report(struct trial *trial, struct plan *plan, bool far_too)
{
	const struct message_none none = {};
	/* A report that nobody needs is not requested. */
	const bool wanted = far_too && (trial->request->ways.cpu || plan->way.both ||
					!plan_is_reliable(plan) || trial->request->queue_pairs);
	int rc = trial_order(&trial->near, report, &none, &plan->near_report);

	if (rc || !wanted)
		return rc;
	rc = trial_order(&trial->far, report, &none, &plan->far_report);
	plan->far_reported = !rc;
	return rc;
}

static struct real cpu_percent(const struct message_reported *report)
{
	if (!report->wall_nsec)
		return (struct real){.known = false};
	return real_of(100.0 * (double)report->cpu_nsec / (double)report->wall_nsec);
}

static uint64_t lost(const struct plan *plan, bool out)
{
	const struct message_reported *report = out ? &plan->far_report : &plan->near_report;
	uint64_t sent = plan->order.run.warmup + plan_ran(plan, out)->iterations;

	return sent > report->received ? sent - report->received : 0;
}

static void note_losses(struct trial *trial, const struct plan *plan)
{
	uint64_t count = plan->near_report.lost;

	if (plan->order.run.operation != RUN_SEND && !plan->latency) {
		trial_remark(trial, "nothing counts the writes that arrive: this is what was sent");
		return;
	}
	/* Only the receiver knows what arrived; a ping without a pong is known here. */
	if (!plan->latency && !plan->far_reported)
		return;
	if (!plan->latency)
		count = (plan->out ? lost(plan, true) : 0) + (plan->in ? lost(plan, false) : 0);
	trial->result->lost_messages = number_of(count);
	if (count)
		trial_remark(trial, "%llu messages were lost", (unsigned long long)count);
}

static void note_memory(struct selftest_result *row, const struct plan *plan)
{
	row->memory_bytes = number_unless_zero(plan->near_report.peak_bytes);
	row->peer_memory_bytes = number_unless_zero(plan->far_report.peak_bytes);
}

void ways_note(struct trial *trial, const struct plan *plan)
{
	struct selftest_result *row = trial->result;

	note_memory(row, plan);
	if (trial->request->ways.cpu)
		row->cpu_percent = cpu_percent(&plan->near_report);
	if (plan->far_reported && trial->request->ways.cpu)
		row->peer_cpu_percent = cpu_percent(&plan->far_report);
	if (!plan_is_reliable(plan))
		note_losses(trial, plan);
}

/* Time for the last packets, which may still be on their way. */
#define UNDER_WAY_MSEC 100

/*
 * Nothing counts writes, but their memory was zero, and no byte of a pattern is (pattern.c).
 * Returns false if all of them were lost, or if that could not be checked and the row has its
 * verdict.
 */
static bool has_written(struct trial *trial, bool out, const struct span *span)
{
	const struct timespec pause = {.tv_nsec = UNDER_WAY_MSEC * 1000000};
	const struct message_fill zero = {.span = *span, .constant = 1};
	struct side *side = out ? &trial->far : &trial->near;
	struct message_checked checked = {.equal = 1};

	for (int i = 0; i < 2 && checked.equal; i++) {
		if (i)
			nanosleep(&pause, NULL);
		if (trial_order(side, check, &zero, &checked))
			return false;
	}
	return !checked.equal;
}

bool ways_arrived(struct trial *trial, const struct plan *plan, bool out, const struct span *span)
{
	const struct message_reported *report = out ? &plan->far_report : &plan->near_report;
	const bool sends = plan->order.run.operation == RUN_SEND;

	if (plan_is_reliable(plan) || (sends ? report->received : has_written(trial, out, span)))
		/* Packets lost from the last write leave only a part of it to check. */
		return plan_is_reliable(plan) || sends;
	trial_fail(trial, "rdmactl selftest --test ud,uc shows which of them arrive",
		   "%llu messages were sent, but none arrived",
		   (unsigned long long)plan_ran(plan, out)->iterations);
	return false;
}

struct total {
	uint64_t iterations, lost;
	double sent_gbits, received_gbits, messages, msec;
	double cpu_msec, peer_cpu_msec;
	bool loses;
	bool misses_cpu, misses_peer_cpu; /* unknown for an interval, and so for the total */
	struct real rate_gbps;
	struct sampler sampler;
	struct moments all; /* latencies, including those that an interval did not sample */
};

/* The amount that a rate per second adds up to over a time. */
static double amount(const struct real *rate, double msec)
{
	return rate->known ? rate->value * msec / 1e3 : 0;
}

/* Adds the row of an interval; its latencies are those of the last run. */
static void add_interval(const struct trial *trial, struct total *total)
{
	const struct selftest_result *row = trial->result;
	const struct agent_samples *samples = &trial->near.agent->samples;
	const double msec = row->duration_msec.value;

	total->iterations += row->iterations.value;
	total->lost += row->lost_messages.value;
	total->loses = total->loses || row->lost_messages.known;
	total->msec += msec;
	total->rate_gbps = row->rate_gbps;
	total->sent_gbits += amount(&row->sent_gbps, msec);
	total->received_gbits += amount(&row->received_gbps, msec);
	total->messages += amount(&row->messages_per_second, msec);
	total->cpu_msec += amount(&row->cpu_percent, msec);
	total->peer_cpu_msec += amount(&row->peer_cpu_percent, msec);
	total->misses_cpu = total->misses_cpu || !row->cpu_percent.known;
	total->misses_peer_cpu = total->misses_peer_cpu || !row->peer_cpu_percent.known;
	if (!row->latency_p50_usec.known)
		return;
	for (size_t i = 0; i < samples->count; i++)
		sampler_add(&total->sampler, samples->nsec[i]);
	moments_merge(&total->all, &samples->all);
}

static struct real rate_of(double amount, double msec)
{
	return real_of(amount / msec * 1e3);
}

/*
 * Begins the row for all intervals; it replaces the row of an interval that a signal cut short,
 * which is not counted.
 */
static void begin_summary(struct trial *trial, bool interrupted)
{
	const struct selftest_link link = trial->result->link;

	if (!interrupted) {
		trial_next_row(trial, trial->test->id, trial->test->summary);
		return;
	}
	selftest_results_drop_last(trial->results);
	trial_add_row(trial, trial->test->group, trial->test->id, trial->test->summary);
	trial->result->link = link;
}

static void summarize(struct trial *trial, const struct plan *plan, struct total *total)
{
	struct selftest_result *row;

	plan_describe(trial, plan);
	row = trial->result;
	note_memory(row, plan);
	row->iterations = number_of(total->iterations);
	row->duration_msec = real_of(total->msec);
	row->rate_gbps = total->rate_gbps;
	if (total->loses)
		row->lost_messages = number_of(total->lost);
	if (plan->out && !plan->latency)
		row->sent_gbps = rate_of(total->sent_gbits, total->msec);
	if (plan->in)
		row->received_gbps = rate_of(total->received_gbits, total->msec);
	if (!plan->latency) {
		row->bandwidth_gbps = rate_of(total->sent_gbits + total->received_gbits,
					      total->msec);
		row->messages_per_second = rate_of(total->messages, total->msec);
	}
	if (!total->misses_cpu)
		row->cpu_percent = rate_of(total->cpu_msec, total->msec);
	if (!total->misses_peer_cpu)
		row->peer_cpu_percent = rate_of(total->peer_cpu_msec, total->msec);
	sampler_end(&total->sampler);
	if (total->sampler.count)
		selftest_result_set_latency(row, total->sampler.nsec, total->sampler.count,
					    &total->all);
	measure_compare(trial, plan);
}

/*
 * Prepares another run on the same queue pairs: clears what the last one left in memory, and
 * replaces the receive that each queue pair consumed at its end.
 */
static int rewind_run(struct trial *trial, const struct plan *plan)
{
	const struct message_run *run = &plan->order.run;
	const struct run_layout *layout = &plan->layout;
	const uint64_t begin = run->operation == RUN_ATOMIC ? 0 : run->qps * layout->stride;
	const struct span span = trial_span(begin, layout->bytes - begin);

	if (trial_fill_constant(&trial->near, span, 0) || trial_fill_constant(&trial->far, span, 0))
		return -EIO;
	return measure_post_receives(trial, plan, plan_is_reliable(plan) ? 1 : 0);
}

/* Whether the user ended the measurement, or its time is up. */
static bool is_over(struct trial *trial, uint64_t begin_nsec)
{
	const uint64_t most = trial->request->duration_msec;

	return watch_look(&trial->near.agent->watch) == STOP_INTERRUPTED ||
	       (most != SELFTEST_FOREVER && (clock_nsec() - begin_nsec) / 1000000 >= most);
}

/* Each interval is a run: a server limits the time of one run only, and its counts are exact. */
void ways_measure_intervals(struct trial *trial, struct plan *plan)
{
	const uint64_t begin_nsec = clock_nsec();
	struct total total = {0};
	bool good, interrupted;
	uint64_t interval = 1;

	if (plan->latency)
		sampler_begin(&total.sampler, 0);
	for (;; interval++) {
		trial->result->interval = number_of(interval);
		good = (interval == 1 || !rewind_run(trial, plan)) && measure_once(trial, plan);
		if (good)
			add_interval(trial, &total);
		if (!good || is_over(trial, begin_nsec))
			break;
		trial_next_row(trial, trial->test->id, trial->test->summary);
		plan_describe(trial, plan);
		/* Everything is warm except, after the pause, the first message of each run. */
		if (plan->latency)
			plan->order.run.warmup = 1;
	}
	interrupted = !good && trial->near.agent->watch.interrupted;
	if (total.msec > 0 && (good || interrupted)) {
		begin_summary(trial, interrupted);
		summarize(trial, plan, &total);
	}
	free(total.sampler.nsec);
}
