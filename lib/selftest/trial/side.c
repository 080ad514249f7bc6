/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/trial/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "selftest/agent/watch.h"
#include "selftest/wire/message.h"

/* Time limit for an answer beyond what the order itself allows. */
#define SIDE_PATIENCE_MSEC 10000u
#define SIDE_STEP_MSEC	   250u

static int lose(struct side *side, int rc)
{
	side->stop = rc == -EINTR	? STOP_INTERRUPTED
		     : rc == -ETIMEDOUT ? STOP_TIMED_OUT
					: STOP_PEER_GONE;
	return rc;
}

/* A side must not return more completions than asked. */
static bool answers(const struct message *order, const struct message *reply)
{
	if (reply->type == MESSAGE_WAITED && reply->waited.count > order->wait.count)
		return false;
	return reply->type == message_rows[order->type].reply;
}

static int check_reply(struct side *side, const struct message *order, const struct message *reply)
{
	if (reply->type == MESSAGE_LEAVING) {
		side->farewell = (enum stop)reply->leaving.stop;
		return lose(side, -ECONNRESET);
	}
	if (reply->type == MESSAGE_REFUSED) {
		side->refused = reply->refused;
		return -EREMOTEIO;
	}
	if (answers(order, reply))
		return 0;
	side->complaint = "a reply that does not match the request";
	return lose(side, -EPROTO);
}

static uint32_t created_by(const struct message *order)
{
	if (order->type == MESSAGE_CONNECT_MANY)
		return order->connect_many.count;
	if (order->type == MESSAGE_EXCHANGE_MANY)
		return order->exchange_many.make ? order->exchange_many.count : 0;
	return order->type == MESSAGE_QP && !order->qp.destroy;
}

int side_start(struct side *side, const struct message *order, struct message *held)
{
	int rc;

	side->queue_pairs += created_by(order);
	if (side->agent) {
		agent_execute(side->agent, order, held);
		return 0;
	}
	if (side->stop)
		return -ECONNRESET;
	side->patience_msec = SIDE_PATIENCE_MSEC;
	rc = exchange_send(side->channel, order, side->patience_msec);
	return rc ? lose(side, rc) : 0;
}

/*
 * Waits for a reply; returns what is left of the patience then. Each step counts only as itself,
 * because while this process was stopped, the far side of a loopback was stopped, too.
 */
static unsigned int await_reply(const struct side *side)
{
	unsigned int left = side->patience_msec;

	while (left && socket_wait(side->channel, POLLIN, side->watch->signals,
				   clock_msec() + SIDE_STEP_MSEC) == -ETIMEDOUT)
		left -= left < SIDE_STEP_MSEC ? left : SIDE_STEP_MSEC;
	return left;
}

int side_finish(struct side *side, const struct message *order, unsigned int msec,
		struct message *held)
{
	int rc;

	if (!side->agent) {
		side->patience_msec = msec + SIDE_PATIENCE_MSEC;
		rc = exchange_receive(side->channel, side->watch->signals, await_reply(side), held,
				      &side->complaint);
		if (rc == -EINTR)
			side->watch->interrupted = true;
		side->cut_short = exchange_was_cut_short(rc, side->complaint);
		if (rc == -ETIMEDOUT && side->cut_short)
			side->patience_msec = EXCHANGE_REST_MSEC;
		if (rc)
			return lose(side, rc);
	}
	return check_reply(side, order, held);
}

/* Answers that nobody waits for any more may precede the farewell. */
#define LAST_MESSAGES	(SIDE_WINDOW + 1)
#define LAST_WORDS_MSEC 100u

enum stop side_hear_farewell(struct side *side)
{
	struct pollfd channel = {.fd = side->channel, .events = POLLRDHUP};

	if (side->agent || side->farewell || poll(&channel, 1, 0) <= 0)
		return side->farewell;
	for (unsigned int i = 0; i < LAST_MESSAGES && !side->farewell; i++) {
		const char *complaint = NULL;
		struct message message;

		if (exchange_receive(side->channel, -1, LAST_WORDS_MSEC, &message, &complaint))
			break;
		if (message.type == MESSAGE_LEAVING)
			side->farewell = (enum stop)message.leaving.stop;
	}
	return side->farewell;
}

