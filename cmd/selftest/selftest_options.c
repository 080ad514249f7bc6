/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of rdmactl selftest, a table a subject, and which of them clash, whatever their
 * values. */
#include "cmd/selftest/selftest_run.h"

/* The limit of perftest. */
#define PERFTEST_MOST_ITERATIONS 100000000
#define SERVER_MOST_CLIENTS	 256
#define SERVER_MOST_IDLE	 (24 * UINT64_C(3600000))

const struct enum_name selftest_protocols[] = {
	{PROTOCOL_RDMACTL, "rdmactl", TONE_PLAIN, "rdmactl selftest"},
	{PROTOCOL_PINGPONG, "pingpong", TONE_PLAIN, "ibv_rc_pingpong of rdma-core"},
	{PROTOCOL_UC_PINGPONG, "uc-pingpong", TONE_PLAIN, "ibv_uc_pingpong"},
	{PROTOCOL_UD_PINGPONG, "ud-pingpong", TONE_PLAIN, "ibv_ud_pingpong"},
	{PROTOCOL_SRQ_PINGPONG, "srq-pingpong", TONE_PLAIN, "ibv_srq_pingpong"},
	{PROTOCOL_RPING, "rping", TONE_PLAIN, "rping of rdma-core"},
	{PROTOCOL_UCMATOSE, "ucmatose", TONE_PLAIN, "ucmatose of rdma-core"},
	{PROTOCOL_MCKEY, "mckey", TONE_PLAIN, "mckey of rdma-core"},
	{PROTOCOL_PERFTEST, "perftest", TONE_PLAIN, "ib_send_bw and the like"},
	{0, NULL},
};

static const struct enum_name operations[] = {
	{SELFTEST_SEND, "send"},
	{SELFTEST_WRITE, "write"},
	{SELFTEST_READ, "read"},
	{SELFTEST_ATOMIC, "atomic"},
	{0, NULL},
};

static const struct enum_name durations[] = {{SELFTEST_FOREVER, "forever"}, {0, NULL}};

/* All path MTUs: InfiniBand Architecture Specification volume 1, 9.2.4. */
static const struct enum_name mtus[] = {
	{256, "256"}, {512, "512"}, {1024, "1024"}, {2048, "2048"}, {4096, "4096"}, {0, NULL},
};

/* For completion: an accelerator may have a number, and a server takes a size. */
static const struct enum_name memory_kinds[] = {
	{0, "pages"},	       {1, "huge"},	   {2, "odp"},	      {3, "dmabuf:system"},
	{4, "dmabuf:udmabuf"}, {5, "dmabuf:cuda"}, {6, "dmabuf:hip"}, {0, NULL},
};

