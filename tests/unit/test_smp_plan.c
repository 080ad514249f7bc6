/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which SMPs are needed to read a full attribute: their modifiers, and what is kept of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/engine/request.h"
#include "mad/smp_plan.h"

static const struct smp_node adapter = {
	.ports = 2,
	.local_port = 1,
	.pkeys = 64,
	.guids = 9,
	.low_arbitrations = 8,
	.high_arbitrations = 40,
};

/* The same adapter at its other port. */
static const struct smp_node second = {
	.ports = 2,
	.local_port = 2,
	.pkeys = 64,
	.low_arbitrations = 8,
	.high_arbitrations = 40,
};

static const struct smp_node a_switch = {
	.is_switch = true,
	.ports = 36,
	.pkeys = 8,
	.switch_pkeys = 33,
	.linear_top = 128,
	.multicast_cap = 100,
	.guids = 1,
	.low_arbitrations = 64,
	.high_arbitrations = 64,
};

/* The largest node that the formats allow. */
static const struct smp_node largest = {
	.is_switch = true,
	.ports = 255,
	.pkeys = 65535,
	.switch_pkeys = 65535,
	.linear_top = 0xbfff,
	.multicast_cap = 0x3fff,
	.multicast_top = 0xfffe,
	.guids = 255,
	.low_arbitrations = 64,
	.high_arbitrations = 64,
};

/* Port 0 has the same tables as other ports. */
static const struct smp_node enhanced = {
	.is_switch = true,
	.enhanced_port0 = true,
	.ports = 4,
	.low_arbitrations = 32,
	.high_arbitrations = 32,
};

static const struct smp_node nothing = {.is_switch = false};
static const struct smp_node empty_switch = {.is_switch = true};

struct plan_row {
	const char *word;
	const struct smp_node *node;
	struct smp_range ranges[3];
	size_t range_count;
	bool all_ports;
	const char *modifiers; /* in hexadecimal, separated by blanks; "#N": that many */
};

