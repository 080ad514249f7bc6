/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests_datagram.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/port.h"

/* The largest MTU of all, IBTA 1 14.2.5.6. */
#define MOST_MTU 4096u
/* How long to listen for what may not come. */
#define SILENT_MSEC 50u

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* One byte, one packet, and a message that ends within its fourth packet. */
static void uc_send(struct trial *trial)
{
	uint32_t mtu = smaller(trial_mtu(trial), MOST_MTU);
	const uint64_t sizes[] = {1, mtu, 3 * mtu + 5};
	struct datagram_way ways[2];
	uint32_t iteration = 0;
	int rc = datagram_connect(trial, PAIR_UC, ways);

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !rc; i++)
		for (size_t j = 0; j < 2 && !rc; j++)
			rc = datagram_transfer(trial, &ways[j], sizes[i], iteration++, NULL);
	if (!rc)
		datagram_remark_losses(trial, ways);
}

#define WRITE_ATTEMPTS 10u
#define WRITE_MSEC     200u
#define LOOK_MSEC      10u

/* Nothing tells the other side of a write: looks there until all has come, or time is over. */
static int await_write(struct trial *trial, const struct span *span, uint64_t *ret_arrived)
{
	const struct timespec pause = {.tv_nsec = LOOK_MSEC * 1000000};
	struct message order = {.type = MESSAGE_CHECK, .fill = {.span = *span, .constant = 1}};
	uint64_t end = clock_msec() + WRITE_MSEC;

	for (;;) {
		struct message reply;
		/* In which order bytes come is not defined, so count those that did. */
		int rc = side_call(&trial->far, &order, &reply);

		if (rc)
			return trial_explain(trial, &trial->far, rc, &reply);
		*ret_arrived = reply.checked.different;
		if (*ret_arrived == span->block_bytes || clock_msec() >= end)
			return 0;
		nanosleep(&pause, NULL);
	}
}

static int write_once(struct trial *trial, const struct message_buffered *there, uint64_t bytes,
		      uint64_t id)
{
	const struct message_post post = {
		.operation = POST_WRITE,
		.flags = POST_SIGNALED,
		.id = id,
		.span = trial_span(0, bytes),
		.remote_address = there->address + DATAGRAM_RECEIVE,
		.remote_key = there->remote_key,
	};
	int rc = trial_post(trial, &trial->near, &post);

	return rc ? rc : trial_expect(trial, &trial->near, id, NULL);
}

/*
 * A fresh queue pair for another attempt: once rxe has lost a part of a write, but not its first
 * packet, it takes none anymore (do_class_d1e_error() in drivers/infiniband/sw/rxe/rxe_resp.c
 * forgets what it waits for only if there is a receive, where a first packet should begin anew).
 */
static int renew(struct trial *trial)
{
	const struct pair_shape shape = {.kind = PAIR_UC, .keep_queue = true};

	return trial_connect(trial, 0, &shape, NULL);
}

static int uc_write_size(struct trial *trial, const struct message_buffered *there,
			 struct datagram_way *way, uint64_t bytes)
{
	const struct span area = trial_span(DATAGRAM_RECEIVE, DATAGRAM_ROOM);
	const struct span data = trial_span(DATAGRAM_RECEIVE, bytes);
	const struct span rest = trial_span(DATAGRAM_RECEIVE + bytes, DATAGRAM_ROOM - bytes);
	uint64_t arrived = 0;
	int rc = trial_fill_constant(trial, &trial->far, &area, 0);

	if (!rc)
		rc = datagram_fill(trial, way, bytes, (uint32_t)bytes);
	for (uint32_t i = 0; i < WRITE_ATTEMPTS && !rc && arrived < bytes; i++) {
		rc = i ? renew(trial) : 0;
		if (rc)
			return rc;
		way->sent++;
		rc = write_once(trial, there, bytes, way->next_id++);
		if (!rc)
			rc = await_write(trial, &data, &arrived);
		if (!rc && arrived < bytes)
			way->lost++;
	}
	/* What is not whole after all these is lost on the way, unless it went elsewhere. */
	if (!rc)
		rc = trial_check_constant(trial, &trial->far, &rest, 0);
	if (!rc && arrived < bytes) {
		trial_explain_end(trial, &trial->far, STOP_TIMED_OUT, WRITE_ATTEMPTS * WRITE_MSEC);
		return -ETIMEDOUT;
	}
	return rc ? rc : trial_check(trial, &trial->far, &data, (uint32_t)bytes);
}

