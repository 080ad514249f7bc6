/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recording side of netlink.c: notes questions and answers for a snapshot, or answers from one
 * (kernel/recording.h). No other file uses this. NULL is legal everywhere, and does nothing.
 */
#pragma once

#include "kernel/netlink/netlink.h"

/*
 * *ret_record is NULL if the root is live and nothing is to be recorded. -ENODATA, -EBADMSG ...:
 * the root is a snapshot without a recording, or with a damaged one; -EOPNOTSUPP: it is a saved
 * tree.
 */
int netlink_record_open(const struct root *root, int protocol, struct netlink_record **ret_record);
void netlink_record_free(struct netlink_record *record);
/* Whether the record answers, and there is no socket. */
bool netlink_record_answers(const struct netlink_record *record);
/* Notes the requests of an exchange that begins. */
void netlink_record_ask(struct netlink_record *record, const struct netlink_request *request);
/* Note a message of the answer to one of them, and the answer's end. */
void netlink_record_take(struct netlink_record *record, unsigned int index,
			 const struct nlmsghdr *message);
void netlink_record_end(struct netlink_record *record, unsigned int index);
/*
 * Passes on the next messages of the answers, like a datagram from the kernel. A question that was
 * not recorded gets -ENODATA. -EBADMSG: the recorded answers end too early.
 */
int netlink_record_receive(struct netlink_record *record, struct netlink_exchange *exchange);
