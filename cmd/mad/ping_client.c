/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends requests to all destinations, in rounds or as fast as they answer; counts answers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/attribute.h"
#include "cmd/mad/mad_serve.h"
#include "cmd/mad/ping_target.h"

#define COUNT	      5u
#define INTERVAL_MSEC 1000u
/* The peer may have to resolve its neighbour before the first answer: a second in the kernel. */
#define ETHERNET_TIMEOUT_MSEC 2000u
#define NODE_DESC_BYTES	      64u

struct run {
	struct mad_listing mad;
	const struct ping_args *args;
	uint64_t count; /* of requests to each destination; UINT64_MAX: no end */
	uint64_t round;
	struct ping_target *targets;
	size_t target_count, next;
	unsigned int pass; /* of the round: first the unreached targets, then the others */
	/* With --each, or if lines are shown: finished requests, in the order they ended. */
	struct ping_record **each;
	size_t each_count, shown;
	bool shows_lines;
};

/* Reads destinations from standard input, for the word `-`. */
static void read_words(struct strings *words)
{
	_cleanup_(freep) char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		char *rest = line, *word;

		line[strcspn(line, "#")] = '\0';
		while ((word = strsep(&rest, " \t\n")))
			if (*word)
				strings_add(words, word);
	}
}

static void gather_words(char *const *words, struct strings *ret)
{
	for (; *words; words++) {
		if (!strcmp(*words, "-"))
			read_words(ret);
		else
			strings_add(ret, *words);
	}
	/* mad_listing_find_all() and ping_find_paths() read up to a NULL. */
	*(char **)mem_append(&ret->items, &ret->count, sizeof(char *)) = NULL;
	ret->count--;
}

/*
 * A neighbour that does not exist keeps the kernel busy for a second, in which the port sends and
 * receives nothing. Targets not reached in the last round go first, when no other one waits for an
 * answer.
 */
static bool next_in_round(struct run *run)
{
	for (; run->pass < 2; run->pass++, run->next = 0)
		for (; run->next < run->target_count; run->next++)
			if (run->targets[run->next].unreached == !run->pass)
				return true;
	return false;
}

/* The next target that waits for no answer and has requests left. */
static bool next_in_flood(struct run *run)
{
	for (size_t i = 0; i < run->target_count; i++) {
		size_t at = (run->next + i) % run->target_count;

		if (run->targets[at].waits || run->targets[at].started == run->count)
			continue;
		run->next = at;
		return true;
	}
	return false;
}

static bool next(void *context, struct mad_request *request)
{
	struct run *run = context;
	struct ping_target *target;

	if (!(run->args->flood ? next_in_flood(run) : next_in_round(run)))
		return false;
	target = &run->targets[run->next];
	*request = target->request;
	request->number = run->next++;
	target->waits = true;
	target->started++;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct run *run = context;
	struct ping_target *target = &run->targets[reply->request->number];
	bool answered;

	target->waits = false;
	/* A cancelled request is neither answered nor lost. */
	if (reply->error == -ECANCELED)
		return;
	answered = ping_target_take(target, reply);
	if (run->args->each || run->shows_lines)
		*(struct ping_record **)mem_append(&run->each, &run->each_count,
						   sizeof(*run->each)) =
			ping_target_last(target, answered, reply->round_trip_nsec);
}

static void show_line(const struct run *run, const struct ping_record *record)
{
	_cleanup_(freep) char *count = run->count == UINT64_MAX
					       ? mem_string("")
					       : mem_format(" of %" PRIu64, run->count);
	_cleanup_(freep) char *time = record->p50.known ? mem_format("%.1f us", record->p50.value)
							: mem_string("no answer");
	_cleanup_(freep) char *line = mem_format("%s%s%s%s: %" PRIu64 "%s: %s", record->object,
						 record->host ? " (" : "",
						 record->host ? record->host : "",
						 record->host ? ")" : "", record->sequence.value,
						 count, time);

	command_complain(run->mad.listing.ctx, line, NULL);
}

/* Shows the requests that ended since the last call. */
static void show(struct run *run)
{
	struct listing *listing = &run->mad.listing;

	for (; run->shown < run->each_count; run->shown++) {
		if (run->shows_lines)
			show_line(run, run->each[run->shown]);
		if (run->args->each)
			listing_add(listing, run->each[run->shown]);
	}
	if (run->args->each && !listing_streams(listing))
		return;
	listing_stream(listing);
	/* Printed rows are not needed any more. */
	for (size_t i = 0; i < run->each_count; i++) {
		ping_record_clear(run->each[i]);
		free(run->each[i]);
	}
	run->each_count = run->shown = 0;
}

