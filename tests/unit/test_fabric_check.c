/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of hand-made graphs: a healthy one has no finding, and each fault has its own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fabric/check/check.h"
#include "fabric/scan/scan.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

enum { DOWN = 1, INIT = 2, ARMED = 3, ACTIVE = 4, POLLING = 2, LINK_UP = 5 };
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

/* PortInfo: 4x QDR at most, MTU 4096, 8 VLs; LID 0 is none. */
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

/* A switch and two adapters; the first adapter has the subnet manager. */
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

	fabric_findings_clear(&bed->findings);
	fabric_clear(&bed->fabric);
	free(bed);
	return 0;
}

/* For each check, whether a test of this program raised it. */
static bool raised[64];

static void check(struct bed *bed, struct fabric_check_input input)
{
	fabric_findings_clear(&bed->findings);
	input.view = &bed->view;
	fabric_check(&input, &bed->findings);
	for (size_t i = 0; i < bed->findings.count; i++)
		raised[bed->findings.items[i].finding.id.value] = true;
}

static void check_graph(struct bed *bed)
{
	check(bed, (struct fabric_check_input){.managers = NULL});
}

static void check_managers(struct bed *bed, struct fabric_manager *items, size_t count)
{
	const struct fabric_managers managers = {.items = items, .count = count};

	check(bed, (struct fabric_check_input){.managers = &managers});
}

static const char *id_of(const struct fabric_finding *finding)
{
	return enum_word(fabric_check_names, finding->finding.id.value, "?");
}

/* Expects this as the only finding; node FABRIC_NONE: about the subnet. */
static void assert_only(struct bed *bed, const char *id, uint32_t node, unsigned int port,
			const char *evidence)
{
	const struct fabric_finding *found = bed->findings.items;

	assert_int_equal(bed->findings.count, 1);
	assert_string_equal(id_of(found), id);
	assert_int_equal(found->at.place, node == FABRIC_NONE
						  ? FABRIC_NONE
						  : fabric_port_at(&bed->fabric, node, port));
	assert_string_equal(found->finding.evidence, evidence);
}

static void assert_next_step(struct bed *bed, const char *begin)
{
	assert_int_equal(strncmp(bed->findings.items->finding.next_step, begin, strlen(begin)), 0);
}

static void healthy(void **state)
{
	struct bed *bed = *state;

	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

static void slow_link(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1,
		    "the link runs at 1x QDR; both ends support 4x QDR");
}

/* The cable is not to blame for what is not enabled; unknown settings do not count as enabled. */
static void not_enabled(void **state)
{
	static const char cable[] = "the link runs at 1x SDR; both ends support 4x QDR";
	struct bed *bed = *state;
	uint8_t *here = info_of(bed, SWITCH, 1), *there = info_of(bed, ONE, 1);

	here[31] = there[31] = 1;
	here[35] = there[35] = 1 << 4;
	here[29] = there[29] = 3;
	here[35] |= 1;
	there[35] |= 7;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1, cable);
	/* 1x at the far end, SDR at the near one. */
	there[29] = 1;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1,
		    "the link runs at 1x SDR; both ends support 4x QDR, but no more is enabled");
	here[35] |= 2;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1, cable);
	there[35] &= 0xf1;
	check_graph(bed);
	assert_non_null(strstr(bed->findings.items->finding.evidence, "no more is enabled"));
	here[29] = 0;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1, cable);
}

/* What only one end supports is not the best of the link. */
static void best_of_both_ends(void **state)
{
	struct bed *bed = *state;

	/* SDR and DDR; the other end also supports QDR. */
	info_of(bed, ONE, 1)[32] = 3 << 4 | ACTIVE;
	info_of(bed, SWITCH, 1)[35] = info_of(bed, ONE, 1)[35] = 2 << 4;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	info_of(bed, SWITCH, 1)[35] = info_of(bed, ONE, 1)[35] = 1 << 4;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1,
		    "the link runs at 4x SDR; both ends support 4x DDR");
	info_of(bed, ONE, 1)[32] = 7 << 4 | ACTIVE;
	info_of(bed, SWITCH, 1)[35] = info_of(bed, ONE, 1)[35] = 4 << 4;
	info_of(bed, ONE, 1)[30] = 1; /* 1x only */
	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

/* A code that is not defined may be of a newer generation: nothing says that it is slower. */
static void newer_rates(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 1)[35] = info_of(bed, ONE, 1)[35] = 8 << 4;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	check_graph(bed);
	assert_only(bed, "link-below-best", SWITCH, 1,
		    "the link runs at 1x ?; both ends support 4x QDR");
	info_of(bed, SWITCH, 1)[35] = info_of(bed, ONE, 1)[35] = 4 << 4;
	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 32;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

/* A link is reported once: at its switch, or at the first port between adapters. */
static void end_of_a_link(void **state)
{
	struct bed *bed = *state;

	fabric_clear(&bed->fabric);
	sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x200, 2);
	sample_bare_node(&bed->fabric, NODE_TYPE_SWITCH, 0x100, 3);
	sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1);
	link_ports(bed, 0, 1, 1, 3);
	link_ports(bed, 0, 2, 2, 1);
	add_info(bed, 1, 0, 1);
	add_info(bed, 0, 1, SM_LID);
	add_info(bed, 0, 2, 3);
	add_info(bed, 1, 3, 0);
	add_info(bed, 2, 1, 4);
	info_of(bed, 0, 1)[31] = info_of(bed, 1, 3)[31] = 1;
	check_graph(bed);
	assert_only(bed, "link-below-best", 1, 3,
		    "the link runs at 1x QDR; both ends support 4x QDR");
	info_of(bed, 0, 1)[31] = info_of(bed, 1, 3)[31] = 2;
	info_of(bed, 0, 2)[31] = info_of(bed, 2, 1)[31] = 1;
	check_graph(bed);
	assert_only(bed, "link-below-best", 0, 2,
		    "the link runs at 1x QDR; both ends support 4x QDR");
}

