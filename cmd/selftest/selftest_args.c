/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/selftest/selftest_run.h"

#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/command.h"

/* The limit of perftest. */
#define PERFTEST_MOST_ITERATIONS 100000000
#define SERVER_MOST_CLIENTS	 256
/* Room for a client, and for more than any host has. */
#define SERVER_LEAST_MEMORY (UINT64_C(64) << 20)
#define SERVER_MOST_MEMORY  (UINT64_C(1) << 40)
#define SERVER_MOST_IDLE    (24 * UINT64_C(3600000))
/* Those of --serve that programs of rdma-core do not have. */
#define OWN_SERVER_ONLY "allow max-clients memory longest idle"
/* --all-sizes, as perftest's -a: 2 to 8 MiB. */
#define FIRST_SIZE_SHIFT 1
#define LAST_SIZE_SHIFT	 23

static const struct enum_name protocols[] = {
	{PROTOCOL_RDMACTL, "rdmactl", TONE_PLAIN, "rdmactl selftest"},
	{PROTOCOL_PINGPONG, "pingpong", TONE_PLAIN, "ibv_rc_pingpong of rdma-core"},
	{PROTOCOL_RPING, "rping", TONE_PLAIN, "rping of rdma-core"},
	{0, NULL},
};

static const struct enum_name operations[] = {
	{SELFTEST_SEND, "send"},
	{SELFTEST_WRITE, "write"},
	{SELFTEST_READ, "read"},
	{SELFTEST_ATOMIC, "atomic"},
	{0, NULL},
};

/* All path MTUs: InfiniBand Architecture Specification volume 1, 9.2.4. */
static const struct enum_name mtus[] = {
	{256, "256"}, {512, "512"}, {1024, "1024"}, {2048, "2048"}, {4096, "4096"}, {0, NULL},
};

const struct option_row selftest_options[] = {
	STRING_OPTION(struct selftest_args, peer, 0, "peer", "HOST", COMPLETE_NOTHING,
		      "test with this host, where rdmactl selftest --serve runs"),
	STRING_OPTION(struct selftest_args, peer_device, 0, "peer-device", "DEV/PORT",
		      COMPLETE_NOTHING,
		      "--peer: the port that the peer uses; DEV alone: its first active one"),
	FLAG_OPTION(struct selftest_args, serve, 0, "serve", "serve the tests of other hosts"),
	CHOICE_OPTION(struct selftest_args, protocol, 0, "proto", "PROTOCOL", protocols,
		      "what the peer runs: rdmactl, pingpong (ibv_rc_pingpong) or rping"),
	FLAG_OPTION(struct selftest_args, cm, 0, "cm", "connect queue pairs with rdma_cm"),
	NUMBER_OPTION(COUNT, struct selftest_args, port, 0, "port", "N", 1, UINT16_MAX,
		      "TCP port of the exchange, or the port of rping"),
	STRING_OPTION(struct selftest_args, token, 0, "token", "WORD", COMPLETE_NOTHING,
		      "token that the server requires; RDMACTL_TOKEN keeps it out of ps"),
	STRING_OPTION(struct selftest_args, bind, 0, "bind", "ADDR", COMPLETE_NOTHING,
		      "--serve: listen on this address only"),
	STRING_OPTION(struct selftest_args, allow, 0, "allow", "LIST", COMPLETE_NOTHING,
		      "--serve: only clients of these networks: 10.0.0.0/8,fd00::/8"),
	FLAG_OPTION(struct selftest_args, once, 0, "once", "--serve: end after one client"),
	NUMBER_OPTION(COUNT, struct selftest_args, most_clients, 0, "max-clients", "N", 1,
		      SERVER_MOST_CLIENTS, "--serve: most clients at the same time (16)"),
	NUMBER_OPTION(SIZE, struct selftest_args, memory, 0, "memory", "SIZE", SERVER_LEAST_MEMORY,
		      SERVER_MOST_MEMORY, "--serve: memory for all clients together (1g)"),
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
	STRING_OPTION(struct selftest_args, tests, 0, "test", "LIST", COMPLETE_TEST,
		      "run only these tests and groups"),
	FLAG_OPTION(struct selftest_args, list_tests, 0, "list-tests", "list the tests and exit"),
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
	NUMBER_OPTION(DURATION, struct selftest_args, duration, 0, "duration", "TIME", 1,
		      LIMIT_MSEC, "how long to measure each size"),
	NUMBER_OPTION(COUNT, struct selftest_args, queue_pairs, 0, "qps", "N", 1, LIMIT_QPS,
		      "bandwidth: number of queue pairs"),
	NUMBER_OPTION(COUNT, struct selftest_args, depth, 0, "depth", "N", 1, LIMIT_DEPTH,
		      "bandwidth: messages outstanding on each queue pair"),
	NUMBER_OPTION(COUNT, struct selftest_args, batch, 0, "batch", "N", 1, LIMIT_DEPTH,
		      "bandwidth: work requests posted at once"),
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
	REAL_OPTION(struct selftest_args, expect_gbps, 0, "expect-gbps", "N",
		    "fail a bandwidth below N Gb/s"),
	REAL_OPTION(struct selftest_args, expect_usec, 0, "expect-usec", "N",
		    "fail a median latency above N microseconds"),
	NUMBER_OPTION(SIZE, struct selftest_args, block_bytes, 0, "block-size", "SIZE", 1,
		      LIMIT_BYTES, "gather: size of a block"),
	NUMBER_OPTION(COUNT, struct selftest_args, block_count, 0, "block-count", "N", 1,
		      LIMIT_BYTES, "gather: number of blocks"),
	NUMBER_OPTION(SIZE, struct selftest_args, stride, 0, "stride", "SIZE", 1, LIMIT_BYTES,
		      "gather: distance between the starts of two blocks"),
	{.name = NULL},
};

