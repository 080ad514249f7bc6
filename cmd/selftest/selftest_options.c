/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of rdmactl selftest, one table per subject, and which of them always clash. */
#include "cmd/selftest/selftest_run.h"

/* The limit of perftest 4.5; later releases allow more. */
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

/* Options without a letter. */
#define ARGS			 struct selftest_args
#define FLAG(member, name, help) FLAG_OPTION(ARGS, member, 0, name, help)
#define TEXT(member, name, metavar, help) \
	STRING_OPTION(ARGS, member, 0, name, metavar, COMPLETE_NOTHING, help)
#define COUNT(member, name, least, most, help) \
	NUMBER_OPTION(COUNT, ARGS, member, 0, name, "N", least, most, help)

const struct option_row selftest_options[] = {
	STRING_OPTION(ARGS, request.peer, 0, "peer", "HOST", COMPLETE_HOST,
		      "test with this host, where rdmactl selftest --serve runs"),
	TEXT(peer_device, "peer-device", "DEV/PORT",
	     "--peer: the port that the peer uses; DEV alone: its first active one"),
	FLAG(request.server, "serve", "serve the tests of other hosts"),
	CHOICE_OPTION(ARGS, protocol, 0, "proto", "PROTOCOL", selftest_protocols,
		      "program that the peer runs: rdmactl, a pingpong, rping, perftest ..."),
	FLAG(request.by_cm, "cm", "connect queue pairs with rdma_cm"),
	COUNT(port, "port", 1, UINT16_MAX,
	      "TCP port of the exchange, or the port of rdma_cm programs"),
	TEXT(group, "group", "ADDR", "mckey: the multicast group; with --serve receive, else send"),
	TEXT(group_gid, "group-gid", "GID",
	     "mckey: the group as a GID that is not an IP address (mckey -M)"),
	FLAG(request.group.send_only, "send-only", "mckey: join the group as a sender only"),
	FLAG(request.group.no_loopback, "no-loopback",
	     "mckey: do not receive packets that it sends"),
	TEXT(request.token, "token", "WORD",
	     "token that the server requires; RDMACTL_TOKEN keeps it out of ps"),
	TEXT(bind, "bind", "ADDR", "--serve: listen on this address only"),
	TEXT(allow, "allow", "LIST",
	     "--serve: only clients of these networks: 10.0.0.0/8,fd00::/8"),
	FLAG(request.once, "once", "--serve: end after one client"),
	COUNT(most_clients, "max-clients", 1, SERVER_MOST_CLIENTS,
	      "--serve: maximum number of clients at a time (16)"),
	/* Words are completed; a number may follow them, and a server takes a size instead. */
	OPTION_ROW(STRING, const char *, ARGS, memory, 0, "memory",
		   "kind of buffers: huge, odp, dmabuf:FROM; --serve: SIZE for all clients (1g)",
		   .metavar = "KIND", .choices = selftest_memory_names,
		   .completion = COMPLETE_CHOICE),
	OPTION_ROW(STRING, const char *, ARGS, peer_memory, 0, "peer-memory",
		   "the same on the other side: pages, huge, odp, dmabuf:FROM", .metavar = "KIND",
		   .choices = selftest_memory_names, .completion = COMPLETE_CHOICE),
	NUMBER_OPTION(DURATION, ARGS, longest, 0, "longest", "TIME", 1, LIMIT_MSEC,
		      "--serve: longest measurement that a client may have (60s)"),
	NUMBER_OPTION(DURATION, ARGS, idle, 0, "idle", "TIME", 1, SERVER_MOST_IDLE,
		      "--serve: drop a client that is silent for this long (10m)"),
	COUNT(gid_index, "gid-index", 0, LIMIT_GID_INDEX, "use this entry of the GID table"),
	COUNT(request.peer_gid_index, "peer-gid-index", 0, LIMIT_GID_INDEX,
	      "--peer: the entry that the peer uses"),
	FLAG(request.gid_only, "all-gids", "test each entry of the GID table, one row each"),
	FLAG(all_ports, "all-ports",
	     "--peer: all ports and their counterparts, one by one and all at once"),
	STRING_OPTION(ARGS, tests, 0, "test", "LIST", COMPLETE_TEST,
		      "run only these tests and groups"),
	FLAG(list_tests, "list-tests", "list the tests and exit"),
	{.name = NULL},
};

static const struct enum_name formats[] = {
	{SELFTEST_TABLE, "table", TONE_PLAIN, "a row for each test"},
	{SELFTEST_SVG, "svg", TONE_PLAIN, "charts of what was measured, as a picture"},
	{0, NULL},
};