/* Both ends always have the same rate; the vendor's attribute for FDR10 may be known at one end. */
static void rates_of_both_ends(void **state)
{
	struct bed *bed = *state;

	info_of(bed, ONE, 1)[31] = 1;
	info_of(bed, ONE, 1)[30] = info_of(bed, SWITCH, 1)[30] = 0;
	check_graph(bed);
	assert_only(bed, "rate-mismatch", SWITCH, 1, "4x QDR here, 1x QDR at the other end");
	info_of(bed, ONE, 1)[31] = 2;
	info_of(bed, ONE, 1)[35] = 1 << 4;
	check_graph(bed);
	assert_only(bed, "rate-mismatch", SWITCH, 1, "4x QDR here, 4x SDR at the other end");
	info_of(bed, ONE, 1)[35] = 4 << 4;
	bed->fabric.ports[fabric_port_at(&bed->fabric, SWITCH, 1)].vendor_speed = 1;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	/* A width that only one end reports is not a mismatch. */
	info_of(bed, ONE, 1)[31] = 0;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

enum { TEXT_PORTS = 8 };

/* As parsed from a text: a switch with four adapters and, on ports 5 to 7, another switch. */
static void make_text(struct bed *bed)
{
	struct fabric *fabric = &bed->fabric;

	fabric_clear(fabric);
	fabric->source = FABRIC_TEXT;
	sample_bare_node(fabric, NODE_TYPE_SWITCH, 0x100, TEXT_PORTS);
	for (uint32_t i = 1; i <= 4; i++)
		sample_bare_node(fabric, NODE_TYPE_CA, 0x1000 * i, 1);
	sample_bare_node(fabric, NODE_TYPE_SWITCH, 0x200, TEXT_PORTS);
	sample_bare_node(fabric, NODE_TYPE_CA, 0x5000, 1);
	for (unsigned int i = 1; i <= 7; i++)
		link_ports(bed, 0, i, i < 5 ? i : 5, i < 5 ? 1 : i);
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		struct fabric_port *port = &fabric->ports[i];

		if (port->peer == FABRIC_NONE)
			continue;
		port->has_info = true;
		port->info[31] = 2;
		port->info[33] = LINK_UP << 4;
		port->info[35] = 4 << 4;
	}
}

static void set_rate(struct bed *bed, unsigned int port, uint8_t width, uint8_t speed)
{
	const uint32_t place = fabric_port_at(&bed->fabric, 0, port);
	const uint32_t peer = bed->fabric.ports[place].peer;

	bed->fabric.ports[place].info[31] = bed->fabric.ports[peer].info[31] = width;
	bed->fabric.ports[place].info[35] = bed->fabric.ports[peer].info[35] = (uint8_t)(speed
											 << 4);
}

static void assert_first(struct bed *bed, const char *id, unsigned int severity, unsigned int port,
			 const char *evidence)
{
	const struct fabric_finding *found;

	check_graph(bed);
	assert_true(bed->findings.count > 1);
	found = bed->findings.items;
	assert_string_equal(id_of(found), id);
	assert_int_equal(found->finding.severity.value, severity);
	assert_int_equal(found->at.place, fabric_port_at(&bed->fabric, 0, port));
	assert_string_equal(found->finding.evidence, evidence);
}

static size_t count_of(const struct bed *bed, const char *id)
{
	size_t count = 0;

	for (size_t i = 0; i < bed->findings.count; i++)
		count += !strcmp(id_of(&bed->findings.items[i]), id);
	return count;
}

/* The ports' capabilities are unknown: a link is compared with others of the switch. */
static void links_of_a_text(void **state)
{
	static const char *const unknown[] = {
		"port-init, link-not-active: the state of 14 of 14 ports with a cable is unknown",
		"mtu-mismatch, mtu-low: the MTU of 14 of 14 ports with a cable is unknown",
		"vl-mismatch: the number of virtual lanes of 14 of 14 ports with a cable is "
		"unknown",
		"link-below-best: the best rate of 14 of 14 ports with a cable is unknown",
		"no-sm, sm-lid-mismatch, no-lid: no port reports the LID of its subnet manager",
	};
	struct bed *bed = *state;

	make_text(bed);
	check_graph(bed);
	assert_int_equal(bed->findings.count, ARRAY_SIZE(unknown));
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		assert_string_equal(id_of(&bed->findings.items[i]), "not-checked");
		assert_string_equal(bed->findings.items[i].finding.evidence, unknown[i]);
	}
	set_rate(bed, 2, 1, 1);
	assert_first(bed, "link-below-siblings", SEVERITY_WARNING, 2,
		     "the link runs at 1x SDR; 3 of 3 such links of the switch are wider. This is "
		     "a guess: what its ports support is unknown");
	/* An old host among new ones is common, so this is a notice. */
	set_rate(bed, 2, 2, 2);
	assert_first(bed, "link-below-siblings", SEVERITY_NOTICE, 2,
		     "the link runs at 4x DDR; 3 of 3 such links of the switch are faster. This "
		     "is a guess: what its ports support is unknown");
	/* Two of three are fewer than three quarters. */
	set_rate(bed, 3, 2, 2);
	check_graph(bed);
	assert_int_equal(bed->findings.count, ARRAY_SIZE(unknown));
	/* Three of four are exactly three quarters. */
	link_ports(bed, 0, 8, 6, 1);
	bed->fabric.ports[fabric_port_at(&bed->fabric, 0, 8)].has_info = true;
	bed->fabric.ports[fabric_port_at(&bed->fabric, 6, 1)].has_info = true;
	bed->fabric.ports[fabric_port_at(&bed->fabric, 0, 8)].info[33] = LINK_UP << 4;
	bed->fabric.ports[fabric_port_at(&bed->fabric, 6, 1)].info[33] = LINK_UP << 4;
	set_rate(bed, 8, 2, 4);
	assert_first(bed, "link-below-siblings", SEVERITY_NOTICE, 2,
		     "the link runs at 4x DDR; 3 of 4 such links of the switch are faster. This "
		     "is a guess: what its ports support is unknown");
	set_rate(bed, 2, 2, 4);
	set_rate(bed, 3, 2, 4);
	set_rate(bed, 6, 2, 1);
	assert_first(bed, "link-below-parallel", SEVERITY_WARNING, 6,
		     "the link runs at 4x SDR; the one of port 5 between the same nodes runs at "
		     "4x QDR");
	/* Such a link is reported once, and one of unknown rate not at all. */
	assert_int_equal(count_of(bed, "link-below-siblings"), 0);
	set_rate(bed, 6, 2, 4);
	set_rate(bed, 2, 0, 0);
	check_graph(bed);
	assert_int_equal(count_of(bed, "link-below-siblings"), 0);
	/* The others are compared without the link of unknown rate. */
	set_rate(bed, 1, 0, 0);
	set_rate(bed, 2, 1, 1);
	check_graph(bed);
	assert_int_equal(count_of(bed, "link-below-siblings"), 1);
	set_rate(bed, 1, 2, 4);
	/* The capabilities of both ends are known: link-below-best judges it. */
	for (uint32_t i = 0; i < bed->fabric.port_count; i++) {
		bed->fabric.ports[i].info[30] = 2;
		bed->fabric.ports[i].info[32] = 1 << 4;
	}
	check_graph(bed);
	assert_int_equal(count_of(bed, "link-below-siblings"), 0);
	set_rate(bed, 2, 2, 4);
	check_graph(bed);
	assert_string_equal(id_of(&bed->findings.items[0]), "not-checked");
}

