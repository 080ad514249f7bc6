/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measures each rail alone, then all together: the rows and their verdicts. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "selftest/rails/rails.h"

#define RAIL_BYTES (UINT64_C(64) << 10)
/* If the MTU allows it. */
#define USUAL_DATAGRAM UINT64_C(1024)
#define ATOMIC_BYTES   UINT64_C(8)
#define RAIL_MSEC      1000u
/* Limit on slow rails that are tested in pairs: ten pairs. */
#define MOST_SLOW 5

/* Indexed by enum run_operation, like the bits of enum selftest_operation. */
static const struct {
	const char *test; /* for one port */
	const char *name, *sum;
} operations[RUN_OPERATIONS] = {
	[RUN_SEND] = {"bandwidth-send", "rails-send", "rails-send-sum"},
	[RUN_WRITE] = {"bandwidth-write", "rails-write", "rails-write-sum"},
	[RUN_READ] = {"bandwidth-read", "rails-read", "rails-read-sum"},
	[RUN_ATOMIC] = {"bandwidth-atomic", "rails-atomic", "rails-atomic-sum"},
};

struct measure {
	const struct selftest_request *request; /* for one port, with a single test and size */
	const char *name, *sum;
	struct rail *rails;
	size_t count;
	struct rail_report *alone, *together;
};

static struct real gbps_of(const struct rail_report *report)
{
	return report->done ? real_of(report->gbps) : (struct real){.known = false};
}

static void show(const struct measure *measure, const char *what)
{
	const struct selftest_request *request = measure->request;

	if (request->progress)
		request->progress(request->progress_context, what);
}

static int run_alone(struct measure *measure)
{
	int rc = 0;

	for (size_t i = 0; i < measure->count && !rc; i++) {
		const struct rail *rail = &measure->rails[i];
		_cleanup_(freep) char *name = text_clean(rail->near.device,
							 strlen(rail->near.device));
		_cleanup_(freep) char *what = mem_format("%s, %s alone", measure->name, name);

		show(measure, what);
		rc = rails_process(measure->request, &rail, 1, &measure->alone[i]);
		measure->rails[i].alone_gbps = gbps_of(&measure->alone[i]);
	}
	return rc;
}

/* Measures together the rails that carried data alone. */
static int run_together(struct measure *measure)
{
	_cleanup_(freep)
		const struct rail **rails = mem_alloc_zero(measure->count + 1, sizeof(*rails));
	_cleanup_(freep) struct rail_report *reports = mem_alloc_zero(measure->count + 1,
								      sizeof(*reports));
	_cleanup_(freep) char *what = mem_format("%s, all together", measure->name);
	size_t count = 0, taken = 0;
	int rc;

	for (size_t i = 0; i < measure->count; i++) {
		measure->rails[i].together_gbps = (struct real){.known = false};
		if (measure->alone[i].done)
			rails[count++] = &measure->rails[i];
	}
	show(measure, what);
	rc = rails_process(measure->request, rails, count, reports);
	for (size_t i = 0; i < measure->count; i++) {
		if (!measure->alone[i].done)
			continue;
		measure->together[i] = reports[taken++];
		measure->rails[i].together_gbps = gbps_of(&measure->together[i]);
	}
	return rc;
}

/*
 * Measures a pair of rails at once. A rail that is slow in it remembers the other if that is the
 * worst so far.
 */
static int run_pair(const struct measure *measure, struct rail *one, struct rail *other)
{
	struct rail *const both[] = {one, other};
	const struct rail *const rails[] = {one, other};
	struct rail_report reports[2];
	int rc = rails_process(measure->request, rails, 2, reports);

	for (int i = 0; i < 2 && !rc; i++) {
		struct rail *rail = both[i];

		if (!reports[i].done || reports[i].gbps >= RAIL_SLOW * rail->alone_gbps.value ||
		    (rail->beside && reports[i].gbps >= rail->beside_gbps.value))
			continue;
		rail->beside = both[!i];
		rail->beside_gbps = real_of(reports[i].gbps);
	}
	return rc;
}

