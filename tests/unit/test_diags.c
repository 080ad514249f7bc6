/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order in which infiniband-diags discover the nodes of a subnet, and the names they print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/format/diags.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { AT_DEVICE = 30, AT_PHYSICAL_STATE = 33, AT_SPEED = 35, AT_SPEED_EXT = 62 };
enum { SWITCHX = 0xc738, QUANTUM = 0xd2f2, QDR = 4, EDR = 0x20 };

static uint32_t add_node(struct fabric *fabric, unsigned int type, unsigned int device)
{
	uint32_t node = sample_bare_node(fabric, type, fabric->node_count + 1u, 8);

	bits_set(fabric->nodes[node].info, (size_t)AT_DEVICE * 8, 16, device);
	return node;
}

static void set_port(struct fabric_port *port, unsigned int speed)
{
	port->has_info = true;
	port->info[AT_PHYSICAL_STATE] = PHYSICAL_LINK_UP << 4;
	port->info[AT_SPEED] = QDR << 4;
	port->info[AT_SPEED_EXT] = (uint8_t)(speed == EDR ? EDR : 0);
}

static void cable(struct fabric *fabric, uint32_t one, unsigned int port, uint32_t other,
		  unsigned int other_port, unsigned int speed)
{
	uint32_t from = fabric_port_at(fabric, one, port);
	uint32_t to = fabric_port_at(fabric, other, other_port);

	set_port(&fabric->ports[from], speed);
	set_port(&fabric->ports[to], speed);
	fabric_link(fabric, from, to);
}

static void assert_order(const struct fabric *fabric, const uint32_t *expected)
{
	_cleanup_(freep) uint32_t *order = diags_order(fabric);

	for (uint32_t i = 0; i < fabric->node_count; i++)
		assert_int_equal(order[i], expected[i]);
}

/*
 * Node 1 is a switch with 5 at its port 1, 4 at port 2 and a switch, 3, at port 3; 2 is attached to
 * that.
 */
static void make(struct fabric *fabric, unsigned int device, unsigned int speed)
{
	add_node(fabric, NODE_TYPE_CA, 0);
	add_node(fabric, NODE_TYPE_SWITCH, device);
	add_node(fabric, NODE_TYPE_CA, 0);
	add_node(fabric, NODE_TYPE_SWITCH, 0);
	add_node(fabric, NODE_TYPE_CA, 0);
	add_node(fabric, NODE_TYPE_CA, 0);
	cable(fabric, 0, 1, 1, 8, EDR);
	cable(fabric, 1, 1, 5, 1, speed);
	cable(fabric, 1, 2, 4, 1, EDR);
	cable(fabric, 1, 3, 3, 7, EDR);
	cable(fabric, 3, 1, 2, 1, EDR);
}

static void test_breadth_first(void **state)
{
	static const uint32_t expected[] = {0, 1, 5, 4, 3, 2};
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	make(&fabric, SWITCHX, EDR);
	assert_order(&fabric, expected);
	fabric_clear(&fabric);
}

/* If the vendor attribute is queried for FDR10, the node at the port comes later. */
static void test_qdr(void **state)
{
	static const uint32_t of_old[] = {0, 1, 4, 3, 5, 2}, of_new[] = {0, 1, 5, 4, 3, 2};
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	make(&fabric, SWITCHX, QDR);
	assert_order(&fabric, of_old);
	fabric_clear(&fabric);
	make(&fabric, QUANTUM, QDR);
	assert_order(&fabric, of_new);
	fabric_clear(&fabric);
}

static void test_parents(void **state)
{
	static const uint32_t expected[] = {0, 1, 5, 4, 3, 2};
	struct fabric fabric = {.nodes = NULL};
	_cleanup_(freep) uint32_t *parents = NULL;
	_cleanup_(freep) uint32_t *order = NULL;

	(void)state;
	make(&fabric, SWITCHX, QDR);
	order = diags_breadth_first(&fabric, &parents);
	assert_memory_equal(order, expected, sizeof(expected));
	assert_int_equal(parents[0], FABRIC_NONE);
	assert_int_equal(parents[1], fabric_port_at(&fabric, 0, 1));
	assert_int_equal(parents[2], fabric_port_at(&fabric, 3, 1));
	assert_int_equal(parents[5], fabric_port_at(&fabric, 1, 1));
	fabric_clear(&fabric);
}

/* Only the first adapter leads on, by its local port. Other nodes come last. */
static void test_dead_ends(void **state)
{
	static const uint32_t expected[] = {0, 1, 5, 4, 3, 2, 7, 6, 8};
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	make(&fabric, SWITCHX, EDR);
	add_node(&fabric, NODE_TYPE_CA, 0);
	add_node(&fabric, NODE_TYPE_SWITCH, 0);
	add_node(&fabric, NODE_TYPE_CA, 0);
	cable(&fabric, 0, 2, 7, 1, EDR);
	cable(&fabric, 5, 2, 7, 2, EDR);
	cable(&fabric, 7, 3, 6, 1, EDR);
	assert_order(&fabric, expected);
	fabric_clear(&fabric);
}

/* Nothing is queried through a port whose link is not known to be up. */
static void test_silent_port(void **state)
{
	static const uint32_t expected[] = {0, 1, 4, 3, 2, 5};
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	make(&fabric, SWITCHX, EDR);
	fabric.ports[fabric_port_at(&fabric, 1, 1)].has_info = false;
	assert_order(&fabric, expected);
	fabric_clear(&fabric);
}

static void assert_name(const char *description, size_t length, const char *expected)
{
	struct fabric_node node = {.guid = 1};
	_cleanup_(freep) char *name = NULL;

	memcpy(node.description, description, length);
	name = diags_name(&node, NULL);
	assert_string_equal(name, expected);
}

static void test_name(void **state)
{
	static const char full[] =
		"0123456789012345678901234567890123456789012345678901234567890123";

	(void)state;
	assert_name("", 0, "");
	assert_name("a\"b~\x7f\x1b[\xc3\xa4 ", 11, "a\"b~  [   ");
	assert_name("cut\0here", 8, "cut");
	assert_name(full, NODE_DESCRIPTION_BYTES, full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_breadth_first), cmocka_unit_test(test_parents),
		cmocka_unit_test(test_qdr),	      cmocka_unit_test(test_dead_ends),
		cmocka_unit_test(test_silent_port),   cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
