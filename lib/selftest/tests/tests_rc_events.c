/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>

#include "selftest/tests/tests.h"

enum {
	EVENT_BYTES = 64,
	BUSY_BYTES = 1 << 20,
	SLEEPERS = 4,
	WAKE_ATTEMPTS = 3,
};

/*
 * How long, in each attempt, the far side has to fall asleep before a message is sent. A completion
 * that comes before it sleeps is found without an event, which is correct but proves nothing.
 */
static const int delays_msec[WAKE_ATTEMPTS] = {5, 50, 300};

/* Sends the far side, which sleeps meanwhile, one message for each of the flags. */
static int send_to_sleeper(struct trial *trial, const uint32_t *flags, uint32_t count,
			   bool solicited, int delay_msec, struct message_waited *ret)
{
	const struct message order = {
		.type = MESSAGE_WAIT,
		.wait = {.cq = TRIAL_CQ,
			 .count = count,
			 .timeout_msec = 1500,
			 .by_event = 1,
			 .solicited = solicited},
	};
	struct side *far = &trial->far;
	struct message reply;
	int rc = trial_order(far, start, &order, &reply), finished;

	if (rc)
		return rc;
	for (uint32_t i = 0; i < count && !rc; i++) {
		struct message_post post = trial_send(i, rc_data(i * EVENT_BYTES, EVENT_BYTES));

		post.flags |= flags[i];
		watch_wait(&trial->near.agent->watch, -1, delay_msec);
		rc = trial_post(&trial->near, &post);
	}
	finished = side_finish(far, &order, order.wait.timeout_msec, &reply);
	/* mana_arm_cq(), providers/mana/cq.c of rdma-core. */
	if (solicited && tests_lacks(far, finished)) {
		trial_skip(trial, "%s has no solicited events (ibv_req_notify_cq)",
			   trial_device_word(far));
		return finished;
	}
	if (finished)
		return trial_explain(far, finished);
	*ret = reply.waited;
	return rc ? rc : rc_explain_stop(far, ret, order.wait.timeout_msec);
}

/* Checks the near side's completions, then the far side's data. */
static int check_messages(struct trial *trial, const struct message_waited *waited, uint32_t count,
			  uint32_t iteration)
{
	int rc = 0;

	for (uint32_t i = 0; i < count && !rc; i++)
		rc = trial_expect(&trial->near, i, NULL);
	for (uint32_t i = 0; i < waited->count && !rc; i++)
		if (waited->items[i].status != IBV_WC_SUCCESS)
			rc = trial_explain_status(&trial->far, &waited->items[i]);
	return rc ? rc
		  : trial_check(&trial->far, rc_data(0, (uint64_t)count * EVENT_BYTES), iteration);
}

static int prepare(struct trial *trial, uint32_t count, uint32_t iteration)
{
	const struct span all = rc_data(0, (uint64_t)count * EVENT_BYTES);
	const struct message_receive receive = {
		.count = count,
		.span = rc_data(0, EVENT_BYTES),
		.step = EVENT_BYTES,
	};

	return trial_fill(&trial->near, all, iteration) ||
	       trial_fill_constant(&trial->far, all, 0) || trial_receive(&trial->far, &receive);
}

static const char channel_hint[] =
	"the device or its driver raises no completion interrupts: programs that poll will run, "
	"those that sleep will hang; look at the kernel log (dmesg) and /proc/interrupts";

static int wake_far(struct trial *trial, uint32_t iteration)
{
	static const uint32_t plain[] = {0};
	struct message_waited waited = {.count = 1};
	int rc = 0;

	/* Try again only if it was still awake. */
	for (uint32_t i = 0; i < WAKE_ATTEMPTS && !rc && !waited.events && waited.count; i++)
		/* If no event woke it in time, polling shows whether the message came at all. */
		rc = prepare(trial, 1, iteration + i) ||
		     send_to_sleeper(trial, plain, 1, false, delays_msec[i], &waited) ||
		     (!waited.count && trial_expect(&trial->far, 0, NULL)) ||
		     check_messages(trial, &waited, 1, iteration + i);
	if (rc || waited.events)
		return rc;
	return trial_fail(
		trial, channel_hint,
		"a message arrived %s while it slept, and the completion channel did not wake it",
		trial->request->peer ? "at the peer" : "at the other side");
}

/*
 * Keeps the far side busy, so that the send ordered after that comes when the near side is asleep:
 * the near side cannot sleep and post at the same time. *ret_started is the number of orders whose
 * replies are due.
 */
static int start_late_send(struct trial *trial, uint32_t fills, const struct message *fill,
			   const struct message *post, uint32_t *ret_started)
{
	struct message held;
	int rc = 0;

	for (*ret_started = 0; *ret_started <= fills && !rc; *ret_started += 1)
		rc = side_start(&trial->far, *ret_started < fills ? fill : post, &held);
	return trial_explain(&trial->far, rc);
}

