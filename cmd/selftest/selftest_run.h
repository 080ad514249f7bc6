/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl selftest: its options (selftest_options.c) and what they mean (selftest_args.c); its
 * output: rows as they come or at the end, progress, histograms, the failures again as problems
 * with their next steps, and the signals that end it (selftest_output.c).
 */
#pragma once

#include <stdio.h>

#include "cli/option.h"
#include "cmd/progress.h"
#include "cmd/listing.h"
#include "selftest/selftest.h"
#include "selftest/record/record.h"

/* A table, as in other commands, or charts. */
enum selftest_format { SELFTEST_TABLE, SELFTEST_SVG };
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
};

struct selftest_args {
	const char *peer;
	const char *peer_device;
	bool serve;
	struct number protocol; /* enum selftest_protocol */
	const char *group, *group_gid;
	bool send_only, no_loopback;
	bool cm;
	struct number port;
	const char *token;
	const char *bind;
	bool once;
	struct number most_clients;
	const char *allow;
	const char *memory, *peer_memory; /* a kind, or with --serve a size */
	struct number longest, idle;
	struct number gid_index, peer_gid_index;
	bool all_gids, all_ports;
	const char *tests;
	bool list_tests;
	bool latency, bandwidth;
	struct number operations;
	const char *sizes;
	bool all_sizes;
	struct number iterations, duration;
	struct number queue_pairs, depth, batch;
	struct number connections;
	struct number mtu;
	const char *tclass, *tos, *dscp, *flow_label;
	struct number sl, hop_limit, source_port;
	const char *pkey;
	struct number pkey_index;
	struct number ack_timeout, retries, rnr_retries;
	struct real expect_gbps, expect_usec, expect_mops;
	struct number transport; /* enum selftest_transport */
	bool both_ways, reversed, events, cpu, strict_order;
	struct number signal_every, inline_bytes, every;
	const char *samples;
	const char *block_bytes, *block_count;
	struct number stride;
	struct number format; /* enum selftest_format */
};

/* selftest_options.c: who tests with whom, what is measured, and what the packets carry. */
extern const struct option_row selftest_options[], selftest_measure_options[],
	selftest_ways_options[], selftest_path_options[];
/* Options that clash, whatever their values. */
extern const struct option_rule selftest_rules[];
extern const struct enum_name selftest_protocols[];

/* What the queue pairs that the exchange connects are told, and what rdma_cm chooses itself. */
#define SELFTEST_EXCHANGE_ONLY "sl flow-label source-port hop-limit pkey pkey-index ack-timeout"
#define SELFTEST_PATH_OPTIONS  "tclass dscp tos retries rnr-retries " SELFTEST_EXCHANGE_ONLY
/* How latency and bandwidth are measured. */
#define SELFTEST_WAYS                                                                           \
	"transport both-ways reversed signal-every inline events cpu every samples no-relaxed " \
	"expect-mops"
/* What only a client has. */
#define SELFTEST_CLIENT_ONLY                                                                    \
	"cm peer-device peer-gid-index peer-memory all-gids all-ports test all-sizes duration " \
	"depth "                                                                                \
	"connections "                                                                          \
	"batch expect-gbps expect-usec block-size block-count stride format " SELFTEST_WAYS     \
	" " SELFTEST_PATH_OPTIONS
/* What only a client has, and a server of some programs of others. */
#define SELFTEST_PEERS_TOO "latency bandwidth operations qps"
/* The options of mckey. */
#define SELFTEST_GROUP_OPTIONS "group group-gid send-only no-loopback"
/* Options of --serve that programs of others do not have. */
#define SELFTEST_SERVER_ONLY "allow max-clients longest idle"

/* The meaning of the options; it refers to the args and the environment. */
struct selftest_plan {
	const struct selftest_args *args;
	enum selftest_protocol protocol;
	struct strings tests;
	struct ip_address bind;
	uint32_t bind_scope;
	struct interop_group group;
	struct ip_network *allowed;
	size_t allowed_count;
	uint64_t memory_bytes;		 /* --serve: for all clients; 0: not given */
	char *peer_device;		 /* or NULL */
	const char *token;		 /* or NULL */
	struct selftest_request request; /* without the peer's address, signals and progress */
};

/*
 * False: the options contradict each other or have invalid values; one line for the user in
 * *ret_message, perhaps the next step in *ret_hint, which the caller frees.
 */
bool selftest_plan_make(struct selftest_plan *plan, const struct selftest_args *args,
			char **ret_message, char **ret_hint);
void selftest_plan_free(struct selftest_plan *plan);

