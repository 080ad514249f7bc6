/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wrong with graphs made by hand: a healthy one has nothing, each fault its finding. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/check/findings.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { INIT = 2, ARMED = 3, ACTIVE = 4, POLLING = 2, LINK_UP = 5 };
enum { SWITCH, ONE, OTHER, NODES };
enum { SM_LID = 2, IS_SM = 2 };

struct bed {
	struct fabric fabric;
	struct fabric_view view;
	struct fabric_findings findings;
};

static uint8_t *info_of(struct bed *bed, uint32_t node, unsigned int port)
{
	return bed->fabric.ports[fabric_port_at(&bed->fabric, node, port)].info;
}

static void set_state(struct bed *bed, uint32_t node, unsigned int port, unsigned int state,
		      unsigned int physical)
{
	bits_set(info_of(bed, node, port), 32 * 8 + 4, 4, state);
	bits_set(info_of(bed, node, port), 33 * 8, 4, physical);
}

/* 4x QDR and no more, MTU 4096, 8 VLs; a LID where `lid` says so. */
static void add_info(struct bed *bed, uint32_t node, unsigned int port, uint16_t lid)
{
	uint8_t *info = info_of(bed, node, port);

	bed->fabric.ports[fabric_port_at(&bed->fabric, node, port)].has_info = true;
	info[30] = 3; /* 1x, 4x */
	info[31] = 2;
	info[32] = 7 << 4;
	info[35] = 4 << 4;
	info[36] = 5 << 4;
	info[41] = 5;
	info[43] = 4 << 4;
	bits_set(info, 16 * 8, 16, lid);
	bits_set(info, 18 * 8, 16, lid ? SM_LID : 0);
	set_state(bed, node, port, ACTIVE, LINK_UP);
}

static void link_ports(struct bed *bed, uint32_t node, unsigned int port, uint32_t other,
		       unsigned int other_port)
{
	fabric_link(&bed->fabric, fabric_port_at(&bed->fabric, node, port),
		    fabric_port_at(&bed->fabric, other, other_port));
}

/* A switch and two adapters, of which the first has the subnet manager. */
static int begin(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	assert_int_equal(sample_bare_node(&bed->fabric, NODE_TYPE_SWITCH, 0x100, 3), SWITCH);
	assert_int_equal(sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x200, 1), ONE);
	assert_int_equal(sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1), OTHER);
	for (unsigned int i = 0; i <= 3; i++)
		add_info(bed, SWITCH, i, i ? 0 : 1);
	set_state(bed, SWITCH, 0, ACTIVE, 0);
	set_state(bed, SWITCH, 3, 1, POLLING);
	add_info(bed, ONE, 1, SM_LID);
	add_info(bed, OTHER, 1, 3);
	bits_set(info_of(bed, ONE, 1), 20 * 8, 32, IS_SM);
	link_ports(bed, SWITCH, 1, ONE, 1);
	link_ports(bed, SWITCH, 2, OTHER, 1);
	for (uint32_t i = ONE; i < NODES; i++)
		bed->fabric.nodes[i].parent = fabric_port_at(&bed->fabric, SWITCH, i);
	bed->view.fabric = &bed->fabric;
	*state = bed;
	return 0;
}

static int end(void **state)
{
	struct bed *bed = *state;

	findings_clear(&bed->findings);
	fabric_clear(&bed->fabric);
	free(bed);
	return 0;
}

static void judge(struct bed *bed)
{
	findings_of_graph(&bed->view, &bed->findings);
	findings_of_managers(&bed->view, NULL, &bed->findings);
	findings_sort(&bed->findings);
}

/* That this is all that was found; node FABRIC_NONE: of the subnet. */
static void assert_only(struct bed *bed, enum finding finding, uint32_t node, unsigned int port,
			const char *evidence)
{
	const struct fabric_finding *found = bed->findings.items;

	assert_int_equal(bed->findings.count, 1);
	assert_int_equal(found->finding.value, finding);
	assert_int_equal(found->at.place, node == FABRIC_NONE
						  ? FABRIC_NONE
						  : fabric_port_at(&bed->fabric, node, port));
	assert_string_equal(found->evidence, evidence);
}

static void healthy(void **state)
{
	struct bed *bed = *state;

	judge(bed);
	assert_int_equal(bed->findings.count, 0);
}

static void slow_link(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	judge(bed);
	assert_only(bed, FINDING_LINK_BELOW_BEST, SWITCH, 1,
		    "it is 1x QDR, both ends support 4x QDR");
}

