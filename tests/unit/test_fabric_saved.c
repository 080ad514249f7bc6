/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Saved scans: everything is restored, and every fault is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/format/saved.h"
#include "fabric/format/diags.h"
#include "fabric/graph/view.h"
#include "made_up_fabric.h"
#include "render/json_read.h"
#include "render/render.h"

enum { LEAF, HOST, TWIN, OTHER_TWIN, SPINE };

/* A subnet with every fact that a scan can have. */
static void fill(struct fabric *fabric)
{
	struct fabric_failure *failure;

	sample_node(fabric, NODE_TYPE_SWITCH, 0x1000, 8, "leaf \xff\x1b[31m");
	sample_node(fabric, NODE_TYPE_CA, 0x2000, 2, "host 1");
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 1, "twin one");
	sample_node(fabric, NODE_TYPE_CA, 0x3000, 1, "twin two");
	sample_node(fabric, NODE_TYPE_SWITCH, 0x4000, 4, NULL);
	sample_cable(fabric, LEAF, 1, HOST, 1);
	sample_cable(fabric, LEAF, 2, TWIN, 1);
	sample_cable(fabric, LEAF, 3, OTHER_TWIN, 1);
	sample_cable(fabric, LEAF, 4, SPINE, 1);
	sample_cable(fabric, LEAF, 5, SPINE, 2);
	/* A loopback plug. */
	sample_cable(fabric, SPINE, 4, SPINE, 4);
	fabric->nodes[TWIN].ambiguous = fabric->nodes[OTHER_TWIN].ambiguous = true;
	fabric->nodes[SPINE].has_switch_info = false;
	fabric->ports[fabric_port_at(fabric, LEAF, 4)].vendor_speed = 1;
	fabric->ports[fabric_port_at(fabric, LEAF, 4)].vendor_speeds = 3;
	fabric->ports[fabric_port_at(fabric, LEAF, 6)].unanswered = true;
	failure = mem_append(&fabric->failures, &fabric->failure_count, sizeof(*failure));
	*failure = (struct fabric_failure){.port = fabric_port_at(fabric, LEAF, 6),
					   .attribute = 0x11,
					   .at_peer = true,
					   .error = -ETIMEDOUT,
					   .tries = 4};
	failure = mem_append(&fabric->failures, &fabric->failure_count, sizeof(*failure));
	*failure = (struct fabric_failure){.port = fabric_port_at(fabric, SPINE, 0),
					   .attribute = 0xff90,
					   .status = 0x1c,
					   .tries = 1};
	failure = mem_append(&fabric->failures, &fabric->failure_count, sizeof(*failure));
	*failure = (struct fabric_failure){.port = FABRIC_NONE, .attribute = 0x11, .tries = 1};
	fabric->interrupted = true;
	fabric->origin = (struct fabric_origin){
		.time = mem_string("2026-01-02T03:04:05.678Z"),
		.host = mem_string("login1"),
		.device = mem_string("mlx5_0"),
		.from = mem_string("0,1"),
		.port = number_of(1),
		.lid = number_of(7),
		.most_hops = number_of(3),
	};
}

/*
 * With fabric_graph_schema as printed by fabric scan --json, with fabric_saved_schema as in a file.
 */
static char *write_as(const struct schema *schema, const struct fabric *fabric)
{
	const struct fabric_view view = {.fabric = fabric};
	const struct render_options options = {.format = FORMAT_JSON};
	const struct problems problems = {.count = 0};
	struct fabric_graph graph;
	const void *row = &graph;
	struct columns columns;
	char *text = NULL, *bad = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	assert_non_null(file);
	fabric_graph_fill(&view, &graph);
	assert_int_equal(columns_select(&columns, schema, COLUMNS_ALL, NULL, &bad), 0);
	assert_int_equal(render(file, &options,
				&(struct document){.columns = &columns,
						   .rows = &row,
						   .row_count = 1,
						   .problems = &problems,
						   .sparse = schema == &fabric_saved_schema}),
			 0);
	fclose(file);
	columns_free(&columns);
	fabric_graph_clear(&graph);
	return text;
}

