/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "counter/counter.h"
#include "host/device.h"
#include "selftest/agent/watch.h"

#define STEP_TIMEOUT_MSEC 10000u /* for one step without progress */
#define DEFAULT_MTU_BYTES 1024u	 /* of ibv_rc_pingpong */
#define SRQ_QPS		  16u	 /* of ibv_srq_pingpong without -q */
#define INTEROP_DEPTH	  16u	 /* more than a ping-pong has outstanding */

/* The programs read -n and -C as an int. */
#define INTEROP_MOST_ITERATIONS INT32_MAX

/* The limit for programs that have all messages of a side outstanding at once. */
#define INTEROP_MOST_MESSAGES 4096

void interop_say(const struct interop *session, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list values;

	if (!session->request->say)
		return;
	va_start(values, format);
	text = mem_format_list(format, values);
	va_end(values);
	session->request->say(session->request->say_context, text);
}

void interop_row_begin(struct interop *session)
{
	struct selftest_result *row = selftest_results_add(session->results);
	const struct endpoint *local = session->local;

	session->row = row;
	session->marked = false;
	session->unseen = false;
	session->done = session->bulk_nsec = session->bulk_messages = 0;
	free(session->sampler.nsec);
	sampler_begin(&session->sampler, session->server ? 0 : session->iterations);
	selftest_result_set_local(row, local);
	/* A sender to mckey has a group instead. */
	if (session->server || session->request->peer)
		row->peer = mem_string_or_null(session->peer);
	number_set(&row->connection, session->role->connection);
	number_set(&row->group, SELFTEST_INTEROP);
	number_set(&row->verdict, SELFTEST_PASS);
	row->test = mem_string(session->role->test);
	row->summary = mem_string(session->server ? session->role->server_summary
						  : session->role->client_summary);
	row->rate_gbps.known = local->rate_mbps != 0;
	row->rate_gbps.value = (double)local->rate_mbps / 1000;
	counter_list_clear(&session->before);
	agent_read_counters(local, &session->before);
	session->begin_nsec = clock_raw_nsec();
}

bool interop_is_over(const struct interop *session)
{
	return session->agent->watch.interrupted || session->agent->watch.device_gone;
}

static uint32_t choose_mtu(uint32_t wanted, uint32_t active, bool by_active)
{
	uint32_t mtu = 4096;

	if (!wanted)
		wanted = by_active && active ? active : DEFAULT_MTU_BYTES;
	if (active && wanted > active)
		wanted = active;
	while (mtu > wanted && mtu > 256)
		mtu /= 2;
	return mtu;
}

/* Sets what the user or the program specifies; an earlier client may have changed it. */
static void set_defaults(struct interop *session)
{
	const struct selftest_request *request = session->request;
	const struct interop_role *role = session->role;

	session->bytes = request->sizes[0] ? request->sizes[0] : role->bytes;
	session->iterations = request->iterations ? request->iterations : role->iterations;
	session->mtu_bytes = choose_mtu(request->mtu_bytes, session->local->mtu_bytes,
					role->by_active_mtu);
	session->qps = !role->srq ? 1 : request->queue_pairs ?: SRQ_QPS;
	session->depth = role->all_at_once ? (uint32_t)session->iterations
			 : role->depth	   ? role->depth
					   : INTEROP_DEPTH;
}

static int check_request(struct interop *session)
{
	const struct interop_role *role = session->role;
	const bool packets = role->kind == QP_UD && session->local->mtu_bytes;
	const uint64_t most_bytes = packets ? session->local->mtu_bytes : role->most_bytes;
	const int most = role->all_at_once ? INTEROP_MOST_MESSAGES : INTEROP_MOST_ITERATIONS;
	const bool by_cm = role->connection == CONNECTION_CM;

	if (session->bytes < role->least_bytes)
		return interop_fail_with(session, LIST_INTEROP_BYTES, -1, "%" PRIu64,
					 role->least_bytes);
	if (session->bytes > most_bytes)
		return interop_fail_with(session, LIST_INTEROP_BYTES, 0, "%" PRIu64, most_bytes);
	if (session->iterations < role->least_iterations)
		return interop_fail_with(session, LIST_INTEROP_ITERATIONS, -2, "%" PRIu64,
					 role->least_iterations);
	if (session->iterations > (uint64_t)most)
		return interop_fail_with(session, LIST_INTEROP_ITERATIONS,
					 role->all_at_once ? -1 : 0, "%d", most);
	/* Only rdma_cm can connect queue pairs of iWARP, which has no datagrams. */
	if (session->local->transport == TRANSPORT_IWARP && !(by_cm && role->kind == QP_RC))
		return interop_fail(session, LIST_INTEROP_IWARP, by_cm ? EOPNOTSUPP : 0);
	return 0;
}

