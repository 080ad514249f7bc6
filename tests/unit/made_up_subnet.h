/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Made-up subnets that answer a scan, truthfully or not, and their actual topology. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fabric/scan/scan.h"
#include "fake_transport.h"
#include "mad/format/attribute.h"
#include "schema/bits.h"

#define MOST_NODES 80u
#define MOST_PORTS 40u
#define NOWHERE	   0xffffu

enum { VENDOR_PORT_INFO = 0xff90 };
enum { NODE_DESCRIPTION = 0x10, NODE_INFO = 0x11, SWITCH_INFO = 0x12, PORT_INFO = 0x15 };

/* A node of the made-up subnet, and the peers of its ports. */
struct node {
	unsigned int type, ports;
	uint64_t guid;
	uint16_t peer[MOST_PORTS + 1], peer_port[MOST_PORTS + 1];
	unsigned int silent;	  /* attribute that it does not answer; 0: it answers all */
	unsigned int failed_port; /* modifier of those requests; 0: all */
	unsigned int lie_ports;	  /* number of ports that it claims; 0: its real number */
	unsigned int lie_local;	  /* port that it claims to be queried through */
	uint32_t vendor;
	uint8_t speed;			     /* LinkSpeedActive of its ports; 0: SDR */
	uint8_t supported;		     /* LinkSpeedSupported */
	uint8_t speed_ext;		     /* LinkSpeedExtActive */
	uint8_t vendor_speed, vendor_speeds; /* of the vendor's ExtendedPortInfo */
};

struct subnet {
	struct fake fake;
	struct node nodes[MOST_NODES];
	unsigned int count;
	unsigned int asked[0x20];	       /* by attribute */
	unsigned int vendor_asked[MOST_NODES]; /* for ExtendedPortInfo */
	unsigned int drop_percent;
	struct fabric fabric;
	int rc;
};

static inline unsigned int add(struct subnet *subnet, unsigned int type, unsigned int ports)
{
	struct node *node = &subnet->nodes[subnet->count];

	assert_true(subnet->count < MOST_NODES && ports <= MOST_PORTS);
	node->type = type;
	node->ports = ports;
	node->guid = 0x1000 + subnet->count;
	memset(node->peer, 0xff, sizeof(node->peer));
	return subnet->count++;
}

static inline void cable(struct subnet *subnet, unsigned int one, unsigned int port,
			 unsigned int other, unsigned int other_port)
{
	struct node *a = &subnet->nodes[one], *b = &subnet->nodes[other];

	assert_int_equal(a->peer[port], NOWHERE);
	assert_int_equal(b->peer[other_port], NOWHERE);
	a->peer[port] = (uint16_t)other;
	a->peer_port[port] = (uint16_t)other_port;
	b->peer[other_port] = (uint16_t)one;
	b->peer_port[other_port] = (uint16_t)port;
}

/* Follows the route of a request; false if it leads nowhere. */
static inline bool follow(const struct subnet *subnet, const unsigned char *mad,
			  unsigned int *ret_node, unsigned int *ret_port)
{
	unsigned int node = 0, in = subnet->nodes[0].type == NODE_TYPE_SWITCH ? 0 : 1;

	for (unsigned int hop = 1; hop <= mad[7]; hop++) {
		const struct node *at = &subnet->nodes[node];
		unsigned int out = mad[128 + hop];

		if (out > at->ports || at->peer[out] == NOWHERE ||
		    (at->type != NODE_TYPE_SWITCH && hop > 1))
			return false;
		in = at->peer_port[out];
		node = at->peer[out];
	}
	*ret_node = node;
	*ret_port = in;
	return true;
}

static inline void say_node(const struct subnet *subnet, unsigned int number, unsigned int in,
			    unsigned char *data)
{
	const struct node *node = &subnet->nodes[number];

	data[0] = data[1] = 1;
	data[2] = (unsigned char)node->type;
	data[3] = (unsigned char)(node->lie_ports ? node->lie_ports : node->ports);
	bits_set(data, 4 * 8, 64, node->guid);
	bits_set(data, 12 * 8, 64, node->guid);
	bits_set(data, 20 * 8, 64, node->guid + (node->type == NODE_TYPE_SWITCH ? 0 : in));
	data[36] = (unsigned char)(node->lie_local ? node->lie_local : in);
	bits_set(data, 37 * 8, 24, node->vendor);
}