/* If a few of many rails are slow, finds out beside which others. */
static int run_pairs(struct measure *measure)
{
	struct rail *slow[MOST_SLOW];
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < measure->count; i++) {
		struct rail *rail = &measure->rails[i];

		rail->beside = NULL;
		rail->beside_gbps = (struct real){.known = false};
		if (rail->software || !rail_is_slow(rail))
			continue;
		if (count == MOST_SLOW)
			return 0;
		slow[count++] = rail;
	}
	for (size_t i = 0; i < count && measure->count > 2; i++)
		for (size_t j = i + 1; j < count && !rc; j++) {
			show(measure, "pairs of slow rails");
			rc = run_pair(measure, slow[i], slow[j]);
		}
	return rc;
}

static struct selftest_result *add_row(const struct measure *measure,
				       struct selftest_results *results, const char *test,
				       const char *summary)
{
	const struct selftest_request *request = measure->request;
	struct selftest_result *row = selftest_results_add(results);

	number_set(&row->group, SELFTEST_RAILS);
	number_set(&row->verdict, SELFTEST_PASS);
	number_set(&row->size_bytes, request->sizes[0]);
	number_set(&row->queue_pairs, request->queue_pairs ? request->queue_pairs : 1);
	number_set(&row->connection, request->by_cm ? CONNECTION_CM : CONNECTION_EXCHANGE);
	row->duration_msec = real_of((double)request->duration_msec);
	row->duration_msec.known = !request->iterations;
	row->peer = text_clean(request->peer, strlen(request->peer));
	row->test = mem_string(test);
	row->summary = mem_string(summary);
	return row;
}

static void fail_row(struct selftest_result *row, char *reason, const char *hint)
{
	_cleanup_(freep) char *text = reason;

	number_set(&row->verdict, SELFTEST_FAIL);
	row->reason = text_clean(text, strlen(text));
	row->next_step = selftest_clean(hint, strlen(hint));
}

/* Explains why a process has no figure. What cannot be measured is not a failure. */
static void fail_as(struct selftest_result *row, const struct rail_report *report, const char *when)
{
	fail_row(row, mem_format("%s: %s", when, report->reason[0] ? report->reason : "no figure"),
		 report->next_step);
	if (report->skipped)
		number_set(&row->verdict, SELFTEST_SKIP);
}

/*
 * Returns a remark if a process runs anywhere, because no processors are known near its device or
 * it may not use them. NULL: both sides are pinned.
 */
static char *say_unpinned(const struct rail *rail, const struct rail_report *report)
{
	_cleanup_(freep) char *near = text_clean(rail->near.device, strlen(rail->near.device));
	_cleanup_(freep) char *far = text_clean(rail->far.device, strlen(rail->far.device));
	const bool here = !report->cpus[0], there = !report->far_cpus[0];

	if (!here && !there)
		return NULL;
	return mem_format("not pinned: no processors near %s%s%s%s are known, or a process may not "
			  "use them",
			  here ? near : "", here && there ? " and " : "",
			  there ? "the peer's " : "", there ? far : "");
}

static void judge_row(const struct measure *measure, size_t index, struct selftest_result *row)
{
	const struct rail *rail = &measure->rails[index];
	const double wanted = measure->request->expect_gbps;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;

	if (!measure->alone[index].done) {
		fail_as(row, &measure->alone[index], "alone");
	} else if (!measure->together[index].done) {
		fail_as(row, &measure->together[index], "together");
	} else if (wanted > 0 && rail->together_gbps.value < wanted) {
		fail_row(row,
			 mem_format("the bandwidth together is %.2f Gb/s, expected at least %.2f "
				    "Gb/s",
				    rail->together_gbps.value, wanted),
			 "rdmactl topo, on both hosts, shows which adapters share a link");
	} else if (rails_judge(measure->rails, measure->count, index, &reason, &hint)) {
		row->reason = mem_string(reason);
		/* Sharing the processors is not a fault of the rails. */
		if (!rail->software)
			number_set(&row->verdict, SELFTEST_FAIL);
		if (!rail->software)
			row->next_step = mem_string(hint);
	} else {
		row->reason = say_unpinned(rail, &measure->alone[index]);
	}
}

static void add_rail(const struct measure *measure, size_t index, struct selftest_results *results)
{
	const struct rail *rail = &measure->rails[index];
	const struct rail_report *report = &measure->alone[index];
	const uint64_t near = rail->near.rate_mbps, far = rail->far.rate_mbps;
	struct selftest_result *row = add_row(measure, results, measure->name,
					      "the port alone, and together with all others");

	selftest_result_set_local(row, &rail->near);
	selftest_result_set_peer(row, &rail->far);
	number_set(&row->counterpart, rail->match);
	if (near && far)
		row->rate_gbps = real_of((double)(near < far ? near : far) / 1e3);
	row->alone_gbps = rail->alone_gbps;
	row->together_gbps = rail->together_gbps;
	row->link.traffic_class = rail->path.traffic_class;
	row->cpus = selftest_clean(report->cpus, sizeof(report->cpus));
	row->peer_cpus = selftest_clean(report->far_cpus, sizeof(report->far_cpus));
	judge_row(measure, index, row);
}

