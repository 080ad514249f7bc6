/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ping-pongs, and one-sided operations. The clock is read once in each iteration: a sample is the
 * time between two readings, so the samples cover the entire loop.
 */
#include "selftest/measure/measure.h"

#include <sched.h>

/* Memory does not show that a connection failed: after this many spins, polls for completions. */
#define SPINS_BEFORE_POLL 65536u

struct clock {
	uint64_t begin_nsec, last_nsec;
	uint64_t iteration;
	unsigned int share; /* 2 for round trips, where a sample is half of the time; else 1 */
};

static void tick(struct clock *clock, struct measure *measure)
{
	const struct message_run *order = measure->order;
	uint64_t now = clock_raw_nsec();

	if (clock->iteration >= order->warmup)
		sampler_add(&measure->sampler, (now - clock->last_nsec) / clock->share);
	else
		clock->begin_nsec = now;
	clock->last_nsec = now;
	clock->iteration++;
	measure_progress(measure);
	if (order->iterations ? clock->iteration + 1 >= order->iterations
			      : clock->iteration > order->warmup &&
					now - clock->begin_nsec >= order->duration_msec * 1000000)
		measure->ending = true;
}

bool measure_each(struct measure *measure, unsigned int share, exchange_one *exchange)
{
	struct clock clock = {.share = share};
	bool last = measure->order->iterations == 1, good, came;

	clock.begin_nsec = clock.last_nsec = clock_raw_nsec();
	do {
		came = true;
		good = exchange(measure, clock.iteration, last, &came);
		if (good && came) {
			tick(&clock, measure);
		} else if (good) {
			/* The time spent waiting in vain belongs to no sample. */
			measure->lost++;
			clock.last_nsec = clock_raw_nsec();
		}
		if (last && came)
			break;
		last = measure->ending;
	} while (good);
	measure->ran.iterations = measure->sampler.all.count;
	measure->ran.elapsed_nsec = measure->ran.iterations ? clock.last_nsec - clock.begin_nsec
							    : 0;
	return good;
}

/* Waits for a message; sets *ret_end if it is the other side's last. */
static inline bool await_message(struct measure *measure, bool *ret_end)
{
	struct ibv_wc item;
	int count;

	do {
		count = measure_poll(measure, &item, 1);
		if (count < 0)
			return false;
	} while (!count || measure_is_send(&item));
	*ret_end = item.byte_len != measure->order->bytes;
	return true;
}

static bool send_one(struct measure *measure, uint64_t iteration, bool last, bool *ret_came)
{
	struct run_qp *qp = measure->qps;
	bool end = false;

	(void)last, (void)ret_came;
	/* Several receives are posted: the next need not be posted before the ping. */
	if (!measure_post_with_room(measure, qp) || (iteration && !measure_receive(measure, qp)) ||
	    !await_message(measure, &end))
		return false;
	measure->ended += end;
	return !end;
}

bool latency_send_ask(struct measure *measure)
{
	return (measure_each(measure, 2, send_one) || measure->ended) &&
	       measure_send_end(measure, measure->qps);
}

bool latency_send_answer(struct measure *measure)
{
	struct run_qp *qp = measure->qps;
	uint64_t count = 0;
	bool end = false;

	while (await_message(measure, &end)) {
		if (end) {
			measure->ran.iterations = count;
			return true;
		}
		if (!measure_post_with_room(measure, qp) || !measure_receive(measure, qp))
			return false;
		count++;
		measure_progress(measure);
	}
	return false;
}

/* Waits until the last byte of the receive area is the stamp; returns it, or 0: the run is over. */
static inline uint8_t await_stamp(struct measure *measure, const uint8_t *arrives, uint8_t stamp)
{
	unsigned int spins = 0;
	struct ibv_wc item;

	for (;;) {
		uint8_t byte = __atomic_load_n(arrives, __ATOMIC_ACQUIRE);

		if ((byte & ~STAMP_END) == stamp)
			return byte;
		if (measure_halted(measure))
			return 0;
		if (measure->yields)
			sched_yield();
		if (++spins < SPINS_BEFORE_POLL)
			continue;
		spins = 0;
		if (measure_poll(measure, &item, 1) < 0)
			return 0;
	}
}

static bool write_one(struct measure *measure, uint64_t iteration, bool last, bool *ret_came)
{
	const uint8_t *arrives = last_byte(measure, measure->layout.receive);
	const uint8_t stamp = stamp_of(iteration);
	struct run_qp *qp = measure->qps;

	(void)ret_came;
	*last_byte(measure, 0) = stamp | (last ? STAMP_END : 0);
	if (last)
		qp->quota = qp->posted + 1;
	return measure_post_with_room(measure, qp) && await_stamp(measure, arrives, stamp);
}

bool latency_write_ask(struct measure *measure)
{
	return measure_each(measure, 2, write_one) && measure_drain(measure, measure->qps, 0);
}

bool latency_write_answer(struct measure *measure)
{
	uint8_t *sent = last_byte(measure, 0);
	const uint8_t *arrives = last_byte(measure, measure->layout.receive);
	struct run_qp *qp = measure->qps;
	uint64_t count = 0;

	for (;;) {
		uint8_t stamp = await_stamp(measure, arrives, stamp_of(count));

		if (!stamp)
			return false;
		*sent = stamp;
		if (stamp & STAMP_END)
			qp->quota = qp->posted + 1;
		if (!measure_post_with_room(measure, qp))
			return false;
		if (stamp & STAMP_END)
			return measure_drain(measure, qp, 0);
		count++;
		measure_progress(measure);
	}
}

