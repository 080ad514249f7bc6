/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Correct and faulty routes through made-up subnets, and their balance over the cables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/route/forwarding.h"
#include "fabric/route/route.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { LEAVES = 3, SPINES = 2, HOSTS = 3, SWITCHES = LEAVES + SPINES, LIDS = 64 };

/*
 * Hosts are on ports 1 to 3 of the leaves, spines on 4 and 5; a leaf is on port 1 + its number of a
 * spine. LIDs: switches 1 to 5, hosts from 10 on.
 */
struct subnet {
	struct fabric fabric;
	uint32_t switches[SWITCHES], hosts[LEAVES * HOSTS];
	uint8_t tables[SWITCHES][LIDS];
};

static uint32_t add(struct fabric *fabric, unsigned int type, unsigned int ports, unsigned int lid)
{
	uint32_t node = sample_bare_node(fabric, type, 0x1000 + fabric->node_count, ports);
	struct fabric_port *port;

	port = &fabric->ports[fabric_port_at(fabric, node, type == NODE_TYPE_SWITCH ? 0 : 1)];
	port->has_info = true;
	bits_set(port->info, 16 * 8, 16, lid);
	return node;
}

static void cable(struct fabric *fabric, uint32_t one, unsigned int port, uint32_t other,
		  unsigned int other_port)
{
	fabric_link(fabric, fabric_port_at(fabric, one, port),
		    fabric_port_at(fabric, other, other_port));
}

static unsigned int host_lid(unsigned int host)
{
	return 10 + host;
}

/* Up through the spine selected by the LID, down by the only path. */
static void fill_tables(struct subnet *subnet)
{
	memset(subnet->tables, 0xff, sizeof(subnet->tables));
	for (unsigned int at = 0; at < SWITCHES; at++)
		for (unsigned int host = 0; host < LEAVES * HOSTS; host++) {
			unsigned int leaf = host / HOSTS, lid = host_lid(host);

			subnet->tables[at][lid] = (uint8_t)(at >= LEAVES ? 1 + leaf
							    : at == leaf ? 1 + host % HOSTS
									 : 4 + lid % SPINES);
		}
	for (unsigned int at = 0; at < SWITCHES; at++)
		for (unsigned int other = 0; other < SWITCHES; other++) {
			uint8_t port = at == other	 ? 0
				       : at >= LEAVES	 ? (uint8_t)(1 + other % LEAVES)
				       : other >= LEAVES ? (uint8_t)(4 + other - LEAVES)
							 : 4;

			subnet->tables[at][1 + other] = port;
		}
}

static void make(struct subnet *subnet)
{
	struct fabric *fabric = &subnet->fabric;

	*subnet = (struct subnet){.fabric = {.nodes = NULL}};
	for (unsigned int i = 0; i < SWITCHES; i++)
		subnet->switches[i] = add(fabric, NODE_TYPE_SWITCH, 6, 1 + i);
	for (unsigned int i = 0; i < LEAVES * HOSTS; i++) {
		subnet->hosts[i] = add(fabric, NODE_TYPE_CA, 2, host_lid(i));
		cable(fabric, subnet->hosts[i], 1, subnet->switches[i / HOSTS], 1 + i % HOSTS);
	}
	for (unsigned int i = 0; i < LEAVES; i++)
		for (unsigned int j = 0; j < SPINES; j++)
			cable(fabric, subnet->switches[i], 4 + j, subnet->switches[LEAVES + j],
			      1 + i);
	fill_tables(subnet);
}

static unsigned int look_up(void *context, uint32_t node, uint16_t lid)
{
	const struct subnet *subnet = context;

	assert_true(node < SWITCHES && lid < LIDS);
	return subnet->tables[node][lid] == 200 ? FORWARDING_UNKNOWN : subnet->tables[node][lid];
}

static uint32_t port_of_host(const struct subnet *subnet, unsigned int host)
{
	return fabric_port_at(&subnet->fabric, subnet->hosts[host], 1);
}

static void follow(struct subnet *subnet, unsigned int from, unsigned int to,
		   struct fabric_route *route)
{
	*route = (struct fabric_route){.ports = NULL};
	route_follow(&subnet->fabric, port_of_host(subnet, from), port_of_host(subnet, to),
		     (uint16_t)host_lid(to), look_up, subnet, route);
}