static void states(void **state)
{
	struct bed *bed = *state;

	set_state(bed, SWITCH, 1, INIT, LINK_UP);
	set_state(bed, ONE, 1, INIT, LINK_UP);
	check_graph(bed);
	assert_only(bed, "port-init", SWITCH, 1,
		    "the link is up; its state is init here and init at the other end");
	set_state(bed, SWITCH, 1, ACTIVE, LINK_UP);
	set_state(bed, ONE, 1, ARMED, LINK_UP);
	check_graph(bed);
	assert_only(bed, "link-not-active", SWITCH, 1,
		    "the link is up; its state is active here and armed at the other end");
}

static void one_way(void **state)
{
	struct bed *bed = *state;

	set_state(bed, OTHER, 1, 1, POLLING);
	check_graph(bed);
	assert_only(bed, "one-way-link", SWITCH, 2,
		    "the link is up here, polling at the other end");
}

static void other_cable(void **state)
{
	struct bed *bed = *state;

	bed->fabric.ports[fabric_port_at(&bed->fabric, SWITCH, 3)].peer = fabric_port_at(
		&bed->fabric, ONE, 1);
	check_graph(bed);
	assert_only(bed, "one-way-link", SWITCH, 3,
		    "the other end is cabled to 0000:0000:0000:0100/1");
}

static void mtu_and_lanes(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 2)[36] = 4 << 4;
	check_graph(bed);
	assert_only(bed, "mtu-mismatch", SWITCH, 2, "2048 bytes here, 4096 at the other end");
	info_of(bed, OTHER, 1)[36] = 4 << 4;
	check_graph(bed);
	assert_only(bed, "mtu-low", SWITCH, 2, "2048 bytes; both ends support 4096");
	info_of(bed, OTHER, 1)[41] = 4;
	info_of(bed, OTHER, 1)[43] = 2 << 4;
	check_graph(bed);
	assert_only(bed, "vl-mismatch", SWITCH, 2, "8 data VLs here, 2 at the other end");
}

static void duplicate_guid(void **state)
{
	struct bed *bed = *state;
	uint32_t again = sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x300, 1);

	bed->fabric.nodes[OTHER].ambiguous = bed->fabric.nodes[again].ambiguous = true;
	bed->fabric.nodes[OTHER].same_guid = again;
	bed->fabric.nodes[again].parent = fabric_port_at(&bed->fabric, SWITCH, 3);
	check_graph(bed);
	assert_only(
		bed, "duplicate-guid", again, 0,
		"0000:0000:0000:0300 has GUID 0000:0000:0000:0300, too; this node is attached to "
		"0000:0000:0000:0100/3");
	assert_true(bed->findings.items->of_node);
}

static void duplicate_lids(void **state)
{
	struct bed *bed = *state;

	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	check_graph(bed);
	assert_only(bed, "duplicate-lid", OTHER, 1, "0000:0000:0000:0100/0 has LID 1, too");
	/* LMC 2: LIDs 0 to 3 would be invalid, 4 to 7 overlap no others, 1 to 4 overlap the others.
	 */
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 4);
	bits_set(info_of(bed, OTHER, 1), 34 * 8 + 5, 3, 2);
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	check_graph(bed);
	assert_int_equal(bed->findings.count, 2);
	assert_string_equal(bed->findings.items[0].finding.evidence,
			    "LIDs 2 to 2 overlap LIDs 1 to 4 of 0000:0000:0000:0300/1");
}

/* The planes of a multi-plane adapter share a LID, as they share the GUID of their port. */
static void planes(void **state)
{
	struct bed *bed = *state;
	const uint32_t node = sample_bare_node(&bed->fabric, NODE_TYPE_CA, 0x400, 2);
	struct fabric_port *ports = &bed->fabric.ports[fabric_port_at(&bed->fabric, node, 0)];

	for (unsigned int i = 1; i <= 2; i++) {
		add_info(bed, node, i, 5);
		ports[i].guid = 0x401;
	}
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	/* Without a cable. */
	ports[2].guid = 0;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
	ports[2].guid = 0x401;
	/* Another port has its LID, but is named once. */
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 5);
	check_graph(bed);
	assert_only(bed, "duplicate-lid", node, 1, "0000:0000:0000:0300/1 has LID 5, too");
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 3);
	ports[2].guid = 0x402;
	check_graph(bed);
	assert_only(bed, "duplicate-lid", node, 2, "0000:0000:0000:0400/1 has LID 5, too");
}

