/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writing the output of ibnetdiscover and iblinkinfo, and reading files of ibnetdiscover. */
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
#include "fabric/format/diags.h"
#include "fabric/graph/graph.h"
#include "fabric/format/topology.h"
#include "made_up_fabric.h"
#include "schema/bits.h"

/* Offsets in NodeInfo, SwitchInfo and PortInfo, in bits. */
enum {
	NODE_SYSTEM_GUID = 4 * 8,
	NODE_DEVICE = 30 * 8,
	NODE_VENDOR = 37 * 8,
	ENHANCED_PORT0 = 16 * 8 + 4,
	PORT_LID = 16 * 8,
	PORT_WIDTH_SUPPORTED = 30 * 8,
	PORT_WIDTH = 31 * 8,
	PORT_SPEED_SUPPORTED = 32 * 8,
	PORT_STATE = 32 * 8 + 4,
	PORT_PHYSICAL_STATE = 33 * 8,
	PORT_LMC = 34 * 8 + 5,
	PORT_SPEED = 35 * 8,
	PORT_SPEED_EXT = 62 * 8,
	PORT_SPEED_EXT_SUPPORTED = 62 * 8 + 4,
};

enum { WIDTH_1X = 1, WIDTH_4X = 2, WIDTH_12X = 8, SPEED_10 = 4, EXT_EDR = 2, EXT_HDR = 4 };

static uint32_t add_node(struct fabric *fabric, unsigned int type, unsigned int ports,
			 uint64_t guid, const char *description)
{
	uint32_t number = sample_bare_node(fabric, type, guid, ports);
	uint8_t *info = fabric->nodes[number].info;

	bits_set(info, NODE_SYSTEM_GUID, 64, guid + 0x50);
	bits_set(info, NODE_DEVICE, 16, 0x1021);
	bits_set(info, NODE_VENDOR, 24, 0x2c9);
	memcpy(fabric->nodes[number].description, description, strlen(description));
	fabric->nodes[number].has_description = true;
	return number;
}

static uint8_t *port_info(struct fabric *fabric, uint32_t node, unsigned int number)
{
	struct fabric_port *port = &fabric->ports[fabric_port_at(fabric, node, number)];

	port->has_info = true;
	return port->info;
}

static void set_lid(struct fabric *fabric, uint32_t node, unsigned int number, unsigned int lid,
		    unsigned int lmc)
{
	bits_set(port_info(fabric, node, number), PORT_LID, 16, lid);
	bits_set(port_info(fabric, node, number), PORT_LMC, 3, lmc);
}

static void set_up(uint8_t *info, unsigned int width, unsigned int speed, unsigned int ext)
{
	bits_set(info, PORT_STATE, 4, 4);
	bits_set(info, PORT_PHYSICAL_STATE, 4, PHYSICAL_LINK_UP);
	bits_set(info, PORT_WIDTH, 8, width);
	bits_set(info, PORT_WIDTH_SUPPORTED, 8, 0x1f);
	bits_set(info, PORT_SPEED, 4, speed);
	bits_set(info, PORT_SPEED_SUPPORTED, 4, 7);
	bits_set(info, PORT_SPEED_EXT, 4, ext);
	bits_set(info, PORT_SPEED_EXT_SUPPORTED, 4, ext ? 0xf : 0);
}

static void cable(struct fabric *fabric, uint32_t one, unsigned int port, uint32_t other,
		  unsigned int other_port, unsigned int width, unsigned int speed, unsigned int ext)
{
	set_up(port_info(fabric, one, port), width, speed, ext);
	set_up(port_info(fabric, other, other_port), width, speed, ext);
	fabric_link(fabric, fabric_port_at(fabric, one, port),
		    fabric_port_at(fabric, other, other_port));
}

/*
 * An adapter, two switches, a router with a quotation mark in its name, an adapter with two ports.
 */