static void add_real(struct real *sum, const struct real *part)
{
	if (part->known)
		*sum = real_of(sum->value + part->value);
}

static void add_sum(const struct measure *measure, struct selftest_results *results)
{
	struct selftest_result *row = add_row(measure, results, measure->sum,
					      "the sum of all rails");
	size_t carried = 0, skipped = 0;

	for (size_t i = 0; i < measure->count; i++) {
		add_real(&row->alone_gbps, &measure->rails[i].alone_gbps);
		add_real(&row->together_gbps, &measure->rails[i].together_gbps);
		carried += measure->rails[i].together_gbps.known;
		skipped += measure->alone[i].skipped || measure->together[i].skipped;
	}
	row->reason = mem_format("%zu of %zu rails together", carried, measure->count);
	if (carried + skipped < measure->count) {
		number_set(&row->verdict, SELFTEST_FAIL);
		row->next_step = mem_string("the rows of the rails that carried nothing say why");
	} else if (!carried) {
		number_set(&row->verdict, SELFTEST_SKIP);
	}
}

static int run_measure(struct measure *measure, struct selftest_results *results)
{
	int rc;

	measure->alone = mem_alloc_zero(measure->count, sizeof(*measure->alone));
	measure->together = mem_alloc_zero(measure->count, sizeof(*measure->together));
	rc = run_alone(measure) ?: run_together(measure) ?: run_pairs(measure);
	for (size_t i = 0; i < measure->count && !rc; i++)
		add_rail(measure, i, results);
	if (!rc)
		add_sum(measure, results);
	free(measure->alone);
	free(measure->together);
	return rc;
}

static void lower(uint64_t *bytes, uint32_t most)
{
	if (most && most < *bytes)
		*bytes = most;
}

/* Returns the default message size: a datagram must fit into a packet of any rail. */
static uint64_t usual_bytes(const struct selftest_request *request, const struct rail *rails,
			    size_t count)
{
	uint64_t bytes = USUAL_DATAGRAM;

	if (request->ways.transport != SELFTEST_BY_UD)
		return RAIL_BYTES;
	lower(&bytes, request->mtu_bytes);
	for (size_t i = 0; i < count; i++) {
		lower(&bytes, rails[i].near.mtu_bytes);
		lower(&bytes, rails[i].far.mtu_bytes);
	}
	return bytes;
}

int rails_run(const struct selftest_request *request, struct rail *rails, size_t count,
	      struct selftest_results *results)
{
	const unsigned int wanted = request->operations ? request->operations : SELFTEST_WRITE;
	const size_t sizes = request->size_count ? request->size_count : 1;
	const uint64_t usual = usual_bytes(request, rails, count);
	struct selftest_request own = *request;
	const char *test;
	int rc = 0;

	own.latency = own.bandwidth = false;
	own.tests = &test;
	own.test_count = 1;
	own.size_count = 1;
	for (size_t i = 0; i < count; i++)
		rails[i].both_ways = request->ways.direction == DIRECTION_BOTH;
	if (!own.iterations && !own.duration_msec)
		own.duration_msec = RAIL_MSEC;
	for (uint32_t op = 0; op < RUN_OPERATIONS; op++)
		for (size_t i = 0; i < sizes && !rc && wanted & 1u << op; i++) {
			const bool atomic = op == RUN_ATOMIC;
			struct measure measure = {
				.request = &own,
				.name = operations[op].name,
				.sum = operations[op].sum,
				.rails = rails,
				.count = count,
			};

			test = operations[op].test;
			own.sizes[0] = atomic		     ? ATOMIC_BYTES
				       : request->size_count ? request->sizes[i]
							     : usual;
			/* As with one port: these always have a low bandwidth. */
			own.expect_gbps = atomic || !own.sizes[0] ? 0 : request->expect_gbps;
			rc = run_measure(&measure, results);
			/* Atomics have a single size. */
			if (atomic)
				break;
		}
	return rc;
}
