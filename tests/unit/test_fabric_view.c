/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The columns of a scan's nodes, ports, cables, failed queries and tables: what each shows for
 * bytes laid out as in the specification, where nothing is known, and for a text that no node sent.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "made_up_fabric.h"
#include "render/format.h"

/* A column and its text; NULL: unknown. */
struct shown {
	const char *key, *text;
};

static void check_row(const struct schema *schema, const void *record, const struct shown *rows)
{
	for (; rows->key; rows++) {
		const struct field *field = schema_find(schema, rows->key);
		struct value value;
		struct text text;

		assert_non_null(field);
		field_get(field, record, &value);
		format_value(&value, ",", &text);
		if (!text.string != !rows->text || (text.string && strcmp(text.string, rows->text)))
			fail_msg("%s is %s, not %s", rows->key, text.string ? text.string : "-",
				 rows->text ? rows->text : "-");
		text_release(&text);
	}
}

#define SHOWN(...) ((const struct shown[]){__VA_ARGS__, {NULL, NULL}})

/*
 * An adapter with two ports, the second at port 5 of a switch, which has another adapter at port
 * 36.
 */
static void make_three(struct sample_subnet *subnet)
{
	struct fabric *fabric = &subnet->fabric;
	uint8_t *info;

	sample_node(fabric, NODE_TYPE_CA, 0x1000, 2, "first");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x2000, 36, "leaf\x1b[1m");
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 1, NULL);
	sample_cable(fabric, 0, 2, 1, 5);
	sample_cable(fabric, 1, 36, 2, 1);
	info = fabric->nodes[1].info;
	bits_set(info, 4 * 8, 64, 0x2fff);
	bits_set(info, 30 * 8, 16, 0xd2f0);
	bits_set(info, 37 * 8, 24, 0x2c9);
	/* SwitchInfo, 14.2.5.4: LinearFDBTop */
	bits_set(fabric->nodes[1].switch_info, 6 * 8, 16, 49151);
	bits_set(fabric->ports[fabric_port_at(fabric, 0, 2)].info, 16 * 8, 16, 7);
	bits_set(fabric->ports[fabric_port_at(fabric, 1, 0)].info, 16 * 8, 16, 9);
}

static struct fabric_row row_of(const struct sample_subnet *subnet, uint32_t place)
{
	return (struct fabric_row){.view = &subnet->view, .place = place};
}

static void nodes(void **state)
{
	struct sample_subnet *subnet = *state;
	struct fabric_row row;

	make_three(subnet);
	row = row_of(subnet, 0);
	check_row(&fabric_nodes_schema, &row,
		  SHOWN({"node", "first"}, {"node_type", "ca"}, {"lid", "7"}, {"port_count", "2"},
			{"linked_count", "1"}, {"hops", "0"}, {"path", "0"}, {"parent_index", NULL},
			{"parent_port", NULL}, {"linear_fdb_top", NULL}, {"switch_info", NULL},
			{"made_node_info", NULL}, {"port_0_info", NULL}, {"duplicate_guid", "no"}));
	row = row_of(subnet, 1);
	subnet->fabric.nodes[1].ambiguous = true;
	check_row(&fabric_nodes_schema, &row,
		  SHOWN({"node", "leaf\\x1b[1m"}, {"node_type", "switch"}, {"lid", "9"},
			{"node_guid", "0000:0000:0000:2000"}, {"port_count", "36"},
			{"linked_count", "2"}, {"hops", "1"}, {"path", "0,2"},
			{"description", "leaf\\x1b[1m"},
			{"system_image_guid", "0000:0000:0000:2fff"},
			{"port_guid", "0000:0000:0000:2000"}, {"vendor_id", "0x0002c9"},
			{"device_id", "0xd2f0"}, {"duplicate_guid", "yes"},
			{"linear_fdb_top", "49151"}, {"node_index", "1"}, {"parent_index", "0"},
			{"parent_port", "2"}, {"made_switch_info", NULL},
			{"made_port_0_info", NULL}));
	row = row_of(subnet, 2);
	subnet->fabric.nodes[2].hops = FABRIC_HOPS_UNKNOWN;
	check_row(&fabric_nodes_schema, &row,
		  SHOWN({"node", "0000:0000:0000:3000"}, {"lid", NULL}, {"hops", NULL},
			{"path", NULL}, {"description", NULL}, {"node_description", NULL},
			{"vendor_id", "0x000000"}, {"device_id", "0x0000"}));
	/* A description of blanks alone names nothing, whether a NUL ends it or not. */
	row = row_of(subnet, 0);
	for (size_t i = 1; i <= NODE_DESCRIPTION_BYTES; i += NODE_DESCRIPTION_BYTES - 1) {
		memset(subnet->fabric.nodes[0].description, 0, NODE_DESCRIPTION_BYTES);
		memset(subnet->fabric.nodes[0].description, ' ', i);
		check_row(&fabric_nodes_schema, &row, SHOWN({"node", "0000:0000:0000:1000"}));
	}
}

