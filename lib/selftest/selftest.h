/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path tests: over one port in loopback, to a peer, and the server for one. Needs no header of
 * libibverbs. Rows go to the caller's list, each with its verdict; what keeps a test from running
 * at all is a row, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/endpoint/endpoint.h"
#include "selftest/selftest_result.h"
#include "schema/value.h"

enum selftest_operation {
	SELFTEST_SEND = 1 << 0,
	SELFTEST_WRITE = 1 << 1,
	SELFTEST_READ = 1 << 2,
	SELFTEST_ATOMIC = 1 << 3,
};

/* Limits of a request: those of the exchange protocol, lib/selftest/message.h. */
#define SELFTEST_MOST_SIZES 32
#define SELFTEST_MOST_PAIRS 64u
#define SELFTEST_MOST_DEPTH 16384u
#define SELFTEST_MOST_BYTES (UINT64_C(256) << 20)
#define SELFTEST_MOST_MSEC  3600000u
#define SELFTEST_MOST_TOKEN 63u /* bytes */

/* What to test and how. Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct selftest_request {
	const char *peer; /* as the user named it; NULL: loopback */
	struct ip_address peer_ip;
	uint32_t scope;	   /* netdev index of a link-local peer_ip */
	uint32_t tcp_port; /* 0: the protocol's own */
	const char *token;
	bool by_cm;
	bool gid_only;		  /* one row: does this GID index carry data */
	const char *const *tests; /* ids and groups of tests; NULL: all that fit */
	size_t test_count;
	bool latency, bandwidth;	     /* these measurements only, and longer ones */
	unsigned int operations;	     /* enum selftest_operation; 0: all */
	uint64_t sizes[SELFTEST_MOST_SIZES]; /* bytes of a message */
	size_t size_count;		     /* 0: a few usual ones */
	uint64_t iterations;
	uint64_t duration_msec;
	uint32_t queue_pairs, depth, batch;
	uint64_t block_bytes, block_count, stride; /* layout of the gather tests */
	uint32_t mtu_bytes;
	struct number peer_gid_index;
	double expect_gbps, expect_usec; /* a row that misses them fails */
	int signals;			 /* a signalfd of what shall end the tests; -1: none */
	/* Called before each row, with its test, for the user's eyes: the rows so far are done. */
	void (*progress)(void *context, const char *what);
	void *progress_context;
};

/*
 * Runs the tests of one port against itself, or against the peer. 0: they ran, the rows tell how;
 * -EINTR: the user ended it, the rows so far are there.
 */
int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results);
/* The names that `tests` may have: ids of tests and groups, with a summary each, by index; false
 * past the end. */
bool selftest_test_name(size_t index, const char **ret_id, const char **ret_group,
			const char **ret_summary);
