/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests with other programs: their options, and the ports that are used for them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/listing.h"
#include "cmd/selftest/selftest_run.h"
#include "host/endpoint/endpoint.h"
#include "selftest/selftest.h"

/* Options of single programs, beyond those that all of them have. */
static const struct {
	const char *name;
	enum selftest_protocol protocol;
} extras[] = {
	{"qps", PROTOCOL_SRQ_PINGPONG},	  {"latency", PROTOCOL_PERFTEST},
	{"bandwidth", PROTOCOL_PERFTEST}, {"operations", PROTOCOL_PERFTEST},
	{"group", PROTOCOL_MCKEY},	  {"group-gid", PROTOCOL_MCKEY},
	{"send-only", PROTOCOL_MCKEY},	  {"no-loopback", PROTOCOL_MCKEY},
};

static bool is_extra(enum selftest_protocol protocol, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(extras); i++)
		if (extras[i].protocol == protocol && !strcmp(extras[i].name, name))
			return true;
	return false;
}

/* Returns the first given option on the list that this program lacks; the caller frees it. */
static char *find_foreign(const struct selftest_plan *plan, const char *list)
{
	_cleanup_(freep) char *words = mem_string(list);
	char *rest = words;

	for (char *word; (word = strsep(&rest, " "));)
		if (!is_extra(plan->protocol, word) && selftest_is_given(plan->args, word))
			return mem_string(word);
	return NULL;
}

/* Each program of perftest has one operation and one way of measuring it. */
static char *check_perftest(const struct selftest_args *args)
{
	const uint64_t operations = args->operations.known ? args->operations.value
							   : SELFTEST_WRITE;

	if (args->request.latency && args->request.bandwidth)
		return mem_string("--proto perftest: give only one of --latency and --bandwidth");
	if (operations & SELFTEST_ATOMIC || operations & (operations - 1))
		return mem_string("--proto perftest: --operations is one of send, write and read");
	return NULL;
}

char *selftest_check_protocol(const struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	const bool by_cm = plan->protocol == PROTOCOL_RPING ||
			   plan->protocol == PROTOCOL_UCMATOSE || plan->protocol == PROTOCOL_MCKEY;
	const char *program = enum_word(selftest_protocols, plan->protocol, "");
	_cleanup_(freep) char *serving = NULL, *name = NULL;

	/* A server of rdmactl learns these from its clients. */
	if (plan->protocol == PROTOCOL_RDMACTL && args->request.server)
		serving = find_foreign(plan, "sizes iterations mtu " SELFTEST_PEERS_TOO);
	if (serving)
		return mem_format("--%s cannot be used with --serve", serving);
	name = find_foreign(plan, plan->protocol == PROTOCOL_RDMACTL ? SELFTEST_GROUP_OPTIONS
								     : SELFTEST_GROUP_OPTIONS
					  " " SELFTEST_CLIENT_ONLY " " SELFTEST_PEERS_TOO
					  " token memory " SELFTEST_SERVER_ONLY);
	if (name)
		return mem_format("--%s cannot be used with --proto %s", name, program);
	if (args->mtu.known && by_cm)
		return mem_format("--mtu cannot be used with --proto %s: rdma_cm chooses it",
				  program);
	if (args->mtu.known && plan->protocol == PROTOCOL_UD_PINGPONG)
		return mem_string(
			"--mtu cannot be used with --proto ud-pingpong: a datagram is one "
			"packet");
	if (plan->protocol == PROTOCOL_MCKEY && !args->group && !args->group_gid)
		return mem_string("--proto mckey needs --group or --group-gid");
	if (plan->protocol == PROTOCOL_SRQ_PINGPONG && args->queue_pairs.value > PINGPONG_MOST_QPS)
		return mem_format("--qps: ibv_srq_pingpong has no more than %u queue pairs",
				  PINGPONG_MOST_QPS);
	return plan->protocol == PROTOCOL_PERFTEST ? check_perftest(args) : NULL;
}

/* ff00::/8 in IPv6, and in GIDs, which have the same format: RFC 4291, IBTA 1, 4.1.1. */
static bool is_group(const struct ip_address *ip)
{
	return ip->family == AF_INET ? (ip->raw[0] & 0xf0) == 0xe0 : ip->raw[0] == 0xff;
}

char *selftest_parse_group(struct selftest_plan *plan)
{
	const struct selftest_args *args = plan->args;
	const char *text = args->group ? args->group : args->group_gid;
	const char *option = args->group ? "group" : "group-gid";
	struct interop_group *group = &plan->request.group;
	struct ip_address ip;

	if (!text)
		return NULL;
	if (ip_parse(text, &ip) || !is_group(&ip) || (args->group_gid && ip.family != AF_INET6))
		return selftest_complain(option, text,
					 args->group ? "is not a multicast address"
						     : "is not a multicast GID");
	if (args->group)
		group->ip = ip;
	else
		memcpy(group->gid.raw, ip.raw, sizeof(group->gid.raw));
	return NULL;
}

/* Chooses the port with the address to listen on, or the first active one among those named. */
static int choose_port(const struct selftest_run *run, struct endpoint *ret_endpoint,
		       char **ret_reason, char **ret_hint)
{
	const struct inventory *inventory = &run->listing.inventory;
	const struct endpoint_wish wish = {
		.gid_index = run->plan.args->gid_index,
		.named = run->named,
	};
	int rc = -ENODEV;

	if (run->plan.request.bind.family && !run->named)
		return endpoint_of_address(inventory, &run->plan.request.bind, &wish, ret_endpoint,
					   ret_reason, ret_hint);
	for_each_port (device, port, &inventory->devices) {
		free(*ret_reason);
		free(*ret_hint);
		*ret_reason = *ret_hint = NULL;
		rc = endpoint_of_port(inventory, device, port, &wish, ret_endpoint, ret_reason,
				      ret_hint);
		if (!rc)
			return 0;
	}
	return rc;
}

int selftest_choose_port(struct selftest_run *run, struct endpoint *ret_endpoint)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = choose_port(run, ret_endpoint, &reason, &hint);

	if (rc)
		listing_fail(&run->listing, STATUS_FAILED,
			     reason ? reason : "no RDMA device has a port", hint);
	return rc;
}

int selftest_serve_interop(struct selftest_run *run)
{
	struct endpoint endpoint;
	int rc = selftest_choose_port(run, &endpoint);

	if (rc)
		return rc;
	rc = interop_run(run->plan.protocol, &run->plan.request, &endpoint, &run->output.results);
	if (!rc && !run->plan.args->request.once)
		return -EIO; /* it could not go on; its last row says why */
	return rc;
}
