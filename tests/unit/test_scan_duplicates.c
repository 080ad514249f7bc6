/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scans of subnets with duplicate GUIDs, and of nodes that lie: the scan always ends. */
#include "made_up_subnet.h"

/* Two leaf switches that are exact clones, and two adapters with the same GUID. */
static void clones(void **state)
{
	struct subnet *subnet = new_subnet();
	unsigned int host = add(subnet, NODE_TYPE_CA, 1), hub = add(subnet, NODE_TYPE_SWITCH, 8);
	unsigned int marked = 0;

	(void)state;
	cable(subnet, host, 1, hub, 1);
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int leaf = add(subnet, NODE_TYPE_SWITCH, 4);

		subnet->nodes[leaf].guid = 0x77;
		cable(subnet, hub, 2 + i, leaf, 4);
		cable(subnet, hub, 4 + i, leaf, 3);
		for (unsigned int j = 1; j <= 2; j++) {
			unsigned int end = add(subnet, NODE_TYPE_CA, 1);

			if (j == 1)
				subnet->nodes[end].guid = 0x88;
			cable(subnet, leaf, j, end, 1);
		}
	}
	scan(subnet);
	assert_int_equal(subnet->rc, 0);
	check_truth(subnet);
	for (uint32_t i = 0; i < subnet->fabric.node_count; i++)
		marked += subnet->fabric.nodes[i].ambiguous;
	assert_int_equal(marked, 4);
	drop_subnet(subnet);
}

/* Cables between clones look like cables from a switch to itself, some to the same port. */
static void cabled_clones(void **state)
{
	struct subnet *subnet = new_subnet();
	unsigned int host = add(subnet, NODE_TYPE_CA, 1), one = add(subnet, NODE_TYPE_SWITCH, 8);
	unsigned int other = add(subnet, NODE_TYPE_SWITCH, 8), end = add(subnet, NODE_TYPE_CA, 1);

	(void)state;
	subnet->nodes[other].guid = subnet->nodes[one].guid;
	cable(subnet, host, 1, one, 8);
	cable(subnet, other, 7, end, 1);
	cable(subnet, one, 1, other, 1);
	cable(subnet, one, 2, other, 3);
	cable(subnet, one, 3, other, 2);
	cable(subnet, one, 4, other, 5);
	cable(subnet, one, 5, one, 6);
	scan(subnet);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.failure_count, 0);
	check_truth(subnet);
	drop_subnet(subnet);
}

static bool has_met(const struct subnet *subnet, unsigned int number)
{
	for (uint32_t i = 0; i < subnet->fabric.node_count; i++)
		if (number_of_node(&subnet->fabric, i) == number)
			return true;
	return false;
}

/* Makes one node the clone of another of the same kind and number of ports. */
static void make_clone(struct subnet *subnet, unsigned int one, unsigned int other)
{
	struct node *node = &subnet->nodes[other];

	if (subnet->nodes[one].type != node->type)
		return;
	node->guid = subnet->nodes[one].guid;
	node->ports = subnet->nodes[one].ports;
	for (unsigned int p = node->ports + 1; p <= MOST_PORTS; p++) {
		if (node->peer[p] == NOWHERE)
			continue;
		subnet->nodes[node->peer[p]].peer[node->peer_port[p]] = NOWHERE;
		node->peer[p] = NOWHERE;
	}
}

static bool looks_like(const struct subnet *subnet, unsigned int one, unsigned int other)
{
	return subnet->nodes[one].guid == subnet->nodes[other].guid;
}

/*
 * Whether the found port is what a node at the far end of this port's cable would show as its own.
 */
static bool is_far_end(const struct subnet *subnet, const struct node *node, unsigned int port,
		       uint32_t found)
{
	const struct fabric *fabric = &subnet->fabric;

	return node->peer[port] != NOWHERE && found != FABRIC_NONE &&
	       fabric->ports[found].number == node->peer_port[port] &&
	       looks_like(subnet, number_of_node(fabric, fabric->ports[found].node),
			  node->peer[port]);
}

