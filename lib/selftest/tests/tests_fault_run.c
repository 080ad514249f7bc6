/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/diagnosis/completion_status.h"
#include "selftest/tests/tests_fault.h"
#include "selftest/tests/tests_rc.h"

/* Bits that make a key one of no memory: drivers count up from small ones. */
#define KEY_BITS 0x5a5a5a00u
/* What memory holds before, which a fault must not change: the target, and what is sent. */
#define TARGET_BYTE 0xa5
#define SOURCE_BYTE 0x3c
#define OLD_BUFFER  1u /* slot */

/*
 * Few and short: a peer that is gone is given up after 3 * 4.096 us * 2^12 to four times of it
 * (IBTA 1, 9.7.6.1.3). librdmacm has its own time-out, of seconds: then one suffices.
 */
#define TIMEOUT	    12
#define RETRIES	    2
#define RNR_RETRIES 1

void fault_remark(struct committed *it, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	char *longer;
	va_list values;

	va_start(values, format);
	if (vasprintf(&text, format, values) < 0)
		text = NULL;
	va_end(values);
	if (!text || (*it->remark && strstr(*it->remark, text)))
		return;
	longer = *it->remark ? mem_format("%s; %s", *it->remark, text) : mem_string(text);
	free(*it->remark);
	*it->remark = longer;
}

int fault_fail_status(struct committed *it, const char *where, uint32_t got, uint32_t expected)
{
	if (!it->trial->marked && !it->trial->result->status)
		it->trial->result->status = mem_string(completion_status_name(got));
	trial_fail(it->trial, got ? NULL : FAULT_HINT, "%s completed with '%s', not with '%s'",
		   where, completion_status_name(got), completion_status_name(expected));
	return -EBADE;
}

const struct work_completion *fault_seen(const struct committed *it, const struct side *side,
					 uint64_t id)
{
	int which = side == &it->trial->far;

	for (size_t i = 0; i < it->seen_count[which]; i++)
		if (it->seen[which][i].id == id)
			return &it->seen[which][i];
	return NULL;
}

/* Waits for the completion with this id; others that come before are kept. */
int fault_await(struct committed *it, struct side *side, uint64_t id,
		const struct work_completion **ret)
{
	int which = side == &it->trial->far;
	struct message_waited waited;

	while (!(*ret = fault_seen(it, side, id))) {
		int rc;

		if (it->seen_count[which] == ARRAY_SIZE(it->seen[which])) {
			trial_fail(it->trial, NULL, "more completions than work requests");
			return -EBADE;
		}
		rc = trial_wait(it->trial, side, 1, 0, &waited);
		if (rc)
			return rc;
		it->seen[which][it->seen_count[which]++] = waited.items[0];
	}
	return 0;
}

int fault_expect(struct committed *it, struct side *side, uint64_t id, const char *where,
		 uint32_t status, uint32_t also)
{
	const struct work_completion *item;
	int rc = fault_await(it, side, id, &item);

	if (rc || item->status == status)
		return rc;
	if (item->status >= 32 || !(also & FAULT_STATUS(item->status)))
		return fault_fail_status(it, where, item->status, status);
	fault_remark(it, "found as '%s', by the specification '%s'",
		     completion_status_name(item->status), completion_status_name(status));
	return 0;
}

static int prepare(struct committed *it)
{
	const struct fault *fault = it->fault;
	const struct span all = trial_span(0, FAULT_BYTES);
	struct trial *trial = it->trial;
	bool reads = fault->operation == POST_READ;
	int rc = trial_buffer(trial, &trial->near, TRIAL_DATA, FAULT_BYTES, 0, NULL);

	if (!rc)
		rc = trial_buffer(trial, &trial->far, TRIAL_DATA, FAULT_BYTES, fault->access,
				  &it->there);
	if (!rc)
		rc = trial_fill_constant(trial, &trial->near, &all,
					 reads ? TARGET_BYTE : SOURCE_BYTE);
	if (!rc)
		rc = trial_fill_constant(trial, &trial->far, &all,
					 reads ? SOURCE_BYTE : TARGET_BYTE);
	return rc;
}

