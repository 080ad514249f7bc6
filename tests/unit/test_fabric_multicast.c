/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast trees: random ones without a fault, every fault, random tables compared with packets
 * that are followed one by one, and tables in a saved scan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/route/forwarding.h"
#include "fabric/route/multicast.h"
#include "made_up_fabric.h"

enum { MLID = 0xc021, MOST_SWITCHES = 8, PORTS = 20, ROUNDS = 400 };

struct subnet {
	struct fabric fabric;
	struct forwarding forwarding;
	struct multicast_members members;
	struct multicast_tree tree;
	uint32_t switches; /* nodes 0 to switches - 1; each has a host at ports 1 and 2 */
	unsigned int used[MOST_SWITCHES];
	uint32_t masks[MOST_SWITCHES];
	uint32_t seed;
};

static uint32_t draw(struct subnet *subnet, uint32_t below)
{
	subnet->seed = subnet->seed * 1664525u + 1013904223u;
	return (subnet->seed >> 8) % below;
}

static void join(struct subnet *subnet, uint32_t one, uint32_t other)
{
	if (subnet->used[one] < PORTS && subnet->used[other] < PORTS)
		sample_cable(&subnet->fabric, one, ++subnet->used[one], other,
			     ++subnet->used[other]);
}

static void begin(struct subnet *subnet, uint32_t switches, uint32_t seed)
{
	*subnet = (struct subnet){.switches = switches, .seed = seed};
	for (uint32_t i = 0; i < switches; i++) {
		struct fabric_node *node;

		sample_node(&subnet->fabric, NODE_TYPE_SWITCH, 0x1000 + i * 0x100, PORTS, "switch");
		subnet->used[i] = 2;
		node = &subnet->fabric.nodes[i];
		bits_set(node->switch_info, 4 * 8, 16, 64);	 /* MulticastFDBCap */
		bits_set(node->switch_info, 18 * 8, 16, 0xc03f); /* MulticastFDBTop */
	}
	for (uint32_t i = 0; i < 2 * switches; i++) {
		const uint64_t guid = 0x2000 + i * 0x10;
		const uint32_t host = sample_node(&subnet->fabric, NODE_TYPE_CA, guid, 1, "host");

		sample_cable(&subnet->fabric, i / 2, 1 + i % 2, host, 1);
		subnet->fabric.ports[fabric_port_at(&subnet->fabric, host, 1)].guid = guid + 1;
	}
}

static void end(struct subnet *subnet)
{
	multicast_tree_clear(&subnet->tree);
	forwarding_clear(&subnet->forwarding);
	free(subnet->members.items);
	fabric_clear(&subnet->fabric);
}

/* Writes the masks to the tables, and builds the tree from them. */
static void fill(struct subnet *subnet)
{
	multicast_tree_clear(&subnet->tree);
	forwarding_clear(&subnet->forwarding);
	forwarding_make_tables(&subnet->fabric, NULL, 0, FORWARDING_MULTICAST, &subnet->forwarding);
	for (uint32_t i = 0; i < subnet->switches; i++)
		for (uint32_t position = 0; position < 2; position++)
			for (uint32_t block = 0; block < 2; block++) {
				uint8_t data[64] = {0};

				if (block)
					bits_set(data, 16, 16,
						 subnet->masks[i] >> 16 * position & 0xffff);
				forwarding_take(forwarding_block(&subnet->forwarding,
								 &subnet->forwarding.tables[i],
								 true, block | position << 28),
						data);
			}
	multicast_find_members(&subnet->fabric, &subnet->members);
	multicast_tree_fill(&subnet->fabric, &subnet->forwarding, MLID, &subnet->members,
			    &subnet->tree);
}

static void add_member(struct subnet *subnet, uint32_t host, unsigned int join_state)
{
	struct multicast_member *member = mem_append(&subnet->members.items, &subnet->members.count,
						     sizeof(*member));

	subnet->members.known = true;
	*member = (struct multicast_member){
		.guid = 0x2000 + host * 0x10 + 1,
		.join_state = (uint8_t)join_state,
	};
}

/* The faults of all hops, or of one. */
static unsigned int faults(const struct subnet *subnet)
{
	unsigned int all = 0;

	for (size_t i = 0; i < subnet->tree.count; i++)
		all |= subnet->tree.hops[i].faults;
	return all;
}

static unsigned int faults_at(const struct subnet *subnet, uint32_t node, unsigned int port)
{
	for (size_t i = 0; i < subnet->tree.count; i++)
		if (subnet->fabric.ports[subnet->tree.hops[i].port].node == node &&
		    subnet->tree.hops[i].out_port == port)
			return subnet->tree.hops[i].faults;
	return ~0u;
}