/* Routes within a leaf, across, to and from a switch, and from a switch to itself. */
static void ways_that_arrive(void **state)
{
	struct subnet subnet;
	struct fabric_route route;
	const struct fabric *fabric = &subnet.fabric;
	uint32_t spine;

	(void)state;
	make(&subnet);
	follow(&subnet, 0, 2, &route);
	assert_int_equal(route.end, ROUTE_ARRIVED);
	assert_int_equal(route.count, 2);
	assert_int_equal(route.ports[0], port_of_host(&subnet, 0));
	assert_int_equal(route.ports[1], fabric_port_at(fabric, subnet.switches[0], 3));
	assert_int_equal(route.node, subnet.hosts[2]);
	route_clear(&route);
	follow(&subnet, 0, 8, &route); /* LID 18: through spine 0 */
	assert_int_equal(route.end, ROUTE_ARRIVED);
	assert_int_equal(route.count, 4);
	assert_int_equal(route.ports[1], fabric_port_at(fabric, subnet.switches[0], 4));
	assert_int_equal(route.ports[2], fabric_port_at(fabric, subnet.switches[LEAVES], 3));
	assert_int_equal(route.ports[3], fabric_port_at(fabric, subnet.switches[2], 3));
	route_clear(&route);
	spine = fabric_port_at(fabric, subnet.switches[LEAVES + 1], 0);
	route_follow(fabric, port_of_host(&subnet, 4), spine, 5, look_up, &subnet, &route);
	assert_int_equal(route.end, ROUTE_ARRIVED);
	assert_int_equal(route.count, 2);
	assert_int_equal(route.node, subnet.switches[LEAVES + 1]);
	route_clear(&route);
	route_follow(fabric, spine, port_of_host(&subnet, 4), 14, look_up, &subnet, &route);
	assert_int_equal(route.end, ROUTE_ARRIVED);
	assert_int_equal(route.count, 2);
	assert_int_equal(route.ports[0], fabric_port_at(fabric, subnet.switches[LEAVES + 1], 2));
	route_clear(&route);
	route_follow(fabric, spine, spine, 5, look_up, &subnet, &route);
	assert_int_equal(route.end, ROUTE_ARRIVED);
	assert_int_equal(route.count, 0);
	fabric_clear(&subnet.fabric);
}

static void check_end(struct subnet *subnet, unsigned int from, unsigned int to, enum route_end end,
		      size_t hops, uint32_t node)
{
	struct fabric_route route;

	follow(subnet, from, to, &route);
	assert_int_equal(route.end, end);
	assert_int_equal(route.count, hops);
	assert_int_equal(route.node, node);
	route_clear(&route);
}

static void ways_that_end(void **state)
{
	struct subnet subnet;

	(void)state;
	make(&subnet);
	subnet.tables[LEAVES][18] = FORWARDING_NOWHERE;
	check_end(&subnet, 0, 8, ROUTE_NOWHERE, 2, subnet.switches[LEAVES]);
	subnet.tables[LEAVES][18] = 200;
	check_end(&subnet, 0, 8, ROUTE_UNKNOWN, 2, subnet.switches[LEAVES]);
	subnet.tables[LEAVES][18] = 7;
	check_end(&subnet, 0, 8, ROUTE_NO_PORT, 2, subnet.switches[LEAVES]);
	subnet.tables[LEAVES][18] = 0;
	check_end(&subnet, 0, 8, ROUTE_NO_PORT, 2, subnet.switches[LEAVES]);
	subnet.tables[LEAVES][18] = 6;
	check_end(&subnet, 0, 8, ROUTE_NO_PEER, 3, subnet.switches[LEAVES]);
	/* Back to the switch that it came from. */
	subnet.tables[LEAVES][18] = 1;
	check_end(&subnet, 0, 8, ROUTE_LOOP, 3, subnet.switches[0]);
	subnet.tables[LEAVES][18] = 3;
	subnet.tables[2][18] = 1;
	check_end(&subnet, 0, 8, ROUTE_STRANGER, 4, subnet.hosts[6]);
	/* The adapter has this LID at its other port. */
	fabric_unlink(&subnet.fabric, port_of_host(&subnet, 6));
	fabric_unlink(&subnet.fabric, port_of_host(&subnet, 8));
	cable(&subnet.fabric, subnet.switches[2], 1, subnet.hosts[8], 2);
	check_end(&subnet, 0, 8, ROUTE_STRANGER, 4, subnet.hosts[8]);
	/* The source has no cable. */
	check_end(&subnet, 6, 0, ROUTE_NO_PEER, 1, subnet.hosts[6]);
	fabric_clear(&subnet.fabric);
}

