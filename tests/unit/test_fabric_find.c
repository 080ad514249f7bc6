/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which node of a graph a word refers to: LIDs, GUIDs, GIDs, routes and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/route/route.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { SWITCH, ONE, TWIN, OTHER_TWIN, PLANES, NODES };

static void name_node(struct fabric *fabric, uint32_t node, const char *name)
{
	fabric->nodes[node].has_description = true;
	memcpy(fabric->nodes[node].description, name, strlen(name));
}

static void set_lid(struct fabric *fabric, uint32_t port, uint16_t lid)
{
	fabric->ports[port].has_info = true;
	bits_set(fabric->ports[port].info, 16 * 8, 16, lid);
}

/*
 * A switch with LID 7, an adapter of two ports with LID 9 at the second, two nodes of one name and
 * LID, and a multi-plane adapter, whose ports share a GUID and a LID.
 */
static void make(struct fabric *fabric)
{
	*fabric = (struct fabric){.nodes = NULL};
	assert_int_equal(sample_bare_node(fabric, NODE_TYPE_SWITCH, 0x100, 4), SWITCH);
	assert_int_equal(sample_bare_node(fabric, NODE_TYPE_CA, 0x200, 2), ONE);
	assert_int_equal(sample_bare_node(fabric, NODE_TYPE_CA, 0x300, 1), TWIN);
	assert_int_equal(sample_bare_node(fabric, NODE_TYPE_CA, 0x400, 1), OTHER_TWIN);
	name_node(fabric, SWITCH, "leaf");
	name_node(fabric, ONE, "host");
	name_node(fabric, TWIN, "twin");
	name_node(fabric, OTHER_TWIN, "twin");
	set_lid(fabric, fabric_port_at(fabric, SWITCH, 0), 7);
	set_lid(fabric, fabric_port_at(fabric, ONE, 2), 9);
	set_lid(fabric, fabric_port_at(fabric, TWIN, 1), 6);
	set_lid(fabric, fabric_port_at(fabric, OTHER_TWIN, 1), 6);
	fabric->ports[fabric_port_at(fabric, ONE, 2)].guid = 0x202;
	fabric_link(fabric, fabric_port_at(fabric, SWITCH, 3), fabric_port_at(fabric, ONE, 2));
	assert_int_equal(sample_bare_node(fabric, NODE_TYPE_CA, 0x500, 2), PLANES);
	for (unsigned int i = 1; i <= 2; i++) {
		set_lid(fabric, fabric_port_at(fabric, PLANES, i), 11);
		fabric->ports[fabric_port_at(fabric, PLANES, i)].guid = 0x501;
	}
}

static void assert_place(const struct fabric *fabric, const struct fabric_place *place,
			 uint32_t node, unsigned int port, uint16_t lid)
{
	assert_int_equal(place->node, node);
	assert_int_equal(place->port, fabric_port_at(fabric, node, port));
	assert_int_equal(place->lid, lid);
}

static void targets(void **state)
{
	static const struct {
		const char *word;
		size_t found;
		uint32_t node;
		unsigned int port;
		uint16_t lid;
	} words[] = {
		{"7", 1, SWITCH, 0, 7},
		{"9", 1, ONE, 2, 9},
		{"6", 2, TWIN, 1, 6},
		{"8", 0, 0, 0, 0},
		{"0x0000000000010100", 0, 0, 0, 0},
		{"0,3", 1, ONE, 2, 9},
		{"0,4", 0, 0, 0, 0},
		{"0,5", 0, 0, 0, 0},
		{"0", 1, SWITCH, 0, 7},
		{"fe80::202", 1, ONE, 2, 9},
		{"fe80::501", 1, PLANES, 1, 11},
		{"11", 1, PLANES, 1, 11},
		{"fe80::999", 0, 0, 0, 0},
	};
	struct fabric fabric;
	struct fabric_finder finder = {.view.fabric = &fabric};

	(void)state;
	make(&fabric);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct fabric_place place;
		struct mad_target target;

		assert_int_equal(mad_target_parse(words[i].word, TARGET_ANY, &target), 0);
		assert_int_equal(fabric_find_target(&finder, &target, &place), words[i].found);
		if (words[i].found)
			assert_place(&fabric, &place, words[i].node, words[i].port, words[i].lid);
	}
	fabric_finder_clear(&finder);
	fabric_clear(&fabric);
}

