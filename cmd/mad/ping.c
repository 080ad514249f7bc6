/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ping: whether a port answers, how fast, and how many requests are lost. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_serve.h"
#include "cmd/mad/ping_run.h"

#define MOST_INTERVAL_MSEC 86400000 /* a day */
#define MOST_COUNT	   100000000

static const struct option_row options[] = {
	NUMBER_OPTION(COUNT, struct ping_args, count, 'c', "count", "N", 0, MOST_COUNT,
		      "requests to each destination (default 5; 0: until interrupted)"),
	NUMBER_OPTION(DURATION, struct ping_args, interval, 'i', "interval", "TIME", 1,
		      MOST_INTERVAL_MSEC, "time between rounds of requests (default 1s)"),
	FLAG_OPTION(struct ping_args, flood, 'f', "flood",
		    "send the next request as soon as an answer arrives"),
	FLAG_OPTION(struct ping_args, each, 'e', "each", "print a row for each request"),
	FLAG_OPTION(struct ping_args, smp, 0, "smp",
		    "query NodeInfo, which subnet management answers"),
	FLAG_OPTION(struct ping_args, openib, 0, "openib",
		    "use the ping class, which ibping -S or --serve answers"),
	FLAG_OPTION(struct ping_args, serve, 'S', "serve",
		    "answer ibping, --openib and, on Ethernet, ping"),
	NUMBER_OPTION(COUNT, struct ping_args, gid_index, 0, "gid-index", "N", 0, UINT8_MAX,
		      "on Ethernet: send from this entry of the GID table"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_EXCLUDE("serve", "smp openib flood each count interval gid-index", NULL),
	OPTIONS_ONE_OF("smp openib", NULL),
	OPTIONS_EXCLUDE("openib", "direct", NULL),
	OPTIONS_ONE_OF("flood interval", NULL),
	MAD_RULES,
	{.options = NULL},
};

/* --serve */
static size_t answer_ping(struct mad_server *server, const unsigned char *mad, size_t bytes,
			  unsigned char reply[static MAD_SERVE_MOST])
{
	const enum ping_kind kind = server->roce ? PING_ROCE : PING_OPENIB;

	return ping_answer(kind, mad, bytes, server->host, reply) ? MAD_BYTES : 0;
}

static void *list_ping(const struct mad_server *server, const struct mad_client *client)
{
	struct ping_record *record = mem_alloc_zero(1, sizeof(*record));
	const double lost = (double)(client->requests - client->answers);

	record->object = mem_string(client->name);
	record->lid = (struct number){.value = client->from.lid, .known = !server->roce};
	record->gid = (struct known_gid){.gid = client->from.gid, .known = client->from.has_grh};
	record->device = mem_string(server->mad.session.port.device);
	record->port = number_of(server->mad.session.port.port);
	record->kind = number_of(server->roce ? PING_ROCE : PING_OPENIB);
	record->sent = number_of(client->requests);
	record->received = number_of(client->answers);
	record->loss_percent = real_of(100 * lost / (double)client->requests);
	return record;
}

static const struct mad_responder responder = {
	.schema = &ping_schema,
	.ethernet = true,
	.agent = {.mgmt_class = MAD_CLASS_OPENIB_PING,
		  .version = 1,
		  .oui = UMAD_OPENIB_OUI,
		  .methods = {1ul << UMAD_METHOD_GET}},
	.hint = "a port can have only one ping server: check whether another one, or ibping -S, is "
		"running",
	.answer = answer_ping,
	.list = list_ping,
};

#define COUNT	      5u
#define INTERVAL_MSEC 1000u
/* Before its first answer the peer may have to resolve its neighbour: a second in the kernel. */
#define ETHERNET_TIMEOUT_MSEC 2000u

struct run {
	struct mad_listing mad;
	const struct ping_args *args;
	struct ping_client ping;
	size_t shown; /* of ping.each */
	bool shows_lines;
};

/* Reads destinations from standard input, for the word `-`. Returns 0 or -errno. */
static int read_words(struct strings *words)
{
	_cleanup_(freep) char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		char *rest = line, *word;

		line[strcspn(line, "#")] = '\0';
		while ((word = strsep(&rest, " \t\r\n")))
			if (*word)
				strings_add(words, word);
	}
	return ferror(stdin) ? -errno : 0;
}

