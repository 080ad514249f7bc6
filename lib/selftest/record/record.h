/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's request to selftest, and the rows of results. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/gid.h"
#include "base/statistics.h"
#include "counter/counter.h"
#include "host/endpoint/endpoint.h"
#include "schema/schema.h"
#include "selftest/wire/message.h"

enum selftest_operation {
	SELFTEST_SEND = 1 << 0,
	SELFTEST_WRITE = 1 << 1,
	SELFTEST_READ = 1 << 2,
	SELFTEST_ATOMIC = 1 << 3,
};

/* Messages of different sizes that one request can ask for. */
#define SELFTEST_MOST_SIZES 32

/* What packets carry, on both sides. What is not known is as the device and the kernel have it. */
struct selftest_path {
	struct number traffic_class; /* the TOS of RoCE v2: DSCP, and two bits of ECN */
	struct number flow_label, hop_limit, sl;
	struct number pkey, pkey_index; /* one of both at most */
	/* The traffic class is the host's default, which a server that is older need not know. */
	bool is_default;
	bool by_port; /* the flow label is that of a UDP source port */
};

enum selftest_direction { DIRECTION_OUT, DIRECTION_IN, DIRECTION_BOTH };

/* The words of --transport; the first ones are those of enum qp_kind. */
enum selftest_transport {
	SELFTEST_BY_RC,
	SELFTEST_BY_UC,
	SELFTEST_BY_UD,
	SELFTEST_BY_XRC,
	SELFTEST_BY_SRD,
	SELFTEST_BY_DC,
};

#define SELFTEST_FOREVER UINT64_MAX

struct selftest_result;

/* How latency and bandwidth are measured. */
struct selftest_ways {
	uint32_t transport; /* enum selftest_transport */
	uint32_t direction; /* enum selftest_direction, of a bandwidth */
	bool by_events;	    /* sleeps for completions, instead of polling */
	bool cpu;	    /* shows the processor time of both sides */
	bool in_order;	    /* memory without relaxed ordering */
	struct number signal_every, inline_bytes;
	uint64_t every_msec; /* a row for each interval; 0: one for all */
	/* The samples of a latency, in their order, before the row is complete; NULL: nobody wants
	 * them. */
	void (*samples)(void *context, const struct selftest_result *row, const uint64_t *nsec,
			size_t count);
	void *samples_context;
};

/* Where the bytes of buffers come from: "pages", "huge", "odp", "dmabuf:system", "dmabuf:cuda:1". 0
 * or -EINVAL. */
int selftest_memory_parse(const char *text, struct message_memory *ret);
/* The same words; the caller frees them. */
char *selftest_memory_text(const struct message_memory *memory);

/* Shapes of the gather tests that one request can ask for are as many as both lists make. */
#define SELFTEST_MOST_BLOCKS 16

/* Borrowed: it must live as long as the call. 0 and NULL are defaults. */
struct selftest_request {
	const char *peer; /* as named by the user; NULL: loopback */
	struct ip_address peer_ip;
	uint32_t scope;		  /* netdev index of a link-local peer_ip */
	struct ip_address source; /* of the TCP connection; family 0: the route's */
	uint32_t tcp_port;	  /* 0: the protocol's own */
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
	uint64_t duration_msec;		       /* SELFTEST_FOREVER: until a signal comes */
	uint64_t latency_msec, bandwidth_msec; /* of such a measurement; 0: duration_msec */
	uint32_t queue_pairs, depth, batch;
	uint32_t connections; /* measure so many at a time; 0: do not */
	/* shapes of the gather tests, of each size each number; none: the usual ones */
	uint64_t block_bytes[SELFTEST_MOST_BLOCKS], block_count[SELFTEST_MOST_BLOCKS], stride;
	size_t block_bytes_count, block_count_count;
	struct message_memory memory, peer_memory;
	uint32_t mtu_bytes;
	struct number peer_gid_index;
	const char *peer_device; /* name of the peer's; NULL: the peer chooses */
	uint32_t peer_port;	 /* of that device; 0: its first active one */
	struct selftest_path path;
	struct number ack_timeout, retries, rnr_retries; /* of RC, but in tests of these */
	double expect_gbps, expect_usec, expect_mops;	 /* a row that misses them fails */
	struct selftest_ways ways;
	/* Both sides keep to processors and memory near their devices, or to a share of them. */
	bool pins;
	uint32_t share, shares, peer_share, peer_shares;
	/* Called when a measurement is about to begin. */
	void (*gate)(void *context);
	void *gate_context;
	int signals; /* a signalfd that ends the tests; -1: none */
	/* Called before each row with its test; the rows before it are complete. */
	void (*progress)(void *context, const char *what);
	void *progress_context;
};

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
	SELFTEST_CONNECT,
	SELFTEST_RAILS,
};

enum selftest_verdict { SELFTEST_PASS, SELFTEST_FAIL, SELFTEST_SKIP };

enum selftest_side { SIDE_LOCAL, SIDE_PEER };

/* The latencies from least_usec to below below_usec. */
struct selftest_bucket {
	struct real least_usec;
	struct real below_usec;
	struct number count;
};

/* A counter before and after a test. */
struct selftest_counter {
	struct number side; /* enum selftest_side */
	char *device;
	struct number port;
	char *name;
	struct number before;
	struct number after;
};

