/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of ibnetdiscover -p, as its dump_ports_report() writes them: type, LID, number and GUID of
 * a port, width, speed, then the other end in the same form and both names, or one name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/format/topology.h"
#include "fabric/graph/graph.h"

#define LEAF  "0x0002c902004f0000"
#define NODE  "0x0002c903000e0001"
#define SPINE "0x0002c902004f0100"

static int read_list(const char *text, struct fabric *fabric)
{
	_cleanup_(freep) char *message = NULL;

	*fabric = (struct fabric){.nodes = NULL};
	return fabric_read_topology(text, strlen(text), fabric, &message);
}

static const struct fabric_node *node_of(const struct fabric *fabric, uint64_t guid)
{
	uint32_t number = fabric_find(fabric, guid);

	assert_int_not_equal(number, FABRIC_NONE);
	return &fabric->nodes[number];
}

/* A switch, a router and two adapter ports; the last line of each switch has no other end. */
static void every_part_of_a_line(void **state)
{
	static const char list[] = "SW     7  2 " LEAF " 4x FDR10 - CA 65535  1 " NODE
				   " ( 'leaf - 1' - 'it's HCA-1' )\n"
				   "SW     7  1 " LEAF
				   " 12x XDR - RT     9  2 0x0002c903000e0090 ( 'x' - 'way out' )\n"
				   "SW     7  9 " LEAF
				   " 4x SDR                                    'leaf - 1'\n"
				   "SW     8 36 " SPINE
				   " 4x SDR                                    'it's a spine'\n"
				   "CA 65535  1 " NODE " 4x FDR10 - SW     7  2 " LEAF
				   " ( 'it's HCA-1' - 'leaf - 1' )\n"
				   "RT     9  2 0x0002c903000e0090 12x XDR - SW     7  1 " LEAF
				   " ( 'way out' - 'y' )\n";
	const struct fabric_node *leaf, *spine, *node, *router;
	const struct fabric_port *port;
	struct fabric fabric;

	(void)state;
	assert_int_equal(read_list(list, &fabric), 0);
	assert_int_equal(fabric.node_count, 4);
	leaf = node_of(&fabric, 0x0002c902004f0000);
	spine = node_of(&fabric, 0x0002c902004f0100);
	node = node_of(&fabric, 0x0002c903000e0001);
	router = node_of(&fabric, 0x0002c903000e0090);
	assert_int_equal(leaf->type, NODE_TYPE_SWITCH);
	assert_int_equal(node->type, NODE_TYPE_CA);
	assert_int_equal(router->type, NODE_TYPE_ROUTER);
	/* The highest port number of any line. */
	assert_int_equal(leaf->port_count, 9);
	assert_int_equal(spine->port_count, 36);
	assert_int_equal(router->port_count, 2);
	/* The names: up to the separator, or to the last quotation mark. */
	assert_string_equal((const char *)leaf->description, "leaf - 1");
	assert_string_equal((const char *)spine->description, "it's a spine");
	assert_string_equal((const char *)node->description, "it's HCA-1");
	assert_string_equal((const char *)router->description, "way out");
	assert_int_equal(node_info_port_guid(leaf->info), leaf->guid);
	assert_int_equal(node_info_port_guid(node->info), node->guid);
	assert_int_equal(fabric_port_lid(&fabric.ports[leaf->first_port]), 7);
	assert_int_equal(fabric_port_lid(&fabric.ports[spine->first_port]), 8);
	port = &fabric.ports[node->first_port + 1];
	assert_int_equal(port_info_lid(port->info), 65535);
	assert_int_equal(port->guid, node->guid);
	assert_int_equal(fabric_lanes(port), 4);
	assert_int_equal(fabric_speed(port), SPEED_FDR10);
	assert_int_equal(port->peer, leaf->first_port + 2);
	port = &fabric.ports[leaf->first_port + 1];
	assert_int_equal(fabric_lanes(port), 12);
	assert_int_equal(fabric_speed(port), SPEED_XDR);
	assert_int_equal(port->peer, router->first_port + 2);
	assert_int_equal(fabric.ports[leaf->first_port + 9].peer, FABRIC_NONE);
	/* Reported once, at the first line. */
	assert_int_equal(fabric.fault_count, 1);
	assert_int_equal(fabric.faults[0].line, 1);
	assert_string_equal(fabric.faults[0].reason,
			    "a list of ibnetdiscover -p has no GUIDs of nodes: each port of an "
			    "adapter is a node of its own, and the number of a switch's ports is a "
			    "guess");
	fabric_clear(&fabric);
}

