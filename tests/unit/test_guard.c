/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests that a server's agent refuses to a client, tested without a device; tests/vm has the
 * attacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/agent.h"

static struct endpoint endpoint_of(uint32_t link_layer, uint32_t transport, const char *gid,
				   const char *ip)
{
	struct endpoint endpoint = {.link_layer = link_layer, .transport = transport};

	assert_int_equal(gid_parse(gid, &endpoint.gid), 0);
	if (ip)
		assert_int_equal(ip_parse(ip, &endpoint.ip), 0);
	return endpoint;
}

static void make(struct agent *agent, const char *client)
{
	memset(agent, 0, sizeof(*agent));
	agent->guard.strict = true;
	agent->guard.most_msec = 60000;
	agent->endpoint.mtu_bytes = 1024;
	assert_int_equal(ip_parse(client, &agent->guard.client), 0);
}

/* Only the address that the client connected from is certain to be the client's. */
static void whose_port(void **state)
{
	static const struct {
		uint32_t link_layer, transport;
		const char *gid, *ip, *client;
		bool proven;
	} cases[] = {
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "::ffff:10.9.0.2", NULL, "10.9.0.2", true},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "::ffff:10.9.0.3", NULL, "10.9.0.2", false},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "::ffff:10.9.0.3", "10.9.0.2", "10.9.0.2",
		 false},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "fd09::2", NULL, "fd09::2", true},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "fd09::2", "10.9.0.2", "10.9.0.2", false},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "fe80::2", NULL, "fd09::2", false},
		{LINK_LAYER_ETHERNET, TRANSPORT_IWARP, "fe80::2", "10.9.0.2", "10.9.0.2", true},
		{LINK_LAYER_ETHERNET, TRANSPORT_IWARP, "::ffff:10.9.0.2", "10.9.0.3", "10.9.0.2",
		 false},
		{LINK_LAYER_INFINIBAND, TRANSPORT_INFINIBAND, "fd09::2", "fd09::2", "fd09::2",
		 false},
		{LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "fe80::2", NULL, "fe80::2", false},
		{LINK_LAYER_ETHERNET, TRANSPORT_IWARP, "fd09::2", "fe80::2", "fe80::2", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct endpoint peer = endpoint_of(cases[i].link_layer, cases[i].transport,
						   cases[i].gid, cases[i].ip);
		struct agent agent;

		make(&agent, cases[i].client);
		agent.endpoint.link_layer = cases[i].link_layer;
		agent.endpoint.transport = cases[i].transport;
		/* The client claims another link layer and transport. */
		peer.link_layer = LINK_LAYER_ETHERNET;
		peer.transport = i % 2 ? TRANSPORT_IWARP : TRANSPORT_ROCE;
		assert_int_equal(guard_open(&agent, &peer), 0);
		assert_int_equal(agent.guard.proven, cases[i].proven);
	}
}

static void other_ports(void **state)
{
	struct endpoint peer = endpoint_of(LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "::ffff:10.9.0.2",
					   "10.9.0.2");
	struct endpoint other = endpoint_of(LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "::ffff:10.9.0.3",
					    "10.9.0.3");
	struct endpoint same_gid = peer;
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	assert_int_equal(guard_open(&agent, &peer), 0);
	assert_int_equal(guard_open(&agent, &peer), 0);
	assert_int_equal(guard_open(&agent, &other), -EINVAL);
	assert_true(ip_equal(&agent.guard.peer.ip, &peer.ip));
	assert_int_equal(guard_destination(&agent, &peer), 0);
	assert_int_equal(guard_destination(&agent, &other), -EINVAL);
	assert_int_equal(agent.refused.refusal, REFUSAL_ORDER);
	/* On InfiniBand a packet goes by its LID. */
	same_gid.lid = 7;
	assert_int_equal(guard_destination(&agent, &same_gid), -EINVAL);
	assert_int_equal(guard_ip(&agent, &peer.ip), 0);
	assert_int_equal(guard_ip(&agent, &other.ip), -EINVAL);
	/* The agent on the near side is not restricted. */
	agent.guard.strict = false;
	assert_int_equal(guard_destination(&agent, &other), 0);
	assert_int_equal(guard_ip(&agent, &other.ip), 0);
}

