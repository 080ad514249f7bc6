/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of selftest: its options, which of them go together, what they ask for. */
#pragma once

#include "cli/option.h"
#include "selftest/selftest.h"

/* Who the other side of the tests is. */
enum selftest_protocol { PROTOCOL_RDMACTL, PROTOCOL_PINGPONG, PROTOCOL_RPING };

struct selftest_args {
	const char *peer;
	bool serve;
	struct number protocol; /* enum selftest_protocol */
	bool cm;
	struct number port;
	const char *token;
	const char *bind;
	bool once;
	struct number most_clients;
	struct number gid_index, peer_gid_index;
	bool all_gids;
	const char *tests;
	bool list_tests;
	bool latency, bandwidth;
	struct number operations;
	const char *sizes;
	bool all_sizes;
	struct number iterations, duration;
	struct number queue_pairs, depth, batch;
	struct number mtu;
	struct real expect_gbps, expect_usec;
	struct number block_bytes, block_count, stride;
};

extern const struct option_row selftest_options[];

/* What the options come to; it refers to the args and the environment. */
struct selftest_plan {
	const struct selftest_args *args;
	enum selftest_protocol protocol;
	struct strings tests;
	struct ip_address bind;
	uint32_t bind_scope;
	const char *token;		 /* or NULL */
	struct selftest_request request; /* but for the peer's address, signals and progress */
};

/*
 * False: the options contradict each other or have values that they cannot have; one line for the
 * user in *ret_message, perhaps the next step in *ret_hint, for the caller to free.
 */
bool selftest_plan_make(struct selftest_plan *plan, const struct selftest_args *args,
			char **ret_message, char **ret_hint);
void selftest_plan_free(struct selftest_plan *plan);
