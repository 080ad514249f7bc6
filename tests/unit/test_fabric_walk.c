/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directed route to a LID, found by correct or faulty forwarding tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fabric/route/forwarding.h"
#include "fabric/route/route.h"
#include "fake_transport.h"
#include "mad/format/attribute.h"
#include "schema/bits.h"

enum { NODE_DESCRIPTION = 0x10, NODE_INFO, SWITCH_INFO, PORT_INFO = 0x15, LINEAR_TABLE = 0x19 };
enum { NODES = 6, PORTS = 4, LIDS = 64, NOWHERE = 0xff };

struct node {
	unsigned int type, guid, lid, lmc, top;
	uint8_t peer[PORTS + 1], peer_port[PORTS + 1];
	uint8_t table[LIDS];
	unsigned int silent; /* attribute that it does not answer; 0: it answers all */
};

/*
 * The walk begins at adapter 0; switches 1 to 3 are connected in a row by their ports 2 and 1,
 * adapter 4 is on port 3 of switch 3, adapter 5 on port 3 of switch 2. LIDs: 10 + number; adapter 4
 * has those from 16 on.
 */
struct subnet {
	struct fake fake;
	struct node nodes[NODES];
	unsigned int start, asked;
};

static void cable(struct subnet *subnet, unsigned int one, unsigned int port, unsigned int other,
		  unsigned int other_port)
{
	subnet->nodes[one].peer[port] = (uint8_t)other;
	subnet->nodes[one].peer_port[port] = (uint8_t)other_port;
	subnet->nodes[other].peer[other_port] = (uint8_t)one;
	subnet->nodes[other].peer_port[other_port] = (uint8_t)port;
}

/* Follows the route of a request; false if it leads nowhere. */
static bool follow(const struct subnet *subnet, const unsigned char *mad, unsigned int *ret_node,
		   unsigned int *ret_port)
{
	unsigned int node = subnet->start, in = 1;

	for (unsigned int hop = 1; hop <= mad[7]; hop++) {
		const struct node *at = &subnet->nodes[node];
		unsigned int out = mad[128 + hop];

		if (out > PORTS || at->peer[out] == NOWHERE ||
		    (at->type != NODE_TYPE_SWITCH && hop > 1))
			return false;
		in = at->peer_port[out];
		node = at->peer[out];
	}
	*ret_node = node;
	*ret_port = in;
	return true;
}

static void say(const struct node *node, unsigned int attribute, unsigned int in,
		unsigned char *data)
{
	switch (attribute) {
	case NODE_DESCRIPTION:
		snprintf((char *)data, 64, "node %u", node->guid);
		break;
	case NODE_INFO:
		data[2] = (unsigned char)node->type;
		data[3] = PORTS;
		bits_set(data, 12 * 8, 64, node->guid);
		data[36] = (unsigned char)in;
		break;
	case SWITCH_INFO:
		bits_set(data, 6 * 8, 16, node->top);
		break;
	case PORT_INFO:
		bits_set(data, 16 * 8, 16, node->lid);
		data[34] = (unsigned char)(0xe0 | node->lmc);
		break;
	default:
		memcpy(data, node->table, LIDS);
	}
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *request)
{
	struct subnet *subnet = fake->context;
	unsigned int attribute = (unsigned int)bits_get(request, 16 * 8, 16), number, in;
	unsigned int modifier = (unsigned int)bits_get(request, 20 * 8, 32);
	unsigned char mad[MAD_BYTES];
	const struct node *node;

	(void)agent;
	(void)to;
	subnet->asked++;
	assert_int_equal(bits_get(request, 24 * 8, 64), 0x1234); /* M_Key */
	if (!follow(subnet, request, &number, &in))
		return 0;
	node = &subnet->nodes[number];
	if (node->silent == attribute)
		return 0;
	/* An adapter has no tables, and answers for the port that received the query. */
	assert_true(node->type == NODE_TYPE_SWITCH || attribute < SWITCH_INFO ||
		    (attribute == PORT_INFO && modifier == in));
	memcpy(mad, request, MAD_BYTES);
	memset(mad + 64, 0, 64);
	mad[3] |= UMAD_METHOD_RESP_MASK;
	mad[4] = 0x80;
	say(node, attribute, in, mad + 64);
	fake_put(fake, 0, mad, MAD_BYTES, 0);
	return 0;
}