const struct option_row selftest_options[] = {
	STRING_OPTION(struct selftest_args, peer, 0, "peer", "HOST", COMPLETE_NOTHING,
		      "test with this host, where rdmactl selftest --serve runs"),
	STRING_OPTION(struct selftest_args, peer_device, 0, "peer-device", "DEV/PORT",
		      COMPLETE_NOTHING,
		      "--peer: the port that the peer uses; DEV alone: its first active one"),
	FLAG_OPTION(struct selftest_args, serve, 0, "serve", "serve the tests of other hosts"),
	CHOICE_OPTION(struct selftest_args, protocol, 0, "proto", "PROTOCOL", selftest_protocols,
		      "program of the peer: rdmactl, a pingpong, rping, perftest ..."),
	FLAG_OPTION(struct selftest_args, cm, 0, "cm", "connect queue pairs with rdma_cm"),
	NUMBER_OPTION(COUNT, struct selftest_args, port, 0, "port", "N", 1, UINT16_MAX,
		      "TCP port of the exchange, or the port of rdma_cm's programs"),
	STRING_OPTION(struct selftest_args, group, 0, "group", "ADDR", COMPLETE_NOTHING,
		      "mckey: the multicast group; with --serve receive, else send"),
	STRING_OPTION(struct selftest_args, group_gid, 0, "group-gid", "GID", COMPLETE_NOTHING,
		      "mckey: the same, a GID without an IP address (mckey -M)"),
	FLAG_OPTION(struct selftest_args, send_only, 0, "send-only",
		    "mckey: join the group as a sender alone"),
	FLAG_OPTION(struct selftest_args, no_loopback, 0, "no-loopback",
		    "mckey: a queue pair that does not get what it sends"),
	STRING_OPTION(struct selftest_args, token, 0, "token", "WORD", COMPLETE_NOTHING,
		      "token that the server requires; RDMACTL_TOKEN keeps it out of ps"),
	STRING_OPTION(struct selftest_args, bind, 0, "bind", "ADDR", COMPLETE_NOTHING,
		      "--serve: listen on this address only"),
	STRING_OPTION(struct selftest_args, allow, 0, "allow", "LIST", COMPLETE_NOTHING,
		      "--serve: only clients of these networks: 10.0.0.0/8,fd00::/8"),
	FLAG_OPTION(struct selftest_args, once, 0, "once", "--serve: end after one client"),
	NUMBER_OPTION(COUNT, struct selftest_args, most_clients, 0, "max-clients", "N", 1,
		      SERVER_MOST_CLIENTS, "--serve: most clients at the same time (16)"),
	OPTION_ROW(STRING, const char *, struct selftest_args, memory, 0, "memory",
		   "what buffers are: huge, odp, dmabuf:FROM; --serve: SIZE for all clients (1g)",
		   .metavar = "KIND", .choices = memory_kinds, .completion = COMPLETE_CHOICE),
	OPTION_ROW(STRING, const char *, struct selftest_args, peer_memory, 0, "peer-memory",
		   "the same at the other side: pages, huge, odp, dmabuf:FROM", .metavar = "KIND",
		   .choices = memory_kinds, .completion = COMPLETE_CHOICE),
	NUMBER_OPTION(DURATION, struct selftest_args, longest, 0, "longest", "TIME", 1, LIMIT_MSEC,
		      "--serve: longest measurement that a client may have (60s)"),
	NUMBER_OPTION(DURATION, struct selftest_args, idle, 0, "idle", "TIME", 1, SERVER_MOST_IDLE,
		      "--serve: drop a client that is silent for so long (10m)"),
	NUMBER_OPTION(COUNT, struct selftest_args, gid_index, 0, "gid-index", "N", 0,
		      LIMIT_GID_INDEX, "use this entry of the GID table"),
	NUMBER_OPTION(COUNT, struct selftest_args, peer_gid_index, 0, "peer-gid-index", "N", 0,
		      LIMIT_GID_INDEX, "--peer: the entry that the peer uses"),
	FLAG_OPTION(struct selftest_args, all_gids, 0, "all-gids",
		    "test each entry of the GID table, a row each"),
	FLAG_OPTION(struct selftest_args, all_ports, 0, "all-ports",
		    "--peer: all ports and their counterparts, each alone and all together"),
	STRING_OPTION(struct selftest_args, tests, 0, "test", "LIST", COMPLETE_TEST,
		      "run only these tests and groups"),
	FLAG_OPTION(struct selftest_args, list_tests, 0, "list-tests", "list the tests and exit"),
	{.name = NULL},
};

static const struct enum_name formats[] = {
	{SELFTEST_TABLE, "table", TONE_PLAIN, "a row for each test"},
	{SELFTEST_SVG, "svg", TONE_PLAIN, "charts of what was measured, as a picture"},
	{0, NULL},
};

