/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/trial.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"

bool trial_is_iwarp(const struct trial *trial)
{
	return trial->near.can.far.transport == TRANSPORT_IWARP;
}

void trial_name_peer(const struct trial *trial, struct selftest_result *row)
{
	if (trial->request->peer)
		selftest_result_set_peer(row, &trial->far.can.far);
}

static void fill_row(const struct trial *trial, struct selftest_result *row)
{
	const struct selftest_path *path = &trial->request->path;
	const char *peer = trial->request->peer;

	selftest_result_set_local(row, &trial->near.can.far);
	row->connection = number_of(trial->by_cm ? CONNECTION_CM : CONNECTION_EXCHANGE);
	row->link = (struct selftest_link){
		.traffic_class = path->traffic_class,
		.flow_label = path->flow_label,
		.hop_limit = path->hop_limit,
		.sl = path->sl,
		.pkey = path->pkey,
	};
	row->cpus = selftest_clean(trial->near.pinned.cpus, sizeof(trial->near.pinned.cpus));
	row->peer_cpus = selftest_clean(trial->far.pinned.cpus, sizeof(trial->far.pinned.cpus));
	row->memory = selftest_memory_text(&trial->request->memory);
	row->peer_memory = selftest_memory_text(&trial->request->peer_memory);
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
	trial->id = id;
	trial->marked = false;
	trial->row_begin_nsec = clock_nsec();
	return row;
}

/* Records the time that the row took, unless the test measured it itself. */
static void finish_row(struct trial *trial)
{
	const uint64_t nsec = clock_nsec() - trial->row_begin_nsec;

	if (!trial->result->duration_msec.known)
		trial->result->duration_msec = real_of((double)nsec / 1e6);
}

void trial_next_row(struct trial *trial, const char *id, const char *summary)
{
	/* The row may be printed and freed when the next one begins. */
	const struct selftest_link link = trial->result->link;

	finish_row(trial);
	trial_add_row(trial, trial->test->group, id, summary);
	/* The queue pair attributes hold for every row in which the queue pairs are used. */
	if (trial->near.agent->qps[0].qp)
		trial->result->link = link;
}

__attribute__((format(printf, 4, 0))) static void mark(struct trial *trial,
						       enum selftest_verdict verdict,
						       const char *hint, const char *format,
						       va_list values)
{
	_cleanup_(freep) char *text = NULL;

	if (trial->marked)
		return;
	text = mem_format_list(format, values);
	trial->marked = true;
	number_set(&trial->result->verdict, verdict);
	free(trial->result->reason);
	trial->result->reason = text_clean(text, strlen(text));
	if (hint)
		trial->result->next_step = mem_string(hint);
}

int trial_fail(struct trial *trial, const char *hint, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	mark(trial, SELFTEST_FAIL, hint, format, values);
	va_end(values);
	return -EBADE;
}

void trial_fail_as(struct trial *trial, struct diagnosis *diagnosis)
{
	trial_fail(trial, diagnosis->hint, "%s", diagnosis->sentence);
	diagnosis_clear(diagnosis);
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
	char **reason = &trial->result->reason;
	_cleanup_(freep) char *text = NULL;
	va_list values;

	va_start(values, format);
	text = mem_format_list(format, values);
	va_end(values);
	if (!trial->marked && !(*reason && strstr(*reason, text)))
		mem_extend(reason, *reason ? "; %s" : "%s", text);
}

static const struct {
	enum trial_needs need;
	const char *reason;
} iwarp_lacks[] = {
	{TEST_NEEDS_UC, "iWARP has no unreliable connections (UC)"},
	{TEST_NEEDS_UD, "iWARP has no datagrams (UD)"},
	{TEST_NEEDS_IMMEDIATE, "iWARP has no immediate data"},
};

/* Returns the needed capability that a device lacks, in words, or NULL. */
static const char *lacks(const struct trial *trial, unsigned int needs)
{
	const struct message_opened *near = &trial->near.can, *far = &trial->far.can;

	for (size_t i = 0; trial_is_iwarp(trial) && i < ARRAY_SIZE(iwarp_lacks); i++)
		if (needs & iwarp_lacks[i].need)
			return iwarp_lacks[i].reason;
	if (needs & TEST_NEEDS_ATOMICS && !(near->atomics && far->atomics))
		return near->atomics ? "the peer's device has no atomic operations (atomic_cap)"
				     : "the device has no atomic operations (atomic_cap)";
	if (needs & TEST_NEEDS_SRQ && !(near->srq && far->srq))
		return near->srq ? "the peer's device has no shared receive queues (max_srq)"
				 : "the device has no shared receive queues (max_srq)";
	if (needs & TEST_NEEDS_PROCESSOR && trial->hidden)
		return "the processor must access the memory during the test, but cannot";
	if (needs & TEST_NEEDS_MULTICAST && !(near->multicast && far->multicast))
		return near->multicast ? "the peer's device has no multicast groups (max_mcast_grp)"
				       : "the device has no multicast groups (max_mcast_grp)";
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
	if (request->connections)
		return test->group == SELFTEST_CONNECT;
	for (size_t i = 0; i < request->test_count; i++)
		if (!strcmp(request->tests[i], test->id) || !strcmp(request->tests[i], group))
			return true;
	if (request->test_count)
		return false;
	/* Hundreds of connections are only made on request. */
	if (!request->latency && !request->bandwidth)
		return test->group != SELFTEST_CONNECT;
	return measures &&
	       (test->group == SELFTEST_LATENCY ? request->latency : request->bandwidth);
}

void trial_note_stop(struct trial *trial)
{
	if (!trial->stop)
		trial->stop = trial->near.stop ? trial->near.stop : trial->far.stop;
}

void trial_release(struct trial *trial)
{
	side_release(&trial->near, &(struct message_none){});
	side_release(&trial->far, &(struct message_none){});
	trial_note_stop(trial);
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
	/* Each test would wait for its timeouts only to find the same fault. */
	if (trial->blocked) {
		trial_skip(trial, "%s: see %s",
			   trial->unproven ? "the server runs no tests with an unproven port"
					   : "nothing gets through",
			   trial->blocked);
		return;
	}
	test->run(trial);
	finish_row(trial);
	trial_release(trial);
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