/* What the queue pairs that the exchange connects are told, and what rdma_cm chooses itself. */
#define EXCHANGE_ONLY "sl flow-label hop-limit pkey pkey-index ack-timeout"
#define PATH_OPTIONS  "tclass dscp tos retries rnr-retries " EXCHANGE_ONLY

#define CLIENT_ONLY                                                                           \
	"cm peer-device peer-gid-index all-gids test latency bandwidth operations all-sizes " \
	"duration qps depth "                                                                 \
	"batch expect-gbps expect-usec block-size block-count stride " PATH_OPTIONS

const struct option_rule selftest_rules[] = {
	OPTIONS_EXCLUDE("peer " CLIENT_ONLY, "serve", NULL),
	OPTIONS_NEED("bind once " OWN_SERVER_ONLY, "serve", NULL),
	OPTIONS_NEED("peer-device peer-gid-index", "peer", NULL),
	OPTIONS_NEED("proto port token", "peer serve", NULL),
	OPTIONS_ONE_OF("sizes all-sizes", NULL),
	OPTIONS_ONE_OF("iterations duration", NULL),
	OPTIONS_ONE_OF("tclass dscp tos", NULL),
	OPTIONS_ONE_OF("pkey pkey-index", NULL),
	OPTIONS_EXCLUDE(EXCHANGE_ONLY, "cm", NULL),
	OPTIONS_EXCLUDE("test", "latency bandwidth", NULL),
	OPTIONS_EXCLUDE(
		"gid-index list-tests test latency bandwidth operations sizes all-sizes iterations "
		"duration qps depth batch expect-gbps expect-usec block-size block-count stride",
		"all-gids", NULL),
	{.options = NULL},
};

/* Other clashes depend on the value of --proto, and on the selected tests. */

#define GROUP(name) (1u << SELFTEST_##name)
#define MEASURES    (GROUP(LATENCY) | GROUP(BANDWIDTH))