const struct option_row selftest_measure_options[] = {
	FLAG_OPTION(struct selftest_args, latency, 0, "latency",
		    "only measure latency, thoroughly"),
	FLAG_OPTION(struct selftest_args, bandwidth, 0, "bandwidth",
		    "only measure bandwidth, thoroughly"),
	CHOICES_OPTION(struct selftest_args, operations, 0, "operations", "LIST", operations,
		       "measure only these: send, write, read, atomic"),
	STRING_OPTION(struct selftest_args, sizes, 0, "sizes", "LIST", COMPLETE_NOTHING,
		      "measure messages of these sizes: 2,4k,1m"),
	FLAG_OPTION(struct selftest_args, all_sizes, 0, "all-sizes",
		    "measure the powers of two from 2 bytes to 8 MiB"),
	NUMBER_OPTION(COUNT, struct selftest_args, iterations, 0, "iterations", "N", 1,
		      PERFTEST_MOST_ITERATIONS, "number of messages to measure"),
	OPTION_ROW(DURATION, struct number, struct selftest_args, duration, 0, "duration",
		   "how long to measure each size; forever: until ^C", .metavar = "TIME",
		   .least = 1, .most = LIMIT_MSEC, .choices = durations,
		   .completion = COMPLETE_CHOICE),
	NUMBER_OPTION(COUNT, struct selftest_args, queue_pairs, 0, "qps", "N", 1, LIMIT_QPS,
		      "bandwidth: number of queue pairs"),
	NUMBER_OPTION(
		COUNT, struct selftest_args, depth, 0, "depth", "N", 1, LIMIT_DEPTH,
		"bandwidth: messages outstanding on each queue pair; or connections under way"),
	NUMBER_OPTION(COUNT, struct selftest_args, batch, 0, "batch", "N", 1, LIMIT_DEPTH,
		      "bandwidth: work requests posted at once"),
	NUMBER_OPTION(COUNT, struct selftest_args, connections, 0, "connections", "N", 1,
		      LIMIT_CONNECTIONS,
		      "only measure connections: N at a time, how many a second, with percentiles"),
	REAL_OPTION(struct selftest_args, expect_gbps, 0, "expect-gbps", "N",
		    "fail a bandwidth below N Gb/s"),
	REAL_OPTION(struct selftest_args, expect_usec, 0, "expect-usec", "N",
		    "fail a median latency above N microseconds"),
	STRING_OPTION(struct selftest_args, block_bytes, 0, "block-size", "LIST", COMPLETE_NOTHING,
		      "gather: sizes of a block: 64,256,4k"),
	STRING_OPTION(struct selftest_args, block_count, 0, "block-count", "LIST", COMPLETE_NOTHING,
		      "gather: numbers of blocks, with each size: 2,8,30"),
	NUMBER_OPTION(SIZE, struct selftest_args, stride, 0, "stride", "SIZE", 1, LIMIT_BYTES,
		      "gather: distance between the starts of two blocks"),
	CHOICE_OPTION(struct selftest_args, format, 0, "format", "FORMAT", formats,
		      "table, or svg: charts of what was measured"),
	{.name = NULL},
};

const struct option_row selftest_ways_options[] = {
	CHOICE_OPTION(struct selftest_args, transport, 0, "transport", "WORD",
		      selftest_transport_names,
		      "measure reliable (rc) or unreliable connections (uc), datagrams (ud)"),
	FLAG_OPTION(struct selftest_args, both_ways, 0, "both-ways",
		    "bandwidth: both sides send at once"),
	FLAG_OPTION(struct selftest_args, reversed, 0, "reversed",
		    "bandwidth: data flow from the peer"),
	NUMBER_OPTION(COUNT, struct selftest_args, signal_every, 0, "signal-every", "N", 1,
		      LIMIT_DEPTH, "bandwidth: one completion for N messages"),
	NUMBER_OPTION(SIZE, struct selftest_args, inline_bytes, 0, "inline", "SIZE", 0,
		      LIMIT_INLINE, "send messages up to this size inline; 0: none"),
	FLAG_OPTION(struct selftest_args, events, 0, "events",
		    "sleep until completions come, instead of polling"),
	FLAG_OPTION(struct selftest_args, cpu, 0, "cpu", "show the processor time of both sides"),
	NUMBER_OPTION(DURATION, struct selftest_args, every, 0, "every", "TIME", 100, LIMIT_MSEC,
		      "--duration: a row for each interval, then one for all"),
	STRING_OPTION(struct selftest_args, samples, 0, "samples", "FILE", COMPLETE_FILE,
		      "write each latency to this file, in nanoseconds"),
	FLAG_OPTION(struct selftest_args, strict_order, 0, "no-relaxed",
		    "memory without relaxed ordering of PCIe"),
	REAL_OPTION(struct selftest_args, expect_mops, 0, "expect-mops", "N",
		    "fail a bandwidth of less than N million messages a second"),
	{.name = NULL},
};