static char *write_graph(const struct fabric *fabric)
{
	return write_as(&fabric_graph_schema, fabric);
}

static int read_graph(const char *text, struct fabric *fabric, char **ret_message)
{
	*fabric = (struct fabric){.nodes = NULL};
	return fabric_read_saved(text, strlen(text), true, fabric, ret_message);
}

static void compare_graphs(const struct fabric *a, const struct fabric *b)
{
	assert_int_equal(a->node_count, b->node_count);
	assert_int_equal(a->port_count, b->port_count);
	assert_int_equal(a->failure_count, b->failure_count);
	assert_int_equal(a->interrupted, b->interrupted);
	for (uint32_t i = 0; i < a->node_count; i++) {
		const struct fabric_node *one = &a->nodes[i], *two = &b->nodes[i];

		assert_int_equal(one->guid, two->guid);
		assert_int_equal(one->parent, two->parent);
		assert_int_equal(one->hops, two->hops);
		assert_int_equal(one->same_guid, two->same_guid);
		assert_int_equal(one->ambiguous, two->ambiguous);
		assert_int_equal(one->has_description, two->has_description);
		assert_int_equal(one->has_switch_info, two->has_switch_info);
		assert_memory_equal(one->info, two->info, NODE_INFO_BYTES);
		assert_memory_equal(one->description, two->description, NODE_DESCRIPTION_BYTES);
	}
	for (uint32_t i = 0; i < a->port_count; i++) {
		const struct fabric_port *one = &a->ports[i], *two = &b->ports[i];

		assert_int_equal(one->peer, two->peer);
		assert_int_equal(one->guid, two->guid);
		assert_int_equal(one->has_info, two->has_info);
		assert_int_equal(one->unanswered, two->unanswered);
		assert_int_equal(one->vendor_speed, two->vendor_speed);
		assert_int_equal(one->vendor_speeds, two->vendor_speeds);
		assert_memory_equal(one->info, two->info, PORT_INFO_BYTES);
	}
	for (size_t i = 0; i < a->failure_count; i++) {
		const struct fabric_failure *one = &a->failures[i], *two = &b->failures[i];

		assert_int_equal(one->port, two->port);
		assert_int_equal(one->attribute, two->attribute);
		assert_int_equal(one->at_peer, two->at_peer);
		assert_int_equal(one->error, two->error);
		assert_int_equal(one->status, two->status);
		assert_int_equal(one->tries, two->tries);
	}
}

static void all_comes_back(void **state)
{
	const struct schema *const schemas[] = {&fabric_graph_schema, &fabric_saved_schema};
	struct fabric fabric = {.nodes = NULL};
	_cleanup_(freep) char *graph = NULL;

	(void)state;
	fill(&fabric);
	graph = write_graph(&fabric);
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		_cleanup_(freep) char *text = write_as(schemas[i], &fabric), *again = NULL,
				      *message = NULL;
		struct fabric loaded;

		assert_int_equal(read_graph(text, &loaded, &message), 0);
		compare_graphs(&fabric, &loaded);
		again = write_graph(&loaded);
		assert_string_equal(again, graph);
		fabric_clear(&loaded);
	}
	fabric_clear(&fabric);
}

/* Bytes that differ from each other and from 0; the first bytes must describe a node. */
static void fill_bytes(uint8_t *bytes, size_t from, size_t count, uint8_t seed)
{
	for (size_t i = from; i < count; i++)
		bytes[i] = (uint8_t)(seed + 7 * i) | 1;
}