/* Takes the request and opens the device. If this fails, a row says why. */
static int begin(struct interop *session)
{
	const struct selftest_request *request = session->request;
	const char *peer = request->peer ? request->peer : "the peer";

	set_defaults(session);
	session->command = session->role->command(session);
	if (!session->server) {
		session->peer = selftest_clean(peer, strlen(peer));
		session->remote.ip = request->peer_ip;
		interop_row_begin(session);
	}
	if (check_request(session))
		return -EINVAL;
	return agent_open_device(session->agent, session->local) ? interop_fail_agent(session) : 0;
}

static const struct interop_role *const roles[PROTOCOLS] = {
	[PROTOCOL_PINGPONG] = &pingpong_role,
	[PROTOCOL_UC_PINGPONG] = &uc_pingpong_role,
	[PROTOCOL_UD_PINGPONG] = &ud_pingpong_role,
	[PROTOCOL_SRQ_PINGPONG] = &srq_pingpong_role,
	[PROTOCOL_RPING] = &rping_role,
	[PROTOCOL_UCMATOSE] = &ucmatose_role,
	[PROTOCOL_MCKEY] = &mckey_role,
};

int interop_run(enum selftest_protocol protocol, const struct selftest_request *request,
		const struct endpoint *local, struct selftest_results *results)
{
	const struct interop_role *role = protocol == PROTOCOL_PERFTEST ? perftest_role(request)
									: roles[protocol];
	struct interop session = {
		.request = request,
		.local = local,
		.results = results,
		.role = role,
		.server = request->server,
		.timeout_msec = STEP_TIMEOUT_MSEC,
	};
	int rc;

	if (!role)
		return -EINVAL;
	session.header = role->kind == QP_UD ? DATAGRAM_HEADER_BYTES : 0;
	session.agent = agent_new(-1, request->signals);
	session.port = request->tcp_port ? request->tcp_port : role->port;
	if (!begin(&session))
		role->run(&session);
	if (session.row)
		interop_row_end(&session);
	rc = session.agent->watch.interrupted ? -EINTR : 0;
	counter_list_clear(&session.before);
	agent_free(session.agent);
	free(session.sampler.nsec);
	free(session.command);
	free(session.peer);
	return rc;
}

void interop_client_came(struct interop *session, const struct sockaddr_storage *address)
{
	struct ip_address ip = socket_address_ip(address);
	char text[IP_TEXT_SIZE];

	ip_format(&ip, text);
	free(session->peer);
	session->peer = mem_string(text);
	session->remote = (struct endpoint){.ip = ip};
	set_defaults(session);
	/* A port that was down in an earlier run may be up again, and its queues are gone. */
	session->agent->watch.port_down = false;
	session->agent->watch.queue_error = 0;
	interop_row_begin(session);
}

static void add_rate(struct interop *session, double messages, uint64_t nsec)
{
	struct selftest_result *row = session->row;

	row->messages_per_second = real_of(messages * 1e9 / (double)nsec);
	row->bandwidth_gbps = real_of(messages * (double)session->bytes * 8 / (double)nsec);
}

