/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ping: whether a port answers, how fast, and how many requests are lost. */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_serve.h"
#include "cmd/mad/ping_run.h"

/* A day, which is the engine's limit for a request. */
#define MOST_INTERVAL_MSEC 86400000
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

#define ROUND_TRIP_FIELD(member, key, heading, flags, help) \
	TENTHS_FIELD(struct ping_record, member, key, heading, (flags) | FIELD_RIGHT, 0, help)

static const struct field fields[] = {
	STRING_FIELD(struct ping_record, object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "destination, as given; with --serve, the client"),
	STRING_FIELD(struct ping_record, host, "host", "HOST", FIELD_DEFAULT, MAD_NEED_NODE,
		     "name of the host that answered, or description of its node"),
	UNSIGNED_FIELD(struct ping_record, lid, "lid", "LID", FIELD_RIGHT, 0,
		       "LID of the destination"),
	GID_FIELD(struct ping_record, gid, "gid", "GID", 0, 0,
		  "GID of the destination, on Ethernet"),
	STRING_FIELD(struct ping_record, device, "device", "DEVICE", 0, 0,
		     "local device that sends the requests"),
	UNSIGNED_FIELD(struct ping_record, port, "port", "PORT", FIELD_RIGHT, 0,
		       "local port that sends the requests"),
	ENUM_FIELD(struct ping_record, kind, ping_kind_names, "method", "METHOD", 0, 0,
		   "kind of request: pma, smp, openib, roce"),
	UNSIGNED_FIELD(struct ping_record, sequence, "sequence", "SEQ", FIELD_RIGHT, 0,
		       "with --each: number of the request, from 1"),
	UNSIGNED_FIELD(struct ping_record, sent, "sent", "SENT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "requests"),
	UNSIGNED_FIELD(struct ping_record, received, "received", "RECEIVED",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "answers that came in time"),
	REAL_FIELD(struct ping_record, loss_percent, "loss_percent", "LOSS %",
		   FIELD_DEFAULT | FIELD_RIGHT, 0, "percentage of requests without an answer"),
	ROUND_TRIP_FIELD(min, "min_usec", "MIN us", FIELD_DEFAULT, "shortest round trip"),
	ROUND_TRIP_FIELD(p50, "p50_usec", "P50 us", FIELD_DEFAULT, "median of the round trips"),
	ROUND_TRIP_FIELD(p90, "p90_usec", "P90 us", FIELD_DEFAULT,
			 "90th percentile of the round trips"),
	ROUND_TRIP_FIELD(p99, "p99_usec", "P99 us", FIELD_DEFAULT,
			 "99th percentile of the round trips"),
	ROUND_TRIP_FIELD(max, "max_usec", "MAX us", FIELD_DEFAULT, "longest round trip"),
	ROUND_TRIP_FIELD(mean, "mean_usec", "MEAN us", 0, "mean of the round trips"),
};

const struct schema ping_schema = SCHEMA("pings", struct ping_record, fields,
					 "how a destination answers");

void ping_record_clear(struct ping_record *record)
{
	free(record->object);
	free(record->host);
	free(record->device);
	*record = (struct ping_record){.object = NULL};
}

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
	record->loss_percent.known = true;
	record->loss_percent.value = 100 * lost / (double)client->requests;
	return record;
}

static void free_ping(void *record)
{
	ping_record_clear(record);
	free(record);
}

static const struct mad_responder responder = {
	.schema = &ping_schema,
	.columns = "object,sent,received",
	.ethernet = true,
	.agent = {.mgmt_class = MAD_CLASS_OPENIB_PING,
		  .version = 1,
		  .oui = UMAD_OPENIB_OUI,
		  .methods = {1ull << UMAD_METHOD_GET}},
	.hint = "a port can have only one ping server: check whether another one, or ibping -S, is "
		"running",
	.answer = answer_ping,
	.list = list_ping,
	.free = free_ping,
};

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
	if (wrong) {
		command_complain(ctx, wrong, "rdmactl ping --help");
		return STATUS_USAGE;
	}
	return ping_client(ctx, ping_args, objects);
}

const struct command ping_command = {
	.name = "ping",
	.group = GROUP_MAD,
	.summary = "measure the round trip to a port, and what is lost",
	.objects = "DEST...",
	.most_objects = -1,
	.options = {options, mad_options},
	.rules = rules,
	.args_size = sizeof(struct ping_args),
	.schema = &ping_schema,
	.own_timeout = true,
	.needs = "umad",
	.run = run,
};