/* A graph from each kind of source, with every member set that a file keeps. */
static void fill_all(struct fabric *fabric, enum fabric_source source)
{
	static const uint8_t types[] = {NODE_TYPE_SWITCH, NODE_TYPE_CA, NODE_TYPE_ROUTER};

	fill(fabric);
	fabric->source = (uint8_t)source;
	fabric->by_port = source == FABRIC_PORT_LIST;
	for (uint32_t i = 0; i < fabric->node_count; i++) {
		struct fabric_node *node = &fabric->nodes[i];

		/*
		 * NodeInfo has the type, number of ports, GUID and local port, which the graph
		 * repeats.
		 */
		node->info[0] = (uint8_t)(node->info[0] + i);
		fill_bytes(node->info, 4, 12, (uint8_t)i);
		fill_bytes(node->info, 20, 36, (uint8_t)(i + 90));
		fill_bytes(node->info, 37, NODE_INFO_BYTES, (uint8_t)(i + 40));
		fill_bytes(node->description, 0, NODE_DESCRIPTION_BYTES, (uint8_t)(i + 1));
		node->has_description = i != TWIN;
		if (!node->has_description)
			memset(node->description, 0, NODE_DESCRIPTION_BYTES);
		node->has_switch_info = node->type == types[0] && !fabric_is_made(fabric);
		memset(node->switch_info, 0, SWITCH_INFO_BYTES);
		if (node->type == types[0])
			fill_bytes(node->switch_info, 0, SWITCH_INFO_BYTES, (uint8_t)(i + 2));
		fabric->ports[node->first_port].has_info = i != OTHER_TWIN;
	}
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		struct fabric_port *port = &fabric->ports[i];

		memset(port->info, 0, PORT_INFO_BYTES);
		if (port->has_info)
			fill_bytes(port->info, 0, PORT_INFO_BYTES, (uint8_t)(i + 3));
		if (port->number) {
			port->vendor_speed = (uint8_t)(i * 3);
			port->vendor_speeds = (uint8_t)(i * 5);
			port->guid = 0x500000000 + i;
			port->unanswered = i % 3 == 0;
		}
	}
	for (uint32_t i = 0; i < 3; i++) {
		struct fabric_detail *detail = mem_append(&fabric->details, &fabric->detail_count,
							  sizeof(*detail));

		detail->port = i * 4;
		detail->attribute = (uint16_t)(0x14 + i);
		detail->modifier = 0x80000000 + i;
		fill_bytes(detail->data, 0, sizeof(detail->data), (uint8_t)i);
	}
	for (uint32_t i = 0; i < 2; i++) {
		struct fabric_fault *fault = mem_append(&fabric->faults, &fabric->fault_count,
							sizeof(*fault));

		fault->line = i * 77;
		fault->reason = mem_format("reason %u", i);
	}
}

static void compare_all(const struct fabric *a, const struct fabric *b)
{
	compare_graphs(a, b);
	assert_int_equal(a->source, b->source);
	assert_int_equal(a->by_port, b->by_port);
	assert_int_equal(a->fault_count, b->fault_count);
	for (size_t i = 0; i < a->fault_count; i++) {
		assert_int_equal(a->faults[i].line, b->faults[i].line);
		assert_string_equal(a->faults[i].reason, b->faults[i].reason);
	}
	assert_int_equal(a->detail_count, b->detail_count);
	for (size_t i = 0; i < a->detail_count; i++) {
		assert_int_equal(a->details[i].port, b->details[i].port);
		assert_int_equal(a->details[i].attribute, b->details[i].attribute);
		assert_int_equal(a->details[i].modifier, b->details[i].modifier);
		assert_memory_equal(a->details[i].data, b->details[i].data,
				    sizeof(a->details[i].data));
	}
	for (uint32_t i = 0; i < a->node_count; i++) {
		assert_memory_equal(a->nodes[i].switch_info, b->nodes[i].switch_info,
				    SWITCH_INFO_BYTES);
		assert_int_equal(a->nodes[i].type, b->nodes[i].type);
		assert_int_equal(a->nodes[i].port_count, b->nodes[i].port_count);
		assert_int_equal(a->nodes[i].local_port, b->nodes[i].local_port);
	}
	assert_string_equal(a->origin.time, b->origin.time);
	assert_string_equal(a->origin.host, b->origin.host);
	assert_string_equal(a->origin.device, b->origin.device);
	assert_string_equal(a->origin.from, b->origin.from);
	assert_int_equal(a->origin.port.value, b->origin.port.value);
	assert_int_equal(a->origin.lid.value, b->origin.lid.value);
	assert_int_equal(a->origin.most_hops.value, b->origin.most_hops.value);
}

