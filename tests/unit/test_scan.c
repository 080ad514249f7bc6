/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scans of simulated subnets: complete, damaged, and with malformed answers. */
#include "fabric/graph/view.h"
#include "made_up_subnet.h"

/* An adapter, two switches with two cables between them, and an adapter that uses both ports. */
static struct subnet *small_subnet(void)
{
	struct subnet *subnet = new_subnet();
	unsigned int host = add(subnet, NODE_TYPE_CA, 1), one = add(subnet, NODE_TYPE_SWITCH, 8);
	unsigned int other = add(subnet, NODE_TYPE_SWITCH, 8), two = add(subnet, NODE_TYPE_CA, 2);
	unsigned int router = add(subnet, NODE_TYPE_ROUTER, 2);

	cable(subnet, host, 1, one, 1);
	cable(subnet, one, 2, other, 3);
	cable(subnet, one, 3, other, 2);
	cable(subnet, one, 4, two, 2);
	cable(subnet, other, 4, two, 1);
	cable(subnet, other, 8, router, 1);
	/* A cable from a switch to itself. */
	cable(subnet, one, 6, one, 7);
	return subnet;
}

static void small(void **state)
{
	struct subnet *subnet = small_subnet();

	(void)state;
	scan(subnet);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.failure_count, 0);
	check_truth(subnet);
	/* One query for the first node, and one for each cable except that of the first adapter. */
	assert_in_range(subnet->asked[NODE_INFO], 8, 8 + 2);
	/* An adapter that is reached twice is recognised by its description. */
	assert_int_equal(subnet->asked[NODE_DESCRIPTION], 5 + 1);
	assert_int_equal(subnet->asked[SWITCH_INFO], 2);
	assert_int_equal(subnet->asked[PORT_INFO], 1 + 9 + 9 + 2 + 1);
	for (uint32_t i = 0; i < subnet->fabric.node_count; i++)
		assert_false(subnet->fabric.nodes[i].ambiguous);
	drop_subnet(subnet);
}

/* The largest number of ports, counting port 0 of each node, and one more. */
static void most_ports(void **state)
{
	static const uint32_t all = 2 + 9 + 9 + 3 + 3;

	(void)state;
	for (uint32_t most = all - 1; most <= all + 1; most++) {
		struct subnet *subnet = small_subnet();
		const struct fabric_scan_options options = {.most_ports = most};

		scan_with(subnet, &options, 5000);
		assert_int_equal(subnet->rc, 0);
		if (most >= all) {
			assert_int_equal(subnet->fabric.failure_count, 0);
			check_truth(subnet);
		} else {
			assert_true(subnet->fabric.failure_count > 0);
			for (size_t i = 0; i < subnet->fabric.failure_count; i++)
				assert_int_equal(subnet->fabric.failures[i].error, -ENOSPC);
			assert_int_equal(subnet->fabric.node_count, 4);
		}
		drop_subnet(subnet);
	}
}

struct listener {
	const struct subnet *subnet;
	unsigned int replies, waiting;
};

/* Waits for whatever a node has not reported yet: its description, and PortInfo of switch ports. */
static void listen_to(void *context)
{
	struct listener *listener = context;
	const struct fabric *fabric = &listener->subnet->fabric;

	listener->replies++;
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		const struct fabric_node *node = &fabric->nodes[i];
		bool whole = node->has_description;

		for (uint32_t port = 1; port <= node->port_count; port++)
			whole &= node->type != NODE_TYPE_SWITCH ||
				 fabric->ports[node->first_port + port].has_info;
		assert_true(whole || node->pending);
		listener->waiting += !whole;
	}
}

static void what_is_waited_for(void **state)
{
	struct subnet *subnet = small_subnet();
	struct listener listener = {.subnet = subnet};
	const struct fabric_scan_options options = {.on_reply = listen_to, .context = &listener};

	(void)state;
	scan_with(subnet, &options, 5000);
	assert_int_equal(subnet->rc, 0);
	check_truth(subnet);
	assert_int_equal(listener.replies, subnet->fake.sends);
	assert_true(listener.waiting > 0);
	for (uint32_t i = 0; i < subnet->fabric.node_count; i++)
		assert_int_equal(subnet->fabric.nodes[i].pending, 0);
	drop_subnet(subnet);
}

