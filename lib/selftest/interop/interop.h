/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path tests with a program of rdma-core that is already installed on the other host:
 * ibv_rc_pingpong and rping, unmodified, as their client and as their server. Each run is one row
 * of group interop; a server's run is a client that came. Both programs must be given options that
 * fit: the command to run there is said to the user, or is the next step of a row that failed.
 *
 * 0: it ran, the rows tell how it went, also if nothing could be tested; -EINTR: the user ended it,
 * the rows so far are there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/endpoint/endpoint.h"
#include "selftest/record/record.h"

#define PINGPONG_PORT 18515u /* TCP */
#define RPING_PORT    7174u  /* librdmacm */

/* A server keeps the rows of its last clients. */
#define INTEROP_MOST_ROWS 1024u

/* Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct interop_request {
	const char *peer;	   /* client: as named by the user */
	struct ip_address peer_ip; /* client */
	uint32_t scope;		   /* client: netdev index of a link-local peer_ip */
	struct ip_address bind;	   /* server; family 0: pingpong any, rping the endpoint's */
	uint32_t port;		   /* 0: PINGPONG_PORT, RPING_PORT */
	uint64_t bytes;		   /* of a message; 0: 4096 for pingpong, 64 for rping */
	uint64_t iterations;	   /* 0: 1000 for pingpong, 100 for rping */
	uint32_t mtu_bytes;	   /* pingpong; 0: 1024, or less if the port has less */
	uint32_t timeout_msec;	   /* for one step without any progress; 0: 10000 */
	int signals;		   /* a signalfd that ends it; -1: none */
	bool once;		   /* server: ends after one client */
	/* One line without a newline, for the user. */
	void (*say)(void *context, const char *text);
	void *say_context;
};

int interop_pingpong_client(const struct interop_request *request, const struct endpoint *local,
			    struct selftest_results *results);
int interop_pingpong_server(const struct interop_request *request, const struct endpoint *local,
			    struct selftest_results *results);
int interop_rping_client(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results);
int interop_rping_server(const struct interop_request *request, const struct endpoint *local,
			 struct selftest_results *results);