/* A text gives words; nothing was received, and 0 is not a number from it. */
static void nodes_of_a_text(void **state)
{
	struct sample_subnet *subnet = *state;
	struct fabric_row row;
	struct value value;

	make_three(subnet);
	subnet->fabric.source = FABRIC_TEXT;
	row = row_of(subnet, 2);
	bits_set(subnet->fabric.nodes[2].info, 4 * 8, 64, 0);
	check_row(&fabric_nodes_schema, &row,
		  SHOWN({"system_image_guid", NULL}, {"vendor_id", NULL}, {"device_id", NULL},
			{"node_info", NULL}, {"made_switch_info", NULL}));
	bits_set(subnet->fabric.nodes[2].info, 4 * 8, 64, 1);
	check_row(&fabric_nodes_schema, &row,
		  SHOWN({"vendor_id", "0x000000"}, {"device_id", "0x0000"}));
	row = row_of(subnet, 1);
	check_row(&fabric_nodes_schema, &row, SHOWN({"node_info", NULL}, {"port_0_info", NULL}));
	field_get(schema_find(&fabric_nodes_schema, "made_node_info"), &row, &value);
	assert_int_equal(strlen(value.string), 2 * NODE_INFO_BYTES);
	field_get(schema_find(&fabric_nodes_schema, "made_switch_info"), &row, &value);
	assert_int_equal(strlen(value.string), 2 * SWITCH_INFO_BYTES);
	field_get(schema_find(&fabric_nodes_schema, "made_port_0_info"), &row, &value);
	assert_int_equal(strlen(value.string), 2 * PORT_INFO_BYTES);
}

