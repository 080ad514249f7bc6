/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/selftest/selftest_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/command.h"
#include "host/endpoint/gid_choice.h"
#include "mad/format/mad.h"
#include "roce/tos.h"

/* The sizes of --all-sizes, as with perftest's -a: 2 bytes to 8 MiB. */
#define FIRST_SIZE_SHIFT 1
#define LAST_SIZE_SHIFT	 23

/* Unlike selftest_rules, these clashes depend on the value of --proto, or on the selected tests. */

#define GROUP(name) (1u << SELFTEST_##name)
#define MEASURES    (GROUP(LATENCY) | GROUP(BANDWIDTH))

/* Options that only tests of these groups use. */
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
	{"depth", GROUP(BANDWIDTH) | GROUP(CONNECT)},
	{"batch", GROUP(BANDWIDTH)},
	{"expect-gbps", GROUP(BANDWIDTH)},
	{"expect-usec", GROUP(LATENCY)},
	{"expect-mops", GROUP(BANDWIDTH)},
	{"transport", MEASURES},
	{"both-ways", GROUP(BANDWIDTH)},
	{"reversed", GROUP(BANDWIDTH)},
	{"signal-every", GROUP(BANDWIDTH)},
	{"inline", MEASURES},
	{"events", MEASURES},
	{"cpu", MEASURES},
	{"every", MEASURES},
	{"samples", GROUP(LATENCY)},
	{"no-relaxed", MEASURES},
	{"block-size", GROUP(GATHER)},
	{"block-count", GROUP(GATHER)},
	{"stride", GROUP(GATHER)},
};

char *selftest_complain(const char *option, const char *text, const char *what)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));

	return mem_format("--%s: '%s' %s", option, clean, what);
}

bool selftest_is_given(const struct selftest_args *args, const char *name)
{
	const struct option_row *const tables[] = {selftest_options, selftest_measure_options,
						   selftest_ways_options, selftest_path_options};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct option_row *row = tables[i]; row->name; row++)
			if (!strcmp(row->name, name))
				return option_given(row, args);
	return false;
}

static unsigned int groups_of(const struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	enum selftest_group group;
	const char *id, *summary;
	unsigned int groups = 0;

	if (args->connections.known)
		return GROUP(CONNECT);
	if (args->all_ports)
		return GROUP(BANDWIDTH);
	if (args->request.latency || args->request.bandwidth)
		return (args->request.latency ? GROUP(LATENCY) : 0) |
		       (args->request.bandwidth ? GROUP(BANDWIDTH) : 0);
	if (!plan->tests.count)
		return ~0u;
	for (size_t i = 0; selftest_test(i, &id, &group, &summary); i++)
		if (strings_contain(&plan->tests, id) ||
		    strings_contain(&plan->tests, enum_word(selftest_group_names, group, "")))
			groups |= 1u << group;
	return groups;
}

static char *check_groups(const struct selftest_plan *plan)
{
	unsigned int groups = groups_of(plan);

	for (size_t i = 0; i < ARRAY_SIZE(group_options); i++) {
		const struct group_option *option = &group_options[i];

		if (groups & option->groups || !selftest_is_given(plan->args, option->name))
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

	if (args->depth.known && args->batch.known && args->batch.value > args->depth.value)
		return mem_string("--batch is more than --depth");
	if (args->all_ports && args->duration.value > LIMIT_MSEC)
		return mem_string("--all-ports: the measurement of each port alone must end");
	if (args->connections.known && args->depth.value > LIMIT_AT_ONCE)
		return mem_format("--depth: no more than %u connections can be under way at once",
				  LIMIT_AT_ONCE);
	return selftest_check_protocol(plan);
}

static char *complain_test(const struct strings *names, const char *word, char **ret_hint)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));

	*ret_hint = text_suggest(word, (const char *const *)names->items, names->count,
				 "rdmactl selftest --list-tests lists them");
	return mem_format("--test: unknown test or group '%s'", clean);
}

static char *parse_tests(struct selftest_plan *plan, char **ret_hint)
{
	_cleanup_(freep) char *list = mem_string_or_null(plan->args->tests);
	_cleanup_(strings_free) struct strings names = {0};
	char *message = NULL, *rest = list;

	if (list)
		selftest_test_names(&names);
	for (char *word; !message && (word = strsep(&rest, ","));) {
		if (strings_contain(&names, word))
			strings_add(&plan->tests, word);
		else
			message = complain_test(&names, word, ret_hint);
	}
	return message;
}

