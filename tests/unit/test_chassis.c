/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slots, outside ports and chassis, on made-up boards. The tables of outside ports are those in the
 * comment "INTERNAL TO EXTERNAL PORT MAPPING" of libibnetdisc/chassis.c; the scene fabric-chassis
 * compares the cabling of complete switches with ibnetdiscover.
 */
#include "base/cleanup.h"
#include "fabric/graph/chassis.h"
#include "made_up_fabric.h"

enum { SLB24 = 0x5a09, SLB8 = 0x5a0d, SLB2024 = 0x5a38, SLB4018 = 0x5a5b };
enum { SFB12 = 0x5a08, SFB4 = 0x5a0b, SFB4700X2 = 0x5a5d, IP_ROUTER = 0x5a01 };

static uint32_t add(struct fabric *fabric, unsigned int type, unsigned int ports, uint32_t vendor,
		    uint16_t device, const char *description)
{
	uint64_t guid = 0x1000 * (uint64_t)(fabric->node_count + 1);
	uint32_t node = sample_node(fabric, type, guid, ports, description);

	bits_set(fabric->nodes[node].info, 30 * 8, 16, device);
	bits_set(fabric->nodes[node].info, 37 * 8, 24, vendor);
	assert_int_equal(node_info_vendor_id(fabric->nodes[node].info), vendor);
	assert_int_equal(node_info_device_id(fabric->nodes[node].info), device);
	return node;
}

static void cable(struct fabric *fabric, uint32_t one, unsigned int port, uint32_t two,
		  unsigned int other_port)
{
	sample_cable(fabric, one, port, two, other_port);
}

static void assert_place(const struct fabric *fabric, uint32_t node, enum board board,
			 unsigned int slot, unsigned int chip)
{
	struct chassis_place place;

	assert_true(chassis_place_of(fabric, node, &place));
	assert_int_equal(place.board, board);
	assert_int_equal(place.slot, slot);
	assert_int_equal(place.chip, chip);
}

/* The outside port for each chip port of a line board, at a port of a spine. */
static void assert_outside(uint16_t spine, unsigned int spine_port, uint16_t line,
			   unsigned int ports, unsigned int first, const uint8_t *expected)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t back = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, spine, "back");
	uint32_t front = add(&fabric, NODE_TYPE_SWITCH, ports, VENDOR_VOLTAIRE, line, "front");

	cable(&fabric, back, spine_port, front, 1);
	for (unsigned int i = 0; i <= ports; i++)
		assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, front, i)),
				 i >= first ? expected[i - first] : 0);
	fabric_clear(&fabric);
}

static void test_outside_ports(void **state)
{
	static const uint8_t slb24_1[] = {6, 5, 4, 18, 17, 16, 1, 2, 3, 13, 14, 15};
	static const uint8_t slb24_2[] = {12, 11, 10, 24, 23, 22, 7, 8, 9, 19, 20, 21};
	static const uint8_t slb8_1[] = {2, 2, 2, 6, 6, 6, 1, 1, 1, 5, 5, 5};
	static const uint8_t slb8_2[] = {4, 4, 4, 8, 8, 8, 3, 3, 3, 7, 7, 7};
	static const uint8_t up[] = {13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
	static const uint8_t low[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	static const uint8_t slb4018[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
					  10, 11, 12, 13, 14, 15, 16, 17, 18};

	(void)state;
	assert_outside(SFB12, 1, SLB24, 24, 13, slb24_1);
	assert_outside(SFB12, 2, SLB24, 24, 13, slb24_2);
	assert_outside(SFB4, 1, SLB8, 24, 13, slb8_1);
	assert_outside(SFB4, 4, SLB8, 24, 13, slb8_2);
	assert_outside(0x5a37, 23, SLB2024, 24, 13, up);
	assert_outside(0x5a37, 24, SLB2024, 24, 13, low);
	assert_outside(0x5a5c, 36, SLB4018, 36, 19, slb4018);
}

/* The spine with two chips: its second chip has the first six connectors. */
static void test_outside_of_spines(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t front, one, two;

	(void)state;
	front = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, SLB4018, "front");
	one = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, SFB4700X2, "back 1");
	two = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, SFB4700X2, "back 2");
	cable(&fabric, front, 2, one, 1);
	cable(&fabric, front, 1, two, 1);
	assert_place(&fabric, one, BOARD_SPINE, 1, 1);
	assert_place(&fabric, two, BOARD_SPINE, 1, 2);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, one, 18)), 0);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, one, 19)), 7);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, one, 36)), 12);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, two, 19)), 1);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, two, 36)), 6);
	fabric_clear(&fabric);
}

