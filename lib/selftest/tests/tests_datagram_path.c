/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "host/port.h"
#include "selftest/tests/tests.h"

/* How long to wait for a message to arrive, and how often it is sent before giving up. */
#define ARRIVAL_MSEC  300u
#define SEND_ATTEMPTS 10u
#define LATE_MSEC     100u

/* No byte of the pattern is 0, so stray data show. */
#define EMPTY_BYTE 0u

#define RECEIVE_ID 0x8000u

int datagram_connect(struct trial *trial, uint32_t kind, struct datagram_path paths[static 2])
{
	const struct qp_shape shape = {.kind = kind};
	uint32_t header = kind == QP_UD ? DATAGRAM_HEADER_BYTES : 0;
	struct qp_numbers numbers;

	if (trial_connect(trial, &shape, &numbers))
		return -EIO;
	paths[0] = (struct datagram_path){&trial->near, &trial->far, numbers.near,
					  header,	numbers.far, TRIAL_QKEY};
	paths[1] = (struct datagram_path){&trial->far, &trial->near, numbers.far,
					  header,      numbers.near, TRIAL_QKEY};
	return trial_buffers(trial, DATAGRAM_BYTES);
}

int datagram_receive(struct datagram_path *path, uint64_t bytes)
{
	const struct message_receive receive = {
		.id = RECEIVE_ID + path->next_id,
		.span = trial_span(DATAGRAM_RECEIVE, bytes + path->header),
	};

	return trial_fill_constant(path->to, trial_span(DATAGRAM_RECEIVE, DATAGRAM_ROOM),
				   EMPTY_BYTE) ||
	       trial_receive(path->to, &receive);
}

int datagram_send(struct datagram_path *path, uint64_t bytes)
{
	struct message_post post = trial_send(path->next_id, trial_span(0, bytes));
	int rc;

	post.qpn = path->qpn;
	post.qkey = path->qkey;
	rc = trial_post(path->from, &post);
	path->sent++;
	return rc ? rc : trial_expect(path->from, path->next_id, NULL);
}

/* Waits up to `msec` for a message; none is not a failure: *ret_count is 0 or 1. */
static int look(struct datagram_path *path, uint32_t msec, uint32_t *ret_count,
		struct work_completion *ret)
{
	struct message_waited waited;

	if (trial_look(path->to, msec, &waited) || rc_explain_stop(path->to, &waited, msec))
		return -EIO;
	*ret_count = waited.count;
	*ret = waited.items[0];
	return 0;
}

int datagram_expect_none(struct datagram_path *path, uint32_t msec, const char *complaint)
{
	struct work_completion item;
	uint32_t count = 0;
	int rc = look(path, msec, &count, &item);

	if (rc || !count)
		return rc;
	if (item.status)
		return trial_explain_status(path->to, &item);
	return trial_fail(path->from->trial,
			  "report it to the maker of the device, with its firmware version", "%s",
			  complaint);
}

static int deliver(struct datagram_path *path, uint64_t bytes, struct work_completion *ret)
{
	uint32_t count = 0, late_count, lost = path->lost;
	struct work_completion late;
	int rc = 0;

	for (uint32_t i = 0; i < SEND_ATTEMPTS && !count && !rc; i++) {
		rc = datagram_send(path, bytes) || look(path, ARRIVAL_MSEC, &count, ret);
		path->lost += !rc && !count;
	}
	/* If an earlier message was late, not lost, let it arrive while no receive is posted. */
	if (!rc && count && path->lost > lost)
		rc = look(path, LATE_MSEC, &late_count, &late);
	if (rc || count)
		return rc;
	return trial_explain_end(path->to, STOP_TIMED_OUT, SEND_ATTEMPTS * ARRIVAL_MSEC);
}

static int check_completion(const struct datagram_path *path, uint64_t bytes,
			    const struct work_completion *item)
{
	struct trial *trial = path->from->trial;

	if (item->status)
		return trial_explain_status(path->to, item);
	if (item->id != RECEIVE_ID + path->next_id)
		trial_fail(trial, NULL, "the %s side completed receive %llu, expected %llu",
			   trial_side_word(path->to), (unsigned long long)item->id,
			   (unsigned long long)(RECEIVE_ID + path->next_id));
	else if (item->bytes != bytes + path->header)
		trial_fail(
			trial, NULL,
			"the %s side received %u bytes of a message of %llu (%u of them a header)",
			trial_side_word(path->to), item->bytes,
			(unsigned long long)(bytes + path->header), path->header);
	else if (path->header && item->src_qpn != path->src_qpn)
		trial_fail(trial, NULL,
			   "the completion on the %s side names queue pair 0x%06x as the sender, "
			   "but it was 0x%06x",
			   trial_side_word(path->to), item->src_qpn, path->src_qpn);
	else
		return 0;
	return -EBADE;
}