/* Every member survives, and the second file is identical to the first. */
static void round_trip_of_every_member(void **state)
{
	(void)state;
	for (enum fabric_source source = FABRIC_SCAN; source <= FABRIC_PORT_LIST; source++) {
		struct fabric fabric = {.nodes = NULL}, loaded;
		_cleanup_(freep) char *text = NULL, *again = NULL, *message = NULL;

		fill_all(&fabric, source);
		text = write_as(&fabric_saved_schema, &fabric);
		assert_int_equal(read_graph(text, &loaded, &message), 0);
		compare_all(&fabric, &loaded);
		again = write_as(&fabric_saved_schema, &loaded);
		assert_string_equal(again, text);
		fabric_clear(&fabric);
		fabric_clear(&loaded);
	}
}

/* No node sent the attributes of a scan from a text, so they are not called received. */
static void attributes_of_a_text(void **state)
{
	static const char *const received[] = {"node_info", "switch_info", "port_0_info",
					       "port_info"};

	(void)state;
	for (enum fabric_source source = FABRIC_SCAN; source <= FABRIC_PORT_LIST; source++) {
		struct fabric fabric = {.nodes = NULL};
		_cleanup_(freep) char *text = NULL;

		fill_all(&fabric, source);
		text = write_as(&fabric_saved_schema, &fabric);
		for (size_t i = 0; i < ARRAY_SIZE(received); i++) {
			_cleanup_(freep) char *key = mem_format("\"%s\": \"", received[i]);
			_cleanup_(freep) char *made = mem_format("\"made_%s\": \"", received[i]);

			assert_int_equal(strstr(text, key) == NULL, fabric_is_made(&fabric));
			assert_int_equal(strstr(text, made) == NULL, !fabric_is_made(&fabric));
		}
		fabric_clear(&fabric);
	}
}

enum { LEAVES = 40, HOSTS = 30, SPINES = 6 };

/* Compared with ibnetdiscover's text of the same subnet, all of whose ports are in use. */
static void size_of_a_file(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	const struct fabric_view view = {.fabric = &fabric};
	_cleanup_(freep) char *text = NULL, *peer = NULL;

	(void)state;
	for (unsigned int i = 0; i < LEAVES + SPINES; i++)
		sample_node(&fabric, NODE_TYPE_SWITCH, 0x1000 + i,
			    i < LEAVES ? HOSTS + SPINES : LEAVES, "a switch of the fabric");
	for (unsigned int leaf = 0; leaf < LEAVES; leaf++) {
		for (unsigned int i = 0; i < SPINES; i++)
			sample_cable(&fabric, leaf, HOSTS + 1 + i, LEAVES + i, leaf + 1);
		for (unsigned int i = 0; i < HOSTS; i++)
			sample_cable(&fabric, leaf, i + 1,
				     sample_node(&fabric, NODE_TYPE_CA, 0x100000 + leaf * 256 + i,
						 1, "host HCA-1"),
				     1);
	}
	text = write_as(&fabric_saved_schema, &fabric);
	peer = ibnetdiscover_text(&view, false, 0);
	assert_true(strlen(text) < 4 * strlen(peer));
	fabric_clear(&fabric);
}