/* Switches 0 - 1 - 2 in a row; port 3 leads back (on switch 0: on), port 4 on; a member on each. */
static void make_row(struct subnet *subnet)
{
	begin(subnet, 3, 1);
	join(subnet, 0, 1);
	join(subnet, 1, 2);
	subnet->masks[0] = 1 << 1 | 1 << 3;
	subnet->masks[1] = 1 << 1 | 1 << 3 | 1 << 4;
	subnet->masks[2] = 1 << 1 | 1 << 3;
}

static void good(void **state)
{
	struct subnet subnet;

	(void)state;
	make_row(&subnet);
	fill(&subnet);
	assert_int_equal(subnet.tree.count, 7);
	assert_false(subnet.tree.unknown);
	assert_int_equal(faults(&subnet), 0);
	/* Members that the SA knows, one of which joined a second group with the same MLID. */
	for (unsigned int i = 0; i < 3; i++)
		add_member(&subnet, 2 * i, 1);
	add_member(&subnet, 2, 4);
	fill(&subnet);
	assert_int_equal(faults(&subnet), 0);
	for (size_t i = 0; i < subnet.tree.count; i++)
		if (subnet.tree.hops[i].out_port == 1)
			assert_int_equal(
				subnet.tree.hops[i].join_state,
				subnet.fabric.ports[subnet.tree.hops[i].port].node == 1 ? 5 : 1);
	end(&subnet);
}

static void each_fault(void **state)
{
	struct subnet subnet;

	(void)state;
	/* A switch in the middle that has lost its entry: one member is the largest part. */
	make_row(&subnet);
	subnet.masks[1] = 0;
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 0, 3), MULTICAST_ONE_WAY);
	assert_int_equal(faults_at(&subnet, 0, 1), 0);
	assert_int_equal(faults_at(&subnet, 2, 1), MULTICAST_CUT_OFF);
	/* Switch 1 does not send to 2, but 2 sends to 1. */
	subnet.masks[1] = 1 << 1 | 1 << 3;
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 2, 3), MULTICAST_ONE_WAY);
	assert_int_equal(faults_at(&subnet, 2, 1), MULTICAST_CUT_OFF);
	assert_int_equal(faults_at(&subnet, 1, 1), 0);
	end(&subnet);

	/* There is no member behind switch 2; a member that only sends justifies the entry. */
	make_row(&subnet);
	subnet.masks[2] = 1 << 3;
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 1, 4), MULTICAST_NO_MEMBER);
	assert_int_equal(faults_at(&subnet, 2, 3), 0);
	add_member(&subnet, 0, 1);
	add_member(&subnet, 2, 1);
	add_member(&subnet, 4, 4);
	fill(&subnet);
	assert_int_equal(faults(&subnet), 0);
	assert_int_equal(subnet.tree.count, 7);
	/*
	 * A switch without an entry that gets packets is reported; another one is not in the tree.
	 */
	subnet.members.items[2].join_state = 1;
	subnet.masks[0] |= 1 << 2;
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 2, 1), MULTICAST_NOT_SENT);
	assert_int_equal(faults_at(&subnet, 0, 2), MULTICAST_NOT_A_MEMBER);
	end(&subnet);

	/* A port that is down, a port that the switch lacks, and a cable that closes a loop. */
	make_row(&subnet);
	join(&subnet, 0, 2);
	subnet.masks[1] |= 1 << 7 | 1u << 25;
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 1, 7), MULTICAST_NO_LINK);
	assert_int_equal(faults_at(&subnet, 1, 25), MULTICAST_NO_LINK);
	assert_int_equal(faults(&subnet), MULTICAST_NO_LINK);
	subnet.masks[0] |= 1 << 4;
	subnet.masks[2] |= 1 << 4;
	fill(&subnet);
	assert_int_equal(faults(&subnet), MULTICAST_NO_LINK | MULTICAST_LOOP);
	end(&subnet);
}

/* opensm writes no tables for a group with members at fewer than two ports. */
static void one_member(void **state)
{
	struct subnet subnet;

	(void)state;
	make_row(&subnet);
	for (unsigned int i = 0; i < 3; i++)
		subnet.masks[i] = 0;
	add_member(&subnet, 0, 1);
	add_member(&subnet, 0, 2);
	fill(&subnet);
	assert_int_equal(subnet.tree.count, 1);
	assert_int_equal(faults(&subnet), 0);
	assert_true(subnet.tree.one_member);
	add_member(&subnet, 2, 1);
	fill(&subnet);
	assert_int_equal(faults_at(&subnet, 0, 1), MULTICAST_NOT_SENT);
	assert_int_equal(faults_at(&subnet, 1, 1), MULTICAST_NOT_SENT);
	assert_false(subnet.tree.one_member);
	end(&subnet);
}