/* A router is placed by its spine where the wiring is known, otherwise by a guess from the GUID. */
static void test_routers(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t back, other, router, adapter;

	(void)state;
	back = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB4, "back");
	router = add(&fabric, NODE_TYPE_SWITCH, 4, VENDOR_VOLTAIRE, IP_ROUTER, "router");
	other = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB12, "other");
	adapter = add(&fabric, NODE_TYPE_CA, 2, FABRIC_VENDOR_MELLANOX, 0x1017, "gateway");
	cable(&fabric, back, 19, router, 1);
	cable(&fabric, other, 24, adapter, 1);
	assert_place(&fabric, router, BOARD_ROUTER, 4, 3);
	fabric.nodes[other].guid = 0x3003;
	assert_place(&fabric, adapter, BOARD_ROUTER, 12, 1);
	fabric.nodes[other].guid = 0x3001;
	assert_place(&fabric, adapter, BOARD_ROUTER, 12, 3);
	fabric.nodes[other].guid = 0x3002;
	assert_place(&fabric, adapter, BOARD_ROUTER, 12, 2);
	fabric_clear(&fabric);
}

/* An ISR4700 has none, so a board in that place is at an unknown slot and chip. */
static void test_no_routers(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t back = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, 0x5a5c, "back");
	uint32_t adapter = add(&fabric, NODE_TYPE_CA, 1, FABRIC_VENDOR_MELLANOX, 0x1017, "odd");

	(void)state;
	cable(&fabric, back, 4, adapter, 1);
	assert_place(&fabric, adapter, BOARD_ROUTER, 0, 0);
	fabric_clear(&fabric);
}

/* Which neighbours are placed by links that a scan may not know yet. */
static void test_placed_by_links(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t back, front, host, gateway;

	(void)state;
	back = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB12, "back");
	front = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SLB24, "front");
	host = add(&fabric, NODE_TYPE_CA, 1, FABRIC_VENDOR_MELLANOX, 0x1017, "host");
	gateway = add(&fabric, NODE_TYPE_CA, 2, FABRIC_VENDOR_MELLANOX, 0x1017, "gateway");
	cable(&fabric, back, 1, front, 1);
	cable(&fabric, back, 24, gateway, 2);
	cable(&fabric, front, 13, host, 1);
	assert_true(chassis_peer_is_placed_by_links(&fabric, fabric_port_at(&fabric, back, 1)));
	assert_true(chassis_peer_is_placed_by_links(&fabric, fabric_port_at(&fabric, back, 24)));
	assert_true(chassis_peer_is_placed_by_links(&fabric, fabric_port_at(&fabric, host, 1)));
	assert_false(chassis_peer_is_placed_by_links(&fabric, fabric_port_at(&fabric, front, 13)));
	fabric_clear(&fabric);
}

/* A board without cables is a board in an unknown slot; cables outside do not help. */
static void test_unknown_slots(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t back, front, far, host;
	struct chassis_place place;

	(void)state;
	back = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB12, "back");
	front = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SLB24, "front");
	far = add(&fabric, NODE_TYPE_SWITCH, 36, VENDOR_VOLTAIRE, SFB4700X2, "far");
	host = add(&fabric, NODE_TYPE_CA, 1, VENDOR_VOLTAIRE, 0x6278, "host");
	cable(&fabric, front, 13, far, 30);
	cable(&fabric, far, 31, host, 1);
	assert_place(&fabric, back, BOARD_SPINE, 0, 0);
	assert_place(&fabric, front, BOARD_LINE, 0, 0);
	assert_int_equal(chassis_outside_port(&fabric, fabric_port_at(&fabric, front, 13)), 0);
	assert_false(chassis_place_of(&fabric, host, &place));
	/* The same device IDs are ignored for another vendor. */
	bits_set(fabric.nodes[back].info, 37 * 8, 24, FABRIC_VENDOR_MELLANOX);
	assert_false(chassis_place_of(&fabric, back, &place));
	fabric_clear(&fabric);
}

