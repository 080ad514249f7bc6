/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What one data path test found: a row of `rdmactl selftest`. The record owns all that its pointers
 * lead to. Text from outside (names, peers) has to be cleaned before it comes here. Held are the
 * facts that were measured; ratios and the figures for people are computed when they are shown.
 */
#pragma once

#include "schema/schema.h"

enum selftest_connection { CONNECTION_EXCHANGE, CONNECTION_CM };

enum selftest_group {
	SELFTEST_SETUP,
	SELFTEST_RC,
	SELFTEST_GATHER,
	SELFTEST_UC,
	SELFTEST_UD,
	SELFTEST_MULTICAST,
	SELFTEST_FAULT,
	SELFTEST_LATENCY,
	SELFTEST_BANDWIDTH,
	SELFTEST_COUNTERS,
	SELFTEST_GIDS,
	SELFTEST_INTEROP,
	SELFTEST_SERVE,
};

enum selftest_verdict { SELFTEST_PASS, SELFTEST_FAIL, SELFTEST_SKIP };

enum selftest_side { SIDE_LOCAL, SIDE_PEER };

/* The latencies from least_usec to below below_usec. */
struct selftest_bucket {
	struct real least_usec;
	struct real below_usec;
	struct number count;
};

/* What a counter did while the test ran. */
struct selftest_counter {
	struct number side; /* enum selftest_side */
	char *device;
	struct number port;
	char *name;
	struct number before;
	struct number after;
};

struct selftest_result {
	char *device;
	struct number port;
	char *netdev;
	struct number gid_index;
	struct known_gid gid;
	struct number gid_type; /* enum gid_type */
	char *peer;		/* as the user named it; NULL: loopback */
	char *peer_device;
	struct number peer_port;
	struct known_gid peer_gid;
	struct number connection; /* enum selftest_connection */
	struct number group;	  /* enum selftest_group */
	char *test;		  /* rc-write */
	char *summary;		  /* what it does */
	struct number verdict;	  /* enum selftest_verdict; the key is `result` */
	char *reason;		  /* why it failed or was skipped, or what a pass has to say */
	char *next_step;
	char *status; /* of the completion, as ibv_wc_status_str() words it */
	struct number size_bytes;
	struct number iterations;
	struct number queue_pairs;
	struct number depth;
	struct real duration_msec;
	struct real latency_min_usec;
	struct real latency_p50_usec;
	struct real latency_p90_usec;
	struct real latency_p99_usec;
	struct real latency_p999_usec;
	struct real latency_max_usec;
	struct real latency_mean_usec;
	struct real latency_stddev_usec;
	struct real bandwidth_gbps;
	struct real messages_per_second;
	struct real rate_gbps;	   /* the port's active rate, for what the bandwidth is of it */
	struct real transfer_usec; /* gathered or scattered by the device */
	struct real packed_usec;   /* packed by the CPU, and one contiguous transfer */
	struct selftest_bucket *histogram;
	size_t histogram_count;
	struct selftest_counter *counters;
	size_t counter_count;
};

extern const struct schema selftest_schema;
extern const struct enum_name selftest_connection_names[];
extern const struct enum_name selftest_group_names[];
extern const struct enum_name selftest_verdict_names[];

struct selftest_bucket *selftest_result_add_bucket(struct selftest_result *result);
struct selftest_counter *selftest_result_add_counter(struct selftest_result *result);
/* Frees what the record owns and empties it. */
void selftest_result_clear(struct selftest_result *result);

/* Rows in the order in which they came; each stays where it is until the list is freed. */
struct selftest_results {
	struct selftest_result **items;
	size_t count;
};

/* An empty record at the end of the list, which owns it. */
struct selftest_result *selftest_results_add(struct selftest_results *results);
/* Frees the first one of a list that has some: for lists that last as long as a server does. */
void selftest_results_drop_first(struct selftest_results *results);
void selftest_results_free(struct selftest_results *results);