/* A row of the port table for each port except ports 0, in the file's order. */
static void the_order_of_lists_is_free(void **state)
{
	static const char key[] = "\"unanswered\": [";
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL, *turned = NULL, *message = NULL;
	char *begin, *end;

	(void)state;
	fill(&fabric);
	text = write_graph(&fabric);
	/* The unanswered queries come before the nodes that they refer to. */
	begin = strstr(text, key);
	end = strstr(begin, "]}],\n");
	assert_non_null(end);
	turned = mem_format("{\"schema\": \"rdmactl/fabric/1\", \"fabric\": [{%.*s], %.*s}]}",
			    (int)(end - begin), begin, (int)(begin - 2 - strstr(text, "\"time\"")),
			    strstr(text, "\"time\""));
	assert_int_equal(read_graph(turned, &loaded, &message), 0);
	compare_graphs(&fabric, &loaded);
	fabric_clear(&fabric);
	fabric_clear(&loaded);
}

/* Every key from which a graph is built is also printed, and has the same kind. */
static void check_keys(const struct schema *saved, const struct schema *written)
{
	for (size_t i = 0; i < saved->field_count; i++) {
		const struct field *field = &saved->fields[i];
		const struct field *other = schema_find(written, field->key);

		assert_non_null(other);
		assert_int_equal(field->kind, other->kind);
		if (field->kind == FIELD_RECORDS) {
			assert_string_equal(field->records->name, other->records->name);
			check_keys(field->records, other->records);
		}
	}
}

static void keys_are_those_written(void **state)
{
	(void)state;
	assert_string_equal(saved_graph_schema.name, fabric_graph_schema.name);
	assert_int_equal(saved_graph_schema.version, fabric_graph_schema.version);
	check_keys(&saved_graph_schema, &fabric_graph_schema);
}

static void cut(void **state)
{
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL;

	(void)state;
	fill(&fabric);
	text = write_graph(&fabric);
	fabric_clear(&fabric);
	for (size_t length = strlen(text) - 2; length > 0; length -= length > 97 ? 97 : length) {
		_cleanup_(freep) char *message = NULL;

		text[length] = '\0';
		assert_int_equal(read_graph(text, &loaded, &message), -EINVAL);
		assert_non_null(message);
		assert_null(loaded.nodes);
	}
}