/* Options for tests of these groups only. */
static const struct group_option {
	const char *name;
	unsigned int groups;
} group_options[] = {
	{"operations", MEASURES},
	{"sizes", MEASURES},
	{"all-sizes", MEASURES},
	{"iterations", MEASURES},
	{"duration", MEASURES},
	{"qps", GROUP(BANDWIDTH)},
	{"depth", GROUP(BANDWIDTH)},
	{"batch", GROUP(BANDWIDTH)},
	{"expect-gbps", GROUP(BANDWIDTH)},
	{"expect-usec", GROUP(LATENCY)},
	{"block-size", GROUP(GATHER)},
	{"block-count", GROUP(GATHER)},
	{"stride", GROUP(GATHER)},
};

static bool is_given(const struct selftest_args *args, const char *name)
{
	for (const struct option_row *row = selftest_options; row->name; row++)
		if (!strcmp(row->name, name))
			return option_given(row, args);
	return false;
}

/* The first given option of a list, or NULL; the caller frees it. */
static char *find_given(const struct selftest_args *args, const char *names)
{
	_cleanup_(freep) char *list = mem_string(names);
	char *rest = list;

	for (char *name; (name = strsep(&rest, " "));)
		if (is_given(args, name))
			return mem_string(name);
	return NULL;
}

/* Programs of rdma-core take fewer options, and a server of rdmactl takes those from its clients.
 */
static char *check_protocol(const struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	_cleanup_(freep) char *name = NULL;

	if (plan->protocol == PROTOCOL_RDMACTL) {
		name = args->serve ? find_given(args, "sizes iterations mtu") : NULL;
		return name ? mem_format("--%s cannot be used with --serve", name) : NULL;
	}
	name = find_given(args, CLIENT_ONLY " token " OWN_SERVER_ONLY);
	if (name)
		return mem_format("--%s cannot be used with --proto %s", name,
				  enum_word(protocols, plan->protocol, ""));
	if (args->mtu.known && plan->protocol == PROTOCOL_RPING)
		return mem_string("--mtu cannot be used with --proto rping: rdma_cm chooses it");
	return NULL;
}

/* The groups of the tests that will run. */
static unsigned int groups_of(const struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	const char *id, *group, *summary;
	unsigned int groups = 0;

	if (args->latency || args->bandwidth)
		return (args->latency ? GROUP(LATENCY) : 0) |
		       (args->bandwidth ? GROUP(BANDWIDTH) : 0);
	if (!plan->tests.count)
		return ~0u;
	for (size_t i = 0; selftest_test_name(i, &id, &group, &summary); i++)
		if (strings_contain(&plan->tests, id) || strings_contain(&plan->tests, group))
			groups |= 1u << enum_find_word(selftest_group_names, group)->value;
	return groups;
}

static char *check_groups(const struct selftest_plan *plan)
{
	unsigned int groups = groups_of(plan);

	for (size_t i = 0; i < ARRAY_SIZE(group_options); i++) {
		const struct group_option *option = &group_options[i];

		if (groups & option->groups || !is_given(plan->args, option->name))
			continue;
		return mem_format("--%s is for tests of group %s, and none of them is selected",
				  option->name,
				  option->groups == MEASURES
					  ? "latency or bandwidth"
					  : enum_word(selftest_group_names,
						      (uint64_t)__builtin_ctz(option->groups), ""));
	}
	return NULL;
}

static char *check_values(const struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;

	if (args->stride.known && args->block_bytes.known &&
	    args->stride.value < args->block_bytes.value)
		return mem_string("--stride is less than --block-size: the blocks would overlap");
	if (args->depth.known && args->batch.known && args->batch.value > args->depth.value)
		return mem_string("--batch is more than --depth");
	return check_protocol(plan);
}

static void list_names(struct strings *names)
{
	const char *id, *group, *summary;

	for (size_t i = 0; selftest_test_name(i, &id, &group, &summary); i++) {
		strings_add(names, id);
		if (!strings_contain(names, group))
			strings_add(names, group);
	}
}