/* Lines of two nodes with one GUID, such as a switch and an adapter, are two blocks. */
static void blocks(void **state)
{
	struct fabric fabric;

	(void)state;
	assert_int_equal(read_list("SW 1 1 " LEAF " 4x SDR 'a'\nCA 2 1 " LEAF " 4x SDR 'b'\n"
				   "CA 3 1 " NODE " 4x SDR 'c'\nCA 3 2 " NODE " 4x SDR 'd'\n",
				   &fabric),
			 0);
	assert_int_equal(fabric.node_count, 3);
	assert_string_equal((const char *)node_of(&fabric, 0x0002c903000e0001)->description, "c");
	assert_int_equal(node_of(&fabric, 0x0002c903000e0001)->port_count, 2);
	fabric_clear(&fabric);
}

/* Numbers at the limits and beyond; a line that is not of the list, and an invalid other end. */
static void limits(void **state)
{
	static const struct {
		const char *line;
		unsigned int nodes, ports; /* of the first node */
	} rows[] = {
		{"SW 1 254 " LEAF " 4x SDR 'a'", 1, 254},
		{"SW 1 255 " LEAF " 4x SDR 'a'", 0, 0},
		{"SW 1 0 " LEAF " 4x SDR 'a'", 0, 0},
		{"SW 1 1 " LEAF " 4x SDR 'a'", 1, 1},
		{"SW 65535 1 " LEAF " 4x SDR 'a'", 1, 1},
		{"SW 65536 1 " LEAF " 4x SDR 'a'", 0, 0},
		{"SC 1 1 " LEAF " 4x SDR 'a'", 0, 0},
		{"SW 1 1 0x0002c902004f000 4x SDR 'a'", 0, 0},
		{"SW 1 1 0x0002c902004f0000", 0, 0},
		{"SW 1 1 0x0002c902004f0000 4x", 0, 0},
		{"SW 1 1 " LEAF " ??? ??? 'a'", 1, 1},
		{"1 1 " LEAF " 4x SDR 'a'", 0, 0},
		{"CaSW 1 1 " LEAF " 4x SDR 'a'", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fabric fabric;
		int rc = read_list(rows[i].line, &fabric);

		if (rc != (rows[i].nodes ? 0 : -ENOMSG) || fabric.node_count != rows[i].nodes ||
		    (rows[i].nodes && fabric.nodes[0].port_count != rows[i].ports))
			fail_msg("%s", rows[i].line);
		fabric_clear(&fabric);
	}
}

/* Only a valid other end makes a cable; both ends then have it. */
static void other_ends(void **state)
{
	static const struct {
		const char *end;
		bool joined;
	} rows[] = {
		{"CA 2 1 " NODE, true},
		{"CA 65536 1 " NODE, false},
		{"CA 2 0 " NODE, false},
		{"XX 2 1 " NODE, false},
		{"CA 2 1 0x0002c903000e000", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = mem_format(
			"SW 1 3 " LEAF " 4x EDR - %s ( 'a' - 'b' )\nCA 2 1 " NODE " 4x EDR 'b'\n",
			rows[i].end);
		const struct fabric_node *leaf;
		struct fabric fabric;

		assert_int_equal(read_list(text, &fabric), 0);
		leaf = node_of(&fabric, 0x0002c902004f0000);
		if ((fabric.ports[leaf->first_port + 3].peer != FABRIC_NONE) != rows[i].joined)
			fail_msg("%s", rows[i].end);
		fabric_clear(&fabric);
	}
}

/* Names of a node name map may have more than two hundred bytes. */
static void long_names(void **state)
{
	_cleanup_(freep) char *name = mem_format("%0220u", 7u);
	_cleanup_(freep) char *text = mem_format("SW 1 1 " LEAF " 4x SDR - CA 2 1 " NODE
						 " ( '%s' - '%s' )\nCA 2 1 " NODE
						 " 4x SDR - SW 1 1 " LEAF " ( '%s' - '%s' )\n",
						 name, name, name, name);
	const struct fabric_node *leaf;
	struct fabric fabric;

	(void)state;
	assert_int_equal(read_list(text, &fabric), 0);
	assert_int_equal(fabric.node_count, 2);
	leaf = node_of(&fabric, 0x0002c902004f0000);
	assert_memory_equal(leaf->description, name, NODE_DESCRIPTION_BYTES);
	assert_int_not_equal(fabric.ports[leaf->first_port + 1].peer, FABRIC_NONE);
	fabric_clear(&fabric);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_of_a_line),
		cmocka_unit_test(blocks),
		cmocka_unit_test(limits),
		cmocka_unit_test(other_ends),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests_name("topology_ports", tests, NULL, NULL);
}
