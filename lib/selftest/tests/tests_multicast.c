/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "selftest/tests/tests_datagram.h"

#define JOIN_MSEC	5000u
#define KERNEL_ENOTSUPP 524 /* include/linux/errno.h */
#define SILENT_MSEC	100u

/* The destination QPN of all multicast messages, IBTA 1, 10.5. */
#define GROUP_NUMBER 0xffffffu

/*
 * A group that is unlikely to be that of another test in the same network: 239.255/16 is of local
 * scope (RFC 2365), ff1e:: a transient one (RFC 4291).
 */
static struct ip_address choose_group(const struct trial *trial, uint32_t number)
{
	uint64_t mixed = (gid_interface_id(&trial->near_can.far.gid) + number) *
			 UINT64_C(0x9e3779b97f4a7c15);
	struct ip_address group = {.family = trial->near_can.far.ip.family};

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

/*
 * The kernel joins no IPv6 group for RoCE v2, whatever the device (cma_iboe_join_multicast() in
 * drivers/infiniband/core/cma.c), and says so with a number that is no errno of programs.
 */
static bool is_not_offered(const struct message_refused *refused, const struct ip_address *group)
{
	return group->family == AF_INET6 && refused->stage == STAGE_CM &&
	       (refused->error == KERNEL_ENOTSUPP || refused->error == EOPNOTSUPP);
}

static int join(struct trial *trial, struct side *side, const struct ip_address *group,
		struct message_joined *ret)
{
	const struct message order = {
		.type = MESSAGE_JOIN,
		.join = {.group = *group, .timeout_msec = JOIN_MSEC},
	};
	struct message reply;
	int rc = side_call(side, &order, &reply);

	if (rc == -EREMOTEIO && is_not_offered(&reply.refused, group))
		trial_skip(trial, "the kernel joins no IPv6 group for RoCE v2: try a GID of IPv4");
	if (rc)
		return trial_explain(trial, side, rc, &reply);
	*ret = reply.joined;
	return 0;
}

static int leave(struct trial *trial, struct side *side)
{
	const struct message order = {.type = MESSAGE_LEAVE};
	struct message reply;

	return trial_call(trial, side, &order, &reply);
}

/* The members of a group have its Q_Key. */
static int set_qkey(struct trial *trial, struct side *side, uint32_t qkey)
{
	const struct message order = {
		.type = MESSAGE_MODIFY,
		.modify = {.state = IBV_QPS_RTS, .to = trial->near_can.far, .qkey = qkey},
	};
	struct message reply;

	return trial_call(trial, side, &order, &reply);
}

static int address_group(struct trial *trial, const struct message_joined *joined)
{
	struct message order = {
		.type = MESSAGE_ADDRESS,
		.address = {.to = trial->far_can.far},
	};
	struct message reply;

	order.address.to.gid = joined->gid;
	order.address.to.lid = joined->lid;
	return trial_call(trial, &trial->near, &order, &reply);
}

/* From the near side to all members; *joined is what the near side knows of the group. */
static int enter(struct trial *trial, struct datagram_way *way, struct message_joined *joined)
{
	const struct ip_address group = choose_group(trial, way->source);
	struct message_joined far_joined;
	int rc = join(trial, &trial->far, &group, &far_joined);

	if (!rc)
		rc = join(trial, &trial->near, &group, joined);
	if (!rc)
		rc = set_qkey(trial, &trial->far, far_joined.qkey);
	if (!rc)
		rc = address_group(trial, joined);
	way->number = GROUP_NUMBER;
	way->qkey = joined->qkey;
	return rc;
}

static int hear(struct trial *trial, struct datagram_way *way, const struct message_joined *joined)
{
	struct work_completion item;
	int rc = datagram_transfer(trial, way, 256, 0, &item);

	if (rc || !item.with_grh)
		return rc;
	return datagram_check_header(trial, way, &trial->near_can.far.gid, &joined->gid);
}

/* The far side left: the message of before may not arrive anymore. */
static int hear_nothing(struct trial *trial, struct datagram_way *way)
{
	int rc = leave(trial, &trial->far);

	way->next_id++;
	if (!rc)
		rc = datagram_receive(trial, way, 256);
	if (!rc)
		rc = datagram_send(trial, way, 256);
	return rc ? rc
		  : datagram_expect_none(
			    trial, way, SILENT_MSEC,
			    "a message to the group arrived after the far side had left it");
}

void multicast(struct trial *trial)
{
	uint32_t near = trial->near_can.far.ip.family, far = trial->far_can.far.ip.family;
	struct message_joined joined = {0};
	struct datagram_way ways[2];
	int rc;

	if (!near || near != far) {
		trial_skip(trial, near ? "the addresses of both sides are of different families"
				       : "librdmacm joins by an IP address, and the port has none");
		return;
	}
	rc = datagram_connect(trial, PAIR_UD, ways);
	if (!rc)
		rc = enter(trial, &ways[0], &joined);
	if (!rc)
		rc = hear(trial, &ways[0], &joined);
	if (!rc)
		rc = hear_nothing(trial, &ways[0]);
	if (!rc)
		rc = leave(trial, &trial->near);
	if (!rc)
		datagram_remark_losses(trial, ways);
}
