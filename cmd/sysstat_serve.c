/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sysstat --serve: answers until a signal comes, and tells then who asked how often. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "load/host.h"
#include "mad/attribute.h"
#include "mad/ping.h"
#include "mad/sysstat.h"
#include "sysstat_run.h"

#define FRESH_MSEC   1000u
#define MOST_CLIENTS 1024u /* of the rest nothing is kept */

struct server {
	struct mad_session session;
	char *host;
	char *processors; /* as they were at that time */
	uint64_t processors_msec;
	struct sysstat_record *clients;
	size_t client_count;
	size_t shown; /* of those, so many have their line */
};

static void count_client(struct server *server, const struct mad_address *from)
{
	struct sysstat_record *client;

	for (size_t i = 0; i < server->client_count; i++) {
		if (server->clients[i].lid.value != from->lid)
			continue;
		server->clients[i].requests.value++;
		return;
	}
	if (server->client_count == MOST_CLIENTS)
		return;
	client = mem_append(&server->clients, &server->client_count, sizeof(*server->clients));
	client->object = mem_format("%u", from->lid);
	number_set(&client->lid, from->lid);
	number_set(&client->requests, 1);
}

/* Their clocks change; but who asks often is not to keep this host busy. */
static const char *find_processors(struct server *server)
{
	uint64_t now = clock_msec();

	if (server->processors && now - server->processors_msec < FRESH_MSEC)
		return server->processors;
	free(server->processors);
	server->processors = host_processors();
	server->processors_msec = now;
	return server->processors;
}

static void answer(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		   size_t bytes)
{
	struct server *server = context;
	struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char reply[SYSSTAT_MOST_MAD];
	size_t length;

	if (sysstat_answer(mad, bytes, server->host, find_processors(server), reply, &length) &&
	    !mad_engine_send(server->session.engine, arrival->agent, &to, reply, length))
		count_client(server, &arrival->from);
}

static void show_clients(struct server *server)
{
	const struct ctx *ctx = server->session.listing.ctx;

	for (; server->shown < server->client_count; server->shown++) {
		_cleanup_(freep) char *line = mem_format("answers to %s",
							 server->clients[server->shown].object);

		if (ctx->globals.verbose)
			command_complain(ctx, line, NULL);
	}
}

static bool add_agent(struct server *server)
{
	const struct mad_port *port = &server->session.port;
	const struct mad_agent agent = {
		.mgmt_class = MAD_CLASS_OPENIB_SYSSTAT,
		.version = 1,
		.rmpp_version = 1,
		.oui = PING_OPENIB_OUI,
		.methods = {1ull << MAD_METHOD_GET},
	};
	int rc = mad_engine_add_agent(server->session.engine, &agent);
	_cleanup_(freep) char *text = NULL;

	if (rc >= 0)
		return true;
	text = mem_format("%s/%u: the kernel takes no agent for the requests: %s", port->device,
			  port->port, strerror(-rc));
	listing_fail(&server->session.listing, STATUS_FAILED, text,
		     "on each port only one server can answer: another one, or ibsysstat -S, may "
		     "be there");
	return false;
}

static void serve(struct server *server)
{
	const struct mad_work work = {.context = server, .unasked = answer};
	const struct ctx *ctx = server->session.listing.ctx;
	const struct mad_port *port = &server->session.port;
	_cleanup_(freep) char *line = NULL, *text = NULL;
	int rc = 0;

	line = mem_format("answers on %s/%u as %s", port->device, port->port, server->host);
	if (!ctx->globals.quiet)
		command_complain(ctx, line, NULL);
	while (!rc) {
		/* Nothing is printed while a datagram is at hand. */
		rc = mad_engine_serve(server->session.engine, &work, 200);
		show_clients(server);
	}
	if (rc != -ECANCELED) {
		text = mem_format("%s/%u: %s", port->device, port->port, strerror(-rc));
		listing_fail(&server->session.listing, STATUS_FAILED, text, NULL);
	}
	for (size_t i = 0; i < server->client_count; i++)
		listing_add(&server->session.listing, &server->clients[i]);
}

int sysstat_serve(const struct ctx *ctx, const struct sysstat_args *args, char **words)
{
	struct sysstat_args ours = *args;
	struct server server = {.host = NULL};
	int status;

	if (words[0] && (words[1] || ours.mad.via)) {
		command_complain(ctx, "--serve answers on one port", "rdmactl sysstat --help");
		return STATUS_USAGE;
	}
	if (words[0])
		ours.mad.via = words[0];
	if (mad_session_begin(&server.session, ctx, &ours.mad, &sysstat_schema, false, false)) {
		listing_prefer_columns(&server.session.listing, "object,requests");
		server.host = host_name();
		if (add_agent(&server))
			serve(&server);
	}
	status = mad_session_end(&server.session);
	for (size_t i = 0; i < server.client_count; i++)
		sysstat_record_clear(&server.clients[i]);
	free(server.clients);
	free(server.processors);
	free(server.host);
	return status;
}