/* The options that say how latency and bandwidth are measured; the message is as above. */
char *selftest_parse_ways(struct selftest_plan *plan, char **ret_hint);
/* selftest_args.c: the first option of a list that was given, or NULL; the caller frees it. */
char *selftest_find_given(const struct selftest_args *args, const char *names);
/* selftest_peers.c: which options the protocol has, and what they mean. The message, or NULL. */
char *selftest_check_protocol(const struct selftest_plan *plan);
char *selftest_parse_group(struct selftest_plan *plan);
/* IB_ROCE_UDP_ENCAP_VALID_PORT_MIN, include/rdma/ib_verbs.h of Linux. */
#define FIRST_SOURCE_PORT 0xc000u
/* The options of the path and of retries into the request. The message is as above, or NULL. */
char *selftest_parse_path(struct selftest_plan *plan, char **ret_hint);
/* --memory and --peer-memory, and the shapes of the gather tests. The message is as above, or NULL.
 */
char *selftest_parse_memory(struct selftest_plan *plan, char **ret_hint);
char *selftest_parse_blocks(struct selftest_plan *plan);
/*
 * Where no traffic class was asked for, that of the host's configuration for this port: the
 * default_roce_tos of rdma_cm, so that the test's packets take the way of the programs' packets.
 */
void selftest_default_path(const struct endpoint *endpoint, struct selftest_path *path);

struct selftest_output {
	struct listing *listing;
	struct selftest_results results;
	const struct selftest_result *last; /* the last row that the listing has */
	struct progress progress;
	size_t dropped;	    /* rows of intervals that were printed and freed */
	size_t failed;	    /* of these */
	bool caught;	    /* signals end the run: output that fails does, too */
	bool svg;	    /* charts take the place of the table */
	bool pieces;	    /* --every: each row is printed when it is complete, in all formats */
	const char *device; /* under test, for the progress; or NULL */
	unsigned int port;
};

void selftest_output_begin(struct selftest_output *output, struct listing *listing);
/* A row for tests that could not begin. The texts are copied. */
struct selftest_result *selftest_output_add(struct selftest_output *output,
					    enum selftest_verdict verdict, const char *reason,
					    const char *hint);
/* For struct selftest_request, with the output as context. */
void selftest_output_progress(void *context, const char *test);
/* A line of a server's log, with the output as context. */
void selftest_output_say(void *context, const char *line);
/*
 * Prints the rest, frees, and returns the exit status: STATUS_FAULT if a row failed. `histograms`:
 * of the latencies, too, in a table.
 */
int selftest_output_end(struct selftest_output *output, bool histograms);
/* The same for a server, whose status does not depend on its rows. */
int selftest_output_end_served(struct selftest_output *output);

/* selftest_charts.c: what was measured, as one SVG document or as bars of text. 0 or -errno. */
int selftest_charts_svg(FILE *out, const struct selftest_results *results);
int selftest_charts_text(FILE *out, const struct selftest_results *results);

/*
 * A signalfd that SIGINT, SIGTERM and SIGHUP (unless it was ignored from the start) make readable
 * for good; the second time each ends the program at once. -errno if there is none.
 */
int selftest_catch_signals(void);

/* A run of selftest: what was asked for, and its results. */
struct selftest_run {
	struct listing listing;
	struct selftest_plan plan;
	struct selftest_output output;
	struct interop_request interop;
	bool named; /* the user named devices or ports */
	/* --samples: held in memory until the end, because half a file would be taken for a whole
	 * one. */
	FILE *samples;
	char *samples_text;
	size_t samples_length;
};

/* selftest.c: the port of the inventory that an endpoint is on. */
bool selftest_port_of(const struct inventory *inventory, const struct endpoint *endpoint,
		      const struct device **ret_device, const struct port **ret_port);
/* Collects the latencies of all rows, if --samples names a file. 0, or -errno and it has failed. */
int selftest_samples_begin(struct selftest_run *run);
/* Writes the file; the run fails if that is not possible. */
void selftest_samples_end(struct selftest_run *run);
/* --all-ports: what it needs of the inventory, and the rails. 0, or -EINTR: the user ended it. */
uint64_t selftest_rails_needs(void);
int selftest_test_rails(struct selftest_run *run);
/* selftest_peers.c: tests with programs of others, as their client and as their server. */
void selftest_prepare_interop(struct selftest_run *run);
int selftest_test_interop(struct selftest_run *run, const struct endpoint *endpoint);
/* The client that has a group instead of a peer. */
int selftest_test_group(struct selftest_run *run);
int selftest_serve_interop(struct selftest_run *run);
