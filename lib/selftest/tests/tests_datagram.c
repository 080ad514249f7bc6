/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/tests/tests.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"

/* How long to wait for a message that must not come. */
#define SILENT_MSEC 50u

static void send_sizes(struct trial *trial, uint32_t kind, const uint64_t sizes[static 3])
{
	struct datagram_path paths[2];
	int rc = datagram_connect(trial, kind, paths);

	for (uint32_t i = 0; i < 6 && !rc; i++)
		rc = datagram_transfer(&paths[i % 2], sizes[i / 2], i, NULL);
	if (!rc)
		datagram_remark_losses(trial, paths);
}

/* One byte, one packet, and a message that ends within its fourth packet. */
static void uc_send(struct trial *trial)
{
	uint32_t mtu = trial_mtu(trial);

	send_sizes(trial, QP_UC, (const uint64_t[]){1, mtu, 3 * mtu + 5});
}

static void ud_send(struct trial *trial)
{
	send_sizes(trial, QP_UD, (const uint64_t[]){0, 1, at_most(trial_mtu(trial), 1000)});
}

#define WRITE_ATTEMPTS	 10u
#define WRITE_MSEC	 200u
#define WRITE_CHECK_MSEC 10u

/* Nothing tells the other side about a write: check there until it is complete, or time is up. */
static int await_write(struct side *to, const struct span *span, uint64_t *ret_arrived)
{
	const struct timespec pause = {.tv_nsec = WRITE_CHECK_MSEC * 1000000};
	const struct message_fill request = {.span = *span, .constant = 1};
	uint64_t end = clock_msec() + WRITE_MSEC;

	for (;;) {
		struct message_checked checked;
		/* The order in which bytes arrive is undefined, so count those that did. */
		int rc = trial_order(to, check, &request, &checked);

		if (rc)
			return rc;
		*ret_arrived = checked.different;
		if (*ret_arrived == span->block_bytes || clock_msec() >= end)
			return 0;
		nanosleep(&pause, NULL);
	}
}

/*
 * Each attempt after the first gets a new queue pair: after rxe has lost any part of a write except
 * its first packet, it accepts no more writes (do_class_d1e_error() in
 * drivers/infiniband/sw/rxe/rxe_resp.c resets its state only if there is a receive, where a first
 * packet should reset it).
 */
static int uc_write_size(struct datagram_path *path, uint64_t bytes)
{
	const struct qp_shape again = {.kind = QP_UC, .keep_cq = true};
	const struct span all = trial_span(DATAGRAM_RECEIVE, DATAGRAM_ROOM);
	const struct span data = trial_span(DATAGRAM_RECEIVE, bytes);
	const struct span rest = trial_span(DATAGRAM_RECEIVE + bytes, DATAGRAM_ROOM - bytes);
	struct message_post post = trial_move(POST_WRITE, 0, trial_span(0, bytes), path->to,
					      DATAGRAM_RECEIVE);
	uint64_t arrived = 0;

	if (trial_fill_constant(path->to, all, 0) ||
	    trial_fill(path->from, trial_span(0, bytes), (uint32_t)bytes))
		return -EIO;
	for (uint32_t i = 0; i < WRITE_ATTEMPTS && arrived < bytes; i++) {
		if (i && trial_connect(path->from->trial, &again, NULL))
			return -EIO;
		path->sent++;
		post.id = path->next_id++;
		if (trial_post(path->from, &post) || trial_expect(path->from, post.id, NULL) ||
		    await_write(path->to, &data, &arrived))
			return -EIO;
		path->lost += arrived < bytes;
	}
	/* Data that did not arrive may have gone elsewhere, rather than been lost. */
	if (trial_check_constant(path->to, rest, 0))
		return -EIO;
	/* The other side counts: it may claim more than there is, which the check shows. */
	if (arrived >= bytes)
		return trial_check(path->to, data, (uint32_t)bytes);
	return trial_explain_end(path->to, STOP_TIMED_OUT, WRITE_ATTEMPTS * WRITE_MSEC);
}