static char *complain_test(const struct strings *names, const char *word, char **ret_hint)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	const char *closest = text_closest(word, (const char *const *)names->items, names->count);

	*ret_hint = closest ? mem_format("did you mean '%s'?", closest)
			    : mem_string("rdmactl selftest --list-tests lists them");
	return mem_format("--test: unknown test or group '%s'", clean);
}

static char *parse_tests(struct selftest_plan *plan, char **ret_hint)
{
	_cleanup_(freep) char *list = mem_string(plan->args->tests);
	struct strings names = {0};
	char *message = NULL, *rest = list;

	list_names(&names);
	for (char *word; !message && (word = strsep(&rest, ","));) {
		if (strings_contain(&names, word))
			strings_add(&plan->tests, word);
		else
			message = complain_test(&names, word, ret_hint);
	}
	strings_free(&names);
	return message;
}

static char *parse_sizes(struct selftest_plan *plan)
{
	struct selftest_request *request = &plan->request;
	size_t most = plan->protocol == PROTOCOL_RDMACTL ? SELFTEST_MOST_SIZES : 1;
	_cleanup_(freep) char *list = mem_string(plan->args->sizes);
	char *rest = list;

	for (char *word; (word = strsep(&rest, ","));) {
		_cleanup_(freep) char *clean = text_clean(word, strlen(word));
		uint64_t bytes;

		if (option_parse_size(word, &bytes))
			return mem_format("--sizes: '%s' is not a size (2,4k,1m)", clean);
		if (bytes > LIMIT_BYTES)
			return mem_format("--sizes: %s is more than %" PRIu64 " MiB", clean,
					  LIMIT_BYTES >> 20);
		if (request->size_count == most && most > 1)
			return mem_format("--sizes: more than %zu sizes", most);
		if (request->size_count == most)
			return mem_format("--sizes: only one size with --proto %s",
					  enum_word(protocols, plan->protocol, ""));
		request->sizes[request->size_count++] = bytes;
	}
	if (plan->protocol != PROTOCOL_RDMACTL && !request->sizes[0])
		return mem_string("--sizes: messages of 0 bytes cannot be compared");
	return NULL;
}

static char *parse_bind(struct selftest_plan *plan)
{
	const char *text = plan->args->bind, *zone = strchr(text, '%');
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	struct gid gid;

	if (ip_parse(text, &plan->bind))
		return mem_format("--bind: '%s' is not an IPv4 or IPv6 address", clean);
	plan->bind_scope = zone ? if_nametoindex(zone + 1) : 0;
	if (zone && !plan->bind_scope)
		return mem_format("--bind: the netdev in '%s' does not exist", clean);
	gid = ip_to_gid(&plan->bind);
	if (plan->bind.family == AF_INET6 && gid_is_link_local(&gid) && !zone)
		return mem_format("--bind: %s is a link-local address: add its netdev, %s%%NETDEV",
				  clean, clean);
	return NULL;
}

static char *parse_allow(struct selftest_plan *plan)
{
	_cleanup_(freep) char *list = mem_string(plan->args->allow);
	char *rest = list;

	for (char *word; (word = strsep(&rest, ","));) {
		_cleanup_(freep) char *clean = text_clean(word, strlen(word));
		struct ip_network network;

		if (ip_network_parse(word, &network))
			return mem_format("--allow: '%s' is not a network (10.0.0.0/8,fd00::/8)",
					  clean);
		*(struct ip_network *)mem_append(&plan->allowed, &plan->allowed_count,
						 sizeof(network)) = network;
	}
	return NULL;
}