static int ask(struct run *run)
{
	const struct mad_work work = {.context = run, .next = next, .done = done};
	uint64_t interval = run->args->interval.known ? run->args->interval.value : INTERVAL_MSEC;
	uint64_t begin = clock_msec();
	int rc;

	if (run->args->flood) {
		rc = mad_engine_run(run->mad.session.engine, &work);
		show(run);
		return rc;
	}
	for (;;) {
		run->next = run->pass = 0;
		for (size_t i = 0; i < run->target_count; i++)
			run->targets[i].unreached = run->targets[i].error;
		rc = mad_engine_run(run->mad.session.engine, &work);
		show(run);
		if (rc || ++run->round == run->count)
			return rc;
		/* A round that took longer than the interval is followed by the next at once. */
		begin += interval;
		if (begin < clock_msec())
			begin = clock_msec();
		if (!mad_session_wait(&run->mad.session, begin))
			return -ECANCELED;
	}
}

static void report_loss(struct run *run, const struct ping_target *target)
{
	_cleanup_(freep) char *text = ping_target_complaint(target);

	problem_add_text(&run->mad.listing.problems, target->record.object, NULL,
			 target->kind == PING_SMP ? "smp" : "gmp", text, ping_target_hint(target));
	run->mad.listing.status = STATUS_FAULT;
}

/* Queries the descriptions of nodes that answered without a host name. */
static void describe_nodes(struct run *run)
{
	struct mad_item *items = mad_items_new(run->target_count);
	size_t *targets = mem_alloc_zero(run->target_count + 1, sizeof(*targets)), asked = 0;

	for (size_t i = 0; i < run->target_count; i++) {
		const struct ping_target *target = &run->targets[i];

		if (target->record.host || !target->received || target->kind == PING_ROCE)
			continue;
		mad_smp_request(&run->mad.session.destinations[i].place, UMAD_METHOD_GET,
				UMAD_SM_ATTR_NODE_DESC, 0, &items[asked].request);
		items[asked].request.key = run->mad.session.key;
		targets[asked++] = i;
	}
	mad_gather(run->mad.session.engine, items, asked);
	for (size_t i = 0; i < asked; i++)
		if (!items[i].error && !items[i].status && items[i].data[0])
			run->targets[targets[i]].record.host = text_clean(
				(const char *)items[i].data, NODE_DESC_BYTES);
	free(items);
	free(targets);
}

static void conclude(struct run *run, int rc)
{
	struct listing *listing = &run->mad.listing;
	uint64_t sent = 0;

	if (rc && rc != -ECANCELED) {
		_cleanup_(freep) char *text = mem_format("%s/%u: %s", run->mad.session.port.device,
							 run->mad.session.port.port, strerror(-rc));

		listing_fail(listing, STATUS_FAILED, text, NULL);
		return;
	}
	if (columns_needs(&listing->columns) & MAD_NEED_NODE && !run->args->each &&
	    !mad_session_stopped(&run->mad.session))
		describe_nodes(run);
	for (size_t i = 0; i < run->target_count; i++) {
		struct ping_target *target = &run->targets[i];

		sent += target->sent;
		ping_target_compute(target);
		if (target->received < target->sent)
			report_loss(run, target);
		if (!run->args->each)
			listing_add(listing, &target->record);
	}
	if (!sent && run->target_count)
		listing_fail(listing, STATUS_FAILED, "interrupted before the first answer", NULL);
}

static struct ping_target *add_target(struct run *run, enum ping_kind kind, const char *name)
{
	struct ping_target *target = mem_append(&run->targets, &run->target_count,
						sizeof(*run->targets));

	target->kind = kind;
	target->record.object = mem_string(name);
	target->record.device = mem_string(run->mad.session.port.device);
	number_set(&target->record.port, run->mad.session.port.port);
	number_set(&target->record.kind, kind);
	return target;
}

/* Random bytes after the host name prove that an answer belongs to its request. */
static void add_data(struct ping_target *target)
{
	if (getrandom(target->data + PING_HOST_BYTES, PING_DATA_BYTES - PING_HOST_BYTES, 0) < 0)
		target->data[PING_HOST_BYTES] = 1;
}

/* The first answer method that no other client on the port has taken, or 0. */
static uint8_t add_agent(struct run *run)
{
	_cleanup_(freep) char *text = NULL;
	int rc = -EINVAL;

	for (unsigned int i = 0; i < PING_METHOD_COUNT; i++) {
		uint8_t method = ping_answer_method(i);
		struct mad_agent agent = {
			.mgmt_class = MAD_CLASS_OPENIB_PING,
			.version = 1,
			.oui = PING_ROCE_OUI,
		};

		agent.methods[method / 64] = 1ull << method % 64;
		rc = mad_engine_add_agent(run->mad.session.engine, &agent);
		if (rc >= 0)
			return method;
	}
	text = mem_format("%s/%u: the kernel refused the agent for answers: %s",
			  run->mad.session.port.device, run->mad.session.port.port, strerror(-rc));
	listing_fail(&run->mad.listing, STATUS_FAILED, text,
		     "17 other clients may be waiting for answers on this port");
	return 0;
}

