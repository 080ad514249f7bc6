/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path tests: over one port in loopback, with a peer, the server for a peer, and tests with
 * programs of rdma-core and perftest. Includes no header of libibverbs. Rows go to the caller's
 * list, each with its verdict; a reason that keeps tests from running at all is a row, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/endpoint/endpoint.h"
#include "schema/value.h"
#include "selftest/record/record.h"
#include "selftest/wire/message.h"

/*
 * Runs the tests of one port against itself, or against the peer. Returns 0: they ran, the rows
 * hold the results; -EINTR: the user ended it, the rows so far are complete.
 */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results);
/* Gets the test of that number, from 0; false after the last. */
bool selftest_test(size_t index, const char **ret_id, enum selftest_group *ret_group,
		   const char **ret_summary);
/* Adds the names that `tests` may have: ids of tests, and each group before its first test. */
void selftest_test_names(struct strings *ret_names);

/*
 * The server of the data path tests: listens on TCP, and carries out the orders of each client in a
 * separate process, so that nothing a client does reaches the server or another client. Needs no
 * header of libibverbs. It prints nothing: lines for a log go to a callback, and each served client
 * is a row.
 *
 * The caller must have no other thread and no verbs device open: children are forked and open their
 * devices themselves. Nor may it wait for other children meanwhile.
 */

/* Borrowed: must live as long as the call. 0 and NULL select defaults. */
struct selftest_service {
	struct ip_address bind; /* family 0: every address, IPv4 and IPv6 */
	uint32_t scope;		/* netdev index of a link-local `bind` */
	uint32_t tcp_port;	/* 0: MESSAGE_PORT */
	int listener;		/* socket that already listens; closed at the end; 0: none */
	const char *token;	/* that clients must know, at most 63 bytes; NULL: none */
	bool once;		/* ends after the first client that was served */
	const struct ip_network *allowed; /* others are closed at once */
	size_t allowed_count;		  /* 0: all */
	uint32_t most_clients; /* at the same time; 0: 16. An address may have half, an IPv6 /64
				  network three quarters of them */
	uint64_t memory_bytes; /* that all clients together may lock and allocate; 0: 1 GiB */
	uint32_t run_msec;     /* longest run that is granted; 0: 60 s */
	uint32_t idle_msec;    /* a client without orders for this long is dropped; 0: 10 min */
	uint64_t life_msec;    /* time limit for serving a client; 0: 2 h */
	int signals;	       /* a signalfd that ends the server; -1: none */
	const struct objects *objects; /* ports that clients may use; not NULL; empty: all */
	struct number gid_index;       /* for clients that choose none; unknown: the best */
	bool lists_ports;	       /* for clients that ask which ports there are */
	/* Takes a clean line for the log: where the server listens, and how each client ended. */
	void (*say)(void *context, const char *line);
	void *say_context;
};

/* A server keeps the rows of its last clients. */
#define SERVICE_MOST_ROWS 1000u

/*
 * Serves until a signal comes or, with `once`, until a client was served; its children have ended
 * when it returns. Returns 0; -EINTR: a signal came before the one client's end; -EIO: that client
 * was not served to its end, its row says why. Otherwise -errno: the server cannot listen,
 * *ret_reason says why and *ret_hint the next step (may stay NULL); the caller frees both.
 */
int selftest_serve(const struct selftest_service *service, struct selftest_results *results,
		   char **ret_reason, char **ret_hint);

/*
 * Data path tests with an unmodified program already installed on the other host, as its client and
 * as its server: the pingpongs, rping, ucmatose and mckey of rdma-core, and the tests of perftest.
 * Each run is one row of group interop; for a server a run is a client that connected. The programs
 * need matching options: the user is shown the command to run there, or it is the next step of a
 * failed row.
 */

#define PINGPONG_PORT 18515u /* TCP, also of perftest */
#define RPING_PORT    7174u  /* librdmacm */
#define UCMATOSE_PORT 7471u  /* librdmacm */

/* A server keeps the rows of its last clients. */
#define INTEROP_MOST_ROWS 1024u

/* ibv_srq_pingpong takes fewer than 256. */
#define PINGPONG_MOST_QPS 255u

/* The program on the other side of the tests. */
enum selftest_protocol {
	PROTOCOL_RDMACTL,
	PROTOCOL_PINGPONG,
	PROTOCOL_UC_PINGPONG,
	PROTOCOL_UD_PINGPONG,
	PROTOCOL_SRQ_PINGPONG,
	PROTOCOL_RPING,
	PROTOCOL_UCMATOSE,
	PROTOCOL_MCKEY,
	PROTOCOL_PERFTEST,
	PROTOCOLS,
};

/*
 * Runs the test with any other program than rdmactl. Returns 0: the test ran, the rows say how it
 * went, even if nothing could be tested; -EINTR: the user ended it, the rows so far are complete;
 * -EINVAL: perftest has no program for the operation.
 */
int interop_run(enum selftest_protocol protocol, const struct selftest_request *request,
		const struct endpoint *local, struct selftest_results *results);
