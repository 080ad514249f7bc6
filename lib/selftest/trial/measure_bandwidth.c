/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As many messages as the queue pairs hold, until the end; and the side that receives them.
 */
#include "selftest/trial/measure.h"

#include "base/clock.h"

enum { POLL_MOST = 16 };

/* All lanes together, in one phase: what warms up, or what counts. */
struct tally {
	uint64_t begin_nsec, last_nsec;
	uint64_t completed, before;
	bool by_duration;
};

/* How many messages the lane may post now: a whole batch, or what is left of its quota. */
static inline uint32_t postable(const struct measure *measure, const struct lane *lane)
{
	const struct message_run *order = measure->order;
	uint64_t left = lane->quota - lane->posted;
	uint32_t count = left < order->batch ? (uint32_t)left : order->batch;

	if (lane->posted + count > lane->completed + order->depth)
		return 0;
	if (order->operation == RUN_SEND &&
	    lane->posted + count >
		    __atomic_load_n(lane->credit, __ATOMIC_ACQUIRE) + run_receives(order->depth))
		return 0;
	return count;
}

static inline bool post_all(struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->pairs; i++) {
		struct lane *lane = &measure->lanes[i];
		uint32_t count;

		while ((count = postable(measure, lane)) > 0)
			if (!measure_post(measure, lane, count))
				return false;
	}
	return true;
}

/* No more messages but one that is signaled, if the last one was not: its completion tells of all
 * before it. */
static void end_lanes(struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->pairs; i++) {
		struct lane *lane = &measure->lanes[i];
		uint64_t quota = lane->posted + (lane->unsignaled ? 1 : 0);

		if (quota < lane->quota)
			lane->quota = quota;
	}
}

static bool complete(const struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->pairs; i++)
		if (measure->lanes[i].completed != measure->lanes[i].quota)
			return false;
	return true;
}

static void take_time(struct measure *measure, struct tally *tally)
{
	const struct message_run *order = measure->order;

	tally->last_nsec = clock_raw_nsec();
	tally->completed = 0;
	for (uint32_t i = 0; i < order->pairs; i++)
		tally->completed += measure->lanes[i].completed;
	measure_progress(measure, tally->completed);
	if (tally->by_duration &&
	    tally->last_nsec - tally->begin_nsec >= order->duration_msec * 1000000)
		measure->ending = true;
}

/* So many messages more, or as many as go until the time is over. */
static void begin_phase(struct measure *measure, struct tally *tally, uint64_t messages)
{
	uint32_t pairs = measure->order->pairs;

	*tally = (struct tally){.by_duration = messages == UINT64_MAX,
				.completed = tally->completed,
				.before = tally->completed};
	for (uint32_t i = 0; i < pairs && !tally->by_duration; i++)
		measure->lanes[i].quota = measure->lanes[i].posted + messages / pairs +
					  (i < messages % pairs);
	for (uint32_t i = 0; i < pairs && tally->by_duration; i++)
		measure->lanes[i].quota = UINT64_MAX;
	tally->begin_nsec = tally->last_nsec = clock_raw_nsec();
}

static bool run_phase(struct measure *measure, struct tally *tally)
{
	struct ibv_wc items[POLL_MOST];
	bool ended = false;

	while (!complete(measure)) {
		int count;

		if (measure->ending && !ended) {
			end_lanes(measure);
			ended = true;
		}
		if (!post_all(measure))
			return false;
		count = measure_poll(measure, items, POLL_MOST);
		if (count < 0)
			return false;
		if (count)
			take_time(measure, tally);
	}
	return true;
}

/* The receives of the last messages may be on their way back, and the end needs one. */
static bool await_credit(struct measure *measure, const struct lane *lane)
{
	struct ibv_wc item;

	while (lane->posted + 1 > __atomic_load_n(lane->credit, __ATOMIC_ACQUIRE) +
					  run_receives(measure->order->depth))
		if (measure_poll(measure, &item, 1) < 0)
			return false;
	return true;
}

/* As perftest counts: from the first post to the last completion. */
bool bandwidth_ask(struct measure *measure)
{
	const struct message_run *order = measure->order;
	struct tally tally = {0};
	bool good;

	begin_phase(measure, &tally, order->warmup);
	good = run_phase(measure, &tally);
	if (good && !measure->ending) {
		begin_phase(measure, &tally,
			    order->iterations ? order->iterations - order->warmup : UINT64_MAX);
		good = run_phase(measure, &tally);
		measure->counted = tally.completed - tally.before;
		measure->elapsed_nsec = tally.last_nsec - tally.begin_nsec;
	}
	if (order->operation != RUN_SEND)
		return good;
	for (uint32_t i = 0; good && i < order->pairs; i++)
		good = await_credit(measure, &measure->lanes[i]) &&
		       measure_send_end(measure, &measure->lanes[i]);
	return good;
}

/*
 * Writes the count of messages taken to the other side, when it would soon have to wait for it and
 * no such write is under way.
 */
static inline bool give_credit(struct measure *measure, struct lane *lane)
{
	uint32_t every = (measure->order->depth + 1) / 2;

	if (lane->posted != lane->completed || lane->received - lane->credited < every)
		return true;
	*lane->taken = lane->credited = lane->received;
	lane->quota = lane->posted + 1; /* signaled */
	return measure_post(measure, lane, 1);
}

static void prepare_credit(struct measure *measure, struct lane *lane)
{
	const struct message_run *order = measure->order;
	uint64_t offset = (uint64_t)((const uint8_t *)lane->credit - measure->bytes);

	*lane->list = (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE,
					   .sg_list = &lane->credit_part,
					   .num_sge = 1,
					   .wr.rdma.remote_addr = order->remote_address + offset,
					   .wr.rdma.rkey = order->remote_key};
}

static inline bool take(struct measure *measure, const struct ibv_wc *item, uint32_t *ended)
{
	struct lane *lane = measure_lane(measure, item->wr_id);

	if (!measure_is_send(item)) {
		if (item->byte_len != measure->order->bytes) {
			lane->ended = true;
			++*ended;
			return true;
		}
		lane->received++;
		measure->counted++;
		if (!measure_receive(measure, lane))
			return false;
	}
	return lane->ended || give_credit(measure, lane);
}

bool bandwidth_answer(struct measure *measure)
{
	struct ibv_wc items[POLL_MOST];
	uint32_t ended = 0;

	measure->flags = 0;
	for (uint32_t i = 0; i < measure->order->pairs; i++)
		prepare_credit(measure, &measure->lanes[i]);
	while (ended < measure->order->pairs) {
		int count = measure_poll(measure, items, POLL_MOST);

		if (count < 0)
			return false;
		for (int i = 0; i < count; i++)
			if (!take(measure, &items[i], &ended))
				return false;
		if (count)
			measure_progress(measure, measure->counted);
	}
	for (uint32_t i = 0; i < measure->order->pairs; i++)
		if (!measure_drain(measure, &measure->lanes[i], 0))
			return false;
	return true;
}