static void uc_write(struct trial *trial)
{
	uint32_t mtu = trial_mtu(trial);
	const uint64_t sizes[] = {1, mtu, 3 * mtu + 5};
	struct datagram_path paths[2];
	int rc = datagram_connect(trial, QP_UC, paths);

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !rc; i++)
		rc = uc_write_size(&paths[0], sizes[i]);
	if (!rc)
		datagram_remark_losses(trial, paths);
}

static int check_one_header(struct datagram_path *path, const struct gid *source,
			    const struct gid *destination, uint32_t iteration, bool *ret_with)
{
	struct trial *trial = path->from->trial;
	bool ethernet = trial->near.can.far.link_layer == LINK_LAYER_ETHERNET;
	struct work_completion item;

	if (datagram_transfer(path, 64, iteration, &item))
		return -EIO;
	*ret_with = item.with_grh;
	if (item.with_grh)
		return datagram_check_header(path, source, destination);
	if (!ethernet)
		return 0;
	return trial_fail(trial, NULL,
			  "the completion does not report a header (IBV_WC_GRH), which every "
			  "RoCE message has");
}

static void ud_header(struct trial *trial)
{
	const struct gid *near = &trial->near.can.far.gid, *far = &trial->far.can.far.gid;
	struct datagram_path paths[2];
	bool with[2] = {false, false};

	if (datagram_connect(trial, QP_UD, paths) ||
	    check_one_header(&paths[0], near, far, 0, &with[0]) ||
	    check_one_header(&paths[1], far, near, 1, &with[1]))
		return;
	if (with[0] && with[1])
		datagram_remark_losses(trial, paths);
	else
		trial_skip(trial, endpoint_is_efa(&trial->near.can.far)
					  ? "EFA reports no header of a message"
					  : "within an InfiniBand subnet messages need no "
					    "global header");
}

#define WRONG_QKEY 0x22222222u

/*
 * The message with the wrong key is sent like any other and must not arrive. A correct one after it
 * must arrive, which rules out that the network lost the first.
 */
static void ud_qkey(struct trial *trial)
{
	struct datagram_path paths[2];

	if (datagram_connect(trial, QP_UD, paths))
		return;
	paths[0].qkey = WRONG_QKEY;
	/* If it arrived, it would consume the receive meant for the second message. */
	if (trial_fill(paths[0].from, trial_span(0, 256), 0) || datagram_receive(&paths[0], 256) ||
	    datagram_send(&paths[0], 256) ||
	    datagram_expect_none(&paths[0], SILENT_MSEC, "a datagram with a wrong Q_Key arrived"))
		return;
	paths[0].qkey = TRIAL_QKEY;
	paths[0].sent = 0;
	if (!datagram_pass(&paths[0], 256, 1, NULL))
		datagram_remark_losses(trial, paths);
}

/* What happened to a message that does not fit into a packet. */
enum fate { FATE_REFUSED, FATE_FAILED, FATE_DROPPED };

static int send_too_long(struct datagram_path *path, uint64_t bytes, enum fate *ret_fate)
{
	struct message_post request = trial_send(++path->next_id, trial_span(0, bytes));
	struct message_waited waited;
	uint32_t status;
	int rc;

	request.qpn = path->qpn;
	request.qkey = path->qkey;
	rc = side_post(path->from, &request);
	*ret_fate = FATE_REFUSED;
	if (rc == -EREMOTEIO && path->from->refused.error)
		return 0;
	if (trial_explain(path->from, rc) || trial_wait(path->from, 1, &waited))
		return -EIO;
	status = waited.items[0].status;
	*ret_fate = status ? FATE_FAILED : FATE_DROPPED;
	if (!status || status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_QP_OP_ERR)
		return 0;
	return trial_explain_status(path->from, &waited.items[0]);
}

