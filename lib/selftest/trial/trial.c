/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/trial.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"

bool trial_is_iwarp(const struct trial *trial)
{
	return trial->near_can.far.transport == TRANSPORT_IWARP;
}

uint32_t trial_mtu(const struct trial *trial)
{
	uint32_t near = trial->near_can.far.mtu_bytes, far = trial->far_can.far.mtu_bytes;
	uint32_t mtu = near && near < far ? near : far;

	if (!mtu)
		mtu = near ? near : 1024;
	if (trial->request->mtu_bytes && trial->request->mtu_bytes < mtu)
		mtu = trial->request->mtu_bytes;
	return mtu;
}

const struct message_opened *trial_can(const struct trial *trial, const struct side *side)
{
	return side == &trial->near ? &trial->near_can : &trial->far_can;
}

void trial_name_peer(const struct trial *trial, struct selftest_result *row)
{
	if (trial->request->peer)
		selftest_result_set_peer(row, &trial->far_can.far);
}

static void fill_row(const struct trial *trial, struct selftest_result *row)
{
	const char *peer = trial->request->peer;

	selftest_result_set_local(row, &trial->near_can.far);
	row->connection = number_of(trial->by_cm ? CONNECTION_CM : CONNECTION_EXCHANGE);
	row->peer = peer ? text_clean(peer, strlen(peer)) : NULL;
	trial_name_peer(trial, row);
}

struct selftest_result *trial_add_row(struct trial *trial, enum selftest_group group,
				      const char *id, const char *summary)
{
	const struct selftest_request *request = trial->request;
	struct selftest_result *row;

	if (request->progress)
		request->progress(request->progress_context, id);
	row = selftest_results_add(trial->results);
	fill_row(trial, row);
	number_set(&row->group, group);
	number_set(&row->verdict, SELFTEST_PASS);
	row->test = mem_string(id);
	row->summary = mem_string(summary);
	trial->result = row;
	trial->marked = false;
	trial->row_begin_nsec = clock_nsec();
	return row;
}

/* How long the row took, unless the test measured it itself. */
static void finish_row(struct trial *trial)
{
	struct real *duration = &trial->result->duration_msec;

	if (!duration->known)
		duration->value = (double)(clock_nsec() - trial->row_begin_nsec) / 1e6;
	duration->known = true;
}

void trial_next_row(struct trial *trial, const char *id, const char *summary)
{
	finish_row(trial);
	trial_add_row(trial, trial->test->group, id, summary);
}

static void mark(struct trial *trial, enum selftest_verdict verdict, const char *hint,
		 const char *format, va_list values)
{
	_cleanup_(freep) char *text = NULL;

	if (trial->marked || vasprintf(&text, format, values) < 0)
		return;
	trial->marked = true;
	number_set(&trial->result->verdict, verdict);
	free(trial->result->reason);
	trial->result->reason = text_clean(text, strlen(text));
	if (hint)
		trial->result->next_step = mem_string(hint);
}

void trial_fail(struct trial *trial, const char *hint, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	mark(trial, SELFTEST_FAIL, hint, format, values);
	va_end(values);
}

void trial_skip(struct trial *trial, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	mark(trial, SELFTEST_SKIP, NULL, format, values);
	va_end(values);
}

void trial_remark(struct trial *trial, const char *format, ...)
{
	va_list values;
	char *text = NULL;

	va_start(values, format);
	if (!trial->marked && vasprintf(&text, format, values) >= 0) {
		free(trial->result->reason);
		trial->result->reason = text;
	}
	va_end(values);
}

static const struct {
	enum trial_needs need;
	const char *reason;
} iwarp_lacks[] = {
	{TEST_NEEDS_UC, "iWARP has no unreliable connections (UC)"},
	{TEST_NEEDS_UD, "iWARP has no datagrams (UD)"},
	{TEST_NEEDS_IMMEDIATE, "iWARP has no immediate data"},
	{TEST_NEEDS_OWN_CONNECT, "only rdma_cm can connect an iWARP queue pair"},
};

/* The capability that a test needs and a device lacks, in words, or NULL. */
static const char *lacks(const struct trial *trial, unsigned int needs)
{
	const struct message_opened *near = &trial->near_can, *far = &trial->far_can;

	for (size_t i = 0; trial_is_iwarp(trial) && i < ARRAY_SIZE(iwarp_lacks); i++)
		if (needs & iwarp_lacks[i].need)
			return iwarp_lacks[i].reason;
	if (needs & TEST_NEEDS_ATOMICS && !(near->atomics && far->atomics))
		return near->atomics ? "the peer's device has no atomic operations (atomic_cap)"
				     : "the device has no atomic operations (atomic_cap)";
	if (needs & TEST_NEEDS_SRQ && !(near->srq && far->srq))
		return "the device has no shared receive queues (max_srq)";
	if (needs & TEST_NEEDS_MULTICAST && !(near->multicast && far->multicast))
		return "the device has no multicast groups (max_mcast_grp)";
	return NULL;
}

static bool is_wanted(const struct trial *trial, const struct trial_test *test)
{
	const struct selftest_request *request = trial->request;
	const char *group = enum_word(selftest_group_names, test->group, "");
	bool measures = test->group == SELFTEST_LATENCY || test->group == SELFTEST_BANDWIDTH;

	/* The value of a measurement is its enum run_operation. */
	if (measures && request->operations && !(request->operations & 1u << test->value))
		return false;
	for (size_t i = 0; i < request->test_count; i++)
		if (!strcmp(request->tests[i], test->id) || !strcmp(request->tests[i], group))
			return true;
	if (request->test_count)
		return false;
	if (!request->latency && !request->bandwidth)
		return true;
	return measures &&
	       (test->group == SELFTEST_LATENCY ? request->latency : request->bandwidth);
}

static void release(struct trial *trial, struct side *side)
{
	if (!side->stop)
		side_reset(side);
	if (!trial->stop)
		trial->stop = side->stop;
}

static void run_test(struct trial *trial, const struct trial_test *test)
{
	const char *lack = lacks(trial, test->needs);

	trial->test = test;
	trial->number++;
	trial_add_row(trial, test->group, test->id, test->summary);
	if (lack) {
		trial_skip(trial, "%s", lack);
		return;
	}
	/* Each of them would wait for its timeouts to find out the same. */
	if (trial->blocked) {
		trial_skip(trial, "nothing gets through: see %s", trial->blocked);
		return;
	}
	test->run(trial);
	finish_row(trial);
	release(trial, &trial->near);
	release(trial, &trial->far);
}

void trial_run_table(struct trial *trial, const struct trial_test *tests)
{
	for (const struct trial_test *test = tests; test->id && !trial->stop; test++) {
		if (!is_wanted(trial, test))
			continue;
		if (watch_look(&trial->near.agent->watch) == STOP_INTERRUPTED) {
			trial->stop = STOP_INTERRUPTED;
			break;
		}
		run_test(trial, test);
	}
}
