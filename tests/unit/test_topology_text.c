/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of ibnetdiscover, part by part: comments, rates, GUIDs, ports, twins, and where the scan
 * began.
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
#include "schema/bits.h"

static int read_text(const char *text, struct fabric *fabric)
{
	_cleanup_(freep) char *message = NULL;

	*fabric = (struct fabric){.nodes = NULL};
	return fabric_read_topology(text, strlen(text), fabric, &message);
}

static const struct fabric_port *port_of(const struct fabric *fabric, uint64_t guid,
					 unsigned int number)
{
	uint32_t node = fabric_find(fabric, guid);

	assert_int_not_equal(node, FABRIC_NONE);
	return &fabric->ports[fabric_port_at(fabric, node, number)];
}

/* The codes of PortInfo, 14.2.5.6: LinkSpeedActive, LinkSpeedExtActive, LinkSpeedExt2Active. */
static void codes_of_rates(void **state)
{
	static const struct {
		const char *rate;
		unsigned int width, speed, ext, ext2, lanes, lane_speed;
	} rows[] = {
		{"1xSDR", 1, 1, 0, 0, 1, SPEED_SDR},
		{"4xDDR", 2, 2, 0, 0, 4, SPEED_DDR},
		{"8xQDR", 4, 4, 0, 0, 8, SPEED_QDR},
		{"12xFDR10", 8, 4, 0, 0, 12, SPEED_FDR10},
		{"2xFDR", 16, 0, 1, 0, 2, SPEED_FDR},
		{"4xEDR", 2, 0, 2, 0, 4, SPEED_EDR},
		{"4xHDR", 2, 0, 4, 0, 4, SPEED_HDR},
		{"4xNDR", 2, 0, 8, 0, 4, SPEED_NDR},
		{"4xXDR", 2, 0, 0, 1, 4, SPEED_XDR},
		/* Unknown codes as ibnetdiscover prints them, and texts that are no rate. */
		{"??EDR", 0, 0, 2, 0, 0, SPEED_EDR},
		{"4x???", 2, 0, 0, 0, 4, SPEED_UNKNOWN},
		{"?????", 0, 0, 0, 0, 0, SPEED_UNKNOWN},
		{"13xEDR", 0, 0, 0, 0, 0, SPEED_UNKNOWN},
		{"3xEDR", 0, 0, 2, 0, 0, SPEED_EDR},
		{"4xEDRA", 0, 0, 0, 0, 0, SPEED_UNKNOWN},
		{"EDR", 0, 0, 0, 0, 0, SPEED_UNKNOWN},
		{"4EDR", 0, 0, 0, 0, 0, SPEED_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = mem_format(
			"switchguid=0xa\nSwitch 1 \"A\"\n[1] \"B\"[1] # \"B\" lid 1 %s\n"
			"switchguid=0xb\nSwitch 1 \"B\"\n",
			rows[i].rate);
		const struct fabric_port *port;
		struct fabric fabric;

		assert_int_equal(read_text(text, &fabric), 0);
		port = port_of(&fabric, 0xa, 1);
		if (bits_get(port->info, 31 * 8, 8) != rows[i].width ||
		    bits_get(port->info, 35 * 8, 4) != rows[i].speed ||
		    bits_get(port->info, 62 * 8, 4) != rows[i].ext ||
		    bits_get(port->info, 56 * 8, 3) != rows[i].ext2 ||
		    fabric_lanes(port) != rows[i].lanes || fabric_speed(port) != rows[i].lane_speed)
			fail_msg("%s", rows[i].rate);
		fabric_clear(&fabric);
	}
}

/* LIDs, LMCs, names and GUIDs before and after the description, which may have quotation marks. */
static void remarks(void **state)
{
	static const char text[] =
		"vendid=0xffffff\ndevid=0xffff\nsysimgguid=0x51\nswitchguid=0x11(12)\n"
		"Switch\t3 \"S\"\t# \"a \"b\" lid 9\" enhanced port 0 lid 65535 lmc 7\n"
		"[1](xxxx)\"H\"[2](22)# \"host\" lid 6 4xEDR\n"
		"[3][ext 255] \"R\"[1](yyyy) # \"r\" lid 8 4xHDR\n"
		"caguid=0x21\nCa 2 \"H\" # \"host\"\n"
		"[2](22) \"S\"[1] # lid 6 lmc 3 \"a \"b\" lid 9\" lid 65535 4xEDR\n"
		"rtguid=0x31\nRouter 1 \"R\" # \"r\n";
	const struct fabric_node *node;
	const struct fabric_port *port;
	struct fabric fabric;

	(void)state;
	assert_int_equal(read_text(text, &fabric), 0);
	assert_int_equal(fabric.source, FABRIC_TEXT);
	assert_int_equal(fabric.node_count, 3);
	node = &fabric.nodes[fabric_find(&fabric, 0x11)];
	/* NodeInfo, 14.2.5.3 */
	assert_int_equal(node->info[0], 1);
	assert_int_equal(node->info[1], 1);
	assert_int_equal(node_info_port_guid(node->info), 0x12);
	assert_int_equal(node_info_system_guid(node->info), 0x51);
	assert_int_equal(node_info_vendor_id(node->info), 0xffffff);
	assert_int_equal(node_info_device_id(node->info), 0xffff);
	assert_true(node->has_description);
	assert_string_equal((const char *)node->description, "a \"b\" lid 9");
	port = &fabric.ports[node->first_port];
	assert_int_equal(port_info_lid(port->info), 65535);
	assert_int_equal(bits_get(port->info, 34 * 8 + 5, 3), 7);
	assert_int_equal(bits_get(node->switch_info, 16 * 8 + 4, 1), 1);
	port = port_of(&fabric, 0x21, 2);
	assert_int_equal(port->peer, node->first_port + 1);
	assert_int_equal(port->guid, 0x22);
	assert_int_equal(fabric_port_lid(port), 6);
	assert_int_equal(bits_get(port->info, 34 * 8 + 5, 3), 3);
	/* A cable with unreadable GUIDs is still a cable. */
	assert_int_equal(port_of(&fabric, 0x31, 1)->peer, node->first_port + 3);
	assert_int_equal(fabric_speed(port_of(&fabric, 0x11, 3)), SPEED_HDR);
	assert_int_equal(fabric.fault_count, 2);
	assert_int_equal(fabric.faults[0].line, 6);
	assert_int_equal(fabric.faults[1].line, 7);
	/* A single quotation mark is no description: the node has the name of its block. */
	node = &fabric.nodes[fabric_find(&fabric, 0x31)];
	assert_int_equal(node->type, NODE_TYPE_ROUTER);
	assert_string_equal((const char *)node->description, "R");
	fabric_clear(&fabric);
}

/* A switch whose port 0 has no GUID of its own; empty lines, comments and blanks are not faults. */
static void without_port_guid(void **state)
{
	struct fabric fabric;

	(void)state;
	assert_int_equal(
		read_text("\n \t\r\n# x\nspeed=EDR\nswitchguid=0x11\n \tSwitch 1 \"S\"  \n",
			  &fabric),
		0);
	assert_int_equal(fabric.node_count, 1);
	assert_int_equal(node_info_port_guid(fabric.nodes[0].info), 0x11);
	assert_int_equal(fabric.fault_count, 0);
	fabric_clear(&fabric);
}

/* A line for a port that the node does not have makes no cable; the lines after it are read. */
static void ports_beyond(void **state)
{
	struct fabric fabric;

	(void)state;
	assert_int_equal(read_text("switchguid=0xa\nSwitch 2 \"A\"\n[3] \"B\"[1]\n[2] \"B\"[2]\n"
				   "switchguid=0xb\nSwitch 2 \"B\"\n",
				   &fabric),
			 0);
	assert_int_equal(port_of(&fabric, 0xa, 1)->peer, FABRIC_NONE);
	assert_int_equal(port_of(&fabric, 0xb, 1)->peer, FABRIC_NONE);
	assert_ptr_equal(&fabric.ports[port_of(&fabric, 0xa, 2)->peer], port_of(&fabric, 0xb, 2));
	assert_int_equal(fabric.fault_count, 1);
	fabric_clear(&fabric);
}

/*
 * The lines of both ends have to agree in name and number; the other end may be the second of two
 * nodes with that name.
 */
static void ends_that_disagree(void **state)
{
	static const struct {
		const char *there;
		bool joined;
	} rows[] = {
		{"[1] \"A\"[1]", true},	  {"[1] \"A\"[2]", false}, {"[1] \"B\"[1]", false},
		{"[1] \"AA\"[1]", false}, {"[2] \"A\"[2]", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = mem_format(
			"switchguid=0xa\nSwitch 2 \"A\"\n[1] \"B\"[1]\nswitchguid=0xb\n"
			"Switch 2 \"B\"\n%s\n",
			rows[i].there);
		struct fabric fabric;
		uint32_t peer;

		assert_int_equal(read_text(text, &fabric), 0);
		peer = port_of(&fabric, 0xa, 1)->peer;
		if ((peer != FABRIC_NONE) != rows[i].joined)
			fail_msg("%s", rows[i].there);
		if (rows[i].joined)
			assert_ptr_equal(&fabric.ports[peer], port_of(&fabric, 0xb, 1));
		fabric_clear(&fabric);
	}
}

/* The port where the scan began: the one that the text names, or the first with a cable. */
static void where_it_began(void **state)
{
	static const struct {
		const char *note, *lines;
		unsigned int port;
		uint64_t guid;
	} rows[] = {
		{"", "[1](15) \"S\"[1]\n[3](16) \"S\"[3]\n", 1, 0x15},
		{"", "[2](15) \"S\"[2]\n[3](16) \"S\"[3]\n", 2, 0x15},
		{"# Initiated from node 10 port 16\n", "[1](15) \"S\"[1]\n[3](16) \"S\"[3]\n", 3,
		 0x16},
		{"# Initiated from node 10 port 99\n", "[1](15) \"S\"[1]\n[3](16) \"S\"[3]\n", 1,
		 0x15},
		{"# Initiated from node 10\n", "[2](15) \"S\"[2]\n", 2, 0x15},
		{"# Initiated from node 10 port x\n", "[2](15) \"S\"[2]\n", 2, 0x15},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = mem_format(
			"%scaguid=0x10\nCa 3 \"H\" # \"h\"\n%sswitchguid=0x20\nSwitch 3 \"S\"\n",
			rows[i].note, rows[i].lines);
		struct fabric fabric;

		assert_int_equal(read_text(text, &fabric), 0);
		assert_int_equal(fabric.nodes[0].guid, 0x10);
		if (fabric.nodes[0].local_port != rows[i].port ||
		    node_info_port_guid(fabric.nodes[0].info) != rows[i].guid)
			fail_msg("row %zu: port %u", i, fabric.nodes[0].local_port);
		fabric_clear(&fabric);
	}
}

static char *many(unsigned int count, bool one_name)
{
	char *text = mem_string("");

	for (unsigned int i = 0; i < count; i++) {
		_cleanup_(freep) char *before = text;

		text = mem_format("%sswitchguid=0x%x\nSwitch 1 \"S-%u\"\n", before,
				  one_name ? i + 1 : 1, one_name ? 0 : i);
	}
	return text;
}

/* Up to 64 nodes may share a name or a GUID; more are taken for a mistake in the text. */
static void namesakes(void **state)
{
	(void)state;
	for (unsigned int one_name = 0; one_name < 2; one_name++)
		for (unsigned int count = 64; count <= 65; count++) {
			_cleanup_(freep) char *text = many(count, one_name);
			struct fabric fabric;
			int rc = read_text(text, &fabric);

			assert_int_equal(rc, count == 64 ? 0 : -EINVAL);
			assert_int_equal(fabric.node_count, rc ? 0 : count);
			fabric_clear(&fabric);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_of_rates),     cmocka_unit_test(remarks),
		cmocka_unit_test(without_port_guid),  cmocka_unit_test(ports_beyond),
		cmocka_unit_test(ends_that_disagree), cmocka_unit_test(where_it_began),
		cmocka_unit_test(namesakes),
	};

	return cmocka_run_group_tests_name("topology_text", tests, NULL, NULL);
}