static void way_back(void **state)
{
	struct subnet subnet;
	struct fabric_route there, back;

	(void)state;
	make(&subnet);
	follow(&subnet, 0, 8, &there); /* through spine 0 */
	follow(&subnet, 8, 0, &back);  /* LID 10: also through spine 0 */
	for (size_t i = 0; i < there.count; i++)
		assert_true(route_takes_back(&subnet.fabric, &there, i, &back));
	route_clear(&back);
	subnet.tables[2][10] = 5;
	follow(&subnet, 8, 0, &back);
	assert_true(route_takes_back(&subnet.fabric, &there, 0, &back));
	assert_false(route_takes_back(&subnet.fabric, &there, 1, &back));
	assert_false(route_takes_back(&subnet.fabric, &there, 2, &back));
	assert_true(route_takes_back(&subnet.fabric, &there, 3, &back));
	route_clear(&there);
	/* The same cable in the same direction is not the return path. */
	subnet.tables[LEAVES][18] = 6;
	follow(&subnet, 0, 8, &there);
	assert_false(route_takes_back(&subnet.fabric, &there, 1, &there));
	assert_false(route_takes_back(&subnet.fabric, &there, there.count - 1, &back));
	route_clear(&there);
	route_clear(&back);
	fabric_clear(&subnet.fabric);
}

/* Fills the tables as if they had been read. */
static void make_forwarding(const struct subnet *subnet, struct forwarding *forwarding)
{
	*forwarding = (struct forwarding){.count = SWITCHES};
	forwarding->tables = mem_alloc_zero(SWITCHES, sizeof(*forwarding->tables));
	forwarding->of_node = mem_alloc_zero(subnet->fabric.node_count, sizeof(uint32_t));
	forwarding->blocks = mem_alloc_zero(SWITCHES, sizeof(*forwarding->blocks));
	memset(forwarding->of_node, 0xff, subnet->fabric.node_count * sizeof(uint32_t));
	for (unsigned int i = 0; i < SWITCHES; i++) {
		forwarding->blocks[i].known = true;
		memcpy(forwarding->blocks[i].data, subnet->tables[i], LIDS);
		forwarding->of_node[subnet->switches[i]] = i;
		forwarding->tables[i] = (struct forwarding_table){
			.node = subnet->switches[i],
			.known = true,
			.lids = LIDS,
			.linear = i,
		};
	}
}

/* Follows each route separately, which is slow. */
static void count_one(struct subnet *subnet, unsigned int from, unsigned int to, uint64_t *pairs,
		      uint64_t *lost)
{
	struct fabric_route route;

	follow(subnet, from, to, &route);
	*lost += route.end != ROUTE_ARRIVED;
	for (size_t i = 1; i < route.count; i++) {
		/* Packets in a loop have no definite number of crossings of a cable. */
		if (route.end == ROUTE_LOOP &&
		    subnet->fabric.ports[route.ports[i]].node == route.node)
			break;
		pairs[route.ports[i]]++;
	}
	route_clear(&route);
}