static void lids_and_managers(void **state)
{
	struct bed *bed = *state;

	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 0);
	check_graph(bed);
	assert_only(bed, "no-lid", OTHER, 1, "the subnet manager is at LID 2");
	/* A port that is not active has a finding for that. Port 0 of a switch needs no link. */
	set_state(bed, OTHER, 1, INIT, LINK_UP);
	check_graph(bed);
	assert_int_equal(count_of(bed, "no-lid"), 0);
	set_state(bed, OTHER, 1, ACTIVE, LINK_UP);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 3);
	bits_set(info_of(bed, SWITCH, 0), 16 * 8, 16, 0);
	set_state(bed, SWITCH, 0, 0, 0);
	check_graph(bed);
	assert_int_equal(count_of(bed, "no-lid"), 1);
	bits_set(info_of(bed, SWITCH, 0), 16 * 8, 16, 1);
	set_state(bed, SWITCH, 0, ACTIVE, LINK_UP);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 3);
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 7);
	check_graph(bed);
	assert_only(bed, "sm-lid-mismatch", OTHER, 1,
		    "the port reports LID 7, most ports report LID 2");
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 0xffff);
	check_graph(bed);
	assert_only(bed, "sm-lid-mismatch", OTHER, 1,
		    "the port reports LID 65535, most ports report LID 2");
	/* It is unknown who assigned the LIDs, but somebody did. */
	bits_set(info_of(bed, SWITCH, 0), 18 * 8, 16, 0);
	bits_set(info_of(bed, ONE, 1), 18 * 8, 16, 0);
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 0);
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

/* Without a subnet manager, no port gets a finding for its state, as all would. */
static void nothing_configured(void **state)
{
	struct bed *bed = *state;

	for (uint32_t i = 0; i < bed->fabric.port_count; i++) {
		bits_set(bed->fabric.ports[i].info, 16 * 8, 32, 0);
		bits_set(bed->fabric.ports[i].info, 32 * 8 + 4, 4, INIT);
	}
	check_graph(bed);
	assert_only(bed, "no-sm", FABRIC_NONE, 0,
		    "none of 3 ports has a LID or knows a subnet manager");
	assert_next_step(bed, "start one, ");
	/* Adapters of mlx5 report 0xffff until then, which is no LID that two of them share. */
	bits_set(info_of(bed, ONE, 1), 16 * 8, 16, 0xffff);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 0xffff);
	check_graph(bed);
	assert_only(bed, "no-sm", FABRIC_NONE, 0,
		    "none of 3 ports has a LID or knows a subnet manager");
}

/* The scan only sees the port where it began: a subnet manager would not see more of the subnet. */
static void no_link(void **state)
{
	struct bed *bed = *state;
	struct fabric_manager manager = {
		.port = FABRIC_NONE, .lid = SM_LID, .error = -ETIMEDOUT, .tries = 4};

	for (uint32_t i = 0; i < bed->fabric.port_count; i++)
		bed->fabric.ports[i].has_info = i == fabric_port_at(&bed->fabric, ONE, 1);
	set_state(bed, ONE, 1, DOWN, POLLING);
	check_managers(bed, &manager, 1);
	assert_only(bed, "no-sm", FABRIC_NONE, 0, "SMInfo (LID 2): no answer, asked 4 times");
	assert_next_step(bed, "fix the link of the port first: rdmactl doctor ");
	bits_set(info_of(bed, ONE, 1), 16 * 8, 32, 0);
	check_graph(bed);
	assert_only(bed, "no-sm", FABRIC_NONE, 0,
		    "the only port has no LID, and knows no subnet manager");
	assert_next_step(bed, "fix the link of the port first: rdmactl doctor ");
}

static void failure(void **state)
{
	struct bed *bed = *state;
	uint32_t of_node[NODES] = {FABRIC_NONE, FABRIC_NONE, FABRIC_NONE};
	struct forwarding forwarding = {.of_node = of_node, .failure_count = 1};

	bed->fabric.failures = mem_alloc_zero(1, sizeof(*bed->fabric.failures));
	bed->fabric.failure_count = 1;
	bed->fabric.failures[0] = (struct fabric_failure){
		.port = fabric_port_at(&bed->fabric, SWITCH, 3),
		.attribute = 0x11,
		.at_peer = true,
		.error = -ETIMEDOUT,
		.tries = 4,
	};
	check_graph(bed);
	assert_only(bed, "unanswered", SWITCH, 3,
		    "the node at its other end: NodeInfo: no answer, asked 4 times; route 0,3");
	/* Tables of a switch are also requested by LID: the finding has no route, only its name. */
	forwarding.failures = bed->fabric.failures;
	bed->fabric.failure_count = 0;
	check(bed, (struct fabric_check_input){.forwarding = &forwarding});
	assert_int_equal(count_of(bed, "unanswered"), 1);
	for (size_t i = 0; i < bed->findings.count; i++)
		assert_null(strstr(bed->findings.items[i].finding.evidence, "; route"));
	bed->fabric.failure_count = 1;
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

/* A subnet manager that is not the master does not answer requests properly. */
static void lid_of_a_standby(void **state)
{
	struct bed *bed = *state;
	struct fabric_manager items[2] = {
		manager_at(bed, ONE, SM_LID, SM_MASTER),
		manager_at(bed, OTHER, 3, SM_STANDBY),
	};

	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 3);
	check_managers(bed, items, 2);
	assert_only(bed, "sm-lid-mismatch", OTHER, 1,
		    "the port reports LID 3, most ports report LID 2; the subnet manager at LID 3 "
		    "is in state standby");
	/* Most ports may be wrong, and the one that is right is not to blame. */
	bits_set(info_of(bed, SWITCH, 0), 18 * 8, 16, 3);
	check_managers(bed, items, 2);
	assert_int_equal(bed->findings.count, 2);
	assert_int_equal(bed->findings.items[0].at.place, fabric_port_at(&bed->fabric, SWITCH, 0));
	assert_int_equal(bed->findings.items[1].at.place, fabric_port_at(&bed->fabric, OTHER, 1));
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(id_of(&bed->findings.items[i]), "sm-lid-mismatch");
		assert_string_equal(bed->findings.items[i].finding.evidence,
				    "the port reports LID 3, the master is at LID 2; the subnet "
				    "manager at LID 3 is in state standby");
	}
	/* All LIDs of the master's port lead there. */
	bits_set(info_of(bed, ONE, 1), 34 * 8 + 5, 3, 1);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 4);
	for (uint32_t i = 0; i < bed->fabric.port_count; i++)
		if (bed->fabric.ports[i].has_info)
			bits_set(bed->fabric.ports[i].info, 18 * 8, 16, SM_LID + 1);
	items[1].lid = 4;
	check_managers(bed, items, 2);
	assert_int_equal(bed->findings.count, 0);
	/* Without a single master, the majority of the ports counts. */
	bits_set(info_of(bed, OTHER, 1), 18 * 8, 16, 4);
	items[1].state = SM_MASTER;
	check_managers(bed, items, 2);
	assert_int_equal(count_of(bed, "sm-lid-mismatch"), 1);
}

