/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sysstat --serve: answers until a signal comes, and tells then who asked how often. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/host.h"
#include "mad/format/attribute.h"
#include "mad/format/ping.h"
#include "mad/format/sysstat.h"
#include "cmd/mad/mad_serve.h"
#include "cmd/mad/sysstat_run.h"

#define FRESH_MSEC   1000u
#define MOST_CLIENTS 1024u /* of the rest nothing is kept */

struct server {
	struct mad_session session;
	char *host;
	char *processors; /* as they were at that time */
	uint64_t processors_msec;
	struct sysstat_record *clients;
	size_t client_count;
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
	static const struct mad_agent agent = {
		.mgmt_class = MAD_CLASS_OPENIB_SYSSTAT,
		.version = 1,
		.rmpp_version = 1,
		.oui = UMAD_OPENIB_OUI,
		.methods = {1ull << UMAD_METHOD_GET},
	};
	const struct mad_server mad_server = {
		.session = &server->session,
		.agent = &agent,
		.host = server->host,
		.hint = "on each port only one server can answer: another one, or ibsysstat -S, "
			"may be there",
		.context = server,
		.answer = answer,
		.client = client_at,
	};

	mad_serve(&mad_server);
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