static char *parse_sizes(struct selftest_plan *plan)
{
	struct selftest_request *request = &plan->request;
	size_t most = plan->protocol == PROTOCOL_RDMACTL ? SELFTEST_MOST_SIZES : 1;
	_cleanup_(freep) char *list = mem_string_or_null(plan->args->sizes);
	char *rest = list;

	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t bytes;
		const int rc = option_parse_size(word, &bytes);

		if (rc == -EINVAL)
			return selftest_complain("sizes", word, "is not a size (2,4k,1m)");
		if (rc || bytes > LIMIT_BYTES)
			return mem_format("--sizes: %s is more than %" PRIu64 " MiB", word,
					  LIMIT_BYTES >> 20);
		if (request->size_count == most && most > 1)
			return mem_format("--sizes: more than %zu sizes", most);
		if (request->size_count == most)
			return mem_format("--sizes: only one size with --proto %s",
					  enum_word(selftest_protocols, plan->protocol, ""));
		request->sizes[request->size_count++] = bytes;
	}
	if (plan->protocol != PROTOCOL_RDMACTL && request->size_count && !request->sizes[0])
		return mem_string("--sizes: messages of 0 bytes cannot be compared");
	return NULL;
}

static char *parse_bind(struct selftest_plan *plan)
{
	const char *text = plan->args->bind, *zone = text ? strchr(text, '%') : NULL;
	_cleanup_(freep) char *clean = text ? text_clean(text, strlen(text)) : NULL;
	struct selftest_request *request = &plan->request;

	if (!text)
		return NULL;
	if (ip_parse(text, &request->bind))
		return mem_format("--bind: '%s' is not an IPv4 or IPv6 address", clean);
	request->scope = address_zone(text);
	if (zone && !request->scope)
		return mem_format("--bind: the netdev in '%s' does not exist", clean);
	if (ip_is_link_local(&request->bind) && !zone)
		return mem_format("--bind: %s is a link-local address: add its netdev, %s%%NETDEV",
				  clean, clean);
	return NULL;
}

static char *parse_allow(struct selftest_plan *plan)
{
	_cleanup_(freep) char *list = mem_string_or_null(plan->args->allow);
	char *rest = list;

	for (char *word; (word = strsep(&rest, ","));) {
		struct ip_network network;

		if (ip_network_parse(word, &network))
			return selftest_complain("allow", word,
						 "is not a network (10.0.0.0/8,fd00::/8)");
		MEM_ADD(plan->allowed, plan->allowed_count) = network;
	}
	return NULL;
}

/* DEV or DEV/PORT on another host: nothing here can tell whether they exist. */
static char *parse_peer_device(struct selftest_plan *plan)
{
	const char *text = plan->args->peer_device, *slash;
	uint64_t port = 0;
	size_t length;

	if (!text)
		return NULL;
	slash = strrchr(text, '/');
	length = slash ? (size_t)(slash - text) : strlen(text);
	if (!length || length >= sizeof(((struct endpoint *)0)->device) ||
	    (slash && (text_parse_u64(slash + 1, 10, UINT8_MAX, &port) || !port)))
		return selftest_complain("peer-device", text, "is neither DEV nor DEV/PORT");
	plan->peer_device = mem_format("%.*s", (int)length, text);
	plan->request.peer_device = plan->peer_device;
	plan->request.chose_peer_device = true;
	plan->request.peer_port = (uint32_t)port;
	return NULL;
}

/* ---- What the packets carry ---- */

static char *parse_class(const struct selftest_args *args, struct number *traffic_class,
			 char **ret_hint)
{
	const char *word = args->tclass ? args->tclass : args->tos;
	unsigned int tos;

	if (word && tos_parse(word, &tos))
		return selftest_complain(args->tclass ? "tclass" : "tos", word,
					 "is not a traffic class, 0 to 255");
	if (args->dscp && tos_parse_dscp(args->dscp, &tos)) {
		*ret_hint = mem_string(TOS_DSCP_HINT);
		return selftest_complain("dscp", args->dscp, "is not a DSCP");
	}
	if (word || args->dscp)
		number_set(traffic_class, tos);
	return NULL;
}

/*
 * Returns a flow label that yields this port. rdma_flow_label_to_udp_sport() in
 * include/rdma/ib_verbs.h of Linux: the lower 14 bits of the label, XORed with its upper 6 bits.
 * With the label 0 the driver chooses the port, so the first port needs a label with bits in both
 * parts.
 */
