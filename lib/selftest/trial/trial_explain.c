/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a test failed: the facts that both sides know, and the row's verdict from their diagnosis. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "selftest/trial/trial.h"

/* Twice the interval at which a server checks its device. */
#define PEER_LEAVE_MSEC 1000

/* Drivers refresh the counters in sysfs every 10 ms (struct rdma_hw_stats, lifespan). */
#define COUNTER_MSEC 12

static void read_counters(struct side *side, struct counter_list *list)
{
	struct message_counted counted;

	if (side->stop || side_counters(side, &(struct message_none){}, &counted))
		return;
	for (size_t i = 0; i < counted.count; i++) {
		const struct counter_reading *item = &counted.items[i];

		counter_list_take(list, text_clean(item->name, sizeof(item->name)), item->value);
	}
}

void trial_read_counters(struct trial *trial, struct counter_list ret_lists[static 2])
{
	const struct timespec pause = {.tv_nsec = COUNTER_MSEC * 1000000};

	nanosleep(&pause, NULL);
	read_counters(&trial->near, &ret_lists[0]);
	read_counters(&trial->far, &ret_lists[1]);
}

void trial_facts(struct trial *trial, struct diagnosis_facts *facts)
{
	struct counter_list after[2] = {{0}};

	*facts = (struct diagnosis_facts){
		.peer = trial->request->peer,
		.group = trial->group,
		.tcp_port = trial->request->tcp_port ? trial->request->tcp_port : MESSAGE_PORT,
		.local = &trial->near.can.far,
		.remote = trial->far.can.far.device[0] ? &trial->far.can.far : NULL,
		.path_mtu_bytes = trial_mtu(trial),
		.chose_peer_gid = trial->request->peer_gid_index.known,
		.chose_peer_device = trial->request->chose_peer_device,
	};
	if (!trial->before[0].count && !trial->before[1].count)
		return;
	trial_read_counters(trial, after);
	facts->local_counts = counter_list_growth(&trial->before[0], &after[0]);
	facts->remote_counts = counter_list_growth(&trial->before[1], &after[1]);
	counter_list_clear(&after[0]);
	counter_list_clear(&after[1]);
}

static bool is_none(const struct counter_sums *sums, enum counter_class class)
{
	return sums->by_class[class].known && !sums->by_class[class].value;
}

/* Whether packets were sent since the first test, but none arrived, or none of the answers did. */
static bool is_blocked(const struct diagnosis_facts *facts)
{
	const struct counter_sums *near = &facts->local_counts, *far = &facts->remote_counts;
	const bool answers = !facts->at_peer && !is_none(far, COUNTER_TRAFFIC_SENT);

	return facts->peer && facts->stage >= STAGE_CONNECT_QP &&
	       near->by_class[COUNTER_TRAFFIC_SENT].value &&
	       (is_none(far, COUNTER_TRAFFIC_RECEIVED) ||
		(answers && is_none(near, COUNTER_TRAFFIC_RECEIVED)));
}

/*
 * Checks whether both ports' GIDs are still in their tables. A GID counts as present if its side
 * cannot tell.
 */
static void look_for_gids(struct trial *trial, struct diagnosis_facts *facts)
{
	struct message_gid_seen seen = {0};

	if (trial->near.agent->context &&
	    !side_gid_look(&trial->near, &(struct message_none){}, &seen))
		facts->local_gid_gone = seen.gone;
	if (facts->peer && facts->remote && !trial->far.stop &&
	    !side_gid_look(&trial->far, &(struct message_none){}, &seen))
		facts->remote_gid_gone = seen.gone;
}

/* Records why a peer left: it knows better than this side, which only sees a closed connection. */
static void take_farewell(struct trial *trial, struct diagnosis_facts *facts)
{
	const bool left = facts->stop == STOP_PEER_GONE || facts->stop == STOP_PEER_SPOKE ||
			  trial->far.stop == STOP_PEER_GONE;

	if (facts->peer && left)
		facts->farewell = side_hear_farewell(&trial->far);
	if (facts->farewell == STOP_DEVICE_GONE) {
		facts->stop = STOP_DEVICE_GONE;
		facts->at_peer = true;
	}
	/* The peer cannot serve further tests. */
	if (facts->at_peer && facts->stop == STOP_DEVICE_GONE)
		trial->stop = STOP_PEER_GONE;
}

