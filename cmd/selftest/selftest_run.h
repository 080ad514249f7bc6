/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl selftest: its options (selftest_options.c) and their meaning (selftest_args.c); its
 * output: rows as they are complete or at the end, progress, histograms, failures repeated as
 * problems with their next steps, and the signals that end it (selftest_output.c).
 */
#pragma once

#include <stdio.h>

#include "cli/option.h"
#include "cmd/progress.h"
#include "cmd/listing.h"
#include "selftest/selftest.h"
#include "selftest/record/record.h"

enum selftest_format { SELFTEST_TABLE, SELFTEST_SVG };

/* Options whose value is that of the request are in it; the others need parsing, or more. */
struct selftest_args {
	struct selftest_request request;
	const char *peer_device;
	struct number protocol; /* enum selftest_protocol */
	const char *group, *group_gid;
	struct number port;
	const char *bind;
	struct number most_clients;
	const char *allow;
	const char *memory, *peer_memory; /* a kind, or with --serve a size */
	struct number longest, idle;
	struct number gid_index;
	bool all_ports;
	const char *tests;
	bool list_tests;
	struct number operations;
	const char *sizes;
	bool all_sizes;
	struct number iterations, duration;
	struct number queue_pairs, depth, batch;
	struct number connections;
	struct number mtu;
	const char *tclass, *tos, *dscp, *flow_label;
	struct number source_port;
	const char *pkey;
	struct real expect_gbps, expect_usec, expect_mops;
	struct number transport; /* enum selftest_transport */
	bool both_ways, reversed;
	struct number every;
	const char *samples;
	const char *block_bytes, *block_count;
	struct number stride;
	struct number format; /* enum selftest_format */
};

/* selftest_options.c: who tests with whom, what is measured, and what the packets carry. */
extern const struct option_row selftest_options[], selftest_measure_options[],
	selftest_ways_options[], selftest_path_options[];
/* Options that always clash, whatever their values. */
extern const struct option_rule selftest_rules[];
extern const struct enum_name selftest_protocols[];

/* Options of queue pairs that the exchange connects; rdma_cm chooses these values itself. */
#define SELFTEST_EXCHANGE_ONLY "sl flow-label source-port hop-limit pkey pkey-index ack-timeout"
#define SELFTEST_PATH_OPTIONS  "tclass dscp tos retries rnr-retries " SELFTEST_EXCHANGE_ONLY
/* Options for how latency and bandwidth are measured. */
#define SELFTEST_WAYS                                                                           \
	"transport both-ways reversed signal-every inline events cpu every samples no-relaxed " \
	"expect-mops"
/* Options that only a client has. */
#define SELFTEST_CLIENT_ONLY                                                                    \
	"cm peer-device peer-gid-index peer-memory all-gids all-ports test all-sizes duration " \
	"depth "                                                                                \
	"connections "                                                                          \
	"batch expect-gbps expect-usec block-size block-count stride format " SELFTEST_WAYS     \
	" " SELFTEST_PATH_OPTIONS
/* Options that only a client has, and a server for some of the other programs. */
#define SELFTEST_PEERS_TOO "latency bandwidth operations qps"
/* Options of mckey. */
#define SELFTEST_GROUP_OPTIONS "group group-gid send-only no-loopback"
/* Options of --serve that servers for other programs do not have. */
#define SELFTEST_SERVER_ONLY "allow max-clients longest idle"

/* What the options mean; refers to the args and the environment. */
struct selftest_plan {
	const struct selftest_args *args;
	enum selftest_protocol protocol;
	struct strings tests;
	struct ip_network *allowed;
	size_t allowed_count;
	uint64_t memory_bytes;		 /* --serve: for all clients; 0: not given */
	char *peer_device;		 /* or NULL */
	struct selftest_request request; /* without peer address, signals and progress */
};

/*
 * Returns false if the options contradict each other or have invalid values, with one line for the
 * user in *ret_message and perhaps the next step in *ret_hint; the caller frees both.
 */
bool selftest_plan_make(struct selftest_plan *plan, const struct selftest_args *args,
			char **ret_message, char **ret_hint);
void selftest_plan_free(struct selftest_plan *plan);