/*
 * The largest MTU that verbs report may be less than that of the port: Omni-Path and EFA have up to
 * 10,240 and about 9,000 bytes (query_port() of hfi1, efa_query_port()).
 */
static bool is_mtu_exact(const struct endpoint *port, uint32_t mtu)
{
	return mtu < PORT_LARGEST_MTU ||
	       (port->transport != TRANSPORT_OPA && !endpoint_is_efa(port));
}

/*
 * IBTA 1 C10-93.1.1: a UD message longer than the MTU is not sent, and there is no error. Devices
 * that nevertheless report one, when it is posted or as a local error, serve their users better. It
 * must never arrive.
 */
static void ud_mtu(struct trial *trial)
{
	static const char *const fates[] = {
		[FATE_REFUSED] = "refused when it is posted",
		[FATE_FAILED] = "completed with an error",
		[FATE_DROPPED] = "dropped without an error, as the specification says",
	};
	uint32_t near = at_most(trial->near.can.far.mtu_bytes, PORT_LARGEST_MTU);
	uint32_t far = at_most(trial->far.can.far.mtu_bytes, PORT_LARGEST_MTU);
	uint32_t mtu = at_most(near, far);
	struct datagram_path paths[2];
	enum fate fate;
	int rc;

	if (!mtu) {
		trial_skip(trial, "the active MTU of a port is not known");
		return;
	}
	rc = datagram_connect(trial, QP_UD, paths) || datagram_transfer(&paths[0], mtu, 0, NULL);
	number_set(&trial->result->size_bytes, mtu);
	if (!is_mtu_exact(&trial->near.can.far, near)) {
		trial_remark(
			trial,
			"no message longer than that was sent: the port's MTU may be larger than "
			"libibverbs can report");
		return;
	}
	if (!rc && !datagram_receive(&paths[0], near + 1) &&
	    !send_too_long(&paths[0], near + 1, &fate) &&
	    !datagram_expect_none(&paths[0], SILENT_MSEC,
				  "a datagram longer than the port's MTU arrived"))
		trial_remark(trial, "a message of %u bytes is %s", near + 1, fates[fate]);
}

#define JOIN_MSEC	5000u
#define LEFT_MSEC	100u
#define KERNEL_ENOTSUPP 524 /* include/linux/errno.h */

/* The destination QPN of all multicast messages, IBTA 1, 10.5. */
#define GROUP_QPN 0xffffffu

/*
 * Chooses a group that another test in the same network is unlikely to use: 239.255/16 has local
 * scope (RFC 2365), ff1e:: is transient (RFC 4291).
 */
static struct ip_address choose_group(const struct trial *trial, uint32_t number)
{
	uint64_t mixed = (gid_interface_id(&trial->near.can.far.gid) + number) *
			 UINT64_C(0x9e3779b97f4a7c15);
	struct ip_address group = {.family = trial->near.can.far.ip.family};

	if (group.family == AF_INET) {
		group.raw[0] = 239;
		group.raw[1] = 255;
		group.raw[2] = (uint8_t)(mixed >> 56);
		group.raw[3] = (uint8_t)(mixed >> 48);
		return group;
	}
	group.raw[0] = 0xff;
	group.raw[1] = 0x1e;
	for (unsigned int i = 0; i < 4; i++)
		group.raw[12 + i] = (uint8_t)(mixed >> (32 + 8 * i));
	return group;
}

static int join(struct side *side, const struct ip_address *group, struct message_joined *ret)
{
	struct trial *trial = side->trial;
	const struct message_join request = {.group = *group, .timeout_msec = JOIN_MSEC};
	const struct message_refused *refused = &side->refused;
	int rc = side_join(side, &request, ret);

	/*
	 * The kernel joins no IPv6 group for RoCE v2 on any device (cma_iboe_join_multicast() in
	 * drivers/infiniband/core/cma.c), and returns a number that is not a user space errno.
	 */
	if (rc == -EREMOTEIO && group->family == AF_INET6 && refused->stage == STAGE_CM &&
	    (refused->error == KERNEL_ENOTSUPP || refused->error == EOPNOTSUPP)) {
		trial_skip(trial, "the kernel joins no IPv6 groups for RoCE v2: try an IPv4 GID");
		return rc;
	}
	trial->group = group;
	rc = trial_explain(side, rc);
	trial->group = NULL;
	return rc;
}