static void make_graph(struct fabric *fabric)
{
	uint32_t first = add_node(fabric, NODE_TYPE_CA, 1, 0x1000, "first");
	uint32_t leaf = add_node(fabric, NODE_TYPE_SWITCH, 4, 0x2000, "leaf\tone\xc3\xa4");
	uint32_t spine = add_node(fabric, NODE_TYPE_SWITCH, 3, 0x3000, "spine");
	uint32_t router = add_node(fabric, NODE_TYPE_ROUTER, 2, 0x4000, "a \"router\" lid 9");
	uint32_t twofold = add_node(fabric, NODE_TYPE_CA, 2, 0x5000, "");

	cable(fabric, first, 1, leaf, 3, WIDTH_4X, SPEED_10, EXT_EDR);
	cable(fabric, leaf, 1, spine, 1, WIDTH_12X, SPEED_10, EXT_HDR);
	cable(fabric, leaf, 2, twofold, 1, WIDTH_1X, 1, 0);
	cable(fabric, spine, 2, twofold, 2, WIDTH_4X, SPEED_10, 0);
	cable(fabric, spine, 3, router, 1, WIDTH_4X, SPEED_10, 0);
	fabric->ports[fabric_port_at(fabric, spine, 3)].vendor_speed = 1;
	fabric->ports[fabric_port_at(fabric, router, 1)].vendor_speed = 1;
	fabric->ports[fabric_port_at(fabric, spine, 2)].vendor_speeds = 1;
	fabric->ports[fabric_port_at(fabric, twofold, 2)].vendor_speeds = 1;
	fabric->ports[fabric_port_at(fabric, twofold, 2)].guid = 0x5002;
	bits_set(port_info(fabric, leaf, 4), PORT_STATE, 4, 1);
	bits_set(port_info(fabric, leaf, 4), PORT_PHYSICAL_STATE, 4, 2);
	set_lid(fabric, first, 1, 1, 0);
	set_lid(fabric, leaf, 0, 2, 1);
	set_lid(fabric, spine, 0, 4, 0);
	set_lid(fabric, router, 1, 5, 0);
	set_lid(fabric, twofold, 1, 8, 2);
	set_lid(fabric, twofold, 2, 12, 2);
	bits_set(fabric->nodes[spine].switch_info, ENHANCED_PORT0, 1, 1);
	fabric->nodes[spine].has_switch_info = true;
}

static const char discovered[] =
	"#\n"
	"# Topology file: generated on Thu Jan  1 00:00:00 1970\n"
	"#\n"
	"# Initiated from node 0000000000001000 port 0000000000001001\n"
	"\n"
	"vendid=0x2c9\n"
	"devid=0x1021\n"
	"sysimgguid=0x3050\n"
	"switchguid=0x3000(3000)\n"
	"Switch\t3 \"S-0000000000003000\"\t\t# \"spine\" enhanced port 0 lid 4 lmc 0\n"
	"[1]\t\"S-0000000000002000\"[1]\t\t# \"leaf one  \" lid 2 12xHDR\n"
	"[2]\t\"H-0000000000005000\"[2](5002) \t\t# \"\" lid 12 4xQDR\n"
	"[3]\t\"R-0000000000004000\"[1](4001) \t\t# \"a \"router\" lid 9\" lid 5 4xFDR10\n"
	"\n"
	"vendid=0x2c9\n"
	"devid=0x1021\n"
	"sysimgguid=0x2050\n"
	"switchguid=0x2000(2000)\n"
	"Switch\t4 \"S-0000000000002000\"\t\t# \"leaf one  \" base port 0 lid 2 lmc 1\n"
	"[1]\t\"S-0000000000003000\"[1]\t\t# \"spine\" lid 4 12xHDR\n"
	"[2]\t\"H-0000000000005000\"[1](5001) \t\t# \"\" lid 8 1xSDR\n"
	"[3]\t\"H-0000000000001000\"[1](1001) \t\t# \"first\" lid 1 4xEDR\n"
	"\n"
	"vendid=0x2c9\n"
	"devid=0x1021\n"
	"sysimgguid=0x5050\n"
	"caguid=0x5000\n"
	"Ca\t2 \"H-0000000000005000\"\t\t# \"\"\n"
	"[1](5001) \t\"S-0000000000002000\"[2]\t\t# lid 8 lmc 2 \"leaf one  \" lid 2 1xSDR\n"
	"[2](5002) \t\"S-0000000000003000\"[2]\t\t# lid 12 lmc 2 \"spine\" lid 4 4xQDR\n"
	"\n"
	"vendid=0x2c9\n"
	"devid=0x1021\n"
	"sysimgguid=0x1050\n"
	"caguid=0x1000\n"
	"Ca\t1 \"H-0000000000001000\"\t\t# \"first\"\n"
	"[1](1001) \t\"S-0000000000002000\"[3]\t\t# lid 1 lmc 0 \"leaf one  \" lid 2 4xEDR\n"
	"\n"
	"vendid=0x2c9\n"
	"devid=0x1021\n"
	"sysimgguid=0x4050\n"
	"rtguid=0x4000\n"
	"Rt\t2 \"R-0000000000004000\"\t\t# \"a \"router\" lid 9\"\n"
	"[1](4001) \t\"S-0000000000003000\"[3]\t\t# lid 5 lmc 0 \"spine\" lid 4 4xFDR10\n";

