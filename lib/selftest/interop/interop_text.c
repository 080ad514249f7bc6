/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs' messages as bytes, and the reasons for failures. */
#include "selftest/interop/interop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/port.h"

void pingpong_format(const struct pingpong_address *address, char line[static PINGPONG_LINE_BYTES])
{
	const int end = snprintf(line, PINGPONG_LINE_BYTES,
				 "%04x:%06x:%06x:", address->lid & 0xffff, address->qpn & 0xffffff,
				 address->psn & 0xffffff);

	text_write_hex(line + end, address->gid.raw, sizeof(address->gid.raw));
}

bool interop_take_hex(const char **text, size_t count, char end, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++) {
		int digit = text_hex_digit((*text)[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (unsigned int)digit;
	}
	if ((*text)[count] != end)
		return false;
	*text += count + 1;
	*ret = value;
	return true;
}

int pingpong_parse(const char line[static PINGPONG_LINE_BYTES], struct pingpong_address *ret)
{
	struct pingpong_address address;
	const char *at = line;
	uint64_t lid, qpn, psn;

	if (!interop_take_hex(&at, 4, ':', &lid) || !interop_take_hex(&at, 6, ':', &qpn) ||
	    !interop_take_hex(&at, 6, ':', &psn) ||
	    !text_read_hex(at, address.gid.raw, sizeof(address.gid.raw)) || qpn < INTEROP_FIRST_QPN)
		return -EPROTO;
	address.lid = (uint32_t)lid;
	address.qpn = (uint32_t)qpn;
	address.psn = (uint32_t)psn;
	*ret = address;
	return 0;
}

static const char zero_line[PINGPONG_LINE_BYTES] =
	"0000:000000:000000:00000000000000000000000000000000";

void pingpong_format_list(const struct pingpong_address *addresses, size_t count, char *lines)
{
	for (size_t i = 0; i < PINGPONG_LINES; i++, lines += PINGPONG_LINE_BYTES) {
		memcpy(lines, zero_line, PINGPONG_LINE_BYTES);
		if (i < count)
			pingpong_format(&addresses[i], lines);
	}
}

int pingpong_parse_list(const char *lines, size_t most, struct pingpong_address *ret,
			size_t *ret_count)
{
	struct pingpong_address first, address;
	size_t count = 0;

	for (size_t i = 0; i < PINGPONG_LINES; i++, lines += PINGPONG_LINE_BYTES) {
		if (!memcmp(lines, zero_line, PINGPONG_LINE_BYTES))
			continue;
		/* Only lines of zeros follow a line of zeros. */
		if (count < i || pingpong_parse(lines, &address))
			return -EPROTO;
		if (!count)
			first = address;
		if (address.lid != first.lid ||
		    memcmp(&address.gid, &first.gid, sizeof(first.gid)) != 0)
			return -EPROTO;
		if (count < most)
			ret[count] = address;
		count++;
	}
	if (!count)
		return -EPROTO;
	if (count > most)
		return -E2BIG;
	*ret_count = count;
	return 0;
}

void rping_info_encode(const struct rping_info *info, uint8_t bytes[static RPING_INFO_BYTES])
{
	wire_put(bytes, info->address, 8);
	wire_put(bytes + 8, info->key, 4);
	wire_put(bytes + 12, info->bytes, 4);
}

void rping_info_decode(const uint8_t bytes[static RPING_INFO_BYTES], struct rping_info *ret)
{
	ret->address = wire_take(bytes, 8);
	ret->key = (uint32_t)wire_take(bytes + 8, 4);
	ret->bytes = (uint32_t)wire_take(bytes + 12, 4);
}

static const char text_lead[] = "rdma-ping-";

/* The characters that follow the lead, in turn. */
enum { TEXT_FIRST = 'A', TEXT_COUNT = 'z' - 'A' + 1 };

void rping_text_fill(uint8_t *text, size_t bytes, uint64_t number)
{
	char lead[sizeof(text_lead) + 24];
	size_t length = (size_t)snprintf(lead, sizeof(lead), "%s%" PRIu64 ": ", text_lead, number);
	unsigned int turn = (unsigned int)(number % TEXT_COUNT);

	if (!bytes)
		return;
	if (length > bytes)
		length = bytes;
	memcpy(text, lead, length);
	for (size_t i = length; i < bytes; i++) {
		text[i] = (uint8_t)(TEXT_FIRST + turn);
		turn = turn + 1 < TEXT_COUNT ? turn + 1 : 0;
	}
	text[bytes - 1] = '\0';
}

bool rping_text_is_usual(const uint8_t *text, size_t bytes)
{
	return bytes >= RPING_LEAST_BYTES && !memcmp(text, text_lead, sizeof(text_lead) - 1);
}

static int mark(struct interop *session, enum selftest_verdict verdict,
		const struct diagnosis *diagnosis)
{
	const char *sentence = diagnosis->sentence, *hint = diagnosis->hint;

	if (!session->row)
		interop_row_begin(session);
	if (session->marked)
		return -EIO;
	session->marked = true;
	number_set(&session->row->verdict, verdict);
	free(session->row->reason);
	session->row->reason = text_clean(sentence, strlen(sentence));
	session->row->next_step = hint ? text_clean(hint, strlen(hint)) : NULL;
	return -EIO;
}

void interop_remark(struct interop *session, const char *format, ...)
{
	va_list values;

	if (session->marked)
		return;
	free(session->row->reason);
	va_start(values, format);
	session->row->reason = mem_format_list(format, values);
	va_end(values);
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

static void add_facts(const struct interop *session, struct diagnosis_facts *facts)
{
	facts->peer = session->peer;
	facts->group = session->request->group.ip.family ? &session->request->group.ip : NULL;
	facts->tcp_port = session->port;
	facts->server_hint = session->command;
	facts->local = session->local;
	facts->remote = &session->remote;
	facts->path_mtu_bytes = session->mtu_bytes;
	facts->timeout_msec = session->timeout_msec;
}

int interop_diagnose(struct interop *session, struct diagnosis_facts facts)
{
	_cleanup_(diagnosis_clear) struct diagnosis diagnosis = {0};
	_cleanup_(counter_list_clear) struct counter_list after = {0};

	/* Its thread may have read an event and not yet noted it. */
	watch_end(&session->agent->watch);
	facts.stop = stop_of(session, facts.stop);
	add_facts(session, &facts);
	if (session->row) {
		agent_read_counters(session->local, &after);
		facts.local_counts = counter_list_growth(&session->before, &after);
	}
	diagnose(&facts, &diagnosis);
	/* A test that the user ended has no fault. */
	return mark(session, facts.stop == STOP_INTERRUPTED ? SELFTEST_SKIP : SELFTEST_FAIL,
		    &diagnosis);
}

static int fail(struct interop *session, enum diagnosis_list list, int code, const char *detail)
{
	_cleanup_(diagnosis_clear) struct diagnosis diagnosis = {0};
	struct diagnosis_facts facts = {.error = code};
	_words_ struct diagnosis_words words = {0};

	add_facts(session, &facts);
	diagnosis_words_make(&words, &facts);
	diagnosis_words_add(&words, "detail", "%s", detail);
	diagnosis_words_add(&words, "program", "%s", session->role->program);
	diagnosis_words_add(&words, "bytes", "%" PRIu64, session->bytes);
	diagnosis_words_add(&words, "mtu", "%" PRIu32, session->mtu_bytes);
	diagnosis_words_add(&words, "iterations", "%" PRIu64, session->iterations);
	diagnosis_words_add(&words, "done", "%" PRIu64, session->done);
	diagnosis_words_add(&words, "next", "%" PRIu64, session->done + 1);
	diagnosis_say(&diagnosis, &words, list, code);
	return mark(session, SELFTEST_FAIL, &diagnosis);
}

int interop_fail(struct interop *session, enum diagnosis_list list, int code)
{
	return fail(session, list, code, "");
}

int interop_fail_with(struct interop *session, enum diagnosis_list list, int code,
		      const char *format, ...)
{
	_cleanup_(freep) char *detail = NULL;
	va_list values;

	va_start(values, format);
	detail = mem_format_list(format, values);
	va_end(values);
	return fail(session, list, code, detail);
}

int interop_post_send(struct interop *session, uint32_t slot, struct ibv_send_wr *request)
{
	struct ibv_send_wr *bad;
	int rc = ibv_post_send(session->agent->qps[slot].qp, request, &bad);

	return rc ? interop_fail_at(session, STAGE_TRANSFER, agent_post_error(rc)) : 0;
}

int interop_post_receive(struct interop *session)
{
	struct agent *agent = session->agent;
	struct ibv_recv_wr *bad;
	int rc = session->role->srq
			 ? ibv_post_srq_recv(agent->srq, &session->receive, &bad)
			 : ibv_post_recv(agent->qps[INTEROP_QP].qp, &session->receive, &bad);

	return rc ? interop_fail_at(session, STAGE_TRANSFER, agent_post_error(rc)) : 0;
}

int interop_post_receive_at(struct interop *session, uint64_t place)
{
	session->receive.wr_id = place << INTEROP_PLACE_SHIFT | INTEROP_RECEIVED;
	session->receive_part.addr = (uintptr_t)(session->received - session->header +
						 place * interop_place_bytes(session));
	return interop_post_receive(session);
}

int interop_post_receives(struct interop *session, uint64_t count)
{
	int rc = 0;

	for (uint64_t place = 0; place < count && !rc; place++)
		rc = interop_post_receive_at(session, place);
	return rc;
}

int interop_fail_at(struct interop *session, enum stage stage, int error)
{
	return interop_diagnose(session, (struct diagnosis_facts){.stage = stage, .error = error});
}

int interop_fail_agent(struct interop *session)
{
	const struct message_refused *refused = &session->agent->refused;
	struct diagnosis_facts facts = {0};

	if (refused->refusal != REFUSAL_FAILED)
		return interop_fail_with(session, LIST_INTEROP_REFUSED, 0, "%s", refused->text);
	diagnosis_take_failure(&facts, refused, refused->text);
	if (!facts.cm_event.known && facts.stage == STAGE_CM && facts.error == ETIMEDOUT)
		facts.stop = STOP_TIMED_OUT;
	return interop_diagnose(session, facts);
}

static void suspect_options(struct interop *session)
{
	_cleanup_(freep) char *hint = session->row->next_step;

	session->row->next_step = mem_format("%s%srun on the other host: %s", hint ? hint : "",
					     hint ? "; or its options are wrong: " : "",
					     session->command);
}

/* An rping server lets its client end at any time, unless the user gave a number of rounds. */
static int fail_middle(struct interop *session, const char *what)
{
	const bool fixed = !session->server || session->request->iterations ||
			   session->role->command != rping_command;

	return interop_fail_with(session, LIST_INTEROP_STOPPED, fixed, "%s", what);
}

int interop_fail_stop(struct interop *session, enum stop stop)
{
	_cleanup_(freep) char *timeout = mem_format("nothing arrived for %" PRIu32 " ms",
						    session->timeout_msec);
	const bool first = !session->marked;

	if (stop_of(session, STOP_NONE))
		return interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_TRANSFER});
	if (session->agent->watch.queue_error)
		return interop_fail_at(session, STAGE_TRANSFER, session->agent->watch.queue_error);
	if (stop == STOP_PEER_GONE || stop == STOP_PEER_SPOKE)
		return fail_middle(session, "it disconnected");
	if (session->done && session->role->kind != QP_RC)
		return interop_fail(session, LIST_INTEROP_LOST, 0);
	if (session->done)
		return fail_middle(session, timeout);
	if (session->server)
		return interop_fail(session, LIST_INTEROP_SILENT, (int)session->local->gid_type);
	interop_diagnose(session, (struct diagnosis_facts){
					  .stage = STAGE_TRANSFER,
					  .stop = STOP_TIMED_OUT,
				  });
	if (first)
		suspect_options(session);
	return -EIO;
}