/* What the packets carry, and what the first queue pair of each side was told. */
struct selftest_link {
	struct number traffic_class, flow_label, hop_limit, sl, pkey;
	struct number qpn, peer_qpn, psn, peer_psn;
	struct number path_mtu_bytes, ack_timeout, retries, rnr_retries;
};

/*
 * The result of one data path test: a row of `rdmactl selftest`. The record owns everything that it
 * points to. Text from outside (names, peers) must be cleaned before it comes here. It holds the
 * measured facts; ratios and the figures for people are computed when they are shown.
 */
struct selftest_result {
	char *device;
	struct number port;
	char *netdev;
	struct number gid_index;
	struct known_gid gid;
	struct number gid_type; /* enum gid_type */
	char *peer;		/* as named by the user; NULL: loopback, or a group */
	char *peer_device;
	struct number peer_port;
	struct known_gid peer_gid;
	struct number connection; /* enum selftest_connection */
	struct selftest_link link;
	struct number group;   /* enum selftest_group */
	char *test;	       /* rc-write */
	char *summary;	       /* what it does */
	struct number verdict; /* enum selftest_verdict; the key is `result` */
	char *reason;	       /* why it failed or was skipped, or a remark of a pass */
	char *next_step;
	char *status; /* of the completion, as ibv_wc_status_str() words it */
	struct number size_bytes;
	struct number iterations;
	struct number queue_pairs;
	struct number depth;
	struct number batch, signal_every, inline_bytes;
	struct number transport; /* enum selftest_transport */
	struct number direction; /* enum selftest_direction */
	enum tristate events, relaxed_ordering;
	struct number interval;	     /* from 1 on; of the summary: unknown */
	struct number lost_messages; /* of an unreliable transport */
	struct number memory_bytes, peer_memory_bytes;
	struct real cpu_percent, peer_cpu_percent;
	struct number completion_queues;  /* of each side */
	struct number completion_vectors; /* that the completion queues of the test use */
	char *memory, *peer_memory;	  /* as selftest_memory_text() has it */
	struct number block_bytes, block_count;
	struct real duration_msec;
	struct real latency_min_usec;
	struct real latency_p50_usec;
	struct real latency_p90_usec;
	struct real latency_p99_usec;
	struct real latency_p999_usec;
	struct real latency_max_usec;
	struct real latency_mean_usec;
	struct real latency_stddev_usec;
	struct real bandwidth_gbps; /* of both directions together */
	struct real sent_gbps, received_gbps;
	struct real messages_per_second;
	struct real rate_gbps;	   /* the active rate, to compare the bandwidth with */
	struct real transfer_usec; /* gathered or scattered by the device */
	struct real packed_usec;   /* packed by the CPU, and one contiguous transfer */
	struct real connections_per_second;
	struct real address_usec, route_usec, connect_usec, disconnect_usec; /* of one, or p50 */
	struct number counterpart;	       /* enum rail_match: how the peer's port was found */
	struct real alone_gbps, together_gbps; /* of a rail, or of all of them */
	char *cpus, *peer_cpus;		       /* that both sides kept to; NULL: to none */
	struct selftest_bucket *histogram;
	size_t histogram_count;
	struct selftest_counter *counters;
	size_t counter_count;
};

/* How the counterpart of a port was found. */
enum rail_match {
	RAIL_SUBNET, /* no other port is in its subnet */
	RAIL_ORDER,  /* a guess: the same place in the order of the PCI addresses */
};

extern const struct schema selftest_schema;
extern const struct enum_name selftest_connection_names[];
extern const struct enum_name selftest_group_names[];
extern const struct enum_name selftest_verdict_names[];
extern const struct enum_name selftest_transport_names[];
extern const struct enum_name selftest_memory_names[]; /* what --memory takes, without a number */

/* Percentiles and histogram of latencies, which are sorted in place. */
void selftest_result_set_latency(struct selftest_result *result, uint64_t *nsec, size_t count);
/* Mean and deviation after that, if those latencies are a choice of more. */
void selftest_result_set_mean(struct selftest_result *result, const struct moments *all);
/* The port that was tested, and the peer's; nothing if the endpoint names no device. */
void selftest_result_set_local(struct selftest_result *result, const struct endpoint *local);
void selftest_result_set_peer(struct selftest_result *result, const struct endpoint *peer);
/* A counter of a side's port before and after the test. */
void selftest_result_add_counter(struct selftest_result *result, enum selftest_side side,
				 const struct counter *before, const struct counter *after);
/*
 * What grew, of what at least one side counts: "0 retransmissions, 2 errors", to be freed; NULL: no
 * counter tells of that.
 */
char *selftest_growth_text(const struct counter_sums sums[static 2]);
/* Frees the record and what it owns. */
void selftest_result_free(struct selftest_result *result);

/* Rows in the order in which they came; each stays where it is until it is freed. */
struct selftest_results {
	struct selftest_result **items;
	size_t count;
};

/* An empty record at the end of the list, which owns it. */
struct selftest_result *selftest_results_add(struct selftest_results *results);
/* Frees the first one of a list that has some: for lists that last as long as a server does. */
void selftest_results_drop_first(struct selftest_results *results);
/* The last one, of which nothing is to be seen. */
void selftest_results_drop_last(struct selftest_results *results);
void selftest_results_free(struct selftest_results *results);