static bool begin_ethernet(struct run *run, struct ping_paths *paths)
{
	struct problems *problems = &run->mad.listing.problems;
	uint8_t method;

	for (size_t i = 0; i < paths->problems.count; i++)
		problem_add_text(problems, paths->problems.items[i].object, NULL, NULL,
				 paths->problems.items[i].error, paths->problems.items[i].hint);
	method = paths->count ? add_agent(run) : 0;
	if (!method) {
		run->mad.listing.status = STATUS_FAILED;
		return false;
	}
	for (size_t i = 0; i < paths->count; i++) {
		struct ping_target *target = add_target(run, PING_ROCE, paths->items[i].name);

		target->request.to = (struct mad_address){
			.qpn = 1,
			.qkey = run->mad.session.qkey,
			.sl = (uint8_t)run->args->mad.service_level.value,
			.pkey_index = (uint16_t)run->args->mad.pkey_index.value,
			.has_grh = true,
			.gid_index = paths->items[i].gid_index,
			.hop_limit = 64,
			.gid = paths->items[i].gid,
		};
		target->record.gid = (struct known_gid){.gid = paths->items[i].gid, .known = true};
		add_data(target);
		ping_request(PING_ROCE, false, method, NULL, &target->request);
	}
	return true;
}

static bool begin_infiniband(struct run *run, char *const *words)
{
	const struct ping_args *args = run->args;

	if (!mad_listing_find_all(&run->mad, words))
		return false;
	for (size_t i = 0; i < run->mad.session.destination_count; i++) {
		const struct mad_destination *destination = &run->mad.session.destinations[i];
		bool direct = destination->place.target.kind == TARGET_DIRECT;
		/* Only subnet management works without LIDs. */
		enum ping_kind kind = args->openib	    ? PING_OPENIB
				      : args->smp || direct ? PING_SMP
							    : PING_PMA;
		struct ping_target *target = add_target(run, kind, destination->name);

		if (direct && args->openib) {
			listing_fail(&run->mad.listing, STATUS_USAGE,
				     "--openib needs a LID, not a directed route", NULL);
			return false;
		}
		if (!direct)
			number_set(&target->record.lid, destination->place.address.lid);
		if (kind == PING_SMP)
			mad_smp_request(&destination->place, UMAD_METHOD_GET, 0, 0,
					&target->request);
		else
			target->request.to = destination->place.address;
		target->request.key = kind == PING_SMP ? run->mad.session.key : 0;
		ping_request(kind, direct, 0, NULL, &target->request);
	}
	return true;
}

/* The data of RoCE requests are in the targets, whose addresses are final now. */
static void point_to_data(struct run *run)
{
	for (size_t i = 0; i < run->target_count; i++)
		if (run->targets[i].kind == PING_ROCE)
			run->targets[i].request.data = run->targets[i].data;
}

static int finish(struct run *run)
{
	int status = mad_listing_end(&run->mad);

	for (size_t i = 0; i < run->target_count; i++)
		ping_target_clear(&run->targets[i]);
	free(run->targets);
	for (size_t i = 0; i < run->each_count; i++) {
		ping_record_clear(run->each[i]);
		free(run->each[i]);
	}
	free(run->each);
	return status;
}

static void fill(struct run *run, const struct ctx *ctx, const struct ping_args *args,
		 bool ethernet)
{
	uint64_t count = args->count.known ? args->count.value : COUNT;

	run->args = args;
	run->count = count ? count : UINT64_MAX;
	run->shows_lines = ctx->globals.verbose ||
			   (isatty(STDERR_FILENO) && !ctx->globals.quiet && !args->flood);
	if (args->each)
		/* The names of other nodes are queried only at the end. */
		listing_prefer_columns(&run->mad.listing,
				       args->openib || ethernet
					       ? "object,sequence,host,received,p50_usec"
					       : "object,sequence,received,p50_usec");
}

int ping_client(const struct ctx *ctx, const struct ping_args *args, char **words)
{
	struct strings names = {0};
	struct ping_paths paths = {.items = NULL};
	struct ping_args ours = *args;
	struct ctx here = *ctx;
	struct run run = {.args = args};
	bool ethernet, begun;
	int status;

	gather_words(words, &names);
	if (!names.count) {
		command_complain(ctx, "DEST is missing", "rdmactl ping --help");
		strings_free(&names);
		return STATUS_USAGE;
	}
	if (!ours.mad.retries.known)
		ours.mad.retries = number_of(0);
	ethernet = !ctx->globals.root && ping_find_paths(&ours, names.items, &paths);
	if (!here.globals.timeout.known)
		here.globals.timeout = number_of(ethernet ? ETHERNET_TIMEOUT_MSEC
							  : SERVER_TIMEOUT_MSEC);
	if (ethernet && paths.via)
		ours.mad.via = paths.via;
	begun = mad_listing_begin(&run.mad, &here, &ours.mad, &ping_schema, false, ethernet);
	fill(&run, ctx, &ours, ethernet);
	if (begun &&
	    (ethernet ? begin_ethernet(&run, &paths) : begin_infiniband(&run, names.items))) {
		point_to_data(&run);
		conclude(&run, ask(&run));
	}
	status = finish(&run);
	ping_paths_free(&paths);
	strings_free(&names);
	return status;
}