static int gather_words(char *const *words, struct strings *ret)
{
	int rc = 0;

	for (; *words && !rc; words++) {
		if (!strcmp(*words, "-"))
			rc = read_words(ret);
		else
			strings_add(ret, *words);
	}
	/* mad_session_find_all() and ping_find_paths() read up to a NULL. */
	MEM_ADD(ret->items, ret->count) = NULL;
	ret->count--;
	return rc;
}

/* Returns the exit status if there are no destinations; a message says why. */
static int find_no_words(const struct ctx *ctx, int error)
{
	_cleanup_(freep) char *message = NULL;

	if (!error)
		return command_complain(ctx, "no destination on standard input", NULL);
	message = mem_format("cannot read standard input: %s", strerror(-error));
	command_complain(ctx, message, NULL);
	return STATUS_FAILED;
}

static void show_line(const struct run *run, const struct ping_record *record)
{
	_cleanup_(freep) char *count = run->ping.count == UINT64_MAX
					       ? mem_string("")
					       : mem_format(" of %" PRIu64, run->ping.count);
	_cleanup_(freep) char *time = record->p50.known
					      ? mem_format("%.1f us", record->p50.value)
					      : mem_string(record->received.value ? "answered"
							   : record->refused ? "no valid answer"
									     : "no answer");
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

	for (; run->shown < run->ping.each_count; run->shown++) {
		if (run->shows_lines)
			show_line(run, run->ping.each[run->shown]);
		if (run->args->each)
			listing_add(listing, run->ping.each[run->shown]);
	}
	if (run->args->each && !listing_streams(listing))
		return;
	listing_stream(listing);
	/* Printed rows are no longer needed. */
	ping_drop_each(&run->ping);
	run->shown = 0;
}