/* Fails the row with the diagnosis; `stop` is what is known to have ended the test. */
static void conclude(struct trial *trial, struct diagnosis_facts *facts, enum stop stop)
{
	struct watch *watch = &trial->near.agent->watch;
	struct diagnosis diagnosis = {0};

	/* The reason may not have been noticed yet. */
	watch_look(watch);
	facts->stop = stop;
	if (watch->interrupted || watch->device_gone)
		facts->stop = trial->stop = watch->interrupted ? STOP_INTERRUPTED
							       : STOP_DEVICE_GONE;
	else if (watch->port_down && stop != STOP_PEER_GONE && stop != STOP_PEER_SPOKE)
		facts->stop = STOP_PORT_DOWN;
	/* The peer reported none of these: this side noticed them. */
	if (facts->stop != stop || stop == STOP_PEER_GONE)
		facts->at_peer = false;
	if (!facts->stop || facts->stop == STOP_TIMED_OUT)
		look_for_gids(trial, facts);
	take_farewell(trial, facts);
	trial_note_stop(trial);
	facts->silent = facts->peer && trial->far.stop == STOP_TIMED_OUT;
	if (facts->silent)
		facts->timeout_msec = trial->far.patience_msec;
	/* A test that the user ended has no fault. */
	if (facts->stop == STOP_INTERRUPTED) {
		trial_skip(trial, "interrupted");
		return;
	}
	if (!facts->stop || facts->stop == STOP_TIMED_OUT)
		trial->blocked = is_blocked(facts) ? trial->id : NULL;
	diagnose(facts, &diagnosis);
	trial_fail_as(trial, &diagnosis);
}

static bool is_peer(const struct side *side)
{
	const struct trial *trial = side->trial;

	return side == &trial->far && trial->request->peer;
}

int trial_explain_end(struct side *side, enum stop stop, unsigned int waited_msec)
{
	struct trial *trial = side->trial;
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	facts.stage = STAGE_TRANSFER;
	facts.timeout_msec = waited_msec;
	facts.at_peer = is_peer(side);
	conclude(trial, &facts, stop);
	return -EIO;
}

static void explain_refusal(struct side *side)
{
	struct trial *trial = side->trial;
	const struct message_refused refused = side->refused;
	const bool failed = refused.refusal == REFUSAL_FAILED;
	_cleanup_(freep) char *text = text_clean(refused.text, strlen(refused.text));
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	diagnosis_take_failure(&facts, &refused, failed ? text : "");
	/* A failure happened at the peer; a refusal is its answer. */
	facts.at_peer = failed && is_peer(side);
	facts.refusal = (enum refusal)refused.refusal;
	facts.refusal_text = text[0] ? text : NULL;
	facts.peer_lowest = refused.lowest;
	facts.peer_highest = refused.highest;
	/* This side may have failed because the peer left. */
	conclude(trial, &facts, trial->far.stop == STOP_PEER_GONE ? STOP_PEER_GONE : STOP_NONE);
}

int trial_explain(struct side *side, int rc)
{
	struct trial *trial = side->trial;
	/* Even a message that was cut short, if it would have been the first one. */
	const bool foreign = side->complaint && (!side->cut_short || !trial->granted.qps);
	struct diagnosis_facts facts;

	if (!rc)
		return 0;
	if (rc == -EREMOTEIO) {
		explain_refusal(side);
		return rc;
	}
	trial_facts(trial, &facts);
	facts.stage = STAGE_HANDSHAKE;
	facts.error = -rc;
	facts.timeout_msec = side->patience_msec;
	/* Before its first answer, the peer might not be rdmactl at all. */
	if (is_peer(side) && !trial->far.can.far.device[0] &&
	    (side->stop == STOP_PEER_GONE || foreign)) {
		facts.error = foreign ? EPROTO : rc == -EPIPE ? ECONNRESET : -rc;
		/* The path can also break between the connection and the first message. */
		if (rc == -EHOSTUNREACH || rc == -ENETUNREACH)
			facts.stage = STAGE_TCP;
		conclude(trial, &facts, STOP_NONE);
	} else if (side->complaint && !side->cut_short) {
		trial->stop = STOP_PEER_GONE;
		trial_fail(trial, "use the same release of rdmactl on both hosts",
			   "the peer sent something other than a message: %s", side->complaint);
	} else {
		conclude(trial, &facts, side->stop);
	}
	return rc;
}

/*
 * A device that is being removed stops answering before its server notices and closes the
 * connection. Returns true if the server did.
 */
static bool has_left(const struct trial *trial, uint32_t status)
{
	struct pollfd channel = {.fd = trial->far.channel, .events = POLLRDHUP};

	return status == IBV_WC_RETRY_EXC_ERR && trial->request->peer &&
	       poll(&channel, 1, PEER_LEAVE_MSEC) > 0 && channel.revents & (POLLRDHUP | POLLHUP);
}

int trial_explain_status(struct side *side, const struct work_completion *item)
{
	struct trial *trial = side->trial;
	struct diagnosis_facts facts;

	if (has_left(trial, item->status))
		return trial_explain_end(&trial->far, STOP_PEER_GONE, 0);
	trial_facts(trial, &facts);
	facts.stage = STAGE_TRANSFER;
	facts.status = number_of(item->status);
	facts.at_peer = is_peer(side);
	trial_note_status(trial, item);
	conclude(trial, &facts, STOP_NONE);
	return -EIO;
}