static inline void say_port(const struct node *node, unsigned int port, unsigned char *data)
{
	bool up = !port || node->peer[port] != NOWHERE;

	data[32] = (unsigned char)(node->supported << 4 | (up ? 4 : 1));
	data[33] = up ? 5 << 4 : 2 << 4;
	data[35] = (unsigned char)((node->speed ? node->speed : 1) << 4);
	data[62] = (unsigned char)(node->speed_ext << 4);
	/* CapabilityMask: IsExtendedSpeedsSupported */
	data[22] = node->speed_ext ? 1 << 6 : 0;
	data[28] = (unsigned char)port;
}

static inline int answer(struct fake *fake, int agent, const struct mad_address *to,
			 const unsigned char *request)
{
	struct subnet *subnet = fake->context;
	unsigned char mad[MAD_BYTES];
	unsigned int number, in, modifier = (unsigned int)bits_get(request, 20 * 8, 32);
	unsigned int attribute = (unsigned int)bits_get(request, 16 * 8, 16);
	const struct node *node;

	(void)agent;
	(void)to;
	subnet->asked[attribute & 0x1f] += attribute != VENDOR_PORT_INFO;
	if (!follow(subnet, request, &number, &in) || fake_random(fake, 100) < subnet->drop_percent)
		return 0;
	node = &subnet->nodes[number];
	if (node->silent == attribute && (!node->failed_port || node->failed_port == modifier))
		return 0;
	memcpy(mad, request, sizeof(mad));
	mad[3] |= UMAD_METHOD_RESP_MASK;
	memset(mad + 64, 0, 64);
	if (attribute == NODE_INFO)
		say_node(subnet, number, in, mad + 64);
	else if (attribute == NODE_DESCRIPTION)
		snprintf((char *)mad + 64, 64, "node %u", number);
	else if (attribute == PORT_INFO)
		say_port(node, modifier, mad + 64);
	else if (attribute == VENDOR_PORT_INFO)
		mad[64 + 7] = node->vendor_speeds, mad[64 + 15] = node->vendor_speed;
	subnet->vendor_asked[number] += attribute == VENDOR_PORT_INFO;
	fake_put(fake, 0, mad, MAD_BYTES, 0);
	return 0;
}

static inline struct subnet *new_subnet(void)
{
	struct subnet *subnet = mem_alloc_zero(1, sizeof(*subnet));

	subnet->fake.on_send = answer;
	subnet->fake.context = subnet;
	return subnet;
}

static inline void scan_with(struct subnet *subnet, const struct fabric_scan_options *options,
			     unsigned int timeout_msec)
{
	const struct mad_engine_options engine_options = {.timeout_msec = timeout_msec};
	struct mad_engine *engine = fake_engine(&subnet->fake, &engine_options);

	subnet->rc = fabric_scan(engine, options, &subnet->fabric);
	mad_engine_free(engine);
}

static inline void scan(struct subnet *subnet)
{
	const struct fabric_scan_options options = {.path_hops = 0};

	scan_with(subnet, &options, 5000);
}

static inline void drop_subnet(struct subnet *subnet)
{
	fabric_clear(&subnet->fabric);
	free(subnet);
}

/* The made-up node with this description. */
static inline unsigned int number_of_node(const struct fabric *fabric, uint32_t node)
{
	unsigned int number = MOST_NODES;

	assert_true(fabric->nodes[node].has_description);
	assert_int_equal(sscanf((const char *)fabric->nodes[node].description, "node %u", &number),
			 1);
	return number;
}

