/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands that answer datagrams do (--serve): an agent, and a line for each client. */
#pragma once

#include "cmd/mad/mad_session.h"

struct mad_server {
	struct mad_session *session;
	const struct mad_agent *agent;
	const char *host; /* the name that it answers as */
	const char *hint; /* the next step where the kernel takes no such agent */
	void *context;	  /* of the functions */
	void (*answer)(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
		       size_t bytes);
	/* A client by number, in the order in which they came, and its name. NULL: none yet. */
	const void *(*client)(void *context, size_t number, const char **ret_name);
};

/*
 * Answers until a signal comes. Tells of each client when it first asks (-v), and lists them all at
 * the end; what went wrong is in the listing.
 */
void mad_serve(const struct mad_server *server);