/* PortInfo shows FDR10 as QDR: nodes of Mellanox and Bull are queried by a vendor attribute. */
static void fdr10(void **state)
{
	static const struct {
		uint32_t vendor;
		uint8_t speed, speed_ext, vendor_speed;
		unsigned int asked;
		enum lane_speed found;
	} rows[] = {
		{0x2c9, 4, 0, 1, 1, SPEED_FDR10}, {0x119f, 4, 0, 1, 1, SPEED_FDR10},
		{0x2c9, 4, 0, 0, 1, SPEED_QDR},	  {0x66a, 4, 0, 1, 0, SPEED_QDR},
		{0x2c9, 2, 0, 1, 0, SPEED_DDR},	  {0x2c9, 4, 1, 1, 0, SPEED_FDR},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct subnet *subnet = new_subnet();
		unsigned int host = add(subnet, NODE_TYPE_CA, 1);
		unsigned int leaf = add(subnet, NODE_TYPE_SWITCH, 4);
		const struct fabric_port *port;

		cable(subnet, host, 1, leaf, 3);
		subnet->nodes[leaf].vendor = rows[i].vendor;
		subnet->nodes[leaf].speed = rows[i].speed;
		subnet->nodes[leaf].speed_ext = rows[i].speed_ext;
		subnet->nodes[leaf].vendor_speed = rows[i].vendor_speed;
		scan(subnet);
		assert_int_equal(subnet->rc, 0);
		port = &subnet->fabric.ports[fabric_port_at(
			&subnet->fabric, fabric_find(&subnet->fabric, 0x1000 + leaf), 3)];
		assert_int_equal(subnet->vendor_asked[leaf], rows[i].asked);
		assert_int_equal(subnet->vendor_asked[host], 0);
		assert_int_equal(fabric_speed(port), rows[i].found);
		drop_subnet(subnet);
	}
}

/* A QDR link could be FDR10 if both ends support it, which a skipped end must be queried for. */
static void qdr_that_could_be_fdr10(void **state)
{
	const struct fabric_scan_options spare = {.no_end_ports = true}, all = {.path_hops = 0};

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct subnet *subnet = new_subnet();
		unsigned int host = add(subnet, NODE_TYPE_CA, 1);
		unsigned int leaf = add(subnet, NODE_TYPE_SWITCH, 4);
		unsigned int end = add(subnet, NODE_TYPE_CA, 1);
		uint32_t port;

		cable(subnet, host, 1, leaf, 3);
		cable(subnet, leaf, 2, end, 1);
		subnet->nodes[leaf].vendor = subnet->nodes[end].vendor = 0x2c9;
		subnet->nodes[leaf].speed = subnet->nodes[end].speed = 4;
		subnet->nodes[leaf].vendor_speeds = i & 1;
		subnet->nodes[end].vendor_speeds = i >> 1 & 1;
		scan_with(subnet, i & 4 ? &spare : &all, 0);
		assert_int_equal(subnet->rc, 0);
		port = fabric_port_at(&subnet->fabric, fabric_find(&subnet->fabric, 0x1000 + leaf),
				      2);
		assert_int_equal(fabric_is_slow(&subnet->fabric, port), (i & 3) == 3);
		if ((i & 3) == 3)
			assert_int_equal(fabric_best_speed(&subnet->fabric, port), SPEED_FDR10);
		drop_subnet(subnet);
	}
}

static void lossy(void **state)
{
	const struct fabric_scan_options options = {.path_hops = 0};
	struct subnet *subnet = small_subnet();

	(void)state;
	subnet->drop_percent = 10;
	scan_with(subnet, &options, 20);
	assert_int_equal(subnet->rc, 0);
	/* Four tries: about one request in ten thousand is still lost. */
	if (!subnet->fabric.failure_count)
		check_truth(subnet);
	drop_subnet(subnet);
}

static void limited(void **state)
{
	const struct fabric_scan_options options = {.most_hops = 1};
	const struct fabric_scan_options from = {.path = {0, 1, 2}, .path_hops = 2, .most_hops = 1};
	struct subnet *subnet = small_subnet();

	(void)state;
	scan_with(subnet, &options, 5000);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.node_count, 2);
	fabric_clear(&subnet->fabric);
	/* From the second switch, the scan reaches the first one and two adapters. */
	scan_with(subnet, &from, 5000);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.node_count, 4);
	assert_int_equal(number_of_node(&subnet->fabric, 0), 2);
	drop_subnet(subnet);
}

static void only_from_switches(void **state)
{
	const struct fabric_scan_options adapter = {.most_hops = 1, .switch_only = true};
	const struct fabric_scan_options next = {
		.path = {0, 1}, .path_hops = 1, .most_hops = 1, .switch_only = true};
	struct subnet *subnet = small_subnet();

	(void)state;
	scan_with(subnet, &adapter, 5000);
	assert_int_equal(subnet->rc, -ENXIO);
	assert_int_equal(subnet->fabric.node_count, 0);
	assert_int_equal(subnet->fabric.failure_count, 0);
	fabric_clear(&subnet->fabric);
	scan_with(subnet, &next, 5000);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(number_of_node(&subnet->fabric, 0), 1);
	drop_subnet(subnet);
}

