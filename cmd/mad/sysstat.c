/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sysstat: asks a remote host for its name and processors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "mad/sysstat.h"
#include "cmd/mad/mad_serve.h"
#include "host/host.h"
#include "schema/rows.h"

#define PROCESSORS_MSEC 1000u /* how long --serve caches what it read about the processors */

struct sysstat_args {
	struct mad_args mad;
	bool serve;
};

/* A row is about a destination, one of its processors, or a client (--serve). Strings are owned. */
struct sysstat_record {
	char *object;
	struct number lid;
	struct number query; /* enum sysstat_query */
	struct real round_trip;
	char *host;
	struct number cpu;
	char *model;
	struct real mhz;
	struct number requests;
};

static const struct option_row options[] = {
	FLAG_OPTION(struct sysstat_args, serve, 'S', "serve",
		    "answer other hosts, including ibsysstat"),
	{.name = NULL},
};

#define RECORD struct sysstat_record
static const struct field fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0, "destination, as given; with --serve, the client"),
	NUMBER(lid, "LID", 0, 0, "LID of the destination"),
	WORD(query, sysstat_query_names, "QUERY", 0, 0, "kind of query: ping, host, cpu"),
	TENTHS_FIELD(RECORD, round_trip, "round_trip_usec", "ROUND TRIP us", SHOWN | FIELD_RIGHT, 0,
		     "time to the answer"),
	TEXT(host, "HOST", SHOWN, 0, "host: name that the host reports"),
	NUMBER(cpu, "CPU", SHOWN, 0, "cpu: number of the processor"),
	TEXT(model, "MODEL", SHOWN, 0, "cpu: model of the processor"),
	REAL(mhz, "MHZ", SHOWN, 0, "cpu: current clock frequency"),
	NUMBER(requests, "REQUESTS", 0, 0, "--serve: answers sent to the client"),
};

static const struct column_view views[] = {
	{"ping", "object,round_trip_usec"},
	{"host", "object,host"},
	{"cpu", "object,cpu,model,mhz"},
	{"--serve", "object,requests"},
	{NULL, NULL},
};

static const struct schema sysstat_schema = SCHEMA("sysstats", struct sysstat_record, fields,
						   "name and processors of a host", .views = views);

struct run {
	struct mad_listing mad;
	enum sysstat_query query;
	struct mad_item *items; /* by destination */
	char **texts;		/* of the answers, which may be longer; NULL: none */
	struct sysstat_record *records;
	size_t record_count;
};

static void take(void *context, struct mad_item *item, const struct mad_reply *reply)
{
	struct run *run = context;

	if (!reply->error)
		run->texts[item - run->items] = sysstat_text(reply->mad, reply->bytes);
}

static struct sysstat_record *add_record(struct run *run, size_t number)
{
	const struct mad_destination *destination = &run->mad.session.destinations[number];
	const struct mad_item *item = &run->items[number];
	struct sysstat_record *record = mem_append(&run->records, &run->record_count,
						   sizeof(*run->records));

	record->object = mem_string(destination->name);
	record->lid = mad_place_lid(&destination->place);
	number_set(&record->query, run->query);
	record->round_trip = mad_round_trip_usec(item->round_trip_nsec);
	return record;
}

static void add_processors(struct run *run, size_t number)
{
	const char *text = run->texts[number];
	struct sysstat_cpu cpu;
	size_t count = 0;

	for (; sysstat_parse_cpu(&text, &cpu); count++) {
		struct sysstat_record *record = add_record(run, number);

		record->cpu = cpu.cpu;
		record->mhz = cpu.mhz;
		record->model = cpu.model;
	}
	if (!count || *text)
		problem_add_text(&run->mad.listing.problems,
				 run->mad.session.destinations[number].name, "cpu", "gmp",
				 count ? "the end of the answer cannot be read"
				       : "the answer cannot be read",
				 NULL);
}

static void add_answer(struct run *run, size_t number)
{
	struct sysstat_record *record;

	if (run->query == SYSSTAT_CPU) {
		add_processors(run, number);
		return;
	}
	record = add_record(run, number);
	if (run->query == SYSSTAT_HOST && run->texts[number][0])
		record->host = text_clean(run->texts[number], strlen(run->texts[number]));
}