static void add_figures(struct interop *session)
{
	const struct interop_role *role = session->role;
	struct selftest_result *row = session->row;
	const double transfers = !session->server && role->back_too ? 2 : 1;

	if (!session->unseen) {
		row->iterations = number_of(session->done);
		row->size_bytes = number_of(session->bytes);
	}
	if (role->srq)
		number_set(&row->queue_pairs, session->qps);
	if (session->bulk_nsec && session->bulk_messages)
		add_rate(session, (double)session->bulk_messages, session->bulk_nsec);
	if (!session->sampler.all.sum)
		return;
	/* Transfers on several queue pairs overlap. */
	if (!role->srq)
		add_rate(session, transfers * (double)session->sampler.all.count,
			 session->sampler.all.sum);
	sampler_end(&session->sampler);
	selftest_result_set_latency(row, session->sampler.nsec, session->sampler.count,
				    &session->sampler.all);
}

static void add_counters(struct interop *session)
{
	_cleanup_(counter_list_clear) struct counter_list after = {0};

	agent_read_counters(session->local, &after);
	for (size_t i = 0; i < after.count; i++) {
		const struct counter *now = &after.items[i];
		const struct counter *before = counter_list_find(&session->before, now->name);
		enum counter_class class = counter_class_of(now->name);

		if (before && before->value != now->value && class != COUNTER_OTHER &&
		    class != COUNTER_TRAFFIC_SENT && class != COUNTER_TRAFFIC_RECEIVED)
			selftest_result_add_counter(session->row, SIDE_LOCAL, before, now);
	}
}

static void say_row(const struct interop *session)
{
	const struct selftest_result *row = session->row;
	const struct real *p50 = &row->latency_p50_usec;
	const char *who = session->peer ? session->peer : "server";
	_cleanup_(freep) char *median = p50->known ? mem_format(", median %.2f us", p50->value)
						   : mem_string("");

	if (row->verdict.value == SELFTEST_PASS && !session->unseen)
		interop_say(session, "%s: %s: pass: %" PRIu64 " iterations of %" PRIu64 " bytes%s",
			    who, row->test, session->done, session->bytes, median);
	else
		interop_say(session, "%s: %s: %s: %s%s%s", who, row->test,
			    enum_word(selftest_verdict_names, row->verdict.value, ""), row->reason,
			    row->next_step ? "; " : "", row->next_step ? row->next_step : "");
}

void interop_row_end(struct interop *session)
{
	struct selftest_result *row = session->row;
	uint64_t nsec = clock_raw_nsec() - session->begin_nsec;

	if ((row->peer || !session->server) && !gid_is_zero(&session->remote.gid))
		row->peer_gid = (struct known_gid){.gid = session->remote.gid, .known = true};
	row->duration_msec = real_of((double)nsec / 1e6);
	add_figures(session);
	add_counters(session);
	if (session->server)
		say_row(session);
	session->row = NULL;
	if (!session->server)
		return;
	free(session->peer);
	session->peer = NULL;
	if (session->results->count > INTEROP_MOST_ROWS)
		selftest_results_drop_first(session->results);
}

int interop_make_qp(struct interop *session, uint32_t slot)
{
	struct agent *agent = session->agent;
	const struct message_cq cq = {
		.slot = INTEROP_CQ,
		.entries = 2 * session->qps * session->depth,
	};
	const struct message_qp qp = {
		.slot = slot,
		.kind = session->role->kind,
		.cq = INTEROP_CQ,
		.srq = session->role->srq,
		.send_depth = session->depth,
		/* With an SRQ, the first queue pair creates it, for the receives of all. */
		.receive_depth = !session->role->srq  ? session->depth
				 : slot == INTEROP_QP ? session->qps * session->depth
						      : 0,
		.sges = 1,
		.signal_all = 1,
	};
	struct message_qp_created created;

	if ((slot == INTEROP_QP && agent_cq(agent, &cq)) || agent_qp(agent, &qp, &created))
		return interop_fail_agent(session);
	return 0;
}

struct agent_buffer *interop_make_buffer(struct interop *session, uint32_t slot, uint64_t bytes,
					 uint32_t access)
{
	struct agent *agent = session->agent;
	const struct message_buffer order = {.slot = slot, .bytes = bytes, .access = access};
	struct message_buffered reply;

	if (!agent_buffer(agent, &order, &reply))
		return &agent->buffers[slot];
	interop_fail_agent(session);
	return NULL;
}