static void uc_write(struct trial *trial)
{
	uint32_t mtu = smaller(trial_mtu(trial), MOST_MTU);
	const uint64_t sizes[] = {1, mtu, 3 * mtu + 5};
	struct datagram_way ways[2];
	struct message_buffered there;
	int rc = datagram_connect(trial, PAIR_UC, ways);

	/* Once more, for the key of the far one. */
	if (!rc)
		rc = trial_buffers(trial, DATAGRAM_BYTES, &there);
	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !rc; i++)
		rc = uc_write_size(trial, &there, &ways[0], sizes[i]);
	if (!rc)
		datagram_remark_losses(trial, ways);
}

static void ud_send(struct trial *trial)
{
	const uint64_t sizes[] = {0, 1, smaller(trial_mtu(trial), 1000)};
	struct datagram_way ways[2];
	uint32_t iteration = 0;
	int rc = datagram_connect(trial, PAIR_UD, ways);

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !rc; i++)
		for (size_t j = 0; j < 2 && !rc; j++)
			rc = datagram_transfer(trial, &ways[j], sizes[i], iteration++, NULL);
	if (!rc)
		datagram_remark_losses(trial, ways);
}

static int header_one_way(struct trial *trial, struct datagram_way *way, const struct gid *source,
			  const struct gid *destination, uint32_t iteration, bool *ret_with)
{
	bool ethernet = trial->near_can.far.link_layer == LINK_LAYER_ETHERNET;
	struct work_completion item;
	int rc = datagram_transfer(trial, way, 64, iteration, &item);

	if (rc)
		return rc;
	*ret_with = item.with_grh;
	if (item.with_grh)
		return datagram_check_header(trial, way, source, destination);
	if (!ethernet)
		return 0;
	trial_fail(trial, NULL,
		   "the completion does not tell of a header (IBV_WC_GRH), which each RoCE message "
		   "has");
	return -EBADE;
}

static void ud_header(struct trial *trial)
{
	const struct gid *near = &trial->near_can.far.gid, *far = &trial->far_can.far.gid;
	struct datagram_way ways[2];
	bool with[2] = {false, false};
	int rc = datagram_connect(trial, PAIR_UD, ways);

	if (!rc)
		rc = header_one_way(trial, &ways[0], near, far, 0, &with[0]);
	if (!rc)
		rc = header_one_way(trial, &ways[1], far, near, 1, &with[1]);
	if (rc)
		return;
	if (with[0] && with[1])
		datagram_remark_losses(trial, ways);
	else
		trial_skip(trial, "within an InfiniBand subnet messages need no global header");
}

#define WRONG_QKEY 0x22222222u

/*
 * The message with the wrong key leaves as any other, and must not arrive; a right one behind it
 * must, so it was not the path that swallowed the first.
 */
static void ud_qkey(struct trial *trial)
{
	struct datagram_way ways[2];
	int rc = datagram_connect(trial, PAIR_UD, ways);

	if (rc)
		return;
	ways[0].qkey = WRONG_QKEY;
	/* Into the receive that the second one is for, if it came. */
	rc = datagram_fill(trial, &ways[0], 256, 0);
	if (!rc)
		rc = datagram_receive(trial, &ways[0], 256);
	if (!rc)
		rc = datagram_send(trial, &ways[0], 256);
	if (!rc)
		rc = datagram_expect_none(trial, &ways[0], SILENT_MSEC,
					  "a datagram with a wrong Q_Key arrived");
	if (rc)
		return;
	ways[0].qkey = TRIAL_QKEY;
	ways[0].sent = 0;
	if (!datagram_pass(trial, &ways[0], 256, 1, NULL))
		datagram_remark_losses(trial, ways);
}