static void ports(void **state)
{
	struct sample_subnet *subnet = *state;
	struct fabric *fabric = &subnet->fabric;
	struct fabric_port *port;
	struct fabric_row row;

	make_three(subnet);
	/* 14.2.5.6: 1x of 4x at both ends, INIT, MTU 256 of 4096, VLs 0 to 7 */
	port = &fabric->ports[fabric_port_at(fabric, 1, 5)];
	row = row_of(subnet, (uint32_t)(port - fabric->ports));
	port->info[31] = 1;
	port->info[32] = 0x72;
	port->info[36] = 0x10;
	port->info[43] = 4 << 4;
	port->guid = 0x2005;
	port->vendor_speed = 1;
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"node", "leaf\\x1b[1m"}, {"port", "5"}, {"state", "init"},
			{"physical_state", "link-up"}, {"width_lanes", "1"}, {"speed", "FDR10"},
			{"peer", "first"}, {"peer_port", "2"}, {"lid", "9"}, {"peer_lid", "7"},
			{"mtu_bytes", "256"}, {"mtu_cap_bytes", "4096"}, {"vls_operational", "8"},
			{"node_type", "switch"}, {"peer_type", "ca"},
			{"peer_guid", "0000:0000:0000:1000"}, {"peer_index", "0"},
			{"node_index", "1"}, {"port_guid", "0000:0000:0000:2005"},
			{"vendor_speed_code", "1"}, {"unanswered", "no"}, {"below_best", "yes"},
			{"made_port_info", NULL}));
	port->vendor_speed = 0;
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"speed", "QDR"}, {"rate_gbps", "10"}, {"could_be", "12x QDR"},
			{"best_width_lanes", "12"}, {"best_speed", "QDR"}));
	check_row(&fabric_links_schema, &row,
		  SHOWN({"state", "init"}, {"peer_state", "active"}, {"could_be", "12x QDR"}));
	port->info[30] = 3;
	check_row(&fabric_ports_schema, &row, SHOWN({"could_be", "4x QDR"}));
	port->info[30] = 1;
	check_row(&fabric_ports_schema, &row, SHOWN({"could_be", NULL}, {"below_best", "no"}));
	/* FDR10 at one end, and at both. */
	port->vendor_speeds = 1;
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"could_be", NULL}, {"vendor_speed_supported_code", "1"}));
	fabric->ports[port->peer].vendor_speeds = 1;
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"could_be", "1x FDR10"}, {"below_best", "yes"}, {"best_speed", "FDR10"}));
	port->vendor_speeds = fabric->ports[port->peer].vendor_speeds = 0;
	/* Down, and without a link partner. */
	row.place = fabric_port_at(fabric, 1, 1);
	fabric->ports[row.place].unanswered = true;
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"state", "down"}, {"physical_state", "polling"}, {"width_lanes", NULL},
			{"speed", NULL}, {"rate_gbps", NULL}, {"mtu_bytes", NULL},
			{"vls_operational", NULL}, {"peer", NULL}, {"peer_port", NULL},
			{"peer_guid", NULL}, {"peer_index", NULL}, {"unanswered", "yes"},
			{"below_best", NULL}, {"could_be", NULL}, {"port_guid", NULL},
			{"vendor_speed_code", NULL}));
	/* Nothing was received about it. */
	row.place = fabric_port_at(fabric, 0, 1);
	check_row(&fabric_ports_schema, &row,
		  SHOWN({"port", "1"}, {"state", NULL}, {"physical_state", NULL},
			{"mtu_cap_bytes", NULL}, {"port_info", NULL}, {"lid", NULL}));
	check_row(&fabric_port_schema, &row,
		  SHOWN({"node", "first"}, {"port", "1"}, {"state", NULL},
			{"width_enabled", NULL}));
	row.place = fabric_port_at(fabric, 1, 36);
	check_row(&fabric_port_schema, &row,
		  SHOWN({"state", "active"}, {"physical_state", "link-up"}, {"width_lanes", "4"},
			{"speed", "QDR"}, {"speed_supported", "sdr,ddr,qdr"},
			{"neighbor_mtu_bytes", "2048"}, {"mtu_cap_bytes", "4096"}, {"lid", "9"},
			{"node_guid", "0000:0000:0000:2000"}));
}