/* Returns "--OPTION: 'TEXT' WHAT" with a clean text; the caller frees it. */
char *selftest_complain(const char *option, const char *text, const char *what);
/* Parses the options for how latency and bandwidth are measured; the message is as above. */
char *selftest_parse_ways(struct selftest_plan *plan, char **ret_hint);
/* selftest_args.c: returns whether the option of that name was given. */
bool selftest_is_given(const struct selftest_args *args, const char *name);
/* selftest_peers.c: check the protocol's options, and parse them. Return a message, or NULL. */
char *selftest_check_protocol(const struct selftest_plan *plan);
char *selftest_parse_group(struct selftest_plan *plan);
/* IB_ROCE_UDP_ENCAP_VALID_PORT_MIN, include/rdma/ib_verbs.h of Linux. */
#define FIRST_SOURCE_PORT 0xc000u
/* Parse --memory and --peer-memory, and the shapes of the gather tests; return as above. */
char *selftest_parse_memory(struct selftest_plan *plan, char **ret_hint);
char *selftest_parse_blocks(struct selftest_plan *plan);
struct selftest_output {
	struct listing *listing;
	struct selftest_results results;
	const struct selftest_result *last; /* the last row added to the listing */
	struct progress progress;
	size_t dropped;	    /* rows of intervals that were printed and freed */
	size_t failed;	    /* rows among them that failed */
	bool caught;	    /* signals end the run; so does failing output */
	bool svg;	    /* charts replace the table */
	bool pieces;	    /* --every: print each row once it is complete, in all formats */
	const char *device; /* under test, for the progress, or NULL */
	unsigned int port;
};

void selftest_output_begin(struct selftest_output *output, struct listing *listing);
/* Adds a row for tests that could not begin. The texts are copied. */
struct selftest_result *selftest_output_add(struct selftest_output *output,
					    enum selftest_verdict verdict, const char *reason,
					    const char *hint);
/* A callback for struct selftest_request, with the output as context. */
void selftest_output_progress(void *context, const char *test);
/* Prints a line of a server's log; the context is the output. */
void selftest_output_say(void *context, const char *line);
/*
 * Prints the rest, frees, and returns the exit status: STATUS_FAULT if a row failed. With
 * `histograms`, also prints those of the latencies if the output is a table.
 */
int selftest_output_end(struct selftest_output *output, bool histograms);
/* The same for a server, whose exit status does not depend on its rows. */
int selftest_output_end_served(struct selftest_output *output);

/* selftest_charts.c: print the results as one SVG document, or as text bars. Return 0 or -errno. */
int selftest_charts_svg(FILE *out, const struct selftest_results *results);
int selftest_charts_text(FILE *out, const struct selftest_results *results);

/*
 * Returns a signalfd that SIGINT, SIGTERM and SIGHUP (unless it was ignored at the start) make
 * readable for good; a second one of the same kind ends the program at once. Returns -errno on
 * failure.
 */
int selftest_catch_signals(void);

/* A run of selftest: what the user wants, and the results. */
struct selftest_run {
	struct listing listing;
	struct selftest_plan plan;
	struct selftest_output output;
	bool named; /* whether the user named devices or ports */
	/* --samples: without a name until the end, as a partial file might be taken for complete */
	FILE *samples;
	int samples_rc; /* -errno of the first sample that could not be written */
};

/* selftest.c: finds an endpoint's port in the inventory. */
bool selftest_port_of(const struct inventory *inventory, const struct endpoint *endpoint,
		      const struct device **ret_device, const struct port **ret_port);
/*
 * If the user chose no traffic class, sets the one that the host configures for this port,
 * rdma_cm's default_roce_tos, so that the test's packets go the same way as those of programs.
 */
void selftest_default_path(const struct endpoint *endpoint, struct selftest_path *path);
/*
 * Begins to collect the latencies of all rows if --samples names a file. Returns -errno if it
 * cannot be written; the run has failed then.
 */
int selftest_samples_begin(struct selftest_run *run);
/* Writes the file, or fails the run. */
void selftest_samples_end(struct selftest_run *run);
/*
 * --all-ports: what it needs of the inventory, and its test. Returns 0, or -EINTR if interrupted.
 */
uint64_t selftest_rails_needs(void);
int selftest_test_rails(struct selftest_run *run);
/* selftest_peers.c: tests with other programs, as their client and as their server. */
/* Chooses the port of a server, or of a client that has a group; or fails the run. */
int selftest_choose_port(struct selftest_run *run, struct endpoint *ret_endpoint);
int selftest_serve_interop(struct selftest_run *run);