static const struct plan_row plans[] = {
	/* No modifier */
	{"nodeinfo", &adapter, {{0}}, 0, false, "0"},
	{"nodedesc", &a_switch, {{0}}, 0, false, "0"},
	{"switchinfo", &a_switch, {{0}}, 0, false, "0"},
	{"sminfo", &adapter, {{0}}, 0, false, "0"},
	/* A port */
	{"portinfo", &adapter, {{0}}, 0, false, "0"},
	{"portinfo", &adapter, {{2, 2}}, 1, false, "2"},
	{"portinfo", &adapter, {{0, 9}}, 1, false, "0 1 2"},
	{"portinfo", &adapter, {{3, 9}}, 1, false, ""},
	{"portinfo", &adapter, {{0}}, 0, true, "1 2"},
	{"portinfo", &a_switch, {{1, 3}, {36, 255}}, 2, false, "1 2 3 24"},
	{"portinfo", &a_switch, {{0}}, 0, true, "#37"},
	{"portinfo", &largest, {{0}}, 0, true, "#256"},
	{"portinfo", &largest, {{255, 255}}, 1, false, "ff"},
	{"portinfo", &largest, {{0, UINT32_MAX}}, 1, false, "#256"},
	{"portinfo", &nothing, {{0}}, 0, true, ""},
	/*
	 * P_Keys: 32 per block, the port of a switch in the high half; an adapter has the port that
	 * answers
	 */
	{"pkeys", &adapter, {{0}}, 0, false, "0 1"},
	{"pkeys", &adapter, {{0}}, 0, true, "0 1"},
	{"pkeys", &adapter, {{0, 0}}, 1, false, "0 1"},
	{"pkeys", &adapter, {{1, 1}}, 1, false, "0 1"},
	{"pkeys", &adapter, {{2, 2}, {0, 1}}, 2, false, "0 1"},
	{"pkeys", &adapter, {{2, 2}}, 1, false, ""},
	{"pkeys", &second, {{2, 2}}, 1, false, "0 1"},
	{"pkeys", &second, {{1, 1}}, 1, false, ""},
	{"pkeys", &a_switch, {{0}}, 0, false, "0"},
	{"pkeys", &a_switch, {{0, 1}}, 1, false, "0 10000 10001"},
	{"pkeys", &a_switch, {{36, 36}}, 1, false, "240000 240001"},
	{"pkeys", &largest, {{255, 255}}, 1, false, "#2048"},
	{"pkeys", &nothing, {{0}}, 0, false, ""},
	/* SL to VL: one table for an adapter, one for each input port of a switch */
	{"sl2vl", &adapter, {{1, 1}}, 1, false, "0"},
	{"sl2vl", &adapter, {{2, 2}}, 1, false, ""},
	{"sl2vl", &adapter, {{0}}, 0, true, "0"},
	{"sl2vl", &a_switch, {{5, 5}}, 1, false, "#37"},
	{"sl2vl", &largest, {{0}}, 0, true, "#65536"},
	{"sl2vl", &empty_switch, {{0}}, 0, false, "0"},
	/* Arbitration: 32 entries per part, low and high priority */
	{"vlarb", &adapter, {{1, 1}}, 1, false, "10001 30001 40001"},
	{"vlarb", &adapter, {{2, 2}}, 1, false, ""},
	{"vlarb", &second, {{0}}, 0, false, "10002 30002 40002"},
	{"vlarb", &second, {{0}}, 0, true, "10002 30002 40002"},
	{"vlarb", &a_switch, {{255, 255}}, 1, false, ""},
	{"vlarb", &largest, {{255, 255}}, 1, false, "100ff 200ff 300ff 400ff"},
	{"vlarb", &a_switch, {{0, 0}}, 1, false, ""},
	{"vlarb", &enhanced, {{0, 0}}, 1, false, "10000 30000"},
	{"vlarb", &nothing, {{0}}, 0, false, ""},
	/* GUIDs: eight per block */
	{"guidinfo", &adapter, {{0}}, 0, false, "0 1"},
	{"guidinfo", &adapter, {{8, 8}}, 1, false, "1"},
	{"guidinfo", &adapter, {{9, 20}}, 1, false, ""},
	{"guidinfo", &largest, {{0}}, 0, false, "#32"},
	{"guidinfo", &nothing, {{0}}, 0, false, ""},
	/* Linear forwarding: 64 per block, up to the top */
	{"lft", &a_switch, {{0}}, 0, false, "0 1 2"},
	{"lft", &a_switch, {{1, 1}, {127, 200}}, 2, false, "0 1 2"},
	{"lft", &a_switch, {{129, 200}}, 1, false, ""},
	{"lft", &empty_switch, {{0}}, 0, false, "0"},
	{"lft", &largest, {{0}}, 0, false, "#768"},
	{"lft", &adapter, {{0}}, 0, false, ""},
	/* Multicast forwarding: 32 per block from 0xc000 on, a position for each 16 ports */
	{"mft",
	 &a_switch,
	 {{0}},
	 0,
	 false,
	 "0 1 2 3 10000000 10000001 10000002 10000003 20000000 20000001 20000002 20000003"},
	{"mft", &a_switch, {{0xc020, 0xc020}}, 1, false, "1 10000001 20000001"},
	{"mft", &a_switch, {{0, 10}}, 1, false, ""},
	{"mft", &largest, {{0xfffe, 0xffff}}, 1, false, "#16"},
	{"mft", &empty_switch, {{0}}, 0, false, ""},
	{"mft", &adapter, {{0}}, 0, false, ""},
};

static const struct mad_attribute *attribute_of(const char *word)
{
	const struct mad_attribute *attribute = mad_attribute_find_word(sm_attributes, word);

	assert_non_null(attribute);
	return attribute;
}

static char *modifiers_of(const struct smp_step *steps, size_t count)
{
	char *text = mem_alloc_zero(count + 1, 16);
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += (size_t)sprintf(text + used, "%s%x", i ? " " : "", steps[i].modifier);
	return text;
}

static void modifiers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		const struct plan_row *row = &plans[i];
		const struct smp_choice choice = {row->ranges, row->range_count, row->all_ports};
		_cleanup_(freep) struct smp_step *steps = NULL;
		_cleanup_(freep) char *text = NULL;
		size_t count = 0;

		smp_plan(attribute_of(row->word), row->node, &choice, &steps, &count);
		if (row->modifiers[0] == '#') {
			if (count != strtoul(row->modifiers + 1, NULL, 10))
				fail_msg("row %zu, %s: %zu steps", i, row->word, count);
			continue;
		}
		text = modifiers_of(steps, count);
		if (strcmp(text, row->modifiers))
			fail_msg("row %zu, %s: %s", i, row->word, text);
	}
}