int interop_make_buffers(struct interop *session, uint64_t room, uint32_t access)
{
	const uint32_t bytes = (uint32_t)session->bytes;
	struct agent_buffer *sent = interop_make_buffer(session, INTEROP_SENT_BUFFER, bytes,
							ACCESS_LOCAL);
	struct agent_buffer *received = sent ? interop_make_buffer(session, INTEROP_RECEIVED_BUFFER,
								   room, access)
					     : NULL;

	if (!received)
		return -EIO;
	session->sent = sent->bytes;
	session->received = received->bytes + session->header;
	interop_set_parts(session, interop_part(received, 0, session->header + bytes),
			  interop_part(sent, 0, bytes));
	return 0;
}

struct ibv_sge interop_part(const struct agent_buffer *buffer, size_t offset, uint32_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)(buffer->bytes + offset),
		.length = length,
		.lkey = buffer->mr->lkey,
	};
}

void interop_set_parts(struct interop *session, struct ibv_sge receive, struct ibv_sge send)
{
	session->receive_part = receive;
	session->send_part = send;
	session->receive = (struct ibv_recv_wr){
		.wr_id = INTEROP_RECEIVED,
		.sg_list = &session->receive_part,
		.num_sge = 1,
	};
	session->send = (struct ibv_send_wr){
		.wr_id = INTEROP_SENT,
		.sg_list = &session->send_part,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	session->seen = 0;
}

void interop_release(struct interop *session)
{
	struct agent *agent = session->agent;

	/* Unread events of a queue pair would block its destruction. */
	if (agent->context)
		watch_look(&agent->watch);
	for (size_t i = 0; i < PINGPONG_MOST_QPS; i++)
		agent_qp_destroy(agent, &agent->qps[i]);
	/* Its receives use buffers that are freed below. */
	if (agent->srq)
		agent->api.ibv_destroy_srq(agent->srq);
	agent->srq = NULL;
	agent_cq(agent, &(struct message_cq){.slot = INTEROP_CQ});
	for (uint32_t slot = 0; slot < LIMIT_BUFFERS; slot++)
		agent_buffer(agent, &(struct message_buffer){.slot = slot},
			     &(struct message_buffered){0});
}

int interop_run_begin(struct interop *session, int channel)
{
	struct watch *watch = &session->agent->watch;
	int rc;

	watch->channel = channel;
	rc = watch_begin(watch, session->timeout_msec);
	if (!rc)
		return 0;
	watch->channel = -1;
	return interop_fail(session, LIST_INTEROP_THREAD, -rc);
}

int interop_run_end(struct interop *session, int rc)
{
	const enum stop stop = watch_end(&session->agent->watch);

	session->agent->watch.channel = -1;
	return rc == -ECANCELED ? interop_fail_stop(session, stop) : rc;
}

/*
 * After this many empty polls (milliseconds, longer than a fast device needs), yield the processor:
 * a software device needs it for the very message that is being awaited.
 */
#define SPINS_BEFORE_YIELD 20000u

int interop_spin(const struct interop *session, unsigned int *spins)
{
	if (atomic_load_explicit(&session->agent->watch.stop, memory_order_relaxed))
		return -ECANCELED;
	if (++*spins > SPINS_BEFORE_YIELD)
		sched_yield();
	return 0;
}

int interop_next_completion(struct interop *session, struct ibv_wc *wc)
{
	struct watch *watch = &session->agent->watch;
	struct ibv_cq *cq = session->agent->cqs[INTEROP_CQ].cq;
	unsigned int spins = 0;
	int got;

	while (!(got = ibv_poll_cq(cq, 1, wc)))
		if (interop_spin(session, &spins))
			return -ECANCELED;
	if (got < 0) {
		/* Only a broken device does that, so report IBV_WC_FATAL_ERR. */
		*wc = (struct ibv_wc){.status = IBV_WC_FATAL_ERR};
		return 0;
	}
	watch_progress(watch);
	return 0;
}

int interop_next_success(struct interop *session, struct ibv_wc *wc)
{
	if (interop_next_completion(session, wc))
		return -ECANCELED;
	return wc->status == IBV_WC_SUCCESS ? 0 : interop_fail_status(session, wc);
}
