/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The servers of rdmactl ping and sysstat: --serve answers datagrams until a signal comes, and then
 * lists the clients. Each server is a row of `responders`.
 */
#include "cmd/mad/mad_serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/mad/ping_run.h"
#include "cmd/mad/sysstat_run.h"
#include "host/host.h"
#include "mad/ping.h"
#include "mad/sysstat.h"

#define PROCESSORS_MSEC 1000u
#define CLIENTS_MOST	1024u /* further ones are answered, but not listed */
#define SLICE_MSEC	200

struct client {
	char *name;
	struct mad_address from;
	uint64_t requests, answers;
};

struct server {
	struct mad_listing mad;
	const struct responder *responder;
	bool roce;
	char *host;
	char *processors;
	uint64_t processors_msec; /* when they were read */
	struct client *clients;
	size_t client_count;
};

struct responder {
	const struct schema *schema;
	const char *columns;
	bool ethernet; /* works on RoCE ports, with another OUI */
	struct mad_agent agent;
	const char *hint; /* the next step if the kernel refuses the agent */
	/* Writes the answer and returns its length; 0: not a request. */
	size_t (*answer)(struct server *server, const unsigned char *mad, size_t bytes,
			 unsigned char *reply);
	/* A new record of the schema. */
	void *(*list)(const struct server *server, const struct client *client);
	void (*free)(void *record);
};

static size_t answer_ping(struct server *server, const unsigned char *mad, size_t bytes,
			  unsigned char *reply)
{
	const enum ping_kind kind = server->roce ? PING_ROCE : PING_OPENIB;

	return ping_answer(kind, mad, bytes, server->host, reply) ? MAD_BYTES : 0;
}

static void *list_ping(const struct server *server, const struct client *client)
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

/* Clock frequencies change, but a client that asks often must not keep this host busy. */
static size_t answer_sysstat(struct server *server, const unsigned char *mad, size_t bytes,
			     unsigned char *reply)
{
	const uint64_t now = clock_msec();
	size_t length;

	if (!server->processors || now - server->processors_msec >= PROCESSORS_MSEC) {
		free(server->processors);
		server->processors = host_processors();
		server->processors_msec = now;
	}
	return sysstat_answer(mad, bytes, server->host, server->processors, reply, &length) ? length
											    : 0;
}

static void *list_sysstat(const struct server *server, const struct client *client)
{
	struct sysstat_record *record = mem_alloc_zero(1, sizeof(*record));

	(void)server;
	record->object = mem_string(client->name);
	record->lid = number_of(client->from.lid);
	record->requests = number_of(client->answers);
	return record;
}

static void free_sysstat(void *record)
{
	sysstat_record_clear(record);
	free(record);
}

static const struct responder responders[] = {
	[SERVE_PING] = {.schema = &ping_schema,
			.columns = "object,sent,received",
			.ethernet = true,
			.agent = {.mgmt_class = MAD_CLASS_OPENIB_PING,
				  .version = 1,
				  .oui = UMAD_OPENIB_OUI,
				  .methods = {1ull << UMAD_METHOD_GET}},
			.hint = "a port can have only one ping server: check whether "
				"another one, or ibping -S, is running",
			.answer = answer_ping,
			.list = list_ping,
			.free = free_ping},
	[SERVE_SYSSTAT] = {.schema = &sysstat_schema,
			   .columns = "object,requests",
			   .agent = {.mgmt_class = MAD_CLASS_OPENIB_SYSSTAT,
				     .version = 1,
				     .rmpp_version = UMAD_RMPP_VERSION,
				     .oui = UMAD_OPENIB_OUI,
				     .methods = {1ull << UMAD_METHOD_GET}},
			   .hint = "a port can have only one such server: check whether "
				   "another one, or ibsysstat -S, is running",
			   .answer = answer_sysstat,
			   .list = list_sysstat,
			   .free = free_sysstat},
};

static struct client *find_client(struct server *server, const struct mad_address *from)
{
	struct client *client;
	char text[GID_TEXT_SIZE];