/* An address that a client merely claims must not be connected to. */
static void unproven_address(void **state)
{
	struct endpoint peer = endpoint_of(LINK_LAYER_INFINIBAND, TRANSPORT_INFINIBAND,
					   "fe80::2:c903:0:1", "10.9.0.77");
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	assert_int_equal(guard_open(&agent, &peer), 0);
	assert_int_equal(guard_ip(&agent, &peer.ip), -EINVAL);
	/* The proof covers the GID, not the IP address. */
	agent.guard.proven = true;
	assert_int_equal(guard_ip(&agent, &peer.ip), -EINVAL);
	assert_int_equal(guard_ip(&agent, &agent.guard.client), 0);
}

/* Before the port is proven, nothing is retransmitted and arrivals are not reported. */
static void before_the_proof(void **state)
{
	const struct agent_qp rc = {.kind = QP_RC};
	struct message_modify modify = {.state = IBV_QPS_RTS, .retries = 1};
	const struct message_proof zeros = {{0}};
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	assert_int_equal(guard_modify(&agent, &rc, &modify), -EINVAL);
	modify.retries = 0;
	assert_int_equal(guard_modify(&agent, &rc, &modify), 0);
	assert_int_equal(guard_look(&agent), -EINVAL);
	/* A nonce that was never sent proves nothing. */
	assert_int_equal(agent_proof(&agent, &zeros), -EINVAL);
	memset(agent.guard.nonce, 'x', sizeof(agent.guard.nonce));
	agent.guard.asked = true;
	assert_int_equal(agent_proof(&agent, &zeros), -EINVAL);
	assert_false(agent.guard.proven);
	assert_int_equal(agent_proof(&agent, (const struct message_proof *)agent.guard.nonce),
			 -EINVAL);
	agent.guard.asked = true;
	assert_int_equal(agent_proof(&agent, (const struct message_proof *)agent.guard.nonce), 0);
	assert_true(agent.guard.proven);
	modify.retries = 7;
	assert_int_equal(guard_modify(&agent, &rc, &modify), 0);
	assert_int_equal(guard_look(&agent), 0);
}

/* The other side has chosen where a librdmacm connection leads. */
static void connections(void **state)
{
	static const struct {
		const char *gid;
		uint16_t lid;
		bool global, allowed;
	} cases[] = {
		{"fe80::2", 0, true, true},  {"::ffff:10.9.0.2", 0, true, true},
		{"fe80::3", 0, true, false}, {"::ffff:10.9.0.3", 0, true, false},
		{"::", 7, false, true},	     {"::", 8, false, false},
	};
	struct endpoint peer = endpoint_of(LINK_LAYER_ETHERNET, TRANSPORT_ROCE, "fe80::2", NULL);
	struct ibv_qp_attr attr = {.retry_cnt = 7};
	struct agent agent;

	(void)state;
	peer.lid = 7;
	make(&agent, "10.9.0.2");
	assert_int_equal(guard_open(&agent, &peer), 0);
	assert_int_equal(guard_connection(&agent, &attr, IBV_QP_STATE | IBV_QP_RETRY_CNT), 0);
	assert_int_equal(attr.retry_cnt, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gid gid;

		assert_int_equal(gid_parse(cases[i].gid, &gid), 0);
		attr.ah_attr.is_global = cases[i].global;
		attr.ah_attr.dlid = cases[i].lid;
		memcpy(attr.ah_attr.grh.dgid.raw, gid.raw, sizeof(gid.raw));
		assert_int_equal(guard_connection(&agent, &attr, IBV_QP_AV),
				 cases[i].allowed ? 0 : -EINVAL);
	}
}