/* The sizes of arbitration tables are read from each port that has them. */
static void port_infos(void **state)
{
	static const struct {
		const struct smp_node *node;
		struct smp_range range;
		size_t range_count;
		const char *modifiers;
		unsigned int port; /* of the last step */
	} rows[] = {
		{&enhanced, {0}, 0, "0 1 2 3 4", 4}, {&enhanced, {0, 1}, 1, "0 1", 1},
		{&a_switch, {0, 3}, 1, "1 2 3", 3},  {&a_switch, {36, 255}, 1, "24", 36},
		{&a_switch, {0, 0}, 1, "", 0},	     {&adapter, {0, 2}, 1, "0", 1},
		{&second, {0}, 0, "0", 2},	     {&second, {1, 1}, 1, "", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smp_choice choice = {
			.ranges = &rows[i].range, .count = rows[i].range_count, .port_info = true};
		_cleanup_(freep) struct smp_step *steps = NULL;
		_cleanup_(freep) char *text = NULL;
		size_t count = 0;

		smp_plan(attribute_of("vlarb"), rows[i].node, &choice, &steps, &count);
		text = modifiers_of(steps, count);
		assert_string_equal(text, rows[i].modifiers);
		if (count)
			assert_int_equal(steps[count - 1].port.value, rows[i].port);
	}
}

/* Every entry of a table is in exactly one block, and nothing else is requested. */
static void each_entry_once(void **state)
{
	static const struct {
		const char *word;
		const struct smp_node *node;
		uint32_t first, last; /* entries that exist */
	} rows[] = {
		{"lft", &a_switch, 0, 128},	   {"lft", &largest, 0, 0xbfff},
		{"guidinfo", &adapter, 0, 8},	   {"guidinfo", &largest, 0, 254},
		{"mft", &largest, 0xc000, 0xfffe}, {"mft", &a_switch, 0xc000, 0xc000 + 99},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mad_attribute *attribute = attribute_of(rows[i].word);
		const struct smp_choice choice = {.count = 0};
		_cleanup_(freep) struct smp_step *steps = NULL;
		_cleanup_(freep) unsigned char *seen = mem_alloc_zero(0x10000, 1);
		size_t count = 0, positions = 1;

		smp_plan(attribute, rows[i].node, &choice, &steps, &count);
		if (attribute->modifier == MODIFIER_MULTICAST)
			positions = rows[i].node->ports / 16 + 1u;
		for (size_t j = 0; j < count; j++)
			for (uint32_t k = 0; k < attribute->entries; k++)
				if (steps[j].first + k >= steps[j].from &&
				    steps[j].first + k <= steps[j].to)
					seen[steps[j].first + k]++;
		for (uint32_t k = 0; k < 0x10000; k++)
			assert_int_equal(seen[k],
					 k >= rows[i].first && k <= rows[i].last ? positions : 0);
	}
}

/* The position of a block: its port, its first entry, and the end of the table within it. */
/* PortInfo has VLArbitrationHighCap first: 14.2.5.6. */
static void port_info(void **state)
{
	const unsigned char info[PORT_INFO_BYTES] = {[39] = 40, [40] = 8, [50] = 9};
	struct smp_node node = {.ports = 2};

	(void)state;
	smp_node_take_port_info(&node, info);
	assert_int_equal(node.high_arbitrations, 40);
	assert_int_equal(node.low_arbitrations, 8);
	assert_int_equal(node.guids, 9);
}

static void contents(void **state)
{
	const struct smp_range range = {2, 2};
	const struct smp_choice choice = {&range, 1, false};
	_cleanup_(freep) struct smp_step *steps = NULL;
	size_t count = 0;

	(void)state;
	smp_plan(attribute_of("pkeys"), &a_switch, &choice, &steps, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(steps[i].port.known);
		assert_int_equal(steps[i].port.value, 2);
		assert_int_equal(steps[i].first, i * 32);
		assert_int_equal(steps[i].from, 0);
		assert_int_equal(steps[i].to, 32);
	}
	/* New steps are appended to the existing ones. */
	smp_plan(attribute_of("vlarb"), &second, &choice, &steps, &count);
	assert_int_equal(count, 5);
	assert_int_equal(steps[2].port.value, 2);
	assert_int_equal(steps[2].first, 0);
	assert_int_equal(steps[2].to, 7);
	/*
	 * High priority follows the 64 entries of low priority: 40, of which 32 are in the first
	 * part.
	 */
	assert_int_equal(steps[3].first, 64);
	assert_int_equal(steps[3].to, 64 + 39);
	assert_int_equal(steps[4].first, 64 + 32);
	assert_int_equal(steps[4].to, 64 + 39);
	smp_plan(attribute_of("sl2vl"), &a_switch, &choice, &steps, &count);
	assert_int_equal(count, 5 + 37);
	for (uint32_t in = 0; in <= 36; in++) {
		assert_int_equal(steps[5 + in].modifier, in << 8 | 2);
		assert_int_equal(steps[5 + in].first, in);
		assert_int_equal(steps[5 + in].port.value, 2);
	}
}

/* If a port answers only for itself, the plan has that port, and says whether others remain. */
static void ports_left(void **state)
{
	static const struct smp_node single = {.ports = 1, .local_port = 1, .pkeys = 1};
	static const struct {
		const char *word;
		const struct smp_node *node;
		struct smp_range ranges[2];
		size_t range_count;
		bool all_ports, left;
		unsigned int port; /* of the steps; 0: none */
	} rows[] = {
		{"pkeys", &adapter, {{0}}, 0, false, false, 1},
		{"pkeys", &second, {{0}}, 0, false, false, 2},
		{"pkeys", &second, {{0}}, 0, true, true, 2},
		{"pkeys", &single, {{0}}, 0, true, false, 1},
		{"pkeys", &adapter, {{0, 1}}, 1, false, false, 1},
		{"pkeys", &adapter, {{0, 2}}, 1, false, true, 1},
		{"pkeys", &adapter, {{2, 2}}, 1, false, true, 0},
		{"pkeys", &second, {{2, 2}, {1, 1}}, 2, false, true, 2},
		/* A port that does not exist is another complaint. */
		{"pkeys", &second, {{2, 9}}, 1, false, false, 2},
		{"pkeys", &second, {{3, UINT32_MAX}}, 1, false, false, 0},
		{"sl2vl", &second, {{1, 1}}, 1, false, true, 0},
		{"sl2vl", &second, {{0}}, 0, false, false, 2},
		{"vlarb", &second, {{0}}, 0, true, true, 2},
	};
	static const struct smp_choice all = {.all_ports = true};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smp_choice choice = {rows[i].ranges, rows[i].range_count,
						  rows[i].all_ports};
		const struct mad_attribute *attribute = attribute_of(rows[i].word);
		_cleanup_(freep) struct smp_step *steps = NULL;
		size_t count = 0;

		if (smp_leaves_ports(attribute, rows[i].node, &choice) != rows[i].left)
			fail_msg("row %zu: left", i);
		smp_plan(attribute, rows[i].node, &choice, &steps, &count);
		if (!count != !rows[i].port)
			fail_msg("row %zu: %zu steps", i, count);
		for (size_t j = 0; j < count; j++)
			if (!steps[j].port.known || steps[j].port.value != rows[i].port)
				fail_msg("row %zu: port %u", i, (unsigned int)steps[j].port.value);
	}
	assert_false(smp_leaves_ports(attribute_of("portinfo"), &adapter, &all));
	assert_false(smp_leaves_ports(attribute_of("pkeys"), &a_switch, &all));
	assert_false(smp_leaves_ports(attribute_of("vlarb"), &enhanced, &all));
}

