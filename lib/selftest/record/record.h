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

/* Limit on message sizes in one request. */
#define SELFTEST_MOST_SIZES 32

/* Path attributes of both sides' packets. The device and the kernel choose the unknown ones. */
struct selftest_path {
	struct number traffic_class; /* the TOS of RoCE v2: DSCP, and two bits of ECN */
	struct number flow_label, hop_limit, sl;
	struct number pkey, pkey_index; /* at most one of both */
	bool is_default; /* the traffic class is that of this port, as librdmacm would choose */
	bool by_port;	 /* the flow label belongs to a UDP source port */
};

enum selftest_direction { DIRECTION_OUT, DIRECTION_IN, DIRECTION_BOTH };

/* Values of --transport; the first ones are those of enum qp_kind. */
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
	uint32_t direction; /* enum selftest_direction, for a bandwidth */
	bool by_events;	    /* sleeps for completions, instead of polling */
	bool cpu;	    /* shows the processor time of both sides */
	bool in_order;	    /* memory without relaxed ordering */
	struct number signal_every, inline_bytes;
	uint64_t every_msec; /* one row per interval; 0: one for all */
	/* Gets the samples of a latency in order, before the row is complete; may be NULL. */
	void (*samples)(void *context, const struct selftest_result *row, const uint64_t *nsec,
			size_t count);
	void *samples_context;
};

/*
 * Parses the source of buffer memory: "pages", "huge", "odp", "dmabuf:system", "dmabuf:cuda:1".
 * Returns 0 or -EINVAL.
 */
int selftest_memory_parse(const char *text, struct message_memory *ret);
/* Formats it in the same words; the caller frees the text. */
char *selftest_memory_text(const struct message_memory *memory);

/* Limits of both lists of gather shapes in a request; every combination is a shape. */
#define SELFTEST_MOST_BLOCKS 16

/* A multicast group, for mckey. */
struct interop_group {
	struct ip_address ip; /* family 0: `gid` */
	struct gid gid;	      /* group without an IP address (mckey -M) */
	bool send_only;	      /* joins only as a sender (-o) */
	bool no_loopback;     /* does not get its own datagrams (-l) */
};

/* Borrowed: must live as long as the call. 0 and NULL select defaults. */
struct selftest_request {
	const char *peer; /* as named by the user; NULL: loopback, or a group */
	struct ip_address peer_ip;
	uint32_t scope;		  /* netdev index of a link-local peer_ip, or `bind` */
	struct ip_address source; /* of the TCP connection; family 0: chosen by the route */
	uint32_t tcp_port;	  /* 0: MESSAGE_PORT, or that of the other program */
	const char *token;
	bool by_cm;
	bool gid_only;		  /* one row: whether this GID index carries data */
	const char *const *tests; /* ids of tests and groups; NULL: all suitable ones */
	size_t test_count;
	bool latency, bandwidth;	     /* only these measurements, for longer */
	unsigned int operations;	     /* enum selftest_operation; 0: all */
	uint64_t sizes[SELFTEST_MOST_SIZES]; /* bytes of a message */
	size_t size_count;		     /* 0: a few typical ones */
	uint64_t iterations;
	uint64_t duration_msec;		       /* SELFTEST_FOREVER: until a signal comes */
	uint64_t latency_msec, bandwidth_msec; /* for those measurements; 0: duration_msec */
	uint32_t queue_pairs, depth, batch;
	uint32_t connections; /* number to measure at a time; 0: none */
	/* shapes of the gather tests, in all combinations; none: the default shapes */
	uint64_t block_bytes[SELFTEST_MOST_BLOCKS], block_count[SELFTEST_MOST_BLOCKS], stride;
	size_t block_bytes_count, block_count_count;
	struct message_memory memory, peer_memory;
	uint32_t mtu_bytes;
	struct number peer_gid_index;
	const char *peer_device; /* the peer's device; NULL: the peer chooses */
	uint32_t peer_port;	 /* of that device; 0: first active port */
	bool chose_peer_device;	 /* the user named it */
	struct selftest_path path;
	struct number ack_timeout, retries, rnr_retries; /* of RC, except in tests of these */
	double expect_gbps, expect_usec, expect_mops;	 /* the row fails if missed */
	struct selftest_ways ways;
	/* Bind both sides to processors and memory near their devices, or to a share of them. */
	bool pins;
	uint32_t share, shares, peer_share, peer_shares;
	/* Called just before a measurement begins. */
	void (*gate)(void *context);
	void *gate_context;
	int signals; /* a signalfd that ends the tests; -1: none */
	/* Called with the test before each row; the earlier rows are complete. */
	void (*progress)(void *context, const char *what);
	void *progress_context;

