/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/mad_serve.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static void fail(const struct mad_server *server, const char *what, int rc, const char *hint)
{
	const struct mad_port *port = &server->session->port;
	_cleanup_(freep) char *text = mem_format("%s/%u: %s%s", port->device, port->port, what,
						 strerror(-rc));

	listing_fail(&server->session->listing, STATUS_FAILED, text, hint);
}

static void show_clients(const struct mad_server *server, size_t *shown)
{
	const struct ctx *ctx = server->session->listing.ctx;
	const char *name;

	for (; server->client(server->context, *shown, &name); (*shown)++) {
		_cleanup_(freep) char *line = mem_format("answers to %s", name);

		if (ctx->globals.verbose)
			command_complain(ctx, line, NULL);
	}
}

void mad_serve(const struct mad_server *server)
{
	const struct mad_work work = {.context = server->context, .unasked = server->answer};
	const struct mad_port *port = &server->session->port;
	struct listing *listing = &server->session->listing;
	_cleanup_(freep) char *line = NULL;
	const void *client;
	const char *name;
	size_t shown = 0;
	int rc = mad_engine_add_agent(server->session->engine, server->agent);

	if (rc < 0) {
		fail(server, "the kernel takes no agent for the requests: ", rc, server->hint);
		return;
	}
	line = mem_format("answers on %s/%u as %s", port->device, port->port, server->host);
	if (!listing->ctx->globals.quiet)
		command_complain(listing->ctx, line, NULL);
	for (rc = 0; !rc; show_clients(server, &shown))
		/* Nothing is printed while a datagram is at hand. */
		rc = mad_engine_serve(server->session->engine, &work, 200);
	if (rc != -ECANCELED)
		fail(server, "", rc, NULL);
	for (size_t i = 0; (client = server->client(server->context, i, &name)); i++)
		listing_add(listing, client);
}
