/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The servers of rdmactl ping and sysstat: --serve answers datagrams until a signal comes, and then
 * lists the clients.
 */
#include "cmd/mad/mad_serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/confine.h"
#include "base/mem.h"
#include "host/host.h"
#include "mad/ping.h"

#define CLIENTS_MOST 1024u /* further ones are answered, but not listed */
#define SERVE_MSEC   200

static struct mad_client *find_client(struct mad_server *server, const struct mad_address *from)
{
	struct mad_client *client;
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
	struct mad_server *server = context;
	struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char reply[MAD_SERVE_MOST];
	size_t length = server->responder->answer(server, mad, bytes, reply);
	struct mad_client *client;
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

static void fail(struct mad_server *server, const char *what, int rc, const char *hint)
{
	const struct mad_port *port = &server->mad.session.port;

	listing_fail_format(&server->mad.listing, STATUS_FAILED, hint, "%s/%u: %s%s", port->device,
			    port->port, what, strerror(-rc));
}

static void show_clients(const struct mad_server *server, size_t *shown)
{
	const struct ctx *ctx = server->mad.listing.ctx;

	for (; *shown < server->client_count; (*shown)++) {
		_cleanup_(freep) char *line = mem_format("answering %s",
							 server->clients[*shown].name);

		if (ctx->globals.verbose)
			command_complain(ctx, line, NULL);
	}
}

/*
 * Drops the privileges that answering strangers does not need, now that the port is open. Access to
 * root's device files needs no capability of root.
 */
static int confine_server(void)
{
	const struct confinement little = {
		.most_files = 64,
		.most_processes = 4096,
		.writable_directory = "/dev/infiniband",
	};

	return confine(&little);
}

static void serve(struct mad_server *server)
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
	rc = confine_server();
	if (rc) {
		fail(server, "cannot drop privileges: ", rc, NULL);
		return;
	}
	rc = mad_engine_add_agent(server->mad.session.engine, &agent);
	if (rc < 0) {
		fail(server, "the kernel refused to register an agent for requests: ", rc,
		     server->responder->hint);
		return;
	}
	line = mem_format("answering on %s/%u as %s", port->device, port->port, server->host);
	if (!ctx->globals.quiet)
		command_complain(ctx, line, NULL);
	/* Nothing is printed while a datagram is being handled. */
	for (rc = 0; !rc; show_clients(server, &shown))
		rc = mad_engine_serve(server->mad.session.engine, &work, SERVE_MSEC);
	if (rc != -ECANCELED)
		fail(server, "", rc, NULL);
}

int mad_serve(const struct ctx *ctx, const struct mad_args *args,
	      const struct mad_responder *responder, char **words)
{
	struct mad_server server = {.responder = responder};
	struct mad_args ours = *args;
	_cleanup_(freep) void **records = NULL;
	int status;

	if (words[0] && (words[1] || ours.via)) {
		_cleanup_(freep) char *hint = mem_format("rdmactl %s --help", ctx->command->name);

		return command_complain(ctx, "--serve takes only one port", hint);
	}
	if (words[0])
		ours.via = words[0];
	if (mad_listing_begin(&server.mad, ctx, &ours, responder->schema, false,
			      responder->ethernet)) {
		listing_show_view(&server.mad.listing, "--serve");
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
		record_clear(responder->schema, records[i]);
		free(records[i]);
		free(server.clients[i].name);
	}
	free(server.clients);
	free(server.kept);
	free(server.host);
	return status;
}