/* Sends all requests. Returns the same as mad_engine_run(). */
static int ask(struct run *run)
{
	uint64_t interval = run->args->interval.known ? run->args->interval.value : INTERVAL_MSEC;
	uint64_t begin = clock_msec();

	for (uint64_t round = 1;; round++) {
		int rc = ping_round(&run->ping);

		show(run);
		if (rc || run->args->flood || round == run->ping.count)
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

static void conclude(struct run *run, int rc)
{
	struct listing *listing = &run->mad.listing;
	uint64_t sent = 0;

	if (rc && rc != -ECANCELED) {
		listing_fail_format(listing, STATUS_FAILED, NULL, "%s/%u: %s",
				    run->mad.session.port.device, run->mad.session.port.port,
				    strerror(-rc));
		return;
	}
	if (columns_needs(&listing->columns) & MAD_NEED_NODE && !run->args->each &&
	    !mad_session_stopped(&run->mad.session))
		ping_describe_nodes(&run->ping);
	for_each_in (target, run->ping.targets, run->ping.target_count) {
		sent += target->sent;
		ping_target_compute(target);
		if (target->received < target->sent)
			report_loss(run, target);
		if (!run->args->each)
			listing_add(listing, &target->record);
	}
	if (!sent && run->ping.target_count)
		listing_fail(listing, STATUS_FAILED, "interrupted before the first answer", NULL);
}

static bool begin_ethernet(struct run *run, struct ping_paths *paths)
{
	struct problems *problems = &run->mad.listing.problems;
	uint8_t method;

	for (size_t i = 0; i < paths->problems.count; i++)
		problem_add_text(problems, paths->problems.items[i].object, NULL, NULL,
				 paths->problems.items[i].error, paths->problems.items[i].hint);
	method = paths->count ? ping_add_agent(&run->ping) : 0;
	if (!method) {
		run->mad.listing.status = STATUS_FAILED;
		return false;
	}
	for (size_t i = 0; i < paths->count; i++) {
		struct ping_target *target = ping_add_target(&run->ping, PING_ROCE,
							     paths->items[i].name);

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
		ping_add_data(target);
		ping_request(PING_ROCE, false, method, NULL, &target->request);
	}
	return true;
}

static bool begin_infiniband(struct run *run, char *const *words)
{
	const struct ping_args *args = run->args;

	if (!mad_listing_take(&run->mad, mad_session_find_all(&run->mad.session, words)))
		return false;
	for_each_in (destination, run->mad.session.destinations,
		     run->mad.session.destination_count) {
		bool direct = destination->place.target.kind == TARGET_DIRECT;
		/* Only subnet management works without LIDs. */
		enum ping_kind kind = args->openib	    ? PING_OPENIB
				      : args->smp || direct ? PING_SMP
							    : PING_PMA;
		struct ping_target *target = ping_add_target(&run->ping, kind, destination->name);

		if (direct && args->openib)
			return listing_fail(&run->mad.listing, STATUS_USAGE,
					    "--openib needs a LID, not a directed route", NULL);
		target->record.lid = mad_place_lid(&destination->place);
		target->named_lid = mad_destination_is_named_lid(destination);
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

static void fill(struct run *run, const struct ctx *ctx, const struct ping_args *args,
		 bool ethernet)
{
	uint64_t count = args->count.known ? args->count.value : COUNT;

	run->args = args;
	run->ping.count = count ? count : UINT64_MAX;
	run->shows_lines = ctx->globals.verbose ||
			   (isatty(STDERR_FILENO) && !ctx->globals.quiet && !args->flood);
	run->ping.session = &run->mad.session;
	run->ping.flood = args->flood;
	run->ping.keeps_each = args->each || run->shows_lines;
	if (args->each)
		listing_show_view(&run->mad.listing, args->openib || ethernet
							     ? "--each --openib, or on Ethernet"
							     : "--each");
}

static int ping_client(const struct ctx *ctx, const struct ping_args *args, char **words)
{
	struct strings names = {0};
	struct ping_paths paths = {.items = NULL};
	struct ping_args ours = *args;
	struct ctx here = *ctx;
	struct run run = {.args = args};
	bool ethernet, begun;
	int status, rc = gather_words(words, &names);

	if (rc || !names.count) {
		strings_free(&names);
		return find_no_words(ctx, rc);
	}
	if (!ours.mad.retries.known)
		ours.mad.retries = number_of(0);
	ethernet = !ctx->globals.root && ping_find_paths(&ours, names.items, &paths);
	if (!here.globals.timeout.value) /* unknown, or 0: as without the option */
		here.globals.timeout = number_of(ethernet ? ETHERNET_TIMEOUT_MSEC
							  : SERVER_TIMEOUT_MSEC);
	if (ethernet && paths.via)
		ours.mad.via = paths.via;
	begun = mad_listing_begin(&run.mad, &here, &ours.mad, &ping_schema, false, ethernet);
	fill(&run, ctx, &ours, ethernet);
	if (begun &&
	    (ethernet ? begin_ethernet(&run, &paths) : begin_infiniband(&run, names.items)))
		conclude(&run, ask(&run));
	status = mad_listing_end(&run.mad);
	ping_client_clear(&run.ping);
	ping_paths_free(&paths);
	strings_free(&names);
	return status;
}

static const char *check(const struct ping_args *args, char **objects)
{
	if (!objects[0])
		return "DEST is missing";
	if (args->flood && args->count.known && !args->count.value)
		return "--flood needs a --count above 0";
	return NULL;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct ping_args *ping_args = args;
	const char *wrong;

	if (ping_args->serve)
		return mad_serve(ctx, &ping_args->mad, &responder, objects);
	wrong = check(ping_args, objects);
	if (wrong)
		return command_complain(ctx, wrong, "rdmactl ping --help");
	return ping_client(ctx, ping_args, objects);
}

const struct command ping_command = {
	.name = "ping",
	.group = GROUP_MAD,
	.summary = "measure round-trip time and packet loss to a port",
	.objects = "DEST...",
	.most_objects = -1,
	.options = {options, mad_options},
	.rules = rules,
	.args_size = sizeof(struct ping_args),
	.schema = &ping_schema,
	.own_timeout = true,
	.run = run,
};
