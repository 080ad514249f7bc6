/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/text.h"
#include "host/gid_entry.h"
#include "selftest/tests/tests_datagram.h"

/* How long a message may be on its way, and how often it is sent until the path is given up. */
#define ARRIVAL_MSEC 300u
#define ATTEMPTS     10u
#define LATE_MSEC    100u

/* The pattern has no 0: whatever strays shows. */
#define EMPTY_BYTE 0u

#define RECEIVE_ID 0x8000u

int datagram_connect(struct trial *trial, uint32_t kind, struct datagram_way ways[static 2])
{
	const struct pair_shape shape = {.kind = kind};
	uint32_t header = kind == PAIR_UD ? DATAGRAM_HEADER_BYTES : 0;
	struct pair_numbers numbers;
	int rc = trial_connect(trial, 0, &shape, &numbers);

	if (rc)
		return rc;
	ways[0] = (struct datagram_way){
		.from = &trial->near,
		.to = &trial->far,
		.source = numbers.near,
		.header = header,
		.number = numbers.far,
		.qkey = TRIAL_QKEY,
	};
	ways[1] = (struct datagram_way){
		.from = &trial->far,
		.to = &trial->near,
		.source = numbers.far,
		.header = header,
		.number = numbers.near,
		.qkey = TRIAL_QKEY,
	};
	return trial_buffers(trial, DATAGRAM_BYTES, NULL);
}

int datagram_fill(struct trial *trial, struct datagram_way *way, uint64_t bytes, uint32_t iteration)
{
	const struct span span = trial_span(0, bytes);

	return trial_fill(trial, way->from, &span, iteration);
}

int datagram_receive(struct trial *trial, struct datagram_way *way, uint64_t bytes)
{
	const struct span area = trial_span(DATAGRAM_RECEIVE, DATAGRAM_ROOM);
	const struct message_receive receive = {
		.id = RECEIVE_ID + way->next_id,
		.span = trial_span(DATAGRAM_RECEIVE, bytes + way->header),
	};
	int rc = trial_fill_constant(trial, way->to, &area, EMPTY_BYTE);

	return rc ? rc : trial_receive(trial, way->to, &receive);
}

int datagram_send(struct trial *trial, struct datagram_way *way, uint64_t bytes)
{
	const struct message_post post = {
		.operation = POST_SEND,
		.flags = POST_SIGNALED,
		.id = way->next_id,
		.span = trial_span(0, bytes),
		.number = way->number,
		.qkey = way->qkey,
	};
	int rc = trial_post(trial, way->from, &post);

	way->sent++;
	return rc ? rc : trial_expect(trial, way->from, way->next_id, NULL);
}

int datagram_look(struct trial *trial, struct datagram_way *way, uint32_t msec, uint32_t *ret_count,
		  struct work_completion *ret)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait = {.queue = TRIAL_QUEUE, .count = 1, .timeout_msec = msec},
	};
	struct message reply;
	int rc = side_call(way->to, &order, &reply);

	if (rc)
		return trial_explain(trial, way->to, rc, &reply);
	if (!reply.waited.count && reply.waited.stop && reply.waited.stop != STOP_TIMED_OUT) {
		trial_explain_end(trial, way->to, (enum stop)reply.waited.stop, msec);
		return -ECANCELED;
	}
	*ret_count = reply.waited.count;
	*ret = reply.waited.items[0];
	return 0;
}

int datagram_expect_none(struct trial *trial, struct datagram_way *way, uint32_t msec,
			 const char *complaint)
{
	struct work_completion item;
	uint32_t count = 0;
	int rc = datagram_look(trial, way, msec, &count, &item);

	if (rc || !count)
		return rc;
	if (item.status)
		return trial_explain_status(trial, way->to, &item);
	trial_fail(trial, "report it to the maker of the device, with its firmware version", "%s",
		   complaint);
	return -EBADE;
}

/* Sends until something arrives. */
static int deliver(struct trial *trial, struct datagram_way *way, uint64_t bytes,
		   struct work_completion *ret)
{
	uint32_t count = 0, late_count, lost = way->lost;
	struct work_completion late;
	int rc = 0;

	for (uint32_t i = 0; i < ATTEMPTS && !count && !rc; i++) {
		rc = datagram_send(trial, way, bytes);
		if (!rc)
			rc = datagram_look(trial, way, ARRIVAL_MSEC, &count, ret);
		if (!rc && !count)
			way->lost++;
	}
	/* What was late and not lost shall come while there is no receive for it. */
	if (!rc && count && way->lost > lost)
		rc = datagram_look(trial, way, LATE_MSEC, &late_count, &late);
	if (rc || count)
		return rc;
	trial_explain_end(trial, way->to, STOP_TIMED_OUT, ATTEMPTS * ARRIVAL_MSEC);
	return -ETIMEDOUT;
}

static const char *who(const struct trial *trial, const struct datagram_way *way)
{
	return way->to == &trial->near ? "local" : "far";
}

static int check_completion(struct trial *trial, const struct datagram_way *way, uint64_t bytes,
			    const struct work_completion *item)
{
	if (item->status)
		return trial_explain_status(trial, way->to, item);
	if (item->id != RECEIVE_ID + way->next_id)
		trial_fail(trial, NULL, "the %s side completed receive %llu, expected %llu",
			   who(trial, way), (unsigned long long)item->id,
			   (unsigned long long)(RECEIVE_ID + way->next_id));
	else if (item->bytes != bytes + way->header)
		trial_fail(trial, NULL,
			   "the %s side received %u bytes of a message of %llu (%u of them a "
			   "header)",
			   who(trial, way), item->bytes, (unsigned long long)(bytes + way->header),
			   way->header);
	else if (way->header && item->source != way->source)
		trial_fail(trial, NULL,
			   "the %s side was told that queue pair 0x%06x sent the message, it was "
			   "0x%06x",
			   who(trial, way), item->source, way->source);
	else
		return 0;
	return -EBADE;
}