static const char linked[] =
	"Router: a \"router\" lid 9:\n"
	"      0x0000000000004001      5    1[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>  "
	"     4    3[  ] \"spine\" (Could be 12X )\n"
	"CA: :\n"
	"      0x0000000000005001      8    1[  ] ==( 1X           2.5 Gbps Active/  LinkUp)==>  "
	"     2    2[  ] \"leaf one  \" (Could be 12X Could be 10.0 Gbps)\n"
	"      0x0000000000005002     12    2[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>  "
	"     4    2[  ] \"spine\" (Could be 12X Could be FDR10 "
	"(Found link at QDR but expected speed is FDR10))\n"
	"Switch: 0x0000000000003000 spine:\n"
	"           4    1[  ] ==(12X        53.125 Gbps Active/  LinkUp)==>  "
	"     2    1[  ] \"leaf one  \" ( Could be 106.25 Gbps)\n"
	"           4    2[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>  "
	"    12    2[  ] \"\" (Could be 12X Could be FDR10 "
	"(Found link at QDR but expected speed is FDR10))\n"
	"           4    3[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>  "
	"     5    1[  ] \"a \"router\" lid 9\" (Could be 12X )\n"
	"Switch: 0x0000000000002000 leaf one  :\n"
	"           2    1[  ] ==(12X        53.125 Gbps Active/  LinkUp)==>  "
	"     4    1[  ] \"spine\" ( Could be 106.25 Gbps)\n"
	"           2    2[  ] ==( 1X           2.5 Gbps Active/  LinkUp)==>  "
	"     8    1[  ] \"\" (Could be 12X Could be 10.0 Gbps)\n"
	"           2    3[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  "
	"     1    1[  ] \"first\" (Could be 12X Could be 106.25 Gbps)\n"
	"           2    4[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
	"CA: first:\n"
	"      0x0000000000001001      1    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  "
	"     2    3[  ] \"leaf one  \" (Could be 12X Could be 106.25 Gbps)\n";

static int setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return 0;
}

static void assert_discovered(const struct fabric *fabric, const char *expected)
{
	const struct fabric_view view = {.fabric = fabric};
	_cleanup_(freep) char *text = ibnetdiscover_text(&view, false, 0);

	assert_string_equal(text, expected);
}

static void test_write(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	const struct fabric_view view = {.fabric = &fabric};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	make_graph(&fabric);
	assert_discovered(&fabric, discovered);
	text = iblinkinfo_text(&view);
	assert_string_equal(text, linked);
	fabric_clear(&fabric);
}