/* The key and address of memory that was registered a moment ago. */
static int forget_buffer(struct committed *it)
{
	const struct message order = {.type = MESSAGE_BUFFER, .buffer = {.slot = OLD_BUFFER}};
	struct message reply;
	int rc = trial_buffer(it->trial, &it->trial->far, OLD_BUFFER, FAULT_BYTES, 0, &it->there);

	return rc ? rc : trial_call(it->trial, &it->trial->far, &order, &reply);
}

static int destroy_far(struct trial *trial)
{
	const struct message order = {.type = MESSAGE_PAIR, .pair = {.destroy = 1}};
	struct message reply;

	return trial_call(trial, &trial->far, &order, &reply);
}

int fault_query_state(struct trial *trial, struct side *side, uint32_t *ret_state)
{
	const struct message order = {.type = MESSAGE_QUERY};
	struct message reply;
	int rc = trial_call(trial, side, &order, &reply);

	if (!rc)
		*ret_state = reply.queried.state;
	return rc;
}

/* The connection, with a receive on each side that tells when its queue pair fails. */
static int connect_pairs(struct committed *it)
{
	const struct fault *fault = it->fault;
	struct trial *trial = it->trial;
	const struct pair_shape shape = {
		.near_domain = fault->flags & FAULT_NEAR_DOMAIN,
		.far_domain = fault->flags & FAULT_FAR_DOMAIN,
		.exact_retries = true,
		.retries = trial->by_cm && fault->flags & FAULT_GONE ? 0 : RETRIES,
		.rnr_retries = RNR_RETRIES,
		.timeout = TIMEOUT,
	};
	/* Nothing comes for it; but siw takes no receive without memory. */
	struct message_receive receive = {.id = FAULT_ID_RECEIVE, .span = trial_span(0, 1)};
	uint32_t state = IBV_QPS_RTS;
	int rc = trial_connect(trial, 0, &shape, NULL);

	if (!rc)
		rc = fault_query_state(trial, &trial->near, &state);
	it->states_unknown = state != IBV_QPS_RTS;
	if (!rc)
		rc = trial_receive(trial, &trial->near, &receive);
	if (fault->receive)
		receive.span = trial_span(FAULT_OFFSET, fault->receive);
	if (!rc && !(fault->flags & FAULT_NO_RECEIVE))
		rc = trial_receive(trial, &trial->far, &receive);
	if (!rc && fault->flags & FAULT_OLD_RKEY)
		rc = forget_buffer(it);
	if (!rc && fault->flags & FAULT_GONE)
		rc = destroy_far(trial);
	return rc;
}

int fault_commit(struct committed *it)
{
	const struct fault *fault = it->fault;
	const struct message_post order = {
		.operation = fault->operation,
		.id = FAULT_ID,
		.span = trial_span(FAULT_OFFSET, fault->bytes),
		.remote_address = it->there.address + FAULT_OFFSET + (uint64_t)fault->shift,
		.remote_key = it->there.remote_key ^ (fault->flags & FAULT_BAD_RKEY ? KEY_BITS : 0),
		.operand = 1,
		.bad_key = !!(fault->flags & FAULT_BAD_KEY),
	};

	return trial_post(it->trial, &it->trial->near, &order);
}

/* A message without data. */
static int post_empty(struct committed *it, uint64_t id)
{
	const struct message_post order = {.operation = POST_SEND, .id = id};

	return trial_post(it->trial, &it->trial->near, &order);
}

/* The completion may be there before the state is: the state gets a moment. */
static int expect_error_state(struct trial *trial, struct side *side)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint32_t state = IBV_QPS_RTS;
	int rc = 0;

	for (int i = 0; i < FAULT_STATE_MSEC && !rc && state != IBV_QPS_ERR; i++) {
		rc = fault_query_state(trial, side, &state);
		if (!rc && state != IBV_QPS_ERR)
			nanosleep(&pause, NULL);
	}
	return rc || state == IBV_QPS_ERR ? rc : trial_expect_state(trial, side, 0, IBV_QPS_ERR);
}