/* The peer of a distant adapter is queried past it, because an adapter does not forward. */
static void from_adapter(void **state)
{
	const struct fabric_scan_options from = {.path = {0, 1, 4}, .path_hops = 2};
	struct subnet *subnet = small_subnet();

	(void)state;
	scan_with(subnet, &from, 5000);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.failure_count, 0);
	assert_int_equal(number_of_node(&subnet->fabric, 0), 3);
	check_truth(subnet);
	drop_subnet(subnet);
}

static const struct fabric_failure *only_silence(const struct subnet *subnet)
{
	assert_int_equal(subnet->fabric.failure_count, 1);
	return &subnet->fabric.failures[0];
}

static void silent(struct subnet *subnet, unsigned int node, unsigned int attribute,
		   unsigned int port)
{
	const struct fabric_scan_options options = {.path_hops = 0};

	subnet->nodes[node].silent = attribute;
	subnet->nodes[node].failed_port = port;
	scan_with(subnet, &options, 4);
	assert_int_equal(subnet->rc, 0);
}

static void unanswered(void **state)
{
	struct subnet *subnet = small_subnet();
	const struct fabric_failure *failure;

	(void)state;
	silent(subnet, 4, NODE_INFO, 0);
	failure = only_silence(subnet);
	assert_true(failure->at_peer);
	assert_int_equal(failure->attribute, NODE_INFO);
	assert_int_equal(failure->error, -ETIMEDOUT);
	assert_int_equal(failure->tries, 4);
	assert_int_equal(subnet->fabric.ports[failure->port].number, 8);
	assert_true(subnet->fabric.ports[failure->port].unanswered);
	assert_int_equal(subnet->fabric.node_count, 4);
	drop_subnet(subnet);
	/* A port without PortInfo: the node at its end is found through the other cable. */
	subnet = small_subnet();
	silent(subnet, 1, PORT_INFO, 2);
	failure = only_silence(subnet);
	assert_int_equal(failure->attribute, PORT_INFO);
	assert_false(failure->at_peer);
	assert_int_equal(subnet->fabric.ports[failure->port].number, 2);
	check_truth(subnet);
	drop_subnet(subnet);
	/* Not even the first node answers. */
	subnet = small_subnet();
	subnet->nodes[0].silent = NODE_INFO;
	scan_with(subnet, &(const struct fabric_scan_options){.path_hops = 0}, 4);
	assert_int_equal(subnet->rc, -EHOSTUNREACH);
	assert_int_equal(only_silence(subnet)->port, FABRIC_NONE);
	drop_subnet(subnet);
}

static void nonsense(void **state)
{
	static const unsigned int ports[] = {255, 3};

	(void)state;
	/* More ports than a node can have, and fewer than the number of the port in use. */
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		struct subnet *subnet = small_subnet();

		subnet->nodes[4].lie_ports = ports[i];
		subnet->nodes[2].lie_ports = i ? 2 : 0;
		scan(subnet);
		assert_int_equal(subnet->rc, 0);
		assert_true(subnet->fabric.failure_count > 0 || !i);
		drop_subnet(subnet);
	}
}

/* The route to the node is one hop longer than a directed route can be. */
static void check_path(const struct subnet *subnet)
{
	const struct fabric_view view = {.fabric = &subnet->fabric};
	const struct fabric_row row = {.view = &view};
	struct value value = {.kind = VALUE_NONE};
	size_t hops = 0;

	field_get(schema_find(&fabric_unanswered_schema, "path"), &row, &value);
	assert_int_equal(value.kind, VALUE_STRING);
	for (const char *at = value.string; *at; at++)
		hops += *at == ',';
	assert_int_equal(hops, 64);
}

/* A chain that is longer than a directed route. */
static void long_chain(void **state)
{
	struct subnet *subnet = new_subnet();

	(void)state;
	for (unsigned int i = 0; i < 70; i++) {
		add(subnet, NODE_TYPE_SWITCH, 2);
		if (i)
			cable(subnet, i - 1, 2, i, 1);
	}
	scan(subnet);
	assert_int_equal(subnet->rc, 0);
	assert_int_equal(subnet->fabric.node_count, 64);
	assert_int_equal(only_silence(subnet)->error, -E2BIG);
	check_path(subnet);
	drop_subnet(subnet);
}