static void managers(void **state)
{
	struct bed *bed = *state;
	struct fabric_manager items[2] = {
		manager_at(bed, ONE, SM_LID, SM_MASTER),
		manager_at(bed, OTHER, 3, SM_STANDBY),
	};
	const uint32_t mask = port_info_cap_mask(info_of(bed, ONE, 1));

	check_managers(bed, items, 2);
	assert_int_equal(bed->findings.count, 0);
	items[1].state = SM_MASTER;
	check_managers(bed, items, 2);
	assert_int_equal(bed->findings.count, 2);
	assert_string_equal(id_of(&bed->findings.items[1]), "two-masters");
	assert_string_equal(bed->findings.items[1].finding.evidence,
			    "one of 2 masters: LID 3, GUID 0000:0000:0000:0201, priority 3, "
			    "activity 9");
	items[1].error = -ETIMEDOUT;
	items[1].tries = 4;
	check_managers(bed, items, 2);
	assert_only(bed, "sm-unanswered", OTHER, 1, "SMInfo (LID 3): no answer, asked 4 times");
	items[1] = items[0];
	items[0].status = 0x1c;
	check_managers(bed, items, 1);
	assert_only(bed, "no-sm", ONE, 1,
		    "SMInfo (LID 2): refused with status 0x001c: invalid-value");
	items[0] = manager_at(bed, ONE, SM_LID, SM_STANDBY);
	check_managers(bed, items, 1);
	assert_only(bed, "no-sm", ONE, 1, "the subnet manager at LID 2 is in state standby");
	assert_next_step(bed, "start one, ");
	/* It hangs, or it is gone. */
	items[0].error = -ETIMEDOUT;
	items[0].tries = 4;
	check_managers(bed, items, 1);
	assert_only(bed, "no-sm", ONE, 1, "SMInfo (LID 2): no answer, asked 4 times");
	assert_next_step(bed, "the port still reports a subnet manager: ");
	port_info_set_cap_mask(info_of(bed, ONE, 1), mask & ~(uint32_t)PORT_CAP_SM);
	check_managers(bed, items, 1);
	assert_next_step(bed, "start one, ");
}

/* The entries of LIDs 1 to 3 in the only table. */
static void check_table(struct bed *bed, uint8_t own, uint8_t one, uint8_t other)
{
	struct forwarding_block block = {.known = true, .data = {255, own, one, other}};
	uint32_t of_node[NODES] = {0, FABRIC_NONE, FABRIC_NONE};
	struct forwarding_table table = {.node = SWITCH, .known = true, .lids = 64};
	const struct forwarding forwarding = {
		.tables = &table, .count = 1, .of_node = of_node, .blocks = &block};

	check(bed, (struct fabric_check_input){.forwarding = &forwarding});
}

static void holes(void **state)
{
	struct bed *bed = *state;

	check_table(bed, 0, 1, 2);
	assert_int_equal(bed->findings.count, 0);
	check_table(bed, 0, 1, 255);
	assert_only(bed, "lft-hole", SWITCH, 0, "LID 3 of 0000:0000:0000:0300/1 goes nowhere");
	check_table(bed, 0, 3, 3);
	assert_only(bed, "lft-hole", SWITCH, 3,
		    "2 LIDs go to port 3, which is down; the first is 2 of "
		    "0000:0000:0000:0200/1");
	check_table(bed, 0, 9, 2);
	assert_only(
		bed, "lft-hole", SWITCH, 0,
		"LID 2 of 0000:0000:0000:0200/1 goes to port 9, which the switch does not have");
}

static void wrong_ends(void **state)
{
	struct bed *bed = *state;

	check_table(bed, 0, 0, 2);
	assert_only(bed, "lft-hole", SWITCH, 0,
		    "LID 2 of 0000:0000:0000:0200/1 goes to the switch itself");
	assert_true(bed->findings.items->of_node);
	check_table(bed, 0, 2, 2);
	assert_only(bed, "lft-hole", SWITCH, 2,
		    "LID 2 of 0000:0000:0000:0200/1 goes to port 2, which leads to "
		    "0000:0000:0000:0300/1");
	check_table(bed, 1, 1, 1);
	assert_only(bed, "lft-hole", SWITCH, 1,
		    "2 LIDs go to port 1, which leads to 0000:0000:0000:0200/1; the first is 1 of "
		    "0000:0000:0000:0100/0");
	/* A port may have several LIDs, share a LID, or have no PortInfo. */
	bits_set(info_of(bed, OTHER, 1), 34 * 8 + 5, 3, 1);
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 2);
	check_table(bed, 0, 2, 2);
	assert_only(bed, "duplicate-lid", OTHER, 1,
		    "LIDs 2 to 3 overlap LIDs 2 to 2 of 0000:0000:0000:0200/1");
	bed->fabric.ports[fabric_port_at(&bed->fabric, OTHER, 1)].has_info = false;
	check_table(bed, 0, 2, 2);
	assert_int_equal(bed->findings.count, 0);
}