static void states(void **state)
{
	struct bed *bed = *state;

	set_state(bed, SWITCH, 1, INIT, LINK_UP);
	set_state(bed, ONE, 1, INIT, LINK_UP);
	judge(bed);
	assert_only(bed, FINDING_PORT_INIT, SWITCH, 1,
		    "the link is up, the state init here, init at the other end");
	findings_clear(&bed->findings);
	set_state(bed, SWITCH, 1, ACTIVE, LINK_UP);
	set_state(bed, ONE, 1, ARMED, LINK_UP);
	judge(bed);
	assert_only(bed, FINDING_LINK_NOT_ACTIVE, SWITCH, 1,
		    "the link is up, the state active here, armed at the other end");
}

static void one_way(void **state)
{
	struct bed *bed = *state;

	set_state(bed, OTHER, 1, 1, POLLING);
	judge(bed);
	assert_only(bed, FINDING_ONE_WAY_LINK, SWITCH, 2,
		    "it is up here, polling at the other end");
}

static void other_cable(void **state)
{
	struct bed *bed = *state;

	bed->fabric.ports[fabric_port_at(&bed->fabric, SWITCH, 3)].peer = fabric_port_at(
		&bed->fabric, ONE, 1);
	judge(bed);
	assert_only(bed, FINDING_ONE_WAY_LINK, SWITCH, 3,
		    "the other end is cabled to 0000:0000:0000:0100/1");
}

static void mtu_and_lanes(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 2)[36] = 4 << 4;
	judge(bed);
	assert_only(bed, FINDING_MTU_MISMATCH, SWITCH, 2, "2048 bytes here, 4096 at the other end");
	findings_clear(&bed->findings);
	info_of(bed, OTHER, 1)[36] = 4 << 4;
	judge(bed);
	assert_only(bed, FINDING_MTU_LOW, SWITCH, 2, "2048 bytes, both ends support 4096");
	findings_clear(&bed->findings);
	info_of(bed, OTHER, 1)[41] = 4;
	info_of(bed, OTHER, 1)[43] = 2 << 4;
	judge(bed);
	assert_only(bed, FINDING_VL_MISMATCH, SWITCH, 2, "8 data VLs here, 2 at the other end");
}

static void duplicate_guid(void **state)
{
	struct bed *bed = *state;
	uint32_t twin = sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1);

	bed->fabric.nodes[OTHER].ambiguous = bed->fabric.nodes[twin].ambiguous = true;
	bed->fabric.nodes[OTHER].same_guid = twin;
	bed->fabric.nodes[twin].parent = fabric_port_at(&bed->fabric, SWITCH, 3);
	judge(bed);
	assert_only(bed, FINDING_DUPLICATE_GUID, twin, 0,
		    "GUID 0000:0000:0000:0300, as 0000:0000:0000:0300; this one is behind "
		    "0000:0000:0000:0100/3");
	assert_true(bed->findings.items->of_node);
}

static void duplicate_lids(void **state)
{
	struct bed *bed = *state;

	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	judge(bed);
	assert_only(bed, FINDING_DUPLICATE_LID, OTHER, 1,
		    "LID 1 is that of 0000:0000:0000:0100/0, too");
	findings_clear(&bed->findings);
	/* LMC 2: LIDs 0 to 3 would be odd, 4 to 7 meet nobody, 1 to 4 meet the others. */
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 4);
	bits_set(info_of(bed, OTHER, 1), 34 * 8 + 5, 3, 2);
	judge(bed);
	assert_int_equal(bed->findings.count, 0);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	judge(bed);
	assert_int_equal(bed->findings.count, 2);
	assert_string_equal(bed->findings.items[0].evidence,
			    "LIDs 2 to 2, and 0000:0000:0000:0300/1 has 1 to 4");
}

static void lids_and_managers(void **state)
{
	struct bed *bed = *state;

	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 0);
	judge(bed);
	assert_only(bed, FINDING_NO_LID, OTHER, 1, "the subnet manager is at LID 2");
	findings_clear(&bed->findings);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 3);
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 7);
	judge(bed);
	assert_only(bed, FINDING_SM_LID_MISMATCH, OTHER, 1, "LID 7, and most ports say 2");
	findings_clear(&bed->findings);
	/* Who has given the LIDs is not known, but somebody has. */
	bits_set(info_of(bed, SWITCH, 0), 18 * 8, 16, 0);
	bits_set(info_of(bed, ONE, 1), 18 * 8, 16, 0);
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 0);
	judge(bed);
	assert_int_equal(bed->findings.count, 0);
}