/* A member with a virtual function's GUID may be at any port. */
static void member_of_another_guid(void **state)
{
	struct subnet subnet;

	(void)state;
	make_row(&subnet);
	for (unsigned int i = 0; i < 3; i++)
		add_member(&subnet, 2 * i, 1);
	subnet.members.items[0].guid = 0x99;
	fill(&subnet);
	assert_int_equal(faults(&subnet), 0);
	assert_true(subnet.tree.lost_member);
	assert_false(subnet.tree.members_known || subnet.tree.one_member);
	end(&subnet);

	/* It is the only other member: both may be at one port. */
	make_row(&subnet);
	for (unsigned int i = 0; i < 3; i++)
		subnet.masks[i] = 0;
	add_member(&subnet, 0, 1);
	add_member(&subnet, 2, 1);
	subnet.members.items[0].guid = 0x99;
	fill(&subnet);
	assert_int_equal(faults(&subnet), 0);
	assert_false(subnet.tree.one_member);
	end(&subnet);
}

/* A switch that seems to lead nowhere may lead to a member that only sends. */
static void no_member_in_rows(void **state)
{
	struct subnet subnet;
	const struct fabric_view view = {.fabric = &subnet.fabric};
	struct multicast_hop_row row;

	(void)state;
	make_row(&subnet);
	subnet.masks[2] = 1 << 3;
	for (unsigned int known = 0; known < 2; known++) {
		unsigned int all = 0;

		if (known) {
			add_member(&subnet, 0, 1);
			add_member(&subnet, 2, 1);
		}
		fill(&subnet);
		for (size_t i = 0; i < subnet.tree.count; i++) {
			multicast_hop_row_make(&view, &subnet.tree, i, &row);
			all |= (unsigned int)row.faults.value;
		}
		assert_int_equal(all, known ? MULTICAST_NO_MEMBER : 0);
	}
	end(&subnet);
}

/* Unknown facts are not faults. */
static void unknown(void **state)
{
	struct subnet subnet;

	(void)state;
	make_row(&subnet);
	subnet.masks[1] = 0;
	fill(&subnet);
	multicast_tree_clear(&subnet.tree);
	subnet.forwarding.blocks[subnet.forwarding.tables[1].multicast + 2].known = false;
	multicast_tree_fill(&subnet.fabric, &subnet.forwarding, MLID, &subnet.members,
			    &subnet.tree);
	assert_true(subnet.tree.unknown);
	assert_int_equal(faults(&subnet), 0);
	subnet.fabric.interrupted = true;
	fill(&subnet);
	assert_int_equal(faults(&subnet), MULTICAST_ONE_WAY);
	end(&subnet);
}

/* A spanning tree of random cables, and members at random. */
static void random_trees(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct subnet subnet;

		begin(&subnet, 1 + round % MOST_SWITCHES, round);
		for (uint32_t i = 1; i < subnet.switches; i++) {
			const uint32_t up = draw(&subnet, i);

			join(&subnet, up, i);
			subnet.masks[up] |= 1u << subnet.used[up];
			subnet.masks[i] |= 1u << subnet.used[i];
		}
		for (uint32_t i = 0; i < subnet.switches; i++) {
			join(&subnet, i, draw(&subnet, subnet.switches));
			subnet.masks[i] |= draw(&subnet, 3) ? 1u << (1 + draw(&subnet, 2)) : 0;
			subnet.masks[i] |= !draw(&subnet, 5);
		}
		fill(&subnet);
		assert_int_equal(faults(&subnet) & ~(unsigned int)MULTICAST_NO_MEMBER, 0);
		end(&subnet);
	}
}

/* Follows a packet from a host of the switch. Marks the switches that it reaches; true: a loop. */
static bool flood(const struct subnet *subnet, uint32_t from, bool *reached)
{
	enum { ARCS = MOST_SWITCHES * (PORTS + 1) };
	bool now[ARCS] = {0}; /* packets in a switch, by the port through which they arrived */
	bool any = true;

	memset(reached, 0, MOST_SWITCHES * sizeof(*reached));
	now[from * (PORTS + 1)] = true;
	reached[from] = true;
	for (unsigned int step = 0; any && step <= ARCS; step++) {
		bool next[ARCS] = {0};

		any = false;
		for (uint32_t at = 0; at < ARCS; at++) {
			const uint32_t node = at / (PORTS + 1), in = at % (PORTS + 1);

			for (unsigned int out = 3; now[at] && out <= PORTS; out++) {
				const uint32_t peer =
					subnet->fabric
						.ports[fabric_port_at(&subnet->fabric, node, out)]
						.peer;
				const uint32_t to = peer == FABRIC_NONE
							    ? 0
							    : subnet->fabric.ports[peer].node;

				if (out == in || peer == FABRIC_NONE ||
				    !(subnet->masks[node] >> out & 1))
					continue;
				reached[to] = any = true;
				next[to * (PORTS + 1) + subnet->fabric.ports[peer].number] = true;
			}
		}
		memcpy(now, next, sizeof(now));
	}
	return any;
}