/* A given name is used everywhere except in the head of an adapter's block. */
static void test_write_names(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	struct node_names names = {.items = NULL};
	const struct fabric_view view = {.fabric = &fabric, .names = &names};
	_cleanup_(freep) char *text = NULL;
	static const char map[] = "0x1000 \"one\"\n0x2000 \"two\"\n";
	unsigned int line;

	(void)state;
	make_graph(&fabric);
	assert_int_equal(node_names_parse(map, strlen(map), &names, &line), 0);
	text = ibnetdiscover_text(&view, false, 0);
	assert_non_null(strstr(text, "Ca\t1 \"H-0000000000001000\"\t\t# \"first\"\n"));
	assert_non_null(strstr(text, "[1](1001) \t\t# \"one\" lid 1 4xEDR\n"));
	assert_non_null(strstr(text, "\"S-0000000000002000\"\t\t# \"two\" base port 0"));
	assert_null(strstr(text, "leaf one"));
	node_names_clear(&names);
	fabric_clear(&fabric);
}

static void read_text(const char *text, struct fabric *fabric)
{
	_cleanup_(freep) char *message = NULL;
	int rc = fabric_read_topology(text, strlen(text), fabric, &message);

	if (message)
		print_message("%s\n", message);
	assert_int_equal(rc, 0);
}

static void test_read(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint8_t path[MAD_HOPS_MOST + 1];
	const struct fabric_port *port;
	const struct fabric_node *node;

	(void)state;
	read_text(discovered, &fabric);
	assert_discovered(&fabric, discovered);
	assert_int_equal(fabric.node_count, 5);
	assert_int_equal(fabric.nodes[0].guid, 0x1000);
	node = &fabric.nodes[fabric_find(&fabric, 0x5000)];
	assert_int_equal(node->type, NODE_TYPE_CA);
	assert_int_equal(node->port_count, 2);
	assert_int_equal(node_info_system_guid(node->info), 0x5050);
	assert_int_equal(node_info_port_guid(node->info), 0x5001);
	assert_int_equal(node_info_vendor_id(node->info), 0x2c9);
	assert_int_equal(node_info_device_id(node->info), 0x1021);
	assert_int_equal(fabric_path(&fabric, fabric_find(&fabric, 0x5000), path), 2);
	assert_int_equal(path[1], 1);
	assert_int_equal(path[2], 2);
	port = &fabric.ports[node->first_port + 2];
	assert_int_equal(port->guid, 0x5002);
	assert_int_equal(fabric_port_lid(port), 12);
	assert_int_equal(fabric_lanes(port), 4);
	assert_int_equal(fabric_speed(port), SPEED_QDR);
	assert_int_equal(fabric_physical_state(port), PHYSICAL_LINK_UP);
	assert_int_equal(fabric_port_state(port), 0);
	assert_int_equal(fabric_mtu(port), 0);
	/* Ports without a cable are unknown, and so is the rest of a switch. */
	node = &fabric.nodes[fabric_find(&fabric, 0x2000)];
	assert_false(fabric.ports[node->first_port + 4].has_info);
	assert_false(node->has_switch_info);
	fabric_clear(&fabric);
}

static void test_read_all_rates(void **state)
{
	static const unsigned int lanes[] = {1, 2, 4, 8, 12};
	char text[512];

	(void)state;
	for (const struct enum_name *speed = lane_speed_names; speed->word; speed++)
		for (size_t i = 0; i < ARRAY_SIZE(lanes); i++) {
			struct fabric fabric = {.nodes = NULL};

			snprintf(text, sizeof(text),
				 "Switch 1 \"A\"\n[1] \"B\"[1] # \"B\" lid 1 %ux%s w=2\n"
				 "Switch 1 \"B\"\n[1] \"A\"[1] # \"A\" lid 1 %ux%s\n",
				 lanes[i], speed->word, lanes[i], speed->word);
			read_text(text, &fabric);
			assert_int_equal(fabric_lanes(&fabric.ports[1]), lanes[i]);
			assert_int_equal(fabric_speed(&fabric.ports[1]), speed->value);
			fabric_clear(&fabric);
		}
}