/*
 * One side's messages are too long for the other: local length and remote invalid request errors in
 * the InfiniBand specification (11.6.2). Soft-RoCE notices when it copies the data, and reports
 * local QP operation and remote operation errors: send_data_in() in
 * drivers/infiniband/sw/rxe/rxe_resp.c.
 */
static int fail_first_status(struct interop *session, const struct ibv_wc *wc, const char *name)
{
	/* A read request carries no data, so its size is not why it was refused. */
	const bool by_size = session->role->connection == CONNECTION_EXCHANGE &&
			     session->request->operations != SELFTEST_READ;
	const bool first = !session->marked;
	const bool received = (wc->wr_id & INTEROP_WHAT_MASK) == INTEROP_RECEIVED;

	if (by_size && (wc->status == IBV_WC_REM_INV_REQ_ERR || wc->status == IBV_WC_REM_OP_ERR))
		return interop_fail_with(session, LIST_INTEROP_TOO_LONG, 0, "%s", name);
	if (by_size && received &&
	    (wc->status == IBV_WC_LOC_LEN_ERR || wc->status == IBV_WC_LOC_QP_OP_ERR))
		return interop_fail_with(session, LIST_INTEROP_TOO_LONG, -1, "%s", name);
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

	/* The watch may not have noticed the reason yet. */
	watch_end(&session->agent->watch);
	watch_look(&session->agent->watch);
	if (!session->marked && !session->row->status) {
		session->row->status = mem_string(name);
		session->row->vendor_error = number_unless_zero(wc->vendor_err);
	}
	if (stop_of(session, STOP_NONE))
		return interop_diagnose(session, (struct diagnosis_facts){.stage = STAGE_TRANSFER});
	return session->done ? fail_middle(session, name) : fail_first_status(session, wc, name);
}

int interop_check_length(struct interop *session, uint32_t bytes)
{
	return bytes == session->bytes
		       ? 0
		       : interop_fail_with(session, LIST_INTEROP_LENGTH, 0, "%" PRIu32, bytes);
}

int interop_check_data(struct interop *session, const uint8_t *expected, const uint8_t *got)
{
	struct pattern_mismatch mismatch;

	if (pattern_compare(expected, got, session->bytes, &mismatch))
		return 0;
	return interop_fail_with(session, LIST_INTEROP_DATA, 0,
				 "at offset %" PRIu64 ", 0x%02x instead of 0x%02x; %" PRIu64,
				 mismatch.offset, mismatch.got, mismatch.expected, mismatch.count);
}