static void groups(void **state)
{
	static const struct {
		const char *group;
		int rc;
	} cases[] = {
		{"239.255.3.4", 0}, {"239.254.3.4", -EINVAL}, {"224.0.0.1", -EINVAL},
		{"ff1e::1234", 0},  {"ff02::1", -EINVAL},     {"10.9.0.2", -EINVAL},
	};
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip_address group;
		struct rdma_cm_id id;

		assert_int_equal(ip_parse(cases[i].group, &group), 0);
		assert_int_equal(guard_group(&agent, &group), cases[i].rc);
		/* One at a time: each one is a filter of the netdev. */
		agent.qp_end = 3;
		agent.qps[2].group = &id;
		assert_int_equal(guard_group(&agent, &group), -EINVAL);
		agent.guard.strict = false;
		assert_int_equal(guard_group(&agent, &group), 0);
		agent.guard.strict = true;
		agent.qps[2].group = NULL;
	}
}

static struct message_post post_of(uint32_t count, uint64_t bytes)
{
	return (struct message_post){.count = count,
				     .span = {.blocks = 1, .block_bytes = bytes},
				     .qpn = 17,
				     .qkey = 0x11111111};
}

static int post(struct agent *agent, uint32_t kind, uint32_t depth, uint32_t count, uint64_t bytes)
{
	const struct agent_qp qp = {.kind = kind, .send_depth = depth};
	const struct message_post order = post_of(count, bytes);

	return guard_post(agent, &qp, &order);
}

static void packets(void **state)
{
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	assert_int_equal(post(&agent, QP_UD, 16, 1, 1025), -EINVAL);
	assert_int_equal(post(&agent, QP_UD, 16, 17, 1), -EINVAL);
	assert_int_equal(post(&agent, QP_RC, 16, 15, 1024), 0);
	assert_int_equal(post(&agent, QP_UC, 16, 2, 1), -EINVAL);
	assert_int_equal(post(&agent, QP_UC, 16, 1, 1), 0);
	assert_int_equal(post(&agent, QP_UC, 16, 1, 1), -EINVAL);
	assert_int_equal(guard_run(&agent, 1), -EINVAL);
	agent.guard.proven = true;
	assert_int_equal(post(&agent, QP_UC, 256, 256, 1 << 20), 0);
	assert_int_equal(post(&agent, QP_UC, 256, 1, (1 << 20) + 1), -EINVAL);
	assert_int_equal(agent.refused.refusal, REFUSAL_LIMIT);
	assert_int_equal(post(&agent, QP_RC, 16384, 16384, 64 << 20), 0);
	assert_int_equal(guard_run(&agent, 60000), 0);
	assert_int_equal(guard_run(&agent, 60001), -EINVAL);
	assert_string_equal(agent.refused.text,
			    "a run of 60001 ms, but this server grants 60000 ms");
}

static void management(void **state)
{
	static const struct {
		uint32_t qpn, qkey;
	} cases[] = {{0, 1}, {1, 1}, {17, 0x80000000}, {17, 0xffffffff}, {1, 0x80010000}};
	const struct agent_qp ud = {.kind = QP_UD, .send_depth = 1}, rc = {.kind = QP_RC};
	struct message_modify modify = {.state = IBV_QPS_INIT, .qkey = 0x80010000};
	struct agent agent;

	(void)state;
	make(&agent, "10.9.0.2");
	agent.guard.proven = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message_post order = post_of(1, 1);

		order.qpn = cases[i].qpn;
		order.qkey = cases[i].qkey;
		assert_int_equal(guard_post(&agent, &ud, &order), -EINVAL);
	}
	assert_int_equal(post(&agent, QP_UD, 1, 1, 1), 0);
	assert_int_equal(guard_modify(&agent, &ud, &modify), -EINVAL);
	modify = (struct message_modify){.state = IBV_QPS_RTR, .qpn = 1};
	assert_int_equal(guard_modify(&agent, &rc, &modify), -EINVAL);
	modify.qpn = 2;
	assert_int_equal(guard_modify(&agent, &rc, &modify), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_port),	    cmocka_unit_test(other_ports),
		cmocka_unit_test(unproven_address), cmocka_unit_test(groups),
		cmocka_unit_test(packets),	    cmocka_unit_test(management),
		cmocka_unit_test(before_the_proof), cmocka_unit_test(connections),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