/* Port 3 leads to another switch, LID 4, by a cable from its port 2 to its port 3. */
static void check_tables(struct bed *bed, const uint8_t *first, const uint8_t *second)
{
	struct forwarding_block blocks[2] = {{.known = true}, {.known = true}};
	uint32_t of_node[NODES + 1] = {0, FABRIC_NONE, FABRIC_NONE, 1};
	struct forwarding_table tables[2] = {
		{.node = SWITCH, .known = true, .lids = 64},
		{.node = NODES, .known = true, .lids = 64, .linear = 1},
	};
	const struct forwarding forwarding = {
		.tables = tables, .count = 2, .of_node = of_node, .blocks = blocks};

	memcpy(blocks[0].data, first, 5);
	memcpy(blocks[1].data, second, 5);
	check(bed, (struct fabric_check_input){.forwarding = &forwarding});
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
	check_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 0});
	assert_int_equal(bed->findings.count, 0);
	/* Each switch sends both LIDs to the other: one loop. */
	check_tables(bed, (const uint8_t[]){255, 0, 3, 3, 3}, (const uint8_t[]){255, 1, 1, 1, 0});
	assert_only(bed, "lft-loop", SWITCH, 3,
		    "2 LIDs go to port 3 and are back here after 2 hops; the first is 2 of "
		    "0000:0000:0000:0200/1");
	check_tables(bed, first, (const uint8_t[]){255, 1, 1, 2, 0});
	assert_only(bed, "lft-loop", NODES, 2,
		    "LID 3 of 0000:0000:0000:0300/1 goes to port 2 and is back here after 1 hop");
	/* Packets do not come back by a cable that is down. */
	set_state(bed, NODES, 2, DOWN, POLLING);
	set_state(bed, NODES, 3, DOWN, POLLING);
	check_tables(bed, first, (const uint8_t[]){255, 1, 1, 2, 0});
	assert_only(bed, "lft-hole", NODES, 2,
		    "LID 3 of 0000:0000:0000:0300/1 goes to port 2, which is down");
	set_state(bed, NODES, 2, ACTIVE, LINK_UP);
	set_state(bed, NODES, 3, ACTIVE, LINK_UP);
	/* A switch accepts packets to its own LID, whatever its table says. */
	check_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 1});
	assert_int_equal(bed->findings.count, 0);
	check_tables(bed, first, (const uint8_t[]){255, 1, 1, 1, 2});
	assert_int_equal(bed->findings.count, 0);
}

/* Places in PortCounters, in bits, and their widths. */
struct change {
	unsigned int at, width;
	uint64_t before, after;
};

static void check_growth(struct bed *bed, struct change change, uint64_t least)
{
	struct port_counters before = {.read = true, .caps = {.mask = PERF_CAP_XMIT_WAIT}};
	struct port_counters after;
	const struct port_errors first = {.items = &before, .count = 1};
	const struct port_errors second = {.items = &after, .count = 1};

	before.port = fabric_port_at(&bed->fabric, SWITCH, 2);
	after = before;
	bits_set(before.counters, change.at, change.width, change.before);
	bits_set(after.counters, change.at, change.width, change.after);
	/* 100 words of data were sent in between. */
	bits_set(after.counters, 24 * 8, 32, 100);
	check(bed, (struct fabric_check_input){
			   .before = &first, .counters = &second, .seconds = 10, .least = least});
}

static void counters_grow(void **state)
{
	struct bed *bed = *state;

	check_growth(bed, (struct change){4 * 8, 16, 100, 100}, 1);
	assert_int_equal(bed->findings.count, 0);
	check_growth(bed, (struct change){4 * 8, 16, 100, 120}, 1);
	assert_only(bed, "errors", SWITCH, 2, "symbol_errors +20 (2/s), in 10 s");
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_WARNING);
	check_growth(bed, (struct change){4 * 8, 16, 100, 120}, 21);
	assert_int_equal(bed->findings.count, 0);
	/* Exactly at the threshold, for a grave and a mild counter. */
	check_growth(bed, (struct change){4 * 8, 16, 100, 120}, 20);
	assert_only(bed, "errors", SWITCH, 2, "symbol_errors +20 (2/s), in 10 s");
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_WARNING);
	check_growth(bed, (struct change){12 * 8, 16, 0, 30}, 30);
	assert_only(bed, "errors", SWITCH, 2, "rcv_switch_relay_errors +30 (3/s), in 10 s");
	assert_non_null(strstr(bed->findings.items[0].finding.next_step, "leave the cable"));
	check_growth(bed, (struct change){12 * 8, 16, 0, 30}, 31);
	assert_int_equal(bed->findings.count, 0);
	check_growth(bed, (struct change){4 * 8, 16, 100, 5}, 1);
	assert_only(bed, "errors", SWITCH, 2, "symbol_errors 5 since it was reset, in 10 s");
	/* Unwanted multicast raises these counters every day. */
	check_growth(bed, (struct change){12 * 8, 16, 0, 30}, 1);
	assert_only(bed, "errors", SWITCH, 2, "rcv_switch_relay_errors +30 (3/s), in 10 s");
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_NOTICE);
	check_growth(bed, (struct change){7 * 8, 8, 255, 255}, 1);
	assert_only(bed, "counter-saturated", SWITCH, 2, "link_downed stopped at 255, in 10 s");
}

static void congestion(void **state)
{
	struct bed *bed = *state;

	check_growth(bed, (struct change){40 * 8, 32, 7, 106}, 1);
	assert_int_equal(bed->findings.count, 0);
	check_growth(bed, (struct change){40 * 8, 32, 7, 107}, 1);
	assert_only(bed, "congestion", SWITCH, 2,
		    "waited 100 ticks while it sent 100 words of 4 bytes");
}