const struct option_row selftest_measure_options[] = {
	FLAG(request.latency, "latency", "only measure latency, in detail"),
	FLAG(request.bandwidth, "bandwidth", "only measure bandwidth, in detail"),
	CHOICES_OPTION(ARGS, operations, 0, "operations", "LIST", operations,
		       "measure only these: send, write, read, atomic"),
	TEXT(sizes, "sizes", "LIST", "measure messages of these sizes: 2,4k,1m"),
	FLAG(all_sizes, "all-sizes", "measure the powers of two from 2 bytes to 8 MiB"),
	COUNT(iterations, "iterations", 1, PERFTEST_MOST_ITERATIONS,
	      "number of messages to measure"),
	OPTION_ROW(DURATION, struct number, ARGS, duration, 0, "duration",
		   "how long to measure each size; forever: until interrupted", .metavar = "TIME",
		   .least = 1, .most = LIMIT_MSEC, .choices = durations,
		   .completion = COMPLETE_CHOICE),
	COUNT(queue_pairs, "qps", 1, LIMIT_QPS, "bandwidth: number of queue pairs"),
	COUNT(depth, "depth", 1, LIMIT_DEPTH,
	      "bandwidth: messages outstanding on each queue pair; or connections under way"),
	COUNT(batch, "batch", 1, LIMIT_DEPTH, "bandwidth: work requests posted at once"),
	COUNT(connections, "connections", 1, LIMIT_CONNECTIONS,
	      "only measure connections: N at a time, how many a second, with percentiles"),
	REAL_OPTION(ARGS, expect_gbps, 0, "expect-gbps", "N", "fail a bandwidth below N Gb/s"),
	REAL_OPTION(ARGS, expect_usec, 0, "expect-usec", "N",
		    "fail a median latency above N microseconds"),
	TEXT(block_bytes, "block-size", "LIST", "gather: sizes of a block: 64,256,4k"),
	TEXT(block_count, "block-count", "LIST",
	     "gather: numbers of blocks, with each size: 2,8,30"),
	NUMBER_OPTION(SIZE, ARGS, stride, 0, "stride", "SIZE", 1, LIMIT_BYTES,
		      "gather: distance between the starts of two blocks"),
	CHOICE_OPTION(ARGS, format, 0, "format", "FORMAT", formats,
		      "table, or svg: charts of the results"),
	{.name = NULL},
};

const struct option_row selftest_ways_options[] = {
	CHOICE_OPTION(ARGS, transport, 0, "transport", "WORD", selftest_transport_names,
		      "how to measure: connections (rc, uc or xrc) or datagrams (ud)"),
	FLAG(both_ways, "both-ways", "bandwidth: both sides send at once"),
	FLAG(reversed, "reversed", "bandwidth: data flow from the peer"),
	COUNT(request.ways.signal_every, "signal-every", 1, LIMIT_DEPTH,
	      "bandwidth: one completion for N messages"),
	NUMBER_OPTION(SIZE, ARGS, request.ways.inline_bytes, 0, "inline", "SIZE", 0, LIMIT_INLINE,
		      "send messages up to this size inline; 0: none"),
	FLAG(request.ways.by_events, "events",
	     "sleep until completions arrive, instead of polling"),
	FLAG(request.ways.cpu, "cpu", "show the processor time of both sides"),
	NUMBER_OPTION(DURATION, ARGS, every, 0, "every", "TIME", 100, LIMIT_MSEC,
		      "--duration: a row for each interval, then one for the total"),
	STRING_OPTION(ARGS, samples, 0, "samples", "FILE", COMPLETE_FILE,
		      "write each latency to this file, in nanoseconds"),
	FLAG(request.ways.in_order, "no-relaxed", "memory without relaxed ordering of PCIe"),
	REAL_OPTION(ARGS, expect_mops, 0, "expect-mops", "N",
		    "fail a bandwidth of less than N million messages a second"),
	{.name = NULL},
};

const struct option_row selftest_path_options[] = {
	CHOICE_OPTION(ARGS, mtu, 0, "mtu", "BYTES", mtus,
		      "path MTU of the queue pairs, if the ports support it"),
	TEXT(tclass, "tclass", "N", "traffic class of the packets: DSCP * 4, and ECN"),
	TEXT(dscp, "dscp", "NAME", "the same as a DSCP with ECN: a number, or EF, AF31, CS3 ..."),
	TEXT(tos, "tos", "N", "the same under the name that rdma_cm programs use"),
	COUNT(request.path.sl, "sl", 0, 15, "service level; on RoCE in a VLAN its priority"),
	TEXT(flow_label, "flow-label", "N", "flow label of the packets, up to 0xfffff"),
	COUNT(source_port, "source-port", FIRST_SOURCE_PORT, UINT16_MAX,
	      "UDP source port of RoCE v2, if the driver derives it from the flow label"),
	COUNT(request.path.hop_limit, "hop-limit", 1, 255,
	      "hop limit of the packets (64), except on RoCE, where the route sets it"),
	TEXT(pkey, "pkey", "KEY", "P_Key of the queue pairs on both sides: 0x8001"),
	COUNT(request.path.pkey_index, "pkey-index", 0, 65535,
	      "its index in the table of both sides"),
	NUMBER_OPTION(COUNT, ARGS, request.ack_timeout, 0, "ack-timeout", "CODE", 0, 31,
		      "ACK timeout: 4.096 us * 2 ^ CODE (14: 67 ms); 0: infinite"),
	COUNT(request.retries, "retries", 0, 7,
	      "how often an unacknowledged packet is sent again (6)"),
	COUNT(request.rnr_retries, "rnr-retries", 0, 7,
	      "the same for a receiver that is not ready (7: forever)"),
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
