/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What netlink.c does besides asking: it notes questions and answers for a snapshot, or answers
 * from one (kernel/recording.h). Nothing else uses this. NULL is legal everywhere, and does
 * nothing.
 */
#pragma once

#include "kernel/netlink/netlink.h"

struct netlink_record;

/*
 * NULL if the root is live and nothing is noted. -ENODATA, -EBADMSG ...: the root is a snapshot
 * without a recording, or with a damaged one; -EOPNOTSUPP: it is a saved tree.
 */
int netlink_record_open(const struct root *root, int protocol, struct netlink_record **ret_record);
void netlink_record_free(struct netlink_record *record);
/* Whether there is no socket, and the record answers. */
bool netlink_record_answers(const struct netlink_record *record);
/* The requests of an exchange that begins. */
void netlink_record_ask(struct netlink_record *record, const struct netlink_request *request);
/* A message of the answer to one of them, and its end. */
void netlink_record_take(struct netlink_record *record, unsigned int index,
			 const struct nlmsghdr *message);
void netlink_record_end(struct netlink_record *record, unsigned int index);
/*
 * Hands on the next messages of the answers, as a datagram of the kernel. What was not asked gets
 * -ENODATA. -EBADMSG: the recorded answers end too early.
 */
int netlink_record_receive(struct netlink_record *record, struct netlink_exchange *exchange);