/* The far side sends one message while the near side sleeps. */
static int send_late(struct trial *trial, uint32_t fills, uint32_t iteration,
		     struct message_waited *waited)
{
	const struct span data = rc_data(0, EVENT_BYTES);
	const struct message_receive receive = {.id = 1, .span = data};
	const struct message fill = {
		.type = MESSAGE_FILL,
		.fill = {.span = rc_data(EVENT_BYTES, BUSY_BYTES), .seed = iteration},
	};
	const struct message post = {.type = MESSAGE_POST, .post = trial_send(1, data)};
	struct message reply;
	uint32_t started;
	int rc, finished = 0;

	if (trial_fill(&trial->far, data, iteration) || trial_receive(&trial->near, &receive) ||
	    start_late_send(trial, fills, &fill, &post, &started))
		return -EIO;
	rc = trial_wait_event(&trial->near, waited);
	for (uint32_t i = 0; i < started && !finished; i++)
		finished = side_finish(&trial->far, i < fills ? &fill : &post, 0, &reply);
	if (finished)
		return trial_explain(&trial->far, finished);
	if (!rc && waited->items[0].status != IBV_WC_SUCCESS)
		rc = trial_explain_status(&trial->near, &waited->items[0]);
	return rc || trial_expect(&trial->far, 1, NULL) ||
	       trial_check(&trial->near, data, iteration);
}

static int wake_near(struct trial *trial, uint32_t iteration)
{
	/* Multiples of BUSY_BYTES; the smallest takes half a millisecond. */
	static const uint32_t fills[WAKE_ATTEMPTS] = {2, 16, 64};
	struct message_waited waited = {0};
	int rc = 0;

	for (uint32_t i = 0; i < WAKE_ATTEMPTS && !rc && !waited.events; i++)
		rc = send_late(trial, fills[i], iteration + i, &waited);
	if (rc || waited.events)
		return rc;
	return trial_fail(
		trial, channel_hint,
		"a message arrived on this side while it slept, and the completion channel did "
		"not wake it");
}

int rc_wake_both(struct trial *trial, uint32_t times)
{
	const struct qp_shape shape = {.channel = true};
	struct rc_path paths[2];
	int rc = rc_connect(trial, &shape, EVENT_BYTES + BUSY_BYTES, paths);

	for (uint32_t i = 0; i < times && !rc; i++)
		rc = wake_far(trial, 2 * WAKE_ATTEMPTS * i) ||
		     wake_near(trial, (2 * i + 1) * WAKE_ATTEMPTS);
	return rc;
}

void rc_run_event(struct trial *trial)
{
	rc_wake_both(trial, SLEEPERS);
}

static void check_solicited(struct trial *trial, const struct message_waited *waited)
{
	const char *who = trial->request->peer ? "the peer" : "the other side";

	if (waited->events == 1 && waited->count == 2)
		return;
	if (waited->events)
		trial_fail(trial,
			   "programs that rely on it only lose time: they wake too often; newer "
			   "firmware may help",
			   "a completion that was not solicited woke %s, which waited for "
			   "solicited ones only",
			   who);
	else
		trial_fail(trial,
			   "programs that arm the queue for solicited completions only will hang "
			   "on this device: let them ask for all, and look for newer firmware",
			   "a solicited completion did not wake %s", who);
}

/*
 * InfiniBand specification, 11.4.2.2: a queue armed this way reports only the next solicited
 * completion. An attempt in which the far side did not fall asleep in time ends without an event.
 */
static int try_solicited(struct trial *trial, uint32_t attempt, struct message_waited *ret)
{
	static const uint32_t flags[] = {0, POST_SOLICITED};
	struct message_waited waited = {0}, rest = {0};

	if (prepare(trial, 2, attempt) ||
	    send_to_sleeper(trial, flags, 2, true, 6 * delays_msec[attempt], &waited))
		return -EIO;
	*ret = waited;
	if (waited.count < 2 && trial_wait(&trial->far, 2 - waited.count, &rest))
		return -EIO;
	for (uint32_t i = 0; i < rest.count; i++)
		waited.items[waited.count++] = rest.items[i];
	return check_messages(trial, &waited, 2, attempt);
}

void rc_run_solicited(struct trial *trial)
{
	const struct qp_shape shape = {.channel = true};
	struct message_waited waited = {0};
	struct rc_path paths[2];
	int rc;

	/* siw_rqe_complete() never tells siw_cq_notify_now() that a receive was solicited. */
	if (trial->far.can.vendor == RC_VENDOR_SIW) {
		trial_skip(trial, "siw has no solicited events: its receives never count as such");
		return;
	}
	rc = rc_connect(trial, &shape, 2 * EVENT_BYTES, paths);
	for (uint32_t i = 0; i < WAKE_ATTEMPTS && !rc && !waited.events; i++)
		rc = try_solicited(trial, i, &waited);
	if (!rc)
		check_solicited(trial, &waited);
}