static void test_descriptions(void **state)
{
	static const struct {
		const char *text;
		bool found;
		unsigned int board, slot, chip;
		const char *model, *system;
	} cases[] = {
		{"MF0;core:SX6536/L36/U1", true, BOARD_LINE, 36, 1, "SX6536", "core"},
		{"MF0;core:SX6536/S18/U1", true, BOARD_SPINE, 18, 1, "SX6536", "core"},
		{"MF0;core:CS7500/L17:EDR/U2", true, BOARD_LINE, 17, 2, "CS7500", "core"},
		/* Slots that no such switch has are unknown. */
		{"MF0;core:SX6536/L37/U1", true, BOARD_LINE, 0, 1, "SX6536", "core"},
		{"MF0;core:SX6536/S19/U1", true, BOARD_SPINE, 0, 1, "SX6536", "core"},
		{"MF0;core:SX6536/L4294967297/U1", true, BOARD_LINE, 0, 1, "SX6536", "core"},
		{"MF0;core:SX6536/L/U", true, BOARD_LINE, 0, 0, "SX6536", "core"},
		{"MF0;core:SX6536/L01/U999", true, BOARD_LINE, 1, 0, "SX6536", "core"},
		{"MF0;core:SX6536/X01/U1", false, 0, 0, 0, NULL, NULL},
		{"MF0;core:SX6536/L01/1", false, 0, 0, 0, NULL, NULL},
		{"MF0;core:SX6536/L01:EDR", false, 0, 0, 0, NULL, NULL},
		{"MF0;core:SX6536/L01", false, 0, 0, 0, NULL, NULL},
		{"MF0;core:SX6536", false, 0, 0, 0, NULL, NULL},
		{"MF0;edge:SX6036/U1", false, 0, 0, 0, NULL, NULL},
		{"MF0;core", false, 0, 0, 0, NULL, NULL},
		{"MF0;", false, 0, 0, 0, NULL, NULL},
		{"mf0;core:SX6536/L01/U1", false, 0, 0, 0, NULL, NULL},
		{"", false, 0, 0, 0, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fabric fabric = {.nodes = NULL};
		uint32_t node = add(&fabric, NODE_TYPE_SWITCH, 36, FABRIC_VENDOR_MELLANOX, 0xbd36,
				    cases[i].text);
		struct chassis_place place = {.chip = 77};

		assert_int_equal(chassis_place_of(&fabric, node, &place), cases[i].found);
		if (cases[i].found) {
			assert_place(&fabric, node, (enum board)cases[i].board, cases[i].slot,
				     cases[i].chip);
			assert_string_equal(place.model, cases[i].model);
			assert_string_equal(place.system, cases[i].system);
		} else {
			assert_int_equal(place.chip, 77); /* untouched */
		}
		fabric_clear(&fabric);
	}
}

/* All 64 bytes are in use, without a terminating zero. */
static void test_full_description(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t node = add(&fabric, NODE_TYPE_SWITCH, 36, FABRIC_VENDOR_MELLANOX, 0xbd36, "x");
	uint8_t *text = fabric.nodes[node].description;
	struct chassis_place place;

	(void)state;
	memset(text, 'a', NODE_DESCRIPTION_BYTES);
	memcpy(text, "MF0;", 4);
	memcpy(text + NODE_DESCRIPTION_BYTES - 9, ":M/L01/U1", 9);
	assert_place(&fabric, node, BOARD_LINE, 1, 1);
	memset(text + 4, 'a', NODE_DESCRIPTION_BYTES - 4);
	assert_false(chassis_place_of(&fabric, node, &place));
	fabric_clear(&fabric);
}

static void fill(const struct fabric *fabric, struct chassis_list *list)
{
	uint32_t order[16];

	assert_true(fabric->node_count <= ARRAY_SIZE(order));
	for (uint32_t i = 0; i < fabric->node_count; i++)
		order[i] = i;
	chassis_list_fill(fabric, order, list);
}

/* Two boards that claim one slot: the second is a switch without one. A single node is in none. */
static void test_one_board_a_slot(void **state)
{
	static const char line[] = "MF0;core:SX6536/L01/U1";
	struct fabric fabric = {.nodes = NULL};
	struct chassis_list list;
	uint32_t nodes[4];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		nodes[i] = add(&fabric, NODE_TYPE_SWITCH, 36, FABRIC_VENDOR_MELLANOX, 0xbd36,
			       i < 2 ? line : "spare");
		bits_set(fabric.nodes[nodes[i]].info, 4 * 8, 64, 0x77);
	}
	nodes[3] = add(&fabric, NODE_TYPE_CA, 1, FABRIC_VENDOR_MELLANOX, 1, "alone");
	fill(&fabric, &list);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].guid, 0x77);
	assert_int_equal(list.items[0].count, 3);
	/* From the last to the first, as in ibnetdiscover. */
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(list.number[nodes[i]], i < 3);
		assert_int_equal(list.is_second[nodes[i]], i == 0);
	}
	assert_int_equal(list.items[0].members[0].node, nodes[1]);
	assert_int_equal(list.items[0].members[0].part, PART_LINE);
	assert_int_equal(list.items[0].members[1].part, PART_SWITCH);
	assert_int_equal(list.items[0].members[2].part, PART_SWITCH);
	chassis_list_clear(&list);
	fabric_clear(&fabric);
}

