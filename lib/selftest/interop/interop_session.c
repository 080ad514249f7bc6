/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "selftest/wire/socket_address.h"
#include "selftest/trial/statistics.h"
#include "counter/sysfs_counters.h"

#define DEFAULT_TIMEOUT_MSEC 10000u
#define DEFAULT_MTU_BYTES    1024u /* of ibv_rc_pingpong */

/* -n and -C are an int there. */
#define MOST_ITERATIONS INT32_MAX

void interop_say(const struct interop *session, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list values;
	int rc;

	if (!session->request->say)
		return;
	va_start(values, format);
	rc = vasprintf(&text, format, values);
	va_end(values);
	if (rc >= 0)
		session->request->say(session->request->say_context, text);
}

static char *clean(const char *text)
{
	return text && text[0] ? text_clean(text, strlen(text)) : NULL;
}

void interop_read_counters(const struct endpoint *local, struct counter_list *list)
{
	struct root root;

	counter_list_clear(list);
	if (root_open(NULL, &root))
		return;
	sysfs_counters_read(&root, local->device, local->port, list);
	root_close(&root);
}

void interop_row_begin(struct interop *session)
{
	struct selftest_result *row = selftest_results_add(session->results);
	const struct endpoint *local = session->local;

	session->row = row;
	session->marked = false;
	session->done = session->timed = session->sum_nsec = 0;
	session->sample_count = 0;
	session->stride = 1;
	row->device = clean(local->device);
	row->netdev = clean(local->netdev);
	row->peer = clean(session->peer);
	number_set(&row->port, local->port);
	number_set(&row->gid_index, local->gid_index);
	row->gid = (struct known_gid){.gid = local->gid, .known = true};
	number_set(&row->gid_type, local->gid_type);
	number_set(&row->connection, session->role->connection);
	number_set(&row->group, SELFTEST_INTEROP);
	number_set(&row->verdict, SELFTEST_PASS);
	row->test = mem_string(session->role->test);
	row->summary = mem_string(session->server ? session->role->server_summary
						  : session->role->client_summary);
	row->rate_gbps.known = local->rate_mbps != 0;
	row->rate_gbps.value = (double)local->rate_mbps / 1000;
	interop_read_counters(local, &session->before);
	session->begin_nsec = clock_raw_nsec();
}

bool interop_is_over(const struct interop *session)
{
	return session->agent->watch.interrupted || session->agent->watch.device_gone;
}

static uint32_t choose_mtu(uint32_t wanted, uint32_t active)
{
	uint32_t mtu = 4096;

	if (!wanted)
		wanted = DEFAULT_MTU_BYTES;
	if (active && wanted > active)
		wanted = active;
	while (mtu > wanted && mtu > 256)
		mtu /= 2;
	return mtu;
}

static char *make_command(const struct interop *session)
{
	static const uint8_t any[sizeof(((struct ip_address *)NULL)->raw)];
	const struct interop_request *request = session->request;
	const bool bound = request->bind.family && memcmp(request->bind.raw, any, sizeof(any)) != 0;
	const struct ip_address *own = bound ? &request->bind : &session->local->ip;

	return session->role->command(&(struct interop_options){
		.peer_serves = !session->server,
		.local = session->local,
		.address = session->server ? own : &request->peer_ip,
		.port = session->port,
		.bytes = session->bytes,
		.iterations = session->iterations,
		.mtu_bytes = session->mtu_bytes,
	});
}

static int check_request(struct interop *session)
{
	if (session->bytes > session->role->most_bytes)
		return interop_fail(session, "give a smaller size",
				    "messages of %" PRIu64 " bytes: the test goes up to %" PRIu64,
				    session->bytes, session->role->most_bytes);
	if (session->iterations > MOST_ITERATIONS)
		return interop_fail(session, "give fewer iterations",
				    "%" PRIu64 " iterations: %s counts up to %d",
				    session->iterations, session->role->program, MOST_ITERATIONS);
	return 0;
}

int interop_begin(struct interop *session, const struct interop_role *role, bool server,
		  const struct interop_request *request, const struct endpoint *local,
		  struct selftest_results *results)
{
	*session = (struct interop){
		.request = request,
		.local = local,
		.results = results,
		.role = role,
		.server = server,
		.agent = agent_new(-1, request->signals),
		.port = request->port ? request->port : role->port,
		.bytes = request->bytes ? request->bytes : role->bytes,
		.iterations = request->iterations ? request->iterations : role->iterations,
		.mtu_bytes = choose_mtu(request->mtu_bytes, local->mtu_bytes),
		.timeout_msec = request->timeout_msec ? request->timeout_msec
						      : DEFAULT_TIMEOUT_MSEC,
	};
	session->command = make_command(session);
	session->advice = mem_format("on the other host must run: %s", session->command);
	if (!server) {
		session->peer = clean(request->peer ? request->peer : "the peer");
		session->remote.ip = request->peer_ip;
		interop_row_begin(session);
	}
	if (check_request(session))
		return -EINVAL;
	session->samples = mem_alloc_zero(INTEROP_MOST_SAMPLES, sizeof(*session->samples));
	return agent_open(session->agent, local) ? interop_fail_agent(session) : 0;
}