/* The text with the nth occurrence (from 1 on) of a substring replaced. */
static char *replaced(const char *text, const char *what, const char *by, unsigned int nth)
{
	const char *at = strstr(text, what);

	while (at && --nth)
		at = strstr(at + 1, what);
	assert_non_null(at);
	return mem_format("%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

static void wrong(void **state)
{
	static const struct {
		const char *what, *by;
		unsigned int nth;
		const char *message;
	} cases[] = {
		{"\"nodes\":", "\"knots\":", 1, "a list is missing: nodes, ports or unanswered"},
		{"\"unanswered\": [", "\"silent\": [", 1,
		 "a list is missing: nodes, ports or unanswered"},
		{"\"node_index\": 1,", "\"node_index\": 3,", 1,
		 "node 1: node_index is not its position"},
		{"\"node_info\": \"01", "\"node_info\": \"1", 1,
		 "node 0: node_info is not 40 bytes"},
		{"\"node_info\": \"01010208", "\"node_info\": \"01010908", 1,
		 "node 0: node_info does not describe a node"},
		{"\"node_info\": \"01010208", "\"node_info\": \"01010209", 1,
		 "its nodes have 17 ports, but it lists 16"},
		{"\"node_guid\": \"0000:0000:0000:2000\"", "\"node_guid\": \"0000:0000:0000:2001\"",
		 1, "node 1: node_guid is not that of its node_info"},
		{"\"node_description\": \"6c", "\"node_description\": \"6g", 1,
		 "node 0: node_description is not 64 bytes"},
		{"\"switch_info\": \"12", "\"switch_info\": \"1200", 1,
		 "node 0: switch_info is not 20 bytes"},
		{"\"port_0_info\": \"00", "\"port_0_info\": \"", 1,
		 "node 0: port_0_info is not 64 bytes"},
		{"\"parent_index\": 0,", "\"parent_index\": 5,", 1,
		 "node 1: parent_index and parent_port name no existing port"},
		{"\"parent_port\": 1}", "\"parent_port\": 9}", 1,
		 "node 1: parent_index and parent_port name no existing port"},
		{"\"parent_index\": 0,", "\"parent_index\": null,", 1,
		 "node 1: parent_index and parent_port name no existing port"},
		{"\"parent_index\": 0,", "\"parent_index\": 1,", 1,
		 "node 1: its parents form a loop"},
		{"\"port\": 8, ", "\"port\": 9, ", 1, "row 7 of the ports: no node has that port"},
		{"\"port\": 8, ", "\"port\": 0, ", 1, "row 7 of the ports: no node has that port"},
		{"\"port\": 8, ", "\"port\": 7, ", 1, "port 7 of node 0 is listed twice"},
		{"\"peer_guid\": \"0000:0000:0000:2000\"", "\"peer_guid\": \"0000:0000:0000:2001\"",
		 1, "port 1 of node 0: peer_guid is not that of the node at the other end"},
		{"\"peer_index\": 1,", "\"peer_index\": 7,", 1,
		 "port 1 of node 0: peer_index and peer_port name no existing port"},
		{"\"peer_index\": 1,", "\"peer_index\": 18446744073709551615,", 1,
		 "port 1 of node 0: peer_index and peer_port name no existing port"},
		{"\"peer_port\": 2,", "\"peer_port\": 3,", 1,
		 "port 5 of node 0 is cabled to port 3 of node 4, which is not cabled to it"},
		{"\"port_info\": \"00", "\"port_info\": \"0", 1,
		 "port 1 of node 0: port_info is not 64 bytes"},
		{"\"vendor_speed_code\": 1", "\"vendor_speed_code\": 256", 1,
		 "port 4 of node 0: vendor_speed_code is too large"},
		{"\"vendor_speed_supported_code\": 3", "\"vendor_speed_supported_code\": 256", 1,
		 "port 4 of node 0: vendor_speed_supported_code is too large"},
		{"\"links\": [{", "\"links\": [{}, {", 1,
		 "row 0 of the links: no node has such a port"},
		{"\"attribute_id\": \"0x0011\"", "\"attribute_id\": \"0x10011\"", 1,
		 "row 0 of the unanswered queries: a number is missing or too large"},
		{"\"errno\": 110", "\"errno\": 5000", 1,
		 "row 0 of the unanswered queries: a number is missing or too large"},
		{"\"complete\": false", "\"complete\": true", 1,
		 "`complete` contradicts the list of unanswered queries"},
	};
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL;

	(void)state;
	fill(&fabric);
	text = write_graph(&fabric);
	fabric_clear(&fabric);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *message = NULL;
		_cleanup_(freep) char *bad = replaced(text, cases[i].what, cases[i].by,
						      cases[i].nth);

		assert_int_equal(read_graph(bad, &loaded, &message), -EINVAL);
		assert_string_equal(message, cases[i].message);
		assert_null(loaded.nodes);
	}
}

/* The largest numbers that are accepted, and one more. */
static void limits(void **state)
{
	static const struct {
		const char *what, *most, *more;
	} cases[] = {
		{"\"attribute_id\": \"0x0011\"", "\"attribute_id\": \"0xffff\"",
		 "\"attribute_id\": \"0x10000\""},
		{"\"errno\": 110", "\"errno\": 4095", "\"errno\": 4096"},
		{"\"status\": \"0x001c\"", "\"status\": \"0xffff\"", "\"status\": \"0x10000\""},
		{"\"tries\": 4", "\"tries\": 4294967295", "\"tries\": 4294967296"},
		{"\"vendor_speed_code\": 1", "\"vendor_speed_code\": 255",
		 "\"vendor_speed_code\": 256"},
		{"\"vendor_speed_supported_code\": 3", "\"vendor_speed_supported_code\": 255",
		 "\"vendor_speed_supported_code\": 256"},
		{"\"line\": 12", "\"line\": 4294967295", "\"line\": 4294967296"},
		{"\"modifier\": \"0x00000007\"", "\"modifier\": \"0xffffffff\"",
		 "\"modifier\": \"0x100000000\""},
		{"\"attribute_id\": \"0x0016\"", "\"attribute_id\": \"0xffff\"",
		 "\"attribute_id\": \"0x10000\""},
		{"\"port\": 2, \"attribute_id\": \"0x0016\"",
		 "\"port\": 1, \"attribute_id\": \"0x0016\"",
		 "\"port\": 3, \"attribute_id\": \"0x0016\""},
	};
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL;
	struct fabric_detail *detail;
	struct fabric_fault *fault;

	(void)state;
	fill(&fabric);
	detail = mem_append(&fabric.details, &fabric.detail_count, sizeof(*detail));
	*detail = (struct fabric_detail){
		.port = fabric_port_at(&fabric, HOST, 2), .attribute = 0x16, .modifier = 7};
	fault = mem_append(&fabric.faults, &fabric.fault_count, sizeof(*fault));
	*fault = (struct fabric_fault){.line = 12, .reason = mem_string("x")};
	text = write_as(&fabric_saved_schema, &fabric);
	fabric_clear(&fabric);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned int more = 0; more < 2; more++) {
			_cleanup_(freep) char *message = NULL, *changed = NULL;

			changed = replaced(text, cases[i].what,
					   more ? cases[i].more : cases[i].most, 1);
			if (read_graph(changed, &loaded, &message) != (more ? -EINVAL : 0))
				fail_msg("%s: %s", more ? cases[i].more : cases[i].most,
					 message ? message : "it is taken");
			fabric_clear(&loaded);
		}
}

