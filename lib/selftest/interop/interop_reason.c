/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/port.h"
#include "selftest/interop/interop_session.h"

static int mark(struct interop *session, const char *hint, const char *sentence)
{
	if (!session->row)
		interop_row_begin(session);
	if (session->marked)
		return -EIO;
	session->marked = true;
	number_set(&session->row->verdict, SELFTEST_FAIL);
	free(session->row->reason);
	session->row->reason = text_clean(sentence, strlen(sentence));
	session->row->next_step = hint ? text_clean(hint, strlen(hint)) : NULL;
	return -EIO;
}

int interop_fail(struct interop *session, const char *hint, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list values;
	int rc;

	va_start(values, format);
	rc = vasprintf(&text, format, values);
	va_end(values);
	return mark(session, hint, rc < 0 ? "failed" : text);
}

void interop_remark(struct interop *session, const char *format, ...)
{
	va_list values;
	char *text = NULL;
	int rc;

	va_start(values, format);
	rc = vasprintf(&text, format, values);
	va_end(values);
	if (rc < 0)
		return;
	if (session->marked) {
		free(text);
		return;
	}
	free(session->row->reason);
	session->row->reason = text;
}

/* A stop from outside explains any error that it caused. */
static enum stop stop_of(const struct interop *session, enum stop known)
{
	const struct watch *watch = &session->agent->watch;

	if (watch->interrupted)
		return STOP_INTERRUPTED;
	if (watch->device_gone)
		return STOP_DEVICE_GONE;
	return watch->port_down ? STOP_PORT_DOWN : known;
}

static struct counter_sums count(const struct interop *session)
{
	struct counter_list after = {0}, difference = {0};
	struct counter_sums sums;

	interop_read_counters(session->local, &after);
	counter_list_difference(&session->before, &after, &difference);
	sums = counter_list_sum(&difference);
	counter_list_clear(&after);
	counter_list_clear(&difference);
	return sums;
}

int interop_diagnose(struct interop *session, struct diagnosis_facts facts)
{
	struct diagnosis diagnosis = {0};
	int rc;

	facts.stop = stop_of(session, facts.stop);
	facts.peer = session->peer;
	facts.tcp_port = session->port;
	facts.server_hint = session->command;
	facts.local = session->local;
	facts.remote = &session->remote;
	facts.path_mtu_bytes = session->mtu_bytes;
	facts.timeout_msec = session->timeout_msec;
	if (session->row)
		facts.local_counts = count(session);
	diagnose(&facts, &diagnosis);
	rc = mark(session, diagnosis.hint, diagnosis.sentence);
	diagnosis_clear(&diagnosis);
	return rc;
}

int interop_fail_agent(struct interop *session)
{
	const struct message_refused *refused = &session->agent->refused;
	struct diagnosis_facts facts = {
		.stage = (enum stage)refused->stage,
		.error = (int)refused->error,
		.cm_status = (int)refused->cm_status,
	};

	if (refused->refusal != REFUSAL_FAILED)
		return interop_fail(session, NULL, "%s", refused->text);
	if (refused->cm_event)
		facts.cm_event = number_of(refused->cm_event);
	else if (facts.stage == STAGE_CM && facts.error == ETIMEDOUT)
		facts.stop = STOP_TIMED_OUT;
	if (refused->wanted_bytes) {
		facts.wanted_bytes = number_of(refused->wanted_bytes);
		facts.memlock_limit_bytes = number_of(refused->limit_bytes);
	}
	return interop_diagnose(session, facts);
}

int interop_fail_post(struct interop *session, int rc)
{
	return interop_diagnose(session, (struct diagnosis_facts){
						 .stage = STAGE_TRANSFER,
						 .error = agent_post_error(rc),
					 });
}

/* Adds to the next step that the options of the other program may be wrong. */
static void suspect_options(struct interop *session)
{
	_cleanup_(freep) char *hint = session->row->next_step;

	session->row->next_step = mem_format("%s%s%s", hint ? hint : "",
					     hint ? "; or its options are wrong: " : "",
					     session->advice);
}

/* A server of rping lets the client end at any time, unless the user gave a number. */
static int fail_middle(struct interop *session, const char *what)
{
	const bool fixed = !session->server || session->request->iterations ||
			   session->role->connection == CONNECTION_EXCHANGE;
	_cleanup_(freep) char *hint = mem_format("start it again on %s: %s", session->peer,
						 session->command);
	_cleanup_(freep) char *all = fixed ? mem_format(" of %" PRIu64, session->iterations)
					   : mem_string("");

	return interop_fail(session, hint,
			    "%s stopped after %" PRIu64 "%s iterations (%s): its %s ended%s",
			    session->peer, session->done, all, what, session->role->program,
			    fixed ? ", or its options ask for fewer" : "");
}