/* Boards of one chassis do not fill the slots of another. */
static void test_same_slots(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	struct chassis_list list;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		uint32_t node = add(&fabric, NODE_TYPE_SWITCH, 36, FABRIC_VENDOR_MELLANOX, 0xbd36,
				    i % 2 ? "MF0;core:SX6536/L01/U1" : "MF0;core:SX6536/S01/U1");

		bits_set(fabric.nodes[node].info, 4 * 8, 64, 0x77 + i / 2);
	}
	fill(&fabric, &list);
	assert_int_equal(list.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(list.items[i].count, 2);
		assert_int_equal(list.items[i].members[0].part, PART_SPINE);
		assert_int_equal(list.items[i].members[1].part, PART_LINE);
	}
	chassis_list_clear(&list);
	fabric_clear(&fabric);
}

/* Nodes without a system GUID, and Voltaire's, are in no chassis, however alike they are. */
static void test_no_chassis(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	struct chassis_list list;

	(void)state;
	fill(&fabric, &list);
	assert_int_equal(list.count, 0);
	chassis_list_clear(&list);
	for (size_t i = 0; i < 2; i++) {
		uint32_t node = add(&fabric, NODE_TYPE_CA, 1, FABRIC_VENDOR_MELLANOX, 1, "none");

		bits_set(fabric.nodes[node].info, 4 * 8, 64, 0);
		node = add(&fabric, NODE_TYPE_CA, 1, VENDOR_VOLTAIRE, 0x6278, "voltaire");
		bits_set(fabric.nodes[node].info, 4 * 8, 64, 0x99);
	}
	fill(&fabric, &list);
	assert_int_equal(list.count, 0);
	chassis_list_clear(&list);
	fabric_clear(&fabric);
}

/* Boards without cables between them are in two chassis of one model. */
static void test_two_switches(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	struct chassis_list list;
	uint32_t back[2], front[2];
	_cleanup_(freep) char *name = NULL;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		back[i] = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB12, "back");
		front[i] = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SLB24, "front");
		cable(&fabric, back[i], 1, front[i], 1);
	}
	cable(&fabric, front[0], 13, front[1], 13);
	fill(&fabric, &list);
	assert_int_equal(list.count, 2);
	assert_int_not_equal(list.number[back[0]], list.number[back[1]]);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(list.number[back[i]], list.number[front[i]]);
	assert_int_equal(list.items[0].guid, fabric.nodes[back[1]].guid - 1);
	assert_int_equal(list.items[0].members[0].part, PART_SPINE);
	assert_int_equal(list.items[0].members[1].part, PART_LINE);
	name = chassis_name(&fabric, &list, 1);
	assert_string_equal(name, "chassis 1: ISR9288");
	chassis_list_clear(&list);
	fabric_clear(&fabric);
}

/* A line board of another switch at the outside of a router stays in that other switch. */
static void test_behind_a_router(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	struct chassis_list list;
	uint32_t back[2], front, near, router;

	(void)state;
	back[1] = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB4, "far back");
	front = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SLB8, "far front");
	router = add(&fabric, NODE_TYPE_SWITCH, 4, VENDOR_VOLTAIRE, IP_ROUTER, "router");
	near = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SLB8, "front");
	back[0] = add(&fabric, NODE_TYPE_SWITCH, 24, VENDOR_VOLTAIRE, SFB4, "back");
	cable(&fabric, back[0], 4, near, 1);
	cable(&fabric, back[0], 19, router, 1);
	cable(&fabric, back[1], 1, front, 1);
	cable(&fabric, router, 3, front, 13);
	fill(&fabric, &list);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.number[back[0]], 1);
	assert_int_equal(list.number[near], 1);
	assert_int_equal(list.number[router], 1);
	assert_int_equal(list.number[front], 2);
	assert_int_equal(list.number[back[1]], 2);
	chassis_list_clear(&list);
	fabric_clear(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside_ports),	 cmocka_unit_test(test_outside_of_spines),
		cmocka_unit_test(test_routers),		 cmocka_unit_test(test_unknown_slots),
		cmocka_unit_test(test_descriptions),	 cmocka_unit_test(test_full_description),
		cmocka_unit_test(test_one_board_a_slot), cmocka_unit_test(test_no_chassis),
		cmocka_unit_test(test_two_switches),	 cmocka_unit_test(test_same_slots),
		cmocka_unit_test(test_no_routers),	 cmocka_unit_test(test_placed_by_links),
		cmocka_unit_test(test_behind_a_router),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