static bool fetch_one(struct measure *measure, uint64_t iteration, bool last, bool *ret_came)
{
	struct run_qp *qp = measure->qps;

	(void)iteration, (void)last, (void)ret_came;
	qp->quota = qp->posted + 1; /* signaled */
	return measure_post(measure, qp, 1) && measure_drain(measure, qp, 0);
}

bool latency_one_sided(struct measure *measure)
{
	return measure_each(measure, 1, fetch_one);
}

/* Keeps the queue pairs full of messages until the end. */

#define FEW_QPS 64u

/* Totals of all queue pairs in one phase: the warm-up, or the part that counts. */
struct tally {
	uint64_t begin_nsec, last_nsec;
	uint64_t completed, before;
	bool by_duration;
};

/*
 * Returns how many messages the queue pair may post now: a batch, or the rest of its quota. If no
 * outstanding message is signaled, no completion will make room for a batch: then as many as fit,
 * one of which is signaled.
 */
static inline uint32_t postable(const struct measure *measure, const struct run_qp *qp)
{
	const struct message_run *order = measure->order;
	uint64_t left = qp->quota - qp->posted, outstanding = qp->posted - qp->completed;
	uint32_t count = left < order->batch ? (uint32_t)left : order->batch;

	if (outstanding + count > order->depth) {
		if (outstanding != qp->unsignaled)
			return 0;
		count = order->depth - qp->unsignaled;
	}
	if (measure->credited && qp->posted + count > measure_granted(measure, qp))
		return 0;
	return count;
}

static inline bool post_one(struct measure *measure, struct run_qp *qp)
{
	uint32_t count;

	while ((count = postable(measure, qp)) > 0) {
		if (!measure_post(measure, qp, count))
			return false;
		measure_progress(measure);
	}
	return true;
}

static inline bool post_all(struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->qps; i++)
		if (measure_halted(measure) || !post_one(measure, &measure->qps[i]))
			return false;
	return true;
}

/* With many queue pairs, only posts to those that have room again; credits may arrive for any. */
static inline bool post_again(struct measure *measure, const struct ibv_wc *items, int count)
{
	if (measure->order->qps <= FEW_QPS || measure->credited)
		return post_all(measure);
	for (int i = 0; i < count; i++)
		if (measure_is_send(&items[i]) &&
		    !post_one(measure, measure_qp(measure, items[i].wr_id)))
			return false;
	return true;
}

/* Ends with a signaled message unless the last one was: its completion covers all before it. */
static void end_qps(struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->qps; i++) {
		struct run_qp *qp = &measure->qps[i];
		uint64_t quota = qp->posted + (qp->unsignaled ? 1 : 0);

		if (quota < qp->quota)
			qp->quota = quota;
	}
}

static bool complete(const struct measure *measure)
{
	for (uint32_t i = 0; i < measure->order->qps; i++)
		if (measure->qps[i].completed != measure->qps[i].quota)
			return false;
	return true;
}

static void take_time(struct measure *measure, struct tally *tally)
{
	const struct message_run *order = measure->order;

	tally->last_nsec = clock_raw_nsec();
	tally->completed = measure->completed;
	measure_progress(measure);
	if (tally->by_duration &&
	    tally->last_nsec - tally->begin_nsec >= order->duration_msec * 1000000)
		measure->ending = true;
}

/* Begins a phase of that many more messages, or (UINT64_MAX) of as many as fit into the time. */
static void begin_phase(struct measure *measure, struct tally *tally, uint64_t messages)
{
	uint32_t qps = measure->order->qps;

	*tally = (struct tally){.by_duration = messages == UINT64_MAX,
				.completed = tally->completed,
				.before = tally->completed};
	for (uint32_t i = 0; i < qps && !tally->by_duration; i++)
		measure->qps[i].quota = measure->qps[i].posted + messages / qps +
					(i < messages % qps);
	for (uint32_t i = 0; i < qps && tally->by_duration; i++)
		measure->qps[i].quota = UINT64_MAX;
	tally->begin_nsec = tally->last_nsec = clock_raw_nsec();
}

static bool run_phase(struct measure *measure, struct tally *tally)
{
	struct ibv_wc items[POLL_MOST];
	bool ended = false;

	if (!post_all(measure))
		return false;
	while (!complete(measure)) {
		int count = measure_poll(measure, items, POLL_MOST);

		if (count < 0)
			return false;
		if (count)
			take_time(measure, tally);
		if (measure->ending && !ended) {
			end_qps(measure);
			ended = true;
			if (!post_all(measure))
				return false;
		} else if (!post_again(measure, items, count)) {
			return false;
		}
	}
	return true;
}

/* Waits for the credits of the last messages, because the end message needs a receive. */
static bool await_credit(struct measure *measure, const struct run_qp *qp)
{
	struct ibv_wc item;

	while (qp->posted + 1 > measure_granted(measure, qp))
		if (measure_poll(measure, &item, 1) < 0)
			return false;
	return true;
}

/* Timed like perftest: from the first post to the last completion. */
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
		measure->ran.iterations = tally.completed - tally.before;
		measure->ran.elapsed_nsec = tally.last_nsec - tally.begin_nsec;
	}
	if (!measure->credited)
		return good;
	for (uint32_t i = 0; good && i < order->qps; i++)
		good = await_credit(measure, &measure->qps[i]) &&
		       measure_send_end(measure, &measure->qps[i]);
	return good;
}
