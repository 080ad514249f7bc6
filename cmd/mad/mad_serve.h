/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands that answer datagrams: ping --serve, sysstat --serve. */
#pragma once

#include "cmd/mad/mad_listing.h"

/* As in ibping and ibsysstat: the server is a process, and may be busy. */
#define SERVER_TIMEOUT_MSEC 1000u
#define MAD_SERVE_MOST	    65472u /* bytes of an answer */

struct mad_client {
	char *name;
	struct mad_address from;
	uint64_t requests, answers;
};

struct mad_server {
	struct mad_listing mad;
	const struct mad_responder *responder;
	bool roce;
	char *host;
	char *kept; /* cached by the responder at kept_msec */
	uint64_t kept_msec;
	struct mad_client *clients;
	size_t client_count;
};

/* What a server answers, and how it lists its clients. */
struct mad_responder {
	const struct schema *schema;
	bool ethernet; /* works on RoCE ports, with another OUI */
	struct mad_agent agent;
	const char *hint; /* the next step if the kernel refuses the agent */
	/* Writes the answer and returns its length; 0: not a request. */
	size_t (*answer)(struct mad_server *server, const unsigned char *mad, size_t bytes,
			 unsigned char reply[static MAD_SERVE_MOST]);
	/* A new record of the schema. */
	void *(*list)(const struct mad_server *server, const struct mad_client *client);
};

/*
 * Answers on one port, named by `words` or --via, until a signal comes. Reports each client at its
 * first request with -v, and lists all of them at the end. Returns the exit status.
 */
int mad_serve(const struct ctx *ctx, const struct mad_args *args,
	      const struct mad_responder *responder, char **words);