/* Hops are counted along the parents: up to 254, more are unknown. Nodes may have any order. */
static void long_chains(void **state)
{
	enum { MOST = 258 };
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL, *message = NULL;

	(void)state;
	for (unsigned int i = 0; i < MOST; i++)
		sample_node(&fabric, NODE_TYPE_SWITCH, 0x1000 + i, 3, NULL);
	/* 0 - 257 - 256 - ... - 1, so that the last node is found before the first. */
	sample_cable(&fabric, 0, 1, MOST - 1, 2);
	for (uint32_t i = MOST - 1; i > 1; i--)
		sample_cable(&fabric, i, 1, i - 1, 2);
	text = write_as(&fabric_saved_schema, &fabric);
	assert_int_equal(read_graph(text, &loaded, &message), 0);
	assert_int_equal(loaded.nodes[0].hops, 0);
	for (uint32_t i = 1; i < MOST; i++) {
		unsigned int hops = MOST - i;

		assert_int_equal(loaded.nodes[i].hops,
				 hops < FABRIC_HOPS_UNKNOWN ? hops : FABRIC_HOPS_UNKNOWN);
	}
	fabric_clear(&fabric);
	fabric_clear(&loaded);
}

/* Links that contradict the ports: a duplicate, a missing one, one between other ports. */
static void wrong_links(void **state)
{
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL;
	const char *first, *second, *third;

	(void)state;
	fill(&fabric);
	text = write_graph(&fabric);
	fabric_clear(&fabric);
	first = strstr(text, "\"links\": [") + strlen("\"links\": [");
	second = strstr(first, "}, {") + 3;
	third = strstr(second, "}, {") + 3;
	for (int i = 0; i < 3; i++) {
		static const char *const messages[] = {
			"row 1 of the links: the cable is listed twice",
			"the ports have 6 cables, but it lists 5 links",
			"row 1 of the links: the ports are not cabled to each other",
		};
		_cleanup_(freep) char *message = NULL, *bad = NULL, *other = NULL;

		if (i == 0)
			bad = mem_format("%.*s%.*s%s", (int)(second - text), text,
					 (int)(second - first), first, third);
		else if (i == 1)
			bad = mem_format("%.*s%s", (int)(second - text), text, third);
		else
			bad = mem_format("%.*s{\"port\": 2, \"node_index\": 0, \"peer_port\": 1, "
					 "\"peer_index\": 1}, %s",
					 (int)(second - text), text, third);
		assert_int_equal(read_graph(bad, &loaded, &message), -EINVAL);
		assert_string_equal(message, messages[i]);
	}
}