/* What becomes of a message that no packet can hold. */
enum fate { FATE_REFUSED, FATE_FAILED, FATE_DROPPED };

static int send_too_long(struct trial *trial, struct datagram_way *way, uint64_t bytes,
			 enum fate *ret_fate)
{
	const struct message order = {
		.type = MESSAGE_POST,
		.post =
			{
				.operation = POST_SEND,
				.flags = POST_SIGNALED,
				.count = 1,
				.id = ++way->next_id,
				.span = trial_span(0, bytes),
				.number = way->number,
				.qkey = way->qkey,
			},
	};
	struct message_waited waited;
	struct message reply;
	uint32_t status;
	int rc = side_call(way->from, &order, &reply);

	*ret_fate = FATE_REFUSED;
	if (rc == -EREMOTEIO && reply.refused.error)
		return 0;
	if (rc)
		return trial_explain(trial, way->from, rc, &reply);
	rc = trial_wait(trial, way->from, 1, 0, &waited);
	if (rc)
		return rc;
	status = waited.items[0].status;
	*ret_fate = status ? FATE_FAILED : FATE_DROPPED;
	if (!status || status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_QP_OP_ERR)
		return 0;
	return trial_explain_status(trial, way->from, &waited.items[0]);
}

/*
 * IBTA 1 C10-93.1.1: of a UD message that is longer than the MTU no packet leaves, and there is no
 * error. Devices that tell their user all the same, when it is posted or as a local error, serve
 * him better. In no case may it arrive.
 */
static void ud_mtu(struct trial *trial)
{
	static const char *const fates[] = {
		[FATE_REFUSED] = "refused when it is posted",
		[FATE_FAILED] = "completed with an error",
		[FATE_DROPPED] = "dropped without an error, as the specification has it",
	};
	uint32_t near = smaller(trial->near_can.far.mtu_bytes, MOST_MTU);
	uint32_t far = smaller(trial->far_can.far.mtu_bytes, MOST_MTU);
	uint32_t mtu = smaller(near, far);
	struct datagram_way ways[2];
	enum fate fate;
	int rc;

	if (!mtu) {
		trial_skip(trial, "the active MTU of a port is not known");
		return;
	}
	rc = datagram_connect(trial, PAIR_UD, ways);
	if (!rc)
		rc = datagram_transfer(trial, &ways[0], mtu, 0, NULL);
	number_set(&trial->result->size_bytes, mtu);
	if (!rc)
		rc = datagram_receive(trial, &ways[0], near + 1);
	if (!rc)
		rc = send_too_long(trial, &ways[0], near + 1, &fate);
	if (!rc)
		rc = datagram_expect_none(trial, &ways[0], SILENT_MSEC,
					  "a datagram longer than the port's MTU arrived");
	if (!rc)
		trial_remark(trial, "a message of %u bytes is %s", near + 1, fates[fate]);
}

const struct trial_test datagram_tests[] = {
	{"uc-send", SELFTEST_UC, "messages of an unreliable connection", NEED_UC, uc_send, 0},
	{"uc-write", SELFTEST_UC, "RDMA writes of an unreliable connection", NEED_UC, uc_write, 0},
	{"ud-send", SELFTEST_UD, "datagrams both ways, with the sender's queue pair number",
	 NEED_UD, ud_send, 0},
	{"ud-grh", SELFTEST_UD, "the header before a datagram has both addresses", NEED_UD,
	 ud_header, 0},
	{"ud-qkey", SELFTEST_UD, "a datagram with a wrong Q_Key is dropped", NEED_UD, ud_qkey, 0},
	{"ud-mtu", SELFTEST_UD, "a datagram as long as the MTU arrives, a longer one does not",
	 NEED_UD, ud_mtu, 0},
	{"multicast", SELFTEST_MULTICAST, "a message to a group that both sides joined",
	 NEED_UD | NEED_MULTICAST, multicast, 0},
	{.id = NULL},
};