/* Each kind of failed query, with the node that was queried. */
static void failures(void **state)
{
	static const struct {
		uint16_t attribute;
		bool at_peer;
		int error;
		uint16_t status;
		const char *name, *node, *path, *number, *code;
	} rows[] = {
		{0x15, false, -ETIMEDOUT, 0, "PortInfo", "leaf/36", "0,2", "110", NULL},
		{0x11, true, -ETIMEDOUT, 0, "NodeInfo", "leaf/36", "0,2,36", "110", NULL},
		{0xff91, false, 0, 0x0c, NULL, "leaf/36", "0,2", NULL, "0x000c"},
	};
	struct sample_subnet *subnet = *state;
	struct fabric *fabric = &subnet->fabric;
	struct fabric_row row;

	make_three(subnet);
	memset(fabric->nodes[1].description + 4, 0, 8);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fabric_failure *failure = mem_append(
			&fabric->failures, &fabric->failure_count, sizeof(*failure));

		*failure = (struct fabric_failure){.port = fabric_port_at(fabric, 1, 36),
						   .attribute = rows[i].attribute,
						   .at_peer = rows[i].at_peer,
						   .error = rows[i].error,
						   .status = rows[i].status,
						   .tries = 3};
		row = row_of(subnet, (uint32_t)i);
		check_row(&fabric_unanswered_schema, &row,
			  SHOWN({"node", rows[i].node}, {"port", "36"},
				{"behind", rows[i].at_peer ? "yes" : "no"}, {"path", rows[i].path},
				{"attribute", rows[i].name}, {"tries", "3"},
				{"errno", rows[i].number}, {"status", rows[i].code},
				{"node_index", "1"}, {"node_guid", "0000:0000:0000:2000"}));
	}
	row = row_of(subnet, 0);
	check_row(&fabric_unanswered_schema, &row,
		  SHOWN({"reason", "PortInfo: no answer, asked 3 times"},
			{"attribute_id", "0x0015"}));
	row = row_of(subnet, 1);
	check_row(
		&fabric_unanswered_schema, &row,
		SHOWN({"reason", "the node at its other end: NodeInfo: no answer, asked 3 times"}));
	row = row_of(subnet, 2);
	check_row(&fabric_unanswered_schema, &row,
		  SHOWN({"reason",
			 "vendor attribute: refused with status 0x000c: attribute-not-supported"}));
	/* The scan never left its start. */
	fabric->failures[0].port = FABRIC_NONE;
	row = row_of(subnet, 0);
	check_row(&fabric_unanswered_schema, &row,
		  SHOWN({"node", "where the scan begins"}, {"port", NULL}, {"path", NULL},
			{"node_index", NULL}, {"node_guid", NULL}));
}

/*
 * The contents of a block, from 14.2.5.5 (GUIDInfo) to 14.2.5.12 (multicast): bytes, and their
 * meaning.
 */
static void tables(void **state)
{
	static const struct {
		uint16_t attribute;
		uint32_t modifier, node;
		const char *bytes; /* beginning of the block; the rest is 0 */
		size_t count;
		const char *table, *in_port, *first, *entries;
	} rows[] = {
		{0x14, 2, 0, "\0\0\0\0\0\0\0\0\0\2\xc9\3\0\0\0\1", 16, "guids", NULL, "16",
		 "0002:c903:0000:0001"},
		{0x16, 0x00050001, 1, "\xff\xff\0\0\x80\x01", 6, "pkeys", NULL, "32",
		 "0xffff,0x8001"},
		{0x17, 0x0305, 1, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8, "sl2vl", "3", "0",
		 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"},
		{0x17, 0x0305, 0, "\xff", 1, "sl2vl", NULL, "0",
		 "15,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0"},
		{0x18, 0x00010000, 1, "\x0f\xff\x01\0\xf2\x01", 6, "vlarb-low", NULL, "0",
		 "15:255,2:1"},
		{0x18, 0x00020000, 1, "\x03\x04", 2, "vlarb-low", NULL, "32", "3:4"},
		{0x18, 0x00030000, 1, "\x03\x04", 2, "vlarb-high", NULL, "0", "3:4"},
		{0x18, 0x00040000, 1, "\x03\x04", 2, "vlarb-high", NULL, "32", "3:4"},
		{0x19, 3, 1, "\xff\x05\0\xfe", 4, "lft", NULL, "192", "-,5,0,254,0"},
		{0x1b, 0x30000002, 1, "\x80\x01", 2, "mft", "48", "64", "0x8001,0x0000"},
	};
	struct sample_subnet *subnet = *state;
	struct fabric *fabric = &subnet->fabric;
	struct fabric_rows list = {.items = NULL};

	make_three(subnet);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fabric_detail *detail = mem_append(&fabric->details, &fabric->detail_count,
							  sizeof(*detail));

		*detail = (struct fabric_detail){.port = fabric_port_at(fabric, rows[i].node, 2),
						 .attribute = rows[i].attribute,
						 .modifier = rows[i].modifier};
		memcpy(detail->data, rows[i].bytes, rows[i].count);
	}
	fabric_list_details(&subnet->view, &list);
	assert_int_equal(list.count, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool whole = rows[i].attribute < 0x19;
		struct value value;
		struct text text;

		check_row(&fabric_details_schema, &list.items[i],
			  SHOWN({"node", rows[i].node ? "leaf\\x1b[1m" : "first"}, {"port", "2"},
				{"table", rows[i].table}, {"in_port", rows[i].in_port},
				{"first", rows[i].first},
				{"node_index", rows[i].node ? "1" : "0"}));
		/* Long lists continue with entries that are 0. */
		field_get(schema_find(&fabric_details_schema, "entries"), &list.items[i], &value);
		format_value(&value, ",", &text);
		if (whole)
			assert_string_equal(text.string, rows[i].entries);
		else
			assert_memory_equal(text.string, rows[i].entries, strlen(rows[i].entries));
		text_release(&text);
	}
	check_row(&fabric_details_schema, &list.items[9],
		  SHOWN({"attribute_id", "0x001b"}, {"modifier", "0x30000002"}));
	fabric_rows_clear(&list);
}

