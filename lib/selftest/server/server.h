/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The server of the data path tests: listens on TCP, and carries out the orders of each client in a
 * separate process, so that nothing a client does reaches the server or another client. Needs no
 * header of libibverbs. It prints nothing: lines for a log go to a callback, and each client that
 * was served is a row.
 *
 * The caller must have no other thread and no verbs device open: children are forked and open their
 * devices themselves. Nor may it wait for other children meanwhile.
 */
#pragma once

#include <stdbool.h>

#include "host/endpoint/endpoint.h"
#include "selftest/record/record.h"
#include "schema/value.h"

/* A client that needs a port to test with. */
struct selftest_client {
	struct ip_address address; /* of its end of the TCP connection */
	struct ip_address local;   /* of ours */
	struct endpoint endpoint;  /* that it tests from, as it claims: untrusted */
	struct number gid_index;   /* of ours, that it asks for */
};

/* Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct selftest_service {
	struct ip_address bind; /* family 0: every address, IPv4 and IPv6 */
	uint32_t scope;		/* netdev index of a link-local `bind` */
	uint32_t tcp_port;	/* 0: the protocol's own */
	const char *token;	/* that clients must send, at most 63 bytes; NULL: none */
	bool once;		/* end after the first client that was served */
	uint32_t most_clients;	/* at the same time; 0: 16. One address has half of them */
	uint32_t idle_msec;	/* a client without an order for so long is dropped; 0: 10 min */
	int signals;		/* a signalfd that ends the server; -1: none */
	/*
	 * Chooses the port for a client, as endpoint_of_address() does; called in the client's own
	 * process. 0, or -errno with the reason in words and the next step, which it frees.
	 */
	int (*find)(void *context, const struct selftest_client *client,
		    struct endpoint *ret_endpoint, char **ret_reason, char **ret_hint);
	void *find_context;
	/* A line for the log: where it listens, and how each client ended. Clean text. */
	void (*say)(void *context, const char *line);
	void *say_context;
};

/* A server keeps the rows of its last clients. */
#define SERVICE_MOST_ROWS 1000u

/*
 * Serves until a signal comes or, with `once`, until a client was served; its children have ended
 * when it returns. 0; -EINTR: a signal came before the one client's end; -EIO: that client
 * was not served to its end, its row tells why. Else -errno: it cannot listen, *ret_reason says why
 * and *ret_hint the next step (may stay NULL); the caller frees both.
 */
int selftest_serve(const struct selftest_service *service, struct selftest_results *results,
		   char **ret_reason, char **ret_hint);