	/* Only for tests with other programs, which know one size, and one operation at most. */
	struct interop_group group;
	bool server;		/* the other host's programs are the clients, or mckey sends */
	struct ip_address bind; /* server; family 0: any for TCP, the endpoint's for librdmacm */
	bool once;		/* server: ends after one client */
	/* Takes one line for the user, without a newline. */
	void (*say)(void *context, const char *text);
	void *say_context;
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

/* Latencies from least_usec up to, but not including, below_usec. */
struct selftest_bucket {
	struct real least_usec;
	struct real below_usec;
	struct number count;
};

struct selftest_counter {
	struct number side; /* enum selftest_side */
	char *device;
	struct number port;
	char *name;
	struct number before;
	struct number after;
};

/* Path attributes of the packets, and those given to the first queue pair of each side. */
struct selftest_link {
	struct number traffic_class, flow_label, hop_limit, sl, pkey;
	struct number qpn, peer_qpn, psn, peer_psn;
	struct number path_mtu_bytes, ack_timeout, retries, rnr_retries;
};

/*
 * The result of one data path test: a row of `rdmactl selftest`. The record owns everything that it
 * points to. Text from outside (names, peers) must be cleaned before it is stored here. The record
 * holds measured values; ratios and the figures for people are computed when shown.
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
	char *status; /* of the completion, in the words of ibv_wc_status_str() */
	struct number vendor_error;
	struct number size_bytes;
	struct number iterations;
	struct number queue_pairs;
	struct number depth;
	struct number batch, signal_every, inline_bytes;
	struct number transport; /* enum selftest_transport */
	struct number direction; /* enum selftest_direction */
	enum tristate events, relaxed_ordering;
	struct number interval;	     /* counts from 1; unknown in the summary row */
	struct number lost_messages; /* with an unreliable transport */
	struct number memory_bytes, peer_memory_bytes;
	struct real cpu_percent, peer_cpu_percent;
	struct number completion_queues;  /* of each side */
	struct number completion_vectors; /* used by the completion queues of the test */
	char *memory, *peer_memory;	  /* from selftest_memory_text() */
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
	struct real bandwidth_gbps; /* sum over both directions */
	struct real sent_gbps, received_gbps;
	struct real messages_per_second;
	struct real rate_gbps;	   /* active rate, for comparison */
	struct real transfer_usec; /* gathered or scattered by the device */
	struct real packed_usec;   /* packed by the CPU, plus one contiguous transfer */
	struct real connections_per_second;
	struct real address_usec, route_usec, connect_usec, disconnect_usec; /* of one, or p50 */
	struct number counterpart;	       /* enum rail_match: how the peer's port was found */
	struct real alone_gbps, together_gbps; /* of a rail, or the sum */
	char *cpus, *peer_cpus;		       /* to which both sides were bound; NULL: none */
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
extern const struct enum_name selftest_memory_names[]; /* values of --memory, without a number */

/*
 * Sets percentiles, histogram, mean and deviation of latencies. Sorts the latencies in place. They
 * may be only a selection: then mean and deviation are those of `all`, unless that is NULL.
 */
void selftest_result_set_latency(struct selftest_result *result, uint64_t *nsec, size_t count,
				 const struct moments *all);
/* Returns a clean copy of a text of at most `size` bytes; NULL if it is empty. */
char *selftest_clean(const char *text, size_t size);
/* Set the tested port, and the peer's; do nothing if the endpoint names no device. */
void selftest_result_set_local(struct selftest_result *result, const struct endpoint *local);
void selftest_result_set_peer(struct selftest_result *result, const struct endpoint *peer);
/* Adds a counter of a side's port before and after the test. */
void selftest_result_add_counter(struct selftest_result *result, enum selftest_side side,
				 const struct counter *before, const struct counter *after);
/*
 * Returns how much the counters grew that at least one side has: "0 retransmissions, 2 errors".
 * With a peer, it tells which side has them, if only one does. NULL: neither side has such
 * counters. The caller frees the text.
 */
char *selftest_growth_text(const struct counter_sums sums[static 2], bool peer);
/* Frees the record and all that it owns. */
void selftest_result_free(struct selftest_result *result);

/* Rows in order of arrival; each stays at its address until it is freed. */
struct selftest_results {
	struct selftest_result **items;
	size_t count;
	bool no_exchange; /* the peer was not reached over TCP, or said nothing */
};

/* Appends an empty record to the list, which owns it. */
struct selftest_result *selftest_results_add(struct selftest_results *results);
/* Frees the first row of a non-empty list, for lists that last as long as a server does. */
void selftest_results_drop_first(struct selftest_results *results);
/* Frees the last row, which will not be shown. */
void selftest_results_drop_last(struct selftest_results *results);
void selftest_results_free(struct selftest_results *results);