static void base_port(void **state)
{
	static const struct {
		const char *word;
		const struct smp_node *node;
		struct smp_range ranges[2];
		size_t range_count;
		bool all_ports, only;
	} rows[] = {
		{"vlarb", &a_switch, {{0, 0}}, 1, false, true},
		{"vlarb", &a_switch, {{0, 1}}, 1, false, false},
		{"vlarb", &a_switch, {{0, 0}, {2, 2}}, 2, false, false},
		/* A port that does not exist is another complaint. */
		{"vlarb", &a_switch, {{0, 0}, {255, 255}}, 2, false, true},
		{"vlarb", &a_switch, {{255, 255}}, 1, false, false},
		{"vlarb", &a_switch, {{0}}, 0, false, false},
		{"vlarb", &a_switch, {{0}}, 0, true, false},
		{"vlarb", &enhanced, {{0, 0}}, 1, false, false},
		{"vlarb", &adapter, {{0, 0}}, 1, false, false},
		{"sl2vl", &a_switch, {{0, 0}}, 1, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smp_choice choice = {rows[i].ranges, rows[i].range_count,
						  rows[i].all_ports};

		if (smp_is_only_base_port(attribute_of(rows[i].word), rows[i].node, &choice) !=
		    rows[i].only)
			fail_msg("row %zu", i);
	}
}

/* A switch may claim more entries than there are multicast LIDs, or a top above them. */
static void multicast_beyond(void **state)
{
	static const struct smp_node nodes[] = {
		{.is_switch = true, .ports = 8, .multicast_cap = 0xffff},
		{.is_switch = true, .ports = 8, .multicast_cap = 100, .multicast_top = 0xffff},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		const struct smp_choice choice = {.count = 0};
		_cleanup_(freep) struct smp_step *steps = NULL;
		struct smp_range extent;
		size_t count = 0;

		assert_true(smp_extent(attribute_of("mft"), &nodes[i], &extent));
		assert_int_equal(extent.last, 0xfffe);
		smp_plan(attribute_of("mft"), &nodes[i], &choice, &steps, &count);
		assert_int_equal(count, 512);
	}
}

/* A top of 0xbfff means that there is no multicast entry; 0, that the switch does not report it. */
static void multicast_top(void **state)
{
	static const struct {
		uint16_t top;
		size_t steps;
	} rows[] = {{0xbfff, 0}, {0, 4}, {0xc000, 1}, {0xc01f, 1}, {0xc020, 2}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smp_node node = {.is_switch = true,
					      .ports = 8,
					      .multicast_cap = 100,
					      .multicast_top = rows[i].top};
		const struct smp_choice choice = {.count = 0};
		_cleanup_(freep) struct smp_step *steps = NULL;
		size_t count = 0;

		smp_plan(attribute_of("mft"), &node, &choice, &steps, &count);
		assert_int_equal(count, rows[i].steps);
	}
}

static void extents(void **state)
{
	static const struct {
		const char *word;
		const struct smp_node *node;
		bool any;
		uint32_t first, last;
	} rows[] = {
		{"nodeinfo", &a_switch, false, 0, 0}, {"portinfo", &adapter, true, 0, 2},
		{"pkeys", &a_switch, true, 0, 36},    {"guidinfo", &adapter, true, 0, 8},
		{"guidinfo", &nothing, false, 0, 0},  {"lft", &a_switch, true, 0, 128},
		{"lft", &adapter, false, 0, 0},	      {"mft", &adapter, false, 0, 0},
		{"mft", &empty_switch, false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smp_range extent = {0, 0};

		assert_int_equal(smp_extent(attribute_of(rows[i].word), rows[i].node, &extent),
				 rows[i].any);
		if (!rows[i].any)
			continue;
		assert_int_equal(extent.first, rows[i].first);
		assert_int_equal(extent.last, rows[i].last);
	}
}

static void needs(void **state)
{
	static const struct {
		const char *word;
		bool switch_info, port_info, ports;
	} rows[] = {
		{"nodeinfo", false, false, true}, {"portinfo", false, false, true},
		{"guidinfo", false, true, false}, {"pkeys", true, false, true},
		{"sl2vl", false, false, true},	  {"vlarb", true, true, true},
		{"lft", true, false, false},	  {"mft", true, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mad_attribute *attribute = attribute_of(rows[i].word);

		assert_int_equal(smp_needs_switch_info(attribute), rows[i].switch_info);
		assert_int_equal(smp_needs_port_info(attribute), rows[i].port_info);
		assert_int_equal(smp_counts_ports(attribute), rows[i].ports);
	}
}

/* Ports and entries, as words give them. */
static void ranges(void **state)
{
	static const struct {
		const char *word;
		int base;
		uint32_t first, last;
	} good[] = {{"3", 0, 3, 3},	 {"1-36", 0, 1, 36}, {"0x10-0x20", 0, 16, 32},
		    {"0-40", 10, 0, 40}, {"08", 10, 8, 8},   {"5-5", 0, 5, 5}};
	static const struct {
		const char *word;
		int base;
	} bad[] = {{"", 0},   {"-", 0},	   {"3-", 0},	 {"-3", 0},  {"x", 0},	{"4-3", 0},
		   {"41", 0}, {"1-41", 0}, {"1-2-3", 0}, {"1 2", 0}, {"08", 0}, {"0x1", 10}};
	uint32_t first = 77, last = 88;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(mad_parse_range(bad[i].word, bad[i].base, 40, &first, &last));
	assert_int_equal(first, 77);
	assert_int_equal(last, 88);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(mad_parse_range(good[i].word, good[i].base, 40, &first, &last));
		assert_int_equal(first, good[i].first);
		assert_int_equal(last, good[i].last);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(modifiers),	    cmocka_unit_test(each_entry_once),
		cmocka_unit_test(port_info),	    cmocka_unit_test(contents),
		cmocka_unit_test(base_port),	    cmocka_unit_test(multicast_top),
		cmocka_unit_test(multicast_beyond), cmocka_unit_test(needs),
		cmocka_unit_test(extents),	    cmocka_unit_test(ranges),
		cmocka_unit_test(ports_left),	    cmocka_unit_test(port_infos),
	};

	return cmocka_run_group_tests_name("smp_plan", tests, NULL, NULL);
}