/*
 * Two switches were merged, `lost` into `met`. A cable is queried from one end only, so that is
 * right if no answer contradicts it: each cable of the other nodes leads to a port of that number,
 * no two of them to the same port, and to none that is down; and each port of the merged switch
 * shows a cable of one of the two.
 */
static void check_taken_for_one(const struct subnet *subnet, unsigned int met, unsigned int lost)
{
	const struct fabric *fabric = &subnet->fabric;

	for (uint32_t i = 0; i < fabric->node_count; i++) {
		unsigned int number = number_of_node(fabric, i);
		const struct node *node = &subnet->nodes[number];

		assert_int_not_equal(number, lost);
		for (unsigned int port = 1; port <= node->ports; port++) {
			uint32_t peer = fabric->ports[fabric_port_at(fabric, i, port)].peer;
			unsigned int far = node->peer[port];

			if (number == met) {
				assert_true(peer == FABRIC_NONE ||
					    is_far_end(subnet, node, port, peer) ||
					    is_far_end(subnet, &subnet->nodes[lost], port, peer));
				continue;
			}
			/*
			 * Nodes are queried through the first adapter, but never through another
			 * one.
			 */
			if (far == NOWHERE || (node->type != NODE_TYPE_SWITCH && number))
				continue;
			assert_true(is_far_end(subnet, node, port, peer));
			if (far == lost)
				assert_int_not_equal(subnet->nodes[met].peer[node->peer_port[port]],
						     NOWHERE);
		}
	}
}

/* Returns whether the two were merged; otherwise checks that the full truth was found. */
static bool check_clones(const struct subnet *subnet, unsigned int one, unsigned int other)
{
	bool *seen = reachable(subnet), merged = seen[one] && seen[other] && one != other;

	free(seen);
	merged = merged && subnet->nodes[one].type == NODE_TYPE_SWITCH &&
		 looks_like(subnet, one, other) && has_met(subnet, one) != has_met(subnet, other);
	if (!merged)
		check_truth(subnet);
	else if (has_met(subnet, one))
		check_taken_for_one(subnet, one, other);
	else
		check_taken_for_one(subnet, other, one);
	return merged;
}

/* Two random switches or adapters of a subnet, one the clone of the other. */
static void random_clones(void **state)
{
	/* Subnet CABLED has clones that are cabled to each other, at ports of the same number. */
	enum { SUBNETS = 1600, CABLED = 3110 };
	unsigned int merged = 0;

	(void)state;
	for (unsigned int i = 0; i <= SUBNETS; i++) {
		uint64_t random = i < SUBNETS ? i : CABLED;
		struct subnet *subnet = random_subnet(&random);
		unsigned int one = 1 + random_below(&random, subnet->count - 1);
		unsigned int other = 1 + random_below(&random, subnet->count - 1);

		make_clone(subnet, one, other);
		scan(subnet);
		assert_int_equal(subnet->rc, 0);
		merged += check_clones(subnet, one, other);
		drop_subnet(subnet);
	}
	assert_in_range(merged, 1, SUBNETS / 50);
}

/*
 * Makes a node always lie about the port that it is queried through: switches 1 to 4, 8 ports each.
 */
static struct subnet *subnet_of_liar(unsigned int who, unsigned int lie)
{
	struct subnet *subnet = new_subnet();

	add(subnet, NODE_TYPE_CA, 1);
	for (unsigned int i = 0; i < 4; i++)
		add(subnet, NODE_TYPE_SWITCH, 8);
	cable(subnet, 0, 1, 1, 1);
	cable(subnet, 1, 2, 3, 1);
	cable(subnet, 1, 3, 4, 1);
	cable(subnet, 2, 2, 3, 2);
	cable(subnet, 2, 3, 4, 2);
	for (unsigned int i = 0; i < 3; i++)
		cable(subnet, i < 2 ? 2 : 1, 5 + i, add(subnet, NODE_TYPE_CA, 1), 1);
	subnet->nodes[who].lie_local = lie;
	return subnet;
}

