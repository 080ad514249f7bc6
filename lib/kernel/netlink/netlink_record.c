/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/netlink_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/recording.h"
#include "kernel/root.h"

/* Messages that one call passes on at most. */
#define MESSAGES_AT_ONCE 64u

/* Longer answers are not recorded: of the kernel's tables, only routes can be that many. */
#define LARGEST_NOTE (32u << 20)

struct netlink_record {
	uint32_t protocol;
	int fd;					 /* for writing the record, or -1 */
	struct text_buffer notes[NETLINK_BATCH]; /* requests that are not fully answered yet */
	struct recording *recording;		 /* supplies answers; or NULL */
	struct {
		const struct recorded_message *messages; /* NULL: this was not asked */
		size_t left;
	} answers[NETLINK_BATCH];
};

int netlink_record_open(const struct root *root, int protocol, struct netlink_record **ret_record)
{
	struct netlink_record record = {.protocol = (uint32_t)protocol};
	int rc = recording_choose(root, RECORDING_NETLINK_FILE, &record.fd, &record.recording);

	if (rc)
		return rc;
	*ret_record = NULL;
	if (record.fd < 0 && !record.recording)
		return 0;
	*ret_record = mem_alloc_zero(1, sizeof(**ret_record));
	**ret_record = record;
	return 0;
}

void netlink_record_free(struct netlink_record *record)
{
	if (!record)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(record->notes); i++)
		free(record->notes[i].text);
	recording_free(record->recording);
	free(record);
}

bool netlink_record_answers(const struct netlink_record *record)
{
	return record && record->recording;
}

static struct recorded_message recorded(const struct nlmsghdr *message)
{
	return (struct recorded_message){
		.type = message->nlmsg_type,
		.flags = message->nlmsg_flags,
		.length = (uint32_t)nlmsg_datalen(message),
		.payload = nlmsg_data(message),
	};
}

void netlink_record_ask(struct netlink_record *record, const struct netlink_request *request)
{
	for (unsigned int i = 0; record && i < request->count; i++) {
		const struct recorded_message question = recorded(nlmsg_hdr(request->messages[i]));

		if (record->recording) {
			record->answers[i].messages = recording_find(record->recording,
								     record->protocol, &question,
								     &record->answers[i].left);
			continue;
		}
		free(text_buffer_take(&record->notes[i]));
		recording_ask(&record->notes[i], record->protocol, &question);
	}
}

static bool is_noting(const struct netlink_record *record, unsigned int index)
{
	return record && !record->recording && record->notes[index].text;
}

/* An error repeats the header of the request, with this process's sequence and port numbers. */
static void hide_numbers(uint8_t *payload, size_t length)
{
	const size_t begin = offsetof(struct nlmsgerr, msg.nlmsg_seq);

	if (length >= sizeof(struct nlmsgerr))
		memset(payload + begin, 0, sizeof(struct nlmsgerr) - begin);
}

/*
 * Keys give access to memory, and the kernel shows them to administrators: fill_res_mr_entry() and
 * fill_res_pd_entry(), drivers/infiniband/core/nldev.c. They become attributes of type 0, which
 * every parser skips.
 */
static void hide_keys_of(struct nlattr *entry)
{
	struct nlattr *attribute;
	int left;

	nla_for_each_nested(attribute, entry, left)
	{
		switch (nla_type(attribute)) {
		case RDMA_NLDEV_ATTR_RES_RKEY:
		case RDMA_NLDEV_ATTR_RES_LKEY:
		case RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY:
		case RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY:
			attribute->nla_type = 0;
			memset(nla_data(attribute), 0, (size_t)nla_len(attribute));
		}
	}
}

static void hide_keys(uint8_t *payload, size_t length)
{
	struct nlattr *table, *entry;
	int left, left_inside;

	nla_for_each_attr(table, (struct nlattr *)(void *)payload, (int)length, left)
	{
		if (nla_type(table) != RDMA_NLDEV_ATTR_RES_MR &&
		    nla_type(table) != RDMA_NLDEV_ATTR_RES_PD)
			continue;
		nla_for_each_nested(entry, table, left_inside) hide_keys_of(entry);
	}
}

void netlink_record_take(struct netlink_record *record, unsigned int index,
			 const struct nlmsghdr *message)
{
	_cleanup_(freep) uint8_t *copy = NULL;
	struct recorded_message answer;

	if (!is_noting(record, index))
		return;
	answer = recorded(message);
	copy = mem_alloc_zero(answer.length + 1, 1);
	memcpy(copy, answer.payload, answer.length);
	answer.payload = copy;
	if (message->nlmsg_type == NLMSG_ERROR)
		hide_numbers(copy, answer.length);
	else if (record->protocol == NETLINK_RDMA)
		hide_keys(copy, answer.length);
	recording_got(&record->notes[index], &answer);
	if (record->notes[index].length > LARGEST_NOTE) {
		free(text_buffer_take(&record->notes[index]));
		recording_lose(record->fd);
	}
}

void netlink_record_end(struct netlink_record *record, unsigned int index)
{
	if (is_noting(record, index))
		recording_end(record->fd, &record->notes[index]);
}

/* Passes on one message as a datagram with the sequence number of its request. */
static int hand_on(struct netlink_exchange *exchange, unsigned int index,
		   const struct recorded_message *answer)
{
	const size_t length = NLMSG_HDRLEN + (size_t)answer->length;
	_cleanup_(freep) struct nlmsghdr *message = mem_alloc_zero(NLMSG_ALIGN(length), 1);

	message->nlmsg_len = (uint32_t)length;
	message->nlmsg_type = answer->type;
	message->nlmsg_flags = answer->flags;
	message->nlmsg_seq = exchange->sequence + index;
	memcpy(nlmsg_data(message), answer->payload, answer->length);
	return netlink_take(exchange, message, length);
}

/* Builds an error with an explanation, in the kernel's format. */
static int refuse(struct netlink_exchange *exchange, unsigned int index)
{
	struct {
		struct nlmsgerr refusal;
		struct nlattr attribute;
		char text[NLA_ALIGN(sizeof(RECORDING_LACKS))];
	} payload = {
		.refusal = {.error = -ENODATA},
		.attribute = {.nla_len = NLA_HDRLEN + sizeof(RECORDING_LACKS),
			      .nla_type = NLMSGERR_ATTR_MSG},
		.text = RECORDING_LACKS,
	};

	return hand_on(exchange, index,
		       &(struct recorded_message){
			       .type = NLMSG_ERROR,
			       .flags = NLM_F_CAPPED | NLM_F_ACK_TLVS,
			       .length = sizeof(payload),
			       .payload = (const uint8_t *)&payload,
		       });
}

int netlink_record_receive(struct netlink_record *record, struct netlink_exchange *exchange)
{
	unsigned int handed = 0;
	int rc = 0;

	for (unsigned int i = 0; i < exchange->count; i++) {
		if (!record->answers[i].messages && !exchange->answered[i]) {
			rc = refuse(exchange, i);
			handed++;
		}
		while (!rc && record->answers[i].left && exchange->left &&
		       handed < MESSAGES_AT_ONCE) {
			rc = hand_on(exchange, i, record->answers[i].messages++);
			record->answers[i].left--;
			handed++;
		}
	}
	return rc || handed ? rc : -EBADMSG;
}