static void make(struct subnet *subnet)
{
	*subnet = (struct subnet){.start = 0};
	subnet->fake.on_send = answer;
	subnet->fake.context = subnet;
	for (unsigned int i = 0; i < NODES; i++) {
		struct node *node = &subnet->nodes[i];

		node->type = i >= 1 && i <= 3 ? NODE_TYPE_SWITCH : NODE_TYPE_CA;
		node->guid = 100 + i;
		node->lid = i == 4 ? 16 : 10 + i;
		node->lmc = i == 4 ? 2 : 0;
		node->top = LIDS - 1;
		memset(node->peer, NOWHERE, sizeof(node->peer));
		memset(node->table, NOWHERE, sizeof(node->table));
	}
	cable(subnet, 0, 1, 1, 1);
	cable(subnet, 1, 2, 2, 1);
	cable(subnet, 2, 2, 3, 1);
	cable(subnet, 3, 3, 4, 1);
	cable(subnet, 2, 3, 5, 1);
	for (unsigned int i = 1; i <= 3; i++) {
		uint8_t *table = subnet->nodes[i].table;

		for (unsigned int lid = 10; lid < 20; lid++)
			table[lid] = lid >= 16 || lid - 10 > i ? 2 : 1;
		table[10 + i] = 0;
		table[15] = i == 2 ? 3 : i < 2 ? 2 : 1;
	}
	memset(&subnet->nodes[3].table[16], 3, 4);
}

static void walk_to(struct subnet *subnet, unsigned int lid, struct fabric_walk *walk)
{
	const struct mad_engine_options options = {
		.timeout_msec = 5,
		.retries_given = true,
		.retries = 1,
	};
	struct mad_engine *engine = fake_engine(&subnet->fake, &options);

	subnet->asked = 0;
	assert_int_equal(fabric_walk(engine, 0x1234, (uint16_t)lid, walk), 0);
	mad_engine_free(engine);
}

static void check(struct subnet *subnet, unsigned int lid, const char *path)
{
	struct fabric_walk walk;
	char text[256] = "0";
	size_t used = 1;

	walk_to(subnet, lid, &walk);
	assert_int_equal(walk.end, WALK_ARRIVED);
	for (unsigned int i = 1; i <= walk.hops; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ",%u", walk.path[i]);
	assert_string_equal(text, path);
}

static void arrives(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	check(&subnet, 10, "0");
	assert_int_equal(subnet.asked, 3);
	check(&subnet, 11, "0,1");
	check(&subnet, 12, "0,1,2");
	check(&subnet, 13, "0,1,2,2");
	for (unsigned int lid = 16; lid < 20; lid++)
		check(&subnet, lid, "0,1,2,2,3");
	check(&subnet, 15, "0,1,2,3");
	/* From a switch. */
	subnet.start = 2;
	check(&subnet, 12, "0");
	check(&subnet, 10, "0,1,1");
	check(&subnet, 15, "0,3");
	/* Two switches of one GUID are not a loop. */
	subnet.start = 0;
	subnet.nodes[3].guid = subnet.nodes[1].guid;
	check(&subnet, 19, "0,1,2,2,3");
}

static void check_end(struct subnet *subnet, unsigned int lid, enum walk_end end, unsigned int hops,
		      unsigned int guid)
{
	struct fabric_walk walk;
	char name[16];

	walk_to(subnet, lid, &walk);
	assert_int_equal(walk.end, end);
	assert_int_equal(walk.hops, hops);
	assert_true(walk.has_info && walk.has_description);
	assert_int_equal(bits_get(walk.info, 12 * 8, 64), guid);
	snprintf(name, sizeof(name), "node %u", guid);
	assert_string_equal((const char *)walk.description, name);
}