/* Returns how many nodes were refused. */
static unsigned int check_refused(const struct subnet *subnet, int error)
{
	unsigned int count = 0;

	for (size_t i = 0; i < subnet->fabric.failure_count; i++) {
		const struct fabric_failure *failure = &subnet->fabric.failures[i];

		if (failure->error != error)
			continue;
		assert_true(failure->at_peer);
		/* Unless the cable is known from its other end. */
		assert_int_equal(subnet->fabric.ports[failure->port].unanswered,
				 subnet->fabric.ports[failure->port].peer == FABRIC_NONE);
		count++;
	}
	return count;
}

static void liar(void **state)
{
	unsigned int refused = 0;

	(void)state;
	for (unsigned int i = 0; i < 4 * 8; i++) {
		unsigned int lie = 1 + i / 4;
		struct subnet *subnet = subnet_of_liar(1 + i % 4, lie);

		scan(subnet);
		assert_int_equal(subnet->rc, 0);
		assert_in_range(subnet->fabric.node_count, 2,
				subnet->count * FABRIC_SCAN_DUPLICATES);
		assert_in_range(subnet->asked[NODE_INFO], 2, 1000);
		/* A lie that shows a port without a cable hides no node. */
		for (unsigned int node = 0; node < subnet->count && lie == 4; node++)
			assert_true(has_met(subnet, node));
		refused += check_refused(subnet, -ELOOP);
		drop_subnet(subnet);
	}
	assert_true(refused > 0);
}

static void random_liars(void **state)
{
	const struct fabric_scan_options options = {.path_hops = 0};
	uint64_t random = 11;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		struct subnet *subnet = random_subnet(&random);

		for (unsigned int j = 0; j < 4; j++) {
			unsigned int who = 1 + random_below(&random, subnet->count - 1);
			struct node *node = &subnet->nodes[who];

			node->lie_local = 1 + random_below(&random, node->ports);
			node->guid = 0x1000 + random_below(&random, subnet->count);
		}
		scan_with(subnet, &options, 1);
		assert_int_equal(subnet->rc, 0);
		assert_in_range(subnet->fabric.node_count, 2,
				subnet->count * FABRIC_SCAN_DUPLICATES);
		check_refused(subnet, -ELOOP);
		drop_subnet(subnet);
	}
}

/* Each answer describes another switch with cables in all ports. */
static int answer_new_guids(struct fake *fake, int agent, const struct mad_address *to,
			    const unsigned char *request)
{
	struct node node = {.type = NODE_TYPE_SWITCH, .ports = 8};
	struct subnet *subnet = fake->context;
	unsigned int attribute = (unsigned int)bits_get(request, 16 * 8, 16);
	unsigned char mad[MAD_BYTES];

	(void)agent;
	(void)to;
	memcpy(mad, request, sizeof(mad));
	mad[3] |= UMAD_METHOD_RESP_MASK;
	memset(mad + 64, 0, 64);
	if (attribute == NODE_INFO) {
		node.guid = 0x1000 + subnet->asked[NODE_INFO]++;
		subnet->nodes[0] = node;
		say_node(subnet, 0, 1, mad + 64);
	} else if (attribute == PORT_INFO) {
		say_port(&node, request[23], mad + 64);
	}
	fake_put(fake, 0, mad, MAD_BYTES, 0);
	return 0;
}

static void ever_new(void **state)
{
	const struct fabric_scan_options options = {.most_ports = 3000};
	struct subnet *subnet = new_subnet();

	(void)state;
	subnet->fake.on_send = answer_new_guids;
	scan_with(subnet, &options, 5000);
	assert_int_equal(subnet->rc, 0);
	assert_in_range(subnet->fabric.port_count, 3000 - 9, 3000);
	/* Failures are reported for the queries in flight, not for each port. */
	assert_in_range(check_refused(subnet, -ENOSPC), 1, ENGINE_MOST_WINDOW);
	drop_subnet(subnet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clones),	 cmocka_unit_test(cabled_clones),
		cmocka_unit_test(random_clones), cmocka_unit_test(liar),
		cmocka_unit_test(random_liars),	 cmocka_unit_test(ever_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