/* Attributes that a net file of the simulator omits; a line at one end of a cable is enough. */
static void test_read_net(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	const struct fabric_node *node;

	(void)state;
	read_text("# comment\r\n"
		  "module \"x\"\n"
		  "Switch\t8 \"Switch1\"\n"
		  "[1]\t\"Hca1\"[1]\r\n"
		  "[4]\t\"Hca2\" [2]\n"
		  "\n"
		  "Hca\t2 \"Hca1\"\n"
		  "[1]\t\"Switch1\"[1]\n"
		  "do Unlink \"Hca1\"\n"
		  "Hca\t2 \"Hca2\"\n"
		  "Rt 1 \"R-00000000000000aa\" # \"way out\"\n"
		  "[1] \"Switch1\"[8]\n",
		  &fabric);
	assert_int_equal(fabric.node_count, 4);
	assert_int_equal(fabric.nodes[0].guid, 0x200000);
	node = &fabric.nodes[2];
	assert_int_equal(node->guid, 0x100003);
	assert_string_equal((const char *)node->description, "Hca2");
	assert_int_equal(fabric.ports[node->first_port + 2].guid, 0x100005);
	assert_int_equal(fabric.ports[node->first_port + 2].peer, fabric_port_at(&fabric, 0, 4));
	assert_int_equal(fabric_physical_state(&fabric.ports[node->first_port + 2]),
			 PHYSICAL_LINK_UP);
	assert_int_equal(fabric_speed(&fabric.ports[node->first_port + 2]), SPEED_UNKNOWN);
	assert_int_equal(fabric.nodes[3].guid, 0xaa);
	assert_string_equal((const char *)fabric.nodes[3].description, "way out");
	fabric_clear(&fabric);
}

/* Two nodes with the same GUID, each at its own switch, are told apart by their cables. */
static void test_read_twins(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	uint32_t first, second;

	(void)state;
	read_text("switchguid=0x10(10)\nSwitch 2 \"S-10\" # \"a\" base port 0 lid 1 lmc 0\n"
		  "[1] \"S-20\"[1]\n[2] \"H-1\"[1](2)\n"
		  "switchguid=0x20(20)\nSwitch 2 \"S-20\" # \"b\" base port 0 lid 2 lmc 0\n"
		  "[1] \"S-10\"[1]\n[2] \"H-1\"[1](2)\n"
		  "caguid=0x1\nCa 1 \"H-1\" # \"at b\"\n[1](2) \"S-20\"[2]\n"
		  "caguid=0x1\nCa 1 \"H-1\" # \"at a\"\n[1](2) \"S-10\"[2]\n",
		  &fabric);
	first = fabric_find(&fabric, 1);
	second = fabric.nodes[first].same_guid;
	assert_int_not_equal(second, FABRIC_NONE);
	assert_true(fabric.nodes[first].ambiguous && fabric.nodes[second].ambiguous);
	for (uint32_t node = first; node != FABRIC_NONE; node = fabric.nodes[node].same_guid) {
		uint32_t peer = fabric.ports[fabric_port_at(&fabric, node, 1)].peer;
		const char *at = (const char *)fabric_node_of(&fabric, peer)->description;

		assert_string_equal((const char *)fabric.nodes[node].description + 3, at);
	}
	fabric_clear(&fabric);
}