static void check_balance(struct subnet *subnet)
{
	const struct fabric *fabric = &subnet->fabric;
	uint64_t *pairs = mem_alloc_zero(fabric->port_count, sizeof(*pairs)), lost = 0;
	uint32_t *routes = mem_alloc_zero(fabric->port_count, sizeof(*routes));
	struct forwarding forwarding;
	struct balance balance = {.routes = NULL};

	make_forwarding(subnet, &forwarding);
	balance_count(fabric, &forwarding, &balance);
	for (unsigned int to = 0; to < LEAVES * HOSTS; to++) {
		for (unsigned int from = 0; from < LEAVES * HOSTS; from++)
			if (from != to)
				count_one(subnet, from, to, pairs, &lost);
		for (unsigned int i = 0; i < SWITCHES; i++) {
			unsigned int port = subnet->tables[i][host_lid(to)];

			if (port && port <= 6)
				routes[fabric_port_at(fabric, subnet->switches[i], port)]++;
		}
	}
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		assert_int_equal(balance.routes[i], routes[i]);
		assert_int_equal(balance.pairs[i], pairs[i]);
	}
	assert_int_equal(balance.lost_pairs, lost);
	assert_int_equal(balance.lost_node == FABRIC_NONE, !lost);
	free(pairs);
	free(routes);
	balance_clear(&balance);
	forwarding_clear(&forwarding);
}

/* Compared with the routes of all pairs, with correct and with arbitrary tables. */
static void balance_of_all_pairs(void **state)
{
	struct subnet subnet;
	uint64_t random = 1;

	(void)state;
	make(&subnet);
	check_balance(&subnet);
	for (unsigned int round = 0; round < 300; round++) {
		for (unsigned int i = 0; i < 1 + round / 10; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			subnet.tables[(random >> 33) % SWITCHES]
				     [host_lid((random >> 40) % (LEAVES * HOSTS))] =
				(random >> 60) == 15 ? FORWARDING_NOWHERE : (random >> 50) % 8;
		}
		check_balance(&subnet);
		if (round % 3 == 2)
			fill_tables(&subnet);
	}
	fabric_clear(&subnet.fabric);
}

/* Eight hosts send to each of nine over two spines. */
static void balance_in_figures(void **state)
{
	struct subnet subnet;
	struct forwarding forwarding;
	struct balance balance = {.routes = NULL};
	const struct fabric *fabric = &subnet.fabric;

	(void)state;
	make(&subnet);
	make_forwarding(&subnet, &forwarding);
	balance_count(fabric, &forwarding, &balance);
	/* The six LIDs on the other leaves, 14 16 18 and 13 15 17: three each way. */
	assert_int_equal(balance.routes[fabric_port_at(fabric, subnet.switches[0], 4)], 3);
	assert_int_equal(balance.routes[fabric_port_at(fabric, subnet.switches[0], 5)], 3);
	assert_int_equal(balance.pairs[fabric_port_at(fabric, subnet.switches[0], 4)], 9);
	assert_int_equal(balance.routes[fabric_port_at(fabric, subnet.switches[0], 1)], 1);
	assert_int_equal(balance.pairs[fabric_port_at(fabric, subnet.switches[0], 1)], 8);
	assert_int_equal(balance.lost_pairs, 0);
	balance_clear(&balance);
	forwarding_clear(&forwarding);
	fabric_clear(&subnet.fabric);
}

static void count_user(void *context, uint32_t source, uint32_t destination, uint16_t lid)
{
	unsigned int *count = context;

	assert_true(source != destination);
	assert_int_equal(lid, host_lid(8));
	++*count;
}

/* Host 8 has another plane at leaf 0, with the same LID. Packets arrive there, too. */
static void planes(void **state)
{
	struct subnet subnet;
	struct forwarding forwarding;
	struct balance balance = {.routes = NULL};
	struct fabric *fabric = &subnet.fabric;
	unsigned int users = 0;
	uint32_t plane, out;

	(void)state;
	make(&subnet);
	plane = fabric_port_at(fabric, subnet.hosts[8], 2);
	out = fabric_port_at(fabric, subnet.switches[0], 6);
	fabric->ports[plane].has_info = true;
	fabric->ports[plane].guid = fabric->ports[port_of_host(&subnet, 8)].guid;
	bits_set(fabric->ports[plane].info, 16 * 8, 16, host_lid(8));
	fabric_link(fabric, plane, out);
	subnet.tables[0][host_lid(8)] = 6;
	check_end(&subnet, 0, 8, ROUTE_ARRIVED, 2, subnet.hosts[8]);
	make_forwarding(&subnet, &forwarding);
	balance_count(fabric, &forwarding, &balance);
	assert_int_equal(balance.lost_pairs, 0);
	/* From the hosts of that leaf, not from the plane itself. */
	assert_int_equal(balance.pairs[out], HOSTS);
	cable_users(fabric, &forwarding, out, count_user, &users);
	assert_int_equal(users, HOSTS);
	balance_clear(&balance);
	forwarding_clear(&forwarding);
	fabric_clear(fabric);
}

