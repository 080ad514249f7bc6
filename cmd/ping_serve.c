/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ping --serve: answers until a signal comes, and tells then who asked how often. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "load/host.h"
#include "mad/attribute.h"
#include "ping_run.h"

#define MOST_CLIENTS 1024u /* of the rest nothing is kept */

struct server {
	struct mad_session session;
	enum ping_kind kind;
	char *host;
	struct ping_record *clients;
	size_t client_count;
	size_t shown; /* of those, so many have their line */
};

static struct ping_record *find_client(struct server *server, const struct mad_address *from)
{
	struct ping_record *client;
	char text[GID_TEXT_SIZE];

	for (size_t i = 0; i < server->client_count; i++) {
		client = &server->clients[i];
		if (client->lid.value == from->lid && client->gid.known == from->has_grh &&
		    (!from->has_grh || !memcmp(&client->gid.gid, &from->gid, sizeof(from->gid))))
			return client;
	}
	if (server->client_count == MOST_CLIENTS)
		return NULL;
	client = mem_append(&server->clients, &server->client_count, sizeof(*server->clients));
	if (from->has_grh)
		gid_format(&from->gid, text);
	client->object = from->has_grh ? mem_string(text) : mem_format("%u", from->lid);
	client->lid = (struct number){.value = from->lid, .known = server->kind == PING_OPENIB};
	client->gid = (struct known_gid){.gid = from->gid, .known = from->has_grh};
	client->device = mem_string(server->session.port.device);
	number_set(&client->port, server->session.port.port);
	number_set(&client->kind, server->kind);
	number_set(&client->sent, 0);
	number_set(&client->received, 0);
	return client;
}

static void answer(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		   size_t bytes)
{
	struct server *server = context;
	struct mad_address to = mad_answer_address(&arrival->from);
	unsigned char reply[MAD_BYTES];
	struct ping_record *client;
	int rc;

	if (!ping_answer(server->kind, mad, bytes, server->host, reply))
		return;
	rc = mad_engine_send(server->session.engine, arrival->agent, &to, reply, sizeof(reply));
	client = find_client(server, &arrival->from);
	if (!client)
		return;
	client->sent.value++;
	client->received.value += !rc;
	client->loss_percent.known = true;
	client->loss_percent.value = 100 * (double)(client->sent.value - client->received.value) /
				     (double)client->sent.value;
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
		.mgmt_class = MAD_CLASS_OPENIB_PING,
		.version = 1,
		.oui = server->kind == PING_ROCE ? PING_ROCE_OUI : PING_OPENIB_OUI,
		.methods = {1ull << MAD_METHOD_GET},
	};
	int rc = mad_engine_add_agent(server->session.engine, &agent);
	_cleanup_(freep) char *text = NULL;

	if (rc >= 0)
		return true;
	text = mem_format("%s/%u: the kernel takes no agent for the requests: %s", port->device,
			  port->port, strerror(-rc));
	listing_fail(&server->session.listing, STATUS_FAILED, text,
		     "on each port only one ping server can answer: another one, or ibping -S, "
		     "may be there");
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

int ping_serve(const struct ctx *ctx, const struct ping_args *args, char **words)
{
	struct ping_args ours = *args;
	struct server server = {.kind = PING_OPENIB};
	int status;

	if (words[0])
		ours.mad.via = words[0];
	if (mad_session_begin(&server.session, ctx, &ours.mad, &ping_schema, false, true)) {
		listing_prefer_columns(&server.session.listing, "object,sent,received");
		/* A port without subnet management is one of Ethernet. */
		server.kind = server.session.port.smi_device ? PING_OPENIB : PING_ROCE;
		server.host = host_name();
		if (add_agent(&server))
			serve(&server);
	}
	status = mad_session_end(&server.session);
	for (size_t i = 0; i < server.client_count; i++)
		ping_record_clear(&server.clients[i]);
	free(server.clients);
	free(server.host);
	return status;
}