static void test_read_grouped(void **state)
{
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	read_text("#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"
		  "\nChassis 1 (guid 0x8f100)\n\n# Spine Nodes\n"
		  "vendid=0x8f1\nsysimgguid=0x8\t\t# Chassis 1\n"
		  "switchguid=0x10(10)\t\t# Chassis 1 spine 2\n"
		  "Switch\t24 \"S-0000000000000010\"\t\t# \"x\" base port 0 lid 6 lmc 0\n"
		  "[3][ext 5]\t\"H-0000000000000001\"[1](2) \t\t# \"y\" lid 4 4xSDR s=1 w=2 v=3\n"
		  "\nNon-Chassis Nodes\n"
		  "caguid=0x1\nCa\t1 \"H-0000000000000001\"\t\t# \"y\" (scp)\n"
		  "[1](2) \t\"S-0000000000000010\"[3][ext 5]\t\t# lid 4 lmc 0 \"x\" lid 6 4xSDR\n",
		  &fabric);
	assert_int_equal(fabric.node_count, 2);
	assert_int_equal(node_info_system_guid(fabric.nodes[0].info), 8);
	assert_int_equal(fabric_lanes(&fabric.ports[3]), 4);
	fabric_clear(&fabric);
}

/* Faults of a text: the number of nodes read nevertheless, and the line and reason of the first. */
static const struct {
	unsigned int nodes, line;
	const char *text, *reason;
} broken[] = {
	{1, 2, "Switch 8 \"S\"\nnonsense\n", "not a line of ibnetdiscover: nonsense"},
	{0, 1, "Switch 8 S\n",
	 "a node has the form TYPE PORTS \"NAME\" # \"DESCRIPTION\": Switch 8 S"},
	{0, 1, "Ca\t : 0x1 ports 2 devid 0x0 vendid 0x0 \"Hca1\"", "a node has the form TYPE"},
	{0, 1, "Switch 0 \"S\"\n", "a node has the form TYPE"},
	{0, 1, "Switch 255 \"S\"\n", "a node has the form TYPE"},
	{0, 1, "Switch 8 \"\"\n", "a node has the form TYPE"},
	{1, 1, "Switch 8 \"S\" # \"d\" base port 0 lid 65536 lmc 0\n",
	 "`lid` is not followed by a number from 0 to 65535: Switch 8"},
	{1, 1, "Switch 8 \"S\" # \"d\" base port 0 lid lmc 0\n",
	 "`lid` is not followed by a number from 0 to 65535: Switch 8"},
	{1, 1, "Switch 8 \"S\" # \"d\" base port 0 lid 1 lmc 8\n",
	 "`lmc` is not followed by a number from 0 to 7: Switch 8"},
	{1, 2, "Switch 8 \"S\"\n[9] \"S\"[1]\n", "the node has 8 ports"},
	{1, 2, "Switch 8 \"S\"\n[0] \"S\"[1]\n", "a port has the form [NUMBER]"},
	{1, 2, "Switch 8 \"S\"\n[1] \"S\"\n", "a port has the form [NUMBER]"},
	{1, 2, "Switch 8 \"S\"\n[1] \"S\"[2] x\n", "a port has the form [NUMBER]"},
	{1, 2, "Switch 8 \"S\"\n[1] \"T\"[2]\n",
	 "no node has the name that is given for the other end"},
	{1, 2, "Switch 8 \"S\"\n[1] \"S\"[2]\n[2] \"S\"[3]\n",
	 "the other end leads elsewhere, or does not exist"},
	{1, 2, "Switch 8 \"S\"\n[1] \"S\"[9]\n",
	 "the other end leads elsewhere, or does not exist"},
	{1, 3, "Switch 8 \"S\"\n[1] \"S\"[2]\n[1] \"S\"[3]\n", "line 2 also describes port 1"},
	{1, 2, "Switch 8 \"S\"\nvendid=0x1000000\n", "not a valid number: vendid=0x1000000"},
	{1, 2, "Switch 8 \"S\"\ndevid=65536\n", "not a valid number"},
	{1, 2, "Switch 8 \"S\"\ncaguid=0x12345678123456780\n", "not a GUID"},
	{1, 2, "Switch 8 \"S\"\nsysimgguid=\n", "not a GUID"},
	{1, 2, "Switch 8 \"S\"\ncaguid=0x(xxxx)\n", "not a GUID"},
	{2, 2, "Switch 8 \"S\"\n[1](xxxx) \"H\"[1] # w\nCa 1 \"H\"\n",
	 "the GUID in parentheses is not a hexadecimal number: [1](xxxx)"},
	{2, 3,
	 "# Initiated from node 10 port 11\nSwitch 8 \"S\"\n[1] \"H\"[1]\ncaguid=0x10\n"
	 "Ca 1 \"H\"\n",
	 "the other end has no line: the cable is known from this end only"},
	{1, 0, "# Initiated from node 10 port 11\nswitchguid=0x1\nSwitch 8 \"S\"\n",
	 "the node where the scan began is missing"},
	{1, 2, "Switch 8 \"S\"\n\x1b[31mred\n", "not a line of ibnetdiscover: \\x1b[31mred"},
	{1, 1, "ibwarn: [7] mad_rpc: timeout\nSwitch 8 \"S\"\n",
	 "not a line of ibnetdiscover: ibw"},
	{1, 1, "[root@a ~]# ibnetdiscover\nSwitch 8 \"S\"\n", "not a line of ibnetdiscover: [root"},
	/* The ports of a node that cannot be read do not belong to the one before. */
	{1, 2, "Switch 8 \"S\"\nSwitch 8 T\n[9] \"S\"[2]\n[2] \"U\"[1]\n", "a node has the form"},
	{0, 1, "switchguid=0xXXXX\nSwitch 8 \"S-XXXX\"\n[1] \"S-XXXX\"[2]\n", "not a GUID"},
};

