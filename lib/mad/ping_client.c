/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/ping_client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/statistics.h"
#include "base/text.h"
#include "mad/format/header.h"
#include "schema/rows.h"

#define RECORD struct ping_record
#define ROUND_TRIP(member, heading, flags, help) \
	TENTHS_FIELD(RECORD, member, #member "_usec", heading, (flags) | FIELD_RIGHT, 0, help)
static const struct field fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0, "destination, as given; with --serve, the client"),
	TEXT(host, "HOST", SHOWN, MAD_NEED_NODE,
	     "name of the host that answered, or description of its node"),
	NUMBER(lid, "LID", 0, 0, "LID of the destination"),
	GID(gid, "GID", 0, 0, "GID of the destination, on Ethernet"),
	TEXT(device, "DEVICE", 0, 0, "local device that sends the requests"),
	NUMBER(port, "PORT", 0, 0, "local port that sends the requests"),
	WORD_AS("method", kind, ping_kind_names, "METHOD", 0, 0,
		"kind of request: pma, smp, openib, roce"),
	NUMBER(sequence, "SEQ", 0, 0, "with --each: number of the request, from 1"),
	NUMBER(sent, "SENT", SHOWN, 0, "requests"),
	NUMBER(received, "RECEIVED", SHOWN, 0, "answers that came in time"),
	REAL(loss_percent, "LOSS %", SHOWN, 0, "percentage of requests without an answer"),
	ROUND_TRIP(min, "MIN us", SHOWN, "shortest round trip"),
	ROUND_TRIP(p50, "P50 us", SHOWN, "median of the round trips"),
	ROUND_TRIP(p90, "P90 us", SHOWN, "90th percentile of the round trips"),
	ROUND_TRIP(p99, "P99 us", SHOWN, "99th percentile of the round trips"),
	ROUND_TRIP(max, "MAX us", SHOWN, "longest round trip"),
	ROUND_TRIP(mean, "MEAN us", 0, "mean of the round trips"),
};

static const struct column_view views[] = {
	{"--each", "object,sequence,received,p50_usec"},
	/* Only these answers have the name of the host; other nodes are queried at the end. */
	{"--each --openib, or on Ethernet", "object,sequence,host,received,p50_usec"},
	{"--serve", "object,sent,received"},
	{NULL, NULL},
};

const struct schema ping_schema = SCHEMA("pings", struct ping_record, fields,
					 "how a destination answers", .views = views);

/* Why an answer does not count, as a constant string; NULL: it counts. A status says more. */
static const char *find_fault(const struct ping_target *target, const struct mad_reply *reply)
{
	if (!ping_accept(target->kind, &target->request, reply->mad, reply->bytes))
		return "the answer does not match the request";
	return target->kind == PING_ROCE && memcmp(&reply->from->gid, &target->request.to.gid,
						   sizeof(struct gid)) != 0
		       ? "another address answered"
		       : NULL;
}

static void add_answer(struct ping_target *target, uint64_t nsec)
{
	target->received++;
	if (nsec)
		MEM_ADD(target->samples, target->sample_count) = nsec;
}

static void set_loss(struct ping_record *record)
{
	uint64_t sent = record->sent.value, lost = sent - record->received.value;

	if (sent)
		record->loss_percent = real_of(100 * (double)lost / (double)sent);
}

/* Counts the end of a request. Returns whether it was answered. */
static bool take_reply(struct ping_target *target, const struct mad_reply *reply)
{
	const char *fault = reply->error ? NULL : find_fault(target, reply);
	const bool answered = !reply->error && !fault;

	target->sent++;
	target->error = reply->error;
	if (answered) {
		add_answer(target, reply->round_trip_nsec);
		if (!target->record.host)
			target->record.host = ping_host(target->kind, reply->mad, reply->bytes);
	} else if (fault) {
		target->fault = fault;
		target->status = reply->status;
	}
	return answered;
}