static uint32_t flow_label_of(uint64_t source_port)
{
	const uint32_t low = (uint32_t)source_port - FIRST_SOURCE_PORT;

	return low ? low : 1u << 14 | 1;
}

static char *parse_path(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	struct selftest_path *path = &plan->request.path;
	uint64_t number;

	if (args->flow_label) {
		if (text_parse_u64(args->flow_label, 0, LIMIT_FLOW_LABEL, &number))
			return selftest_complain("flow-label", args->flow_label,
						 "is not a flow label, 0 to 0xfffff");
		number_set(&path->flow_label, number);
	}
	if (args->source_port.known) {
		number_set(&path->flow_label, flow_label_of(args->source_port.value));
		path->by_port = true;
	}
	if (args->pkey) {
		/* A key with only the membership bit is not a partition: IBTA 1, 10.9.1.2. */
		if (text_parse_u64(args->pkey, 0, UINT16_MAX, &number) ||
		    !(number & ~(uint64_t)PKEY_FULL_MEMBER)) {
			*ret_hint = mem_string("rdmactl pkeys lists them: 0xffff, 0x8001");
			return selftest_complain("pkey", args->pkey, "is not a P_Key");
		}
		number_set(&path->pkey, number);
	}
	return parse_class(args, &path->traffic_class, ret_hint);
}

/* ---- All of it ---- */

/* An empty token is the sign of an unset variable, and would let everyone in. */
static char *find_token(struct selftest_plan *plan, char **ret_hint)
{
	const struct selftest_args *args = plan->args;
	const char *word = args->request.token ? args->request.token : getenv("RDMACTL_TOKEN");
	const char *name = args->request.token ? "--token" : "RDMACTL_TOKEN";

	if (!args->request.peer && !args->request.server)
		return NULL;
	if (word && !*word) {
		*ret_hint = mem_format("give it a value, or %s to use no token",
				       args->request.token ? "omit --token"
							   : "unset RDMACTL_TOKEN");
		return mem_format("%s: the token is empty", name);
	}
	if (word && strlen(word) > LIMIT_TOKEN)
		return mem_format("%s: the token is longer than %u bytes", name, LIMIT_TOKEN);
	plan->request.token = word;
	return NULL;
}

static void fill_request(struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	struct selftest_request *request = &plan->request;

	if (args->all_sizes)
		for (int i = FIRST_SIZE_SHIFT; i <= LAST_SIZE_SHIFT; i++)
			request->sizes[request->size_count++] = UINT64_C(1) << i;
	request->tcp_port = (uint32_t)args->port.value;
	request->tests = (const char *const *)plan->tests.items;
	request->test_count = plan->tests.count;
	request->operations = (unsigned int)args->operations.value;
	request->iterations = args->iterations.value;
	request->duration_msec = args->duration.value;
	request->queue_pairs = (uint32_t)args->queue_pairs.value;
	request->depth = (uint32_t)args->depth.value;
	request->batch = (uint32_t)args->batch.value;
	request->stride = args->stride.value;
	request->connections = (uint32_t)args->connections.value;
	request->mtu_bytes = (uint32_t)args->mtu.value;
	request->expect_gbps = args->expect_gbps.value;
	request->expect_usec = args->expect_usec.value;
	request->signals = -1;
}

bool selftest_plan_make(struct selftest_plan *plan, const struct selftest_args *args,
			char **ret_message, char **ret_hint)
{
	char *hint = NULL;

	*plan = (struct selftest_plan){
		.args = args,
		.request = args->request,
		.protocol = (enum selftest_protocol)args->protocol.value,
	};
	*ret_message = check_values(plan) ?: parse_tests(plan, &hint) ?: check_groups(plan)
		       ?: parse_sizes(plan) ?: parse_bind(plan) ?: parse_allow(plan)
		       ?: parse_peer_device(plan) ?: selftest_parse_group(plan)
		       ?: selftest_parse_memory(plan, &hint) ?: selftest_parse_blocks(plan)
		       ?: parse_path(plan, &hint) ?: selftest_parse_ways(plan, &hint)
		       ?: find_token(plan, &hint);
	if (!*ret_message) {
		fill_request(plan);
		return true;
	}
	selftest_plan_free(plan);
	*ret_hint = hint ? hint : mem_string("rdmactl selftest --help");
	return false;
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