static bool stop_at_once(void *context)
{
	(void)context;
	return true;
}

static void stopped(void **state)
{
	const struct mad_engine_options options = {.stopped = stop_at_once, .timeout_msec = 5000};
	const struct fabric_scan_options scan_options = {.path_hops = 0};
	struct subnet *subnet = small_subnet();
	struct mad_engine *engine;

	(void)state;
	/* A node that never answers: the scan waits for it, and is then stopped. */
	subnet->nodes[4].silent = NODE_INFO;
	engine = fake_engine(&subnet->fake, &options);
	assert_int_equal(fabric_scan(engine, &scan_options, &subnet->fabric), -ECANCELED);
	mad_engine_free(engine);
	assert_true(subnet->fabric.interrupted);
	assert_int_equal(subnet->fabric.node_count, 4);
	assert_int_equal(subnet->fabric.failure_count, 0);
	drop_subnet(subnet);
}

static void random_subnets(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		struct subnet *subnet = random_subnet(&random);

		scan(subnet);
		assert_int_equal(subnet->rc, 0);
		assert_int_equal(subnet->fabric.failure_count, 0);
		check_truth(subnet);
		drop_subnet(subnet);
	}
}

/* Whether the link at that port of the simulated node could be faster, and how fast. */
static enum lane_speed could_be(const struct fabric *fabric, unsigned int number, unsigned int port)
{
	uint32_t node = 0, place;

	while (number_of_node(fabric, node) != number)
		node++;
	place = fabric_port_at(fabric, node, port);
	return fabric_is_slow(fabric, place) ? fabric_best_speed(fabric, place) : SPEED_UNKNOWN;
}

/* Number of adapter ports whose PortInfo must be read: those at switch ports that support more. */
static unsigned int ends_to_ask(const struct subnet *subnet, const bool *seen)
{
	unsigned int count = 0;

	for (unsigned int i = 1; i < subnet->count; i++)
		for (unsigned int port = 1; port <= subnet->nodes[i].ports; port++) {
			const struct node *node = &subnet->nodes[i];

			count += seen[i] && node->type != NODE_TYPE_SWITCH &&
				 node->peer[port] != NOWHERE && seen[node->peer[port]] &&
				 subnet->nodes[node->peer[port]].supported > 1;
		}
	return count;
}

/* SDR links. Switch ports show the same as in a full scan, and no other PortInfo is read. */
static void without_end_ports(void **state)
{
	const struct fabric_scan_options options = {.no_end_ports = true};
	unsigned int faster = 0, spared = 0;
	uint64_t random = 11;

	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		struct subnet *subnet = random_subnet(&random);
		unsigned int asked, expected = 1;
		struct fabric whole;
		bool *seen = reachable(subnet);

		for (unsigned int i = 0; i < subnet->count; i++)
			subnet->nodes[i].supported = (uint8_t)(1 << random_below(&random, 3)) * 2 -
						     1;
		scan(subnet);
		whole = subnet->fabric;
		asked = subnet->asked[PORT_INFO];
		subnet->fabric = (struct fabric){.nodes = NULL};
		subnet->asked[PORT_INFO] = 0;
		scan_with(subnet, &options, 5000);
		assert_int_equal(subnet->rc, 0);
		assert_int_equal(subnet->fabric.failure_count, 0);
		check_truth(subnet);
		for (unsigned int i = 0; i < subnet->count; i++) {
			if (!seen[i] || subnet->nodes[i].type != NODE_TYPE_SWITCH)
				continue;
			expected += subnet->nodes[i].ports;
			for (unsigned int port = 1; port <= subnet->nodes[i].ports; port++) {
				enum lane_speed best = could_be(&whole, i, port);

				assert_int_equal(could_be(&subnet->fabric, i, port), best);
				faster += best != SPEED_UNKNOWN;
			}
		}
		assert_int_equal(subnet->asked[PORT_INFO], expected + ends_to_ask(subnet, seen));
		spared += asked - subnet->asked[PORT_INFO];
		fabric_clear(&whole);
		drop_subnet(subnet);
		free(seen);
	}
	assert_true(faster > 100 && spared > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small),
		cmocka_unit_test(fdr10),
		cmocka_unit_test(qdr_that_could_be_fdr10),
		cmocka_unit_test(lossy),
		cmocka_unit_test(limited),
		cmocka_unit_test(only_from_switches),
		cmocka_unit_test(from_adapter),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(long_chain),
		cmocka_unit_test(stopped),
		cmocka_unit_test(random_subnets),
		cmocka_unit_test(without_end_ports),
		cmocka_unit_test(what_is_waited_for),
		cmocka_unit_test(most_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