static void ends(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	check_end(&subnet, 40, WALK_NOWHERE, 1, 101);
	subnet.nodes[2].top = 15;
	check_end(&subnet, 16, WALK_NOWHERE, 2, 102);
	make(&subnet);
	subnet.nodes[2].table[16] = 5;
	check_end(&subnet, 16, WALK_NO_PORT, 2, 102);
	subnet.nodes[2].table[16] = 0;
	check_end(&subnet, 16, WALK_NO_PORT, 2, 102);
	subnet.nodes[2].table[16] = 3;
	check_end(&subnet, 16, WALK_STRANGER, 3, 105);
	subnet.nodes[2].table[16] = 1;
	check_end(&subnet, 16, WALK_LOOP, 3, 101);
	/* The LID after the last one of an LMC. */
	make(&subnet);
	subnet.nodes[1].table[20] = subnet.nodes[2].table[20] = 2;
	subnet.nodes[3].table[20] = 3;
	check_end(&subnet, 20, WALK_STRANGER, 4, 104);
}

/* Even an endless chain of new GUIDs is given up. */
static int endless(struct fake *fake, int agent, const struct mad_address *to,
		   const unsigned char *request)
{
	unsigned int attribute = (unsigned int)bits_get(request, 16 * 8, 16);
	const struct node node = {
		.type = NODE_TYPE_SWITCH,
		.guid = request[7],
		.lid = 100,
		.top = LIDS,
		.table = {[5] = 1},
	};
	unsigned char mad[MAD_BYTES];

	(void)agent;
	(void)to;
	memcpy(mad, request, MAD_BYTES);
	memset(mad + 64, 0, 64);
	mad[3] |= UMAD_METHOD_RESP_MASK;
	mad[4] = 0x80;
	say(&node, attribute, 1, mad + 64);
	fake_put(fake, 0, mad, MAD_BYTES, 0);
	return 0;
}

static void far(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	subnet.fake.on_send = endless;
	check_end(&subnet, 5, WALK_FAR, MAD_HOPS_MOST, MAD_HOPS_MOST);
}

static void check_silent(struct subnet *subnet, unsigned int lid, unsigned int attribute,
			 unsigned int hops)
{
	struct fabric_walk walk;

	walk_to(subnet, lid, &walk);
	assert_int_equal(walk.end, WALK_UNANSWERED);
	assert_int_equal(walk.failure.attribute, attribute);
	assert_int_equal(walk.failure.error, -ETIMEDOUT);
	assert_int_equal(walk.failure.tries, 2);
	assert_int_equal(walk.hops, hops);
}

static void failure(void **state)
{
	static const unsigned int attributes[] = {NODE_INFO, PORT_INFO, SWITCH_INFO, LINEAR_TABLE};
	struct subnet subnet;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		make(&subnet);
		subnet.nodes[2].silent = attributes[i];
		check_silent(&subnet, 16, attributes[i], 2);
	}
	/* The description is only needed for messages. */
	subnet.nodes[2].silent = NODE_DESCRIPTION;
	check(&subnet, 16, "0,1,2,2,3");
	/* A missing cable, the local port, an adapter. */
	subnet.nodes[2].silent = 0;
	subnet.nodes[2].table[16] = 4;
	check_silent(&subnet, 16, NODE_INFO, 3);
	subnet.nodes[0].silent = NODE_INFO;
	check_silent(&subnet, 16, NODE_INFO, 0);
	subnet.nodes[0].silent = 0;
	subnet.nodes[5].silent = PORT_INFO;
	check_silent(&subnet, 15, PORT_INFO, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrives),
		cmocka_unit_test(ends),
		cmocka_unit_test(far),
		cmocka_unit_test(failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