/* A row of the last request alone. */
static struct ping_record *last_record(const struct ping_target *target, bool answered,
				       const struct mad_reply *reply)
{
	const struct ping_record *total = &target->record;
	struct ping_record *record = mem_alloc_zero(1, sizeof(*record));

	*record = *total;
	record->object = mem_string(total->object);
	record->host = mem_string_or_null(total->host);
	record->device = mem_string(total->device);
	number_set(&record->sequence, target->sent);
	number_set(&record->sent, 1);
	number_set(&record->received, answered);
	record->refused = !answered && !reply->error;
	set_loss(record);
	if (answered)
		record->min = record->p50 = record->p90 = record->p99 = record->max = record->mean =
			mad_round_trip_usec(reply->round_trip_nsec);
	return record;
}

void ping_target_compute(struct ping_target *target)
{
	struct ping_record *record = &target->record;
	struct statistics figures;

	number_set(&record->sent, target->sent);
	number_set(&record->received, target->received);
	set_loss(record);
	if (!target->sample_count)
		return;
	statistics_compute(target->samples, target->sample_count, &figures);
	record->min = real_of(figures.min_usec);
	record->p50 = real_of(figures.p50_usec);
	record->p90 = real_of(figures.p90_usec);
	record->p99 = real_of(figures.p99_usec);
	record->max = real_of(figures.max_usec);
	record->mean = real_of(figures.mean_usec);
}

char *ping_target_complaint(const struct ping_target *target)
{
	_cleanup_(freep) char *why = NULL, *failure = NULL;
	/* Some requests were answered, though with a failure; others perhaps not at all. */
	const bool bad = target->status || target->fault;

	if (target->status) {
		why = mad_failure_text(target->request.mgmt_class, 0, target->status, 1);
	} else if (target->fault) {
		why = mem_string(target->fault);
	} else if (target->error && target->error != -ETIMEDOUT) {
		failure = mad_failure_text(target->request.mgmt_class, target->error, 0, 0);
		why = mem_format("not sent: %s", failure);
	}
	return mem_format("no %sanswer to %" PRIu64 " of %" PRIu64 " requests%s%s%s",
			  bad ? "valid " : "", target->sent - target->received, target->sent,
			  why ? " (" : "", why ? why : "", why ? ")" : "");
}

const char *ping_target_hint(const struct ping_target *target)
{
	if (target->received)
		return target->kind == PING_ROCE ? NULL
						 : "rdmactl perf shows the errors of the ports "
						   "on the path";
	if (target->error == -EXDEV)
		return "omit --smp: other requests can cross routers";
	/* It was not sent, which says nothing about the destination. */
	if (target->error && target->error != -ETIMEDOUT && !target->status && !target->fault)
		return NULL;
	switch (target->kind) {
	case PING_PMA:
		return target->named_lid ? "no port has this LID, or the node or the path to it is "
					   "down; a directed route shows where: rdmactl ping -D 0,1"
					 : "the node or the path to it is down; a directed route "
					   "shows where: rdmactl ping -D 0,1";
	case PING_SMP:
		return mad_smp_silence_hint(target->named_lid);
	case PING_OPENIB:
		return "run rdmactl ping --serve or ibping -S on the destination";
	default:
		return "run rdmactl ping --serve on the destination";
	}
}

struct ping_target *ping_add_target(struct ping_client *ping, enum ping_kind kind, const char *name)
{
	struct ping_target *target = mem_append(&ping->targets, &ping->target_count,
						sizeof(*ping->targets));

	target->kind = kind;
	target->record.object = mem_string(name);
	target->record.device = mem_string(ping->session->port.device);
	number_set(&target->record.port, ping->session->port.port);
	number_set(&target->record.kind, kind);
	return target;
}

/* Random bytes after the host name prove that an answer belongs to its request. */
void ping_add_data(struct ping_target *target)
{
	if (getrandom(target->data + PING_HOST_BYTES, PING_DATA_BYTES - PING_HOST_BYTES, 0) < 0)
		target->data[PING_HOST_BYTES] = 1;
}