static void say_link(struct fabric_port *port, unsigned int width, unsigned int speed,
		     unsigned int mtu)
{
	port->has_info = true;
	port->info[31] = (uint8_t)width;
	port->info[32] = 4;
	port->info[33] = 5 << 4;
	port->info[35] = (uint8_t)(speed << 4);
	port->info[36] = (uint8_t)(mtu << 4);
}

/* 4x QDR, 2048 bytes at this end and 1024 at the other. */
static void path_record(void **state)
{
	struct subnet subnet;
	const struct fabric_view view = {.fabric = &subnet.fabric};
	struct route_path path = {.rate_gbps = {40, true}, .mtu_bytes = {1024, true}};
	struct route_row row;

	(void)state;
	make(&subnet);
	row = (struct route_row){
		.at = {.view = &view, .place = port_of_host(&subnet, 0)},
		.path = &path,
	};
	assert_int_equal(route_is_below_path(&row), TRISTATE_UNKNOWN);
	say_link(&subnet.fabric.ports[row.at.place], 2, 4, 4);
	say_link(&subnet.fabric.ports[subnet.fabric.ports[row.at.place].peer], 2, 4, 3);
	assert_int_equal(route_is_below_path(&row), TRISTATE_NO);
	path.mtu_bytes.value = 2048;
	assert_int_equal(route_is_below_path(&row), TRISTATE_YES);
	path.mtu_bytes.known = false;
	assert_int_equal(route_is_below_path(&row), TRISTATE_NO);
	path.rate_gbps.value = 56;
	assert_int_equal(route_is_below_path(&row), TRISTATE_YES);
	path.rate_gbps.known = false;
	assert_int_equal(route_is_below_path(&row), TRISTATE_UNKNOWN);
	path.rate_gbps.known = true;
	subnet.fabric.ports[row.at.place].info[33] = 2 << 4;
	assert_int_equal(route_is_below_path(&row), TRISTATE_UNKNOWN);
	row.path = NULL;
	assert_int_equal(route_is_below_path(&row), TRISTATE_UNKNOWN);
	fabric_clear(&subnet.fabric);
}

static void check_column(const struct fabric_row *row, const char *key, const char *expected)
{
	const struct schema *schemas[] = {&fabric_port_schema, &fabric_ports_schema};

	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		const bool of_ports = !i || strcmp(key, "neighbor_mtu_bytes") != 0;
		struct value value;

		field_get(schema_find(schemas[i], of_ports ? key : "mtu_bytes"), row, &value);
		assert_int_equal(value.kind == VALUE_NONE, !expected);
		if (!expected)
			continue;
		if (value.kind == VALUE_STRING)
			assert_string_equal(value.string, expected);
		else
			assert_int_equal(value.number, atoi(expected));
	}
}

/* `fabric port` shows the same for an end as `fabric ports`. */
static void end_of_link(void **state)
{
	struct subnet subnet;
	const struct fabric_view view = {.fabric = &subnet.fabric};
	struct fabric_row row;
	struct fabric_port *port;

	(void)state;
	make(&subnet);
	row = (struct fabric_row){.view = &view, .place = port_of_host(&subnet, 0)};
	port = &subnet.fabric.ports[row.place];
	say_link(port, 2, 4, 4);
	port->info[43] = 3 << 4;
	check_column(&row, "speed", "QDR");
	check_column(&row, "neighbor_mtu_bytes", "2048");
	check_column(&row, "vls_operational", "4");
	check_column(&row, "width_lanes", "4");
	port->vendor_speed = 1;
	check_column(&row, "speed", "FDR10");
	/* A port that is down reports its last values. */
	port->info[32] = 1;
	port->info[33] = 2 << 4;
	check_column(&row, "speed", NULL);
	check_column(&row, "neighbor_mtu_bytes", NULL);
	check_column(&row, "vls_operational", NULL);
	check_column(&row, "width_lanes", NULL);
	fabric_clear(&subnet.fabric);
}