/* DEV or DEV/PORT of another host: nothing here can tell whether they exist. */
static char *parse_peer_device(struct selftest_plan *plan)
{
	const char *text = plan->args->peer_device, *slash = strrchr(text, '/');
	const size_t length = slash ? (size_t)(slash - text) : strlen(text);
	uint64_t port = 0;

	if (!length || length >= sizeof(((struct endpoint *)0)->device) ||
	    (slash && (text_parse_u64(slash + 1, 10, UINT8_MAX, &port) || !port))) {
		_cleanup_(freep) char *clean = text_clean(text, strlen(text));

		return mem_format("--peer-device: '%s' is neither DEV nor DEV/PORT", clean);
	}
	plan->peer_device = mem_format("%.*s", (int)length, text);
	plan->request.peer_device = plan->peer_device;
	plan->request.peer_port = (uint32_t)port;
	return NULL;
}

/* An empty one is a variable that was lost, and would let everyone in. */
static char *find_token(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	const char *word = args->token ? args->token : getenv("RDMACTL_TOKEN");
	const char *name = args->token ? "--token" : "RDMACTL_TOKEN";

	if (!args->peer && !args->serve)
		return NULL;
	if (word && !*word) {
		*ret_hint = mem_format("give it a value, or %s to use no token",
				       args->token ? "leave out --token" : "unset RDMACTL_TOKEN");
		return mem_format("%s: the token is empty", name);
	}
	if (word && strlen(word) > LIMIT_TOKEN)
		return mem_format("%s: the token is longer than %u bytes", name, LIMIT_TOKEN);
	plan->token = word;
	return NULL;
}

static void fill_request(struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	struct selftest_request *request = &plan->request;

	if (args->all_sizes)
		for (int i = FIRST_SIZE_SHIFT; i <= LAST_SIZE_SHIFT; i++)
			request->sizes[request->size_count++] = UINT64_C(1) << i;
	request->peer = args->peer;
	request->tcp_port = (uint32_t)args->port.value;
	request->token = plan->token;
	request->by_cm = args->cm;
	request->gid_only = args->all_gids;
	request->tests = (const char *const *)plan->tests.items;
	request->test_count = plan->tests.count;
	request->latency = args->latency;
	request->bandwidth = args->bandwidth;
	request->operations = (unsigned int)args->operations.value;
	request->iterations = args->iterations.value;
	request->duration_msec = args->duration.value;
	request->queue_pairs = (uint32_t)args->queue_pairs.value;
	request->depth = (uint32_t)args->depth.value;
	request->batch = (uint32_t)args->batch.value;
	request->block_bytes = args->block_bytes.value;
	request->block_count = args->block_count.value;
	request->stride = args->stride.value;
	request->mtu_bytes = (uint32_t)args->mtu.value;
	request->peer_gid_index = args->peer_gid_index;
	request->expect_gbps = args->expect_gbps.value;
	request->expect_usec = args->expect_usec.value;
	request->signals = -1;
}

bool selftest_plan_make(struct selftest_plan *plan, const struct selftest_args *args,
			char **ret_message, char **ret_hint)
{
	char *message, *hint = NULL;

	*plan = (struct selftest_plan){
		.args = args,
		.protocol = (enum selftest_protocol)args->protocol.value,
	};
	message = check_values(plan);
	if (!message && args->tests)
		message = parse_tests(plan, &hint);
	if (!message)
		message = check_groups(plan);
	if (!message && args->sizes)
		message = parse_sizes(plan);
	if (!message && args->bind)
		message = parse_bind(plan);
	if (!message && args->allow)
		message = parse_allow(plan);
	if (!message && args->peer_device)
		message = parse_peer_device(plan);
	if (!message)
		message = selftest_parse_path(plan, &hint);
	if (!message)
		message = find_token(plan, &hint);
	if (message) {
		selftest_plan_free(plan);
		*ret_message = message;
		*ret_hint = hint ? hint : mem_string("rdmactl selftest --help");
		return false;
	}
	fill_request(plan);
	return true;
}

void selftest_plan_free(struct selftest_plan *plan)
{
	strings_free(&plan->tests);
	free(plan->peer_device);
	plan->peer_device = NULL;
	free(plan->allowed);
	plan->allowed = NULL;
	plan->allowed_count = 0;
}