/* Without a subnet manager no port is told of for its state: there would be one row each. */
static void nothing_configured(void **state)
{
	struct bed *bed = *state;

	for (uint32_t i = 0; i < bed->fabric.port_count; i++) {
		bits_set(bed->fabric.ports[i].info, 16 * 8, 32, 0);
		bits_set(bed->fabric.ports[i].info, 32 * 8 + 4, 4, INIT);
	}
	judge(bed);
	assert_only(bed, FINDING_NO_SM, FABRIC_NONE, 0,
		    "none of 3 ports has a LID, or knows that of one");
}

static void silence(void **state)
{
	struct bed *bed = *state;

	bed->fabric.silences = mem_alloc_zero(1, sizeof(*bed->fabric.silences));
	bed->fabric.silence_count = 1;
	bed->fabric.silences[0] = (struct fabric_silence){
		.port = fabric_port_at(&bed->fabric, SWITCH, 3),
		.attribute = 0x11,
		.behind = true,
		.error = -ETIMEDOUT,
		.tries = 4,
	};
	judge(bed);
	assert_only(bed, FINDING_UNANSWERED, SWITCH, 3,
		    "the node at its other end: NodeInfo: no answer, asked 4 times; route 0,3");
}

static struct fabric_manager manager_at(struct bed *bed, uint32_t node, uint16_t lid, uint8_t state)
{
	return (struct fabric_manager){
		.port = fabric_port_at(&bed->fabric, node, 1),
		.lid = lid,
		.state = state,
		.guid = 0x201,
		.priority = 3,
		.activity = 9,
	};
}

static void managers(void **state)
{
	struct bed *bed = *state;
	struct fabric_manager items[2] = {
		manager_at(bed, ONE, SM_LID, MANAGER_MASTER),
		manager_at(bed, OTHER, 3, MANAGER_STANDBY),
	};
	const struct fabric_managers list = {.items = items, .count = 2};

	findings_of_managers(&bed->view, &list, &bed->findings);
	assert_int_equal(bed->findings.count, 0);
	items[1].state = MANAGER_MASTER;
	findings_of_managers(&bed->view, &list, &bed->findings);
	assert_int_equal(bed->findings.count, 2);
	assert_int_equal(bed->findings.items[1].finding.value, FINDING_TWO_MASTERS);
	assert_string_equal(bed->findings.items[1].evidence,
			    "one of 2 masters: LID 3, GUID 0000:0000:0000:0201, priority 3, "
			    "activity 9");
	findings_clear(&bed->findings);
	items[1].error = -ETIMEDOUT;
	items[1].tries = 4;
	findings_of_managers(&bed->view, &list, &bed->findings);
	assert_only(bed, FINDING_SM_UNANSWERED, OTHER, 1,
		    "SMInfo (LID 3): no answer, asked 4 times");
	findings_clear(&bed->findings);
	items[1] = items[0];
	items[0].status = 0x1c;
	findings_of_managers(&bed->view, &(struct fabric_managers){.items = items, .count = 1},
			     &bed->findings);
	assert_only(bed, FINDING_NO_SM, ONE, 1,
		    "SMInfo (LID 2): refused with status 0x001c: invalid-value");
	findings_clear(&bed->findings);
	items[0] = manager_at(bed, ONE, SM_LID, MANAGER_STANDBY);
	findings_of_managers(&bed->view, &(struct fabric_managers){.items = items, .count = 1},
			     &bed->findings);
	assert_only(bed, FINDING_NO_SM, ONE, 1, "the one at LID 2 is in the state standby");
}

/* One table: LIDs 1 to 3 as told. */
static void judge_table(struct bed *bed, uint8_t own, uint8_t one, uint8_t other)
{
	uint8_t ports[64] = {255, own, one, other};
	bool has_ports[1] = {true};
	uint32_t of_node[NODES] = {0, FABRIC_NONE, FABRIC_NONE};
	struct forwarding_table table = {.node = SWITCH, .known = true, .lids = 64};
	const struct forwarding forwarding = {.tables = &table,
					      .count = 1,
					      .of_node = of_node,
					      .ports = ports,
					      .has_ports = has_ports};

	findings_clear(&bed->findings);
	findings_of_forwarding(&bed->view, &forwarding, &bed->findings);
}