int datagram_pass(struct trial *trial, struct datagram_way *way, uint64_t bytes, uint32_t iteration,
		  struct work_completion *ret)
{
	uint64_t end = way->header + bytes;
	const struct span data = trial_span(DATAGRAM_RECEIVE + way->header, bytes);
	const struct span rest = trial_span(DATAGRAM_RECEIVE + end, DATAGRAM_ROOM - end);
	struct work_completion item;
	int rc = datagram_fill(trial, way, bytes, iteration);

	if (!rc)
		rc = deliver(trial, way, bytes, &item);
	if (!rc)
		rc = check_completion(trial, way, bytes, &item);
	if (!rc)
		rc = trial_check(trial, way->to, &data, iteration);
	if (!rc)
		rc = trial_check_constant(trial, way->to, &rest, EMPTY_BYTE);
	if (!rc && ret)
		*ret = item;
	return rc;
}

int datagram_transfer(struct trial *trial, struct datagram_way *way, uint64_t bytes,
		      uint32_t iteration, struct work_completion *ret)
{
	int rc;

	way->next_id++;
	rc = datagram_receive(trial, way, bytes);
	return rc ? rc : datagram_pass(trial, way, bytes, iteration, ret);
}

/*
 * No order shows what is in a buffer, a check of a single byte does: with the value that it has if
 * that is not the expected one.
 */
static int read_bytes(struct trial *trial, struct side *side, uint64_t offset, size_t count,
		      uint8_t *bytes)
{
	struct message order = {.type = MESSAGE_CHECK, .fill = {.constant = 1}};
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		struct message reply;

		order.fill.span = trial_span(offset + i, 1);
		rc = side_call(side, &order, &reply);
		if (rc)
			return trial_explain(trial, side, rc, &reply);
		bytes[i] = reply.checked.equal ? 0 : (uint8_t)reply.checked.got;
	}
	return rc;
}

/* Where in the 40 bytes the fields are. */
struct header_form {
	const char *name;
	uint32_t at; /* of the version, in the high half of a byte */
	uint8_t version;
	uint32_t next_at; /* of the next header or protocol */
	uint8_t next;
	uint32_t source, destination;
	uint32_t address_bytes;
};

/*
 * A GRH (IBTA 1, 8.3) is laid out as an IPv6 header is, with 0x1b for what follows. RoCE v2 has an
 * IPv6 header in its place, or, in the last 20 of the 40 bytes, an IPv4 header (union
 * rdma_network_hdr, include/rdma/ib_verbs.h).
 */
static const struct header_form grh_form = {"a global route header", 0, 6, 6, 0x1b, 8, 24, 16};
static const struct header_form ipv6_form = {"an IPv6 header", 0, 6, 6, IPPROTO_UDP, 8, 24, 16};
static const struct header_form ipv4_form = {"an IPv4 header", 20, 4, 29, IPPROTO_UDP, 32, 36, 4};

static const struct header_form *form_of(const struct trial *trial, const struct gid *destination)
{
	if (trial->near_can.far.gid_type != GID_TYPE_ROCE_V2)
		return &grh_form;
	return gid_is_ipv4_mapped(destination) ? &ipv4_form : &ipv6_form;
}

static int check_address(struct trial *trial, struct side *side, uint32_t at,
			 const struct header_form *form, const char *what,
			 const struct gid *expected)
{
	char got_text[GID_TEXT_SIZE], expected_text[GID_TEXT_SIZE];
	struct gid whole = *expected;
	int rc = read_bytes(trial, side, DATAGRAM_RECEIVE + at, form->address_bytes,
			    whole.raw + sizeof(whole.raw) - form->address_bytes);

	if (rc)
		return rc;
	if (!memcmp(whole.raw, expected->raw, sizeof(whole.raw)))
		return 0;
	gid_format(&whole, got_text);
	gid_format(expected, expected_text);
	trial_fail(trial, "look for address translation between the hosts, and compare the GIDs",
		   "the %s address in the message's header is %s, expected %s", what, got_text,
		   expected_text);
	return -EBADE;
}

static int check_kind(struct trial *trial, struct side *side, const struct header_form *form)
{
	uint8_t version, next;
	int rc = read_bytes(trial, side, DATAGRAM_RECEIVE + form->at, 1, &version);

	if (!rc)
		rc = read_bytes(trial, side, DATAGRAM_RECEIVE + form->next_at, 1, &next);
	if (rc || (version >> 4 == form->version && next == form->next))
		return rc;
	trial_fail(trial, NULL,
		   "before the message is not %s: version %u, next header 0x%02x, expected %u and "
		   "0x%02x",
		   form->name, version >> 4, next, form->version, form->next);
	return -EBADE;
}

int datagram_check_header(struct trial *trial, struct datagram_way *way, const struct gid *source,
			  const struct gid *destination)
{
	const struct header_form *form = form_of(trial, destination);
	int rc = check_kind(trial, way->to, form);

	if (!rc)
		rc = check_address(trial, way->to, form->source, form, "source", source);
	if (!rc)
		rc = check_address(trial, way->to, form->destination, form, "destination",
				   destination);
	return rc;
}

void datagram_remark_losses(struct trial *trial, const struct datagram_way ways[static 2])
{
	uint32_t lost = ways[0].lost + ways[1].lost, sent = ways[0].sent + ways[1].sent;

	if (lost)
		trial_remark(trial,
			     "%u of %u messages were lost on the way, which this transport allows",
			     lost, sent);
}