static int check_memory(struct committed *it)
{
	const struct fault *fault = it->fault;
	struct trial *trial = it->trial;
	/* What a failed receive was given may hold anything. */
	const struct span before = trial_span(0, FAULT_OFFSET);
	const struct span after = trial_span(FAULT_OFFSET + fault->receive,
					     FAULT_BYTES - FAULT_OFFSET - fault->receive);
	const struct span all = trial_span(0, FAULT_BYTES);
	bool reads = fault->operation == POST_READ;
	int rc = trial_check_constant(trial, &trial->near, &all, reads ? TARGET_BYTE : SOURCE_BYTE);

	if (!rc)
		rc = trial_check_constant(trial, &trial->far, &before,
					  reads ? SOURCE_BYTE : TARGET_BYTE);
	if (!rc)
		rc = trial_check_constant(trial, &trial->far, &after,
					  reads ? SOURCE_BYTE : TARGET_BYTE);
	return rc;
}

/* The far side: its receive, its state. */
static int check_far(struct committed *it)
{
	const struct fault *fault = it->fault;
	struct side *far = &it->trial->far;
	int rc;

	if (fault->flags & FAULT_GONE)
		return 0;
	if (fault->far == FAULT_UNNOTICED) {
		rc = trial_expect_none(it->trial, far, 0);
		return rc ? rc : trial_expect_state(it->trial, far, 0, IBV_QPS_RTS);
	}
	rc = fault_expect(it, far, FAULT_ID_RECEIVE, "the far receive", fault->far,
			  fault->far_also);
	return rc ? rc : expect_error_state(it->trial, far);
}

/*
 * The near side: the request, and one posted behind it, which must not be carried out; then, in the
 * error state, another one, and the receive.
 */
static int check_near(struct committed *it)
{
	struct side *near = &it->trial->near;
	int rc = fault_expect(it, near, FAULT_ID, "the request", it->fault->near,
			      it->fault->near_also);

	if (!rc && !(it->fault->flags & FAULT_ALONE))
		rc = fault_expect(it, near, FAULT_ID_NEXT, "the request behind it",
				  IBV_WC_WR_FLUSH_ERR, 0);
	if (!rc)
		rc = expect_error_state(it->trial, near);
	if (!rc)
		rc = post_empty(it, FAULT_ID_LATER);
	if (!rc)
		rc = fault_expect(it, near, FAULT_ID_LATER, "a later request", IBV_WC_WR_FLUSH_ERR,
				  0);
	if (!rc)
		rc = fault_expect(it, near, FAULT_ID_RECEIVE, "the own receive",
				  IBV_WC_WR_FLUSH_ERR, 0);
	return rc ? rc : trial_expect_none(it->trial, near, 0);
}

static int run_infiniband(struct committed *it)
{
	int rc = fault_commit(it);

	if (!rc && !(it->fault->flags & FAULT_ALONE))
		rc = post_empty(it, FAULT_ID_NEXT);
	if (!rc)
		rc = check_near(it);
	return rc ? rc : check_far(it);
}

/* What the fault before has left: its queue pairs are of no use any more. */
static int release(struct trial *trial)
{
	const struct message order = {.type = MESSAGE_RELEASE};
	struct message reply;
	int rc = trial_call(trial, &trial->near, &order, &reply);

	return rc ? rc : trial_call(trial, &trial->far, &order, &reply);
}

static int run_one(struct committed *it)
{
	int rc = release(it->trial);

	if (!rc)
		rc = prepare(it);
	if (!rc)
		rc = connect_pairs(it);
	if (!rc)
		rc = trial_is_iwarp(it->trial) ? fault_run_iwarp(it) : run_infiniband(it);
	return rc ? rc : check_memory(it);
}

void fault_run(struct trial *trial, const struct fault *faults)
{
	_cleanup_(freep) char *remark = NULL;

	for (const struct fault *fault = faults; fault->name; fault++) {
		struct committed it = {.trial = trial, .fault = fault, .remark = &remark};

		if (fault->flags & FAULT_NEEDS_ATOMICS &&
		    !(trial->near_can.atomics && trial->far_can.atomics))
			continue;
		if (rc_name_failure(trial, run_one(&it), "%s", fault->name))
			return;
	}
	if (remark)
		trial_remark(trial, "%s", remark);
}