static void saturation(void **state)
{
	struct bed *bed = *state;
	struct port_counters counters = {
		.port = fabric_port_at(&bed->fabric, SWITCH, 2),
		.read = true,
	};
	const struct port_errors errors = {.items = &counters, .count = 1};

	bits_set(counters.counters, 4 * 8, 16, 9);
	check(bed, (struct fabric_check_input){.counters = &errors});
	assert_int_equal(bed->findings.count, 0);
	bits_set(counters.counters, 7 * 8, 8, 255);
	check(bed, (struct fabric_check_input){.counters = &errors});
	assert_only(bed, "counter-saturated", SWITCH, 2, "link_downed >=255, symbol_errors 9");
}

/* Failed queries, unreadable counters, and skipped parts. */
static void not_checked(void **state)
{
	struct bed *bed = *state;
	struct fabric_failure failure = {
		.port = fabric_port_at(&bed->fabric, SWITCH, 2),
		.attribute = 0x12,
		.error = -ETIMEDOUT,
		.tries = 4,
	};
	const struct port_errors errors = {
		.failures = &failure,
		.failure_count = 1,
		.unreachable = 1,
		.first_unreachable = fabric_port_at(&bed->fabric, OTHER, 1),
	};
	struct strings reasons = {.count = 0};

	strings_add(&reasons, "forwarding tables: interrupted");
	check(bed, (struct fabric_check_input){.counters = &errors, .not_checked = reasons});
	strings_free(&reasons);
	assert_int_equal(bed->findings.count, 3);
	assert_string_equal(id_of(&bed->findings.items[0]), "no-counters");
	assert_string_equal(bed->findings.items[0].finding.evidence,
			    "PortCounters: no answer, asked 4 times");
	assert_string_equal(id_of(&bed->findings.items[1]), "not-checked");
	assert_string_equal(bed->findings.items[1].finding.evidence,
			    "forwarding tables: interrupted");
	assert_string_equal(bed->findings.items[2].finding.evidence,
			    "0000:0000:0000:0300/1 has no LID or is not active: its counters "
			    "cannot be read");
}

static void order(void **state)
{
	struct bed *bed = *state;

	info_of(bed, SWITCH, 1)[31] = info_of(bed, ONE, 1)[31] = 1;
	bits_set(info_of(bed, OTHER, 1), 16 * 8, 16, 1);
	check_graph(bed);
	assert_int_equal(bed->findings.count, 2);
	assert_string_equal(id_of(&bed->findings.items[0]), "duplicate-lid");
	assert_string_equal(id_of(&bed->findings.items[1]), "link-below-best");
}

/* A packet of ONE to OTHER that is behind a port of the switch, and waits for another. */
static struct credit_wait wait_at(struct bed *bed, unsigned int port, uint8_t lane)
{
	return (struct credit_wait){
		.held = fabric_port_at(&bed->fabric, SWITCH, port),
		.held_lane = lane,
		.sl = 7,
		.lid = 3,
		.source = fabric_port_at(&bed->fabric, ONE, 1),
	};
}

#define HELD(port_, node_, packet_)                                                \
	"0000:0000:0000:0100/" port_ " to 0000:0000:0000:0" node_ "00/1 [" packet_ \
	"0000:0000:0000:0200/1 to LID 3 of 0000:0000:0000:0300/1"
#define TWO_CABLES(packet_, sl_)                                                             \
	"2 cables, each with a packet that waits for the next: " HELD("1", "2", packet_) sl_ \
		"]; " HELD("2", "3", packet_) sl_ "]"

static void check_credit(struct bed *bed, const struct credit_study *credit)
{
	check(bed, (struct fabric_check_input){.credit = credit});
}

static const struct credit_loops no_loops = {
	.unknown_node = FABRIC_NONE,
	.laneless_node = FABRIC_NONE,
	.missing_lane_node = FABRIC_NONE,
};

/* What is proved is a warning; what needs an assumption on the SLs is a notice. */
static void credit_loops(void **state)
{
	struct bed *bed = *state;
	struct credit_wait waits[] = {wait_at(bed, 1, 2), wait_at(bed, 2, 3)};
	struct credit_loop loop = {.waits = waits, .count = 2, .ports = 2};
	struct credit_study study = {.any = no_loops, .sure = no_loops, .loops = no_loops};

	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 0);
	study.sure.items = &loop;
	study.sure.count = 1;
	check_credit(bed, &study);
	assert_only(bed, "credit-loop", SWITCH, 1, "one VL for all packets: " TWO_CABLES("", ""));
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_WARNING);
	assert_next_step(bed, "make the subnet manager use routes without credit loops: "
			      "routing_engine updn of opensm with a root_guid_file, ");
	/* Loops that others are linked with are told besides. */
	study.question = CREDIT_OF_PATHS;
	study.loops = study.sure;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 2);
	study.sure.count = 0;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_WARNING);
	assert_int_equal(strncmp(bed->findings.items->finding.evidence,
				 "packets with the SLs of the path records: 2 cables", 50),
			 0);
	study.question = CREDIT_OF_SLS;
	study.sls = 1 << 7;
	study.loops.items->again = 1;
	study.loops.items->ports = 5;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 1);
	assert_int_equal(bed->findings.items->finding.severity.value, SEVERITY_NOTICE);
	assert_next_step(bed, "see whether packets use these SLs: ");
	assert_non_null(strstr(bed->findings.items->finding.evidence,
			       "if packets with SL 7 go from each port to each other: 2 cables"));
	assert_non_null(
		strstr(bed->findings.items->finding.evidence,
		       HELD("2", "3", "VL 3: ") ", SL 7]; the same cables are a loop on 1 "
						"other VL; further loops are linked with it, "
						"of 5 channels in all"));
	study.sls = UINT16_MAX;
	check_credit(bed, &study);
	assert_non_null(strstr(bed->findings.items->finding.evidence,
			       "if packets of every SL go from each port to each other: "));
}

