/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "selftest/trial/trial.h"

/* Drivers renew what sysfs tells of their counters every 10 ms (struct rdma_hw_stats, lifespan). */
#define COUNTER_MSEC 12
/* MAX_ERRNO of the kernel, include/linux/err.h. */
#define MOST_ERRNO 4095

static void read_counters(struct side *side, struct counter_list *list)
{
	const struct message order = {.type = MESSAGE_COUNTERS};
	struct message reply;

	if (side->stop || side_call(side, &order, &reply))
		return;
	for (size_t i = 0; i < reply.counted.count; i++) {
		const struct counter_reading *item = &reply.counted.items[i];

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

static struct counter_sums sum_growth(const struct counter_list *before,
				      const struct counter_list *after)
{
	struct counter_list growth = {0};
	struct counter_sums sums;

	counter_list_difference(before, after, &growth);
	sums = counter_list_sum(&growth);
	counter_list_clear(&growth);
	return sums;
}

void trial_facts(struct trial *trial, struct diagnosis_facts *facts)
{
	struct counter_list after[2] = {{0}};

	*facts = (struct diagnosis_facts){
		.peer = trial->request->peer,
		.tcp_port = trial->request->tcp_port ? trial->request->tcp_port : MESSAGE_PORT,
		.local = &trial->near_can.far,
		.remote = trial->far_can.far.device[0] ? &trial->far_can.far : NULL,
		.path_mtu_bytes = trial_mtu(trial),
		.version = MESSAGE_VERSION,
	};
	if (!trial->before[0].count && !trial->before[1].count)
		return;
	trial_read_counters(trial, after);
	facts->local_counts = sum_growth(&trial->before[0], &after[0]);
	facts->remote_counts = sum_growth(&trial->before[1], &after[1]);
	counter_list_clear(&after[0]);
	counter_list_clear(&after[1]);
}

static enum diagnosis_end end_of(enum stop stop)
{
	static const enum diagnosis_end ends[] = {
		[STOP_NONE] = END_NONE,
		[STOP_TIMED_OUT] = END_TIMED_OUT,
		[STOP_INTERRUPTED] = END_INTERRUPTED,
		[STOP_PEER_GONE] = END_PEER_GONE,
		[STOP_PEER_SPOKE] = END_PEER_GONE,
		[STOP_DEVICE_GONE] = END_DEVICE_REMOVED,
	};

	return ends[stop];
}

static bool is_none(const struct counter_sums *sums, enum counter_class class)
{
	return sums->by_class[class].known && !sums->by_class[class].value;
}

/* Packets were sent, and since the first test none has arrived, or none came back. */
static bool is_blocked(const struct diagnosis_facts *facts)
{
	return facts->peer && facts->local_counts.by_class[COUNTER_TRAFFIC_SENT].value &&
	       (is_none(&facts->local_counts, COUNTER_TRAFFIC_RECEIVED) ||
		is_none(&facts->remote_counts, COUNTER_TRAFFIC_RECEIVED));
}

/* Fails the row with what the facts amount to; `stop` is what is known to have ended the test. */
static void conclude(struct trial *trial, struct diagnosis_facts *facts, enum stop stop)
{
	const struct agent *agent = trial->near.agent;
	struct diagnosis diagnosis = {0};

	/* The reason may be there, but nobody has looked yet. */
	watch_look(&trial->near.agent->watch);
	facts->end = end_of(stop);
	if (agent->watch.interrupted || agent->watch.device_gone) {
		trial->stop = agent->watch.interrupted ? STOP_INTERRUPTED : STOP_DEVICE_GONE;
		facts->end = end_of(trial->stop);
	} else if (agent->watch.port_down && facts->end != END_PEER_GONE) {
		facts->end = END_PORT_DOWN;
	}
	if (!trial->stop)
		trial->stop = trial->near.stop ? trial->near.stop : trial->far.stop;
	/* Nothing is wrong with what the user does not want to see the end of. */
	if (facts->end == END_INTERRUPTED) {
		trial_skip(trial, "interrupted");
		return;
	}
	if (!facts->end || facts->end == END_TIMED_OUT)
		trial->blocked = is_blocked(facts) ? trial->result->test : NULL;
	diagnose(facts, &diagnosis);
	trial_fail(trial, diagnosis.hint, "%s", diagnosis.sentence);
	diagnosis_clear(&diagnosis);
}

void trial_explain_end(struct trial *trial, struct side *side, enum stop stop,
		       unsigned int waited_msec)
{
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	facts.stage = STAGE_TRANSFER;
	facts.timeout_msec = waited_msec;
	facts.at_peer = side == &trial->far && trial->request->peer;
	conclude(trial, &facts, stop);
}

static enum diagnosis_refusal refusal_of(uint32_t refusal)
{
	static const enum diagnosis_refusal refusals[REFUSALS] = {
		[REFUSAL_FAILED] = DIAGNOSIS_NOT_REFUSED,
		[REFUSAL_VERSION] = DIAGNOSIS_REFUSED_VERSION,
		[REFUSAL_TOKEN] = DIAGNOSIS_REFUSED_TOKEN,
		[REFUSAL_BUSY] = DIAGNOSIS_REFUSED_BUSY,
		[REFUSAL_LIMIT] = DIAGNOSIS_REFUSED_LIMIT,
		[REFUSAL_ORDER] = DIAGNOSIS_REFUSED_ORDER,
		[REFUSAL_NO_PORT] = DIAGNOSIS_REFUSED_NO_PORT,
	};

	return refusals[refusal];
}

/* A status of librdmacm's as a peer tells it, who may send any 32 bits: -errno or a reason. */
static int cm_status_of(uint32_t told)
{
	const int status = (int)told;

	return status < -MOST_ERRNO ? -EIO : status;
}

/* What a side said in its refusal. */
static void explain_refusal(struct trial *trial, struct side *side,
			    const struct message_refused *refused)
{
	char *text = text_clean(refused->text, strlen(refused->text));
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	facts.stage = refused->stage < STAGES ? refused->stage : STAGE_NONE;
	facts.error = (int)refused->error;
	/* A refusal is the peer's answer, a failure happened there. */
	facts.at_peer = side == &trial->far && trial->request->peer &&
			refused->refusal == REFUSAL_FAILED;
	facts.cm_event = refused->cm_event || refused->cm_status ? number_of(refused->cm_event)
								 : (struct number){0};
	facts.cm_status = cm_status_of(refused->cm_status);
	facts.refusal = refusal_of(refused->refusal);
	/* Then it is the peer that says no, and nothing that failed there. */
	facts.at_peer = facts.at_peer && !facts.refusal;
	facts.refusal_text = text;
	facts.call = refused->refusal == REFUSAL_FAILED && text[0] ? text : NULL;
	facts.peer_lowest = refused->lowest;
	facts.peer_highest = refused->highest;
	if (refused->wanted_bytes) {
		facts.wanted_bytes = number_of(refused->wanted_bytes);
		facts.memlock_limit_bytes = number_of(refused->limit_bytes);
	}
	conclude(trial, &facts, STOP_NONE);
	free(text);
}

static bool is_stranger(const struct trial *trial, const struct side *side)
{
	return trial->request->peer && side == &trial->far && !trial->far_can.far.device[0];
}

int trial_explain(struct trial *trial, struct side *side, int rc, const struct message *reply)
{
	struct diagnosis_facts facts;

	if (rc == -EREMOTEIO) {
		explain_refusal(trial, side, &reply->refused);
		return rc;
	}
	trial_facts(trial, &facts);
	facts.stage = STAGE_HANDSHAKE;
	facts.error = -rc;
	facts.timeout_msec = SIDE_PATIENCE_MSEC;
	/* Whether that is rdmactl at all is not known before its first answer. */
	if (is_stranger(trial, side) && side->stop == STOP_PEER_GONE) {
		facts.error = side->complaint ? EPROTO : rc == -EPIPE ? ECONNRESET : -rc;
		/* The way can break between the connection and the first message, too. */
		if (rc == -EHOSTUNREACH || rc == -ENETUNREACH)
			facts.stage = STAGE_TCP;
		conclude(trial, &facts, STOP_NONE);
		return rc;
	}
	if (side->complaint) {
		trial->stop = STOP_PEER_GONE;
		trial_fail(trial, "use the same release of rdmactl on both hosts",
			   "the peer sent what cannot be understood: %s", side->complaint);
		return rc;
	}
	conclude(trial, &facts, side->stop);
	return rc;
}

int trial_explain_status(struct trial *trial, struct side *side, const struct work_completion *item)
{
	struct diagnosis_facts facts;

	trial_facts(trial, &facts);
	facts.stage = STAGE_TRANSFER;
	facts.status = number_of(item->status);
	facts.at_peer = side == &trial->far && trial->request->peer;
	if (!trial->marked && !trial->result->status)
		trial->result->status = mem_string(completion_status_name(item->status));
	conclude(trial, &facts, STOP_NONE);
	return -EIO;
}

int trial_call(struct trial *trial, struct side *side, const struct message *order,
	       struct message *reply)
{
	int rc = side_call(side, order, reply);

	return rc ? trial_explain(trial, side, rc, reply) : 0;
}