/* A server to which the client's first message did not come. */
static int fail_first_wait(struct interop *session)
{
	const bool v2 = session->local->gid_type == GID_TYPE_ROCE_V2;
	_cleanup_(freep) char *hint = mem_format(
		"%sits options may be wrong: %s",
		v2 ? "let UDP port 4791 (RoCE v2) pass in the firewalls of both hosts "
		     "(nft list ruleset); else "
		   : "",
		session->advice);

	return interop_fail(session, hint,
			    "%s connected, but its first message did not come within %" PRIu32
			    " ms",
			    session->peer, session->timeout_msec);
}

int interop_fail_stop(struct interop *session, enum stop stop)
{
	_cleanup_(freep) char *timeout = mem_format("nothing came for %" PRIu32 " ms",
						    session->timeout_msec);
	const bool first = !session->marked;

	if (stop_of(session, STOP_NONE))
		return interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_TRANSFER});
	if (stop == STOP_PEER_GONE || stop == STOP_PEER_SPOKE)
		return fail_middle(session, "it disconnected");
	if (session->done)
		return fail_middle(session, timeout);
	if (session->server)
		return fail_first_wait(session);
	interop_diagnose(session, (struct diagnosis_facts){
					  .stage = STAGE_TRANSFER,
					  .stop = STOP_TIMED_OUT,
				  });
	if (first)
		suspect_options(session);
	return -EIO;
}

/*
 * The messages of one side are too long for the other one: local length and remote invalid request
 * errors by the InfiniBand specification (11.6.2). Soft-RoCE notices it when it copies the data,
 * and reports local QP operation and remote operation errors: send_data_in() in
 * drivers/infiniband/sw/rxe/rxe_resp.c.
 */
static bool is_too_long_for_peer(enum ibv_wc_status status)
{
	return status == IBV_WC_REM_INV_REQ_ERR || status == IBV_WC_REM_OP_ERR;
}

static bool is_too_long_here(const struct ibv_wc *wc)
{
	return wc->wr_id == INTEROP_RECEIVED &&
	       (wc->status == IBV_WC_LOC_LEN_ERR || wc->status == IBV_WC_LOC_QP_OP_ERR);
}

static int fail_first_status(struct interop *session, const struct ibv_wc *wc, const char *name)
{
	const bool by_size = session->role->connection == CONNECTION_EXCHANGE;
	const bool first = !session->marked;

	if (by_size && is_too_long_for_peer(wc->status))
		return interop_fail(session, session->advice,
				    "%s does not take messages of %" PRIu64
				    " bytes in packets of up to %" PRIu32
				    " (%s): its %s has a smaller size, or another MTU",
				    session->peer, session->bytes, session->mtu_bytes, name,
				    session->role->program);
	if (by_size && is_too_long_here(wc))
		return interop_fail(session, session->advice,
				    "%s sends messages of more than %" PRIu64
				    " bytes (%s): its %s has a larger size",
				    session->peer, session->bytes, name, session->role->program);
	interop_diagnose(session, (struct diagnosis_facts){
					  .stage = STAGE_TRANSFER,
					  .status = number_of(wc->status),
				  });
	if (first)
		suspect_options(session);
	return -EIO;
}

int interop_fail_status(struct interop *session, const struct ibv_wc *wc)
{
	const char *name = completion_status_name(wc->status);

	/* The reason may not have been noticed yet. */
	watch_look(&session->agent->watch);
	if (!session->marked && !session->row->status)
		session->row->status = mem_string(name);
	if (stop_of(session, STOP_NONE))
		return interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_TRANSFER});
	return session->done ? fail_middle(session, name) : fail_first_status(session, wc, name);
}

int interop_fail_mismatch(struct interop *session, const struct pattern_mismatch *mismatch)
{
	return interop_fail(
		session,
		"data were damaged in transit: look at the counters of both ports, and for "
		"memory and PCIe errors in the kernel logs (dmesg)",
		"wrong data in iteration %" PRIu64 ": at offset %" PRIu64
		" 0x%02x instead of 0x%02x, %" PRIu64 " of %" PRIu64 " bytes differ",
		session->done + 1, mismatch->offset, mismatch->got, mismatch->expected,
		mismatch->count, session->bytes);
}