	for (size_t i = 0; i < server->client_count; i++) {
		client = &server->clients[i];
		if (client->from.lid == from->lid && client->from.has_grh == from->has_grh &&
		    (!from->has_grh || !memcmp(&client->from.gid, &from->gid, sizeof(from->gid))))
			return client;
	}
	if (server->client_count == CLIENTS_MOST)
		return NULL;
	client = mem_append(&server->clients, &server->client_count, sizeof(*client));
	if (from->has_grh)
		gid_format(&from->gid, text);
	client->name = server->responder->ethernet && from->has_grh ? mem_string(text)
								    : mem_format("%u", from->lid);
	client->from = *from;
	return client;
}

static void take(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		 size_t bytes)
{
	struct server *server = context;
	struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char reply[SYSSTAT_MOST_MAD];
	size_t length = server->responder->answer(server, mad, bytes, reply);
	struct client *client;
	int rc;

	if (!length)
		return;
	rc = mad_engine_send(server->mad.session.engine, arrival->agent, &to, reply, length);
	client = find_client(server, &arrival->from);
	if (!client)
		return;
	client->requests++;
	client->answers += !rc;
}

static void fail(struct server *server, const char *what, int rc, const char *hint)
{
	const struct mad_port *port = &server->mad.session.port;
	_cleanup_(freep) char *text = mem_format("%s/%u: %s%s", port->device, port->port, what,
						 strerror(-rc));

	listing_fail(&server->mad.listing, STATUS_FAILED, text, hint);
}

static void show_clients(const struct server *server, size_t *shown)
{
	const struct ctx *ctx = server->mad.listing.ctx;

	for (; *shown < server->client_count; (*shown)++) {
		_cleanup_(freep) char *line = mem_format("answers to %s",
							 server->clients[*shown].name);

		if (ctx->globals.verbose)
			command_complain(ctx, line, NULL);
	}
}

static void serve(struct server *server)
{
	const struct mad_work work = {.context = server, .unasked = take};
	const struct mad_port *port = &server->mad.session.port;
	const struct ctx *ctx = server->mad.listing.ctx;
	struct mad_agent agent = server->responder->agent;
	_cleanup_(freep) char *line = NULL;
	size_t shown = 0;
	int rc;

	if (server->roce)
		agent.oui = PING_ROCE_OUI;
	rc = mad_engine_add_agent(server->mad.session.engine, &agent);
	if (rc < 0) {
		fail(server, "the kernel refused the agent for requests: ", rc,
		     server->responder->hint);
		return;
	}
	line = mem_format("answers on %s/%u as %s", port->device, port->port, server->host);
	if (!ctx->globals.quiet)
		command_complain(ctx, line, NULL);
	/* Nothing is printed while a datagram is being handled. */
	for (rc = 0; !rc; show_clients(server, &shown))
		rc = mad_engine_serve(server->mad.session.engine, &work, SLICE_MSEC);
	if (rc != -ECANCELED)
		fail(server, "", rc, NULL);
}

int mad_serve(const struct ctx *ctx, const struct mad_args *args, enum mad_service service,
	      char **words)
{
	const struct responder *responder = &responders[service];
	struct server server = {.responder = responder};
	struct mad_args ours = *args;
	_cleanup_(freep) void **records = NULL;
	int status;

	if (words[0] && (words[1] || ours.via)) {
		_cleanup_(freep) char *hint = mem_format("rdmactl %s --help", ctx->command->name);

		command_complain(ctx, "--serve takes only one port", hint);
		return STATUS_USAGE;
	}
	if (words[0])
		ours.via = words[0];
	if (mad_listing_begin(&server.mad, ctx, &ours, responder->schema, false,
			      responder->ethernet)) {
		listing_prefer_columns(&server.mad.listing, responder->columns);
		/* A port without subnet management is an Ethernet port. */
		server.roce = !server.mad.session.port.smi_device;
		server.host = host_name();
		serve(&server);
	}
	records = mem_alloc_zero(server.client_count + 1, sizeof(*records));
	for (size_t i = 0; i < server.client_count; i++) {
		records[i] = responder->list(&server, &server.clients[i]);
		listing_add(&server.mad.listing, records[i]);
	}
	status = mad_listing_end(&server.mad);
	for (size_t i = 0; i < server.client_count; i++) {
		responder->free(records[i]);
		free(server.clients[i].name);
	}
	free(server.clients);
	free(server.processors);
	free(server.host);
	return status;
}