static int leave(struct side *side)
{
	return trial_order(side, leave, &(struct message_leave){0});
}

/*
 * Both sides join, and the near side prepares to send to the group; *joined is its view of it.
 * Members of a group need its Q_Key.
 */
static int enter(struct datagram_path *path, struct message_joined *joined)
{
	struct trial *trial = path->from->trial;
	const struct ip_address group = choose_group(trial, path->src_qpn);
	struct side *near = &trial->near, *far = &trial->far;
	struct message_modify modify = {.state = IBV_QPS_RTS, .to = trial->near.can.far};
	struct message_address address = {.to = trial->far.can.far};
	struct message_joined far_joined;

	if (join(far, &group, &far_joined) || join(near, &group, joined))
		return -EIO;
	modify.qkey = far_joined.qkey;
	address.to.gid = joined->gid;
	address.to.lid = joined->lid;
	if (trial_order(far, modify, &modify) || trial_order(near, address, &address))
		return -EIO;
	trial_note_told(trial);
	path->qpn = GROUP_QPN;
	path->qkey = joined->qkey;
	return 0;
}

/* After the far side left, the same message must not arrive. */
static int hear_nothing(struct datagram_path *path)
{
	path->next_id++;
	return leave(path->to) || datagram_receive(path, 256) || datagram_send(path, 256) ||
	       datagram_expect_none(
		       path, LEFT_MSEC,
		       "a message to the group arrived after the far side had left it");
}

static void multicast(struct trial *trial)
{
	uint32_t near = trial->near.can.far.ip.family, far = trial->far.can.far.ip.family;
	const struct gid *gid = &trial->near.can.far.gid;
	struct message_joined joined = {0};
	struct datagram_path paths[2];
	struct work_completion item;

	if (!near || near != far) {
		trial_skip(trial, near ? "the addresses of both sides are of different families"
				       : "librdmacm joins by an IP address, and the port has none");
		return;
	}
	if (!datagram_connect(trial, QP_UD, paths) && !enter(&paths[0], &joined) &&
	    !datagram_transfer(&paths[0], 256, 0, &item) &&
	    (!item.with_grh || !datagram_check_header(&paths[0], gid, &joined.gid)) &&
	    !hear_nothing(&paths[0]) && !leave(&trial->near))
		datagram_remark_losses(trial, paths);
}

const struct trial_test datagram_tests[] = {
	{"uc-send", SELFTEST_UC, "messages of an unreliable connection", TEST_NEEDS_UC, uc_send},
	{"uc-write", SELFTEST_UC, "RDMA writes of an unreliable connection", TEST_NEEDS_UC,
	 uc_write},
	{"ud-send", SELFTEST_UD, "datagrams both ways, with the sender's queue pair number",
	 TEST_NEEDS_UD, ud_send},
	{"ud-grh", SELFTEST_UD, "the header before a datagram has both addresses", TEST_NEEDS_UD,
	 ud_header},
	{"ud-qkey", SELFTEST_UD, "a datagram with a wrong Q_Key is dropped", TEST_NEEDS_UD,
	 ud_qkey},
	{"ud-mtu", SELFTEST_UD, "a datagram as long as the MTU arrives, a longer one does not",
	 TEST_NEEDS_UD, ud_mtu},
	{"multicast", SELFTEST_MULTICAST, "a message to a group that both sides joined",
	 TEST_NEEDS_UD | TEST_NEEDS_MULTICAST, multicast},
	{0},
};
