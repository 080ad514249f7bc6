/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl ping --serve: answers until a signal comes, and tells then who asked how often. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/host.h"
#include "mad/format/attribute.h"
#include "cmd/mad/mad_serve.h"
#include "cmd/mad/ping_run.h"

#define MOST_CLIENTS 1024u /* of the rest nothing is kept */

struct server {
	struct mad_session session;
	enum ping_kind kind;
	char *host;
	struct ping_record *clients;
	size_t client_count;
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

static const void *client_at(void *context, size_t number, const char **ret_name)
{
	const struct server *server = context;

	if (number >= server->client_count)
		return NULL;
	*ret_name = server->clients[number].object;
	return &server->clients[number];
}

static void serve(struct server *server)
{
	const struct mad_agent agent = {
		.mgmt_class = MAD_CLASS_OPENIB_PING,
		.version = 1,
		.oui = server->kind == PING_ROCE ? PING_ROCE_OUI : UMAD_OPENIB_OUI,
		.methods = {1ull << UMAD_METHOD_GET},
	};
	const struct mad_server mad_server = {
		.session = &server->session,
		.agent = &agent,
		.host = server->host,
		.hint = "on each port only one ping server can answer: another one, or ibping -S, "
			"may be there",
		.context = server,
		.answer = answer,
		.client = client_at,
	};

	mad_serve(&mad_server);
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
		serve(&server);
	}
	status = mad_session_end(&server.session);
	for (size_t i = 0; i < server.client_count; i++)
		ping_record_clear(&server.clients[i]);
	free(server.clients);
	free(server.host);
	return status;
}
