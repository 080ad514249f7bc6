/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Series of many requests, requests whose answer is a record, or only success or an error, and
 * repeated dumps: netlink.h.
 */
#include <errno.h>
#include <string.h>

#include <linux/netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/netlink.h"

/* Number of times to repeat a dump that was interrupted by changes. */
#define MOST_REPEATS 2

/* Requests of a series that are sent together. */
struct part {
	const struct netlink_series *series;
	size_t first;
	bool *answered; /* one entry for each request */
};

static int take_part(void *context, unsigned int index, const struct netlink_answer *answer)
{
	const struct part *part = context;

	part->answered[index] = true;
	part->series->take(part->series->context, part->first + index, answer);
	return 0;
}

static int ask_part(struct netlink *netlink, struct part *part, size_t count)
{
	struct netlink_request request = {.count = 0};

	for (size_t i = 0; i < count; i++)
		part->series->put(part->series->context, part->first + i, &request);
	return netlink_ask_batch(netlink, &request, take_part, part);
}

/* Sends a request of a series again, alone, after its answer was lost; or reports `given_up`. */
static int ask_again(struct netlink *netlink, struct part *part, int given_up)
{
	int error = given_up ? given_up : ask_part(netlink, part, 1);

	if (!part->answered[0])
		take_part(part, 0, &(struct netlink_answer){.error = error ? error : -EBADMSG});
	return error;
}

void netlink_ask_all(struct netlink *netlink, const struct netlink_series *series)
{
	int given_up = 0;

	for (size_t at = 0; at < series->count; at += NETLINK_BATCH) {
		const size_t left = series->count - at;
		const size_t size = left < NETLINK_BATCH ? left : NETLINK_BATCH;
		bool answered[NETLINK_BATCH] = {false};

		if (!given_up &&
		    ask_part(netlink, &(struct part){series, at, answered}, size) == -ETIMEDOUT &&
		    !memchr(answered, true, size))
			given_up = -ETIMEDOUT;
		for (size_t i = 0; i < size; i++) {
			struct part lost = {series, at + i, &answered[i]};

			if (!answered[i] && ask_again(netlink, &lost, given_up) == -ETIMEDOUT)
				given_up = -ETIMEDOUT;
		}
	}
}

int netlink_ask_record(struct netlink *netlink, struct netlink_request *request,
		       netlink_taker *take, void *ret_record, size_t size)
{
	_cleanup_(freep) void *record = mem_alloc_zero(1, size);
	int error = netlink_ask(netlink, request, take, record);

	if (!error)
		memcpy(ret_record, record, size);
	return error;
}

static int keep_text(void *context, unsigned int index, const struct netlink_answer *answer)
{
	char **ret_text = context;

	(void)index;
	if (answer->error && answer->text && ret_text)
		*ret_text = mem_string(answer->text);
	return answer->error;
}

int netlink_ask_plain(struct netlink *netlink, struct netlink_request *request, char **ret_text)
{
	return netlink_ask_batch(netlink, request, keep_text, ret_text);
}

int netlink_dump_table(struct netlink *netlink, const struct netlink_table *table)
{
	int rc = -EINTR;

	for (int repeats = 0; rc == -EINTR && repeats <= MOST_REPEATS; repeats++) {
		struct netlink_request request = {.count = 0};

		if (table->restart)
			table->restart(table->context);
		netlink_add(&request, table->type, NLM_F_DUMP, table->question,
			    table->question_length);
		rc = netlink_dump(netlink, &request, table->take, table->context);
	}
	return rc;
}