/* Only subnet management works without LIDs. */
static void ask(struct run *run)
{
	struct mad_listing *mad = &run->mad;
	size_t count = mad->session.destination_count;

	run->items = mad_items_new(count);
	run->texts = mem_alloc_zero(count, sizeof(*run->texts));
	for (size_t i = 0; i < count; i++) {
		run->items[i].request.to = mad->session.destinations[i].place.address;
		sysstat_request(run->query, &run->items[i].request);
	}
	mad_gather_long(mad->session.engine, run->items, count, take, run);
	for (size_t i = 0; i < count; i++) {
		const bool silent = run->items[i].error == -ETIMEDOUT;

		if (mad_session_check(&mad->session, &mad->session.destinations[i],
				      enum_word(sysstat_query_names, run->query, ""),
				      &run->items[i],
				      silent ? "run rdmactl sysstat --serve or ibsysstat -S "
					       "on the destination"
					     : NULL))
			add_answer(run, i);
	}
	for (size_t i = 0; i < run->record_count; i++)
		listing_add(&mad->listing, &run->records[i]);
	if (!run->record_count)
		mad->listing.status = STATUS_FAILED;
	for (size_t i = 0; i < count; i++)
		free(run->texts[i]);
	free(run->texts);
	free(run->items);
}

static int query(const struct ctx *ctx, const struct sysstat_args *args, char **words,
		 enum sysstat_query kind)
{
	char *destination[] = {words[0], NULL};
	struct run run = {.query = kind};
	struct ctx here = *ctx;
	int status;

	if (!here.globals.timeout.value) /* unknown, or 0: as without the option */
		here.globals.timeout = number_of(SERVER_TIMEOUT_MSEC);
	if (mad_listing_begin(&run.mad, &here, &args->mad, &sysstat_schema, false, false)) {
		listing_show_view(&run.mad.listing, enum_word(sysstat_query_names, kind, ""));
		if (mad_listing_find_by_lid(&run.mad, destination) &&
		    !mad_listing_refuses_words(&run.mad) &&
		    mad_listing_has_lids(&run.mad, "sysstat needs a LID, not a directed route",
					 "rdmactl smp nodedesc takes both"))
			ask(&run);
	}
	status = mad_listing_end(&run.mad);
	records_clear(&sysstat_schema, &(struct records){run.records, run.record_count});
	return status;
}

/* Clock frequencies change, but frequent requests must not keep this host busy: caches the text. */
static size_t answer_sysstat(struct mad_server *server, const unsigned char *mad, size_t bytes,
			     unsigned char reply[static MAD_SERVE_MOST])
{
	const uint64_t now = clock_msec();
	size_t length;

	if (!server->kept || now - server->kept_msec >= PROCESSORS_MSEC) {
		free(server->kept);
		server->kept = host_processors();
		server->kept_msec = now;
	}
	return sysstat_answer(mad, bytes, server->host, server->kept, reply, &length) ? length : 0;
}

static void *list_sysstat(const struct mad_server *server, const struct mad_client *client)
{
	struct sysstat_record *record = mem_alloc_zero(1, sizeof(*record));

	(void)server;
	record->object = mem_string(client->name);
	record->lid = number_of(client->from.lid);
	record->requests = number_of(client->answers);
	return record;
}

static const struct mad_responder responder = {
	.schema = &sysstat_schema,
	.agent = {.mgmt_class = MAD_CLASS_OPENIB_SYSSTAT,
		  .version = 1,
		  .rmpp_version = UMAD_RMPP_VERSION,
		  .oui = UMAD_OPENIB_OUI,
		  .methods = {1ul << UMAD_METHOD_GET}},
	.hint = "a port can have only one such server: check whether another one, or ibsysstat -S, "
		"is running",
	.answer = answer_sysstat,
	.list = list_sysstat,
};
_Static_assert(SYSSTAT_MOST_MAD <= MAD_SERVE_MOST, "an answer fits");

static int complain(const struct ctx *ctx, const char *word)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *message = mem_format("'%s' is not one of ping, host, cpu", clean);

	return command_complain(ctx, message, "rdmactl sysstat --help");
}

static int run_command(const struct ctx *ctx, const void *args, char **objects)
{
	const struct sysstat_args *sysstat_args = args;
	const struct enum_name *name = sysstat_query_names;

	if (sysstat_args->serve)
		return mad_serve(ctx, &sysstat_args->mad, &responder, objects);
	if (!objects[0])
		return command_complain(ctx, "DEST is missing", "rdmactl sysstat --help");
	if (objects[1])
		name = enum_find_word(sysstat_query_names, objects[1]);
	if (!name)
		return complain(ctx, objects[1]);
	return query(ctx, sysstat_args, objects, (enum sysstat_query)name->value);
}

const struct command sysstat_command = {
	.name = "sysstat",
	.group = GROUP_MAD,
	.summary = "query the name and processors of a remote host",
	.objects = "DEST [ping|host|cpu]",
	.object_choices = sysstat_query_names,
	.most_objects = 2,
	.options = {options, mad_options},
	.rules = mad_rules,
	.args_size = sizeof(struct sysstat_args),
	.schema = &sysstat_schema,
	.own_timeout = true,
	.run = run_command,
};