/* The GUID of a node or of one of its ports, unless that is a name; an unknown one matches none. */
static void match_guids(struct fabric *fabric)
{
	static const struct {
		const char *word;
		bool named[NODES];
	} rows[] = {
		{"0x0000000000000100", {[SWITCH] = true}},
		{"0000:0000:0000:0200", {[ONE] = true}},
		{"0x0000000000000202", {[ONE] = true}},
	};
	const struct fabric_view view = {.fabric = fabric};
	bool *named;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		named = fabric_match_names(&view, rows[i].word);

		assert_non_null(named);
		assert_memory_equal(named, rows[i].named, sizeof(rows[i].named));
		free(named);
	}
	assert_null(fabric_match_names(&view, "0x0000000000000999"));
	assert_null(fabric_match_names(&view, "0x0000000000000000"));
	name_node(fabric, TWIN, "0x0000000000000100");
	named = fabric_match_names(&view, "0x0000000000000100");
	assert_non_null(named);
	assert_false(named[SWITCH]);
	assert_true(named[TWIN]);
	free(named);
}

static void names(void **state)
{
	struct fabric fabric;
	const struct fabric_view view = {.fabric = &fabric};
	struct fabric_finder finder = {.view = view};
	struct fabric_place place;
	bool *named;

	(void)state;
	make(&fabric);
	assert_int_equal(fabric_find_name(&finder, "leaf", &place), 1);
	assert_place(&fabric, &place, SWITCH, 0, 7);
	assert_int_equal(fabric_find_name(&finder, "host", &place), 1);
	assert_place(&fabric, &place, ONE, 2, 9);
	assert_int_equal(fabric_find_name(&finder, "host/1", &place), 1);
	assert_place(&fabric, &place, ONE, 1, 0);
	assert_int_equal(fabric_find_name(&finder, "host/3", &place), 0);
	assert_int_equal(fabric_find_name(&finder, "twin", &place), 2);
	assert_int_equal(fabric_find_name(&finder, "twin/1", &place), 2);
	assert_int_equal(fabric_find_name(&finder, "none", &place), 0);
	named = fabric_match_names(&view, "*t*");
	assert_non_null(named);
	assert_false(named[SWITCH]);
	assert_true(named[ONE]);
	assert_true(named[TWIN]);
	free(named);
	assert_null(fabric_match_names(&view, "t"));
	fabric_finder_clear(&finder);
	match_guids(&fabric);
	fabric_clear(&fabric);
}

static size_t find(const struct fabric *fabric, const char *word, struct fabric_place *place)
{
	struct fabric_finder finder = {.view.fabric = fabric};
	struct mad_target target;
	size_t found;

	assert_int_equal(mad_target_parse(word, TARGET_ANY, &target), 0);
	found = fabric_find_target(&finder, &target, place);
	fabric_finder_clear(&finder);
	return found;
}

/*
 * The port of an adapter that a node's GUID refers to: one with a LID, otherwise one with a cable,
 * otherwise the first.
 */
static void port_of_a_node(void **state)
{
	enum { SPINE, HOST };
	struct fabric fabric = {.nodes = NULL};
	struct fabric_place place;

	(void)state;
	sample_bare_node(&fabric, NODE_TYPE_SWITCH, 0x100, 4);
	sample_bare_node(&fabric, NODE_TYPE_CA, 0x200, 4);
	fabric.nodes[HOST].local_port = 4;
	assert_int_equal(find(&fabric, "0000:0000:0000:0200", &place), 1);
	assert_place(&fabric, &place, HOST, 4, 0);
	fabric_link(&fabric, fabric_port_at(&fabric, SPINE, 1), fabric_port_at(&fabric, HOST, 2));
	fabric_link(&fabric, fabric_port_at(&fabric, SPINE, 2), fabric_port_at(&fabric, HOST, 3));
	assert_int_equal(find(&fabric, "0000:0000:0000:0200", &place), 1);
	assert_place(&fabric, &place, HOST, 2, 0);
	set_lid(&fabric, fabric_port_at(&fabric, HOST, 4), 20);
	assert_int_equal(find(&fabric, "0000:0000:0000:0200", &place), 1);
	assert_place(&fabric, &place, HOST, 4, 20);
	set_lid(&fabric, fabric_port_at(&fabric, HOST, 1), 21);
	assert_int_equal(find(&fabric, "0000:0000:0000:0200", &place), 1);
	assert_place(&fabric, &place, HOST, 1, 21);
	fabric_clear(&fabric);
}