const struct option_row selftest_path_options[] = {
	CHOICE_OPTION(struct selftest_args, mtu, 0, "mtu", "BYTES", mtus,
		      "path MTU of the queue pairs, if the ports support it"),
	STRING_OPTION(struct selftest_args, tclass, 0, "tclass", "N", COMPLETE_NOTHING,
		      "traffic class of the packets: DSCP * 4, and ECN"),
	STRING_OPTION(struct selftest_args, dscp, 0, "dscp", "NAME", COMPLETE_NOTHING,
		      "the same as a DSCP with ECN: a number, or EF, AF31, CS3 ..."),
	STRING_OPTION(struct selftest_args, tos, 0, "tos", "N", COMPLETE_NOTHING,
		      "the same, as rdma_cm's programs call it"),
	NUMBER_OPTION(COUNT, struct selftest_args, sl, 0, "sl", "N", 0, 15,
		      "service level; on RoCE in a VLAN its priority"),
	STRING_OPTION(struct selftest_args, flow_label, 0, "flow-label", "N", COMPLETE_NOTHING,
		      "flow label of the packets, up to 0xfffff"),
	NUMBER_OPTION(COUNT, struct selftest_args, source_port, 0, "source-port", "N",
		      FIRST_SOURCE_PORT, UINT16_MAX,
		      "UDP source port of RoCE v2, where the driver makes it of the flow label"),
	NUMBER_OPTION(COUNT, struct selftest_args, hop_limit, 0, "hop-limit", "N", 1, 255,
		      "hop limit of the packets (64), but on RoCE, where the route has it"),
	STRING_OPTION(struct selftest_args, pkey, 0, "pkey", "KEY", COMPLETE_NOTHING,
		      "P_Key of the queue pairs on both sides: 0x8001"),
	NUMBER_OPTION(COUNT, struct selftest_args, pkey_index, 0, "pkey-index", "N", 0, 65535,
		      "its index in the table of both sides"),
	NUMBER_OPTION(COUNT, struct selftest_args, ack_timeout, 0, "ack-timeout", "CODE", 0, 31,
		      "time for an answer: 4.096 us * 2 ^ CODE (14: 67 ms), 0 for no end"),
	NUMBER_OPTION(COUNT, struct selftest_args, retries, 0, "retries", "N", 0, 7,
		      "how often a packet without an answer is sent again (6)"),
	NUMBER_OPTION(COUNT, struct selftest_args, rnr_retries, 0, "rnr-retries", "N", 0, 7,
		      "the same for a receiver that is not ready (7: without end)"),
	{.name = NULL},
};

const struct option_rule selftest_rules[] = {
	OPTIONS_EXCLUDE("peer " SELFTEST_CLIENT_ONLY, "serve", NULL),
	OPTIONS_NEED("bind once " SELFTEST_SERVER_ONLY, "serve", NULL),
	OPTIONS_NEED("peer-device peer-gid-index all-ports", "peer", NULL),
	OPTIONS_EXCLUDE("all-ports",
			"peer-device peer-gid-index all-gids list-tests test latency connections "
			"cpu every samples expect-mops",
			NULL),
	OPTIONS_NEED("port token", "peer serve", NULL),
	OPTIONS_NEED("proto", "peer serve group group-gid", NULL),
	OPTIONS_ONE_OF("group group-gid", NULL),
	OPTIONS_EXCLUDE(SELFTEST_GROUP_OPTIONS, "peer", NULL),
	OPTIONS_NEED("send-only no-loopback", "group group-gid", NULL),
	OPTIONS_EXCLUDE("send-only", "serve", NULL),
	OPTIONS_ONE_OF("sizes all-sizes", NULL),
	OPTIONS_ONE_OF("iterations duration", NULL),
	OPTIONS_ONE_OF("both-ways reversed", NULL),
	OPTIONS_NEED("every", "duration", NULL),
	OPTIONS_ONE_OF("tclass dscp tos", NULL),
	OPTIONS_ONE_OF("pkey pkey-index", NULL),
	OPTIONS_ONE_OF("flow-label source-port", NULL),
	OPTIONS_EXCLUDE("format", "json jsonl tsv columns no-headings list-tests all-gids", NULL),
	OPTIONS_EXCLUDE(SELFTEST_EXCHANGE_ONLY " mtu", "cm", NULL),
	OPTIONS_EXCLUDE("test", "latency bandwidth", NULL),
	OPTIONS_EXCLUDE("connections", "test latency bandwidth", NULL),
	OPTIONS_EXCLUDE(
		"gid-index list-tests test latency bandwidth operations sizes all-sizes iterations "
		"duration qps depth batch connections expect-gbps expect-usec block-size "
		"block-count stride " SELFTEST_WAYS,
		"all-gids", NULL),
	{.options = NULL},
};