/* A loop of many cables is cut. */
static void long_credit_loop(void **state)
{
	struct bed *bed = *state;
	struct credit_wait waits[40];
	struct credit_loop loop = {.waits = waits, .count = ARRAY_SIZE(waits), .ports = 40};
	struct credit_study study = {.any = no_loops, .sure = no_loops, .loops = no_loops};
	const char *text;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		waits[i] = wait_at(bed, 1 + i % 2, 0);
	study.sure.items = &loop;
	study.sure.count = 1;
	check_credit(bed, &study);
	text = bed->findings.items->finding.evidence;
	assert_string_equal(text + strlen(text) - strlen("]; and 8 more"), "]; and 8 more");
}

/* What is not known about loops is told, and what was not asked. */
static void unknown_credit_loops(void **state)
{
	struct bed *bed = *state;
	struct credit_wait waits[] = {wait_at(bed, 1, 0), wait_at(bed, 2, 0)};
	struct credit_loop loop = {.waits = waits, .count = 2, .ports = 2};
	struct credit_study study = {.any = no_loops, .sure = no_loops, .loops = no_loops};

	study.any.items = &loop;
	study.any.count = 1;
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: the routes of packets of all SLs together form 1 loop, which VLs "
		    "may break: --credit-loops all considers the VLs. The first has " TWO_CABLES(
			    "", ""));
	study.sure = study.any;
	study.any.items = (struct credit_loop[]){loop, loop};
	study.any.count = 2;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 2);
	assert_non_null(strstr(bed->findings.items[1].finding.evidence,
			       "together form 2 other loops, which VLs may break: "));
	/* Linked loops are not counted. */
	study.any.items[1].ports = 3;
	check_credit(bed, &study);
	assert_non_null(strstr(bed->findings.items[1].finding.evidence,
			       "together form at least 2 other loops, which VLs may break: "));
	study.sure = no_loops;
	study.any = no_loops;
	study.any.unknown_node = SWITCH;
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: not all loops can be found: it is unknown where some packets go "
		    "from 0000:0000:0000:0100");
	study.any = no_loops;
	study.question = CREDIT_OF_PATHS;
	study.loops.laneless_node = SWITCH;
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: not all loops can be found: it is unknown which VL some packets "
		    "get at 0000:0000:0000:0100");
	study.loops = no_loops;
	study.loops.missing_lane_node = SWITCH;
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: not all loops can be found: the SL to VL tables give some "
		    "packets a VL that the port does not have, at 0000:0000:0000:0100");
	study.loops = no_loops;
	study.pairs = (struct credit_pairs){.wanted = 90, .asked = 50};
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: path records of 50 of 90 pairs of ports were asked for: packets "
		    "of the others may form loops");
	study.pairs = (struct credit_pairs){.wanted = 90, .asked = 90, .failed = 8};
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: the subnet administrator did not answer for 8 of 90 pairs of "
		    "ports");
	study.pairs = (struct credit_pairs){.wanted = 90, .asked = 90, .without = 3};
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: 3 of 90 pairs of ports have no path record; their packets were "
		    "left out");
	study.pairs = (struct credit_pairs){.wanted = 0};
	study.incomplete = true;
	check_credit(bed, &study);
	assert_only(bed, "not-checked", FABRIC_NONE, 0,
		    "credit-loop: not all loops can be found: a part of the subnet is unknown");
}

/* What a search that was stopped has found is true, but its numbers are not: they are not told. */
static void stopped_credit_search(void **state)
{
	struct bed *bed = *state;
	struct credit_wait waits[] = {wait_at(bed, 1, 0), wait_at(bed, 2, 0)};
	struct credit_loop loop = {.waits = waits, .count = 2, .ports = 5, .again = 1};
	struct credit_study study = {.any = no_loops, .sure = no_loops, .loops = no_loops};

	study.any.items = &loop;
	study.any.count = 1;
	study.any.stopped = true;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 0);
	study.question = CREDIT_OF_PATHS;
	study.pairs = (struct credit_pairs){.wanted = 90, .asked = 90, .failed = 8};
	study.any.stopped = false;
	study.loops.stopped = true;
	check_credit(bed, &study);
	assert_int_equal(bed->findings.count, 0);
	study.sure.items = &loop;
	study.sure.count = 1;
	check_credit(bed, &study);
	assert_only(bed, "credit-loop", SWITCH, 1, "one VL for all packets: " TWO_CABLES("", ""));
}

/* An unknown fact is not a fault. */
static void nothing_known(void **state)
{
	struct bed *bed = *state;

	for (uint32_t i = 0; i < bed->fabric.port_count; i++)
		bed->fabric.ports[i].has_info = false;
	check_graph(bed);
	assert_int_equal(bed->findings.count, 0);
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, end)

/* This is the last test. */
static void every_check_was_raised(void **state)
{
	(void)state;
	for (size_t i = 0; fabric_check_names[i].word; i++)
		if (!raised[fabric_check_names[i].value])
			fail_msg("no test raises %s", fabric_check_names[i].word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy),
		TEST(slow_link),
		TEST(not_enabled),
		TEST(best_of_both_ends),
		TEST(newer_rates),
		TEST(end_of_a_link),
		TEST(rates_of_both_ends),
		TEST(links_of_a_text),
		TEST(states),
		TEST(one_way),
		TEST(other_cable),
		TEST(mtu_and_lanes),
		TEST(duplicate_guid),
		TEST(duplicate_lids),
		TEST(planes),
		TEST(lids_and_managers),
		TEST(nothing_configured),
		TEST(no_link),
		TEST(failure),
		TEST(managers),
		TEST(lid_of_a_standby),
		TEST(holes),
		TEST(wrong_ends),
		TEST(loops),
		TEST(credit_loops),
		TEST(long_credit_loop),
		TEST(unknown_credit_loops),
		TEST(stopped_credit_search),
		TEST(order),
		TEST(nothing_known),
		TEST(counters_grow),
		TEST(congestion),
		TEST(saturation),
		TEST(not_checked),
		cmocka_unit_test(every_check_was_raised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