static void take_answer(struct side *side)
{
	struct side_batch *batch = &side->batch;
	const uint32_t place = batch->answered++ % SIDE_WINDOW;
	const struct message order = {.type = batch->orders[place].type};
	struct message reply;
	int rc = side_finish(side, &order, 0, &reply);

	if (!rc && batch->orders[place].reply)
		memcpy(batch->orders[place].reply, &reply.body,
		       message_rows[reply.type].layout->record_size);
	if (rc && !batch->rc) {
		batch->rc = rc;
		batch->refused = side->refused;
	}
	/* Nothing more will come. */
	if (side->stop)
		batch->answered = batch->sent;
}

static void take_answers(struct side *side)
{
	while (side->batch.answered < side->batch.sent)
		take_answer(side);
}

/* Quick orders that are given once per queue pair. */
static bool is_batched(uint32_t type)
{
	return type == MESSAGE_QP || type == MESSAGE_MODIFY || type == MESSAGE_ADDRESS ||
	       type == MESSAGE_TARGET || type == MESSAGE_RECEIVE;
}

static int call_in_batch(struct side *side, const struct message *order, void *ret_reply)
{
	struct side_batch *batch = &side->batch;
	int rc;

	if (batch->sent - batch->answered == SIDE_WINDOW)
		take_answer(side);
	if (batch->rc) {
		side->refused = batch->refused;
		return batch->rc;
	}
	rc = side_start(side, order, NULL);
	if (rc) { /* and no more answers will come */
		batch->rc = rc;
		batch->answered = batch->sent;
		return rc;
	}
	batch->orders[batch->sent % SIDE_WINDOW].type = order->type;
	batch->orders[batch->sent++ % SIDE_WINDOW].reply = ret_reply;
	return 0;
}

void side_batch_begin(struct side *side)
{
	side->batch = (struct side_batch){.open = !side->agent};
}

int side_batch_end(struct side *side)
{
	struct side_batch *batch = &side->batch;

	take_answers(side);
	batch->open = false;
	if (batch->rc == -EREMOTEIO)
		side->refused = batch->refused;
	return batch->rc;
}

/* Returns the time that the order itself may take, without the exchange. */
static unsigned int order_msec(struct side *side, const struct message *order)
{
	const uint32_t queue_pairs = side->queue_pairs;

	if (order->type != MESSAGE_RELEASE)
		return message_timeout_msec(order);
	side->queue_pairs = 0;
	return queue_pairs * SIDE_RELEASE_MSEC;
}

int side_call(struct side *side, uint32_t type, const void *request, void *ret_reply)
{
	struct message order = {.type = type}, reply;
	unsigned int msec;
	int rc;

	memcpy(&order.body, request, message_rows[type].layout->record_size);
	msec = order_msec(side, &order);
	if (side->batch.open && is_batched(type))
		return call_in_batch(side, &order, ret_reply);
	take_answers(side);
	rc = side_start(side, &order, &reply);
	if (!rc)
		rc = side_finish(side, &order, msec, &reply);
	if (!rc && ret_reply)
		memcpy(ret_reply, &reply.body, message_rows[reply.type].layout->record_size);
	return rc;
}

#define TCP_CONNECT_MSEC 5000
/* In loopback the near side is silent while it measures: that never ends the session. */
#define LOOPBACK_IDLE_MSEC UINT_MAX

bool processors_half(const struct cpu_list *all, unsigned int half, struct cpu_list *ret)
{
	if (cpu_list_count(all) < 2)
		return false;
	*ret = *all;
	cpu_list_share(ret, half, 2);
	return true;
}

static bool keep_to_half(const struct cpu_list *all, unsigned int half)
{
	struct cpu_list part;

	return processors_half(all, half, &part) && !cpu_list_keep_to(&part);
}

static void processors_restore(const struct processors *processors)
{
	if (processors->split)
		cpu_list_keep_to(&processors->all);
}