static void too_many_of_one_guid(void **state)
{
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL, *message = NULL;

	(void)state;
	for (int i = 0; i < 4097; i++)
		sample_node(&fabric, NODE_TYPE_CA, 0x1000, 1, NULL);
	text = write_graph(&fabric);
	fabric_clear(&fabric);
	assert_int_equal(read_graph(text, &loaded, &message), -EINVAL);
	assert_string_equal(message, "node 4096: more than 4096 nodes have its GUID");
}

static void of_another_version(void **state)
{
	struct fabric fabric = {.nodes = NULL}, loaded;
	_cleanup_(freep) char *text = NULL, *later = NULL, *message = NULL;

	(void)state;
	fill(&fabric);
	text = write_graph(&fabric);
	fabric_clear(&fabric);
	later = replaced(text, "rdmactl/fabric/1", "rdmactl/fabric/2", 1);
	assert_int_equal(read_graph(later, &loaded, &message), -ENOMSG);
	assert_string_equal(message, "its schema is not rdmactl/fabric/1");
}

static void files(void **state)
{
	char folder[] = "/tmp/test_fabric_saved.XXXXXX";
	struct problems problems = {.count = 0};
	struct fabric fabric = {.nodes = NULL}, loaded = {.nodes = NULL}, bare = {.nodes = NULL};
	const struct fabric_view view = {.fabric = &fabric};
	_cleanup_(freep) char *path = NULL, *message = NULL, *there = NULL;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = mem_format("%s/scan", folder);
	fill(&fabric);
	*(struct fabric_detail *)mem_append(&fabric.details, &fabric.detail_count,
					    sizeof(*fabric.details)) = (struct fabric_detail){
		.attribute = UMAD_SM_ATTR_LINEAR_FT};
	assert_int_equal(fabric_file_read(path, true, &loaded, &message), -ENOENT);
	there = mem_format("cannot read %s: No such file or directory", path);
	assert_string_equal(message, there);
	assert_int_equal(fabric_file_save(path, &view, &problems), 0);
	assert_int_equal(fabric_file_read(path, true, &loaded, &message), 0);
	compare_graphs(&fabric, &loaded);
	/* Everything except the details. */
	assert_int_equal(fabric_file_read(path, false, &bare, &message), 0);
	assert_int_equal(loaded.detail_count, 1);
	assert_int_equal(bare.detail_count, 0);
	fabric.detail_count = 0;
	compare_graphs(&fabric, &bare);
	unlink(path);
	assert_int_equal(fabric_file_save(folder, &view, &problems), -EISDIR);
	rmdir(folder);
	fabric_clear(&fabric);
	fabric_clear(&loaded);
	fabric_clear(&bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_comes_back),
		cmocka_unit_test(round_trip_of_every_member),
		cmocka_unit_test(attributes_of_a_text),
		cmocka_unit_test(files),
		cmocka_unit_test(size_of_a_file),
		cmocka_unit_test(the_order_of_lists_is_free),
		cmocka_unit_test(keys_are_those_written),
		cmocka_unit_test(cut),
		cmocka_unit_test(wrong),
		cmocka_unit_test(wrong_links),
		cmocka_unit_test(limits),
		cmocka_unit_test(long_chains),
		cmocka_unit_test(too_many_of_one_guid),
		cmocka_unit_test(of_another_version),
	};

	return cmocka_run_group_tests_name("fabric_saved", tests, NULL, NULL);
}
