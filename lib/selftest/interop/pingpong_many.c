/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_srq_pingpong: ping-pongs on several queue pairs at once, which share their receives; the
 * iterations are counted over all of them. All messages are the same, because the other side sends
 * from the same buffer that it receives into.
 */
#include <errno.h>

#include "base/clock.h"
#include "selftest/interop/interop.h"

struct turn {
	uint64_t posted_nsec; /* 0: nothing was sent yet */
	unsigned int pending; /* INTEROP_SENT, INTEROP_RECEIVED */
};

struct many {
	struct pingpong *run;
	struct turn turns[PINGPONG_MOST_QPS];
	uint64_t sent, received; /* by all of them */
	uint64_t begin_nsec;	 /* 0: no message came yet */
};

static int post_send(struct many *many, uint32_t slot)
{
	struct turn *turn = &many->turns[slot];

	turn->pending = INTEROP_SENT | INTEROP_RECEIVED;
	turn->posted_nsec = clock_raw_nsec();
	return interop_post_send(many->run->session, slot, &many->run->session->send);
}

/* A client's first message has other data; later ones return the data that it received. */
static int take_message(struct many *many, const struct turn *turn, const struct ibv_wc *wc)
{
	struct pingpong *run = many->run;
	struct interop *session = run->session;
	const uint64_t place = wc->wr_id >> INTEROP_PLACE_SHIFT;

	run->received_bytes = wc->byte_len;
	if (turn->posted_nsec)
		sampler_add(&session->sampler, (clock_raw_nsec() - turn->posted_nsec) / 2);
	if ((turn->posted_nsec || wc->byte_len != session->bytes) &&
	    pingpong_check(run, session->received + place * session->bytes))
		return -EIO;
	many->received++;
	if (session->done < session->iterations)
		session->done++;
	return interop_post_receive_at(session, place);
}

static int take(struct many *many, const struct ibv_wc *wc)
{
	struct interop *session = many->run->session;
	const unsigned int what = wc->wr_id & INTEROP_WHAT_MASK;
	struct turn *turn;
	uint32_t slot = 0;

	while (slot < session->qps && session->agent->qps[slot].qp->qp_num != wc->qp_num)
		slot++;
	if (slot == session->qps)
		return interop_fail_at(session, STAGE_TRANSFER, EIO);
	turn = &many->turns[slot];
	if (what == INTEROP_SENT)
		many->sent++;
	else if (take_message(many, turn, wc))
		return -EIO;
	turn->pending &= ~what;
	return !turn->pending && many->sent < session->iterations ? post_send(many, slot) : 0;
}

static int rounds(struct many *many)
{
	struct interop *session = many->run->session;
	struct ibv_wc wc;

	for (uint32_t i = 0; i < session->qps; i++) {
		many->turns[i].pending = INTEROP_RECEIVED;
		if (!session->server && post_send(many, i))
			return -EIO;
	}
	while (many->sent < session->iterations || many->received < session->iterations) {
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (!many->begin_nsec)
			many->begin_nsec = clock_raw_nsec();
		if (wc.status == IBV_WC_SUCCESS) {
			if (take(many, &wc))
				return -EIO;
			continue;
		}
		if (many->received < session->iterations)
			return interop_fail_status(session, &wc);
		interop_remark(session, "the last messages were not acknowledged: the peer may "
					"have ended after receiving them");
		return 0;
	}
	return 0;
}

/*
 * Counts messages in both directions, as does the rate of a single ping-pong. A server's time
 * begins with the arrival of the first message, which is not counted.
 */
int pingpong_run_many(struct pingpong *run)
{
	struct interop *session = run->session;
	struct many many = {.run = run};
	int rc;

	pingpong_fill(run);
	many.begin_nsec = session->server ? 0 : clock_raw_nsec();
	rc = rounds(&many);
	if (rc)
		return rc;
	session->bulk_nsec = clock_raw_nsec() - many.begin_nsec;
	session->bulk_messages = many.sent + many.received - (session->server ? 1 : 0);
	return 0;
}