int interop_end(struct interop *session)
{
	int rc;

	if (session->row)
		interop_row_end(session);
	rc = session->agent->watch.interrupted ? -EINTR : 0;
	counter_list_clear(&session->before);
	agent_free(session->agent);
	free(session->samples);
	free(session->command);
	free(session->advice);
	free(session->peer);
	*session = (struct interop){0};
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
	/* A port that was down in an earlier run may be up again. */
	session->agent->watch.port_down = false;
	interop_row_begin(session);
}

static void real_set(struct real *real, double value)
{
	*real = (struct real){.value = value, .known = true};
}

static void add_histogram(struct selftest_result *row, const uint64_t *samples, size_t count)
{
	struct histogram histogram;

	histogram_compute(samples, count, &histogram);
	for (size_t i = 0; i < histogram.count; i++) {
		struct selftest_bucket *bucket = selftest_result_add_bucket(row);

		real_set(&bucket->least_usec, (double)histogram.items[i].least_nsec / 1e3);
		real_set(&bucket->below_usec, (double)histogram.items[i].below_nsec / 1e3);
		number_set(&bucket->count, histogram.items[i].count);
	}
}

static void add_figures(struct interop *session)
{
	const struct interop_role *role = session->role;
	struct selftest_result *row = session->row;
	double transfers = session->server ? role->server_transfers : role->client_transfers;
	struct statistics figures;

	number_set(&row->iterations, session->done);
	number_set(&row->size_bytes, session->bytes);
	if (!session->sample_count || !session->sum_nsec)
		return;
	statistics_compute(session->samples, session->sample_count, &figures);
	real_set(&row->latency_min_usec, figures.min_usec);
	real_set(&row->latency_p50_usec, figures.p50_usec);
	real_set(&row->latency_p90_usec, figures.p90_usec);
	real_set(&row->latency_p99_usec, figures.p99_usec);
	real_set(&row->latency_p999_usec, figures.p999_usec);
	real_set(&row->latency_max_usec, figures.max_usec);
	real_set(&row->latency_mean_usec, figures.mean_usec);
	real_set(&row->latency_stddev_usec, figures.stddev_usec);
	add_histogram(row, session->samples, session->sample_count);
	transfers *= (double)session->timed;
	real_set(&row->messages_per_second, transfers * 1e9 / (double)session->sum_nsec);
	real_set(&row->bandwidth_gbps,
		 transfers * (double)session->bytes * 8 / (double)session->sum_nsec);
}

/* What errors and retransmissions the port counted meanwhile. */
static void add_counters(struct interop *session)
{
	struct counter_list after = {0};

	interop_read_counters(session->local, &after);
	for (size_t i = 0; i < after.count; i++) {
		const struct counter *now = &after.items[i];
		const struct counter *before = counter_list_find(&session->before, now->name);
		enum counter_class class = counter_class_of(now->name);
		struct selftest_counter *counter;

		if (!before || before->value == now->value || class == COUNTER_OTHER ||
		    class == COUNTER_TRAFFIC_SENT || class == COUNTER_TRAFFIC_RECEIVED)
			continue;
		counter = selftest_result_add_counter(session->row);
		number_set(&counter->side, SIDE_LOCAL);
		counter->device = clean(session->local->device);
		number_set(&counter->port, session->local->port);
		counter->name = mem_string(now->name);
		number_set(&counter->before, before->value);
		number_set(&counter->after, now->value);
	}
	counter_list_clear(&after);
}

static void say_row(const struct interop *session)
{
	const struct selftest_result *row = session->row;

	if (row->verdict.value == SELFTEST_FAIL)
		interop_say(session, "%s: %s: fail: %s%s%s",
			    session->peer ? session->peer : "server", row->test, row->reason,
			    row->next_step ? "; " : "", row->next_step ? row->next_step : "");
	else
		interop_say(session,
			    "%s: %s: pass: %" PRIu64 " iterations of %" PRIu64
			    " bytes, median %.2f us",
			    session->peer, row->test, session->done, session->bytes,
			    row->latency_p50_usec.value);
}

void interop_row_end(struct interop *session)
{
	struct selftest_result *row = session->row;
	uint64_t nsec = clock_raw_nsec() - session->begin_nsec;

	if (row->peer && !gid_is_zero(&session->remote.gid))
		row->peer_gid = (struct known_gid){.gid = session->remote.gid, .known = true};
	real_set(&row->duration_msec, (double)nsec / 1e6);
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