/* The number of entries in a full block, each with the longest possible text. */
static void full_tables(void **state)
{
	static const struct {
		uint16_t attribute;
		size_t entries;
	} rows[] = {{0x14, 8}, {0x16, 32}, {0x17, 16}, {0x18, 32}, {0x19, 64}, {0x1b, 32}};
	struct sample_subnet *subnet = *state;
	struct fabric *fabric = &subnet->fabric;

	make_three(subnet);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fabric_detail *detail = mem_append(&fabric->details, &fabric->detail_count,
							  sizeof(*detail));
		struct fabric_row row = row_of(subnet, (uint32_t)i);
		struct value value;

		*detail = (struct fabric_detail){.port = fabric_port_at(fabric, 1, 1),
						 .attribute = rows[i].attribute,
						 .modifier = 0x10000};
		memset(detail->data, 0xfe, sizeof(detail->data));
		field_get(schema_find(&fabric_details_schema, "entries"), &row, &value);
		assert_int_equal(value.list.count, rows[i].entries);
	}
}

/* Complete lists: nodes of a type, ports of switches first, each cable once, from the switch. */
static void lists(void **state)
{
	struct sample_subnet *subnet = *state;
	struct fabric_rows rows = {.items = NULL};
	struct fabric_graph graph;

	make_three(subnet);
	fabric_list_nodes(&subnet->view, NODE_TYPE_CA, &rows);
	assert_int_equal(rows.count, 2);
	assert_int_equal(rows.items[0].place, 0);
	assert_int_equal(rows.items[1].place, 2);
	fabric_rows_clear(&rows);
	assert_int_equal(rows.count, 0);
	fabric_graph_fill(&subnet->view, &graph);
	assert_int_equal(graph.nodes.count, 3);
	assert_int_equal(graph.ports.count, 36 + 2 + 1);
	assert_int_equal(graph.ports.items[0].place, fabric_port_at(&subnet->fabric, 1, 1));
	assert_int_equal(graph.ports.items[36].place, fabric_port_at(&subnet->fabric, 0, 1));
	assert_int_equal(graph.links.count, 2);
	assert_int_equal(graph.links.items[0].place, fabric_port_at(&subnet->fabric, 1, 5));
	assert_int_equal(graph.links.items[1].place, fabric_port_at(&subnet->fabric, 1, 36));
	assert_int_equal(graph.complete, TRISTATE_YES);
	assert_int_equal(graph.interrupted, TRISTATE_NO);
	assert_false(graph.source.known);
	fabric_graph_clear(&graph);
	subnet->fabric.interrupted = true;
	subnet->fabric.source = FABRIC_CACHE;
	fabric_graph_fill(&subnet->view, &graph);
	assert_int_equal(graph.complete, TRISTATE_NO);
	assert_int_equal(graph.interrupted, TRISTATE_YES);
	assert_int_equal(graph.source.value, FABRIC_CACHE);
	fabric_graph_clear(&graph);
}

#define TEST(function_) cmocka_unit_test_setup_teardown(function_, sample_begin, sample_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(nodes),  TEST(nodes_of_a_text), TEST(ports), TEST(failures),
		TEST(tables), TEST(full_tables),     TEST(lists),
	};

	return cmocka_run_group_tests_name("fabric_view", tests, NULL, NULL);
}