static int find_own(void *context, const struct message_open *order, struct endpoint *ret_endpoint,
		    char **ret_reason, char **ret_hint)
{
	(void)order;
	(void)ret_reason;
	(void)ret_hint;
	*ret_endpoint = *(const struct endpoint *)context;
	return 0;
}

static void *serve_loopback(void *context)
{
	struct session *session = context;
	struct agent *agent = agent_new(session->far_channel, -1);
	struct agent_served served;

	if (session->processors.split)
		keep_to_half(&session->processors.all, 1);
	agent->shares_processor = !session->processors.split;
	agent->find = find_own;
	agent->owner = &session->endpoint;
	agent_serve(agent, session->far_channel, LOOPBACK_IDLE_MSEC, &served);
	agent_free(agent);
	close(session->far_channel);
	return NULL;
}

static void attach(struct session *session, struct trial *trial)
{
	trial->far = (struct side){
		.trial = trial,
		.channel = session->channel,
		.watch = &trial->near.agent->watch,
	};
	trial->near.agent->watch.channel = session->channel;
	trial->near.agent->watch.patient = true;
}

int session_open_loopback(struct session *session, struct trial *trial,
			  const struct endpoint *endpoint)
{
	int pair[2];
	int rc;

	*session = (struct session){.channel = -1, .endpoint = *endpoint};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return trial_fail(trial, NULL, "cannot make a socket pair: %s", strerror(errno));
	session->far_channel = pair[1];
	session->processors.split = !cpu_list_of_thread(&session->processors.all) &&
				    keep_to_half(&session->processors.all, 0);
	trial->near.agent->shares_processor = !session->processors.split;
	rc = -pthread_create(&session->thread, NULL, serve_loopback, session);
	if (rc) {
		processors_restore(&session->processors);
		close(pair[0]);
		close(pair[1]);
		return trial_fail(trial, NULL, "cannot start a thread: %s", strerror(-rc));
	}
	session->in_thread = true;
	trial->granted = (struct message_admitted){.qps = LIMIT_QPS, .bytes = LIMIT_BYTES};
	session->channel = pair[0];
	attach(session, trial);
	return 0;
}

static int connect_tcp(struct trial *trial, int *ret_fd)
{
	const struct selftest_request *request = trial->request;
	const uint32_t port = request->tcp_port ? request->tcp_port : MESSAGE_PORT;
	struct sockaddr_storage address, source;
	const int on = 1;
	int rc;

	socket_address(&request->peer_ip, request->scope, port, &address);
	if (request->source.family)
		socket_address(&request->source, 0, 0, &source);
	rc = tcp_connect(&trial->near.agent->watch, &address,
			 request->source.family ? &source : NULL, TCP_CONNECT_MSEC, ret_fd);
	if (!rc)
		setsockopt(*ret_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return rc;
}

int session_open_peer(struct session *session, struct trial *trial)
{
	struct diagnosis_facts facts;
	struct diagnosis diagnosis = {0};
	int rc;

	*session = (struct session){.channel = -1};
	rc = connect_tcp(trial, &session->channel);
	if (!rc) {
		attach(session, trial);
		rc = trial_shake_hands(trial);
		trial->results->no_exchange = rc && trial->far.stop;
		return rc;
	}
	trial->results->no_exchange = true;
	trial_facts(trial, &facts);
	facts.stage = STAGE_TCP;
	facts.error = -rc;
	if (rc == -EINTR) {
		trial->stop = STOP_INTERRUPTED;
		trial_skip(trial, "interrupted");
		return rc;
	}
	diagnose(&facts, &diagnosis);
	trial_fail_as(trial, &diagnosis);
	return rc;
}

void session_close(struct session *session, struct trial *trial)
{
	const struct message bye = {.type = MESSAGE_BYE};

	if (session->channel < 0)
		return;
	if (!trial->far.stop)
		exchange_send(session->channel, &bye, 1000);
	close(session->channel);
	trial->near.agent->watch.channel = -1;
	if (session->in_thread)
		pthread_join(session->thread, NULL);
	processors_restore(&session->processors);
	session->channel = -1;
}
