/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A bandwidth in both directions at once, and the loops of unreliable queue pairs. A ping without a
 * pong within PONG_NSEC is repeated, and its time is not a sample.
 */
#include "selftest/measure/measure.h"

#include <sched.h>

#define PONG_NSEC UINT64_C(100000000)
/* After this silence nothing more comes from the other side, which cannot announce its end. */
#define SILENCE_NSEC UINT64_C(200000000)
/* Number of empty polls between two readings of the clock. */
#define POLLS_BETWEEN_LOOKS 256u

/*
 * A time limit that is only checked now and then, because reading the clock takes as long as a
 * poll.
 */
struct patience {
	uint64_t end_nsec;
	unsigned int polls;
};

static inline bool is_over(struct patience *patience, const struct measure *measure)
{
	/* A sleep for an event is long enough to check every time. */
	if (!measure->sleeps && ++patience->polls % POLLS_BETWEEN_LOOKS)
		return false;
	return clock_raw_nsec() >= patience->end_nsec;
}

static void wait_again(struct patience *patience, uint64_t nsec)
{
	*patience = (struct patience){.end_nsec = clock_raw_nsec() + nsec};
}

/* Takes what the other side sends, up to its end on all queue pairs. */
static bool take_all(struct measure *measure)
{
	struct ibv_wc items[POLL_MOST];

	while (measure->ended < measure->order->qps)
		if (measure_poll(measure, items, POLL_MOST) < 0)
			return false;
	return true;
}

/* Like take_all(), for unreliable queue pairs, which have no end. */
static bool take_until_silence(struct measure *measure)
{
	struct ibv_wc items[POLL_MOST];
	struct patience patience;
	uint64_t received = measure->received;

	wait_again(&patience, SILENCE_NSEC);
	while (!is_over(&patience, measure)) {
		if (measure_poll(measure, items, POLL_MOST) < 0)
			return false;
		if (received == measure->received)
			continue;
		received = measure->received;
		wait_again(&patience, SILENCE_NSEC);
	}
	return true;
}

bool bandwidth_answer(struct measure *measure)
{
	const bool good = take_all(measure);

	measure->ran.iterations = measure->received;
	return good;
}

bool bandwidth_both(struct measure *measure)
{
	return bandwidth_ask(measure) &&
	       (measure->credited ? take_all(measure) : take_until_silence(measure));
}

bool unreliable_listen(struct measure *measure)
{
	struct ibv_wc items[POLL_MOST];

	while (measure_poll(measure, items, POLL_MOST) >= 0)
		;
	measure->ran.iterations = measure->received;
	return measure->told;
}

static bool send_number(struct measure *measure, uint32_t number)
{
	struct run_qp *qp = measure->qps;

	qp->list->opcode = IBV_WR_SEND_WITH_IMM;
	qp->list->imm_data = number;
	qp->quota = qp->posted + 1; /* signaled */
	return measure_post_with_room(measure, qp);
}

/* Waits for the pong with that number; others are late. *ret_came: whether it came in time. */
static bool await_pong(struct measure *measure, uint32_t number, bool *ret_came)
{
	struct patience patience;
	struct ibv_wc item;

	*ret_came = false;
	wait_again(&patience, PONG_NSEC);
	while (!*ret_came) {
		int count = measure_poll(measure, &item, 1);

		if (count < 0)
			return false;
		if (!count && is_over(&patience, measure))
			return true;
		if (!count || measure_is_send(&item))
			continue;
		*ret_came = item.wc_flags & IBV_WC_WITH_IMM && item.imm_data == number;
		measure->received += *ret_came;
		if (!measure_receive(measure, measure->qps))
			return false;
	}
	return true;
}

bool unreliable_send_answer(struct measure *measure)
{
	struct ibv_wc item;

	for (;;) {
		int count = measure_poll(measure, &item, 1);

		if (count < 0)
			return measure->told;
		if (!count || measure_is_send(&item))
			continue;
		if (!send_number(measure, item.imm_data) || !measure_receive(measure, measure->qps))
			return measure->told;
		measure->ran.iterations = ++measure->received;
		measure_progress(measure);
	}
}

static bool write_stamp(struct measure *measure, uint8_t stamp)
{
	struct run_qp *qp = measure->qps;

	*last_byte(measure, 0) = stamp;
	qp->quota = qp->posted + 1;
	return measure_post_with_room(measure, qp);
}

/* Waits for the other side's stamp, like await_pong(). */
static bool await_stamp(struct measure *measure, uint8_t stamp, bool *ret_came)
{
	const uint8_t *arrives = last_byte(measure, measure->layout.receive);
	struct patience patience;
	struct ibv_wc item;

	wait_again(&patience, PONG_NSEC);
	for (;;) {
		*ret_came = __atomic_load_n(arrives, __ATOMIC_ACQUIRE) == stamp;
		if (*ret_came)
			return true;
		if (measure_halted(measure))
			return false;
		if (measure->yields)
			sched_yield();
		if (++patience.polls % POLLS_BETWEEN_LOOKS)
			continue;
		if (measure_poll(measure, &item, 1) < 0)
			return false;
		if (clock_raw_nsec() >= patience.end_nsec)
			return true;
	}
}

/*
 * Sends a ping and waits for its pong. A send has a new number each time; a repeated write has the
 * same stamp again, because it may be the pong that was lost.
 */
static bool ping(struct measure *measure, uint64_t iteration, bool last, bool *ret_came)
{
	const uint32_t number = (uint32_t)(iteration + measure->lost);
	const uint8_t stamp = stamp_of(iteration);

	(void)last;
	if (measure->order->operation == RUN_SEND)
		return send_number(measure, number) && await_pong(measure, number, ret_came);
	return write_stamp(measure, stamp) && await_stamp(measure, stamp, ret_came);
}

bool unreliable_ask(struct measure *measure)
{
	return measure_each(measure, 2, ping) && measure_drain(measure, measure->qps, 0);
}

bool unreliable_write_answer(struct measure *measure)
{
	bool came;

	for (;;) {
		if (!await_stamp(measure, stamp_of(measure->ran.iterations), &came))
			return measure->told;
		/* Timed out: the ping was lost, or the last pong, which is written again. */
		if (!came && !measure->ran.iterations)
			continue;
		measure->ran.iterations += came;
		if (!write_stamp(measure, stamp_of(measure->ran.iterations - 1)))
			return measure->told;
		measure_progress(measure);
	}
}