static void holes(void **state)
{
	struct bed *bed = *state;

	judge_table(bed, 0, 1, 2);
	assert_int_equal(bed->findings.count, 0);
	judge_table(bed, 0, 1, 255);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 0,
		    "LID 3, of 0000:0000:0000:0300/1, goes nowhere");
	judge_table(bed, 0, 3, 3);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 3,
		    "2 LIDs go to port 3, which is down; the first is 2, of "
		    "0000:0000:0000:0200/1");
	judge_table(bed, 0, 9, 2);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 0,
		    "LID 2, of 0000:0000:0000:0200/1, goes to port 9, which it has not");
}

static void wrong_ends(void **state)
{
	struct bed *bed = *state;

	judge_table(bed, 0, 0, 2);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 0,
		    "LID 2, of 0000:0000:0000:0200/1, goes to the switch itself");
	assert_true(bed->findings.items->of_node);
	judge_table(bed, 0, 2, 2);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 2,
		    "LID 2, of 0000:0000:0000:0200/1, goes to port 2, and so to "
		    "0000:0000:0000:0300/1");
	judge_table(bed, 1, 1, 1);
	assert_only(bed, FINDING_LFT_HOLE, SWITCH, 1,
		    "2 LIDs go to port 1, and so to 0000:0000:0000:0200/1; the first is 1, of "
		    "0000:0000:0000:0100/0");
	/* It may have several LIDs, or one that another has, too; or it has not told. */
	bits_set(info_of(bed, OTHER, 1), 34 * 8 + 5, 3, 1);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 2);
	judge_table(bed, 0, 2, 2);
	assert_int_equal(bed->findings.count, 0);
	bed->fabric.ports[fabric_port_at(&bed->fabric, OTHER, 1)].has_info = false;
	judge_table(bed, 0, 2, 2);
	assert_int_equal(bed->findings.count, 0);
}

/* Behind port 3 another switch, of LID 4, with a cable to itself from 2 to 3. */
static void judge_tables(struct bed *bed, const uint8_t *first, const uint8_t *second)
{
	uint8_t ports[2 * 64] = {0};
	bool has_ports[2] = {true, true};
	uint32_t of_node[NODES + 1] = {0, FABRIC_NONE, FABRIC_NONE, 1};
	struct forwarding_table tables[2] = {
		{.node = SWITCH, .known = true, .lids = 64},
		{.node = NODES, .known = true, .lids = 64, .ports_at = 64, .has_ports_at = 1},
	};
	const struct forwarding forwarding = {.tables = tables,
					      .count = 2,
					      .of_node = of_node,
					      .ports = ports,
					      .has_ports = has_ports};

	memcpy(ports, first, 5);
	memcpy(ports + 64, second, 5);
	findings_clear(&bed->findings);
	findings_of_forwarding(&bed->view, &forwarding, &bed->findings);
}

static void loops(void **state)
{
	static const uint8_t first[] = {255, 0, 1, 2, 3};
	struct bed *bed = *state;

	assert_int_equal(sample_bare_node(&bed->fabric, NODE_TYPE_SWITCH, 0x400, 3), NODES);
	for (unsigned int i = 0; i <= 3; i++)
		add_info(bed, NODES, i, i ? 0 : 4);
	set_state(bed, SWITCH, 3, ACTIVE, LINK_UP);
	link_ports(bed, SWITCH, 3, NODES, 1);
	link_ports(bed, NODES, 2, NODES, 3);
	judge_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 0});
	assert_int_equal(bed->findings.count, 0);
	/* Both send it to each other: one circle, two LIDs. */
	judge_tables(bed, (const uint8_t[]){255, 0, 3, 3, 3}, (const uint8_t[]){255, 1, 1, 1, 0});
	assert_only(bed, FINDING_LFT_LOOP, SWITCH, 3,
		    "2 LIDs go to port 3, and after 2 hops are back here; the first is 2, of "
		    "0000:0000:0000:0200/1");
	judge_tables(bed, first, (const uint8_t[]){255, 1, 1, 2, 0});
	assert_only(bed, FINDING_LFT_LOOP, NODES, 2,
		    "LID 3, of 0000:0000:0000:0300/1, goes to port 2, and after 1 hop is back "
		    "here");
	/* A switch takes what is its own, whatever its table says. */
	judge_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 1});
	assert_int_equal(bed->findings.count, 0);
	judge_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 2});
	assert_int_equal(bed->findings.count, 0);
}

/* Places in PortCounters, in bits, and their widths. */
struct change {
	unsigned int at, width;
	uint64_t before, after;
};