int datagram_pass(struct datagram_path *path, uint64_t bytes, uint32_t iteration,
		  struct work_completion *ret)
{
	uint64_t end = path->header + bytes;
	struct work_completion item;

	if (trial_fill(path->from, trial_span(0, bytes), iteration) ||
	    deliver(path, bytes, &item) || check_completion(path, bytes, &item) ||
	    trial_check(path->to, trial_span(DATAGRAM_RECEIVE + path->header, bytes), iteration) ||
	    trial_check_constant(path->to, trial_span(DATAGRAM_RECEIVE + end, DATAGRAM_ROOM - end),
				 EMPTY_BYTE))
		return -EIO;
	if (ret)
		*ret = item;
	return 0;
}

int datagram_transfer(struct datagram_path *path, uint64_t bytes, uint32_t iteration,
		      struct work_completion *ret)
{
	path->next_id++;
	return datagram_receive(path, bytes) || datagram_pass(path, bytes, iteration, ret);
}

/* No order returns buffer contents, but checking one byte against 0 returns any other value. */
static int read_bytes(struct side *side, uint64_t offset, size_t count, uint8_t *bytes)
{
	struct message_fill request = {.constant = 1};

	for (size_t i = 0; i < count; i++) {
		struct message_checked checked;

		request.span = trial_span(offset + i, 1);
		if (trial_order(side, check, &request, &checked))
			return -EIO;
		bytes[i] = checked.equal ? 0 : (uint8_t)checked.got;
	}
	return 0;
}

/* Offsets of the fields within the 40 bytes. */
struct header_form {
	const char *name;
	uint32_t at; /* of the version, in the high half of its byte */
	uint8_t version;
	uint32_t next_at; /* of the next header or protocol */
	uint8_t next;
	uint32_t source, destination;
	uint32_t address_bytes;
};

/*
 * A GRH (IBTA 1, 8.3) is laid out like an IPv6 header, with 0x1b as the next header. RoCE v2 has an
 * IPv6 header instead, or an IPv4 header in the last 20 of the 40 bytes (union rdma_network_hdr,
 * include/rdma/ib_verbs.h).
 */
static const struct header_form grh_form = {"a global route header", 0, 6, 6, 0x1b, 8, 24, 16};
static const struct header_form ipv6_form = {"an IPv6 header", 0, 6, 6, IPPROTO_UDP, 8, 24, 16};
static const struct header_form ipv4_form = {"an IPv4 header", 20, 4, 29, IPPROTO_UDP, 32, 36, 4};

static const struct header_form *form_of(const struct trial *trial, const struct gid *destination)
{
	if (trial->near.can.far.gid_type != GID_TYPE_ROCE_V2)
		return &grh_form;
	return gid_is_ipv4_mapped(destination) ? &ipv4_form : &ipv6_form;
}

static int check_address(struct side *side, uint32_t at, const struct header_form *form,
			 const char *what, const struct gid *expected)
{
	char got_text[GID_TEXT_SIZE], expected_text[GID_TEXT_SIZE];
	struct gid got = *expected;

	if (read_bytes(side, DATAGRAM_RECEIVE + at, form->address_bytes,
		       got.raw + sizeof(got.raw) - form->address_bytes))
		return -EIO;
	if (!memcmp(got.raw, expected->raw, sizeof(got.raw)))
		return 0;
	gid_format(&got, got_text);
	gid_format(expected, expected_text);
	return trial_fail(side->trial,
			  "look for address translation between the hosts, and compare the GIDs",
			  "the %s address in the message's header is %s, expected %s", what,
			  got_text, expected_text);
}

static int check_kind(struct side *side, const struct header_form *form)
{
	uint8_t version, next;
	int rc = read_bytes(side, DATAGRAM_RECEIVE + form->at, 1, &version) ||
		 read_bytes(side, DATAGRAM_RECEIVE + form->next_at, 1, &next);

	if (rc || (version >> 4 == form->version && next == form->next))
		return rc;
	return trial_fail(
		side->trial, NULL,
		"before the message is not %s: version %u, next header 0x%02x, expected %u and "
		"0x%02x",
		form->name, version >> 4, next, form->version, form->next);
}

int datagram_check_header(struct datagram_path *path, const struct gid *source,
			  const struct gid *destination)
{
	const struct header_form *form = form_of(path->from->trial, destination);

	return check_kind(path->to, form) ||
	       check_address(path->to, form->source, form, "source", source) ||
	       check_address(path->to, form->destination, form, "destination", destination);
}

void datagram_remark_losses(struct trial *trial, const struct datagram_path paths[static 2])
{
	uint32_t lost = paths[0].lost + paths[1].lost, sent = paths[0].sent + paths[1].sent;

	if (lost)
		trial_remark(trial, "%u of %u messages were lost, which this transport allows",
			     lost, sent);
}