/* An empty row shows nothing. */
static void empty_rows(void **state)
{
	const struct schema *schemas[] = {&fabric_route_schema, &fabric_tables_schema,
					  &fabric_multicast_schema, &fabric_balance_schema};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		void *row = mem_alloc_zero(1, schemas[i]->record_size);

		for (size_t j = 0; j < schemas[i]->field_count; j++) {
			struct value value;

			field_get(&schemas[i]->fields[j], row, &value);
			assert_int_equal(value.kind, VALUE_NONE);
		}
		free(row);
	}
}

static void give_lid(struct fabric *fabric, uint32_t place, unsigned int lid, unsigned int lmc)
{
	struct fabric_port *port = &fabric->ports[place];

	port->has_info = true;
	bits_set(port->info, 16 * 8, 16, lid);
	port->info[34] = (uint8_t)(0xf8 | lmc);
}

static void owners(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t node = add(&fabric, NODE_TYPE_SWITCH, 4, 0), ca = add(&fabric, NODE_TYPE_CA, 2, 0);
	uint32_t other = add(&fabric, NODE_TYPE_ROUTER, 1, 0), *lids;
	uint32_t *counts = mem_alloc_zero(FORWARDING_LIDS, sizeof(*counts));

	(void)state;
	give_lid(&fabric, fabric_port_at(&fabric, node, 0), 5, 0);
	give_lid(&fabric, fabric_port_at(&fabric, node, 1), 77, 0); /* ignored: 14.2.5.6 */
	give_lid(&fabric, fabric_port_at(&fabric, ca, 1), 16, 3);
	give_lid(&fabric, fabric_port_at(&fabric, ca, 2), 0xbfff, 7);
	give_lid(&fabric, fabric_port_at(&fabric, other, 1), 20, 0);
	lids = forwarding_owners(&fabric, NULL);
	assert_int_equal(lids[0], FABRIC_NONE);
	assert_int_equal(lids[5], fabric_port_at(&fabric, node, 0));
	assert_int_equal(lids[77], FABRIC_NONE);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(lids[16 + i], fabric_port_at(&fabric, ca, 1));
	assert_int_equal(lids[24], FABRIC_NONE);
	assert_int_equal(lids[0xbfff], fabric_port_at(&fabric, ca, 2));
	free(lids);
	/* Two nodes have LID 20, two ports of one node have LID 17. */
	give_lid(&fabric, fabric_port_at(&fabric, ca, 2), 17, 0);
	lids = forwarding_owners(&fabric, counts);
	assert_int_equal(counts[15], 0);
	assert_int_equal(counts[16], 1);
	assert_int_equal(counts[17], 1);
	assert_int_equal(counts[20], 2);
	free(lids);
	/* A port of one node, and two of another. */
	give_lid(&fabric, fabric_port_at(&fabric, ca, 1), 5, 0);
	give_lid(&fabric, fabric_port_at(&fabric, ca, 2), 5, 0);
	memset(counts, 0, FORWARDING_LIDS * sizeof(*counts));
	lids = forwarding_owners(&fabric, counts);
	assert_int_equal(counts[5], 2);
	assert_int_equal(lids[5], fabric_port_at(&fabric, node, 0));
	free(lids);
	free(counts);
	/* No LID, no PortInfo, a multicast LID. */
	give_lid(&fabric, fabric_port_at(&fabric, ca, 1), 0, 3);
	give_lid(&fabric, fabric_port_at(&fabric, ca, 2), 0xffff, 7);
	fabric.ports[fabric_port_at(&fabric, node, 0)].has_info = false;
	lids = forwarding_owners(&fabric, NULL);
	for (unsigned int i = 0; i < FORWARDING_LIDS; i++)
		assert_int_equal(lids[i],
				 i == 20 ? fabric_port_at(&fabric, other, 1) : FABRIC_NONE);
	free(lids);
	fabric_clear(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_that_arrive),   cmocka_unit_test(ways_that_end),
		cmocka_unit_test(way_back),	      cmocka_unit_test(balance_of_all_pairs),
		cmocka_unit_test(balance_in_figures), cmocka_unit_test(path_record),
		cmocka_unit_test(empty_rows),	      cmocka_unit_test(owners),
		cmocka_unit_test(end_of_link),	      cmocka_unit_test(planes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