static void assert_fault(const struct fabric *fabric, size_t at, unsigned int line,
			 const char *reason)
{
	assert_true(at < fabric->fault_count);
	assert_memory_equal(fabric->faults[at].reason, reason, strlen(reason));
	assert_int_equal(fabric->faults[at].line, line);
}

static void test_read_broken(void **state)
{
	static const char *const foreign[] = {"",	"\n# comment\n", "{\"a\": 1}",
					      "[1, 2]", "node,port",	 "Switches\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct fabric fabric = {.nodes = NULL};
		_cleanup_(freep) char *message = NULL, *expected = NULL;
		const char *text = broken[i].text;
		int rc = fabric_read_topology(text, strlen(text), &fabric, &message);

		assert_int_equal(rc, broken[i].nodes ? 0 : -EINVAL);
		assert_int_equal(fabric.node_count, broken[i].nodes);
		if (broken[i].nodes) {
			assert_fault(&fabric, 0, broken[i].line, broken[i].reason);
			assert_int_equal(fabric.fault_count, 1);
		} else {
			expected = mem_format("line %u: %s", broken[i].line, broken[i].reason);
			assert_memory_equal(message, expected, strlen(expected));
		}
		fabric_clear(&fabric);
	}
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		struct fabric fabric = {.nodes = NULL};
		char *message = NULL;

		assert_int_equal(fabric_read_topology(foreign[i], strlen(foreign[i]), &fabric,
						      &message),
				 -ENOMSG);
		assert_null(message);
	}
}

/* A port without a line: its cable is known from the other end, its rate is not. */
static void test_read_without_a_line(void **state)
{
	static const char line[] = "[2](5002) \t\"S-0000000000003000\"[2]";
	_cleanup_(freep) char *text = NULL;
	struct fabric fabric = {.nodes = NULL};
	const struct fabric_port *port;
	const char *at = strstr(discovered, line);

	(void)state;
	text = mem_format("%.*s%s", (int)(at - discovered), discovered, strchr(at, '\n') + 1);
	read_text(text, &fabric);
	assert_int_equal(fabric.fault_count, 1);
	assert_fault(&fabric, 0, 12, "the other end has no line");
	assert_int_equal(fabric.node_count, 5);
	port = &fabric.ports[fabric_port_at(&fabric, fabric_find(&fabric, 0x5000), 2)];
	assert_int_equal(fabric_node_of(&fabric, port->peer)->guid, 0x3000);
	assert_int_equal(port->guid, 0x5002);
	assert_int_equal(fabric_lanes(port), 0);
	fabric_clear(&fabric);
}