uint8_t ping_add_agent(struct ping_client *ping)
{
	int rc = -EINVAL;

	for (unsigned int i = 0; i < PING_METHOD_COUNT; i++) {
		uint8_t method = ping_answer_method(i);
		struct mad_agent agent = {
			.mgmt_class = MAD_CLASS_OPENIB_PING,
			.version = 1,
			.oui = PING_ROCE_OUI,
		};

		agent.methods[method / LONG_BIT] = 1ul << method % LONG_BIT;
		rc = mad_engine_add_agent(ping->session->engine, &agent);
		if (rc >= 0)
			return method;
	}
	problem_add_format(ping->session->problems, NULL, NULL, NULL,
			   "17 other clients may be waiting for answers on this port",
			   "%s/%u: the kernel refused to register an agent for answers: %s",
			   ping->session->port.device, ping->session->port.port, strerror(-rc));
	return 0;
}

/*
 * A neighbour that does not exist keeps the kernel busy for a second, in which the port sends and
 * receives nothing. Targets not reached in the last round go first, when no other one waits for an
 * answer.
 */
static bool next_in_round(struct ping_client *ping)
{
	for (; ping->pass < 2; ping->pass++, ping->next = 0)
		for (; ping->next < ping->target_count; ping->next++)
			if (ping->targets[ping->next].unreached == !ping->pass)
				return true;
	return false;
}

/* The next target that waits for no answer and has requests left. */
static bool next_in_flood(struct ping_client *ping)
{
	for (size_t i = 0; i < ping->target_count; i++) {
		size_t at = (ping->next + i) % ping->target_count;

		if (ping->targets[at].waits || ping->targets[at].started == ping->count)
			continue;
		ping->next = at;
		return true;
	}
	return false;
}

static bool next(void *context, struct mad_request *request)
{
	struct ping_client *ping = context;
	struct ping_target *target;

	if (!(ping->flood ? next_in_flood(ping) : next_in_round(ping)))
		return false;
	target = &ping->targets[ping->next];
	*request = target->request;
	request->number = ping->next++;
	target->waits = true;
	target->started++;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct ping_client *ping = context;
	struct ping_target *target = &ping->targets[reply->request->number];
	bool answered;

	target->waits = false;
	/* A cancelled request is neither answered nor lost. */
	if (reply->error == -ECANCELED)
		return;
	answered = take_reply(target, reply);
	if (ping->keeps_each)
		MEM_ADD(ping->each, ping->each_count) = last_record(target, answered, reply);
}

/* The data of RoCE requests are in the targets, whose addresses no longer change. */
static void point_to_data(struct ping_client *ping)
{
	for (size_t i = 0; i < ping->target_count; i++)
		if (ping->targets[i].kind == PING_ROCE)
			ping->targets[i].request.data = ping->targets[i].data;
}

int ping_round(struct ping_client *ping)
{
	const struct mad_work work = {.context = ping, .next = next, .done = done};

	point_to_data(ping);
	ping->next = ping->pass = 0;
	for (size_t i = 0; i < ping->target_count; i++)
		ping->targets[i].unreached = ping->targets[i].error;
	return mad_engine_run(ping->session->engine, &work);
}

void ping_describe_nodes(struct ping_client *ping)
{
	_cleanup_(freep) struct mad_item *items = mad_items_new(ping->target_count);

	for (size_t i = 0; i < ping->target_count; i++) {
		const struct ping_target *target = &ping->targets[i];

		items[i].skipped = target->record.host || !target->received ||
				   target->kind == PING_ROCE;
		if (items[i].skipped)
			continue;
		mad_session_ask(ping->session, &ping->session->destinations[i],
				UMAD_SM_ATTR_NODE_DESC, 0, &items[i]);
	}
	mad_gather(ping->session->engine, items, ping->target_count);
	for (size_t i = 0; i < ping->target_count; i++)
		if (!items[i].error && !items[i].status && items[i].data[0])
			ping->targets[i].record.host = text_clean((const char *)items[i].data,
								  NODE_DESCRIPTION_BYTES);
}

void ping_drop_each(struct ping_client *ping)
{
	for (size_t i = 0; i < ping->each_count; i++) {
		record_clear(&ping_schema, ping->each[i]);
		free(ping->each[i]);
	}
	ping->each_count = 0;
}

void ping_client_clear(struct ping_client *ping)
{
	for (size_t i = 0; i < ping->target_count; i++) {
		free(ping->targets[i].samples);
		record_clear(&ping_schema, &ping->targets[i].record);
	}
	free(ping->targets);
	ping_drop_each(ping);
	free(ping->each);
}