static inline bool *reachable(const struct subnet *subnet)
{
	bool *seen = mem_alloc_zero(MOST_NODES, sizeof(*seen));
	bool more = true;

	seen[0] = true;
	while (more) {
		more = false;
		for (unsigned int i = 0; i < subnet->count; i++) {
			const struct node *node = &subnet->nodes[i];

			/*
			 * Switches forward, adapters do not; the first adapter only leads on by its
			 * first port.
			 */
			if (!seen[i] || (node->type != NODE_TYPE_SWITCH && i))
				continue;
			for (unsigned int port = 1; port <= (i ? node->ports : 1); port++)
				if (node->peer[port] != NOWHERE && !seen[node->peer[port]])
					seen[node->peer[port]] = more = true;
			if (node->type == NODE_TYPE_SWITCH && !i)
				for (unsigned int port = 2; port <= node->ports; port++)
					if (node->peer[port] != NOWHERE && !seen[node->peer[port]])
						seen[node->peer[port]] = more = true;
		}
	}
	return seen;
}

/* Checks that every reachable node appears once with the right cables, and nothing else does. */
static inline void check_truth(const struct subnet *subnet)
{
	const struct fabric *fabric = &subnet->fabric;
	bool *seen = reachable(subnet);
	bool met[MOST_NODES] = {false};
	unsigned int expected = 0;

	for (unsigned int i = 0; i < subnet->count; i++)
		expected += seen[i];
	assert_int_equal(fabric->node_count, expected);
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		unsigned int number = number_of_node(fabric, i);
		const struct node *node = &subnet->nodes[number];

		assert_false(met[number]);
		met[number] = true;
		assert_int_equal(fabric->nodes[i].port_count, node->ports);
		for (unsigned int port = 1; port <= node->ports; port++) {
			uint32_t peer = fabric->ports[fabric_port_at(fabric, i, port)].peer;

			if (node->peer[port] == NOWHERE || !seen[node->peer[port]]) {
				assert_int_equal(peer, FABRIC_NONE);
				continue;
			}
			/*
			 * A scan never sees a cable between two adapters, unless one is the first.
			 */
			assert_int_not_equal(peer, FABRIC_NONE);
			assert_int_equal(number_of_node(fabric, fabric->ports[peer].node),
					 node->peer[port]);
			assert_int_equal(fabric->ports[peer].number, node->peer_port[port]);
		}
	}
	free(seen);
}

static inline unsigned int random_below(uint64_t *random, unsigned int below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(*random >> 33) % below;
}

static inline unsigned int free_port(const struct node *node, uint64_t *random)
{
	unsigned int first = random_below(random, node->ports);

	for (unsigned int i = 0; i < node->ports; i++) {
		unsigned int port = 1 + (first + i) % node->ports;

		if (node->peer[port] == NOWHERE)
			return port;
	}
	return 0;
}

static inline void cable_somehow(struct subnet *subnet, unsigned int one, unsigned int other,
				 uint64_t *random)
{
	unsigned int port = free_port(&subnet->nodes[one], random), other_port;

	if (!port)
		return;
	subnet->nodes[one].peer[port] = 0; /* reserved, so that the other end gets another port */
	other_port = free_port(&subnet->nodes[other], random);
	subnet->nodes[one].peer[port] = NOWHERE;
	if (other_port)
		cable(subnet, one, port, other, other_port);
}

/* Randomly cabled switches, then adapters. */
static inline struct subnet *random_subnet(uint64_t *random)
{
	struct subnet *subnet = new_subnet();
	unsigned int switches = 2 + random_below(random, 12), hosts = 1 + random_below(random, 30);

	add(subnet, NODE_TYPE_CA, 1);
	for (unsigned int i = 0; i < switches; i++)
		add(subnet, NODE_TYPE_SWITCH, 6 + random_below(random, 10));
	cable_somehow(subnet, 0, 1, random);
	for (unsigned int i = 0; i < switches * 2; i++) {
		/*
		 * Separate statements: compilers differ in the order in which they evaluate
		 * arguments.
		 */
		unsigned int to = 1 + random_below(random, switches);
		unsigned int from = 1 + random_below(random, switches);

		cable_somehow(subnet, from, to, random);
	}
	for (unsigned int i = 0; i < hosts; i++) {
		unsigned int host = add(subnet, NODE_TYPE_CA, 1 + random_below(random, 2));

		cable_somehow(subnet, host, 1 + random_below(random, switches), random);
		if (subnet->nodes[host].ports == 2)
			cable_somehow(subnet, host, 1 + random_below(random, switches), random);
	}
	return subnet;
}