/* ibdiagnet writes the system's GUID where ibnetdiscover writes the node's. */
static void test_read_system_guids(void **state)
{
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	read_text("sysimgguid=0x50\nswitchguid=0x50(11)\n"
		  "Switch 2 \"S-0000000000000011\" # \"a\" base port 0 lid 1 lmc 0\n"
		  "[1] \"S-0000000000000012\"[1]\n"
		  "sysimgguid=0x50\nswitchguid=0x50(12)\n"
		  "Switch 2 \"S-0000000000000012\" # \"b\" base port 0 lid 2 lmc 0\n"
		  "[1] \"S-0000000000000011\"[1]\n",
		  &fabric);
	assert_int_equal(fabric.fault_count, 1);
	assert_fault(&fabric, 0, 3,
		     "the GUID in the node's name differs from that in the lines before it, and is "
		     "used (and 1 more such line, up to line 7)");
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(fabric.nodes[i].guid, 0x11 + i);
		assert_false(fabric.nodes[i].ambiguous);
		assert_int_equal(node_info_system_guid(fabric.nodes[i].info), 0x50);
		assert_int_equal(node_info_port_guid(fabric.nodes[i].info), 0x11 + i);
	}
	fabric_clear(&fabric);
}

/* The name has the GUID that is not readable; a node with neither is omitted with its cables. */
static void test_read_unknown_guids(void **state)
{
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	read_text("switchguid=0xX(X)\nSwitch 2 \"S-0000000000000011\"\n[1] \"S-X\"[1]\n"
		  "switchguid=0xX(X)\nSwitch 2 \"S-X\"\n[1] \"S-0000000000000011\"[1]\n",
		  &fabric);
	assert_int_equal(fabric.node_count, 1);
	assert_int_equal(fabric.nodes[0].guid, 0x11);
	assert_int_equal(fabric.fault_count, 3);
	assert_fault(&fabric, 0, 1, "not a GUID, a hexadecimal number");
	assert_fault(&fabric, 1, 5, "the node is skipped");
	assert_fault(&fabric, 2, 3, "no node has the name");
	fabric_clear(&fabric);
}

/* Twenty faults are reported, and the number of the others. */
static void test_read_many_faults(void **state)
{
	_cleanup_(freep) char *text = mem_string("Switch 2 \"S\"\n");
	struct fabric fabric = {.nodes = NULL};

	(void)state;
	for (unsigned int i = 0; i < 25; i++) {
		char *longer = mem_format("%sx%u\n", text, i);

		free(text);
		text = longer;
	}
	read_text(text, &fabric);
	assert_int_equal(fabric.fault_count, 21);
	assert_fault(&fabric, 19, 21, "not a line of ibnetdiscover: x19");
	assert_fault(&fabric, 20, 0, "5 more lines cannot be used");
	fabric_clear(&fabric);
}

/* Too many nodes with the same name are refused. */
static void test_read_many_twins(void **state)
{
	_cleanup_(freep) char *text = mem_string("");
	struct fabric fabric = {.nodes = NULL};
	_cleanup_(freep) char *message = NULL;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		char *longer = mem_format("%sswitchguid=0x1\nSwitch 1 \"S-%u\"\n", text, i);

		free(text);
		text = longer;
	}
	assert_int_equal(fabric_read_topology(text, strlen(text), &fabric, &message), -EINVAL);
	assert_non_null(strstr(message, "too many nodes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_names),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_all_rates),
		cmocka_unit_test(test_read_net),
		cmocka_unit_test(test_read_twins),
		cmocka_unit_test(test_read_grouped),
		cmocka_unit_test(test_read_broken),
		cmocka_unit_test(test_read_without_a_line),
		cmocka_unit_test(test_read_system_guids),
		cmocka_unit_test(test_read_unknown_guids),
		cmocka_unit_test(test_read_many_faults),
		cmocka_unit_test(test_read_many_twins),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