/* A GUID of several nodes, of several ports, and of a system; a node's GUID takes precedence. */
static void shared_guids(void **state)
{
	struct fabric fabric;
	struct fabric_place place;

	(void)state;
	make(&fabric);
	/* Ports of two nodes. */
	fabric.ports[fabric_port_at(&fabric, TWIN, 1)].guid = 0x202;
	assert_int_equal(find(&fabric, "0000:0000:0000:0202", &place), 2);
	assert_place(&fabric, &place, ONE, 2, 9);
	/* A system with two nodes; 0 is not the GUID of a port. */
	bits_set(fabric.nodes[SWITCH].info, 4 * 8, 64, 0x777);
	bits_set(fabric.nodes[ONE].info, 4 * 8, 64, 0x777);
	assert_int_equal(find(&fabric, "0000:0000:0000:0777", &place), 2);
	assert_place(&fabric, &place, SWITCH, 0, 7);
	assert_int_equal(find(&fabric, "0000:0000:0000:0000", &place), 0);
	/* The node with that GUID, and not the port. */
	fabric.ports[fabric_port_at(&fabric, ONE, 1)].guid = 0x300;
	assert_int_equal(find(&fabric, "0000:0000:0000:0300", &place), 1);
	assert_int_equal(place.node, TWIN);
	/* Another node with the GUID of the first. */
	assert_int_equal(sample_bare_node(&fabric, NODE_TYPE_CA, 0x300, 1), NODES);
	assert_int_equal(find(&fabric, "0000:0000:0000:0300", &place), 2);
	fabric_clear(&fabric);
}

/* From an adapter over two cables; and a route that ends at a missing port or cable. */
static void routes(void **state)
{
	static const struct {
		const char *word;
		size_t found;
		uint32_t node;
		unsigned int port;
	} rows[] = {
		{"0", 1, 0, 2},	    {"0,1", 1, 1, 0},	{"0,1,4", 1, 2, 1}, {"0,1,4,1", 1, 1, 0},
		{"0,1,3", 0, 0, 0}, {"0,1,5", 0, 0, 0}, {"0,2", 0, 0, 0},   {"0,3", 0, 0, 0},
	};
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	sample_bare_node(&fabric, NODE_TYPE_CA, 0x100, 2);
	sample_bare_node(&fabric, NODE_TYPE_SWITCH, 0x200, 4);
	sample_bare_node(&fabric, NODE_TYPE_CA, 0x300, 1);
	fabric_link(&fabric, fabric_port_at(&fabric, 0, 1), fabric_port_at(&fabric, 1, 1));
	fabric_link(&fabric, fabric_port_at(&fabric, 1, 4), fabric_port_at(&fabric, 2, 1));
	set_lid(&fabric, fabric_port_at(&fabric, 0, 2), 5);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fabric_place place;

		if (find(&fabric, rows[i].word, &place) != rows[i].found)
			fail_msg("%s", rows[i].word);
		if (!rows[i].found)
			continue;
		assert_int_equal(place.node, rows[i].node);
		assert_int_equal(place.port, fabric_port_at(&fabric, rows[i].node, rows[i].port));
	}
	fabric_clear(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),	  cmocka_unit_test(names),
		cmocka_unit_test(port_of_a_node), cmocka_unit_test(shared_guids),
		cmocka_unit_test(routes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