static void judge_growth(struct bed *bed, struct change change, uint64_t least)
{
	struct port_counters before = {.read = true, .caps = {.mask = PERF_CAP_XMIT_WAIT}};
	struct port_counters after;
	struct port_growth_row row;

	findings_clear(&bed->findings);
	before.port = fabric_port_at(&bed->fabric, SWITCH, 2);
	after = before;
	bits_set(before.counters, change.at, change.width, change.before);
	bits_set(after.counters, change.at, change.width, change.after);
	/* Words of data: 100 sent meanwhile. */
	bits_set(after.counters, 24 * 8, 32, 100);
	port_growth_row_make(&bed->view, &before, &after, 10, least, &row);
	findings_of_growth(&row, least, &bed->findings);
	port_growth_row_clear(&row);
}

static void counters_grow(void **state)
{
	struct bed *bed = *state;

	judge_growth(bed, (struct change){4 * 8, 16, 100, 100}, 1);
	assert_int_equal(bed->findings.count, 0);
	judge_growth(bed, (struct change){4 * 8, 16, 100, 120}, 1);
	assert_only(bed, FINDING_ERRORS, SWITCH, 2, "symbol_errors +20 (2/s), in 10 s");
	assert_int_equal(bed->findings.items->severity.value, SEVERITY_WARNING);
	judge_growth(bed, (struct change){4 * 8, 16, 100, 120}, 21);
	assert_int_equal(bed->findings.count, 0);
	judge_growth(bed, (struct change){4 * 8, 16, 100, 5}, 1);
	assert_only(bed, FINDING_ERRORS, SWITCH, 2, "symbol_errors 5 since it was reset, in 10 s");
	/* Of the switch's own forwarding, which multicast does every day. */
	judge_growth(bed, (struct change){12 * 8, 16, 0, 30}, 1);
	assert_only(bed, FINDING_ERRORS, SWITCH, 2, "rcv_switch_relay_errors +30 (3/s), in 10 s");
	assert_int_equal(bed->findings.items->severity.value, SEVERITY_NOTICE);
	judge_growth(bed, (struct change){7 * 8, 8, 255, 255}, 1);
	assert_only(bed, FINDING_SATURATED, SWITCH, 2, "link_downed stopped at 255, in 10 s");
}

static void congestion(void **state)
{
	struct bed *bed = *state;

	judge_growth(bed, (struct change){40 * 8, 32, 7, 106}, 1);
	assert_int_equal(bed->findings.count, 0);
	judge_growth(bed, (struct change){40 * 8, 32, 7, 107}, 1);
	assert_only(bed, FINDING_CONGESTION, SWITCH, 2,
		    "waited 100 ticks, and sent 100 words of 4 bytes");
}

static void saturation(void **state)
{
	struct bed *bed = *state;
	struct port_counters counters = {.port = fabric_port_at(&bed->fabric, SWITCH, 2)};
	struct port_errors_row row;

	bits_set(counters.counters, 4 * 8, 16, 9);
	assert_true(port_errors_row_make(&bed->view, &counters, 1, &row));
	findings_of_saturation(&row, &bed->findings);
	assert_int_equal(bed->findings.count, 0);
	port_errors_row_clear(&row);
	bits_set(counters.counters, 7 * 8, 8, 255);
	assert_true(port_errors_row_make(&bed->view, &counters, UINT64_MAX, &row));
	findings_of_saturation(&row, &bed->findings);
	assert_only(bed, FINDING_SATURATED, SWITCH, 2, "link_downed >=255, symbol_errors 9");
	port_errors_row_clear(&row);
}

static void order(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	judge(bed);
	assert_int_equal(bed->findings.count, 2);
	assert_int_equal(bed->findings.items[0].finding.value, FINDING_DUPLICATE_LID);
	assert_int_equal(bed->findings.items[1].finding.value, FINDING_LINK_BELOW_BEST);
}

/* What a node did not say of itself is no fault of it. */
static void nothing_known(void **state)
{
	struct bed *bed = *state;

	for (uint32_t i = 0; i < bed->fabric.port_count; i++)
		bed->fabric.ports[i].has_info = false;
	judge(bed);
	assert_int_equal(bed->findings.count, 0);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy),
		TEST(slow_link),
		TEST(states),
		TEST(one_way),
		TEST(other_cable),
		TEST(mtu_and_lanes),
		TEST(duplicate_guid),
		TEST(duplicate_lids),
		TEST(lids_and_managers),
		TEST(nothing_configured),
		TEST(silence),
		TEST(managers),
		TEST(holes),
		TEST(wrong_ends),
		TEST(loops),
		TEST(order),
		TEST(nothing_known),
		TEST(counters_grow),
		TEST(congestion),
		TEST(saturation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