static bool has_receiver(const struct subnet *subnet, uint32_t node)
{
	return subnet->masks[node] & 7;
}

static void random_tables(void **state)
{
	unsigned int loops = 0, cut = 0, whole = 0;

	(void)state;
	for (uint32_t round = 0; round < 5 * ROUNDS; round++) {
		struct subnet subnet;
		bool reached[MOST_SWITCHES], parted = false, circles = false;

		begin(&subnet, 2 + round % (MOST_SWITCHES - 1), round);
		for (uint32_t i = 0; i < subnet.switches + draw(&subnet, 4); i++)
			join(&subnet, draw(&subnet, subnet.switches),
			     draw(&subnet, subnet.switches));
		for (uint32_t i = 0; i < subnet.switches; i++)
			for (unsigned int port = 0; port <= subnet.used[i]; port++)
				subnet.masks[i] |= draw(&subnet, 4) ? 1u << port : 0;
		fill(&subnet);
		for (uint32_t i = 0; i < subnet.switches; i++) {
			circles |= flood(&subnet, i, reached);
			for (uint32_t j = 0; j < subnet.switches; j++)
				parted |= has_receiver(&subnet, i) && has_receiver(&subnet, j) &&
					  !reached[j];
		}
		assert_int_equal(!!(faults(&subnet) & MULTICAST_LOOP), circles);
		assert_int_equal(!!(faults(&subnet) & MULTICAST_CUT_OFF), parted);
		loops += circles;
		cut += parted;
		whole += !parted && !circles;
		end(&subnet);
	}
	assert_true(loops > ROUNDS / 10 && cut > ROUNDS / 10 && whole > ROUNDS / 100);
}

/* Saved with the scan: the first block and the nonempty ones; and read back. */
static void saved(void **state)
{
	struct subnet subnet;
	struct forwarding again = {.tables = NULL};

	(void)state;
	make_row(&subnet);
	fill(&subnet);
	forwarding_store(&subnet.forwarding, &subnet.fabric);
	assert_int_equal(subnet.fabric.detail_count, 3 * 2);
	assert_int_equal(forwarding_recall(&subnet.fabric, NULL, 0, FORWARDING_MULTICAST, &again),
			 6);
	assert_int_equal(again.failure_count, 0);
	for (unsigned int mlid = 0xc000; mlid < 0xc040; mlid++)
		for (unsigned int port = 0; port <= PORTS; port++)
			assert_int_equal(forwarding_has_port(&again, &again.tables[1], mlid, port),
					 mlid == MLID && subnet.masks[1] >> port & 1 ? TRISTATE_YES
										     : TRISTATE_NO);
	forwarding_clear(&again);
	/* Without the first block, and with a block that a table does not have. */
	subnet.fabric.details[0].modifier = 7;
	assert_int_equal(forwarding_recall(&subnet.fabric, NULL, 0, FORWARDING_MULTICAST, &again),
			 5);
	assert_int_equal(again.failure_count, 1);
	assert_int_equal(again.failures[0].attribute, UMAD_SM_ATTR_MCAST_FT);
	assert_int_equal(forwarding_has_port(&again, &again.tables[0], 0xc000, 1),
			 TRISTATE_UNKNOWN);
	forwarding_clear(&again);
	/* Tables of the other kind, which were not requested, are not unknown. */
	forwarding_recall(&subnet.fabric, NULL, 0, FORWARDING_LINEAR, &again);
	for (size_t i = 0; i < again.failure_count; i++)
		assert_int_equal(again.failures[i].attribute, UMAD_SM_ATTR_LINEAR_FT);
	forwarding_clear(&again);
	end(&subnet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(each_fault),
		cmocka_unit_test(unknown),
		cmocka_unit_test(random_trees),
		cmocka_unit_test(random_tables),
		cmocka_unit_test(saved),
		cmocka_unit_test(one_member),
		cmocka_unit_test(member_of_another_guid),
		cmocka_unit_test(no_member_in_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
